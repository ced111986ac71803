"""The answers of the composition page: exact counts, however few of them are drawn."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import THEOREMS, ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.composition import epsilon_curve
from dpviz.composition.crossings import first_below, largest_within
from dpviz.ui.composition import answer as composition_cache
from dpviz.ui.composition import words as composition_words
from dpviz.ui.composition.answer import chosen_counts, growth

CLOSED = [theorem.key for theorem in THEOREMS if composition_cache.is_closed(theorem)]
PLANS = {
    "laplace": Plan([Release("a", Laplace.from_epsilon(0.5))]),
    "mixed": Plan([Release("a", Laplace.from_epsilon(0.1), 2), Release("b", ApproximateDP(0.2, 1e-9))]),
}


@given(st.integers(1, 10**6), st.booleans(), st.lists(st.integers(1, 10**9), max_size=20))
def test_counts_cover_the_axis(times: int, log: bool, extra: list[int]):
    """Whole, ascending, from 1 to the end, few, and with those asked for."""
    counts = chosen_counts(times, log, extra)
    assert counts[0] == 1 and counts[-1] == times and (np.diff(counts) > 0).all()
    assert len(counts) <= 200 + len(extra)
    assert {count for count in extra if count <= times} <= set(counts.tolist())
    if times <= 200:
        assert len(counts) == times


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("times", "log"), [(150, False), (3000, False), (3000, True)])
def test_counts_are_exact(name: str, times: int, log: bool):
    """Crossings and what fits are those of the core, whether drawn, between two drawn, or beyond the axis."""
    grown = growth(PLANS[name], times, 1e-6, 4.0, log)
    crossed, fits = (frame.set_index("theorem")["count"] for frame in (grown.crossings, grown.fits))
    for key in CLOSED:
        if key != "basic":
            assert first_below(PLANS[name], key, 1e-6) == (None if pandas.isna(crossed[key]) else crossed[key])
        assert fits[key] == largest_within(PLANS[name], Guarantee(4.0, 1e-6), key)


def test_crossings_are_drawn():
    """Every crossing within the axis is a count of the curve, with basic's total there."""
    grown = growth(PLANS["laplace"], 5000, 0.1, None, True)
    drawn = set(grown.curve["count"])
    crossed = grown.crossings.dropna(subset="count")
    assert len(crossed) > 3 and set(crossed["count"]) <= drawn
    assert crossed.epsilon.tolist() == [0.5 * int(count) for count in crossed["count"]]


@pytest.mark.parametrize("theorem", [theorem for theorem in THEOREMS if theorem.key not in CLOSED])
def test_numerical_counts_stay_within_the_target(theorem):
    """What is said to fit does fit, and a little more does not, also beyond the axis."""
    plan, target = PLANS["laplace"], 9.0
    for times in (20, 400):
        count = int(growth(plan, times, 1e-6, target, False).fits.set_index("theorem")["count"][theorem.key])
        beyond = math.ceil(count * 1.01) + 1
        within, above = epsilon_curve(plan, [count, beyond], 1e-6, [theorem.key]).epsilon
        assert within <= target < above


def test_the_end_of_a_guarantee_is_exact():
    """Also where it lies between two counts that are drawn."""
    plan = Plan([Release("a", ApproximateDP(0.01, 1e-9))])
    ends = growth(plan, 50_000, 1e-6, None, True).ends
    assert ends["basic"] == 1000  # 1000 × 10⁻⁹ is all of 10⁻⁶
    assert ends["advanced"] == 999  # some δ must be left
    assert set(ends) == {theorem.key for theorem in THEOREMS}


def test_gaussian_noise_has_no_end():
    """Its δ is shared, however many there are."""
    assert not growth(Plan([Release("a", Gaussian(50))]), 1000, 1e-6, None, False).ends


@pytest.mark.parametrize(("epsilon", "last"), [(0.5, 3), (0.001, 999_999), (0.1, 99), (2.0, 0), (0.3, 11)])
def test_lecture_11s_regime_is_strict(epsilon: float, last: int):
    """ε < 1/√k, counted in decimals: 0.1 reaches 1/√100 and is not below it."""
    [*_, sentence] = composition_words.worth(Plan([Release("a", RandomizedResponse(epsilon))]), 1e-6)
    assert (f"k ≤ {last:,}." if last else "for no k.") in sentence
