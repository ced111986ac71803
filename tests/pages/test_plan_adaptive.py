"""The workbench for a plan marked adaptive: filters only, and what that costs, where theorems are unfolded."""

import math
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Plan, Release
from dpviz.adversary import PairLoss
from dpviz.adversary.risk import best_success
from tests.pages import workbench

TITLE = "**Chosen along the way: filters only**"


def opened(**parameters: str) -> AppTest:
    app = workbench.opened(**({"read": "proofs"} | parameters))
    assert not app.error
    return app


def texts(app: AppTest) -> list[str]:
    values = [each.value for each in app.markdown]
    return values[values.index(TITLE) :]


def admitted(app: AppTest) -> list[str]:
    [table] = [each.value for each in app.dataframe if "admits" in each.value]
    return table["admits"].tolist()


def test_a_plan_fixed_in_advance_has_no_panel():
    """It may quote every theorem."""
    assert TITLE not in [each.value for each in opened(example="lecture-11").markdown]


def test_the_lecture_needs_a_filter():
    """500 releases of 0.001 within 0.1: adding up says 0.5, one filter admits all, and the price is named."""
    app = opened(example="lecture-11", adaptive="true")
    promise, cost = texts(app)[1:3]
    assert "a filter by **Zero-concentrated DP** with the budget **ε = 0.1, δ = 10⁻⁶**" in promise
    assert "**0.07979**" in cost and "adding up gives 0.5, 6.27 times" in cost and "its budget, 0.1" in cost
    assert admitted(app) == ["100 of 500", "149 of 500", "360 of 500", "all 500"]
    assert any("theorems for plans fixed in advance do not hold" in each.value for each in app.markdown)


@pytest.mark.parametrize(("read", "said"), [("numbers", "ε at most **4** per **unit**"), ("people", "Within budget")])
def test_the_head_tells_what_a_filter_promises(read: str, said: str):
    """Of noise without a pair (ε, δ) no sum may be quoted; where a filter admits all, its budget is the promise."""
    plan = Plan([Release("Trips", Gaussian(20.0, 1), 50)], Guarantee(4.0, 1e-6), adaptive=True)
    app = workbench.opened(plan, read=read)
    assert said in workbench.verdict(app) and "admits all of these releases" in workbench.verdict(app)
    right = math.ceil(1000 * best_success(PairLoss(Guarantee(4.0, 1e-6)))) / 10
    guesses = next(each.value for each in app.markdown if "guesses" in each.value)
    assert f"**{right} of 100**" in guesses
    assert not any("bounds" in each.value for each in (*app.markdown, *app.info))
    odd = replace(plan, budget=Guarantee(4.314297137816578, 1e-6))  # of more digits than are shown
    if read == "numbers":
        shown = workbench.verdict(workbench.opened(odd)).split("at most **")[1].split("**")[0]
        assert 4.314297137816578 <= float(shown) < 4.3142971379
    less = workbench.opened(replace(plan, budget=Guarantee(0.1, 1e-6)), read=read)
    assert "**Nothing " in workbench.verdict(less)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ({"eps": "0.01"}, "No filter here admits the whole plan"),
        ({"eps": "1"}, "Adding up keeps within the budget: ε ≤ **0.5**"),
        ({"eps": "1", "delta": "0"}, "Adding up keeps within the budget"),
    ],
)
def test_each_case_has_its_sentence(address: dict[str, str], text: str):
    """Nothing admits all; adding up suffices; only adding up applies."""
    app = opened(example="lecture-11", adaptive="true", **address)
    assert text in texts(app)[1]
    assert len(admitted(app)) == 4
