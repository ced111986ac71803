"""Answers of the page on audits that are kept, within bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.adversary import PairLoss
from dpviz.audit import Reading, Scores, audit_power, read_audit, runs_needed, simulated_scores
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.audit.asked import Question
from dpviz.ui.shell.kept import bracket, kept, priced, proved
from dpviz.ui.shell.risks import DRAWN

if TYPE_CHECKING:
    import pandas

SEED = 33  # of the worked example, which is the same for everybody
FEWEST, MOST = 200, 4000  # scores of it
DRAWS = 400_000  # outputs of it, at most
LARGEST = 30.0  # ε of a stand-in whose outputs are drawn


@kept(64, 1)
def power(plan: Plan | None, truth: Guarantee, claim: Guarantee, design: str, confidence: float) -> pandas.DataFrame:
    """Return `dpviz.audit.audit_power` of the plan's own loss, or of the pair where there is no plan; kept."""
    loss = PairLoss(truth) if plan is None else PrivacyLoss.of(plan, DRAWN)
    return audit_power(loss, claim, design, confidence)


@kept(16, 1, shared=True)
def example(plan: Plan | None, truth: Guarantee, runs: int) -> tuple[Scores, bool]:
    """Return simulated scores, and whether they are of the plan's own releases rather than of a stand-in; kept."""
    rng = np.random.default_rng(SEED)
    uses = 0 if plan is None else sum(each.uses for each in plan.releases)
    if plan is not None and runs * uses <= DRAWS:
        try:
            return simulated_scores(plan, runs, rng), True
        except ValueError:  # outputs of some mechanisms cannot be drawn
            pass
    box = ApproximateDP(min(truth.epsilon, LARGEST), truth.delta)
    return simulated_scores(Plan([Release("stand-in", box)]), runs, rng), False


def ends(plan: Plan) -> tuple[float, float]:
    """Return the proved ends of the plan's ε at its δ."""
    total = proved(plan).epsilon
    return bracket(plan, total)["lower"] or 0.0, total


@dataclass(frozen=True)
class Planned:
    """How often how many show that the claim is too small.

    Parameters
    ----------
    power : pandas.DataFrame
        As `dpviz.audit.audit_power` returns it.
    needed : int or None
        The first number from which on that is as often as wanted.
    """

    power: pandas.DataFrame
    needed: int | None


def planned(asked: Question) -> Planned:
    """Return the power of an audit."""
    plan = asked.plan and priced(asked.plan)
    frame = power(plan, asked.truth, asked.claim, asked.design, asked.confidence)
    return Planned(frame, runs_needed(frame, asked.power))


@dataclass(frozen=True)
class Measured:
    """What scores prove.

    Parameters
    ----------
    reading : Reading
    scores : Scores
    example : bool
        Whether the scores are simulated here.
    own : bool
        Whether those are of the plan's own releases.
    ends : tuple of float, or None
        The proved ends of what is true; None of a typed pair, and of a plan that is chosen along the way.
    short : bool
        Whether the example has fewer scores than the chart asks for.
    """

    reading: Reading
    scores: Scores
    example: bool
    own: bool
    ends: tuple[float, float] | None
    short: bool = False


def read(asked: Question, scores: Scores | None, needed: int | None) -> Measured:
    """Return what measured scores prove, or those of the worked example.

    Raises
    ------
    ValueError
        When the scores do not do for what is asked.
    """
    plan, own = asked.plan and priced(asked.plan), True
    shown, wanted = scores, MOST if needed is None else needed * (1 if asked.design == "one_run" else 2)
    if shown is None:
        shown, own = example(plan, asked.truth, min(max(wanted + wanted % 2, FEWEST), MOST))
    at = asked.at if asked.choice == "beforehand" else None
    if at is not None and asked.design == "one_run" and scores is None:
        at = min(at, shown.score.size)  # the example is no larger
    rng = np.random.default_rng(SEED)
    found = read_audit(shown, asked.truth.delta, asked.confidence, asked.design, asked.choice, at, rng)
    between = None if plan is None or plan.adaptive else ends(plan)  # the engine proves what is fixed in advance
    between = between if between and math.isfinite(between[1]) else None
    return Measured(found, shown, scores is None, own, between, scores is None and shown.score.size < wanted)
