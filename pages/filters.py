"""How many adaptive queries until the budget is spent?"""

import streamlit as st

from dpviz.ui import filters, filters_session, filters_words, shell, words

shell.ensure_entrypoint()

# Ask.
asked = filters.question()
st.title("How many adaptive queries until the budget is spent?", anchor=False)

# Compute and draw.
runs, session, totals = st.tabs(filters.VIEWS, key="fview", bind="query-params")
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
