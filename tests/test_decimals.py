"""The digits typed are summed exactly and rounded to the safe side."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.decimals import rounded_down, rounded_up, typed, weighted_sums


def test_typed_digits_count():
    assert typed(0.1) == Fraction(1, 10)
    assert rounded_up(typed(0.1) + typed(0.2)) == 0.3
    assert rounded_up(Fraction(1, 3)) > 1 / 3 or typed(1 / 3) >= Fraction(1, 3)
    assert rounded_up(Fraction(10) ** 400) == math.inf


@given(st.fractions(0, 10**6))
def test_rounding_is_outward(exact):
    assert typed(rounded_down(exact)) <= exact <= typed(rounded_up(exact))


def test_weighted_sums_of_no_rows_are_none():
    """However many digits the values have."""
    assert weighted_sums(np.zeros((0, 2), int), np.array([0.5, 1.2345678901234567e-5])) == []


@given(st.lists(st.tuples(st.integers(0, 10**9), st.floats(1e-12, 1e6)), min_size=1, max_size=5))
def test_weighted_sums_are_exact(pairs):
    counts = np.array([[count for count, _ in pairs]])
    values = np.array([value for _, value in pairs])
    assert weighted_sums(counts, values) == [sum(count * typed(value) for count, value in pairs)]
