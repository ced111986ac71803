"""The panel “Fit to budget” and the tab “How accurate”: the story, extremes, hostile addresses, what has no answer."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dpviz import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    Subsampled,
    Thresholding,
    TrainedModel,
    compose,
)
from dpviz.plan import Document, Uncounted
from dpviz.planning.accuracy import half_width, joint_confidence, scale_within
from dpviz.planning.budgeting.solve import solve_noise
from dpviz.planning.room import longest_training
from dpviz.rounding import shown_up
from dpviz.ui.plan.fit import answer
from dpviz.ui.plan.fit import words as budget_words
from dpviz.ui.plan.fit.asked import Question
from dpviz.ui.plan.fit.view import WORTH
from dpviz.ui.plan.time.advice import NOTHING_ASKED, OVER_ALL_THE_SAME
from dpviz.ui.shell import examples, row_choice
from dpviz.ui.shell.words import uses
from tests.pages import workbench
from tests.pages.workbench import (
    ACCURATE,
    FIT,
    SIGNS,
    cells,
    charts,
    document,
    keys,
    plain,
    plan_of,
    press,
    text,
    verdict,
    whole,
)

NOISE, MORE, ACCURACY, RISK = (
    "noise for the budget", "how many more releases or epochs", "budget for an accuracy", "noise for a risk",
)  # fmt: skip
DIGITS = 1e-5  # relative: of noise in six digits
TOLD, TOLD_BY_ERROR = 1e-3, 1e-2  # relative: of noise that is applied, in four digits; of an error, in three


def opened(plan: Plan | None = None, **parameters: str | list[str]) -> AppTest:
    """The workbench with the panel, with the plan of an example or this one, beside the tab on accuracy."""
    example = {} if plan is not None else {"example": "mobility"}
    return workbench.opened(plan, **(example | {"panel": FIT, "tab": ACCURATE} | parameters))


def finding(app: AppTest) -> str:
    """The sentence of the panel: the first one after the head."""
    doubts = ("**Before this is relied on:**", NOTHING_ASKED, OVER_ALL_THE_SAME)
    said = [each.value for each in app.markdown if not any(doubt in each.value for doubt in doubts)]
    head = next(place for place, each in enumerate(said) if each.startswith(SIGNS))
    return said[head + 2].replace("\u00a0", " ")


def again(app: AppTest) -> AppTest:
    """The panel opened again."""
    return whole(app.pills(key="panel").set_value(FIT).run())


def button(app: AppTest, key: str):
    return app.button(key=key)


MIXED = Plan(
    [
        Release("visits", Laplace(10.0, 1), 4, typical=5.0),
        Release("ages", Gaussian(8.0, 1), typical=400.0, weight=2.0),
        Release("choice", RandomizedResponse(0.1)),
        Release("box", ApproximateDP(0.05, 1e-9)),
    ],
    Guarantee(3.0, 1e-6),
)


def test_a_new_visitor_sees_a_finished_answer():
    """The first screen: the noise that the published example could do with, before and after."""
    app = opened()
    assert "**ε = 4** (**δ = 10⁻⁶**), the noise of these **18 releases** can shrink by **36.4 %**" in finding(app)
    [shown] = re.findall(r"the numbers of row 1, “.*?”, would then lie within (\S+) of the exact answer", finding(app))
    assert shown == "**±17.4**"
    assert cells(app).error[0] == "±27.3 → ±17.4" and cells(app).noise[0].startswith("ε 0.11 → ε 0.17")
    split, dots = charts(app)
    assert [bar["name"] for bar in split] == ["now", "then"]
    assert {trace["name"] for trace in dots} == {"now: within", "now: beyond", "then: within", "then: beyond"}
    assert "19 of 20 numbers" in " ".join(each.value for each in app.markdown)


def test_using_the_noise_meets_the_budget_and_undo_takes_it_back():
    """The answer becomes the plan, within its budget; the present plan is kept as A; undo returns."""
    app = opened()
    before = plan_of(app)
    whole(button(app, "keep_a").click().run())
    assert document(app).baseline == before
    whole(button(app, "use_it").click().run())
    total = compose(plan_of(app), before.budget.delta).epsilon
    assert before.budget.epsilon * 0.999 <= total <= before.budget.epsilon
    assert app.query_params.get("panel") is None, "what is applied has the screen"
    assert "can stay as it is" in finding(again(app))
    press(app, "undo")
    assert plan_of(app) == before


def test_how_many_more_become_the_plan():
    """The number that fits is used, and not one more fits then."""
    app = opened(solve=MORE)
    assert app.selectbox(key="like").options[1] == f"2 · {plan_of(app).releases[1].name}"
    whole(app.selectbox(key="like").set_value(2).run())
    assert app.query_params["like"] == "2"
    assert "more releases** like row 2" in finding(app)
    whole(button(app, "use_it").click().run())
    after = plan_of(app)
    assert after.releases[1].count > 4
    assert compose(after, after.budget.delta).epsilon <= after.budget.epsilon
    assert "No more of row 2" in finding(again(app))


def test_an_accuracy_has_a_price_for_each_kind_of_noise():
    """The least ε, against the budget; using it gives every number that accuracy."""
    plan = plan_of(opened())
    visits = [replace(release, answer_unit="visits") for release in plan.releases]
    app = opened(replace(plan, releases=tuple(visits)), solve=ACCURACY, within="5")
    rows = f"the **{len(visits)}** rows in **visits**"
    assert f"To keep {rows} within **±5 visits** with probability **95 %**" in finding(app)
    assert "**more than** the budget of ε = 4" in finding(app)
    prices = next(each.value for each in app.dataframe if "theorem" in each.value and "noise" in each.value)
    assert len(prices) == 3
    whole(button(app, "raise_budget").click().run())
    assert "**within** the budget" in finding(app)
    whole(button(app, "use_it").click().run())
    assert set(cells(app).error.dropna()) == {"±5"}


def test_a_split_is_in_the_address():
    """The address names the split as people read it."""
    app = opened(MIXED, split="Least variance")
    assert app.selectbox(key="split").value == "variance"
    assert finding(app) != finding(opened(MIXED))
    assert re.search(r"can shrink by \*\*[\d.]+ to [\d.]+ %\*\*", finding(app))


def test_all_at_once_is_wider():
    """The joint interval asks more of every number."""
    app = opened(atonce="true")
    assert "all numbers at once, counting one number per use, would then lie within" in finding(app)
    wide, each = (float(re.search(r"within \*\*±([\d.]+)\*\*", finding(page))[1]) for page in (app, opened()))
    assert wide > each


def test_noise_above_the_signal_is_said_in_its_cell():
    """A typical value below ±w is flagged; one above it is not, nor what has none."""
    widths = {"loud": 1.0, "quiet": 1e4, "unknown": None}
    releases = [Release(name, Laplace(1.0, 1), typical=typical) for name, typical in widths.items()]
    shown = dict(zip(*(cells(workbench.opened(Plan(releases)))[column] for column in ("name", "error")), strict=True))
    assert {name for name in widths if "above the value" in shown[name]} == {"loud"}


def test_kept_and_done_rows_stay_as_they_are():
    """Rows that are kept, or done, keep their noise; that something is done makes no plan adaptive."""
    app = opened(MIXED)
    app.session_state["keep"] = [1]
    app = whole(app.run())
    assert cells(app).noise[0] == "b 10" and " → " in cells(app).noise[1]
    done = replace(MIXED.releases[0], done=True)
    app = opened(Plan([done, *MIXED.releases[1:]], Guarantee(3.0, 1e-6)))
    assert cells(app).noise[0] == "b 10"
    assert not [each.value for each in app.caption if "already seen" in each.value]
    until = replace(MIXED.releases[0], start="2026-01-01", cadence="daily", end="2026-01-09", done="2026-01-04")
    app = opened(Plan([until, *MIXED.releases[1:]], Guarantee(9.0, 1e-6), adaptive=True))
    [note] = [each.value for each in app.caption if "already seen" in each.value]
    assert "marked as chosen along the way" in note and "filter or basic composition may be quoted" in note


def test_choosing_along_the_way_names_its_price():
    """The noise of an adaptive plan against the same plan fixed in advance."""
    app = opened()
    whole(app.selectbox(key="adaptive").set_value(True).run())
    [note] = [each.value for each in app.caption if "already seen" in each.value]
    assert "times** what would do if the plan were fixed in advance" in note


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (Plan([Release("a", Laplace(1.0, 1))]), "No budget is set"),
        (Plan([Release("a", Laplace(1.0, 1))], Guarantee(0.0, 1e-6)), "However much noise is added"),
        (Plan([Release("a", Gaussian(1.0, 1))], Guarantee(1.0, 0.0)), "However much noise is added"),
        (Plan([Release("a", ApproximateDP(2.0, 1e-3))], Guarantee(1.0, 1e-6)), "No release can be adjusted"),
        (Plan([Release("a", Laplace(1.0, 1), done=True), Release("b", Laplace(1.0, 1))], Guarantee(0.5)), "However"),
        (Plan([]), "Nothing is released yet"),
        (Plan([Release("a", Laplace(1.0, 1), 0)]), "Nothing is released yet"),
    ],
)
def test_what_cannot_be_solved_says_why(plan: Plan, reason: str):
    """One sentence with the reason instead of an answer, and a next step; charts are never empty."""
    app = opened(plan)
    assert reason in finding(app)
    assert not any(trace["name"].startswith("then") for chart in charts(app) for trace in chart)
    assert all(chart for chart in charts(app)) and (charts(app) or app.info or not uses(plan))
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
        Plan([Release("s", Subsampled(Gaussian(2.0, 1), 0.01, "poisson"), 100)], Guarantee(1.0, 1e-6)),
        Plan([Release("n", Laplace(1.0, 1), part="a"), Release("m", Laplace(2.0, 1), part="b")], Guarantee(1.0, 1e-6)),
        Plan([Release(f"r{row}", Laplace(1.0 + row, 1)) for row in range(30)], Guarantee(1.0, 1e-6)),
        Plan([Release("c", RandomizedResponse(1.0))], Guarantee(1.0, 1e-6)),
    ],
    ids=["mixed", "adaptive", "loud", "many", "sampled", "parts", "long", "told bit"],
)
def test_extremes(plan: Plan, solve: str):
    """Every question has an answer or a reason for every plan; in words, too."""
    app = opened(plan, solve=solve, read="words")
    assert "privacy loss of" in finding(app) or finding(app).startswith("No error can be asked of row 1")
    assert "nan" not in finding(app) and "inf" not in finding(app).replace("information", "")
    assert all(chart for chart in charts(app)) and (charts(app) or app.info)


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
    assert "can shrink by **36.4 %**" in finding(opened(**parameters))


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
    """All numbers lie inside at once: those of rows that are kept are among them, none, one or all."""
    plan = examples.plan_of("weekly-dashboard")
    sure = joint_confidence(0.95, sum(release.uses for release in plan.releases))
    for kept in ((), (0,), (0, 1, 2, 3)):
        found = answer.answer(Question(NOISE, "proportional", kept, 0.95, True, 20.0, 0), plan)
        assert found.each == sure
        for row in kept:
            assert found.widths_after[row] == half_width(plan.releases[row].mechanism, sure)


def test_an_accuracy_for_all_at_once_counts_kept_rows():
    """The price of ±w for all at once is that of the confidence that all numbers need, kept or not."""
    plan = Plan([Release("a", Gaussian(5.0, 1), 3), Release("b", Gaussian(5.0, 1), 9)], Guarantee(1.0, 1e-6))
    app = opened(plan, solve=ACCURACY, within="20", atonce="true", keep="2")
    assert "To keep row 1, “a”, within **±20** and all numbers at once, counting one number per use," in finding(app)
    whole(button(app, "use_it").click().run())
    assert half_width(plan_of(app).releases[0].mechanism, joint_confidence(0.95, 12)) == pytest.approx(20, rel=1e-5)
    assert plan_of(app).releases[1] == plan.releases[1]


def test_along_the_way_without_a_sum_is_no_bound():
    """A plan that only a filter bounds is not said to cost nothing."""
    app = opened(example="weekly-dashboard", adaptive="true")
    assert "Nothing is promised" in verdict(app)
    assert charts(app)[0][0]["text"][0].startswith("±")


def test_of_what_was_applied_nothing_is_said_to_change():
    """Solving again moves last digits only, also beside a row that is kept."""
    noise = Laplace(11.683), Laplace(8.345), Gaussian(10.0, 1.0)
    dated = [Release(name, each, kind="count", cadence=often, start="2028-01-01", end="2028-12-31")
             for name, each, often in zip(("Players", "Club", "Two"), noise, ("monthly", "quarterly", "monthly"),
                                          strict=True)]  # fmt: skip
    rest = [Release("Halls", Laplace.from_epsilon(0.3)), Release("Content", RandomizedResponse(1.0))]
    plan = Plan([*dated, *rest], Guarantee(2.0, 1e-8), "person-year", "add_remove")
    said = finding(again(press(opened(plan, keep="1"), "use_it")))
    assert "can stay as it is: the numbers of row 2, “Club”, lie within" in said


def test_a_title_never_goes_from_a_number_to_itself():
    """Used noise stays as it is, in the finding and in the title."""
    app = opened(example="weekly-dashboard")
    whole(button(app, "use_it").click().run())
    titles = " ".join(each.value for each in again(app).markdown)
    assert "can stay as it is" in finding(app) and "is least accurate" in titles and "→" not in titles
    for was, now in re.findall(r"goes from (\S+) to (\S+)", titles):
        assert was != now


def test_one_accuracy_is_for_rows_in_one_unit():
    """Rows that state the unit of the chosen one are asked with it; others, and randomized response, stay as is."""
    rows = [
        Release("visits", Laplace(10.0, 1), answer_unit="persons"),
        Release("minutes", Laplace(0.03, 1), answer_unit="hours"),
        Release("answer", RandomizedResponse(0.1), answer_unit="persons"),
        Release("few", Laplace(9.0, 1), typical=5.0, answer_unit="persons"),
        Release("unsaid", Gaussian(7.0, 1)),
    ]
    plan = Plan(rows, Guarantee(3.0, 1e-6))
    app = opened(plan, solve=ACCURACY, within="20")
    assert "To keep the **2** rows in **persons** within **±20 persons**" in finding(app)
    [warning] = [each.value for each in app.warning]
    assert "row 4, “few”: keep it as it is" in warning and "visits" not in warning
    app = whole(button(app, "use_it").click().run())
    after = plan_of(app)
    assert [each for each, old in zip(after.releases, rows, strict=True) if each == old] == [rows[1], rows[2], rows[4]]
    assert [half_width(after.releases[row].mechanism) for row in (0, 3)] == pytest.approx([20, 20], rel=1e-5)
    app = opened(plan, solve=ACCURACY, within="20", accurate="5")
    assert "To keep row 5, “unsaid”, within **±20** with" in finding(app)
    assert "No error can be asked of row 3, “answer”" in finding(opened(plan, solve=ACCURACY, accurate="3"))
    only = opened(Plan(rows[3:], Guarantee(3.0, 1e-6)), solve=ACCURACY, within="20", keep="1")
    assert finding(only).startswith("No release can be adjusted") and not only.warning


MANY_UNITS = Plan(
    [
        Release("residents", Laplace(20.0, 1), answer_unit="persons"),
        Release("income", Gaussian(400.0, 100.0), answer_unit="*euros*"),
        Release("share", Laplace(0.004, 0.002)),
    ],
    Guarantee(3.0, 1e-6),
)


def test_costs_that_differ_are_shown_apart():
    """Just below the budget is not the budget; the only release's bar says what the large figure says."""
    plan = Plan([Release("visits", Laplace(10.0, 1), 100)], Guarantee(10.0, 1e-6))
    spent = compose(plan, 1e-6).epsilon
    app = opened(replace(plan, budget=Guarantee(round(spent, 3) + (round(spent, 3) < spent) * 1e-3, 1e-6)))
    budget = plan_of(app).budget.epsilon
    assert spent < budget and shown_up(spent) == shown_up(budget)
    shown, limit = (float(each) for each in re.search(r"\*\*([\d.]+)\*\* of \*\*([\d.]+)\*\*", verdict(app)).groups())
    assert spent <= shown <= limit <= budget and "within budget" in verdict(app)


def test_errors_are_compared_within_one_unit():
    """Persons, euros and shares share no largest error, no sentence and no axis."""
    app = opened(MANY_UNITS)
    assert "the numbers of row 1, “residents”, would then lie within" in finding(app) and "every" not in finding(app)
    assert "The widest" not in " ".join(each.value for each in app.markdown)
    assert any(each.value.startswith("**If applied: errors, each in its own unit: ") for each in app.markdown)
    errors = charts(app)[0]
    assert all(max(pair) == 1 for pair in zip(*(trace["x"] for trace in errors), strict=True))
    assert json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["xaxis"]["showticklabels"] is False
    looked = opened(MANY_UNITS, look="2")
    assert "row 2" in finding(looked)


def test_errors_are_told_as_shares_where_all_typical_values_are_known():
    """Whatever the units: the largest of them, of its typical value."""
    typical = (1000.0, 20_000.0, 0.04)
    rows = [replace(each, typical=size) for each, size in zip(MANY_UNITS.releases, typical, strict=True)]
    app = opened(replace(MANY_UNITS, releases=tuple(rows)))
    # -20 ln 0.05 of 1,000, 400 · 1.96 of 20,000, -0.004 ln 0.05 of 0.04: 6 %, 3.9 % and 29.96 %.
    assert "of its typical value" in finding(app) and "with probability" in finding(app)


def test_errors_in_one_stated_unit_are_compared():
    """All in persons: the largest is a number of persons."""
    rows = [replace(each, answer_unit="persons") for each in MIXED.releases]
    app = opened(replace(MIXED, releases=tuple(rows)))
    assert "even the least accurate number with noise would then be off by at most **" in finding(app)
    assert "persons**" in finding(app)
    assert any("If applied: the widest error shrinks from ±30 persons to ±" in each.value for each in app.markdown)


def test_a_split_says_what_it_lacks():
    """Missing typical values are no matter of the budget; a button leads to a split that needs none."""
    app = opened(example="mobility-30-days", split="Equal relative error", eps="10")
    assert finding(app) == "This split needs a typical value in every row: missing in **9 of 9**."
    whole(button(app, "as_planned").click().run())
    assert "However much noise" not in finding(app) and "must grow" in finding(app)
    app = opened(MIXED, keep=["1", "2", "3"])
    assert finding(app).startswith("No release can be adjusted")
    whole(button(app, "keep_none").click().run())
    assert "can shrink" in finding(app) and "keep" not in app.query_params


def test_a_split_without_answer_does_not_deny_that_the_plan_fits():
    """Randomized response has no relative error: the row is named, and may be kept; no smaller budget is offered."""
    typical = [replace(each, typical=100.0) for each in MIXED.releases[:3]]
    plan = replace(MIXED, releases=tuple(typical), budget=Guarantee(4.0, 1e-6))
    assert compose(plan, 1e-6).epsilon < 4
    app = opened(plan, split="Equal relative error")
    assert finding(app).startswith("No noise gives all rows an equal relative error, because row 3, “choice” has none:")
    assert "within" not in finding(app) and "raise_budget" not in {each.key for each in app.button}
    app = whole(button(app, "keep_mute").click().run())
    assert "1 of 3 rows stays as it is" in finding(app) and app.multiselect(key="keep").value == [3]
    wide = replace(plan, releases=(Release("s", Subsampled(Gaussian(2.0, 1), 1e-7, "poisson")),))
    app = opened(wide)
    assert "The split “As planned, scaled” has no answer within" in finding(app) and "any noise fits" in finding(app)


def test_what_does_not_fit_may_be_solved_for_the_noise():
    """Over its budget, nothing more fits: the noise that would fit is one click away."""
    app = opened(example="mobility-30-days", eps="10", solve=MORE)
    assert "No more of row 1" in finding(app)
    whole(button(app, "for_noise").click().run())
    assert "must grow" in finding(app) and app.radio(key="solve").value == NOISE


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
        ([1.36, 2.713], "must grow by **36 to 171.3 %**"),
        ([0.954, 3.85], "changes by **−4.6 % to +285 %**"),
        ([0.5, 0.5], "can shrink by **50 %**"),
        ([3.0, 1784.0], "must grow by **200 to 178,300 %**"),
        ([1.0, 1.0], "can stay as it is"),
    ],
)
def test_percentages_are_as_fine_as_whole_percents(factors: list[float], said: str):
    """Large gains are said to the percent, rounded up; losses rounded down."""
    assert budget_words._change(factors) == said


def test_the_answer_stands_in_the_cells_and_changes_nothing_before_it_is_applied():
    """Noise and error, now → then, of each row that changes; the plan, its verdict and its address stay."""
    app = opened(MIXED, keep="2")
    before, address = cells(workbench.opened(MIXED)), app.query_params["plan"]
    now = cells(app)
    assert now.noise[0].startswith("b 10 → b ") and now.error[0].startswith("±30 → ±")
    assert now.noise[1] == before.noise[1] == "σ 8" and now.error[1] == before.error[1]
    assert plan_of(app) == MIXED and verdict(app) == verdict(workbench.opened(MIXED))
    assert app.query_params["plan"] == address and app.button(key="undo").disabled
    app = press(app, "use_it")
    assert plan_of(app).releases[1] == MIXED.releases[1] and plan_of(app).releases[0] != MIXED.releases[0]
    assert " → " not in cells(app).noise[0] and "within budget" in verdict(app)
    assert plan_of(press(app, "undo")) == MIXED


TRAINED = Plan(
    [
        Release("Model", TrainedModel(60_000, 256, 1.1, epochs=30)),
        Release("Weekly counts", Gaussian(20.0, 1), 52, typical=1000.0),
    ],
    Guarantee(3.0, 1e-5),
)


def test_a_trained_model_is_fitted_beside_weekly_counts():
    """The practitioner's third question: both rows change, the cell says the noise multiplier of now and then."""
    app = opened(TRAINED)
    assert "the noise of these **53 releases** can shrink by **17.3 %**" in finding(app)
    assert "scaled as planned: noise on gradients" not in finding(app)
    assert cells(app).noise[0].startswith("multiplier 1.1 → 0.9097, batch 256 of 60000")
    assert cells(app).noise[1].startswith("σ 20 → σ 16.")
    press(app, "use_it")
    model, weekly = (each.mechanism for each in plan_of(app).releases)
    assert model.noise_multiplier < 0.92 and weekly.sigma < 16.6
    assert 3.0 * 0.999 <= compose(plan_of(app)).epsilon <= 3.0
    assert cells(app).noise[0].startswith(f"multiplier {model.noise_multiplier}, batch 256 of")


def test_more_of_what_recurs_is_told_beside_what_one_unit_meets():
    """Of a weekly number six in a month, and not the 53 of the year; of a person without a period those."""
    weekly = {"start": "2027-01-01", "cadence": "weekly", "end": "2027-12-31"}
    visits = Release("Visits", Laplace.from_epsilon(0.1), kind="count", **weekly)
    for unit, said in (("user-month", "fit in any one month, beside the 6 of it that count there now"),
                       ("user", "fit beside the 53 that it holds now")):  # fmt: skip
        app = opened(Plan([visits], Guarantee(8.0, 0.0), unit), solve=MORE)
        assert said in finding(app)


def test_what_was_proposed_for_another_question_is_not_applied():
    """A press may come while the answer to what was just asked is searched: the former one is not taken for it."""
    rows = [Release("a", Laplace(9.0), kind="count"), Release("b", Laplace(20.0), 4, kind="count")]
    plan = Plan(rows, Guarantee(0.2, 0.0))
    app = opened(plan)
    app.selectbox(key="split").set_value("equal")
    app = press(app, "use_it")
    assert plan_of(app) == plan and "has changed" in app.toast[0].value
    after = plan_of(press(app, "use_it"))
    assert after != plan and compose(after, 0.0).epsilon <= 0.2


@pytest.mark.parametrize("kind", [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian])
def test_noise_that_is_told_by_its_error_stays_so_when_it_is_fitted(kind):
    """In the digits in which errors are told, no less of it, and nearly all of the budget; bars stay bars."""
    counts = Release("Counts", kind(scale_within(kind, 50.0)), 12, kind="count")
    bars = Release("Bars", kind(scale_within(kind, 30.0)), kind="histogram")
    plan = Plan([counts, bars], Guarantee(1.0, 1e-6), "person", "replace_one")
    solved = solve_noise(plan).plan
    app = press(opened(plan), "use_it")
    after = plan_of(app)
    for row in (0, 1):
        told, noise = cells(app).noise[row], [each.releases[row].mechanism.base.noise.scale for each in (after, solved)]
        if told.startswith("±"):  # of whole numbers a step of the error is too far
            assert noise[1] <= noise[0] <= noise[1] * (1 + TOLD_BY_ERROR) and len(told) <= 6
            assert cells(app).error[row] == told
        assert noise[0] >= noise[1] and (told.startswith("±") or kind in (DiscreteLaplace, DiscreteGaussian))
    assert 1 - TOLD_BY_ERROR <= compose(after, 1e-6).epsilon <= 1.0


@pytest.mark.parametrize("keep", ["", "1"])
def test_what_is_offered_is_what_stands_in_the_cell_then(keep: str):
    """Letter by letter, however the noise is told, and beside it the error of the same digits."""
    noise = (Laplace(scale_within(Laplace, 26.0)), Laplace.from_epsilon(0.3), Gaussian(10.0), DiscreteGaussian(12.0))
    rows = [Release(each.key, each, 4, kind="count") for each in noise]
    rows += [Release("Content", RandomizedResponse(1.0)), Release("Model", TrainedModel(60_000, 600, 1.1, epochs=3))]
    sampled = Subsampled(Gaussian(7.0, 1.0), 0.1, "poisson")
    plan = Plan([*rows, Release("Sample", sampled, kind="count")], Guarantee(1.5, 1e-6))
    app = opened(plan, **({"keep": keep} if keep else {}))
    offered = [cell.partition(" → ")[2].partition(",")[0] for cell in cells(app).noise.fillna("")]
    app = press(app, "use_it")
    assert sum(map(bool, offered)) == 7 - bool(keep)
    for before, after, error in zip(offered, cells(app).noise, cells(app).error, strict=True):
        if before:
            assert after.partition(",")[0].removeprefix("multiplier ") == before
            assert sum(map(str.isdigit, before)) <= 5, "four digits, and a zero before the point"
            assert not before.startswith("±") or error == before
    assert 1.5 * (1 - TOLD_BY_ERROR) <= compose(plan_of(app), 1e-6).epsilon <= 1.5


WIDTHS = st.floats(0, 4).map(lambda power: float(f"{10**power:.3g}"))
NOISY = st.one_of(
    *(WIDTHS.map(lambda width, kind=kind: kind(scale_within(kind, width))) for kind in (Laplace, Gaussian)),
    *(WIDTHS.map(kind) for kind in (Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian)),
    st.floats(0.01, 3).map(Laplace.from_epsilon), st.floats(0.1, 3).map(RandomizedResponse),
    WIDTHS.map(lambda width: Subsampled(Gaussian(width, 1.0), 0.1, "poisson")),
    WIDTHS.map(lambda width: Thresholding(Laplace(scale_within(Laplace, width)), 3 * width + 50, 2)),
)  # fmt: skip


@given(
    st.lists(st.tuples(NOISY, st.sampled_from([1, 4, 12])), min_size=1, max_size=3), st.floats(-2, 1),
    st.sampled_from([1e-9, 1e-6, 1e-3]), st.sampled_from(["proportional", "equal"]), st.booleans(),
)  # fmt: skip
def test_what_is_applied_is_within_the_budget_and_stays(drawn, power: float, delta: float, split: str, keep: bool):
    """However it is told: nearly all of the budget is used, no noise is less than solved, and a second fit stays."""
    rows = [Release(f"r{row}", each, many, kind="survey" if type(each) is RandomizedResponse else "count")
            for row, (each, many) in enumerate(drawn)]  # fmt: skip
    plan = Plan(rows, Guarantee(10.0**power, delta), "person", "add_remove")
    asked = Question(NOISE, split, (0,) * (keep and len(rows) > 1), 0.95, False, 20.0, 0)
    solved, found = answer.solution(plan, split, asked.kept), answer.answer(asked, plan)
    assert (solved.plan is None) == (found.after is None)
    if found.after is None or found.stays:
        return
    used = compose(found.after, delta).epsilon / plan.budget.epsilon
    whole = compose(solved.plan, delta).epsilon / plan.budget.epsilon
    assert whole - TOLD_BY_ERROR <= used <= 1
    for then, exact in zip(found.after.releases, solved.plan.releases, strict=True):
        told, least = then.mechanism.parameters, exact.mechanism.parameters
        assert all(told[name] >= least[name] for name in ("scale", "sigma") if name in least)
        assert "epsilon" not in least or told["epsilon"] <= least["epsilon"]
    assert answer.answer(asked, found.after).stays


@pytest.mark.parametrize("budget", [0.3, 3.0])
def test_what_an_attacker_gets_right_then_is_told_before_it_is_applied(budget: float):
    """Of less noise and of more; the head says the same of both plans."""
    plan = Plan([Release("Visits", Laplace.from_epsilon(0.5), 4, kind="count")], Guarantee(budget, 0.0))
    app = opened(plan)
    said = finding(app)
    assert ("That spends what is left" in said) == (budget == 3.0)
    then, now = re.search(r"in at most \*\*(\S+) of 100\*\* guesses then, and in (\S+) now\.", said).groups()
    assert f"right in at most **{now} of 100** guesses" in text(app) and then != now
    assert f"right in at most **{then} of 100** guesses" in text(press(app, "use_it"))


def test_sampled_noise_and_thresholds_that_are_told_by_an_error_are_fitted_as_they_are():
    """They are no plain noise, whose error alone says what it is."""
    noise = Laplace(scale_within(Laplace, 50.0))
    kept = Thresholding(Gaussian(scale_within(Gaussian, 50.0)), 300.0, 2)
    for other in (Subsampled(noise, 0.1, "poisson"), kept):
        rows = [Release("Visits", other, 12, kind="count"), Release("Plain", noise, kind="count")]
        plan = Plan(rows, Guarantee(1.0, 1e-6), "person")
        after = plan_of(press(opened(plan), "use_it"))
        assert compose(after, 1e-6).epsilon <= 1.0 and after != plan


def test_an_accuracy_that_is_asked_for_is_kept_to_the_last_digit():
    """At another confidence, too, than the one at which cells tell errors."""
    visits = Release("Visits", Laplace(scale_within(Laplace, 50.0)), 12, kind="count")
    plan = Plan([visits], Guarantee(1.0, 1e-6), "person")
    app = press(opened(plan, solve=ACCURACY, within="20", sure="90"), "use_it")
    assert half_width(plan_of(app).releases[0].mechanism, 0.9) <= 20


def test_more_of_a_trained_model_is_a_longer_training_beside_the_rest():
    """To the last epoch that fits, and where too long a one is planned, fewer; the cell tells that first."""
    asked = {"solve": "how many more", "like": "1"}  # as links of former versions say it
    app = opened(TRAINED, **asked)
    found = longest_training(TRAINED, 0)
    fits_at = found.releases[0].mechanism.epochs
    assert f"row 1, “Model” may be trained for at most **{fits_at} epochs**, where 30 are planned" in finding(app)
    assert cells(app).noise[0].startswith(f"epochs 30 → {fits_at}, multiplier 1.1, batch 256 of 60000")
    app = press(app, "use_it")
    assert plan_of(app) == found and compose(found).epsilon <= 3.0
    beyond = TrainedModel(60_000, 256, 1.1, epochs=fits_at + 1)
    longer = replace(found, releases=[replace(found.releases[0], mechanism=beyond), found.releases[1]])
    assert compose(longer).epsilon > 3.0
    assert f"at most **{fits_at} epochs** as planned" in finding(opened(found, **asked))
    assert f"at most **{fits_at} epochs**, where {fits_at + 1} are planned" in finding(opened(longer, **asked))
    narrow = replace(TRAINED, budget=Guarantee(0.01, 1e-5))
    said = plain(finding(opened(narrow, **asked)))
    rest = shown_up(compose(narrow.without(0)).epsilon)
    assert said.startswith("Not even one epoch of row 1") and said.endswith(f": without it, the plan costs ε = {rest}.")


def test_a_split_by_error_says_what_becomes_of_a_trained_model():
    app = opened(TRAINED, split="Equal relative error")
    assert "The trained model is scaled as planned: noise on gradients compares with no error." in finding(app)
    [model, counts] = cells(app).noise.tolist()[:2]
    assert model.startswith("multiplier 1.1 → 0.9097,") and "→" in counts
    untold = replace(TRAINED, releases=(TRAINED.releases[0], replace(TRAINED.releases[1], typical=None)))
    assert "missing in **1 of 1**" in finding(opened(untold, split="Equal relative error"))
    alone = replace(TRAINED, releases=TRAINED.releases[:1])
    assert "“Model” has none" in finding(opened(alone, split="Equal relative error"))
    assert "No error can be asked of row 1" in finding(opened(alone, solve=ACCURACY))


def test_people_see_no_noise_in_the_cells():
    """They read ranges, now → then."""
    app = opened(MIXED, read="people")
    assert " → " in cells(app).error[0] and "±" not in cells(app).error[0]


def test_a_risk_is_solved_for_and_applied():
    """Right guesses of 100, as asked in the address: the noise that keeps them, its cost, and the plan that has it."""
    app = opened(solve=RISK, right="65")
    said = finding(app)
    assert said.startswith("So that the best attacker is right in at most **65 of 100** guesses, the noise of these")
    assert "that costs at most **ε = " in said
    whole(button(app, "use_it").click().run())
    assert 0.3 * (1 - TOLD) <= PrivacyLoss.of(plan_of(app)).advantage <= 0.3
    people = finding(opened(solve=RISK, right="65", read="people"))
    assert people.startswith("So that the best attacker") and "ε" not in people


def test_errors_that_no_attacker_exceeds_are_solved_for():
    """A pair of error rates; one that a blind guess beats is told where it is typed, and the usual one stands in."""
    plan = Plan([Release("a", Gaussian(1.0, 1))], Guarantee(1.0, 1e-6))
    app = opened(plan, solve=RISK, riskof="errors of an attacker", wrong="5", missed="80")
    assert "who accuses wrongly in **5 %** of cases misses at least **80 %**, the noise" in finding(app)
    over = opened(plan, solve=RISK, riskof="errors of an attacker", wrong="30", missed="80")
    assert "below 100 % together" in over.error[0].value and "in **1 %**" in finding(over)
    leak = Plan([Release("leak", ApproximateDP(1.0, 0.5)), Release("a", Laplace(1.0, 1))], Guarantee(1.0, 1e-6))
    assert "held exceed the goal" in finding(opened(leak, solve=RISK))


def test_rows_that_are_kept_come_back_with_the_page():
    """Also where the address that leads back does not hold them; with rows of another plan nothing is kept."""
    app = opened(example="statistics-office", keep=["1", "3"])
    assert app.multiselect(key="keep").value == [1, 3]
    app.switch_page("pages/claims.py")
    del app.query_params["keep"]
    app.run()
    app.switch_page("pages/plan.py")
    app.query_params["panel"] = FIT
    assert app.run().multiselect(key="keep").value == [1, 3]
    app.switch_page("pages/claims.py")
    del app.query_params["keep"]
    app.run()
    app.session_state["revision"], app.session_state["keep_at"] = "another plan", ("Another", "and another")
    app.switch_page("pages/plan.py")
    assert app.run().multiselect(key="keep").value == []


def monthly(name: str, epsilon: float, month: int) -> Release:
    """A daily count in one month."""
    days = {"start": f"2026-{month:02d}-01", "cadence": "daily", "end": f"2026-{month:02d}-28"}
    return Release(name, Laplace.from_epsilon(epsilon), **days)


@pytest.mark.parametrize("solve", [NOISE, ACCURACY])
def test_what_one_unit_meets_is_fitted_and_all_dates_stay(solve: str):
    """Whoever is protected for a day meets one count of a year, and that is what the budget holds."""
    days = {"start": "2026-01-01", "cadence": "daily", "end": "2026-12-31"}
    daily = Plan([Release("Visits", Laplace(0.5, 1.0), **days)], Guarantee(1.0, 0.0), "user-day")
    app = opened(daily, solve=solve, within=3.0)
    assert "One **user\\-day** meets 1 of these 365 releases" in " ".join(each.value for each in app.caption)
    if solve == NOISE:
        assert "must grow by **100 %**" in finding(app)
    else:
        assert "this **1 release** costs at most **ε = 0.9986**" in finding(app)
    button(app, "use_it").click().run()
    [release] = plan_of(app).releases
    assert release.uses == 365 and release.mechanism.scale == pytest.approx(1.0, rel=2e-3)
    assert "**within budget**" in verdict(app)


def test_releases_of_different_periods_are_all_fitted():
    """With the same noise one month stands for the other; the noise of each is changed all the same."""
    plan = Plan([monthly("a", 0.5, 1), monthly("b", 0.5, 3)], Guarantee(2.0, 0.0), "user-month")
    app = opened(plan)
    button(app, "use_it").click().run()
    first, second = (each.mechanism.stated.epsilon for each in plan_of(app).releases)
    assert first < 0.5 and second < 0.5 and "**within budget**" in verdict(app)
    assert any("All dates together are fitted" in each.value for each in again(opened(plan)).caption)


def test_counting_several_records_keeps_the_dates():
    days = {"start": "2026-01-01", "cadence": "daily", "end": "2026-12-31"}
    daily = Plan([Release("Visits", Laplace.from_epsilon(0.1), **days)], Guarantee(1.0, 0.0), "user-day")
    app = workbench.opened(daily, records=3, ondays=365)  # the dates say on how many
    assert any("at most **ε = 0.3**" in each.value for each in app.markdown)
    button(app, "count_several").click().run()
    assert plan_of(app).releases == daily.of_units(3).releases


def test_what_was_proposed_for_another_plan_is_not_applied():
    """A press may come just after a cell was typed, before the page has computed anew: what was typed stays."""
    app = opened(Plan([Release("a", Laplace.from_epsilon(3.0, 1))], Guarantee(1.0, 0.0)))
    typed = {"edited_rows": {0: {"noise": "ε 5"}}, "added_rows": [], "deleted_rows": []}
    app.session_state[app.session_state["table"]] = typed
    app = press(app, "use_it")
    assert plan_of(app).releases[0].mechanism.parameters["epsilon"] == 5
    [said] = app.toast
    assert "has changed" in said.value
    app = press(app, "use_it")
    assert plan_of(app).releases[0].mechanism.parameters["epsilon"] <= 1
    assert [each.value for each in app.toast] == ["Changed: “a”. “Undo” takes it back."]


def test_an_accuracy_that_takes_noise_of_another_kind_says_so():
    """Where Gaussian noise is cheaper than the Laplace noise that is planned: the sentence, the cells and the chart."""
    app = opened(example="mobility", solve=ACCURACY, within="13.65")
    assert "with **Gaussian** noise in the place of what is planned" in finding(app)
    assert cells(app).noise[0].startswith("ε 0.11 → Gaussian σ ") and "→ ±13.7" in cells(app).error[0]
    app = press(app, "keep_a")
    assert not any("No error is larger or smaller than in plan A" in each.value for each in app.markdown)


def _listed(app: AppTest) -> list[list[str]]:
    """The errors that stand in a list, in the place of bars."""
    frames = [each.value for each in app.dataframe]
    return [list(each.iloc[:, 1]) for each in frames if list(each.columns)[:1] == ["Release"] and each.shape[1] == 2]


def test_errors_in_units_of_their_own_are_a_list():
    """Bars of one scale cannot show them; with a typical value they are drawn."""
    [errors] = _listed(workbench.opened(example="mobility", tab=ACCURATE))
    assert errors[:3] == ["27.3", "27.3", "13.7"]
    assert not _listed(workbench.opened(example="weekly-dashboard", tab=ACCURATE))


def test_lists_have_the_numbers_of_the_table():
    """A row that does not count has a number, too, and what is chosen is the release that is named."""
    plan = Plan([Release(name, Laplace.from_epsilon(0.1, 1)) for name in "ab"], Guarantee(1.0, 0.0))
    wrong = Uncounted(0, (("name", "wrong"), ("mechanism", "Laplace"), ("noise", "none")))
    app = opened(Document(plan, uncounted=(wrong,)), solve=MORE)
    assert app.selectbox(key="like").options == ["2 · a", "3 · b"]
    app = whole(app.selectbox(key="like").set_value(2).run())
    assert "like row 3, “b”" in workbench.plain(finding(app))


def test_a_label_of_before_is_read_by_the_number_of_the_table():
    assert row_choice._row_of("3 · before", ["2 · a", "3 · b"]) == 2
    assert row_choice._row_of("4 · gone", ["2 · a", "3 · b"]) == "4 · gone"


def test_the_delta_that_is_offered_is_small_enough():
    """For the people in the data, so that no check objects to it."""
    plan = Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0), population=3_100_000)
    app = opened(plan)
    [button] = [each for each in app.button if each.key == "usual_delta"]
    assert button.label == "Set δ to 2 × 10⁻⁹"
    app = whole(button.click().run())
    assert plan_of(app).budget.delta == 2e-9 and "whole records are published" not in workbench.text(app)


def test_gaussian_noise_of_the_same_errors_is_offered_where_it_costs_less():
    """Of what recurs often: a press takes it, with the errors of before and no less accurate; not of one release."""
    year = {"start": "2027-01-01", "end": "2027-12-31", "cadence": "weekly"}
    visits = Release("Visits", Laplace.from_epsilon(0.5, 5), kind="count", rows=5, **year)
    plan = Plan([visits, Release("Poll", RandomizedResponse(1.0))], Guarantee(4, 1e-6), "member-year", "add_remove")
    for read, said in (("numbers", "Gaussian noise would cost"), ("people", "(Gaussian) would use")):
        app = opened(plan, read=read, panel="Fit to budget")
        assert said in text(app)
    app = press(opened(plan, panel="Fit to budget"), "take_gaussian")
    found = document(app).plan
    widths = [half_width(each.releases[0].mechanism) for each in (found, plan)]
    assert found.releases[0].mechanism.key == "gaussian" and found.releases[1] == plan.releases[1]
    assert widths[1] * (1 - DIGITS) <= widths[0] <= widths[1]
    assert compose(found, 1e-6).epsilon < WORTH * compose(plan, 1e-6).epsilon and "take_gaussian" not in keys(app)
    tiny = Release("Share", Laplace.from_epsilon(0.5, 1e-6), kind="mean", lower=0, upper=1, **year)
    small = Plan([tiny], Guarantee(4, 1e-6), "member-year", "replace_one", 10**6)
    same = document(press(opened(small, panel="Fit to budget"), "take_gaussian")).plan.releases[0].mechanism
    assert half_width(same) == pytest.approx(half_width(tiny.mechanism), rel=DIGITS)
    done = replace(plan, releases=(replace(visits, done=True), plan.releases[1]))
    assert "take_gaussian" not in keys(opened(done, panel="Fit to budget")), "what is published stays"
    wide = replace(plan, budget=Guarantee(40, 1e-6))
    assert "take_gaussian" not in keys(opened(wide, panel="Fit to budget", keep=["1"])), "as what is to be kept"
    assert "take_gaussian" in keys(opened(wide, panel="Fit to budget"))
    kept = text(opened(plan, panel="Fit to budget", keep=["1"]))
    assert "also of what is kept, Gaussian noise would cost" in kept, "no answer else"
    once = replace(plan, releases=(replace(visits, cadence=None, start=None, end=None), plan.releases[1]))
    for other in (once, replace(plan, budget=Guarantee(4.0, 0.0)), replace(plan, adaptive=True)):
        shown = opened(other, panel="Fit to budget")
        assert "take_gaussian" not in keys(shown)


def test_a_plan_that_stays_as_it_is_tells_of_all_its_errors(monkeypatch):
    """Also where something is kept, and where last digits would move."""
    monkeypatch.setattr(answer, "chosen_row", lambda plan: 0)
    rides = Release("Rides", Gaussian(101.782, 20.0), 12, typical=5_000.0)
    fees = Release("Fees", Gaussian(408.1, 30.0), 4, typical=400_000.0)
    plan = Plan([rides, fees, Release("Poll", RandomizedResponse(1.0))], Guarantee(7.0, 2e-7), population=35_000)
    cost = compose(plan, 2e-7).epsilon
    for kept, budget in (((), cost * (1 + DIGITS)), ((2,), cost * (1 + DIGITS)), ((), cost * (1 + TOLD / 4))):
        asked = Question(NOISE, "proportional", kept, 0.95, False, 20.0, 0)
        found = answer.answer(asked, replace(plan, budget=Guarantee(budget, 2e-7)))
        assert found.stays and found.same and not found.moved
        said = budget_words.finding(found)
        assert "can stay as it is" in said and "off by at most **4 %** of its typical value" in said


def test_the_accuracy_of_a_number_is_asked_at_first():
    """And not that of a trained model, which has no error that noise tells."""
    model = Release("Model", TrainedModel(60_000, 256, 1.1, epochs=3))
    plan = Plan([model, Release("Visits", Laplace(10.0, 1))], Guarantee(9.0, 1e-6), "person")
    app = opened(plan, solve=ACCURACY)
    assert app.selectbox(key="accurate").value == 2
