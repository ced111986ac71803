"""What noise costs at a Rényi order, along its strength: for shaping a split of a budget, never for a guarantee.

Everything is a function of the loss u = 1 / strength: ε of Laplace noise and randomized response, μ of Gaussian noise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.gaussian_profile import gaussian_epsilon
from dpviz.mechanisms.renyi import excess, laplace_rdp, pure_rdp

MEAN_ORDER = 1 + 1e-7  # below, the limit at order 1 stands
_WIDE_STEP = 1e-3  # in ln u, of costs whose slope is known numerically only


class Cost(ABC):
    """The cost of one use, and its error, as functions of u; equal ones cost the same."""

    __slots__ = ()

    @abstractmethod
    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the Rényi divergence at an order in [1, inf]; at 1 the zCDP parameter ρ."""

    @abstractmethod
    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return the variance of one use at sensitivity 1."""

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln dc/du at u = e^x."""
        rise = self.cost(np.exp(x + _WIDE_STEP), order) - self.cost(np.exp(x - _WIDE_STEP), order)
        return np.log(rise / (2 * _WIDE_STEP)) - x

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln of minus d(variance)/du at u = e^x."""
        fall = self.variance(np.exp(x - _WIDE_STEP)) - self.variance(np.exp(x + _WIDE_STEP))
        return np.log(fall / (2 * _WIDE_STEP)) - x


def _log_sinh(h: np.ndarray) -> np.ndarray:
    return h + np.log(-np.expm1(-2 * h)) - math.log(2)


@dataclass(frozen=True, slots=True)
class LaplaceCost(Cost):
    """ε of Laplace noise."""

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the curve of Laplace noise; u at order inf."""
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

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return 2/u²."""
        return 2 / u**2

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln 4/u³."""
        return math.log(4) - 3 * x


@dataclass(frozen=True, slots=True)
class GaussianCost(Cost):
    """μ of Gaussian noise; at order inf its cost is the ε of the stated δ."""

    delta: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return α u²/2."""
        return order * u * u / 2 if order < math.inf else gaussian_epsilon(np.full(u.shape, self.delta), u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln αu."""
        return math.log(order) + x if order < math.inf else Cost.log_slope(self, x, order)

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return 1/u²."""
        return 1 / u**2

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln 2/u³."""
        return math.log(2) - 3 * x


@dataclass(frozen=True, slots=True)
class ResponseCost(Cost):
    """ε of randomized response, its variance that of the unbiased estimate of its bit."""

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the curve of randomized response; u at order inf."""
        if math.isinf(order):
            return u
        return pure_rdp(u, np.array(order)) if order > MEAN_ORDER else u * np.tanh(u / 2)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return the logarithm of its slope."""
        u = np.exp(x)
        if math.isinf(order):
            return np.zeros(x.shape)
        half = np.tanh(u / 2)
        if order <= MEAN_ORDER:
            return np.log(half + u / 2 * (1 - half) * (1 + half))
        whole = np.tanh((2 * order - 1) * u / 2)
        return np.log((whole - half) / 2 / (order - 1) + whole)

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return 1/(4 sinh²(u/2))."""
        return 1 / (4 * np.sinh(u / 2) ** 2)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln of cosh(u/2) / (4 sinh³(u/2))."""
        h = np.exp(x) / 2
        return h + np.log1p(np.exp(-2 * h)) - math.log(2) - 3 * _log_sinh(h) - math.log(4)


@dataclass(frozen=True, slots=True)
class SampledCost(Cost):
    """A proxy, at most the base's cost: a χ² term, exact at order 2, and above that order the term in rate^order."""

    base: Cost
    rate: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the proxy."""
        base = self.base.cost(u, order)
        if math.isinf(order):
            return np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + base)
        square = _log_expm1(self.base.cost(u, 2.0)) + 2 * math.log(self.rate) + math.log(order / 2)
        if order <= 2:
            return np.minimum(np.logaddexp(0.0, square + math.log(max(order - 1, 1e-9))) / max(order - 1, 1e-9), base)
        largest = _log_expm1((order - 1) * base) + order * math.log(self.rate)
        return np.minimum(np.logaddexp(0.0, np.logaddexp(square + math.log(order - 1), largest)) / (order - 1), base)

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return the base's."""
        return self.base.variance(u)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return the base's."""
        return self.base.log_variance_slope(x)



def _log_expm1(y: np.ndarray) -> np.ndarray:
    return np.where(y > 30, y, np.log(np.expm1(np.minimum(y, 30.0))))
