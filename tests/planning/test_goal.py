"""A risk as the goal: never exceeded by the plan that is solved for, and used up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz.adversary import PairLoss
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    Gaussian,
    Laplace,
    NameAndShame,
    RandomizedResponse,
    Subsampled,
)
from dpviz.plan import Plan, Release
from dpviz.planning import Goal, solve_noise
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import examples

USED = 1e-4  # relative: how much of the goal may be left
BUDGET = Guarantee(1.0, 1e-6)
NOISY = (Laplace.from_epsilon(0.7), Gaussian(3.0, 1), RandomizedResponse(0.5), Laplace(2.0, 1))


def goals() -> st.SearchStrategy:
    rates = st.tuples(st.floats(1e-4, 0.4), st.floats(0.05, 0.95)).map(
        lambda pair: Goal(None, pair[0], pair[1] * (1 - pair[0]))
    )
    return st.floats(0.005, 0.9).map(Goal) | rates


@given(st.lists(st.tuples(st.sampled_from(NOISY), st.integers(1, 20)), min_size=1, max_size=3), goals())
@examples(3)
def test_a_goal_is_kept_and_used_up(rows, goal):
    """Evaluated forward on the plan with its rounded noise."""
    plan = Plan([Release(f"{row}", mechanism, count) for row, (mechanism, count) in enumerate(rows)], BUDGET)
    solution = solve_noise(plan, goal=goal)
    share = goal.share(PrivacyLoss.of(solution.plan))
    assert 1 - USED <= share <= 1
    assert math.isfinite(solution.total.epsilon) and solution.theorem == "pld"


@pytest.mark.parametrize(("advantage", "count"), [(0.01, 1), (0.3, 40), (0.99, 7)])
def test_gaussian_noise_by_its_closed_form(advantage, count):
    """σ = √k / μ with 2 Φ(μ/2) - 1 the advantage."""
    solution = solve_noise(Plan([Release("a", Gaussian(1.0, 1), count)], BUDGET), goal=Goal(advantage))
    mu = 2 * norm.ppf((1 + advantage) / 2)
    assert solution.plan.releases[0].mechanism.sigma == pytest.approx(math.sqrt(count) / mu, rel=1e-4)


def test_gaussian_rates_by_their_closed_form():
    """β = Φ(Φ⁻¹(1 - α) - μ)."""
    rates = 0.01, 0.6
    solution = solve_noise(Plan([Release("a", Gaussian(1.0, 1))], BUDGET), goal=Goal(None, *rates))
    mu = norm.ppf(1 - rates[0]) - norm.ppf(rates[1])
    sigma = solution.plan.releases[0].mechanism.sigma
    assert 1 / mu <= sigma * (1 + 1e-9) and sigma == pytest.approx(1 / mu, rel=3e-4)


def test_larger_noise_on_whole_numbers_keeps_the_goal():
    """Where the few losses of little noise move, the least noise is beyond the last place that breaks the goal."""
    allowed, step = 0.118, 1.011
    goal = Goal(None, 0.001, 1 - allowed)
    solved = solve_noise(Plan([Release("a", DiscreteGaussian(1.0, 1))], BUDGET), goal=goal).plan
    sigma = solved.releases[0].mechanism.sigma

    def share(noise: float) -> float:
        return goal.share(PrivacyLoss.of(Plan([Release("a", DiscreteGaussian(noise, 1))], BUDGET)))

    assert share(0.505) < 1 < share(0.52)
    assert sigma > 0.515 and 1 - USED <= share(sigma) <= 1
    assert all(share(sigma * step**place) <= 1 for place in range(1, 60))


def test_what_is_held_stays_and_counts():
    """Done and locked releases keep their noise; what they alone exceed has a reason."""
    rows = [Release("a", Gaussian(4.0, 1), done=True), Release("b", Laplace.from_epsilon(2.0)), Release("c", NOISY[1])]
    plan = Plan(rows, BUDGET)
    solved = solve_noise(plan, locked=[2], goal=Goal(0.4)).plan
    assert [solved.releases[row] for row in (0, 2)] == [rows[0], rows[2]]
    assert 0.4 * (1 - USED) <= PrivacyLoss.of(solved).advantage <= 0.4
    assert "held exceed the goal" in solve_noise(plan, locked=[2], goal=Goal(0.05)).reason


STEP = Subsampled(Gaussian(1.0, 1), 0.01, "poisson")


@pytest.mark.slow
def test_sampled_noise_is_solved_likewise():
    """Several uses of it, whose tight total takes long."""
    goal = Goal(0.02)
    solved = solve_noise(Plan([Release("a", STEP, 10), Release("b", STEP)], BUDGET), "equal", goal=goal).plan
    assert 1 - USED <= goal.share(PrivacyLoss.of(solved)) <= 1


def test_another_split_and_a_rare_sample():
    """A split that depends on accounting is kept to; a rare sample keeps a mild goal by itself."""
    goal = Goal(0.02)
    solved = solve_noise(Plan([Release("a", NOISY[0], 10), Release("b", NOISY[1])], BUDGET), "variance", goal=goal).plan
    assert 1 - USED <= goal.share(PrivacyLoss.of(solved)) <= 1
    assert "any noise keeps this goal" in solve_noise(Plan([Release("a", STEP)], BUDGET), goal=goal).reason


@given(goals())
@examples(4)
def test_along_the_way_the_pair_keeps_it(goal):
    """Whatever is promised of a plan that is chosen along the way keeps the goal by itself."""
    plan = Plan([Release("a", Gaussian(1.0, 1), 5)], BUDGET, adaptive=True)
    solution = solve_noise(plan, goal=goal)
    assert goal.within(PairLoss(solution.total)) and goal.within(PrivacyLoss.of(solution.plan))
    pair = goal.pair(BUDGET.delta)
    assert not goal.within(PairLoss(Guarantee(pair.epsilon * (1 + 1e-9) + 1e-12, pair.delta)))


def test_goals_out_of_reach_have_a_reason():
    """A leak, a δ, or nothing to adjust."""
    leak = Release("leak", NameAndShame(0.3))
    assert "held exceed" in solve_noise(Plan([leak, Release("a", NOISY[0])], BUDGET), goal=Goal(0.2)).reason
    box = Plan([Release("box", ApproximateDP(1.0, 1e-9))], BUDGET)
    assert "no release can be adjusted" in solve_noise(box, goal=Goal(0.2)).reason
    along = Plan([Release("a", NOISY[0])], Guarantee(1.0, 0.4), adaptive=True)
    assert "δ = 0.4 alone" in solve_noise(along, goal=Goal(0.2)).reason


@pytest.mark.parametrize("given", [(), (0.2, 0.1, 0.5), (None, 0.1), (0.0,), (1.0,), (None, 0.5, 0.5), (math.nan,)])
def test_what_is_no_goal_is_refused(given):
    """Neither none nor both, and no value outside of what an attacker may reach."""
    with pytest.raises(ValueError, match=r"goal must be|must be in|must be below"):
        Goal(*given)
