"""The filter page: how many equal queries a budget admits, what a plan can take of it, and K beside the theorem."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.figures.learn.filter_counts import described, filter_counts
from dpviz.figures.learn.growth import Marks, growth
from dpviz.figures.learn.growth import described as growth_described
from dpviz.filters import MOST_RUNS
from dpviz.mechanisms.left_open import in_units
from dpviz.plan import Release
from dpviz.ui.filters import answer as answers
from dpviz.ui.filters import presets
from dpviz.ui.filters import words as told
from dpviz.ui.filters.asked import MOST_K, Question
from dpviz.ui.shell import components, inputs, kept, learn_pages, words
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import static
from dpviz.ui.shell.presets import bar, shown_preset

_NONE = pd.DataFrame({"theorem": [], "label": [], "count": [], "epsilon": []})
_NO_CROSSINGS = pd.DataFrame({"rule": [], "label": [], "epsilon": [], "runs": []})
_NAME = 60  # letters of a release that a new one is called after


def runs(asked: Question) -> None:
    """Draw how many equal queries each rule admits, in words for people who want no rule."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta)
    name = "" if asked.row is None else session.current().releases[asked.row].name
    st.markdown(_finding(asked, rows, name))
    if asked.in_words:
        _two_lines(asked)
        _use(asked)
        return
    components.metrics(told.runs_metrics(rows))
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        bar(presets.PRESETS)
        st.space("stretch")
        scale = inputs.switch("Axes", "faxes", ("log", "linear"), label_visibility="collapsed")
    crossed = answers.crossings(asked.terms, asked.delta)
    frame = answers.curve(asked.terms, asked.low, asked.high, scale, asked.delta)
    picture, notes = above.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            components.drawn(filter_counts, frame, crossed, asked.epsilon, scale == "log"),
            frame,
            "filter-runs",
            told.runs_title(crossed, asked.delta),
            partial(described, frame, crossed),
        )
    with notes:
        _notes(asked, rows)


def _finding(asked: Question, rows: pd.DataFrame, name: str) -> str:
    """How many queries fit: of a release of the plan, by its noise where that admits more than its pair."""
    by_noise = ""
    if asked.row is not None:
        plan = session.current()
        alone = replace(plan.releases[asked.row], count=0)
        room = kept.further(replace(plan, releases=(alone,), budget=asked.terms.budget, adaptive=True), 0)
        by_noise = told.by_noise(asked, rows, room, name)
    return by_noise or told.runs_finding(asked, rows, name)


def _notes(asked: Question, rows: pd.DataFrame) -> None:
    if shown_preset((presets.NOTEBOOK,), ("epsq", "faxes")):
        learn_pages.claims("sherpa")
    for sentence in told.why_here(asked, rows):
        st.markdown(sentence)
    _use(asked)


def _two_lines(asked: Question) -> None:
    """The one picture for people: adding up, and what the best rule admits at every ε."""
    frame = answers.curve(asked.terms, asked.low, asked.high, "log", asked.delta)
    names = {"basic": "each counted in full", "zcdp": "as many as can be proved"}
    best = frame.groupby("epsilon").runs.transform("max").where(frame.rule == "zcdp", frame.runs)
    frame = frame.assign(runs=best, label=frame.rule.map(names)).dropna(subset="label")
    components.chart(
        components.drawn(filter_counts, frame, _NO_CROSSINGS, asked.epsilon, True, True),
        frame,
        "filter-runs",
        "The less each question gives away, the more can be asked",
        partial(described, frame, _NO_CROSSINGS),
    )


def _use(asked: Question) -> None:
    """Offer to the plan what it can take from here: the typed budget, or as many more of a release as fit."""
    plan, releases = session.current(), ()
    if asked.row is None:
        learn_pages.use((), "budget", "Makes the typed budget that of the plan.", budget=asked.terms.budget)
        return
    if plan.budget.epsilon == asked.terms.epsilon:
        more = kept.further(replace(plan, adaptive=True), asked.row).count
        st.markdown(told.beside(more))
        release = plan.releases[asked.row]
        name = f"{release.name[:_NAME].strip()}, asked again"
        releases = (Release(name, in_units(release.mechanism), more, release.part),) if 0 < more < MOST_RUNS else ()
    about = "Adds as many of it as fit, as a new row. The plan is chosen along the way from then on."
    learn_pages.use(releases, "queries", about, adaptive=plan.adaptive or bool(releases))


def totals(asked: Question) -> None:
    """Draw K of Rogers' rule for equal queries beside the other rules and the advanced composition theorem."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    most = int(np.clip(1.3 * max(int(rows.runs.max()), 10), 10, MOST_K))
    terms = asked.terms
    ends = tuple(int(each) for each in rows.runs if each <= most)
    frame = answers.repeated(terms.epsilon, terms.delta, asked.epsilon, asked.delta, most, ends, terms.kept)
    st.markdown(told.totals_finding(asked, frame))
    marks = Marks(_NONE, terms.epsilon, int(min(rows.runs.max(), MOST_RUNS)))
    picture, notes = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            components.drawn(growth, frame[frame.theorem != "basic"], marks),
            frame,
            "filter-totals",
            "What k equal queries count under each rule, and by advanced composition",
            partial(growth_described, frame, marks, "unit of privacy"),
        )
    with notes:
        st.markdown(told.about_totals(asked, rows))


@static
def why(asked: Question) -> None:
    """Draw statement, assumptions, source and a worked line of every rule."""
    rows = answers.counts_at(asked.terms, asked.epsilon, asked.delta).set_index("rule")
    place = components.why(told.rules(asked, rows), "the rules, what they assume and where they stand")
    with place:
        st.markdown(
            "**Adding up as well.** If the loss exceeds the budget's ε, Basic has failed for good, so the rule itself "
            "has held from the first query to the last; the failures are its own, at most δ'. Two rules other than "
            "Basic must not be joined so: their δ' would add up."
        )
        st.markdown(f"**Why no other rules.** {words.NOT_A_FILTER}")
