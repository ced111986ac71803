"""What people read never promises more than what was computed."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.rounding import delta_in_words, next_above, shown_delta, shown_down, shown_excess, shown_up

NUMBERS = st.floats(0, 1e300, allow_nan=False)
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> Decimal:
    """The number that a text shows."""
    if " × 10" in text:
        mantissa, power = text.split(" × 10")
        return Decimal(mantissa).scaleb(int(power.translate(PLAIN)))
    if any(sign in text for sign in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        return Decimal(1).scaleb(int(text[2:].translate(PLAIN)))
    return Decimal(text)


@given(NUMBERS)
def test_costs_are_rounded_up_and_remainders_down(value: float):
    """The number shown for a cost is never smaller than the cost, for a remainder never larger."""
    exact = Decimal(repr(value))
    assert read(shown_down(value)) <= exact <= read(shown_up(value))
    assert read(shown_up(value)) - exact <= Decimal("1.1e-3") * exact


@given(st.floats(0, 1))
def test_delta_is_rounded_up(delta: float):
    """The δ shown is never smaller than δ."""
    assert read(shown_delta(delta)) >= Decimal(repr(delta))


@given(st.floats(1.1e-12, 0.5))
def test_delta_in_words_is_rounded_up(delta: float):
    """Odds in words are never rarer than δ."""
    ways = delta_in_words(delta).rsplit(" ", 1)[-1].replace(",", "")
    assert delta * int(ways) * (1 - 1e-12) <= 1


@given(NUMBERS, NUMBERS)
def test_excess_is_rounded_up(total: float, limit: float):
    """What a plan is over by is never shown smaller than it is."""
    if total > limit:
        assert read(shown_excess(total, limit)) >= Decimal(repr(total)) - Decimal(repr(limit))


def test_next_above_is_what_is_shown():
    """A button does what it says."""
    assert next_above(0.0872557) == 0.08726
    assert next_above(math.inf) == math.inf


def test_special_values():
    """Zero and infinity have their own signs; NaN is refused."""
    assert (shown_up(0.0), shown_up(math.inf), shown_down(math.inf)) == ("0", "∞", "∞")
    with pytest.raises(ValueError, match="must be a number"):
        shown_up(math.nan)
