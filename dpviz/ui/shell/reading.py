"""At which of three levels a visitor reads: people (no symbols), numbers, or proofs."""

from __future__ import annotations

import streamlit as st

from dpviz.plain import in_plain_words
from dpviz.ui.shell import page_state

PEOPLE, NUMBERS, PROOFS = LEVELS = ("people", "numbers", "proofs")


def switch() -> None:
    """Draw the one switch of the three levels; it stands above every page, and all of them share it."""
    st.segmented_control(
        "Read as",
        LEVELS,
        default=NUMBERS,
        required=True,
        key="read",
        bind="query-params",
        label_visibility="collapsed",
        help="People: odds and ranges, no symbols. Numbers: three to four digits. Proofs: every theorem, exact values "
        "and sources.",
    )


def level() -> str:
    """Return the level that is read, one of `LEVELS`."""
    return page_state.held("read") or NUMBERS


def people() -> bool:
    """Say whether no symbol may stand on the screen."""
    return level() == PEOPLE


def proofs() -> bool:
    """Say whether theorems, exact values and sources are unfolded."""
    return level() == PROOFS


def told(text: str) -> str:
    """Return a text as the visitor reads it: without symbols at the level of people."""
    return in_plain_words(text) if people() else text
