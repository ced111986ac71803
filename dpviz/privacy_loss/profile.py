"""The privacy profile of one composition in one direction: delta at any epsilon >= 0.

A closed form where there is one; else tables of the Fourier engine, one per band of tilts, kept between reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta, gaussian_delta_floor
from dpviz.mechanisms.laws.loss_laws import (
    LOWEST_LOG,
    BoundedRangeLaw,
    GaussianLaw,
    Law,
    ResponseLaw,
    attained,
)
from dpviz.outward import ELEMENTARY, lowered, raised, roundings, slack
from dpviz.privacy_loss.below import lower_deltas
from dpviz.privacy_loss.estimates.grid import STEEPEST, grids, saddle_points
from dpviz.privacy_loss.estimates.saddle import Tilted, tilted
from dpviz.privacy_loss.lattice import LARGEST_INDEX
from dpviz.privacy_loss.limits import (
    CLOSED,
    gaussian_part,
    in_doubles,
    largest_atoms,
    leaks,
    log_kept,
    lower_delta_limit,
    lower_mu,
    one_sided,
    own_laws,
    reach,
    summed_up,
    upper_delta_limit,
    upper_epsilon_limit,
    upper_mu,
    upper_sum,
    vast,
    weighted,
)
from dpviz.privacy_loss.responses import lower_response_delta, upper_response_delta
from dpviz.privacy_loss.shared_grid import fitted, frequencies, left_out, log_floor_of, whole
from dpviz.privacy_loss.spectrum import Spectrum

_SUMS = roundings(1e-13)  # of leaks and what is paid apart, as of `limits`
_LOWEST_READ = LOWEST_LOG + 60  # below this logarithm of delta the steepest band answers, with its allowance
_PERIOD, _LATTICE = 1 << 17, 1 << 16  # grid points of a table, and of one law on it: a read is to be quick
_SETTLED = 1e-9  # relative: where what is surely lost and what suffices differ less, no table is read
_LEAST = 1e-300  # below the largest loss delta is never 0, however small
_NARROW = -150.0  # below this logarithm of delta each column of tilts has its own table
_HELD = 1 << 21  # doubles held by the tables of one profile


@dataclass(frozen=True)
class _Band:
    """An upper bound on delta: at grid points x, exp(offset - tilt x) times `values`, which repeat, plus `cut`.

    Its losses may have been moved down by `lowered` in all, so that it is read that much to the left.
    """

    step: float
    tilt: float
    offset: float
    cut: float
    lowered: float
    values: np.ndarray = field(repr=False)

    def upper_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta by the line, in exp(epsilon), between the grid points on both sides."""
        epsilon = lowered(epsilon, 16) - self.lowered  # delta falls: rounded to the safe side, by no more than that
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
        rounding = slack(ELEMENTARY) * (abs(self.offset) + shift)
        return np.minimum(values * np.exp(np.minimum(self.offset - shift + rounding, 700.0)), 1.0)


class _Profile:
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
        self.leak, self.top = float(leaks(laws, counts)), float(upper_sum(counts, [law.top for law in laws]))
        self.bands: dict[int, _Band] = {}

    @cached_property
    def table(self) -> Tilted:
        """The cumulants of the composed loss at many tilts."""
        return tilted(self.laws, self.counts[None, :], LOWEST_LOG)

    def upper_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,), numbers >= 0, or NaN where doubles do not reach."""
        if not self.laws:
            return np.zeros(len(epsilon))
        if all(isinstance(law, GaussianLaw) for law in self.laws):
            return gaussian_delta(epsilon, upper_mu(self.laws, self.counts))
        if len(self.laws) == 1 and isinstance(self.laws[0], ResponseLaw):
            return upper_response_delta(self.laws[0], int(self.counts[0]), epsilon)
        finite, inside = np.zeros(len(epsilon)), np.flatnonzero(epsilon < self.top)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if len(inside):
                found = np.minimum(self.banded(epsilon[inside]), self.chords(epsilon[inside]))
                finite[inside] = np.maximum(found, _LEAST)
        return np.minimum(raised(self.leak + np.minimum(finite, 1.0), _SUMS), 1.0)

    def lower_delta(self, epsilon: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return what delta is at least, at each of `epsilon`, numbers >= 0; tests are sought near `places`."""
        if not self.laws:
            return np.zeros(len(epsilon))
        if all(isinstance(law, GaussianLaw) for law in self.laws):
            return gaussian_delta_floor(epsilon, lower_mu(self.laws, self.counts))
        if len(self.laws) == 1 and isinstance(self.laws[0], ResponseLaw):
            return lower_response_delta(self.laws[0], int(self.counts[0]), epsilon)
        leak, counts = self.leak * (1 - CLOSED), np.tile(self.counts, (len(epsilon), 1))
        estimates = np.log(np.clip(self.upper_delta(places) - self.leak, 1e-290, 1 - 1e-9))
        return leak + lower_deltas(self.laws, counts, epsilon, estimates, self.accuracy) * (1 - CLOSED)

    def banded(self, epsilon: np.ndarray) -> np.ndarray:
        """Return the part of delta that finite losses have, each epsilon from the band of its tilt."""
        starts, columns = self.columns
        column = columns[np.searchsorted(starts, epsilon, "right") - 1]
        result = np.empty(len(epsilon))
        for number in np.unique(column):
            rows = column == number
            result[rows] = self.band(int(number)).upper_delta(epsilon[rows])
        return result

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of which column of tilts serves epsilon best from each of some starts on; the first start is 0."""
        starts = np.unique(np.append(0.0, np.maximum(self.table.epsilon[0], 0.0)))
        column, _ = saddle_points(self.table.of(np.zeros(len(starts), dtype=int)), starts)
        fine = self.table.log_delta[0, column] < _NARROW
        return starts, np.minimum(np.where(fine, column, column // 2 * 2), self.last)

    @cached_property
    def last(self) -> int:
        """The column of the steepest tilt at which more than one atom of the loss has weight and delta is a number."""
        varying = self.table.variance[0] * self.table.tilts**2
        useful = (varying >= min(0.5, varying.max() / 2)) & (self.table.log_delta[0] > _LOWEST_READ)
        return len(useful) - 1 - int(np.argmax(useful[::-1])) if useful.any() else 0

    def chords(self, epsilon: np.ndarray) -> np.ndarray:
        """Return bounds near the largest loss: lines in exp(epsilon) from points below it to no delta there."""
        if not np.isfinite(self.top) or epsilon.max() < self.knots[0]:
            return np.full(len(epsilon), np.inf)
        place = np.searchsorted(self.knots, epsilon, "right") - 1
        return np.where(place >= 0, raised(self.heights[place] * -np.expm1(epsilon - self.top), _SUMS), np.inf)

    @cached_property
    def knots(self) -> np.ndarray:
        """Points that draw near the largest loss."""
        width = min(self.top, max(8 / self.table.tilts[self.last], 1e-6 * self.top))
        knots = self.top - width * 2.0 ** -np.arange(0, 36)
        return np.unique(knots[self.top - knots > 1e-12 * self.top])

    @cached_property
    def heights(self) -> np.ndarray:
        """The least height of the lines from the knots so far, by the steepest table."""
        heights = self.band(self.last).upper_delta(self.knots) / -np.expm1(self.knots - self.top)
        return np.minimum.accumulate(heights)

    def band(self, number: int) -> _Band:
        """Return the table for the tilts from one column of `table` on."""
        if number not in self.bands:
            while self.bands and sum(len(band.values) for band in self.bands.values()) > _HELD:
                self.bands.pop(next(iter(self.bands)))
            self.bands[number] = self.built(number)
        return self.bands[number]

    def built(self, number: int) -> _Band:
        """Return a new table whose period and step serve every epsilon of the band."""
        middle, step, period, log_floor = self.grid(number)
        step, uses = max(step, period / _PERIOD), self.counts.sum()
        fit = fitted(self.laws, step, middle, uses, log_floor, self.accuracy, _LATTICE)
        tilt, lattices = min(middle, STEEPEST / fit.step), fit.upper()
        size = frequencies(middle / tilt * period / fit.step, _PERIOD)
        ((_, batch),) = Spectrum(lattices, tilt, size, np.log(self.accuracy) - 26).batches(self.counts[None, :])
        values = np.maximum(batch.inverted(kinds=1)[0, 0] + batch.error[0, 0], 0.0)
        cut, moved = map(float, left_out(lattices, self.counts))
        return _Band(fit.step, tilt, float(batch.offset[0] + batch.rounding[0]), cut, moved, values)

    def grid(self, number: int) -> tuple[float, float, float, float]:
        """Return tilt, step and period of a band, and the logarithm of the tails that may be cut."""
        columns = np.minimum(number + np.arange(3), len(self.table.tilts) - 1)
        deviation, logs = float(np.sqrt(self.table.variance[0, 0])), self.table.log_delta[0, columns]
        columns = np.where(logs < 1.4 * logs[0] - 10, number, columns)  # beyond a leap of the tilted law
        ends = np.clip(self.table.epsilon[0, columns], min(0.5 * deviation, self.top), self.top)
        targets = np.clip(self.table.log_delta[0, columns] - 7, _LOWEST_READ, -1e-3)  # the estimates may be far off
        ends, targets = np.append(ends, ends[0]), np.append(targets, min(targets[0] + 14, -1e-3))
        rows, low = np.zeros(len(ends), dtype=int), bool(ends[0] <= deviation)
        counts = np.tile(self.counts, (len(ends), 1))
        grid = grids(self.laws, counts, self.table.of(rows), targets, ends, low, self.accuracy)
        log_floor = max(log_floor_of(counts, targets, self.accuracy), LOWEST_LOG)
        wanted = float(self.table.tilts[number])
        tilt = min(wanted, 1.5 * float(grid.tilts.max()))
        period = float(grid.periods.max()) * max(1.0, float(grid.tilts.min()) / tilt)
        return tilt, float(grid.steps.min()), period, log_floor


class Composition:
    """delta(epsilon) of `counts` releases of each law, rounded up, and never below what is surely lost.

    The laws are distinct and of one direction; `accuracy` is as for `_Profile`.
    """

    laws: Sequence[Law]
    counts: np.ndarray
    paid: float
    solvable: bool
    leak: float
    top: float
    apart: float
    profile: _Profile
    vast: bool

    def __init__(self, laws: Sequence[Law], counts: np.ndarray, accuracy: float) -> None:
        used = np.flatnonzero(counts)
        self.laws, self.counts = [laws[index] for index in used], np.asarray(counts)[used]
        inner, within, paid, solvable = reach(self.laws, self.counts[None, :])
        self.paid, self.solvable = float(paid[0]), bool(solvable[0])
        self.leak = float(leaks(self.laws, self.counts))
        self.top = float(upper_sum(self.counts, [law.top for law in self.laws]))
        self.apart = float(-np.expm1(weighted(self.counts, np.where(within, 0.0, log_kept(self.laws)))))
        self.profile, self.vast = _Profile(inner, self.counts[within], accuracy), bool(vast(self.laws, self.counts))

    @cached_property
    def sure(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The largest losses and their masses, and μ of the noise beside them where losses are vast."""
        tops, masses = largest_atoms(self.laws, self.counts[None, :])
        return tops[0], masses[0], float(gaussian_part(self.laws, self.counts)) if self.vast else 0.0

    def kinks(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the atoms on both sides of each epsilon; epsilon itself where none are known."""
        return _kinks(self.laws[0], int(self.counts[0]), epsilon) if len(self.laws) == 1 else (epsilon, epsilon)

    @cached_property
    def heavier(self) -> Composition:
        """The composition on which upper ends rest, whose noise is nowhere too faint for doubles."""
        laws = in_doubles(self.laws)
        return self if laws == self.laws else Composition(laws, self.counts, self.profile.accuracy)

    def farthest(self, log_target: float) -> float:
        """Return about the smallest epsilon above which finite losses have mass exp(log_target)."""
        if self.heavier is not self:
            return self.heavier.farthest(log_target)
        if not self.solvable:
            return min(self.top, float(upper_epsilon_limit(self.laws, self.counts[None, :], np.array([log_target]))[0]))
        inner = self.profile.table.chernoff(log_target) if self.profile.laws else 0.0
        return min(self.top, self.paid + inner)

    def upper_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,), numbers >= 0."""
        if self.heavier is not self:
            return self.heavier.upper_delta(epsilon)
        floor = lowered(self.leak + lower_delta_limit(*self.sure, epsilon), _SUMS)
        answer, rows = np.ones(len(epsilon)), np.arange(len(epsilon))
        if self.vast or not self.solvable:
            answer = self.ceiling(epsilon)
            rows = np.flatnonzero(answer * (1 - _SETTLED) > floor) if self.solvable else rows[:0]
        found = self.searched(epsilon[rows])
        answer[rows] = np.fmin(found, answer[rows])
        doubtful = rows[~(found >= floor[rows])]
        if len(doubtful):
            answer[doubtful] = self.ceiling(epsilon[doubtful])
        return answer

    def ceiling(self, epsilon: np.ndarray) -> np.ndarray:
        """Return a bound on delta without any search."""
        finite = np.where(epsilon < self.top, upper_delta_limit(self.laws, self.counts, epsilon), 0.0)
        return np.minimum(raised(self.leak + finite, _SUMS), 1.0)

    def searched(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta as the closed form or the engine knows it, with what is paid apart."""
        within = self.profile.upper_delta(np.maximum(lowered(epsilon, 2) - raised(self.paid, 2), 0.0))
        if self.paid:
            within = np.minimum(within - np.expm1(np.minimum(epsilon - self.paid, 0.0)), 1.0)
        return within if self.apart == 0 else raised(self.apart + (1 - self.apart) * within, _SUMS)


    @cached_property
    def surely(self) -> Composition:
        """The composition on which lower ends rest: without laws that only stand in for others."""
        own, counts = own_laws(self.laws, self.counts)
        return self if own == self.laws else Composition(own, counts, self.profile.accuracy)

    def lower_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return what delta is at least, at each of `epsilon`, shape (points,): leaks, and what a test achieves."""
        if self.surely is not self:
            return self.surely.lower_delta(epsilon)
        found = self.profile.lower_delta(epsilon, np.maximum(epsilon - self.paid, 0.0))
        if not one_sided(self.laws).any():
            found = (self.apart + (1 - self.apart) * found) * (1 - CLOSED)
        return np.maximum(found, (self.leak + lower_delta_limit(*self.sure, epsilon)) * (1 - CLOSED))


class SingleUse(Composition):
    """One release in one direction: the mechanism's own profile, `closed`, which rounds up at any epsilon >= 0."""

    def __init__(self, laws: Sequence[Law], counts: np.ndarray, accuracy: float, closed: Callable) -> None:
        super().__init__(laws, counts, accuracy)
        self.closed = closed

    def farthest(self, log_target: float) -> float:
        """Return the end of a range without an atom there, where nodes tell too little; else as of many."""
        return self.top if isinstance(self.laws[0], BoundedRangeLaw) else super().farthest(log_target)

    def upper_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return delta at each of `epsilon`, shape (points,)."""
        return np.asarray(self.closed(epsilon))

    def lower_delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return what delta is at least; a closed form in elementary functions is right to `CLOSED`."""
        elementary = np.isfinite(self.top) and not any(summed_up(law) for law in self.laws)
        closed = self.upper_delta(epsilon) - CLOSED if elementary and all(map(attained, self.laws)) else 0.0
        return np.maximum(super().lower_delta(epsilon), closed)


def _kinks(law: Law, count: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
