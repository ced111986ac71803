"""How many adaptive queries until the budget is spent?"""

import streamlit as st

from dpviz.ui.filters import asked as filters_asked
from dpviz.ui.filters import session as filters_session
from dpviz.ui.filters import view as filters
from dpviz.ui.filters import words as filters_words
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = filters_asked.question()
st.title("How many adaptive queries until the budget is spent?", anchor=False)

# Compute and draw.
runs, session, totals = st.tabs(filters_asked.VIEWS, key="fview", bind="query-params")
if runs.open:
    with runs:
        filters.runs(asked)
if session.open:
    with session:
        filters_session.session(asked)
if totals.open:
    with totals:
        filters.totals(asked)

# Explain.
filters.why(asked)
st.caption(f"{filters_words.PROMISE} {words.NOISE}")
