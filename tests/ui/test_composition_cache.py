"""The composition page: how many counts its curves have, and what it says of Lecture 11."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Plan, RandomizedResponse, Release
from dpviz.ui.composition import words as composition_words
from dpviz.ui.composition.answer import chosen_counts


@given(st.integers(1, 10**6), st.booleans())
def test_counts_cover_the_axis(times: int, log: bool):
    """Whole, ascending, from 1 to the end, and few."""
    counts = chosen_counts(times, log)
    assert counts[0] == 1 and counts[-1] == times and (np.diff(counts) > 0).all()
    assert len(counts) <= 200
    if times <= 200:
        assert len(counts) == times


@pytest.mark.parametrize(("epsilon", "last"), [(0.5, 3), (0.001, 999_999), (0.1, 99), (2.0, 0), (0.3, 11)])
def test_lecture_11s_regime_is_strict(epsilon: float, last: int):
    """ε < 1/√k, counted in decimals: 0.1 reaches 1/√100 and is not below it."""
    [*_, sentence] = composition_words.worth(Plan([Release("a", RandomizedResponse(epsilon))]), 1e-6)
    assert (f"k ≤ {last:,}." if last else "for no k.") in sentence
