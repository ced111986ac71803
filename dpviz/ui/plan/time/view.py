"""The picture “When”: the staircase of what is spent, its large figures, and what stands beneath it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.figures.spend_over_time import Spending, described, spend_over_time
from dpviz.plan import Plan
from dpviz.planning.schedule import done_part, release_dates
from dpviz.rounding import shown_count, shown_down, shown_up
from dpviz.ui.plan.asked import chosen_row
from dpviz.ui.plan.time import advice, windows
from dpviz.ui.plan.time import answer as answers
from dpviz.ui.plan.time import asked as asks
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import Outlook
from dpviz.ui.plan.time.asked import AXES, USUAL
from dpviz.ui.plan.time.words import short
from dpviz.ui.shell import components, reading, shell, words
from dpviz.ui.shell.kept import further

if TYPE_CHECKING:
    import pandas as pd

VIEWS = ("Windows", "Levers", "Checks")  # the quickest is open first


def when(plan: Plan, a: Plan | None) -> None:
    """Draw when the budget is spent, what each period reveals alone, and which levers and checks there are.

    Parameters
    ----------
    plan, a : Plan
        The current one, and plan A where one is kept.
    """
    outlook = answers.answer(asks.question(plan))
    if reading.people():
        st.markdown(told.in_people_words(outlook))
    else:
        st.markdown(told.finding(outlook))
        metrics(outlook)
    if outlook.has_dates:
        picture(outlook, a)
    elif words.uses(plan):
        repeat(outlook)
    if reading.people():
        return
    notes(outlook)
    tabs = st.tabs(VIEWS, key="tview", bind="query-params")
    for tab, draw in zip(tabs, (windows.table, advice.levers, advice.checks), strict=True):
        if tab.open:
            with tab:
                draw(outlook)
    advice.why(outlook)


def metrics(outlook: Outlook) -> None:
    """Draw the large figures: what is spent in all, the budget, when it is exhausted, and what still fits.

    Values and notes are short, so that a phone shows two of them on a line.
    """
    limit = outlook.asked.dated.budget.epsilon
    unit = words.escaped(words.shortened(outlook.asked.dated.unit, 12))
    with st.container(horizontal=True):
        if outlook.one_unit:
            components.metric(f"One {unit}", _at_most(outlook.spent), f"any {outlook.one_unit.window}, at most")
        else:
            by = f"Spent by {short(outlook.by)}" if outlook.has_dates else "Spent"
            components.metric(by, _at_most(outlook.total), f"in all, per {unit}")
        note = "none is set" if math.isinf(limit) else _share(outlook)
        components.metric("Budget", "no limit" if math.isinf(limit) else f"ε = {shown_down(limit)}", note)
        if outlook.one_unit:
            whom = words.escaped(words.shortened(outlook.asked.whose, 12))
            components.metric(f"A {whom} by {short(outlook.by)}", _at_most(outlook.total), "no budget stated")
        else:
            when = f" in {outlook.over.year}" if outlook.over else ""
            components.metric(f"Exhausted{when}", *_exhausted(outlook))
        if outlook.spent <= limit:
            _further(outlook)
        elif outlook.one_unit:
            components.metric("Room", "nothing", f"one {unit} exceeds it")
        else:
            components.metric("Fits", *told.fitting(outlook))


def _at_most(epsilon: float) -> str:
    return "no bound" if math.isinf(epsilon) else f"ε ≤ {shown_up(epsilon)}"


def _share(outlook: Outlook) -> str:
    limit, spent = outlook.asked.dated.budget.epsilon, outlook.spent
    unit = words.escaped(words.shortened(outlook.asked.dated.unit, 12))
    if spent <= limit:
        return f"one {unit} fits" if outlook.one_unit else "the schedule fits" if outlook.has_dates else "the plan fits"
    return "exceeded" if math.isinf(spent) or not limit else f"spent {shown_up(spent / limit, 3)} times"


def _exhausted(outlook: Outlook) -> tuple[str, str]:
    if outlook.over:
        return f"{outlook.over.day} {outlook.over:%b}", "beyond the budget"
    if outlook.total > outlook.asked.dated.budget.epsilon:
        return "at once", "nothing has a date"
    return "never", f"not by {short(outlook.by)}" if outlook.has_dates else "nothing has a date"


def _further(outlook: Outlook) -> None:
    plan = outlook.budgeted
    if math.isinf(plan.budget.epsilon) or not plan.releases:
        components.metric("Room", "no limit", "no budget is set" if plan.releases else "nothing is released")
        return
    row = min(chosen_row(outlook.asked.plan), len(plan.releases) - 1)
    name = words.escaped(words.shortened(plan.releases[row].name, 40))
    room = further(plan, row)
    proved = f" Admitted by a filter ({room.filter}) with this budget, fixed in advance." if room.filter else ""
    more = f"more of row {row + 1}{f' a {outlook.one_unit.window}' if outlook.one_unit else ''}"
    components.metric("Room for", shown_count(room.count), more, f"Row {row + 1} is {name}.{proved}")


@shell.guarded
def _repeat(cadence: str) -> None:
    """Repeat what has no date; a callback."""
    st.session_state["every"] = cadence


def repeat(outlook: Outlook) -> None:
    """Offer to spread over time what has no date, as often as the unit's period comes round, else every month."""
    cadence = USUAL.get(outlook.asked.unit_window, "monthly")
    unit = words.escaped(words.shortened(outlook.asked.plan.unit, 30))
    st.caption(
        f"Nothing has a date, so nothing is repeated: this is what one {unit} costs. Releases get dates in the "
        f"table (columns “dates”), or all are repeated, {short(outlook.asked.start)} to {short(outlook.asked.end)}."
    )
    st.button(f"Repeat {cadence}", on_click=_repeat, args=(cadence,), key="repeat_undated")


def picture(outlook: Outlook, a: Plan | None) -> None:
    """Draw the staircase, and that of plan A where one is kept."""
    asked, one_unit = outlook.asked, outlook.one_unit
    theorem = "basic" if asked.dated.adaptive else "pld"
    whom = f"a {asked.whose}" if one_unit else words.shortened(asked.dated.unit, 30)
    limit, unit = asked.dated.budget.epsilon, asked.dated.unit if one_unit else ""
    spending = Spending(
        outlook.lifetime, outlook.alone, limit, asked.window, whom, theorem, words.shortened(unit, 30), _done(outlook),
        before=answers.lifetime(a) if a is not None and len(release_dates(a)) else None,
    )  # fmt: skip
    log = spending.steep if asked.scale == AXES[0] else asked.scale == "log"
    components.chart(
        components.drawn(spend_over_time, spending, log, asked.in_words),
        outlook.lifetime,
        "forecast",
        told.title(outlook),
        described(spending),
    )


def _done(outlook: Outlook) -> pd.DataFrame | None:
    """The staircase of what is published already; None where nothing of it has a date."""
    done = done_part(outlook.asked.dated)
    return answers.lifetime(done) if len(release_dates(done)) else None


def notes(outlook: Outlook) -> None:
    """Say below the chart what it is about."""
    if outlook.window_problem:
        st.caption(words.escaped(f"No windows are drawn: {outlook.window_problem}."))
    if schedule := told.schedule(outlook):
        st.caption(schedule)
    if outlook.asked.dated.adaptive:
        st.markdown(
            "**Chosen along the way:** later releases depend on earlier results, so only adding up may be quoted. "
            + (told.refusals(outlook) if math.isfinite(outlook.asked.dated.budget.epsilon) else "")
        )
    done = done_part(outlook.asked.dated)
    if words.uses(done):
        st.markdown(told.published(outlook, done, answers.lifetime(done).epsilon.iloc[-1]))
