"""A figure while it is drawn: what pages send unchecked is what Plotly's own figure would be written as."""

import base64
import datetime
import importlib
import inspect
import json
import math
import pkgutil

import numpy as np
import pandas
import plotly.graph_objects as go
import pytest

from dpviz import figures
from dpviz.figures.base.sheet import Sheet, bar, scatter

NAMES = [module.name for module in pkgutil.walk_packages(figures.__path__, "dpviz.figures.")]


def decoded(part):
    """A written figure with its packed numbers as lists, and what is not finite as a gap."""
    if isinstance(part, dict) and "bdata" in part:
        values = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
        shape = [int(each) for each in part["shape"].split(",")] if "shape" in part else [-1]
        return decoded(values.reshape(shape).tolist())
    if isinstance(part, dict):
        return {name: decoded(each) for name, each in part.items() if name != "template"}
    if isinstance(part, list | tuple):
        return [decoded(each) for each in part]
    return None if isinstance(part, float) and not math.isfinite(part) else part


def drawn() -> Sheet:
    days = pandas.to_datetime(["2026-01-01"] * 3)
    frame = pandas.DataFrame({"x": [1, 2, 3], "y": [0.5, math.nan, math.inf], "day": days})
    sheet = Sheet(scatter(x=frame.x, y=frame.y, mode="lines", customdata=frame[["x", "y"]].to_numpy()))
    sheet.add_trace(bar(x=np.array([1.0, 2.0]), y=("a", "b"), marker={"color": "red"})).add_trace(scatter(x=frame.day))
    sheet.update_layout(margin={"l": 8, "t": 28}, xaxis2={"title": "second"}).update_layout(margin={"t": 60})
    sheet.update_xaxes(title="across", range=[np.float64(0), 3], zeroline=False).update_yaxes(visible=False, title=None)
    sheet.add_hline(0.5, line={"width": 1}).add_vline(2, layer="below").add_shape(type="rect", x0=0, x1=1, y0=0, y1=1)
    sheet.add_annotation(text="here", x=datetime.date(2026, 1, 2), y=0.5)
    sheet.frames = [{"name": "1", "data": [{"type": "scatter", "y": np.array([1.0, math.nan])}], "traces": [0]}]
    return sheet


def test_what_is_sent_is_what_plotly_writes():
    """Numbers, gaps, days and parts within parts."""
    sent, checked = drawn().description(), drawn().figure().to_json()
    assert sent == decoded(json.loads(checked, parse_constant=lambda _: None))
    assert json.loads(json.dumps(sent, allow_nan=False)) == sent


def test_lines_are_those_of_plotly():
    """Across the chart and from its bottom to its top."""
    own = Sheet().add_hline(2.0, line={"width": 1}).add_vline(3.0).figure()
    theirs = go.Figure().add_hline(2.0, line={"width": 1}).add_vline(3.0)
    assert own.layout.shapes == theirs.layout.shapes


def test_parts_are_merged_and_constants_left_alone():
    """A later part joins an earlier one; what was given is not changed."""
    legend = {"orientation": "h"}
    sheet = Sheet(layout={"legend": legend}).update_layout(legend={"x": 1}, xaxis={"title": "a"})
    sheet.update_xaxes(title={"font": {"color": "red"}})
    assert legend == {"orientation": "h"} and sheet.layout["legend"] == {"orientation": "h", "x": 1}
    assert sheet.layout["xaxis"]["title"] == {"text": "a", "font": {"color": "red"}}


def test_what_plotly_does_not_know_is_refused():
    """The checked figure names it."""
    with pytest.raises(ValueError, match="colour"):
        Sheet().update_layout(colour="red").figure()


@pytest.mark.parametrize("name", NAMES)
def test_public_figures_are_checked(name: str):
    """What draws a sheet gives a figure to those who call it."""
    module = importlib.import_module(name)
    for label, each in vars(module).items():
        if inspect.isfunction(each) and each.__module__ == module.__name__ and hasattr(each, "__wrapped__"):
            assert inspect.signature(each).return_annotation == "go.Figure", label
            assert inspect.unwrap(each).__annotations__["return"] == "Sheet", label
