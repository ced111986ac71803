"""Noise on whole numbers composed: against convolutions at many digits, and the Census' allocation."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.composition import compare, epsilon_curve
from dpviz.privacy_loss import PrivacyLoss, pld_bound
from dpviz.privacy_loss.estimates.grid import _common_unit
from tests.effort import examples, with_calls
from tests.whole_numbers import convolved, discrete_gaussian_atoms, discrete_laplace_atoms, profile

SIGMAS = st.floats(-0.5, 0.4).map(lambda power: float(f"{10**power:.3g}"))
SCALES = st.floats(-0.5, 1.0).map(lambda power: float(f"{10**power:.3g}"))
NOISE = st.builds(DiscreteGaussian, SIGMAS, st.integers(1, 3)) | st.builds(DiscreteLaplace, SCALES, st.integers(1, 6))
DELTAS = st.floats(-18, -0.3).map(lambda power: 10**power)
# The Census' persons: ρ = 3.65 in all, shared by eight levels, each with ten tables of sensitivity 1.
SHARES = {"US": 0.02, "state": 0.274, "county": 0.085, "PEPG": 0.131, "subset": 0.131, "tract": 0.238,
          "group": 0.118, "block": 0.003}  # fmt: skip
CENSUS = {level: DiscreteGaussian(math.sqrt(10 / (2 * 3.65 * share)), 1) for level, share in SHARES.items()}
# What dp-accounting 0.6.0 encloses, at δ = 1e-11.
ENCLOSED = {"US": (2.467176, 2.468176), "state": (10.124957, 10.125957), "PEPG": (6.737771, 6.738771),
            "block": (0.917332, 0.918332)}  # fmt: skip


def atoms_of(mechanism):
    if isinstance(mechanism, DiscreteGaussian):
        return discrete_gaussian_atoms(mechanism.sigma, mechanism.sensitivity)
    return discrete_laplace_atoms(mechanism.scale, mechanism.sensitivity)


def holds(mechanisms, counts, delta, atoms):
    """Both ends of ε, and of δ at the upper one, enclose the truth; the width is what was asked for."""
    loss = PrivacyLoss(mechanisms, [counts])
    bracket = loss.epsilon_bracket(delta)
    upper, lower = mp.mpf(float(bracket.upper)), mp.mpf(float(bracket.lower))
    assert profile(atoms, upper * (1 + mp.mpf("1e-15"))) <= mp.mpf(delta)  # decimals typed, against doubles
    assert lower == 0 or profile(atoms, lower) >= mp.mpf(delta) * (1 - mp.mpf("1e-15"))
    between = loss.delta_bracket(float(bracket.upper) * 0.7)
    truth = profile(atoms, float(bracket.upper) * 0.7)
    assert between.lower <= truth * (1 + mp.mpf("1e-12")) + mp.mpf("1e-15")
    assert between.upper >= truth * (1 - mp.mpf("1e-14")) - mp.mpf("1e-15")
    return bracket


@examples(6)
@given(NOISE, st.integers(2, 5), DELTAS)
def test_one_kind_is_composed_exactly(mechanism, count, delta):
    """On its own lattice: nothing is widened."""
    bracket = holds([mechanism], [count], delta, convolved(*[atoms_of(mechanism)] * count))
    assert bracket.excess <= 1e-7 * bracket.upper + 1e-9


@examples(6)
@given(NOISE, NOISE, st.integers(1, 2), DELTAS)
def test_two_lattices_without_a_common_unit(one, other, count, delta):
    atoms = convolved(*[atoms_of(one)] * count, atoms_of(other))
    holds([one, other], [count, 1], delta, atoms)


@examples(4)
@given(NOISE, st.floats(0.05, 0.7), DELTAS)
def test_two_samples(mechanism, rate, delta):
    """Poisson sampling: each direction by the losses of its mixtures."""
    rate = float(f"{rate:.2g}")
    q, laws = mp.mpf(rate), []
    with mp.workdps(60):
        removed, added = {}, {}
        for loss, mass in atoms_of(mechanism).items():
            plain = mass * mp.exp(-loss)
            mixture = q * mass + (1 - q) * plain
            removed[mp.log(mixture / plain)] = mixture
            added[mp.log(plain / mixture)] = plain
        laws = [convolved(each, each) for each in (removed, added)]
    bracket = PrivacyLoss([Subsampled(mechanism, rate, "poisson")], [[2]]).epsilon_bracket(delta)
    upper, lower = mp.mpf(float(bracket.upper)), mp.mpf(float(bracket.lower))
    assert max(profile(atoms, upper * (1 + mp.mpf("1e-14"))) for atoms in laws) <= mp.mpf(delta)
    assert lower == 0 or max(profile(atoms, lower * (1 - mp.mpf("1e-14"))) for atoms in laws) >= mp.mpf(delta) * (
        1 - mp.mpf("1e-14")
    )


@pytest.mark.parametrize("level", SHARES)
def test_a_level_of_the_census(level):
    bracket = PrivacyLoss([CENSUS[level]], [[10]]).epsilon_bracket(1e-11)
    assert bracket.excess <= 1e-6
    low, high = ENCLOSED.get(level, (0, math.inf))
    assert low <= bracket.lower <= bracket.upper <= high
    real = PrivacyLoss([Gaussian(CENSUS[level].sigma)], [[10]]).epsilon_bracket(1e-11)
    assert level != "state" or bracket.lower - real.upper == pytest.approx(0.0090, abs=1e-4)


def test_the_whole_census():
    """Eighty releases, their levels' losses on one lattice of thousandths."""
    loss = PrivacyLoss(tuple(CENSUS.values()), [[10] * 8])
    bracket = loss.epsilon_bracket(1e-10)
    assert 20.320619 <= bracket.lower <= bracket.upper <= 20.328625
    assert bracket.excess <= 1e-5
    plan = Plan([Release(level, mechanism, 10) for level, mechanism in CENSUS.items()])
    table, calls = with_calls(lambda: compare(plan, 1e-10).set_index("theorem").epsilon)
    assert table.pld == pytest.approx(bracket.upper, rel=1e-6) and calls < 20_000
    assert table.zcdp == pytest.approx(21.14, abs=0.01)


@pytest.mark.parametrize("mechanism", [DiscreteGaussian(0.3), DiscreteGaussian(10.0), DiscreteGaussian(2e3),
                                       DiscreteGaussian(1e5, 2), DiscreteLaplace(20.0, 3)], ids=str)  # fmt: skip
@pytest.mark.parametrize("count", [1, 1000, 10**6])
def test_any_number_of_uses_is_bracketed(mechanism, count):
    bracket = PrivacyLoss([mechanism], [[count]]).epsilon_bracket(1e-9)
    assert 0 <= bracket.lower <= bracket.upper
    assert bracket.excess <= (1e-3 if count == 10**6 else 3e-6) * bracket.upper


def test_curves_lie_near_those_of_noise_on_real_numbers():
    """With much noise; never below them by more than a rounding, since no lattice tells less than the line."""
    counts = np.arange(1, 1001)
    for whole, real in ((DiscreteGaussian(40.0), Gaussian(40.0)), (DiscreteLaplace(40.0, 40), Laplace(40.0, 40.0))):
        curves = [epsilon_curve(each, counts, 1e-6, ["pld"]).epsilon.to_numpy() for each in (whole, real)]
        assert np.all(np.diff(curves[0]) >= 0)
        assert curves[0] == pytest.approx(curves[1], rel=2e-3)


def test_discrete_laplace_noise_lies_between_its_neighbours():
    """Laplace noise is it plus noise of its own; randomized response with the same ε is never better."""
    for shift in (1, 2, 7):
        three = DiscreteLaplace(5.0, shift), Laplace(5.0, float(shift)), RandomizedResponse(shift / 5)
        whole, real, told = (float(pld_bound([each], [[30]], 1e-6).epsilon[0]) for each in three)
        assert real * (1 - 1e-6) <= whole <= told * (1 + 1e-9)
        assert (whole == pytest.approx(told, rel=1e-12)) == (shift == 1)


def test_a_common_unit_is_found_among_rounded_losses():
    laws = [mechanism.loss for mechanism in CENSUS.values()]
    assert _common_unit(laws) == pytest.approx(0.73 / 2 / 1000, rel=1e-13)
    assert _common_unit([DiscreteGaussian(1.0).loss, DiscreteGaussian(math.pi).loss]) == 0


def test_an_independent_accountant_agrees():
    peer = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    step = {"value_discretization_interval": 1e-4}
    pairs = (
        (DiscreteGaussian(2.5, 2), peer.from_discrete_gaussian_mechanism(2.5, 2, **step), 7),
        (DiscreteLaplace(3.0, 2), peer.from_discrete_laplace_mechanism(1 / 3, 2, **step), 12),
        (Subsampled(DiscreteGaussian(1.2), 0.1, "poisson"),
         peer.from_discrete_gaussian_mechanism(1.2, sampling_prob=0.1, **step), 9),
    )  # fmt: skip
    for mechanism, law, count in pairs:
        theirs = law.self_compose(count).get_epsilon_for_delta(1e-6)
        bracket = PrivacyLoss([mechanism], [[count]]).epsilon_bracket(1e-6)
        assert bracket.lower <= theirs * (1 + 1e-9) and bracket.upper >= theirs - count * 1.1e-4
