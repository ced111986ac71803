"""Audits of many runs: what the counts of a test at a threshold prove about ε, by Clopper-Pearson intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.adversary.intervals import interval_ends
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import DELTA, Parameter

SURE = Parameter("confidence", "", "how often what is measured stays below the truth", 0, 0.999999, open_low=True)
TRIED = Parameter("choices", "", "tests among which the best was taken", 1, 10**9, integer=True)
_FEW = roundings(1e-14)  # of the rates, which are rounded outward themselves, and of the logarithm of their ratio


def shared_confidence(confidence: float, choices: int) -> float:
    """Return the confidence that each of some choices needs, so that all hold at once with `confidence`: Bonferroni.

    Rounded up, so that the errors together are no more than 1 - confidence.

    Examples
    --------
    >>> round(shared_confidence(0.95, 10), 12)
    0.995
    """
    error = (1 - SURE.check(confidence)) / TRIED.check(choices)
    return min(math.nextafter(1 - error, 2.0), math.nextafter(1.0, 0.0))


def threshold_epsilon(
    true_positives: ArrayLike, members: int, false_positives: ArrayLike, others: int, delta: float,
    confidence: float = 0.95, choices: tuple[int, int] = (1, 1),
) -> np.ndarray:  # fmt: skip
    """Return the ε that the counts of a test prove the mechanism to exceed, at a δ.

    Parameters
    ----------
    true_positives : array of int
        Runs with the unit in which the test says so, in [0, members].
    members : int
        Runs with the unit, each on its own; at least 1.
    false_positives : array of int
        Runs without it in which the test says that it is in, in [0, others].
    others : int
        Runs without the unit, at least 1.
    delta : float
        In [0, 1].
    confidence : float
        In (0, 0.999999].
    choices : tuple of int
        Among how many tests the one was chosen by looking at these very counts, for each of the two rates; (1, 1) for a
        threshold that was fixed beforehand.

    Returns
    -------
    ndarray of float
        At least 0, rounded down: whatever the mechanism, it exceeds the smallest ε that it meets at this δ with
        probability at most 1 - confidence. 0 proves nothing.

    Notes
    -----
    A mechanism that meets (ε, δ) has TPR <= e^ε FPR + δ and 1 - FPR <= e^ε (1 - TPR) + δ, for whatever test. The
    ends of the two Clopper-Pearson intervals hold together with `confidence`, each failing with at most half of the
    rest; put in, both inequalities bound ε from below. Neighbour relation: whichever the two kinds of runs differ by.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), Thm 2.1 (the region of error rates); Jagielski, Ullman & Oprea (2020), Auditing
    differentially private machine learning, Sec. 3 (Clopper-Pearson ends in its place).

    Examples
    --------
    >>> print(f"{threshold_epsilon(731, 1000, 269, 1000, 0.0):.4f}")  # randomized response at ε = 1
    0.8586
    >>> float(threshold_epsilon(500, 1000, 500, 1000, 0.0))
    0.0
    """
    delta = DELTA.check(delta)
    hit = interval_ends(true_positives, members, shared_confidence(confidence, choices[0]))[0]
    alarm = interval_ends(false_positives, others, shared_confidence(confidence, choices[1]))[1]
    return implied_epsilon(hit, alarm, delta)


def implied_epsilon(true_positive_rate: ArrayLike, false_positive_rate: ArrayLike, delta: float) -> np.ndarray:
    """Return the least ε at which a test may have these rates at a δ, rounded down.

    Examples
    --------
    >>> print(f"{implied_epsilon(0.75, 0.25, 0.0):.6f}")
    1.098612
    """
    hit, alarm = np.asarray(true_positive_rate, dtype=float), np.asarray(false_positive_rate, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        accused = lowered(hit - delta, _FEW) / raised(alarm, _FEW)
        cleared = lowered(1 - alarm - delta, _FEW) / raised(1 - hit, _FEW)
        ratio = np.maximum(np.fmax(accused, cleared), 1.0)
        return np.maximum(lowered(np.log(ratio), _FEW), 0.0)
