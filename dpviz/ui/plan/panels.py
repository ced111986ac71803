"""What the plan page says beside its chart: large figures, what still fits, the next step, the contrast."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.composition import tightest
from dpviz.plan import Plan
from dpviz.plan.periods import lasting
from dpviz.rounding import next_above, shown_count, shown_delta, shown_down, shown_excess, shown_up
from dpviz.ui.shell import components, examples, inputs, shell, words, workspace
from dpviz.ui.shell.kept import comparison, further, further_epsilon, largest_count, one_unit

if TYPE_CHECKING:
    import pandas
    from streamlit.delta_generator import DeltaGenerator

NAME_LENGTH = 40


def metrics(plan: Plan, best: pandas.Series | None, pure: pandas.Series | None) -> DeltaGenerator:
    """Draw the large figures: total, pure total, budget; return the place of the fourth, which takes longer."""
    empty = ("–", "nothing is released yet")
    with st.container(horizontal=True):
        note = "no theorem bounds it" if best is None else f"tightest, per {words.escaped(plan.unit)}"
        total = (_at_most(best), note) if words.uses(plan) else empty
        components.metric(f"Total at δ = {shown_delta(plan.budget.delta)}", *total)
        note = "no finite ε without δ" if pure is None else "never fails"
        components.metric("Pure total, δ = 0", *((_at_most(pure), note) if words.uses(plan) else empty))
        limit = plan.budget.epsilon
        balance = _balance(limit, best) if words.uses(plan) or math.isinf(limit) else empty[1]
        components.metric("Budget", "no limit" if math.isinf(limit) else f"ε = {shown_down(limit)}", balance)
        place = st.empty()
    with place:
        components.metric("Room for one more", "…", "pure release, still in budget")
    return place


def room(place: DeltaGenerator, plan: Plan) -> None:
    """Draw the fourth large figure: the largest ε of one further release."""
    largest = further_epsilon(plan)
    value = "any ε" if math.isinf(largest) else f"ε ≤ {shown_down(largest)}" if largest else "nothing"
    note = "pure release, still in budget"
    if not largest:
        bounded = tightest(comparison(plan, plan.budget.delta)) is not None
        value, note = (value, "the budget is used up") if bounded else ("none", "no theorem bounds it")
    with place:
        components.metric("Room for one more", value, note)


def _at_most(row: pandas.Series | None) -> str:
    return "none" if row is None else f"ε ≤ {shown_up(row.epsilon)}"


def _balance(limit: float, best: pandas.Series | None) -> str:
    if math.isinf(limit):
        return "set one in the sidebar"
    if best is None:
        return "no total to compare"
    return f"over by ε = {shown_excess(best.epsilon, limit)}" if best.epsilon > limit else "the plan fits"


def promise_notes(plan: Plan) -> None:
    """Warn where the promise was changed, and counts and sensitivities still say what the former one meets."""
    _unit_note(plan)
    if note := words.relation_note(workspace.document().opened, plan):
        st.warning(note)


def of_one_unit(plan: Plan) -> Plan:
    """Return what one unit meets of a schedule that lasts longer than it; the plan itself where that is all of it.

    Where no period meets at least as much of everything as all others, the whole schedule stands for the dearest one:
    which one that is differs between theorems, and between δ and 0.
    """
    cost = one_unit(plan)
    return cost.plan if cost is not None and cost.dominant else plan


def schedule_note(plan: Plan, shown: Plan) -> None:
    """Say what one unit loses of a schedule that lasts longer than it, and whose totals are shown."""
    cost = one_unit(plan)
    if cost is None:
        return
    unit, limit = words.escaped(plan.unit), plan.budget.epsilon
    dates = f"These dates run beyond one **{unit}**, which only its own {cost.window}'s releases touch"
    if shown != plan:
        whole = tightest(comparison(plan, plan.budget.delta))
        total = f"at most **ε = {shown_up(whole.epsilon)}**" if whole is not None else "without a bound"
        count = f"the {words.uses(shown)} that it meets, not of all {words.uses(plan)}"
        st.info(f"{dates}: the totals here are of {count}, {total} for whoever is in the data all along.")
        return
    loses = f"one loses at most **ε = {shown_up(cost.epsilon)}**"
    if math.isinf(cost.epsilon):
        loses = "no theorem bounds what one loses"
    elif math.isfinite(limit):
        loses += f", {'within' if cost.epsilon <= limit else 'more than'} the budget of ε = {shown_up(limit)}"
    st.info(f"{dates}: {loses}. The totals here are of the whole schedule, for whoever is in the data all along.")


def _unit_note(plan: Plan) -> None:
    """Warn where only the word for the unit of privacy was changed: the counts still say what the former one meets."""
    opened = workspace.document().opened
    if plan.unit == opened.unit or not set(plan.releases) & set(opened.releases) or not words.uses(plan):
        return
    new, old = words.escaped(plan.unit), words.escaped(opened.unit)
    st.warning(
        f"Only the word has changed: counts and sensitivities still say what one **{old}** meets. The total is one "
        f"**{new}**'s only if it meets no more than that."
    )
    times = _times_as_long(opened.unit, plan.unit)
    if times is None or plan.releases != opened.releases:
        return
    longer = plan.repeated(times)
    best = tightest(comparison(longer, plan.budget.delta))
    total = "" if best is None else f": ε ≤ {shown_up(best.epsilon)}"
    label = f"Count every release {shown_count(times)} times, as one {plan.unit} meets them{total}"
    st.button(words.escaped(label), on_click=workspace.replace_releases, args=(longer,), key="longer_unit")


def _times_as_long(old: str, new: str) -> int | None:
    """How many of the old unit make up the new one, by the periods that they name; None if that is not to be told."""
    periods = lasting(old), lasting(new)
    if None in periods or periods[1] <= periods[0] or (periods[1] / periods[0]) % 1:
        return None
    return int(periods[1] / periods[0])


def next_step(plan: Plan, best: pandas.Series | None) -> None:
    """Say what is over and offer what can be done about it; nothing where the plan fits."""
    if not words.uses(plan):
        st.info("The plan releases nothing. Add a release in the table, open a file, or start from an example.")
        st.button("Open the first example", on_click=workspace.open_example, args=(examples.FIRST,), key="open_first")
        return
    if best is not None and best.epsilon <= plan.budget.epsilon:
        return
    with st.container(border=True):
        if best is None:
            reason = words.escaped(comparison(plan, plan.budget.delta).reason.iloc[0])
            st.markdown(f"**No total at this δ**: {reason}.")
        else:
            excess = shown_excess(best.epsilon, plan.budget.epsilon)
            st.markdown(f"**Over the budget by ε = {excess}.** Ways to fit:")
        with st.container(horizontal=True, vertical_alignment="center"):
            _offer(plan, best)


def _offer(plan: Plan, best: pandas.Series | None) -> None:
    row = max(range(len(plan.releases)), key=lambda index: plan.releases[index].uses)
    release = plan.releases[row]
    own = plan == workspace.current()  # else it is what one unit meets of it: counts of the table are others
    if own and (most := largest_count(plan, row) // release.occurrences):
        name = words.escaped(words.shortened(release.name, NAME_LENGTH))
        due = " each time it falls due" if release.occurrences > 1 else ""
        label = f"Release {name} {shown_count(most)} times instead of {shown_count(release.count)}{due}"
        st.button(label, on_click=set_count, args=(row, most), key="lower_count")
    if best is not None:
        enough = next_above(best.epsilon)
        if enough <= workspace.LARGEST_BUDGET:
            label = f"Set the budget to ε = {shown_up(enough)}"
            st.button(label, on_click=workspace.set_budget, args=(enough,), key="raise")
    st.page_link(shell.ROOT / "pages" / "budget.py", label="Find the noise that fits", icon="⚖️")
    if workspace.past():
        st.button("Undo the last edit of the table", on_click=workspace.undo, key="step_back")


@shell.guarded
def set_count(row: int, count: int) -> None:
    """Change how often release number `row` (from 0) of the current plan is made; a callback."""
    plan = workspace.current()
    releases = list(plan.releases)
    releases[row] = replace(releases[row], count=count)
    workspace.change_plan(replace(plan, releases=tuple(releases)))


def headroom(plan: Plan) -> None:
    """Say how many more uses of a chosen release fit."""
    if not plan.releases or math.isinf(plan.budget.epsilon):
        return
    # A number rather than the name: names of a visitor's releases do not belong in an address.
    row = inputs.count("How many more like row", "like", len(plan.releases), 1) - 1
    room = further(plan, row)
    if not room.filter and tightest(comparison(plan, plan.budget.delta)) is None:
        st.markdown("How many more fit cannot be said: no theorem bounds this plan, and no filter admits it.")
        return
    how = (
        f"admitted by a filter ({room.filter}) with this budget, fixed before the first release"
        if room.filter
        else "found by composing the larger plan, since what fits is not the difference of two ε"
    )
    st.markdown(
        f"**{shown_count(room.count)} more** of row {row + 1}, “{words.escaped(plan.releases[row].name)}”, fit: {how}."
    )


def contrast(plan: Plan) -> None:
    """Set an unchanged example beside the same releases for another unit of privacy."""
    key = workspace.document().name
    example = examples.BY_KEY.get(key)
    if example is None:
        return
    shipped = examples.plan_of(key)
    if not example.contrast or (plan.releases, plan.unit) != (shipped.releases, shipped.unit):
        return
    shipped_other = examples.plan_of(example.contrast.example)
    other = replace(shipped_other, adaptive=plan.adaptive, relation=plan.relation)  # the same promise for both
    mine, theirs = (_total(each, plan.budget.delta) for each in (plan, other))
    my_pure, their_pure = (_total(each, 0.0) for each in (plan, other))
    st.markdown(f"**{plan.unit}: ε = {mine}** (pure {my_pure}) · **{other.unit}: ε = {theirs}** (pure {their_pure}).")
    st.markdown(words.escaped(example.contrast.why))
    key = example.contrast.example
    st.button(f"Open {key}", on_click=workspace.open_example, args=(key,), key="contrast")


def _total(plan: Plan, delta: float) -> str:
    best = tightest(comparison(plan, delta))
    return "none" if best is None else shown_up(best.epsilon)
