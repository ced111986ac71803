"""What the page on sampling asks: its sidebar, as values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpviz.amplification import amplify, sampling_rate
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism, Thresholding
from dpviz.plan import Plan
from dpviz.ui.shell import inputs, learn_pages, page_state, reading, row_choice
from dpviz.ui.shell.document import session
from dpviz.ui.subsampling import presets

CURRENT = "Current plan"
SOURCES = (CURRENT, presets.TYPED, presets.FIGURES)
EPSILON = (1e-5, inputs.EPSILON[1])
BUDGET = (1e-4, 1000.0)
DELTA = (1e-30, inputs.DELTA[1])  # of one run with Gaussian noise, which has none at 0
MOST_RECORDS = 10**9
MOST_SIZES = 4
SIZES = ("each sample size", "sample sizes")
MOST_SPAN = 1000
MOST_QUERIES = 10**6
USUAL = 10_000  # records, where the plan states no number of people
# What stands in the boxes at first: values that anybody may type, or those of the figures.
FIRST = {"erun": 0.1, "drun": 1e-9, "n": USUAL, "m": "100", "ebud": 1.0, "dbud": 1e-6}
FIRST_FIGURE = {"erun": 0.001, "drun": 2e-20, "n": 100, "m": "50", "ebud": 0.2, "dbud": 2e-30}


@dataclass(frozen=True, slots=True)
class Run:
    """One run on the records that it reads.

    Parameters
    ----------
    noise : str
        `presets.LAPLACE` or `presets.GAUSSIAN`.
    epsilon, delta : float
        What it costs there; δ is 0 for Laplace noise.
    calibration : str
        By which σ follows from both, for Gaussian noise.
    """

    noise: str
    epsilon: float
    delta: float = 0.0
    calibration: str = presets.CLASSICAL


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
    in_words : bool
    figures : bool
        Whether the page shows the figures of the notebook, which count pairs (ε, δ) alone.
    row : int or None
        Place of the release in the current plan that is the run; None where the run is typed.
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
    figures: bool = True
    row: int | None = None

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
    about = "The run and the budget of the plan that you work on, any that are typed, or what a notebook draws."
    with st.sidebar:
        former = presets.FIGURES if inputs.linked() else presets.TYPED
        chosen = inputs.source("What is run", "ssource", SOURCES, CURRENT, former, about)
        plan = session.current() if chosen == CURRENT else Plan(())
        row, run = _release(plan) if plan.releases else (None, None)
        first = FIRST_FIGURE if chosen == presets.FIGURES else FIRST | _read_by(plan, row)
        _follow(first["m"])
        about = "Their number, n, is public."
        population = inputs.count("Records in all", "n", MOST_RECORDS, first["n"], about, least=2)
        sizes = _sizes(population, first["m"])
        with learn_pages.rest():
            run = run or _run(first, chosen == presets.FIGURES)
            budget = _budget(plan, first)
            with st.container() if reading.people() else st.expander("More"):
                scheme, rule, span, spread, queries = _further(plan, chosen == presets.FIGURES)
    people, figures = reading.people(), chosen == presets.FIGURES
    return Question(run, population, sizes, budget, scheme, rule, span, spread, queries, people, figures, row)


def _release(plan: Plan) -> tuple[int | None, Run | None]:
    """The place of the chosen release and its run; None of either, with a sentence, where it cannot be sampled."""
    row = row_choice.release("The run", plan, "srow", lambda each: bool(each.uses and each.mechanism.sampled))
    run = run_of(plan.releases[row].mechanism, plan.budget.delta, plan.releases[row].uses)
    if run is None:
        st.caption("This release is more, or other, than noise on an answer: the run that is typed below is shown.")
    return (None, None) if run is None else (row, run)


def run_of(mechanism: Mechanism, delta: float, uses: int) -> Run | None:
    """Return one run of a release on the records that it reads; None where noise on an answer is not all of it.

    Gaussian noise is stated at a share of half of `delta`, the whole δ of its uses.
    """
    base, share = mechanism.base, delta / 2 / max(uses, 1)
    if base.noise is None or isinstance(mechanism, Thresholding):
        return None
    pure = base.epsilon(0.0)
    if math.isfinite(pure):
        return Run(presets.LAPLACE, pure)
    if share < DELTA[0]:
        return None
    # What is calibrated for this ε has a little less noise than the release, never more.
    return Run(presets.GAUSSIAN, base.epsilon(share) * (1 + 1e-9), share, presets.ANALYTIC)


def _read_by(plan: Plan, row: int | None) -> dict[str, object]:
    """How many records there are, and how many a run reads: as the plan says, else one in a hundred."""
    if row is None:
        return {}
    population, mechanism = max(plan.population or USUAL, 2), plan.releases[row].mechanism
    rate = mechanism.rate if mechanism.sampled else 0.01
    return {"n": min(population, MOST_RECORDS), "m": str(min(max(round(rate * population), 1), population - 1))}


def _follow(size: str) -> None:
    """Let the size of a sample that nobody typed follow another release that is chosen."""
    proposed = page_state.held("m_proposed")
    if proposed not in (None, size) and page_state.held("m") == proposed:
        page_state.put({"m": size})
    page_state.put({"m_proposed": size})


def _run(first: dict[str, object], figures: bool) -> Run:
    kind = inputs.choice("Noise", "noise", presets.NOISES, "Of every run.")
    about = "What it costs on the records that it reads."
    epsilon = inputs.number("ε of one run", "erun", EPSILON, first["erun"], about)
    if kind == presets.LAPLACE:
        return Run(kind, epsilon)
    delta = inputs.delta("δ of one run", "drun", first["drun"], "On its records.", ends=DELTA)
    about = "The classical proof needs ε below 1; the analytic calibration is exact at every ε."
    place = 0 if figures else 1
    way = inputs.choice("σ follows from ε and δ by", "sigmaby", presets.CALIBRATIONS, about, index=place)
    return Run(kind, epsilon, delta, way)


def _budget(plan: Plan, first: dict[str, object]) -> Guarantee:
    limit, delta = plan.budget.epsilon, plan.budget.delta
    if math.isinf(limit) or limit < BUDGET[0]:
        limit = inputs.number("Budget ε", "ebud", BUDGET, first["ebud"], "That all runs together may cost.")
    if not plan.releases:
        delta = inputs.delta("Budget δ", "dbud", first["dbud"], "The probability with which their bound may fail.")
    return Guarantee(limit, delta)


def _further(plan: Plan, figures: bool) -> tuple[str, str, int, float, int]:
    """What is rarely changed."""
    about = "A fixed number of records, or each record with the same probability, on its own."
    poisson = plan.releases and plan.neighbours == "add_remove"
    scheme = inputs.choice("Kind of sample", "sampling", presets.SAMPLES, about, index=1 if poisson else 0)
    about = "Runs may be chosen along the way under each of these rules."
    rule = inputs.choice("Runs are admitted by", "rule", presets.RULES, about, index=0 if figures else 2)
    span = inputs.count("Chart: up to so many times ε", "span", MOST_SPAN, 9, least=2)
    about = "Standard deviation of the records, which lie between 0 and 1."
    spread = inputs.number("Spread of the records", "spreadk", (0.0, 0.5), 0.25, about)
    queries = inputs.count("Means released", "many", MOST_QUERIES, 100, "They share the budget equally.")
    return scheme, rule, span, spread, queries


def _sizes(population: int, first: str) -> tuple[int, ...]:
    about = f"Up to {MOST_SIZES} sizes m, separated by commas. Fresh for every run."
    limits = {"ends": (1, population - 1), "most": MOST_SIZES, "name": SIZES[0], "names": SIZES[1], "whole": True}
    held = inputs.numbers("Records in a sample", "m", first, 80, about, **limits)
    return tuple(dict.fromkeys(min(size, population - 1) for size in held))
