"""How do I split the budget, and how accurate is each number?"""

import streamlit as st

from dpviz.ui.budget import answer as answers
from dpviz.ui.budget import asked as asks
from dpviz.ui.budget import panels, view
from dpviz.ui.budget import words as told
from dpviz.ui.plan import panels as plan_panels
from dpviz.ui.shell import plan_editor, reading, shell, sidebar, words

shell.ensure_entrypoint()

# Ask: the sidebar, what to solve first; and the table, which stands below the answer that follows from it.
st.title("How do I split the budget, and how accurate is each number?", anchor=False)
with st.sidebar:
    asking = st.container()
answer, table = st.container(), st.container()
plan = sidebar.plan(folded=True)
if sidebar.anything():
    with table:
        plan_editor.releases(columns=panels.COLUMNS, name="budget_table")
with asking:
    asked = asks.question(plan)

# Compute.
found = answers.answer(asked, plan)

# Draw.
with answer:
    st.markdown(told.finding(found, reading.people()) + sidebar.left_out())
    sidebar.questions()
    plan_panels.schedule_note(plan, plan)
    plan_panels.promise_notes(plan)
    if words.uses(plan):
        panels.along_the_way(found)
        view.metrics(found)
        picture, errors = st.columns([3, 2], gap="medium")
        with picture:
            view.picture(found)
        with errors:
            view.actions(found)
            panels.prices(found)
            panels.row_choice(plan)
            view.dotplot(found)
            panels.signal(found)
    else:
        panels.nothing_yet()

# Explain.
if words.uses(plan):
    with answer:
        panels.tabs(found)
    panels.why(found)
st.caption(words.NOISE)
