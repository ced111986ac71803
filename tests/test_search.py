"""Every search ends on the side where its condition holds, next to where it does not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.search import farthest, first_between, first_count, last_count, least_scale, least_within

PLACES = st.integers(1, 10**9)
SECTIONS = st.sampled_from([1, 2, 16, 40])


@given(PLACES, st.integers(0, 2 * 10**9), SECTIONS)
def test_the_first_count_is_found_wherever_it_is_looked_for(place, guess, sections):
    assert first_count(lambda counts: counts >= place, 10**9, guess, sections) == place
    assert first_count(lambda counts: counts >= place, place - 1, guess, sections) is None if place > 1 else True
    assert first_between(lambda counts: counts >= place, -1, 10**9, sections) == place


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_last_count_holds_and_one_more_does_not(place, guess):
    assert last_count(lambda count: count <= place, 10**9, guess) == place


@given(st.floats(0, 1e300), st.floats(1e-300, 1e300))
def test_the_farthest_double_holds_and_the_next_does_not(place, other):
    assert farthest(lambda value: value <= place, 0.0, math.inf) == place
    low = place / 2
    assert farthest(lambda value: value > low, math.inf, 0.0) == math.nextafter(low, math.inf)
    assert farthest(lambda value: value < other, 0.0, 1e301) == math.nextafter(other, 0.0)


@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(0.5, 4), st.sampled_from([1e-3, 1e-6, 1e-12]))
def test_the_least_scale_is_within_the_limit_and_a_smaller_one_is_not(log_limit, log_start, power, precision):
    limit, start = math.exp(log_limit), math.exp(log_start)
    scale = least_within(lambda each: each**-power, start, limit, precision)
    assert scale**-power <= limit < (scale * (1 - 1.01 * precision - 4e-15)) ** -power  # and rounding of ln and exp


@given(st.floats(0.1, 10), st.floats(0.1, 100))
def test_a_jump_over_the_limit_is_met_from_the_safe_side(place, start):
    def total(scale, accuracy):
        return 1.0 if scale >= place else math.inf

    scale = least_scale(total, start, 2.0, 1e-9)
    assert place <= scale <= place * (1 + 1.01e-9)


def test_where_no_scale_or_every_scale_is_within_the_limit_there_is_none():
    for value in (0.5, 2.0, math.inf, math.nan):
        assert least_within(lambda scale, value=value: value, 1.0, 1.0, 1e-6) is None


@pytest.mark.parametrize("window", [1e-2, 1e-4])
def test_a_window_ends_the_search_early_and_within_the_limit(window):
    tried = []

    def total(scale):
        tried.append(scale)
        return 1 / scale + scale**-2

    scale = least_within(total, 3.0, 1.0, 1e-12, window)
    assert 1 - window <= 1 / scale + scale**-2 <= 1
    exact = []
    least_within(lambda each: exact.append(each) or 1 / each + each**-2, 3.0, 1.0, 1e-12)
    assert len(tried) < len(exact)
