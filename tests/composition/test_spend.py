"""What each release costs alone."""

import math

import pytest
from hypothesis import given

from dpviz import Gaussian, Laplace, Plan, Release, compose
from dpviz.composition.spend import alone
from tests.strategies import WHOLE_DELTAS, workloads

PLOTTED = 2e-4  # relative accuracy of numerical theorems on charts, with room


@given(workloads(most=3), WHOLE_DELTAS)
def test_alone_is_what_a_plan_of_that_release_costs(workload, delta):
    """Each number is the smallest total of a plan of one release, to the accuracy of charts, and never below."""
    releases = [Release(f"r{row}", mechanism, count) for row, (mechanism, count) in enumerate(workload)]
    for release, spent in zip(releases, alone(Plan(releases), delta), strict=True):
        exact = compose(Plan([release]), delta).epsilon
        assert spent == pytest.approx(exact, rel=PLOTTED, abs=1e-12)
        assert spent >= exact * (1 - 2e-6)  # accuracy of the quoted total


def test_corners():
    """Nothing costs nothing; one release without a bound does not take away that of others."""
    assert alone(Plan([]), 1e-6).tolist() == []
    plan = Plan([Release("g", Gaussian(1.0)), Release("l", Laplace(10.0), 3), Release("none", Laplace(1.0), 0)])
    assert alone(plan, 0.0).tolist() == [math.inf, 0.3, 0.0]
