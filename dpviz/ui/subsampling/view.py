"""The page on sampling: its sidebar, its charts, and the table beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.effort import DRAWN
from dpviz.figures.learn import sampled_curves, sampled_runs
from dpviz.mechanisms import Subsampled
from dpviz.mechanisms.left_open import in_units
from dpviz.plan import Release
from dpviz.rounding import shown_count, shown_delta, shown_up
from dpviz.ui.shell import components, inputs, learn_pages, page_state, shell
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import static
from dpviz.ui.shell.presets import bar
from dpviz.ui.subsampling import answer as answers
from dpviz.ui.subsampling import words as told
from dpviz.ui.subsampling.answer import Answer
from dpviz.ui.subsampling.asked import EPSILON, Question
from dpviz.ui.subsampling.presets import PRESETS

MORE = ("What it costs", "ε′ of one run", "Tight, over k runs", "Which kind of sample", "The notebook's slips")


@shell.guarded
def show_smaller(limit: float) -> None:
    """Set the ε of one run to a hundredth of the budget, where runs fit; a callback."""
    low, high = EPSILON
    page_state.put({"erun": min(max(limit / 100, low), high)})


def presets(figures: bool) -> None:
    """Draw one button per figure of the notebook, and the switch of the axes of their chart."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        bar(PRESETS)
        st.space("stretch")
        if figures:
            inputs.switch("Axes of runs", "runaxes", ("log", "linear"), label_visibility="collapsed")


def metrics(asked: Question, found: Answer) -> None:
    """Draw four numbers: two of what a sample buys, one of what needs no sample, one of what it costs."""
    whole, sampled = found.counts()[:2]
    size, native = shown_count(asked.sizes[0]), told.counted(int(found.native.runs.iloc[0]))
    at = f", at δ = {shown_delta(asked.run.delta)}" if asked.run.delta else ""
    reads = f"{shown_up(asked.run.epsilon)} unsampled{at}"
    by_noise = native if found.sampled is None else told.counted(found.sampled)
    on_all = "on all records" if found.sampled is None else f"{native} on all records"
    entries = (
        ("ε′ of one run", shown_up(asked.sampled.epsilon), reads, "By the amplification theorem, rounded up."),
        (
            f"Runs on {size} records", told.counted(sampled), f"{told.counted(whole)} on all records",
            f"Chosen along the way, by the rule: {asked.rule}.",
        ),
        ("Runs, fixed in advance", by_noise, on_all, told.NATIVE if found.sampled is None else told.BY_NOISE),
        ("Error of a mean", told.ratio(asked, found), "times that over all", "At equal total budget; details below."),
    )  # fmt: skip
    components.metrics(entries, 4)


def use(asked: Question) -> None:
    """Offer the sampled run to the plan: in the row that it comes from, or in a new one."""
    sampled = Subsampled(answers.noise_of(asked), asked.rates[0], answers.SCHEMES[asked.scheme])
    if asked.row is None:
        release = Release("Run on a random sample", in_units(sampled))
        learn_pages.use((release,), "sample", "As a new row that is run once.")
        return
    releases = enumerate(session.current().releases)
    changed = (replace(each, mechanism=sampled) if n == asked.row else each for n, each in releases)
    learn_pages.use_instead(changed, "sample", "The plan keeps how often it is run.")


def picture(asked: Question, found: Answer) -> None:
    """Draw the chart of runs; what many of them cost, where they are counted by their noise."""
    if found.sampled is not None:
        most = 10 ** max(1, min(len(str(found.sampled)), 5))
        kinds = (answers.SCHEMES[asked.scheme],)
        fit = (int(found.native.runs.iloc[0]), found.sampled)
        frame = answers.totals(asked.run, asked.budget.delta, asked.rates[0], most, kinds, DRAWN, fit)
        _rounds(asked, frame, "sampled-runs", told.fitting(found, int(frame["count"].max())))
        return
    if not found.runs.runs.any():
        st.info("Not one run fits, chosen along the way: each costs more than the whole budget, sampled or not.")
        limit = asked.budget.epsilon
        st.button("Show a hundredth of it per run", on_click=show_smaller, args=(limit,), key="show_smaller")
        return
    log = page_state.held("runaxes", "log") == "log"
    components.chart(
        components.drawn(sampled_runs.sampled_runs, found.runs, found.native, log),
        found.runs,
        "sampled-runs",
        told.title(asked, found),
        partial(sampled_runs.described, found.runs, found.native, told.budget(asked.budget)),
    )


@static
def panel(asked: Question, found: Answer) -> None:
    """Say how many runs fit under every rule, and why they differ."""
    st.markdown(f"**Who counts how, at ε = {shown_up(asked.run.epsilon)}**")
    rates = (1.0, *asked.rates)
    headings = ["on all records", *(f"on {shown_count(size)}" for size in asked.sizes)]
    rows = [
        {"rule": rule} | {head: told.counted(count) for head, count in zip(headings, counts, strict=True)}
        for rule, counts in answers.by_rule(asked.run, asked.budget, rates).items()
    ]
    native = told.counted(int(found.native.runs.iloc[0]))
    rows.append({"rule": "Noise, fixed in advance"} | dict.fromkeys(headings[1:], "–") | {headings[0]: native})
    if found.sampled is not None:
        rows[-1][headings[1]] = told.counted(found.sampled)
    config = {"rule": st.column_config.TextColumn("How many runs fit", width=170)}
    config |= {head: st.column_config.TextColumn(head, alignment="right", width=96) for head in headings}
    st.dataframe(
        pd.DataFrame(rows)[["rule", *headings]], hide_index=True, column_config=config, alt="Runs under every rule"
    )


def cost(asked: Question, found: Answer) -> None:
    """Draw the error of a mean against the rate."""
    if found.errors is None:
        st.info("Gaussian noise needs a budget with δ above 0.")
        return
    components.chart(
        components.drawn(sampled_curves.sampled_error, found.errors, list(asked.sizes)),
        found.errors,
        "sampled-error",
        told.IN_WORDS if asked.in_words else told.best_rate(found.errors),
        partial(sampled_curves.described_error, found.errors),
    )
    if not asked.in_words:
        st.caption(told.about_cost(asked, found.errors))


def one_run(asked: Question) -> None:
    """Draw ε′ against the rate, and against ε."""
    rates = tuple(rate for rate in dict.fromkeys(asked.rates) if rate < 1)
    by_rate, by_epsilon = answers.one_run(asked.run.epsilon, rates)
    left, right = st.columns(2, gap="medium")
    with left:
        components.chart(
            components.drawn(sampled_curves.against_rate, by_rate), by_rate, "epsilon-against-rate",
            "A small ε shrinks with the rate; a large one hardly does",
            partial(sampled_curves.described_rates, by_rate),
        )  # fmt: skip
    with right:
        components.chart(
            components.drawn(sampled_curves.against_epsilon, by_epsilon), by_epsilon,
            "epsilon-against-epsilon", "A sample subtracts ln(1/q) from a large ε",
            partial(sampled_curves.described_epsilons, by_epsilon),
        )  # fmt: skip


def tight(asked: Question) -> None:
    """Draw what k runs cost, by the formula and tight."""
    most = inputs.slider("Runs, up to", "kruns", (10, 100, 1000, 10_000, 100_000), value=1000, format_func=shown_count)
    frame = answers.totals(asked.run, asked.budget.delta, asked.rates[0], most)
    st.markdown(told.tightness(asked, frame))
    _rounds(asked, frame, "sampled-rounds", "What k runs cost: by the formula, and tight")
    st.caption(told.TWO_RELATIONS)


def _rounds(asked: Question, frame: pd.DataFrame, name: str, title: str) -> None:
    figure = components.drawn(sampled_curves.sampled_rounds, frame, asked.budget.epsilon)
    components.chart(figure, frame, name, title, partial(sampled_curves.described_rounds, frame))


@static
def kinds(asked: Question) -> None:
    """Compare the kinds of samples: their promise, their neighbours, their theorem."""
    size, population = asked.sizes[0], asked.population
    replaced = answers.with_replacement(asked.run, size, population)
    st.dataframe(
        pd.DataFrame(told.kinds_rows(asked, replaced)),
        hide_index=True,
        column_config={"kind": st.column_config.TextColumn("Sample", pinned=True)},
        alt="Kinds of samples",
    )
    st.markdown(told.kinds(asked, replaced))


@static
def why(asked: Question) -> None:
    """Draw the theorems behind the page in an expander, each with a line that shows it at work."""
    components.why(told.records(asked))
