"""The panel “Fit to budget” and the picture “How accurate”: the answer, its charts and what can be done with it."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dpviz.figures.plan import error_against_budget as tradeoff_figure
from dpviz.figures.plan import error_bars as bars_figure
from dpviz.figures.plan import release_errors as dots_figure
from dpviz.mechanisms import RandomizedResponse
from dpviz.mechanisms.left_open import why_no_error
from dpviz.plan import Plan, Release
from dpviz.planning import scenario
from dpviz.planning.accuracy import LEFT_OUT, half_width, points_off, quantile_dots, why_no_width, with_gaussian
from dpviz.planning.advice import faults
from dpviz.planning.advice.promise import usual_delta
from dpviz.planning.budgeting import SPLITS
from dpviz.rounding import next_above, shown_count, shown_delta, shown_error
from dpviz.ui.plan import costs
from dpviz.ui.plan.asked import AS_ENTERED, chosen_row
from dpviz.ui.plan.fit import answer as answers
from dpviz.ui.plan.fit import words as told
from dpviz.ui.plan.fit.answer import Answer
from dpviz.ui.plan.fit.asked import (
    ACCURACY,
    MORE,
    NOISE,
    apply,
    held,
    keep_rows,
    set_delta,
    solve_for_noise,
    split_as_planned,
)
from dpviz.ui.shell import components, page_state, reading, refusals, row_choice
from dpviz.ui.shell.document import edits, promise_fields, session, table_state
from dpviz.ui.shell.kept import one_unit, static
from dpviz.ui.shell.words import escaped, uses

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

STATES = ("now", "then")
NAMES = 150  # pixels
WORTH = 0.9  # of the cost: less than this, other noise is offered
TRADEOFF = "Error against budget"  # as a tab of this name was called in former versions, by the key "see"
FORMULAS = (
    (
        "Laplace noise of scale b",
        r"w = b\,\ln\frac{1}{1-c},\qquad \mathbb{E}|\text{error}| = b",
        "Dwork & Roth (2014), Fact 3.7",
    ),
    (
        "Gaussian noise of standard deviation σ",
        r"w = \sigma\,\Phi^{-1}\!\left(\tfrac{1+c}{2}\right),\qquad \mathbb{E}|\text{error}| = \sigma\sqrt{2/\pi}",
        "normal distribution",
    ),
    ("All n numbers at once", r"c_{\text{each}} = c^{1/n}", "the noises are independent"),
)


def panel(found: Answer, above: DeltaGenerator) -> None:
    """Draw the answer and what can be done with it, above what is asked; the table shows it in its cells."""
    with above:
        st.markdown(reading.told(told.finding(found)))
        if faults(found.before):
            st.warning(AS_ENTERED)
        if not uses(found.before):
            return
        if one_unit(found.before):
            st.caption(told.of_a_part(found.before))
        along_the_way(found)
        _with_gaussian(found)  # above “Apply”, which makes numbers less accurate where this need not
        actions(found)
    if reading.people():
        return
    prices(found)
    why(found)


def accuracy(found: Answer, a: Plan | None) -> None:
    """Draw how accurate each number is: the error of each release, and the numbers of one that is chosen.

    What a solution would change stands beside what is now; without one, plan A does, where one is kept.
    """
    if found.stays or (found.after is not None and not found.moved):  # as it is, so that nothing stands beside it
        found = answers.present(found.before)
    if any(width is not None for width in (*found.widths_before, *found.widths_after)):
        picture, dots = st.columns([3, 2], gap="medium")
        with picture:
            errors(found, a if found.after is None else None)
    else:
        dots = st.container()
    with dots:
        dotplot(found)
    if not reading.people():
        asked = st.query_params.get("see") == TRADEOFF
        place = st.expander(TRADEOFF, expanded=asked, key="error_against_budget", on_change="rerun")
        if place.open:
            with place:
                against_budget(found)


def comparison(found: Answer) -> pd.DataFrame:
    """Return the error of each release now and then, one row per release, in the order of the table."""
    before, after = found.before, found.after or found.before
    none = [None] * len(after.releases)
    added = len(after.releases) - len(before.releases)
    kept = set(found.asked.kept)
    return pd.DataFrame(
        {
            "row": range(1, len(after.releases) + 1),
            "release": [each.name for each in after.releases],
            "note": [_note(row, found, kept) for row in range(len(after.releases))],
            "answer_unit": [told.shortened(each.answer_unit or "", 20) for each in after.releases],
            "typical": pd.Series([each.typical for each in after.releases], dtype=object),
            "why_no_width": _whys(after, dict(enumerate(before.releases)), before.population),
            "width_before": pd.Series([*found.widths_before, *[None] * added], dtype=object),
            "width_after": pd.Series(found.widths_after if found.after else none, dtype=object),
        }
    )


def _whys(plan: Plan, before: dict[int, Release], people_before: int | None) -> list[str]:
    """What stands in the place of the error of each release, of what it was before, too, where that differs."""
    found = enumerate(plan.releases)
    return [reading.told(why_no_width(each, plan.population, before.get(row), people_before)) for row, each in found]


def _note(row: int, found: Answer, kept: set[int]) -> str:
    if row >= len(found.before.releases):
        return "added"
    release = found.before.releases[row]
    uses = f"{shown_count(release.uses)} times" if release.uses != 1 else ""
    state = "done" if release.done else "kept" if row in kept and found.asked.solve != MORE else ""
    return ", ".join(text for text in (uses, state) if text)


def _listed(frame: pd.DataFrame, head: str, title: str) -> None:
    """Draw errors in units of their own, which no bars of one scale can show, as a list."""
    st.markdown(f"**{title}**")
    told_widths = [shown_error(row.width_before) if pd.notna(row.width_before) else row.why_no_width
                   for row in frame.itertuples()]  # fmt: skip
    shown = pd.DataFrame({"Release": frame.release, f"{head[0].upper()}{head[1:]}": told_widths})
    with st.container(key="errors_listed"):
        names = {"Release": st.column_config.TextColumn(width=NAMES)}  # what stands beside them is longer
        alt = "How far the numbers of each release stray, each in its own unit"
        st.dataframe(shown, hide_index=True, column_config=names, alt=alt)
    st.caption("A typical value, or the unit of the answers, puts them on one scale (columns “accuracy”).")


def errors(found: Answer, a: Plan | None = None) -> None:
    """Draw the errors now and then, or in plan A and now."""
    frame, states = (comparison(found), STATES) if a is None else (_beside(a, found), ("plan A", "now"))
    sure = told.percent(found.asked.confidence)
    title = f"off by at most, {sure} of times" if reading.people() else f"error, {sure} within"
    title += ", all at once" if found.asked.jointly else ""
    one_scale = found.measure is None or (found.measure.whole and not found.measure.relative)
    if a is None and found.after is None and not one_scale and not any(each.typical for each in found.before.releases):
        return _listed(frame, title, _title(found))
    components.chart(
        components.drawn(bars_figure.error_bars, frame, states, title, one_scale=one_scale),
        frame,
        "error-bars",
        _title(found) if a is None else told.moved(frame),
        partial(bars_figure.described, frame, states, sure),
    )


def _beside(a: Plan, found: Answer) -> pd.DataFrame:
    """The comparison of the present releases with those that belong to them in plan A."""
    frame = comparison(found)
    widths = [None if why_no_error(each.mechanism) else half_width(each.mechanism, found.each) for each in a.releases]
    rows = scenario.rows_before(a, found.before)
    places = [rows.get(row) for row in range(len(frame))]
    before = pd.Series([None if row is None else widths[row] for row in places], dtype=object)
    was = {row: a.releases[old] for row, old in rows.items()}
    now = dict(enumerate(found.before.releases))
    points = {
        f"points_{name}": [points_off(each[row], people) if row in each else None for row in now]
        for name, each, people in (("before", was, a.population), ("after", now, found.before.population))
    }
    widths = {"width_before": before, "width_after": frame.width_before}
    typical = [was[row].typical if row in was else each.typical for row, each in now.items()]
    widths["typical_before"] = pd.Series(typical, dtype=object)
    return frame.assign(**widths, why_no_width=_whys(found.before, was, a.population), **points)


def _title(found: Answer) -> str:
    if found.after is None:
        return told.least_accurate(found)
    if found.asked.solve == MORE:
        return "More of one release spends the rest; no number becomes less accurate"
    return told.title(found)


def actions(found: Answer) -> None:
    """Offer to apply the answer, or a next step where there is none."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if found.after is not None:
            press = edits.pressed(apply, found.after, held())
            st.button("Apply", type="primary", key="use_it", disabled=found.same, **press)
            if found.asked.solve != MORE and not found.same:
                shown = "published numbers, now → then"
                if not reading.people():
                    shown = "noise and error, now → then (a larger ε is less noise)"
                st.caption(f"The table shows {shown}; nothing is changed until it is applied.")
        _offers(found)


def _with_gaussian(found: Answer) -> None:
    """Offer Gaussian noise of the same errors where Laplace noise costs more, as it does of what recurs often."""
    plan = found.before
    if found.asked.solve != NOISE or plan.adaptive or not plan.budget.delta or session.document().uncounted:
        return
    kept = found.asked.kept if found.after is not None else ()  # with them there is no answer, and their errors stay
    if (other := with_gaussian(plan, kept)) == plan:
        return
    now, then = costs.of_unit(plan), costs.of_unit(other)
    if then < WORTH * now < math.inf:
        press = edits.pressed(edits.replace_releases, other)
        with st.container(horizontal=True, vertical_alignment="center"):
            said = told.with_gaussian(now, then, plan.budget.epsilon, set(found.asked.kept) != set(kept))
            st.markdown(reading.told(said), width="content")
            st.button("Take Gaussian noise", key="take_gaussian", icon=":material/show_chart:", **press)


def _offers(found: Answer) -> None:
    """Buttons for the next step where there is no answer, or where it exceeds the budget."""
    plan, asked = found.before, found.asked
    over = found.after is not None and found.epsilon > plan.budget.epsilon
    if found.after is not None and not over:
        return
    if asked.solve == MORE:
        st.button("Solve for the noise", on_click=solve_for_noise, key="for_noise")
    if page_state.held("keep"):
        st.button("Let all rows change", on_click=keep_rows, args=((),), key="keep_none")
    if mute := told.without_error(found):
        label = f"Keep {', '.join(f'row {table_state.number(row)}' for row in mute[:3])}{' …' if len(mute) > 3 else ''}"
        kept = tuple(sorted({*asked.kept, *mute}))
        st.button(label, type="primary", on_click=keep_rows, args=(kept,), key="keep_mute")
    if asked.split != "proportional":
        st.button("Scale the noise as planned", on_click=split_as_planned, key="as_planned")
    if plan.budget.delta == 0:
        usual = usual_delta(plan.population)
        label = reading.told(f"Set δ to {shown_delta(usual)}")
        st.button(label, on_click=set_delta, args=(usual,), key="usual_delta")
    enough = next_above(found.epsilon if over else costs.of_unit(plan))
    present = 0.0 if math.isinf(plan.budget.epsilon) else plan.budget.epsilon
    if present < enough <= promise_fields.LARGEST_BUDGET:  # a smaller budget makes nothing fit
        label = reading.told(f"Set the budget to ε = {told.amount(enough)}")
        st.button(label, on_click=edits.set_budget, args=(enough,), key="raise_budget")


def dotplot(found: Answer) -> None:
    """Draw twenty dots that stand for all numbers that the chosen release could publish."""
    if len(found.before.releases) > 1:
        row_choice.one("See the numbers of", row_choice.names(found.before), "look")
    row = chosen_row(found.before)
    mechanisms = [plan.releases[row].mechanism for plan in (found.before, found.after or found.before)]
    if reason := why_no_width(found.before.releases[row], found.before.population):
        survey = isinstance(mechanisms[0], RandomizedResponse)
        said = f": {reason}, 19 times of 20" if survey else f" has no error to draw: {reason}"
        st.info(f"{told.named(found.before, row).capitalize()}{said}.")
        return
    frame = dots_frame(mechanisms[: 2 if found.after else 1], found.each)
    last = frame[frame.state == frame.state.iloc[-1]]
    release = found.before.releases[row]
    name = told.shortened(release.name, told.NAME_LENGTH)
    components.chart(
        components.drawn(dots_figure.release_errors, frame, release.typical),
        frame,
        "release-errors",
        told.escaped(told.dots(last, name, release.answer_unit, proposed=found.after is not None)),
        partial(dots_figure.described, frame, name),
    )


def dots_frame(mechanisms: list[Any], confidence: float) -> pd.DataFrame:
    """Return 20 dots per state: state, error, half_width, inside."""
    parts = []
    for state, mechanism in zip(STATES, mechanisms, strict=False):
        width = half_width(mechanism, confidence)
        dots = quantile_dots(mechanism)
        parts.append(pd.DataFrame({"state": state, "error": dots, "half_width": width, "inside": abs(dots) <= width}))
    return pd.concat(parts, ignore_index=True)


def against_budget(found: Answer) -> None:
    """Draw error and risk over the budget, for the release that is looked at."""
    plan, asked, row = found.before, found.asked, chosen_row(found.before)
    budget = plan.budget.epsilon
    if math.isinf(budget) or budget <= 0 or not plan.releases:
        st.info("Set a budget ε above: the error is drawn for budgets around it.")
        return
    if reason := why_no_width(plan.releases[row], plan.population):
        st.info(f"Row {table_state.number(row)} has no error to draw: {reason}.")
        return
    frame, reason = answers.against_budget(plan, asked.split, asked.kept, row, found.each)
    if frame.empty:
        st.info(f"No budget near this one has an answer: {escaped(reason)}.")
        return
    name = told.named(plan, row)
    components.chart(
        components.drawn(tradeoff_figure.error_against_budget, frame, budget, plan.unit_in_words),
        frame,
        "error-against-budget",
        f"What a budget buys, and what it costs: {name}",
        partial(tradeoff_figure.described, frame, budget, f"row {table_state.number(row)}"),
    )
    left = f" Smaller budgets have no answer: {escaped(reason)}." if reason else ""
    st.caption(
        "Above: the error with the noise that each budget allows, split as chosen. Below: how often of 100 the best "
        "attacker, who knows all other data, guesses right whether one unit is in it; 50 is a coin flip. Points are "
        f"computed, lines join them.{left}"
    )


def why(found: Answer) -> None:
    """Draw formula, assumptions, source and a worked line of every split and error, in an expander."""
    label = "Why: how each split works, how errors follow, and what is assumed"
    unfolded = st.expander(label, key="why_split", on_change="rerun")
    if not unfolded.open:  # each worked line solves the plan once more
        return
    with unfolded:
        for split in SPLITS:
            components.statement(split)
            if any(each.uses for each in found.before.releases):
                st.markdown(told.worked(found, split.key))
        for title, statement, source in FORMULAS:
            st.markdown(f"**{title}**")
            st.latex(statement)
            st.markdown(f"Source: {escaped(source)}.")
        st.markdown(LEFT_OUT)


def along_the_way(found: Answer) -> None:
    """Say what may be quoted for a plan that is chosen along the way, and what that costs; nothing for others."""
    plan, asked = found.before, found.asked
    if plan.adaptive:
        priced = found.after and asked.solve == NOISE
        cost = answers.adaptive_cost(answers.met(plan), asked.split, asked.kept) if priced else None
        st.caption(told.along_the_way(found, cost))


@static
def prices(found: Answer) -> None:
    """Draw what an accuracy costs with each kind of noise; nothing where that is not asked."""
    if found.asked.solve != ACCURACY or found.kinds is None:
        return
    if warning := told.too_wide(found):
        st.warning(warning)
    rows = [
        {
            "noise": row.label,
            "epsilon": told.amount(row.epsilon, 6) if row.applies else "–",
            "theorem": row.theorem_label if row.applies else refusals.clause(row.reason),
        }
        for row in found.kinds.itertuples()
    ]
    names = {"noise": "With", "epsilon": "needs ε", "theorem": "Proved by, or why not"}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=names, alt="The price of this accuracy")
    st.caption(
        "A release that changes its kind of noise keeps the number of its sensitivity. Gaussian noise becomes Laplace "
        "noise only where every release is a single number: for vectors, the L1 sensitivity is larger than that in L2."
    )
