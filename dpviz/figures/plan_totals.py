"""What a plan costs under each theorem, ranked: one zero-based bar per theorem, and the budget as a line."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpviz.figures.identity import GREY, identity, laid_out, plain
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

ROW_HEIGHT = 46
BAR_WIDTH = 0.4
LONGEST_BAR = 6  # times the tightest total (or the budget): what is longer is cut, and says so
REASON_WIDTH = 60  # letters that fit beside each other on a phone


def plan_totals(frame: pandas.DataFrame, budget: float, unit: str, dark: bool = False) -> go.Figure:
    """Draw the total of a plan under every theorem, the tightest on top.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.compare` returns it: theorem, label, epsilon, delta, kind, applies, reason, source.
    budget : float
        ε of the budget; inf draws no line.
    unit : str
        Unit of privacy, for the axis.
    """
    ranked = frame.sort_values(["applies", "epsilon"], ascending=[False, True], kind="stable").reset_index(drop=True)
    end = _axis_end(ranked, budget)
    figure = go.Figure([_bar(row, place, end, dark) for place, row in ranked.iterrows()])
    for place, row in ranked.iterrows():
        figure.add_annotation(**_name(row, place, end, _waste(row, ranked)))
        if not row.applies:
            figure.add_annotation(**_reason(row, place))
    laid_out(figure, ROW_HEIGHT * len(ranked) + 82)
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(range=[0, end * 1.1], title=f"total ε per {plain(unit)}", tickformat="~r", nticks=7)
    figure.update_yaxes(range=[len(ranked) - 0.45, -0.6], visible=False)
    _draw_budget(figure, budget, end, int(ranked.applies.sum()))
    return figure


def _axis_end(ranked: pandas.DataFrame, budget: float) -> float:
    """Where bars end: the largest total or the budget, unless that would squeeze the tightest into nothing."""
    totals = ranked.epsilon[ranked.applies]
    least = totals.min() if len(totals) else 0.0
    limit = budget if math.isfinite(budget) else 0.0
    longest = max([*totals, limit, 0.0])
    end = min(longest, LONGEST_BAR * least) if least > 0 else longest
    return end if end > 0 else 1.0


def _bar(row: pandas.Series, place: int, end: float, dark: bool) -> go.Bar:
    total = min(row.epsilon, end * 1.1) if row.applies else 0.0
    read = plain(row.reason)
    if row.applies:
        read = f"ε = {shown_up(row.epsilon, 6)}<br>δ = {shown_delta(row.delta)}<br>{row.kind}"
    return go.Bar(
        x=[total],
        y=[place],
        orientation="h",
        width=BAR_WIDTH,
        name=row.label,
        # A thin outline keeps black and white bars visible while the colours of a page are being switched.
        marker={"color": identity(row.theorem).colour(dark), "line": {"color": GREY, "width": 0.5}},
        hovertemplate=f"<b>{row.label}</b><br>{read}<br>{row.source}<extra></extra>",
    )


def _text(place: float, text: str, **options: object) -> dict[str, object]:
    fixed = {"showarrow": False, "xref": "paper", "xanchor": "left", "yanchor": "bottom", "align": "left", "xshift": -3}
    return {"y": place, "text": text, **fixed, **options}


def _waste(row: pandas.Series, ranked: pandas.DataFrame) -> str:
    """By how many percent a total lies above the tight one, rounded up; "" where that is not known or nothing."""
    tight = ranked.epsilon[(ranked.theorem == "pld") & ranked.applies]
    if not row.applies or row.theorem == "pld" or tight.empty or tight.iloc[0] <= 0:
        return ""
    excess = 100 * (row.epsilon / tight.iloc[0] - 1)
    return f"{shown_up(excess, 2)} % above tight" if excess > 0.01 else ""


def _name(row: pandas.Series, place: int, end: float, waste: str) -> dict[str, object]:
    """Name and value above the bar, where neither the budget's line nor a narrow screen cuts them."""
    if not row.applies:
        return _text(place - 0.2, f"{row.label} · does not apply", x=0, font={"color": GREY})
    cut = "bar cut" if row.epsilon > end * 1.1 else ""
    marks = [f"<b>{shown_up(row.epsilon)}</b>", row.label, "tightest" if place == 0 else "", waste, cut]
    return _text(place - 0.2, " · ".join(mark for mark in marks if mark), x=0, font={"size": 13})


def _reason(row: pandas.Series, place: int) -> dict[str, object]:
    lines = textwrap.wrap(row.reason, REASON_WIDTH)
    text = "<br>".join(plain(line) for line in lines[:2]) + ("…" if len(lines) > 2 else "")
    font = {"color": GREY, "size": 11}
    return _text(place - 0.22, text, x=0, yanchor="top", font=font)


def _draw_budget(figure: go.Figure, budget: float, end: float, rows: int) -> None:
    if math.isinf(budget):
        return
    inside = budget <= end * 1.1
    if inside:
        figure.add_vline(x=budget, line={"color": GREY, "width": 1}, opacity=0.4, layer="below")
        # One stronger piece per bar: the names between the bars stay readable.
        for place in range(rows):
            reach = {"y0": place - BAR_WIDTH / 2 - 0.06, "y1": place + BAR_WIDTH / 2 + 0.06}
            figure.add_shape(type="line", x0=budget, x1=budget, line={"color": GREY, "width": 2}, **reach)
    right = not inside or budget > 0.5 * end
    figure.add_annotation(
        x=budget if inside else end * 1.1,
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="right" if right else "left",
        text=f"budget ε = {shown_up(budget)}" + ("" if inside else " →"),
        showarrow=False,
    )


def described(frame: pandas.DataFrame, budget: float, unit: str) -> str:
    """Return the chart in words, for those who hear it."""
    ranked = frame.sort_values(["applies", "epsilon"], ascending=[False, True], kind="stable")
    rows = [
        f"{row.label} at most {shown_up(row.epsilon)} at delta {shown_delta(row.delta)}"
        if row.applies
        else f"{row.label} does not apply: {row.reason}"
        for row in ranked.itertuples()
    ]
    limit = "" if math.isinf(budget) else f" The budget is {shown_up(budget)}."
    return f"Bar chart of the total epsilon per {unit}, smallest first. {'; '.join(rows)}.{limit}"
