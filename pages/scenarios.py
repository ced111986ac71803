"""What changes from A to B, and what do others publish?"""

import streamlit as st

from dpviz.ui import inputs, plan_editor, plan_panels, scenarios, shell, words

shell.ensure_entrypoint()

# Ask: the sidebar, and the table of B, which stands below the answer that follows from it.
st.title("What changes from A to B, and what do others publish?", anchor=False)
answer, table = st.container(), st.container()
plan = inputs.plan()
with table:
    plan_editor.releases(columns=scenarios.COLUMNS, name=scenarios.TABLE)

# Compute.
plans = scenarios.pair(plan)

# Draw.
with answer:
    scenarios.finding(plans, inputs.in_words())
    inputs.questions()
    plan_panels.schedule_note(plan, plan)
    plan_panels.promise_notes(plan)
    scenarios.changes(plans)
    scenarios.others(plans, inputs.in_words())

# Explain.
scenarios.tables(plans)
scenarios.explain(plans)
st.caption(words.NOISE)
