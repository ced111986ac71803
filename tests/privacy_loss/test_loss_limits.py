"""What is surely lost, and what suffices: no answer of the engine leaves them, whatever the sizes of the losses.

Warnings are errors in these tests. Lower bounds are taken here at hundreds of digits: the largest loss of each
mechanism has a known mass, and Gaussian noise its own profile.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Laplace, NameAndShame, Plan, RandomizedResponse, Release, Subsampled, compose
from dpviz.composition.numerical import optimal
from dpviz.privacy_loss import PrivacyLoss, pld_bound
from dpviz.privacy_loss.limits import lower_epsilon_limit, upper_epsilon_limit
from tests.effort import examples, with_peak
from tests.exact_compositions import laplace_delta, responses_delta

DIGITS = 700  # e^ε - 1 of the smallest ε, beside 1
ROUNDING = mp.mpf("1e-12")  # of δ, relative: a typed decimal and its double are one number
ACCURACY = 1e-6  # wanted of the engine, relative
UNIT = 1e-6  # relative: what a release beside a loss a million times larger adds


def decimal(value):
    return mp.mpf(repr(float(value)))


def gaussian_delta(epsilon, mu):
    """Balle-Wang's profile; beyond a million deviations 0 or 1."""
    low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if abs(low) > 10**6:
        return mp.mpf(low < 0)
    return mp.ncdf(-low) - (mp.exp(epsilon) * mp.ncdf(-high) if high < 10**6 else mp.npdf(low) / high)


def largest(mechanism, count):
    """The largest total loss of some uses, ln of a mass of P there, and ln of the mass that does not leak."""
    if isinstance(mechanism, Subsampled):
        each, rate = decimal(mechanism.base.stated.epsilon), decimal(mechanism.rate)
        loss = mp.log1p(rate * mp.expm1(each)) if each < 2000 else max(each + mp.log(rate), mp.mpf(0))
        return count * loss, count * (mp.log(rate) if each > 2000 else loss - each) - count * mp.log(2), mp.mpf(0)
    each, leak = decimal(mechanism.stated.epsilon), decimal(mechanism.stated.delta)
    if isinstance(mechanism, Laplace):
        return count * each, -count * mp.log(2), mp.mpf(0)
    kept = count * mp.log1p(-leak) if leak < 1 else mp.mpf("-1e50")
    return count * each, kept - count * mp.log1p(mp.exp(-each)), kept


def sure_delta(mechanisms, counts, epsilon):
    """A part of δ that nobody can argue away: of each mechanism alone, and of all largest losses together."""
    epsilon, together, found = decimal(epsilon), [mp.mpf(0)] * 3, [mp.mpf(0)]
    for mechanism, count in zip(mechanisms, counts, strict=True):
        if not count or getattr(mechanism, "rate", 1.0) == 0:
            continue
        base = getattr(mechanism, "base", mechanism)
        if isinstance(base, Gaussian):
            rate, mu = decimal(getattr(mechanism, "rate", 1.0)), decimal(base.sensitivity) / decimal(base.sigma)
            source = mp.log1p(mp.expm1(epsilon) / rate) if epsilon < 2000 else epsilon - mp.log(rate)
            found.append(rate * gaussian_delta(source, mu * (mp.sqrt(count) if base is mechanism else 1)))
            continue
        own = largest(mechanism, count)
        together = [one + other for one, other in zip(together, own, strict=True)]
        found.append(of_largest(*own, epsilon))
    return max(*found, of_largest(*together, epsilon))


def of_largest(loss, log_mass, kept, epsilon):
    return -mp.expm1(kept) - (mp.exp(log_mass) * mp.expm1(epsilon - loss) if epsilon < loss else 0)


def assert_sure(mechanisms, counts, epsilon, delta):
    """δ(ε) is not surely larger than quoted; an infinite ε promises nothing."""
    if math.isfinite(epsilon):
        with mp.workdps(DIGITS):
            assert sure_delta(mechanisms, counts, epsilon) <= decimal(delta) * (1 + ROUNDING) + mp.mpf("1e-323")


WRONG_UNITS = [
    ([Laplace.from_epsilon(1e14), Gaussian(10, 1)], [2, 3], 1e-6, 2e14),
    ([RandomizedResponse(1e50), RandomizedResponse(0.1)], [2, 1], 1e-6, 2e50),
    ([Laplace.from_epsilon(8.47e11), Gaussian(10, 1)], [3, 8], 1.2e-9, 2.541e12),
    ([Gaussian(1e-15, 1), RandomizedResponse(0.1)], [3, 1], 1e-6, 1.5e30),
    ([Gaussian(1e-20, 1), RandomizedResponse(0.1)], [2, 1], 1e-6, 1e40),
    ([Laplace.from_epsilon(1e292), Gaussian(1.0, 1)], [2, 1], 1e-6, 2e292),
    ([Laplace.from_epsilon(1e64), Gaussian(1e-33, 1)], [1, 1], 1e-6, 1e64 + 5e65),
    ([RandomizedResponse(1e300), Laplace.from_epsilon(1e-300)], [7, 9], 0.5, 7e300),
]


@pytest.mark.parametrize(("mechanisms", "counts", "delta", "truth"), WRONG_UNITS, ids=lambda value: repr(value)[:40])
@pytest.mark.filterwarnings("error")
def test_a_wrong_unit_is_never_free(mechanisms, counts, delta, truth):
    """The dearest release alone, to which the others add next to nothing."""
    plan = Plan([Release("r", mechanism, count) for mechanism, count in zip(mechanisms, counts, strict=True)])
    for epsilon in (compose(plan, delta).epsilon, float(PrivacyLoss.of(plan).epsilon(delta))):
        assert truth * (1 - 1e-15) <= epsilon <= truth * (1 + UNIT)
    assert PrivacyLoss.of(plan).delta(truth / 2) > 1 - UNIT


@pytest.mark.parametrize("sigma", [1e-3, 1e-4, 1e-8])
def test_hardly_any_noise_beside_a_release_holds_no_lattice(sigma):
    """Its nodes would fill any memory: closed forms are both ends, apart by what the others lose."""
    others, noise = [Laplace.from_epsilon(1.0), RandomizedResponse(0.5)], Gaussian(sigma, 1)
    (bound, alone), held = with_peak(
        lambda: [pld_bound([*others, noise], [[uses, uses, 1]], 1e-6) for uses in (1, 0)]
    )
    epsilon, least = noise.epsilon(1e-6), 1.5 + UNIT * noise.epsilon(1e-6)
    assert held < 200e6
    for each, room in ((bound, least), (alone, UNIT * epsilon)):
        assert epsilon * (1 - UNIT) <= each.epsilon[0] <= epsilon + room
    assert sigma > 5e-4 or bound.lower[0] >= epsilon * (1 - UNIT)


@given(st.floats(5, 17), st.integers(1, 4), st.floats(-30, -0.5), st.integers(0, 3), st.integers(1, 10))
@pytest.mark.filterwarnings("error")
def test_beside_an_ordinary_release(power, count, log_delta, kind, beside):
    """From a hundred thousand to where doubles count in tens: the large losses alone are surely lost."""
    large = (RandomizedResponse, Laplace.from_epsilon)[kind % 2](float(f"{10**power:.4g}"))
    ordinary = (Gaussian(10.0), RandomizedResponse(0.1), Laplace(2.0), Subsampled(Gaussian(1.0), 0.1, "poisson"))[kind]
    answer = pld_bound([large, ordinary], [[count, beside]], 10**log_delta)
    assert_sure([large, ordinary], [count, beside], float(answer.epsilon[0]), 10**log_delta)
    basic = count * large.stated.epsilon + beside * ordinary.epsilon(10**log_delta / beside)
    assert answer.epsilon[0] <= basic * (1 + ACCURACY)


ANY_EPSILON = st.one_of(st.floats(-300, 300), st.floats(-12, 20), st.floats(-2, 2)).map(lambda p: float(f"{10**p:.4g}"))
ANY_LEAK = st.one_of(st.just(0.0), st.floats(-320, 0).map(lambda p: 10.0**p))
ANY_RATE = st.one_of(st.sampled_from([0.0, 1.0, 1 - 1e-15]), st.floats(-300, 0).map(lambda p: 10.0**p))
ANY_DELTA = st.one_of(
    st.sampled_from([0.0, 5e-324, 1 - 1e-16]),
    st.floats(-323, 0).map(lambda p: min(10.0**p, 1 - 1e-16)),
    st.floats(-16, -1).map(lambda p: 1 - 10.0**p),
)
ANY_COUNT = st.one_of(st.sampled_from([0, 1, 2, 10**9]), st.floats(0, 9).map(lambda p: int(10**p)))
NOISE = st.one_of(ANY_EPSILON.map(Laplace.from_epsilon), ANY_EPSILON.map(lambda sigma: Gaussian(sigma, 1)))
UNSAMPLED = st.one_of(
    NOISE,
    ANY_EPSILON.map(RandomizedResponse),
    st.builds(ApproximateDP, ANY_EPSILON, ANY_LEAK),
    ANY_LEAK.map(NameAndShame),
)
ANY = st.one_of(UNSAMPLED, st.builds(Subsampled, NOISE, ANY_RATE, st.just("poisson")))


def plans(mechanisms=ANY):
    rows = st.lists(st.tuples(mechanisms, ANY_COUNT), min_size=1, max_size=4)
    return rows.map(lambda rows: tuple(zip(*rows, strict=True)))


@examples(10)
@given(plans(), ANY_DELTA)
@pytest.mark.filterwarnings("error")
def test_epsilon_of_any_plan(plan, delta):
    mechanisms, counts = plan
    bound = pld_bound(mechanisms, [counts], delta)
    (epsilon,), (excess,) = bound.epsilon.tolist(), bound.excess.tolist()
    assert 0 <= excess <= epsilon
    assert_sure(mechanisms, counts, epsilon, delta)


@given(plans(), ANY_EPSILON)
@pytest.mark.filterwarnings("error")
def test_delta_of_any_plan(plan, epsilon):
    mechanisms, counts = plan
    loss = PrivacyLoss(mechanisms, [counts], 1e-3)
    epsilons = np.array([0.0, 1.0, epsilon, 1e308])
    for place, delta in zip(epsilons, loss.delta(epsilons), strict=True):
        assert 0 <= delta <= 1
        assert_sure(mechanisms, counts, float(place), float(delta))
    assert np.all(loss.delta(-epsilons) >= -np.expm1(-epsilons))
    misses = loss.tradeoff(np.array([0.0, 1e-9, 0.5, 1.0]))
    assert np.all((misses >= 0) & (misses <= 1))
    assert np.all(np.diff(misses) <= 1e-9)


@given(plans(UNSAMPLED), ANY_DELTA.filter(lambda delta: delta < 1), st.sampled_from(["pld", "optimal", "kov", "basic"]))
@pytest.mark.filterwarnings("error")
def test_the_total_of_any_plan(plan, delta, theorem):
    mechanisms, counts = plan
    releases = [Release("r", mechanism, count) for mechanism, count in zip(mechanisms, counts, strict=True)]
    assert_sure(mechanisms, counts, compose(Plan(releases), delta, theorem).epsilon, delta)


@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("mechanism", [Laplace.from_epsilon(0.7), RandomizedResponse(3.0), ApproximateDP(1.0, 1e-40)])
def test_both_limits_hold_the_truth(mechanism, count, delta):
    """Against exact profiles: δ at the lower limit is larger than allowed, at the upper one it is not."""
    (law,), counts, target = mechanism.laws(), np.array([[count]]), np.array([math.log(delta)])
    each = mechanism.stated.epsilon
    exact = laplace_delta if isinstance(mechanism, Laplace) else responses_delta
    low, high = (float(limit([law], counts, target)[0]) for limit in (lower_epsilon_limit, upper_epsilon_limit))
    assert exact(mp.mpf(high), each, count) <= delta
    assert low == 0 or exact(mp.mpf(low), each, count) >= delta


def test_what_is_paid_apart_is_not_paid_twice():
    """A leak beside responses: δ = leak + (1 - leak) δ of the responses, whose binomial sum is exact."""
    leak, count = 0.125, 6
    loss = PrivacyLoss([NameAndShame(leak), RandomizedResponse(0.5)], [[1, count]])
    for epsilon in (0.0, 0.3, 1.7, 2.9):
        exact = leak + (1 - leak) * responses_delta(mp.mpf(epsilon), 0.5, count)
        assert exact <= loss.delta(epsilon) <= exact * (1 + mp.mpf("1e-11"))
        assert loss.epsilon(float(exact)) == pytest.approx(epsilon, abs=1e-7)  # δ falls by a double between the two
    assert optimal((NameAndShame(leak), RandomizedResponse(0.5)), np.array([[1, count]]), 0.2).excess[0] < 1e-10


@pytest.mark.parametrize("count", [1, 1000])
@pytest.mark.parametrize("rate", [None, pytest.param(0.01, marks=pytest.mark.rest)])
@examples(25)
@given(powers=st.tuples(st.integers(0, 300), st.integers(0, 300)))
def test_more_gaussian_noise_costs_no_more_however_much(rate: float | None, count: int, powers: tuple[int, int]):
    """Beside an answer that costs much more, too, where the noise costs less than doubles tell from nothing."""
    totals, advantages = [], []
    for power in sorted(powers):
        noise = Gaussian(10.0**power, 1.0) if rate is None else Subsampled(Gaussian(10.0**power, 1.0), rate, "poisson")
        mechanisms, counts = [noise, RandomizedResponse(1.0)], [[count, 1]]
        totals.append(pld_bound(mechanisms, counts, 1e-7, ACCURACY).epsilon[0])
        advantages.append(float(PrivacyLoss(mechanisms, counts).delta(0.0)))
    assert totals[1] <= totals[0] * (1 + ACCURACY) and advantages[1] <= advantages[0] + ACCURACY
    assert totals[1] >= 0.9999998 and advantages[1] >= math.tanh(0.5) - ROUNDING, "of the answer alone"
