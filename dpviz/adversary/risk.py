"""Risk: what an attacker could learn from a composed plan, always from its whole privacy loss, never from one pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpviz.adversary.odds import Odds, check_loss, odds, odds_record
from dpviz.adversary.views import PRIOR
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP
from dpviz.outward import lowered, raised, roundings, slack
from dpviz.parameters import DELTA, FALSE_POSITIVE_RATE, Amount, Parameter, checked, checked_items
from dpviz.privacy_loss import misses

if TYPE_CHECKING:
    import pandas

__all__ = [
    "AttackPoint", "Loss", "LossBound", "Odds", "PairLoss", "attack_frame", "best_success", "greatest_advantage",
    "loss_bound", "odds", "odds_record", "posterior", "posterior_frame", "told_rarely",
    "true_positive_rate",
]  # fmt: skip

PROBABILITY = Parameter("probability", "p", "how often the loss may exceed its bound", 0, 1)
PRIORS = (0.001, 0.01, 0.1, 0.5)
RARELY = 0.01  # how often results may tell more than what is told of suspicions
RARE = 1e-6  # how often results may tell more than what is told of rare ones
FALSE_POSITIVE_RATES = (0.01, 0.001)
_BELOW_NORMAL = 2e-323  # four of the smallest doubles: rounding of an exponential, a product and a quotient there
_FEW = roundings(1e-12)  # more than a handful of operations, where no digit of them is shown


class Loss(Protocol):
    """What risk is computed from; ``dpviz.PrivacyLoss`` is one. Every read is on the attacker's side."""

    @property
    def advantage(self) -> float:
        """Of the best attack, in [0, 1], or more."""

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`, or more."""

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return δ(ε), or more, for ε >= 0."""

    def tradeoff(self, false_positive_rate: Amount) -> Amount:
        """Return the least false negative rate of any attack, or less."""


class PairLoss:
    """All that a pair (ε, δ) alone says about an attack: the looser values to show beside those of the plan itself.

    Parameters
    ----------
    guarantee : Guarantee
        Any pair; ε = inf says nothing.

    Notes
    -----
    Every mechanism that meets the pair is a post-processing of leaky randomized response, whose profile this is. Any
    neighbour relation, the one of the pair.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), Thm 3.3; Wasserman & Zhou (2010), Thm 2.4, for the trade-off.

    Examples
    --------
    >>> print(f"{PairLoss(Guarantee(6, 1e-5)).advantage:.4f}")
    0.9951
    """

    def __init__(self, guarantee: Guarantee) -> None:
        self.guarantee: Guarantee = checked(guarantee, Guarantee, "guarantee")
        vacuous = math.isinf(guarantee.epsilon)
        self._box = ApproximateDP(0.0, 1.0) if vacuous else ApproximateDP(guarantee.epsilon, guarantee.delta)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε that the pair implies at `delta`."""
        return self._box.epsilon(delta)

    def delta(self, epsilon: Amount) -> Amount:
        """Return the δ(ε) that the pair implies."""
        return self._box.delta(epsilon)

    @property
    def advantage(self) -> float:
        """The advantage that the pair allows, δ(0)."""
        return float(self._box.delta(0.0))

    def tradeoff(self, false_positive_rate: Amount) -> Amount:
        """Return the false negative rate that the pair forces, rounded down."""
        rate = FALSE_POSITIVE_RATE.check_array(false_positive_rate)
        delta = self._box.stated.delta
        kept = math.nextafter(1 - delta, 0.0) if delta else 1.0
        missed = np.maximum(lowered(misses(self._box.stated.epsilon, kept, rate), _FEW) - _BELOW_NORMAL, 0.0)
        return float(missed) if np.ndim(false_positive_rate) == 0 else missed


@dataclass(frozen=True, slots=True)
class AttackPoint:
    """One attack on the trade-off curve.

    Parameters
    ----------
    false_positive_rate, true_positive_rate : float
        How often it accuses without, and with, the unit in the data.
    """

    false_positive_rate: float
    true_positive_rate: float


def greatest_advantage(loss: Loss) -> AttackPoint:
    """Return the point of the trade-off curve at which an attack gains most; on a tie, the one with equal error rates.

    Notes
    -----
    A curve that holds for both directions is convex and its own mirror image at the diagonal, so the mean of a best
    point and its image is a best point with equal error rates: (1 - advantage)/2 each. Rounded to the attacker's side.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> point = greatest_advantage(PairLoss(RandomizedResponse(0.5).stated))
    >>> round(point.false_positive_rate, 4), round(point.true_positive_rate, 4)
    (0.3775, 0.6225)
    """
    check_loss(loss, "advantage")
    advantage = min(float(loss.advantage), 1.0)
    return AttackPoint((1 - advantage) / 2, (1 + advantage) / 2)


def best_success(loss: Loss, prior: float = 0.5) -> float:
    """Return how often the best attack guesses right whether the unit is in the data, at most.

    Parameters
    ----------
    loss : PrivacyLoss
    prior : float
        Probability, before the releases, that the unit is in; in [0, 1].

    Returns
    -------
    float
        In [max(prior, 1 - prior), 1], rounded up.

    Notes
    -----
    With π <= 1/2, guessing right has probability (1-π)(1-α) + π·TPR <= (1-π) + π·sup(TPR - e^ε α) at e^ε = (1-π)/π,
    and that supremum is δ(ε). The same holds with the worlds exchanged for π > 1/2, since δ covers both directions.

    References
    ----------
    Wasserman & Zhou (2010), Sec. 2; Kulynych et al. (2025), Prop. D.1, for the Bayes risk.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> print(f"{best_success(PairLoss(RandomizedResponse(1.0).stated)):.4f}")
    0.7311
    """
    check_loss(loss, "delta")  # all that is read: a mechanism has it, too
    prior = PRIOR.check(prior)
    rarer = min(prior, 1 - prior)
    if rarer == 0:
        return 1.0
    # ln of the odds, rounded down: δ falls in ε, so it is taken at most one rounding too early.
    epsilon = max(0.0, lowered(math.log1p(-rarer) - math.log(rarer), 7) - slack(8))
    return min(1.0, raised((1 - rarer) + rarer * float(loss.delta(epsilon)), _FEW))


def true_positive_rate(loss: Loss, false_positive_rate: float) -> float:
    """Return how often an attack can accuse rightly, at most, if it accuses wrongly this often.

    Parameters
    ----------
    loss : PrivacyLoss
    false_positive_rate : float
        In [0, 1].

    Returns
    -------
    float
        In [false_positive_rate, 1], rounded up; computed at this rate alone.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> print(f"{true_positive_rate(PairLoss(RandomizedResponse(1.0).stated), 0.01):.5f}")
    0.02718
    """
    check_loss(loss, "tradeoff")
    rate = FALSE_POSITIVE_RATE.check(false_positive_rate)
    return min(1.0, max(rate, math.nextafter(1 - float(loss.tradeoff(rate)), 2.0)))


@dataclass(frozen=True, slots=True)
class LossBound:
    """A bound on the privacy loss that holds but for some probability.

    Parameters
    ----------
    epsilon : float
        P[loss > epsilon] <= probability; inf where no finite bound is proved.
    probability : float
    reason : str
        Why it is infinite; empty where it is not.
    """

    epsilon: float
    probability: float
    reason: str = ""


def loss_bound(loss: Loss, probability: float) -> LossBound:
    """Return a proved bound on the privacy loss that is exceeded with probability at most `probability`.

    Parameters
    ----------
    loss : PrivacyLoss
    probability : float
        In [0, 1]; over the randomness of the releases, whichever of both databases is the true one.

    Notes
    -----
    The smallest, over ε' found by search, of ε' - ln(1 - δ(ε')/p). Neither ε(δ) nor a quantile of a discretised
    distribution would be a bound.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, Prop. 7 (δ as an expectation of
    the loss); the step to the tail is proved in the source.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> loss_bound(PairLoss(Guarantee(1.0)), 0.01).epsilon >= 1.0
    True
    >>> loss_bound(PairLoss(Guarantee(1.0, 0.01)), 0.01).reason
    'the loss is not proved to stay below any number with this probability'
    """
    # Let L be the loss of the output and ε' < ε. On the event L > ε the integrand of δ(ε') = E[(1 - e^(ε'-L))_+] is
    # more than 1 - e^(ε'-ε) > 0, and it is nowhere negative. Hence δ(ε') >= (1 - e^(ε'-ε)) P[L > ε] (Markov), that is
    # P[L > ε] <= δ(ε') / (1 - e^(ε'-ε)). The right side is at most p as soon as ε >= ε' - ln(1 - δ(ε')/p), for any ε'
    # with δ(ε') < p. An upper bound on δ keeps this true, and so does any choice of ε'. Infinite losses count as > ε.
    check_loss(loss, "epsilon", "delta", "tradeoff")
    probability = PROBABILITY.check(probability)
    always = float(loss.epsilon(0.0))
    high = min(always, _first_bound(loss, probability))
    if math.isinf(high):
        return LossBound(math.inf, probability, _UNBOUNDED_SURELY if probability == 0 else _UNBOUNDED)
    if probability in (0.0, 1.0) or high == 0:
        return LossBound(0.0 if probability == 1 else high, probability)
    best, low = high, 0.0
    for _ in range(3):  # each search narrows down to two steps of the last; a coarse one only costs tightness
        grid = np.linspace(low, max(high, low), 201)
        bounds = _implied(grid, np.asarray(loss.delta(grid), dtype=float), probability)
        place = int(bounds.argmin())
        best = min(best, float(bounds[place]))
        low, high = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    return LossBound(min(raised(best, _FEW), always), probability)


_UNBOUNDED_SURELY = "the loss has no bound that always holds"
_UNBOUNDED = "the loss is not proved to stay below any number with this probability"


def _implied(epsilon: np.ndarray, delta: np.ndarray, probability: float) -> np.ndarray:
    """ε' - ln(1 - δ(ε')/p); inf where δ(ε') >= p."""
    share = raised(delta / probability, _FEW)
    return np.where(share < 1, epsilon - np.log1p(-np.minimum(share, 1 - 1e-16)), math.inf)


def _first_bound(loss: Loss, probability: float) -> float:
    """Some finite bound to start from: at δ(ε') = p/2, or closer to p where a leak takes most of it."""
    if probability == 0:
        return math.inf
    for share in (0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9):
        epsilon = float(loss.epsilon(probability * share))
        if math.isfinite(epsilon):
            return raised(epsilon - math.log1p(-share), _FEW)
    return math.inf


def posterior(loss: Loss, prior: float, probability: float = 0.01) -> float:
    """Return how sure an attacker can become, at most, but for releases of the given probability.

    Parameters
    ----------
    loss : PrivacyLoss
    prior : float
        How sure they were, in [0, 1]: of whatever follows from the unit being in the data.
    probability : float
        With which the releases may tell more, in [0, 1].

    Returns
    -------
    float
        In [prior, 1], rounded up; 1 where the loss has no bound at this probability.

    Notes
    -----
    Posterior odds are prior odds times e^loss, and the loss is bounded by `loss_bound`.

    Examples
    --------
    >>> print(f"{posterior(PairLoss(Guarantee(1.0)), 0.1):.4f}")
    0.2320
    """
    return _posterior(loss_bound(loss, probability).epsilon, PRIOR.check(prior))


def _posterior(epsilon: float, prior: float) -> float:
    if prior in (0.0, 1.0):
        return prior
    after = prior / (prior + (1 - prior) * math.exp(-epsilon))
    return min(1.0, max(prior, raised(after, _FEW)))


def posterior_frame(
    loss: Loss, delta: float, priors: Sequence[float] = PRIORS, probabilities: Sequence[float] | None = None
) -> pandas.DataFrame:
    """Return how far priors can rise, beside what (ε(δ), δ) alone would imply.

    Parameters
    ----------
    loss : PrivacyLoss
    delta : float
        The plan's δ, in [0, 1].
    priors : sequence of float
        In [0, 1].
    probabilities : sequence of float, optional
        With which the loss may exceed its bound; None: 1 % and `delta`.

    Returns
    -------
    DataFrame
        One row per (probability, prior): probability, prior, epsilon (the bound on the loss, nats), posterior, reason
        (why there is no finite bound), and the same from the pair: pair_epsilon, pair_posterior, pair_reason.
    """
    delta = DELTA.check(delta)
    asked = (0.01, delta) if probabilities is None else checked_items(probabilities, "probabilities")
    priors = [PRIOR.check(each, "priors") for each in checked_items(priors, "priors")]
    return posteriors_within(loss_bounds(loss, delta, asked), priors)


def told_rarely(loss: Loss, delta: float) -> tuple[float, float]:
    """Return how often results may tell more than in all but a few cases, and than in rarer ones.

    The last is `delta` where results so rare tell no more than others. Else it is 1 in a million, or `delta` where
    that is more: a loss exceeds the ε of a δ more often than that, which would be read as a contradiction.

    Examples
    --------
    >>> told_rarely(PairLoss(Guarantee(1.0)), 0.0), told_rarely(PairLoss(Guarantee(1.0, 1e-9)), 1e-9)
    ((0.01, 0.0), (0.01, 1e-06))
    """
    least = min(delta, RARELY)
    epsilons = [own.epsilon for own, _ in loss_bounds(loss, delta, (RARELY, least))]
    return RARELY, least if len({*epsilons}) == 1 else min(max(delta, RARE), RARELY)


def loss_bounds(loss: Loss, delta: float, probabilities: Sequence[float]) -> tuple[tuple[LossBound, LossBound], ...]:
    """Return `loss_bound` at each probability, once each, and beside it what (ε(δ), δ) alone implies.

    Examples
    --------
    >>> ((own, implied),) = loss_bounds(PairLoss(Guarantee(1.0)), 0.0, [0.01])
    >>> own == implied
    True
    """
    check_loss(loss, "epsilon", "delta", "advantage", "tradeoff")
    pair = PairLoss(Guarantee(float(loss.epsilon(delta)), delta))
    both = []
    for probability in dict.fromkeys(PROBABILITY.check(each, "probabilities") for each in probabilities):
        own, implied = loss_bound(loss, probability), loss_bound(pair, probability)
        # What holds for every mechanism of the pair holds for this one: never quote the looser of two bounds.
        both.append((min(own, implied, key=lambda bound: bound.epsilon), implied))
    return tuple(both)


def posteriors_within(bounds: Iterable[tuple[LossBound, LossBound]], priors: Sequence[float]) -> pandas.DataFrame:
    """Return the frame of `posterior_frame` from bounds that are known.

    Examples
    --------
    >>> frame = posteriors_within(loss_bounds(PairLoss(Guarantee(1.0)), 0.0, [0.01]), [0.1])
    >>> print(f"{frame.posterior[0]:.4f}")
    0.2320
    """
    import pandas as pd

    rows = []
    for pair in bounds:
        for prior in priors:
            both = [(each.epsilon, _posterior(each.epsilon, prior), each.reason) for each in pair]
            rows.append((pair[0].probability, prior, *both[0], *both[1]))
    names = ("probability", "prior", "epsilon", "posterior", "reason", "pair_epsilon", "pair_posterior", "pair_reason")
    return pd.DataFrame(rows, columns=list(names))


def attack_frame(
    loss: Loss, delta: float, priors: Sequence[float] = PRIORS, rates: Sequence[float] = FALSE_POSITIVE_RATES
) -> pandas.DataFrame:
    """Return what the best attack reaches, beside what (ε(δ), δ) alone would imply.

    Parameters
    ----------
    loss : PrivacyLoss
    delta : float
        The plan's δ, in [0, 1].
    priors : sequence of float
        For the success rate, in [0, 1].
    rates : sequence of float
        False positive rates, in [0, 1].

    Returns
    -------
    DataFrame
        One row per measure: measure ("advantage", "best_success", "true_positive_rate"), at (the prior, or the false
        positive rate; NaN for the advantage), value and pair_value, both rounded up.
    """
    import pandas as pd

    check_loss(loss, "epsilon", "delta", "advantage", "tradeoff")
    delta = DELTA.check(delta)
    pair = PairLoss(Guarantee(float(loss.epsilon(delta)), delta))
    rows = [("advantage", math.nan, min(1.0, float(loss.advantage)), pair.advantage)]
    priors, rates = checked_items(priors, "priors"), checked_items(rates, "rates")
    measures = (("best_success", priors, best_success), ("true_positive_rate", rates, true_positive_rate))
    for measure, at, function in measures:
        rows += [(measure, each, function(loss, each), function(pair, each)) for each in at]
    return pd.DataFrame(rows, columns=["measure", "at", "value", "pair_value"])
