"""Several records of one unit: what the grouped mechanism loses is never less than what the records do together."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compose,
)
from dpviz.mechanisms.responses import grouped_pair
from tests.strategies import BOXES, EPSILONS, MECHANISMS

COPIES = st.integers(1, 1000)
SUMS = 1e-12  # of sums of masses in doubles
INTEGRAL = 1e-9  # of trapezoids over 20,000 places


@given(MECHANISMS)
def test_one_record_is_the_mechanism_itself(mechanism):
    assert mechanism.grouped(1).delta(0.3) == mechanism.delta(0.3)
    assert mechanism.grouped(1).stated == mechanism.stated


@given(EPSILONS, COPIES, st.floats(0, 3))
def test_noise_of_a_group_is_exact(epsilon, copies, share):
    """Answers that move by Δ with every record: the profile of the group, told apart from what makes the mechanism."""
    for mechanism in (Laplace.from_epsilon(epsilon), Laplace(1 / epsilon), Gaussian(1 / epsilon)):
        place = min(share * epsilon * copies, 700.0)
        together = float(mechanism.group_delta(np.array([copies]), place)[0])
        assert mechanism.grouped(copies).delta(place) == pytest.approx(together, rel=1e-9, abs=1e-14 * copies * epsilon)
    assert DiscreteLaplace(3.0, 2).grouped(copies) == DiscreteLaplace(3.0, 2 * copies)
    assert DiscreteGaussian(3.0, 2).grouped(copies) == DiscreteGaussian(3.0, 2 * copies)
    assert Laplace(5.0).grouped(copies).noise == Laplace(5.0).noise


@given(BOXES, st.integers(2, 40))
def test_pairs_add_up_along_a_chain(box, copies):
    """δ (1 + e^ε + ... + e^((m-1)ε)) at mε, added up at 50 digits."""
    group = grouped_pair(box.stated, copies).stated
    with mpmath.workdps(50):
        steps = mpmath.fsum(mpmath.exp(mpmath.mpf(box.stated.epsilon) * step) for step in range(copies))
        delta = min(mpmath.mpf(1), steps * mpmath.mpf(box.stated.delta))
        assert delta * (1 - mpmath.mpf("1e-15")) <= group.delta <= delta * (1 + mpmath.mpf("1e-11"))  # ε, typed or not
    assert group.epsilon == pytest.approx(copies * box.stated.epsilon, rel=1e-15)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 5.0, 300.0])
def test_far_pairs_stay_finite(epsilon):
    assert grouped_pair(ApproximateDP(epsilon, 1e-300).stated, 10**6).stated.delta <= 1
    assert NameAndShame(0.3).grouped(5).stated.delta == 1
    assert RandomizedResponse(epsilon).grouped(3) == RandomizedResponse(3 * epsilon)


@given(st.floats(0.01, 3), st.integers(1, 8), st.floats(0, 1))
def test_answers_of_several_records(epsilon, copies, share):
    """Each record flips its own answer: the sum of m losses of ±ε, exactly."""
    place, flipped = share * copies * epsilon, np.arange(copies + 1)
    losses = (copies - 2 * flipped) * epsilon
    masses = binom.pmf(flipped, copies, 1 / (1 + math.exp(epsilon)))
    truth = float((masses * -np.expm1(np.minimum(place - losses, 0.0))).sum())
    assert RandomizedResponse(epsilon).grouped(copies).delta(place) >= truth - SUMS


@given(st.floats(0.4, 5), st.floats(0.001, 0.9), st.integers(1, 6), st.floats(0, 4))
def test_several_records_in_a_poisson_sample(sigma, rate, copies, epsilon):
    """N(j, σ²) with j binomial, against N(0, σ²), integrated in both directions."""
    there = binom.pmf(np.arange(copies + 1), copies, rate)
    grouped = Subsampled(Gaussian(sigma), rate, "poisson").grouped(copies)
    places = np.linspace(-12 * sigma, copies + 12 * sigma, 20_001)
    step = places[1] - places[0]
    apart = places[:, None] - np.arange(copies + 1)
    density = np.exp(-(apart**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    mixed, alone = density @ there, density[:, 0]
    for one, other in ((mixed, alone), (alone, mixed)):
        truth = np.maximum(one - math.exp(epsilon) * other, 0.0).sum() * step
        assert grouped.delta(epsilon) >= truth * (1 - 1e-6) - INTEGRAL
    assert grouped.rate == pytest.approx(1 - (1 - rate) ** copies, rel=1e-12)


def test_a_sample_without_replacement_has_its_pair_or_a_reason():
    sampled = Subsampled(Laplace(1.0), 0.1, "without_replacement")
    assert sampled.grouped(3).stated.epsilon == pytest.approx(3 * sampled.stated.epsilon, rel=1e-12)
    with pytest.raises(ValueError, match="without replacement"):
        Subsampled(Gaussian(1.0), 0.1, "without_replacement").grouped(2)


@pytest.mark.parametrize("copies", [0, 2.5, "3", 10**7])
def test_bad_numbers_of_records_are_refused(copies):
    with pytest.raises(ValueError, match="copies must be"):
        Laplace(1.0).grouped(copies)


def test_a_plan_of_units():
    """Three records a day on thirty days: every sensitivity three times, every release thirty times."""
    plan = Plan([Release("Visits", Laplace.from_epsilon(0.1), 2), Release("Mean", Gaussian(5.0, 1))], unit="event")
    monthly = plan.of_units(3, 30, "user-month")
    assert [each.count for each in monthly.releases] == [60, 30]
    assert [each.mechanism for each in monthly.releases] == [Laplace.from_epsilon(0.3, 3.0), Gaussian(5.0, 3.0)]
    assert (monthly.unit, monthly.relation) == ("user-month", "add_remove")
    assert plan.of_units(1).releases == plan.releases
    single = Plan([Release("Visits", Laplace.from_epsilon(0.1))])
    assert compose(single.of_units(4), 0.0, "basic").epsilon == 0.4
    sampled = Plan([Release("SGD", Subsampled(Gaussian(1.0, 1), 0.01, "without_replacement"), 10)])
    assert sampled.of_units(1).relation == "replace_one"
    with pytest.raises(ValueError, match="days must be"):
        plan.of_units(1, 0)
