"""What the page on filters asks: its sidebar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpviz.filters import FILTERS, Filter, adaptivity
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.rounding import shown_delta
from dpviz.ui.shell import inputs, learn_pages, reading, row_choice
from dpviz.ui.shell.document import promise_fields, session

VIEWS = ("The same query again and again", "Play a session", "Against a number fixed in advance")
CURRENT, TYPED = SOURCES = ("Current plan", "Typed here")
BUDGET = (1e-6, promise_fields.LARGEST_BUDGET)
MOST_K = 100_000


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
    in_words : bool
    row : int or None
        Place of the release in the current plan that is the query; None where the query is typed.
    """

    terms: Terms
    epsilon: float
    delta: float
    low: float
    high: float
    in_words: bool
    row: int | None = None


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    about = "Budget and query of the plan that you work on, or any that are typed."
    with st.sidebar:
        chosen = inputs.source("Budget and query", "fsource", SOURCES, CURRENT, TYPED, about)
        plan = session.current() if chosen == CURRENT else Plan(())
        found = _release(plan) if plan.releases else None
        with learn_pages.rest():
            budget = _budget(plan if found else Plan(()), found is not None)
            row, each = found or (None, _typed())
            or_basic = inputs.toggle(
                "Add up where that admits more",
                "orbasic",
                "Each rule also admits what Basic admits. Sound for one rule joined to Basic, as long as both share "
                "what is kept for the queries' own δ.",
            )
            with st.container() if reading.people() else st.expander("More"):
                kept, doubles = _kept(budget.delta, each.delta)
                low, high = _ends() if found is None else _around(each.epsilon)
    terms = Terms(budget.epsilon, budget.delta, or_basic, kept, doubles)
    return Question(terms, each.epsilon, each.delta, low, high, reading.people(), row)


def _release(plan: Plan) -> tuple[int, Guarantee] | None:
    """The place of the chosen release and the pair of one use of it; None, with a sentence, where it has none."""
    row = row_choice.release("The query", plan, "frow")
    pair = pair_of(plan.releases[row].mechanism, plan.budget.delta, plan.releases[row].uses)
    if pair is None:
        st.caption("At the plan's budget this release has no promise that a filter could count: see “Typed here”.")
    return pair and (row, pair)


def pair_of(mechanism: Mechanism, delta: float, uses: int) -> Guarantee | None:
    """Return the pair by which a filter counts one use: pure where it can be, else with a share of half the budget's δ.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> pair_of(Laplace.from_epsilon(0.1), 1e-6, 5).epsilon, pair_of(Gaussian(10), 1e-6, 5).delta
    (0.1, 1e-07)
    >>> from dpviz.mechanisms import ApproximateDP
    >>> pair_of(ApproximateDP(0.0, 0.1), 1e-6, 5).epsilon == inputs.EPSILON[0]
    True
    """
    for share in (0.0, delta / 2 / max(uses, 1)):
        epsilon = mechanism.epsilon(share)
        if math.isfinite(epsilon):
            return Guarantee(max(epsilon, inputs.EPSILON[0]), share)
    stated = mechanism.stated
    return stated and Guarantee(max(stated.epsilon, inputs.EPSILON[0]), stated.delta)


def _budget(plan: Plan, given: bool) -> Guarantee:
    epsilon, delta = plan.budget.epsilon, plan.budget.delta
    if math.isinf(epsilon):
        about = "The privacy loss that all queries may cost."
        epsilon = inputs.number("Budget ε", "geps", BUDGET, 1.0, about)
    if not given:
        about = "The probability with which that bound may fail. At 0 only adding up applies."
        delta = inputs.delta("Budget δ", "gdelta", 1e-6, about)
    return Guarantee(epsilon, delta)


def _typed() -> Guarantee:
    each = inputs.epsilon("ε of one query", "epsq", 0.01, "Privacy loss of one query.")
    return Guarantee(each, inputs.delta("δ of one query", "deltaq", 0.0, "The probability with which its ε may fail."))


def _kept(delta: float, each_delta: float) -> tuple[float, bool]:
    kept = inputs.delta(
        "δ kept for the queries' own δ",
        "kept",
        None,
        "For Fully adaptive and Zero-concentrated DP; fixed in advance. Automatic: half of δ if a query has a δ, "
        "else nothing. Basic keeps all of δ, Rogers et al. keep half.",
        placeholder="automatic",
    )
    if kept is not None and kept > delta:
        st.error(reading.told(f"What is kept must be at most the δ of the budget, not {shown_delta(kept)}."))
    chosen = (delta / 2 if each_delta else 0.0) if kept is None else min(kept, delta)
    about = "As notebooks do, for Basic and Rogers et al.: sums drift, and a run may be lost. Off: exact decimals."
    return chosen, inputs.toggle("Add in doubles", "doubles", about)


def _ends() -> tuple[float, float]:
    low = inputs.epsilon("Chart from ε", "epsfrom", 0.001, "Left end of the chart.")
    high = inputs.epsilon("Chart to ε", "epsto", 1.0, "Right end of the chart.")
    if low < high:
        return low, high
    st.error("The chart must end at a larger ε than it starts from.")
    return 0.001, 1.0


def _around(epsilon: float) -> tuple[float, float]:
    return float(f"{max(epsilon / 100, inputs.EPSILON[0]):.1g}"), float(f"{10 * epsilon:.1g}")
