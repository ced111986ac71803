"""What each release costs alone, what the plan costs without it, and the smallest total with its proof."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, Release, Subsampled, compare, compose
from dpviz.composition import tightest
from dpviz.composition.compose import smallest_total
from dpviz.composition.spend import MOST_WITHOUT, Saving, alone, savings, without
from dpviz.plan import as_plan
from dpviz.planning.scenario import risk
from tests.effort import examples
from tests.strategies import WHOLE_DELTAS, workloads

PLOTTED = 2e-4  # relative accuracy of numerical theorems on charts, with room
SHARED = 0.15  # likewise where very unlike workloads share one grid, as at δ = 1e-30 beside 11,119 responses
QUOTED = 1e-4  # what a quoted total may lie above the truth where very unlike noise shares its grid
PARTS = st.sampled_from([None, None, "north", "south"])


@given(workloads(most=3), WHOLE_DELTAS)
def test_alone_is_what_a_plan_of_that_release_costs(workload, delta):
    """Each number is the smallest total of a plan of one release, to the accuracy of charts, and never below."""
    releases = [Release(f"r{row}", mechanism, count) for row, (mechanism, count) in enumerate(workload)]
    for release, spent in zip(releases, alone(Plan(releases), delta), strict=True):
        exact = compose(Plan([release]), delta).epsilon
        assert spent == pytest.approx(exact, rel=PLOTTED, abs=1e-12)
        assert spent >= exact * (1 - 2e-6)  # accuracy of the quoted total


def test_corners():
    """Nothing costs nothing; one release without a bound does not take away that of others."""
    assert alone(Plan([]), 1e-6).tolist() == []
    plan = as_plan({Gaussian(1.0): 1, Laplace(10.0): 3, Laplace(1.0): 0})
    assert alone(plan, 0.0).tolist() == [math.inf, 0.3, 0.0]


@examples(6)
@given(workloads(most=3), st.lists(PARTS, min_size=3, max_size=3), WHOLE_DELTAS)
def test_without_is_what_the_other_releases_cost(workload, parts, delta):
    """Each number is the smallest total of the plan that is left, never below, and close above."""
    named = zip(workload, parts, strict=False)
    releases = [Release(f"r{row}", mechanism, count, part) for row, ((mechanism, count), part) in enumerate(named)]
    rows = range(len(releases))[::-1]
    for row, left in zip(rows, without(Plan(releases), rows, delta), strict=True):
        exact = compose(Plan([*releases[:row], *releases[row + 1 :]]), delta).epsilon
        assert exact * (1 - QUOTED) <= left <= exact * (1 + SHARED) + 1e-12


@examples(6)
@given(workloads(most=3), WHOLE_DELTAS)
def test_a_saving_is_what_two_totals_differ_by(workload, delta):
    """Never more than the totals differ, never negative; the shares of all are within 0 and 100, equal rows alike."""
    releases = [Release(f"r{row}", mechanism, count) for row, (mechanism, count) in enumerate(workload)]
    plan = Plan([*releases, *releases[:1]])
    total, found = compose(plan, delta).epsilon, savings(plan, delta)
    assert found[0] == found[-1] and len(found) == len(plan.releases)
    for row, saving in enumerate(found[:-1]):
        rest = compose(Plan(plan.releases[:row] + plan.releases[row + 1 :]), delta).epsilon
        if math.isinf(total):
            assert saving.share is None and saving.epsilon == (math.inf if math.isfinite(saving.without) else 0.0)
            continue
        assert 0 <= saving.epsilon <= total - rest * (1 - QUOTED) + QUOTED * total
        assert saving.share is None if total == 0 else 0 <= saving.share <= 100


def test_shares_of_what_adds_up_add_up():
    """Without δ, of stated ε, shares are their parts of the sum; one decimal is not below another by rounding."""
    plan = Plan([Release("a", Laplace.from_epsilon(0.1), 3), Release("b", Laplace.from_epsilon(0.7))])
    assert [each.share for each in savings(plan, 0.0)] == [30.0, 70.0]
    assert Saving(0.3, 0.1).epsilon == 0.2 and Saving(0.3, 0.3).share == 0.0 and Saving(0.0, 0.0).share is None


def test_what_the_others_cost_goes_by_the_relation_of_the_promise():
    """Also where the one that is left out alone asked for it: two bars change then, and not one, on every way there."""
    drawn = Release("Drawn", Subsampled(Gaussian(50.0, 1.0), 0.1, "without_replacement"))
    plan = Plan([drawn, Release("Ages", Laplace(10.0), kind="histogram")], Guarantee(5.0, 1e-6))
    others = plan.without(0)
    assert plan.relation is None and others.relation == plan.neighbours == "replace_one"
    assert savings(plan, 1e-6)[0].without == pytest.approx(compose(others, 1e-6).epsilon, rel=PLOTTED)
    assert compose(others, 1e-6).epsilon > 0.1999
    stated = Plan(plan.releases[1:], plan.budget, relation="replace_one")
    assert risk(others)[0].number == risk(stated)[0].number > 0.049


def test_of_very_many_kinds_the_dearest_alone_are_left_out():
    """The others have no saving: nothing stands in its place."""
    plan = Plan([Release(f"r{row}", Laplace.from_epsilon((row + 1) / 1000)) for row in range(125)])
    found = savings(plan, 0.0)
    assert [row for row, each in enumerate(found) if each] == list(range(125 - MOST_WITHOUT, 125))
    assert savings(Plan([]), 1e-6) == ()


def test_without_what_has_no_bound():
    """A release that refuses a theorem does so only where it stands; at δ = 1 nothing is promised."""
    plan = Plan([Release("g", Gaussian(1.0, 1)), Release("l", Laplace(10.0, 1), 3)])
    assert without(plan, [0, 1], 0.0).tolist() == [0.3, math.inf]
    assert without(plan, [0, 1], 1.0).tolist() == [math.inf, math.inf]
    assert without(plan, [], 1e-6).tolist() == []


@examples(10)
@given(workloads(most=3), WHOLE_DELTAS, st.booleans())
def test_the_smallest_total_is_that_of_the_comparison(workload, delta, adaptive):
    """The total, its theorem and the reason for none are those of comparing all theorems."""
    plan = Plan([Release("r", mechanism, count) for mechanism, count in workload], adaptive=adaptive)
    found, frame = smallest_total(plan, delta), compare(plan, delta)
    best = tightest(frame)
    if best is None:
        assert found.theorem is None and math.isinf(found.epsilon)
        assert found.reason in set(frame.reason)
    else:
        assert found.epsilon == pytest.approx(best.epsilon, rel=1e-12) and not found.reason
        row = frame.set_index("theorem").loc[found.theorem.key]
        assert row.epsilon == pytest.approx(best.epsilon, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-280, 1e-300])
def test_the_smallest_total_is_looked_for_among_all_where_doubles_end(delta: float):
    """There the tight one is no longer below all others."""
    plan = Plan([Release("g", Gaussian(12.0, 1), 40), Release("l", Laplace.from_epsilon(0.08), 4)])
    assert smallest_total(plan, delta).epsilon == tightest(compare(plan, delta)).epsilon


def test_no_total_says_why():
    """Stated δ that are used up, and δ = 1, have their reasons."""
    assert "more than δ" in smallest_total(ApproximateDP(1.0, 1e-3), 1e-6).reason
    assert "promises nothing" in smallest_total(Laplace(1.0), 1.0).reason
