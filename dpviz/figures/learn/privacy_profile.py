"""The privacy profile δ(ε) of the mechanisms themselves, with the point that each theorem proves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.curves import curves, level, line
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.legends import BENEATH
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

SMALLEST = 1e-18


@drawing
def privacy_profile(
    profile: pandas.DataFrame, comparison: pandas.DataFrame | None = None, delta: float = 0.0, dark: bool = False
) -> Sheet:
    """Draw δ against ε, logarithmically, and the pair of each theorem at the chosen δ.

    Parameters
    ----------
    profile : pandas.DataFrame
        Columns epsilon, delta: of the mechanisms themselves.
    comparison : pandas.DataFrame, optional
        As `dpviz.compare` returns it.
    delta : float
        The chosen δ; 0 draws no line.
    """
    tight = identity("pld")
    shown = profile[profile.delta > SMALLEST]
    told = [shown_delta(value) for value in shown.delta]
    hover = "ε %{x:.6g}<br>δ %{customdata}"
    traces = [line(shown.epsilon, shown.delta, "The mechanisms", tight, dark, hover, customdata=told)]
    end = float(profile.epsilon.max())
    if comparison is not None:
        pairs = comparison[comparison.applies & (comparison.epsilon <= end)].itertuples()
        traces += [_point(row, dark) for row in pairs if row.theorem != "pld" and row.delta > 0]
    bottom = max(float(shown.delta.min()) if len(shown) else SMALLEST, SMALLEST)
    low = math.floor(math.log10(min(bottom, delta or bottom))) - 0.3
    across = {"range": [0, end], "title": "ε of all releases together", "tickformat": "~r", "nticks": 7}
    up = {"type": "log", "range": [low, 0.2], "title": "δ · log", **labelled(log_ticks(10.0**low, 1.0))}
    figure = curves(traces, across, up, 410, legend=BENEATH, margin={"b": 140})
    if delta > 0:  # named at the left, where the curve lies above the line; at the right, theorems have their points
        level(figure, delta, f"δ = {shown_delta(delta)}", x=0, xshift=4, xanchor="left", yanchor="top")
    return figure


def _point(row: object, dark: bool) -> Trace:
    return scatter(
        x=[row.epsilon],
        y=[row.delta],
        name=row.label,
        mode="markers",
        marker={
            "color": identity(row.theorem).colour(dark),
            "size": 11,
            "symbol": "diamond",
            "line": {"color": GREY, "width": 1},
        },
        hovertemplate=f"<b>{row.label}</b><br>ε = {shown_up(row.epsilon, 6)}<br>"
        f"δ = {shown_delta(row.delta)}<extra></extra>",
    )


def described(profile: pandas.DataFrame, comparison: pandas.DataFrame, delta: float) -> str:
    """Return the chart in words, for those who hear it."""
    points = [f"{row.label} {shown_up(row.epsilon)}" for row in comparison[comparison.applies].itertuples()]
    return (
        f"Delta against epsilon, falling from {shown_up(float(profile.delta.iloc[0]))} at epsilon 0. At delta "
        f"{shown_delta(delta)} the theorems prove epsilon: {'; '.join(points)}."
    )
