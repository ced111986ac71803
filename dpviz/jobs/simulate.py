"""Hundreds of millions of rounds of the composition experiment, with intervals that hold together beside the proofs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import dpviz
from dpviz.adversary.experiment import mechanism_list
from dpviz.adversary.intervals import CONFIDENCE, interval_ends
from dpviz.adversary.play import run_experiment
from dpviz.composition.compose import smallest_total, smallest_totals
from dpviz.jobs.run import Job, Runner
from dpviz.mechanisms import Mechanism
from dpviz.outward import lowered, raised
from dpviz.parameters import Parameter
from dpviz.plan import Plan, Workload
from dpviz.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    import pandas

MOST_ROUNDS = 20_000_000_000  # 10,000 tasks
ROUNDS = Parameter("rounds", "", "releases seen in all plays of both worlds", 1, MOST_ROUNDS, integer=True)
SEED = Parameter("seed", "", "what the noise of all tasks is spawned from", 0, 2**63 - 1, integer=True)
TASK = 2**21  # rounds: a second, and some 100 MB
MOST_PLAYS = 1_000_000  # of a task
LEVELS = (0.1, 0.01, 0.001, 0.0001)  # and the δ of the budget: where the loss is looked at
COUNTED = 4  # frequencies at each level, each with an interval
Ends = tuple[float, ...]


@dataclass(frozen=True)
class Experiment:
    """What is played: a list of releases, again and again, in two worlds.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
        In the order of the plan, each as often as it is used.
    plays : int
        In each of both worlds.
    epsilons : tuple of float
        At these the loss is looked at.
    seed : int
    """

    mechanisms: tuple[Mechanism, ...]
    plays: int
    epsilons: tuple[float, ...]
    seed: int

    @property
    def task(self) -> int:
        """How many plays a task takes, in each world."""
        return max(1, min(MOST_PLAYS, TASK // (2 * len(self.mechanisms))))

    def generator(self, task: int) -> np.random.Generator:
        """Return the generator of a task: child number `task` of the seed, whoever plays it.

        Examples
        --------
        >>> sequence = Experiment((), 1, (), 7).generator(3).bit_generator.seed_seq
        >>> sequence.spawn_key == np.random.SeedSequence(7).spawn(4)[3].spawn_key
        True
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(task,)))

    def counted(self, task: int) -> list[int]:
        """Play one task and count.

        Returns
        -------
        list of int
            Plays, right guesses in both worlds together, then for each ε: how often the loss exceeds it in the world
            with the unit and (the same outputs) in the one without, and how often that of the absence does in the world
            without and in the one with.
        """
        plays = min(self.task, self.plays - task * self.task)
        views = run_experiment(self.mechanisms, None, trials=plays, rng=self.generator(task))
        right = views.guesses() == np.array([[0], [1]])
        counts = [plays, int(right.sum())]
        without, present = views.log_ratios
        for epsilon in self.epsilons:
            line = epsilon + views.experiment.tie
            beyond = (present > line, without > line, without < -line, present < -line)
            counts += [int(each.sum()) for each in beyond]
        return counts


def simulated(
    plan: Plan, rounds: int = 100_000_000, seed: int = 1, confidence: float = 0.99, runner: Runner | None = None
) -> pandas.DataFrame:
    """Play the composition experiment of a plan and return what was observed beside what is proved.

    Parameters
    ----------
    plan : Plan
        Its releases are played in their order, fixed in advance; of disjoint parts the one that costs most.
    rounds : int
        Releases seen in all: two worlds, so many plays, each of all uses of the plan; the plays are rounded up.
    seed : int
        In [0, 2^63). Every task draws from a child of its own.
    confidence : float
        Of all intervals together, in (0, 1).
    runner : Runner, optional
        Who plays the tasks; None for this process.

    Returns
    -------
    pandas.DataFrame
        One row for the attacker, then two for each ε, the smallest proved total at some δ: what ("right guesses", "loss
        of presence", "loss of absence"), epsilon, plays, frequency (of right guesses, or of losses beyond ε in the
        world that they are about) with low and high, observed, observed_low, observed_high (what the proof is about: of
        guesses the same, of losses the δ at that ε, as P(loss beyond ε) less e^ε times the frequency of the same
        outputs in the other world), proved (the bound), holds (whether it is not below the interval).

    Raises
    ------
    ValueError
        When a value is not allowed, or the plan has too many uses.

    Notes
    -----
    Intervals are those of Clopper and Pearson, each at 1 - (1 - confidence) / (their number), so that with probability
    at least `confidence` all of them hold. A set of outputs shows a δ of at least P(set) - e^ε P'(set), whatever set it
    is: what rounding does to losses near ε makes no alarm false. Neighbour relation: the plan's.

    References
    ----------
    Clopper & Pearson (1934); Dwork, Rothblum & Vadhan (2010), Sec. 3.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> frame = simulated(Plan([Release("Visitors", Laplace(2.0, 1), 4)]), 80_000)
    >>> len(frame), bool(frame.holds.all())
    (11, True)
    """
    rounds, seed, confidence = ROUNDS.check(rounds), SEED.check(seed), CONFIDENCE.check(confidence)
    played, mechanisms = _played(plan)
    deltas = tuple(dict.fromkeys((*LEVELS, plan.budget.delta)))
    totals = {delta: smallest_total(played, delta).epsilon for delta in deltas}
    levels = {delta: epsilon for delta, epsilon in totals.items() if math.isfinite(epsilon)}
    plays = -(-rounds // (2 * len(mechanisms)))
    experiment = Experiment(mechanisms, plays, tuple(levels.values()), seed)
    what = f"{dpviz.__version__}\n{played.to_json()}\n{plays} {experiment.epsilons} {seed}"
    key = hashlib.sha256(what.encode()).hexdigest()
    tasks = -(-plays // experiment.task)
    job = Job("rounds", key, tasks, partial(Experiment.counted, experiment), _added, 2 * plays * len(mechanisms))
    counts = (runner or Runner()).run(job)
    return _frame(counts, levels, _success_bound(played), confidence)


def _played(plan: Plan) -> tuple[Plan, tuple[Mechanism, ...]]:
    """The releases of the dearest part, fixed in advance, and the mechanisms in their order."""
    parts = list(dict.fromkeys(each.part for each in plan.releases if each.part is not None)) or [None]
    read = [[each for each in plan.releases if each.part in (None, part)] for part in parts]
    plans = [replace(plan, releases=tuple(releases), adaptive=False) for releases in read]
    totals = [float(smallest_totals(Workload.of(each), plan.budget.delta).max(initial=0.0)) for each in plans]
    dearest = max(range(len(plans)), key=totals.__getitem__)
    return plans[dearest], mechanism_list(plans[dearest], parts[dearest])


def _success_bound(plan: Plan) -> float:
    """How often a guess between two equally likely worlds can be right: half of 1 plus the advantage, rounded up."""
    return min(raised((1 + float(PrivacyLoss(*plan.workload()).advantage)) / 2, 8), 1.0)


def _added(some: list[int] | None, more: list[int]) -> list[int]:
    return more if some is None else [a + b for a, b in zip(some, more, strict=True)]


def _frame(counts: list[int], levels: dict[float, float], success: float, confidence: float) -> pandas.DataFrame:
    import pandas as pd

    plays, right, *beyond = counts
    each = 1 - (1 - confidence) / (1 + COUNTED * len(levels))
    low, high = (float(end) for end in interval_ends(right, 2 * plays, each))
    rows = [_row("right guesses", math.nan, plays, right / (2 * plays), (low, high), success)]
    for place, (delta, epsilon) in enumerate(levels.items()):
        four = beyond[COUNTED * place : COUNTED * (place + 1)]
        for what, pair in (("loss of presence", four[:2]), ("loss of absence", four[2:])):
            ends, shown = shown_delta(pair, plays, epsilon, each)
            rows.append(_row(what, epsilon, plays, pair[0] / plays, ends, delta, shown))
    return pd.DataFrame(rows)


def _row(
    what: str, epsilon: float, plays: int, frequency: float, ends: Ends, proved: float, shown: Ends | None = None
) -> dict[str, object]:
    observed, low, high = shown or (frequency, *ends)
    return {
        "what": what, "epsilon": epsilon, "plays": plays, "frequency": frequency, "low": ends[0], "high": ends[1],
        "observed": observed, "observed_low": low, "observed_high": high, "proved": proved, "holds": low <= proved,
    }  # fmt: skip


def shown_delta(counts: list[int], plays: int, epsilon: float, confidence: float) -> tuple[Ends, Ends]:
    """Return the interval of a frequency, and the δ at ε that two frequencies of one set of outputs show.

    Parameters
    ----------
    counts : list of int
        How often the outputs were in the set: in the world that it speaks for, and in the other.
    plays : int
        In each world.
    epsilon : float
        In [0, inf).
    confidence : float
        Of each of the two intervals.

    Returns
    -------
    tuple
        ``(low, high)`` of the frequency, then ``(δ, low, high)``, its ends rounded outward and within [0, 1].

    Examples
    --------
    >>> (low, high), (delta, *ends) = shown_delta([30, 0], 100, 1.0, 0.95)
    >>> delta, 0 < ends[0] < low < delta < high <= ends[1]
    (0.3, True)
    """
    low, high = (np.asarray(ends) for ends in interval_ends(np.array(counts), plays, confidence))
    with np.errstate(over="ignore"):
        factor = float(np.exp(epsilon))
    least = float(low[0]) - (raised(factor, 16) * float(high[1]))  # high is above 0
    most = float(high[0]) - (lowered(factor, 16) * float(low[1]) if low[1] > 0 else 0.0)
    value = (counts[0] - (factor * counts[1] if counts[1] else 0.0)) / plays
    shown = (value, max(least - 1e-16, 0.0), min(max(most + 1e-16, 0.0), 1.0))
    return (float(low[0]), float(high[0])), shown
