"""Published deployments: shown as reported, grouped by unit of privacy, converted only where only ρ is known."""

import csv
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Guarantee, Plan
from dpviz.composition.conversions import epsilon_from_rho
from dpviz.figures.base.identity import apart
from dpviz.figures.plan.published_epsilons import LONGEST_LABEL
from dpviz.planning.deployments import (
    COLUMNS,
    NO_UNIT,
    VARIANTS,
    Deployment,
    deployments,
    neighbouring,
    published,
    told_apart,
    unit_group,
)
from tests.strategies import WHOLE_DELTAS


def plan_of(unit: str, delta: float = 1e-6) -> Plan:
    return Plan((), Guarantee(1.0, delta), unit)


@pytest.fixture
def rows(root: Path) -> list[dict[str, str]]:
    """The file itself, read apart from the module."""
    with (root / "dpviz" / "data" / "deployments.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_row_is_read_as_it_stands(rows):
    """Numbers and texts are those of the file; nothing is lost, corrected or invented."""
    assert len(rows) == len(deployments()) == 36
    for row, deployment in zip(rows, deployments(), strict=True):
        for name, text in row.items():
            value = getattr(deployment, name)
            if name in ("epsilon", "delta", "rho"):
                assert value == (float(text) if text else None)
            else:
                assert str(value) == text


def test_the_licence_stands_beside_the_data(root: Path):
    """Whoever opens the folder reads where the data come from."""
    note = (root / "dpviz" / "data" / "README.md").read_text(encoding="utf-8")
    for words in ("OpenDP deployments registry", "MIT licence", "As reported", "2026-11", "await review"):
        assert words in note


@given(st.sampled_from(["user-day", "person", "user", "household", "Person-level; housing-unit-level"]), WHOLE_DELTAS)
def test_reported_numbers_stay_as_they_are(unit: str, delta: float):
    """Whatever the plan: reported ε and δ are untouched, and a converted ε is never called reported."""
    frame = published(plan_of(unit, delta))
    known = {(each.name, each.curator): each for each in deployments()}
    assert len(frame) == len(known)
    for row in frame.itertuples():
        deployment = known[row.name, row.curator]
        assert (row.delta, row.rho, row.unit, row.variant) == (
            deployment.delta, deployment.rho, deployment.unit or NO_UNIT, deployment.variant,
        )  # fmt: skip
        if deployment.epsilon is not None:
            assert row.epsilon == deployment.epsilon and row.epsilon_basis == "reported"
        else:
            assert row.epsilon == epsilon_from_rho(deployment.rho, delta)
            assert row.epsilon_basis.startswith("converted here from ρ") and "chosen here" in row.delta_basis


@pytest.mark.parametrize("delta", [0.0, 1.0])
def test_without_delta_rho_is_no_epsilon(delta: float):
    """At δ = 0 no finite ε follows from ρ, and that is said."""
    frame = published(plan_of("person", delta))
    converted = frame[frame.epsilon_basis != "reported"]
    assert len(converted) == 8
    assert all(value is None for value in converted.epsilon)
    assert all(text.startswith("no ε follows from ρ") for text in converted.epsilon_basis)


def test_conversion_is_an_upper_bound():
    """A Gaussian of that ρ meets ρ-zCDP: the converted ε is at least its tight one, and below the classical rule."""
    from dpviz import Gaussian

    for deployment in (each for each in deployments() if each.epsilon is None):
        row = published(plan_of("person", 1e-6)).set_index("name").loc[deployment.name]
        assert row.epsilon >= Gaussian(1 / math.sqrt(2 * deployment.rho)).epsilon(1e-6)
        assert row.epsilon <= deployment.rho + 2 * math.sqrt(deployment.rho * math.log(1e6))


@pytest.mark.parametrize(
    ("unit", "names"),
    [
        ("user-day", 4), ("User Day", 4), ("user_day", 4), ("User-day-level", 4), ("person", 3), ("Person", 3),
        ("user", 9), ("household", 0), ("user-month", 1), ("people", 0), ("Person-level; housing-unit-level", 2),
        ("-", 0), ("level", 0), ("user-device", 1), ("device-day", 1),
    ],
)  # fmt: skip
def test_units_match_by_spelling_only(unit: str, names: int):
    """Spelling is made equal; meaning is not guessed: a user is not a person."""
    frame = published(plan_of(unit))
    assert frame.matches.sum() == names
    assert (frame[frame.matches].group == unit_group(unit)).all()
    assert frame.matches.is_monotonic_decreasing  # the plan's own unit comes first


def test_groups_are_never_mixed():
    """A group holds one unit, its rows stand together, and ascending by ε."""
    frame = published(plan_of("household"))
    assert (frame.group == frame.unit.map(unit_group).replace("unit-not-stated", NO_UNIT)).all()
    changes = (frame.group != frame.group.shift()).sum()
    assert changes == frame.group.nunique() == 20
    assert {"user", "person", "user-day", "user-month"} <= set(frame.group)
    for _, rows in frame.groupby("group"):
        assert list(rows.epsilon) == sorted(rows.epsilon)


def test_equal_names_are_told_apart():
    """By curator and month, wherever they are shown; a registry without a unit has a group of its own."""
    first, second, other = deployments()[:3]
    listed = [first, replace(first, slug="x", published="2024-01"), replace(second, name=first.name), other]
    names = told_apart(listed)
    assert len(set(names)) == 4 and names[3] == other.name
    assert names[0].endswith(f"({first.curator}, {first.published})")
    drawn = apart(told_apart(deployments()), LONGEST_LABEL)
    assert len(set(drawn)) == len(deployments()) and "…Redistricting Data" in drawn
    assert [each.group for each in deployments() if not each.unit] == [NO_UNIT]


def test_missing_delta_is_not_stated():
    """An approximate promise without δ says so; a pure one needs none."""
    frame = published(plan_of("tuple")).set_index("name")
    assert frame.delta_basis["FLEX"] == "not stated" and frame.delta["FLEX"] is None
    assert frame.delta_basis["Movement Ranges Map"] == "0 by definition"
    assert frame.delta_basis["Assistive AI"] == "reported" and frame.delta["Assistive AI"] == 1e-7
    assert list(frame.reset_index().columns.sort_values()) == sorted(COLUMNS)


def test_no_nan_in_the_frame():
    """What is not known is None."""
    frame = published(plan_of("person"))
    for column in ("epsilon", "delta", "rho"):
        assert not [value for value in frame[column] if isinstance(value, float) and math.isnan(value)]


@given(st.text(max_size=80))
def test_any_unit_has_a_group(unit: str):
    """Whatever is typed: one spelling, whatever its case and its blanks."""
    group = unit_group(unit)
    assert not re.search("[A-Z_]", group)
    assert unit_group(f"  {unit} ") == group


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be in"),
        ({"delta": 2.0}, "delta must be in"),
        ({"rho": math.nan}, "rho must be in"),
        ({"variant": "Best DP"}, "variant must be one of"),
        ({"epsilon": None, "rho": None}, "must state epsilon or rho"),
        ({"source": "javascript:alert(1)"}, "source must be a web address"),
    ],
)
def test_bad_records_are_refused(changes: dict, message: str):
    """A row that is no deployment stops with one sentence."""
    with pytest.raises(ValueError, match=message):
        replace(deployments()[0], **changes)


def test_records_are_frozen():
    assert {each.variant for each in deployments()} == set(VARIANTS)
    with pytest.raises(AttributeError):
        deployments()[0].epsilon = 1.0  # type: ignore[misc]
    assert isinstance(deployments()[0], Deployment)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("person-year", ("person", "person; housing-unit")),
        ("Person-level", ("person; housing-unit",)),
        ("person; housing-unit", ("person",)),
        ("user day", ("user", "user-month", "user-quarter-day")),
        ("user-trip", ()),  # a trip is no stretch of time
        ("event-month", ("event",)),
        ("household", ()),
        ("day", ()),
        ("", ()),
        (";;", ()),
    ],
)
def test_neighbouring_units_protect_the_same_one(unit: str, expected: tuple[str, ...]):
    """Only the stretch of time differs; the unit itself is not among them, and each is published."""
    assert neighbouring(unit) == expected
    assert set(neighbouring(unit)) <= {each.group for each in deployments()} - {unit_group(unit)}
