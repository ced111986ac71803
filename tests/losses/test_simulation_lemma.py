"""The simulation lemma: F is a density, and makes M(x) from U and M(x') from V."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    NameAndShame,
    RandomizedResponse,
)
from dpviz.losses import Simulation
from dpviz.losses.simulation_lemma import ROUNDING, SYMBOLS, leaky_response
from dpviz.mechanisms import mechanism_from
from tests.strategies import BOXES, PICKED, PURE, SMALL_DELTAS, WHOLE

PAIRS = st.one_of(st.sampled_from([0.0, 1e-6, 0.1, 1.0, 10.0, 300.0]), st.floats(0, 60))
MODERATE = st.floats(0.2, 30).map(Gaussian)
WHOLE_MODERATE = st.builds(DiscreteGaussian, st.floats(0.5, 6), st.integers(1, 3)) | st.builds(
    DiscreteLaplace, st.floats(0.5, 6), st.integers(1, 3)
)
SUMMED = 1e-7  # of sums over hundreds of whole numbers, divided by a δ of at least 1e-6 that doubles hold to 1e-15
QUADRATURE = 1e-6  # of trapezoids between narrow places


@given(st.one_of(PURE, MODERATE, BOXES, SMALL_DELTAS.map(NameAndShame), WHOLE, PICKED), PAIRS, st.floats(0, 1))
def test_lemma_holds(mechanism, epsilon, share):
    """F is nowhere negative and reproduces both distributions to rounding, at any δ the mechanism meets."""
    least = mechanism.delta(epsilon)
    delta = min(1.0, least + share * (1 - least)) if share > 0.01 else None
    check = Simulation.of(mechanism, epsilon, delta).verified()
    assert check.least >= -ROUNDING
    assert max(check.off_p, check.off_q) <= ROUNDING
    assert check.holds


@given(st.one_of(st.floats(0.05, 5).map(Laplace.from_epsilon), MODERATE), st.floats(0, 4), st.floats(0, 0.9))
def test_f_integrates_to_one(mechanism, epsilon, share):
    """Given each symbol that can occur, F is a probability density."""
    least = mechanism.delta(epsilon)
    simulation = Simulation.of(mechanism, epsilon, least + share * (1 - least))
    assume(simulation.delta > 1e-6)
    low, high = (8 * end for end in simulation.pair.span)
    bends = [simulation.bend, mechanism.sensitivity - simulation.bend]
    kinks = [each for each in [0.0, mechanism.sensitivity, *bends] if low < each < high]
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.union1d(np.linspace(low, high, 801), kinks)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    places = middle[:, None] + half[:, None] * nodes
    for symbol in SYMBOLS:
        mass = (simulation.given(symbol, places) * weights * half[:, None]).sum()
        assert mass == pytest.approx(1.0, abs=QUADRATURE)
        assert simulation.given(symbol, places).min() >= -ROUNDING


@given(st.one_of(BOXES, st.floats(0.01, 5).map(RandomizedResponse)), st.floats(0, 5))
def test_f_of_answers_adds_up_to_one(mechanism, epsilon):
    """Over the few answers of a response, the masses of F given each possible symbol add up to 1."""
    simulation = Simulation.of(mechanism, epsilon)
    masses = leaky_response(epsilon, simulation.delta).p_u
    for symbol, mass in zip(("0", "1", "U"), masses, strict=False):
        if mass > 1e-9:
            assert simulation.given(symbol, simulation.outputs()).sum() == pytest.approx(1.0, abs=QUADRATURE)


@given(WHOLE_MODERATE, st.just(0.0) | st.floats(1e-6, 4))
def test_f_of_whole_numbers_adds_up_to_one(mechanism, epsilon):
    """Over all whole numbers with any mass, F given each possible symbol is a law."""
    simulation = Simulation.of(mechanism, epsilon)
    far = math.ceil(50 * mechanism.noise.scale) + mechanism.sensitivity
    numbers = np.arange(-far, far + 1.0)
    for symbol in ("0", "1", "U") if simulation.delta > 1e-6 else ("0", "1"):
        masses = simulation.given(symbol, numbers)
        assert masses.min() >= -ROUNDING
        assert masses.sum() == pytest.approx(1.0, abs=SUMMED)


@given(PAIRS, st.floats(0, 1))
def test_leaky_response_is_the_pair(epsilon, delta):
    """U and V are distributions, mirror images, and exactly (ε, δ)-indistinguishable."""
    table = leaky_response(epsilon, delta)
    assert math.isclose(table.p_u.sum(), 1.0, rel_tol=1e-12)
    assert table.p_v.tolist() == table.p_u.tolist()[1::-1] + table.p_u.tolist()[:1:-1]
    excess = (table.p_u - math.exp(epsilon) * table.p_v).clip(lower=0).sum()
    assert math.isclose(excess, delta, rel_tol=1e-9, abs_tol=1e-12)


def test_leaky_response_by_hand():
    """The table of Lecture 11 at ε = ln 3, δ = 0.2."""
    table = leaky_response(math.log(3), 0.2)
    assert table.p_u.tolist() == pytest.approx([0.6, 0.2, 0.2, 0.0])
    assert table.p_v.tolist() == pytest.approx([0.2, 0.6, 0.0, 0.2])


def test_epsilon_zero_has_its_own_form():
    """At ε = 0 U and V share a fair coin, and only the leaks tell."""
    simulation = Simulation.of(Laplace(1.0), 0.0)
    assert simulation.delta == pytest.approx(1 - math.exp(-0.5))
    places = np.array([-1.0, 0.3, 2.0])
    assert (simulation.given("0", places) == simulation.given("1", places)).all()


def test_refuses_less_than_the_mechanism_needs():
    """A pair that the mechanism does not meet has no F, and the message names the least δ."""
    with pytest.raises(ValueError, match=r"delta must be in \[0.22119"):
        Simulation.of(Laplace.from_epsilon(1.0), 0.5, 0.1)


def test_refuses_one_sided_mechanisms():
    """A mechanism that loses differently when a record is added and when it is removed is refused with the reason."""
    sampled = mechanism_from("gaussian", {"sigma": 1.0, "scheme": "poisson", "rate": 0.1})
    with pytest.raises(ValueError, match="same in both directions"):
        Simulation.of(sampled, 0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leaky_response(-1.0, 0.0), "epsilon"),
        (lambda: leaky_response(1.0, 1.5), "delta"),
        (lambda: leaky_response(math.nan, 0.1), "epsilon"),
    ],
)
def test_refuses_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
