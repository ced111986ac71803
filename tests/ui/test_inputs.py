"""Typed lists: what they hold, and what is refused in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.ui.shell import inputs, page_state, typed
from dpviz.ui.shell.inputs import EPSILON, listed, within


@given(st.lists(st.floats(*EPSILON), min_size=1, max_size=100), st.sampled_from([",", "; ", " , ", ",,"]))
def test_a_list_is_read_as_it_was_written(numbers: list[float], mark: str):
    """Whatever stands between its numbers."""
    assert listed(mark.join(map(repr, numbers))) == numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the list must hold 1 to 100 numbers; got 0"),
        (", ".join(["0.1"] * 101), "the list must hold 1 to 100 numbers; got 101"),
        ("0.1,,-1", "each ε must be a number in [1e-06, 50]; got '-1'"),
        ("inf", "got 'inf'"),
        ("nan", "got 'nan'"),
        ("1e-999", "got '1e-999'"),
        ("60", "got '60'"),
    ],
)
def test_lists_refuse(text: str, said: str):
    """A list that is empty, too long, or holds what is no ε is refused in one sentence."""
    with pytest.raises(ValueError, match="must") as refused:
        listed(text)
    assert str(refused.value).endswith(said)


@pytest.mark.parametrize("text", ["", "0", "100", "1.5", "1,2,3,4,5", "inf", "-1"])
def test_sizes_refuse(text: str):
    """A list that is empty, too long, or holds no size below the population is refused in one sentence."""
    with pytest.raises(ValueError, match=r"must be (1 to 4 numbers|a whole number in \[1, 99\]); got"):
        listed(text, (1, 99), 4, "each sample size", "sample sizes", whole=True)


def test_a_long_text_is_shortened():
    """What is quoted back stays short."""
    with pytest.raises(ValueError, match="δ must be a number in") as refused:
        within("9" * 500, "δ", (0, 0.5))
    assert len(str(refused.value)) < 80


def test_a_comma_that_may_be_of_a_number_is_asked_for():
    """Between semicolons it is a decimal one; without them, and typed rather than linked, it is refused."""
    assert listed("0,5; 1,5") == listed("0.5, 1.5", unclear=True) == [0.5, 1.5]
    for text, whole in (("1,5", False), ("2, 1,5", False), ("1,000", True), ("60, 1,000", True)):
        with pytest.raises(ValueError, match="must have semicolons between numbers"):
            listed(text, (1, 9999), whole=whole, unclear=True)
    assert listed("60,70,80", (1, 99), whole=True, unclear=True) == [60, 70, 80]


@pytest.mark.parametrize("text", ["1 in 1,000", "1 in 1000", "One in a thousand", "0.001", "1e-3"])
def test_a_probability_may_be_told_as_odds(text: str):
    assert typed.probability(text, "δ", (0, 0.5)) == 0.001


@pytest.mark.parametrize("text", ["1 in", "one in a", "1 in 0", "2 in 10", "1 in 1.5 million", "1 in 1"])
def test_what_are_no_odds_is_refused(text: str):
    with pytest.raises(ValueError, match="δ must be"):
        typed.probability(text, "δ", (0, 0.5))


def test_a_change_of_a_box_that_is_gone_settles_nothing():
    """It may arrive when the page has drawn other boxes already."""
    inputs._settle("a box that is gone", "δ", (0, 0.5), typed.within)
    assert not page_state.holds("a box that is gone")
