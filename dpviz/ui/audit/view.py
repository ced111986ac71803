"""What the page on audits draws: the power curve, and what scores prove."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from dpviz.figures.plan import audit_power
from dpviz.ui.audit import answer as answers
from dpviz.ui.audit import words as told
from dpviz.ui.audit.answer import Planned
from dpviz.ui.audit.asked import Question, counted, measured
from dpviz.ui.shell import components, inputs, reading, refusals

READS = "What do measured scores prove?"
COLUMNS = ["number", "power", "false_positive_rate", "true_positive_rate", "guesses"]


def picture(asked: Question, found: Planned) -> None:
    """Draw the power curve, to choose the number from."""
    if asked.plan is not None:
        inputs.made_otherwise()
    given = (asked.power, found.needed, asked.design)
    components.chart(
        components.drawn(audit_power.audit_power, found.power, *given),
        found.power[COLUMNS],
        "audit-power",
        told.title(asked, found),
        partial(audit_power.described, found.power, *given),
    )
    planned = told.PLAINLY if reading.people() else told.PLANNED
    st.caption(reading.told((told.ONE_RUN if asked.design == "one_run" else "") + planned))


def reads(asked: Question, found: Planned) -> None:
    """Draw where scores are given, and what they prove; the worked example until some are."""
    if not reading.people():
        st.header(READS, anchor=False)
    answer = st.container()
    scores = measured()
    if of_numbers := counted():
        scores, guesses = of_numbers
        asked = replace(asked, design="one_run", choice="beforehand", at=guesses)
    try:
        proved = answers.read(asked, scores, found.needed)
    except ValueError as error:
        answer.warning(refusals.drawn(error))
        return
    with answer:
        st.markdown(reading.told(told.measured(asked, proved)))
        st.caption(reading.told(told.counts(proved)))
    st.download_button(
        "These scores as CSV", proved.scores.to_csv, "audit-scores.csv", "text/csv", on_click="ignore",
        key="audit_scores_csv", help="In the form that is read here: a score and a 1 or 0 per line.",
    )  # fmt: skip
