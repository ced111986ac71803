"""What the composition page's script costs: as it is kept, as a slider moves, and a bare page with the same chart."""

import argparse
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dpviz import ApproximateDP, Gaussian, Laplace, Plan, RandomizedResponse, Release
from dpviz.plan import Document, as_plan

ROOT = Path(__file__).resolve().parents[1]
BARE = """
import streamlit as st
from dpviz.figures.learn.growth import Marks, growth
from dpviz.ui.composition.answer import growth as answer
from dpviz.plan import Plan
answered = answer(Plan.from_json(st.session_state["plan"]), st.session_state["kmax"], 1e-6, None, False)
st.plotly_chart(growth(answered.curve, Marks(answered.crossings.iloc[:0])))
"""
PLANS = {
    "Laplace ε = 0.1": Plan([Release("noise", Laplace.from_epsilon(0.1))]),
    "mixed plan of 3": Plan(
        [
            Release("counts", Laplace.from_epsilon(0.1), 3),
            Release("answers", RandomizedResponse(0.2)),
            Release("black box", ApproximateDP(0.1, 1e-9)),
        ]
    ),
    "mixed plan with σ = 20": as_plan({Laplace.from_epsilon(0.1): 3, Gaussian(20): 1}),
}


def milliseconds(app, change, repeats):
    """The least processor time of a script run, in this process; a new value each time where there is one to change."""
    times = []
    for turn in range(repeats):
        change(app, turn)
        start = time.process_time()
        app.run()
        times.append(1000 * (time.process_time() - start))
        if app.exception:
            raise RuntimeError(app.exception[0].message)
    return min(times)


def page(plan, points):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("pages/composition.py")
    app.session_state["document"] = Document(plan)
    app.query_params["repeat"], app.query_params["kmax"] = "Current plan", str(points)
    return app.run()


def bare(plan, points):
    app = AppTest.from_string(BARE, default_timeout=120)
    app.session_state["plan"], app.session_state["kmax"] = plan.to_json(), points
    return app.run()


def same(_app, _turn):
    """Nothing changes: every answer is kept."""


def other_delta(app, turn):
    """δ moves: every curve is new."""
    app.text_input(key="deltak").set_value(f"{turn + 2}e-6")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one plan, tiny sizes")
    quick = parser.parse_args().quick
    points, repeats = (10, 1) if quick else (200, 7)
    print(f"| {points} counts, all theorems | bare page, same chart | page, answers kept | page, a slider moves |")
    print("|---|---|---|---|")
    for name, plan in list(PLANS.items())[: 1 if quick else None]:
        cells = [
            milliseconds(bare(plan, points), same, repeats),
            milliseconds(page(plan, points), same, repeats),
            milliseconds(page(plan, points), other_delta, repeats),
        ]
        print(f"| {name} | " + " | ".join(f"{cell:.0f} ms" for cell in cells) + " |")
