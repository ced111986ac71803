"""The chart of totals: ranked, zero-based, complete."""

import math

import pandas
import pytest

from dpviz import Gaussian, Laplace, Plan, RandomizedResponse, Release, compare
from dpviz.figures.plan.plan_totals import described, plan_totals

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
        (Plan([Release("g", Gaussian(1.0, 1))]), 1.0, 0.0),
        (Plan([Release("r", RandomizedResponse(50.0), 1_000_000)]), 4.0, 0.5),
        (Plan([Release("r", RandomizedResponse(1e-6))]), 4.0, 1e-6),
    ],
)
def test_extremes(plan: Plan, budget: float, delta: float):
    """Every theorem has its place, bars start at zero and end inside the axis."""
    frame = compare(plan, delta)
    figure = plan_totals(frame, budget, "<b>person</b>")
    assert bool(figure.layout.xaxis.visible) == bool((frame.epsilon[frame.applies] > 0).any())
    if not figure.layout.xaxis.visible:
        return
    start, end = figure.layout.xaxis.range
    assert start == 0 < end < math.inf
    assert sorted(bar.name for bar in figure.data) == sorted(frame.label[frame.applies])
    told = " ".join(f"{note.text} {note.hovertext}" for note in figure.layout.annotations)
    assert all(label in told for label in frame.label)
    assert all(0 <= bar.x[0] <= end * (1 + 1e-12) for bar in figure.data)
    assert "<b>person" not in figure.layout.xaxis.title.text


def texts_of(figure) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def test_ranked_with_reasons_last():
    """The smallest proved total is on top; what does not apply is at the bottom, each reason told once."""
    plan = Plan([Release("a", Laplace.from_epsilon(0.1), 3)], adaptive=True)
    texts = texts_of(plan_totals(compare(plan, 1e-6), 1.0, "person"))
    assert texts[0] == "<b>0.3</b> · Basic · tightest"
    assert sum("not apply" in text for text in texts) == 1 and any(text.startswith("Advanced and ") for text in texts)
    assert sum(text.startswith("it holds for releases fixed in advance") for text in texts) == 1


def test_one_theorem_that_does_not_apply_is_named_alone():
    frame = totals(MOBILITY, 1e-6)
    frame.loc[frame.theorem == "kov", ["applies", "reason"]] = [False, "one reason"]
    texts = texts_of(plan_totals(frame, 1.0, "person"))
    assert "Kairouz-Oh-Viswanath · does not apply" in texts and "one reason" in texts


def test_nothing_to_draw_has_no_axis():
    """No scale from 0 to 1, no budget: a sentence."""
    nothing = plan_totals(compare(Plan([]), 1e-6), 1.0, "person")
    none = plan_totals(compare(Plan([Release("g", Gaussian(1.0, 1))]), 0.0), 1.0, "person")
    assert not nothing.layout.xaxis.visible and texts_of(nothing) == ["Every total is 0: nothing is spent."]
    assert not none.layout.xaxis.visible and "<b>No theorem gives a total.</b>" in texts_of(none)
    assert not any("budget" in text for text in texts_of(none))
    assert described(compare(Plan([]), 1e-6), 1.0, "person") == "Every total is 0: nothing is spent."


@pytest.mark.parametrize("budget", [0.1, 1.0, 2.64, 4.0])
def test_the_budget_runs_through_no_words(budget: float):
    """Its pieces end at the bars' upper edges; names stand above those."""
    figure = plan_totals(totals(MOBILITY, 1e-6), budget, "user-day")
    for place, piece in enumerate(figure.layout.shapes):
        assert place - 0.2 <= piece.y0 < piece.y1 <= place + 0.3


def test_described_in_words():
    """The alternative text has the totals, rounded up, and the budget."""
    text = described(totals(MOBILITY, 1e-6), 4.0, "user-day")
    assert "Basic at most 2.64 at delta 0" in text and "The budget is 4." in text
