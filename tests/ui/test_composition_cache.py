"""The composition page: how many counts its curves have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.ui.composition.answer import chosen_counts


@given(st.integers(1, 10**6), st.booleans())
def test_counts_cover_the_axis(times: int, log: bool):
    """Whole, ascending, from 1 to the end, and few."""
    counts = chosen_counts(times, log)
    assert counts[0] == 1 and counts[-1] == times and (np.diff(counts) > 0).all()
    assert len(counts) <= 200
    if times <= 200:
        assert len(counts) == times
