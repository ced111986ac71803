"""The page on training: a finished answer, what is searched, what shuffling really costs, and refusals."""

import json
import math
import re

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, compose
from dpviz.adversary.risk import PairLoss, best_success
from dpviz.mechanisms import TrainedModel
from dpviz.plain import SYMBOLS
from dpviz.plan import Document
from dpviz.privacy_loss import PrivacyLoss
from dpviz.rounding import shown_down, shown_near, shown_right, shown_up
from dpviz.training import SCHEMES, TrainingRun, smallest_noise, training_cost
from tests.pages.test_levels import opened, visible
from tests.pages.workbench import plain

SMALL = {"trainn": "2000", "trainb": "100", "trains": "3", "traine": "4"}
NOISE, EPOCHS = "the noise that is needed", "how many epochs fit"


def training(**asked: str) -> AppTest:
    return opened("training", **(SMALL | asked))


def told(app: AppTest) -> str:
    return next(plain(each.value) for each in app.markdown if " records, batches of " in each.value)


def test_the_answer_is_that_of_the_core():
    """Of the chosen scheme, beside all others, and what is lost where the code shuffles."""
    app = opened("training")
    run = TrainingRun(60_000, 256, 1.0, 1e-5, epochs=30)
    shuffled = training_cost(TrainingRun(60_000, 256, 1.0, 1e-5, epochs=30, scheme="shuffled"))
    assert f"at most ε = {shown_up(training_cost(run, 1e-4).epsilon)}** at δ = 10⁻⁵" in told(app)
    between = f"{shown_down(shuffled.lower)} and {shown_up(shuffled.epsilon)}"
    assert f"If the code shuffles instead, the ε at that noise lies between {between}." in told(app)
    table = app.table[0].value
    told_of = table["How batches are drawn"]
    labels = [label.replace("\\", "").strip("*").removesuffix("** (chosen)") for label in told_of]
    assert labels == [each.label for each in SCHEMES] and all(table["What the code must do"])
    [chart] = app.get("plotly_chart")
    ends = [trace["customdata"][-1] for trace in json.loads(chart.proto.spec)["data"] if trace.get("customdata")]
    assert {shown_up(shuffled.epsilon), shown_down(shuffled.lower)} <= set(ends), "the chart ends in what is told"


def test_noise_and_epochs_are_searched():
    """The smallest noise is rounded up; the most epochs are whole ones; where none fits that is said."""
    noise = smallest_noise(TrainingRun(2000, 100, 1.0, 1e-5, epochs=4), 1.0).noise_multiplier
    said = told(training(trainsolve=NOISE, traineps="1"))
    assert f"a noise multiplier of {shown_up(noise)}**" in said and said.count("ε = 1**") == 1 and "than ε" not in said
    found = told(training(trainsolve=EPOCHS, traineps="1", trains="3"))
    most = int(re.search(r"\*\*([\d,]+) epochs\*\* fit", found)[1].replace(",", ""))
    costs = [training_cost(TrainingRun(2000, 100, 3.0, 1e-5, epochs=each), 5e-5).epsilon for each in (most, most + 1)]
    assert costs[0] <= 1.0 < costs[1]
    budget = told(training(trainsolve=NOISE, traineps="1", trainscheme="Random allocation (balls in bins)"))
    assert "**at most ε = 1** at" in budget, "never above the budget"
    none = told(training(trainsolve=EPOCHS, traineps="0.01", trainscheme="Shuffled each epoch"))
    assert none.startswith("Not even one epoch fits")


def test_what_each_tab_says():
    """Larger batches cost less at the same accuracy; a program or the reason; a search of settings."""
    frame = training(trainmore="Why larger batches help").dataframe[0].value
    costs = [float(each) for each in frame.epsilon]
    assert len(costs) == 4 and costs == sorted(costs, reverse=True)
    code = training(trainmore="Hand it over").code[0].value
    assert "noise_multiplier=3.0" in code and "poisson_sampling=True" in code
    refused = training(trainmore="Hand it over", trainscheme="Shuffled each epoch")
    assert not refused.code and "Opacus has nothing for “Shuffled each epoch”" in refused.warning[0].value
    search = training(trainmore="Trying settings", traintrials="5")
    one, some, every = (float(each.value) for each in list(search.metric)[-3:])
    assert one < some and one < every


def test_the_smallest_batch_is_searched():
    """At the accuracy of a step that is asked for, it keeps the budget, and one record less does not."""
    found = told(training(trainsolve="how small batches may be", traineps="1", trainmean="0.02", traine="5"))
    size = int(re.search(r"Batches of ([\d,]+)\*\*", found)[1].replace(",", ""))
    runs = [TrainingRun(2000, each, 0.02 * each, 1e-5, epochs=5) for each in (size, size - 1)]
    fits, beyond = (training_cost(each, 5e-5).epsilon for each in runs)
    assert fits <= 1.0 < beyond
    none = told(training(trainsolve="how small batches may be", traineps="0.01", trainmean="0.0001"))
    assert none.startswith("Not even the largest batch")


def test_a_run_begins_a_plan_of_its_own():
    """The budget that is asked for, δ, relation, unit and people are set; the head says what is left."""
    asked = {"trainscheme": "Fixed-size batches, drawn anew", "trainsolve": NOISE, "traineps": "1"}
    app = training(**asked)
    assert "use_training" not in {each.key for each in app.button}, "an empty plan has nothing beside it"
    app = app.button(key="begin_training").click().run()
    plan = app.session_state["document"].plan
    assert (plan.budget, plan.relation) == (Guarantee(1, 1e-5), "replace_one")
    assert (plan.unit, plan.population) == ("record", 2000)
    assert [each.mechanism.scheme for each in plan.releases] == ["fixed_size"]
    head = " ".join(plain(each.value) for each in app.markdown)
    assert "of 1 per record at δ = 10⁻⁵" in head.replace("**", "") and "within budget" in head


def test_a_run_becomes_a_row_of_the_plan():
    """Beside what is there; where the relation or δ of the plan refuses it, that is one sentence, and the way out."""
    app = training(trainscheme="Random allocation (balls in bins)")
    weekly = Plan([Release("Weekly counts", Gaussian(60, 1), 52)], Guarantee(3, 1e-6), relation="add_remove")
    app.session_state["document"] = Document(weekly)
    app = app.run()
    assert any("At your plan's δ, 10⁻⁶" in each.value for each in app.caption)
    app = app.button(key="use_training").click().run()
    plan = app.session_state["document"].plan
    assert plan.releases[1].mechanism.training.endswith("epochs 4, scheme allocation") and plan.budget == weekly.budget
    app.selectbox(key="trainscheme").select("shuffled").run()
    app = app.button(key="use_training").click().run()
    app = app.button(key="use_training").click().run()
    names = [each.name for each in app.session_state["document"].plan.releases[1:]]
    again = "Trained model, shuffled each epoch"
    assert names == ["Trained model", again, f"{again} 2"]
    app.selectbox(key="trainscheme").select("fixed_size").run()
    assert app.button(key="use_training").disabled and not app.button(key="begin_training").disabled
    (refused,) = (each.value for each in app.caption if "Your plan protects one unit added or removed" in each.value)
    assert refused.endswith("“Start a plan with this training” opens a plan for this.")
    app.session_state["document"] = Document(Plan([Release("Count", Laplace(10, 1))], Guarantee(1, 0)))
    app.selectbox(key="trainscheme").select("poisson").run()
    assert app.button(key="use_training").disabled
    assert any(each.value.startswith("Your plan's δ is 0") for each in app.caption)


def test_noise_is_kept_while_other_batches_are_priced():
    """What was searched is given then, and the scheme is changed at that noise."""
    asked = {name: text for name, text in SMALL.items() if name != "trains"}
    app = opened("training", **asked, trainsolve=NOISE, traineps="1").button(key="train_keep").click().run()
    noise = float(app.text_input(key="trains").value)
    found = smallest_noise(TrainingRun(2000, 100, 1.0, 1e-5, epochs=4), 1.0).noise_multiplier
    assert found <= noise <= found * 1.001
    app.selectbox(key="trainscheme").select("shuffled").run()
    assert f"at a noise multiplier of {shown_near(noise)} cost" in told(app)
    assert not [each for each in app.button if each.key == "train_keep"]


@pytest.mark.parametrize("scheme", ["Poisson batches, cut", "Banded matrix, cyclic Poisson batches"])
def test_a_scheme_without_a_guarantee_says_why(scheme: str):
    """All data in each batch, or groups smaller than a batch."""
    app = training(trainscheme=scheme, trainb="2000", trainsolve=NOISE)
    assert "no guarantee is known" in told(app)


def test_people_meet_no_sign():
    """The finding is odds; the programs are for others."""
    app = training(read="people", trainscheme="Tree aggregation, restarted each epoch")
    assert "of 100** cases" in told(app) and "1 in 100,000" in told(app)
    assert not [text for text in visible(app) if SYMBOLS.search(text)]
    assert not app.code


def test_people_are_told_what_the_attacker_makes_of_the_training_itself():
    """By its own privacy loss, rounded up, and not by what its pair alone would allow."""
    plan = Plan([Release("Trained model", TrainedModel(60_000, 256, 1.0, epochs=30))], Guarantee(math.inf, 1e-5))
    right = 100 * best_success(PrivacyLoss.of(plan, accuracy=1e-4))
    assert f"**at most {shown_right(right)} of 100** cases" in told(opened("training", read="people"))
    assert right < 60 < 87 < 100 * best_success(PairLoss(Guarantee(compose(plan, 1e-5).epsilon, 1e-5)))
