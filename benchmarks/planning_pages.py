"""What an edit costs the script of the workbench in each of its views, for 20 and 1,000 releases, beside no change."""

import argparse
import random
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release
from dpviz.plan import Document

ROOT = Path(__file__).resolve().parents[1]
VIEWS = {  # by name, what the address says
    "what costs what": {},
    "fit to budget, how accurate": {"panel": "Fit to budget", "tab": "How accurate"},
    "when": {"tab": "When"},
    "A against B": {"panel": "A against B"},
    "what an attacker learns": {"tab": "What an attacker learns"},
}


def plan_of(rows, kinds):
    """Rows with Laplace and Gaussian noise of so many kinds, some of them monthly over a year, within their budget."""
    rng = random.Random(1)
    mechanisms = [Laplace.from_epsilon(round(rng.uniform(0.01, 0.05), 4)) for _ in range(kinds // 2)]
    mechanisms += [Gaussian(round(rng.uniform(60, 200), 2), 1) for _ in range(kinds - kinds // 2)]
    year = {"start": date(2026, 1, 1), "cadence": "monthly", "end": date(2026, 12, 31)}
    releases = [
        Release(f"release {row}", mechanisms[row % kinds], 1 + row % 3, typical=100.0, **(year if row % 4 == 0 else {}))
        for row in range(rows)
    ]
    return Plan(releases, Guarantee(float(max(3, rows // 10)), 1e-6), "person", "add_remove", 10_000)


def opened(view, plan):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app.session_state["document"] = Document(plan)
    app.query_params.update(VIEWS[view])
    return app.run()


def milliseconds(app):
    """Processor and wall time of one script run."""
    start, wall = time.process_time(), time.perf_counter()
    app.run()
    if app.exception:
        raise RuntimeError(app.exception[0].message)
    return 1000 * (time.process_time() - start), 1000 * (time.perf_counter() - wall)


def edited(app, plan, turn):
    """Give the first release another noise, so that no answer is kept."""
    first = replace(plan.releases[0], mechanism=Laplace.from_epsilon(round(0.0311 + 0.0007 * turn, 4)))
    changed = replace(plan, releases=(first, *plan.releases[1:]))
    app.session_state["document"] = Document(changed)


def measured(sizes, turns):
    print("| plan | view | an edit: processor (wall) | without a change |")
    print("|---|---|---|---|")
    for rows, kinds in sizes:
        plan = plan_of(rows, kinds)
        for view in VIEWS:
            app = opened(view, plan)
            edits = []
            for turn in range(turns):
                edited(app, plan, turn)
                edits.append(milliseconds(app))
            cpu, wall = min(edits)
            kept = min(milliseconds(app)[0] for _ in range(turns))
            print(
                f"| {rows} releases, {kinds} kinds of noise | {view} | {cpu:.0f} ms ({wall:.0f} ms) | {kept:.0f} ms |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: see whether it runs")
    quick = parser.parse_args().quick
    measured([(4, 2)] if quick else [(20, 20), (1000, 20)], 1 if quick else 3)
