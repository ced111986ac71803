"""How many equal queries a budget admits, against the ε of one: a line per rule, and from where it beats basic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import STAYS, axis, curves, fraction, line, ring
from dpviz.figures.base.identity import GREY, identity, nothing, plain
from dpviz.figures.base.sheet import Sheet, Trace, drawing
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
    ends = (frame.epsilon.min(), frame.epsilon.max()) if len(frame) else (0.0, 0.0)
    inside = crossings[(crossings.epsilon >= ends[0]) & (crossings.epsilon <= ends[1])]
    traces = [_trace(rule, rows, log, dark) for rule, rows in frame.groupby("rule", sort=False)]
    beaten = [max(runs, 1) for runs in inside.runs.tolist()]
    traces.append(ring(inside.epsilon.tolist(), beaten, "beats basic", showlegend=False))
    asked = axis(f"{'privacy loss' if in_words else 'ε'} of one query", across, log) | {"hoverformat": ".4~g"}
    admitted = axis("queries before the budget is spent", up, log)
    figure = curves(traces, asked, admitted, HEIGHT, margin=MARGIN, hovermode="x unified", legend=STAYS)
    _draw_words(figure, inside, across, up, log)
    _draw_chosen(figure, chosen, across, log, in_words)
    return figure


def _ranges(frame: pandas.DataFrame, log: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    most = float(max(frame.runs.max(), 1) if len(frame) else 1)
    across = (float(frame.epsilon.min()), float(frame.epsilon.max())) if len(frame) else (0.001, 1.0)
    return (across, (0.7, 1.6 * max(most, 5.0))) if log else ((0.0, across[1]), (0.0, 1.08 * most))


def _trace(rule: str, rows: pandas.DataFrame, log: bool, dark: bool) -> Trace:
    runs = rows.runs.to_numpy()
    y = np.where(runs > 0, runs, np.nan) if log else runs.astype(float)
    look = {"width": 2.5, "shape": "vh"}  # between: no more than fit
    hover = "<b>%{customdata:,d}</b> %{fullData.name}"
    x, name = rows.epsilon.to_numpy(), rows.label.iloc[0]
    return line(x, y, name, identity(rule), dark, hover, line=look, customdata=runs)


def _draw_words(figure: Sheet, inside: pandas.DataFrame, across: tuple, up: tuple, log: bool) -> None:
    """Above each mark a pole, and the words in a free row at the top: curves fall from left to right."""
    rows = inside.sort_values("epsilon").head(MOST_WORDS)
    paper = {"xref": "paper", "yref": "paper"}
    for row, each in enumerate(rows.itertuples()):
        x, y = fraction(each.epsilon, across, log), fraction(max(each.runs, 1), up, log)
        height = 0.94 - row * ROW
        pole = {"color": GREY, "width": 0.8, "dash": "dot"}
        figure.add_shape(type="line", x0=x, x1=x, y0=y, y1=height, line=pole, **paper)
        text = f"{plain(each.label)}<br>wins below {shown_down(each.epsilon, 3)}"
        side = "left" if x < 0.6 else "right"
        anchor = {"xanchor": side, "align": side, "yanchor": "middle", "xshift": 4 if side == "left" else -4}
        style = {"font": {"size": 11}, "showarrow": False}
        figure.add_annotation(x=x, y=height, text=text, **style, **anchor, **paper)


def _draw_chosen(figure: Sheet, chosen: float, across: tuple, log: bool, in_words: bool) -> None:
    x = fraction(chosen, across, log) if chosen > 0 else -1.0
    text = f"{'loss' if in_words else 'ε'} = {shown_down(chosen)}"
    inside = 0 <= x <= 1
    if inside:
        thin = {"color": GREY, "width": 1.2}
        figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, xref="paper", yref="paper", line=thin, layer="below")
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
