"""The filter page: its sidebar, how many equal queries a budget admits, and K beside advanced composition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.figures.filter_counts import described, filter_counts
from dpviz.figures.growth import Marks, growth
from dpviz.figures.growth import described as growth_described
from dpviz.filters import FILTERS, MOST_RUNS
from dpviz.registry import record_named
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_near, shown_up
from dpviz.ui import components, filters_cache, filters_presets, filters_words, inputs, shell, steps, words, workspace
from dpviz.ui.filters_cache import Terms

VIEWS = ("The same query again and again", "Play a session", "K and advanced composition")
BUDGET = (1e-6, workspace.LARGEST_BUDGET)
EPSILON = (1e-6, 50.0)
MOST_K = 100_000
_NONE = pd.DataFrame({"theorem": [], "label": [], "count": [], "epsilon": []})


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    terms : Terms
        What is fixed before the first query.
    epsilon, delta : float
        Of one query.
    low, high : float
        Ends of the chart's range of ε.
    """

    terms: Terms
    epsilon: float
    delta: float
    low: float
    high: float
    in_words: bool


@shell.guarded
def show_preset(key: str) -> None:
    """Set the widgets to a preset; a callback."""
    preset = record_named(filters_presets.PRESETS, key, "preset")
    st.session_state.update(dict(preset.values))


def presets() -> None:
    """Draw one button per preset."""
    for preset in filters_presets.PRESETS:
        st.button(preset.label, on_click=show_preset, args=(preset.key,), help=preset.about, key=f"preset_{preset.key}")


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        budget = _epsilon_input("Budget ε", *BUDGET, 1.0, "geps", "The privacy loss that all queries may cost.")
        delta = _delta_input(
            "Budget δ", 1e-6, "gdelta", "The probability with which that bound may fail. At 0 only adding up applies."
        )
        st.caption("Both are fixed before the first query. Each query may depend on all earlier answers.")
        each = _epsilon_input("ε of one query", *EPSILON, 0.01, "epsq", "Privacy loss of one query.")
        each_delta = _delta_input("δ of one query", 0.0, "deltaq", "The probability with which its ε may fail.")
        or_basic = st.toggle(
            "Or basic",
            key="orbasic",
            bind="query-params",
            help="Each rule also admits what Basic admits. Sound for one rule joined to Basic, as long as both share "
            "what is kept for the queries' own δ.",
        )
        with st.expander("More"):
            kept, doubles, low, high = _more(delta, each_delta)
    return Question(Terms(budget, delta, or_basic, kept, doubles), each, each_delta, low, high, inputs.reading())


def _epsilon_input(label: str, low: float, high: float, value: float, key: str, about: str) -> float:
    step = min(0.01, value)
    return st.number_input(
        label, low, high, value=value, step=step, format="%.6g", key=key, bind="query-params", help=about
    )


def _delta_input(label: str, value: float | None, key: str, about: str, **options: object) -> float | None:
    return steps.of_ten(label, key, value=value, bind="query-params", help=about, **options)


def _more(delta: float, each_delta: float) -> tuple[float, bool, float, float]:
    kept = _delta_input(
        "δ kept for the queries' own δ",
        None,
        "kept",
        "For Fully adaptive and Zero-concentrated DP; fixed in advance. Automatic: half of δ if a query has a δ, "
        "else nothing. Basic keeps all of δ, Rogers et al. keep half.",
        placeholder="automatic",
    )
    if kept is not None and kept > delta:
        st.error(f"Kept must be at most the budget's δ; got {shown_delta(kept)}.")
    chosen = (delta / 2 if each_delta else 0.0) if kept is None else min(kept, delta)
    doubles = st.toggle(
        "Add in doubles",
        key="doubles",
        bind="query-params",
        help="As notebooks do, for Basic and Rogers et al.: sums drift, and a run may be lost. Off: exact decimals.",
    )
    low = _epsilon_input("Chart from ε", *EPSILON, 0.001, "epsfrom", "Left end of the chart.")
    high = _epsilon_input("Chart to ε", *EPSILON, 1.0, "epsto", "Right end of the chart.")
    if low >= high:
        st.error("The chart must end at a larger ε than it starts from.")
        low, high = 0.001, 1.0
    return chosen, doubles, low, high


def axes() -> None:
    """Draw the switch between linear and logarithmic axes."""
    st.segmented_control(
        "Axes",
        ("log", "linear"),
        default="log",
        required=True,
        key="faxes",
        bind="query-params",
        label_visibility="collapsed",
    )


def _scale() -> str:
    return st.session_state.get("faxes") or "log"


def runs(asked: Question) -> None:
    """Draw how many equal queries each rule admits."""
    rows = filters_cache.counts_at(asked.terms, asked.epsilon, asked.delta)
    st.markdown(filters_words.runs_finding(asked, rows))
    metrics(filters_words.runs_metrics(rows))
    with st.container(horizontal=True, vertical_alignment="center"):
        presets()
        st.space("stretch")
        axes()
    crossed = filters_cache.crossings(asked.terms, asked.delta)
    frame = filters_cache.curve(asked.terms, asked.low, asked.high, _scale(), asked.delta)
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            filter_counts(frame, crossed, asked.epsilon, _scale() == "log", asked.in_words, components.dark()),
            frame,
            "filter-runs",
            filters_words.runs_title(rows, crossed, asked.delta),
            described(frame, crossed),
        )
    with notes:
        if filters_presets.shown(st.session_state) == "notebook":
            exact = filters_cache.curve(asked.terms, asked.low, asked.high, "linear", asked.delta)
            st.info(filters_words.about_notebook(exact, filters_cache.notebook_runs(), crossed))
        for sentence in filters_words.why_here(asked, rows):
            st.markdown(sentence)
    _table(frame)


def metrics(entries: list[tuple[str, str, str]]) -> None:
    """Draw one large figure per rule."""
    with st.container(horizontal=True):
        for label, value, note in entries:
            st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True)


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
    rows = filters_cache.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    most = int(np.clip(1.3 * max(int(rows.runs.max()), 10), 10, MOST_K))
    terms = asked.terms
    ends = tuple(int(each) for each in rows.runs if each <= most)
    frame = filters_cache.repeated(terms.epsilon, terms.delta, asked.epsilon, asked.delta, most, ends, terms.kept)
    st.markdown(filters_words.totals_finding(asked, frame, most))
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
        filters_words.draw_formulas(asked, rows)


def why(asked: Question) -> None:
    """Draw statement, assumptions, source and a worked line of every rule."""
    rows = filters_cache.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    with st.expander("Why: the rules, what they assume and where they stand"):
        for rule in FILTERS:
            st.markdown(f"**{rule.label}**")
            st.latex(rule.statement)
            st.markdown(f"Assumes: {words.escaped(rule.assumes)}. Source: {words.escaped(rule.source)}.")
            row = rows.loc[rule.key]
            unless = f" ({words.escaped(row.reason)})" if row.reason else ""
            st.markdown(
                f"Here: budget ε = {shown_down(asked.terms.epsilon)}, queries of ε = {shown_up(asked.epsilon)} each: "
                f"{shown_count(int(row.runs))} are admitted{unless}."
            )
        st.markdown(
            "**Or basic.** If the loss exceeds the budget's ε, Basic has failed for good, so the rule itself has held "
            "from the first query to the last; the failures are its own, at most δ'. Two rules other than Basic must "
            "not be joined so: their δ' would add up."
        )
