"""Charts of a few curves over one pair of axes: named lines, a ringed mark, a level with its name, a legend above."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dpviz.figures.base.identity import GREY, Identity, laid_out
from dpviz.figures.base.sheet import Sheet, Trace, scatter

ABOVE: dict[str, object] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"}  # a legend


def line(x: object, y: object, name: str | None, look: Identity, dark: bool, hover: str, **options: object) -> Trace:
    """Return a named line.

    Parameters
    ----------
    x, y : array_like of float
    name : str or None
    look : Identity
        Its colour, dash and width.
    dark : bool
    hover : str
        Plotly's template of what a point tells.
    **options
        Further parts of the trace; those of `line` beside its look.
    """
    drawn = {"color": look.colour(dark), "dash": look.dash, "width": look.width} | options.pop("line", {})
    shown = {"mode": "lines", "hovertemplate": f"{hover}<extra></extra>"} | options
    return scatter(x=x, y=y, name=name, line=drawn, **shown)


def chosen(x: object, y: object, name: str, colour: object, hover: str, **options: object) -> Trace:
    """Return the mark of a chosen point, a dot with a ring that shows on any line."""
    ring = {"size": 12, "color": colour, "line": {"color": GREY, "width": 2}}
    return scatter(x=x, y=y, name=name, mode="markers", marker=ring, hovertemplate=f"{hover}<extra></extra>", **options)


def level(figure: Sheet, value: float, text: str, **place: object) -> None:
    """Draw a thin line across a logarithmic axis, with its name above its right end, or where `place` has it."""
    figure.add_hline(y=value, line={"color": GREY, "width": 1.5})
    right = {"x": 1, "xref": "paper", "xanchor": "right", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(y=math.log10(value), text=text, **right | place)  # annotations want the exponent


def curves(
    traces: Iterable[Trace], across: dict[str, object], up: dict[str, object], height: int, **layout: object
) -> Sheet:
    """Return the chart of some curves and marks.

    Parameters
    ----------
    traces : iterable of dict
        As `line` and `chosen` return them, what is drawn last on top.
    across, up : dict
        The axes as Plotly describes them.
    height : int
        In pixels.
    **layout
        Further parts of the layout: a legend is shown where one is given.
    """
    figure = laid_out(Sheet(traces), height).update_xaxes(**across).update_yaxes(**up)
    return figure.update_layout(**{"showlegend": "legend" in layout} | layout)
