"""The tab “When” of the workbench: the story, dates in the table, hostile addresses, levers and checks."""

import json
import math
from dataclasses import replace
from datetime import date
from itertools import product

import numpy as np
import pandas
import pytest
from streamlit.testing.v1 import AppTest

from dpviz import (
    ApproximateDP,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
    compose,
)
from dpviz.effort import PLOTTED
from dpviz.plan import Answers, Document
from dpviz.plan.files import permalink
from dpviz.plan.units import whose
from dpviz.planning.advice import CHECKS, Finding
from dpviz.planning.schedule import dated, exhaustion, forecast
from dpviz.planning.schedule.totals import whole_total
from dpviz.report import Subject, markdown, registry_yaml
from dpviz.report.facts import facts
from dpviz.report.programs import dp_accounting_snippet
from dpviz.rounding import shown_up
from dpviz.ui.plan.time import answer
from dpviz.ui.plan.time import answer as forecast_cache
from dpviz.ui.plan.time.advice import NOTHING_ASKED, OVER_ALL_THE_SAME
from dpviz.ui.shell import examples
from dpviz.ui.shell.document.rows import followed
from dpviz.ui.shell.document.unanswered import counted_longer, longer_times, of_a_longer_time, other_times, unanswered
from tests.pages import workbench
from tests.pages.workbench import LEARNED, VERSUS, WHEN, bar, document, edit, plain, press, text, verdict


def opened(plan: Plan | None = None, **parameters: object) -> AppTest:
    """The tab at an address, with a plan of one's own if one is given."""
    example = {} if plan is not None else {"example": "mobility"}
    return workbench.opened(plan, **(example | {"tab": WHEN} | parameters))


def whole(app: AppTest, charts: int | None = None) -> AppTest:
    """The page, after asserting that it is in order."""
    workbench.whole(app)
    assert charts is None or len(app.get("plotly_chart")) == charts
    return app


def finding(app: AppTest) -> str:
    """The sentence of the tab: the first one after the head."""
    doubts = ("**Before this is relied on:**", NOTHING_ASKED, OVER_ALL_THE_SAME)
    said = [each.value for each in app.markdown if not any(doubt in each.value for doubt in doubts)]
    head = next(place for place, each in enumerate(said) if each.startswith(workbench.SIGNS))
    return said[head + 2].replace("\\", "")


def test_a_newcomer_sees_what_one_unit_costs():
    """Nothing of the mobility example has a date: it costs what page 1 says, and is repeated by one press only."""
    app = whole(opened(tview="Windows"), charts=0)
    assert "No release has a date" in finding(app)
    assert "One **user-day** loses at most **ε = 2.488**" in finding(app)
    assert "within the budget of **ε = 4**" in finding(app)
    assert app.button(key="repeat_undated").label == "Repeat daily"
    app = whole(app.button(key="repeat_undated").click().run(), charts=1)
    assert app.selectbox(key="every").value == "daily" and "**ε = 131.9**" in finding(app)


def test_without_dates_nothing_is_composed_again(monkeypatch):
    """What the head quotes is told for the whole schedule, and for its one window."""
    plan = Plan([Release("Visits", Laplace.from_epsilon(0.137), 30)], Guarantee(4, 1e-6), unit="user-day")
    total = shown_up(compose(plan).epsilon)
    for name in ("compose", "smallest_totals"):
        monkeypatch.setitem(whole_total.__globals__, name, None)
    assert f"**ε = {total}**" in finding(whole(opened(plan, tview="Windows"), charts=0))


def test_a_budget_per_day_is_not_held_against_a_person():
    """The budget is compared with one user-day; what a person loses in a year stands beside it without a verdict."""
    app = whole(opened(every="daily", tview="Windows"), charts=1)
    first, rest = finding(app).split(". One ")
    assert "One **user-day** meets the releases of one day, and what comes less often" in first
    assert ": it loses at most **ε = 2.488**" in first
    assert "within the budget of **ε = 4**" in first
    whole_year = "**user** who is in the data every day loses at most **ε = 131.9** by **31 December 2026**"
    assert rest.startswith(whole_year)
    assert rest.endswith("no budget is stated for one user over all dates.")
    everything = text(app)
    assert not any(word in everything for word in ("xhausted", "is passed", "spent 33", "dates fit"))
    assert "would not bound what all of them together reveal" in text(app)
    assert "Assumed: the releases of one day read the data of that day only; what comes" in text(app)
    layout = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]
    drawn = " ".join(each["text"] for each in layout["annotations"])
    assert "budget ε = 4 per user-day" in drawn and "is passed" not in drawn
    assert "makes of what one unit loses" in text(opened(every="daily", tview="Levers"))


def test_weeks_that_two_months_share_are_told_where_they_count():
    """Else nobody knows why a month meets six weekly numbers; a monthly number needs no word of it."""
    month = Plan([Release("Visits", Laplace.from_epsilon(0.1))], Guarantee(1.0, 1e-6), "user-month")
    for cadence, uses in (("weekly", 6), ("fortnightly", 4), ("monthly", 1)):
        plan = dated(month, date(2027, 1, 1), cadence, date(2027, 12, 31))
        app = whole(opened(plan, tview="Windows"))
        said = text(app).count("that two months share")
        assert said == (2 if uses > 1 else 0), "beneath the table, and as what is assumed"
        dashed = "The dashed line counts each release in the calendar month of its date alone."
        assert (dashed in text(app)) == (uses > 1), "where it lies below what one unit loses"
        assert f'which meets {uses} release{"s" * (uses > 1)}: {uses} of “' in text(app)


def test_the_story_of_the_user_month():
    """Thirty days of reports exceed 10 in any month; what a year of them costs a person is what the core says."""
    app = opened(example="mobility-30-days", eps="10", every="monthly", tview="Windows")
    plan = dated(examples.plan_of("mobility-30-days"), date(2026, 1, 1), "monthly", date(2026, 12, 31))
    total = forecast(plan).epsilon.iloc[-1]
    assert 130 < total < 130.5 and "**ε = 130.5**" in finding(app)
    assert "One **user-month** meets the releases of one month, and what comes less often" in finding(app)
    assert ": it loses at most **ε = 21.98**" in finding(app)
    assert "more than the budget of **ε = 10**" in finding(app)


@pytest.mark.parametrize(
    ("unit", "every"),
    [("person-year", "yearly"), ("household-quarter", "quarterly"), ("user-week", "weekly"), ("device week", "weekly"),
     ("user-day", "daily"), ("person", "monthly")],
)  # fmt: skip
def test_nothing_is_repeated_until_asked(unit: str, every: str):
    """What has no date costs what the plan page says; repeated by the unit's own period, one unit costs just that."""
    plan = Plan([Release("Count", Gaussian(5.0, 1), 35)], Guarantee(8, 1e-6), unit=unit)
    cost = f"{'ε = '}{shown_up(compose(plan, 1e-6).epsilon)}"
    app = opened(plan, tview="Windows")
    assert f"One **{unit}** loses at most **{cost}**" in finding(app)
    assert app.button(key="repeat_undated").label == f"Repeat {every}"
    app = opened(plan, tview="Windows", every=every, until="2028-12-31")
    if unit != "person":
        assert f"it loses at most **{cost}**" in finding(app) and "within the budget" in finding(app)
        assert f"no budget is stated for one {whose(unit)} over all dates" in finding(app)
    else:
        assert "is passed on" in finding(app) and "who is in the data every month" in finding(app)


def test_a_schedule_within_one_period_is_what_one_unit_loses():
    """Four quarters are one person-year, whenever it begins: its total is held against the budget."""
    quarters = Release("Count", Laplace.from_epsilon(0.5), start="2026-04-01", cadence="quarterly", end="2027-03-31")
    app = opened(Plan([quarters], Guarantee(1.0, 0.0), unit="person-year"), tview="Windows")
    assert "One **person-year** loses at most **ε = 2** by **1 January 2027**" in finding(app)
    assert "the budget of **ε = 1** is passed on **1 October 2026**".lower() in finding(app).lower()
    longer = Plan([replace(quarters, end="2029-03-31")], Guarantee(2.0, 0.0), unit="person-year")
    app = opened(longer, tview="Windows")
    assert "it loses at most **ε = 2**" in finding(app) and "within the budget of **ε = 2**" in finding(app)


def test_what_is_done_until_a_day_is_drawn_as_spent():
    """The staircase of what is published stands under the planned one; nothing is chosen along the way by that."""
    monthly = {"start": "2026-01-01", "cadence": "monthly", "end": "2026-12-31"}
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1), done="2026-03-31", **monthly)], Guarantee(2, 0))
    app = opened(plan, tview="Windows")
    assert "within the budget of **ε = 2**" in finding(app) and "adding up" not in finding(app)
    assert "**Published already:** 3 of 12 releases, at most **ε = 0.3**." in text(app)
    [chart] = app.get("plotly_chart")
    [done] = [each for each in json.loads(chart.proto.spec)["data"] if each["name"] == "published already"]
    assert max(done["y"]) == 0.3 and done["x"][-1] == "2026-03-02"
    whole(opened(Plan([Release("Count", Laplace.from_epsilon(0.1), done=True)], Guarantee(2, 0))), charts=0)


def test_dates_in_the_table_are_used():
    """Start, cadence and end typed into the table take the place of the sidebar's schedule."""
    app = opened(example="lecture-11", tview="Releases", every="monthly")
    app = whole(edit(app, {0: {"start": "2026-03-01", "cadence": "weekly", "end": "2026-03-31"}}), charts=1)
    plan = document(app).plan
    assert plan.releases[0].occurrences == 5
    day = exhaustion(plan)
    assert f"{day.day} March 2026" in finding(app) and "by **29 March 2026**" in finding(app)
    app = press(app, "undo")
    assert "by **31 December 2026**" in finding(app)


def test_a_wrong_date_is_named_and_nothing_is_lost():
    app = opened(example="mobility", tview="Releases", every="daily")
    app = whole(edit(app, {0: {"start": "1.3.2026"}}), charts=1)
    assert "must be a date such as" in app.error[0].value.replace("\\", "")
    assert "**“Visits to public places, per country or regi…” does not count yet**" in verdict(app)
    [row] = document(app).uncounted
    assert dict(row.cells)["start"] == "1.3.2026"
    app = whole(app.button(key="undo").click().run(), charts=1)
    assert "**ε = 131.9**" in finding(app)


@pytest.mark.parametrize(
    ("every", "uses"),
    [("daily", "4,380"), ("weekly", "636"), ("monthly", "144"), ("quarterly", "48"), ("yearly", "12"),
     ("not repeated", ""), ("by unit", ""), ("", "")],
)  # fmt: skip
def test_the_schedule_of_the_sidebar(every: str, uses: str):
    """Nothing is repeated unless a cadence is chosen; "by unit", which old addresses hold, repeats nothing either."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.01), 12)], Guarantee(2, 1e-6), unit="user-day")
    app = opened(plan, every=every, tview="Windows")
    assert ("No release has a date" in finding(app)) == (not uses)
    assert f"the last after {uses or 12} releases" in text(app)


@pytest.mark.parametrize(
    ("every", "often"),
    [("daily", "every day"), ("weekly", "every week"), ("monthly", "every month"), ("quarterly", "every quarter")],
)
def test_how_often_follows_the_cadence(every: str, often: str):
    """Somebody is in the data as often as releases are repeated, whatever the unit."""
    app = opened(every=every, tview="Windows")
    assert f"One **user** who is in the data {often} loses" in finding(app)


def test_releases_with_dates_of_their_own():
    """Nothing is repeated where everything has its dates: no caption says so, and the last of them is named."""
    app = opened(example="weekly-dashboard", tview="Windows")
    assert "is repeated" not in text(app) and "**person** who is in the data all the time" in finding(app)
    start = date(2026, 2, 1)
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1), start=start)], Guarantee(2, 0), unit="user-day")
    app = opened(plan, tview="Windows")
    assert "One **user-day** loses at most **ε = 0.1** by **1 February 2026**" in finding(app)


def test_the_date_asked_for_is_named():
    """Nothing is spent after the last release, so the total holds on the day that was asked for."""
    app = opened(example="lecture-11", tview="Windows", every="monthly")
    assert "by **31 December 2026**" in finding(app)
    app = opened(example="mobility-30-days", tview="Windows", every="monthly", until="2026-08-20")
    assert "by **20 August 2026**" in finding(app)


@pytest.mark.parametrize("example", ["mobility", "mobility-30-days", "lecture-11", "weekly-dashboard"])
def test_one_quantity_has_one_value(example: str):
    """The window that holds everything until its end costs what everything until its end costs."""
    every = "daily" if example == "mobility" else "monthly"
    app = opened(example=example, tview="Windows", every=every)
    [table] = [each.value for each in app.dataframe if "alone" in each.value]
    assert table.alone[0] == table.lifetime[0]


@pytest.mark.parametrize("limit", [1.0, 2.4873, 2.48735, 3.0])
def test_the_smaller_bound_is_taken_and_the_budget_stays_passed(limit: float):
    """Both numbers bound the same releases; where the budget is said to be passed, the total stays above it."""
    days = pandas.Series(np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"))
    lifetime = pandas.DataFrame({"date": days, "until": days, "uses": [1, 2], "epsilon": [2.4874, 4.0]})
    alone = pandas.DataFrame({"start": days, "end": days, "uses": [1, 1], "epsilon": [2.48732, 2.48732]})
    totals, windows = answer.agreeing(lifetime, alone, limit)
    assert windows.epsilon.tolist() == [2.48732, 2.48732] and totals.epsilon[1] == 4.0
    assert totals.epsilon[0] == max(2.48732, np.nextafter(limit, 3)) if limit < 2.4874 else 2.48732
    assert ((totals.epsilon > limit) == (lifetime.epsilon > limit)).all()
    _, windows = answer.agreeing(lifetime.assign(epsilon=[2.4, 4.0]), alone, limit)
    assert windows.epsilon.tolist() == [2.4, 2.48732]


def test_room_for_more_where_the_schedule_fits():
    """Twelve uses of 0.1 leave room for eight more at δ = 0, counted in decimals."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(2, 0))
    app = opened(plan, tview="Windows", every="monthly")
    assert "within the budget of **ε = 2**" in finding(app)


def test_chosen_along_the_way_only_sums_and_filters():
    """The curve adds up, and the page says how long a filter with the budget would last."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.01))], Guarantee(1, 1e-6), adaptive=True, unit="user-day")
    app = whole(opened(plan, tview="Windows", every="daily"), charts=1)
    assert "by adding up, since releases are chosen along the way" in finding(app)
    assert "Zero-concentrated DP** with this budget for each day admits everything" in text(app)
    plan = replace(plan, unit="person")
    app = whole(opened(plan, tview="Windows", every="daily"), charts=1)
    assert "Zero-concentrated DP** with this budget admits everything" in text(app)


def test_no_theorem_bounds_it():
    """At δ = 0 Gaussian noise has no total: the page says so, draws what there is, and offers what comes before."""
    noise = Release("Mean", Gaussian(1, 1), start=date(2026, 3, 1))
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1), start=date(2026, 2, 1)), noise], Guarantee(2, 0))
    app = whole(opened(plan, tview="Windows"), charts=1)
    assert "No theorem here bounds" in finding(app)


def test_levers_are_drawn_lazily_and_delta_stands_apart():
    assert len(opened(tview="Checks", every="daily").get("plotly_chart")) == 1
    app = whole(opened(tview="Levers", every="daily"), charts=2)
    shown = text(app).replace("\u2060", "")
    assert "Of these changes, **3 instead of 4 times** of" in shown and "Leaving out “Visits to public places" in shown
    assert "δ is no lever" in text(app)


def test_checks_say_what_they_find_and_what_not():
    """Every check is named: with its reason, or among those that found nothing."""
    app = opened(tview="Checks")
    shown = text(app).replace("\u2060", "")
    assert all(check.label in shown for check in CHECKS) and "checks found nothing" in shown
    noise = Subsampled(Gaussian(2.0, 1), 0.01, "poisson")
    answered = Answers(batches="shuffled")
    app = opened(Plan([Release("SGD", noise, 100)], Guarantee(2, 1e-6), answers=answered), tview="Checks")
    assert len([mark for mark in app.markdown if mark.value.startswith(":material/error:")]) == 1


@pytest.mark.parametrize("key", examples.BY_KEY)
def test_the_checks_of_every_example_are_shown(key: str):
    """Whatever they find, with a page to read on or without."""
    shown = text(whole(workbench.opened(example=key, tab=WHEN, tview="Checks"))).replace("\u2060", "")
    assert "checks found nothing" in shown


DAYS = {"cadence": "weekly", "start": date(2026, 1, 1), "end": date(2026, 12, 31)}
NOTED = {
    "too small": Release("Sum of pay", Laplace(10.0, 1.0), kind="sum", lower=0.0, upper=6000.0, **DAYS),
    "larger": Release("Count", Laplace(10.0, 5.0), kind="count", **DAYS),
    "called a mean": Release("Mean age", Laplace.from_epsilon(0.1), **DAYS),
    "vast": Release("Visits", Laplace(1e7, 1.0), **DAYS),
}


@pytest.mark.parametrize("noted", NOTED)
def test_what_is_noted_of_a_sensitivity_is_shown(noted: str):
    plan = Plan([NOTED[noted]], Guarantee(4, 1e-6), unit="person", relation="add_remove")
    assert "ensitivity" in text(whole(opened(plan, tview="Checks")))


def mended(app: AppTest, label: str) -> AppTest:
    """The page after the press that mends something was pressed."""
    *_, button = [each for each in app.button if each.label.replace("\\", "").replace("\u2060", "") == label]
    return whole(button.click().run())


def test_a_press_mends_what_a_check_found_and_undo_takes_it_back():
    """The document is what the finding leads to, answers settle what they are asked for, and nothing else changes."""
    users = Release("Users", Laplace(10, 1))
    visits = Release("Visits", Laplace(20), kind="count")
    plan = Plan([users, visits, users], Guarantee(2, 1e-6), "person", "add_remove", 1000)
    app = whole(opened(plan, tview="Checks"))
    app = mended(app, "Count each once")
    assert document(app).plan == replace(plan, releases=plan.releases[:2])
    app = whole(app.button(key="undo").click().run())
    assert document(app).plan == plan
    app = whole(app.text_input(key="answer_rows_per_unit").set_value("5").run())
    assert "Count 5 rows of one person" in app.toast[0].value and "not counted yet" not in text(app)
    counted = document(app).plan
    assert counted.releases[1].rows == counted.releases[1].mechanism.sensitivity == 5 and counted.releases[0] == users
    assert counted.answers is None  # it was about the rows that are counted now
    app = whole(app.button(key="undo").click().run())
    once = document(whole(app.text_input(key="answer_rows_per_unit").set_value("1").run())).plan
    assert [each.rows for each in once.releases] == [None, 1, None], "stated of the release that is asked about alone"
    assert once.answers is None and compose(once) == compose(plan)
    told = replace(plan, answers=Answers(rows_per_unit=5))  # as a file may say it
    app = opened(told, tview="Checks")
    assert "n answer about this plan is not counted yet" in text(app)
    assert app.button(key="mend_fault_0").label == "Count 5 rows of one person", "what mends it stands where it is told"
    assert document(mended(app, "Count 5 rows of one person")).plan == counted
    answered = replace(plan, answers=Answers(rows_per_unit=1, same_statistic=False))
    app = opened(answered, tview="Checks")
    assert not [each for each in app.button if str(each.key).startswith("mend_")]
    held = app.text_input(key="answer_rows_per_unit").value, app.segmented_control(key="answer_same_statistic").value
    assert held == ("1", "no")


@pytest.mark.parametrize(
    ("read", "budget"),
    [
        ("people", 0.1), ("numbers", math.inf),
        *(pytest.param(*each, marks=pytest.mark.rest) for each in product(("people", "numbers"), (1.0, 20.0))),
    ],
)  # fmt: skip
def test_no_number_of_a_plan_that_is_made_otherwise_stands_alone(read: str, budget: float):
    """Shuffled batches that are entered as Poisson: head, guesses, fit and programs say that they do not count."""
    year = {"cadence": "yearly", "start": "2027-01-01", "end": "2027-12-31"}
    model = TrainedModel(noise_multiplier=1.1, batch_size=30_000, records=300_000, epochs=2)
    plan = Plan([Release("Route model", model, **year)], Guarantee(budget, 1e-8), "rider", "add_remove", 300_000)
    told = replace(plan, answers=Answers(batches="shuffled", rows_per_unit=1))
    entered = text(opened(plan, read=read))
    assert "a coin toss" in entered and "as they are entered" not in entered
    for where in ({"tab": LEARNED}, {"panel": "Fit to budget"}, {"tab": "What costs what"}, {"records": "2"}):
        app = opened(told, read=read, **where)
        assert "n answer about this plan is not counted yet" in verdict(app).lower() and "a coin toss" not in text(app)
        assert "planned" in bar(app) and "free" not in bar(app)
        assert not {"make_fit", "apply_fit"} & {each.key for each in app.button}
        assert where == {"tab": LEARNED} or "about the releases as they are entered" in text(app)
    assert "# Not what the plan costs: " in dp_accounting_snippet(told)
    assert "# Not what" not in dp_accounting_snippet(plan)
    entry = " ".join(registry_yaml(Subject(told)).split())
    assert "epsilon: " in registry_yaml(Subject(plan)) and "epsilon: " not in entry
    assert "what it costs is not known" in entry
    for people in (True, False):
        page = markdown(Subject(told, baseline=plan, people=people))
        assert "Compared with plan A" not in page and ", within the budget" not in page
        assert "Not what this plan costs" in page and "promise fails" not in page
        assert "a coin toss" not in page and "suspicion" not in page and "nothing can be said of what an attack" in page
        assert "alf of the budget" not in page and "is not exceeded" not in page


def test_one_row_of_each_is_stated_by_a_press_of_the_check():
    """As beside a statement; whoever has several, types how many."""
    plan = Plan([Release("Rides", Laplace(20.0), kind="count")], Guarantee(2, 1e-6), "person", "add_remove", 1000)
    app = opened(plan, tview="Checks")
    [once] = [each for each in app.button if str(each.key).startswith("once_")]
    assert once.label == "State that each has one row of one person"
    app = whole(once.click().run())
    assert [each.rows for each in document(app).plan.releases] == [1]
    assert not [each for each in app.button if str(each.key).startswith("once_")]
    answered = opened(replace(plan, answers=Answers(rows_per_unit=3)), tview="Checks")
    assert not [each for each in answered.button if str(each.key).startswith("once_")], "it is answered otherwise"


def test_people_are_asked_how_often_one_of_them_counts():
    """In words of their own, who know of no rows; nothing of what is escaped shows."""
    plan = Plan([Release("Rides", Laplace(20.0), kind="count")], Guarantee(2, 1e-6), "person-year", "add_remove", 1000)
    app = opened(plan, read="people")
    app.session_state["doubts_here"] = True
    app = whole(app.run())
    labels = {plain(each.label) for each in app.button}
    assert {f"{each} in each release" for each in ("State that one person counts at most once",
                                                   "Count one person 2 times")} <= labels  # fmt: skip
    assert [plain(each.label) for each in app.text_input if "How often one person counts in “Rides”" in each.label]
    shown = [each.value for each in app.markdown if "count more than once in the same release" in each.value]
    assert shown and not any("\\ " in each or "person-year" in each for each in shown)
    twice = next(each for each in app.button if plain(each.label).startswith("Count one person 2 times"))
    assert document(whole(twice.click().run())).plan.releases[0].rows == 2


def test_what_checks_were_told_goes_with_the_plan():
    """The statement, a link and a reload say of the total what the screen does."""
    plan = Plan([Release("Visits", Laplace(20, 1))], Guarantee(2, 1e-6), "person", "add_remove", 1000)
    assert facts(Subject(plan))["budget"]["within"] is True
    told = replace(plan, answers=Answers(rows_per_unit=3))
    assert facts(Subject(told))["budget"]["within"] is None and Plan.from_json(told.to_json()) == told
    assert "n answer about this plan is not counted yet" in text(opened(told, tview="What costs what"))
    app = whole(opened(plan, tview="Checks").text_input(key="answer_rows_per_unit").set_value("0,5").run())
    assert document(app).plan == plan and app.error  # what is no answer stays in its box, and changes nothing


@pytest.mark.parametrize(
    "parameters",
    [
        {"every": "hourly", "from": "yesterday", "until": "2026-13-01", "window": "decade", "taxis": "x"},
        {"every": "by unit"},
        {"from": "2027-05-05", "until": "2027-05-04"},
        {"from": "1990-01-01", "until": "2099-12-31", "window": "day"},
        {"from": "2024-02-29", "every": "monthly", "window": "year"},
        {"from": "2099-12-31"},
        {"eps": "0", "delta": "0"},
        {"read": "words", "window": "quarter", "taxis": "log"},
    ],
)
def test_hostile_addresses_show_a_page(parameters: dict):
    """A bad value falls back to its default; ends in the wrong order, and too many windows, get one sentence."""
    undated = parameters.get("every") in ("hourly", "by unit")
    app = whole(opened(**({"tview": "Windows", "every": "daily"} | parameters)), charts=int(not undated))
    if parameters.get("until") == "2027-05-04":
        assert "Until must not lie before 5 May 2027" in app.error[0].value
    if parameters.get("until") == "2099-12-31":
        assert "windows must be a whole number from 0 to 4" in text(app)


def test_the_chart_draws_what_the_core_computes():
    """The staircase of the figure carries the totals of the forecast."""
    app = opened(example="lecture-11", tview="Windows", every="monthly")
    [chart] = app.get("plotly_chart")
    stairs = [trace for trace in json.loads(chart.proto.spec)["data"] if trace.get("line", {}).get("width") == 3]
    plan = dated(examples.plan_of("lecture-11"), date(2026, 1, 1), "monthly", date(2026, 12, 31))
    drawn, computed = np.array(stairs[0]["y"][1:-1]), forecast(plan).epsilon.to_numpy()
    assert (drawn <= computed).all()  # the first month alone is found more accurately
    np.testing.assert_allclose(drawn, computed, rtol=PLOTTED)


@pytest.mark.parametrize(("see", "leads"), [("sources", "theorems"), ("filters", "filters"), ("plan", "")])  # "": home
def test_links_of_checks_keep_the_session(see: str, leads: str, monkeypatch):
    """What one of the pages explains is linked as a page, not as an address, which would lose the plan."""
    found = (Finding("range", "a reason", (0,), see),)
    monkeypatch.setattr(forecast_cache, "found", lambda *_: found)
    app = opened(tview="Checks")
    assert [each.proto.page for each in app.get("page_link")][6:] == [leads]  # after the top bar's, and two under Open
    assert "](/" not in text(app)


def test_people_read_until_when_the_budget_lasts():
    """No number of a privacy loss: a day on which it is used up, or that it holds all dates; no date, no day."""
    app = opened(read="words", every="daily")
    fits = "All **365** release dates, with 6,570 releases, fit the budget of one **user over a day**; the last is "
    assert finding(app) == f"{fits}**31 December 2026**." and not app.tabs[4:]
    over = finding(opened(read="people", example="weekly-dashboard"))
    day = exhaustion(examples.plan_of("weekly-dashboard"))
    assert f"**{day.day} August 2026**" in over and "release dates fit" in over
    assert "No release has a date yet" in finding(opened(read="people"))
    assert "No budget is set" in finding(opened(read="people", every="daily", eps=""))
    assert "is more than its budget" in finding(opened(read="people", every="daily", eps="1"))


def test_the_window_of_a_quarter_is_told():
    app = opened(window="quarter", taxis="log", every="daily", tview="Windows")
    assert "anew with each calendar quarter" in text(app) and "One quarter's releases alone" in finding(app)


def test_plan_a_has_steps_of_its_own():
    """Where A is kept, a second staircase stands beside that of the plan."""
    app = opened(example="weekly-dashboard")
    one = len(json.loads(app.get("plotly_chart")[0].proto.spec)["data"])
    app = edit(press(app, "keep_a"), {0: {"count": "2"}})
    assert len(json.loads(app.get("plotly_chart")[0].proto.spec)["data"]) > one


@pytest.mark.parametrize("epsilon", [0.001, 5.0])
def test_without_dates_no_filter_is_said_to_admit_what_it_refuses(epsilon: float):
    """What is chosen along the way has no date here, and is admitted as a whole or not."""
    plan = Plan([Release("Count", Laplace.from_epsilon(epsilon), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    said = text(opened(plan, tview="Windows"))
    assert ("admits everything: the budget is then the promise" in said) == (epsilon < 1)
    assert ("No filter with this budget admits all releases." in said) == (epsilon > 1)


def test_no_bound_is_not_called_more_than_the_budget():
    plan = Plan([Release("Mean", Gaussian(10.0, 1), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    said = finding(opened(plan, tview="Windows"))
    assert "No theorem here bounds" in said and "no sum keeps the budget of **ε = 1**" in said


def test_nothing_is_praised_beside_a_fault_or_without_a_total():
    """Over budget it is said that the checks find nothing; not where they do, nor where nothing bounds the plan."""
    plan = Plan([Release("Daily users", Laplace.from_epsilon(1.0), kind="count")], Guarantee(0.5, 1e-9), "person",
                "add_remove", population=1000, answers=Answers(uses_complete=True, whole_numbers=False))  # fmt: skip
    by_sport = Release("By sport", Laplace.from_epsilon(1.0), kind="histogram")
    stated = replace(by_sport, rows=1)
    order = "no other release reads these data; releases are fixed in advance"
    for releases, assumed in [
        (plan.releases, order), ((by_sport,), f"{order}; each release counts one person at most once"),
        ((*plan.releases, by_sport), f"{order}; “By sport” counts one person at most once"),
        ((*plan.releases, by_sport, replace(by_sport, name="By town")),
            f"{order}; each release of “By sport” and “By town” counts one person at most once"),
        ((*plan.releases, stated), order),
    ]:  # fmt: skip
        shown = opened(replace(plan, releases=releases)).markdown
        [over] = [each.value for each in shown if OVER_ALL_THE_SAME in each.value]
        assert over.endswith(f"budget. Assumed: {assumed}.]")
    [over] = [each.value for each in opened(replace(plan, adaptive=False)).markdown if OVER_ALL_THE_SAME in each.value]
    assert over.endswith("Assumed: no other release reads these data.]")
    wrong = replace(plan, answers=Answers(uses_complete=False, whole_numbers=False))
    none = replace(plan, releases=(Release("Users", Gaussian(3.0, 1), kind="count"),), budget=Guarantee(0.5, 0.0))
    refused = replace(plan, releases=(*plan.releases, Release("Pay", Laplace.from_epsilon(1.0), kind="mean")))
    for each in (wrong, none, refused):
        said = " ".join(found.value for found in opened(each).markdown)
        assert NOTHING_ASKED not in said and OVER_ALL_THE_SAME not in said


@pytest.mark.parametrize("read", ["people", "numbers"])
def test_what_was_typed_for_a_shorter_time_is_asked_for_the_longer_one(read: str):
    """After Undo and Redo, in a link, beside another change; typing more, or saying that it is enough, settles it."""
    year = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31"}
    sick = Release("Days off", Gaussian(900.0), kind="sum", lower=0, upper=30, rows=2, **year)
    plan = Plan([sick, Release("Users", Laplace(400, 1))], Guarantee(9, 1e-6), "patient-year", "add_remove", 1000)

    def asks(app: AppTest) -> bool:
        warned = "typed for a month" in text(app)
        assert warned == ("ithin budget" not in verdict(app)) == ("hat is asked below may change it" in verdict(app))
        assert not (warned and (NOTHING_ASKED in text(app) or OVER_ALL_THE_SAME in text(app)))
        return warned

    app = opened(plan, read=read, columns="dates")
    assert not asks(app)
    app = edit(app, {0: {"cadence": "quarterly"}})
    asked = "2 rows of one patient were typed for a month of “Days off”: are they enough for a quarter?"
    assert asked in text(app) and asks(app)
    app = whole(app.button(key="undo").click().run())
    assert not asks(app)
    app = whole(app.button(key="redo").click().run())
    assert asks(app) and any("still to be said of this plan" in each.value for each in app.warning)
    told = Subject(document(app).plan, unanswered=unanswered(document(app)))
    assert facts(told)["budget"]["within"] is None and facts(told)["open_questions"][0]["question"] == asked
    entry = " ".join(registry_yaml(told).split())
    assert "epsilon: " not in entry and "What it costs is not known until this is said" in entry
    assert "epsilon: " in registry_yaml(replace(told, unanswered=()))
    page = markdown(replace(told, people=read == "people"))
    assert "ithin the budget:" not in page and asked in page
    assert "cannot be said" in page
    app = edit(app, {1: {"count": "2"}})
    assert asks(app) and document(app).typed_shorter == (("Days off", "monthly"),)
    assert asks(opened(permalink.document(permalink.token(document(app))), read=read, columns="dates"))
    waiting = edit(app, {0: {"count": "x"}})
    assert "ithin budget" not in verdict(waiting) and document(waiting).uncounted
    app = edit(waiting, {0: {"count": "1"}})
    assert asks(app), "what does not count for a while is asked again"
    renamed = document(app).edited(replace(document(app).plan, unit="guest-year"))
    assert followed(document(app), renamed).typed_shorter == document(app).typed_shorter
    stated = replace(sick, mechanism=ApproximateDP(0.1, 0.0), cadence="quarterly", kind=None)
    stated = replace(stated, lower=None, upper=None, rows=None)
    lost = "The loss of “Days off” was stated for a month: is it enough for a quarter?"
    assert lost in of_a_longer_time(document(app).edited(Plan([stated])))[0]
    more = edit(app, {0: {"rows": "6"}})
    assert not asks(more) and document(more).plan.releases[0].rows == 6
    app = whole(more.button(key="undo").click().run())
    assert asks(app)
    assert not asks(edit(app, {0: {"cadence": "monthly"}}))
    app = whole(app.button(key="undo").click().run())
    assert asks(app) and not asks(whole(app.button(key="long_enough").click().run()))
    app = whole(app.button(key="undo").click().run())
    assert app.button(key="count_longer").label.replace("\\", "") == "Count 6 (2 in each of up to 3 months)"
    counted = whole(app.button(key="count_longer").click().run())
    assert not asks(counted) and document(counted).plan == document(more).plan
    app = whole(counted.button(key="undo").click().run())
    app = whole(edit(press(app, "keep_a"), {0: {"rows": "6"}, 1: {"count": "x"}}))
    assert "typed for a month" not in text(app) and document(app).uncounted
    app.pills(key="panel").set_value(VERSUS)
    assert asks(press(app.run(), "swap")), "plan A was never settled"
    app = press(app, "swap")
    assert "typed for a month" not in text(app) and document(app).uncounted, "what does not count yet is not lost"


def test_what_comes_out_no_less_often_than_noted_is_not_asked_about():
    """Of two releases of one name in different rhythms, the quicker one keeps its rows."""
    month, day = (Release("Visits", Laplace(40, 4), cadence=each, start="2027-01-01", end="2027-12-31", count=count,
                          kind="count", rows=4) for each, count in (("monthly", 12), ("daily", 365)))  # fmt: skip
    held = replace(Document(Plan([month, day])), typed_shorter=(("Visits", "weekly"),))
    assert longer_times(held) == [(0, "weekly")]
    words, more = counted_longer(held, 0, "weekly")
    assert "(4 in each of up to 6 weeks)" in words and [each.rows for each in more.plan.releases] == [24, 4]
    assert more.plan.releases[0].mechanism.sensitivity == 24, "the 4 that was typed beside 4 rows is too small"


@pytest.mark.parametrize("read", ["people", "numbers"])
def test_a_budget_that_a_filter_keeps_is_passed_on_no_day(read: str):
    """Screen and paper say so of releases that no sum bounds, and of such as add up to more."""
    month = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31"}
    for noise in (Gaussian(40.0, 1.0), Gaussian.from_guarantee(0.4, 1e-8)):
        plan = Plan([Release("Visits", noise, **month)], Guarantee(4, 1e-6), "person-year", "add_remove", 900, True)
        app = opened(plan, read=read)
        assert "A filter keeps all of these releases within the budget" in text(app)
        assert "is passed on" not in text(app) and "is reached on" not in text(app)
        for people in (True, False):
            page = markdown(Subject(plan, people=people))
            assert "more than is allowed" not in page and "is exceeded on" not in page and "ithin" in page


@pytest.mark.parametrize("read", ["people", "numbers"])
def test_where_nothing_is_proved_no_budget_is_said_to_be_passed(read: str):
    """A sum that does not exist passes nothing: from which day on nothing is proved is said, here and on paper."""
    month = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31"}
    visits = Release("Visits", Laplace.from_epsilon(0.05), kind="count", **month)
    model = Release("Model", TrainedModel(60_000, 256, 1.1, epochs=15), start="2027-05-02")
    plan = Plan([visits, model], Guarantee(4, 1e-6), "person-year", "add_remove", 60_000, True)
    app = opened(plan, read=read)
    assert "From 2 May 2027 on no total is proved" in text(app) and "is passed on" not in text(app)
    assert "by Zero-concentrated DP would admit all of them from a budget of ε = " in verdict(app) or read == "people"
    page = markdown(Subject(plan))
    assert "From 2 May 2027 on no total is proved." in page and "is exceeded on" not in page
    dearer = plan.with_(releases=[replace(visits, count=90)], adaptive=False)
    assert "The budget is passed on " in text(opened(dearer, read=read))


@pytest.mark.parametrize("read", ["people", "numbers"])
def test_a_typical_value_of_another_rhythm_is_asked_about_until_it_is_settled(read: str):
    """After Undo and Redo, other edits, and in a link; typing another, the former rhythm, or a press settles it."""
    year = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31"}
    falls = Release("Falls", DiscreteLaplace(12, 2), kind="histogram", rows=2, typical=90, **year)
    plan = Plan([falls, Release("Users", Laplace(400, 1))], Guarantee(9, 1e-6), "patient-year", "add_remove", 1000)
    asked = "90 and 2 rows of one patient were typed for a month of “Falls”: are they those of two weeks, too?"

    def asks(app: AppTest) -> bool:
        return asked in text(app)

    app = opened(plan, read=read, columns="dates")
    assert not asks(app)
    app = edit(app, {0: {"cadence": "fortnightly"}})
    assert asks(app)
    app = whole(whole(app.button(key="undo").click().run()).button(key="redo").click().run())
    assert asks(app)
    app = edit(app, {1: {"count": "2"}})
    assert asks(app)
    assert asks(opened(permalink.document(permalink.token(document(app))), read=read, columns="dates"))
    settled = whole(app.button(key="typical_now").click().run())
    assert not asks(settled) and document(settled).plan == document(app).plan
    app = whole(settled.button(key="undo").click().run())
    assert asks(app) and not asks(edit(app, {0: {"typical": "41"}}))
    app = whole(app.button(key="undo").click().run())
    linked = permalink.token(document(app))
    app.text_input(key="then_typical").set_value("41")
    app.text_input(key="then_rows").set_value("1")
    app = whole(press(app, "take_then"))
    assert not asks(app) and (document(app).plan.releases[0].typical, document(app).plan.releases[0].rows) == (41, 1)
    app = whole(app.button(key="undo").click().run())
    assert asks(app) and not asks(edit(app, {0: {"cadence": "monthly"}}))
    fewer = opened(permalink.document(linked), read=read, columns="dates")
    fewer.text_input(key="then_rows").set_value("1")
    fewer = press(fewer, "take_then")
    [release, _] = document(fewer).plan.releases
    assert not asks(fewer) and (release.typical, release.rows) == (90, 1), "what was left empty is meant, too"
    rarer = whole(app.button(key="undo").click().run())
    assert "then_rows" not in {each.key for each in edit(rarer, {0: {"cadence": "quarterly"}}).text_input}


def test_of_releases_of_one_name_those_with_a_typical_value_are_asked_about():
    """One that has none, or comes out as it did, is left alone."""
    year = {"start": "2027-01-31", "cadence": "monthly", "end": "2027-12-31", "kind": "count"}
    first, bare = (Release("Visits", Laplace(9.0), typical=typical, **year) for typical in (90, None))
    app = opened(Plan([first, bare], Guarantee(9, 1e-6), "patient-year", "add_remove", 1000), columns="dates")
    app = edit(app, {0: {"cadence": "weekly"}})
    assert "The typical value 90 of “Visits” was typed for a month: is it that of a week, too?" in text(app)
    app.text_input(key="then_typical").set_value("25")
    made = document(press(app, "take_then")).plan.releases
    assert [each.typical for each in made] == [25, None] and not [*other_times(document(app))]


def test_what_has_no_date_makes_no_day_the_largest_step():
    """It counts as released before everything else, and so in the first step, no day's own; the month says so."""
    daily = Release("Crashes", Gaussian(40.0), start="2027-03-01", cadence="daily", end="2027-04-29", kind="histogram")
    once = Release("Battery", Laplace(2.0), kind="count")
    said = text(opened(Plan([daily, once], Guarantee(5, 1e-8), "console")))
    assert "largest step" not in said and "with what has no date counted in the first" in said
    later = replace(daily, name="Last", mechanism=Gaussian(2.0), start="2027-05-01", cadence=None, end=None)
    said = text(opened(Plan([daily, later, replace(once, mechanism=Laplace(40.0))], Guarantee(9, 1e-8), "console")))
    assert "The largest step is on 1 May 2027" in said


def test_the_largest_step_names_what_is_made_on_its_day():
    """One release or two; of more the day alone."""
    polls = [Release(f"Poll {number}", RandomizedResponse(1.0), start="2027-11-01") for number in (1, 2, 3)]
    day = Release("Visits", Laplace.from_epsilon(0.1), kind="count", start="2027-03-01")
    for many, named in ((1, " (“Poll 1”)"), (2, " (“Poll 1” and “Poll 2”)"), (3, "")):
        plan = Plan([day, *polls[:many]], Guarantee(9, 1e-6), "patient-year", "add_remove", 1000)
        said = [each.value for each in opened(plan).markdown if "largest step" in each.value]
        assert [f"The largest step is on 1 November 2027{named}" in each.replace("\\", "") for each in said] == [True]
