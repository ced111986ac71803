"""Rényi divergences of single mechanisms, in forms that stay exact for tiny and huge ε."""

from __future__ import annotations

import math

import numpy as np

_OUTWARD = 1 + 1e-13  # error of the stable forms below, measured against mpmath
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
    return np.minimum(np.where(far, beyond, near) * _OUTWARD, epsilon)


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
    return float(excess(-epsilon)) * _OUTWARD


def pure_rdp(epsilon: float, alpha: np.ndarray) -> np.ndarray:
    """Return the Rényi divergence of randomized response at orders `alpha` > 1, the largest of all ε-DP mechanisms.

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
        near = 2 * np.sinh(order * epsilon / 2) * np.sinh((order - 1) * epsilon / 2) / np.cosh(epsilon / 2)
        inside = np.log1p(near) / (order - 1)
        gap = np.log1p(np.exp(-epsilon)) - np.log1p(np.exp(-(2 * alpha - 1) * epsilon))
        beyond = epsilon - gap / (alpha - 1)
    return np.minimum(np.where(far, beyond, inside) * _OUTWARD, epsilon)


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
    return epsilon * math.tanh(epsilon / 2) * (1 + 1e-15)
