"""Identical leaky randomized responses: the closed form of Kairouz, Oh and Viswanath, by proved binomial tails."""

from __future__ import annotations

import numpy as np

from dpviz.mechanisms.laws.loss_laws import ResponseLaw
from dpviz.outward import U, lowered, raised
from dpviz.privacy_loss.binomial import Tails, log_mass, most_lies, tails

_ROUND = 16 * U  # engine.md 11, "Epsilon itself": what its last few operations may err, relatively
_LEAST = 5e-324  # the smallest double
_MOST = 2.0**53  # larger counts are no whole doubles: the largest loss answers
_NEWTON = 8  # turns before the search halves its bracket


def upper_response_epsilon(
    law: ResponseLaw, counts: np.ndarray, log_rest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return epsilon and excess of `counts` uses of one leaky randomized response, each of shape (points,).

    `log_rest` is ln of what delta leaves when the leaks are paid. Epsilon is a proved upper end, and epsilon less the
    excess a proved lower end.

    References
    ----------
    Kairouz, Oh and Viswanath (2015), The Composition Theorem for Differential Privacy, Thm 3.3.

    Examples
    --------
    >>> epsilon, excess = upper_response_epsilon(ResponseLaw(0.5, 0.0), np.array([10]), np.log([1e-6]))
    >>> print(f"{epsilon[0]:.9f}, {bool(excess[0] < 1e-12)}")
    4.999885471, True
    """
    lower, upper = _enclosed(law, counts.astype(float), log_rest)
    return upper, np.minimum(raised(upper - lower, 16), upper)


def lower_response_epsilon(law: ResponseLaw, counts: np.ndarray, log_rest: np.ndarray) -> np.ndarray:
    """Return an epsilon of shape (points,) below which none suffices; `log_rest` is to be rounded up.

    Examples
    --------
    >>> print(f"{lower_response_epsilon(ResponseLaw(0.5, 0.0), np.array([10]), np.log([1e-6]))[0]:.9f}")
    4.999885471
    """
    return _enclosed(law, counts.astype(float), log_rest)[0]


def _enclosed(law: ResponseLaw, counts: np.ndarray, log_rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of epsilon.

    Between the losses of lies + 1 and of `lies` lies, epsilon is the latter's loss + ln(1 - share), where `share` is
    (delta - gain) / fewer in the units of `tails`. With any `lies` that is a lower end; it is an upper end where
    share >= 0, for then delta is enough at that loss.
    """
    if law.epsilon == 0 or law.delta == 1:
        return np.zeros(len(counts)), np.zeros(len(counts))
    heard = counts * np.log1p(-law.delta)
    log_heard = log_rest - heard
    # engine.md 11, "R and r"
    doubt = 13 * U * np.abs(heard) + 4 * U * np.abs(log_rest) + 4 * U
    each, last = law.epsilon, np.maximum(np.ceil(counts / 2) - 1, 0.0)
    last = np.minimum(last, most_lies(each, counts))
    most = raised(counts * each, 16)
    lower, upper = np.zeros(len(counts)), np.where(log_heard - doubt >= 0, 0.0, most)
    low, high = np.zeros(len(counts)), last.copy()
    lies = np.minimum(_pieces(each, counts, _guess(each, counts, log_heard)), last)
    rows = np.flatnonzero((upper > 0) & (counts <= _MOST))
    for turn in range(200):
        if not len(rows):
            break
        at = lies[rows]
        below, above, passed, after = _ends(each, counts[rows], at, log_heard[rows], doubt[rows])
        lower[rows], upper[rows] = np.maximum(lower[rows], below), np.minimum(upper[rows], above)
        sure, beyond = above < np.inf, passed & (at < last[rows])
        low[rows], high[rows] = np.where(beyond, at + 1, low[rows]), np.where(sure, high[rows], at - 1)
        after = after if turn < _NEWTON else (low[rows] + high[rows]) // 2
        lies[rows] = np.clip(after, low[rows], np.maximum(high[rows], low[rows]))
        rows = rows[(beyond | ~sure) & (low[rows] <= high[rows])]
    return np.clip(lower, 0.0, upper), upper


def _ends(
    each: float, counts: np.ndarray, lies: np.ndarray, log_heard: np.ndarray, doubt: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what `lies` lies prove of epsilon, whether it is surely at most the next loss, and the lies to try next.

    The ends are a lower and an upper one; the latter is inf where epsilon may lie beyond the loss of `lies` lies.
    """
    found, (mass, error) = tails(each, counts, lies), log_mass(each, counts, lies)
    over = log_heard - mass
    error += doubt + 4 * U * np.abs(mass) + 20 * U  # engine.md 11, "R and r"
    rest, rest_most = (np.exp(np.minimum(over + side * error, 690.0)) for side in (-1, 1))
    least = _shares(rest - found.gain_most, found, up=False)
    below = _log_less(_shares(rest_most - found.gain, found, up=True))
    loss, next_loss = (counts - 2 * lies) * each, (counts - 2 * lies - 2) * each
    passed = least > raised(-np.expm1(-2 * each), 16)
    inner = np.maximum(loss + _log_less(least), next_loss) + _ROUND * loss
    top = np.maximum(np.where(passed, next_loss + 2 * U * np.abs(next_loss), inner), 0.0)
    above = np.where((least >= 0) | (lies == 0), top, np.inf)
    bottom = loss + below - _ROUND * (loss + np.abs(below))
    return bottom, above, passed, lies + _further(each, counts, lies, over, found)


def _further(each: float, counts: np.ndarray, lies: np.ndarray, log_rest: np.ndarray, found: Tails) -> np.ndarray:
    """Return how many lies further the piece is, by a parabola through ln delta at the losses (an estimate).

    `log_rest` is in the units of `found`.
    """
    here = found.gain - np.expm1(-2 * each) * found.fewer  # delta at the next loss; gain is delta at this one
    lacks = log_rest - np.log(here)
    slope = np.clip(np.log(here / np.maximum(found.gain, 1e-300)), 1e-9, 2 * each + np.log1p(counts))
    bend = 0.9 / np.maximum(lies, 1.0) + 0.9 / (counts - lies)
    return np.ceil(2 * lacks / (slope + np.sqrt(np.maximum(slope * slope - 2 * bend * lacks, 0.0))))


def _shares(difference: np.ndarray, found: Tails, up: bool) -> np.ndarray:
    """Return `difference` / fewer, rounded up or down."""
    upwards = (difference >= 0) == up
    return difference / np.where(upwards, found.fewer, found.fewer_most) * np.where(upwards, 1 + 4 * U, 1 - 4 * U)


def _log_less(share: np.ndarray) -> np.ndarray:
    """Return ln(1 - share), -inf from 1 on."""
    return np.where(share < 1, np.log1p(-np.where(share < 1, share, 0.0)), -np.inf)


def _pieces(epsilon: float, counts: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Return the number of lies of the piece on which `answer` lies; at most the one that contains 0."""
    return np.floor(((counts - np.maximum(answer, 0.0) / epsilon) / 2).clip(0, counts))


def _guess(epsilon: float, counts: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """Return a Gaussian approximation of the answer."""
    mean, decay = counts * epsilon * np.tanh(epsilon / 2), np.exp(-epsilon / 2)
    spread = np.sqrt(counts) * epsilon * 2 * decay / (1 + decay * decay)
    square = np.maximum(-2 * log_delta, 0.0)
    return mean + spread * np.sqrt(np.maximum(square - np.log(square + 1) - 2, 0.0))


def upper_response_delta(law: ResponseLaw, count: int, epsilon: np.ndarray) -> np.ndarray:
    """Return delta of `count` uses of one leaky randomized response at each `epsilon` in [0, inf), rounded up.

    References
    ----------
    Kairouz, Oh and Viswanath (2015), The Composition Theorem for Differential Privacy, Thm 3.3.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.loss_laws import ResponseLaw
    >>> print(f"{upper_response_delta(ResponseLaw(0.5, 0.0), 1, np.array([0.0]))[0]:.9f}")
    0.244918662
    """
    whole = _with_leaks(law, count, _finite_delta(law.epsilon, count, epsilon)[1])
    return np.minimum(raised(whole, 32) + np.where(whole > 0, 4 * _LEAST, 0.0), 1.0)


def lower_response_delta(law: ResponseLaw, count: int, epsilon: np.ndarray) -> np.ndarray:
    """Return delta of `count` uses of one leaky randomized response at each `epsilon` in [0, inf), rounded down.

    Examples
    --------
    >>> print(f"{lower_response_delta(ResponseLaw(0.5, 0.0), 1, np.array([0.0]))[0]:.9f}")
    0.244918662
    """
    whole = _with_leaks(law, count, _finite_delta(law.epsilon, count, epsilon)[0])
    return np.maximum(lowered(whole, 32) - 4 * _LEAST, 0.0)


def _with_leaks(law: ResponseLaw, count: int, finite: np.ndarray) -> np.ndarray:
    """Return delta where the finite losses alone have `finite`."""
    if law.delta == 1:
        return np.full(len(finite), float(count > 0))
    log_heard = count * np.log1p(-law.delta)
    return -np.expm1(log_heard) + np.exp(log_heard) * finite


def _finite_delta(each: float, count: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of delta of `count` randomized responses without leaks.

    With `below`, how far epsilon is below the loss of `lies` lies, delta is their mass times
    gain + (1 - exp(-below)) fewer where 0 <= below <= 2 each, and no less elsewhere.
    """
    if count * each == 0 or count > _MOST:
        return np.zeros(len(epsilon)), np.where(epsilon < raised(count * each, 16), 1.0, 0.0)
    counts, slack = np.full(len(epsilon), float(count)), 4 * U * count * each  # engine.md 11, "Delta itself"
    lies = np.clip(np.ceil((counts - np.minimum(epsilon, count * each) / each) / 2) - 1, 0.0, None)
    lies += (counts - 2 * lies) * each - epsilon + slack > 2 * each
    allowed = most_lies(each, counts)
    cut, lies = lies > allowed, np.minimum(lies, allowed)
    below = (counts - 2 * lies) * each - epsilon
    least, most = (-np.expm1(-np.maximum(below + side * slack, 0.0)) for side in (-1, 1))
    found, (mass, error) = tails(each, counts, lies), log_mass(each, counts, lies)
    error += 4 * U * np.abs(mass) + 40 * U  # engine.md 11, "Delta itself"
    low, high = (np.exp((mass + side * error) / 2) for side in (-1, 1))  # half of it, lest it is no normal double
    low = (found.gain + least * found.fewer) * low * low - _LEAST
    reached = np.minimum(found.gain_most + most * found.fewer_most, 1e300)
    high = np.where((lies > 0) | (below + slack > 0), reached * high * high + _LEAST, 0.0)
    return np.clip(low, 0.0, 1.0), np.where(cut | (reached == 1e300), 1.0, np.minimum(high, 1.0))
