"""The exact Gaussian profile, its inverse and its calibrations, against mpmath and the reference values."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dpviz import CALIBRATIONS, Gaussian
from dpviz.mechanisms.laws.gaussian_profile import (
    _FRACTION_ERROR,
    _NARROW_ERROR,
    _PLACE_ERROR,
    _SERIES_ERROR,
    analytic_sigma,
    classical_sigma,
    gaussian_delta,
    gaussian_delta_floor,
    gaussian_epsilon,
    gaussian_epsilon_floor,
    gaussian_mu,
    quoted_delta,
)
from tests.golden import close_from_above, rows


def exact_delta(epsilon, mu):
    """Balle-Wang at 80 digits."""
    with mpmath.workdps(80):
        epsilon, mu = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("args", "value"), rows("gaussian_delta"))
def test_delta_reference(args, value):
    assert close_from_above(Gaussian(float(args["sigma/Delta"])).delta(float(args["eps"])), value)


@pytest.mark.parametrize(("args", "value"), rows("gdp_mu_delta"))
def test_delta_of_mu_reference(args, value):
    assert close_from_above(float(gaussian_delta(float(args["eps"]), float(args["mu"]))), value)


@pytest.mark.parametrize(("args", "value"), rows("gaussian_eps"))
def test_epsilon_reference(args, value):
    assert close_from_above(Gaussian(float(args["sigma/Delta"])).epsilon(float(args["delta"])), value)


@pytest.mark.parametrize(("args", "value"), rows("gaussian_sigma_analytic"))
def test_analytic_sigma_reference(args, value):
    assert close_from_above(analytic_sigma(float(args["eps"]), float(args["delta"])), value)


@pytest.mark.parametrize(("args", "value"), rows("gaussian_sigma_classical"))
def test_classical_sigma_reference(args, value):
    assert classical_sigma(float(args["eps"]), float(args["delta"])) == pytest.approx(float(value), rel=1e-12)


@given(st.floats(-5, 3), st.floats(-1, 36))
def test_delta_is_never_below_the_truth(log_mu, a):
    """Random μ from 1e-5 to 1e3 and distances into the tail to 36 standard deviations (δ = 1e-285)."""
    mu = 10.0**log_mu
    epsilon = max(0.0, mu * a + mu * mu / 2)
    exact = exact_delta(epsilon, mu)
    value = float(gaussian_delta(epsilon, mu))
    conditioning = 1e-12 + 1e-15 * a * a + 4e-16 * (epsilon / mu) ** 2
    assert exact * (1 - mpmath.mpf("1e-14")) <= value <= exact * (1 + mpmath.mpf(conditioning))


@given(st.floats(-160, 160), st.floats(0, 1e300) | st.floats(0, 50))
def test_one_point_is_quoted_as_in_an_array(log_mu, epsilon):
    """The quick way for single points agrees with the way for arrays, to the last digits of the logarithm."""
    mu = 10.0**log_mu
    one, many = quoted_delta(epsilon, mu), float(gaussian_delta(epsilon, mu))
    assert one == pytest.approx(many, rel=1e-12 + 1e-15 * abs(math.log(many)), abs=1e-323)


@given(st.floats(-5, 3), st.floats(-300, -0.01))
def test_epsilon_inverts_delta_from_above(log_mu, log_delta):
    mu, delta = 10.0**log_mu, 10.0**log_delta
    epsilon = float(gaussian_epsilon(delta, mu))
    assert exact_delta(epsilon, mu) <= mpmath.mpf(delta) * (1 + mpmath.mpf("1e-15"))
    if epsilon > 0:
        assert exact_delta(epsilon * (1 - 1e-11) - 1e-14, mu) > delta


@given(st.floats(1e-6, 50), st.floats(-30, -0.31))
def test_sigma_round_trip(epsilon, log_delta):
    delta = 10.0**log_delta
    sigma = analytic_sigma(epsilon, delta)
    assert exact_delta(epsilon, 1 / sigma) <= delta
    assert exact_delta(epsilon, 1 / (sigma * (1 - 1e-11))) > delta


def test_limits():
    noise = Gaussian(2.0)
    assert noise.delta(np.array([-math.inf, math.inf])).tolist() == [1.0, 0.0]
    assert noise.epsilon(1.0) == 0.0
    assert noise.epsilon(0.0) == math.inf
    assert noise.epsilon(0.9) == 0.0
    assert float(gaussian_delta(1.0, 0.0)) == 0.0
    assert float(gaussian_delta(1.0, math.inf)) == 1.0
    assert gaussian_mu(0.0, 0.1) == pytest.approx(2 * math.sqrt(2) * float(mpmath.erfinv(0.1)), rel=1e-12)


@given(st.floats(-40, 40), st.floats(0.05, 20))
def test_profile_over_every_real_epsilon_is_symmetric(epsilon, mu):
    """δ(-ε) = 1 - e^-ε (1 - δ(ε)), as for every symmetric pair."""
    exact = exact_delta(epsilon, mu)
    assert float(gaussian_delta(epsilon, mu)) == pytest.approx(float(exact), rel=1e-11, abs=1e-300)


class TestFromGuarantee:
    """The calibration carries its range and refuses what its noise does not meet."""

    def test_the_typed_pair_stays_stated(self):
        noise = Gaussian.from_guarantee(0.5, 0.01, calibration="classical")
        assert (noise.stated.epsilon, noise.stated.delta) == (0.5, 0.01)
        assert noise.sigma == pytest.approx(6.2150229201844790132, rel=1e-12)
        assert Gaussian(noise.sigma).stated is None

    def test_classical_is_refused_where_it_is_false(self):
        """At δ = 0.1 the classical noise stops meeting its pair at ε = 5.7426."""
        assert Gaussian.from_guarantee(5.74, 0.1, calibration="classical").delta(5.74) <= 0.1
        with pytest.raises(ValueError, match=r"proved for epsilon in \(0, 1\) only"):
            Gaussian.from_guarantee(5.75, 0.1, calibration="classical")

    def test_the_proven_range_is_said_outside_it(self):
        assert Gaussian.from_guarantee(0.99, 1e-5, calibration="classical").note == ""
        assert "(0, 1)" in Gaussian.from_guarantee(1.0, 1e-5, calibration="classical").note
        assert Gaussian.from_guarantee(3.0, 1e-5).note == ""

    @pytest.mark.parametrize("epsilon_delta", [(0.5, 0.0), (0.5, 1.0), (math.inf, 0.1), (-1, 0.1), (math.nan, 0.1)])
    @pytest.mark.parametrize("calibration", [record.key for record in CALIBRATIONS])
    def test_pairs_that_no_gaussian_meets_are_refused(self, epsilon_delta, calibration):
        with pytest.raises(ValueError):
            Gaussian.from_guarantee(*epsilon_delta, calibration=calibration)

    def test_an_unknown_calibration_is_refused_with_the_choices(self):
        with pytest.raises(ValueError, match="analytic, classical"):
            Gaussian.from_guarantee(1, 1e-5, calibration="magic")

    @given(st.floats(1e-6, 50), st.floats(-30, -0.31))
    def test_analytic_always_meets_its_pair(self, epsilon, log_delta):
        delta = 10.0**log_delta
        assert Gaussian.from_guarantee(epsilon, delta).delta(epsilon) <= delta


def enclosed_delta(epsilon: float, mu: float) -> arb:
    """δ(ε) in a ball of relative radius below 1e-30, or as 0 or 1 where no double tells the difference."""
    away = Fraction(epsilon) / Fraction(mu) - Fraction(mu) / 2
    if abs(away) > 45:
        return arb(0) if away > 0 else arb(1)
    ctx.prec = 2500
    exact, root = arb(mu), arb(2).sqrt()
    a, b = arb(epsilon) / exact - exact / 2, arb(epsilon) / exact + exact / 2
    tail, density = (a / root).erfc() / 2, (-a * a / 2).exp() / (2 * arb.pi()).sqrt()
    if mu < 1e4:
        return tail - arb(epsilon).exp() * (b / root).erfc() / 2
    mills = 1 / b - b**-3 + 3 * b**-5 - 15 * b**-7
    return tail - density * mills.union(mills + 105 * b**-9)


def random_mus(rng: np.random.Generator, size: int) -> np.ndarray:
    return 10.0 ** np.select(
        [rng.random(size) < 0.2, rng.random(size) < 0.5],
        [rng.uniform(-150, 150, size), rng.uniform(-6, 4, size)],
        rng.uniform(-1, 1, size),
    )


class TestProvedEnds:
    """What is quoted lies on its side of the truth, at random and at extreme points."""

    def test_delta_lies_between_its_ends(self):
        rng = np.random.default_rng(1)
        mu = random_mus(rng, 1500)
        a = np.where(rng.random(1500) < 0.7, rng.uniform(-5, 40, 1500), rng.uniform(-1, 3, 1500))
        epsilon = mu * a + mu * mu / 2
        epsilon = np.where(rng.random(1500) < 0.15, 10.0 ** rng.uniform(-20, 15, 1500), epsilon)
        epsilon = np.where(epsilon < 0, mu * 10.0 ** rng.uniform(-20, 0.5, 1500), epsilon)
        low, high = gaussian_delta_floor(epsilon, mu), gaussian_delta(epsilon, mu)
        for point in zip(epsilon.tolist(), mu.tolist(), low.tolist(), high.tolist(), strict=True):
            exact = enclosed_delta(*point[:2])
            assert arb(point[2]) <= exact, point
            assert exact <= arb(point[3]), point
            assert exact <= arb(quoted_delta(*point[:2])), point

    def test_the_ends_are_near(self):
        rng = np.random.default_rng(2)
        mu = 10.0 ** rng.uniform(-6, 2, 4000)
        a = np.maximum(rng.uniform(-5, 37, 4000), -mu / 2)
        epsilon = np.maximum(mu * a + mu * mu / 2, 0.0)
        low, high = gaussian_delta_floor(epsilon, mu), gaussian_delta(epsilon, mu)
        kept = low > 1e-300
        assert ((high - low)[kept] <= (1e-13 * (1 + a * a / 1e3) * high)[kept]).all()

    def test_epsilon_lies_between_its_ends(self):
        rng = np.random.default_rng(3)
        mu = random_mus(rng, 800)
        delta = 10.0 ** np.where(rng.random(800) < 0.5, rng.uniform(-300, -0.005, 800), rng.uniform(-12, -0.005, 800))
        low, high = gaussian_epsilon_floor(delta, mu), gaussian_epsilon(delta, mu)
        ordinary = (mu < 100) & (high > mu) & (delta < 0.1)
        assert ((high - low)[ordinary] <= 1e-13 * high[ordinary]).all()
        for point in zip(delta.tolist(), mu.tolist(), low.tolist(), high.tolist(), strict=True):
            assert point[3] == math.inf or enclosed_delta(point[3], point[1]) <= arb(point[0]), point
            assert point[2] == 0 or enclosed_delta(point[2], point[1]) >= arb(point[0]), point

    @given(st.floats(-300, 15) | st.just(-math.inf), st.floats(-300, -0.005))
    def test_mu_meets_its_pair_and_no_larger_one_does(self, log_epsilon, log_delta):
        epsilon, delta = 10.0**log_epsilon, 10.0**log_delta
        mu = gaussian_mu(epsilon, delta)
        assert enclosed_delta(epsilon, mu) <= arb(delta)
        assert delta <= 1e-299 or enclosed_delta(epsilon, mu * (1 + 2e-12)) > arb(delta)

    @given(st.floats(-3, 2))
    def test_the_ends_fall_with_epsilon(self, log_mu):
        mu = 10.0**log_mu
        epsilon = np.linspace(0, mu * mu / 2 + 38 * mu, 300)
        assert (gaussian_delta_floor(epsilon[1:], mu) <= gaussian_delta(epsilon[:-1], mu)).all()
        high = gaussian_delta(epsilon, mu)
        assert (np.diff(high)[high[:-1] < 0.99] < 0).all()

    def test_where_doubles_end(self):
        mus = [0.0, 5e-324, 1e-310, 1e-151, 1.0, 2.0**42, 2.0**42 * (1 + 2**-52), 1e20, 1e160, 1.7e308, math.inf]
        epsilons = [-math.inf, -1e308, -1.0, -5e-324, 0.0, 5e-324, 1e-160, 1.0, 1e15, 1.7e308, math.inf]
        epsilon, mu = np.meshgrid(epsilons, mus)
        low, high = gaussian_delta_floor(epsilon, mu), gaussian_delta(epsilon, mu)
        assert ((low >= 0) & (low <= high) & (high <= 1)).all()
        assert (high[(mu > 0) & (epsilon < math.inf)] > 0).all()
        assert (low[(epsilon == -math.inf) | (mu == math.inf)] == 1).all()
        assert not high[(epsilon == math.inf) & (mu < math.inf)].any()
        deltas, mu = np.meshgrid([0.0, 5e-324, 1e-310, 1e-100, 0.5, 1 - 1e-12, 1 - 2**-53, 1.0], mus)
        low, high = gaussian_epsilon_floor(deltas, mu), gaussian_epsilon(deltas, mu)
        assert (low <= high).all()
        assert not high[(deltas >= mu) | (deltas == 1)].any()
        assert (low[(deltas == 0) & (mu > 0)] == math.inf).all()


@pytest.fixture(scope="module")
def ratios():
    """r_n = I_n / I_(n-1) at 5/2, from so far out that the start does not show in 40 digits."""
    with mpmath.workdps(40):
        ratio, found = mpmath.mpf(0), []
        for n in range(6000, 0, -1):
            ratio = 1 / (2.5 + n * ratio)
            found.append(ratio)
    return found[:-301:-1]


class TestRoundingOfTheSeries:
    """The constants of the module against the recursions of the proof, in units of 2^-53."""

    def product_errors(self, ratios):
        """Of I_0, I_1, ... as products of ratios whose errors each step contracts by θ = 1 - x r and adds to."""
        rounding, start, errors = 0.0, 0.3 * 2.0**53, []
        for ratio in reversed(ratios):
            theta = 1 - 2.5 * float(ratio)
            rounding, start = theta * (rounding + 1) + 2, theta * start
            errors.append(rounding + start)
        return [sum(errors[: -n - 2 : -1]) + n for n in range(106)]

    def coefficients(self, ratios, node):
        """I_n of n < 60 at a node up to 5/2 and, of n < 26, their errors."""
        base, shift = self.product_errors(ratios), mpmath.mpf(2.5 - node)
        integrals = [mpmath.fprod(ratios[: n + 1]) for n in range(141)]
        values, errors = [], []
        for n in range(60):
            terms = [math.comb(n + k, n) * shift**k * integrals[n + k] for k in range(81)]
            values.append(mpmath.fsum(terms))
            if n < 26:
                steps = [base[n + k] + (k + 4) * (shift > 0) for k in range(80)]
                lost = 2 * terms[80] / values[-1] * 2**53
                errors.append(mpmath.fdot(terms[:80], steps) / values[-1] + lost)
        return values, errors

    @pytest.mark.parametrize("quarters", range(11))
    def test_the_constants_cover_the_recursion(self, ratios, quarters):
        values, errors = self.coefficients(ratios, quarters / 4)
        p = 0.25 if quarters else 0.0
        powers = [value * p**n for n, value in enumerate(values)]
        mills = sum(power * (errors[n] + 2 * n + 1) for n, power in enumerate(powers[:15]))
        mills = (mills + sum(powers[15:]) * 2**53) / sum(powers) + 2.2
        assert mills * 2**-53 <= (_SERIES_ERROR if quarters < 10 else _FRACTION_ERROR)
        p = 0.75 if quarters else 0.5
        slopes = [n * value * p ** (n - 1) / values[1] for n, value in enumerate(values) if n]
        first = errors[1] + 5
        pair = first + sum(slope * (errors[n] + 3 * n + 2 - first) for n, slope in enumerate(slopes[:25], 1))
        assert (pair + sum(slopes[25:]) * 2**53 + 3.5) * 2**-53 + _PLACE_ERROR <= _NARROW_ERROR
