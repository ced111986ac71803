"""Which change moves the total most: one bar per lever around the present total, the largest saving on top."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out, plain
from dpviz.figures.base.scale import LARGE
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing
from dpviz.rounding import shown_down, shown_up

if TYPE_CHECKING:
    import pandas

MOST_BARS = 15
ROW_HEIGHT = 62
BAR_WIDTH = 0.32
LONGEST_NAME = 52  # letters that fit beside each other on a phone
SAME = ["lever", "epsilon_less", "epsilon_more", "saving", "what", "opposite"]


@drawing
def tornado(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw levers around the present total: to the left what a cheaper step gives, to the right what a dearer one does.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.advice.levers` returns it: row, release, lever, total, epsilon_less, epsilon_more, saving,
        what, opposite; the largest saving first. Equal releases share a bar; the first 15 bars are drawn.
    """
    bars = _merged(frame)
    drawn = bars.head(MOST_BARS)
    total = float(frame.total.iloc[0]) if len(frame) else math.inf
    if math.isinf(total):
        return _without_bars(bars)
    low, high = _ends(drawn, total)
    figure = Sheet([_cheaper(drawn, total, dark), _dearer(drawn, total, high, dark)])
    _draw_present(figure, total, len(drawn))
    for place, row in enumerate(drawn.itertuples()):
        figure.add_annotation(**_name(row, place))
    laid_out(figure, ROW_HEIGHT * len(drawn) + 128)
    title = f"total ε; bars start at the present total, {shown_up(total)}, not at 0{_more(bars)}"
    figure.update_xaxes(range=[low, high], title=title, tickformat="~r", nticks=7)
    figure.update_yaxes(range=[len(drawn) - 0.65, -0.85], visible=False)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    figure.update_layout(barmode="overlay", bargap=0, showlegend=True, legend=legend, margin={"b": 56})
    return figure


def _merged(frame: pandas.DataFrame) -> pandas.DataFrame:
    """One row per different bar, in the order of the frame, with how many releases share it."""
    shared = frame.groupby(SAME, sort=False).release.transform("size")
    return frame.assign(shared=shared).drop_duplicates(SAME).reset_index(drop=True)


def _more(bars: pandas.DataFrame) -> str:
    return f"<br>the {MOST_BARS} largest of {len(bars)} steps" if len(bars) > MOST_BARS else ""


def _ends(drawn: pandas.DataFrame, total: float) -> tuple[float, float]:
    """Where the axis ends: all finite bars with a margin; a step without a finite total is cut at the right end."""
    finite = [value for value in drawn.epsilon_more if math.isfinite(value)]
    low, high = min([*drawn.epsilon_less, total]), max([*finite, total])
    if len(finite) < len(drawn):
        high += max(high - low, 0.1 * total)
    margin = 0.04 * (high - low) or 0.1 * total or 1.0
    return max(low - margin, 0.0) if low > 0 else -margin, high + margin


def _cheaper(drawn: pandas.DataFrame, total: float, dark: bool) -> Trace:
    texts = [
        f"<b>{_title(row)}</b><br>{plain(row.what)}<br>ε = {shown_up(row.epsilon_less, 6)}<br>"
        f"saves {shown_down(row.saving, 6)}"
        for row in drawn.itertuples()
    ]
    return _bar("cheaper step", total, list(drawn.epsilon_less), texts, identity("optimal").colour(dark), "")


def _dearer(drawn: pandas.DataFrame, total: float, high: float, dark: bool) -> Trace:
    texts = [
        f"<b>{_title(row)}</b><br>{plain(row.opposite)}<br>"
        + (f"ε = {shown_up(row.epsilon_more, 6)}" if math.isfinite(row.epsilon_more) else "no finite total")
        for row in drawn.itertuples()
    ]
    ends = [min(value, high) for value in drawn.epsilon_more]
    return _bar("dearer step", total, ends, texts, identity("advanced_tight").colour(dark), "/")


def _bar(name: str, total: float, ends: list[float], texts: list[str], colour: str, pattern: str) -> Trace:
    return bar(
        base=[total] * len(ends),
        x=[end - total for end in ends],
        y=list(range(len(ends))),
        orientation="h",
        width=BAR_WIDTH,
        name=name,
        # The hatching tells the sides apart without colour.
        marker={"color": colour, "line": {"color": GREY, "width": 0.5}, "pattern": {"shape": pattern, "size": 6}},
        hovertext=texts,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _title(row: tuple) -> str:
    return plain(row.release) + _others(row)


def _others(row: tuple) -> str:
    return f" and {row.shared - 1:,} like it" if row.shared > 1 else ""


def _name(row: tuple, place: int) -> dict[str, object]:
    """Whose step it is, and below that what it saves: on two lines, so that a narrow screen cuts neither."""
    saving = f"<b>−{shown_down(row.saving)}</b>" if row.saving > 0 else "saves nothing"
    name = row.release if len(row.release) <= LONGEST_NAME else row.release[: LONGEST_NAME - 1] + "…"
    text = f"{plain(name)}{_others(row)}<br>{saving} · {plain(row.what)}"
    fixed = {"showarrow": False, "xref": "paper", "x": 0, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    return {"y": place - BAR_WIDTH / 2, "text": text, "font": {"size": LARGE}, "xshift": -3, **fixed}


def _draw_present(figure: Sheet, total: float, rows: int) -> None:
    """The present total: a faint line, stronger at the bars, so that the names between them stay readable."""
    figure.add_vline(x=total, line={"color": GREY, "width": 1}, opacity=0.4, layer="below")
    for place in range(rows):
        reach = {"y0": place - BAR_WIDTH / 2 - 0.03, "y1": place + BAR_WIDTH / 2 + 0.03}
        figure.add_shape(type="line", x0=total, x1=total, line={"color": GREY, "width": 2}, **reach)


def _without_bars(bars: pandas.DataFrame) -> Sheet:
    """The figure where there is no finite total to draw bars around."""
    figure = laid_out(Sheet(), 120)
    figure.update_xaxes(visible=False).update_yaxes(visible=False)
    figure.add_annotation(text="<br>".join(plain(line) for line in _repairs(bars)), showarrow=False, align="left")
    return figure


def _repairs(bars: pandas.DataFrame) -> list[str]:
    if bars.empty:
        return ["There is nothing to change: no release is open."]
    helpful = bars[bars.saving > 0].head(3)
    lines = [f"{row.release}: {row.what} gives ε = {shown_up(row.epsilon_less)}" for row in helpful.itertuples()]
    return ["The present total is not finite, so there are no bars.", *(lines or ["No single step makes it finite."])]


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    frame : pandas.DataFrame
        As for `tornado`.
    """
    bars = _merged(frame)
    if bars.empty or math.isinf(bars.total.iloc[0]):
        return " ".join(line if line.endswith(".") else f"{line}." for line in _repairs(bars))
    drawn = bars.head(MOST_BARS)
    rows = [
        f"{row.release}{_others(row)}, {row.what}: at most {shown_up(row.epsilon_less)}, "
        f"saves {shown_down(row.saving)}; {row.opposite}: {_finite(row.epsilon_more)}"
        for row in drawn.itertuples()
    ]
    shown = f" The {MOST_BARS} largest of {len(bars)} are named." if len(bars) > MOST_BARS else ""
    return (
        f"Tornado chart of steps around the present total epsilon of {shown_up(bars.total.iloc[0])}, largest saving "
        f"first.{shown} {'. '.join(rows)}."
    )


def _finite(epsilon: float) -> str:
    return shown_up(epsilon) if math.isfinite(epsilon) else "no finite total"
