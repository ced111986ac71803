"""Measured rates with their intervals: what a simulation may claim after so many trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from dpviz.outward import lowered, roundings
from dpviz.parameters import Parameter

CONFIDENCE = Parameter("confidence", "", "how often an interval holds the truth", 0, 1, open_low=True, open_high=True)
TRIALS_SEEN = Parameter("trials", "", "trials that were run", 1, 10**15, integer=True)
_BETA = roundings(1e-12)  # relative error of the inverse beta functions, measured against mpmath


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate measured by simulation, with the interval that holds the true rate.

    Parameters
    ----------
    value, low, high : float
        The measured rate and the ends of its interval, in [0, 1].
    trials : int
        Trials behind it.

    Examples
    --------
    >>> Estimate(0.5, 0.4, 0.6, 100).holds(0.45)
    True
    """

    value: float
    low: float
    high: float
    trials: int

    def holds(self, rate: float) -> bool:
        """Say whether `rate` lies within the interval, ends included."""
        return self.low <= rate <= self.high

    def __str__(self) -> str:
        return f"{self.value:.6g} [{self.low:.6g}, {self.high:.6g}] from {self.trials} trials"


def interval_ends(
    successes: np.ndarray, trials: np.ndarray | int, confidence: float = 0.99
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the Clopper-Pearson intervals for `successes` out of `trials`.

    Parameters
    ----------
    successes : array of int
        In [0, trials].
    trials : int or array of int
        At least 1.
    confidence : float
        In (0, 1); the interval misses the truth with probability at most 1 - confidence, each side at most half of it.

    Returns
    -------
    tuple of ndarray
        ``(low, high)``, rounded outward.

    Notes
    -----
    Also holds where single trials succeed with different probabilities, for their mean: such a sum scatters less than
    the binomial of the same mean (Hoeffding 1956, On the distribution of the number of successes in independent
    trials; more than one success from the mean).

    References
    ----------
    Clopper & Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the binomial.

    Examples
    --------
    >>> low, high = interval_ends(0, 10, 0.95)
    >>> float(low), round(float(high), 6)
    (0.0, 0.308497)
    """
    tail = (1 - CONFIDENCE.check(confidence)) / 2
    trials = TRIALS_SEEN.check_array(trials)
    successes = np.asarray(successes, dtype=float)
    if not np.all((successes >= 0) & (successes <= trials)):
        raise ValueError(f"successes must be in [0, trials]; got {successes.max()!r} of {trials.max()!r}")
    misses = trials - successes
    # The upper end is the lower one of the misses: seen from 1, it keeps its digits.
    return _lower_end(successes, misses, tail), np.nextafter(1 - _lower_end(misses, successes, tail), 1.0)


def _lower_end(successes: np.ndarray, misses: np.ndarray, tail: float) -> np.ndarray:
    """The rate at which so many successes, or more, have the probability `tail`; 0 where there was none."""
    rate = lowered(betaincinv(np.maximum(successes, 0.5), misses + 1, tail), _BETA)
    return np.where(successes == 0, 0.0, rate)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.99) -> Estimate:
    """Return the rate `successes` / `trials` with its Clopper-Pearson interval; see `interval_ends`.

    Examples
    --------
    >>> print(clopper_pearson(705, 1000))
    0.705 [0.666428, 0.74159] from 1000 trials
    """
    trials = TRIALS_SEEN.check(trials)
    low, high = interval_ends(successes, trials, confidence)
    return Estimate(float(successes) / trials, float(low), float(high), trials)


def weighted(estimates: tuple[Estimate, ...], weights: tuple[float, ...]) -> Estimate:
    """Return the weighted mean of rates that were measured apart; its interval is the weighted interval.

    The interval holds when all of `estimates` do: its confidence is 1 minus the sum of their error probabilities.

    Examples
    --------
    >>> weighted((Estimate(0.5, 0.25, 0.75, 10), Estimate(1.0, 0.5, 1.0, 10)), (0.5, 0.5))
    Estimate(value=0.75, low=0.375, high=0.875, trials=20)
    """
    low, value, high = (
        sum(weight * end for weight, end in zip(weights, ends, strict=True))
        for ends in zip(*((each.low, each.value, each.high) for each in estimates), strict=True)
    )
    return Estimate(value, low, high, sum(each.trials for each in estimates))
