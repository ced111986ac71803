"""What a release publishes: a count, a sum, a mean, ...; and the bounds to which each unit's value is clipped."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from dpviz.parameters import Parameter
from dpviz.records import record_named

BOUND = Parameter("bound", "", "end to which a value is clipped", -math.inf, math.inf, open_low=True, open_high=True)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is asked of the data.

    Parameters
    ----------
    key, label : str
        Its name in files, and for people.
    about : str
        What it is, in words.
    """

    key: str
    label: str
    about: str


BarsKey = Literal["different", "any"]
BARS: tuple[BarsKey, ...] = ("different", "any")  # of a histogram: no two rows of one unit share a bar, or all may
DIFFERENT, ANY = BARS
KindKey = Literal["count", "sum", "mean", "histogram", "survey", "selection", "other"]
KINDS = (
    Kind("count", "count", "how many rows meet a condition"),
    Kind("sum", "sum", "the values of all rows added up, each clipped to its bounds first"),
    Kind("mean", "mean", "the average of one value of every unit, each clipped to its bounds first"),
    Kind("histogram", "histogram", "how many rows fall into each bar, all published together, however many bars"),
    Kind("survey", "survey answer", "each person's own answer, changed at random before it leaves them"),
    Kind("selection", "selection", "one of several options, chosen by the data"),
    Kind("other", "other", "an answer of another kind"),
)
KEYS = tuple(kind.key for kind in KINDS)
SUM_OF_MEAN, COUNT_OF_MEAN = ", sum", ", count"  # how the names end of the two that tell a mean together

kind_named: Callable[[str], Kind] = partial(record_named, KINDS)


def checked_bounds(lower: object, upper: object) -> tuple[float, float]:
    """Return the bounds of a clipped value, or refuse them.

    Parameters
    ----------
    lower, upper : float
        In (-inf, inf), lower at most upper; None is none.

    Raises
    ------
    ValueError
        When one of them is missing or no finite number, or when they are the wrong way round.

    Examples
    --------
    >>> checked_bounds(0, 6000)
    (0.0, 6000.0)
    >>> checked_bounds(1, None)
    Traceback (most recent call last):
        ...
    ValueError: lower must be given together with upper; got 1.0
    """
    given = {"lower": lower, "upper": upper}
    checked = {name: BOUND.check(value, name) for name, value in given.items() if value is not None}
    if len(checked) < 2:
        (alone, other) = ("lower", "upper") if "lower" in checked else ("upper", "lower")
        raise ValueError(f"{alone} must be given together with {other}; got {checked.get(alone)}")
    if checked["lower"] > checked["upper"]:
        low, high = (repr(checked[name]).removesuffix(".0") for name in ("lower", "upper"))
        raise ValueError(f"lower must be at most the upper end, {high}; got {low}")
    return checked["lower"], checked["upper"]
