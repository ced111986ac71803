"""The privacy region: theorems lie around the mechanisms' own trade-off curve, never inside; the largest loss; laws."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from dpviz import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
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
    compare,
)
from dpviz.adversary import PairLoss
from dpviz.losses import LAWS, LossDistribution, law_of
from dpviz.losses.largest import joint_laplace, largest_losses, log10_probability
from dpviz.losses.region import corner, rates_to_draw, regions
from dpviz.losses.stated_laws import checked
from dpviz.plan import as_plan
from dpviz.privacy_loss import PrivacyLoss

RATES = np.linspace(0, 1, 41)
ENVELOPE = 1e-3  # accuracy of the profile from which curves are read
RELATIVE, DIFFERENCE = 2e-12, 2e-15  # rounding outward, and of differences of numbers about 1
ONE_OF_EACH = [
    Laplace(10.0), Gaussian(2.0), RandomizedResponse(0.5), ApproximateDP(0.5, 1e-3), NameAndShame(0.01),
    DiscreteLaplace(10.0), DiscreteGaussian(2.0), Exponential(0.5), KaryRandomizedResponse(0.5, 10),
    PermuteAndFlip(0.5), ReportNoisyMax(0.5),
]  # fmt: skip


@given(st.floats(0, 800), st.floats(0, 1))
@example(717.0, 0.0)
@example(740.0, 0.0)
def test_boundary_by_definition(epsilon, delta):
    """Convex, decreasing, symmetric, and nowhere above the definition."""
    least = PairLoss(Guarantee(epsilon, delta)).tradeoff(RATES)
    with mpmath.workdps(40):
        kept, odds = 1 - mpmath.mpf(delta), mpmath.exp(mpmath.mpf(epsilon))
        for rate, value in zip(RATES.tolist(), least.tolist(), strict=True):
            exact = max(mpmath.mpf(0), kept - odds * mpmath.mpf(rate), (kept - mpmath.mpf(rate)) / odds)
            assert exact * (1 - RELATIVE) - DIFFERENCE <= value <= exact
    assert (np.diff(least) <= 1e-15).all()
    if epsilon > 600:  # the corner lies below the smallest double
        return
    middle = corner(Guarantee(epsilon, delta))
    assert PairLoss(Guarantee(epsilon, delta)).tradeoff(middle) == pytest.approx(middle, rel=1e-9, abs=DIFFERENCE)


def test_boundary_without_guarantee():
    """No guarantee allows an attacker without errors."""
    assert PairLoss(Guarantee(math.inf)).tradeoff(RATES).max() == 0
    assert PairLoss(Guarantee(1.0, 1.0)).tradeoff(RATES).max() == 0


def test_trade_off_of_gaussian_noise():
    """The envelope stays below Φ(Φ^-1(1-α) - μ), closely."""
    loss = PrivacyLoss.of(Gaussian(1.0))
    exact = ndtr(ndtri(1 - RATES[1:-1]) - 1.0)
    mine = loss.tradeoff(RATES[1:-1])
    assert (mine <= exact * (1 + 1e-9)).all()
    assert (mine >= exact - ENVELOPE).all()


def test_trade_off_of_laplace_noise():
    """Laplace noise: the three branches of Dong, Roth & Su (2022), Prop. A.6, at ε = 1."""
    rates, epsilon = RATES[1:-1], 1.0
    low = rates < math.exp(-epsilon) / 2
    exact = np.where(low, 1 - math.exp(epsilon) * rates, np.exp(-epsilon) / (4 * rates))
    exact = np.where(rates > 0.5, math.exp(-epsilon) * (1 - rates), exact)
    mine = PrivacyLoss.of(Laplace(1.0)).tradeoff(rates)
    assert (mine <= exact * (1 + 1e-9)).all()
    assert (mine >= exact - ENVELOPE).all()


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=str)
@pytest.mark.parametrize("count", [1, 30])
def test_regions_are_nested(mechanism, count):
    """No theorem's guarantee promises more than the mechanisms keep: its line lies at or below their curve."""
    plan = as_plan({mechanism: count})
    frame = regions(compare(plan, 1e-6), PrivacyLoss.of(plan, 1e-3))
    table = frame.pivot(index="false_positive_rate", columns="theorem", values="false_negative_rate")
    assert frame.false_negative_rate.between(0, 1).all()
    for theorem in table.columns:
        assert (table[theorem] <= table["pld"] + ENVELOPE).all(), theorem


def test_rates_show_every_bend():
    """The corner of each guarantee is among the rates to draw."""
    pairs = [Guarantee(3.0, 1e-6), Guarantee(0.1)]
    assert {corner(each) for each in pairs} <= set(rates_to_draw(pairs))


@given(st.integers(1, 5000))
def test_largest_laplace_loss_is_rare(count):
    """Steinke's example: 2^-k, exactly."""
    assert log10_probability(Laplace(1.0), count) == pytest.approx(-count * math.log10(2), rel=1e-14)
    response = log10_probability(RandomizedResponse(0.3), count)
    assert response == pytest.approx(count * math.log10(math.exp(0.3) / (1 + math.exp(0.3))), rel=1e-12)


def test_delta_buys_nothing_before_it_exceeds_the_probability_of_the_largest_loss():
    """k ε stays up to k = 10; from k = 20 on, where 2^-k < 1e-6, ε falls visibly below it."""
    frame = largest_losses(Laplace.from_epsilon(0.1), [1, 10, 20, 100], 1e-6).set_index("count")
    assert (frame.epsilon <= frame.largest).all()
    assert frame.epsilon[10] > 0.99 * frame.largest[10]
    assert frame.epsilon[20] < 0.9 * frame.largest[20]
    assert frame.epsilon[100] == pytest.approx(4.69266888, rel=2e-6)


def test_largest_loss_counts_at_delta_zero():
    """At δ = 0 basic composition is optimal."""
    frame = largest_losses(Laplace.from_epsilon(0.1), [3, 50], 0.0)
    assert frame.epsilon.tolist() == frame.largest.tolist() == [0.3, 5.0]


@given(st.integers(1, 1000))
def test_joint_sensitivity_of_disjoint_answers(count):
    """Joint sensitivity k is basic composition; 1 is a single release."""
    each = Laplace.from_epsilon(0.1)
    assert joint_laplace(each, 1.0).stated.epsilon == 0.1
    assert joint_laplace(each, float(count)).stated.epsilon == pytest.approx(0.1 * count, rel=1e-15)
    assert joint_laplace(each, float(count)).scale == pytest.approx(each.scale, rel=1e-12)


def test_every_mechanism_has_its_law():
    """Each law is complete, and is found by its mechanism."""
    assert {law_of(mechanism).key for mechanism in ONE_OF_EACH} == {law.key for law in LAWS}
    for law in LAWS:
        assert all((law.label, law.statement, law.assumes, law.source))


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=str)
@pytest.mark.parametrize("count", [1, 20, 500])
def test_stated_laws_hold(mechanism, count):
    """What is stated is what is drawn."""
    rows = checked(LossDistribution.of(mechanism, count))
    assert rows[rows.formula != "claim"].agrees.all()


def test_the_margin_of_the_lecture_is_not_the_mean():
    """ε/2 is the limit of tanh(ε/2), not of the mean, which is about ε²/2."""
    claims = checked(LossDistribution.of(RandomizedResponse(0.1))).query("formula == 'claim'")
    assert claims.agrees.tolist() == [True, False]


@pytest.mark.parametrize(
    "call",
    [
        lambda: log10_probability(Gaussian(1.0), 3),
        lambda: largest_losses(Gaussian(1.0), [1], 1e-6),
        lambda: joint_laplace(Laplace(1.0), 0.0),
        lambda: PairLoss(Guarantee(1.0)).tradeoff(np.array([1.5])),
    ],
)
def test_refuses(call):
    with pytest.raises(ValueError, match="must be"):
        call()


def test_the_curve_of_the_mechanisms_holds_at_the_smallest_rates():
    """Five responses with ε = 6.29, caught by their kinks: once 250 times too bold at a rate of 1e-9."""
    each, count = 6.29, 5
    plan = Plan([Release("r", RandomizedResponse(each), count)])
    frame = regions(compare(plan, 1e-6), PrivacyLoss.of(plan)).query("theorem == 'pld'")
    truth = 1 / (1 + math.exp(-each))
    lies = np.arange(count + 1)
    ways = np.array([math.comb(count, lie) for lie in lies])
    power = np.cumsum(ways * (1 - truth) ** lies * truth ** (count - lies))
    level = np.cumsum(ways * truth**lies * (1 - truth) ** (count - lies))
    exact = 1 - np.interp(frame.false_positive_rate, np.append(0.0, level), np.append(0.0, power))
    miss = frame.false_negative_rate.to_numpy()
    assert (miss <= exact + 1e-12).all()
    assert (miss >= exact - 1e-6).all()
    small = (frame.false_positive_rate > 0) & (frame.false_positive_rate < 1e-8)
    assert (miss[small] >= 0.99 * exact[small]).all()
