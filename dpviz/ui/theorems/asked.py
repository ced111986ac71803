"""What the page on theorems asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.sources import DOCUMENTS, VERDICTS
from dpviz.sources.cards import KINDS
from dpviz.ui.shell import reading, steps

SECTIONS = ("The sources, checked", "Theorems", "Noise per query", "Not modelled")
ALL = "All"
EPSILON = (1e-3, 50.0)
MOST_QUERIES = 1_000_000


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    find : str
        What a claim or theorem must hold, in lower case.
    document, verdict, kind : str
        Which are shown; ``ALL`` for all.
    epsilon, delta : float
        The budget of all queries.
    queries : int
        The largest number of queries.
    """

    find: str
    document: str
    verdict: str
    kind: str
    epsilon: float
    delta: float
    queries: int
    in_words: bool


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        typed = st.text_input(
            "Find", max_chars=60, key="find", bind="query-params", placeholder="a word, such as Gaussian",
            help="Shows the claims and theorems that hold every word.",
        )  # fmt: skip
        document = st.selectbox("Document", (ALL, *DOCUMENTS.values()), key="doc", bind="query-params")
        verdict = st.selectbox("Verdict", (ALL, *VERDICTS), key="verdict", bind="query-params")
        kind = st.selectbox("Kind of theorem", (ALL, *KINDS), key="kind", bind="query-params")
        with st.expander("Noise per query", expanded=st.session_state.get("check") == SECTIONS[2]):
            epsilon, delta, queries = _budget()
        in_words = reading.people()
    return Question(typed.lower(), document, verdict, kind, epsilon, delta, queries, in_words)


def _budget() -> tuple[float, float, int]:
    epsilon = st.number_input(
        "ε of all queries", *EPSILON, value=1.0, step=0.1, format="%.6g", key="neps", bind="query-params",
        help="The privacy loss that all queries together may cost.",
    )  # fmt: skip
    delta = steps.of_ten(
        "δ of all queries", "ndelta", min_value=1e-15, max_value=0.1, value=1e-6, bind="query-params",
        help="The probability with which that bound may fail.",
    )  # fmt: skip
    queries = st.number_input(
        "Queries, up to", 2, MOST_QUERIES, value=1000, step=100, key="nk", bind="query-params",
        help="The right end of the chart. Their number is fixed in advance.",
    )  # fmt: skip
    return epsilon, delta, queries


TABLES = {"Lecture 11": "lecture", "Steinke": "steinke"}
