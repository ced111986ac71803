"""What one period of the calendar reveals, and what one unit of privacy loses that names a period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.parameters import Parameter
from dpviz.plan import Plan, Release
from dpviz.plan.cadence import Cadence, cadence_named, dates, longest, recurs, touched
from dpviz.plan.windows import Window, unit_window, window_named
from dpviz.planning.schedule.calendar import release_dates, uses_by, within
from dpviz.planning.schedule.spending import forecast
from dpviz.planning.schedule.totals import counts_by, many_totals, portion, whole_total

if TYPE_CHECKING:
    import pandas

MOST_WINDOWS = 4000  # about ten years of days
_WINDOWS = Parameter("windows", "n", "calendar windows", 0, MOST_WINDOWS, integer=True)


def windows(plan: Plan, window: str) -> pandas.DataFrame:
    """Compute what each calendar window reveals, if one looks at its releases alone.

    Parameters
    ----------
    plan : Plan
    window : str
        A key of ``dpviz.plan.windows.WINDOWS``, or another period such as "2-week period".

    Returns
    -------
    pandas.DataFrame
        One row per window from the first release to the last, empty ones among them: start, end (its last day; both
        missing where nothing has a date), uses (releases without a date are in the first), epsilon (at the plan's whole
        δ per window; inf where no theorem applies).

    Raises
    ------
    ValueError
        When there would be more than 4,000 windows, or there is no such window.

    Notes
    -----
    A budget that is refreshed each window bounds these. It does not bound what all windows together reveal about
    somebody whose data are in all of them: that is the total of `forecast`. Many windows of more than 30 different
    mechanisms are answered by closed formulas.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(1, 0))
    >>> frame = windows(dated(plan, "2026-01-01", "monthly", "2026-12-31"), "quarter")
    >>> frame.uses.tolist(), frame.epsilon.tolist()
    ([3, 3, 3, 3], [0.3, 0.3, 0.3, 0.3])
    """
    import pandas

    kind, days = window_named(window), release_dates(plan)
    if not days.size:
        frame = forecast(plan)
        return frame.rename(columns={"date": "start", "until": "end"})
    low, high = kind.number(days[[0, -1]]).tolist()
    numbers = low + np.arange(_WINDOWS.check(high - low + 1))
    start, end = kind.first_day(numbers), kind.first_day(numbers + 1) - np.timedelta64(1, "D")
    mechanisms, counts = counts_by(plan, end)
    counts = np.diff(counts, axis=0, prepend=np.zeros_like(counts[:1]))
    uses, epsilon = np.diff(uses_by(plan, end), prepend=0), many_totals(plan, mechanisms, counts)
    return pandas.DataFrame({"start": start, "end": end, "uses": uses, "epsilon": epsilon})


@dataclass(frozen=True, slots=True)
class UnitCost:
    """What one unit of privacy loses where it names a period and the schedule lasts longer.

    Parameters
    ----------
    window : str
        The period, a key as `dpviz.plan.windows.window_named` knows it.
    start, end : date
        The dearest period, both days included.
    epsilon : float
        At the budget's δ, an upper bound for every period; inf where no theorem applies.
    plan : Plan
        What falls into the dearest period, row by row as in the whole plan, without dates.
    dominant : bool
        Whether that period meets at least as much of everything as any other, so that its plan stands for all of them
        at every δ and under every theorem.
    """

    window: str
    start: date
    end: date
    epsilon: float
    plan: Plan
    dominant: bool


@lru_cache(8)  # a report and several checks ask for the same plan
def unit_cost(plan: Plan) -> UnitCost | None:
    """Compute what one unit of privacy loses, such as one user-day, where the schedule goes beyond its period.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    UnitCost or None
        None where the unit names no period, nothing has a date, or the whole schedule lies within one period: then the
        plan's total is what one unit loses.

    Notes
    -----
    Assumed: a release reads the data of its own step only, and of its own period where one begins with the other. What
    comes less often than once a period, as a weekly release for one user-day, reads several of them, and so counts in
    every one: as all of its steps that a period may touch. So does what comes more often where its steps lie across the
    end of a period, as weeks do of months: six of them touch some months. A period of several days or months may begin
    with any of them (a year with any month), so that no way to lay a calendar over the schedule makes a unit lose more.
    Releases without a date count in every period. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz import compose, Guarantee, Laplace
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1), 2)], Guarantee(1, 0), unit="user-day")
    >>> year = dated(plan, "2026-01-01", "daily", "2026-12-31")
    >>> round(compose(year, 0).epsilon, 9), unit_cost(year).epsilon, unit_cost(year).window
    (73.0, 0.2, 'day')
    """
    kind, days = unit_window(plan.unit_in_words), release_dates(plan)
    if kind is None or not days.size:
        return None
    short = replace(kind, length=1, origin=0)  # a period may begin with any of the days, or months, that make it up
    low, high = short.number(days[[0, -1]]).tolist()
    if high - low < kind.length:
        return None
    begins = np.arange(low, high - kind.length + 2)
    first, after = short.first_day(begins), short.first_day(begins + kind.length)
    dated = uses_by(plan, after - np.timedelta64(1, "D")) - uses_by(plan, first - np.timedelta64(1, "D"))
    order = np.argsort(-dated, kind="stable")  # of periods that lose the same, the one with most dates
    first, after = first[order], after[order]
    plan = replace(plan, releases=tuple(_everywhere(each, kind) for each in plan.releases))
    mechanisms, rows, place = _dearest_rows(plan, first, after - np.timedelta64(1, "D"))
    totals = many_totals(plan, mechanisms, rows[:, None, :])
    dearest = int(place[np.argmax(totals)])
    start, end = first[dearest].item(), after[dearest].item() - timedelta(days=1)
    cut = within(plan, start, end)
    dominant = len(rows) == 1
    return UnitCost(kind.key, start, end, whole_total(cut) if dominant else float(totals.max()), cut, dominant)


def _everywhere(release: Release, kind: Window) -> Release:
    """A release that comes less often than once a period without its dates, as often as a period meets it at most."""
    if release.start is None or not recurs(release.cadence):
        return release
    touched = _steps_touched(cadence_named(release.cadence), release.start, kind)
    if touched is None:
        return release
    count = release.count * min(touched, release.occurrences)
    return replace(release, count=count, start=None, cadence=None, end=None, done=release.done_uses > 0)


def _steps_touched(step: Cadence, start: date, kind: Window) -> int | None:
    """How many steps of a rhythm a period touches, at most; None where a step lies within one period.

    Steps that begin with a month, or end with one as those of a 31st do, part where months do; others within them.
    """
    if kind.unit == "D":
        whole = not step.months and kind.length % step.days == 0
        return None if whole else touched(kind.length, step.days)
    if not step.months:
        return None if step.days == 1 else touched(longest(kind.length), step.days)
    whole = start.day in (1, longest(1))
    return 1 + -(-(kind.length - whole) // step.months) if step.months > kind.length else None


def _dearest_rows(
    plan: Plan, first: np.ndarray, last: np.ndarray
) -> tuple[tuple[Mechanism, ...], np.ndarray, np.ndarray]:
    """The different counts that parts meet within periods, and a period of each; only the one that exceeds all others.

    Where none does, all are left.
    """
    size = portion(plan)
    mechanisms, undated = counts_by(plan, np.array([np.datetime64(date.min, "D")]) - np.timedelta64(1, "D"))
    rows, place = np.empty((0, len(mechanisms)), dtype=np.int64), np.empty(0, dtype=np.int64)
    for begin in range(0, len(first), size):
        some = slice(begin, begin + size)
        counts = counts_by(plan, last[some])[1] - counts_by(plan, first[some] - np.timedelta64(1, "D"))[1] + undated
        rows = np.concatenate([rows, counts.reshape(-1, len(mechanisms))])
        place = np.append(place, np.repeat(np.arange(begin, begin + len(counts)), counts.shape[1]))
        rows, index = np.unique(rows, axis=0, return_index=True)
        place = place[index]
    above = (rows == rows.max(axis=0)).all(axis=1)
    return (mechanisms, rows[above], place[above]) if above.any() else (mechanisms, rows, place)


def of_one_unit(plan: Plan) -> Plan:
    """Return what one unit meets of a schedule that lasts longer than it; the plan itself where that is all of it.

    Where no period meets at least as much of everything as all others, the whole schedule stands for the dearest one:
    which one that is differs between theorems, and between δ and 0.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], unit="user-month")
    >>> of_one_unit(dated(plan, "2026-01-01", "daily", "2026-12-31")).releases[0].uses
    31
    """
    cost = unit_cost(plan)
    return cost.plan if cost is not None and cost.dominant else plan


def own_period(window: str, shared: str = "") -> str:
    """Return what is assumed of a schedule that lasts longer than its unit, in words.

    Parameters
    ----------
    window : str
        The period of the unit.
    shared : str
        That weeks count in two periods, as `shared_weeks` says it.

    Examples
    --------
    >>> own_period("day")
    'The releases of one day read the data of that day only; what comes less often is counted in every day.'
    """
    only = f"The releases of one {window} read the data of that {window} only"
    return f"{only}; what comes less often is counted in every {window}{shared}."


def shared_weeks(plan: Plan) -> str:
    """Return that weeks which two periods of a plan's unit share count in both; "" where there are none.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> weekly = Release("Count", Laplace(1, 1), start="2026-01-01", cadence="weekly", end="2026-12-31")
    >>> shared_weeks(Plan([weekly], unit="user-month")), shared_weeks(Plan([weekly], unit="user-week"))
    ('; a week that two months share counts in both', '')
    """
    kind = unit_window(plan.unit_in_words)
    steps = [cadence_named(each.cadence) for each in plan.releases if each.start is not None and recurs(each.cadence)]
    weeks = [step.days // 7 for step in steps if kind is not None and _parted(step, kind)]
    if not weeks:
        return ""
    step = "a week" if 1 in weeks else "two weeks"
    return f"; {step} that two {kind.key}s share count{'s' if 1 in weeks else ''} in both"


def _parted(step: Cadence, kind: Window) -> bool:
    """Whether steps of days, shorter than a period, may lie across its end."""
    if step.months or step.days == 1:
        return False
    return kind.unit == "M" or (kind.length >= step.days and kind.length % step.days > 0)


def most_uses(release: Release, unit: str) -> int:
    """Return how often one unit of privacy meets a release, at most; all of its uses where the unit names no period.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> weekly = Release("Count", Laplace(1, 1), 2, start="2026-01-01", cadence="weekly", end="2026-12-31")
    >>> most_uses(weekly, "user-month"), most_uses(weekly, "person")
    (12, 106)
    """
    kind = unit_window(unit)
    if kind is None or release.start is None:
        return release.uses
    short = replace(kind, length=1, origin=0)  # as in `unit_cost`: a period may begin with any of them
    spread = _everywhere(release, kind)
    if spread.start is None:
        return spread.uses
    numbers = short.number(dates(release.start, release.cadence, release.end))
    met = np.searchsorted(numbers, numbers + kind.length) - np.arange(len(numbers))
    return release.count * int(met.max())
