"""The privacy profile of one composition in one direction: delta at any epsilon >= 0.

Its spectra kept between reads.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.fft

from dpviz.accountant import BAND
from dpviz.fourier import Spectrum
from dpviz.gaussian import gaussian_delta
from dpviz.grid import LARGEST_PERIOD, grids, saddle_points
from dpviz.lattice import discretised, widened
from dpviz.loss_laws import LOWEST_LOG, GaussianLaw
from dpviz.saddle import tilted

ROUND_UP = 1 + 1e-13


class Profile:
    """delta(epsilon) of `counts` releases of each law, rounded up.

    Parameters
    ----------
    laws : sequence of distinct laws, of one direction
    counts : array of int, shape (laws,)
    accuracy : float
        Wanted relative excess of the epsilon that belongs to a delta.
    """

    def __init__(self, laws, counts, accuracy):
        used = np.flatnonzero(counts)
        self.laws = [laws[index] for index in used]
        self.counts, self.accuracy = np.asarray(counts)[used], accuracy
        self.batches = {}

    @cached_property
    def leak(self):
        """Mass of P where Q has nothing."""
        if any(law.leak >= 1 for law in self.laws):
            return 1.0
        return -np.expm1(sum(count * np.log1p(-law.leak) for law, count in zip(self.laws, self.counts, strict=True)))

    @cached_property
    def top(self):
        """The largest finite loss."""
        return float(sum(count * law.top for law, count in zip(self.laws, self.counts, strict=True)))

    @cached_property
    def table(self):
        """The tilts of every useful epsilon."""
        return tilted(self.laws, self.counts[None, :], LOWEST_LOG)

    def delta(self, epsilon):
        """Return delta at an array of epsilon >= 0."""
        if not self.laws:
            return np.zeros(len(epsilon))
        if self.leak >= 1:
            return np.ones(len(epsilon))
        if all(isinstance(law, GaussianLaw) for law in self.laws):
            return gaussian_delta(epsilon, np.sqrt(self.counts @ np.array([law.mu**2 for law in self.laws])))
        finite = np.zeros(len(epsilon))
        inside = np.flatnonzero(epsilon < self.top)
        if len(inside):
            finite[inside] = np.exp(np.minimum(self.log_finite(epsilon[inside]), 0.0))
        return np.minimum((self.leak + finite) * ROUND_UP, 1.0)

    def log_finite(self, epsilon):
        """Return ln of the part of delta that finite losses have."""
        column, weight = saddle_points(self.table.of(np.zeros(len(epsilon), dtype=int)), epsilon)
        bands = np.floor(
            (np.log(self.table.tilts[column]) + weight * np.log(self.table.tilts[1] / self.table.tilts[0])) / BAND
        )
        result = np.empty(len(epsilon))
        for band in np.unique(bands):
            rows = np.flatnonzero(bands == band)
            result[rows] = self.read(self.batch(int(band), epsilon[rows]), epsilon[rows])
        return result

    def read(self, batch, epsilon):
        """Return ln delta by the line, in exp(epsilon), between the grid points on both sides."""
        step = batch.spectrum.step
        index = np.floor(epsilon / step).astype(np.int64)
        rows = np.zeros(len(index), dtype=np.int64)
        ends = [batch.log_delta(index + shift, rows) for shift in (0, 1)]
        share = np.clip(np.expm1(epsilon - index * step) / np.expm1(step), 0.0, 1.0)
        lowest = np.full(len(index), -800.0)
        with np.errstate(divide="ignore"):
            line = np.logaddexp(
                np.maximum(ends[0], lowest) + np.log1p(-share), np.maximum(ends[1], lowest) + np.log(share)
            )
        cuts = float(self.counts @ np.array([lattice.cut for lattice in batch.spectrum.lattices]))
        return np.logaddexp(line, np.log(max(cuts, 1e-320)))

    def batch(self, band, epsilon):
        """Return the spectrum for the tilts of one band."""
        if band not in self.batches:
            self.batches[band] = self.built(band, epsilon)
        return self.batches[band]

    def built(self, band, epsilon):
        """Return a new spectrum whose period and step serve every epsilon of the band."""
        middle = np.exp((band + 0.5) * BAND)
        tilts = np.exp((band + np.array([-0.2, 0.5, 1.2])) * BAND)
        columns = np.clip(np.searchsorted(self.table.tilts, tilts), 0, len(self.table.tilts) - 1)
        deviation = float(np.sqrt(self.table.variance[0, 0]))
        ends = np.clip(np.append(self.table.epsilon[0, columns], epsilon[:1]), min(0.5 * deviation, self.top), self.top)
        estimates = np.append(self.table.log_delta[0, columns], self.table.log_delta[0, columns[1]])
        targets = np.clip(estimates - 7, LOWEST_LOG + 60, -1e-3)  # the estimates may be off by some powers of e
        rows = np.zeros(4, dtype=int)
        grid = grids(self.laws, np.tile(self.counts, (4, 1)), self.table.of(rows), targets, ends, True, self.accuracy)
        step, period = float(grid.steps.min()), float(grid.periods.max())
        log_floor = max(targets.min() + np.log(self.accuracy) - 9 - np.log(self.counts.sum()), LOWEST_LOG)
        step = widened(self.laws, max(step, period / LARGEST_PERIOD), log_floor, [-np.inf] * len(self.laws))
        tilt = float(min(middle, grid.tilts.max() * 1.5, 30 / step))
        lattices = tuple(discretised(law, step, log_floor) for law in self.laws)
        size = 2 * scipy.fft.next_fast_len(max(8, int(np.ceil(max(1.0, middle / tilt) * period / step / 2))), real=True)
        return Spectrum(lattices, tilt, size, np.log(self.accuracy) - 26).batch(self.counts[None, :])
