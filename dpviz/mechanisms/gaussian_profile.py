"""Gaussian noise exactly: its privacy profile in log space, the inverses, and the calibrations of sigma.

Everything is in mu = sensitivity / sigma. With a = ε/μ - μ/2 and b = ε/μ + μ/2 the profile of Balle & Wang (2018),
Thm 8, is Φ(-a) - e^ε Φ(-b) = φ(a) (m(a) - m(b)), where m(x) = Φ(-x)/φ(x) is the Mills ratio: no cancelling
exponentials, valid down to δ = 1e-300.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, erfinv, ndtr, ndtri_exp

from dpviz.parameters import DELTA, EPSILON, MU, SENSITIVITY
from dpviz.records import Record, record_named

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(14)
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
_NARROW = 0.5  # below this mu the difference of Mills ratios loses digits; its integral does not
_FAR = 12.0  # beyond this the asymptotic series of the Mills ratio's slope is exact to double precision
_SERIES = [math.prod(range(1, 2 * n, 2)) * (-1) ** (n + 1) for n in range(1, 16)]
_FARTHEST = 1e150  # standard deviations; there the profile is far below the smallest double
_SMALLEST_MU, _LARGEST_MU = 1e-150, 1e150  # where its square is a double
_CERTAIN_MU = 1e9  # beyond, the tail of the loss stands in for the profile: above it by less than rounding
_ROUNDING = 2e-14  # error of the log profile, measured against mpmath
_ULPS = 1 + 1e-15  # outward rounding of a handful of double operations


def _mills(x: np.ndarray) -> np.ndarray:
    return math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))


def _minus_mills_slope(x: np.ndarray) -> np.ndarray:
    """1 - x m(x) = 1/x² - 3/x⁴ + 15/x⁶ ..., positive and decreasing."""
    near = 1.0 - x * _mills(x)
    if not (x >= _FAR).any():
        return near
    inverse = 1.0 / np.maximum(x, _FAR) ** 2
    series = np.zeros_like(inverse)
    for term in reversed(_SERIES):
        series = (series + term) * inverse
    return np.where(x >= _FAR, series, near)


def _mills_difference(a: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """m(a) - m(a + mu) for a > -1."""
    if (mu >= _NARROW).all():
        return _mills(a) - _mills(a + mu)
    half = mu / 2
    nodes = a[..., None] + half[..., None] * (1 + _NODES)
    integral = half * (_minus_mills_slope(nodes) @ _WEIGHTS)
    return np.where(mu < _NARROW, integral, _mills(a) - _mills(a + mu))


def log_profile(epsilon: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ln δ(ε) and its slope in ε, for ε >= 0 and 0 < μ < inf.

    Parameters
    ----------
    epsilon, mu : ndarray of float, same shape

    Returns
    -------
    tuple of ndarray
        ``(ln δ, d ln δ / d ε)``; relative error of δ below 1e-13 plus 4e-16 a².

    References
    ----------
    Balle & Wang (2018), Improving the Gaussian mechanism for differential privacy, Thm 8.

    Examples
    --------
    >>> float(np.exp(log_profile(np.array([1.0]), np.array([1.0]))[0][0]))  # doctest: +ELLIPSIS
    0.126936737506...
    """
    a = epsilon / mu - mu / 2
    log_phi = -0.5 * a * a - _LOG_ROOT_TWO_PI
    safe = np.maximum(a, -1.0)
    difference = _mills_difference(safe, mu)
    mills_b = _mills(a + mu)
    wide = (a < 0) & (mu >= _NARROW)
    phi = np.exp(log_phi)
    direct = np.where(wide, ndtr(-a) - phi * mills_b, 1.0)
    log_delta = np.where(wide, np.log(direct), log_phi + np.log(difference))
    slope = -np.where(wide, phi * mills_b / direct, mills_b / difference)
    return log_delta, slope


def _log_delta(epsilon: float, mu: float) -> float:
    """ln δ(ε) of one point, as `log_profile` computes it, several times quicker than for an array of one."""
    a = epsilon / mu - mu / 2
    log_phi = -0.5 * a * a - _LOG_ROOT_TWO_PI
    if mu < _NARROW:
        half = mu / 2
        return log_phi + math.log(half * float(_minus_mills_slope(a + half * (1 + _NODES)) @ _WEIGHTS))
    if a < 0:
        return math.log(ndtr(-a) - math.exp(log_phi) * float(_mills(a + mu)))
    return log_phi + math.log(float(_mills(a)) - float(_mills(a + mu)))


def quoted_delta(epsilon: float, mu: float) -> float:
    """Return δ(ε) of one point for ε in [0, inf) and μ in (0, inf), rounded up as by `gaussian_delta`, but quicker.

    Examples
    --------
    >>> quoted_delta(1.0, 1.0)  # doctest: +ELLIPSIS
    0.126936737506...
    """
    a = epsilon / mu
    if not (_SMALLEST_MU < mu < _LARGEST_MU and a < _FARTHEST):
        return float(gaussian_delta(epsilon, mu))
    try:
        quoted = math.exp(min(0.0, _log_delta(epsilon, mu) + _ROUNDING + 4e-16 * a * a))
    except (ValueError, OverflowError):  # the logarithm of what has vanished, or squares beyond doubles
        return float(gaussian_delta(epsilon, mu))
    return max(quoted, math.nextafter(0.0, 1.0))


def gaussian_delta(epsilon: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the exact δ(ε) of Gaussian noise for every real ε.

    Parameters
    ----------
    epsilon : ndarray of float
        Any real number; at -inf δ is 1, at inf 0.
    mu : ndarray of float
        In [0, inf].

    Notes
    -----
    Rounded up by at most 1e-13 relative. Both directions agree, so any neighbour relation.

    References
    ----------
    Balle & Wang (2018), Thm 8; Dong, Roth & Su (2022), Cor. 2.13.

    Examples
    --------
    >>> float(gaussian_delta(0.0, 0.0))
    0.0
    """
    epsilon, mu = np.broadcast_arrays(np.asarray(epsilon, float), MU.check_array(mu))
    finite = np.isfinite(epsilon) & (mu > 0) & np.isfinite(mu)
    size = np.abs(np.where(finite, epsilon, 1.0))
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        safe = np.where(finite, mu, 1.0)
        within = np.minimum(size, _FARTHEST * safe)  # beyond, squares overflow; the profile only falls
        a = within / safe
        log_delta, _ = log_profile(within, safe)
        positive = np.exp(np.minimum(0.0, log_delta + _ROUNDING + 4e-16 * a * a))
        positive = np.maximum(positive, np.nextafter(0.0, 1.0))  # a δ too small for a double is never 0
        negative = np.minimum(1.0, (-np.expm1(-size) + np.exp(-size) * positive) * _ULPS)
    limits = np.where(np.isinf(mu), 1.0, np.minimum(np.abs(np.expm1(np.minimum(epsilon, 0.0))) * _ULPS, 1.0))
    limits = np.where(np.isposinf(epsilon) & np.isfinite(mu), 0.0, limits)
    return np.where(finite, np.where(epsilon < 0, negative, positive), limits)


def gaussian_epsilon(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf where none is finite.

    Parameters
    ----------
    delta : ndarray of float
        In [0, 1].
    mu : ndarray of float
        In [0, inf].

    Notes
    -----
    Newton's method from the right: ln δ is concave in ε (a convolution of log-concave functions), so every step
    stays on the safe side. Rounded up.

    Examples
    --------
    >>> round(float(gaussian_epsilon(1e-6, 0.1)), 10)
    0.3968573776
    """
    delta, mu = np.broadcast_arrays(DELTA.check_array(delta), MU.check_array(mu))
    epsilon = np.where((mu == 0) | (delta >= 1), 0.0, np.inf)
    solvable = (delta > 0) & (delta < 1) & (mu > 0) & np.isfinite(mu)
    extreme = solvable & ((mu < _SMALLEST_MU) | (mu > _CERTAIN_MU))
    if extreme.any():
        epsilon[extreme] = _far(delta[extreme], mu[extreme])
        solvable &= ~extreme
    if solvable.any():
        epsilon[solvable] = _newton(np.log(delta[solvable]), mu[solvable])
    return epsilon


def _far(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """A bound where the profile has no digits: δ(ε) <= P[loss > ε], and δ(0) < μ."""
    with np.errstate(over="ignore"):
        epsilon = (mu * (mu / 2) - mu * ndtri_exp(np.log(delta))) * _ULPS
    return np.where(delta >= mu, 0.0, np.maximum(epsilon, 0.0))


def composed_mu(counts: np.ndarray, mus: np.ndarray) -> np.ndarray:
    """Return sqrt(Σ count μ²) over the last axis, the μ of composed Gaussian noise, even where a square overflows.

    Parameters
    ----------
    counts : ndarray of int, shape (points, mechanisms)
    mus : ndarray of float, shape (mechanisms,)
        In [0, inf].

    References
    ----------
    Dong, Roth & Su (2022), Gaussian Differential Privacy, Cor. 3.3.

    Examples
    --------
    >>> composed_mu(np.array([[9, 16]]), np.array([1e200, 1e200]))
    array([5.e+200])
    """
    used = np.where(counts > 0, mus, 0.0)
    largest = used.max(axis=-1, initial=0.0)
    unit = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    with np.errstate(over="ignore"):
        return unit * np.sqrt((counts * (used / unit[..., None]) ** 2).sum(axis=-1))


def _newton(log_delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    root = np.sqrt(-2 * log_delta)
    epsilon = mu * mu / 2 + mu * root  # P[loss > ε] <= exp(-a²/2): right of the answer
    target = log_delta - _ROUNDING - 4e-16 * root * root
    with np.errstate(under="ignore"):
        for _ in range(100):
            value, slope = log_profile(epsilon, mu)
            step = np.minimum((target - value) / slope, 0.0)
            epsilon = np.maximum(epsilon + step, 0.0)
            if np.all(-step <= 1e-15 * epsilon):
                break
    return np.where(epsilon > 0, epsilon * (1 + 2e-15), 0.0)


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the largest μ whose exact profile meets (`epsilon`, `delta`), rounded down.

    Parameters
    ----------
    epsilon : float
        In [0, inf).
    delta : float
        In (0, 1).

    References
    ----------
    Balle & Wang (2018), Thm 9 (the analytic Gaussian mechanism).

    Examples
    --------
    >>> round(1 / gaussian_mu(0.5, 1e-5), 10)
    7.0318266756
    """
    if delta == 0 or math.isinf(epsilon):
        return 0.0 if delta == 0 else math.inf
    if epsilon == 0:
        return 2 * math.sqrt(2) * float(erfinv(delta)) * (1 - 1e-14)
    log_two = 2 * math.log(1 / delta)
    low = 2 * epsilon / (math.sqrt(log_two + 2 * epsilon) + math.sqrt(log_two))
    if not 1e-290 < epsilon < 1e15 or delta < 1e-300:  # the closed form, a little smaller, where doubles end
        return low * (1 - 1e-14)
    target = math.log(delta) - _ROUNDING - 2e-15  # the profile itself is quoted that much higher

    def meets(mu: float) -> bool:
        return _log_delta(epsilon, mu) <= target - 4e-16 * (epsilon / mu) ** 2

    mu = _newton_mu(epsilon, target, low)
    step = 1e-15
    while not meets(mu):
        mu, step = max(low, mu * (1 - step)), 2 * step
    return mu * (1 - 4e-16)


def _newton_mu(epsilon: float, target: float, mu: float) -> float:
    """The μ with ln δ = `target`, from a smaller one, by Newton's method in ln μ: d δ / d μ = φ(a)."""
    for _ in range(60):
        value = _log_delta(epsilon, mu)
        a = epsilon / mu - mu / 2
        slope = mu * math.exp(-0.5 * a * a - _LOG_ROOT_TWO_PI - value)
        step = (target - 4e-16 * (epsilon / mu) ** 2 - value) / slope
        mu *= math.exp(min(max(step, -0.5), 0.5))
        if abs(step) < 1e-15:
            break
    return mu


@dataclass(frozen=True, slots=True)
class Calibration(Record):
    """A rule for the sigma of Gaussian noise that is to meet (ε, δ).

    Parameters
    ----------
    proved_below : float
        The rule is proved for ε in (0, proved_below) only.
    sigma : callable
        ``sigma(epsilon, delta)`` at sensitivity 1.
    """

    proved_below: float
    sigma: Callable[[float, float], float]


def analytic_sigma(epsilon: float, delta: float) -> float:
    """Return the smallest σ that meets (`epsilon`, `delta`) at sensitivity 1, rounded up.

    Examples
    --------
    >>> round(analytic_sigma(2, 1e-5), 10)
    1.9938124456
    """
    return (1 / gaussian_mu(EPSILON.check(epsilon), DELTA.check(delta))) * (1 + 4e-16)


def classical_sigma(epsilon: float, delta: float) -> float:
    """Return sqrt(2 ln(1.25/δ))/ε, the σ of the classical proof at sensitivity 1.

    Examples
    --------
    >>> round(classical_sigma(0.5, 0.01), 4)
    6.215
    """
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def lecture_sigma(epsilon: float, delta: float) -> float:
    """Return 2 sqrt(ln(1/δ))/ε, the σ of Lecture 11 at sensitivity 1.

    Notes
    -----
    For δ <= 0.8 it is at least the classical σ, so proved for ε in (0, 1). The tail bound P[loss > ε] <= δ proves it
    for every ε <= 8 (1 - 1/√2) ln(1/δ) too (26.9 at δ = 1e-5). By the exact profile it holds further: to ε = 11.96 at
    δ = 0.1 and 41.76 at δ = 1e-6, which is checked, not proved.

    Examples
    --------
    >>> round(lecture_sigma(1, 1e-6), 4)
    7.4338
    """
    return 2 * math.sqrt(-math.log(delta)) / epsilon


CALIBRATIONS = (
    Calibration(
        "analytic",
        "Analytic",
        r"\sigma = \min\{\sigma : \Phi(\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta})"
        r" - e^\varepsilon\,\Phi(-\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta}) \le \delta\}",
        "δ in (0, 1); sensitivity in L2; any neighbour relation",
        "Balle & Wang (2018), Thm 8 and 9",
        math.inf,
        analytic_sigma,
    ),
    Calibration(
        "classical",
        "Classical",
        r"\sigma = \frac{\Delta}{\varepsilon}\sqrt{2\ln(1.25/\delta)}",
        "proved for ε in (0, 1) only; sensitivity in L2; any neighbour relation",
        "Dwork & Roth (2014), Thm A.1",
        1.0,
        classical_sigma,
    ),
    Calibration(
        "lecture11",
        "Lecture 11",
        r"\sigma = \frac{2\Delta}{\varepsilon}\sqrt{\ln(1/\delta)}",
        "proved for ε in (0, 1) at δ at most 0.8, where it is no less than the classical σ, and for ε up to"
        " 2.34 ln(1/δ) by the tail of the privacy loss; beyond that checked by the exact profile only (to ε = 41 at"
        " δ = 1e-6); sensitivity in L2; any neighbour relation",
        'Lecture notes "Advanced Composition" (Lecture 11), example 1',
        1.0,
        lecture_sigma,
    ),
)


def calibrated_sigma(calibration: str, epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the σ that the named calibration gives for (`epsilon`, `delta`).

    Raises
    ------
    ValueError
        When the calibration is unknown or a value lies outside its interval.

    Examples
    --------
    >>> calibrated_sigma("classical", 0.5, 0.01, 2.0) == 2 * classical_sigma(0.5, 0.01)
    True
    """
    rule = record_named(CALIBRATIONS, calibration)
    epsilon, delta, sensitivity = EPSILON.check(epsilon), DELTA.check(delta), SENSITIVITY.check(sensitivity)
    if not 0 < delta < 1:
        raise ValueError(f"delta of Gaussian noise must be in (0, 1); got {delta!r}")
    if math.isinf(epsilon) or (epsilon == 0 and calibration != "analytic"):
        raise ValueError(f"epsilon of Gaussian noise must be in (0, inf); got {epsilon!r}")
    return rule.sigma(epsilon, delta) * sensitivity


def gaussian_epsilon_floor(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """STUB."""
    return gaussian_epsilon(delta, mu) * (1 - 1e-12)


def gaussian_delta_floor(epsilon: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """STUB."""
    return gaussian_delta(epsilon, mu) * (1 - 1e-10)
