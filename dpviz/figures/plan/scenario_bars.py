"""Plan A against plan B: one panel per total, with its own axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out, plain
from dpviz.figures.base.scale import INK, SMALL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing
from dpviz.rounding import shown_between, shown_budget, shown_quantity, shown_up

if TYPE_CHECKING:
    import pandas

GUESSES, COIN = "Right guesses of 100", 50  # how an advantage is called in words, and what a coin toss gets right
DRAWN = ("epsilon", "pure", "advantage", "uses")
PANEL_HEIGHT = 112
TOP, HEADING, BENEATH = 52, 22, 24  # pixels: legend and first heading, the latter alone, and the last axis
FARTHEST = 3  # times the longer bar: where a limit is drawn at most
GAP = 0.26  # between panels, as a share of the height
LEGEND: dict[str, object] = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}


@drawing
def scenario_bars(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw A and B as a pair of zero-based bars for each total, every pair on an axis of its own.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.scenario.differences` returns it.
    """
    rows, limits = _rows(frame), _limits(frame)
    # Everything at once: a figure that is changed piece by piece takes several times as long.
    layout = {"annotations": [_heading(row, _axis(place), limits) for place, row in enumerate(rows)]}
    marks = _marks(rows[0], limits, dark)
    layout["shapes"] = [*marks, *(_toss(_axis(place), dark) for place, row in enumerate(rows) if row.label == GUESSES)]
    share = (1 - GAP * (len(rows) - 1)) / len(rows)
    for place, row in enumerate(rows):
        reach = max([_longest(row), *(each["x0"] for each in marks if place == 0)])
        top = 1 - place * (share + GAP)
        layout[f"xaxis{_axis(place)}"] = {
            "anchor": f"y{_axis(place)}",
            "range": [0, 1.02 * reach or 1.0],
            "tickformat": "~r",
            "nticks": 5,
            "tickfont": {"size": SMALL},
            "visible": reach > 0,  # bars without length have no scale
        }
        layout[f"yaxis{_axis(place)}"] = {
            "anchor": f"x{_axis(place)}",
            "domain": [max(0.0, top - share), top],
            "visible": False,
            "range": [1.6, -0.6],
            "fixedrange": True,
        }
    figure = Sheet([bar for place, row in enumerate(rows) for bar in _pair(row, place, dark)], layout)
    drawn = PANEL_HEIGHT * len(rows)
    laid_out(figure, drawn + TOP + BENEATH)
    legend = {**LEGEND, "y": 1 + HEADING / drawn, "traceorder": "normal"}
    margin = {"t": TOP, "b": BENEATH}
    figure.update_layout(barmode="overlay", bargap=0, showlegend=True, legend=legend, margin=margin)
    return figure


def _marks(total: pandas.Series, limits: tuple[float, float], dark: bool) -> list[dict[str, object]]:
    """A dashed line across the bar of each total at what it may be; none where the bars would be too short to tell."""
    longest = _longest(total)
    line = {"type": "line", "xref": "x", "yref": "y", "line": {"color": INK[dark], "width": 1.5, "dash": "dash"}}
    return [
        line | {"x0": limit, "x1": limit, "y0": side - 0.5, "y1": side + 0.5}
        for side, limit in enumerate(limits)
        if limit <= FARTHEST * longest
    ]


def _toss(axis: str, dark: bool) -> dict[str, object]:
    """A dashed line across both bars at what a coin toss gets right."""
    where = {"xref": f"x{axis}", "yref": f"y{axis}", "x0": COIN, "x1": COIN, "y0": -0.5, "y1": 1.5}
    return where | {"type": "line", "line": {"color": INK[dark], "width": 1.5, "dash": "dash"}}


def _longest(row: pandas.Series) -> float:
    """The longer of two bars."""
    return max([value for value in (row.a, row.b) if math.isfinite(value)], default=0.0)


def _rows(frame: pandas.DataFrame) -> list[pandas.Series]:
    """What is drawn: the total, which says in words what neither has, and what tells the two apart."""
    found = [frame[frame.quantity == key].iloc[0] for key in DRAWN if key in set(frame.quantity)]
    total, *rest = found
    return [total, *(row for row in rest if row.difference != 0 and (math.isfinite(row.a) or math.isfinite(row.b)))]


def _axis(place: int) -> str:
    """The number of a panel's axes as Plotly writes it."""
    return "" if place == 0 else str(place + 1)


def _pair(row: pandas.Series, place: int, dark: bool) -> list[Trace]:
    looks = (("A", 0, GREY, row.a, row.a_note), ("B", 1, identity("optimal").colour(dark), row.b, row.b_note))
    return [
        bar(
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


def _limits(frame: pandas.DataFrame) -> tuple[float, float]:
    """The budgets of both, which a total that nearly is one is told from."""
    [budget] = frame[frame.quantity == "budget"].itertuples()
    return budget.a, budget.b


def _heading(row: pandas.Series, axis: str, limits: tuple[float, float]) -> dict[str, object]:
    """Name of the quantity, both numbers, and their difference where there is one."""
    a, b = _both(row, limits)
    if row.difference is None:
        numbers = f"<b>A {a}, B {b}</b>, two different promises"
    elif row.difference == 0 or a == b:
        numbers = f"<b>{a}</b>, the same"
    else:
        change = f" ({shown_between(a, b, row.difference)})" if math.isfinite(row.difference) else ""
        numbers = f"<b>{a} → {b}</b>{change}"
    return {
        "text": f"{row.label}: {numbers}{_allowed(row, limits)}",
        "x": 0,
        "xref": f"x{axis} domain",
        "y": 1,
        "yref": f"y{axis} domain",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "xshift": -3,
    }


def _allowed(row: pandas.Series, limits: tuple[float, float]) -> str:
    """What the total may be, in a further half of its heading; "" without a limit."""
    if row.label == GUESSES:
        return f"; by a coin toss (dashed) {COIN}"
    if row.quantity != "epsilon" or math.isinf(min(limits)):
        return ""
    both = zip(limits, (row.a, row.b), strict=True)
    told = dict.fromkeys("none" if math.isinf(limit) else shown_budget(limit, value) for limit, value in both)
    dashed = " (dashed)" * bool(_marks(row, limits, False))
    return f"; limit{dashed} {' → '.join(told)}"


def _both(row: pandas.Series, limits: tuple[float, float]) -> list[str]:
    pairs = zip((row.a, row.b), limits, strict=True)
    return [shown_quantity(row.quantity, value, limit) if math.isfinite(value) else "none" for value, limit in pairs]


def described_bars(frame: pandas.DataFrame) -> str:
    """Return the bars in words, for those who hear them."""
    rows = _rows(frame)
    both = [_both(row, _limits(frame)) for row in rows]
    texts = (
        f"{row.label}: A {a}, B {b}"
        for row, (a, b) in zip(rows, both, strict=True)
    )
    return f"Pairs of bars, A above B. {'; '.join(texts)}."
