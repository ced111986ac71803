"""Proved enclosures of binomial tails: a mass in Stirling's form, times sums and integrals of positive terms.

Each error below has its proof in the documentation of the engine: its section 11.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from dpviz.outward import U, lowered, raised

_TABLE = 16  # Stirling's series serves from here on
_LONG = 2048  # a tail of more terms is an integral
_NODES = 128  # of Fejér's rule
_TINY = 1e-300  # more than what underflows, beside tails of at least 1
_CHUNK = 128  # points of one matrix of terms
_PI = Decimal("3.14159265358979323846264338327950288")


class Tails(NamedTuple):
    """Tails of the lies, in units of the mass of exactly `lies` of them under the first data set, shape (points,).

    With a_m the mass of m lies under the first data set, b_m under the second and r = exp(loss of `lies` lies), gain is
    the sum of a_m - r b_m, fewer the sum of r b_m, both over m <= lies. Each is given by its two ends.
    """

    gain: np.ndarray
    gain_most: np.ndarray
    fewer: np.ndarray
    fewer_most: np.ndarray


def _within(gain: np.ndarray, fewer: np.ndarray, error: np.ndarray, left: tuple[np.ndarray, np.ndarray]) -> Tails:
    """Return the tails computed with relative `error`, of which at most `left` was left out."""
    low, high = np.maximum(1 - error, 0.0), 1 + error
    least, most = np.maximum(gain * low - _TINY, 0.0), gain * high + (left[0] + _TINY)
    return Tails(least, most, np.maximum(fewer * low, 1.0), fewer * high + (left[1] + _TINY))


@cache
def _stirling_table() -> np.ndarray:
    """Return ln(n!) - n ln n + n for n below TABLE."""
    rest = [Decimal(math.factorial(n)).ln() - n * Decimal(n).ln() + n for n in range(1, _TABLE)]
    return np.array([0.0, *map(float, rest)])


def _stirling(number: np.ndarray) -> np.ndarray:
    """Return ln(n!) - n ln n + n of whole numbers; it errs by at most 12 u times its value plus 2.3e-16.

    Examples
    --------
    >>> [round(float(value), 9) for value in _stirling(np.array([0.0, 1.0, 100.0]))]
    [0.0, 1.0, 3.222356957]
    """
    large = np.maximum(number, _TABLE)
    square = 1 / (large * large)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / large
    table = _stirling_table()[np.minimum(number, _TABLE - 1).astype(int)]
    return np.where(number < _TABLE, table, 0.5 * np.log(float(2 * _PI) * large) + series)


def log_mass(epsilon: float, counts: np.ndarray, lies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ln P[lies] of `counts` randomized responses, lies <= counts / 2, and its absolute error.

    Examples
    --------
    >>> print(f"{np.exp(log_mass(0.0, np.array([4.0]), np.array([2.0]))[0][0]):.12f}")
    0.375000000000
    """
    decay = math.exp(-min(epsilon, _FARTHEST))
    mean, most = counts * (decay / (1 + decay)), counts / (1 + decay)
    gap = lies - mean
    ones = lies * np.log1p(np.where(lies > 0, gap / mean, 0.0))
    others = (counts - lies) * np.log1p(-gap / most)
    parts = _stirling(counts), _stirling(lies), _stirling(counts - lies)
    # engine.md 11, "The mass"
    error = 16 * U * (sum(parts) + np.abs(ones) + np.abs(others)) + 80 * U * np.abs(gap) + 500 * U * U * mean + 1e-15
    return parts[0] - parts[1] - parts[2] - (ones + others), error


_FARTHEST = 300.0  # beyond this epsilon no count of doubles has a lie that matters


def most_lies(epsilon: float, counts: np.ndarray) -> np.ndarray:
    """Return a number of lies that all but 1e-17 stay within, and whose mass is a double (an estimate)."""
    mean = counts * math.exp(-min(epsilon, _FARTHEST)) / (1 + math.exp(-epsilon))
    rare = np.maximum(-np.log(np.maximum(mean, 1e-300)), 0.0)
    return np.floor(np.minimum(mean + 9 * np.sqrt(mean) + 40 / (1 + rare), counts / 2))


def _far_place(slope: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Return where slope x + curvature x^2 / 2 is 45 (an estimate: what is beyond is bounded)."""
    root = np.sqrt(slope * slope + 90 * curvature)
    with np.errstate(divide="ignore", invalid="ignore"):  # no curvature and no slope: nothing is ever far
        return np.where(slope > 0, 90 / (root + slope), (root - slope) / curvature)


def tails(epsilon: float, counts: np.ndarray, lies: np.ndarray) -> Tails:
    """Return the tails at `lies` of `counts` randomized responses, lies <= counts / 2.

    Examples
    --------
    >>> found = tails(1.0, np.array([3.0]), np.array([1.0]))
    >>> [round(float(end[0]), 12) for end in (found.gain, found.fewer)]  # 1/3 of exp(1), in two parts
    [0.783467462429, 1.12262648039]
    """
    some, others = np.maximum(lies, 1.0), counts - lies
    slope = np.log((others + 1) / some) - epsilon
    needed = np.minimum(_far_place(slope, 1 / some + 1 / others) + 2, lies + 1)
    result = np.empty((4, len(counts)))
    order = np.argsort(needed)
    short = int(np.searchsorted(needed[order], _LONG))
    for first in range(0, short, _CHUNK):
        rows = order[first : min(first + _CHUNK, short)]
        result[:, rows] = _summed(epsilon, counts[rows], lies[rows], int(needed[rows[-1]]) + 1)
    for first in range(short, len(order), _CHUNK):
        rows = order[first : first + _CHUNK]
        result[:, rows] = _integrated(epsilon, counts[rows], lies[rows])
    return Tails(*result)


@lru_cache(maxsize=64)
def _weights(epsilon: float) -> np.ndarray:
    """Return what the terms of the two tails weigh, shape (LONG + 2, 2)."""
    below = -2 * min(epsilon, _FARTHEST) * np.arange(_LONG + 2)
    return np.stack([-np.expm1(below), np.exp(below)], axis=1)


def _summed(epsilon: float, counts: np.ndarray, lies: np.ndarray, terms: int) -> Tails:
    """Return the tails as sums of `terms` terms, each from the one before; the rest is below a geometric series."""
    step = np.arange(terms, dtype=float)
    ratios = np.maximum(lies[:, None] - step, 0.0)
    ratios /= (counts - lies + 1)[:, None] + step
    ratios *= math.exp(min(epsilon, _FARTHEST))
    last = ratios[:, -1].copy()
    products = np.empty((len(counts), terms + 1))
    products[:, 0] = 1.0
    np.cumprod(ratios, axis=1, out=products[:, 1:])
    weight = _weights(epsilon)
    gain, fewer = (products[:, :-1] @ weight[:terms]).T
    gap = 1 - last * (1 + 16 * U)  # engine.md 11, "Terms left out"
    rest = np.where(gap > 0, products[:, -1] / np.where(gap > 0, gap, 1.0) * (1 + 1e-9), np.inf)
    rest = np.where(products[:, -1] > 0, rest, 0.0)
    # engine.md 11, "Terms and sums"
    return _within(gain, fewer, 13 * (terms + 2) * U, (rest, rest * weight[terms, 1]))


@cache
def _fejer() -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of Fejér's first rule on [0, 1]."""
    odd, orders = 2 * np.arange(_NODES) + 1, range(1, _NODES // 2 + 1)
    nodes = [math.sin(number * math.pi / (4 * _NODES)) ** 2 for number in odd]
    waves = [
        sum(2 * math.cos(m * number % (2 * _NODES) * math.pi / _NODES) / (4 * m * m - 1) for m in orders)
        for number in odd.tolist()
    ]
    return np.array(nodes), (1 - np.array(waves)) / _NODES


def _ellipse(slope: np.ndarray, peak: np.ndarray, odds: float, lies: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return a bound on the integrand of one tail in the ellipse of the rule's error: see `_integrated`."""
    share = odds / (1 + odds) * np.exp(length / 8)
    inside = share < 1 - 1e-6
    curvature = lies * share / np.where(inside, 1 - share, 1.0) ** 2
    power = np.maximum(slope, 0.0) * length / 8 + peak + curvature * (0.375 * length) ** 2 / 2
    return np.where(inside & (power < 600), 1.01 * np.exp(np.minimum(power, 600.0)), np.inf)


class _Integrand(NamedTuple):
    """One tail's integrand (1 + odds w)^lies exp(-(counts - lies) v), w = 1 - exp(-v), at the nodes on [0, length].

    What multiplies its integral is `others` = counts - lies; `bound` and `left` hold it already.
    """

    heights: np.ndarray
    rises: np.ndarray  # w at the nodes
    error: np.ndarray  # relative, of each height
    bound: np.ndarray  # on the rule's error
    left: np.ndarray  # at most so much lies beyond the length


def _integrand(odds: float, lies: np.ndarray, others: np.ndarray, length: np.ndarray, peak: np.ndarray) -> _Integrand:
    """Return the integrand of one tail; `peak` is the maximum of its logarithm, at least 0."""
    slope = others - lies * odds
    v = length[:, None] * np.append(_fejer()[0], 1.0)
    w = -np.expm1(-v)
    powers = lies[:, None] * np.log1p(odds * w)
    heights = np.exp(powers - others[:, None] * v)
    fall = lowered(others, 7) - raised(lies * odds * np.exp(-v[:, -1]) / (1 + odds * w[:, -1]), 44)
    left = np.where(fall > 0, 1.01 * others * heights[:, -1] / np.where(fall > 0, fall, 1.0), np.inf)
    steep = np.maximum(np.abs(slope), np.abs(fall)) * length
    # engine.md 11, "Rounding of integrals"
    error = U * (2 * others * length + 30 * powers[:, -1] + 30 * steep + 300)
    bound = others * length * 8 * 2.0**-_NODES * _ellipse(slope, peak, odds, lies, length)
    return _Integrand(heights[:, :-1], w[:, :-1], error, bound, left)


def _integrated(epsilon: float, counts: np.ndarray, lies: np.ndarray) -> Tails:
    """Return the tails as integrals: `fewer` of the second data set's integrand, gain of the difference of both.

    Where `fewer` has a much shorter interval, gain is the difference of two integrals.
    """
    grow, decay, others = math.exp(epsilon), math.exp(-epsilon), counts - lies
    slope, slower, mean = others - lies * grow, others - lies * decay, counts * decay / (1 + decay)
    bend = lies * grow * (1 + grow)
    length = np.where(slope < 0, np.sqrt(130 / bend) - slope / bend, _far_place(slope, 0.7 * bend))
    near = slower * length < 160
    shorter = np.where(near, length, 45 / np.where(near, 1.0, slower))
    peak = lies * np.log(lies / mean) + others * np.log(others / (counts - mean))
    more = _integrand(grow, lies, others, length, np.where(slope < 0, np.maximum(peak, 0.0) + 1, 0.0))
    less = _integrand(decay, lies, others, shorter, np.zeros(len(counts)))
    ratio = math.expm1(2 * epsilon) * decay * more.rises / (1 + decay * more.rises)
    kept = np.where(near[:, None], -np.expm1(-lies[:, None] * np.log1p(ratio)), 1.0)
    gain, gain_noise = _quadrature(more.heights * kept, others * length)
    fewer, noise = _quadrature(less.heights, others * shorter)
    noise += less.bound + less.left
    gain_noise += more.bound + more.left + np.where(near, less.bound, 0.0)
    fewest, most = np.maximum(fewer * (1 - less.error) - noise, 1.0), fewer * (1 + less.error) + noise
    low = gain * (1 - more.error) - gain_noise - np.where(near, 0.0, most)
    high = gain * (1 + more.error) + gain_noise - np.where(near, 0.0, fewest)
    return Tails(np.maximum(low, 0.0), high, fewest, most)


def _quadrature(heights: np.ndarray, factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return integrals by Fejér's rule times a factor, and what rounded weights add to their error."""
    # engine.md 11, "Rounding of integrals"
    return factor * (heights @ _fejer()[1]), 128 * U * factor * heights.max(axis=1)
