"""What noise costs at a Rényi order, and the noise at a given cost or at a given price of privacy.

For shaping a split only: no guarantee is read off here, so small errors and proxies move the split, never the promise.
Everything is a function of the loss u = 1 / ratio: ε of Laplace noise and randomized response, μ of Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost

_WIDEST = 600.0  # of |ln u|
_STEP = 1e-5  # in ln u, of the slopes that steer the search
_ROUNDS = 80


def costs_of(mechanisms: tuple[Mechanism, ...], ratios: np.ndarray, order: float) -> np.ndarray:
    """Return what each use costs at the order, as `noise_at_cost` counts.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> costs_of((Gaussian(1.0), Laplace(1.0)), np.array([1.0, 2.0]), 1.0).round(6).tolist()
    [0.5, 0.106531]
    """
    return _each(mechanisms, lambda law, chosen: law.cost(1 / ratios[chosen], order))


def variances_of(mechanisms: tuple[Mechanism, ...], ratios: np.ndarray) -> np.ndarray:
    """Return the variance of each use at sensitivity 1.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> variances_of((Gaussian(1.0), Laplace(1.0)), np.array([3.0, 3.0])).round(9).tolist()
    [9.0, 18.0]
    """
    return _each(mechanisms, lambda law, chosen: law.variance(1 / ratios[chosen]))


def noise_at_cost(mechanisms: tuple[Mechanism, ...], costs: np.ndarray, order: float) -> np.ndarray:
    """Return the noise over sensitivity at which each use costs this much at the order.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
        Each with a strength.
    costs : ndarray of float, shape (mechanisms,)
        Rényi divergences, positive.
    order : float
        In [1, inf]; at 1 the cost is the zCDP parameter ρ.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> noise_at_cost((Gaussian(1.0),), np.array([0.5]), 1.0).tolist()
    [1.0]
    """

    def ratios(law: Cost, chosen: np.ndarray) -> np.ndarray:
        target = np.log(costs[chosen])
        return np.exp(-_roots(lambda x: np.log(law.cost(np.exp(x), order)), target, target / 2))

    return _each(mechanisms, ratios)


def noise_at_price(mechanisms: tuple[Mechanism, ...], gain: np.ndarray, size: float, order: float) -> np.ndarray:
    """Return the noise over sensitivity at which more of it would cost in error what it saves in privacy.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
    gain : ndarray of float, shape (mechanisms,)
        Weight times squared sensitivity.
    size : float
        Fourth root of the price of privacy; Gaussian noise grows with it.
    order : float
        In [1, inf].

    Notes
    -----
    Solves gain · d(variance)/du + size⁴ · d(cost)/du = 0. The variance of randomized response is that of the unbiased
    estimate of its bit, 1 / (4 sinh²(ε/2)).

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> ratios = noise_at_price((Laplace(1.0), Laplace(1.0)), np.array([8.0, 1.0]), 3.0, math.inf)
    >>> round(float(ratios[1] / ratios[0]), 12)  # ε ∝ (weight · sensitivity²)^(1/3)
    2.0
    """

    def ratios(law: Cost, chosen: np.ndarray) -> np.ndarray:
        target = np.log(gain[chosen]) - 4 * math.log(size)
        return np.exp(-_roots(lambda x: law.log_slope(x, order) - law.log_variance_slope(x), target, target / 4))

    return _each(mechanisms, ratios)


def _roots(function: Callable, target: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Where an increasing function meets the targets: Newton's method within a bracket, which halves at a kink."""
    low, high = np.full(target.shape, -_WIDEST), np.full(target.shape, _WIDEST)
    x, met = np.clip(start, -_WIDEST, _WIDEST), np.zeros(target.shape, dtype=bool)
    last = before = np.full(target.shape, 2 * _WIDEST)  # length of the last step, and of the one before it
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            misfit = function(x) - target
            low, high = np.where(misfit <= 0, x, low), np.where(misfit >= 0, x, high)
            newton = x - misfit * _STEP / (function(x + _STEP) - target - misfit)
            quick = (newton > low) & (newton < high) & (np.abs(newton - x) <= before / 2)
            following = np.where(met, x, np.where(quick, newton, (low + high) / 2))
            last, before = np.abs(following - x), last
            met |= last <= 1e-13 * (1 + np.abs(x))
            x = following
            if met.all():
                return x
    return np.where(met, x, (low + high) / 2)


def _each(mechanisms: tuple[Mechanism, ...], value: Callable[[Cost, np.ndarray], np.ndarray]) -> np.ndarray:
    """A value of each mechanism, found together for the places of those that cost the same."""
    places: dict[Cost, list[int]] = {}
    for place, mechanism in enumerate(mechanisms):
        if mechanism.strength is None:
            raise ValueError(f"mechanism must have noise that can be changed; got {mechanism!r:.60}")
        places.setdefault(mechanism.cost or _Numerical(mechanism.bare(1.0)), []).append(place)
    values = np.empty(len(mechanisms))
    for law, chosen in places.items():
        values[chosen] = value(law, np.array(chosen))
    return values


@dataclass(frozen=True, slots=True)
class _Numerical(Cost):
    """The cost of a mechanism that brings none of its own: one Rényi divergence at a time."""

    mechanism: Mechanism

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        return np.array([_divergence(self.mechanism.bare(1 / each), order) for each in u.tolist()])

    def variance(self, u: np.ndarray) -> np.ndarray:
        return np.array([self.mechanism.bare(1 / each).base.noise.deviation ** 2 for each in u.tolist()])

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return np.log((self.variance(np.exp(x - _STEP)) - self.variance(np.exp(x + _STEP))) / (2 * _STEP)) - x


def _divergence(mechanism: Mechanism, order: float) -> float:
    if math.isinf(order):
        return float(mechanism.epsilon(mechanism.stated.delta if mechanism.stated else 0.0))
    return float(mechanism.rdp(order)) if order > MEAN_ORDER else mechanism.rho
