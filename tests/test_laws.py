"""Laws that every theorem obeys, for random workloads that reach the extremes."""

import math

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.truth import drawn, failures
from dpviz import THEOREMS, ApproximateDP, Gaussian, Laplace, Plan, RandomizedResponse, Release, compare, compose
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta as noise_delta
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import examples
from tests.exact import black_box_delta, gaussian_delta
from tests.strategies import BOXES, COUNTS, EPSILONS, GAUSSIAN, WHOLE_DELTAS, workloads

ROUNDING = 1e-12  # relative: outward rounding of two answers that are equal in exact arithmetic
QUOTED = {"optimal": 1e-6, "pld": 1e-6}  # relative: the excess that a total of a numerical theorem is computed to
every_theorem = pytest.mark.parametrize("key", [theorem.key for theorem in THEOREMS])


def plan_of(workload):
    return Plan([Release(f"r{n}", mechanism, count) for n, (mechanism, count) in enumerate(workload)])


def total(workload, delta, key):
    return compose(plan_of(workload), delta, key).epsilon


def at_most(smaller, larger, tolerance=ROUNDING):
    return smaller <= larger * (1 + tolerance)


@given(workloads(), st.one_of(st.just(0.0), WHOLE_DELTAS))
def test_every_row_is_a_number_or_says_why_not(workload, delta):
    """Finite, or inf with a reason; never NaN, never more δ than allowed. Warnings are errors here."""
    frame = compare(plan_of(workload), delta)
    for row in frame.itertuples():
        assert row.epsilon >= 0
        assert row.delta <= delta
        assert math.isfinite(row.epsilon) == row.applies
        assert (row.reason == "") == row.applies
        assert row.kind in (("exact", "upper bound", "numerical upper bound") if row.applies else ("",))


@every_theorem
@examples(8)
@given(workloads(), WHOLE_DELTAS, st.integers(1, 1000))
def test_more_uses_never_cost_less(key, workload, delta, more):
    (mechanism, count), *rest = workload
    larger = total([(mechanism, count + more), *rest], delta, key)
    assert at_most(total(workload, delta, key), larger, QUOTED.get(key, ROUNDING))


@examples(10)
@given(workloads(), WHOLE_DELTAS, st.integers(1, 1000))
def test_what_is_surely_lost_is_never_above_the_total_of_more_uses(workload, delta, more):
    """The proved lower end of tight accounting, against the upper end of a plan that does more: no accuracy enters."""
    (mechanism, count), *rest = workload
    surely = PrivacyLoss.of(plan_of(workload)).epsilon_bracket(delta).lower
    assert at_most(surely, total([(mechanism, count + more), *rest], delta, "pld"))


@given(st.integers(0, 2**32))
@examples(1)  # a plan takes a second; benchmarks/truth.py tries thousands
def test_no_row_is_below_what_is_surely_lost_also_of_samples_and_beside_a_free_release(seed):
    _, below = failures(drawn(seed))
    assert below == []


@every_theorem
@given(EPSILONS, st.floats(1, 100), COUNTS, WHOLE_DELTAS)
def test_larger_epsilon_never_costs_less(key, epsilon, factor, count, delta):
    small, large = ([(RandomizedResponse(value), count)] for value in (epsilon, epsilon * factor))
    assert at_most(total(small, delta, key), total(large, delta, key))


@every_theorem
@examples(12)
@given(workloads(), WHOLE_DELTAS, WHOLE_DELTAS)
def test_smaller_delta_never_costs_less(key, workload, delta, other):
    low, high = sorted((delta, other))
    assert at_most(total(workload, high, key), total(workload, low, key))


@every_theorem
@examples(12)
@given(workloads(), WHOLE_DELTAS)
def test_order_is_irrelevant(key, workload, delta):
    forward, backward = total(workload, delta, key), total(workload[::-1], delta, key)
    assert forward == pytest.approx(backward, rel=ROUNDING)


@every_theorem
@examples(12)
@given(workloads(counts=st.integers(0, 6)), WHOLE_DELTAS)
def test_a_count_stands_for_that_many_releases(key, workload, delta):
    single = [(mechanism, 1) for mechanism, count in workload for _ in range(count)]
    assume(single)
    assert total(workload, delta, key) == pytest.approx(total(single, delta, key), rel=ROUNDING)


@given(workloads(), WHOLE_DELTAS)
def test_kov_is_never_above_basic_or_advanced_tight(workload, delta):
    kov = total(workload, delta, "kov")
    assert kov <= total(workload, delta, "basic")
    assert at_most(kov, total(workload, delta, "advanced_tight"))


@given(workloads(), WHOLE_DELTAS)
def test_the_advanced_forms_are_ordered(workload, delta):
    tight, half, plain = (total(workload, delta, key) for key in ("advanced_tight", "advanced_zcdp", "advanced"))
    assert at_most(tight, half)
    assert at_most(half, plain)


@every_theorem
@given(workloads(GAUSSIAN, st.integers(0, 10**6)), WHOLE_DELTAS)
def test_none_is_below_the_exact_gaussian_form(key, workload, delta):
    """The bound's ε is met by δ: the exact profile there is at most δ."""
    epsilon = total(workload, delta, key)
    mu = mpmath.sqrt(mpmath.fsum(count * mpmath.mpf(noise.mu) ** 2 for noise, count in workload))
    assume(mu > 0 and math.isfinite(epsilon))
    assert gaussian_delta(epsilon, mu) <= mpmath.mpf(delta) * (1 + mpmath.mpf(ROUNDING))


@every_theorem
@given(BOXES, st.integers(1, 150), WHOLE_DELTAS)
def test_none_is_below_the_binomial_form(key, box, count, delta):
    epsilon = total([(box, count)], delta, key)
    assume(math.isfinite(epsilon))
    exact = black_box_delta(epsilon, box.stated.epsilon, box.stated.delta, count)
    assert exact <= mpmath.mpf(delta) * (1 + mpmath.mpf(ROUNDING)) + mpmath.mpf("1e-50")


@given(workloads(), WHOLE_DELTAS)
def test_renyi_is_never_above_zcdp(workload, delta):
    assert at_most(total(workload, delta, "rdp"), total(workload, delta, "zcdp"))


@given(EPSILONS, WHOLE_DELTAS)
def test_a_pure_total_at_zero_delta_is_the_sum(epsilon, delta):
    plan = [Laplace.from_epsilon(epsilon), RandomizedResponse(epsilon), ApproximateDP(epsilon, 0.0)]
    assert compose(plan, 0.0).epsilon == pytest.approx(3 * epsilon, rel=1e-15)
    assert compose(plan, delta).epsilon <= compose(plan, 0.0).epsilon


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 50.0])
@pytest.mark.parametrize("count", [0, 1, 10**6])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.5])
def test_extremes(epsilon, count, delta):
    """Of every theorem: a number, or the one reason that there is for none."""
    for mechanism in (Laplace.from_epsilon(epsilon), Gaussian(1 / epsilon, 1), ApproximateDP(epsilon, 1e-37)):
        frame = compare(plan_of([(mechanism, count)]), delta)
        assert len(frame) == len(THEOREMS)
        for row in frame.itertuples():
            assert math.isfinite(row.epsilon) or (row.theorem, mechanism) == ("advanced", Gaussian(1 / 50, 1))
            assert math.isfinite(row.epsilon) or row.reason == "its ε exceeds the largest number a computer holds"
            if row.epsilon == 0 and count and row.theorem not in ("zcdp", "rdp", "optimal", "pld"):
                assert isinstance(mechanism, Gaussian)
                assert noise_delta(0, mechanism.mu * math.sqrt(count)) <= delta
