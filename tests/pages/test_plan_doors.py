"""The first visit: three doors, four questions, and the plan that comes of them."""

from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release, compose
from dpviz.plain import SYMBOLS
from dpviz.plan import RELATIONS
from dpviz.plan.kinds import KINDS
from dpviz.planning.accuracy import half_width
from dpviz.ui.plan import doors
from dpviz.ui.shell import examples, reading
from dpviz.ui.shell.document import filled_in
from tests.pages.workbench import (
    cells,
    document,
    edit,
    keys,
    opened,
    plain,
    plan_of,
    press,
    text,
    upload,
    verdict,
    whole,
)


def started(app: AppTest, **answers: object) -> AppTest:
    """The workbench after the four questions were answered."""
    for name, value in answers.items():
        kind = app.text_input if name in ("name", "budget", "off", "typical") else app.selectbox
        kind(key=f"own_{name}").set_value(value)
    return whole(next(each for each in app.button if each.label == "Start").click().run())


def test_a_first_visit_says_what_this_is_and_shows_an_example_at_work():
    """One sentence and three doors above the workbench; nothing is in the address until something is done."""
    app = opened()
    assert app.title[0].value == "What may be published, and what does it cost in privacy?"
    assert {f"door_{key}" for key in doors.SHOWN} <= keys(app) and "within budget" in verdict(app)
    assert plan_of(app) == examples.plan_of(examples.OPENED_FIRST) and not app.query_params
    assert not whole(app.run()).query_params and app.title


@pytest.mark.parametrize("act", [
    lambda app: edit(app, {0: {"count": "2"}}),
    lambda app: whole(app.text_input(key="eps").set_value("3").run()),
    lambda app: press(app, "keep_a"),
    lambda app: press(app, "start_empty"),
])  # fmt: skip
def test_whoever_does_something_has_begun(act):
    """The doors are gone then, and undo brings them not back."""
    app = act(opened())
    assert not app.title
    assert not press(app, "undo").title


def test_a_first_visit_lends_nothing_to_a_file():
    """What is opened there has not the promise of the example that stood there."""
    plan = plan_of(upload(opened(), "plan.csv", "name,mechanism,epsilon\nx,laplace,0.5\n"))
    assert plan.stated == {}


def test_four_answers_make_a_plan():
    """Whom and how long it protects, the budget, how often, and what is released first."""
    app = started(opened(), name="Unemployed")
    plan = plan_of(app)
    assert plan.unit == "person-year" and plan.budget == Guarantee(1.0, 1e-6)
    [release] = plan.releases
    assert (release.name, release.kind) == ("Unemployed", KINDS[0].key)
    assert release.mechanism.parameters == {"epsilon": 0.042}
    assert (release.start, release.end) == (filled_in.coming_year(), filled_in.last_day(release.start))
    assert release.start > date.today() and release.uses > 1
    assert document(app).name == "Plan of one person-year" and app.text_input(key="name").value == document(app).name
    assert "per **person-year**" in verdict(app) and cells(app).name[0] == "Unemployed"
    again = opened(plan=app.query_params["plan"])
    assert plan_of(again) == plan and not again.title


@pytest.mark.parametrize(("off", "typical"), [("36", "12300"), ("±0.5", ""), ("", "1300"), ("1e-3", "1")])
def test_the_first_release_is_as_accurate_as_is_asked_at_the_door(off: str, typical: str):
    """Also beyond the budget, which is said; without an error it leaves room for others, as ever."""
    app = started(opened(), name="Visits", off=off, typical=typical)
    [release] = plan_of(app).releases
    assert release.typical == (float(typical) if typical else None)
    if not off:
        assert release.mechanism.parameters == {"epsilon": 0.042}
        return
    number = off.removeprefix("±")
    width = half_width(release.mechanism)
    assert width <= float(number) and width == pytest.approx(float(number), rel=1e-12, abs=0)
    assert cells(app).noise[0] == f"±{float(number):g}" and cells(app).error[0].startswith(f"±{float(number):g}")
    assert ("within budget" in verdict(app)) == (compose(plan_of(app)).epsilon <= 1.0)


@pytest.mark.parametrize(("name", "value"), [("off", "0"), ("off", "much"), ("off", "-3"), ("typical", "inf")])
def test_an_accuracy_that_is_none_is_told_at_the_door(name: str, value: str):
    app = started(opened(), **{name: value})
    assert app.title and " must be " in app.error[0].value and app.text_input(key=f"own_{name}").value == value


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", [kind.label for kind in KINDS])
def test_a_relation_that_is_stated_at_the_door_is_the_plan_s(relation: str, kind: str):
    """Nothing asks for it again; a mean, which counts under one alone, says so where the other was chosen."""
    app = started(opened(), relation=relation, kind=kind, name="Visits")
    if (kind, relation) == ("mean", "add_remove"):
        assert app.title and "must be “replaced by another” for a mean" in plain(app.error[0].value)
    else:
        assert document(app).plan.relation == relation and app.selectbox(key="rel").value == relation
        assert "left out, or replaced by another?" not in text(app)
    emptied = opened()
    emptied.selectbox(key="own_relation").set_value(relation)
    assert document(emptied.button(key="door_empty").click().run()).plan.relation == relation


def test_a_relation_that_a_mean_needs_follows_and_is_told():
    app = started(opened(), kind="mean", name="Pay")
    assert plan_of(app).relation == "replace_one" and "“replaced by another” now, since a mean needs that" in text(app)


def test_an_empty_plan_keeps_the_day_from_which_it_counts():
    """What recurs begins then, also after its link was opened anew; a day that is none leaves the doors open."""
    app = opened()
    app.text_input(key="own_from").set_value("2026-01-01")
    app = app.button(key="door_empty").click().run()
    assert document(app).begin == date(2026, 1, 1)
    for each in (app, opened(plan=app.query_params["plan"])):
        [release] = plan_of(edit(each, {0: {"name": "Visits", "cadence": "weekly"}})).releases
        assert (release.start, release.occurrences) == (date(2026, 1, 1), 53)
    app = opened()
    app.text_input(key="own_from").set_value("2026")
    app = app.button(key="door_empty").click().run()
    assert app.title and any("From" in each.value for each in app.error)


@pytest.mark.parametrize(("period", "often"), [*zip(doors.PERIODS, doors.OFTEN, strict=False)])
def test_every_answer_makes_a_plan_that_counts(period: str, often: str):
    """The unit names the period; a release that recurs has dates, one that is made once a start."""
    app = started(opened(), whom="device", period=period, often=often, budget="3", kind=KINDS[-1].label)
    suffix = doors.PERIODS[period]
    plan = plan_of(app)
    assert plan.unit == (f"device-{suffix}" if suffix else "device") and plan.budget.epsilon == 3.0
    [release] = plan.releases
    assert release.name == "First release" and release.kind == KINDS[-1].key and release.start
    assert (release.uses == 1) == (doors.OFTEN[often] in ("once", "yearly"))
    assert "within budget" in verdict(app)


@pytest.mark.parametrize("whom", ["<b>user</b>", "x" * 200, "   ", "👩‍👩‍👧"])
def test_whatever_is_typed_as_whom_makes_a_plan_or_is_told(whom: str, monkeypatch: pytest.MonkeyPatch):
    """An answer of one's own is text; one that no plan may hold leaves the doors open and says why."""
    monkeypatch.setattr(doors, "WHOM", ("person", whom))  # the harness chooses from a list only
    app = started(opened(), whom=whom)
    if len(whom) > 80:
        assert app.title and any("“Unit of privacy” must be text" in each.value for each in app.error)
    else:
        assert plan_of(app).unit.startswith(whom.strip() or "person") and "<b>" not in text(app).replace(whom, "")


def test_what_cannot_be_a_plan_is_told_at_the_doors():
    """The budget of the question has an end; a file that is none says so, and the doors stay."""
    app = upload_at_door(opened(), "plan.json", b"{")
    assert app.title and "The plan was not read" in app.error[0].value
    for budget in ("0,001", "0", "1e9", "much"):
        app = started(opened(), budget=budget)
        assert app.title and "The budget must be a number from 0.01 to 1,000, not" in plain(app.error[0].value)


def upload_at_door(app: AppTest, name: str, content: bytes) -> AppTest:
    return whole(app.file_uploader[0].set_value((name, content, "text/plain")).run())


def test_a_file_opens_at_the_door():
    plan = Plan([Release("x", Laplace(3.0, 1))], Guarantee(0.7, 1e-9), "household")
    app = upload_at_door(opened(), "mine.json", plan.to_json().encode())
    assert plan_of(app) == plan and document(app).name == "mine" and not app.title


@pytest.mark.parametrize("name", ["year.xlsx", "YEAR.ODS"])
def test_a_spreadsheet_is_told_how_to_come_here(name: str):
    app = upload_at_door(opened(), name, b"PK\x03\x04 anything")
    assert any("save the spreadsheet as CSV" in each.value for each in app.error) and not app.exception


@pytest.mark.parametrize("key", doors.SHOWN)
def test_an_example_opens_at_the_door(key: str):
    app = press(opened(), f"door_{key}")
    assert plan_of(app) == examples.plan_of(key) and app.query_params["example"] == key
    assert plan_of(opened(example=key)) == plan_of(app)


def test_an_empty_table_is_a_beginning():
    """A table of blank rows; undo and reload lead nowhere strange; what is typed counts."""
    app = press(opened(), "door_empty")
    assert not app.title and "Nothing is released yet" in verdict(app) and cells(app).name.isna().all()
    app = edit(app, {0: {"name": "First"}})
    assert [each.name for each in plan_of(app).releases] == ["First"]
    app = press(app, "undo")
    assert not plan_of(app).releases and not app.title


def test_an_empty_table_keeps_what_stood_above_its_button():
    """A budget and a unit, typed or left as proposed."""
    app = opened()
    app.selectbox(key="own_whom").set_value("patient")
    app.text_input(key="own_budget").set_value("3")
    app = press(app, "door_empty")
    assert (plan_of(app).unit, plan_of(app).budget.epsilon, plan_of(app).releases) == ("patient-year", 3.0, ())
    untouched = plan_of(press(opened(), "door_empty"))
    assert (untouched.unit, untouched.budget.epsilon) == ("person-year", float(doors.USUAL_BUDGET))
    assert (untouched.budget.delta, untouched.population) == (doors.USUAL_DELTA, None)


@pytest.mark.parametrize("empty", [False, True])
def test_the_whole_promise_may_be_stated_at_the_door(empty: bool):
    """How seldom it may fail, in each way that the sentence takes, and how many people are in the data."""
    app = opened()
    app.text_input(key="own_delta").set_value("1 in 10 million")
    app.text_input(key="own_people").set_value("1,200,000")
    plan = plan_of(press(app, "door_empty")) if empty else plan_of(started(app))
    assert plan.budget.delta == 1e-7 and plan.population == 1_200_000 and len(plan.releases) == (not empty)


@pytest.mark.parametrize(("key", "value"), [("own_delta", "1"), ("own_delta", ""), ("own_people", "many")])
def test_a_promise_that_is_none_is_told_at_the_door(key: str, value: str):
    app = opened()
    app.text_input(key=key).set_value(value)
    app = press(app, "door_empty")
    assert app.title and " must be " in app.error[0].value and app.text_input(key=key).value == value


@pytest.mark.parametrize("read", reading.LEVELS)
def test_the_doors_are_read_at_every_level(read: str):
    """People meet no symbol there."""
    app = opened(read=read)
    inputs = [*app.selectbox, *app.text_input, *app.button]
    shown = [each.value for each in (*app.markdown, *app.caption, *app.title, *app.header)]
    shown += [each.label for each in inputs] + [each.help or "" for each in inputs if hasattr(each, "help")]
    assert not [each for each in shown if SYMBOLS.search(each)] or read != "people"


@pytest.mark.parametrize(("key", "value"), [("panel", "Fit to budget"), ("tab", "When"), ("columns", "dates")])
def test_an_address_without_a_plan_shows_the_doors(key: str, value: str):
    """Nothing else in it makes a plan."""
    assert opened(**{key: value}).title
