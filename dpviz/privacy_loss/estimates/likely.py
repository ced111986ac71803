"""What a composition is likely to cost: where a search begins, and never an answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.privacy_loss.estimates.grid import estimates
from dpviz.privacy_loss.estimates.saddle import tilted

_MARGIN = 20.0  # by how much ln of a mass that plays no part lies below ln delta


def likely_epsilons(mechanisms: Sequence[Mechanism], counts: np.ndarray, delta: float) -> np.ndarray:
    """Return saddle-point estimates of epsilon, which may be too high or too low; nan where there is none.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : ndarray of int, shape (points, mechanisms)
        How often each is used, once at least in all.
    delta : float
        In (0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.mechanisms import Laplace
    >>> likely_epsilons([Laplace(10)], np.array([[100]]), 1e-6).round(1).tolist()
    [4.7]
    """
    targets, directions = np.full(len(counts), np.log(delta)), [mechanism.laws() for mechanism in mechanisms]
    floor = float(targets[0] - _MARGIN - np.log(counts.sum(axis=1).max()))
    found = np.full(len(counts), -np.inf)
    with np.errstate(all="ignore"):
        for side in range(max(map(len, directions))):
            laws = [laws[side % len(laws)] for laws in directions]
            found = np.maximum(found, estimates(tilted(laws, counts, floor), targets))
    return np.where(np.isfinite(found), found, np.nan)
