"""What noise costs at a Rényi order, along its strength: for shaping a split of a budget, never for a guarantee."""

from __future__ import annotations

import math

import numpy as np

MEAN_ORDER = 1 + 1e-7  # below, the limit at order 1 stands
_WIDE_STEP = 1e-3  # in ln u, of costs whose slope is known numerically only


class Cost:
    """The cost of one use, and its error, as functions of u = 1 / strength; each has ``cost(u, order)``.

    That is the Rényi divergence at an order in [1, inf], at 1 the zCDP parameter ρ. Here: noise whose variance goes
    with the square of its scale.
    """

    __slots__ = ()
    variance_factor = 1.0  # variance of one use at sensitivity 1 and u = 1

    def variance(self, u: np.ndarray) -> np.ndarray:
        """Return the variance of one use at sensitivity 1."""
        return self.variance_factor / u**2

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln dc/du at u = e^x."""
        rise = self.cost(np.exp(x + _WIDE_STEP), order) - self.cost(np.exp(x - _WIDE_STEP), order)
        return np.log(rise / (2 * _WIDE_STEP)) - x

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        """Return ln of minus d(variance)/du at u = e^x."""
        return math.log(2 * self.variance_factor) - 3 * x


class ConcentratedCost(Cost):
    """The cost of noise with the Rényi curve of Gaussian noise; the variance is its own but where noise is small."""

    __slots__ = ()

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        """Return the order times ρ."""
        return order * u * u / 2

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln dc/du at u = e^x."""
        return math.log(order) + x
