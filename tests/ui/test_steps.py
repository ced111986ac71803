"""Steps of ten: whatever a press of + or − adds in the browser, the box goes up or down by factors of ten."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.ui.shell.steps import FIRST, LARGEST, STEP, stepped

POWERS = st.integers(-15, -1)


@given(POWERS, st.integers(1, 5))
def test_presses_multiply(power, presses):
    """Each press counts once, also where several come before the page is drawn again."""
    value = float(f"1e{power}")
    assert stepped([value], value + presses * STEP, LARGEST) == min(float(f"1e{power + presses}"), LARGEST)


def test_presses_from_an_older_value():
    """The browser still adds to what it showed before: 1e-7, while the box holds 1e-6 already."""
    assert stepped([1e-7, 1e-6], 1e-7 + 2 * STEP, LARGEST) == 1e-5
    assert stepped([1e-5, 1e-6], 1e-6 - STEP, LARGEST) == 1e-7


@given(st.floats(1e-12, 0.5), POWERS)
def test_what_is_typed_stays(typed, power):
    assume(abs(typed - float(f"1e{power}")) > 25 * STEP)
    assert stepped([float(f"1e{power}")], typed, LARGEST) == typed


@pytest.mark.parametrize(("presses", "value"), [(1, FIRST), (2, 10 * FIRST)])
def test_steps_up_from_zero(presses, value):
    assert stepped([0.0], presses * STEP, LARGEST) == pytest.approx(value, rel=1e-12)
