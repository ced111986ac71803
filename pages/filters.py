"""How many adaptive queries until the budget is spent?"""

import streamlit as st

from dpviz.ui.filters import asked as asks
from dpviz.ui.filters import session, view
from dpviz.ui.filters import words as told
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = asks.question()
st.title("How many adaptive queries until the budget is spent?", anchor=False)

# Compute and draw.
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

# Explain.
view.why(asked)
st.caption(f"{told.PROMISE} {words.NOISE}")
