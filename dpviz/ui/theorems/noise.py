"""Noise per query on the theorems page: Lecture 11's table with its missing factor, and Steinke's two scales."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpviz.figures.learn.noise_per_query import described, noise_per_query
from dpviz.sources.noise_per_query import WAYS
from dpviz.ui.shell import components, reading
from dpviz.ui.shell.kept import static
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
            components.drawn(noise_per_query, frame), frame, f"noise-per-query-{table}",
            theorems_words.noise_title(at_end), partial(described, frame),
        )  # fmt: skip
    with beside:
        for sentence in theorems_words.noise_notes(table, asked.epsilon, asked.delta):
            st.caption(sentence)
    _why(table)


@static
def _why(table: str) -> None:
    with st.expander("Why: the noise of one query, by every way", expanded=reading.proofs()):
        for way in WAYS:
            if way.table == table:
                st.markdown(f"**{escaped(way.label)}**")
                st.latex(way.statement)
                st.markdown(f"Source: {escaped(way.source)}." + ("" if way.proved else " An order, not a promise."))
        st.markdown(
            "Assumes queries of sensitivity 1, their number and parameters fixed in advance, and any neighbour "
            "relation that all share. The expected error of Laplace(b) is b, that of N(0, σ²) is σ√(2/π)."
        )
