"""Identical responses: their bracket holds the truth, by balls of many digits."""

import flint
import numpy as np
import pytest

from dpviz.mechanisms.laws.loss_laws import ResponseLaw
from dpviz.privacy_loss.binomial import _LONG, _fejer, _integrated, _stirling, _summed, log_mass, most_lies, tails
from dpviz.privacy_loss.responses import (
    lower_response_delta,
    lower_response_epsilon,
    upper_response_delta,
    upper_response_epsilon,
)
from tests.effort import seeded

arb = flint.arb


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(400):
        yield


def summed_delta(epsilon, each, count):
    """Ball of delta of `count` randomized responses at `epsilon`, all doubles: the sum of all its terms."""
    epsilon, each = arb(epsilon), arb(each)
    decay = (-each).exp()
    term, total = (1 + decay) ** -count, arb(0)
    for lies in range(count + 1):
        gap = (count - 2 * lies) * each - epsilon
        if not gap > 0:
            break
        total += term * -(-gap).expm1()
        term *= decay * (count - lies) / (lies + 1)
    return total


def tail_delta(epsilon, each, count):
    """The same for large counts: from the smallest loss on until a geometric series holds the rest."""
    epsilon, each = arb(epsilon), arb(each)
    lies = int(((count - epsilon / each) / 2).mid().floor().unique_fmpz())
    if lies < 0:
        return arb(0)
    ways = arb(count + 1).lgamma() - arb(lies + 1).lgamma() - arb(count - lies + 1).lgamma()
    term, total = (ways - lies * each - count * (1 + (-each).exp()).log()).exp(), arb(0)
    part, grow, step = (epsilon - (count - 2 * lies) * each).exp(), each.exp(), (-2 * each).exp()
    for left in range(lies, -1, -1):
        total += term * (1 - part)
        ratio = grow * left / (count - left + 1)
        term, part = term * ratio, part * step
        if ratio < 1 and term / (1 - ratio) < total * arb(2) ** -120:
            return total + arb(0, term / (1 - ratio))
    return total


def assert_enclosed(each, count, log_rest, leak=0.0, exact=summed_delta):
    """Epsilon is enough, and the floor is not too much, of the double `log_rest`."""
    law = ResponseLaw(each, leak)
    upper, excess = upper_response_epsilon(law, np.array([count]), np.array([log_rest]))
    lower = lower_response_epsilon(law, np.array([count]), np.array([log_rest]))[0]
    rest, kept = arb(log_rest).exp(), (1 - arb(leak)) ** count
    assert 0 <= lower <= upper[0] <= count * each * (1 + 1e-14)
    assert upper[0] - excess[0] <= lower
    assert not kept * exact(upper[0], each, count) > rest
    assert lower == 0 or not kept * exact(lower, each, count) < rest
    return lower, upper[0]


def random_count(rng, largest):
    return int(10 ** rng.uniform(0, np.log10(largest)))


def random_each(rng):
    return 10 ** (rng.uniform(1.7, 3) if rng.random() < 0.1 else rng.uniform(-6, 1.7))


def random_log_delta(rng):
    return np.log(10) * rng.choice([rng.uniform(-300, -0.16), rng.uniform(-30, -0.16), rng.uniform(-2, -1e-3)])


@seeded(7, 20)
def test_random_brackets_hold_the_truth(seed):
    rng, tight = np.random.default_rng(seed), 0
    for _ in range(120):
        each, count = random_each(rng), random_count(rng, 1500)
        leak = 0.0 if rng.random() < 0.5 else 10 ** rng.uniform(-12, -0.5) / count
        lower, upper = assert_enclosed(each, count, random_log_delta(rng) + count * np.log1p(-leak), leak)
        tight += upper - lower <= 1e-11 * upper
    assert tight >= 110  # the others have hardly an epsilon, or their delta is a plateau to all digits


@pytest.mark.parametrize("seed", range(8))
def test_brackets_at_the_kinks_hold_the_truth(seed):
    """There delta is what it is at a loss that has an atom, or a few doubles beside it."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        each, count = random_each(rng), random_count(rng, 300)
        loss = (count - 2 * int(rng.integers(0, min(count // 2 + 1, 1 + 700 / each)))) * arb(each)
        exact = summed_delta(loss * (1 - arb(2) ** -300), each, count)
        log_rest = float(exact.log()) if exact > 0 else -700.0
        for steps in (-1000, -1, 0, 1, 1000):
            assert_enclosed(each, count, log_rest + steps * np.spacing(log_rest))


@pytest.mark.parametrize(
    ("each", "count", "power"),
    [
        (1e-6, 10**6, -9.0),
        (1e-3, 10**6, -290.0),
        (0.1, 10**6, -0.2),
        (0.1, 40_000, -12.0),
        (0.1, 40_000, -0.002),
        (1.0, 10**6, -6.0),
        (5.0, 10**6, -30.0),
        (12.0, 10**6, -3.0),
        (50.0, 10**6, -300.0),
        (0.1, 10**9, -9.0),
        (2.0, 10**9, -0.7),
        (1e-6, 10**9, -200.0),
        (20.0, 10**9, -20.0),
        (10.0, 10**11, -5.0),
        (25.0, 10**13, -9.0),
    ],
)
def test_brackets_of_large_counts_hold_the_truth(each, count, power):
    with flint.ctx.workprec(300):
        lower, upper = assert_enclosed(each, count, power * np.log(10), exact=tail_delta)
    assert upper - lower <= (1e-11 if count <= 10**5 and power < -1 else 1e-9) * upper


@seeded(4, 10)
def test_random_deltas_are_enclosed(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        each, count = random_each(rng), random_count(rng, 1000)
        leak = 0.0 if rng.random() < 0.5 else 10 ** rng.uniform(-320, -0.5)
        law, kept = ResponseLaw(each, leak), (1 - arb(leak)) ** count
        places = count * each * np.array([0.0, rng.random(), rng.random() ** 4, 1 - 1e-15, 1.0, 1.1])
        places = np.append(places, (count - 2 * (count // 3)) * each)
        least, most = lower_response_delta(law, count, places), upper_response_delta(law, count, places)
        for place, low, high in zip(places.tolist(), least.tolist(), most.tolist(), strict=True):
            exact = 1 - kept * (1 - summed_delta(place, each, count))
            assert not low > exact
            assert not high < exact
            assert high - low <= 1e-9 * high + 1e-300 or place >= count * each * (1 - 1e-14)


@pytest.mark.parametrize(("each", "count"), [(0.1, 10**6), (1.0, 10**9), (8.0, 10**9)])
def test_deltas_of_large_counts_are_enclosed(each, count):
    law, mean, spread = ResponseLaw(each, 0.0), count * each * np.tanh(each / 2), each * count**0.5 / np.cosh(each / 2)
    for place in (mean + z * spread for z in (-12.0, -1.0, 5.0, 30.0)):
        low, high = (f(law, count, np.array([place]))[0] for f in (lower_response_delta, upper_response_delta))
        with flint.ctx.workprec(300):
            exact = tail_delta(float(place), each, count)
            assert not low > exact
            assert not high < exact
        assert high - low <= 1e-7 * high


@pytest.mark.parametrize(("each", "count", "leak"), [(0.5, 3, 0.0), (0.01, 1000, 1e-9), (2.0, 40, 1e-12), (0.1, 70, 0)])
def test_the_profile_of_identical_responses_is_exact(each, count, leak):
    law, kept = ResponseLaw(each, leak), (1 - arb(leak)) ** count
    for epsilon in count * each * np.array([0.0, 0.03, 0.31, 0.77, 0.999]):
        exact = float(1 - kept * (1 - summed_delta(float(epsilon), each, count)))
        assert upper_response_delta(law, count, np.array([epsilon]))[0] == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(("each", "count", "z"), [(0.1, 40_000, z) for z in (-30, -6, 0, 6, 9)])
def test_sums_and_integrals_hold_the_tails(each, count, z):
    share = 1 / (1 + np.exp(each))
    counts, lies = np.array([float(count)]), np.floor([count * share + z * np.sqrt(count * share * (1 - share))])
    sides = _integrated(each, counts, lies), _summed(each, counts, lies, _LONG)
    for least, most in ((0, 1), (2, 3)):
        low, high = (max(float(side[least][0]) for side in sides), min(float(side[most][0]) for side in sides))
        assert low <= high
        assert all(side[most] - side[least] <= 1e-8 * side[most] for side in sides)


def test_what_beginnings_of_sums_and_integrals_leave_is_in_their_bracket():
    counts, lies = np.array([1000.0]), np.array([400.0])
    whole = _summed(0.1, counts, lies, 402)
    for terms in (1, 2, 5, 20, 100):
        part = _summed(0.1, counts, lies, terms)
        assert part.gain <= whole.gain_most and whole.gain <= part.gain_most
        assert part.fewer <= whole.fewer_most and whole.fewer <= part.fewer_most


@pytest.mark.parametrize("number", [0, 1, 2, 15, 16, 17, 100, 10**5, 10**13])
def test_stirlings_remainder_is_enclosed(number):
    exact = arb(number).lgamma() + arb(number).log() - number * arb(number).log() + number if number else arb(0)
    found = float(_stirling(np.array([float(number)]))[0])
    assert abs(arb(found) - exact) < 12 * 2.0**-53 * found + 2e-16 or found == exact == 0


@pytest.mark.parametrize("seed", range(5))
def test_masses_err_less_than_they_say(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        each, count = 10 ** rng.uniform(-6, 1.7), random_count(rng, 1e13)
        lies = int(min(most_lies(each, np.array([float(count)]))[0], 10 ** rng.uniform(-0.3, 13)))
        found, error = log_mass(each, np.array([float(count)]), np.array([float(lies)]))
        ways = arb(count + 1).lgamma() - arb(lies + 1).lgamma() - arb(count - lies + 1).lgamma()
        exact = ways - lies * arb(each) - count * (1 + (-arb(each)).exp()).log()
        assert abs(arb(float(found[0])) - exact) < float(error[0])


def test_fejers_rule_is_what_its_errors_say():
    nodes, weights = _fejer()
    assert np.all(weights > 0)
    for number, (node, weight) in enumerate(zip(nodes.tolist(), weights.tolist(), strict=True)):
        angle = arb.pi() * (2 * number + 1) / (4 * len(nodes))
        waves = sum(2 * (4 * m * angle).cos() / (4 * m * m - 1) for m in range(1, len(nodes) // 2 + 1))
        assert abs(node / angle.sin() ** 2 - 1) < 24 * 2.0**-53
        assert abs(weight - (1 - waves) / len(nodes)) < 100 * 2.0**-53 / len(nodes)


@pytest.mark.parametrize(
    ("each", "count", "log_rest"),
    [
        (0.0, 10, -3.0),
        (0.5, 0, -3.0),
        (1e-300, 7, -3.0),
        (1e-300, 9, -710.0),
        (900.0, 10**13, -700.0),
        (0.1, 3, -0.0),
        (0.1, 10**17, -9.0),
        (1e-6, 10**6, -1e-17),
        (1.0, 1000, -1e-16),
        (1.0, 1, -745.0),
        (700.0, 3, -1e-9),
    ],
)
@pytest.mark.filterwarnings("error")
def test_ends_of_the_domain(each, count, log_rest):
    law, counts, rests = ResponseLaw(each, 0.0), np.array([count]), np.array([log_rest])
    upper, excess = upper_response_epsilon(law, counts, rests)
    lower = lower_response_epsilon(law, counts, rests)
    assert 0 <= lower <= upper <= count * each * (1 + 1e-14)
    assert excess <= upper
    assert 0 <= lower_response_delta(law, count, upper) <= upper_response_delta(law, count, upper) <= 1
    full = ResponseLaw(each, 1.0)
    assert lower_response_epsilon(full, counts, rests) == 0
    assert upper_response_delta(full, count, upper) == (count > 0)


def test_many_points_are_each_alone():
    law, counts = ResponseLaw(0.1, 1e-12), np.unique(np.geomspace(1, 1e8, 300).astype(np.int64))
    rests = np.full(len(counts), np.log(1e-3))
    together = upper_response_epsilon(law, counts, rests)
    for row in range(0, len(counts), 17):
        alone = upper_response_epsilon(law, counts[row : row + 1], rests[:1])
        assert together[0][row] == pytest.approx(alone[0][0], rel=1e-11)
    assert np.all(together[1] <= 1e-9 * together[0])
    assert tails(0.1, np.array([1.0]), np.array([0.0])).fewer == 1
