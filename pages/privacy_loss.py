"""What is the privacy loss of a mechanism, and what happens to it under composition?"""

import streamlit as st

from dpviz.ui.privacy_loss import answer as answers
from dpviz.ui.privacy_loss import simulation, view
from dpviz.ui.privacy_loss import words as told
from dpviz.ui.shell import components, learn_pages, shell

shell.ensure_entrypoint()

# Ask.
asked = view.question()

# Compute.
marks = answers.marks(asked.mechanism, asked.count, asked.delta)
infinite = answers.distribution(asked.mechanism, asked.count).infinite

# Draw.
whole = "What is the privacy loss of a mechanism, and what happens to it under composition?"
st.title("How much do many releases tell?" if asked.in_words else whole, anchor=False)
fixed = "The number of releases is fixed in advance, and their noises are independent."
if asked.in_words:
    right = answers.right_guesses(asked.mechanism, asked.count, asked.delta)
    st.markdown(told.risk(asked.mechanism, asked.count, asked.name, right, infinite))
    view.people(asked)
else:
    st.markdown(told.finding(asked.mechanism, asked.count, asked.name, marks, infinite))
    view.metrics(asked, marks, infinite)
    picture, beside = st.columns([5, 4], gap="medium")
    with picture:
        view.picture(asked, marks)
    with beside:
        view.side(asked)
view.use(asked)

if not asked.in_words:
    law, rare, lemma = st.tabs(view.MORE, key="more", bind="query-params")
    if law.open:
        with law:
            view.law(asked)
    if rare.open:
        with rare:
            view.rare(asked)
    if lemma.open:
        with lemma:
            simulation.panel(asked.mechanism, asked.delta)

    # Explain.
    view.why(asked)
    learn_pages.sources()
    fixed += (
        " Any neighbour relation, the one of the sensitivity. The distribution is drawn to display precision; every "
        "quoted ε and δ is a proven upper bound."
    )
    components.assumed(fixed)
else:
    st.caption(fixed)
