"""The two errors of an attacker: what no attack can get below, and the attacks that were played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.curves import curves, line
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.legends import BENEATH
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter

if TYPE_CHECKING:
    import pandas

FILL = "rgba(0,158,115,0.14)"
NAMES = {"own": "Best possible attack", "pair": "If only (ε, δ) were known"}
MARKS = {
    "optimal": ("likelihood ratio", "circle", "#D55E00", "#FF7F50"),
    "midpoint": ("mean against midpoint", "diamond-open", "#9A4F96", "#D59BD2"),
}


@drawing
def attack_curve(curve: pandas.DataFrame, points: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw the least false negative rate against the false positive rate, with the attacks that were played.

    Parameters
    ----------
    curve : pandas.DataFrame
        Columns line ("own", "pair"), false_positive_rate, false_negative_rate.
    points : pandas.DataFrame
        One row per attack: attack ("optimal", "midpoint"), and for each of false_positive_rate and false_negative_rate
        the value, and its interval as _low and _high; trials. May be empty.
    """
    coin = {"color": GREY, "dash": "dash", "width": 1.2}
    traces = [scatter(x=[0, 1], y=[1, 0], name="Coin toss", mode="lines", hoverinfo="skip", line=coin)]
    traces += [_line(which, rows, dark) for which, rows in curve.groupby("line", sort=False)]
    traces += [_point(row, dark) for row in points.itertuples()]
    scale = {"range": [-0.02, 1.02], "tickformat": "~r", "nticks": 6}
    across = {"title": "accuses wrongly (false positive rate)", **scale}
    up = {"title": "misses (false negative rate)", **scale}
    return curves(traces, across, up, 380, legend={**BENEATH, "entrywidth": 152}, margin={"b": 120})


def _line(which: str, rows: pandas.DataFrame, dark: bool) -> Trace:
    own = which == "own"
    look = {} if own else {"dash": "dot", "width": 2}
    area = {"fill": "tozeroy", "fillcolor": FILL} if own else {}
    told = "accuses wrongly %{x:.4g}<br>misses at least %{y:.4g}<extra>" + NAMES[which] + "</extra>"
    x, y = rows.false_positive_rate, rows.false_negative_rate
    return line(x, y, NAMES[which], identity("pld"), dark, "", line=look, hovertemplate=told, **area)


def _point(row: object, dark: bool) -> Trace:
    label, symbol, light, night = MARKS[row.attack]
    colour = night if dark else light
    x, y = row.false_positive_rate, row.false_negative_rate
    return scatter(
        x=[x],
        y=[y],
        name=f"Played: {label}",
        mode="markers",
        marker={"symbol": symbol, "size": 10, "color": colour, "line": {"width": 2, "color": colour}},
        error_x=_bars(x, row.false_positive_rate_low, row.false_positive_rate_high, colour),
        error_y=_bars(y, row.false_negative_rate_low, row.false_negative_rate_high, colour),
        hovertemplate=f"{label}, {row.trials:,} games in each world<br>accuses wrongly %{{x:.4g}} "
        f"[{row.false_positive_rate_low:.4g}, {row.false_positive_rate_high:.4g}]<br>misses %{{y:.4g}} "
        f"[{row.false_negative_rate_low:.4g}, {row.false_negative_rate_high:.4g}]<extra></extra>",
    )


def _bars(value: float, low: float, high: float, colour: str) -> dict:
    return {
        "type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low],
        "color": colour, "thickness": 1.5, "width": 4,
    }  # fmt: skip


def described(curve: pandas.DataFrame, points: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    row = curve.loc[(curve.false_positive_rate + curve.false_negative_rate).idxmin()]
    text = (
        "Least false negative rate of any attack against its false positive rate. The best attack accuses wrongly "
        f"in {row.false_positive_rate:.3g} and misses at least {row.false_negative_rate:.3g}."
    )
    for point in points.itertuples():
        text += (
            f" The attack by {MARKS[point.attack][0]}, as played, accused wrongly in {point.false_positive_rate:.3g} "
            f"and missed {point.false_negative_rate:.3g}."
        )
    return text
