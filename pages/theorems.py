"""Where does each number come from, and where were the sources wrong?"""

import streamlit as st

from dpviz.ui.shell import components, shell, words
from dpviz.ui.theorems import asked as theorems_asked
from dpviz.ui.theorems import noise as theorems_noise
from dpviz.ui.theorems import view as theorems
from dpviz.ui.theorems import words as told

shell.ensure_entrypoint()

# Ask.
asked = theorems_asked.question()

# Answer: one part per tab, computed when it is open; people are told of the sources alone.
st.title("Where does each number come from, and where were the sources wrong?", anchor=False)
if asked.in_words:
    theorems.sources(asked)
    st.caption(words.IDEAL)
else:
    checked, catalogue, noise, left_out = st.tabs(theorems_asked.SECTIONS, key="check", bind="query-params")
    if checked.open:
        with checked:
            theorems.sources(asked)
    if catalogue.open:
        with catalogue:
            theorems.catalogue(asked)
    if noise.open:
        with noise:
            theorems_noise.section(asked)
    if left_out.open:
        with left_out:
            st.markdown(told.NOT_MODELLED)

    # Explain.
    components.assumed("Stated values follow the documents' own formulas, right ones the core of dpviz.")
