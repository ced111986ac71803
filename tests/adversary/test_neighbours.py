"""The neighbour rule of numeric databases, with the notebook's own examples."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.adversary.neighbours import QUERIES, answers, check_neighbours, compared, database

COMPONENTS = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def test_the_notebooks_example_is_refused_with_the_rule():
    """A and B differ in two components: the page's own sentence about them is right, and the reason is shown."""
    held = compared([1, 2, 3, 4], [1, 2, 5, 8])
    assert not held.neighbours
    assert held.differing == (2, 3)
    assert "2 components" in held.reason and "exactly one" in held.reason
    with pytest.raises(ValueError, match="exactly one component by at most the sensitivity 1"):
        check_neighbours([1, 2, 3, 4], [1, 2, 5, 8], 1.0)


def test_the_repositorys_example_breaks_the_other_clause():
    held = compared([1, 2, 3, 4], [1, 2, 3, 8])
    assert not held.neighbours and held.differing == (3,) and held.distance == 4
    assert "at most 1" in held.reason


def test_the_notebooks_neighbours():
    assert compared([1, 28, 91], [2, 28, 91]).neighbours
    assert answers([1, 28, 91], [2, 28, 91], 1.0) == (1.0, 2.0)
    assert answers([1, 28, 91], [2, 28, 91], 1.0, "mean") == (40.0, pytest.approx(121 / 3))


def test_decimals_are_compared_as_typed():
    """1.1 - 1.0 exceeds 0.1 in floats; the typed numbers are neighbours at sensitivity 0.1, and not at 0.0999."""
    assert compared(1.0, 1.1, 0.1).neighbours
    assert not compared(1.0, 1.1, 0.0999).neighbours


@given(st.lists(COMPONENTS, min_size=1, max_size=6), st.data())
def test_rule(values, data):
    """Neighbours exactly when one component differs, by at most the sensitivity; the rule is symmetric."""
    place = data.draw(st.integers(0, len(values) - 1))
    step = data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.5]))
    other = list(values)
    other[place] = round(other[place] + step, 3)
    held = compared(values, other, 1.0)
    assert held.neighbours == (step in (0.5, 1.0))
    assert held.neighbours == compared(other, values, 1.0).neighbours
    if held.neighbours:
        for query in QUERIES:
            low, high = answers(values, other, 1.0, query.key)
            assert 0 < abs(high - low) <= 1.0 + 1e-9


@pytest.mark.parametrize("other", [[1.0, 2.0, 3.0], [1.0, 2.0], [1.0], 5.0])
def test_equal_and_longer_databases_are_no_neighbours(other):
    assert not compared([1.0, 2.0], other).neighbours


def test_a_bit_has_no_sensitivity():
    assert compared(1.0, 500.0, math.inf).neighbours
    assert not compared([0, 0], [1, 1], math.inf).neighbours


@pytest.mark.parametrize(
    "bad",
    [float("nan"), math.inf, [1.0, float("nan")], [], [[1.0]], "1", ["1"], True, None, [[1], [2, 3]], 10**400, 1e10],
)
def test_no_databases(bad):
    with pytest.raises(ValueError, match="must be"):
        database(bad)


@pytest.mark.parametrize("sensitivity", [0.0, -1.0, float("nan"), None])
def test_no_sensitivity(sensitivity):
    with pytest.raises(ValueError, match="sensitivity must be in"):
        compared(1.0, 2.0, sensitivity)


def test_unknown_query():
    with pytest.raises(ValueError, match="query must be one of component, sum, mean"):
        answers(1.0, 2.0, 1.0, "median")
