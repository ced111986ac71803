"""What is done to a ledger by a press: one form at a time, and one sentence on what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.guarantee import Guarantee
from dpviz.parameters import COUNT, DELTA
from dpviz.plan import Plan
from dpviz.rounding import shown_down
from dpviz.store import Budget, Entry
from dpviz.store.budgets import BUDGET_EPSILON
from dpviz.store.entries import LINE, REFUND, REQUEST
from dpviz.ui.ledger import asked as asks
from dpviz.ui.ledger import opening
from dpviz.ui.ledger import words as told
from dpviz.ui.ledger.answer import Shown
from dpviz.ui.ledger.asked import Question
from dpviz.ui.ledger.opening import choose, picked
from dpviz.ui.shell import inputs, page_state, reading, shell
from dpviz.ui.shell.document import saved, saving, session
from dpviz.ui.shell.typed import within
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    from dpviz.store import Ledger
    from dpviz.store.plans import Saved

SAID = "_ledger_said"  # what came of the last press: of which ledger, whether it was done, and a sentence
LISTED = 12  # lines whose uses are told
WORKED_ON = "The plan that you work on, saved as it is now"


@dataclass(frozen=True)
class Deed:
    """Something that may be done to a ledger.

    Parameters
    ----------
    label : str
    draw : callable
        Draws the boxes of its form, of question, ledger and budget, and returns what is done when its button is
        pressed: from the ledger that is kept to the entry; or None, after saying why there is nothing to do.
    press : str
        What the button says.
    about : str
        What it does, in a sentence.
    """

    label: str
    draw: Callable[[Question, Shown, Budget | None], Callable[[Ledger], Entry] | None]
    press: str
    about: str


def begin(asked: Question) -> None:
    """Draw how one's own ledger is begun, beneath the example; or why none can be kept here."""
    if asked.why_not:
        st.info(asked.why_not)
        return
    with st.form("ledger_begin", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        about = "What the project is called, whose ledger it is; nobody else's may have that name."
        st.text_input("Name", "My project", 80, key="ledger_name", help=about)
        st.form_submit_button("Begin a ledger of my own", on_click=_begin, type="primary", key="ledger_begins")
    _said("")


@shell.guarded
def _begin() -> None:
    """Make a project, whose ledger is shown from then on; a callback."""
    try:
        name = str(page_state.held("ledger_name") or "").strip()
        project = saving.database().projects(saving.person()).create(name)
    except (ValueError, ImportError) as error:
        page_state.put({SAID: ("", False, told.refused(error))})
        return
    asks.show(project.name)
    page_state.put({SAID: (project.name, True, "Your ledger is begun. Open its first budget.")})


def panel(asked: Question, ledger: Shown, budget: Budget | None) -> None:
    """Draw what may be done, its form, and what came of the last press."""
    st.header("What is to be done", anchor=False)
    first = RUN if ledger.in_force else FORCE if budget else OPEN
    look = {"label_visibility": "collapsed", "default": first.label}
    place = LABELS.index(inputs.switch("What is to be done", "ledgerdo", LABELS, **look))
    deed = DEEDS[place]
    st.caption(reading.told(deed.about))
    with st.form(f"ledger_form_{place}", border=True):
        do = deed.draw(asked, ledger, budget) if budget or deed is OPEN else st.markdown("Open a budget first.")
        if callable(do):
            press = {"on_click": _press, "args": (asked.project.name, do), "key": "ledger_press", "type": "primary"}
            st.form_submit_button(deed.press, **press)
        else:
            st.form_submit_button(deed.press, disabled=True, key="ledger_press_none")
    _said(asked.project.name)


@shell.guarded
def _press(project: str, do: Callable[[Ledger], Entry]) -> None:
    """Do it, and keep a sentence on what came of it; a callback."""
    try:
        entry = do(saving.database().ledger(project, saving.person()))
    except (ValueError, ImportError) as error:
        page_state.put({SAID: (project, False, told.refused(error))})
        return
    # The next line is chosen anew: one that has run out would make room for another one that nobody means.
    page_state.put({SAID: (project, True, escaped(_done(entry))), "ledger_reference": "", "ledger_note": "",
                    "ledger_line": None})  # fmt: skip


def _done(entry: Entry) -> str:
    if entry.kind == LINE:
        return f"Entry {entry.number}, “{entry.reference}”: {told.about(entry)}. It may run now, and costs nothing new."
    said = f"Entry {entry.number}, “{entry.reference}”: {told.KINDS[entry.kind]}."
    return f"{said} It may run." if entry.kind == REQUEST else said


def _said(project: str) -> None:
    """Draw what came of the last press on this ledger."""
    of, done, sentence = page_state.held(SAID, (None, True, ""))
    if of == project and sentence:
        (st.success if done else st.error)(reading.told(sentence))


def _reference(required: bool = True) -> None:
    about = "What this is called, once and for ever: with the same reference it is the same entry, however often."
    hint = "such as 2026-04-run-17" if required else "left empty, it is called after what it is of"
    st.text_input("Reference", key="ledger_reference", max_chars=80, help=about, placeholder=hint)


def _note(label: str = "Note") -> None:
    st.text_input(label, key="ledger_note", max_chars=80, help="In words, for those who read the ledger later.")


def _held(key: str, otherwise: str = "") -> str:
    return str(page_state.held(key) or "").strip() or otherwise


def _count() -> int:
    return int(within(_held("ledger_count", "1"), "“Times”", (1, COUNT.high), whole=True))


def _line(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    lines = [
        (version, row, name, count)
        for version, left in zip(ledger.in_force, ledger.left, strict=True)
        for row, (name, count) in enumerate(left.items())
        if count
    ]
    if not lines:
        st.markdown("No version is in force that has lines left: take one into force, or ask for what is not planned.")
        return None
    of = {each.number: f" ({each.reference})" if len(ledger.in_force) > 1 else "" for each in ledger.in_force}
    named = {f"{name}{of[version.number]}": (version, row) for version, row, name, _ in lines}
    choose("Line", "ledger_line", named, "Of the versions in force, those that may still run.", None)
    st.caption("Left: " + escaped("; ".join(f"{name}: {count:,}" for *_, name, count in lines[:LISTED])))
    st.text_input("Times", "1", key="ledger_count", help="How often it is about to run.")
    _reference()
    _note()

    def do(ledger: Ledger) -> Entry:
        version, row = picked("ledger_line", named)
        line = _name_of(version, row)
        told = {"count": _count(), "reference": _held("ledger_reference"), "note": _held("ledger_note")}
        return ledger.spend(line, version=version.told["version"], **told)

    return do


def _name_of(version: Entry, row: int) -> str:
    """By what a line is called for: its name, or its row where several have that."""
    names = [each.name for each in Plan.from_json(version.told["plan"]).releases]
    return names[row] if names.count(names[row]) == 1 else str(row + 1)


def _request(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    free = budget.free(ledger.standing(budget).total)
    st.caption(reading.told(f"Admitted now, at δ = 0: up to ε = {shown_down(free, 6)}. {told.NOT_A_FILTER}"))
    about = "What one run of it may lose."
    st.text_input(reading.told("ε of the request"), key="ledger_epsilon", placeholder="such as 0.1", help=about)
    st.text_input(reading.told("δ of the request"), "0", key="ledger_delta", help="Its own chance of failure.")
    st.text_input("Times", "1", key="ledger_count", help="How often it is about to run.")
    _reference()
    _note()

    def do(ledger: Ledger) -> Entry:
        epsilon = within(_held("ledger_epsilon"), "ε", (0, BUDGET_EPSILON.high))
        delta = within(_held("ledger_delta", "0"), "δ", (0, DELTA.high))
        told = {"count": _count(), "reference": _held("ledger_reference"), "note": _held("ledger_note")}
        return ledger.spend(asked={budget.key: Guarantee(epsilon, delta)}, **told)

    return do


def _force(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    plans = saving.plans()
    found: list[Saved | None] = [*plans.search()]  # of several with one title, the one that was saved last
    if session.document() and session.current().releases:
        found.append(None)
    if not found:
        st.markdown("There is no saved plan yet, and the plan that you work on has no release.")
        return None
    named = {WORKED_ON if each is None else f"{each.title}, version {each.newest}": each for each in reversed(found)}
    about = "Its newest version. All of it is reserved from now on, and its lines cost nothing new then."
    choose("Plan", "ledger_plan", named, about)
    _reference(required=False)
    _note()

    def do(ledger: Ledger) -> Entry:
        chosen = picked("ledger_plan", named)
        version = _saved_now() if chosen is None else chosen.name
        reference = _held("ledger_reference", version)
        return ledger.take_into_force(version, key=budget.key, reference=reference, note=_held("ledger_note"))

    return do


def _saved_now() -> str:
    """The version that the plan is which is worked on, saved where it differs from its last one."""
    if saved.unsaved() and not saved.save():
        raise ValueError(session.told("saved") or "the plan must be saved first, on its own page")
    return saved.base().name


def _refund(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    gone = {each.told["of"] for each in ledger.entries if each.kind == REFUND} | ledger.given_back()
    runs = [each for each in reversed(ledger.entries) if each.kind in (LINE, REQUEST) and each.number not in gone]
    runs = [each for each in runs if each.told.get("of") not in gone]
    if not runs:
        st.markdown("Nothing has run that could be taken back.")
        return None
    named = {_called(each): each for each in runs}
    choose("Run", "ledger_of", named, "Of which nobody ever saw an answer.")
    _note("Why it did not run")
    _reference(required=False)

    def do(ledger: Ledger) -> Entry:
        of = picked("ledger_of", named).reference
        reference = _held("ledger_reference", f"refund of {of}"[:80])
        return ledger.refund(of, reference=reference, note=_held("ledger_note"))

    return do


def _give_back(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    if not ledger.in_force:
        st.markdown("No version is in force.")
        return None
    named = {_called(each): each for each in ledger.in_force}
    choose("Version", "ledger_version", named, "None of its lines can run afterwards.")
    _reference(required=False)
    _note()

    def do(ledger: Ledger) -> Entry:
        of = picked("ledger_version", named).reference
        reference = _held("ledger_reference", f"rest of {of}"[:80])
        return ledger.give_back(of, reference=reference, note=_held("ledger_note"))

    return do


def _called(entry: Entry) -> str:
    """What an entry is chosen by: its reference, which no other has, and what it is of."""
    return f"{entry.reference}: {told.about(entry)} ({told.minute(entry.at)})"


OPEN = Deed(
    "Open a budget", opening.opened, "Open the budget",
    "What may be lost by one unit of a data set. Its terms never change, so that each answer is held against them.",
)  # fmt: skip
FORCE = Deed(
    "Take a plan into force", _force, "Take it into force",
    "Reserves its whole composed cost. Its lines cost nothing new afterwards, since they were fixed before any answer.",
)
RUN = Deed("Run a line", _line, "Note that it runs", "Of a version in force: it costs nothing new.")
DEEDS = (
    RUN,
    Deed(
        "Ask for more", _request, "Ask",
        "What was not planned is admitted or refused by the rule of the budget, whatever answers it depends on.",
    ),
    FORCE,
    Deed(
        "Take back a run", _refund, "Take it back",
        "For runs that did not happen, and of which nobody saw an answer: a row of its own, with the reason.",
    ),
    Deed(
        "Give back unused lines", _give_back, "Give them back",
        "What a version will not use any more. Which lines are left may depend on answers, so that what ran is counted "
        "by the budget's rule from then on.",
    ),
    Deed("Next period", opening.next_period, "Begin it", opening.ABOUT_NEXT),
    OPEN,
)  # fmt: skip
LABELS = tuple(each.label for each in DEEDS)
