"""The privacy-loss page, driven without a browser: defaults, examples, every tab, extremes and hostile addresses."""

import json
import math

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpviz import RandomizedResponse
from dpviz.losses import LAWS
from dpviz.plan import Document, Plan
from dpviz.ui.privacy_loss import answer as answers
from dpviz.ui.privacy_loss import view as privacy_loss
from dpviz.ui.shell import shell
from dpviz.ui.shell.presets import Preset
from tests.pages.workbench import headline

TITLE = "What is the privacy loss of a mechanism, and what happens to it under composition?"
LABELS = list(privacy_loss.LABELS.values())


def opened(**parameters: str) -> AppTest:
    """The page at an address; of one mechanism, where nothing else is said."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/privacy_loss.py")
    for name, value in ({"lossof": "One mechanism"} | parameters).items():
        app.query_params[name] = value
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order and shows its charts."""
    assert not app.exception
    assert not [error.value for error in app.error]
    people = app.session_state["read"] == "people"
    assert app.title[0].value == ("How much do many releases tell?" if people else TITLE)
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(charts) >= (1 if people else 2)
    assert all(chart["data"] for chart in charts)
    assert all(chart.proto.alt for chart in app.get("plotly_chart"))
    return app


def text(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


def metric(app: AppTest, label: str) -> str:
    return next(each.value for each in app.metric if each.label.startswith(label))


def test_first_screen():
    """100 Laplace releases of ε = 0.1: the exact numbers, and how rare the largest loss is."""
    app = opened()
    finding = headline(app)
    assert "ε = 4.693" in finding and "0.4837" in finding and "7.9 × 10⁻³¹" in finding
    assert metric(app, "ε at") == "4.693"
    assert metric(app, "Largest") == "10"


def test_people_read_guesses():
    """100 times Laplace 0.1: the exact law of the likelihood ratio gives the rate; the bars are shares of results."""
    app = opened(read="people")
    rng = np.random.default_rng(1)
    noise = rng.laplace(size=(20_000, 100))  # in world 1 the answer is 0, in world 0 it is 0.1 away, in units of b
    losses = (np.abs(noise - 0.1) - np.abs(noise)).sum(1)
    shown = float(headline(app).split("right in at most **")[1].split("**")[0])
    assert shown == pytest.approx(100 * (losses > 0).mean(), abs=1.5)
    [bars] = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    sure = np.histogram(1 / (1 + np.exp(-losses)), (0, 0.5, 0.6, 0.75, 0.9, 0.99, 1))[0] / 200
    told = dict(zip(bars["x"], (float(each.replace("under", "")) for each in bars["text"]), strict=True))
    undecided = told.pop("undecided,<br>50 %", 0.0)  # results that are as likely in both worlds, which rounding parts
    assert list(told.values()) == pytest.approx([sure[0], sure[1] - undecided, *sure[2:]], abs=1.5)


def test_results_that_tell_nothing_are_called_undecided():
    """Of two answers by randomized response, those that differ; the others mislead, or tell it rightly."""
    frame = answers.sureness(RandomizedResponse(1.0), 2)
    right = math.e / (1 + math.e)
    shares = {(row.low, row.high): row.share for row in frame.itertuples() if row.share > 1e-9}
    assert shares[0.5, 0.5] == pytest.approx(2 * right * (1 - right), rel=1e-6)
    assert shares[0.0, 0.5] == pytest.approx((1 - right) ** 2, rel=1e-6)
    assert sum(shares.values()) == pytest.approx(1.0) and len(shares) == 3


def test_it_starts_from_the_plan():
    """All of it where its releases are alike, else its first release; another is chosen by its name."""
    app = opened_with("lecture-11")
    assert "500 releases by Laplace noise (ε = 0.001 each), **“Counting query”**" in headline(app)
    app = opened_with("mobility")
    assert "per country or region”" in headline(app)
    app = whole(app.selectbox(key="lossrow").set_value(3).run())
    assert "(ε = 0.22 each)" in headline(app) and "county" in headline(app)
    app = whole(app.button(key="preset_loss_gaussian").click().run())
    assert "(σ = 2 each)" in headline(app) and app.session_state["lossof"] == "One mechanism"


@pytest.mark.parametrize("chosen", ["A release of my plan", "My whole plan"])
def test_a_plan_without_a_loss_to_draw(chosen: str):
    """A release on a random sample, or none at all: one mechanism is shown instead, and why is said."""
    app = opened_with("federated-learning")
    assert app.session_state["lossof"] == "One mechanism" and not app.warning
    app = whole(app.selectbox(key="lossof").set_value(chosen).run())
    assert "cannot be drawn here: samples" in app.warning[0].value and "ε = 4.693" in headline(app)
    app.session_state["document"] = Document(Plan(()))
    assert "ε = 4.693" in headline(whole(app.run()))


def opened_with(example: str) -> AppTest:
    """The page as a visitor with a plan comes to it."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.query_params["example"] = example
    return whole(app.run().switch_page("pages/privacy_loss.py").run())


@pytest.mark.parametrize("preset", privacy_loss.PRESETS, ids=lambda preset: preset.key)
def test_examples(preset: Preset):
    """Each example fills the widgets, and the stated law agrees with what is drawn."""
    app = opened()
    whole(app.button(key=f"preset_{preset.key}").click().run())
    assert preset.matches(app.session_state)


def test_name_and_shame_has_no_bound():
    app = opened(mech1="Name and shame", delta1="0.01", times="1")
    assert "no bound holds" in headline(app)
    assert metric(app, "ε at") == "∞"
    assert metric(app, "Mean") == "∞"


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("tab", privacy_loss.MORE)
def test_every_tab_for_every_mechanism(label: str, tab: str):
    """Each panel says something about each mechanism."""
    app = opened(mech1=label, more=tab, times="7", side="Attacker's errors")
    law = next(law.label for law in LAWS if privacy_loss.LABELS[law.key] == label)
    rare = label not in ("Gaussian", "Discrete Gaussian", "Black box (ε, δ)", "Name and shame", "Exponential mechanism")
    marked = {
        "Stated law": f"**{law}**",
        "Rare losses": "likelihood ratio" if rare else "no largest finite loss",
        "Simulation lemma": "the lemma **holds**",
    }
    assert marked[tab] in text(app) + "".join(each.value for each in app.info)


def test_rare_losses_and_joint_sensitivity():
    app = opened(times="20", more="Rare losses", joint="2")
    assert "9.6 × 10⁻⁷" in text(app)
    assert "**ε = 0.2** at δ = 0" in text(app)


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps1": "1e-06", "times": "10000"},
        {"eps1": "50", "times": "10000", "deltak": "0"},
        {"mech1": "Gaussian", "sigma1": "0.01", "deltak": "1e-30"},
        {"mech1": "Gaussian", "sigma1": "1000000", "deltak": "0.5", "scale": "logarithmic"},
        {"mech1": "Gaussian", "deltak": "0", "more": "Rare losses"},
        {"mech1": "Randomized response", "eps1": "50", "times": "1", "deltak": "0.5", "side": "Attacker's errors"},
        {"mech1": "Black box (ε, δ)", "delta1": "0.5", "times": "10000"},
        {"mech1": "Name and shame", "delta1": "0", "more": "Simulation lemma"},
        {"more": "Simulation lemma", "share": "0", "times": "1"},
    ],
)
def test_extremes(parameters: dict[str, str]):
    opened(**parameters)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "nan", "-1", "1e999", "", "💥"])
def test_hostile_addresses_fall_back(hostile: str):
    """A bad value in an address is the default."""
    keys = ("mech1", "eps1", "sigma1", "delta1", "times", "deltak", "scale", "side", "more", "share")
    app = opened(**dict.fromkeys(keys, hostile))
    assert "ε = 4.693" in headline(app)
