"""The exact Gaussian profile, its inverse and its calibrations, against mpmath and the reference values."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import CALIBRATIONS, Gaussian
from dpviz.mechanisms.gaussian_profile import (
    analytic_sigma,
    classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
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
