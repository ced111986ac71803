"""The levers and checks of a plan: which change buys most, and which known mistakes the plan makes."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.composition import theorem_named
from dpviz.effort import MOST_DRAWN
from dpviz.figures.plan.tornado import described, tornado
from dpviz.parameters import COPIES
from dpviz.plan import Plan
from dpviz.planning.advice import CHECKS, Context, Finding, check_named
from dpviz.planning.advice.finding import FAULT, NOTE, QUESTION
from dpviz.planning.advice.steps import LEFT_OUT
from dpviz.rounding import shown_delta, shown_down, shown_total, shown_up
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.asked import WHEN
from dpviz.ui.plan.time import answer as answers
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import Outlook
from dpviz.ui.plan.words import dearest
from dpviz.ui.shell import components, inputs, page_state, reading, shell, words
from dpviz.ui.shell.document import edits
from dpviz.ui.shell.kept import static

CHANGES = (5, 10, 25, 50)  # percent
BATCHES = ("not stated", "poisson", "shuffled", "fixed")
ANSWERS = {"not stated": None, "yes": True, "no": False}
YES_OR_NO = tuple(ANSWERS)
SIGNS = {FAULT: ":material/error:", QUESTION: ":material/warning:", NOTE: ":material/info:"}
# The keys of the address that hold what a plan does not say, by the names of `Context`.
KEYS = {
    "batches": "batches", "parts_disjoint": "oneof", "whole_numbers": "whole", "rows_per_unit": "rowsof",
    "bounds_fixed": "preset", "sample_secret": "secret", "same_statistic": "alike", "epsilon_per_use": "foreach",
}  # fmt: skip
CHECKED = "Checks"  # the view that draws them
MOST_SAID = 3  # faults that the head of the page says in full
EXPLAINED = {"amplification": "subsampling", "sources": "theorems"}  # packages of dpviz by a page of another name


def levers(outlook: Outlook) -> None:
    """Draw which change of which release moves the lifetime total most; δ apart."""
    plan = outlook.budgeted
    if not words.uses(plan):
        st.info("Nothing is released, so there is nothing to change.")
        return
    change = inputs.switch("Change each by, in percent", "step", CHANGES, default=10, format_func=str)
    st.markdown(f"{dearest(Standing.of(outlook.asked.plan))}.")
    frame, left_out = answers.moved(plan, change / 100)
    frame = _steps(frame)
    if frame.empty:
        st.info("No release has a lever: what is done, even in part, is held as it is.")
    else:
        st.markdown(_best(frame.iloc[0]))
        of = "what one unit loses" if outlook.one_unit else "the total"
        title = f"What one change of {change} % makes of {of}"
        components.chart(components.drawn(tornado, frame), frame, "levers", title, partial(described, frame))
    if left_out:
        st.caption(words.escaped(left_out))
    _delta(answers.moved_delta(plan))


def _steps(frame: pd.DataFrame) -> pd.DataFrame:
    """The changes of this size: leaving out what is used once is none, but where only that gives a total."""
    return frame[(frame.what != LEFT_OUT) | frame.total.map(math.isinf)].reset_index(drop=True)


def _best(best: pd.Series) -> str:
    name = words.escaped(best.release)
    if not best.saving > 0:
        return "No single change of this size lowers the total."
    if math.isinf(best.saving):
        return f"**{words.escaped(best.what)}** of **{name}** saves most: only then there is a finite total."
    return (
        f"Of these changes, **{words.escaped(best.what)}** of **{name}** saves most: the total falls from ε = "
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
    found = answers.found(plan, _context(plan))
    for place, finding in enumerate(found):
        _draw(finding, plan, place)
    quiet = [check.label for check in CHECKS if check.key not in {each.check for each in found}]
    if quiet:
        st.markdown(f"**{len(quiet)} of {len(CHECKS)} checks found nothing:** " + words.escaped("; ".join(quiet)) + ".")
    st.caption("A check goes by what the plan says. It cannot see data, code, or how a sensitivity was found.")


def _context(plan: Plan) -> Context:
    """What the plan does not say: asked only where it matters."""
    unsaid, said = answers.unsaid(plan), {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if "batches" in unsaid:
            chosen = inputs.switch("Batches are really drawn", "batches", BATCHES)
            said["batches"] = None if chosen == BATCHES[0] else chosen
        if "parts_disjoint" in unsaid:
            said["parts_disjoint"] = inputs.switch("Everybody is in one part only", "oneof", YES_OR_NO)
        if "whole_numbers" in unsaid:
            said["whole_numbers"] = inputs.switch("Noise of counts is drawn in whole numbers", "whole", YES_OR_NO)
        if "rows_per_unit" in unsaid:
            said["rows_per_unit"] = _rows_per_unit(plan)
        _of_values(unsaid, said)
    return Context(**{name: ANSWERS.get(value, value) for name, value in said.items()})


def said(plan: Plan) -> Context:
    """Return what was said of a plan where its checks asked, whether or not the inputs are in sight."""
    found = {}
    for name in answers.unsaid(plan):
        held = page_state.held(KEYS[name], st.query_params.get(KEYS[name]))
        if name == "rows_per_unit":
            with suppress(ValueError):
                found[name] = int(inputs.within(str(held or ""), "rows", (1, COPIES.high), whole=True))
        elif held in (*BATCHES, *ANSWERS):
            found[name] = None if held == BATCHES[0] else ANSWERS.get(held, held)
    return Context(**found)


def faults(plan: Plan) -> tuple[Finding, ...]:
    """Return what makes the total surely another one than the plan's: only answers do, of what a plan counts."""
    context = said(plan)
    found = () if context == Context() else answers.found(plan, context)
    return tuple(each for each in found if each.severity == FAULT)


def doubts(plan: Plan) -> None:
    """Draw in a line what the checks ask before the number is relied on, and the faults in full."""
    found = answers.found(plan, said(plan)) if words.uses(plan) else ()
    for finding in [each for each in found if each.severity == FAULT][:MOST_SAID]:
        st.error(f"Not what this plan costs. {words.escaped(reading.told(finding.sentence))}")
    asked = list(dict.fromkeys(check_named(each.check).label for each in found if each.severity == QUESTION))
    if not asked:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        many = "1 question" if len(asked) == 1 else f"{len(asked)} questions"
        listed = words.escaped(reading.told(" · ".join(asked)))
        st.markdown(f":material/help: **{many} before this is relied on:** {listed}", width="content")
        if not reading.people():  # who reads no numbers is shown no checks
            st.button("Answer", on_click=_open, key="doubts", type="tertiary", icon=":material/arrow_downward:")


@shell.guarded
def _open() -> None:
    """Show the checks; a callback."""
    page_state.put({"tab": WHEN, "tview": CHECKED})


def _rows_per_unit(plan: Plan) -> int | None:
    unit = words.shortened(plan.unit_in_words, 30)
    about = f"How many rows of one {unit} an answer reads at most, all others being dropped before noise is added."
    label, most = words.escaped(f"Rows of one {unit} in an answer, at most"), int(COPIES.high)
    return inputs.count(label, "rowsof", most, None, words.escaped(about), placeholder="not stated", width=260)


def _of_values(unsaid: tuple[str, ...], said: dict[str, object]) -> None:
    """Ask about bounds, samples, rows that look alike, and whose ε it is."""
    if "bounds_fixed" in unsaid:
        said["bounds_fixed"] = inputs.switch("Clipping bounds were fixed without the data", "preset", YES_OR_NO)
    if "sample_secret" in unsaid:
        said["sample_secret"] = inputs.switch("Nobody learns who is in a sample", "secret", YES_OR_NO)
    if "same_statistic" in unsaid:
        said["same_statistic"] = inputs.switch("Rows that look alike are one release", "alike", YES_OR_NO)
    if "epsilon_per_use" in unsaid:
        said["epsilon_per_use"] = inputs.switch("ε is meant for each use", "foreach", YES_OR_NO)


def _draw(finding: Finding, plan: Plan, place: int) -> None:
    releases = plan.releases
    names = ", ".join(f"row {row + 1} ({words.shortened(releases[row].name, 40)})" for row in finding.rows[:4])
    more = f" and {len(finding.rows) - 4} more" if len(finding.rows) > 4 else ""
    check = check_named(finding.check)
    with st.container(border=True):
        where = f" · {words.escaped(names + more)}" if names else ""
        st.markdown(f"{SIGNS[finding.severity]} **{words.escaped(check.label)}**{where}")
        source = f" [Read more]({finding.see})" if finding.see.startswith("https://") else ""
        st.markdown(words.escaped(finding.sentence) + source)
        _mend(finding, place)
        if entry := page_of(finding):  # a link in the text would open a new session, without the plan
            shell.link(entry, entry.title)
        st.caption(f"{words.escaped(check.assumes)} Source: {words.escaped(check.source)}.")


def page_of(finding: Finding) -> shell.PageEntry | None:
    """The page that explains what a finding is of; None where it names a source elsewhere, or nothing to read on."""
    if not finding.see or finding.see.startswith("https://"):
        return None
    return shell.page_named(EXPLAINED.get(finding.see, finding.see))


def _mend(finding: Finding, place: int) -> None:
    """Offer what settles a finding."""
    mend = finding.mend
    if mend is not None:
        key, change = f"mend_{place}", edits.mend
        st.button(words.escaped(mend.label), on_click=change, args=(mend.plan,), key=key, icon=":material/build:")


@static
def why(outlook: Outlook) -> None:
    """Draw statement, assumptions and source of what is quoted for each date."""
    keys = ("basic",) if outlook.asked.dated.adaptive else ("pld", "basic")
    with st.expander("Why: what is proved for each date"):
        st.markdown(told.THEOREMS if len(keys) > 1 else "Only sums of stated pairs hold at every date.")
        for key in keys:
            components.statement(theorem_named(key))
        if words.uses(outlook.asked.dated):
            rows, budget = outlook.lifetime, outlook.asked.dated.budget
            st.markdown(
                f"Here: {len(rows):,} steps, the last after {int(rows.uses.iloc[-1]):,} releases with ε ≤ "
                f"{shown_total(outlook.total, budget.epsilon)} at δ = {shown_delta(budget.delta)}. Each step is an "
                "upper bound, at most about 1 in 10,000 above the tight value; where dates share a step, it counts the "
                "last of them."
            )
        st.markdown(
            f"{told.UNDATED} Of plans of more than {MOST_DRAWN} different mechanisms, some steps before the "
            "last are bounded by closed formulas: Basic, Kairouz-Oh-Viswanath and zCDP. Releases in different parts of "
            "the data cost the most that one part does (McSherry 2009, Thm 4)."
        )
