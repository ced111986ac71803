"""Whom a promise separates: every unit by every relation by every difference, against steps counted by hand."""

import math
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
)
from dpviz.plan import RELATIONS, Plan, Release
from dpviz.plan.units import KINDS, kinds
from dpviz.planning import Difference, covered
from dpviz.planning.separation import HOW, WHO, _touched, replaced
from dpviz.rounding import shown_up
from tests.effort import examples
from tests.planning.separated_worlds import NEAR, PERIODS, World

RELEASES = (Release("a", Laplace.from_epsilon(0.1), 3), Release("b", Gaussian(20.0, 1)))
PURE = (Release("a", Laplace.from_epsilon(0.1)),)
BUDGET = Guarantee(1.0, 1e-6)
# How many units differ, and whether each does as a whole, surely and perhaps: one week, two records, three people.
DAYS, RECORDS, PEOPLE = 7, 2, 3
WHOLE, PART, PERHAPS = (True, True), (False, False), (False, True)
COUNTED = {
    "person": {"person": (1, *WHOLE), "event": (1, *PART), "day": (1, *PART), "people": (3, *WHOLE)},
    "user-day": {"person": (7, *WHOLE), "event": (7, *PART), "day": (7, *WHOLE), "people": (21, *WHOLE)},
    "person and week": {"person": (2, *PERHAPS), "event": (2, *PART), "day": (2, *PERHAPS), "people": (6, *PERHAPS)},
    "patient-nights": {"person": (8, *PERHAPS), "event": (8, *PART), "day": (8, *PERHAPS), "people": (24, *PERHAPS)},
    "household": {"person": (1, *PART), "event": (1, *PART), "day": (1, *PART), "people": (3, *PERHAPS)},
    "event": {"person": (2, *WHOLE), "event": (2, *WHOLE), "day": (2, *WHOLE), "people": (3, *WHOLE)},
    "device-day": {"person": (14, *PERHAPS), "event": (14, *PART), "day": (14, *PERHAPS), "people": (21, *PERHAPS)},
    "taxi ride": {"person": (2, *PERHAPS), "event": (2, *PERHAPS), "day": (2, *PERHAPS), "people": (3, *PERHAPS)},
}

# The same where the one differs whom the promise protects.
ONE = {
    "person": (1, *WHOLE),
    "user-day": (7, *WHOLE),
    "person and week": (2, *PERHAPS),
    "patient-nights": (8, *PERHAPS),
    "household": (1, *WHOLE),
    "event": (1, *WHOLE),
    "device-day": (7, *WHOLE),
    "taxi ride": (1, *WHOLE),
}


def difference(who: str, how: str, alone: bool = False) -> Difference:
    return Difference(who, how, DAYS, RECORDS, PEOPLE if who == "people" else 1, alone)


@pytest.mark.parametrize(("unit", "relation"), list(product(COUNTED, RELATIONS)))
def test_every_difference_of_every_unit(unit, relation):
    """What a promise is about is covered, what it is not about is open, and all else costs as so many steps do."""
    plan = Plan(RELEASES, BUDGET, unit, relation)
    costs: dict[int, float] = {}
    for who, how, alone in product(WHO, HOW, (False, True)):
        units, surely, perhaps = (COUNTED[unit] | {"unit": ONE[unit]})[who]
        present = how == "presence" and (surely or alone)
        found = covered(plan, difference(who, how, alone))
        if relation == "replace_one" and how == "presence" and (perhaps or alone):
            assert found.verdict == "open" and math.isinf(found.guarantee.epsilon)
            assert "not for whether it is there" in str(found)
            continue
        copies = units * (1 if present or relation == "replace_one" else 2)
        assert (found.units, found.copies) == (units, copies), (who, how, alone)
        assert found.verdict == ("covered" if copies == 1 else "dearer")
        assert str(found).startswith("Hidden: " if copies == 1 else "Hidden less well: ")
        if copies not in costs:
            costs[copies] = compose(plan.of_units(copies), BUDGET.delta).epsilon
        assert found.guarantee == Guarantee(costs[copies], BUDGET.delta)
    assert sorted(costs.values()) == [costs[copies] for copies in sorted(costs)]


@pytest.mark.parametrize(
    ("unit", "days", "said"),
    [
        ("person-year", 400, "400 days are longer than the one year of the promise"),
        ("person-year", 365, "365 days may be all that it holds"),
        ("person-month", 31, "31 days may be all that it holds"),
        ("person-month", 32, "32 days are longer than the one month of the promise"),
        ("person and 2 weeks", 15, "15 days are longer than the 2 weeks of the promise"),
        ("user-hour", 1, "1 day is longer than the one hour of the promise"),
    ],
)
def test_presence_that_is_not_promised_names_its_length(unit, days, said):
    """Where so many days may be all that a unit holds, which is replaced; not where nothing else is there at all."""
    plan = Plan(RELEASES, BUDGET, unit, "replace_one")
    assert str(covered(plan, Difference("person", "presence", days))).endswith(f"for whether it is there: {said}.")
    alone = str(covered(plan, Difference("person", "presence", days, alone=True)))
    assert alone.endswith("for whether it is there.")


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


WORDS = {"person": "users", "group": "Household", "thing": "devices", "event": "trips"}


def asked(records: int = 3) -> st.SearchStrategy:
    """Differences of every sort, of a few."""

    def made(who: str, how: str, days: int | None, records: int, people: int, alone: bool) -> Difference:
        return Difference(who, how, days, records, people if who == "people" else 1, alone)

    days, people = st.sampled_from([1, 1, 2, 7, 8, None]), st.integers(2, 3)
    return st.builds(
        made, st.sampled_from(list(WHO)), st.sampled_from(list(HOW)), days, st.integers(1, records), people,
        st.booleans(),
    )  # fmt: skip


@given(
    st.lists(st.sampled_from(NEAR), min_size=4, max_size=4, unique=True),
    st.sampled_from(list(KINDS)), st.sampled_from(list(PERIODS)), st.sampled_from(list(RELATIONS)), st.data(),
)  # fmt: skip
@examples(150)
def test_no_two_small_worlds_are_farther_apart(slots, kind, period, relation, data):
    """By the definition of neighbours, over every table that a few records make; unknown words mean every kind."""
    period = "" if kind == "event" else period
    world = World(slots, kind, period, relation)
    for word in (WORDS[kind], "glurb"):
        plan = Plan(PURE, BUDGET, f"{word}-{period}" if period else word, relation)
        for difference in data.draw(st.lists(asked(), min_size=8, max_size=8)):
            found, truth = covered(plan, difference), world.farthest(difference)
            assert found.verdict == "open" or found.copies >= truth, (plan.unit, difference, truth)
            assert found.verdict != "covered" or truth <= 1


@given(st.sampled_from(["", "-day", "-night", "-3 hours", " and month"]), st.sampled_from(list(RELATIONS)), asked(50))
@examples(60)
def test_unknown_words_are_never_below_known_ones(period, relation, difference):
    """Whatever the word might have meant; and every spelling of a known one means the same."""

    def far(word: str) -> float:
        found = covered(Plan(PURE, BUDGET, f"{word}{period}", relation), difference)
        return math.inf if found.verdict == "open" else found.copies

    assert far("glurb") >= max(far(word) for word in (*WORDS.values(), "client"))
    for spellings in (("person", "users", "People", "subjects", "one patient", "Individual"), ("family", "households")):
        assert len({far(word) for word in spellings}) == 1


def test_what_was_taken_is_said():
    """What one unit is, or that its word is not known, and what else may be there."""
    said = {unit: covered(Plan(PURE, BUDGET, unit), Difference()).taken for unit in ("users", "client-week", "glurb")}
    assert said["users"] == "One “users” is taken to be one person, with all of their records"
    swapped = covered(Plan(PURE, BUDGET, "users", "replace_one"), Difference("event")).taken
    assert swapped == f"{said['users']}; it holds more than what differs"
    assert "may be one person, with all of their records, or a thing such as a device" in said["client-week"]
    assert said["client-week"].endswith(", over one such period: the costliest of them is counted")
    assert said["glurb"].startswith("Nobody has said whether a “glurb” is a person, a household or a record")
    assert kinds("day") == kinds("glurb") == tuple(KINDS)


def test_hours_are_counted_too():
    """A day is up to twenty-five of them, where clocks are put back."""
    assert covered(Plan(RELEASES, BUDGET, "user-hour"), Difference("day", "presence")).units == 25


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
    """Without a unit, or with a share of a period, there is no answer; of a word of its own the records count."""
    for unit in (None, "user-half-day", "1.5 weeks of one user", "patient per quarter of an hour", "user-minute"):
        assert covered(Plan(RELEASES, BUDGET, unit), Difference("day", "value")).verdict == "open"
    assert covered(Plan(RELEASES, BUDGET, "taxi ride"), Difference("person", "presence", records=5)).units == 5


def test_the_example_of_a_week_in_hospital():
    """One day is what is promised; a week is seven of them, and says so."""
    plan = Plan(RELEASES, BUDGET, "user-day")
    assert str(covered(plan, Difference("day"))).startswith(
        "Hidden: the promise is for adding or removing one user-day. The privacy loss between the two is at most ε = "
    )
    week = str(covered(plan, Difference("person", days=7)))
    stays = str(covered(Plan(RELEASES, BUDGET, "user-day"), Difference("person", "value", days=7)))
    assert "7 days touch up to 7 of them; each stays in the data with other values, which counts as one" in stays
    assert "removed and one added for each, 14 in all" in stays
    year = str(covered(Plan(RELEASES, BUDGET, "person-year"), Difference("person", days=365, alone=True)))
    one = covered(Plan(RELEASES, BUDGET, "person-year"), Difference("person", days=None, alone=True))
    assert "365 days touch up to 2 of them. Then" in year
    assert year.endswith(f"; where they lie within one, at most {shown_up(one.guarantee.epsilon, 4)}.")
    assert "where they lie within one" not in week
    assert week.startswith(
        "Hidden less well: the promise is for one user-day, and 7 days touch up to 7 of them. Then ε is "
    )
    within = Difference("person", days=None, alone=True)
    assert str(covered(Plan(RELEASES, BUDGET, "person-year"), within)).startswith("Hidden: the promise is for adding")
    part = str(covered(Plan(RELEASES, BUDGET, "person-year"), Difference("person", days=None)))
    assert "one may stay in the data with other records, which counts as one replaced by another" in part
    swapped = covered(Plan(RELEASES, BUDGET, "person-year", "replace_one"), Difference("person", days=None))
    assert str(swapped).endswith("for whether it is there: what differs may be all that it holds.")
    change = str(covered(Plan(RELEASES, BUDGET, "person"), Difference("event")))
    assert "one may stay in the data with other records, which counts as one replaced by another" in change
    value = str(covered(Plan(RELEASES, BUDGET, "person"), Difference("event", "value")))
    assert "here one stays in the data with other values, which counts as one replaced by another" in value


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


def test_other_records_of_one_unit_cost_what_one_that_is_replaced_costs():
    """A count or a sum of what is not negative moves no further than by one unit; a survey is answered once."""
    releases = [
        Release("Users", Laplace(9.0, 1), 4, kind="count"),
        Release("Paid", Gaussian(900.0), kind="sum", lower=0, upper=300),
        Release("Trips", DiscreteGaussian(40.0, 12), 4, kind="histogram", rows=12),
        Release("Smokes", RandomizedResponse(0.9), kind="survey"),
        Release("Other", Laplace(9.0, 1)),
    ]
    plan = Plan(releases, Guarantee(4.0, 1e-6), "person-year", "add_remove", 9000)
    by_hand = Plan([
        releases[0], releases[1], Release("Trips", DiscreteGaussian(40.0, 24), 4), releases[3],
        Release("Other", Laplace(9.0, 2)),
    ])  # fmt: skip
    found = covered(plan, Difference("event", "value", days=None))
    assert found.guarantee.epsilon == pytest.approx(compose(by_hand, 1e-6).epsilon, rel=1e-9)
    assert "What so few records lose may be far less: it is not computed here." in str(found)
    assert not covered(plan, Difference("person", "value", days=None)).few
    assert compose(plan).epsilon < found.guarantee.epsilon < compose(plan.of_units(2)).epsilon
    parted = plan.with_(releases=[replace(each, part=part) for part, each in zip("ababa", releases, strict=True)])
    assert covered(parted, Difference("event", "value", days=None)).meant is None, "which part it leaves is not known"


@given(st.lists(st.sampled_from(["count", "sum", "histogram", None]), min_size=1, max_size=3), st.integers(1, 9))
@examples(15)
def test_one_that_is_replaced_costs_between_one_and_two_steps(kinds_of: list[str | None], rows: int):
    noises = (Laplace(30.0, rows), Gaussian(30.0, rows), DiscreteLaplace(30, rows), DiscreteGaussian(30, rows))
    for noise in noises:
        ends = {"lower": 0, "upper": 1}
        releases = [Release(str(row), noise, kind=kind, **(ends if kind == "sum" else {}))
                    for row, kind in enumerate(kinds_of)]  # fmt: skip
        plan = Plan(releases, Guarantee(4.0, 1e-6), "person", "add_remove")
        one, between, two = (compose(each, 1e-6).epsilon for each in (plan, replaced(plan), plan.of_units(2)))
        assert one * (1 - 1e-9) <= between <= two * (1 + 1e-9)
