"""How a total grows with repetitions: one line per theorem, named at its end, with crossings and a target marked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import axis, line, ring
from dpviz.figures.base.growth_labels import Box, Paper, clearest, dodged, end_name, flags, planted
from dpviz.figures.base.identity import GREY, identity, laid_out, nothing, plain
from dpviz.figures.base.scale import BEHIND
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing
from dpviz.figures.plan.plan_totals import joined
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 430
MARGIN = {"l": 8, "r": 142, "t": 20, "b": 44}
EMPTY = "There is nothing to draw: no theorem applies."
PAPER = Paper(160, 420, HEIGHT - MARGIN["t"] - MARGIN["b"])
BESIDE = (
    (24, 34), (24, -34), (-24, -34), (-24, 34), (60, -14), (24, -70), (48, -34), (0, -70), (-24, -70), (48, -110),
)  # pixels to the right and down, where the number that fits may stand  # fmt: skip
LABEL_GAP = 15  # pixels between names at line ends
HEADROOM = 1.06
STEEPEST = 1.3  # times basic: what lies above is no news, and would squeeze the rest


@dataclass(frozen=True)
class Marks:
    """What is marked on the curves.

    Parameters
    ----------
    crossings : pandas.DataFrame, optional
        theorem, label, count from which it beats basic, epsilon of basic there; those to be marked only.
    target : float or None
        ε of the target line.
    fits : int or None
        Repetitions that stay within the target under the theorem that admits most.
    absent : dict of str to str
        Labels of theorems that do not apply, with the reason.
    """

    crossings: pandas.DataFrame | None = None
    target: float | None = None
    fits: int | None = None
    absent: dict[str, str] = field(default_factory=dict)


@dataclass
class _Layer:
    """What is drawn over the curves: traces, shapes and annotations as Plotly wants them, and where its words stand."""

    traces: list[dict] = field(default_factory=list)
    shapes: list[dict] = field(default_factory=list)
    texts: list[dict] = field(default_factory=list)
    taken: list[list[Box]] = field(default_factory=list)  # where its words stand


@dataclass(frozen=True)
class _Line:
    """One theorem's curve."""

    theorem: str
    label: str
    counts: np.ndarray
    totals: np.ndarray


def _lines(frame: pandas.DataFrame) -> list[_Line]:
    """The curves in order, as arrays: a figure is drawn at each move of a slider."""
    theorems = frame.theorem.tolist()
    labels = frame.label.tolist() if "label" in frame else theorems
    counts, totals = frame["count"].to_numpy(), frame.epsilon.to_numpy()
    starts = [place for place, key in enumerate(theorems) if not place or key != theorems[place - 1]]
    return [
        _Line(theorems[start], labels[start], counts[start:end], totals[start:end])
        for start, end in zip(starts, [*starts[1:], len(theorems)][: len(starts)], strict=True)
    ]


class _Scale:
    """Where counts and totals lie on the chart, as fractions of its width and height."""

    def __init__(self, lines: list[_Line], log: bool) -> None:
        self.log = log
        self.x = (1.0 if log else 0.0, float(max([2, *(line.counts[-1] for line in lines)])))
        positive = [total for line in lines for total in line.totals[:1] if 0 < total < math.inf]
        top = _top(lines)
        low = min(positive, default=top / 10) / 1.3 if log else 0.0
        self.y = (low if low < top else top / 10, top)

    def axis(self, value: float) -> float:
        """The value as Plotly's layout wants it."""
        return math.log10(value) if self.log else value

    def _fraction(self, value: float | np.ndarray, ends: tuple[float, float]) -> float | np.ndarray:
        low, high = (self.axis(end) for end in ends)
        return ((np.log10(value) if self.log else value) - low) / (high - low)

    def across(self, count: float | np.ndarray) -> float | np.ndarray:
        """Fraction of the width."""
        return self._fraction(np.maximum(count, self.x[0]), self.x)

    def up(self, total: float | np.ndarray) -> float | np.ndarray:
        """Fraction of the height; above 1 beyond the chart."""
        return self._fraction(np.clip(total, self.y[0], 1e3 * self.y[1]), self.y)


def _top(lines: list[_Line]) -> float:
    """The upper end: the largest total, unless that is far above basic, or above the smallest where basic is hidden."""
    largest = {line.theorem: line.totals[np.isfinite(line.totals)].max(initial=0.0) for line in lines}
    largest = {key: total for key, total in largest.items() if total > 0}
    if not largest:
        return 1.0
    limit = STEEPEST * largest["basic"] if "basic" in largest else 6 * min(largest.values())
    return float(min(max(largest.values()), limit)) * HEADROOM


@drawing
def growth(
    frame: pandas.DataFrame,
    marks: Marks | None = None,
    log: bool = False,
    in_words: bool = False,
    dark: bool = False,
) -> Sheet:
    """Draw the total against the number of repetitions.

    Parameters
    ----------
    frame : pandas.DataFrame
        theorem, count, epsilon (inf where there is no guarantee), as `dpviz.epsilon_curve` returns it; label (what a
        curve is called) where there is one.
    marks : Marks, optional
        Crossings, target, and what does not apply.
    log : bool
        Whether both axes are logarithmic.
    """
    marks = marks or Marks()
    if frame.empty:
        return nothing("\n".join([EMPTY, *_reasons(marks)]), HEIGHT)
    lines = _lines(frame)
    scale = _Scale(lines, log)
    tightest = _tightest(lines)
    curves = [np.array([scale.across(line.counts), scale.up(line.totals)]) for line in lines]
    target = _target(marks, scale, curves, in_words, BEHIND[dark])
    layers = (target, _crossings(lines, marks, scale, target.taken))
    figure = Sheet(
        [_trace(line, line.theorem == tightest, dark) for line in lines]
        + [trace for layer in layers for trace in layer.traces]
    )
    laid_out(figure, HEIGHT)
    # All at once: each single addition would be checked together with all before it.
    figure.update_layout(
        margin=MARGIN,
        hovermode="x unified",
        xaxis=_across(scale, in_words),
        yaxis=_up(scale, in_words),
        shapes=[shape for layer in layers for shape in layer.shapes],
        annotations=[text for layer in layers for text in layer.texts] + _names(lines, marks, scale, dark),
    )
    return figure


def _reasons(marks: Marks) -> list[str]:
    """Why theorems do not apply, each reason once."""
    shared: dict[str, list[str]] = {}
    for label, reason in marks.absent.items():
        shared.setdefault(reason, []).append(label)
    return [f"{joined(labels, 1)}: {reason}" for reason, labels in shared.items()]


def _across(scale: _Scale, in_words: bool) -> dict[str, object]:
    title = "repetitions" if in_words else "repetitions k"
    return axis(title, scale.x, scale.log) | {"hoverformat": ",d"}


def _up(scale: _Scale, in_words: bool) -> dict[str, object]:
    return axis("total privacy loss" if in_words else "total ε", scale.y, scale.log)


def _tightest(lines: list[_Line]) -> str:
    """The theorem with the smallest total at the last count that has one."""
    for place in range(-1, -len(lines[0].totals) - 1 if lines else -1, -1):
        best = min(lines, key=lambda line: line.totals[place])
        if math.isfinite(best.totals[place]):
            return best.theorem
    return ""


def _trace(drawn: _Line, tightest: bool, dark: bool) -> Trace:
    own = identity(drawn.theorem)
    finite = np.isfinite(drawn.totals)
    exact = [shown_up(total, 6) if ok else "none" for total, ok in zip(drawn.totals.tolist(), finite, strict=True)]
    style = {"width": max(own.width, 3.0) if tightest else own.width, "shape": bounding(drawn.counts)}
    y, told = np.where(finite, drawn.totals, np.nan), np.array(exact, dtype=object)
    hover = "<b>%{customdata}</b> %{fullData.name}"
    return line(drawn.counts, y, drawn.label, own, dark, hover, line=style, customdata=told)


def _names(lines: list[_Line], marks: Marks, scale: _Scale, dark: bool) -> list[dict]:
    """Name every line beside its end, without overlap; grey at the bottom what does not apply."""
    named = []
    for each in lines:
        inside = np.flatnonzero(each.totals <= scale.y[1])
        reaches = len(inside) and inside[-1] == len(each.totals) - 1
        beyond = "" if reaches else " ↑" if math.isfinite(each.totals[-1]) else " ✕"
        fraction = float(scale.up(each.totals[-1])) if reaches else 1.1 if len(inside) else 1.2
        named.append((fraction, each.label + beyond, identity(each.theorem).colour(dark), None, reaches))
    named += [(-0.1, f"{label}: n/a", GREY, reason, False) for label, reason in marks.absent.items()]
    named.sort(key=lambda entry: -entry[0])
    height = HEIGHT - MARGIN["t"] - MARGIN["b"]
    places = dodged([fraction * height for fraction, *_ in named], LABEL_GAP, height)
    return [
        end_name(text, colour, place, (place - fraction * height) if led else 0.0, height)
        | ({"hovertext": plain(reason)} if reason else {})
        for (fraction, text, colour, reason, led), place in zip(named, places, strict=True)
    ]


def _target(marks: Marks, scale: _Scale, curves: list[np.ndarray], in_words: bool, ground: str) -> _Layer:
    """The line of the target with its name, and where the theorem that admits most reaches it."""
    layer = _Layer()
    if marks.target is None:
        return layer
    text, height = _target_text(marks, int(scale.x[1]), in_words), float(scale.up(marks.target))
    look = {"xref": "paper", "yref": "paper", "showarrow": False, "bgcolor": ground}
    if not scale.y[0] < marks.target <= scale.y[1]:
        low = marks.target <= scale.y[0]
        edge = {"x": 0, "xanchor": "left", "xshift": 4, "y": 0 if low else 1, "yanchor": "bottom" if low else "top"}
        layer.texts.append({"text": f"{text} {'↓' if low else '↑'}"} | look | edge)
        return layer
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": marks.target, "y1": marks.target}
    layer.shapes.append({"type": "line", "line": {"color": GREY, "width": 1.2}, "layer": "below"} | ends)
    places = [(across, up) for up in (0, 1) for across in (0, 1, 0.5)]  # above the line, left, right, in its middle
    shifts = [(4 - 8 * across, 1 - 2 * up) for across, up in places]
    pairs = zip(places, shifts, strict=True)
    boxes = [PAPER.around((place[0], height), shift, text, place) for place, shift in pairs]
    chosen = clearest(boxes, (), curves)
    (across, up), (shift, _) = places[chosen], shifts[chosen]
    anchor = {"x": across, "xanchor": {0: "left", 1: "right"}.get(across, "center"), "xshift": shift}
    layer.texts.append({"text": text, "y": height, "yanchor": ("bottom", "top")[up]} | anchor | look)
    layer.taken.append(boxes[chosen])
    if marks.fits and marks.fits < scale.x[1]:
        _mark_fits(layer, marks, scale, curves, ground)
    return layer


def _target_text(marks: Marks, last: int, in_words: bool) -> str:
    text = f"target {'loss' if in_words else 'ε'} = {shown_up(marks.target)}"
    if marks.fits is None:
        return text
    if not marks.fits:
        return f"{text}: not one fits"
    return f"{text}: all {shown_count(last)} fit" if marks.fits >= last else text


def _mark_fits(layer: _Layer, marks: Marks, scale: _Scale, curves: list[np.ndarray], ground: str) -> None:
    """A mark where the target is reached, and how many repetitions that is, beside it where there is room."""
    layer.traces.append(ring([marks.fits], [marks.target], "target", "diamond"))
    text, point = f"<b>{shown_count(marks.fits)}</b> fit", (scale.across(marks.fits), scale.up(marks.target))
    boxes = [PAPER.around(point, (ax, -ay), text, (0 if ax > 0 else 1 if ax < 0 else 0.5, 0.5)) for ax, ay in BESIDE]
    chosen = clearest(boxes, layer.taken, curves)
    ax, ay = BESIDE[chosen]
    place = {"x": scale.axis(marks.fits), "y": scale.axis(marks.target), "ax": ax, "ay": ay}
    arrow = {"arrowhead": 0, "arrowwidth": 0.8, "arrowcolor": GREY}
    side = {"xanchor": "left" if ax > 0 else "right" if ax < 0 else "center", "yanchor": "middle"}
    layer.texts.append({"text": text, "bgcolor": ground} | place | arrow | side)
    layer.taken.append(boxes[chosen])


def _crossings(lines: list[_Line], marks: Marks, scale: _Scale, taken: list[list[Box]]) -> _Layer:
    """Mark on the line of basic from where others beat it, and say so where there is room."""
    if marks.crossings is None:
        return _Layer()
    crossed = marks.crossings[marks.crossings.epsilon <= scale.y[1]]
    groups: dict[int, list[str]] = {}  # in the order of theorems: the first finds room first
    for label, count in zip(crossed.label.tolist(), crossed["count"].tolist(), strict=True):
        groups.setdefault(int(count), []).append(label)
    if not groups:
        return _Layer()
    totals = dict(zip(crossed["count"].tolist(), crossed.epsilon.tolist(), strict=True))
    layer = _Layer([ring(list(groups), [totals[count] for count in groups], "crossings")])
    texts = [f"from {shown_count(count)} on:<br>{_joined(labels)}" for count, labels in groups.items()]
    points = [(float(scale.across(count)), float(scale.up(totals[count]))) for count in groups]
    heights = np.array([scale.up(line.totals) for line in lines])
    highest = np.where(heights <= 1, heights, 0.0).max(axis=0)
    curve = list(zip(scale.across(lines[0].counts).tolist(), highest.tolist(), strict=True))
    for place, flag in flags(points, texts, curve, [narrow for narrow, _ in taken], PAPER):
        pole, words = planted(points[place], flag, texts[place])
        layer.shapes.append(pole)
        layer.texts.append(words)
    return layer


def _joined(labels: list[str]) -> str:
    return plain(labels[0]) + (f"<br>and {len(labels) - 1} more" if len(labels) > 1 else "")


def described(frame: pandas.DataFrame, marks: Marks, unit: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    unit : str
        Unit of privacy.
    """
    if frame.empty:
        return " ".join([EMPTY, *(f"{reason}." for reason in _reasons(marks))])
    last = frame[frame["count"] == frame["count"].max()].sort_values("epsilon", kind="stable")
    ends = [
        f"{row.label} {'has no guarantee' if math.isinf(row.epsilon) else 'at most ' + shown_up(row.epsilon)}"
        for row in last.itertuples()
    ]
    marked = marks.crossings
    pairs = [] if marked is None else zip(marked.label, marked["count"], strict=True)
    crossed = [f"{label} beats Basic from {shown_count(int(count))} on" for label, count in pairs]
    most = shown_count(int(frame["count"].max()))
    absent = "; ".join(f"{label}, {reason}" for label, reason in marks.absent.items())
    parts = [
        f"Line chart of the total epsilon per {unit} against 1 to {most} repetitions.",
        f"At the end: {'; '.join(ends)}.",
        f"{'; '.join(crossed)}." if crossed else "",
        f"{shown_count(marks.fits)} fit the target {shown_up(marks.target)}." if marks.fits is not None else "",
        f"Not drawn: {absent}." if absent else "",
    ]
    return " ".join(part for part in parts if part)
