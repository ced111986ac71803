"""Conversions between ε at δ, zCDP's ρ, Rényi curves and Gaussian DP's μ: the tight forms beside the classical ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.gaussian_profile import gaussian_epsilon, gaussian_mu
from dpviz.mechanisms.laws.renyi import pure_rho
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import DELTA, EPSILON, RHO
from dpviz.records import Record
from dpviz.search import least_within

_OPTIMUM = roundings(2e-13)  # rounding of the conversion's three terms, and of the optimum's place
_LOG_ORDERS = np.concatenate([np.linspace(-25, 45, 57), np.linspace(50, 200, 16)])  # ln(α - 1), to start from
_BRACKET = 1e7  # by how much the bracket of the best order is narrowed
_AT_ONCE = 1000  # orders that are tried at once


def epsilon_from_rdp(alpha: np.ndarray, rdp: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return the ε that a Rényi divergence `rdp` of order `alpha` proves at `delta`, the tight conversion.

    Parameters
    ----------
    alpha : ndarray
        Orders in (1, inf).
    rdp, delta : ndarray
        In [0, inf] and (0, 1).

    References
    ----------
    Canonne, Kamath & Steinke (2020), Prop. 12; Balle et al. (2020), Thm 21.

    Examples
    --------
    >>> round(float(epsilon_from_rdp(2, 0.1, 1e-5)), 9)
    10.226631104
    """
    with np.errstate(divide="ignore"):
        log_delta = np.log(np.asarray(delta, dtype=float))
    return _converted(np.log(np.asarray(alpha, dtype=float) - 1), rdp, log_delta)


def _converted(log_order: np.ndarray, rdp: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """The tight conversion in t = ln(α-1): r - ln(1 + e^-t) - (ln δ + ln(1 + e^t)) e^-t."""
    inverse = np.exp(-log_order)
    log_alpha = np.logaddexp(0.0, log_order)
    value = rdp - np.log1p(inverse) - (log_delta + log_alpha) * inverse
    return np.maximum(0.0, value)


def epsilon_from_rdp_classical(alpha: float, rdp: float, delta: float) -> float:
    """Return the classical conversion r + ln(1/δ)/(α-1).

    References
    ----------
    Mironov (2017), Prop. 3.

    Examples
    --------
    >>> round(epsilon_from_rdp_classical(2, 0.1, 1e-5), 9)
    11.612925465
    """
    return math.inf if delta == 0 else rdp + math.log(1 / delta) / (alpha - 1)


def best_order(curve: Callable[[np.ndarray], np.ndarray], delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimise the tight conversion over a continuous order.

    Parameters
    ----------
    curve : callable
        ``curve(alpha)`` with α of shape (points, orders) returns Rényi divergences of that shape.
    delta : ndarray, shape (points,)
        In (0, 1).

    Returns
    -------
    tuple of ndarray, shape (points,)
        The smallest ε found, rounded up, and its order. Every order proves its ε, so that a search that stops early
        is still an upper bound.

    Examples
    --------
    >>> epsilon, order = best_order(lambda alpha: alpha * 0.5, np.array([1e-5]))
    >>> round(float(epsilon[0]), 9), round(float(order[0]), 3)
    (4.728386985, 5.432)
    """
    log_delta = np.log(delta)[:, None]

    def cost(log_order: np.ndarray) -> np.ndarray:
        alpha = 1 + np.exp(log_order)
        with np.errstate(over="ignore"):
            divergence = curve(alpha)
        return _converted(np.log(alpha - 1), divergence, log_delta)  # of the rounded order, so that it is a bound

    start = cost(np.broadcast_to(_LOG_ORDERS, (len(log_delta), len(_LOG_ORDERS))))
    best = np.clip(start.argmin(axis=1), 1, len(_LOG_ORDERS) - 2)
    low, high = _LOG_ORDERS[best - 1][:, None], _LOG_ORDERS[best + 1][:, None]
    order = _narrowed(cost, low, high)
    epsilon = np.minimum(cost(order)[:, 0], start.min(axis=1))
    return raised(epsilon, _OPTIMUM), 1 + np.exp(order[:, 0])


def _narrowed(cost: Callable, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The place of the minimum of each row, to 1e-7 of the bracket: the minimum itself to 1e-14."""
    # Many places at once while that costs little more than one.
    sections = int(np.clip(_AT_ONCE // len(low), 4, 64))
    for _ in range(math.ceil(math.log(_BRACKET) / math.log((sections + 1) / 2))):
        places = low + (high - low) * (np.arange(sections + 2) / (sections + 1))
        best = 1 + cost(places[:, 1:-1]).argmin(axis=1)[:, None]
        low, high = np.take_along_axis(places, best - 1, axis=1), np.take_along_axis(places, best + 1, axis=1)
    return (low + high) / 2


def epsilon_from_rho(rho: float, delta: float) -> float:
    """Return the ε that ρ-zCDP proves at `delta`: the tight conversion at the best order.

    Parameters
    ----------
    rho : float
        In [0, inf].
    delta : float
        In [0, 1]; at 0 no finite ε follows.

    References
    ----------
    Canonne, Kamath & Steinke (2020), Cor. 13.

    Examples
    --------
    >>> round(epsilon_from_rho(0.5, 1e-5), 9)
    4.728386985
    """
    rho, delta = RHO.check(rho), DELTA.check(delta)
    if rho == 0 or delta == 1:
        return 0.0
    if math.isinf(rho) or delta == 0:
        return math.inf
    return float(best_order(lambda alpha: alpha * rho, np.array([delta]))[0][0])


def epsilon_from_rho_classical(rho: float, delta: float) -> float:
    """Return ρ + 2 sqrt(ρ ln(1/δ)).

    References
    ----------
    Bun & Steinke (2016), Prop. 1.3.

    Examples
    --------
    >>> round(epsilon_from_rho_classical(0.5, 1e-5), 9)
    5.298525912
    """
    rho, delta = RHO.check(rho), DELTA.check(delta)
    if rho == 0:
        return 0.0
    return math.inf if delta == 0 or math.isinf(rho) else rho + 2 * math.sqrt(rho * math.log(1 / delta))


def delta_from_rho(rho: float, epsilon: float) -> float:
    """Return the δ that ρ-zCDP proves at `epsilon`, the infimum over orders.

    References
    ----------
    Canonne, Kamath & Steinke (2020), Cor. 13.

    Examples
    --------
    >>> round(delta_from_rho(0.1, 1.0), 12)
    0.008933245772
    """
    rho, epsilon = RHO.check(rho), EPSILON.check(epsilon)
    if rho == 0 or math.isinf(epsilon):
        return 0.0 if epsilon > 0 or rho == 0 else 1.0
    if math.isinf(rho):
        return 1.0

    def cost(log_order: np.ndarray) -> np.ndarray:
        order = np.exp(log_order)
        return order * ((1 + order) * rho - epsilon) - order * np.log1p(1 / order) - np.log1p(order)

    # Where the best order is far above 1, its terms beyond 1/order vanish, and it solves a quadratic equation.
    far = math.log(epsilon / 2 + math.hypot(epsilon / 2, math.sqrt(2) * math.sqrt(rho))) - math.log(2) - math.log(rho)
    grid = np.union1d(np.linspace(-30, 30, 121), np.linspace(-5, 5, 41) + min(far, 300.0))
    with np.errstate(over="ignore"):
        best = int(np.clip(cost(grid).argmin(), 1, len(grid) - 2))
        place = _narrowed(cost, grid[[[best - 1]]], grid[[[best + 1]]])
        least = float(cost(place)[0, 0])
    return min(1.0, max(raised(math.exp(min(0.0, least)), _OPTIMUM), math.nextafter(0.0, 1.0)))


def rho_from_guarantee(epsilon: float, delta: float) -> float:
    """Return the largest ρ whose tight conversion stays within (`epsilon`, `delta`), rounded down.

    Examples
    --------
    >>> rho = rho_from_guarantee(1.0, 1e-6)
    >>> epsilon_from_rho(rho, 1e-6) <= 1.0 < epsilon_from_rho(rho * 1.000001, 1e-6)
    True
    """
    if DELTA.check(delta) == 1:
        return math.inf  # no promise: every mechanism keeps it
    rho = rho_from_guarantee_classical(epsilon, delta)
    if not 1e-290 < rho <= 1e200:
        return rho
    rarity = least_within(lambda each: epsilon_from_rho(1 / each, delta), 1 / rho, epsilon, 1e-13)
    return rho if rarity is None else max(rho, 1 / rarity)


def rho_from_guarantee_classical(epsilon: float, delta: float) -> float:
    """Return the ρ with ρ + 2 sqrt(ρ ln(1/δ)) = ε, in a form without subtraction, rounded down.

    Examples
    --------
    >>> round(rho_from_guarantee_classical(1, 1e-6), 12)
    0.017468904769
    """
    epsilon, delta = EPSILON.check(epsilon), DELTA.check(delta)
    if delta == 0 or epsilon == 0:
        return 0.0
    log_delta = math.log(1 / delta)
    if math.isinf(epsilon):
        return math.inf
    return lowered((epsilon / (math.sqrt(log_delta + epsilon) + math.sqrt(log_delta))) ** 2, 7)


@dataclass(frozen=True, slots=True)
class Conversion(Record):
    """A way from one form of privacy loss to another.

    Parameters
    ----------
    convert : callable
        From the quantities in `arguments`, in order.
    arguments : tuple of str
    """

    convert: Callable[..., float]
    arguments: tuple[str, ...]


def rho_from_mu(mu: float) -> float:
    """Return μ²/2.

    Examples
    --------
    >>> round(rho_from_mu(0.1), 12)
    0.005
    """
    return raised(mu * mu / 2, 7)


def _epsilon_from_mu(mu: float, delta: float) -> float:
    return float(gaussian_epsilon(delta, mu))


_ANY = "any neighbour relation, kept by the conversion"

CONVERSIONS = (
    Conversion(
        "rho_to_epsilon",
        "zCDP to (ε, δ), tight",
        r"\delta = \inf_{\alpha>1} \frac{e^{(\alpha-1)(\alpha\rho-\varepsilon)}}{\alpha-1}"
        r"\Bigl(1-\tfrac1\alpha\Bigr)^{\alpha}",
        f"δ > 0; {_ANY}",
        "Canonne, Kamath & Steinke (2020), Cor. 13",
        epsilon_from_rho,
        ("rho", "delta"),
    ),
    Conversion(
        "rho_to_epsilon_classical",
        "zCDP to (ε, δ), classical",
        r"\varepsilon = \rho + 2\sqrt{\rho\ln(1/\delta)}",
        f"δ > 0; {_ANY}",
        "Bun & Steinke (2016), Prop. 1.3",
        epsilon_from_rho_classical,
        ("rho", "delta"),
    ),
    Conversion(
        "rdp_to_epsilon",
        "RDP to (ε, δ), tight",
        r"\varepsilon = r + \ln\tfrac{\alpha-1}{\alpha} - \frac{\ln\delta + \ln\alpha}{\alpha-1}",
        f"order α > 1, δ > 0; {_ANY}",
        "Canonne, Kamath & Steinke (2020), Prop. 12",
        lambda alpha, rdp, delta: float(epsilon_from_rdp(alpha, rdp, delta)),
        ("alpha", "rdp", "delta"),
    ),
    Conversion(
        "rdp_to_epsilon_classical",
        "RDP to (ε, δ), classical",
        r"\varepsilon = r + \frac{\ln(1/\delta)}{\alpha-1}",
        f"order α > 1, δ > 0; {_ANY}",
        "Mironov (2017), Prop. 3",
        epsilon_from_rdp_classical,
        ("alpha", "rdp", "delta"),
    ),
    Conversion(
        "epsilon_to_rho",
        "pure ε to zCDP, tight",
        r"\rho = \varepsilon\tanh(\varepsilon/2)",
        f"a pure guarantee, δ = 0; {_ANY}",
        "Steinke (2024), A tight pure-DP to zCDP conversion, Thm 5",
        pure_rho,
        ("epsilon",),
    ),
    Conversion(
        "epsilon_to_rho_classical",
        "pure ε to zCDP, classical",
        r"\rho = \tfrac12\varepsilon^2",
        f"a pure guarantee, δ = 0; {_ANY}",
        "Bun & Steinke (2016), Prop. 1.4",
        lambda epsilon: epsilon * epsilon / 2,
        ("epsilon",),
    ),
    Conversion(
        "guarantee_to_rho",
        "(ε, δ) to the largest ρ",
        r"\max\{\rho : \rho\text{-zCDP proves } (\varepsilon,\delta)\}",
        f"δ > 0; a budget, not a mechanism, is converted; {_ANY}",
        "inverse of Canonne, Kamath & Steinke (2020), Cor. 13",
        rho_from_guarantee,
        ("epsilon", "delta"),
    ),
    Conversion(
        "guarantee_to_rho_classical",
        "(ε, δ) to ρ, classical",
        r"\rho = \Bigl(\frac{\varepsilon}{\sqrt{\ln(1/\delta)+\varepsilon}+\sqrt{\ln(1/\delta)}}\Bigr)^{2}",
        f"δ > 0; a budget, not a mechanism, is converted; {_ANY}",
        "inverse of Bun & Steinke (2016), Prop. 1.3",
        rho_from_guarantee_classical,
        ("epsilon", "delta"),
    ),
    Conversion(
        "mu_to_epsilon",
        "Gaussian DP to (ε, δ)",
        r"\delta = \Phi\bigl(\tfrac\mu2-\tfrac\varepsilon\mu\bigr)"
        r" - e^{\varepsilon}\,\Phi\bigl(-\tfrac\mu2-\tfrac\varepsilon\mu\bigr)",
        f"δ > 0; exact; {_ANY}",
        "Dong, Roth & Su (2022), Cor. 2.13; Balle & Wang (2018), Thm 8",
        _epsilon_from_mu,
        ("mu", "delta"),
    ),
    Conversion(
        "guarantee_to_mu",
        "(ε, δ) to the largest μ",
        r"\max\{\mu : \mu\text{-GDP proves } (\varepsilon,\delta)\}",
        f"δ in (0, 1); a budget, not a mechanism, is converted; {_ANY}",
        "inverse of Dong, Roth & Su (2022), Cor. 2.13",
        gaussian_mu,
        ("epsilon", "delta"),
    ),
    Conversion(
        "mu_to_rho",
        "Gaussian DP to zCDP",
        r"\rho = \mu^2/2",
        f"exact for Gaussian noise; {_ANY}",
        "Bun & Steinke (2016), Prop. 1.6; Dong, Roth & Su (2022)",
        rho_from_mu,
        ("mu",),
    ),
)
