"""What the workbench asks: which columns, which panel, which picture, and which release is looked at."""

from __future__ import annotations

import streamlit as st

from dpviz.plan import Plan
from dpviz.ui.shell import inputs, row_choice, shell

TABS = COSTS, ACCURATE, WHEN, LEARNED = ("What costs what", "How accurate", "When", "What an attacker learns")
PANELS = RELEASE, FIT, VERSUS = ("Add, edit or remove", "Fit to budget", shell.VERSUS)
SETS = {
    "promise": ("name", "kind", "mechanism", "noise", "sensitivity", "count", "cadence", "share", "error"),
    "accuracy": ("name", "kind", "noise", "error", "typical", "answer_unit", "weight", "share"),
    "dates": ("name", "count", "cadence", "start", "end", "uses", "done", "share"),
}
WITH_SYMBOLS = ("mechanism", "noise", "sensitivity")  # columns that people do not read
AS_ENTERED = "An answer about this plan is not counted yet: this is about the releases as they are entered."
FIRST_READ = ("name", "error", "share")  # and those that they read first, where they are shown


def columns() -> tuple[str, ...]:
    """Draw the switch between the sets of columns of the table, and return those of the chosen one."""
    st.caption("Columns", width="content")
    chosen = inputs.switch("Columns", "columns", tuple(SETS), label_visibility="collapsed")
    return SETS[chosen]


def panel() -> str | None:
    """Draw the names of the panels, and return the one that is open; None where none is."""
    return st.pills("Panels", PANELS, key="panel", bind="query-params", label_visibility="collapsed")


def chosen_row(plan: Plan) -> int:
    """Return the release (from 0) that is looked at; a number, since names do not belong in an address."""
    return row_choice.place(row_choice.names(plan), "look")
