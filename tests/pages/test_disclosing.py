"""What is stated beside the numbers, typed under Share: kept with the plan, one step of undo each, and nothing lost."""

from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpviz import Disclosure, Guarantee, Laplace, Plan, Release, compose
from dpviz.plan import Document
from dpviz.plan.disclosure import DISCLOSED, NOT_STATED
from dpviz.planning.advice import checks
from dpviz.report import Subject, markdown
from dpviz.report.said import not_answered
from dpviz.ui.shell import examples
from dpviz.ui.shell.disclosing import REFUSED
from tests.pages.workbench import keys, opened, plan_of, press, whole

PLAN = Plan([Release("Visits", Laplace(10, 1), done=True)], unit="person", disclosure=Disclosure(owner="Unit 4"))


def opens(app: AppTest) -> AppTest:
    """The page with the form open: what a browser says of a line that opens, no test does by itself."""
    app.session_state["disclosing"] = app.session_state["asked_in_words"] = True
    return whole(app.run())


def boxed(app: AppTest, name: str):
    """The box of a field, whose key ends with the revision of the document."""
    return next(box for box in app.text_area if box.key.startswith(f"disclosed_{name}"))


def typed(app: AppTest, text: str) -> AppTest:
    box = boxed(app, "trust").set_value(text)
    app.session_state["disclosing"] = app.session_state["asked_in_words"] = True
    return opens(whole(box.run()))


def test_a_text_is_kept_with_the_plan_and_undone():
    """The form opens with what is stated; an edit asks no question; what is refused stays where it was typed."""
    app = opened(Document(PLAN))
    assert not [box for box in app.text_area if box.key.startswith("disclosed_")]
    opens(app)
    assert len(app.text_area) == len(DISCLOSED) and boxed(app, "owner").value == "Unit 4"
    assert {box.placeholder for box in app.text_area} == {NOT_STATED}
    typed(app, "Central: <b>the office</b>.")
    assert plan_of(app).disclosure == Disclosure(owner="Unit 4", trust="Central: <b>the office</b>.")
    assert app.session_state["document"].questions == ()
    typed(app, "a\x00b")
    assert boxed(app, "trust").value == "a\x00b" and REFUSED in [each.value for each in app.error]
    assert plan_of(app).disclosure.trust == "Central: <b>the office</b>."
    typed(app, "")
    assert plan_of(app).disclosure == Disclosure(owner="Unit 4")
    asked = "So far, {} printed there as not answered yet."
    assert asked.format("3 questions are") in [each.value for each in app.caption]
    assert [box.label for box in app.text_area][:3] == not_answered(plan_of(app)), "in the words of that page"
    safe = whole(boxed(app, "security").set_value("A safe.").run())
    assert asked.format("2 questions are") in [each.value for each in safe.caption]
    assert "How are the exact data kept secret?" not in not_answered(plan_of(safe))
    stated = Disclosure(unprotected="None.", other_releases="None.", side_channels="By the system.", security="A safe.")
    every = opened(replace(PLAN, disclosure=stated))
    assert "All of them are answered." in [each.value for each in every.caption]


def test_a_plan_that_nobody_named_is_given_the_title_of_its_statement():
    """Beside the author; it is the plan's name, in the head, too, and follows an undo and a name typed there."""
    app = opened(Document(PLAN, examples.own_name(PLAN.unit_in_words)))
    title = next(box for box in app.text_input if box.label == "Title")
    assert title.value == "" and title.placeholder == NOT_STATED
    whole(title.set_value("Visits of 2028").run())
    assert app.session_state["document"].name == "Visits of 2028" == app.text_input(key="name").value
    whole(app.text_input(key="name").set_value("Visits").run())
    assert next(box.value for box in app.text_input if box.label == "Title") == "Visits"
    press(press(app, "undo"), "undo")
    assert next(box.value for box in app.text_input if box.label == "Title") == ""
    emptied = whole(next(box for box in app.text_input if box.label == "Title").set_value("x").run())
    emptied = whole(next(box for box in emptied.text_input if box.label == "Title").set_value("").run())
    assert next(box.value for box in emptied.text_input if box.label == "Title") == ""
    example = opened(Document(PLAN, examples.EXAMPLES[0].key))
    assert next(box.value for box in example.text_input if box.label == "Title") == examples.EXAMPLES[0].label


def test_one_row_of_each_is_stated_where_a_statement_would_say_that_nobody_has():
    """By a press beside the statement, which then says it no more; undo takes it back."""
    counted = Release("Stall holders", Laplace(10.0), kind="count")
    typed_one = Release("Meals", Laplace(10.0, 1.0), kind="count")  # which the press says nothing of
    plan = Plan([counted, typed_one], Guarantee(2.0, 1e-8), "person-year")
    assert [each.rows for each in checks(plan) if each.check == "contributions"] == [(1,)]
    app = opened(plan)
    unsaid = "“Stall holders” counts one person at most once (assumed)"
    asked = "Can one release count one person more than once (“Stall holders”)? Then more may be lost than is told"
    assert any(asked in each.value.replace("\\", "") for each in app.caption)
    assert unsaid in markdown(Subject(plan, people=True))
    stated = press(app, "one_row")
    assert [each.rows for each in plan_of(stated).releases] == [1, None] and "one_row" not in keys(stated)
    assert [each.rows for each in checks(plan_of(stated)) if each.check == "contributions"] == [(1,)], "still open"
    assert unsaid not in markdown(Subject(plan_of(stated), people=True))
    assert compose(plan_of(stated)) == compose(plan)
    assert plan_of(press(stated, "undo")) == plan
    assert "one_row" not in keys(opened(plan, read="people")), "who reads so is told it, and asked by the checks"
    own_words = replace(plan, disclosure=Disclosure(contributions="One stall a day."))
    assert "one_row" not in keys(opened(own_words))


@pytest.mark.parametrize("level", ["numbers", "people"])
@pytest.mark.parametrize("name", ["Our year", examples.own_name("person-year")])
def test_a_name_that_nobody_gave_stays_off_the_page_for_people(monkeypatch: pytest.MonkeyPatch, name: str, level: str):
    """It names the unit as people are not told it; the statement with theorems has either name."""
    found, offer = {}, st.download_button

    def offered(label: str, data: object, *given, key: str, **options) -> bool:
        if key in ("report_words", "report_html"):
            found[key] = data()
        return offer(label, data, *given, key=key, **options)

    monkeypatch.setattr(st, "download_button", offered)
    opened(Document(Plan([Release("Visits", Laplace(10, 1))], Guarantee(2.0, 0.0), "person-year"), name), read=level)
    for_people, *others = [found[key] for key in ("report_words", "report_html") if key in found]
    assert (name in for_people) == (name == "Our year")
    assert len(others) == (level == "numbers") and all(name in each for each in others)
