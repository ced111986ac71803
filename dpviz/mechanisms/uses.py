"""What is composed of mechanisms that are several: a threshold with its leak, a trained model with its steps, bars."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpviz.mechanisms.forms import mechanism_from
from dpviz.mechanisms.left_open import TYPED, states_epsilon
from dpviz.mechanisms.mechanism import Mechanism
from dpviz.mechanisms.thresholding import Thresholding
from dpviz.mechanisms.trained_model import TrainedModel

MOST_USES = 10**15  # of one mechanism: counts stay exact in doubles
SEVERAL = (Thresholding, TrainedModel)


def uses_of(mechanism: Mechanism) -> dict[Mechanism, int]:
    """Return what one use is composed of, each with how often: itself, where it is not several.

    Of a histogram of which it follows that so many bars change by 1 each, each with noise of its own, those bars.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.mechanisms.left_open import Origin
    >>> uses_of(Laplace(10, 3))
    {Laplace(scale=10.0, sensitivity=3.0): 1}
    >>> uses_of(Laplace(10, 3, sensitivity_from=Origin("derived", 3.0, bars=3)))
    {Laplace(scale=10.0, sensitivity=1.0): 3}
    """
    return mechanism.uses if isinstance(mechanism, SEVERAL) else dict([in_bars(mechanism)])


def in_bars(mechanism: Mechanism) -> tuple[Mechanism, int]:
    """Return the noise of one bar, and of how many that change; of what is no such histogram itself, and 1.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> in_bars(Laplace(10, 3))
    (Laplace(scale=10.0, sensitivity=3.0), 1)
    """
    bars = getattr(mechanism, "sensitivity_from", TYPED).bars
    return (mechanism, 1) if bars == 1 else (bar_of(mechanism), bars)


def bar_of(mechanism: Mechanism) -> Mechanism:
    """Return the noise of one bar that moves by 1, whatever the sensitivity of all; no more noise than there is.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> bar_of(Laplace(10.0, 3.0))
    Laplace(scale=10.0, sensitivity=1.0)
    """
    scale = mechanism.noise.scale
    scale = math.nextafter(scale, 0.0) if states_epsilon(mechanism) else scale  # rounded, where an ε was typed
    return mechanism_from(mechanism.key, {mechanism.forms[-1].needed[0]: scale, "sensitivity": 1.0})


def taken_apart(
    mechanisms: Sequence[Mechanism], counts: np.ndarray, *, bars: bool = True
) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """Return what is composed: in place of what is several its `uses`, and how often each of all is used then.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : ndarray of int, shape (..., mechanisms)
    bars : bool
        Whether bars of a histogram are told apart: where pairs are added up, it states one as it is.

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
    parts = [uses_of(each) if bars or isinstance(each, SEVERAL) else {each: 1} for each in mechanisms]
    if all(each in uses for each, uses in zip(mechanisms, parts, strict=True)):
        return tuple(mechanisms), counts
    columns: dict[Mechanism, int] = {}
    entries = []
    for row, uses in enumerate(parts):
        entries += [(row, columns.setdefault(used, len(columns)), times) for used, times in uses.items()]
    times = np.zeros((len(mechanisms), len(columns)), dtype=np.int64)
    for row, column, number in entries:
        times[row, column] = number
    most = float((np.asarray(counts, dtype=float) @ times.astype(float)).max(initial=0.0))
    if most > MOST_USES:
        raise ValueError(f"uses of one mechanism must be at most {MOST_USES:.0e}; got {most:.3g}")
    return tuple(columns), np.asarray(counts, dtype=np.int64) @ times
