"""The one document that a visitor works on: held here, changed by one function, and always in the address.

`st.session_state` holds the document ("document"), the former ones that undo returns to ("past"), and of the table of
releases: the rows that stand behind what is typed in it ("base"), all its rows as they are now ("typed"), what of its
changes is already in the document ("taken"), and a name that a new table gets ("revision"), random, so that changes
which a browser kept from another session are never applied to this one's rows.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import IO
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.guarantee import Guarantee
from dpviz.jobs.frontier import Frontier, is_frontier
from dpviz.parameters import POPULATION
from dpviz.plan import Document, Plan, Uncounted, csv_file, permalink, promise
from dpviz.plan.document import PROMISE, fitting
from dpviz.plan.file import contents
from dpviz.plan.release import checked_text
from dpviz.ui.shell import examples, plan_rows, refusals, shell, typed, words

LONGEST_PAST = 50
# Of a plan that many share a process with: all of its rows are looked through, in one piece, where memory is cleared.
MOST_ROWS = 5000
TOO_MANY = (
    "This file holds {:,} releases, and the dashboard takes {:,}: give those that are alike one row with their number, "
    "or ask on your own machine with python -m dpviz check."
)
MOST_PASTED = "it makes {:,} releases, and the table holds {:,}; give those that are alike one row with their number"
LARGEST_BUDGET, LARGEST_DELTA = 1000.0, 0.5  # what can be typed; a file may set more
PLAN, EXAMPLE = "plan", "example"  # their names in the address
BLANKS, FEWEST_BLANKS = 30, 3  # rows to type into at the end of a new table, and when it gets more
LARGE = "large"  # stands there for a plan that is too large for an address
# By widget, what a choice was called in former versions, and its present name: an address holds the words of a choice.
FORMER: dict[str, dict[str, str]] = {
    "read": {"symbols": "numbers", "words": "people"},
    "solve": {"ε for an accuracy": "budget for an accuracy"},
    "abview": {"Published deployments": "Plan by plan"},  # they have a line of their own
    "more": {"Fit a budget": "Stated law"},  # the workbench fits
    "tview": {"Releases": "Windows"},  # the table stands above all views
    "fview": {"K and advanced composition": "Against a number fixed in advance"},
}
# Widgets that are gone, by the key that addresses still hold, and where stands what they chose.
REMOVED = {"see": "What was a tab is an expander of the picture “How accurate”, and columns of the table."}
GONE = "This plan is not here any more: open its file or link."


def document() -> Document | None:
    """Return the document; None where the address asks for one that it does not hold."""
    if "document" not in st.session_state:
        _arrive()
    return st.session_state["document"]


def current() -> Plan:
    """Return the current plan."""
    return document().plan


def a() -> Plan:
    """Return the plan A, with which the current one is compared."""
    return document().a


def change(new: Document, *, redraw: bool = True) -> None:
    """Make `new` the document, so that undo returns to the former one; the one way to change anything.

    The table starts anew from it, unless `redraw` is false: then it was typed into the table itself.
    """
    old, new = document(), settled(new)
    if new != old:
        st.session_state["past"] = [*past(), *filter(None, [old])][-LONGEST_PAST:]
        st.session_state["document"] = new
        for sentence in ("trouble", "link_trouble", "taken_over", "unpasted"):
            st.session_state.pop(sentence, None)
    if redraw:
        _new_table()


def settled(held: Document) -> Document:
    """Return a document whose plans may all be quoted: a release whose sensitivity forbids it is a row not counted.

    Of plan A, and of the plan as it was opened, such a release is left out.
    """
    if held.plan.faults:
        held = _with_rows(held, rows_of(held))
    for name in ("opened", "baseline"):
        plan = getattr(held, name)
        if plan is not None and plan.faults:
            held = replace(held, **{name: fitting(plan, plan.releases)[0]})
    return held


def change_plan(plan: Plan) -> None:
    """Change the current plan, everything else as it is."""
    change(document().edited(plan))


def begun() -> bool:
    """Say whether there is a plan to work on, if only an empty one that somebody asked for."""
    return st.session_state.get("begun", False) or bool(past()) or document() != Document(Plan(()))


def past() -> list[Document]:
    """Return the former documents, the last one at the end."""
    return st.session_state.setdefault("past", [])


@shell.guarded
def undo() -> None:
    """Return to the document before the last change; a callback."""
    if past():
        *st.session_state["past"], st.session_state["document"] = past()
        _new_table()


def open_plan(plan: Plan, name: str | None = None) -> None:
    """Make another plan the current one; A stays where one was kept."""
    new = Document(plan, name or examples.name_of(plan))
    if (old := document()) and old.baseline:
        new = replace(new, baseline=old.baseline, baseline_name=old.baseline_name)
    change(new)


@shell.guarded
def open_example(key: str) -> None:
    """Open an example, or an empty plan; a callback."""
    st.session_state["begun"] = True
    open_plan(examples.plan_of(key), key if key in examples.BY_KEY else None)


def file_name() -> str:
    """Return the plan's name as files may carry it: letters, digits and hyphens, or "plan" where none is left."""
    return "-".join(re.findall(r"\w+", document().name)) or "plan"


@shell.guarded
def rename() -> None:
    """Take the plan's name from its box; a callback."""
    change(replace(document(), name=str(st.session_state["name"])), redraw=False)


@shell.guarded
def sign() -> None:
    """Take the plan's author from its box; a callback."""
    change(replace(document(), author=str(st.session_state["author"])), redraw=False)


@shell.guarded
def keep_as_a() -> None:
    """Keep the current plan for the comparison of A with B; a callback."""
    change(replace(document(), baseline=current(), baseline_name=document().name))


@shell.guarded
def replace_releases(plan: Plan) -> None:
    """Put the releases of `plan` into the table, beside the rows that do not count; a callback."""
    change_plan(replace(current(), releases=plan.releases))


@shell.guarded
def mend(plan: Plan) -> None:
    """Take the plan that a finding leads to, without a gap in a table that becomes shorter; a callback."""
    held, most = document(), len(plan.releases)
    rows = [replace(row, position=min(row.position, most + n)) for n, row in enumerate(held.uncounted)]
    change(held.edited(plan, rows))


@shell.guarded
def set_budget(epsilon: float) -> None:
    """Change ε of the budget; a callback."""
    change_plan(replace(current(), budget=Guarantee(epsilon, current().budget.delta)))


@shell.guarded
def answer(question: str, adaptive: bool | None = None) -> None:
    """Note that a question of the document is answered, and with which order of the plan; a callback."""
    new = document().answered(question)
    change(new if adaptive is None else replace(new, plan=replace(new.plan, adaptive=adaptive)))


@shell.guarded
def upload(key: str) -> None:
    """Open the uploaded file, or say what is wrong with it and leave the plan as it is; a callback."""
    file = st.session_state.get(key)
    st.session_state.pop("trouble", None)
    if file is None:
        return
    if is_frontier(file.getvalue()[:200].decode("utf-8", "replace")):
        open_frontier(file)
        return
    try:
        plan, found, taken = _read(file)
        if len(plan.releases) > MOST_ROWS:
            raise ValueError(TOO_MANY.format(len(plan.releases), MOST_ROWS))
    except ValueError as error:
        st.session_state["trouble"] = "\n".join(refusals.lines(error))
        return
    open_plan(plan, PurePath(file.name).stem)
    # Whom its releases protect, and what they may cost, is to be said.
    if plan.unit is None or not {"unit", "budget_epsilon"} <= found:
        st.session_state["document"] = replace(document(), questions=(PROMISE,))
    st.session_state["taken_over"] = taken


def _read(file: IO[bytes]) -> tuple[Plan, Set[str], str]:
    """The plan of a file, what the file states of it as a whole, and which of the rest the present plan lends it.

    A JSON is the whole plan. What a table leaves open stays as it is here, where its releases allow that.
    """
    text, is_json = contents(file)
    if is_json:
        return Plan.from_json(text), {*promise.COLUMNS}, ""
    plan, found = Plan.from_csv(text), csv_file.from_csv(text)[1]
    present = current().stated if document() else {}
    lent = {column: value for column, value in present.items() if column not in found}
    whole, refused = fitting(Plan((), **promise.arguments(lent | found)), plan.releases)
    if refused:  # the releases do not go with the relation of the present plan, or their sensitivities with themselves
        lent.pop("relation", None)
        whole = Plan(plan.releases, **promise.arguments(lent | found))
    return whole, found.keys(), words.taken_over(lent)


def open_frontier(file: IO[bytes] | IO[str]) -> None:
    """Keep the plans of a sweep beside the plan, for this session alone: no address has room for them."""
    try:
        st.session_state["frontier"] = Frontier.read(file)
    except ValueError as error:
        st.session_state["trouble"] = "\n".join(refusals.lines(error))
        return
    st.session_state["begun"] = True
    for name in ("trouble", "frontier_trouble", "frontier_row"):
        st.session_state.pop(name, None)


# The address


def begin() -> None:
    """Take in what the table of releases and the address bring, and put the document into the address."""
    if "document" in st.session_state:
        if document():
            _take_in_table()
        _follow_link()
    _take_in_former()
    _take_in_fields()
    _write_address()
    st.session_state["page"] = page()


def page() -> str:
    """Return what tells one page from another."""
    return get_script_run_ctx().page_script_hash


def _arrive() -> None:
    """Start a session with what its address holds."""
    st.session_state["document"] = None
    asked = _asked()
    if asked is None and shell.former(st.context.url):  # such an address without a plan showed the first example
        asked = EXAMPLE, examples.FIRST
    found = Document(Plan(())) if asked is None else _found(*asked)
    st.session_state["document"] = found and settled(found)


def _asked() -> tuple[str, str] | None:
    """What the address names, and how: a plan's token before an example."""
    for name in (PLAN, EXAMPLE):
        if text := st.query_params.get(name):
            return name, text
    return None


def _found(name: str, text: str) -> Document | None:
    """The document that the address names; None, with a sentence, where it cannot be had."""
    st.session_state.pop("link_trouble", None)
    if name == EXAMPLE:
        key = text if text in examples.BY_KEY else examples.FIRST
        return None if text == examples.OWN else Document(examples.plan_of(key), key)
    if text == LARGE:
        return None
    try:
        found = permalink.document(text)
    except permalink.PermalinkError as error:
        st.session_state["link_trouble"] = "\n".join(refusals.lines(error))
        return None
    return replace(found, name=examples.name_of(found.plan)) if found == Document(found.plan) else found


def _follow_link() -> None:
    """Open what the address names where a visitor went there: by a link, or by the browser's Back and Forward.

    A rerun may also carry an address that is older than the document, when something is pressed before the browser
    has heard of the last change: that is no wish to go back.
    """
    asked = _asked()
    if asked is None or asked == st.session_state.get("written") or asked[1] == LARGE:
        return
    went = get_script_run_ctx().is_history_navigation
    if not went and st.session_state.get("page") == page() and asked in st.session_state.get("known", ()):
        return
    found = _found(*asked)
    if found is not None and found != document():
        change(found)


def _write_address() -> None:
    """Let the address hold the document: an example by its name, every other plan by its token."""
    if document() is None:
        return
    written = _address_of(document())
    st.session_state["written"] = written
    if written is None:
        for name in (PLAN, EXAMPLE):
            st.query_params.pop(name, None)
        return
    name, text = written
    st.session_state["known"] = (*st.session_state.get("known", ()), written)[-2 * LONGEST_PAST :]
    other = EXAMPLE if name == PLAN else PLAN
    if other in st.query_params:
        del st.query_params[other]
    if st.query_params.get(name) != text:
        st.query_params[name] = text


def _address_of(held: Document) -> tuple[str, str] | None:
    if held == Document(Plan(())):
        return None  # nothing is planned yet
    if held.pristine and held.name in examples.BY_KEY and held.plan == examples.plan_of(held.name):
        return EXAMPLE, held.name
    return PLAN, LARGE if _token(held)[1] else _token(held)[0]


def _token(held: Document) -> tuple[str, str]:
    """The token of the document, and why there is none; made once for each."""
    if st.session_state.get("tokened") is not held:
        try:
            token, trouble = permalink.token(held), ""
        except permalink.PermalinkError as error:
            token, trouble = "", refusals.sentence(error)
        st.session_state.update(tokened=held, token=(token, trouble))
    return st.session_state["token"]


def link() -> str:
    """Return the address of this page with its inputs and the document; "" where that is too large for one."""
    token, trouble = _token(document())
    if trouble:
        return ""
    view = [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    view = [(name, value) for name, value in view if name not in (PLAN, EXAMPLE)]
    return f"{st.context.url or ''}?{urlencode([(PLAN, token), *view])}"


def too_large() -> str:
    """Return why the document is in no address; "" where it is."""
    return _token(document())[1] if st.session_state.get("written") == (PLAN, LARGE) else ""


# The fields of the promise, as the sidebar and the addresses of former versions name them


def with_epsilon(plan: Plan, limit: float | None) -> Plan:
    """Return the plan with another ε of its budget; None sets no limit."""
    return replace(plan, budget=Guarantee(math.inf if limit is None else limit, plan.budget.delta))


def with_delta(plan: Plan, delta: float) -> Plan:
    """Return the plan with another δ of its budget."""
    return replace(plan, budget=Guarantee(plan.budget.epsilon, delta))


def with_relation(plan: Plan, relation: str) -> Plan:
    """Return the plan under another relation; one that leaves it to its mechanisms does so until another is chosen."""
    return plan if relation == plan.neighbours else replace(plan, relation=relation)


FIELDS: dict[str, Callable[[Plan, object], Plan]] = {
    "eps": with_epsilon,
    "delta": with_delta,
    "unit": lambda plan, unit: replace(plan, unit=unit),
    "rel": with_relation,
    "people": lambda plan, people: replace(plan, population=people),
    "adaptive": lambda plan, adaptive: replace(plan, adaptive=adaptive),
}
# What is typed, or said by an address, in the place of a number; "" where that may be.
TYPED: dict[str, Callable[[str], float | None]] = {
    "eps": lambda text: typed.within(text, "Budget ε", (0, _largest_budget())) if text.strip() else None,
    "delta": lambda text: typed.within(text, "Budget δ", (0, LARGEST_DELTA)),
    "people": lambda text: typed.within(text, "People in the data", _PEOPLE, whole=True) if text.strip() else None,
}
_PEOPLE = int(POPULATION.low), int(POPULATION.high)
_READ = TYPED | {
    "unit": partial(checked_text, "unit"),
    "adaptive": {"true": True, "false": False}.__getitem__,
}


def _largest_budget() -> float:
    given = current().budget.epsilon
    return max(LARGEST_BUDGET, given if math.isfinite(given) else 0.0)


def chosen(key: str) -> object:
    """Return what the widget of a field of the promise holds; a ValueError says why that is no number."""
    held = st.session_state[key]
    return TYPED[key](held) if key in TYPED else held


@shell.guarded
def choose(key: str) -> None:
    """Take a field of the promise from its widget; a value that is not allowed changes nothing. A callback."""
    try:
        value = chosen(key)
        plan = FIELDS[key](current(), value)
    except ValueError:
        return  # said beneath the widget, where it stays as typed
    if key in TYPED:
        st.session_state[key] = typed.shown(value)
    if plan != current():
        new = document().edited(plan)
        # Rows that contradicted the former promise may make sense under the new one.
        change(_with_rows(new, rows_of(new)) if new.uncounted else new, redraw=False)


def _take_in_fields() -> None:
    """Apply what an address of a former version says of the promise, and take it out of there."""
    for key in [each for each in FIELDS if each in st.query_params]:
        text = st.query_params[key]
        del st.query_params[key]
        if document() is None:
            continue
        try:
            plan = FIELDS[key](current(), _READ.get(key, str)(text))
        except (ValueError, KeyError):
            continue
        if plan != current():
            change(document().edited(plan))


def _take_in_former() -> None:
    """Give choices in the address their present names, and start again, so that their widgets read those."""
    named = {key: st.query_params.get_all(key) for key in FORMER.keys() & set(st.query_params)}
    renamed = {key: [FORMER[key].get(name, name) for name in names] for key, names in named.items()}
    if renamed != named:
        with suppress(StreamlitAPIException):  # a widget of this page holds one already: it has refused the former name
            st.query_params.update(renamed)
            st.rerun()


# The table of releases


def _new_table() -> None:
    st.session_state["revision"] = secrets.token_hex(4)


def revision() -> str:
    """Return what the keys of table and file box end with, so that they start anew with another document."""
    return st.session_state.setdefault("revision", secrets.token_hex(4))


def table_key(view: str) -> str:
    """Return the key of the table in this view, which starts from the document if it was not drawn before.

    Blank rows stand at its end, to be typed or pasted into: Streamlit keeps what is typed in a table of as many rows
    when other cells are computed anew, but not in one that grows.
    """
    key = f"releases_{view}_{revision()}"
    if st.session_state.get("table") != key or key not in st.session_state:
        rows = [*rows_of(document()), *(plan_rows.row_of({}) for _ in range(BLANKS))]
        st.session_state.update(table=key, base=rows, typed=rows, taken={})
    return key


def rows_of(held: Document) -> list[plan_rows.Row]:
    """Return the rows of the table: the releases, and in their places the rows that make none."""
    rows = plan_rows.rows_of(held.plan)
    for row in held.uncounted:
        rows.insert(row.position, plan_rows.row_of(dict(row.cells)))
    return rows


def counted(held: Document) -> dict[int, int]:
    """Return which release (from 0) each row of the table is, by its place (from 0); rows that make none are not in."""
    outside = {row.position for row in held.uncounted}
    places = [place for place in range(len(held.plan.releases) + len(outside)) if place not in outside]
    return {place: index for index, place in enumerate(places)}


def _take_in_table() -> None:
    """Bring what was changed in the table into the document."""
    changes = st.session_state.get(st.session_state.get("table", "none"))
    edited = changes["edited_rows"] if changes else {}
    if not changes or edited == st.session_state["taken"]:
        return
    st.session_state["taken"] = deepcopy(edited)
    rows, before = plan_rows.changed(st.session_state["base"], changes), st.session_state["typed"]
    if rows is None:  # changes of rows that this table does not have, sent by a browser that shows an older one
        _new_table()
        return
    if astray := plan_rows.astray(rows, before):
        _new_table()
        st.session_state["unpasted"] = f"Nothing of what was pasted is taken: {astray}."
        return
    filled = plan_rows.prefilled(rows, before)
    emptied = any(plan_rows.blank(row) and not plan_rows.blank(old) for row, old in zip(filled, before, strict=True))
    full = not any(map(plan_rows.blank, filled[-FEWEST_BLANKS:]))
    # What was filled in stands behind the cells; only a cell that was typed into hides it.
    hidden = any(filled[int(place)][column] != (text or None) for place, cells in edited.items()
                 for column, text in cells.items() if rows[int(place)] != filled[int(place)])  # fmt: skip
    st.session_state.update(typed=filled, base=_behind(filled, edited))
    change(_with_rows(document(), filled), redraw=hidden or emptied or full)


@shell.guarded
def paste(place: int, column: int, titles: Sequence[str], text: str) -> None:
    """Take rows of a spreadsheet into the table, all of them or none, see `plan_rows.pasted`; a callback."""
    _take_in_table()
    rows = st.session_state["typed"]
    try:
        filled, left = plan_rows.pasted(rows, place, column, titles, text)
        count = sum(not plan_rows.blank(row) for row in filled)
        if count > MOST_ROWS:
            raise ValueError(MOST_PASTED.format(count, MOST_ROWS))
    except ValueError as error:
        st.session_state["unpasted"] = f"Nothing of what was pasted is taken: {refusals.clause(error)}."
        return
    before = [*rows, *(plan_rows.row_of({}) for _ in range(len(filled) - len(rows)))]
    change(_with_rows(document(), plan_rows.prefilled(filled, before)))
    st.session_state["unpasted"] = left


def _behind(rows: list[plan_rows.Row], edited: dict) -> list[plan_rows.Row]:
    """The rows that stand behind the cells: what was typed into stays what it was."""
    base = st.session_state["base"]
    kept = {int(place): cells.keys() for place, cells in edited.items()}
    return [
        {column: base[place][column] if column in kept.get(place, ()) else text for column, text in row.items()}
        for place, row in enumerate(rows)
    ]


@shell.guarded
def set_cells(place: int, cells: plan_rows.Row) -> None:
    """Change cells of the row at `place` (from 0), as if they were typed in the table; a callback."""
    rows = rows_of(document())
    new = {**rows[place], **{column: text or None for column, text in cells.items()}}
    after = [*rows[:place], new, *rows[place + 1 :]]
    change(_with_rows(document(), plan_rows.prefilled(after, rows)))


@shell.guarded
def add_row(copied: int | None = None) -> None:
    """Add a release at the end of the table, a new one or a copy of the row at this place (from 0); a callback."""
    rows = rows_of(document())
    change(_with_rows(document(), [*rows, plan_rows.NEW_ROW if copied is None else rows[copied]]))


@shell.guarded
def remove_row(place: int) -> None:
    """Take the row at `place` (from 0) out of the table; a callback."""
    rows = rows_of(document())
    change(_with_rows(document(), rows[:place] + rows[place + 1 :]))


def _with_rows(held: Document, rows: list[plan_rows.Row]) -> Document:
    rows = [plan_rows.row_of(row) for row in rows if not plan_rows.blank(row)]
    releases, faults = plan_rows.releases_of(rows, held.plan)
    places = list(releases)
    plan, refused = fitting(held.plan, releases.values())
    outside = sorted([*faults, *(places[index] for index, _ in refused)])
    cells = {place: tuple((name, text) for name, text in rows[place].items() if text) for place in outside}
    return held.edited(plan, [Uncounted(place, cells[place]) for place in outside])


def faults() -> dict[int, str]:
    """Return what is wrong with every row of the table that does not count, by its position (from 0), in order."""
    held = document()
    if not held.uncounted:
        return {}
    releases, found = plan_rows.releases_of(rows_of(held), held.plan)
    places, told = list(releases), {place: refusals.row(problems) for place, problems in found.items()}
    told |= {places[index]: refusals.sentence(reason) for index, reason in fitting(held.plan, releases.values())[1]}
    return dict(sorted(told.items()))


def seen(place: int) -> int:
    """Return which row of the table on the screen (from 1) that is, of those that are not blank the one at `place`.

    Blank rows stand between others until the table is drawn anew, which lets them close up.
    """
    rows = seen_rows()
    return rows[place] if place < len(rows) else place + 1


def seen_rows() -> list[int]:
    """Return what `seen` says of every row; [] where each stands at its own place."""
    key = st.session_state.get("table", "none")
    if key not in st.session_state or not key.endswith(revision()):
        return []
    return [row for row, cells in enumerate(st.session_state["typed"], start=1) if not plan_rows.blank(cells)]
