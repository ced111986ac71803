"""Neighbouring numeric databases: which two an adversary may put forward, and what a query reads from them."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpviz.decimals import typed
from dpviz.parameters import SENSITIVITY, Parameter
from dpviz.records import Record, record_named

COMPONENT = Parameter("component", "x", "one number of a database", -1e9, 1e9)
LARGEST_DATABASE = 1_000_000
RULE = (
    "Two numeric databases are neighbours if they have the same length and differ in exactly one component, "
    "by at most the sensitivity."
)
NOTE = (
    "This is the relation of the notebook: a component may change by at most the sensitivity. The usual relation lets "
    "one record change to any value; under it, publishing a component has the whole range of the data as its "
    "sensitivity."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two databases held against the neighbour rule.

    Parameters
    ----------
    neighbours : bool
        Whether they are neighbours.
    differing : tuple of int
        The components that differ, at most the first ten.
    distance : float
        The largest difference of a component.
    reason : str
        Why they are, or are not, as one sentence.
    """

    neighbours: bool
    differing: tuple[int, ...]
    distance: float
    reason: str


def database(values: object, name: str = "database") -> np.ndarray:
    """Return a number, or a list of numbers, as a database: an array of one dimension.

    Raises
    ------
    ValueError
        When it is empty, too long, not of one dimension, or a component is no number.

    Examples
    --------
    >>> database(1.0), database([1, 28, 91])
    (array([1.]), array([ 1., 28., 91.]))
    """
    try:
        kind = np.asarray(values).dtype.kind
    except ValueError:  # lists of different lengths
        kind = ""
    if kind not in ("i", "u", "f"):
        raise ValueError(f"components of {name} must be in {COMPONENT.interval}; got {reprlib.repr(values)}")
    array = COMPONENT.check_array(values, f"components of {name}")
    if array.ndim > 1 or not 1 <= array.size <= LARGEST_DATABASE:
        raise ValueError(
            f"{name} must be a number or a list of 1 to {LARGEST_DATABASE} numbers; got an array of shape {array.shape}"
        )
    return np.atleast_1d(array)


def compared(first: object, second: object, sensitivity: float = 1.0) -> Comparison:
    """Hold two numeric databases against the neighbour rule.

    Parameters
    ----------
    first, second : float or sequence of float
        The databases; a number is a database of one component.
    sensitivity : float
        Most that the one component may change, in (0, inf]; compared as the decimals that were typed.

    Raises
    ------
    ValueError
        When a database is none, or the sensitivity lies outside its interval.

    Notes
    -----
    Relation: bounded change of one component (`RULE`), neither add_remove nor replace_one (`NOTE`).

    References
    ----------
    Sherpa.ai notebook on composition concepts, note on neighboring databases.

    Examples
    --------
    >>> compared([1, 28, 91], [2, 28, 91]).neighbours
    True
    >>> compared([1, 2, 3, 4], [1, 2, 5, 8]).reason
    'They differ in 2 components (number 3: 3 and 5; number 4: 4 and 8), but neighbours differ in exactly one.'
    """
    first, second = database(first), database(second)
    limit = math.inf if sensitivity == math.inf else SENSITIVITY.check(sensitivity)
    if first.shape != second.shape:
        return Comparison(False, (), math.inf, f"They have {len(first)} and {len(second)} components; {_SAME}.")
    differing = np.flatnonzero(first != second)
    distance = max((_exact_distance(first[i], second[i]) for i in differing[:_SHOWN]), default=Fraction(0))
    neighbours = len(differing) == 1 and (math.isinf(limit) or distance <= typed(limit))
    reason = _reason(first, second, differing, neighbours, limit)
    return Comparison(neighbours, tuple(int(i) for i in differing[:_SHOWN]), float(distance), reason)


_SHOWN = 10
_ANSWER_ROUNDING = 1e-6  # of two answers as floats: components are at most 1e9
_SAME = "neighbours have the same length"


def _exact_distance(first: float, second: float) -> Fraction:
    """The difference of the decimals typed: 1.1 and 1.0 are 0.1 apart."""
    return abs(typed(first) - typed(second))


def _reason(first: np.ndarray, second: np.ndarray, differing: np.ndarray, neighbours: bool, limit: float) -> str:
    if not len(differing):
        return "They are equal, but neighbours differ in exactly one component."
    pairs = "; ".join(f"number {i + 1}: {first[i]:.15g} and {second[i]:.15g}" for i in differing[:3])
    pairs += "; ..." if len(differing) > 3 else ""
    if len(differing) > 1:
        return f"They differ in {len(differing)} components ({pairs}), but neighbours differ in exactly one."
    rule = "and neighbours may differ in it" if neighbours else "but neighbours differ in it"
    by = "by any amount" if math.isinf(limit) else f"by at most {limit:.15g}"
    return f"They differ in one component ({pairs}), {rule} {by}."


def check_neighbours(first: object, second: object, sensitivity: float, name: str = "secrets") -> None:
    """Refuse two databases that are not neighbours, with the rule.

    Raises
    ------
    ValueError
        With the rule and what breaks it.

    Examples
    --------
    >>> check_neighbours(1, 3, 1)
    Traceback (most recent call last):
        ...
    ValueError: secrets must be neighbours, which differ in exactly one component by at most the sensitivity 1; ...
    """
    if not compared(first, second, sensitivity).neighbours:
        by = "" if math.isinf(sensitivity) else f" by at most the sensitivity {sensitivity:.15g}"
        raise ValueError(
            f"{name} must be neighbours, which differ in exactly one component{by}; got {reprlib.repr(first)} and "
            f"{reprlib.repr(second)}"
        )


@dataclass(frozen=True, slots=True)
class Query(Record):
    """What a mechanism reads from a numeric database.

    Parameters
    ----------
    answer : callable
        ``answer(values, component)``: the number read from an array, given the component in which neighbours differ.
    """

    answer: Callable[[np.ndarray, int], float]


QUERIES = (
    Query(
        "component",
        "The differing component",
        r"q(x) = x_j",
        "neighbours differ in component j by at most the sensitivity: so does the answer",
        "Sherpa.ai notebook on composition concepts",
        lambda values, component: float(values[component]),
    ),
    Query(
        "sum",
        "Sum",
        r"q(x) = \sum_i x_i",
        "neighbours differ in one component by at most the sensitivity: so does the answer",
        "Dwork & Roth (2014), Def. 3.1",
        lambda values, component: math.fsum(values),
    ),
    Query(
        "mean",
        "Mean",
        r"q(x) = \frac1n \sum_i x_i",
        "the length n is public; the answer changes by at most the sensitivity over n",
        "Dwork & Roth (2014), Def. 3.1",
        lambda values, component: math.fsum(values) / len(values),
    ),
)


def answers(first: object, second: object, sensitivity: float, query: str = "component") -> tuple[float, float]:
    """Return what the query reads from two neighbouring databases.

    Parameters
    ----------
    first, second : float or sequence of float
        Neighbours under `sensitivity`.
    sensitivity : float
        In (0, inf].
    query : str
        Key of one of `QUERIES`.

    Raises
    ------
    ValueError
        When they are not neighbours, or the query is unknown.

    Examples
    --------
    >>> answers([1, 28, 91], [2, 28, 91], 1.0, "sum")
    (120.0, 121.0)
    """
    chosen = record_named(QUERIES, query)
    check_neighbours(first, second, sensitivity)
    arrays = database(first), database(second)
    component = int(np.flatnonzero(arrays[0] != arrays[1])[0])
    low, high = (chosen.answer(array, component) for array in arrays)
    if low == high or abs(high - low) > sensitivity * (1 + _ANSWER_ROUNDING):
        raise ValueError(f"secrets must be small enough for floats to tell answers apart; got {low!r} and {high!r}")
    return low, high
