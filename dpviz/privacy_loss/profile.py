"""The privacy profile of one composition in one direction: delta at any epsilon >= 0.

A closed form where there is one; else tables of the Fourier engine, one per band of tilts, kept between reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.fft

from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta, gaussian_delta_floor
from dpviz.mechanisms.laws.loss_laws import (
    LOWEST_LOG,
    BoundedRangeLaw,
    GaussianLaw,
    Law,
    ResponseLaw,
    U,
    attained,
    sure,
)
from dpviz.privacy_loss.below import delta_below
from dpviz.privacy_loss.estimates.grid import STEEPEST, grids, saddle_points
from dpviz.privacy_loss.estimates.saddle import Tilted, cumulants_of, tilted
from dpviz.privacy_loss.inversion import whole
from dpviz.privacy_loss.lattice import LARGEST_INDEX, raised, widened
from dpviz.privacy_loss.limits import (
    GAUSSIAN_SUM,
    delta_ceiling,
    delta_floor,
    epsilon_ceiling,
    gaussian_part,
    largest_atoms,
    leaks,
    log_kept,
    one_sided,
    reach,
    summed_up,
    total,
    vast,
    weighted,
)
from dpviz.privacy_loss.responses import response_delta, response_delta_floor
from dpviz.privacy_loss.spectrum import Spectrum

ROUND_UP = 1 + 1e-13
CLOSED = 1e-12  # more than a closed form of one release in elementary functions ever errs, of 1
LOWEST_READ = LOWEST_LOG + 60  # below this logarithm of delta the steepest band answers, with its allowance
PERIOD, LATTICE = 1 << 17, 1 << 16  # grid points of a table, and of one law on it: a read is to be quick
SETTLED = 1e-9  # relative: where what is surely lost and what suffices differ less, no table is read
SMALLEST = 1e-300  # below the largest loss delta is never 0, however small
NARROW = -150.0  # below this logarithm of delta each column of tilts has its own table
HELD = 1 << 21  # doubles held by the tables of one profile


@dataclass(frozen=True)
class Band:
    """An upper bound on delta: at grid points x, exp(offset - tilt x) times `values`, which repeat, plus `cut`.

    Its losses may have been moved down by `lowered` in all, so that it is read that much to the left.
    """

    step: float
    tilt: float
    offset: float
    cut: float
    lowered: float
    values: np.ndarray = field(repr=False)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta by the line, in exp(epsilon), between the grid points on both sides."""
        epsilon = epsilon * (1 - 2e-15) - self.lowered  # delta falls: rounded to the safe side, by no more than that
        below = np.maximum(-epsilon, 0.0)
        epsilon = np.clip(epsilon, 0.0, LARGEST_INDEX * self.step)
        index = whole(epsilon / self.step)
        left, right = (self.at(index + shift) for shift in (0, 1))
        beyond = np.clip(epsilon - index * self.step, 0.0, self.step)
        short = self.step - beyond
        share = np.exp(-short) * np.expm1(-beyond) / np.expm1(-self.step)
        return left * (np.expm1(-short) / np.expm1(-self.step)) + np.minimum(share, 1.0) * right + self.cut + below

    def at(self, index: np.ndarray) -> np.ndarray:
        """Return delta at grid points."""
        values = self.values[index % len(self.values)]
        shift = self.tilt * self.step * index
        rounding = 1e-15 * (abs(self.offset) + shift)
        return np.minimum(values * np.exp(np.minimum(self.offset - shift + rounding, 700.0)), 1.0)


class Profile:
    """delta(epsilon) of `counts` releases of each law, from a closed form or from tables of the Fourier engine.

    The laws are distinct, of one direction and within the engine's reach; `accuracy` is the wanted relative excess of
    the epsilon that belongs to a delta.
    """

    laws: Sequence[Law]
    counts: np.ndarray
    accuracy: float
    leak: float
    top: float

    def __init__(self, laws: Sequence[Law], counts: np.ndarray, accuracy: float) -> None:
        self.laws, self.counts, self.accuracy = laws, counts, accuracy
        self.leak, self.top = float(leaks(laws, counts)), float(total(counts, [law.top for law in laws]))
        self.bands: dict[int, Band] = {}

    @cached_property
    def table(self) -> Tilted:
        """The cumulants of the composed loss at many tilts."""
        return tilted(self.laws, self.counts[None, :], LOWEST_LOG)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,), numbers >= 0, or NaN where doubles do not reach."""
        if not self.laws:
            return np.zeros(len(epsilon))
        if all(isinstance(law, GaussianLaw) for law in self.laws):
            return gaussian_delta(epsilon, gaussian_part(self.laws, self.counts) * (1 + GAUSSIAN_SUM))
        if len(self.laws) == 1 and isinstance(self.laws[0], ResponseLaw):
            return response_delta(self.laws[0], int(self.counts[0]), epsilon)
        finite, inside = np.zeros(len(epsilon)), np.flatnonzero(epsilon < self.top)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if len(inside):
                found = np.minimum(self.banded(epsilon[inside]), self.chords(epsilon[inside]))
                finite[inside] = np.maximum(found, SMALLEST)
        return np.minimum((self.leak + np.minimum(finite, 1.0)) * ROUND_UP, 1.0)

    def delta_below(self, epsilon: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return what delta is at least, at each of `epsilon`, numbers >= 0; tests are sought near `places`."""
        if not self.laws:
            return np.zeros(len(epsilon))
        if all(isinstance(law, GaussianLaw) for law in self.laws):
            return gaussian_delta_floor(epsilon, gaussian_part(self.laws, self.counts) * (1 - GAUSSIAN_SUM))
        if len(self.laws) == 1 and isinstance(self.laws[0], ResponseLaw):
            return response_delta_floor(self.laws[0], int(self.counts[0]), epsilon)
        leak, counts = self.leak * (1 - CLOSED), np.tile(self.counts, (len(epsilon), 1))
        estimates = np.log(np.clip(self.delta(places) - self.leak, 1e-290, 1 - 1e-9))
        return leak + delta_below(self.laws, counts, epsilon, estimates, self.accuracy) * (1 - CLOSED)

    def banded(self, epsilon: np.ndarray) -> np.ndarray:
        """Return the part of delta that finite losses have, each epsilon from the band of its tilt."""
        starts, columns = self.columns
        column = columns[np.searchsorted(starts, epsilon, "right") - 1]
        result = np.empty(len(epsilon))
        for number in np.unique(column):
            rows = column == number
            result[rows] = self.band(int(number)).delta(epsilon[rows])
        return result

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of which column of tilts serves epsilon best from each of some starts on; the first start is 0."""
        starts = np.unique(np.append(0.0, np.maximum(self.table.epsilon[0], 0.0)))
        column, _ = saddle_points(self.table.of(np.zeros(len(starts), dtype=int)), starts)
        fine = self.table.log_delta[0, column] < NARROW
        return starts, np.minimum(np.where(fine, column, column // 2 * 2), self.last)

    @cached_property
    def last(self) -> int:
        """The column of the steepest tilt at which more than one atom of the loss has weight and delta is a number."""
        varying = self.table.variance[0] * self.table.tilts**2
        useful = (varying >= min(0.5, varying.max() / 2)) & (self.table.log_delta[0] > LOWEST_READ)
        return len(useful) - 1 - int(np.argmax(useful[::-1])) if useful.any() else 0

    def chords(self, epsilon: np.ndarray) -> np.ndarray:
        """Return bounds near the largest loss: lines in exp(epsilon) from points below it to no delta there."""
        if not np.isfinite(self.top) or epsilon.max() < self.knots[0]:
            return np.full(len(epsilon), np.inf)
        place = np.searchsorted(self.knots, epsilon, "right") - 1
        return np.where(place >= 0, self.heights[place] * -np.expm1(epsilon - self.top) * ROUND_UP, np.inf)

    @cached_property
    def knots(self) -> np.ndarray:
        """Points that draw near the largest loss."""
        width = min(self.top, max(8 / self.table.tilts[self.last], 1e-6 * self.top))
        knots = self.top - width * 2.0 ** -np.arange(0, 36)
        return np.unique(knots[self.top - knots > 1e-12 * self.top])

    @cached_property
    def heights(self) -> np.ndarray:
        """The least height of the lines from the knots so far, by the steepest table."""
        return np.minimum.accumulate(self.band(self.last).delta(self.knots) / -np.expm1(self.knots - self.top))

    def band(self, number: int) -> Band:
        """Return the table for the tilts from one column of `table` on."""
        if number not in self.bands:
            while self.bands and sum(len(band.values) for band in self.bands.values()) > HELD:
                self.bands.pop(next(iter(self.bands)))
            self.bands[number] = self.built(number)
        return self.bands[number]

    def built(self, number: int) -> Band:
        """Return a new table whose period and step serve every epsilon of the band."""
        middle, step, period, log_floor = self.grid(number)
        margin = np.log(self.accuracy) - 9 - np.log(self.counts.sum())
        lowest = [(cumulants_of(law, np.array([middle]), log_floor)[0, 0] + margin) / middle for law in self.laws]
        step = widened(self.laws, max(step, period / PERIOD), log_floor, lowest, LATTICE)
        tilt = min(middle, STEEPEST / step)
        size = int(np.clip(np.ceil(middle / tilt * period / step / 2), 8, PERIOD // 2))
        size = 2 * scipy.fft.next_fast_len(size, real=True)
        pairs = zip(self.laws, lowest, strict=True)
        lattices = tuple(raised(law, step, log_floor, low) for law, low in pairs)
        ((_, batch),) = Spectrum(lattices, tilt, size, np.log(self.accuracy) - 26).batches(self.counts[None, :])
        values = np.maximum(batch.inverted(kinds=1)[0, 0] + batch.error[0, 0], 0.0)
        cut = float(total(self.counts, [lattice.cut for lattice in lattices]))
        lowered = float(total(self.counts, [lattice.lowered for lattice in lattices]))
        return Band(step, tilt, float(batch.offset[0] + batch.rounding[0]), cut, lowered, values)

    def grid(self, number: int) -> tuple[float, float, float, float]:
        """Return tilt, step and period of a band, and the logarithm of the tails that may be cut."""
        columns = np.minimum(number + np.arange(3), len(self.table.tilts) - 1)
        deviation, logs = float(np.sqrt(self.table.variance[0, 0])), self.table.log_delta[0, columns]
        columns = np.where(logs < 1.4 * logs[0] - 10, number, columns)  # beyond a leap of the tilted law
        ends = np.clip(self.table.epsilon[0, columns], min(0.5 * deviation, self.top), self.top)
        targets = np.clip(self.table.log_delta[0, columns] - 7, LOWEST_READ, -1e-3)  # the estimates may be far off
        ends, targets = np.append(ends, ends[0]), np.append(targets, min(targets[0] + 14, -1e-3))
        rows, low = np.zeros(len(ends), dtype=int), bool(ends[0] <= deviation)
        counts = np.tile(self.counts, (len(ends), 1))
        grid = grids(self.laws, counts, self.table.of(rows), targets, ends, low, self.accuracy)
        log_floor = max(targets.min() + np.log(self.accuracy) - 9 - np.log(self.counts.sum()), LOWEST_LOG)
        wanted = float(self.table.tilts[number])
        tilt = min(wanted, 1.5 * float(grid.tilts.max()))
        period = float(grid.periods.max()) * max(1.0, float(grid.tilts.min()) / tilt)
        return tilt, float(grid.steps.min()), period, log_floor


class Composition:
    """delta(epsilon) of `counts` releases of each law, rounded up, and never below what is surely lost.

    The laws are distinct and of one direction; `accuracy` is as for `Profile`.
    """

    laws: Sequence[Law]
    counts: np.ndarray
    paid: float
    solvable: bool
    leak: float
    top: float
    apart: float
    profile: Profile
    vast: bool

    def __init__(self, laws: Sequence[Law], counts: np.ndarray, accuracy: float) -> None:
        used = np.flatnonzero(counts)
        self.laws, self.counts = [laws[index] for index in used], np.asarray(counts)[used]
        inner, within, paid, solvable = reach(self.laws, self.counts[None, :])
        self.paid, self.solvable = float(paid[0]), bool(solvable[0])
        self.leak = float(leaks(self.laws, self.counts))
        self.top = float(total(self.counts, [law.top for law in self.laws]))
        self.apart = float(-np.expm1(weighted(self.counts, np.where(within, 0.0, log_kept(self.laws)))))
        self.profile, self.vast = Profile(inner, self.counts[within], accuracy), bool(vast(self.laws, self.counts))

    @cached_property
    def sure(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The largest losses and their masses, and μ of the noise beside them where losses are vast."""
        tops, masses = largest_atoms(self.laws, self.counts[None, :])
        return tops[0], masses[0], float(gaussian_part(self.laws, self.counts)) if self.vast else 0.0

    def kinks(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the atoms on both sides of each epsilon; epsilon itself where none are known."""
        return kinks(self.laws[0], int(self.counts[0]), epsilon) if len(self.laws) == 1 else (epsilon, epsilon)

    def farthest(self, log_target: float) -> float:
        """Return about the smallest epsilon above which finite losses have mass exp(log_target)."""
        if not self.solvable:
            return min(self.top, float(epsilon_ceiling(self.laws, self.counts[None, :], np.array([log_target]))[0]))
        inner = self.profile.table.chernoff(log_target) if self.profile.laws else 0.0
        return min(self.top, self.paid + inner)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,), numbers >= 0."""
        floor = (self.leak + delta_floor(*self.sure, epsilon)) / ROUND_UP
        answer, rows = np.ones(len(epsilon)), np.arange(len(epsilon))
        if self.vast or not self.solvable:
            answer = self.ceiling(epsilon)
            rows = np.flatnonzero(answer * (1 - SETTLED) > floor) if self.solvable else rows[:0]
        found = self.searched(epsilon[rows])
        answer[rows] = np.fmin(found, answer[rows])
        doubtful = rows[~(found >= floor[rows])]
        if len(doubtful):
            answer[doubtful] = self.ceiling(epsilon[doubtful])
        return answer

    def ceiling(self, epsilon: np.ndarray) -> np.ndarray:
        """Return a bound on delta without any search."""
        finite = np.where(epsilon < self.top, delta_ceiling(self.laws, self.counts, epsilon), 0.0)
        return np.minimum((self.leak + finite) * ROUND_UP, 1.0)

    def searched(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta as the closed form or the engine knows it, with what is paid apart."""
        within = self.profile.delta(np.maximum(epsilon * (1 - 4 * U) - self.paid * (1 + 4 * U), 0.0))
        if self.paid:
            within = np.minimum(within - np.expm1(np.minimum(epsilon - self.paid, 0.0)), 1.0)
        return within if self.apart == 0 else (self.apart + (1 - self.apart) * within) * ROUND_UP


    @cached_property
    def surely(self) -> Composition:
        """The composition on which lower ends rest: without laws that only stand in for others."""
        own = [sure(law) for law in self.laws]
        if own == self.laws:
            return self
        kept = [index for index, law in enumerate(own) if law is not None]
        return Composition([own[index] for index in kept], self.counts[kept], self.profile.accuracy)

    def delta_below(self, epsilon: np.ndarray) -> np.ndarray:
        """Return what delta is at least, at each of `epsilon`, shape (points,): leaks, and what a test achieves."""
        if self.surely is not self:
            return self.surely.delta_below(epsilon)
        found = self.profile.delta_below(epsilon, np.maximum(epsilon - self.paid, 0.0))
        if not one_sided(self.laws).any():
            found = (self.apart + (1 - self.apart) * found) * (1 - CLOSED)
        return np.maximum(found, (self.leak + delta_floor(*self.sure, epsilon)) * (1 - CLOSED))


class SingleUse(Composition):
    """One release in one direction: the mechanism's own profile, `closed`, which rounds up at any epsilon >= 0."""

    def __init__(self, laws: Sequence[Law], counts: np.ndarray, accuracy: float, closed: Callable) -> None:
        super().__init__(laws, counts, accuracy)
        self.closed = closed

    def farthest(self, log_target: float) -> float:
        """Return the end of a range without an atom there, where nodes tell too little; else as of many."""
        return self.top if isinstance(self.laws[0], BoundedRangeLaw) else super().farthest(log_target)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,)."""
        return np.asarray(self.closed(epsilon))

    def delta_below(self, epsilon: np.ndarray) -> np.ndarray:
        """Return what delta is at least; a closed form in elementary functions is right to `CLOSED`."""
        elementary = np.isfinite(self.top) and not any(summed_up(law) for law in self.laws)
        closed = self.delta(epsilon) - CLOSED if elementary and all(map(attained, self.laws)) else 0.0
        return np.maximum(super().delta_below(epsilon), closed)


def kinks(law: Law, count: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the atoms on both sides of each epsilon; epsilon itself where they are unknown or too many."""
    if isinstance(law, ResponseLaw) and law.epsilon > 0:
        with np.errstate(over="ignore"):
            steps = np.minimum((count * law.epsilon - epsilon) / (2 * law.epsilon), count)
        return tuple(
            np.maximum(count * law.epsilon - 2 * law.epsilon * np.maximum(side(steps), 0.0), 0.0)
            for side in (np.ceil, np.floor)
        )
    ends = np.array([0.0, *(loss for loss in law.true_losses() if count == 1 and loss > 0)])
    near = ends[np.abs(ends - epsilon[..., None]).argmin(axis=-1)]
    return near, near
