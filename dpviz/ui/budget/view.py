"""The budget page: its answer, its charts and what can be done with the answer."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from dpviz.figures import budget_split as split_figure
from dpviz.figures import release_errors as dots_figure
from dpviz.plan import Plan
from dpviz.planning.accuracy import half_width, quantile_dots
from dpviz.rounding import digits_apart, next_above, shown_count, shown_delta
from dpviz.ui.budget import answer as answers
from dpviz.ui.budget import words as told
from dpviz.ui.budget.answer import Answer
from dpviz.ui.budget.asked import MORE, chosen_row, keep_rows, set_delta, solve_for_noise, split_as_planned
from dpviz.ui.shell import components, workspace

STATES = ("now", "then")
USUAL_DELTA = 1e-6


def metrics(found: Answer) -> None:
    """Draw the large figures: cost now and then, noise, the widest interval."""
    plan = found.before
    spent = answers.total(plan)
    costs = {spent, found.epsilon if found.after else spent}
    over = {plan.budget.epsilon} if max(costs) > plan.budget.epsilon else set()
    digits = digits_apart(costs | over)  # a cost changed a little, or just over the budget, does not read as the same
    now = "no bound" if math.isinf(spent) else f"ε ≤ {told.amount(spent, digits)}"
    of = "no limit" if math.isinf(plan.budget.epsilon) else f"budget ε = {told.amount(plan.budget.epsilon)}"
    if math.isinf(spent) and plan.adaptive:
        of = f"none by adding up; {of}"
    with st.container(horizontal=True):
        components.metric(f"Cost now, δ = {shown_delta(plan.budget.delta)}", now, of)
        then = f"ε ≤ {told.amount(found.epsilon, digits)}" if found.after else "–"
        components.metric("Cost then", then, found.label or "no answer")
        what = _which_error(found)
        components.metric(f"{what} now", *_widest(found, found.before, found.widths_before))
        after = _widest(found, found.after, found.widths_after) if found.after else ("–", "no answer")
        components.metric(f"{what} then", *after)


def _which_error(found: Answer) -> str:
    joint = found.measure
    if joint is None or joint.whole:
        return "Largest error"
    return f"Error of row {joint.rows[0] + 1}" if len(joint.rows) == 1 else f"Largest error in {joint.unit}"


def _widest(found: Answer, plan: Plan, widths: list[float | None]) -> tuple[str, str]:
    joint = found.measure
    if joint is None:
        return "none", "no noise on a number"
    where = "all at once" if found.asked.jointly else "each number"
    of = "of the typical value, " if joint.relative else ""
    return joint.widest(plan, widths), f"{of}{where}, {told.percent(found.asked.confidence)}"


def comparison(found: Answer) -> pd.DataFrame:
    """Return spend and error of each release now and then, one row per release, in the order of the table."""
    before, after = found.before, found.after or found.before
    none = [None] * len(after.releases)
    spends = (answers.spends(before), answers.spends(after) if found.after else none)
    added = len(after.releases) - len(before.releases)
    kept = set(found.asked.kept)
    return pd.DataFrame(
        {
            "row": range(1, len(after.releases) + 1),
            "release": [each.name for each in after.releases],
            "note": [_note(row, found, kept) for row in range(len(after.releases))],
            "answer_unit": [each.answer_unit or "" for each in after.releases],
            "spend_before": pd.Series([*spends[0], *[None] * added], dtype=object),
            "spend_after": pd.Series(spends[1], dtype=object),
            "width_before": pd.Series([*found.widths_before, *[None] * added], dtype=object),
            "width_after": pd.Series(found.widths_after if found.after else none, dtype=object),
        }
    )


def _note(row: int, found: Answer, kept: set[int]) -> str:
    if row >= len(found.before.releases):
        return "added"
    release = found.before.releases[row]
    uses = f"{shown_count(release.uses)} times" if release.uses != 1 else ""
    unit = f"in {told.shortened(release.answer_unit, 20)}" if release.answer_unit else ""
    state = "done" if release.done else "kept" if row in kept and found.asked.solve != MORE else ""
    return ", ".join(text for text in (uses, unit, state) if text)


def picture(found: Answer) -> None:
    """Draw spend and error before and after."""
    frame = comparison(found)
    sure = told.percent(found.asked.confidence)
    title = f"error ±w, {sure}" + (", all at once" if found.asked.jointly else "")
    unbounded = "only a filter bounds it" if found.before.adaptive else split_figure.UNBOUNDED
    one_scale = found.measure is None or (found.measure.whole and not found.measure.relative)
    components.chart(
        split_figure.budget_split(frame, STATES, title, components.dark(), unbounded, one_scale),
        frame,
        "budget-split",
        _title(found),
        split_figure.described(frame, STATES, sure),
    )


def _title(found: Answer) -> str:
    if found.after is None:
        return "Spend and error of each release as they are"
    if found.asked.solve == MORE:
        return "More of one release spends the rest; no number becomes less accurate"
    return told.title(found)


def actions(found: Answer) -> None:
    """Offer to use the answer, to keep the present plan for a comparison, or a next step where there is none."""
    with st.container(horizontal=True):
        if found.after is not None:
            label = "Use this number in the plan" if found.asked.solve == MORE else "Use this noise in the plan"
            st.button(label, type="primary", key="use_it", on_click=workspace.replace_releases, args=(found.after,))
        st.button("Keep the present plan as A", on_click=workspace.keep_as_a, key="keep_a")
        st.button("Undo", on_click=workspace.undo, disabled=not workspace.past(), key="budget_undo")
        _offers(found)
    if workspace.document().baseline == found.before:
        st.caption("The present plan is A: change it, and compare on the page “A against B”.")


def _offers(found: Answer) -> None:
    """Buttons for the next step where there is no answer, or where it exceeds the budget."""
    plan, asked = found.before, found.asked
    over = found.after is not None and found.epsilon > plan.budget.epsilon
    if found.after is not None and not over:
        return
    if asked.solve == MORE:
        st.button("Solve for the noise", on_click=solve_for_noise, key="for_noise")
    if st.session_state.get("keep"):
        st.button("Keep no row", on_click=keep_rows, args=((),), key="keep_none")
    if mute := told.without_error(found):
        label = f"Keep {', '.join(f'row {row + 1}' for row in mute[:3])}{' …' if len(mute) > 3 else ''}"
        kept = tuple(sorted({*asked.kept, *mute}))
        st.button(label, type="primary", on_click=keep_rows, args=(kept,), key="keep_mute")
    if asked.split != "proportional":
        st.button("Scale the noise as planned", on_click=split_as_planned, key="as_planned")
    if plan.budget.delta == 0:
        st.button(f"Set δ to {shown_delta(USUAL_DELTA)}", on_click=set_delta, args=(USUAL_DELTA,), key="usual_delta")
    enough = next_above(found.epsilon if over else answers.total(plan))
    present = 0.0 if math.isinf(plan.budget.epsilon) else plan.budget.epsilon
    if present < enough <= workspace.LARGEST_BUDGET:  # a smaller budget makes nothing fit
        label = f"Set the budget to ε = {told.amount(enough)}"
        st.button(label, on_click=workspace.set_budget, args=(enough,), key="raise_budget")


def dotplot(found: Answer) -> None:
    """Draw twenty dots that stand for all numbers that the chosen release could publish."""
    row = chosen_row(found.before)
    mechanisms = [plan.releases[row].mechanism for plan in (found.before, found.after or found.before)]
    if reason := mechanisms[0].why_no_noise:
        st.info(f"Row {row + 1} has no error to draw: {reason}.")
        return
    frame = dots_frame(mechanisms[: 2 if found.after else 1], found.each)
    last = frame[frame.state == frame.state.iloc[-1]]
    release = found.before.releases[row]
    name = told.shortened(release.name, told.NAME_LENGTH)
    components.chart(
        dots_figure.release_errors(frame, release.typical, components.dark()),
        frame,
        "release-errors",
        told.escaped(told.dots(last, name, release.answer_unit)),
        dots_figure.described(frame, name),
    )


def dots_frame(mechanisms: list, confidence: float) -> pd.DataFrame:
    """Return 20 dots per state: state, error, half_width, inside."""
    parts = []
    for state, mechanism in zip(STATES, mechanisms, strict=False):
        width = half_width(mechanism, confidence)
        dots = quantile_dots(mechanism)
        parts.append(pd.DataFrame({"state": state, "error": dots, "half_width": width, "inside": abs(dots) <= width}))
    return pd.concat(parts, ignore_index=True)
