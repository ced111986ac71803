"""How far an answer lies above the truth: estimates that decide whether a finer grid is tried."""

from __future__ import annotations

import numpy as np

from dpviz.privacy_loss.shared_grid import whole
from dpviz.privacy_loss.spectrum import Batch


def confirmed(answer: np.ndarray, found: np.ndarray, wide: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Estimate how far each answer lies above the truth by a read near its guess, inf where the read was far off."""
    usable = ~far & np.isfinite(found) & np.isfinite(wide)
    return np.where(usable, np.maximum(answer - np.where(usable, found - wide, 0.0), 0.0), np.inf)


def excess(batch: Batch, answer: np.ndarray, slope: np.ndarray, noise: np.ndarray, accuracy: float) -> np.ndarray:
    """Estimate how far each answer of a batch lies above the truth, to first order and doubled; inf if mostly noise."""
    spreads, step = batch.counts @ batch.spectrum.spreads, batch.spectrum.step
    added = (1 + slope) * spreads
    doubtful = np.flatnonzero(added > np.maximum(answer, 1e-3) * accuracy / 2)
    if len(doubtful):
        added[doubtful] = np.minimum(added[doubtful], _widening(batch, answer[doubtful], doubtful))
    steep = (slope * step > 0.3) & (spreads > 1e-15 * step)  # where delta falls within a cell the first order is blind
    added = np.where(steep, step, added)
    return np.where(noise > 0.1, np.inf, 2 * added + (accuracy / 20 + 2 * noise) / slope)


def _widening(batch: Batch, epsilon: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Estimate what splitting losses added to `epsilon`, to first order: the density there of what was split."""
    spectrum = batch.spectrum
    index = whole(epsilon / spectrum.step)
    phases = spectrum.phases(index, batch.alive)
    ratios = batch.counts[rows] @ spectrum.spread_ratios(batch.alive)
    added = np.abs((batch.powers[rows] * ratios * phases).sum(axis=1).real) * (2 / spectrum.size / spectrum.step)
    lower = np.maximum(batch.read(index, rows)[:, 1] * np.exp(-spectrum.step), 1e-300)
    return np.minimum(added, lower * 1e15) / lower
