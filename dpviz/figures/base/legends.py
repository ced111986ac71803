"""The legend beneath a chart with many names: columns of one width, a single one on a phone, so that none is cut."""

from __future__ import annotations

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
    "font": {"size": 11},
}
