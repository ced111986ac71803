"""The chart of growth: complete, readable, and honest about what lies beyond it."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from dpviz.figures.base.growth_labels import Box, Paper, clearest, dodged, flags
from dpviz.figures.learn.growth import Marks, described, growth

NONE = pandas.DataFrame({"theorem": [], "label": [], "count": [], "epsilon": []})
CROSSED = pandas.DataFrame({"theorem": ["advanced"], "label": ["Advanced"], "count": [30], "epsilon": [3.0]})


def frame(times: int = 100, factor: float = 0.1) -> pandas.DataFrame:
    counts = np.arange(1, times + 1)
    curves = {"basic": factor * counts, "advanced": 5.4 * factor * np.sqrt(counts), "pld": 0.09 * counts}
    rows = [
        pandas.DataFrame({"theorem": key, "label": key.title(), "count": counts, "epsilon": totals})
        for key, totals in curves.items()
    ]
    return pandas.concat(rows, ignore_index=True)


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.mode, trace.name, trace.line.dash) for trace in figure.data],
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": sorted(annotation.text for annotation in figure.layout.annotations),
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("in_words", [False, True])
def test_structure(snapshot, log: bool, in_words: bool):
    """Lines, axes and words."""
    marks = Marks(CROSSED, 5.0, 55, {"Rényi DP": "it needs δ above 0"})
    assert structure(growth(frame(), marks, log, in_words)) == snapshot


def test_hover_is_six_digits_rounded_up():
    """Pointing at a line never reads less than the number, and at most a hundred-thousandth more."""
    data = frame()
    line = growth(data, Marks(NONE)).data[1]
    exact = data[data.theorem == "advanced"].epsilon.tolist()
    for text, value in zip(line.customdata, exact, strict=True):
        assert value <= float(text) <= value * (1 + 1e-5) and len(text) <= 8


@pytest.mark.parametrize("log", [False, True])
def test_what_has_no_guarantee_is_a_gap(log: bool):
    """A line ends where its guarantee does, and says so."""
    data = frame()
    data.loc[(data.theorem == "advanced") & (data["count"] > 50), "epsilon"] = math.inf
    figure = growth(data, Marks(NONE), log)
    assert np.isnan(figure.data[1].y[50:]).all() and np.isfinite(figure.data[1].y[:50]).all()
    assert "Advanced ✕" in [annotation.text for annotation in figure.layout.annotations]


def test_what_is_steeper_than_basic_leaves_the_chart():
    """A bound far above basic does not squeeze the others."""
    data = frame()
    data.loc[data.theorem == "advanced", "epsilon"] *= 1e20
    figure = growth(data, Marks(NONE))
    assert figure.layout.yaxis.range[1] < 15
    assert "Advanced ↑" in [annotation.text for annotation in figure.layout.annotations]


@pytest.mark.parametrize(("target", "fits", "text"), [
    (5.0, 55, "<b>55</b> fit"),
    (5.0, 0, "target ε = 5: not one fits"),
    (9.5, 100, "target ε = 9.5: all 100 fit"),
    (1e6, 10**9, "target ε = 1000000: all 100 fit ↑"),
    (0.0, 0, "target ε = 0: not one fits ↓"),
])  # fmt: skip
def test_target_is_named(target: float, fits: int, text: str):
    """Inside, above and below the chart."""
    figure = growth(frame(), Marks(NONE, target, fits))
    assert text in [annotation.text for annotation in figure.layout.annotations]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("value", [0.0, math.inf, 1e-12, 1e300])
def test_degenerate_curves_are_drawn(log: bool, value: float):
    """Nothing spent, nothing promised, tiny and huge: a chart with a proper axis each time."""
    figure = growth(frame().assign(epsilon=value), Marks(NONE, 1.0, 3), log)
    low, high = figure.layout.yaxis.range
    assert math.isfinite(low) and math.isfinite(high) and low < high


def test_an_empty_frame_is_drawn():
    """Where no theorem applies there are no axes, but the reasons, each told once."""
    absent = {"Basic": "why", "Advanced": "<b>else</b>", "KOV": "why"}
    figure = growth(NONE.astype({"epsilon": float}), Marks(NONE, absent=absent))
    [note] = figure.layout.annotations
    assert not figure.layout.xaxis.visible and not figure.layout.yaxis.visible
    assert note.text.endswith("applies.<br>Basic and 1 more: why<br>Advanced: &lt;b&gt;else&lt;/b&gt;")
    assert described(NONE, Marks(NONE), "person") == "There is nothing to draw: no theorem applies."


def test_it_can_be_heard():
    """The text alternative says what the lines end at, what crosses and what fits."""
    text = described(frame(), Marks(CROSSED, 5.0, 55, {"Zcdp": "no ρ"}), "person")
    parts = ("per person", "Basic at most 10", "Advanced beats Basic from 30 on", "55 fit the target 5", "Zcdp, no ρ")
    assert all(part in text for part in parts)


def test_the_figure_is_small():
    """Every move of a slider sends it whole."""
    assert len(growth(frame(200), Marks(CROSSED)).to_json()) < 150_000


@given(st.lists(st.floats(-50, 400), min_size=1, max_size=20))
def test_names_keep_their_distance(wanted: list[float]):
    """Names never overlap, stay in order, and move only where they must."""
    wanted = sorted(wanted, reverse=True)
    places = dodged(wanted, 15.0, 366.0)
    gaps = -np.diff(places)
    assert (gaps >= 15 - 1e-9).all() and min(places) >= 0
    assert max(places) <= 366 + 1e-9
    if (-np.diff(wanted) >= 15).all() and wanted[0] <= 366 and wanted[-1] >= 0:
        assert places == wanted


@given(st.lists(st.floats(0.01, 0.99), max_size=8), st.floats(0.2, 1.0))
def test_flags_cover_nothing(points: list[float], slope: float):
    """Words above marks stay inside the chart, clear of each other and of the curve."""
    curve = [(x, slope * x) for x in np.linspace(0, 1, 101)]
    marks = [(x, slope * x) for x in points]
    texts = ["from 38 on:<br>Advanced, tight mean"] * len(marks)
    boxes = [box for _, box in flags(marks, texts, curve, [Box(0, 0.4, 0.3, 0.36)], Paper(160, 420, 366))]
    for place, box in enumerate(boxes):
        assert box.left >= 0 and box.right <= 1 and box.high <= 1
        assert all(y <= box.low for x, y in curve if box.left <= x <= box.right)
        assert not any(box.meets(other) for other in boxes[:place])


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("target", "fits"), [(0.5, 4), (5.0, 55), (9.0, 92), (0.12, 1)])
def test_words_of_the_target_cover_nothing(log: bool, target: float, fits: int):
    """Its name and the number that fits stand apart from each other, and not both at the left end."""
    notes = {note.text: note for note in growth(frame(), Marks(NONE, target, fits), log).layout.annotations}
    named, count = notes[f"target ε = {target:g}"], notes[f"<b>{fits}</b> fit"]
    assert count.ax or count.ay
    assert 0 <= named.y <= 1 and named.x in (0, 0.5, 1)
    if fits < 5 and not log:
        assert named.x > 0


STRAIGHT = np.array([[0.0, 1.0], [0.0, 1.0]])


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(0.0, 1.0))
def test_a_line_through_a_box_is_found(x: float, y: float, slope: float):
    """Wherever it enters and leaves; a line beside the box is not."""
    box = Box(x - 0.02, x + 0.02, y - 0.02, y + 0.02)
    assert box.is_crossed_by(np.array([[0.0, 1.0], [y - slope * x, y + slope * (1 - x)]]))
    assert box.is_crossed_by(np.array([[x, x], [0.0, 1.0]]))
    assert not box.is_crossed_by(np.array([[0.0, 1.0], [y - slope * x + 0.05, y + slope * (1 - x) + 0.05]]))


def test_a_free_place_is_preferred_to_a_nearer_one():
    """Whatever covers a line, other words or leaves the chart comes after what covers nothing."""
    on_line, free, outside = (Box(x, x + 0.2, low, low + 0.1) for x, low in ((0.4, 0.45), (0.1, 0.7), (0.95, 0.2)))
    assert clearest([[on_line], [outside], [free]], (), [STRAIGHT]) == 2
    assert clearest([[free], [on_line]], [[free]], [STRAIGHT]) == 1
    assert clearest([[outside], [on_line]], [], [STRAIGHT]) == 1
