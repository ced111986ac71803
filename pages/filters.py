"""How many adaptive queries until the budget is spent?"""

import streamlit as st

from dpviz.ui.filters import asked as asks
from dpviz.ui.filters import session, view
from dpviz.ui.filters import words as told
from dpviz.ui.shell import components, shell

shell.ensure_entrypoint()

# Ask.
asked = asks.question()
what = "questions can be asked" if asked.in_words else "adaptive queries"
st.title(f"How many {what} until the budget is spent?", anchor=False)

# Compute, draw and explain.
if asked.in_words:
    view.runs(asked)
    st.caption(told.IN_WORDS)
else:
    again, played, totals = st.tabs(asks.VIEWS, key="fview", bind="query-params")
    if again.open:
        with again:
            view.runs(asked)
    if played.open:
        with played:
            session.session(asked)
    if totals.open:
        with totals:
            view.totals(asked)
    view.why(asked)
    components.assumed(told.PROMISE)
