"""What is spent by which date, and when the budget is exhausted."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition import compose
from dpviz.composition.compose import about
from dpviz.effort import MOST_QUOTED, PLOTTED
from dpviz.parameters import EPSILON, Parameter
from dpviz.plan import Plan
from dpviz.planning.schedule.calendar import release_dates, until, uses_by
from dpviz.planning.schedule.totals import affordable, different_kinds, totals_by, whole_total
from dpviz.search import first_between

if TYPE_CHECKING:
    import pandas

POINTS = 400  # dates of a forecast: a year of days
_SECTIONS = 40  # dates tried at once
_SURELY = 1 + 10 * PLOTTED  # times the budget: beyond, full accuracy would not bring a total back within it
_NEVER = np.datetime64("NaT", "D")
_POINTS = Parameter("points", "n", "dates of a forecast", 4, 10_000, integer=True)


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
    >>> from dpviz import Guarantee, Laplace, Release
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(0.25, 0))
    >>> forecast(dated(plan, "2026-01-01", "monthly", "2026-03-31")).epsilon.tolist()
    [0.1, 0.2, 0.3]
    """
    import pandas

    points, days = _POINTS.check(points), release_dates(plan)
    whole = whole_total(plan) if total is None else EPSILON.check(total, "total")
    if not days.size:
        uses = sum(each.uses for each in plan.releases)
        frame = pandas.DataFrame({"date": [_NEVER], "until": [_NEVER], "uses": [uses], "epsilon": [whole]})
        return about(frame, plan, plan.budget.delta)
    firsts = _firsts(len(days), points)
    epsilon, tight = _steps(plan, _lasts(days, firsts), whole)
    over = _exhausted(plan, days, firsts, epsilon, tight)
    if over not in (None, *firsts):
        row = int(np.searchsorted(firsts, over))  # the row before is cut at this date, and costs less
        before = float(totals_by(plan, days[[over - 1]], PLOTTED if affordable(plan) else None)[0])
        firsts, epsilon = np.insert(firsts, row, over), _monotone(np.insert(epsilon, row - 1, before))
    within = firsts < (len(days) if over is None else over)  # each proved, where need be at full accuracy
    limit = plan.budget.epsilon
    epsilon = np.where(within, np.minimum(epsilon, limit), np.maximum(epsilon, np.nextafter(limit, np.inf)))
    last = _lasts(days, firsts)
    columns = {"date": days[firsts], "until": last, "uses": uses_by(plan, last), "epsilon": epsilon}
    return about(pandas.DataFrame(columns), plan, plan.budget.delta)


def _steps(plan: Plan, last: np.ndarray, whole: float) -> tuple[np.ndarray, np.ndarray]:
    """The total by the last day of each row, and of which rows the numerical theorem computed it.

    Where it cannot compute all, it does some, evenly: closed formulas, and what is proved for a later date, bound the
    others.
    """
    tight, some = np.ones(len(last), dtype=bool), affordable(plan)
    epsilon = np.full(len(last), np.inf)
    if some < len(last):
        epsilon, tight[:] = totals_by(plan, last, None), False
        tight[np.linspace(0, len(last) - 1, some + 2).round().astype(np.int64)[1:]] = True
    tight[-1] = False
    if tight.any():
        epsilon[tight] = np.minimum(epsilon[tight], totals_by(plan, last[tight], PLOTTED))
    epsilon[-1], tight[-1] = whole, True
    return _monotone(epsilon), tight


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
    >>> from dpviz import Guarantee, Laplace, Release
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(0.2, 0))
    >>> exhaustion(dated(plan, "2026-01-01", "monthly", "2026-12-31"))
    datetime.date(2026, 3, 1)
    """
    days = release_dates(plan)
    if not days.size:
        return None
    firsts, whole = _firsts(len(days), POINTS), whole_total(plan)
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
    row, some = int(above[0]), affordable(plan)
    end = row + int(np.argmax(tight[row:]))
    low, high = int(firsts[row]), int(ends[end])
    if low == high and epsilon[row] > limit * _SURELY:
        return low
    accuracy = PLOTTED if some else None
    tried = min(_SECTIONS, max(1, some))
    place = first_between(lambda each: totals_by(plan, days[each], accuracy) > limit, low - 1, high, tried)
    # What lies hardly above the limit is decided as it is quoted. What is before is proved to fit.
    while place < len(days) and _fits(plan, days[place]):
        place += 1
    return place if place < len(days) else None


def _fits(plan: Plan, day: np.datetime64) -> bool:
    """Whether all that is released by a day, which a rough bound puts above the budget, is within it after all."""
    limit, delta = plan.budget.epsilon, plan.budget.delta
    if different_kinds(plan) > MOST_QUOTED or float(totals_by(plan, np.array([day]), PLOTTED)[0]) > limit * _SURELY:
        return False
    return compose(until(plan, day.item()), delta).epsilon <= limit
