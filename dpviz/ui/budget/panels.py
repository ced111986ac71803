"""What stands beneath the chart of the budget page: exact values, error against budget, and why."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from dpviz.figures import error_against_budget as tradeoff_figure
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.planning.accuracy import LEFT_OUT
from dpviz.planning.budgeting import SPLITS
from dpviz.rounding import shown_near, shown_up
from dpviz.ui.budget import answer as answers
from dpviz.ui.budget import words as told
from dpviz.ui.budget.answer import Answer
from dpviz.ui.budget.asked import ACCURACY, NOISE, choose_row, chosen_row
from dpviz.ui.shell import components, examples, workspace
from dpviz.ui.shell.words import escaped

TABS = ("Exact values", "Error against budget")
COLUMNS = (
    "name", "typical", "answer_unit", "weight", "done", "count", "epsilon", "delta", "scale", "sigma", "sensitivity",
)  # fmt: skip
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


def along_the_way(found: Answer) -> None:
    """Say what may be quoted for a plan that is chosen along the way, and what that costs; nothing for others."""
    plan, asked = found.before, found.asked
    if plan.adaptive:
        cost = answers.adaptive_cost(plan, asked.split, asked.kept) if found.after and asked.solve == NOISE else None
        st.caption(told.along_the_way(found, cost))


def signal(found: Answer) -> None:
    """Say where the noise exceeds the signal."""
    if remark := told.exceeding(found):
        st.caption(remark)


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
            "theorem": row.theorem_label if row.applies else row.reason,
        }
        for row in found.kinds.itertuples()
    ]
    names = {"noise": "With", "epsilon": "needs ε", "theorem": "Proved by, or why not"}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=names, alt="The price of this accuracy")
    st.caption(
        "A release that changes its kind of noise keeps the number of its sensitivity. Gaussian noise becomes Laplace "
        "noise only where every release is a single number: for vectors, the L1 sensitivity is larger than that in L2."
    )


def tabs(found: Answer) -> None:
    """Draw the exact values, or the error against the budget, whichever tab is open."""
    values, tradeoff = st.tabs(TABS, key="see", bind="query-params")
    if values.open:
        with values:
            exact_values(found)
    if tradeoff.open:
        with tradeoff:
            against_budget(found)


def exact_values(found: Answer) -> None:
    """Draw noise, error and share of the spend of every release, now and then."""
    config = st.column_config
    right = {"alignment": "right"}
    rows = table(found)
    known = (rows.relative != "–").any()
    st.dataframe(
        rows,
        hide_index=True,
        column_order=[name for name in rows if name != "relative" or known],
        column_config={
            "row": config.NumberColumn("Row", pinned=True, width=45),
            "release": config.TextColumn("Release", pinned=True, width=200),
            "noise_now": config.TextColumn("Noise now", **right),
            "noise_then": config.TextColumn("Noise then", **right),
            "expected": config.TextColumn("Expected |error|", help="Mean distance from the exact answer.", **right),
            "width": config.TextColumn(f"{told.percent(found.asked.confidence)} within", **right),
            "relative": config.TextColumn("Of the typical value", help="±w over the typical value.", **right),
            "share": config.TextColumn("Share of the spend", help="Of the sum of ε of each release alone.", **right),
            "signal": config.TextColumn("Noise and signal", width=180),
        },
        alt="Noise, error and share of the spend of every release",
    )
    st.caption(
        f"{LEFT_OUT} A share compares what each release would cost alone: composed, they cost less than their sum, so "
        "no exact share of the total exists."
    )


def table(found: Answer) -> pd.DataFrame:
    """Return the exact values as texts, one row per release; "–" where there is none."""
    before, after = found.before, found.after or found.before
    shares = [_shares(answers.spends(plan)) for plan in (before, after)]
    rows = []
    for row, release in enumerate(after.releases):
        old, width = before.releases[row] if row < len(before.releases) else None, found.widths_after[row]
        relative = None if width is None or release.typical is None else width / release.typical
        quiet = bool(release.mechanism.why_no_noise)
        unit = f" {release.answer_unit}" if release.answer_unit else ""
        rows.append(
            {
                "row": row + 1,
                "release": release.name,
                "noise_now": "–" if old is None else noise(old.mechanism),
                "noise_then": noise(release.mechanism) if found.after else "–",
                "expected": "–" if quiet else f"{_exact(release.mechanism.base.noise.mean_distance)}{unit}",
                "width": "–" if width is None else f"±{_exact(width)}{unit}",
                "relative": "–" if relative is None else f"{told.amount(100 * relative)} %",
                "share": _arrow(shares[0][row] if old is not None else "–", shares[1][row] if found.after else ""),
                "signal": told.verdict(width, release.typical),
            }
        )
    return pd.DataFrame(rows)


def _shares(spends: tuple[float, ...]) -> list[str]:
    total = math.fsum(spends)
    if not math.isfinite(total) or total <= 0:
        return ["–"] * len(spends)
    return [f"{100 * each / total:.3g} %" for each in spends]


def _arrow(now: str, then: str) -> str:
    return f"{now} → {then}" if then and then != now else now


def _exact(value: float) -> str:
    return shown_up(value, 6)


def noise(mechanism: Mechanism) -> str:
    """Return the noise of a mechanism as text: b of Laplace noise, σ of Gaussian noise; its ε where it adds none."""
    base = mechanism.base
    for name, symbol in (("scale", "b"), ("sigma", "σ")):
        if hasattr(base, name):
            return f"{symbol} = {_exact(getattr(base, name))}"
    signs = {"epsilon": "ε", "delta": "δ"}
    return ", ".join(f"{signs.get(name, name)} = {shown_near(value)}" for name, value in base.parameters.items())


def against_budget(found: Answer) -> None:
    """Draw error and risk over the budget, for the release that is looked at."""
    plan, asked, row = found.before, found.asked, chosen_row(found.before)
    budget = plan.budget.epsilon
    if math.isinf(budget) or budget <= 0 or not plan.releases:
        st.info("Set a budget ε in the sidebar: the error is drawn for budgets around it.")
        return
    if reason := plan.releases[row].mechanism.why_no_noise:
        st.info(f"Row {row + 1} has no error to draw: {reason}.")
        return
    frame, reason = answers.against_budget(plan, asked.split, asked.kept, row, found.each)
    if frame.empty:
        st.info(f"No budget near this one has an answer: {escaped(reason)}.")
        return
    name = told.named(plan, row)
    components.chart(
        tradeoff_figure.error_against_budget(frame, budget, plan.unit, components.dark()),
        frame,
        "error-against-budget",
        f"What a budget buys, and what it costs: {name}",
        tradeoff_figure.described(frame, budget, f"row {row + 1}"),
    )
    left = f" Smaller budgets have no answer: {escaped(reason)}." if reason else ""
    st.caption(
        "Above: the error with the noise that each budget allows, split as chosen. Below: how often of 100 the best "
        "attacker, who knows all other data, guesses right whether one unit is in it; 50 is a coin flip. Points are "
        f"computed, lines join them.{left}"
    )


def nothing_yet() -> None:
    """Lead to a plan where there is none."""
    st.button("Open the first example", on_click=workspace.open_example, args=(examples.FIRST,), key="open_first")


def row_choice(plan: Plan) -> None:
    """Draw the choice of the release whose error is shown."""
    if len(plan.releases) > 1:
        choose_row(plan)


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
