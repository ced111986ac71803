"""What each release of a plan costs on its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpviz.composition.compose import smallest_total, smallest_totals, tight_epsilon
from dpviz.effort import PLOTTED
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.plan.plan import count_table
from dpviz.plan.workload import Workload


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
        workload = Workload((mechanism,), np.array([[count] for count in totals], dtype=np.int64), plan.adaptive)
        tight = None if plan.adaptive else tight_epsilon(workload, delta)
        if tight is not None and len(totals) == 1:  # a closed form knows it: nothing is searched
            totals.update(dict.fromkeys(totals, min(tight, float(smallest_totals(workload, delta, None)[0]))))
        else:
            totals.update(zip(totals, smallest_totals(workload, delta), strict=True))
    return np.array([uses[each.mechanism][each.uses] for each in plan.releases])


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
        rest = (*plan.releases[: rows[place]], *plan.releases[rows[place] + 1 :])
        totals[place] = smallest_total(replace(plan, releases=rest), delta).epsilon
    return totals
