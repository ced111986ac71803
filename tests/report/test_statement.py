"""The statement as machines read it, as Markdown, and as an entry for the registry."""

import hashlib
import json
import math
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from statistics import NormalDist

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dpviz import Disclosure, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, report
from dpviz.plan.disclosure import DISCLOSED, NAMES
from dpviz.report.facts import digest, facts
from dpviz.report.page import markdown, marked
from dpviz.report.registry import registry_entry
from dpviz.report.report_schema import REPORT
from dpviz.report.said import UNCOVERED, not_answered, not_covered
from dpviz.report.subject import Subject
from dpviz.rounding import shown_right
from tests.effort import examples
from tests.report.test_report import HOSTILE, Elements
from tests.strategies import MECHANISMS, WHOLE_DELTAS

ROOT = Path(__file__).resolve().parents[2]
READER = jsonschema.Draft202012Validator(REPORT.schema())
REGISTRY = jsonschema.Draft202012Validator(
    yaml.safe_load((Path(__file__).parent / "registry" / "deployments-schema-2026-07.yaml").read_text("utf-8")),
    format_checker=jsonschema.FormatChecker(["date"]),
)
OFFICE = Plan.read(ROOT / "examples" / "statistics-office.json")
ALL = Disclosure.of({name: f"Text of {name}." for name in NAMES})
AWKWARD = [*HOSTILE, "a|b", "# no heading", "- no item", "1. no item", "*no* _marks_ `code`", "[no](https://x.org)",
           "https://evil.example", "www.evil.example", "a@b.c", "$x$", "a\\", "!!python/object:os.system", "{a: b}",
           "key: value # no comment", "| a", "---", "~~x~~", "&amp;", "+ no item", "===", "> no quote",
           "no\n\nbreak"]  # fmt: skip
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PLANS = st.builds(
    lambda releases, delta, unit, adaptive, told: Plan(
        releases, Guarantee(1.0, delta), unit, adaptive=adaptive, disclosure=Disclosure.of(told)
    ),
    st.lists(st.builds(Release, st.sampled_from(AWKWARD[:-1]), MECHANISMS, st.integers(0, 20)), max_size=3),
    WHOLE_DELTAS,
    st.sampled_from([None, "person", "user-day", *AWKWARD[:-1]]),
    st.sampled_from([None, True, False]),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(AWKWARD), max_size=4),
)


@examples(4)
@given(PLANS)
def test_any_plan_meets_both_schemas(plan):
    """JSON and YAML of random plans with awkward texts are valid, and the YAML holds the texts as they are."""
    subject = Subject(plan, name="<b>", author="- a: b", on=date(2026, 11, 25))
    READER.validate(json.loads(report.as_json(subject)))
    entry, text = registry_entry(subject), report.registry_yaml(subject)
    assert yaml.safe_load(text) == entry.record
    REGISTRY.validate(entry.record)
    justified = (plan.disclosure or Disclosure()).justification
    assert entry.record["deployment"]["implementation"]["justification"] == justified
    assert entry.lacking and text.startswith("# To be filled in by hand")


@pytest.mark.parametrize("name", ["census-2020-redistricting", "weekly-dashboard", "lecture-11"])
def test_examples_meet_both_schemas(name):
    subject = Subject(Plan.read(ROOT / "examples" / f"{name}.json"))
    READER.validate(json.loads(report.as_json(subject)))
    REGISTRY.validate(yaml.safe_load(report.registry_yaml(subject)))


def test_an_entry_of_all_that_is_stated_lacks_nothing_that_could_be_stated():
    """What the form asks for ends in the entry; what is left is what only the registry's words can say."""
    plan = replace(OFFICE, disclosure=replace(ALL, trust="Central: the office."))
    entry = registry_entry(Subject(plan, name="Year 2026", author="Unit 4", on="2026-11-25"))
    text = json.dumps(entry.record)
    assert all(f"Text of {name}." in text for name in NAMES if name != "trust")
    assert entry.record["tier"] == 2 and entry.record["url_slug"] == "year-2026"
    assert entry.record["deployment"]["deployment_model"]["model_name"] == "Central"
    assert entry.record["deployment"]["basic"]["publication_date"] == "2026-01-31"
    found = entry.record["deployment"]["privacy_loss"]["privacy_parameters"]
    told = facts(Subject(plan))
    assert told["total"]["epsilon"] <= found["epsilon"] <= told["total"]["epsilon"] * (1 + 1e-5)
    assert told["parameters"]["rho"] <= found["rho"] and found["delta"] == 1e-6
    assert [re.sub(r".*\.", "", each) for each in entry.lacking] == [
        "data_product_sector", "data_domain", "data_source_type", "data_product_type (taken as Summary statistics)"
    ]  # fmt: skip


def test_an_entry_of_a_promise_per_day_names_the_loss_of_a_day():
    daily = Release("x", Laplace.from_epsilon(0.5), start="2026-01-01", cadence="daily", end="2026-12-31")
    record = registry_entry(Plan([daily], Guarantee(1.0, 0.0), unit="user-day", adaptive=False)).record["deployment"]
    assert record["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.5, "delta": 0.0}
    assert "All releases together: ε ≤ 182.5." in record["privacy_loss"]["privacy_parameters_details"]
    assert record["dp_variant"]["variant_name"] == "Pure DP" and "one day at a time" in str(record["deployment_model"])


def test_the_digest_is_that_of_the_file(tmp_path):
    """Whoever has the file checks it with sha256sum."""
    OFFICE.write(tmp_path / "plan.json")
    assert digest(OFFICE) == hashlib.sha256((tmp_path / "plan.json").read_bytes()).hexdigest()
    assert digest(replace(OFFICE, disclosure=ALL)) != digest(OFFICE)


def test_other_measures_are_those_of_the_core():
    """ρ, Rényi divergences and μ add up; both ends enclose the total of a plan whose total is known."""
    told = facts(Subject(Plan([Release("a", Gaussian(2, 1), 4)], Guarantee(9.0, 1e-6))))
    assert told["parameters"]["rho"] == pytest.approx(0.5) and told["parameters"]["renyi"]["8"] == pytest.approx(4)
    assert told["parameters"]["mu"] == pytest.approx(1) and told["parameters"]["regret"] == 0
    assert told["bracket"]["lower"] <= Gaussian(1, 1).epsilon(1e-6) <= told["bracket"]["upper"]
    along = facts(Subject(Plan([Release("a", RandomizedResponse(0.5), 4)], Guarantee(9.0, 1e-6), adaptive=True)))
    assert along["parameters"]["mu"] is None and "chosen along the way" in along["parameters"]["reason"]
    assert along["bracket"] == {"lower": None, "upper": 2.0, "reason": along["parameters"]["reason"]}
    for each in told["risk"]["sureness"]:
        assert each["before"] < each["after"] <= 1


def test_page_and_markdown_say_what_is_stated_and_name_what_is_not():
    """Every text that is stated, and every label of what is not, stands in both; people read it, too."""
    half = Disclosure.of({name: f"Text of {name}." for name in NAMES[::2]})
    subject = Subject(replace(OFFICE, disclosure=half), name="Year", address="https://x.org/?plan=1.a_b")
    for page in (Elements(report.html(subject)).text, report.markdown(subject).replace("\\", "")):
        assert all(text in page for text in half.stated.values())
        assert all(each.label in page for each in DISCLOSED if not getattr(half, each.name))
        assert digest(subject.plan) in page and "https://x.org/?plan=1.a_b" in page
        assert "Least accurate for its size is “Without a home, one night”" in page
    people = Elements(report.html(replace(subject, people=True))).text
    assert all(text in people for text in half.stated.values()) and "What is not covered" in people


@pytest.mark.parametrize("text", AWKWARD)
def test_markdown_shows_texts_letter_by_letter(text):
    """Read by a Markdown parser, no text makes another element, a link or a break of its table."""
    told = marked(text)
    table = f"| a | b |\n| --- | --- |\n| {told} | {told} |\n"
    page = Elements(MARKDOWN.render(f"# {told}\n\n{told}\n\n- {told}\n\n{table}"))
    usual = ["h1", "p", "ul", "li", "table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert [tag for tag in page.tags if tag != "br"] == usual
    assert page.text.count(text.replace("\n", "").strip()) == 5
    assert not re.search(r"://|www\.|(?<!\\)@", told)  # which GitHub makes links of


def test_a_hostile_plan_makes_no_element_of_markdown():
    texts = [text for text in AWKWARD if "\n" not in text]
    plan = Plan([Release(text, Laplace(1.0, 1), part=text) for text in texts], unit=texts[0], disclosure=ALL)
    page = Elements(MARKDOWN.render(report.markdown(Subject(plan, name=texts[2], author=texts[4], address=texts[3]))))
    assert set(page.tags) <= {"h1", "h2", "p", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert not [name for name, _ in page.attributes if name != "style"]


def test_the_schema_is_strict():
    """A field less, or one of another type, is no statement."""
    told = facts(Subject(Plan([])))
    assert READER.is_valid(told) and jsonschema.Draft202012Validator.check_schema(REPORT.schema()) is None
    assert not READER.is_valid(told | {"digest": "x"})
    assert not READER.is_valid({name: value for name, value in told.items() if name != "bracket"})


@pytest.mark.parametrize(("unit", "dated", "said"), [
    ("person-year", True, "The releases fall from 31 March 2027 to 31 December 2027, within a year."),
    ("person-year", False, "The releases with a date fall from 31 March 2027 to 31 December 2027, within a year; those "
                           "without a date are counted, too."),
    ("person", True, "The releases fall from 31 March 2027 to 31 December 2027."),
])  # fmt: skip
def test_when_releases_fall_is_said_of_those_that_have_a_date(unit: str, dated: bool, said: str):
    """What has none is counted, and nobody says that it lies within the period."""
    quarterly = Release("Visits", Laplace(9.0, 1), start="2027-03-31", cadence="quarterly", end="2027-12-31")
    once = Release("Poll", Laplace(9.0, 1), start="2027-06-30" if dated else None)
    told = facts(Subject(Plan([quarterly, once], Guarantee(3.0, 0.0), unit)))["over_time"]
    after = "Releases of another year would add to what one person loses."
    assert told[0] == said and (told[1:] == [after]) == (unit == "person-year")


def test_what_is_stated_with_a_full_stop_gets_no_second_one():
    for text, end in (("None.", "“None.”"), ("None", "“None”.")):
        told = not_covered(Plan([], disclosure=Disclosure(unprotected=text)))
        assert next(each for each in told if each.startswith("Numbers published")).endswith(f"stated is {end}")


@pytest.mark.parametrize(("noise", "kind", "right"), [
    (Laplace(1.0), "count", 100 * (1 - math.exp(-0.5) / 2)),  # a count moves by 1, whether one goes or changes
    (Gaussian(1.0), "histogram", 100 * NormalDist().cdf(math.sqrt(2) / 2)),  # two bars move by 1
])  # fmt: skip
def test_a_statement_says_how_well_the_records_of_a_known_unit_are_hidden(noise, kind, right):
    """By the closed form of one release; not under the relation that hides them as promised, nor without a total."""
    plan = Plan([Release("Visits", noise, kind=kind)], Guarantee(3.0, 1e-6), "person", "add_remove")
    told = f"guesses which of two things their records say are right in at most {shown_right(right)} of 100."
    unsaid = "all records, taken together, of one person known to be in the data"
    number = f"{unsaid} (guesses at them are right in at most {shown_right(right)} of 100, and not "
    for people in (True, False):
        page = markdown(Subject(plan, people=people))
        assert (told in page) == (not people)
        assert (unsaid in page) == (people and kind == "histogram"), "a count moves no further when one is replaced"
        assert (number in page.replace("\\", "")) == (unsaid in page)
        assert unsaid not in markdown(Subject(replace(plan, relation="replace_one"), people=people))
    assert unsaid in markdown(Subject(replace(plan, adaptive=True)))
    for other in (replace(plan, relation="replace_one"), replace(plan, adaptive=True)):
        assert facts(Subject(other))["risk"]["of_records"] is None and told not in markdown(Subject(other))


def test_what_nobody_has_stated_is_told_in_one_sentence():
    """What somebody has, each in its own words."""
    plan = Plan([Release("Visits", Laplace(9.0), kind="histogram")], Guarantee(3.0, 1e-6), "person", "add_remove")
    for fields in ({}, {"security": "Two keys."}, dict.fromkeys(UNCOVERED, "None.")):
        *others, last = not_covered(replace(plan, disclosure=Disclosure(**fields)))
        assert last.startswith("Not answered yet: ") == (len(fields) < len(UNCOVERED))
        assert sum("stated is “" in each for each in (*others, last)) == len(fields)
        assert ("exact data kept secret" in last) == (not fields)
        asked = [name for name, (_, each) in UNCOVERED.items() if each and name not in fields]
        assert last.count("?") == len(asked), "that there are no other releases is a condition"
        page = markdown(Subject(replace(plan, disclosure=Disclosure(**fields)), people=True))
        asked = not_answered(replace(plan, disclosure=Disclosure(**fields)))
        assert ("## Not answered yet" in page) == bool(asked) and all(f"- {each}" in page for each in asked)


@pytest.mark.parametrize(("host", "reached"), [("https://dp.example.org", True), ("http://127.0.0.1:8501", False)])
def test_a_page_for_people_has_no_link_that_nobody_else_can_open(host: str, reached: bool):
    """Who reads the other statement may be at the machine that made it, and is told that it is to be opened there."""
    plan = Plan([Release("Visits", Laplace(9.0, 1.0))], Guarantee(3.0, 1e-6), "person", "add_remove")
    for people in (True, False):
        page = markdown(Subject(plan, people=people, address=f"{host}/?plan=1"))
        assert ("Open this plan" in page) == (reached or not people)
        assert ("no other can reach it" in page) == (not reached and not people)
