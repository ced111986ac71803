"""What the page on filters asks: its sidebar."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.filters import FILTERS, Filter, adaptivity
from dpviz.guarantee import Guarantee
from dpviz.rounding import shown_delta
from dpviz.ui.shell import inputs, reading, workspace

VIEWS = ("The same query again and again", "Play a session", "K and advanced composition")
BUDGET = (1e-6, workspace.LARGEST_BUDGET)
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
        budget = inputs.number("Budget ε", "geps", BUDGET, 1.0, 0.01, "The privacy loss that all queries may cost.")
        delta = inputs.delta(
            "Budget δ", "gdelta", 1e-6, "The probability with which that bound may fail. At 0 only adding up applies."
        )
        st.caption("Both are fixed before the first query. Each query may depend on all earlier answers.")
        each = inputs.epsilon("ε of one query", "epsq", 0.01, "Privacy loss of one query.", step=0.01)
        each_delta = inputs.delta("δ of one query", "deltaq", 0.0, "The probability with which its ε may fail.")
        or_basic = inputs.toggle(
            "Or basic",
            "orbasic",
            "Each rule also admits what Basic admits. Sound for one rule joined to Basic, as long as both share "
            "what is kept for the queries' own δ.",
        )
        with st.expander("More"):
            kept, doubles, low, high = _more(delta, each_delta)
    return Question(Terms(budget, delta, or_basic, kept, doubles), each, each_delta, low, high, reading.people())


def _more(delta: float, each_delta: float) -> tuple[float, bool, float, float]:
    kept = inputs.delta(
        "δ kept for the queries' own δ",
        "kept",
        None,
        "For Fully adaptive and Zero-concentrated DP; fixed in advance. Automatic: half of δ if a query has a δ, "
        "else nothing. Basic keeps all of δ, Rogers et al. keep half.",
        placeholder="automatic",
    )
    if kept is not None and kept > delta:
        st.error(f"Kept must be at most the budget's δ; got {shown_delta(kept)}.")
    chosen = (delta / 2 if each_delta else 0.0) if kept is None else min(kept, delta)
    about = "As notebooks do, for Basic and Rogers et al.: sums drift, and a run may be lost. Off: exact decimals."
    doubles = inputs.toggle("Add in doubles", "doubles", about)
    low = inputs.epsilon("Chart from ε", "epsfrom", 0.001, "Left end of the chart.", step=0.001)
    high = inputs.epsilon("Chart to ε", "epsto", 1.0, "Right end of the chart.", step=0.01)
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
