"""Releases over time: what is spent by which date, when the budget is exhausted, and what one calendar window reveals.

A prefix of a plan that is fixed in advance is itself fixed in advance, so every date is answered by the tightest
theorem; a plan that chooses along the way gets only what may be quoted for it. Releases without a date are spent before
everything: that is the safe side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpviz import effort
from dpviz.composition import compose, refusal, theorem_named
from dpviz.composition.compose import kinds, smallest_totals
from dpviz.effort import MOST_QUOTED, PLOTTED
from dpviz.filters import plan_verdicts
from dpviz.mechanisms import Mechanism
from dpviz.parameters import EPSILON, Parameter
from dpviz.plan import Day, Plan, Release, Workload
from dpviz.plan.cadence import cadence_named, checked_day, dates, recurs
from dpviz.plan.plan import LARGEST_WORKLOAD, count_table
from dpviz.plan.windows import unit_window, window_named
from dpviz.search import first_between, singly

if TYPE_CHECKING:
    import pandas

POINTS = 400  # dates of a forecast: a year of days
MOST_WINDOWS = 4000  # about ten years of days
_SECTIONS = 40  # dates tried at once
_SURELY = 1 + 10 * PLOTTED  # times the budget: beyond, full accuracy would not bring a total back within it
_NEVER = np.datetime64("NaT", "D")
_POINTS = Parameter("points", "n", "dates of a forecast", 4, 10_000, integer=True)
_WINDOWS = Parameter("windows", "n", "calendar windows", 0, MOST_WINDOWS, integer=True)


def dated(plan: Plan, start: Day, cadence: str | None, end: Day | None) -> Plan:
    """Return the plan with its releases without a date on this schedule; the others stay.

    Parameters
    ----------
    plan : Plan
    start : date
        Of the first repetition.
    cadence : str or None
        A key of ``dpviz.plan.cadence.CADENCES``.
    end : date or None
        Last possible day; ignored where the cadence does not recur.

    Raises
    ------
    ValueError
        When the dates do not fit together, or a release would be used more than 10^9 times.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Visitors", Laplace.from_epsilon(0.1))])
    >>> dated(plan, date(2026, 1, 1), "monthly", date(2026, 12, 31)).releases[0].uses
    12
    """
    new = {"start": start, "cadence": cadence, "end": end if recurs(cadence) else None}
    releases = [each if each.start else replace(each, **new) for each in plan.releases]
    return replace(plan, releases=tuple(releases))


def until(plan: Plan, day: Day) -> Plan:
    """Return what of the plan is released up to and including a day; releases without a date among it.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1))]), date(2026, 1, 1), "daily", date(2026, 12, 31))
    >>> until(plan, date(2026, 1, 31)).releases[0].uses
    31
    """
    day = checked_day(day)
    kept = [each for each in plan.releases if each.start is None or each.start <= day]
    cut = [replace(each, end=min(each.end, day)) if recurs(each.cadence) else each for each in kept]
    return replace(plan, releases=tuple(cut))


def release_dates(plan: Plan) -> np.ndarray:
    """Return the days on which something is released, in order; shape (days,), datetime64[D].

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> release_dates(Plan([Release("Count", Laplace(1, 1), start=date(2026, 1, 31))])).astype(str).tolist()
    ['2026-01-31']
    """
    used = {(each.start, each.cadence, each.end) for each in plan.releases if each.start and each.count}
    if not used:
        return np.empty(0, "datetime64[D]")
    first = np.datetime64(min(start for start, _, _ in used), "D")
    last = np.datetime64(max(end or start for start, _, end in used), "D")
    released = np.zeros(int((last - first).astype(int)) + 1, dtype=bool)
    for schedule in used:
        released[(dates(*schedule) - first).astype(np.int64)] = True
    return first + np.flatnonzero(released)


def uses_until(release: Release, days: np.ndarray) -> np.ndarray:
    """Return how often a release is used up to and including each day; shape of `days`.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> weekly = Release("Count", Laplace(1, 1), 2, start=date(2026, 1, 1), cadence="weekly", end=date(2026, 1, 31))
    >>> uses_until(weekly, np.array(["2025-12-31", "2026-01-08", "2027-01-01"], "datetime64[D]")).tolist()
    [0, 4, 10]
    """
    if release.start is None:
        return np.full(days.shape, release.count)
    start = np.datetime64(release.start, "D")
    if not recurs(release.cadence):
        return release.count * (days >= start)
    step = cadence_named(release.cadence)
    if step.months:
        return release.count * np.searchsorted(dates(release.start, release.cadence, release.end), days, side="right")
    last = np.minimum(days, np.datetime64(release.end, "D"))
    return release.count * np.maximum((last - start).astype(np.int64) // step.days + 1, 0)


def _counts(plan: Plan, days: np.ndarray) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """The distinct mechanisms, and how often each part of the data has met them by each day: (days, parts, them)."""
    plan.check_sensitivities()
    return count_table(plan.releases, (uses_until(each, days) for each in plan.releases), (len(days),))


def _totals(plan: Plan, mechanisms: tuple[Mechanism, ...], counts: np.ndarray, accuracy: float | None) -> np.ndarray:
    """The smallest proved total at each point, of the part that costs most; None for closed formulas only."""
    points, parts, _ = counts.shape
    if not mechanisms or not points:
        return np.zeros(points)
    if plan.budget.delta >= 1:  # a bound that may fail with probability 1 promises nothing
        return np.where(counts.any(axis=(1, 2)), np.inf, 0.0)
    rows, place = np.unique(counts.reshape(points * parts, -1), axis=0, return_inverse=True)
    return _distinct_totals(plan, mechanisms, rows, accuracy)[place].reshape(points, parts).max(axis=1)


def _distinct_totals(
    plan: Plan, mechanisms: tuple[Mechanism, ...], rows: np.ndarray, accuracy: float | None
) -> np.ndarray:
    """The total of each row; what no theorem bounds spoils only the rows that use it, not the dates before."""
    delta, basic = plan.budget.delta, theorem_named("basic")
    one = np.ones((1, 1), dtype=np.int64)
    refused = np.array([bool(refusal(basic, Workload((each,), one, plan.adaptive), delta)) for each in mechanisms])
    spoilt = rows[:, refused].any(axis=1)
    kept = rows.any(axis=0) & ~refused
    epsilon = np.full(len(rows), np.inf)
    used = tuple(each for each, keep in zip(mechanisms, kept, strict=True) if keep)
    workload = Workload(used, rows[~spoilt][:, kept], plan.adaptive)
    epsilon[~spoilt] = smallest_totals(workload, delta, accuracy)
    return epsilon


def _kinds(plan: Plan) -> int:
    return kinds(each.mechanism for each in plan.releases if each.count)


def _affordable(plan: Plan) -> int:
    """How many dates at once the numerical theorem answers while somebody waits."""
    return effort.points(_kinds(plan), len(set(_columns(plan)[0])))


def _whole(plan: Plan) -> float:
    """The plan's total, as it is quoted."""
    delta = plan.budget.delta
    if delta >= 1:
        return math.inf if any(each.uses for each in plan.releases) else 0.0
    return compose(plan, delta).epsilon


def _totals_by(plan: Plan, days: np.ndarray, accuracy: float | None) -> np.ndarray:
    """The total by each day; a plan of many parts in portions, so that it does not exhaust the memory."""
    parts, different = (len(set(column)) for column in _columns(plan))
    portion = max(1, LARGEST_WORKLOAD // max(1, parts * different))
    totals = [
        _totals(plan, *_counts(plan, days[place : place + portion]), accuracy) for place in range(0, len(days), portion)
    ]
    return np.concatenate([*totals, np.empty(0)])


def _steps(plan: Plan, last: np.ndarray, whole: float) -> tuple[np.ndarray, np.ndarray]:
    """The total by the last day of each row, and of which rows the numerical theorem computed it.

    Where it cannot compute all, it does some, evenly: closed formulas, and what is proved for a later date, bound the
    others.
    """
    tight, some = np.ones(len(last), dtype=bool), _affordable(plan)
    epsilon = np.full(len(last), np.inf)
    if some < len(last):
        epsilon, tight[:] = _totals_by(plan, last, None), False
        tight[np.linspace(0, len(last) - 1, some + 2).round().astype(np.int64)[1:]] = True
    tight[-1] = False
    if tight.any():
        epsilon[tight] = np.minimum(epsilon[tight], _totals_by(plan, last[tight], PLOTTED))
    epsilon[-1], tight[-1] = whole, True
    return _monotone(epsilon), tight


def _uses_by(plan: Plan, days: np.ndarray) -> np.ndarray:
    return sum((uses_until(each, days) for each in plan.releases), start=np.zeros(len(days), dtype=np.int64))


def _columns(plan: Plan) -> tuple[list, list]:
    return [each.part for each in plan.releases], [each.mechanism for each in plan.releases]


def forecast(plan: Plan, points: int = POINTS, total: float | None = None) -> pandas.DataFrame:
    """Compute what is spent by which date, at the plan's whole δ.

    Parameters
    ----------
    plan : Plan
    points : int
        Rows at most, in [4, 10000]; where there are more dates, consecutive ones share a row.
    total : float, optional
        The plan's total at its budget's δ, where it is proved already; None composes it.

    Returns
    -------
    pandas.DataFrame
        One row per step: date (from which on this much may be spent; missing where nothing has a date), until (last day
        that the row counts; later than date only where dates share a row, so that a step chart is never below the
        truth), uses (releases by then), epsilon (the smallest proved total, inf where there is none). The date on which
        the budget is exhausted always begins a row; the last row is the plan's total.

    Raises
    ------
    ValueError
        When `points` is not allowed.

    Notes
    -----
    Neighbour relation: the plan's. Parts read disjoint data and cost the most that one of them does. Totals are upper
    bounds, to a relative accuracy of 1e-4; where a later date proves less, that holds for the earlier too. The last row
    is the plan's total as it is quoted. Of a plan of more than 30 different mechanisms (Gaussian noises alone count as
    one), only some of the earlier rows are computed so, and of one of more than 120 none: for the others, the smallest
    of basic, Kairouz-Oh-Viswanath and zCDP is given, or what a later row proves. At δ = 1 every ε is inf: a bound that
    may fail with probability 1 promises nothing.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(0.25, 0))
    >>> forecast(dated(plan, date(2026, 1, 1), "monthly", date(2026, 3, 31))).epsilon.tolist()
    [0.1, 0.2, 0.3]
    """
    import pandas

    points, days = _POINTS.check(points), release_dates(plan)
    whole = _whole(plan) if total is None else EPSILON.check(total, "total")
    if not days.size:
        uses = sum(each.uses for each in plan.releases)
        return pandas.DataFrame({"date": [_NEVER], "until": [_NEVER], "uses": [uses], "epsilon": [whole]})
    firsts = _firsts(len(days), points)
    epsilon, tight = _steps(plan, _lasts(days, firsts), whole)
    over = _exhausted(plan, days, firsts, epsilon, tight)
    if over not in (None, *firsts):
        row = int(np.searchsorted(firsts, over))  # the row before is cut at this date, and costs less
        before = float(_totals_by(plan, days[[over - 1]], PLOTTED if _affordable(plan) else None)[0])
        firsts, epsilon = np.insert(firsts, row, over), _monotone(np.insert(epsilon, row - 1, before))
    within = firsts < (len(days) if over is None else over)  # each proved, where need be at full accuracy
    limit = plan.budget.epsilon
    epsilon = np.where(within, np.minimum(epsilon, limit), np.maximum(epsilon, np.nextafter(limit, np.inf)))
    last = _lasts(days, firsts)
    return pandas.DataFrame({"date": days[firsts], "until": last, "uses": _uses_by(plan, last), "epsilon": epsilon})


def _firsts(days: int, points: int) -> np.ndarray:
    """Which dates begin a row: the first, the second, the last, and others evenly."""
    if days <= points:
        return np.arange(days)
    return np.unique([*np.linspace(0, days - 1, points - 2).round().astype(np.int64), 1])


def _lasts(days: np.ndarray, firsts: np.ndarray) -> np.ndarray:
    """The last day of each row."""
    return days[np.append(firsts[1:], len(days)) - 1]


def _monotone(epsilon: np.ndarray) -> np.ndarray:
    """The bounds, each no more than a later one: what is proved for more holds for less."""
    return np.minimum.accumulate(epsilon[::-1])[::-1]


def exhaustion(plan: Plan) -> date | None:
    """Return the first date on which the total exceeds the budget.

    Returns
    -------
    date or None
        All that is released before it fits, by the theorem that proves most; None where the plan fits, or nothing in it
        has a date. Of a plan of more than 120 different mechanisms that does not fit, the date by closed formulas:
        perhaps too early, never too late. At δ = 1 the first date of all, unless ε is infinite.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(0.2, 0))
    >>> exhaustion(dated(plan, date(2026, 1, 1), "monthly", date(2026, 12, 31)))
    datetime.date(2026, 3, 1)
    """
    days = release_dates(plan)
    if not days.size:
        return None
    firsts, whole = _firsts(len(days), POINTS), _whole(plan)
    if whole <= plan.budget.epsilon:
        return None
    place = _exhausted(plan, days, firsts, *_steps(plan, _lasts(days, firsts), whole))
    return None if place is None else days[place].item()


def _exhausted(plan: Plan, days: np.ndarray, firsts: np.ndarray, epsilon: np.ndarray, tight: np.ndarray) -> int | None:
    """Which of the days is the first beyond the budget, given totals at the end of each row; None where all fits."""
    limit, ends = plan.budget.epsilon, np.append(firsts[1:], len(days)) - 1
    above = np.flatnonzero(epsilon > limit)
    if not above.size:
        return None
    row, some = int(above[0]), _affordable(plan)
    end = row + int(np.argmax(tight[row:]))
    low, high = int(firsts[row]), int(ends[end])
    if low == high and epsilon[row] > limit * _SURELY:
        return low
    accuracy = PLOTTED if some else None
    tried = min(_SECTIONS, max(1, some))
    place = first_between(lambda each: _totals_by(plan, days[each], accuracy) > limit, low - 1, high, tried)
    # What lies hardly above the limit is decided as it is quoted. What is before is proved to fit.
    while place < len(days) and _fits(plan, days[place]):
        place += 1
    return place if place < len(days) else None


def _fits(plan: Plan, day: np.datetime64) -> bool:
    """Whether all that is released by a day, which a rough bound puts above the budget, is within it after all."""
    limit, delta = plan.budget.epsilon, plan.budget.delta
    if _kinds(plan) > MOST_QUOTED or float(_totals_by(plan, np.array([day]), PLOTTED)[0]) > limit * _SURELY:
        return False
    return compose(until(plan, day.item()), delta).epsilon <= limit


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
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(1, 0))
    >>> frame = windows(dated(plan, date(2026, 1, 1), "monthly", date(2026, 12, 31)), "quarter")
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
    mechanisms, counts = _counts(plan, end)
    counts = np.diff(counts, axis=0, prepend=np.zeros_like(counts[:1]))
    uses, epsilon = np.diff(_uses_by(plan, end), prepend=0), _many_totals(plan, mechanisms, counts)
    return pandas.DataFrame({"start": start, "end": end, "uses": uses, "epsilon": epsilon})


def _many_totals(plan: Plan, mechanisms: tuple[Mechanism, ...], counts: np.ndarray) -> np.ndarray:
    """The total at each point, as accurate as their number admits while somebody waits."""
    different = len(np.unique(counts, axis=0))
    accuracy = effort.at_once(different, _kinds(plan), len(set(_columns(plan)[0])))
    return _totals(plan, mechanisms, counts, accuracy)


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
    Assumed: a release reads the data of its own period only. A period of several days or months may begin with any of
    them (a year with any month), so that no way to lay a calendar over the schedule makes a unit lose more. Releases
    without a date count in every period. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1), 2)], Guarantee(1, 0), unit="user-day")
    >>> year = dated(plan, date(2026, 1, 1), "daily", date(2026, 12, 31))
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
    mechanisms, rows, place = _dearest_rows(plan, first, after - np.timedelta64(1, "D"))
    totals = _many_totals(plan, mechanisms, rows[:, None, :])
    dearest = int(place[np.argmax(totals)])
    start, end = first[dearest].item(), after[dearest].item() - timedelta(days=1)
    cut = within(plan, start, end)
    return UnitCost(kind.key, start, end, _whole(cut) if len(rows) == 1 else float(totals.max()), cut, len(rows) == 1)


def most_uses(release: Release, unit: str) -> int:
    """Return how often one unit of privacy meets a release, at most; all of its uses where the unit names no period.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> weekly = Release("Count", Laplace(1, 1), 2, start="2026-01-01", cadence="weekly", end="2026-12-31")
    >>> most_uses(weekly, "user-month"), most_uses(weekly, "person")
    (10, 106)
    """
    kind = unit_window(unit)
    if kind is None or release.start is None:
        return release.uses
    short = replace(kind, length=1, origin=0)  # as in `unit_cost`: a period may begin with any of them
    numbers = short.number(dates(release.start, release.cadence, release.end))
    met = np.searchsorted(numbers, numbers + kind.length) - np.arange(len(numbers))
    return release.count * int(met.max())


def within(plan: Plan, start: Day, end: Day) -> Plan:
    """Return what of the plan falls into a period, both days included, as uses without dates; no row is left out.

    Releases without a date are in every period. A release of which anything is done is done.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1))]), date(2026, 1, 1), "daily", date(2026, 12, 31))
    >>> within(plan, "2026-02-01", "2026-02-28").releases[0].uses
    28
    """
    start, end = checked_day(start, "start"), checked_day(end, "end")
    ends = np.array([np.datetime64(start, "D") - np.timedelta64(1, "D"), np.datetime64(end, "D")])
    kept = []
    for each in plan.releases:
        before, until_then = uses_until(each, ends).tolist()
        uses = until_then if each.start is None else until_then - before
        kept.append(replace(each, count=uses, start=None, cadence=None, end=None, done=each.done_uses > 0))
    return replace(plan, releases=tuple(kept))


def _dearest_rows(
    plan: Plan, first: np.ndarray, last: np.ndarray
) -> tuple[tuple[Mechanism, ...], np.ndarray, np.ndarray]:
    """The different counts that parts meet within periods, and a period of each; only the one that exceeds all others.

    Where none does, all are left.
    """
    parts, different = (len(set(column)) for column in _columns(plan))
    portion = max(1, LARGEST_WORKLOAD // max(1, parts * different))
    mechanisms, undated = _counts(plan, np.array([np.datetime64(date.min, "D")]) - np.timedelta64(1, "D"))
    rows, place = np.empty((0, len(mechanisms)), dtype=np.int64), np.empty(0, dtype=np.int64)
    for begin in range(0, len(first), portion):
        some = slice(begin, begin + portion)
        counts = _counts(plan, last[some])[1] - _counts(plan, first[some] - np.timedelta64(1, "D"))[1] + undated
        rows = np.concatenate([rows, counts.reshape(-1, len(mechanisms))])
        place = np.append(place, np.repeat(np.arange(begin, begin + len(counts)), counts.shape[1]))
        rows, index = np.unique(rows, axis=0, return_index=True)
        place = place[index]
    above = (rows == rows.max(axis=0)).all(axis=1)
    return (mechanisms, rows[above], place[above]) if above.any() else (mechanisms, rows, place)


def done_part(plan: Plan) -> Plan:
    """Return what of the plan is done: every release, cut off after the last day that is published.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1), done="2026-01-31")]), "2026-01-01", "daily", "2026-12-31")
    >>> done_part(plan).releases[0].uses
    31
    """
    cut = []
    for each in plan.releases:
        if not each.done_uses:
            cut.append(replace(each, count=0))
        elif isinstance(each.done, bool) or not recurs(each.cadence):
            cut.append(each)
        else:
            cut.append(replace(each, end=min(each.end, each.done)))
    return replace(plan, releases=tuple(cut))


def refusals(plan: Plan) -> pandas.DataFrame:
    """Compute on which date a filter with the plan's budget, fixed before the first release, refuses something.

    Returns
    -------
    pandas.DataFrame
        One row per rule: rule, label, date (missing where all is admitted, or nothing has a date), source. Every
        release may be chosen from all earlier answers.

    Notes
    -----
    Parts are ignored: every release counts as one that reads all the data. Each rule keeps for Σδ_i what the releases
    up to the date need. At δ = 1 everything is refused: such a budget promises nothing.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), Def. 3.4; Whitehouse, Ramdas, Rogers & Wu (2023), Thm 1 and 2.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.01))], Guarantee(1, 1e-6), adaptive=True)
    >>> refusals(dated(plan, date(2026, 1, 1), "daily", date(2026, 12, 31))).date.astype(str).tolist()[:3]
    ['2026-04-11', '2026-05-28', '2026-12-16']
    """
    import pandas

    days, seen, promised = release_dates(plan), {}, plan.budget.delta < 1

    def whole(place: int, rule: int) -> bool:
        if place not in seen:
            seen[place] = plan_verdicts(until(plan, days[place].item())).whole.to_numpy()
        return bool(seen[place][rule])

    frame = plan_verdicts(plan)
    found = np.full(len(frame), _NEVER)
    for rule in range(len(frame) if days.size else 0):
        if not promised:
            found[rule] = days[0]
        elif not frame.whole.iloc[rule]:
            refused = singly(lambda place: not whole(place, rule))  # noqa: B023
            found[rule] = days[first_between(refused, -1, len(days) - 1, sections=1)]
    return pandas.DataFrame({"rule": frame.rule, "label": frame.label, "date": found, "source": frame.source})
