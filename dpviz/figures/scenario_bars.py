"""Plan A against plan B: one panel per total with its own axis, and one dumbbell per release for its error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpviz.figures.identity import GREY, identity, laid_out, nothing, plain
from dpviz.figures.ink import inked
from dpviz.figures.log_ticks import log_ticks
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

DRAWN = ("epsilon", "pure", "advantage", "uses")
PANEL_HEIGHT = 92
MOST_ROWS = 9
LONGEST_NAME = 52
NO_ERRORS = "Neither plan adds noise to a number: there is no error to compare."
GAP = 0.15  # between panels, as a share of the height
WIDE = 20.0  # ratio of the largest to the smallest error above which the axis is logarithmic
LEGEND = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}


def changed(difference: float, digits: int = 4) -> str:
    """Return a difference with its sign, rounded to the nearest.

    Examples
    --------
    >>> changed(-11.97), changed(0.25), changed(0.0), changed(-540.0)
    ('−11.97', '+0.25', '0', '−540')
    """
    if difference == 0 or math.isinf(difference):
        return "0" if difference == 0 else "+∞" if difference > 0 else "−∞"
    size = abs(difference)
    text = f"{size:,.0f}" if size >= 10**digits and float(size).is_integer() else f"{size:.{digits}g}"
    return f"{'+' if difference > 0 else '−'}{text}"


def scenario_bars(frame: pandas.DataFrame, dark: bool = False) -> go.Figure:
    """Draw A and B as a pair of zero-based bars for each total, every pair on an axis of its own.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.scenario.differences` returns it.
    """
    rows = [frame[frame.quantity == key].iloc[0] for key in DRAWN]
    # Everything at once: a figure that is changed piece by piece takes several times as long.
    layout = {"annotations": [_heading(row, _axis(place)) for place, row in enumerate(rows)]}
    share = (1 - GAP * (len(rows) - 1)) / len(rows)
    for place, row in enumerate(rows):
        longest = max([value for value in (row.a, row.b) if math.isfinite(value)], default=0.0)
        top = 1 - place * (share + GAP)
        layout[f"xaxis{_axis(place)}"] = {
            "anchor": f"y{_axis(place)}",
            "range": [0, 1.02 * longest or 1.0],
            "tickformat": "~r",
            "nticks": 5,
            "tickfont": {"size": 10},
            "visible": longest > 0,  # bars without length have no scale
        }
        layout[f"yaxis{_axis(place)}"] = {
            "anchor": f"x{_axis(place)}",
            "domain": [max(0.0, top - share), top],
            "visible": False,
            "range": [1.6, -0.6],
            "fixedrange": True,
        }
    figure = go.Figure([bar for place, row in enumerate(rows) for bar in _pair(row, place, dark)], layout)
    laid_out(figure, PANEL_HEIGHT * len(rows) + 60)
    legend = {**LEGEND, "y": 1.06, "traceorder": "normal"}
    figure.update_layout(barmode="overlay", bargap=0, showlegend=True, legend=legend, margin={"t": 60, "b": 24})
    return inked(figure, dark)


def _axis(place: int) -> str:
    """The number of a panel's axes as Plotly writes it."""
    return "" if place == 0 else str(place + 1)


def _pair(row: pandas.Series, place: int, dark: bool) -> list[go.Bar]:
    looks = (("A", 0, GREY, row.a, row.a_note), ("B", 1, identity("optimal").colour(dark), row.b, row.b_note))
    return [
        go.Bar(
            x=[value if math.isfinite(value) else 0.0],
            y=[side],
            xaxis=f"x{_axis(place)}",
            yaxis=f"y{_axis(place)}",
            orientation="h",
            width=0.8,
            name=name,
            legendgroup=name,
            showlegend=place == 0,
            marker={"color": colour},
            hovertemplate=f"<b>{name}</b>: {row.label}<br>{_exact(value)}<br>{plain(_note(note))}<extra></extra>",
        )
        for name, side, colour, value, note in looks
    ]


def _note(note: str) -> str:
    return note if len(note) <= 90 else note[:89] + "…"


def _exact(value: float) -> str:
    return shown_up(value, 9) if math.isfinite(value) else "none"


def _heading(row: pandas.Series, axis: str) -> dict[str, object]:
    """Name of the quantity, both numbers, and their difference where there is one."""
    a, b = (shown_up(value) if math.isfinite(value) else "none" for value in (row.a, row.b))
    if row.difference is None:
        numbers = f"<b>A {a}, B {b}</b>, two different promises"
    elif row.difference == 0:
        numbers = f"<b>{a}</b>, the same"
    else:
        numbers = f"<b>{a} → {b}</b>" + (f" ({changed(row.difference)})" if math.isfinite(row.difference) else "")
    return {
        "text": f"{row.label}: {numbers}",
        "x": 0,
        "xref": f"x{axis} domain",
        "y": 1,
        "yref": f"y{axis} domain",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "xshift": -3,
    }


def error_dumbbells(frame: pandas.DataFrame, dark: bool = False) -> go.Figure:
    """Draw the 95 % error of every release under A and under B, those that change most if there are many.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.scenario.release_differences` returns it.
    """
    rows = shown_errors(frame)
    if rows.empty:
        return inked(nothing(NO_ERRORS, PANEL_HEIGHT * len(DRAWN) + 60), dark)
    blue = identity("optimal").colour(dark)
    looks = (("a", {"symbol": "circle-open", "color": GREY}), ("b", {"symbol": "circle", "color": blue}))
    figure = go.Figure([_links(rows), *(_dots(rows, side, look) for side, look in looks)])
    figure.update_layout(annotations=[_name(row) for row in rows.itertuples()])
    laid_out(figure, PANEL_HEIGHT * len(DRAWN) + 60)
    _error_axis(figure, rows)
    figure.update_yaxes(visible=False, range=[MOST_ROWS - 0.6, -0.75], fixedrange=True)
    figure.update_layout(showlegend=True, legend=LEGEND, margin={"t": 52})
    return inked(figure, dark)


def shown_errors(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Return the errors to draw with their `place`: at most nine, those that change by the largest factor, in order."""
    rows = frame[frame.quantity == "half_width"].reset_index(drop=True)
    most_changed = sorted(range(len(rows)), key=lambda place: -_factor(rows.a[place], rows.b[place]))[:MOST_ROWS]
    rows = rows.loc[sorted(most_changed)]
    return rows.assign(place=range(len(rows)))


def _factor(a: float | None, b: float | None) -> float:
    """How much the error changes, on a logarithmic scale; what is only on one side changes most."""
    return math.inf if a is None or b is None else abs(math.log(b) - math.log(a))


def _links(rows: pandas.DataFrame) -> go.Scatter:
    """The lines from A to B, one trace with gaps."""
    x, y = [], []
    for row in rows.itertuples():
        if row.a is not None and row.b is not None:
            x += [row.a, row.b, None]
            y += [row.place, row.place, None]
    line = {"color": GREY, "width": 3}
    return go.Scatter(x=x, y=y, mode="lines", line=line, opacity=0.5, showlegend=False, hoverinfo="skip", name="change")


def _dots(rows: pandas.DataFrame, side: str, look: dict[str, str]) -> go.Scatter:
    there = rows[rows[side].notna()]
    return go.Scatter(
        x=list(there[side]),
        y=list(there.place),
        mode="markers",
        name=side.upper(),
        marker={**look, "size": 11 if side == "a" else 7, "line": {"width": 2, "color": look["color"]}},
        hovertext=[
            f"<b>{side.upper()}</b>: {plain(row.release)}<br>95 % within ±{getattr(row, side):.6g}<br>{row.status}"
            for row in there.itertuples()
        ],
        hoverinfo="text",
    )


def _name(row: object) -> dict[str, object]:
    name = row.release if len(row.release) <= LONGEST_NAME else row.release[: LONGEST_NAME - 1] + "…"
    a, b = ("–" if value is None else f"±{shown_up(value, 3)}" for value in (row.a, row.b))
    if row.status in ("added", "removed"):
        numbers = f"{row.status}, {b if row.a is None else a}"
    else:
        numbers = a if row.a == row.b else f"{a} → {b}"
    return {
        "text": f"{plain(name)} · <b>{numbers}</b>",
        "x": 0,
        "xref": "paper",
        "y": row.place,
        "yshift": 5,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "xshift": -3,
        "font": {"size": 11},
    }


def _error_axis(figure: go.Figure, rows: pandas.DataFrame) -> None:
    values = [value for side in ("a", "b") for value in rows[side] if value is not None]
    title = "95 % of uses within ± (units of the answer"
    if values and max(values) > WIDE * min(values):
        low, high = math.log10(min(values)), math.log10(max(values))
        ticks = log_ticks(10 ** (low - 0.1), 10 ** (high + 0.1))
        figure.update_xaxes(type="log", range=[low - 0.1, high + 0.1], title=f"{title}, log)", tickformat="~r")
        figure.update_xaxes(tickvals=ticks)
    else:
        figure.update_xaxes(range=[0, 1.06 * max(values, default=1.0)], title=f"{title})", tickformat="~r", nticks=6)


def described_bars(frame: pandas.DataFrame) -> str:
    """Return the bars in words, for those who hear them."""
    rows = [frame[frame.quantity == key].iloc[0] for key in DRAWN]
    texts = (
        f"{row.label}: A {shown_up(row.a) if math.isfinite(row.a) else 'none'}, "
        f"B {shown_up(row.b) if math.isfinite(row.b) else 'none'}"
        for row in rows
    )
    return f"Pairs of bars, A above B. {'; '.join(texts)}."


def described_errors(frame: pandas.DataFrame) -> str:
    """Return the dumbbells in words, for those who hear them."""
    rows = shown_errors(frame)
    if rows.empty:
        return NO_ERRORS
    texts = (
        f"{row.release}, {row.status}: A {'none' if row.a is None else shown_up(row.a, 3)}, "
        f"B {'none' if row.b is None else shown_up(row.b, 3)}"
        for row in rows.itertuples()
    )
    return f"Distance within which 95 % of uses lie, per release. {'; '.join(texts)}."
