"""Numbers as people type them: what each spelling means to every box, or a sentence on why that is not known."""

import ast
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dpviz.ui.shell.typed import shown, within

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([ROOT / "app.py", *(ROOT / "dpviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
LOSS, PEOPLE = (0.0, 1000.0), (1, 10**13)
# What is typed, and what it means as a loss up to 1000, and as a number of people; None: it is refused.
SPELLINGS = [
    ("0.5", 0.5, None), ("0,5", 0.5, None), (".5", 0.5, None), (",5", 0.5, None), ("5", 5, 5), ("+5", 5, 5),
    ("05", 5, 5), ("5.0", 5, 5), ("5,0", 5, 5), (" 5 ", 5, 5), ("5.", 5, 5), ("1e-6", 1e-6, None),
    ("1E-6", 1e-6, None), ("1,5e-3", 1.5e-3, None), ("2.5e2", 250, 250), ("5e5", None, 500000), ("5E+5", None, 500000),
    ("1e30", None, None), ("1e999", None, None), ("1e-999", None, None), ("1e-300", 1e-300, None), ("0", 0, None),
    ("0,050", 0.05, None), ("0.050", 0.05, None), ("1.000", None, None), ("1,000", None, 1000),
    ("500.000", 500, None), ("500,000", 500, 500000), ("1.234", 1.234, 1234), ("1,234", 1.234, 1234),
    ("12.345", 12.345, 12345), ("12,3456", 12.3456, None), ("1.0000", 1, 1), ("1,000,000", None, 10**6),
    ("1.000.000", None, 10**6), ("1 000 000", None, 10**6), ("1'000'000", None, 10**6), ("1_000", 1000, 1000),
    ("500\u00a0000", None, 500000), ("500\u202f000", None, 500000), ("1 000.5", None, None), ("1.000,5", None, None),
    ("1,000.5", None, None), ("10 00", None, None), ("0 5", None, None), ("1/20", None, None), ("20 %", None, None),
    ("5%", None, None), ("\u2212" + "5", None, None), ("-5", None, None), ("-0", 0, None), ("", None, None),
    ("ε 0.5", None, None), ("half", None, None), ("0.5.1", None, None), ("1e", None, None), ("0x10", None, None),
    ("10^-6", None, None), ("nan", None, None), ("inf", None, None), ("∞", None, None), ("\u0665", None, None),
    ("1.2 million", None, 1_200_000), ("0,5 thousand", 500, 500), ("2thousand", None, 2000), ("million", None, None),
    ("1.000 million", None, None), ("0.0001 thousand", 0.1, None), ("1e-999 million", None, None),
    ("½", None, None), ("9" * 50, None, None), ("1;5", None, None), ("true", None, None), ("None", None, None),
]  # fmt: skip


def read(text: str, ends: tuple[float, float], whole: bool) -> float | None:
    try:
        return within(text, "it", ends, whole)
    except ValueError as error:
        assert str(error).startswith("it must be ") and len(str(error)) < 150
        return None


def test_every_spelling_means_one_thing_or_is_refused():
    found = [(text, read(text, LOSS, False), read(text, PEOPLE, True)) for text, *_ in SPELLINGS]
    assert len(SPELLINGS) >= 60 and found == SPELLINGS


@pytest.mark.parametrize(("text", "offered"), [("1,000", ("1", "1000")), ("999.000", ("999", "999000"))])
def test_what_is_unclear_is_offered_in_spellings_that_are_clear(text: str, offered: tuple[str, str]):
    with pytest.raises(ValueError, match=f"must be {offered[0]} or {offered[1]}, written like that"):
        within(text, "it", (0, 1e9))
    assert [read(each, (0, 1e9), whole=False) for each in offered] == [int(each) for each in offered]
    meant = int(offered[1]) if "," in text else None  # nobody types zeros after the comma of a whole number
    assert read(text, (0, 1e9), whole=True) == meant


@given(st.floats(0, 1e300) | st.integers(0, 10**15))
def test_what_a_box_shows_is_read_again(value: float):
    """To the last digit, whatever else is allowed; and a German who writes a comma for the point means the same."""
    text = shown(value)
    assert read(text, (0, math.inf), whole=False) == value
    if "." in text:
        assert read(text.replace(".", ","), (0, math.inf), whole=False) == value


@given(st.text(max_size=12), st.booleans())
def test_whatever_is_typed_is_a_number_of_the_interval_or_refused(text: str, whole: bool):
    value = read(text, (1, 50), whole)
    assert value is None or (1 <= value <= 50 and not (whole and value % 1))


def test_every_number_of_every_page_is_typed_into_the_one_box():
    """No page draws a browser's own box of numbers: it drops a decimal comma, and what it does not know, in silence."""
    calls = [
        (path.name, node.func.attr) for path in FILES for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]  # fmt: skip
    assert not [path for path, name in calls if name == "number_input"]
    assert sum(name in ("number", "count", "epsilon", "delta") for _, name in calls) > 35, "the test sees the boxes"


def boxes():
    import streamlit as st

    from dpviz.ui.shell import inputs

    st.session_state["loss"] = inputs.number("Loss", "loss_box", (0.0, 1000.0), 3.5)
    st.session_state["people"] = inputs.number("People", "people_box", (1, 10**13), None, whole=True)


def test_every_spelling_in_a_box_counts_as_meant_or_leaves_the_last_one_with_a_sentence():
    """What is taken is shown as it is taken; what is refused stays as it was typed."""
    app = AppTest.from_function(boxes).run()
    last = {"loss": 3.5, "people": None}
    for text, *meant in SPELLINGS:
        for key in last:
            app.text_input(key=f"{key}_box").set_value(text)
        app.run()
        refused = 0
        for key, value in zip(last, meant, strict=True):
            empty = key == "people" and not text
            last[key] = value if value is not None or empty else last[key]
            refused += value is None and not empty
            assert app.session_state[key] == last[key], text
            assert app.text_input(key=f"{key}_box").value == (text if value is None else shown(value))
        assert len(app.error) == refused and all("Until then" in each.value for each in app.error)
        assert not app.exception


def test_an_empty_box_says_no_number_where_it_may():
    app = AppTest.from_function(boxes).run()
    app.text_input(key="people_box").set_value("many").run()
    assert "Until then none is set" in app.error[0].value and app.session_state["people"] is None
    app.text_input(key="people_box").set_value("500000").run()
    app.text_input(key="people_box").set_value("").run()
    assert not app.error and app.session_state["people"] is None


def test_an_address_holds_decimal_points_and_what_is_none_falls_back():
    for linked, value in (("6.786", 6.786), ("1.000", 1.0), ("1e-06", 1e-6), ("much", 3.5), ("", 3.5), ("1e9", 3.5)):
        app = AppTest.from_function(boxes)
        app.query_params["loss_box"] = linked
        app.run()
        assert app.session_state["loss"] == value and not app.error and not app.exception
