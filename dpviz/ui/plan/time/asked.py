"""What the picture “When” asks: how what has no date is repeated, and the switches of its chart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import streamlit as st

from dpviz.figures.plan.spend_over_time import day_text
from dpviz.plan import CADENCES, WINDOWS, Plan
from dpviz.plan.cadence import cadence_named
from dpviz.plan.units import whose
from dpviz.plan.windows import unit_window
from dpviz.planning.schedule import dated
from dpviz.ui.shell import inputs, page_state, reading, refusals, shell

BY_UNIT, NOT = "by unit", "not repeated"
EARLIEST, LATEST = date(1990, 1, 1), date(2099, 12, 31)
REPEATS = (NOT, *(cadence.key for cadence in CADENCES if cadence.days))
USUAL = {"day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly"}
WINDOW_KEYS = (BY_UNIT, *(window.key for window in WINDOWS))
AXES = ("auto", "linear", "log")
FIRST_DAY = date(2026, 1, 1)  # written out, not today: an address shows the same to everybody


@dataclass(frozen=True)
class Question:
    """What the page asks.

    Parameters
    ----------
    plan, dated : Plan
        As typed, and with its releases without a date on the schedule that is asked for.
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
        return whose(self.dated.unit_in_words)


@shell.guarded
def _follow() -> None:
    """Let the last day follow the first one, a year later; a callback."""
    page_state.put({"until": _year_later(page_state.held("from") or FIRST_DAY)})


def _year_later(start: date) -> date:
    later = start.replace(year=start.year + 1, day=min(start.day, 28) if start.month == 2 else start.day)
    return min(later - timedelta(days=1), LATEST)


def question(plan: Plan) -> Question:
    """Draw what is asked about time, at the place where this is called; return what is asked."""
    period = unit_window(plan.unit_in_words)
    own = period.key if period else ""
    undated = any(each.start is None and each.count for each in plan.releases)
    with st.container(horizontal=True, vertical_alignment="bottom", key="time_asked"):
        cadence, start, end = _repeated(undated)
        on_dates = _dated(plan, cadence, start, end)
        window, scale = BY_UNIT, AXES[0]
        if any(each.start and each.count for each in on_dates.releases) and not reading.people():
            about = "Beside the steps stands what the releases of one such period reveal alone."
            window = inputs.choice("Also shown: one period", "window", WINDOW_KEYS, about, width=200) or BY_UNIT
            scale = inputs.switch("Axis", "taxis", AXES)
    if window == BY_UNIT:
        window = own or "month"
    return Question(plan, on_dates, cadence, start, end, own, window, scale)


def _repeated(undated: bool) -> tuple[str | None, date, date]:
    """How what has no date is repeated, and from when until when; asked only where something has none."""
    if not undated:
        return None, FIRST_DAY, _year_later(FIRST_DAY)
    about = "Releases without a start date, repeated on this schedule. Nothing is repeated until you ask for it."
    every = inputs.choice("Releases without a date", "every", REPEATS, about, width=190)
    return (None, FIRST_DAY, _year_later(FIRST_DAY)) if every == NOT else (every, *_ends())


def _ends() -> tuple[date, date]:
    common = {"min_value": EARLIEST, "max_value": LATEST, "bind": "query-params", "width": 150}
    start = st.date_input("From", FIRST_DAY, key="from", on_change=_follow, **common) or FIRST_DAY
    end = st.date_input("Until", _year_later(start), key="until", **common) or _year_later(start)
    if end < start:
        st.error(f"Until must not lie before {day_text(start)}, as {day_text(end)} does. A year is shown.")
        end = _year_later(start)
    return start, end


def _dated(plan: Plan, cadence: str | None, start: date, end: date) -> Plan:
    if cadence is None:
        return plan
    try:
        return dated(plan, start, cadence, end)
    except ValueError as error:
        st.error(refusals.drawn(error))
        return plan
