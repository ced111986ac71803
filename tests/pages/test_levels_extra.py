"""At the level of people no symbol stands on these pages: not in texts, inputs, tables, charts, nor their words."""

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Plan, Release
from dpviz.plain import SYMBOLS
from dpviz.plan import Answers, Document
from dpviz.plan.files import permalink
from dpviz.ui.shell import inputs, shell

PAGES = ("filters", "subsampling", "noise_sums", "audit", "theorems")
TEXTS = ("text", "hovertemplate", "hovertext", "name", "ticktext", "texttemplate", "title", "label")
SHOWN = ("value", "label", "body", "help", "delta", "placeholder", "options", "caption", "proto_alt")


def opened(page: str, **query: str) -> AppTest:
    """The page as an address opens it."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.query_params.update(query)
    app.switch_page(f"pages/{page}.py")
    app.run()
    assert not app.exception and not app.error
    return app


def strings(value: object) -> Iterator[str]:
    """Every text in a value of whatever shape."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for each in value.values() for text in strings(each))
    elif isinstance(value, list | tuple | set):
        yield from (text for each in value for text in strings(each))


def drawn(part: object, name: str = "") -> Iterator[str]:
    """Every text of a chart's description that a reader can see or point at."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from drawn(value, key)
    elif isinstance(part, list):
        for each in part:
            yield from drawn(each, name)
    elif isinstance(part, str) and name in TEXTS:
        yield part


def texts(node: object) -> Iterator[str]:
    """Every visible text of an element and of what is in it."""
    for child in getattr(node, "children", {}).values():
        yield from texts(child)
    proto = getattr(node, "proto", None)
    kind = getattr(node, "type", "")
    if kind == "plotly_chart":
        yield from drawn(json.loads(proto.spec))
    if kind in ("arrow_data_frame", "dataframe"):
        frame = node.value
        yield from map(str, frame.columns)
        yield from (str(cell) for column in frame for cell in frame[column])
        yield from strings(json.loads(proto.columns or "{}"))
    if kind == "expander" or kind == "tab":
        yield node.label
    for field, value in proto.ListFields() if proto is not None and hasattr(proto, "ListFields") else ():
        if field.name in ("alt", "label", "help", "body", "delta", "placeholder", "options", "caption", "tooltip"):
            yield from strings(list(value) if not isinstance(value, str) else value)
    for text in ("value", "label", "help"):
        with_text = getattr(node, text, None) if kind != "plotly_chart" else None
        if isinstance(with_text, str):
            yield with_text


@pytest.mark.parametrize("page", PAGES)
def test_people_meet_no_symbol(page: str):
    """Nothing that can be read, heard or pointed at holds a sign of mathematics."""
    app = opened(page, example="federated-learning", read="people")
    seen = list(texts(app._tree))
    assert len(seen) > 20 and any("noise" in text for text in seen)
    assert not sorted({text for text in seen if SYMBOLS.search(text)})


STARTING = ("adversary", "audit", "composition", "filters", "noise_sums", "privacy_loss", "subsampling")


@pytest.mark.parametrize("page", STARTING)
def test_a_page_that_starts_from_a_plan_says_where_that_is_made_otherwise(page: str):
    """An answer that no press counts stands beside the numbers of what is entered, and of nothing else."""
    daily = Plan([Release("Daily users", Gaussian(20.0, 1.0))], Guarantee(2, 1e-6), "person", "add_remove", 1000)
    answered = [None, Answers(uses_complete=False)]
    said = [
        [each.value for each in opened(page, plan=permalink.token(daily.with_(answers=answer))).warning]
        for answer in answered
    ]
    assert inputs.OTHERWISE not in said[0] and said[1].count(inputs.OTHERWISE) == 1
    asked = Document(daily, typed_shorter=(("Daily users", "weekly"),))
    assert inputs.UNSAID in [each.value for each in opened(page, plan=permalink.token(asked)).warning]
    if page == "noise_sums":
        typed = opened(page, plan=permalink.token(daily.with_(answers=answered[1])), nsource="Typed here")
        assert inputs.OTHERWISE not in [each.value for each in typed.warning]


def test_a_claim_of_a_plan_with_an_open_question_is_judged_with_that_word():
    """As on every page that starts from it; a claim from the literature is not the plan's."""
    plan = Plan([Release("Daily users", Gaussian(20.0, 1.0))], Guarantee(2, 1e-6), "person", "add_remove", 1000)
    asked = permalink.token(Document(plan, typed_shorter=(("Daily users", "weekly"),)))
    assert inputs.UNSAID in [each.value for each in opened("claims", plan=asked).warning]
    assert inputs.UNSAID not in [each.value for each in opened("claims", plan=permalink.token(plan)).warning]
