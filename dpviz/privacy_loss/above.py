"""Upper ends of epsilon: points that can share a grid are grouped, and solved again where that was too coarse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dpviz.effort import DRAWN
from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.outward import raised, roundings
from dpviz.privacy_loss.estimates.excess import confirmed, excess
from dpviz.privacy_loss.estimates.grid import LARGEST_PERIOD, Grids, estimates, grids
from dpviz.privacy_loss.estimates.saddle import tilted
from dpviz.privacy_loss.inversion import Search
from dpviz.privacy_loss.lattice import Lattice
from dpviz.privacy_loss.limits import lower_epsilon_limit, upper_sum
from dpviz.privacy_loss.records import Solved
from dpviz.privacy_loss.shared_grid import fitted_to, groups, left_out, log_floor_of, shared
from dpviz.privacy_loss.spectrum import Spectrum

_PLACE = roundings(1e-13)  # of index times step plus the place in the piece, and of sums with what was lowered
_FEW_KINDS = 4  # sets of laws used in a group, up to which each is composed apart: transforms of all cost less beyond
_ATTEMPTS = 5
_CHEAP = 1e-9  # share of delta that pays for what putting atoms on the grid lowered
# Shares of delta that all tails cut off may take where nothing finer has an answer: a heavy tail allows no steep tilt.
_GIVEN_UP = (1e-3, 0.1)
_RELIEVED = 1e-3  # accuracy then, whatever is wanted: else a rougher answer might be the smaller one


def upper_epsilons(
    laws: Sequence[Law],
    counts: np.ndarray,
    log_targets: np.ndarray,
    accuracy: float,
    likely: np.ndarray | None = None,
) -> Solved:
    """Return the epsilon of each composition, rounded up.

    `laws` are of one direction and `counts` has shape (points, laws). `log_targets`, shape (points,), is ln of the part
    of delta left for finite losses, at most 0; leaks are left out. `accuracy` is the wanted relative excess; `likely`,
    where it is known, about the answers: it steers, and decides nothing.
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
        found = _searched(laws, counts, targets, accuracy, likely=None if likely is None else likely[rows])
        answer[rows], estimate[rows], finer[rows] = _relieved(laws, counts, targets, accuracy, found)
    return Solved(raised(answer, _PLACE), np.minimum(estimate, answer), finer)


def _searched(
    laws: Sequence[Law],
    counts: np.ndarray,
    targets: np.ndarray,
    accuracy: float,
    share: float | None = None,
    likely: np.ndarray | None = None,
) -> Solved:
    """Return the answers, found again where the first guess was far off or the grid too coarse.

    `share` of delta pays for the tails cut off; without it next to nothing does. `likely` is the first guess.
    """
    log_floor = log_floor_of(counts, targets, accuracy) if share is None else log_floor_of(counts, targets, share) + 9
    table = tilted(laws, counts, log_floor)
    guesses, finer = estimates(table, targets), np.ones(len(counts))
    if likely is not None:
        guesses = np.where(np.isfinite(likely) & (likely > 0), likely, guesses)
    answer, estimate = np.full(len(counts), np.inf), np.full(len(counts), np.inf)
    rows, surely = np.arange(len(counts)), lower_epsilon_limit(laws, counts, targets)
    tops = upper_sum(counts, [law.top for law in laws])
    for attempt in range(_ATTEMPTS):
        part = table.of(rows)
        grid = grids(laws, counts[rows], part, targets[rows], guesses[rows], attempt > 0, accuracy, finer[rows])
        found, wide, slope = _once(laws, counts[rows], targets[rows], grid, log_floor, accuracy)
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


def _relieved(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, accuracy: float, found: Solved
) -> Solved:
    """Return the answers, where they are coarse also with shares of delta that pay for the tails that are cut off."""
    answer, estimate, finer = found
    hard = np.flatnonzero(estimate > np.maximum(100 * accuracy, 1e-3) * answer)
    for share in _GIVEN_UP if len(hard) else ():
        epsilon, wide, _ = _searched(laws, counts[hard], targets[hard], _RELIEVED, share)
        better = epsilon < answer[hard]
        answer[hard[better]], estimate[hard[better]] = epsilon[better], np.minimum(wide, epsilon)[better]
    return Solved(answer, estimate, finer)


def _once(
    laws: Sequence[Law], counts: np.ndarray, targets: np.ndarray, grid: Grids, log_floor: float, accuracy: float
) -> np.ndarray:
    """Return epsilon, and estimates of its excess and of -d ln delta / d epsilon, shape (3, points)."""
    lattices: dict = {}
    result = np.empty((3, len(counts)))
    few = 0 if accuracy >= DRAWN else _FEW_KINDS
    for step, rows in _alike(groups(grid, accuracy), counts > 0, few):
        used = tuple(np.flatnonzero(counts[rows].any(axis=0)).tolist())
        if (step, used) not in lattices:
            there, those = [laws[index] for index in used], (grid.steps == step) & counts[:, used].any(axis=1)
            lattices[step, used] = fitted_to(there, counts[:, used], grid, those, log_floor, accuracy, targets).upper()
        own = counts[rows][:, used]
        result[:, rows] = _solve_group(lattices[step, used], own, targets[rows], grid, rows, accuracy)
    return result


def _alike(
    grouped: Iterable[tuple[float, np.ndarray]], used: np.ndarray, few: int
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the groups, cut into points that use the same laws where these are few kinds: each needs its own alone."""
    for step, rows in grouped:
        kinds, own = np.unique(used[rows], axis=0, return_inverse=True)
        for kind in range(len(kinds)) if len(kinds) <= few else ():
            yield step, rows[own.reshape(-1) == kind]
        if len(kinds) > few:
            yield step, rows


def _solve_group(
    lattices: tuple[Lattice, ...],
    counts: np.ndarray,
    targets: np.ndarray,
    grid: Grids,
    rows: np.ndarray,
    accuracy: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return epsilon, and estimates of excess and slope, of points that share one spectrum, each of shape (points,)."""
    spectrum = Spectrum(lattices, *shared(grid, rows, lattices[0].step, accuracy))
    cuts, lowered = left_out(lattices, counts)
    cut = raised(np.exp(np.minimum(np.log(cuts) - targets, 0.0)), _PLACE)  # share of delta that pays for the cuts
    # Losses were moved down: delta falls no faster than epsilon grows, so that it can pay where that is cheap.
    paid = raised(lowered * np.exp(np.minimum(-targets, 700.0)), _PLACE)
    cut, lowered = cut + np.where(paid <= _CHEAP, paid, 0.0), np.where(paid <= _CHEAP, 0.0, lowered)
    targets = targets + np.log1p(-np.minimum(cut, 0.5))
    answer, estimate, slopes = np.empty((3, len(rows)))
    for part, batch in spectrum.batches(counts):
        answer[part], slope, noise = Search(batch, targets[part], grid.guesses[rows][part]).run()
        estimate[part], slopes[part] = excess(batch, answer[part], slope, noise, accuracy), slope
    return np.where(cut > 0.5, np.inf, answer + lowered), estimate, slopes
