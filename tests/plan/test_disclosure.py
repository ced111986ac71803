"""What is stated beside the numbers: kept with the plan in JSON, links and steps of undo, and free of any cost."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Disclosure, Laplace, Plan, Release, compose
from dpviz.plan import Document, PlanFileError
from dpviz.plan.disclosure import DISCLOSED, LONGEST_STATED, NAMES
from dpviz.plan.files import permalink
from dpviz.plan.files.json_schema import disclosure_schema, plan_schema
from tests.effort import examples

FILES = Path(__file__).parents[1] / "files"
TOLD = Disclosure(owner="Statistics office, unit 4", trust="Central: the office holds the data.\nNobody else does.")
PLAN = Plan([Release("Visits", Laplace(10, 1), done=True)], disclosure=TOLD)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60) | st.sampled_from(
    ["a\nb", "a\r\nb", "\ta", "<script>", "- x: {y}", "=1+1", "`|`", "  ", "null"]
)
DISCLOSURES = st.builds(Disclosure.of, st.dictionaries(st.sampled_from(NAMES), TEXTS))


def test_the_frozen_file_of_version_6_is_read():
    """Every later dpviz reads it."""
    assert Plan.read(FILES / "plan-6-disclosure.json") == PLAN


@examples(30)
@given(DISCLOSURES)
def test_files_and_links_give_it_back(told):
    """JSON and links hold all of it, and only what is stated; a disclosure of nothing is none."""
    plan = replace(PLAN, disclosure=told)
    assert Plan.from_json(plan.to_json()) == plan == permalink.opened(permalink.token(plan))
    assert json.loads(plan.to_json()).get("disclosure", {}) == told.stated
    assert (plan.disclosure is None) == (not told.stated)
    jsonschema.Draft202012Validator(plan_schema()).validate(json.loads(plan.to_json()))
    assert Plan.from_csv(plan.to_csv()).releases == plan.releases


def test_an_edit_of_it_asks_nothing_and_costs_nothing():
    """It is no question of privacy, although a release is done; the document before the edit is left as it was."""
    held = Document(replace(PLAN, disclosure=None))
    edited = held.edited(PLAN)
    assert edited.questions == () and edited.plan.disclosure == TOLD and held.plan.disclosure is None
    assert edited.opened.disclosure is None and edited != held
    assert compose(edited.plan, 0.0) == compose(held.plan, 0.0)
    assert replace(PLAN, releases=()).disclosure == TOLD == PLAN.repeated(3).disclosure == PLAN.of_units(2).disclosure


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ([], "plan, disclosure '[]': must be an object of texts by their names"),
        ({"owner": 4}, "plan, disclosure owner '4': must be text of at most 2,000 characters without control"),
        ({"owner": "a\x00"}, "plan, disclosure owner 'a\\x00': must be text of at most 2,000 characters without"),
        ({"owner": "a" * 2001, "trust": None}, "plan, disclosure trust 'null': must be text"),
        ({"Owner": "Unit 4"}, "plan, disclosure field 'Owner': must be one of the fields owner, description"),
        ({"owner": {"name": "a"}}, "plan, disclosure owner \"{'name': 'a'}\": must be a single value"),
    ],
)
def test_what_is_wrong_with_it_is_named(told, problem):
    """Reader and schema refuse the same; a file of a former version has no such field."""
    document = {"dpviz_plan": 6, "releases": [], "disclosure": told}
    with pytest.raises(PlanFileError) as refused:
        Plan.from_json(json.dumps(document))
    assert problem in str(refused.value)
    reader = jsonschema.Draft202012Validator(plan_schema())
    assert not reader.is_valid(document)
    older = {"dpviz_plan": 5, "releases": [], "disclosure": {"owner": "Unit 4"}}
    with pytest.raises(PlanFileError, match="must be one of the fields"):
        Plan.from_json(json.dumps(older))
    assert not reader.is_valid(older) and reader.is_valid(older | {"dpviz_plan": 6})
    assert Plan.from_json('{"dpviz_plan": 6, "releases": [], "disclosure": null}').disclosure is None


def test_the_table_is_whole():
    """Every field says in words what it is and who asks for it; the schema has the same fields."""
    assert all(each.label and each.help.endswith(".") and each.asked for each in DISCLOSED)
    assert len({each.label for each in DISCLOSED}) == len(DISCLOSED)
    assert list(disclosure_schema()["properties"]) == list(NAMES)
    with pytest.raises(ValueError, match="disclosure must be"):
        Disclosure.of({"unheard": "of"})
    with pytest.raises(ValueError, match="disclosure must be"):
        Plan([], disclosure="a text")
    assert Disclosure(owner="x" * LONGEST_STATED).owner
    assert Plan([], disclosure=Disclosure(owner=" ")).disclosure is None
