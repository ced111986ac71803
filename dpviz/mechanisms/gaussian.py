"""Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import ClassVar

import numpy as np
from scipy.special import erfinv, ndtr, ndtri

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.costs import ConcentratedCost, Cost
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma, gaussian_delta, gaussian_epsilon, quoted_delta
from dpviz.mechanisms.laws.loss_laws import GaussianLaw
from dpviz.mechanisms.left_open import LEFT_OPEN, TYPED, Origin, as_open, given_sensitivity
from dpviz.mechanisms.mechanism import LEAST, RATIO, Form, elementwise, in_digits
from dpviz.mechanisms.noise import GaussianShaped, rounded_outwards
from dpviz.mechanisms.noise_by_scale import NoiseByScale
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import ALPHA, COPIES, DELTA, MU, REAL_EPSILON, RHO, SENSITIVITY, SIGMA, Amount, Parameter

_POSITIVE_RHO, _POSITIVE_MU = (replace(each, open_low=True, open_high=True) for each in (RHO, MU))


class _GaussianNoise(GaussianShaped):
    __slots__ = ()
    mean_distance = property(lambda self: rounded_outwards(self.scale * math.sqrt(2 / math.pi)))
    deviation = property(lambda self: self.scale)
    pole = math.inf

    def half_width(self, confidence: float) -> float:
        if confidence < 0.5:
            return rounded_outwards(self.scale * (math.sqrt(2) * float(erfinv(confidence))))
        return rounded_outwards(self.scale * -float(ndtri((1 - confidence) / 2))) if confidence < 1 else math.inf

    def density(self, outputs: np.ndarray) -> np.ndarray:
        return np.exp(-((outputs / self.scale) ** 2) / 2) / math.sqrt(2 * math.pi) / self.scale

    def below(self, outputs: np.ndarray) -> np.ndarray:
        return ndtr(outputs / self.scale)

    def cumulant(self, s: np.ndarray) -> np.ndarray:
        return self.scale**2 * s * s / 2


@dataclass(frozen=True, slots=True)
class _GaussianCost(ConcentratedCost):
    """μ of Gaussian noise; at order inf its cost is the ε of the stated δ."""

    delta: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        finite = order < math.inf
        return ConcentratedCost.cost(self, u, order) if finite else gaussian_epsilon(np.full(u.shape, self.delta), u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        return (ConcentratedCost if order < math.inf else Cost).log_slope(self, x, order)


@dataclass(frozen=True, slots=True, repr=False)
class Gaussian(NoiseByScale):
    """Adds N(0, sigma²) noise to an answer whose L2 sensitivity is given.

    Parameters
    ----------
    sigma : float
        Standard deviation, in units of the answer, in (0, inf).
    sensitivity : float
        L2 sensitivity in units of the answer, in (0, inf). Left out, it follows from what a plan says of the
        release; without a plan the noise is in units of it.

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
    sensitivity: float = LEFT_OPEN
    stated: Guarantee | None = field(default=None, kw_only=True)
    calibration: str | None = field(default=None, kw_only=True)
    sensitivity_from: Origin = field(default=TYPED, kw_only=True, repr=False)
    key: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Gaussian"
    forms: ClassVar[tuple[Form, ...]] = (
        Form(("epsilon", "delta"), ("sensitivity", "calibration"), "from_guarantee"),
        Form(("sigma",), ("sensitivity",)),
    )
    norm: ClassVar[str] = "L2"
    allowed: ClassVar[tuple[Parameter, Parameter]] = (SIGMA, SENSITIVITY)
    loss = property(lambda self: GaussianLaw(self.mu))
    noise = property(lambda self: _GaussianNoise(self.sigma))
    cost = property(lambda self: _GaussianCost(self.stated.delta if self.stated else 0.0))

    def __post_init__(self) -> None:
        NoiseByScale.__post_init__(self)
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
        return delta <= raised(stated.delta, roundings(1e-12))

    @classmethod
    def from_guarantee(
        cls, epsilon: float, delta: float, sensitivity: float = LEFT_OPEN, calibration: str = "analytic"
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
            return NoiseByScale.parameters.fget(self)
        pair = {"epsilon": self.stated.epsilon, "delta": self.stated.delta}
        return {**pair, **given_sensitivity(self), "calibration": self.calibration}

    def delta(self, epsilon: Amount) -> Amount:
        """Return the exact δ(ε) for every real ε."""
        return elementwise(lambda values: gaussian_delta(values, self.mu), epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf at δ = 0."""
        return elementwise(lambda values: gaussian_epsilon(values, self.mu), delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return elementwise(lambda order: order * self.rho, alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter μ²/2."""
        return max(raised(self.mu * self.mu / 2, 16), LEAST)

    def grouped(self, copies: int) -> Gaussian:
        """Return the same noise with a sensitivity that many times as large; it states no pair then."""
        copies = COPIES.check(copies)
        return self if copies == 1 else Gaussian(self.sigma, self._over(copies))

    def at_strength(self, ratio: float) -> Gaussian:
        """Return Gaussian noise given in the same form; without a pair where it would meet ε = 0."""
        unrounded = self.bare(RATIO.check(ratio))
        pair, calibration = unrounded.stated, unrounded.calibration
        if pair is None or (calibration == "analytic" and pair.epsilon < 1e-9):
            return as_open(Gaussian(in_digits(ratio * self.sensitivity, ROUND_CEILING), self.sensitivity), self)
        epsilon = in_digits(pair.epsilon, ROUND_FLOOR)
        return as_open(Gaussian.from_guarantee(epsilon, pair.delta, self.sensitivity, calibration), self)

    def bare(self, ratio: float) -> Gaussian:
        """Return Gaussian noise of that σ.

        Examples
        --------
        >>> Gaussian(6.0, 2.0).bare(4.0)
        Gaussian(sigma=4.0, sensitivity=1.0)
        """
        if self.stated is None:
            return Gaussian(ratio, 1.0)
        delta, calibration = self.stated.delta, self.calibration
        return self._with_pair(ratio, 1.0, lambda: calibrated_sigma(calibration, 1.0, delta, 1.0) / ratio)

    def scaled(self, factor: Fraction) -> Gaussian:
        """Return `factor` times its sigma."""
        if self.stated is None:
            return NoiseByScale.scaled(self, factor)
        sigma = rounded_up(typed(self.sigma) * factor)
        pair = self._with_pair(sigma, self.sensitivity, lambda: rounded_up(typed(self.stated.epsilon) / factor))
        return as_open(pair, self)

    def _with_pair(self, sigma: float, sensitivity: float, epsilon: Callable[[], float]) -> Gaussian:
        """Other noise with the same δ, and this ε if its calibration gives that; else the least one that holds."""
        if self.calibration != "analytic":
            try:
                pair = Guarantee(epsilon(), self.stated.delta)
                return Gaussian(sigma, sensitivity, stated=pair, calibration=self.calibration)
            except ValueError:  # beyond the range in which it holds
                pass
        pair = Guarantee(float(Gaussian(sigma, sensitivity).epsilon(self.stated.delta)), self.stated.delta)
        return Gaussian(sigma, sensitivity, stated=pair, calibration="analytic")

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        drawn = rng.normal(0.0, self.sigma, size)
        drawn += value
        return drawn


def sigma_from_rho(rho: float, sensitivity: float) -> float:
    """Return the least σ whose zero-concentrated loss sensitivity² / 2 σ² is at most `rho`: Δ/√(2ρ), rounded up.

    Parameters
    ----------
    rho : float
        In (0, inf).
    sensitivity : float
        In (0, inf); its decimal and that of `rho` are taken as typed.

    Returns
    -------
    float
        Of Gaussian noise, or of discrete Gaussian noise with a whole sensitivity; inf where no double is that large.

    References
    ----------
    Bun & Steinke (2016), Prop. 1.6; Canonne, Kamath & Steinke (2020), Thm 4.

    Examples
    --------
    >>> sigma_from_rho(0.005, 1.0), sigma_from_rho(0.05, 2)
    (10.0, 6.324555320336759)
    """
    rho, size = _POSITIVE_RHO.check(rho), SENSITIVITY.check(sensitivity)
    sigma = size / math.sqrt(2) / math.sqrt(rho)
    sigma = lowered(sigma, 2)  # below the root of the exact quotient, whatever was rounded
    while sigma < math.inf and 2 * typed(rho) * min(Fraction(sigma), typed(sigma)) ** 2 < typed(size) ** 2:
        sigma = math.nextafter(sigma, math.inf)
    return sigma


def sigma_from_mu(mu: float, sensitivity: float) -> float:
    """Return the least σ of Gaussian noise whose μ, sensitivity / σ, is at most `mu`, rounded up.

    Parameters
    ----------
    mu : float
        In (0, inf).
    sensitivity : float
        In (0, inf); its decimal and that of `mu` are taken as typed.

    Returns
    -------
    float
        inf where no double is that large.

    References
    ----------
    Dong, Roth & Su (2022), Thm 2.7.

    Examples
    --------
    >>> sigma_from_mu(0.5, 1.0)
    2.0
    """
    mu, size = _POSITIVE_MU.check(mu), SENSITIVITY.check(sensitivity)
    return rounded_up(typed(size) / typed(mu))
