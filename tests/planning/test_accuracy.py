"""Errors of noise: laws, the closed forms by another route, and simulation."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz import ApproximateDP, Gaussian, Laplace, NameAndShame, Plan, RandomizedResponse, Release, Subsampled
from dpviz.planning.accuracy import (
    LEFT_OUT,
    errors,
    half_width,
    joint_confidence,
    quantile_dots,
    scale_within,
    share_half_width,
    true_answers,
    why_no_width,
)

ROUNDED = 1e-13  # relative: what outward rounding of SciPy's inverses may add
TRIALS = 200_000
FIVE_DEVIATIONS = 5.0
SCALES = st.floats(-6, 6).map(lambda power: float(f"{10**power:.6g}"))
NOISE = st.one_of(SCALES.map(Laplace), SCALES.map(Gaussian))
CONFIDENCES = st.one_of(st.sampled_from([1e-9, 0.5, 0.8, 0.95, 0.99, 1 - 1e-9, 1 - 2**-53]), st.floats(1e-6, 1 - 1e-12))


def inside(mechanism, width) -> mpmath.mpf:
    """How often one use lies within ±width, to 40 digits."""
    width = mpmath.mpf(width)
    if isinstance(mechanism, Laplace):
        return -mpmath.expm1(-width / mpmath.mpf(mechanism.scale))
    return mpmath.erf(width / mpmath.mpf(mechanism.sigma) / mpmath.sqrt(2))


@given(NOISE, CONFIDENCES)
def test_the_half_width_is_the_least_that_is_sure_enough(mechanism, confidence):
    """Within ±w lies at least the confidence, and a little less would not do."""
    with mpmath.workdps(40):
        width = half_width(mechanism, confidence)
        assert inside(mechanism, width) >= mpmath.mpf(confidence)
        assert inside(mechanism, width * (1 - ROUNDED)) <= mpmath.mpf(confidence)


@given(NOISE, CONFIDENCES, st.sampled_from([2.0, 10.0]))
def test_more_noise_or_more_sureness_is_wider(mechanism, confidence, times):
    """The half width grows with the noise in proportion, and with the confidence."""
    kind = type(mechanism)
    scale = next(iter(mechanism.parameters.values()))
    assert half_width(kind(scale * times), confidence) == pytest.approx(
        times * half_width(mechanism, confidence), rel=ROUNDED
    )
    assert half_width(mechanism, confidence / 2) < half_width(mechanism, confidence)


@given(st.sampled_from([Laplace, Gaussian]), SCALES, CONFIDENCES)
def test_the_scale_within_is_the_inverse_and_on_the_safe_side(kind, width, confidence):
    """Noise of the returned scale stays inside; a little more would not."""
    scale = scale_within(kind, width, confidence)
    with mpmath.workdps(40):
        assert inside(kind(scale), width) >= mpmath.mpf(confidence)
        assert inside(kind(scale * (1 + 2 * ROUNDED)), width) <= mpmath.mpf(confidence)
    assert half_width(kind(scale), confidence) <= width * (1 + ROUNDED)


@given(CONFIDENCES, st.one_of(st.sampled_from([0, 1, 2, 10, 10**6, 10**9]), st.integers(1, 10**6)))
def test_all_numbers_together_are_as_sure_as_asked(confidence, uses):
    """The joint confidence is reached by that many independent numbers, and is the next double above the exact one."""
    each = joint_confidence(confidence, uses)
    assert confidence <= each <= 1
    with mpmath.workdps(60):
        assert mpmath.mpf(each) ** max(uses, 1) >= mpmath.mpf(confidence)
        exact = mpmath.mpf(confidence) ** (mpmath.mpf(1) / max(uses, 1))
        assert each - exact <= 4 * 2**-53 + (1 - exact) * ROUNDED


@pytest.mark.parametrize("mechanism", [Laplace(3.0), Gaussian(2.0), Laplace.from_epsilon(0.11, 2.0)])
def test_simulation_agrees(mechanism):
    """Mean distance and share inside ±w of simulated releases agree within five standard deviations."""
    draws = np.abs(mechanism.sample(0.0, TRIALS, np.random.default_rng(2026)))
    for confidence in (0.5, 0.95, 0.99):
        share = float((draws <= half_width(mechanism, confidence)).mean())
        spread = math.sqrt(confidence * (1 - confidence) / TRIALS)
        assert abs(share - confidence) <= FIVE_DEVIATIONS * spread
    spread = float(draws.std()) / math.sqrt(TRIALS)
    assert abs(float(draws.mean()) - mechanism.noise.mean_distance) <= FIVE_DEVIATIONS * spread


def test_joint_intervals_hold_jointly():
    """Ten releases lie within their ±w at once in 95 % of simulated runs, within five standard deviations."""
    mechanism, runs = Laplace(1.0), 50_000
    width = half_width(mechanism, joint_confidence(0.95, 10))
    draws = np.abs(mechanism.sample(0.0, (runs, 10), np.random.default_rng(11)))
    share = float((draws <= width).all(axis=1).mean())
    assert abs(share - 0.95) <= FIVE_DEVIATIONS * math.sqrt(0.95 * 0.05 / runs)


@given(NOISE, st.integers(1, 100))
def test_dots_stand_for_all_releases(mechanism, dots):
    """Sorted, on both sides, and as many of them within ±w as the confidence says."""
    places = quantile_dots(mechanism, dots)
    assert len(places) == dots and (np.diff(places) > 0).all()
    assert abs(int((places > 0).sum()) - int((places < 0).sum())) <= 1
    for kept in range(1, dots):
        assert int((np.abs(places) <= half_width(mechanism, kept / dots)).sum()) == kept


def test_dots_follow_the_distribution():
    """A fifth of all simulated distances lies between every fourth of 20 dots."""
    mechanism = Gaussian(2.0)
    edges = np.sort(np.abs(quantile_dots(mechanism, 5)))
    draws = np.abs(mechanism.sample(0.0, TRIALS, np.random.default_rng(7)))
    for below, edge in zip((0.1, 0.3, 0.5, 0.7, 0.9), edges, strict=True):
        spread = math.sqrt(below * (1 - below) / TRIALS)
        assert abs(float((draws <= edge).mean()) - below) <= FIVE_DEVIATIONS * spread


def test_a_sampled_release_counts_with_the_noise_of_its_base():
    """Sampling adds an error of its own, which is left out and said to be."""
    assert half_width(Subsampled(Gaussian(2.0), 0.01, "poisson")) == half_width(Gaussian(2.0))
    assert "sampling" in LEFT_OUT and "Clipping" in LEFT_OUT


PLAN = Plan(
    [
        Release("visits", Laplace(10.0, 1), 4, typical=20.0),
        Release("ages", Gaussian(1.0, 1), typical=40.0),
        Release("unknown size", Laplace(1.0, 1)),
        Release("answer", RandomizedResponse(1.0)),
        Release("box", ApproximateDP(0.1, 1e-9)),
        Release("leak", NameAndShame(1e-9)),
        Release("sampled answer", Subsampled(RandomizedResponse(1.0), 0.1, "without_replacement")),
    ]
)


def test_the_frame_says_what_is_known():
    """One row per release; a reason where there is no noise; the flag only where the noise exceeds the signal."""
    frame = errors(PLAN)
    assert frame.row.tolist() == list(range(7)) and frame.uses.tolist() == [4, 1, 1, 1, 1, 1, 1]
    assert frame.noisy.tolist() == [True, False, False, False, False, False, False]
    assert [bool(reason) for reason in frame.reason] == [False, False, False, True, True, True, True]
    assert frame.half_width.iloc[3] is None and frame.relative.iloc[2] is None
    assert not frame.isin([math.nan]).to_numpy().any()
    assert frame.relative.iloc[0] == pytest.approx(half_width(Laplace(10.0)) / 20, rel=ROUNDED)
    assert errors(Plan([])).empty


def test_no_noise_is_refused_with_a_reason():
    """Mechanisms without additive noise have no half width."""
    assert Laplace(1).why_no_noise == "" and "randomized by itself" in RandomizedResponse(1).why_no_noise
    for function in (half_width, quantile_dots):
        with pytest.raises(ValueError, match="mechanism must add Laplace or Gaussian noise; got"):
            function(RandomizedResponse(1.0))


@pytest.mark.parametrize("confidence", [0.0, -0.1, 1.1, math.nan, True, "0.95"])
def test_bad_confidences_are_refused(confidence):
    """Confidence lies in (0, 1]."""
    for call in (
        lambda: half_width(Laplace(1), confidence),
        lambda: scale_within(Laplace, 1.0, confidence),
        lambda: joint_confidence(confidence, 2),
        lambda: errors(PLAN, confidence),
    ):
        with pytest.raises(ValueError, match=r"confidence must be in \(0, 1\]; got"):
            call()


def test_bad_widths_kinds_and_numbers_are_refused():
    """Each refusal names the interval."""
    with pytest.raises(ValueError, match=r"half_width must be in \(0, inf\); got 0"):
        scale_within(Laplace, 0)
    with pytest.raises(ValueError, match="kind must be Laplace or Gaussian; got 'laplace'"):
        scale_within("laplace", 1.0)
    with pytest.raises(ValueError, match="dots must be in"):
        quantile_dots(Laplace(1), 0)
    with pytest.raises(ValueError, match="uses must be in"):
        joint_confidence(0.95, -1)


def test_certainty_has_no_width():
    """Unbounded noise never stays inside for sure."""
    assert half_width(Laplace(1), 1.0) == math.inf and scale_within(Gaussian, 1.0, 1.0) == 0
    assert half_width(Laplace(5e-324, 5e-324), 1e-6) > 0


NORMAL = 0.012  # by so much the normal distribution misses the 95 % of a thousand or more answers


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("answers", [1000, 20_000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_randomized_answers_lies_as_near_as_told(epsilon: float, answers: int, share: float):
    """By the exact distribution of the given answers: the sum of two binomial ones, of the true yes and the true no."""
    response = RandomizedResponse(epsilon)
    width, kept = share_half_width(response, answers), true_answers(response) / 100
    yes = round(share * answers)
    given_yes = np.convolve(
        stats.binom.pmf(np.arange(yes + 1), yes, kept),
        stats.binom.pmf(np.arange(answers - yes + 1), answers - yes, 1 - kept),
    )
    told = (np.arange(answers + 1) / answers - (1 - kept)) / (2 * kept - 1)
    within = given_yes[np.abs(told - yes / answers) <= width].sum()
    assert abs(within - 0.95) <= NORMAL


def test_randomized_answers_without_a_loss_tell_no_share():
    """At ε = 0 a coin answers; with much, next to everybody tells the truth."""
    assert share_half_width(RandomizedResponse(0.0), 1000) == math.inf and true_answers(RandomizedResponse(0.0)) == 50
    for large in (50.0, 2000.0, 1e9):  # beyond what a double holds, too
        assert 0 < share_half_width(RandomizedResponse(large), 10**13) < 1e-10
        assert "100 of 100 answers stay as given" in why_no_width(Release("a", RandomizedResponse(large)))
    assert " points if 25,000 answer; " in why_no_width(Release("a", RandomizedResponse(1.0)), 25_000)
    assert "is no news" in why_no_width(Release("a", RandomizedResponse(1e-6)))


def test_a_share_is_told_of_those_who_answer():
    """Not of all people in the data, where the release says how many are asked: fewer answers lie farther off."""
    survey = Release("Would come again", RandomizedResponse(1.0), kind="survey")
    told = why_no_width(replace(survey, averaged=12_000), 95_000)
    assert "a share is off by up to about 1.72 points if 12,000 answer" in told
    assert "a share is off by up to about 0.611 points if 95,000 answer" in why_no_width(survey, 95_000)
    fewer = why_no_width(replace(survey, averaged=12_000), 95_000, survey, 95_000)
    assert "a share is off by up to about 0.611 → " in fewer and "if 95,000 → 12,000 answer" in fewer
    assert fewer.count("of 100 answers") == 1
    once = why_no_width(replace(survey, mechanism=RandomizedResponse(0.5)), 95_000, survey)
    assert once.endswith("73.1 → 62.2 of 100 answers stay as given") and "off by up to about 0.611 → 1.26 " in once
    assert 1.96 / (2 * math.sqrt(12_000) * math.sinh(0.5)) == pytest.approx(0.01716, rel=1e-3)
