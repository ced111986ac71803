"""Conversions against reference values, against each other, and against dp-accounting."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant as oracle
from hypothesis import given
from hypothesis import strategies as st

from dpviz import CONVERSIONS, ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, compose
from dpviz.composition.conversions import (
    delta_from_rho,
    epsilon_from_rdp,
    epsilon_from_rdp_classical,
    epsilon_from_rho,
    epsilon_from_rho_classical,
    rho_from_guarantee,
    rho_from_guarantee_classical,
)
from dpviz.composition.crossings import crossings, first_below, largest_within
from dpviz.composition.renyi import renyi_total
from dpviz.mechanisms import Subsampled
from tests.golden import DOUBLE, GOLDEN, close_from_above, rows

RHOS = st.floats(-12, 6).map(lambda power: 10.0**power)
DELTAS = st.floats(-30, -0.01).map(lambda power: 10.0**power)


@pytest.mark.parametrize(("args", "value"), rows("zcdp_to_dp_cks20_eps"))
def test_tight_epsilon_from_rho_reference(args, value):
    assert close_from_above(epsilon_from_rho(float(args["rho"]), float(args["delta"])), value)


@pytest.mark.parametrize(("args", "value"), rows("zcdp_to_dp_cks20_delta"))
def test_tight_delta_from_rho_reference(args, value):
    assert close_from_above(delta_from_rho(float(args["rho"]), float(args["eps"])), value)


@pytest.mark.parametrize(("args", "value"), rows("zcdp_to_dp_bs16"))
def test_classical_epsilon_from_rho_reference(args, value):
    epsilon = epsilon_from_rho_classical(float(args["rho"]), float(args["delta"]))
    assert epsilon == pytest.approx(float(value), rel=DOUBLE)


@pytest.mark.parametrize(("args", "value"), rows("rdp_to_dp_cks20"))
def test_tight_epsilon_from_rdp_reference(args, value):
    epsilon = float(epsilon_from_rdp(float(args["alpha"]), float(args["rho_alpha"]), float(args["delta"])))
    assert epsilon == pytest.approx(float(value), rel=DOUBLE)


@pytest.mark.parametrize(("args", "value"), rows("rdp_to_dp_mironov"))
def test_classical_epsilon_from_rdp_reference(args, value):
    conditioning = 2e-16 / (float(args["alpha"]) - 1)  # the order itself is a rounded decimal
    epsilon = epsilon_from_rdp_classical(float(args["alpha"]), float(args["rho_alpha"]), float(args["delta"]))
    assert epsilon == pytest.approx(float(value), rel=DOUBLE + conditioning)


@pytest.mark.parametrize(("args", "value"), rows("zcdp_budget_rho_exact"))
def test_rho_of_a_budget_reference(args, value):
    rho = rho_from_guarantee_classical(float(args["eps"]), float(args["delta"]))
    assert float(value) * (1 - DOUBLE) <= rho <= float(value)


@given(RHOS, DELTAS)
def test_tight_is_never_above_classical(rho, delta):
    assert epsilon_from_rho(rho, delta) <= epsilon_from_rho_classical(rho, delta) * (1 + DOUBLE)


@given(st.floats(1.001, 1e6), RHOS, DELTAS)
def test_tight_rdp_is_never_above_classical(alpha, rdp, delta):
    assert epsilon_from_rdp(alpha, rdp, delta) <= epsilon_from_rdp_classical(alpha, rdp, delta) * (1 + DOUBLE)


@given(RHOS, DELTAS)
def test_epsilon_and_delta_invert_each_other(rho, delta):
    epsilon = epsilon_from_rho(rho, delta)
    back = delta_from_rho(rho, epsilon)
    conditioning = 1e-11 + 1e-12 * epsilon / math.sqrt(rho) * math.sqrt(-math.log(delta))
    assert back <= delta * (1 + conditioning)
    if epsilon > 1e-9:
        assert back >= delta * (1 - 1e-3)


@given(st.floats(1e-4, 50), DELTAS)
def test_budget_to_rho_returns_the_budget_from_below(epsilon, delta):
    rho = rho_from_guarantee(epsilon, delta)
    assert epsilon_from_rho(rho, delta) <= epsilon
    assert epsilon_from_rho(rho * (1 + 1e-9), delta) > epsilon
    assert rho >= rho_from_guarantee_classical(epsilon, delta)


def test_limits():
    assert epsilon_from_rho(0, 1e-6) == 0
    assert epsilon_from_rho(math.inf, 1e-6) == math.inf
    assert epsilon_from_rho(1, 0) == epsilon_from_rho_classical(1, 0) == math.inf
    assert epsilon_from_rho(1, 1) == 0
    assert delta_from_rho(0, 0) == 0
    assert delta_from_rho(math.inf, 1) == 1
    assert rho_from_guarantee(1, 0) == 0


def test_every_record_converts():
    values = {"rho": 0.5, "delta": 1e-5, "alpha": 8.0, "rdp": 0.2, "epsilon": 1.0, "mu": 1.0}
    for record in CONVERSIONS:
        assert record.convert(*(values[name] for name in record.arguments)) > 0
        assert all((record.key, record.label, record.statement, record.assumes, record.source))


@given(
    st.lists(st.tuples(st.floats(0.05, 30), st.integers(1, 200)), min_size=1, max_size=3),
    st.lists(st.tuples(st.floats(0.05, 3), st.integers(1, 50)), max_size=2),
    st.floats(-12, -2),
)
def test_rdp_agrees_with_dp_accounting(noises, responses, log_delta):
    """Their accountant takes the best of a grid of orders: a continuous order is never worse, and close."""
    mechanisms = [*(Gaussian(sigma) for sigma, _ in noises), *(RandomizedResponse(epsilon) for epsilon, _ in responses)]
    counts = [count for _, count in (*noises, *responses)]
    delta = 10.0**log_delta
    epsilon, order = renyi_total(tuple(mechanisms), np.array([counts]), delta)
    orders = np.concatenate([1 + np.logspace(-4, 6, 400), [float(order[0])] if np.isfinite(order[0]) else []])
    curve = sum(count * mechanism.rdp(orders) for mechanism, count in zip(mechanisms, counts, strict=True))
    theirs, _ = oracle.compute_epsilon(orders, curve, delta)
    assert epsilon[0] <= theirs * (1 + 1e-9) + 1e-12
    assert epsilon[0] >= theirs * (1 - 1e-9) - 1e-12


@given(st.floats(1e-3, 10), st.integers(1, 10**5), DELTAS)
def test_the_reported_order_is_the_optimum(epsilon, count, delta):
    mechanism = Laplace.from_epsilon(epsilon)
    total, order = renyi_total((mechanism,), np.array([[count]]), delta)
    others = np.concatenate([1 + (order[0] - 1) * np.array([0.5, 0.9, 1.1, 2.0]), 1 + np.logspace(-6, 8, 300)])
    values = epsilon_from_rdp(others, count * mechanism.rdp(others), delta)
    assert total[0] <= values.min() * (1 + 1e-10)


class TestMixedPlans:
    """Stated pairs and mechanisms in one plan: leaks are taken from δ by sum, Gaussian pairs are not."""

    def test_a_leaking_box_is_approximately_zcdp(self):
        plan = Plan([Release("box", ApproximateDP(0.1, 1e-8), 10), Release("noise", Gaussian(20, 1), 5)])
        rho = 10 * RandomizedResponse(0.1).rho + 5 / 800
        assert compose(plan, 1e-6, "zcdp").epsilon == pytest.approx(epsilon_from_rho(rho, 9e-7), rel=1e-11)

    def test_a_stated_gaussian_pair_spends_no_delta(self):
        noise = Gaussian.from_guarantee(0.5, 0.01)
        plan = Plan([Release("noise", noise, 100)])
        assert compose(plan, 1e-6, "zcdp").epsilon == pytest.approx(epsilon_from_rho(100 * noise.rho, 1e-6), rel=1e-11)

    def test_leaks_beyond_delta_leave_no_guarantee(self):
        plan = Plan([Release("box", ApproximateDP(0.1, 1e-6), 2)])
        assert compose(plan, 1e-6, "rdp") == Guarantee(math.inf, 1e-6)
        assert compose(plan, 2e-6, "zcdp").epsilon == math.inf


class TestCrossings:
    """The exact number of repetitions from which a theorem beats basic composition."""

    def test_reference(self):
        names = {"dwork_roth": "advanced", "tight_kl": "advanced_tight", "zcdp_half": "advanced_zcdp"}
        for row in GOLDEN["crossing_first_k_advanced_lt_basic"]["rows"]:
            for name, key in names.items():
                assert first_below(RandomizedResponse(float(row["eps"])), key, float(row["delta_prime"])) == row[name]

    def test_never(self):
        """Dwork-Roth's form never beats basic from ε = ln 2 on; Lecture 11's always does in the end."""
        assert first_below(RandomizedResponse(0.7), "advanced", 1e-6) is None
        assert first_below(RandomizedResponse(0.7), "advanced_tight", 1e-6) > 1

    @given(st.floats(0.001, 3), st.floats(-12, -0.5))
    def test_closed_form(self, epsilon, log_delta):
        delta = 10.0**log_delta
        expected = 2 * math.log(1 / delta) / (1 - math.tanh(epsilon / 2)) ** 2
        found = first_below(RandomizedResponse(epsilon), "advanced_tight", delta)
        assert found in {math.floor(expected * (1 + sign * 1e-9)) + 1 for sign in (-1, 1)}

    @pytest.mark.parametrize("count", [10**6, 10**7, 10**8, 10**9])
    @pytest.mark.parametrize("theorem", ["basic", "advanced", "zcdp"])
    def test_the_search_ends_where_a_mechanism_is_used_too_often(self, count, theorem):
        """At 10^15 uses: Dwork-Roth's form never beats basic at ε = 5, and any number fits into 10^30."""
        plan = Plan([Release("a", Laplace.from_epsilon(5.0), count)])
        assert first_below(plan, "advanced", 1e-6) is None
        for target in (1e30, math.inf):
            assert largest_within(plan, Guarantee(target, 1e-6), theorem) == min(10**9, 10**15 // count)

    def test_target(self):
        assert largest_within(Laplace.from_epsilon(0.001), Guarantee(0.1, 1e-6), "advanced_tight") == 360
        assert largest_within(Gaussian(0.01), Guarantee(0.1, 1e-6), "zcdp") == 0
        assert largest_within(Gaussian(1), Guarantee(math.inf, 1e-6), "zcdp") == 10**9
        assert list(crossings(Gaussian(10), 1e-6).columns) == ["theorem", "label", "count", "epsilon"]


@pytest.mark.parametrize(
    "mechanism", [Subsampled(Gaussian(1.0), 0.01, "poisson"), Subsampled(Laplace(0.5), 0.2, "poisson")], ids=str
)
def test_a_sample_is_accounted_at_its_best_order(mechanism):
    """No order nearby is better, and a point of a curve is what it is alone."""
    counts = np.array([[1], [100], [30_000]])
    totals, orders = renyi_total((mechanism,), counts, 1e-6)
    for count, total, order in zip(counts, totals, orders, strict=True):
        near = 1 + (order - 1) * np.array([0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 2.0])
        best = epsilon_from_rdp(near, count * mechanism.rdp(near), 1e-6).min()
        assert best * (1 - 1e-12) <= total <= best * (1 + 1e-10)
        assert renyi_total((mechanism,), count[None, :], 1e-6)[0][0] == total


def test_what_is_all_but_hidden_costs_nothing():
    """Total variation q (2 Φ(μ/2) - 1) = 6.8e-7 is below δ: ε is 0, though no single order's conversion says so."""
    mechanism = Subsampled(Gaussian(0.5), 1e-6, "poisson")
    assert epsilon_from_rdp(np.geomspace(1.1, 100, 50), mechanism.rdp(np.geomspace(1.1, 100, 50)), 1e-4).min() > 0.1
    assert renyi_total((mechanism,), np.array([[1]]), 1e-4)[0][0] == 0.0
    assert renyi_total((mechanism,), np.array([[1]]), 6e-7)[0][0] > 0.0


def least_delta(rho, epsilon):
    """Canonne-Kamath-Steinke's infimum over orders 1 + e^t, at many digits: on a grid, then by golden sections."""
    rho, epsilon = mpmath.mpf(rho), mpmath.mpf(epsilon)

    def cost(t):
        order = mpmath.exp(t)
        return order * ((1 + order) * rho - epsilon) - order * mpmath.log1p(1 / order) - mpmath.log1p(order)

    grid = [mpmath.mpf(t) for t in np.linspace(-60, 120, 361)]
    best = min(range(1, 360), key=lambda place: cost(grid[place]))
    low, high = grid[best - 1], grid[best + 1]
    for _ in range(90):
        left, right = high - (high - low) * mpmath.phi**-1, low + (high - low) * mpmath.phi**-1
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return mpmath.exp(min(cost(low), 0))


@given(st.floats(-35, 3), st.floats(-17, 4))
@pytest.mark.filterwarnings("error")
def test_delta_of_any_rho_is_the_infimum(log_rho, log_epsilon):
    with mpmath.workdps(60):
        exact = least_delta(10**log_rho, 10**log_epsilon)
        found = delta_from_rho(10**log_rho, 10**log_epsilon)
        assert exact <= found <= exact * (1 + mpmath.mpf("1e-11")) + mpmath.mpf("1e-300")


@pytest.mark.parametrize(
    ("rho", "epsilon", "delta"),
    [(5e-30, 1e-13, 2.6196763e-234), (1e-300, 1e300, 5e-324), (5e-324, 1e308, 5e-324), (1e300, 1e-300, 1.0)],
)
@pytest.mark.filterwarnings("error")
def test_delta_of_extreme_rho(rho, epsilon, delta):
    """Best orders of 1e16 and beyond; too small for a double is not 0."""
    assert delta_from_rho(rho, epsilon) == pytest.approx(delta, rel=1e-7, abs=0)
