"""How accurately a total of so many different mechanisms is computed: the same for every page that quotes it."""

from __future__ import annotations

QUOTED = 1e-6  # wanted relative accuracy of a number that is quoted
PLOTTED = 1e-4  # of a curve, and of a number that is quoted for very many mechanisms
DRAWN = 2.5e-3  # of a curve that is only looked at: one pixel of 400
MOST_QUOTED = 120  # different mechanisms up to which a total is computed to the accuracy of a quoted number
MOST_DRAWN = 30  # up to which the numerical theorem answers every point of a curve while somebody waits
_FULL = 24  # different points times mechanisms that are answered to the accuracy of a quoted number all the same
_CELLS = 5_000  # points times parts times mechanisms of a curve, where mechanisms are more than that


def quoted(different: int) -> float:
    """Return the relative accuracy of a quoted total of so many different mechanisms.

    Examples
    --------
    >>> quoted(120), quoted(121)
    (1e-06, 0.0001)
    """
    return QUOTED if different <= MOST_QUOTED else PLOTTED


def points(different: int, parts: int) -> int:
    """Return how many points of a curve the numerical theorem answers while somebody waits; closed formulas the others.

    Parameters
    ----------
    different, parts : int
        Different mechanisms, and disjoint parts of the data, at each point.

    Examples
    --------
    >>> points(30, 1), points(100, 2), points(121, 1)
    (1000000000, 25, 0)
    """
    if different <= MOST_DRAWN:
        return 10**9
    return _CELLS // (different * parts) if different <= MOST_QUOTED else 0


def at_once(number: int, different: int, parts: int) -> float | None:
    """Return the accuracy of so many totals that are wanted together; None for closed formulas alone.

    Parameters
    ----------
    number : int
        Points.
    different, parts : int
        As for `points`.

    Examples
    --------
    >>> at_once(8, 3, 1), at_once(9, 3, 1), at_once(1, 121, 1)
    (1e-06, 0.0001, None)
    """
    if number * different <= _FULL:
        return QUOTED
    return PLOTTED if number <= points(different, parts) else None
