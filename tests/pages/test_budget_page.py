"""The budget page, driven without a browser: the story, extremes, hostile addresses, what cannot be solved."""

import json
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled, compose
from dpviz.accuracy import LEFT_OUT
from dpviz.ui import plan_rows, shell

TITLE = "How do I split the budget, and how accurate is each number?"
PAGE = str(shell.ROOT / "pages" / "budget.py")
NOISE, MORE, ACCURACY = "noise for the budget", "how many more", "ε for an accuracy"


def opened(plan: Plan | None = None, **parameters: str) -> AppTest:
    """The page at an address, with the plan of an example or this one."""
    app = AppTest.from_file(PAGE, default_timeout=60)
    app.session_state[shell.ENTERED] = True  # as if app.py had run: without its home page first
    for name, value in parameters.items():
        app.query_params[name] = value
    if plan is not None:
        app.session_state["held"] = "own"
        app.session_state["plan"] = app.session_state["opened"] = plan.to_json()
        app.session_state["draft"], app.session_state["revision"] = plan_rows.rows_of(plan), 0
        app.session_state["past"] = []
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert app.title[0].value == TITLE
    return app


def finding(app: AppTest) -> str:
    return app.markdown[0].value.replace("\u00a0", " ")


def charts(app: AppTest) -> list[list[dict]]:
    return [json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")]


def plan_of(app: AppTest) -> Plan:
    return Plan.from_json(app.session_state["plan"])


def button(app: AppTest, key: str):
    return app.button(key=key)


def table(app: AppTest):
    """The exact values: the first table of the tabs."""
    return next(each.value for each in app.dataframe if "noise_then" in each.value)


MIXED = Plan(
    [
        Release("visits", Laplace(10.0), 4, typical=5.0),
        Release("ages", Gaussian(8.0), typical=400.0, weight=2.0),
        Release("choice", RandomizedResponse(0.1)),
        Release("box", ApproximateDP(0.05, 1e-9)),
    ],
    Guarantee(3.0, 1e-6),
)


def test_a_new_visitor_sees_a_finished_answer():
    """The first screen: the noise that the published example could do with, before and after."""
    app = opened()
    assert "Within **ε = 4** (**δ = 10⁻⁶**), the noise of these **18 releases** can shrink by **36 %**" in finding(app)
    assert "every number would then lie within **±17.4** of the exact answer with **95 %**" in finding(app)
    split, dots = charts(app)
    assert [bar["name"] for bar in split] == ["now", "now", "then", "then"]
    assert {trace["name"] for trace in dots} == {"now: within", "now: beyond", "then: within", "then: beyond"}
    assert "19 of 20 releases" in " ".join(each.value for each in app.markdown)
    assert any(LEFT_OUT in each.value for each in app.caption)


def test_using_the_noise_meets_the_budget_and_undo_takes_it_back():
    """The answer becomes the plan, within its budget; the present plan is kept as A; undo returns."""
    app = opened()
    before = plan_of(app)
    whole(button(app, "keep_a").click().run())
    assert Plan.from_json(app.session_state["plan_a"]) == before
    whole(button(app, "use_it").click().run())
    total = compose(plan_of(app), before.budget.delta).epsilon
    assert before.budget.epsilon * 0.999 <= total <= before.budget.epsilon
    assert "can stay as it is" in finding(app)
    whole(button(app, "budget_undo").click().run())
    assert plan_of(app) == before


def test_how_many_more_become_the_plan():
    """The number that fits is used, and not one more fits then."""
    app = opened(solve=MORE)
    whole(app.number_input(key="like").set_value(2).run())
    assert "more** of row 2" in finding(app)
    whole(button(app, "use_it").click().run())
    after = plan_of(app)
    assert after.releases[1].count > 4
    assert compose(after, after.budget.delta).epsilon <= after.budget.epsilon
    assert "No more of row 2" in finding(app)


def test_an_accuracy_has_a_price_for_each_kind_of_noise():
    """The least ε, against the budget; using it gives every number that accuracy."""
    app = opened(solve=ACCURACY, within="5")
    assert "To keep every number within **±5** with **95 %**" in finding(app)
    assert "**more than** the budget of ε = 4" in finding(app)
    prices = next(each.value for each in app.dataframe if "theorem" in each.value and "noise" in each.value)
    assert len(prices) == 3
    whole(button(app, "raise_budget").click().run())
    assert "**within** the budget" in finding(app)
    whole(button(app, "use_it").click().run())
    assert all(4.99 <= float(width[1:]) <= 5 for width in table(app)["width"])


def test_a_split_is_in_the_address():
    """The address names the split as people read it."""
    app = opened(MIXED, split="Least variance")
    assert app.selectbox(key="split").value == "variance"
    assert finding(app) != finding(opened(MIXED)) and re.search(r"can shrink by \*\*\d+ to \d+ %\*\*", finding(app))


def test_all_at_once_is_wider():
    """The joint interval asks more of every number."""
    app = opened(joint="true")
    assert "all numbers at once would then lie within" in finding(app)
    assert table(app)["width"].iloc[0] > table(opened())["width"].iloc[0]


def test_noise_above_the_signal_is_said_in_words():
    """A typical value below ±w is flagged; without one, the page asks for it."""
    app = opened(MIXED)
    signals = table(app)["signal"].tolist()
    assert signals[0] == "the noise exceeds the signal" and signals[1] == "the noise stays below the signal"
    assert signals[2:] == ["no noise", "no noise"]
    assert any("In 1 of 2 releases" in each.value for each in app.caption)
    assert any("Give typical values" in each.value for each in opened().caption)


def test_kept_and_done_rows_stay_as_they_are():
    """Rows that are kept, or done, keep their noise; done makes the plan adaptive, which the page explains."""
    app = opened(MIXED)
    app.session_state["keep"] = [1]
    assert table(whole(app.run()))["noise_then"].iloc[0] == "b = 10"
    done = replace(MIXED.releases[0], done=True)
    app = opened(Plan([done, *MIXED.releases[1:]], Guarantee(3.0, 1e-6)))
    assert table(app)["noise_then"].iloc[0] == "b = 10"
    [note] = [each.value for each in app.caption if "already seen" in each.value]
    assert "only a privacy filter or basic composition may be quoted" in note and "1 of its releases are done" in note


def test_choosing_along_the_way_names_its_price():
    """The noise of an adaptive plan against the same plan fixed in advance."""
    app = opened()
    whole(app.toggle(key="adaptive").set_value(True).run())
    [note] = [each.value for each in app.caption if "already seen" in each.value]
    assert "times** the noise of the same plan fixed in advance" in note


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (Plan([Release("a", Laplace(1.0))]), "no limit"),
        (Plan([Release("a", Laplace(1.0))], Guarantee(0.0, 1e-6)), "No noise keeps these releases"),
        (Plan([Release("a", Gaussian(1.0))], Guarantee(1.0, 0.0)), "No noise keeps these releases"),
        (Plan([Release("a", ApproximateDP(2.0, 1e-3))], Guarantee(1.0, 1e-6)), "No noise keeps these releases"),
        (Plan([Release("a", Laplace(1.0), done=True), Release("b", Laplace(1.0))], Guarantee(0.5)), "No noise"),
        (Plan([]), "Nothing is released yet"),
        (Plan([Release("a", Laplace(1.0), 0)]), "Nothing is released yet"),
    ],
)
def test_what_cannot_be_solved_says_why(plan: Plan, reason: str):
    """One sentence with the reason instead of an answer, and a next step; charts are never empty."""
    app = opened(plan)
    assert reason in finding(app)
    assert not any(trace["name"].startswith("then") for chart in charts(app) for trace in chart)
    assert all(chart for chart in charts(app))
    if plan.releases and plan.releases[0].uses and plan.budget.epsilon != 0:
        steps = {"raise_budget", "usual_delta"} & {each.key for each in app.button}
        assert steps or plan.releases[0].mechanism == ApproximateDP(2.0, 1e-3)


@pytest.mark.parametrize("solve", [NOISE, MORE, ACCURACY])
@pytest.mark.parametrize(
    "plan",
    [
        MIXED,
        replace(MIXED, adaptive=True, releases=MIXED.releases[::2]),
        Plan([Release("x" * 80, Laplace.from_epsilon(50.0), 1000)], Guarantee(1e-6, 1e-30)),
        Plan([Release("<b>$x$</b>", Laplace.from_epsilon(1e-6), 10**6)], Guarantee(50.0, 0.5), unit="*user*"),
        Plan([Release("s", Subsampled(Gaussian(2.0), 0.01, "poisson"), 100)], Guarantee(1.0, 1e-6)),
        Plan([Release("n", Laplace(1.0), part="a"), Release("m", Laplace(2.0), part="b")], Guarantee(1.0, 1e-6)),
        Plan([Release(f"r{row}", Laplace(1.0 + row)) for row in range(30)], Guarantee(1.0, 1e-6)),
        Plan([Release("c", RandomizedResponse(1.0))], Guarantee(1.0, 1e-6)),
    ],
    ids=["mixed", "adaptive", "loud", "many", "sampled", "parts", "long", "told bit"],
)
def test_extremes(plan: Plan, solve: str):
    """Every question has an answer or a reason for every plan; in words, too."""
    app = opened(plan, solve=solve, read="words")
    assert "privacy loss of" in finding(app)
    assert "nan" not in finding(app) and "inf" not in finding(app).replace("information", "")
    assert charts(app) and all(chart for chart in charts(app))


@pytest.mark.parametrize("tab", ["Error against budget"])
@pytest.mark.parametrize("plan", [MIXED, replace(MIXED, adaptive=True, releases=MIXED.releases[::2])])
def test_the_error_falls_and_the_risk_grows_with_the_budget(plan: Plan, tab: str):
    """Two panels over the budget: more ε, less error, more right guesses; the present budget among the points."""
    app = opened(plan, see=tab)
    error, risk = charts(app)[-1]
    assert error["y"] == sorted(error["y"], reverse=True) and risk["y"] == sorted(risk["y"])
    assert 3.0 in error["x"] and error["x"] == sorted(error["x"])
    assert all(50 <= value <= 100 for value in risk["y"])


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "solve": "<script>",
            "split": "best",
            "sure": "101",
            "within": "-3",
            "like": "0",
            "look": "99",
            "keep": "77,x",
        },
        {"sure": "nan", "see": "nothing", "joint": "perhaps", "keep": "[[", "within": "inf", "like": "1e9"},
        {"split": "💥" * 20, "look": "-1", "keep": "1" * 400, "sure": "", "within": ""},
    ],
)
def test_hostile_addresses_fall_back(parameters: dict[str, str]):
    """What an address may not say is ignored."""
    assert "can shrink by **36 %**" in finding(opened(**parameters))


def test_why_shows_every_split_at_work():
    """Statement, assumptions, source and a worked line of each split, where the expander is open."""
    app = opened(MIXED)
    app.session_state["why_split"] = True
    whole(app.run())
    text = " ".join(each.value for each in app.markdown)
    for label in ("As planned, scaled", "Equal noise", "By weight", "Least variance", "Equal relative error"):
        assert f"**{label}**" in text
    assert text.count("Here: noise ×") >= 4 and len(app.latex) >= 8
