"""The command that opens the dashboard."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from importlib.util import find_spec

from dpviz.cli.terminal import WITHIN
from dpviz.places import ROOT

THREADS = "OPENBLAS_NUM_THREADS"  # that app.py sets, see there
EXAMPLES = """\
examples:
  dpviz run
  dpviz run --server.port 8600
  dpviz run --server.address 0.0.0.0   # for other machines, too; without it, this one alone can open the dashboard

Ctrl-C ends it. What else `streamlit run` takes can be given; `streamlit run --help` lists it."""


def add(commands: object) -> None:
    """Add the command, which takes what `streamlit run` takes."""
    about = "open the dashboard"
    commands.add_parser("run", help=about, about=about, examples=EXAMPLES, formats="").set_defaults(run=run)


def run(options: argparse.Namespace) -> tuple[int, str]:
    """Play the dashboard until it is stopped."""
    if find_spec("streamlit") is None or find_spec("plotly") is None:
        raise ValueError('the dashboard needs its packages: pip install "dpviz[app]"')
    # In this process: what ends the command ends the dashboard.
    command = ["streamlit", "run", str(ROOT / "app.py"), *options.others]
    if os.name == "posix" and THREADS not in os.environ:  # NumPy, which has read it, is imported already: begun anew
        os.environ[THREADS] = "1"
        os.execv(sys.executable, [sys.executable, "-P", "-m", *command])
    sys.argv = command
    runpy.run_module("streamlit", run_name="__main__")
    return WITHIN, "The dashboard is closed."
