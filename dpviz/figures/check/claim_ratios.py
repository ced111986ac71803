"""Every claim with two finite numbers: how far the stated one lies from the right one, by document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, Identity, identity, laid_out, nothing, plain
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter

if TYPE_CHECKING:
    import pandas

HEIGHT = 376
NONE = "No claim with two finite numbers is shown."
LOOKS = {
    "right": (identity("optimal"), "circle"),
    "wrong": (identity("advanced_tight"), "x"),
    "true, but not by the quoted theorem": (identity("advanced"), "diamond"),
}
_UNKNOWN = (Identity(GREY, GREY, "solid"), "square")
_ROWS = 5  # heights within the lane of a document, so that equal ratios do not hide each other


def drawable(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Return the claims with a finite positive ratio, each with its ratio and its height in the lane."""
    rows = frame[(frame.stated > 0) & (frame.correct > 0) & (frame.stated < float("inf"))]
    rows = rows[rows.correct < float("inf")]
    place = rows.groupby("document", sort=False).cumcount()
    return rows.assign(ratio=rows.stated / rows.correct, offset=(place % _ROWS - _ROWS // 2) * 0.15)


@drawing
def claim_ratios(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw stated over right, one lane per document, on a logarithmic axis.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns document, says, quantity, verdict, stated, correct, off_by.
    """
    rows = drawable(frame)
    lanes = list(dict.fromkeys(frame.document))
    if rows.empty:
        return nothing(NONE, HEIGHT)
    figure = Sheet()
    for verdict in dict.fromkeys([*LOOKS, *rows.verdict]):
        own = rows[rows.verdict == verdict]
        if len(own):
            figure.add_trace(_marks(own, verdict, lanes, dark))
    line = {"color": GREY, "width": 1.5}
    figure.add_vline(x=1, line=line)
    text = {"text": "stated = right", "showarrow": False, "xanchor": "center", "yanchor": "bottom"}
    figure.add_annotation(**text, x=0, xref="x", y=1, yref="y domain")  # of a logarithmic axis, the exponent
    laid_out(figure, HEIGHT)
    ticks = [0.01, 0.1, 0.5, 1, 2, 10, 100, 1000]
    # From a half to twice at least: between two labels, else the only one could be 1.
    ends = [math.log10(min(0.45, 0.8 * rows.ratio.min())), math.log10(max(2.2, 1.25 * rows.ratio.max()))]
    figure.update_xaxes(
        title="stated ÷ right (log)", type="log", range=ends, tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks]
    )
    names = [plain(lane).replace(", ", ",<br>") for lane in lanes]
    span = [len(lanes) - 0.4, -0.6]
    figure.update_yaxes(tickvals=list(range(len(lanes))), ticktext=names, range=span, showgrid=False)
    legend = {"orientation": "h", "y": 1.06, "yanchor": "bottom", "x": 0, "xanchor": "left"}
    figure.update_layout(showlegend=True, legend=legend)
    return figure


def _marks(own: pandas.DataFrame, verdict: str, lanes: list[str], dark: bool) -> Trace:
    look, symbol = LOOKS.get(verdict, _UNKNOWN)
    text = [
        f"{_folded(plain(row.says))}<br>{_folded(plain(row.quantity))}<br>stated {row.stated:.7g}, "
        f"right {row.correct:.7g}: {row.off_by}"
        for row in own.itertuples()
    ]
    return scatter(
        x=own.ratio,
        y=[lanes.index(row.document) + row.offset for row in own.itertuples()],
        text=text,
        name=verdict,
        mode="markers",
        marker={"size": 10, "symbol": symbol, "color": look.colour(dark)},
        hovertemplate="%{text}<extra></extra>",
    )


def _folded(text: str, width: int = 70) -> str:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words."""
    rows = drawable(frame)
    if rows.empty:
        return NONE
    far = rows.loc[(rows.ratio.where(rows.ratio >= 1, 1 / rows.ratio)).idxmax()]
    return (
        f"Stated value over right value of {len(rows)} claims, one lane per document, on a logarithmic axis. "
        f"The farthest: {far.says} Stated {far.stated:.4g}, right {far.correct:.4g}."
    )
