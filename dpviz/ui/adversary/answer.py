"""Answers of the adversary page that are kept, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpviz.adversary import Odds, PairLoss
from dpviz.adversary.odds import odds_record
from dpviz.adversary.risk import (
    PRIORS,
    RARELY,
    LossBound,
    attack_frame,
    best_success,
    loss_bounds,
    posteriors_within,
)
from dpviz.adversary.rounds import basic_pair, seen_counts
from dpviz.guarantee import Guarantee
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.adversary import games
from dpviz.ui.adversary.asked import Question
from dpviz.ui.adversary.games import Game, mechanisms_of
from dpviz.ui.shell.kept import kept
from dpviz.ui.shell.risks import DRAWN, Bound

if TYPE_CHECKING:
    import pandas


@kept(2, 24, shared=True)
def bound(theory: Game, accuracy: float = 1e-6) -> Bound:
    """Return what holds against the adversary of a game, kept; at full accuracy where no other is asked for."""
    listed = mechanisms_of(theory)
    if theory.plan.adaptive or not theory.strategy.fixed_in_advance:
        pair = basic_pair(listed, theory.rounds, theory.pair_delta)
        return Bound(PairLoss(pair), pair, False)
    counts = seen_counts(listed, theory.rounds)
    loss = PrivacyLoss(tuple(counts), [list(counts.values())], accuracy)
    return Bound(loss, Guarantee(float(loss.epsilon(theory.pair_delta)), theory.pair_delta), True)


@kept(64, 2)
def curve(theory: Game) -> pandas.DataFrame:
    """Return the trade-off curves to draw, kept: columns line ("own", "pair"), both error rates."""
    return bound(theory, DRAWN).curve()


@kept(64, 2)
def _attacks(theory: Game) -> pandas.DataFrame:
    """What the best attack reaches at the priors of every page, kept: only one more follows the sidebar."""
    found, delta = bound(theory), theory.pair_delta
    frame = attack_frame(found.loss, delta)
    return frame if found.own else frame.assign(pair_value=attack_frame(PairLoss(found.pair), delta).value)


@kept(128, 2)
def attacks(theory: Game, prior: float) -> pandas.DataFrame:
    """Return what the best attack reaches, kept; see `dpviz.adversary.risk.attack_frame`."""
    import pandas as pd

    found, frame = bound(theory), _attacks(theory)
    if prior in PRIORS:
        return frame
    success = [best_success(loss, prior) for loss in (found.loss, PairLoss(found.pair))]
    row = pd.DataFrame([("best_success", prior, *success)], columns=frame.columns)
    of = dict(list(frame.groupby("measure", sort=False)))
    of["best_success"] = pd.concat([of["best_success"], row]).sort_values("at")
    return pd.concat(of.values(), ignore_index=True)


@kept(64, 1)
def _limits(theory: Game) -> tuple[tuple[LossBound, LossBound], ...]:
    """What bounds the loss, kept: the same for every prior."""
    delta = theory.pair_delta
    return loss_bounds(bound(theory).loss, delta, sorted({RARELY, delta}, reverse=True))


@kept(128, 2)
def posteriors(theory: Game, prior: float) -> pandas.DataFrame:
    """Return how far priors can rise, kept; see `dpviz.adversary.risk.posterior_frame`."""
    return posteriors_within(_limits(theory), sorted({*PRIORS, prior}))


@kept(64, 1)
def odds(theory: Game, unit: str, relation: str) -> Odds:
    """Return the odds of the best attack in words, kept."""
    return odds_record(bound(theory).loss, 100, unit, relation)


@dataclass(frozen=True)
class Found:
    """The numbers that the page is about.

    Parameters
    ----------
    bound : Bound
    success, advantage : float
        Of the best attack, at most; the success at the prior asked for.
    midpoint : float or None
        Error rate of the test on the mean, in theory.
    """

    bound: Bound
    success: float
    advantage: float
    midpoint: float | None


def answer(asked: Question) -> Found:
    """Return the numbers that the page is about."""
    theory = asked.theory
    won = attacks(theory, asked.prior).set_index(["measure", "at"])
    success = float(won.value.xs("best_success").loc[asked.prior])
    advantage = float(won.value.xs("advantage").iloc[0])
    midpoint = games.midpoint(replace(theory, secrets=asked.game.secrets))
    return Found(bound(theory), success, advantage, midpoint)
