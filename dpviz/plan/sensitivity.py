r"""How far one unit can change an answer: from what is asked, the clipping bounds and how many rows a unit has.

The bounds, with proofs. A unit has between 0 and m rows; each row has one value in [l, u] and lies in one bar. What a
unit adds to an answer of rows is the sum of what its rows add, so adding or removing it changes the answer by what it
adds, and replacing it by the difference of two such contributions.

Count. A unit adds a whole number in [0, m]: two of them differ by at most m, and m and 0 do.

Sum. A unit of r rows adds a number in [r l, r u], both ends included. Over r = 0..m these lie in [min(0, m l), max(0,
m u)], whose ends some r reaches. So the farthest of them from 0 has size m max(|l|, |u|), and two of them differ by
at most max(0, m u) - min(0, m l), which is m (u - l) where l <= 0 <= u, m u where l > 0 and m |l| where u < 0:
together m max(|l|, |u|, u - l), since u - l is no larger than |u| in the second case, and than |l| in the third. m (u
- l) alone would be wrong for l > 0: the replaced unit may have m rows of u, and the new one none.

Mean of one value of each of n units, n the same in both data sets: replacing one value moves the sum by at most u - l.

Histogram. A unit adds a vector a of whole numbers at least 0 with sum at most m. Its L1 norm is at most m, and its L2
norm is at most its L1 norm, m, which m rows in one bar reach. If all its rows lie in different bars, every entry is
0 or 1, the L2 norm is the root of the L1 norm, and sqrt(m) is reached. For two of them a, b: |a - b|_1 <= 2m, and since
no entry is negative |a - b|_2^2 <= |a|_2^2 + |b|_2^2, at most 2 m^2, and 2m if all rows lie in different bars; both are
reached where a and b have no bar in common.

A sensitivity D for added or removed units of any origin, as where one was typed: what a unit adds has at most that
norm, so two of them differ by at most 2 D. Where nothing that is added lies below 0, as in counts, bars, and sums of
values that do not, two numbers in [0, D] differ by at most D, and two vectors a, b by |a - b|_2^2 <= |a|_2^2 + |b|_2^2
<= 2 D^2; likewise where nothing lies above.

Noise on whole numbers. Of several numbers, each with its own noise of one log-concave law such as the discrete Laplace
or Gaussian one, a change by whole numbers v is no easier to tell than a change of one number by D = |v|_1. Write f_a
for the trade-off curve of a change of one number by a: the least share of misses at each share of false alarms. Let the
numbers change one after the other. A test with false alarms x finds the first change with at most 1 - f_a(x), the first
and the second with at most 1 - f_b(1 - f_a(x)), and so on, as in the group privacy of Dong, Roth & Su (2022). Of one
number that is what the best test reaches: under a log-concave law the best tests of all changes are the same
thresholds, so that 1 - f_b(1 - f_a(x)) = 1 - f_(a+b)(x). In L2 there is no such proof, and for little noise it is
false: (1, 1, 1, 1) is easier to tell than 2.

Bounds are the decimals that were typed, as everywhere in this house (`dpviz.decimals`): computed with exactly, and the
result is the least double whose decimal is no smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpviz.decimals import rounded_up, typed
from dpviz.parameters import POPULATION, ROWS
from dpviz.plan.kinds import checked_bounds, kind_named
from dpviz.plan.promise import RELATIONS
from dpviz.rounding import shown_up

NO_DIVISOR = "people must be given for a mean"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one unit changes an answer.

    Parameters
    ----------
    l1, l2 : float
        The most by which it does, in units of the answer, rounded up: in L1 (for Laplace noise) and in L2 (for Gaussian
        noise). They differ for answers of several numbers only.
    sentence : str
        Why, in one line without symbols.
    assumes : str
        What must be true of the data and of how they are read.
    alone : tuple of str, optional
        Why in L1, and why in L2, where the two differ and one of them is what is asked for.
    """

    l1: float
    l2: float
    sentence: str
    assumes: str
    alone: tuple[str, str] | None = None

    def why(self, norm: str) -> str:
        """Return the sentence on one norm alone, "L1" or "L2"."""
        return self.alone[norm == "L2"] if self.alone else self.sentence


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is known of one answer."""

    replaced: bool
    bounds: tuple[float, float] | None
    people: int | None
    rows: int
    distinct: bool
    unit: str

    @property
    def each(self) -> str:
        return f"One answer reads at most {self.rows:,} row{'s' * (self.rows > 1)} of each {self.unit}"

    @property
    def when(self) -> str:
        done = "replaced by another" if self.replaced else "added or removed"
        return f"When one {self.unit} is {done}"

    @property
    def clipped(self) -> tuple[float, float]:
        if self.bounds is None:
            raise ValueError(
                "lower and upper must be given, since the values of one unit could otherwise change this answer "
                "without limit; got None"
            )
        return self.bounds

    def largest(self, *changes: Callable[[Fraction, Fraction], Fraction]) -> float:
        """The largest of these functions of the bounds as typed, rounded up."""
        lower, upper = map(typed, self.clipped)
        most = rounded_up(max(change(lower, upper) for change in changes))
        if math.isinf(most):
            raise ValueError(f"lower and upper must be so near 0 that the sensitivity is a number; got {self.clipped}")
        return most


def _said(value: float) -> str:
    """A number for a sentence: whole ones with separators between thousands, others rounded up."""
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"-{-value:.15g}" if value < 0 else shown_up(value, 6)


def _root_up(square: int) -> float:
    """The square root of a whole number, rounded up."""
    return _up_to_root(math.sqrt(square), square)


def _up_to_root(value: float, square: Fraction | int) -> float:
    """The next number from `value` on whose square, read in either way, is no smaller than this."""
    while math.isfinite(value) and min(Fraction(value), typed(value)) ** 2 < square:
        value = math.nextafter(value, math.inf)
    return value


def _count(asked: _Asked) -> Sensitivity:
    most = float(asked.rows)
    return Sensitivity(most, most, f"{asked.when}, the count changes by at most {asked.rows:,}.", f"{asked.each}.")


def _sum(asked: _Asked) -> Sensitivity:
    lower, upper = asked.clipped
    sizes = (lambda low, high: asked.rows * abs(low), lambda low, high: asked.rows * abs(high))
    apart = (lambda low, high: asked.rows * (high - low),) if asked.replaced else ()
    most = asked.largest(*sizes, *apart)
    value = "its one value" if asked.rows == 1 else f"each of its {asked.rows:,} values"
    why = f"{value} may be {_said(max(asked.clipped, key=abs))}{', or missing' * asked.replaced}"
    if asked.replaced and lower < 0 < upper:
        why = f"{value} may go from {_said(lower)} to {_said(upper)}"
    return Sensitivity(
        most,
        most,
        f"{asked.when}, the sum changes by at most {_said(most)}: {why}.",
        f"{asked.each}, and each value is clipped to {_said(lower)} to {_said(upper)} before it is added up.",
    )


def _mean(asked: _Asked) -> Sensitivity:
    if not asked.replaced:
        raise ValueError(
            "relation must be replace_one for a mean: one unit more or less would change the number that it is divided "
            "by; or release the sum and the count"
        )
    if asked.rows > 1:
        raise ValueError(f"rows must be 1 for a mean: average the values of each unit first; got {asked.rows}")
    if asked.people is None:
        raise ValueError(f"{NO_DIVISOR}, as the public number that the sum is divided by; got None")
    lower, upper = asked.clipped
    most = asked.largest(lambda low, high: (high - low) / asked.people)
    return Sensitivity(
        most,
        most,
        f"{asked.when}, one of {asked.people:,} values moves within its bounds, and the mean by at most {_said(most)}.",
        f"Exactly {asked.people:,} values, one of each {asked.unit}, are averaged; their number is public and stays "
        f"the same, and each value is clipped to {_said(lower)} to {_said(upper)} first.",
    )


def _histogram(asked: _Asked) -> Sensitivity:
    sides = 2 if asked.replaced else 1
    l1 = sides * asked.rows
    l2 = _root_up(sides * (asked.rows if asked.distinct else asked.rows**2))
    bars = ", no two of them in one bar" if asked.distinct else ", all of them in one bar if need be"
    bars = bars if asked.rows > 1 else ""
    changes, of_l2 = f"{asked.when}, the bars change by at most", f"{_said(l2)}, the root of the sum of squares"
    root = f"; Gaussian noise on real numbers goes by {_said(l2)}, the root of the sum of squares" if l2 < l1 else ""
    return Sensitivity(
        float(l1),
        l2,
        f"{changes} {l1:,} in all{root}.",
        f"{asked.each}{bars}; the bars are fixed beforehand, whatever the data.",
        (f"{changes} {l1:,} in all.", f"{changes} {of_l2}.") if root else None,
    )


def _refused(why: str) -> Callable[[_Asked], Sensitivity]:
    def refuse(asked: _Asked) -> Sensitivity:
        raise ValueError(why)

    return refuse


_OF_KIND: dict[str, Callable[[_Asked], Sensitivity]] = {
    "count": _count,
    "sum": _sum,
    "mean": _mean,
    "histogram": _histogram,
    "survey": _refused(
        "kind must be one with a sensitivity, which a survey answer has not: randomized response changes each answer "
        "itself, and its epsilon says all; got 'survey'"
    ),
    "selection": _refused(
        "kind must be one with a sensitivity of its own, which a selection has not: it takes the sensitivity of the "
        "score by which it chooses, from its documentation; got 'selection'"
    ),
    "other": _refused(
        "kind must say what is computed, since nothing follows from an answer of another kind: take the sensitivity "
        "from its documentation; got 'other'"
    ),
}


def sensitivity(
    kind: str,
    relation: str = "add_remove",
    *,
    lower: float | None = None,
    upper: float | None = None,
    people: int | None = None,
    rows: int = 1,
    distinct: bool = False,
    unit: str = "unit",
) -> Sensitivity:
    """Return how far one unit can change an answer of this kind, rounded up.

    Parameters
    ----------
    kind : str
        A key of ``dpviz.plan.kinds.KINDS``.
    relation : {"add_remove", "replace_one"}
        The neighbour relation. A replaced unit may change its number of rows, too, but for a mean.
    lower, upper : float, optional
        What each value is clipped to, in (-inf, inf), lower at most upper; demanded for a sum and a mean.
    people : int, optional
        How many values a mean divides by, in [1, 1e13]: public, and the same whoever is in the data.
    rows : int
        How many rows of one unit one answer reads at most, in [1, 1000000000]; for a histogram, how many entries.
    distinct : bool
        Whether no two rows of one unit fall in one bar of a histogram.
    unit : str
        Whom the promise protects, for the sentences.

    Returns
    -------
    Sensitivity
        Tight: data sets of that relation reach both numbers, but for their rounding.

    Raises
    ------
    ValueError
        With the reason, where the kind has no sensitivity or where something is missing.

    Notes
    -----
    The beginning of this module has the proofs.

    References
    ----------
    Dwork & Roth (2014), Definition 3.1 (L1) and Definition 3.8 (L2).

    Examples
    --------
    >>> sensitivity("sum", "replace_one", lower=16, upper=99).l1
    99.0
    >>> sensitivity("mean", "replace_one", lower=0, upper=6000, people=40000).l2
    0.15
    >>> sensitivity("histogram", rows=4).l2, sensitivity("histogram", rows=4, distinct=True).l2
    (4.0, 2.0)
    """
    kind_named(kind)
    if relation not in tuple(RELATIONS):
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}; got {relation!r:.60}")
    bounds = None if (lower, upper) == (None, None) else checked_bounds(lower, upper)
    people = None if people is None else POPULATION.check(people, "people")
    asked = _Asked(relation == "replace_one", bounds, people, ROWS.check(rows), bool(distinct), unit)
    return _OF_KIND[kind](asked)


def where_replaced(
    value: float, kind: str | None, norm: str, lower: float | None = None, upper: float | None = None
) -> float:
    """Return a sensitivity that is enough where a unit is replaced, for one that is where it is added or removed.

    Parameters
    ----------
    value : float
        Where one unit is added or removed, in (0, inf).
    kind : str or None
        A key of ``dpviz.plan.kinds.KINDS``.
    norm : {"L1", "L2"}
        In which both are.
    lower, upper : float, optional
        What each value of a sum is clipped to.

    Returns
    -------
    float
        Rounded up, between `value` and twice of it; inf where that is no number.

    Notes
    -----
    The beginning of this module has the proof.

    Examples
    --------
    >>> where_replaced(5, "histogram", "L1"), where_replaced(5, "count", "L2"), where_replaced(5, "sum", "L1", -1, 1)
    (10.0, 5.0, 10.0)
    >>> where_replaced(3.0, "histogram", "L2")
    4.242640687119286
    """
    one_sided = kind == "count" or (kind == "sum" and None not in (lower, upper) and not lower < 0 < upper)
    if one_sided:
        return float(value)
    if kind == "histogram" and norm == "L2":
        return _up_to_root(value * math.sqrt(2), 2 * typed(value) ** 2)
    return rounded_up(2 * typed(value))
