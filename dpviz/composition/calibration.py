"""Solving backwards: how many releases fit into a budget, how little noise meets it; every answer verified forward."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from dpviz.composition.compose import THEOREMS, TheoremKey, compare, compose, refusal, theorem_named
from dpviz.composition.crossings import largest_within
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import DiscreteGaussian, Mechanism
from dpviz.mechanisms.laws.gaussian_profile import gaussian_mu
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.outward import raised, roundings
from dpviz.parameters import COUNT, SENSITIVITY, checked
from dpviz.plan import Plan, Release
from dpviz.plan.workload import Workload
from dpviz.search import last_crossing, least_scale, least_within

Noisy = TypeVar("Noisy", bound=Mechanism)
PRECISION = 1e-6  # relative excess of the noise over the least that fits
SAMPLED_PRECISION = 2e-5  # the same on samples, whose total takes ten times as long to a further digit
_EVEN, STEP = 8.0, 1.05  # σ √uses from which on ε falls with σ, at a δ of 1e-30 or more; scales where zCDP is tried


def settled(
    plan_at: Callable[[float], Plan],
    total: Callable[[float], float],
    scale: float,
    precision: float,
    theorem: str | None = None,
) -> float:
    """Return the least scale of noise from which on a plan stays within its budget, from one at which it does.

    Parameters
    ----------
    plan_at : callable
        ``plan_at(scale)``: the plan with its noise at that scale.
    total : callable
        ``total(scale)``: its ε.
    scale, precision : float
        See `dpviz.search.last_crossing`.
    theorem : str, optional
        What that ε is of; None for the smallest total.

    Notes
    -----
    Other noise hides more the larger it is. Discrete Gaussian noise of a σ below 8 does not: its few losses move, too,
    so that one use at δ = 1e-6 costs 13.9 at σ = 0.19 and 37.2 at 0.2. It is looked at every 1 % up to where zCDP,
    which falls with σ, proves the budget, or σ times the root of the uses is 8: at δ = 1e-30 none was found beyond 6.1.

    Examples
    --------
    >>> budget = Guarantee(13.92, 1e-6)
    >>> def plan_at(sigma):
    ...     return Plan([Release("a", DiscreteGaussian(sigma, 1))], budget)
    >>> round(settled(plan_at, lambda sigma: compose(plan_at(sigma)).epsilon, 0.19015, 1e-6), 3)
    0.422
    """
    budget, until, proved = plan_at(scale).budget, scale, theorem in (None, "pld", "rdp", "zcdp")

    def even(tried: Plan) -> bool:
        return not uneven(tried) or (proved and compose(tried, budget.delta, "zcdp").epsilon <= budget.epsilon)

    if even(plan_at(scale)):
        return scale
    while not even(plan_at(until)) or total(until) > budget.epsilon:
        until *= STEP
    return last_crossing(lambda size: total(size) <= budget.epsilon, scale, until, precision)


def uneven(plan: Plan) -> bool:
    """Say whether a plan has noise on whole numbers that may hide less where there is more of it: see `settled`.

    Examples
    --------
    >>> uneven(Plan([Release("a", DiscreteGaussian(0.5, 1))])), uneven(Plan([Release("a", DiscreteGaussian(9.0, 1))]))
    (True, False)
    """
    noise = ((each.mechanism.base, each.uses) for each in plan.releases)
    return any(isinstance(base, DiscreteGaussian) and base.sigma * math.sqrt(uses) < _EVEN for base, uses in noise)


def max_count(mechanism: Mechanism, budget: Guarantee, theorem: TheoremKey | None = None) -> int:
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
    >>> from dpviz.mechanisms import Laplace
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
    mechanism: type[Noisy] | Noisy,
    count: int,
    budget: Guarantee,
    theorem: TheoremKey | None = None,
    sensitivity: float | None = None,
) -> Noisy:
    """Return the least noise of a kind with which `count` releases stay within `budget`.

    Parameters
    ----------
    mechanism : type or Mechanism
        A kind, such as ``Laplace`` or ``Gaussian``; or one mechanism with noise, of which all but the noise is kept:
        ``Subsampled(Gaussian(1), 256 / 60_000, "poisson")`` asks for the noise multiplier of DP-SGD.
    count : int
        Uses, in [1, 10^9].
    budget : Guarantee
        ε in (0, inf), δ in [0, 1); above 0 for Gaussian noise.
    theorem : str, optional
        A key of ``THEOREMS``; None for the smallest total of those that apply.
    sensitivity : float, optional
        L1 for Laplace, L2 for Gaussian, in (0, inf); None for that of the mechanism, 1 for a kind.

    Raises
    ------
    ValueError
        When a value is not allowed, or no noise of this kind meets the budget under the theorem, with the reason.

    Notes
    -----
    Verified forward: the returned noise stays within the budget, and so does more; 0.01 % less does not. Neighbour
    relation: the mechanism's; add_remove for Poisson samples.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Subsampled
    >>> round(calibrate(Gaussian, 100, Guarantee(1, 1e-6), "zcdp").sigma, 2)
    45.31
    >>> step = Subsampled(Gaussian(1), 256 / 60_000, "poisson")
    >>> round(calibrate(step, 30 * 235, Guarantee(3, 1e-5)).base.sigma, 3)
    0.818
    """
    kind, given = _noisy_kind(mechanism), mechanism if isinstance(mechanism, Mechanism) else None
    checked(budget, Guarantee, "budget")
    held = given.base.sensitivity if given else 1.0
    count, sensitivity = COUNT.check(count), SENSITIVITY.check(held if sensitivity is None else sensitivity)
    if count < 1 or not 0 < budget.epsilon < math.inf:
        raise ValueError(f"count must be at least 1 and the budget's epsilon in (0, inf); got {count} and {budget}")

    def noise(scale: float) -> Noisy:
        made = kind(scale * sensitivity, sensitivity)
        return given.over(made) if given else made

    def plan(scale: float) -> Plan:
        return Plan([Release("release", noise(scale), count)], budget)

    precision = SAMPLED_PRECISION if given and given.sampled else PRECISION

    def total(scale: float, accuracy: float = precision) -> float:
        return compose(plan(scale), budget.delta, theorem, accuracy).epsilon

    start, start_is_exact = _start(noise(1.0 / sensitivity), count, budget)
    if start_is_exact and theorem in (None, "pld") and total(start) <= budget.epsilon:
        return noise(start)  # the closed form, verified
    window = precision if given and given.sampled else 0.0
    scale = least_scale(total, start, budget.epsilon, precision, window)
    if scale is None:
        reason = _why_not(noise(1.0), budget, theorem)
        raise ValueError(f"no {noise(1.0).label} noise meets {budget} under this theorem: {reason}")
    return noise(settled(plan, total, scale, precision, theorem))


def _noisy_kind(mechanism: object) -> type:
    """The class of its noise."""
    kind = type(mechanism.base) if isinstance(mechanism, Mechanism) else mechanism
    if not adds_noise(kind):
        raise ValueError(f"mechanism must be Laplace, Gaussian or another with noise of its own; got {mechanism!r:.60}")
    if isinstance(mechanism, Mechanism) and mechanism.rate == 0:
        raise ValueError("mechanism must read something: at rate 0 any noise meets the budget")
    return kind


def _why_not(mechanism: Mechanism, budget: Guarantee, theorem: str | None) -> str:
    frame = compare(mechanism, budget.delta, excess=False)
    return next(filter(None, frame.reason[frame.theorem.isin([theorem]) | (theorem is None)]), "its ε stays infinite")


def _start(mechanism: Mechanism, count: int, budget: Guarantee) -> tuple[float, bool]:
    """A scale to search from, of noise with sensitivity 1, and whether it is the one: of Gaussian noise on all data."""
    if mechanism.mu is not None and 0 < budget.delta < 1:
        return raised(math.sqrt(count) / gaussian_mu(budget.epsilon, budget.delta), roundings(1e-12)), True
    if mechanism.sampled:
        return _sampled_start(mechanism, count, budget), False
    return count / budget.epsilon, False


def _sampled_start(mechanism: Mechanism, count: int, budget: Guarantee) -> float:
    """About the least scale by Rényi divergences, which a sample's total is known by at once; 1 where it has none."""

    def total(ratio: float) -> float:
        return compose({mechanism.bare(ratio): count}, budget.delta, "rdp").epsilon

    return (budget.delta and least_within(total, 1.0, budget.epsilon, 0.01)) or 1.0
