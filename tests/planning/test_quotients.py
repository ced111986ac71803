"""Means that a sum and a count tell together: how far their quotient lies off, at the ends and by drawing."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Laplace, Plan, Release, Subsampled
from dpviz.planning.accuracy import half_width
from dpviz.planning.quotients import EACH, quotients

SUM = Release("Age, sum", Laplace(100.0, 90), kind="sum", lower=6.0, upper=90.0)
COUNT = Release("Age, count", Laplace(10.0, 1), kind="count")
DRAWS = 20_000
ERROR_OF_DRAWS = 3 * math.sqrt(0.05 * 0.95 / DRAWS)  # three deviations of the share that lies beyond


@given(st.floats(1, 1e4), st.floats(0.1, 100), st.floats(-90, 90), st.floats(0, 90), st.integers(100, 10**6))
def test_no_noise_within_both_ends_moves_the_quotient_further(scale: float, other: float, lower: float, width, people):
    """Whatever the mean is, and wherever both errors lie of which either is exceeded one time in forty."""
    upper = lower + width
    of_sum = replace(SUM, mechanism=Laplace(scale, max(abs(lower), abs(upper), 1)), lower=lower, upper=upper)
    found = quotients(Plan([of_sum, replace(COUNT, mechanism=Laplace(other, 1))], population=people))
    a, c = (half_width(Laplace(each), EACH) for each in (scale, other))
    assert bool(found) == (2 * c < people)
    if found:
        corners = [(e, f, mean) for e in (-a, a) for f in (-c, 0.0, c) for mean in (lower, upper, (lower + upper) / 2)]
        worst = max(abs((people * mean + e) / (people + f) - mean) for e, f, mean in corners)
        roundings = 1e-9 * max(abs(lower), abs(upper), 1.0)  # of the quotient here, whose parts nearly cancel
        assert worst <= found[0].half_width + roundings


def test_nineteen_of_twenty_draws_lie_within():
    """Of ages near the upper end, at which the count moves the mean most."""
    [found] = quotients(Plan([SUM, COUNT], population=2000))
    draw = np.random.default_rng(7)
    noisy = (2000 * 89.0 + draw.laplace(0, 100, DRAWS)) / (2000 + draw.laplace(0, 10, DRAWS))
    assert np.mean(np.abs(noisy - 89.0) > found.half_width) <= 0.05 + ERROR_OF_DRAWS
    assert "within ±1.88 of the mean" in str(found) and str(found).endswith("19 times of 20, for 2,000 values or more.")


def test_what_cannot_be_said_is_not_said():
    """Without bounds, a number of values, or times that agree; of samples, of ε alone, and of rows not released."""
    people = {"population": 2000}
    assert quotients(Plan([SUM, replace(COUNT, typical=500.0)], **people))[0].values == 500
    sampled = Subsampled(Gaussian(9.0, 1), 0.01, "poisson")
    others = (
        [SUM], [COUNT], [replace(SUM, name="Pay, sum"), COUNT], [replace(SUM, lower=None, upper=None), COUNT],
        [replace(SUM, part="north"), COUNT], [replace(SUM, count=0), COUNT], [SUM, replace(COUNT, mechanism=sampled)],
        [SUM, replace(COUNT, kind="histogram")], [SUM, replace(COUNT, count=2)], [replace(SUM, rows=10), COUNT],
        [SUM, COUNT, replace(COUNT, mechanism=Laplace(1.0, 1))], [replace(SUM, mechanism=Laplace(1.7e308, 90)), COUNT],
        [replace(SUM, name=", sum"), replace(COUNT, name=", count")], [SUM, replace(COUNT, typical=1e300)],
        [replace(SUM, mechanism=Laplace.from_epsilon(0.1), lower=None, upper=None), COUNT],
    )  # fmt: skip
    assert not any(quotients(Plan(rows, **people)) for rows in others)
    assert not quotients(Plan([SUM, COUNT])) and not quotients(Plan([SUM, COUNT], population=70))
