"""The page on sums of noise: its first section, the pairs with the heat map, and what ends in the plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.figures.learn.summed_noise import Marks, described, summed_noise
from dpviz.mechanisms import CALIBRATIONS
from dpviz.records import record_named
from dpviz.rounding import shown_delta
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.noise_sums import words as told
from dpviz.ui.noise_sums.asked import DELTA, LABELS, LIST, NOTE, Question, use_delta
from dpviz.ui.shell import components, page_state, reading, refusals, shell
from dpviz.ui.shell.kept import static

MAP = (0.1, 20.0)  # ends of the heat map; wider where a pair of the table lies outside


@contextmanager
def possible(asked: Question) -> Iterator[None]:
    """Stop inside with a sentence where δ is 0: no Gaussian noise meets it."""
    if asked.delta == 0:
        why = "No finite ε bounds its privacy loss without exception."
        st.error(refusals.drawn("δ of Gaussian noise must be a number above 0 and below 1, not 0.", why))
        st.button(f"Use δ = {shown_delta(DELTA)}", on_click=use_delta, key="use_delta")
        st.stop()
    yield


def two_noises(asked: Question) -> None:
    """Draw the heat map, and beside it the pairs under every calibration."""
    table = answers.pairs(asked.pairs, asked.delta, asked.calibration)
    st.markdown(told.pair_finding(table))
    picture, notes = st.columns([5, 4], gap="medium")
    with picture:
        _map(asked, table)
    with notes:
        st.button("Pairs of a note on private learning", on_click=_show_note, key="show_note", help=told.NOTE_HELP)
        _calibrations(table)
        if len(asked.listed) > 1 or asked.row is None:
            rule, exact = answers.several(asked.listed, asked.delta, asked.calibration)
            st.markdown(told.several(len(asked.listed), rule, exact))


@shell.guarded
def _show_note() -> None:
    """Show the pairs of the note under its own calibration; a callback."""
    page_state.put({"nsource": NOTE, "calib": "classical", "deltaeach": DELTA, "target": 0.4, "noises": LIST})


def _map(asked: Question, table: pd.DataFrame) -> None:
    here = table[(table.delta == asked.delta) & (table.calibration == asked.calibration)]
    ends = [*here.epsilon_1, *here.epsilon_2]
    grid = answers.heat_map(asked.delta, asked.calibration, min([MAP[0], *ends]), max([MAP[1], *ends]))
    marks = Marks(asked.target, _boundary(grid, "proved", asked.calibration), _holds(grid))
    title = f"Exact ε₃ of the sum, {LABELS[asked.calibration].lower()} noises at δ = {shown_delta(asked.delta)}"
    components.chart(
        components.drawn(summed_noise, grid, here, marks),
        grid,
        "noise-sums",
        title,
        partial(described, grid, here, marks),
    )
    st.caption(told.regions(grid, asked.calibration))


def _boundary(grid: pd.DataFrame, standing: str, calibration: str) -> float | None:
    """The rule's ε up to which it is proved, for an outline; None where nothing on the map is, or all is."""
    inside = grid.rule[grid.standing == standing]
    outside = grid.rule[grid.standing != standing]
    if inside.empty or outside.empty:
        return None
    stated = record_named(CALIBRATIONS, calibration).proved_below
    low, high = float(inside.max()), float(outside.min())
    return stated if low <= stated <= high else low


def _holds(grid: pd.DataFrame) -> bool:
    return not (grid.standing == "false").any()


@static
def _calibrations(table: pd.DataFrame) -> None:
    """The pairs, and what they come to under every calibration."""
    st.markdown("**The rule is one number, the truth depends on how σ was found**")
    rows = []
    for row in table.itertuples():
        exact = {key: answers.pair(row.epsilon_1, row.epsilon_2, row.delta, key).iloc[0] for key in LABELS}
        cells = {key: told.exact_cell(each, 9 if reading.proofs() else 4) for key, each in exact.items()}
        standing = told.STANDINGS[row.standing]
        rows.append({"pair": told.pair_name(row), "rule": told.rule_cell(row.rule), **cells, "standing": standing})
    config = st.column_config
    columns = {key: config.TextColumn(label, alignment="right") for key, label in LABELS.items()}
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=35 * (min(len(rows), 6) + 1) + 3,
        column_config={
            "pair": "ε₁ + ε₂",
            "rule": config.TextColumn("Rule", alignment="right", help="ε₁ε₂/√(ε₁² + ε₂²), as in the note."),
            "standing": config.TextColumn("The rule is", help=told.STANDING_HELP),
            **columns,
        },
        alt="The rule's ε and the exact ε of each pair under the three calibrations",
    )
    st.markdown(told.exact_for_mu(table.iloc[0]))
