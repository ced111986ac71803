"""Batches shuffled each epoch: what an attacker surely sees of a record, in one epoch.

Let all other records' gradients be the opposite of one record's, all at the clipping norm. Then the sum of its batch
lies two norms above those of the others, and one norm where the record is left out and its place stays empty. Who looks
at the largest of an epoch's t sums alone sees Φ(c − 2μ) Φ(c)^(t−1) against Φ(c − μ) Φ(c)^(t−1) in units of the noise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr

from dpviz.mechanisms.laws.loss_lists import ListedLaw

_CELLS = 0.02  # width of the cells in which the largest sum is seen, in units of the noise
_REACH = 9.5  # beyond the means, in units of the noise
_OFF = 1e-12  # by which share a probability may be off: log_ndtr and its multiples, with room
_TOLD = 1e-3  # a cell's mass over what it is a difference of: less is left out, more is off by _OFF / _TOLD


@lru_cache(maxsize=256)
def largest_sum_laws(batches: int, mu: float) -> tuple[ListedLaw, ListedLaw]:
    """Return laws of (remove, add) that shuffling `batches` batches never stays below, over all data.

    Parameters
    ----------
    batches : int
        Of one epoch, at least 1.
    mu : float
        Clipping norm over the standard deviation of the noise, in (0, inf).

    References
    ----------
    Chua et al. (2024), How Private are DP-SGD Implementations? (arXiv 2403.17673), for the data; and Scalable DP-SGD
    (arXiv 2411.04205) for several epochs.

    Examples
    --------
    >>> remove, add = largest_sum_laws(100, 1.0)
    >>> bool(0.999 < np.exp(remove.log_masses).sum() <= 1 + 1e-9)
    True
    """
    cells = np.arange(-_REACH, 2 * mu + _REACH, max(_CELLS, (2 * mu + 2 * _REACH) / 4000))
    with_record, known = _masses(cells, batches, 2 * mu)
    without, told = _masses(cells, batches, mu)
    held = known & told
    log_p, log_q = np.log(with_record[held]), np.log(without[held])
    common = {"mu": mu, "mass_error": 2 * _OFF / _TOLD, "loss_error": 4 * _OFF / _TOLD}
    return ListedLaw(log_p - log_q, log_p, **common), ListedLaw(log_q - log_p, log_q, **common)


def _masses(cells: np.ndarray, batches: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability that the largest sum is in each cell, or above all, and where that is known well."""
    logs = log_ndtr(cells - mean) + (batches - 1) * log_ndtr(cells)
    below, above = np.append(np.exp(logs), 1.0), np.append(-np.expm1(logs), 0.0)
    rising, falling = np.diff(below), -np.diff(above)
    small = below[1:] < 0.5
    masses = np.where(small, rising, falling)
    of = np.where(small, below[1:], above[:-1])
    return masses, (masses > _TOLD * of) & (masses > 1e-290)
