"""What k runs on fresh samples cost: by the formula and a sum, by the formula and the best theorem, and tight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import Identity, identity, laid_out
from dpviz.figures.base.sampled_lines import HEIGHT, MARGIN, WHOLE, Line, axis, budget_line, end_names, ends_of
from dpviz.figures.base.sheet import Sheet, bounding, drawing
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas

_REPLACED = Identity("#D55E00", "#FF7F50", "dashdot", 2.5)
LOOKS = {
    "whole": WHOLE,
    "sum": identity("basic"),
    "pairs": identity("optimal"),
    "without_replacement": _REPLACED,
    "poisson": identity("pld"),
}


@drawing
def sampled_rounds(frame: pandas.DataFrame, budget: float, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw the total ε against the number of runs, one line per way of accounting.

    Parameters
    ----------
    frame : pandas.DataFrame
        way, label, count, epsilon; inf where there is no guarantee.
    budget : float
        Drawn as a thin line.
    """
    lines = []
    for way in frame.way.drop_duplicates().tolist():
        rows = frame[frame.way == way]
        counts, totals = rows["count"].to_numpy(dtype=float), rows.epsilon.to_numpy(dtype=float)
        lines.append(Line(rows.label.iloc[0], counts, totals, LOOKS[way], shape=bounding(counts)))
    up = ends_of([line.y for line in lines], True)
    counts = frame["count"]
    figure = Sheet([line.trace(dark) for line in lines])
    laid_out(figure, HEIGHT)
    loss = "total privacy loss" if in_words else "total ε"
    shapes, texts = budget_line(budget, up, True, f"budget {shown_up(budget)}")
    figure.update_layout(
        margin=MARGIN | {"r": 230},
        hovermode="x unified",
        xaxis=axis("runs k", (float(counts.min()), float(counts.max())), True) | {"hoverformat": ",d"},
        yaxis=axis(loss, up, True),
        shapes=shapes,
        annotations=texts + end_names(lines, up, True, dark),
    )
    return figure


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    last = frame[frame["count"] == frame["count"].max()]
    ends = "; ".join(f"{row.label}: {shown_up(row.epsilon)}" for row in last.itertuples())
    return f"Total epsilon against the number of runs. After {shown_count(int(frame['count'].max()))} runs: {ends}."
