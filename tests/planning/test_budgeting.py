"""Solving for noise and composing meets the budget from below, by every split, and the best split is not beaten."""

import math
from dataclasses import replace
from datetime import date
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from dpviz import (
    ApproximateDP,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compose,
)
from dpviz.filters import FILTERS, plan_verdicts
from dpviz.filters.verdicts import why_not_whole
from dpviz.planning.accuracy import half_width
from dpviz.planning.budgeting import SPLITS, least_epsilon, solve_noise
from dpviz.planning.budgeting.noise_costs import costs_of, noise_at_cost
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.search import weighted_variance, with_ratios
from dpviz.planning.budgeting.solve import adaptive_cost
from dpviz.planning.budgeting.splits import split_named
from dpviz.planning.room import Room, room
from dpviz.search import least_within
from tests.effort import cases, examples
from tests.strategies import GAUSSIAN, PURE, WHOLE_DELTAS

WITHIN = 1e-3  # of the budget: how near a solved total must come
SHAPED_BY_ORDER = 2e-3  # how far the best Rényi order may miss the least variance under tight accounting
NEAR_LEAST = 1e-3  # of the noise: where the total is steeper than any six digits, noise that much smaller exceeds it
SPLIT = st.sampled_from([split.key for split in SPLITS])

BUDGETS = st.builds(
    lambda epsilon, delta: Guarantee(float(f"{10**epsilon:.4g}"), delta), st.floats(-6, 1.69), WHOLE_DELTAS
)
MILD = st.builds(
    lambda epsilon, delta: Guarantee(float(f"{10**epsilon:.4g}"), float(f"{10**delta:.3g}")),
    st.floats(-1, 1.2),
    st.floats(-12, -4),
)
COUNTS = st.one_of(st.sampled_from([1, 2, 1000, 10**6]), st.integers(1, 10**6))


def rows(mechanisms, most=4):
    """Lists of releases with weights and typical values."""
    release = st.builds(
        lambda mechanism, count, weight, typical: Release("r", mechanism, count, weight=weight, typical=typical),
        mechanisms,
        COUNTS,
        st.floats(0.01, 100),
        st.floats(0.1, 1e6),
    )
    return st.lists(release, min_size=1, max_size=most)


NOISE = st.one_of(PURE, GAUSSIAN)
ADDITIVE = st.one_of(PURE.filter(lambda each: isinstance(each, Laplace)), GAUSSIAN)


def less_noise(plan, levels, share=0.998):
    return levels.applied(plan, levels.ratios_in(plan) * share)


def spends_nearly_all(plan, locked=()):
    """The budget is met from below, and there is no noise noticeably smaller that meets it."""
    return nearly_all(plan, compose(plan, plan.budget.delta).epsilon, locked)


def nearly_all(plan, total, locked=()):
    """The same, of a plan whose total is known."""
    budget = plan.budget
    if total > budget.epsilon or total >= (1 - WITHIN) * budget.epsilon:
        return total <= budget.epsilon
    less = less_noise(plan, Adjustable.of(plan, locked), 1 - NEAR_LEAST)
    return compose(less, budget.delta).epsilon > budget.epsilon


def within_budget(plan, shape, accuracy):
    """The least factor of these ratios with which the plan is within its budget."""
    levels, delta = Adjustable.of(plan), plan.budget.delta

    def total(factor):
        return compose(with_ratios(plan, levels, factor * shape), delta, accuracy=accuracy).epsilon

    return least_within(total, 1.0, plan.budget.epsilon, accuracy)


@examples(6)
@given(SPLIT, rows(ADDITIVE, 3), BUDGETS)
def test_what_is_solved_meets_the_budget_from_below(split, releases, budget):
    solution = solve_noise(Plan(releases, budget), split)
    assert solution.reason == ""
    total = compose(solution.plan, budget.delta)
    assert nearly_all(solution.plan, total.epsilon)
    assert solution.total.implies(budget)
    assert solution.total.epsilon == total.epsilon
    assert compose(solution.plan, budget.delta, solution.theorem).epsilon == total.epsilon


@examples(6)
@given(rows(NOISE, 2), rows(st.just(ApproximateDP(1e-8, 1e-40)), 1), MILD)
def test_held_releases_stay_and_count(noise, boxes, budget):
    boxes = [replace(each, count=1, mechanism=ApproximateDP(1e-8, budget.delta / 10)) for each in boxes]
    locked = Release("locked", Laplace(1e9, 1))
    solution = solve_noise(Plan([*boxes, locked, *noise], budget), locked=[len(boxes)])
    assert solution.plan.releases[: len(boxes) + 1] == (*boxes, locked)
    assert spends_nearly_all(solution.plan, [len(boxes)])
    assert solution.factors[: len(boxes) + 1] == (1.0,) * (len(boxes) + 1)


@examples(8)
@given(st.sampled_from(["proportional", "equal", "weights", "relative"]), rows(ADDITIVE, 3), MILD)
def test_solved_noise_has_the_shape_of_its_split(split, releases, budget):
    solved = solve_noise(Plan(releases, budget), split).plan.releases
    if split == "weights":
        shares = [each.mechanism.rho * each.uses / each.weight for each in solved]
        spread = max(abs(math.log(share / shares[0])) for share in shares) / 2
    else:
        old = {"proportional": lambda mechanism: mechanism.strength, "equal": lambda mechanism: 1.0}.get(split)
        shares = [
            half_width(new.mechanism) / new.typical if old is None else new.mechanism.strength / old(was.mechanism)
            for new, was in zip(solved, releases, strict=True)
        ]
        spread = max(abs(math.log(share / shares[0])) for share in shares)
    assert spread <= 3e-5  # two roundings to six digits


@examples(8)
@given(SPLIT, rows(GAUSSIAN, 3), MILD, st.randoms())
def test_the_order_of_releases_does_not_matter(split, releases, budget, random):
    order = list(range(len(releases)))
    random.shuffle(order)
    one = solve_noise(Plan(releases, budget), split).plan.releases
    other = solve_noise(Plan([releases[place] for place in order], budget), split).plan.releases
    for place, each in zip(order, other, strict=True):
        assert each.mechanism.strength == pytest.approx(one[place].mechanism.strength, rel=WITHIN)


@examples(10)
@given(rows(GAUSSIAN), MILD)
def test_gaussian_shares_of_rho_are_sensitivity_times_root_weight(releases, budget):
    releases = [
        replace(each, mechanism=Gaussian(each.mechanism.sigma, 1.0 + place)) for place, each in enumerate(releases)
    ]
    solved = solve_noise(Plan(releases, budget), "variance").plan.releases
    shares = [each.mechanism.rho / each.mechanism.sensitivity / math.sqrt(each.weight) for each in solved]
    assert shares == pytest.approx([shares[0]] * len(shares), rel=1e-4)


@given(rows(PURE.filter(lambda each: isinstance(each, Laplace))), st.floats(0.001, 50))
def test_laplace_epsilons_are_the_cube_root_under_plain_sums(releases, epsilon):
    releases = [
        replace(each, mechanism=Laplace(each.mechanism.scale, 1.0 + place)) for place, each in enumerate(releases)
    ]
    solved = solve_noise(Plan(releases, Guarantee(epsilon)), "variance")
    shares = [
        each.mechanism.stated.epsilon / (each.weight * each.mechanism.sensitivity**2) ** (1 / 3)
        for each in solved.plan.releases
    ]
    assert solved.theorem == "basic"
    assert shares == pytest.approx([shares[0]] * len(shares), rel=1e-4)


@mpmath.workdps(30)
def test_the_number_of_uses_cancels_in_the_closed_forms():
    """By mpmath: least Σ w n var at a given Σ n cost, for one release used 7 times and another once."""
    uses, weights, sizes = (7, 1), (3, 5), (2, 11)
    for variance, cost, share in (
        (lambda loss: 2 / loss**2, lambda loss: loss, lambda w, size: (w * size**2) ** mpmath.mpf("1/3")),
        (lambda loss: 1 / loss**2, lambda loss: loss**2 / 2, lambda w, size: mpmath.sqrt(size * mpmath.sqrt(w))),
    ):
        factor = share(weights[1], sizes[1]) / share(weights[0], sizes[0])
        slopes = [
            w * size**2 * n * mpmath.diff(variance, loss) / (n * mpmath.diff(cost, loss))
            for n, w, size, loss in zip(uses, weights, sizes, (mpmath.mpf(1), factor), strict=True)
        ]
        assert abs(slopes[0] / slopes[1] - 1) < mpmath.mpf("1e-12")  # one price of privacy for both


@given(rows(NOISE), st.sampled_from([1.0, math.inf]), st.lists(st.floats(-1, 1), min_size=4, max_size=4))
def test_no_random_split_beats_the_best_under_plain_sums_and_zcdp(releases, order, noise):
    """Exact: both are one sum, which is scaled to the same value."""
    releases = [each for each in releases if math.isinf(order) <= (not isinstance(each.mechanism, Gaussian))]
    levels = Adjustable.of(Plan(releases))
    if not len(levels):
        return

    def spent(ratios):
        mechanisms = [with_noise_exactly(each, ratio) for each, ratio in zip(levels.mechanisms, ratios, strict=True)]
        costs = [each.stated.epsilon if math.isinf(order) else each.rho for each in mechanisms]
        return float(levels.uses @ np.array(costs))

    best = split_named("variance").shape(levels, order)(2.0)
    shape = best * np.exp(np.array(noise[: len(levels)]))
    factor = least_within(lambda size: spent(size * shape), 1.0, spent(best), 1e-13)
    assert weighted_variance(levels, best) <= weighted_variance(levels, factor * shape) * (1 + 1e-9)


def with_noise_exactly(mechanism, ratio):
    kind = type(mechanism)
    if kind is Gaussian:
        return Gaussian(float(ratio), 1)
    return Laplace.from_epsilon(1 / ratio) if kind is Laplace else RandomizedResponse(1 / ratio)


SMALL = st.lists(
    st.builds(
        lambda gaussian, sensitivity, count, weight: Release(
            "r", (Gaussian if gaussian else Laplace)(1.0, sensitivity), count, weight=weight
        ),
        st.booleans(),
        st.floats(0.1, 10),
        st.integers(1, 50),
        st.floats(0.01, 100),
    ),
    min_size=2,
    max_size=3,
)


@examples(4)
@given(SMALL, st.floats(0.1, 10), st.floats(-10, -3), st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3))
def test_no_random_split_beats_the_best_under_tight_accounting(releases, epsilon, log_delta, noise):
    plan = Plan(releases, Guarantee(epsilon, 10**log_delta))
    levels = Adjustable.of(plan)
    solved = levels.ratios_in(solve_noise(plan, "variance").plan)
    shape = solved * np.exp(np.array(noise[: len(levels)]))
    factor = within_budget(plan, shape, 1e-5)
    bound = weighted_variance(levels, factor * shape) * (1 + SHAPED_BY_ORDER + 2 * WITHIN)
    assert weighted_variance(levels, solved) <= bound


def test_a_search_finds_nothing_better_under_tight_accounting():
    """Nelder-Mead over the noise of three releases, each candidate scaled to the budget."""
    releases = [
        Release("a", Laplace(1.0, 1), 3, weight=5.0),
        Release("b", Laplace(1.0, 4.0), 1, weight=1.0),
        Release("c", Gaussian(1.0, 2.0), 10, weight=0.3),
    ]
    plan = Plan(releases, Guarantee(2.0, 1e-6))
    levels = Adjustable.of(plan)

    def scaled(shape):
        return weighted_variance(levels, within_budget(plan, shape, 1e-6) * shape)

    mine = levels.ratios_in(solve_noise(plan, "variance").plan)
    options = {"maxfev": 30}
    found = minimize(lambda x: scaled(mine * np.exp([0.0, *x])), [0.0, 0.0], method="Nelder-Mead", options=options)
    assert weighted_variance(levels, mine) <= found.fun * (1 + SHAPED_BY_ORDER + 2 * WITHIN)


def test_equal_noise_of_gaussians_is_the_closed_form():
    plan = Plan([Release("a", Gaussian(3.0, 1), 60), Release("b", Gaussian(9.0, 3.0), 40)], Guarantee(1.0, 1e-6))
    solution = solve_noise(plan, "equal")
    assert [each.mechanism.sigma for each in solution.plan.releases] == [42.2468, 126.741]


def test_typed_decimals_stay_decimals():
    plan = Plan([Release("a", Laplace.from_epsilon(1.0), 3), Release("b", RandomizedResponse(2.0))], Guarantee(1.0))
    solution = solve_noise(plan)
    assert [each.mechanism.stated.epsilon for each in solution.plan.releases] == [0.2, 0.4]
    assert solution.total == Guarantee(1.0)
    assert solution.theorem == "basic"
    assert solution.factor == pytest.approx(5.0)


def test_parts_cost_their_maximum():
    plan = Plan(
        [Release("a", Laplace(1, 1), 1, "north"), Release("b", Laplace(1, 1), 1, "south"), Release("c", Laplace(1, 1))],
        Guarantee(1.0),
    )
    assert [each.mechanism.scale for each in solve_noise(plan).plan.releases] == [2.0] * 3
    gaussian = Plan([Release(str(n), Gaussian(1.0, 1), 1 + n, str(n)) for n in range(5)], Guarantee(1.0, 1e-6))
    assert compose(solve_noise(gaussian).plan, 1e-6).epsilon == pytest.approx(1.0, rel=WITHIN)


def test_a_schedule_counts():
    april = Release("a", Laplace(1.0, 1), 2, start=date(2026, 4, 1), cadence="daily", end=date(2026, 4, 30))
    solution = solve_noise(Plan([april], Guarantee(6.0)))
    assert solution.plan.releases[0] == replace(april, mechanism=Laplace(10.0, 1))


SAMPLED = [*product([each.key for each in SPLITS], ["poisson", "without_replacement"])]


@cases(("split", "scheme"), [each for place, each in enumerate(SAMPLED) if place % 4 in (0, 3)], SAMPLED)
def test_sampled_releases_keep_scheme_and_rate(split, scheme):
    sampled = Release("a", Subsampled(Gaussian(1.0, 1), 0.1, scheme), 20, typical=5.0)
    other = Release("b", Subsampled(Laplace(2.0, 1), 0.2, scheme), 3, typical=9.0, weight=4.0)
    plan = Plan([sampled, other], Guarantee(1.0, 1e-6))
    solution = solve_noise(plan, split)
    assert [each.mechanism.rate for each in solution.plan.releases] == [0.1, 0.2]
    total = compose(solution.plan, 1e-6).epsilon
    assert (1 - WITHIN) <= total <= 1


@pytest.mark.parametrize("epsilon", [1e-6, 50.0, 1e4])
@pytest.mark.parametrize("delta", [0.0, 1e-30, 0.5])
def test_extremes_have_answers(epsilon, delta):
    count = 100 if (epsilon == 50.0) == (delta == 1e-30) else 1  # each two extremes meet
    for kind in (Laplace, Gaussian)[: 1 if delta == 0 else 2]:
        releases = [Release(f"r{n}", kind(1.0 + n, 1), 10 ** (n % 7)) for n in range(count)]
        solution = solve_noise(Plan(releases, Guarantee(epsilon, delta)), "variance")
        assert spends_nearly_all(solution.plan)


@pytest.mark.parametrize(
    ("plan", "locked", "reason"),
    [
        (Plan([Release("a", Laplace(1.0, 1))]), (), "no limit on ε"),
        (Plan([Release("a", Laplace(1.0, 1))], Guarantee(0.0, 1e-6)), (), "nothing to spend"),
        (Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0, 1.0)), (), "promises nothing"),
        (Plan([], Guarantee(1.0)), (), "no release can be adjusted"),
        (Plan([Release("a", Laplace(1, 1), 0), Release("b", NameAndShame(0.0))], Guarantee(1.0)), (), "no release can"),
        (Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0)), (0,), "no release can be adjusted"),
        (Plan([Release("a", Gaussian(1.0, 1))], Guarantee(1.0)), (), "no finite ε at δ = 0"),
        (Plan([Release("a", Laplace(1, 1)), Release("b", Laplace(0.5, 1))], Guarantee(1.0)), (1,), "up to 2 by them"),
        (Plan([Release("a", Laplace(1.0, 1)), Release("b", Laplace(1.0, 1))], Guarantee(1.0)), (1,), "next to nothing"),
        (
            Plan([Release("a", Laplace(1.0, 1)), Release("b", ApproximateDP(0.1, 1e-5))], Guarantee(1.0, 1e-6)),
            (),
            "use up δ",
        ),
        (
            Plan(
                [Release("a", Gaussian(1.0, 1)), Release("b", Laplace(0.5, 1), done=True)],
                Guarantee(1.0, 1e-6),
                adaptive=True,
            ),
            (),
            "nothing that holds along the way",
        ),
        (Plan([Release("a", Gaussian(1.0, 1))], Guarantee(1.0), adaptive=True), (), "no finite ε at δ = 0"),
        (Plan([Release("a", Laplace(1, 1)), Release("b", Gaussian(9, 1))], Guarantee(1.0)), (1,), "Gaussian noise has"),
        (
            Plan([Release("a", Laplace(1, 1)), Release("b", Subsampled(Gaussian(9, 1), 0.1, "poisson"))], Guarantee(1)),
            (),
            "Gaussian noise has no finite ε at δ = 0",
        ),
        (Plan([Release("a", Subsampled(Gaussian(1, 1), 1e-8, "poisson"), 99)], Guarantee(1.0, 1e-6)), (), "any noise"),
        (
            Plan([Release("a", Subsampled(Laplace(1.0, 1), 1e-8, "poisson"))], Guarantee(1.0, 1e-6), adaptive=True),
            (),
            "any noise fits",
        ),
    ],
)
def test_what_cannot_be_solved_says_why(plan, locked, reason):
    for split in ("proportional", "variance"):
        solution = solve_noise(plan, split, locked)
        assert solution.plan is None
        assert reason in solution.reason


def test_the_relative_split_needs_typical_values_and_added_noise():
    plan = Plan([Release("a", Laplace(1.0, 1)), Release("b", Laplace(1.0, 1), typical=3.0)], Guarantee(1.0))
    assert "missing in 1 of 2" in solve_noise(plan, "relative").reason
    assert solve_noise(plan, "relative", [0]).reason != "missing in 1 of 2"
    response = Plan([Release("a", RandomizedResponse(1.0), typical=1.0)], Guarantee(1.0))
    assert "lock it" in solve_noise(response, "relative").reason


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plan: solve_noise(plan, "magic"), "split must be one of"),
        (lambda plan: solve_noise(plan, locked=[1]), r"rows in \[0, 0\]"),
        (lambda plan: least_epsilon(plan, 0.0), "half_width must be in"),
        (lambda plan: least_epsilon(plan, 1.0, 1.5), "confidence must be in"),
        (lambda plan: ApproximateDP(1, 0).at_strength(2.0), "noise that can be changed"),
        (lambda plan: Laplace(1.0).at_strength(math.nan), "ratio must be in"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0)))


PAIRS = st.builds(Gaussian.from_guarantee, st.floats(0.01, 5), st.floats(1e-9, 1e-3))


@given(st.one_of(NOISE, PAIRS), st.floats(-4, 4))
def test_noise_is_rounded_up_to_six_digits_and_keeps_its_form(mechanism, power):
    ratio = mechanism.strength * 10**power
    new = mechanism.at_strength(ratio)
    assert type(new) is type(mechanism)
    assert new.strength >= ratio * (1 - 1e-11)
    varied = {name: value for name, value in new.parameters.items() if name not in ("sensitivity", "delta")}
    assert all(float(f"{value:.6g}") == value for value in varied.values() if isinstance(value, float))
    if mechanism.stated and mechanism.stated.delta and new.stated:
        assert new.stated.delta == mechanism.stated.delta
    else:
        assert new.strength <= ratio * (1 + 1.1e-5)


@given(SPLIT, rows(ADDITIVE), BUDGETS, st.booleans())
def test_an_adaptive_plan_is_admitted_whole_and_with_less_noise_is_not(split, releases, budget, done):
    extra = [Release("done", Laplace(1e9, 1), done=True)] if done else []
    plan = Plan([*releases, *extra], budget, adaptive=True)
    solution = solve_noise(plan, split)
    levels = Adjustable.of(plan)

    def proved(candidate):
        if not solution.by_filter:
            return compose(candidate, budget.delta, "basic").implies(budget)
        return plan_verdicts(candidate).set_index("rule").whole[solution.theorem]

    assert plan.adaptive
    assert proved(solution.plan)
    assert not proved(less_noise(solution.plan, levels))
    assert solution.total.implies(budget)


@given(rows(NOISE, 3), BUDGETS)
def test_whole_plans_are_admitted_as_release_by_release(releases, budget):
    plan = Plan(releases, budget, adaptive=True)
    verdicts = plan_verdicts(plan).set_index("rule").whole
    assert [not why_not_whole(plan, rule.key) for rule in FILTERS] == [bool(verdicts[rule.key]) for rule in FILTERS]


@given(SPLIT, rows(NOISE, 3), BUDGETS)
@example(
    "proportional",
    [Release("a", DiscreteLaplace(56.0, 1)), Release("b", Gaussian(107.14482595417647, 1.5), 2)],
    Guarantee(1.0, 1e-6),
)
def test_what_a_filter_admits_has_noise_for_its_budget(split, releases, budget):
    """Noise that one rule would need beyond every range is no reason against the others."""
    plan = Plan(releases, budget, adaptive=True)
    assume(not split_named(split).reason(Adjustable.of(plan)))
    if plan_verdicts(plan).whole.any():
        assert solve_noise(plan, split).plan is not None, solve_noise(plan, split).reason


def test_stated_pairs_are_summed_and_their_deltas_too():
    noise = Gaussian.from_guarantee(0.5, 1e-7)
    plan = Plan([Release("a", noise, 2), Release("b", Laplace(1.0, 1))], Guarantee(1.0, 1e-6), adaptive=True)
    solution = solve_noise(plan)
    assert solution.plan.releases[0].mechanism.stated.delta == 1e-7
    spent = replace(plan, budget=Guarantee(0.01, 1e-7))
    assert solve_noise(spent).theorem == "zcdp"  # the pairs' δ exceed the budget's; ρ needs none


def test_choosing_along_the_way_costs():
    plan = Plan([Release("a", Laplace(1.0, 1), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    assert 1.0 < adaptive_cost(plan) < 1.2
    assert adaptive_cost(replace(plan, adaptive=False)) == 1.0
    assert adaptive_cost(replace(plan, budget=Guarantee(0.0))) is None


@given(rows(NOISE, 2), BUDGETS, st.booleans())
def test_that_many_more_fit_and_one_more_does_not(releases, budget, adaptive):
    plan = Plan([replace(each, count=min(each.count, 50)) for each in releases], budget, adaptive=adaptive)
    row = plan.releases[0]
    count = room(plan, row).count

    def fits(more):
        longer = replace(plan, releases=(*plan.releases, replace(row, count=more)))
        if compose(longer, budget.delta).implies(budget):
            return True
        return adaptive and any(not why_not_whole(longer, rule.key) for rule in FILTERS)

    assert count == 0 or fits(count)
    assert count == 10**9 or not fits(count + 1)


def test_what_more_fits_says_by_what():
    """Adding up leaves 88 more at 0.01 beside twelve; the filter that admits more is named."""
    plan = Plan([Release("a", Laplace.from_epsilon(0.01), 12)], Guarantee(1.0, 1e-6), adaptive=True)
    found = room(plan, plan.releases[0])
    assert found.count > 88 and found.filter == "Zero-concentrated DP"
    assert room(replace(plan, budget=Guarantee(1.0)), plan.releases[0]) == Room(88)
    assert room(replace(plan, adaptive=False), plan.releases[0]).filter == ""
    nothing = replace(plan, budget=Guarantee(1.0, 1.0))
    assert room(nothing, plan.releases[0]) == room(replace(nothing, adaptive=False), plan.releases[0]) == Room(0)


def test_what_is_done_in_part_is_held_as_a_whole():
    """Its noise cannot differ from one date to the next; what is done from a later day on is still free."""
    dates = {"start": "2026-01-01", "cadence": "monthly", "end": "2026-12-31"}
    begun = Release("a", Laplace(1.0, 1), done="2026-01-31", **dates)
    ahead = Release("b", Laplace(1.0, 1), done="2025-12-31", **dates)
    assert Adjustable.of(Plan([begun, ahead])).rows.tolist() == [1]


@given(rows(ADDITIVE, 2), st.floats(0.1, 1e4), st.booleans(), st.booleans(), WHOLE_DELTAS)
def test_the_least_epsilon_is_accurate_and_proved(releases, width, jointly, adaptive, delta):
    releases = [replace(each, count=min(each.count, 1000)) for each in releases]
    plan = Plan(releases, Guarantee(1.0, delta), adaptive=adaptive)
    frame = least_epsilon(plan, width, jointly=jointly, single_numbers=True)
    uses = sum(each.uses for each in plan.releases)
    sure = 0.95 ** (1 / uses) if jointly else 0.95
    assert frame.kind.tolist() == ["planned", "laplace", "gaussian"]
    for row in frame[frame.applies].itertuples():
        assert all(half_width(each.mechanism, sure) <= width * (1 + 1e-12) for each in row.plan.releases)
        assert all(half_width(each.mechanism, sure) >= width * (1 - 3e-5) for each in row.plan.releases)
        if row.by_filter:
            assert not why_not_whole(replace(row.plan, budget=Guarantee(row.epsilon, delta)), row.theorem)
        else:
            assert compose(row.plan, delta, row.theorem).epsilon <= row.epsilon
        kind = {"laplace": Laplace, "gaussian": Gaussian}.get(row.kind)
        assert kind is None or all(type(each.mechanism) is kind for each in row.plan.releases)
    assert all(frame.applies) or frame.reason[~frame.applies].all()


def test_least_epsilon_by_hand():
    plan = Plan([Release("a", Gaussian(1.0, 1)), Release("b", Laplace(1.0, 2.0), typical=1.0)], Guarantee(1.0, 1e-6))
    frame = least_epsilon(plan, [10.0, 30.0], single_numbers=True).set_index("kind")
    assert frame.epsilon["laplace"] == pytest.approx(math.log(20) / 10 + 2 * math.log(20) / 30, rel=1e-5)
    mu = 1.959963984540054 * math.hypot(1 / 10, 2 / 30)
    assert frame.epsilon["gaussian"] == pytest.approx(Gaussian(1 / mu).epsilon(1e-6), rel=1e-5)
    pure = least_epsilon(replace(plan, budget=Guarantee(1.0)), 10.0, single_numbers=True).set_index("kind")
    assert pure.applies.tolist() == [False, True, False]
    assert "randomized response" in least_epsilon(Plan([Release("a", RandomizedResponse(1.0))]), 1.0).reason[0]


def test_gaussian_noise_becomes_laplace_noise_for_single_numbers_only():
    """A histogram under replacement: L2 sensitivity √2, L1 sensitivity 2. Laplace noise of ±20 costs 2 ln(20) / 20."""
    plan = Plan([Release("hist", Gaussian(10.0, math.sqrt(2)))], Guarantee(1.0, 1e-6), relation="replace_one")
    truth = 2 * math.log(20) / 20
    frame = least_epsilon(plan, 20.0).set_index("kind")
    assert frame.applies.tolist() == [True, False, True]
    assert frame.reason["laplace"] == "Laplace noise needs the L1 sensitivity, and of hist only the L2 one is known"
    assert frame.epsilon[frame.applies].min() >= truth and frame.epsilon["laplace"] == math.inf
    number = least_epsilon(plan, 20.0, single_numbers=True).set_index("kind")
    assert number.epsilon["laplace"] == pytest.approx(math.sqrt(2) * math.log(20) / 20, rel=2e-5)  # six digits
    sampled = Plan([Release("s", Subsampled(Gaussian(9.0, 1), 0.1, "poisson"))], Guarantee(1.0, 1e-6))
    assert "of s only" in least_epsilon(sampled, 20.0).reason[1]
    held = Plan([Release("g", Gaussian(9.0, 1)), Release("l", Laplace(1.0, 1))], Guarantee(1.0, 1e-6))
    assert least_epsilon(held, 20.0, locked=[0]).applies.all()  # what is held stays Gaussian


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("sensitivity", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("width", [5e-324, 1e-300, 1e-8, 1e8, 1e300])
def test_extreme_half_widths_have_an_answer_or_a_reason(width, sensitivity, adaptive):
    """No endless search on denormal numbers, no warning, no overflow."""
    for kind in (Laplace, Gaussian):
        try:
            mechanism = kind(1.0, sensitivity)
        except ValueError:
            continue
        plan = Plan([Release("a", mechanism, 2)], Guarantee(1.0, 1e-6), adaptive=adaptive)
        frame = least_epsilon(plan, width, single_numbers=True)
        assert all(applies or reason for applies, reason in zip(frame.applies, frame.reason, strict=True))
        assert not frame.epsilon.isna().any()


@given(st.floats(-4, 0), st.floats(0.1, 10), st.integers(1, 1000), st.sampled_from([Gaussian, Laplace]))
def test_sampled_noise_is_found_beyond_the_kink_of_its_cost(log_rate, noise, count, kind):
    """The cost at the noise that is found is the cost that was asked for."""
    sampled = (Subsampled(kind(noise), 10**log_rate * 0.999, "poisson"),)
    for order in (1.0, 1.3, 2.0, 7.0):
        asked = np.array([1 / count])
        assert costs_of(sampled, noise_at_cost(sampled, asked, order), order) == pytest.approx(asked, rel=1e-9)


def test_sampled_noise_by_weight_spends_the_budget():
    plan = Plan([Release("a", Subsampled(Gaussian(1.41, 1), 0.00149, "poisson"), 100)], Guarantee(3.0, 1e-5))
    total = compose(solve_noise(plan, "weights").plan, 1e-5).epsilon
    assert 3 * (1 - WITHIN) <= total <= 3


def test_the_least_variance_of_sampled_releases_is_not_beaten_along_its_one_shape():
    """Two sampled releases have one shape: a scan of it, each scaled to the budget."""
    releases = [
        Release("a", Subsampled(Laplace(21.9, 1), 0.026, "poisson")),
        Release("b", Subsampled(Laplace(15.3, 1), 0.38, "poisson"), 5),
    ]
    plan = Plan(releases, Guarantee(4.0, 1e-6))
    levels = Adjustable.of(plan)
    mine = levels.ratios_in(solve_noise(plan, "variance").plan)
    for lean in (-0.6, -0.2, 0.2, 0.6):
        shape = mine * np.exp([lean, 0.0])
        factor = within_budget(plan, shape, 1e-3)
        assert weighted_variance(levels, mine) <= weighted_variance(levels, factor * shape) * (1 + 4 * WITHIN)


@pytest.mark.parametrize("calibration", ["classical", "lecture11"])
@pytest.mark.parametrize("held", [0.0, 0.28])
def test_an_adaptive_plan_of_calibrated_pairs_is_solved_by_their_sum(calibration, held):
    """The pairs of a calibration are larger than the tight ones: the size follows the pairs that are stated."""
    noise = Gaussian.from_guarantee(0.5, 1e-7, calibration=calibration)
    box = Release("box", ApproximateDP(held, 1e-9))
    rows = [Release("a", noise, 2), Release("b", RandomizedResponse(0.3)), box]
    plan = Plan(rows, Guarantee(0.6, 1e-6), adaptive=True)
    solution = solve_noise(plan)
    assert solution.theorem == "basic" and solution.plan.releases[0].mechanism.calibration == calibration
    assert 0.6 * (1 - WITHIN) <= compose(solution.plan, 1e-6, "basic").epsilon <= 0.6
    stated = noise.at_strength(7.0 * noise.sigma)
    assert noise.bare(7.0 * noise.sigma).stated.epsilon == pytest.approx(stated.stated.epsilon, rel=2e-5)


def test_a_filter_for_what_has_begun_names_its_condition():
    done = Release("b", Laplace(100.0, 1), done=True)
    begun = solve_noise(Plan([Release("a", Laplace(1.0, 1), 100), done], Guarantee(1.0, 1e-6), adaptive=True))
    assert begun.by_filter and begun.condition.startswith("holds only if this filter, with its budget")
    ahead = solve_noise(Plan([Release("a", Laplace(1.0, 1), 100)], Guarantee(1.0, 1e-6), adaptive=True))
    assert ahead.by_filter and ahead.condition == ""
    summed = solve_noise(Plan([Release("a", Laplace(1.0, 1)), done], Guarantee(1.0), adaptive=True))
    assert not summed.by_filter and summed.condition == ""
