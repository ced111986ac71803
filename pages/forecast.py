"""When is it spent, and which lever buys most?"""

import streamlit as st

from dpviz.ui.forecast import advice as forecast_advice
from dpviz.ui.forecast import answer as forecast_answer
from dpviz.ui.forecast import asked as forecast_asked
from dpviz.ui.forecast import view as forecast
from dpviz.ui.forecast import windows as forecast_windows
from dpviz.ui.forecast import words as forecast_words
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
        tabs = windows, levers, checks, releases = st.tabs(forecast.VIEWS, key="tview", bind="query-params")
    if releases.open:
        with releases:
            plan_editor.releases(columns=forecast.COLUMNS, name="forecast_table")
with asking:
    asked = forecast_asked.question(plan, switches)

# Compute.
outlook = forecast_answer.answer(asked)

# Draw.
with answer:
    st.markdown(forecast_words.finding(outlook) + sidebar.left_out())
    sidebar.questions()
    plan_panels.promise_notes(plan)
    if words.uses(plan):
        forecast.metrics(outlook)
    else:
        forecast.empty()
with chart:
    if outlook.has_dates:
        forecast.picture(outlook)
    elif words.uses(plan):
        forecast.repeat(outlook)
    forecast.notes(outlook)
if tabs and windows.open:
    with windows:
        forecast_windows.table(outlook)
if tabs and levers.open:
    with levers:
        forecast_advice.levers(outlook)
if tabs and checks.open:
    with checks:
        forecast_advice.checks(outlook)

# Explain.
forecast_advice.why(outlook)
st.caption(words.NOISE)
