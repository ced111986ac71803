"""The panel “Add, edit or remove”: its inputs are cells, rows come and go, a sensitivity is found."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dpviz import (
    DiscreteGaussian,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    TrainedModel,
    compose,
)
from dpviz.plan.sensitivity import sensitivity
from dpviz.planning.accuracy import half_width
from dpviz.rounding import shown_up
from dpviz.ui.plan import drawer
from dpviz.ui.shell import plan_rows, refusals
from dpviz.ui.shell.document import table_state
from tests.effort import examples
from tests.pages.workbench import (
    RELEASE,
    cells,
    document,
    edit,
    keys,
    opened,
    plain,
    plan_of,
    press,
    text,
    verdict,
    whole,
)

PLAN = Plan(
    [
        Release("visits", Laplace(10.0, 1), 4, typical=5.0, kind="count"),
        Release("ages", Gaussian(8.0, 1), typical=400.0, weight=2.0, answer_unit="years"),
        Release("choice", RandomizedResponse(0.1)),
    ],
    Guarantee(3.0, 1e-6),
)


def drawn(plan: Plan = PLAN, **parameters: str) -> AppTest:
    return opened(plan, panel=RELEASE, **parameters)


def typed(app: AppTest, column: str, value: str | None) -> AppTest:
    """Fill in one field of the drawer."""
    widget = app.selectbox if drawer.CELLS[column].options else app.text_input
    return whole(widget(key=f"cell_{column}").set_value(value).run())


def fields(app: AppTest) -> set[str]:
    """The fields of the drawer that are drawn."""
    drawn_keys = [each.key for each in (*app.text_input, *app.selectbox)]
    return {key.removeprefix("cell_") for key in drawn_keys if key.startswith("cell_")}


def test_every_field_of_a_release_is_an_input():
    """All columns of the table, in words; the bounds are one field; people see no noise, and no other expert field."""
    app = drawn(replace(PLAN, releases=tuple(replace(each, kind="histogram") for each in PLAN.releases)), row="2")
    inputs = fields(app)
    assert inputs == set(drawer.CELLS) - set(drawer.IN_WORDS) - {"averaged", "batches"}  # of means, and of trainings
    assert set(plan_rows.COLUMNS) - inputs == {"lower", "upper", "averaged"}
    assert app.text_input(key="cell_noise").value == "σ 8" and app.text_input(key="cell_weight").value == "2"
    people = drawn(row="2", read="people")
    shown = fields(people)
    assert not shown & set(drawer.EXPERT) and {"name", "within"} <= shown


def test_people_set_randomized_answers_by_how_many_stay_true():
    """The loss that belongs to it is what the row holds then; a number that is none is told where it stands."""
    app = drawn(row="3", read="people")
    assert app.text_input(key="cell_true").value == "52.5" and "52.5 of 100 answers stay as given" in str(cells(app))
    app = app.text_input(key="cell_true").set_value("75").run()
    assert math.isclose(plan_of(app).releases[2].mechanism.stated.epsilon, math.log(3), rel_tol=1e-5)
    for wrong in ("50", "100", "x", "-3"):
        app = app.text_input(key="cell_true").set_value(wrong).run()
        assert any("Answers that stay true" in plain(each.value) for each in app.error)
        assert math.isclose(plan_of(app).releases[2].mechanism.stated.epsilon, math.log(3), rel_tol=1e-5)


@pytest.mark.parametrize("text", ["20", "± 2.5"])
def test_people_set_noise_by_how_far_a_number_may_lie_off(text: str):
    """It is the wanted error of the table; a number that none is stays typed; what has no error has no such field."""
    app = drawn(row="2", read="people")
    assert app.text_input(key="cell_within").value == shown_up(half_width(PLAN.releases[1].mechanism), 3)
    asked = float(text.strip("± "))
    after = typed(app, "within", text)
    assert 0.99 * asked < half_width(plan_of(after).releases[1].mechanism) <= asked
    assert document(after) == document(edit(drawn(), {1: {"noise": f"±{text.strip('± ')}"}}))
    emptied = typed(drawn(row="2", read="people"), "within", "")
    assert plan_of(emptied) == PLAN and emptied.text_input(key="cell_within").value
    assert "“ages” does not" in verdict(typed(drawn(row="2", read="people"), "within", "far"))
    assert "cell_within" not in keys(drawn(row="3", read="people"))


EDITS = [
    ("name", "Visits"), ("noise", "ε 0.5"), ("noise", "±20"), ("sensitivity", "2"), ("count", "7"),
    ("mechanism", "Gaussian"), ("mechanism", "Randomized response"), ("cadence", "monthly"), ("start", "2026-03-01"),
    ("typical", "12"), ("answer_unit", "persons"), ("weight", "3"), ("part", "North"), ("done", "yes"),
    ("noise", "lots"), ("count", "-1"), ("start", "1.3.2026"), ("kind", list(plan_rows.KIND_KEYS)[1]),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), EDITS, ids=str)
def test_an_edit_in_the_drawer_is_an_edit_of_the_table(column: str, value: str):
    """The same document, with what is filled in, with what is wrong and stays typed, and with the questions."""
    here, there = typed(drawn(), column, value), edit(drawn(), {0: {column: value}})
    assert document(here) == document(there) and verdict(here) == verdict(there)


def test_what_is_wrong_is_told_in_the_drawer_and_stays_typed():
    app = typed(drawn(), "noise", "0,5")
    assert app.text_input(key="cell_noise").value == "0,5" and "**“visits” does not count yet**" in verdict(app)
    assert len([each for each in app.error if "0,5" in plain(each.value)]) == 1  # beneath its fields, and not twice
    assert not typed(app, "noise", "ε 0.5").error


def test_bounds_are_one_field():
    """“0 to 40” is both ends; an end alone is no range, and is told."""
    app = typed(drawn(), "bounds", "0 to 40")
    assert (plan_of(app).releases[0].lower, plan_of(app).releases[0].upper) == (0.0, 40.0)
    assert app.text_input(key="cell_bounds").value == "0 to 40"
    app = typed(app, "bounds", "")
    assert plan_of(app).releases[0].lower is None
    assert "does not count yet" in verdict(typed(app, "bounds", "40"))


def test_rows_are_added_copied_and_removed():
    """What is added is looked at; a copy is the same release; undo brings back what was removed."""
    app = press(drawn(row="2"), "row_copy")
    assert [each.name for each in plan_of(app).releases] == ["visits", "ages", "choice", "ages"]
    assert plan_of(app).releases[3] == PLAN.releases[1] and app.selectbox(key="row").value == 4
    app = whole(app.text_input(key="cell_name").set_value("heights").run())  # called otherwise, it is not the first one
    assert [each.name for each in plan_of(app).releases] == ["visits", "ages", "choice", "heights"]
    assert app.selectbox(key="row").value == 4 and app.text_input(key="cell_name").value == "heights"
    app = press(app, "row_add")
    assert plan_of(app).releases[4].name == "New release" and app.text_input(key="cell_name").value == "New release"
    app = press(press(app, "row_remove"), "row_remove")
    assert len(plan_of(app).releases) == 3
    app = press(app, "undo")
    assert len(plan_of(app).releases) == 4


def test_rows_are_moved():
    """What is moved is still looked at; at either end there is no further; undo and redo are one step each."""
    app = press(drawn(row="1"), "row_arrow_downward")
    assert [each.name for each in plan_of(app).releases] == ["ages", "visits", "choice"]
    assert app.text_input(key="cell_name").value == "visits" and app.query_params["row"] == "2"
    app = press(press(app, "row_arrow_upward"), "undo")
    assert [each.name for each in plan_of(app).releases] == ["ages", "visits", "choice"]
    app = press(app, "redo")
    assert plan_of(app) == PLAN
    assert drawn(row="1").button(key="row_arrow_upward").disabled
    assert drawn(row="3").button(key="row_arrow_downward").disabled


def test_who_is_looked_at_stays_where_others_come_and_go():
    """The release, and not its place: after moves are undone, and where two rows take the place of one above it."""
    app = press(press(drawn(row="3"), "row_arrow_upward"), "undo")
    assert app.text_input(key="cell_name").value == "choice"
    mean = {"name": "pay", "kind": "mean", "mechanism": "Laplace", "noise": "ε 0.1", "sensitivity": "0 to 60"}
    app = edit(opened(replace(PLAN, relation="add_remove"), panel=RELEASE, row="3"), {0: mean})
    app = press(app, "sum_and_count")
    assert len(plan_of(app).releases) == 4 and app.text_input(key="cell_name").value == "choice"
    app = whole(app.text_input(key="cell_name").set_value("pick").run())  # called otherwise, it is the same
    assert app.text_input(key="cell_name").value == "pick" and app.query_params["row"] == "4"


def test_the_first_row_of_an_empty_plan():
    """An empty plan has nothing to copy, and gets its first release here."""
    app = opened(Plan([]), panel=RELEASE)
    acts = ("row_copy", "row_arrow_upward", "row_arrow_downward", "row_remove")
    assert not app.button(key="row_add").disabled and all(app.button(key=act).disabled for act in acts)
    app = press(app, "row_add")
    assert len(plan_of(app).releases) == 1
    app = press(app, "row_remove")
    assert not plan_of(app).releases


def test_the_row_is_in_the_address_by_its_number():
    app = drawn(row="3")
    assert app.text_input(key="cell_name").value == "choice" and app.query_params["row"] == "3"
    app = whole(app.selectbox(key="row").set_value(2).run())
    assert app.query_params["row"] == "2" and app.text_input(key="cell_name").value == "ages"
    assert app.selectbox(key="row").options == ["1 · visits", "2 · ages", "3 · choice"]


@pytest.mark.parametrize("act", ["row_remove", "row_copy", "row_arrow_downward", "row_add"])
def test_what_was_typed_just_before_a_press_is_kept(act: str):
    """Even where both arrive at once: the press is about the row of the form, and what was typed is in the table."""
    app = drawn(row="1")
    state = {"edited_rows": {2: {"name": "pick"}}, "added_rows": [], "deleted_rows": []}
    app.session_state[app.session_state["table"]] = state
    names = [release.name for release in plan_of(press(app, act)).releases]
    assert "pick" in names and "choice" not in names
    assert ("visits" in names) == (act != "row_remove") and len(names) == 3 + {"row_remove": -1}.get(
        act, act in ("row_copy", "row_add"))


def test_a_change_in_the_table_is_seen_in_the_drawer():
    app = edit(drawn(), {0: {"count": "9"}})
    assert app.text_input(key="cell_count").value == "9"
    app = press(app, "undo")
    assert app.text_input(key="cell_count").value == "4"


def test_the_sensitivity_follows_from_what_it_is():
    """A count with three rows of one unit: 3, with the sentence of the core, though 1 was typed before."""
    app = typed(drawn(), "rows", "3")
    found = sensitivity("count", PLAN.neighbours, rows=3, unit=PLAN.unit_in_words)
    assert plain(found.sentence) in text(app) and "use_sensitivity" not in keys(app)
    assert plan_of(app).releases[0].mechanism.sensitivity == 3.0 and plan_of(app).releases[0].rows == 3
    assert cells(app).sensitivity[0] == "= 3"


def test_rows_of_one_unit_stay_while_another_release_and_another_relation_are_looked_at():
    """Eight bars of one unit: the root of 8 where it is added or removed, 4 where it is replaced."""
    bars = Release("stations", Gaussian(40), kind="histogram")
    app = drawn(Plan([bars, PLAN.releases[0]], Guarantee(2.0, 1e-6), "person-year"))
    app = typed(typed(app, "rows", "8"), "bars", "different")
    assert plan_of(app).releases[0].mechanism.sensitivity == pytest.approx(8**0.5, abs=1e-12)
    app = whole(app.selectbox(key="row").set_value(2).run())
    app = whole(app.selectbox(key="rel").set_value("replace_one").run())
    app = whole(app.selectbox(key="row").set_value(1).run())
    assert plan_of(app).releases[0].mechanism.sensitivity == 4.0 and app.text_input(key="cell_rows").value == "8"
    assert "use_sensitivity" not in keys(app) and not plan_of(app).faults


def test_the_batches_of_a_trained_model_are_chosen():
    """In words; what is typed of it stays, and an emptied box shows again what holds."""
    model = Release("model", TrainedModel(60_000, 256, 1.1, epochs=3))
    app = drawn(Plan([model], Guarantee(9.0, 1e-6), "person"))
    assert app.selectbox(key="cell_batches").value == "Poisson batches" and "batches" not in fields(drawn())
    app = typed(app, "batches", "Shuffled each epoch")
    assert plan_of(app).releases[0].mechanism == replace(model.mechanism, scheme="shuffled")
    app = typed(app, "batches", None)
    assert plan_of(app).releases[0].mechanism.scheme == "shuffled"
    assert app.selectbox(key="cell_batches").value == "Shuffled each epoch"
    app = typed(app, "noise", "noise multiplier 1.1, batch size 256, records 60000, epochs 3")
    assert app.selectbox(key="cell_batches").value == "Poisson batches"
    assert "batches" not in fields(drawn(Plan([model], Guarantee(9.0, 1e-6)), read="people"))


def test_rows_are_asked_of_what_reads_rows():
    assert {"rows", "bars"} & fields(drawn()) == {"rows"}
    assert {"rows", "bars"} & fields(drawn(read="people")) == {"rows"}
    assert not {"rows", "bars"} & (fields(drawn(row="3")) | fields(drawn(row="3", read="people")))
    stated = replace(PLAN, releases=(replace(PLAN.releases[0], mechanism=Laplace(10.0), rows=3), *PLAN.releases[1:]))
    assert "rows" in fields(drawn(stated, read="people"))


def test_a_mean_is_of_as_many_values_as_are_typed():
    """Where fewer than all people are averaged, their number is typed beside the mean; the promise keeps its own."""
    mean = Release("age", Laplace.from_epsilon(0.1), kind="mean", lower=0, upper=100)
    app = drawn(Plan([mean], Guarantee(2.0, 1e-6), relation="replace_one"))
    assert "use_sensitivity" not in keys(app) and "under “Values or answers”" in text(app)
    app = typed(app, "averaged", "5000")
    assert plan_of(app).releases[0].mechanism.sensitivity == 0.02 and plan_of(app).population is None
    app = typed(app, "bounds", "0 to 200")
    assert plan_of(app).releases[0].mechanism.sensitivity == 0.04 and "use_sensitivity" not in keys(app)
    fewer = drawn(replace(plan_of(app), population=4_000))
    assert "must be at most how many are in the data, 4000, not 5000" in text(fewer)
    stated = Release("age", Laplace.from_epsilon(0.1, 0.02), kind="mean", lower=0, upper=100)
    people = drawn(Plan([stated], Guarantee(2.0, 1e-6), relation="replace_one", population=50_000))
    assert "0.02 is that of a mean of fewer than all people; of all it is 0.002" in text(people)


def test_a_sensitivity_that_is_typed_stays_where_it_is_enough():
    app = typed(typed(drawn(), "sensitivity", "4"), "rows", "3")
    assert plan_of(app).releases[0].mechanism.sensitivity == 4.0 and "For 3 rows of one unit, 3 is enough" in text(app)
    app = press(app, "use_sensitivity")
    assert plan_of(app).releases[0].mechanism.sensitivity == 3.0 and cells(app).sensitivity[0] == "= 3"


@pytest.mark.parametrize(("kind", "bounds", "typed_as"), [("count", "", "5"), ("sum", "0 to 40", "200")])
def test_a_sensitivity_that_is_typed_for_several_rows_is_not_offered_as_that_of_one(kind, bounds, typed_as):
    """What follows from as many rows as it is right for is said, and offered: the cost stays."""
    labels = {key: label for label, key in plan_rows.KIND_KEYS.items()}
    app = typed(typed(drawn(), "kind", labels[kind]), "sensitivity", typed_as)
    app = typed(app, "bounds", bounds) if bounds else app
    assert f"changes by at most {typed_as}" in text(app)
    assert "for more, say how many under “Rows of one unit”" in text(app)
    assert app.button(key="use_sensitivity").label == f"Use {typed_as}, as of 5 rows"
    after = plan_of(press(app, "use_sensitivity")).releases[0]
    assert (after.rows, after.mechanism.sensitivity) == (5, float(typed_as))


def test_the_sensitivity_of_a_sum_needs_bounds():
    """Without them, what is lacking is said; without a kind, what to do; a sum clipped to 0 to 40 changes by 40."""
    kinds = {key: label for label, key in plan_rows.KIND_KEYS.items()}
    app = typed(drawn(), "kind", kinds["sum"])
    assert "use_sensitivity" not in keys(app)
    app = typed(app, "bounds", "0 to 40")
    assert app.button(key="use_sensitivity").label == "Use 40, as of 1 row"
    assert "Say what it is, and its sensitivity is found here." in text(drawn(row="2"))
    assert "use_sensitivity" not in keys(drawn(read="people"))


@examples(8)
@given(st.sampled_from(list(plan_rows.KIND_KEYS.values())), st.sampled_from(["add_remove", "replace_one"]))
def test_the_offered_sensitivity_is_the_cores(kind: str, relation: str):
    """Whatever is released: in L1 for Laplace and in L2 for Gaussian noise, or no offer where the core has none."""
    first = replace(PLAN.releases[0], kind=kind, lower=0.0, upper=5.0)
    for mechanism, name in ((Laplace(10.0), "l1"), (Gaussian(10.0), "l2")):
        plan = replace(PLAN, releases=(replace(first, mechanism=mechanism), *PLAN.releases[1:]), relation=relation)
        app = drawn(plan)
        try:
            found = sensitivity(kind, relation, lower=0.0, upper=5.0, rows=1, unit="person")
        except ValueError as error:
            assert "use_sensitivity" not in keys(app) and plain(refusals.sentence(error)) in plain(text(app))
            continue
        app = press(app, "use_sensitivity") if plan.releases[0].mechanism.sensitivity_from.kind == "stated" else app
        assert plan_of(app).releases[0].mechanism.sensitivity == getattr(found, name)


def test_a_box_that_a_browser_shows_no_longer_filled_changes_no_other_release():
    """A press that ends the run in which another release was chosen tells of boxes as they were: nobody's wish."""
    app = drawn()
    first, second = (each.name for each in plan_of(app).releases[:2])
    shown = app.text_input(key="filling_shown").value
    app = whole(app.selectbox(key="row").set_value(2).run())
    assert app.text_input(key="cell_name").value == second
    app.text_input(key="filling_shown").set_value(shown)
    app = whole(app.text_input(key="cell_name").set_value(first).run())
    assert plan_of(app) == PLAN and app.text_input(key="cell_name").value == second
    # Whoever sees the second one may type the name of the first.
    app = whole(app.text_input(key="cell_name").set_value(first).run())
    assert [each.name for each in plan_of(app).releases[:2]] == [first, first]


@given(st.integers(1, 6), st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 5)), max_size=8))
def test_a_row_is_followed_through_moves_and_removals(count: int, wished: list[tuple[int, int | None]]):
    """A button that is pressed again before the page has answered knows only where its release stood."""
    rows, acts = list(range(count)), []
    for old, new in wished:
        if old < len(rows) and (new is None or new < len(rows)):
            moved = rows.pop(old)
            rows[new or 0 : new or 0] = [] if new is None else [moved]
            acts.append((old, new))
    assert [table_state.followed(row, acts) for row in range(count)] == [
        rows.index(row) if row in rows else None for row in range(count)
    ]


def test_a_budget_that_a_browser_shows_no_longer_is_not_taken():
    """Undo, and a press before the browser has drawn it: the budget of before does not come back."""
    app = opened(PLAN)
    before = plan_of(app).budget.epsilon
    app = whole(app.text_input(key="eps").set_value("7").run())
    shown = app.text_input(key="filling_shown").value
    app = press(app, "undo")
    assert plan_of(app).budget.epsilon == before
    app.text_input(key="filling_shown").set_value(shown)
    app = whole(app.text_input(key="eps").set_value("7").run())
    assert plan_of(app).budget.epsilon == before
    app = whole(app.text_input(key="eps").set_value("7").run())
    assert plan_of(app).budget.epsilon == 7


def test_a_sensitivity_typed_for_different_bars_is_told_to_cost_more_than_one_that_follows():
    """Left open, the bars count one by one: exactly the same changes, each with noise of its own."""
    year = {"kind": "histogram", "rows": 12}
    typed = Release("Features", DiscreteGaussian(120.0, 12.0), 52, bars="different", **year)
    said = "Typed, it counts as one number that changes by 12. Left empty, it counts as 12 bars that change by 1 each"
    bars = replace(typed, mechanism=DiscreteGaussian(120.0))
    for release in (typed, bars, replace(typed, bars=None), replace(typed, mechanism=Gaussian(120.0, 12.0))):
        plan = Plan([release], Guarantee(2.0, 1e-9), "account", "add_remove")
        assert (said in text(opened(plan, panel=RELEASE))) == (release is typed)
    one_by_one = Plan([Release("Features", DiscreteGaussian(120.0, 1.0), 52 * 12)], Guarantee(2.0, 1e-9))
    follows, together = (Plan([each], Guarantee(2.0, 1e-9), "account", "add_remove") for each in (bars, typed))
    assert compose(one_by_one, 1e-9) == compose(follows, 1e-9)
    assert compose(follows, 1e-9).epsilon < compose(together, 1e-9).epsilon / 3
