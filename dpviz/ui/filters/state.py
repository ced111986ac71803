"""The sequence that is played: typed, or asked one by one; with undo and redo.

Held between reruns are the queries ("asked"), what undo and redo lead to ("asked_history"), what is wrong with the last
input ("asked_trouble"), and the sequence as text ("seq"), which is the text field and part of the address.
"""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from dpviz.filters import Queries
from dpviz.filters.query_text import queries_from_text
from dpviz.filters.sequences import as_text, joined, nothing
from dpviz.guarantee import Guarantee
from dpviz.history import History
from dpviz.plan import PlanFileError
from dpviz.rounding import shown_count
from dpviz.ui.shell import inputs, page_state, refusals, shell, typed

SHIPPED = "0.008, 0, 120\n0.012, 0, 60\n0.05, 0, 12"
NEXT = {"nexteps": (0.0, inputs.EPSILON[1]), "nextdelta": inputs.DELTA}  # the query that is asked next, by its boxes
MOST_PLAYED = 10_000
LONGEST_TEXT = 2000
MOST_KEPT = 100_000  # queries in all that undo remembers
MOST_LINES = 5  # of complaints shown


def current() -> Queries:
    """Return the sequence; the first time, the one of the address, or the shipped one."""
    if not page_state.holds("asked"):
        found = _read(st.query_params.get("seq", ""))
        page_state.put({"asked": queries_from_text(SHIPPED) if found is None else found})
    return page_state.held("asked")


def can_undo() -> bool:
    """Say whether there is a change to take back."""
    return bool(_history().past)


def can_redo() -> bool:
    """Say whether there is a change that was taken back."""
    return bool(_history().future)


def _history() -> History[Queries]:
    return page_state.held("asked_history", History())


def _read(text: str) -> Queries | None:
    """The queries of a text; None, with a note of what is wrong with it, where it holds none."""
    page_state.forget("asked_trouble")
    if not text.strip():
        return None
    try:
        queries = queries_from_text(text)
    except PlanFileError as error:
        lines = refusals.lines(error)
        more = [f"and {len(lines) - MOST_LINES - 1} more"] if len(lines) > MOST_LINES + 1 else []
        page_state.put({"asked_trouble": [*lines[: MOST_LINES + 1], *more]})
        return None
    return None if _is_too_long(len(queries)) else queries


def _is_too_long(number: int) -> bool:
    if number <= MOST_PLAYED:
        return False
    fault = f"A session must have at most {shown_count(MOST_PLAYED)} queries, not {shown_count(number)}."
    page_state.put({"asked_trouble": [fault]})
    return True


def _remember() -> None:
    page_state.put({"asked_history": _history().changed(page_state.held("asked"), len, MOST_KEPT)})


def _hold(queries: Queries) -> None:
    """Make `queries` the sequence, also in the text field."""
    _remember()
    _show(queries)


def _show(queries: Queries) -> None:
    page_state.forget("asked_trouble")
    text = as_text(queries) or ""
    page_state.put({"asked": queries, "seq": text if len(text) <= LONGEST_TEXT else ""})


@shell.guarded
def type_in() -> None:
    """Play what was typed; a callback."""
    current()
    queries = _read(page_state.held("seq") or "")
    if queries is not None:
        _remember()
        page_state.put({"asked": queries})


@shell.guarded
def ask(epsilon: float, delta: float) -> None:
    """Ask one more query; a callback."""
    queries = current()
    if not _is_too_long(len(queries) + 1):
        _hold(joined(queries, Queries.of([Guarantee(epsilon, delta)])))


@shell.guarded
def ask_typed() -> None:
    """Ask the query whose ε and δ are typed, where both are numbers; a callback."""
    with suppress(ValueError):  # said beneath their boxes
        ask(*(typed.within(page_state.held(key), key, ends) for key, ends in NEXT.items()))


@shell.guarded
def undo() -> None:
    """Take the last change back; a callback."""
    _step(*_history().undone(current()))


@shell.guarded
def redo() -> None:
    """Make the change again that was taken back last; a callback."""
    _step(*_history().redone(current()))


def _step(queries: Queries, history: History[Queries]) -> None:
    page_state.put({"asked_history": history})
    _show(queries)


@shell.guarded
def clear() -> None:
    """Start a session without queries; a callback."""
    current()
    _hold(nothing())
