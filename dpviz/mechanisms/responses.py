"""Randomized response, and the black boxes that it bounds: of them only a pair (ε, δ) is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from scipy.special import expit

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost
from dpviz.mechanisms.laws.loss_laws import ResponseLaw
from dpviz.mechanisms.laws.renyi import pure_rdp, pure_rho
from dpviz.mechanisms.mechanism import (
    FINITE_EPSILON,
    LEAST,
    RATIO,
    Form,
    Mechanism,
    Whole,
    elementwise,
    in_digits,
)
from dpviz.outward import U, lowered, raised, slack
from dpviz.parameters import ALPHA, COPIES, DELTA, REAL_EPSILON, Amount

RANDOMIZED = "each answer is randomized by itself: the error of a share depends on how many answer"


def _pure_delta(epsilon: np.ndarray, limit: float) -> np.ndarray:
    """Profile of randomized response with parameter `limit`: (p - e^ε (1-p))_+ between the atoms."""
    inside = np.abs(np.expm1(np.minimum(epsilon, limit) - limit)) * expit(limit)
    beyond = np.abs(np.expm1(np.minimum(epsilon, 0.0)))
    return np.minimum(raised(np.where(epsilon <= -limit, beyond, inside), 16), 1.0)


def _pure_epsilon(delta: np.ndarray, limit: float) -> np.ndarray:
    share = np.minimum(delta * (1 + math.exp(-limit)), 1 - 1e-16)
    return np.clip(raised(np.log1p(-share) + limit + slack(2) * limit, 16), 0.0, limit)


@dataclass(frozen=True, slots=True)
class ResponseCost(Cost):
    """The cost of randomized response, with the variance of the unbiased estimate of its bit."""

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the Rényi divergence of the order."""
        if math.isinf(order):
            return u
        return pure_rdp(u, np.array(order)) if order > MEAN_ORDER else u * np.tanh(u / 2)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln dc/du at u = e^x."""
        u = np.exp(x)
        if math.isinf(order):
            return np.zeros(x.shape)
        half = np.tanh(u / 2)
        if order <= MEAN_ORDER:
            return np.log(half + u / 2 * (1 - half) * (1 + half))
        whole = np.tanh((2 * order - 1) * u / 2)
        return np.log((whole - half) / 2 / (order - 1) + whole)

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return the variance of one answer."""
        return 1 / (4 * np.sinh(u / 2) ** 2)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln of minus d(variance)/du at u = e^x."""
        h = np.exp(x) / 2
        return np.log1p(np.exp(-2 * h)) - 2 * h - 3 * np.log(-np.expm1(-2 * h))  # of cosh(h) / (4 sinh³(h))


class _LeakyResponse(Whole, partial=True):
    """Leaky randomized response with stated (ε, δ): the worst of all (ε, δ)-DP mechanisms."""

    __slots__ = ()
    mu = noise = norm = None
    note = ""
    loss = property(lambda self: ResponseLaw(self.stated.epsilon, self.stated.delta))
    spared = property(lambda self: RandomizedResponse(self.stated.epsilon))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {name: getattr(self.stated, name) for name in self.forms[0].needed}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        limit, leak = self.stated.epsilon, self.stated.delta

        def profile(values: np.ndarray) -> np.ndarray:
            heard = (1 - leak) * _pure_delta(values, limit)
            return np.minimum(1.0, np.where(heard > 0, raised(leak + heard, 2) if leak > 0 else heard, leak))

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf where `delta` is below the stated δ."""
        limit, leak = self.stated.epsilon, self.stated.delta

        def inverse(values: np.ndarray) -> np.ndarray:
            rest = lowered(np.maximum(values - leak, 0.0) / (1 - leak), 2) if leak < 1 else np.zeros_like(values)
            return np.where(values < leak, np.inf, np.where(values >= 1, 0.0, _pure_epsilon(rest, limit)))

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf); inf where a leak has probability above 0."""
        if self.stated.delta > 0:
            return elementwise(lambda order: np.full(order.shape, np.inf), alpha, ALPHA)
        limit, least = self.stated.epsilon, LEAST if self.stated.epsilon > 0 else 0.0
        return elementwise(lambda order: np.maximum(pure_rdp(limit, order), least), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε tanh(ε/2); inf where a leak has probability above 0."""
        least = LEAST if self.stated.epsilon > 0 else 0.0
        return math.inf if self.stated.delta > 0 else max(pure_rho(self.stated.epsilon), least)

    def grouped(self, copies: int) -> Mechanism:
        """Return the worst that meets the pair of a group, at most once ε and δ are added up along it."""
        return self if COPIES.check(copies) == 1 else grouped_pair(self.stated, copies)

    def sample(self, value: int, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the secret bit `value`: 0, 1, or with probability δ the leak, 2 + value."""
        bit = checked_bit(value)
        answers = np.where(rng.random(size) < expit(self.stated.epsilon), bit, 1 - bit)
        return np.where(rng.random(size) < self.stated.delta, 2 + bit, answers) if self.stated.delta else answers

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        value, other, limit = checked_bit(value), checked_bit(other), self.stated.epsilon
        if value == other:
            return np.zeros(np.shape(outputs))
        size = np.where(np.asarray(outputs) >= 2, np.inf, limit)
        return np.where(np.asarray(outputs) % 2 == value, size, -size)


def checked_bit(value: object) -> int:
    """Return the secret of a mechanism that is asked about one of two data sets, 0 or 1, or refuse it."""
    if value not in (0, 1):
        raise ValueError(f"the secret must be 0 or 1; got {value!r}")
    return int(value)


class PureResponse(_LeakyResponse, partial=True):
    """What is ε-DP, accounted as randomized response, the worst of that, and has no noise but its ε."""

    __slots__ = ()
    forms: ClassVar[tuple[Form, ...]] = (Form(("epsilon",)),)
    leak = None
    spared = property(lambda self: self)
    strength = property(lambda self: 1 / self.stated.epsilon if self.stated.epsilon > 1 / 1e300 else None)

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "stated", Guarantee(FINITE_EPSILON.check(epsilon)))

    def with_epsilon(self, epsilon: float) -> Self:
        """Return the same with another ε."""
        return type(self)(epsilon)

    def at_strength(self, ratio: float) -> Self:
        """Return the same with that ε."""
        return self.with_epsilon(in_digits(1 / RATIO.check(ratio), ROUND_FLOOR))

    def bare(self, ratio: float) -> Self:
        """Return the same with that ε."""
        return self.with_epsilon(1 / RATIO.check(ratio))

    def scaled(self, factor: Fraction) -> Self:
        """Return the same with its ε divided by `factor`."""
        return self.with_epsilon(rounded_up(typed(self.stated.epsilon) / factor))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse(PureResponse):
    """Tells one secret bit truthfully with probability e^ε / (1 + e^ε).

    Parameters
    ----------
    epsilon : float
        In [0, inf).

    Notes
    -----
    Any neighbour relation under which the bit may flip. Tight for the class of all ε-DP mechanisms.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), Thm 3.3; Mironov (2017), Prop. 5.

    Examples
    --------
    >>> round(RandomizedResponse(0.5).delta(0.0), 6)  # the advantage tanh(ε/2)
    0.244919
    """

    stated: Guarantee
    key: ClassVar[str] = "randomized_response"
    label: ClassVar[str] = "Randomized response"
    cost = ResponseCost()
    why_no_noise = RANDOMIZED


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproximateDP(_LeakyResponse):
    """A black box of which only (ε, δ) is known; accounted as leaky randomized response, the worst that meets it.

    Parameters
    ----------
    epsilon : float
        In [0, inf).
    delta : float
        In [0, 1].

    Notes
    -----
    Any neighbour relation, the one its pair was stated for.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), Thm 3.3; Murtagh & Vadhan (2016), Lemma 3.2.

    Examples
    --------
    >>> ApproximateDP(0.1, 1e-9).epsilon(1e-10)
    inf
    """

    stated: Guarantee
    key: ClassVar[str] = "approximate_dp"
    label: ClassVar[str] = "Black box (ε, δ)"
    forms: ClassVar[tuple[Form, ...]] = (Form(("epsilon", "delta")),)
    strength = cost = None
    at_strength = bare = Whole.unchangeable
    leak = property(lambda self: self.stated.delta)
    why_no_noise = "of a black box only ε and δ are known, not its noise"

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "stated", Guarantee(FINITE_EPSILON.check(epsilon), delta))

    def scaled(self, factor: Fraction) -> ApproximateDP:
        """Return the black box with its ε divided by `factor`."""
        return ApproximateDP(rounded_up(typed(self.stated.epsilon) / factor), self.stated.delta)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NameAndShame(_LeakyResponse):
    """Publishes a person's record with probability `delta`, and nothing otherwise: (0, δ)-DP, and a warning.

    Parameters
    ----------
    delta : float
        In [0, 1].

    Notes
    -----
    Relation: a record is replaced or removed; either way only the leak tells.

    References
    ----------
    Lecture notes "Advanced Composition" (Lecture 11), example 3.

    Examples
    --------
    >>> NameAndShame(0.01).delta(5.0)
    0.01
    """

    stated: Guarantee
    key: ClassVar[str] = "name_and_shame"
    label: ClassVar[str] = "Name and shame"
    forms: ClassVar[tuple[Form, ...]] = (Form(("delta",)),)
    strength = cost = None
    at_strength = bare = Whole.unchangeable
    leak = property(lambda self: self.stated.delta)
    why_no_noise = "name and shame publishes a record or nothing; it adds no noise"

    def __init__(self, delta: float) -> None:
        object.__setattr__(self, "stated", Guarantee(0.0, delta))

    def scaled(self, factor: Fraction) -> None:
        """Return nothing: there is no noise to scale."""

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the record `value`: the record, or NaN for nothing."""
        return np.where(rng.random(size) < self.stated.delta, float(value), np.nan)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        outputs = np.asarray(outputs, dtype=float)
        if value == other:
            return np.zeros(outputs.shape)
        return np.where(outputs == value, np.inf, np.where(outputs == other, -np.inf, 0.0))


def grouped_pair(stated: Guarantee, copies: int) -> Mechanism:
    """Return the worst mechanism that meets what (ε, δ) for one record means for `copies` that change together.

    Parameters
    ----------
    stated : Guarantee
    copies : int
        In [1, 1e6].

    Notes
    -----
    (mε, δ (e^mε - 1)/(e^ε - 1)), rounded up; of ε = 0, (0, mδ).

    References
    ----------
    Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2.

    Examples
    --------
    >>> grouped_pair(Guarantee(0.1), 3), grouped_pair(Guarantee(0.0, 1e-9), 4)
    (ApproximateDP(epsilon=0.3, delta=0.0), NameAndShame(delta=4e-09))
    """
    copies = COPIES.check(copies)
    epsilon = rounded_up(typed(stated.epsilon) * copies)
    if stated.epsilon == 0 < stated.delta:
        return NameAndShame(min(1.0, rounded_up(typed(stated.delta) * copies)))
    if copies == 1 or stated.delta == 0:  # no randomized response of that ε, whose answers would be less noisy
        return ApproximateDP(epsilon, stated.delta)
    grown = epsilon - stated.epsilon + math.log(-math.expm1(-epsilon)) - math.log(-math.expm1(-stated.epsilon))
    logs = math.log(stated.delta) + grown
    return ApproximateDP(epsilon, min(1.0, math.exp(min(logs, 0.0)) * (1 + 4 * U * (8 + epsilon + abs(logs)))))
