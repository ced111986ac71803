"""The Fourier engine: epsilon of many compositions of privacy loss laws, from tilted characteristic functions.

delta(x_j) of a composed lattice law is one sum over frequencies: powers of the characteristic functions times the
transform of the kernel (1 - exp(x_j - x))_+. Tilted to the saddle point no number in it is tiny, so delta = 1e-30 is as
accurate as 1e-6, and only frequencies at which the powers have not died out are read. Aliasing only adds; what is
dropped is bounded and added.

References
----------
Koskela, Jälkö and Honkela (2020), Computing Tight Differential Privacy Guarantees Using FFT.
Alghamdi et al. (2023), The Saddle-Point Method in Differential Privacy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.fft

from dpviz.privacy_loss.lattice import LARGEST_INDEX, Lattice

DENSE = 4  # a batch with more than one frequency in so many alive is inverted as a whole
EPS = 2.0**-52
CHUNK = 1 << 17  # complex numbers held at once by one batch
KEPT = 1 << 20  # complex numbers held for all laws of a group
UNBOUNDED = int(LARGEST_INDEX) + 1  # beyond every grid point that is read


@dataclass
class Spectrum:
    """The tilted characteristic functions of some lattice laws at `size` frequencies.

    Parameters
    ----------
    lattices : sequence of Lattice, all of one step
    tilt : float
        In (0, 30 / step].
    size : int
        Number of frequencies, even: the period of the aliasing is size * step.
    dead : float
        Logarithm of a frequency's share below which it is dropped, negative.
    """

    lattices: tuple[Lattice, ...]
    tilt: float
    size: int
    dead: float
    log_moments: np.ndarray = field(init=False)
    spreads: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.step = self.lattices[0].step
        self.roots = None
        self.kept = {}
        self.log_moments, self.spreads = np.array([self.moments(lattice) for lattice in self.lattices]).T
        self.log_kernel = log_kernel(self.tilt * self.step, self.step, self.size)

    def moments(self, lattice: Lattice) -> tuple[float, float]:
        """Return ln M and the relative spread of one law under the tilt."""
        exponents = lattice.log_masses + self.tilt * lattice.losses
        largest = exponents.max()
        total = np.exp(exponents - largest).sum()
        used = lattice.spread > 0
        spread = (
            np.exp(np.log(lattice.spread[used]) + (self.tilt * (lattice.losses[used] + self.step) - largest)).sum()
            / total
        )
        return largest + np.log(total), spread

    def transform(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Return law `index`'s tilted characteristic function at all frequencies, and ln of its modulus."""
        if index in self.kept:
            return self.kept[index]
        lattice = self.lattices[index]
        masses = np.exp(lattice.log_masses + self.tilt * lattice.losses - self.log_moments[index])
        folded = np.bincount((lattice.first + np.arange(len(masses))) % self.size, masses, self.size)
        values = scipy.fft.rfft(folded).conj()
        pair = values, np.log(np.maximum(values.real**2 + values.imag**2, 1e-300)) / 2
        if len(self.lattices) * len(values) <= KEPT:
            self.kept[index] = pair
        return pair

    def logs(self, index: int, alive: np.ndarray) -> np.ndarray:
        """Return the complex logarithm of law `index`'s characteristic function at some frequencies."""
        values, logs = self.transform(index)
        return logs[alive] + 1j * np.angle(values[alive])

    def spread_ratios(self, alive: np.ndarray) -> np.ndarray:
        """Return the transform of the variance added by splitting over the law's own transform, shape (laws, alive)."""
        ratios = np.zeros((len(self.lattices), len(alive)), dtype=complex)
        for index, lattice in enumerate(self.lattices):
            used = np.flatnonzero(lattice.spread)
            masses = np.exp(np.log(lattice.spread[used]) + self.tilt * lattice.losses[used] - self.log_moments[index])
            folded = np.bincount((lattice.first + used) % self.size, masses, self.size)
            ratios[index] = scipy.fft.rfft(folded).conj()[alive] * np.exp(-self.logs(index, alive))
        return ratios

    def phases(self, index: np.ndarray, alive: np.ndarray) -> np.ndarray:
        """Return exp(-i angle x) at grid points `index` and frequencies `alive`, shape (points, alive)."""
        turns = (index[:, None] % self.size * alive) % self.size
        if turns.size < self.size and self.roots is None:
            return np.exp(turns * (-2j * np.pi / self.size))
        if self.roots is None:
            self.roots = np.exp(np.arange(self.size) * (-2j * np.pi / self.size))
        return self.roots[turns]

    def strength(self, fewest: np.ndarray) -> np.ndarray:
        """Return ln of the largest modulus at each frequency, with the kernel, of at least `fewest` releases."""
        strength = self.log_kernel.copy()
        for index in np.flatnonzero(fewest):
            strength += fewest[index] * self.transform(index)[1]
        return strength

    def batch(self, counts: np.ndarray, strength: np.ndarray | None = None) -> Batch:
        """Return the part of the spectrum that `counts`, shape (points, laws), need."""
        strength = self.strength(counts.min(axis=0)) if strength is None else strength
        living = strength > strength.max() + self.dead
        dropped = 2 * np.exp(strength, where=~living, out=np.zeros(len(strength))).sum() / self.size
        alive = np.flatnonzero(living)
        logs = np.array([self.logs(index, alive) for index in range(len(self.lattices))])
        return Batch(self, counts, alive, np.exp(counts @ logs), dropped)


@dataclass
class Batch:
    """Compositions that share a spectrum, whose tilted profile can be read at any grid point."""

    spectrum: Spectrum
    counts: np.ndarray
    alive: np.ndarray
    powers: np.ndarray
    dropped: float

    def __post_init__(self) -> None:
        size = self.spectrum.size
        weights = np.where((self.alive == 0) | (self.alive == size // 2), 1.0, 2.0) / size
        step = self.spectrum.step
        self.weighted = kernels(self.spectrum.tilt * step, step, 2 * np.pi / size * self.alive) * weights
        reach = 16 * (1 + self.counts.sum(axis=1)) * EPS
        rounding = np.abs(self.powers) @ np.abs(self.weighted).T * reach[:, None]
        self.error = rounding + self.dropped * np.array([1.0, -2 / np.expm1(-step)])
        self.offset = self.counts @ self.spectrum.log_moments
        losses = [max(np.abs(lattice.losses[[0, -1]])) for lattice in self.spectrum.lattices]
        sizes = np.abs(self.spectrum.log_moments) + self.spectrum.tilt * np.array(losses)
        self.rounding = 2 * EPS * (self.counts @ sizes)
        self.tables = self.inverted() if len(self.alive) * DENSE > size else None

    def inverted(self, kinds: int = 2) -> np.ndarray:
        """Return the tilted D, and B if two `kinds` are wanted, at all grid points, shape (kinds, points, size)."""
        size = self.spectrum.size
        tables = np.empty((kinds, len(self.counts), size))
        for kind in range(kinds):
            full = np.zeros((len(self.counts), size // 2 + 1), dtype=complex)
            weights = np.where((self.alive == 0) | (self.alive == size // 2), 1.0, 2.0) / size
            full[:, self.alive] = (self.powers * (self.weighted[kind] / weights)).conj()
            tables[kind] = scipy.fft.irfft(full, size)
        return tables

    def read(self, index: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return an upper D and a lower B, both times exp(tilt x_j).

        Up to the next grid point, delta(x_j + u) = D - B exp(-step) expm1(u).
        """
        if self.tables is not None:
            values = self.tables[:, rows, index % self.spectrum.size].T
        else:
            block = max(1, CHUNK // len(self.alive))
            blocks = [slice(first, first + block) for first in range(0, len(index), block)]
            values = np.concatenate([self.summed(index[some], rows[some]) for some in blocks])
        return values[:, 0] + self.error[rows, 0], values[:, 1] - self.error[rows, 1]

    def summed(self, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the tilted D and B at some grid points, frequency by frequency."""
        terms = self.powers[rows] * self.spectrum.phases(index, self.alive)
        return (terms @ self.weighted.T).real

    def scale(self, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return ln of the factor from what `read` returns to delta, rounded up."""
        shift = self.spectrum.tilt * self.spectrum.step * index
        return self.offset[rows] - shift + self.rounding[rows] + 2 * EPS * (np.abs(self.offset[rows]) + np.abs(shift))

    def solve(self, log_targets: np.ndarray, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return epsilon at each ln delta, -d ln delta / d epsilon there, and the share that is rounding."""
        return Search(self, log_targets, guess).run()

    def widening(self, epsilon: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return what splitting losses added to `epsilon`, to first order: the density there of what was split."""
        step = self.spectrum.step
        index = whole(epsilon / step)
        phases = self.spectrum.phases(index, self.alive)
        ratios = self.counts[rows] @ self.spectrum.spread_ratios(self.alive)
        added = np.abs((self.powers[rows] * ratios * phases).sum(axis=1).real) * (2 / self.spectrum.size / step)
        lower = np.maximum(self.read(index, rows)[1] * np.exp(-step), 1e-300)
        return np.minimum(added, lower * 1e15) / lower


class Search:
    """Newton's method on ln delta over grid points, in a bracket; it ends in the linear piece with the answer."""

    def __init__(self, batch: Batch, log_targets: np.ndarray, guess: np.ndarray) -> None:
        self.batch, self.targets, self.step = batch, log_targets, batch.spectrum.step
        points = len(log_targets)
        self.index = whole(guess / self.step)
        self.low = np.full(points, -1, dtype=np.int64)  # ln delta is above the target here, or it is no answer
        self.high = np.full(points, UNBOUNDED)  # and not above it here
        self.epsilon = np.full(points, np.inf)
        self.slope = np.ones(points)
        self.noise = np.zeros(points)

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return epsilon, slope, and the share of delta that is only the allowance for rounding."""
        rows = np.arange(len(self.targets))
        for turn in range(150):
            rows = rows[~self.visit(rows, turn)]
            if not len(rows):
                break
        return self.epsilon, self.slope, self.noise

    def visit(self, rows: np.ndarray, turn: int) -> np.ndarray:
        """Read at the current grid points, store what is solved and move the others; return which are solved."""
        index, step = self.index[rows], self.step
        upper, lower = self.batch.read(index, rows)
        target = np.exp(np.minimum(self.targets[rows] - self.batch.scale(index, rows), 700.0))
        above = upper > target
        self.low[rows[above]] = index[above]
        self.high[rows[~above]] = index[~above]
        inside = above & (upper - target <= -np.expm1(-step) * lower)
        piece = along(np.where(inside, upper - target, 0.0) / np.where(inside, lower, 1.0), step)
        adjacent = self.high[rows] - self.low[rows] <= 1
        solved = inside | adjacent
        end = np.where(self.high[rows] < UNBOUNDED, self.high[rows] * step, np.inf)
        found = np.where(inside, index * step + piece, end)
        self.epsilon[rows[solved]] = found[solved]
        safe = np.maximum(upper, 1e-300)
        slope = np.maximum(lower * np.exp(-step), 1e-3 * safe) / safe
        self.slope[rows] = slope
        self.noise[rows] = self.batch.error[rows, 0] / safe
        with np.errstate(divide="ignore"):
            move = (np.log(safe) - np.log(np.maximum(target, 1e-300))) / (slope * step)
        self.index[rows] = self.moved(rows, index, move, turn > 8 and turn % 2)
        return solved

    def moved(self, rows: np.ndarray, index: np.ndarray, move: np.ndarray, halve: bool) -> np.ndarray:
        """Return the next grid points to read: Newton's, or the middle of the bracket."""
        low, high = self.low[rows], self.high[rows]
        after = whole(index + np.floor(move))
        after = np.where((high < UNBOUNDED) & halve, low + (high - low) // 2, after)
        return np.clip(after, low + 1, np.maximum(high - 1, low + 1))


def whole(index: np.ndarray) -> np.ndarray:
    """Return grid indices as whole numbers, inside the range in which a double can tell neighbours apart."""
    return np.fmin(np.fmax(np.floor(index), 0.0), LARGEST_INDEX).astype(np.int64)


def along(share: np.ndarray, step: float) -> np.ndarray:
    """Return u with exp(-step) expm1(u) = `share`, for shares in [0, 1)."""
    if step < 1:
        return np.log1p(share * np.exp(step))
    return step + np.log(np.maximum(share + np.exp(-step), 1e-300))


def log_kernel(tilt: float, step: float, size: int) -> np.ndarray:
    """Return ln of the modulus of the first of `kernels` at all frequencies."""
    sines = np.sin(np.pi / size * np.arange(size // 2 + 1)) ** 2
    ends = [np.log(np.expm1(-rate) ** 2 + 4 * np.exp(-rate) * sines) / 2 for rate in (tilt, tilt + step)]
    return np.log(-np.expm1(-step)) - tilt - ends[0] - ends[1]


def kernels(tilt: float, step: float, angles: np.ndarray) -> np.ndarray:
    """Return the transforms of exp(-tilt m) (1 - exp(-step m)) and exp(-tilt m) exp(-step (m - 1)) over m >= 1."""
    z = np.exp(-tilt - 1j * angles)
    one_minus_z = -np.expm1(-tilt) + np.exp(-tilt) * (2 * np.sin(angles / 2) ** 2 + 1j * np.sin(angles))
    one_minus_zw = -np.expm1(-tilt - step) + np.exp(-tilt - step) * (2 * np.sin(angles / 2) ** 2 + 1j * np.sin(angles))
    return np.array([z * -np.expm1(-step) / (one_minus_z * one_minus_zw), z / one_minus_zw])
