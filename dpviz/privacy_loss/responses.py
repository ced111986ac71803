"""Identical leaky randomized responses: the closed form of Kairouz, Oh and Viswanath, by binomial tails."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, expit, gammaln

from dpviz.mechanisms.loss_laws import ResponseLaw
from dpviz.privacy_loss.accountant import epsilons

TAIL_ERROR = 2e-13  # relative error allowed to the binomial tails of 1000 uses, measured to be below a tenth of it
SMALLEST = 1e-250  # binomial tails below are not trusted: the library returns 0 for some of 1e-270
SUMMED = 1 << 16  # up to this many uses the binomial sums are taken term by term


def identical_responses(
    law: ResponseLaw, counts: np.ndarray, log_rest: np.ndarray, accuracy: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return epsilon and excess of `counts` uses of one leaky randomized response, each of shape (points,).

    `log_rest` is ln of what delta leaves when the leaks are paid; `accuracy` is the wanted relative excess where the
    Fourier engine must help out.

    References
    ----------
    Kairouz, Oh and Viswanath (2015), The Composition Theorem for Differential Privacy, Thm 3.3.
    """
    if law.epsilon == 0:
        return np.zeros(len(counts)), np.zeros(len(counts))
    log_heard = log_rest - counts * np.log1p(-law.delta)
    answer, excess, sure = tails(law.epsilon, counts.astype(float), np.exp(np.minimum(log_heard, 0.0)))
    rest = np.flatnonzero(~sure)
    if len(rest):
        answer[rest], excess[rest] = epsilons([law], counts[rest, None], log_rest[rest], accuracy)[:2]
    return np.minimum(answer, counts * law.epsilon * (1 + 4e-16)), excess


def tails(epsilon: float, counts: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return epsilon, its excess and where both are sure, for `counts` randomized responses at `delta`.

    While outputs with at most `lies` lies count, delta(x) = more - exp(x) fewer; Newton on ln delta finds that piece.
    """
    lies = pieces(epsilon, counts, guess(epsilon, counts, delta))
    truth, lie = expit(epsilon), expit(-epsilon)
    low, high = np.full(len(counts), -1.0), counts.copy()  # too few lies; enough of them
    for turn in range(60):
        inner = lies < counts
        more = np.where(inner, betainc(np.where(inner, counts - lies, 1.0), lies + 1, truth), 1.0)
        fewer = np.where(inner, betainc(np.where(inner, counts - lies, 1.0), lies + 1, lie), 1.0)
        log_fewer = np.log(np.maximum(fewer, SMALLEST))
        root = np.log(np.maximum(more - delta, SMALLEST)) - log_fewer
        start = (counts - 2 * lies - 2) * epsilon
        quantity = np.exp(np.minimum(start + log_fewer, 0.0))
        there = np.maximum(more - quantity, SMALLEST)
        enough = (there >= delta) | (start <= 0)
        low, high = np.where(enough, low, lies), np.where(enough, lies, high)
        settled = enough & ((lies - low <= 1) | (root <= start + 2 * epsilon))
        if settled.all():
            break
        step = np.log(there / delta) * there / np.maximum(quantity, SMALLEST)
        after = pieces(epsilon, counts, start + step) if turn < 6 else np.floor((low + high) / 2)
        lies = np.where(settled, lies, np.clip(after, low + 1, np.maximum(high - enough, low + 1)))
    error = tail_error(counts) * (1 + more / np.maximum(more - delta, SMALLEST)) + 4e-16 * np.abs(root)
    answer = np.maximum(root + error, 0.0)
    sure = settled & (root <= start + 2 * epsilon * (1 + 1e-9)) & (fewer > SMALLEST)
    sure &= (more - delta > 1e-6 * delta) & (error < 1e-11 * np.maximum(root, 1e-3))
    return answer, np.minimum(2 * error, answer), sure


def pieces(epsilon: float, counts: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Return the number of lies of the piece on which `answer` lies; at most the one that contains 0."""
    return np.floor(((counts - np.maximum(answer, 0.0) / epsilon) / 2).clip(0, counts))


def guess(epsilon: float, counts: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return a Gaussian approximation of the answer."""
    mean, decay = counts * epsilon * np.tanh(epsilon / 2), np.exp(-epsilon / 2)
    spread = np.sqrt(counts) * epsilon * 2 * decay / (1 + decay * decay)
    return mean + spread * np.sqrt(np.maximum(-2 * np.log(delta) - np.log(-2 * np.log(delta) + 1) - 2, 0.0))


def response_delta(law: ResponseLaw, count: int, epsilon: np.ndarray) -> np.ndarray:
    """Return delta of `count` uses of one leaky randomized response at each `epsilon` in [0, inf), rounded up.

    References
    ----------
    Kairouz, Oh and Viswanath (2015), The Composition Theorem for Differential Privacy, Thm 3.3.

    Examples
    --------
    >>> from dpviz.mechanisms.loss_laws import ResponseLaw
    >>> print(f"{response_delta(ResponseLaw(0.5, 0.0), 1, np.array([0.0]))[0]:.9f}")
    0.244918662
    """
    log_heard = count * np.log1p(-min(law.delta, 1 - 2.0**-53))
    finite, inside = np.zeros(len(epsilon)), np.flatnonzero(epsilon < count * law.epsilon * (1 + 1e-15))
    if len(inside) and law.delta < 1:
        places = epsilon[inside] * (1 - 4e-16)
        values, errors = differences(law.epsilon, count, places)
        poor = np.flatnonzero(errors > 1e-11 * values)
        finite[inside] = values + errors
        if len(poor) and count <= SUMMED:
            finite[inside[poor]] = np.minimum(finite[inside[poor]], sums(law.epsilon, count, places[poor]))
    whole = -np.expm1(log_heard) + np.exp(log_heard) * np.minimum(finite, 1.0)
    return np.minimum(whole * (1 + 2e-15), 1.0) if law.delta < 1 else np.ones(len(epsilon))


def differences(each: float, count: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return delta as the difference of two binomial tails, and the error allowed to it."""
    lies = np.clip(np.ceil((count - epsilon / each) / 2) - 1, 0, count).astype(float)
    inner = lies < count
    left = np.where(inner, count - lies, 1.0)
    more, fewer = (np.where(inner, betainc(left, lies + 1, share), 1.0) for share in (expit(each), expit(-each)))
    trusted = fewer > SMALLEST
    taken = np.where(trusted, np.exp(np.minimum(epsilon + np.log(np.maximum(fewer, SMALLEST)), 0.0)), 0.0)
    error = tail_error(count) * more + 4e-16 * epsilon * taken + np.where(trusted, SMALLEST, np.maximum(more, SMALLEST))
    return np.maximum(more - taken, 0.0), 2 * error


def tail_error(count: float | np.ndarray) -> np.ndarray:
    """Return the relative error allowed to binomial tails of `count` uses: measured to grow as their root."""
    return TAIL_ERROR * np.sqrt(np.maximum(1.0, count / 1e3))


def sums(each: float, count: int, epsilon: np.ndarray) -> np.ndarray:
    """Return delta as sums of positive terms only, however small it is, rounded up."""
    lies = np.arange(count + 1)
    log_q = gammaln(count + 1) - gammaln(lies + 1) - gammaln(count - lies + 1)
    log_q -= (count - lies) * np.logaddexp(0, each) + lies * np.logaddexp(0, -each)
    losses = (count - 2 * lies) * each
    below = np.logaddexp.accumulate(log_q) + losses  # ln of exp(loss) times Q's mass of losses at least as large
    gains = np.logaddexp.accumulate(below + np.log(-np.expm1(-2 * each)))
    place = np.clip(np.ceil((count - epsilon / each) / 2) - 1, 0, count).astype(int)
    before = np.where(place > 0, gains[np.maximum(place - 1, 0)], -np.inf)
    with np.errstate(divide="ignore"):
        here = below[place] + np.log(-np.expm1(np.minimum(epsilon - losses[place], 0.0)))
    error = 1e-15 * (gammaln(count + 1) + count * (2 + each) + 20)
    return np.exp(np.minimum(np.logaddexp(before, here) + error, 0.0))


def identical_responses_floor(law, counts, log_rest):
    """STUB."""
    e, x = identical_responses(law, counts, log_rest, 1e-8)
    return np.maximum(e - 2*x, 0.0)


def response_delta_floor(law, count, epsilon):
    """STUB."""
    return response_delta(law, count, epsilon) * (1 - 1e-9)
