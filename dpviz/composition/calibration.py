"""Solving backwards: how many releases fit into a budget, how little noise meets it; every answer verified forward."""

from __future__ import annotations

import math
from typing import TypeVar

from dpviz.composition.compose import THEOREMS, compare, compose, refusal, theorem_named
from dpviz.composition.crossings import largest_within
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism
from dpviz.mechanisms.gaussian_profile import gaussian_mu
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.parameters import COUNT, SENSITIVITY, checked
from dpviz.plan import Plan, Release
from dpviz.plan.workload import Workload
from dpviz.search import least_scale

Noisy = TypeVar("Noisy", Laplace, Gaussian)
PRECISION = 1e-6  # relative excess of the noise over the least that fits


def max_count(mechanism: Mechanism, budget: Guarantee, theorem: str | None = None) -> int:
    """Return the largest number of uses of `mechanism` that stays within `budget`; of a plan, `planning.room` does.

    Parameters
    ----------
    mechanism : Mechanism
    budget : Guarantee
        Its δ is the whole δ, in [0, 1).
    theorem : str, optional
        A key of ``THEOREMS``; None for whichever admits most.

    Returns
    -------
    int
        In [0, 10^9]; 10^9 stands for "at least".

    Notes
    -----
    Neighbour relation: the mechanism's. The number is fixed in advance; a number that depends on results seen needs a
    filter.

    Examples
    --------
    >>> max_count(Laplace.from_epsilon(0.1), Guarantee(1, 1e-6), "basic")
    10
    """
    checked(budget, Guarantee, "budget")
    if theorem is not None:
        return largest_within(mechanism, budget, theorem_named(theorem).key)
    workload = Workload.of(mechanism)
    tight = refusal(theorem_named("pld"), workload, budget.delta) == ""
    keys = ["basic", "pld"] if tight else [record.key for record in THEOREMS]
    quoted = [key for key in keys if not refusal(theorem_named(key), workload, budget.delta)]
    counts = {key: largest_within(mechanism, budget, key) for key in quoted}
    most, sure = max(counts.values(), default=0), counts.get("pld", 0)
    # What one theorem alone admits is held against the others: none admits what is surely beyond the budget.
    held = most == sure or not tight or compose({mechanism: most}, budget.delta).epsilon <= budget.epsilon
    return most if held else sure


def calibrate(
    mechanism: type[Noisy],
    count: int,
    budget: Guarantee,
    theorem: str | None = None,
    sensitivity: float = 1.0,
) -> Noisy:
    """Return the least noise of a kind with which `count` releases stay within `budget`.

    Parameters
    ----------
    mechanism : type
        ``Laplace`` or ``Gaussian``.
    count : int
        Uses, in [1, 10^9].
    budget : Guarantee
        ε in (0, inf), δ in [0, 1); above 0 for Gaussian noise.
    theorem : str, optional
        A key of ``THEOREMS``; None for the smallest total of those that apply.
    sensitivity : float
        L1 for Laplace, L2 for Gaussian, in (0, inf).

    Raises
    ------
    ValueError
        When a value is not allowed, or no noise of this kind meets the budget under the theorem, with the reason.

    Notes
    -----
    Verified forward: the returned noise stays within the budget, 0.01 % less does not.

    Examples
    --------
    >>> round(calibrate(Gaussian, 100, Guarantee(1, 1e-6), "zcdp").sigma, 2)
    45.31
    """
    if not adds_noise(mechanism):
        raise ValueError(f"mechanism must be Laplace or Gaussian; got {mechanism!r}")
    checked(budget, Guarantee, "budget")
    count, sensitivity = COUNT.check(count), SENSITIVITY.check(sensitivity)
    if count < 1 or not 0 < budget.epsilon < math.inf:
        raise ValueError(f"count must be at least 1 and the budget's epsilon in (0, inf); got {count} and {budget}")

    def noise(scale: float) -> Noisy:
        return mechanism(scale * sensitivity, sensitivity)

    def total(scale: float, accuracy: float) -> float:
        return compose(Plan([Release("release", noise(scale), count)]), budget.delta, theorem, accuracy).epsilon

    start, start_is_exact = _start(mechanism(1.0), count, budget)
    if start_is_exact and theorem in (None, "pld") and total(start, PRECISION) <= budget.epsilon:
        return noise(start)  # the closed form, verified
    scale = least_scale(total, start, budget.epsilon, PRECISION)
    if scale is None:
        reason = _why_not(mechanism, budget, theorem)
        raise ValueError(f"no {mechanism.label} noise meets {budget} under this theorem: {reason}")
    return noise(scale)


def _why_not(mechanism: type, budget: Guarantee, theorem: str | None) -> str:
    frame = compare(mechanism(1.0), budget.delta, excess=False)
    return next(filter(None, frame.reason[frame.theorem.isin([theorem]) | (theorem is None)]), "its ε stays infinite")


def _start(mechanism: Mechanism, count: int, budget: Guarantee) -> tuple[float, bool]:
    """A scale to search from, and whether it is the one: of Gaussian noise; plain sums for others."""
    if mechanism.mu is not None and 0 < budget.delta < 1:
        return math.sqrt(count) / gaussian_mu(budget.epsilon, budget.delta) * (1 + 1e-12), True
    return count / budget.epsilon, False
