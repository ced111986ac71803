"""The grid of a sweep: which noise factors, counts, rates and cadences its releases may take, and every combination.

A grid file is a JSON object. Its keys are names of releases, or "*" for all others that may change; each holds lists by
quantity::

    {"*": {"noise": [0.5, 1, 2]}, "Visitors": {"count": [1, 2, 4], "cadence": ["weekly", "daily"]}}

Each list is one axis: what "*" changes, it changes in all its releases at once.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import IO

import numpy as np

from dpviz.decimals import typed
from dpviz.mechanisms import Subsampled
from dpviz.parameters import COUNT, Parameter
from dpviz.plan import Plan, PlanFileError, Release
from dpviz.plan.cadence import cadence_named, recurs
from dpviz.plan.files import file
from dpviz.records import record_named

EVERY = "*"
MOST_PLANS = 1_000_000
MOST_VALUES = 1_000
FACTOR = Parameter("noise", "", "times the noise of the plan", 1e-6, 1e6)
USED = Parameter("count", "k", "uses on every day", 1, COUNT.high, integer=True)
DRAWN = Parameter("rate", "q", "share of the data that is read", 0, 1, open_low=True)
OF_THE_SAMPLE = ("mean",)  # kinds whose sensitivity, not whose size, goes with the size of the sample


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a grid may vary of a release.

    Parameters
    ----------
    key, label : str
        Its name in grid files, and for people.
    checked : callable
        ``checked(value)`` returns a value of a list, or raises a ValueError.
    obstacle : callable
        ``obstacle(release)``: why it cannot be varied there, as half a sentence; "" if it can.
    applied : callable
        ``applied(release, value)``: the release with that value.
    of_mechanism : bool
        Whether it changes what is used, not how often.
    """

    key: str
    label: str
    checked: Callable[[object], object]
    obstacle: Callable[[Release], str]
    applied: Callable[[Release, object], Release]
    of_mechanism: bool


def _noisier(release: Release, factor: float) -> Release:
    return replace(release, mechanism=release.mechanism.scaled(Fraction(typed(factor))))


def _sampled(release: Release, rate: float) -> Release:
    """The release with another rate: an answer of a smaller sample is smaller in proportion, its noise is not."""
    mechanism = release.mechanism
    typical = release.typical and release.typical * (rate / mechanism.rate)
    return replace(release, mechanism=replace(mechanism, rate=rate), typical=typical)


def _timed(release: Release, cadence: str) -> Release:
    return replace(release, cadence=cadence, end=release.end if recurs(cadence) else None)


def _no_noise(release: Release) -> str:
    return "" if release.mechanism.scaled(Fraction(1)) else "it has no noise to vary"


def _no_rate(release: Release) -> str:
    if not isinstance(release.mechanism, Subsampled) or not release.mechanism.rate:
        return "it reads no random sample"
    if release.kind in OF_THE_SAMPLE:
        return "the sensitivity of a mean goes with the size of its sample: vary its noise"
    return ""


QUANTITIES = (
    Quantity(
        "noise", "times the noise", FACTOR.check,
        _no_noise, _noisier, True,
    ),
    Quantity("rate", "sampling rate", DRAWN.check, _no_rate, _sampled, True),
    Quantity(
        "count", "uses each time", USED.check, lambda release: "", lambda release, count: replace(release, count=count),
        False,
    ),
    Quantity(
        "cadence", "cadence", lambda key: cadence_named(key).key,
        lambda release: "" if release.start and release.end else "it has no first and last day", _timed, False,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axis:
    """One list of a grid.

    Parameters
    ----------
    name : str
        Name of the release, or "*".
    quantity : Quantity
    values : tuple
    rows : tuple of int
        The places of its releases in the plan, from 0.
    """

    name: str
    quantity: Quantity
    values: tuple[object, ...]
    rows: tuple[int, ...]

    @property
    def label(self) -> str:
        """How its column is called."""
        return f"{self.name}: {self.quantity.key}"


@dataclass(frozen=True)
class Grid:
    """A plan with the axes along which it is varied; the last axis changes first.

    Parameters
    ----------
    plan : Plan
    axes : tuple of Axis
        What changes mechanisms stands before what changes how often they are used.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Visitors", Laplace(10, 1), typical=500.0)])
    >>> grid = Grid.of(plan, {"Visitors": {"count": [1, 2], "noise": [0.5, 1, 2]}})
    >>> grid.size, grid.values(5), grid.combination(5).releases[0].mechanism.scale
    (6, (2.0, 2), 20.0)
    """

    plan: Plan
    axes: tuple[Axis, ...]

    @classmethod
    def read(cls, plan: Plan, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Grid:
        """Read the grid of a plan from a JSON file.

        Raises
        ------
        ValueError
            With what is wrong in it; when it has too many combinations.
        """
        try:
            text, _ = file.contents(path_or_file)
            asked = json.loads(text, object_pairs_hook=_once)
        except PlanFileError as error:
            raise ValueError(f"grid {error.problems[0].allowed}; got {error.problems[0].value!r}") from None
        except json.JSONDecodeError as error:
            raise ValueError(f"grid must be valid JSON; line {error.lineno}: {error.msg}") from None
        except RecursionError:
            raise ValueError("grid must not nest so deeply") from None
        return cls.of(plan, asked)

    @classmethod
    def of(cls, plan: Plan, asked: object) -> Grid:
        """Return the grid that an object describes, as it stands in a grid file.

        Raises
        ------
        ValueError
            With what is wrong in it; when it has too many combinations.
        """
        if not isinstance(asked, dict) or not asked:
            raise ValueError(f'grid must be an object such as {{"*": {{"noise": [1, 2]}}}}; got {asked!r:.60}')
        axes = [axis for name in asked for axis in _axes(plan, name, asked)]
        grid = cls(plan, tuple(sorted(axes, key=lambda axis: QUANTITIES.index(axis.quantity))))
        if grid.size > MOST_PLANS:
            counts = " x ".join(str(len(axis.values)) for axis in grid.axes)
            raise ValueError(f"grid must have at most {MOST_PLANS:,} combinations; got {counts} = {grid.size:,}")
        for axis in grid.axes:  # what is not allowed in some release is said before anything starts
            for value in axis.values:
                for row in axis.rows:
                    _changed(axis, value, plan.releases[row])
        return grid

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return math.prod(self.shape)

    @cached_property
    def along(self) -> tuple[tuple[int, ...], ...]:
        """Which axes change each release."""
        rows = range(len(self.plan.releases))
        return tuple(tuple(place for place, axis in enumerate(self.axes) if row in axis.rows) for row in rows)

    def places(self, numbers: np.ndarray) -> np.ndarray:
        """Return the place on each axis of combinations by their number, from 0; shape (axes, combinations)."""
        return np.array(np.unravel_index(numbers, self.shape))

    def values(self, number: int) -> tuple[object, ...]:
        """Return the value on each axis of one combination."""
        places = self.places(np.array([number]))[:, 0]
        return tuple(axis.values[place] for axis, place in zip(self.axes, places.tolist(), strict=True))

    def release(self, row: int, values: dict[int, object]) -> Release:
        """Return one release with values of its axes, by their places."""
        release = self.plan.releases[row]
        for place, value in values.items():
            release = _changed(self.axes[place], value, release)
        return release

    def combination(self, number: int) -> Plan:
        """Return the plan of one combination."""
        values = self.values(number)
        releases = (self.release(row, {a: values[a] for a in axes}) for row, axes in enumerate(self.along))
        return replace(self.plan, releases=tuple(releases))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object that names nothing twice."""
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"grid must name everything once; got {twice[0]!r} twice")
    return dict(pairs)


def _axes(plan: Plan, name: str, asked: dict[str, object]) -> list[Axis]:
    lists = asked[name]
    if name != EVERY and name not in {release.name for release in plan.releases}:
        raise ValueError(f"grid must name releases of the plan, or {EVERY!r} for all others; got {name!r:.60}")
    if not isinstance(lists, dict) or not lists:
        raise ValueError(f"grid of {name!r} must be an object of lists, by quantity; got {lists!r:.60}")
    return [_axis(plan, name, record_named(QUANTITIES, key), values, asked) for key, values in lists.items()]


def _axis(plan: Plan, name: str, quantity: Quantity, values: object, asked: dict[str, object]) -> Axis:
    what = f"{quantity.key} of {name!r}"
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_VALUES:
        raise ValueError(f"{what} must be a list of 1 to {MOST_VALUES:,} values; got {values!r:.60}")
    try:
        checked = tuple(quantity.checked(value) for value in values)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    if len(set(checked)) < len(checked):
        raise ValueError(f"{what} must hold every value once; got {values!r:.60}")
    rows, reasons = [], []
    for row, release in enumerate(plan.releases):
        lists = asked.get(release.name)
        own = release.name != EVERY and isinstance(lists, dict) and quantity.key in lists
        if release.name == name or (name == EVERY and not own):
            why = "it is published already" if release.done_uses else quantity.obstacle(release)
            reasons.append(why)
            rows += [] if why else [row]
    if not rows or (name != EVERY and any(reasons)):
        why = next(filter(None, reasons), "there is no such release")
        raise ValueError(f"{what} cannot be varied: {why}")
    return Axis(name, quantity, checked, tuple(rows))


def _changed(axis: Axis, value: object, release: Release) -> Release:
    try:
        return axis.quantity.applied(release, value)
    except ValueError as error:
        raise ValueError(f"{axis.quantity.key} of {release.name!r} cannot be {value!r}: {error}") from None
