"""Solving backwards: how many releases fit into a budget, and how little noise meets it. Every answer is verified forward."""

from __future__ import annotations

import math
from collections.abc import Callable

from dpviz.composition import THEOREMS, Workload, compose, refusal, theorem_named
from dpviz.crossings import largest_within
from dpviz.gaussian import gaussian_mu
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism
from dpviz.parameters import COUNT, SENSITIVITY
from dpviz.plan import Plan, Release

PRECISION = 1e-6  # relative excess of the noise over the least that fits


def max_count(mechanism: Mechanism, budget: Guarantee, theorem: str | None = None) -> int:
    """Return the largest number of uses of `mechanism` that stays within `budget`.

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
    if theorem is not None:
        return largest_within(mechanism, budget, theorem_named(theorem).key)
    workload = Workload.of(mechanism)
    quoted = [record.key for record in THEOREMS if not refusal(record, workload, budget.delta)]
    return max((largest_within(mechanism, budget, key) for key in quoted), default=0)


def calibrate(
    mechanism: type[Laplace] | type[Gaussian],
    count: int,
    budget: Guarantee,
    theorem: str | None = None,
    sensitivity: float = 1.0,
) -> Laplace | Gaussian:
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
    if mechanism not in (Laplace, Gaussian):
        raise ValueError(f"mechanism must be Laplace or Gaussian; got {mechanism!r}")
    count, sensitivity = COUNT.check(count), SENSITIVITY.check(sensitivity)
    if count < 1 or not 0 < budget.epsilon < math.inf:
        raise ValueError(f"count must be at least 1 and the budget's epsilon in (0, inf); got {count} and {budget}")

    def noise(scale: float) -> Laplace | Gaussian:
        return mechanism(scale * sensitivity, sensitivity)

    def total(scale: float) -> float:
        return compose(Plan([Release("release", noise(scale), count)]), budget.delta, theorem).epsilon

    start = _start(mechanism, count, budget)
    if math.isinf(total(start * 1e9)):
        reason = _why_not(mechanism, budget, theorem)
        raise ValueError(f"no {mechanism.label} noise meets {budget} under this theorem: {reason}")
    return noise(_least(total, start, budget.epsilon))


def _why_not(mechanism: type, budget: Guarantee, theorem: str | None) -> str:
    workload = Workload.of(mechanism(1.0))
    keys = [theorem] if theorem else [record.key for record in THEOREMS]
    reasons = [refusal(theorem_named(key), workload, budget.delta) for key in keys]
    return next((reason for reason in reasons if reason), "its ε stays infinite")


def _start(mechanism: type, count: int, budget: Guarantee) -> float:
    """A scale to search from: exact for Gaussian noise, plain sums for Laplace."""
    if mechanism is Gaussian and 0 < budget.delta < 1:
        return math.sqrt(count) / gaussian_mu(budget.epsilon, budget.delta)
    return count / budget.epsilon


def _least(total: Callable[[float], float], scale: float, epsilon: float) -> float:
    """The smallest scale whose total is within ε, by false position in logarithms between a bracket's ends."""
    bracket = _Bracket(total, epsilon)
    step = 1e-7
    while bracket.high is None or bracket.low is None:
        bracket.probe(scale)
        if bracket.high is not None and bracket.low is not None:
            break
        scale *= (1 - step) if bracket.high is not None else (1 + step)
        step = min(4 * step, 0.9 if bracket.high is not None else 1e3)
    while bracket.high > bracket.low * (1 + PRECISION):
        bracket.probe(bracket.guess())
    return bracket.high


class _Bracket:
    """Scales of which the lower exceeds the budget and the higher does not, with their misfits."""

    def __init__(self, total: Callable[[float], float], epsilon: float) -> None:
        self.total, self.epsilon = total, epsilon
        self.low: float | None = None
        self.high: float | None = None
        self.misfit_low = self.misfit_high = 0.0
        self.turns = 0

    def probe(self, scale: float) -> None:
        """Move the end that `scale` replaces."""
        value = self.total(scale)
        if value <= self.epsilon:
            self.high, self.misfit_high = scale, self._misfit(value)
        else:
            self.low, self.misfit_low = scale, self._misfit(value)

    def _misfit(self, value: float) -> float:
        return math.log(max(value, 1e-300) / self.epsilon) if value < math.inf else math.inf

    def guess(self) -> float:
        """Where the total should meet the budget; every third time the middle, so that the bracket always shrinks."""
        low, high = math.log(self.low), math.log(self.high)
        self.turns += 1
        span = self.misfit_low - self.misfit_high
        if self.turns % 3 == 0 or not 0 < span < math.inf:
            return math.exp((low + high) / 2)
        crossing = high + (high - low) * self.misfit_high / span
        nudge = PRECISION / 3 if self.turns % 3 == 1 else -PRECISION / 3
        margin = (high - low) * 0.01
        return math.exp(min(max(crossing + nudge, low + margin), high - margin))
