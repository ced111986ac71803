"""A figure while it is drawn: a description that is checked once at its end, or, on pages, sent as it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial, wraps
from inspect import signature
from typing import ParamSpec

import numpy as np
import plotly.graph_objects as go

Drawn = ParamSpec("Drawn")
Trace = dict[str, object]
scatter: Callable[..., Trace]
bar: Callable[..., Trace]
contour: Callable[..., Trace]
heatmap: Callable[..., Trace]
scatter, bar, contour, heatmap = (partial(dict, type=kind) for kind in ("scatter", "bar", "contour", "heatmap"))


def bounding(numbers: Iterable[float], rises: bool = True) -> str:
    """Return the shape of a line through upper bounds at some numbers that is not below the bounds left out.

    A bound that rises is carried back from the next number computed, one that falls on from the last: a chord may lie
    below what is between. Neighbouring whole numbers leave nothing out, and are joined.
    """
    places = np.asarray(list(numbers), dtype=float)
    whole = np.all(np.diff(places) <= 1) and np.all(places == np.round(places))
    return "linear" if whole else "vh" if rises else "hv"


class Sheet:
    """Traces, layout and frames as plain dicts, put together by the calls that a Plotly figure has.

    Plotly checks and copies each part when it is added, which takes ten times as long as drawing it.

    Parameters
    ----------
    data : dict or iterable of dict
        Traces as Plotly describes them, with their type.
    layout : dict, optional
    """

    def __init__(self, data: Trace | Iterable[Trace] = (), layout: dict[str, object] | None = None) -> None:
        self.data: list[Trace] = [data] if isinstance(data, dict) else list(data)
        self.layout: dict[str, object] = {}
        self.frames: list[dict[str, object]] = []
        self.update_layout(**(layout or {}))

    def add_trace(self, trace: Trace) -> Sheet:
        """Add a trace."""
        self.data.append(trace)
        return self

    def update_layout(self, **parts: object) -> Sheet:
        """Set parts of the layout; those within parts too."""
        _merge(self.layout, parts)
        return self

    def update_xaxes(self, **parts: object) -> Sheet:
        """Set parts of all horizontal axes that there are."""
        return self._update_axes("xaxis", parts)

    def update_yaxes(self, **parts: object) -> Sheet:
        """Set parts of all vertical axes that there are."""
        return self._update_axes("yaxis", parts)

    def add_annotation(self, **parts: object) -> Sheet:
        """Add words."""
        return self._add("annotations", parts)

    def add_shape(self, **parts: object) -> Sheet:
        """Add a line or a rectangle."""
        return self._add("shapes", parts)

    def add_hline(self, y: object, **parts: object) -> Sheet:
        """Add a line across the chart."""
        return self.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=y, y1=y, yref="y", **parts)

    def add_vline(self, x: object, **parts: object) -> Sheet:
        """Add a line from the bottom of the chart to its top."""
        return self.add_shape(type="line", x0=x, x1=x, xref="x", y0=0, y1=1, yref="y domain", **parts)

    def _add(self, kind: str, parts: dict[str, object]) -> Sheet:
        self.layout[kind] = [*self.layout.get(kind, ()), parts]
        return self

    def _update_axes(self, kind: str, parts: dict[str, object]) -> Sheet:
        for name in {kind, *(name for name in self.layout if name.startswith(kind))}:
            _merge(self.layout.setdefault(name, {}), parts)
        return self

    def figure(self) -> go.Figure:
        """Return Plotly's figure, all of it checked.

        Raises
        ------
        ValueError
            When Plotly knows no such part or value.
        """
        return go.Figure(data=self.data, layout=self.layout, frames=self.frames)

    def description(self) -> dict[str, object]:
        """Return what Plotly's figure would be written as: lists, texts and finite numbers."""
        return _plain({"data": self.data, "layout": self.layout, **({"frames": self.frames} if self.frames else {})})


def drawing(draw: Callable[Drawn, Sheet]) -> Callable[Drawn, go.Figure]:
    """Return a function that gives the finished figure of what is drawn; `inspect.unwrap` gives back the sheet."""

    @wraps(draw)
    def figure(*arguments: Drawn.args, **named: Drawn.kwargs) -> go.Figure:
        return draw(*arguments, **named).figure()

    figure.__signature__ = signature(draw).replace(return_annotation="go.Figure")
    return figure


def _merge(into: dict[str, object], parts: dict[str, object]) -> None:
    for name, part in parts.items():
        if name == "title" and isinstance(part, str):
            part = {"text": part}
        if isinstance(part, dict):
            _merge(into.setdefault(name, {}), part)
        else:
            into[name] = part


def _plain(part: object) -> object:
    """A part as it is written: what is not finite is a gap."""
    if isinstance(part, str | bool | int | None):
        return part
    if isinstance(part, dict):
        return {name: _plain(each) for name, each in part.items() if each is not None}
    if isinstance(part, float):
        return part if math.isfinite(part) else None
    if isinstance(part, date):
        return part.isoformat()
    if isinstance(part, np.datetime64):
        return str(part)
    if isinstance(part, np.generic):
        return _plain(part.item())
    if isinstance(part, list | tuple):
        return [_plain(each) for each in part]
    values = np.asarray(part)
    if (values.dtype.kind == "f" and np.isfinite(values).all()) or values.dtype.kind in "iub":
        return values.tolist()
    return [_plain(each) for each in values]
