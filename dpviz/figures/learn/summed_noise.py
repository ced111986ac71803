"""The exact ε of two summed noises over all pairs, with where the rule is proved, the target, and the table's pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.scale import INK
from dpviz.figures.base.sheet import Sheet, Trace, contour, drawing, heatmap, scatter
from dpviz.rounding import shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 353
TICKS = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# On a map that runs from dark blue to yellow, on light and dark pages alike.
TARGET, PROVED, VEIL = "#FF9F1C", "#FFFFFF", "rgba(0,0,0,0.5)"


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn on the map.

    Parameters
    ----------
    target : float or None
        The exact ε of the contour.
    proved : float or None
        The rule's ε up to which it is proved; None where no boundary crosses the map.
    holds : bool
        Whether the rule is false nowhere on the map.
    """

    target: float | None
    proved: float | None
    holds: bool


@drawing
def summed_noise(grid: pandas.DataFrame, pairs: pandas.DataFrame, marks: Marks, dark: bool = False) -> Sheet:
    """Draw ε3 over (ε1, ε2) as a heat map with logarithmic axes.

    Parameters
    ----------
    grid : pandas.DataFrame
        As `noise_sum_grid` returns it, over a square.
    pairs : pandas.DataFrame
        Columns epsilon_1, epsilon_2, rule, epsilon, standing: the table's pairs.
    marks : Marks
    """
    side = np.unique(grid.epsilon_2.to_numpy())
    exact, rule = (_square(grid[name], side) for name in ("epsilon", "rule"))
    figure = Sheet(_heat(side, exact, rule))
    if not marks.holds:
        figure.add_trace(_false(side, _square(grid.standing == "false", side)))
    if marks.proved is not None:
        figure.add_trace(_contour(side, rule, marks.proved, "rule proved below", PROVED, "dash"))
        figure.add_trace(_in_legend(figure.data[-1]))
    if marks.target is not None and exact.min() < marks.target < exact.max():
        name = f"target ε₃ = {shown_near(marks.target)}"
        figure.add_trace(_contour(side, exact, marks.target, name, TARGET, "solid"))
    figure.add_trace(_points(pairs))
    laid_out(figure, HEIGHT)
    ends = [math.log10(side[0]), math.log10(side[-1])]
    options = {"type": "log", "range": ends, "tickvals": TICKS, "ticktext": [f"{tick:g}" for tick in TICKS]}
    figure.update_xaxes(title="ε₁ of the first noise (log)", **options)
    figure.update_yaxes(title="ε₂ of the second noise (log)", **options)
    legend = {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0}
    figure.update_layout(showlegend=True, legend=legend, plot_bgcolor="rgba(0,0,0,0)")
    return figure


def _square(column: pandas.Series, side: np.ndarray) -> np.ndarray:
    """The column with ε2 upwards and ε1 to the right; half the bytes will do for colours."""
    return column.to_numpy().reshape(len(side), len(side)).T.astype(np.float32)


def _logs(values: np.ndarray) -> np.ndarray:
    """Logarithms for colours; an ε of 0, which large δ allow, takes the colour of the smallest other one."""
    least = values[values > 0].min() if (values > 0).any() else 1.0
    return np.log10(np.maximum(values, least))


def _heat(side: np.ndarray, exact: np.ndarray, rule: np.ndarray) -> Trace:
    logs = _logs(exact)
    low, high = float(10 ** logs.min()), float(10 ** logs.max())
    ticks = [tick for tick in TICKS if low <= tick <= high] or [low]
    return heatmap(
        x=side,
        y=side,
        z=logs,
        customdata=np.dstack([exact, rule]),
        name="exact ε₃",
        colorscale="Cividis",
        colorbar={
            "title": {"text": "exact ε₃"},
            "tickvals": [math.log10(tick) for tick in ticks],
            "ticktext": [f"{tick:g}" for tick in ticks],
            "thickness": 12,
            "outlinewidth": 0,
        },
        hovertemplate="ε₁ %{x:.4g}, ε₂ %{y:.4g}<br>exact ε₃ %{customdata[0]:.4g}<br>rule %{customdata[1]:.4g}"
        "<extra></extra>",
    )


def _false(side: np.ndarray, false: np.ndarray) -> Trace:
    """The area where the rule is false, darkened."""
    veil = [[0, "rgba(0,0,0,0)"], [0.5, "rgba(0,0,0,0)"], [0.5, VEIL], [1, VEIL]]
    return contour(
        x=side, y=side, z=false, zmin=0, zmax=1, name="rule false", showlegend=True, showscale=False, hoverinfo="skip",
        colorscale=veil, contours={"start": 0.5, "end": 0.5, "size": 1}, line={"width": 0},
    )  # fmt: skip


def _contour(side: np.ndarray, values: np.ndarray, level: float, name: str, colour: str, dash: str) -> Trace:
    where = math.log10(level)
    label = f"{name} {level:.3g}" if dash == "dash" else name
    return contour(
        x=side,
        y=side,
        z=_logs(values),
        name=label,
        showlegend=True,
        showscale=False,
        hoverinfo="skip",
        contours={"start": where, "end": where, "size": 1, "coloring": "none"},
        line={"color": colour, "width": 3, "dash": dash},
    )


def _in_legend(drawn: Trace) -> Trace:
    """An entry for a white line, in a colour that shows on any ground; the line itself leaves the legend."""
    drawn["showlegend"] = False
    line = {"color": GREY, "width": 3, "dash": drawn["line"]["dash"]}
    return scatter(x=[None], y=[None], mode="lines", name=drawn["name"], line=line, hoverinfo="skip")


def _points(pairs: pandas.DataFrame) -> Trace:
    text = [f"rule {row.rule:.4g}, {row.standing}<br>exact ε₃ {row.epsilon:.4g}" for row in pairs.itertuples()]
    return scatter(
        x=pairs.epsilon_1,
        y=pairs.epsilon_2,
        text=text,
        name="pairs of the table",
        mode="markers",
        marker={"size": 11, "color": "#FFFFFF", "line": {"color": INK[0], "width": 2}},
        hovertemplate="ε₁ %{x:.4g}, ε₂ %{y:.4g}<br>%{text}<extra></extra>",
    )


def described(grid: pandas.DataFrame, pairs: pandas.DataFrame, marks: Marks) -> str:
    """Return the map in words, for those who hear it."""
    low, high = grid.epsilon.min(), grid.epsilon.max()
    rows = [
        f"{shown_near(row.epsilon_1)} and {shown_near(row.epsilon_2)} give {shown_up(row.epsilon)}, rule "
        f"{row.rule:.4g}, {row.standing}"
        for row in list(pairs.itertuples())[:8]
    ]
    proved = "" if marks.proved is None else f" The rule is proved where it is below {marks.proved:.3g}."
    false = "" if marks.holds else " In a corner of large epsilons the rule is false."
    return (
        f"Heat map of the exact epsilon of two summed noises, from {shown_up(low)} at the lower left to "
        f"{shown_up(high)} at the upper right.{proved}{false} Pairs of the table: {'; '.join(rows) or 'none'}."
    )
