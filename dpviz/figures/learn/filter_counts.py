"""How many equal queries a budget admits, against the ε of one: a line per rule, and from where it beats basic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.identity import GREY, identity, laid_out, nothing, plain
from dpviz.figures.base.log_ticks import log_ticks
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_count, shown_down

if TYPE_CHECKING:
    import pandas

HEIGHT = 393
MARGIN = {"l": 8, "r": 16, "t": 52, "b": 44}
ROW = 0.125  # of the height, per text of two lines
MOST_WORDS = 4
EMPTY = "There is nothing to draw: no rule is chosen."


@drawing
def filter_counts(
    frame: pandas.DataFrame,
    crossings: pandas.DataFrame,
    chosen: float,
    log: bool = True,
    in_words: bool = False,
    dark: bool = False,
) -> Sheet:
    """Draw the number of admitted queries against ε of one query.

    Parameters
    ----------
    frame : pandas.DataFrame
        rule, label, epsilon, runs.
    crossings : pandas.DataFrame
        rule, label, epsilon (below which the rule admits more than basic), runs (of basic there); those to be marked.
    chosen : float
        The ε of which the page speaks; a thin line.
    log : bool
        Whether both axes are logarithmic.
    """
    if frame.empty:
        return nothing(EMPTY, HEIGHT)
    across, up = _ranges(frame, log)
    figure = Sheet([_trace(rule, rows, log, dark) for rule, rows in frame.groupby("rule", sort=False)])
    ends = (frame.epsilon.min(), frame.epsilon.max()) if len(frame) else (0.0, 0.0)
    inside = crossings[(crossings.epsilon >= ends[0]) & (crossings.epsilon <= ends[1])]
    figure.add_trace(_marks(inside))
    laid_out(figure, HEIGHT)
    figure.update_layout(
        margin=MARGIN,
        hovermode="x unified",
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False},
        xaxis=_axis(across, log, f"{'privacy loss' if in_words else 'ε'} of one query") | {"hoverformat": ".4~g"},
        yaxis=_axis(up, log, "queries before the budget is spent"),
    )
    _draw_words(figure, inside, across, up, log)
    _draw_chosen(figure, chosen, across, log, in_words)
    return figure


def _ranges(frame: pandas.DataFrame, log: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    most = float(max(frame.runs.max(), 1) if len(frame) else 1)
    across = (float(frame.epsilon.min()), float(frame.epsilon.max())) if len(frame) else (0.001, 1.0)
    return (across, (0.7, 1.6 * max(most, 5.0))) if log else ((0.0, across[1]), (0.0, 1.08 * most))


def _place(value: float, log: bool) -> float:
    return math.log10(value) if log else value


def _fraction(value: float, ends: tuple[float, float], log: bool) -> float:
    low, high = (_place(end, log) for end in ends)
    return (_place(value, log) - low) / (high - low) if high > low else 0.5


def _axis(ends: tuple[float, float], log: bool, title: str) -> dict[str, object]:
    if not log:
        return {"type": "linear", "range": list(ends), "title": {"text": title}, "tickformat": ",~r"}
    ticks = {"tickvals": log_ticks(*ends), "tickformat": ",~g"}
    ends = [math.log10(end) for end in ends]
    return {"type": "log", "range": ends, "title": {"text": f"{title} (log)"}} | ticks


def _trace(rule: str, rows: pandas.DataFrame, log: bool, dark: bool) -> Trace:
    own, runs = identity(rule), rows.runs.to_numpy()
    return scatter(
        x=rows.epsilon.to_numpy(),
        y=np.where(runs > 0, runs, np.nan) if log else runs.astype(float),
        mode="lines",
        name=rows.label.iloc[0],
        customdata=runs,
        line={"color": own.colour(dark), "dash": own.dash, "width": 2.5, "shape": "vh"},  # between: no more than fit
        hovertemplate="<b>%{customdata:,d}</b> %{fullData.name}<extra></extra>",
    )


def _marks(inside: pandas.DataFrame) -> Trace:
    ring = {"symbol": "circle", "size": 9, "color": "rgba(128,128,128,0.25)", "line": {"color": GREY, "width": 1.6}}
    return scatter(
        x=inside.epsilon.tolist(),
        y=[max(runs, 1) for runs in inside.runs.tolist()],
        mode="markers",
        name="beats basic",
        marker=ring,
        hoverinfo="skip",
        showlegend=False,
    )


def _draw_words(figure: Sheet, inside: pandas.DataFrame, across: tuple, up: tuple, log: bool) -> None:
    """Above each mark a pole, and the words in a free row at the top: curves fall from left to right."""
    rows = inside.sort_values("epsilon").head(MOST_WORDS)
    paper = {"xref": "paper", "yref": "paper"}
    for row, each in enumerate(rows.itertuples()):
        x, y = _fraction(each.epsilon, across, log), _fraction(max(each.runs, 1), up, log)
        height = 0.94 - row * ROW
        pole = {"color": GREY, "width": 0.8, "dash": "dot"}
        figure.add_shape(type="line", x0=x, x1=x, y0=y, y1=height, line=pole, **paper)
        text = f"{plain(each.label)}<br>wins below {shown_down(each.epsilon, 3)}"
        side = "left" if x < 0.6 else "right"
        anchor = {"xanchor": side, "align": side, "yanchor": "middle", "xshift": 4 if side == "left" else -4}
        style = {"font": {"size": 11}, "showarrow": False}
        figure.add_annotation(x=x, y=height, text=text, **style, **anchor, **paper)


def _draw_chosen(figure: Sheet, chosen: float, across: tuple, log: bool, in_words: bool) -> None:
    x = _fraction(chosen, across, log) if chosen > 0 else -1.0
    text = f"{'loss' if in_words else 'ε'} = {shown_down(chosen)}"
    inside = 0 <= x <= 1
    if inside:
        line = {"color": GREY, "width": 1.2}
        figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, xref="paper", yref="paper", line=line, layer="below")
    side = "left" if x < 0.8 else "right"
    figure.add_annotation(
        x=min(max(x, 0.0), 1.0),
        y=0.02,
        xref="paper",
        yref="paper",
        text=text if inside else f"{text} →" if x > 1 else f"← {text}",
        xanchor=side,
        yanchor="bottom",
        xshift=4 if side == "left" else -4,
        showarrow=False,
    )


def described(frame: pandas.DataFrame, crossings: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    frame, crossings
        As for `filter_counts`; all crossings.
    """
    if frame.empty:
        return EMPTY
    ends = []
    for _, rows in frame.groupby("rule", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        counts = f"from {shown_count(int(first.runs))} to {shown_count(int(last.runs))}"
        ends.append(f"{first.label} {counts}")
    low, high = shown_down(frame.epsilon.min()), shown_down(frame.epsilon.max())
    crossed = "".join(f" {row.label} beats Basic below {shown_down(row.epsilon, 3)}." for row in crossings.itertuples())
    return f"Line chart of admitted queries against epsilon of one query, {low} to {high}: {'; '.join(ends)}.{crossed}"
