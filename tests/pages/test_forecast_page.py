"""The forecast page, driven without a browser: the story, dates in the table, hostile addresses, tabs."""

import json
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, Subsampled
from dpviz.advice import CHECKS
from dpviz.schedule import dated, exhaustion, forecast
from dpviz.ui import examples, shell
from dpviz.ui import forecast as page


def opened(plan: Plan | None = None, **parameters: object) -> AppTest:
    """The page at an address, with a plan of one's own if one is given."""
    app = AppTest.from_file(str(shell.ROOT / "pages" / "forecast.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    if plan is not None:
        text = plan.to_json()
        from dpviz.ui import plan_rows

        app.session_state["held"] = app.session_state["example"] = examples.OWN
        app.session_state["plan"] = app.session_state["opened"] = text
        app.session_state["draft"], app.session_state["revision"] = plan_rows.rows_of(plan), 0
        app.session_state["past"] = []
    return whole(app.run())


def whole(app: AppTest, charts: int | None = None) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert app.title[0].value == "When is it spent, and which lever buys most?"
    assert charts is None or len(app.get("plotly_chart")) == charts
    return app


def finding(app: AppTest) -> str:
    return app.markdown[0].value.replace("\\", "")


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def text(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.info, *app.error]
    return "\n".join(each.value for each in shown).replace("\\", "")


def test_a_newcomer_sees_an_answer():
    """Without any date, the mobility example is repeated daily: what a person loses is told from what a day costs."""
    app = whole(opened(tview="Windows"), charts=1)
    assert "A **person** who is in the data every day loses at most **ε = 131.9** by **31 December 2026**" in finding(
        app
    )
    assert "the budget of **ε = 4** is passed on **3 January 2026**" in finding(app)
    assert "One **user-day** is touched by one day's releases only: at most **ε = 2.488**" in finding(app)
    assert figures(app)["Fits"] == "2 of 365" and figures(app)["Exhausted on"] == "3 Jan 2026"
    assert "does not bound what all of them together reveal" in text(app)
    assert "Assumed: the releases of one day read the data of that day only." in text(app)


def test_the_story_of_the_user_month():
    """Thirty days of reports exceed 10 in the first month, and a year of them costs what the core says."""
    app = opened(example="mobility-30-days", eps="10", tview="Windows")
    plan = dated(examples.plan_of("mobility-30-days"), date(2026, 1, 1), "monthly", date(2026, 12, 31))
    total = forecast(plan).epsilon.iloc[-1]
    assert 130 < total < 130.5 and "**ε = 130.5**" in finding(app)
    assert "the budget of **ε = 10** is passed on **1 January 2026**" in finding(app)
    assert "One **user-month** is touched by one month's releases only: at most **ε = 21.98**" in finding(app)
    assert figures(app)["Fits"] == "nothing"


def test_dates_in_the_table_are_used():
    """Start, cadence and end typed into the table take the place of the sidebar's schedule."""
    app = opened(example="lecture-11", tview="Releases")
    key = f"forecast_table_{app.session_state['revision']}"
    cells = {"start": "2026-03-01", "cadence": "weekly", "end": "2026-03-31"}
    app.session_state[key] = {"edited_rows": {0: cells}, "added_rows": [], "deleted_rows": []}
    app = whole(app.run(), charts=1)
    plan = Plan.from_json(app.session_state["plan"])
    assert plan.releases[0].occurrences == 5
    day = exhaustion(plan)
    assert f"{day.day} March 2026" in finding(app) and "by **29 March 2026**" in finding(app)
    app = whole(app.button(key="reopen").click().run())
    assert "by **1 December 2026**" in finding(app)


def test_a_wrong_date_is_named_and_nothing_is_lost():
    app = opened(example="lecture-11", tview="Releases")
    key = f"forecast_table_{app.session_state['revision']}"
    app.session_state[key] = {"edited_rows": {0: {"start": "1.3.2026"}}, "added_rows": [], "deleted_rows": []}
    app = whole(app.run(), charts=1)
    assert "must be a date such as" in app.error[0].value.replace("\\", "")
    assert "by **1 December 2026**" in finding(app)


@pytest.mark.parametrize(
    ("every", "uses"), [("by unit", "4,380"), ("daily", "4,380"), ("weekly", "636"), ("monthly", "144"), ("not", "")]
)
def test_the_schedule_of_the_sidebar(every: str, uses: str):
    """A unit such as user-day is repeated daily, unless another cadence is chosen."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.01), 12)], Guarantee(2, 1e-6), unit="user-day")
    app = opened(plan, every=every, tview="Windows")
    assert ("No release has a date" in finding(app)) == (every == "not")
    assert f"the last after {uses} releases" in text(app) or every == "not"


def test_room_for_more_where_the_schedule_fits():
    """Twelve uses of 0.1 leave room for eight more at δ = 0, counted in decimals."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1))], Guarantee(2, 0))
    app = opened(plan, tview="Windows")
    assert "within the budget of **ε = 2**" in finding(app)
    assert figures(app)["Room"] == "about 8 more" and figures(app)["Exhausted on"] == "never"


@pytest.mark.parametrize("view", page.VIEWS)
def test_an_empty_plan_says_what_to_do(view: str):
    app = whole(opened(example="own", tview=view), charts=0)
    assert "Nothing is released yet" in finding(app) and app.button(key="open_first").label
    app = whole(app.button(key="open_first").click().run())
    assert "user-day" in finding(app)


def test_chosen_along_the_way_only_sums_and_filters():
    """The curve adds up, and the page says how long a filter with the budget would last."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.01))], Guarantee(1, 1e-6), adaptive=True, unit="user-day")
    app = whole(opened(plan, tview="Windows"), charts=1)
    assert "by adding up, since releases are chosen along the way" in finding(app)
    assert figures(app)["Exhausted on"] == "11 Apr 2026"
    assert "Zero-concentrated DP** with this budget admits everything" in text(app)


def test_no_theorem_bounds_it():
    """At δ = 0 Gaussian noise has no total: the page says so, draws what there is, and offers what comes before."""
    noise = Release("Mean", Gaussian(1), start=date(2026, 3, 1))
    plan = Plan([Release("Count", Laplace.from_epsilon(0.1), start=date(2026, 2, 1)), noise], Guarantee(2, 0))
    app = whole(opened(plan, tview="Windows"), charts=1)
    assert "No theorem bounds" in finding(app) and figures(app)["Spent by 1 Mar 2026"] == "no bound"
    assert figures(app)["Fits"] == "1 of 2"


def test_levers_are_drawn_lazily_and_delta_stands_apart():
    assert len(opened(tview="Checks").get("plotly_chart")) == 1
    app = whole(opened(tview="Levers"), charts=2)
    assert "Most is bought by **noise 10 % larger**" in text(app).replace("\u2060", "")
    assert "δ is no lever" in text(app)


def test_checks_say_what_they_find_and_what_not():
    """Every check is named: with its reason, or among those that found nothing."""
    app = opened(tview="Checks")
    shown = text(app).replace("\u2060", "")
    assert all(check.label in shown for check in CHECKS) and "checks found nothing" in shown
    noise = Subsampled(Gaussian(2.0), 0.01, "poisson")
    app = opened(Plan([Release("SGD", noise, 100)], Guarantee(2, 1e-6)), tview="Checks", batches="shuffled")
    assert len([mark for mark in app.markdown if mark.value.startswith("⚠️")]) >= 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"every": "hourly", "from": "yesterday", "until": "2026-13-01", "window": "decade", "taxis": "x"},
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
    app = whole(opened(**({"tview": "Windows"} | parameters)), charts=1)
    if parameters.get("until") == "2027-05-04":
        assert "Until must not lie before 5 May 2027" in app.error[0].value
    if parameters.get("window") == "quarter":
        assert "A budget that starts anew each quarter" in text(app) and "One quarter's releases alone" in finding(app)
    if parameters.get("until") == "2099-12-31":
        assert "windows must be in [0, 4000]" in text(app)


def test_the_chart_draws_what_the_core_computes():
    """The staircase of the figure carries the totals of the forecast."""
    app = opened(example="lecture-11", tview="Windows")
    [chart] = app.get("plotly_chart")
    stairs = [trace for trace in json.loads(chart.proto.spec)["data"] if "all the time" in trace["name"]]
    plan = dated(examples.plan_of("lecture-11"), date(2026, 1, 1), "monthly", date(2026, 12, 31))
    assert stairs[0]["y"][1:-1] == forecast(plan).epsilon.tolist()


def test_words_avoid_symbols():
    app = opened(read="words", tview="Windows")
    assert "privacy loss of at most **131.9**" in finding(app) and "ε" not in finding(app)
    assert "except with probability at most 1 in 1,000,000" in finding(app)


@pytest.mark.parametrize(
    ("unit", "window"),
    [("user-day", "day"), ("device week", "week"), ("User_Month", "month"), ("person", ""), ("day", ""), ("-", "")],
)
def test_units_name_their_window(unit: str, window: str):
    assert page.window_of(unit) == window
