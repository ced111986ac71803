"""What the page on sampling asks: its sidebar, as values."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.amplification import amplify, sampling_rate
from dpviz.guarantee import Guarantee
from dpviz.plan.fields import number
from dpviz.ui.shell import sidebar, steps, words
from dpviz.ui.subsampling.presets import (
    ADAPTIVE,
    ANALYTIC,
    BASIC,
    CLASSICAL,
    GAUSSIAN,
    LAPLACE,
    POISSON,
    ROGERS,
    WITHOUT,
)

EPSILON = (1e-5, 50.0)
BUDGET = (1e-4, 1000.0)
SMALLEST_DELTA = 1e-30  # of one run with Gaussian noise, which has none at 0
MOST_RECORDS = 10**9
MOST_SIZES = 4
MOST_SPAN = 1000
MOST_QUERIES = 10**6
USUAL = (50,)


@dataclass(frozen=True, slots=True)
class Run:
    """One run on the records that it reads.

    Parameters
    ----------
    noise : str
        `LAPLACE` or `GAUSSIAN`.
    epsilon, delta : float
        What it costs there; δ is 0 for Laplace noise.
    calibration : str
        By which σ follows from both, for Gaussian noise.
    """

    noise: str
    epsilon: float
    delta: float = 0.0
    calibration: str = CLASSICAL


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    run : Run
        One run on the records that it reads.
    population : int
        Records to draw from, n.
    sizes : tuple of int
        Sample sizes m.
    budget : Guarantee
        Of all runs.
    scheme, rule : str
        Kind of sample; rule that admits runs.
    span : int
        How many times the ε of the run the chart spans.
    spread, queries : float, int
        Of the mean whose error is shown.
    """

    run: Run
    population: int
    sizes: tuple[int, ...]
    budget: Guarantee
    scheme: str
    rule: str
    span: int
    spread: float
    queries: int
    in_words: bool

    @property
    def rates(self) -> tuple[float, ...]:
        """m / n of every sample size."""
        return tuple(sampling_rate(size, self.population) for size in self.sizes)

    @property
    def sampled(self) -> Guarantee:
        """One run on a sample of the first size."""
        return amplify(Guarantee(self.run.epsilon, self.run.delta), self.rates[0])


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        kind = st.selectbox("Noise", (LAPLACE, GAUSSIAN), key="noise", bind="query-params", help="Of every run.")
        epsilon = _number("ε of one run", EPSILON, 0.001, 0.001, "erun", "What it costs on the records that it reads.")
        delta = _delta("δ of one run", SMALLEST_DELTA, 2e-20, "drun", "On its records.") if kind == GAUSSIAN else 0.0
        population = st.number_input(
            "Records n", 2, MOST_RECORDS, value=100, step=10, key="n", bind="query-params", help="Public."
        )
        sizes = _sizes(population)
        limit = _number("Budget ε", BUDGET, 0.2, 0.1, "ebud", "That all runs together may cost.")
        share = _delta("Budget δ", 0.0, 2e-30, "dbud", "The probability with which their bound may fail.")
        scheme, rule, span, calibration, spread, queries = _further(kind)
    run = Run(kind, epsilon, delta, calibration)
    budget = Guarantee(limit, share)
    return Question(run, population, sizes, budget, scheme, rule, span, spread, queries, sidebar.reading())


def _further(kind: str) -> tuple[str, str, int, str, float, int]:
    """What is rarely changed, folded."""
    with st.expander("More"):
        scheme = st.selectbox(
            "Kind of sample", (WITHOUT, POISSON), key="sampling", bind="query-params",
            help="A fixed number of records, or each record with the same probability, on its own.",
        )  # fmt: skip
        rule = st.selectbox(
            "Runs are admitted by", (ROGERS, BASIC, ADAPTIVE), key="rule", bind="query-params",
            help="The notebook's rule comes first.",
        )  # fmt: skip
        span = st.number_input(
            "Chart: up to so many times ε", 2, MOST_SPAN, value=9, key="span", bind="query-params"
        )  # fmt: skip
        calibration = CLASSICAL
        if kind == GAUSSIAN:
            calibration = st.selectbox(
                "σ follows from ε and δ by", (CLASSICAL, ANALYTIC), key="sigmaby", bind="query-params",
                help="The classical proof needs ε below 1; the analytic calibration is exact at every ε.",
            )  # fmt: skip
        about = "Standard deviation of the records, which lie between 0 and 1."
        spread = _number("Spread of the records", (0.0, 0.5), 0.25, 0.05, "spreadk", about)
        queries = st.number_input(
            "Means released", 1, MOST_QUERIES, value=100, key="many", bind="query-params",
            help="They share the budget equally.",
        )  # fmt: skip
    return scheme, rule, span, calibration, spread, queries


def _number(label: str, ends: tuple[float, float], value: float, step: float, key: str, about: str) -> float:
    return st.number_input(
        label, *ends, value=value, step=step, format="%.6g", key=key, bind="query-params", help=about
    )


def _delta(label: str, low: float, value: float, key: str, about: str) -> float:
    return steps.of_ten(label, key, min_value=low, value=value, bind="query-params", help=about)


def _sizes(population: int) -> tuple[int, ...]:
    typed = st.text_input(
        "Sample sizes m",
        value="50",
        max_chars=80,
        key="m",
        bind="query-params",
        help=f"Up to {MOST_SIZES}, separated by commas. Fresh for every run.",
    )
    try:
        st.session_state["_sizes"] = listed(typed, population)
    except ValueError as error:
        st.error(words.escaped(str(error)))
    held = st.session_state.get("_sizes", USUAL)
    return tuple(dict.fromkeys(min(size, population - 1) for size in held))


def listed(text: str, population: int) -> tuple[int, ...]:
    """Return the sample sizes that a line of text lists, each once.

    Raises
    ------
    ValueError
        When a part is no whole number in [1, `population` - 1], or there are too many.

    Examples
    --------
    >>> listed("60, 70; 80", 100)
    (60, 70, 80)
    """
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST_SIZES:
        raise ValueError(f"sample sizes must be 1 to {MOST_SIZES} numbers; got {len(parts)}")
    values = [number(part.lower()) for part in parts]
    for part, value in zip(parts, values, strict=True):
        if value is None or not 1 <= value < population or value != int(value):
            limits = f"[1, {population - 1}]"
            raise ValueError(f"each sample size must be a whole number in {limits}; got {words.shortened(part, 20)!r}")
    return tuple(dict.fromkeys(int(value) for value in values))
