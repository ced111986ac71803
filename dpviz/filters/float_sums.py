"""Sums as a computer forms them: left to right in double precision, with the drift that notebooks show."""

from __future__ import annotations

import math


def repeated_sum(total: float, step: float, times: int) -> float:
    """Return `total` after `times` double-precision additions of `step`, bit for bit, without stepping.

    Between two powers of two every addition rounds to the same grid. A tie goes to the even neighbour, so that from the
    second addition on each one adds the same multiple of the grid, and they are taken at once.

    Parameters
    ----------
    total, step : float
        At least 0, finite.
    times : int
        At least 0.

    Examples
    --------
    >>> repeated_sum(0.0, 0.002, 100)
    0.20000000000000015
    """
    while times > 0:
        first = total + step
        if first == total:
            return total
        if times == 1:
            return first
        total, times = first + step, times - 2
        half = math.ldexp(0.5, math.frexp(total)[1])  # the power of two below
        if first < half or total > 4e307:
            continue
        increment = (total + step) - total
        if increment == 0:
            return total
        jump = int((2 * half - total) / increment) - 1
        if jump >= times:
            return total + times * increment
        if jump > 0:
            total, times = total + jump * increment, times - jump
    return total
