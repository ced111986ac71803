"""What does my plan cost, and is it within budget?"""

import streamlit as st

from dpviz.composition import tightest
from dpviz.figures.plan_totals import described, plan_totals
from dpviz.ui.plan import adaptive, panels
from dpviz.ui.shell import components, plan_editor, reading, sharing, shell, sidebar, words
from dpviz.ui.shell.kept import comparison

shell.ensure_entrypoint()

# Ask: the sidebar, and the table. Above the table stands only what keeps its height while rows are typed.
st.title("What does my plan cost, and is it within budget?", anchor=False)
head, table, answer = st.container(), st.container(), st.container()
plan = sidebar.plan()
with table:
    plan_editor.releases()

# Compute: what one unit of privacy loses.
whole, plan = plan, panels.of_one_unit(plan)
frame = comparison(plan, plan.budget.delta)
best = tightest(frame)
pure = tightest(comparison(plan, 0.0))

# Draw.
with head:
    st.markdown(words.finding(plan, best, reading.people()) + sidebar.left_out())
    sidebar.questions()
    panels.schedule_note(whole, plan)
    sharing.guided()
    room = panels.metrics(plan, best, pure)
with answer:
    panels.promise_notes(whole)
    panels.next_step(plan, best)
    if words.uses(plan):
        picture, notes = st.columns([3, 2], gap="medium")
        with picture:
            components.chart(
                plan_totals(frame, plan.budget.epsilon, plan.unit, components.dark()),
                frame,
                "plan-totals",
                "The same releases under each theorem, the smallest proved total first",
                described(frame, plan.budget.epsilon, plan.unit),
            )
        with notes:
            st.markdown(adaptive.two_totals(plan, best, pure))
            panels.contrast(whole)

# Explain.
if words.uses(plan):
    st.header("Exact values", anchor=False)
    components.exact_values(frame)
components.why(words.theorems(plan, frame))
st.caption(words.NOISE)

# What still fits takes longest: it composes larger plans, so everything else is on the screen first.
panels.room(room, plan)
if words.uses(plan):
    with notes:
        adaptive.panel(plan, best)
        panels.headroom(plan)
