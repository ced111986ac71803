"""Noise per query against the number of queries, one line per way, on logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, Identity, identity, laid_out, plain
from dpviz.figures.base.log_ticks import log_axis
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter

if TYPE_CHECKING:
    import pandas

HEIGHT = 420
PRINTED = Identity(GREY, GREY, "dot", 2.5)
SECOND_DASH = "longdashdot"
LEGEND: dict[str, object] = {
    "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left", "font": {"size": 11},
}


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
    figure = Sheet([_line(rows, theorems[n] in theorems[:n], dark) for n, rows in enumerate(groups)])
    laid_out(figure, HEIGHT)
    figure.update_xaxes(title="queries k (log)", tickformat=",~r", **log_axis(frame["count"]))
    figure.update_yaxes(title="expected error of one answer (log)", tickformat=",~r", **log_axis(frame.error, 1.3))
    figure.update_layout(showlegend=True, legend=LEGEND, margin={"t": 70})
    return figure


def _line(rows: pandas.DataFrame, again: bool, dark: bool) -> Trace:
    """A line in its theorem's colour; a second one of the same theorem in another dash."""
    first = rows.iloc[0]
    look = identity(first.theorem) if first.proved else PRINTED
    name = plain(first.label)
    return scatter(
        x=rows["count"],
        y=rows.error,
        name=name,
        mode="lines",
        line={"color": look.colour(dark), "dash": SECOND_DASH if again else look.dash, "width": look.width},
        hovertemplate=f"k = %{{x:,}}<br>{name}: error %{{y:.7g}}<extra></extra>",
    )


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words."""
    last = frame[frame["count"] == frame["count"].max()].sort_values("error")
    rows = "; ".join(f"{row.label} {row.error:.4g}" for row in last.itertuples())
    return (
        f"Expected error of one answer against the number of queries, logarithmic. At {frame['count'].max():,} "
        f"queries, the smallest first: {rows}."
    )
