"""What changes from A to B, and what do others publish?"""

import streamlit as st

from dpviz.ui.plan import panels as plan_panels
from dpviz.ui.scenarios import view
from dpviz.ui.shell import plan_editor, reading, shell, sidebar, words

shell.ensure_entrypoint()

# Ask: the sidebar, and the table of B, which stands below the answer that follows from it.
st.title("What changes from A to B, and what do others publish?", anchor=False)
answer, table = st.container(), st.container()
plan = sidebar.plan()
with table:
    plan_editor.releases(columns=view.COLUMNS, name=view.TABLE)

# Compute.
plans = view.pair(plan)

# Draw.
with answer:
    view.finding(plans, reading.people())
    sidebar.questions()
    plan_panels.schedule_note(plan, plan)
    plan_panels.promise_notes(plan)
    view.changes(plans)
    view.others(plans, reading.people())

# Explain.
view.tables(plans)
view.explain(plans)
st.caption(words.NOISE)
