"""What training costs by the number of epochs: one line for each way to draw batches, named at its end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import axis, curves, fraction, line
from dpviz.figures.base.growth_labels import dodged, end_name
from dpviz.figures.base.identity import SCHEMES, UNKNOWN, nothing
from dpviz.figures.base.sheet import Sheet, Trace, drawing
from dpviz.rounding import shown_down, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 400
MARGIN = {"l": 8, "r": 128, "t": 28, "b": 44}
INNER = HEIGHT - MARGIN["t"] - MARGIN["b"]
GAP = 15  # pixels between names
NAMES = {
    "poisson": "Poisson",
    "truncated_poisson": "Poisson, cut",
    "fixed_size": "fixed size",
    "allocation": "random allocation",
    "shuffled": "shuffled",
    "fixed_order": "fixed order",
    "tree": "tree",
    "banded": "banded",
    "banded_order": "banded, in order",
}
SURELY = "shuffled, at least"
EMPTY = "There is nothing to draw: no guarantee is known."


@drawing
def training_curves(frame: pandas.DataFrame, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw ε over epochs on a logarithmic axis, one line per scheme; lower ends, where there are some, as thin lines.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.training.epsilon_over_epochs` returns it.
    """
    frame = _drawn(frame)
    if frame.empty:
        return nothing(EMPTY, HEIGHT)
    ends = _ends(frame)
    lines, names = [], []
    for scheme, rows in frame.groupby("scheme", sort=False):
        lines.append(_line(scheme, rows, rows.epsilon, shown_up, NAMES.get(scheme, scheme), dark))
        names.append((float(rows.epsilon.iloc[-1]), NAMES.get(scheme, scheme), scheme))
        if rows.lower.notna().any() and scheme == "shuffled":
            lines.append(_line(scheme, rows, rows.lower, shown_down, SURELY, dark))
            names.append((float(rows.lower.iloc[-1]), SURELY, scheme))
    title = "privacy loss, at most" if in_words else "ε, at most"
    span = (0.0, float(frame.epochs.max()))
    return curves(
        lines, axis("epochs", span, False), axis(title, ends, True), HEIGHT, margin=MARGIN,
        annotations=_names(names, ends, dark), hovermode="closest",
    )  # fmt: skip


def _drawn(frame: pandas.DataFrame) -> pandas.DataFrame:
    return frame[np.isfinite(frame.epsilon) & (frame.epsilon > 0)]


def _ends(frame: pandas.DataFrame) -> tuple[float, float]:
    """The ends of the axis of ε, beyond all that is drawn."""
    low = min(float(frame.epsilon.min()), float(frame.lower.min()) if frame.lower.notna().any() else math.inf)
    return low / 1.3, float(frame.epsilon.max()) * 1.3


def _line(scheme: str, rows: pandas.DataFrame, values: pandas.Series, shown: object, name: str, dark: bool) -> Trace:
    """One line; a lower end is carried on from the last number computed, as an upper one is carried back."""
    surely = name == SURELY
    # Between two epochs there are steps, at which a line that joins them may lie on the wrong side of the truth.
    style = {"shape": "hv", "width": 1.2} if surely else {"shape": "vh"}
    least = "at least" if surely else "at most"
    hover = f"<b>%{{customdata}}</b> {least} after %{{x}} epochs, {name}"
    told = [shown(value) if value > 0 else "0" for value in values]
    ended = {"mode": "lines+markers", "marker": {"size": [0] * (len(rows) - 1) + [6]}} if surely else {}  # by a step
    look = SCHEMES.get(scheme, UNKNOWN)
    return line(rows.epochs, values, name, look, dark, hover, line=style, customdata=told, **ended)


def _names(names: list[tuple[float, str, str]], ends: tuple[float, float], dark: bool) -> list[dict[str, object]]:
    """Name every line beside its end, without overlap."""
    names = sorted((each for each in names if each[0] > 0), key=lambda each: -each[0])
    wanted = [fraction(value, ends, True) * INNER for value, *_ in names]
    return [
        end_name(text, SCHEMES.get(scheme, UNKNOWN).colour(dark), place, place - own, INNER)
        for (_, text, scheme), own, place in zip(names, wanted, dodged(wanted, GAP, INNER), strict=True)
    ]


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    frame = _drawn(frame)
    if frame.empty:
        return EMPTY
    last = frame.groupby("scheme", sort=False).last().sort_values("epsilon", kind="stable")
    told = [
        f"{NAMES.get(scheme, scheme)} at most {shown_up(row.epsilon)}"
        + (f" and at least {shown_down(row.lower)}" if row.lower > 0 else "")
        for scheme, row in last.iterrows()
    ]
    return (
        f"Line chart of what training costs against 0 to {shown_near(float(frame.epochs.max()))} epochs, by how "
        f"batches are drawn. At the end: {'; '.join(told)}."
    )
