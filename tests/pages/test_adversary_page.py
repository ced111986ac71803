"""The adversary page, driven without a browser: the story of the defaults, extremes, hostile addresses, stale draws."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from streamlit.testing.v1 import AppTest

from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse, Subsampled
from dpviz.plan import Document, Plan, Release
from dpviz.ui.adversary import answer as adversary_cache
from dpviz.ui.adversary import games
from dpviz.ui.adversary.asked import noisier
from dpviz.ui.privacy_loss import answer as privacy_loss_cache
from dpviz.ui.shell import examples, shell
from tests.pages.workbench import headline

CHARTS = 4
NOTEBOOK = examples.plan_of("sherpa-notebook")
ROUNDING = 1e-12  # of rates, as sums of binomials


def opened(plan: Plan | None = None, **parameters: object) -> AppTest:
    """The page at an address, with a current plan; about the notebook's, where nothing else is said."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/adversary.py")
    for name, value in ({"against": "All three of the notebook"} | parameters).items():
        app.query_params[name] = str(value)
    if plan is not None:
        app.session_state["document"], app.session_state["begun"] = Document(plan), True
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order and no chart is empty."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    people = app.session_state["read"] == "people"
    assert "often do they guess right" in app.title[0].value or people
    charts = app.get("plotly_chart")
    assert len(charts) == (2 if people else CHARTS)
    assert all(json.loads(chart.proto.spec)["data"] and chart.proto.alt for chart in charts)
    return app


def everything(app: AppTest) -> str:
    return " ".join(each.value for each in (*app.markdown, *app.caption))


def points(app: AppTest) -> int:
    """How many played attacks are drawn."""
    spec = json.loads(app.get("plotly_chart")[1].proto.spec)
    return sum(trace["name"].startswith("Played") for trace in spec["data"])


def test_the_defaults_tell_the_story():
    """Three releases partly separate the worlds; still the best attack is right in 70.6 of 100."""
    app = opened()
    assert "**70.6 %**" in headline(app) and "partly separate" in headline(app) and "**0.415**" in headline(app)
    assert "would be false" in headline(app)
    assert "says “there” (orange) in about 71 of 100 cases; with another record, still in about 29" in everything(app)
    assert "Whole cases, rounded in the attacker's favour." in everything(app)
    assert (app.metric[0].value, app.metric[0].delta) == ("≤ 70.6 %", "(ε, δ) alone: ≤ 89.2 %")
    # An estimate above the bound beside it is shown as the interval that it stands for.
    low, high = map(float, app.metric[1].value.removesuffix(" %").split("–"))
    assert low <= 70.6 <= high and "99 % interval; estimate" in app.metric[1].delta
    assert not app.error and not app.warning and points(app) == 2


def test_three_thousand_releases_separate_the_worlds():
    """The slider's end: the mean alone errs with probability 5.2e-12, rounded up."""
    app = whole(opened().button(key="preset_notebook_3000").click().run())
    assert app.session_state["seen"] == 3000
    assert "stand apart" in headline(app) and "5.2 × 10⁻¹²" in headline(app)


def test_a_long_run_waits_for_its_button_and_goes_stale():
    """A preview first; after the run, all games; after a change, the mark, and no point beside another curve."""
    app = opened(seen=50, games=100000)
    assert "as a preview" in everything(app) and points(app) == 2
    app = whole(app.button(key="adversary_run").click().run())
    held = app.session_state[games.HELD]
    assert held.views.complete and held.views.trials == 100_000 and points(app) == 2
    app = whole(app.text_input(key="seed").set_value("2").run())
    assert "Stale" in app.warning[0].value and "seed 1" in app.warning[0].value
    assert points(app) == 0 and app.metric[1].value == "stale"
    app = whole(app.text_input(key="seed").set_value("1").run())
    assert not app.warning and points(app) == 2


def test_a_stopped_run_says_so():
    """Fewer games than asked for are a result of their own."""
    app = opened(seen=300, games=100000)
    chunks = games._chunks(game := games.Game(*_fields(app)))
    views = next(chunks)
    app.session_state[games.HELD] = games.Shown(views, game)
    app = whole(app.run())
    assert "Stopped after" in app.info[0].value and points(app) == 2


def _fields(app: AppTest) -> tuple:
    plan = replace(NOTEBOOK, relation="replace_one")
    return plan, "", 300, 100_000, 1, "repeated_list", "1.0|2.0"


def test_who_chooses_the_mechanism_is_bounded_by_basic_alone():
    """No composed curve is drawn, and every number is that of the pair (2, 0.01)."""
    app = opened(who="Also chooses the mechanism")
    assert "**basic composition** alone" in headline(app) and "ε = 2, δ = 0.01" in headline(app)
    names = [trace["name"] for trace in json.loads(app.get("plotly_chart")[1].proto.spec)["data"]]
    assert "Best possible attack" not in names and "If only (ε, δ) were known" in names
    # Of leaky randomized response: advantage 0.01 + 0.99 tanh(1).
    assert app.metric[0].value == "≤ 88.2 %"


def test_an_adaptive_plan_quotes_basic_alone():
    """A plan that says chosen along the way has no composed curve either."""
    plan = Plan(NOTEBOOK.releases, NOTEBOOK.budget, adaptive=True)
    assert "**basic composition** alone" in headline(opened(plan, against="Current plan"))


def test_it_starts_from_the_plan():
    """Its releases, and no average of persons and euros; without one, the notebook's three."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.query_params["example"] = "weekly-dashboard"
    app = whole(app.run().switch_page("pages/adversary.py").run())
    assert "**168 releases**" in headline(app) and app.session_state["view"] == "Likelihood ratio"
    assert "plain mean" not in headline(app) and "not possible to tell" not in headline(app)


def test_a_plan_that_is_too_large_tells_its_own_risk():
    """A million answers at ε = 10⁻⁵ have a variance of 10⁻⁴ nats: somebody guesses right in 50.2 of 100 at most."""
    app = opened(Plan([Release("many", RandomizedResponse(1e-5), 10**6)]), against="Current plan")
    assert "makes 1,000,000 releases" in app.warning[0].value and "instead" in app.warning[0].value
    right = float(app.warning[0].value.split("at most ")[1].split(" of 100")[0])
    assert 50.199 < right < 50.21  # (1 + erf(0.01 / sqrt 8)) / 2 of 100, rounded up


def test_the_noise_that_was_tried_goes_into_the_plan():
    """Every release has it then, and the factor is back at 1."""
    app = opened(NOTEBOOK, against="Current plan", loud="5")
    before = app.metric[0].value
    app = whole(app.button(key="use_loud").click().run())
    changed = app.session_state["document"].plan
    assert [each.mechanism for each in changed.releases] == [noisier(each.mechanism, 5.0) for each in NOTEBOOK.releases]
    assert app.session_state["loud"] == "1" and app.metric[0].value == before
    assert app.button(key="use_loud").disabled


def test_adapting_databases_changes_no_bound():
    """The noise of each round is fixed, so the composed curve holds."""
    assert "**70.6 %**" in headline(opened(who="Adapts databases and queries", view="Likelihood ratio"))


MIXED = Plan(
    [
        Release("<b>a</b>", Laplace.from_epsilon(0.3, 2.0), 3),
        Release("b", Gaussian(4.0, 1)),
        Release("c", RandomizedResponse(0.5), part="north"),
        Release("d", ApproximateDP(0.1, 1e-6), part="south"),
        Release("e", NameAndShame(1e-3), part="south"),
    ],
    unit="<i>user</i>-[day](x)",
)


@pytest.mark.parametrize(
    ("plan", "parameters"),
    [
        (MIXED, {}),
        (MIXED, {"who": "Also chooses the mechanism", "loud": "5"}),
        (MIXED, {"passes": 20, "read": "words", "prior": "0.1", "view": "Likelihood ratio"}),
        (Plan([Release("s", Subsampled(Gaussian(1.0, 1), 0.01, "poisson"), 20)]), {"view": "Likelihood ratio"}),
        (Plan([Release("n", NameAndShame(0.5))]), {"view": "Likelihood ratio"}),
        (Plan([Release("n", Laplace(1.0, 1), 0)]), {}),
        (Plan(()), {}),
    ],
)
def test_current_plans(plan: Plan, parameters: dict):
    """Whatever the plan holds, the page answers."""
    opened(plan, against="Current plan", **parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {"loud": "0.01", "seen": 3000, "prior": "99.9"},
        {"loud": "100", "seen": 1, "prior": "0.1", "deltak": "0"},
        {"who": "Also chooses the mechanism", "seen": 3000, "games": 100},
        {"seen": "-1", "prior": "nan", "seed": "x", "games": "1e99", "loud": "<b>", "who": "nobody", "against": "?"},
        {"x0": "[1,2,3,4]", "x1": "[1,2,3,3.5]"},
    ],
)
def test_extremes_and_hostile_addresses(parameters: dict):
    """Nothing in an address breaks the page."""
    opened(**parameters)


@pytest.mark.parametrize(("first", "second", "said"), [("1,2,3,4", "1,2,5,8", "2 components"), ("1", "x", "a number")])
def test_databases_that_are_no_neighbours_are_refused(first: str, second: str, said: str):
    """One sentence with the rule, where they were typed; the experiment goes on with 1 and 2."""
    app = opened(x0=first, x1=second)
    assert said in app.error[0].value.replace("\\", "") and "goes on with 1 and 2" in app.error[0].value
    assert "**70.6 %**" in headline(app)


@pytest.mark.parametrize("factor", [0.01, 0.5, 2.0, 100.0])
@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(1.0),
        Gaussian(2.0),
        RandomizedResponse(1.0),
        ApproximateDP(1.0, 1e-6),
        Subsampled(Gaussian(1.0), 0.1, "poisson"),
    ],
)
def test_more_noise_tells_less(mechanism, factor: float):
    """The advantage falls as the factor rises."""
    changed = noisier(mechanism, factor)
    assert (changed.delta(0.0) < mechanism.delta(0.0)) == (factor > 1)


def test_the_trade_off_curve_is_that_of_the_privacy_loss_page():
    """Ten responses at ε = 0.5: both pages draw the one curve, the Neyman-Pearson test of counts of lies."""
    mechanism, count, delta = RandomizedResponse(0.5), 10, 1e-6
    plan = Plan([Release("r", mechanism, count)])
    drawn = adversary_cache.curve(games.Game(plan, "", count, 1, 0, "list", "", delta)).query("line == 'own'")
    region = privacy_loss_cache.region(mechanism, count, delta).query("theorem == 'pld'")
    truth, lies = 1 / (1 + np.exp(-0.5)), np.arange(count + 1)
    power = np.append(0.0, binom.cdf(lies, count, 1 - truth))
    level = np.append(0.0, binom.cdf(lies, count, truth))
    found = []
    for frame in (drawn, region):
        rates, missed = frame.false_positive_rate.to_numpy(), frame.false_negative_rate.to_numpy()
        exact = 1 - np.interp(rates, level, power)
        np.testing.assert_allclose(missed, exact, rtol=0, atol=ROUNDING)
        found.append(missed[np.argmin(np.abs(rates - 0.01))])
    assert found == pytest.approx([0.78064, 0.78064], rel=0, abs=5e-6)
