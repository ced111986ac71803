"""Which grid reaches a wanted accuracy: its step, tilt and period, chosen from saddle-point estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from dpviz.effort import DRAWN
from dpviz.mechanisms.laws.loss_laws import LatticeLaw, Law, PointsLaw
from dpviz.privacy_loss.estimates.saddle import Tilted
from dpviz.privacy_loss.lattice import LARGEST_INDEX

LARGEST_PERIOD = 5 << 16
_EXACT_PERIOD = 1 << 15  # up to this many points a grid that holds every atom is cheap enough to be preferred
_MOST_PARTS, _NEARLY = 1 << 21, 2e-15  # of the largest atom in a common unit; a share of each by which it may be off
STEEPEST = 30.0  # tilt times step


@dataclass(frozen=True)
class Grids:
    """Step, tilt, first guess, period (in nats), gap (see `_gaps`) and deviation of points, each of shape (points,)."""

    steps: np.ndarray
    tilts: np.ndarray
    guesses: np.ndarray
    periods: np.ndarray
    gaps: np.ndarray
    deviations: np.ndarray


def estimates(table: Tilted, log_targets: np.ndarray) -> np.ndarray:
    """Return saddle-point estimates of epsilon, shape (points,), none above its Chernoff bound."""
    kernel = table.tilts * (np.log(table.tilts) - np.log1p(table.tilts)) - np.log1p(table.tilts)
    chernoff = ((table.log_moment + kernel - log_targets[:, None]) / table.tilts).min(axis=1)
    return np.minimum(_between(table.epsilon, *_position(table, log_targets)), chernoff)


def grids(
    laws: Sequence[Law],
    counts: np.ndarray,
    table: Tilted,
    log_targets: np.ndarray,
    guesses: np.ndarray,
    cautious: bool,
    accuracy: float,
    finer: np.ndarray | float = 1.0,
) -> Grids:
    """Return the grids on which every composition whose epsilon is near its guess reaches a relative `accuracy`.

    `cautious` makes periods long enough for any epsilon up to the guess; `finer` divides the steps.
    """
    column, weight = saddle_points(table, np.maximum(guesses, 0.0))
    flatter = _useful(table, column, weight)
    top = _near_top(laws, counts, guesses)
    column, weight = np.where(top, flatter[0], column), np.where(top, flatter[1], weight)
    tilts = np.exp(_between(np.log(table.tilts)[None, :], column, weight))
    start = np.maximum(guesses, 0.0)
    tilts, periods = _shortest(
        table, log_targets, tilts, start, 0.0 * guesses if cautious else guesses, np.log(accuracy / 50)
    )
    wanted = np.maximum(guesses, 1e-3) * accuracy / 3
    unit = _common_unit(laws)
    diffuse, atomic = _between(table.diffuse, column, weight), _between(table.atomic, column, weight)
    on_grid = _step_for(wanted, tilts, diffuse)
    held, alike = _anchor(laws, counts), accuracy >= DRAWN  # of a curve that is only looked at few grids are enough
    held = np.full(len(held), held.max(initial=0.0)) if alike else held
    off_grid = _step_for(wanted, tilts, diffuse + 1.5 * atomic * _astray(laws, counts))
    missed = np.maximum(_step_for(wanted, tilts, diffuse + 1.5 * atomic), held)  # beyond the anchor it holds nothing
    off_grid = np.where(off_grid > held, np.minimum(off_grid, missed), off_grid)
    cheap = np.minimum(on_grid, np.where(_lattices(laws), off_grid, np.inf)) <= unit
    fits = (unit > 0) & (cheap | (periods / max(unit, 1e-300) <= _EXACT_PERIOD))
    steps = np.where(fits, on_grid, off_grid) / finer
    anchors = np.where(fits, unit, held)
    least = np.maximum(periods / LARGEST_PERIOD, start / LARGEST_INDEX)
    steps = np.maximum(np.where(np.isfinite(steps), steps, anchors), least)
    anchors = np.where(fits | (anchors >= steps), anchors, 2.0 ** np.ceil(np.log2(steps)))
    steps = _quantised(steps, anchors, least, 2.0 if alike else 0.5)
    tilts, deviations = np.minimum(tilts, STEEPEST / steps), np.sqrt(table.variance[:, 0])
    return Grids(steps, tilts, start, periods, _gaps(table, log_targets, tilts, start), deviations)


def _lattices(laws: Sequence[Law]) -> bool:
    """Return whether some law is one of noise on whole numbers, whose atoms are many."""
    return any(isinstance(law, LatticeLaw) for law in laws)


def _step_for(wanted: np.ndarray, tilts: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """Return the step at which splitting `moving` losses between grid points adds `wanted` to epsilon; inf for none."""
    steps = np.sqrt(12 * wanted / ((1 + tilts) * np.maximum(moving, 1e-300)))
    return np.where(moving > 0, np.minimum(steps, 0.2 / tilts), np.inf)


def _near_top(laws: Sequence[Law], counts: np.ndarray, guesses: np.ndarray) -> np.ndarray:
    """Return where the guess is close to the largest finite loss: an atom there decides, and a flatter tilt will do."""
    tops = (counts * np.where(counts > 0, np.array([law.top for law in laws]), 0.0)).sum(axis=1)
    return guesses > 0.9 * tops


def _useful(table: Tilted, column: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of the steepest tilt, up to the given one, at which more than one atom has weight."""
    reached = np.arange(len(table.tilts)) <= column[:, None]
    range_squared = table.variance * table.tilts**2
    enough = np.minimum(1.0, np.where(reached, range_squared, 0.0).max(axis=1, keepdims=True) / 2)
    allowed = (range_squared >= enough) & reached
    last = np.where(allowed.any(axis=1), len(table.tilts) - 1 - np.argmax(allowed[:, ::-1], axis=1), column)
    return last, np.where(last < column, 0.0, weight)


def saddle_points(table: Tilted, guesses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of the tilt whose epsilon is the guess, or of a moderate one where that has a long period."""
    rows = np.arange(len(guesses))
    exponent = table.log_moment - table.tilts * guesses[:, None] - np.log(table.tilts) - np.log1p(table.tilts)
    column = np.clip(np.argmin(exponent, axis=1), 0, len(table.tilts) - 2)
    column = np.where((column > 0) & (table.epsilon[rows, column] > guesses), column - 1, column)
    deviation, mean = np.sqrt(table.variance[:, 0]), table.mean[:, 0]
    moderate = np.minimum(2.5 / np.maximum(deviation, 1e-300), 15 / np.maximum(mean - guesses, 1e-300))
    harmless = (exponent <= exponent.min(axis=1, keepdims=True) + 6) & (table.tilts <= moderate[:, None])
    last = len(table.tilts) - 1 - np.argmax(harmless[:, ::-1], axis=1)
    column = np.where(harmless.any(axis=1), np.maximum(column, np.minimum(last, len(table.tilts) - 2)), column)
    left, right = table.epsilon[rows, column], table.epsilon[rows, column + 1]
    return column, np.clip((guesses - left) / np.maximum(right - left, 1e-300), 0.0, 1.0)


def _position(table: Tilted, log_targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each point the column of the table left of its tilt, and how far beyond it the tilt lies."""
    reached = np.minimum(table.log_delta, 1e300)
    falling = np.minimum.accumulate(reached, axis=1)
    below = (falling > log_targets[:, None]) | (table.epsilon < 0)
    column = np.clip(below.sum(axis=1) - 1, 0, len(table.tilts) - 2)
    rows = np.arange(len(column))
    left, right = reached[rows, column], reached[rows, column + 1]
    weight = np.clip((left - log_targets) / np.maximum(left - right, 1e-12), 0.0, 1.0)
    return column, weight


def _between(values: np.ndarray, column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the values at these positions, interpolated linearly in each row, shape (points,)."""
    values = np.broadcast_to(values, (len(column), values.shape[1]))
    rows = np.arange(len(column))
    return values[rows, column] * (1 - weight) + values[rows, column + 1] * weight


def _shortest(
    table: Tilted,
    log_targets: np.ndarray,
    tilts: np.ndarray,
    epsilons: np.ndarray,
    guesses: np.ndarray,
    log_tolerance: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the tilt with the shortest period, the given one or one somewhat below it, and that period."""
    best, periods = tilts, _wanted_periods(table, log_targets, tilts, guesses, log_tolerance)
    most = _gaps(table, log_targets, tilts, epsilons) + 5
    for share in (0.87, 0.76, 0.66):
        shorter = _wanted_periods(table, log_targets, share * tilts, guesses, log_tolerance)
        better = (shorter < 0.9 * periods) & (_gaps(table, log_targets, share * tilts, epsilons) < most)
        best, periods = np.where(better, share * tilts, best), np.where(better, shorter, periods)
    return best, periods


def _gaps(table: Tilted, log_targets: np.ndarray, tilts: np.ndarray, epsilons: np.ndarray) -> np.ndarray:
    """Return ln of how much larger than delta the tilted sums are: the digits that a tilt gives away."""
    place = np.interp(np.log(tilts), np.log(table.tilts), np.arange(len(table.tilts)))
    column = np.minimum(place.astype(int), len(table.tilts) - 2)
    return _between(table.log_moment, column, place - column) - tilts * epsilons - log_targets


def _wanted_periods(
    table: Tilted, log_targets: np.ndarray, tilts: np.ndarray, guesses: np.ndarray, log_tolerance: float
) -> np.ndarray:
    """Return the period whose aliases, from below and from above, add less than the tolerance."""
    below = (-log_targets - log_tolerance) / tilts
    exponent = table.log_moment - table.tilts * guesses[:, None] - log_targets[:, None] - log_tolerance
    steeper = table.tilts > 1.05 * tilts[:, None]
    above = np.where(steeper, exponent / np.where(steeper, table.tilts - tilts[:, None], 1.0), np.inf).min(axis=1)
    return np.maximum(below, np.where(np.isfinite(above), above, 0.0))


def _common_unit(laws: Sequence[Law]) -> float:
    """Return the largest number of which all atoms are multiples, within `_NEARLY` of each; 0 where there is none.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.loss_laws import ResponseLaw
    >>> _common_unit([ResponseLaw(0.25, 0.0), ResponseLaw(0.1, 0.0)]), _common_unit([])
    (0.05, 0.0)
    """
    losses = [loss for law in laws for loss in law.true_losses() if loss > 0]
    largest, parts = max(losses, default=0.0), 1
    for loss in losses:
        share = Fraction(loss / largest).limit_denominator(_MOST_PARTS)
        if abs(loss / largest - share) > _NEARLY * share:
            return 0.0
        parts = lcm(parts, share.denominator)
        if parts > LARGEST_INDEX:
            return 0.0
    return largest / parts


def _anchor(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return for each point the atom that matters most, or 1 where there is none."""
    losses = np.array([max(law.true_losses(), default=0.0) for law in laws])
    if not losses.any():
        return np.ones(len(counts))
    chosen = losses[np.argmax(counts * losses, axis=1)]
    return np.where(chosen > 0, chosen, 1.0)


def _astray(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return the share of the uses with atoms off a grid that holds the anchor, but no lattice, list or second size."""
    losses = np.array([max(law.true_losses(), default=0.0) for law in laws])
    weights = counts * (losses > 0)
    alone = np.array([len(law.true_losses()) < 2 and not isinstance(law, LatticeLaw | PointsLaw) for law in laws])
    held = (losses == losses[np.argmax(counts * losses, axis=1)][:, None]) & alone
    return (weights * ~held).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)


def _quantised(steps: np.ndarray, anchors: np.ndarray, least: np.ndarray, apart: float) -> np.ndarray:
    """Return few distinct steps, of which the anchor is a multiple where it can be; none is below `least`.

    They are `apart` in binary logarithms.
    """
    parts = np.maximum(anchors / steps, 1.0)
    parts = np.ceil(2 ** (np.ceil(np.log2(parts) / apart - 1e-9) * apart))
    fine = anchors / parts
    coarse = np.where(least <= anchors, anchors / np.maximum(np.floor(anchors / least), 1.0), least)
    return np.where(fine < least, coarse, fine)
