"""What does querying a random sample buy, and what does it cost?"""

import streamlit as st

from dpviz.ui.shell import shell, words
from dpviz.ui.subsampling import answer as subsampling_answer
from dpviz.ui.subsampling import asked as subsampling_question
from dpviz.ui.subsampling import notebook as subsampling_notebook
from dpviz.ui.subsampling import view as subsampling
from dpviz.ui.subsampling import words as subsampling_words

shell.ensure_entrypoint()

# Ask.
asked = subsampling_question.question()

# Compute.
found = subsampling_answer.answer(asked)

# Draw.
st.title("What does querying a random sample buy, and what does it cost?", anchor=False)
st.markdown(subsampling_words.finding(asked, found))
subsampling.metrics(asked, found)
subsampling.presets()
picture, beside = st.columns([5, 3], gap="medium")
with picture:
    subsampling.picture(asked, found)
with beside:
    if about := subsampling_notebook.about_preset(st.session_state, asked, found):
        st.info(about)
    subsampling.panel(asked, found)
    st.markdown(subsampling_words.SECRET)

cost, one_run, tight, kinds, slips = st.tabs(subsampling.MORE, key="samplemore", bind="query-params")
if cost.open:
    with cost:
        subsampling.cost(asked, found)
if one_run.open:
    with one_run:
        subsampling.one_run(asked)
if tight.open:
    with tight:
        subsampling.tight(asked)
if kinds.open:
    with kinds:
        subsampling.kinds(asked)
if slips.open:
    with slips:
        st.markdown("\n".join(f"- {line}" for line in subsampling_notebook.slips()))

# Explain.
subsampling.exact_values(found)
subsampling.why(asked)
st.caption(f"Every run draws a fresh sample, which nobody learns. {words.NOISE}")
