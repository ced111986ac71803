"""Several records of one unit: what the page says is what the core counts, and the table takes it over."""

from dataclasses import replace

import pytest

from dpviz import (
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compose,
    report,
)
from dpviz.report import Subject
from dpviz.rounding import shown_up
from tests.pages.workbench import document, keys, opened, press, text, verdict

PLAN = Plan([Release("Visits", Laplace.from_epsilon(0.1), 3), Release("Mean", Gaussian(5.0, 1))], Guarantee(2, 1e-6))


def sentence(app) -> str:
    said = [each.value for each in app.markdown if each.value.startswith("If one ")]
    return next(each for each in said if "what the table counts" in each)


def test_the_panel_is_closed_until_it_is_asked_for():
    assert "what the table counts" not in text(opened(PLAN))


@pytest.mark.parametrize(("copies", "days"), [(1, 1), (3, 30)])
def test_the_total_is_that_of_the_core(copies: int, days: int):
    app = opened(PLAN, records=copies, ondays=days)
    total = compose(PLAN.of_units(copies, days), 1e-6).epsilon
    assert f"at most **ε = {shown_up(total)}** at δ" in sentence(app)
    assert ("more than the budget" if total > 2 else "within the budget") in sentence(app)
    alone = f"; with what the table counts, at most {shown_up(compose(PLAN, 1e-6).epsilon)}."
    assert (alone in sentence(app)) == (copies > 1), "the same number is not told twice"


def test_rows_that_the_table_states_are_not_called_one_record():
    """Twice as many of them are, as the number says."""
    plan = Plan([Release("Visits", Laplace(30.0, 3.0), kind="count", rows=3)], Guarantee(2, 1e-6))
    said = [each.value for each in opened(plan, records=2).markdown]
    opening = "If one **unit** has 2 times the records that the table counts, in every release, it loses"
    [told] = [each for each in said if each.startswith(opening)]
    assert f"; with what the table counts, at most {shown_up(compose(plan, 1e-6).epsilon)}." in told


def test_the_table_takes_it_over():
    app = opened(PLAN, records=3, ondays=2)
    app.button(key="count_several").click().run()
    assert not app.exception
    plan = document(app).plan
    assert plan.releases == PLAN.of_units(3, 2).releases and plan.budget == PLAN.budget
    assert (app.text_input(key="records").value, app.text_input(key="ondays").value) == ("2", "1"), "asked from there"
    app.button(key="undo").click().run()
    assert document(app).plan == PLAN


@pytest.mark.parametrize("level", ["people", "numbers"])
def test_a_family_becomes_the_unit_that_is_protected(level: str):
    """The plan says whom it protects then, here and in its statement; an answer to a survey is as noisy as before."""
    survey = Release("Smokes", RandomizedResponse(1.0), kind="survey")
    alone = Plan([Release("Pay", Laplace(10.0, 1)), survey], Guarantee(2, 1e-6), "person-year", "replace_one")
    app = press(opened(alone, records=3, read=level), "protect_together")
    plan = document(app).plan
    assert plan.unit == "3-person group-year" and plan.releases == alone.of_units(3).releases
    assert plan.releases[1] == replace(survey, count=3)
    assert not app.warning and "3-person group" in verdict(app) and "protect_together" not in keys(app)
    assert "one 3-person group over a year" in report.markdown(Subject(plan, people=True))
    app.button(key="undo").click().run()
    assert document(app).plan == alone


def test_what_cannot_be_counted_is_refused_in_one_sentence():
    app = opened(Plan([Release("Far", DiscreteLaplace(1.0, 10**9))], Guarantee(2, 1e-6)), records=2)
    assert "So many records cannot be counted here. “Sensitivity” must be a whole number" in app.warning[0].value
    assert not app.exception


def test_two_records_of_a_sample_lose_no_more_than_twice_its_epsilon():
    sampled = Subsampled(RandomizedResponse(0.5), 0.1, "poisson")
    app = opened(Plan([Release("Poll", sampled)], Guarantee(2, 1e-6)), records=2)
    assert "at most **ε = 0.1258**" in sentence(app)
    app.button(key="count_several").click().run()
    assert not app.exception and document(app).plan.releases[0].mechanism == sampled.grouped(2)


@pytest.mark.parametrize(
    ("unit", "days", "family"),
    [("person", True, True), ("person-year", False, True), ("user-day", True, True), ("household", True, False)],
)
def test_what_is_asked_goes_by_the_unit(unit: str, days: bool, family: bool):
    """A unit of a longer time counts its days already; only people are taken together, of one part."""
    app = opened(replace(PLAN, unit=unit), records=2)
    label = next(each.label for each in app.expander if each.label.startswith("What if one"))
    assert ("every day" in label) == days == ("ondays" in {each.key for each in app.text_input})
    assert ("a family" in label) == family
    assert ("as 2 people together have" in sentence(app)) == family
    parted = replace(PLAN, unit=unit, releases=tuple(replace(each, part="north") for each in PLAN.releases))
    assert "together" not in sentence(opened(parted, records=2))


def test_what_is_counted_so_many_times_has_as_many_rows():
    """Else the form would call the sensitivity of four people more than their rows need, and offer that of one."""
    month = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31"}
    moves = Release("Moves", Laplace(60.0, 20.0), kind="histogram", rows=20, **month)
    apart = Release("Apart", Gaussian(60.0, 20.0), kind="histogram", rows=20, bars="different", **month)
    plan = Plan([moves, apart], Guarantee(5, 1e-7), "person-year", "add_remove", 120_000)
    app = opened(plan, records=4)
    for key in ("count_several", "protect_together"):
        after = document(app.button(key=key).click().run()).plan
        assert [each.rows for each in after.releases] == [80, 20], "of bars that differ, two people may share one"
        assert [each.mechanism.sensitivity for each in after.releases] == [80.0, 80.0]
        assert "is enough" not in text(opened(after, panel="Add, edit or remove"))
        app = opened(plan, records=4)
