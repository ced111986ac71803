"""The chart of totals: ranked, zero-based, complete."""

import math

import pandas
import pytest

from dpviz import Gaussian, Laplace, Plan, RandomizedResponse, Release, compare
from dpviz.figures.plan_totals import described, plan_totals

MOBILITY = Plan([Release("a", Laplace.from_epsilon(0.11), 12), Release("b", Laplace.from_epsilon(0.22), 6)])
PAIRS = ["basic", "advanced", "advanced_tight", "advanced_zcdp", "kov"]  # later theorems do not change the snapshots


def totals(plan: Plan, delta: float) -> pandas.DataFrame:
    frame = compare(plan, delta)
    return frame[frame.theorem.isin(PAIRS)]


def structure(figure) -> dict:
    """What a reader sees of a figure, without its numbers' last digits."""
    return {
        "bars": [(bar.type, bar.name, f"{bar.x[0]:.6g}", bar.marker.color) for bar in figure.data],
        "texts": [note.text for note in figure.layout.annotations],
        "axis": (figure.layout.xaxis.title.text, [f"{end:.6g}" for end in figure.layout.xaxis.range]),
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_structure(snapshot, delta: float):
    """Bars, texts and axis of a real plan."""
    assert structure(plan_totals(totals(MOBILITY, delta), 4.0, "user-day")) == snapshot


def test_dark_structure_differs_in_colour_only():
    """The dark chart says the same."""
    frame = totals(MOBILITY, 1e-6)
    light, dark = (structure(plan_totals(frame, 4.0, "user-day", ground)) for ground in (False, True))
    assert light.pop("bars") != dark.pop("bars")
    assert light == dark


@pytest.mark.parametrize(
    ("plan", "budget", "delta"),
    [
        (MOBILITY, math.inf, 1e-6),
        (MOBILITY, 0.0, 1e-6),
        (MOBILITY, 1e6, 1e-30),
        (Plan([]), 1.0, 1e-6),
        (Plan([Release("g", Gaussian(1.0))]), 1.0, 0.0),
        (Plan([Release("r", RandomizedResponse(50.0), 1_000_000)]), 4.0, 0.5),
        (Plan([Release("r", RandomizedResponse(1e-6))]), 4.0, 1e-6),
    ],
)
def test_extremes(plan: Plan, budget: float, delta: float):
    """Every theorem has its place, bars start at zero and end inside the axis."""
    frame = compare(plan, delta)
    figure = plan_totals(frame, budget, "<b>person</b>")
    start, end = figure.layout.xaxis.range
    assert start == 0 < end < math.inf
    assert sorted(bar.name for bar in figure.data) == sorted(frame.label)
    assert all(0 <= bar.x[0] <= end * (1 + 1e-12) for bar in figure.data)
    assert "<b>person" not in figure.layout.xaxis.title.text


def test_ranked_with_reasons_last():
    """The smallest proved total is on top; what does not apply is at the bottom, with its reason."""
    plan = Plan([Release("a", Laplace.from_epsilon(0.1), 3)], adaptive=True)
    texts = [note.text for note in plan_totals(compare(plan, 1e-6), 1.0, "person").layout.annotations]
    assert texts[0] == "<b>0.3</b> · Basic · tightest"
    assert any("does not apply" in text for text in texts)
    assert any(text.startswith("it holds for releases fixed in advance") for text in texts)


def test_described_in_words():
    """The alternative text has the totals, rounded up, and the budget."""
    text = described(totals(MOBILITY, 1e-6), 4.0, "user-day")
    assert "Basic at most 2.64 at delta 0" in text and "The budget is 4." in text
