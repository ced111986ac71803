"""The commands that tell what a plan costs: as a curve, a report, or between two proved ends."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import PurePath

from dpviz.cli import arguments, terminal
from dpviz.cli.arguments import title, typed
from dpviz.cli.command import Answer, Command
from dpviz.composition import THEOREMS, epsilon_curve
from dpviz.jobs.run import written
from dpviz.parameters import COUNT
from dpviz.plan.plan import LARGEST_WORKLOAD
from dpviz.report.certificate import certificate, certificate_sentence
from dpviz.report.facts import facts
from dpviz.report.report_schema import CERTIFICATE, EPSILON, REPORT
from dpviz.report.subject import Subject
from dpviz.schemas import NUMBER, TEXT, WHOLE, Answered, described, listed, record

MOST_POINTS = 10_000
CURVE_EXAMPLES = """\
examples:
  dpviz curve examples/lecture-11.json --counts 1..100
  dpviz curve examples/lecture-11.json --counts 1,10,100 --theorem basic --theorem pld > curve.csv"""
REPORT_EXAMPLES = """\
examples:
  dpviz report examples/mobility.json -o report.html
  dpviz report examples/mobility.csv --budget 4 --delta 1e-6 -o report.html
  dpviz report examples/mobility.json -o report.json
  dpviz report examples/mobility.json -o entry.yaml
  dpviz report plan.json --name "Year 2026" --author "Unit for surveys" -o report.html"""
CERTIFY_EXAMPLES = """\
examples:
  dpviz certify examples/lecture-11.json
  dpviz certify examples/mobility.csv --delta 1e-9

exit status: 0 if the total is enclosed, 2 if it cannot be or the plan cannot be read."""
PRINTED = "-"


def add_curve(command: argparse.ArgumentParser) -> None:
    """Add how often the plan is repeated, and by which theorems."""
    command.add_argument("--counts", required=True, type=typed(_counts), help="repetitions: 1..100, or 1,10,100")
    keys = [theorem.key for theorem in THEOREMS]
    command.add_argument("--theorem", action="append", choices=keys, metavar="KEY", help=f"one of {', '.join(keys)}")


def add_report(command: argparse.ArgumentParser) -> None:
    """Add where the statement goes, and what else it says."""
    said = "the file to write: .html, .md, .json, or .yaml for the registry; - is standard output"
    command.add_argument("-o", "--output", metavar="FILE", help=f"{said}; must be given without --json")
    command.add_argument("--certify", action="store_true", help="enclose the tight total by ball arithmetic, too")
    command.add_argument("--people", action="store_true", help="one page in words, without symbols and theorems")
    command.add_argument("--name", type=typed(title("name")), default="", help="of the plan, for the title")
    command.add_argument("--author", type=typed(title("author")), default="", help="who answers for it, for the title")


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


def curve(options: argparse.Namespace) -> Answer:
    """Print how the total of a plan grows when it is repeated."""
    plan = arguments.opened(options)
    size = len(options.counts) * plan.workload()[1].size
    if size > LARGEST_WORKLOAD:
        raise ValueError(
            f"counts must be so few that with the plan's parts and mechanisms at most {LARGEST_WORKLOAD:,} numbers are "
            f"held at once; got {size:,}"
        )
    frame = epsilon_curve(plan, options.counts, plan.budget.delta, options.theorem)
    points = [row | {"epsilon": terminal.finite(row["epsilon"])} for row in frame.to_dict("records")]
    return Answer(text=frame.to_csv(index=False, lineterminator="\n").rstrip("\n"), told={"points": points})


def report(options: argparse.Namespace) -> Answer:
    """Write the report of a plan to a file, or print it."""
    plan = arguments.opened(options)
    told = {"certify": options.certify, "name": options.name, "author": options.author, "on": date.today()}
    subject, output = Subject(plan, people=options.people, **told), options.output
    if output in (None, PRINTED) and options.json:
        return Answer(told=facts(subject))
    if output is None:
        raise ValueError(f"output must be a file, or {PRINTED} for standard output, where there is no --json: give -o")
    page = _writer(output)(subject)
    if output == PRINTED:
        return Answer(text=page, whole=True)
    written(output, page)
    return Answer(text=f"Wrote {output}.", told=facts(subject) if options.json else None, asked=False)


def _writer(output: str) -> Callable[[Subject], str]:
    """What makes the report in the format that the file's ending names."""
    from dpviz import report as reports  # with its charts, which the other commands do without

    ending = PurePath(output).suffix.lower()
    if ending == ".pdf":
        raise ValueError(f"output must be no PDF: open the page and print it, it is laid out for A4; got {output!r}")
    return reports.html if output == PRINTED else reports.written_as(ending)


def certify(options: argparse.Namespace) -> Answer:
    """Print between which ends the tight total of a plan lies."""
    told = certificate(arguments.opened(options))
    if told["reason"]:
        raise ValueError(f"the total cannot be certified: {told['reason']}")
    return Answer(text=certificate_sentence(told), told=told)


POINT = record({"theorem": TEXT, "count": described(WHOLE, "repetitions"), "epsilon": EPSILON, "delta": NUMBER})
CURVE = Answered("curve", 1, "The total of a plan of dpviz when it is repeated", {"points": listed(POINT)})
COMMANDS = (
    Command("curve", "print how the total grows when the plan is repeated", CURVE_EXAMPLES, curve, add_curve, CURVE),
    Command(
        "report", "write the statement of a plan, or its registry entry", REPORT_EXAMPLES, report, add_report, REPORT
    ),
    Command(
        "certify", "enclose the tight total between two proved ends", CERTIFY_EXAMPLES, certify, answered=CERTIFICATE
    ),
)
