"""Laplace noise on whole numbers: two-sided geometric noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.integer_laws import WHOLE_SCALE, WHOLE_SENSITIVITY, DiscreteLaplaceLaw
from dpviz.mechanisms.laws.loss_laws import Law, ResponseLaw
from dpviz.mechanisms.laws.renyi import laplace_rho
from dpviz.mechanisms.left_open import (
    LEFT_OPEN_WHOLE,
    TYPED,
    Origin,
)
from dpviz.mechanisms.mechanism import LEAST, RATIO, elementwise
from dpviz.mechanisms.noise import LaplaceShaped, rounded_outwards
from dpviz.mechanisms.noise_by_scale import PureNoise
from dpviz.mechanisms.responses import ResponseCost
from dpviz.outward import U, raised, roundings, slack
from dpviz.parameters import ALPHA, DELTA, REAL_EPSILON, Amount, Parameter

_SMALL = 0.3  # of the half spacing x below which x/sinh(x) is a series


def whole_laplace(scale: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw noise on whole numbers with P[y] in proportion to exp(-|y|/scale): a difference of two geometric numbers."""
    stop = -math.expm1(-1 / scale)
    return (rng.geometric(stop, size) - rng.geometric(stop, size)).astype(float)


class _DiscreteLaplaceNoise(LaplaceShaped):
    __slots__ = ()
    mean_distance = property(lambda self: rounded_outwards(_over_sinh(1 / self.scale) * self.scale))
    deviation = property(lambda self: _over_sinh(0.5 / self.scale) * math.sqrt(2) * self.scale)
    cumulant = pole = None

    def half_width(self, confidence: float) -> float:
        """Return the least w with 2 a^(w+1) / (1 + a) of at most 1 - `confidence`."""
        if confidence >= 1:
            return math.inf
        steps = self.scale * (math.log(2 / (1 - confidence)) - math.log1p(math.exp(-1 / self.scale)))
        return max(0.0, math.ceil(raised(steps, roundings(1e-13))) - 1.0)

    def density(self, outputs: np.ndarray) -> np.ndarray:
        masses = np.exp(-np.abs(outputs / self.scale)) * math.tanh(0.5 / self.scale)
        return np.where(np.floor(outputs) == outputs, masses, 0.0)

    def below(self, outputs: np.ndarray) -> np.ndarray:
        last = np.floor(outputs)
        tail = np.exp(-np.where(last < 0, -last, last + 1) / self.scale) / (1 + math.exp(-1 / self.scale))
        return np.where(last < 0, tail, 1 - tail)


class _DiscreteLaplaceCost(ResponseCost):
    """That of randomized response at sensitivity 1, with the noise's own variance."""

    __slots__ = ()

    def variance(self, u: np.ndarray) -> np.ndarray:
        return 2 * ResponseCost.variance(self, u)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return math.log(2) + ResponseCost.log_variance_slope(self, x)


@dataclass(frozen=True, slots=True, repr=False)
class DiscreteLaplace(PureNoise):
    """Adds a whole number y with P[y] in proportion to exp(-|y|/scale) to a whole number with a whole sensitivity.

    Parameters
    ----------
    scale : float
        Laplace b, in units of the answer, in [1e-12, 1e12].
    sensitivity : int
        L1 sensitivity in units of the answer, in [1, 1e9]. Left out, it follows from what a plan says of the
        release; without a plan the noise is in units of it.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity. What changes several numbers by D in L1 is no easier to tell
    than what changes one by D: the beginning of ``dpviz.plan.sensitivity`` has the proof.

    References
    ----------
    Ghosh, Roughgarden & Sundararajan (2012), Universally utility-maximizing privacy mechanisms, Def. 2.2.
    Harrison & Manurangsi (2025), Exact zCDP characterizations for fundamental differentially private mechanisms.

    Examples
    --------
    >>> DiscreteLaplace(10).stated, DiscreteLaplace.from_epsilon(0.11).stated.epsilon
    (Guarantee(epsilon=0.1, delta=0.0), 0.11)
    """

    scale: float
    sensitivity: int = LEFT_OPEN_WHOLE
    declared: Guarantee | None = field(default=None, kw_only=True)
    sensitivity_from: Origin = field(default=TYPED, kw_only=True, repr=False)
    stated: Guarantee = field(init=False, repr=False, compare=False)
    key: ClassVar[str] = "discrete_laplace"
    label: ClassVar[str] = "Discrete Laplace"
    allowed: ClassVar[tuple[Parameter, Parameter]] = (WHOLE_SCALE, WHOLE_SENSITIVITY)
    cost = _DiscreteLaplaceCost()
    noise = property(lambda self: _DiscreteLaplaceNoise(self.scale))

    @staticmethod
    def _at(epsilon: float, sensitivity: float) -> float:
        return rounded_up(typed(sensitivity) / typed(epsilon))  # rounded down, it would lose more than was typed

    @property
    def loss(self) -> Law:
        """The law of its loss: at sensitivity 1 that of randomized response."""
        if self.sensitivity == 1:
            return ResponseLaw(self.stated.epsilon, 0.0)
        return DiscreteLaplaceLaw(self.scale, self.sensitivity)

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        limit, sensitivity = self.stated.epsilon, np.array(float(self.sensitivity))
        return elementwise(lambda values: whole_delta(self.scale, sensitivity, limit, values), epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`.

        With n - 1 = floor(-b ln(1 - δ)) losses above it, ε is the n-th largest loss plus ln((1+a) R - a), where R is
        (1 - δ)/a^(n-1); see `whole_delta`.
        """
        limit, base = self.stated.epsilon, math.exp(-1 / self.scale)

        def inverse(values: np.ndarray) -> np.ndarray:
            kept = -np.log1p(-np.minimum(values, 1 - 1e-16))
            above = np.minimum(np.floor(kept * self.scale), self.sensitivity - 1.0)
            rest = np.expm1(above / self.scale - kept)
            inside = limit - 2 * above / self.scale + np.log1p(np.maximum((1 + base) * rest, 1e-16 - 1))
            inside = inside + slack(64) * (limit + kept)
            return np.where((inside > 0) & (values < 1), np.minimum(raised(inside, 16), limit), 0.0)

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return elementwise(lambda order: np.maximum(self._divergence(order), LEAST), alpha, ALPHA)

    def _divergence(self, order: np.ndarray) -> np.ndarray:
        """The smallest of ε, α ρ and ln of the moment over α - 1, each rounded up.

        With t = α - 1/2 the moment is e^(-ε/2)/(1+a) times 2 cosh(tε) + (1-a) sinh(t(ε - 1/b))/sinh(t/b): both ends,
        and the Dirichlet kernel of the losses between, at each of which the product of P and Q is the same.
        """
        limit, each, base = self.stated.epsilon, 1 / self.scale, math.exp(-1 / self.scale)
        tilt = order - 0.5
        inner = np.expm1(-2 * tilt * (self.sensitivity - 1) * each) / np.expm1(-2 * tilt * each)
        rise = 1 + np.exp(-2 * tilt * limit) - np.expm1(-each) * np.exp(-2 * tilt * each) * inner
        with np.errstate(over="ignore"):
            log_moment = (tilt - 0.5) * limit + np.log(rise) - math.log1p(base)
            most = (log_moment + 32 * U * (4 + tilt * limit)) / (order - 1)
        return np.minimum(np.minimum(raised(most, 16), order * self.rho), limit)

    @property
    def rho(self) -> float:
        """Its zCDP parameter, the mean loss ε - (1 - e^-ε) / (b sinh(1/b)).

        The supremum of the Rényi curve over its order lies at order 1: with t = α - 1/2, the moment times sin θ at
        t = iθb is, up to a factor, sin((Δ+1)θ) - a sin((Δ-1)θ), all of whose 2Δ + 2 zeros in a period are real as
        a < 1. So the moment is a product of 1 + t²/y² over real y, its logarithm concave in t², and that at most its
        tangent at t = 1/2, which is α(α - 1) times the mean.
        """
        share = _less_than_one(1 / self.scale)
        return max(raised(laplace_rho(self.stated.epsilon) - math.expm1(-self.stated.epsilon) * share, 16), LEAST)

    def bare(self, ratio: float) -> DiscreteLaplace:
        """Return the same, unrounded, with its own sensitivity: on whole numbers no other one costs the same."""
        return DiscreteLaplace.from_epsilon(1 / RATIO.check(ratio), self.sensitivity)

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        return value + whole_laplace(self.scale, size, rng)


def whole_delta(scale: float, sensitivity: np.ndarray, limit: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """Return δ(ε) of discrete Laplace noise with pure ε `limit` = sensitivity / scale, rounded up.

    With n losses above ε, the least of them at v above it, δ = P[y < n] - e^ε P[y < n - Δ] is
    1 - a^(n-1) + a^(n-1) (1 - e^-v)/(1 + a): positive terms. One n too many or too few changes it by the rounding of v,
    four units of `limit`.

    Examples
    --------
    >>> print(f"{float(whole_delta(1.0, np.array(2.0), np.array(2.0), np.array(1.0))):.6f}")
    0.462117
    """
    base, size = math.exp(-1 / scale), np.abs(epsilon)
    n = np.clip(np.ceil((limit - size) * (scale / 2)), 1.0, sensitivity)
    beyond = np.maximum(limit - 2 * (n - 1) / scale - size, 0.0) + slack(8) * limit
    ahead = -np.expm1(-(n - 1) / scale) - np.exp(-(n - 1) / scale) * np.expm1(-beyond) / (1 + base)
    ahead = np.where(size < limit, raised(ahead, 16), 0.0)
    behind = raised(-np.expm1(-size) + np.exp(-size) * ahead, 16)
    return np.minimum(np.where(epsilon >= 0, ahead, behind), 1.0)


def _over_sinh(x: float) -> float:
    """x / sinh(x), 0 where that is below doubles."""
    return x / math.sinh(x) if x < 700 else 0.0


def _less_than_one(x: float) -> float:
    """1 - x/sinh(x), rounded up: below `_SMALL` by the series of sinh(x) - x, whose terms are positive."""
    if x >= _SMALL:
        return raised(1 - _over_sinh(x), 16) + 4 * U
    square, terms = x * x, 1.0
    for n in (12, 10, 8, 6, 4):
        terms = 1 + terms * square / (n * (n + 1))
    return raised(square / 6 * terms * _over_sinh(x), 88)
