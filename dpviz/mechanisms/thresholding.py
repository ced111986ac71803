"""Counts by a key that is itself private: noise on every key that somebody holds, and only what exceeds a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz.mechanisms.mechanism import LEAST, Mechanism
from dpviz.mechanisms.responses import NameAndShame
from dpviz.outward import U, raised, roundings
from dpviz.parameters import DELTA, Parameter
from dpviz.search import least_within

KEYS = Parameter("keys", "m", "most keys that one unit touches", 1, 1_000_000, integer=True)
THRESHOLD = Parameter("threshold", "T", "what a noisy count must exceed", 0, math.inf, open_low=True, open_high=True)
_TAIL = roundings(1e-12)  # of a tail of the noise, in doubles
_PRECISION = 1e-9  # in the logarithm of how far a threshold lies beyond what one unit adds


@dataclass(frozen=True, slots=True)
class Thresholding:
    """Adds noise to the count of every key that at least one unit holds, and publishes the keys whose sum exceeds T.

    Parameters
    ----------
    mechanism : Laplace, Gaussian, DiscreteLaplace or DiscreteGaussian
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
    each key, and a release that publishes a record with probability `delta`.

    References
    ----------
    Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing Search Queries and Clicks Privately. Wilson et al. (2020),
    Differentially Private SQL with Bounded User Contribution.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> counts = Thresholding(Laplace(10), 120, keys=3)
    >>> print(f"{counts.delta:.3g} {counts.kept(150.0):.3f}")
    1.02e-05 0.975
    """

    mechanism: Mechanism
    threshold: float
    keys: int = 1

    def __post_init__(self) -> None:
        if getattr(self.mechanism, "noise", None) is None or self.mechanism.sampled:
            raise ValueError(f"mechanism must add noise to a count; got {self.mechanism!r:.60}")
        object.__setattr__(self, "keys", KEYS.check(self.keys))
        object.__setattr__(self, "threshold", THRESHOLD.check(self.threshold))
        if self.threshold < self.mechanism.sensitivity:
            least = self.mechanism.sensitivity
            raise ValueError(f"threshold must be in [{least:.12g}, inf), what one unit adds; got {self.threshold!r}")

    @property
    def delta(self) -> float:
        """How likely a key of one unit alone is published, rounded up: 1 - (1 - P[s + noise > T])^keys."""
        alone = min(raised(self._passes(self.mechanism.sensitivity), _TAIL), 1 - U)
        return min(max(raised(-math.expm1(self.keys * math.log1p(-alone)), _TAIL), LEAST), 1.0)

    def kept(self, size: float) -> float:
        """Return how likely a key with the true count `size`, any real number above 0, is published."""
        return self._passes(THRESHOLD.check(size, "size"))

    @property
    def uses(self) -> dict[Mechanism, int]:
        """What the whole costs at most, as releases that a plan lists and every theorem reads.

        Examples
        --------
        >>> from dpviz import compose, Laplace
        >>> counts = Thresholding(Laplace(10), 200, keys=3)
        >>> print(f"{compose(counts.uses, 1e-6).epsilon:.4f}")
        0.3000
        """
        return {self.mechanism: self.keys, NameAndShame(self.delta): 1}

    def _passes(self, size: float) -> float:
        """P[size + noise > T], by the lower tail of symmetric noise: a difference would lose its digits."""
        distance, noise = self.threshold - size, self.mechanism.noise
        if noise.pole is None:  # on whole numbers the least noise that passes is the next one
            distance = math.floor(distance) + 1
        return float(noise.below(np.asarray(-distance, dtype=float)))


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
    >>> found = threshold_for(Laplace(10), 1e-6, keys=3)
    >>> print(f"{found.threshold:.2f} {bool(found.delta <= 1e-6)}")
    143.21 True
    """
    least = Thresholding(mechanism, mechanism.sensitivity, keys)
    if DELTA.check(delta) >= least.delta:
        return least

    def further(distance: float) -> Thresholding:
        return replace(least, threshold=math.nextafter(mechanism.sensitivity + distance, math.inf))

    start = mechanism.noise.scale
    found = delta and least_within(lambda distance: further(distance).delta, start, delta, _PRECISION)
    if not found:
        raise ValueError(f"delta must be in (0, 1], and large enough for the noise to meet it; got {delta!r}")
    return further(found)
