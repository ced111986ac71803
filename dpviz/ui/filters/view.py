"""The filter page: its sidebar, how many equal queries a budget admits, and K beside advanced composition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.figures.filter_counts import described, filter_counts
from dpviz.figures.growth import Marks, growth
from dpviz.figures.growth import described as growth_described
from dpviz.filters import MOST_RUNS
from dpviz.rounding import shown_near
from dpviz.ui.filters import answer as answers
from dpviz.ui.filters import presets
from dpviz.ui.filters import words as told
from dpviz.ui.filters.asked import MOST_K, Question
from dpviz.ui.shell import components, inputs
from dpviz.ui.shell.components import metrics
from dpviz.ui.shell.presets import bar, shown_preset

_NONE = pd.DataFrame({"theorem": [], "label": [], "count": [], "epsilon": []})


def _scale() -> str:
    return st.session_state.get("faxes") or "log"


def runs(asked: Question) -> None:
    """Draw how many equal queries each rule admits."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta)
    st.markdown(told.runs_finding(asked, rows))
    metrics(told.runs_metrics(rows))
    with st.container(horizontal=True, vertical_alignment="center"):
        bar(presets.PRESETS)
        st.space("stretch")
        inputs.switch("Axes", "faxes", ("log", "linear"), label_visibility="collapsed")
    crossed = answers.crossings(asked.terms, asked.delta)
    frame = answers.curve(asked.terms, asked.low, asked.high, _scale(), asked.delta)
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            filter_counts(frame, crossed, asked.epsilon, _scale() == "log", asked.in_words, components.dark()),
            frame,
            "filter-runs",
            told.runs_title(rows, crossed, asked.delta),
            described(frame, crossed),
        )
    with notes:
        if shown_preset((presets.NOTEBOOK,), st.session_state, ("epsq", "faxes")):
            exact = answers.curve(asked.terms, asked.low, asked.high, "linear", asked.delta)
            st.info(told.about_notebook(exact, answers.notebook_runs(), crossed))
        for sentence in told.why_here(asked, rows):
            st.markdown(sentence)
    _table(frame)


def _table(frame: pd.DataFrame) -> None:
    st.header("Exact values", anchor=False)
    wide = frame.pivot(index="epsilon", columns="label", values="runs")[list(frame.label.unique())]
    config = {"epsilon": st.column_config.TextColumn("ε of one query", pinned=True, alignment="right")}
    shown = wide.reset_index()
    st.dataframe(
        shown.assign(epsilon=[shown_near(each, 9) for each in shown.epsilon.tolist()]),
        hide_index=True,
        height=360,
        column_config=config,
        alt="Queries admitted under each rule",
    )


def totals(asked: Question) -> None:
    """Draw K of Rogers' rule for equal queries beside the other rules and the advanced composition theorem."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    most = int(np.clip(1.3 * max(int(rows.runs.max()), 10), 10, MOST_K))
    terms = asked.terms
    ends = tuple(int(each) for each in rows.runs if each <= most)
    frame = answers.repeated(terms.epsilon, terms.delta, asked.epsilon, asked.delta, most, ends, terms.kept)
    st.markdown(told.totals_finding(asked, frame, most))
    marks = Marks(_NONE, terms.epsilon, int(min(rows.runs.max(), MOST_RUNS)))
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            growth(frame[frame.theorem != "basic"], marks, in_words=asked.in_words, dark=components.dark()),
            frame,
            "filter-totals",
            "What k equal queries count under each rule, and by advanced composition",
            growth_described(frame, marks, "unit of privacy"),
        )
    with notes:
        told.draw_formulas(asked, rows)


def why(asked: Question) -> None:
    """Draw statement, assumptions, source and a worked line of every rule."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    place = components.why(told.rules(asked, rows), "the rules, what they assume and where they stand")
    with place:
        st.markdown(
            "**Or basic.** If the loss exceeds the budget's ε, Basic has failed for good, so the rule itself has held "
            "from the first query to the last; the failures are its own, at most δ'. Two rules other than Basic must "
            "not be joined so: their δ' would add up."
        )
