"""Lower ends once above the truth, and upper ends once below it: found by reading the proofs, and by exact oracles."""

import mpmath as mp
import numpy as np
import pytest

from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.mechanisms.laws.loss_laws import LaplaceLaw, ResponseLaw, SampledLaw
from dpviz.privacy_loss import PrivacyLoss, optimal_bound, pld_bound
from dpviz.privacy_loss.bounds import law_bound
from dpviz.privacy_loss.profile import Composition

NEAR_A_LEAK = Subsampled(Gaussian(0.005), 0.01, "poisson")


@pytest.mark.parametrize(("mechanism", "count"), [(Laplace.from_epsilon(2000.0), 1), (Laplace.from_epsilon(2000.0), 2)])
def test_what_stands_in_for_laplace_noise_bounds_from_above_only(mechanism, count):
    ends = PrivacyLoss([mechanism], [[count]]).epsilon_bracket(0.3)
    exact = 2000 + 2 * mp.log1p(-mp.mpf(0.3)) if count == 1 else mp.mpf("3998.7383")
    assert ends.lower <= exact <= ends.upper + 1e-9


def test_what_stands_in_for_sampled_noise_bounds_from_above_only():
    for count in (1, 2):
        loss = PrivacyLoss([NEAR_A_LEAK], [[count]])
        assert loss.epsilon_bracket(0.005).lower < np.inf
        assert loss.delta_bracket(1e5).lower == 0.0
    assert PrivacyLoss([Subsampled(Gaussian(1.0), 1e-120, "poisson")], [[2]]).delta_bracket(50.0).lower == 0.0


@pytest.mark.parametrize("epsilon", [1.0, 30.0, 36.0])
@pytest.mark.parametrize("short", [1e-3, 1e-8, 1e-12, 2e-15])
def test_a_single_response_near_certainty(epsilon, short):
    delta = 1 - short
    with mp.workdps(60):
        left = mp.exp(epsilon) - mp.mpf(delta) * (1 + mp.exp(epsilon))  # δ(ε) = (e^ε0 - e^ε) / (1 + e^ε0)
        exact = max(mp.log(left), 0) if left > 0 else mp.mpf(0)
    ends = PrivacyLoss([ApproximateDP(epsilon, 0.0)], [[1]]).epsilon_bracket(delta)
    assert ends.lower <= exact <= ends.upper


def test_a_leak_that_only_one_side_has_is_not_credited():
    leaky = SampledLaw(ResponseLaw(0.0, 0.5), 0.9, "remove")
    assert law_bound([ResponseLaw(5.0, 0.0), leaky], np.array([[1, 1]]), 0.498, 1e-6).lower[0] <= 4.898359
    apart = Composition([SampledLaw(ResponseLaw(0.0, 1.0), 0.5, "remove"), LaplaceLaw(5.0)], np.array([1, 2]), 1e-6)
    assert apart.lower_delta(np.array([1.0]))[0] <= 0.975833


def test_what_is_no_double_is_not_surely_there():
    lower = PrivacyLoss([Laplace.from_epsilon(1.0)], [[2000]]).delta_bracket(np.array([1900.0, 1990.0, 1999.0])).lower
    assert np.all(lower == 0.0)


@pytest.mark.parametrize("loss", [PrivacyLoss([RandomizedResponse(0.5)], [[1]]), PrivacyLoss([Gaussian(32.0)], [[1]])])
def test_delta_at_negative_epsilon_is_rounded_up(loss):
    for epsilon in np.linspace(-30.0, -1e-3, 200):
        exact = -mp.expm1(mp.mpf(epsilon)) + mp.exp(mp.mpf(epsilon)) * mp.mpf(loss.delta_bracket(-epsilon).lower)
        assert loss.delta(epsilon) >= min(exact, 1)


def test_delta_of_a_black_box_is_rounded_up():
    each, leak, epsilon = 0.2, 1e-6, 0.19999999999999982
    pure = (mp.exp(mp.mpf(each)) - mp.exp(mp.mpf(epsilon))) / (1 + mp.exp(mp.mpf(each)))
    assert ApproximateDP(each, leak).delta(epsilon) >= leak + (1 - mp.mpf(leak)) * pure
    assert ApproximateDP(each, leak).delta(each) == leak


def test_the_leak_of_a_sample_is_no_typed_decimal():
    sampled = Subsampled(ApproximateDP(0.5, 2.7766992319945415e-08), 0.3, "without_replacement")
    assert pld_bound([sampled], [[1]], 8.330097695983623e-09).epsilon[0] == np.inf


VAST = ([ApproximateDP(1e16, 0.0), Laplace.from_epsilon(1.0)], [RandomizedResponse(7e9)])


@pytest.mark.parametrize("mechanisms", VAST)
def test_vast_losses_have_both_ends(mechanisms):
    bound = pld_bound(mechanisms, [[3] * len(mechanisms)], 1e-6)
    assert 0.99 * bound.epsilon[0] <= bound.lower[0] <= bound.epsilon[0]


def test_sums_beyond_doubles():
    bound = optimal_bound([1e308], [0.0], [[10]], 0.5)
    assert bound.epsilon[0] == np.inf
    assert bound.lower[0] > 1e307
    with pytest.raises(ValueError, match="inf"):
        optimal_bound([np.inf], [0.0], [[1]], 0.5)


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "delta"), [(1.6, 1.8e-8, 731, 2.9e-28), (1.06, 5.3e-6, 5401, 1.5e-29)]
)
def test_a_direction_that_decides_nothing_above_counts_below(sigma: float, rate: float, count: int, delta: float):
    """Where the worse direction is known roughly only, the other one may lose more for sure than it does."""
    sampled = Subsampled(Gaussian(sigma, 1), rate, "poisson")
    both = pld_bound([sampled], [[count]], delta)
    for law in sampled.laws():
        rough = law_bound([law], np.array([[count]]), delta, 0.02)
        assert rough.lower[0] <= both.lower[0] * (1 + 1e-6)  # of two grids
    assert 0 < both.lower[0] <= both.epsilon[0]
