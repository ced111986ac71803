"""Laplace noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost
from dpviz.mechanisms.laws.loss_laws import LaplaceLaw
from dpviz.mechanisms.laws.renyi import excess, laplace_rdp, laplace_rho
from dpviz.mechanisms.left_open import LEFT_OPEN, TYPED, Origin
from dpviz.mechanisms.mechanism import LEAST, RATIO, elementwise
from dpviz.mechanisms.noise import LaplaceShaped, rounded_outwards
from dpviz.mechanisms.noise_by_scale import PureNoise
from dpviz.outward import raised, slack
from dpviz.parameters import ALPHA, DELTA, REAL_EPSILON, SCALE, SENSITIVITY, Amount, Parameter


class _LaplaceNoise(LaplaceShaped):
    __slots__ = ()
    mean_distance = property(lambda self: self.scale)
    deviation = property(lambda self: math.sqrt(2) * self.scale)
    pole = property(lambda self: 1 / self.scale)

    def half_width(self, confidence: float) -> float:
        return rounded_outwards(self.scale * -math.log1p(-confidence)) if confidence < 1 else math.inf

    def density(self, outputs: np.ndarray) -> np.ndarray:
        return np.exp(-np.abs(outputs / self.scale)) / 2 / self.scale

    def below(self, outputs: np.ndarray) -> np.ndarray:
        half = np.exp(-np.abs(outputs / self.scale)) / 2
        return np.where(outputs < 0, half, 1 - half)

    def cumulant(self, s: np.ndarray) -> np.ndarray:
        return -np.log1p(-((s * self.scale) ** 2))


@dataclass(frozen=True, slots=True)
class LaplaceCost(Cost):
    """The cost of Laplace noise, and of what is accounted as that with a variance of its own."""

    variance_factor: float = 2.0

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the Rényi divergence of the order."""
        if math.isinf(order):
            return u
        return laplace_rdp(u, np.array(order)) if order > MEAN_ORDER else excess(-u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln of A (1 - e^-tu) / (A + (1-A) e^-tu) with t = 2α - 1 and A = α/t."""
        if math.isinf(order):
            return np.zeros(x.shape)
        twice = 2 * order - 1
        share, fall = order / twice, np.exp(-twice * np.exp(x))
        return np.log(share) + np.log(-np.expm1(-twice * np.exp(x))) - np.log(share + (1 - share) * fall)


@dataclass(frozen=True, slots=True, repr=False)
class Laplace(PureNoise):
    """Adds Laplace(scale) noise to an answer whose L1 sensitivity is given.

    Parameters
    ----------
    scale : float
        Laplace b, in units of the answer, in (0, inf).
    sensitivity : float
        L1 sensitivity in units of the answer, in (0, inf). Left out, it follows from what a plan says of the
        release; without a plan the noise is in units of it.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity.

    References
    ----------
    Dwork & Roth (2014), Thm 3.6; Mironov (2017), Prop. 6.

    Examples
    --------
    >>> Laplace(10).stated
    Guarantee(epsilon=0.1, delta=0.0)
    >>> Laplace.from_epsilon(0.11).stated.epsilon
    0.11
    """

    scale: float
    sensitivity: float = LEFT_OPEN
    declared: Guarantee | None = field(default=None, kw_only=True)
    sensitivity_from: Origin = field(default=TYPED, kw_only=True, repr=False)
    stated: Guarantee = field(init=False, repr=False, compare=False)
    key: ClassVar[str] = "laplace"
    label: ClassVar[str] = "Laplace"
    allowed: ClassVar[tuple[Parameter, Parameter]] = (SCALE, SENSITIVITY)
    cost = LaplaceCost()
    loss = property(lambda self: LaplaceLaw(self.stated.epsilon))
    noise = property(lambda self: _LaplaceNoise(self.scale))

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        limit = self.stated.epsilon

        def profile(values: np.ndarray) -> np.ndarray:
            inside = np.abs(np.expm1((np.minimum(values, limit) - limit) / 2))
            beyond = np.abs(np.expm1(np.minimum(values, 0.0)))
            return np.minimum(raised(np.where(values <= -limit, beyond, inside), 16), 1.0)

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        limit = self.stated.epsilon

        def inverse(values: np.ndarray) -> np.ndarray:
            inside = limit + 2 * np.log1p(-np.minimum(values, 1 - 1e-16)) + slack(2) * limit
            return np.where(inside > 0, np.minimum(raised(inside, 16), limit), 0.0)

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return elementwise(lambda order: np.maximum(laplace_rdp(self.stated.epsilon, order), LEAST), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε + e^-ε - 1, the slope of its Rényi curve at order 1."""
        return max(laplace_rho(self.stated.epsilon), LEAST)

    def bare(self, ratio: float) -> Laplace:
        """Return Laplace noise of that ε."""
        return Laplace.from_epsilon(1 / RATIO.check(ratio), 1.0)

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        drawn = rng.laplace(0.0, self.scale, size)
        drawn += value
        return drawn
