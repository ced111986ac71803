"""The least noise scale whose total stays within a limit: false position in logarithms, ending on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable

ROUGH = 1e-3  # accuracy while the place is not known yet


def least_scale(total: Callable[[float, float], float], start: float, limit: float, precision: float) -> float:
    """Return the smallest scale with ``total(scale) <= limit``, for a total that does not grow with the scale.

    Parameters
    ----------
    total : callable
        ``total(scale, accuracy)``, the total ε at a noise scale to a relative accuracy; inf is allowed.
    start : float
        Where to look first, above 0.
    limit : float
        Above 0.
    precision : float
        Relative width at which to stop, and accuracy of the totals that decide.

    Returns
    -------
    float
        Within the limit; a scale smaller by more than `precision` is not.

    Examples
    --------
    >>> scale = least_scale(lambda scale, accuracy: 3 / scale, 1.0, 0.5, 1e-9)
    >>> 6 <= scale <= 6.00000001
    True
    """
    start = _searched(lambda scale: total(scale, ROUGH), start, limit, ROUGH, 0.5)
    return _searched(lambda scale: total(scale, precision), start, limit, precision, ROUGH)


def _searched(total: Callable[[float], float], start: float, limit: float, precision: float, step: float) -> float:
    bracket = _Bracket(total, limit, precision)
    bracket.probe(start)
    while not bracket.closed:
        start *= (1 - step) if bracket.high is not None else (1 + step)
        step = min(4 * step, 0.9 if bracket.high is not None else 1e3)
        if start < 1e-280:  # no noise at all is needed
            return start
        bracket.probe(start)
    while bracket.high > bracket.low * (1 + precision):
        bracket.probe(bracket.guess())
    return bracket.high


class _Bracket:
    """A scale that exceeds the limit below one that does not, with their misfits in logarithms."""

    def __init__(self, total: Callable[[float], float], limit: float, precision: float) -> None:
        self.total, self.limit, self.precision = total, limit, precision
        self.low: float | None = None
        self.high: float | None = None
        self.misfit_low = self.misfit_high = 0.0
        self.turns = 0

    @property
    def closed(self) -> bool:
        return self.low is not None and self.high is not None

    def probe(self, scale: float) -> None:
        """Move the end that `scale` replaces."""
        value = self.total(scale)
        misfit = math.log(max(value, 1e-300) / self.limit) if value < math.inf else math.inf
        if value <= self.limit:
            self.high, self.misfit_high = scale, misfit
        else:
            self.low, self.misfit_low = scale, misfit

    def guess(self) -> float:
        """Where the total should meet the limit; every third time the middle, so that the bracket always shrinks."""
        low, high = math.log(self.low), math.log(self.high)
        self.turns += 1
        span = self.misfit_low - self.misfit_high
        if self.turns % 3 == 0 or not 0 < span < math.inf:
            return math.exp((low + high) / 2)
        crossing = high + (high - low) * self.misfit_high / span
        nudge = self.precision / 3 * (1 if self.turns % 3 == 1 else -1)
        margin = (high - low) * 0.01
        return math.exp(min(max(crossing + nudge, low + margin), high - margin))
