"""The page on sampling, driven without a browser: the notebook's figures, extremes, hostile addresses, its promises."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Laplace
from dpviz.amplification import amplify
from dpviz.amplification.sampling_error import mean_error
from dpviz.composition import epsilon_curve, max_count
from dpviz.mechanisms import Subsampled
from dpviz.mechanisms.laws.gaussian_profile import gaussian_mu
from dpviz.plan import Document, Plan, Release
from dpviz.ui.shell import shell
from dpviz.ui.subsampling import answer as answers
from dpviz.ui.subsampling import asked, presets
from dpviz.ui.subsampling import view as subsampling
from tests.golden import GOLDEN
from tests.pages.workbench import headline


def opened(**parameters: object) -> AppTest:
    """The page at an address."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/subsampling.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.query_params.setdefault("read", "numbers")
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert "random sample buy" in app.title[0].value
    return app


def pressed(app: AppTest, preset: str) -> AppTest:
    return whole(app.button(key=f"preset_{preset}").click().run())


def curves(app: AppTest, place: int = 0) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The lines of a chart: x and y by name."""
    spec = json.loads(app.get("plotly_chart")[place].proto.spec)
    return {trace["name"]: (numbers(trace["x"]), numbers(trace["y"])) for trace in spec["data"]}


def numbers(values: object) -> np.ndarray:
    """A list as it is sent, its gaps as NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def table(app: AppTest) -> "object":
    """What the chart's CSV holds, for what the inputs are set to."""
    held = app.session_state
    gaussian = held["noise"] == presets.GAUSSIAN
    loss, leak, limit, delta = (float(held[key]) if key in held else 0.0 for key in ("erun", "drun", "ebud", "dbud"))
    run = asked.Run(held["noise"], loss, leak if gaussian else 0.0)
    sizes = tuple(int(each) for each in held["m"].split(","))
    return answers.runs(run, Guarantee(limit, delta), held["rule"], int(held["span"]), sizes, int(held["n"]))


FIGURES = {
    "whole": {100: "sherpa_composition_plot"},
    "half": {100: "sherpa_subsampling_none", 50: "sherpa_subsampling_without_replacement_m50"},
    "gaussian": {100: "sherpa_subsampling_gaussian_none"},
}


@pytest.mark.parametrize("preset", FIGURES)
def test_the_notebooks_figures(preset: str):
    """Both counts of every point: as the notebook drew it, and exact."""
    shown = table(pressed(opened(read="proofs"), preset))
    for size, section in FIGURES[preset].items():
        reference = GOLDEN["curves"][section]["rows"]
        rows = shown[shown["size"] == size]
        assert [round(float(row["eps"]), 9) for row in reference] == rows.base_epsilon.tolist()
        assert rows.runs_in_floats.tolist() == [int(row["sherpa_float64"]) for row in reference]
        assert rows.runs.tolist() == [int(row["sherpa_rule_exact"]) for row in reference]


def test_the_figure_with_three_sizes():
    """Exact counts at ε = 0.001 for m = 60, 70, 80."""
    app = pressed(opened(read="proofs"), "sizes")
    shown = table(app)
    printed = {60: [348, 166, 111, 83], 70: [285, 142, 95, 71], 80: [249, 124, 83, 62]}
    for size, counts in printed.items():
        assert shown[shown["size"] == size].runs_in_floats.tolist()[:4] == counts
    assert {"no sampling", "60 of 100", "70 of 100", "80 of 100"} <= set(curves(app))


def test_gaussian_runs_by_pairs_and_by_the_noise():
    """377 by the notebook's rule, 123,719 by the closed form of the same noise, computed in two ways."""
    app = pressed(opened(), "gaussian")
    assert all(text in headline(app) for text in ("**377**", "**1,507**", "**123,719**"))
    budget = Guarantee(0.2, 2e-10)
    epsilons, counts = curves(app)["noise itself, no sample"]
    for epsilon, count in list(zip(epsilons, counts, strict=True))[::4]:
        noise = Gaussian.from_guarantee(float(epsilon), 2e-20, calibration="classical")
        assert count == max_count(noise, budget)
        assert count * noise.mu**2 <= gaussian_mu(0.2, 2e-10) ** 2 < (count + 1) * noise.mu**2
    assert counts[0] == 123_719


def test_numbers_on_the_first_screen_are_those_of_the_core():
    """The four metrics, at other values than the notebook's."""
    app = opened(erun="0.1", n="100000", m="1000", ebud="1", dbud="1e-6", many="20", spreadk="0.3")
    values = [metric.value for metric in app.metric]
    pair = amplify(Guarantee(0.1), 0.01)
    assert pair.epsilon <= float(values[0]) < pair.epsilon * 1.001
    assert values[1] in headline(app)
    assert values[2] == f"{max_count(Laplace.from_epsilon(0.1), Guarantee(1.0, 1e-6)):,}"
    errors = [sum(x * x for x in mean_error(100_000, 0.3, 20, Guarantee(1.0), m)[:2]) ** 0.5 for m in (1000, 100_000)]
    assert errors[0] / errors[1] <= float(values[3]) < errors[0] / errors[1] * 1.001


@pytest.mark.parametrize("noise", ["Laplace", "Gaussian"])
def test_the_price_in_accuracy_is_said(noise: str):
    """No sample makes a mean more accurate; the finding, the chart and a simulation of both agree."""
    app = opened(noise=noise, n="200", m="20", ebud="2", dbud="1e-6", drun="1e-9", many="2", spreadk="0.2")
    assert "most accurate over **all records**" in headline(app)
    rates, errors = curves(app, 1)["both: the error"]
    assert errors.argmin() == len(errors) - 1 and rates[-1] == 1
    at = float(errors[np.argmin(np.abs(rates - 0.1))])
    simulated = simulated_error(noise.lower(), 20_000)
    assert simulated == pytest.approx(at, rel=0.03)  # five standard errors of so many trials


def simulated_error(noise: str, trials: int) -> float:
    """Root mean square of 20 drawn of 200 records with standard deviation 0.2, their noise added, about their mean."""
    rng = np.random.default_rng(20)
    records = np.where(np.arange(200) < 100, 0.3, 0.7)
    *_, each = mean_error(200, 0.2, 2, Guarantee(2.0, 1e-6), 20, 1.0, noise)
    drawn = rng.permuted(np.broadcast_to(records, (trials, 200)), axis=1)[:, :20].mean(axis=1)
    if noise == "laplace":
        added = rng.laplace(0, 1 / (20 * each.epsilon), trials)
    else:
        added = rng.normal(0, Gaussian.from_guarantee(each.epsilon, each.delta).sigma / 20, trials)
    return float(np.sqrt(np.mean((drawn + added - 0.5) ** 2)))


def test_tight_totals_are_below_the_formula():
    """Poisson is tight, without replacement a bound, the formula above both, and all as the core has them."""
    app = opened(noise="Gaussian", erun="0.5", drun="1e-8", ebud="5", dbud="1e-5", samplemore="Tight, over k runs")
    lines = curves(app, 1)
    ends = {name: y[-1] for name, (_, y) in lines.items()}
    assert ends["Poisson, tight"] <= ends["without replacement, bound"] <= ends["formula, best theorem"]
    assert ends["formula, best theorem"] < ends["formula, k times"]
    noise = Subsampled(Gaussian.from_guarantee(0.5, 1e-8, calibration="classical"), 0.5, "poisson")
    exact = float(epsilon_curve(noise, [1000], 1e-5, ["pld"]).epsilon.iloc[0])
    assert exact * (1 - 1e-6) <= ends["Poisson, tight"] <= exact * (1 + 2e-3)  # declared excess of each
    assert "two different promises" in app.caption[0].value


@pytest.mark.parametrize("tab", subsampling.MORE)
@pytest.mark.parametrize("read", ["numbers", "proofs"])
def test_every_tab_opens(tab: str, read: str):
    """Each with its chart or its table, and no other tab's."""
    app = opened(samplemore=tab, read=read)
    charts = {"What it costs": 2, "ε′ of one run": 3, "Tight, over k runs": 2}.get(tab, 1)
    assert len(app.get("plotly_chart")) == charts
    assert len(app.dataframe) == 1 + (tab == "Which kind of sample")


def test_neighbours_and_secrecy_are_said():
    """The relation follows the kind of sample; that the sample is secret and the rate public is said."""
    assert "one record replaced" in headline(opened(ssource="Typed here"))
    app = opened(sampling="Poisson", samplemore="Which kind of sample")
    assert "one record added or removed" in headline(app)
    assert any("nobody learns" in each.value and "rate is public" in each.value for each in app.markdown)
    assert set(app.dataframe[1].value["holds for"]) == {"one record added or removed", "one record replaced"}


@pytest.mark.parametrize(
    "address",
    [
        {"erun": "1e-5", "ebud": "1000", "dbud": "0.5"},
        {"erun": "50", "ebud": "0.0001"},
        {"erun": "50", "ebud": "1000", "span": "1000", "runaxes": "linear"},
        {"noise": "Gaussian", "dbud": "0"},
        {"noise": "Gaussian", "dbud": "1e-6", "drun": "0.5", "erun": "20", "sigmaby": "analytic"},
        {"noise": "Gaussian", "dbud": "0.5", "drun": "1e-30", "n": "1000000000", "m": "1, 999999999"},
        {"n": "2", "m": "1", "many": "1000000", "spreadk": "0"},
        {"rule": "Fully adaptive, or basic", "dbud": "0"},
        {"noise": "Gaussian", "rule": "Basic", "sampling": "Poisson", "read": "people"},
    ],
    ids=lambda address: "&".join(f"{key}={value}" for key, value in address.items()),
)
def test_extremes_are_answered(address: dict[str, str]):
    """No exception, and a chart or a next step, at the ends of what can be typed."""
    app = opened(**address)
    assert app.get("plotly_chart") or app.info
    assert len(app.metric) == (0 if "read" in address else 4) and " fit " in headline(app)


def test_where_nothing_fits_there_is_a_next_step():
    """A button leads to an ε that fits."""
    app = opened(erun="50", ebud="1")
    assert "Not one run fits" in app.info[0].value
    app = whole(app.button(key="show_smaller").click().run())
    assert app.text_input(key="erun").value == "0.01"
    assert np.nanmax(curves(app)["no sampling"][1]) == 100


@pytest.mark.parametrize(
    "address",
    [
        {"erun": "nan", "n": "-3", "ebud": "inf", "dbud": "x", "span": "0"},
        {"noise": "<script>", "runaxes": "3d", "samplemore": "none", "rule": "any"},
        {"m": "$$\\frac{ <img src=x onerror=alert(1)> [a](javascript:b)"},
        {"m": ","},
        {"m": "💥", "read": "💥"},
    ],
)
def test_a_bad_address_falls_back(address: dict[str, str]):
    """Nonsense in the address leaves the page as it opens, and nobody's markup on it."""
    app = opened(**address)
    assert [metric.value for metric in app.metric][1] == "502"
    assert not any(re.search(r"(?<!\\)<img", each.value) for each in (*app.markdown, *app.error, *app.caption))


def test_a_bad_size_is_one_sentence_and_keeps_the_last_good_one():
    """A typing error loses nothing."""
    app = opened(m="60, 70")
    app = whole(app.text_input(key="m").set_value("60, 100").run())
    assert len(app.error) == 1 and "Each sample size must be a whole number from" in app.error[0].value
    assert "70 of 100" in curves(app)


def plan_of(app: AppTest) -> Plan:
    return app.session_state["document"].plan


def test_it_starts_from_the_plan():
    """Noise, population, sample and budget are the plan's; both counts are those of the core's accounting."""
    app = opened(example="federated-learning")
    assert app.session_state["ssource"] == "Current plan"
    assert "Current plan" in app.query_params["ssource"], "else what is changed here means the notebook when loaded"
    finding = headline(app)
    assert "**1,000** of **100,000**" in finding and "ε = 3, δ = 10⁻⁷" in finding and "added or removed" in finding
    noise, budget = Gaussian(1.0), Guarantee(3.0, 1e-7)
    counts = [max_count(Subsampled(noise, 0.01, "poisson"), budget), max_count(noise, budget)]
    assert f"**{counts[0]:,}** runs fit" in finding and f"instead of **{counts[1]}** without" in finding
    assert app.button(key="use_sample").disabled  # the plan holds this sample already


def test_a_former_link_shows_the_notebook():
    """Where an address sets something of the page, everything else is as it was when that was written."""
    app = opened(m="60")
    assert app.session_state["ssource"] == "A notebook's figures"
    assert app.text_input(key="erun").value == "0.001" and app.text_input(key="n").value == "100"
    assert "instead of **200** without" in headline(app)


@pytest.mark.parametrize(("sampling", "allowed"), [("Poisson", True), ("Without replacement", False)])
def test_a_sample_goes_into_the_plan(sampling: str, allowed: bool):
    """The release reads a sample from then on, where the plan promises what this kind of sample does."""
    app = opened(ssource="Current plan", example="mobility", m="500", sampling=sampling)
    before = plan_of(app)
    assert app.button(key="use_sample").disabled != allowed
    if allowed:
        app = whole(app.button(key="use_sample").click().run())
        first = Subsampled(before.releases[0].mechanism, 0.05, "poisson")
        assert [each.mechanism for each in plan_of(app).releases[:2]] == [first, before.releases[1].mechanism]
        assert [each.plan for each in app.session_state["history"].past] == [before]


def test_a_typed_run_goes_into_the_plan():
    """As a new row."""
    app = opened(ssource="Typed here", sampling="Poisson")
    app = whole(app.button(key="use_sample").click().run())
    assert plan_of(app).releases[-1].mechanism == Subsampled(Laplace.from_epsilon(0.1, 1), 0.01, "poisson")


def test_the_sample_of_the_plan_is_what_is_shown_and_follows_the_release():
    """At first the release that is sampled, with its rate; of another, one in a hundred; what is typed stays."""
    survey = Release("Survey", Subsampled(Laplace(1.0, 1), 0.02, "poisson"))
    plan = Plan([Release("Users", Laplace(50.0, 1), 90), survey], Guarantee(2.0, 1e-8), population=900_000)
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/subsampling.py")
    app.session_state["document"], app.query_params["ssource"] = Document(plan), "Current plan"
    app = whole(app.run())
    assert app.session_state["srow"] == 2 and app.text_input(key="m").value == "18000"
    app = whole(app.selectbox(key="srow").set_value(1).run())
    assert app.text_input(key="m").value == "9000"
    app = whole(app.text_input(key="m").set_value("500").run())
    assert whole(app.selectbox(key="srow").set_value(2).run()).text_input(key="m").value == "500"
