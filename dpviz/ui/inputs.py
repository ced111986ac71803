"""The sidebar: what a visitor chooses, as values; and the current plan, which lives here across pages and reruns.

`st.session_state` holds the plan as JSON text ("plan"), the plan as it was opened ("opened"), the example it came
from ("held"), the table as typed ("draft"), what undo returns to ("past"), and a number that a new table gets
("revision").
"""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from dpviz.guarantee import Guarantee
from dpviz.plan import LONGEST_TEXT, RELATIONS, Plan
from dpviz.plan_problems import PlanFileError
from dpviz.ui import examples, plan_rows, shell, words

LONGEST_PAST = 20
LARGEST_BUDGET = 1000.0  # what can be typed; a file may set more
LARGEST_DELTA = 0.5
KEYS = ("example", "eps", "delta", "unit", "rel", "adaptive")
OPTIONS = (*examples.BY_KEY, examples.OWN)


def current() -> Plan:
    """Return the current plan; the first time, the example that the URL names."""
    if "plan" not in st.session_state:
        named = st.query_params.get("example", "")
        st.session_state["held"] = named if named in OPTIONS else OPTIONS[0]
        _hold(examples.plan_of(st.session_state["held"]))
    return Plan.from_json(st.session_state["plan"])


def keep(plan: Plan) -> Plan:
    """Make `plan` the current one and return it."""
    st.session_state["plan"] = plan.to_json()
    return plan


def _hold(plan: Plan) -> None:
    """Show `plan` as opened, in a new table."""
    st.session_state["plan"] = st.session_state["opened"] = plan.to_json()
    st.session_state["draft"] = plan_rows.rows_of(plan)
    st.session_state["revision"] = st.session_state.get("revision", -1) + 1
    st.session_state.setdefault("past", [])
    st.session_state.pop("trouble", None)


def remember() -> None:
    """Note the present state, so that undo returns to it."""
    state = {name: st.session_state[name] for name in ("plan", "opened", "draft")}
    state["example"] = st.session_state["held"]
    st.session_state["past"] = [*st.session_state["past"], state][-LONGEST_PAST:]


def open_plan(plan: Plan, example: str = examples.OWN) -> None:
    """Replace the current plan and what the sidebar shows; for callbacks."""
    remember()
    _hold(plan)
    _show(plan, example)


def _show(plan: Plan, example: str) -> None:
    """Put the fields of a plan into the sidebar's widgets, before they are drawn."""
    st.session_state["held"] = example
    limit = plan.budget.epsilon
    st.session_state["example"] = example
    st.session_state["eps"] = None if math.isinf(limit) else limit
    st.session_state["delta"] = min(plan.budget.delta, LARGEST_DELTA)
    st.session_state["unit"] = plan.unit
    st.session_state["rel"] = plan.neighbours
    st.session_state["adaptive"] = plan.adaptive


@shell.guarded
def open_example(key: str) -> None:
    """Open an example; a callback."""
    open_plan(examples.plan_of(key), key)


@shell.guarded
def _open_chosen() -> None:
    open_plan(examples.plan_of(st.session_state["example"]), st.session_state["example"])


@shell.guarded
def undo() -> None:
    """Return to the state before the last change of the table or opening of a plan; a callback."""
    if not st.session_state["past"]:
        return
    *st.session_state["past"], state = st.session_state["past"]
    # What also changed the plan it is compared with (scenarios) brings that back, and the sidebar with it.
    opened_another = state["opened"] != st.session_state["opened"] or "plan_a" in state
    st.session_state.update({name: state[name] for name in ("plan", "opened", "draft", "plan_a") if name in state})
    st.session_state["revision"] += 1
    st.session_state.pop("trouble", None)
    if opened_another:
        _show(Plan.from_json(state["plan"]), state["example"])


@shell.guarded
def reopen() -> None:
    """Return to the plan as it was opened; a callback."""
    open_plan(Plan.from_json(st.session_state["opened"]), st.session_state["held"])


@shell.guarded
def set_budget(epsilon: float) -> None:
    """Change ε of the budget; a callback."""
    st.session_state["eps"] = epsilon


@shell.guarded
def replace_releases(plan: Plan) -> None:
    """Put the releases of `plan` into the table, so that undo takes them back; a callback."""
    remember()
    st.session_state["plan"] = replace(current(), releases=plan.releases).to_json()
    st.session_state["draft"] = plan_rows.rows_of(plan)
    st.session_state["revision"] += 1


@shell.guarded
def upload(key: str) -> None:
    """Open the uploaded file, or say what is wrong with it and leave the plan as it is; a callback."""
    file = st.session_state.get(key)
    if file is None:
        st.session_state.pop("trouble", None)
        return
    try:
        plan = Plan.read(file)
        if file.name.lower().endswith(".csv"):  # knows releases only: budget, unit and relation stay
            plan = replace(current(), releases=plan.releases, adaptive=plan.adaptive or current().adaptive)
    except (PlanFileError, ValueError) as error:
        st.session_state["trouble"] = str(error)
        return
    open_plan(plan)


def plan(folded: bool = False) -> Plan:
    """Draw the sidebar and return the current plan with what it says.

    Parameters
    ----------
    folded : bool
        Whether the promise is folded away, on pages that ask much else.
    """
    held = current()
    with st.sidebar:
        _choose_example()
        held = _choose_budget(held)
        with st.expander("Unit, relation, order") if folded else st.container():
            held = _choose_promise(held)
        _choose_file()
        _choose_reading()
    return keep(held)


def reading() -> bool:
    """Draw the switch between words and symbols, for pages without the plan's sidebar; say whether words are read."""
    with st.sidebar:
        _choose_reading()
    return in_words()


def in_words() -> bool:
    """Say whether the visitor reads words rather than symbols."""
    return st.session_state.get("read") == "words"


def opened() -> Plan:
    """Return the plan as it was opened."""
    return Plan.from_json(st.session_state["opened"])


def _choose_example() -> None:
    # The browser's Back changes the address without a choice: the box follows the plan that is held.
    if st.session_state.get("example", st.session_state["held"]) != st.session_state["held"]:
        st.session_state["example"] = st.session_state["held"]
    st.selectbox(
        "Plan",
        OPTIONS,
        key="example",
        bind="query-params",
        on_change=_open_chosen,
        help="An example, or an empty plan of your own.",
    )
    if example := examples.BY_KEY.get(st.session_state["example"]):
        st.caption(words.escaped(example.about))


def _choose_budget(held: Plan) -> Plan:
    before = opened().budget
    given = None if math.isinf(before.epsilon) else before.epsilon
    limit = st.number_input(
        "Budget ε",
        min_value=0.0,
        max_value=max(LARGEST_BUDGET, given or 0.0),
        value=given,
        step=0.1,
        format="%.6g",
        key="eps",
        bind="query-params",
        placeholder="no limit",
        help="The privacy loss that the whole plan may cost. A smaller ε is a stronger promise.",
    )
    delta = st.number_input(
        "Budget δ",
        min_value=0.0,
        max_value=LARGEST_DELTA,
        value=min(before.delta, LARGEST_DELTA),
        step=1e-6,
        format="%e",
        key="delta",
        bind="query-params",
        help="The probability with which the bound may fail, such as 1e-6. At 0 it never fails.",
    )
    return _applied(held, budget=Guarantee(math.inf if limit is None else limit, delta))


def _choose_promise(held: Plan) -> Plan:
    before = opened()
    unit = st.text_input(
        "Unit of privacy",
        value=before.unit,
        max_chars=LONGEST_TEXT,
        key="unit",
        bind="query-params",
        help="Whom, or what, one unit of the promise protects: a person, a user-day, a household.",
    )
    held = _applied(held, unit=unit)
    if unit != before.unit and held.releases == before.releases and held.releases:
        st.caption(f"Only the word has changed: the counts still say what one {words.escaped(before.unit)} meets.")
    relation = st.selectbox(
        "Neighbour relation",
        RELATIONS,
        index=RELATIONS.index(before.neighbours),
        key="rel",
        bind="query-params",
        help="Which two data sets the promise compares: one unit more or less, or one unit replaced. Sensitivities "
        "must be meant for the same relation.",
    )
    # A plan that leaves the relation to its mechanisms keeps doing so until another one is chosen.
    held = _applied(held, relation=before.relation if relation == before.neighbours else relation)
    adaptive = st.toggle(
        "Chosen along the way",
        value=before.adaptive,
        key="adaptive",
        bind="query-params",
        help="On if later releases, or the end, depend on earlier results. Fewer theorems hold then.",
    )
    return _applied(held, adaptive=adaptive)


def _applied(held: Plan, **changes: object) -> Plan:
    """The plan with these fields; unchanged, with a sentence under the widget, where they are not allowed."""
    try:
        return replace(held, **changes)
    except ValueError as error:
        st.error(words.escaped(str(error)))
        return held


def _choose_file() -> None:
    with st.expander("Open a file"):
        key = f"file_{st.session_state['revision']}"
        st.file_uploader(
            "CSV or JSON", type=["csv", "json"], key=key, on_change=upload, args=(key,), label_visibility="collapsed"
        )
        st.caption("A CSV holds releases; a JSON the whole plan. It stays on the machine that runs this page.")
        if trouble := st.session_state.get("trouble"):
            first, *rest = trouble.splitlines()
            st.error("\n".join([words.escaped(first), *(f"- {words.escaped(line)}" for line in rest)]))


def _choose_reading() -> None:
    # Each page has its own switch: what one was set to is handed to the next.
    if "reading" in st.session_state:
        st.session_state["read"] = st.session_state["reading"]
    st.segmented_control(
        "Read in",
        ("symbols", "words"),
        default="symbols",
        required=True,
        key="read",
        bind="query-params",
        on_change=_keep_reading,
    )
    _keep_reading()


def _keep_reading() -> None:
    st.session_state["reading"] = st.session_state["read"]
