"""What is the privacy loss of a mechanism, and what happens to it under composition?"""

import streamlit as st

from dpviz.ui.privacy_loss import simulation as simulation_panel
from dpviz.ui.privacy_loss import view as privacy_loss
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = privacy_loss.question()

# Compute.
marks = privacy_loss.answer(asked)

# Draw.
st.title("What is the privacy loss of a mechanism, and what happens to it under composition?", anchor=False)
st.markdown(privacy_loss.finding(asked, marks))
privacy_loss.metrics(asked, marks)
picture, beside = st.columns([5, 4], gap="medium")
with picture:
    privacy_loss.picture(asked, marks)
with beside:
    privacy_loss.side(asked)

law, rare, budget, lemma = st.tabs(privacy_loss.MORE, key="more", bind="query-params")
if law.open:
    with law:
        privacy_loss.law(asked)
if rare.open:
    with rare:
        privacy_loss.rare(asked)
if budget.open:
    with budget:
        privacy_loss.budget(asked)
if lemma.open:
    with lemma:
        simulation_panel.panel(asked.mechanism, asked.count, asked.delta)

# Explain.
privacy_loss.table(asked)
st.caption(
    "The number of releases is fixed before the first result is seen, and their noises are independent. Any neighbour "
    f"relation, the one of the sensitivity. The distribution is drawn to display precision; every quoted ε and δ is a "
    f"proven upper bound. {words.NOISE}"
)
