"""μ and regret of the whole curve, against closed forms and against the definition searched directly."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz import ApproximateDP, DiscreteGaussian, Gaussian, Laplace, PrivacyLoss, RandomizedResponse, Subsampled
from dpviz.privacy_loss import gaussian_fit
from tests.effort import examples

SEARCHED = 2e-4  # the grid of the direct search, and the step of its Δ


def searched(tradeoff, mu: float) -> float:
    """The least Δ, to `SEARCHED`, with f(α + Δ) - Δ <= G_μ(α) at every α of a grid: the definition itself."""
    rates = np.linspace(0, 1, 5001)
    low, high = 0.0, 0.5
    while high - low > SEARCHED / 4:
        middle = (low + high) / 2
        shifted = np.minimum(rates + middle, 1.0)
        held = np.all(tradeoff(shifted) - middle <= norm.cdf(norm.isf(rates) - mu) + 1e-12)
        low, high = (low, middle) if held else (middle, high)
    return high


@given(st.lists(st.tuples(st.floats(0.2, 50), st.integers(1, 100)), min_size=1, max_size=3))
def test_gaussian_noises_are_one_gaussian(noises):
    """The squares of their μ add up, and there is no regret: μ is rounded up by less than a billionth."""
    fit = gaussian_fit(PrivacyLoss([Gaussian(sigma, 1) for sigma, _ in noises], [[count for _, count in noises]]))
    truth = math.sqrt(math.fsum(count / sigma**2 for sigma, count in noises))
    assert truth <= fit.mu <= truth * (1 + 1e-9) and fit.regret == 0 and fit.rarest == 0


@examples(20)
@given(st.floats(1e-3, 20))
def test_randomized_response_has_a_closed_form(epsilon):
    """Its one corner is where both error rates are 1/(1 + e^ε), so μ = 2 Φ⁻¹(1 - that) (Gomez et al., Prop. 6.1)."""
    fit = gaussian_fit(PrivacyLoss([RandomizedResponse(epsilon)], [[1]]))
    rate = 1 / (1 + math.exp(epsilon))
    truth = 2 * norm.isf(rate)
    assert truth <= fit.mu * (1 + 1e-12) and fit.mu == pytest.approx(truth, rel=1e-6) and fit.rarest == 0
    direct = searched(lambda rates: np.interp(rates, [0, rate, 1], [1, rate, 0]), truth)
    assert fit.regret == pytest.approx(direct, abs=SEARCHED)


def test_laplace_noise_alone():
    """Its trade-off is known (Dong, Roth & Su 2022, Prop. A.6); μ is the largest along it, the regret as searched."""
    epsilon = 1.0

    def tradeoff(rates):
        steep, middle = 1 - math.exp(epsilon) * rates, math.exp(-epsilon) / 4 / np.maximum(rates, 1e-300)
        flat = math.exp(-epsilon) * (1 - rates)
        return np.where(rates < math.exp(-epsilon) / 2, steep, np.where(rates <= 0.5, middle, flat))

    fit, rates = gaussian_fit(PrivacyLoss([Laplace(1 / epsilon)], [[1]])), np.linspace(1e-6, 0.5, 400_001)
    truth = (norm.isf(rates) + norm.isf(tradeoff(rates))).max()
    assert truth <= fit.mu <= truth * 1.0001
    assert fit.regret == pytest.approx(searched(tradeoff, truth), abs=SEARCHED)


def test_a_fit_as_others_publish_it():
    """DP-SGD with noise 9.4, rate 0.328, 2,000 steps: 1.56856 and 0.00102 by gdpnum 0.1.0, on a lattice of 1e-4."""
    fit = gaussian_fit(PrivacyLoss([Subsampled(Gaussian(9.4, 1), 0.328, "poisson")], [[2000]], 1e-4))
    assert fit.mu == pytest.approx(1.56856, rel=2e-4) and fit.regret == pytest.approx(0.00102, abs=2e-5)
    assert fit.rarest == 1e-10


@pytest.mark.parametrize(
    "loss",
    [
        PrivacyLoss([Laplace(10), Gaussian(3, 1)], [[10, 3]]),
        PrivacyLoss([DiscreteGaussian(3)], [[4]]),
        PrivacyLoss([RandomizedResponse(0.4), Laplace(2)], [[12, 1], [0, 9]]),
        PrivacyLoss([ApproximateDP(1.0, 1e-6)], [[2]]),
    ],
    ids=["mixed", "whole numbers", "parts", "leaks"],
)
def test_no_attack_does_better_than_against_that_gaussian(loss):
    """The trade-off, read from the engine by another search, lies above that of μ, and somewhere next to it."""
    fit, rates = gaussian_fit(loss), np.geomspace(1e-9, 0.5, 60)
    above = loss.tradeoff(rates) - norm.cdf(norm.isf(rates) - fit.mu)
    assert above.min() >= -1e-12 and 0 <= fit.regret <= 0.5
    assert gaussian_fit(loss) == fit


@pytest.mark.parametrize(
    ("mechanisms", "counts", "mu", "regret"),
    [([Laplace(1)], [[0]], 0.0, 0.0), ([ApproximateDP(0.0, 1.0)], [[1]], None, None), ([], [[]], 0.0, 0.0),
     ([Gaussian(0.01, 1)], [[1]], 100.0, 0.0)],
    ids=["unused", "all is lost", "nothing", "hardly any noise"],
)  # fmt: skip
def test_ends_are_answers(mechanisms, counts, mu, regret):
    fit = gaussian_fit(PrivacyLoss(mechanisms, counts))
    assert (fit.mu if fit.mu is None else round(fit.mu, 9), fit.regret) == (mu, regret)
