"""Corners that once crashed, hung or warned: each now has an answer. Warnings are errors in these tests."""

import math

import numpy as np
import pytest

from dpviz import (
    ApproximateDP,
    Gaussian,
    Laplace,
    NameAndShame,
    Plan,
    Release,
    Subsampled,
    compare,
    compose,
    epsilon_curve,
)
from dpviz.composition.conversions import epsilon_from_rdp_classical, epsilon_from_rho_classical, rho_from_guarantee
from dpviz.mechanisms.laws.gaussian_profile import gaussian_mu
from dpviz.rounding import probability_in_words

SAMPLED = Subsampled(Gaussian(8.5, 1), 0.01, "poisson")


def plan_of(*rows):
    return Plan([Release(f"r{n}", mechanism, count) for n, (mechanism, count) in enumerate(rows)])


@pytest.mark.parametrize("leak", [ApproximateDP(1e-4, 1e-9), ApproximateDP(0.1, 1e-6), NameAndShame(0.07)], ids=repr)
def test_a_leak_beside_a_sampled_release(leak):
    frame = compare(plan_of((leak, 1), (SAMPLED, 2)), 1e-6)
    assert (np.isfinite(frame.epsilon) == frame.applies).all()


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_sampling_nobody_or_everybody(rate):
    """Rate 1 is the base; rate 0 costs nothing."""
    sampled = Subsampled(Gaussian(1.0, 1), rate, "poisson")
    assert sampled.rdp(2.0) == pytest.approx(rate * Gaussian(1.0, 1).rdp(2.0), rel=1e-12)
    base = compose(Gaussian(1.0, 1), 1e-6).epsilon if rate else 0.0
    assert compose(plan_of((sampled, 1)), 1e-6).epsilon == pytest.approx(base, rel=1e-5)
    assert compare(plan_of((sampled, 3)), 1e-6).epsilon.notna().all()


@pytest.mark.parametrize("plan", [Plan([]), plan_of((Laplace(1.0), 0))])
def test_a_curve_of_nothing(plan):
    assert (epsilon_curve(plan, [0, 1], 1e-6).epsilon == 0).all()


def test_a_certain_leak():
    frame = epsilon_curve(plan_of((NameAndShame(1.0), 1), (Laplace(15.476, 1), 1)), [0, 1], 1e-6)
    assert set(frame.epsilon) == {0.0, math.inf}


def test_conversions_at_the_ends():
    assert rho_from_guarantee(1.0, 1.0) == math.inf
    assert epsilon_from_rho_classical(math.inf, 1) == math.inf
    assert epsilon_from_rdp_classical(2, 1, 0) == math.inf
    assert gaussian_mu(1.0, 0.0) == 0.0
    assert gaussian_mu(math.inf, 0.5) == math.inf
    assert 0 < gaussian_mu(1e300, 0.5) < math.inf


def test_tiny_probabilities_are_never_shown_smaller():
    assert probability_in_words(1.0000000000000001e-34) == "1 in 9.99 × 10³³"
    assert probability_in_words(1e-310) == "1 in 10³¹⁰"


def test_a_delta_too_small_for_a_double_is_not_pure():
    assert 0 < Gaussian(39.886).delta(2.861) < 1e-300
    assert Gaussian(39.886).delta(math.inf) == 0.0
