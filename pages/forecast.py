"""When is it spent, and which lever buys most?"""

import streamlit as st

from dpviz.ui.forecast import advice, view, windows
from dpviz.ui.forecast import answer as answers
from dpviz.ui.forecast import asked as asks
from dpviz.ui.forecast import words as told
from dpviz.ui.plan import panels as plan_panels
from dpviz.ui.shell import plan_editor, shell, sidebar, words

shell.ensure_entrypoint()

# Ask: the sidebar, time first; and the table of dates, which stands below the answer that follows from it.
st.title("When is it spent, and which lever buys most?", anchor=False)
with st.sidebar:
    asking = st.container()
answer, switches, chart, below = st.container(), st.container(), st.container(), st.container()
plan = sidebar.plan(folded=True)
tabs = None
if sidebar.anything():
    with below:
        tabs = periods, levers, checks, releases = st.tabs(view.VIEWS, key="tview", bind="query-params")
    if releases.open:
        with releases:
            plan_editor.releases(columns=view.COLUMNS, name="forecast_table")
with asking:
    asked = asks.question(plan, switches)

# Compute.
outlook = answers.answer(asked)

# Draw.
with answer:
    st.markdown(told.finding(outlook) + sidebar.left_out())
    sidebar.questions()
    plan_panels.promise_notes(plan)
    if words.uses(plan):
        view.metrics(outlook)
    else:
        view.empty()
with chart:
    if outlook.has_dates:
        view.picture(outlook)
    elif words.uses(plan):
        view.repeat(outlook)
    view.notes(outlook)
if tabs and periods.open:
    with periods:
        windows.table(outlook)
if tabs and levers.open:
    with levers:
        advice.levers(outlook)
if tabs and checks.open:
    with checks:
        advice.checks(outlook)

# Explain.
advice.why(outlook)
st.caption(words.NOISE)
