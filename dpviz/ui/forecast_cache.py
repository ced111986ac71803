"""Answers of the forecast page that are kept, within bounds. Keys are text and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpviz.advice import Finding, checks, delta_lever, left_out, levers
from dpviz.plan import Plan
from dpviz.plan_filters import plan_verdicts
from dpviz.schedule import UnitCost, forecast, refusals, unit_cost, windows

if TYPE_CHECKING:
    import pandas


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def lifetime(plan_json: str) -> pandas.DataFrame:
    """Return `dpviz.schedule.forecast` of a plan."""
    return forecast(Plan.from_json(plan_json))


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def alone(plan_json: str, window: str) -> pandas.DataFrame:
    """Return `dpviz.schedule.windows` of a plan."""
    return windows(Plan.from_json(plan_json), window)


@st.cache_data(max_entries=64, max_size="4MB", show_spinner=False)
def refused(plan_json: str) -> pandas.DataFrame:
    """Return `dpviz.schedule.refusals` of a plan."""
    return refusals(Plan.from_json(plan_json))


@st.cache_data(max_entries=64, max_size="8MB", show_spinner=False)
def one_unit(plan_json: str) -> UnitCost | None:
    """Return `dpviz.schedule.unit_cost` of a plan."""
    return unit_cost(Plan.from_json(plan_json))


@st.cache_data(max_entries=64, max_size="4MB", show_spinner=False)
def verdicts(plan_json: str) -> pandas.DataFrame:
    """Return `dpviz.plan_filters.plan_verdicts` of a plan."""
    return plan_verdicts(Plan.from_json(plan_json))


@st.cache_data(max_entries=32, max_size="8MB", show_spinner=False)
def moved(plan_json: str, change: float) -> tuple[pandas.DataFrame, str]:
    """Return `dpviz.advice.levers` of a plan, and which were left out."""
    plan = Plan.from_json(plan_json)
    return levers(plan, change), left_out(plan)


@st.cache_data(max_entries=32, max_size="4MB", show_spinner=False)
def moved_delta(plan_json: str) -> pandas.DataFrame:
    """Return `dpviz.advice.delta_lever` of a plan."""
    return delta_lever(Plan.from_json(plan_json))


@st.cache_data(max_entries=64, max_size="4MB", show_spinner=False)
def found(plan_json: str, batches: str | None, parts_disjoint: bool | None) -> tuple[Finding, ...]:
    """Return `dpviz.advice.checks` of a plan."""
    return checks(Plan.from_json(plan_json), batches=batches, parts_disjoint=parts_disjoint)
