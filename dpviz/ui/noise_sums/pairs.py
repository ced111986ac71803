"""The table of pairs of noises: edited as text, answered row by row beside it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.mechanisms import CALIBRATIONS
from dpviz.noise_sums import NOTE_PAIRS
from dpviz.rounding import shown_near, shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.shell import inputs, shell, steps, words

DELTA = (1e-30, steps.LARGEST)
MOST_ROWS = 100
KEYS = {record.label: record.key for record in CALIBRATIONS}
COLUMNS = ("epsilon_1", "epsilon_2", "delta", "calibration")
NOTE_ROWS = [{"epsilon_1": f"{a:g}", "epsilon_2": f"{b:g}", "delta": None, "calibration": None} for a, b in NOTE_PAIRS]
Row = dict[str, str | None]
Pair = tuple[float, float, float, str]


@shell.guarded
def _restart() -> None:
    """Show the note's pairs again; a callback."""
    st.session_state["pairs"] = [dict(row) for row in NOTE_ROWS]
    st.session_state["pairs_revision"] = st.session_state.get("pairs_revision", 0) + 1


def table(delta: float, calibration: str) -> pd.DataFrame:
    """Draw the table with its answers beside it, and return the rows that make sense, as `noise_sum_table` does.

    Parameters
    ----------
    delta, calibration : float, str
        Of rows that leave these cells empty.
    """
    typed, beside = st.columns([5, 7], gap="small")
    with typed:
        rows = _edited()
    pairs = [pair_of(row, delta, calibration) for row in rows]
    frames = [answers.pair(*pair) if isinstance(pair, tuple) else None for pair in pairs]
    with beside:
        _answers(pairs, frames)
    problems = [f"Row {place}, {pair}" for place, pair in enumerate(pairs, 1) if isinstance(pair, str) and pair]
    if problems:
        st.error("\n".join(f"- {words.escaped(problem)}" for problem in problems[:5]))
    if rows != NOTE_ROWS:
        st.button("Show the note's pairs", on_click=_restart, key="restart_pairs")
    found = [answer for answer in frames if answer is not None]
    return pd.concat(found, ignore_index=True) if found else answers.pair(1.0, 1.0, delta, calibration).iloc[:0]


def _edited() -> list[Row]:
    """The rows as they stand in the browser."""
    held = st.session_state.setdefault("pairs", [dict(row) for row in NOTE_ROWS])
    key = f"pairs_{st.session_state.setdefault('pairs_revision', 0)}"
    # While it is shown, the table keeps its own changes to what it started from: what it returns must not be fed back.
    if key not in st.session_state:
        st.session_state["pairs_base"] = pd.DataFrame(held, columns=list(COLUMNS), dtype="string")
    edited = st.data_editor(
        st.session_state["pairs_base"],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height=35 * (min(len(held), 6) + 2) + 3,
        column_config=_columns(),
        placeholder="as set",
        alt="Table of pairs of noises, to be edited",
    )
    rows = edited.astype(object).where(edited.notna(), None).to_dict("records")
    if len(rows) > MOST_ROWS:
        st.error(f"Only the first {MOST_ROWS} rows are computed.")
    st.session_state["pairs"] = rows[:MOST_ROWS]
    return rows[:MOST_ROWS]


def _columns() -> dict[str, object]:
    config = st.column_config
    number_text = {"max_chars": 40, "alignment": "right", "width": 70}
    return {
        "epsilon_1": config.TextColumn("ε₁", default="1", help="What the first noise was made for.", **number_text),
        "epsilon_2": config.TextColumn("ε₂", default="1", help="What the second noise was made for.", **number_text),
        "delta": config.TextColumn("δ", help="Of both noises and the sum; empty: the sidebar's.", **number_text),
        "calibration": config.SelectboxColumn(
            "Calibration", options=list(KEYS), width=110, help="How σ was found; empty: as in the sidebar."
        ),
    }


def pair_of(row: Row, delta: float, calibration: str) -> Pair | str:
    """Return the pair that a row of text means, or what is wrong with it; "" for a blank row.

    Examples
    --------
    >>> pair_of({"epsilon_1": "0.5", "epsilon_2": "1e-1", "delta": None, "calibration": "Classical"}, 1e-5, "analytic")
    (0.5, 0.1, 1e-05, 'classical')
    >>> pair_of({"epsilon_1": "0.5", "epsilon_2": "0"}, 1e-5, "analytic")
    "ε₂ must be a number in [1e-06, 50]; got '0'"
    """
    texts = {column: (row.get(column) or "").strip() for column in COLUMNS}
    if not any(texts.values()):
        return ""
    try:
        first = inputs.within(texts["epsilon_1"], "ε₁", inputs.EPSILON)
        second = inputs.within(texts["epsilon_2"], "ε₂", inputs.EPSILON)
        own = inputs.within(texts["delta"], "δ", DELTA) if texts["delta"] else delta
    except ValueError as error:
        return str(error)
    if texts["calibration"] and texts["calibration"] not in KEYS:
        return f"calibration must be one of {', '.join(KEYS)}; got {words.shortened(texts['calibration'], 20)!r}"
    return first, second, own, KEYS.get(texts["calibration"], calibration)


def _answers(pairs: list[Pair | str], frames: list[pd.DataFrame | None]) -> None:
    """What each row of the table comes to, in the same order."""
    firsts = (None if answer is None else answer.iloc[0] for answer in frames)
    shown = [_answer(pair, first) for pair, first in zip(pairs, firsts, strict=True)]
    config = st.column_config
    st.dataframe(
        pd.DataFrame(shown, columns=["pair", "sigma", "rule", "exact", "difference", "standing"]),
        hide_index=True,
        height=35 * (min(len(pairs), 6) + 2) + 3,
        column_config={
            "pair": config.TextColumn("Sum of", width=85),
            "sigma": config.TextColumn("σ₃", alignment="right", width=70, help="√(σ₁² + σ₂²), sensitivity 1."),
            "rule": config.TextColumn("Rule", alignment="right", width=80, help="ε₁ε₂/√(ε₁² + ε₂²), as in the note."),
            "exact": config.TextColumn("Exact ε₃", alignment="right", width=80, help="Of N(0, σ₃²), rounded up."),
            "difference": config.TextColumn("Rule − exact", alignment="right", width=95),
            "standing": config.TextColumn("The rule is", help=told.STANDING_HELP, width=140),
        },
        alt="The rule's ε, the exact ε, their difference and the standing of the rule for each pair",
    )


def _answer(pair: Pair | str, row: pd.Series | None) -> dict[str, str]:
    if row is None:
        return dict.fromkeys(("pair", "sigma", "rule", "exact", "difference"), "–") | {"standing": pair and "no answer"}
    return {
        "pair": told.pair_name(row),
        "sigma": shown_near(row.sigma_sum, 4),
        "rule": told.rule_cell(row.rule),
        "exact": shown_up(row.epsilon, 6),
        "difference": ("+" if row.difference > 0 else "") + shown_near(row.difference, 4),
        "standing": told.STANDINGS[row.standing],
    }


def exact_values(table: pd.DataFrame) -> None:
    """Draw every number of the table to nine digits, and offer all."""
    st.header("Exact values", anchor=False)
    texts = table.assign(mu_sum=1 / table.sigma_sum)
    # A true ε is a cost; noise, the rule and its difference from the truth are none.
    costs = {name: [shown_up(value, 9) for value in texts[name]] for name in ("exact_1", "exact_2", "epsilon")}
    texts = texts.assign(**costs).map(lambda value: value if isinstance(value, str) else shown_near(value, 9))
    names = {
        "epsilon_1": "ε₁", "epsilon_2": "ε₂", "delta": "δ", "calibration": "Calibration", "sigma_1": "σ₁",
        "sigma_2": "σ₂", "sigma_sum": "σ₃", "mu_sum": "μ₃ = 1/σ₃", "exact_1": "true ε of the first",
        "exact_2": "true ε of the second", "rule": "Rule", "epsilon": "Exact ε₃", "difference": "Rule − exact",
        "standing": "Standing",
    }  # fmt: skip
    st.dataframe(texts[list(names)], hide_index=True, column_config=names, alt="Nine digits of the table of pairs")
    st.download_button(
        "Table as CSV",
        lambda: table.to_csv(index=False),
        "noise-sum-table.csv",
        "text/csv",
        on_click="ignore",
        key="noise_sum_table_csv",
    )
