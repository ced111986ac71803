"""Means that a sum and a count tell together, and how far their quotient may lie from the exact mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpviz.mechanisms.left_open import why_no_error
from dpviz.outward import raised
from dpviz.plan import Plan, Release
from dpviz.plan.kinds import COUNT_OF_MEAN, SUM_OF_MEAN
from dpviz.planning.accuracy import half_width
from dpviz.rounding import shown_count, shown_error

EACH = 0.975  # the confidence of either, so that both hold at once 19 times of 20
FEWEST = 2  # times what the count may lie off by: of fewer values a quotient tells nothing
OPERATIONS = 8  # of doubles in the formula below, at most
MOST_VALUES = 10**12


@dataclass(frozen=True, slots=True)
class Quotient:
    """A mean that the sum and the count of one name tell together.

    Parameters
    ----------
    name : str
        What both have in common.
    rows : tuple of int
        Positions (0-based) of the sum and of the count.
    values : int
        How many values it is told for: with more it is closer.
    half_width : float
        How far the quotient may lie from the mean, 19 times of 20, by the noise of both, in units of a value; rounded
        up.
    """

    name: str
    rows: tuple[int, int]
    values: int
    half_width: float

    def __str__(self) -> str:
        near = f"±{shown_error(self.half_width)} of the mean of the clipped values"
        often = f"19 times of 20, for {shown_count(self.values)} values or more"
        return f"“{self.name}”: by its noise, the sum divided by the count lies within {near}, {often}."


def quotients(plan: Plan) -> tuple[Quotient, ...]:
    """Return the means that a plan tells by a sum and a count of the same name, in the order of the sums.

    Parameters
    ----------
    plan : Plan
        Sums are called “…, sum”, counts “…, count”; both are of as many rows of one unit, at the same times. Without
        bounds of the values, the number of values (what is typical of the count, else the people in the data) or noise
        that can be read, or of samples, nothing is told.

    Notes
    -----
    With sum S, count n and mean M = S / n, noise e and f moves the quotient by (e - M f) / (n + f). Where abs(e) <= a,
    abs(f) <= c < n and abs(M) <= m, that is at most (a + m c) / (n - c), which falls with n. Both hold at once 19 times
    of 20 where each does 39 times of 40 (union bound). Neighbour relation: none.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> age = Release("Age, sum", Laplace(100, 90), kind="sum", lower=0, upper=90)
    >>> print(*quotients(Plan([age, Release("Age, count", Laplace(10, 1), kind="count", typical=2000)])))
    “Age”: by its noise, the sum divided by the count lies within ±1.88 of the mean of the clipped values, 19 times of
    20, for 2,000 values or more.
    """
    counts: dict[tuple[object, ...], list[int]] = {}
    for row, each in enumerate(plan.releases):
        if each.kind == "count" and each.uses:
            counts.setdefault((each.name, *_taken(each)), []).append(row)
    found = []
    for row, each in enumerate(plan.releases):
        name = each.name.removesuffix(SUM_OF_MEAN)
        beside = counts.get((name + COUNT_OF_MEAN, *_taken(each)), [])
        if each.kind == "sum" and name and name != each.name and each.uses and len(beside) == 1:
            found.append(_quotient(name, (row, beside[0]), plan))
    return tuple(each for each in found if each is not None)


def _quotient(name: str, rows: tuple[int, int], plan: Plan) -> Quotient | None:
    of_sum, of_count = (plan.releases[row] for row in rows)
    values = of_count.typical or plan.population
    if of_sum.lower is None or not 0 < (values or 0) <= MOST_VALUES or any(map(_unread, (of_sum, of_count))):
        return None
    values = math.floor(values)
    size = max(abs(of_sum.lower), abs(of_sum.upper))
    a, c = (half_width(each.mechanism, EACH) for each in (of_sum, of_count))
    if not FEWEST * c < values:
        return None
    width = raised((a + size * c) / (values - c), OPERATIONS)
    return Quotient(name, rows, values, width) if math.isfinite(width) else None


def _taken(release: Release) -> tuple[object, ...]:
    """When it is released, of which part of the data, and of how many rows of one unit: else it counts no other."""
    return release.part, release.count, release.cadence, release.start, release.end, release.rows or 1


def _unread(release: Release) -> bool:
    """Whether its noise is not that of the answer: it has none that can be read, or is drawn on a sample."""
    return release.mechanism.base is not release.mechanism or bool(why_no_error(release.mechanism))
