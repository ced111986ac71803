"""Runs from budgets, trials and clients: never above the budget, and close to it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from dpviz.training import (
    TrainingRun,
    best_of_all_trials,
    best_of_random_trials,
    largest_batch,
    most_epochs,
    offered_delta,
    smallest_batch,
    smallest_noise,
    summed_noise_multiplier,
    training_cost,
)
from dpviz.training.solve import PRECISION, WINDOW

RUN = TrainingRun(1000, 50, 1.5, 1e-5, epochs=3, largest_batch=80, bands=4)
KEYS = ("poisson", "truncated_poisson", "fixed_size", "allocation", "shuffled", "tree", "banded")


@pytest.mark.parametrize("key", KEYS)
def test_the_smallest_noise_meets_the_budget(key):
    found = smallest_noise(replace(RUN, scheme=key), 3.0)
    spent = training_cost(found, PRECISION).epsilon
    less = training_cost(replace(found, noise_multiplier=found.noise_multiplier * (1 - 2e-4)), PRECISION).epsilon
    assert spent <= 3.0
    assert spent >= 3.0 * (1 - WINDOW) or less > 3.0


@pytest.mark.parametrize("key", ["poisson", "allocation", "fixed_order"])
def test_one_epoch_more_is_too_many(key):
    run = replace(RUN, scheme=key, noise_multiplier=3.0)
    found = most_epochs(run, 2.5)
    assert training_cost(replace(run, epochs=found), PRECISION).epsilon <= 2.5
    assert training_cost(replace(run, epochs=found + 1), PRECISION).epsilon > 2.5 * (1 - 1e-4)
    assert most_epochs(replace(run, noise_multiplier=0.3), 0.1) == 0


def test_batches_are_on_the_edge():
    found = largest_batch(RUN, 3.0)
    assert training_cost(replace(RUN, batch_size=found), PRECISION).epsilon <= 3.0
    assert training_cost(replace(RUN, batch_size=found + 1), PRECISION).epsilon > 3.0
    small = smallest_batch(RUN, 2.0, 0.03)
    assert small.noise_of_mean == pytest.approx(0.03, rel=1e-12)
    assert training_cost(small, PRECISION).epsilon <= 2.0
    size = small.batch_size - 1
    assert training_cost(replace(small, batch_size=size, noise_multiplier=0.03 * size), PRECISION).epsilon > 2.0
    assert smallest_batch(RUN, 0.001, 1e-6) is None


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(ValueError, match="number of bands is not given"):
        smallest_noise(replace(RUN, scheme="banded", bands=None), 1.0)
    with pytest.raises(ValueError, match="epsilon must be"):
        most_epochs(RUN, float("nan"))


@pytest.mark.parametrize(("number", "shape"), [("poisson", np.inf), ("geometric", 1.0), ("logarithmic", 0.0)])
def test_trials_are_the_peers(number, shape):
    """Within what the peer's orders are worth, and its δ by Rényi curves, where dpviz takes the tight one."""
    rdp = pytest.importorskip("dp_accounting.rdp")
    event = pytest.importorskip("dp_accounting.dp_event")
    run = replace(RUN, scheme="fixed_order", noise_multiplier=4.0)
    accountant = rdp.RdpAccountant()
    one = event.SelfComposedDpEvent(event.GaussianDpEvent(4.0), run.passes)
    accountant.compose(event.RepeatAndSelectDpEvent(one, 12.0, shape))
    reference, found = accountant.get_epsilon(run.delta), best_of_random_trials(run, 12.0, number)
    assert training_cost(run).epsilon < found <= reference * 1.02
    assert number == "poisson" or found >= reference * 0.98


def test_a_poisson_number_of_trials_is_the_theorem():
    """By Gaussian noise's own δ and another conversion, at many orders: dpviz has a few of them."""
    mean, orders = 12.0, 1 + np.geomspace(0.05, 200, 4000)
    found = best_of_random_trials(replace(RUN, scheme="fixed_order", noise_multiplier=4.0), mean)
    mu, near = np.sqrt(3) / 4, np.log1p(1 / (orders - 1))
    missed = ndtr(mu / 2 - near / mu) - np.exp(near) * ndtr(-mu / 2 - near / mu)
    curve = orders * mu**2 / 2 + mean * missed + np.log(mean) / (orders - 1)
    exact = (curve + np.log1p(-1 / orders) - np.log(1e-5 * orders) / (orders - 1)).min()
    assert exact * (1 - 1e-9) <= found <= exact * 1.01


def test_all_trials_add_up():
    run = replace(RUN, scheme="fixed_order")
    assert best_of_all_trials(run, 4) == training_cost(replace(run, noise_multiplier=0.75)).epsilon
    with pytest.raises(ValueError, match="no Rényi curve"):
        best_of_random_trials(replace(RUN, scheme="allocation"), 5)


def test_clients_noises_add_up():
    assert summed_noise_multiplier(0.2, 35, colluding=5, dropped=5) == pytest.approx(1.0, rel=1e-12)
    assert offered_delta(1000) == 1e-3
