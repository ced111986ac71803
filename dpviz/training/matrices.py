"""Correlated noise: how far one record moves what a matrix mechanism releases, if it takes part several times."""

from __future__ import annotations

import numpy as np

from dpviz.outward import U, raised
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
        When the matrix is none, or the counts lie outside their intervals.

    Notes
    -----
    The square is at most the sum of the sizes of the products Cᵢ·Cⱼ of all columns that a record uses. Where columns so
    far apart do not overlap, that is attained, and the worst uses are found step by step. Where they do, each column is
    charged for the worst others that could be used with it, so that what is returned lies above.

    References
    ----------
    Choquette-Choo et al. (2023), (Amplified) Banded Matrix Factorization (arXiv 2306.08153), and Choquette-Choo et al.
    (2022), Multi-Epoch Matrix Factorization (arXiv 2211.06530), for the sum of products; the bound here is by hand.

    Examples
    --------
    >>> import numpy as np
    >>> participation_sensitivity(np.eye(6), 2, 2) >= 2**0.5
    True
    >>> round(participation_sensitivity(np.tril(np.ones((4, 4))), 2, 2), 4)  # columns (1, 1, 1, 1) and (0, 0, 1, 1)
    3.1623
    """
    columns = np.asarray(matrix, dtype=float)
    if columns.ndim != 2 or not np.isfinite(columns).all():
        raise ValueError(f"matrix must have two dimensions and finite entries; got shape {columns.shape}")
    apart, uses = SEPARATION.check(separation), PARTICIPATIONS.check(participations)
    products = np.abs(columns.T @ columns)
    steps = np.arange(len(products))
    others = np.where(np.abs(steps[:, None] - steps) >= apart, products, 0.0)
    charged = np.diag(products).copy()
    if uses > 1:
        charged += [_largest(each, apart, uses - 1) for each in others]
    # a product that cancels is off by a share of the norms, not of itself
    slack = len(products) * uses * (8 + 2 * len(columns)) * U * float(np.diag(products).max(initial=0.0))
    off = slack if others.any() and uses > 1 else 0.0
    return float(raised(np.sqrt(_largest(charged, apart, uses) + off), 8 + 2 * len(columns)))


def _largest(squares: np.ndarray, apart: int, uses: int) -> float:
    """Return the largest sum of so many entries that lie so far apart."""
    best = np.zeros(len(squares) + 1)  # of the entries before each
    for _ in range(min(uses, -(-len(squares) // apart))):
        before = best[np.maximum(np.arange(len(squares)) - apart + 1, 0)]
        best = np.append(0.0, np.maximum.accumulate(squares + before))
    return float(best[-1])
