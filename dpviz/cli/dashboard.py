"""The command that opens the dashboard."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from importlib.util import find_spec

from dpviz.cli.command import Answer, Command
from dpviz.places import GIVEN, ROOT
from dpviz.plan import Plan

THREADS = "OPENBLAS_NUM_THREADS"  # that app.py sets, see there
TOLD = """\
examples:
  dpviz run
  dpviz run plan.json
  dpviz run --server.port 8600
  dpviz run --server.address 0.0.0.0   # for other machines, too; without it, this one alone can open the dashboard

Whoever opens the dashboard by a link that holds no plan finds PLAN there, as its file is then.

Ctrl-C ends it. What else `streamlit run` takes can be given after PLAN; `streamlit run --help` lists it."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the plan that is shown first."""
    command.add_argument("plan", metavar="PLAN", nargs="?", help="JSON or CSV file; default: an example")


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return the arguments that are ours, and those of Streamlit: from the first option on, where `run` is called.

    Examples
    --------
    >>> split(["run", "plan.json", "--server.port", "8600"])
    (['run', 'plan.json'], ['--server.port', '8600'])
    >>> split(["check", "plan.json", "--strict"])
    (['check', 'plan.json', '--strict'], [])
    """
    if arguments[:1] != ["run"]:
        return arguments, []
    options = (at for at, each in enumerate(arguments) if each.startswith("-") and each not in ("-h", "--help", "-"))
    first = next(options, len(arguments))
    return arguments[:first], arguments[first:]


def run(options: argparse.Namespace) -> Answer:
    """Play the dashboard until it is stopped."""
    if options.plan == "-":
        raise ValueError("plan must be a file, which the dashboard reads when it is opened; got '-'")
    if options.plan:
        Plan.read(options.plan)  # or one sentence on what is wrong with it, here and now
        os.environ[GIVEN] = os.path.abspath(options.plan)
    if find_spec("streamlit") is None or find_spec("plotly") is None:
        raise ValueError('the dashboard needs its packages: pip install "dpviz[app]"')
    # In this process: what ends the command ends the dashboard.
    command = ["streamlit", "run", str(ROOT / "app.py"), *options.others]
    if os.name == "posix" and THREADS not in os.environ:  # NumPy, which has read it, is imported already: begun anew
        os.environ[THREADS] = "1"
        os.execv(sys.executable, [sys.executable, "-P", "-m", *command])
    sys.argv = command
    runpy.run_module("streamlit", run_name="__main__")
    return Answer(text="The dashboard is closed.")


COMMANDS = (Command("run", "open the dashboard", TOLD, run, add, takes_plan=False),)
