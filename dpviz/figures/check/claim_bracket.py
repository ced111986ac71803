"""A claim as a line, what is certainly lost and what is proved as bars, the theorems as ticks; a legend names each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import CAMERA, GREY, INK, Identity, identity, laid_out, plain, shortened
from dpviz.figures.base.legends import BENEATH, rows_of
from dpviz.figures.base.scale import LARGE, SHADE, SMALL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing, scatter
from dpviz.rounding import shown_beyond, shown_up

if TYPE_CHECKING:
    import pandas

ROW_HEIGHT = 58
BAR_WIDTH = 0.34
LONGEST = 8  # times the claim (or the least lane): what is longer is cut
FURTHEST = 1.05  # times all else: a theorem that proves more is not drawn
MARGIN = 1.06  # times the rightmost mark: where the axis ends
ABOVE, BELOW = 40, 48  # pixels of the claim's name, and of the axis
LOST, BETWEEN, CLAIM = "certainly lost", "perhaps lost", "claimed"
CLAIMED = Identity(*INK, "dot", 4.0)  # dotted, unlike what any theorem proves
NAMES = 46  # letters of a reading that fit on a phone
VERDICTS = {
    "holds": (identity("pld"), "the claim holds"),
    "too small": (identity("advanced_tight"), "the claim is too small"),
    "undecided": (identity("optimal"), "nobody can tell"),
}


@drawing
def claim_bracket(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw the claim as a line across, and for each lane what is certainly lost, up to what is proved.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.claims.Judgement.frame` returns it: kind, key, label, lower, upper, verdict.
    """
    claimed, lanes = _claimed(frame), _lanes(frame)
    end = _axis_end(frame)
    ticks = _theorems(frame, end)
    end = max([end, *ticks.upper])
    figure = Sheet()
    for place, row in enumerate(lanes.itertuples()):
        for trace in _bars(row, place, end, dark):
            figure.add_trace(trace)
        figure.add_annotation(**_name(row, place, claimed, end))
    for row in ticks.itertuples():
        figure.add_trace(_tick(row, dark))
    figure.add_trace(_legend_of_claim(claimed, end, dark))
    below = BELOW + rows_of([LOST, BETWEEN, *ticks.label, CLAIM])
    laid_out(figure, ROW_HEIGHT * len(lanes) + ABOVE + below)
    figure.update_layout(barmode="overlay", bargap=0, margin={"t": ABOVE, "b": below}, showlegend=True, legend=BENEATH)
    figure.update_xaxes(range=[0, end * MARGIN], title="total ε", tickformat="~r", nticks=7)
    figure.update_yaxes(range=[len(lanes) - 0.45, -0.75], visible=False)
    _draw_claim(figure, claimed, end, len(lanes), dark)
    return figure


def _claimed(frame: pandas.DataFrame) -> float:
    return float(frame.upper[frame.kind == "claim"].iloc[0])


def _lanes(frame: pandas.DataFrame) -> pandas.DataFrame:
    return frame[frame.kind.isin(("released", "reading"))].reset_index(drop=True)


def _theorems(frame: pandas.DataFrame, end: float) -> pandas.DataFrame:
    """Those that prove something near what else is drawn; of those that prove the same, and hide each other, one."""
    found = frame[(frame.kind == "theorem") & (frame.upper <= end * FURTHEST)]
    alike = found.groupby(found.upper.map(shown_up)).upper
    kept = found.loc[alike.idxmin().sort_values()].sort_index()
    more = alike.size()[kept.upper.map(shown_up)].to_numpy() - 1
    names = [f"{label} +{others}" if others else label for label, others in zip(kept.label, more, strict=True)]
    return kept.assign(label=names)


def _axis_end(frame: pandas.DataFrame) -> float:
    """Where bars end: what is finite, unless that squeezes the claim and the first lane into nothing."""
    lanes, claimed = _lanes(frame), _claimed(frame)
    first = [each for each in (lanes.lower.iloc[0], lanes.upper.iloc[0], claimed) if 0 < each < math.inf]
    others = [each for each in [*lanes.lower, *lanes.upper] if 0 < each < math.inf]
    longest = max([*first, *others], default=1.0)
    return min(longest, LONGEST * max(first)) if first else longest


def _bars(row: object, place: int, end: float, dark: bool) -> list[Trace]:
    """What is certainly lost, and from there to what is proved; the end of the latter as a mark."""
    look, told = VERDICTS[row.verdict]
    reach = end * MARGIN
    lower, upper = min(row.lower, reach), min(row.upper, reach)
    read = f"<b>{plain(row.label)}</b><br>{_read(row)}<br>{told}<extra></extra>"
    common = {"y": [place], "orientation": "h", "width": BAR_WIDTH, "hovertemplate": read, "showlegend": place == 0}
    edge = {"color": look.colour(dark), "width": 1.2}
    return [
        bar(
            x=[lower], marker={"color": look.colour(dark), "line": {"color": GREY, "width": 0.5}}, name=LOST, **common
        ),
        bar(x=[max(upper - lower, 0.0)], base=[lower], marker={"color": SHADE, "line": edge}, name=BETWEEN, **common),
    ]


def _read(row: object) -> str:
    """Both ends of a lane, in words."""
    if math.isinf(row.lower):
        return "no finite ε at this δ"
    most = "no bound is proved" if math.isinf(row.upper) else f"at most {shown_up(row.upper)}"
    return f"at least {shown_beyond(row.lower, 0.0)}, {most}" if row.lower > 0 else f"{most}; nothing is certain"


def _name(row: object, place: int, claimed: float, end: float) -> dict[str, object]:
    """Name and ends above a lane, and an arrow where it goes on beyond the picture."""
    least = "" if row.lower == 0 else f"at least <b>{shown_beyond(row.lower, claimed)}</b>"
    most = "" if math.isinf(row.upper) else f"at most <b>{shown_up(row.upper)}</b>"
    ends = "no finite ε" if math.isinf(row.lower) else ", ".join(filter(None, (least, most))) or "nothing is proved"
    beyond = " →" if max(row.lower, row.upper) > end * MARGIN else ""
    text = f"{plain(shortened(row.label, NAMES))}: {ends}{beyond}"
    fixed = {"showarrow": False, "xref": "paper", "x": 0, "xanchor": "left", "yanchor": "bottom", "xshift": -3}
    return {"y": place - 0.19, "text": text, "align": "left", "font": {"size": LARGE if place == 0 else SMALL}, **fixed}


def _tick(row: object, dark: bool) -> Trace:
    """What a theorem proves, on the first lane."""
    line = {"width": 2.5, "color": identity(row.key).colour(dark)}
    return scatter(
        x=[row.upper],
        y=[0],
        mode="markers",
        name=plain(row.label),
        marker={"symbol": "line-ns", "size": 26, "line": line},
        hovertemplate=f"<b>{plain(row.label)}</b><br>proves {shown_up(row.upper, 6)}<extra></extra>",
    )


def _legend_of_claim(claimed: float, end: float, dark: bool) -> Trace:
    """The line of the claim, for the legend and for who points at it."""
    look = {"color": CLAIMED.colour(dark), "width": CLAIMED.width, "dash": CLAIMED.dash}
    read = f"<b>{CLAIM}</b><br>{claimed:.6g}<extra></extra>"
    return scatter(x=[min(claimed, end * 1.05)], y=[0], mode="lines", name=CLAIM, line=look, hovertemplate=read)


def _draw_claim(figure: Sheet, claimed: float, end: float, lanes: int, dark: bool) -> None:
    """One piece per bar, none of which reaches the words between the bars; its name above all."""
    place, right = min(claimed, end * 1.05), claimed > 0.5 * end
    look = {"color": CLAIMED.colour(dark), "width": CLAIMED.width, "dash": CLAIMED.dash}
    for lane in range(lanes):
        reach = {"y0": lane - BAR_WIDTH / 2, "y1": lane + BAR_WIDTH / 2 + 0.2}
        figure.add_shape(type="line", x0=place, x1=place, line=look, **reach)
    aside = claimed > 0.9 * end  # of the button that takes the picture
    said = f"claimed: <b>{claimed:.6g}</b>"
    figure.add_annotation(
        x=place, y=1, yref="paper", yanchor="bottom", xanchor="right" if right else "left", showarrow=False,
        xshift=-CAMERA if aside else 0, text=f"{said} {'→' if aside else '↓'}" if right else f"↓ {said}",
    )  # fmt: skip


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    claimed = _claimed(frame)
    lanes = "; ".join(f"{row.label}: {_read(row)}, {VERDICTS[row.verdict][1]}" for row in _lanes(frame).itertuples())
    return (
        f"A line at the claimed privacy loss of {claimed:.6g}, and bars of what is certainly lost and proved. {lanes}."
    )
