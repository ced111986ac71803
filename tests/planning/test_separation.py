"""Whom a promise separates: every unit by every relation by every difference, against steps counted by hand."""

import math
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace
from dpviz.plan import RELATIONS, Plan, Release
from dpviz.planning import Difference, covered
from dpviz.planning.separation import HOW, WHO, _touched
from tests.effort import examples

RELEASES = (Release("a", Laplace.from_epsilon(0.1), 3), Release("b", Gaussian(20.0, 1)))
BUDGET = Guarantee(1.0, 1e-6)
# How many units differ, and whether each does as a whole: one week, two records, three people.
DAYS, RECORDS, PEOPLE = 7, 2, 3
COUNTED = {
    "person": {"person": (1, True), "event": (1, False), "day": (1, False), "people": (3, True)},
    "user-day": {"person": (7, True), "event": (7, False), "day": (7, True), "people": (21, True)},
    "person and week": {"person": (2, False), "event": (2, False), "day": (2, False), "people": (6, False)},
    "household": {"person": (1, False), "event": (1, False), "day": (1, False), "people": (3, False)},
    "event": {"person": (2, True), "event": (2, True), "day": (2, True), "people": (2, True)},
    "device-day": {"person": (14, True), "event": (14, True), "day": (14, True), "people": (14, True)},
}


def difference(who: str, how: str, alone: bool = False) -> Difference:
    return Difference(who, how, DAYS, RECORDS, PEOPLE if who == "people" else 1, alone)


@pytest.mark.parametrize(("unit", "relation"), list(product(COUNTED, RELATIONS)))
def test_every_difference_of_every_unit(unit, relation):
    """What a promise is about is covered, what it is not about is open, and all else costs as so many steps do."""
    plan = Plan(RELEASES, BUDGET, unit, relation)
    costs: dict[int, float] = {}
    for who, how, alone in product(WHO, HOW, (False, True)):
        units, whole = COUNTED[unit][who]
        present = how == "presence" and (whole or alone)
        found = covered(plan, difference(who, how, alone))
        if relation == "replace_one" and present:
            assert found.verdict == "open" and math.isinf(found.guarantee.epsilon)
            assert "not for whether it is there" in str(found)
            continue
        copies = units * (1 if present or relation == "replace_one" else 2)
        assert (found.units, found.copies) == (units, copies), (who, how, alone)
        assert found.verdict == ("covered" if copies == 1 else "dearer")
        assert str(found).startswith("Yes: " if copies == 1 else "No: ")
        if copies not in costs:
            costs[copies] = compose(plan.of_units(copies), BUDGET.delta).epsilon
        assert found.guarantee == Guarantee(costs[copies], BUDGET.delta)
    assert sorted(costs.values()) == [costs[copies] for copies in sorted(costs)]


@given(st.sampled_from(["user-day", "user-week", "user-month", "user-quarter", "person and 2 weeks"]), st.data())
@examples(60)
def test_days_touch_no_more_periods_than_are_counted(unit, data):
    """Laid over calendars of every kind of month, and beginning on any day."""
    lengths = {
        "user-day": [1], "user-week": [7], "user-month": [31, 28, 31, 30], "user-quarter": [90, 91, 92],
        "person and 2 weeks": [14],
    }[unit]  # fmt: skip
    days, first = data.draw(st.integers(1, 400)), data.draw(st.integers(0, 300))
    begins = [0]
    while begins[-1] <= first + days:
        begins.append(begins[-1] + lengths[len(begins) % len(lengths)])
    touched = sum(begin < first + days and end > first for begin, end in pairwise(begins))
    assert touched <= _touched(unit, days)
    if len(lengths) == 1:
        starts = range(lengths[0])
        assert _touched(unit, days) == max((start + days - 1) // lengths[0] + 1 for start in starts)


def test_hours_are_counted_too():
    """A day is twenty-four of them."""
    assert covered(Plan(RELEASES, BUDGET, "user-hour"), Difference("day", "presence")).units == 24


@given(st.integers(2, 6), st.floats(0.01, 1), st.sampled_from([0.0, 1e-9, 1e-6]))
@examples(10)
def test_steps_in_different_parts_are_counted(copies, epsilon, delta):
    """Never less than where each step falls into a part of its own, and no less than where all fall into one."""
    parts = [Release(name, ApproximateDP(epsilon, delta / 100), 1, name) for name in "abcdefgh"]
    plan = Plan(parts, Guarantee(9.0, delta), "event")
    found = covered(plan, Difference("event", "presence", records=copies)).guarantee
    apart = Plan([Release("a", ApproximateDP(epsilon, delta / 100), copies)], plan.budget)
    truths = [compose(apart, delta).epsilon, compose(Plan(parts[:1], plan.budget).of_units(copies), delta).epsilon]
    assert found.delta == delta
    assert found.epsilon >= max(truths) * (1 - 1e-9)
    assert found.epsilon < math.inf


def test_what_nobody_said_is_open():
    """Without a unit there is no answer; with one that is a word of its own, its records count."""
    assert covered(Plan(RELEASES, BUDGET), Difference()).verdict == "open"
    assert covered(Plan(RELEASES, BUDGET, "taxi ride"), Difference("person", "presence", records=5)).units == 5


def test_the_example_of_a_week_in_hospital():
    """One day is what is promised; a week is seven of them, and says so."""
    plan = Plan(RELEASES, BUDGET, "user-day")
    assert str(covered(plan, Difference("day"))).startswith(
        "Yes: the promise is for adding or removing one user-day. Telling the two apart is bounded by ε = "
    )
    week = str(covered(plan, Difference("person", days=7)))
    assert week.startswith("No: the promise is for one user-day, and 7 days touch up to 7 of them. Then ε is at most ")
    change = str(covered(Plan(RELEASES, BUDGET, "person"), Difference("event")))
    assert "it stays in the data with other values, which is one removed and one added" in change


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"who": "dog"}, "who must be one of"),
        ({"how": "maybe"}, "how must be one of"),
        ({"days": 0}, "days must be in"),
        ({"records": 1.5}, "records must be in"),
        ({"people": 2}, "people must be 1"),
    ],
)
def test_what_is_no_difference_is_refused(fields, said):
    """By the name of the field."""
    with pytest.raises(ValueError, match=said):
        Difference(**fields)
