"""The forms of a ledger that open a budget: the first one of a key, or that of its next period."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dpviz.filters import FILTERS
from dpviz.parameters import DELTA
from dpviz.plan import RELATIONS
from dpviz.records import record_named
from dpviz.store import Budget, Entry, Key, Term
from dpviz.store.budgets import BUDGET_EPSILON, KEY, RULES
from dpviz.store.terms import LIFETIME, ROLLING
from dpviz.ui.ledger import words as told
from dpviz.ui.ledger.answer import Shown
from dpviz.ui.ledger.asked import Question, label, period
from dpviz.ui.shell import page_state, reading, typed
from dpviz.ui.shell.document import session
from dpviz.ui.shell.typed import within

if TYPE_CHECKING:
    from dpviz.store import Ledger

DAY = 86_400
ANYBODY = "person"  # the unit of privacy where the plan names none
WHOLE = "nothing: it is a budget of its own"
TERMS = (
    Term(), *(Term.of_calendar(each) for each in ("year", "quarter", "month", "week", "day")),
    *(Term.rolling(days * DAY) for days in (365, 30, 1)), Term.rolling(3600),
)  # fmt: skip
LABELLED = {record_named(FILTERS, each).label: each for each in RULES}
NEIGHBOURS = {label: key for key, label in RELATIONS.items()}
Chosen = TypeVar("Chosen")
USUAL_EPSILON, USUAL_DELTA = 1.0, 1e-6  # where the plan that is worked on names none
ABOUT_NEXT = (
    "A new period is a new budget of another epoch, with the lifetime total beside it: nothing is ever reset to zero, "
    "and whoever is in the data of both loses what both promise."
)


def opened(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry]:
    """Draw the terms of a new budget, and return what opens it."""
    parents = {WHOLE: None} | {label(each): each for each in ledger.budgets if each.rule == "basic"}
    left, right = st.columns(2)
    with left:
        _whose()
    with right:
        plan = session.current().budget
        _amount(*_first(plan.epsilon, plan.delta))
        offered, proposed = _periods(session.current().unit or ANYBODY)
        about = (
            "Of the calendar, or any stretch of that length, wherever it begins. Proposed is the one that the plan's "
            "unit names, such as the calendar year of a person-year."
        )
        choose("Period", "ledger_term", offered, about, [*offered.values()].index(proposed))
        about = "By which filter what is chosen along the way is admitted or refused."
        choose("Rule", "ledger_rule", LABELLED, about)
        about = "Of a budget that counts by the basic rule, which is charged the whole of it: as 5 become 2 and 3."
        choose("Shared out of", "ledger_parent", parents, about)

    def do(ledger: Ledger) -> Entry:
        key = Key(*(str(page_state.held(f"ledger_{name}") or "").strip() for name in KEY))
        terms = {"term": picked("ledger_term", offered), "rule": picked("ledger_rule", LABELLED)}
        relation = picked("ledger_relation", NEIGHBOURS)
        terms |= {"relation": relation, "parent": picked("ledger_parent", parents)}
        return ledger.open_budget(key, *_typed(), reference=f"budget of {key} {terms['term']}"[:80], **terms)

    return do


def _periods(unit: str) -> tuple[dict[str, Term], Term]:
    """The periods that are offered, by what they are called, and the one that is proposed for a unit of privacy.

    Examples
    --------
    >>> [_periods(unit)[1].calendar for unit in ("person-year", "user-day", "person and 2 weeks", "person")]
    ['year', 'day', '2-week period', '']
    """
    proposed = Term.of_unit(unit)
    terms = dict.fromkeys((*TERMS, proposed))
    return {period(Budget(Key("any", "any"), 1.0, term=each)): each for each in terms}, proposed


def _whose() -> None:
    """Draw what the budget is of, as the plan that is worked on has it at first."""
    plan = session.current()
    about = "Whatever is protected, such as the data of one survey."
    st.text_input("Data set", "Data", 80, key="ledger_data", help=about)
    about = "Whose part of the data is protected, as the plans name it."
    st.text_input("Unit of privacy", plan.unit or ANYBODY, 80, key="ledger_unit", help=about)
    st.text_input("Epoch", "", 80, key="ledger_epoch", help="Which part of time, such as 2026; may be empty.")
    st.text_input("Purpose", "", 80, key="ledger_purpose", help="What it may be used for; may be empty.")
    st.text_input("Holder", "", 80, key="ledger_holder", help="In whose hands, such as team A; may be empty.")
    first = [*NEIGHBOURS.values()].index(plan.neighbours)
    choose("Neighbour relation", "ledger_relation", NEIGHBOURS, "Between which data all charges must hold.", first)


def choose(label: str, key: str, options: Mapping[str, object], about: str, first: int | None = 0) -> None:
    """Draw a list whose choices keep their names while a ledger grows; None chooses nothing at first."""
    st.selectbox(label, list(options), first, key=key, help=about, placeholder="choose one")


def picked(key: str, options: Mapping[str, Chosen]) -> Chosen:
    """Return what was chosen.

    Raises
    ------
    ValueError
        When it is not offered any more.
    """
    held = page_state.held(key)
    if held is None:
        raise ValueError("what is meant must be chosen first")
    if held not in options:
        raise ValueError("what is meant must be chosen anew, since it is not offered any more")
    return options[held]


def _first(epsilon: float, delta: float) -> tuple[float, float]:
    """The amount that stands in the boxes at first: that of the plan, if it is one that a budget may have."""
    usual = epsilon if 0 < epsilon <= BUDGET_EPSILON.high else USUAL_EPSILON
    return usual, delta if 0 < delta < 1 else USUAL_DELTA


def _amount(epsilon: float, delta: float) -> None:
    about = "What all that is charged in one period may lose."
    st.text_input(reading.told("ε of the budget"), typed.shown(epsilon), key="ledger_total", help=about)
    st.text_input(reading.told("δ of the budget"), typed.shown(delta), key="ledger_total_delta", help="Of all of it.")


def _typed() -> tuple[float, float]:
    """The amount that the boxes hold."""
    epsilon = within(str(page_state.held("ledger_total") or ""), "ε", (1e-6, BUDGET_EPSILON.high))
    return epsilon, within(str(page_state.held("ledger_total_delta") or ""), "δ", (0, DELTA.high))


def next_period(asked: Question, ledger: Shown, budget: Budget | None) -> Callable[[Ledger], Entry] | None:
    """Draw the epoch and amount of the next period, and return what opens it; a period that renews itself has none."""
    standing = ledger.standing(budget)
    if budget.term.kind != LIFETIME:
        begins = f"the next one begins by itself on {told.day(budget.term.end(ledger.now) + 1)}"
        begins = "which moves on by itself" if budget.term.kind == ROLLING else begins
        st.markdown(f"The amount is for {period(budget)}; {begins}. What was lost before stays lost.")
        return None
    st.text_input("Epoch", following(budget.key.epoch), 80, key="ledger_next", help="Of the next period, such as 2027.")
    _amount(budget.epsilon, budget.delta)
    total = reading.told(f"ε = {told.shown_up(standing.lifetime_epsilon + budget.epsilon)}")
    st.caption(f"With the same amount, all epochs so far may cost somebody at most {total} once it is used up.")

    def do(ledger: Ledger) -> Entry:
        key = Key(budget.key.data, budget.key.unit, str(page_state.held("ledger_next") or "").strip(),
                  budget.key.purpose, budget.key.holder)  # fmt: skip
        told = {"rule": budget.rule, "term": budget.term, "relation": budget.relation}
        return ledger.open_budget(key, *_typed(), reference=f"budget of {key}"[:80], **told)

    return do


def following(epoch: str) -> str:
    """Return the epoch after this one, where it ends in a number.

    Examples
    --------
    >>> following("2026"), following("wave 9"), following("")
    ('2027', 'wave 10', '2')
    """
    counted = re.sub(r"\d+$", lambda found: str(int(found[0]) + 1), epoch)
    return f"{epoch} 2".strip() if counted == epoch else counted
