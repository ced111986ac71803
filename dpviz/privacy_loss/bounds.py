"""The theorems `pld` and `optimal`: what composed mechanisms lose, and what their stated pairs prove."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta_floor, gaussian_epsilon_floor
from dpviz.mechanisms.laws.loss_laws import Law, ResponseLaw, sure
from dpviz.outward import raised
from dpviz.parameters import DELTA, EPSILON, Parameter, shown
from dpviz.privacy_loss.ends import lower_closed, lower_ends, upper_ends
from dpviz.privacy_loss.limits import CLOSED, lower_mu, merged, own_laws
from dpviz.privacy_loss.records import Bound

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_ROUGH, _FINE = 0.02, 3e-4  # accuracy of a direction that may not matter, and up to which that is found first
ACCURACY = Parameter("accuracy", "", "wanted relative excess", 0, 0.1, open_low=True)


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
    counts, delta = checked_counts(counts, len(directions)), DELTA.check_array(delta)
    single = np.flatnonzero(counts.sum(axis=1) == 1)
    alone = [mechanisms[place] for place in np.nonzero(counts[single])[1]]
    exact = _inverses(alone, np.broadcast_to(delta, len(counts))[single])
    known = np.isfinite(exact) & np.array([_settled_alone(mechanism) for mechanism in alone], dtype=bool)
    several = counts.copy()
    several[single[known]] = 0  # what a closed form knows is not composed
    composed = [[laws[side % len(laws)] for laws in directions] for side in sides(directions)]
    combined = worst(side_bounds(composed, several, delta, accuracy), len(counts))
    if not len(single):
        return combined
    epsilon = combined.epsilon.copy()
    epsilon[single] = np.where(known, exact, np.minimum(exact, epsilon[single]))

    def below() -> np.ndarray:
        lower, rows = combined.lower.copy(), single[known]
        those = [mechanism for mechanism, sure in zip(alone, known, strict=True) if sure]
        tops = np.array([max(law.top for law in mechanism.laws()) for mechanism in those])
        # The inverse in doubles is the true one at a delta within 16 u of this one, but for CLOSED.
        more = np.minimum(raised(np.broadcast_to(delta, len(counts))[rows], 16), 1.0)
        lower[rows] = np.maximum(0.0, _inverses(those, more) - CLOSED * np.maximum(exact[known], tops))
        return lower

    return Bound(epsilon, below, combined.estimate)


def _settled_alone(mechanism: Mechanism) -> bool:
    """Return whether the mechanism's own epsilon is exact for one use, and its losses are finite."""
    laws = mechanism.laws()
    return all(map(sure, laws)) and all(np.isfinite(law.top) for law in laws)


def _inverses(mechanisms: Sequence[Mechanism], deltas: np.ndarray) -> np.ndarray:
    """Return each mechanism's own epsilon at its delta."""
    pairs = zip(mechanisms, deltas.tolist(), strict=True)
    return np.array([float(mechanism.epsilon(delta)) for mechanism, delta in pairs], dtype=float)


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
    return law_bound(laws, checked_counts(counts, len(laws)), delta, accuracy)


def surely_lost(
    mechanisms: Sequence[Mechanism], counts: np.ndarray, delta: float, epsilon: np.ndarray
) -> np.ndarray:
    """Return an epsilon of each composition, shape (points,), that every proof must reach, in closed form.

    Of the largest losses, of leaks that exhaust delta, and, where `epsilon` says less, of the Gaussian noise alone: who
    releases less loses less.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> print(f"{surely_lost([Laplace(1), Gaussian(1)], np.array([[1, 1]]), 1e-6, np.array([4.0]))[0]:.4f}")
    4.8866
    """
    directions, deltas = [mechanism.laws() for mechanism in mechanisms], np.full(len(counts), float(delta))
    found = np.zeros(len(counts))
    for side in sides(directions):
        laws, uses = own_laws(*merged([laws[side % len(laws)] for laws in directions], counts))
        found = np.maximum(found, lower_closed(laws, uses, deltas)[0])
        mu = lower_mu(laws, uses)
        rows = np.flatnonzero((mu > 0) & np.isfinite(epsilon) & (delta > 0))
        rows = rows[gaussian_delta_floor(epsilon[rows], mu[rows]) > delta]
        if len(rows):
            found[rows] = np.maximum(found[rows], gaussian_epsilon_floor(raised(deltas[rows], 2), mu[rows]))
    return found


def law_bound(
    laws: Sequence[Law], counts: np.ndarray, delta: ArrayLike, accuracy: float, likely: np.ndarray | None = None
) -> Bound:
    """Return the bound of each composition of laws of one direction, by the closed form where there is one.

    Parameters
    ----------
    laws : sequence of Law
        As `dpviz.mechanisms.laws.loss_laws` describes them.
    counts : array of int, shape (points, laws)
    delta : float or array of float, shape (points,)
        In [0, 1].
    accuracy : float
        Wanted relative excess, in (0, 0.1].
    likely : array of float, shape (points,), optional
        About what the upper ends are, where that is known: it steers, and decides nothing.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.loss_laws import LaplaceLaw
    >>> import numpy as np
    >>> print(f"{law_bound([LaplaceLaw(0.1)], np.array([[100]]), 1e-6, 1e-6).epsilon[0]:.4f}")
    4.6927
    """
    delta, accuracy = np.broadcast_to(DELTA.check_array(delta), len(counts)), ACCURACY.check(accuracy)
    laws, counts = merged(laws, counts)
    found = upper_ends(laws, counts, delta, accuracy, likely)
    answer = _never_falling(found.epsilon, counts, delta)
    return Bound(answer, lambda: lower_ends(laws, counts, delta, answer, accuracy, found.finer), found.estimate)


def _never_falling(epsilon: np.ndarray, counts: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return upper ends, none above that of a composition that does more at the same delta."""
    order = np.argsort(counts.sum(axis=1), kind="stable")
    if len(order) < 2 or np.any(delta != delta[0]) or np.any(np.diff(counts[order], axis=0) < 0):
        return epsilon
    result = np.empty_like(epsilon)
    result[order] = np.minimum.accumulate(epsilon[order][::-1])[::-1]
    return result


def sides(directions: Sequence[tuple[Law, ...]]) -> range:
    """Return the directions that must be composed: 0, and 1 where some mechanism has two."""
    return range(max((len(laws) for laws in directions), default=1))


def side_bounds(
    directions: Sequence[Sequence[Law]], counts: np.ndarray, delta: ArrayLike, accuracy: float
) -> list[Bound]:
    """Return a bound for each direction, of which only the worse needs to be as accurate as that.

    Parameters
    ----------
    directions : sequence of sequences of Law
        Of each direction as `law_bound` takes them.
    counts, delta, accuracy
        As of `law_bound`.

    Notes
    -----
    Where a rough upper end of one direction is no more than an accurate one of the other, the larger of both stays.

    References
    ----------
    Zhu, Dong and Wang (2022), Prop. 10: both directions compose apart.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.mechanisms import Gaussian, Subsampled
    >>> laws = Subsampled(Gaussian(1.0, 1), 0.01, "poisson").laws()
    >>> remove, add = side_bounds([[law] for law in laws], np.array([[1000]]), 1e-5, 1e-5)
    >>> print(f"{remove.epsilon[0]:.3f}", bool(add.epsilon[0] < remove.epsilon[0]))
    1.828 True
    """
    if len(directions) < 2 or accuracy > _FINE:
        return [law_bound(laws, counts, delta, accuracy) for laws in directions]
    found = [law_bound(laws, counts, delta, _ROUGH) for laws in directions]
    order = np.argsort([-float(each.epsilon.max(initial=0.0)) for each in found], kind="stable").tolist()
    leading = found[order[0]] = law_bound(directions[order[0]], counts, delta, accuracy, found[order[0]].epsilon)
    for side in order[1:]:
        below = (found[side].epsilon <= leading.epsilon).all()
        found[side] = _silent(found[side], leading) if below else law_bound(
            directions[side], counts, delta, accuracy, found[side].epsilon
        )  # fmt: skip
    return found


def _silent(bound: Bound, leading: Bound) -> Bound:
    """Return a direction that decides nothing above, and counts below only where it may reach beyond `leading`."""
    nothing = np.zeros(len(bound.epsilon))
    return Bound(
        bound.epsilon, lambda: bound.lower if (bound.epsilon > leading.lower).any() else nothing, nothing
    )  # fmt: skip


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
