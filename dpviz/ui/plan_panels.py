"""What the plan page says about a plan beside its chart: large figures, what still fits, the next step, the contrast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.composition import tightest
from dpviz.plan import Plan
from dpviz.plan_fields import release_fields
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up
from dpviz.ui import cache, examples, inputs, plan_rows, shell, words

if TYPE_CHECKING:
    import pandas

NAME_LENGTH = 40


def metrics(plan: Plan, best: pandas.Series | None, pure: pandas.Series | None) -> None:
    """Draw the large figures: the total, the pure total, the budget left for one more release."""
    limit, unit = plan.budget.epsilon, words.escaped(plan.unit)
    cells = (
        (f"Total at δ = {shown_delta(plan.budget.delta)}", best, f"tightest of those that apply, per {unit}"),
        ("Pure total, δ = 0", pure, "never fails" if pure is not None else "no finite ε without δ"),
    )
    with st.container(horizontal=True):
        for label, row, note in cells:
            value = "none" if row is None else f"ε ≤ {shown_up(row.epsilon)}"
            st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True)
        budget = "no limit" if math.isinf(limit) else f"ε = {shown_down(limit)}"
        st.metric("Budget", budget, _balance(limit, best), delta_color="off", delta_arrow="off", border=True)
        room = cache.further_epsilon(plan)
        value = "any ε" if math.isinf(room) else f"ε ≤ {shown_down(room)}" if room else "nothing"
        st.metric("Room for one more", value, "pure release, still in budget", delta_color="off", delta_arrow="off", border=True)


def _balance(limit: float, best: pandas.Series | None) -> str:
    if math.isinf(limit):
        return "set one in the sidebar"
    if best is None or best.epsilon > limit:
        return "over budget" if best is None else f"over by ε = {shown_up(best.epsilon - limit)}"
    return "the plan fits"


def next_step(plan: Plan, best: pandas.Series | None) -> None:
    """Say what is over and offer what can be done about it; nothing where the plan fits."""
    if not plan.releases:
        st.info("The plan is empty. Add a release in the table below, open a file, or start from an example.")
        st.button("Open the first example", on_click=inputs.open_example, args=(inputs.OPTIONS[0],), key="open_first")
        return
    if best is not None and best.epsilon <= plan.budget.epsilon:
        return
    with st.container(border=True):
        if best is None:
            reason = words.escaped(cache.comparison(plan, plan.budget.delta).reason.iloc[0])
            st.markdown(f"**No total at this δ**: {reason}.")
        else:
            excess = shown_up(best.epsilon - plan.budget.epsilon)
            st.markdown(f"**Over the budget by ε = {excess}.** One way to fit:")
        with st.container(horizontal=True):
            _offer(plan, best)


def _offer(plan: Plan, best: pandas.Series | None) -> None:
    row = max(range(len(plan.releases)), key=lambda index: plan.releases[index].count)
    release, most = plan.releases[row], cache.largest_count(plan, row)
    if most:
        name = words.escaped(words.shortened(release.name, NAME_LENGTH))
        label = f"Release {name} {shown_count(most)} times instead of {shown_count(release.count)}"
        st.button(label, on_click=set_count, args=(row, most), key="lower_count")
    if best is not None:
        # Rounded up as shown, so that the plan fits what the button says.
        enough = math.ceil(best.epsilon * 1000) / 1000
        if enough <= inputs.LARGEST_BUDGET:
            st.button(f"Set the budget to ε = {enough:g}", on_click=inputs.set_budget, args=(enough,), key="raise")
    st.button("Undo the last change", on_click=inputs.undo, disabled=not st.session_state["past"], key="step_back")


@shell.guarded
def set_count(row: int, count: int) -> None:
    """Change how often release number `row` (from 0) of the current plan is made; a callback."""
    inputs.remember()
    rows = plan_rows.rows_of(inputs.current())
    rows[row]["count"] = str(count)
    st.session_state["draft"] = rows
    st.session_state["revision"] += 1


def headroom(plan: Plan) -> None:
    """Say how many more uses of a chosen release fit."""
    if not plan.releases or math.isinf(plan.budget.epsilon):
        return
    chosen = st.selectbox(
        "How many more like",
        range(len(plan.releases)),
        format_func=lambda row: f"{row + 1}. {plan.releases[row].name}",
        key="like",
        bind="query-params",
    )
    count = cache.further_count(plan, chosen)
    fields = release_fields(plan.releases[chosen])
    each = f" at ε = {fields['epsilon']}" if "epsilon" in fields else ""
    st.markdown(
        f"**{shown_count(count)} more** of this release{each} fit into the budget, found by composing the larger plan: "
        "what fits is not the difference of two ε."
    )


def contrast(plan: Plan) -> None:
    """Set an unchanged example beside the same releases for another unit of privacy."""
    key = st.session_state.get("example")
    example = examples.BY_KEY.get(key)
    if example is None:
        return
    if not example.contrast or plan.releases != examples.plan_of(key).releases or plan.unit != examples.plan_of(key).unit:
        st.caption(words.escaped(example.about))
        return
    other = examples.plan_of(example.contrast.example)
    mine, theirs = (_total(each, plan.budget.delta) for each in (plan, other))
    pure = [_total(each, 0.0) for each in (plan, other)]
    st.markdown(
        f"**{plan.unit}: ε = {mine}** (pure {pure[0]}) · **{other.unit}: ε = {theirs}** (pure {pure[1]}).  \n"
        + words.escaped(example.contrast.why)
    )
    label = f"Open {examples.label(example.contrast.example)}"
    st.button(label, on_click=inputs.open_example, args=(example.contrast.example,), key="contrast")


def _total(plan: Plan, delta: float) -> str:
    best = tightest(cache.comparison(plan, delta))
    return "none" if best is None else shown_up(best.epsilon)
