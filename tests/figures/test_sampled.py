"""The charts of the page on sampling: complete, exact on hover, and drawn where nothing is."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from dpviz.figures.base.curves import axis
from dpviz.figures.base.legends import PHONE, rows_of
from dpviz.figures.base.sampled_lines import budget_line, ends_of
from dpviz.figures.learn import sampled_curves, sampled_runs


def runs(factor: float = 1.0) -> pandas.DataFrame:
    epsilons = [0.001, 0.002, 0.003]
    counts = {100: [200, 100, 66], 50: [502, 199, 133], 20: [3000, 700, 400]}
    pairs = [(size, *pair) for size, each in counts.items() for pair in zip(epsilons, each, strict=True)]
    rows = [(size, 100, epsilon, int(count * factor)) for size, epsilon, count in pairs]
    return pandas.DataFrame(rows, columns=["size", "population", "base_epsilon", "runs"])


NATIVE = pandas.DataFrame({"base_epsilon": [0.001, 0.002, 0.003], "runs": [123_719, 30_929, 13_746]})


def totals() -> pandas.DataFrame:
    counts = np.array([1, 10, 100])
    growth = {"whole": 0.2, "sum": 0.1, "pairs": 0.09, "without_replacement": 0.05, "poisson": 0.04}
    frames = [
        pandas.DataFrame({"way": way, "label": way, "count": counts, "epsilon": factor * counts})
        for way, factor in growth.items()
    ]
    return pandas.concat(frames, ignore_index=True)


def errors() -> pandas.DataFrame:
    sizes = np.array([10, 30, 100])
    sampling, noise = np.array([0.08, 0.04, 0.0]), np.array([0.02, 0.015, 0.01])
    return pandas.DataFrame({
        "sample_size": sizes, "rate": sizes / 100, "sampling_error": sampling, "noise_error": noise,
        "error": np.hypot(sampling, noise),
    })  # fmt: skip


def shares() -> pandas.DataFrame:
    rows = [(base, rate, math.log1p(rate * math.expm1(base))) for base in (0.1, 1.0) for rate in (0.0, 0.5, 1.0)]
    return pandas.DataFrame(rows, columns=["base_epsilon", "rate", "epsilon"])


def losses() -> pandas.DataFrame:
    rows = [(base, rate, math.log1p(rate * math.expm1(base))) for rate in (1.0, 0.5) for base in (0.1, 1.0, 10.0)]
    return pandas.DataFrame(rows, columns=["base_epsilon", "rate", "epsilon"])


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.mode, trace.name, trace.line.dash) for trace in figure.data],
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": sorted(annotation.text for annotation in figure.layout.annotations),
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("points", [0, 1, 3])
def test_structure_of_runs(snapshot, log: bool, points: int):
    """Lines, axes and words; the noise itself as a line, a point, or not at all."""
    assert structure(sampled_runs.sampled_runs(runs(), NATIVE[:points], log, dark=log)) == snapshot


@pytest.mark.parametrize("in_words", [False, True])
def test_structure_of_the_others(snapshot, in_words: bool):
    """The charts in the tabs."""
    drawn = {
        "rate": sampled_curves.against_rate(shares(), in_words),
        "epsilon": sampled_curves.against_epsilon(losses(), in_words, dark=True),
        "rounds": sampled_curves.sampled_rounds(totals(), 5.0, in_words),
        "error": sampled_curves.sampled_error(errors(), [30], in_words),
    }
    assert {name: structure(figure) for name, figure in drawn.items()} == snapshot


@pytest.mark.parametrize("log", [False, True])
def test_hover_is_exact(log: bool):
    """Pointing at a line reads the very number."""
    line = sampled_runs.sampled_runs(runs(), NATIVE, log).data[1]
    assert [float(text) for text in line.customdata] == [502, 199, 133]


@pytest.mark.parametrize("log", [False, True])
def test_nothing_that_fits_is_a_gap(log: bool):
    """A count of 0 has no place on a logarithmic axis: a gap, and proper axes."""
    figure = sampled_runs.sampled_runs(runs(0.0), NATIVE[:0], log)
    assert all(np.isnan(trace.y).all() for trace in figure.data)
    low, high = figure.layout.yaxis.range
    assert math.isfinite(low) and low < high


def test_what_has_no_guarantee_is_a_gap():
    """A total without a bound ends the line."""
    frame = totals()
    frame.loc[(frame.way == "sum") & (frame["count"] == 100), "epsilon"] = math.inf
    figure = sampled_curves.sampled_rounds(frame, 1.0)
    assert np.isnan(figure.data[1].y[-1]) and np.isfinite(figure.data[1].y[:-1]).all()
    assert figure.layout.yaxis.range[1] < 3


def test_the_budget_is_named_only_inside():
    """Outside the chart there is no line for it."""
    assert budget_line(5.0, (1.0, 4.0), True, "budget") == ([], [])
    shapes, texts = budget_line(2.0, (1.0, 4.0), True, "<b>")
    assert shapes[0]["y0"] == 2.0 and texts[0]["text"] == "&lt;b&gt;"


def test_the_smallest_error_is_marked():
    """A star where the error is smallest, a ring at each chosen size."""
    figure = sampled_curves.sampled_error(errors(), [30])
    marks = {trace.name: list(trace.x) for trace in figure.data[3:]}
    assert marks == {"your samples": [0.3], "smallest error": [1.0]}


@given(st.lists(st.floats(1e-12, 1e12), min_size=1), st.booleans())
def test_axes_hold_what_is_drawn(values: list[float], log: bool):
    """Every value lies on its axis, and the axis says whether it is logarithmic."""
    low, high = ends_of([np.array(values)], log)
    assert low <= min(values) and max(values) <= high
    drawn = axis("runs", (low, high), log)
    assert drawn["title"]["text"].endswith("(log)") == log
    assert drawn["range"][0] < drawn["range"][1]


@pytest.mark.parametrize("figure", [
    sampled_runs.sampled_runs(runs(), NATIVE, True),
    sampled_curves.against_epsilon(losses()),
    sampled_curves.against_rate(shares()),
    sampled_curves.sampled_rounds(totals(), 5.0),
    sampled_curves.sampled_error(errors(), [30]),
], ids=["runs", "epsilon", "rate", "rounds", "error"])  # fmt: skip
def test_names_take_no_width(figure: Figure):
    """On a phone of 390 pixels the picture has the width: names stand above it, in room of their own."""
    margin = figure.layout.margin
    assert margin.l + margin.r <= 32
    assert figure.layout.height - margin.t - margin.b >= 300
    names = [trace.name for trace in figure.data] if figure.layout.showlegend else []
    assert not names or margin.t >= rows_of(names)


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=9))
def test_a_legend_has_a_row_for_each_name_that_fits_no_row(names: list[str]):
    """As high as its names need beside each other, and never as if each had a row where two have one."""
    assert rows_of(names) <= rows_of(["a" * PHONE] * len(names)) and rows_of([*names, "b" * 30]) >= rows_of(names)


def test_they_can_be_heard():
    """The text alternatives say what lines end at."""
    assert "reading 50 records 502" in sampled_runs.described(runs(), NATIVE, "ε = 0.2")
    assert "123,719" in sampled_runs.described(runs(), NATIVE, "ε = 0.2")
    assert "smallest with 100 records read, 0.01" in sampled_curves.described_error(errors())
    assert "After 100 runs: whole: 20;" in sampled_curves.described_rounds(totals())
    assert "epsilon 0.1, 1." in sampled_curves.described_rates(shares())
    assert "rate 0.5: 9.307" in sampled_curves.described_epsilons(losses())
