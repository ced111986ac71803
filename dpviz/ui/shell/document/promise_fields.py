"""The fields of a plan's promise, as its sentence and the addresses of former versions name them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from dpviz.guarantee import Guarantee
from dpviz.parameters import POPULATION
from dpviz.plan import Plan
from dpviz.plan.release import checked_text
from dpviz.ui.shell import page_state, refusals, shell, typed
from dpviz.ui.shell.document import session
from dpviz.ui.shell.document.rows import rows_of, with_rows

LARGEST_BUDGET, LARGEST_DELTA = 1000.0, 0.5  # what can be typed; a file may set more


def with_epsilon(plan: Plan, limit: float | None) -> Plan:
    """Return the plan with another ε of its budget; None sets no limit."""
    return replace(plan, budget=Guarantee(math.inf if limit is None else limit, plan.budget.delta))


def with_delta(plan: Plan, delta: float) -> Plan:
    """Return the plan with another δ of its budget; whether that is accepted nobody has said yet."""
    return _asked_anew(replace(plan, budget=Guarantee(plan.budget.epsilon, delta)))


def with_people(plan: Plan, people: int | None) -> Plan:
    """Return the plan with so many people in the data, for whom nobody has accepted its δ yet."""
    return _asked_anew(replace(plan, population=people))


def _asked_anew(plan: Plan) -> Plan:
    return replace(plan, answers=plan.answers and replace(plan.answers, delta_accepted=None))


def with_unit(plan: Plan, unit: str) -> Plan:
    """Return the plan with a unit that is named: what holds no letter, such as 6, was meant for another box."""
    if unit.strip() and not any(map(str.isalpha, unit)):
        raise ValueError(f"unit must be a word, such as person or person-year; got {unit!r}")
    return replace(plan, unit=unit)


def with_relation(plan: Plan, relation: str | None) -> Plan:
    """Return the plan under the relation that is chosen, which is stated then; None leaves it as it is."""
    return plan if relation is None else replace(plan, relation=relation)


FIELDS: dict[str, Callable[[Plan, object], Plan]] = {
    "eps": with_epsilon,
    "delta": with_delta,
    "unit": with_unit,
    "rel": with_relation,
    "people": with_people,
    "adaptive": lambda plan, adaptive: replace(plan, adaptive=adaptive),
}
# What is typed, or said by an address, in the place of a number; "" where that may be.
TYPED: dict[str, Callable[[str], float | None]] = {
    "eps": lambda text: typed.decimal(text, "Budget ε", (0, _largest_budget())) if text.strip() else None,
    "delta": lambda text: typed.probability(text, "Budget δ", (0, LARGEST_DELTA)),
    "people": lambda text: typed.within(text, "People in the data", _PEOPLE, whole=True) if text.strip() else None,
}
_PEOPLE = int(POPULATION.low), int(POPULATION.high)
_READ = TYPED | {
    "unit": partial(checked_text, "unit"),
    "adaptive": {"true": True, "false": False}.__getitem__,
}


def _largest_budget() -> float:
    given = session.current().budget.epsilon
    return max(LARGEST_BUDGET, given if math.isfinite(given) else 0.0)


def chosen(key: str) -> object:
    """Return what the widget of a field holds; a ValueError says why that is no number."""
    held = page_state.held(key)
    return TYPED[key](held) if key in TYPED else held


def shown(key: str, value: float | None) -> str:
    """Return how the box of a field shows its number."""
    if key == "people" and value is not None:
        return f"{value:,}"
    return typed.odds(value) if key == "delta" else typed.shown(value)


@shell.guarded
def choose(key: str) -> None:
    """Take a field from its widget; a value that is not allowed changes nothing. A callback."""
    if page_state.late(key):
        return
    session.tell("refused", "")
    try:
        value = chosen(key)
        plan = FIELDS[key](session.current(), value)
    except ValueError as error:
        if key == "rel":  # a list shows what is in force; what was typed stays, and that is said beneath its box
            page_state.put({key: session.current().relation})
            session.tell("refused", refusals.demanded(error))
        return
    if key in TYPED:
        page_state.put({key: shown(key, value)})
    if plan != session.current():
        new = session.document().edited(plan)
        # Rows that contradicted the former promise may make sense under the new one.
        # Noise that is told by the sensitivity, such as a ρ, is another one then: its cells show what it is.
        session.change(with_rows(new, rows_of(new)) if new.uncounted else new, redraw=key == "rel")


def take_in() -> None:
    """Apply what an address of a former version says of the promise, and take it out of there."""
    for key in [each for each in FIELDS if each in st.query_params]:
        text = st.query_params[key]
        del st.query_params[key]
        if session.document() is None:
            continue
        try:
            plan = FIELDS[key](session.current(), _READ.get(key, str)(text))
        except (ValueError, KeyError):
            continue
        if plan != session.current():
            session.change(session.document().edited(plan))
