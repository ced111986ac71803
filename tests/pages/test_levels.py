"""At the level of people no sign stands on the screen: in no text, input, table or chart, of whatever plan."""

import json
from collections.abc import Iterator

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest

from dpviz.plain import SYMBOLS
from dpviz.ui.shell import shell, words

PAGES = ("composition", "privacy_loss", "adversary", "learn")
# What of an element nobody reads.
SILENT = {"id", "formId", "key", "url", "config", "theme", "elementId"}


def opened(page: str, **parameters: str) -> AppTest:
    """A page at an address."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page(f"pages/{page}.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception and not app.error
    return app


def texts(part: object, name: str = "") -> Iterator[str]:
    """Every text in a part of a page or of a chart; what is JSON is opened."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key not in SILENT:
                yield from texts(value, key)
    elif isinstance(part, list | tuple):
        for each in part:
            yield from texts(each, name)
    elif isinstance(part, str):
        yield from texts(json.loads(part), name) if part[:1] in "{[" and _is_json(part) else [part]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def visible(app: AppTest) -> Iterator[str]:
    """Every text that the page shows or speaks, its tables and all choices of its inputs included."""
    for block in app._tree.children.values():
        for element in block:
            proto = getattr(element, "proto", None)
            if proto is None:
                continue
            yield from texts(MessageToDict(proto))
            if element.type == "dataframe":
                yield from map(str, [*element.value.columns, *element.value.to_numpy().ravel()])


@pytest.mark.parametrize("page", PAGES)
def test_people_meet_no_sign(page: str):
    """Neither on the page itself, nor in what is folded away, heard or hovered over; with other plans likewise."""
    found = list(visible(opened(page, example="lecture-11", read="people")))
    assert len(found) > 20, "the test sees the page"
    assert not [text for text in found if SYMBOLS.search(text)]


def test_the_test_sees_signs():
    """At the level of proofs the same search finds them in texts, inputs, charts and tables."""
    found = [text for text in visible(opened("composition", repeat="Laplace", read="proofs")) if SYMBOLS.search(text)]
    assert any("δ of the whole" in text for text in found) and any("total ε" in text for text in found)
    assert any(text == "10⁻⁶" for text in found) and any("advanced like √k" in text for text in found)


def test_every_question_has_its_card():
    """A picture that is heard too, its link, and what is found there; links carry the plan along."""
    app = opened("learn", example="mobility")
    links = [each.proto for each in app.get("page_link")]
    entries = [entry for entry in shell.PAGES if entry.place not in (shell.PLAN, shell.SAVED_PLANS) and entry.question]
    titles = [each.label.strip("*") for each in links if each.label.startswith("**")]
    assert titles == [entry.title for entry in entries]
    assert {each.query_string for each in links} == {"example=mobility"}
    pictures = [image for each in app.get("image") for image in each.proto.imgs]
    assert len(pictures) == len(entries) and all(each.alt for each in pictures)


@pytest.mark.parametrize("page", ["adversary", "composition", "filters", "noise_sums", "plan", "theorems"])
def test_what_is_assumed_of_noise_is_one_line_that_opens(page: str):
    """The line is folded, all of the text is inside, and it stands nowhere else."""
    app = opened(page, example="statistics-office")
    [fold] = [each for each in app.expander if each.label.startswith(words.ASSUMED)]
    assert not fold.proto.expanded and fold.caption[-1].value == words.NOISE
    assert [each.value for each in app.caption].count(words.NOISE) == 1
