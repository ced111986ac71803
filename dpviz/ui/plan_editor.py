"""The table of releases, edited in place; what was typed last and makes sense is the plan."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from dpviz.cadence import KEYS as CADENCE_KEYS
from dpviz.plan import LONGEST_TEXT, Plan
from dpviz.subsampled import RELATIONS as RELATION_OF
from dpviz.ui import examples, inputs, plan_rows, words

EDITABLE_ROWS = 1000  # beyond, a browser's table is the wrong tool
LISTED = 5


def releases(plan: Plan, columns: tuple[str, ...] = plan_rows.COLUMNS, name: str = "table") -> Plan:
    """Draw the table of releases and return the plan with what it holds; the last good one where a row is wrong.

    Parameters
    ----------
    plan : Plan
        The current one.
    columns : tuple of str
        Those of `plan_rows.COLUMNS` that are shown, in this order; the others stay as they are, and rows are added
        only where the mechanism can be chosen.
    name : str
        Of the table: another one on every page.
    """
    st.header("Releases", anchor=False)
    if len(st.session_state["draft"]) > EDITABLE_ROWS:
        st.dataframe(_frame(st.session_state["draft"]), hide_index=True, alt="Table of releases")
        st.caption(f"Plans of more than {EDITABLE_ROWS:,} rows are edited in their file.")
        _buttons(plan)
        return plan
    plan = _kept(plan, _edited(columns, name))
    _buttons(plan)
    return plan


def _frame(rows: list[plan_rows.Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(plan_rows.COLUMNS), dtype="string")


def _edited(columns: tuple[str, ...], name: str) -> list[plan_rows.Row]:
    """The rows as they stand in the browser."""
    key = f"{name}_{st.session_state['revision']}"
    # While it is shown, the table keeps its own changes to what it started from: what it returns must not be fed back.
    if key not in st.session_state:
        st.session_state["base"] = _frame(st.session_state["draft"])
    try:
        edited = _editor(columns, key)
    except IndexError:  # changes of rows that this table does not have, sent by a browser that shows an older one
        st.session_state["revision"] += 1
        st.rerun()
    return edited.astype(object).where(edited.notna(), None).to_dict("records")


def _editor(columns: tuple[str, ...], key: str) -> pd.DataFrame:
    return st.data_editor(
        st.session_state["base"],
        key=key,
        num_rows="dynamic" if "mechanism" in columns else "fixed",
        hide_index=True,
        column_order=columns,
        column_config=_columns(),
        placeholder="–",
        alt="Table of releases",
    )


def _columns() -> dict[str, object]:
    return _release_columns() | _noise_columns() | _planning_columns()


def _text(label: str, column: str, help: str, width: int = 75) -> object:
    new = plan_rows.NEW_ROW.get(column)
    return st.column_config.TextColumn(label, help=help, default=new, max_chars=40, alignment="right", width=width)


def _release_columns() -> dict[str, object]:
    config, new = st.column_config, plan_rows.NEW_ROW
    return {
        "name": config.TextColumn(
            "Release", default=new["name"], max_chars=LONGEST_TEXT, required=True, width="medium", pinned=True
        ),
        "mechanism": config.SelectboxColumn(
            "Mechanism", options=list(plan_rows.KEYS), default=new["mechanism"], required=True, width=130
        ),
        "count": _text("Times", "count", "How often it is released, each time it falls due.", 85),
        "part": config.TextColumn(
            "Part", max_chars=LONGEST_TEXT, width=80, help="Releases in different parts read disjoint data."
        ),
    }


def _noise_columns() -> dict[str, object]:
    config = st.column_config
    return {
        "epsilon": _text("ε", "epsilon", "Privacy loss of one release, such as 0.1."),
        "delta": _text("δ", "delta", "Probability with which ε may fail, such as 1e-6. Not for Laplace noise."),
        "scale": _text("Scale b", "scale", "Laplace noise, instead of ε.", 95),
        "sigma": _text("σ", "sigma", "Standard deviation of Gaussian noise, instead of ε and δ."),
        "sensitivity": _text(
            "Sensitivity", "sensitivity", "Per unit of privacy: L1 for Laplace, L2 for Gaussian.", 110
        ),
        "calibration": config.SelectboxColumn(
            "Calibration", options=list(plan_rows.CALIBRATION_KEYS), width=115, help="How σ follows from ε and δ."
        ),
        "scheme": config.SelectboxColumn(
            "Sampling", options=list(RELATION_OF), width=120, help="How records are drawn into a secret random sample."
        ),
        "rate": _text("Rate", "rate", "Sampling rate in [0, 1]; only with a sampling scheme."),
    }


def _planning_columns() -> dict[str, object]:
    config = st.column_config
    return {
        "start": _text("Start", "start", "First day, such as 2026-04-01.", 100),
        "cadence": config.SelectboxColumn(
            "Cadence", options=list(CADENCE_KEYS), width=100, help="How often it recurs; Times counts each time."
        ),
        "end": _text("End", "end", "Last possible day; a release that recurs needs one.", 100),
        "weight": _text("Weight", "weight", "How much its error matters beside the others; 1 where empty.", 85),
        "typical": _text("Typical value", "typical", "Size of a typical true value, for relative errors.", 115),
        "answer_unit": config.TextColumn(
            "Unit of answer",
            max_chars=LONGEST_TEXT,
            width=115,
            help="What the answer counts, such as persons or euros: errors are compared within one unit only.",
        ),
        "done": _text(
            "Done until", "done", "Published up to this day, such as 2026-04-01; yes where all of it is.", 100
        ),
    }


def _kept(plan: Plan, rows: list[plan_rows.Row]) -> Plan:
    """The plan with the releases of these rows, kept as the current one."""
    if rows != st.session_state["draft"]:
        inputs.remember()
        st.session_state["draft"] = rows
    made, problems = plan_rows.releases_of(rows)
    if not problems:
        try:
            return inputs.keep(replace(plan, releases=made))
        except ValueError as error:
            problems = [str(error)]
    listed = "\n".join(f"- {words.escaped(problem)}" for problem in problems[:LISTED])
    more = f"\n- and {len(problems) - LISTED} more" if len(problems) > LISTED else ""
    st.error(f"The numbers above still show the last plan without these problems:\n{listed}{more}")
    return plan


def _buttons(plan: Plan) -> None:
    with st.container(horizontal=True):
        st.button("Undo", on_click=inputs.undo, disabled=not st.session_state["past"], key="undo")
        unchanged = st.session_state["draft"] == plan_rows.rows_of(Plan.from_json(st.session_state["opened"]))
        start = "Undo all" if st.session_state["example"] == examples.OWN else "Undo to example"
        st.button(start, on_click=inputs.reopen, disabled=unchanged, key="reopen")
        st.download_button(
            "Save as CSV", plan.to_csv, "plan.csv", "text/csv", on_click="ignore", key="plan_csv", help="The releases."
        )
        st.download_button(
            "Save as JSON",
            plan.to_json,
            "plan.json",
            "application/json",
            on_click="ignore",
            key="plan_json",
            help="The whole plan, with budget, unit and relation.",
        )
    st.caption(
        "Empty cells take their default. Edits last until this page is reloaded or closed: copy the link, or save the "
        "plan."
    )
