"""Every quantity's interval is checked, stated once and named in the message."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.parameters import COUNT, DELTA, EPSILON, PARAMETERS, SIGMA


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
@pytest.mark.parametrize("value", [math.nan, -math.inf, 10**400, "1", None, True, [1.0], 1 + 0j, np.nan])
def test_what_is_no_number_of_the_interval_is_refused(parameter, value):
    with pytest.raises(ValueError, match=parameter.name) as caught:
        parameter.check(value)
    assert parameter.interval in str(caught.value)


def test_message_is_one_sentence_with_name_interval_and_value():
    with pytest.raises(ValueError) as caught:
        EPSILON.check(-0.2)
    assert str(caught.value) == "epsilon must be in [0, inf]; got -0.2"


def test_ends_are_admitted_unless_open():
    assert DELTA.check(0) == 0.0
    assert DELTA.check(1) == 1.0
    assert not SIGMA.admits(0.0)
    assert not SIGMA.admits(math.inf)
    assert COUNT.check(np.int64(7)) == 7
    assert not COUNT.admits(2.5)


@given(st.floats())
def test_scalar_and_array_checks_agree(value):
    for parameter in PARAMETERS:
        try:
            parameter.check_array([value])
        except ValueError:
            assert not parameter.admits(value)
        else:
            assert parameter.admits(value)
