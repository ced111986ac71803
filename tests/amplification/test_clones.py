"""The numerical bound for shuffling, against 50 digits, against fractions, and against randomizers played out."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from dpviz.amplification.clones import hidden_delta, hidden_epsilon, of_any_randomizer, of_randomized_response

OUTWARD = 1e-6  # relative: how far probabilities of few coins are moved outward, and what their difference makes of it
STEPS = 1e-3  # relative, of what stepping through the number of clones and the search add to ε
SMOOTH = 1e-6  # relative error of δ where only every so many-th number of clones is summed
DOUBLE = 1e-14  # absolute error of laws added up in doubles
SHARES = {
    of_any_randomizer: lambda local: mpmath.exp(-local),
    of_randomized_response: lambda local: 2 / (mpmath.exp(local) + 1),
}


def exact_delta(local, epsilon, clients, share):
    """δ(ε) of the histogram of what was drawn by either law, over every number of clones and of ones; 50 digits."""
    total, grown = mpmath.mpf(0), mpmath.exp(epsilon)
    true = mpmath.exp(local) / (mpmath.exp(local) + 1)
    for count in range(0 if share < 1 else clients - 1, clients):
        weight = mpmath.binomial(clients - 1, count) * share**count * (1 - share) ** (clients - 1 - count)
        coins = [mpmath.binomial(count, ones) / mpmath.mpf(2) ** count for ones in range(count + 1)]
        one = [true * a + (1 - true) * b for a, b in zip([0, *coins], [*coins, 0], strict=True)]
        zero = one[::-1]
        total += weight * sum(max(p - grown * q, 0) for p, q in zip(one, zero, strict=True))
    return total


@pytest.mark.parametrize("law", SHARES)
@pytest.mark.parametrize("clients", [1, 2, 3, 10, 60])
@pytest.mark.parametrize(("local", "delta"), [(0.01, 1e-4), (1.0, 1e-3), (1.0, 1e-9), (3.0, 0.2), (12.0, 1e-6)])
def test_epsilon_meets_delta_and_hardly_more(law, clients: int, local: float, delta: float):
    """The δ at the quoted ε is within δ, that at an ε a little below is not."""
    found = hidden_epsilon(local, clients, delta, law(local))
    with mpmath.workdps(50):
        share = SHARES[law](mpmath.mpf(local))
        assert exact_delta(mpmath.mpf(local), mpmath.mpf(found), clients, share) <= delta
        if found > 0:
            assert exact_delta(mpmath.mpf(local), found * mpmath.mpf(1 - STEPS), clients, share) > delta


@pytest.mark.parametrize("local", [1e-6, 0.1, 1.0, 4.0, 15.0, 50.0])
@pytest.mark.parametrize("part", [0.0, 1e-3, 0.3, 0.7, 0.999])
def test_delta_of_a_given_number_of_clones(local: float, part: float):
    """Never below the sum over all outcomes, and close to it: where all that is uncertain is the coins."""
    with mpmath.workdps(50):
        for count in (0, 1, 2, 7, 31, 32, 33, 64, 150):
            exact = exact_delta(mpmath.mpf(local), mpmath.mpf(part * local), count + 1, mpmath.mpf(1))
            found = hidden_delta(local, part * local, np.array([0.0, count]), np.array([0.0]))
            assert exact <= found <= exact * (1 + OUTWARD) + mpmath.mpf("1e-299")


def slack(count: int) -> float:
    """What is added to a binomial probability, relative, as the module states it."""
    return 1e-10 + 1e-13 * math.sqrt(count)


def fewer_heads(count: int, heads: int) -> mpmath.mpf:
    """Pr[Bin(count, 1/2) < heads] below the middle: its last term times Gauss' fraction of 2F1 at -1."""
    base, top = mpmath.mpf(count - heads + 2), mpmath.mpf(heads - 1)
    term = mpmath.exp(
        mpmath.loggamma(count + 1) - mpmath.loggamma(heads) - mpmath.loggamma(base) - count * mpmath.log(2)
    )
    value, upper, lower = mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf(0)
    for place in range(1, 10**6):
        half = place // 2
        if place % 2:
            step = -(top - half) * (base - 1 + half) / ((base + place - 2) * (base + place - 1))
        else:
            step = half * (base + top + half - 1) / ((base + place - 2) * (base + place - 1))
        lower, upper = 1 / (1 + step * lower), 1 + step / upper
        value *= lower * upper
        if abs(lower * upper - 1) < mpmath.mpf(10) ** -25:
            break
    return term / value


def given_coins(local: float, epsilon: float, count: int) -> mpmath.mpf:
    """δ(ε) among so many clones, from both binomial probabilities in full precision."""
    grown, most = mpmath.exp(mpmath.mpf(epsilon)), mpmath.exp(mpmath.mpf(local))
    place = (count + 1) * (most - grown) / ((most - 1) * (grown + 1))
    heads = int(mpmath.ceil(place)) - 1
    one = mpmath.exp(
        mpmath.loggamma(count + 1)
        - mpmath.loggamma(heads + 1)
        - mpmath.loggamma(count - heads + 1)
        - count * mpmath.log(2)
    )
    return one * (most - grown) / (most + 1) - (grown - 1) * fewer_heads(count, heads)


@pytest.mark.parametrize("count", [1000, 99_999, 10**6, 10**8, 10**10, 10**12])
@pytest.mark.parametrize("deviations", [1.0, 4.0, 10.0, 30.0])
def test_delta_of_many_clones(count: int, deviations: float):
    """Both binomial probabilities from 40 digits, so that what SciPy rounds is covered by what is added."""
    local = 2.0
    epsilon = 2 * math.atanh(math.tanh(local / 2) * deviations / math.sqrt(count))
    with mpmath.workdps(40):
        moved = 3 * slack(count) * (1 + deviations**2)  # two terms, whose difference is smaller by the square
        exact = given_coins(local, epsilon, count)
        found = hidden_delta(local, epsilon, np.array([0.0, count]), np.array([0.0]))
        assert exact <= found <= exact * (1 + moved)


@pytest.mark.parametrize(("clients", "local", "delta"), [(10**8, 4.0, 1e-6), (10**7, 6.0, 1e-12), (10**8, 10.0, 1e-4)])
def test_epsilon_of_very_many_clients(clients: int, local: float, delta: float):
    """The sum over every so many-th number of clones, as good as over all where both factors are that smooth."""
    found = hidden_epsilon(local, clients, delta, of_any_randomizer(local))
    with mpmath.workdps(25):
        share = mpmath.exp(-mpmath.mpf(local))
        mean, deviation = (clients - 1) * share, mpmath.sqrt((clients - 1) * share * (1 - share))
        every = max(1, int(deviation / 6))
        counts = range(int(mean - 13 * deviation), int(mean + 9 * deviation), every)
        chances = [
            mpmath.binomial(clients - 1, count) * share**count * (1 - share) ** (clients - 1 - count)
            for count in counts
        ]
        assert abs(every * sum(chances) - 1) < SMOOTH
        at, less = (
            every
            * sum(given_coins(local, tried, count) * chance for count, chance in zip(counts, chances, strict=True))
            for tried in (found, found * (1 - STEPS))
        )
        assert at <= delta * (1 + SMOOTH) and less > delta * (1 + SMOOTH)


@pytest.mark.parametrize("count", [100, 10**4, 10**6, 10**8, 10**10, 10**12])
@pytest.mark.parametrize("deviations", [0.8, 2.0, 6.0, 15.0, 35.0])
def test_scipy_is_far_closer_than_what_is_added(count: int, deviations: float):
    """The one part of the bound that is not proved: what this release of SciPy rounds, a tenth of what is added."""
    heads = max(1, math.floor(count / 2 - deviations * math.sqrt(count) / 2))
    with mpmath.workdps(40):
        exact = fewer_heads(count, heads)
        assert abs(betainc(count - heads + 1.0, float(heads), 0.5) - exact) <= exact * slack(count) / 10


def test_delta_is_the_fraction():
    """Two clients, ε₀ = ln 3 and a clone with probability 1/3: δ(ln 2) by hand is (2/3) 1/4 + (1/3) 1/8."""
    by_hand = Fraction(2, 3) * Fraction(1, 4) + Fraction(1, 3) * Fraction(1, 8)
    found = hidden_delta(math.log(3), math.log(2), np.array([0.0, 1.0]), np.array([2 / 3]))
    assert float(by_hand) <= found <= float(by_hand) * (1 + OUTWARD)


def shuffled(reports: list[np.ndarray]) -> dict[tuple[int, ...], float]:
    """The law of the histogram of independent reports."""
    law = {(0,) * len(reports[0]): 1.0}
    for report in reports:
        grown: dict[tuple[int, ...], float] = {}
        for (counts, mass), (place, chance) in itertools.product(law.items(), enumerate(report.tolist())):
            seen = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
            grown[seen] = grown.get(seen, 0.0) + mass * chance
        law = grown
    return law


def divergence(one: dict, other: dict, epsilon: float) -> float:
    return sum(max(mass - math.exp(epsilon) * other.get(seen, 0.0), 0.0) for seen, mass in one.items())


CHANNELS = st.lists(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3), min_size=3, max_size=3)


@given(CHANNELS, st.sampled_from([0.3, 1.0, 3.0]), st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.05, 1e-3]))
def test_no_randomizer_of_three_answers_costs_more(levels, strength: float, same: int, third: int, delta: float):
    """Any randomizer, any values of the others, and both directions: the exact histograms stay within δ."""
    channel = np.exp(strength * np.array(levels))
    channel /= channel.sum(axis=1, keepdims=True)
    local = float(np.log(channel.max(axis=0) / channel.min(axis=0)).max()) * (1 + 1e-12)
    epsilon = hidden_epsilon(local, 1 + same + third, delta, of_any_randomizer(local))
    others = same * [channel[0]] + third * [channel[2]]
    one, other = shuffled([channel[0], *others]), shuffled([channel[1], *others])
    assert max(divergence(one, other, epsilon), divergence(other, one, epsilon)) <= delta + DOUBLE


def test_nothing_is_summed_where_doubles_end():
    """A δ that doubles cannot hold, and an ε₀ without clones, are left to the local guarantee."""
    assert hidden_epsilon(1.0, 10**6, 1e-290, of_any_randomizer(1.0)) == math.inf
    assert hidden_epsilon(300.0, 10**6, 1e-6, of_any_randomizer(300.0)) == math.inf
