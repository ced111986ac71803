"""Legends: above a chart in rows with room of their own, or beneath it in columns; on a phone none is cut."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.figures.base.scale import SMALL

LETTER = 7  # pixels of a name, at most on average
KEY = 46  # pixels of the piece of line before a name, and of the gaps
LINE = 19  # pixels
PHONE = 330  # pixels of a chart
ROWS: dict[str, object] = {
    "orientation": "h",
    "yref": "container",
    "y": 1,
    "yanchor": "top",
    "x": 0,
    "xanchor": "left",
    "itemclick": False,
}


def rows_of(names: Sequence[str]) -> int:
    """Return the height of a legend above on a phone, in pixels: with it as margin no picture is squeezed or covered.

    Examples
    --------
    >>> rows_of(["noise", "error"]), rows_of(["without replacement, bound", "formula, best theorem"])
    (27, 46)
    """
    rows, used = 1, 0
    for name in names:
        width = KEY + LETTER * len(name)
        rows, used = (rows + 1, width) if used and used + width > PHONE else (rows, used + width)
    return LINE * rows + 8


BENEATH: dict[str, object] = {
    "orientation": "h",
    "xref": "container",
    "yref": "container",
    "x": 0.01,
    "xanchor": "left",
    "y": 0.01,
    "yanchor": "bottom",
    "entrywidth": 118,  # pixels for a name of up to 22 letters; line and gaps take 40 more
    "itemwidth": 30,
    "font": {"size": SMALL},
}
