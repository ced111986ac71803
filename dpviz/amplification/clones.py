"""Shuffling, summed numerically: how well a client hides among the others' reports that may as well be its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, gammaln, xlogy

from dpviz.search import least_within

LEAST_DELTA = 1e-280  # below, probabilities leave the range of doubles, and nothing is summed
MOST_LOCAL = 200.0  # above, a clone among 10^13 reports is less likely than 10^-70, and nothing is summed
_BETA, _BETA_ROOT = 1e-10, 1e-13  # relative, outward on a binomial probability of n: 1e-10 + 1e-13 √n (see `_outward`)
_SHARE_OUT = 1e-15  # relative, outward on the share of clones
_LOST = 1e-300  # more than what a sum loses to underflow
_BEYOND = 16.0  # e^-16 of the sum may lie beyond the counts looked at; it is counted, but coarsely
_CLOSE = 1e-6  # relative, of the search in ε and in δ
_FEWEST = 32  # steps in the count
_STEPS = 5e4  # steps in the count times its standard deviation: what that adds to ε is of the order of 1e-4
_EXACT = 32  # below, ln n! is taken from gammaln, beyond from Stirling's series


@dataclass(frozen=True, slots=True)
class Clones:
    """How likely another client's report is a clone, a fair coin between the two that are compared.

    Parameters
    ----------
    share, rest : float
        The probability, rounded down, and one less it, rounded up.
    """

    share: float
    rest: float


def of_any_randomizer(local: float) -> Clones:
    """Return the clones that every ε₀-DP local randomizer has: with probability e^-ε₀.

    Examples
    --------
    >>> round(of_any_randomizer(1.0).share, 6)
    0.367879
    """
    return Clones(math.exp(-local) * (1 - _SHARE_OUT), -math.expm1(-local) * (1 + _SHARE_OUT))


def of_randomized_response(local: float) -> Clones:
    """Return the clones of binary randomized response: with probability 2/(e^ε₀ + 1).

    Examples
    --------
    >>> round(of_randomized_response(1.0).share, 6)
    0.537883
    """
    share = 2 * math.exp(-local) / (1 + math.exp(-local))
    return Clones(share * (1 - _SHARE_OUT), math.tanh(local / 2) * (1 + _SHARE_OUT))


def hidden_epsilon(local: float, clients: int, delta: float, clones: Clones) -> float:
    """Return the ε of a client among clones at δ, rounded up; inf where it was not looked for.

    Parameters
    ----------
    local : float
        ε₀, in [0, inf); inf is returned above `MOST_LOCAL`.
    clients : int
        n, at least 1.
    delta : float
        In (0, 1]; inf is returned below `LEAST_DELTA`.
    clones : Clones

    Returns
    -------
    float
        In [0, ε₀], or inf.

    Examples
    --------
    >>> round(hidden_epsilon(4.0, 100_000, 1e-6, of_any_randomizer(4.0)), 4)
    0.1698
    """
    if local == 0:
        return 0.0
    if local > MOST_LOCAL or delta < LEAST_DELTA:
        return math.inf
    counts, below = _steps(clones, clients - 1, delta)

    def total(epsilon: float) -> float:
        return hidden_delta(local, epsilon, counts, below) if epsilon < local else 0.0

    if total(0.0) <= delta:
        return 0.0
    found = least_within(total, _guess(local, clients * clones.share, delta), delta, _CLOSE, _CLOSE)
    return local if found is None else min(found, local)


def hidden_delta(local: float, epsilon: float, counts: np.ndarray, below: np.ndarray) -> float:
    """Return δ(ε) of a client among a random number of clones, rounded up.

    Parameters
    ----------
    local, epsilon : float
        0 <= ε < ε₀.
    counts : ndarray of float, shape (steps,)
        Ascending numbers of clones, from 0.
    below : ndarray of float, shape (steps - 1,)
        Upper bounds on the probability of fewer than ``counts[1:]``.

    Notes
    -----
    A further clone never helps the adversary, who could add it, so that δ given the number of clones does not rise with
    it: each number is counted as the largest of `counts` within it, and the mean of the steps is summed by parts.

    Examples
    --------
    >>> round(hidden_delta(1.0, 0.5, np.array([0.0, 10.0]), np.array([0.1])), 6)
    0.03387
    """
    given = np.minimum.accumulate(_given(local, epsilon, counts))
    return float(given[-1] + np.dot(given[:-1] - given[1:], below)) * (1 + _BETA) + _LOST


def _outward(counts: np.ndarray | int) -> np.ndarray | float:
    """By how much a binomial probability is moved outward, relative: 30 times what was seen against 50 digits.

    SciPy's betainc was off by up to 3e-15 √n, for n up to 10^13 and as far as 37 standard deviations from the mean.
    """
    return _BETA + _BETA_ROOT * np.sqrt(counts)


def _given(local: float, epsilon: float, counts: np.ndarray) -> np.ndarray:
    """δ(ε) given the number c of clones, rounded up; both directions agree by symmetry.

    With B ~ Bin(c, 1/2) the adversary sees B + 1 with probability e^ε₀/(e^ε₀ + 1), else B, or the reverse. The odds of
    what is seen rise with it and exceed e^ε where c + 1 less it is at most m, so that δ is, after B + 1 and B are put
    together, Pr[B = m] (e^ε₀ - e^ε)/(e^ε₀ + 1) - (e^ε - 1) Pr[B < m]. An m that rounding moves by one changes that by
    no more than 1e-14 of its first term.
    """
    grown = math.expm1(epsilon)
    apart = math.expm1(epsilon - local)
    gap = -apart / (1 + math.exp(-local))  # (e^ε₀ - e^ε) / (e^ε₀ + 1)
    place = apart / math.expm1(-local) / (2 + grown)  # (e^ε₀ - e^ε) / ((e^ε₀ - 1)(e^ε + 1)), at most 1/2
    last = np.clip(np.ceil((counts + 1) * place) - 1, 0, counts)
    fewer, out = np.zeros(len(counts)), _outward(counts)
    if grown > 0:  # SciPy's betainc is slowest in the middle, where it is not wanted at ε = 0
        fewer = np.where(last > 0, betainc(counts - last + 1, np.maximum(last, 1), 0.5), 0.0)
    return np.maximum(gap * (1 + out) * _coins(counts, last) - grown * (1 - out) * fewer, 0.0)


def _coins(counts: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Pr[Bin(c, 1/2) = m] for m of at most c/2, from Stirling's rests and the divergence of m/c from 1/2."""
    tails, total = counts - heads, np.maximum(counts, 1)
    lean = (tails - heads) / total
    near = np.minimum(lean, 0.5)
    close = counts * (near * np.arctanh(near) + 0.5 * np.log1p(-near * near))  # no cancellation where c is large
    far = xlogy(heads, 2 * heads / total) + xlogy(tails, 2 * tails / total)
    root = 0.5 * np.log(total / (2 * math.pi * np.maximum(heads, 1) * np.maximum(tails, 1)))
    log = root + _rest(counts) - _rest(heads) - _rest(tails) - np.where(lean < 0.5, close, far)
    return np.exp(np.where(heads > 0, log, -math.log(2) * counts))


def _rest(counts: np.ndarray) -> np.ndarray:
    """The rest ln n! - ln(√(2πn) (n/e)^n) of Stirling's formula, for n of at least 1; of 0, some number."""
    some = np.maximum(counts, 1)
    exact = gammaln(some + 1) - (some + 0.5) * np.log(some) + some - 0.5 * math.log(2 * math.pi)
    square = some * some
    return np.where(some < _EXACT, exact, (1 - (1 - (2 / 7 - 3 / 14 / square) / square) / square / 30) / (12 * some))


def _steps(clones: Clones, others: int, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of clones among so many other clients, and upper bounds on the probability of fewer than each but 0."""
    mean, variance = others * clones.share, others * clones.share * clones.rest
    low = max(0, math.floor(mean - _reach(variance, _BEYOND - math.log(delta))))
    high = min(others, math.ceil(mean + _reach(variance, _BEYOND)))
    steps = min(high - low + 1, max(_FEWEST, math.ceil(_STEPS / math.sqrt(max(variance, 1.0)))))
    counts = np.unique(np.append(0, np.linspace(low, high, steps).astype(np.int64))).astype(float)
    return counts, np.minimum(_at_most(clones, others, counts[1:] - 1) * (1 + _outward(others)) + _LOST, 1.0)


def _reach(variance: float, exponent: float) -> float:
    """How far from its mean a binomial count is with probability e^-exponent at most (Bernstein)."""
    return exponent / 3 + math.sqrt((exponent / 3) ** 2 + 2 * variance * exponent)


def _at_most(clones: Clones, others: int, counts: np.ndarray) -> np.ndarray:
    """Pr[Bin(others, share) <= c], from the smaller of share and rest."""
    if clones.rest < clones.share:
        return betainc(others - counts, counts + 1, clones.rest)
    return betaincc(counts + 1, others - counts, clones.share)


def _guess(local: float, expected: float, delta: float) -> float:
    """An ε to look at first, of a normal count of coins."""
    spread = math.sqrt(max(expected, 1.0))
    size = math.log(max(math.tanh(local / 2) / (spread * delta), 2.0))
    away = math.sqrt(max(2 * (size - math.log(2 * size + 1)), 0.01)) / spread
    return min(2 * math.atanh(min(math.tanh(local / 2) * away, 0.9)), 0.999 * local)
