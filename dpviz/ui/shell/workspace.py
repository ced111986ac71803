"""How every rerun begins, and what opens another plan: an example, a file, the plans of a sweep."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import replace
from datetime import date
from pathlib import PurePath
from typing import IO

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz import places
from dpviz.jobs.frontier import Frontier, is_frontier
from dpviz.plan import Document, Origin, Plan, promise
from dpviz.plan.document import PROMISE, fitting
from dpviz.plan.files import csv_file
from dpviz.plan.files.file import contents
from dpviz.plan.files.foreign import Opened, ending_of, opened_foreign
from dpviz.ui.shell import examples, page_state, refusals, shell, words
from dpviz.ui.shell.document import address, promise_fields, saved, session, table_state
from dpviz.ui.shell.document.rows import faults_of
from dpviz.ui.shell.document.table_state import MOST_ROWS

SHEETS = ("xlsx", "xls", "ods")  # endings of files that are offered, and told how to come here
SHEET = "the file must be text: save the spreadsheet as CSV, or copy its cells and paste them into the table"
TOO_MANY = (
    "This file holds {:,} releases, and the dashboard takes {:,}: give those that are alike one row with their number, "
    "or ask on your own machine with python -m dpviz check."
)


def begin(*, first_visit: bool = False) -> None:
    """Take in what the table of releases and the address bring, and put the document into the address.

    Once in a rerun: a page that runs alone, as under test, calls it where the entry point has not.

    Parameters
    ----------
    first_visit : bool
        Whether the page shows an example to whoever has not begun a plan; its address stays as it is until then.
    """
    rerun = get_script_run_ctx().cursors  # made anew for each one
    if page_state.held("begun_in") is rerun:
        return
    page_state.put({"begun_in": rerun})
    if not session.arrived():
        address.arrive()
        saved.arrive()
    else:
        if session.document():
            table_state.take_in()
        if first_visit and address.left():
            session.begin_anew()
        address.follow()
        saved.follow()
    if first_visit and not session.begun() and session.document() == session.EMPTY:
        _show_first()
    address.rename_choices()
    promise_fields.take_in()
    address.write(bare=first_visit and not session.begun())
    saved.write()


def _show_first() -> None:
    """Show the plan that `dpviz run` was given to whoever comes without one, else an example."""
    if file := os.environ.get(places.GIVEN):
        name = PurePath(file).name  # where it lies is no visitor's business
        try:
            with open(file, "rb") as given:
                plan = _of_size(Plan.read(given))
        except OSError:
            session.tell("given", f"The file “{name}”, with which the dashboard was started, cannot be read.")
        except ValueError as error:
            session.tell("given", "\n".join((f"The file “{name}”:", *refusals.lines(error))))
        else:
            session.arrive(Document(plan, PurePath(file).stem))
            session.begin_work()
            return
    session.arrive(Document(examples.plan_of(examples.OPENED_FIRST), examples.OPENED_FIRST))


def _of_size(plan: Plan) -> Plan:
    """The plan, unless its table would be too long."""
    if len(plan.releases) > MOST_ROWS:
        raise ValueError(TOO_MANY.format(len(plan.releases), MOST_ROWS))
    return plan


def open_plan(
    plan: Plan,
    name: str | None = None,
    questions: tuple[str, ...] = (),
    origin: Origin | None = None,
    *,
    beside: bool = False,
    begin: date | None = None,
) -> None:
    """Make another plan the current one, with what is to be asked about it, and the first day of what recurs.

    A stays where one was kept; where the plan is to stand beside the present one, that becomes A.
    """
    new = Document(plan, name or examples.name_of(plan), questions=questions, origin=origin, begin=begin)
    old = session.document()
    if old and beside:
        new = replace(new, baseline=old.plan, baseline_name=old.name)
    elif old and old.baseline:
        new = replace(new, baseline=old.baseline, baseline_name=old.baseline_name)
    session.put(new)


@shell.guarded
def open_example(key: str, beside: bool = False) -> None:
    """Open an example, or an empty plan, `beside` the present one where both are to be compared; a callback."""
    session.begin_work()
    open_plan(examples.plan_of(key), key if key in examples.BY_KEY else None, beside=beside)


@shell.guarded
def tell_left_out() -> None:
    """Say, on a page that starts from the plan, which rows of its table are not in what the page tells."""
    held = session.document()
    rows = [str(table_state.seen(place)) for place in faults_of(held)] if held else []
    if rows:
        one = len(rows) == 1
        named = f"Row {rows[0]} of the plan does" if one else f"{len(rows)} rows of the plan do"
        st.warning(f"{named} not count yet, and {'is' if one else 'are'} in no number here: the page “Plan” says why.")


def upload(key: str, beside: bool = False, then: Mapping[str, object] | None = None) -> None:
    """Open the uploaded file, or say what is wrong with it and leave the plan as it is; a callback.

    Where `beside`, the present plan becomes A. `then` is what inputs of the page are set to once it is open.
    """
    former = session.document()
    _upload(key, beside)
    if then and session.document() is not former:
        page_state.put(dict(then))


def _upload(key: str, beside: bool) -> None:
    file = page_state.held(key)
    session.tell("file", "")
    if file is None:
        return
    if is_frontier(file.getvalue()[:200].decode("utf-8", "replace")):
        open_frontier(file)
        return
    try:
        if PurePath(file.name).suffix.lower().removeprefix(".") in SHEETS:
            raise ValueError(SHEET)
        text, is_json = contents(file)
        if (other := opened_foreign(text, ending_of(file), is_json)) is not None:
            _open_foreign(other, PurePath(file.name).stem, beside)
            return
        plan, found, taken = _read(text, is_json)
        _of_size(plan)
    except ValueError as error:
        session.tell("file", "\n".join(refusals.lines(error)))
        return
    # Whom its releases protect, and what they may cost, is to be said.
    said = plan.unit is not None and {"unit", "budget_epsilon"} <= found
    open_plan(plan, PurePath(file.name).stem, () if said else (PROMISE,), beside=beside)
    session.tell("lent", taken)
    _announce()


def _open_foreign(other: Opened, name: str, beside: bool) -> None:
    """Make the plan of another program's file the current one, without a limit: what a file claims is no budget."""
    open_plan(_of_size(other.plan), name, (PROMISE,), other.shortened, beside=beside)
    _announce()


def _announce() -> None:
    """Say in passing that a file is open, and how much it holds."""
    count, name = len(session.current().releases), words.escaped(examples.title(session.document().name))
    releases = "1 release" if count == 1 else f"{count:,} releases"
    st.toast(f"“{name}” is open, with {releases}. “Undo” brings back what was there.", icon=":material/folder_open:")


@shell.guarded
def dismiss() -> None:
    """Note that what was not understood of another program's file has been read, or entered; a callback."""
    held = session.document()
    session.change(replace(held, origin=held.origin and held.origin.dismissed), redraw=False)


def _read(text: str, is_json: bool) -> tuple[Plan, Set[str], str]:
    """The plan of a file, what the file states of it as a whole, and which of the rest the present plan lends it.

    A JSON is the whole plan. What a table leaves open stays as it is here, where its releases allow that.
    """
    if is_json:
        return Plan.from_json(text), {*promise.COLUMNS}, ""
    plan, found = Plan.from_csv(text), csv_file.from_csv(text)[1]
    present = session.current().stated if session.document() and session.begun() else {}
    lent = {column: value for column, value in present.items() if column not in found}
    whole, refused = fitting(Plan((), **promise.arguments(lent | found)), plan.releases)
    if refused:  # the releases do not go with the relation of the present plan, or their sensitivities with themselves
        lent.pop("relation", None)
        whole = Plan(plan.releases, **promise.arguments(lent | found))
    return whole, found.keys(), words.taken_over(lent)


def open_frontier(file: IO[bytes] | IO[str]) -> None:
    """Put the plans of a sweep beside the plan."""
    try:
        session.put_frontier(Frontier.read(file))
    except ValueError as error:
        session.tell("file", "\n".join(refusals.lines(error)))
        return
    if session.document() and not session.begun():  # what stands beside it is not the example of a first visit
        session.arrive(session.EMPTY)
        session.new_table()
    session.begin_work()
    session.tell("frontier", "")
    page_state.forget("frontier_row")
