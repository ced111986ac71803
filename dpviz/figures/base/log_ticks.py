"""Where a logarithmic axis is labelled: at two values or more, since one alone tells no scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from dpviz.rounding import shown_near, shown_power

MOST = 8  # labels: more would touch on a narrow screen
WRITTEN_OUT = (1e-4, 1e6)  # where all labels of an axis lie between, none is a power of ten


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
    {'type': 'log', 'range': [0.0, 1.0], 'tickvals': [1.0, 2.0, 5.0, 10.0], 'ticktext': ['1', '2', '5', '10']}
    """
    shown = [float(value) for value in values if 0 < value < math.inf] or [1.0]
    low, high = min(shown) / margin, max(shown) * margin
    if high < 1.05 * low:
        low, high = low / 2, high * 2
    return {"type": "log", "range": [math.log10(low), math.log10(high)]} | labelled(log_ticks(low, high))


def labelled(ticks: Sequence[float]) -> dict[str, object]:
    """Return the labels of an axis for Plotly, all of one kind: written out, or powers of ten where that is long.

    Parameters
    ----------
    ticks : sequence of float
        The values to label.

    Examples
    --------
    >>> labelled([0.01, 1.0, 1e5])["ticktext"], labelled([1.0, 1e5, 2e6])["ticktext"], labelled([0.0, 2e-5])["ticktext"]
    (['0.01', '1', '100,000'], ['1', '10⁵', '2 × 10⁶'], ['0', '2 × 10⁻⁵'])
    """
    low, high = WRITTEN_OUT
    short = all(low <= abs(tick) <= high for tick in ticks if tick)
    return {"tickvals": list(ticks), "ticktext": [f"{tick:,.12g}" if short else _power(tick) for tick in ticks]}


def one_digit_below(value: float) -> float:
    """Return the largest number of one digit that is not above a positive one: a round label near the end of an axis.

    Examples
    --------
    >>> one_digit_below(3.7e-5), one_digit_below(10.0)
    (3e-05, 10.0)
    """
    power = math.floor(math.log10(value) + 1e-9)
    return float(f"{math.floor(value / 10.0**power + 1e-9)}e{power}")


def _power(tick: float) -> str:
    """A number as a multiple of a power of ten, but for those below a hundred."""
    if not tick or 1 <= abs(tick) < 100:
        return shown_near(tick)
    exponent = math.floor(math.log10(abs(tick)) + 1e-9)
    factor = shown_near(tick / 10.0**exponent, 3)
    return shown_power(exponent) if factor == "1" else f"{factor} × {shown_power(exponent)}"


def _even(low: float, high: float, most: int) -> list[float]:
    """Round values at equal distances: on a piece this short a logarithmic axis is nearly a linear one."""
    power = 10.0 ** math.floor(math.log10(high - low))
    for step in (0.2, 0.5, 1.0, 2.0):
        first, last = math.ceil(low / (step * power)), math.floor(high / (step * power))
        if 2 <= last - first + 1 <= most:
            return [float(f"{count * step * power:.12g}") for count in range(first, last + 1)]
    return [low, high]
