"""The noise that is added to a number: how far it reaches, how it is spread, and how sums of it behave."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz.outward import raised

_INVERSES = 34  # SciPy's inverses are good to a few units in the last place


def rounded_outwards(value: float) -> float:
    """Return `value` rounded up by what closed forms lose; the last step also where doubles run out of digits near 0.

    Examples
    --------
    >>> 1 < rounded_outwards(1.0) < 1 + 1e-14
    True
    """
    return math.nextafter(raised(value, _INVERSES), math.inf)


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise symmetric around 0; what is described here each kind answers itself.

    Attributes
    ----------
    scale : float
        In units of the answer, in (0, inf): what the mechanism's constructor takes first.
    mean_distance, deviation : float
        E|noise|, rounded up, and its standard deviation, in units of the answer.
    half_width : callable
        ``half_width(confidence)``: the least w with P[|noise| <= w] of at least the confidence in (0, 1], rounded up.
    density, below : callable
        At an array of outputs: the density, and P[noise <= output].
    bend : callable
        ``bend(epsilon, shift)``: the output at which the density is e^ε times that of the same noise around `shift`.
    log_ratio : callable
        ``log_ratio(outputs, value, other)``: ln of the density around `value` over that around `other`.
    cumulant : callable
        ln E[exp(s noise)] at an array of complex s whose real part is below `pole`.
    pole : float or None
        In (0, inf]; inf of Gaussian noise alone, whose sums are normal. None of noise on whole numbers: its `density`
        is the mass of each, and its `cumulant` is not known.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> Laplace(10).noise.mean_distance, round(Gaussian(10).noise.mean_distance, 4)
    (10.0, 7.9788)
    """

    scale: float


class LaplaceShaped(Noise):
    """Noise whose density, or mass of each whole number, is in proportion to exp(-|y|/scale)."""

    __slots__ = ()

    def bend(self, epsilon: float, shift: float) -> float:
        """Return the output at which it is e^ε times that of the same noise around `shift`."""
        return (shift - epsilon * self.scale) / 2

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return the logarithm of its density around `value` over that around `other`."""
        far, near = (np.asarray(np.subtract(outputs, answer)) for answer in (other, value))
        np.abs(far, out=far)  # in place: an experiment asks for millions
        far -= np.abs(near, out=near)
        far /= self.scale
        return far[()]


class GaussianShaped(Noise):
    """Noise whose density, or mass of each whole number, is in proportion to exp(-y²/2 scale²)."""

    __slots__ = ()

    def bend(self, epsilon: float, shift: float) -> float:
        """Return the output at which it is e^ε times that of the same noise around `shift`."""
        return shift / 2 - epsilon * self.scale**2 / shift

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return the logarithm of its density around `value` over that around `other`."""
        ratio = np.asarray(np.subtract(outputs, (value + other) / 2))
        ratio /= self.scale
        ratio *= (value - other) / self.scale
        return ratio[()]
