"""How do I split the budget, and how accurate is each number?"""

import streamlit as st

from dpviz.ui import budget, budget_inputs, budget_panels, budget_words, inputs, plan_editor, plan_panels, shell, words

shell.ensure_entrypoint()

# Ask: the sidebar, what to solve first; and the table, which stands below the answer that follows from it.
st.title("How do I split the budget, and how accurate is each number?", anchor=False)
with st.sidebar:
    asking = st.container()
answer, table = st.container(), st.container()
plan = inputs.plan(folded=True)
if inputs.anything():
    with table:
        plan_editor.releases(columns=budget_panels.COLUMNS, name="budget_table")
with asking:
    asked = budget_inputs.question(plan)

# Compute.
found = budget.answer(asked, plan)

# Draw.
with answer:
    st.markdown(budget_words.finding(found, inputs.in_words()) + inputs.left_out())
    inputs.questions()
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
