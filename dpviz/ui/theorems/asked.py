"""What the page on theorems asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.sources import DOCUMENTS, VERDICTS
from dpviz.sources.cards import KINDS
from dpviz.ui.shell import inputs, learn_pages, reading

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
        in_words = reading.people()
        with learn_pages.rest():
            kind = st.selectbox("Kind of theorem", (ALL, *KINDS), key="kind", bind="query-params")
            if not in_words:
                st.markdown("**Noise per query**")
            epsilon, delta, queries = _budget()
    return Question(typed.lower(), document, verdict, kind, epsilon, delta, queries, in_words)


def _budget() -> tuple[float, float, int]:
    about = "The privacy loss that all queries together may cost."
    epsilon = inputs.number("ε of all queries", "neps", EPSILON, 1.0, about)
    about = "The probability with which that bound may fail."
    delta = inputs.delta("δ of all queries", "ndelta", 1e-6, about, ends=(1e-15, 0.1))
    about = "The right end of the chart. Their number is fixed in advance."
    return epsilon, delta, inputs.count("Queries, up to", "nk", MOST_QUERIES, 1000, about, least=2)


TABLES = {"Lecture 11": "lecture", "Steinke": "steinke"}
