"""What choosing along the way costs: counts by reference values, prefixes by `compose`, plans step by step."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Guarantee, Plan, Release, compose
from dpviz.composition.pairs import PAIR_THEOREMS
from dpviz.filters import FILTERS, Filter, Queries, plan_verdicts, run
from dpviz.filters.adaptivity import filter_of, fitting_prefix, fixed_totals, repeated_bounds, runs_curve
from dpviz.filters.query_text import queries_from_text
from dpviz.filters.rules import concentrated_epsilon
from dpviz.filters.sequences import HABITS, as_text, generated, joined, shortened
from dpviz.filters.verdicts import least_budget
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse
from dpviz.rounding import next_above
from tests.golden import GOLDEN

BUDGET = Guarantee(1, 1e-6)
ROUNDING = 1e-12  # of a few hundred additions and a formula
NUMERICAL = 2e-3  # the accuracy asked of the numerical theorem, with room
sizes = st.sampled_from([0.001, 0.01, 0.02, 0.05, 0.1, 0.3])


def test_the_regimes_of_the_page():
    """Which rule wins depends on ε: the counts known for a budget of (1, 1e-6)."""
    frame = runs_curve(BUDGET, [0.01, 0.05]).pivot(index="epsilon", columns="rule", values="runs")
    assert frame.loc[0.01, ["basic", "rogers", "fully_adaptive"]].tolist() == [100, 147, 349]
    assert frame.loc[0.05, ["basic", "rogers", "fully_adaptive"]].tolist() == [20, 5, 13]


def test_the_notebooks_curve_never_shows_its_second_rule():
    """Rogers or basic equals floor(0.2/ε) at all 99 points, in decimals; five points lose a run in doubles."""
    budget, points = Guarantee(0.2, 2e-30), [n * 2 for n in range(1, 100)]
    exact = runs_curve(budget, [n / 1000 for n in points], or_basic=True)
    for rule in ("basic", "rogers"):
        assert exact[exact.rule == rule].runs.tolist() == [200 // n for n in points]
    doubles = runs_curve(budget, np.arange(2e-3, 2e-1, 2e-3), or_basic=True, arithmetic="float64")
    assert (
        doubles[doubles.rule == "rogers"].runs.to_numpy() < exact[exact.rule == "rogers"].runs.to_numpy()
    ).sum() == 5


def test_curves_of_the_reference():
    """Point for point: the notebook's rule in decimals, and each rule by itself and joined to basic."""
    points = GOLDEN["curves"]["sherpa_composition_plot"]["rows"]
    budget, epsilons = Guarantee(0.2, 2e-30), [float(each["eps"]) for each in points]
    alone, either = (runs_curve(budget, epsilons, or_basic=joint) for joint in (False, True))
    for frame, rule, column in (
        (alone, "basic", "basic_exact"),
        (alone, "rogers", "rruv_advanced_exact"),
        (alone, "fully_adaptive", "whitehouse"),
        (alone, "zcdp", "zcdp_tight_cks_filter"),
        (either, "rogers", "sherpa_rule_exact"),
        (either, "fully_adaptive", "whitehouse_or_basic"),
        (either, "zcdp", "zcdp_tight_cks_or_basic"),
    ):
        assert frame[frame.rule == rule].runs.tolist() == [each[column] for each in points], column


@pytest.mark.parametrize("rule", FILTERS, ids=lambda rule: rule.key)
@given(epsilon=sizes, count=st.integers(0, 200))
def test_repeated_bounds_are_those_of_the_filter(rule, epsilon: float, count: int):
    """What is drawn beside the advanced theorem is the filter's own ε, while it admits."""
    frame = repeated_bounds(BUDGET, epsilon, [count])
    drawn = frame[frame.theorem == rule.key].epsilon.iloc[0]
    played = run(Filter(BUDGET, rule.key), Queries.of_pairs([epsilon] * count) if count else [])
    if played.admitted.all():
        assert drawn == pytest.approx(played.end.bound, rel=ROUNDING)
    else:
        assert drawn > BUDGET.epsilon * (1 - ROUNDING)


def test_the_advanced_theorem_stands_beside():
    """For k fixed in advance, as `compose` has it."""
    frame = repeated_bounds(BUDGET, 0.01, [147])
    fixed = frame[frame.theorem == "advanced"].epsilon.iloc[0]
    assert fixed == compose([ApproximateDP(0.01, 0.0)] * 147, 1e-6, "advanced").epsilon
    assert "rogers" not in repeated_bounds(Guarantee(1, 0), 0.01, [1]).theorem.tolist()


@given(st.lists(st.tuples(sizes, st.sampled_from([0.0, 1e-9, 1e-8])), max_size=12), st.sampled_from([0.0, 1e-6, 0.01]))
def test_fixed_totals_are_upper_bounds_and_near_the_best(pairs: list, delta: float):
    """Never below the tight total, hardly above it, and never more than adding up."""
    queries = Queries.of([Guarantee(*pair) for pair in pairs])
    total = fixed_totals(queries, [len(pairs)], delta)[0]
    best = compose([ApproximateDP(*pair) for pair in pairs], delta).epsilon if pairs else 0.0
    if math.isinf(best):
        assert math.isinf(total)
    else:
        assert best * (1 - NUMERICAL) <= total <= best * (1 + NUMERICAL) + ROUNDING
        assert total <= sum(pair[0] for pair in pairs) * (1 + ROUNDING)


def test_many_different_queries_stay_upper_bounds():
    """Where the numerical theorem is too slow, formulas answer, from above."""
    queries = generated("random", 60, 0.02, np.random.default_rng(3))
    total = fixed_totals(queries, [60], 1e-6)[0]
    mechanisms = [ApproximateDP(each, 0.0) for each in queries.epsilon.tolist()]
    assert compose(mechanisms, 1e-6).epsilon < total
    assert total <= min(compose(mechanisms, 1e-6, theorem.key).epsilon for theorem in PAIR_THEOREMS)


def test_queries_without_pairs_are_bounded_by_their_rho():
    """Gaussian noise: ten times ρ, converted once."""
    queries = Queries.of([Gaussian(10)] * 10)
    total = fixed_totals(queries, [0, 10], 1e-6)
    assert total[0] == 0 and total[1] == pytest.approx(float(concentrated_epsilon(0.05, 1e-6)), rel=ROUNDING)
    assert total[1] >= compose([Gaussian(10)] * 10, 1e-6).epsilon
    assert math.isinf(fixed_totals(queries, [10], 0.0)[0])


@given(st.lists(sizes, max_size=40), st.sampled_from([0.0, 1e-6]))
def test_the_fitting_prefix_is_the_last_that_fits(epsilons: list, delta: float):
    """It fits, and one more does not."""
    queries, budget = Queries.of_pairs(epsilons) if epsilons else Queries.of([]), Guarantee(0.5, delta)
    count = fitting_prefix(queries, budget)
    assert fixed_totals(queries, [count], delta)[0] <= 0.5
    if count < len(epsilons):
        assert fixed_totals(queries, [count + 1], delta)[0] > 0.5 * (1 - NUMERICAL)


@given(st.lists(st.tuples(sizes, st.sampled_from([0.0, 1e-9])), max_size=30))
def test_sequences_as_text_read_back(pairs: list):
    """What the page writes into its text field means the same sequence."""
    queries = Queries.of([Guarantee(*pair) for pair in pairs])
    again = queries_from_text(as_text(queries))
    assert again.epsilon.tolist() == queries.epsilon.tolist() and again.delta.tolist() == queries.delta.tolist()


def test_sequences_are_joined_and_cut():
    """One after the other; of one neighbour relation."""
    first, second = Queries.of([Laplace(10)]), Queries.of_pairs([0.2, 0.3])
    both = joined(first, second)
    assert both.epsilon.tolist() == [0.1, 0.2, 0.3] and both.rho[0] == first.rho[0]
    assert shortened(both, 2).epsilon.tolist() == [0.1, 0.2]
    assert as_text(Queries.of([Gaussian(1)])) is None


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.key)
def test_generated_sequences_repeat(habit):
    """The same seed, the same queries; all positive."""
    first, second = (generated(habit.key, 50, 0.02, np.random.default_rng(7)) for _ in range(2))
    assert first.epsilon.tolist() == second.epsilon.tolist() and len(first) == 50 and (first.epsilon > 0).all()
    with pytest.raises(ValueError, match="habit must be one of"):
        generated("idle", 1, 0.1, np.random.default_rng(0))


@given(st.lists(st.tuples(st.sampled_from([Laplace(100, 1), RandomizedResponse(0.2), ApproximateDP(0.05, 1e-9)]),
                          st.integers(0, 30)), max_size=5))  # fmt: skip
def test_a_plan_is_admitted_as_its_releases_one_by_one(rows: list):
    """The counts of a plan under every rule are those of the sequence that it stands for."""
    plan = Plan([Release(f"row {n}", *row) for n, row in enumerate(rows)], BUDGET, adaptive=True)
    requests = [mechanism for mechanism, count in rows for _ in range(count)]
    for row in plan_verdicts(plan).itertuples():
        kept = row.kept if row.rule in ("fully_adaptive", "zcdp") else 0.0
        played = run(filter_of(row.rule, BUDGET, release_delta=kept), requests)
        assert row.admitted == played.admitted.sum()
        assert row.whole == bool(played.admitted.all()) == (row.reason == "")


def test_a_huge_plan_is_quick_and_a_foreign_rule_gives_its_reason():
    """Counts of 10^9 are not stepped through; without δ only adding up is left; Gaussian noise has no pair."""
    plan = Plan([Release("many", RandomizedResponse(1e-9), 10**9), Release("one", Gaussian(100, 1))], BUDGET)
    frame = plan_verdicts(plan).set_index("rule")
    assert frame.admitted["zcdp"] == 10**9 + 1 and frame.whole["zcdp"]
    assert frame.refused["basic"] == "one" and "no stated pair" in frame.reason["basic"]
    pure = plan_verdicts(Plan([Release("one", RandomizedResponse(0.1))], Guarantee(1, 0))).set_index("rule")
    assert pure.whole.tolist() == [True, False, False, False] and (pure.reason.iloc[1:] != "").all()


@given(st.lists(st.tuples(st.sampled_from([Laplace(100, 1), RandomizedResponse(0.2), Gaussian(9.0, 1)]),
                          st.integers(1, 300)), min_size=1, max_size=4))  # fmt: skip
def test_from_the_least_budget_on_a_filter_admits_all(rows: list):
    """With four digits, rounded up as it is told, all is admitted; with a hundredth less none of these rules does."""
    plan = Plan([Release(f"row {n}", *row) for n, row in enumerate(rows)], BUDGET, adaptive=True)
    for rule in FILTERS:
        least = least_budget(plan, rule.key)
        if math.isfinite(least):
            told = next_above(least)
            for budget, admits in ((told, True), (0.99 * least, False)):
                frame = plan_verdicts(replace(plan, budget=Guarantee(budget, 1e-6))).set_index("rule")
                assert frame.whole[rule.key] == admits, rule.key
