"""Answers of the budget page that are kept, within bounds. Keys are text and numbers: see `dpviz.ui.cache`."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import pandas as pd
import streamlit as st

from dpviz import budgeting, spend
from dpviz.accuracy import half_width, joint_confidence, why_no_noise
from dpviz.budgeting import Solution
from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.noise_levels import Adjustable
from dpviz.plan import Plan
from dpviz.ui import cache

STEPS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0)  # budgets drawn, as multiples of the present one
LEAST, MOST = 1e-6, 1000.0


def solution(plan: Plan, split: str, kept: tuple[int, ...]) -> Solution:
    """Return `dpviz.budgeting.solve_noise`, kept; a refusal becomes a solution without a plan."""
    return _solution(plan.to_json(), split, kept)


@st.cache_data(max_entries=128, max_size="32MB", show_spinner=False)
def _solution(plan_json: str, split: str, kept: tuple[int, ...]) -> Solution:
    try:
        return budgeting.solve_noise(Plan.from_json(plan_json), split, kept)
    except ValueError as error:
        return Solution(None, str(error))


def adaptive_cost(plan: Plan, split: str, kept: tuple[int, ...]) -> float | None:
    """Return `dpviz.budgeting.adaptive_cost`, kept."""
    return _adaptive_cost(plan.to_json(), split, kept)


@st.cache_data(max_entries=128, max_size="4MB", show_spinner=False)
def _adaptive_cost(plan_json: str, split: str, kept: tuple[int, ...]) -> float | None:
    return budgeting.adaptive_cost(Plan.from_json(plan_json), split, kept)


def least_epsilon(
    plan: Plan, width: float, confidence: float, jointly: bool, kept: tuple[int, ...], single: bool = False
) -> pd.DataFrame:
    """Return `dpviz.budgeting.least_epsilon`, kept; its plans as JSON text, "" where there is none."""
    return _least_epsilon(plan.to_json(), width, confidence, jointly, kept, single)


@st.cache_data(max_entries=128, max_size="32MB", show_spinner=False)
def _least_epsilon(
    plan_json: str, width: float, confidence: float, jointly: bool, kept: tuple[int, ...], single: bool
) -> pd.DataFrame:
    frame = budgeting.least_epsilon(Plan.from_json(plan_json), width, confidence, jointly, kept, single)
    return frame.assign(plan=[each.to_json() if isinstance(each, Plan) else "" for each in frame.plan])


def total(plan: Plan) -> float:
    """Return the smallest proved ε of a plan at the budget's δ, inf where there is none; kept."""
    return _total(replace(plan, budget=Guarantee(math.inf, plan.budget.delta), unit="person").to_json())


@st.cache_data(max_entries=256, max_size="4MB", show_spinner=False)
def _total(plan_json: str) -> float:
    plan = Plan.from_json(plan_json)
    return compose(plan, plan.budget.delta).epsilon if plan.budget.delta < 1 else math.inf


def spends(plan: Plan) -> tuple[float, ...]:
    """Return `dpviz.spend.alone` at the budget's δ, kept."""
    # What the budget allows and whom it protects do not matter: an edit of them keeps the answer.
    return _spends(replace(plan, budget=Guarantee(math.inf, plan.budget.delta), unit="person").to_json())


@st.cache_data(max_entries=256, max_size="8MB", show_spinner=False)
def _spends(plan_json: str) -> tuple[float, ...]:
    plan = Plan.from_json(plan_json)
    if plan.budget.delta >= 1:
        return (math.inf,) * len(plan.releases)
    return tuple(spend.alone(plan, plan.budget.delta).tolist())


def each_confidence(plan: Plan, confidence: float, jointly: bool, free: Collection[int] = ()) -> float:
    """Return how sure each number must be: as asked, or so that all that are released, kept or not, lie inside at once.

    Parameters
    ----------
    plan : Plan
    confidence : float
        As asked.
    jointly : bool
    free : collection of int
        Rows (from 0) that are to get noise even if they have none yet.
    """
    if not jointly:
        return confidence
    rows = enumerate(plan.releases)
    uses = sum(each.uses for row, each in rows if row in free or not why_no_noise(each.mechanism))
    return joint_confidence(confidence, min(uses, 10**9))


def adjustable(plan: Plan, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the rows (from 0) whose noise may be changed."""
    return tuple(Adjustable.of(plan, kept).rows.tolist())


def against_budget(
    plan: Plan, split: str, kept: tuple[int, ...], row: int, confidence: float
) -> tuple[pd.DataFrame, str]:
    """Return the error of release number `row` and the risk for budgets around the present one, kept.

    Returns
    -------
    pandas.DataFrame
        One row per budget that has a solution: epsilon, half_width, correct (right guesses of 100, at most), theorem.
    str
        Why budgets are left out; "" where none is.
    """
    return _against_budget(plan.to_json(), split, kept, row, confidence)


@st.cache_data(max_entries=64, max_size="8MB", show_spinner=False)
def _against_budget(
    plan_json: str, split: str, kept: tuple[int, ...], row: int, confidence: float
) -> tuple[pd.DataFrame, str]:
    plan, rows, reason = Plan.from_json(plan_json), [], ""
    for epsilon in _budgets(plan.budget.epsilon):
        asked = replace(plan, budget=Guarantee(epsilon, plan.budget.delta))
        solved = _solution(asked.to_json(), split, kept)
        if solved.plan is None:
            reason = solved.reason
            continue
        width = half_width(solved.plan.releases[row].mechanism, confidence)
        right = cache.right_guesses(solved.plan, solved.total.epsilon, solved.by_filter)
        rows.append((epsilon, width, right, solved.label))
    return pd.DataFrame(rows, columns=["epsilon", "half_width", "correct", "theorem"]), reason


def _budgets(present: float) -> list[float]:
    """Budgets on both sides of the present one, which is among them."""
    others = (float(f"{min(max(present * step, LEAST), MOST):.3g}") for step in STEPS if step != 1)
    return sorted({*others, present})
