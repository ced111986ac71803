"""Where a logarithmic axis is labelled: at two values or more, since one alone tells no scale."""

from __future__ import annotations

import math
from collections.abc import Iterable

MOST = 8  # labels: more would touch on a narrow screen


def log_ticks(low: float, high: float, most: int = MOST) -> list[float]:
    """Return the values to label on a logarithmic axis: powers of ten, or 1-2-5 steps, or finer where it is short.

    Parameters
    ----------
    low, high : float
        Ends of the axis, 0 < low < high.
    most : int
        At most so many labels, at least 4.

    Examples
    --------
    >>> log_ticks(0.5, 2000.0), log_ticks(3.0, 40.0), log_ticks(4.1, 4.9)
    ([1.0, 10.0, 100.0, 1000.0], [5.0, 10.0, 20.0], [4.2, 4.4, 4.6, 4.8])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1,), (1, 2, 5), (1, 2, 3, 4, 5, 7)):
        ticks = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) >= (3 if digits == (1,) else 2):
            return inside[:: math.ceil(len(inside) / most)]
    return _even(low, high, most)


def log_axis(values: Iterable[float], margin: float = 1.0) -> dict[str, object]:
    """Return a logarithmic axis for Plotly that shows all values that it can, with its labels.

    Parameters
    ----------
    values : iterable of float
        What is not positive and finite has no place there.
    margin : float
        The factor by which the axis reaches beyond the values at both ends, at least 1.

    Examples
    --------
    >>> log_axis([0.0, 1.0, 10.0])
    {'type': 'log', 'range': [0.0, 1.0], 'tickvals': [1.0, 2.0, 5.0, 10.0]}
    """
    shown = [float(value) for value in values if 0 < value < math.inf] or [1.0]
    low, high = min(shown) / margin, max(shown) * margin
    if high < 1.05 * low:
        low, high = low / 2, high * 2
    return {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": log_ticks(low, high)}


def _even(low: float, high: float, most: int) -> list[float]:
    """Round values at equal distances: on a piece this short a logarithmic axis is nearly a linear one."""
    power = 10.0 ** math.floor(math.log10(high - low))
    for step in (0.2, 0.5, 1.0, 2.0):
        first, last = math.ceil(low / (step * power)), math.floor(high / (step * power))
        if 2 <= last - first + 1 <= most:
            return [float(f"{count * step * power:.12g}") for count in range(first, last + 1)]
    return [low, high]
