"""What is ε when Gaussian noises add up?"""

import streamlit as st

from dpviz.ui.noise_sums import asked as noise_sums_asked
from dpviz.ui.noise_sums import clients as noise_sums_clients
from dpviz.ui.noise_sums import mixture as noise_sums_mixture
from dpviz.ui.noise_sums import shuffle as noise_sums_shuffle
from dpviz.ui.noise_sums import view as noise_sums
from dpviz.ui.noise_sums import why as noise_sums_why
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = noise_sums_asked.question()

# Answer: one question per tab, computed when it is open.
loss = "the privacy loss" if asked.in_words else "ε"
st.title(f"What is {loss} when Gaussian noises add up?", anchor=False)
pairs, clients, mixed, shuffled, unanswered = st.tabs(noise_sums_asked.SECTIONS, key="section", bind="query-params")
if pairs.open:
    with pairs, noise_sums.possible(asked):
        noise_sums.pairs(asked)
if clients.open:
    with clients, noise_sums.possible(asked):
        noise_sums_clients.section(asked)
if mixed.open:
    with mixed, noise_sums.possible(asked):
        noise_sums_mixture.section(asked)
if shuffled.open:
    with shuffled:
        noise_sums_shuffle.section(asked)
if unanswered.open:
    with unanswered:
        noise_sums_why.unanswered()

# Explain.
noise_sums_why.why()
st.caption(
    "Sensitivity is 1: one unit of privacy changes an answer by at most 1 in L2. All noises have the same δ, are "
    f"independent, and whoever looks knows none of them. {words.NOISE}"
)
