"""Noise per query on the theorems page: Lecture 11's table with its missing factor, and Steinke's two scales."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.figures.noise_per_query import described, noise_per_query
from dpviz.rounding import shown_up
from dpviz.sources.noise_per_query import WAYS
from dpviz.ui.shell import components
from dpviz.ui.shell.words import escaped
from dpviz.ui.theorems import answer as theorems_cache
from dpviz.ui.theorems import words as theorems_words
from dpviz.ui.theorems.asked import TABLES, Question


def section(asked: Question) -> None:
    """Draw the noise of one answer against the number of queries."""
    chosen = st.segmented_control(
        "Table", tuple(TABLES), default="Lecture 11", required=True, key="ntable", bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    table = TABLES[chosen]
    frame = theorems_cache.noise(asked.epsilon, asked.delta, asked.queries, table)
    say = theorems_words.lecture if table == "lecture" else theorems_words.steinke
    at_end = frame[frame["count"] == asked.queries].set_index("way")
    st.markdown(say(at_end, asked.queries, asked.epsilon, asked.delta))
    picture, beside = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            noise_per_query(frame, components.dark()), frame, f"noise-per-query-{table}",
            theorems_words.noise_title(at_end), described(frame),
        )  # fmt: skip
    with beside:
        _at_end(at_end, asked.queries)
        for sentence in theorems_words.noise_notes(table, asked.epsilon, asked.delta):
            st.caption(sentence)
    _why(table)


def _at_end(at_end: pd.DataFrame, queries: int) -> None:
    st.markdown(f"**Error of one of {queries:,} answers**")
    rows = at_end.sort_values("error").assign(error=[shown_up(value, 9) for value in at_end.error.sort_values()])
    st.dataframe(
        rows[["label", "error"]], hide_index=True,
        column_config={
            "label": st.column_config.TextColumn("Way", width=190),
            "error": st.column_config.TextColumn("Expected error", alignment="right"),
        },
        alt="Expected error of one answer by every way",
    )  # fmt: skip


def _why(table: str) -> None:
    with st.expander("Why: the noise of one query, by every way"):
        for way in WAYS:
            if way.table == table:
                st.markdown(f"**{escaped(way.label)}**")
                st.latex(way.statement)
                st.markdown(f"Source: {escaped(way.source)}." + ("" if way.proved else " An order, not a promise."))
        st.markdown(
            "Assumes queries of sensitivity 1, their number and parameters fixed in advance, and any neighbour "
            "relation that all share. The expected error of Laplace(b) is b, that of N(0, σ²) is σ√(2/π)."
        )
