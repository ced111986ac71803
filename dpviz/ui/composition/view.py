"""The composition page: its sidebar, its chart with the choice of theorems, and the panel beside it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.composition import THEOREMS
from dpviz.composition.crossings import Growth
from dpviz.figures.learn import guesses_curve as guesses_figure
from dpviz.figures.learn.growth import Marks, described, growth
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.composition import answer as answers
from dpviz.ui.composition import words as told
from dpviz.ui.composition.asked import Question
from dpviz.ui.shell import components, page_state, words
from dpviz.ui.shell.kept import comparison, static

LABEL_OF = {theorem.key: theorem.label for theorem in THEOREMS}
DOZEN, ALL = 12, 40  # counts at which the attacker's guesses are computed: of samples few, since each takes long
FIRST = (1, 2, 3, 5, 8, 12)  # and, where they are drawn, those at which the guesses rise most


def answer(asked: Question) -> Growth:
    """Return the curves for what the sidebar and the switch of axes ask, kept."""
    return answers.growth(asked.plan, asked.times, asked.delta, asked.target, _is_log())


def totals(asked: Question) -> pd.DataFrame:
    """Return `dpviz.compare` of all repetitions, kept."""
    return comparison(asked.plan.repeated(asked.times), asked.delta)


def _is_log() -> bool:
    return page_state.held("axes") == "log"


def _chosen() -> list[str]:
    """The theorems that are drawn: those of the pills, which are drawn later, or all where none is left."""
    return page_state.held("theorems") or list(LABEL_OF)


def guesses(asked: Question, grown: Growth) -> None:
    """Draw, for people, how often an attacker is right at all counts, or some, of those that have a guarantee."""
    counts = grown.curve["count"][np.isfinite(grown.curve.epsilon)].unique()
    if not len(counts):
        return
    few = any(each.mechanism.sampled or each.mechanism.key == "trained_model" for each in asked.plan.releases)
    most = min(DOZEN if few or len(counts) > ALL else ALL, len(counts))
    places = np.linspace(0, len(counts) - 1, most).round().astype(int)
    chosen = np.union1d(np.sort(counts)[places], counts[np.isin(counts, FIRST)])
    rows = [{"count": int(n), "right": told.right(asked, grown, int(n))} for n in chosen]
    frame, title = pd.DataFrame(rows), "The more often it is made, the more an attacker learns"
    figure = components.drawn(guesses_figure.guesses_curve, frame)
    components.chart(figure, frame, "composition-guesses", title, partial(guesses_figure.described, frame))
    if len(chosen) < len(counts):
        st.caption("Computed at the dots. Between two of them the line stands as high as the later one: never too low.")


def picture(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Draw the chart of the chosen theorems, and beneath it their choice."""
    place = st.container()
    st.pills(
        "Theorems drawn", list(LABEL_OF), format_func=LABEL_OF.get, selection_mode="multi", wrap=True,
        default=list(LABEL_OF), key="theorems", bind="query-params",
    )  # fmt: skip
    drawn = set(_chosen())
    curve, marks = drawing(asked, grown, at_end, drawn)
    with place:
        components.chart(
            components.drawn(growth, curve, marks, _is_log()),
            curve,
            "composition",
            told.title(grown, at_end),
            partial(described, curve, marks, asked.plan.unit_in_words),
        )


def drawing(asked: Question, grown: Growth, at_end: pd.DataFrame, drawn: set[str]) -> tuple[pd.DataFrame, Marks]:
    """Return the curves of the chosen theorems that have one, and what is marked on them."""
    absent = {row.theorem: row for row in at_end.itertuples() if not row.applies and row.theorem not in grown.ends}
    kept = drawn - set(absent)
    curve = _of(grown.curve, kept)
    crossed = _of(grown.crossings[told.crossed(grown)], kept if "basic" in kept else set())
    most = told.best_fit(grown, drawn)
    reasons = {row.label: row.reason for key, row in absent.items() if key in drawn}
    return curve, Marks(crossed, asked.target, None if most is None else int(most["count"]), reasons)


def _of(frame: pd.DataFrame, theorems: set[str]) -> pd.DataFrame:
    return frame.loc[np.array([key in theorems for key in frame.theorem.tolist()], dtype=bool)]


@static
def panel(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Answer from when each theorem beats basic, and how many repetitions fit."""
    st.markdown("**When is advanced worth it?**")
    config = st.column_config
    st.dataframe(
        _panel_rows(grown, at_end),
        hide_index=True,
        height=35 * (len(THEOREMS) + 1) + 3,
        column_config={
            "theorem": config.TextColumn("Theorem", width=140),
            "beats": config.TextColumn("From k", alignment="right", width=60, help="Beats Basic from this k on."),
            "fits": config.TextColumn("Fit", alignment="right", width=60, help="Repetitions within the target."),
            "total": config.TextColumn(f"ε at {shown_count(asked.times)}", alignment="right", width=70),
        },
        column_order=["theorem", "beats", *(["fits"] if asked.target is not None else []), "total"],
        alt="From when each theorem beats basic composition",
    )


def _panel_rows(grown: Growth, at_end: pd.DataFrame) -> pd.DataFrame:
    crossed, fits = ({row["theorem"]: row for row in each.to_dict("records")} for each in (grown.crossings, grown.fits))
    rows = []
    for row in at_end.itertuples():
        refused = not row.applies and row.theorem not in grown.ends
        first = crossed.get(row.theorem)
        rows.append(
            {
                "theorem": row.label,
                "beats": "–" if first is None or refused else told.first(first["count"], first["searched"]),
                "fits": "–" if refused else told.fitting(fits[row.theorem]),
                "total": shown_up(row.epsilon) if row.applies else "n/a",
            }
        )
    return pd.DataFrame(rows)


@static
def why(asked: Question, at_end: pd.DataFrame) -> None:
    """Draw from when the square root wins, and every theorem with its worked line."""
    with components.why(words.theorems(asked.plan.repeated(asked.times), at_end)):
        if sentence := told.worth(asked.plan, asked.delta):
            st.caption(sentence)
