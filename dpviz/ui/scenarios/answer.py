"""Answers of the scenarios page that are kept, within bounds. Keys are text and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.planning import deployments, scenario
from dpviz.planning.scenario import Totals

if TYPE_CHECKING:
    import pandas


def totals(plan: Plan) -> Totals:
    """Return what a plan costs and risks, kept."""
    return _totals(plan.to_json())


@st.cache_data(max_entries=64, max_size="8MB", show_spinner=False)
def _totals(plan_json: str) -> Totals:
    return Totals.of(Plan.from_json(plan_json))


def releases(a: Plan, b: Plan) -> pandas.DataFrame:
    """Return `dpviz.planning.scenario.release_differences`, kept."""
    return _releases(a.to_json(), b.to_json())


@st.cache_data(max_entries=32, max_size="32MB", show_spinner=False)
def _releases(a_json: str, b_json: str) -> pandas.DataFrame:
    return scenario.release_differences(Plan.from_json(a_json), Plan.from_json(b_json))


def published(plan: Plan) -> pandas.DataFrame:
    """Return `dpviz.planning.deployments.published`, kept."""
    return _published(plan.unit, plan.budget.delta)


@st.cache_data(max_entries=32, max_size="8MB", show_spinner=False)
def _published(unit: str, delta: float) -> pandas.DataFrame:
    return deployments.published(replace(Plan(()), unit=unit, budget=Guarantee(0.0, delta)))
