"""Sequences of queries to play with: generated, joined, cut, and written as the text that reads back as the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dpviz.filters.queries import Queries
from dpviz.records import record_named

_DIGITS = 3
_NOTHING = Queries.of_pairs(np.empty(0))


@dataclass(frozen=True, slots=True)
class Habit:
    """How somebody asks.

    Parameters
    ----------
    key, label : str
        Name in code and for people.
    sizes : callable
        ``sizes(number, rng)``: ε of each query in units of the middle one, shape (number,).
    """

    key: str
    label: str
    sizes: Callable[[int, np.random.Generator], np.ndarray]


HABITS = (
    Habit("random", "ε at random", lambda number, rng: np.exp(rng.uniform(np.log(0.25), np.log(4), number))),
    Habit("growing", "ε growing", lambda number, rng: np.geomspace(0.2, 5, number)),
    Habit("shrinking", "ε shrinking", lambda number, rng: np.geomspace(5, 0.2, number)),
    Habit("constant", "the same ε", lambda number, rng: np.ones(number)),
)


def generated(habit: str, number: int, epsilon: float, rng: np.random.Generator) -> Queries:
    """Return pure queries as somebody of this habit asks them.

    Parameters
    ----------
    habit : str
        Key of one of `HABITS`.
    number : int
        At least 1.
    epsilon : float
        ε of the middle one, in (0, inf).
    rng : numpy.random.Generator

    Examples
    --------
    >>> generated("growing", 3, 0.1, np.random.default_rng(0)).epsilon.tolist()
    [0.02, 0.1, 0.5]
    """
    sizes = record_named(HABITS, habit).sizes(number, rng) * epsilon
    return Queries.of_pairs([float(f"{size:.{_DIGITS}g}") for size in sizes])


def joined(first: Queries, second: Queries) -> Queries:
    """Return one sequence after the other.

    Raises
    ------
    ValueError
        When they hold for different neighbour relations.

    Examples
    --------
    >>> joined(Queries.of_pairs([0.1]), Queries.of_pairs([0.2], 1e-9)).delta.tolist()
    [0.0, 1e-09]
    """
    if None not in (first.relation, second.relation) and first.relation != second.relation:
        raise ValueError(f"queries must hold for the relation {first.relation}; got {second.relation}")
    columns = zip(_columns(first), _columns(second), strict=True)
    return Queries(*(np.concatenate(pair) for pair in columns), relation=first.relation or second.relation)


def shortened(queries: Queries, number: int) -> Queries:
    """Return the first queries.

    Examples
    --------
    >>> len(shortened(Queries.of_pairs([0.1, 0.2, 0.3]), 2))
    2
    """
    return Queries(*(column[:number] for column in _columns(queries)), relation=queries.relation if number else None)


def nothing() -> Queries:
    """Return a sequence without queries.

    Examples
    --------
    >>> len(nothing())
    0
    """
    return _NOTHING


def _columns(queries: Queries) -> tuple[np.ndarray, ...]:
    return queries.epsilon, queries.delta, queries.pure_epsilon, queries.leak, queries.rho


def as_text(queries: Queries) -> str | None:
    r"""Return the sequence as `queries_from_text` reads it; None where a query is more than its pair.

    Examples
    --------
    >>> as_text(Queries.of_pairs([0.1, 0.1, 0.25], [0, 0, 1e-9]))
    '0.1, 0, 2\n0.25, 1e-09'
    """
    if np.isinf(queries.epsilon).any() or not np.array_equal(queries.epsilon, queries.pure_epsilon):
        return None
    return "\n".join(_lines(queries))


def _lines(queries: Queries) -> Iterator[str]:
    pairs = zip(queries.epsilon.tolist(), queries.delta.tolist(), strict=True)
    for (epsilon, delta), group in groupby(pairs):
        times = sum(1 for _ in group)
        cells = [f"{epsilon!r}".removesuffix(".0")]
        if delta or times > 1:
            cells.append(f"{delta!r}".removesuffix(".0"))
        if times > 1:
            cells.append(str(times))
        yield ", ".join(cells)
