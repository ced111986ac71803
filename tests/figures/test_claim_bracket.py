"""The picture of a claim: its line, a bar per lane, ticks of theorems, and what it says in words."""

import math

import pandas as pd
import pytest

from dpviz.claims import StatedTotal, judge
from dpviz.claims.judgement import under_each_reading
from dpviz.figures.check.claim_bracket import claim_bracket, described
from dpviz.mechanisms import Gaussian, Laplace
from dpviz.rounding import shown_up

COLUMNS = ["kind", "key", "label", "lower", "upper", "verdict"]


def lanes(*ends: tuple[float, float], claimed: float = 1.0) -> pd.DataFrame:
    rows = [("released", "", f"lane {n}", low, high, "undecided") for n, (low, high) in enumerate(ends)]
    return pd.DataFrame([("claim", "", "claimed", claimed, claimed, "undecided"), *rows], columns=COLUMNS)


def test_bars_end_where_it_is_proved():
    """Solid up to what is certainly lost, hollow up to what is proved; theorems as ticks on the first lane."""
    found = judge({Laplace.from_epsilon(0.5, 1.0): 4}, StatedTotal(1.5))
    frame = found.frame(under_each_reading(found.plan, found.stated))
    figure = claim_bracket(frame)
    solid, hollow = figure.data[0], figure.data[1]
    assert solid.x[0] == found.ends.lower and hollow.base[0] + hollow.x[0] == pytest.approx(found.ends.upper)
    *ticks, claim = [trace for trace in figure.data if trace.type == "scatter"]
    assert (claim.name, claim.x[0]) == ("claimed", 1.5)
    assert claim.line.dash == "dot" and {shape.line.dash for shape in figure.layout.shapes} == {"dot"}
    assert {tick.x[0] for tick in ticks} <= set(frame.upper[frame.kind == "theorem"])
    assert ticks and {tick.y[0] for tick in ticks} == {0}
    assert any("claimed" in note.text for note in figure.layout.annotations)
    assert len(figure.layout.shapes) == (frame.kind.isin(("released", "reading"))).sum()


@pytest.mark.parametrize("claimed", [0.3, 1.5, 40.0])
def test_every_mark_is_named_and_lies_within_the_axis(claimed):
    """A legend names bars and ticks of theorems, once each; beyond the rightmost mark there is room."""
    found = judge({Laplace.from_epsilon(0.5, 1.0): 4}, StatedTotal(claimed, 1e-6))
    figure = claim_bracket(found.frame())
    named = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert figure.layout.showlegend and all(named) and len(named) == len(set(named)) > 2
    bars = [trace.x[0] + (trace.base or [0.0])[0] for trace in figure.data if trace.type == "bar"]
    ticks = [trace.x[0] for trace in figure.data if trace.type == "scatter"]
    assert 1.03 * max(claimed, *bars, *ticks) < figure.layout.xaxis.range[1]


@pytest.mark.parametrize("ends", [(0.0, math.inf), (math.inf, math.inf), (0.0, 0.0), (1e-9, 1e9)])
def test_ends_without_end_are_drawn_and_told(ends):
    """No bound, no finite ε, nothing at all, far apart: a finite axis, and a sentence."""
    figure = claim_bracket(lanes(ends, claimed=0.0 if ends == (0.0, 0.0) else 1.0))
    low, high = figure.layout.xaxis.range
    assert low == 0 < high < math.inf
    assert all(math.isfinite(value) for trace in figure.data for value in trace.x)
    assert "lane 0: " in described(lanes(ends))


def test_a_reading_far_beyond_is_cut():
    """The claim and the first lane stay readable beside a reading that costs a thousand times as much."""
    figure = claim_bracket(lanes((1.0, 1.1), (1000.0, 1001.0)))
    assert figure.layout.xaxis.range[1] < 20


def test_hostile_labels_are_letters():
    """A name may hold markup; nothing of it is drawn as such."""
    frame = lanes((1.0, 1.1)).replace("lane 0", "<b>x</b><script>")
    assert "<script>" not in str(claim_bracket(frame).to_dict())


def test_dark_and_light_have_their_colours():
    """The same picture in the colours of its ground."""
    frame = judge(Gaussian(1.0, 1.0), StatedTotal(9.0, 1e-6)).frame()
    assert claim_bracket(frame, dark=True).data[0].marker.color != claim_bracket(frame).data[0].marker.color


def test_theorems_that_prove_the_same_are_one_tick():
    """Which would hide each other; the smallest of them is named, with how many prove as much."""
    found = judge({Laplace.from_epsilon(0.5, 1.0): 4}, StatedTotal(1.5))
    frame = found.frame()
    told = frame[frame.kind == "theorem"]
    ticks = [trace for trace in claim_bracket(frame).data if trace.type == "scatter"][:-1]
    shown = [shown_up(tick.x[0]) for tick in ticks]
    assert len(shown) == len(set(shown)) < len(told)
    [two] = [tick for tick in ticks if shown_up(tick.x[0]) == "2"]
    alike = told[told.upper.map(shown_up) == "2"]
    assert two.x[0] == alike.upper.min() and two.name.endswith(f" +{len(alike) - 1}")
