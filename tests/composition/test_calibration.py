"""Solving backwards and composing forward returns the budget from below, under every theorem."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    THEOREMS,
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    compose,
)
from dpviz.composition import calibrate, max_count

every_theorem = pytest.mark.parametrize("key", [*(theorem.key for theorem in THEOREMS), None])
BUDGETS = st.builds(
    lambda epsilon, delta: Guarantee(float(f"{10**epsilon:.4g}"), float(f"{10**delta:.4g}")),
    st.floats(-2, 1.3),
    st.floats(-12, -2),
)


def total(mechanism, count, delta, key):
    return compose(Plan([Release("x", mechanism, count)]), delta, key).epsilon


def with_less_noise(mechanism):
    """0.01 % less."""
    if isinstance(mechanism, Laplace):
        return Laplace(mechanism.scale * 0.9999, mechanism.sensitivity)
    return Gaussian(mechanism.sigma * 0.9999, mechanism.sensitivity)


@every_theorem
@given(BUDGETS, st.sampled_from([Laplace, Gaussian]), st.integers(1, 2000))
def test_noise_is_within_the_budget_and_less_is_not(key, budget, kind, count):
    noise = calibrate(kind, count, budget, key)
    assert total(noise, count, budget.delta, key) <= budget.epsilon
    assert total(with_less_noise(noise), count, budget.delta, key) > budget.epsilon


@every_theorem
@given(BUDGETS, st.floats(0.001, 2), st.booleans())
def test_the_count_is_within_the_budget_and_one_more_is_not(key, budget, epsilon, gaussian):
    mechanism = Gaussian(4 / epsilon, 1) if gaussian else Laplace.from_epsilon(epsilon)
    count = max_count(mechanism, budget, key)
    assert total(mechanism, count, budget.delta, key) <= budget.epsilon
    assert total(mechanism, count + 1, budget.delta, key) > budget.epsilon


def test_the_sensitivity_scales_the_noise():
    one, three = (calibrate(Gaussian, 10, Guarantee(1, 1e-6), "zcdp", size) for size in (1.0, 3.0))
    assert three.sigma == pytest.approx(3 * one.sigma, rel=1e-9)
    assert three.sensitivity == 3.0


def test_exact_decimals_fill_the_budget():
    assert max_count(Laplace.from_epsilon(0.002), Guarantee(0.2, 0.0)) == 100
    assert max_count(RandomizedResponse(0.1), Guarantee(0.3, 0.0), "basic") == 3
    assert calibrate(Laplace, 3, Guarantee(0.3), "basic").scale == pytest.approx(10, rel=1e-6)


def test_counts_that_nothing_limits_or_everything():
    assert max_count(RandomizedResponse(0.0), Guarantee(1, 1e-6)) == 10**9
    assert max_count(Laplace(1), Guarantee(math.inf, 1e-6)) == 10**9
    assert max_count(NameAndShame(1.0), Guarantee(1, 1e-6)) == 0
    assert max_count(ApproximateDP(0.1, 1e-7), Guarantee(5, 1e-6)) == 10
    assert max_count(Gaussian(1), Guarantee(1, 0.0)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calibrate(RandomizedResponse, 1, Guarantee(1, 1e-6)), "mechanism must be Laplace or Gaussian"),
        (lambda: calibrate(Laplace, 0, Guarantee(1, 1e-6)), "count must be at least 1"),
        (lambda: calibrate(Laplace, 1, Guarantee(math.inf, 1e-6)), r"in \(0, inf\)"),
        (lambda: calibrate(Laplace, 1, Guarantee(0, 1e-6)), r"in \(0, inf\)"),
        (lambda: calibrate(Gaussian, 1, Guarantee(1, 0.0)), "no finite ε at δ = 0"),
        (lambda: calibrate(Laplace, 1, Guarantee(1, 0.0), "zcdp"), "it needs δ above 0"),
        (lambda: max_count(Laplace(1), Guarantee(1, 1e-6), "magic"), "theorem must be one of"),
        (lambda: calibrate(Laplace, 1.5, Guarantee(1, 1e-6)), "count must be in"),
        (lambda: calibrate(Laplace, 1, Guarantee(1, 1e-6), "basic", math.nan), "sensitivity must be in"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
