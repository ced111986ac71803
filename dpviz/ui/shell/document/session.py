"""The document of a session: read here, changed by one function, opened by one, with undo and redo.

Nothing else reads or writes what `st.session_state` holds of it: the document ("document"), what undo and redo lead to
("history"), names of all these for the browser ("marks", "visit"), whether somebody has begun to work ("begun"), what
was last told about it ("told"), the frontier of a sweep that stands beside it ("frontier"), and a name that a new table
gets ("revision"), random, so that changes which a browser kept from another session are never applied to this one's
rows.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from itertools import takewhile

import streamlit as st

from dpviz.history import History
from dpviz.jobs.frontier import Frontier
from dpviz.plan import Document, Plan
from dpviz.plan.store import NotKept
from dpviz.ui.shell import examples, plan_rows, shell
from dpviz.ui.shell.document.rows import entered, followed, settled

EMPTY = Document(Plan(()))


class Memory:
    """The store that a session is: its document with what undo and redo lead to, until the page is closed."""

    sees = "Nobody but you, until this page is closed or loaded anew."

    def open(self, name: str) -> Document:
        """Return the state of this name, unless a later change has dropped any state since."""
        kept = dict(zip(self.list(), _states(), strict=True))
        if name not in kept:
            raise NotKept(f"name must be one of this session's {len(kept)} states; got {name!r}")
        return kept[name]

    def save(self, document: Document) -> str:
        """Make this the document of the session, so that undo returns to the former one."""
        new, old = settled(document), st.session_state.get("document")
        if new != old:
            if old is not None:
                st.session_state["history"] = _history().changed(old)
            st.session_state["document"] = new
        elif new.saved != old.saved:
            st.session_state["document"] = new
        return f"{_history().dropped}-{len(_history().past)}"

    def list(self) -> tuple[str, ...]:
        """Return the names of all states, those that undo has left at the end."""
        return tuple(f"{_history().dropped}-{place}" for place in range(len(_states())))


def _history() -> History[Document]:
    return st.session_state.get("history", History())


def _states() -> tuple[Document, ...]:
    held = st.session_state.get("document")
    return (*_history().past, *([] if held is None else [held]), *_history().future)


def arrived() -> bool:
    """Say whether the session knows already what its address asked for."""
    return "document" in st.session_state


def arrive(found: Document | None) -> None:
    """Start the session with a document; None where its address asks for one that it does not hold."""
    st.session_state["document"] = found and settled(found)


def document() -> Document | None:
    """Return the document; None where the address asks for one that it does not hold."""
    return st.session_state["document"]


def current() -> Plan:
    """Return the current plan."""
    return document().plan


def change(new: Document, *, redraw: bool = True, typed: bool = True) -> None:
    """Make `new` the document, so that undo returns to the former one; the one way to change anything.

    The table starts anew from it, unless `redraw` is false: then it was typed into the table itself. Unless `typed` is
    false, losses that changed were stated by somebody.
    """
    put(new if document() is None else followed(document(), new, typed=typed), redraw=redraw)


def put(found: Document, *, redraw: bool = True) -> None:
    """Make `found` the document, exactly as it was found: opened anew, kept, or reached by the browser."""
    old = document()
    Memory().save(found)
    if document() is not old:
        _forget(old, document())
        begin_work()
    if redraw:
        new_table()


def _forget(old: Document | None, new: Document) -> None:
    """Forget what was told; but what is to be known of the relation is told as long as the work has it."""
    told = st.session_state.pop("told", {})
    if old is None or old.opened != new.opened:
        return
    for about in ("related", "vouched"):
        if told.get(about) == new.plan.neighbours and not (about == "vouched" and new.typed_otherwise):
            tell(about, told[about])


def enter(held: Document, rows: list[plan_rows.Row], *, redraw: bool = True) -> None:
    """Make `held` the document, with these rows that somebody typed, and tell of a relation that follows from them."""
    new = entered(held, rows)
    change(new, redraw=redraw)
    if new.plan.relation != held.plan.relation:
        tell("related", new.plan.relation)


def change_plan(plan: Plan) -> None:
    """Change the current plan, everything else as it is."""
    change(document().edited(plan), typed=False)


def compare_with(plan: Plan, name: str) -> None:
    """Hold the document against this plan of this name, and what redo leads to, which is left as it was else."""
    held, future = document(), _history().future
    change(replace(held, baseline=plan, baseline_name=name))
    after = tuple(replace(each, baseline=plan, baseline_name=name) if _work(each) == _work(held) else each
                  for each in future)  # fmt: skip
    st.session_state["history"] = replace(_history(), future=after)


def belong(plan: str) -> None:
    """Note that the document is a state of the saved plan of this name, and so are those around it that were of none.

    As far as they are of the same work: what stands before the opening of a saved plan is none of it.
    """
    held, history = document(), _history()
    past, future = _noted(history.past[::-1], held, plan)[::-1], _noted(history.future, held, plan)
    marked = {id(state): mark for state, mark in st.session_state.get("marks", ())}
    before, new = _states(), replace(held, saved=plan)
    st.session_state.update(document=new, history=History(past, future, history.dropped))
    names = (marked.get(id(state), "") for state in before)
    st.session_state["marks"] = tuple(zip(_states(), names, strict=True))


def _noted(states: tuple[Document, ...], held: Document, plan: str) -> tuple[Document, ...]:
    """The states beside one that is of no saved plan yet, the nearest first, as states of the plan that it becomes."""
    near = takewhile(lambda each: not held.saved and not each.saved and _work(each) == _work(held), states)
    noted = tuple(replace(each, saved=plan) for each in near)
    return (*noted, *states[len(noted) :])


def _work(state: Document) -> tuple[Plan | None, str]:
    """What tells the states of one work from those of another: as what it was opened, and what people call it."""
    return state.opened, examples.title(state.name)


def can_undo() -> bool:
    """Say whether there is a former document."""
    return bool(_history().past)


def can_redo() -> bool:
    """Say whether there is a document that undo has left."""
    return bool(_history().future)


@shell.guarded
def undo() -> None:
    """Return to the document before the last change; a callback."""
    if can_undo():
        _step(*_history().undone(document()))


@shell.guarded
def redo() -> None:
    """Return to the document that undo has left; a callback."""
    if can_redo():
        _step(*_history().redone(document()))


def go_to(found: Document) -> None:
    """Make the document what the browser's Back or Forward leads to: as undo and redo do where they reach it."""
    present = [] if document() == EMPTY and not begun() else [document()]
    states = (*_history().past, *present, *_history().future)
    places = [place for place, state in enumerate(states) if state == found]
    if not places:
        put(found)
        return
    place = min(places, key=lambda each: abs(each - len(_history().past)))
    _step(states[place], History(states[:place], states[place + 1 :], _history().dropped))


def _step(held: Document, history: History[Document]) -> None:
    old = document()
    st.session_state.update(document=held, history=history)
    _forget(old, held)
    begin_work()
    new_table()


def marks() -> tuple[tuple[str, ...], int]:
    """Return a name for every state, as long as it can be reached, and the place of the present one among them.

    One that was never on the screen has the name "".
    """
    known = {id(state): mark for state, mark in st.session_state.get("marks", ())}
    states, at = _states(), len(_history().past)
    known.setdefault(id(states[at]) if states else 0, secrets.token_hex(4))
    named = tuple((state, known.get(id(state), "")) for state in states)
    st.session_state["marks"] = named
    return tuple(mark for _, mark in named), at


def visit() -> str:
    """Return what tells this session from every other."""
    return st.session_state.setdefault("visit", secrets.token_hex(4))


def restore(past: list[tuple[str, Document]], future: list[tuple[str, Document]]) -> None:
    """Let undo and redo lead to these named states, unless the session has such of its own.

    Parameters
    ----------
    past, future : list of (str, Document)
        In their order, what undo leads to first at the end of `past`, what redo does at the beginning of `future`.
    """
    if can_undo() or can_redo() or document() is None:
        return
    held = document()
    named = [[(settled(state), mark) for mark, state in side] for side in (past, future)]
    named = [[(replace(each, saved=held.saved) if _work(each) == _work(held) else each, mark) for each, mark in side]
             for side in named]  # fmt: skip
    before, after = (tuple(state for state, _ in side) for side in named)
    st.session_state["history"] = History(before, after)
    st.session_state["marks"] = (*st.session_state.get("marks", ()), *named[0], *named[1])


def begin_work() -> None:
    """Note that somebody wants to work, if only on an empty plan."""
    st.session_state["begun"] = True


def begin_anew() -> None:
    """Return to where nothing is begun; undo, and the browser's Forward, bring back what was, redo what came after."""
    future = _history().future
    put(EMPTY)
    st.session_state["history"] = replace(_history(), future=future)
    st.session_state["begun"] = False


def begun() -> bool:
    """Say whether there is a plan that somebody asked for, if only an empty one, or the example was changed."""
    return st.session_state.get("begun", False)


def revision() -> str:
    """Return what the keys of table and file box end with, so that they start anew with another document."""
    return st.session_state.setdefault("revision", secrets.token_hex(4))


def of_revision(name: str) -> str:
    """Return the key of a box that starts anew with another document.

    What is folded away in the browser does not take what it is filled with, and goes on telling what it held.
    """
    return f"{name}_{revision()}"


def new_table() -> None:
    """Let the table, and the box of files, start anew from the document."""
    st.session_state["revision"] = secrets.token_hex(4)


def file_name() -> str:
    """Return the plan's name as files may carry it, without what a system refuses; "plan" where none is left."""
    return re.sub(r'[\\/:*?"<>|\x00-\x1f]+', "-", examples.title(document().name)).strip(" .-") or "plan"


def tell(about: str, sentence: str) -> None:
    """Keep a sentence on what was last asked for, until the document changes; "" takes it back.

    Parameters
    ----------
    about : str
        What it is about: a file ("file"), a link ("link"), what a file left open ("lent"), what was pasted ("pasted"),
        a plan of a sweep ("frontier"), what could not be saved ("saved"), what is gone on with ("resumed"), noise that
        was proposed ("proposed"), dates that were ("scheduled"), a number that says nothing ("unused"), the places of
        rows that come several times on each of their days ("repeated"), a neighbour relation that follows from what
        was typed ("related"), one under which somebody said that all sensitivities are enough ("vouched").
    sentence : str
    """
    st.session_state["told"] = {**st.session_state.get("told", {}), about: sentence}


def told(about: str) -> str:
    """Return the sentence that was told last about this; "" where there is none."""
    return st.session_state.get("told", {}).get(about, "")


def frontier() -> Frontier | None:
    """Return the plans of a sweep that stand beside the plan; None where there are none."""
    return st.session_state.get("frontier")


def put_frontier(opened: Frontier | None) -> None:
    """Put the plans of a sweep beside the plan, for this session alone: no address has room for them."""
    st.session_state["frontier"] = opened
