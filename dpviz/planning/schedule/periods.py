"""What one period of the calendar reveals, and what one unit of privacy loses that names a period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.parameters import Parameter
from dpviz.plan import Plan, Release
from dpviz.plan.cadence import Cadence, cadence_named, dates, days_of_months, recurs, touched
from dpviz.plan.plan import count_table
from dpviz.plan.windows import Window, unit_window, window_named
from dpviz.planning.schedule.calendar import at_once, release_dates, uses_by, uses_until
from dpviz.planning.schedule.spending import forecast
from dpviz.planning.schedule.totals import counts_by, many_totals, portion, whole_total

if TYPE_CHECKING:
    import pandas

MOST_WINDOWS = 4000  # about ten years of days
LONGEST_MONTH = 31
DAY = np.timedelta64(1, "D")
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
    Assumed: a release reads the data of its own step only, and of one period where steps are whole parts of it, as days
    are of weeks and months of years, on whatever day it is published. What comes less often than once a period, as a
    weekly release for one user-day, reads several of them, and so counts in every one: as all of its steps that a
    period may touch. Shorter steps that are no whole part of a period, as weeks of a month, count in each into which
    they may reach, from their date on or until it: six weeks touch some months. A period of several days or months may
    begin with any of them (a year with any month). Releases without a date count in every period. Neighbour relation:
    the plan's.

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
    first, last = _periods(days, kind)
    if len(first) < 2:
        return None
    plan.check_sensitivities()
    dated = uses_by(plan, last) - uses_by(plan, first - DAY)
    order = np.argsort(-dated, kind="stable")  # of periods that lose the same, the one with most dates
    first, last = first[order], last[order]
    mechanisms, rows, place = _dearest_rows(plan, kind, first, last)
    totals = many_totals(plan, mechanisms, rows[:, None, :])
    dearest = int(place[np.argmax(totals)])
    one = first[[dearest]], last[[dearest]]
    cut = replace(plan, releases=tuple(at_once(each, int(_met(each, kind, *one)[0])) for each in plan.releases))
    dominant, (start,), (end,) = len(rows) == 1, *(each.tolist() for each in one)
    return UnitCost(kind.key, start, end, whole_total(cut) if dominant else float(totals.max()), cut, dominant)


def _periods(days: np.ndarray, kind: Window) -> tuple[np.ndarray, np.ndarray]:
    """First and last day of every period from the first of these days to the last; of one, where all lie in it."""
    short = replace(kind, length=1, origin=0)  # a period may begin with any of the days, or months, that make it up
    low, high = short.number(days[[0, -1]]).tolist()
    begins = np.arange(low, max(low, high - kind.length + 1) + 1)
    return short.first_day(begins), short.first_day(begins + kind.length) - DAY


def _met(release: Release, kind: Window, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """How often one unit meets a release in each period, at most; shape of `first`.

    What comes less often than once a period counts in each, as often as any touches it. Where shorter steps may lie
    across the end of a period, those are counted that may reach into it, before their date or after it.
    """
    if release.start is None:
        return np.full(first.shape, release.count)
    most = _steps_touched(cadence_named(release.cadence or "once"), release.start, kind)
    if most is None:
        return uses_until(release, last) - uses_until(release, first - DAY)
    step = cadence_named(release.cadence)
    most = release.count * min(most, release.occurrences)
    if _longer(step, kind):
        return np.full(first.shape, most)
    # What is published on the day after its step ends reads nothing of its own day.
    reach = np.timedelta64(days_of_months(step.months)[1] if step.months else step.days, "D")
    return np.minimum(uses_until(release, last + reach) - uses_until(release, first - reach), most)


def _longer(step: Cadence, kind: Window) -> bool:
    """Whether a step may be longer than a period."""
    if kind.unit == "D":
        return (LONGEST_MONTH * step.months or step.days) > kind.length
    return step.months > kind.length


def _steps_touched(step: Cadence, start: date, kind: Window) -> int | None:
    """How many steps of a rhythm a period touches, at most; None where a step lies within one period.

    Steps that begin with a month, or end with one as those of a 31st do, part where months do; others within them.
    """
    if not step.days or step.days == 1:
        return None
    days = days_of_months(kind.length)[1] if kind.unit == "M" else kind.length
    if not step.months:
        return touched(days, step.days) if kind.unit == "M" or days % step.days else None
    if kind.unit == "D":  # whole steps, between two of which it has a day
        inner = next(n for n in range(days + 1) if 2 + days_of_months((n + 1) * step.months)[0] > days)
        return min(days, inner + 2)
    whole = start.day in (1, LONGEST_MONTH)
    return 1 + -(-(kind.length - whole) // step.months) if kind.length % step.months else None


def _dearest_rows(
    plan: Plan, kind: Window, first: np.ndarray, last: np.ndarray
) -> tuple[tuple[Mechanism, ...], np.ndarray, np.ndarray]:
    """The different counts that parts meet within periods, and a period of each; only the one that exceeds all others.

    Where none does, all are left.
    """
    size, mechanisms = portion(plan), tuple(dict.fromkeys(each.mechanism for each in plan.releases))
    rows, place = np.empty((0, len(mechanisms)), dtype=np.int64), np.empty(0, dtype=np.int64)
    for begin in range(0, len(first), size):
        some = slice(begin, begin + size)
        met = [_met(each, kind, first[some], last[some]) for each in plan.releases]
        counts = count_table(plan.releases, met, (len(met[0]),))[1]
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
    dated = [each for each in plan.releases if kind is not None and each.start is not None and recurs(each.cadence)]
    steps = [(cadence_named(each.cadence), each.start) for each in dated]
    weeks = [
        step.days // 7 for step, start in steps
        if not (step.months or _longer(step, kind)) and _steps_touched(step, start, kind)
    ]  # fmt: skip
    if not weeks:
        return ""
    step = "a week" if 1 in weeks else "two weeks"
    return f"; {step} that two {kind.key}s share count{'s' if 1 in weeks else ''} in both"


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
    days = dates(release.start, release.cadence, release.end)
    return int(_met(release, kind, *_periods(days, kind)).max())
