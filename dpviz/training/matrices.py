"""Correlated noise: how far one record moves what a matrix mechanism releases, if it takes part several times."""

from __future__ import annotations

import numpy as np

from dpviz.outward import raised
from dpviz.parameters import Parameter

SEPARATION = Parameter("separation", "", "steps from one use of a record to its next", 1, 1_000_000_000, integer=True)
PARTICIPATIONS = Parameter("participations", "", "uses of a record", 1, 1_000_000_000, integer=True)


def participation_sensitivity(matrix: np.ndarray, separation: int, participations: int) -> float:
    """Return how far one record moves C x in L2 norm, its part of every step having norm 1 at most, rounded up.

    Parameters
    ----------
    matrix : array of float, shape (rows, steps)
        C, whose column says how a step enters what is released with plain noise.
    separation : int
        A record is used in steps at least so far apart.
    participations : int
        And so often at most.

    Raises
    ------
    ValueError
        When two columns that a record may use both overlap, as those of a matrix with more than `separation` bands do.
        Then no sensitivity is proved here.

    References
    ----------
    Choquette-Choo et al. (2023), (Amplified) Banded Matrix Factorization (arXiv 2306.08153): columns that do not
    overlap add up in squares, so that the worst uses are found step by step.

    Examples
    --------
    >>> import numpy as np
    >>> participation_sensitivity(np.eye(6), 2, 2) >= 2**0.5
    True
    """
    columns = np.asarray(matrix, dtype=float)
    if columns.ndim != 2 or not np.isfinite(columns).all():
        raise ValueError(f"matrix must have two dimensions and finite entries; got shape {columns.shape}")
    apart, uses = SEPARATION.check(separation), PARTICIPATIONS.check(participations)
    products = columns.T @ columns
    steps = np.arange(len(products))
    far = np.abs(steps[:, None] - steps) >= apart
    if uses > 1 and np.any(np.abs(products[far]) > 0):
        raise ValueError(f"matrix must have at most {apart} bands, the separation; got more, whose columns overlap")
    return float(raised(np.sqrt(_largest(np.diag(products), apart, uses)), 8 + 2 * len(columns)))


def _largest(squares: np.ndarray, apart: int, uses: int) -> float:
    """Return the largest sum of so many entries that lie so far apart."""
    best = np.zeros(len(squares) + 1)  # of the entries before each
    for _ in range(min(uses, -(-len(squares) // apart))):
        before = best[np.maximum(np.arange(len(squares)) - apart + 1, 0)]
        best = np.append(0.0, np.maximum.accumulate(squares + before))
    return float(best[-1])
