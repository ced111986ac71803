"""What still fits is found by composing the larger plan, and rounded down."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, TrainedModel, compose
from dpviz.planning import unit_cost
from dpviz.planning.room import fits, longest_training, most_epochs, room
from tests.effort import examples
from tests.strategies import MECHANISMS, WHOLE_DELTAS

PLANS = st.builds(
    lambda rows, epsilon, delta: Plan(
        [Release(f"r{n}", mechanism, count) for n, (mechanism, count) in enumerate(rows)], Guarantee(epsilon, delta)
    ),
    st.lists(st.tuples(MECHANISMS, st.integers(0, 50)), max_size=3),
    st.floats(0.01, 100),
    WHOLE_DELTAS,
)


@examples(10)
@given(PLANS, st.floats(0.001, 2))
def test_that_many_more_fit_and_one_more_does_not(plan, epsilon):
    row = Release("more", Laplace.from_epsilon(epsilon))
    count = room(plan, row).count

    def admitted(number):
        return fits(replace(plan, releases=(*plan.releases, replace(row, count=number))))

    assert (admitted(count) and not admitted(count + 1)) or (count == 0 and not admitted(1))


@pytest.mark.parametrize(("model", "unit", "budget"), [
    (TrainedModel(60_000, 600, 1.1, epochs=10), "epochs", Guarantee(8.0, 1e-7)),
    (TrainedModel(60_000, 600, 1.1, epochs=2.5), "epochs", Guarantee(7.9, 1e-7)),
    (TrainedModel(60_000, 600, 1.1, steps=10), "steps", Guarantee(7.8, 1e-7)),
    (TrainedModel(60_000, 600, 8.0, epochs=3, scheme="fixed_order"), "epochs", Guarantee(8.0, 1e-7)),
])  # fmt: skip
def test_a_model_is_trained_as_long_as_fits_beside_the_rest(model, unit, budget):
    """One epoch, or step, more does not, by the total of the whole plan."""
    rest = [Release("Rides", Gaussian(6.0, 3.0), 7), Release("Zones", Laplace(8.0, 3.0))]
    plan = Plan([*rest[:1], Release("Model", model), *rest[1:]], budget)
    found = longest_training(plan, 1)
    many = getattr(found.releases[1].mechanism, unit)
    beyond = replace(found.releases[1], mechanism=replace(model, **{unit: many + 1}))
    assert many >= 1 and found == replace(plan, releases=(rest[0], found.releases[1], rest[1]))
    assert compose(found, 1e-7).epsilon <= budget.epsilon
    assert compose(replace(plan, releases=(rest[0], beyond, rest[1])), 1e-7).epsilon > budget.epsilon
    narrow = replace(plan, budget=Guarantee(1.0, 1e-7))
    assert longest_training(narrow, 1) == narrow, "not even one fits"


def test_what_is_planned_and_fits_is_not_cut_to_whole_epochs_nor_to_what_is_looked_at():
    """15.5 epochs stay where 16 do not fit; half an epoch where one does not; and more than are ever looked for."""
    for epochs in (15.5, 0.5):
        release = Release("Model", TrainedModel(60_000, 256, 1.1, epochs=epochs))
        cost = compose(Plan([release]), 1e-5).epsilon
        plan = Plan([release], Guarantee(cost * (1 + 1e-9), 1e-5))
        assert longest_training(plan, 0) == plan and compose(plan).epsilon <= plan.budget.epsilon
        larger = replace(plan, budget=Guarantee(2 * cost, 1e-5))
        assert longest_training(larger, 0).releases[0].mechanism.epochs > epochs
    many = Plan([Release("Model", TrainedModel(60_000, 640, 80.0, epochs=200_000))], Guarantee(60.0, 1e-5))
    assert longest_training(many, 0) == many and most_epochs(many.releases[0].mechanism) == 200_000


def test_a_training_is_as_long_as_what_one_unit_loses_allows():
    """Where dates go on beyond its period: of two that have the same noise one unit meets one."""
    dated = [Release(name, Gaussian(3.0, 1.0), start=day)
             for name, day in (("r1", "2027-01-04"), ("r2", "2027-03-01"))]  # fmt: skip
    plan = Plan([*dated, Release("Model", TrainedModel(6_000, 60, 1.1, epochs=10))], Guarantee(9.0, 1e-6), "user-week")
    cost = unit_cost(plan)
    assert cost is not None and cost.epsilon < compose(plan).epsilon
    fitted = replace(plan, budget=Guarantee(cost.epsilon * (1 + 1e-9), 1e-6))
    assert longest_training(fitted, 2) == fitted, "no shorter than what is within its budget"


def test_decimals_fill_the_budget():
    plan = Plan([Release("x", Laplace.from_epsilon(0.1), 24)], Guarantee(3.0))
    assert room(plan, plan.releases[0]).count == 6


def test_no_limit():
    plan = Plan([Release("x", Gaussian(1, 1))])
    assert room(plan, plan.releases[0]).count == 10**9


def test_an_adaptive_plan_counts_by_basic_composition_where_no_filter_has_a_delta():
    plan = Plan([Release("x", Laplace.from_epsilon(0.01), 100)], Guarantee(2.0), adaptive=True)
    assert room(plan, plan.releases[0]).count == 100
    assert compose(plan, 1e-6).epsilon == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("spare", [1e-8, 3e-5, 1.5e-4])
def test_a_plan_close_to_its_budget_has_room_or_none_but_always_an_answer(spare):
    rows = [Release("a", Laplace.from_epsilon(1.5), 7), Release("b", Gaussian(4.0, 1), 30)]
    plan = Plan(rows, Guarantee(compose(Plan(rows), 1e-6).epsilon * (1 + spare), 1e-6))
    count = room(plan, Release("c", Laplace.from_epsilon(1e-4))).count
    assert fits(replace(plan, releases=(*rows, Release("c", Laplace.from_epsilon(1e-4), count))))


def test_a_budget_of_nothing_has_room_for_nothing():
    for rows in ([], [Release("a", Laplace.from_epsilon(1.5), 7)]):
        assert room(Plan(rows, Guarantee(0.0, 1e-6)), Release("b", Laplace(1.0, 1))).count == 0
