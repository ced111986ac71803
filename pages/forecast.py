"""When is it spent, and which lever buys most?"""

import streamlit as st

from dpviz.ui import (
    forecast,
    forecast_advice,
    forecast_windows,
    forecast_words,
    inputs,
    plan_editor,
    plan_panels,
    shell,
    words,
)

shell.ensure_entrypoint()

# Ask: the sidebar, time first; and the table of dates, which stands below the answer that follows from it.
st.title("When is it spent, and which lever buys most?", anchor=False)
with st.sidebar:
    asking = st.container()
answer, switches, chart, below = st.container(), st.container(), st.container(), st.container()
plan = inputs.plan(folded=True)
tabs = None
if inputs.anything():
    with below:
        tabs = windows, levers, checks, releases = st.tabs(forecast.VIEWS, key="tview", bind="query-params")
    if releases.open:
        with releases:
            plan_editor.releases(columns=forecast.COLUMNS, name="forecast_table")
with asking:
    asked = forecast.question(plan, switches)

# Compute.
outlook = forecast.answer(asked)

# Draw.
with answer:
    st.markdown(forecast_words.finding(outlook) + inputs.left_out())
    inputs.questions()
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
