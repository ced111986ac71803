"""The trade-off curve of an attacker's two errors, with each theorem's guarantee as a larger region around it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.figures.base.curves import curves, line
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.legends import BENEATH
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 460  # a legend takes at most half: eleven names below each other need it
FILL = "rgba(0,158,115,0.16)"
FLOOR = 1e-9
ON_AXIS = 0.006  # two pixels: a line that is nowhere farther from an axis cannot be told from it


@drawing
def privacy_region(regions: pandas.DataFrame, log: bool = False, dark: bool = False) -> Sheet:
    """Draw the least false negative rate against the false positive rate, one line per theorem.

    Parameters
    ----------
    regions : pandas.DataFrame
        As `dpviz.losses.region.regions` returns it.
    log : bool
        Whether both axes are logarithmic.
    """
    hidden = on_axes(regions, log)
    kept = regions[(regions.false_positive_rate >= FLOOR) & (regions.false_negative_rate >= FLOOR)] if log else regions
    seen = kept[~kept.label.isin(hidden)].groupby("theorem", sort=False)
    traces = [_line(theorem, rows, dark) for theorem, rows in seen]
    traces.append(
        scatter(
            x=[FLOOR * k for k in (1, 1e3, 1e6, 1e8)] + [0.3, 0.6, 0.9, 1.0] if log else [0, 1],
            y=[1 - x for x in [FLOOR * k for k in (1, 1e3, 1e6, 1e8)] + [0.3, 0.6, 0.9, 1 - FLOOR]] if log else [1, 0],
            name="A coin flip",
            mode="lines",
            line={"color": GREY, "dash": "dash", "width": 1.2},
            hoverinfo="skip",
        )
    )
    scale = {"range": [0, 1.01], "tickformat": "~r"}
    if log:
        scale = {"type": "log", "range": [-9, 0.05], **labelled(log_ticks(FLOOR, 1.0))}
    title = " · log" if log else ""
    across = {"title": "attacker accuses wrongly (false positive rate)" + title, "nticks": 6, **scale}
    up = {"title": "attacker misses (false negative rate)" + title, "nticks": 6, **scale}
    return curves(traces, across, up, HEIGHT, legend=BENEATH, margin={"b": 140})


def on_axes(regions: pandas.DataFrame, log: bool = False) -> list[str]:
    """Return the labels of theorems that are not drawn, since their lines lie on the axes.

    Parameters
    ----------
    regions : pandas.DataFrame
        As for `privacy_region`; the curve of the mechanisms themselves is always drawn.
    log : bool
        Whether both axes are logarithmic; they begin at 1e-9.
    """
    floor = FLOOR if log else ON_AXIS
    distance = regions[["false_positive_rate", "false_negative_rate"]].min(axis=1)
    far = distance.groupby(regions.label, sort=False).max()
    drawn = set(regions.label[regions.theorem == "pld"])
    return [label for label, value in far.items() if value < floor and label not in drawn]


def _line(theorem: str, rows: pandas.DataFrame, dark: bool) -> Trace:
    whole = theorem == "pld"
    pair = theorem == "pld_pair"
    look = replace(identity("pld"), dash="dot", width=2.0) if pair else identity(theorem)
    first = rows.iloc[0]
    exact = "" if whole else f"<br>from ε = {shown_up(first.epsilon)} alone"
    area = {"fill": "tozeroy", "fillcolor": FILL} if whole else {}
    hover = f"<b>{first.label}</b>{exact}<br>wrongly %{{x:.4g}}<br>misses at least %{{y:.4g}}"
    return line(rows.false_positive_rate, rows.false_negative_rate, first.label, look, dark, hover, **area)


def described(regions: pandas.DataFrame, log: bool = False) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    regions, log
        As for `privacy_region`.
    """
    hidden = on_axes(regions, log)
    lie = "its line lies" if len(hidden) == 1 else "their lines lie"
    left_out = f" Not drawn, since {lie} on the axes: {', '.join(hidden)}." if hidden else ""
    whole = regions[regions.theorem == "pld"]
    place = (whole.false_positive_rate - 0.05).abs().idxmin()
    row = whole.loc[place]
    return (
        "Least false negative rate of any attacker against the false positive rate. With these mechanisms, who "
        f"accuses wrongly in {row.false_positive_rate:.3g} of cases misses at least {row.false_negative_rate:.3g}. "
        "Each theorem lies at or below that curve: knowing only epsilon and delta, more attackers seem possible."
        f"{left_out}"
    )
