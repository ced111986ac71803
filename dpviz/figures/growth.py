"""How a total grows with repetitions: one line per theorem, named at its end, with crossings and a target marked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpviz.figures.growth_labels import Box, dodged, flags
from dpviz.figures.identity import GREY, identity, laid_out, plain
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 430
MARGIN = {"l": 8, "r": 142, "t": 20, "b": 44}
LABEL_GAP = 15  # pixels between names at line ends
HEADROOM = 1.06
STEEPEST = 1.3  # times basic: what lies above is no news, and would squeeze the rest


@dataclass(frozen=True)
class Marks:
    """What is marked on the curves.

    Parameters
    ----------
    crossings : pandas.DataFrame
        theorem, label, count from which it beats basic, epsilon of basic there; those to be marked only.
    target : float or None
        ε of the target line.
    fits : int or None
        Repetitions that stay within the target under the theorem that admits most.
    fitting : str
        That theorem's label.
    absent : dict of str to str
        Labels of theorems that do not apply, with the reason.
    """

    crossings: pandas.DataFrame
    target: float | None = None
    fits: int | None = None
    fitting: str = ""
    absent: dict[str, str] = field(default_factory=dict)


class _Scale:
    """Where counts and totals lie on the chart, as fractions of its width and height."""

    def __init__(self, frame: pandas.DataFrame, log: bool) -> None:
        self.log = log
        finite = frame[(frame.epsilon < math.inf) & (frame.epsilon > 0)]
        self.x = (1.0 if log else 0.0, float(max(frame["count"].max(), 2)) if len(frame) else 2.0)
        self.y = (float(finite.epsilon.min()) / 1.3 if log and len(finite) else 0.0, _top(finite))
        if log and not self.y[0] < self.y[1]:
            self.y = (self.y[1] / 10, self.y[1])

    def axis(self, value: float) -> float:
        """The value as Plotly's layout wants it."""
        return math.log10(value) if self.log else value

    def _fraction(self, value: float, ends: tuple[float, float]) -> float:
        low, high = (self.axis(end) for end in ends)
        return (self.axis(value) - low) / (high - low)

    def across(self, count: float) -> float:
        """Fraction of the width."""
        return self._fraction(max(count, self.x[0]), self.x)

    def up(self, epsilon: float) -> float:
        """Fraction of the height; above 1 beyond the chart."""
        if epsilon <= self.y[0]:
            return 0.0
        return 2.0 if math.isinf(epsilon) else self._fraction(epsilon, self.y)


def _top(finite: pandas.DataFrame) -> float:
    """The upper end: the largest total, unless that is far above basic, or above the smallest where basic is hidden."""
    if finite.empty:
        return 1.0
    largest = finite.groupby("theorem").epsilon.max()
    limit = STEEPEST * largest["basic"] if "basic" in largest else 6 * largest.min()
    return float(min(largest.max(), limit)) * HEADROOM


def growth(
    frame: pandas.DataFrame, marks: Marks, log: bool = False, in_words: bool = False, dark: bool = False
) -> go.Figure:
    """Draw the total against the number of repetitions.

    Parameters
    ----------
    frame : pandas.DataFrame
        theorem, label, count, epsilon; inf where there is no guarantee.
    marks : Marks
        Crossings, target, and what does not apply.
    log : bool
        Whether both axes are logarithmic.
    in_words : bool
        Whether axes are named in words.
    dark : bool
        Whether the ground is dark.
    """
    scale = _Scale(frame, log)
    lines = [rows for _, rows in frame.groupby("theorem", sort=False)]
    tightest = _tightest(lines)
    figure = go.Figure([_line(rows, rows.theorem.iloc[0] == tightest, dark) for rows in lines])
    laid_out(figure, HEIGHT)
    kind = "log" if log else "linear"
    loss, count = ("total privacy loss", "repetitions") if in_words else ("total ε", "repetitions k")
    figure.update_layout(margin=MARGIN, hovermode="x unified")
    suffix = " (log)" if log else ""
    figure.update_xaxes(
        type=kind, range=[scale.axis(end) for end in scale.x], title=count + suffix, hoverformat=",d", tickformat=",~r"
    )
    figure.update_yaxes(type=kind, range=[scale.axis(end) for end in scale.y], title=loss + suffix, tickformat="~r")
    if log:
        figure.update_xaxes(tickformat=",~g", dtick=1)
        figure.update_yaxes(tickformat="~g", dtick=1 if scale.y[1] / scale.y[0] > 50 else "D2")
    _draw_target(figure, marks, scale, in_words)
    _draw_crossings(figure, lines, marks, scale, dark)
    _draw_names(figure, lines, marks, scale, dark)
    return figure


def _tightest(lines: list[pandas.DataFrame]) -> str:
    """The theorem with the smallest total at the last count."""
    if not lines:
        return ""
    return min(lines, key=lambda rows: rows.epsilon.iloc[-1]).theorem.iloc[0]


def _line(rows: pandas.DataFrame, tightest: bool, dark: bool) -> go.Scatter:
    own = identity(rows.theorem.iloc[0])
    finite = [math.isfinite(value) for value in rows.epsilon]
    return go.Scatter(
        x=rows["count"].to_numpy(),
        y=rows.epsilon.where(finite).to_numpy(),
        customdata=[repr(float(value)) if ok else "no guarantee" for value, ok in zip(rows.epsilon, finite, strict=True)],
        name=rows.label.iloc[0],
        mode="lines",
        line={"color": own.colour(dark), "dash": own.dash, "width": max(own.width, 3.0) if tightest else own.width},
        hovertemplate="<b>%{customdata}</b> %{fullData.name}<extra></extra>",
    )


def _draw_names(
    figure: go.Figure, lines: list[pandas.DataFrame], marks: Marks, scale: _Scale, dark: bool
) -> None:
    """Name every line beside its end, without overlap; grey at the bottom what does not apply."""
    named = []
    for rows in lines:
        own = identity(rows.theorem.iloc[0]).colour(dark)
        inside = rows[(rows.epsilon < math.inf) & (rows.epsilon <= scale.y[1])]
        last = rows["count"].max()
        if inside.empty:
            named.append((1.2, f"{rows.label.iloc[0]} ↑", own, None))
            continue
        end = inside.loc[inside["count"].idxmax()]
        beyond = "" if end["count"] == last else " ↑"
        place = None if beyond else (float(end["count"]), float(end.epsilon))
        named.append((1.1 if beyond else scale.up(end.epsilon), end.label + beyond, own, place))
    named += [(-0.1, f"{label}: n/a", GREY, None) for label in marks.absent]
    named.sort(key=lambda entry: -entry[0])
    height = HEIGHT - MARGIN["t"] - MARGIN["b"]
    places = dodged([fraction * height for fraction, *_ in named], LABEL_GAP, height)
    for (fraction, text, colour, end), place in zip(named, places, strict=True):
        figure.add_annotation(**_name(text, colour, place / height, (place - fraction * height) if end else 0.0))
        if text.endswith("n/a"):
            figure.layout.annotations[-1].hovertext = plain(marks.absent[text.removesuffix(": n/a")])


def _name(text: str, colour: str, fraction: float, shift: float) -> dict[str, object]:
    """A name right of the chart; a short line leads to its curve where the name had to move."""
    common = {"text": plain(text), "font": {"color": colour, "size": 12}, "xanchor": "left", "align": "left"}
    common |= {"xref": "paper", "yref": "paper", "x": 1, "yanchor": "middle"}
    if abs(shift) < 2:
        return common | {"y": fraction, "showarrow": False, "xshift": 3}
    arrow = {"arrowhead": 0, "arrowwidth": 0.8, "arrowcolor": colour, "standoff": 0}
    height = HEIGHT - MARGIN["t"] - MARGIN["b"]
    return common | arrow | {"y": fraction - shift / height, "showarrow": True, "ax": 12, "ay": -shift}


def _draw_target(figure: go.Figure, marks: Marks, scale: _Scale, in_words: bool) -> None:
    if marks.target is None:
        return
    inside = scale.y[0] < marks.target <= scale.y[1]
    name = f"target {'loss' if in_words else 'ε'} = {shown_up(marks.target)}"
    last = int(scale.x[1])
    tail = ": not one fits" if marks.fits == 0 else f": all {shown_count(last)} fit" if (marks.fits or 0) >= last else ""
    text = {"xref": "paper", "x": 0, "xanchor": "left", "showarrow": False, "xshift": 4, "font": {"color": GREY}}
    if not inside:
        below = marks.target <= scale.y[0]
        edge = {"yref": "paper", "y": 0 if below else 1, "yanchor": "bottom" if below else "top"}
        figure.add_annotation(text=f"{name} {'↓' if below else '↑'}{tail}", **text, **edge)
        return
    figure.add_hline(y=marks.target, line={"color": GREY, "width": 1.2}, layer="below")
    figure.add_annotation(text=name + tail, y=scale.axis(marks.target), yanchor="bottom", **text)
    if marks.fits and marks.fits < last:
        figure.add_trace(_mark([marks.fits], [marks.target], ["target"], "diamond", "target"))
        right = scale.across(marks.fits) < 0.6
        figure.add_annotation(
            x=scale.axis(marks.fits),
            y=scale.axis(marks.target),
            text=f"<b>{shown_count(marks.fits)}</b> fit: {plain(marks.fitting)}",
            ax=36 if right else 0,
            ay=34,
            xanchor="left" if right else "center",
            arrowhead=0,
            arrowwidth=0.8,
            arrowcolor=GREY,
        )


def _mark(x: list, y: list, notes: list[str], symbol: str, name: str) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        name=name,
        hoverinfo="skip",
        customdata=notes,
        marker={"symbol": symbol, "size": 9, "color": "rgba(128,128,128,0.25)", "line": {"color": GREY, "width": 1.6}},
    )


def _draw_crossings(
    figure: go.Figure, lines: list[pandas.DataFrame], marks: Marks, scale: _Scale, dark: bool
) -> None:
    """Mark on the line of basic from where others beat it, and say so where there is room."""
    crossed = marks.crossings[marks.crossings.epsilon <= scale.y[1]]
    if crossed.empty:
        return
    groups = list(crossed.groupby("count", sort=True))
    counts, heights = [int(count) for count, _ in groups], [float(rows.epsilon.iloc[0]) for _, rows in groups]
    texts = [f"from {shown_count(count)} on: {_joined(rows.label.tolist())}" for count, (_, rows) in zip(counts, groups, strict=True)]
    figure.add_trace(_mark(counts, heights, texts, "circle", "crossings"))
    curves = [[(scale.across(c), scale.up(e)) for c, e in zip(rows["count"], rows.epsilon, strict=True)] for rows in lines]
    taken = [] if marks.target is None else [Box(0, 0.3, scale.up(marks.target), scale.up(marks.target) + 0.06)]
    points = [(scale.across(count), scale.up(height)) for count, height in zip(counts, heights, strict=True)]
    ground = "rgba(14,17,23,0.75)" if dark else "rgba(255,255,255,0.75)"
    for place, flag in flags(points, texts, curves, taken):
        figure.add_shape(
            type="line",
            x0=counts[place],
            x1=counts[place],
            y0=points[place][1],
            y1=flag.low,
            yref="paper",
            line={"color": GREY, "width": 0.8, "dash": "dot"},
        )
        figure.add_annotation(
            x=flag.left if flag.left >= points[place][0] - 1e-9 else flag.right,
            y=flag.low,
            xref="paper",
            yref="paper",
            xanchor="left" if flag.left >= points[place][0] - 1e-9 else "right",
            yanchor="bottom",
            text=plain(texts[place]),
            showarrow=False,
            bgcolor=ground,
            borderpad=1,
            font={"size": 12},
        )


def _joined(labels: list[str]) -> str:
    return "; ".join(labels[:2]) + (f" and {len(labels) - 2} more" if len(labels) > 2 else "")


def described(frame: pandas.DataFrame, marks: Marks, unit: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    frame, marks
        As for `growth`.
    unit : str
        Unit of privacy.
    """
    if frame.empty:
        return "Empty chart."
    last = frame[frame["count"] == frame["count"].max()].sort_values("epsilon", kind="stable")
    ends = [
        f"{row.label} {'has no guarantee' if math.isinf(row.epsilon) else 'at most ' + shown_up(row.epsilon)}"
        for row in last.itertuples()
    ]
    crossed = [f"{row.label} beats Basic from {row.count} on" for row in _records(marks.crossings)]
    parts = [
        f"Line chart of the total epsilon per {unit} against 1 to {shown_count(int(frame['count'].max()))} repetitions.",
        f"At the end: {'; '.join(ends)}.",
        f"{'; '.join(crossed)}." if crossed else "",
        f"Within the target {shown_up(marks.target)} fit {shown_count(marks.fits)}." if marks.fits is not None else "",
        f"Not drawn: {'; '.join(f'{label}, {reason}' for label, reason in marks.absent.items())}." if marks.absent else "",
    ]
    return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _Record:
    label: str
    count: int


def _records(crossings: pandas.DataFrame) -> list[_Record]:
    return [_Record(label, int(count)) for label, count in zip(crossings.label, crossings["count"], strict=True)]
