"""The experiment as this page plays it: small runs at once and kept, long ones on request, with a stop and a mark."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpviz.adversary import STRATEGIES, Strategy, Views, mechanism_list, midpoint_error
from dpviz.adversary.experiment import DRAWS
from dpviz.adversary.play import experiment_in_chunks
from dpviz.adversary.rounds import basic_pair, with_pairs
from dpviz.filters import Filter
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.rounding import shown_count
from dpviz.ui.shell import page_state
from dpviz.ui.shell.kept import kept

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

AT_ONCE = 6_500_000  # draws that are played without being asked for: a fraction of a second
PREVIEW = 1_500_000  # and those that stand in for a long run until it is asked for
MOST_GAMES = 100_000
MOST_CHOSEN_ROUNDS = 300  # whoever chooses every step looks back at all outputs each time
BY_KEY = {strategy.key: strategy for strategy in STRATEGIES}
HELD = "_adversary_run"
STEP = 0.1  # seconds between two signs of progress


@dataclass(frozen=True)
class Game:
    """All that a run depends on.

    Parameters
    ----------
    plan : Plan
        Whose mechanisms the adversary sees.
    part : str
        The part of the data that the target is in; empty where there are none.
    rounds, games, seed : int
        Releases seen, games played in each world, and the seed.
    who : str
        Key of a strategy.
    secrets : str
        The two databases, as typed, with a bar between; empty: as far apart as each sensitivity allows.
    pair_delta : float
        The δ of the whole; of a run 0 under a strategy without a filter, where no draw depends on it.
    """

    plan: Plan
    part: str
    rounds: int
    games: int
    seed: int
    who: str
    secrets: str = ""
    pair_delta: float = 0.0

    @property
    def strategy(self) -> Strategy:
        """The adversary."""
        return BY_KEY[self.who]

    @property
    def work(self) -> float:
        """About how many plain draws take as long as this run."""
        weight = 1 if self.strategy.fixed_in_advance else 10 + self.rounds / 2
        return 2 * self.games * self.rounds * (weight if self.strategy.ask is None else 3)

    @property
    def at_once(self) -> bool:
        """Whether it is played without being asked for."""
        return self.work <= AT_ONCE

    @property
    def allowed(self) -> Game:
        """The game with as many repetitions as one run may have."""
        return replace(self, games=max(1, min(self.games, int(DRAWS.high) // (2 * self.rounds))))

    @property
    def preview(self) -> Game:
        """The game, repeated as often as takes no time."""
        return replace(self, games=max(20, min(self.games, int(PREVIEW * self.games / self.work))))


@dataclass(frozen=True)
class Shown:
    """The draws on the screen.

    Parameters
    ----------
    views : Views
    game : Game
        What they were drawn from.
    stale : bool
        Whether the settings have changed since.
    """

    views: Views
    game: Game
    stale: bool = False


def mechanisms_of(game: Game) -> tuple[Mechanism, ...]:
    """Return what the adversary works through; where a filter needs pairs, Gaussian noise states one."""
    listed = mechanism_list(game.plan, game.part or None)
    return listed if game.strategy.fixed_in_advance else with_pairs(listed, game.pair_delta / game.rounds)


def databases(secrets: str) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return the two databases that the text of a game stands for.

    Examples
    --------
    >>> databases("1|2"), databases("")
    (((1.0,), (2.0,)), None)
    """
    if not secrets:
        return None
    first, second = (tuple(float(each) for each in text.split(",")) for text in secrets.split("|"))
    return first, second


def _chunks(game: Game) -> Iterator[Views]:
    mechanisms, strategy = mechanisms_of(game), game.strategy
    secrets = databases(game.secrets)
    choosing = strategy.choose is not None
    middle = (0.0, 1.0) if secrets is None else tuple(each[_differing(secrets)] for each in secrets)
    return experiment_in_chunks(
        mechanisms,
        secrets,
        game.rounds,
        strategy.choose(mechanisms, middle) if choosing else None,
        trials=game.games,
        rng=np.random.default_rng(game.seed),
        ask=strategy.ask(mechanisms) if strategy.ask else None,
        budget=Filter(basic_pair(mechanisms, game.rounds, game.pair_delta), rule="basic") if choosing else None,
    )


def _differing(secrets: tuple) -> int:
    return next(place for place, (one, other) in enumerate(zip(*secrets, strict=True)) if one != other)


def _light(views: Views) -> Views:
    """Views without single outputs, which no chart shows."""
    return replace(views, outputs=None, asked=None)


@kept(3, 12, shared=True)
def played(game: Game) -> Views:
    """Play a small game, kept."""
    *_, views = _chunks(game)
    return _light(views)


@kept(256, 1)
def midpoint(game: Game) -> float | None:
    """Return how often the test on the mean errs, in theory; None where that is not known."""
    if not game.strategy.fixed_in_advance:
        return None
    listed = mechanisms_of(game)
    if any(each.noise is None for each in listed):
        return None
    # Answers of different sensitivities are averaged on one scale, that of the distance between both databases.
    pair = databases(game.secrets) if not game.strategy.ask else None
    place = _differing(pair) if pair else 0
    widths = {each: each.sensitivity if pair is None else 1.0 for each in dict.fromkeys(listed)}
    scales = {each: type(each)(each.noise.scale / width) for each, width in widths.items()}
    distance = 1.0 if pair is None else abs(pair[1][place] - pair[0][place])
    whole, rest = divmod(game.rounds, len(listed))
    if not rest:
        return midpoint_error(tuple(scales[each] for each in listed), whole, distance)
    return midpoint_error(tuple(scales[listed[n % len(listed)]] for n in range(game.rounds)), 1, distance)


def shown(game: Game) -> Shown:
    """Return the draws to show: of this game, of another and marked stale, or a short run of it meanwhile."""
    if game.at_once:
        return Shown(played(game), game)
    held: Shown | None = page_state.held(HELD)
    if held is None:
        return Shown(played(game.preview), game.preview)
    return replace(held, stale=held.game != game)


def panel(game: Game, place: DeltaGenerator) -> None:
    """Draw what was played, and for a long run its buttons and its progress; last on the page, into `place`.

    Not a fragment: a click in a fragment waits for the end of a running one, and Stop must not wait.
    """
    with place:
        if game.at_once:
            st.caption(f"{described(game)}. The same seed draws the same games.")
            return
        _controls(game)


def _controls(game: Game) -> None:
    held: Shown | None = page_state.held(HELD)
    fresh = held is not None and held.game == game
    if held is not None and not fresh:
        st.warning(f"**Stale**: these draws are of other settings ({described(held.game)}). Theory is up to date.")
    elif fresh and not held.views.complete:
        st.info(
            f"Stopped after {shown_count(held.views.trials)} of {shown_count(game.games)} games in each world. "
            "Whoever stops because of what they see biases it."
        )
    elif held is None:
        st.caption(f"So far {shown_count(game.preview.games)} games in each world, as a preview of {described(game)}.")
    else:
        st.caption(f"{described(game)}. The same seed draws the same games.")
    with st.container(horizontal=True):
        again = "again" if held is not None else f"all {shown_count(game.games)} games"
        if st.button(f"Run {again}", key="adversary_run", type="primary"):
            st.button("Stop here", key="adversary_stop")  # any click ends the run; what was played until then is kept
            _run(game)


def _run(game: Game) -> None:
    bar = st.progress(0.0, "Playing")
    last = 0.0
    for views in _chunks(game):
        page_state.put({HELD: Shown(_light(views), game)})
        if time.monotonic() - last > STEP:
            last = time.monotonic()
            done = f"{shown_count(views.trials)} of {shown_count(game.games)} games played in each world"
            bar.progress(views.trials / game.games, done)
    st.rerun()


def described(game: Game) -> str:
    """Return the settings of a run."""
    games = f"{shown_count(game.games)} game{'s' if game.games > 1 else ''} in each world"
    return f"{games}, {shown_count(game.rounds)} release{'s' if game.rounds > 1 else ''}, seed {game.seed}"
