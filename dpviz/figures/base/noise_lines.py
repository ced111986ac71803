"""How lines about noise are drawn on the charts of sums, clients, mixtures and shuffling."""

from __future__ import annotations

import math

from dpviz.figures.base.identity import GREY, Identity, identity
from dpviz.figures.base.sheet import Sheet, Trace, scatter
from dpviz.rounding import shown_near

EXACT = identity("pld")
RULE = Identity("#CC79A7", "#E08FC0", "dash")
PRINTED = Identity("#A05A2C", "#C9A27A", "dot")
SECOND = identity("optimal")
LEGEND: dict[str, object] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"}


def line(x: object, y: object, name: str, look: Identity, dark: bool, axis: str, **options: object) -> Trace:
    """Return a named line whose hover text has four digits; `axis` says what x is."""
    return scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": look.colour(dark), "dash": look.dash, "width": look.width} | options.pop("line", {}),
        hovertemplate=f"{axis} %{{x:.4g}}<br>{name}: ε = %{{y:.4g}}<extra></extra>",
        **options,
    )


def target_line(figure: Sheet, target: float | None) -> None:
    """Draw the target as one thin line with its name, on a logarithmic axis."""
    if target is None:
        return
    figure.add_hline(y=target, line={"color": GREY, "width": 1.5})
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=math.log10(target),  # of a logarithmic axis, annotations want the exponent
        yanchor="bottom",
        text=f"target ε = {shown_near(target)}",
        showarrow=False,
    )
