"""Randomized response among k values against exact sums over how often each loss occurs."""

import inspect
import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpviz import KaryRandomizedResponse, Plan, PrivacyLoss, RandomizedResponse, Release, Subsampled, compare
from dpviz.adversary.midpoint import midpoint_error
from dpviz.losses.simulation_lemma import Pair
from dpviz.mechanisms import mechanism_from
from dpviz.mechanisms.laws.loss_laws import ResponseLaw, TernaryLaw
from dpviz.report.loss_programs import loss_program
from dpviz.ui.shell.plan_rows import releases_of, row_for
from dpviz_certified.certify import enclose_epsilon
from dpviz_certified.enclosure import NotCertified

ROUNDED = 1e-12  # relative: closed forms in doubles, rounded up
QUOTED = 1e-6  # relative excess of ε to which compositions are computed
LIMITS = st.floats(-2, 1.3).map(lambda power: float(f"{10**power:.6g}"))
EXTREMES = st.floats(-6, 1.69).map(lambda power: float(f"{10**power:.6g}"))
VALUES = st.integers(2, 30) | st.sampled_from([100, 10**4, 10**9])
SHARES = st.floats(0, 0.999)


def masses(limit, k):
    """Probabilities of the losses ε, 0 and -ε."""
    lie = 1 / (mpmath.exp(mpf(limit)) + k - 1)
    return mpmath.exp(mpf(limit)) * lie, (k - 2) * lie, lie


def composed(limit, k, count):
    """Probabilities of the sums of losses, by multiples of ε."""
    found = {0: mpf(1)}
    for _ in range(count):
        sums = {}
        for total, mass in found.items():
            for step, each in zip((1, 0, -1), masses(limit, k), strict=True):
                sums[total + step] = sums.get(total + step, 0) + mass * each
        found = sums
    return found


def paid(limit, sums, x):
    """δ(x) of these sums."""
    terms = ((mpf(limit) * times, mass) for times, mass in sums.items())
    return mpmath.fsum(mass * -mpmath.expm1(mpf(x) - loss) for loss, mass in terms if loss > x)


def answered(limit, k, count):
    """(P, Q) of all outcomes of `count` answers, as doubles, for the values 0 and 1."""
    p, q = np.ones(1), np.ones(1)
    truth, _, lie = (float(each) for each in masses(limit, k))
    for _ in range(count):
        p = np.outer(p, [truth, lie, *[lie] * (k - 2)]).ravel()
        q = np.outer(q, [lie, truth, *[lie] * (k - 2)]).ravel()
    return p, q


@given(EXTREMES, VALUES, st.floats(-1.5, 1.5), st.floats(-30, -1e-3))
def test_the_profile_and_its_inverse_at_forty_digits(limit, k, share, power):
    mechanism, x, delta = KaryRandomizedResponse(limit, k), share * limit, 10.0**power
    with mp.workdps(60):
        exact = paid(limit, composed(limit, k, 1), x)
        assert exact * (1 - mpf(10) ** -16) - mpf(10) ** -17 <= mechanism.delta(x) <= exact * (1 + ROUNDED) + 1e-15
        truth = masses(limit, k)[0]
        inverse = mpf(limit) + mpmath.log1p(-mpf(delta) / truth) if delta < truth else mpf(0)
        assert inverse <= mechanism.epsilon(delta) <= max(inverse, 0) + 1e-14 * (limit + 1 / (1 - min(delta, 0.999)))


@given(EXTREMES)
def test_two_values_are_randomized_response(limit):
    two, one = KaryRandomizedResponse(limit, 2), RandomizedResponse(limit)
    assert two.laws() == one.laws() == (ResponseLaw(limit, 0.0),)
    places, orders = np.linspace(-2 * limit, 2 * limit, 9), np.array([1.001, 2.0, 50.0])
    assert two.delta(places) == pytest.approx(one.delta(places), rel=ROUNDED, abs=1e-15)
    assert np.array_equal(two.rdp(orders), one.rdp(orders))
    assert two.rho == pytest.approx(one.rho, rel=ROUNDED)
    assert two.epsilon(1e-6) == pytest.approx(one.epsilon(1e-6), rel=ROUNDED)
    u = np.array([limit])
    assert two.cost.variance(u) == pytest.approx(one.cost.variance(u), rel=1e-9)


@given(LIMITS, VALUES, st.integers(2, 30), SHARES)
def test_compositions_against_exact_sums(limit, k, count, share):
    x, loss = share * limit * count, PrivacyLoss([KaryRandomizedResponse(limit, k)], [[count]])
    with mp.workdps(60):
        exact = paid(limit, composed(limit, k, count), x)
        steepest = max(1.0, 2 * count * limit / (1 - share))  # of ln δ in ln ε, at most
        assert exact * (1 - mpf(10) ** -20) <= loss.delta(x) <= exact * (1 + 4 * QUOTED * steepest) + mpf("1e-290")
        bracket = loss.delta_bracket(x)
        assert bracket.lower <= exact * (1 + mpf(10) ** -20)


@pytest.mark.parametrize(("limit", "k", "count"), [(1e-6, 3, 50), (1e-6, 10**9, 80), (0.1, 100, 120), (50.0, 10, 40)])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.5])
def test_compositions_at_the_extremes(limit, k, count, delta):
    bracket = PrivacyLoss([KaryRandomizedResponse(limit, k)], [[count]]).epsilon_bracket(delta)
    with mp.workdps(60):
        sums = composed(limit, k, count)
        assert paid(limit, sums, bracket.upper) <= delta * (1 + mpf(ROUNDED))
        assert bracket.lower == 0 or paid(limit, sums, bracket.lower * (1 - ROUNDED)) >= delta * (1 - mpf(ROUNDED))
    rare = 0.01 if k > 10**6 else 10 * QUOTED  # where rare losses decide a tiny δ, see docs/engine.md, section 7
    assert bracket.excess <= max(rare * bracket.upper, 1e-3 * QUOTED)


@given(LIMITS, st.integers(2, 6), st.integers(1, 4), st.floats(-12, -0.5))
def test_no_theorem_is_below_what_all_outcomes_tell(limit, k, count, power):
    delta, (p, q) = 10.0**power, answered(limit, k, count)
    frame = compare(Plan([Release("survey", KaryRandomizedResponse(limit, k), count)]), delta)
    for row in frame[frame.applies].itertuples():
        told = float(np.maximum(p - math.exp(min(row.epsilon, 700)) * q, 0).sum())
        assert told <= delta * (1 + 1e-9) + 1e-15, row.theorem


@given(EXTREMES, VALUES, st.floats(-6, 6))
def test_the_renyi_curve_at_forty_digits(limit, k, log_order):
    alpha = 1 + 10.0**log_order
    with mp.workdps(60):
        truth, rest, lie = masses(limit, k)
        moment = truth**alpha * lie ** (1 - mpf(alpha)) + lie**alpha * truth ** (1 - mpf(alpha)) + rest
        exact = mpmath.log(moment) / (mpf(alpha) - 1)
        found = KaryRandomizedResponse(limit, k).rdp(alpha)
        assert exact * (1 - mpf(10) ** -15) <= found <= exact * (1 + 1e-9)


@given(EXTREMES, VALUES)
def test_rho_is_the_largest_divergence_over_its_order(limit, k):
    """Over a fine grid of orders, and at order 1 the mean loss; alone up to six values, as the source proves."""
    mechanism = KaryRandomizedResponse(limit, k)
    truth, _, lie = (float(each) for each in masses(limit, k))
    mean = lie * limit * math.expm1(limit)
    orders = 1 + np.geomspace(1e-7, 1e12, 20_001)
    largest = max(mean, float((mechanism.rdp(orders) / orders).max()))
    assert largest * (1 - ROUNDED) <= mechanism.rho <= largest * (1 + 1e-5)  # between orders 0.2 % apart
    if k <= 6:
        assert mechanism.rho == pytest.approx(mean, rel=10 * ROUNDED)
    assert truth > lie


def test_many_values_cost_most_at_another_order():
    """Else the mean loss would do, which is far too little."""
    mechanism = KaryRandomizedResponse(0.5, 10**6)
    assert mechanism.rho > 1000 * TernaryLaw(0.5, 10**6).moments[0]
    assert mechanism.rho <= RandomizedResponse(0.5).rho


@given(EXTREMES, st.integers(3, 10**9))
def test_the_moments_of_its_law(limit, k):
    with mp.workdps(60):
        truth, _, lie = masses(limit, k)
        mean = mpf(limit) * (truth - lie)
        variance = mpf(limit) ** 2 * (truth + lie) - mean**2
        assert TernaryLaw(limit, k).moments == pytest.approx((float(mean), float(variance)), rel=1e-12)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_answers_and_their_ratios(k):
    mechanism = KaryRandomizedResponse(1.3, k)
    truth, _, lie = (float(each) for each in masses(1.3, k))
    answers = mechanism.sample(1, 200_000, np.random.default_rng(5))
    counts = np.bincount(answers, minlength=k) / len(answers)
    expected = np.where(np.arange(k) == 1, truth, lie)
    assert len(counts) == k and np.abs(counts - expected).max() <= 5 * math.sqrt(0.25 / len(answers))
    ratios = mechanism.log_ratio(np.arange(k), 1, 0)
    assert ratios == pytest.approx([-1.3, 1.3, *[0.0] * (k - 2)])
    share = (counts - lie) / (truth - lie)
    spread = math.sqrt(float(mechanism.cost.variance(np.array([1.3]))[0]) / len(answers))
    assert np.abs(np.delete(share, 1)).max() <= 5.5 * spread
    for bad in (-1, k, 0.5):
        with pytest.raises(ValueError, match="the secret must be a whole number in"):
            mechanism.sample(bad, 1, np.random.default_rng(0))


@given(LIMITS, st.integers(3, 30), st.floats(0.01, 0.9), SHARES)
def test_a_sample_without_replacement_has_the_share_of_the_profile(limit, k, rate, share):
    base, x = KaryRandomizedResponse(limit, k), share * limit
    sampled = Subsampled(base, rate, "without_replacement")
    assert sampled.delta(math.log1p(rate * math.expm1(x))) == pytest.approx(rate * base.delta(x), rel=1e-9)
    two = Subsampled(RandomizedResponse(limit), rate, "without_replacement")
    most, least = (PrivacyLoss([each], [[5]]).epsilon(1e-6) for each in (two, sampled))
    assert least <= most * (1 + 10 * QUOTED)


def test_its_program_is_that_law():
    """The expression that dp-accounting evaluates has the same δ within its own grid."""
    grid = {"value_discretization_interval": 1e-4}
    mechanism = KaryRandomizedResponse(0.8, 7)
    made = eval(loss_program(mechanism), {"pld": pld, "GRID": grid})
    assert "noise_parameter" in inspect.signature(pld.from_randomized_response).parameters
    for epsilon in (0.0, 0.3, 1.1):
        theirs = made.self_compose(5).get_delta_for_epsilon(epsilon)
        assert theirs == pytest.approx(PrivacyLoss([mechanism], [[5]]).delta(epsilon), rel=1e-3)
    with pytest.raises(ValueError, match="samples noise alone"):
        loss_program(Subsampled(mechanism, 0.1, "poisson"))


def test_files_and_rows_hold_its_values():
    plan = Plan([Release("survey", KaryRandomizedResponse(0.5, 12), 3), Release("flag", RandomizedResponse(0.1))])
    assert Plan.from_json(plan.to_json()).releases == plan.releases
    assert Plan.from_csv(plan.to_csv()).releases == plan.releases
    row = row_for(plan.releases[0])
    assert row["noise"] == "ε 0.5, k 12"
    assert releases_of([row])[0] == {0: plan.releases[0]}
    assert ",k\n" in plan.to_csv() and ",k\n" not in Plan(plan.releases[1:]).to_csv()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 1.0, "k": 1}, r"k must be in \[2, 1000000000\], a whole number; got 1"),
        ({"epsilon": 1.0, "k": 2.5}, "k must be in"),
        ({"epsilon": -1.0, "k": 3}, r"epsilon must be in \[0, inf\)"),
        ({"epsilon": 1.0}, "must be given by epsilon and k; got epsilon"),
    ],
)
def test_bad_values_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        mechanism_from("kary_randomized_response", parameters)


def test_every_room_answers_or_says_why_not():
    mechanism = KaryRandomizedResponse(0.5, 10)
    assert midpoint_error((mechanism,)) is None and mechanism.noise is None
    assert Pair.of(mechanism).labels == ("tells x", "tells x'", "another")
    with pytest.raises(NotCertified, match="K-ary randomized response is enclosed by the engine alone"):
        enclose_epsilon([mechanism], [3], 1e-6)
    assert Subsampled(mechanism, 0.1, "poisson").epsilon(1e-6) < 0.5
    nothing = KaryRandomizedResponse(0.0, 5)
    assert (nothing.delta(0.0), nothing.rho, nothing.rdp(2.0), nothing.epsilon(0.0)) == (0.0, 0.0, 0.0, 0.0)
    assert PrivacyLoss([nothing], [[9]]).epsilon(0.0) == 0
