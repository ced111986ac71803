"""A sequence of queries under filters: how much of the budget each rule counts as used, and where each refuses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import STAYS, curves, line
from dpviz.figures.base.identity import GREY, Identity, identity, nothing, plain
from dpviz.figures.base.scale import BEHIND, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing, scatter
from dpviz.rounding import shown_budget, shown_count, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 448
ROOM = 1.42  # times the budget: words stand above its line
ROW = 0.072
FIXED = "fixed"
EMPTY = "There is nothing to draw: no rule is chosen."
MOST_STAIRS = 60  # steps that are drawn as stairs: more would blur the dashes


@dataclass(frozen=True)
class Stops:
    """Where rules refuse for the first time.

    Parameters
    ----------
    frame : pandas.DataFrame
        rule, label, step (of the first refusal), epsilon (used by then); only rules that refuse.
    fits : int or None
        How many of the queries fit if they are fixed in advance; None where all do.
    """

    frame: pandas.DataFrame
    fits: int | None = None


@drawing
def odometer(
    frame: pandas.DataFrame, stops: Stops, budget: float, in_words: bool = False, dark: bool = False
) -> Sheet:
    """Draw the ε that each rule counts as used after each query, and the same queries fixed in advance.

    Parameters
    ----------
    frame : pandas.DataFrame
        rule (key, or ``fixed``), label, step from 0, epsilon (inf: none).
    stops : Stops
    budget : float
        Its ε, positive and finite.
    """
    if frame.empty:
        return nothing(EMPTY, HEIGHT)
    last = int(max(frame.step.max(), 1))
    traces = [_trace(rule, rows, dark) for rule, rows in frame.groupby("rule", sort=False)]
    traces.append(_crosses(stops.frame, dark))
    used = "privacy loss counted as used" if in_words else "ε counted as used"
    across = {"range": [0, last * 1.02], "title": "queries asked", "tickformat": ",d"}
    up = {"range": [0, ROOM * budget], "title": used, "tickformat": ",~r"}
    figure = curves(traces, across, up, HEIGHT, hovermode="x unified", legend=STAYS)
    _draw_budget(figure, budget, in_words)
    _draw_stops(figure, stops, budget, last * 1.02, dark)
    return figure


def _trace(rule: str, rows: pandas.DataFrame, dark: bool) -> Trace:
    fixed = rule == FIXED
    used = rows.epsilon.to_numpy()
    look = Identity(GREY, GREY, "dot") if fixed else replace(identity(rule), width=2.5)
    shape = bounding(rows.step) if fixed or len(used) > MOST_STAIRS else "hv"
    exact = np.array([shown_up(each, 6) for each in used.tolist()], dtype=object)
    x, y, name = rows.step.to_numpy(), np.where(np.isfinite(used), used, np.nan), rows.label.iloc[0]
    hover = "<b>%{customdata}</b> %{fullData.name}"
    return line(x, y, name, look, dark, hover, line={"shape": shape}, customdata=exact)


def _crosses(stops: pandas.DataFrame, dark: bool) -> Trace:
    colours = [identity(rule).colour(dark) for rule in stops.rule.tolist()]
    return scatter(
        x=stops.step.tolist(),
        y=stops.epsilon.tolist(),
        mode="markers",
        name="first refusal",
        marker={"symbol": "x", "size": 10, "color": colours, "line": {"color": GREY, "width": 0.5}},
        hoverinfo="skip",
        showlegend=False,
    )


def _draw_budget(figure: Sheet, budget: float, in_words: bool) -> None:
    figure.add_hline(y=budget, line={"color": GREY, "width": 1.4}, layer="below")
    figure.add_annotation(
        x=0,
        xref="paper",
        y=budget,
        text=f"budget {'' if in_words else 'ε = '}{shown_budget(budget)}",
        xanchor="left",
        yanchor="top",
        xshift=4,
        showarrow=False,
    )


def _draw_stops(figure: Sheet, stops: Stops, budget: float, width: float, dark: bool) -> None:
    """Above each refusal a pole, and the words in rows above the line of the budget."""
    for row, each in enumerate(stops.frame.sort_values("step").itertuples()):
        x, height = each.step / width, 0.97 - row * ROW
        low = min(each.epsilon / (ROOM * budget), height)
        pole = {"color": GREY, "width": 0.8, "dash": "dot"}
        figure.add_shape(type="line", x0=x, x1=x, y0=low, y1=height, xref="paper", yref="paper", line=pole)
        side = "left" if x < 0.55 else "right"
        figure.add_annotation(
            x=x,
            y=height,
            xref="paper",
            yref="paper",
            text=f"{plain(each.label)} refuses query {shown_count(int(each.step))}",
            font={"color": identity(each.rule).colour(dark), "size": USUAL},
            xanchor=side,
            yanchor="middle",
            xshift=4 if side == "left" else -4,
            bgcolor=BEHIND[dark],
            showarrow=False,
        )


def described(frame: pandas.DataFrame, stops: Stops, budget: float) -> str:
    """Return the chart in words, for those who hear it."""
    if frame.empty:
        return EMPTY
    ends = []
    for _, rows in frame.groupby("rule", sort=False):
        last = rows.iloc[-1]
        ends.append(f"{last.label} {'none' if math.isinf(last.epsilon) else shown_up(last.epsilon)}")
    refused = [f"{row.label} refuses query {shown_count(int(row.step))} first" for row in stops.frame.itertuples()]
    many = shown_count(int(frame.step.max()))
    return (
        f"Line chart of epsilon counted as used after each of {many} queries; the budget is {shown_budget(budget)}. At "
        f"the end: {'; '.join(ends)}. {'; '.join(refused) + '.' if refused else 'Nothing is refused.'}"
    )
