"""The budget page: its answer, its charts and what can be done with the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd
import streamlit as st

from dpviz.accuracy import half_width, quantile_dots, why_no_noise
from dpviz.budgeting import Solution
from dpviz.figures import budget_split as split_figure
from dpviz.figures import release_errors as dots_figure
from dpviz.parameters import COUNT
from dpviz.plan import Plan
from dpviz.rounding import digits_apart, next_above, shown_count, shown_delta
from dpviz.ui import budget_cache, budget_rows, cache, components, inputs, shell
from dpviz.ui import budget_words as sentences
from dpviz.ui.budget_errors import Measure, in_unit_of, measure
from dpviz.ui.budget_inputs import (
    ACCURACY,
    MORE,
    NOISE,
    Question,
    keep_rows,
    set_delta,
    solve_for_noise,
    split_as_planned,
)

STATES = ("now", "then")
USUAL_DELTA = 1e-6


@dataclass(frozen=True)
class Answer:
    """What a plan looks like before and after its budget is split.

    Parameters
    ----------
    asked : Question
    before : Plan
    after : Plan or None
        The plan as solved; None where the question has no answer.
    reason : str
        Why there is none.
    epsilon : float
        What the solved plan costs.
    label : str
        The theorem or filter that proves it.
    factors : tuple of float
        Noise after over noise before, per release.
    by_filter : bool
        Whether a filter proves it, so that the budget is its guarantee.
    more : int
        How many more uses fit, where that is asked.
    kinds : pandas.DataFrame, optional
        The price of an accuracy per kind of noise, where that is asked.
    condition : str
        On what the guarantee hinges, as `Solution.condition`.
    """

    asked: Question
    before: Plan
    after: Plan | None
    reason: str = ""
    epsilon: float = math.inf
    label: str = ""
    factors: tuple[float, ...] = ()
    by_filter: bool = False
    more: int = 0
    kinds: pd.DataFrame | None = None
    condition: str = ""

    @cached_property
    def each(self) -> float:
        """How sure each number must be."""
        return budget_cache.each_confidence(self.after or self.before, self.asked.confidence, self.asked.jointly)

    @cached_property
    def widths_before(self) -> list[float | None]:
        """±w of each release now; None without noise."""
        return _widths(self.before, self.each)

    @cached_property
    def widths_after(self) -> list[float | None]:
        """±w of each release after; those of now without an answer."""
        return _widths(self.after or self.before, self.each)

    @cached_property
    def measure(self) -> Measure | None:
        """How the errors of both states may be told together; its unit is escaped."""
        told = measure(self.before, self.widths_before, chosen_row(self.before))
        if told and self.asked.solve == ACCURACY and (rows := in_unit_of(self.before, self.asked.row)):
            unit = self.before.releases[self.asked.row].answer_unit
            told = Measure(rows, unit or "", whole=len(rows) == sum(width is not None for width in self.widths_before))
        return told and replace(told, unit=sentences.escaped(told.unit))

    @cached_property
    def correct(self) -> float:
        """Right guesses of 100 that the best attacker makes after, at most."""
        return cache.right_guesses(self.after, self.epsilon, self.by_filter)

    def solved(self, split: str) -> Solution:
        """Return the solution under a split."""
        return budget_cache.solution(self.before, split, self.asked.kept)


def _widths(plan: Plan, confidence: float) -> list[float | None]:
    mechanisms = [each.mechanism for each in plan.releases]
    return [None if why_no_noise(each) else half_width(each, confidence) for each in mechanisms]


def answer(asked: Question, plan: Plan) -> Answer:
    """Return the answer to what is asked."""
    if not any(each.uses for each in plan.releases):
        return Answer(asked, plan, None, "nothing is released")
    if asked.solve == NOISE:
        return _solved(asked, plan)
    return _more(asked, plan) if asked.solve == MORE else _priced(asked, plan)


def _solved(asked: Question, plan: Plan) -> Answer:
    solved = budget_cache.solution(plan, asked.split, asked.kept)
    if solved.plan is None:
        return Answer(asked, plan, None, solved.reason)
    proof = (solved.total.epsilon, solved.label, solved.factors, solved.by_filter)
    return Answer(asked, plan, solved.plan, "", *proof, condition=solved.condition)


def _more(asked: Question, plan: Plan) -> Answer:
    if math.isinf(plan.budget.epsilon):
        return Answer(asked, plan, None, "the budget has no limit, so any number fits")
    found = cache.further(plan, asked.row)
    more = found.count
    if not more:
        spent = budget_cache.total(plan)
        cost = f"the plan as it is costs ε = {sentences.amount(spent)} already"
        over = cost if math.isfinite(spent) else "nothing bounds it"
        return Answer(asked, plan, None, over)
    release = plan.releases[asked.row]
    if release.occurrences == 1 and not release.done and release.count + more <= COUNT.high:
        longer = [replace(each, count=each.count + more) if each is release else each for each in plan.releases]
    else:  # what recurs or is done stays as it is: what is added stands in a row of its own
        extra = replace(release, count=more, start=None, cadence=None, end=None, done=False)
        longer = [*plan.releases, extra]
    after = replace(plan, releases=tuple(longer))
    spent = budget_cache.total(after)
    if found.filter:  # it admits all: its budget is its guarantee
        label = f"a filter by {found.filter}"
        return Answer(asked, plan, after, "", plan.budget.epsilon, label, by_filter=True, more=more)
    return Answer(asked, plan, after, "", spent, "tightest theorem", more=more)


def _priced(asked: Question, plan: Plan) -> Answer:
    try:
        free = budget_cache.adjustable(plan, asked.kept)
        surely = (budget_cache.each_confidence(plan, asked.confidence, asked.jointly, free), False)
        kinds = budget_cache.least_epsilon(plan, asked.width, *surely, asked.kept, asked.single)
    except ValueError as error:
        return Answer(asked, plan, None, str(error))
    possible = kinds[kinds.applies]
    if possible.empty:
        return Answer(asked, plan, None, str(kinds.reason.iloc[0]), kinds=kinds)
    best = possible.loc[possible.epsilon.idxmin()]
    after = Plan.from_json(best.plan)
    label = f"{best.theorem_label}, {best.label}"
    return Answer(asked, plan, after, "", best.epsilon, label, by_filter=bool(best.by_filter), kinds=kinds)


def metrics(found: Answer) -> None:
    """Draw the large figures: cost now and then, noise, the widest interval."""
    plan = found.before
    spent = budget_cache.total(plan)
    costs = [spent, found.epsilon if found.after else spent, plan.budget.epsilon]
    digits = digits_apart(costs)  # a cost just below the budget, or changed a little, does not read as the same
    now = "no bound" if math.isinf(spent) else f"ε ≤ {sentences.amount(spent, digits)}"
    of = "no limit" if math.isinf(plan.budget.epsilon) else f"budget ε = {sentences.amount(plan.budget.epsilon)}"
    if math.isinf(spent) and plan.adaptive:
        of = f"none by adding up; {of}"
    with st.container(horizontal=True):
        _metric(f"Cost now, δ = {shown_delta(plan.budget.delta)}", now, of)
        then = f"ε ≤ {sentences.amount(found.epsilon, digits)}" if found.after else "–"
        _metric("Cost then", then, found.label or "no answer")
        what = _which_error(found)
        _metric(f"{what} now", *_widest(found, found.before, found.widths_before))
        after = _widest(found, found.after, found.widths_after) if found.after else ("–", "no answer")
        _metric(f"{what} then", *after)


def _metric(label: str, value: str, note: str) -> None:
    st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True)


def _which_error(found: Answer) -> str:
    told = found.measure
    if told is None or told.whole:
        return "Largest error"
    return f"Error of row {told.rows[0] + 1}" if len(told.rows) == 1 else f"Largest error in {told.unit}"


def _widest(found: Answer, plan: Plan, widths: list[float | None]) -> tuple[str, str]:
    told = found.measure
    if told is None:
        return "none", "no noise on a number"
    where = "all at once" if found.asked.jointly else "each number"
    of = "of the typical value, " if told.relative else ""
    return told.widest(plan, widths), f"{of}{where}, {sentences.percent(found.asked.confidence)}"


def comparison(found: Answer) -> pd.DataFrame:
    """Return spend and error of each release now and then, one row per release, in the order of the table."""
    before, after = found.before, found.after or found.before
    none = [None] * len(after.releases)
    spends = (budget_cache.spends(before), budget_cache.spends(after) if found.after else none)
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
    unit = f"in {sentences.shortened(release.answer_unit, 20)}" if release.answer_unit else ""
    state = "done" if release.done else "kept" if row in kept and found.asked.solve != MORE else ""
    return ", ".join(text for text in (uses, unit, state) if text)


def picture(found: Answer) -> None:
    """Draw spend and error before and after."""
    frame = comparison(found)
    sure = sentences.percent(found.asked.confidence)
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
    return sentences.title(found)


def actions(found: Answer) -> None:
    """Offer to use the answer, to keep the present plan for a comparison, or a next step where there is none."""
    with st.container(horizontal=True):
        if found.after is not None:
            label = "Use this number in the plan" if found.asked.solve == MORE else "Use this noise in the plan"
            st.button(label, type="primary", key="use_it", on_click=inputs.replace_releases, args=(found.after,))
        st.button("Keep the present plan as A", on_click=keep_as_a, args=(found.before.to_json(),), key="keep_a")
        st.button("Undo", on_click=inputs.undo, disabled=not st.session_state["past"], key="budget_undo")
        _offers(found)
    if st.session_state.get("plan_a") == found.before.to_json():
        st.caption("The present plan is A: change it, and compare on the page “A against B”.")


@shell.guarded
def keep_as_a(plan_json: str) -> None:
    """Keep a plan for the comparison of A with B; a callback."""
    st.session_state["plan_a"] = plan_json


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
    if mute := sentences.without_error(found):
        label = f"Keep {', '.join(f'row {row + 1}' for row in mute[:3])}{' …' if len(mute) > 3 else ''}"
        kept = tuple(sorted({*asked.kept, *mute}))
        st.button(label, type="primary", on_click=keep_rows, args=(kept,), key="keep_mute")
    if asked.split != "proportional":
        st.button("Scale the noise as planned", on_click=split_as_planned, key="as_planned")
    if plan.budget.delta == 0:
        st.button(f"Set δ to {shown_delta(USUAL_DELTA)}", on_click=set_delta, args=(USUAL_DELTA,), key="usual_delta")
    enough = next_above(found.epsilon if over else budget_cache.total(plan))
    present = 0.0 if math.isinf(plan.budget.epsilon) else plan.budget.epsilon
    if present < enough <= inputs.LARGEST_BUDGET:  # a smaller budget makes nothing fit
        label = f"Set the budget to ε = {sentences.amount(enough)}"
        st.button(label, on_click=inputs.set_budget, args=(enough,), key="raise_budget")


def dotplot(found: Answer) -> None:
    """Draw twenty dots that stand for all numbers that the chosen release could publish."""
    row = chosen_row(found.before)
    mechanisms = [plan.releases[row].mechanism for plan in (found.before, found.after or found.before)]
    if reason := why_no_noise(mechanisms[0]):
        st.info(f"Row {row + 1} has no error to draw: {reason}.")
        return
    frame = dots_frame(mechanisms[: 2 if found.after else 1], found.each)
    last = frame[frame.state == frame.state.iloc[-1]]
    release = found.before.releases[row]
    name = sentences.shortened(release.name, sentences.NAME_LENGTH)
    components.chart(
        dots_figure.release_errors(frame, release.typical, components.dark()),
        frame,
        "release-errors",
        sentences.escaped(sentences.dots(last, name, release.answer_unit)),
        dots_figure.described(frame, name),
    )


def chosen_row(plan: Plan) -> int:
    """Return the release (from 0) that is looked at; a number, since names do not belong in an address."""
    return budget_rows.place(plan, "look")


def choose_row(plan: Plan) -> None:
    """Draw the choice of the release that is looked at."""
    budget_rows.one("See the error of row", plan, "look")


def dots_frame(mechanisms: list, confidence: float) -> pd.DataFrame:
    """Return 20 dots per state: state, error, half_width, inside."""
    parts = []
    for state, mechanism in zip(STATES, mechanisms, strict=False):
        width = half_width(mechanism, confidence)
        dots = quantile_dots(mechanism)
        parts.append(pd.DataFrame({"state": state, "error": dots, "half_width": width, "inside": abs(dots) <= width}))
    return pd.concat(parts, ignore_index=True)
