"""Where curves cross: from when a theorem beats basic composition, and how many repetitions stay within a target."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition.compose import (
    THEOREMS,
    WHOLE_DELTA,
    epsilon_curve,
    refusal,
    repeated_totals,
    theorem_named,
)
from dpviz.effort import DRAWN, PLOTTED, QUOTED
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import COUNT
from dpviz.plan import Composable
from dpviz.plan.workload import MOST_USES, Workload
from dpviz.privacy_loss import likely_epsilons
from dpviz.search import ROUGH, first_between, first_beyond, first_count, likely_beyond

if TYPE_CHECKING:
    import pandas

_CLOSED = tuple(theorem.key for theorem in THEOREMS if theorem.measured is None)
_SECTIONS = 64  # counts at which a closed formula is asked at once
_COARSE = 1.01  # by so much the curve of a numerical theorem, drawn to a pixel, is at most above what is quoted
_NEAR = 8  # counts between two that are decided, of which one after the other is asked
_DOUBLINGS = 5  # of a curve's last count, as far as a numerical theorem is followed while it stays within a target
_BARELY = 1e-13  # relative difference that is none
Condition = Callable[[dict[str, np.ndarray]], np.ndarray]


def most_repetitions(plan: Composable) -> int:
    """Return how many repetitions of a plan are looked at: 10^9, fewer where a mechanism would be used too often.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> most_repetitions(Laplace(1)), most_repetitions({Laplace(1): 10**8})
    (1000000000, 10000000)
    """
    return _most(Workload.of(plan))


def _most(workload: Workload) -> int:
    counts = taken_apart(workload.mechanisms, workload.counts)[1]
    return min(int(COUNT.high), MOST_USES // max(1, int(counts.max(initial=0))))


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
    workload, record = Workload.of(plan), theorem_named(theorem)
    most = _most(workload)
    if math.isinf(target.epsilon):
        return most
    delta = WHOLE_DELTA.check(target.delta)

    def total(accuracy: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda counts: repeated_totals([record], workload, counts, delta, accuracy)[0]

    guess = None
    if record.measured is not None:
        guess = _likely_count(workload, target, most) if record.key == "pld" else None
        guess = guess or first_beyond(total(ROUGH), target.epsilon, most, close=2 * ROUGH) or most
        guess = likely_beyond(total(PLOTTED), target.epsilon, most, guess)
    first = first_beyond(total(QUOTED), target.epsilon, most, guess)
    return most if first is None else first - 1


def _likely_count(workload: Workload, target: Guarantee, most: int) -> int | None:
    """The number of repetitions that estimates of tight accounting place at the target; None where they say nothing."""
    if not (workload.mechanisms and len(workload.counts) == 1 and target.delta > 0 and target.epsilon > 0):
        return None
    counts = np.unique(np.geomspace(1, most, _SECTIONS).astype(np.int64))
    likely = likely_epsilons(workload.mechanisms, workload.repeated(counts).counts, target.delta)
    known = likely > 0
    if not (known.any() and likely[known][0] < target.epsilon < likely[known][-1]):
        return None
    return int(np.exp(np.interp(np.log(target.epsilon), np.log(likely[known]), np.log(counts[known]))))


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
    counts = {each.key: first_below(plan, each.key, delta) for each in THEOREMS if each.key != "basic"}
    known = sorted({count for count in counts.values() if count})
    totals = epsilon_curve(plan, known, delta, ["basic"]).epsilon.tolist()
    return _counted(counts, epsilon=_at_counts(counts, known, totals))


def _counted(counts: dict[str, int | None], **columns: list) -> pandas.DataFrame:
    """One row per theorem: theorem, label, count (missing where it is None), and further columns."""
    import pandas

    told = {"theorem": list(counts), "label": [theorem_named(key).label for key in counts]}
    return pandas.DataFrame(told | {"count": pandas.array(list(counts.values()), dtype="Int64")} | columns)


def _at_counts(counts: dict[str, int | None], known: list[int], totals: list[float]) -> list[float]:
    """The total at each theorem's count, NaN where it has none."""
    total_at = dict(zip(known, totals, strict=True))
    return [total_at[count] if count else math.nan for count in counts.values()]


@dataclass(frozen=True, eq=False)
class _Curves:
    """Totals of some theorems at ascending counts, and between two of them and beyond where something begins."""

    workload: Workload
    delta: float
    counts: np.ndarray
    totals: dict[str, np.ndarray]

    def at(self, counts: np.ndarray, keys: Iterable[str], accuracy: float = PLOTTED) -> _Curves:
        """Some theorems at other counts."""
        records = [theorem_named(key) for key in dict.fromkeys(keys)]
        found = repeated_totals(records, self.workload, counts, self.delta, accuracy)
        return replace(self, counts=counts, totals=dict(zip((each.key for each in records), found, strict=True)))

    def with_counts(self, further: list[int]) -> _Curves:
        """All theorems at further counts, too; no total is above that of more repetitions, which bounds it as well."""
        if not further:
            return self
        other = self.at(np.array(further, dtype=np.int64), self.totals, DRAWN)
        counts = np.concatenate([self.counts, other.counts])
        order = np.argsort(counts)
        joined = {key: np.concatenate([own, other.totals[key]])[order] for key, own in self.totals.items()}
        falling = {key: np.minimum.accumulate(own[::-1])[::-1] for key, own in joined.items() if key not in _CLOSED}
        return replace(self, counts=counts[order], totals=joined | falling)

    @property
    def beyond(self) -> np.ndarray:
        """Doubled counts beyond the last."""
        last, most = int(self.counts[-1]), self.most
        doubled = last << np.arange(1, max(1, most // last).bit_length() + 1)
        return np.unique(np.minimum(doubled, most))

    @property
    def most(self) -> int:
        """How many repetitions are looked at."""
        return _most(self.workload)

    def first(self, holds: Condition, keys: Iterable[str], accuracy: float = PLOTTED) -> int | None:
        """The first of all counts up to the last at which a monotone condition on some theorems holds; None if none."""
        place = _begins(holds(self.totals))
        if place is None:
            return None
        low, high = (0, *self.counts.tolist())[place : place + 2]
        return first_between(lambda tried: holds(self.at(tried, keys, accuracy).totals), low, high, _SECTIONS)

    def first_anywhere(self, holds: Condition, keys: Iterable[str]) -> int | None:
        """The same of all counts that are looked at."""
        if int(self.counts[-1]) >= self.most or _begins(holds(self.totals)) is not None:
            return self.first(holds, keys)
        beyond = self.beyond
        place = _begins(holds(self.at(beyond, keys).totals))
        if place is None:
            return None
        low, high = (int(self.counts[-1]), *beyond.tolist())[place : place + 2]
        return first_between(lambda tried: holds(self.at(tried, keys).totals), low, high, _SECTIONS)


def _begins(holding: np.ndarray) -> int | None:
    true = np.flatnonzero(holding)
    return int(true[0]) if true.size else None


def _beats_basic(key: str) -> Condition:
    return lambda totals: totals[key] < totals["basic"] * (1 - _BARELY)


def _exceeds(key: str, target: float) -> Condition:
    return lambda totals: totals[key] > target


def _ends(key: str) -> Condition:
    return lambda totals: np.isinf(totals[key])


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
    beyond its end while it stays within the target. The curve of a numerical theorem is an upper bound to a pixel of
    a screen; the counts are those of a curve to 1e-4.

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
    delta, workload = WHOLE_DELTA.check(delta), Workload.of(plan)
    target = None if target is None else Guarantee(target, delta).epsilon
    curves = _Curves(workload, delta, counts, {}).at(counts, [theorem.key for theorem in THEOREMS], DRAWN)
    crossed, fits = _closed_counts(curves, target)
    exact = {count for count in (*crossed.values(), *fits.values()) if count and count <= counts[-1]}
    curves = curves.with_counts(sorted(exact.difference(counts.tolist())))
    numerical = [key for key in curves.totals if key not in _CLOSED and _quoted(key, workload, delta)]
    crossed |= {key: _crossed_numerically(curves, key) for key in numerical}
    fits |= {} if target is None else {key: _fits_numerically(curves, key, target) for key in numerical}
    ends = {key: (curves.first(_ends(key), [key]) or 1) - 1 for key in curves.totals}
    return _grown(curves, crossed, fits, {key: count for key, count in ends.items() if count})


def _quoted(key: str, workload: Workload, delta: float) -> bool:
    return not refusal(theorem_named(key), workload, delta)


def _closed_counts(curves: _Curves, target: float | None) -> tuple[dict[str, int | None], dict[str, int | None]]:
    """From when theorems in closed form beat basic, and how many repetitions of each stay within the target."""
    crossed, fits = ({each.key: None for each in THEOREMS} for _ in range(2))
    for key in (key for key in _CLOSED if _quoted(key, curves.workload, curves.delta)):
        if key != "basic":
            crossed[key] = curves.first_anywhere(_beats_basic(key), (key, "basic"))
        if target is not None:
            beyond = None if math.isinf(target) else curves.first_anywhere(_exceeds(key, target), (key,))
            fits[key] = curves.most if beyond is None else beyond - 1
    return crossed, fits


def _crossed_numerically(curves: _Curves, key: str) -> int | None:
    """From when a numerical theorem beats basic: what the curve, a little high, may hide before is asked anew."""

    def holds(counts: np.ndarray) -> np.ndarray:
        return _beats_basic(key)(curves.at(counts, (key, "basic")).totals)

    place = _begins(_beats_basic(key)(curves.totals))
    low, high = (0, *curves.counts.tolist(), None)[slice(place, place + 2) if place is not None else slice(-2, None)]
    found = None if high is None else first_between(holds, low, high)
    hidden = low > 0 and found in (None, low + 1) and bool(holds(np.array([low]))[0])
    return first_between(holds, 0, low) if hidden else found


def _fits_numerically(curves: _Curves, key: str, target: float) -> int:
    """How many repetitions stay within the target; where all do, the last one tried beyond the curve."""
    own, counts = curves.totals[key], (0, *curves.counts.tolist())
    place, surely = _begins(own > target), _begins(own > target * _COARSE)
    low = counts[-1] if place is None else counts[place]
    high = min(counts[-1] << _DOUBLINGS, curves.most) if surely is None else counts[surely + 1]

    def total(counts: np.ndarray) -> np.ndarray:
        return curves.at(counts, [key]).totals[key]

    if surely is not None and high - low <= _NEAR:
        return first_between(lambda tried: total(tried) > target, low, high, 1) - 1
    first = first_beyond(total, target, high, low + 1)
    return high if first is None else first - 1


def _grown(
    curves: _Curves, crossed: dict[str, int | None], fits: dict[str, int | None], ends: dict[str, int]
) -> Growth:
    import pandas

    keys, points, last = list(curves.totals), len(curves.counts), int(curves.counts[-1])
    frame = pandas.DataFrame(
        {
            "theorem": np.repeat(keys, points),
            "label": np.repeat([theorem_named(key).label for key in keys], points),
            "count": np.tile(curves.counts, len(keys)),
            "epsilon": np.concatenate(list(curves.totals.values())),
            "delta": curves.delta,
        }
    )
    far = min(last << _DOUBLINGS, curves.most)
    searched = {key: curves.most if theorem_named(key).measured is None else far for key in keys}
    del crossed["basic"]
    known = sorted({count for count in crossed.values() if count})
    totals = curves.at(np.array(known, dtype=np.int64), ["basic"]).totals["basic"].tolist()
    tried = [[searched[key] for key in those] for those in (crossed, fits)]
    beaten = _counted(crossed, epsilon=_at_counts(crossed, known, totals), searched=tried[0])
    return Growth(frame, beaten, _counted(fits, searched=tried[1]), ends)
