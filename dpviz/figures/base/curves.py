"""Charts of a few curves over one pair of axes: named lines, a ringed mark, a level with its name, a legend above."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dpviz.figures.base.identity import GREY, Identity, laid_out
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.scale import SHADE
from dpviz.figures.base.sheet import Sheet, Trace, scatter

ABOVE: dict[str, object] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"}  # a legend
STAYS: dict[str, object] = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False}  # one, too


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


def ring(x: object, y: object, name: str, symbol: str = "circle", **options: object) -> Trace:
    """Return the mark of points where something changes, through which lines are seen."""
    look = {"symbol": symbol, "size": 9, "color": SHADE, "line": {"color": GREY, "width": 1.6}}
    return scatter(x=x, y=y, name=name, mode="markers", hoverinfo="skip", marker=look, **options)


def level(figure: Sheet, value: float, text: str, **place: object) -> None:
    """Draw a thin line across a logarithmic axis, with its name above its right end, or where `place` has it."""
    figure.add_hline(y=value, line={"color": GREY, "width": 1.5})
    right = {"x": 1, "xref": "paper", "xanchor": "right", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(y=math.log10(value), text=text, **right | place)  # annotations want the exponent


def axis(title: str, ends: tuple[float, float], log: bool) -> dict[str, object]:
    """Return an axis from end to end; a logarithmic one says so, and has at least two labels."""
    if not log:
        return {"type": "linear", "range": list(ends), "title": {"text": title}, "tickformat": ",~r"}
    ticks = {"tickformat": ",~r"} | labelled(log_ticks(*ends))
    ends = [math.log10(end) for end in ends]
    return {"type": "log", "range": ends, "title": {"text": f"{title} (log)"}} | ticks


def on_axis(value: float, log: bool) -> float:
    """Return a value as Plotly's layout wants it on an axis."""
    return math.log10(value) if log else value


def fraction(value: float, ends: tuple[float, float], log: bool) -> float:
    """Return where a value lies on an axis from end to end: 0 at the first, 1 at the last."""
    low, high = (on_axis(end, log) for end in ends)
    return (on_axis(value, log) - low) / (high - low) if high > low else 0.5


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
