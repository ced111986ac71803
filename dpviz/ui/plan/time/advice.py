"""The levers and checks of a plan: which change buys most, and which known mistakes the plan makes."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.composition import theorem_named
from dpviz.effort import MOST_DRAWN
from dpviz.figures.tornado import described, tornado
from dpviz.planning.advice import CHECKS, check_named
from dpviz.planning.advice.data import counts_in_reals
from dpviz.rounding import shown_delta, shown_down, shown_up
from dpviz.ui.plan.time import answer as answers
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import Outlook
from dpviz.ui.shell import components, inputs, shell, words
from dpviz.ui.shell.kept import static

CHANGES = (5, 10, 25, 50)  # percent
BATCHES = ("not stated", "poisson", "shuffled", "fixed")
ANSWERS = {"not stated": None, "yes": True, "no": False}
_BY_NAME = {entry.name: entry for entry in shell.PAGES}
# The page that explains what a package of dpviz computes.
PAGES = _BY_NAME | {"amplification": _BY_NAME["subsampling"], "sources": _BY_NAME["theorems"]}


def levers(outlook: Outlook) -> None:
    """Draw which change of which release moves the lifetime total most; δ apart."""
    plan = outlook.budgeted
    if not words.uses(plan):
        st.info("Nothing is released, so there is nothing to change.")
        return
    change = inputs.switch("Change each by, in percent", "step", CHANGES, default=10, format_func=str)
    frame, left_out = answers.moved(plan, change / 100)
    if frame.empty:
        st.info("No release has a lever: what is done, even in part, is held as it is.")
    else:
        best = frame.iloc[0]
        st.markdown(_best(best))
        of = "what one unit loses" if outlook.one_unit else "the total"
        title = f"What one change of {change} % makes of {of}"
        components.chart(components.drawn(tornado, frame), frame, "levers", title, partial(described, frame))
    if left_out:
        st.caption(words.escaped(left_out))
    _delta(answers.moved_delta(plan))


def _best(best: pd.Series) -> str:
    name = words.escaped(best.release)
    if not best.saving > 0:
        return "No single change of this size lowers the total."
    if math.isinf(best.saving):
        return f"**{words.escaped(best.what)}** of **{name}** saves most: only then there is a finite total."
    return (
        f"**{words.escaped(best.what)}** of **{name}** saves most: the total falls from ε = "
        f"{shown_up(best.total)} to **{shown_up(best.epsilon_less)}**, by **{shown_down(best.saving)}**."
    )


def _delta(frame: pd.DataFrame) -> None:
    """δ apart: it is no lever, since a larger one is a weaker promise."""
    totals = [f"ε ≤ {shown_up(row.epsilon)} at δ = {shown_delta(row.delta)}" for row in frame.itertuples()]
    st.caption(
        f"For comparison: {'; '.join(totals)}. δ is no lever: a larger one is a weaker promise, not a cheaper plan."
    )


def checks(outlook: Outlook) -> None:
    """Draw what the checks find, with reasons, and which found nothing."""
    plan = outlook.asked.plan
    found = answers.found(plan, *_context(outlook))
    for finding in found:
        _draw(finding, outlook)
    quiet = [check.label for check in CHECKS if check.key not in {each.check for each in found}]
    if quiet:
        st.markdown(f"**{len(quiet)} of {len(CHECKS)} checks found nothing:** " + words.escaped("; ".join(quiet)) + ".")
    st.caption("A check goes by what the plan says. It cannot see data, code, or how a sensitivity was found.")


def _context(outlook: Outlook) -> tuple[str | None, bool | None, bool | None]:
    """What the plan does not say: asked only where it matters."""
    plan, batches, disjoint, whole = outlook.asked.plan, None, None, None
    if any(each.mechanism.parameters.get("scheme") == "poisson" for each in plan.releases):
        chosen = inputs.switch("Batches are really drawn", "batches", BATCHES)
        batches = None if chosen == BATCHES[0] else chosen
    if any(each.part is not None for each in plan.releases):
        disjoint = ANSWERS[inputs.switch("Everybody is in one part only", "oneof", tuple(ANSWERS))]
    if counts_in_reals(plan):
        whole = ANSWERS[inputs.switch("Noise of counts is drawn in whole numbers", "whole", tuple(ANSWERS))]
    return batches, disjoint, whole


def _draw(finding: object, outlook: Outlook) -> None:
    releases = outlook.asked.plan.releases
    names = ", ".join(f"row {row + 1} ({words.shortened(releases[row].name, 40)})" for row in finding.rows[:4])
    more = f" and {len(finding.rows) - 4} more" if len(finding.rows) > 4 else ""
    check = check_named(finding.check)
    with st.container(border=True):
        where = f" · {words.escaped(names + more)}" if names else ""
        st.markdown(f":material/warning: **{words.escaped(check.label)}**{where}")
        source = f" [Read more]({finding.see})" if finding.see.startswith("https://") else ""
        st.markdown(words.escaped(finding.sentence) + source)
        if entry := PAGES.get(finding.see):  # a link in the text would open a new session, without the plan
            st.page_link(shell.ROOT / "pages" / f"{entry.name}.py", label=entry.title, icon=entry.sign)
        st.caption(f"{words.escaped(check.assumes)} Source: {words.escaped(check.source)}.")


@static
def why(outlook: Outlook) -> None:
    """Draw statement, assumptions and source of what is quoted for each date."""
    keys = ("basic",) if outlook.asked.dated.adaptive else ("pld", "basic")
    with st.expander("Why: what is proved for each date"):
        st.markdown(told.THEOREMS if len(keys) > 1 else "Only sums of stated pairs hold at every date.")
        for key in keys:
            components.statement(theorem_named(key))
        if words.uses(outlook.asked.dated):
            rows = outlook.lifetime
            st.markdown(
                f"Here: {len(rows):,} steps, the last after {int(rows.uses.iloc[-1]):,} releases with ε ≤ "
                f"{shown_up(outlook.total, 6)} at δ = {shown_delta(outlook.asked.dated.budget.delta)}. Each step is an "
                "upper bound, at most about 1 in 10,000 above the tight value; where dates share a step, it counts the "
                "last of them."
            )
        st.markdown(
            f"{told.UNDATED} Of plans of more than {MOST_DRAWN} different mechanisms, some steps before the "
            "last are bounded by closed formulas: Basic, Kairouz-Oh-Viswanath and zCDP. Releases in different parts of "
            "the data cost the most that one part does (McSherry 2009, Thm 4)."
        )
