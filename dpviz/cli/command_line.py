"""The command line: check a plan in a CI job, print its curve, write its report.

Exit status 0 says within budget (or done); 1 over budget, or that a check found what stands against the total; 2 that
something could not be read, written or understood, or that a budget to check against is missing.
"""

from __future__ import annotations

import argparse
import sys

import dpviz
from dpviz.cli import check, dashboard, jobs, ledger, reports
from dpviz.cli.arguments import Parser, called
from dpviz.cli.terminal import INTERRUPTED, UNUSABLE, say

_TOLD = (check.EXAMPLES, *reports.EXAMPLES, *jobs.EXAMPLES, *ledger.EXAMPLES, dashboard.EXAMPLES)
_EXAMPLES = "\n".join(text.split("\n\n")[0] for text in _TOLD).replace("\nexamples:", "")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; every failure is one sentence on the error stream.

    Parameters
    ----------
    arguments : list of str, optional
        Without the program's name; None takes those of the process.

    Returns
    -------
    int
        0 within budget or done, 1 over budget or with a fault, 2 without a budget or for what cannot be read, written
        or understood, 130 if interrupted.

    Examples
    --------
    >>> main(["curve", "absent.csv", "--counts", "1..2"])
    2
    """
    try:
        return _status(arguments)
    except KeyboardInterrupt as stopped:
        if str(stopped):
            say(f"dpviz: {stopped}", sys.stderr)
        return INTERRUPTED


def _status(arguments: list[str] | None) -> int:
    try:
        options = _parsed(arguments)
        status, text = options.run(options)
    except ValueError as error:
        say(f"dpviz: {error}", sys.stderr)
        return UNUSABLE
    except SystemExit as ended:  # how argparse ends after --help, --version or a bad argument
        return ended.code if isinstance(ended.code, int) else UNUSABLE
    return status if say(text, sys.stdout) else UNUSABLE


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The arguments as they are understood; the dashboard alone takes some that only Streamlit knows."""
    options, others = parser().parse_known_args(arguments)
    if options.run is dashboard.run:
        options.others = others
    elif others:
        parser().error(f"unrecognized arguments: {' '.join(others)}")
    return options


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands.

    Examples
    --------
    >>> parser().parse_args(["check", "plan.csv", "--budget", "1"]).budget
    1.0
    """
    top = Parser(called(), "What a plan of differentially private releases costs.", _EXAMPLES)
    top.add_argument("--version", action="version", version=f"dpviz {dpviz.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser.of_command)
    for family in (check, reports, jobs, ledger, dashboard):
        family.add(commands)
    return top
