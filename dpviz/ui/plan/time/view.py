"""The picture “When”: the staircase of what is spent, its large figures, and what stands beneath it."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.figures.plan.spend_over_time import Spending, described, spend_over_time
from dpviz.plan import Plan
from dpviz.plan.windows import calendar_name
from dpviz.planning.schedule import done_part, release_dates, shared_weeks
from dpviz.rounding import shown_total
from dpviz.ui.plan.asked import AS_ENTERED
from dpviz.ui.plan.time import advice
from dpviz.ui.plan.time import answer as answers
from dpviz.ui.plan.time import asked as asks
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import Outlook, rows_at_ends
from dpviz.ui.plan.time.asked import AXES, USUAL
from dpviz.ui.plan.time.words import short
from dpviz.ui.plan.words import same_promise
from dpviz.ui.shell import components, page_state, reading, shell, words
from dpviz.ui.shell.kept import static

LISTED = 1000  # windows
VIEWS = ("Windows", "Levers", "Checks")  # the quickest is open first


def when(plan: Plan, a: Plan | None) -> None:
    """Draw when the budget is spent, beside plan A, what each period reveals alone, and the levers and checks."""
    outlook = answers.answer(asks.question(plan))
    if advice.faults(plan):
        st.info(AS_ENTERED)
    if reading.people():
        st.markdown(told.in_people_words(outlook))
    else:
        st.markdown(told.finding(outlook))
    if outlook.has_dates:
        picture(outlook, a)
    elif words.uses(plan):
        repeat(outlook)
    if reading.people():
        return
    notes(outlook)
    tabs = st.tabs(VIEWS, key="tview", bind="query-params")
    for tab, draw in zip(tabs, (_windows, advice.levers, advice.checks), strict=True):
        if tab.open:
            with tab:
                draw(outlook)
    advice.why(outlook)


@shell.guarded
def _repeat(cadence: str) -> None:
    """Repeat what has no date; a callback."""
    page_state.put({"every": cadence})


def repeat(outlook: Outlook) -> None:
    """Offer to spread over time what has no date, as often as the unit's period comes round, else every month."""
    cadence = USUAL.get(outlook.asked.unit_window, "monthly")
    unit = words.escaped(words.shortened(outlook.asked.plan.unit_in_words, 30))
    st.caption(
        f"Nothing has a date, so nothing is repeated: this is what one {unit} costs. Releases get dates in the "
        f"table (columns “dates”), or all are repeated, {short(outlook.asked.start)} to {short(outlook.asked.end)}."
    )
    st.button(f"Repeat {cadence}", on_click=_repeat, args=(cadence,), key="repeat_undated")


def picture(outlook: Outlook, a: Plan | None) -> None:
    """Draw the staircase, and that of plan A where one is kept."""
    asked, one_unit = outlook.asked, outlook.one_unit
    theorem = "basic" if asked.dated.adaptive else "pld"
    whom = f"a {asked.whose}" if one_unit else f"one {words.shortened(asked.dated.unit_in_words, 30)}"
    limit, unit = asked.dated.budget.epsilon, asked.dated.unit_in_words if one_unit else ""
    before = answers.lifetime(a) if a is not None and len(release_dates(a)) else None
    if before is not None and math.isfinite(limit) and not one_unit and same_promise(a, asked.plan):
        st.markdown(told.of_a(answers.passed(before, limit)))
    window = calendar_name(asked.window) + "'s dates" * bool(one_unit and shared_weeks(asked.dated))
    spending = Spending(
        outlook.lifetime, outlook.alone, limit, window, whom, theorem, words.shortened(unit, 30),
        _done(outlook), before=before,
    )  # fmt: skip
    log = spending.steep if asked.scale == AXES[0] else asked.scale == "log"
    components.chart(
        components.drawn(spend_over_time, spending, log, reading.people()),
        outlook.lifetime,
        "forecast",
        told.title(outlook),
        partial(described, spending),
    )


def _done(outlook: Outlook) -> pd.DataFrame | None:
    """The staircase of what is published already; None where nothing of it has a date."""
    done = done_part(outlook.asked.dated)
    return answers.lifetime(done) if len(release_dates(done)) else None


@static
def notes(outlook: Outlook) -> None:
    """Say below the chart what it is about."""
    if outlook.window_problem:
        st.caption(words.escaped(f"No windows are drawn: {outlook.window_problem}."))
    if schedule := told.schedule(outlook):
        st.caption(schedule)
    if outlook.asked.dated.adaptive:
        st.markdown(
            "**Chosen along the way:** later releases depend on earlier results, so only the sum, or the budget "
            "of a filter, may be quoted. "
            + (told.refusals(outlook) if math.isfinite(outlook.asked.dated.budget.epsilon) else "")
        )
    done = done_part(outlook.asked.dated)
    if words.uses(done):
        st.markdown(told.published(outlook, done, answers.lifetime(done).epsilon.iloc[-1]))


@static
def _windows(outlook: Outlook) -> None:
    """Draw what each window reveals alone, beside the lifetime until its end."""
    frame = outlook.alone
    if not len(frame) or not outlook.has_dates:
        st.info("There are no windows without dates: give the releases dates, or repeat them.")
        return
    if len(frame) > 1:
        st.markdown(told.refresh(outlook))
    until = outlook.lifetime.epsilon.to_numpy()[rows_at_ends(outlook.lifetime, frame)]
    frame, config, limit = frame.head(LISTED), st.column_config, outlook.asked.dated.budget.epsilon
    shown = pd.DataFrame(
        {
            "window": [told.span(row.start.date(), row.end.date()) for row in frame.itertuples()],
            "uses": frame.uses,
            "alone": [shown_total(each, limit) for each in frame.epsilon],
            "lifetime": [shown_total(each, limit) for each in until[:LISTED]],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "window": f"One {calendar_name(outlook.asked.window)}",
            "uses": config.NumberColumn("Releases", format="localized"),
            "alone": config.TextColumn("ε alone", alignment="right"),
            "lifetime": config.TextColumn("ε of all until its end", alignment="right"),
        },
        alt="What each window reveals alone, and what all until its end reveal",
    )
