"""What the page on sampling asks: its sidebar, as values."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.amplification import amplify, sampling_rate
from dpviz.guarantee import Guarantee
from dpviz.ui.shell import inputs, reading, words
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

EPSILON = (1e-5, inputs.EPSILON[1])
BUDGET = (1e-4, 1000.0)
SMALLEST_DELTA = 1e-30  # of one run with Gaussian noise, which has none at 0
MOST_RECORDS = 10**9
MOST_SIZES = 4
SIZES = ("each sample size", "sample sizes")
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
        kind = inputs.choice("Noise", "noise", (LAPLACE, GAUSSIAN), "Of every run.")
        about = "What it costs on the records that it reads."
        epsilon, delta = inputs.number("ε of one run", "erun", EPSILON, 0.001, 0.001, about), 0.0
        if kind == GAUSSIAN:
            delta = inputs.delta("δ of one run", "drun", 2e-20, "On its records.", min_value=SMALLEST_DELTA)
        population = inputs.count("Records n", "n", MOST_RECORDS, 100, "Public.", least=2, step=10)
        sizes = _sizes(population)
        limit = inputs.number("Budget ε", "ebud", BUDGET, 0.2, 0.1, "That all runs together may cost.")
        share = inputs.delta("Budget δ", "dbud", 2e-30, "The probability with which their bound may fail.")
        scheme, rule, span, calibration, spread, queries = _further(kind)
    run = Run(kind, epsilon, delta, calibration)
    budget = Guarantee(limit, share)
    return Question(run, population, sizes, budget, scheme, rule, span, spread, queries, reading.people())


def _further(kind: str) -> tuple[str, str, int, str, float, int]:
    """What is rarely changed, folded."""
    with st.expander("More"):
        about = "A fixed number of records, or each record with the same probability, on its own."
        scheme = inputs.choice("Kind of sample", "sampling", (WITHOUT, POISSON), about)
        rule = inputs.choice(
            "Runs are admitted by", "rule", (ROGERS, BASIC, ADAPTIVE), "The notebook's rule comes first."
        )
        span = inputs.count("Chart: up to so many times ε", "span", MOST_SPAN, 9, least=2)
        calibration = CLASSICAL
        if kind == GAUSSIAN:
            about = "The classical proof needs ε below 1; the analytic calibration is exact at every ε."
            calibration = inputs.choice("σ follows from ε and δ by", "sigmaby", (CLASSICAL, ANALYTIC), about)
        about = "Standard deviation of the records, which lie between 0 and 1."
        spread = inputs.number("Spread of the records", "spreadk", (0.0, 0.5), 0.25, 0.05, about)
        queries = inputs.count("Means released", "many", MOST_QUERIES, 100, "They share the budget equally.")
    return scheme, rule, span, calibration, spread, queries


def _sizes(population: int) -> tuple[int, ...]:
    typed = inputs.line(
        "Sample sizes m", "m", "50", 80, f"Up to {MOST_SIZES}, separated by commas. Fresh for every run."
    )
    try:
        st.session_state["_sizes"] = inputs.listed(typed, (1, population - 1), MOST_SIZES, *SIZES, whole=True)
    except ValueError as error:
        st.error(words.escaped(str(error)))
    held = st.session_state.get("_sizes", USUAL)
    return tuple(dict.fromkeys(min(size, population - 1) for size in held))
