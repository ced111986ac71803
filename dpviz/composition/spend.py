"""What each release of a plan takes of its total: what leaving it out saves, and what it would cost alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.composition.compose import kinds, smallest_total, smallest_totals, tight_epsilon
from dpviz.decimals import rounded_down, typed
from dpviz.effort import MOST_QUOTED, PLOTTED
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.plan.plan import count_table
from dpviz.plan.workload import Workload

MOST_WITHOUT = 12  # releases that are left out in turn where there are more kinds of noise than are quoted


@dataclass(frozen=True, slots=True)
class Saving:
    """What leaving one release out of a plan saves: the one measure of how much of the total it takes.

    Parameters
    ----------
    total, without : float
        Smallest proved ε of the plan, and of what is left of it without that release, at most `total`; inf where
        nothing is proved.

    Examples
    --------
    >>> saving = Saving(0.4, 0.3)
    >>> saving.epsilon, saving.share
    (0.1, 25.0)
    """

    total: float
    without: float

    @property
    def epsilon(self) -> float:
        """The difference of the two decimals, rounded down; inf where only the rest is bounded, else 0 for inf."""
        if math.isinf(self.total):
            return math.inf if math.isfinite(self.without) else 0.0
        return rounded_down(typed(self.total) - typed(self.without))

    @property
    def share(self) -> float | None:
        """The saving in percent of the total, in [0, 100], rounded down; None of a total that is 0 or inf.

        Shares of all releases seldom add up to 100: where releases together cost less than their sum, each saves less
        than it would cost alone; where parts of the data are disjoint, all but the dearest part saves nothing.
        """
        if not 0 < self.total < math.inf:
            return None
        return rounded_down(100 * (typed(self.total) - typed(self.without)) / typed(self.total))


def alone(plan: Plan, delta: float) -> np.ndarray:
    """Return what each release would cost if nothing else were published: all its uses, under its tightest theorem.

    Parameters
    ----------
    plan : Plan
    delta : float
        The whole δ of each answer, in [0, 1]; at 1 nothing is promised.

    Returns
    -------
    ndarray of float, shape (releases,)
        ε, an upper bound; 0 without uses, inf where no theorem applies. Their sum is not the plan's total: releases
        composed together cost less than their sum wherever a theorem beats basic composition.

    Notes
    -----
    Neighbour relation: the plan's. A plan that is chosen along the way admits basic composition only.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> alone(Plan([Release("a", Laplace(10, 1), 3), Release("b", Laplace(10, 1))]), 0.0).tolist()
    [0.3, 0.1]
    """
    plan.check_sensitivities()
    if delta >= 1:
        return np.array([math.inf if release.uses else 0.0 for release in plan.releases])
    # One mechanism at a time: what another one lacks, such as a stated pair, must not refuse this one.
    uses: dict[Mechanism, dict[int, float]] = {each.mechanism: {} for each in plan.releases}
    for each in plan.releases:
        uses[each.mechanism][each.uses] = math.inf
    for mechanism, totals in uses.items():
        totals.update(zip(totals, of_one(mechanism, tuple(totals), delta, plan.adaptive), strict=True))
    return np.array([uses[each.mechanism][each.uses] for each in plan.releases])


def of_one(mechanism: Mechanism, uses: tuple[int, ...], delta: float, adaptive: bool) -> tuple[float, ...]:
    """Return what so many uses of one mechanism cost, for each number of them; δ below 1.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> of_one(Laplace(10, 1), (1, 3), 0.0, adaptive=False)
    (0.1, 0.3)
    """
    workload = Workload((mechanism,), np.array([[count] for count in uses], dtype=np.int64), adaptive)
    tight = None if adaptive else tight_epsilon(workload, delta)
    if tight is not None and len(uses) == 1:  # a closed form knows it: nothing is searched
        return (min(tight, float(smallest_totals(workload, delta, None)[0])),)
    return tuple(smallest_totals(workload, delta).tolist())


def without(plan: Plan, rows: Sequence[int], delta: float, accuracy: float = PLOTTED) -> np.ndarray:
    """Return what a plan would cost without one of its releases, for each of these.

    Parameters
    ----------
    plan : Plan
    rows : sequence of int
        Places of the releases that are left out in turn, from 0.
    delta : float
        The whole δ of each answer, in [0, 1]; at 1 nothing is promised.
    accuracy : float
        Wanted relative accuracy of the numerical theorems, in (0, 0.1]; beside a much larger total, or at a tiny δ, a
        number may lie a few percent above its tight value, at the extremes a tenth.

    Returns
    -------
    ndarray of float, shape (rows,)
        ε, an upper bound; inf where no theorem applies. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> without(Plan([Release("a", Laplace(10, 1), 3), Release("b", Laplace(10, 1))]), [0, 1], 0.0).tolist()
    [0.1, 0.3]
    """
    if delta >= 1 or not len(rows):
        return np.full(len(rows), math.inf)
    plan.check_sensitivities()
    left_out = np.arange(len(plan.releases))[:, None] == np.asarray(rows)
    uses = np.where(left_out, 0, [[each.uses] for each in plan.releases])
    mechanisms, counts = count_table(plan.releases, uses, (len(rows),))
    # One row of counts per (release left out, part of the data); the dearest part is what it costs.
    workload = Workload(mechanisms, counts.reshape(-1, len(mechanisms)), plan.adaptive)
    totals = smallest_totals(workload, delta, accuracy).reshape(len(rows), -1).max(axis=1)
    # What is left out may be what a theorem refused, or for what the shared grid is too coarse: few can be half of all.
    for place in np.flatnonzero(np.isinf(totals) | (totals < totals.max() / 2)):
        totals[place] = smallest_total(plan.without(rows[place]), delta).epsilon
    return totals


def savings(plan: Plan, delta: float, total: float | None = None) -> tuple[Saving | None, ...]:
    """Return what leaving each release out saves of the plan's smallest proved total.

    Parameters
    ----------
    plan : Plan
    delta : float
        The whole δ of each answer, in [0, 1]; at 1 nothing is promised.
    total : float, optional
        The plan's smallest proved ε at `delta`, where it is known already; None composes it.

    Returns
    -------
    tuple of (Saving or None)
        One per release, equal ones alike. None for what is not left out in turn: of more than `MOST_QUOTED` kinds of
        noise, all but the `MOST_WITHOUT` that would cost most alone.

    Notes
    -----
    The difference of two proved totals, of which the second may lie above its tight value as `without` says: then the
    saving is understated, never overstated. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("a", Laplace(10, 1), 3), Release("b", Laplace(10, 1))])
    >>> [saving.share for saving in savings(plan, 0.0)]
    [75.0, 25.0]
    """
    if total is None:
        total = smallest_total(plan, delta).epsilon if delta < 1 else math.inf
    like = [(each.mechanism, each.uses, each.part) for each in plan.releases]
    first = {key: row for row, key in reversed(list(enumerate(like)))}
    rows = sorted(first.values())
    if kinds(each.mechanism for each in plan.releases) > MOST_QUOTED:
        spends = alone(plan, delta)
        rows = sorted(rows, key=lambda row: -spends[row])[:MOST_WITHOUT]
    # Fewer releases never cost more: what is proved of all of them bounds what is computed roughly.
    left = zip(rows, without(plan, rows, delta), strict=True)
    found = {like[row]: Saving(total, min(float(epsilon), total)) for row, epsilon in left}
    return tuple(found.get(key) for key in like)
