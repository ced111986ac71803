"""The numerical engine: exact values, random exact cases, laws, and an independent accountant as oracle."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from benchmarks.extremes import HUGE, READS, read
from dpviz.composition.numerical import optimal, pld
from dpviz.composition.pairs import PAIR_THEOREMS, kov
from dpviz.composition.renyi import RENYI_THEOREMS
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse, Subsampled
from dpviz.privacy_loss import PrivacyLoss, optimal_bound, pld_bound
from dpviz.privacy_loss.limits import merged
from tests.effort import examples, seeded, with_calls, with_peak
from tests.exact_compositions import laplace_delta, responses_delta, responses_epsilon
from tests.strategies import WHOLE_DELTAS, workloads

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


@seeded(60, 210)
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


BYTES = 51e6
CALLS = 20_000  # an ordinary total takes some 200, the largest of these 4,000


@pytest.mark.parametrize("name", READS)
def test_every_read_is_bounded_in_work_and_memory(name):
    (values, calls), peak = with_peak(lambda: with_calls(lambda: read(*READS[name])))
    assert np.all((values >= 0) & (values <= 1))
    assert peak <= BYTES
    assert calls <= CALLS


@pytest.mark.parametrize("gap", [1.3, 0.3, 1e-2, 1e-4, 1e-6, 1e-9])
def test_delta_near_the_largest_loss_is_tight(gap):
    epsilon = 1.4 - gap
    exact = float(laplace_delta(mp.mpf(epsilon), 0.7, 2))
    read = PrivacyLoss([Laplace.from_epsilon(0.7)], [[2]]).delta(epsilon)
    assert exact * (1 - 1e-9) <= read  # the largest loss itself is a rounded number
    assert read <= exact * (1 + 2e-3) + 1e-15  # of a delta that hardly moves epsilon


@pytest.mark.parametrize(
    ("mechanism", "count"), [(RandomizedResponse(0.5), 1), (ApproximateDP(1, 1e-5), 1), (ApproximateDP(0.3, 1e-6), 7)]
)
def test_the_tradeoff_of_responses_is_exact(mechanism, count):
    """The supremum of a piecewise linear function is at a kink: a loss that has an atom."""
    each, leak = mechanism.stated.epsilon, mechanism.stated.delta
    rates = np.array([0.0, 1e-7, 0.01, 0.2, 0.5, 0.9, 1.0])
    kinks = np.array([(count - 2 * lies) * each for lies in range(count + 1)])
    deltas = np.array([1.0 - (1.0 - float(responses_delta(mp.mpf(kink), each, count, leak))) for kink in kinks])
    exact = np.maximum((1 - deltas - np.exp(kinks) * rates[:, None]).max(axis=1), 0.0)
    found = PrivacyLoss([mechanism], [[count]]).tradeoff(rates)
    assert found == pytest.approx(exact, abs=1e-9)
    assert np.all(found <= exact + 1e-12)


DIGITS = 400  # δ of 1e-324 beside 1
CLAMPED = [
    (2.0, 357, 1e-6, 0.0),
    (2.0, 357, 1e-30, 0.0),
    (2.0, 335, 1e-30, 0.0),
    (1.0, 818, 1e-30, 0.0),
    (1.56, 488, 4.35e-15, 0.0),
    (3.89, 167, 3.42e-20, 1.9e-25),
    (0.4, 1105, 1e-150, 0.0),
]


def assert_responses_are_met(each, count, delta, leak):
    """From above, to a double where a closed form answers; else to the wanted accuracy, as declared."""
    with mp.workdps(DIGITS):
        exact = responses_epsilon(repr(delta), repr(each), count, repr(leak))
    answer = optimal_bound([each], [leak], [[count]], delta)
    assert answer.epsilon[0] >= exact * (1 - mp.mpf("1e-15"))
    assert answer.epsilon[0] <= exact * (1 + mp.mpf("1e-12")) or answer.excess[0] <= ACCURACY * answer.epsilon[0]
    assert answer.epsilon[0] <= exact * (1 + mp.mpf(ACCURACY))
    return exact


@pytest.mark.parametrize(("each", "count", "delta", "leak"), CLAMPED)
def test_responses_whose_tail_is_no_double(each, count, delta, leak):
    """Totals of 560 to 720: exp(-ε) δ is too small for the binomial tails of the library."""
    exact = assert_responses_are_met(each, count, delta, leak)
    assert PrivacyLoss([ApproximateDP(each, leak)], [[count]]).delta(float(exact)) >= delta * (1 - 1e-9)


@given(st.floats(-2, 1.69), st.floats(300, 1500), st.floats(-30, -0.52), st.one_of(st.none(), st.floats(-6, -0.3)))
def test_responses_with_large_totals_are_exact(power, total, log_delta, log_leak):
    each, delta = rounded(10**power), rounded(10**log_delta)
    count = min(int(total / each) + 1, 4000)
    leak = 0.0 if log_leak is None else rounded(delta / count * 10**log_leak)
    assert_responses_are_met(each, count, delta, leak)


@pytest.mark.parametrize(
    ("each", "count", "epsilon"), [(0.05, 1124, 53.05), (1.239, 911, 719.52), (2.444, 608, 1425.7)]
)
def test_delta_of_responses_where_a_tail_is_no_double(each, count, epsilon):
    """Once 2e-280 where the truth is 1.7e-268, and below it at 6e-4."""
    with mp.workdps(DIGITS):
        exact = responses_delta(mp.mpf(epsilon), repr(each), count)
    found = PrivacyLoss([RandomizedResponse(each)], [[count]]).delta(epsilon)
    assert exact * (1 - mp.mpf("1e-12")) <= found <= exact * (1 + mp.mpf("1e-8"))


@pytest.mark.parametrize("each", [5.0, 28.0, 30.0, 34.0, 38.0, 50.0])
def test_a_bare_leak_beside_responses(each):
    """Losses between which nothing varies once crashed every read."""
    loss = PrivacyLoss([NameAndShame(1e-6), RandomizedResponse(each)], [[1, 2]])
    for epsilon in (0.0, 1.0, 1.9 * each):
        exact = 1e-6 + (1 - 1e-6) * responses_delta(mp.mpf(epsilon), each, 2)
        assert exact * (1 - mp.mpf("1e-12")) <= loss.delta(epsilon) <= exact * (1 + mp.mpf("1e-9"))
    assert loss.advantage == loss.delta(0.0)
    assert loss.tradeoff(0.0) == pytest.approx(1 - 1e-6, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-290, 1e-301, 1e-305, 1e-308, 5e-324])
@pytest.mark.parametrize(("each", "count", "mu"), [(0.5, 2, 1.0), (0.1, 3, 0.1)])
@pytest.mark.filterwarnings("error")
def test_the_smallest_deltas_pay_for_what_is_cut_off(each, count, mu, delta):
    answer = pld_bound([RandomizedResponse(each), Gaussian(1 / mu)], [[count, 1]], delta).epsilon[0]
    with mp.workdps(DIGITS):
        assert responses_delta(mp.mpf(float(answer)), each, count, mu=mu) <= delta
        assert responses_delta(mp.mpf(float(answer)) * mp.mpf("0.92"), each, count, mu=mu) > delta


NEAR_THE_TOP = [
    ((0.85, 20), (1e-4, 4), 17.000399999869447),
    ((0.85, 20), (1e-4, 4), 17.000399999998297),
    ((0.85, 20), (1e-4, 4), float(np.nextafter(17.0004, 0))),
    ((0.9, 17), (4e-6, 44), 15.300175999999999),
    ((2.0, 3), (0.25, 2), 6.499999999),
]


@pytest.mark.parametrize(("one", "other", "epsilon"), NEAR_THE_TOP)
def test_delta_next_to_the_largest_loss(one, other, epsilon):
    """There only the largest loss is left: its mass times 1 - exp(ε - loss), with decimals as typed."""
    (each, count), (small, more) = one, other
    top = mp.mpf(repr(each)) * count + mp.mpf(repr(small)) * more
    mass = (1 + mp.exp(-mp.mpf(repr(each)))) ** -count * (1 + mp.exp(-mp.mpf(repr(small)))) ** -more
    exact = mass * -mp.expm1(mp.mpf(repr(epsilon)) - top)
    found = PrivacyLoss([RandomizedResponse(each), RandomizedResponse(small)], [[count, more]]).delta(epsilon)
    assert exact <= found <= exact + mp.mpf("1e-13") * top * mass  # a double of the loss, and its sum


def test_a_whole_step_of_hundreds_of_nats_is_not_below_the_truth():
    """exp(-step) would be a subnormal number, with few digits."""
    for epsilon, delta in ((700.0, 1e-30), (700.0, 1e-6), (700.0, 0.1)):
        exact = epsilon + np.log1p(-delta)
        bound = optimal_bound([epsilon, 0.0], [0.0, 1e-300], [[1, 1]], delta)
        assert exact * (1 - 1e-16) <= bound.epsilon[0] <= exact * (1 + 1e-6)


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("theorem", [pld, optimal])
def test_huge_counts_are_bounded_in_work_and_memory_and_clipped(name, theorem):
    mechanisms, counts, delta = HUGE[name]
    (bound, calls), peak = with_peak(lambda: with_calls(lambda: theorem(tuple(mechanisms), np.array(counts), delta)))
    assert 0 < bound.epsilon[0] <= kov(tuple(mechanisms), np.array(counts), delta)[0] * (1 + 1e-12)
    assert 0 <= bound.excess[0] <= bound.epsilon[0]
    assert peak <= BYTES
    assert calls <= CALLS


def test_a_curve_declares_no_more_than_a_point_alone():
    """Also where the first guess was far off: a second read that agrees confirms the answer."""
    mechanism, counts = Subsampled(Gaussian(1.0), 0.01, "poisson"), np.arange(1, 1001, 1)[:, None]
    bound = pld_bound([mechanism], counts, 1e-5, 1e-5)
    assert np.all(bound.excess <= 3e-5 * bound.epsilon)
    assert np.all(np.diff(bound.epsilon) >= 0)
    alone = pld_bound([mechanism], [[32]], 1e-5)
    assert bound.epsilon[31] == pytest.approx(alone.epsilon[0], rel=2e-5)


def test_a_billion_responses_nearly_are_a_gaussian():
    bound = pld((RandomizedResponse(0.01),), np.array([[10**9]]), 1e-6)
    mu = np.sqrt(1e9) * 0.01
    assert bound.epsilon[0] == pytest.approx(float(Gaussian(1 / mu).epsilon(1e-6)), rel=1e-4)
    assert bound.excess[0] <= 1e-6 * bound.epsilon[0]


def test_awkward_steps_are_as_coarse_as_the_accuracy_allows():
    mechanisms, counts = (RandomizedResponse(0.001), RandomizedResponse(0.0240612345678)), np.array([[500, 1]])
    bound = pld_bound(mechanisms, counts, 1e-6)
    assert 0 < bound.excess[0] <= 1e-6 * bound.epsilon[0]
    assert with_peak(lambda: pld_bound(mechanisms, counts, 1e-6))[1] <= 2e6


@pytest.mark.parametrize("delta", [1e-30, 1e-20, 1e-10])
def test_rare_sampling_at_tiny_delta_is_monotone(delta):
    mechanism = Subsampled(Gaussian(1.0), 0.001, "poisson")
    bound = pld((mechanism,), np.array([[1], [10], [100], [1000], [10000]]), delta)
    assert np.all(np.diff(bound.epsilon) >= -1e-6 * bound.epsilon[1:])
    assert np.all(bound.epsilon >= mechanism.epsilon(delta) * (1 - 1e-12))
    assert np.all(bound.epsilon <= np.array([1, 10, 100, 1000, 10000]) * mechanism.epsilon(delta / 10000) * (1 + 1e-9))


@examples(8)
@given(workloads(), WHOLE_DELTAS)
def test_the_numerical_theorems_are_below_the_others(workload, delta):
    """Up to the excess that they declare."""
    mechanisms, counts = tuple(mechanism for mechanism, _ in workload), np.array([[count for _, count in workload]])
    pairs, tight = optimal(mechanisms, counts, delta), pld(mechanisms, counts, delta)
    assert not np.isnan(tight.epsilon[0])
    assert pairs.epsilon[0] <= kov(mechanisms, counts, delta)[0]
    assert tight.epsilon[0] - tight.excess[0] <= pairs.epsilon[0] * (1 + 1e-12)
    for theorem in (*PAIR_THEOREMS, *RENYI_THEOREMS):
        if not theorem.reason(mechanisms, delta):
            other = float(theorem.bound(mechanisms, counts, delta)[0])
            assert tight.epsilon[0] - tight.excess[0] <= other * (1 + 1e-12)


@examples(8)
@given(workloads(most=3), st.integers(0, 50), st.floats(-9, -1).map(lambda power: 10.0**power))
def test_the_worst_part_counts(workload, more, delta):
    mechanisms, counts = tuple(mechanism for mechanism, _ in workload), np.array([[count for _, count in workload]])
    counts = np.minimum(counts, 1000)
    parts = PrivacyLoss(mechanisms, np.concatenate([counts, counts + more]))
    larger = PrivacyLoss(mechanisms, counts + more)
    assert parts.epsilon(delta) >= larger.epsilon(delta) * (1 - 1e-12)
    assert parts.delta(0.3) >= larger.delta(0.3)


@seeded(24, 90)
def test_reads_are_never_below_the_truth(seed):
    with mp.workdps(160):
        mechanisms, counts, delta, profile = random_case(seed)
        loss, rng = PrivacyLoss(mechanisms, counts), np.random.default_rng(seed + 1000)
        reach = float(loss.epsilon(delta))
        assumed = reach if np.isfinite(reach) else 1.0
        epsilon = assumed * rng.uniform(0.0, 1.0, 4)
        read = loss.delta(epsilon)
        for value, point in zip(read, epsilon, strict=True):
            exact = profile(mp.mpf(point))
            assert exact * (1 - mp.mpf(1e-12)) <= value
            assert value <= exact * (1 + mp.mpf(1e-3)) + mp.mpf(delta) * mp.mpf(1e-3)


def test_reading_a_leak_alone():
    loss = PrivacyLoss([NameAndShame(0.1), RandomizedResponse(0.0)], [[1, 2]])
    assert loss.advantage == pytest.approx(0.1, rel=1e-12)
    assert loss.tradeoff(0.0) == pytest.approx(0.9, rel=1e-12)


@given(st.lists(st.sampled_from([RandomizedResponse(e) for e in (0.1, 0.2, 0.3)]), max_size=6), st.data())
def test_merging_keeps_all_uses(mechanisms, data):
    """Laws stand once, in the order in which they were first met, with the uses of all that share them."""
    laws = [each.laws()[0] for each in mechanisms]
    shape = (2, len(laws))
    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=2 * len(laws), max_size=2 * len(laws))))
    distinct, totals = merged(laws, counts.astype(np.int64).reshape(shape))
    assert distinct == list(dict.fromkeys(laws)) and totals.shape == (2, len(distinct))
    for column, law in enumerate(distinct):
        same = [place for place, each in enumerate(laws) if each == law]
        assert np.array_equal(totals[:, column], counts.reshape(shape)[:, same].sum(axis=1))
