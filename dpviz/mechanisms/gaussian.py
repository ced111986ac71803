"""Gaussian noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.gaussian_profile import calibrated_sigma, gaussian_delta, gaussian_epsilon, quoted_delta
from dpviz.mechanisms.mechanism import LEAST, OUTWARD, Mechanism, elementwise
from dpviz.parameters import ALPHA, DELTA, REAL_EPSILON, SENSITIVITY, SIGMA


@dataclass(frozen=True, slots=True)
class Gaussian(Mechanism):
    """Adds N(0, sigma²) noise to an answer whose L2 sensitivity is given.

    Parameters
    ----------
    sigma : float
        Standard deviation, in units of the answer, in (0, inf).
    sensitivity : float
        L2 sensitivity in units of the answer, in (0, inf).

    Raises
    ------
    ValueError
        When a value lies outside its interval, or the noise does not meet a stated pair.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity.

    References
    ----------
    Balle & Wang (2018), Thm 8; Mironov (2017), Prop. 7; Bun & Steinke (2016), Prop. 1.6.

    Examples
    --------
    >>> Gaussian(10).epsilon(1e-6)  # doctest: +ELLIPSIS
    0.39685737764...
    >>> round(Gaussian.from_guarantee(0.5, 0.01, calibration="classical").sigma, 4)
    6.215
    """

    sigma: float
    sensitivity: float = 1.0
    stated: Guarantee | None = field(default=None, kw_only=True)
    calibration: str | None = field(default=None, kw_only=True)
    key: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", SIGMA.check(self.sigma))
        object.__setattr__(self, "sensitivity", SENSITIVITY.check(self.sensitivity))
        if (self.stated is None) != (self.calibration is None):
            raise ValueError("stated and calibration must be given together; use Gaussian.from_guarantee")
        SIGMA.check(self.mu, "sensitivity / sigma")
        if self.stated is not None and not self._meets(self.stated):
            raise ValueError(
                f"the {self.calibration} calibration does not give {self.stated}: noise with sigma {self.sigma:.6g} "
                f"has delta {self.delta(self.stated.epsilon):.3g} there; it is proved for epsilon in (0, 1) only, "
                "use the analytic calibration"
            )

    def _meets(self, stated: Guarantee) -> bool:
        delta = quoted_delta(stated.epsilon, self.mu) if stated.epsilon < math.inf else 0.0
        return delta <= stated.delta * (1 + 1e-12)

    @classmethod
    def from_guarantee(
        cls, epsilon: float, delta: float, sensitivity: float = 1.0, calibration: str = "analytic"
    ) -> Gaussian:
        """Return Gaussian noise that meets (`epsilon`, `delta`); the typed pair stays its stated pair."""
        sigma = calibrated_sigma(calibration, epsilon, delta, sensitivity)
        return cls(sigma, sensitivity, stated=Guarantee(epsilon, delta), calibration=calibration)

    @property
    def note(self) -> str:
        """What must be said about its calibration: nothing within the proven range."""
        if self.calibration in (None, "analytic") or self.stated.epsilon < 1:
            return ""
        where = f"the {self.calibration} calibration is proved for ε in (0, 1) only"
        return f"{where}; this pair holds by the exact profile"

    @property
    def mu(self) -> float:
        """sensitivity / sigma, the parameter of Gaussian differential privacy."""
        return self.sensitivity / self.sigma

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        if self.stated is None:
            return {"sigma": self.sigma, "sensitivity": self.sensitivity}
        pair = {"epsilon": self.stated.epsilon, "delta": self.stated.delta}
        return {**pair, "sensitivity": self.sensitivity, "calibration": self.calibration}

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """Return the exact δ(ε) for every real ε."""
        return elementwise(lambda values: gaussian_delta(values, self.mu), epsilon, REAL_EPSILON)

    def epsilon(self, delta: float | np.ndarray) -> float | np.ndarray:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf at δ = 0."""
        return elementwise(lambda values: gaussian_epsilon(values, self.mu), delta, DELTA)

    def rdp(self, alpha: float | np.ndarray) -> float | np.ndarray:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return elementwise(lambda order: order * self.rho, alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter μ²/2."""
        return max(self.mu * self.mu / 2 * OUTWARD, LEAST)

    def sample(self, value: float, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        return value + rng.normal(0.0, self.sigma, size)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        middle = (value + other) / 2
        return (value - other) / self.sigma * ((np.asarray(outputs, dtype=float) - middle) / self.sigma)
