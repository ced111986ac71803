"""The composition page: its sidebar, its chart with the choice of theorems, and the panel beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.composition import THEOREMS
from dpviz.figures.growth import Marks, described, growth
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, Mechanism, RandomizedResponse
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.plan_fields import number
from dpviz.registry import record_named
from dpviz.rounding import shown_count, shown_up
from dpviz.ui import (
    cache,
    components,
    composition_cache,
    composition_presets,
    composition_words,
    inputs,
    shell,
    steps,
    words,
    workspace,
)
from dpviz.ui.composition_cache import Growth

# What addresses and lists show alike: an address holds the words of a choice, not its key.
LAPLACE, GAUSSIAN, RESPONSE, BLACK_BOX = "Laplace", "Gaussian", "Randomized response", "Black box"
SEVERAL, CURRENT = "Several, once each", "Current plan"
REPEATED = (LAPLACE, GAUSSIAN, RESPONSE, BLACK_BOX, SEVERAL, CURRENT)
EPSILON = (1e-6, 50.0)
SIGMA = (0.1, 1e6)
MOST_TIMES = 1_000_000
MOST_LISTED = 100
LABEL_OF = {theorem.key: theorem.label for theorem in THEOREMS}


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    plan : Plan
        What is repeated.
    what : str
        Its name, in Markdown.
    times : int
        The largest number of repetitions.
    delta : float
        The whole δ.
    target : float or None
        ε to stay within.
    """

    plan: Plan
    what: str
    times: int
    delta: float
    target: float | None
    in_words: bool


@shell.guarded
def show_preset(key: str) -> None:
    """Set the widgets to a figure of the sources; a callback."""
    preset = record_named(composition_presets.PRESETS, key, "preset")
    st.session_state.update(dict(preset.values))
    st.session_state["theorems"] = list(LABEL_OF)


@shell.guarded
def _adopt_budget() -> None:
    """Take δ and target from the current plan when it is chosen; a callback."""
    if st.session_state["repeat"] != CURRENT:
        return
    budget = workspace.current().budget
    st.session_state["deltak"] = min(budget.delta, steps.LARGEST)
    st.session_state["goal"] = None if math.isinf(budget.epsilon) else min(budget.epsilon, workspace.LARGEST_BUDGET)


def presets() -> None:
    """Draw one button per figure of the sources."""
    for preset in composition_presets.PRESETS:
        st.button(preset.label, on_click=show_preset, args=(preset.key,), help=preset.about, key=f"preset_{preset.key}")


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        kind = st.selectbox(
            "What is repeated",
            REPEATED,
            key="repeat",
            bind="query-params",
            on_change=_adopt_budget,
            help="One release, or a whole plan, that is made again and again.",
        )
        plan, what = _several() if kind == SEVERAL else _current() if kind == CURRENT else _single(kind)
        times = _times(plan)
        delta, target = _promise()
    return Question(plan, what, times, delta, target, inputs.reading())


def _promise() -> tuple[float, float | None]:
    delta = steps.of_ten(
        "δ of the whole",
        "deltak",
        value=1e-6,
        bind="query-params",
        help="The probability with which the bound on all repetitions together may fail. At 0 it never fails.",
    )
    target = st.number_input(
        "Target ε",
        min_value=0.0,
        max_value=workspace.LARGEST_BUDGET,
        value=None,
        step=0.5,
        format="%.6g",
        key="goal",
        bind="query-params",
        placeholder="none",
        help="Draws a line, and counts how many repetitions stay within it.",
    )
    return delta, target


def _single(kind: str) -> tuple[Plan, str]:
    mechanism = _mechanism(kind)
    return Plan([Release(mechanism.label, mechanism)]), composition_words.named(mechanism)


def _mechanism(kind: str) -> Mechanism:
    if kind == GAUSSIAN:
        return Gaussian(
            st.number_input(
                "σ of one release",
                *SIGMA,
                value=10.0,
                step=1.0,
                format="%.6g",
                key="sigma1",
                bind="query-params",
                help="Standard deviation of the noise, in units of the L2 sensitivity. More noise is more private.",
            )
        )
    epsilon = st.number_input(
        "ε of one release",
        *EPSILON,
        value=0.1,
        step=0.1,
        format="%.6g",
        key="eps1",
        bind="query-params",
        help="Privacy loss of one release. A smaller ε is more noise.",
    )
    if kind == BLACK_BOX:
        return ApproximateDP(epsilon, _delta_of_one())
    return RandomizedResponse(epsilon) if kind == RESPONSE else Laplace.from_epsilon(epsilon)


def _delta_of_one() -> float:
    return steps.of_ten(
        "δ of one release",
        "delta1",
        value=1e-9,
        bind="query-params",
        help="The probability with which the ε of one release may fail.",
    )


def _several() -> tuple[Plan, str]:
    typed = st.text_input(
        "Each ε",
        value=composition_presets.STEINKE_LIST,
        max_chars=600,
        key="list1",
        bind="query-params",
        help="Separated by commas. Any ε-DP releases, each made once per repetition.",
    )
    try:
        st.session_state["_listed"] = listed(typed)
    except ValueError as error:
        st.error(words.escaped(str(error)))
    epsilons = st.session_state.get("_listed") or listed(composition_presets.STEINKE_LIST)
    plan = Plan([Release(f"release {n}", RandomizedResponse(each)) for n, each in enumerate(epsilons, 1)])
    return plan, f"the list of **{len(epsilons)}** releases with Σε = {shown_up(math.fsum(epsilons))}"


def listed(text: str) -> list[float]:
    """Return the ε that a line of text lists.

    Raises
    ------
    ValueError
        When a part is no number, outside its interval, or there are too many.

    Examples
    --------
    >>> listed("0.1, 0.25; 1e-3")
    [0.1, 0.25, 0.001]
    """
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST_LISTED:
        raise ValueError(f"the list must hold 1 to {MOST_LISTED} numbers; got {len(parts)}")
    low, high = EPSILON
    values = [number(part.lower()) for part in parts]
    for part, value in zip(parts, values, strict=True):
        if value is None or not low <= value <= high:
            raise ValueError(f"each ε must be a number in [{low:g}, {high:g}]; got {words.shortened(part, 20)!r}")
    return [float(value) for value in values]


def _current() -> tuple[Plan, str]:
    plan = workspace.current()
    st.caption("Its releases are edited on the page “Cost of a plan”.")
    uses = words.uses(plan)
    return plan, f"the current plan of **{shown_count(uses)}** release{'' if uses == 1 else 's'}"


def _times(plan: Plan) -> int:
    times = st.number_input(
        "Repetitions, up to",
        2,
        MOST_TIMES,
        value=200,
        step=10,
        key="kmax",
        bind="query-params",
        help="The right end of the chart. The number is fixed before the first result is seen.",
    )
    most = max(1, int(COUNT.high) // max([release.uses for release in plan.releases], default=1))
    if times > most:
        st.error(f"This plan can be repeated at most {shown_count(most)} times: no release beyond a count of 10⁹.")
    return min(times, most)


def answer(asked: Question) -> Growth:
    """Return the curves for what the sidebar and the switch of axes ask, kept."""
    return composition_cache.growth(asked.plan, asked.times, asked.delta, asked.target, _is_log())


def totals(asked: Question) -> pd.DataFrame:
    """Return `dpviz.compare` of all repetitions, kept."""
    return cache.comparison(asked.plan.repeated(asked.times), asked.delta)


def _is_log() -> bool:
    return st.session_state.get("axes") == "log"


def axes() -> None:
    """Draw the switch between linear and logarithmic axes."""
    st.segmented_control(
        "Axes",
        ("linear", "log"),
        default="linear",
        required=True,
        key="axes",
        bind="query-params",
        label_visibility="collapsed",
    )


def _chosen() -> list[str]:
    """The theorems that are drawn: those of the pills, which are drawn later, or all where none is left."""
    return st.session_state.get("theorems") or list(LABEL_OF)


def picture(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Draw the chart of the chosen theorems, and beneath it their choice."""
    place = st.container()
    st.pills(
        "Theorems drawn",
        list(LABEL_OF),
        format_func=LABEL_OF.get,
        selection_mode="multi",
        wrap=True,
        default=list(LABEL_OF),
        key="theorems",
        bind="query-params",
    )
    drawn = set(_chosen())
    curve, marks = drawing(asked, grown, at_end, drawn)
    with place:
        components.chart(
            growth(curve, marks, _is_log(), asked.in_words, components.dark()),
            curve,
            "composition",
            composition_words.title(grown, at_end),
            described(curve, marks, asked.plan.unit),
        )


def drawing(asked: Question, grown: Growth, at_end: pd.DataFrame, drawn: set[str]) -> tuple[pd.DataFrame, Marks]:
    """Return the curves of the chosen theorems that have one, and what is marked on them."""
    absent = {row.theorem: row for row in at_end.itertuples() if not row.applies and row.theorem not in grown.ends}
    kept = drawn - set(absent)
    curve = _of(grown.curve, kept)
    near = ((grown.crossings["count"] > 1) & (grown.crossings["count"] <= asked.times)).fillna(False)
    crossed = _of(grown.crossings[near], kept if "basic" in kept else set())
    most = best_fit(grown, drawn)
    reasons = {row.label: row.reason for key, row in absent.items() if key in drawn}
    return curve, Marks(crossed, asked.target, None if most is None else int(most["count"]), reasons)


def _of(frame: pd.DataFrame, theorems: set[str]) -> pd.DataFrame:
    return frame.loc[np.array([key in theorems for key in frame.theorem.tolist()], dtype=bool)]


def best_fit(grown: Growth, drawn: set[str]) -> pd.Series | None:
    """Return the row of the drawn theorem under which most repetitions stay within the target; None without one."""
    rows = _of(grown.fits, drawn).dropna(subset="count")
    return None if rows.empty else rows.loc[rows["count"].idxmax()]


def panel(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Answer from when each theorem beats basic, and how many repetitions fit."""
    st.markdown("**When is advanced worth it?**")
    config, loss = st.column_config, "Loss" if asked.in_words else "ε"
    st.dataframe(
        _panel_rows(asked, grown, at_end),
        hide_index=True,
        height=35 * (len(THEOREMS) + 1) + 3,
        column_config={
            "theorem": config.TextColumn("Theorem", width=140),
            "beats": config.TextColumn("From k", alignment="right", width=60, help="Beats Basic from this k on."),
            "fits": config.TextColumn("Fit", alignment="right", width=60, help="Repetitions within the target."),
            "total": config.TextColumn(f"{loss} at {shown_count(asked.times)}", alignment="right", width=70),
        },
        column_order=["theorem", "beats", *(["fits"] if asked.target is not None else []), "total"],
        alt="From when each theorem beats basic composition",
    )
    for sentence in composition_words.worth(asked.plan, asked.delta):
        st.caption(sentence)


def _panel_rows(asked: Question, grown: Growth, at_end: pd.DataFrame) -> pd.DataFrame:
    crossed = grown.crossings.set_index("theorem")
    fits = grown.fits.set_index("theorem")
    rows = []
    for row in at_end.itertuples():
        refused = not row.applies and row.theorem not in grown.ends
        first = crossed.loc[row.theorem] if row.theorem in crossed.index else None
        rows.append(
            {
                "theorem": row.label,
                "beats": "–" if first is None or refused else composition_words.first(first["count"], first.searched),
                "fits": "–" if refused else composition_words.fitting(fits.loc[row.theorem]),
                "total": shown_up(row.epsilon) if row.applies else "n/a",
            }
        )
    return pd.DataFrame(rows)


def exact_values(asked: Question, grown: Growth, at_end: pd.DataFrame) -> None:
    """Draw the exact totals after all repetitions, and along the curve."""
    st.header("Exact values", anchor=False)
    after, along = st.tabs(
        [f"After {shown_count(asked.times)} repetitions", "Along the curve"], key="values", on_change="rerun"
    )
    if after.open:
        with after:
            components.exact_values(at_end)
    if along.open:
        with along:
            wide = grown.curve.pivot(index="count", columns="theorem", values="epsilon")[list(LABEL_OF)]
            texts = wide.map(lambda value: "–" if math.isinf(value) else shown_up(value, 9))
            config = {key: st.column_config.TextColumn(label) for key, label in LABEL_OF.items()}
            st.dataframe(
                texts.reset_index(),
                hide_index=True,
                height=360,
                column_config={"count": st.column_config.NumberColumn("k", pinned=True)} | config,
                alt="Exact totals along the curve",
            )
