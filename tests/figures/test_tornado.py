"""The tornado chart: around the present total, complete up to its limit, and silent about nothing."""

import math
import re

import pandas
import pytest

from dpviz import Gaussian, Laplace, NameAndShame, Plan, RandomizedResponse, Release, Subsampled
from dpviz.figures.plan.tornado import MOST_BARS, described, tornado
from dpviz.guarantee import Guarantee
from dpviz.planning.advice import levers

PLAN = Plan(
    [
        Release("<b>Visits</b>", Laplace.from_epsilon(0.1), 30),
        Release("Mean", Laplace.from_epsilon(0.5)),
        Release("Bit", RandomizedResponse(0.2), 2),
    ],
    Guarantee(4, 0.0),
)
MANY = Plan([Release(f"release {n}", Laplace(10.0 + n, 1), 3) for n in range(12)], Guarantee(4, 0.0))


def structure(figure) -> dict:
    """What a reader sees of a figure, without its numbers' last digits."""
    return {
        "bars": [
            (bar.name, bar.marker.color, bar.marker.pattern.shape, [f"{x:.6g}" for x in bar.x]) for bar in figure.data
        ],
        "texts": [note.text for note in figure.layout.annotations],
        "axis": (figure.layout.xaxis.title.text, [f"{end:.6g}" for end in figure.layout.xaxis.range]),
        "height": figure.layout.height,
    }


def test_structure(snapshot):
    """Bars, texts and axis of a plan whose totals are plain sums."""
    assert structure(tornado(levers(PLAN))) == snapshot


def test_dark_structure_differs_in_colour_only():
    """The dark chart says the same."""
    frame = levers(PLAN)
    light, dark = (structure(tornado(frame, ground)) for ground in (False, True))
    colours = [[bar[1] for bar in each["bars"]] for each in (light, dark)]
    assert colours[0] != colours[1] and len(set(colours[0])) == 2
    for each in (light, dark):
        each["bars"] = [(name, *rest) for name, _, *rest in each["bars"]]
    assert light == dark


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        MANY,
        Plan([Release("g", Gaussian(3.0, 1), 10**9)], Guarantee(4, 1e-30)),
        Plan([Release("r", RandomizedResponse(0.0))], Guarantee(4, 0.5)),
        Plan([Release("s", Subsampled(Gaussian(1.0, 1), 1.0, "poisson"), 7)], Guarantee(4, 1e-6)),
        Plan([Release("leak", NameAndShame(0.4)), Release("r", Laplace(1, 1))], Guarantee(4, 0.5)),
    ],
)
def test_bars_meet_at_the_present_total(plan: Plan):
    """Cheaper bars end left of the total, dearer ones right of it, all inside the axis, sorted by saving."""
    frame = levers(plan)
    figure = tornado(frame)
    total = frame.total.iloc[0]
    low, high = figure.layout.xaxis.range
    cheaper, dearer = figure.data
    assert low < total < high < math.inf
    assert set(cheaper.base) == set(dearer.base) == {total}
    assert all(low <= total + x <= total for x in cheaper.x)
    assert all(total <= total + x <= high for x in dearer.x)
    assert len(cheaper.x) == len(dearer.x) == min(len(frame), MOST_BARS)
    assert cheaper.marker.pattern.shape != dearer.marker.pattern.shape
    assert "not at 0" in figure.layout.xaxis.title.text


def test_names_are_shown_letter_by_letter():
    """Markup in a name is text, on the bars and over them."""
    figure = tornado(levers(PLAN))
    texts = [note.text for note in figure.layout.annotations] + [*figure.data[0].hovertext, *figure.data[1].hovertext]
    assert any("&lt;b&gt;Visits" in text for text in texts)
    assert not any("<b>Visits" in text for text in texts)


def test_hover_has_six_digits_of_the_totals():
    """Every bar tells its total, never below it, and what it saves, never above that."""
    frame = levers(PLAN)
    figure = tornado(frame)
    for text, row in zip(figure.data[0].hovertext, frame.itertuples(), strict=True):
        total, saved = map(float, re.findall(r"ε = (\S+)<br>saves (\S+)", text)[0])
        assert row.epsilon_less <= total <= row.epsilon_less * (1 + 1e-5)
        assert row.saving * (1 - 1e-5) <= saved <= row.saving
    for text, value in zip(figure.data[1].hovertext, frame.epsilon_more, strict=True):
        assert value <= float(text.split("ε = ")[1]) <= value * (1 + 1e-5)


def test_equal_releases_share_a_bar():
    """Forty equal releases are one bar per lever, which says how many it stands for."""
    plan = Plan([Release(f"region {n}", Laplace(10, 1)) for n in range(40)], Guarantee(4, 1e-6))
    figure = tornado(levers(plan))
    assert len(figure.data[0].x) == 2
    assert all("region 0 and 39 like it" in note.text for note in figure.layout.annotations)


def test_what_is_cut_is_said():
    """More than fifteen levers: the chart and its description say so."""
    frame = levers(MANY)
    assert len(frame) > MOST_BARS
    assert f"the {MOST_BARS} largest of {len(frame)}" in tornado(frame).layout.xaxis.title.text
    assert f"The {MOST_BARS} largest of {len(frame)} are named" in described(frame)


def test_a_dearer_step_without_a_total_is_cut_at_the_axis():
    """An infinite total on the dearer side is a bar to the end of the axis, and says so."""
    plan = Plan([Release("box", NameAndShame(0.3)), Release("r", Laplace(1.0, 1))], Guarantee(4, 0.5))
    frame = levers(plan)
    assert math.isinf(frame.epsilon_more.max()) and math.isfinite(frame.total.iloc[0])
    figure = tornado(frame)
    assert any("no finite total" in text for text in figure.data[1].hovertext)
    assert "no finite total" in described(frame)
    assert all(math.isfinite(x) for x in figure.data[1].x)


def test_nothing_to_draw_is_said():
    """Without a finite total there are no bars, but the step that repairs it; without releases there is a sentence."""
    leaking = Plan([Release("leak", NameAndShame(0.1)), Release("r", Laplace(1.0, 1))], Guarantee(4, 1e-6))
    figure = tornado(levers(leaking))
    assert not figure.data
    assert "leak: left out gives ε = 1" in figure.layout.annotations[0].text
    assert "leak: left out gives" in described(levers(leaking))
    hopeless = Plan([Release("a", Gaussian(1.0, 1)), Release("b", Gaussian(2.0, 1))], Guarantee(4, 0.0))
    assert "No single step makes it finite" in described(levers(hopeless))
    empty = levers(Plan([]))
    assert isinstance(empty, pandas.DataFrame) and not tornado(empty).data
    assert "nothing to change" in described(empty)


def test_described_in_words():
    """The alternative text has the total and both sides of every step."""
    text = described(levers(PLAN))
    assert "present total epsilon of 3.9" in text
    assert "<b>Visits</b>, 27 instead of 30 times: at most 3.6, saves 0.3" in text
