"""How does ε grow with the number of releases, and which theorem wins where?"""

import streamlit as st

from dpviz.ui.composition import asked as asks
from dpviz.ui.composition import view
from dpviz.ui.composition import words as told
from dpviz.ui.composition.presets import PRESETS
from dpviz.ui.shell import components, inputs, learn_pages, presets, reading, shell

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
grown = view.answer(asked)
at_end = view.totals(asked)

# Draw.
whole = "How does ε grow, and which theorem wins where?"
st.title("How much more is learned with every release?" if asked.in_words else whole, anchor=False)
st.markdown(told.finding(asked, grown, at_end))
if asked.in_words:
    view.guesses(asked, grown)
else:
    with st.container(horizontal=True, vertical_alignment="center"):
        presets.bar(PRESETS)
        st.space("stretch")
        inputs.switch("Axes", "axes", ("linear", "log"), label_visibility="collapsed")
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        view.picture(asked, grown, at_end)
    with notes:
        view.panel(asked, grown, at_end)
        if shown := presets.shown_preset(PRESETS, ("axes", "theorems")):
            learn_pages.claims(shown.key)
    for note in told.notes(grown, at_end):
        st.caption(note)
if asked.typed:
    learn_pages.use(asked.plan.repeated(asked.times).releases, "composition", "Adds what is repeated here, as often.")

# Explain.
if reading.proofs():
    components.exact_values(at_end)
if not asked.in_words:
    view.why(asked, at_end)
learn_pages.sources()
fixed = "The number of repetitions is fixed in advance."
if asked.in_words:
    st.caption(fixed)
else:
    components.assumed(f"{fixed} {told.TO_A_PIXEL}")
