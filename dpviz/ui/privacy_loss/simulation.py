"""The panel of the simulation lemma: leaky randomized response, and F drawn and checked."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpviz.figures.learn import simulation_lemma as figure
from dpviz.losses import Simulation
from dpviz.losses.simulation_lemma import leaky_response
from dpviz.mechanisms import Mechanism
from dpviz.rounding import shown_delta, shown_near, shown_up
from dpviz.ui.privacy_loss import words as told
from dpviz.ui.shell import components


def panel(mechanism: Mechanism, delta: float) -> None:
    """Draw everything about the lemma for one mechanism."""
    own = float(mechanism.epsilon(max(delta, 1e-6))) if mechanism.stated is None else mechanism.stated.epsilon
    about = "A smaller ε needs a larger δ: the mechanism is (ε, δ)-DP for every point of its profile."
    options = {"format": "%d %%", "key": "share", "bind": "query-params", "help": about}
    share = st.slider("ε of leaky randomized response, as a share of the mechanism's", 0, 100, 50, 5, **options)
    simulation = Simulation.of(mechanism, own * share / 100)
    table, drawn = st.columns([2, 3], gap="medium")
    with table:
        _response(simulation)
        st.markdown(told.verified(simulation, simulation.verified()))
    with drawn:
        _chart(simulation)


def _response(simulation: Simulation) -> None:
    epsilon, delta = simulation.epsilon, simulation.delta
    st.markdown(f"**Leaky randomized response** with ε = {shown_up(epsilon, 6)}, δ = {shown_delta(delta)}")
    frame = leaky_response(epsilon, delta)
    shown = frame.assign(
        p_u=[shown_near(value, 9) for value in frame.p_u],
        p_v=[shown_near(value, 9) for value in frame.p_v],
        loss=[shown_near(value) for value in frame.loss],
        symbol=["0", "1", "“U”", "“V”"],
    )
    names = {"symbol": "Symbol"}
    names |= components.right({"p_u": "P[U]", "p_v": "P[V]", "loss": "Loss ln P[U]/P[V]"})
    st.dataframe(shown, hide_index=True, column_config=names, alt="Distributions of U and V")
    st.caption(
        "Simulation lemma: a randomized map F turns U into M(x) and V into M(x′), whatever the (ε, δ)-DP mechanism M. "
        "F never learns which of x, x′ is the case. Over k rounds it is applied to each of U₁, …, U_k. "
        "Lecture 11; Kairouz, Oh & Viswanath (2015), Thm 3.3."
    )


def _chart(simulation: Simulation) -> None:
    frame = simulation.frame()
    response = leaky_response(simulation.epsilon, simulation.delta)
    components.chart(
        components.drawn(figure.simulation_lemma, frame, response.p_u.tolist(), response.p_v.tolist()),
        frame,
        "simulation-lemma",
        "The parts that F makes of each symbol add up to M(x), above, and M(x′), beneath",
        partial(figure.described, frame, simulation.epsilon, simulation.delta),
    )
