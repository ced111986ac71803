"""The one table of releases, edited in place, with what each costs and how accurate it is in its cells."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.mechanisms import REAL_VALUED
from dpviz.plan import Plan
from dpviz.plan.cadence import KEYS as CADENCE_KEYS
from dpviz.plan.release import LONGEST_TEXT
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import Standing, width
from dpviz.ui.plan.asked import WITH_SYMBOLS
from dpviz.ui.shell import plan_rows, reading, words, workspace
from dpviz.ui.shell.sidebar import LISTED

EDITABLE_ROWS = 1000  # beyond, a browser's table is the wrong tool
ROW, LEAST_ROWS, MOST_ROWS = 35, 5, 12  # pixels of a row, and how many are in sight
BLANKS_SHOWN = 2
# The editor of a cell ends itself a moment after any key, once Tab or Enter was pressed, and after any but those two it
# forgets what was typed: on a busy machine a letter's moment may come after the Tab that follows it, and the cell is
# lost. So keys that only write never reach it; the browser writes them all the same.
KEYS = """<script>(() => {
  if (window.dpvizKeys) return;
  window.dpvizKeys = true;
  document.addEventListener("keydown", event => {
    const field = event.target;
    if (!field.closest?.("#portal")) return;
    const writes = field.tagName === "TEXTAREA" ? !["Enter", "Tab", "Escape"].includes(event.key)
      : field.tagName === "INPUT" && event.key.length === 1 && event.key !== " ";
    if (writes) event.stopPropagation();
  }, true);
})();</script>"""


def releases(columns: tuple[str, ...], stand: Standing, a: Standing | None, solved: Plan | None) -> None:
    """Draw the table of releases; what is changed in it is in the document before a page is drawn again.

    Parameters
    ----------
    columns : tuple of str
        Those that are shown, in this order.
    stand, a : Standing
        Where the plan stands, and plan A where one is kept.
    solved : Plan, optional
        What is offered for it: its noise and errors stand beside the present ones.
    """
    if reading.people():
        columns = tuple(column for column in columns if column not in WITH_SYMBOLS)
    rows = workspace.rows_of(workspace.document())
    if len(rows) > EDITABLE_ROWS:
        st.dataframe(_frame(rows, stand, a, solved), hide_index=True, column_order=columns, alt="Table of releases")
        st.caption(f"Plans of more than {EDITABLE_ROWS:,} rows are edited in their file.")
        return
    key = workspace.table_key()
    st.data_editor(
        _frame(st.session_state["base"], stand, a, solved),
        key=key,
        num_rows="fixed",
        hide_index=True,
        height=ROW * (1 + min(max(len(rows) + BLANKS_SHOWN, LEAST_ROWS), MOST_ROWS)) + 3,
        column_order=columns,
        column_config=_columns(),
        placeholder="–",
        alt="Table of releases",
    )
    st.html(KEYS, unsafe_allow_javascript=True)


def _frame(rows: list[plan_rows.Row], stand: Standing, a: Standing | None, solved: Plan | None) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(plan_rows.COLUMNS), dtype="string")
    places, shares = workspace.counted(workspace.document()), stand.shares
    share, error = [None] * len(rows), [None] * len(rows)
    for place, row in places.items():
        release = stand.whole.releases[row]
        after = solved.releases[row].mechanism if solved and row < len(solved.releases) else release.mechanism
        error[place] = told.error(stand, row, a, width(after))
        share[place] = shares[row] if shares else None
        if after != release.mechanism:
            new = plan_rows.row_for(solved.releases[row])["noise"]
            frame.loc[place, "noise"] = f"{rows[place]['noise']} → {new}"
    return frame.assign(share=pd.Series(share, dtype="Float64"), error=pd.Series(error, dtype="string"))


def faults() -> None:
    """Say what is wrong with the rows that do not count."""
    found = workspace.faults()
    if not found:
        return
    rows = workspace.rows_of(workspace.document())
    sentences = [f"Row {place + 1}, “{rows[place]['name'] or ''}”: {reason}" for place, reason in found.items()]
    listed = "".join(f"\n- {words.escaped(sentence)}" for sentence in sentences[:LISTED])
    more = f"\n- and {len(found) - LISTED} more" if len(found) > LISTED else ""
    st.error(f"Not counted:{listed}{more}")


def _columns() -> dict[str, object]:
    config = st.column_config
    return _release_columns() | _noise_columns() | _planning_columns() | {
        "share": config.ProgressColumn(
            "Share", min_value=0, max_value=100, format="%.0f%%", width=90,
            help="Of the spend: of the sum of what each release would cost alone.",
        ),
        "error": config.TextColumn(
            "Error, 19 of 20" if not reading.people() else "Lies in, 19 times of 20", disabled=True, width=150,
            help="So far may one published number lie from the exact answer, 19 times of 20, by its noise.",
        ),
    }  # fmt: skip


def _text(label: str, help: str, width: int = 75) -> object:
    return st.column_config.TextColumn(label, help=reading.told(help), max_chars=60, width=width)


def _release_columns() -> dict[str, object]:
    config = st.column_config
    return {
        "name": config.TextColumn("Release", max_chars=LONGEST_TEXT, width="medium"),
        "kind": config.SelectboxColumn(
            "What it is", options=list(plan_rows.KIND_KEYS), width=105, help="It helps to find the sensitivity."
        ),
        "mechanism": config.SelectboxColumn(
            "Mechanism", options=list(plan_rows.KEYS), width=125, help=reading.told(REAL_VALUED)
        ),
        "count": _text("Times", "How often it is released, each time it falls due.", 65),
        "part": config.TextColumn("Part", max_chars=LONGEST_TEXT, width=80),
    }


def _noise_columns() -> dict[str, object]:
    about = (
        "ε 0.1, σ 40, scale b 10, or the wanted error such as ±20 (19 times of 20). A bare number is ε of Laplace "
        "noise and σ of Gaussian noise; (ε, δ) together as ε 0.1, δ 1e-9."
    )
    return {
        "noise": _text("Noise", about, 120),
        "sensitivity": _text("Sensitivity", "Per unit of privacy: L1 for Laplace, L2 for Gaussian noise.", 90),
    }


def _planning_columns() -> dict[str, object]:
    config = st.column_config
    return {
        "cadence": config.SelectboxColumn(
            "How often", options=list(CADENCE_KEYS), width=95, help="Times counts each time it recurs."
        ),
        "start": _text("Start", "First day, such as 2026-04-01.", 100),
        "end": _text("End", "Last possible day; a release that recurs needs one.", 100),
        "done": _text("Done until", "Published up to this day, such as 2026-04-01; yes where all of it is.", 100),
        "weight": _text("Weight", "How much its error matters beside the others; 1 where empty.", 75),
        "typical": _text("Typical value", "Size of a typical true value, for relative errors and ranges.", 105),
        "answer_unit": config.TextColumn(
            "Unit of answer", max_chars=LONGEST_TEXT, width=110,
            help="What the answer counts, such as persons or euros: errors are compared within one unit only.",
        ),
    }  # fmt: skip
