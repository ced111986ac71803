"""Mechanisms that pick one of several candidates by a private score: how much they lose, and how good the pick is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laplace import Laplace, LaplaceCost
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost
from dpviz.mechanisms.laws.loss_laws import BoundedRangeLaw, Law, PickLaw
from dpviz.mechanisms.laws.renyi import bounded_range_rdp, bounded_range_rho
from dpviz.mechanisms.mechanism import LEAST, POSITIVE_EPSILON, elementwise
from dpviz.mechanisms.responses import PureResponse, RandomizedResponse, checked_bit
from dpviz.outward import lowered, raised, roundings, slack
from dpviz.parameters import ALPHA, CANDIDATES, COPIES, DELTA, REAL_EPSILON, SENSITIVITY, Amount, Parameter

CONFIDENCE = Parameter("confidence", "c", "how often a shortfall stays within", 0, 1)
SCORE = Parameter("scores", "q", "score of a candidate", -math.inf, math.inf, open_low=True, open_high=True)
_LEAST_EPSILON = 1e-300  # of which Laplace noise has a scale that is a double
_FORMS = roundings(1e-13)  # of a few elementary functions
_SUMS = roundings(1e-12)  # of sums over candidates
_NODES = 64  # exact for as many pairs of candidates; for more, the first panel has a weight of at most 64
_PICKS = "picks a candidate; it adds no noise to a number"


@dataclass(frozen=True, slots=True)
class _BoundedRangeCost(Cost):
    """With the variance of Gumbel noise of scale 2/u, by which the largest score is picked."""

    variance_factor = 2 * math.pi**2 / 3

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        if math.isinf(order):
            return u
        if order > MEAN_ORDER:
            return np.array([float(bounded_range_rdp(each, np.array(order))) for each in np.ravel(u)]).reshape(u.shape)
        return np.array([bounded_range_rho(each) for each in np.ravel(u)]).reshape(u.shape)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Exponential(PureResponse):
    """Picks a candidate c with probability in proportion to exp(ε q(c) / 2Δ), Δ the sensitivity of the score q.

    Parameters
    ----------
    epsilon : float
        In (0, inf).

    Raises
    ------
    ValueError
        When epsilon lies outside its interval.

    Notes
    -----
    Any neighbour relation, the one of the score's sensitivity. The same as reporting the largest score plus Gumbel
    noise of scale 2Δ/ε. Scores that move in one direction only, such as counts of records, may be weighted by
    exp(ε q(c) / Δ): the range of the loss, which is all that enters here, is ε then, too.

    That range makes every pair of losses a mixture of pairs t and t - ε, t from 0 to ε, the first of probability
    (1 - e^(t-ε)) / (1 - e^(-ε)). Their profiles at x have their supremum at t = (x + ε)/2, it is
    (1 - e^(-(ε-x)/2))² / (1 - e^(-ε)), and as a supremum of profiles the profile of a dominating pair, whose
    compositions dominate those of all scores, also chosen adaptively. One release is tight over all scores. No
    score attains the compositions of that pair, and many uses cost less by Rényi curves, suprema over t for each use;
    lower ends are those of two candidates whose scores move apart by Δ each, t = ε/2.

    References
    ----------
    Dong, Durfee & Rogers (2020), Optimal differential privacy composition for exponential mechanisms.
    Zhu, Dong & Wang (2022), Optimal accounting of differential privacy via characteristic function.
    McSherry & Talwar (2007), Mechanism design via differential privacy.

    Examples
    --------
    >>> print(f"{Exponential(1.0).delta(0.0):.6f} {Exponential(1.0).rho:.6f}")
    0.244919 0.123302
    """

    stated: Guarantee
    key: ClassVar[str] = "exponential_mechanism"
    label: ClassVar[str] = "Exponential mechanism"
    cost = _BoundedRangeCost()
    why_no_noise = f"the exponential mechanism {_PICKS}"
    loss = property(lambda self: BoundedRangeLaw(self.stated.epsilon))

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "stated", Guarantee(POSITIVE_EPSILON.check(epsilon)))

    def delta(self, epsilon: Amount) -> Amount:
        """Return δ(ε) for every real ε, tight over all scores."""
        limit = self.stated.epsilon

        def profile(values: np.ndarray) -> np.ndarray:
            inside = np.abs(np.expm1((np.clip(values, -limit, limit) - limit) / 2))
            inside = raised(inside * (inside / -math.expm1(-limit)), 16)
            return np.minimum(raised(np.maximum(inside, np.abs(np.expm1(np.minimum(values, 0.0)))), 16), 1.0)

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        limit = self.stated.epsilon

        def inverse(values: np.ndarray) -> np.ndarray:
            root = lowered(np.sqrt(values) * math.sqrt(-math.expm1(-limit)), 2)
            inside = limit + 2 * np.log1p(-np.minimum(root, 1 - 1e-16)) + slack(2) * limit
            return np.where(inside > 0, np.minimum(raised(inside, 16), limit), 0.0)

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf), the largest over all scores."""
        return elementwise(lambda order: np.maximum(bounded_range_rdp(self.stated.epsilon, order), LEAST), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε/(e^ε - 1) - 1 - ln(ε/(e^ε - 1)), below ε²/8."""
        return max(bounded_range_rho(self.stated.epsilon), LEAST)

    def grouped(self, copies: int) -> Exponential:
        """Return the same with so many times the range."""
        return Exponential(rounded_up(typed(self.stated.epsilon) * COPIES.check(copies)))

    def sample(self, value: int, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs of the dominating pair for the secret bit `value`: losses if it is 1, mirrored ones if 0."""
        beyond = -np.log1p(rng.random(size) * math.expm1(-self.stated.epsilon))
        return (2 * checked_bit(value) - 1) * (self.stated.epsilon - 2 * beyond)

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other) of the dominating pair."""
        return np.asarray(outputs, dtype=float) * (checked_bit(value) - checked_bit(other))


class _LargestScore(PureResponse, partial=True):
    """Tells which score is the largest after noise of its own is added to each, accounted as Laplace noise of its ε.

    Notes
    -----
    In units of the noise's scale, scores move by 0 to ε if one and the same number is added to all of them. Of a set S
    of candidates let A be the largest noisy score in it and B that outside, independent of A: S wins if B - A is below
    0, and once scores have moved, at best those in S by ε, if it is below ε. B has a density of at most the sum, over
    the scores outside, of the probability that this one alone lies beyond, if no noise has a hazard rate above 1, as
    exponential and Laplace noise have not: so B's own hazard rate is at most 1, and A's likewise. The distribution
    function G of B - A thus grows by at most min(G, 1 - G) per unit, which is how that of Laplace noise of scale 1
    grows. No test tells the two lists of scores apart better than Laplace noise that is moved by ε, whose compositions
    dominate those of all scores then (Dong, Roth & Su 2022, Thm 2.10 and 3.2).

    Two candidates whose scores move apart attain with exponential noise every point of it: B - A is Laplace noise.
    """

    __slots__ = ()

    @property
    def worst(self) -> Laplace | RandomizedResponse:
        """The noise that dominates; where its scale is beyond doubles, what is the worst of any ε."""
        limit = self.stated.epsilon
        return Laplace.from_epsilon(limit) if limit > _LEAST_EPSILON else RandomizedResponse(limit)

    @property
    def loss(self) -> Law:
        """The law that dominates its loss."""
        limit = self.stated.epsilon
        return PickLaw(limit, self._surely(limit / 2), self.attained) if limit > _LEAST_EPSILON else self.worst.loss

    def delta(self, epsilon: Amount) -> Amount:
        """Return δ(ε) for every real ε, over all scores."""
        return self.worst.delta(epsilon)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        return self.worst.epsilon(delta)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf), that of Laplace noise."""
        return self.worst.rdp(alpha)

    @property
    def rho(self) -> float:
        """Its zCDP parameter, that of Laplace noise."""
        return self.worst.rho

    def grouped(self, copies: int) -> Self:
        """Return the same of scores that move that many times as far."""
        return type(self)(rounded_up(typed(self.stated.epsilon) * COPIES.check(copies)))

    def sample(self, value: int, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs of the dominating pair for the secret bit `value`."""
        return self.worst.sample(checked_bit(value), size, rng)

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other) of the dominating pair."""
        return self.worst.log_ratio(outputs, checked_bit(value), checked_bit(other))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PermuteAndFlip(_LargestScore):
    """Goes through the candidates in random order and takes c with probability exp(ε (q(c) - max q) / 2Δ).

    Parameters
    ----------
    epsilon : float
        In [0, inf).

    Notes
    -----
    Any neighbour relation, the one of the score's sensitivity Δ. The same as reporting the largest score plus
    exponential noise of scale 2Δ/ε. Its range is not bounded by ε, but it is dominated by Laplace noise of the same ε:
    with A and B the largest noisy scores in a set of candidates and outside, both have a hazard rate of at most 1 in
    units of the scale, so that B - A has a density of at most min(G, 1 - G), G its distribution function, as Laplace
    noise has. One use is tight over all scores; lower ends are those of two candidates whose scores move apart.

    References
    ----------
    McKenna & Sheldon (2020), Permute-and-Flip: a new mechanism for differentially private selection.
    Ding et al. (2021), The permute-and-flip mechanism is identical to report-noisy-max with exponential noise.
    Dong, Roth & Su (2022), Thm 2.10 and 3.2, for its compositions.

    Examples
    --------
    >>> PermuteAndFlip(0.5).rdp(2.0) == Laplace.from_epsilon(0.5).rdp(2.0) < RandomizedResponse(0.5).rdp(2.0)
    True
    """

    stated: Guarantee
    key: ClassVar[str] = "permute_and_flip"
    label: ClassVar[str] = "Permute and flip"
    cost = LaplaceCost(4.0)  # with the variance of noise of scale 2/ε by which the largest score is picked
    why_no_noise = f"permute and flip {_PICKS}"
    attained: ClassVar[bool] = True

    @staticmethod
    def _surely(half: float) -> float:
        """ε of a pick of two whose scores are `half` apart and change places, rounded down."""
        odds = math.log1p(2 * math.expm1(half)) if half < 1 else half + math.log(2) + math.log1p(-math.exp(-half) / 2)
        return lowered(odds, _FORMS)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ReportNoisyMax(_LargestScore):
    """Adds Laplace noise of scale 2Δ/ε to every score and tells which candidate has the largest.

    Parameters
    ----------
    epsilon : float
        In [0, inf).

    Notes
    -----
    Any neighbour relation, the one of the score's sensitivity Δ. It is accounted as Laplace noise of the same ε, which
    dominates it as it does `PermuteAndFlip`, for the same reason; an upper bound, not tight. With other noise it is
    another mechanism: see `report_noisy_max`.

    References
    ----------
    Dwork & Roth (2014), The Algorithmic Foundations of Differential Privacy, Claim 3.9.
    Dong, Roth & Su (2022), Thm 2.10 and 3.2, for its compositions.

    Examples
    --------
    >>> ReportNoisyMax(0.5).stated
    Guarantee(epsilon=0.5, delta=0.0)
    """

    stated: Guarantee
    key: ClassVar[str] = "report_noisy_max"
    label: ClassVar[str] = "Report noisy max"
    cost = LaplaceCost(8.0)
    why_no_noise = "report noisy max adds noise to every score and tells a candidate alone; it adds none to a number"
    attained: ClassVar[bool] = False

    @staticmethod
    def _surely(half: float) -> float:
        """ε of a pick of two whose scores are `half` apart and change places, rounded down."""
        # The difference of two Laplace variables lies beyond `half` with probability (2 + half) e^-half / 4.
        if half < 1:
            return lowered(math.log1p((4 * math.expm1(half) - 2 * half) / (2 + half)), _FORMS)
        return lowered(half + math.log(4 / (2 + half)) + math.log1p(-(2 + half) * math.exp(-half) / 4), _FORMS)


_NOISES = {"gumbel": Exponential, "exponential": PermuteAndFlip, "laplace": ReportNoisyMax}


def report_noisy_max(epsilon: float, noise: str = "laplace") -> Exponential | PermuteAndFlip | ReportNoisyMax:
    """Return the mechanism that tells which score is the largest after noise of scale 2Δ/ε is added to each.

    Parameters
    ----------
    epsilon : float
        In [0, inf), above 0 for Gumbel noise.
    noise : {"gumbel", "exponential", "laplace"}
        Gumbel noise makes it the exponential mechanism, exponential noise permute and flip.

    Raises
    ------
    ValueError
        When the noise is another, or epsilon lies outside its interval.

    References
    ----------
    Ding et al. (2021), The permute-and-flip mechanism is identical to report-noisy-max with exponential noise.

    Examples
    --------
    >>> report_noisy_max(0.5, "gumbel")
    Exponential(epsilon=0.5)
    """
    if noise not in _NOISES:
        raise ValueError(f"noise must be one of {', '.join(_NOISES)}; got {noise!r}")
    return _NOISES[noise](epsilon)


def expected_shortfall(
    mechanism: Exponential | PermuteAndFlip, scores: Sequence[float], sensitivity: float = 1.0
) -> float:
    """Return by how much the score of the picked candidate falls short of the largest, on average.

    Parameters
    ----------
    mechanism : Exponential or PermuteAndFlip
    scores : sequence of float
        Exact scores of all candidates, at least one.
    sensitivity : float
        Of the score, in its units, in (0, inf).

    Returns
    -------
    float
        In units of the score, rounded up; at most `largest_shortfall`.

    Raises
    ------
    ValueError
        For another mechanism, or when a value lies outside its interval.

    Notes
    -----
    With weights w = exp(ε (q - max q) / 2Δ), permute and flip picks c where c comes up at a time s, uniform in (0, 1),
    and is taken, and none that came before was: w_c times the mean of prod (1 - s w) over the others, a polynomial.

    Examples
    --------
    >>> scores = [10.0, 8.0, 3.0]
    >>> [round(expected_shortfall(kind(1.0), scores), 4) for kind in (Exponential, PermuteAndFlip)]
    [0.6775, 0.4569]
    """
    values = SCORE.check_array(scores).ravel()
    CANDIDATES.check(len(values))
    gaps = values.max() - values
    weights = np.exp(-gaps / SENSITIVITY.check(sensitivity) * (mechanism.stated.epsilon / 2))
    if isinstance(mechanism, Exponential):
        return raised(float(weights @ gaps / weights.sum()), _SUMS)
    if not isinstance(mechanism, PermuteAndFlip):
        raise ValueError(f"mechanism must be Exponential or PermuteAndFlip; got {mechanism}")
    return raised(float(_chances(weights) @ gaps), _SUMS)


def _chances(weights: np.ndarray) -> np.ndarray:
    """How often permute and flip picks each: panels that halve towards 0 where one rule is not exact."""
    places, shares = np.polynomial.legendre.leggauss(min(len(weights) // 2 + 1, _NODES))
    halvings = max(0, math.ceil(math.log2(len(weights) / _NODES)))
    edges, chances = np.append(0.0, 0.5 ** np.arange(halvings, -1, -1)), np.zeros(len(weights))
    for low, high in pairwise(edges):
        for place, share in zip(places, shares, strict=True):
            none = 1 - (low + (high - low) * (place + 1) / 2) * weights
            chances += (high - low) / 2 * share * weights * np.exp(np.log(none).sum()) / none
    return chances


def largest_shortfall(mechanism: Exponential | PermuteAndFlip, candidates: int, sensitivity: float = 1.0) -> float:
    """Return 2Δ ln(m) / ε, which the expected shortfall of m candidates never exceeds, whatever their scores.

    Parameters
    ----------
    mechanism : Exponential or PermuteAndFlip
    candidates : int
        How many, in [1, inf).
    sensitivity : float
        Of the score, in its units, in (0, inf).

    References
    ----------
    McKenna & Sheldon (2020), Permute-and-Flip: a new mechanism for differentially private selection.

    Examples
    --------
    >>> print(f"{largest_shortfall(Exponential(1.0), 100, 2.0):.4f}")
    18.4207
    """
    if not isinstance(mechanism, Exponential | PermuteAndFlip):
        raise ValueError(f"mechanism must be Exponential or PermuteAndFlip; got {mechanism}")
    size = SENSITIVITY.check(sensitivity) * math.log(CANDIDATES.check(candidates))
    return raised(2 * size / mechanism.stated.epsilon, _SUMS) if size else 0.0


def shortfall_within(
    mechanism: Exponential | PermuteAndFlip, candidates: int, confidence: float, sensitivity: float = 1.0
) -> float:
    """Return 2Δ ln(m / (1 - c)) / ε, which the shortfall stays within with probability c, whatever the scores.

    Parameters
    ----------
    mechanism : Exponential or PermuteAndFlip
    candidates : int
        How many, in [1, inf).
    confidence : float
        c, in [0, 1]; at 1 it is inf, but for one candidate.
    sensitivity : float
        Of the score, in its units, in (0, inf).

    References
    ----------
    Dwork & Roth (2014), Thm 3.11; McKenna & Sheldon (2020), Thm 2, by which permute and flip is never worse.

    Examples
    --------
    >>> print(f"{shortfall_within(Exponential(1.0), 100, 0.95):.2f}")
    15.20
    """
    average, missed = largest_shortfall(mechanism, candidates, sensitivity), 1 - CONFIDENCE.check(confidence)
    if candidates == 1:
        return 0.0
    if not (missed and mechanism.stated.epsilon):
        return math.inf
    return raised(average - 2 * sensitivity * math.log(missed) / mechanism.stated.epsilon, _SUMS)
