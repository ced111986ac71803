"""Answers of the adversary page that are kept, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpviz.adversary import Odds, PairLoss
from dpviz.adversary.odds import odds_record
from dpviz.adversary.risk import PRIORS, attack_frame, posterior_frame
from dpviz.adversary.rounds import basic_pair, seen_counts
from dpviz.guarantee import Guarantee
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.adversary import games
from dpviz.ui.adversary.asked import Question
from dpviz.ui.adversary.games import Game, mechanisms_of
from dpviz.ui.shell.kept import kept
from dpviz.ui.shell.risks import DRAWN, RARELY, Bound

if TYPE_CHECKING:
    import pandas


@kept(3, 36, shared=True)
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


@kept(128, 2)
def attacks(theory: Game, prior: float) -> pandas.DataFrame:
    """Return what the best attack reaches, kept; see `dpviz.adversary.risk.attack_frame`."""
    found, delta = bound(theory), theory.pair_delta
    priors = sorted({*PRIORS, prior})
    frame = attack_frame(found.loss, delta, priors)
    pair = PairLoss(found.pair)
    return frame if found.own else frame.assign(pair_value=attack_frame(pair, delta, priors).value)


@kept(128, 2)
def posteriors(theory: Game, prior: float) -> pandas.DataFrame:
    """Return how far priors can rise, kept; see `dpviz.adversary.risk.posterior_frame`."""
    delta = theory.pair_delta
    return posterior_frame(bound(theory).loss, delta, sorted({*PRIORS, prior}), sorted({RARELY, delta}, reverse=True))


def odds(theory: Game, unit: str, relation: str) -> Odds:
    """Return the odds of the best attack in words."""
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
