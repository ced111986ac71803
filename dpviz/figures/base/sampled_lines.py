"""What the charts of sampling share: a colour and a dash per sample size, exact hover, names at line ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.figures.base.curves import curves, fraction, line, on_axis
from dpviz.figures.base.growth_labels import dodged
from dpviz.figures.base.identity import GREY, Identity, plain
from dpviz.figures.base.sheet import Sheet, Trace
from dpviz.rounding import shown_count, shown_up

HEIGHT = 360
MARGIN = {"l": 8, "r": 150, "t": 12, "b": 44}
LABEL_GAP = 15  # pixels between names at line ends
WHOLE = Identity(GREY, GREY, "solid", 2.5)  # without sampling
SAMPLES = (
    Identity("#7A5195", "#B39DDB", "solid", 2.5),
    Identity("#CC79A7", "#E08FC0", "dash"),
    Identity("#A05A2C", "#C9A27A", "dot"),
    Identity("#56798A", "#CFD8DC", "dashdot"),
)


def sample_identity(place: int) -> Identity:
    """Return how the sample size number `place` (from 0) is drawn."""
    return SAMPLES[place % len(SAMPLES)]


@dataclass(frozen=True)
class Line:
    """A curve with a name.

    Parameters
    ----------
    name : str
        As it stands at its end.
    x, y : ndarray of float
        Points; a y that is not finite is a gap.
    look : Identity
        Colour, dash and width.
    mode, shape : str
        Plotly's.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    look: Identity
    mode: str = "lines"
    shape: str = "linear"

    def trace(self, dark: bool, unit: str = "") -> dict[str, object]:
        """Return the curve as Plotly wants it; pointing at it reads a count, or six digits rounded up."""
        finite = np.isfinite(self.y)
        exact = [_read(value) if ok else "none" for value, ok in zip(self.y.tolist(), finite.tolist(), strict=True)]
        shown = {"customdata": np.array(exact, dtype=object), "marker": {"color": self.look.colour(dark), "size": 6}}
        hover = f"<b>%{{customdata}}</b>{unit} %{{fullData.name}}"
        y = np.where(finite, self.y, np.nan)
        return line(self.x, y, self.name, self.look, dark, hover, mode=self.mode, line={"shape": self.shape}, **shown)


def _read(value: float) -> str:
    return shown_count(int(value)) if value.is_integer() else shown_up(value, 6)


def sampled(
    lines: Sequence[Line],
    across: dict[str, object],
    up: dict[str, object],
    texts: Sequence[dict[str, object]],
    dark: bool,
    unit: str = "",
    **layout: object,
) -> Sheet:
    """Return the chart of some lines with words on it; what one points at reads all of them."""
    shared = {"margin": MARGIN, "hovermode": "x unified", "annotations": list(texts)}
    return curves([each.trace(dark, unit) for each in lines], across, up, HEIGHT, **shared | layout)


def ends_of(values: Sequence[np.ndarray], log: bool) -> tuple[float, float]:
    """Return where an axis for these values begins and ends.

    Examples
    --------
    >>> ends_of([np.array([1.0, 4.0])], False)
    (0.0, 4.24)
    >>> ends_of([np.array([0.0])], True)
    (0.1, 10.0)
    """
    every = np.concatenate([np.asarray(each, dtype=float) for each in values]) if values else np.empty(0)
    kept = every[np.isfinite(every) & (every > 0)]
    if not kept.size:
        return (0.1, 10.0) if log else (0.0, 1.0)
    low, high = float(kept.min()), float(kept.max())
    if not log:
        return 0.0, high * 1.06
    return low / 1.4, high * 1.6


def end_names(
    lines: Sequence[Line], ends: tuple[float, float], log: bool, dark: bool, right: float = 1.0
) -> list[dict[str, object]]:
    """Return each line's name beside its last point, none over another.

    Parameters
    ----------
    lines : sequence of Line
    ends : tuple of float
        Of the upright axis.
    log, dark : bool
    right : float
        Right end of the chart, as a fraction of the paper.
    """
    height = HEIGHT - MARGIN["t"] - MARGIN["b"]
    named = sorted(((_height(each, ends, log), each) for each in lines), key=lambda each: -each[0])
    places = dodged([fraction * height for fraction, _ in named], LABEL_GAP, height)
    return [
        {
            "text": plain(each.name),
            "font": {"color": each.look.colour(dark), "size": 12},
            "xref": "paper",
            "yref": "paper",
            "x": right,
            "y": place / height,
            "xanchor": "left",
            "yanchor": "middle",
            "xshift": 4,
            "showarrow": False,
            "align": "left",
        }
        for (_, each), place in zip(named, places, strict=True)
    ]


def _height(drawn: Line, ends: tuple[float, float], log: bool) -> float:
    """Where the last point of a line lies between the ends of the upright axis."""
    finite = drawn.y[np.isfinite(drawn.y)]
    last = max(float(finite[-1]) if finite.size else 0.0, ends[0])
    return fraction(last, ends, log) if log else min(fraction(last, ends, log), 1.0)


def budget_line(value: float, ends: tuple[float, float], log: bool, text: str) -> tuple[list[Trace], list[Trace]]:
    """Return a thin named line across the chart at `value`, as shapes and annotations; none where it lies outside."""
    low, high = ends
    if not low < value < high:
        return [], []
    shape = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value}
    shape["line"] = {"color": GREY, "width": 1.2}
    place = {"xref": "paper", "x": 0, "xanchor": "left", "xshift": 4, "yanchor": "bottom", "showarrow": False}
    return [shape], [{"text": plain(text), "y": on_axis(value, log)} | place]
