"""The forecast page: what it asks, its answer over time, and the tabs below it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.figures.spend_over_time import Spending, day_text, described, spend_over_time
from dpviz.plan import Plan
from dpviz.rounding import shown_count, shown_down, shown_up
from dpviz.schedule import WINDOWS, dated, release_dates
from dpviz.ui import (
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
REPEATS = (BY_UNIT, NOT, "daily", "weekly", "monthly")
CADENCE_OF = {"day": "daily", "week": "weekly", "month": "monthly"}
EVERY = {cadence: f"every {window}" for window, cadence in CADENCE_OF.items()}
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
        The window that the unit of privacy names, such as "day" for a user-day; "" where it names none.
    window : str
        The window that is looked at alone.
    scale : str
        One of ``AXES``.
    in_words : bool
        Whether answers avoid symbols.
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
        return EVERY.get(self.cadence, "") if self.repeated and not dates else ""


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
    """

    asked: Question
    lifetime: pd.DataFrame
    alone: pd.DataFrame
    window_problem: str
    dates: int
    dates_within: int

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
    def over(self) -> date | None:
        """The first date on which the budget is exceeded."""
        above = self.lifetime.date[self.lifetime.epsilon > self.asked.dated.budget.epsilon]
        return above.iloc[0].date() if len(above) and self.has_dates else None

    @property
    def refused(self) -> pd.DataFrame:
        """When filters refuse something."""
        return forecast_cache.refused(self.asked.dated.to_json())


def window_of(unit: str) -> str:
    """Return the window that a unit of privacy names: "day" for "user-day", "" for "person".

    Examples
    --------
    >>> window_of("user-day"), window_of("device week"), window_of("person")
    ('day', 'week', '')
    """
    last = unit.lower().replace("-", " ").replace("_", " ").split()[-1:]
    return last[0] if last and last[0] in CADENCE_OF and last != [unit.lower()] else ""


@shell.guarded
def _follow() -> None:
    """Let the last day follow the first one, a year later; a callback."""
    st.session_state["until"] = _year_later(st.session_state["from"] or FIRST_DAY)


def _year_later(start: date) -> date:
    later = start.replace(year=start.year + 1, day=min(start.day, 28) if start.month == 2 else start.day)
    return min(later - timedelta(days=1), LATEST)


def question(plan: Plan, switches: DeltaGenerator) -> Question:
    """Draw what the sidebar asks about time, and the chart's switches in their place; return what is asked."""
    unit_window = window_of(plan.unit)
    every = st.selectbox(
        "Repeat what has no date",
        REPEATS,
        key="every",
        bind="query-params",
        help="Releases without a start date, repeated on this schedule. By unit: daily for a user-day, weekly for a "
        "user-week, otherwise monthly.",
    )
    usual = CADENCE_OF.get(unit_window, "monthly")
    cadence = {BY_UNIT: usual, NOT: None}.get(every, every)
    start, end = _ends()
    if every == BY_UNIT and any(each.start is None and each.count for each in plan.releases):
        unit = words.escaped(words.shortened(plan.unit, 30))
        st.caption(f"What has no date is repeated {usual}, as usual for the unit {unit}.")
    on_dates = _dated(plan, cadence, start, end)
    window, scale = BY_UNIT, AXES[0]
    if any(each.start and each.count for each in on_dates.releases):
        with switches:
            window, scale = _switches()
    if window == BY_UNIT:
        window = unit_window or "month"
    return Question(plan, on_dates, cadence, start, end, unit_window, window, scale, inputs.in_words())


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
    if len(days) and len(alone):
        lifetime, alone = forecast_windows.agreeing(lifetime, alone, asked.dated.budget.epsilon)
    above = lifetime.date[lifetime.epsilon > asked.dated.budget.epsilon]
    within = len(days) if above.empty else int((days < above.iloc[0].to_datetime64()).sum())
    return Outlook(asked, lifetime, alone, problem, len(days), within)


def metrics(outlook: Outlook) -> None:
    """Draw the large figures: what is spent in all, the budget, when it is exhausted, and what still fits.

    Values and notes are short, so that a phone shows two of them on a line.
    """
    limit, total = outlook.asked.dated.budget.epsilon, outlook.total
    by = f"Spent by {short(outlook.by)}" if outlook.has_dates else "Spent"
    unit = words.escaped(words.shortened(outlook.asked.dated.unit, 12))
    whose = "in all, per person" if outlook.asked.unit_window and outlook.has_dates else f"in all, per {unit}"
    with st.container(horizontal=True):
        _metric(by, "no bound" if math.isinf(total) else f"ε ≤ {shown_up(total)}", whose)
        note = "set one in the sidebar" if math.isinf(limit) else _share(outlook)
        _metric("Budget", "no limit" if math.isinf(limit) else f"ε = {shown_down(limit)}", note)
        _metric(f"Exhausted in {outlook.over.year}" if outlook.over else "Exhausted", *_exhausted(outlook))
        if total > limit:
            _metric("Fits", *forecast_words.fitting(outlook))
        else:
            _further(outlook)


def _metric(label: str, value: str, note: str, explained: str | None = None) -> None:
    """Draw one large figure."""
    st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True, help=explained)


def _share(outlook: Outlook) -> str:
    limit, total = outlook.asked.dated.budget.epsilon, outlook.total
    if total <= limit:
        return "the schedule fits"
    return "exceeded" if math.isinf(total) or not limit else f"spent {shown_up(total / limit, 3)} times"


def _exhausted(outlook: Outlook) -> tuple[str, str]:
    if outlook.over:
        return f"{outlook.over.day} {outlook.over:%b}", "beyond the budget"
    if outlook.total > outlook.asked.dated.budget.epsilon:
        return "at once", "nothing has a date"
    return "never", f"not by {short(outlook.by)}" if outlook.has_dates else "nothing has a date"


def _further(outlook: Outlook) -> None:
    plan = outlook.asked.dated
    if math.isinf(plan.budget.epsilon) or not plan.releases:
        _metric("Room", "no limit", "no budget is set" if plan.releases else "nothing is released")
        return
    row = min(int(st.session_state.get("like") or 1), len(plan.releases)) - 1
    name = words.escaped(words.shortened(plan.releases[row].name, 40))
    count = forecast_cache.further(plan.to_json(), row)
    _metric("Room for about", shown_count(count), f"more of row {row + 1}", f"Row {row + 1} is {name}.")


def empty() -> None:
    """Offer what to do about a plan that releases nothing."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Open the first example", on_click=workspace.open_example, args=(examples.FIRST,), key="open_first")
        st.page_link(shell.ROOT / "pages" / "plan.py", label="Add releases to the plan")


def picture(outlook: Outlook) -> None:
    """Draw the staircase."""
    asked = outlook.asked
    theorem = "basic" if asked.dated.adaptive else "pld"
    whom = "a person" if asked.unit_window else words.shortened(asked.dated.unit, 30)
    limit = asked.dated.budget.epsilon
    spending = Spending(outlook.lifetime, outlook.alone, limit, asked.window, whom, theorem)
    log = spending.steep if asked.scale == AXES[0] else asked.scale == "log"
    components.chart(
        spend_over_time(spending, log, asked.in_words, components.dark()),
        outlook.lifetime,
        "forecast",
        forecast_words.title(outlook),
        described(spending),
    )


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
    elif any(each.done for each in outlook.asked.plan.releases):
        st.caption("Done releases count, and the rest is taken as fixed before the first of them.")
