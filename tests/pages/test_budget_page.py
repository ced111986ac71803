"""The budget page, driven without a browser: the story, extremes, hostile addresses, what cannot be solved."""

import json
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled, compose
from dpviz.accuracy import LEFT_OUT, half_width, joint_confidence
from dpviz.ui import budget_words, plan_rows, shell

TITLE = "How do I split the budget, and how accurate is each number?"
PAGE = str(shell.ROOT / "pages" / "budget.py")
NOISE, MORE, ACCURACY = "noise for the budget", "how many more", "ε for an accuracy"


def opened(plan: Plan | None = None, **parameters: str | list[str]) -> AppTest:
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
    assert "every number would then lie within **±17.4** of the exact answer with probability **95 %**" in finding(app)
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
    assert app.selectbox(key="like").options[1] == f"2 · {plan_of(app).releases[1].name}"
    whole(app.selectbox(key="like").set_value(2).run())
    assert app.query_params["like"] == "2"
    assert "more** of row 2" in finding(app)
    whole(button(app, "use_it").click().run())
    after = plan_of(app)
    assert after.releases[1].count > 4
    assert compose(after, after.budget.delta).epsilon <= after.budget.epsilon
    assert "No more of row 2" in finding(app)


def test_an_accuracy_has_a_price_for_each_kind_of_noise():
    """The least ε, against the budget; using it gives every number that accuracy."""
    app = opened(solve=ACCURACY, within="5")
    assert "To keep every number within **±5** with probability **95 %**" in finding(app)
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
    app = opened(atonce="true")
    assert "all numbers at once, counting one number per use, would then lie within" in finding(app)
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
    """Rows that are kept, or done, keep their noise; a plan of which something is done stays fixed in advance."""
    app = opened(MIXED)
    app.session_state["keep"] = [1]
    assert table(whole(app.run()))["noise_then"].iloc[0] == "b = 10"
    done = replace(MIXED.releases[0], done=True)
    app = opened(Plan([done, *MIXED.releases[1:]], Guarantee(3.0, 1e-6)))
    assert table(app)["noise_then"].iloc[0] == "b = 10"
    assert not [each.value for each in app.caption if "already seen" in each.value]


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
        (Plan([Release("a", ApproximateDP(2.0, 1e-3))], Guarantee(1.0, 1e-6)), "No release can be adjusted"),
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
        {"sure": "nan", "see": "nothing", "atonce": "perhaps", "keep": "[[", "within": "inf", "like": "1e9"},
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


def test_rows_that_are_kept_count_for_all_at_once():
    """All numbers lie inside at once: those of rows that are kept are among them, one kept or all."""
    widths = []
    for kept in ([], ["1"], ["1", "2", "3", "4"]):
        app = opened(example="weekly-dashboard", atonce="true", keep=kept)
        uses = sum(release.uses for release in plan_of(app).releases)
        shown = table(app)
        sure = joint_confidence(0.95, uses)
        for width, release in zip(shown["width"], plan_of(app).releases, strict=True):
            if kept and (len(kept) == 4 or release is plan_of(app).releases[0]):
                assert float(width[1:]) == pytest.approx(half_width(release.mechanism, sure), rel=1e-5)
        widths.append(app.metric[2].value)
    assert len(set(widths)) == 1


def test_an_accuracy_for_all_at_once_counts_kept_rows():
    """The price of ±w for all at once is that of the confidence that all numbers need, kept or not."""
    plan = Plan([Release("a", Gaussian(5.0), 3), Release("b", Gaussian(5.0), 9)], Guarantee(1.0, 1e-6))
    app = opened(plan, solve=ACCURACY, within="20", atonce="true", keep="2")
    assert "counting one number per use, of the rows that are not kept within **±20**" in finding(app)
    whole(button(app, "use_it").click().run())
    assert half_width(plan_of(app).releases[0].mechanism, joint_confidence(0.95, 12)) == pytest.approx(20, rel=1e-5)
    assert plan_of(app).releases[1] == plan.releases[1]


def test_along_the_way_without_a_sum_is_no_bound():
    """A plan that only a filter bounds is not said to cost nothing, and its bars do not deny the filter."""
    app = opened(example="weekly-dashboard", adaptive="true")
    assert app.metric[0].value == "no bound" and "none by adding up" in app.metric[0].delta
    texts = {text for trace in charts(app)[0] for text in trace["text"]}
    assert "only a filter bounds it" in texts and not any("no theorem" in text for text in texts)


def test_a_title_never_goes_from_a_number_to_itself():
    """Used noise stays as it is, in the finding and in the title."""
    app = opened(example="weekly-dashboard")
    whole(button(app, "use_it").click().run())
    titles = " ".join(each.value for each in app.markdown)
    assert "can stay as it is" in finding(app) and "The widest error stays as it is" in titles
    for was, now in re.findall(r"goes from (\S+) to (\S+)", titles):
        assert was != now


def test_one_accuracy_for_rows_in_different_units_is_warned_of():
    """What becomes worse is counted in the title, and rows for which ±w is no accuracy are named."""
    app = opened(example="mobility-30-days", solve=ACCURACY, within="20")
    assert any("The widest error shrinks from" in each.value and "of 9 grow" in each.value for each in app.markdown)
    plan = Plan(
        [
            Release("visits", Laplace(10.0)),
            Release("minutes", Laplace(0.03)),
            Release("few", Laplace(9.0), typical=5.0),
        ],
        Guarantee(3.0),
    )
    [warning] = [each.value for each in opened(plan, solve=ACCURACY, within="20").warning]
    assert "row 2, “minutes”, row 3, “few”: keep them as they are" in warning and "visits" not in warning
    [warning] = [each.value for each in opened(plan, solve=ACCURACY, within="20", keep="3").warning]
    assert "row 2, “minutes”: keep it as it is" in warning and "few" not in warning
    assert not opened(plan, solve=ACCURACY, within="20", keep=["2", "3"]).warning


def test_a_split_says_what_it_lacks():
    """Missing typical values are no matter of the budget; a button leads to a split that needs none."""
    app = opened(example="mobility-30-days", split="Equal relative error", eps="10")
    assert finding(app) == "This split needs a typical value in every row: missing in **9 of 9**."
    whole(button(app, "as_planned").click().run())
    assert "No noise" not in finding(app) and "must grow" in finding(app)
    app = opened(MIXED, keep=["1", "2", "3"])
    assert finding(app).startswith("No release can be adjusted")
    whole(button(app, "keep_none").click().run())
    assert "can shrink" in finding(app) and "keep" not in app.query_params


def test_what_does_not_fit_may_be_solved_for_the_noise():
    """Over its budget, nothing more fits: the noise that would fit is one click away."""
    app = opened(example="mobility-30-days", eps="10", solve=MORE)
    assert "No more of row 1" in finding(app)
    whole(button(app, "for_noise").click().run())
    assert "must grow" in finding(app) and app.radio(key="solve").value == NOISE


def test_nothing_yet_leads_to_a_plan():
    """An empty plan shows no empty table, and a button that opens an example."""
    app = opened(example="own")
    assert "Nothing is released yet" in finding(app) and not app.dataframe and not charts(app)
    whole(button(app, "open_first").click().run())
    assert charts(app)


def test_rows_are_chosen_by_name_and_addressed_by_number():
    """What is shown has names; the address has numbers alone, which open the same rows again."""
    app = opened(MIXED, keep=["2", "1"], look="2")
    assert app.multiselect(key="keep").value == [2, 1] and app.selectbox(key="look").value == 2
    assert app.selectbox(key="look").options == ["1 · visits", "2 · ages", "3 · choice", "4 · box"]
    whole(app.multiselect(key="keep").set_value([1]).run())
    whole(app.selectbox(key="look").set_value(1).run())
    assert app.query_params["keep"] == "1" and "look" not in app.query_params
    assert opened(MIXED, keep="77,x", look="99").selectbox(key="look").value == 1


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ([1.36, 2.713], "must grow by **36 to 172 %**"),
        ([0.954, 3.85], "changes by **−4.6 % to +285 %**"),
        ([0.5, 0.5], "can shrink by **50 %**"),
        ([3.0, 1784.0], "must grow by **200 to 178,300 %**"),
        ([1.0, 1.0], "can stay as it is"),
    ],
)
def test_percentages_are_as_fine_as_whole_percents(factors: list[float], said: str):
    """Large gains are said to the percent, rounded up; losses rounded down."""
    assert budget_words._change(factors) == said


def test_no_loud_release_is_said_as_none():
    """Not "0 of 4"."""
    plan = Plan([Release(f"r{row}", Laplace(1.0), typical=100.0) for row in range(4)], Guarantee(2.0))
    assert any("In none of the 4 releases" in each.value for each in opened(plan).caption)
