"""What does my plan cost, does it fit, how accurate is it, when is it spent, and what can be learned?"""

from functools import partial

import streamlit as st

from dpviz.ui.plan import asked as asks
from dpviz.ui.plan import doors, drawer, frontier, hands, table, view
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.fit import answer as fits
from dpviz.ui.plan.fit import asked as fit_asks
from dpviz.ui.plan.fit import view as fit
from dpviz.ui.plan.time import advice
from dpviz.ui.plan.time import view as time
from dpviz.ui.plan.versus import view as versus
from dpviz.ui.shell import components, page_state, reading, shell, words, workspace
from dpviz.ui.shell.document import in_force, saved, session

shell.ensure_entrypoint()

# Ask: the promise, and what is looked at. The head and the table stand above whatever is opened beneath them.
workspace.begin(first_visit=True)
plan = session.current()
# Its place stays when it goes: where what follows moves up, Streamlit forgets which of it the address holds.
with st.container():
    if not session.begun():
        doors.doors()
head = st.container(key="head", gap="xsmall")
notes, doubts = st.container(), st.container(key="doubts_place")
grid, panel_place = st.container(), st.container(key="panel_place")
with grid:
    with st.container(horizontal=True, vertical_alignment="center"):
        columns = asks.columns()
        panel = asks.panel()
        beside = st.container(width="content")
    rows = st.container()

# Compute.
stand = Standing.of(plan)
kept, forces = session.document().baseline, in_force.found()
a = Standing.of(kept) if kept else None
with panel_place:
    fitted = panel == asks.FIT and bool(plan.releases)
    solved = fit_asks.solved_for(plan) if fitted else ()
    above = st.container()
    found = fits.answer(fit_asks.question(plan, *solved), plan) if fitted else fits.present(plan)

# Draw.
with head:
    view.head(stand, a, forces, None if found.same else found.after)
with notes:
    view.notes(stand, forces)
with rows:
    if table.releases(columns, stand, a, found.after):
        beside.caption(table.WIDER, width="content")
    table.not_taken()
    if panel != asks.RELEASE:  # what comes and goes would move the boxes that are being filled in
        table.beneath(stand.whole)
        view.schedule(stand)
with panel_place:
    frontier.panel(plan)
    if panel == asks.FIT:
        fit.panel(found, above)
    elif panel == asks.RELEASE:
        drawer.drawer(plan, partial(table.beneath, stand.whole))
        view.schedule(stand)
    elif panel == asks.VERSUS:
        versus.panel(plan)
if words.uses(plan):
    tabs = dict(zip(asks.TABS, st.tabs(asks.TABS, key="tab", bind="query-params"), strict=True))
    for name, draw in (
        (asks.COSTS, lambda: view.costs(stand, a)),
        (asks.ACCURATE, lambda: fit.accuracy(found, kept)),
        (asks.WHEN, lambda: time.when(plan, kept)),
        (asks.LEARNED, lambda: view.learned(stand, a)),
    ):
        if tabs[name].open:
            with tabs[name]:
                draw()

# What is to be asked takes longest, and is said last.
with doubts:
    advice.doubts(plan)

# Explain.
if words.uses(plan):
    view.others(stand)
    view.several(stand)
    if reading.people():
        view.uncovered(plan)
    else:
        view.theorems(stand)
        components.assumed()

page_state.tell_filled()
hands.looked()
# What was typed is kept when all stands there: a database may let others wait.
saved.keep_draft()
