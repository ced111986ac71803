"""The composition page: its sidebar, its chart with the choice of theorems, and the panel beside it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.composition import THEOREMS
from dpviz.composition.crossings import Growth
from dpviz.figures.growth import Marks, described, growth
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.composition import answer as answers
from dpviz.ui.composition import words as told
from dpviz.ui.composition.asked import Question
from dpviz.ui.shell import components
from dpviz.ui.shell.kept import comparison

LABEL_OF = {theorem.key: theorem.label for theorem in THEOREMS}


def answer(asked: Question) -> Growth:
    """Return the curves for what the sidebar and the switch of axes ask, kept."""
    return answers.growth(asked.plan, asked.times, asked.delta, asked.target, _is_log())


def totals(asked: Question) -> pd.DataFrame:
    """Return `dpviz.compare` of all repetitions, kept."""
    return comparison(asked.plan.repeated(asked.times), asked.delta)


def _is_log() -> bool:
    return st.session_state.get("axes") == "log"


def _chosen() -> list[str]:
    """The theorems that are drawn: those of the pills, which are drawn later, or all where none is left."""
    return st.session_state.get("theorems") or list(LABEL_OF)


def picture(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Draw the chart of the chosen theorems, and beneath it their choice."""
    place = st.container()
    st.pills(
        "Theorems drawn",
        list(LABEL_OF),
        format_func=LABEL_OF.get,
        selection_mode="multi",
        wrap=True,
        default=list(LABEL_OF),
        key="theorems",
        bind="query-params",
    )
    drawn = set(_chosen())
    curve, marks = drawing(asked, grown, at_end, drawn)
    with place:
        components.chart(
            growth(curve, marks, _is_log(), asked.in_words, components.dark()),
            curve,
            "composition",
            told.title(grown, at_end),
            described(curve, marks, asked.plan.unit),
        )


def drawing(asked: Question, grown: Growth, at_end: pd.DataFrame, drawn: set[str]) -> tuple[pd.DataFrame, Marks]:
    """Return the curves of the chosen theorems that have one, and what is marked on them."""
    absent = {row.theorem: row for row in at_end.itertuples() if not row.applies and row.theorem not in grown.ends}
    kept = drawn - set(absent)
    curve = _of(grown.curve, kept)
    near = ((grown.crossings["count"] > 1) & (grown.crossings["count"] <= asked.times)).fillna(False)
    crossed = _of(grown.crossings[near], kept if "basic" in kept else set())
    most = best_fit(grown, drawn)
    reasons = {row.label: row.reason for key, row in absent.items() if key in drawn}
    return curve, Marks(crossed, asked.target, None if most is None else int(most["count"]), reasons)


def _of(frame: pd.DataFrame, theorems: set[str]) -> pd.DataFrame:
    return frame.loc[np.array([key in theorems for key in frame.theorem.tolist()], dtype=bool)]


def best_fit(grown: Growth, drawn: set[str]) -> pd.Series | None:
    """Return the row of the drawn theorem under which most repetitions stay within the target; None without one."""
    rows = _of(grown.fits, drawn).dropna(subset="count")
    return None if rows.empty else rows.loc[rows["count"].idxmax()]


def panel(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Answer from when each theorem beats basic, and how many repetitions fit."""
    st.markdown("**When is advanced worth it?**")
    config, loss = st.column_config, "Loss" if asked.in_words else "ε"
    st.dataframe(
        _panel_rows(asked, grown, at_end),
        hide_index=True,
        height=35 * (len(THEOREMS) + 1) + 3,
        column_config={
            "theorem": config.TextColumn("Theorem", width=140),
            "beats": config.TextColumn("From k", alignment="right", width=60, help="Beats Basic from this k on."),
            "fits": config.TextColumn("Fit", alignment="right", width=60, help="Repetitions within the target."),
            "total": config.TextColumn(f"{loss} at {shown_count(asked.times)}", alignment="right", width=70),
        },
        column_order=["theorem", "beats", *(["fits"] if asked.target is not None else []), "total"],
        alt="From when each theorem beats basic composition",
    )
    for sentence in told.worth(asked.plan, asked.delta):
        st.caption(sentence)


def _panel_rows(asked: Question, grown: Growth, at_end: pd.DataFrame) -> pd.DataFrame:
    crossed = grown.crossings.set_index("theorem")
    fits = grown.fits.set_index("theorem")
    rows = []
    for row in at_end.itertuples():
        refused = not row.applies and row.theorem not in grown.ends
        first = crossed.loc[row.theorem] if row.theorem in crossed.index else None
        rows.append(
            {
                "theorem": row.label,
                "beats": "–" if first is None or refused else told.first(first["count"], first.searched),
                "fits": "–" if refused else told.fitting(fits.loc[row.theorem]),
                "total": shown_up(row.epsilon) if row.applies else "n/a",
            }
        )
    return pd.DataFrame(rows)


def exact_values(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Draw the exact totals after all repetitions, and along the curve."""
    st.header("Exact values", anchor=False)
    after, along = st.tabs(
        [f"After {shown_count(asked.times)} repetitions", "Along the curve"], key="values", on_change="rerun"
    )
    if after.open:
        with after:
            components.exact_values(at_end)
    if along.open:
        with along:
            wide = grown.curve.pivot(index="count", columns="theorem", values="epsilon")[list(LABEL_OF)]
            texts = wide.map(lambda value: "–" if math.isinf(value) else shown_up(value, 9))
            config = {key: st.column_config.TextColumn(label) for key, label in LABEL_OF.items()}
            st.dataframe(
                texts.reset_index(),
                hide_index=True,
                height=360,
                column_config={"count": st.column_config.NumberColumn("k", pinned=True)} | config,
                alt="Exact totals along the curve",
            )
