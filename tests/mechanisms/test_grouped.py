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
CHORD = 0.05  # of ε, between two of its points
DIGITS = 1.1e-5  # points are written in six digits, rounded up
SUMS = 1e-12  # of sums of masses in doubles
INTEGRAL = 1e-9  # of trapezoids over 20,000 places


@given(MECHANISMS)
def test_one_record_is_the_mechanism_itself(mechanism):
    assert mechanism.grouped(1).delta(0.3) == mechanism.delta(0.3)
    assert mechanism.grouped(1).stated == mechanism.stated


@given(EPSILONS, COPIES)
def test_noise_of_a_group_is_exact(epsilon, copies):
    """Answers that move by Δ with every record."""
    assert Laplace.from_epsilon(epsilon).grouped(copies).stated.epsilon == pytest.approx(copies * epsilon, rel=1e-15)
    assert Gaussian(1 / epsilon, 1).grouped(copies) == Gaussian(1 / epsilon, copies)
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
    box = RandomizedResponse(epsilon).grouped(3)
    assert box == ApproximateDP(3 * epsilon, 0.0), "no randomized answers, which would be less noisy"
    exact = -math.expm1(-2 * epsilon) / (1 + math.exp(-3 * epsilon))  # (e^3ε - e^ε) / (1 + e^3ε)
    assert exact * (1 - SUMS) <= box.delta(epsilon) <= exact * (1 + SUMS)


@given(st.floats(0.01, 3), st.integers(1, 8), st.floats(0, 1))
def test_answers_of_several_records(epsilon, copies, share):
    """Each record flips its own answer: the sum of m losses of ±ε, exactly."""
    place, flipped = share * copies * epsilon, np.arange(copies + 1)
    losses = (copies - 2 * flipped) * epsilon
    masses = binom.pmf(flipped, copies, 1 / (1 + math.exp(epsilon)))
    truth = float((masses * -np.expm1(np.minimum(place - losses, 0.0))).sum())
    assert RandomizedResponse(epsilon).grouped(copies).delta(place) >= truth - SUMS


@given(st.floats(0.4, 5), st.floats(0.001, 0.9), st.integers(2, 6), st.floats(0, 4))
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


def of_neighbours(mechanism, copies, epsilon):
    """δ of `copies` neighbours in a row, each ε/j further: term by term."""
    each = epsilon / copies
    return min(1.0, math.fsum(math.exp(step * each) for step in range(copies)) * mechanism.delta(each))


def of_the_pair(mechanism, copies, epsilon):
    pair = mechanism.stated and grouped_pair(mechanism.stated, copies)
    return pair.delta(epsilon) if pair else 1.0


def of_any_drawn(mechanism, copies, epsilon):
    """δ of a Poisson sample of what reads all of them if it reads one."""
    if mechanism.relation != "add_remove":
        return 1.0
    rate = min(-math.expm1(copies * math.log1p(-mechanism.rate)) * (1 + SUMS), 1.0) if mechanism.rate < 1 else 1.0
    return Subsampled(mechanism.base.grouped(copies), rate, "poisson").delta(epsilon)


SAMPLES = st.builds(
    Subsampled, MECHANISMS, st.floats(1e-4, 1), st.sampled_from(["poisson", "without_replacement"])
)


@given(MECHANISMS | SAMPLES, st.integers(2, 80), st.floats(0, 1.2))
def test_one_answer_is_the_best_of_all_that_is_proved(mechanism, copies, share):
    """Of the group's pair, of neighbours in a row, and of a sample of all: ε at δ is within a chord of the least."""
    place = min(share * copies * min(mechanism.epsilon(1e-9), 20.0), 500.0)
    least = min(bound(mechanism, copies, place) for bound in (of_neighbours, of_the_pair, of_any_drawn))
    nearby = place * (1 + CHORD) + mechanism.delta(0.0) * CHORD
    assert mechanism.grouped(copies).delta(nearby) <= least * (1 + DIGITS) + SUMS


def test_two_records_of_sampled_answers_lose_twice_one():
    sampled = Subsampled(RandomizedResponse(0.5), 0.1, "poisson")
    assert sampled.grouped(2).stated.epsilon == pytest.approx(2 * sampled.stated.epsilon, rel=1e-15)
    assert compose(sampled.grouped(2), 1e-6).epsilon <= 0.12571
    steps = {Subsampled(Gaussian(1.0), 0.01, "poisson").grouped(2): 1000}
    assert compose(steps, 1e-6).epsilon < 5.6  # a sample in which one is both costs 27.3


@pytest.mark.parametrize("copies", [0, 2.5, "3", 10**7])
def test_bad_numbers_of_records_are_refused(copies):
    with pytest.raises(ValueError, match="copies must be"):
        Laplace(1.0).grouped(copies)


def test_a_plan_of_units():
    """Three records a day on thirty days: every sensitivity three times, every release thirty times."""
    plan = Plan([Release("Visits", Laplace.from_epsilon(0.1, 1), 2), Release("Mean", Gaussian(5.0, 1))], unit="event")
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
