"""Every plan of a grid with its smallest proved total and its error, in tasks of some hundred plans."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import dpviz
from dpviz.composition.compose import smallest_total, smallest_totals
from dpviz.effort import PLOTTED
from dpviz.jobs.frontier import FIRST, MEASURES, TOKEN, Frontier, unbeaten
from dpviz.jobs.grid import Axis, Grid
from dpviz.jobs.run import Job, Runner
from dpviz.mechanisms import Mechanism, Subsampled
from dpviz.mechanisms.left_open import in_units, why_no_error
from dpviz.plan import Plan, Release, Workload
from dpviz.plan.files import permalink
from dpviz.plan.plan import LARGEST_WORKLOAD
from dpviz.planning.accuracy import errors
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.search import weighted_variance

TASK = 500  # plans: seconds at most, so that a stop loses little
REFINED = 20  # plans of a task that computes totals as they are quoted
SLACK = 3 * PLOTTED  # an estimate of how far two totals of a sweep may be off together


@dataclass(frozen=True)
class Variants:
    """One release of a grid as numbers: all mechanisms and all uses that it may have.

    Parameters
    ----------
    part : str or None
    mechanisms : tuple of Mechanism
        By the places on `noise_axes`, the last changing first.
    errors : ndarray of float, shape (mechanisms,)
        The error of one use; 0 where nothing of the release is varied, since it tells no plans apart.
    uses : ndarray of int
        By the places on `time_axes`, the last changing first.
    noise_axes, time_axes : tuple of int
    """

    part: str | None
    mechanisms: tuple[Mechanism, ...]
    errors: np.ndarray
    uses: np.ndarray
    noise_axes: tuple[int, ...]
    time_axes: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """A grid as numbers, as the tasks take it.

    Parameters
    ----------
    shape : tuple of int
        Of the grid.
    variants : tuple of Variants
        One per release.
    delta : float
    adaptive : bool
    measure : str
    """

    shape: tuple[int, ...]
    variants: tuple[Variants, ...]
    delta: float
    adaptive: bool
    measure: str

    @classmethod
    def of(cls, grid: Grid, measure: str) -> Table:
        """Return the table of a grid; a ValueError where a combination is not allowed or has no known error."""
        variants = tuple(_variants(grid, row, measure) for row in range(len(grid.plan.releases)))
        if not any(each.errors.any() for each in variants):
            raise ValueError("plan must have a release with noise, whose error is known")
        return cls(grid.shape, variants, grid.plan.budget.delta, grid.plan.adaptive, measure)

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """All that are used somewhere in the grid."""
        return tuple(dict.fromkeys(mechanism for each in self.variants for mechanism in each.mechanisms))

    @property
    def parts(self) -> tuple[str | None, ...]:
        """The parts of the data; None alone where there are none."""
        return tuple(dict.fromkeys(each.part for each in self.variants if each.part is not None)) or (None,)

    @property
    def task(self) -> int:
        """How many plans a task takes."""
        return max(1, min(TASK, LARGEST_WORKLOAD // (len(self.mechanisms) * len(self.parts))))

    def evaluated(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ε, error and uses of combinations by their number."""
        places = np.array(np.unravel_index(numbers, self.shape))
        columns, parts = {each: place for place, each in enumerate(self.mechanisms)}, self.parts
        counts = np.zeros((len(numbers), len(parts), len(columns)), dtype=np.int64)
        worst, total = np.zeros(len(numbers)), np.zeros(len(numbers), dtype=np.int64)
        everything = np.arange(len(numbers))
        for each in self.variants:
            chosen = _place(each.noise_axes, self.shape, places)
            uses = each.uses[_place(each.time_axes, self.shape, places)]
            column = np.array([columns[mechanism] for mechanism in each.mechanisms])[chosen]
            for row in range(len(parts)) if each.part is None else (parts.index(each.part),):
                counts[everything, row, column] += uses
            own = each.errors[chosen]
            worst = np.maximum(worst, own) if self.measure == "largest" else worst + own * uses
            total += uses
        return self._totals(counts), worst, total

    def _totals(self, counts: np.ndarray) -> np.ndarray:
        """The smallest proved total of each plan: what is composed together shares its mechanisms."""
        plans, parts, _ = counts.shape
        used = counts.any(axis=1)
        if all(mechanism.mu is not None for mechanism in self.mechanisms):
            used[:] = used.any(axis=0)
        groups, group = np.unique(used, axis=0, return_inverse=True)
        totals = np.empty(plans)
        for place, columns in enumerate(groups):
            rows = np.flatnonzero(group.ravel() == place)
            mechanisms = tuple(each for each, use in zip(self.mechanisms, columns.tolist(), strict=True) if use)
            points = counts[rows][:, :, columns].reshape(len(rows) * parts, len(mechanisms))
            found = smallest_totals(Workload(mechanisms, points, self.adaptive), self.delta, PLOTTED)
            totals[rows] = found.reshape(len(rows), parts).max(axis=1)
        return totals


def _place(axes: tuple[int, ...], shape: tuple[int, ...], places: np.ndarray) -> np.ndarray:
    """The place in a list over some axes."""
    place = np.zeros(places.shape[1], dtype=np.int64)
    for axis in axes:
        place = place * shape[axis] + places[axis]
    return place


def _variants(grid: Grid, row: int, measure: str) -> Variants:
    axes = grid.along[row]
    noise, time = ([each for each in axes if grid.axes[each].quantity.of_mechanism is which] for which in (True, False))
    noisy, timed = ([grid.release(row, each) for each in _choices(grid.axes, axes)] for axes in (noise, time))
    own = grid.plan.releases[row]
    error = np.array([_error(each, own, measure, bool(noise)) if noise or time else 0.0 for each in noisy])
    uses = np.array([each.uses for each in timed], dtype=np.int64)
    return Variants(own.part, tuple(each.mechanism for each in noisy), error, uses, tuple(noise), tuple(time))


def _choices(axes: tuple[Axis, ...], places: list[int]) -> list[dict[int, object]]:
    """Every choice of values on some axes, the last changing first."""
    choices: list[dict[int, object]] = [{}]
    for place in places:
        choices = [{**choice, place: value} for choice in choices for value in axes[place].values]
    return choices


def _error(release: Release, before: Release, measure: str, varied: bool) -> float:
    """The error of one use, where its noise may be varied or is known; 0 where there is none to count."""
    release = replace(release, mechanism=in_units(release.mechanism))  # a plan of one knows no population
    if measure == "variance":
        levels = Adjustable.of(Plan([replace(release, count=1, cadence=None, end=None)]))
        drawn = before.mechanism.rate / release.mechanism.rate if isinstance(release.mechanism, Subsampled) else 1.0
        return weighted_variance(levels, levels.ratio) * drawn**2 if len(levels.rows) else 0.0
    row = next(errors(Plan([release])).itertuples())
    if row.reason:
        if varied:
            raise ValueError(
                f"release {release.name!r} has no error beside a typical value ({row.reason}): vary others, or take "
                "the measure variance"
            )
        return 0.0
    if row.relative is None:
        raise ValueError(f"typical must be given of release {release.name!r}, or take the measure variance")
    return row.relative


# --- the two jobs of a sweep


def swept(grid: Grid, measure: str | None = None, runner: Runner | None = None) -> Frontier:
    """Evaluate every combination of a grid and return those that no other one beats.

    Parameters
    ----------
    grid : Grid
    measure : {"largest", "variance"}, optional
        What error is, of the releases that the grid varies: see ``dpviz.jobs.frontier.MEASURES``; None for largest
        where all of them that have noise have a typical value, else variance.
    runner : Runner, optional
        Who plays the tasks; None for this process.

    Returns
    -------
    Frontier

    Raises
    ------
    ValueError
        When an error is not known, a combination is not allowed, or none has a finite total.

    Notes
    -----
    Errors are those of the noise alone (`dpviz.planning.accuracy`). What is read from a random sample counts as scaled
    up to what it was at the plan's own rate. A plan that publishes fewer numbers in all does not beat one that
    publishes more. ε is the smallest proved total at the δ of the plan's budget: to a relative accuracy of 1e-4 of all
    combinations, as quoted of all that may be on the frontier by less than three times that. Every ε is an upper bound;
    where very unlike noise shares a computation, at δ of 1e-12 or less, the first may lie some percent high, so that a
    plan close to another may be missing.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Visitors", Laplace(10, 1), typical=500.0)])
    >>> swept(Grid.of(plan, {"*": {"noise": [0.5, 1, 2]}})).frame.epsilon.round(6).tolist()
    [0.049998, 0.099998, 0.199998]
    """
    grid.plan.check_sensitivities()
    runner = runner or Runner()
    measure = measure or _usual(grid)
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got {measure!r}")
    table = Table.of(grid, measure)
    found = np.array(runner.run(_coarse(grid, table)) or np.empty((0, 4)))
    if not len(found):
        raise ValueError("grid must have a combination with a finite total; no theorem gives one")
    numbers = found[:, 0].astype(np.int64)
    exact = runner.run(_refined(grid, numbers.tolist()), kept=False)
    epsilon = np.array([exact[str(number)][0] for number in numbers.tolist()])
    error, uses = found[:, 2], found[:, 3].astype(np.int64)
    kept = unbeaten(epsilon, error, uses)
    kept = kept[np.lexsort((numbers[kept], -uses[kept], error[kept], epsilon[kept]))]
    theorems = [exact[str(number)][1] for number in numbers[kept].tolist()]
    return _frontier(grid, measure, numbers[kept], epsilon[kept], error[kept], uses[kept], theorems)


def _usual(grid: Grid) -> str:
    varied = [each for each, axes in zip(grid.plan.releases, grid.along, strict=True) if axes]
    known = all(each.typical is not None for each in varied if not why_no_error(each.mechanism))
    return "largest" if known else "variance"


def _coarse(grid: Grid, table: Table) -> Job:
    """All combinations, of which the candidates are kept: number, ε, error and uses."""
    what = "\n".join([grid.plan.to_json(), *(f"{a.label} {a.values} {a.rows}" for a in grid.axes), table.measure])
    key = hashlib.sha256(f"{dpviz.__version__}\n{what}".encode()).hexdigest()
    return Job("plans", key, math.ceil(grid.size / table.task), partial(_candidates, table), _together, grid.size)


def _candidates(table: Table, task: int) -> list[list[float]]:
    numbers = np.arange(task * table.task, min((task + 1) * table.task, math.prod(table.shape)))
    epsilon, error, uses = table.evaluated(numbers)
    kept = unbeaten(epsilon, error, uses, SLACK)
    return np.column_stack([numbers, epsilon, error, uses])[kept].tolist()


def _together(some: list[list[float]] | None, more: list[list[float]]) -> list[list[float]]:
    """What is kept of both, in the order of their numbers."""
    rows = sorted([*(some or []), *more])
    every = np.array(rows).reshape(len(rows), 4)
    return [rows[place] for place in unbeaten(every[:, 1], every[:, 2], every[:, 3].astype(np.int64), SLACK)]


def _refined(grid: Grid, numbers: list[int]) -> Job:
    """The candidates with their totals as they are quoted, and what proves them."""
    slices = [numbers[start : start + REFINED] for start in range(0, len(numbers), REFINED)]
    plans = [[(number, grid.combination(number)) for number in some] for some in slices]
    return Job("candidates", "", len(slices), partial(_quoted, plans), _merged, len(numbers))


def _quoted(plans: list[list[tuple[int, Plan]]], task: int) -> dict[str, tuple[float, str]]:
    totals = {str(number): smallest_total(plan, plan.budget.delta) for number, plan in plans[task]}
    return {number: (total.epsilon, total.theorem.key if total.theorem else "") for number, total in totals.items()}


def _merged(some: dict | None, more: dict) -> dict:
    return {**(some or {}), **more}


def _frontier(grid: Grid, measure: str, numbers: np.ndarray, *columns: object) -> Frontier:
    import pandas as pd

    epsilon, error, uses, theorems = columns
    values = [grid.values(number) for number in numbers.tolist()]
    first = (numbers, epsilon, grid.plan.budget.delta, error, measure, uses, theorems)
    axes = {axis.label: [each[place] for each in values] for place, axis in enumerate(grid.axes)}
    tokens = [_token(grid.combination(number)) for number in numbers.tolist()]
    return Frontier(pd.DataFrame({**dict(zip(FIRST, first, strict=True)), **axes, TOKEN: tokens}))


def _token(plan: Plan) -> str:
    try:
        return permalink.token(plan)
    except permalink.PermalinkError:
        return ""
