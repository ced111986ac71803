"""What the charts of sampling share: a colour and a dash per sample size, exact hover, names in a legend above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.figures.base.curves import curves, line, on_axis
from dpviz.figures.base.identity import GREY, Identity, plain
from dpviz.figures.base.legends import ROWS, rows_of
from dpviz.figures.base.sheet import Sheet, Trace
from dpviz.rounding import next_above, shown_count, shown_up

HEIGHT = 360  # without the legend
LEAST_DECIMAL = 1e-8
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
    """A count, or six digits rounded up: as a decimal where that is short, which people read, too."""
    if value.is_integer():
        return shown_count(int(value))
    return f"{next_above(value, 6):.14f}".rstrip("0") if LEAST_DECIMAL <= value < 1 else shown_up(value, 6)


def sampled(
    lines: Sequence[Line],
    across: dict[str, object],
    up: dict[str, object],
    texts: Sequence[dict[str, object]],
    dark: bool,
    unit: str = "",
    marks: Sequence[str] = (),
    **layout: object,
) -> Sheet:
    """Return the chart of some lines with words on it; what one points at reads all of them.

    Names stand in a legend above: at the ends of lines they would take half the width of a phone.

    Parameters
    ----------
    lines : sequence of Line
    across, up : dict
        The axes as Plotly describes them.
    texts : sequence of dict
        Words on the chart.
    dark : bool
    unit : str
        What is read at a point, after its number.
    marks : sequence of str
        What else the legend names.
    **layout
        Further parts of the layout.
    """
    named = rows_of([*(each.name for each in lines), *marks])
    shared = {"legend": ROWS, "margin": {"t": named}, "hovermode": "x unified", "annotations": list(texts)}
    traces = [each.trace(dark, unit) for each in lines]
    return curves(traces, across, up, HEIGHT + named, **shared | layout)


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


def budget_line(value: float, ends: tuple[float, float], log: bool, text: str) -> tuple[list[Trace], list[Trace]]:
    """Return a thin named line across the chart at `value`, as shapes and annotations; none where it lies outside."""
    low, high = ends
    if not low < value < high:
        return [], []
    shape = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value}
    shape["line"] = {"color": GREY, "width": 1.2}
    place = {"xref": "paper", "x": 0, "xanchor": "left", "xshift": 4, "yanchor": "bottom", "showarrow": False}
    return [shape], [{"text": plain(text), "y": on_axis(value, log)} | place]
