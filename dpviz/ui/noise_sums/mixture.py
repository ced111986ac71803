"""The section on an answer that is aggregated only sometimes: label known or hidden, and the note's two bounds."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpviz.figures.learn.noise_curves import described_mixture, mixture_curve
from dpviz.rounding import shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.noise_sums.asked import Question
from dpviz.ui.shell import components, inputs, reading
from dpviz.ui.shell.kept import static

MOST_APART = 10_000.0


def section(asked: Question) -> None:
    """Draw the inputs, and every bound against p."""
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
            components.drawn(mixture_curve, curve, bounds, p),
            curve,
            "mixture-curve",
            "What the mixture costs for every p, by who learns the label",
            partial(described_mixture, bounds, p),
        )
    with notes:
        _bounds(bounds)
        st.caption(
            "The hidden label is a promise only if nothing else tells: no timing, no size of the message, and other "
            "clients' answers that sum to 0, so that both outputs share their centre. dpviz leads with the known label."
        )


def _inputs() -> tuple[float, float]:
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        label = "Probability p that an answer is not aggregated (0: always summed, 1: always alone)"
        p = st.slider(label, 0.0, 1.0, 0.5, 0.01, key="p", bind="query-params")
    with right:
        about = "In sensitivities: how far the sum of the other clients' answers moves the aggregated output."
        gap = inputs.number("Distance between the two centres", "gap", (0.0, MOST_APART), 0.0, about)
    return p, gap


@static
def _bounds(bounds: pd.DataFrame) -> None:
    st.markdown("**The bounds at this p**")
    rows = ["| Bound | ε | What it is worth |", "|:--|--:|:--|"]
    for row in bounds.itertuples():
        value = shown_up(row.epsilon, 9 if reading.proofs() else 4) if row.epsilon >= 0 else "below 0"
        rows.append(f"| {row.label} | {value} | {told.worth(row)} |")
    st.markdown("\n".join(rows))
