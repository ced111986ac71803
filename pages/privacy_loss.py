"""What is the privacy loss of a mechanism, and what happens to it under composition?"""

import streamlit as st

from dpviz.ui.privacy_loss import answer as answers
from dpviz.ui.privacy_loss import simulation, view
from dpviz.ui.privacy_loss import words as told
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = view.question()

# Compute.
marks = answers.marks(asked.mechanism, asked.count, asked.delta)
infinite = answers.distribution(asked.mechanism, asked.count).infinite

# Draw.
st.title("What is the privacy loss of a mechanism, and what happens to it under composition?", anchor=False)
st.markdown(told.finding(asked.mechanism, asked.count, marks, infinite, asked.in_words))
view.metrics(asked, marks, infinite)
picture, beside = st.columns([5, 4], gap="medium")
with picture:
    view.picture(asked, marks)
with beside:
    view.side(asked)

law, rare, budget, lemma = st.tabs(view.MORE, key="more", bind="query-params")
if law.open:
    with law:
        view.law(asked)
if rare.open:
    with rare:
        view.rare(asked)
if budget.open:
    with budget:
        view.budget(asked)
if lemma.open:
    with lemma:
        simulation.panel(asked.mechanism, asked.count, asked.delta)

# Explain.
view.table(asked)
st.caption(
    "The number of releases is fixed before the first result is seen, and their noises are independent. Any neighbour "
    f"relation, the one of the sensitivity. The distribution is drawn to display precision; every quoted ε and δ is a "
    f"proven upper bound. {words.NOISE}"
)
