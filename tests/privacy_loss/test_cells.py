"""Lattices whose cells are wider where a law is thin: above the law at every ε, and about as near to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Laplace, Subsampled
from dpviz.mechanisms.batches import CutBatch
from dpviz.privacy_loss.estimates.cells import Weights
from dpviz.privacy_loss.lattice import upper_lattice
from tests.effort import examples

FLOOR = -35.0
SIGMAS = st.floats(-0.4, 0.7).map(lambda power: 10**power)
RATES = st.floats(-4, -0.1).map(lambda power: 10**power)


def samples(sigma, rate, scheme):
    return Subsampled(Gaussian(sigma, 1), rate, scheme)


def lattices(law, step, tilts):
    """One with wide cells, and one without."""
    weights = Weights(tilts, float(tilts.max()), 1e6)
    return [upper_lattice(law, step, FLOOR, weights=each) for each in (weights, None)]


def delta(lattice, epsilon):
    """By the definition, a loss at a time."""
    masses, gains = np.exp(lattice.log_masses), -np.expm1(np.minimum(epsilon - lattice.losses, 0.0))
    return float(masses @ gains) + lattice.cut


def spread(lattice, tilt):
    return float(lattice.spread @ np.exp(tilt * lattice.losses))


@given(SIGMAS, RATES, st.sampled_from(["poisson", "without_replacement"]), st.floats(-4, -1.5), st.floats(-1, 1.3))
@examples(12)
def test_wide_cells_stay_above_the_law(sigma, rate, scheme, log_step, log_tilt):
    mechanism, step, tilts = samples(sigma, rate, scheme), 10**log_step, 10**log_tilt * np.array([1.0, 2.0])
    for law, profile in zip(mechanism.laws(), mechanism.profiles, strict=False):
        wide, even = lattices(law, step, tilts)
        low, high = law.span(FLOOR)
        for epsilon in np.random.default_rng(0).uniform(max(low, 0.0), high, 20).tolist():
            truth = float(profile(np.array(epsilon)))
            assert delta(wide, epsilon) >= truth * (1 - 1e-11), epsilon
        assert np.exp(wide.log_masses).sum() == pytest.approx(np.exp(even.log_masses).sum(), rel=1e-9)
        of_q = [float(np.exp(each.log_masses - each.losses).sum()) for each in (wide, even)]
        assert of_q[0] == pytest.approx(of_q[1], rel=1e-9)  # both masses are kept
        for tilt in tilts.tolist():
            assert spread(wide, tilt) <= 1.5 * spread(even, tilt) + 1e-300


def test_most_cells_of_a_small_sample_are_wide():
    usual, crowded = samples(1.0, 1e-3, "poisson"), Subsampled(Gaussian(1.0, 2), 1e-4, "poisson")
    mixed = CutBatch(1.0, 2, usual=usual, crowded=crowded, cut=1e-3)
    for law in (*usual.laws(), *samples(1.0, 1e-3, "without_replacement").laws(), mixed.laws()[0]):
        wide, even = lattices(law, 2e-4, np.array([1.0, 5.0]))
        there = [int((each.log_masses > -np.inf).sum()) for each in (wide, even)]
        assert there[0] < 0.2 * there[1]
        places = np.flatnonzero(wide.log_masses > -np.inf)
        widths, masses = np.diff(places) * wide.step, np.exp(wide.log_masses[places])
        split = wide.spread[places[:-1]] >= widths**2 / 150 * np.minimum(masses[:-1], masses[1:])
        assert split[widths > 10 * wide.step].all()  # what they add is told, too


def test_atoms_stay_where_they_are():
    """Of sampled Laplace noise the largest loss decides: it is put on a grid that holds it, whatever the cells."""
    law = Laplace(2.0).laws()[0]
    wide, even = lattices(law, law.epsilon / 50, np.array([1.0]))
    assert np.array_equal(wide.log_masses, even.log_masses)
