"""The catalogue of theorems: one complete card per record, and a page of them that is not stale."""

import math
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from docs import generated
from dpviz import AMPLIFICATIONS, CALIBRATIONS, CONVERSIONS, FILTERS, THEOREMS
from dpviz.plan.examples import EXAMPLES
from dpviz.plan.files import permalink
from dpviz.sources.cards import KINDS, cards, markdown_table
from dpviz.ui.shell import examples

ROOT = Path(__file__).resolve().parents[2]
REGISTRIES = (THEOREMS, FILTERS, CONVERSIONS, AMPLIFICATIONS, CALIBRATIONS)
RECORDS = [record for registry in REGISTRIES for record in registry]


def test_every_record_has_its_card():
    """In display order, none left out, none twice."""
    assert [(card.key, card.statement) for card in cards()] == [(record.key, record.statement) for record in RECORDS]
    assert list(dict.fromkeys(card.kind for card in cards())) == list(KINDS)


@pytest.mark.parametrize("card", cards(), ids=lambda card: f"{card.kind}-{card.key}")
def test_a_card_is_complete(card):
    """No field is empty; the worked number is a finite one."""
    for field in fields(card):
        value = getattr(card, field.name)
        assert value and (not isinstance(value, str) or value.strip()), field.name
    assert card.outcome.count("{}") == 1
    assert 0 < card.value() < math.inf
    assert re.search(r"\d{4}|Lecture", card.source)


def test_statements_are_balanced():
    """What LaTeX opens it closes."""
    for card in cards():
        bare = re.sub(r"\\[{}]", "", card.statement)
        assert bare.count("{") == bare.count("}")
        assert len(re.findall(r"\\[bB]igg?l", bare)) == len(re.findall(r"\\[bB]igg?r", bare))


def test_a_new_record_brings_its_card(monkeypatch: pytest.MonkeyPatch):
    """The catalogue is generated: a record added to a registry is shown, with its number."""
    new = replace(CALIBRATIONS[1], key="new", label="New")
    monkeypatch.setattr(sys.modules[cards.__module__], "CALIBRATIONS", (*CALIBRATIONS, new))
    assert cards()[-1].label == "New" and cards()[-1].value() == CALIBRATIONS[1].sigma(0.5, 1e-6)


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_page_of_theorems_is_not_stale():
    """``python -m docs.generated`` would change nothing in the table of theorems."""
    text = page("theorems.md")
    assert generated.rewritten(text, {"theorems": markdown_table()}) == text


def test_the_links_of_the_examples_open_them():
    """Each example has a link that holds its plan; how the plan is packed may differ between machines."""
    start, end = generated.between("examples")
    rows = [row.split(" | ") for row in page("examples.md").split(start)[1].split(end)[0].strip().splitlines()[2:]]
    assert [row[0].strip("| `") for row in rows] == [example.key for example in EXAMPLES]
    for key, link in ((row[0].strip("| `"), row[2]) for row in rows):
        address = urlsplit(re.search(r"\((.*)\)", link)[1])
        assert permalink.opened(parse_qs(address.query)["plan"][0]) == examples.plan_of(key)
        assert address.path == "/" or (ROOT / "pages" / f"{address.path[1:]}.py").exists()


def test_the_script_sees_a_stale_table():
    text = page("theorems.md")
    stale = text.replace("| Composition | Basic |", "| Composition | Something |")
    assert stale != text and generated.rewritten(stale, {"theorems": markdown_table()}) == text
    with pytest.raises(ValueError, match="must hold"):
        generated.rewritten("no place", {"theorems": "table"})
