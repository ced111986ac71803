"""How does ε grow with the number of releases, and which theorem wins where?"""

import streamlit as st

from dpviz.ui.composition import asked as asks
from dpviz.ui.composition import view
from dpviz.ui.composition import words as told
from dpviz.ui.composition.presets import PRESETS
from dpviz.ui.shell import components, inputs, presets, shell, words

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
grown = view.answer(asked)
at_end = view.totals(asked)

# Draw.
loss = "the privacy loss" if asked.in_words else "ε"
st.title(f"How does {loss} grow, and which theorem wins where?", anchor=False)
st.markdown(told.finding(asked, grown, at_end))
with st.container(horizontal=True, vertical_alignment="center"):
    presets.bar(PRESETS)
    st.space("stretch")
    inputs.switch("Axes", "axes", ("linear", "log"), label_visibility="collapsed")
if about := told.about_preset(st.session_state, grown, at_end):
    st.info(about)
picture, notes = st.columns([5, 3], gap="medium")
with picture:
    view.picture(asked, grown, at_end)
with notes:
    view.panel(asked, grown, at_end)
for note in told.notes(grown, at_end):
    st.caption(note)

# Explain.
view.exact_values(asked, grown, at_end)
components.why(words.theorems(asked.plan.repeated(asked.times), at_end))
st.caption(f"The number of repetitions is fixed before the first result is seen. {words.NOISE}")
