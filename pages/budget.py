"""How do I split the budget, and how accurate is each number?"""

import streamlit as st

from dpviz.ui.budget import answer as budget_answer
from dpviz.ui.budget import asked as budget_inputs
from dpviz.ui.budget import panels as budget_panels
from dpviz.ui.budget import view as budget
from dpviz.ui.budget import words as budget_words
from dpviz.ui.plan import panels as plan_panels
from dpviz.ui.shell import plan_editor, shell, sidebar, words

shell.ensure_entrypoint()

# Ask: the sidebar, what to solve first; and the table, which stands below the answer that follows from it.
st.title("How do I split the budget, and how accurate is each number?", anchor=False)
with st.sidebar:
    asking = st.container()
answer, table = st.container(), st.container()
plan = sidebar.plan(folded=True)
if sidebar.anything():
    with table:
        plan_editor.releases(columns=budget_panels.COLUMNS, name="budget_table")
with asking:
    asked = budget_inputs.question(plan)

# Compute.
found = budget_answer.answer(asked, plan)

# Draw.
with answer:
    st.markdown(budget_words.finding(found, sidebar.in_words()) + sidebar.left_out())
    sidebar.questions()
    plan_panels.schedule_note(plan, plan)
    plan_panels.promise_notes(plan)
    if words.uses(plan):
        budget_panels.along_the_way(found)
        budget.metrics(found)
        picture, errors = st.columns([3, 2], gap="medium")
        with picture:
            budget.picture(found)
        with errors:
            budget.actions(found)
            budget_panels.prices(found)
            budget_panels.row_choice(plan)
            budget.dotplot(found)
            budget_panels.signal(found)
    else:
        budget_panels.nothing_yet()

# Explain.
if words.uses(plan):
    with answer:
        budget_panels.tabs(found)
    budget_panels.why(found)
st.caption(words.NOISE)
