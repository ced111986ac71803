"""Epsilon of many compositions at once: points that can share a grid are grouped, and solved again where coarse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy.fft

from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.privacy_loss.estimates.excess import confirmed, excess
from dpviz.privacy_loss.estimates.grid import LARGEST_PERIOD, STEEPEST, Grids, estimates, grids
from dpviz.privacy_loss.estimates.saddle import cumulants_of, tilted
from dpviz.privacy_loss.inversion import Search
from dpviz.privacy_loss.lattice import Lattice, raised, widened
from dpviz.privacy_loss.limits import epsilon_floor, total
from dpviz.privacy_loss.spectrum import Spectrum

BAND = 0.35  # width of a group in the logarithm of the tilt: more transforms if less, longer periods if more
ROUND_UP = 1 + 1e-13  # index times step plus the place in the piece, and sums with what was lowered
FEW_KINDS = 4  # sets of laws used in a group, up to which each is composed apart: transforms of all cost less beyond
ATTEMPTS = 5
CHEAP = 1e-9  # share of delta that pays for what putting atoms on the grid lowered
# Shares of delta that all tails cut off may take where nothing finer has an answer: a heavy tail allows no steep tilt.
GIVEN_UP = (1e-3, 0.1)
RELIEVED = 1e-3  # accuracy then, whatever is wanted: else a rougher answer might be the smaller one


class Solved(NamedTuple):
    """Answers of the engine, each of shape (points,)."""

    epsilon: np.ndarray
    """A bound: delta(epsilon) is at most what was wanted; inf where no grid has an answer."""
    estimate: np.ndarray
    """An estimate of how far it lies above the truth."""
    finer: np.ndarray
    """By how much the steps of the first grid were divided at last."""


def epsilons(laws: Sequence[Law], counts: np.ndarray, log_targets: np.ndarray, accuracy: float) -> Solved:
    """Return the epsilon of each composition, rounded up.

    `laws` are of one direction and `counts` has shape (points, laws). `log_targets`, shape (points,), is ln of the part
    of delta left for finite losses, at most 0; leaks are left out. `accuracy` is the wanted relative excess.
    """
    answer, estimate, finer = np.zeros(len(counts)), np.zeros(len(counts)), np.ones(len(counts))
    used = counts.any(axis=0)
    laws, counts = [law for law, use in zip(laws, used, strict=True) if use], counts[:, used]
    rows = np.flatnonzero(counts.any(axis=1) & (log_targets < 0))
    if not len(rows):
        return Solved(answer, estimate, finer)
    # Beyond doubles a number becomes infinite, or none: an answer that is not between both ends is none.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        counts, targets = counts[rows], log_targets[rows]
        found = searched(laws, counts, targets, accuracy)
        answer[rows], estimate[rows], finer[rows] = relieved(laws, counts, targets, accuracy, found)
    return Solved(answer * ROUND_UP, np.minimum(estimate, answer), finer)


def log_floor_of(counts: np.ndarray, log_targets: np.ndarray, accuracy: float) -> float:
    """Return ln of a tail mass so small that all tails cut off add a share exp(-9) of the accuracy to delta."""
    return float(log_targets.min() + np.log(accuracy) - 9 - np.log(counts.sum(axis=1).max()))


def searched(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, accuracy: float, share: float | None = None
) -> Solved:
    """Return the answers, found again where the first guess was far off or the grid too coarse.

    `share` of delta pays for the tails cut off; without it next to nothing does.
    """
    log_floor = log_floor_of(counts, targets, accuracy) if share is None else log_floor_of(counts, targets, share) + 9
    table = tilted(laws, counts, log_floor)
    guesses, finer = estimates(table, targets), np.ones(len(counts))
    answer, estimate = np.full(len(counts), np.inf), np.full(len(counts), np.inf)
    rows, surely = np.arange(len(counts)), epsilon_floor(laws, counts, targets)
    tops = total(counts, [law.top for law in laws])
    for attempt in range(ATTEMPTS):
        part = table.of(rows)
        grid = grids(laws, counts[rows], part, targets[rows], guesses[rows], attempt > 0, accuracy, finer[rows])
        found, wide, slope = once(laws, counts[rows], targets[rows], grid, log_floor, accuracy)
        found = np.minimum(found, tops[rows])
        noisy, wide = np.isinf(wide), np.minimum(wide, np.maximum(np.minimum(found, 1e300) - surely[rows], 0.0))
        better = found < answer[rows]
        answer[rows[better]], estimate[rows[better]] = found[better], wide[better]
        far = np.abs(np.minimum(found, 1e300) - np.maximum(guesses[rows], 0.0)) * np.minimum(slope, 2 * grid.tilts) > 1
        wanted = np.maximum(np.minimum(found, 1e300), 1e-3) * accuracy
        far |= noisy & (wide > wanted)
        room = grid.steps * LARGEST_PERIOD > 8 * grid.periods * len(laws)
        coarse = ~far & (wide > wanted) & (found > 0) & room & (attempt < 3)
        finer[rows] = np.where(coarse, finer[rows] * np.clip(1.5 * np.sqrt(wide / wanted), 1.0, 8.0), finer[rows])
        guesses[rows] = np.where(noisy, np.minimum(found, 0.8 * guesses[rows]), found)
        again = (far & ~(noisy & (attempt > 0)) | coarse) & np.isfinite(guesses[rows])
        visited, unsure, rows = rows, rows[far], rows[again]
        estimate[unsure] = answer[unsure] - surely[unsure]
        estimate[visited] = np.minimum(estimate[visited], confirmed(answer[visited], found, wide, far))
        if not len(rows):
            break
    return Solved(answer, estimate, finer)


def relieved(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, accuracy: float, found: Solved
) -> Solved:
    """Return the answers, where they are coarse also with shares of delta that pay for the tails that are cut off."""
    answer, estimate, finer = found
    hard = np.flatnonzero(estimate > np.maximum(100 * accuracy, 1e-3) * answer)
    for share in GIVEN_UP if len(hard) else ():
        epsilon, wide, _ = searched(laws, counts[hard], targets[hard], RELIEVED, share)
        better = epsilon < answer[hard]
        answer[hard[better]], estimate[hard[better]] = epsilon[better], np.minimum(wide, epsilon)[better]
    return Solved(answer, estimate, finer)


def once(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, grid: Grids, log_floor: float, accuracy: float
) -> np.ndarray:
    """Return epsilon, and estimates of its excess and of -d ln delta / d epsilon, shape (3, points)."""
    lattices: dict = {}
    result = np.empty((3, len(counts)))
    for step, rows in alike(groups(grid), counts > 0):
        used = tuple(np.flatnonzero(counts[rows].any(axis=0)).tolist())
        if (step, used) not in lattices:
            there, those = [laws[index] for index in used], (grid.steps == step) & counts[:, used].any(axis=1)
            lowest = lowest_losses(there, counts[:, used], grid, those, log_floor, accuracy)
            fits = widened(there, step, log_floor, lowest)
            pairs = zip(there, lowest, strict=True)
            lattices[step, used] = tuple(raised(law, fits, log_floor, low) for law, low in pairs)
        own = counts[rows][:, used]
        result[:, rows] = solve_group(lattices[step, used], own, targets[rows], grid, rows, accuracy)
    return result


def alike(grouped: Iterable[tuple[float, np.ndarray]], used: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the groups, cut into points that use the same laws where these are few kinds: each needs its own alone."""
    for step, rows in grouped:
        kinds, own = np.unique(used[rows], axis=0, return_inverse=True)
        for kind in range(len(kinds)) if len(kinds) <= FEW_KINDS else ():
            yield step, rows[own.reshape(-1) == kind]
        if len(kinds) > FEW_KINDS:
            yield step, rows


def lowest_losses(
    laws: Sequence[Law], counts: np.ndarray, grid: Grids, rows: np.ndarray, log_floor: float, accuracy: float
) -> list[float]:
    """Return for each law the loss below which its mass has no weight under the tilts of `rows`."""
    tilt = float(grid.tilts[rows].min()) * np.exp(-BAND)
    margin = np.log(accuracy) - 9 - np.log(counts[rows].sum(axis=1).max())
    return [(cumulants_of(law, np.array([tilt]), log_floor)[0, 0] + margin) / tilt for law in laws]


def groups(grid: Grids) -> Iterator[tuple[float, np.ndarray]]:
    """Yield (step, rows) of the points that share a step and nearly share a tilt."""
    bands = np.floor(np.log(grid.tilts) / BAND).astype(np.int64)
    order = np.lexsort((grid.guesses, bands, grid.steps))
    changes = (np.diff(grid.steps[order]) != 0) | (np.diff(bands[order]) != 0)
    for rows in np.split(order, np.flatnonzero(changes) + 1):
        yield float(grid.steps[rows[0]]), rows


def shared(grid: Grids, rows: np.ndarray, step: float, accuracy: float) -> tuple[float, int, float]:
    """Return tilt, number of frequencies and share below which one is dropped, for points of one spectrum."""
    tilt = min(float(np.exp(np.mean(np.log(grid.tilts[rows])))), STEEPEST / step)
    steeper = np.max(grid.tilts[rows]) / tilt
    size = 2 * scipy.fft.next_fast_len(max(8, int(np.ceil(steeper * grid.periods[rows].max() / step / 2))), real=True)
    return tilt, size, float(np.log(accuracy) - 13 - np.clip(grid.gaps[rows].max(), 3.0, 30.0))


def solve_group(
    lattices: tuple[Lattice, ...],
    counts: np.ndarray,
    targets: np.ndarray,
    grid: Grids,
    rows: np.ndarray,
    accuracy: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return epsilon, and estimates of excess and slope, of points that share one spectrum, each of shape (points,)."""
    step = lattices[0].step
    spectrum = Spectrum(lattices, *shared(grid, rows, step, accuracy))
    cuts = total(counts, [lattice.cut for lattice in lattices])
    cut = np.exp(np.minimum(np.log(cuts) - targets, 0.0)) * ROUND_UP  # share of delta that pays for what was cut off
    # Losses were moved down: delta falls no faster than epsilon grows, so that it can pay where that is cheap.
    lowered = total(counts, [lattice.lowered for lattice in lattices])
    paid = lowered * np.exp(np.minimum(-targets, 700.0)) * ROUND_UP
    cut, lowered = cut + np.where(paid <= CHEAP, paid, 0.0), np.where(paid <= CHEAP, 0.0, lowered)
    targets = targets + np.log1p(-np.minimum(cut, 0.5))
    answer, estimate, slopes = np.empty((3, len(rows)))
    for part, batch in spectrum.batches(counts):
        answer[part], slope, noise = Search(batch, targets[part], grid.guesses[rows][part]).run()
        estimate[part], slopes[part] = excess(batch, answer[part], slope, noise, accuracy), slope
    return np.where(cut > 0.5, np.inf, answer + lowered), estimate, slopes
