"""Randomized response among several values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.declared import Declared
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost
from dpviz.mechanisms.laws.groups import group_points
from dpviz.mechanisms.laws.loss_laws import Law, ResponseLaw, TernaryLaw
from dpviz.mechanisms.laws.renyi import pure_rdp
from dpviz.mechanisms.mechanism import FINITE_EPSILON, LEAST, Form, Mechanism, elementwise
from dpviz.mechanisms.responses import RANDOMIZED, PureResponse, grouped_pair
from dpviz.outward import lowered, raised, roundings, slack
from dpviz.parameters import ALPHA, COPIES, DELTA, REAL_EPSILON, Amount, Parameter
from dpviz.search import farthest

K = Parameter("k", "k", "values of which one is told", 2, 1e9, integer=True)
_CURVE = roundings(1e-12)  # of a Rényi divergence and of its slope
_LARGEST = 60.0  # κ there is above all that k can reach


@lru_cache(maxsize=4096)
def kary_rho(epsilon: float, k: int) -> float:
    """Return the least ρ for which randomized response among `k` values is ρ-zCDP, rounded up.

    Notes
    -----
    With s = (α - 1/2)² and x = ε sqrt(s), the logarithm N(s) of the moment is that of 2 cosh x + c up to a constant,
    c = (k-2) e^(-ε/2), and Rényi divergence over order is N / (s - 1/4), N(1/4) = 0. N' is in proportion to
    (sinh x / x) / (2 cosh x + c), which rises while c is above κ(x) = (sinh 2x - 2x) / (x cosh x - sinh x) and then
    falls, for κ rises: its Taylor coefficients are those below times 4^n/n, from κ(0) = 4 on. So N is convex, then
    concave, and the quotient has one peak. At order 1 it is the mean loss, the answer if c <= κ(ε/2), as for all k <= 6
    (Harrison & Manurangsi 2025); else at its peak it equals N', which falls there: one from just before is no less.

    Examples
    --------
    >>> print(f"{kary_rho(1.0, 2):.6f} {kary_rho(1.0, 10):.6f} {kary_rho(1.0, 1000):.6f}")
    0.462117 0.148133 0.039075
    """
    mean = raised(epsilon * -math.expm1(-epsilon) / (1 + (k - 1) * math.exp(-epsilon)), _CURVE)
    others = (k - 2) * math.exp(-epsilon / 2)
    if epsilon > 2 * _LARGEST or others <= _curvature(epsilon / 2):
        return mean

    def quotient(a: float) -> float:
        return float(pure_rdp(epsilon, np.array(1 + a), k)) / (1 + a)

    def slope(a: float) -> float:
        fall = math.exp(-(1 + 2 * a) * epsilon)
        return epsilon * (1 - fall) / (1 + fall + (k - 2) * math.exp(-(1 + a) * epsilon)) / (1 + 2 * a)

    switch = farthest(lambda x: _curvature(x) <= others, epsilon / 2, _LARGEST) / epsilon - 0.5
    peak = farthest(lambda a: slope(a) >= quotient(a), max(switch, LEAST), 2 * epsilon / mean)
    return raised(max(mean, slope(peak), quotient(peak)), _CURVE)


def _curvature(x: float) -> float:
    """κ(x), see `kary_rho`."""
    if x > 1:
        return (math.sinh(2 * x) - 2 * x) / (x * math.cosh(x) - math.sinh(x))
    square, above, below = x * x, 0.0, 0.0
    for n in range(12, 0, -1):
        above = (4**n / math.factorial(2 * n + 1)) * 2 + above * square
        below = 2 * n / math.factorial(2 * n + 1) + below * square
    return above / below


@dataclass(frozen=True, slots=True)
class _KaryCost(Cost):
    """With the variance of the estimated share of a value that nobody has, of one answer."""

    k: int

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        if math.isinf(order):
            return u
        if order > MEAN_ORDER:
            return pure_rdp(u, np.array(order), self.k)
        return np.array([kary_rho(float(each), self.k) for each in np.ravel(u)]).reshape(u.shape)

    def variance(self, u: np.ndarray) -> np.ndarray:
        return (np.exp(-u) + (self.k - 2) * np.exp(-2 * u)) / np.expm1(-u) ** 2

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        u = np.exp(x)
        return np.log1p((2 * self.k - 3) * np.exp(-u)) - u - 3 * np.log(-np.expm1(-u))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KaryRandomizedResponse(PureResponse):
    """Tells one of k values truthfully with probability e^ε / (e^ε + k - 1), and all others equally often.

    Parameters
    ----------
    epsilon : float
        In [0, inf).
    k : int
        In [2, 1e9]; with 2 it is randomized response.

    Notes
    -----
    Any neighbour relation under which the value may change to any other. The loss is ε with the probability p of the
    truth, -ε with that of one lie, and 0 in all other cases.

    References
    ----------
    Kairouz, Oh & Viswanath (2014), Extremal mechanisms for local differential privacy.
    Harrison & Manurangsi (2025), Exact zCDP characterizations for fundamental differentially private mechanisms.

    Examples
    --------
    >>> print(f"{KaryRandomizedResponse(0.5, 10).delta(0.0):.6f}")  # p less one lie
    0.060920
    """

    stated: Guarantee
    k: int
    key: ClassVar[str] = "kary_randomized_response"
    label: ClassVar[str] = "K-ary randomized response"
    forms: ClassVar[tuple[Form, ...]] = (Form(("epsilon", "k")),)
    cost = property(lambda self: _KaryCost(self.k))
    why_no_noise = RANDOMIZED

    def __init__(self, epsilon: float, k: int) -> None:
        object.__setattr__(self, "stated", Guarantee(FINITE_EPSILON.check(epsilon)))
        object.__setattr__(self, "k", K.check(k))

    def with_epsilon(self, epsilon: float) -> KaryRandomizedResponse:
        """Return the same with another ε."""
        return KaryRandomizedResponse(epsilon, self.k)

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {"epsilon": self.stated.epsilon, "k": self.k}

    @property
    def loss(self) -> Law:
        """The law of its loss."""
        limit = self.stated.epsilon
        return ResponseLaw(limit, 0.0) if self.k == 2 or limit == 0 else TernaryLaw(limit, self.k)

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        limit = self.stated.epsilon
        truth = 1 / (1 + (self.k - 1) * math.exp(-limit))

        def profile(values: np.ndarray) -> np.ndarray:
            size = np.abs(values)
            ahead = raised(np.abs(np.expm1(np.minimum(size, limit) - limit)) * truth, 16)
            behind = raised(-np.expm1(-size) + np.exp(-size) * ahead, 16)
            return np.minimum(np.where(values >= 0, ahead, behind), 1.0)

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        limit = self.stated.epsilon
        spread = 1 + (self.k - 1) * math.exp(-limit)

        def inverse(values: np.ndarray) -> np.ndarray:
            share = np.minimum(lowered(values * spread, 2), 1 - 1e-16)
            return np.clip(raised(np.log1p(-share) + limit + slack(2) * limit, 16), 0.0, limit)

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        limit, least = self.stated.epsilon, LEAST if self.stated.epsilon > 0 else 0.0
        return elementwise(lambda order: np.maximum(pure_rdp(limit, order, self.k), least), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter: the mean loss, unless the values are many; see `kary_rho`."""
        return max(kary_rho(self.stated.epsilon, self.k), LEAST) if self.stated.epsilon > 0 else 0.0

    def grouped(self, copies: int) -> Mechanism:
        """Return what its profile and its ε prove of so many records."""
        if COPIES.check(copies) == 1:
            return self
        if self.k == 2 or self.stated.epsilon == 0:
            return grouped_pair(self.stated, copies)
        return Declared.profile(*group_points(self, copies))

    def sample(self, value: int, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw answers for the secret `value`, a whole number from 0 to k - 1."""
        value = self._checked(value)
        lies = rng.integers(0, self.k - 1, size)
        truth = rng.random(size) < 1 / (1 + (self.k - 1) * math.exp(-self.stated.epsilon))
        return np.where(truth, value, lies + (lies >= value))

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        ahead, behind = (np.asarray(outputs) == self._checked(each) for each in (value, other))
        return self.stated.epsilon * (ahead * 1.0 - behind)

    def _checked(self, value: object) -> int:
        if not (isinstance(value, int | np.integer) and 0 <= value < self.k):
            raise ValueError(f"the secret must be a whole number in [0, {self.k - 1}]; got {value!r}")
        return int(value)
