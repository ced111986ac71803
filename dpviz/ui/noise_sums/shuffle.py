"""The section on shuffling: what mixing the reports buys, and where nothing is proved."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpviz.amplification import SHUFFLE_BOUNDS, shuffling
from dpviz.figures.learn.noise_curves import described_shuffle, shuffle_curve
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.noise_sums.asked import Question
from dpviz.ui.shell import components, inputs, words
from dpviz.ui.shell.kept import static


def section(asked: Question) -> None:
    """Draw the curve of all bounds over the number of reports."""
    answer = st.container()
    epsilon, reports = _inputs()
    frame = answers.shuffle_curve(epsilon, reports, asked.delta)
    answer.markdown(told.shuffle_finding(epsilon, reports, asked.delta, frame))
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        figure, title = components.drawn(shuffle_curve, frame, reports), "Shuffled reports cost less, where proved"
        components.chart(figure, frame, "shuffle-curve", title, partial(described_shuffle, frame, reports))
    with notes:
        _notes(asked, epsilon, frame[frame.clients == reports])


def _inputs() -> tuple[float, int]:
    left, right = st.columns(2, gap="medium")
    with left:
        about = "Each client's randomizer is ε₀-DP on its own, with δ = 0."
        epsilon = inputs.number("Local ε₀ of each report", "local", (0.0, inputs.EPSILON[1]), 1.0, about)
    with right:
        about = "Honest clients whose reports are shuffled. Whoever colludes with the recipient does not count."
        reports = inputs.count("Reports n", "reports", shuffling.MOST_REPORTS, 10_000, about)
    return epsilon, reports


@static
def _notes(asked: Question, epsilon: float, here: pd.DataFrame) -> None:
    for bound in SHUFFLE_BOUNDS:
        row = here[here.bound == bound.key].iloc[0]
        first = shuffling.fewest_reports(epsilon, asked.delta, bound.key)
        start = "proved for no number of reports up to 10¹²"
        if first is not None:
            start = f"proved from **{shown_count(first)}** reports on" if first > 1 else "proved for every n"
        cost = f"Here: ε ≤ {shown_up(row.epsilon)}" + ("." if row.applies else f", as {words.escaped(row.reason)}.")
        st.markdown(f"**{bound.label}**: {start}. {cost}")
    st.markdown(
        "The numerical bounds sum exactly what the closed forms estimate, and hold everywhere. **In the grey a closed "
        "form claims no amplification.** The 2022 bounds are smaller, but their authors' erratum restricts them; dpviz "
        "uses them for randomized response alone."
    )
    st.caption("Neighbour relation: one client's value is replaced by another. Nobody colludes with the shuffler.")
