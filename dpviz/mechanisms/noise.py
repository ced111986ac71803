"""The noise that is added to a number: how far it reaches, how it is spread, and how sums of it behave."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import erfinv, ndtr, ndtri

_UP = 1 + 4e-15  # outward rounding: SciPy's inverses are good to a few units in the last place


def rounded_outwards(value: float) -> float:
    """Return `value` rounded up by what closed forms lose; the last step also where doubles run out of digits near 0.

    Examples
    --------
    >>> 1 < rounded_outwards(1.0) < 1 + 1e-14
    True
    """
    return math.nextafter(value * _UP, math.inf)


@dataclass(frozen=True, slots=True)
class Noise(ABC):
    """Noise of one scale, symmetric around 0.

    Parameters
    ----------
    scale : float
        In units of the answer, in (0, inf): what the mechanism's constructor takes first.

    Examples
    --------
    >>> LaplaceNoise(10.0).mean_distance, round(GaussianNoise(10.0).mean_distance, 4)
    (10.0, 7.9788)
    """

    scale: float

    @property
    @abstractmethod
    def mean_distance(self) -> float:
        """E|noise| in units of the answer, rounded up."""

    @property
    @abstractmethod
    def deviation(self) -> float:
        """Standard deviation in units of the answer."""

    @property
    @abstractmethod
    def pole(self) -> float:
        """Where the cumulant generating function ends; inf of Gaussian noise alone, whose sums are normal."""

    @abstractmethod
    def half_width(self, confidence: float) -> float:
        """Return the w with P[|noise| <= w] = `confidence` in (0, 1), as doubles have it."""

    @abstractmethod
    def cumulant(self, s: np.ndarray) -> np.ndarray:
        """Return ln E[exp(s noise)] at complex `s` whose real part is below the pole."""

    @abstractmethod
    def slope(self, s: float) -> float:
        """Return the derivative of `cumulant`."""

    @abstractmethod
    def density(self, outputs: np.ndarray) -> np.ndarray:
        """Return its density."""

    @abstractmethod
    def below(self, outputs: np.ndarray) -> np.ndarray:
        """Return P[noise <= outputs]."""

    @abstractmethod
    def bend(self, epsilon: float, shift: float) -> float:
        """Return the output at which the density exceeds that of noise around `shift` by the factor e^ε."""


class LaplaceNoise(Noise):
    """Noise with density exp(-|y|/b) / (2 b); the tail is Dwork & Roth (2014), Fact 3.7."""

    __slots__ = ()

    @property
    def mean_distance(self) -> float:
        """Its scale b, exactly."""
        return self.scale

    @property
    def deviation(self) -> float:
        """√2 b."""
        return math.sqrt(2) * self.scale

    @property
    def pole(self) -> float:
        """1/b."""
        return 1 / self.scale

    def half_width(self, confidence: float) -> float:
        """Return b ln(1/(1-c))."""
        return self.scale * -math.log1p(-confidence) if confidence < 1 else math.inf

    def cumulant(self, s: np.ndarray) -> np.ndarray:
        """Return -ln(1 - b²s²)."""
        return -np.log1p(-((s * self.scale) ** 2))

    def slope(self, s: float) -> float:
        """Return 2 b² s / (1 - b²s²)."""
        return 2 * self.scale**2 * s / (1 - (self.scale * s) ** 2)

    def density(self, outputs: np.ndarray) -> np.ndarray:
        """Return exp(-|y|/b) / (2 b)."""
        return np.exp(-np.abs(outputs / self.scale)) / 2 / self.scale

    def below(self, outputs: np.ndarray) -> np.ndarray:
        """Return the distribution function."""
        half = np.exp(-np.abs(outputs / self.scale)) / 2
        return np.where(outputs < 0, half, 1 - half)

    def bend(self, epsilon: float, shift: float) -> float:
        """Return (shift - ε b) / 2."""
        return (shift - epsilon * self.scale) / 2


class GaussianNoise(Noise):
    """Noise N(0, σ²), its scale σ."""

    __slots__ = ()

    @property
    def mean_distance(self) -> float:
        """σ √(2/π), rounded up."""
        return rounded_outwards(self.scale * math.sqrt(2 / math.pi))

    @property
    def deviation(self) -> float:
        """σ."""
        return self.scale

    @property
    def pole(self) -> float:
        """None: inf."""
        return math.inf

    def half_width(self, confidence: float) -> float:
        """Return σ Φ⁻¹((1+c)/2)."""
        if confidence < 0.5:
            return self.scale * (math.sqrt(2) * float(erfinv(confidence)))
        return self.scale * -float(ndtri((1 - confidence) / 2)) if confidence < 1 else math.inf

    def cumulant(self, s: np.ndarray) -> np.ndarray:
        """Return σ²s²/2."""
        return self.scale**2 * s * s / 2

    def slope(self, s: float) -> float:
        """Return σ² s."""
        return self.scale**2 * s

    def density(self, outputs: np.ndarray) -> np.ndarray:
        """Return the normal density."""
        return np.exp(-((outputs / self.scale) ** 2) / 2) / math.sqrt(2 * math.pi) / self.scale

    def below(self, outputs: np.ndarray) -> np.ndarray:
        """Return the distribution function."""
        return ndtr(outputs / self.scale)

    def bend(self, epsilon: float, shift: float) -> float:
        """Return shift/2 - ε σ²/shift."""
        return shift / 2 - epsilon * self.scale**2 / shift
