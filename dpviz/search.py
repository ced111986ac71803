"""Where a monotone condition turns: every search ends on the side where it holds, at a place that was tried."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np

ROUGH = 1e-3  # accuracy while the place is not known yet
_FARTHEST = 350.0  # of |ln scale|, from where it is looked first
_LARGEST = 700.0  # of |ln scale|
_CLIPPED = 3.0  # of ln(total / limit), so that an infinite total steers no worse than a large one
_BEYOND = 1e-17  # the least |ln(total / limit)| of what is not at the limit
_POWERS = 2 ** np.array([0, 2, 4, 8, 14, 20])  # that are tried first
_NEAR, _FAR = (1.5e-3,), (0.01, 0.2)  # shares: how far from where a count is expected others are tried
_FLATTEST = 0.05  # a steepness below leads too far
_LIKELY, _CLOSE = 8, 0.01  # steps of a rough search at most; how close to the limit one more leads where it is
_APART = 0.01  # of ln scale, between places where a condition is looked at that is not monotone
_TRIES = 3  # until a bracket is also halved
_RUN = 6  # counts to either side of a guess that are tried with it: where it is that good, nothing else is asked
Counted = Callable[[np.ndarray], np.ndarray]


def first_count(holds: Counted, most: int, guess: int = 0, sections: int = 16) -> int | None:
    """Return the first count in [1, most] at which a condition holds that holds from there on; None if none.

    Parameters
    ----------
    holds : callable
        ``holds(counts)`` for ascending counts, bool of the same shape; see `singly`.
    most : int
    guess : int
        Where to look first; 0 for the powers of two from 1.
    sections : int
        Counts tried at once: many where that costs little more than one.

    Examples
    --------
    >>> first_count(lambda counts: counts**2 >= 10**6, 10**9), first_count(lambda counts: counts < 0, 10**9)
    (1000, None)
    """
    low, powers = 0, 2 ** np.arange(max(1, sections // 2))
    probes = guess + max(1, guess // 1000) * np.array([-4, -1, 0, 1, 4]) if guess else powers
    while True:
        probes = np.unique(np.clip(probes, 1, most))
        true = np.flatnonzero(holds(probes))
        before = probes[: true[0]] if true.size else probes
        low = int(before[-1]) if before.size else low
        if true.size:
            return first_between(holds, low, int(probes[true[0]]), sections)
        if low >= most:
            return None
        probes = 2 * low * powers


def first_beyond(
    total: Callable[[np.ndarray], np.ndarray], limit: float, most: int, guess: int | None = None, close: float = 0.0
) -> int | None:
    """Return the first count in [1, most] whose total exceeds a limit, for a total that does not fall; None if none.

    Parameters
    ----------
    total : callable
        ``total(counts)`` for ascending counts, float of the same shape, at least 0; inf is allowed.
    limit : float
        At least 0.
    most : int
    guess : int, optional
        Where to look first, close to the answer; else the powers of two from 1.
    close : float
        Relative distance from the last count within the limit at which a count beyond it will do.

    Examples
    --------
    >>> first_beyond(np.sqrt, 100.0, 10**9), first_beyond(np.sqrt, 1e6, 10**9)
    (10001, None)
    """
    known, tries = {0: 0.0}, 0
    probes = _around(guess, 0, most + 1, _NEAR, _RUN) if guess else np.minimum(_POWERS, most)
    while True:
        probes = np.unique(probes)
        known.update(zip(probes.tolist(), total(probes).tolist(), strict=True))
        high = min((count for count, value in known.items() if value > limit), default=most + 1)
        low = max(count for count in known if count < high)
        if high - low == 1 or high <= min(most, low * (1 + close)):
            return None if high > most else high
        middle, tries = math.isqrt(max(low, 1) * high), tries + 1  # of the logarithms
        surely = [min(max(middle, low + 1), high - 1)] if tries > _TRIES else []  # halves what is expected wrongly
        around = _around(_expected(known, limit, low, middle), low, high, _NEAR if high <= 2 * low else _FAR)
        probes = np.append(around, surely).astype(np.int64)


def _expected(known: dict[int, float], limit: float, low: int, middle: int) -> int:
    """The count at which a power law through the two known totals closest to the limit meets it; else the middle."""
    finite = sorted(count for count, value in known.items() if 0 < value < math.inf)
    place = min(max(sum(count <= low for count in finite), 1), len(finite) - 1)
    if limit <= 0 or place < 1:
        return middle
    left, right = finite[place - 1 : place + 1]
    under, over = known[left], known[right]
    if over <= under:
        return middle
    steps = math.log(limit / under) * math.log(right / left) / math.log(over / under)
    return int(min(left * math.exp(min(steps, 40.0)), 4e18))


def likely_beyond(total: Callable[[np.ndarray], np.ndarray], limit: float, most: int, guess: int) -> int:
    """Return about the first count in [1, most] whose total exceeds a limit, by totals close to a guess.

    Examples
    --------
    >>> round(likely_beyond(np.sqrt, 100.0, 10**9, 9000), -1)
    10000
    """
    probes = np.unique(_around(guess, 0, most + 1, _FAR[:1], 0))
    known = {0: 0.0} | dict(zip(probes.tolist(), total(probes).tolist(), strict=True))
    low = max(count for count, value in known.items() if value <= limit)
    return min(max(_expected(known, limit, low, guess), 1), most)


def _around(guess: int, low: int, high: int, shares: tuple[float, ...], run: int = 1) -> np.ndarray:
    """Counts close to a guess and some less close to it, between two counts, both excluded."""
    far = np.array([share * guess for share in shares], dtype=np.int64)
    return np.clip(guess + np.concatenate([-far, np.arange(-run, run + 1), far]), low + 1, high - 1)


def first_between(holds: Counted, low: int, high: int, sections: int = 16) -> int:
    """Return the first whole number above `low` at which a condition holds, which it does at `high`.

    Examples
    --------
    >>> first_between(lambda counts: counts**2 >= 10**6, 0, 10**9, sections=1)
    1000
    """
    while high - low > 1:
        tried = np.unique(np.linspace(low, high, sections + 2)[1:-1].astype(np.int64))
        tried = tried[tried > low]
        true = holds(tried)
        place = int(np.argmax(true)) if true.any() else len(tried)
        low, high = int([low, *tried][place]), int([*tried, high][place])
    return high


def last_count(holds: Callable[[int], bool], most: int, guess: int = 0) -> int:
    """Return the last count in [0, most] at which a condition holds that holds up to there, at 0 for sure.

    Parameters
    ----------
    holds : callable
        ``holds(count)``, asked of one count at a time.
    most : int
    guess : int
        Where to look first, close to the answer; 0 for the powers of two from 1.

    Examples
    --------
    >>> last_count(lambda count: count**2 <= 10**6, 10**9), last_count(lambda count: True, 10**9)
    (1000, 1000000000)
    """
    low, high, probe, step = 0, most + 1, min(max(guess, 1), most), max(1, guess // 1000)
    while high - low > 1:
        if holds(probe):
            low = probe
        else:
            high = probe
        if low and high <= most:
            probe = (low + high) // 2
        else:  # one end is not known yet: ever farther steps from the guess
            probe, step = min(low + step, most) if low else max(high - step, 1), 2 * step
    return low


def singly(holds: Callable[[int], bool]) -> Counted:
    """Return the condition for arrays of counts, asked one by one."""
    return lambda counts: np.array([holds(count) for count in counts.tolist()])


def farthest(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the double farthest from `inside`, where a condition holds, towards `outside`, where it does not.

    Parameters
    ----------
    holds : callable
    inside, outside : float
        At least 0, in either order; neither is tried.

    Examples
    --------
    >>> farthest(lambda value: value**2 <= 2, 1.0, 2.0), farthest(lambda value: value**2 >= 2, 2.0, 1.0)
    (1.414213562373095, 1.4142135623730951)
    """
    near, far = (struct.unpack("<q", struct.pack("<d", end))[0] for end in (inside, outside))  # places among doubles
    while abs(far - near) > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if holds(_double(middle)) else (near, middle)
    return _double(near)


def _double(place: int) -> float:
    return struct.unpack("<d", struct.pack("<q", place))[0]


def least_scale(
    total: Callable[[float, float], float], start: float, limit: float, precision: float, window: float = 0.0
) -> float | None:
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
    window : float
        The search also stops where no more than this share of the limit is left.

    Returns
    -------
    float or None
        Within the limit; a scale smaller by more than `precision` is not, unless the total is within the window. None
        where all scales are within the limit, or none.

    Examples
    --------
    >>> scale = least_scale(lambda scale, accuracy: 3 / scale, 1.0, 0.5, 1e-9)
    >>> 6 <= scale <= 6.00000001
    True
    """
    rough: dict[float, float] = {}
    if precision < ROUGH / 10:  # else a rough search first saves nothing
        # Where all rough totals lie on one side, those that decide need not.
        found = least_within(lambda scale: rough.setdefault(scale, total(scale, ROUGH)), start, limit, ROUGH, ROUGH)
        start = found or start
    steepness = _steepness(rough, limit) if window else None  # which leads into a window at once
    return least_within(lambda scale: total(scale, precision), start, limit, precision, window, steepness)


def likely_scale(
    total: Callable[[float], float], start: float, limit: float, steepness: float
) -> tuple[float, float]:
    """Return about the scale at which a total that falls with it meets the limit, and by which power it falls there.

    Parameters
    ----------
    total : callable
        ``total(scale)``, about the total; inf is allowed.
    start, limit : float
        Above 0.
    steepness : float
        By which power the total is expected to fall, above 0.

    Examples
    --------
    >>> scale, power = likely_scale(lambda scale: 3 / scale, 1.0, 0.5, 1.8)
    >>> round(scale, 6), round(power, 6)
    (6.0, 1.0)
    """
    place, before = math.log(start), None
    for _ in range(_LIKELY):
        value = total(math.exp(place))
        off = math.log(max(value, 1e-300) / limit) if value < math.inf else _CLIPPED
        off = min(max(off, -_CLIPPED), _CLIPPED)
        if before and before[0] != place and (before[1] - off) / (place - before[0]) > _FLATTEST:
            steepness = (before[1] - off) / (place - before[0])
        before, place = (place, off), min(max(place + off / steepness, -_FARTHEST), _FARTHEST)
        if abs(off) <= _CLOSE:
            break
    return math.exp(place), steepness


def _steepness(known: dict[float, float], limit: float) -> float | None:
    """By which power of the scale a total falls near the limit; None where that is not known."""
    near = sorted(known, key=lambda scale: abs(known[scale] - limit))[:2]
    if len(near) < 2 or not all(0 < known[scale] < math.inf for scale in near):
        return None
    fall = math.log(known[near[0]] / known[near[1]]) / math.log(near[1] / near[0])
    return fall if fall > _FLATTEST else None


def last_crossing(holds: Callable[[float], bool], scale: float, until: float, precision: float) -> float:
    """Return the least scale from which on a condition holds that need not be monotone, looked at 1 % apart.

    Parameters
    ----------
    holds : callable
    scale : float
        Where it holds, above 0.
    until : float
        At least `scale`; from there on it surely holds.
    precision : float
        Relative width at which to stop; the scale that is returned was tried.

    Examples
    --------
    >>> last_crossing(lambda scale: not 2 <= scale < 3, 1.0, 8.0, 1e-9)
    3.000000000...
    """
    for step in range(math.ceil(math.log(until / scale) / _APART), 0, -1):
        low = scale * math.exp(step * _APART)
        if not holds(low):
            break
    else:
        return scale
    high = min(low * math.exp(_APART), until)
    while high > low * (1 + precision):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least_within(
    total: Callable[[float], float],
    start: float,
    limit: float,
    precision: float,
    window: float = 0.0,
    steepness: float | None = None,
) -> float | None:
    """Return what `least_scale` does for a total of one accuracy, by Brent's method in logarithms.

    `steepness` guesses by which power of the scale the total falls, and steers the first step alone.

    Examples
    --------
    >>> scale = least_within(lambda scale: 3 / scale, 1.0, 0.5, 1e-9)
    >>> 6 <= scale <= 6.00000001
    True
    """
    from scipy.optimize import brentq

    known: dict[float, float] = {}
    aim = max(limit * (1 - window / 2), 1e-300)

    def misfit(x: float) -> float:
        value = known[x] if x in known else known.setdefault(x, total(math.exp(x)))
        if limit * (1 - window) <= value <= limit:
            return 0.0
        ratio = math.log(max(value, 1e-300) / aim) if value < math.inf else _CLIPPED
        return max(-_CLIPPED, min(ratio, -_BEYOND)) if value < limit else min(max(ratio, _BEYOND), _CLIPPED)

    x, step = math.log(start), precision
    low, high = max(x - _FARTHEST, -_LARGEST), min(x + _FARTHEST, _LARGEST)
    while here := misfit(x):
        far = max(2 * abs(here), step) if steepness is None else abs(here) / steepness
        beyond, steepness = min(max(x + math.copysign(far, here), low), high), None
        if beyond == x:
            return None
        if (misfit(beyond) > 0) != (here > 0):
            brentq(misfit, x, beyond, xtol=precision, disp=False)
            break
        x, step = beyond, 4 * step
    return math.exp(min(each for each, value in known.items() if value <= limit))
