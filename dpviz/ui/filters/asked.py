"""What the page on filters asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.filters import FILTERS, Filter, adaptivity
from dpviz.guarantee import Guarantee
from dpviz.rounding import shown_delta
from dpviz.ui.shell import sidebar, steps, workspace

VIEWS = ("The same query again and again", "Play a session", "K and advanced composition")
BUDGET = (1e-6, workspace.LARGEST_BUDGET)
EPSILON = (1e-6, 50.0)
MOST_K = 100_000


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    terms : Terms
        What is fixed before the first query.
    epsilon, delta : float
        Of one query.
    low, high : float
        Ends of the chart's range of ε.
    """

    terms: Terms
    epsilon: float
    delta: float
    low: float
    high: float
    in_words: bool


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        budget = _epsilon_input("Budget ε", *BUDGET, 1.0, "geps", "The privacy loss that all queries may cost.")
        delta = _delta_input(
            "Budget δ", 1e-6, "gdelta", "The probability with which that bound may fail. At 0 only adding up applies."
        )
        st.caption("Both are fixed before the first query. Each query may depend on all earlier answers.")
        each = _epsilon_input("ε of one query", *EPSILON, 0.01, "epsq", "Privacy loss of one query.")
        each_delta = _delta_input("δ of one query", 0.0, "deltaq", "The probability with which its ε may fail.")
        or_basic = st.toggle(
            "Or basic",
            key="orbasic",
            bind="query-params",
            help="Each rule also admits what Basic admits. Sound for one rule joined to Basic, as long as both share "
            "what is kept for the queries' own δ.",
        )
        with st.expander("More"):
            kept, doubles, low, high = _more(delta, each_delta)
    return Question(Terms(budget, delta, or_basic, kept, doubles), each, each_delta, low, high, sidebar.reading())


def _epsilon_input(label: str, low: float, high: float, value: float, key: str, about: str) -> float:
    step = min(0.01, value)
    return st.number_input(
        label, low, high, value=value, step=step, format="%.6g", key=key, bind="query-params", help=about
    )


def _delta_input(label: str, value: float | None, key: str, about: str, **options: object) -> float | None:
    return steps.of_ten(label, key, value=value, bind="query-params", help=about, **options)


def _more(delta: float, each_delta: float) -> tuple[float, bool, float, float]:
    kept = _delta_input(
        "δ kept for the queries' own δ",
        None,
        "kept",
        "For Fully adaptive and Zero-concentrated DP; fixed in advance. Automatic: half of δ if a query has a δ, "
        "else nothing. Basic keeps all of δ, Rogers et al. keep half.",
        placeholder="automatic",
    )
    if kept is not None and kept > delta:
        st.error(f"Kept must be at most the budget's δ; got {shown_delta(kept)}.")
    chosen = (delta / 2 if each_delta else 0.0) if kept is None else min(kept, delta)
    doubles = st.toggle(
        "Add in doubles",
        key="doubles",
        bind="query-params",
        help="As notebooks do, for Basic and Rogers et al.: sums drift, and a run may be lost. Off: exact decimals.",
    )
    low = _epsilon_input("Chart from ε", *EPSILON, 0.001, "epsfrom", "Left end of the chart.")
    high = _epsilon_input("Chart to ε", *EPSILON, 1.0, "epsto", "Right end of the chart.")
    if low >= high:
        st.error("The chart must end at a larger ε than it starts from.")
        low, high = 0.001, 1.0
    return chosen, doubles, low, high


@dataclass(frozen=True)
class Terms:
    """What is fixed before the first query.

    Parameters
    ----------
    epsilon, delta : float
        The budget.
    or_basic : bool
    kept : float
        The part of δ for Σδ_i, where the rule leaves it open.
    doubles : bool
        Whether basic and Rogers' rule add in double precision.
    """

    epsilon: float
    delta: float
    or_basic: bool = False
    kept: float = 0.0
    doubles: bool = False

    @property
    def budget(self) -> Guarantee:
        """The budget as a guarantee."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def arithmetic(self) -> str:
        """The name that `Filter` gives it."""
        return "float64" if self.doubles else "decimal"

    def filters(self) -> dict[str, Filter]:
        """Return an unused filter per rule."""
        make = adaptivity.filter_of
        return {rule.key: make(rule.key, self.budget, self.or_basic, self.kept, self.arithmetic) for rule in FILTERS}
