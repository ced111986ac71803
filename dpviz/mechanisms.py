"""The mechanisms: frozen values that know their privacy profile, their Rényi curve and how to simulate themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.special import expit

from dpviz.decimals import rounded_up, typed
from dpviz.gaussian import calibrated_sigma, gaussian_delta, gaussian_epsilon, quoted_delta
from dpviz.guarantee import Guarantee
from dpviz.parameters import ALPHA, DELTA, REAL_EPSILON, SCALE, SENSITIVITY, SIGMA, Parameter
from dpviz.renyi import laplace_rdp, laplace_rho, pure_rdp, pure_rho
from dpviz.rounding import shown_near

FINITE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_high=True)
POSITIVE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_low=True, open_high=True)
_ULPS = 1 + 2e-15  # outward rounding of a handful of double operations
_LEAST = math.nextafter(0.0, 1.0)  # what is too small for a double is never 0
_NEAR = 4e-16  # of two numbers that nearly cancel: rounding of either


def _elementwise(function: Callable, values: object, check: Parameter) -> float | np.ndarray:
    """Scalar in, float out; array in, array out."""
    array = check.check_array(values)
    with np.errstate(over="ignore", under="ignore"):
        result = function(array)
    return float(result) if array.ndim == 0 else result


def _pure_delta(epsilon: np.ndarray, limit: float) -> np.ndarray:
    """Profile of randomized response with parameter `limit`: (p - e^ε (1-p))_+ between the atoms."""
    inside = np.abs(np.expm1(np.minimum(epsilon, limit) - limit)) * expit(limit)
    return np.minimum(np.where(epsilon <= -limit, np.abs(np.expm1(np.minimum(epsilon, 0.0))), inside) * _ULPS, 1.0)


def _pure_epsilon(delta: np.ndarray, limit: float) -> np.ndarray:
    share = np.minimum(delta * (1 + math.exp(-limit)), 1 - 1e-16)
    return np.clip((np.log1p(-share) + limit + _NEAR * limit) * _ULPS, 0.0, limit)


# Shifts by 1 of Laplace noise on integers have a loss of ε or -ε and nothing between: that of randomized response.
REAL_VALUED = (
    "Laplace and Gaussian noise is real-valued noise. Of Gaussian noise on integers (2020 Census, OpenDP, Tumult) "
    "only Zero-concentrated DP and Rényi DP hold, without sampling: for the Census' state level, tight accounting lies "
    "0.0086 below the truth. "
    "Laplace noise on integers costs what randomized response with its ε does: enter it as that."
)


class Mechanism:
    """What all mechanisms share; each names its own parameters and laws.

    A profile is symmetric (both directions agree) unless a mechanism says otherwise in `profiles`.
    """

    __slots__ = ()
    key: ClassVar[str]
    label: ClassVar[str]
    relation: ClassVar[str | None] = None

    @property
    def profiles(self) -> tuple[Callable, ...]:
        """The directional privacy profiles, composed apart and the worst reported."""
        return (self.delta,)

    def __str__(self) -> str:
        given = self.parameters.items()
        texts = (f"{name} {shown_near(value, 9) if isinstance(value, float) else value}" for name, value in given)
        return f"{self.label} ({', '.join(texts)})"


@dataclass(frozen=True, slots=True)
class Laplace(Mechanism):
    """Adds Laplace(scale) noise to an answer whose L1 sensitivity is given.

    Parameters
    ----------
    scale : float
        Laplace b, in units of the answer, in (0, inf).
    sensitivity : float
        L1 sensitivity in units of the answer, in (0, inf).

    Raises
    ------
    ValueError
        When a value lies outside its interval.

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
    sensitivity: float = 1.0
    declared: Guarantee | None = field(default=None, kw_only=True)
    stated: Guarantee = field(init=False, repr=False, compare=False)
    key: ClassVar[str] = "laplace"
    label: ClassVar[str] = "Laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", SCALE.check(self.scale))
        object.__setattr__(self, "sensitivity", SENSITIVITY.check(self.sensitivity))
        derived = rounded_up(typed(self.sensitivity) / typed(self.scale))
        stated = self.declared or Guarantee(POSITIVE_EPSILON.check(derived, "epsilon = sensitivity / scale"))
        if not math.isclose(stated.epsilon, derived, rel_tol=1e-15) or stated.delta:
            raise ValueError(f"declared must be sensitivity / scale = {derived!r}; got {stated}")
        object.__setattr__(self, "stated", stated)

    @classmethod
    def from_epsilon(cls, epsilon: float, sensitivity: float = 1.0) -> Laplace:
        """Return Laplace noise that is `epsilon`-DP; the typed ε stays its stated ε."""
        epsilon, sensitivity = POSITIVE_EPSILON.check(epsilon), SENSITIVITY.check(sensitivity)
        if not SCALE.admits(sensitivity / epsilon):
            raise ValueError(
                f"epsilon must be such that sensitivity / epsilon is in {SCALE.interval}; got {epsilon!r} "
                f"at sensitivity {sensitivity!r}"
            )
        return cls(sensitivity / epsilon, sensitivity, declared=Guarantee(epsilon))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        given = {"scale": self.scale} if self.declared is None else {"epsilon": self.declared.epsilon}
        return {**given, "sensitivity": self.sensitivity}

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """Return the tight δ(ε) for every real ε."""
        limit = self.stated.epsilon

        def profile(values: np.ndarray) -> np.ndarray:
            inside = np.abs(np.expm1((np.minimum(values, limit) - limit) / 2))
            beyond = np.abs(np.expm1(np.minimum(values, 0.0)))
            return np.minimum(np.where(values <= -limit, beyond, inside) * _ULPS, 1.0)

        return _elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: float | np.ndarray) -> float | np.ndarray:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        limit = self.stated.epsilon

        def inverse(values: np.ndarray) -> np.ndarray:
            inside = limit + 2 * np.log1p(-np.minimum(values, 1 - 1e-16)) + _NEAR * limit
            return np.where(inside > 0, np.minimum(inside * _ULPS, limit), 0.0)

        return _elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: float | np.ndarray) -> float | np.ndarray:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return _elementwise(lambda order: np.maximum(laplace_rdp(self.stated.epsilon, order), _LEAST), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε + e^-ε - 1, the slope of its Rényi curve at order 1."""
        return max(laplace_rho(self.stated.epsilon), _LEAST)

    def sample(self, value: float, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        return value + rng.laplace(0.0, self.scale, size)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        outputs = np.asarray(outputs, dtype=float)
        return (np.abs(outputs - other) - np.abs(outputs - value)) / self.scale


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
        return _elementwise(lambda values: gaussian_delta(values, self.mu), epsilon, REAL_EPSILON)

    def epsilon(self, delta: float | np.ndarray) -> float | np.ndarray:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf at δ = 0."""
        return _elementwise(lambda values: gaussian_epsilon(values, self.mu), delta, DELTA)

    def rdp(self, alpha: float | np.ndarray) -> float | np.ndarray:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return _elementwise(lambda order: order * self.rho, alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter μ²/2."""
        return max(self.mu * self.mu / 2 * _ULPS, _LEAST)

    def sample(self, value: float, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        return value + rng.normal(0.0, self.sigma, size)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        middle = (value + other) / 2
        return (value - other) / self.sigma * ((np.asarray(outputs, dtype=float) - middle) / self.sigma)


class _LeakyResponse(Mechanism):
    """Leaky randomized response with stated (ε, δ): the worst of all (ε, δ)-DP mechanisms."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """Return the tight δ(ε) for every real ε."""
        limit, leak = self.stated.epsilon, self.stated.delta
        return _elementwise(
            lambda values: np.minimum(1.0, leak + (1 - leak) * _pure_delta(values, limit)), epsilon, REAL_EPSILON
        )

    def epsilon(self, delta: float | np.ndarray) -> float | np.ndarray:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf where `delta` is below the stated δ."""
        limit, leak = self.stated.epsilon, self.stated.delta

        def inverse(values: np.ndarray) -> np.ndarray:
            rest = np.maximum(values - leak, 0.0) / (1 - leak) * (1 - 4e-16) if leak < 1 else np.zeros_like(values)
            return np.where(values < leak, np.inf, np.where(values >= 1, 0.0, _pure_epsilon(rest, limit)))

        return _elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: float | np.ndarray) -> float | np.ndarray:
        """Return the Rényi divergence of order `alpha` in (1, inf); inf where a leak has probability above 0."""
        if self.stated.delta > 0:
            return _elementwise(lambda order: np.full(order.shape, np.inf), alpha, ALPHA)
        limit, least = self.stated.epsilon, _LEAST if self.stated.epsilon > 0 else 0.0
        return _elementwise(lambda order: np.maximum(pure_rdp(limit, order), least), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε tanh(ε/2); inf where a leak has probability above 0."""
        least = _LEAST if self.stated.epsilon > 0 else 0.0
        return math.inf if self.stated.delta > 0 else max(pure_rho(self.stated.epsilon), least)

    def sample(self, value: int, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the secret bit `value`: 0, 1, or with probability δ the leak, 2 + value."""
        bit = _bit(value)
        answers = np.where(rng.random(size) < expit(self.stated.epsilon), bit, 1 - bit)
        return np.where(rng.random(size) < self.stated.delta, 2 + bit, answers) if self.stated.delta else answers

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        value, other, limit = _bit(value), _bit(other), self.stated.epsilon
        if value == other:
            return np.zeros(np.shape(outputs))
        size = np.where(np.asarray(outputs) >= 2, np.inf, limit)
        return np.where(np.asarray(outputs) % 2 == value, size, -size)


def _bit(value: object) -> int:
    if value not in (0, 1):
        raise ValueError(f"the secret of a randomized response must be 0 or 1; got {value!r}")
    return int(value)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse(_LeakyResponse):
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

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "stated", Guarantee(FINITE_EPSILON.check(epsilon)))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {"epsilon": self.stated.epsilon}


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

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "stated", Guarantee(FINITE_EPSILON.check(epsilon), delta))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {"epsilon": self.stated.epsilon, "delta": self.stated.delta}


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

    def __init__(self, delta: float) -> None:
        object.__setattr__(self, "stated", Guarantee(0.0, delta))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {"delta": self.stated.delta}

    def sample(self, value: float, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the record `value`: the record, or NaN for nothing."""
        return np.where(rng.random(size) < self.stated.delta, float(value), np.nan)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        outputs = np.asarray(outputs, dtype=float)
        if value == other:
            return np.zeros(outputs.shape)
        return np.where(outputs == value, np.inf, np.where(outputs == other, -np.inf, 0.0))
