"""What does my plan cost, and is it within budget?"""

import streamlit as st

from dpviz.composition import tightest
from dpviz.figures.plan_totals import described, plan_totals
from dpviz.ui.plan import adaptive as adaptive_panel
from dpviz.ui.plan import panels as plan_panels
from dpviz.ui.shell import components, plan_editor, sharing, shell, sidebar, words
from dpviz.ui.shell import kept as cache

shell.ensure_entrypoint()

# Ask: the sidebar, and the table. Above the table stands only what keeps its height while rows are typed.
st.title("What does my plan cost, and is it within budget?", anchor=False)
head, table, answer = st.container(), st.container(), st.container()
plan = sidebar.plan()
with table:
    plan_editor.releases()

# Compute: what one unit of privacy loses.
whole, plan = plan, plan_panels.of_one_unit(plan)
frame = cache.comparison(plan, plan.budget.delta)
best = tightest(frame)
pure = tightest(cache.comparison(plan, 0.0))

# Draw.
with head:
    st.markdown(words.finding(plan, best, sidebar.in_words()) + sidebar.left_out())
    sidebar.questions()
    plan_panels.schedule_note(whole, plan)
    sharing.guided()
    room = plan_panels.metrics(plan, best, pure)
with answer:
    plan_panels.promise_notes(whole)
    plan_panels.next_step(plan, best)
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
            st.markdown(adaptive_panel.two_totals(plan, best, pure))
            plan_panels.contrast(whole)

# Explain.
if words.uses(plan):
    st.header("Exact values", anchor=False)
    components.exact_values(frame)
components.why(words.theorems(plan, frame))
st.caption(words.NOISE)

# What still fits takes longest: it composes larger plans, so everything else is on the screen first.
plan_panels.room(room, plan)
if words.uses(plan):
    with notes:
        adaptive_panel.panel(plan, best)
        plan_panels.headroom(plan)
