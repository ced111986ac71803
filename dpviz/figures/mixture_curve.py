"""An answer that is aggregated only sometimes: every bound against p, and the false step behind the note's last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dpviz.figures.identity import GREY, Identity, laid_out
from dpviz.figures.noise_lines import EXACT, LEGEND, PRINTED, RULE, SECOND, line
from dpviz.rounding import shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 400
LOOKS = {
    "known": ("label known", EXACT),
    "hidden": ("label hidden", SECOND),
    "larger": ("3.1: the larger ε", Identity("#1a1a1a", "#f2f2f2", "solid", 1.5)),
    "line": ("3.2 before its last step", RULE),
    "product": ("3.2 as printed", PRINTED),
}


def mixture_curve(curve: pandas.DataFrame, bounds: pandas.DataFrame, p: float, dark: bool = False) -> go.Figure:
    """Draw every bound against p; those of the note that are no guarantee are dashed or dotted.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.noise_sums.mixtures.mixture_curve` returns it.
    bounds : pandas.DataFrame
        The rows at the chosen p, which are marked.
    p : float
    """
    figure = go.Figure()
    for key in reversed(LOOKS):
        name, look = LOOKS[key]
        rows = curve[(curve.bound == key) & np.isfinite(curve.epsilon)]
        figure.add_trace(line(rows.p, rows.epsilon, name, look, dark, "p ="))
    here = bounds[bounds.bound.isin(["known", "hidden"])]
    figure.add_trace(
        go.Scatter(
            x=[p] * len(here),
            y=here.epsilon,
            name=f"p = {shown_near(p)}",
            mode="markers",
            marker={"size": 12, "color": [LOOKS[key][1].colour(dark) for key in here.bound],
                    "line": {"color": GREY, "width": 2}},
            hovertemplate="p = %{x}<br>ε = %{y:.7g}<extra></extra>",
        )
    )  # fmt: skip
    laid_out(figure, HEIGHT)
    top = float(curve.epsilon[curve.bound.isin(["known", "hidden", "larger"])].max())
    figure.update_xaxes(title="p: probability that the answer is sent alone", range=[-0.02, 1.02])
    figure.update_yaxes(title="ε of the mixture", range=[0, 1.1 * top], tickformat="~r", nticks=6)
    figure.update_layout(showlegend=True, legend={**LEGEND, "traceorder": "reversed"}, margin_t=64)
    return figure


def described(bounds: pandas.DataFrame, p: float) -> str:
    """Return the chart in words, for those who hear it."""
    values = [
        f"{row.label} {shown_up(row.epsilon) if row.epsilon >= 0 else 'below 0'}, "
        f"{'a guarantee' if row.proved else 'no guarantee to everyone'}"
        for row in bounds.itertuples()
    ]
    return f"Epsilon of the mixture against p from 0 to 1. At p = {shown_near(p)}: {'; '.join(values)}."


@dataclass(frozen=True, slots=True)
class Exponents:
    """The exponents x = ε1 + ln p and y = ε2 + ln(1-p) of the note's sum: for every p, and for the chosen one.

    Parameters
    ----------
    x, y : tuple of float
        Along p from 0 to 1.
    here : tuple of float or None
        At the chosen p; None at its ends, where one exponent is minus infinity.
    p : float
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    here: tuple[float, float] | None
    p: float


def false_step(edge: pandas.DataFrame, path: Exponents, dark: bool = False) -> go.Figure:
    """Draw the region in which e^x + e^y <= e^(x+y), the quadrant the note claims, and where the note's bound falls.

    Parameters
    ----------
    edge : pandas.DataFrame
        As `dpviz.noise_sums.mixtures.sum_of_exponentials_edge` returns it.
    path : Exponents
    """
    end = float(edge.x.max())
    outline = {"mode": "lines", "hoverinfo": "skip", "line": {"width": 0}}
    true = go.Scatter(
        x=[*edge.x, end, 0], y=[*edge.y, 10 * end, 10 * end], name="true", fill="toself",
        fillcolor="rgba(0,158,115,0.3)", **outline,
    )  # fmt: skip
    curve = go.Scatter(
        x=edge.x, y=edge.y, name="(eˣ−1)(eʸ−1) = 1", mode="lines", line={"color": EXACT.colour(dark), "width": 2},
        hovertemplate="x = %{x:.5g}<br>y = %{y:.5g}<extra></extra>",
    )  # fmt: skip
    claimed = go.Scatter(
        x=[0, end, end, 0], y=[0, 0, end, end], name="claimed, but false", fill="toself",
        fillcolor="rgba(213,94,0,0.35)", **outline,
    )  # fmt: skip
    figure = go.Figure([claimed, true, curve])
    figure.add_trace(
        go.Scatter(
            x=path.x, y=path.y, name="the note's bound, p from 0 to 1", mode="lines", hoverinfo="skip",
            line={"color": PRINTED.colour(dark), "dash": PRINTED.dash, "width": 2},
        )
    )  # fmt: skip
    if path.here:
        figure.add_trace(_here(path))
    laid_out(figure, HEIGHT)
    low = -2.0
    figure.update_xaxes(title="x = ε₁ + ln p", range=[low, end])
    figure.update_yaxes(title="y = ε₂ + ln(1−p)", range=[low, end])
    figure.update_layout(showlegend=True, legend=LEGEND, margin_t=64)
    return figure


def _here(path: Exponents) -> go.Scatter:
    return go.Scatter(
        x=[path.here[0]],
        y=[path.here[1]],
        name=f"p = {shown_near(path.p)}",
        mode="markers",
        marker={"size": 12, "color": "#FFFFFF", "line": {"color": "#1a1a1a", "width": 2}},
        hovertemplate="x = %{x:.5g}, y = %{y:.5g}<extra></extra>",
    )


def step_described(path: Exponents) -> str:
    """Return the region in words, for those who hear it."""
    where = ""
    if path.here is not None:
        where = f" At p = {shown_near(path.p)} the note's exponents are {path.here[0]:.3g} and {path.here[1]:.3g}."
    return (
        "The plane of x and y. The note claims the inequality for all x and y from 0 on; it is true only above a curve "
        f"that falls from infinity at x = 0 through ln 2 = 0.693 at x = ln 2 towards 0.{where}"
    )
