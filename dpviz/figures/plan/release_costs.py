"""What costs what: one bar per release, as long as what leaving it out saves, the largest on top."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out, nothing, plain, shortened
from dpviz.figures.base.scale import INK, LARGE, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing, scatter

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 24  # further releases are left out: the table has them all
ROW_HEIGHT = 54
BAR = 22  # pixels: high enough for a label inside
LANE = 9  # pixels below a bar, where its share in plan A stands
LONGEST_NAME = 56  # letters of one line that fit on a phone
LINE = 17  # pixels, of the second line of a longer name
LEGEND_ABOVE = 52  # pixels
EMPTY = "No release costs anything yet."
BEFORE = "saved in plan A"
ALL, BUDGET = "what all cost", "the budget"


@drawing
def release_costs(frame: pandas.DataFrame, of: str = ALL, dark: bool = False) -> Sheet:
    """Draw what leaving each release out saves, in percent of what all cost, or `of` something else.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per release: row (its number, from 1), release (its name), share (what leaving it out saves, in
        percent, at least 0), label (what stands at the end of the bar). Optional: hover (one or more
        lines of plain text, shown with the full name), share_before (the share in plan A; None or NaN: not in it).
        The 24 largest are drawn, in any order of the frame.
    of : str
        What the shares are shares of, in words.
    """
    drawn = _drawn(frame)
    if drawn.empty:
        return nothing(EMPTY)
    height = _row_height(drawn)
    figure = Sheet(_bars(drawn, height, dark))
    before = drawn[_before(drawn).notna()]
    if len(before):
        figure.add_trace(_dashes(before, height)).add_trace(_marks(before, height, dark))
    top, beneath = LEGEND_ABOVE if len(before) else 0, 56
    laid_out(figure, height * len(drawn) + top + beneath)
    most = max(float(drawn.share.max()), float(_before(drawn).max(skipna=True)) if len(before) else 0.0)
    # A share of nothing has no scale: ticks would be invented.
    figure.update_xaxes(range=[0, 1.02 * most or 1.0], ticksuffix=" %", nticks=6, showticklabels=most > 0)
    figure.update_xaxes(title=f"saved by leaving it out, of {of}{_more(frame)}")
    figure.update_yaxes(range=[len(drawn) - 0.45, -0.75], visible=False)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False}
    figure.update_layout(barmode="overlay", showlegend=len(before) > 0, legend=legend, margin={"t": top, "b": beneath})
    names = [_name(row, place, height) for place, row in enumerate(drawn.itertuples())]
    free = [_free(row, place, height) for place, row in enumerate(drawn.itertuples()) if row.share == 0]
    figure.update_layout(annotations=names + free)
    return figure


def _drawn(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The rows that are drawn: the largest, those of equal share in the order of the plan."""
    ordered = frame.assign(share=frame.share.astype(float).fillna(0.0))
    ordered = ordered.sort_values(["share", "row"], ascending=[False, True], kind="stable")
    return ordered.head(MOST_ROWS).reset_index(drop=True)


def _before(rows: pandas.DataFrame) -> pandas.Series:
    """The share of each row in plan A; NaN where there is none."""
    return (rows.share_before if "share_before" in rows else rows.share * math.nan).astype(float)


def _more(frame: pandas.DataFrame) -> str:
    return f"<br>the {MOST_ROWS} largest of {len(frame):,} releases" if len(frame) > MOST_ROWS else ""


def _lines(name: str) -> list[str]:
    """The name in one line, or in two where it is longer: cut only where these do not hold it."""
    first, *rest = textwrap.wrap(name, LONGEST_NAME) or [name]
    return [first, shortened(" ".join(rest), LONGEST_NAME)] if rest else [first]


def _row_height(rows: pandas.DataFrame) -> int:
    """The height of every row, in pixels: that of the highest."""
    return ROW_HEIGHT + LINE * (max(len(_lines(name)) for name in rows.release) - 1)


def _bars(rows: pandas.DataFrame, height: int, dark: bool) -> Trace:
    """The bars, each label inside those of the longer half, else at their end: there it has room at any width."""
    most = max(rows.share.max(), _before(rows).max())  # of which NaN is none
    return bar(
        x=rows.share.tolist(),
        y=[_middle(place, height) for place in range(len(rows))],
        orientation="h",
        width=BAR / height,
        name="saved by leaving it out",
        marker={"color": identity("optimal").colour(dark), "line": {"color": GREY, "width": 0.5}},
        text=[plain(label) for label in rows.label],
        textposition=["inside" if share > most / 2 else "outside" for share in rows.share],
        textangle=0,
        insidetextanchor="end",
        textfont={"size": USUAL},
        insidetextfont={"color": INK[0] if dark else "#ffffff"},
        constraintext="none",
        cliponaxis=False,
        hovertext=_hovers(rows),
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _middle(place: int, height: int) -> float:
    """Where the bar of a row lies: near the row's lower end, above the lane of plan A."""
    return place + 0.5 - (LANE + BAR / 2) / height


def _hovers(rows: pandas.DataFrame) -> list[str]:
    """The full name, and below it what the caller has to say; letter by letter."""
    said = rows.hover if "hover" in rows else rows.label
    pairs = zip(rows.itertuples(), said, strict=True)
    return [f"<b>{plain(row.release)}</b><br>{plain(text).replace(chr(10), '<br>')}" for row, text in pairs]


def _lanes(rows: pandas.DataFrame, height: int) -> list[float]:
    return [place + 0.5 - LANE / 2 / height for place in rows.index]


def _dashes(rows: pandas.DataFrame, height: int) -> Trace:
    """What changed: a dashed line below each bar, from the share in plan A to the present one."""
    x, y = [], []
    for now, before, lane in zip(rows.share, _before(rows), _lanes(rows, height), strict=True):
        x += [before, now, None]
        y += [lane, lane, None]
    style = {"color": GREY, "width": 1.5, "dash": "4px,3px"}
    return scatter(x=x, y=y, mode="lines", line=style, hoverinfo="skip", showlegend=False, name="change")


def _marks(rows: pandas.DataFrame, height: int, dark: bool) -> Trace:
    own = identity("advanced_tight").colour(dark)
    names = [plain(name) for name in rows.release]
    return scatter(
        x=_before(rows).tolist(),
        y=_lanes(rows, height),
        mode="markers",
        name=BEFORE,
        marker={"symbol": "diamond-open", "size": 9, "color": own, "line": {"width": 2, "color": own}},
        cliponaxis=False,
        customdata=names,
        hovertemplate=f"<b>%{{customdata}}</b><br>{BEFORE}: %{{x:.3g}} %<extra></extra>",
    )


def _name(row: tuple, place: int, height: int) -> dict[str, object]:
    """The name above its bar: beside it, a narrow screen would have no room for both."""
    return {
        "text": "<br>".join(map(plain, _lines(row.release))), "hovertext": plain(row.release), "x": 0, "xref": "paper",
        "xanchor": "left", "xshift": -3, "y": place + 0.5 - (BAR + LANE + 1) / height, "yanchor": "bottom",
        "align": "left", "showarrow": False, "font": {"size": LARGE},
    }  # fmt: skip


def _free(row: tuple, place: int, height: int) -> dict[str, object]:
    """The label of a release that costs nothing: a browser leaves out the label of a bar without length."""
    return {
        "text": plain(row.label), "x": 0, "xref": "paper", "xanchor": "left", "y": _middle(place, height),
        "yanchor": "middle", "showarrow": False, "font": {"size": USUAL},
    }  # fmt: skip


def described(frame: pandas.DataFrame, of: str = ALL) -> str:
    """Return the chart in words, for those who hear it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"row": [1, 2], "release": ["Visits", "Trips"], "share": [40.0, 60.0],
    ...                       "label": ["40 %", "60 %"]})
    >>> described(frame)
    'Bars of what leaving each of 2 releases out saves of what all cost, the largest first. Trips: 60 %. Visits: 40 %.'
    """
    drawn = _drawn(frame)
    if drawn.empty:
        return EMPTY
    texts = [
        f"{row.release}: {row.label}" + ("" if math.isnan(before) else f", in plan A {before:.3g} %")
        for row, before in zip(drawn.itertuples(), _before(drawn), strict=True)
    ]
    more = f" The {MOST_ROWS} largest are named." if len(frame) > MOST_ROWS else ""
    return (
        f"Bars of what leaving each of {len(frame):,} releases out saves of {of}, the largest first."
        f"{more} {'. '.join(texts)}."
    )
