"""Gaussian noise exactly: its privacy profile between proved ends, the inverses, and the calibrations of sigma.

Everything is in mu = sensitivity / sigma. With a = ε/μ - μ/2 and b = ε/μ + μ/2 the profile of Balle & Wang (2018),
Thm 8, is Φ(-a) - e^ε Φ(-b) = φ(a) (m(a) - m(b)), where m(x) = Φ(-x)/φ(x) is the Mills ratio: no cancelling
exponentials. Mills ratios and, for μ < 1, their difference are series of positive terms, so that rounding is bounded
by a count of operations; only IEEE arithmetic, exp and expm1 are relied on. Every number quoted is one such bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from dpviz.outward import U, lowered, raised
from dpviz.parameters import DELTA, EPSILON, MU, SENSITIVITY
from dpviz.records import Record, record_named

_TERMS, _NARROW_TERMS = 15, 26  # of the series about a node, see the proof; for μ < 1 the second
_NARROW = 1.0  # below this μ the difference of Mills ratios is a series of its own, from there on it is a difference
_SMALLEST_MU = 1e-150  # where the remainder of ε / μ is a double
_LARGEST_MU = 2.0**42  # where a is known to a thousandth; beyond, bounds that need no digits of it
_FARTHEST = 39.25  # standard deviations; from there on δ is below the smallest double, and half of it
# Relative errors, proved: of φ(a) and the last products; of δ for μ < 1; of a Mills ratio below 5/2, and from there on.
_PLACE_ERROR = 40 * U  # engine.md 12, "place"
_NARROW_ERROR = 116 * U  # engine.md 12, "difference, μ < 1"
_SERIES_ERROR = 24 * U  # engine.md 12, "Mills ratio, x < 5/2"
_FRACTION_ERROR = 7 * U  # engine.md 12, "Mills ratio, x ≥ 5/2"
_ROOT_TWO_PI = math.sqrt(2 * math.pi)
_LIFT = 2.0**200  # keeps the factors of the smallest doubles from losing digits
_ULPS = 1 + 18 * U  # outward rounding of a handful of double operations
_TINY = 2.0**-1074

Values = TypeVar("Values", float, np.ndarray)


class _Profile(NamedTuple):
    """2^200 δ = root² factor (1 ± error), with the root as a logarithm; 2^200 φ(a) is about root² density."""

    log_root: Values
    factor: Values
    error: Values
    density: Values
    mills_b: Values

    def ends(self) -> tuple[Values, Values]:
        """Numbers below and above δ; of a δ too small for a double less than 0 and the smallest one."""
        root = _exp(self.log_root)
        value = root * (root * self.factor)
        return value * (1 - self.error) / _LIFT - _TINY, value * (1 + self.error) / _LIFT + _TINY

    def over(self, delta: Values) -> Values:
        """δ / `delta`, with all digits where it is near 1 even if neither has them."""
        root = _exp(self.log_root)
        return root * self.factor / (delta * _LIFT / root)

    def slope(self) -> Values:
        """About - d ln δ / dε, and not 0 where δ is all but 1."""
        return self.density / self.factor * self.mills_b + 1e-300

    def goal(self, steepness: Values) -> tuple[Values, Values]:
        """What ln over(delta) should be so that δ surely meets `delta`, and how near that suffices (estimates)."""
        slack = 0.2 * self.error + 4 * U * steepness
        return -self.error - 1.5 * slack, slack


def _exp(x: Values) -> Values:
    return math.exp(x) if isinstance(x, float) else np.exp(x)


def _series() -> np.ndarray:
    """I_n(x) = ∫ t^n/n! exp(-xt - t²/2) dt of n = 25, ..., 1, 0 at x = 0, 1/4, ..., 40.

    From 5/2 on their ratios are a continued fraction; below, I_n(x) = Σ C(n + k, n) (5/2 - x)^k I_(n+k)(5/2).
    """
    nodes = np.arange(10, 161) / 4
    ratio, ratios = 1 / (nodes + 18), []
    for n in range(300, 0, -1):
        ratios.append(ratio)
        ratio = 1 / (nodes + n * ratio)
    series = np.cumprod([ratio, *ratios[::-1]], axis=0)
    weights = [[math.comb(n + k, n) * series[n + k, 0] for k in range(80)] for n in range(_NARROW_TERMS)]
    powers = np.cumprod([np.ones(10), *[np.arange(10, 0, -1) / 4] * 79], axis=0).T
    below = [[math.fsum(row * power) for power in powers] for row in np.array(weights)]
    return np.hstack([below, series[:_NARROW_TERMS]])[::-1]


_SERIES = _series()
_ROWS = [tuple(column) for column in _SERIES.T.tolist()]


def _about(x: Values, terms: int) -> tuple[Values, Sequence[Values]]:
    """The distance to the node at or above x in [0, 40], and the coefficients there."""
    if isinstance(x, float):
        place = math.ceil(4 * x)
        return place / 4 - x, _ROWS[place][-terms:]
    place = np.ceil(4 * x).astype(int)
    return place / 4 - x, _SERIES[-terms:, place]


def _mills(x: Values) -> Values:
    """m(x) for x >= 0, as m(node - s) = Σ I_n(node) s^n or, far out, as its continued fraction."""
    if isinstance(x, float) and x > 40:
        return _fraction(x)
    shift, series = _about(x if isinstance(x, float) else np.minimum(x, 40.0), _TERMS)
    total = 0.0
    for term in series:
        total = total * shift + term
    return total if isinstance(x, float) or not (x > 40).any() else np.where(x > 40, _fraction(x), total)


def _fraction(x: Values) -> Values:
    """m(x) = 1/(x + 1/(x + 2/(x + 3/(x + ...)))) for x >= 40."""
    ratio = 1 / x
    for n in range(8, 0, -1):
        ratio = 1 / (x + n * ratio)
    return ratio


def _mills_pair(x: Values, half: Values) -> tuple[Values, Values]:
    """(m(x - half) + m(x + half)) / 2 and (m(x - half) - m(x + half)) / (2 half) for x >= 0 and half in [0, 1/2]."""
    shift, series = _about(x, _NARROW_TERMS)
    squared, even, odd = half * half, 0.0, 0.0
    for term in series:
        even, odd = term + shift * even + squared * odd, even + shift * odd
    return even, odd


def _product_error(x: Values, y: Values, product: Values) -> Values:
    """Return x y - `product` exactly, where `product` is x y rounded (Dekker 1971)."""
    x_high, y_high = 134217729.0 * x, 134217729.0 * y
    x_high, y_high = x_high - (x_high - x), y_high - (y_high - y)
    x_low, y_low = x - x_high, y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _place(epsilon: Values, mu: Values) -> tuple[Values, Values, Values, Values]:
    """c = ε/μ, a = c - μ/2, what rounding took from a, and 2^200 / sqrt(2 π) times exp of what it took from -a²/2."""
    c, half = epsilon / mu, mu / 2
    product = c * mu
    a = c - half
    back = a - c
    rest = ((c - (a - back)) - (half + back)) + ((epsilon - product) - _product_error(c, mu, product)) / mu
    rest = rest * (mu >= _SMALLEST_MU)  # below, it is allowed for
    tail = _product_error(a, a, a * a) / 2 + (a + rest / 2) * rest
    return c, a, rest, _exp(-tail * (a > -_FARTHEST)) * (_LIFT / _ROOT_TWO_PI)  # farther, δ is 1 to 300 digits


def _narrow(epsilon: Values, mu: Values) -> _Profile:
    """The profile for μ < 1."""
    c, a, _, scale = _place(epsilon, mu)
    mean, difference = _mills_pair(c, mu / 2)
    error = _NARROW_ERROR + (mu < _SMALLEST_MU) * 2 * U * c * (c + 1)
    return _Profile(-a * a / 4, scale * mu * difference, error, scale, mean - mu * difference / 2)


def _right(epsilon: Values, mu: Values) -> _Profile:
    """The profile for μ >= 1 and ε >= μ²/2."""
    c, a, rest, scale = _place(epsilon, mu)
    at_a, at_b = _mills(a), _mills(c + mu / 2)
    difference = at_a - at_b
    error = _PLACE_ERROR + _mills_error(a, rest) * (at_a + at_b) / difference
    return _Profile(-a * a / 4, scale * difference, error, scale, at_b)


def _left(epsilon: Values, mu: Values) -> _Profile:
    """The profile for μ >= 1 and ε < μ²/2: what two tails leave of 1."""
    c, a, rest, scale = _place(epsilon, mu)
    at_a, at_b = _mills(-a), _mills(c + mu / 2)
    density = scale * _exp(-a * a / 2)
    tails = density / _LIFT * (at_a + at_b)
    delta = 1 - tails
    error = (_PLACE_ERROR + _mills_error(-a, rest)) * tails / delta
    return _Profile(0.0 * a, delta * _LIFT, 24 * U + error, density, at_b)


def _mills_error(x: Values, rest: Values) -> Values:
    """Relative error of m(x) and of m at anything larger, where x itself lacks `rest`."""
    return _FRACTION_ERROR + (x < 2.5) * (_SERIES_ERROR - _FRACTION_ERROR) + 2 * abs(rest) / (1 + x)


def _profile(epsilon: np.ndarray, mu: np.ndarray) -> _Profile:
    """The profile at every point of flat arrays, for ε >= 0, 0 < μ <= 2^42 and ε/μ - μ/2 <= 39.25."""
    if len(epsilon) < 16:
        return _Profile(*np.array([_profile_at(*point) for point in zip(epsilon.tolist(), mu.tolist(), strict=True)]).T)
    found = np.empty((5, len(epsilon)))
    narrow, right = mu < _NARROW, epsilon / mu >= mu / 2
    for chosen, rule in ((narrow, _narrow), (~narrow & right, _right), (~narrow & ~right, _left)):
        if chosen.any():
            found[:, chosen] = rule(epsilon[chosen], mu[chosen])
    return _Profile(*found)


def _profile_at(epsilon: float, mu: float) -> _Profile:
    """The profile at one point, several times quicker than for an array of one."""
    rule = _narrow if mu < _NARROW else _right if epsilon / mu >= mu / 2 else _left
    return rule(epsilon, mu)


def quoted_delta(epsilon: float, mu: float) -> float:
    """Return δ(ε) of one point for ε in [0, inf) and μ in (0, inf), rounded up as by `gaussian_delta`, but quicker.

    Examples
    --------
    >>> quoted_delta(1.0, 1.0)  # doctest: +ELLIPSIS
    0.126936737506...
    """
    if not (_SMALLEST_MU < mu < _LARGEST_MU and epsilon < mu * (mu / 2 + _FARTHEST)):
        return float(gaussian_delta(epsilon, mu))
    return min(_profile_at(float(epsilon), float(mu)).ends()[1], 1.0)


def gaussian_delta(epsilon: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the exact δ(ε) of Gaussian noise for every real ε, rounded up.

    Parameters
    ----------
    epsilon : ndarray of float
        Any real number; at -inf δ is 1, at inf 0.
    mu : ndarray of float
        In [0, inf].

    Notes
    -----
    Proved never to be below the truth; above it by less than 1e-13 relative for μ up to 100 and ε up to 30 μ. Both
    directions agree, so any neighbour relation.

    References
    ----------
    Balle & Wang (2018), Thm 8; Dong, Roth & Su (2022), Cor. 2.13.

    Examples
    --------
    >>> float(gaussian_delta(0.0, 0.0))
    0.0
    """
    return _delta_ends(epsilon, mu)[1]


def gaussian_delta_floor(epsilon: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the exact δ(ε) of Gaussian noise for every real ε, rounded down; see `gaussian_delta`.

    Examples
    --------
    >>> bool(0 < gaussian_delta(1.0, 1.0) - gaussian_delta_floor(1.0, 1.0) < 1e-14)
    True
    """
    return _delta_ends(epsilon, mu)[0]


def _delta_ends(epsilon: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    epsilon, mu = np.broadcast_arrays(np.asarray(epsilon, float), MU.check_array(mu))
    finite = np.isfinite(epsilon) & (mu > 0) & np.isfinite(mu)
    limit = np.where(np.isinf(mu), 1.0, np.abs(np.expm1(np.minimum(epsilon, 0.0))))
    certain = np.isinf(mu) | ~np.isfinite(epsilon) | (epsilon >= 0)
    low, high = limit / np.where(certain, 1.0, _ULPS), limit * np.where(certain, 1.0, _ULPS)
    low, high = np.asarray(low), np.asarray(high)
    size, mu = np.abs(epsilon[finite]), mu[finite]
    ends = np.empty((2, size.size))
    with np.errstate(over="ignore"):
        vast = mu > _LARGEST_MU
        ends[:, vast] = _vast_ends(size[vast], mu[vast])
        within = np.minimum(size, mu * (mu / 2 + _FARTHEST))[~vast]
        if within.size:
            ends[:, ~vast] = _profile(within, mu[~vast]).ends()
    rounding = np.array([[1 / _ULPS], [_ULPS]])
    ends = np.where(epsilon[finite] < 0, (-np.expm1(-size) + np.exp(-size) * ends) * rounding, ends)
    low[finite], high[finite] = np.clip(ends, 0.0, 1.0)
    return low[()], np.minimum(high, 1.0)[()]


def _vast_ends(epsilon: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """1 - exp(-a²/2) <= δ where a <= 0, and δ <= exp(-a²/2) where a >= 0, whichever a rounding has hidden."""
    c, half = epsilon / mu, mu / 2
    blur = 4 * U * (c + half)
    left, right = np.maximum(half - c - blur, 0.0), np.maximum(c - half - blur, 0.0)
    return -np.expm1(-left * left / 2.01) / _ULPS, np.exp(-right * right / 2.01) * _ULPS + _TINY


def gaussian_epsilon(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the smallest ε >= 0 with δ(ε) <= `delta`, rounded up; inf where none is finite.

    Parameters
    ----------
    delta : ndarray of float
        In [0, 1].
    mu : ndarray of float
        In [0, inf].

    Notes
    -----
    Halley's method from the right; what it finds is an estimate until the profile there, enclosed, is at most `delta`,
    and only such an ε is returned.

    Examples
    --------
    >>> round(float(gaussian_epsilon(1e-6, 0.1)), 10)
    0.3968573776
    """
    delta, mu = np.broadcast_arrays(DELTA.check_array(delta), MU.check_array(mu))
    epsilon = np.where((mu == 0) | (delta >= 1), 0.0, np.inf)
    solvable = (delta > 0) & (delta < 1) & (mu > 0) & np.isfinite(mu)
    if solvable.any():
        with np.errstate(over="ignore", invalid="ignore"):  # of the slope where μ is hardly a double
            epsilon[solvable] = _halley(delta[solvable], mu[solvable])
    return epsilon


def _halley(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    best = mu * (mu / 2 + np.sqrt(-2 * np.log(delta))) * _ULPS + _TINY  # δ(ε) <= P[loss > ε] <= exp(-a²/2)
    best = np.where(delta < mu, best, 0.0)  # δ(0) < μ
    todo = np.flatnonzero(mu <= _LARGEST_MU)
    epsilon = best[todo]
    for _ in range(100):
        if not todo.size:
            break
        profile = _profile(epsilon, mu[todo])
        over, slope = profile.over(delta[todo]), profile.slope()
        meets = over * (1 + profile.error) <= 1
        best[todo[meets]] = np.minimum(best[todo[meets]], epsilon[meets])
        goal, slack = profile.goal(epsilon * slope)
        gap = np.log(np.maximum(over, 1e-300)) - goal
        bend = 1 / (mu[todo] * slope * profile.mills_b) - 1 / slope - 1  # d² ln δ / dε² over the slope's square
        step = gap / slope / np.maximum(1 - gap * bend / 2, 0.5)
        nearer = np.clip(epsilon + step, 0.0, best[todo])
        going = (np.abs(gap) > slack) & (nearer != epsilon)
        todo, epsilon = todo[going], nearer[going]
    return best


def gaussian_epsilon_floor(delta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Return the smallest ε >= 0 with δ(ε) <= `delta`, rounded down: nothing below it suffices; see `gaussian_epsilon`.

    Examples
    --------
    >>> bool(0 < gaussian_epsilon(1e-6, 0.1) - gaussian_epsilon_floor(1e-6, 0.1) < 1e-14)
    True
    """
    delta, mu = np.broadcast_arrays(DELTA.check_array(delta), MU.check_array(mu))
    epsilon = gaussian_epsilon(delta, mu)
    with np.errstate(over="ignore"):  # at a = -9 less than 2^-53 is missing to 1
        vast = np.minimum(mu * (mu / 2 - 12) / _ULPS, np.finfo(float).max)
    solved = (delta > 0) & (delta < 1) & np.isfinite(mu)
    epsilon = np.where(solved & (mu > _LARGEST_MU), vast, epsilon)
    todo = np.flatnonzero(solved & (mu <= _LARGEST_MU) & (epsilon > 0))
    flat, delta, mu = epsilon.reshape(-1), delta.reshape(-1), mu.reshape(-1)
    for share in 4.0 ** np.arange(1, 40):
        if not todo.size:
            break
        profile = _profile(flat[todo], mu[todo])
        short = profile.over(delta[todo]) * (1 - profile.error) < 1
        with np.errstate(over="ignore"):
            step = share * (profile.error / profile.slope() + 4 * U * flat[todo])
        flat[todo] = np.where(short, np.maximum(flat[todo] - step, 0.0), flat[todo])
        todo = todo[short & (flat[todo] > 0)]
    flat[todo] = 0.0
    return epsilon


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
    log_two = -2 * math.log(delta)
    low = 2 * epsilon / (math.sqrt(log_two + 2 * epsilon) + math.sqrt(log_two))  # P[loss > ε] <= exp(-a²/2)
    low = lowered(max(low, delta * _ROOT_TWO_PI), 88)  # δ(ε) <= δ(0) <= μ φ(0)
    if epsilon > 1e15 or delta < 1e-300:  # the closed form, where doubles end
        return low
    mu = best = low  # from there by Halley's method in ln μ: dδ/dμ = φ(a)
    for _ in range(100):
        profile = _profile_at(epsilon, mu)
        over = profile.over(delta)
        if over * (1 + profile.error) <= 1:
            best = max(best, mu)
        slope = mu * profile.density / profile.factor + 1e-300
        goal, slack = profile.goal(slope)
        gap = goal - math.log(max(over, 1e-300))
        if abs(gap) <= slack:
            break
        step, bend = gap / slope, 1 - slope + (epsilon / mu) ** 2 - mu * mu / 4
        mu = max(mu * math.exp(min(max(step / max(1 + step * bend / 2, 0.5), -0.5), 0.5)), low)
    return best


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
    return raised(1 / gaussian_mu(EPSILON.check(epsilon), DELTA.check(delta)), 2)


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
