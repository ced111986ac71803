"""The commands that tell what a plan costs: as a curve, a report, or between two proved ends."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from dpviz.cli import arguments
from dpviz.cli.terminal import WITHIN
from dpviz.composition import THEOREMS, epsilon_curve
from dpviz.parameters import COUNT
from dpviz.plan.plan import LARGEST_WORKLOAD
from dpviz.report.certificate import certificate, certificate_sentence
from dpviz.report.subject import Subject

MOST_POINTS = 10_000
CURVE_EXAMPLES = """\
examples:
  dpviz curve examples/lecture-11.json --counts 1..100
  dpviz curve examples/lecture-11.json --counts 1,10,100 --theorem basic --theorem pld > curve.csv"""
REPORT_EXAMPLES = """\
examples:
  dpviz report examples/mobility.json -o report.html
  dpviz report examples/mobility.csv --budget 4 --delta 1e-6 -o report.html
  dpviz report plan.json --name "Year 2026" --author "Unit for surveys" -o report.html
  dpviz report examples/mobility.json -o entry.yaml"""
CERTIFY_EXAMPLES = """\
examples:
  dpviz certify examples/lecture-11.json
  dpviz certify examples/mobility.csv --delta 1e-9

exit status: 0 if the total is enclosed, 2 if it cannot be or the plan cannot be read."""
EXAMPLES = (CURVE_EXAMPLES, REPORT_EXAMPLES, CERTIFY_EXAMPLES)


def add(commands: object) -> None:
    """Add the commands with their arguments."""
    add, typed, title = arguments.command_of, arguments.typed, arguments.title
    command = add(commands, "curve", "print how the total grows when the plan is repeated", CURVE_EXAMPLES, curve)
    command.add_argument("--counts", required=True, type=typed(_counts), help="repetitions: 1..100, or 1,10,100")
    keys = [theorem.key for theorem in THEOREMS]
    command.add_argument("--theorem", action="append", choices=keys, metavar="KEY", help=f"one of {', '.join(keys)}")
    command = add(commands, "report", "write the statement of a plan, or its registry entry", REPORT_EXAMPLES, report)
    written = "the file to write: .html, .md, .json, or .yaml for the registry"
    command.add_argument("-o", "--output", required=True, metavar="FILE", help=written)
    command.add_argument("--certify", action="store_true", help="enclose the tight total by ball arithmetic, too")
    command.add_argument("--people", action="store_true", help="one page in words, without symbols and theorems")
    command.add_argument("--name", type=typed(title("name")), default="", help="of the plan, for the title")
    command.add_argument("--author", type=typed(title("author")), default="", help="who answers for it, for the title")
    add(commands, "certify", "enclose the tight total between two proved ends", CERTIFY_EXAMPLES, certify)


def _counts(text: str) -> list[int]:
    ends, listed = text.split(".."), text.split(",")
    try:
        numbers = [COUNT.check(int(each), "counts") for each in (ends if len(ends) == 2 else listed)]
    except ValueError:
        raise ValueError(f"counts must be in {COUNT.interval}, as 1..100 or 1,10,100; got {text[:60]!r}") from None
    counts = range(numbers[0], numbers[1] + 1) if len(ends) == 2 else numbers
    if not 1 <= len(counts) <= MOST_POINTS:
        raise ValueError(f"counts must be 1 to {MOST_POINTS:,} numbers; got {len(counts):,}")
    return list(counts)


def curve(options: argparse.Namespace) -> tuple[int, str]:
    """Print how the total of a plan grows when it is repeated."""
    plan = arguments.opened(options)
    size = len(options.counts) * plan.workload()[1].size
    if size > LARGEST_WORKLOAD:
        raise ValueError(
            f"counts must be so few that with the plan's parts and mechanisms at most {LARGEST_WORKLOAD:,} numbers are "
            f"held at once; got {size:,}"
        )
    frame = epsilon_curve(plan, options.counts, plan.budget.delta, options.theorem)
    return WITHIN, frame.to_csv(index=False, lineterminator="\n").rstrip("\n")


def report(options: argparse.Namespace) -> tuple[int, str]:
    """Write the report of a plan."""
    from dpviz import report as reports  # with its charts, which the other commands do without

    told = {"certify": options.certify, "name": options.name, "author": options.author, "on": date.today()}
    write = reports.written_as(Path(options.output).suffix)
    page = write(Subject(arguments.opened(options), people=options.people, **told))
    try:
        Path(options.output).write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"output must be a file that can be written ({reason}); got {options.output!r}") from None
    return WITHIN, f"Wrote {options.output}."


def certify(options: argparse.Namespace) -> tuple[int, str]:
    """Print between which ends the tight total of a plan lies."""
    told = certificate(arguments.opened(options))
    if told["reason"]:
        raise ValueError(f"the total cannot be certified: {told['reason']}")
    return WITHIN, certificate_sentence(told)
