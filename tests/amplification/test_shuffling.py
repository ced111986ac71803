"""Amplification by shuffling, against reference values and against exact shuffled reports."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dpviz import Guarantee
from dpviz.amplification import SHUFFLE_BOUNDS, amplify_by_shuffling
from dpviz.amplification.shuffling import (
    MOST_REPORTS,
    fewest_reports,
    largest_local_epsilon,
    no_amplification,
    shuffle_curve,
)
from tests.golden import GOLDEN, close_from_above, rows
from tests.strategies import EPSILONS, WHOLE_DELTAS

ANY, RESPONSE, ANY_SUMMED, RESPONSE_SUMMED = KEYS = tuple(record.key for record in SHUFFLE_BOUNDS)
SUMMED = {ANY_SUMMED: ANY, RESPONSE_SUMMED: RESPONSE}
CLIENTS = st.one_of(st.sampled_from([1, 2, 1000, 10**6, 10**13]), st.integers(1, 10**13))
INWARD = 1e-13  # relative, by which the largest local ε is rounded down, as reports
CONVOLUTION = 1e-12  # absolute error of convolved binomials
STEPS = 5e-4  # relative, of what stepping through the number of clones adds to ε; and that of ε₀/√n near ε = 0


def hockey_stick(p, q, epsilon):
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def shuffled_responses(clients, ones, local, epsilon):
    """Exact δ(ε) of the number of ones reported when `ones` of the other clients hold a one; the worse direction."""
    true = 1 / (1 + math.exp(-local))
    held = binom.pmf(np.arange(ones + 1), ones, true)
    not_held = binom.pmf(np.arange(clients - ones), clients - 1 - ones, 1 - true)
    others = np.convolve(held, not_held)
    one, zero = np.convolve(others, [1 - true, true]), np.convolve(others, [true, 1 - true])
    return max(hockey_stick(one, zero, epsilon), hockey_stick(zero, one, epsilon))


def clones(clients, share, local, epsilon):
    """δ(ε) when each other client's report is, with probability `share`, a fair coin, and all others are known.

    Share 2/(e^ε0 + 1) is what binary randomized response does, whatever the others hold; share e^-ε0 is what every
    local randomizer can be reduced to (Feldman, McMillan & Talwar 2021, Thm 3.2).
    """
    true, total = 1 / (1 + math.exp(-local)), 0.0
    coins = np.arange(clients)
    weights = binom.pmf(coins, clients - 1, share)
    for count in coins[weights > 1e-18]:
        others = binom.pmf(np.arange(count + 1), count, 0.5)
        one, zero = np.convolve(others, [1 - true, true]), np.convolve(others, [true, 1 - true])
        total += weights[count] * hockey_stick(one, zero, epsilon)
    return total


class TestReference:
    @pytest.mark.parametrize(
        ("bound", "args", "value"),
        [(ANY, *row) for row in rows("shuffle_fmt21_closed")]
        + [(RESPONSE, *row) for row in rows("shuffle_fmt22_closed")],
    )
    def test_epsilon(self, bound, args, value):
        answer = amplify_by_shuffling(float(args["eps0"]), int(args["n"]), float(args["delta"]), bound)
        assert close_from_above(answer.epsilon, value)
        assert answer.delta == float(args["delta"])

    @pytest.mark.parametrize("row", GOLDEN["shuffle_valid_eps0_max"]["rows"])
    @pytest.mark.parametrize(("bound", "column"), [(ANY, "fmt21"), (RESPONSE, "fmt22")])
    def test_largest_local_epsilon(self, row, bound, column):
        found = largest_local_epsilon(int(row["args"]["n"]), float(row["args"]["delta"]), bound)
        assert float(row[column]) * (1 - 1e-12) <= found <= float(row[column])


class TestIndependentRoutes:
    @pytest.mark.parametrize(
        ("clients", "local", "delta"),
        [(200, 0.2, 1e-2), (500, 0.5, 1e-3), (1000, 1.0, 1e-6), (1000, 0.01, 1e-5), (3000, 2.0, 1e-6), (3000, 3, 1e-4)],
    )
    def test_bound_for_randomized_response(self, clients, local, delta):
        """Exact reports stay below it for every mix of the others, and so does the bound over all mixes."""
        answer = amplify_by_shuffling(local, clients, delta, RESPONSE)
        assert answer.epsilon < local
        for ones in (0, 1, clients // 2, clients - 1):
            assert shuffled_responses(clients, ones, local, answer.epsilon) <= delta + CONVOLUTION
        assert clones(clients, 2 / (math.exp(local) + 1), local, answer.epsilon) <= delta + CONVOLUTION

    @pytest.mark.parametrize(
        ("clients", "local", "delta"),
        [(500, 0.2, 1e-3), (1000, 1.0, 1e-6), (1000, 0.01, 1e-5), (3000, 1.5, 1e-8), (3000, 2.5, 1e-5)],
    )
    def test_bound_for_any_randomizer(self, clients, local, delta):
        """The reduction to clones, computed exactly, stays below the closed form."""
        answer = amplify_by_shuffling(local, clients, delta, ANY)
        assert answer.epsilon <= local
        if answer.epsilon < local:
            assert clones(clients, math.exp(-local), local, answer.epsilon) <= delta + CONVOLUTION

    def test_the_reduction_is_no_less_than_the_exact_reports(self):
        """The route itself: what is known of the others only helps the adversary."""
        for ones in (0, 150, 299):
            exact = shuffled_responses(300, ones, 1.0, 0.3)
            assert 0 < exact <= clones(300, 2 / (math.e + 1), 1.0, 0.3)
            assert clones(300, 2 / (math.e + 1), 1.0, 0.3) <= clones(300, math.exp(-1), 1.0, 0.3)

    def test_simulation(self):
        """The exact law of the reports, by drawing them."""
        rng = np.random.default_rng(9)
        true, trials = 1 / (1 + math.exp(-0.5)), 400_000
        drawn = rng.binomial(20, true, trials) + rng.binomial(30, 1 - true, trials)
        counts = np.bincount(drawn, minlength=51)[:51] / trials
        law = np.convolve(binom.pmf(np.arange(21), 20, true), binom.pmf(np.arange(31), 30, 1 - true))
        five_standard_errors = 5 * np.sqrt(law / trials) + 1 / trials
        assert (np.abs(counts - law) <= five_standard_errors).all()

    def test_within_a_factor_of_the_exact_value(self):
        """The closed form for randomized response is no more than five times what the exact reports cost."""
        clients, local, delta = 1000, 1.0, 1e-6
        answer = amplify_by_shuffling(local, clients, delta, RESPONSE)
        assert shuffled_responses(clients, 500, local, answer.epsilon / 5) > delta

    @pytest.mark.parametrize(
        ("clients", "local", "delta"),
        [(20, 0.2, 1e-2), (500, 0.5, 1e-3), (1000, 1.0, 1e-6), (1000, 0.01, 1e-5), (3000, 2.0, 1e-6), (3000, 4, 1e-4)],
    )
    def test_numerical_bound_for_randomized_response(self, clients, local, delta):
        """Exact reports stay below it for every mix of the others; it is the ε of the clones, and hardly more."""
        epsilon = amplify_by_shuffling(local, clients, delta, RESPONSE_SUMMED).epsilon
        general = amplify_by_shuffling(local, clients, delta, ANY_SUMMED).epsilon
        assert 0 < epsilon < general <= local
        for ones in (0, 1, clients // 2, clients - 1):
            assert shuffled_responses(clients, ones, local, epsilon) <= delta + CONVOLUTION
        share = 2 / (math.exp(local) + 1)
        assert clones(clients, share, local, epsilon) <= delta + CONVOLUTION
        assert clones(clients, share, local, epsilon * (1 - STEPS)) > delta

    @pytest.mark.parametrize(
        ("clients", "local", "delta"),
        [(2, 1.0, 1e-2), (500, 0.2, 1e-3), (1000, 1.0, 1e-6), (3000, 2.5, 1e-5), (100_000, 4.0, 1e-6)],
    )
    def test_numerical_bound_for_any_randomizer(self, clients, local, delta):
        """It is the ε of the clones summed one by one, and hardly more."""
        epsilon = amplify_by_shuffling(local, clients, delta, ANY_SUMMED).epsilon
        assert clones(clients, math.exp(-local), local, epsilon) <= delta + CONVOLUTION
        assert clones(clients, math.exp(-local), local, epsilon * (1 - STEPS)) > delta

    def test_quoted_example(self):
        """A hundred thousand reports with ε₀ = 4 at δ = 10⁻⁶, in closed form and summed."""
        values = [amplify_by_shuffling(4, 100_000, 1e-6, key).epsilon for key in KEYS]
        assert [round(value, 5) for value in values] == [0.53463, 0.40779, 0.16977, 0.11815]


class TestLaws:
    @given(EPSILONS, CLIENTS, WHOLE_DELTAS)
    def test_a_sum_is_never_more_than_its_closed_form(self, local, clients, delta):
        for summed, closed in SUMMED.items():
            answer, bound = (amplify_by_shuffling(local, clients, delta, key) for key in (summed, closed))
            assert answer.epsilon <= bound.epsilon * (1 + 1e-14)
            assert bool(no_amplification(local, clients, delta, summed)) == (delta == 0)

    @given(EPSILONS, st.integers(1, 10**8), WHOLE_DELTAS)
    def test_randomized_response_hides_better(self, local, clients, delta):
        general, response = (amplify_by_shuffling(local, clients, delta, key).epsilon for key in SUMMED)
        assert response <= general * (1 + STEPS) + STEPS * local / math.sqrt(clients)

    @given(EPSILONS, EPSILONS, st.integers(1, 10**6), WHOLE_DELTAS, WHOLE_DELTAS, st.sampled_from([*SUMMED]))
    def test_a_smaller_local_epsilon_or_a_larger_delta_never_costs_more(self, one, other, clients, delta, more, bound):
        small, large = sorted((one, other))
        less, more = sorted((delta, more))
        rounding = 1 + STEPS
        base = amplify_by_shuffling(large, clients, less, bound).epsilon * rounding
        near = STEPS * large / math.sqrt(clients)
        assert amplify_by_shuffling(small, clients, less, bound).epsilon <= base + near
        assert amplify_by_shuffling(large, clients, more, bound).epsilon <= base + near

    @given(EPSILONS, CLIENTS, CLIENTS, WHOLE_DELTAS, st.sampled_from([*SUMMED]))
    def test_more_clients_never_cost_more_in_a_sum(self, local, clients, others, delta, bound):
        few, many = sorted((clients, others))
        small, large = (amplify_by_shuffling(local, count, delta, bound).epsilon for count in (many, few))
        assert small <= large * (1 + STEPS) + STEPS * local / math.sqrt(few)

    @given(EPSILONS, CLIENTS, WHOLE_DELTAS, st.sampled_from(KEYS))
    def test_never_more_than_the_local_guarantee(self, local, clients, delta, bound):
        answer = amplify_by_shuffling(local, clients, delta, bound)
        assert answer.epsilon <= local
        assert answer.delta in (0.0, delta)
        if no_amplification(local, clients, delta, bound):
            assert answer == Guarantee(local)

    @given(EPSILONS, CLIENTS, CLIENTS, WHOLE_DELTAS, st.sampled_from([ANY, RESPONSE]))
    def test_more_clients_never_cost_more(self, local, clients, others, delta, bound):
        few, many = sorted((clients, others))
        rounding = 1 + 1e-14
        small, large = (amplify_by_shuffling(local, count, delta, bound).epsilon for count in (many, few))
        assert small <= large * rounding

    @given(EPSILONS, CLIENTS, WHOLE_DELTAS)
    def test_the_reason_says_when_the_bound_is_not_proved(self, local, clients, delta):
        for bound in (ANY, RESPONSE):
            assert bool(no_amplification(local, clients, delta, bound)) == (
                local > largest_local_epsilon(clients, delta, bound)
            )


class TestLimits:
    def test_outside_its_region_nothing_is_claimed(self):
        assert amplify_by_shuffling(2, 1000, 1e-6) == Guarantee(2.0)
        assert "at most 1.46 with 1,000 clients" in no_amplification(2, 1000, 1e-6)
        assert "no local ε with 10 clients" in no_amplification(0.1, 10, 1e-6)
        assert "δ above 0" in no_amplification(0.1, 10**9, 0.0)
        assert amplify_by_shuffling(0.1, 10**9, 0.0) == Guarantee(0.1)

    @pytest.mark.parametrize("bound", SUMMED)
    def test_extremes_of_a_sum(self, bound):
        assert amplify_by_shuffling(0, 10**6, 1e-6, bound) == Guarantee(0.0)
        assert amplify_by_shuffling(0.1, 10**9, 0.0, bound) == Guarantee(0.1)
        assert "δ above 0" in no_amplification(0.1, 10**9, 0.0, bound)
        assert amplify_by_shuffling(1, 10, 1.0, bound) == Guarantee(0.0, 1.0)
        assert amplify_by_shuffling(1, 10**6, 0.5, bound) == Guarantee(0.0, 0.5)
        assert amplify_by_shuffling(1000, 10**13, 1e-6, bound) == Guarantee(1000.0)
        assert amplify_by_shuffling(1e-300, 10**13, 5e-324, bound).epsilon > 0
        assert amplify_by_shuffling(50, 10**6, 1e-30, bound).epsilon == pytest.approx(50, abs=1e-4)
        assert 0 < amplify_by_shuffling(1e-6, 1000, 1e-30, bound).epsilon < 1e-6
        assert fewest_reports(50.0, 1e-30, bound) == 1 and fewest_reports(50.0, 0.0, bound) is None

    def test_extremes(self):
        assert amplify_by_shuffling(0, 10**6, 1e-6) == Guarantee(0.0)
        assert 0 < amplify_by_shuffling(1e-300, 10**13, 5e-324).epsilon <= 1e-300
        assert amplify_by_shuffling(20, 10**13, 1e-6).epsilon < 2
        assert amplify_by_shuffling(1000, 10**13, 1e-6) == Guarantee(1000.0)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((-1, 10, 0.1), "epsilon must be in"),
            ((math.inf, 10, 0.1), "epsilon must be in"),
            ((1, 0, 0.1), "clients must be in"),
            ((1, 10.5, 0.1), "clients must be in"),
            ((1, 10, 1.1), "delta must be in"),
            ((1, 10, 0.1, "fmt22"), "bound must be one of shuffling, shuffling_randomized_response"),
        ],
    )
    def test_bad_input_is_refused(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            amplify_by_shuffling(*arguments)


def test_frame():
    frame = shuffle_curve(1.0, [100, 1000, 10_000], 1e-6)
    assert frame.groupby("bound", sort=False).size().to_dict() == dict.fromkeys(KEYS, 3)
    assert frame.applies.tolist() == [False, True, True, False, True, True] + 6 * [True]
    assert (frame.reason == "").tolist() == frame.applies.tolist()
    assert (frame.epsilon <= frame.local_epsilon).all()
    assert shuffle_curve(1.0, [], 1e-6).columns.tolist() == frame.columns.tolist()


@pytest.mark.parametrize("delta", [1e-6, 1e-12, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0, 15.0])
def test_fewest_reports_are_those_of_the_closed_forms(epsilon: float, delta: float):
    """Thm 3.1 solved for n is 16 ln(2/δ) e^ε₀, Thm 3.2 is 8 ln(2/δ) (e^ε₀ + 1), with 50 digits."""
    with mpmath.workdps(50):
        log = mpmath.log(2 / mpmath.mpf(delta))
        exact = {ANY: 16 * log * mpmath.exp(epsilon), RESPONSE: 8 * log * (mpmath.exp(epsilon) + 1)}
        for bound, reports in exact.items():
            found = fewest_reports(epsilon, delta, bound)
            assert reports <= found <= reports * (1 + INWARD) + 1


def test_no_number_of_reports_is_enough():
    """At δ = 0 nothing is proved; a large local ε needs more than are looked at."""
    assert fewest_reports(1.0, 0.0) is None and fewest_reports(50.0, 1e-6) is None
    assert fewest_reports(0.0, 1.0, RESPONSE) < MOST_REPORTS


@pytest.mark.parametrize(("epsilon", "delta", "bound"), [(-1.0, 1e-6, ANY), (1.0, 2.0, ANY), (1.0, 1e-6, "x")])
def test_fewest_reports_of_what_is_not_allowed(epsilon: float, delta: float, bound: str):
    with pytest.raises(ValueError, match="must be"):
        fewest_reports(epsilon, delta, bound)
