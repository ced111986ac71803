"""The theorems that are computed numerically: the best that follows from the pairs, and the mechanisms themselves.

Both are upper bounds with proved lower ends; where the wanted accuracy does not fit into memory, the answer is clipped
by every other proved theorem.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from dpviz.composition.pairs import PAIR_THEOREMS, kov
from dpviz.composition.renyi import RENYI_THEOREMS
from dpviz.composition.stated_pairs import StatedPairs
from dpviz.composition.theorem import Theorem
from dpviz.effort import DRAWN, PLOTTED, QUOTED
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.loss_laws import BoundedRangeLaw, sure
from dpviz.outward import raised, slack
from dpviz.privacy_loss import Bound, optimal_bound, pld_bound
from dpviz.records import record_named

CLOSED = (*PAIR_THEOREMS, *RENYI_THEOREMS)
_QUICK = tuple(each for each in CLOSED if each.key != "rdp")  # Rényi curves take long for samples
_BASIC = record_named(PAIR_THEOREMS, "basic")
_ORDERS = 1 + np.array([0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 17.0])
EXACT = 1e-12  # relative difference that may be rounding, of typed decimals and of closed forms
_FEW = 16  # points, not mechanisms: each has its own reading of uses without a stated pair
_TOGETHER = 48  # pairs read from mechanisms without one that are composed at once, at most: each has its own transform
_NEAR = 0.06  # of the logarithms of shares, below which points are not told apart where a curve is only looked at
_NEIGHBOURING = 1.25  # of more points, those whose shares are within this factor have one reading
# The same where a curve is only looked at, a share of ln(1/share): ε at a share moves by half of that, about. What is
# not given to the reading is left as slack.
_FAR = 0.01


def optimal(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float, accuracy: float = QUOTED) -> Bound:
    """Return the best ε that follows from the pairs (ε_i, δ_i) alone, and by how much it may be too high.

    Notes
    -----
    Uses without a stated pair are read as their tight ε at a share of half of what the stated δ leave; optimal is
    meant for the pairs so read. Where all of it as shares, and plain sums, are better, those are returned.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), Thm 3.3; Murtagh & Vadhan (2016), Thm 1.5.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> round(float(optimal((RandomizedResponse(0.001),), np.array([[500]]), 1e-6).epsilon[0]), 9)
    0.079788854
    """
    pairs = StatedPairs(mechanisms, counts, delta)
    epsilon, read = kov(mechanisms, counts, delta), []
    for readings in _joined(pairs, accuracy):
        rows, epsilons, deltas, uses = _as_pairs(pairs, readings)
        usable = np.isfinite(epsilons)
        good = ~uses[:, ~usable].any(axis=1)
        if not good.any():
            continue
        rows = rows[good]
        bound = optimal_bound(epsilons[usable], deltas[usable], uses[good][:, usable], delta, accuracy)
        read.append((rows, bound))
        epsilon[rows] = np.minimum(epsilon[rows], bound.epsilon)
    return Bound(epsilon, lambda: _lower(epsilon, read))


def _joined(pairs: StatedPairs, accuracy: float) -> Iterator[list[tuple[np.ndarray, float]]]:
    """Readings that are composed at once, as pairs of one workload: they share grids, and what is stated beside them.

    A single mechanism has a closed form at each reading, and stays alone.
    """
    readings, unstated = list(_readings(pairs, accuracy)), int(pairs.unstated.sum())
    some = 1 if len(pairs.mechanisms) == 1 else max(1, _TOGETHER // max(1, unstated))
    return (readings[first : first + some] for first in range(0, len(readings), some))


def _as_pairs(
    pairs: StatedPairs, readings: list[tuple[np.ndarray, float]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points of some readings, ε and δ of all their pairs, and how often each is used there.

    Each reading of a mechanism without a stated pair is a pair of its own, which the points of other readings do not
    use.
    """
    stated, unstated = ~pairs.unstated, np.flatnonzero(pairs.unstated)
    shares = np.array([share for _, share in readings])
    read = [pairs.mechanisms[column].epsilon(shares) for column in unstated]
    rows = np.concatenate([rows for rows, _ in readings])
    group = np.repeat(np.arange(len(readings)), [len(rows) for rows, _ in readings])
    own = group[:, None] == np.arange(len(readings))
    uses = [np.where(own, pairs.counts[rows][:, [column]], 0) for column in unstated]
    return (
        rows,
        np.concatenate([pairs.epsilons[stated], *read]),
        np.concatenate([pairs.deltas[stated], *[shares for _ in unstated]]),
        np.concatenate([pairs.counts[rows][:, stated], *uses], axis=1),
    )


def _lower(epsilon: np.ndarray, read: list[tuple[np.ndarray, Bound]]) -> np.ndarray:
    """The lower ends of `optimal`: those of the pairs, but for sums in closed form that are smaller."""
    lower = epsilon.copy()
    for rows, bound in read:
        lower[rows] = np.minimum(bound.lower, epsilon[rows])
    return lower


def _readings(pairs: StatedPairs, accuracy: float) -> Iterator[tuple[np.ndarray, float]]:
    """Points that share a δ per use without a stated pair, and that δ: the smallest of theirs, which all can afford."""
    everything = np.arange(len(pairs.counts))
    if not pairs.unstated.any():
        yield everything, 0.0
        return
    each, _ = pairs.shares(slack=True, compound=True)
    group = np.where(each > 0, each, np.inf)
    if accuracy >= DRAWN:  # counted from the smallest share, so that the dearest point keeps its own
        width = max(_FAR * -np.log(group.min()), _NEAR)
        group = np.floor(np.log(group / group.min()) / width + 1e-9)
    elif len(np.unique(group)) > _FEW:
        group = np.round(np.log(np.minimum(group, 1.0)) / np.log(_NEIGHBOURING)) + 0 * group
    for value in np.unique(group[np.isfinite(group)]):
        rows = everything[group == value]
        yield rows, float(each[rows].min())


def pld(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float, accuracy: float = QUOTED) -> Bound:
    """Return the tight ε of the mechanisms themselves, and by how much it may be too high.

    References
    ----------
    Doroshenko et al. (2022), Connect the dots; Dong, Roth & Su (2022) for Gaussian noise alone.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> round(float(pld((Laplace(10),), np.array([[100]]), 1e-6).epsilon[0]), 5)
    4.69267
    """
    bound = pld_bound(mechanisms, counts, delta, accuracy)
    finite = np.where(np.isfinite(bound.epsilon), bound.epsilon, 0.0)
    if accuracy < PLOTTED and np.any(bound.estimate > 2 * accuracy * finite):  # a rougher grid may be the smaller one
        rougher = np.minimum(bound.epsilon, pld_bound(mechanisms, counts, delta, PLOTTED).epsilon)
        bound = Bound(rougher, lambda fine=bound: fine.lower, bound.estimate)
    sampled = any(mechanism.sampled for mechanism in mechanisms)
    return _clipped(bound, mechanisms, counts, delta, _QUICK if sampled else CLOSED, accuracy)


def _clipped(
    bound: Bound,
    mechanisms: tuple[Mechanism, ...],
    counts: np.ndarray,
    delta: float,
    theorems: tuple[Theorem, ...],
    accuracy: float,
) -> Bound:
    """Return the bound, where it is coarse or loose no more than what each of `theorems` proves.

    It is loose where a law only takes the place of what is known: a declared ρ adds up, its profile composes to more,
    and no score meets the pair of a bounded range. None clips it to less than is surely lost.
    """
    epsilon = bound.epsilon.copy()
    coarse = np.isinf(epsilon) | (bound.estimate > 10 * accuracy * np.where(np.isfinite(epsilon), epsilon, 0.0))
    coarse |= any(isinstance(mechanism.base.loss, BoundedRangeLaw) for mechanism in mechanisms)
    coarse |= any(sure(law) is None for mechanism in mechanisms for law in mechanism.laws())

    def clip(rows: np.ndarray, found: np.ndarray) -> None:
        proved = np.full(len(epsilon), np.inf)
        proved[rows] = found
        epsilon[:] = np.minimum(epsilon, not_below(proved, bound))

    for theorem in theorems:
        rows = np.flatnonzero(coarse | (theorem.key == "basic"))
        if len(rows) and not theorem.reason(mechanisms, delta):
            clip(rows, theorem.bound(mechanisms, counts[rows], delta))
    if coarse.any() and theorems is _QUICK:
        clip(np.flatnonzero(coarse), _at_few_orders(mechanisms, counts[coarse], delta))
    if delta == 0 and theorems is CLOSED:  # the largest losses add up, as decimals: nothing less will do
        return Bound(epsilon)
    return Bound(epsilon, lambda: bound.lower, bound.estimate)


def not_below(epsilon: np.ndarray, tight: Bound) -> np.ndarray:
    """Return what a theorem says, inf where that is below the lower end of tight accounting: then it is wrong.

    The lower end is asked for, and so computed, only where something is below the upper end by more than rounding.
    """
    if not np.any(epsilon < tight.epsilon * (1 - EXACT)):
        return epsilon
    return np.where(epsilon < tight.lower * (1 - EXACT), np.inf, epsilon)


def _at_few_orders(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """ε by Rényi composition at a dozen fixed orders: each is proved, and their curves can be kept."""
    if delta <= 0:
        return np.full(len(counts), np.inf)
    curves = np.array([_curve(mechanism) for mechanism in mechanisms]).reshape(len(mechanisms), len(_ORDERS))
    with np.errstate(invalid="ignore"):
        totals = np.where(counts[:, :, None] > 0, counts[:, :, None] * curves, 0.0).sum(axis=1)
    bounds = totals + np.log1p(-1 / _ORDERS) - (np.log(delta) + np.log(_ORDERS)) / (_ORDERS - 1)
    return np.maximum(raised(bounds.min(axis=1), 88) + slack(89), 0.0)


@lru_cache(maxsize=64)
def _curve(mechanism: Mechanism) -> tuple[float, ...]:
    return tuple(float(value) for value in mechanism.rdp(_ORDERS))


def _reason(mechanisms: tuple[Mechanism, ...], delta: float) -> str:
    return _BASIC.reason(mechanisms, delta)


OPTIMAL = Theorem(
    "optimal",
    "Optimal from the pairs",
    r"\varepsilon = \min\Bigl\{\varepsilon_g : \prod_i\tfrac{1}{1+e^{\varepsilon_i}} \sum_{S} \bigl("
    r"e^{\sum_{i\in S}\varepsilon_i} - e^{\varepsilon_g}e^{\sum_{i\notin S}\varepsilon_i}\bigr)_+"
    r" \le 1-\tfrac{1-\delta}{\prod_i(1-\delta_i)}\Bigr\}",
    "parameters fixed in advance; no proof that sees only the pairs can do better",
    "Kairouz, Oh & Viswanath (2015), Thm 3.3; Murtagh & Vadhan (2016), Thm 1.5",
    False,
    _reason,
    lambda mechanisms, counts, delta: optimal(mechanisms, counts, delta).epsilon,
    optimal,
)
PLD = Theorem(
    "pld",
    "Tight accounting",
    r"\delta(\varepsilon) = \mathbb{E}\bigl[(1-e^{\varepsilon-L})_+\bigr],\qquad L=\sum_i L_i",
    "the noise itself as it is entered, not only its (ε, δ); parameters fixed in advance",
    "Doroshenko et al. (2022), Connect the dots; Balle & Wang (2018), Thm 8 for Gaussian noise",
    False,
    _reason,
    lambda mechanisms, counts, delta: pld(mechanisms, counts, delta).epsilon,
    pld,
    of_laws=True,
)
