"""Noise on whole numbers against sums of its probabilities at many digits."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpviz import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.adversary.midpoint import midpoint_error
from dpviz.decimals import typed
from dpviz.losses import LossDistribution
from dpviz.mechanisms.laws.integer_laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, grouped, log_total, rule
from dpviz.mechanisms.laws.loss_laws import FINE, RULE_ERROR, TWO_NODES
from dpviz_certified.enclosure import NotCertified
from dpviz_certified.laws import sides
from tests.whole_numbers import discrete_gaussian_atoms, discrete_laplace_atoms, profile

SIGMAS = st.floats(-0.7, 1.3).map(lambda power: float(f"{10**power:.4g}"))
SCALES = st.floats(-1.0, 2.0).map(lambda power: float(f"{10**power:.4g}"))
SHIFTS = st.integers(1, 6)
DELTAS = st.floats(-30, -0.1).map(lambda power: 10**power) | st.floats(0.01, 0.999)
GAUSSIAN = st.builds(DiscreteGaussian, SIGMAS, SHIFTS)
LAPLACE = st.builds(DiscreteLaplace, SCALES, st.integers(1, 25))
EITHER = GAUSSIAN | LAPLACE


def atoms_of(mechanism):
    if isinstance(mechanism, DiscreteGaussian):
        return discrete_gaussian_atoms(mechanism.sigma, mechanism.sensitivity)
    return discrete_laplace_atoms(mechanism.scale, mechanism.sensitivity)


@given(EITHER, st.floats(-1.2, 1.2), st.booleans(), st.integers(-3, 3))
def test_the_profile_is_the_sum_over_outputs(mechanism, share, kink, step):
    """At any ε, and at the losses themselves, where the profile bends."""
    atoms = atoms_of(mechanism)
    reach = float(max(atoms)) if isinstance(mechanism, DiscreteLaplace) else mechanism.rho + 6 / mechanism.strength
    losses = sorted(atoms)
    epsilon = float(losses[len(losses) // 2 + step]) if kink and abs(step) < len(losses) // 2 else share * reach
    truth, got = profile(atoms, epsilon), mechanism.delta(epsilon)
    # The ε of discrete Laplace noise is that of the decimals typed, within a rounding of the doubles here.
    typed = mp.mpf("1e-15") * (1 + abs(epsilon)) if isinstance(mechanism, DiscreteLaplace) else 0
    assert truth <= got + typed
    assert got <= truth * (1 + mp.mpf("1e-9")) + 5e-15 * (20 + abs(epsilon))


@given(st.floats(-1.0, 7.5).map(math.exp), st.sampled_from([1, 2, 7]), st.floats(0, 30))
@example(749.894, 1, 11.5)  # once groups of a few outputs, all taken themselves, were cut as if they were one each
def test_the_profile_is_never_below_the_sum_whatever_groups_there_are(sigma, shift, size):
    """Against all outputs one by one, in long doubles: groups grow from one output to several hundred with σ."""
    epsilon = size * shift / sigma
    outputs = np.arange(-int(40 * sigma + shift) - 2, int(40 * sigma + shift) + 3).astype(np.longdouble)
    masses = np.exp(-((outputs / np.longdouble(sigma)) ** 2) / 2)
    losses = shift * (outputs + np.longdouble(shift) / 2) / np.longdouble(sigma) ** 2
    beyond = losses > epsilon
    truth = float((masses[beyond] * -np.expm1(epsilon - losses[beyond])).sum() / masses.sum())
    assert truth * (1 - 1e-15) <= DiscreteGaussian(sigma, shift).delta(epsilon) <= truth * (1 + 1e-8) + 1e-290


@given(EITHER, DELTAS)
@example(DiscreteGaussian(0.3162), 0.1)  # between the smallest loss above 0 and none
def test_epsilon_is_the_least_that_suffices(mechanism, delta):
    atoms, found = atoms_of(mechanism), mechanism.epsilon(delta)
    rounded = mp.mpf(found) * (1 + mp.mpf("1e-15")) if isinstance(mechanism, DiscreteLaplace) else mp.mpf(found)
    assert profile(atoms, rounded) <= mp.mpf(delta)
    assert found == 0 or profile(atoms, mp.mpf(found) * (1 - mp.mpf("1e-9"))) >= mp.mpf(delta) * (1 - mp.mpf("1e-7"))


@given(EITHER, st.floats(-4, 2.5).map(lambda power: 1 + 10**power))
def test_the_renyi_curve_is_not_below_the_sum(mechanism, order):
    """Exactly it, but for Gaussian noise between orders at which the tilted noise is again centred on a number."""
    alpha = mp.mpf(order)
    with mp.workdps(60):
        moment = mp.fsum(mass * mp.exp((alpha - 1) * loss) for loss, mass in atoms_of(mechanism).items())
        truth = mp.log(moment) / (alpha - 1)
        assert truth <= mechanism.rdp(order)
        assert truth / alpha <= mechanism.rho
        near = (order - 1) * mechanism.sensitivity < 12 * getattr(mechanism, "sigma", 0)  # the sum ends beyond
        if isinstance(mechanism, DiscreteLaplace) or (mechanism.sigma > 3 and near):
            assert mechanism.rdp(order) <= truth * (1 + mp.mpf("1e-7")) + mp.mpf("1e-11")


@given(LAPLACE)
def test_rho_of_discrete_laplace_noise_is_reached(mechanism):
    """At order 1, by its slope, the mean loss; at larger ones D/α is smaller, by the sum itself."""
    atoms = atoms_of(mechanism)
    mean = mp.fsum(loss * mass for loss, mass in atoms.items())
    assert mean <= mechanism.rho <= mean * (1 + mp.mpf("1e-12"))
    assert mechanism.rho <= RandomizedResponse(mechanism.stated.epsilon).rho * (1 + 1e-12)
    assert mechanism.rho >= Laplace(mechanism.scale, mechanism.sensitivity).rho * (1 - 1e-12)


@pytest.mark.parametrize("sigma", [1.0, 2.0, 7.5])
def test_rho_of_discrete_gaussian_noise_is_reached_at_whole_orders(sigma):
    atoms = discrete_gaussian_atoms(sigma, 1)
    for order in (2, 3, 7):
        moment = mp.fsum(mass * mp.exp((order - 1) * loss) for loss, mass in atoms.items())
        assert DiscreteGaussian(sigma).rdp(order) == pytest.approx(float(mp.log(moment) / (order - 1)), rel=1e-12)


@pytest.mark.parametrize("sigma", [0.05, 0.3, 0.7, 0.999, 1.0, 1.5, 12.0])
def test_the_sum_of_all_weights(sigma):
    with mp.workdps(40):
        terms = (mp.exp(-(mp.mpf(y) ** 2) / (2 * mp.mpf(sigma) ** 2)) for y in range(-600, 601))
        assert log_total(sigma) == pytest.approx(float(mp.log(mp.fsum(terms))), abs=1e-15)


@given(st.integers(5, 400), st.integers(-(10**6), 10**6), st.booleans())
def test_the_rule_of_a_group_is_exact_for_polynomials(count, start, two):
    """To degree 3 or 7, around the middle, by whole numbers."""
    nodes, log_weights, _ = rule(np.array([float(start)]), np.array([float(count)]), two)
    middle, weights = start + (count - 1) / 2, np.exp(log_weights)
    doubled = range(-(count - 1), count, 2)
    for degree in range(4 if two else 8):
        truth = float(Fraction(sum(place**degree for place in doubled), 2**degree))
        size = count * (count / 2) ** degree
        assert weights @ (nodes - middle) ** degree == pytest.approx(truth, abs=1e-8 * size)


@given(st.sampled_from([30.0, 400.0, 3e4]), st.floats(0, 12), st.integers(1, 3), st.booleans())
def test_groups_err_by_less_than_they_say(sigma, z, shift, two):
    """P's mass and Q's, of one group of the largest size, summed at many digits."""
    slope = (z + 1 + shift / sigma + 1.8) / sigma
    count = min(int((TWO_NODES if two else FINE) / slope), 500)
    assume(count > 4)
    start = round(z * sigma)
    nodes, log_weights, _ = rule(np.array([float(start)]), np.array([float(count)]), two)
    with mp.workdps(40):
        square = 2 * mp.mpf(sigma) ** 2
        for moved in (0, shift):
            truth = mp.fsum(mp.exp(-(mp.mpf(y + moved) ** 2) / square) for y in range(start, start + count))
            places = zip(nodes.tolist(), log_weights.tolist(), strict=True)
            got = mp.fsum(mp.exp(mp.mpf(weight) - (mp.mpf(node) + moved) ** 2 / square) for node, weight in places)
            assert abs(got / truth - 1) <= RULE_ERROR + 2e-14 * (1 + z)  # the nodes are doubles


@given(st.integers(-40, 0), st.integers(1, 60), st.lists(st.floats(-50, 70), max_size=8), st.floats(0.5, 9))
def test_groups_reach_over_no_edge(first, size, borders, most):
    starts, counts = grouped((float(first), float(first + size - 1)), np.sort(borders), most)
    assert starts[0] == first and counts.sum() == size and (counts >= 1).all() and (counts <= max(most, 1)).all()
    assert (np.diff(starts) == counts[:-1]).all()
    for border in borders:
        assert not np.any((starts < border) & (starts + counts - 1 >= border))


LAWS = st.builds(DiscreteGaussianLaw, SIGMAS, SHIFTS) | st.builds(DiscreteLaplaceLaw, SCALES, st.integers(2, 25))


@given(LAWS)
def test_atoms_are_the_truth_within_their_errors(law):
    exact = discrete_gaussian_atoms(law.sigma, law.sensitivity) if isinstance(law, DiscreteGaussianLaw) else (
        discrete_laplace_atoms(law.scale, law.sensitivity)
    )  # fmt: skip
    losses, masses = np.array([float(loss) for loss in exact]), list(exact.values())
    atoms = law.atoms(np.sort(losses), -690.0)
    assert atoms.true_atoms == len(atoms.losses)
    for loss, log_mass, off, share in zip(
        atoms.losses, atoms.log_masses, atoms.loss_error, atoms.mass_error, strict=True
    ):
        place = np.argmin(np.abs(losses - loss))
        if min(log_mass, log_mass - loss) > -240:
            assert abs(losses[place] - loss) <= off + 4e-16 * abs(loss)
            assert abs(mp.exp(mp.mpf(log_mass)) / masses[place] - 1) <= share
    (unit,) = law.true_losses()
    assert atoms.losses / unit == pytest.approx(np.rint(atoms.losses / unit), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("mechanism", [DiscreteGaussian(0.6), DiscreteGaussian(4.3), DiscreteLaplace(0.8),
                                       DiscreteLaplace(6.0)], ids=str)  # fmt: skip
def test_samples_follow_the_masses(mechanism):
    draws = 200_000
    drawn = mechanism.sample(3.0, draws, np.random.default_rng(7)) - 3.0
    noise, places = mechanism.noise, np.arange(-60.0, 61.0)
    masses = noise.density(places)
    assert masses.sum() == pytest.approx(1, abs=1e-3) and noise.density(np.array([0.5]))[0] == 0
    shares = (drawn[:, None] == places).mean(axis=0)
    assert np.all(np.abs(shares - masses) <= 5 * np.sqrt(masses / draws) + 2e-5)
    assert noise.below(places) == pytest.approx(np.cumsum(masses) + noise.below(np.array([-61.0])), abs=1e-12)
    assert drawn.std() == pytest.approx(noise.deviation, rel=0.02)
    assert np.abs(drawn).mean() == pytest.approx(noise.mean_distance, rel=0.02)
    ratio = mechanism.log_ratio(np.array([5.0]), 4.0, 3.0)[0]
    assert ratio == pytest.approx(float(np.log(noise.density(np.array([1.0])) / noise.density(np.array([2.0])))[0]))


@given(EITHER, st.floats(0.01, 0.9999))
def test_the_half_width_is_the_least_that_holds(mechanism, confidence):
    noise = mechanism.noise
    width = noise.half_width(confidence)
    inside = noise.density(np.arange(-width, width + 1)).sum()
    assert width == round(width) and inside >= confidence * (1 - 1e-11)
    assert width == 0 or inside - 2 * noise.density(np.array([width]))[0] <= confidence * (1 + 1e-11)


def test_much_noise_is_nearly_that_on_real_numbers():
    for wide, real in ((DiscreteGaussian(1e5), Gaussian(1e5)), (DiscreteLaplace(1e5, 10**5), Laplace(1e5, 1e5))):
        assert wide.epsilon(1e-9) == pytest.approx(real.epsilon(1e-9), rel=1e-5)
        assert wide.rho == pytest.approx(real.rho, rel=1e-9)
        assert wide.noise.half_width(0.95) == pytest.approx(real.noise.half_width(0.95), abs=1)


def test_hardly_any_noise_has_an_answer():
    """Far beyond what anybody would use, by ρ alone."""
    for mechanism in (DiscreteGaussian(1e-3), DiscreteGaussian(1.0, 10**6), DiscreteLaplace(1e-3, 7)):
        epsilon = mechanism.epsilon(1e-6)
        assert math.isfinite(epsilon) and mechanism.delta(epsilon) <= 1e-6 and mechanism.delta(0.0) == 1
    assert DiscreteGaussian(2.0).epsilon(0.0) == math.inf and DiscreteGaussian(2.0).delta(math.inf) == 0
    assert math.isfinite(DiscreteGaussian(2.0).epsilon(5e-324))


@pytest.mark.parametrize("bad", [0, 1.5, -1, 2e9, True])
def test_the_sensitivity_is_a_whole_number(bad):
    for kind in (DiscreteLaplace, DiscreteGaussian):
        with pytest.raises(ValueError, match=r"sensitivity must be in \[1, 1000000000\], a whole number"):
            kind(2.0, bad)


@given(GAUSSIAN | LAPLACE, st.floats(0.01, 0.9), st.floats(-0.5, 1.0))
def test_a_sample_has_the_profiles_of_its_mixtures(mechanism, rate, epsilon):
    """(1-q) Q + q P against Q, and Q against it, by the sum over outputs."""
    sampled, q, atoms = Subsampled(mechanism, rate, "poisson"), mp.mpf(rate), atoms_of(mechanism)
    with mp.workdps(60):
        rise = mp.exp(mp.mpf(epsilon))
        mixed = [(mass * mp.exp(-loss), q * mass + (1 - q) * mass * mp.exp(-loss)) for loss, mass in atoms.items()]
        removed = mp.fsum(max(mixture - rise * plain, 0) for plain, mixture in mixed)
        added = mp.fsum(max(plain - rise * mixture, 0) for plain, mixture in mixed)
    for truth, side in zip((removed, added), sampled.profiles, strict=True):
        got = float(side(np.array(epsilon)))
        assert truth <= got * (1 + 1e-14) + 1e-15 and got <= truth * (1 + mp.mpf("1e-9")) + mp.mpf("1e-13")


def test_what_needs_real_numbers_refuses_whole_ones():
    mechanism = DiscreteGaussian(2.0)
    assert midpoint_error((mechanism,)) is None
    with pytest.raises(NotCertified):
        sides([mechanism], [1])


@pytest.mark.parametrize("mechanism", [DiscreteGaussian(2.0), DiscreteGaussian(0.5, 3), DiscreteLaplace(3.0, 4)])
@pytest.mark.parametrize("count", [1, 20])
def test_the_loss_is_drawn_with_all_its_mass(mechanism, count):
    drawn = LossDistribution.of(mechanism, count)
    assert drawn.total == pytest.approx(1, abs=1e-6)
    assert drawn.drawn_moment(0.0, 1) == pytest.approx(drawn.mean, rel=1e-4)
    endless = isinstance(mechanism, DiscreteGaussian)
    assert drawn.largest[0] == (math.inf if endless else pytest.approx(count * 4 / 3))


def test_a_scale_given_by_epsilon_loses_no_more_than_that():
    """As decimals, and δ at that ε is 0 of the noise itself: 8 / 0.23 rounds down to a scale that loses more."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        epsilon = float(f"{10 ** rng.uniform(-5, 1.4):.{rng.integers(1, 18)}g}")
        sensitivity = int(10 ** rng.uniform(0, 6))
        noise = DiscreteLaplace.from_epsilon(epsilon, sensitivity)
        assert typed(sensitivity) <= typed(noise.scale) * typed(epsilon)
        assert noise.scale == pytest.approx(sensitivity / epsilon, rel=4.5e-16)  # two units in the last place
    assert typed(8) <= typed(DiscreteLaplace.from_epsilon(0.23, 8).scale) * typed(0.23)
    assert typed(8) > typed(8 / 0.23) * typed(0.23)
