"""Grids that several points share: which points, at which step, from which loss on, at how many frequencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.fft

from dpviz.effort import DRAWN
from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.privacy_loss.estimates.cells import Weights
from dpviz.privacy_loss.estimates.grid import STEEPEST, Grids
from dpviz.privacy_loss.estimates.saddle import cumulants_of
from dpviz.privacy_loss.lattice import LARGEST_INDEX, LARGEST_LATTICE, Lattice, lower_lattices, upper_lattice, widened
from dpviz.privacy_loss.limits import upper_sum

_BAND = 0.35  # width of a group in the logarithm of the tilt: more transforms if less, longer periods if more
_TILTS = 4  # under which a law is looked at before cells are widened
_WIDE_BAND = 1.2  # the same of points on coarse grids, whose transforms are short


@dataclass(frozen=True)
class _Fit:
    """Where the lattices of some laws lie: their common step, the loss that each begins at, which tails may be cut.

    `weights` say by how much losses count, if cells may be wider where laws are thin.
    """

    laws: Sequence[Law]
    step: float
    log_floor: float
    lowest: Sequence[float]
    weights: Weights | None = None

    def upper(self) -> tuple[Lattice, ...]:
        """Return a lattice above each law."""
        pairs = zip(self.laws, self.lowest, strict=True)
        return tuple(upper_lattice(law, self.step, self.log_floor, least, self.weights) for law, least in pairs)

    def lower(self) -> list[tuple[Lattice, Lattice]]:
        """Return for each law what an attacker who rounds surely sees, under P and under Q."""
        pairs = zip(self.laws, self.lowest, strict=True)
        return [lower_lattices(law, self.step, self.log_floor, least) for law, least in pairs]


def fitted(
    laws: Sequence[Law],
    step: float,
    tilt: float,
    uses: float,
    log_floor: float,
    accuracy: float,
    largest: int = LARGEST_LATTICE,
) -> _Fit:
    """Return where lattices lie whose losses left out below have no weight under `tilt`, for at most `uses` in all."""
    margin, tilts = np.log(accuracy) - 9 - np.log(uses), np.array([tilt])
    lowest = [(cumulants_of(law, tilts, log_floor)[0, 0] + margin) / tilt for law in laws]
    return _Fit(laws, widened(laws, step, log_floor, lowest, largest), log_floor, lowest)


def fitted_to(
    laws: Sequence[Law],
    counts: np.ndarray,
    grid: Grids,
    rows: np.ndarray,
    log_floor: float,
    accuracy: float,
    log_targets: np.ndarray | None = None,
) -> _Fit:
    """Return where the lattices of points `rows` lie, which share a step; with ln of targets, cells may be wide."""
    tilt = float(grid.tilts[rows].min()) * np.exp(-_BAND)
    fit = fitted(laws, float(grid.steps[rows][0]), tilt, counts[rows].sum(axis=1).max(), log_floor, accuracy)
    return fit if log_targets is None else replace(fit, weights=_weights(grid, rows, tilt, log_targets[rows]))


def _weights(grid: Grids, rows: np.ndarray, tilt: float, log_targets: np.ndarray) -> Weights:
    """Return by how much losses of one use count, about, for the points of a group.

    Where one large loss decides, splitting it by a variance v adds v/2 times the density of the sum of all others, at
    most 1/deviation, and 1; of what splitting elsewhere adds, v/2 times c (1 + c) δ, that is this share.
    """
    tilts, deviations = grid.tilts[rows], np.maximum(grid.deviations[rows], 1e-12)
    steep = np.maximum(tilts.max(), (np.maximum(grid.guesses[rows], 0.0) / deviations**2).max())
    most = (1 + 1 / deviations) / (tilts * (1 + tilts)) * np.exp(np.minimum(-log_targets, 600.0))
    looked = np.geomspace(tilt, tilts.max() * np.exp(_BAND), _TILTS)
    return Weights(looked, float(steep), float(np.maximum(most, 1.0).max()))


def left_out(lattices: Sequence[Lattice], counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how much of P was cut off in all, and how far losses were moved down, both rounded up."""
    return (
        upper_sum(counts, [lattice.cut for lattice in lattices]),
        upper_sum(counts, [lattice.lowered for lattice in lattices]),
    )


def log_floor_of(counts: np.ndarray, log_targets: np.ndarray, accuracy: float) -> float:
    """Return ln of a tail mass so small that all tails cut off add a share exp(-9) of the accuracy to delta."""
    return float(log_targets.min() + np.log(accuracy) - 9 - np.log(counts.sum(axis=1).max()))


def groups(grid: Grids, accuracy: float) -> Iterator[tuple[float, np.ndarray]]:
    """Yield (step, rows) of the points that share a step and nearly share a tilt."""
    bands = np.floor(np.log(grid.tilts) / (_WIDE_BAND if accuracy >= DRAWN else _BAND)).astype(np.int64)
    order = np.lexsort((grid.guesses, bands, grid.steps))
    changes = (np.diff(grid.steps[order]) != 0) | (np.diff(bands[order]) != 0)
    for rows in np.split(order, np.flatnonzero(changes) + 1):
        yield float(grid.steps[rows[0]]), rows


def shared(grid: Grids, rows: np.ndarray, step: float, accuracy: float) -> tuple[float, int, float]:
    """Return tilt, number of frequencies and share below which one is dropped, for points of one spectrum."""
    tilt = min(float(np.exp(np.mean(np.log(grid.tilts[rows])))), STEEPEST / step)
    size = frequencies(np.max(grid.tilts[rows]) / tilt * grid.periods[rows].max() / step)
    return tilt, size, float(np.log(accuracy) - 13 - np.clip(grid.gaps[rows].max(), 3.0, 30.0))


def frequencies(period: float, most: float = np.inf) -> int:
    """Return an even number of frequencies, quick to transform, for a period in steps; about `most` at most."""
    return 2 * scipy.fft.next_fast_len(int(np.clip(np.ceil(period / 2), 8, most / 2)), real=True)


def whole(index: np.ndarray) -> np.ndarray:
    """Return grid indices as whole numbers, inside the range in which a double can tell neighbours apart."""
    return np.fmin(np.fmax(np.floor(index), 0.0), LARGEST_INDEX).astype(np.int64)
