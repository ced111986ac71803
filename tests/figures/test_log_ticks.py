"""Labels of logarithmic axes: at least two, inside, ascending, not too many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.figures.base.log_ticks import MOST, log_ticks


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
