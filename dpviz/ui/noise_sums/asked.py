"""What the page on noise sums asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.mechanisms import CALIBRATIONS
from dpviz.ui.shell import inputs, reading, shell

SECTIONS = ("Two noises", "Secure aggregation", "Alone or aggregated", "Shuffling", "Still open")
LABELS = {record.key: record.label for record in CALIBRATIONS}
MOST_CLIENTS = 1_000_000
FOUND = "How σ was found for a given ε and δ. The classical one is the note's; the analytic one is the smallest."
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
        classical = tuple(LABELS).index("classical")
        calibration = inputs.choice(
            "Calibration of the noises", "calib", tuple(LABELS), FOUND, index=classical, format_func=LABELS.get
        )
        about = "The probability with which the bound of each noise may fail. The sum is stated at the same δ."
        delta = inputs.delta("δ of every noise", "deltaeach", DELTA, about)
        about = "Draws a contour on the heat map and a line among the clients."
        target = inputs.epsilon("Target ε", "target", 0.4, about, placeholder="none")
        about = "What each client's own noise was made for: for secure aggregation and mixtures."
        epsilon = inputs.epsilon("ε of one client's noise", "epsc", 1.0, about)
        about = "Clients whose noisy answers are summed."
        clients = inputs.count("Clients n", "clients", MOST_CLIENTS, 100, about, step=10)
    return Question(calibration, delta, target, epsilon, clients, reading.people())


@shell.guarded
def use_delta() -> None:
    """Return to a δ that Gaussian noise has; a callback."""
    st.session_state["deltaeach"] = DELTA
