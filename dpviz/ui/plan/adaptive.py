"""What may be quoted for a plan that chooses along the way, and what that freedom costs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.composition import tightest
from dpviz.plan import Plan
from dpviz.rounding import shown_budget, shown_count, shown_delta, shown_up
from dpviz.ui.shell import words
from dpviz.ui.shell.kept import comparison, verdicts

if TYPE_CHECKING:
    import pandas


def panel(plan: Plan, best: pandas.Series | None) -> None:
    """Say which filters admit an adaptive plan, beside `best`, its sum, and what it would cost fixed in advance."""
    if not plan.adaptive or not words.uses(plan):
        return
    st.markdown("**Chosen along the way: filters only**")
    promised = None
    if math.isinf(plan.budget.epsilon):
        st.markdown(
            "Only adding up stated pairs may be quoted. A filter needs a budget that is fixed before the first "
            "release: set one above."
        )
    else:
        frame = verdicts(plan)
        st.markdown(promise(plan, best, frame))
        _draw(plan, frame)
        promised = plan.budget.epsilon if frame.whole.any() else None
    fixed = tightest(comparison(replace(plan, adaptive=False), plan.budget.delta))
    if sentence := cost(best, fixed, promised):
        st.markdown(sentence)


def promise(plan: Plan, best: pandas.Series | None, frame: pandas.DataFrame) -> str:
    """Return what may be promised for the whole: the sum, or the budget of a filter that admits everything."""
    limit = f"ε = {shown_budget(plan.budget.epsilon)}, δ = {shown_delta(plan.budget.delta)}"
    whole = frame[frame.whole & (frame.rule != "basic")]
    if best is not None and best.epsilon <= plan.budget.epsilon:
        total = shown_up(best.epsilon)
        return f"Adding up keeps within the budget: ε ≤ **{total}**, however these releases were chosen."
    if len(whole):
        labels = " or ".join(f"**{label}**" for label in whole.label)
        why = "No sum may be quoted" if best is None else "The sum exceeds the budget"
        return (
            f"{why}, but a filter by {labels} with the budget **{limit}**, fixed before the first release, admits "
            "every release: the budget is then the promise."
        )
    most = frame[frame.admitted == frame.admitted.max()]
    refuses = most[most.refused != ""].head(1).itertuples()
    first = next((f": even {row.label} refuses “{words.escaped(row.refused)}”" for row in refuses), "")
    return f"No filter here admits the whole plan within the budget {limit}{first}."


def _draw(plan: Plan, frame: pandas.DataFrame) -> None:
    import pandas

    total = words.uses(plan)
    rows = [
        {"rule": row.label, "admits": _admits(row, total), "refuses": row.refused or row.reason}
        for row in frame.itertuples()
    ]
    config = st.column_config
    st.dataframe(
        pandas.DataFrame(rows),
        hide_index=True,
        column_config={
            "rule": config.TextColumn("Filter", width=150),
            "admits": config.TextColumn("Admits", width=90),
            "refuses": config.TextColumn("Refuses first"),
        },
        alt="How much of the plan each filter admits, in the plan's order",
    )
    if (kept := frame.kept[~frame.rule.isin(["basic", "rogers"])].max()) > 0:
        st.caption(f"Fully adaptive and Zero-concentrated DP keep δ = {shown_delta(kept)} for the releases' own δ.")
    if any(release.part is not None for release in plan.releases):
        st.caption("Parts count here as if all read the same data.")


def _admits(row: pandas.Series, total: int) -> str:
    if row.whole:
        return f"all {shown_count(total)}"
    return f"{shown_count(row.admitted)} of {shown_count(total)}" if row.refused else "n/a"


def cost(best: pandas.Series | None, fixed: pandas.Series | None, promised: float | None) -> str:
    """Return what the freedom to choose costs: the sum `best`, or the budget `promised`, against `fixed` in advance."""
    if fixed is None:
        return ""
    in_advance = f"Fixed in advance, the same releases cost ε ≤ **{shown_up(fixed.epsilon)}** ({fixed.label})"
    if best is None:
        by_filter = "" if promised is None else f": the filter's promise is its budget, {shown_up(promised)}"
        return f"{in_advance}; chosen along the way, they have no sum that could be quoted{by_filter}."
    if best.epsilon <= fixed.epsilon:
        return f"{in_advance}: here the freedom to choose costs nothing."
    factor = f", {shown_up(best.epsilon / fixed.epsilon, 3)} times as much" if fixed.epsilon > 0 else ""
    by_filter = ""
    if promised is not None and promised < best.epsilon:
        by_filter = f"; the filter's promise is its budget, {shown_up(promised)}"
    return f"{in_advance}. Chosen along the way, adding up gives {shown_up(best.epsilon)}{factor}{by_filter}."
