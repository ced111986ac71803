"""Outward rounding: whatever few operations did to a number, it ends beyond the true one, and not far beyond."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.outward import U, lowered, raised, roundings, slack

UNIT = Fraction(1, 2**53)
factors = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=12)
OPERATIONS = [*range(70), 899, 1000, 9008, 10**6, 2**26 - 2]


@given(factors, st.sampled_from("*/+"))
def test_the_true_number_is_passed(numbers, operation):
    """Products, quotients and sums, held against fractions."""
    computed, exact = numbers[0], Fraction(numbers[0])
    for each in numbers[1:]:
        computed = {"*": computed * each, "/": computed / each, "+": computed + each}[operation]
        exact = {"*": exact * Fraction(each), "/": exact / Fraction(each), "+": exact + Fraction(each)}[operation]
    many = len(numbers) - 1
    assert Fraction(lowered(computed, many)) <= exact <= Fraction(raised(computed, many))
    assert Fraction(raised(computed, many)) <= exact * (1 + (2 * many + 5) * UNIT)
    assert Fraction(lowered(computed, many)) >= exact * (1 - (2 * many + 4) * UNIT)


@given(st.floats(2.0, 4.0, exclude_max=True))
def test_all_that_operations_may_be_off_is_passed(value):
    """A number that is off by all of n u is moved past the true one, by a product that is rounded itself."""
    for many in OPERATIONS:
        low, high = Fraction(value) / (1 + many * UNIT), Fraction(value) / (1 - many * UNIT)
        assert Fraction(lowered(value, many)) <= low <= high <= Fraction(raised(value, many))


def test_arrays_and_shares():
    values = np.array([0.0, 0.3, 5.0, np.inf])
    assert np.array_equal(raised(values, 7), [raised(each, 7) for each in values.tolist()])
    assert np.array_equal(lowered(values, 7), [lowered(each, 7) for each in values.tolist()])
    for many in OPERATIONS:
        assert roundings(many * U) == many
        assert raised(1.0, many) >= 1 + slack(many) > 1 > lowered(1.0, many) == 1 - slack(many)
    assert all(roundings(error) * U >= error for error in (1e-15, 1e-13, 3e-11, math.pi * 1e-14))
