"""The section on an answer that is aggregated only sometimes: label known or hidden, and the note's two bounds."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from dpviz.figures import mixture_curve as figure
from dpviz.rounding import shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.noise_sums.asked import Question
from dpviz.ui.shell import components, inputs, reading, shell

APART = 100.0  # sensitivities between the centres: other clients' answers seldom add up to nothing
MOST_APART = 10_000.0


@shell.guarded
def _set_gap(gap: float) -> None:
    """Move the two centres; a callback."""
    st.session_state["gap"] = gap


def section(asked: Question) -> None:
    """Draw the inputs, every bound against p, and the step that is false."""
    answer = st.container()
    p, gap = _inputs()
    bounds = answers.mixture_bounds(asked.epsilon, asked.delta, asked.clients, p, asked.calibration, gap)
    curve = answers.mixture_curve(asked.epsilon, asked.delta, asked.clients, asked.calibration, gap)
    centred = answers.mixture_bounds(asked.epsilon, asked.delta, asked.clients, p, asked.calibration, 0.0)
    hidden = float(centred.set_index("bound").epsilon.hidden)
    answer.markdown(told.mixture_finding(asked, bounds, hidden, p, gap))
    picture, notes = st.columns([5, 4], gap="medium")
    with picture:
        components.chart(
            figure.mixture_curve(curve, bounds, p, components.dark()),
            curve,
            "mixture-curve",
            "What the mixture costs for every p, by who learns the label",
            figure.described(bounds, p),
        )
    with notes:
        _bounds(bounds)
        st.caption(
            "The hidden label is a promise only if nothing else tells: no timing, no size of the message, and other "
            "clients' answers that sum to 0, so that both outputs share their centre. dpviz leads with the known label."
        )
    _step(asked, p)


def _inputs() -> tuple[float, float]:
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        label = "Probability p that an answer is not aggregated (0: always summed, 1: always alone)"
        p = st.slider(label, 0.0, 1.0, 0.5, 0.01, key="p", bind="query-params")
    with right:
        about = "In sensitivities: how far the sum of the other clients' answers moves the aggregated output."
        gap = inputs.number("Distance between the two centres", "gap", (0.0, MOST_APART), 0.0, 10.0, about)
    with st.container(horizontal=True):
        st.button("Same centre", on_click=_set_gap, args=(0.0,), disabled=gap == 0, key="same_centre")
        st.button("Centres 100 apart", on_click=_set_gap, args=(APART,), disabled=gap == APART, key="centres_apart")
    return p, gap


def _bounds(bounds: pd.DataFrame) -> None:
    st.markdown("**The bounds at this p**")
    rows = ["| Bound | ε | What it is worth |", "|:--|--:|:--|"]
    for row in bounds.itertuples():
        value = shown_up(row.epsilon, 9 if reading.proofs() else 4) if row.epsilon >= 0 else "below 0"
        rows.append(f"| {row.label} | {value} | {told.worth(row)} |")
    st.markdown("\n".join(rows))


def exponents(epsilon_1: float, epsilon_2: float, p: float) -> figure.Exponents:
    """Return where the two exponents of the note's sum lie, for every p and for the chosen one.

    Examples
    --------
    >>> [round(value, 3) for value in exponents(1.0, 0.1, 0.5).here]
    [0.307, -0.593]
    """
    shares = [0.001 * (1 + n) for n in range(999)]
    x = tuple(epsilon_1 + math.log(each) for each in shares)
    y = tuple(epsilon_2 + math.log1p(-each) for each in shares)
    here = (epsilon_1 + math.log(p), epsilon_2 + math.log1p(-p)) if 0 < p < 1 else None
    return figure.Exponents(x, y, here, p)


def _step(asked: Question, p: float) -> None:
    st.header("The false step of section 3.2", anchor=False)
    picture, notes = st.columns([5, 4], gap="medium")
    second = asked.epsilon / asked.clients**0.5
    path = exponents(asked.epsilon, second, p)
    edge = answers.step_edge(max(4.0, 1.2 * asked.epsilon))
    with picture:
        title = "eˣ + eʸ ≤ eˣ⁺ʸ holds above the curve only, not wherever x, y ≥ 0"
        components.chart(
            figure.false_step(edge, path, components.dark()), edge, "false-step", title, figure.step_described(path)
        )
    with notes:
        st.markdown(
            "The note's last bound, ε₁ + ε₂ + ln p + ln(1−p), rests on eˣ + eʸ ≤ eˣ⁺ʸ for all x, y ≥ 0. At x = y = 0 "
            "that reads 2 ≤ 1. It holds exactly where (eˣ−1)(eʸ−1) ≥ 1 with x, y > 0, and never helps there."
        )
