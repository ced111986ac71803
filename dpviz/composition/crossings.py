"""Where curves cross: from when a theorem beats basic composition, and how many repetitions stay within a target."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition.compose import THEOREMS, epsilon_curve, refusal, theorem_named
from dpviz.effort import QUOTED
from dpviz.guarantee import Guarantee
from dpviz.parameters import COUNT
from dpviz.plan import Composable
from dpviz.plan.workload import MOST_USES, Workload
from dpviz.search import ROUGH, first_between, first_beyond, first_count

if TYPE_CHECKING:
    import pandas

_DOUBLINGS = 5  # of a curve's last count, as far as a numerical theorem is followed while it stays within a target
_BARELY = 1e-13  # relative difference that is none


def most_repetitions(plan: Composable) -> int:
    """Return how many repetitions of a plan are looked at: 10^9, fewer where a mechanism would be used too often.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> most_repetitions(Laplace(1)), most_repetitions({Laplace(1): 10**8})
    (1000000000, 10000000)
    """
    return min(int(COUNT.high), MOST_USES // max(1, int(Workload.of(plan).counts.max(initial=0))))


def first_below(plan: Composable, theorem: str, delta: float, than: str = "basic", most: int = 10**8) -> int | None:
    """Return the first number of repetitions at which `theorem` proves a smaller total than `than`.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        What is repeated.
    theorem, than : str
        Keys of ``THEOREMS``.
    delta : float
        The whole δ, in [0, 1).
    most : int
        Repetitions looked at; fewer where a mechanism would be used too often, see `most_repetitions`.

    Returns
    -------
    int or None
        None where it never does within `most`.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> response = RandomizedResponse(0.5)
    >>> first_below(response, "advanced", 0.1), first_below(response, "advanced_tight", 0.1)
    (38, 9)
    """
    if theorem == than:
        return None

    def below(counts: np.ndarray) -> np.ndarray:
        frame = epsilon_curve(plan, counts, delta, [than, theorem])
        other, own = frame.epsilon.to_numpy().reshape(2, -1)
        return own < other * (1 - _BARELY)

    return first_count(below, min(most, most_repetitions(plan)))


def largest_within(plan: Composable, target: Guarantee, theorem: str) -> int:
    """Return how many repetitions `theorem` proves to stay within `target`.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    target : Guarantee
        Its δ is the whole δ.
    theorem : str
        A key of ``THEOREMS``.

    Returns
    -------
    int
        0 where not even one fits; `most_repetitions` stands for "at least".

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> largest_within(Laplace.from_epsilon(0.002), Guarantee(0.2, 1e-6), "basic")
    100
    """
    most = most_repetitions(plan)
    if math.isinf(target.epsilon):
        return most

    def total(accuracy: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda counts: epsilon_curve(plan, counts, target.delta, [theorem], accuracy).epsilon.to_numpy()

    exact = theorem_named(theorem).measured is None
    first = first_beyond(total(ROUGH), target.epsilon, most, close=0.0 if exact else 2 * ROUGH)
    if not exact:
        first = first_beyond(total(QUOTED), target.epsilon, most, first or most)
    return most if first is None else first - 1


def crossings(plan: Composable, delta: float) -> pandas.DataFrame:
    """Compute for every theorem from how many repetitions on it beats basic composition.

    Returns
    -------
    pandas.DataFrame
        One row per theorem but basic: theorem, label, count (missing where it never does), epsilon (of basic there).

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> int(crossings(RandomizedResponse(0.5), 0.1).set_index("theorem")["count"]["advanced"])
    38
    """
    others = (each.key for each in THEOREMS if each.key != "basic")
    return _crossed(plan, delta, {key: first_below(plan, key, delta) for key in others})


def _counted(counts: dict[str, int | None]) -> pandas.DataFrame:
    """One row per theorem: theorem, label, count (missing where it is None)."""
    import pandas

    rows = [{"theorem": key, "label": theorem_named(key).label, "count": count} for key, count in counts.items()]
    return pandas.DataFrame(rows).astype({"count": "Int64"})


def _crossed(plan: Composable, delta: float, counts: dict[str, int | None]) -> pandas.DataFrame:
    frame = _counted(counts)
    known = frame["count"].dropna().astype(int).tolist()
    totals = epsilon_curve(plan, known, delta, ["basic"]).epsilon.tolist()
    return frame.assign(epsilon=frame["count"].map(dict(zip(known, totals, strict=True))).astype(float))


@dataclass(frozen=True, eq=False)
class _Curve:
    """Own and basic totals of one theorem at ascending counts, and between two of them where something begins."""

    plan: Composable
    delta: float
    theorem: str
    counts: np.ndarray
    totals: tuple[np.ndarray, np.ndarray]

    def at(self, counts: np.ndarray) -> _Curve:
        """The same theorem at other counts."""
        frame = epsilon_curve(self.plan, counts, self.delta, [self.theorem, "basic"])
        return replace(self, counts=counts, totals=tuple(frame.epsilon.to_numpy().reshape(2, -1)))

    def first(self, holds: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> int | None:
        """The first count at which a monotone condition holds, up to the last of the counts; None if none."""
        true = np.flatnonzero(holds(*self.totals))
        if not true.size:
            return None
        place = int(true[0])
        low = int(self.counts[place - 1]) if place else 0
        return first_between(lambda tried: holds(*self.at(tried).totals), low, int(self.counts[place]))

    def within(self, target: float, most: int) -> int:
        """How many repetitions stay within the target; where all of the curve do, the last one tried beyond it."""
        beyond = self.first(lambda own, _: own > target)
        if beyond is None:
            further = np.unique(np.minimum(self.counts[-1] << np.arange(_DOUBLINGS + 1), most))
            beyond = self.at(further).first(lambda own, _: own > target) or int(further[-1]) + 1
        return beyond - 1


@dataclass(frozen=True)
class Growth:
    """The curves of a plan that is repeated, and where they cross.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.epsilon_curve` returns it, and label.
    crossings : pandas.DataFrame
        One row per theorem but basic: theorem, label, count from which it beats basic (missing: never), epsilon (of
        basic there), searched (how many repetitions were looked at).
    fits : pandas.DataFrame
        One row per theorem: theorem, label, count that stays within the target (missing without one), searched.
    ends : dict of str to int
        The last count with a finite ε, of theorems that run out of δ before the last count.
    """

    curve: pandas.DataFrame
    crossings: pandas.DataFrame
    fits: pandas.DataFrame
    ends: dict[str, int]


def growth(plan: Composable, counts: Iterable[int], delta: float, target: float | None = None) -> Growth:
    """Compute how the total grows under every theorem, and the exact counts at which something begins or ends.

    A theorem in closed form is searched at all counts; a numerical one on its curve, between two counts of it, and
    beyond its end while it stays within the target.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        What is repeated.
    counts : iterable of int, shape (points,)
        Repetitions, each in [1, 10^9]; what is found in closed form up to the largest joins the curve.
    delta : float
        The whole δ, in [0, 1).
    target : float, optional
        The ε that repetitions are to stay within, in [0, inf].

    Raises
    ------
    ValueError
        When there is no count, or a value lies outside its interval.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> grown = growth(RandomizedResponse(0.5), range(1, 21), 0.1, target=4.0)
    >>> [int(frame.set_index("theorem")["count"]["advanced_tight"]) for frame in (grown.crossings, grown.fits)]
    [9, 7]
    """
    counts = np.unique(COUNT.check_array(list(counts), "counts")).astype(np.int64)
    if not counts.size or counts[0] < 1:
        raise ValueError(f"counts must be one or more, each at least 1; got {reprlib.repr(counts.tolist())}")
    workload, most, last = Workload.of(plan), most_repetitions(plan), int(counts[-1])
    quoted = {theorem.key: theorem for theorem in THEOREMS if not refusal(theorem, workload, delta)}
    closed = [key for key, theorem in quoted.items() if theorem.measured is None]
    crossed, fits = ({each.key: None for each in THEOREMS} for _ in range(2))
    crossed |= {key: first_below(plan, key, delta) for key in closed}
    if target is not None:
        fits |= {key: largest_within(plan, Guarantee(target, delta), key) for key in closed}
    exact = [count for count in (*crossed.values(), *fits.values()) if count and count <= last]
    frame = epsilon_curve(plan, np.union1d(counts, np.array(exact, dtype=np.int64)), delta)
    curves = _curves(plan, delta, frame)
    for key in quoted.keys() - closed:
        crossed[key] = curves[key].first(lambda own, basic: own < basic * (1 - _BARELY))
        fits[key] = None if target is None else curves[key].within(target, most)
    ends = {key: (curve.first(lambda own, _: np.isinf(own)) or 1) - 1 for key, curve in curves.items()}
    searched = {key: most if key in closed else min(last << _DOUBLINGS, most) for key in curves}
    del crossed["basic"]
    frame.insert(1, "label", [theorem_named(key).label for key in frame.theorem])
    answers = (_crossed(plan, delta, crossed), _counted(fits))
    answers = (each.assign(searched=each.theorem.map(searched)) for each in answers)
    return Growth(frame, *answers, {key: count for key, count in ends.items() if count})


def _curves(plan: Composable, delta: float, frame: pandas.DataFrame) -> dict[str, _Curve]:
    totals = {key: rows.epsilon.to_numpy() for key, rows in frame.groupby("theorem", sort=False)}
    counts = frame["count"].to_numpy()[: len(totals["basic"])]
    return {key: _Curve(plan, delta, key, counts, (own, totals["basic"])) for key, own in totals.items()}
