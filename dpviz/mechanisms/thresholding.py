"""Counts by a key that is itself private: noise on every key that somebody holds, and only what exceeds a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NoReturn

import numpy as np

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.declared import DECLARED_RHO, Declared
from dpviz.mechanisms.gaussian import Gaussian
from dpviz.mechanisms.laws.costs import Cost
from dpviz.mechanisms.laws.groups import group_points
from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.mechanisms.mechanism import LEAST, Form, Mechanism, in_digits
from dpviz.mechanisms.responses import NameAndShame, RandomizedResponse
from dpviz.outward import U, raised, roundings
from dpviz.parameters import COPIES, DELTA, KEYS, THRESHOLD, Amount
from dpviz.search import least_within

_TAIL = roundings(1e-12)  # of a tail of the noise, in doubles
_PRECISION = 1e-9  # in the logarithm of how far a threshold lies beyond what one unit adds
_POINTS, _LEFT = 257, 1e-6  # of the whole profile, and the share of δ that noise without a largest loss adds last


@dataclass(frozen=True, slots=True)
class _KeysCost(Cost):
    """The cost of the noise once for each key: what is left when δ is spent."""

    base: Cost
    keys: int

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        return self.keys * self.base.cost(u, order)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        return math.log(self.keys) + self.base.log_slope(x, order)

    def variance(self, u: np.ndarray) -> np.ndarray:
        return self.base.variance(u)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return self.base.log_variance_slope(x)


class KeyLeak(NameAndShame):
    """How likely a key of one unit alone is published, as a release beside the noise: a bound that nothing attains.

    A key is the unit's alone or others hold it as well: no data lose both what the noise on it tells and the leak. So
    no lower end rests on this one, and where it stands beside the noise, that is of keys that others hold.
    """

    __slots__ = ()

    def laws(self) -> tuple[Law, ...]:
        """Return the law of the leak, in place of one that is never worse."""
        return tuple(replace(law, stands_in=True) for law in super().laws())


@dataclass(frozen=True, slots=True, repr=False)
class Thresholding(Mechanism):
    """Adds noise to the count of every key that at least one unit holds, and publishes the keys whose sum exceeds T.

    Parameters
    ----------
    base : Laplace, Gaussian, DiscreteLaplace or DiscreteGaussian
        The noise of one key; its sensitivity is the most that one unit adds to one key.
    threshold : float
        T, in units of the count, at least that sensitivity.
    keys : int
        Most keys that one unit touches, in [1, 1e6]. Which keys there are is nobody's to know.

    Raises
    ------
    ValueError
        When a value lies outside its interval, or the mechanism adds no noise.

    Notes
    -----
    Relation: a unit is added or removed. Unless a key that only this unit holds passes the threshold, the outputs are
    those of the noise on the keys that others hold as well; so the whole costs no more than `uses`: the noise once for
    each key, and a release that publishes a record with probability `leak`. Plans and theorems compose these; lower
    ends are those of the noise, on keys that others hold as well; the profile of the whole, which filters and groups
    read, is by points that lie above it.

    References
    ----------
    Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing Search Queries and Clicks Privately. Wilson et al. (2020),
    Differentially Private SQL with Bounded User Contribution.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> counts = Thresholding(Laplace(10, 1), 120, keys=3)
    >>> print(f"{counts.leak:.3g} {counts.kept(150.0):.3f}")
    1.02e-05 0.975
    """

    base: Mechanism
    threshold: float
    keys: int = 1
    label: ClassVar[str] = "Thresholding"
    relation: ClassVar[str] = "add_remove"
    forms: ClassVar[tuple[Form, ...]] = ()
    sampled: ClassVar[bool] = False
    rate = 1.0
    loss = noise = norm = mu = None
    rho = math.inf
    key = property(lambda self: self.base.key)
    note, why_no_noise = property(lambda self: self.base.note), property(lambda self: self.base.why_no_noise)
    strength = property(lambda self: self.base.strength)
    profiles = property(lambda self: (self.delta,))

    def __post_init__(self) -> None:
        if getattr(self.base, "noise", None) is None or self.base.sampled:
            raise ValueError(f"mechanism must add noise to a count; got {self.base!r:.60}")
        object.__setattr__(self, "keys", KEYS.check(self.keys))
        object.__setattr__(self, "threshold", THRESHOLD.check(self.threshold))
        if self.threshold < self.base.sensitivity:
            least = self.base.sensitivity
            raise ValueError(f"threshold must be in [{least:.12g}, inf), what one unit adds; got {self.threshold!r}")

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {**self.base.parameters, "threshold": self.threshold, "keys": self.keys}

    @property
    def leak(self) -> float:
        """How likely a key of one unit alone is published, rounded up: 1 - (1 - P[s + noise > T])^keys."""
        alone = min(raised(self._passes(self.base.sensitivity), _TAIL), 1 - U)
        return min(max(raised(-math.expm1(self.keys * math.log1p(-alone)), _TAIL), LEAST), 1.0)

    def kept(self, size: float) -> float:
        """Return how likely a key with the true count `size`, any real number above 0, is published."""
        return self._passes(THRESHOLD.check(size, "size"))

    @property
    def uses(self) -> dict[Mechanism, int]:
        """What the whole costs at most, as releases that a plan lists and every theorem reads.

        Examples
        --------
        >>> from dpviz import Laplace, compose
        >>> counts = Thresholding(Laplace(10, 1), 200, keys=3)
        >>> print(f"{compose(counts.uses, 1e-6).epsilon:.4f} {compose(counts, 1e-6).epsilon:.4f}")
        0.3000 0.3000
        """
        return {self.base: self.keys, KeyLeak(self.leak): 1}

    def _passes(self, size: float) -> float:
        """P[size + noise > T], by the lower tail of symmetric noise: a difference would lose its digits."""
        distance, noise = self.threshold - size, self.base.noise
        if noise.pole is None:  # on whole numbers the least noise that passes is the next one
            distance = math.floor(distance) + 1
        return float(noise.below(np.asarray(-distance, dtype=float)))

    @property
    def stated(self) -> Guarantee | None:
        """The pair that follows from that of the noise: once for each key, and the leak."""
        pair = self.base.stated
        if pair is None:
            return None
        delta = rounded_up(typed(pair.delta) * self.keys + typed(self.leak))
        return Guarantee(rounded_up(typed(pair.epsilon) * self.keys), min(1.0, delta))

    @property
    def spared(self) -> Mechanism:
        """The noise on all keys of one unit as one mechanism: Gaussian noise is, of the others ρ adds up."""
        if self.keys == 1:
            return self.base
        if isinstance(self.base, Gaussian):
            sensitivity = raised(self.base.sensitivity * math.sqrt(self.keys), 4)
            return Gaussian(self.base.sigma, sensitivity)
        rho = raised(self.keys * self.base.rho, 2)
        if DECLARED_RHO.admits(rho):
            return Declared.zcdp(rho)
        return self._pure or NameAndShame(1.0)

    @property
    def _pure(self) -> RandomizedResponse | None:
        """The worst that loses no more than the largest losses of the noise on all keys."""
        pair = self.base.stated
        pure = pair is not None and pair.delta == 0
        return RandomizedResponse(rounded_up(typed(pair.epsilon) * self.keys)) if pure else None

    def delta(self, epsilon: Amount) -> Amount:
        """Return δ(ε) for every real ε, by points of the profile, rounded up."""
        return _whole(self).delta(epsilon)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf where `delta` is below the leak."""
        return _whole(self).epsilon(delta)

    def rdp(self, alpha: Amount) -> Amount:
        """Return infinity: a key of one unit alone may be published."""
        return NameAndShame(self.leak).rdp(alpha)

    def laws(self) -> tuple[Law, ...]:
        """Return the law of the pair that has this profile, in place of its own, which is never worse."""
        return tuple(replace(law, stands_in=True) for law in _whole(self).laws())

    def grouped(self, copies: int) -> Mechanism:
        """Return the profile of so many records that change together, by that of one."""
        return self if COPIES.check(copies) == 1 else Declared.profile(*group_points(self, copies))

    @property
    def cost(self) -> Cost | None:
        """That of the noise, once for each key."""
        return self.base.cost and _KeysCost(self.base.cost, self.keys)

    def over(self, base: Mechanism) -> Thresholding:
        """Return the same with other noise, and the least threshold, in six digits, that keeps its leak.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> counts = Thresholding(Laplace(10, 1), 120)
        >>> wider = counts.over(Laplace(20, 1))
        >>> wider.threshold, wider.leak <= counts.leak
        (239.001, True)
        """
        kept = threshold_for(base, self.leak, self.keys)
        return replace(kept, threshold=in_digits(kept.threshold, ROUND_CEILING))

    def at_strength(self, ratio: float) -> Thresholding:
        """Return the same leak with the noise at that strength."""
        return self.over(self.base.at_strength(ratio))

    def bare(self, ratio: float) -> Thresholding:
        """Return the same leak with the bare noise."""
        return threshold_for(self.base.bare(ratio), self.leak, self.keys)

    def scaled(self, factor: Fraction) -> Thresholding:
        """Return the same leak with `factor` times the noise."""
        return self.over(self.base.scaled(factor))

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> NoReturn:
        """Refuse to draw: its outputs are keys with their counts."""
        raise ValueError("a threshold publishes keys with their counts, not one number that could be drawn")

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> NoReturn:
        """Refuse likewise."""
        self.sample(value, 1, np.random.default_rng(0))


@lru_cache(maxsize=256)
def _whole(rule: Thresholding) -> Declared:
    """Points of the leak's and the noise's profile together: leak + (1 - leak) δ(ε) of the noise on all keys."""
    known = [each for each in (rule.spared, rule._pure) if each is not None]
    last = min(float(each.epsilon(0.0)) for each in known)
    if math.isinf(last):
        last = min(float(each.epsilon(max(rule.leak * _LEFT, 1e-280))) for each in known)
    epsilons = last * np.linspace(0.0, 1.0, _POINTS)
    deltas = np.min([each.delta(epsilons) for each in known], axis=0)
    whole = np.minimum(raised(rule.leak + (1 - rule.leak) * deltas, 4), 1.0)
    return Declared.profile(epsilons, np.where(deltas > 0, whole, rule.leak))


def threshold_for(mechanism: Mechanism, delta: float, keys: int = 1) -> Thresholding:
    """Return the thresholding with the least threshold, rounded up, whose δ is at most `delta`.

    Parameters
    ----------
    mechanism : Laplace, Gaussian, DiscreteLaplace or DiscreteGaussian
    delta : float
        In (0, 1].
    keys : int

    Raises
    ------
    ValueError
        When a value lies outside its interval, or no threshold is large enough.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> found = threshold_for(Laplace(10, 1), 1e-6, keys=3)
    >>> print(f"{found.threshold:.2f} {bool(found.leak <= 1e-6)}")
    143.21 True
    """
    least = Thresholding(mechanism, mechanism.sensitivity, keys)
    if DELTA.check(delta) >= least.leak:
        return least

    def further(distance: float) -> Thresholding:
        return replace(least, threshold=math.nextafter(mechanism.sensitivity + distance, math.inf))

    start = mechanism.noise.scale
    found = delta and least_within(lambda distance: further(distance).leak, start, delta, _PRECISION)
    if not found:
        raise ValueError(f"delta must be in (0, 1], and large enough for the noise to meet it; got {delta!r}")
    return further(found)
