"""Answers of the adversary page that are kept, within bounds. Keys are text and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.adversary import Odds, PairLoss
from dpviz.adversary.odds import odds_record
from dpviz.adversary.risk import PRIORS, attack_frame, posterior_frame
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.adversary import games
from dpviz.ui.adversary.asked import Question
from dpviz.ui.adversary.games import Game, basic_pair, mechanisms_of, seen_counts

if TYPE_CHECKING:
    import pandas

    from dpviz.adversary.risk import Loss

DRAWN = 1e-3  # relative excess of ε that a drawn curve may have; never of a quoted number
RATES = np.unique(np.concatenate([np.linspace(0, 1, 41), np.geomspace(1e-4, 1, 33)]))
RARELY = 0.01  # with which the loss may exceed its bound in a quoted posterior


@dataclass(frozen=True)
class Bound:
    """What holds against an adversary.

    Parameters
    ----------
    loss : Loss
        Every risk is read from it.
    pair : Guarantee
        All that (ε, δ) alone says, for comparison; the loss itself where nothing better is proved.
    own : bool
        Whether the loss is that of the releases themselves, rather than of a pair.
    """

    loss: Loss
    pair: Guarantee
    own: bool


def theory(game: Game, delta: float) -> tuple:
    """Return what the theory of a game depends on."""
    return game.plan, game.part, game.rounds, game.who, delta


@st.cache_resource(max_entries=32, show_spinner=False)
def _bound(plan: str, part: str, rounds: int, who: str, delta: float, accuracy: float) -> Bound:
    game = Game(plan, part, rounds, 1, 0, who, pair_delta=delta)
    listed = mechanisms_of(game)
    if Plan.from_json(plan).adaptive or not game.strategy.fixed_in_advance:
        pair = basic_pair(listed, rounds, delta)
        return Bound(PairLoss(pair), pair, False)
    counts = seen_counts(listed, rounds)
    loss = PrivacyLoss(tuple(counts), [list(counts.values())], accuracy)
    return Bound(loss, Guarantee(float(loss.epsilon(delta)), delta), True)


def bound(game: Game, delta: float) -> Bound:
    """Return what holds against the adversary of a game, at full accuracy."""
    return _bound(*theory(game, delta), 1e-6)


def curve(game: Game, delta: float) -> pandas.DataFrame:
    """Return the trade-off curves to draw, kept: columns line ("own", "pair"), both error rates."""
    return _curve(*theory(game, delta))


@st.cache_data(max_entries=64, max_size="8MB", show_spinner=False)
def _curve(plan: str, part: str, rounds: int, who: str, delta: float) -> pandas.DataFrame:

    drawn = _bound(plan, part, rounds, who, delta, DRAWN)
    lines = [("own", drawn.loss)] if drawn.own else []
    parts = []
    for name, loss in (*lines, ("pair", PairLoss(drawn.pair))):
        missed = np.clip(loss.tradeoff(RATES), 0.0, 1 - RATES)
        columns = {"line": name, "false_positive_rate": RATES, "false_negative_rate": missed}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def attacks(game: Game, delta: float, prior: float) -> pandas.DataFrame:
    """Return what the best attack reaches, kept; see `dpviz.adversary.risk.attack_frame`."""
    return _attacks(*theory(game, delta), prior)


@st.cache_data(max_entries=128, max_size="8MB", show_spinner=False)
def _attacks(plan: str, part: str, rounds: int, who: str, delta: float, prior: float) -> pandas.DataFrame:
    found = _bound(plan, part, rounds, who, delta, 1e-6)
    priors = sorted({*PRIORS, prior})
    frame = attack_frame(found.loss, delta, priors)
    pair = PairLoss(found.pair)
    return frame if found.own else frame.assign(pair_value=attack_frame(pair, delta, priors).value)


def posteriors(game: Game, delta: float, prior: float) -> pandas.DataFrame:
    """Return how far priors can rise, kept; see `dpviz.adversary.risk.posterior_frame`."""
    return _posteriors(*theory(game, delta), prior)


@st.cache_data(max_entries=128, max_size="8MB", show_spinner=False)
def _posteriors(plan: str, part: str, rounds: int, who: str, delta: float, prior: float) -> pandas.DataFrame:
    found = _bound(plan, part, rounds, who, delta, 1e-6)
    return posterior_frame(found.loss, delta, sorted({*PRIORS, prior}), sorted({RARELY, delta}, reverse=True))


def odds(game: Game, delta: float, unit: str, relation: str) -> Odds:
    """Return the odds of the best attack in words."""
    return odds_record(bound(game, delta).loss, 100, unit, relation)


def vacuous(game: Game, delta: float) -> bool:
    """Say whether nothing at all is promised."""
    pair = bound(game, delta).pair
    return not bound(game, delta).own and (math.isinf(pair.epsilon) or pair.delta >= 1)


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
    limit = bound(asked.game, asked.delta)
    won = attacks(asked.game, asked.delta, asked.prior).set_index(["measure", "at"])
    success = float(won.value.xs("best_success").loc[asked.prior])
    advantage = float(won.value.xs("advantage").iloc[0])
    game = asked.game
    midpoint = games.midpoint(game.plan, game.part, game.rounds, game.who, game.secrets)
    return Found(limit, success, advantage, midpoint)
