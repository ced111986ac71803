"""Plans that nothing beats: error against total ε, one staircase for each amount that is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.curves import STAYS
from dpviz.figures.base.identity import GREY, identity, laid_out, nothing, plain
from dpviz.figures.base.log_ticks import log_axis
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_budget, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 440
MOST_LINES = 4  # amounts with a line of their own; of more, those of the fewest and of the most numbers
COLOURS = ("pld", "advanced", "optimal", "fully_adaptive")  # identities that are told apart
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
EMPTY = "No plan has a finite total."
ERRORS = {"largest": "largest relative error", "variance": "weighted variance"}  # by measure, for the axis


@drawing
def frontier(frame: pandas.DataFrame, chosen: int | None = None, budget: float = 0.0, dark: bool = False) -> Sheet:
    """Draw the plans of a frontier.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per plan, in order of ε: epsilon, error, uses (numbers published in all), measure; optional hover (plain
        text, line by line). The customdata of a point begin with its label in the index.
    chosen : int, optional
        The row, from 0, that is looked at.
    budget : float
        ε that is allowed; 0 or inf for none.
    """
    drawn = frame[(frame.epsilon > 0) & (frame.error > 0)]
    if drawn.empty:
        return nothing(EMPTY)
    figure, levels = Sheet(), _levels(drawn)
    if len(rest := drawn[~drawn.uses.isin(levels)]):
        figure.add_trace(_trace(rest, "other amounts", GREY, "circle-open", lines=False))
    for place, uses in enumerate(levels):
        colour = identity(COLOURS[place]).colour(dark)
        figure.add_trace(_trace(drawn[drawn.uses == uses], f"{uses:,} numbers", colour, SYMBOLS[place]))
    if chosen is not None and chosen in drawn.index:
        figure.add_trace(_ring(drawn.loc[[chosen]], dark))
    laid_out(figure, HEIGHT)
    figure.update_layout(showlegend=True, legend=STAYS, margin={"b": 56}, hovermode="closest")
    shown = bool(0 < budget < 2 * drawn.epsilon.max())
    figure.update_xaxes(**log_axis([*drawn.epsilon, *[budget] * shown], 1.08), title="total ε (log)")
    title = f"{ERRORS.get(drawn.measure.iloc[0], 'error')} (log)"
    figure.update_yaxes(**log_axis(drawn.error, 1.15), title=title)
    if shown:
        figure.add_vline(budget, line={"color": GREY, "width": 1.5, "dash": "dash"})
        figure.add_annotation(x=1, y=1, xref="paper", yref="paper", text=f"dashed: budget ε = {shown_budget(budget)}",
                              showarrow=False, xanchor="right", yanchor="top")  # fmt: skip
    return figure


def _levels(frame: pandas.DataFrame) -> list[int]:
    """The amounts that have a line: all where they are few."""
    levels = sorted(set(frame.uses.tolist()))
    return levels if len(levels) <= MOST_LINES else [levels[0], levels[-1]]


def _trace(rows: pandas.DataFrame, name: str, colour: str, symbol: str, lines: bool = True) -> Trace:
    """The plans of one amount; a step to the right buys nothing until the next plan."""
    said = rows.hover if "hover" in rows else [""] * len(rows)
    return scatter(
        x=rows.epsilon.tolist(),
        y=rows.error.tolist(),
        name=name,
        mode="lines+markers" if lines else "markers",
        line={"color": colour, "width": 1.5, "shape": "hv"},
        marker={"color": colour, "size": 8 if lines else 6, "symbol": symbol},
        customdata=[[place, plain(text).replace("\n", "<br>")] for place, text in zip(rows.index, said, strict=True)],
        hovertemplate="ε = %{x:.5~g}, error %{y:.4~g}<br>%{customdata[1]}<extra>%{fullData.name}</extra>",
    )


def _ring(row: pandas.DataFrame, dark: bool) -> Trace:
    return scatter(
        x=row.epsilon.tolist(),
        y=row.error.tolist(),
        name="looked at",
        mode="markers",
        marker={"symbol": "circle-open", "size": 18, "color": identity("basic").colour(dark), "line": {"width": 3}},
        hoverinfo="skip",
    )


def described(frame: pandas.DataFrame, chosen: int | None = None) -> str:
    """Return the chart in words, for those who hear it.

    Examples
    --------
    >>> import pandas as pd
    >>> described(pd.DataFrame({"epsilon": [1.0, 2.0], "error": [0.4, 0.1], "uses": [12, 12], "measure": "largest"}))
    'Error against total epsilon of 2 plans that nothing beats, from epsilon 1 with error 0.4 to epsilon 2 with ...'
    """
    if frame.empty:
        return EMPTY
    first, last = (f"epsilon {shown_up(row.epsilon)} with error {shown_up(row.error, 3)}" for row in _ends(frame))
    text = f"Error against total epsilon of {len(frame):,} plans that nothing beats, from {first} to {last}."
    if len(levels := sorted(set(frame.uses.tolist()))) > 1:
        text += f" They publish {levels[0]:,} to {levels[-1]:,} numbers."
    if chosen is not None:
        row = frame.loc[chosen]
        text += f" Looked at: epsilon {shown_up(row.epsilon)}, error {shown_up(row.error, 3)}."
    return text


def _ends(frame: pandas.DataFrame) -> tuple:
    return frame.iloc[0], frame.iloc[-1]
