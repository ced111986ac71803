"""The epsilon at which a composed profile meets delta: Newton's method over grid points, ending on the safe side."""

from __future__ import annotations

import numpy as np

from dpviz.outward import U
from dpviz.privacy_loss.lattice import LARGEST_INDEX
from dpviz.privacy_loss.shared_grid import whole
from dpviz.privacy_loss.spectrum import Batch

_UNBOUNDED = int(LARGEST_INDEX) + 1  # beyond every grid point that is read
_TURNS = 150


class Search:
    """A bracket of grid points, narrowed until the linear piece with the answer is found.

    What is returned is where an upper bound on delta meets the target, or lies below it; only how soon it is found
    rests on Newton's steps.

    Parameters
    ----------
    batch : Batch
        Of a profile.
    log_targets : ndarray of float, shape (points,)
        ln of the delta wanted.
    guess : ndarray of float, shape (points,)
        Estimates of epsilon.
    """

    def __init__(self, batch: Batch, log_targets: np.ndarray, guess: np.ndarray) -> None:
        self.batch, self.targets, self.step = batch, log_targets, batch.spectrum.step
        points = len(log_targets)
        self.index = whole(guess / self.step)
        self.low = np.full(points, -1, dtype=np.int64)  # ln delta is above the target here, or it is no answer
        self.high = np.full(points, _UNBOUNDED)  # and not above it here
        self.epsilon = np.full(points, np.inf)
        self.slope = np.ones(points)
        self.noise = np.zeros(points)

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return epsilon, and estimates of -d ln delta / d epsilon and of the share of delta that is rounding."""
        rows = np.arange(len(self.targets))
        for turn in range(_TURNS):
            rows = rows[~self.visit(rows, turn)]
            if not len(rows):
                break
        return self.epsilon, self.slope, self.noise

    def visit(self, rows: np.ndarray, turn: int) -> np.ndarray:
        """Read at the current grid points, store what is solved and move the others; return which are solved."""
        index, step = self.index[rows], self.step
        upper, lower, target = self.ends(index, rows)
        above = ~(upper <= target)  # what is no number is no answer
        self.low[rows[above]] = index[above]
        self.high[rows[~above]] = index[~above]
        inside = above & (upper - target <= -np.expm1(-step) * lower)
        piece = _along(np.where(inside, upper - target, 0.0) / np.where(inside, lower, 1.0), step)
        adjacent = self.high[rows] - self.low[rows] <= 1
        solved = inside | adjacent
        end = np.where(self.high[rows] < _UNBOUNDED, self.high[rows] * step, np.inf)
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

    def ends(self, index: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return at least D, at most B, and at most the target, all times exp(tilt x_j) over the moments."""
        values, error = self.batch.read(index, rows), self.batch.error[rows]
        scale, off = self.batch.scale(index, rows)
        exponents = self.targets[rows] - scale
        # engine.md 5, "target"
        slack = off + 4 * U * (4 + np.abs(self.targets[rows]) + np.abs(exponents))
        return values[:, 0] + error[:, 0], values[:, 1] - error[:, 1], np.exp(np.minimum(exponents - slack, 700.0))

    def moved(self, rows: np.ndarray, index: np.ndarray, move: np.ndarray, halve: bool) -> np.ndarray:
        """Return the next grid points to read: Newton's, or the middle of the bracket."""
        low, high = self.low[rows], self.high[rows]
        after = whole(index + np.floor(move))
        after = np.where((high < _UNBOUNDED) & halve, low + (high - low) // 2, after)
        return np.clip(after, low + 1, np.maximum(high - 1, low + 1))


def _along(share: np.ndarray, step: float) -> np.ndarray:
    """Return u with exp(-step) expm1(u) = `share`, for shares in [0, 1)."""
    if step < 1:
        return np.log1p(share * np.exp(step))
    return step + np.log(np.maximum(share + np.exp(-step), 1e-300))
