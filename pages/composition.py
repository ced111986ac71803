"""How does ε grow with the number of releases, and which theorem wins where?"""

import streamlit as st

from dpviz.ui.composition import asked as composition_asked
from dpviz.ui.composition import presets as composition_presets
from dpviz.ui.composition import view as composition
from dpviz.ui.composition import words as composition_words
from dpviz.ui.shell import components, presets, shell, words

shell.ensure_entrypoint()

# Ask.
asked = composition_asked.question()

# Compute.
grown = composition.answer(asked)
at_end = composition.totals(asked)

# Draw.
loss = "the privacy loss" if asked.in_words else "ε"
st.title(f"How does {loss} grow, and which theorem wins where?", anchor=False)
st.markdown(composition_words.finding(asked, grown, at_end))
with st.container(horizontal=True, vertical_alignment="center"):
    presets.bar(composition_presets.PRESETS)
    st.space("stretch")
    composition.axes()
if about := composition_words.about_preset(st.session_state, grown, at_end):
    st.info(about)
picture, notes = st.columns([5, 3], gap="medium")
with picture:
    composition.picture(asked, grown, at_end)
with notes:
    composition.panel(asked, grown, at_end)
for note in composition_words.notes(grown, at_end):
    st.caption(note)

# Explain.
composition.exact_values(asked, grown, at_end)
components.why(words.theorems(asked.plan.repeated(asked.times), at_end))
st.caption(f"The number of repetitions is fixed before the first result is seen. {words.NOISE}")
