"""How many runs show that a claim is too small, and what do measured scores prove?"""

import streamlit as st

from dpviz.ui.audit import answer as answers
from dpviz.ui.audit import asked as asks
from dpviz.ui.audit import view
from dpviz.ui.audit import words as told
from dpviz.ui.shell import components, reading, shell

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
found = answers.planned(asked)

# Draw.
st.title("How many runs show that a claim is too small?", anchor=False)
st.markdown(reading.told(told.finding(asked, found)))
view.picture(asked, found)
with st.expander(view.READS) if reading.people() else st.container():
    view.reads(asked, found)

# Explain.
components.assumed(reading.told(told.SOURCES))
