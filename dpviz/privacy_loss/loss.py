"""The composed mechanism itself, numerically tight, and what can be read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.mechanisms.uses import taken_apart
from dpviz.outward import lowered, raised, roundings, slack
from dpviz.parameters import DELTA, FALSE_POSITIVE_RATE, REAL_EPSILON, Amount, Parameter, checked_items
from dpviz.plan import Composable, as_plan
from dpviz.privacy_loss.bounds import ACCURACY, check_relations, checked_counts, pld_bound, sides, worst
from dpviz.privacy_loss.limits import merged
from dpviz.privacy_loss.profile import Composition, SingleUse
from dpviz.privacy_loss.records import Bound, Bracket
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike

_POINTS = Parameter("points", "", "points of a curve", 0, 1_000_000, integer=True)
_SMALLEST_DELTA = 1e-290
_TOLD = (1e-3, 1e-6, 1e-9)  # δ at which a notebook shows ε
_ROUNDING = slack(2)  # of 1 - delta - exp(epsilon) a, whose terms are at most about 1
_ROUNDS = 16  # of the search for a trade-off; each narrows it four times


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
        self.accuracy: float = ACCURACY.check(accuracy)
        self.mechanisms: tuple[Mechanism, ...]
        self.counts: np.ndarray
        self.mechanisms, self.counts = taken_apart(mechanisms, checked_counts(counts, len(mechanisms)))
        directions = [mechanism.laws() for mechanism in self.mechanisms]
        self.profiles: tuple[tuple[Composition, ...], ...] = tuple(
            tuple(self.profile(directions, row, side) for side in sides(directions)) for row in self.counts
        )

    def __repr__(self) -> str:
        """How a shell shows it: what is composed."""
        uses = self.counts.max(axis=0, initial=0).tolist()
        told = [f"{count:,} × {each}" for count, each in zip(uses, self.mechanisms, strict=True)]
        parts = f" in the worst of {len(self.counts)} parts" if len(self.counts) > 1 else ""
        return f"<PrivacyLoss of {', '.join(told) or 'nothing'}{parts}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: what is composed, and ε at some δ, rounded up."""
        rows = "".join(f"<tr><td>{delta:g}</td><td>{shown_up(float(self.epsilon(delta)))}</td></tr>" for delta in _TOLD)
        return f"<p>{escape(repr(self)[1:-1])}</p><table><thead><tr><th>δ</th><th>ε</th></tr></thead>{rows}</table>"

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
        return self.dearest(epsilon, lambda side, size: side.upper_delta(size), raised)

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
        return Bracket(self.dearest(epsilon, lambda side, size: side.lower_delta(size), lowered), upper)

    def dearest(
        self, epsilon: ArrayLike, end: Callable[[Composition, np.ndarray], np.ndarray], outward: Callable
    ) -> float | np.ndarray:
        """Return the largest `end` of delta over parts and directions, carried on to negative epsilon."""
        flat = REAL_EPSILON.check_array(epsilon).ravel()
        size = np.abs(flat)
        ahead = np.zeros(size.shape)
        for side in (side for part in self.profiles for side in part):
            ahead = np.maximum(ahead, end(side, size))
        behind = np.minimum(outward(-np.expm1(-size) + np.exp(-size) * ahead, 88), 1.0)
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
        candidates, values = grid[None, :], misses(grid, 1 - self.delta(grid) - _ROUNDING, flat[:, None])
        best = np.zeros(len(flat))
        for turn in range(_ROUNDS + 1):
            chosen = values.argmax(axis=1)
            best = np.maximum(best, np.take_along_axis(values, chosen[:, None], 1)[:, 0])
            if turn == _ROUNDS:
                break
            nearer = _between_neighbours if turn < _ROUNDS - 1 else self.kinks
            candidates = nearer(candidates, chosen)
            values = misses(candidates, 1 - self.delta(candidates) - _ROUNDING, flat[:, None])
        best = np.where(flat == 0, self.never(), best)
        return np.maximum(lowered(best, roundings(1e-13)), 0.0).reshape(np.shape(false_positive_rate))[()]

    def never(self) -> float:
        """Return the false negative rate of attackers who never accuse wrongly: all but the leak."""
        leaks = [float(side.upper_delta(np.array([side.top]))[0]) for part in self.profiles for side in part]
        return 1.0 - max(leaks, default=0.0)

    def kinks(self, candidates: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return the chosen candidates with the kinks beside them, shape (points, candidates)."""
        middle = np.take_along_axis(np.broadcast_to(candidates, (len(chosen), candidates.shape[1])), chosen[:, None], 1)
        sides = [side for part in self.profiles for side in part]
        return np.concatenate([middle, *(end for side in sides for end in side.kinks(middle))], axis=1)

    def farthest(self, rate: float) -> float:
        """Return an epsilon beyond which no false positive rate from `rate` on has its supremum."""
        log_target = np.log(max(min(rate * 1e-3, 1e-12), _SMALLEST_DELTA))
        lossy = [side for part in self.profiles for side in part if side.top > 0]
        return min(max([*(side.farthest(log_target) for side in lossy), 1e-9]), 1e300)

    def frame(self, points: int = 200) -> pandas.DataFrame:
        """Return the privacy profile, one row per epsilon: columns epsilon (nats, ascending from 0) and delta."""
        import pandas

        epsilon = np.linspace(0.0, self.farthest(1e-6), _POINTS.check(points))
        return pandas.DataFrame({"epsilon": epsilon, "delta": self.delta(epsilon)})


def _between_neighbours(candidates: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return candidates between the neighbours of the chosen ones, shape (points, 9)."""
    candidates, rows = np.broadcast_to(candidates, (len(chosen), candidates.shape[1])), np.arange(len(chosen))
    low = candidates[rows, np.maximum(chosen - 1, 0)]
    return np.linspace(low, candidates[rows, np.minimum(chosen + 1, candidates.shape[1] - 1)], 9, axis=1)


def misses(epsilon: ArrayLike, kept: ArrayLike, rate: ArrayLike) -> np.ndarray:
    """Return the least false negative rate at a false positive rate that (epsilon, 1 - `kept`) allows.

    Parameters
    ----------
    epsilon : float or array of float
        At least 0.
    kept : float or array of float
        1 - delta, in [0, 1].
    rate : float or array of float
        False positive rates, in [0, 1].

    Notes
    -----
    By the boundary of the pair's privacy region, max(0, kept - exp(epsilon) a, exp(-epsilon) (kept - a)) at a rate a.
    Only the product is rounded to the safe side here: who calls rounds `kept`, and the answer.

    References
    ----------
    Wasserman and Zhou (2010), Thm 2.4; Kairouz, Oh and Viswanath (2015), Thm 2.1.

    Examples
    --------
    >>> print(f"{misses(1.0, 1.0, 0.1):.4f}")
    0.7282
    """
    with np.errstate(over="ignore", invalid="ignore"):
        steep = kept - np.where(rate > 0, raised(np.exp(epsilon) * rate, 9), 0.0)
    return np.maximum(np.maximum(steep, np.exp(-epsilon) * (kept - rate)), 0.0)
