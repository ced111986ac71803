"""Labels of logarithmic axes: at least two, inside, ascending, not too many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.figures.base.log_ticks import MOST, labelled, log_ticks, one_digit_below


@given(st.floats(-12, 12), st.floats(0.01, 20))
def test_every_axis_has_two_labels_or_more(start: float, decades: float):
    low, high = 10.0**start, 10.0 ** (start + decades)
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= MOST + 1 and ticks == sorted(set(ticks))
    assert low * (1 - 1e-9) <= ticks[0] and ticks[-1] <= high * (1 + 1e-9)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((6.0, 25.0), [10.0, 20.0]),
        ((0.7, 16.0), [1.0, 2.0, 5.0, 10.0]),
        ((1.0, 1000.0), [1.0, 10.0, 100.0, 1000.0]),
        ((1e-9, 1.0), [1e-9, 1e-7, 1e-5, 1e-3, 0.1]),
    ],
)
def test_labels_are_round(ends: tuple[float, float], ticks: list[float]):
    assert log_ticks(*ends) == ticks


@given(st.floats(-30, 12), st.floats(0.01, 20))
def test_labels_of_an_axis_are_of_one_kind(start: float, decades: float):
    """Written out, or as powers of ten but for those below a hundred; never as a program writes them, never twice."""
    texts = labelled(log_ticks(10.0**start, 10.0 ** (start + decades)))["ticktext"]
    assert len(set(texts)) == len(texts) and not any("e" in text for text in texts)
    values = {text: text.replace(",", "") for text in texts if set(text) <= set("0123456789.,")}
    assert len(values) == len(texts) or all(1 <= float(value) < 100 for value in values.values())


@given(st.floats(1e-300, 1e300))
def test_a_label_near_the_end_lies_inside(value: float):
    """Not above the end, and not below half of it."""
    assert value / 2 * (1 - 1e-9) <= one_digit_below(value) <= value * (1 + 1e-8)
