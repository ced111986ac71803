"""What commands take: their parser, the arguments that all share, and the plan that these mean."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TextIO

from dpviz.cli.command import Command
from dpviz.cli.terminal import UNUSABLE, say
from dpviz.composition.compose import WHOLE_DELTA
from dpviz.guarantee import Guarantee
from dpviz.parameters import EPSILON, POPULATION, Parameter, did_you_mean
from dpviz.plan import RELATIONS, Plan
from dpviz.plan.fields import UNGROUPED_ALLOWED, grouped, yes
from dpviz.plan.promise import FIELDS as PROMISE
from dpviz.plan.release import checked_text

ANSWERS = "yes", "no"
FORMATS = "PLAN is a JSON or CSV file of at most 5 MB, or - for standard input."


def called() -> str:
    """Return how the program was called, for the help: its command, or the package where that is not installed."""
    return "dpviz" if Path(sys.argv[0]).stem == "dpviz" else "python -m dpviz"


class Parser(argparse.ArgumentParser):
    """One that knows no abbreviations, keeps the lines of its examples and can print on any terminal."""

    def __init__(self, program: str, about: str, examples: str) -> None:
        raw, examples = argparse.RawDescriptionHelpFormatter, examples.replace("  dpviz ", f"  {called()} ")
        super().__init__(program, description=about, epilog=examples, formatter_class=raw, allow_abbrev=False)

    @classmethod
    def of_command(cls, prog: str, about: str, examples: str, formats: str = FORMATS) -> Parser:
        """Return the parser of one command."""
        return cls(prog, f"{about[0].upper()}{about[1:]}. {formats}".rstrip(), examples)

    def refuse_unknown(self, others: list[str]) -> None:
        """End with the usage and, where an option is near, its name, if there are arguments that nobody knows."""
        if others:
            options = [option for action in self._actions for option in action.option_strings]
            first = next((each.partition("=")[0] for each in others if each.startswith("-")), "")
            near = "".join(f": did you mean {each}?" for each in get_close_matches(first, options, 1))
            self.error(f"unrecognized arguments: {' '.join(others)}{near}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """A choice that is none is told which one is near."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(value, dict.fromkeys(map(str, action.choices), ""))
            raise

    def _print_message(self, message: str, file: TextIO | None = None) -> None:
        if not say(message.rstrip("\n"), file or sys.stderr):
            raise SystemExit(UNUSABLE)


def added(commands: object, command: Command) -> argparse.ArgumentParser:
    """Add a command to those of the parser, with the arguments that it shares with others and its own."""
    told = {"about": command.about, "examples": command.examples, "formats": FORMATS if command.takes_plan else ""}
    parser = commands.add_parser(command.key, help=command.about, **told)
    parser.set_defaults(command=command, parser=parser, json=False, quiet=False)
    if command.takes_plan:
        _add_plan(parser)
    command.arguments(parser)
    if command.answered:
        described = f"print one JSON object; `dpviz schema {command.answered.key}` describes it"
        parser.add_argument("--json", action="store_true", help=described)
    if command.takes_plan:
        quiet = "no progress, and nothing printed but what is asked for"
        parser.add_argument("-q", "--quiet", action="store_true", help=quiet)
    return parser


def _add_plan(parser: argparse.ArgumentParser) -> None:
    """The plan, and what may be said of it over what its file says."""
    parser.add_argument("plan", metavar="PLAN", help="JSON or CSV file, or - for standard input")
    parser.add_argument("--budget", type=typed(quantity(EPSILON, "budget")), help="ε; default: that of the plan")
    parser.add_argument(
        "--delta", type=typed(quantity(WHOLE_DELTA, "delta")), help="whole δ, in [0, 1); default: that of the plan"
    )
    unit, people = typed(partial(checked_text, "unit")), typed(quantity(POPULATION, "population"))
    parser.add_argument("--unit", type=unit, help="of privacy, such as person-month; default: that of the plan")
    parser.add_argument("--relation", choices=tuple(RELATIONS), help="between neighbours; default: that of the plan")
    parser.add_argument("--population", type=people, help="people in the data; default: that of the plan")
    parser.add_argument("--adaptive", choices=ANSWERS, help="chosen along the way; default: as the plan says")


def typed(convert: Callable[[str], object]) -> Callable[[str], object]:
    """Return the converter as argparse wants it: its sentence is shown, not only that it failed."""

    def converted(text: str) -> object:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return converted


def quantity(parameter: Parameter, name: str) -> Callable[[str], float]:
    """Return what reads a number within its interval.

    Examples
    --------
    >>> quantity(POPULATION, "population")("5e5")
    500000
    """

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = text
        if parameter.integer and grouped(text):  # 500.000 people are no 500
            raise ValueError(f"{name} {UNGROUPED_ALLOWED}; got {text!r}")
        return parameter.check(value, name)

    return convert


def title(name: str) -> Callable[[str], str]:
    """Return what reads a name for a title; blanks are none.

    Examples
    --------
    >>> title("name")(" Year 2026 "), title("name")(" ")
    ('Year 2026', '')
    """

    def convert(text: str) -> str:
        return checked_text(name, text) if text.strip() else ""

    return convert


def opened(options: argparse.Namespace) -> Plan:
    """Return the plan, with what the arguments say of it over what its file says."""
    if options.plan == "-" and sys.stdin is None:
        raise ValueError("plan must be a file where there is no standard input; got '-'")
    plan = Plan.read(sys.stdin.buffer if options.plan == "-" else options.plan)
    epsilon = plan.budget.epsilon if options.budget is None else options.budget
    delta = plan.budget.delta if options.delta is None else options.delta
    given = {name: getattr(options, name) for name in PROMISE} | {"adaptive": answered(options.adaptive)}
    said = {name: value for name, value in given.items() if value is not None}
    return replace(plan, budget=Guarantee(epsilon, WHOLE_DELTA.check(delta, "delta of the plan's budget")), **said)


def answered(text: str | None) -> bool | None:
    """Return what yes or no means; None where nothing was said.

    Examples
    --------
    >>> answered("yes"), answered("no"), answered(None)
    (True, False, None)
    """
    return None if text is None else bool(yes(text))
