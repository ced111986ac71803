"""Solving backwards and composing forward returns the budget from below, under every theorem."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    THEOREMS,
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    Plan,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    Subsampled,
    compose,
)
from dpviz.composition import calibrate, max_count
from dpviz.filters import FILTERS, Filter, runs_until_exhausted
from dpviz.planning.budgeting import solve_noise
from tests.effort import examples
from tests.strategies import DECLARED, MECHANISMS, PICKED

ROUNDED = 1e-9  # of conversions in doubles

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
@examples(8)
@given(BUDGETS, st.sampled_from([Laplace, Gaussian]), st.integers(1, 2000))
def test_noise_is_within_the_budget_and_less_is_not(key, budget, kind, count):
    noise = calibrate(kind, count, budget, key)
    assert total(noise, count, budget.delta, key) <= budget.epsilon
    assert total(with_less_noise(noise), count, budget.delta, key) > budget.epsilon


@every_theorem
@examples(8)
@given(BUDGETS, st.floats(0.001, 2), st.booleans())
def test_the_count_is_within_the_budget_and_one_more_is_not(key, budget, epsilon, gaussian):
    mechanism = Gaussian(4 / epsilon, 1) if gaussian else Laplace.from_epsilon(epsilon)
    count = max_count(mechanism, budget, key)
    assert total(mechanism, count, budget.delta, key) <= budget.epsilon
    assert total(mechanism, count + 1, budget.delta, key) > budget.epsilon


RATES, SCHEMES = st.sampled_from([0.5, 0.999, 1.0]), st.sampled_from(["poisson", "without_replacement"])
SAMPLES = st.builds(Subsampled, PICKED | DECLARED, RATES, SCHEMES)


@given(MECHANISMS | SAMPLES, BUDGETS, st.sampled_from(FILTERS), st.booleans(), st.sampled_from([0.0, 0.5]))
def test_what_is_admitted_along_the_way_fits_in_advance(mechanism, budget, rule, or_basic, kept):
    """By every rule of filters: as many uses, fixed in advance, cost no more than the budget."""
    kept = budget.delta * kept * rule.splits
    admitted = runs_until_exhausted(Filter(budget, rule.key, or_basic=or_basic, release_delta=kept), mechanism)
    count = min(admitted, 10**5)
    assert total(mechanism, count, budget.delta, None) <= budget.epsilon


@pytest.mark.parametrize(
    "mechanism",
    [
        Exponential(0.01),
        PermuteAndFlip(0.02),
        KaryRandomizedResponse(0.05, 10),
        Subsampled(Declared.zcdp(0.001), 0.999, "poisson"),
        Subsampled(Exponential(0.05), 0.99, "without_replacement"),
    ],
    ids=str,
)
def test_as_many_fit_in_advance_as_along_the_way(mechanism):
    budget = Guarantee(1, 1e-6)
    assert runs_until_exhausted(Filter(budget, "zcdp"), mechanism) <= max_count(mechanism, budget)


def test_pure_choices_are_read_by_their_own_curves():
    """No row of one mechanism lies above what its ρ and its Rényi curve prove; 100 picks, from outside, by their ρ."""
    for mechanism in (Exponential(0.1), PermuteAndFlip(0.1), ReportNoisyMax(0.1), KaryRandomizedResponse(0.1, 10)):
        assert mechanism.spared is mechanism
        for key, found in (("zcdp", 100 * mechanism.rho), ("rdp", None)):
            order = np.linspace(2, 60, 400)
            curve = order * found if found else 100 * mechanism.rdp(order)
            proved = (curve + np.log1p(-1 / order) - (math.log(1e-6) + np.log(order)) / (order - 1)).min()
            assert total(mechanism, 100, 1e-6, key) <= proved * (1 + ROUNDED)
    assert total(Exponential(0.1), 100, 1e-6, "zcdp") == pytest.approx(2.41891, abs=1e-5)
    assert total(Exponential(0.1), 100, 1e-6, None) <= 2.40020


@examples(2)
@given(st.floats(0.1, 30), st.floats(-10, -2), st.integers(1, 4), st.integers(1, 3))
def test_more_whole_noise_than_calibrated_stays_within(epsilon, power, count, sensitivity):
    """δ of discrete Gaussian noise does not fall with its σ; what is found is the last place where it crosses."""
    budget = Guarantee(epsilon, 10.0**power)
    noise = calibrate(DiscreteGaussian, count, budget, sensitivity=sensitivity)
    for more in (1.0, *np.geomspace(1.0, 4.0, 23)):
        assert total(DiscreteGaussian(noise.sigma * more, sensitivity), count, budget.delta, None) <= epsilon
    assert total(DiscreteGaussian(noise.sigma * 0.999, sensitivity), count, budget.delta, None) > epsilon


@examples(10)
@given(st.floats(8, 60), st.floats(1e-4, 0.1), st.floats(-30, -1), st.integers(1, 10))
def test_larger_whole_noise_hides_more(sigma, more, power, sensitivity):
    """From where on nothing is looked at."""
    less, larger = (DiscreteGaussian(size, sensitivity).epsilon(10.0**power) for size in (sigma, sigma * (1 + more)))
    assert larger <= less * (1 + ROUNDED)


@pytest.mark.parametrize("sampled", [False, True])
def test_a_plan_of_whole_noise_is_solved_at_its_last_crossing(sampled):
    """13.92 is met close to σ = 0.19, and again from 0.4225 on."""
    noise = DiscreteGaussian(1.0, 1)
    plan = Plan([Release("x", Subsampled(noise, 0.9, "poisson") if sampled else noise)], Guarantee(13.92, 1e-6))
    found = solve_noise(plan).plan.releases[0].mechanism
    assert found.base.sigma == pytest.approx(0.41 if sampled else 0.4225, rel=0.05)
    for more in np.geomspace(1.0, 3.0, 60):
        larger = DiscreteGaussian(found.base.sigma * more)
        larger = Subsampled(larger, 0.9, "poisson") if sampled else larger
        assert larger.epsilon(1e-6) <= 13.92


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
        (lambda: calibrate(RandomizedResponse, 1, Guarantee(1, 1e-6)), "must be Laplace, Gaussian or another with"),
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


@pytest.mark.parametrize(
    ("base", "rate", "scheme", "count", "budget"),
    [
        (Gaussian(1), 256 / 60_000, "poisson", 7050, Guarantee(3, 1e-5)),
        (Gaussian(1), 0.01, "poisson", 1000, Guarantee(1, 1e-6)),
        (Gaussian(5, 2), 0.1, "poisson", 100, Guarantee(8, 1e-9)),
        (Gaussian(1), 1e-4, "poisson", 10_000, Guarantee(0.1, 1e-8)),
        (Laplace(1), 0.05, "poisson", 100, Guarantee(2, 1e-6)),
        (Gaussian(1), 0.02, "without_replacement", 50, Guarantee(2, 1e-6)),
    ],
)
def test_noise_on_a_sample_is_the_least(base, rate: float, scheme: str, count: int, budget: Guarantee):
    """Within the budget as every total is quoted; 0.01 % less is not. The sensitivity is that of the mechanism."""
    found = calibrate(Subsampled(base, rate, scheme), count, budget)
    assert type(found.base) is type(base) and (found.rate, found.scheme) == (rate, scheme)
    assert found.base.sensitivity == base.sensitivity
    assert compose({found: count}, budget.delta).epsilon <= budget.epsilon
    less = replace(found, base=found.base.at_strength(found.base.strength * (1 - 1.2e-4)))
    assert compose({less: count}, budget.delta).epsilon > budget.epsilon


def test_noise_of_a_mechanism_is_that_of_its_kind():
    assert calibrate(Gaussian(3.0, 2.0), 10, Guarantee(1, 1e-6)) == calibrate(
        Gaussian, 10, Guarantee(1, 1e-6), sensitivity=2.0
    )
    for wrong in (RandomizedResponse(1.0), Subsampled(RandomizedResponse(1.0), 0.1, "poisson"), 3, "gaussian"):
        with pytest.raises(ValueError, match="with noise of its own"):
            calibrate(wrong, 10, Guarantee(1, 1e-6))
    with pytest.raises(ValueError, match="at rate 0"):
        calibrate(Subsampled(Gaussian(1), 0.0, "poisson"), 10, Guarantee(1, 1e-6))
