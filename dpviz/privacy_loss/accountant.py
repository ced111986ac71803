"""Epsilon of many compositions at once: points that can share a grid are grouped for the Fourier engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy.fft

from dpviz.mechanisms.loss_laws import Law
from dpviz.privacy_loss.fourier import CHUNK, Spectrum
from dpviz.privacy_loss.grid import LARGEST_PERIOD, STEEPEST, Grids, estimates, grids
from dpviz.privacy_loss.lattice import Lattice, discretised, widened
from dpviz.privacy_loss.limits import epsilon_floor, weighted
from dpviz.privacy_loss.saddle import cumulants_of, tilted

BAND = 0.35  # width of a group in the logarithm of the tilt
ROUND_UP = 1 + 1e-13


def epsilons(
    laws: Sequence[Law], counts: np.ndarray, log_targets: np.ndarray, accuracy: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the epsilon of each composition, rounded up, and how far it may exceed the truth; both of shape (points,).

    `laws` are of one direction and `counts` has shape (points, laws). `log_targets`, shape (points,), is ln of the part
    of delta left for finite losses, at most 0; leaks are left out. `accuracy` is the wanted relative excess.
    """
    answer, excess = np.zeros(len(counts)), np.zeros(len(counts))
    used = counts.any(axis=0)
    laws, counts = [law for law, use in zip(laws, used, strict=True) if use], counts[:, used]
    open_points = np.flatnonzero(counts.any(axis=1) & (log_targets < 0))
    if not len(open_points):
        return answer, excess
    counts, targets = counts[open_points], log_targets[open_points]
    # Beyond doubles a number becomes infinite, or none: an answer that is not between both ends is none.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found, excess[open_points] = searched(laws, counts, targets, accuracy)
    answer[open_points] = found * ROUND_UP
    excess[open_points] = np.minimum(excess[open_points], answer[open_points])
    return answer, excess


def searched(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, accuracy: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return epsilon and excess, solved again where the first guess was far off or the grid too coarse."""
    log_floor = targets.min() + np.log(accuracy) - 9 - np.log(counts.sum(axis=1).max())
    table = tilted(laws, counts, log_floor)
    guesses, finer = estimates(table, targets), np.ones(len(counts))
    answer, excess = np.full(len(counts), np.inf), np.full(len(counts), np.inf)
    rows, surely = np.arange(len(counts)), epsilon_floor(laws, counts, targets)
    tops = weighted(counts, [law.top for law in laws])
    for attempt in range(5):
        part = table.of(rows)
        grid = grids(laws, counts[rows], part, targets[rows], guesses[rows], attempt > 0, accuracy, finer[rows])
        found, wide, slope = once(laws, counts[rows], targets[rows], grid, log_floor, accuracy)
        found = np.minimum(found, tops[rows])
        noisy, wide = np.isinf(wide), np.minimum(wide, np.maximum(np.minimum(found, 1e300) - surely[rows], 0.0))
        better = found < answer[rows]
        answer[rows[better]], excess[rows[better]] = found[better], wide[better]
        far = np.abs(np.minimum(found, 1e300) - np.maximum(guesses[rows], 0.0)) * np.minimum(slope, 2 * grid.tilts) > 1
        wanted = np.maximum(np.minimum(found, 1e300), 1e-3) * accuracy
        far |= noisy & (wide > wanted)
        room = grid.steps * LARGEST_PERIOD > 8 * grid.periods * len(laws)
        coarse = ~far & (wide > wanted) & (found > 0) & room & (attempt < 3)
        finer[rows] = np.where(coarse, finer[rows] * np.clip(1.5 * np.sqrt(wide / wanted), 1.0, 8.0), finer[rows])
        guesses[rows] = np.where(noisy, np.minimum(found, 0.8 * guesses[rows]), found)
        again = (far & ~(noisy & (attempt > 0)) | coarse) & np.isfinite(guesses[rows])
        visited, unsure, rows = rows, rows[far], rows[again]
        excess[unsure] = answer[unsure] - surely[unsure]
        excess[visited] = np.minimum(excess[visited], confirmed(answer[visited], found, wide, far))
        if not len(rows):
            break
    return answer, excess


def confirmed(answer: np.ndarray, found: np.ndarray, wide: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Return how far each answer lies above the lower end of a read near its guess, inf where the read was far off."""
    usable = ~far & np.isfinite(found) & np.isfinite(wide)
    return np.where(usable, np.maximum(answer - np.where(usable, found - wide, 0.0), 0.0), np.inf)


def once(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, grid: Grids, log_floor: float, accuracy: float
) -> np.ndarray:
    """Return epsilon, excess and slope -d ln delta / d epsilon on the given grids, shape (3, points)."""
    lattices: dict = {}
    result = np.empty((3, len(counts)))
    for step, rows in groups(grid):
        if step not in lattices:
            lowest = lowest_losses(laws, counts, grid, grid.steps == step, log_floor, np.log(accuracy))
            fits = widened(laws, step, log_floor, lowest)
            pairs = zip(laws, lowest, strict=True)
            lattices[step] = tuple(discretised(law, fits, log_floor, low) for law, low in pairs)
        result[:, rows] = solve_group(lattices[step], counts[rows], targets[rows], grid, rows, accuracy)
    return result


def lowest_losses(
    laws: Sequence[Law], counts: np.ndarray, grid: Grids, rows: np.ndarray, log_floor: float, log_accuracy: float
) -> list[float]:
    """Return for each law the loss below which its mass has no weight under the tilts of `rows`."""
    tilt = float(grid.tilts[rows].min()) * np.exp(-BAND)
    margin = log_accuracy - 9 - np.log(counts[rows].sum(axis=1).max())
    return [(cumulants_of(law, np.array([tilt]), log_floor)[0, 0] + margin) / tilt for law in laws]


def groups(grid: Grids) -> Iterator[tuple[float, np.ndarray]]:
    """Yield (step, rows) of the points that share a step and nearly share a tilt."""
    bands = np.floor(np.log(grid.tilts) / BAND).astype(np.int64)
    order = np.lexsort((grid.guesses, bands, grid.steps))
    changes = (np.diff(grid.steps[order]) != 0) | (np.diff(bands[order]) != 0)
    for rows in np.split(order, np.flatnonzero(changes) + 1):
        yield float(grid.steps[rows[0]]), rows


def solve_group(
    lattices: tuple[Lattice, ...],
    counts: np.ndarray,
    targets: np.ndarray,
    grid: Grids,
    rows: np.ndarray,
    accuracy: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return epsilon, excess and slope of points that share one spectrum, each of shape (points,)."""
    step = lattices[0].step
    tilt = min(float(np.exp(np.mean(np.log(grid.tilts[rows])))), STEEPEST / step)
    steeper = np.max(grid.tilts[rows]) / tilt
    size = 2 * scipy.fft.next_fast_len(max(8, int(np.ceil(steeper * grid.periods[rows].max() / step / 2))), real=True)
    dead = np.log(accuracy) - 13 - np.clip(grid.gaps[rows].max(), 3.0, 30.0)
    spectrum = Spectrum(lattices, tilt, size, dead)
    cuts = counts @ np.array([lattice.cut for lattice in lattices])
    cut = np.exp(np.minimum(np.log(cuts) - targets, 0.0))  # share of delta that pays for what was cut off
    targets = targets + np.log1p(-np.minimum(cut, 0.5))
    answer, excess, slopes = np.empty((3, len(rows)))
    for part, strength in parts(counts, spectrum):
        batch = spectrum.batch(counts[part], strength)
        answer[part], slope, noise = batch.solve(targets[part], grid.guesses[rows][part])
        added = (1 + slope) * (counts[part] @ spectrum.spreads)
        doubtful = np.flatnonzero(added > np.maximum(answer[part], 1e-3) * accuracy / 2)
        if len(doubtful):
            added[doubtful] = np.minimum(added[doubtful], batch.widening(answer[part][doubtful], doubtful))
        # Where delta falls within a cell the first order says nothing.
        steep = (slope * step > 0.3) & (counts[part] @ spectrum.spreads > 1e-15 * step)
        added = np.where(steep, step, added)
        added = np.where(noise > 0.1, np.inf, 2 * added + (accuracy / 20 + 2 * noise) / slope)
        excess[part], slopes[part] = added, slope
    return np.where(cut > 0.5, np.inf, answer), excess, slopes


def parts(counts: np.ndarray, spectrum: Spectrum) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of points that fit into the memory of one batch, and the strength of their spectrum."""
    for start in range(0, len(counts), 32):
        stop = min(start + 32, len(counts))
        strength = spectrum.strength(counts[start:stop].min(axis=0))
        alive = int((strength > strength.max() + spectrum.dead).sum())
        size = int(np.clip(CHUNK // alive, 1, 32))
        for first in range(start, stop, size):
            yield slice(first, min(first + size, stop)), strength
