"""The composed mechanism itself, numerically tight: theorems `pld` and `optimal`, and the reads of `PrivacyLoss`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dpviz.decimals import compounded_within, rounded_up, weighted_sums
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta_floor, gaussian_epsilon, gaussian_epsilon_floor
from dpviz.mechanisms.laws.loss_laws import GaussianLaw, Law, ResponseLaw, SampledLaw, U, sure
from dpviz.parameters import DELTA, EPSILON, FALSE_POSITIVE_RATE, REAL_EPSILON, Amount, Parameter, checked_items, shown
from dpviz.plan import Composable, as_plan
from dpviz.privacy_loss.accountant import Solved, epsilons
from dpviz.privacy_loss.below import epsilon_below
from dpviz.privacy_loss.limits import (
    GAUSSIAN_SUM,
    epsilon_ceiling,
    epsilon_floor,
    gaussian_part,
    leaks,
    log_kept,
    one_sided,
    reach,
    total,
    vast,
    weighted,
)
from dpviz.privacy_loss.profile import CLOSED, Composition, SingleUse
from dpviz.privacy_loss.responses import identical_responses, identical_responses_floor

if TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike

ACCURACY = Parameter("accuracy", "", "wanted relative excess", 0, 0.1, open_low=True)
POINTS = Parameter("points", "", "points of a curve", 0, 1_000_000, integer=True)
SMALLEST_DELTA = 1e-290
ROUNDING = 4e-16  # of 1 - delta - exp(epsilon) a, whose terms are at most about 1
SETTLED = 0.01  # of the wanted accuracy: where what is surely lost and what suffices differ less, nothing is searched
ROUNDS = 16  # of the search for a trade-off; each narrows it four times


@dataclass(frozen=True)
class Bracket:
    """Certified ends, of the shape that was asked for: the truth lies in [lower, upper]."""

    lower: float | np.ndarray
    upper: float | np.ndarray

    @property
    def excess(self) -> float | np.ndarray:
        """By how much the upper end may exceed the truth; 0 where both are infinite."""
        open_end = np.isinf(self.upper) & np.isinf(self.lower)
        return np.where(open_end, 0.0, self.upper - np.where(open_end, 0.0, self.lower))[()]


@dataclass(frozen=True)
class Bound:
    """Certified ends of the epsilon of some compositions; the lower ones are only found when they are asked for.

    Parameters
    ----------
    epsilon : ndarray of float, shape (points,)
        Upper ends.
    below : callable
        ``below()`` returns lower ends, of the same shape.
    estimate : ndarray of float, shape (points,), optional
        An estimate of the excess, that steers and is never shown; 0 if not given.
    """

    epsilon: np.ndarray
    below: Callable[[], np.ndarray] | None = None
    estimate: np.ndarray | float = 0.0

    @cached_property
    def lower(self) -> np.ndarray:
        """Lower ends: at any smaller epsilon delta is larger than allowed."""
        return self.epsilon if self.below is None else self.below()

    @property
    def excess(self) -> np.ndarray:
        """By how much the upper ends may exceed the truth; 0 of what is infinite."""
        finite = np.isfinite(self.epsilon)
        return np.where(finite, self.epsilon, 0.0) - np.where(finite, self.lower, 0.0)


def pld_bound(mechanisms: Sequence[Mechanism], counts: ArrayLike, delta: ArrayLike, accuracy: float = 1e-6) -> Bound:
    """Return the tight epsilon of each composition of the mechanisms themselves, rounded up.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : array of int, shape (points, mechanisms)
        How often each mechanism is used.
    delta : float or array of float, shape (points,)
        In [0, 1].
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    Returns
    -------
    Bound
        ``inf`` where delta is exhausted: the leaks alone, 1 - prod (1 - delta_i), reach it.

    Raises
    ------
    ValueError
        When a value lies outside its interval, or mechanisms demand different relations.

    Notes
    -----
    Both directions of asymmetric mechanisms are composed apart, and the worse is returned. Parameters fixed in advance.

    References
    ----------
    Doroshenko et al. (2022), Connect the Dots; Zhu, Dong and Wang (2022), Thm 11 and Prop. 10.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(f"{pld_bound([Laplace(10)], [[100]], 1e-6).epsilon[0]:.4f}")
    4.6927
    """
    check_relations(mechanisms)
    directions = [mechanism.laws() for mechanism in mechanisms]
    counts = checked_counts(counts, len(directions))
    bounds = [
        bound([laws[side % len(laws)] for laws in directions], counts, delta, accuracy) for side in sides(directions)
    ]
    combined = worst(bounds, len(counts))
    return with_single_uses(mechanisms, counts, delta, combined)


def with_single_uses(mechanisms: Sequence[Mechanism], counts: np.ndarray, delta: ArrayLike, combined: Bound) -> Bound:
    """Return the bound, with the mechanism's own exact epsilon where there is a single release."""
    epsilon, single = combined.epsilon.copy(), np.flatnonzero(counts.sum(axis=1) == 1)
    if not len(single):
        return combined
    alone = [mechanisms[place] for place in counts[single].argmax(axis=1)]
    deltas = np.broadcast_to(delta, len(counts))[single].tolist()
    exact = np.array([float(mechanism.epsilon(each)) for mechanism, each in zip(alone, deltas, strict=True)])
    epsilon[single] = np.minimum(exact, epsilon[single])

    def below() -> np.ndarray:
        lower = combined.lower.copy()
        tops = np.array([max(law.top for law in mechanism.laws()) for mechanism in alone])
        own = np.array([all(map(sure, mechanism.laws())) for mechanism in alone])
        closed = np.isfinite(exact) & np.isfinite(tops) & own
        # The inverse in doubles is the true one at a delta within 16 u of this one, but for CLOSED.
        raised = [min(each * (1 + 2e-15), 1.0) for each in deltas]
        inverse = np.array([float(mechanism.epsilon(each)) for mechanism, each in zip(alone, raised, strict=True)])
        rows, slack = single[closed], CLOSED * np.maximum(exact, tops)[closed]
        lower[rows] = np.maximum(lower[rows], inverse[closed] - slack)
        return lower

    return Bound(epsilon, below, combined.estimate)


def optimal_bound(
    epsilons: Iterable[float], deltas: Iterable[float], counts: ArrayLike, delta: ArrayLike, accuracy: float = 1e-6
) -> Bound:
    """Return the best epsilon that follows from the pairs (epsilon_i, delta_i) alone, rounded up.

    Parameters
    ----------
    epsilons, deltas : arrays of float, shape (mechanisms,)
        The stated pairs, in [0, inf) and [0, 1].
    counts : array of int, shape (points, mechanisms)
    delta : float or array of float, shape (points,)
        In [0, 1].
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    References
    ----------
    Kairouz, Oh and Viswanath (2015), Thm 3.3 (identical pairs); Murtagh and Vadhan (2016), Thm 1.5 (mixed pairs).

    Examples
    --------
    >>> print(f"{optimal_bound([0.1], [1e-9], [[1000]], 1e-6).epsilon[0]:.6f}")
    26.819144
    """
    laws = [ResponseLaw(EPSILON.check(each), DELTA.check(leak)) for each, leak in zip(epsilons, deltas, strict=True)]
    if any(np.isinf(law.epsilon) for law in laws):
        raise ValueError("epsilon of a pair must be in [0, inf); got inf")
    return bound(laws, checked_counts(counts, len(laws)), delta, accuracy)


class PrivacyLoss:
    """A composed plan itself: what it costs at every epsilon and delta, and what an attacker can do.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : array of int, shape (parts, mechanisms)
        How often each is used, in each of the disjoint parts of the data; the worst part counts.
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    Notes
    -----
    Every read is an upper bound on the attacker: delta and epsilon rounded up, false negative rates rounded down.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> loss = PrivacyLoss([Laplace(10)], [[100]])
    >>> print(f"{loss.epsilon(1e-6):.4f} {loss.delta(4.6927):.3g}")
    4.6927 1e-06
    """

    def __init__(self, mechanisms: Sequence[Mechanism], counts: ArrayLike, accuracy: float = 1e-6) -> None:
        if isinstance(mechanisms, Mapping):
            raise ValueError("mechanisms must be a sequence beside counts; got a mapping, which PrivacyLoss.of takes")
        mechanisms = checked_items(mechanisms, "mechanisms", "mechanisms", Mechanism)
        check_relations(mechanisms)
        self.mechanisms: tuple[Mechanism, ...] = tuple(mechanisms)
        self.accuracy: float = ACCURACY.check(accuracy)
        self.counts: np.ndarray = checked_counts(counts, len(self.mechanisms))
        directions = [mechanism.laws() for mechanism in self.mechanisms]
        self.profiles: tuple[tuple[Composition, ...], ...] = tuple(
            tuple(self.profile(directions, row, side) for side in sides(directions)) for row in self.counts
        )

    @classmethod
    def of(cls, plan: Composable, accuracy: float = 1e-6) -> PrivacyLoss:
        """Return the privacy loss of a plan, or of what stands for one.

        Parameters
        ----------
        plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        accuracy : float
            Wanted relative excess, in (0, 0.1].

        Examples
        --------
        >>> from dpviz.mechanisms import Gaussian
        >>> print(f"{PrivacyLoss.of(Gaussian(10)).epsilon(1e-6):.4f}")
        0.3969
        """
        return cls(*as_plan(plan).workload(), accuracy)

    def profile(self, directions: list[tuple[Law, ...]], row: np.ndarray, side: int) -> Composition:
        """Return the profile of one part in one direction."""
        laws = [laws[side % len(laws)] for laws in directions]
        if row.sum() == 1:
            alone = int(np.argmax(row))
            closed = self.mechanisms[alone].profiles
            return SingleUse([laws[alone]], np.ones(1, dtype=int), self.accuracy, closed[side % len(closed)])
        distinct, counts = merged(laws, row[None, :]) if laws else ([], row[None, :])
        return Composition(distinct, counts[0], self.accuracy)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest epsilon >= 0 with delta(epsilon) <= `delta`, rounded up; inf where there is none.

        Parameters
        ----------
        delta : float or array of float
            In [0, 1].
        """
        return self.bound(delta).epsilon.reshape(np.shape(delta))[()]

    def epsilon_bracket(self, delta: ArrayLike) -> Bracket:
        """Return certified ends of the smallest epsilon >= 0 with delta(epsilon) <= `delta`.

        Parameters
        ----------
        delta : float or array of float
            In [0, 1].

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> bracket = PrivacyLoss([Laplace(10)], [[100]]).epsilon_bracket(1e-6)
        >>> bool(bracket.lower <= 4.692667414680189 <= bracket.upper), bool(bracket.excess < 1e-5)
        (True, True)
        """
        bound, shape = self.bound(delta), np.shape(delta)
        return Bracket(bound.lower.reshape(shape)[()], bound.epsilon.reshape(shape)[()])

    def excess(self, delta: ArrayLike) -> float | np.ndarray:
        """Return by how much `epsilon(delta)` may exceed the truth: the width of its bracket."""
        return self.epsilon_bracket(delta).excess

    def bound(self, delta: ArrayLike) -> Bound:
        """Return the worst part's bound at each of `delta`, flattened."""
        deltas = DELTA.check_array(delta).ravel()
        parts = [
            pld_bound(self.mechanisms, np.tile(row, (len(deltas), 1)), deltas, self.accuracy) for row in self.counts
        ]
        return worst(parts, len(deltas))

    def delta(self, epsilon: Amount) -> Amount:
        """Return the worst delta(epsilon) over parts and directions, rounded up; never NaN.

        Parameters
        ----------
        epsilon : float or array of float
            Any real number.
        """
        return self.dearest(epsilon, lambda side, size: side.delta(size), 1 + 4e-15)

    def delta_bracket(self, epsilon: ArrayLike) -> Bracket:
        """Return certified ends of the worst delta(epsilon) over parts and directions.

        Parameters
        ----------
        epsilon : float or array of float
            Any real number.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> bracket = PrivacyLoss([Laplace(10)], [[100]]).delta_bracket(4.692667414680189)
        >>> bool(bracket.lower <= 1e-6 * (1 + 1e-12)), bool(bracket.upper >= 1e-6 * (1 - 1e-12))
        (True, True)
        """
        upper = self.delta(epsilon)
        return Bracket(self.dearest(epsilon, lambda side, size: side.delta_below(size), 1 - 1e-14), upper)

    def dearest(
        self, epsilon: ArrayLike, end: Callable[[Composition, np.ndarray], np.ndarray], rounding: float
    ) -> float | np.ndarray:
        """Return the largest `end` of delta over parts and directions, carried on to negative epsilon."""
        flat = REAL_EPSILON.check_array(epsilon).ravel()
        size = np.abs(flat)
        ahead = np.zeros(size.shape)
        for side in (side for part in self.profiles for side in part):
            ahead = np.maximum(ahead, end(side, size))
        behind = np.minimum((-np.expm1(-size) + np.exp(-size) * ahead) * rounding, 1.0)
        return np.where(flat >= 0, ahead, behind).reshape(np.shape(epsilon))[()]

    @property
    def advantage(self) -> float:
        """The largest true positive rate minus false positive rate: the total variation distance, delta(0)."""
        return float(self.delta(0.0))

    def tradeoff(self, false_positive_rate: Amount) -> Amount:
        """Return the false negative rate that no attacker can get below, rounded down.

        Parameters
        ----------
        false_positive_rate : float or array of float
            In [0, 1].

        Notes
        -----
        The supremum over epsilon >= 0 of 1 - delta - exp(epsilon) a and exp(-epsilon) (1 - delta - a), at each rate a
        on its own. Every epsilon gives a valid bound, so a coarse search could only overstate the attacker.

        References
        ----------
        Wasserman and Zhou (2010), Thm 2.4; Dong, Roth and Su (2022), Prop. 2.5.
        """
        rates = FALSE_POSITIVE_RATE.check_array(false_positive_rate)
        flat = rates.ravel()
        grid = np.unique(np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 40), np.linspace(0.0, 1.0, 160)]))
        grid = grid * self.farthest(flat[flat > 0].min(initial=1.0))
        candidates, values = grid[None, :], misses(grid, 1 - self.delta(grid) - ROUNDING, flat[:, None])
        best = np.zeros(len(flat))
        for turn in range(ROUNDS + 1):
            chosen = values.argmax(axis=1)
            best = np.maximum(best, np.take_along_axis(values, chosen[:, None], 1)[:, 0])
            if turn == ROUNDS:
                break
            candidates = between_neighbours(candidates, chosen) if turn < ROUNDS - 1 else self.kinks(candidates, chosen)
            values = misses(candidates, 1 - self.delta(candidates) - ROUNDING, flat[:, None])
        best = np.where(flat == 0, self.never(), best)
        return np.maximum(best * (1 - 1e-13), 0.0).reshape(np.shape(false_positive_rate))[()]

    def never(self) -> float:
        """Return the false negative rate of attackers who never accuse wrongly: all but the leak."""
        leaks = [float(side.delta(np.array([side.top]))[0]) for part in self.profiles for side in part]
        return 1.0 - max(leaks, default=0.0)

    def kinks(self, candidates: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return the chosen candidates with the kinks beside them, shape (points, candidates)."""
        middle = np.take_along_axis(np.broadcast_to(candidates, (len(chosen), candidates.shape[1])), chosen[:, None], 1)
        sides = [side for part in self.profiles for side in part]
        return np.concatenate([middle, *(end for side in sides for end in side.kinks(middle))], axis=1)

    def farthest(self, rate: float) -> float:
        """Return an epsilon beyond which no false positive rate from `rate` on has its supremum."""
        log_target = np.log(max(min(rate * 1e-3, 1e-12), SMALLEST_DELTA))
        lossy = [side for part in self.profiles for side in part if side.top > 0]
        return min(max([*(side.farthest(log_target) for side in lossy), 1e-9]), 1e300)

    def frame(self, points: int = 200) -> pandas.DataFrame:
        """Return the privacy profile, one row per epsilon: columns epsilon (nats, ascending from 0) and delta."""
        import pandas

        epsilon = np.linspace(0.0, self.farthest(1e-6), POINTS.check(points))
        return pandas.DataFrame({"epsilon": epsilon, "delta": self.delta(epsilon)})


def between_neighbours(candidates: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return candidates between the neighbours of the chosen ones, shape (points, 9)."""
    candidates, rows = np.broadcast_to(candidates, (len(chosen), candidates.shape[1])), np.arange(len(chosen))
    low = candidates[rows, np.maximum(chosen - 1, 0)]
    return np.linspace(low, candidates[rows, np.minimum(chosen + 1, candidates.shape[1] - 1)], 9, axis=1)


def misses(epsilon: ArrayLike, kept: ArrayLike, rate: ArrayLike) -> np.ndarray:
    """Return the least false negative rate at a false positive rate that (epsilon, 1 - `kept`) allows.

    By the boundary of the pair's privacy region, max(0, kept - exp(epsilon) a, exp(-epsilon) (kept - a)) at a rate a.
    Only the product is rounded to the safe side here: who calls rounds `kept`, and the answer.

    References
    ----------
    Wasserman and Zhou (2010), Thm 2.4; Kairouz, Oh and Viswanath (2015), Thm 2.1.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        steep = kept - np.where(rate > 0, np.exp(epsilon) * rate * (1 + 1e-15), 0.0)
    return np.maximum(np.maximum(steep, np.exp(-epsilon) * (kept - rate)), 0.0)


def bound(laws: Sequence[Law], counts: np.ndarray, delta: ArrayLike, accuracy: float) -> Bound:
    """Return the bound for laws of one direction, by the closed form where there is one."""
    delta, accuracy = np.broadcast_to(DELTA.check_array(delta), len(counts)), ACCURACY.check(accuracy)
    laws, counts = merged(laws, counts)
    log_rest = log_remainder(laws, counts, delta)
    answer = np.where(log_rest > -np.inf, 0.0, without_slack(laws, counts, delta))
    estimate, finer = np.zeros(len(counts)), np.ones(len(counts))
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0))
    if len(rows):
        answer[rows], estimate[rows], finer[rows] = finite(laws, counts[rows], log_rest[rows], accuracy)
    answer = never_falling(answer, counts, delta)
    return Bound(answer, lambda: below(laws, counts, delta, answer, accuracy, finer), estimate)


def never_falling(epsilon: np.ndarray, counts: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return upper ends, none above that of a composition that does more at the same delta."""
    order = np.argsort(counts.sum(axis=1), kind="stable")
    if len(order) < 2 or np.any(delta != delta[0]) or np.any(np.diff(counts[order], axis=0) < 0):
        return epsilon
    result = np.empty_like(epsilon)
    result[order] = np.minimum.accumulate(epsilon[order][::-1])[::-1]
    return result


def below(
    laws: Sequence[Law],
    counts: np.ndarray,
    delta: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
) -> np.ndarray:
    """Return lower ends beside the upper ends `epsilon`: no smaller epsilon has delta(epsilon) <= `delta`.

    Laws that stand in for others are left out, and laws out of the engine's reach but for leaks that Q has, too: who
    releases less loses less.
    """
    laws, counts = own_laws(laws, counts)
    lower, log_rest = closed_below(laws, counts, delta)
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0) & (epsilon > 0))
    if not len(rows):
        return lower
    inner, within, paid, _ = reach(laws, counts[rows])
    epsilon = np.minimum(epsilon, 1e300)  # a sum beyond doubles is infinite
    if np.any(one_sided(laws) & ~within):
        targets = log_remainder(inner, counts[rows][:, within], delta[rows], up=True)
    else:
        heard = weighted(counts[rows], np.where(within, 0.0, log_kept(laws)))
        targets = (log_rest[rows] - heard) * (1 - 1e-14)
    places = epsilon[rows] - np.minimum(paid, 1e300)
    found = solved_below(inner, counts[rows][:, within], targets, places, accuracy, finer[rows])
    lower[rows] = np.minimum(np.maximum(lower[rows], found), np.finfo(float).max)
    return lower


def own_laws(laws: Sequence[Law], counts: np.ndarray) -> tuple[list[Law], np.ndarray]:
    """Return laws that are never worse than the mechanisms' own, and their counts: what only stands in is left out."""
    own = [sure(law) for law in laws]
    kept = [index for index, law in enumerate(own) if law is not None]
    return [own[index] for index in kept], counts[:, kept]


def closed_below(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lower ends without any search, and ln of what the leaks leave of delta, rounded up."""
    log_rest = log_remainder(laws, counts, delta, up=True)
    lower = np.where((log_rest == -np.inf) & (leaks(laws, counts) > 0), np.inf, 0.0)  # surely exhausted
    pure = (delta == 0) & (leaks(laws, counts) == 0)
    lower[pure] = weighted(counts[pure], [law.top for law in laws]) * (1 - CLOSED)
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0))
    if len(rows):
        floor = epsilon_floor(laws, counts[rows], log_rest[rows])
        lower[rows] = np.minimum(floor, np.finfo(float).max)
    return lower, log_rest


def surely_lost(
    mechanisms: Sequence[Mechanism], counts: np.ndarray, delta: float, epsilon: np.ndarray
) -> np.ndarray:
    """Return an epsilon of each composition, shape (points,), that every proof must reach, in closed form.

    Of the largest losses, of leaks that exhaust delta, and, where `epsilon` says less, of the Gaussian noise alone: who
    releases less loses less.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> print(f"{surely_lost([Laplace(1), Gaussian(1)], np.array([[1, 1]]), 1e-6, np.array([4.0]))[0]:.4f}")
    4.8866
    """
    directions, deltas = [mechanism.laws() for mechanism in mechanisms], np.full(len(counts), float(delta))
    found = np.zeros(len(counts))
    for side in sides(directions):
        laws, uses = own_laws(*merged([laws[side % len(laws)] for laws in directions], counts))
        found = np.maximum(found, closed_below(laws, uses, deltas)[0])
        mu = gaussian_part(laws, uses) * (1 - GAUSSIAN_SUM)
        rows = np.flatnonzero((mu > 0) & np.isfinite(epsilon) & (delta > 0))
        rows = rows[gaussian_delta_floor(epsilon[rows], mu[rows]) > delta]
        if len(rows):
            found[rows] = np.maximum(found[rows], gaussian_epsilon_floor(deltas[rows] * (1 + 4 * U), mu[rows]))
    return found


def solved_below(
    laws: Sequence[Law],
    counts: np.ndarray,
    log_rest: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
) -> np.ndarray:
    """Return lower ends of laws within the engine's reach, by the closed form where there is one."""
    if not laws:
        return np.zeros(len(counts))
    if gaussian(laws):
        mu = gaussian_part(laws, counts) * (1 - GAUSSIAN_SUM)
        return gaussian_epsilon_floor(np.exp(np.minimum(log_rest, 0.0)), mu)
    if len(laws) == 1 and isinstance(laws[0], ResponseLaw):
        return identical_responses_floor(laws[0], counts[:, 0], log_rest)
    return epsilon_below(laws, counts, log_rest, np.maximum(epsilon, 0.0), accuracy, finer)


def finite(laws: Sequence[Law], counts: np.ndarray, log_rest: np.ndarray, accuracy: float) -> Solved:
    """Return epsilon at ln of what delta leaves for finite losses, never below what is surely lost.

    Laws out of the engine's reach are paid with their largest loss. Where the engine has no answer, the ceiling stands.
    """
    if gaussian(laws):
        return solved(laws, counts, log_rest, accuracy)
    floors, outer = epsilon_floor(laws, counts, log_rest), vast(laws, counts)
    inner, within, paid, solvable = reach(laws, counts)
    answer = np.full(len(counts), np.inf)

    def clip(rows: np.ndarray) -> None:
        answer[rows] = np.minimum(answer[rows], epsilon_ceiling(laws, counts[rows], log_rest[rows]))

    clip(np.flatnonzero(outer | ~solvable))
    closed = gaussian(inner) or (len(inner) == 1 and isinstance(inner[0], ResponseLaw))
    rows = np.flatnonzero(solvable & (closed | (answer * (1 - SETTLED * accuracy) > floors)))
    heard = weighted(counts, np.where(within, 0.0, log_kept(laws)))  # ln of the mass that the others' leaks leave
    inside = solved(inner, counts[rows][:, within], (log_rest - heard)[rows] * (1 + 1e-14), accuracy)
    found = (inside.epsilon + paid[rows]) * (1 + 4 * U)
    estimate, finer = np.full(len(counts), np.inf), np.ones(len(counts))
    clip(rows[~((found >= floors[rows]) & (found < np.inf))])
    better = (found >= floors[rows]) & (found <= answer[rows])
    answer[rows[better]], estimate[rows[better]] = found[better], (inside.estimate + paid[rows])[better]
    finer[rows] = inside.finer
    known = np.isfinite(answer)
    return Solved(answer, np.minimum(estimate, np.where(known, answer, 0.0) - np.where(known, floors, 0.0)), finer)


def gaussian(laws: Sequence[Law]) -> bool:
    """Return whether all laws are Gaussian, so that the composition has a closed form."""
    return all(isinstance(law, GaussianLaw) for law in laws)


def solved(laws: Sequence[Law], counts: np.ndarray, log_rest: np.ndarray, accuracy: float) -> Solved:
    """Return epsilon of laws within the engine's reach, by the closed form where there is one."""
    exact, log_rest = np.zeros(len(counts)), np.minimum(log_rest, 0.0)
    if not laws:
        return Solved(exact, exact, exact + 1)
    if gaussian(laws):
        mu = gaussian_part(laws, counts) * (1 + GAUSSIAN_SUM)
        return Solved(gaussian_epsilon(np.exp(log_rest), mu), exact, exact + 1)
    if len(laws) == 1 and isinstance(laws[0], ResponseLaw):
        return Solved(*identical_responses(laws[0], counts[:, 0], log_rest, accuracy), exact + 1)
    return epsilons(laws, counts, log_rest, accuracy)


def merged(laws: Sequence[Law], counts: np.ndarray) -> tuple[list[Law], np.ndarray]:
    """Return distinct laws, and the counts of each."""
    places: dict[Law, int] = {}
    columns = [places.setdefault(law, len(places)) for law in laws]
    if len(places) == len(laws):
        return list(laws), counts
    totals = np.zeros((len(counts), len(places)), dtype=np.int64)
    np.add.at(totals, (slice(None), columns), counts)
    return list(places), totals


def without_slack(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return the largest losses added up where the leaks, as decimals, take no more than all of delta, else inf."""
    taken, tops = leaks(laws, counts), np.array([law.top for law in laws])
    answer = np.where((taken == 0) & (delta == 0), total(counts, tops), np.inf)
    for point in np.flatnonzero((taken > 0) & (np.abs(taken - delta) <= 1e-14 * delta)):
        used = counts[point] > 0
        typed = not any(isinstance(law, SampledLaw) and law.leak > 0 for law in np.array(laws, dtype=object)[used])
        within = typed and compounded_within(counts[point], np.array([law.leak for law in laws]), float(delta[point]))
        if within and np.isfinite(tops[used]).all():
            answer[point] = rounded_up(weighted_sums(counts[point : point + 1, used], tops[used])[0])
    return answer


def log_remainder(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray, up: bool = False) -> np.ndarray:
    """Return ln of what the leaks leave of delta, rounded down, or `up`; -inf where they leave nothing."""
    outward = 1e-15 if up else -1e-15
    rest = delta * (1 + outward) - leaks(laws, counts) * (1 - outward * (2 + len(laws)))
    rest = np.where(counts.any(axis=1), rest, 1.0)
    logs, left = np.full(len(counts), -np.inf), rest > 0
    known = np.log(rest[left])
    logs[left] = np.minimum(known + outward * (1 + np.abs(known)), 0.0)
    return logs


def sides(directions: Sequence[tuple[Law, ...]]) -> range:
    """Return the directions that must be composed: 0, and 1 where some mechanism has two."""
    return range(max((len(laws) for laws in directions), default=1))


def worst(bounds: Sequence[Bound], points: int) -> Bound:
    """Return the largest of several bounds at each point."""
    if not bounds:
        return Bound(np.zeros(points))
    estimate = np.max([side.estimate for side in bounds], axis=0)
    epsilon = np.max([side.epsilon for side in bounds], axis=0)
    return Bound(epsilon, lambda: np.max([side.lower for side in bounds], axis=0), estimate)


def check_relations(mechanisms: Iterable[Mechanism]) -> None:
    """Refuse mechanisms that demand different neighbour relations, naming both."""
    demands = {}
    for mechanism in mechanisms:
        if mechanism.relation is not None:
            demands.setdefault(mechanism.relation, mechanism)
    if len(demands) > 1:
        (first, one), (second, other) = list(demands.items())[:2]
        raise ValueError(f"all releases must share one relation; got {first} for {one} and {second} for {other}")


def checked_counts(counts: ArrayLike, mechanisms: int) -> np.ndarray:
    """Return counts as an array of int, shape (points, mechanisms), or refuse them."""
    try:
        array = np.asarray(counts)
        numbers = array.astype(float, casting="same_kind" if array.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"counts must be rows of {mechanisms} whole numbers; got {shown(counts)}") from None
    if array.ndim != 2 or array.shape[1] != mechanisms:
        raise ValueError(f"counts must have shape (points, {mechanisms}); got {array.shape}")
    good = np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers))
    if not good.all():
        raise ValueError(f"count must be a whole number in [0, inf); got {array[~good].flat[0]!r}")
    return array.astype(np.int64)
