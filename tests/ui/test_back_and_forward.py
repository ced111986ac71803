"""Back and Forward among the states of a session: as undo and redo lead to them, so that nothing is lost."""

import pytest
import streamlit as st
from hypothesis import given, strategies

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.ui.shell.document import session

STATES = [Document(Plan([Release("a", Laplace(10.0, 1))], Guarantee(float(place + 1), 0.0))) for place in range(6)]


def begun(states: list[Document]) -> None:
    """A session in which these were made, one after another."""
    st.session_state = {}
    session.arrive(states[0])
    for state in states[1:]:
        session.change(state)


@pytest.fixture(autouse=True)
def _own_session():
    held = st.session_state
    yield
    st.session_state = held


@given(strategies.lists(strategies.integers(0, len(STATES) - 1), min_size=1, max_size=8))
def test_back_and_forward_lose_no_state(places: list[int]):
    """Whatever order they are gone to in: undo leads through all before, and redo through all after."""
    begun(STATES)
    for place in places:
        session.go_to(STATES[place])
        assert session.document() == STATES[place]
        assert (session.can_undo(), session.can_redo()) == (place > 0, place < len(STATES) - 1)
    before, after = places[-1], len(STATES) - 1 - places[-1]
    for place in range(1, before + 1):
        session.undo()
        assert session.document() == STATES[before - place]
    for _ in range(before + after):
        session.redo()
    assert session.document() == STATES[-1] and not session.can_redo()


def test_the_first_screen_keeps_what_redo_leads_to():
    """Back to where nothing is begun and Forward again: as if nobody had left; undo brings the work back, too."""
    begun(STATES)
    session.undo()
    session.begin_anew()
    assert session.document() == session.EMPTY and not session.begun() and session.can_undo() and session.can_redo()
    session.go_to(STATES[-2])
    session.redo()
    assert session.document() == STATES[-1] and not session.can_redo()
    session.begin_anew()
    session.undo()
    assert session.document() == STATES[-1]


def test_what_was_never_here_is_a_change():
    """A state of another visit, which undo leads back from."""
    begun(STATES[:2])
    session.go_to(STATES[4])
    session.undo()
    assert session.document() == STATES[1]
