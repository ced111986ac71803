"""The theory of the midpoint test: closed forms, mpmath, and the notebook's run."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from dpviz import Gaussian, Laplace, RandomizedResponse
from dpviz.adversary import midpoint_error
from dpviz.adversary.midpoint import normal_midpoint_error

CONTOUR = 1e-11  # relative error of the trapezoidal rule along the contour
NOTEBOOK = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
NOISES = st.floats(-3, 3).map(lambda power: 10**power)


def exact_notebook_error(times):
    """The same tail, integrated along a straight vertical line through the saddle, with 30 digits."""
    with mpmath.workdps(30):
        variance = mpmath.mpf(NOTEBOOK[2].sigma) ** 2

        def cumulant(s):
            return times * (-mpmath.log(1 - 4 * s * s) - mpmath.log(1 - s * s) + variance * s * s / 2)

        threshold = mpmath.mpf(3 * times) / 2
        centre = mpmath.findroot(lambda s: mpmath.diff(cumulant, s) - threshold, 0.03)

        def density(height):
            s = centre + 1j * height
            return (mpmath.exp(cumulant(s) - threshold * s) / s).real

        return mpmath.quad(density, mpmath.linspace(0, mpmath.mpf(3) / mpmath.sqrt(times), 13)) / mpmath.pi


def test_the_notebooks_three_thousand_releases():
    """Its standard deviation suggests 5.1e-12; the heavier tails of Laplace noise make it 5.2e-12."""
    assert midpoint_error(NOTEBOOK, 1000) == pytest.approx(float(exact_notebook_error(1000)), rel=CONTOUR)
    assert midpoint_error(NOTEBOOK, 1000) == pytest.approx(5.18669333626863e-12, rel=CONTOUR)
    assert f"{normal_midpoint_error(NOTEBOOK, 1000):.2g}" == "5.1e-12"


@pytest.mark.parametrize("times", [1, 10, 100])
def test_fewer_releases(times):
    assert midpoint_error(NOTEBOOK, times) == pytest.approx(float(exact_notebook_error(times)), rel=CONTOUR)


@given(NOISES, NOISES)
def test_closed_forms(scale, distance):
    """One Laplace, two Laplaces, one Gaussian, at any distance."""
    half = distance / 2 / scale
    one = 0.5 * math.exp(-half)
    assert midpoint_error([Laplace(scale)], 1, distance) == pytest.approx(one, rel=CONTOUR, abs=1e-300)
    two = math.exp(-2 * half) * (2 + 2 * half) / 4
    assert midpoint_error([Laplace(scale)], 2, distance) == pytest.approx(two, rel=CONTOUR, abs=1e-300)
    normal = float(ndtr(-half * math.sqrt(3)))
    assert midpoint_error([Gaussian(scale)], 3, distance) == pytest.approx(normal, rel=CONTOUR, abs=1e-300)
    assert normal_midpoint_error([Gaussian(scale)], 3, distance) == pytest.approx(normal, rel=CONTOUR, abs=1e-300)


@given(NOISES, NOISES)
def test_laplace_with_gaussian(scale, sigma):
    """P[L + G > t], with the Laplace tail averaged over G in closed form."""
    with mpmath.workdps(60):
        b, s, t = mpmath.mpf(scale), mpmath.mpf(sigma), mpmath.mpf(1)
        up = mpmath.exp(s * s / (2 * b * b) - t / b) * mpmath.ncdf(t / s - s / b) / 2
        down = mpmath.exp(s * s / (2 * b * b) + t / b) * mpmath.ncdf(-t / s - s / b) / 2
        exact = mpmath.ncdf(-t / s) + up - down
    if exact > 1e-250:
        assert midpoint_error([Laplace(scale), Gaussian(sigma)]) == pytest.approx(float(exact), rel=1e-9)


@given(st.lists(NOISES.map(Laplace) | NOISES.map(Gaussian), min_size=1, max_size=5), st.integers(1, 10**6))
def test_is_a_rate_that_falls(mechanisms, times):
    error = midpoint_error(mechanisms, times)
    assert 0 <= error <= 0.5 * (1 + CONTOUR)
    assert midpoint_error(mechanisms, 2 * times) <= error * (1 + CONTOUR)


@pytest.mark.parametrize(("scale", "sigma"), [(1e200, 1e-200), (1e-200, 1e200), (1e-200, 1.0), (1.0, 1e-200)])
def test_extremes(scale, sigma):
    assert 0 <= midpoint_error([Laplace(scale), Gaussian(sigma)]) <= 0.5 * (1 + CONTOUR)


def test_bits_have_no_such_theory():
    assert midpoint_error([Laplace(1.0), RandomizedResponse(1.0)]) is None
    assert normal_midpoint_error([RandomizedResponse(1.0)]) is None


@pytest.mark.parametrize(("mechanisms", "times", "distance"), [([], 1, 1.0), (NOTEBOOK, 0, 1.0), (NOTEBOOK, 1, 0.0)])
def test_refused(mechanisms, times, distance):
    with pytest.raises(ValueError, match="must be"):
        midpoint_error(mechanisms, times, distance)
