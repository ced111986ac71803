"""Figures as they are sent to a page: texts that carry values in a readable colour, and in words where asked."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from dpviz.figures.base.scale import TEXT
from dpviz.plain import in_plain_words

LIGHT, DARK = TEXT  # where the theme's grey is too faint on a light ground
_TEXTS = ("text", "hovertemplate", "hovertext", "name", "ticktext", "texttemplate")


class Finished(BaseFigure):
    """A figure that is a description already: it is neither built, nor checked, nor copied again.

    Parameters
    ----------
    description : dict
        What `plotly.graph_objects.Figure.to_dict` returns; not to be changed any more.
    """

    def __init__(self, description: dict[str, Any]) -> None:
        self._description = description

    def to_dict(self) -> dict[str, Any]:
        """Return the description itself."""
        return self._description

    @property
    def height(self) -> int:
        """In pixels."""
        return int(self._description["layout"]["height"])

    def figure(self) -> go.Figure:
        """Return a figure that can be changed."""
        return go.Figure(self._description)


def ink(dark: bool) -> str | None:
    """Return the colour of texts on a light ground; None, whatever is around, on a dark one.

    The theme's texts read well on its dark ground, and a file that is made of a dark chart has a light one.
    """
    return None if dark else LIGHT


def finished(description: dict[str, Any], dark: bool, people: bool) -> Finished:
    """Return a figure in the ink of its ground, with words in place of symbols where people read it.

    Parameters
    ----------
    description : dict
        As `dpviz.figures.base.sheet.Sheet.description` returns it; changed in place.
    dark, people : bool
    """
    layout = description["layout"]
    layout["font"] = {**layout.get("font", {}), "color": DARK if dark else LIGHT}
    if not dark:
        _take_ink(layout)
    told = in_words(description) if people else description
    told["layout"]["template"] = _template()
    return Finished(told)


@lru_cache(1)
def _template() -> dict[str, Any]:
    """What every figure of Plotly's carries: on a page, Streamlit's theme, which it fills in."""
    return go.Figure().to_dict()["layout"]["template"]


def _take_ink(layout: dict[str, Any]) -> None:
    """Give axes, legend and notes the colour of texts, unless a note has one of its own."""
    legend = layout.setdefault("legend", {})
    legend["font"] = {**legend.get("font", {}), "color": LIGHT}
    for name in {"xaxis", "yaxis", *(name for name in layout if name.startswith(("xaxis", "yaxis")))}:
        axis = layout.setdefault(name, {})
        title = axis.setdefault("title", {})
        axis["tickfont"] = {**axis.get("tickfont", {}), "color": LIGHT}
        title["font"] = {**title.get("font", {}), "color": LIGHT}
    for note in layout.get("annotations", ()):
        note["font"] = {"color": LIGHT, **note.get("font", {})}


def in_words(description: dict[str, Any]) -> dict[str, Any]:
    """Return a figure's description with words in place of symbols in titles, legend, notes, ticks and hover texts.

    Parameters
    ----------
    description : dict
        Left unchanged.
    """
    return _worded(description, "")


def _worded(part: object, name: str) -> object:
    """A part of a figure's description, its texts reworded; numbers and data as they are."""
    if isinstance(part, dict):
        return {key: _worded(value, key) for key, value in part.items()}
    if isinstance(part, str):
        return in_plain_words(part) if name in _TEXTS else part
    if name in _TEXTS and not isinstance(part, int | float | bool | type(None)):
        return [_worded(each, name) for each in part]
    if isinstance(part, list | tuple):
        return [_worded(each, "") for each in part]
    return part
