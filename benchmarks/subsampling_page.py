"""What the script of the page on sampling costs: answers kept, a slider moved, and each tab for the first time."""

import argparse
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
TABS = ("What it costs", "ε′ of one run", "Tight, over k runs", "Which kind of sample", "The notebook's slips")
SCREENS = {
    "Laplace, 50 of 100": {},
    "Laplace, 3 sizes, 99 points": {"m": "60, 70, 80", "span": "99"},
    "Gaussian, 50 of 100": {"noise": "Gaussian", "dbud": "2e-10"},
    "Laplace, 1,000 of 100,000": {"n": "100000", "m": "1000", "erun": "0.1", "ebud": "1", "dbud": "1e-6"},
}


def page(parameters):
    """The page at an address, opened once."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("pages/subsampling.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    return app.run()


def milliseconds(app, change, repeats):
    """Least processor time of a script run, in this process; a new value each time where there is one to change."""
    times = []
    for turn in range(repeats):
        change(app, turn)
        start = time.process_time()
        app.run()
        times.append(1000 * (time.process_time() - start))
        if app.exception:
            raise RuntimeError(app.exception[0].message)
    return min(times)


def same(_app, _turn):
    """Nothing changes: every answer is kept."""


def other_epsilon(app, turn):
    """The ε of a run moves: every answer is new."""
    epsilon = float(app.text_input(key="erun").value)
    app.text_input(key="erun").set_value(f"{epsilon * (1.01 + turn / 1000):.7f}")


def opened(tab):
    """The change that opens a tab and moves ε, so that nothing of it is kept."""

    def change(app, turn):
        app.session_state["samplemore"] = tab
        other_epsilon(app, turn)

    return change


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one screen, once")
    quick = parser.parse_args().quick
    screens, repeats = (dict(list(SCREENS.items())[:1]), 1) if quick else (SCREENS, 5)
    print("| script time | answers kept | " + " | ".join(f"ε moves, {tab}" for tab in TABS) + " |")
    print("|---" * (len(TABS) + 2) + "|")
    for name, parameters in screens.items():
        cells = [milliseconds(page(parameters), same, repeats)]
        cells += [milliseconds(page(parameters), opened(tab), repeats) for tab in TABS]
        print(f"| {name} | " + " | ".join(f"{cell:.0f} ms" for cell in cells) + " |")
