"""The page on audits: a finished answer, what its inputs change, and scores that are pasted, opened or wrong."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.audit import audit_power, read_audit, runs_needed, simulated_scores
from dpviz.audit.one_run import one_run_epsilon
from dpviz.plain import SYMBOLS
from dpviz.plan.files import permalink
from dpviz.privacy_loss import PrivacyLoss
from dpviz.rounding import shown_down
from tests.pages.test_levels import opened, visible
from tests.pages.workbench import plain

ONE = Plan([Release("a", Laplace.from_epsilon(1.0))], Guarantee(2.0), "person")
ONE_RUN = "one run with many canaries, each in or out by a coin"
BEFORE = "fixed before the scores were seen"


def audit(plan: Plan | None = ONE, **asked: str) -> AppTest:
    return opened("audit", **({} if plan is None else {"plan": permalink.token(plan)}), **asked)


def told(app: AppTest) -> tuple[str, str]:
    """The finding, and what scores prove."""
    said = [plain(each.value) for each in app.markdown]
    first = next(place for place, each in enumerate(said) if each.startswith("Suppose "))
    return said[first], said[first + 2]


def test_the_number_is_that_of_the_core():
    """Of the current plan: the first number with the wanted power, and an example that says no more than is true."""
    app = audit(auditclaim="0.4", auditpower="80")
    needed = runs_needed(audit_power(PrivacyLoss.of(ONE), Guarantee(0.4)), 0.8)
    found, read = told(app)
    assert f"**{needed} runs with the unit and {needed} without** show" in found
    assert "in at least 80 of 100 audits" in found
    assert read.startswith("An example") and "drawn here from the mechanisms themselves show **ε ≥ " in read
    least = float(re.search(r"ε ≥ ([\d.]+)", read)[1])
    assert 0 < least < 1 and "from 0.999999 to 1;" in read
    assert len(app.get("plotly_chart")) == 1


def test_without_a_plan_and_of_one_run():
    """A loss that is suspected stands in; canaries are counted."""
    found, read = told(audit(None, auditeps="3", auditclaim="1", auditdesign=ONE_RUN))
    assert "**ε = 3**" in found and "**one run with " in found
    assert "simulated here with the loss that is said to be true" in read
    right = told(audit(None, auditeps="1", auditclaim="1"))[0]
    assert "the claim is not too small, and an audit says that it is in at most 5 of 100 cases" in right
    assert "not even **100,000 runs" in told(audit(None, auditeps="1", auditclaim="0.9999"))[0]


@pytest.mark.parametrize("epsilon", ["0.000001", "0.00001", "1000"])
def test_the_least_and_the_largest_loss_have_an_answer(epsilon: str):
    """About half of it is claimed where nothing is typed, at either end of what may be asked."""
    app = audit(None, auditeps=epsilon, auditdesign=ONE_RUN)
    assert not app.exception and not app.error and told(app)[0].startswith("Suppose **ε = ")


def test_pasted_scores_are_read():
    """As the core reads them, at the threshold chosen beforehand; a file likewise."""
    scores = simulated_scores(ONE, 2000, np.random.default_rng(5))
    app = audit(auditchoice=BEFORE, auditat="0.5", auditclaim="0.3")
    app.text_area(key="auditscores").set_value(scores.to_csv()).run()
    bound = read_audit(scores, 0.0, 0.95, choice="beforehand", at=0.5)
    assert f"**ε ≥ {str(bound.epsilon)[:5]}" in told(app)[1] and "The claim of ε = 0.3 is too small." in told(app)[1]
    assert any(f"{bound.true_positives} of 1,000" in each.value for each in app.caption)
    other = audit(auditchoice=BEFORE, auditat="0.5")
    other.file_uploader[0].set_value(("scores.csv", scores.to_csv().encode(), "text/csv")).run()
    assert told(other)[1].startswith("These **2,000** scores")


def test_scores_beyond_what_is_proved_are_noticed():
    """Whoever measures more than the plan can lose did not run the plan, or was unlucky."""
    app = audit()
    rows = "\n".join(f"{member},{member}" for member in [0, 1] * 300)
    app.text_area(key="auditscores").set_value(f"score,member\n{rows}").run()
    assert "less than was measured" in told(app)[1] and "at most 5 of 100" in told(app)[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "the columns score and member"),
        ("score,member\n1,1\nx,0\n", "line 3"),
        ("score,member\n1,1\n2,maybe\n", "maybe"),
        ("score,member\n1,1\n2,1\n", "without the unit"),
        ("score,member\n1,1\n", "scores"),
    ],
)
def test_what_cannot_be_read_is_told_and_kept(text: str, said: str):
    """Beneath the box, in which it stays; the example stands in."""
    app = audit()
    app.text_area(key="auditscores").set_value(text).run()
    assert not app.exception and said in plain(app.error[0].value) and "the example is shown" in app.error[0].value
    assert app.text_area(key="auditscores").value == text and told(app)[1].startswith("An example")


def test_too_few_scores_have_a_reason():
    """To be halved, or for as many guesses."""
    app = audit(auditchoice="chosen on one half, measured on the other")
    app.text_area(key="auditscores").set_value("score,member\n1,1\n0,0\n").run()
    assert "two rows of each kind" in plain(app.warning[0].value)
    guessed = audit(auditdesign=ONE_RUN, auditchoice=BEFORE, auditguesses="50")
    guessed.text_area(key="auditscores").set_value("score,member\n1,1\n0,0\n").run()
    assert "2 canaries" in plain(guessed.warning[0].value)


def test_a_plan_without_a_total_says_so():
    """Then what is true is typed."""
    app = audit(Plan([Release("a", Laplace(1.0))], Guarantee(2.0)), audittrue="the current plan")
    assert any("no finite loss is proved" in each.value for each in app.caption) and "**ε = 1**" in told(app)[0]


@pytest.mark.parametrize("asked", [{}, {"auditdesign": ONE_RUN}])
def test_people_meet_no_sign(asked):
    """At their level, in the chart and in the scores, too."""
    assert not [text for text in visible(audit(read="people", **asked)) if SYMBOLS.search(text)]


def test_right_guesses_are_given_by_their_number():
    """In the address, so that a reload keeps them: what the core proves of so many; more right than all is refused."""
    app = audit(auditof="1000", auditright="620")
    proved = one_run_epsilon(620, 1000, 1000, ONE.budget.delta, 0.95)
    assert f"ε ≥ {shown_down(proved, 4)}" in told(app)[1] and "620 of 1,000 guesses are right" in " ".join(visible(app))
    more = audit(auditof="1000", auditright="620", auditcanaries="5000")
    proved = one_run_epsilon(620, 1000, 5000, ONE.budget.delta, 0.95)
    assert f"ε ≥ {shown_down(proved, 4)}" in told(more)[1]
    wrong = app.text_input(key="auditright").set_value("1001").run()
    assert told(wrong)[1].startswith("An example") and "not 1001" in wrong.error[0].value
