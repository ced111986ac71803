"""Answers of the privacy-loss page that are kept, within bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition import compose
from dpviz.figures.learn.privacy_loss import Marks
from dpviz.losses import LossDistribution
from dpviz.losses.largest import largest_losses
from dpviz.losses.region import regions
from dpviz.losses.stated_laws import checked
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.left_open import in_units
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.shell.kept import comparison, kept

if TYPE_CHECKING:
    import pandas

DRAWN = 1e-3  # relative excess of ε that a curve may have, and an attacker's rates; never of a quoted ε
PROFILE_POINTS = 160
UNDECIDED = 1e-9  # a loss so small is none
SURE = (0.0, 0.5, 0.6, 0.75, 0.9, 0.99, 1.0)  # where classes of sureness begin and end


def plan_of(mechanism: Mechanism, count: int) -> Plan:
    """Return the plan that uses `mechanism` `count` times."""
    return Plan((Release("release", in_units(mechanism), count),))


@kept(8, 8, shared=True)
def distribution(mechanism: Mechanism, count: int) -> LossDistribution:
    """Return the distribution of the loss of `count` releases, kept."""
    return LossDistribution.of(mechanism, count)


@kept(64, 1)
def sureness(mechanism: Mechanism, count: int) -> pandas.DataFrame:
    """Return the shares of results after which somebody undecided is so sure, kept: low, high (probabilities), share.

    Those that leave them undecided have a class of their own, from .5 to .5, where there are any.

    As drawn, not a bound: of the results when the unit is in the data, a share makes it likelier than before.
    """
    import pandas

    law = distribution(mechanism, count)
    widths = np.gradient(law.places) if len(law.places) > 1 else np.ones(len(law.places))
    losses = np.concatenate([law.losses, law.places, [math.inf]])
    masses = np.concatenate([law.masses, law.density * widths, [law.infinite]])
    ends = np.array([math.log(sure) - math.log1p(-sure) for sure in SURE[1:-1]])
    undecided = np.abs(losses) < UNDECIDED
    shares = np.bincount(np.searchsorted(ends, losses, side="right"), np.where(undecided, 0.0, masses), len(ends) + 1)
    frame = pandas.DataFrame({"low": SURE[:-1], "high": SURE[1:], "share": shares})
    if (equal := masses[undecided].sum()) > 0:
        frame = pandas.concat([frame[:1], pandas.DataFrame({"low": [0.5], "high": [0.5], "share": [equal]}), frame[1:]])
    return frame.assign(share=frame.share / frame.share.sum()).reset_index(drop=True)


@kept(256, 1)
def reading(mechanism: Mechanism, count: int, delta: float) -> tuple[float, float]:
    """Return the tight ε at δ, rounded up, and the attacker's largest advantage, kept."""
    plan = plan_of(mechanism, count)
    loss = PrivacyLoss.of(plan)
    basic = compose(plan, delta, "basic").epsilon
    return min(float(loss.epsilon(delta)), basic), loss.advantage


def right_guesses(mechanism: Mechanism, count: int, delta: float) -> float:
    """Return how many of 100 guesses the best attacker gets right, at most, rounded up."""
    return math.nextafter(50 * (1 + reading(mechanism, count, delta)[1]), math.inf)


@kept(128, 3)
def drawing(mechanism: Mechanism, count: int, epsilon: float) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Return the distribution of the loss and its part beyond ε, for drawing, kept."""
    law = distribution(mechanism, count)
    return law.frame(epsilon), law.tail(epsilon)


def marks(mechanism: Mechanism, count: int, delta: float) -> Marks:
    """Return the numbers that the chart marks."""
    law = distribution(mechanism, count)
    epsilon, _ = reading(mechanism, count, delta)
    largest = law.largest[0] if mechanism.stated else math.inf
    return Marks(law.finite_mean, epsilon, delta, largest)


@kept(64, 2)
def profile(mechanism: Mechanism, count: int, delta: float) -> pandas.DataFrame:
    """Return δ(ε) of the mechanisms themselves over the ε worth drawing, kept."""
    import pandas

    plan = plan_of(mechanism, count)
    loss = PrivacyLoss.of(plan, DRAWN)
    table = comparison(plan, delta)
    proved = table.epsilon[table.applies & np.isfinite(table.epsilon)]
    end = 1.06 * min(float(proved.max()), 3.5 * float(proved.min()) or math.inf) if len(proved) else 1.0
    epsilons = np.linspace(0.0, end if end > 0 else 1.0, PROFILE_POINTS)
    return pandas.DataFrame({"epsilon": epsilons, "delta": loss.delta(epsilons)})


@kept(64, 2)
def region(mechanism: Mechanism, count: int, delta: float) -> pandas.DataFrame:
    """Return the boundaries of the privacy regions, kept."""
    plan = plan_of(mechanism, count)
    return regions(comparison(plan, delta), PrivacyLoss.of(plan, DRAWN))


@kept(64, 1)
def laws(mechanism: Mechanism, count: int) -> pandas.DataFrame:
    """Return the check of the stated law, kept."""
    return checked(distribution(mechanism, count))


rare = kept(64, 1)(largest_losses)
