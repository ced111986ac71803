"""The simulation lemma: M(x) and M(x') as sums of what F makes of each symbol; and F* beside the mechanism itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.scale import INK
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing, scatter

if TYPE_CHECKING:
    import pandas

HEIGHT = 460
SYMBOLS = (("f_0", "F(0)"), ("f_1", "F(1)"), ("f_u", 'F("U")'), ("f_v", 'F("V")'))
COLOURS = (
    ("rgba(0,114,178,0.55)", "rgba(77,163,224,0.55)"),
    ("rgba(230,159,0,0.55)", "rgba(245,185,58,0.55)"),
    ("rgba(213,94,0,0.75)", "rgba(255,127,80,0.75)"),
    ("rgba(154,79,150,0.75)", "rgba(213,155,210,0.75)"),
)


@drawing
def simulation_lemma(
    frame: pandas.DataFrame, weights_u: Sequence[float], weights_v: Sequence[float], dark: bool = False
) -> Sheet:
    """Draw, above, how U becomes M(x), and beneath, how V becomes M(x'): stacked parts whose sum is the outline.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.losses.simulation_lemma.Simulation.frame` returns it.
    weights_u, weights_v : sequence of float
        Probabilities of the four symbols under U and under V.
    """
    labelled = bool((frame.label != "").all())
    figure = Sheet()
    for axis, weights in (("", weights_u), ("2", weights_v)):
        for place, (column, name) in enumerate(SYMBOLS):
            if weights[place] > 0:
                part = frame[column] * weights[place]
                figure.add_trace(_part(frame, part, name, COLOURS[place][dark], axis, labelled))
        outline = frame.p if axis == "" else frame.q
        figure.add_trace(_outline(frame, outline, "M(x)" if axis == "" else "M(x')", axis, labelled, dark))
    laid_out(figure, HEIGHT)
    unit = "probability" if labelled or (frame.output % 1 == 0).all() else "density"
    figure.update_layout(
        barmode="stack",
        xaxis={"anchor": "y", "showticklabels": False, "matches": "x2"},
        xaxis2={"anchor": "y2", "title": "output of the mechanism", "tickformat": None if labelled else "~r"},
        yaxis={"domain": [0.55, 1.0], "title": f"F(U), {unit}", "rangemode": "tozero", "nticks": 4},
        yaxis2={"domain": [0.0, 0.45], "title": f"F(V), {unit}", "rangemode": "tozero", "nticks": 4},
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return figure


def _places(frame: pandas.DataFrame, labelled: bool) -> pandas.Series:
    return frame.label if labelled else frame.output


def _part(frame: pandas.DataFrame, part: object, name: str, colour: str, axis: str, labelled: bool) -> object:
    shared = {
        "x": _places(frame, labelled),
        "y": part,
        "name": name,
        "legendgroup": name,
        "showlegend": axis == "" if name != 'F("V")' else True,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "hovertemplate": f"{name} gives %{{y:.6g}}<extra></extra>",
    }
    if labelled:
        return bar(marker={"color": colour, "line": {"color": GREY, "width": 0.5}}, width=0.5, **shared)
    return scatter(
        mode="lines", stackgroup=f"stack{axis}", line={"width": 0.5, "color": colour}, fillcolor=colour, **shared
    )


def _outline(frame: pandas.DataFrame, values: object, name: str, axis: str, labelled: bool, dark: bool) -> Trace:
    ink = INK[dark]
    look = (
        {"mode": "markers", "marker": {"symbol": "line-ew-open", "size": 46, "color": ink, "line": {"width": 2}}}
        if labelled
        else {"mode": "lines", "line": {"color": ink, "width": 2, "dash": "dot"}}
    )
    return scatter(
        x=_places(frame, labelled),
        y=values,
        name=name,
        legendgroup="outline",
        xaxis=f"x{axis}",
        yaxis=f"y{axis}",
        hovertemplate=f"{name} %{{y:.6g}}<extra></extra>",
        **look,
    )


def described(frame: pandas.DataFrame, epsilon: float, delta: float) -> str:
    """Return the chart in words, for those who hear it."""
    return (
        f"Two stacked charts over {len(frame)} outputs, for epsilon {epsilon:.6g} and delta {delta:.4g}. Above, the "
        "parts that F makes of the symbols of U add up to the outline M of x; beneath, those of V to M of x prime."
    )
