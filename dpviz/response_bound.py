"""Identical leaky randomized responses: the closed form of Kairouz, Oh and Viswanath, by binomial tails."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, expit

from dpviz.accountant import epsilons

TAIL_ERROR = 2e-13  # relative error allowed to the binomial tails, measured to be below a tenth of it
SMALLEST = 1e-280


def identical_responses(law, counts, log_rest, accuracy):
    """Return epsilon and excess of `counts` uses of one leaky randomized response.

    Parameters
    ----------
    law : ResponseLaw
    counts : ndarray of int, shape (points,)
    log_rest : ndarray of float, shape (points,)
        ln of what delta leaves when the leaks are paid.
    accuracy : float
        Wanted relative excess where the Fourier engine must help out.

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
        answer[rest], excess[rest] = epsilons([law], counts[rest, None], log_rest[rest], accuracy)
    return np.minimum(answer, counts * law.epsilon * (1 + 4e-16)), excess


def tails(epsilon, counts, delta):
    """Return epsilon, excess, and where both are sure, for `counts` randomized responses at `delta`.

    With at most `lies` lies counted, delta(x) = more - exp(x) fewer from one grid point to the next; Newton on ln
    delta finds the piece.
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
    error = TAIL_ERROR * (1 + more / np.maximum(more - delta, SMALLEST)) + 4e-16 * np.abs(root)
    answer = np.maximum(root + error, 0.0)
    sure = settled & (fewer > SMALLEST) & (more - delta > 1e-6 * delta) & (error < 1e-11 * np.maximum(root, 1e-3))
    return answer, np.minimum(2 * error, answer), sure


def pieces(epsilon, counts, answer):
    """Return the number of lies of the piece on which `answer` lies; at most the one that contains 0."""
    return np.floor(((counts - np.maximum(answer, 0.0) / epsilon) / 2).clip(0, counts))


def guess(epsilon, counts, delta):
    """Return a Gaussian approximation of the answer."""
    mean, decay = counts * epsilon * np.tanh(epsilon / 2), np.exp(-epsilon / 2)
    spread = np.sqrt(counts) * epsilon * 2 * decay / (1 + decay * decay)
    return mean + spread * np.sqrt(np.maximum(-2 * np.log(delta) - np.log(-2 * np.log(delta) + 1) - 2, 0.0))
