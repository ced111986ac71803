"""The section on secure aggregation: who drops out, who colludes, and what the rest are promised."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.figures.learn.icon_arrays import icon_arrays
from dpviz.figures.learn.noise_curves import client_curve, described_clients
from dpviz.mechanisms import Gaussian
from dpviz.noise_sums.sums import honest_clients
from dpviz.plan import Release
from dpviz.rounding import shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.noise_sums.asked import Question
from dpviz.ui.shell import components, learn_pages, page_state, reading, refusals
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import static

NAMES = {
    "server": "Server, sees the sum",
    "server_and_colluders": "Server with colluders",
    "local": "One answer before the sum",
    "note_scale": "Sum with the note's σ²√n",
}
ODDS = {"Seeing one answer alone": "local", "Seeing only the sum": "server_and_colluders"}


def section(asked: Question) -> None:
    """Draw the sliders, the vantage points and the curve over the number of clients; for people, the odds."""
    answer = st.container()
    left, right = st.columns(2, gap="medium")
    who = "People who" if asked.in_words else "Clients that"
    with left:
        dropped = _lost(f"{who} drop out", "dropped", asked.clients, "Their noise never arrives.")
    with right:
        colluding = _lost(f"{who} collude", "colluding", asked.clients, "They tell the server their noise.")
    names = {"dropped": f"“{who} drop out”", "colluding": f"“{who} collude”"}
    try:
        honest_clients(asked.clients, colluding, dropped)
    except ValueError as error:
        answer.error(refusals.drawn(refusals.sentence(error, names), "Nobody's noise would be left to hide anything."))
        return
    frame = answers.vantage_points(asked.epsilon, asked.delta, asked.clients, colluding, dropped, asked.calibration)
    answer.markdown(told.client_finding(asked, frame, dropped, colluding))
    sigma = frame.set_index("vantage").sigma
    if asked.in_words:
        _odds(sigma)
        _use(asked.row, float(sigma.local), int(frame.noises[1]))
        return
    with answer:
        _metrics(frame)
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        _curve(asked, dropped, colluding)
    with notes:
        _notes(asked, frame, dropped, colluding)
        _use(asked.row, float(sigma.local), int(frame.noises[1]))


def _odds(sigma: pd.Series) -> None:
    """Of 100 guesses, the right ones: against one answer alone, and against the sum."""
    right = {name: told.right(sigma[key]) for name, key in ODDS.items()}
    counts = [min(math.ceil(each), 100) for each in right.values()]
    components.chart(
        components.drawn(icon_arrays, *counts, 100, tuple(right)),
        pd.DataFrame({"seen": list(right), "right guesses of 100, at most": list(right.values())}),
        "noise-sum-odds",
        "Right guesses of 100, at most: a coin gets 50",
        f"Two grids of 100 guesses: {counts[0]} at most are right about one answer alone, {counts[1]} about the sum.",
    )


def _use(row: int | None, sigma: float, honest: int) -> None:
    """Offer the noise of the sum to the plan: in the release that each adds it to, or as a new one."""
    about = "A release with the noise of the sum, as a server and its colluders know it."
    times = math.sqrt(honest) * (1 - 2**-50)  # three roundings follow or precede, of 2⁻⁵³ each: never too much noise
    releases = list(session.current().releases)
    if row is None:
        learn_pages.use((Release("Sum of noisy answers", Gaussian(sigma * times, 1)),), "sum", about)
        return
    old = releases[row].mechanism
    noise = Gaussian(old.base.sigma * times, old.base.sensitivity)
    releases[row] = replace(releases[row], mechanism=old.over(noise))
    learn_pages.use_instead(releases, "sum", about)


def _lost(label: str, key: str, clients: int, about: str) -> int:
    """A slider up to all clients but one; none where there is but one."""
    if clients < 2:
        st.caption(f"{label}: one client alone is no aggregation.")
        return 0
    if page_state.held(key, 0) > clients - 1:  # there are fewer clients than when it was set
        page_state.put({key: clients - 1})
    return st.slider(label, 0, clients - 1, 0, key=key, bind="query-params", help=about)


def _metrics(frame: pd.DataFrame) -> None:
    entries = []
    for row in frame.itertuples():
        about = f"{row.label[0].upper()}{row.label[1:]}. The rule says {told.rule_cell(row.rule)}."
        exact = shown_up(row.epsilon, 9 if reading.proofs() else 4)
        entries.append((NAMES[row.vantage], f"ε = {exact}", None, about))
    components.metrics(entries, len(entries))


def _curve(asked: Question, dropped: int, colluding: int) -> None:
    curve = answers.client_curve(asked.epsilon, asked.delta, asked.clients, colluding, dropped, asked.calibration)
    components.chart(
        components.drawn(client_curve, curve, asked.clients, asked.target),
        curve,
        "client-curve",
        "What the sum promises an honest client, by the number of clients",
        partial(described_clients, curve, asked.clients, asked.target),
    )


@static
def _notes(asked: Question, frame: pd.DataFrame, dropped: int, colluding: int) -> None:
    if asked.target is not None:
        few = answers.fewest_clients(asked.epsilon, asked.delta, asked.target, colluding, dropped, asked.calibration)
        st.markdown(told.fewest(few, asked.target))
    st.markdown(told.scale(frame))
