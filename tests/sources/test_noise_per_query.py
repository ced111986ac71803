"""Noise per query: every proved way keeps the promise, verified by the theorem that it uses."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Guarantee, Laplace, Plan, compose
from dpviz.plan import as_plan
from dpviz.sources.noise_per_query import WAYS, noise_per_query

ROUNDING = 1e-12  # relative: what a verified total may exceed its budget by in the last digits
THEOREM = {
    "steinke_sufficient": "advanced_zcdp",
    "steinke_exact": "advanced_zcdp",
    "laplace_advanced": "advanced_tight",
    "steinke_tight": "zcdp",
    "gaussian_zcdp": "zcdp",
    "laplace_basic": "basic",
    "steinke_basic": "basic",
}
BUDGETS = st.builds(Guarantee, st.floats(1e-3, 20), st.sampled_from([1e-12, 1e-6, 1e-3, 0.05]))


def released(way, error: float, count: int) -> Plan:
    noise = Laplace(error) if "aplace" in way.label else Gaussian(error * math.sqrt(math.pi / 2))
    return as_plan({noise: count})


@given(BUDGETS, st.integers(1, 100_000), st.sampled_from([way for way in WAYS if way.proved]))
def test_every_proved_way_keeps_the_promise(budget: Guarantee, count: int, way):
    """The noise, composed forward, stays within the budget."""
    plan = released(way, way.error(count, budget), count)
    total = compose(plan, 0.0 if THEOREM.get(way.key) == "basic" else budget.delta, THEOREM.get(way.key))
    assert total.epsilon <= budget.epsilon * (1 + ROUNDING)


@given(BUDGETS, st.integers(1, 10_000))
def test_the_exact_rho_needs_less_noise_than_the_sufficient_one(budget: Guarantee, count: int):
    errors = noise_per_query([count], budget, "steinke").set_index("way").error
    assert errors["steinke_tight"] <= errors["steinke_exact"] * (1 + ROUNDING)
    assert errors["steinke_exact"] < errors["steinke_sufficient"]


@given(BUDGETS, st.integers(1, 10_000))
def test_the_exact_gaussian_is_the_best_gaussian(budget: Guarantee, count: int):
    errors = noise_per_query([count], budget, "lecture").set_index("way").error
    for way in ("gaussian_basic", "gaussian_advanced", "gaussian_zcdp"):
        assert errors["gaussian_exact"] <= errors[way] * (1 + 1e-9)


def test_the_missing_factor():
    """Printed order times √ln(1/δ) grows as the lecture's own construction does."""
    frame = noise_per_query([10**3, 10**6], Guarantee(1, 1e-6), "lecture").set_index(["way", "count"]).error
    factor = math.sqrt(math.log(1e6))
    whole = [frame["gaussian_advanced", k] / (frame["gaussian_printed", k] * factor) for k in (1e3, 1e6)]
    assert all(1 < ratio < 2 for ratio in whole)  # constants left out
    assert whole[0] == pytest.approx(whole[1], rel=0.05)


@pytest.mark.parametrize(
    ("counts", "budget", "table"),
    [([0], Guarantee(1, 1e-6), "lecture"), ([1], Guarantee(1), "lecture"), ([1], Guarantee(0, 1e-6), "steinke"),
     ([1], Guarantee(math.inf, 1e-6), "steinke"), ([1], Guarantee(1, 1e-6), "other"),
     ([1.5], Guarantee(1, 0.1), "lecture")],
)  # fmt: skip
def test_bad_input_is_refused(counts, budget, table):
    with pytest.raises(ValueError, match="must be"):
        noise_per_query(counts, budget, table)
