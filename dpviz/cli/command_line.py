"""The command line: check a plan in a CI job, print its curve, write its report.

Exit status 0 says within budget (or done); 1 over budget, or that a check found what stands against the total; 2 that
something could not be read, written or understood, or that a budget to check against is missing.
"""

from __future__ import annotations

import argparse
import json
import sys

import dpviz
from dpviz.cli import completion, dashboard, schema
from dpviz.cli.arguments import Parser, added, called
from dpviz.cli.command import Answer
from dpviz.cli.commands import ANSWERING
from dpviz.cli.terminal import COLOURS, INTERRUPTED, UNUSABLE, put, refuse, say

COMMANDS = (*ANSWERING, *schema.COMMANDS, *completion.COMMANDS, *dashboard.COMMANDS)
STATUS = """\
exit status: 0 within the budget, or done; 1 over it, or a check or a proof that failed; 2 what cannot be read, written
or understood, or no budget to check against; 130 stopped by Ctrl-C. Answers go to standard output, progress and what is
refused to the error stream. Terminals alone get colours, and none where NO_COLOR is set."""


def _examples() -> str:
    """The examples of all commands, and what is true of each."""
    told = "\n".join(each.examples.split("\n\n")[0].removeprefix("examples:\n") for each in COMMANDS)
    return f"examples:\n{told}\n\n{STATUS}"


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
            refuse(str(stopped))
        return INTERRUPTED


def _status(arguments: list[str] | None) -> int:
    try:
        options = _parsed(sys.argv[1:] if arguments is None else arguments)
        return _said(options.command.run(options), options)
    except ValueError as error:
        refuse(str(error))
        return UNUSABLE
    except SystemExit as ended:  # how argparse ends after --help, --version or a bad argument
        return ended.code if isinstance(ended.code, int) else UNUSABLE


def _said(answer: Answer, options: argparse.Namespace) -> int:
    """Print an answer as it was asked for, and return its status; another where it cannot be printed."""
    if options.json:
        told = options.command.answered.document(answer.told)
        written = say(json.dumps(told, indent=2, allow_nan=False), sys.stdout)
    elif answer.whole:
        written = put(answer.text, sys.stdout)
    elif options.quiet and not answer.asked:
        written = True
    else:
        written = say(answer.text, sys.stdout, COLOURS.get(answer.status) if answer.verdict else None)
    return answer.status if written else UNUSABLE


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """The arguments as they are understood; the dashboard alone takes some that only Streamlit knows."""
    own, others = dashboard.split(arguments)
    options, unknown = parser().parse_known_args(own)
    options.parser.refuse_unknown(unknown)
    options.others = others
    return options


def parser(program: str | None = None) -> Parser:
    """Return the parser of all commands, under the name by which the program is called.

    Examples
    --------
    >>> parser().parse_args(["check", "plan.csv", "--budget", "1"]).budget
    1.0
    """
    top = Parser(program or called(), "What a plan of differentially private releases costs.", _examples())
    top.add_argument("--version", action="version", version=f"dpviz {dpviz.__version__}")
    top.set_defaults(parser_called=parser)
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser.of_command)
    for command in COMMANDS:
        added(commands, command)
    return top
