"""The privacy profile δ(ε) of the mechanisms themselves, with the point that each theorem proves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out
from dpviz.figures.base.legends import BENEATH
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 410
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
    figure = Sheet(
        scatter(
            x=shown.epsilon,
            y=shown.delta,
            name="The mechanisms",
            mode="lines",
            line={"color": tight.colour(dark), "width": tight.width},
            customdata=[shown_delta(value) for value in shown.delta],
            hovertemplate="ε %{x:.6g}<br>δ %{customdata}<extra></extra>",
        )
    )
    end = float(profile.epsilon.max())
    if comparison is not None:
        pairs = comparison[comparison.applies & (comparison.epsilon <= end)].itertuples()
        figure.data += [_point(row, dark) for row in pairs if row.theorem != "pld" and row.delta > 0]
    laid_out(figure, HEIGHT)
    bottom = max(float(shown.delta.min()) if len(shown) else SMALLEST, SMALLEST)
    low = math.floor(math.log10(min(bottom, delta or bottom))) - 0.3
    figure.update_yaxes(type="log", range=[low, 0.2], title="δ · log", tickformat=".0e", nticks=8)
    figure.update_xaxes(range=[0, end], title="ε of all releases together", tickformat="~r", nticks=7)
    if delta > 0:
        figure.add_hline(y=delta, line={"color": GREY, "width": 1.5})
        # At the left, where the curve lies above the line; at the right, theorems have their points.
        text = {"text": f"δ = {shown_delta(delta)}", "showarrow": False, "xanchor": "left", "yanchor": "top"}
        figure.add_annotation(x=0, xref="paper", xshift=4, y=math.log10(delta), **text)
    figure.update_layout(showlegend=True, legend=BENEATH, margin={"b": 140})
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
