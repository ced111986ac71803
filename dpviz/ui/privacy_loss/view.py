"""The privacy-loss page: its sidebar, its charts, and the panels beneath them."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.figures import largest_loss as rare_figure
from dpviz.figures import privacy_loss as loss_figure
from dpviz.figures import privacy_profile as profile_figure
from dpviz.figures import privacy_region as region_figure
from dpviz.losses import law_of
from dpviz.losses.distribution import SYMMETRIC
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, Mechanism, NameAndShame, RandomizedResponse
from dpviz.rounding import shown_delta, shown_near, shown_up
from dpviz.ui.privacy_loss import answer as cache
from dpviz.ui.privacy_loss import words as sentences
from dpviz.ui.shell import components, shell, sidebar, steps, words

COUNTS = (*range(1, 101), *range(110, 1001, 10), *range(1100, 10001, 100))
LABELS = {mechanism.key: mechanism.label for mechanism in SYMMETRIC}
KEYS = tuple(sentences.KINDS)
EPSILON, SIGMA = (1e-6, 50.0), (0.01, 1e6)
MOST_BUDGET = 1e6
PRESETS = {
    "bell": ("100 Laplace releases", {"mech1": "laplace", "eps1": 0.1, "times": 100, "deltak": 1e-6}),
    "gaussian": ("Gaussian loss is normal", {"mech1": "gaussian", "sigma1": 2.0, "times": 1, "deltak": 1e-6}),
    "response": ("Randomized response", {"mech1": "randomized_response", "eps1": 0.5, "times": 1, "deltak": 1e-6}),
    "shame": ("Name and shame", {"mech1": "name_and_shame", "delta1": 0.01, "times": 1, "deltak": 1e-6}),
    "steinke": (
        "Largest loss, 2⁻ᵏ",
        {"mech1": "laplace", "eps1": 0.1, "times": 20, "deltak": 1e-6, "more": "Rare losses"},
    ),
}
PARAMETERS = {  # the widgets of each mechanism
    "laplace": ("eps1",),
    "gaussian": ("sigma1",),
    "randomized_response": ("eps1",),
    "approximate_dp": ("eps1", "delta1"),
    "name_and_shame": ("delta1",),
}
SIDE = ("Profile δ(ε)", "Attacker's errors")
MORE = ("Stated law", "Rare losses", "Fit a budget", "Simulation lemma")


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    mechanism : Mechanism
    count : int
        Number of releases.
    delta : float
    log : bool
        Whether charts have logarithmic axes.
    """

    mechanism: Mechanism
    count: int
    delta: float
    log: bool
    in_words: bool


@shell.guarded
def show_preset(key: str) -> None:
    """Set the widgets to an example; a callback."""
    _set(PRESETS[key][1])


@shell.guarded
def show_count(count: int) -> None:
    """Set the number of releases; a callback."""
    st.session_state["times"] = max(each for each in COUNTS if each <= max(count, 1))


@shell.guarded
def show_noise(key: str, size: float) -> None:
    """Show a calibrated noise, rounded up; a callback."""
    parameter, value = ("sigma1", size) if key == "gaussian" else ("eps1", 1 / size)
    low, high = SIGMA if key == "gaussian" else EPSILON
    _set({"mech1": key, parameter: min(max(value, low), high)})


def _set(values: dict[str, object]) -> None:
    """Set widgets, and the address for those that are about to appear: only a widget that changes writes its own."""
    drawn = PARAMETERS[st.session_state["mech1"]]
    st.session_state.update(values)
    for name in PARAMETERS[st.session_state["mech1"]]:
        if name not in drawn and name in values:
            st.query_params[name] = repr(values[name])


def presets() -> None:
    """Draw one button per example."""
    st.caption("Examples")
    with st.container(horizontal=True, gap="small"):
        for key, (label, _) in PRESETS.items():
            st.button(label, on_click=show_preset, args=(key,), key=f"preset_loss_{key}")


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        kind = st.selectbox(
            "Mechanism",
            KEYS,
            format_func=LABELS.get,
            key="mech1",
            bind="query-params",
            help="What every release uses. Sensitivity is 1: noise is in units of it.",
        )
        mechanism, count, delta = _mechanism(kind), _count(), _delta_of_all()
        scale = st.segmented_control(
            "Charts",
            ("linear", "logarithmic"),
            default="linear",
            required=True,
            key="scale",
            bind="query-params",
            help="Logarithmic axes show the tails.",
        )
        in_words = sidebar.reading()
        presets()
    return Question(mechanism, count, delta, scale == "logarithmic", in_words)


def _count() -> int:
    return st.select_slider(
        "Number of releases",
        COUNTS,
        value=100,
        key="times",
        bind="query-params",
        help="More releases: the sum of their losses becomes a bell.",
    )


def _delta_of_all() -> float:
    return steps.of_ten(
        "δ of the whole",
        "deltak",
        value=1e-6,
        bind="query-params",
        help="The probability with which the bound on all releases together may fail. At 0 it never fails.",
    )


def _mechanism(kind: str) -> Mechanism:
    if kind == Gaussian.key:
        return Gaussian(_number("σ of one release", SIGMA, 10.0, 1.0, "sigma1", "Standard deviation of the noise."))
    if kind == NameAndShame.key:
        return NameAndShame(_delta_of_one())
    epsilon = _number("ε of one release", EPSILON, 0.1, 0.1, "eps1", "A smaller ε is more noise.")
    if kind == ApproximateDP.key:
        return ApproximateDP(epsilon, _delta_of_one())
    return RandomizedResponse(epsilon) if kind == RandomizedResponse.key else Laplace.from_epsilon(epsilon)


def _number(label: str, ends: tuple[float, float], value: float, step: float, key: str, about: str) -> float:
    return st.number_input(
        label, *ends, value=value, step=step, format="%.6g", key=key, bind="query-params", help=about
    )


def _delta_of_one() -> float:
    return steps.of_ten(
        "δ of one release",
        "delta1",
        value=1e-9,
        bind="query-params",
        help="The probability with which one release reveals everything.",
    )


def answer(asked: Question) -> loss_figure.Marks:
    """Return the numbers that the page is about."""
    return cache.marks(asked.mechanism, asked.count, asked.delta)


def finding(asked: Question, marks: loss_figure.Marks) -> str:
    """Return the page's finding."""
    return sentences.finding(asked.mechanism, asked.count, marks, _infinite(asked), asked.in_words)


def _infinite(asked: Question) -> float:
    return cache.distribution(asked.mechanism, asked.count).infinite


def metrics(asked: Question, marks: loss_figure.Marks) -> None:
    """Draw four numbers."""
    _, advantage = cache.reading(asked.mechanism, asked.count, asked.delta)
    mean = "∞" if _infinite(asked) else f"{marks.mean:.4g}"
    epsilon = shown_up(marks.epsilon)
    largest = shown_up(marks.largest)
    name = "Privacy loss" if asked.in_words else "ε"
    columns = st.columns(4)
    columns[0].metric("Mean loss (nats)", mean, border=True, help="Average of the loss over outputs of M(x).")
    columns[1].metric(f"{name} at δ = {shown_delta(asked.delta)}", epsilon, border=True, help=sentences.in_odds(marks))
    columns[2].metric("Largest loss", largest, border=True, help="At δ = 0 this is ε: basic composition.")
    columns[3].metric(
        "Attacker's advantage",
        sentences.advantage(advantage),
        border=True,
        help="True positive rate minus false positive rate of the best attacker, at most.",
    )


def picture(asked: Question, marks: loss_figure.Marks) -> None:
    """Draw the distribution of the loss."""
    frame, tail = cache.drawing(asked.mechanism, asked.count, marks.epsilon)
    components.chart(
        loss_figure.privacy_loss(frame, tail, marks, asked.log, components.dark()),
        frame,
        "privacy-loss",
        sentences.chart_title(asked.count, marks),
        loss_figure.described(frame, marks),
    )


def side(asked: Question) -> None:
    """Draw the profile and the trade-off curve, whichever tab is open."""
    profile, region = st.tabs(SIDE, key="side", bind="query-params")
    comparison = cache.comparison(asked.mechanism, asked.count, asked.delta)
    if profile.open:
        with profile:
            _profile(asked, comparison)
    if region.open:
        with region:
            frame = cache.region(asked.mechanism, asked.count, asked.delta)
            components.chart(
                region_figure.privacy_region(frame, asked.log, components.dark()),
                frame,
                "privacy-region",
                "A pair (ε, δ) allows attackers that the mechanisms do not",
                region_figure.described(frame),
            )


def _profile(asked: Question, comparison: object) -> None:
    frame = cache.profile(asked.mechanism, asked.count, asked.delta)
    components.chart(
        profile_figure.privacy_profile(frame, comparison, asked.delta, components.dark()),
        frame,
        "privacy-profile",
        "Every δ has its ε: theorems stand to the right of the curve",
        profile_figure.described(frame, comparison, asked.delta),
    )


def law(asked: Question) -> None:
    """Draw the stated law of the mechanism and its check."""
    stated = law_of(asked.mechanism)
    st.markdown(f"**{stated.label}**")
    st.latex(stated.statement)
    st.caption(
        f"One release; over k independent ones, means and variances add up. Assumes: {stated.assumes}. {stated.source}."
    )
    frame = cache.laws(asked.mechanism, asked.count)
    shown = frame.assign(
        stated=[shown_near(value, 9) for value in frame.stated],
        drawn=[shown_near(value, 9) for value in frame.drawn],
        agrees=[sentences.law_row(row) for row in frame.itertuples()],
    )
    names = {"quantity": "Quantity", "formula": "Formula", "stated": "Stated", "drawn": "As drawn", "agrees": "Check"}
    st.dataframe(shown, hide_index=True, column_config=names, alt="Stated and drawn values of the law")


def rare(asked: Question) -> None:
    """Draw how rare the largest loss is, and what the joint sensitivity gives instead."""
    if not isinstance(asked.mechanism, sentences.HAS_LARGEST):
        st.info("This mechanism has no largest finite loss. Choose Laplace noise or randomized response.")
        return
    counts = tuple(sorted({each for each in (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000,
                                             2000, 5000, 10000) if each < asked.count} | {asked.count}))  # fmt: skip
    frame = cache.rare(asked.mechanism, counts, asked.delta)
    st.markdown(sentences.rare_losses(frame))
    chart, alternative = st.columns([3, 2], gap="medium")
    with chart:
        components.chart(
            rare_figure.largest_loss(frame, components.dark()),
            frame,
            "largest-loss",
            "The largest loss grows like k, and becomes rarer with every release",
            rare_figure.described(frame),
        )
    with alternative:
        st.markdown("**Instead of composing: the joint sensitivity**")
        if not isinstance(asked.mechanism, Laplace):
            st.caption("Choose Laplace noise to see this alternative.")
            return
        joint = _number("Joint L1 sensitivity Δ₁", (0.001, 10000.0), 2.0, 1.0, "joint", "Sum over all answers.")
        tight = float(frame.epsilon.iloc[-1])
        st.markdown(sentences.joint(asked.mechanism, asked.count, joint, tight, asked.delta))


def budget(asked: Question) -> None:
    """Solve backwards: how many such releases, or how little noise, fits."""
    goal = st.number_input(
        "Target ε",
        min_value=0.0,
        max_value=MOST_BUDGET,
        value=None,
        step=0.5,
        format="%.6g",
        key="goal",
        bind="query-params",
        placeholder="1",
        help="What all releases together may cost, at the δ of the sidebar.",
    )
    epsilon = 1.0 if goal is None else goal
    if epsilon == 0:
        st.info("A target of 0 leaves no room for any release that tells anything.")
        return
    fitting = cache.fitting_count(asked.mechanism, epsilon, asked.delta)
    st.markdown(sentences.fits(fitting, epsilon, asked.delta))
    if fitting:
        st.button("Show so many", on_click=show_count, args=(fitting,), key="show_fitting")
    for key in cache.NOISES:
        size = cache.fitting_noise(key, asked.count, epsilon, asked.delta)
        st.markdown(sentences.noise(key, asked.count, size, epsilon, asked.delta))
        if not isinstance(size, str):
            st.button(f"Show this {LABELS[key]} noise", on_click=show_noise, args=(key, size[0]), key=f"show_{key}")


def table(asked: Question) -> None:
    """Draw the exact totals and the theorems behind them."""
    comparison = cache.comparison(asked.mechanism, asked.count, asked.delta)
    st.header("Exact values", anchor=False)
    components.exact_values(comparison)
    plan = cache.plan_of(asked.mechanism, asked.count)
    components.why(lambda key: words.worked(plan, comparison[comparison.theorem == key].iloc[0]))
