"""The frontier as a picture: every plan is a point, a line for each amount, readable at the extremes."""

import math

import pandas
import pytest

from dpviz.figures.plan.frontier import EMPTY, MOST_LINES, described, frontier


def plans(epsilon: list[float], error: list[float], uses: list[int], **columns: object) -> pandas.DataFrame:
    return pandas.DataFrame({"epsilon": epsilon, "error": error, "uses": uses, "measure": "largest"} | columns)


def test_structure(snapshot):
    """Lines by amount, the plan that is looked at, the budget and the axes."""
    frame = plans([1.0, 1.5, 2.0, 4.0], [0.5, 0.2, 0.4, 0.1], [12, 12, 52, 52], hover="<b>noise</b>\n2")
    figure = frontier(frame, chosen=2, budget=3.0)
    seen = {
        "traces": [(trace.name, trace.mode, trace.marker.symbol) for trace in figure.data],
        "points": [(list(trace.x), list(trace.y)) for trace in figure.data],
        "hover": list(figure.data[0].customdata[0]),
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": [note.text for note in figure.layout.annotations],
        "height": figure.layout.height,
    }
    assert seen == snapshot


@pytest.mark.parametrize("levels", [1, MOST_LINES, MOST_LINES + 1, 40])
def test_every_plan_is_a_point_once(levels):
    """Few amounts have a line each; of many, the fewest and the most have, and the others are points."""
    frame = plans([1.0 + n for n in range(80)], [1 / (1 + n) for n in range(80)], [n % levels for n in range(80)])
    figure = frontier(frame)
    assert sorted(x for trace in figure.data for x in trace.x) == frame.epsilon.tolist()
    assert len(figure.data) <= max(MOST_LINES, 3)


@pytest.mark.parametrize("budget", [0.0, math.inf, 1e9])
def test_extremes_are_drawn(budget):
    """One plan alone, or one beside a budget far away, has axes with two ticks or more."""
    figure = frontier(plans([2.0], [1e-9], [7]), 0, budget, dark=True)
    assert len(figure.layout.xaxis.tickvals) >= 2 and len(figure.layout.yaxis.tickvals) >= 2
    assert not figure.layout.shapes and not figure.layout.annotations


def test_nothing_is_said_not_drawn():
    figure = frontier(plans([], [], []))
    assert [note.text for note in figure.layout.annotations] == [EMPTY] and described(plans([], [], [])) == EMPTY
    assert [note.text for note in frontier(plans([0.0], [0.0], [0])).layout.annotations] == [EMPTY]


def test_in_words():
    text = described(plans([1.0, 2.0], [0.5, 0.1], [12, 52]), 1)
    assert "publish 12 to 52 numbers" in text and text.endswith("Looked at: epsilon 2, error 0.1.")
