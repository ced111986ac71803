"""The drawn distribution of the privacy loss: all of the probability, the moments, and the engine's δ in its tail."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Laplace, NameAndShame, Plan, RandomizedResponse
from dpviz.losses import LossDistribution
from dpviz.mechanisms import Mechanism
from dpviz.plan import as_plan
from dpviz.privacy_loss import PrivacyLoss
from tests.strategies import DRAWABLE, EPSILONS

ROUNDING = 1e-9  # of sums over up to 10^5 terms, and of the Gaussian tails beyond 6.5 deviations
LATTICE = 1e-3  # relative widening of the variance by the lattice
DRAWN = 0.02  # relative error of a drawn tail with few cells
KINDS = [
    Laplace.from_epsilon(0.1),
    Laplace.from_epsilon(1.0),
    Laplace.from_epsilon(50.0),
    Laplace.from_epsilon(1e-6),
    Gaussian(2.0),
    RandomizedResponse(0.5),
    ApproximateDP(0.5, 1e-3),
    NameAndShame(0.1),
]
RULE = np.polynomial.legendre.leggauss(100)
COUNTS = st.one_of(st.sampled_from([1, 2, 3, 10, 100, 1000]), st.integers(1, 3000))


def plan(mechanism: Mechanism, count: int) -> Plan:
    return as_plan({mechanism: count})


@given(DRAWABLE, COUNTS)
def test_all_probability_is_drawn(mechanism, count):
    """Atoms, density and the infinite loss add up to 1."""
    assert math.isclose(LossDistribution.of(mechanism, count).total, 1.0, abs_tol=ROUNDING)


@given(DRAWABLE, COUNTS)
def test_moments_match_closed_forms(mechanism, count):
    """Mean and variance of what is drawn are those of k independent losses."""
    drawn = LossDistribution.of(mechanism, count)
    finite = 1 - drawn.infinite
    if finite < 1e-6:
        return
    mean = drawn.drawn_moment(0.0, 1) / finite
    scale = math.sqrt(drawn.variance) + abs(drawn.finite_mean)
    assert abs(mean - drawn.finite_mean) <= 1e-8 * scale + 1e-300
    variance = drawn.drawn_moment(mean, 2) / finite
    assert abs(variance - drawn.variance) <= LATTICE * drawn.variance + 1e-14 * scale**2 * math.sqrt(count)


@given(EPSILONS)
def test_single_moments_match_numerical_integration(epsilon):
    """The closed forms for Laplace noise agree with its density."""
    nodes, weights = RULE
    half = min(epsilon, 60.0)  # what falls short of ε by more than 120 has probability below 1e-26
    short = half * (1 + nodes)
    masses = np.append(half * weights * np.exp(-short / 2) / 4, math.exp(-epsilon) / 2)
    short = np.append(short, 2 * epsilon)
    mean = masses @ short
    closed = Laplace.from_epsilon(epsilon).loss.moments
    assert math.isclose(closed[0], epsilon - mean, rel_tol=1e-9, abs_tol=1e-14 * epsilon)
    assert math.isclose(closed[1], masses @ short**2 - mean**2, rel_tol=1e-9)


@pytest.mark.parametrize("mechanism", KINDS[:7], ids=str)
def test_mean_is_the_relative_entropy(mechanism):
    """The closed mean is the limit of the Rényi divergence as its order falls to 1."""
    if mechanism.stated and mechanism.stated.delta:
        mechanism = RandomizedResponse(mechanism.stated.epsilon)
    assert math.isclose(mechanism.loss.moments[0], mechanism.rdp(1 + 1e-9), rel_tol=1e-5)


@pytest.mark.parametrize("mechanism", KINDS, ids=str)
@pytest.mark.parametrize("count", [1, 2, 20, 300])
@pytest.mark.parametrize("delta", [0.03, 1e-6, 1e-12])
def test_tail_weighs_delta(mechanism, count, delta):
    """The filled part beyond ε, found by the engine, weighs the δ of that ε: two routes to one number."""
    epsilon = float(PrivacyLoss.of(plan(mechanism, count)).epsilon(delta))
    drawn = LossDistribution.of(mechanism, count)
    tail = drawn.tail(epsilon)
    area = tail[tail.kind == "density"]
    weight = tail.paid[tail.kind != "density"].sum() + np.trapezoid(area.paid, area.loss)
    if math.isinf(epsilon):
        assert weight == pytest.approx(drawn.infinite)
        assert weight > delta * (1 - 1e-9)
    elif epsilon > 0 and drawn.largest[0] - epsilon > 1e-3 * epsilon:  # closer, only rounding is left
        assert weight == pytest.approx(delta, rel=DRAWN)
    else:
        assert weight <= delta * (1 + DRAWN)


@given(EPSILONS, COUNTS)
def test_largest_laplace_loss_has_probability_two_to_the_minus_k(epsilon, count):
    """All k noises must fall on one side."""
    largest, mass = LossDistribution.of(Laplace.from_epsilon(epsilon), count).largest
    assert math.isclose(largest, count * epsilon, rel_tol=1e-12)
    assert math.isclose(mass, 0.5**count, rel_tol=1e-9, abs_tol=1e-300)


@given(st.floats(-6, 0).map(lambda power: 10**power), COUNTS)
def test_infinite_loss_compounds(leak, count):
    """Some of k releases leaks with probability 1 - (1 - δ)^k, and then the mean is infinite."""
    drawn = LossDistribution.of(NameAndShame(leak), count)
    assert math.isclose(drawn.infinite, -math.expm1(count * math.log1p(-min(leak, 1 - 1e-16))), rel_tol=1e-9)
    assert math.isinf(drawn.mean)


def test_sum_becomes_a_bell():
    """The largest distance to the normal distribution function falls like 1/sqrt(k)."""
    from scipy.special import ndtr

    distances = []
    for count in (10, 40, 160):
        drawn = LossDistribution.of(Laplace.from_epsilon(0.5), count)
        steps = np.diff(drawn.places, prepend=drawn.places[0]) * drawn.density
        places = np.linspace(drawn.finite_mean - 3, drawn.finite_mean + 3, 50)
        below = [steps[drawn.places <= x].sum() + drawn.masses[drawn.losses <= x].sum() for x in places]
        distances.append(np.abs(below - ndtr((places - drawn.finite_mean) / math.sqrt(drawn.variance))).max())
    assert distances[0] > 1.5 * distances[1] > 2 * distances[2]


def test_simulation_agrees():
    """Simulated losses fall below any place as often as drawn."""
    mechanism, count, trials = Laplace.from_epsilon(0.5), 12, 40_000
    rng = np.random.default_rng(7)
    outputs = mechanism.sample(0.0, (trials, count), rng)
    totals = mechanism.log_ratio(outputs, 0.0, 1.0).sum(axis=1)
    drawn = LossDistribution.of(mechanism, count)
    for place in (-1.13, 0.31, 1.77, 3.03):
        inside = drawn.places <= place
        share = np.trapezoid(drawn.density[inside], drawn.places[inside]) + drawn.masses[drawn.losses <= place].sum()
        assert abs((totals <= place).mean() - share) < 5 * math.sqrt(0.25 / trials)


@pytest.mark.parametrize("mechanism", KINDS, ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 1e6, math.inf])
def test_frame_is_tidy(mechanism, epsilon):
    """Every row has a kind, a loss and either a mass or a density, and δ never pays for more than there is."""
    for count in (1, 7, 4000):
        frame = LossDistribution.of(mechanism, count).frame(epsilon)
        assert set(frame.kind) <= {"atom", "density", "infinity"}
        height = frame.mass.fillna(frame.density)
        assert height.notna().all()
        assert (height >= 0).all()
        assert (frame.paid <= height * (1 + 1e-12)).all()
        assert (frame.paid[frame.loss <= epsilon] == 0).all() or math.isinf(epsilon)
        assert len(frame) < 1500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((Laplace(1.0), 0), "count"), ((Laplace(1.0), 1.5), "count"), (("laplace", 1), "mechanism")],
)
def test_refuses(arguments, message):
    """Bad input is refused by name."""
    with pytest.raises(ValueError, match=message):
        LossDistribution.of(*arguments)
    with pytest.raises(ValueError, match="epsilon"):
        LossDistribution.of(Laplace(1.0)).frame(-1.0)
