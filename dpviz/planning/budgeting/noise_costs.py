"""What noise costs at a Rényi order, and the noise at a given cost or at a given price of privacy.

For shaping a split only: no guarantee is read off here, so small errors and proxies move the split, never the promise.
Everything is a function of the loss u = 1 / ratio: ε of Laplace noise and randomized response, μ of Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms import Gaussian, Laplace, Mechanism, RandomizedResponse, Subsampled
from dpviz.mechanisms.gaussian_profile import gaussian_epsilon
from dpviz.mechanisms.renyi import excess, laplace_rdp, pure_rdp

_WIDEST = 600.0  # of |ln u|
_STEP = 1e-5  # in ln u, of the slopes that steer the search
_WIDE_STEP = 1e-3  # and of costs whose slope is known numerically only
_ROUNDS = 80
_MEAN_ORDER = 1 + 1e-7  # below, the limit at order 1 stands


def costs_of(mechanisms: tuple[Mechanism, ...], ratios: np.ndarray, order: float) -> np.ndarray:
    """Return what each use costs at the order, as `noise_at_cost` counts.

    Examples
    --------
    >>> costs_of((Gaussian(1.0), Laplace(1.0)), np.array([1.0, 2.0]), 1.0).round(6).tolist()
    [0.5, 0.106531]
    """
    costs = np.empty(len(mechanisms))
    for law, chosen in _groups(mechanisms):
        costs[chosen] = law.cost(1 / ratios[chosen], order)
    return costs


def noise_at_cost(mechanisms: tuple[Mechanism, ...], costs: np.ndarray, order: float) -> np.ndarray:
    """Return the noise over sensitivity at which each use costs this much at the order.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
        Laplace or Gaussian noise, randomized response, or sampled ones of these.
    costs : ndarray of float, shape (mechanisms,)
        Rényi divergences, positive.
    order : float
        In [1, inf]; at 1 the cost is the zCDP parameter ρ.

    Examples
    --------
    >>> noise_at_cost((Gaussian(1.0),), np.array([0.5]), 1.0).tolist()
    [1.0]
    """
    ratios = np.empty(len(mechanisms))
    for law, chosen in _groups(mechanisms):
        start = np.log(costs[chosen]) / 2
        roots = _roots(lambda x, law=law: np.log(law.cost(np.exp(x), order)), np.log(costs[chosen]), start)
        ratios[chosen] = np.exp(-roots)
    return ratios


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
    >>> ratios = noise_at_price((Laplace(1.0), Laplace(1.0)), np.array([8.0, 1.0]), 3.0, math.inf)
    >>> round(float(ratios[1] / ratios[0]), 12)  # ε ∝ (weight · sensitivity²)^(1/3)
    2.0
    """
    ratios = np.empty(len(mechanisms))
    for law, chosen in _groups(mechanisms):
        target = np.log(gain[chosen]) - 4 * math.log(size)
        roots = _roots(lambda x, law=law: law.log_slope(x, order) - law.log_variance_slope(x), target, target / 4)
        ratios[chosen] = np.exp(-roots)
    return ratios


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


def _groups(mechanisms: tuple[Mechanism, ...]) -> list[tuple[_Law, np.ndarray]]:
    """The mechanisms by law, with the places of each."""
    places: dict[_Law, list[int]] = {}
    for place, mechanism in enumerate(mechanisms):
        places.setdefault(_law_of(mechanism), []).append(place)
    return [(law, np.array(chosen)) for law, chosen in places.items()]


def _law_of(mechanism: Mechanism) -> _Law:
    match mechanism:
        case Subsampled() if mechanism.rate < 1:
            return _SampledLaw(_law_of(mechanism.base), mechanism.rate)
        case Subsampled():
            return _law_of(mechanism.base)
        case Gaussian():
            return _GaussianLaw(mechanism.stated.delta if mechanism.stated else 0.0)
        case Laplace():
            return _LaplaceLaw()
        case RandomizedResponse():
            return _ResponseLaw()
    raise ValueError(f"mechanism must have noise that can be changed; got {mechanism!r:.60}")


def _numerical_log_slope(law: _Law, x: np.ndarray, order: float) -> np.ndarray:
    """ln dc/du at u = e^x."""
    rise = law.cost(np.exp(x + _WIDE_STEP), order) - law.cost(np.exp(x - _WIDE_STEP), order)
    return np.log(rise / (2 * _WIDE_STEP)) - x


def _log_sinh(h: np.ndarray) -> np.ndarray:
    return h + np.log(-np.expm1(-2 * h)) - math.log(2)


@dataclass(frozen=True, slots=True)
class _LaplaceLaw:
    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        if math.isinf(order):
            return u
        return laplace_rdp(u, np.array(order)) if order > _MEAN_ORDER else excess(-u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """A (1 - e^-tu) / (A + (1-A) e^-tu) with t = 2α - 1 and A = α/t."""
        if math.isinf(order):
            return np.zeros(x.shape)
        twice = 2 * order - 1
        share, fall = order / twice, np.exp(-twice * np.exp(x))
        return np.log(share) + np.log(-np.expm1(-twice * np.exp(x))) - np.log(share + (1 - share) * fall)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return math.log(4) - 3 * x


@dataclass(frozen=True, slots=True)
class _GaussianLaw:
    """At order inf its cost is the ε of the stated δ."""

    delta: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        return order * u * u / 2 if order < math.inf else gaussian_epsilon(np.full(u.shape, self.delta), u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        return math.log(order) + x if order < math.inf else _numerical_log_slope(self, x, order)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return math.log(2) - 3 * x


@dataclass(frozen=True, slots=True)
class _ResponseLaw:
    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        if math.isinf(order):
            return u
        return pure_rdp(u, np.array(order)) if order > _MEAN_ORDER else u * np.tanh(u / 2)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        u = np.exp(x)
        if math.isinf(order):
            return np.zeros(x.shape)
        half = np.tanh(u / 2)
        if order <= _MEAN_ORDER:
            return np.log(half + u / 2 * (1 - half) * (1 + half))
        whole = np.tanh((2 * order - 1) * u / 2)
        return np.log((whole - half) / 2 / (order - 1) + whole)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        h = np.exp(x) / 2
        return h + np.log1p(np.exp(-2 * h)) - math.log(2) - 3 * _log_sinh(h) - math.log(4)


@dataclass(frozen=True, slots=True)
class _SampledLaw:
    """A proxy, at most the base's cost: a χ² term, exact at order 2, and above that order the term in rate^order."""

    base: _Law
    rate: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        base = self.base.cost(u, order)
        if math.isinf(order):
            return np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + base)
        square = _log_expm1(self.base.cost(u, 2.0)) + 2 * math.log(self.rate) + math.log(order / 2)
        if order <= 2:
            return np.minimum(np.logaddexp(0.0, square + math.log(max(order - 1, 1e-9))) / max(order - 1, 1e-9), base)
        largest = _log_expm1((order - 1) * base) + order * math.log(self.rate)
        return np.minimum(np.logaddexp(0.0, np.logaddexp(square + math.log(order - 1), largest)) / (order - 1), base)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        return _numerical_log_slope(self, x, order)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return self.base.log_variance_slope(x)


_Law = _LaplaceLaw | _GaussianLaw | _ResponseLaw | _SampledLaw


def _log_expm1(y: np.ndarray) -> np.ndarray:
    return np.where(y > 30, y, np.log(np.expm1(np.minimum(y, 30.0))))
