"""The colour of texts that carry values: dark enough on a light ground, where the theme's grey is too faint."""

from __future__ import annotations

import plotly.graph_objects as go

LIGHT = "#575c66"  # 6.7 : 1 on white


def ink(dark: bool) -> str | None:
    """Return the colour of texts on a light ground; None, whatever is around, on a dark one.

    The theme's texts read well on its dark ground, and a file that is made of a dark chart has a light one.
    """
    return None if dark else LIGHT


def inked(figure: go.Figure, dark: bool) -> go.Figure:
    """Give axes, legend and notes of a figure the colour of texts, unless a note has one of its own.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Changed in place and returned.
    """
    colour = ink(dark)
    if colour is None or figure.layout.font.color == colour:  # it has been done already
        return figure
    axis = {"tickfont": {"color": colour}, "title": {"font": {"color": colour}}}
    figure.update_layout(font={"color": colour}, legend={"font": {"color": colour}})
    figure.update_xaxes(axis).update_yaxes(axis)
    for note in figure.layout.annotations:
        note.font.color = note.font.color or colour
    return figure
