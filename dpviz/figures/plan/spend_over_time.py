"""What is spent by which date: a staircase, what one calendar window reveals alone, and the budget as a thin line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import fraction, on_axis
from dpviz.figures.base.growth_labels import Box, Paper, clearest
from dpviz.figures.base.identity import CAMERA, GREY, identity, laid_out, plain
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.scale import BEHIND, SHADE
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_budget, shown_count, shown_up

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go

HEIGHT = 400
LEGEND: dict[str, object] = {
    "orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False, "traceorder": "reversed",
}
FAR = 8  # times the budget, or a window's ε: beyond, both are flat on a linear axis
TOP = 52  # pixels: else names in the legend stand under the camera on a phone
PAPER = Paper(290, 900, HEIGHT - TOP - 44)
SIDES: dict[float, str] = {1: "right", 0: "left", 0.5: "center"}  # of a line
# Pixels right and up of a value, and the part of its words that is held there.
BESIDE_VALUE: tuple[tuple[float, float, float], ...] = (
    (0, 0, 0), (0, -6, 1), (-10, 0, 0.5), (-10, -6, 1), (-10, 6, 0),
)
# Where the words of a mark may stand, in pixels to the right and down, the nearest first.
BESIDE_MARK = tuple((right, down) for down in (-40, 40, -30, -80, 80, -120, 120) for right in (-76, 84, -130, 140))
LAST = 0.85  # share of the time axis from which centred words would be cut
DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Spending:
    """What the chart is about.

    Parameters
    ----------
    lifetime : pandas.DataFrame
        date (datetime), until, uses, epsilon (inf: none): the ε from each date on.
    windows : pandas.DataFrame
        start, end (both included), uses, epsilon, of each window alone.
    budget : float
        ε; inf draws no line.
    window : str
        Name of a window, such as "month".
    whom : str
        Whose loss the staircase is, such as "a person".
    theorem : str
        Key of the theorem that most totals come from.
    budget_of : str
        Whose budget it is where it is not that of `whom`, such as "user-day": then no date passes it; "" otherwise.
    published : pandas.DataFrame, optional
        As `lifetime`, of what is done.
    before : pandas.DataFrame, optional
        As `lifetime`, of another plan to compare with; at least one row.
    before_name : str
        Name of that plan.
    """

    lifetime: pandas.DataFrame
    windows: pandas.DataFrame
    budget: float
    window: str
    whom: str
    theorem: str = "pld"
    budget_of: str = ""
    published: pandas.DataFrame | None = None
    before: pandas.DataFrame | None = None
    before_name: str = "plan A"

    @property
    def exhausted(self) -> pandas.Series | None:
        """The first row above the budget; None where there is none, or the budget is not that of `whom`."""
        above = self.lifetime[(self.lifetime.epsilon > self.budget) & (self.budget_of == "")]
        return None if above.empty else above.iloc[0]

    @property
    def totals(self) -> pandas.Series:
        """Every value of both staircases, this plan's first."""
        own = self.lifetime.epsilon
        return own if self.before is None else _joined(own, self.before.epsilon)

    @property
    def steep(self) -> bool:
        """Whether the budget, or a window, would lie flat on the floor of a linear axis."""
        finite = _finite(self.totals)
        small = [value for value in (self.budget, _peak(self.windows)) if 0 < value < math.inf]
        return bool(finite.size and small) and finite.max() > FAR * min(small)


@dataclass
class _Scale:
    """Where values lie and where lines and words stand on the chart, in fractions of its height and width."""

    span: tuple[float, float]
    log: bool
    curves: list[np.ndarray]
    taken: list[list[Box]] = field(default_factory=list)


def _joined(first: pandas.Series, second: pandas.Series) -> pandas.Series:
    import pandas as pd

    return pd.concat([first, second], ignore_index=True)


def _finite(values: pandas.Series) -> np.ndarray:
    array = values.to_numpy(dtype=float)
    return array[np.isfinite(array)]


def _peak(windows: pandas.DataFrame) -> float:
    return float(windows.epsilon.max()) if len(windows) else 0.0


@drawing
def spend_over_time(spending: Spending, log: bool = False, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw the ε that is spent by each date.

    Parameters
    ----------
    spending : Spending
        At least one row, with dates.
    log : bool
        Whether the axis of ε is logarithmic.
    """
    first, last = _ends(spending)
    low, high = _range(spending, log)
    drawn = bool((_finite(spending.totals) > 0).any()) or 0 < spending.budget < math.inf
    figure = Sheet([_window_line(spending, last, log, dark), _staircase(spending, last, low, log, dark)])
    if spending.before is not None:
        figure.add_trace(_other(spending, last, low, log))
    if spending.published is not None:
        figure.add_trace(_published(spending, low, log, dark))
    laid_out(figure, HEIGHT)
    title = f"{'privacy loss' if in_words else 'ε'}, at most{' (log)' if log else ''}"
    figure.update_layout(
        margin={"t": TOP},
        hovermode="x unified",
        showlegend=True,
        legend=LEGEND,
        xaxis={"range": [str(first), str(last)], "hoverformat": "%-d %B %Y", "type": "date"},
        yaxis=_axis(low, high, log, drawn) | {"title": {"text": title}, "tickformat": "~g"},
    )
    scale = _Scale((low, high), log, _curves(figure, spending, (first, last), (low, high), log))
    _draw_budget(figure, spending, scale)
    _draw_ends(figure, spending, (first, last), scale)
    _draw_mark(figure, spending, (first, last), scale, dark)
    return figure


def forecast(
    frame: pandas.DataFrame, budget: float = math.inf, unit: str = "person", log: bool = False, dark: bool = False
) -> go.Figure:
    """Draw a forecast alone: what one unit has spent by each date, without windows.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.schedule.forecast` returns it.
    budget : float
        ε; inf draws no line.
    unit : str
        Unit of privacy.
    log : bool
        Whether the axis of ε is logarithmic.
    """
    windows = frame.iloc[:0].rename(columns={"date": "start", "until": "end"})
    return spend_over_time(Spending(frame, windows, budget, "month", f"a {unit}"), log, dark=dark)


def _ends(spending: Spending) -> tuple[np.datetime64, np.datetime64]:
    """The first day and the day after the last; a little longer where that would be too short to see."""
    plans = [spending.lifetime] if spending.before is None else [spending.lifetime, spending.before]
    first = min(_day(plan.date.iloc[0]) for plan in plans)
    last = max(_day(plan["until"].iloc[-1]) for plan in plans)
    if len(spending.windows):
        last = max(last, _day(spending.windows.end.iloc[-1]))
    return first, max(last + DAY, first + 7 * DAY)


def _day(moment: pandas.Timestamp) -> np.datetime64:
    return moment.to_numpy().astype("datetime64[D]")


def _days(moments: pandas.Series) -> np.ndarray:
    return moments.to_numpy().astype("datetime64[D]")


def _range(spending: Spending, log: bool) -> tuple[float, float]:
    windows = _finite(spending.windows.epsilon)
    own = _finite(spending.totals)
    values = np.concatenate([own, windows])
    limits = [spending.budget] if 0 < spending.budget < math.inf else []
    most = float(values.max(initial=0.0))
    # A budget far above everything would flatten the staircase: it is named at the upper edge instead.
    near = [limit for limit in limits if limit <= FAR * most or not most]
    high = max([most, *near]) or 1.0
    firsts = [plan.epsilon.iloc[0] for plan in (spending.lifetime, spending.before) if plan is not None]
    smallest = [value for value in [*firsts, *windows] if 0 < value < math.inf]
    least = min([*(smallest or values[values > 0][:1]), *near, high])
    return (least / 1.6, high * 1.5) if log else (0.0, high * 1.14)


def _axis(low: float, high: float, log: bool, drawn: bool) -> dict[str, object]:
    """The axis of ε; where nothing but 0 is drawn, its only label is 0."""
    if not log:
        return {"range": [low, high], **({} if drawn else {"tickvals": [0]})}
    ends = [math.log10(low), math.log10(high)]
    return {"type": "log", "range": ends, **labelled(log_ticks(low, high) if drawn else [])}


def _staircase(spending: Spending, last: np.datetime64, floor: float, log: bool, dark: bool) -> Trace:
    """The steps, rising from the floor on the first day and lasting until the end."""
    rows, own = spending.lifetime, identity(spending.theorem)
    dates = rows.date.to_numpy().astype("datetime64[D]")
    values = rows.epsilon.to_numpy(dtype=float)
    shown = [(shown_count(int(uses)), shown_up(value)) for uses, value in zip(rows.uses, values, strict=True)]
    return scatter(
        x=[str(dates[0]), *dates.astype(str), str(max(last, dates[-1]))],
        y=_drawn([floor, *values, values[-1]], log),
        customdata=[shown[0], *shown, shown[-1]],
        mode="lines",
        name=f"{plain(spending.whom)}, all the time" if spending.budget_of else plain(spending.whom),
        line={"color": own.colour(dark), "width": 3, "shape": "hv"},
        hovertemplate="ε ≤ <b>%{customdata[1]}</b> after %{customdata[0]} releases<extra></extra>",
    )


def _published(spending: Spending, floor: float, log: bool, dark: bool) -> Trace:
    """What is done, as the ground under its own steps."""
    rows, own = spending.published, identity(spending.theorem)
    dates = rows.date.to_numpy().astype("datetime64[D]")
    values = rows.epsilon.to_numpy(dtype=float)
    end = rows["until"].iloc[-1].to_numpy().astype("datetime64[D]") + DAY
    return scatter(
        x=[str(dates[0]), *dates.astype(str), str(end)],
        y=_drawn([floor, *values, values[-1]], log),
        mode="lines",
        name="published already",
        line={"color": own.colour(dark), "width": 0, "shape": "hv"},
        fill="tozeroy",
        opacity=0.5,
        hoverinfo="skip",
    )


def _drawn(values: list[float], log: bool) -> list[float | None]:
    """What a line can show: no infinity, and no zero on a logarithmic axis."""
    return [float(each) if math.isfinite(each) and (each > 0 or not log) else None for each in values]


def _window_line(spending: Spending, last: np.datetime64, log: bool, dark: bool) -> Trace:
    """What each window reveals alone, from the day on which the window ends: the total has risen to it by then."""
    rows, own = spending.windows, identity(spending.theorem)
    values = rows.epsilon.to_numpy(dtype=float).tolist()
    end = [str(last)] if len(rows) else []
    return scatter(
        x=[*_days(rows.end).astype(str), *end],
        y=_drawn([*values, *values[-1:]], log),
        customdata=[shown_up(each) for each in [*values, *values[-1:]]],
        mode="lines+markers",
        name=f"the last {spending.window} alone",
        showlegend=len(rows) > 1,
        line={"color": own.colour(dark), "width": 2, "dash": "4px,3px", "shape": "hv"},
        # A dot on each last day: the window that ends with the axis has no other length.
        marker={"size": [5] * len(rows) + [0] * len(end), "color": own.colour(dark)},
        hovertemplate=f"the last {spending.window} alone: ε ≤ <b>%{{customdata}}</b><extra></extra>",
    )


def _other(spending: Spending, last: np.datetime64, floor: float, log: bool) -> Trace:
    """The staircase of the plan to compare with, thin and dashed."""
    rows = spending.before
    dates, values = _days(rows.date), rows.epsilon.to_numpy(dtype=float)
    return scatter(
        x=[str(dates[0]), *dates.astype(str), str(max(last, dates[-1]))],
        y=_drawn([floor, *values, values[-1]], log),
        customdata=[shown_up(value) for value in [values[0], *values, values[-1]]],
        mode="lines",
        name=plain(spending.before_name),
        line={"color": GREY, "width": 1.5, "dash": "7px,4px", "shape": "hv"},
        hovertemplate=f"{plain(spending.before_name)}: ε ≤ <b>%{{customdata}}</b><extra></extra>",
    )


def _draw_budget(figure: Sheet, spending: Spending, scale: _Scale) -> None:
    """A thin line with its name above it, at its right end where nothing crosses it there."""
    if not 0 < spending.budget < math.inf:
        return
    text = f"budget ε = {shown_budget(spending.budget)}{_per(spending)}"
    look = {"xref": "paper", "yanchor": "bottom", "showarrow": False}
    if not scale.span[0] <= spending.budget <= scale.span[1]:
        edge = {"x": 1, "xanchor": "right", "xshift": -CAMERA, "y": 1, "yref": "paper"}
        figure.add_annotation(text=f"{text} ↑", **edge, **look)
        return
    figure.add_hline(y=spending.budget, line={"color": GREY, "width": 1.2})
    height = fraction(spending.budget, scale.span, scale.log)
    # Just above its own line, which else would count as covered.
    boxes = [PAPER.around((across, height), (0, 1), text, (across, 0)) for across in SIDES]
    best = clearest(boxes, (), scale.curves)
    scale.taken.append(boxes[best])
    place = {"x": list(SIDES)[best], "xanchor": list(SIDES.values())[best], "y": on_axis(spending.budget, scale.log)}
    figure.add_annotation(text=text, **place, **look)


def _per(spending: Spending) -> str:
    return f" per {plain(spending.budget_of)}" if spending.budget_of else ""


def _curves(figure: Sheet, spending: Spending, ends: tuple, span: tuple[float, float], log: bool) -> list[np.ndarray]:
    """What is drawn, and the line of the budget, as fractions of width and height."""
    budgets = [spending.budget] if 0 < spending.budget < math.inf else []
    found = [np.array([[0.0, 1.0], [fraction(each, span, log)] * 2]) for each in budgets]
    for trace in figure.data:
        points = [(_share(x, ends), fraction(y, span, log)) for x, y in zip(trace["x"], trace["y"], strict=True) if y]
        corners = [corner for (x, y), (later, _) in pairwise(points) for corner in ((x, y), (later, y))]
        if points:
            found.append(np.array([*corners, points[-1]]).T)
    return found


def _share(day: str | np.datetime64, ends: tuple[np.datetime64, np.datetime64]) -> float:
    """Where a day lies on the axis of time: 0 at its first, 1 at its last."""
    return float((np.datetime64(day) - ends[0]) / (ends[1] - ends[0]))


def _draw_ends(figure: Sheet, spending: Spending, ends: tuple, scale: _Scale) -> None:
    """The last value of the staircase at its end, and the largest of the windows, where they cover no line."""
    peak, total = _peak(spending.windows), float(spending.lifetime.epsilon.iloc[-1])
    log, high = scale.log, scale.span[1]
    notes = [(total, f"<b>{shown_up(total)}</b>", {"x": 1, "xref": "paper", "xanchor": "right"}, 1.0)]
    if (total > 1.5 * peak if log else abs(total - peak) > 0.12 * high) and len(spending.windows):
        # Months have four weeks or five: the largest value need not be the last.
        place, last = _highest(spending.windows, ends)
        across = 1.0 if place.get("xref") else _share(place["x"], ends)
        notes.append((peak, f"{'' if last else 'at most '}{shown_up(peak)}", place, across))
    for value, text, place, across in notes:
        if 0 < value < math.inf:
            side = {"right": 1.0, "center": 0.5}[place["xanchor"]]
            point = across, fraction(value, scale.span, log)
            boxes = [PAPER.around(point, (right, up), text, (side, held)) for right, up, held in BESIDE_VALUE]
            best = clearest(boxes, scale.taken, scale.curves)
            scale.taken.append(boxes[best])
            right, up, held = BESIDE_VALUE[best]
            anchor = {"yanchor": {0: "bottom", 1: "top"}.get(held, "middle"), "xshift": right, "yshift": up}
            figure.add_annotation(y=on_axis(value, log), text=text, showarrow=False, **anchor, **place)


def _highest(windows: pandas.DataFrame, ends: tuple) -> tuple[dict[str, object], bool]:
    """Where the line of windows has its largest value, the latest such place, and whether that is its end."""
    most = shown_up(_peak(windows))
    number = max(place for place, value in enumerate(windows.epsilon) if shown_up(value) == most)
    if number == len(windows) - 1:
        return {"x": 1, "xref": "paper", "xanchor": "right"}, True
    # In the middle of its step: from the last day of this window to that of the next.
    days = _days(windows.end)
    middle = days[number] + (days[number + 1] - days[number]) // 2
    late = (middle - ends[0]) / (ends[1] - ends[0]) > LAST
    return {"x": str(days[number + 1] if late else middle), "xanchor": "right" if late else "center"}, False


def _draw_mark(figure: Sheet, spending: Spending, ends: tuple, scale: _Scale, dark: bool) -> None:
    """A ring where the budget is passed, with a sentence where there is room for it."""
    row = spending.exhausted
    if row is None:
        return
    day = row.date.to_numpy().astype("datetime64[D]")
    place, log = spending.budget, scale.log
    if place > 0 or not log:
        figure.add_trace(_ring(str(day), place))
    what = "from here on there is no finite ε" if math.isinf(row.epsilon) else "the budget is passed"
    text = f"<b>{day_text(day.item())}</b><br>{what}"
    height = max(fraction(place, scale.span, log), 0.0) if place > 0 or not log else 0.0
    boxes = [PAPER.around((_share(day, ends), height), (ax, -ay), text, (0.5, 0.5)) for ax, ay in BESIDE_MARK]
    ax, ay = BESIDE_MARK[clearest(boxes, scale.taken, scale.curves)]
    figure.add_annotation(
        x=str(day),
        y=on_axis(place, log) if place > 0 or not log else figure.layout["yaxis"]["range"][0],
        text=text,
        ax=ax,
        ay=ay,
        align="left" if ax > 0 else "right",
        arrowcolor=GREY,
        arrowwidth=1,
        arrowhead=0,
        standoff=6,
        bgcolor=BEHIND[dark],
    )


def _ring(day: str, value: float) -> Trace:
    mark = {"symbol": "circle", "size": 9, "color": SHADE, "line": {"color": GREY, "width": 1.8}}
    common = {"mode": "markers", "cliponaxis": False, "hoverinfo": "skip", "showlegend": False}
    return scatter(x=[day], y=[value], name="budget passed", marker=mark, **common)


def day_text(day: date) -> str:
    """Return a date as people read it.

    Examples
    --------
    >>> day_text(date(2026, 1, 3))
    '3 January 2026'
    """
    return f"{day.day} {day:%B} {day.year}"


def described(spending: Spending) -> str:
    """Return the chart in words, for those who hear it."""
    rows, last = spending.lifetime, spending.lifetime.iloc[-1]
    ends = f"from {day_text(rows.date.iloc[0].date())} to {day_text(last.until.date())}"
    row = spending.exhausted
    passed = ", which is not passed." if row is None else f", passed on {day_text(row.date.date())}."
    passed = f" per {spending.budget_of}; none is stated for {spending.whom}." if spending.budget_of else passed
    limit = "" if math.isinf(spending.budget) else f" The budget is {shown_budget(spending.budget)}{passed}"
    total = "has no finite bound" if math.isinf(last.epsilon) else f"reaches at most {shown_up(last.epsilon)}"
    alone = f" One {spending.window} alone reveals at most {shown_up(_peak(spending.windows))}."
    other = ""
    if spending.before is not None:
        end = float(spending.before.epsilon.iloc[-1])
        reached = "has no finite bound" if math.isinf(end) else f"reaches at most {shown_up(end)}"
        other = f" That of {spending.before_name} {reached}."
    whom = f"{spending.whom} who takes part all the time" if spending.budget_of else spending.whom
    return f"Step chart {ends}: the epsilon of {whom} {total}.{limit}{alone}{other}"
