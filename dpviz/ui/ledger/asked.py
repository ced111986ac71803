"""What the page of ledgers asks: whose ledger, which of its budgets, and what is to be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.store import Budget
from dpviz.ui.shell import inputs, page_state
from dpviz.ui.shell.document import saving

if TYPE_CHECKING:
    from dpviz.store import Database, Project

LENGTHS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))  # in which a window is told, and its seconds
EXAMPLE = "An example, which nobody saved"


@dataclass(frozen=True)
class Question:
    """Whose ledger is asked for.

    Parameters
    ----------
    project : Project or None
        None for the example.
    person : str
        Who asks.
    why_not : str
        Why no ledger can be kept here; "" where one can be.
    """

    project: Project | None
    person: str
    why_not: str

    @property
    def own(self) -> bool:
        """Whether it is a ledger that is kept, and no example."""
        return self.project is not None


def question() -> Question:
    """Draw which ledger is shown."""
    reason = saving.why_not()
    person = "" if reason else saving.person()
    projects: tuple[Project, ...] = () if reason else saving.database().projects(person).list()
    names = {each.name: each for each in projects}
    about = "The projects that you are a member of; each has one ledger."
    with st.sidebar:
        chosen = inputs.choice("Ledger", "ledger", (*names, EXAMPLE), about)
    return Question(names.get(chosen), person, reason)


def database() -> Database:
    """Return where ledgers are kept."""
    return saving.database()


def budget(budgets: tuple[Budget, ...]) -> Budget | None:
    """Draw which budget is shown, and return it; None where there is none yet."""
    if not budgets:
        return None
    named = {label(each): each for each in budgets}
    about = "Each budget has a key and a period; what touches several of them is charged to all."
    with st.sidebar:
        chosen = inputs.choice("Budget", "ledgerbudget", tuple(named), about)
    return named.get(chosen, budgets[0])


def label(budget: Budget) -> str:
    """Return what a budget is called: its key, its period, its number where one needs it."""
    return f"{budget.key} ({period(budget)})"


def period(budget: Budget) -> str:
    """Return the period of a budget in words.

    Examples
    --------
    >>> from dpviz.store import Key, Term
    >>> period(Budget(Key("census", "person"), 1.0)), period(Budget(Key("x", "y"), 1.0, term=Term.rolling(86_400)))
    ('for life', 'any day')
    >>> period(Budget(Key("x", "y"), 1.0, term=Term.rolling(600)))
    'any 10 minutes'
    """
    term = budget.term
    noun, one = next((noun, one) for noun, one in LENGTHS if not term.seconds % one)
    number = term.seconds // one
    length = noun if number == 1 else f"{number:,} {noun}s"
    said = {"lifetime": "for life", "calendar": f"each calendar {term.calendar}", "rolling": f"any {length}"}
    return said.get(term.kind, f"every {length}")


def show(project: str) -> None:
    """Let the page show this project; before it is drawn, or in a callback."""
    page_state.put({"ledger": project})
