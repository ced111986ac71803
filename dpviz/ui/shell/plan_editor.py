"""The table of releases, edited in place; what is edited is taken in by `dpviz.ui.shell.workspace`."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.mechanisms import REAL_VALUED
from dpviz.mechanisms.subsampled import RELATIONS as RELATION_OF
from dpviz.plan.cadence import KEYS as CADENCE_KEYS
from dpviz.plan.release import LONGEST_TEXT
from dpviz.ui.shell import examples, plan_rows, words, workspace
from dpviz.ui.shell.sidebar import LISTED

EDITABLE_ROWS = 1000  # beyond, a browser's table is the wrong tool


def releases(columns: tuple[str, ...] = plan_rows.COLUMNS, name: str = "table") -> None:
    """Draw the table of releases; what is changed in it is in the document before a page is drawn again.

    Parameters
    ----------
    columns : tuple of str
        Those of `plan_rows.COLUMNS` that are shown, in this order; the others stay as they are, and rows are added
        only where the mechanism can be chosen.
    name : str
        Of the table: another one on every page.
    """
    st.header("Releases", anchor=False)
    rows = workspace.rows_of(workspace.document())
    if len(rows) > EDITABLE_ROWS:
        st.dataframe(_frame(rows), hide_index=True, alt="Table of releases")
        st.caption(f"Plans of more than {EDITABLE_ROWS:,} rows are edited in their file.")
    else:
        key = workspace.table_key(name)
        st.data_editor(
            _frame(st.session_state["base"]),
            key=key,
            num_rows="dynamic" if "mechanism" in columns else "fixed",
            hide_index=True,
            column_order=columns,
            column_config=_columns(),
            placeholder="–",
            alt="Table of releases",
        )
    _faults(rows)
    _buttons()


def _faults(rows: list[plan_rows.Row]) -> None:
    """Say what is wrong with the rows that do not count."""
    found = workspace.faults()
    if not found:
        return
    sentences = [f"Row {place + 1}, “{rows[place]['name'] or ''}”: {reason}" for place, reason in found.items()]
    listed = "".join(f"\n- {words.escaped(sentence)}" for sentence in sentences[:LISTED])
    more = f"\n- and {len(found) - LISTED} more" if len(found) > LISTED else ""
    st.error(f"Not counted:{listed}{more}")


def _frame(rows: list[plan_rows.Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(plan_rows.COLUMNS), dtype="string")


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
            "Mechanism",
            options=list(plan_rows.KEYS),
            default=new["mechanism"],
            required=True,
            width=130,
            help=REAL_VALUED,
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


def _buttons() -> None:
    held = workspace.document()
    with st.container(horizontal=True):
        st.button("Undo", on_click=workspace.undo, disabled=not workspace.past(), key="undo")
        unchanged = held.plan == held.opened and not held.uncounted
        start = "Undo to example" if held.name in examples.BY_KEY else "Undo all"
        st.button(start, on_click=workspace.reopen, disabled=unchanged, key="reopen")
        for kind, write, mime, about in (
            ("CSV", held.plan.to_csv, "text/csv", "The releases."),
            ("JSON", held.plan.to_json, "application/json", "The whole plan, with budget, unit and relation."),
        ):
            file = f"{workspace.file_name()}.{kind.lower()}"
            key = f"plan_{kind.lower()}"
            st.download_button(f"Save as {kind}", write, file, mime, on_click="ignore", key=key, help=about)
    st.caption("Empty cells take their default. The address of this page holds the plan: reload, bookmark or share it.")
