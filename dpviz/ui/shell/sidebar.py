"""The sidebar: the plan's promise, opening another plan, and how the page is read."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from dpviz.plan import RELATIONS, Plan
from dpviz.plan.document import CHANGED, PROMISE
from dpviz.plan.release import LONGEST_TEXT
from dpviz.ui.shell import examples, page_state, reading, refusals, typed, words, workspace
from dpviz.ui.shell.document import address, edits, promise_fields, session, table_state
from dpviz.ui.shell.document.rows import faults_of

LISTED = 5  # rows in error that are told one by one


def plan() -> Plan:
    """Draw the sidebar of the plan's promise, and return the current plan."""
    workspace.begin()
    _show_document()
    with st.sidebar:
        _choose_budget()
        _choose_promise()
        with st.expander("Open another plan"):
            _examples()
            open_file()
    # Only now: after a run that is stopped before it has drawn them, the widgets are to be filled again.
    drawn = {key: page_state.held(key) for key in promise_fields.FIELDS}
    page_state.put({"shown": (session.document(), address.page(), drawn)})
    return session.current()


def _examples() -> None:
    """Draw the examples, and the way to an empty plan."""
    for each in examples.EXAMPLES:
        help_text = reading.told(each.about)
        st.button(each.label, on_click=workspace.open_example, args=(each.key,), key=f"open_{each.key}", help=help_text)
    st.button("An empty plan", on_click=workspace.open_example, args=(examples.OWN,), key="start_empty")


def _show_document() -> None:
    """Put the document into the widgets, before they are drawn; what a widget was refused stays in it as typed.

    One that shows its value already is left alone: what is put into a box takes the place of what is typed there now.
    """
    held = session.document()
    values = {
        "name": examples.title(held.name),
        "unit": held.plan.unit or "",
        "rel": held.plan.neighbours,
        "adaptive": bool(held.plan.adaptive),
    } | {key: typed.shown(value) for key, value in _in_force().items()}
    shown, page, drawn = page_state.held("shown", (None, "", {}))
    elsewhere = page != address.page()  # a page draws widgets of its own: keys outlive them

    def is_due(key: str) -> bool:
        same = drawn.get(key) == values[key] == page_state.held(key)
        return elsewhere or not page_state.holds(key) or (shown is not held and not same)

    page_state.put({key: value for key, value in values.items() if is_due(key)})


def _in_force() -> dict[str, float | None]:
    """The numbers of the promise, as boxes may hold them."""
    plan = session.current()
    limit, delta = plan.budget.epsilon, plan.budget.delta
    limit = None if math.isinf(limit) else limit
    return {"eps": limit, "delta": min(delta, promise_fields.LARGEST_DELTA), "people": plan.population}


def _field(widget: Callable, label: str, key: str, **options: object) -> None:
    """Draw the widget of one field of the promise, and beneath it why its value is not taken."""
    options["help"] = reading.told(options["help"])
    widget(reading.told(label), key=key, on_change=promise_fields.choose, args=(key,), **options)
    try:
        promise_fields.FIELDS[key](session.current(), promise_fields.chosen(key))
    except ValueError as error:
        st.error(refusals.drawn(error, typed.until(_in_force()[key]) if key in promise_fields.TYPED else ""))


def _choose_budget() -> None:
    about = "The privacy loss that the whole plan may cost. A smaller ε is a stronger promise. Empty: no limit."
    _field(st.text_input, "Budget ε", "eps", max_chars=typed.LONGEST, placeholder="no limit", help=about)
    about = "The probability with which the bound may fail, such as 1e-6. At 0 it never fails."
    _field(st.text_input, "Budget δ", "delta", max_chars=typed.LONGEST, help=about)


def _choose_promise() -> None:
    about = "Whom, or what, one unit of the promise protects: a person, a user-day, a household."
    _field(st.text_input, "Unit of privacy", "unit", max_chars=LONGEST_TEXT, placeholder="not stated", help=about)
    _field(
        st.selectbox,
        "Neighbour relation",
        "rel",
        options=tuple(RELATIONS),
        format_func=RELATIONS.__getitem__,
        help="Which two data sets the promise compares: one unit more or less, or one unit replaced. Sensitivities "
        "must be meant for the same relation.",
    )
    _choose_people()
    about = "On if later releases, or the end, depend on earlier results. Fewer theorems hold then."
    _field(st.toggle, "Chosen along the way", "adaptive", help=about)


def _choose_people() -> None:
    about = "How many units the data hold, to judge δ by. It changes no total."
    _field(st.text_input, "People in the data", "people", max_chars=typed.LONGEST, placeholder="not stated", help=about)


def open_file(name: str = "file") -> None:
    """Draw the place where a file is opened, by this name, and what is wrong with the last one."""
    key = f"{name}_{session.revision()}"
    st.file_uploader(
        "A file, CSV or JSON", type=["csv", "json"], key=key, on_change=workspace.upload, args=(key,),
        help="What a CSV does not state, such as unit or budget, stays as it is here; a JSON is the whole plan. The "
        "file stays on the machine that runs this page.",
    )  # fmt: skip
    if trouble := session.told("file"):
        st.error(refusals.drawn(trouble))


def left_out() -> str:
    """Return what stands before a page's finding: the rows of the table that it leaves out; "" where all count."""
    rows = [str(table_state.seen(place)) for place in faults_of(session.document())]
    if not rows:
        return ""
    shown = ", ".join(rows[:LISTED]) + (f" and {len(rows) - LISTED} more" if len(rows) > LISTED else "")
    return f":material/warning: **Not counted: row{'s' * (len(rows) > 1)} {shown}**; see under the table. Without that:"


def questions() -> None:
    """Ask what is still to be said of the plan."""
    if taken_over := session.told("lent"):
        st.info(words.escaped(taken_over))
    asked = session.document().questions
    if PROMISE in asked:
        _ask_promise()
    if CHANGED in asked:
        _ask_order()


def _ask_promise() -> None:
    st.warning(
        "The file does not say whom its releases protect, or what they may cost: say unit and budget in the "
        f"sidebar. Until then the totals are for one **{words.escaped(session.current().unit_in_words)}**."
    )
    st.button("It is as shown", on_click=edits.answer, args=(PROMISE,), key="as_shown")


def _ask_order() -> None:
    st.warning(
        "Something was changed after a release was done. Was the change decided before the first result was known? "
        "If it depends on results, the totals of a plan that is fixed in advance are too small."
    )
    with st.container(horizontal=True):
        st.button("Decided in advance", on_click=edits.answer, args=(CHANGED, False), key="in_advance")
        st.button("Depends on results", on_click=edits.answer, args=(CHANGED, True), key="on_results")
