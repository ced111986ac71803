"""The scenarios page, driven without a browser: first visit, the story, extremes, hostile addresses, A kept."""

import json
import math
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, NameAndShame, Plan, RandomizedResponse, Release, compose
from dpviz.planning.scenario import Totals
from dpviz.ui.plan.versus import view as scenarios
from dpviz.ui.shell import examples, shell

TITLE = "What changes from A to B, and what do others publish?"
HOSTILE = "<img src=x onerror=alert(1)>](javascript:alert(1))$$\\frac{"


def opened(plan: Plan | None = None, **parameters: str) -> AppTest:
    """The page at an address, or with a plan opened from a file."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page(str(shell.ROOT / "pages" / "scenarios.py"))
    whole(app.run())
    if plan is not None:
        whole(app.file_uploader[0].set_value(("plan.json", plan.to_json().encode(), "text/plain")).run())
    return app


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert app.title[0].value == TITLE
    assert charts(app)["published"]
    return app


def charts(app: AppTest) -> dict[str, list]:
    """The traces of the charts, by what they show."""
    found = {}
    for chart in app.get("plotly_chart"):
        traces = json.loads(chart.proto.spec)["data"]
        names = {trace.get("name") for trace in traces}
        kind = "published" if "current plan" in names else "bars" if traces[0]["type"] == "bar" else "errors"
        found[kind] = traces
    return found


def press(app: AppTest, key: str) -> AppTest:
    return whole(app.button(key=key).click().run())


def finding(app: AppTest) -> str:
    return app.markdown[0].value.replace("\u00a0", " ").replace("\\", "")


def marks(app: AppTest) -> list[float]:
    """Where the current plan stands among the published deployments."""
    return next(trace["x"] for trace in charts(app)["published"] if trace["name"] == "current plan")


def test_the_first_visit_is_a_finding():
    """A is B: that is said, three ways on are offered, and the plan stands among the deployments of its unit."""
    app = opened()
    assert "**user-day** **ε = 2.488**" in finding(app) and "**4** published deployments" in finding(app)
    assert "the same plan" in app.markdown[1].value
    assert {"solve_b", "twice", "month"} <= {button.key for button in app.button}
    assert set(charts(app)) == {"published"} and marks(app)[1] == 2.64


def test_the_story_of_the_month():
    """The user-month over its budget of 10; the noise that just uses it; what changes; A and B exchanged and back."""
    app = opened(example="mobility-30-days")
    whole(app.number_input(key="eps").set_value(10.0).run())
    assert "The budget goes from 40 to **10**" in finding(app)
    app = press(app, "solve_b")
    text = finding(app)
    assert "**user-month** (added or removed) **ε = 10** instead of **21.98**" in text
    assert "grows from ±27.3 to" in text and "every other one by the same factor" in text
    assert set(charts(app)) == {"published", "bars", "errors"}
    before = app.session_state["document"].plan
    assert 9.999 < compose(before, before.budget.delta).epsilon <= 10
    app = press(app, "swap")
    assert "**ε = 21.98** instead of **10**" in finding(app) and "falls from" in finding(app)
    app = press(app, "undo")
    assert finding(app) == text and app.session_state["document"].plan == before
    assert app.number_input(key="eps").value == 10.0


def test_open_a_again_and_undo():
    """A becomes the current plan; undo brings B back, with its budget in the sidebar."""
    app = press(opened(), "twice")
    whole(app.number_input(key="eps").set_value(7.0).run())
    text = finding(app)
    app = press(app, "open_a")
    assert "the same plan" in app.markdown[1].value and app.number_input(key="eps").value == 4.0
    assert app.selectbox(key="example").value == "mobility"
    assert finding(press(app, "undo")) == text


def test_a_is_kept_across_pages_and_edits():
    """What was kept as A stays while B is edited, here and elsewhere."""
    app = press(press(opened(), "twice"), "keep_a")
    assert "the same plan" in app.markdown[1].value
    kept = app.session_state["document"].baseline
    assert kept == examples.plan_of("mobility").repeated(2)
    app.switch_page(str(shell.ROOT / "pages" / "plan.py")).run()
    app.selectbox(key="example").set_value("lecture-11").run()
    app.switch_page(str(shell.ROOT / "pages" / "scenarios.py")).run()
    whole(app.run())  # the first run after a switch still reads the address of the page before, in this harness
    assert app.session_state["document"].baseline == kept
    assert "A and B promise different things" in finding(app)
    assert finding(press(app, "undo")).startswith("The plan costs one **user-day**")


def test_another_unit_is_no_difference():
    """The example for the month as B: both are given, nothing is subtracted, and the plan changes its row."""
    app = press(opened(), "month")
    assert (
        "not to be subtracted" in finding(app) and "**ε = 2.488**" in finding(app) and "**ε = 21.98**" in finding(app)
    )
    assert marks(app)[1] == 79.2
    assert "the same plan" in press(app, "undo").markdown[1].value


def test_words_have_no_symbols():
    """In words the finding speaks of privacy loss, odds and chances."""
    app = press(opened(read="words"), "twice")
    assert "a privacy loss of at most **3.99" in finding(app) and "of 100 results" in finding(app)
    assert "ε" not in finding(app) and "δ" not in finding(app)


def test_an_infeasible_noise_says_why():
    """A leak that no noise mends leaves B as it was."""
    app = opened(Plan([Release("x", NameAndShame(1e-3)), Release("y", Laplace(1.0))], Guarantee(1.0, 1e-6)))
    app = press(app, "solve_b")
    assert len(app.warning) == 1 and "B stays as it was" in app.warning[0].value
    assert "the same plan" in app.markdown[1].value
    assert not whole(app.run()).warning


@pytest.mark.parametrize(
    "plan",
    [
        Plan([]),
        Plan([Release("x", Laplace(1.0), 0)]),
        Plan([Release("g", Gaussian(1.0))], Guarantee(1.0, 0.0)),
        Plan([Release("g", Gaussian(1.0))], adaptive=True),
        Plan([Release("r", RandomizedResponse(50.0), 1_000_000_000)], Guarantee(1.0, 0.5)),
        Plan([Release("r", RandomizedResponse(1e-6))], Guarantee(0.0, 1e-30)),
        Plan([Release("b", ApproximateDP(1.0, 1e-3))], Guarantee(1.0, 1e-6)),
        Plan([Release(HOSTILE[:60], Laplace(1.0))], Guarantee(1.0, 1e-6), HOSTILE[:60]),
    ],
    ids=range(8),
)
def test_extremes(plan: Plan):
    """Whatever the plan: a finding, no error, and the comparison with its double."""
    app = opened(plan)
    assert finding(app).startswith(("The plan", "Nothing bounds what the plan")) and "nan" not in finding(app)
    assert all("<img" not in each.value.replace("\\<", "") for each in app.markdown)
    if [button for button in app.button if button.key == "twice"] and plan.releases[0].count < 10**9:
        assert set(charts(press(app, "twice"))) >= {"published", "bars"}


def test_nothing_bounds_b():
    """At δ = 0 Gaussian noise has no total: both costs are said, each at its δ, and no infinite difference."""
    app = opened(example="weekly-dashboard")
    whole(app.number_input(key="delta").set_value(0.0).run())
    text = finding(app)
    assert text.startswith("Nothing bounds what B costs one **person** (added or removed) (δ = 0); A costs **ε = 5.072")
    assert "(δ = 10⁻⁸)" in text and "no bound" not in text and "instead of 5" not in text
    assert "What it costs: nothing bounds B" in [each.value.strip("*") for each in app.markdown]
    assert "∞" not in "".join(app.dataframe[-1].value.difference)
    assert finding(press(app, "swap")).startswith(
        "B costs one **person** (added or removed) **ε = 5.072** (δ = 10⁻⁸); "
    )
    assert "nothing bounds what A costs (δ = 0)" in finding(app)


def test_nothing_bounds_either():
    app = press(opened(Plan([Release("g", Gaussian(1.0))], Guarantee(1.0, 0.0))), "twice")
    assert "Nothing bounds what B costs one **person** (added or removed) (δ = 0), nor what A costs" in finding(app)


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("epsilon", 2.487314518127013, "2.48731452"), ("epsilon", math.inf, "none"), ("epsilon", None, "–"),
        ("budget", 4.0, "4"), ("budget", 2.9999999999, "2.99999999"), ("budget", math.inf, "no limit"),
        ("uses", 18.0, "18"), ("uses", 1e9, "1,000,000,000"), ("releases", 9.0, "9"), ("delta", 1e-6, "10⁻⁶"),
    ],
)  # fmt: skip
def test_exact_values_are_read_easily(quantity: str, value: float | None, text: str):
    """Counts are whole, a limit is never shown larger, a cost never smaller than it is."""
    assert scenarios.exact(quantity, value) == text


def test_nothing_differs_is_folded():
    """Another budget alone changes no total and no error: the bars wait in a folded place."""
    app = opened()
    whole(app.number_input(key="eps").set_value(7.0).run())
    assert "The budget goes from 4 to **7**" in finding(app)
    assert any("No total and no error differs" in each.label for each in app.expander)
    assert not any("No total" in each.label for each in press(app, "twice").expander)


def test_a_billion_uses_are_not_doubled():
    """What the plan does not allow is said, and B stays."""
    app = press(opened(Plan([Release("r", RandomizedResponse(1e-6), 1_000_000_000)])), "twice")
    assert len(app.warning) == 1 and "the same plan" in app.markdown[1].value


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "nan"}, {"delta": "2"}, {"unit": "*" * 500}, {"unit": "\x00"}, {"rel": "both"}, {"read": "x"},
        {"example": "../../etc/passwd"}, {"abview": "<b>"}, {"plan_a": "{}"}, {"nonsense": "1"},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_addresses(parameters: dict):
    """A bad value falls back to the default, and the finding is there."""
    assert "**ε = 2.488**" in finding(opened(**parameters))


@pytest.mark.parametrize("view", ["Plan by plan", "Release by release", "Published deployments"])
def test_tables(view: str):
    """Each table opens by its address and holds its rows."""
    app = opened(abview=view)
    table = app.dataframe[-1].value
    rows = {"Plan by plan": 8, "Release by release": 4 * 9, "Published deployments": 31}
    assert len(table) == rows[view]
    if view == "Published deployments":
        assert table.source.str.startswith("http").all() and "not stated" in set(table.delta)
        assert set(table.review_status) == {"Pending"}


def test_an_edit_works_out_the_edited_plan_alone(monkeypatch):
    """What is known of A is kept, and nothing is worked out twice."""
    releases = [Release(f"r{n}", (Laplace, Gaussian)[n % 2](3 + 0.37 * n), 1 + n % 7) for n in range(20)]
    app = opened(Plan(releases, Guarantee(4.0, 1e-6)))
    press(app, "twice")
    present = app.session_state["document"]
    edited = replace(present.plan, releases=(replace(present.plan.releases[0], count=9), *present.plan.releases[1:]))
    app.session_state["document"] = present.edited(edited)
    asked, of = [], Totals.of
    monkeypatch.setattr(Totals, "of", lambda plan: asked.append(plan) or of(plan))
    whole(app.run())
    assert asked == [edited]
