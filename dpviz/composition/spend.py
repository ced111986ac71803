"""What each release of a plan costs on its own."""

from __future__ import annotations

import math

import numpy as np

from dpviz.composition.compose import smallest_totals
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
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
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> alone(Plan([Release("a", Laplace(10), 3), Release("b", Laplace(10))]), 0.0).tolist()
    [0.3, 0.1]
    """
    if delta >= 1:
        return np.array([math.inf if release.uses else 0.0 for release in plan.releases])
    # One mechanism at a time: what another one lacks, such as a stated pair, must not refuse this one.
    uses: dict[Mechanism, dict[int, float]] = {each.mechanism: {} for each in plan.releases}
    for each in plan.releases:
        uses[each.mechanism][each.uses] = math.inf
    for mechanism, totals in uses.items():
        workload = Workload((mechanism,), np.array([[count] for count in totals], dtype=np.int64), plan.adaptive)
        totals.update(zip(totals, smallest_totals(workload, delta), strict=True))
    return np.array([uses[each.mechanism][each.uses] for each in plan.releases])
