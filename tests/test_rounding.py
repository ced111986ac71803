"""What people read never promises more than what was computed."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.rounding import (
    next_above,
    probability_in_words,
    shown_budget,
    shown_delta,
    shown_down,
    shown_excess,
    shown_near,
    shown_rest,
    shown_share,
    shown_total,
    shown_up,
    shown_used,
)

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


@given(NUMBERS, st.floats(5e-324, 1e300))
def test_what_is_used_of_a_limit_is_rounded_up_however_much_it_is(total: float, limit: float):
    shown = read(shown_used(total, limit).removesuffix(" %"))
    exact = Fraction(Decimal(repr(total))) / Fraction(Decimal(repr(limit)))
    assert Fraction(shown) >= 100 * exact
    assert Fraction(shown) <= 100 * exact * Fraction(1011, 1000) + Fraction(1, 10)
    assert shown_used(math.inf, limit) == "∞ %"


@given(st.floats(0, 100))
def test_what_is_saved_is_told_to_the_nearest_tenth(percent: float):
    shown = shown_share(percent)
    if shown == "under 1 %":
        assert percent < 1
    else:
        told = Decimal(shown.removesuffix(" %"))
        assert abs(Decimal(repr(percent)) - told) <= Decimal("0.05") or Decimal(repr(percent)) > told == Decimal("99.9")
        assert (told == 100) == (percent == 100)


@given(st.floats(0, 1))
def test_delta_is_rounded_up(delta: float):
    """The δ shown is never smaller than δ."""
    assert read(shown_delta(delta)) >= Decimal(repr(delta))


@given(st.floats(1.1e-12, 0.5))
def test_odds_in_words_are_rounded_up(delta: float):
    """They are never rarer than δ."""
    ways = probability_in_words(delta).rsplit(" ", 1)[-1].replace(",", "")
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


@given(st.floats(-1e300, 1e300), st.integers(1, 9))
def test_what_is_no_cost_is_rounded_to_the_nearest(value: float, digits: int):
    """Half a unit of the last digit away at most, the sign kept, no e-08."""
    text = shown_near(value, digits)
    assert "e" not in text and text.startswith("−") == (value < 0)
    exact = abs(Decimal(repr(value)))
    assert abs(read(text.lstrip("−")) - exact) <= Decimal("0.5000001") * exact.scaleb(1 - digits)


@given(st.floats(1e-3, 1e5), st.one_of(st.floats(1 - 1e-7, 1 + 1e-7), st.floats(0, 2)))
def test_a_total_and_its_budget_are_shown_on_the_side_where_they_lie(limit: float, share: float):
    """Rounded up and down, and never across each other; what is left is the difference of what is shown."""
    total = limit * share
    shown, budget = (read(text.replace(",", "")) for text in (shown_total(total, limit), shown_budget(limit, total)))
    assert shown >= Decimal(repr(total)) and budget <= Decimal(repr(limit))
    assert (shown > budget) if total > limit else (shown <= budget or limit - total < 1e-11 * limit)
    if total <= limit:
        assert read(shown_rest(total, limit)) <= max(budget - shown, 0)


def test_special_values():
    """Zero and infinity have their own signs; NaN is refused."""
    assert (shown_up(0.0), shown_up(math.inf), shown_down(math.inf)) == ("0", "∞", "∞")
    with pytest.raises(ValueError, match="must be a number"):
        shown_up(math.nan)
