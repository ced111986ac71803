"""Gaussian noise on whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpviz.mechanisms.discrete_laplace import whole_laplace
from dpviz.mechanisms.laws.costs import ConcentratedCost
from dpviz.mechanisms.laws.integer_laws import (
    WHOLE_SENSITIVITY,
    WHOLE_SIGMA,
    DiscreteGaussianLaw,
    four_nodes,
    grouped,
    log_total,
    rule,
)
from dpviz.mechanisms.laws.loss_laws import FINE, HERMITE, LARGE_MU, LOWEST_LOG, RULE_ERROR, Law, ResponseLaw
from dpviz.mechanisms.left_open import LEFT_OPEN_WHOLE, TYPED, Origin
from dpviz.mechanisms.mechanism import LEAST, Form, elementwise
from dpviz.mechanisms.noise import GaussianShaped, rounded_outwards
from dpviz.mechanisms.noise_by_scale import NoiseByScale
from dpviz.outward import U, lowered, raised, roundings
from dpviz.parameters import ALPHA, DELTA, REAL_EPSILON, Amount, Parameter

_VANISHED = 2 * math.exp(LOWEST_LOG)  # more than what lies beyond the farthest noise on both sides
_STEPS = (1 << 16, 1 << 10, 64, 8, 2, 0)  # units in the last place, above what is proposed, that are tried


class _DiscreteGaussianNoise(GaussianShaped):
    __slots__ = ()
    mean_distance = property(lambda self: rounded_outwards(raised(_moments(self.scale)[0], roundings(1e-13))))
    deviation = property(lambda self: math.sqrt(_moments(self.scale)[1]))
    cumulant = pole = None

    def half_width(self, confidence: float) -> float:
        return _half_width(self.scale, confidence) if confidence < 1 else math.inf

    def density(self, outputs: np.ndarray) -> np.ndarray:
        masses = np.exp(-((outputs / self.scale) ** 2) / 2 - log_total(self.scale))
        return np.where(np.floor(outputs) == outputs, masses, 0.0)

    def below(self, outputs: np.ndarray) -> np.ndarray:
        last = np.floor(outputs)
        tail = _noise_table(self.scale).tail(np.where(last < 0, -last, last + 1))
        return np.where(last < 0, tail, 1 - tail)


@dataclass(frozen=True, slots=True, repr=False)
class DiscreteGaussian(NoiseByScale):
    """Adds a whole number y with P[y] in proportion to exp(-y²/2 sigma²) to a whole number with a whole sensitivity.

    Parameters
    ----------
    sigma : float
        In units of the answer, in [1e-12, 1e12]; the standard deviation is a little less where it is below 1.
    sensitivity : int
        Most that one unit changes the answer, in [1, 1e9]; of several numbers in L1, all changes added up. Left out,
        it follows from what a plan says of the release; without a plan the noise is in units of it.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity. What changes several numbers by D in L1 is no easier to tell
    than what changes one by D: the beginning of ``dpviz.plan.sensitivity`` has the proof. With an L2 sensitivity Δ
    zero-concentrated DP alone is proved, and tight accounting does not follow: enter it as ``Declared.zcdp(Δ²/2σ²)``.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, Thm 4 (ρ), Thm 7 (δ).

    Examples
    --------
    >>> print(f"{DiscreteGaussian(10).epsilon(1e-6):.6f} {DiscreteGaussian(10, 2).rho:.6f}")
    0.396790 0.020000
    """

    sigma: float
    sensitivity: int = LEFT_OPEN_WHOLE
    sensitivity_from: Origin = field(default=TYPED, kw_only=True, repr=False)
    key: ClassVar[str] = "discrete_gaussian"
    label: ClassVar[str] = "Discrete Gaussian"
    forms: ClassVar[tuple[Form, ...]] = (Form(("sigma",), ("sensitivity",)),)
    norm: ClassVar[str] = "L1"
    allowed: ClassVar[tuple[Parameter, Parameter]] = (WHOLE_SIGMA, WHOLE_SENSITIVITY)
    stated = mu = None
    cost = ConcentratedCost()
    loss = property(lambda self: DiscreteGaussianLaw(self.sigma, self.sensitivity))
    noise = property(lambda self: _DiscreteGaussianNoise(self.sigma))

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        table = _table(self.sigma, self.sensitivity)

        def profile(values: np.ndarray) -> np.ndarray:
            size = np.abs(values)
            ahead = table.delta(size.ravel()).reshape(size.shape)
            behind = np.minimum(raised(-np.expm1(-size) + np.exp(-size) * ahead, 16), 1.0)
            return np.where(values >= 0, ahead, behind)

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf at δ = 0."""
        table = _table(self.sigma, self.sensitivity)
        return elementwise(lambda values: table.epsilon(values.ravel()).reshape(values.shape), delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return a Rényi divergence of order `alpha` in (1, inf), exact where (alpha - 1) sensitivity is whole."""
        return elementwise(lambda order: order * self.rho, alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter sensitivity² / 2 sigma²."""
        return max(raised((self.sensitivity / self.sigma) ** 2 / 2, 16), LEAST)

    def laws(self) -> tuple[Law, ...]:
        """Return its law; beyond the largest μ all is counted as leaked."""
        return (self.loss if self.loss.mu <= LARGE_MU else ResponseLaw(0.0, 1.0, True),)

    def bare(self, ratio: float) -> DiscreteGaussian:
        """Return the same, unrounded, with its own sensitivity: on whole numbers no other one costs the same."""
        return DiscreteGaussian(ratio * self.sensitivity, self.sensitivity)

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data.

        By rejection from discrete Laplace noise (Canonne, Kamath & Steinke 2020, Algorithm 3), in doubles.
        """
        wide, square = math.floor(self.sigma) + 1.0, self.sigma**2
        drawn, missing = [np.empty(0)], int(np.prod(size))
        while missing > 0:
            tried = whole_laplace(wide, int(1.6 * missing) + 16, rng)
            keep = rng.random(len(tried)) < np.exp(-((np.abs(tried) - square / wide) ** 2) / (2 * square))
            drawn.append(tried[keep][:missing])
            missing -= len(drawn[-1])
        return value + np.concatenate(drawn).reshape(size)


class _Table:
    """δ of one release, by sums over the outputs y from a group's first one on, with P above Q as y grows.

    Where l is the loss at the first output of a group, A = Σ P(y)(1 - e^(l - loss(y))) and E = Σ P(y) e^(l - loss(y))
    from there on, and δ(ε) = A + (1 - e^(ε - l)) E for ε between the losses of the output before and l. All terms are
    positive; what is left of a group that ε cuts has a rule of its own.

    Upper ends: masses are raised by what they may be off, each step of the two recursions by 8u, and δ by what moves ε
    by the rounding of losses and by the rule's error: that share of the mass P beyond ε, as -dδ/dε is at most that.
    """

    def __init__(self, sigma: float, sensitivity: int) -> None:
        law = DiscreteGaussianLaw(sigma, sensitivity)
        self.sigma, self.shift, self.spacing = sigma, sensitivity / 2, law.spacing
        last = law.farthest(LOWEST_LOG)
        self.first = max(math.ceil(-sensitivity / 2), -last)
        most = FINE / (last / sigma + law.mu + HERMITE) * sigma
        starts, counts = grouped((self.first, last), np.empty(0), most)
        nodes, log_weights, _ = rule(starts, counts, False)
        group = np.searchsorted(starts, nodes, "right") - 1
        masses, gaps = self.masses(nodes, log_weights), self.spacing * (nodes - starts[group])
        fewer = np.bincount(group, masses * np.exp(-gaps), len(starts))
        gains = np.bincount(group, masses * -np.expm1(-gaps), len(starts))
        self.starts = np.append(starts, last + 1)
        self.gain, self.fewer = np.zeros(len(starts) + 1), np.zeros(len(starts) + 1)
        less = np.exp(-self.spacing * counts)
        apart = -np.expm1(-self.spacing * counts)
        gain = rest = 0.0
        for place in range(len(starts) - 1, -1, -1):
            gain += gains[place] + apart[place] * rest
            rest = fewer[place] + less[place] * rest
            self.gain[place], self.fewer[place] = gain, rest
        self.whole = bool(counts.max() == 1)  # every output has a group of its own: none is ever cut
        self.raising = 1 + 8 * U * (2 * len(starts) + 32)
        self.deltas = np.maximum.accumulate(self.delta(np.maximum(self.losses(self.starts), 0.0))[::-1])[::-1]

    def losses(self, outputs: np.ndarray) -> np.ndarray:
        return self.spacing * (outputs + self.shift)

    def masses(self, outputs: np.ndarray, log_weights: np.ndarray | float) -> np.ndarray:
        z, total = outputs / self.sigma, log_total(self.sigma)
        logs = log_weights - z * z / 2 - total
        return np.exp(logs) * (1 + 8 * U * (8 + abs(total) + np.abs(logs) + z * z))

    def cut(self, first: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes, and their masses, of the outputs from `first` to the start of a group, shape (points, 4)."""
        count = self.starts[place] - first
        places, shares = four_nodes(np.maximum(count, 5.0))
        few = np.arange(4.0)  # so few outputs are taken themselves
        small = (count <= 4)[:, None]
        places = np.where(small, few - (count[:, None] - 1) / 2, places)
        weights = np.where(small, few < count[:, None], shares * count[:, None])
        nodes = (first + (count - 1) / 2)[:, None] + places
        return nodes, self.masses(nodes, 0.0) * weights

    def line(self, first: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the loss l of outputs `first`, A and E from there on, and what δ is to be raised by there."""
        place, loss = np.searchsorted(self.starts, first), self.losses(first)
        gap = self.spacing * (self.starts[place] - first)
        gain, fewer = self.gain[place] - np.expm1(-gap) * self.fewer[place], np.exp(-gap) * self.fewer[place]
        if not self.whole:
            nodes, masses = self.cut(first, place)
            gaps = self.spacing * (nodes - first[:, None])
            gain, fewer = gain - (masses * np.expm1(-gaps)).sum(axis=1), fewer + (masses * np.exp(-gaps)).sum(axis=1)
        nats = 16 * U * (1 + np.abs(loss)) + (0.0 if self.whole else 4 * RULE_ERROR)
        return loss, gain, fewer, nats * (gain + fewer) + _VANISHED

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return δ at each of `epsilon`, shape (points,), in [0, inf], rounded up."""
        finite = np.minimum(epsilon, 2 * self.losses(self.starts[-1]))
        beyond = finite / self.spacing
        first = np.floor(beyond - self.shift - 8 * U * (beyond + self.shift)) + 1  # never one too late
        loss, gain, fewer, more = self.line(np.clip(first, self.first, self.starts[-1]))
        found = (gain - np.expm1(np.minimum(finite - loss, 0.0)) * fewer) * self.raising + more
        return np.where(np.isfinite(epsilon), np.minimum(found, 1.0), 0.0)

    def tail(self, first: np.ndarray) -> np.ndarray:
        """Return P[noise >= `first`], whole numbers of at least 0, for the noise itself."""
        shape, first = np.shape(first), np.clip(np.ravel(first).astype(float), self.first, self.starts[-1])
        place = np.searchsorted(self.starts, first)
        mass = self.gain[place] + self.fewer[place]
        return (mass if self.whole else mass + self.cut(first, place)[1].sum(axis=1)).reshape(shape)

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """Return the least of the ε tried at which `delta` is proved, shape (points,); by its ρ if there is none.

        Between the losses of two outputs in a row δ is a line in e^ε; which two, and that line's ε, are only proposed.
        """
        place = np.searchsorted(-self.deltas, -delta)  # the first group from which on δ is no larger
        rows = np.flatnonzero((place < len(self.starts)) & (delta < self.delta(np.zeros(1))))
        found = np.where(place < len(self.starts), 0.0, _Concentrated(self.sigma, 2 * self.shift).epsilon(delta))
        found[rows] = self.between(delta[rows], self.starts[np.maximum(place[rows], 1) - 1], self.starts[place[rows]])
        return found

    def between(self, delta: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return the same, where `delta` is proved at the loss of output `high` and not at that of `low`."""
        while np.any(high - low > 1):
            middle = np.where(high - low > 1, np.floor((low + high) / 2), high)
            enough = self.delta(np.maximum(self.losses(middle), 0.0)) <= delta
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        (loss, gain, fewer, more), best = self.line(high), np.maximum(self.losses(high), 0.0)
        share = ((delta - more) / self.raising - gain) / np.maximum(fewer, 1e-300)
        proposed = loss + np.log1p(-np.clip(share, 0.0, 1 - 1e-16))
        for steps in _STEPS:
            tried = np.minimum(np.maximum(proposed, 0.0) * (1 + steps * U) + steps * LEAST, best)
            best = np.where(self.delta(tried) <= delta, tried, best)
        return best


@dataclass(frozen=True, slots=True)
class _Concentrated:
    """δ as its ρ bounds it, exp(-(ε - ρ)²/4ρ) from ε = ρ on (Bun & Steinke 2016, Prop. 1.3)."""

    sigma: float
    sensitivity: float
    rho = property(lambda self: raised((self.sensitivity / self.sigma) ** 2 / 2, 16))

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        beyond = np.maximum(np.minimum(epsilon, 1e150) * (1 - 4 * U) - self.rho, 0.0)
        bound = np.minimum(raised(np.exp(-beyond * (beyond / (4 * self.rho)) * (1 - 8 * U)), 16) + LEAST, 1.0)
        return np.where(np.isfinite(epsilon), bound, 0.0)

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return raised(self.rho + 2 * np.sqrt(self.rho * -np.log(delta)), 88)


@lru_cache(maxsize=64)
def _table(sigma: float, sensitivity: int) -> _Table | _Concentrated:
    return (_Table if sensitivity <= LARGE_MU * sigma else _Concentrated)(sigma, sensitivity)


@lru_cache(maxsize=64)
def _noise_table(sigma: float) -> _Table:
    return _Table(sigma, 1)


@lru_cache(maxsize=1024)
def _moments(sigma: float) -> tuple[float, float]:
    """The mean distance from 0, and the variance."""
    last = DiscreteGaussianLaw(sigma, 1).farthest(LOWEST_LOG)
    nodes, log_weights, _ = rule(*grouped((1.0, last), np.empty(0), FINE / (last / sigma + HERMITE) * sigma), False)
    masses = 2 * np.exp(log_weights - (nodes / sigma) ** 2 / 2 - log_total(sigma))
    return float(masses @ nodes), float(masses @ nodes**2)


@lru_cache(maxsize=4096)
def _half_width(sigma: float, confidence: float) -> float:
    """The least w with P[|noise| > w] of at most 1 - `confidence`."""
    table, target = _noise_table(sigma), lowered((1 - confidence) / 2, roundings(1e-12))
    low, high = -1, int(table.starts[-1])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if float(table.tail(np.array(middle + 1.0))) <= target else (middle, high)
    return float(high)
