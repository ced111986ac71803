"""What a rerun of every page costs, beside a page that draws the very same elements from constants: its floor.

What a page asks Streamlit to draw is written down during one run, and drawn again by a script that has nothing else to
do, in the same containers and the same process. Both run under Streamlit's own test harness, whose cost is in both
numbers, and in that of the last column: a page with one slider and one figure.
"""

import argparse
import logging
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported, as app.py does

import plotly.graph_objects as go
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from dpviz import Laplace
from dpviz.plan import Document
from dpviz.ui.shell import examples, shell

logging.disable(logging.WARNING)  # Streamlit's, of running without a server
st = sys.modules["streamlit"]  # whose calls are written down
ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ScriptCache()  # a server reads a page once; the harness would do so at each run
app_test.ScriptCache = local_script_runner.ScriptCache = lambda: SCRIPTS  # of the page, and of app.py
TURNS = 9
OFFICE = examples.plan_of("statistics-office")
# By page, an input of numbers that is given another value, and the factor of each step; without one, a release is.
MOVED = {
    "composition": ("deltak", 1.07),
    "privacy_loss": ("deltak", 1.07),
    "adversary": ("prior", 1.01),
    "subsampling": ("n", 1.01),
    "noise_sums": ("target", 1.01),
    "theorems": ("neps", 1.01),
}
CALLBACKS = ("on_change", "on_click", "args", "kwargs")
LEFT_OUT = ("page_link",)  # it needs the pages of the dashboard
BARE = """
import streamlit as st
st.slider("Value", 0, 100, key="value", bind="query-params")
st.plotly_chart(st.session_state["figure"])
"""


class Drawing:
    """The calls that a script run makes of Streamlit's containers, in order."""

    def __init__(self):
        self.calls, self.places, self.inside = [], {}, False

    def wrapped(self, name, method):
        def call(place, *given, **options):
            if self.inside or name in LEFT_OUT:
                return method(place, *given, **options)
            self.inside = True
            try:
                active = place._active_dg
                made = method(place, *given, **options)
            finally:
                self.inside = False
            kept = {key: value for key, value in options.items() if key not in CALLBACKS}
            self.calls.append((method, self.places.get(id(active), active), given, kept, self.numbered(made)))
            return made

        return call

    def numbered(self, made):
        """Number containers, so that what is drawn in them is drawn there again."""
        several = made if isinstance(made, list | tuple) else [made]
        for each in (each for each in several if isinstance(each, DeltaGenerator)):
            self.places[id(each)] = len(self.places)
            self.calls_keep = [*getattr(self, "calls_keep", ()), each]  # alive, so that no id is given twice
        return [self.places.get(id(each)) for each in several]

    def again(self):
        """Draw it."""
        places = {}
        for method, place, given, options, numbers in self.calls:
            made = method(places[place] if isinstance(place, int) else place, *given, **options)
            several = made if isinstance(made, list | tuple) else [made]
            places |= dict(zip(numbers, several, strict=False))


@contextmanager
def written_down():
    """Write down what is drawn until the block ends."""
    drawing = Drawing()
    names = [name for name in dir(DeltaGenerator) if not name.startswith("_") and callable(getattr(st, name, None))]
    former = {name: getattr(st, name) for name in names}
    methods = {name: getattr(DeltaGenerator, name) for name in names if getattr(former[name], "__self__", None)}
    try:
        for name, method in methods.items():
            wrapped = drawing.wrapped(name, method)
            setattr(DeltaGenerator, name, wrapped)
            place = former[name].__self__
            setattr(st, name, lambda *given, _w=wrapped, _p=place, **options: _w(_p, *given, **options))
        yield drawing
    finally:
        for name, method in methods.items():
            setattr(DeltaGenerator, name, method)
            setattr(st, name, former[name])


def opened(name):
    """The page of the statistics office's plan, as it stands after the first answer."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app = app if name == shell.HOME.name else app.switch_page(f"pages/{name}.py")
    app.session_state["document"] = Document(OFFICE)
    return ran(app)


def floor_of(name):
    """A page that draws what the page drew last."""
    app = opened(name)
    with written_down() as drawing:
        st.cache_resource.clear()  # what is kept is sent again without a call
        ran(app)
    floor = AppTest.from_string("import streamlit as st\nst.session_state['again']()", default_timeout=300)
    floor.session_state["again"] = drawing.again
    return ran(floor)


def bare():
    app = AppTest.from_string(BARE, default_timeout=300)
    app.session_state["figure"] = go.Figure(go.Scatter(x=list(range(200)), y=list(range(200))))
    return ran(app)


def ran(app):
    app.run()
    if app.exception:
        raise RuntimeError(app.exception[0].message, app.exception[0].stack_trace)
    return app


def milliseconds(app, change=lambda app, turn: None, turns=TURNS):
    """Processor time of the fastest of some script runs."""
    times = []
    for turn in range(turns):
        change(app, turn)
        start = time.process_time()
        ran(app)
        times.append(1000 * (time.process_time() - start))
    return min(times)


def moved(name, salt=0):
    """Give an input of the page another value; where it has none, a release another noise."""

    def change(app, turn):
        if name in MOVED:
            key, factor = MOVED[name]
            box = app.text_input(key=key)
            whole = box.value.isdecimal()
            box.set_value(f"{float(box.value) * factor + whole:{'.0f' if whole else '.9g'}}")
            return
        first = replace(OFFICE.releases[0], mechanism=Laplace.from_epsilon(round(0.0311 + 0.0007 * (turn + salt), 4)))
        app.session_state["document"] = Document(replace(OFFICE, releases=(first, *OFFICE.releases[1:])))

    return change


def measured(names, turns):
    least = milliseconds(bare(), turns=turns)
    print("| page | its floor | nothing changed | ratio | a new value | ratio | times a bare page |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        app, floor = opened(name), milliseconds(floor_of(name), turns=turns)
        same = milliseconds(app, turns=turns)
        new = milliseconds(app, moved(name), turns)
        cells = [f"{floor:.0f} ms", f"{same:.0f} ms", f"{same / floor:.2f}", f"{new:.0f} ms", f"{new / floor:.2f}"]
        print(f"| {name} | {' | '.join(cells)} | {same / least:.0f} |", flush=True)
    print(f"\nThe bare page: {least:.1f} ms. Processor time of the fastest of {turns} runs.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one page, once: see whether it runs")
    parser.add_argument("--page", nargs="*", default=[entry.name for entry in shell.PAGES], help="names of pages")
    asked = parser.parse_args()
    measured(asked.page[:2] if asked.quick else asked.page, 1 if asked.quick else TURNS)
