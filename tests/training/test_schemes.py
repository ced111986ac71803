"""All schemes: against an independent accountant, against small data sets counted out, and the laws of each."""

import itertools
import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from dpviz.mechanisms import Gaussian
from dpviz.mechanisms.batches import _beyond
from dpviz.training import (
    KINDS,
    SCHEMES,
    TrainingRun,
    compare_schemes,
    epsilon_over_epochs,
    participation_sensitivity,
    scheme_named,
    training_cost,
    tree_nodes,
)
from tests.effort import examples

RUN = TrainingRun(1000, 50, 1.5, 1e-5, epochs=3, largest_batch=60, bands=4)
PEER_STEP = 2.5e-4  # the peer connects the dots at it: too high by its square
GRID = [
    (60_000, 256, 1.1, 2, 1e-5),
    (60_000, 600, 0.8, 1, 1e-6),
    (1_000, 100, 4.0, 30, 1e-3),
    (500, 250, 3.0, 5, 1e-4),
]


@pytest.fixture
def event():
    """How the peer is told what is run; a test that wants it is skipped where it is not there."""
    return pytest.importorskip("dp_accounting.dp_event")


def peer_epsilon(each, steps, delta):
    pld = pytest.importorskip("dp_accounting.pld")
    accountant = pld.PLDAccountant(value_discretization_interval=PEER_STEP)
    accountant.compose(each, steps)
    return accountant.get_epsilon(delta)


@pytest.mark.parametrize(("records", "batch", "sigma", "epochs", "delta"), GRID)
def test_poisson_is_the_peers(event, records, batch, sigma, epochs, delta):
    run = TrainingRun(records, batch, sigma, delta, epochs=epochs)
    cost = training_cost(run, 1e-5)
    reference = peer_epsilon(
        event.PoissonSampledDpEvent(batch / records, event.GaussianDpEvent(sigma)), run.step_count, delta
    )
    assert cost.lower <= reference * (1 + 1e-9)
    assert reference * (1 - 1e-3) <= cost.epsilon <= reference * (1 + 1e-5)


@pytest.mark.parametrize("largest", [110, 130, 1000])
def test_cut_batches_lie_between_poisson_and_the_peer(event, largest):
    run = TrainingRun(2000, 100, 1.5, 1e-5, epochs=2, scheme="truncated_poisson", largest_batch=largest)
    cost = training_cost(run, 1e-4)
    reference = peer_epsilon(
        event.TruncatedSubsampledGaussianDpEvent(2000, 0.05, largest, 1.5), run.step_count, run.delta
    )
    assert training_cost(replace(run, scheme="poisson"), 1e-4).lower <= cost.epsilon <= reference * (1 + 1e-3)


def cut_sums(gradients, rate, largest):
    """(probability, sum) of every Poisson batch, cut to every part of the largest size."""
    for drawn in itertools.product((0, 1), repeat=len(gradients)):
        inside = [g for g, there in zip(gradients, drawn, strict=True) if there]
        share = rate ** sum(drawn) * (1 - rate) ** (len(drawn) - sum(drawn))
        parts = list(itertools.combinations(inside, min(largest, len(inside))))
        for part in parts:
            yield share / len(parts), sum(part)


@pytest.mark.parametrize("others", [(0,) * 4, (-1,) * 4, (1, -1, 1, -1), (1, 1, 1, 1)])
@pytest.mark.parametrize("largest", [1, 2, 4])
def test_no_five_records_lose_more_in_cut_batches(others, largest):
    run = TrainingRun(5, 2, 1.0, 0.05, steps=1, scheme="truncated_poisson", largest_batch=largest)
    epsilon = training_cost(run, 1e-4).epsilon
    ends = np.linspace(-14, 14, 40_001)

    def masses(gradients):
        return sum(share * np.diff(ndtr(ends - total)) for share, total in cut_sums(gradients, 0.4, largest))

    with_record, without = masses((1, *others)), masses(others)
    for one, other in ((with_record, without), (without, with_record)):
        assert np.maximum(one - np.exp(epsilon) * other, 0).sum() <= 0.05 * (1 + 1e-6)


@given(st.integers(2, 9), st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**31))
@examples(40)
def test_sensitivity_is_the_largest_of_all_uses(steps, separation, uses, seed):
    rng = np.random.default_rng(seed)
    bands = int(rng.integers(1, separation + 1))
    matrix = np.tril(np.triu(rng.normal(size=(steps, steps)).T, -bands + 1))
    patterns = [
        places
        for count in range(1, uses + 1)
        for places in itertools.combinations(range(steps), count)
        if all(later - earlier >= separation for earlier, later in itertools.pairwise(places))
    ]
    signed = [
        np.linalg.norm(matrix[:, places] @ np.array(signs))
        for places in map(list, patterns)
        for signs in itertools.product((-1, 1), repeat=len(places))
    ]
    found = participation_sensitivity(matrix, separation, uses)
    assert max(signed) * (1 - 1e-12) <= found <= max(signed) * (1 + 1e-12)


@given(st.integers(2, 8), st.integers(1, 3), st.integers(1, 4), st.integers(0, 2**31))
@examples(40)
def test_columns_that_overlap_are_never_charged_less(steps, separation, uses, seed):
    """Against all uses counted out, of matrices with all bands; of positive ones, all parts in one direction."""
    rng = np.random.default_rng(seed)
    matrix = np.tril(rng.normal(size=(steps, steps)))
    for each in (matrix, np.abs(matrix)):
        patterns = (places for count in range(1, uses + 1) for places in itertools.combinations(range(steps), count))
        allowed = [
            list(p) for p in patterns if all(later - earlier >= separation for earlier, later in itertools.pairwise(p))
        ]
        signs = {len(p): np.array(list(itertools.product((-1, 1), repeat=len(p)))).T for p in allowed}
        worst = max(np.linalg.norm(each[:, p] @ signs[len(p)], axis=0).max() for p in allowed)
        found = participation_sensitivity(each, separation, uses)
        assert worst <= found * (1 + 1e-12)
        assert uses > 1 or found <= worst * (1 + 1e-12)


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 9), st.integers(0, 2**31))
@examples(40)
def test_uses_that_overlap_in_a_fixed_order_are_counted(batches, epochs, bands, seed):
    """Of random columns of norm 1, all signs counted out; and of columns that share one row, which attain the bound."""
    run = TrainingRun(10 * batches, 10, 1.0, 1e-5, epochs=epochs, scheme="banded_order", bands=bands)
    ((_, square),) = run.model.uses.items()
    steps, classes = batches * epochs, -(-bands // batches)
    matrix = np.tril(np.triu(np.random.default_rng(seed).normal(size=(steps, steps)).T, -bands + 1))
    matrix /= np.linalg.norm(matrix, axis=0)
    shared = np.zeros((steps, steps))
    for step in range(steps):  # of each group of classes, the row of its last step of this kind, as far as there is one
        epoch, place = divmod(step, batches)
        shared[min(epoch - epoch % classes + classes - 1, epochs - 1) * batches + place, step] = 1
    assert not np.triu(shared, 1).any() and not np.tril(shared, -bands).any(), "banded"
    signs = np.array(list(itertools.product((-1, 1), repeat=epochs))).T
    for each in (matrix, shared):
        worst = max(np.linalg.norm(each[:, place::batches] @ signs, axis=0).max() for place in range(batches))
        assert worst**2 <= square * (1 + 1e-12)
        attained = each is shared and (epochs % classes == 0 or epochs < classes)
        assert not attained or worst**2 == pytest.approx(square, rel=1e-12)
    assert (training_cost(run, 1e-3).kind == "exact") == (classes == 1)


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 8, 13, 64])
def test_nodes_of_a_tree_are_counted(steps):
    sizes = [2**level for level in range(steps.bit_length())]
    nodes = [range(start, start + size) for size in sizes for start in range(0, steps - size + 1, size)]
    assert max(sum(leaf in node for node in nodes) for leaf in range(steps)) == tree_nodes(steps)


def test_every_scheme_has_a_number_of_its_kind():
    frame = compare_schemes(RUN, 2.5e-3).set_index("scheme")
    assert list(frame.index) == [scheme.key for scheme in SCHEMES]
    assert set(frame.kind) == set(KINDS)
    assert np.isfinite(frame.epsilon).all()
    known = frame.lower.notna()
    assert set(frame.index[~known]) == {scheme.key for scheme in SCHEMES if scheme.kind == "proved upper bound"}
    assert (frame.lower[known] <= frame.epsilon[known]).all()
    assert frame.epsilon["poisson"] <= frame.epsilon["truncated_poisson"]
    assert frame.lower["allocation"] <= frame.lower["shuffled"] * (1 + 1e-9)
    assert frame.epsilon["shuffled"] > frame.epsilon["fixed_order"] == frame.epsilon["banded_order"]
    moved = Gaussian(RUN.noise_multiplier / math.sqrt(5 * RUN.epochs), 1).epsilon(RUN.delta)
    assert moved <= frame.epsilon["shuffled"] <= moved * (1 + 1e-9), "one batch by two norms, and the last by one"
    assert frame.epsilon["fixed_order"] < frame.epsilon["tree"]


def test_one_band_is_poisson():
    one = training_cost(replace(RUN, scheme="banded", bands=1), 1e-4).epsilon
    assert one == training_cost(replace(RUN, scheme="poisson"), 1e-4).epsilon


@given(st.sampled_from([scheme.key for scheme in SCHEMES]), st.floats(0.6, 5.0), st.integers(1, 8))
@examples(6)
def test_more_noise_costs_less_and_more_epochs_more(key, sigma, epochs):
    run = replace(RUN, scheme=key, noise_multiplier=sigma, epochs=epochs)
    cost, slack = training_cost(run, 2.5e-3).epsilon, 1 + 5e-3  # of the accuracies asked for
    assert training_cost(replace(run, noise_multiplier=1.5 * sigma), 2.5e-3).epsilon <= cost * slack
    assert training_cost(replace(run, epochs=epochs + 2), 2.5e-3).epsilon * slack >= cost


def test_the_curve_is_the_points():
    frame = epsilon_over_epochs(RUN, [1, 3, 4.5], lower=True).set_index(["scheme", "epochs"])
    assert len(frame) == 3 * len(SCHEMES)
    for scheme in SCHEMES:  # whatever the scheme of the run itself
        cost = training_cost(replace(RUN, scheme=scheme.key), 2.5e-3)
        assert frame.epsilon[scheme.key, 3] == pytest.approx(cost.epsilon, rel=5e-3)
        assert np.isnan(frame.lower[scheme.key, 3]) if cost.lower is None else (
            frame.lower[scheme.key, 3] == pytest.approx(cost.lower, rel=1e-2)
        )


def test_without_a_theorem_there_is_no_number():
    for key in ("banded", "truncated_poisson", "banded_order"):
        cost = training_cost(replace(RUN, scheme=key, bands=None, largest_batch=None))
        assert (cost.epsilon, cost.kind, cost.lower) == (np.inf, "no guarantee is known", None)
        assert "not given" in cost.reason
    assert "take at most 20 bands" in scheme_named("banded").refused(replace(RUN, bands=30))
    assert not scheme_named("banded").refused(replace(RUN, bands=20))
    assert "is cut" in scheme_named("truncated_poisson").refused(replace(RUN, batch_size=1000))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"batch_size": 1001}, "at most the records"),
        ({"noise_multiplier": float("nan")}, "noise_multiplier must be"),
        ({"delta": 0.0}, "delta must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"steps": 5}, "and not both"),
        ({"epochs": None}, "and not both"),
        ({"epochs": 0}, "epochs must be"),
        ({"bands": 1.5}, "bands must be"),
    ],
)
def test_bad_runs_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        replace(RUN, **changed)
    with pytest.raises(ValueError, match="scheme must be one of"):
        training_cost(replace(RUN, scheme="shufled"))


@pytest.mark.parametrize("sigma", [0.005, 0.05, 300.0])
def test_extreme_noise_has_an_answer(sigma):
    frame = compare_schemes(replace(RUN, noise_multiplier=sigma), 2.5e-3)
    assert (frame.epsilon > 0).all()
    assert np.isfinite(frame.epsilon).all()


@pytest.mark.parametrize(
    ("records", "batch", "largest", "delta"),
    [(10**10, 10_000, 9_000, 1e-12), (3 * 10**9, 4096, 3000, 1e-10), (10**13, 10**6, 990_000, 1e-12)],
)
def test_cut_batches_of_more_records_than_whole_numbers_of_a_machine_hold(records, batch, largest, delta):
    """One step on data where more than the largest batch is drawn for sure, as a mixture in closed form."""
    run = TrainingRun(records, batch, 0.7, delta, steps=1, scheme="truncated_poisson", largest_batch=largest)
    epsilon, rate, mu = mpmath.mpf(training_cost(run).epsilon), mpmath.mpf(largest) / records, 2 / mpmath.mpf("0.7")
    with mpmath.workdps(50):
        at = (mpmath.log((mpmath.exp(epsilon) - 1 + rate) / rate) + mu**2 / 2) / mu
        lost = rate * mpmath.ncdf(mu - at) + (1 - rate - mpmath.exp(epsilon)) * mpmath.ncdf(-at)
    assert 0 < lost <= delta


@pytest.mark.parametrize("trials", [10**4, 10**7, 10**9, 10**11, 10**13])
def test_binomial_tails_are_as_near_as_their_bound_says(trials):
    """Around the mean and six deviations above it, against 40 digits of the incomplete beta function."""
    for mean in (50, 4000):
        probability, spread = mean / trials, mean**0.5
        for count in (mean, mean + int(6 * spread)):
            with mpmath.workdps(40):
                terms = (mpmath.binomial(trials, count + 1) * mpmath.mpf(probability) ** (count + 1)
                         * (1 - mpmath.mpf(probability)) ** (trials - count - 1))  # fmt: skip
                exact, term, at = mpmath.mpf(0), terms, count + 1
                while term > exact * mpmath.mpf("1e-30"):
                    exact += term
                    term *= mpmath.mpf(trials - at) / (at + 1) * probability / (1 - mpmath.mpf(probability))
                    at += 1
            assert abs(_beyond(count, trials, probability) / exact - 1) <= 1e-10
