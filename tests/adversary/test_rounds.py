"""A list that is asked round after round, by writing every release out."""

import math
from collections import Counter
from fractions import Fraction
from itertools import cycle, islice

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, RandomizedResponse, Subsampled
from dpviz.adversary.rounds import basic_pair, seen_counts, with_pairs

NOTEBOOK = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
PROFILE = 1e-9  # relative excess that Gaussian ε may have, rounded up


def typed(value: float) -> Fraction:
    """The decimal that a double stands for."""
    return Fraction(repr(value))


PAIRS = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: ApproximateDP(pair[0] / 10, pair[1] / 10000))


@given(st.lists(st.sampled_from([*NOTEBOOK, RandomizedResponse(1.0)]), min_size=1, max_size=5), st.integers(1, 60))
def test_counts_are_those_of_the_list_written_out(mechanisms: list, rounds: int):
    """The list again and again, and the start of it at the end."""
    assert seen_counts(mechanisms, rounds) == Counter(islice(cycle(mechanisms), rounds))


@given(st.lists(PAIRS, min_size=1, max_size=5), st.integers(1, 30))
def test_pairs_add_up_exactly(mechanisms: list[ApproximateDP], rounds: int):
    """Sums of the typed decimals, release by release, as fractions: a short one comes out as it is."""
    seen = [each.stated for each in islice(cycle(mechanisms), rounds)]
    found = basic_pair(mechanisms, rounds, 1e-6)
    assert typed(found.epsilon) == sum(typed(each.epsilon) for each in seen)
    assert typed(found.delta) == sum(typed(each.delta) for each in seen)


def test_the_notebook_after_four_rounds():
    """Its first mechanism was asked twice; the classical Gaussian states its own δ."""
    assert basic_pair(NOTEBOOK, 4, 1e-6) == Guarantee(2.5, 0.01)


@pytest.mark.parametrize("rounds", [1, 7, 100])
def test_gaussian_noise_is_read_at_its_share_of_delta(rounds: int):
    """Each release at δ / k: its ε solves the profile of Balle & Wang (2018), Thm 8, here with 30 digits."""
    delta, mu = 1e-6, mpmath.mpf(1) / 3
    with mpmath.workdps(30):

        def excess(epsilon):
            ends = (mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu)
            return mpmath.ncdf(ends[0]) - mpmath.exp(epsilon) * mpmath.ncdf(ends[1]) - mpmath.mpf(delta) / rounds

        exact = float(mpmath.findroot(excess, (0.1, 6.0), solver="bisect", tol=1e-20)) * rounds
    found = basic_pair([Gaussian(3.0)], rounds, delta)
    assert exact <= found.epsilon <= exact * (1 + PROFILE)
    assert delta <= found.delta <= delta * (1 + PROFILE)


@pytest.mark.parametrize(
    ("mechanisms", "rounds", "delta"),
    [
        ([Gaussian(3.0)], 5, 0.0),
        ([Laplace(1.0), Subsampled(Gaussian(3.0), 0.1, "poisson")], 2, 1e-6),
        ([ApproximateDP(1.0, 0.4)], 3, 1e-6),
        ([ApproximateDP(1.0, 1.0)], 1, 0.0),
    ],
)
def test_nothing_to_promise_is_said_so(mechanisms: list, rounds: int, delta: float):
    """No pair at δ = 0 or of a sample, or δ that add up to 1 and more."""
    assert basic_pair(mechanisms, rounds, delta) == Guarantee(math.inf, 1.0)


def test_one_that_is_not_seen_does_not_count():
    """A mechanism without a pair, beyond the last release."""
    assert basic_pair([Laplace(1.0), Gaussian(3.0)], 1, 0.0) == Guarantee(1.0, 0.0)
    assert with_pairs(NOTEBOOK, 1e-6) == NOTEBOOK
