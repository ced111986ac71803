"""Audits of one run: what right guesses about many canaries, each in or out by a coin of its own, prove about ε."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc

from dpviz.audit.thresholds import SURE, TRIED
from dpviz.outward import raised, roundings
from dpviz.parameters import COUNT, DELTA, EPSILON, Parameter
from dpviz.search import farthest

CANARIES = Parameter("canaries", "m", "records that are in or out, each by a coin of its own", 1, 10**7, integer=True)
_LARGEST = 745.0  # ε beyond which e^-ε is no double
_WINDOW = 40  # standard deviations of a binomial: what lies beyond weighs less than any double
_TAILS = roundings(1e-9)  # of binomial probabilities, measured against exact fractions


def one_run_p_value(right: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    """Return how likely so many right guesses are, at most, if the mechanism meets (ε, δ).

    Parameters
    ----------
    right : int
        Guesses that are right, in [0, guesses].
    guesses : int
        How many are made, fixed beforehand; in [1, canaries]. About whom may depend on the output.
    canaries : int
        Each in or out by a fair coin of its own, in [1, 10^7].
    epsilon, delta : float
        What is claimed for one canary in or out.

    Returns
    -------
    float
        In [0, 1], rounded up.

    Notes
    -----
    β + 2mδα, where v are right, W is binomial with `guesses` trials that succeed with probability e^ε/(1 + e^ε),
    β = P[W >= v], and α is the largest of P[v > W >= v - i] / i over i >= 1. With δ = 0: given the output and the coins
    before, a coin is as guessed with probability at most e^ε/(1 + e^ε), by Bayes' rule, so that the right guesses are
    stochastically at most W. What δ may add is proved in the source: right guesses of which 2mδ are expected; by i of
    them v is reached from where W was i short. Neighbour relation: one canary in or out; under replace_one, one value
    or another.

    References
    ----------
    Steinke, Nasr & Jagielski (2023), Privacy auditing with one (1) training run, arXiv 2305.08846v1, Cor. 5.4 (the
    formula; App. D has it as a program).

    Examples
    --------
    >>> print(f"{one_run_p_value(75, 100, 1000, 0.673, 1e-4):.3f}")
    0.050
    """
    guesses, canaries = CANARIES.check(guesses, "guesses"), CANARIES.check(canaries)
    right, delta, epsilon = COUNT.check(right, "right"), DELTA.check(delta), EPSILON.check(epsilon)
    if not right <= guesses <= canaries:
        counts = f"{right}, {guesses} and {canaries}"
        raise ValueError(f"right must be at most guesses, and these at most canaries; got {counts}")
    return _p_value(right, guesses, canaries, epsilon, delta) if right else 1.0


def _p_value(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    chance = min(float(raised(1 / (1 + math.exp(-min(epsilon, _LARGEST))), 4)), 1.0)
    beta, gained = float(betainc(right, guesses - right + 1, chance)), 0.0
    if delta:
        from scipy.stats import binom

        # Of the terms beyond the window, none has a sum of more than 1, divided by a larger i.
        window = min(right, 64 + _WINDOW * math.isqrt(guesses))
        short = np.arange(1, window + 1)
        sums = np.cumsum(binom.pmf(right - short, guesses, chance))
        gained = max(float((sums / short).max()), 1 / (window + 1) if window < right else 0.0)
    return min(1.0, float(raised(beta + 2 * canaries * delta * gained, _TAILS)))


def one_run_epsilon(
    right: int, guesses: int, canaries: int, delta: float = 0.0, confidence: float = 0.95, choices: int = 1
) -> float:
    """Return the ε that right guesses about the canaries of one run prove the mechanism to exceed, at a δ.

    Parameters
    ----------
    right, guesses, canaries : int
        As of `one_run_p_value`.
    delta : float
        In [0, 1].
    confidence : float
        In (0, 0.999999].
    choices : int
        Among how many numbers of guesses this one was chosen by looking at what was right; 1 for none.

    Returns
    -------
    float
        At least 0, rounded down; 0 proves nothing.

    Notes
    -----
    Any ε at which the p-value is at most 1 - confidence is refuted, and with it all below, for what meets (ε, δ) with
    a smaller ε meets it with this one: the search need not find the largest, nor the p-value grow with ε.

    References
    ----------
    Steinke, Nasr & Jagielski (2023), arXiv 2305.08846v1, Cor. 5.4 and Sec. 7.

    Examples
    --------
    >>> print(f"{one_run_epsilon(75, 100, 1000, 1e-4):.3f} {one_run_epsilon(1439, 1510, 100_000, 1e-5):.3f}")
    0.673 2.676
    """
    level = (1 - SURE.check(confidence)) / TRIED.check(choices)

    def refuted(epsilon: float) -> bool:
        return one_run_p_value(right, guesses, canaries, epsilon, delta) <= level

    return float(farthest(refuted, 0.0, _LARGEST)) if refuted(0.0) else 0.0
