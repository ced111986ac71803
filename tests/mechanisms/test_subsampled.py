"""Subsampled mechanisms: profiles, stated pairs, relations, Renyi bounds, and the likelihood ratio."""

import math
from itertools import combinations_with_replacement

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    Subsampled,
)
from dpviz.mechanisms.laws import sampled_renyi
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import examples

CASES = [
    Subsampled(Gaussian(1.0), 0.01, "poisson"),
    Subsampled(Gaussian(0.3), 0.5, "poisson"),
    Subsampled(Laplace(0.5), 0.3, "poisson"),
    Subsampled(Gaussian(1.0), 0.01, "without_replacement"),
    Subsampled(Laplace(2.0), 0.9, "without_replacement"),
    Subsampled(ApproximateDP(1.0, 1e-8), 0.3, "without_replacement"),
]


@pytest.mark.parametrize("mechanism", CASES, ids=str)
def test_the_engine_agrees_with_the_closed_profile(mechanism):
    epsilon = np.linspace(0.0, 1.5, 40)
    closed, composed = mechanism.delta(epsilon), PrivacyLoss.of(mechanism).delta(epsilon)
    assert composed == pytest.approx(closed, rel=5e-4, abs=1e-12)
    assert np.all(composed >= closed * (1 - 1e-9))


@pytest.mark.parametrize("mechanism", CASES, ids=str)
def test_epsilon_inverts_delta(mechanism):
    delta = np.array([1e-9, 1e-6, 1e-3])
    epsilon = mechanism.epsilon(delta)
    usable = np.isfinite(epsilon) & (epsilon > 0)
    assert np.all(mechanism.delta(epsilon[usable]) <= delta[usable] * (1 + 1e-9))
    assert np.all(mechanism.delta(epsilon[usable] * (1 - 1e-6)) >= delta[usable])


@pytest.mark.parametrize("mechanism", CASES[:3], ids=str)
def test_removing_is_never_better_than_adding(mechanism):
    removed, added = (profile(np.linspace(0.0, 3.0, 200)) for profile in mechanism.profiles)
    assert np.all(removed >= added * (1 - 1e-9))


def test_stated_pairs_are_amplified():
    stated = Subsampled(ApproximateDP(1.0, 1e-8), 0.3, "without_replacement").stated
    assert stated.epsilon == pytest.approx(np.log1p(0.3 * np.expm1(1.0)))
    assert stated.delta == pytest.approx(3e-9)
    assert Subsampled(Gaussian(1.0), 0.1, "poisson").stated is None
    assert Subsampled(Laplace(1.0), 1.0, "poisson").stated == Laplace(1.0).stated


def test_relations_follow_the_scheme():
    assert [CASES[0].relation, CASES[3].relation] == ["add_remove", "replace_one"]


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 64.0])
def test_renyi_bound_of_the_sampled_gaussian(order):
    mechanism = Subsampled(Gaussian(1.5), 0.05, "poisson")
    q, mu = mp.mpf("0.05"), 1 / mp.mpf("1.5")
    density = lambda z: mp.npdf(z) * (1 - q + q * mp.exp(mu * z - mu * mu / 2)) ** order  # noqa: E731
    points = [-30, -5, 0, 5, order * mu, order * mu + 10, order * mu + 40]
    exact = mp.log(mp.quad(density, sorted(points))) / (order - 1)
    assert mechanism.rdp(order) == pytest.approx(float(exact), rel=1e-6)
    assert mechanism.rdp(order) >= float(exact) * (1 - 1e-12)
    assert mechanism.rdp(order) <= order * mechanism.rho


def test_likelihood_ratio_is_the_mixtures():
    mechanism, outputs = CASES[0], np.linspace(-4.0, 5.0, 9)
    mixture = 0.99 + 0.01 * np.exp(outputs - 0.5)
    assert mechanism.log_ratio(outputs, 1.0, 0.0) == pytest.approx(np.log(mixture))
    assert mechanism.log_ratio(outputs, 1.0, 1.0) == pytest.approx(np.zeros(9))


@pytest.mark.parametrize(
    ("base", "rate", "scheme", "words"),
    [
        (Gaussian(1), 1.5, "poisson", "rate must be in"),
        (Gaussian(1), float("nan"), "poisson", "rate must be in"),
        (Gaussian(1), 0.1, "shuffle", "scheme must be one of"),
        (CASES[0], 0.1, "without_replacement", "base must be"),
    ],
)
def test_bad_input_is_refused(base, rate, scheme, words):
    with pytest.raises(ValueError, match=words):
        Subsampled(base, rate, scheme)


def sampled_moment(sigma: float, rate: float, order: float) -> mp.mpf:
    """E over N(0, σ²) of ((1 - q) + q e^x)^α - 1 by quadrature in 40 digits, x the loss of the plain noise."""
    with mp.workdps(40):
        mu, q, alpha = 1 / mp.mpf(sigma), mp.mpf(rate), mp.mpf(order)

        def term(z: mp.mpf) -> mp.mpf:
            return mp.npdf(z) * ((1 + q * mp.expm1(mu * z - mu**2 / 2)) ** alpha - 1)

        edges = [-30, -10, -5, 0, 5, 10, 20, 30 + 8 * float(order) / sigma]
        return mp.quad(term, edges)


@pytest.mark.parametrize("order", [1.5, 2.0, 2.7, 3.0, 7.0, 7.3])
@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 1e-6), (1.17, 1e-6), (1.17, 1e-8), (1.0, 0.01), (3.0, 1e-4)])
def test_renyi_curves_of_rare_sampling_are_not_below_the_truth(sigma, rate, order):
    """Where the moment's terms nearly cancel, what rounding leaves of them is not taken for the answer."""
    exact = float(mp.log1p(sampled_moment(sigma, rate, order)) / (order - 1))
    found = Subsampled(Gaussian(sigma), rate, "poisson").rdp(order)
    quadrature = 1e-13  # of the reference
    assert exact * (1 - quadrature) <= found <= exact * 1.02 + 1e-15 * rate


def test_renyi_curves_of_large_whole_orders_are_exact():
    """The binomial sum equals the one in arbitrary precision, and is not below it."""
    for sigma, rate, order in ((1.0, 0.01, 65), (2.0, 1e-5, 1000), (10.0, 0.5, 500)):
        with mp.workdps(60):
            q, square = mp.mpf(rate), 1 / mp.mpf(sigma) ** 2
            moment = mp.fsum(
                mp.binomial(order, k) * (1 - q) ** (order - k) * q**k * mp.expm1(k * (k - 1) * square / 2)
                for k in range(2, order + 1)
            )
            exact = float(min(mp.log1p(moment) / (order - 1), order * square / 2))
        assert exact <= Subsampled(Gaussian(sigma), rate, "poisson").rdp(float(order)) <= exact * (1 + 2e-11)


def exact_rdp(mechanism: Subsampled, order: float) -> float:
    """Return the divergence by mpmath's own quadrature in 50 digits: of the mixture, or of mirrored gains."""
    with mp.workdps(50):
        q, alpha, mirrored = mp.mpf(mechanism.rate), mp.mpf(order), mechanism.scheme == "without_replacement"

        def gain(loss: mp.mpf) -> mp.mpf:
            u = 1 + q * mp.expm1(loss)
            return u**alpha - 1 - u + u ** (1 - alpha) if mirrored else u**alpha - 1 - alpha * (u - 1)

        if isinstance(mechanism.base, Gaussian):
            mu = 1 / mp.mpf(mechanism.base.sigma)
            low, high, width = mu / 2 if mirrored else mp.mpf(-16), alpha * mu + 16, min(mp.mpf(3), 4 / mu)
            moment, term = mp.mpf(0), lambda z: mp.npdf(z) * gain(mu * z - mu * mu / 2)
        else:
            end = mp.mpf(mechanism.base.stated.epsilon)
            low, high, width = mp.mpf(0) if mirrored else -end, end, 8 / (alpha + 8)
            moment = gain(end) * mp.exp(-end) / 2 + (0 if mirrored else gain(-end) / 2)
            term = lambda x: gain(x) * mp.exp(-(x + end) / 2) / 4  # noqa: E731
        panels = int(mp.ceil((high - low) / width))
        moment += mp.quad(term, [low + (high - low) * n / panels for n in range(panels + 1)], maxdegree=5)
        return float(mp.log1p(moment) / (alpha - 1))


SMALL_NOISE = [(4.5, 0.01, 219.07906690394885), (256.1, 1e-5, 12793.441943505944)]
ROUNDING = 1e-15  # of the reference to a double


@pytest.mark.parametrize(("order", "rate", "value"), SMALL_NOISE)
@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
def test_small_noise_at_fractional_orders(order, rate, value, scheme):
    """There one term is left, ((α² - α) μ²/2 + α ln q) / (α - 1), and the base's own curve is 3 % above it."""
    alone = order * 50 + order * np.log(rate) / (order - 1)
    found = Subsampled(Gaussian(0.1), rate, scheme).rdp(order)
    assert alone == pytest.approx(value, rel=1e-11)
    assert alone * (1 - ROUNDING) <= found <= alone * (1 + 1e-9)


@examples(5)
@given(
    st.floats(-1.3, 1).map(lambda power: 10.0**power),
    st.one_of(st.floats(-6, -0.01).map(lambda power: 10.0**power), st.floats(-10, -1).map(lambda p: 1 - 10.0**p)),
    st.floats(-2, 2).map(lambda power: 1 + 10.0**power),
    st.sampled_from(["poisson", "without_replacement"]),
    st.booleans(),
)
def test_renyi_curves_at_random_orders(size, rate, order, scheme, laplace):
    base = Laplace.from_epsilon(size / 4) if laplace else Gaussian(size)
    order = min(order, 1 + 20 * size) if not laplace else order  # what mpmath integrates in a second
    mechanism = Subsampled(base, rate, scheme)
    exact = min(exact_rdp(mechanism, order), base.rdp(order))
    assert exact * (1 - ROUNDING) <= mechanism.rdp(order) <= exact * (1 + 1e-9)


def outputs_of(base):
    """(P, Q) of every output of a base with finitely many that matter, in mpmath, from its definition alone."""
    if isinstance(base, KaryRandomizedResponse):
        lie = 1 / (mp.exp(mp.mpf(base.stated.epsilon)) + base.k - 1)
        truth = 1 - (base.k - 1) * lie
        return [(truth, lie), (lie, truth), ((base.k - 2) * lie, (base.k - 2) * lie)][: 3 if base.k > 2 else 2]
    if isinstance(base, DiscreteLaplace):
        a, far = mp.exp(-1 / mp.mpf(base.scale)), base.sensitivity
        inner = [((1 - a) / (1 + a) * a ** (far - y), (1 - a) / (1 + a) * a**y) for y in range(1, far)]
        return [(1 / (1 + a), a**far / (1 + a)), (a**far / (1 + a), 1 / (1 + a)), *inner]
    size, sigma = int(base.sigma * 12 + 3) + 21 * base.sensitivity, mp.mpf(base.sigma)  # up to order 20
    weight = {y: mp.exp(-(y**2) / (2 * sigma**2)) for y in range(-size - base.sensitivity, size + 1)}
    total = mp.fsum(weight.values())
    return [(weight[y - base.sensitivity] / total, weight[y] / total) for y in range(-size, size + 1)]


def divergence(order, pairs):
    return mp.log(mp.fsum(q * (p / q) ** order for p, q in pairs)) / (order - 1)


WITH_OUTPUTS = (
    *(KaryRandomizedResponse(epsilon, k) for epsilon, k in ((0.01, 2), (1.54, 2), (1.54, 3), (3.0, 4), (0.5, 10))),
    *(DiscreteLaplace(*each) for each in ((15.3, 2), (5.7, 1), (1.0, 7), (40.0, 90))),
    *(DiscreteGaussian(*each) for each in ((0.4, 1), (3.0, 1), (2.0, 3), (9.0, 20))),
)
RATES = (1e-9, 1e-3, 0.01, 0.5, 0.9, 0.999)


@pytest.mark.parametrize("base", WITH_OUTPUTS, ids=str)
def test_renyi_curves_are_the_worst_of_both_directions_of_the_two_laws(base):
    """For a record more, and one less, at orders 1.0001 to 1000: not below either, and not above both."""
    orders = [1.0001, 1.5, 2.0, 5.0, 20.0] if isinstance(base, DiscreteGaussian) else [1.0001, 1.5, 5.0, 100.0, 1e3]
    with mp.workdps(60):
        outputs = outputs_of(base)
        for rate in RATES:
            mixed = [((1 - mp.mpf(rate)) * q + mp.mpf(rate) * p, q) for p, q in outputs]
            added = [(q, p) for p, q in mixed]
            curves = [Subsampled(base, rate, each).rdp(orders).tolist() for each in ("poisson", "without_replacement")]
            for order, found, replaced in zip(map(mp.mpf, orders), *curves, strict=True):
                gains = mp.fsum(q * (p / q) ** order + p * (q / p) ** order - p - q for p, q in mixed if p > q)
                removal, mirrored = divergence(order, mixed), mp.log1p(gains) / (order - 1)
                assert divergence(order, added) <= removal * (1 + ROUNDING)
                assert removal * (1 - ROUNDING) <= found <= removal * (1 + 1e-9) + 1e-290
                assert mirrored * (1 - ROUNDING) <= replaced <= mirrored * (1 + 1e-9) + 1e-290
                assert removal <= replaced * (1 + ROUNDING)


def test_few_outputs_stand_for_many():
    """Noise on 1,501 whole numbers, of which 1,000 losses are kept: not below the sum over all, and near it."""
    base, orders = DiscreteLaplace(100.0, 1500), [1.01, 2.0, 30.0]
    with mp.workdps(30):
        mixed = [((9 * q + p) / 10, q) for p, q in outputs_of(base)]
        for order, found in zip(orders, Subsampled(base, 0.1, "poisson").rdp(orders), strict=True):
            exact = divergence(mp.mpf(order), mixed)
            assert exact * (1 - 1e-12) <= found <= exact * (1 + 1e-4)


@given(st.floats(-2, 1), st.floats(0, 1), st.floats(0.001, 0.999), st.floats(-2, 2))
def test_renyi_curves_of_picks_are_not_below_any_pair_of_their_range(power, place, rate, size):
    """Losses t and t - ε, both ways, under the pair that stands for all: also where only ε is known."""
    epsilon, order = mp.mpf(10**power), mp.mpf(1 + 10**size)
    low = -mp.expm1(mp.mpf(place) * epsilon - epsilon) / -mp.expm1(-epsilon)  # of the loss t, under P
    pair = [(low, low * mp.exp(-place * epsilon)), (1 - low, (1 - low) * mp.exp((1 - place) * epsilon))]
    for outputs in (pair, [(q, p) for p, q in pair]):
        mixed = [((1 - rate) * q + rate * p, q) for p, q in outputs if q > 0]
        worst = max(divergence(order, mixed), divergence(order, [(q, p) for p, q in mixed]))
        for base in (Exponential, PermuteAndFlip, ReportNoisyMax):
            found = Subsampled(base(float(epsilon)), rate, "poisson").rdp(float(order))
            assert worst - mp.mpf("1e-13") * (1 + worst) <= found


@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
@pytest.mark.parametrize("rate", [0.999, 1 - 1e-9])
def test_renyi_curves_of_nearly_the_whole_data_are_not_below_the_truth(rate, scheme):
    """Laplace noise of ε = 0.01 at order 119, where a rule of few nodes was 7e-9 too low."""
    mechanism = Subsampled(Laplace.from_epsilon(0.01), rate, scheme)
    exact = exact_rdp(mechanism, 119.0)
    assert exact * (1 - ROUNDING) <= mechanism.rdp(119.0) <= exact * (1 + 1e-9)


@pytest.mark.parametrize(("sigma", "rate", "order"), [(0.2, 1e-30, 1.01), (0.15, 1e-40, 1.5), (1 / 2.2, 1e-9, 1.0001)])
def test_rare_samples_at_small_orders_reach_as_far_as_the_square_of_the_gain(sigma, rate, order):
    """There the moment has its peak at 2μ, not at αμ."""
    with mp.workdps(100):
        mu, q, alpha = 1 / mp.mpf(sigma), mp.mpf(rate), mp.mpf(order)
        gain = lambda z: q * mp.expm1(mu * z - mu * mu / 2)  # noqa: E731
        term = lambda z: mp.npdf(z) * ((1 + gain(z)) ** alpha - 1 - alpha * gain(z))  # noqa: E731
        exact = mp.log1p(mp.quad(term, mp.linspace(-10, 26, 19), maxdegree=5)) / (alpha - 1)
        found = Subsampled(Gaussian(sigma), rate, "poisson").rdp(order)
        assert exact * (1 - ROUNDING) <= found <= exact * (1 + 1e-9)


def test_no_order_takes_many_nodes(monkeypatch):
    """Up to order 1000, for every noise: what an order costs is bounded."""
    nodes, sums = [], sampled_renyi._log_sums
    monkeypatch.setattr(sampled_renyi, "_log_sums", lambda which, *rest: nodes.append(len(which)) or sums(which, *rest))
    bases = [*(Gaussian(10.0**power) for power in np.linspace(-2, 2, 9)), *map(Laplace.from_epsilon, (1e-3, 1, 100))]
    bases += [*map(Exponential, (1e-3, 1.0, 100.0)), DiscreteLaplace(1e3, 10**6), DiscreteGaussian(30.0, 7)]
    for base in bases:
        for rate in (1e-6, 0.01, 0.999):
            for scheme in ("poisson", "without_replacement"):
                for order in (1.01, 4.5, 64.0, 999.9, *([] if base.mu else [1e8])):
                    Subsampled(base, rate, scheme).rdp(order)
    assert len(nodes) > 100
    assert max(nodes) < 30_000


@pytest.mark.parametrize("base", [Gaussian(1e-5), Gaussian(1e20), Laplace(1e-4), Laplace(1e5)], ids=str)
@pytest.mark.parametrize("rate", [5e-324, 1e-160, 0.5, 1 - 1.2e-16])
def test_renyi_curves_at_the_ends_of_doubles(base, rate):
    orders = np.array([1 + 1e-15, 1.001, 2.0, 1e3, 1e10, 1e87, 1e300])
    for scheme in ("poisson", "without_replacement"):
        curve = Subsampled(base, rate, scheme).rdp(orders)
        assert np.all((curve > 0) & (curve <= base.rdp(orders)))


@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
@pytest.mark.filterwarnings("error")
def test_the_rarest_sample_hides_everything(scheme):
    """δ over the smallest rate is beyond doubles; a δ above the rate is one at which nothing is lost."""
    mechanism = Subsampled(Gaussian(1), 5e-324, scheme)
    assert mechanism.epsilon(1e-6) == 0.0 and mechanism.epsilon(0.0) == math.inf


def removed(base, epsilon, rate):
    """δ of removing a record at epsilon, from the base's profile: Balle, Barthe and Gaboardi (2018), Thm 8."""
    return rate * base(mp.log1p(mp.expm1(epsilon) / rate))


@given(st.floats(-4, 1.5), st.floats(0.001, 12), st.floats(1, 13), st.sampled_from(["poisson", "without_replacement"]))
def test_delta_just_below_the_largest_loss(power, log_missing, log_gap, scheme):
    """Nearly everybody is drawn, and nearly everything is lost: two differences of numbers near each other."""
    each, rate = 10**power, 1 - 10**-log_missing
    with mp.workdps(60):
        top = mp.log1p(mp.mpf(rate) * mp.expm1(mp.mpf(each)))
        epsilon = float(top * (1 - mp.mpf(10) ** -log_gap))
        laplace = lambda source: max(mp.mpf(0), -mp.expm1((source - mp.mpf(each)) / 2))  # noqa: E731
        exact = removed(laplace, mp.mpf(epsilon), mp.mpf(rate))
        found = Subsampled(Laplace.from_epsilon(each), rate, scheme).delta(epsilon)
        slack = mp.mpf("1e-14") * (top + mp.mpf(each) * mp.exp(each))  # doubles of both losses
        assert exact <= found <= exact + slack


@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
@pytest.mark.filterwarnings("error")
def test_a_delta_too_small_for_a_double_is_not_zero(scheme):
    sampled = Subsampled(Gaussian(1.0), 1e-9, scheme)
    assert np.all(sampled.delta([40.0, 1e3, 1e300]) > 0)
    assert sampled.delta(math.inf) == 0.0
    pure = Subsampled(Laplace(1.0), 0.5, scheme)
    zeros = pure.delta([1.0, 50.0])
    assert np.all(zeros == 0)
    assert not np.signbit(zeros).any()


@pytest.mark.parametrize("rate", [1e-300, 1e-135, 1e-20])
@pytest.mark.parametrize("delta", [1e-306, 1e-290, 1e-200])
@pytest.mark.filterwarnings("error")
def test_epsilon_of_the_rarest_samples(rate, delta):
    """δ(ε) by Thm 8 is at most δ: what is lost can be far below a rounding of the base's loss."""
    epsilon = Subsampled(Gaussian(0.1), rate, "poisson").epsilon(delta)
    with mp.workdps(400):
        profile = lambda e: mp.ncdf(5 - e / 10) - mp.exp(e) * mp.ncdf(-5 - e / 10)  # noqa: E731
        assert removed(profile, mp.mpf(epsilon), mp.mpf(rate)) <= mp.mpf(delta) * (1 + mp.mpf("1e-12"))


FEW_ATOMS = 1e-5  # relative: of few uses, whose losses lie on no common grid


def mixed_atoms(base, rate, direction):
    """What one sampled use of a response loses, at 50 digits: masses by loss, those of an endless loss apart."""
    kept, odds = 1 - mp.mpf(base.stated.delta), mp.exp(mp.mpf(base.stated.epsilon))
    leak, rate = mp.mpf(base.stated.delta), mp.mpf(rate)
    likely, rarely = kept * odds / (1 + odds), kept / (1 + odds)
    pairs = [(likely, rarely), (rarely, likely), (leak, mp.mpf(0)), (mp.mpf(0), leak)]
    mixture = [((1 - rate) * q + rate * p, q) for p, q in pairs]
    return mixture if direction == "remove" else [(q, p) for p, q in mixture]


def exact_delta(masses, uses, epsilon):
    """The sum over all outcomes of (P - e^ε Q)_+, by the products of their masses."""
    total, growth = mp.mpf(0), mp.exp(mp.mpf(epsilon))
    for outcome in combinations_with_replacement(range(len(masses)), uses):
        times = [outcome.count(index) for index in range(len(masses))]
        ways = math.factorial(uses) // math.prod(math.factorial(each) for each in times)
        p, q = (mp.fprod(pair[side] ** count for pair, count in zip(masses, times, strict=True)) for side in (0, 1))
        total += ways * max(p - growth * q, 0)
    return total


@examples(8)
@given(
    st.builds(ApproximateDP, st.floats(0.01, 4), st.sampled_from([0.0, 1e-9, 1e-3, 0.1])),
    st.floats(0.001, 0.95),
    st.integers(1, 6),
    st.floats(-9, -0.5).map(lambda power: 10**power),
)
def test_poisson_samples_of_responses_are_composed_exactly(base, rate, uses, delta):
    """Black boxes and randomized response on a Poisson sample: the total, and no less, in both directions."""
    base = RandomizedResponse(base.stated.epsilon) if base.stated.delta == 0 else base
    sampled = Subsampled(base, rate, "poisson")
    bracket = PrivacyLoss([sampled], [[uses]]).epsilon_bracket(delta)
    with mp.workdps(50):
        directions = [mixed_atoms(base, rate, direction) for direction in ("remove", "add")]
        if math.isfinite(bracket.upper):
            truth = max(exact_delta(masses, uses, bracket.upper) for masses in directions)
            assert truth <= mp.mpf(delta) * (1 + mp.mpf("1e-14"))
        if 0 < bracket.lower < math.inf:
            truth = max(exact_delta(masses, uses, bracket.lower) for masses in directions)
            assert truth >= mp.mpf(delta) * (1 - mp.mpf("1e-14"))
    assert bracket.excess <= FEW_ATOMS * max(bracket.lower, 1e-3) if math.isfinite(bracket.upper) else bracket.lower > 0
