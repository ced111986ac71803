"""Guarantees are checked values; groups pay more."""

import dataclasses
import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Guarantee
from tests.golden import DOUBLE


def test_it_is_frozen_and_checked():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Guarantee(1).epsilon = 2
    for bad in ((-1, 0), (math.nan, 0), (1, 1.1), (1, -1e-9), ("1", 0)):
        with pytest.raises(ValueError):
            Guarantee(*bad)


@given(st.floats(1e-6, 50), st.floats(1e-30, 1e-3), st.integers(1, 100))
def test_group_privacy_agrees_with_mpmath_from_above(epsilon, delta, size):
    group = Guarantee(epsilon, delta).for_group(size)
    exact_epsilon, exact = mpmath.mpf(epsilon), mpmath.mpf(delta)
    exact_delta = min(1, exact * mpmath.expm1(size * exact_epsilon) / mpmath.expm1(exact_epsilon))
    assert group.epsilon == pytest.approx(float(size * exact_epsilon), rel=1e-15)
    assert exact_delta * (1 - mpmath.mpf("1e-15")) <= group.delta <= exact_delta * (1 + DOUBLE)


def test_group_limits():
    assert Guarantee(0, 1e-6).for_group(10).delta == pytest.approx(1e-5, rel=1e-12)
    assert Guarantee(1, 1e-6).for_group(0) == Guarantee(0)
    assert Guarantee(0.5, 1e-6).for_group(1) == Guarantee(0.5, 1e-6)
    assert Guarantee(math.inf).for_group(3).promises_nothing
    assert Guarantee(1, 0).for_group(10**6).delta == 0
