"""The smallest proved total at many points of a schedule at once, as accurate as their number admits."""

from __future__ import annotations

import math

import numpy as np

from dpviz import effort
from dpviz.composition import compose, refusal, theorem_named
from dpviz.composition.compose import kinds, smallest_totals
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan, Workload
from dpviz.plan.plan import LARGEST_WORKLOAD, count_table
from dpviz.planning.schedule.calendar import uses_until


def counts_by(plan: Plan, days: np.ndarray) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """Return the distinct mechanisms, and how often each part has met them by each day: (days, parts, mechanisms)."""
    plan.check_sensitivities()
    return count_table(plan.releases, (uses_until(each, days) for each in plan.releases), (len(days),))


def totals(plan: Plan, mechanisms: tuple[Mechanism, ...], counts: np.ndarray, accuracy: float | None) -> np.ndarray:
    """Return the smallest proved total at each point, of the part that costs most.

    Parameters
    ----------
    plan : Plan
        Gives δ, and whether it is chosen along the way.
    mechanisms : tuple of Mechanism
    counts : numpy.ndarray
        Of shape (points, parts, mechanisms).
    accuracy : float or None
        Of the numerical theorems; None for closed formulas only.
    """
    plan.check_sensitivities()
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


def different_kinds(plan: Plan) -> int:
    """Return how many different mechanisms the engine meets in a plan, as `compose.kinds` counts them."""
    return kinds(each.mechanism for each in plan.releases if each.count)


def affordable(plan: Plan) -> int:
    """Return how many dates at once the numerical theorem answers while somebody waits."""
    return effort.points(different_kinds(plan), len(set(_columns(plan)[0])))


def whole_total(plan: Plan) -> float:
    """Return the plan's total, as it is quoted."""
    delta = plan.budget.delta
    if delta >= 1:
        return math.inf if any(each.uses for each in plan.releases) else 0.0
    return compose(plan, delta).epsilon


def totals_by(plan: Plan, days: np.ndarray, accuracy: float | None) -> np.ndarray:
    """Return the total by each day."""
    size = portion(plan)
    portions = [days[place : place + size] for place in range(0, len(days), size)]
    found = [totals(plan, *counts_by(plan, some), accuracy) for some in portions]
    return np.concatenate([*found, np.empty(0)])


def portion(plan: Plan) -> int:
    """Return how many days of a plan are counted at once: one of many parts would exhaust the memory."""
    parts, different = (len(set(column)) for column in _columns(plan))
    return max(1, LARGEST_WORKLOAD // max(1, parts * different))


def _columns(plan: Plan) -> tuple[list, list]:
    return [each.part for each in plan.releases], [each.mechanism for each in plan.releases]


def many_totals(plan: Plan, mechanisms: tuple[Mechanism, ...], counts: np.ndarray) -> np.ndarray:
    """Return the total at each point, as accurate as their number admits while somebody waits."""
    different = len(np.unique(counts, axis=0))
    accuracy = effort.at_once(different, different_kinds(plan), len(set(_columns(plan)[0])))
    return totals(plan, mechanisms, counts, accuracy)
