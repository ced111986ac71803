"""Figures as they are sent to a page: texts that carry values in a readable colour, and in words where asked."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from dpviz.figures.plain_words import in_words

LIGHT = "#575c66"  # on a light ground, where the theme's grey is too faint: 6.7 : 1 on white
DARK = "#b0b5bd"  # on a dark ground, 8 to 1


class Finished(BaseFigure):
    """A figure that is a description already: it is neither built, nor checked, nor copied again.

    Parameters
    ----------
    description : dict
        What `plotly.graph_objects.Figure.to_dict` returns; not to be changed any more.
    """

    def __init__(self, description: dict) -> None:
        self._description = description

    def to_dict(self) -> dict:
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


def finished(figure: go.Figure, dark: bool, people: bool) -> Finished:
    """Return a figure in the ink of its ground, with words in place of symbols where people read it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Left unchanged.
    dark, people : bool
    """
    description = figure.to_dict()
    layout = description["layout"]
    layout["font"] = {**layout.get("font", {}), "color": DARK if dark else LIGHT}
    if not dark:
        _take_ink(layout)
    return Finished(in_words(description) if people else description)


def _take_ink(layout: dict) -> None:
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
