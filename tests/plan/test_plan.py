"""Releases and plans: what they accept, which relation is in force, and how they are grouped for composition."""

import math
from collections import Counter
from dataclasses import FrozenInstanceError, dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import MECHANISMS, Gaussian, Laplace, NameAndShame, RandomizedResponse
from dpviz.plan import Plan, Release
from dpviz.plan import plan as plans

FLAG = RandomizedResponse(0.5)
TEXT = "must be text of 1 to 80 characters without control characters"


@dataclass(frozen=True, slots=True)
class Demanding(RandomizedResponse):
    """A mechanism that holds for one neighbour relation only."""

    relation: ClassVar[str | None] = "replace_one"


@dataclass(frozen=True, slots=True)
class DemandingRemoval(RandomizedResponse):
    relation: ClassVar[str | None] = "add_remove"


def sentence(build) -> str:
    with pytest.raises(ValueError) as caught:
        build()
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, f"name {TEXT}; got ''"),
        ({"name": "  "}, f"name {TEXT}; got '  '"),
        ({"name": "a\nb"}, f"name {TEXT}; got 'a\\nb'"),
        ({"name": "a\x00"}, f"name {TEXT}; got 'a\\x00'"),
        ({"name": "\ud800"}, f"name {TEXT}; got '\\ud800'"),
        ({"name": None}, f"name {TEXT}; got None"),
        ({"part": ""}, f"part {TEXT}; got ''"),
        ({"part": 3}, f"part {TEXT}; got 3"),
        ({"answer_unit": ""}, f"answer_unit {TEXT}; got ''"),
        ({"kind": "total"}, "kind must be one of count, sum, mean, histogram, survey, selection, other; got 'total'"),
        ({"kind": ["sum"]}, "kind must be one of count, sum, mean, histogram, survey, selection, other; got ['sum']"),
        ({"lower": 1}, "lower must be given together with upper; got 1.0"),
        ({"upper": 1}, "upper must be given together with lower; got 1.0"),
        ({"lower": 1, "upper": 0.5}, "lower must be at most the upper end, 0.5; got 1"),
        ({"lower": -math.inf, "upper": 0.5}, "lower must be in (-inf, inf); got -inf"),
        ({"lower": 0, "upper": math.nan}, "upper must be in (-inf, inf); got nan"),
        ({"lower": "0", "upper": 1}, "lower must be in (-inf, inf); got '0'"),
        ({"done": 1}, "done must be True, False or a date such as 2026-04-01; got 1"),
        ({"count": -1}, "count must be in [0, 1000000000], a whole number; got -1"),
        ({"count": 10**30}, "count must be in [0, 1000000000], a whole number; got 1000000000000000000000000000000"),
        ({"count": 1.5}, "count must be in [0, 1000000000], a whole number; got 1.5"),
        ({"count": math.nan}, "count must be in [0, 1000000000], a whole number; got nan"),
        ({"count": True}, "count must be in [0, 1000000000], a whole number; got True"),
        ({"count": None}, "count must be in [0, 1000000000], a whole number; got None"),
        (
            {"mechanism": 0.5},
            f"mechanism must be one of {', '.join(each.__name__ for each in MECHANISMS)}; got 0.5",
        ),
    ],
)
def test_release_refuses_in_one_sentence(fields, message):
    """A bad field is refused with its name, what is allowed, and the value got."""
    assert sentence(lambda: Release(**{"name": "Flag", "mechanism": FLAG, **fields})) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"releases": None}, "releases must be a sequence of Release; got None"),
        ({"releases": [0.5]}, "releases must be a sequence of Release; got 0.5"),
        ({"releases": "ab"}, "releases must be a sequence of Release; got 'a'"),
        ({"budget": 0.5}, "budget must be a Guarantee; got 0.5"),
        ({"unit": "  "}, f"unit {TEXT}; got '  '"),
        ({"unit": "a\tb"}, f"unit {TEXT}; got 'a\\tb'"),
        ({"relation": "edit"}, "relation must be one of None, add_remove, replace_one; got 'edit'"),
        ({"relation": []}, "relation must be one of None, add_remove, replace_one; got []"),
        ({"population": 0}, "population must be in [1, 1e+13], a whole number; got 0"),
        ({"population": True}, "population must be in [1, 1e+13], a whole number; got True"),
        ({"adaptive": 1}, "adaptive must be None, True or False; got 1"),
    ],
)
def test_plan_refuses_in_one_sentence(fields, message):
    """A bad field is refused with its name, what is allowed, and the value got."""
    assert sentence(lambda: Plan(**{"releases": [], **fields})) == message


def test_values_are_frozen_and_kept_plain():
    """Releases are a tuple, counts are ints, blanks around names are dropped, and nothing can be changed."""
    plan = Plan([Release(" Flag ", FLAG, count=np.int64(3), part=" North ")], population=1e3)
    release = plan.releases[0]
    assert (release.name, release.part) == ("Flag", "North")
    assert (type(plan.releases), type(release.count), type(plan.population)) == (tuple, int, int)
    assert hash(plan) == hash(Plan(iter([release]), population=1000))
    with pytest.raises(FrozenInstanceError):
        plan.unit = "household"


def test_defaults():
    """A plan without more has no limit on ε, and δ = 1e-6; what nobody stated is not stated, and told so."""
    plan = Plan([])
    assert plan.budget == Guarantee(math.inf, 1e-6)
    assert (plan.unit, plan.relation, plan.population, plan.adaptive) == (None,) * 4 and plan.stated == {}
    assert plan == Plan([], unit="") and plan.unit_in_words == "unit" and Plan([], unit="person") != plan
    assumed = ("unit", "added or removed", "fixed in advance")
    assert list(plan.in_words.values()) == [f"{each} (not stated)" for each in assumed]
    told = Plan([], Guarantee(1, 1e-9), "person", "replace_one", 5, True)
    assert list(told.in_words.values()) == ["person", "replaced by another", "chosen along the way"]
    assert list(told.stated.values()) == ["person", "replace_one", 5, 1.0, 1e-9, True]


def test_neighbours_in_force():
    """The stated relation, else the one the mechanisms demand, else add_remove."""
    demanding = [Release("Free", FLAG), Release("Sample", Demanding(0.5))]
    assert Plan([Release("Free", FLAG)]).neighbours == "add_remove"
    assert Plan(demanding).neighbours == "replace_one"
    assert Plan(demanding, relation="replace_one").neighbours == "replace_one"
    assert Plan(demanding[:1], relation="replace_one").neighbours == "replace_one"


def test_a_plan_of_many_releases_looks_for_its_relation_as_often_as_one_of_few(monkeypatch):
    """Once per release it would be quadratic: 20,000 of them took 18 s."""
    looked = []
    find = plans._first_demanding
    monkeypatch.setattr(plans, "_first_demanding", lambda releases: looked.append(0) or find(releases))
    counts = []
    for size in (2, 200):
        looked.clear()
        Plan([Release(f"r{place}", Laplace(10.0, 1.0)) for place in range(size)])
        counts.append(len(looked))
    assert counts[0] == counts[1] > 0


def test_mixed_relations_are_refused_with_both_releases():
    """Numbers under different relations cannot be added up."""
    mixed = [Release("First", DemandingRemoval(0.5)), Release("Free", FLAG), Release("Second", Demanding(0.5))]
    assert sentence(lambda: Plan(mixed)) == (
        "relation must be the same for all releases of a plan; got add_remove from release 'First' and replace_one "
        "from release 'Second'"
    )
    assert sentence(lambda: Plan(mixed[2:], relation="add_remove")) == (
        "relation must be replace_one, which release 'Second' demands, or None; got 'add_remove'"
    )


@pytest.mark.parametrize("mechanism, relation", [(FLAG, "replace_one"), (Demanding(0.5), None)])
def test_parts_are_refused_under_replace_one(mechanism, relation):
    """Replacing a record can move it from one part to another, so the maximum over parts is no bound."""
    assert sentence(lambda: Plan([Release("Flag", mechanism, part="North")], relation=relation)) == (
        "part must be empty under replace_one, since replacing one record can change two parts and parallel "
        "composition holds for add_remove only; got 'North' in release 'Flag'"
    )


def test_repeated_multiplies_counts():
    """Zero times costs nothing, and a count beyond its limit is refused."""
    plan = Plan([Release("Flag", FLAG, 2), Release("Mean", Laplace(10, 1), 3)], Guarantee(1, 0), "household")
    assert [each.count for each in plan.repeated(10).releases] == [20, 30]
    assert [each.count for each in plan.repeated(0).releases] == [0, 0]
    assert plan.repeated(1) == plan
    assert plan.repeated(5).unit == "household"
    assert sentence(lambda: plan.repeated(-1)) == "times must be in [0, 1000000000], a whole number; got -1"
    assert sentence(lambda: plan.repeated(10**9)) == (
        "count must be in [0, 1000000000], a whole number; got 2000000000"
    )


def test_workload_of_nothing():
    """An empty plan, and one whose counts are 0, have one part without mechanisms."""
    for plan in (Plan([]), Plan([Release("Flag", FLAG, 0)]), Plan([Release("Flag", FLAG, 0, "North")])):
        mechanisms, counts = plan.workload()
        assert mechanisms == ()
        assert counts.shape == (1, 0)


def test_workload_sums_equal_mechanisms():
    """Equal mechanisms share a column, in order of first use."""
    plan = Plan(
        [Release("A", Laplace.from_epsilon(0.11)), Release("B", FLAG, 5), Release("C", Laplace.from_epsilon(0.11), 2)]
    )
    mechanisms, counts = plan.workload()
    assert mechanisms == (Laplace.from_epsilon(0.11), FLAG)
    assert counts.tolist() == [[3, 5]]
    assert counts.dtype == np.int64


def test_a_part_without_releases_of_its_own_is_covered_by_the_others():
    """Data outside every part meets only the releases that read all data, and so does each part: it adds no row."""
    _, counts = Plan([Release("All", FLAG, 2), Release("North", FLAG, 3, "N")]).workload()
    assert counts.tolist() == [[5]]


RELEASES = st.lists(
    st.builds(
        Release,
        st.just("Release"),
        st.sampled_from([FLAG, Laplace(10, 1), Laplace(20, 1), Gaussian(5.0, 1), NameAndShame(1e-9)]),
        st.integers(0, 10**9),
        st.sampled_from([None, "N", "S", "E"]),
    ),
    max_size=12,
)


@given(RELEASES)
def test_workload_agrees_with_counting(releases):
    """The rows are, without repetition, what counting by hand gives for each part."""
    mechanisms, counts = Plan(releases).workload()
    rows = {frozenset((m, int(c)) for m, c in zip(mechanisms, row, strict=True) if c) for row in counts}
    expected = set()
    for part in {each.part for each in releases} - {None} or {None}:
        sums = Counter()
        for each in releases:
            if each.part in (None, part):
                sums[each.mechanism] += each.count
        expected.add(frozenset((m, c) for m, c in sums.items() if c))
    assert rows == expected
    assert len(counts) == len(expected)


def test_parts_that_cost_the_same_stand_once():
    """Ten thousand parts of which three differ are three rows."""
    releases = [Release("Flag", FLAG, 1 + index % 3, f"part {index}") for index in range(10_000)]
    _, counts = Plan(releases).workload()
    assert counts.tolist() == [[1], [2], [3]]


def test_a_workload_beyond_the_memory_is_refused():
    """Thousands of parts times thousands of mechanisms would need gigabytes."""
    releases = [Release("Flag", RandomizedResponse(1 + index / 1000), 1, f"part {index}") for index in range(2500)]
    assert sentence(lambda: Plan(releases)) == (
        "part must take so few values that parts times different mechanisms is at most 5000000; got 2500 times 2500"
    )
