"""What is promised when Gaussian noises add up?"""

import streamlit as st

from dpviz.ui.noise_sums import asked as asks
from dpviz.ui.noise_sums import clients, mixture, shuffle, view, why
from dpviz.ui.shell import components, shell, words

shell.ensure_entrypoint()

# Ask.
asked = asks.question()
title = "How well are people hidden when their noises add up?"
st.title(title if asked.in_words else "What is ε when Gaussian noises add up?", anchor=False)

# Answer: one question per tab, computed when it is open; people are told of the sum alone.
if asked.in_words:
    with view.possible(asked):
        clients.section(asked)
    st.caption(words.IDEAL)
else:
    pairs, summed, mixed, shuffled, unanswered = st.tabs(asks.SECTIONS, key="section", bind="query-params")
    if pairs.open:
        with pairs, view.possible(asked):
            view.two_noises(asked)
    if summed.open:
        with summed, view.possible(asked):
            clients.section(asked)
    if mixed.open:
        with mixed, view.possible(asked):
            mixture.section(asked)
    if shuffled.open:
        with shuffled:
            shuffle.section(asked)
    if unanswered.open:
        with unanswered:
            why.unanswered()

    # Explain.
    why.why()
    components.assumed(
        "Sensitivity is 1: one unit of privacy changes an answer by at most 1 in L2. All noises have the same δ, are "
        "independent, and whoever looks knows none of them."
    )
