"""What the page on noise sums asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.mechanisms import CALIBRATIONS
from dpviz.ui.shell import shell, sidebar, steps

SECTIONS = ("Two noises", "Secure aggregation", "Alone or aggregated", "Shuffling", "Still open")
EPSILON = (1e-6, 50.0)
LABELS = {record.key: record.label for record in CALIBRATIONS}
MOST_CLIENTS = 1_000_000
DELTA = 1e-5  # of the errata's exact values


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
    """

    calibration: str
    delta: float
    target: float | None
    epsilon: float
    clients: int
    in_words: bool


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        calibration, delta = _noise()
        target = _target()
        epsilon, clients = _client()
    return Question(calibration, delta, target, epsilon, clients, sidebar.reading())


def _noise() -> tuple[str, float]:
    calibration = st.selectbox(
        "Calibration of the noises",
        tuple(LABELS),
        index=tuple(LABELS).index("classical"),
        format_func=LABELS.get,
        key="calib",
        bind="query-params",
        help="How σ was found for a given ε and δ. The classical one is the note's; the analytic one is the smallest.",
    )
    delta = steps.of_ten(
        "δ of every noise",
        "deltaeach",
        value=DELTA,
        bind="query-params",
        help="The probability with which the bound of each noise may fail. The sum is stated at the same δ.",
    )
    return calibration, delta


def _target() -> float | None:
    return st.number_input(
        "Target ε",
        min_value=1e-6,
        max_value=EPSILON[1],
        value=0.4,
        step=0.1,
        format="%.6g",
        key="target",
        bind="query-params",
        placeholder="none",
        help="Draws a contour on the heat map and a line among the clients.",
    )


def _client() -> tuple[float, int]:
    epsilon = st.number_input(
        "ε of one client's noise",
        *EPSILON,
        value=1.0,
        step=0.1,
        format="%.6g",
        key="epsc",
        bind="query-params",
        help="What each client's own noise was made for: for secure aggregation and mixtures.",
    )
    clients = st.number_input(
        "Clients n",
        1,
        MOST_CLIENTS,
        value=100,
        step=10,
        key="clients",
        bind="query-params",
        help="Clients whose noisy answers are summed.",
    )
    return epsilon, clients


@shell.guarded
def use_delta() -> None:
    """Return to a δ that Gaussian noise has; a callback."""
    st.session_state["deltaeach"] = DELTA
