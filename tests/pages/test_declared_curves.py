"""Pages with a plan of declared curves: each has an answer or a sentence for what only a curve is known of."""

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Declared, Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.ui.shell import shell
from tests.pages.workbench import edit, opened, plan_of, text, whole

CURVES = (Declared.zcdp(0.02, 1e-9), Declared.gdp(0.2), Declared.renyi([2, 8], [0.04, 0.2]),
          Declared.profile([0.5, 1.0], [1e-6, 1e-9]))  # fmt: skip
PLAN = Plan([*(Release(f"r{row}", curve, 2) for row, curve in enumerate(CURVES)), Release("l", Laplace(10.0, 1))],
            Guarantee(5.0, 1e-6))  # fmt: skip
SAID = {"adversary": "cannot be played: declared as", "privacy_loss": "declared curves", "composition": "",
        "filters": ""}  # fmt: skip


@pytest.mark.parametrize("read", ["people", "proofs"])
@pytest.mark.parametrize("page", SAID)
def test_a_page_says_what_it_cannot_know(page, read):
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page(f"pages/{page}.py")
    app.query_params["read"] = read
    app.session_state["document"], app.session_state["begun"] = Document(PLAN), True
    assert SAID[page] in text(whole(app.run()))


def test_a_curve_is_typed_into_the_table():
    app = edit(opened(PLAN), {0: {"noise": "ρ 0.3"}, 3: {"noise": "profile 0.25:1e-7"}})
    changed = [release.mechanism for release in plan_of(app).releases]
    assert changed == [Declared.zcdp(0.3), *CURVES[1:3], Declared.profile([0.25], [1e-7]), Laplace(10, 1)]
    assert "after ρ" in text(edit(app, {0: {"noise": "rho much"}}))
