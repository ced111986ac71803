"""How many equal queries a budget admits, against the ε of one: a line per rule, and from where it beats basic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import axis, curves, fraction, line, ring
from dpviz.figures.base.growth_labels import Box, Paper, clearest, flags, planted
from dpviz.figures.base.identity import GREY, identity, nothing, plain
from dpviz.figures.base.legends import ROWS, rows_of
from dpviz.figures.base.scale import BEHIND, SMALL
from dpviz.figures.base.sheet import Sheet, Trace, drawing
from dpviz.rounding import shown_count, shown_down, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 366  # without the legend
PAPER = Paper(300, 600, HEIGHT - 44)  # somewhat wider than it is: its words are small
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
    named = rows_of([trace["name"] for trace in traces[:-1]])
    layout = {"hovermode": "x unified", "legend": ROWS, "margin": {"t": named}}
    figure, lines = curves(traces, asked, admitted, HEIGHT + named, **layout), _drawn(traces[:-1], across, up, log)
    taken = _draw_chosen(figure, chosen, (across, up, log), lines, in_words)
    _draw_words(figure, inside, (across, up, log), lines, taken, BEHIND[dark])
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


def _drawn(traces: list[Trace], across: tuple, up: tuple, log: bool) -> list[np.ndarray]:
    """The lines as fractions of width and height."""
    found = []
    for trace in traces:
        rows = [(fraction(x, across, log), fraction(y, up, log)) for x, y in zip(trace["x"], trace["y"], strict=True)]
        found.append(np.array([row for row in rows if math.isfinite(row[1])] or [(0.0, 0.0)]).T)
    return found


def _draw_words(
    figure: Sheet, inside: pandas.DataFrame, scale: tuple, curves: list[np.ndarray], taken: list[Box], ground: str
) -> None:
    """Above each mark a pole, with words where they cover no line and no other words; a table has what finds no room.

    `scale` has both ends of both axes, and whether they are logarithmic; the first of `taken` holds words.
    """
    across, up, log = scale
    # From the right, each above the last: curves fall, so that no pole has to pass through words.
    rows = list(inside.sort_values("epsilon").head(MOST_WORDS).itertuples())[::-1]
    points = [(fraction(each.epsilon, across, log), fraction(max(each.runs, 1), up, log)) for each in rows]
    texts = [f"{plain(each.label)}<br>beats Basic below {shown_down(each.epsilon, 3)}" for each in rows]
    highest = np.array(sorted(pair for curve in curves for pair in curve.T.tolist()))
    for place, flag in flags(points, texts, highest.tolist(), taken[:1], PAPER, MOST_WORDS, taken[1:]):
        pole, words = planted(points[place], flag, texts[place])
        figure.add_shape(**pole)
        figure.add_annotation(**words, font={"size": SMALL}, bgcolor=ground)


def _draw_chosen(figure: Sheet, chosen: float, scale: tuple, curves: list[np.ndarray], in_words: bool) -> list[Box]:
    """The thin line of the chosen ε, named where nothing else is; where both stand."""
    x = fraction(chosen, scale[0], scale[2]) if chosen > 0 else -1.0
    text = f"{'loss' if in_words else 'ε'} = {shown_up(chosen)}"
    inside = 0 <= x <= 1
    if inside:
        thin = {"color": GREY, "width": 1.2}
        figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, xref="paper", yref="paper", line=thin, layer="below")
    point = min(max(x, 0.0), 1.0)
    places = [(side, y) for y in (0.02, 0.93) for side in (0, 1)]
    text = text if inside else f"{text} →" if x > 1 else f"← {text}"
    boxes = [PAPER.around((point, y), (4 - 8 * side, 0), text, (side, 0)) for side, y in places]
    best = clearest(boxes, (), curves)
    side, y = places[best]
    anchor = {"xref": "paper", "yref": "paper", "xanchor": ("left", "right")[side], "yanchor": "bottom"}
    figure.add_annotation(x=point, y=y, text=text, xshift=4 - 8 * side, showarrow=False, **anchor)
    return [boxes[best][0], *[Box(x - 0.003, x + 0.003, 0, 1)] * inside]


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
