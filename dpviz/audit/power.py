"""Planning an audit: how often so many runs, or canaries, show that a claim is too small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpviz.adversary.intervals import interval_ends
from dpviz.adversary.odds import check_loss
from dpviz.adversary.risk import Loss, greatest_advantage
from dpviz.audit.one_run import CANARIES, one_run_p_value
from dpviz.audit.thresholds import SURE
from dpviz.guarantee import Guarantee
from dpviz.parameters import checked, checked_choice, checked_items
from dpviz.search import first_between, singly

if TYPE_CHECKING:
    import pandas

Design = Literal["many_runs", "one_run"]
DESIGNS: dict[str, str] = {
    "many_runs": "many runs, half of them with the unit",
    "one_run": "one run with many canaries, each in or out by a coin",
}
NUMBERS = tuple(round(10 ** (step / 8)) for step in range(8, 41))  # from 10 to 100,000
USUAL_POWER = 0.9
_RATES = np.geomspace(1e-5, 0.5, 60)  # false positive rates at which an attack may be played
_BEST = 3  # of them, which are tried exactly
_LEFT_OUT = 1e-9  # probability of counts that are not looked at, on either side
_BEYOND = 1e300


def audit_power(
    truth: Loss, claim: Guarantee, design: Design = "many_runs", confidence: float = 0.95,
    numbers: Sequence[int] = NUMBERS,
) -> pandas.DataFrame:  # fmt: skip
    """Return how often an audit with the best attack shows that a claim is too small.

    Parameters
    ----------
    truth : PrivacyLoss, or PairLoss
        What is true: a plan's own privacy loss, or the pair (ε', δ').
    claim : Guarantee
        What is said, with ε finite.
    design : str
        A key of ``DESIGNS``.
    confidence : float
        Of the audit's bound, in (0, 0.999999].
    numbers : sequence of int
        Runs with the unit, and as many without it; or canaries of one run.

    Returns
    -------
    DataFrame
        One row per number: number, power (probability that the bound exceeds the claimed ε), false_positive_rate and
        true_positive_rate of the attack that is best then, guesses (of one run; 0 otherwise).

    Notes
    -----
    The threshold, or the number of guesses, is chosen beforehand, knowing the truth. The trade-off curve is rounded to
    the attacker's side, and where noise loses differently in its two directions it is the worse one's at each place: no
    attack needs fewer runs; weaker ones need more. Of one run it is taken that no canary blurs another one, which only
    holds where each has an output of its own. Neighbour relation: that of `truth`.

    References
    ----------
    Clopper & Pearson (1934); Steinke, Nasr & Jagielski (2023), arXiv 2305.08846v1, Cor. 5.4.

    Examples
    --------
    >>> from dpviz.adversary import PairLoss
    >>> frame = audit_power(PairLoss(Guarantee(1.0)), Guarantee(0.5), numbers=[100, 1000])
    >>> frame.power.round(2).tolist()
    [0.7, 1.0]
    """
    import pandas as pd

    check_loss(truth, "tradeoff", "advantage")
    claim, confidence = checked(claim, Guarantee, "claim"), SURE.check(confidence)
    power = {"many_runs": _many_runs, "one_run": _one_run}[checked_choice(design, DESIGNS, "design")]
    if not math.isfinite(claim.epsilon):
        raise ValueError("claim must have a finite ε: what promises nothing cannot be too small")
    sizes = [CANARIES.check(each, "numbers") for each in checked_items(numbers, "numbers")]
    rates = np.unique(np.append(_RATES, max(greatest_advantage(truth).false_positive_rate, _RATES[0])))
    hits = np.maximum(1 - np.asarray(truth.tradeoff(rates), dtype=float), rates)
    rows = [(each, *power(each, rates, hits, claim, confidence)) for each in sizes]
    columns = ["number", "power", "false_positive_rate", "true_positive_rate", "guesses"]
    return pd.DataFrame(rows, columns=columns)


def runs_needed(power: pandas.DataFrame, wanted: float = USUAL_POWER) -> int | None:
    """Return the first number from which on the power stays at least as wanted; None where it does not.

    Parameters
    ----------
    power : DataFrame
        As `audit_power` returns it.
    wanted : float
        In (0, 1).

    Examples
    --------
    >>> from dpviz.adversary import PairLoss
    >>> runs_needed(audit_power(PairLoss(Guarantee(1.0)), Guarantee(0.5)))
    178
    >>> runs_needed(audit_power(PairLoss(Guarantee(1.0)), Guarantee(1.0), numbers=[100, 1000])) is None
    True
    """
    enough = power.power.to_numpy() >= wanted
    short = np.flatnonzero(~enough)
    first = 0 if not short.size else int(short[-1]) + 1
    return int(power["number"].iloc[first]) if first < len(power) else None


def _refuting(alarms: np.ndarray, runs: int, claim: Guarantee, confidence: float) -> np.ndarray:
    """The least number of true positives that refutes the claim, beside so many false ones; `runs` + 1 for none."""
    from scipy.stats import binom

    alarm = interval_ends(alarms, runs, confidence)[1]
    growth = math.exp(min(claim.epsilon, math.log(_BEYOND)))
    # Above this true positive rate, one of the two inequalities fails: see `threshold_epsilon`.
    least = np.minimum(claim.delta + growth * alarm, 1 - (1 - alarm - claim.delta) / growth)
    tail = (1 - confidence) / 2
    counts = binom.isf(tail, runs, np.clip(least, 0.0, 1.0)) + 1
    return np.where(least < 1, counts, runs + 1)


def _promising(power: np.ndarray) -> list[int]:
    """Where it is largest; among equal ones at the largest rates, which need least sharp scores."""
    return np.lexsort([-np.arange(power.size), -power.round(9)])[:_BEST].tolist()


def _many_runs(runs: int, rates: np.ndarray, hits: np.ndarray, claim: Guarantee, confidence: float) -> tuple:
    from scipy.stats import binom

    usual = binom.median(runs, rates)
    likely = binom.sf(_refuting(usual, runs, claim, confidence) - 1, runs, hits)
    best = (0.0, rates[-1], hits[-1], 0)
    for place in _promising(likely):
        rate, hit = float(rates[place]), float(hits[place])
        ends = binom.ppf([_LEFT_OUT, 1 - _LEFT_OUT], runs, rate).astype(int)
        alarms = np.arange(max(ends[0], 0), ends[1] + 1)
        refuted = binom.sf(_refuting(alarms, runs, claim, confidence) - 1, runs, hit)
        power = min(float(binom.pmf(alarms, runs, rate) @ refuted), 1.0)
        best = max(best, (power, rate, hit, 0))
    return best


def _one_run(canaries: int, rates: np.ndarray, hits: np.ndarray, claim: Guarantee, confidence: float) -> tuple:
    from scipy.stats import binom

    level, claimed = 1 - confidence, 1 / (1 + math.exp(-min(claim.epsilon, 700.0)))
    shares = np.minimum(rates + hits, 1.0)  # guessed to be in, and as many to be out
    guesses, chances = np.maximum((shares * canaries).astype(int), 1), np.maximum(hits / (rates + hits), 0.5)
    pure = binom.isf(level, guesses, claimed)  # what is right refutes the claim at δ = 0 beyond that, and at none less
    likely = binom.sf(pure, guesses, chances)
    best = (0.0, rates[-1], hits[-1], int(guesses[-1]))
    for place in _promising(likely):
        made = int(guesses[place])

        def refuted(right: int, made: int = made) -> bool:
            return one_run_p_value(right, made, canaries, claim.epsilon, claim.delta) <= level

        if refuted(made):
            least = first_between(singly(refuted), max(int(pure[place]) - 1, 0), made, sections=1)
            power = float(binom.sf(least - 1, made, chances[place]))
            best = max(best, (power, float(rates[place]), float(hits[place]), made))
    return best
