"""Noise per query against the number of queries, one line per way, on logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.curves import ABOVE, curves, line
from dpviz.figures.base.identity import GREY, Identity, identity, plain
from dpviz.figures.base.log_ticks import log_axis
from dpviz.figures.base.scale import SMALL
from dpviz.figures.base.sheet import Sheet, Trace, drawing

if TYPE_CHECKING:
    import pandas

PRINTED = Identity(GREY, GREY, "dot", 2.5)
SECOND_DASH = "longdashdot"


@drawing
def noise_per_query(frame: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw the expected error of one answer against the number of queries.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns way, label, theorem, count, error, proved.
    """
    groups = [rows for _, rows in frame.groupby("way", sort=False)]
    theorems = [rows.theorem.iloc[0] for rows in groups]
    lines = [_line(rows, theorems[n] in theorems[:n], dark) for n, rows in enumerate(groups)]
    across = {"title": "queries k (log)", **log_axis(frame["count"])}
    up = {"title": "expected error of one answer (log)", **log_axis(frame.error, 1.3)}
    return curves(lines, across, up, 420, legend={**ABOVE, "font": {"size": SMALL}})


def _line(rows: pandas.DataFrame, again: bool, dark: bool) -> Trace:
    """A line in its theorem's colour; a second one of the same theorem in another dash."""
    first = rows.iloc[0]
    look = identity(first.theorem) if first.proved else PRINTED
    name = plain(first.label)
    hover, other = f"k = %{{x:,}}<br>{name}: error %{{y:.7g}}", {"dash": SECOND_DASH} if again else {}
    return line(rows["count"], rows.error, name, look, dark, hover, line=other)


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words."""
    last = frame[frame["count"] == frame["count"].max()].sort_values("error")
    rows = "; ".join(f"{row.label} {row.error:.4g}" for row in last.itertuples())
    return (
        f"Expected error of one answer against the number of queries, logarithmic. At {frame['count'].max():,} "
        f"queries, the smallest first: {rows}."
    )
