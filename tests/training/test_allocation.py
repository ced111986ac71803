"""Random allocation: its bracket against integrals, simulated losses and small data sets counted out."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from dpviz.mechanisms import Gaussian
from dpviz.privacy_loss.bounds import law_bound
from dpviz.training import TrainingRun, allocation_laws, training_cost
from tests.effort import examples

COARSE = 0.06  # width of lattices: brackets are within half a percent
BRACKET = 0.01  # of ε, with room


def run_of(batches, sigma, delta, epochs=1, scheme="allocation"):
    return TrainingRun(10 * batches, 10, sigma, delta, epochs=epochs, scheme=scheme)


def lognormal(strike, mu):
    """E(X - strike)₊ and E(strike - X)₊ of X = exp(μz - μ²/2)."""
    place = np.log(np.maximum(strike, 1e-300)) / mu
    beyond = np.where(strike > 0, ndtr(mu / 2 - place) - strike * ndtr(-mu / 2 - place), 1 - strike)
    short = np.where(strike > 0, strike * ndtr(mu / 2 + place) - ndtr(place - mu / 2), 0.0)
    return beyond, short


def two_batches(epsilon, mu):
    """δ(ε) of both directions for t = 2, by an integral over one coordinate, the other in closed form."""
    z = np.linspace(-12 - mu, 12 + mu, 60_001)
    weights = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    first = np.exp(mu * z - mu * mu / 2)
    beyond, _ = lognormal(2 * np.exp(epsilon) - first, mu)
    _, short = lognormal(2 * np.exp(-epsilon) - first, mu)
    return weights @ beyond / 2, np.exp(epsilon) * (weights @ short) / 2


@pytest.mark.parametrize(("sigma", "delta"), [(1.0, 1e-5), (0.5, 1e-3), (3.0, 1e-4)])
def test_two_batches_are_the_integral(sigma, delta):
    exact = brentq(lambda epsilon: max(two_batches(epsilon, 1 / sigma)) - delta, 0, 30, xtol=1e-10)
    cost = training_cost(run_of(2, sigma, delta), 1e-4)
    # What remains is the step of the integral and the lattice's excess.
    assert cost.lower * (1 - 1e-8) <= exact <= cost.epsilon * (1 + 1e-8)
    assert cost.epsilon - cost.lower < 2e-3 * exact


@pytest.mark.parametrize("above", [True, False])
def test_one_batch_is_gaussian_noise(above):
    for law in allocation_laws(1, 0.8, 0.03, above):
        (found,) = law_bound([law], np.array([[1]]), 1e-5, 1e-4).epsilon
        exact = Gaussian(1 / 0.8, 1).epsilon(1e-5)
        assert (found >= exact) if above else (found <= exact * (1 + 1e-4))
        assert abs(found - exact) < 1e-3 * exact
    assert training_cost(run_of(1, 1.25, 1e-5)).epsilon == Gaussian(1.25, 1).epsilon(1e-5)


@given(st.integers(1, 40), st.floats(0.2, 2.5))
@examples(12)
def test_masses_are_probabilities(steps, mu):
    for above in (True, False):
        for law in allocation_laws(steps, mu, 0.25, above):
            total = np.exp(law.log_masses).sum()
            seen = np.exp(law.log_masses - law.losses).sum()  # of the other data set
            assert abs(total + law.cut - 1) < 1e-8
            assert abs(seen - 1) < 1e-8


def test_the_mean_of_many_is_simulated_in_between():
    """δ at the upper ε is no more, at the lower ε no less, than what is simulated, by six standard errors."""
    batches, epochs, mu, rounds = 5, 3, 1.25, 200_000
    cost = training_cost(run_of(batches, 1 / mu, 0.02, epochs), 2e-3)
    rng = np.random.default_rng(35)
    means = {}
    for direction in ("remove", "add"):
        z = rng.standard_normal((epochs, batches, rounds))
        if direction == "remove":
            z[:, 0] += mu
        loss = np.log(np.exp(mu * z - mu * mu / 2).mean(axis=1)).sum(axis=0) * (1 if direction == "remove" else -1)
        for epsilon in (cost.epsilon, cost.lower):
            kept = np.maximum(-np.expm1(epsilon - loss), 0.0)
            means[direction, epsilon] = kept.mean(), 6 * kept.std() / np.sqrt(rounds)
    assert all(mean - error <= 0.02 for (_, epsilon), (mean, error) in means.items() if epsilon == cost.epsilon)
    assert any(mean + error >= 0.02 for (_, epsilon), (mean, error) in means.items() if epsilon == cost.lower)


@given(st.integers(2, 400), st.floats(0.4, 4.0), st.integers(1, 20))
@examples(3)
def test_its_ends_and_its_order(batches, sigma, epochs):
    cost = training_cost(run_of(batches, sigma, 1e-5, epochs), 2.5e-3)
    assert cost.lower <= cost.epsilon <= cost.lower * (1 + BRACKET)
    assert cost.epsilon <= training_cost(run_of(batches, sigma, 1e-5, epochs, "fixed_order"), 2.5e-3).epsilon
    more_noise = training_cost(run_of(batches, 1.2 * sigma, 1e-5, epochs), 2.5e-3)
    more_batches = training_cost(run_of(2 * batches, sigma, 1e-5, epochs), 2.5e-3)
    assert max(more_noise.lower, more_batches.lower) < cost.epsilon


def test_more_batches_than_can_be_held_cost_no_more():
    run = TrainingRun(10**9, 10, 1.0, 1e-9, epochs=1, scheme="allocation")
    most = TrainingRun(10**7, 10, 1.0, 1e-9, epochs=1, scheme="allocation")
    cost, known = training_cost(run, 2e-2), training_cost(most, 2e-2)
    assert cost.epsilon == known.epsilon
    assert cost.lower is None
    assert 0 < known.lower < known.epsilon
    with pytest.raises(ValueError, match="steps must be"):
        allocation_laws(10**6 + 1, 1.0)
    with pytest.raises(ValueError, match="mu must be"):
        allocation_laws(10, 9.0)


GRID = np.linspace(-9, 9, 121)
SIGMA = 1.2


def density(sums):
    """The density of a uniform mixture of sums in two batches with noise, on a grid."""
    shapes = [[np.exp(-(((GRID - value) / SIGMA) ** 2) / 2) for value in pair] for pair in sums]
    cell = (GRID[1] - GRID[0]) / (SIGMA * np.sqrt(2 * np.pi))
    return sum(np.outer(*shape) for shape in shapes) * cell**2 / len(sums)


def stick(one, other, epsilon):
    return np.maximum(one - np.exp(epsilon) * other, 0).sum()


def allocated(gradients):
    """Sums of both batches, over all ways to throw each record into one of them."""
    sides = np.array(list(itertools.product((0, 1), repeat=len(gradients))))
    return list(zip(sides @ np.array(gradients), (1 - sides) @ np.array(gradients), strict=True))


def shuffled(gradients):
    """Sums of two halves, over all orders; None is a place left empty."""
    values = np.array([0.0 if g is None else g for g in gradients])
    halves = itertools.combinations(range(len(gradients)), len(gradients) // 2)
    return [(values[list(half)].sum(), values.sum() - values[list(half)].sum()) for half in halves]


def moved_up(gradients):
    """Sums of a whole batch and of one that has a record less, over all orders."""
    values = np.array(gradients, dtype=float)
    whole = itertools.combinations(range(len(values)), len(values) // 2 + 1)
    return [(values[list(batch)].sum(), values.sum() - values[list(batch)].sum()) for batch in whole]


@pytest.mark.parametrize("others", [(0,) * 5, (-1,) * 5, (1, -1, 1, 0, -1), (1, 1, -1, -1, -1)])
@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-3])
def test_no_six_records_lose_more(others, delta):
    cost = training_cost(run_of(2, SIGMA, delta), 1e-3)
    known = training_cost(run_of(2, SIGMA, delta, scheme="shuffled"), 1e-3)
    with_record, without = density(allocated((1, *others))), density(allocated(others))
    inside = 1e-9  # of δ: the grid's sum for the integral, and its ends
    assert max(stick(with_record, without, cost.epsilon), stick(without, with_record, cost.epsilon)) <= delta + inside
    if not any(others) and cost.lower:  # these attain it
        below = cost.lower * (1 - BRACKET)
        assert max(stick(with_record, without, below), stick(without, with_record, below)) >= delta - inside
    ordered = density(shuffled((1, *others)))
    for removed in (density(shuffled((None, *others))), density(moved_up(others))):
        assert max(stick(ordered, removed, known.epsilon), stick(removed, ordered, known.epsilon)) <= delta + inside
        if set(others) == {-1} and known.lower:  # of the two attacks that are known of, this one's data
            below = known.lower * (1 - BRACKET)
            assert max(stick(ordered, removed, below), stick(removed, ordered, below)) >= delta - inside


def test_a_removed_record_whose_place_is_taken_may_lose_more():
    """A loader that closes the gap reads another record in its batch, and one less in the last."""
    ordered, closed = density(shuffled((1, *(-1,) * 5))), density(moved_up((-1,) * 5))
    empty = training_cost(run_of(2, SIGMA, 1e-3, scheme="fixed_order"), 1e-3).epsilon
    assert max(stick(ordered, closed, empty), stick(closed, ordered, empty)) > 2e-3


@pytest.mark.parametrize(("batches", "sigma", "delta"), [(20, 0.8, 1e-5), (235, 1.0, 1e-5), (500, 0.5, 1e-6)])
def test_the_largest_sum_is_told_apart(batches, sigma, delta):
    """One epoch, by the best of many thresholds in closed form: the lower end of a shuffled order is no less."""
    caps = np.linspace(0, 2 / sigma + 9, 20_001)

    def beyond(mean):
        return -np.expm1(log_ndtr(caps - mean) + (batches - 1) * log_ndtr(caps))

    above, below = beyond(2 / sigma), beyond(1 / sigma)
    told = brentq(lambda epsilon: (above - np.exp(epsilon) * below).max() - delta, 0, 40)
    found = training_cost(run_of(batches, sigma, delta, scheme="shuffled"), 1e-4).lower
    assert told * (1 - 2e-3) <= found <= told * (1 + 0.05)  # cells of the sum; both directions, and more than one cap


@pytest.mark.parametrize("scheme", ["shuffled", "allocation"])
@given(st.integers(2, 300), st.floats(0.05, 3.5), st.floats(0.4, 3.0), st.sampled_from([1e-9, 1e-5, 1e-2]))
@examples(15)
def test_lower_ends_of_epochs_that_are_not_whole_are_no_more_than_is_lost(scheme, batches, epochs, sigma, delta):
    """A record is in the part of an epoch that is made as often as that part is long, by joint convexity; by a mixture.

    Each epoch in which it is made costs no more than Gaussian noise once, which is known of every order.
    """
    steps = max(1, round(epochs * batches))
    run = TrainingRun(10 * batches, 10, sigma, delta, steps=steps, scheme=scheme)
    whole, part = divmod(steps, batches)

    def above(epsilon):
        fewer = Gaussian(sigma / np.sqrt(whole), 1).delta(epsilon) if whole else 0.0
        more = Gaussian(sigma / np.sqrt(whole + 1), 1).delta(epsilon)
        return part / batches * more + (1 - part / batches) * fewer

    lower = training_cost(run, 1e-2).lower or 0.0
    assert above(lower * (1 - 1e-9)) >= delta * (1 - 1e-9)  # rounding of both


@pytest.mark.parametrize(("sigma", "lost"), [(30.0, 2.476), (10.0, 8.9)])
def test_a_loader_that_leaves_the_last_batch_out_has_more_epochs(sigma, lost):
    """1,100 records, batches of 1,000, 100 steps: each has a record with chance 10/11, in the place of the opposite."""
    run = TrainingRun(1100, 1000, sigma, 1e-5, steps=100, scheme="shuffled")
    assert training_cost(run, 1e-3).epsilon >= lost
    assert training_cost(TrainingRun(1000, 100, sigma, 1e-5, epochs=3, scheme="shuffled"), 1e-3).epsilon == (
        training_cost(TrainingRun(1000, 100, sigma, 1e-5, steps=30, scheme="shuffled"), 1e-3).epsilon
    )
