"""The largest loss of many releases, the ε that is left when δ may ignore the rare, and how rare that loss is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.curves import line
from dpviz.figures.base.identity import GREY, Identity, identity, laid_out
from dpviz.figures.base.log_ticks import log_axis
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 420
UPPER, LOWER = [0.46, 1.0], [0.0, 0.32]
MARKED = {"mode": "lines+markers"}


@drawing
def largest_loss(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw k ε and the tight ε at δ against k; beneath, the probability of a loss of k ε.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.losses.largest.largest_losses` returns it.
    """
    delta = float(frame.delta.iloc[0])
    basic, tight = identity("basic"), identity("pld")
    figure = Sheet(
        [
            _line(frame["count"], frame.largest, "largest loss, k ε (basic composition)", basic, dark),
            _line(frame["count"], frame.epsilon, f"ε at δ = {shown_delta(delta)}", tight, dark),
            line(
                frame["count"], frame.log10_probability, "probability of the largest loss", basic, dark,
                "%{x} releases<br>probability 10<sup>%{y:.5g}</sup>",
                line={"dash": "dot"}, **MARKED, xaxis="x2", yaxis="y2",
            ),
        ]
    )
    laid_out(figure, HEIGHT)
    _axes(figure, frame)
    if delta > 0:
        place = math.log10(delta)
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, yref="y2", y0=place, y1=place, line={"color": GREY})
        text = {"text": f"δ = {shown_delta(delta)}", "showarrow": False, "xanchor": "right", "yanchor": "bottom"}
        figure.add_annotation(x=1, xref="paper", y=place, yref="y2", **text)
    return figure


def _axes(figure: Sheet, frame: pandas.DataFrame) -> None:
    across = log_axis(frame["count"], 1.1)
    up = log_axis([*frame.largest, *frame.epsilon], 1.3)
    figure.update_layout(
        xaxis={**across, "anchor": "y", "matches": "x2", "showticklabels": False},
        yaxis={**up, "domain": UPPER, "title": "ε · log"},
        xaxis2={**across, "anchor": "y2", "title": "number of releases k · log"},
        yaxis2={"domain": LOWER, "title": "log₁₀ of its<br>probability", "nticks": 4},
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )


def _line(x: object, y: object, name: str, look: Identity, dark: bool) -> Trace:
    hover = f"%{{x}} releases<br>{name}: %{{y:.7g}}"
    return line(x, y, name, look, dark, hover, line={"shape": bounding(x)}, **MARKED)


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    last = frame.iloc[-1]
    return (
        f"Largest loss and epsilon against the number of releases. At {int(last['count'])} releases the largest loss "
        f"is {shown_up(last.largest)}, with probability 10 to the power {last.log10_probability:.4g}; epsilon at delta "
        f"{shown_delta(last.delta)} is {shown_up(last.epsilon)}."
    )
