"""The forecast page: what it asks, its answer over time, and the tabs below it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.cadence import CADENCES, cadence_named
from dpviz.calendar_windows import WINDOWS, unit_window
from dpviz.figures.spend_over_time import Spending, day_text, described, spend_over_time
from dpviz.plan import Plan
from dpviz.recurrence import whose
from dpviz.rounding import shown_count, shown_down, shown_up
from dpviz.schedule import UnitCost, dated, done_part, release_dates
from dpviz.ui import (
    cache,
    components,
    examples,
    forecast_cache,
    forecast_windows,
    forecast_words,
    inputs,
    shell,
    words,
    workspace,
)
from dpviz.ui.forecast_words import short

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

VIEWS = ("Windows", "Levers", "Checks", "Releases")  # the quickest is open first
COLUMNS = ("name", "count", "start", "cadence", "end", "done")
BY_UNIT, NOT = "by unit", "not"
REPEATS = (NOT, *(cadence.key for cadence in CADENCES if cadence.days))
USUAL = {"day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly"}
WINDOW_KEYS = (BY_UNIT, *(window.key for window in WINDOWS))
AXES = ("auto", "linear", "log")
FIRST_DAY = date(2026, 1, 1)  # written out, not today: an address shows the same to everybody
EARLIEST, LATEST = date(1990, 1, 1), date(2099, 12, 31)


@dataclass(frozen=True)
class Question:
    """What the page asks.

    Parameters
    ----------
    plan, dated : Plan
        As typed, and with its releases without a date on the schedule of the sidebar.
    cadence : str or None
        Of that schedule; None where there is none.
    start, end : date
        Its ends.
    unit_window : str
        The period that the unit of privacy names, such as "day" for a user-day; "" where it names none.
    window : str
        The window that is looked at alone.
    scale : str
        One of ``AXES``.
    """

    plan: Plan
    dated: Plan
    cadence: str | None
    start: date
    end: date
    unit_window: str
    window: str
    scale: str
    in_words: bool

    @property
    def repeated(self) -> bool:
        """Whether anything without a date is repeated."""
        return self.cadence is not None and any(each.start is None and each.count for each in self.plan.releases)

    @property
    def often(self) -> str:
        """How often somebody is in the data: as often as everything is repeated; "" where releases differ in that."""
        dates = any(each.start for each in self.plan.releases)
        return cadence_named(self.cadence).label if self.repeated and not dates else ""

    @property
    def whose(self) -> str:
        """Whom the unit is a period of, such as "person"."""
        return whose(self.dated.unit)


@dataclass(frozen=True)
class Outlook:
    """The answer over time.

    Parameters
    ----------
    asked : Question
    lifetime, alone : pandas.DataFrame
        As `dpviz.schedule.forecast` and `windows` return them.
    window_problem : str
        Why there are no windows; "" where there are.
    dates : int
        How many days something is released on.
    dates_within : int
        How many of them lie before the budget is passed.
    one_unit : UnitCost or None
        What one unit loses where the schedule goes beyond the period that it names: the budget is held against that,
        and what a person loses by each date is held against nothing.
    """

    asked: Question
    lifetime: pd.DataFrame
    alone: pd.DataFrame
    window_problem: str
    dates: int
    dates_within: int
    one_unit: UnitCost | None = None

    @property
    def has_dates(self) -> bool:
        """Whether anything has a date."""
        return self.dates > 0

    @property
    def total(self) -> float:
        """ε of everything."""
        return float(self.lifetime.epsilon.iloc[-1])

    @property
    def last(self) -> date:
        """The last day on which something is released."""
        return self.lifetime.until.iloc[-1].date()

    @property
    def by(self) -> date:
        """The date that the total is quoted for: that asked for, since nothing is spent after the last release."""
        return max(self.asked.end, self.last) if self.asked.repeated else self.last

    @property
    def peak(self) -> float:
        """ε of the window that reveals most."""
        return float(self.alone.epsilon.max()) if len(self.alone) else 0.0

    @property
    def budgeted(self) -> Plan:
        """What the budget is held against: the whole schedule, or what one unit meets of it."""
        return self.one_unit.plan if self.one_unit else self.asked.dated

    @property
    def spent(self) -> float:
        """ε of that."""
        return self.one_unit.epsilon if self.one_unit else self.total

    @property
    def over(self) -> date | None:
        """The first date on which the budget is exceeded; None where it is no budget of the whole schedule."""
        if self.one_unit:
            return None
        above = self.lifetime.date[self.lifetime.epsilon > self.asked.dated.budget.epsilon]
        return above.iloc[0].date() if len(above) and self.has_dates else None

    @property
    def refused(self) -> pd.DataFrame:
        """When filters refuse something."""
        return forecast_cache.refused(self.asked.dated.to_json())

    @property
    def admitting(self) -> list[str]:
        """Labels of the filters that admit all that the budget is held against; none at δ = 1."""
        if self.asked.dated.budget.delta >= 1:
            return []
        verdicts = forecast_cache.verdicts(self.budgeted.to_json())
        return verdicts.label[verdicts.whole].tolist()


@shell.guarded
def _follow() -> None:
    """Let the last day follow the first one, a year later; a callback."""
    st.session_state["until"] = _year_later(st.session_state["from"] or FIRST_DAY)


def _year_later(start: date) -> date:
    later = start.replace(year=start.year + 1, day=min(start.day, 28) if start.month == 2 else start.day)
    return min(later - timedelta(days=1), LATEST)


def question(plan: Plan, switches: DeltaGenerator) -> Question:
    """Draw what the sidebar asks about time, and the chart's switches in their place; return what is asked."""
    period = unit_window(plan.unit)
    own = period.key if period else ""
    every = st.selectbox(
        "Repeat what has no date",
        REPEATS,
        key="every",
        bind="query-params",
        help="Releases without a start date, repeated on this schedule. Nothing is repeated until you ask for it.",
    )
    cadence = None if every == NOT else every
    start, end = _ends()
    on_dates = _dated(plan, cadence, start, end)
    window, scale = BY_UNIT, AXES[0]
    if any(each.start and each.count for each in on_dates.releases):
        with switches:
            window, scale = _switches()
    if window == BY_UNIT:
        window = own or "month"
    return Question(plan, on_dates, cadence, start, end, own, window, scale, inputs.in_words())


def _switches() -> tuple[str, str]:
    """Which window stands beside the staircase, and the axis."""
    options = {"label_visibility": "collapsed", "required": True, "bind": "query-params"}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Window beside it", width="content")
        collapsed = {"label_visibility": "collapsed", "bind": "query-params"}
        window = st.selectbox("Window", WINDOW_KEYS, key="window", width=130, **collapsed)
        st.space("stretch")
        scale = st.segmented_control("Axis", AXES, default=AXES[0], key="taxis", **options)
    return window or BY_UNIT, scale or AXES[0]


def _ends() -> tuple[date, date]:
    common = {"min_value": EARLIEST, "max_value": LATEST, "bind": "query-params"}
    start = st.date_input("From", FIRST_DAY, key="from", on_change=_follow, **common) or FIRST_DAY
    end = st.date_input("Until", _year_later(start), key="until", **common) or _year_later(start)
    if end < start:
        st.error(f"Until must not lie before {day_text(start)}; got {day_text(end)}. A year is shown.")
        end = _year_later(start)
    return start, end


def _dated(plan: Plan, cadence: str | None, start: date, end: date) -> Plan:
    if cadence is None:
        return plan
    try:
        return dated(plan, start, cadence, end)
    except ValueError as error:
        st.error(words.escaped(str(error)))
        return plan


def answer(asked: Question) -> Outlook:
    """Return the answer over time, kept."""
    text, problem = asked.dated.to_json(), ""
    lifetime = forecast_cache.lifetime(text)
    try:
        alone = forecast_cache.alone(text, asked.window)
    except ValueError as error:
        alone, problem = lifetime.iloc[:0].rename(columns={"date": "start", "until": "end"}), str(error)
    days = release_dates(asked.dated)
    one_unit = forecast_cache.one_unit(text)
    if one_unit and one_unit.window == asked.window:  # any period loses at most what the dearest does
        alone = alone.assign(epsilon=alone.epsilon.clip(upper=one_unit.epsilon))
    if len(days) and len(alone):
        lifetime, alone = forecast_windows.agreeing(lifetime, alone, asked.dated.budget.epsilon)
    above = lifetime.date[lifetime.epsilon > asked.dated.budget.epsilon]
    within = len(days) if above.empty else int((days < above.iloc[0].to_datetime64()).sum())
    return Outlook(asked, lifetime, alone, problem, len(days), within, one_unit)


def metrics(outlook: Outlook) -> None:
    """Draw the large figures: what is spent in all, the budget, when it is exhausted, and what still fits.

    Values and notes are short, so that a phone shows two of them on a line.
    """
    limit = outlook.asked.dated.budget.epsilon
    unit = words.escaped(words.shortened(outlook.asked.dated.unit, 12))
    with st.container(horizontal=True):
        if outlook.one_unit:
            _metric(f"One {unit}", _at_most(outlook.spent), f"any {outlook.one_unit.window}, at most")
        else:
            by = f"Spent by {short(outlook.by)}" if outlook.has_dates else "Spent"
            _metric(by, _at_most(outlook.total), f"in all, per {unit}")
        note = "set one in the sidebar" if math.isinf(limit) else _share(outlook)
        _metric("Budget", "no limit" if math.isinf(limit) else f"ε = {shown_down(limit)}", note)
        if outlook.one_unit:
            whom = words.escaped(words.shortened(outlook.asked.whose, 12))
            _metric(f"A {whom} by {short(outlook.by)}", _at_most(outlook.total), "no budget stated")
        else:
            _metric(f"Exhausted in {outlook.over.year}" if outlook.over else "Exhausted", *_exhausted(outlook))
        if outlook.spent <= limit:
            _further(outlook)
        elif outlook.one_unit:
            _metric("Room", "nothing", f"one {unit} exceeds it")
        else:
            _metric("Fits", *forecast_words.fitting(outlook))


def _at_most(epsilon: float) -> str:
    return "no bound" if math.isinf(epsilon) else f"ε ≤ {shown_up(epsilon)}"


def _metric(label: str, value: str, note: str, explained: str | None = None) -> None:
    """Draw one large figure."""
    st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True, help=explained)


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
        _metric("Room", "no limit", "no budget is set" if plan.releases else "nothing is released")
        return
    row = min(int(st.session_state.get("like") or 1), len(plan.releases)) - 1
    name = words.escaped(words.shortened(plan.releases[row].name, 40))
    room = cache.further(plan, row)
    proved = f" Admitted by a filter ({room.filter}) with this budget, fixed in advance." if room.filter else ""
    more = f"more of row {row + 1}{f' a {outlook.one_unit.window}' if outlook.one_unit else ''}"
    _metric("Room for", shown_count(room.count), more, f"Row {row + 1} is {name}.{proved}")


def empty() -> None:
    """Offer what to do about a plan that releases nothing."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Open the first example", on_click=workspace.open_example, args=(examples.FIRST,), key="open_first")
        st.page_link(shell.ROOT / "pages" / "plan.py", label="Add releases to the plan")


@shell.guarded
def _repeat(cadence: str) -> None:
    """Repeat what has no date; a callback."""
    st.session_state["every"] = cadence


def repeat(outlook: Outlook) -> None:
    """Offer to spread over time what has no date, as often as the unit's period comes round, else every month."""
    cadence = USUAL.get(outlook.asked.unit_window, "monthly")
    unit = words.escaped(words.shortened(outlook.asked.plan.unit, 30))
    st.caption(
        f"Nothing has a date, so nothing is repeated: this is what one {unit} costs. Releases get dates in the tab "
        f"Releases, or all of them are repeated from {short(outlook.asked.start)} until {short(outlook.asked.end)}."
    )
    st.button(f"Repeat {cadence}", on_click=_repeat, args=(cadence,), key="repeat_undated")


def picture(outlook: Outlook) -> None:
    """Draw the staircase."""
    asked, one_unit = outlook.asked, outlook.one_unit
    theorem = "basic" if asked.dated.adaptive else "pld"
    whom = f"a {asked.whose}" if one_unit else words.shortened(asked.dated.unit, 30)
    limit, unit = asked.dated.budget.epsilon, asked.dated.unit if one_unit else ""
    spending = Spending(
        outlook.lifetime, outlook.alone, limit, asked.window, whom, theorem, words.shortened(unit, 30), _done(outlook)
    )
    log = spending.steep if asked.scale == AXES[0] else asked.scale == "log"
    components.chart(
        spend_over_time(spending, log, asked.in_words, components.dark()),
        outlook.lifetime,
        "forecast",
        forecast_words.title(outlook),
        described(spending),
    )


def _done(outlook: Outlook) -> pd.DataFrame | None:
    """The staircase of what is published already; None where nothing of it has a date."""
    done = done_part(outlook.asked.dated)
    return forecast_cache.lifetime(done.to_json()) if len(release_dates(done)) else None


def notes(outlook: Outlook) -> None:
    """Say below the chart what it is about."""
    if outlook.window_problem:
        st.caption(words.escaped(f"No windows are drawn: {outlook.window_problem}."))
    if schedule := forecast_words.schedule(outlook):
        st.caption(schedule)
    if outlook.asked.dated.adaptive:
        st.markdown(
            "**Chosen along the way:** later releases depend on earlier results, so only adding up may be quoted. "
            + (forecast_words.refusals(outlook) if math.isfinite(outlook.asked.dated.budget.epsilon) else "")
        )
    done = done_part(outlook.asked.dated)
    if words.uses(done):
        st.markdown(forecast_words.published(outlook, done, forecast_cache.lifetime(done.to_json()).epsilon.iloc[-1]))
