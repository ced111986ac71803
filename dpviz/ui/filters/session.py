"""A session that one can play: queries asked one by one, or typed, each admitted or refused."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpviz.figures.learn.odometer import Stops, described, odometer
from dpviz.filters import Queries
from dpviz.rounding import shown_count, shown_down
from dpviz.ui.filters import answer as answers
from dpviz.ui.filters import state
from dpviz.ui.filters import words as told
from dpviz.ui.filters.answer import Played
from dpviz.ui.filters.asked import Question
from dpviz.ui.shell import components, inputs, page_state, refusals

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

AFTER = {"go on": "skip", "stop": "stop"}


def session(asked: Question) -> None:
    """Draw the session: finding, figures, chart, and controls; every query's fate is in the CSV."""
    queries = state.current()
    answer = st.container()
    picture, controls = st.columns([5, 3], gap="medium")
    with controls:  # first: what they say decides the answer above
        after, next_delta, ask = _controls(queries)
        notes = st.container()
    played = answers.played(asked.terms, queries, after, next_delta)
    answer.markdown(told.session_finding(played, asked.terms, len(queries)))
    with picture:
        _picture(asked, played, len(queries))
    with ask:
        _buttons(played, next_delta)
    with notes:
        if asked.terms.delta and not asked.terms.kept and queries.delta.any():
            st.caption("Some queries have a δ, and nothing is kept for it: see “More” in the sidebar.")
    components.metrics(told.session_metrics(played, len(queries)))


def _picture(asked: Question, played: Played, number: int) -> None:
    rows = played.verdicts[(played.verdicts["first"] > 0) & (played.verdicts.reason == "")]
    stops = Stops(pd.DataFrame({"rule": rows.rule, "label": rows.label, "step": rows["first"], "epsilon": rows.used}))
    components.chart(
        components.drawn(odometer, played.drawn, stops, asked.terms.epsilon),
        played.every,
        "filter-session",
        _title(stops, number),
        partial(described, played.drawn, stops, asked.terms.epsilon),
    )


def _title(stops: Stops, number: int) -> str:
    if not number:
        return "How much of the budget each rule counts as used"
    if stops.frame.empty:
        return "Every rule admits every query"
    step = int(stops.frame.step.min())
    first = list(stops.frame.label[stops.frame.step == step])
    refuses = "is the first to refuse" if len(first) == 1 else "are the first to refuse"
    return f"{' and '.join(first)} {refuses}, at query {shown_count(step)}"


def _controls(queries: Queries) -> tuple[str, float, DeltaGenerator]:
    """Draw what is asked and how; return what follows a refusal, δ of the next query, and the place of its buttons."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Undo", on_click=state.undo, disabled=not state.can_undo(), key="fundo")
        st.button("Redo", on_click=state.redo, disabled=not state.can_redo(), key="fredo")
        st.button("Start empty", on_click=state.clear, disabled=not len(queries), key="fclear")
        about = "Go on: a refused query is not released, and a smaller one may still fit. Stop: the session ends."
        after = inputs.switch("After a refusal", "after", tuple(AFTER), about)
    ask, typed = st.tabs(["Ask next", "Type"])
    with ask:
        next_delta = _next()
        buttons = st.container(horizontal=True)
    with typed:
        _type()
    if trouble := page_state.held("asked_trouble"):
        st.error(refusals.drawn("\n".join(trouble)))
    return AFTER[after], next_delta, buttons


def _next() -> float:
    left, right = st.columns(2)
    with left:
        inputs.number("Next ε", "nexteps", state.NEXT["nexteps"], 0.05)
    with right:
        return inputs.delta("Next δ", "nextdelta", 0.0)


def _buttons(played: Played, delta: float) -> None:
    best = played.verdicts.loc[played.verdicts.largest.idxmax()]
    st.button("Ask next", on_click=state.ask_typed, key="fask", type="primary")
    st.button(
        f"Ask the largest, ε = {shown_down(best.largest)}",
        on_click=state.ask,
        args=(float(best.largest), delta),
        disabled=not best.largest,
        key="flargest",
        help=f"The largest ε that {best.label} still admits.",
    )


def _type() -> None:
    st.text_area(
        "One query per line: ε, or ε, δ, or ε, δ, times",
        value=state.SHIPPED,
        height=130,
        max_chars=state.LONGEST_TEXT,
        key="seq",
        bind="query-params",
        on_change=state.type_in,
        placeholder="too long to be shown here, or empty",
    )
