"""Quantile dotplot of a release: twenty dots that stand for all numbers it could publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out, plain
from dpviz.figures.base.scale import SHADE, TEXT
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_error, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

PANEL_HEIGHT = 150
BINS = 21  # across the chart; dots of one bin are stacked
INSIDE = ("#0072B2", "#4DA3E0")  # light and dark ground
OUTSIDE = ("#E69F00", "#F5B93A")


@drawing
def release_errors(frame: pandas.DataFrame, answer: float | None, dark: bool = False) -> Sheet:
    """Draw one dotplot per state, over one axis.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per dot: state (its name), error, half_width, inside.
    answer : float or None
        The exact answer, where a typical one is known; else the axis shows the error itself.
    """
    states, centre = list(dict.fromkeys(frame.state)), answer or 0.0
    reach = float(frame.error.abs().max()) * 1.12
    stacked = frame.assign(level=_levels(frame, reach), value=frame.error + centre)
    top = max(int(stacked.level.max()), 4) + 1.6
    panels = [stacked[stacked.state == state] for state in states]
    figure = Sheet([dots for number, panel in enumerate(panels) for dots in _dots(panel, number, dark)])
    laid_out(figure, PANEL_HEIGHT * len(states) + 66).update_layout(font={"color": TEXT[dark]})
    share = 1 / len(states)
    for number in range(len(states)):
        low, high = 1 - (number + 1) * share, 1 - number * share
        options = {"domain": [low, high - 0.04], "range": [0, top], "visible": False, "fixedrange": True}
        figure.update_layout(**{f"yaxis{number + 1 if number else ''}": options})
    title = "error of a published number" if answer is None else "published number"
    figure.update_xaxes(range=[centre - reach, centre + reach], title=title, tickformat=",", nticks=7, fixedrange=True)
    figure.update_layout(xaxis={"anchor": "free", "position": 0})
    label = "exact answer" if answer is None else f"exact answer {answer:,.12g}"
    line = {"type": "line", "x0": centre, "x1": centre, "y0": 0, "y1": 1, "yref": "paper"}
    bands, texts = zip(*[_band(panel, number, len(states) > 1) for number, panel in enumerate(panels)], strict=True)
    figure.update_layout(
        shapes=[*bands, line | {"line": {"color": GREY, "width": 1.5}}],
        annotations=[
            each | {"showarrow": False}
            for each in (*texts, {"x": centre, "y": 1, "yref": "paper", "yanchor": "bottom", "text": label})
        ],
    )
    return figure.update_xaxes(tickfont={"color": TEXT[dark]}, title={"font": {"color": TEXT[dark]}})


def _levels(frame: pandas.DataFrame, reach: float) -> list[int]:
    """How high each dot is stacked, from 1, in its state and bin."""
    heights: dict[tuple, int] = {}
    levels = []
    for state, error in zip(frame.state, frame.error, strict=True):
        key = (state, int((error + reach) / (2 * reach) * BINS))
        heights[key] = heights.get(key, 0) + 1
        levels.append(heights[key])
    return levels


def _axis(number: int) -> str:
    return f"y{number + 1 if number else ''}"


def _dots(panel: pandas.DataFrame, number: int, dark: bool) -> list[Trace]:
    """The dots within ±w and those beyond, apart in shape as well as in colour; none is moved sideways."""
    groups = []
    for inside, symbol, colour in ((True, "circle", INSIDE), (False, "diamond-open", OUTSIDE)):
        group = panel[panel.inside == inside]
        if not group.empty:
            groups.append(
                scatter(
                    x=group.value.tolist(),
                    y=(group.level - 0.4).tolist(),
                    yaxis=_axis(number),
                    mode="markers",
                    name=plain(f"{group.state.iloc[0]}: {'within' if inside else 'beyond'}"),
                    marker={"symbol": symbol, "size": 12, "color": colour[dark], "line": {"width": 2 - inside}},
                    customdata=[[shown_near(float(error))] for error in group.error],
                    hovertemplate="error %{customdata[0]}<extra></extra>",
                )
            )
    return groups


def _band(panel: pandas.DataFrame, number: int, several: bool) -> tuple[dict[str, object], dict[str, object]]:
    """The band ±w around the exact answer, and how many dots lie in it, which the title says of a single state."""
    width, centre = float(panel.half_width.iloc[0]), float((panel.value - panel.error).iloc[0])
    across = f"{_axis(number)} domain"
    band = {"type": "rect", "x0": centre - width, "x1": centre + width, "y0": 0, "y1": 1, "yref": across}
    style = {"layer": "below", "line": {"width": 0}, "fillcolor": SHADE}
    state, inside = plain(panel.state.iloc[0]), int(panel.inside.sum())
    beyond = "" if inside == len(panel) else f"◇ farther off than {shown_error(width)}"
    whole = f"<b>{state}</b>: {inside} of {len(panel)} within ±{shown_up(width, 3)}{beyond and ', ◇ beyond'}"
    text = {"text": whole if several else beyond, "x": 0, "xref": "paper"}
    return band | style, text | {"xanchor": "left", "y": 1, "yref": across, "yanchor": "top" if several else "bottom"}


def described(frame: pandas.DataFrame, release: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    release : str
        Its name.
    """
    rows = [
        f"{state}: {int(dots.inside.sum())} of {len(dots)} lie within plus or minus "
        f"{shown_up(float(dots.half_width.iloc[0]), 3)} of the exact answer"
        for state, dots in frame.groupby("state", sort=False)
    ]
    return f"Dots that stand for all numbers that {release} could publish. {'; '.join(rows)}."
