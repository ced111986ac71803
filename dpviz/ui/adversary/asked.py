"""The sidebar of the adversary page: what the attacker sees, how often, and how the experiment is played."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace

import streamlit as st

from dpviz.adversary import STRATEGIES, mechanism_list
from dpviz.adversary.experiment import MOST_MECHANISMS, ROUNDS
from dpviz.adversary.neighbours import NOTE, RULE, compared
from dpviz.composition import tightest
from dpviz.decimals import typed
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.left_open import as_open, follows
from dpviz.plan import Plan, Release
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.adversary.games import MOST_CHOSEN_ROUNDS, MOST_GAMES, Game
from dpviz.ui.shell import examples, inputs, learn_pages, reading, refusals, words
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import comparison, right_guesses, static
from dpviz.ui.shell.presets import Preset, bar

# An address holds the words of a choice, as lists show them.
NOTEBOOK, CURRENT = "All three of the notebook", "Current plan"
SINGLE = ("Laplace, ε = 0.5", "Laplace, ε = 1", "Gaussian, ε = 0.5, δ = 0.01")
AGAINST = (NOTEBOOK, *SINGLE, CURRENT)
SEEN = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600,
        800, 1000, 1200, 1500, 2000, 2500, 3000)  # fmt: skip
PASSES = (1, 2, 5, 10, 20, 50, 100)
NOISE = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100")
WHO = {strategy.label: strategy for strategy in STRATEGIES if strategy.key != "list"}
GAMES = (100, 1_000, 10_000, MOST_GAMES)
LARGEST_EPSILON = 500.0  # of one response; beyond, it tells the truth
DATABASES = ("1", "2")
LONGEST_DATABASE = 50
PRESETS = tuple(
    Preset(f"notebook_{seen}", f"Example: notebook, {seen:,} releases", "", (("against", NOTEBOOK), ("seen", seen)))
    for seen in (3, 30, 3000)
)


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    game : Game
        As it is played.
    delta : float
        The whole δ, for the pair that stands beside each risk.
    prior : float
        Of world 1, in (0, 1).
    unit, relation : str
    notebook : bool
        Whether the mechanisms are the notebook's.
    """

    game: Game
    delta: float
    prior: float
    unit: str
    relation: str
    notebook: bool
    in_words: bool

    @property
    def theory(self) -> Game:
        """The game without what theory does not depend on, with the δ of the whole."""
        return replace(self.game, games=1, seed=0, secrets="", pair_delta=self.delta)


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        plan, part, notebook = _attacked()
        rounds = _seen() if notebook else _passes(plan, part)
        releases = _noisier(plan, notebook)
        with learn_pages.rest() as place:
            about = "What may depend on the outputs seen so far."
            strategy = WHO[inputs.choice("The attacker", "who", tuple(WHO), about)]
            if not strategy.fixed_in_advance and rounds > MOST_CHOSEN_ROUNDS:
                st.caption(f"This adversary looks back at every step: shown for {MOST_CHOSEN_ROUNDS} releases.")
                rounds = MOST_CHOSEN_ROUNDS
            about = "How sure the attacker is, before the releases, that the data are those of world 1."
            percent = inputs.number("Prior of world 1, %", "prior", (0.1, 99.9), 50.0, about)
        with place if reading.people() else st.expander("Simulation, δ and databases"):
            trials = inputs.slider("Games in each world", "games", GAMES, value=1_000, format_func=str)
            seed, delta = inputs.seed(about="The same seed, the same games."), plan.budget.delta
            if notebook:
                about = "For the pair (ε, δ) that stands beside each risk."
                delta = inputs.delta("δ of the whole", "deltak", 1e-6, about)
            secrets = _databases() if notebook else ""
        if not reading.people():
            bar(PRESETS)
    game = Game(replace(plan, releases=releases), part, rounds, trials, seed, strategy.key, secrets)
    if not strategy.fixed_in_advance:
        game = replace(game, pair_delta=delta)
    return Question(game.allowed, delta, percent / 100, plan.unit_in_words, plan.neighbours, notebook, reading.people())


def noisier(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return the mechanism with `factor` times its noise; for a told bit, ε divided by it; a declared curve stays.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse, TrainedModel
    >>> noisier(TrainedModel(1000, 50, 1.1, epochs=1), 2.0).noise_multiplier
    2.2
    >>> noisier(Laplace(1.0), 2.0).scale, noisier(RandomizedResponse(1.0), 0.5).stated.epsilon
    (2.0, 2.0)
    """
    if factor == 1:
        return mechanism
    if mechanism.base is not mechanism:
        return mechanism.over(noisier(mechanism.base, factor))
    if mechanism.noise is not None:
        made = type(mechanism)(mechanism.noise.scale * factor, mechanism.sensitivity)
        return as_open(made, mechanism) if follows(mechanism) else made
    if mechanism.stated is None:  # a trained model; a declared curve has no noise
        return mechanism if mechanism.strength is None else mechanism.scaled(typed(factor))
    return mechanism.scaled(typed(max(factor, mechanism.stated.epsilon / LARGEST_EPSILON))) or mechanism


def _attacked() -> tuple[Plan, str, bool]:
    """The plan that is attacked, the target's part, and whether it is the notebook's, as the current one cannot be."""
    several = len({each.mechanism for each in session.current().releases}) > 1
    learn_pages.start_from_plan(against=CURRENT, view="Likelihood ratio" if several else None)
    about = "Outputs of these mechanisms."
    against = inputs.source(
        "The attacker sees", "against", learn_pages.offered(AGAINST, "against"), CURRENT, NOTEBOOK, about
    )
    if against != CURRENT:
        return _notebook(against), "", True
    plan, part = session.current(), ""
    if parts := sorted({each.part for each in plan.releases if each.part is not None}):
        part = st.selectbox("The target is in the part", parts, key="inpart", help="Releases of other parts are blind.")
    size = _size(plan, part)
    if 1 <= size <= MOST_MECHANISMS:
        if not (mute := _mute(plan, part)):
            return plan, part, False
        st.warning(f"The current plan cannot be played: {mute}. The experiment shows the notebook's three instead.")
        return _notebook(against), "", True
    st.warning(
        f"The current plan makes {shown_count(size)} releases, and the experiment needs 1 to "
        f"{shown_count(MOST_MECHANISMS)}.{_whole_risk(plan) if size else ''} It shows the notebook's three instead."
    )
    return _notebook(against), "", True


def _mute(plan: Plan, part: str) -> str:
    """Why no outputs of a plan can be drawn; "" if they can."""
    try:
        mechanism_list(plan, part or None)
    except ValueError as reason:
        return refusals.clause(reason)
    return ""


def _whole_risk(plan: Plan) -> str:
    """What holds for a plan that is too large to be played."""
    best = tightest(comparison(plan, plan.budget.delta))
    right = right_guesses(plan, math.inf if best is None else best.epsilon)
    return f" An attacker of this plan guesses right in at most {shown_up(right)} of 100 cases."


def _size(plan: Plan, part: str) -> int:
    return sum(each.uses for each in plan.releases if each.part in (None, part or None))


def _notebook(against: str) -> Plan:
    plan = examples.plan_of("sherpa-notebook")
    chosen = plan.releases if against not in SINGLE else [plan.releases[SINGLE.index(against)]]
    return replace(plan, releases=chosen, relation="replace_one")


def _seen() -> int:
    about = "The list is asked in order, again and again. Drag to 3,000 and the two worlds separate."
    return inputs.slider("Releases seen", "seen", SEEN, about, value=3)


def _passes(plan: Plan, part: str) -> int:
    size = _size(plan, part)
    passes = inputs.slider("Repetitions of the plan", "passes", PASSES, "How often the whole plan is made.")
    rounds = size * passes
    if rounds > ROUNDS.high:
        rounds = int(ROUNDS.high) // size * size
        st.caption(f"Shown for {shown_count(rounds)} releases, the most that can be played.")
    return rounds


def _noisier(plan: Plan, notebook: bool) -> list[Release]:
    """The plan's releases with the noise that is tried, and the way of these into the plan."""
    about = "Multiplies the noise of every release. What may leak everything now and then goes on doing so as often."
    factor = float(inputs.slider("Noise, times", "loud", NOISE, about, value="1"))
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.caption("← more accuracy / more risk", width=100)
        st.caption("more privacy / more noise →", width=100)
    releases = [replace(each, mechanism=noisier(each.mechanism, factor)) for each in plan.releases]
    if not notebook:
        learn_pages.use_instead(releases, "loud", "Gives every release of the plan the noise tried here.", loud="1")
    return releases


def _databases() -> str:
    about = "A number, or numbers separated by commas."
    typed = [
        inputs.line(f"Database of world {world}", f"x{world}", value, LONGEST_DATABASE, about)
        for world, value in enumerate(DATABASES)
    ]  # fmt: skip
    try:
        ends = (-sys.float_info.max, sys.float_info.max)
        first, second = (inputs.listed(text.strip(" []"), ends, name="each number of it", names="a database")
                         for text in typed)  # fmt: skip
        reason = compared(first, second).reason
        if compared(first, second).neighbours:
            return "|".join(",".join(map(repr, each)) for each in (first, second))
    except ValueError as error:
        reason = refusals.sentence(error)
    st.error(f"{refusals.drawn(reason)} {RULE} The experiment goes on with 1 and 2.")
    return "|".join(repr(float(each)) for each in DATABASES)


@static
def neighbours() -> None:
    """Explain which databases are neighbours, with the example of the notebook."""
    pairs = ((1, 2, 3, 4), (1, 2, 5, 8)), ((1, 2, 3, 4), (1, 2, 3, 8)), ((1, 28, 91), (2, 28, 91))
    with st.expander("Which two databases may the attacker put forward?"):
        st.markdown(f"{RULE} {NOTE}")
        for first, second in pairs:
            found = compared(first, second)
            verdict = "neighbours" if found.neighbours else "no neighbours"
            st.markdown(f"- {list(first)} and {list(second)}: **{verdict}**. {words.escaped(found.reason)}")
