"""Thresholding of unknown keys: against closed forms, many draws, and the pair of a small histogram itself."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    DiscreteGaussian,
    DiscreteLaplace,
    Filter,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    Subsampled,
)
from dpviz.composition import compare, compose
from dpviz.composition.spend import alone, savings
from dpviz.mechanisms.thresholding import Thresholding, threshold_for
from tests.effort import examples

SCALES = st.floats(0.3, 1000)
ROUNDING = 5e-12  # relative, of a tail and of outward rounding
NOISES = (Laplace(10.0), Gaussian(8.0, 2.0), DiscreteLaplace(10.0), DiscreteGaussian(8.0, 2))


def passes(mechanism, distance):
    """P[noise > distance], at many digits, of noise on real numbers."""
    with mp.workdps(40):
        if isinstance(mechanism, Laplace):
            return mp.exp(-mp.mpf(distance) / mp.mpf(mechanism.scale)) / 2
        return mp.erfc(mp.mpf(distance) / mp.mpf(mechanism.sigma) / mp.sqrt(2)) / 2


@given(SCALES, st.floats(0, 30), st.integers(1, 1000), st.booleans())
def test_delta_is_the_closed_form_rounded_up(scale, far, keys, laplace):
    mechanism = Laplace(scale) if laplace else Gaussian(scale)
    rule = Thresholding(mechanism, 1 + far * scale, keys)
    with mp.workdps(40):
        truth = -mp.expm1(keys * mp.log1p(-passes(mechanism, mp.mpf(rule.threshold) - 1)))
        near = 8 * (1 + far**2)  # ulps: the tail's relative change when the threshold's difference to 1 is rounded
        assert truth * (1 - near * 2**-52) <= rule.leak <= truth * (1 + ROUNDING + near * mp.mpf(2) ** -52)


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
@pytest.mark.parametrize("threshold", [20.0, 23.5])
def test_what_is_kept_is_counted(mechanism, threshold):
    rule, draws = Thresholding(mechanism, threshold, 3), 200_000
    for size in (mechanism.sensitivity, 15, 30.0):
        drawn = mechanism.sample(size, (draws, 3), np.random.default_rng(3)) > threshold
        share = rule.kept(size)
        assert drawn.mean() == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / draws / 3) + 1e-6)
        if size == mechanism.sensitivity:
            any_of = drawn.any(axis=1).mean()
            assert any_of == pytest.approx(rule.leak, abs=5 * math.sqrt(rule.leak / draws) + 1e-6)


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
@given(st.floats(-14, -0.4).map(lambda power: 10**power), st.integers(1, 50))
def test_the_threshold_found_is_the_least(mechanism, delta, keys):
    found = threshold_for(mechanism, delta, keys)
    assert found.leak <= delta
    if found.threshold > mechanism.sensitivity:
        less = found.threshold - (1 if mechanism.noise.pole is None else 1e-6 * found.threshold)
        if less >= mechanism.sensitivity:
            assert Thresholding(mechanism, less, keys).leak > delta * (1 - 1e-4)


@pytest.mark.parametrize("threshold", [3, 6])
@pytest.mark.parametrize("scale", [0.8, 2.0])
def test_the_cost_bounds_a_small_histogram(threshold, scale):
    """One unit with a key of its own and one that another holds: all outputs of both data sets, summed.

    What is published of a key is nothing, or its noisy count if that exceeds T. Alone: 1 + noise against no key at all.
    Shared: 2 + noise against 1 + noise.
    """
    mechanism, reach = DiscreteLaplace(scale), 120
    noise = {y: math.exp(-abs(y) / scale) * math.tanh(1 / (2 * scale)) for y in range(-reach, reach + 1)}

    def published(count):
        law = {"": sum(mass for y, mass in noise.items() if count + y <= threshold)}
        return law | {count + y: mass for y, mass in noise.items() if count + y > threshold}

    with_unit, without = (published(1), published(2)), ({"": 1.0}, published(1))
    rule = Thresholding(mechanism, threshold, 2)
    for epsilon in (0.0, 0.5 / scale, 1 / scale, 2 / scale, 3 / scale):
        for one, other in ((with_unit, without), (without, with_unit)):
            delta = sum(
                max(one[0].get(a, 0.0) * one[1].get(b, 0.0)
                    - math.exp(epsilon) * other[0].get(a, 0.0) * other[1].get(b, 0.0), 0.0)
                for a in {*one[0], *other[0]} for b in {*one[1], *other[1]}
            )  # fmt: skip
            if delta > rule.leak * (1 + 1e-9):
                assert compose(rule.uses, delta, "pld").epsilon >= epsilon * (1 - 1e-9)
            if epsilon >= 2 / scale:  # beyond all that the noise on two keys may lose, only the leak is left
                assert delta <= rule.leak * (1 + 1e-9)
    assert math.isclose(sum(noise.values()), 1, rel_tol=1e-9)


def test_every_theorem_reads_the_uses():
    rule = threshold_for(Gaussian(20.0), 1e-9, keys=4)
    frame = compare(rule.uses, 1e-6).set_index("theorem")
    assert frame.applies.all() and frame.epsilon["pld"] == frame.epsilon.min()
    alone = compose({Gaussian(20.0): 4}, 1e-6).epsilon
    assert alone <= frame.epsilon["pld"] <= alone * 1.001
    assert math.isinf(compose(rule.uses, 1e-10).epsilon)


@pytest.mark.parametrize("mechanism", NOISES, ids=str)
@given(st.floats(-12, -3).map(lambda power: 10**power), st.integers(1, 30))
@examples(6)
def test_what_it_says_of_itself_is_never_less_than_what_is_composed(mechanism, leak, keys):
    """Filters and groups read its own profile; plans and theorems read the uses, which are as much or less."""
    rule = threshold_for(mechanism, leak, keys)
    loss = PrivacyLoss(list(rule.uses), [list(rule.uses.values())], 1e-4)
    epsilons = np.linspace(0, 2, 5) * float(loss.epsilon(min(0.5, rule.leak * 10)))
    assert np.all(rule.delta(epsilons) >= loss.delta_bracket(epsilons).lower * (1 - ROUNDING))
    assert rule.spared.rho >= rule.keys * rule.base.rho * (1 - ROUNDING)
    assert rule.epsilon(rule.leak * (1 - 1e-9)) == math.inf


def test_a_row_costs_its_uses_wherever_a_plan_is_read():
    """Twice the rule beside other noise in two parts of the data: totals, what each costs and saves, along the way."""
    rule, other = Thresholding(Laplace(20.0, 1), 400.0, 4), Gaussian(30.0, 1)
    noise, leak = rule.uses
    budget, visits = Guarantee(2.0, 1e-6), Release("Visits", other, 3, "North")
    plan = Plan([Release("Words", rule, 2), visits, Release("Stays", rule, 1, "South")], budget)
    words = [Release("a", noise, 8), Release("b", leak, 2)]
    stays = [Release("c", noise, 4, "S"), Release("d", leak, 1, "S")]
    listed = Plan([*words, visits, *stays], budget)
    assert plan.workload()[0] == listed.workload()[0]
    frames = [compare(each, 1e-6).set_index("theorem").epsilon for each in (plan, listed)]
    assert frames[0].equals(frames[1])
    assert compose(plan.with_(adaptive=True)).epsilon == compose(listed.with_(adaptive=True)).epsilon
    assert PrivacyLoss([rule], [[2]]).epsilon(1e-6) == PrivacyLoss.of({rule: 2}).epsilon(1e-6)
    assert alone(plan, 1e-6)[0] == pytest.approx(compose({rule: 2}, 1e-6).epsilon, rel=1e-4)
    without = compose(plan.with_(releases=plan.releases[1:]), 1e-6).epsilon
    saved = savings(plan, 1e-6)[0]
    assert saved.share <= 100 * (1 - without / compose(plan, 1e-6).epsilon) + 0.1
    kept = Filter(Guarantee(0.5, 1e-6))
    assert kept.admits(rule) and not Filter(Guarantee(0.5, rule.leak / 2)).admits(rule)


def test_more_noise_keeps_the_leak():
    """Whatever is tried in place of the noise, by a search, a lever or another unit: never a likelier key."""
    rule = Thresholding(Laplace(10.0, 1), 150.0, 3)
    for other in (rule.at_strength(25.0), rule.bare(3.7), rule.scaled(Fraction(3, 2)), rule.over(Gaussian(12.0, 2.0))):
        assert 0.99 * rule.leak <= other.leak <= rule.leak and other.keys == rule.keys
    wide = Thresholding(Laplace(10.0, 1), 500.0)
    assert wide.grouped(5).epsilon(1e-6) >= 0.5 * (1 - ROUNDING) and wide.grouped(1) is wide


def test_uses_beyond_what_doubles_count_are_refused():
    rule = Thresholding(Laplace(1e9, 1), 1e12, 1_000_000)
    with pytest.raises(ValueError, match=r"uses of one mechanism must be at most 1e\+15"):
        compose(Plan([Release(f"{row}", rule, 10**9) for row in range(2)]), 1e-6)


@pytest.mark.parametrize(("build", "said"), [
    (lambda: Thresholding(Laplace(1.0), 0.5), r"threshold must be in \[1, inf\)"),
    (lambda: Thresholding(RandomizedResponse(1.0), 5.0), "must add noise to a count"),
    (lambda: Thresholding(Subsampled(Laplace(1.0), 0.5, "poisson"), 5.0), "must add noise to a count"),
    (lambda: Thresholding(Laplace(1.0), 5.0, 0), r"keys must be in \[1, 1000000\]"),
    (lambda: threshold_for(Laplace(1.0), 0.0), r"delta must be in \(0, 1\]"),
    (lambda: Thresholding(Laplace(1.0), 5.0).kept(-1.0), "size must be in"),
])  # fmt: skip
def test_what_is_no_thresholding_is_refused(build, said):
    with pytest.raises(ValueError, match=said):
        build()


@pytest.mark.parametrize("keys", [1, 2, 10])
@pytest.mark.parametrize("delta", [1.2e-6, 1.5e-6, 1e-4])
def test_the_lower_end_is_never_above_the_worst_of_own_and_shared_keys(keys: int, delta: float):
    """A key is the unit's alone, or others hold it as well: with j of its own, leak_j and the noise on the others."""
    rule = threshold_for(Gaussian(4.0, 1.0), 1e-6, keys)

    def lost(own: int, epsilon: float) -> float:
        alone = -math.expm1(own / keys * math.log1p(-rule.leak))
        noise = float(Gaussian(4.0, math.sqrt(keys - own)).delta(epsilon)) if own < keys else 0.0
        return alone + (1 - alone) * noise

    bracket = PrivacyLoss.of(rule).epsilon_bracket(delta)
    at = float(bracket.lower) * (1 - 1e-9)
    assert max(lost(own, at) for own in range(keys + 1)) > 0, "something is lost there"
    assert max(lost(own, at) for own in range(keys + 1)) >= delta, "what is called certainly lost is lost on some data"
    assert bracket.upper >= bracket.lower > 0
