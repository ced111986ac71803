"""The numerical engine: exact values, random exact cases, laws, and an independent accountant as oracle."""

import mpmath as mp
import numpy as np
import pytest

from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse
from dpviz.privacy_loss import PrivacyLoss, optimal_bound, pld_bound
from dpviz.subsampled import Subsampled
from tests.exact_compositions import laplace_delta, responses_delta

ACCURACY = 1e-6
COUNTS = np.array([[1], [10], [100], [1000], [10000]])
TABLE = {
    "laplace": (
        Laplace(10),
        [0.099997999999, 0.9989780894472199, 4.692667414680189, 18.950287367539545, 94.23586539492581],
    ),
    "gaussian": (
        Gaussian(10),
        [0.3968573776444836, 1.3675714750843067, 4.886554117462212, 19.423656474031052, 96.7172719638677],
    ),
    "box": (
        ApproximateDP(0.1, 1e-9),
        [0.09999809706560825, 0.999377198617708, 4.787723760811673, 26.81914378973147, np.inf],
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_known_values_are_met_from_above(name):
    mechanism, exact = TABLE[name]
    answer = pld_bound([mechanism], COUNTS, 1e-6, ACCURACY)
    finite = np.isfinite(exact)
    assert np.array_equal(np.isfinite(answer.epsilon), finite)
    ratio = answer.epsilon[finite] / np.array(exact)[finite] - 1
    assert np.all(ratio >= -1e-11)  # the printed values have eleven to sixteen digits
    assert np.all(ratio <= ACCURACY)


def rounded(value):
    return float(f"{value:.4g}")


def random_case(seed):
    """Return mechanisms, counts, delta and the exact profile of a random case."""
    rng = np.random.default_rng(seed)
    delta, each, kind = 10 ** rng.uniform(-30, -2), rounded(10 ** rng.uniform(-6, 1.7)), seed % 3
    if kind == 0:
        count = int(rng.integers(1, 11))
        return [Laplace.from_epsilon(each)], [[count]], delta, lambda e: laplace_delta(e, each, count)
    count = int(10 ** rng.uniform(0, 2.5))
    leak = rounded(delta / count * 10 ** rng.uniform(-4, -0.5)) if rng.random() < 0.5 else 0.0
    if kind == 1:
        return [ApproximateDP(each, leak)], [[count]], delta, lambda e: responses_delta(e, each, count, leak)
    noise = Gaussian(1 / min(np.sqrt(count) * each * 10 ** rng.uniform(-1.5, 1.5), 20.0))
    profile = lambda e: responses_delta(e, each, count, leak, noise.mu)  # noqa: E731
    return [ApproximateDP(each, leak), noise], [[count, 1]], delta, profile


@pytest.mark.parametrize("seed", range(210))
def test_random_cases_lie_between_the_truth_and_its_tolerance(seed):
    with mp.workdps(160):
        mechanisms, counts, delta, profile = random_case(seed)
        answer = pld_bound(mechanisms, counts, delta, ACCURACY)
        epsilon, excess = float(answer.epsilon[0]), float(answer.excess[0])
        assert profile(mp.mpf(epsilon)) <= delta * (1 + 1e-14)  # delta itself is a double
        for below in (max(ACCURACY * epsilon, 1e-9), excess * (1 + 1e-6) + 2e-12 * epsilon):
            assert below >= epsilon or profile(mp.mpf(epsilon) - mp.mpf(below)) >= delta * (1 - 1e-12)


def test_subsampled_gaussian_meets_the_published_value():
    mechanism = Subsampled(Gaussian(1), 0.01, "poisson")
    assert pld_bound([mechanism], [[1000]], 1e-5, ACCURACY).epsilon[0] == pytest.approx(1.8282367, rel=2e-6)


MIXED = (Laplace.from_epsilon(0.3), Gaussian(7.0), ApproximateDP(0.11, 1e-9), Subsampled(Gaussian(2.0), 0.1, "poisson"))
MIXED_COUNTS = np.array([[3, 5, 7, 20]])


def test_order_does_not_matter():
    one = pld_bound(MIXED, MIXED_COUNTS, 1e-6)
    other = pld_bound(MIXED[::-1], MIXED_COUNTS[:, ::-1], 1e-6)
    assert abs(one.epsilon - other.epsilon) <= one.excess + other.excess


def test_composing_with_nothing_changes_nothing():
    one = pld_bound(MIXED, MIXED_COUNTS, 1e-6)
    other = pld_bound((*MIXED, Gaussian(1.0)), np.append(MIXED_COUNTS, [[0]], axis=1), 1e-6)
    assert abs(one.epsilon - other.epsilon) <= one.excess + other.excess
    assert pld_bound(MIXED, np.zeros((1, 4), dtype=int), 1e-6).epsilon[0] == 0.0


def test_splitting_uses_of_one_mechanism_changes_nothing():
    whole, split = pld_bound([Laplace(10)], [[50]], 1e-8), pld_bound([Laplace(10), Laplace(10)], [[20, 30]], 1e-8)
    assert whole.epsilon == pytest.approx(split.epsilon, rel=1e-12)


def test_the_mechanisms_never_cost_more_than_their_pairs():
    counts = np.array([[1, 2, 3], [10, 20, 30], [100, 200, 300]])
    mechanisms = [Laplace.from_epsilon(0.2), RandomizedResponse(0.1), ApproximateDP(0.05, 1e-10)]
    tight = pld_bound(mechanisms, counts, 1e-6)
    pairs = optimal_bound([0.2, 0.1, 0.05], [0.0, 0.0, 1e-10], counts, 1e-6)
    assert np.all(tight.epsilon - tight.excess <= pairs.epsilon)
    assert np.all(pairs.epsilon <= counts @ [0.2, 0.1, 0.05] * (1 + 1e-12))


@pytest.mark.parametrize("mechanism", (*MIXED, Subsampled(Laplace(0.5), 0.3, "without_replacement")), ids=str)
def test_the_profile_is_convex_and_falls(mechanism):
    loss, epsilon = PrivacyLoss([mechanism], [[12]]), np.linspace(-2.0, 3.0, 120)
    delta = loss.delta(epsilon)
    slope = np.diff(delta) / np.diff(np.exp(epsilon))
    assert np.all(np.diff(delta) <= 1e-12)
    assert np.all(np.diff(slope) >= -1e-5 * np.abs(slope[1:]) - 1e-9)


def test_reads_agree_with_each_other():
    loss = PrivacyLoss(MIXED, MIXED_COUNTS)
    deltas = np.array([1e-3, 1e-6, 1e-8])
    assert loss.delta(loss.epsilon(deltas)) == pytest.approx(deltas, rel=1e-4)
    assert loss.advantage == loss.delta(0.0)
    rates = np.array([0.0, 1e-4, 0.05, 0.3, 1.0])
    misses = loss.tradeoff(rates)
    assert misses[-1] == 0.0
    assert np.all(np.diff(misses) <= 0)
    assert np.all(1 - rates - misses <= loss.advantage * (1 + 1e-9))


def test_the_tradeoff_of_gaussian_noise_is_its_closed_form():
    from scipy.special import ndtr, ndtri

    rates = np.array([1e-5, 0.01, 0.2, 0.7])
    exact = ndtr(ndtri(1 - rates) - 0.5)
    misses = PrivacyLoss.of(Gaussian(2)).tradeoff(rates)
    assert np.all(misses <= exact * (1 + 1e-12))
    assert misses == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("counts", [[[-1]], [[0.5]], [[np.nan]], [1], [[1, 2]]])
def test_bad_counts_are_refused(counts):
    with pytest.raises(ValueError, match="count"):
        pld_bound([Laplace(10)], counts, 1e-6)


def test_mixed_relations_are_refused():
    pair = [Subsampled(Gaussian(1), 0.1, "poisson"), Subsampled(Gaussian(1), 0.1, "without_replacement")]
    with pytest.raises(ValueError, match=r"add_remove.*replace_one"):
        pld_bound(pair, [[1, 1]], 1e-6)


def test_exhausted_delta_is_an_infinite_answer():
    boxes = ApproximateDP(0.1, 1e-9)
    assert np.isinf(pld_bound([boxes], [[1001]], 1e-6).epsilon[0])
    assert np.isfinite(pld_bound([boxes], [[1000]], 1e-6).epsilon[0])
    assert pld_bound([Laplace(10)], [[7]], 0.0).epsilon[0] == pytest.approx(0.7)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("error")
def test_extreme_plans_give_numbers(seed):
    rng = np.random.default_rng(seed)
    mechanisms = [
        Laplace.from_epsilon(rounded(10 ** rng.uniform(-6, 1.7))),
        Gaussian(rounded(10 ** rng.uniform(-1, 6))),
    ]
    mechanisms.append(RandomizedResponse(rounded(10 ** rng.uniform(-6, 1.7))))
    counts = (10 ** rng.uniform(0, 6, (1, 3))).astype(int)
    answer = pld_bound(mechanisms, counts, 10 ** rng.uniform(-30, -1))
    assert answer.epsilon[0] > 0
    assert 0 <= answer.excess[0] <= answer.epsilon[0]
