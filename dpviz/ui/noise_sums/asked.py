"""What the page on noise sums asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import streamlit as st

from dpviz.mechanisms import CALIBRATIONS, Gaussian
from dpviz.noise_sums import NOTE_PAIRS
from dpviz.plan import Plan
from dpviz.ui.shell import inputs, learn_pages, page_state, reading, shell, words
from dpviz.ui.shell.document import session

SECTIONS = ("Two noises", "Secure aggregation", "Alone or aggregated", "Shuffling", "Still open")
CURRENT, TYPED, NOTE = SOURCES = ("Current plan", "Typed here", "Pairs of a note")
LABELS = {record.key: record.label for record in CALIBRATIONS}
MOST_CLIENTS = 1_000_000
MOST_PAIRS = 10
LONGEST = 200  # letters of the names of releases
FOUND = "How σ was found for a given ε and δ. The analytic one is the smallest."
LIST = "0.5, 0.75, 1"
DELTA = 1e-5  # of the errata's exact values
Pair = tuple[float, float]


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    calibration : str
        A key of ``CALIBRATIONS``.
    delta : float
        Of every noise and of the answer; 0 is refused.
    target : float or None
        ε to stay within.
    epsilon : float
        What one client's noise was made for.
    clients : int
    pairs, listed : tuple
        Pairs of ε, and a list of any number of them.
    in_words : bool
    row : int or None
        Place of the release in the current plan whose noise each client adds; None where it is typed.
    """

    calibration: str
    delta: float
    target: float | None
    epsilon: float
    clients: int
    pairs: tuple[Pair, ...]
    listed: tuple[float, ...]
    in_words: bool
    row: int | None = None


def noises_of(plan: Plan) -> dict[int, Gaussian]:
    """Return the Gaussian noise of each release that adds some, for sensitivity 1, by its place; most used first.

    Noise that protects nothing, beyond `inputs.EPSILON`, is left out.
    """
    bases = {place: each.mechanism.base for place, each in enumerate(plan.releases)}
    noises = {place: Gaussian(1 / base.mu) for place, base in bases.items() if base.key == "gaussian"}
    delta = plan.budget.delta or DELTA
    places = [place for place, noise in noises.items() if noise.epsilon(delta) <= inputs.EPSILON[1]]
    return {place: noises[place] for place in sorted(places, key=lambda place: -plan.releases[place].uses)}


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    noises = noises_of(session.current())
    about = "The Gaussian noises of the plan that you work on, any that are typed, or the pairs that a note states."
    with st.sidebar:
        mine = CURRENT if noises else TYPED
        former = NOTE if inputs.linked() else TYPED
        chosen = inputs.source("Noises", "nsource", SOURCES, mine, former, about, (CURRENT,) if noises else ())
        if chosen == CURRENT and not noises:
            st.caption("Your plan adds no Gaussian noise: what is typed below is shown.")
        noises = noises if chosen == CURRENT else {}
        if names := [session.current().releases[place].name for place in noises]:
            st.caption(f"That of {words.escaped(words.shortened(' + '.join(names), LONGEST))}.")
        about = "People, or offices, whose noisy answers are summed."
        clients = inputs.count("How many add noise each", "clients", MOST_CLIENTS, 100, about)
        with learn_pages.rest():
            calibration = "analytic" if noises else _calibration(chosen)
            delta = _delta(bool(noises))
            about = "Draws a contour on the heat map and a line among the clients."
            target = inputs.epsilon("Target ε", "target", 0.4, about, placeholder="none")
            listed = tuple(_epsilons(noises, delta)) if noises else tuple(_typed())
            epsilon = listed[0] if noises else _epsilon()
    pairs = NOTE_PAIRS if chosen == NOTE else tuple(combinations(listed, 2)) or ((listed[0], listed[0]),)
    row = next(iter(noises), None)
    pairs, people = tuple(pairs[:MOST_PAIRS]), reading.people()
    return Question(calibration, delta, target, epsilon, clients, pairs, listed, people, row)


def _calibration(chosen: str) -> str:
    index = tuple(LABELS).index("classical" if chosen == NOTE else "analytic")
    return inputs.choice(
        "Calibration of the noises", "calib", tuple(LABELS), FOUND, index=index, format_func=LABELS.get
    )


def _delta(given: bool) -> float:
    delta = session.current().budget.delta
    if given and delta:
        return delta
    about = "The probability with which the bound of each noise may fail. The sum is stated at the same δ."
    return inputs.delta("δ of every noise", "deltaeach", DELTA, about)


def _epsilon() -> float:
    about = "What each client's own noise was made for: for secure aggregation and mixtures."
    return inputs.epsilon("ε of one client's noise", "epsc", 1.0, about)


def _epsilons(noises: dict[int, Gaussian], delta: float) -> list[float]:
    # What is calibrated for this ε has a little less noise than the release, never more.
    return [max(noise.epsilon(delta) * (1 + 1e-9), inputs.EPSILON[0]) if delta else 1.0 for noise in noises.values()]


def _typed() -> list[float]:
    return inputs.numbers("Any number of noises: the ε of each", "noises", LIST, 600, "Separated by commas.")


@shell.guarded
def use_delta() -> None:
    """Return to a δ that Gaussian noise has; a callback."""
    page_state.put({"deltaeach": DELTA})
