"""The theorems that follow a Rényi curve: zero-concentrated DP, and Rényi DP over a continuous order.

What a bound takes and returns is said once, at `Theorem.bound`.

They use the mechanism itself, also where it has a stated pair. Only what leaks, such as a black box (ε_i, δ_i) with
δ_i > 0, is read as δ_i-approximate (Bun & Steinke 2016, Def. 8.1): its curve is that of what is `spared`, randomized
response for a black box, and its δ_i is taken from the whole δ by sum.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpviz.composition.conversions import best_order
from dpviz.composition.theorem import Theorem
from dpviz.decimals import rounded_down, typed, weighted_sums
from dpviz.mechanisms import Mechanism
from dpviz.outward import lowered

_LEAST_ORDER = 1 + 1e-9  # next to the relative entropy, the limit at 1


def approximate_rho(mechanism: Mechanism) -> float:
    """Return the ρ for which `mechanism` is zCDP, or δ_i-approximately so where it leaks.

    Examples
    --------
    >>> from dpviz.mechanisms import ApproximateDP, RandomizedResponse
    >>> approximate_rho(ApproximateDP(0.5, 1e-9)) == RandomizedResponse(0.5).rho
    True
    """
    return mechanism.spared.rho


def _approximate_rdp(mechanism: Mechanism, alpha: np.ndarray) -> np.ndarray:
    if mechanism.sampled:  # summed anew for each order, and points of a curve share their first ones
        orders, places = np.unique(alpha, return_inverse=True)
        return mechanism.rdp(orders)[places].reshape(alpha.shape)
    return mechanism.spared.rdp(alpha)


def _left(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """What the leaks leave of δ, rounded down; 0 where nothing is left, -1 where they exceed it."""
    leaks = np.array([mechanism.leak or 0.0 for mechanism in mechanisms])
    if not leaks.any():
        return np.full(len(counts), delta)
    spent = weighted_sums(counts, leaks)
    return np.array([_remainder(typed(delta), each) for each in spent])


def _remainder(whole: Fraction, spent: Fraction) -> float:
    return -1.0 if spent > whole else rounded_down(whole - spent) if spent < whole else 0.0


def _total(lossless: np.ndarray, left: np.ndarray, solve: Callable) -> tuple[np.ndarray, np.ndarray]:
    """Solve where there is loss and δ is left; 0 where nothing is lost, inf elsewhere. The orders beside."""
    epsilon = np.where(lossless & (left >= 0), 0.0, np.inf)
    order = np.full(left.shape, np.nan)
    open_points = ~lossless & (left > 0)
    if open_points.any():
        with np.errstate(over="ignore"):  # orders at which nothing finite is lost prove nothing
            epsilon[open_points], order[open_points] = solve(open_points)
    return epsilon, order


def zcdp(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """Return the ε that Σ ρ_i proves at what the leaks leave of `delta`.

    References
    ----------
    Bun & Steinke (2016), Lemma 1.7; Canonne, Kamath & Steinke (2020), Cor. 13.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> round(float(zcdp((Gaussian(10),), np.array([[100]]), 1e-5)[0]), 9)
    4.728386985
    """
    rhos = np.array([approximate_rho(mechanism) for mechanism in mechanisms])
    rho = np.where(counts > 0, counts * np.where(counts > 0, rhos, 0.0), 0.0).sum(axis=1)
    left = _left(mechanisms, counts, delta)
    left = np.where(np.isinf(rho), -1.0, left)
    return _total(
        rho == 0, left, lambda points: best_order(lambda alpha: alpha * rho[points, None], left[points])
    )[0]


def renyi_total(
    mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ε that the summed Rényi curves prove, and the order at which they do.

    Parameters
    ----------
    mechanisms : tuple of Mechanism, length mechanisms
    counts : ndarray of int, shape (points, mechanisms)
    delta : float
        The whole δ, in [0, 1).

    Returns
    -------
    tuple of ndarray, shape (points,)
        ε, and the order α; NaN where no order is used.

    References
    ----------
    Mironov (2017), Prop. 1; Canonne, Kamath & Steinke (2020), Prop. 12; Bretagnolle & Huber (1979) where ε is 0.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> epsilon, order = renyi_total((Gaussian(10),), np.array([[100]]), 1e-5)
    >>> round(float(epsilon[0]), 9), round(float(order[0]), 3)
    (4.728386985, 5.432)
    """
    left = _left(mechanisms, counts, delta)
    lossy = np.array([approximate_rho(mechanism) > 0 for mechanism in mechanisms], dtype=bool)
    columns = [column for column in range(len(mechanisms)) if lossy[column] and counts[:, column].any()]

    def solve(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        uses = counts[points].astype(float)

        def curve(alpha: np.ndarray) -> np.ndarray:
            same = alpha.strides[0] == 0  # the starting grid is one row for all points
            total = np.zeros(alpha.shape)
            for column in columns:
                rdp = _approximate_rdp(mechanisms[column], alpha[:1] if same else alpha)
                used = uses[:, [column]]
                total = total + used * np.where(used > 0, rdp, 0.0)  # 0, also where it is infinite
            return total

        epsilon, order = best_order(curve, left[points])
        # Bretagnolle & Huber: the total variation, δ at ε = 0, is at most the root of 1 - e^-r at any order.
        least = np.broadcast_to(_LEAST_ORDER, (len(uses), 1))
        settled = -np.expm1(-curve(least)[:, 0]) <= lowered(left[points] ** 2, 7)
        return np.where(settled, 0.0, epsilon), np.where(settled, _LEAST_ORDER, order)

    return _total(~counts[:, lossy].any(axis=1), left, solve)


def rdp(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """Return the ε of `renyi_total`.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> bool(rdp((Laplace(10),), np.array([[100]]), 1e-6)[0] < zcdp((Laplace(10),), np.array([[100]]), 1e-6)[0])
    True
    """
    return renyi_total(mechanisms, counts, delta)[0]


def _reason(mechanisms: tuple[Mechanism, ...], delta: float) -> str:
    if delta == 0:
        return "it needs δ above 0: a Rényi curve alone proves no pure ε"
    return ""


def _reason_zcdp(mechanisms: tuple[Mechanism, ...], delta: float) -> str:
    for mechanism in mechanisms:
        if np.isinf(approximate_rho(mechanism)):
            return f"no ρ is known for {mechanism.label}"
    return _reason(mechanisms, delta)


RENYI_THEOREMS = (
    Theorem(
        "zcdp",
        "Zero-concentrated DP",
        r"\rho = \sum_i \rho_i,\qquad \delta = \inf_{\alpha>1}"
        r" \frac{e^{(\alpha-1)(\alpha\rho-\varepsilon)}}{\alpha-1}\Bigl(1-\tfrac1\alpha\Bigr)^{\alpha}",
        "a ρ for every release, also of Gaussian noise on integers; parameters fixed in advance; δ > 0",
        "Bun & Steinke (2016), Lemma 1.7; Canonne, Kamath & Steinke (2020), Cor. 13",
        False,
        _reason_zcdp,
        zcdp,
        of_laws=True,
    ),
    Theorem(
        "rdp",
        "Rényi DP",
        r"\varepsilon = \min_{\alpha>1}\; \sum_i r_i(\alpha) + \ln\tfrac{\alpha-1}{\alpha}"
        r" - \frac{\ln\delta+\ln\alpha}{\alpha-1}",
        "a Rényi curve for every release, also of Gaussian noise on integers; parameters fixed in advance; δ > 0",
        "Mironov (2017), Prop. 1; Canonne, Kamath & Steinke (2020), Prop. 12; Bretagnolle & Huber (1979) at ε = 0",
        False,
        _reason,
        rdp,
        of_laws=True,
    ),
)
