"""The plan page, driven without a browser: defaults, extremes, hostile addresses and files, bad cells."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.plan import NO_LIMIT
from dpviz.ui.shell import examples, plan_rows, shell, words

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "](javascript:alert(1))",
    "$$\\frac{",
    ":material/home:",
    "=cmd|'/c'!A1",
    "💥" * 20,
]


def opened(**parameters: str) -> AppTest:
    """The page at an address."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    for name, value in parameters.items():
        app.query_params[name] = value
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert app.title[0].value == "What does my plan cost, and is it within budget?"
    return app


def bars(app: AppTest) -> dict[str, float]:
    """What the chart shows."""
    [chart] = app.get("plotly_chart")
    return {trace["name"]: trace["x"][0] for trace in json.loads(chart.proto.spec)["data"]}


def metric(app: AppTest, label: str) -> str:
    return next(each.value for each in app.metric if each.label.startswith(label))


def edit(app: AppTest, **changes: object) -> AppTest:
    """Change the table as the browser does."""
    state = {"edited_rows": {}, "added_rows": [], "deleted_rows": [], **changes}
    app.session_state[app.session_state["table"]] = state
    return whole(app.run())


def upload(app: AppTest, name: str, content: str | bytes) -> AppTest:
    content = content.encode() if isinstance(content, str) else content
    return whole(app.file_uploader[0].set_value((name, content, "text/plain")).run())


def finding(app: AppTest) -> str:
    return app.markdown[0].value


def test_a_new_visitor_sees_a_finished_answer():
    """The first screen is the published example with its totals."""
    app = opened()
    assert "**user\\-day**" in finding(app) and "within the budget of ε = 4" in finding(app)
    assert metric(app, "Pure total") == "ε ≤ 2.64"
    assert bars(app)["Basic"] == 2.64
    assert len(app.metric) <= 4


@pytest.mark.parametrize("key", examples.BY_KEY)
def test_every_example_opens_by_its_address(key: str):
    """An address names an example; all theorems are drawn."""
    app = opened(example=key)
    assert bars(app)
    assert app.session_state["document"].plan == examples.plan_of(key)


def test_thirty_days_are_set_beside_one_day():
    """The same people, another unit: the contrast is shown and explained."""
    app = opened(example="mobility-30-days")
    text = "\n".join(each.value for each in app.markdown)
    assert metric(app, "Pure total") == "ε ≤ 79.2"
    assert "(pure 79.2)" in text and "(pure 2.64)" in text and "disjoint" in text


def test_the_contrast_is_parallel_composition():
    """2.64 for a user-day is what thirty disjoint days cost, by the core."""
    day = examples.plan_of("mobility")
    days = [Release(each.name, each.mechanism, each.count, f"day {n}") for n in range(30) for each in day.releases]
    from dpviz import compose

    assert compose(Plan(days, unit="user-day"), 0.0) == Guarantee(2.64)


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "-1"}, {"eps": "nan"}, {"eps": "1e999"}, {"eps": "1001"}, {"eps": "<script>"}, {"delta": "2"},
        {"delta": "x"},
        {"unit": "*" * 500}, {"unit": "\x00"}, {"unit": ""}, {"rel": "both"}, {"adaptive": "perhaps"}, {"read": "x"},
        {"like": "0"}, {"like": "99"}, {"example": "../../etc/passwd"}, {"example": "<b>"}, {"nonsense": "1"},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_addresses(parameters: dict):
    """A bad value falls back to the default, and the chart is there."""
    app = opened(**parameters)
    assert bars(app)["Basic"] == 2.64
    assert "ε = 4" in finding(app)


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "0"}, {"eps": "1000"}, {"delta": "0"}, {"delta": "0.5"}, {"delta": "1e-30"}, {"adaptive": "true"},
        {"rel": "replace_one"}, {"read": "words"}, {"example": "sherpa-notebook", "delta": "0"},
        {"example": "sherpa-notebook", "delta": "0.005"}, {"example": "sherpa-notebook", "eps": "0"},
    ],
    ids=str,
)  # fmt: skip
def test_extremes(parameters: dict):
    """Every allowed value gives an answer and a chart with all theorems."""
    assert len(bars(opened(**parameters))) >= 5


def test_over_budget_offers_a_next_step():
    """Over budget, the page says by how much, and its buttons make the plan fit."""
    for button in ("lower_count", "raise"):
        app = opened(example="lecture-11", eps="0.05")
        assert "more than the budget" in finding(app)
        assert any("Over the budget by" in each.value for each in app.markdown)
        assert "within the budget" in finding(whole(app.button(key=button).click().run()))


def test_an_exactly_used_budget():
    """A plan that uses its budget up is within it, and nothing more fits."""
    app = opened(example="mobility", eps="2.64", delta="0")
    assert "within the budget" in finding(app) and metric(app, "Room") == "nothing"


def test_an_empty_plan_is_designed():
    """Without releases there is an invitation, and it leads somewhere."""
    app = whole(opened().selectbox(key="example").set_value("own").run())
    assert "Nothing is released yet" in finding(app) and not app.get("plotly_chart")
    assert bars(whole(app.button(key="open_first").click().run()))["Basic"] == 2.64


def test_editing_undoing_and_starting_again():
    """Cells change, rows come and go, and both undo buttons return."""
    app = edit(opened(), edited_rows={0: {"count": "5"}})
    assert metric(app, "Pure total") == "ε ≤ 2.75"
    app = edit(app, edited_rows={0: {"count": "5"}}, deleted_rows=[1])
    assert metric(app, "Pure total") == "ε ≤ 2.31"
    whole(app.button(key="undo").click().run())
    assert metric(app, "Pure total") == "ε ≤ 2.75"
    whole(app.button(key="reopen").click().run())
    assert metric(app, "Pure total") == "ε ≤ 2.64"


def test_added_rows_count():
    """A new row is part of the total."""
    app = edit(opened(), added_rows=[{"name": "One more", "mechanism": "Randomized response", "epsilon": "0.36"}])
    assert metric(app, "Pure total") == "ε ≤ 3"


@pytest.mark.parametrize(
    "cell", [{"epsilon": "-1"}, {"epsilon": "lots"}, {"count": "1e10"}, {"count": "99999999999"}, {"sigma": "1"}]
)
def test_bad_cells_lose_nothing(cell: dict):
    """One sentence where it was typed; the headline names the row and the others count; a repair counts."""
    app = edit(opened(), edited_rows={2: cell})
    [error] = app.error
    assert "Row 3" in error.value
    assert "**Not counted: row 3**" in finding(app) and metric(app, "Pure total") == "ε ≤ 1.76"
    [row] = app.session_state["document"].uncounted
    assert row.position == 2 and cell.items() <= dict(row.cells).items()
    [column] = cell
    good = {"epsilon": "0.22", "count": "4", "sigma": None}[column]
    app = edit(app, edited_rows={2: {column: good}})
    assert not app.error and metric(app, "Pure total") == "ε ≤ 2.64"


@pytest.mark.parametrize("label", plan_rows.KEYS)
def test_a_new_row_of_any_mechanism_makes_sense(label: str):
    """Choosing a mechanism brings what it takes; what was typed and fits stays."""
    app = edit(opened(), added_rows=[dict(plan_rows.NEW_ROW)])
    count = len(app.session_state["document"].plan.releases)
    app = edit(app, added_rows=[{**plan_rows.NEW_ROW, "mechanism": label}])
    assert not app.error and len(app.session_state["document"].plan.releases) == count
    assert app.session_state["document"].plan.releases[-1].mechanism.key == plan_rows.KEYS[label]


def test_a_typed_value_is_never_replaced():
    """Where the mechanism takes it, it stays, even if it is wrong; and the row waits for a repair."""
    cells = {"name": "Survey", "mechanism": "Randomized response", "epsilon": "0,05", "sensitivity": "1", "count": "1"}
    app = edit(opened(), added_rows=[cells])
    [row] = app.session_state["document"].uncounted
    assert dict(row.cells)["epsilon"] == "0,05" and "Row 10" in app.error[0].value


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str):
    """A name is text, wherever it stands."""
    plan = Plan([Release(name[:80], Laplace.from_epsilon(0.5), 9)], Guarantee(1.0, 1e-6), unit=name[:80])
    app = upload(opened(), "plan.json", plan.to_json())
    assert app.session_state["document"].plan == plan
    assert bars(app) and "more than the budget" in finding(app)
    assert all("<img" not in each.value.replace("\\<", "") for each in app.markdown)


def test_opening_a_json_brings_the_whole_plan():
    """Budget, unit and relation come with the file."""
    plan = Plan([Release("x", RandomizedResponse(0.5))], Guarantee(0.7, 1e-9), "household", "replace_one", 100, True)
    app = upload(opened(), "plan.json", plan.to_json())
    assert app.session_state["document"].plan == plan
    assert app.selectbox(key="example").value == "own"
    assert app.number_input(key="eps").value == 0.7


def test_opening_a_csv_states_no_promise():
    """A CSV brings releases only: the promise of what was open before is not theirs, and the page asks for one."""
    app = upload(opened(), "plan.csv", "name,mechanism,epsilon\nx,laplace,0.5\n")
    plan = app.session_state["document"].plan
    assert (plan.budget, plan.unit, plan.relation) == (NO_LIMIT, "person", None)
    assert metric(app, "Pure total") == "ε ≤ 0.5" and metric(app, "Budget") == "no limit"
    assert any("does not say whom" in each.value for each in app.warning)
    half = whole(app.text_input(key="unit").set_value("household").run())
    assert any("does not say whom" in each.value for each in half.warning)
    told = whole(app.number_input(key="eps").set_value(2.0).run())
    assert not any("does not say whom" in each.value or "Only the word" in each.value for each in told.warning)
    whole(told.button(key="undo").click().run())
    whole(told.button(key="undo").click().run())
    whole(app.button(key="undo").click().run())
    assert metric(app, "Pure total") == "ε ≤ 2.64"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plan.csv", b""),
        ("plan.csv", b"\xff\xfe\x00"),
        ("plan.csv", b"name,mechanism,epsilon\nx,laplace,-1\ny,magic,2\n"),
        ("plan.json", b"{"),
        ("plan.json", b'{"dpviz_plan": 99, "releases": []}'),
        ("plan.json", b"[" * 100_000),
        ("plan.json", b'{"dpviz_plan": 1, "releases": [{"name": "**x**", "mechanism": "laplace", "epsilon": 1e999}]}'),
    ],
)
def test_bad_files_lose_nothing(name: str, content: bytes):
    """What is wrong is said where the file was opened, and the plan stays."""
    app = upload(opened(), name, content)
    assert len(app.error) == 1 and "The plan was not read" in app.error[0].value
    assert bars(app)["Basic"] == 2.64


def test_long_plans_are_shown_without_an_editor():
    """A plan of thousands of rows opens, and is answered."""
    rows = "\n".join(f"release {n},laplace,0.001" for n in range(3000))
    app = upload(opened(), "plan.csv", f"name,mechanism,epsilon\n{rows}\n")
    assert metric(app, "Pure total") == "ε ≤ 3"


def test_relation_that_parts_forbid():
    """A choice that the plan does not allow gets a sentence where it was made."""
    plan = Plan([Release("x", RandomizedResponse(0.5), 1, "North")], Guarantee(1.0, 1e-6))
    app = upload(opened(), "plan.json", plan.to_json())
    whole(app.selectbox(key="rel").set_value("replace_one").run())
    assert len(app.error) == 1 and "replace" in app.error[0].value
    assert app.session_state["document"].plan.neighbours == "add_remove"


def test_the_page_says_what_it_assumes():
    """Ideal noise, and sensitivity per unit, are said."""
    text = " ".join(each.value for each in opened().caption)
    assert "ideal" in text and "L1 for Laplace" in text and "histogram" in text


def test_undo_returns_the_box_to_the_example_it_names():
    at = opened()
    at.selectbox(key="example").set_value("sherpa-notebook").run()
    at.button(key="undo").click().run()
    assert at.selectbox(key="example").value == "mobility"
    assert at.text_input(key="unit").value == "user-day"


def test_the_other_unit_is_quoted_under_the_same_promise():
    """Once releases are chosen along the way, neither unit may quote tight accounting."""
    at = opened()
    assert any("user-month: ε = 21.98" in each.value for each in at.markdown)
    at.toggle(key="adaptive").set_value(True).run()
    assert any("user-month: ε = 79.2" in each.value for each in at.markdown)


ASKED = "Something was changed after a release was done"


def test_a_release_that_is_done_changes_nothing():
    """What is logged as done stays fixed in advance, until something is changed: then it is asked."""
    app = opened(example="lecture-11", eps="10")
    before = metric(app, "Total")
    app = edit(app, edited_rows={0: {"done": "yes"}})
    assert metric(app, "Total") == before and "fixed in advance" in finding(app)
    assert not any(ASKED in each.value for each in app.warning)
    app = edit(app, edited_rows={0: {"done": "yes", "count": "400"}})
    assert any(ASKED in each.value for each in app.warning)
    advance = whole(app.button(key="in_advance").click().run())
    assert "fixed in advance" in finding(advance) and not any(ASKED in each.value for each in advance.warning)
    whole(advance.button(key="undo").click().run())
    results = whole(app.button(key="on_results").click().run())
    assert "chosen along the way" in finding(results) and results.toggle(key="adaptive").value


def test_a_dated_release_costs_every_day_of_its_schedule():
    """The total is that of all uses."""
    cells = {"start": "2026-01-01", "cadence": "daily", "end": "2026-01-10"}
    app = edit(opened(example="lecture-11", eps="10"), edited_rows={0: cells})
    assert metric(app, "Pure total") == "ε ≤ 5"


def test_another_word_for_the_unit_is_no_other_promise():
    """Typing user-month over a day's counts is answered by a warning, and by a button that counts the month."""
    app = opened()
    app = whole(app.text_input(key="unit").set_value("user-month").run())
    assert any("Only the word has changed" in each.value for each in app.warning)
    app = whole(app.button(key="longer_unit").click().run())
    assert metric(app, "Pure total") == "ε ≤ 79.2" and not app.warning


@pytest.mark.parametrize("unit", ["household", "user-hour", "person"])
def test_a_unit_without_a_longer_period_is_only_warned_of(unit: str):
    """Where periods do not tell how often more, no count is offered."""
    app = whole(opened().text_input(key="unit").set_value(unit).run())
    assert app.warning and "longer_unit" not in [button.key for button in app.button]


def test_what_no_theorem_bounds_is_not_used_up():
    """Chosen along the way, with noise that states no pair: there is no total, so nothing is over or spent."""
    app = whole(opened(example="weekly-dashboard").toggle(key="adaptive").set_value(True).run())
    assert metric(app, "Total at") == "none" and metric(app, "Room") == "none"
    notes = {each.label: each.delta for each in app.metric}
    assert notes["Room for one more"] == "no theorem bounds it" and notes["Budget"] == "no total to compare"
    assert any("How many more fit cannot be said" in each.value for each in app.markdown)


def test_another_relation_is_no_other_promise():
    """Counts and sensitivities stay those of one added or removed; a change of them, or back, ends the warning."""
    app = whole(opened().selectbox(key="rel").set_value("replace_one").run())
    [warning] = [each.value for each in app.warning]
    assert "meant for one **user\\-day** added or removed" in warning and "twice as large" in warning
    assert not whole(app.selectbox(key="rel").set_value("add_remove").run()).warning


def test_the_note_on_the_relation_speaks_of_what_the_plan_says():
    """As it was opened, it is silent; typed anew, it goes by the sensitivities; the other way round, it says so."""
    old, doubled = Release("visits", Laplace(10.0)), Release("visits", Laplace(20.0, 2.0))
    added, replaced = (Plan([old], relation=relation) for relation in ("add_remove", "replace_one"))
    own = Plan([])
    assert words.relation_note(added, added) is words.relation_note(replaced, replaced) is None
    assert "added or removed" in words.relation_note(added, replaced)
    assert "replaced by another" in words.relation_note(replaced, added)
    assert "“visits” has sensitivity 1" in words.relation_note(own, replaced).replace("\\", "")
    assert words.relation_note(added, Plan([doubled], relation="replace_one")) is None
    assert words.relation_note(own, Plan([], relation="replace_one")) is None


@pytest.mark.parametrize("changes", [{"deleted_rows": [99]}, {"edited_rows": {99: {"count": "5"}}}])
def test_changes_of_rows_that_are_not_there(changes: dict):
    """A browser that shows an older table starts anew with this one."""
    app = edit(opened(), **changes)
    assert metric(app, "Pure total") == "ε ≤ 2.64"


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e999", "NaN"])
@pytest.mark.parametrize("name", ["eps", "delta", "like"])
def test_endless_numbers_in_the_address(name: str, value: str):
    """They are no values: the default stands, and the page says nothing went wrong."""
    app = opened(**{name: value})
    assert "ε = 4" in finding(app)


def test_a_schedule_beyond_the_unit_is_held_to_one_unit():
    """Thirty days of a release per day: a user-day meets one of them, which is what its promise is about."""
    days = Release("Visits", Laplace.from_epsilon(0.5), start="2026-04-01", cadence="daily", end="2026-04-30")
    app = upload(opened(), "plan.json", Plan([days], Guarantee(1.0, 0.0), "user-day").to_json())
    assert finding(app).startswith("This release") and "**ε = 0.5**" in finding(app) and "within" in finding(app)
    [note] = [each.value for each in app.info if "beyond one" in each.value]
    assert "not of all 30, at most **ε = 15**" in note and metric(app, "Room") == "ε ≤ 0.5"
    assert not opened().info


def test_the_warning_of_another_word_survives_an_edit():
    """As long as any row is as it was opened, it may be meant for the former unit."""
    app = whole(opened().text_input(key="unit").set_value("household").run())
    app = edit(app, edited_rows={0: {"count": "5"}})
    assert any("Only the word has changed" in each.value for each in app.warning)
