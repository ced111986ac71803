"""What an adversary computes as releases arrive: paths in both worlds, their bands, and where they end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.identity import CAMERA, GREY, laid_out, plain
from dpviz.figures.base.legends import BENEATH
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.scale import GRID, INK, SHADE, SMALL, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing, scatter

if TYPE_CHECKING:
    import pandas

HEIGHT = 380
WORLDS = (("#0072B2", "#4DA3E0"), ("#E69F00", "#F5B93A"))  # blue and orange: light and dark ground
FRAMES, PLAY_TIME = 20, 6000  # of the animation: pictures, and milliseconds in all
LOG_FROM = 30  # releases from which the axis of releases is logarithmic
ENDS = 0.74  # share of the width up to which releases are drawn; the rest shows the ends


@dataclass(frozen=True)
class Statistic:
    """What is drawn, and how it decides.

    Parameters
    ----------
    title : str
        Of the axis, with its unit.
    line : float
        The decision line: above it, the adversary says world 1.
    line_label : str
    trials : int
        Games behind bands and bars.
    worlds : tuple of str
        Names of both worlds; text of visitors allowed.
    """

    title: str
    line: float
    line_label: str
    trials: int
    worlds: tuple[str, str] = ("World 0", "World 1")


def shade(world: int, dark: bool, opacity: float = 1.0) -> str:
    """Return the colour of a world.

    Examples
    --------
    >>> shade(0, False, 0.5)
    'rgba(0,114,178,0.5)'
    """
    colour = WORLDS[world][dark]
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


@drawing
def attack_views(
    bands: pandas.DataFrame, paths: pandas.DataFrame, ends: pandas.DataFrame, statistic: Statistic, dark: bool = False
) -> Sheet:
    """Draw a statistic of the views in both worlds, over the releases seen and at the end.

    Parameters
    ----------
    bands : pandas.DataFrame
        One row per (world, round): world, round, middle, low, high, between which 95 of 100 games lie.
    paths : pandas.DataFrame
        One row per (world, trial, round): world, trial, round, value.
    ends : pandas.DataFrame
        One row per (world, bin): world, low, high, trials, as `Views.histogram_frame` returns it.
    statistic : Statistic
    """
    figure = Sheet()
    for world in (0, 1):
        figure.add_trace(_band(bands[bands.world == world], world, dark))
    games = [_Games.of(paths, world) for world in (0, 1)]
    for world in (0, 1):
        figure.add_trace(_paths(games[world], world, dark))
    for world in (0, 1):
        figure.add_trace(_middle(bands[bands.world == world], world, dark, statistic.worlds[world]))
    for world in (0, 1):
        figure.add_trace(_ends(ends[ends.world == world], world, dark, statistic.trials))
    laid_out(figure, HEIGHT)
    _axes(figure, bands, statistic)
    _decision(figure, statistic)
    _sure(figure, ends)
    if len(marks := sorted(paths["round"].unique())) > 1:
        _animate(figure, games, marks, dark)
    return figure


def _band(rows: pandas.DataFrame, world: int, dark: bool) -> Trace:
    low, high = (rows[name].clip(-1e12, 1e12) for name in ("low", "high"))
    return scatter(
        x=[*rows["round"], *rows["round"][::-1]],
        y=[*high, *low[::-1]],
        name=f"World {world}: 95 of 100 games",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=shade(world, dark, 0.22),
        hoverinfo="skip",
        showlegend=False,
    )


def _paths(games: _Games, world: int, dark: bool) -> Trace:
    return scatter(
        **games.line(math.inf),
        name=f"World {world}, single games",
        mode="lines",
        line={"color": shade(world, dark, 0.55), "width": 1},
        hoverinfo="skip",
        showlegend=False,
    )


@dataclass(frozen=True, eq=False)
class _Games:
    """The values of all games of one world, of shape (games, rounds): what is infinite is a gap."""

    rounds: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, paths: pandas.DataFrame, world: int) -> _Games:
        wide = paths[paths.world == world].pivot(index="trial", columns="round", values="value")
        values = wide.to_numpy(dtype=float)
        return cls(wide.columns.to_numpy(), np.where(np.isfinite(values), np.round(values, 6), np.nan))

    def line(self, until: float) -> dict[str, np.ndarray]:
        """All games as one line with gaps between them."""
        seen = int(np.searchsorted(self.rounds, until, side="right"))
        gaps = np.full((len(self.values), 1), np.nan)
        x = np.tile([*self.rounds[:seen], np.nan], len(self.values))
        return {"x": x, "y": np.hstack([self.values[:, :seen], gaps]).ravel()}


def _middle(rows: pandas.DataFrame, world: int, dark: bool, name: str) -> Trace:
    single = len(rows) == 1
    return scatter(
        x=rows["round"],
        y=rows.middle.clip(-1e12, 1e12),
        name=plain(name),
        mode="markers" if single else "lines",
        line={"color": shade(world, dark), "width": 3, "dash": "solid" if world else "dash"},
        customdata=rows[["low", "high"]].to_numpy(),
        hovertemplate="after %{x} releases: %{y:.4g}<br>95 of 100 games in [%{customdata[0]:.4g}, "
        f"%{{customdata[1]:.4g}}]<extra>world {world}</extra>",
    )


def _ends(rows: pandas.DataFrame, world: int, dark: bool, trials: int) -> Trace:
    inner = rows[rows.low < rows.high]
    return bar(
        y=(inner.low + inner.high) / 2,
        x=inner.trials / trials,
        width=inner.high - inner.low,
        orientation="h",
        name=f"World {world} at the end",
        marker={
            "color": shade(world, dark, 0.5),
            "line": {"width": 0},
            "pattern": {"shape": "" if world else "/", "fgcolor": shade(world, dark), "size": 5, "fillmode": "overlay"},
        },
        xaxis="x2",
        showlegend=False,
        hovertemplate=f"%{{y:.4g}}: %{{x:.4g}} of games<extra>world {world}</extra>",
    )


def _axes(figure: Sheet, bands: pandas.DataFrame, statistic: Statistic) -> None:
    last = int(bands["round"].max())
    log = last > LOG_FROM
    games = {"title": "share of<br>games", "nticks": 4, "tickformat": "~r"}
    kind = {"type": "log"} if log else {"tickformat": "d", "nticks": min(last, 8)}
    figure.update_layout(
        barmode="overlay",
        bargap=0,
        xaxis={"domain": [0, ENDS], "title": "releases seen" + (" (log)" if log else ""), **kind},
        xaxis2={"domain": [ENDS + 0.05, 1], "anchor": "y", **games},
        yaxis={"title": statistic.title, "range": _range(bands, statistic.line), "tickformat": "~g"},
        showlegend=True,
        # Above stand the buttons, and on a phone there is no room for both; a world's name has up to 44 letters.
        legend={**BENEATH, "entrywidth": 250},
        margin={"b": 104},
    )
    figure.update_xaxes(gridcolor=GRID, zeroline=False)
    if log:
        figure.update_layout(xaxis={"range": [0, math.log10(last)], **labelled(log_ticks(1, last))})
    elif last == 1:
        figure.update_layout(xaxis={"range": [0.5, 1.5], "tickvals": [1]})


def _range(bands: pandas.DataFrame, line: float) -> list[float]:
    """The values to show: where games end matters; of a wide start, as much as leaves the end readable."""
    last = bands[bands["round"] == bands["round"].max()]
    low, high = (_finite(values, line) for values in (last.low, last.high))
    half = max(high - low, 1e-9) * 1.1
    start_low, start_high = (_finite(values, line) for values in (bands.low, bands.high))
    bottom, top = max(start_low, (low + high) / 2 - half), min(start_high, (low + high) / 2 + half)
    margin = 0.04 * (top - bottom)
    return [min(bottom, line) - margin, max(top, line) + margin]


def _finite(values: pandas.Series, otherwise: float) -> float:
    finite = [value for value in values if math.isfinite(value)]
    chosen = (min if values.name == "low" else max)(finite, default=otherwise)
    return float(chosen)


def _decision(figure: Sheet, statistic: Statistic) -> None:
    if not math.isfinite(statistic.line):
        return
    figure.add_hline(y=statistic.line, line={"color": GREY, "width": 1.5, "dash": "dot"})
    # Its name stands in the legend: on the chart, it would cover the paths.
    line = {"color": GREY, "width": 1.5, "dash": "dot"}
    figure.add_trace(
        scatter(x=[None], y=[None], mode="lines", name=plain(statistic.line_label), line=line, hoverinfo="skip")
    )


def _sure(figure: Sheet, ends: pandas.DataFrame) -> None:
    """Games that name the world for certain have no place on the axis."""
    sure = ends[ends.low == ends.high]
    if sure.empty:
        return
    parts = [
        f"{'+' if row.low > 0 else '−'}∞ in {row.trials:,} games of world {row.world}" for row in sure.itertuples()
    ]
    figure.add_annotation(
        text="<br>".join(parts), xref="paper", x=1, xanchor="right", yref="paper", y=0.98, showarrow=False,
        font={"size": SMALL}, align="right",
    )  # fmt: skip


def _animate(figure: Sheet, games: list[_Games], marks: list[int], dark: bool) -> None:
    """Add the pictures and the buttons: at rest, the chart is complete; playing ends with the same picture."""
    chosen = marks[:: max(1, math.ceil(len(marks) / FRAMES))]
    chosen = chosen if chosen[-1] == marks[-1] else [*chosen, marks[-1]]
    frames = [
        {"name": str(until), "data": [{"type": "scatter", **each.line(until)} for each in games], "traces": [2, 3]}
        for until in chosen
    ]
    figure.frames = frames
    timing = {"frame": {"duration": PLAY_TIME // len(frames), "redraw": False}, "transition": {"duration": 0}}
    held = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, {"mode": "immediate", **timing}]},
        {"label": "■ Stop", "method": "animate", "args": [[None], held]},
    ]
    ink = INK[dark]
    figure.update_layout(
        updatemenus=[
            {
                "type": "buttons", "direction": "left", "buttons": buttons, "showactive": False,
                "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "pad": {"b": 6, "r": CAMERA},
                "bgcolor": SHADE, "bordercolor": GREY, "font": {"size": USUAL, "color": ink},
            }
        ]
    )  # fmt: skip


def described(bands: pandas.DataFrame, statistic: Statistic) -> str:
    """Return the chart in words, for those who hear it."""
    last = bands[bands["round"] == bands["round"].max()].sort_values("world")
    parts = [
        f"in world {row.world} at {row.middle:.4g}, 95 of 100 games between {row.low:.4g} and {row.high:.4g}"
        for row in last.itertuples()
    ]
    return (
        f"{statistic.title} over the releases seen, in {statistic.trials:,} games of each world. After "
        f"{int(last['round'].iloc[0]):,} releases it is {', and '.join(parts)}. "
        f"The decision line is at {statistic.line:.4g}."
    )
