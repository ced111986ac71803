"""What a budget buys and what it costs: two stacked panels over one axis of ε, never two scales in one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.curves import line
from dpviz.figures.base.identity import GREY, Identity, laid_out, plain
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.scale import TEXT
from dpviz.figures.base.sheet import Sheet, Trace, drawing
from dpviz.rounding import shown_budget, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 420
ERROR = Identity("#0072B2", "#4DA3E0", "solid", 2.5)
RISK = Identity("#D55E00", "#FF7F50", "dash", 2.5)
ERROR_TITLE, RISK_TITLE = "error ±w (log)", "right guesses of 100"


@drawing
def error_against_budget(frame: pandas.DataFrame, budget: float, unit: str, dark: bool = False) -> Sheet:
    """Draw the error of a release above, and what an attacker gains below, for budgets around the present one.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per budget, ascending: epsilon, half_width, correct (right guesses of 100, at most).
    budget : float
        The present ε, in (0, inf).
    unit : str
        Unit of privacy, for the axis.
    """
    figure = Sheet(
        [
            _line(frame, "half_width", ERROR_TITLE, "y", ERROR, dark, "±%{customdata}"),
            _line(frame, "correct", RISK_TITLE, "y2", RISK, dark, "at most %{customdata} of 100"),
        ]
    )
    laid_out(figure, HEIGHT).update_layout(font={"color": TEXT[dark]})
    titles = {"tickformat": "~r", "fixedrange": True, "nticks": 6}
    figure.update_layout(
        hovermode="x",
        xaxis={"type": "log", "title": f"budget: total ε per {plain(unit)} (log)", "anchor": "y2", "fixedrange": True},
        yaxis={"domain": [0.56, 1], "type": "log", "title": ERROR_TITLE, **titles, **_error_range(frame)},
        yaxis2={"domain": [0, 0.44], "range": [48, 102], "title": RISK_TITLE, **titles},
    )
    figure.update_xaxes(tickfont={"color": TEXT[dark]}, title={"font": {"color": TEXT[dark]}})
    figure.update_yaxes(tickfont={"color": TEXT[dark]}, title={"font": {"color": TEXT[dark]}})
    ends = [math.log10(frame.epsilon.iloc[0]) - 0.04, math.log10(frame.epsilon.iloc[-1]) + 0.04]
    figure.update_xaxes(range=ends, tickvals=frame.epsilon.tolist(), ticktext=[f"{each:.3g}" for each in frame.epsilon])
    figure.add_shape(type="line", x0=budget, x1=budget, y0=0, y1=1, yref="paper", line={"color": GREY, "width": 1.5})
    figure.add_annotation(
        x=math.log10(budget), y=1, yref="paper", yanchor="bottom", text=f"budget ε = {shown_budget(budget)}",
        showarrow=False,
    )  # fmt: skip
    return figure


def _error_range(frame: pandas.DataFrame) -> dict[str, object]:
    """The ends of the axis of the error, with a margin, and at least two labels."""
    low, high = 0.9 * float(frame.half_width.min()), 1.1 * float(frame.half_width.max())
    return {"range": [math.log10(low), math.log10(high)], **labelled(log_ticks(low, high))}


def _line(frame: pandas.DataFrame, column: str, name: str, axis: str, look: Identity, dark: bool, told: str) -> Trace:
    marker = {"size": 6, "symbol": "circle" if axis == "y" else "square"}
    exact = [shown_up(float(value), 4) for value in frame[column]]
    return line(
        frame.epsilon.tolist(), frame[column].tolist(), name, look, dark, f"ε = %{{x:.4~g}}: {told}",
        mode="lines+markers", marker=marker, customdata=exact, yaxis=axis,
    )  # fmt: skip


def described(frame: pandas.DataFrame, budget: float, release: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    release : str
        Its name.
    """
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"Two panels over the budget, from epsilon {shown_up(first.epsilon)} to {shown_up(last.epsilon)}; the present "
        f"one is {shown_budget(budget)}. Above, the error of {release} falls from plus or minus "
        f"{shown_up(first.half_width, 3)} to {shown_up(last.half_width, 3)}. Below, of 100 guesses whether one unit is "
        f"in the data, the best attacker gets at most {shown_up(first.correct, 3)} right, then "
        f"{shown_up(last.correct, 3)}."
    )
