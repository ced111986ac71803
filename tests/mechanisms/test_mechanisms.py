"""Every mechanism: profile, inverse, Rényi curve and simulation agree with each other and with mpmath."""

import math
import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    Plan,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    TrainedModel,
    compose,
)
from dpviz.composition import theorem_named
from dpviz.mechanisms import BASE_MECHANISMS, REAL_VALUED, mechanism_from
from tests.golden import close_from_above, rows
from tests.strategies import MECHANISMS as RANDOM
from tests.strategies import SMALL_DELTAS

EXAMPLES = (
    Laplace(2.0),
    Laplace.from_epsilon(0.11),
    Gaussian(1.5),
    Gaussian.from_guarantee(0.5, 0.01, calibration="classical"),
    RandomizedResponse(0.7),
    ApproximateDP(0.4, 0.01),
    NameAndShame(0.05),
    DiscreteLaplace.from_epsilon(0.11),
    DiscreteLaplace(3.0, 2),
    DiscreteGaussian(1.5, 2),
    Exponential(0.7),
    PermuteAndFlip(0.7),
    ReportNoisyMax(0.7),
    KaryRandomizedResponse(0.7, 5),
    Declared.zcdp(0.1, 1e-9),
    Declared.gdp(0.3),
    Declared.renyi([2.0, 4.0], [0.1, 0.3]),
    Declared.profile([0.0, 0.5], [0.1, 1e-6]),
    TrainedModel(1000, 100, 2.0, epochs=2, scheme="fixed_size"),
)


def ids(mechanism):
    return type(mechanism).__name__


def test_every_mechanism_has_an_example():
    assert {type(example) for example in EXAMPLES} == set(BASE_MECHANISMS)


def test_texts_are_for_people():
    """No more digits than a person typed, and powers of ten for what is small."""
    assert str(ApproximateDP(0.1, 1e-9)) == "Black box (ε, δ) (epsilon 0.1, delta 10⁻⁹)"
    assert str(Laplace(10, 1)) == "Laplace (scale 10, sensitivity 1)"
    assert str(Laplace(10)) == "Laplace (scale 10)"


def test_typed_digits_stay_stated():
    assert Laplace.from_epsilon(0.11).stated.epsilon == 0.11
    assert Laplace(10).stated.epsilon == 0.1
    assert Laplace(3.0).stated.epsilon >= 1 / 3
    assert Laplace(1 / 0.11).stated.epsilon == 0.10999999999999999


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=ids)
def test_parameters_round_trip(mechanism):
    assert mechanism_from(mechanism.key, mechanism.parameters) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert hash(mechanism) == hash(mechanism_from(mechanism.key, mechanism.parameters))


@given(RANDOM, st.lists(st.floats(-60, 60), min_size=2, max_size=20))
def test_profile_is_a_profile(mechanism, epsilons):
    """Non-increasing, within [(1-e^ε)_+, 1], and the same for scalars and arrays."""
    epsilons = np.sort(np.array(epsilons))
    deltas = mechanism.delta(epsilons)
    assert deltas.shape == epsilons.shape
    assert np.all(np.diff(deltas) <= 1e-12 * deltas[:-1])
    assert np.all(deltas >= -np.expm1(np.minimum(epsilons, 0)) * (1 - 1e-15))
    assert np.all(deltas <= 1)
    assert mechanism.delta(float(epsilons[0])) == pytest.approx(deltas[0], rel=1e-14)


@given(RANDOM, st.floats(-30, -0.01))
def test_epsilon_inverts_delta(mechanism, log_delta):
    delta = 10.0**log_delta
    epsilon = mechanism.epsilon(delta)
    assert epsilon >= 0
    if math.isinf(epsilon):
        endless = math.isinf(mechanism.spared.epsilon(0.0))  # then all of δ is not enough for the leak alone
        assert mechanism.leak > delta or (endless and mechanism.leak == delta)
    else:
        assert mechanism.delta(epsilon) <= delta * (1 + 1e-9) + 1e-15
    if 0 < epsilon < math.inf:
        assert mechanism.delta(epsilon * (1 - 1e-9) - 1e-12) >= delta * (1 - 1e-9)


@given(st.floats(1e-6, 50), st.floats(-1.5, 1.5))
def test_pure_profiles_against_mpmath(epsilon, share):
    at = epsilon * share
    with mpmath.workdps(60):
        limit, point = mpmath.mpf(epsilon), mpmath.mpf(at)
        p = 1 / (1 + mpmath.exp(-limit))
        response = max(0, p - mpmath.exp(point) * (1 - p)) + max(0, (1 - p) - mpmath.exp(point) * p)
        laplace = (
            1 - mpmath.exp(point) if point <= -limit else max(0, 1 - mpmath.exp((point - limit) / 2))
        )
    for mechanism, exact in ((RandomizedResponse(epsilon), response), (Laplace.from_epsilon(epsilon), laplace)):
        value = mechanism.delta(at)
        assert float(exact) * (1 - 1e-14) - 1e-17 <= value <= float(exact) * (1 + 1e-11) + 1e-15


@pytest.mark.parametrize(("args", "value"), rows("rdp_laplace"))
def test_laplace_rdp_reference(args, value):
    conditioning = 2e-16 / (float(args["alpha"]) - 1)  # the order itself is a rounded decimal
    assert Laplace.from_epsilon(float(args["eps=Delta1/b"])).rdp(float(args["alpha"])) == pytest.approx(
        float(value), rel=1e-12 + conditioning
    )


@pytest.mark.parametrize(("args", "value"), rows("rdp_pure_dp_rr"))
def test_randomized_response_rdp_reference(args, value):
    conditioning = 2e-16 / (float(args["alpha"]) - 1)
    assert RandomizedResponse(float(args["eps"])).rdp(float(args["alpha"])) == pytest.approx(
        float(value), rel=1e-12 + conditioning
    )


@given(st.floats(1e-4, 2000), st.floats(-6, 6))
def test_pure_rdp_against_mpmath(epsilon, log_order):
    """Both branches of the stable forms, also where one order of an array is far and another is not."""
    alpha = 1 + 10.0**log_order
    with mpmath.workdps(60):
        limit, order = mpmath.mpf(epsilon), mpmath.mpf(alpha)
        p, q = 1 / (1 + mpmath.exp(-limit)), 1 / (1 + mpmath.exp(limit))
        response = mpmath.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)
        ahead, behind = order / (2 * order - 1), (order - 1) / (2 * order - 1)
        moment = ahead * mpmath.exp((order - 1) * limit) + behind * mpmath.exp(-order * limit)
        laplace = mpmath.log(moment) / (order - 1)
    orders = np.array([1.0 + 1e-6, alpha, 1e7])
    assert float(response) * (1 - 1e-15) <= RandomizedResponse(epsilon).rdp(orders)[1] <= float(response) * (1 + 1e-9)
    assert float(laplace) * (1 - 1e-15) <= Laplace.from_epsilon(epsilon).rdp(orders)[1] <= float(laplace) * (1 + 1e-9)


@pytest.mark.parametrize(("args", "value"), rows("rdp_gaussian"))
def test_gaussian_rdp_reference(args, value):
    assert close_from_above(Gaussian(float(args["sigma/Delta2"])).rdp(float(args["alpha"])), value)


@pytest.mark.parametrize(("args", "value"), rows("pure_to_zcdp_tight"))
def test_pure_rho_reference(args, value):
    assert close_from_above(RandomizedResponse(float(args["eps"])).rho, value)


@pytest.mark.parametrize(("args", "value"), rows("rdp_laplace_kl_limit"))
def test_laplace_rho_reference(args, value):
    assert close_from_above(Laplace.from_epsilon(float(args["eps"])).rho, value)


@given(RANDOM, st.floats(1.0001, 1e6))
def test_renyi_curve_lies_between_zcdp_and_pure(mechanism, alpha):
    rdp = mechanism.rdp(alpha)
    assert rdp >= 0
    assert rdp <= alpha * mechanism.rho * (1 + 1e-9)
    if mechanism.stated is not None and mechanism.stated.delta == 0:
        assert rdp <= mechanism.stated.epsilon


@pytest.mark.parametrize("mechanism", EXAMPLES[:6], ids=ids)
def test_simulation_has_the_profile(mechanism):
    """The share of δ(ε) seen in 400,000 draws lies within five standard errors of the profile."""
    rng = np.random.default_rng(7)
    outputs = mechanism.sample(1, 400_000, rng)
    losses = mechanism.log_ratio(outputs, 1, 0)
    for epsilon in (0.0, 0.2, 0.6):
        gains = np.maximum(0.0, -np.expm1(epsilon - losses))
        error = 5 * gains.std() / math.sqrt(gains.size) + 1e-12
        assert abs(gains.mean() - mechanism.delta(epsilon)) <= error


def test_name_and_shame_tells_only_by_its_leak():
    mechanism = NameAndShame(0.25)
    outputs = mechanism.sample(3.0, 100_000, np.random.default_rng(1))
    losses = mechanism.log_ratio(outputs, 3.0, 4.0)
    assert set(np.unique(losses)) == {0.0, np.inf}
    assert np.isinf(losses).mean() == pytest.approx(0.25, abs=0.01)
    assert mechanism.epsilon(0.2) == math.inf
    assert mechanism.epsilon(0.25) == 0.0


@given(st.floats(1e-3, 20), SMALL_DELTAS)
def test_black_box_at_its_own_delta_costs_its_epsilon(epsilon, delta):
    box = ApproximateDP(epsilon, delta)
    assert box.epsilon(delta) == epsilon
    if delta:
        assert box.epsilon(delta * 0.999) == math.inf
        assert (box.rho, box.rdp(2.0)) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Laplace(0), r"scale must be in \(0, inf\); got 0"),
        (lambda: Laplace(math.nan), r"scale must be in"),
        (lambda: Laplace.from_epsilon(0), r"epsilon must be in \(0, inf\); got 0"),
        (lambda: Laplace(1, -1), r"sensitivity must be in"),
        (lambda: Gaussian(math.inf), r"sigma must be in"),
        (lambda: RandomizedResponse(math.inf), r"epsilon must be in \[0, inf\); got inf"),
        (lambda: ApproximateDP(1, 1.5), r"delta must be in \[0, 1\]; got 1.5"),
        (lambda: NameAndShame(True), r"delta must be in"),
        (lambda: mechanism_from("exponential", {}), "mechanism must be one of laplace, gaussian"),
        (lambda: mechanism_from("laplace", {}), "laplace must be given by epsilon or scale; got nothing"),
        (lambda: mechanism_from("laplace", {"epsilon": 1, "delta": 0.1}), "it takes no delta"),
        (lambda: RandomizedResponse(1).sample(2, 1, np.random.default_rng(0)), "must be 0 or 1; got 2"),
        (lambda: Laplace(1).delta(math.nan), "epsilon must be in"),
        (lambda: Laplace(1).rdp(1.0), r"alpha must be in \(1, inf\); got 1"),
    ],
)
def test_bad_input_is_refused_with_name_interval_and_value(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def discrete_gaussian_delta(sigma: float, epsilon: float) -> float:
    """δ(ε) of Gaussian noise on integers whose answer moves by 1, by summing its probabilities."""
    with mp.workdps(30):
        weight = {n: mp.exp(-mp.mpf(n) ** 2 / (2 * mp.mpf(sigma) ** 2)) for n in range(-100, 101)}
        gains = (weight[n] - mp.exp(epsilon) * weight[n - 1] for n in range(-99, 101))
        return float(mp.fsum(max(gain, 0) for gain in gains) / mp.fsum(weight.values()))


def test_what_the_note_on_integers_says():
    """Gaussian noise on integers exceeds the tight ε of real-valued noise, and keeps within zCDP and Rényi DP."""
    one = Plan([Release("a", Gaussian(2.0, 1))])
    assert discrete_gaussian_delta(2.0, compose(one, 1e-6, "pld").epsilon) > 1.16e-6
    for theorem in ("zcdp", "rdp"):
        assert theorem_named(theorem).label in REAL_VALUED
        for sigma in (0.5, 1.0, 2.0, 5.0):
            total = compose(Plan([Release("a", Gaussian(sigma, 1))]), 1e-6, theorem).epsilon
            assert discrete_gaussian_delta(sigma, total) <= 1e-6


def test_laplace_noise_on_integers_is_a_randomized_response():
    """Its Rényi divergence, by summing its probabilities, is that of randomized response, above that of Laplace."""
    with mp.workdps(30):
        weight = {n: mp.exp(-mp.mpf(abs(n)) / 2) for n in range(-300, 301)}
        whole = mp.fsum(weight.values())
        moment = mp.fsum(weight[n] ** 3 / weight[n - 1] ** 2 for n in range(-299, 301)) / whole
    divergence = float(mp.log(moment)) / 2
    assert RandomizedResponse(0.5).rdp(3.0) == pytest.approx(divergence, rel=1e-12)
    assert divergence > 1.1 * Laplace(2.0).rdp(3.0)


@given(st.floats(-12, 2), st.floats(-14, -1), st.booleans())
def test_inverses_near_the_advantage(power, log_gap, is_laplace):
    """δ just below δ(0): ε is the small difference of two numbers, and not below the truth."""
    each = float(f"{10**power:.17g}")
    mechanism = Laplace.from_epsilon(each) if is_laplace else RandomizedResponse(each)
    with mpmath.workdps(60):
        limit = mpmath.mpf(repr(each))
        advantage = -mpmath.expm1(-limit / 2) if is_laplace else mpmath.tanh(limit / 2)
        delta = float(advantage * (1 - mpmath.mpf(10) ** log_gap))
        share = mpmath.mpf(delta) * (1 if is_laplace else 1 + mpmath.exp(-limit))
        exact = limit + (2 if is_laplace else 1) * mpmath.log1p(-share) if share < 1 else -1
        found = mechanism.epsilon(delta)
        assert found >= exact
        assert found <= max(exact, 0) + 4e-15 * limit + (4e-15 / (1 - share) if share < 1 else limit)
    assert Laplace.from_epsilon(0.0020865614061144153).epsilon(0.001042736674952309) >= 2.743e-18


@given(st.floats(-12, 2.5), st.floats(0, 1), st.sampled_from([Laplace.from_epsilon, RandomizedResponse, Gaussian]))
def test_profiles_at_negative_epsilon(power, share, make):
    """Where nothing is gained δ is 1 - e^ε, a number that no double holds: rounded up."""
    mechanism = make(10**power)
    epsilon = -(10**power) * (1 + 3 * share)
    with mpmath.workdps(60):
        least = -mpmath.expm1(mpmath.mpf(epsilon))
        assert least <= mechanism.delta(epsilon) <= 1
        if not isinstance(mechanism, Gaussian):
            assert mechanism.delta(epsilon) <= least * (1 + mpmath.mpf("4e-15"))


@pytest.mark.parametrize("epsilon", [5e-324, 1e-310])
def test_an_epsilon_without_a_scale_is_refused_by_its_name(epsilon):
    with pytest.raises(ValueError, match=f"^epsilon must be such that .*; got {epsilon!r} at sensitivity 1"):
        Laplace.from_epsilon(epsilon)


@pytest.mark.parametrize("mechanism", [Gaussian(1e-300), Gaussian(1e-155), Gaussian(1e300), Gaussian(1e160)], ids=repr)
@pytest.mark.filterwarnings("error")
def test_gaussian_noise_whose_square_is_no_double(mechanism):
    """μ²/2 + μ sqrt(2 ln(1/δ)) bounds ε; it may exceed the largest double."""
    assert mechanism.epsilon(0.0) == math.inf
    assert mechanism.rho > 0
    for delta in (5e-324, 1e-6, 0.5, 1 - 1e-16):
        epsilon = mechanism.epsilon(delta)
        mu = mpmath.mpf(mechanism.mu)
        assert epsilon <= mu * mu / 2 + mu * mpmath.sqrt(-2 * mpmath.log(delta)) or epsilon == math.inf
        if mu < 1:
            assert epsilon == 0 if delta >= mu else epsilon > 0
        else:
            assert epsilon >= mu * mu / 2 * mpmath.mpf("0.9999")
