"""What does querying a random sample buy, and what does it cost?"""

import streamlit as st

from dpviz.ui.shell import components, learn_pages, shell
from dpviz.ui.subsampling import answer as answers
from dpviz.ui.subsampling import asked as asks
from dpviz.ui.subsampling import view
from dpviz.ui.subsampling import words as told

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
found = answers.answer(asked)

# Draw.
whole = "What does querying a random sample buy, and what does it cost?"
st.title("What does a random sample buy?" if asked.in_words else whole, anchor=False)
st.markdown(told.finding(asked, found))
if asked.in_words:
    view.cost(asked, found)
    view.use(asked)
else:
    view.metrics(asked, found)
    above = st.container()
    view.presets(asked.figures)
    picture, beside = above.columns([5, 3], gap="medium")
    with picture:
        view.picture(asked, found)
    with beside:
        view.panel(asked, found)
        st.markdown(told.SECRET)
        view.use(asked)
    cost, one_run, tight, kinds, slips = st.tabs(view.MORE, key="samplemore", bind="query-params")
    if cost.open:
        with cost:
            view.cost(asked, found)
    if one_run.open:
        with one_run:
            view.one_run(asked)
    if tight.open:
        with tight:
            view.tight(asked)
    if kinds.open:
        with kinds:
            view.kinds(asked)
    if slips.open:
        with slips:
            learn_pages.claims("sampling")
    # Explain.
    view.why(asked)
    components.assumed("Every run draws a fresh sample, which nobody learns.")
