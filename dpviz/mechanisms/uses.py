"""What is composed of mechanisms that are several: a threshold with its leak, a trained model with its steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.mechanisms.mechanism import Mechanism
from dpviz.mechanisms.thresholding import Thresholding
from dpviz.mechanisms.trained_model import TrainedModel

MOST_USES = 10**15  # of one mechanism: counts stay exact in doubles
SEVERAL = (Thresholding, TrainedModel)


def taken_apart(mechanisms: Sequence[Mechanism], counts: np.ndarray) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """Return what is composed: in place of what is several its `uses`, and how often each of all is used then.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : ndarray of int, shape (..., mechanisms)

    Raises
    ------
    ValueError
        When something is used more than 1e15 times.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> counts = Thresholding(Laplace(10, 1), 200, keys=3)
    >>> taken_apart([Laplace(10, 1), counts], np.array([[5, 2]]))[1].tolist()
    [[11, 2]]
    """
    if not any(isinstance(each, SEVERAL) for each in mechanisms):
        return tuple(mechanisms), counts
    columns: dict[Mechanism, int] = {}
    entries = []
    for row, each in enumerate(mechanisms):
        uses = each.uses if isinstance(each, SEVERAL) else {each: 1}
        entries += [(row, columns.setdefault(used, len(columns)), times) for used, times in uses.items()]
    times = np.zeros((len(mechanisms), len(columns)), dtype=np.int64)
    for row, column, number in entries:
        times[row, column] = number
    most = float((np.asarray(counts, dtype=float) @ times.astype(float)).max(initial=0.0))
    if most > MOST_USES:
        raise ValueError(f"uses of one mechanism must be at most {MOST_USES:.0e}; got {most:.3g}")
    return tuple(columns), np.asarray(counts, dtype=np.int64) @ times
