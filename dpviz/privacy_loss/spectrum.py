"""Powers of tilted characteristic functions, with every error of doubles bounded: sections 4 to 6 of docs/engine.md.

The composed measure of some lattices, weighed by a kernel, is one sum over frequencies. Tilted to the saddle point no
number in it is tiny, so delta = 1e-30 is as accurate as 1e-6, and only frequencies at which the powers have not died
out are read. Aliasing only adds. Everything else that may be off is in `Batch.error` and `Batch.scale`.

References
----------
Koskela, Jälkö and Honkela (2020), Computing Tight Differential Privacy Guarantees Using FFT.
Alghamdi et al. (2023), The Saddle-Point Method in Differential Privacy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.fft

from dpviz.outward import U
from dpviz.privacy_loss.lattice import Lattice
from dpviz.privacy_loss.sparse import MOST_ATOMS, Atoms, Heard, heard, room

_DENSE = 4  # a batch with more than one frequency in so many alive is inverted as a whole
_CHUNK = 1 << 17  # complex numbers held at once by one batch
_KEPT = 1 << 20  # complex numbers held for all laws of a group
_TOGETHER = 32  # points of one batch, at most
FFT_ERROR = 8 * U  # engine.md 5, "FFT" and "sum": per doubling of the length, of the sum of moduli
TERM_ERROR = 160 * U  # engine.md 5, "terms": of one of the sum


@dataclass
class Spectrum:
    """The tilted characteristic functions of some lattices at `size` frequencies.

    Parameters
    ----------
    lattices : sequence of Lattice, all of one step
    tilt : float
        In (0, 31 / step].
    size : int
        Number of frequencies, even: the period of the aliasing is size * step.
    dead : float
        Logarithm of a frequency's share below which it is dropped, negative.
    tail : bool
        Whether tails of the measure are wanted, or, without it, its profile: see `_kernels`.
    """

    lattices: tuple[Lattice, ...]
    tilt: float
    size: int
    dead: float
    tail: bool = False
    log_moments: np.ndarray = field(init=False)
    errors: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.step = self.lattices[0].step
        self.roots = None
        self.kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.atoms: dict[int, Atoms] = {}
        self.log_moduli: dict[int, np.ndarray] = {}
        self.log_moments, self.errors = np.array([self.weighed(lattice) for lattice in self.lattices]).T
        self.room = room(self.lattices, self.size)
        self.dropped_factors = _dropped_factors(self.step, self.tail)

    def log_kernel(self, frequencies: np.ndarray) -> np.ndarray:
        """Return ln of the modulus of the kernel at some frequencies, which falls, rounded up."""
        angles = 2 * np.pi / self.size * frequencies
        return _log_kernel(self.tilt * self.step, self.step, angles, self.tail) + 1e-12

    def weighed(self, lattice: Lattice) -> tuple[float, float]:
        """Return ln of the moment by which one law is divided, and by how much its transform may be off.

        Any number near the moment will do; the error is that of the tilted masses, of their folding, and of the FFT.
        """
        sizes = self.tilt * lattice.losses
        masses = lattice.log_masses + sizes
        largest = masses.max()
        log_moment = float(largest + np.log(np.exp(masses - largest).sum()))
        masses -= log_moment
        np.exp(masses, out=masses)
        np.abs(sizes, out=sizes)
        sizes -= np.maximum(lattice.log_masses, -800.0)  # those below are 0
        sizes += abs(log_moment) + 2  # engine.md 5, "tilted masses"
        sizes *= 4 * U  # engine.md 5, "tilted masses"
        folds = U * (2 + len(masses) // self.size)  # engine.md 5, "folding"
        # Not by BLAS, which would wake a thread on every core for it: visitors have those.
        tilted = float(np.einsum("i,i->", masses, np.expm1(sizes, out=sizes)))
        # engine.md 5, "tilted masses"
        rounding = tilted + folds + 1e-300 * len(masses)
        adding = U * (40 + 2 * MOST_ATOMS)  # engine.md 5, "atom by atom"
        return log_moment, (rounding + max(FFT_ERROR * np.log2(self.size), adding)) * (1 + 1e-9)

    def transform(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Return law `index`'s tilted characteristic function at all frequencies, and its modulus."""
        if index in self.kept:
            return self.kept[index]
        lattice = self.lattices[index]
        masses = np.exp(lattice.log_masses + self.tilt * lattice.losses - self.log_moments[index])
        folded = np.bincount((lattice.first + np.arange(len(masses))) % self.size, masses, self.size)
        values = scipy.fft.rfft(folded).conj()
        pair = values, np.sqrt(np.maximum(values.real**2 + values.imag**2, 1e-300))
        if len(self.lattices) * len(values) <= _KEPT:
            self.kept[index] = pair
        return pair

    def logs(self, index: int, alive: np.ndarray) -> np.ndarray:
        """Return the complex logarithm of law `index`'s characteristic function at some frequencies."""
        values = self.at(index, alive)
        return np.log(np.maximum(np.abs(values), 1e-150)) + 1j * np.angle(values)

    def at(self, index: int, frequencies: np.ndarray) -> np.ndarray:
        """Return law `index`'s tilted characteristic function at some frequencies, added up where these are few."""
        if index in self.kept or len(frequencies) > self.room:
            return self.transform(index)[0][frequencies]
        return self.added(index).transform(frequencies)

    def added(self, index: int) -> Atoms:
        """Return the atoms of law `index`, tilted."""
        if index not in self.atoms:
            self.atoms[index] = Atoms(self.lattices[index], self.tilt, self.log_moments[index], self.size)
        return self.atoms[index]

    @cached_property
    def spreads(self) -> np.ndarray:
        """An estimate for each law: what splitting adds to epsilon per use, relative to 1 + slope."""
        return np.array([self.spread_masses(index).sum() for index in range(len(self.lattices))])

    def spread_masses(self, index: int) -> np.ndarray:
        """Return the estimated variance that splitting adds at each cell, under the tilt."""
        lattice, spread = self.lattices[index], self.lattices[index].spread
        with np.errstate(divide="ignore"):
            return np.exp(np.log(spread) + self.tilt * lattice.losses - self.log_moments[index])

    def spread_ratios(self, alive: np.ndarray) -> np.ndarray:
        """Return the transform of the variance added by splitting over the law's own transform, shape (laws, alive)."""
        ratios = np.zeros((len(self.lattices), len(alive)), dtype=complex)
        for index, lattice in enumerate(self.lattices):
            places, masses = (lattice.first + np.arange(len(lattice.spread))) % self.size, self.spread_masses(index)
            there = np.flatnonzero(masses)
            if len(there) * len(alive) < self.size:
                split = self.phases(places[there], alive).conj().T @ masses[there]
            else:
                split = scipy.fft.rfft(np.bincount(places, masses, self.size)).conj()[alive]
            ratios[index] = split * np.exp(-self.logs(index, alive))
        return ratios

    def phases(self, index: np.ndarray, alive: np.ndarray) -> np.ndarray:
        """Return exp(-i angle x) at grid points `index` and frequencies `alive`, shape (points, alive)."""
        turns = (index[:, None] % self.size * alive) % self.size
        if turns.size < self.size and self.roots is None:
            return np.exp(turns * (-2j * np.pi / self.size))
        if self.roots is None:
            self.roots = np.exp(np.arange(self.size) * (-2j * np.pi / self.size))
        return self.roots[turns]

    def strength(self, fewest: np.ndarray) -> Heard:
        """Return ln of a bound on the modulus, with the kernel, of at least `fewest` releases, where it may count."""
        used = np.flatnonzero(fewest)

        def moduli(frequencies: np.ndarray) -> Iterator[np.ndarray]:
            return (np.abs(self.at(index, frequencies)) + self.errors[index] for index in used)

        def composed(moduli: Iterable[np.ndarray]) -> np.ndarray | float:
            return sum(fewest[index] * _raised_log(each) for index, each in zip(used, moduli, strict=True))

        if self.room and not self.kept and len(used):
            bends = np.array([self.added(index).curvature for index in used])
            if found := heard(self.size, self.room, self.dead, self.log_kernel, moduli, bends, composed):
                return found
        everywhere, log_kernel = self.everywhere
        return Heard(everywhere, log_kernel + sum(fewest[index] * self.log_modulus(index) for index in used))

    @cached_property
    def everywhere(self) -> tuple[np.ndarray, np.ndarray]:
        """All frequencies up to half of them, and ln of the kernel's modulus there."""
        frequencies = np.arange(self.size // 2 + 1)
        return frequencies, self.log_kernel(frequencies)

    def log_modulus(self, index: int) -> np.ndarray:
        """Return ln of the modulus of law `index`'s characteristic function at all frequencies, rounded up."""
        if index in self.log_moduli:
            return self.log_moduli[index]
        logs = _raised_log(self.transform(index)[1] + self.errors[index])
        if len(self.lattices) * len(logs) <= _KEPT:
            self.log_moduli[index] = logs
        return logs

    def batches(self, counts: np.ndarray) -> Iterator[tuple[slice, Batch]]:
        """Yield slices of points that fit into memory together and differ in uses by a factor of two at most."""
        uses, start = counts.sum(axis=1), 0
        while start < len(counts):
            some = uses[start : start + _TOGETHER]
            low, high = np.minimum.accumulate(some), np.maximum.accumulate(some)
            stop = start + int((high <= 2 * low).sum())
            strength = self.strength(counts[start:stop].min(axis=0))
            alive = max(1, int((strength.logs > strength.logs.max() + self.dead).sum()))  # none where doubles ended
            size = int(np.clip(_CHUNK // alive, 1, _TOGETHER))
            for first in range(start, stop, size):
                part = slice(first, min(first + size, stop))
                yield part, Batch(self, counts[part], strength)
            start = stop


@dataclass
class Batch:
    """Compositions that share a spectrum, whose kernels' sums can be read at any grid point."""

    spectrum: Spectrum
    counts: np.ndarray
    strength: Heard

    def __post_init__(self) -> None:
        self.raise_to_powers()
        self.weigh()

    def raise_to_powers(self) -> None:
        """Raise the transforms to their powers where these can be trusted, and bound what is dropped elsewhere."""
        spectrum, most = self.spectrum, self.counts.max(axis=0)
        used = np.flatnonzero(most)
        places = np.flatnonzero(self.strength.logs > self.strength.logs.max() + spectrum.dead)
        alive = self.strength.frequencies[places]
        logs = {index: spectrum.logs(index, alive) for index in used}
        off = np.zeros(len(alive))  # ln of how far a power may be off
        for index in used:
            size = np.abs(logs[index].real) + np.abs(logs[index].imag)
            share = spectrum.errors[index] * np.exp(-logs[index].real)
            # engine.md 5, "powers"
            off += most[index] * (np.log1p(share) + U * (4 + (len(used) + 12) * size))
        trusted = off <= 1.0
        self.alive, self.off = alive[trusted], off[trusted]
        powers = self.counts[:, used] @ np.array([logs[index][trusted] for index in used]).reshape(len(used), -1)
        self.powers = np.exp(powers)
        dead = np.ones(len(self.strength.logs), dtype=bool)
        dead[places[trusted]] = False
        dropped = np.exp(self.strength.logs, where=dead, out=np.zeros(len(dead))).sum() + self.strength.beyond
        # The moduli are at most 1 + e, whose powers beyond the least counts count, too.
        growth = np.exp(np.minimum((self.counts - self.counts.min(axis=0)) @ np.log1p(2 * spectrum.errors), 700.0))
        factors = 2 / spectrum.size * spectrum.dropped_factors
        self.dropped = growth[:, None] * (dropped * factors * (1 + 1e-9))

    def weigh(self) -> None:
        """Weigh the frequencies by the kernels, and bound what the sum over them may be off."""
        spectrum, size = self.spectrum, self.spectrum.size
        self.weights = np.where((self.alive == 0) | (self.alive == size // 2), 1.0, 2.0) / size
        angles = 2 * np.pi / size * self.alive
        self.weighted = _kernels(spectrum.tilt * spectrum.step, spectrum.step, angles, spectrum.tail) * self.weights
        dense = len(self.alive) * _DENSE > size
        # engine.md 5, "sum": read as a whole or one by one
        terms = max(FFT_ERROR * np.log2(size), 4 * U * (4 + len(self.alive)))
        self.off = np.abs(self.weighted) * (np.expm1(self.off) + (TERM_ERROR + terms))
        self.error = (np.abs(self.powers) @ self.off.T + self.dropped) * (1 + 1e-9)
        del self.off
        self.offset = self.counts @ spectrum.log_moments
        kinds = 4 + len(spectrum.lattices)  # engine.md 5, "scale"
        # engine.md 5, "scale"
        self.rounding = kinds * U * (self.counts @ np.abs(spectrum.log_moments)) + 24 * U
        self.tables = self.inverted() if dense else None

    def inverted(self, kinds: int | None = None) -> np.ndarray:
        """Return the sums of the first `kinds` kernels, or of all, at all grid points, shape (kinds, points, size)."""
        size = self.spectrum.size
        kinds = len(self.weighted) if kinds is None else kinds
        tables = np.empty((kinds, len(self.counts), size))
        for kind in range(kinds):
            full = np.zeros((len(self.counts), size // 2 + 1), dtype=complex)
            full[:, self.alive] = (self.powers * (self.weighted[kind] / self.weights)).conj()
            tables[kind] = scipy.fft.irfft(full, size)
        return tables

    def read(self, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the kernels' sums, times exp(tilt x_j), at grid points of points `rows`, shape (rows, kinds)."""
        if self.tables is not None:
            return self.tables[:, rows, index % self.spectrum.size].T
        block = max(1, _CHUNK // max(len(self.alive), 1))
        blocks = [slice(first, first + block) for first in range(0, len(index), block)]
        return np.concatenate([self.summed(index[some], rows[some]) for some in blocks])

    def summed(self, index: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the kernels' sums at some grid points, frequency by frequency."""
        terms = self.powers[rows] * self.spectrum.phases(index, self.alive)
        return (terms @ self.weighted.T).real

    def scale(self, index: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ln of the factor from what `read` returns to the measure, and by how much that may be off."""
        shift = self.spectrum.tilt * self.spectrum.step * index
        # engine.md 5, "scale"
        off = self.rounding[rows] + 4 * U * (np.abs(self.offset[rows]) + np.abs(shift))
        return self.offset[rows] - shift, off


def _raised_log(moduli: np.ndarray) -> np.ndarray:
    """Return ln, rounded up."""
    logs = np.log(moduli)
    return logs + 8 * U * (2 + np.abs(logs))


def _log_gap(rate: float, angles: np.ndarray) -> np.ndarray:
    """Return ln of the modulus of 1 - exp(-rate - i angle)."""
    return np.log(np.expm1(-rate) ** 2 + 4 * np.exp(-rate) * np.sin(angles / 2) ** 2) / 2


def _log_kernel(tilt: float, step: float, angles: np.ndarray, tail: bool) -> np.ndarray:
    """Return ln of the modulus of the first of `_kernels`."""
    if tail:
        return -_log_gap(tilt, angles)
    return np.log(-np.expm1(-step)) - tilt - _log_gap(tilt, angles) - _log_gap(tilt + step, angles)


def _dropped_factors(step: float, tail: bool) -> np.ndarray:
    """Return by which factor at most each of `_kernels` is larger than the first."""
    return np.ones(1) if tail else np.array([1.0, -2 / np.expm1(-step)])


def _kernels(tilt: float, step: float, angles: np.ndarray, tail: bool) -> np.ndarray:
    """Return the transforms of the kernels by which the measure's masses beyond a grid point are weighed.

    Of a tail, exp(-tilt m) over m >= 0. Of a profile, exp(-tilt m) (1 - exp(-step m)), which gives D, and
    exp(-tilt m) exp(-step (m - 1)), which gives B, over m >= 1: up to the next grid point, delta(x_j + u) is
    D - B exp(-step) expm1(u).
    """

    def gap(rate: float) -> np.ndarray:  # 1 - exp(-rate - i angle), without cancelling
        return -np.expm1(-rate) + np.exp(-rate) * (2 * np.sin(angles / 2) ** 2 + 1j * np.sin(angles))

    if tail:
        return 1 / gap(tilt)[None, :]
    z = np.exp(-tilt - 1j * angles)
    return np.array([z * -np.expm1(-step) / (gap(tilt) * gap(tilt + step)), z / gap(tilt + step)])
