"""The distribution of the privacy loss: atoms as stems, density as an area, and what δ pays for, magnified beneath."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.log_ticks import labelled, log_ticks, one_digit_below
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing, scatter
from dpviz.rounding import shown_delta, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 430
BLUE = ("#0072B2", "#4DA3E0")
BLUE_AREA = "rgba(0,114,178,0.4)", "rgba(77,163,224,0.4)"
VERMILION = ("#D55E00", "#FF7F50")
VERMILION_AREA = "rgba(213,94,0,0.6)", "rgba(255,127,80,0.6)"
MAIN, BENEATH = [0.42, 1.0], [0.0, 0.2]
DECADES = 12  # that a logarithmic axis shows below the largest value
FAINTEST = 0.004  # of the largest: stems below are not drawn on a linear axis
FARTHEST = 2.2  # times the last place drawn: how far away the largest loss may lie to stay on the axis


@dataclass(frozen=True, slots=True)
class Marks:
    """The numbers that are marked on the chart.

    Parameters
    ----------
    mean : float
        Of the finite losses.
    epsilon : float
        At which δ is spent, rounded up; inf where there is none.
    delta : float
    largest : float
        Largest loss; inf where there is none.
    """

    mean: float
    epsilon: float
    delta: float
    largest: float


UNMARKED = Marks(math.nan, math.inf, 0.0, math.inf)


@drawing
def privacy_loss(
    frame: pandas.DataFrame,
    tail: pandas.DataFrame | None = None,
    marks: Marks | None = None,
    log: bool = False,
    dark: bool = False,
) -> Sheet:
    """Draw the distribution of the privacy loss, and the part beyond ε beneath it.

    Parameters
    ----------
    frame, tail : pandas.DataFrame
        As `LossDistribution.frame` and `LossDistribution.tail` return them; without a tail, the first alone is drawn.
    marks : Marks, optional
    log : bool
        Whether the upper vertical axis is logarithmic.
    """
    figure, alone = Sheet(), tail is None
    tail = frame.iloc[:0] if tail is None else tail
    marks = marks or UNMARKED
    top = _largest(frame)
    floor = top * 10.0**-DECADES if log else 0.0
    _draw(figure, frame, "y", "x", floor, dark)
    _draw(figure, tail[tail.kind != "infinity"], "y2", "x2", 0.0, dark)
    laid_out(figure, HEIGHT)
    low, high = _ends(frame, marks)
    _draw_infinity(figure, frame, high, floor, dark)
    _axes(figure, frame, (low, high), top, log)
    _axes_beneath(figure, tail, marks)
    if marks is not UNMARKED:
        _annotate(figure, frame, marks, high, dark)
    return figure.update_layout(yaxis={"domain": [0, 1]}) if alone else figure


def _largest(frame: pandas.DataFrame) -> float:
    """The height of the highest stem or density; where all are of one kind, the other has none."""
    heights = [*frame.mass.dropna(), *frame.density.dropna()]
    return float(max([*heights, 1e-300])) if len(frame) else 1.0


def _draw(figure: Sheet, frame: pandas.DataFrame, y: str, x: str, floor: float, dark: bool) -> None:
    area, atoms = frame[frame.kind == "density"], frame[frame.kind == "atom"]
    seen = floor or FAINTEST * _largest(frame)  # a stem that cannot be seen would be a dot on the axis
    axes = {"xaxis": x, "yaxis": y}
    where = "" if y == "y" else " (magnified)"
    if len(area):
        figure.add_trace(_area(area.loss, area.density, f"density{where}", BLUE[dark], BLUE_AREA[dark], floor, axes))
    atoms, paid_atoms = atoms[atoms.mass >= seen], atoms[atoms.paid >= seen]
    if len(atoms):
        figure.add_trace(_stems(atoms, atoms.mass, f"atoms{where}", BLUE[dark], floor, axes))
    if len(area) and area.paid.max() > 0:
        name = f"paid by δ{where}"
        paid = area[area.paid > 0]
        figure.add_trace(_area(paid.loss, paid.paid, name, VERMILION[dark], VERMILION_AREA[dark], floor, axes))
    if len(paid_atoms):
        name = f"atoms paid by δ{where}"
        figure.add_trace(_stems(paid_atoms, paid_atoms.paid, name, VERMILION[dark], floor, axes, 5))


def _area(x: object, y: pandas.Series, name: str, line: str, fill: str, floor: float, axes: dict) -> Trace:
    return scatter(
        x=x,
        y=y.clip(lower=floor) if floor else y,
        name=name,
        mode="lines",
        line={"color": line, "width": 1.5},
        fill="tozeroy",
        fillcolor=fill,
        hovertemplate=f"loss %{{x:.6g}}<br>{name} %{{y:.6g}} per nat<extra></extra>",
        **axes,
    )


def _stems(
    rows: pandas.DataFrame, heights: pandas.Series, name: str, colour: str, floor: float, axes: dict, width: float = 2.5
) -> Trace:
    x = [place for loss in rows.loss for place in (loss, loss, None)]
    y = [value for height in heights for value in (floor, max(height, floor), None)]
    several = [f" ({n} neighbouring atoms)" if n > 1 else "" for n in rows.merged]
    exact = [t for h, s in zip(heights, several, strict=True) for t in (f"{shown_near(h)}{s}",) * 2 + ("",)]
    return scatter(
        x=x,
        y=y,
        name=name,
        mode="lines+markers" if len(rows) <= 60 else "lines",
        line={"color": colour, "width": width if len(rows) <= 120 else 1.5},
        marker={"size": [v for _ in rows.loss for v in (0.1, 7, 0.1)], "color": colour, "opacity": 1},
        customdata=exact,
        hovertemplate=f"loss %{{x:.6g}}<br>{name}: probability %{{customdata}}<extra></extra>",
        **axes,
    )


def _ends(frame: pandas.DataFrame, marks: Marks) -> tuple[float, float]:
    """The ends of the horizontal axis: all that is drawn, ε, and the largest loss where it is not too far away."""
    finite = frame.loss[frame.kind != "infinity"]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (-1.0, 1.0)
    if math.isfinite(marks.epsilon):
        high = max(high, marks.epsilon)
    if high < marks.largest <= FARTHEST * high:
        high = marks.largest
    if high - low < 1e-12 * max(abs(high), 1.0):
        low, high = min(low, -1.0), max(high, 1.0)
    room = 0.06 * (high - low)
    return low - room, high + room


def _draw_infinity(figure: Sheet, frame: pandas.DataFrame, high: float, floor: float, dark: bool) -> None:
    rows = frame[frame.kind == "infinity"]
    if not len(rows):
        return
    mass = float(rows.mass.iloc[0])
    figure.add_trace(
        bar(
            x=[0.5],
            y=[mass],
            base=floor or None,
            width=[0.9],
            name="infinite loss",
            marker={"color": VERMILION_AREA[dark], "line": {"color": VERMILION[dark], "width": 1.5}},
            hovertemplate=f"loss ∞<br>probability {shown_up(mass, 6)}<extra></extra>",
            xaxis="x3",
            yaxis="y",
        )
    )
    axis = {"anchor": "y", "range": [0, 1], "tickvals": [0.5], "ticktext": ["∞"], "showgrid": False}
    figure.update_layout(xaxis3={"domain": [0.93, 1.0], **axis})
    _note(figure, 1.0, 1.0, f"infinite with probability <b>{shown_up(mass)}</b>", "right", VERMILION[dark], "bottom")


def _axes(figure: Sheet, frame: pandas.DataFrame, ends: tuple[float, float], top: float, log: bool) -> None:
    infinite = (frame.kind == "infinity").any()
    mixed = (frame.kind == "density").any()
    title = "density per nat; stems: probability" if mixed and (frame.kind == "atom").any() else "density per nat"
    title = title if mixed else "probability"
    figure.update_layout(
        xaxis={
            "domain": [0, 0.91 if infinite else 1.0],
            "anchor": "y",
            "range": list(ends),
            "title": {"text": "privacy loss of all releases together (nats)", "standoff": 4},
            "tickformat": "~r",
            "nticks": 9,
        },
        yaxis={
            "domain": MAIN,
            "title": title + (" · log" if log else ""),
            "type": "log" if log else "linear",
            "range": [math.log10(top) - DECADES, math.log10(top) + 2.5] if log else [0, top * 1.18],
            "tickformat": "~r",
            "nticks": 6,
            **(labelled(log_ticks(top * 10.0**-DECADES, top * 10.0**2.5)) if log else {}),
        },
        barmode="overlay",
    )


def _axes_beneath(figure: Sheet, tail: pandas.DataFrame, marks: Marks) -> None:
    rows = tail[tail.kind != "infinity"]
    start = marks.epsilon if math.isfinite(marks.epsilon) else 0.0
    end = float(rows.loss.max()) if len(rows) else start + 1.0
    room = 0.04 * max(end - start, 1e-9 * max(abs(end), 1e-9))
    figure.update_layout(
        xaxis2={
            "anchor": "y2",
            "range": [start - room, end + room],
            "tickformat": ".5~r",
            "nticks": 6,
            "tickvals": [end] if end - start < 1e-3 * abs(end) else None,
            "showgrid": False,
            "zeroline": False,
            "visible": bool(len(rows)),
        },
        yaxis2={
            "domain": BENEATH,
            "anchor": "x2",
            "rangemode": "tozero",
            "range": [0, 1.1 * _largest(rows)],
            **labelled([0.0, one_digit_below(_largest(rows))]),
            "showgrid": False,
            "visible": bool(len(rows)),
        },
    )


def _annotate(figure: Sheet, frame: pandas.DataFrame, marks: Marks, high: float, dark: bool) -> None:
    _line(figure, marks.mean, f"mean {_signed(marks.mean)}", GREY, "dot", 0.985)
    if math.isfinite(marks.epsilon):
        _line(figure, marks.epsilon, f"<b>ε = {shown_up(marks.epsilon)}</b>", VERMILION[dark], "solid", 0.89)
    if math.isfinite(marks.largest) and marks.largest > marks.epsilon * (1 + 1e-3):
        if marks.largest <= high:
            _line(figure, marks.largest, f"largest {shown_up(marks.largest)}", GREY, "dash", 0.79)
        else:
            right = 0.91 if (frame.kind == "infinity").any() else 1.0
            _note(figure, right, 0.79, f"largest {shown_up(marks.largest)} →", "right", GREY)
    _note(figure, 0.0, 0.205, _beneath(marks), "left", VERMILION[dark], "bottom")


def _beneath(marks: Marks) -> str:
    if math.isinf(marks.epsilon):
        return f"No finite ε: δ = {shown_delta(marks.delta)} cannot pay for the infinite losses."
    if marks.epsilon >= marks.largest * (1 - 1e-9):
        return "Nothing lies beyond ε: δ has nothing to pay for."
    return f"Beyond ε, magnified: δ = {shown_delta(marks.delta)} pays for the orange part"


def _signed(value: float) -> str:
    return f"{value:.4g}"


def _line(figure: Sheet, place: float, text: str, colour: str, dash: str, height: float) -> None:
    y0, y1 = MAIN
    figure.add_shape(
        type="line", x0=place, x1=place, y0=y0, y1=y1, yref="paper", line={"color": colour, "width": 1.5, "dash": dash}
    )
    low, high = figure.layout["xaxis"]["range"]
    right = place > low + 0.7 * (high - low)
    figure.add_annotation(
        x=place,
        y=height,
        yref="paper",
        text=text,
        showarrow=False,
        xanchor="right" if right else "left",
        xshift=-4 if right else 4,
        font={"color": colour},
    )


def _note(figure: Sheet, x: float, y: float, text: str, anchor: str, colour: str, vertical: str = "middle") -> None:
    figure.add_annotation(
        x=x,
        y=y,
        xref="paper",
        yref="paper",
        xanchor=anchor,
        yanchor=vertical,
        text=text,
        showarrow=False,
        font={"color": colour},
    )


def described(frame: pandas.DataFrame, marks: Marks) -> str:
    """Return the chart in words, for those who hear it."""
    kinds = []
    if (frame.kind == "atom").any():
        kinds.append(f"{int(frame.merged[frame.kind == 'atom'].sum())} atoms as stems")
    if (frame.kind == "density").any():
        kinds.append("a density as an area")
    if (frame.kind == "infinity").any():
        kinds.append(
            f"an infinite loss with probability {shown_up(float(frame.mass[frame.kind == 'infinity'].iloc[0]))}"
        )
    end = f"Epsilon {shown_up(marks.epsilon)} at delta {shown_delta(marks.delta)} is marked"
    if math.isinf(marks.epsilon):
        end = f"No finite epsilon exists at delta {shown_delta(marks.delta)}"
    return (
        f"Distribution of the total privacy loss: {', '.join(kinds)}. Its finite mean is {_signed(marks.mean)}. {end}; "
        "the part beyond it is drawn once more, magnified, with what delta pays for filled."
    )
