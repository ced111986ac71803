"""Lower ends: what an attacker surely achieves who adds up rounded losses and accuses beyond some sum.

Every test bounds delta(epsilon) from below by P[accused] - exp(epsilon) Q[accused]. Both probabilities are sums over
frequencies as for the upper ends, of the lattices of `lower_lattices`; P's errors and aliases are taken off, Q's added.
docs/engine.md, section 3, has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.outward import U, lowered
from dpviz.privacy_loss.estimates.grid import Grids, grids
from dpviz.privacy_loss.estimates.saddle import cumulants_of, tilted
from dpviz.privacy_loss.lattice import Lattice
from dpviz.privacy_loss.shared_grid import fitted_to, groups, log_floor_of, shared
from dpviz.privacy_loss.spectrum import Batch, Spectrum

_PROBES = np.arange(-4, 5)  # sums at which to accuse that are tried at once, in steps
_ROUNDS = 6  # of the search for the best sum: each tries sums further apart, or stops
_STEEPER = np.array([1.1, 1.3, 1.7, 2.5, 5.0, 12.0])  # tilts, as multiples, whose moments bound the aliases from above
_Score = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def lower_epsilons(
    laws: Sequence[Law],
    counts: np.ndarray,
    log_targets: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
) -> np.ndarray:
    """Return for each composition an epsilon at which delta is at least the target, if it is above 0.

    Arguments as for `epsilons`, but the targets are rounded up; `epsilon` and `finer` are its answers, shape (points,):
    where to look, and how fine a grid that needs.
    """

    def score(log_p: np.ndarray, log_q: np.ndarray, rows: np.ndarray) -> np.ndarray:
        share = np.exp(np.minimum(log_targets[rows] - log_p, 0.0))
        left = 1 - share * (1 + 8 * U * (4 + np.abs(log_p) + np.abs(log_targets[rows])))
        off = 8 * U * (4 + np.abs(log_p) + np.abs(log_q))
        return np.where(left > 0, log_p + np.log(np.maximum(left, 1e-300)) - log_q - off, -np.inf)

    found = _best_test(laws, counts, log_targets, epsilon, accuracy, finer, score)
    return np.maximum(np.nan_to_num(found, nan=0.0, neginf=0.0), 0.0)


def lower_deltas(
    laws: Sequence[Law], counts: np.ndarray, epsilon: np.ndarray, log_deltas: np.ndarray, accuracy: float
) -> np.ndarray:
    """Return what delta of each composition's finite losses is at least, at each of `epsilon`, shape (points,).

    `log_deltas` are estimates of the answers.
    """

    def score(log_p: np.ndarray, log_q: np.ndarray, rows: np.ndarray) -> np.ndarray:
        spent = np.exp(np.minimum(epsilon[rows] + log_q - log_p, 0.0))
        off = 8 * U * (8 + np.abs(log_p) + np.abs(log_q) + epsilon[rows])
        whole = log_p > -700.0  # else the last rounding may be upwards
        return np.where(whole, lowered(np.exp(log_p) * np.maximum(1 - spent - off, 0.0), 88), 0.0)

    found = _best_test(laws, counts, log_deltas, epsilon, accuracy, np.ones(len(counts)), score)
    return np.maximum(np.nan_to_num(found, nan=0.0, neginf=0.0), 0.0)


def _best_test(
    laws: Sequence[Law],
    counts: np.ndarray,
    log_targets: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
    score: _Score,
) -> np.ndarray:
    """Return the best score of some tests near `epsilon`: a function of ln P, ln Q and the point's number."""
    result, used = np.full(len(counts), -np.inf), counts.any(axis=0)
    laws, counts = [law for law, use in zip(laws, used, strict=True) if use], counts[:, used]
    rows = np.flatnonzero(counts.any(axis=1) & np.isfinite(epsilon) & np.isfinite(log_targets) & (log_targets < 0))
    if not len(rows):
        return result
    counts, targets, epsilon = counts[rows], log_targets[rows], epsilon[rows]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        log_floor = log_floor_of(counts, targets, accuracy)
        table = tilted(laws, counts, log_floor)
        both = (grids(laws, counts, table, targets, epsilon, far, accuracy, finer[rows]) for far in (True, False))
        grid = _finest(*both)
        for _, some in groups(grid, accuracy):
            found = _group_scores(laws, counts, grid, some, log_floor, accuracy, lambda p, q, at: score(p, q, rows[at]))
            result[rows[some]] = found
    return result


def _finest(cautious: Grids, near: Grids) -> Grids:
    """Return the cautious grids, but where periods for any epsilon forbid the step of those near the guess."""
    wide = cautious.steps > 1.5 * near.steps
    pairs = ((getattr(near, each.name), getattr(cautious, each.name)) for each in fields(Grids))
    return Grids(*(np.where(wide, *pair) for pair in pairs))


def _group_scores(
    laws: Sequence[Law],
    counts: np.ndarray,
    grid: Grids,
    rows: np.ndarray,
    log_floor: float,
    accuracy: float,
    score: _Score,
) -> np.ndarray:
    """Return the best score of points that share two spectra, P's at their tilt and Q's at one more."""
    fit = fitted_to(laws, counts, grid, rows, log_floor, accuracy)
    pairs, step = fit.lower(), fit.step
    if any(low.log_masses.max() == -np.inf for low, _ in pairs):  # nothing is sure among doubles
        return np.full(len(rows), -np.inf)
    tilt, size, dead = shared(grid, rows, step, accuracy)
    p, q = (
        Spectrum(lattices, tilt + extra, size, dead, tail=True)
        for lattices, extra in zip(zip(*pairs, strict=True), (0.0, 1.0), strict=True)
    )
    lows = zip(laws, p.lattices, strict=True)
    aliases, moved = _Aliases(p), np.array([_shift(law, low, tilt, log_floor) for law, low in lows])
    result = np.empty(len(rows))
    for part, batch in p.batches(counts[rows]):
        some = rows[part]
        other = Batch(q, counts[some], q.strength(counts[some].min(axis=0)))
        start = np.rint((grid.guesses[some] + counts[some] @ moved) / step).astype(np.int64)
        tests = _Tests(batch, other, aliases)
        result[part] = _climbed(lambda index, at: score(*tests.logs(index, at), some[at]), start)  # noqa: B023
    return result


def _shift(law: Law, lattice: Lattice, tilt: float, log_floor: float) -> float:
    """Estimate by how much rounding to the grid moves the mean of the tilted loss."""
    exponents = lattice.log_masses + tilt * lattice.losses
    weights = np.exp(exponents - exponents.max())
    return float(lattice.losses @ weights / weights.sum() - cumulants_of(law, np.array([tilt]), log_floor)[1, 0])


def _climbed(score: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
    """Return the best score near each `start`, tried further away where the best lies at the end of what was tried."""
    best, centre, spacing = np.full(len(start), -np.inf), start.copy(), np.ones(len(start), dtype=np.int64)
    rows = np.arange(len(start))
    for _ in range(_ROUNDS):
        index = centre[rows, None] + spacing[rows, None] * _PROBES
        found = score(index.ravel(), np.repeat(rows, len(_PROBES))).reshape(index.shape)
        found = np.where(np.isnan(found), -np.inf, found)
        place = found.argmax(axis=1)
        best[rows] = np.maximum(best[rows], found.max(axis=1))
        centre[rows] = index[np.arange(len(rows)), place]
        end = (place == 0) | (place == len(_PROBES) - 1)
        spacing[rows] = np.where(end, 8 * spacing[rows], spacing[rows] // 4)
        rows = rows[spacing[rows] > 0]
        if not len(rows):
            break
    return best


class _Aliases:
    """Bounds on what the period folds onto a tail of P: a geometric series below, moments of steeper tilts above."""

    def __init__(self, spectrum: Spectrum) -> None:
        self.tilt, self.step, self.period = spectrum.tilt, spectrum.step, spectrum.step * spectrum.size
        self.steeper, self.laws = spectrum.tilt * _STEEPER, len(spectrum.lattices)
        self.log_moments = np.array([self.moments(lattice) for lattice in spectrum.lattices])

    def moments(self, lattice: Lattice) -> np.ndarray:
        """Return upper bounds on ln of a law's moments at the steeper tilts."""
        exponents = lattice.log_masses[:, None] + lattice.losses[:, None] * self.steeper
        largest = exponents.max(axis=0)
        sizes = np.abs(lattice.losses).max() * self.steeper + np.abs(largest) + 1e3  # masses below exp(-1000) are 0
        off = U * ((16 + self.laws) * (8 + sizes) + len(lattice.losses))
        return largest + np.log(np.exp(exponents - largest).sum(axis=0)) + off

    def bound(self, batch: Batch, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return what aliases add at most to what `batch` reads at grid points `index` of points `rows`."""
        place, offset, (_, off) = self.step * index, batch.offset[rows], batch.scale(index, rows)
        below = np.exp(self.tilt * (place - self.period) - offset) / -np.expm1(-self.tilt * self.period)
        apart = self.steeper - self.tilt
        exponents = (batch.counts @ self.log_moments)[rows] - offset[:, None] - place[:, None] * apart
        above = np.exp(exponents - apart * self.period) / -np.expm1(-apart * self.period)
        return (below + above.min(axis=1)) * np.exp(np.minimum(2 * off, 700.0)) * (1 + 1e-6)


class _Tests:
    """The probabilities of accusing: at most P's and at least Q's."""

    def __init__(self, p: Batch, q: Batch, aliases: _Aliases) -> None:
        self.p, self.q, self.aliases = p, q, aliases

    def logs(self, index: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ln of both, where sums from grid point `index` on are accused."""
        (log_p, off_p), (log_q, off_q) = self.p.scale(index, rows), self.q.scale(index, rows)
        more = self.p.read(index, rows)[:, 0] - self.p.error[rows, 0] - self.aliases.bound(self.p, index, rows)
        fewer = self.q.read(index, rows)[:, 0] + self.q.error[rows, 0]
        more, fewer = np.log(np.maximum(more, 0.0)), np.log(fewer)
        return more + log_p - off_p - 8 * U * (1 + np.abs(more)), fewer + log_q + off_q + 8 * U * (1 + np.abs(fewer))
