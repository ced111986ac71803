"""Answers that are kept, within bounds.

Keys are text and numbers: Streamlit hashes nested dataclasses without their type, so that Laplace and Gaussian noise
with equal numbers would share one answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.adversary import PairLoss
from dpviz.adversary.risk import best_success
from dpviz.composition import compare
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.planning.room import Room, largest_further_epsilon, room
from dpviz.planning.schedule import UnitCost, unit_cost
from dpviz.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    import pandas


def comparison(plan: Plan, delta: float) -> pandas.DataFrame:
    """Return `dpviz.compare` of a plan, kept."""
    return _comparison(plan.to_json(), delta)


@st.cache_data(max_entries=128, max_size="32MB", show_spinner=False)
def _comparison(plan_json: str, delta: float) -> pandas.DataFrame:
    return compare(Plan.from_json(plan_json), delta)


def right_guesses(plan: Plan, epsilon: float, by_filter: bool = False) -> float:
    """Return how many of 100 guesses whether one unit is in the data the best attacker gets right, at most; kept.

    Parameters
    ----------
    plan : Plan
    epsilon : float
        What the plan is proved to cost at its budget's δ.
    by_filter : bool
        Whether a filter proves it, so that its budget is all that is promised.
    """
    return _right_guesses(plan.to_json(), epsilon, by_filter)


@st.cache_data(max_entries=256, max_size="4MB", show_spinner=False)
def _right_guesses(plan_json: str, epsilon: float, by_filter: bool) -> float:
    plan = Plan.from_json(plan_json)
    # What is chosen along the way is bounded by its pair alone; a fixed plan by its own privacy loss.
    pair = PairLoss(Guarantee(epsilon, plan.budget.delta))
    losses = (pair,) if by_filter or plan.adaptive else (pair, PrivacyLoss.of(plan, accuracy=1e-4))
    return 100 * min(map(best_success, losses))


def further_epsilon(plan: Plan) -> float:
    """Return the largest ε of one further pure release, kept; 0 where next to nothing is left."""
    return _further_epsilon(plan.to_json())


SHOWN_DIGITS = 3


@st.cache_data(max_entries=128, max_size="4MB", show_spinner=False)
def _further_epsilon(plan_json: str) -> float:
    return largest_further_epsilon(Plan.from_json(plan_json), SHOWN_DIGITS)


def further(plan: Plan, row: int) -> Room:
    """Return how many more uses of the plan's release number `row` (from 0) fit, and by what, kept."""
    return _further(plan.to_json(), row)


@st.cache_data(max_entries=256, max_size="4MB", show_spinner=False)
def _further(plan_json: str, row: int) -> Room:
    plan = Plan.from_json(plan_json)
    return room(plan, plan.releases[row])


def largest_count(plan: Plan, row: int) -> int:
    """Return how often release number `row` may be used in all so that the plan fits, kept; 0 where it never does."""
    return _largest_count(plan.to_json(), row)


@st.cache_data(max_entries=256, max_size="4MB", show_spinner=False)
def _largest_count(plan_json: str, row: int) -> int:
    plan = Plan.from_json(plan_json)
    others = (*plan.releases[:row], *plan.releases[row + 1 :])
    return room(replace(plan, releases=others), plan.releases[row]).count


@st.cache_data(max_entries=64, max_size="8MB", show_spinner=False)
def one_unit(plan_json: str) -> UnitCost | None:
    """Return `dpviz.planning.schedule.unit_cost` of a plan."""
    return unit_cost(Plan.from_json(plan_json))
