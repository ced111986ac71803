"""The JSON Schemas of plans and grids, read by jsonschema: they take what dpviz takes, and refuse what it refuses."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

from docs import generated
from dpviz import Plan
from dpviz.jobs import Grid
from dpviz.jobs.grid import QUANTITIES
from dpviz.jobs.grid_schema import VALUES
from dpviz.mechanisms import BASE_MECHANISMS
from dpviz.plan import PlanFileError
from dpviz.plan.field_table import COLUMNS, VERSION
from dpviz.plan.files.json_file import FIELDS
from dpviz.plan.files.json_schema import INTERVALS_OF, plan_schema
from tests.plan_strategies import PLANS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
GRIDS = sorted((ROOT / "examples" / "grids").glob("*.json"))
READER, GRID_READER = (
    jsonschema.Draft202012Validator(json.loads((ROOT / generated.SCHEMA.format(key)).read_text(encoding="utf-8")))
    for key in ("plan", "grid")
)
FLAG = {"name": "Flag", "mechanism": "randomized_response", "epsilon": 0.5}
NOISE = {"name": "Noise", "mechanism": "laplace", "epsilon": 0.5}
DAILY = {**NOISE, "start": "2026-01-01", "end": "2026-12-31", "cadence": "daily"}


def document(*releases: dict, version: object = 4, **fields: object) -> dict:
    return {"dpviz_plan": version, **fields, "releases": list(releases)}


def read(plan: dict) -> bool:
    """Whether dpviz reads it."""
    try:
        Plan.from_json(json.dumps(plan))
    except PlanFileError:
        return False
    return True


def test_the_schema_knows_every_field_and_mechanism():
    """What a registry gains, the schema gains; a mechanism with intervals of its own is one that there is."""
    schema, release = plan_schema(), plan_schema()["$defs"]["release"]
    assert set(schema["properties"]) == set(FIELDS) and set(release["properties"]) == set(COLUMNS)
    assert release["properties"]["mechanism"]["enum"] == [each.key for each in BASE_MECHANISMS]
    assert INTERVALS_OF.keys() <= {each.key for each in BASE_MECHANISMS}
    assert list(VALUES) == [quantity.key for quantity in QUANTITIES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid(path: Path):
    READER.validate(json.loads(path.read_text(encoding="utf-8")))


@given(PLANS)
def test_what_dpviz_writes_is_valid(plan: Plan):
    """Any plan: any mechanism, parts, dates, bounds and names."""
    READER.validate(json.loads(plan.to_json()))


# What a value of each parameter may be is asked of both, at and around every end that a registry knows.
NUMBERS = (-1, 0, 5e-324, 1e-13, 1e-12, 0.25, 0.5, 1, 1.5, 2, 3.0, 1e6, 1e9, 1.5e9, 1e12, 1e13, True, None, "1")
ASKED = [
    (mechanism.key, form, name)
    for mechanism in BASE_MECHANISMS
    if mechanism.key not in ("declared", "trained_model")
    for form in mechanism.forms
    for name in (*form.needed, *form.optional)
    if name != "calibration"
]
GIVEN = {"epsilon": 0.5, "delta": 1e-6, "scale": 2.0, "sigma": 2.0, "sensitivity": 1, "k": 4}
# What follows from two values is refused when dpviz computes it, which a schema cannot: no double holds a scale of
# 1 / 5e-324, and that of noise on whole numbers, sensitivity / epsilon, ends at 1e-12 and 1e12.
BEYOND = {("discrete_laplace", "epsilon"): (5e-324, 1e-13, 1e13)}


@pytest.mark.parametrize(("key", "form", "name"), ASKED, ids=lambda each: "-".join(getattr(each, "needed", (each,))))
def test_a_parameter_is_refused_where_dpviz_refuses_it(key: str, form, name: str):
    needed = {each: GIVEN[each] for each in form.needed}
    found = {}
    for value in NUMBERS:
        plan = document({"name": "a", "mechanism": key, **needed, name: value})
        found[repr(value)] = (read(plan), READER.is_valid(plan))
    computed = [repr(value) for value in BEYOND.get((key, name), (5e-324,))]
    assert not {value: pair for value, pair in found.items() if pair[0] != pair[1] and value not in computed}
    assert {taken for taken, _ in found.values()} == {True, False}


BAD = {
    "no version": {"releases": []},
    "no releases": {"dpviz_plan": 4},
    "a newer version": document(version=VERSION + 1),
    "version in words": document(version="4"),
    "an unknown field": document(sensitivity=1),
    "a budget without delta": document(budget={"epsilon": 1}),
    "a negative budget": document(budget={"epsilon": -1, "delta": 0}),
    "delta above 1": document(budget={"epsilon": 1, "delta": 2}),
    "no budget": document(budget=None),
    "an empty unit": document(unit=" "),
    "a long unit": document(unit="x" * 81),
    "a unit on two lines": document(unit="a\nb"),
    "an unknown relation": document(relation="swap"),
    "nobody": document(population=0),
    "half a person": document(population=1.5),
    "adaptive in words": document(adaptive="no"),
    "releases as an object": {"dpviz_plan": 4, "releases": {}},
    "a release as text": document("Flag"),
    "no name": document({"mechanism": "laplace", "epsilon": 1}),
    "no mechanism": document({"name": "a", "epsilon": 1}),
    "an unknown mechanism": document({**FLAG, "mechanism": "magic"}),
    "an unknown column": document({**FLAG, "colour": "red"}),
    "no parameter": document({"name": "a", "mechanism": "laplace"}),
    "a parameter too many": document({**FLAG, "sigma": 1}),
    "two forms at once": document({**NOISE, "scale": 1}),
    "a negative epsilon": document({**FLAG, "epsilon": -0.5}),
    "epsilon in words": document({**FLAG, "epsilon": "0.5"}),
    "an infinite epsilon": document({**FLAG, "epsilon": "inf"}),
    "no use": document({**FLAG, "count": -1}),
    "half a use": document({**FLAG, "count": 0.5}),
    "too many uses": document({**FLAG, "count": 10**10}),
    "a rate without a scheme": document({**NOISE, "rate": 0.5}),
    "an unknown scheme": document({**NOISE, "rate": 0.5, "scheme": "shuffled"}),
    "a rate above 1": document({**NOISE, "rate": 2, "scheme": "poisson"}),
    "an unknown calibration": document(
        {"name": "a", "mechanism": "gaussian", "epsilon": 0.5, "delta": 1e-6, "calibration": "best"}
    ),
    "an unknown cadence": document({**DAILY, "cadence": "hourly"}),
    "no end": document({**NOISE, "start": "2026-01-01", "cadence": "daily"}),
    "an empty end": document({**DAILY, "end": None}),
    "an end alone": document({**NOISE, "end": "2026-01-01"}),
    "a date of no calendar": document({**NOISE, "start": "2026-13-01"}),
    "a date in words": document({**NOISE, "start": "1 May 2026"}),
    "no weight": document({**NOISE, "weight": 0}),
    "a typical value of 0": document({**NOISE, "typical": 0}),
    "done in words": document({**NOISE, "done": "yes"}),
    "an unknown kind": document({**NOISE, "kind": "guess"}),
    "one bound": document({**NOISE, "lower": 0}),
    "a bound in words": document({**NOISE, "lower": "0", "upper": 1}),
    "a column of a later version": document({**NOISE, "weight": 2}, version=1),
    "a unit of a later version": document({**NOISE, "answer_unit": "euros"}, version=2),
    "a kind of a later version": document({**NOISE, "kind": "count"}, version=3),
}


@pytest.mark.parametrize("plan", BAD.values(), ids=BAD)
def test_what_is_refused_is_invalid(plan: dict):
    assert not read(plan) and not READER.is_valid(plan)


def test_what_those_are_made_of_is_valid():
    for plan in (document(), document(FLAG, NOISE, DAILY), document({**NOISE, "done": "2026-01-01", "part": None})):
        assert read(plan) and READER.is_valid(plan)


# ---- grids


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_example_grids_are_valid(path: Path):
    GRID_READER.validate(json.loads(path.read_text(encoding="utf-8")))
    assert Grid.read(Plan.read(ROOT / "examples" / path.name), path).size > 1000


BAD_GRIDS = (
    [], {}, {"*": {}}, {"*": []}, {"*": {"epsilon": [1]}}, {"*": {"noise": []}}, {"*": {"noise": 1}},
    {"*": {"noise": [0]}}, {"*": {"noise": [1, 1]}}, {"*": {"noise": ["1"]}}, {"*": {"noise": [1e7]}},
    {"*": {"count": [0]}}, {"*": {"count": [1.5]}}, {"*": {"rate": [0]}}, {"*": {"rate": [2]}},
    {"*": {"cadence": ["hourly"]}}, {"*": {"noise": [n / 1000 for n in range(1, 1002)]}},
)  # fmt: skip


@pytest.mark.parametrize("grid", BAD_GRIDS, ids=lambda grid: json.dumps(grid)[:40])
def test_what_a_sweep_refuses_is_invalid(grid: object):
    plan = Plan.from_json(json.dumps(document({**DAILY, "rate": 0.5, "scheme": "poisson"})))
    with pytest.raises(ValueError):
        Grid.of(plan, grid)
    assert not GRID_READER.is_valid(grid)
