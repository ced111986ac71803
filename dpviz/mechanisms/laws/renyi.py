"""Rényi divergences of single mechanisms, in forms that stay exact for tiny and huge ε."""

from __future__ import annotations

import math

import numpy as np

from dpviz.outward import raised, roundings

_STABLE = roundings(1e-13)  # error of the stable forms below, measured against mpmath
_SMALL = 0.05


def excess(x: np.ndarray) -> np.ndarray:
    """Return e^x - 1 - x without cancellation.

    Examples
    --------
    >>> float(excess(1e-9))
    5.000000001666667e-19
    """
    x = np.asarray(x, dtype=float)
    result = np.asarray(np.expm1(x) - x)
    near = np.abs(x) < _SMALL
    small = x[near]
    series = np.ones_like(small)
    for n in range(10, 2, -1):
        series *= small / n
        series += 1
    result[near] = small * small / 2 * series
    return result


def sinh_excess(x: float | np.ndarray) -> np.ndarray:
    """Return sinh(x/2) / (x/2) - 1 for x >= 0 without cancellation; inf beyond doubles.

    Examples
    --------
    >>> print(f"{float(sinh_excess(1e-6)):.12g}")
    4.16666666667e-14
    """
    half, near, square, series = _halved(x, 0)
    with np.errstate(over="ignore"):
        return np.where(near, square / 6 * series, np.sinh(half) / np.where(near, 1.0, half) - 1)


def _halved(x: float | np.ndarray, less: int) -> tuple[np.ndarray, ...]:
    """Return y = x/2, where it is below 1, its square there, and 1 + y²/(4 - less)/5 (1 + y²/(6 - less)/7 (...))."""
    half = np.asarray(x, dtype=float) / 2
    near = half < 1
    square, series = np.where(near, half, 0.0) ** 2, np.ones_like(half)
    for n in range(10, 1, -1):
        series = 1 + series * square / ((2 * n - less) * (2 * n + 1))
    return half, near, square, series


def coth_excess(x: float | np.ndarray) -> np.ndarray:
    """Return (x/2) coth(x/2) - 1 for x >= 0 without cancellation.

    Examples
    --------
    >>> print(f"{float(coth_excess(1e-6)):.12g}")
    8.33333333333e-14
    """
    half, near, square, series = _halved(x, 2)  # (y cosh y - sinh y) / y is the sum of 2n y^2n / (2n+1)!
    small = square / 3 * series / (1 + sinh_excess(np.where(near, 2 * half, 0.0)))
    return np.where(near, small, half / np.tanh(np.where(near, 1.0, half)) - 1)


def bounded_range_rdp(epsilon: float, alpha: np.ndarray) -> np.ndarray:
    """Return the largest Rényi divergence of a mechanism of range `epsilon` at orders `alpha` > 1, over all scores.

    Notes
    -----
    Of the losses t and t - ε, t from 0 to ε, with a = α - 1, the moment e^(at) (A - B e^t) is largest where e^t is
    a (e^(αε) - 1) / (α (e^(aε) - 1)). With g(y) = ln(sinh(y/2) / (y/2)) the divergence there is
    g(αε) - g(aε) + (g(αε) - g(ε)) / a, and both differences are logarithms of 1 and positive terms, by
    sinh(x + y) = sinh x (cosh y + coth x sinh y).

    References
    ----------
    Dong, Durfee & Rogers (2020), Optimal differential privacy composition for exponential mechanisms.

    Examples
    --------
    >>> print(f"{float(bounded_range_rdp(1.0, np.array(2.0))):.9f}")
    0.240229014
    """
    alpha, a = np.asarray(alpha, dtype=float), np.asarray(alpha, dtype=float) - 1
    with np.errstate(over="ignore"):
        far = alpha * epsilon > 600
    order = np.where(far, 2.0, alpha)
    small, tilt = (np.where(far, 1.0, epsilon)), order - 1
    up, grown = np.sinh(small / 4), np.sinh(tilt * small / 4)

    def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        first, second = coth_excess(x), sinh_excess(y)
        return first + second + first * second

    ahead = np.log1p((2 * tilt * up * up + product(tilt * small, small)) / order)
    share = np.log1p((2 * grown * grown + tilt * product(small, tilt * small)) / order) / tilt
    with np.errstate(over="ignore", divide="ignore"):
        rest = (np.log(alpha) + np.log(-np.expm1(-epsilon))) / a + np.log(-np.expm1(-a * epsilon))
        beyond = epsilon - np.log1p(1 / a) - rest + np.log1p(-np.exp(-alpha * epsilon)) * (alpha / a)
    return np.minimum(raised(np.where(far, beyond, ahead + share), _STABLE), epsilon)


def bounded_range_rho(epsilon: float) -> float:
    """Return the least ρ for which every mechanism of range `epsilon` is ρ-zCDP: ε/(e^ε - 1) - 1 - ln(ε/(e^ε - 1)).

    Notes
    -----
    The limit of `bounded_range_rdp` at order 1, g(ε) + εg'(ε). With h(x) = ln(c + x²), g(xε) is the sum of h(x) - h(0)
    over c = (2πn/ε)², and of each the divergence is h(α) - h(a) + (h(α) - h(1))/a, at most α (h(1) - h(0) + h'(1)): the
    quotient is the mean of h' from 1 to α, at most (1 + α)/2 h'(1), for h'(x)/x falls. The slope of h(α) - h(a) in a is
    the mean of h'' from a to α, which falls while it is positive, so at most 2/(c+1), at a = 0; and as h(1) - h(0) is
    at least 1/(c+1), h(α) - h(a) is at most α (h(1) - h(0)) + a/(c+1).

    References
    ----------
    Harrison & Manurangsi (2025), Exact zCDP characterizations for fundamental differentially private mechanisms.

    Examples
    --------
    >>> print(f"{bounded_range_rho(1.0):.9f}")
    0.123301561
    """
    if epsilon < 200:
        return raised(float(np.log1p(sinh_excess(epsilon)) + coth_excess(epsilon)), _STABLE)
    return raised(epsilon - 1 - math.log(epsilon), _STABLE)


def laplace_rdp(epsilon: float, alpha: np.ndarray) -> np.ndarray:
    """Return the Rényi divergence of Laplace noise whose pure ε is `epsilon`, at orders `alpha` > 1.

    References
    ----------
    Mironov (2017), Rényi differential privacy, Prop. 6.

    Examples
    --------
    >>> round(float(laplace_rdp(0.1, np.array(2.0))), 12)
    0.00964420784
    """
    alpha = np.asarray(alpha, dtype=float)
    weight = alpha / (2 * alpha - 1)
    with np.errstate(over="ignore"):
        far = (alpha - 1) * epsilon > 600
    order = np.where(far, 2.0, alpha)
    with np.errstate(over="ignore", under="ignore"):
        up = np.where(far, 0.0, excess(np.where(far, 0.0, (order - 1) * epsilon)))
        other = (order - 1) / (2 * order - 1)
        near = np.log1p(order / (2 * order - 1) * up + other * excess(-order * epsilon)) / (order - 1)
        beyond = epsilon + np.log(weight) / (alpha - 1)
    return np.minimum(raised(np.where(far, beyond, near), _STABLE), epsilon)


def laplace_rho(epsilon: float) -> float:
    """Return ε + e^-ε - 1, the least ρ for which Laplace noise is ρ-zCDP.

    References
    ----------
    Bun & Steinke (2016), Def. 1.1, with the slope of Mironov (2017), Prop. 6 at order 1.

    Examples
    --------
    >>> round(laplace_rho(1.0), 12)
    0.367879441171
    """
    return raised(float(excess(-epsilon)), _STABLE)


def pure_rdp(epsilon: float, alpha: np.ndarray, k: int = 2) -> np.ndarray:
    """Return the Rényi divergence of randomized response among `k` values at orders `alpha` > 1.

    That between two values is the largest of all ε-DP mechanisms.

    References
    ----------
    Mironov (2017), Prop. 5; Bun & Steinke (2016), Prop. 3.3 for its being the worst case.

    Examples
    --------
    >>> round(float(pure_rdp(0.1, np.array(2.0))), 12)
    0.009958584395
    """
    alpha = np.asarray(alpha, dtype=float)
    with np.errstate(over="ignore"):
        far = alpha * epsilon > 600
    order = np.where(far, 1.5, alpha)  # what stands there is not used
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        whole = np.cosh(epsilon / 2) + (k - 2) / 2 * np.exp(-epsilon / 2)
        near = 2 * np.sinh(order * epsilon / 2) * np.sinh((order - 1) * epsilon / 2) / whole
        inside = np.log1p(near) / (order - 1)
        rest = np.exp(-(2 * alpha - 1) * epsilon) + (k - 2) * np.exp(-alpha * epsilon)
        gap = np.log1p((k - 1) * np.exp(-epsilon)) - np.log1p(rest)
        beyond = epsilon - gap / (alpha - 1)
    return np.minimum(raised(np.where(far, beyond, inside), _STABLE), epsilon)


def pure_rho(epsilon: float) -> float:
    """Return ε tanh(ε/2), the least ρ for which every ε-DP mechanism is ρ-zCDP.

    References
    ----------
    Steinke (2024), "A tight pure-DP to zCDP conversion", Thm 5; improves Bun & Steinke (2016), Prop. 1.4.

    Examples
    --------
    >>> round(pure_rho(0.5), 12)
    0.122459331202
    """
    return raised(epsilon * math.tanh(epsilon / 2), 9)
