"""The command line: check a plan in a CI job, print its curve, write its report.

Exit status 0 says within budget (or done); 1 over budget, or that a check found what stands against the total; 2 that
something could not be read, written or understood, or that a budget to check against is missing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import runpy
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import dpviz
from dpviz.cli.progress import Progress
from dpviz.composition import THEOREMS, compare, compose, epsilon_curve, tightest
from dpviz.composition.compose import WHOLE_DELTA
from dpviz.filters import plan_verdicts
from dpviz.guarantee import Guarantee
from dpviz.jobs import Grid, Runner, simulated, swept
from dpviz.jobs.frontier import MEASURES
from dpviz.jobs.run import WORKERS, written
from dpviz.jobs.simulate import ROUNDS, SEED
from dpviz.parameters import COUNT, EPSILON, POPULATION, Parameter
from dpviz.places import ROOT
from dpviz.plan import RELATIONS, Plan
from dpviz.plan.fields import UNGROUPED_ALLOWED, grouped, yes
from dpviz.plan.plan import LARGEST_WORKLOAD
from dpviz.plan.promise import FIELDS as PROMISE
from dpviz.plan.release import checked_text
from dpviz.planning.advice import Finding, checks
from dpviz.planning.advice.finding import BATCHES, FAULT, NOTE, QUESTION
from dpviz.planning.schedule import UnitCost, unit_cost
from dpviz.report.certificate import certificate, certificate_sentence
from dpviz.report.facts import check_told, one_unit_told
from dpviz.report.subject import Subject
from dpviz.rounding import next_above

if TYPE_CHECKING:
    import pandas

WITHIN, OVER, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
MOST_POINTS = 10_000
_ANSWERS = "yes", "no"
_DIGITS = 6
_PLAIN = str.maketrans(
    {
        "ε": "epsilon",
        "δ": "delta",
        "ρ": "rho",
        "σ": "sigma",
        "Σ": "sum of ",
        "·": "*",
        "×": "x",
        "−": "-",
        "½": "1/2 ",
        "²": "^2",
        "⁻": "^-",
        "√": "sqrt ",
        "“": '"',
        "”": '"',
    }
)
_FORMATS = "PLAN is a JSON or CSV file of at most 5 MB, or - for standard input."
_CHECK_EXAMPLES = """\
examples:
  dpviz check examples/mobility.json
  dpviz check examples/mobility.csv --budget 4 --delta 1e-6
  dpviz check plan.json --json | jq .total.epsilon
  dpviz check plan.csv --budget 1 --unit person-year --relation add_remove --population 40000 --strict

The budget is for one unit of privacy. Where the unit names a period, such as person-month, and the schedule goes beyond
it, what one unit loses is held against the budget, and the total of all dates stands beside it.

Checks for known mistakes find faults (the total is surely not what the plan costs), questions (the total is right only
if something holds that nobody stated, or that looks otherwise) and notes.

exit status: 0 within the budget; 1 over it, with a fault, and under --strict with a question; 2 without a budget, if
the plan cannot be read, or if an argument is wrong."""
_CURVE_EXAMPLES = """\
examples:
  dpviz curve examples/lecture-11.json --counts 1..100
  dpviz curve examples/lecture-11.json --counts 1,10,100 --theorem basic --theorem pld > curve.csv"""
_REPORT_EXAMPLES = """\
examples:
  dpviz report examples/mobility.json -o report.html
  dpviz report examples/mobility.csv --budget 4 --delta 1e-6 -o report.html
  dpviz report plan.json --name "Year 2026" --author "Unit for surveys" -o report.html"""
_CERTIFY_EXAMPLES = """\
examples:
  dpviz certify examples/lecture-11.json
  dpviz certify examples/mobility.csv --delta 1e-9

exit status: 0 if the total is enclosed, 2 if it cannot be or the plan cannot be read."""
_SWEEP_EXAMPLES = """\
examples:
  dpviz sweep examples/statistics-office.json --grid examples/grids/statistics-office.json -o frontier.csv
  dpviz sweep plan.json --grid grid.json -o frontier.csv --dask tcp://10.0.0.1:8786

GRID names releases, or "*" for all others, and lists of noise (factors), count, rate and cadence:
  {"*": {"noise": [0.5, 1, 2]}, "Visitors": {"count": [1, 2], "cadence": ["weekly", "daily"]}}

Stopped by Ctrl-C, it leaves a file of what is done; the same command goes on from there."""
_SIMULATE_EXAMPLES = """\
examples:
  dpviz simulate examples/weekly-dashboard.json
  dpviz simulate examples/lecture-11.json --rounds 1e9 -o simulation.csv

Stopped by Ctrl-C, it leaves a file of what is done; the same command goes on from there.

exit status: 0 if no interval lies above what is proved, 1 if one does, 2 if the plan cannot be read."""
_RUN_EXAMPLES = """\
examples:
  dpviz run
  dpviz run --server.port 8600
  dpviz run --server.address 0.0.0.0   # for other machines, too; without it, this one alone can open the dashboard

Ctrl-C ends it. What else `streamlit run` takes can be given; `streamlit run --help` lists it."""
_TOLD = (
    _CHECK_EXAMPLES, _CURVE_EXAMPLES, _REPORT_EXAMPLES, _CERTIFY_EXAMPLES, _SWEEP_EXAMPLES, _SIMULATE_EXAMPLES,
    _RUN_EXAMPLES,
)  # fmt: skip
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
            _say(f"dpviz: {stopped}", sys.stderr)
        return INTERRUPTED


def _status(arguments: list[str] | None) -> int:
    try:
        options = _parsed(arguments)
        status, text = options.run(options)
    except ValueError as error:
        _say(f"dpviz: {error}", sys.stderr)
        return UNUSABLE
    except SystemExit as ended:  # how argparse ends after --help, --version or a bad argument
        return ended.code if isinstance(ended.code, int) else UNUSABLE
    return status if _say(text, sys.stdout) else UNUSABLE


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The arguments as they are understood; the dashboard alone takes some that only Streamlit knows."""
    options, others = parser().parse_known_args(arguments)
    if options.run is _run:
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
    top = _Parser(_program(), "What a plan of differentially private releases costs.", _EXAMPLES)
    top.add_argument("--version", action="version", version=f"dpviz {dpviz.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser.of_command)
    check = _command(commands, "check", "say whether a plan is within its budget", _CHECK_EXAMPLES, _check)
    check.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    check.add_argument("--strict", action="store_true", help="exit with 1 also where a check asks a question")
    check.add_argument("--batches", choices=BATCHES, help="how batches of sampled releases are really drawn")
    check.add_argument("--parts-disjoint", choices=_ANSWERS, help="whether every person is in one part only")
    check.add_argument("--whole-numbers", choices=_ANSWERS, help="whether counts get noise that is a whole number")
    curve = _command(commands, "curve", "print how the total grows when the plan is repeated", _CURVE_EXAMPLES, _curve)
    curve.add_argument("--counts", required=True, type=_typed(_counts), help="repetitions: 1..100, or 1,10,100")
    keys = [theorem.key for theorem in THEOREMS]
    curve.add_argument("--theorem", action="append", choices=keys, metavar="KEY", help=f"one of {', '.join(keys)}")
    report = _command(commands, "report", "write a page that opens offline and prints", _REPORT_EXAMPLES, _report)
    report.add_argument("-o", "--output", required=True, metavar="FILE", help="the HTML file to write")
    report.add_argument("--certify", action="store_true", help="enclose the tight total by ball arithmetic, too")
    report.add_argument("--name", type=_typed(_title("name")), default="", help="of the plan, for the title")
    report.add_argument("--author", type=_typed(_title("author")), default="", help="who answers for it, for the title")
    _command(commands, "certify", "enclose the tight total between two proved ends", _CERTIFY_EXAMPLES, _certify)
    _add_jobs(commands)
    run = commands.add_parser("run", help="open the dashboard", about="open the dashboard", examples=_RUN_EXAMPLES)
    run.set_defaults(run=_run)
    return top


def _program() -> str:
    """How the program was called, for the help: its command, or the package where that is not installed."""
    return "dpviz" if Path(sys.argv[0]).stem == "dpviz" else "python -m dpviz"


def _add_jobs(commands: object) -> None:
    sweep = _command(commands, "sweep", "find the plans of a grid that nothing beats", _SWEEP_EXAMPLES, _sweep)
    sweep.add_argument("--grid", required=True, metavar="FILE", help="JSON: what may vary of which release")
    sweep.add_argument("-o", "--output", required=True, metavar="FILE", help="the CSV file to write")
    sweep.add_argument("--error", choices=tuple(MEASURES), help="what error is; default: largest, where it is known")
    simulate = _command(commands, "simulate", "play the composition experiment", _SIMULATE_EXAMPLES, _simulate)
    rounds = _typed(_quantity(ROUNDS, "rounds"))
    simulate.add_argument("--rounds", type=rounds, default=10**8, help="of all plays together; default: 100000000")
    simulate.add_argument("--seed", type=_typed(_quantity(SEED, "seed")), default=1, help="default: 1")
    simulate.add_argument("-o", "--output", metavar="FILE", help="a CSV file to write, too")
    for command in (sweep, simulate):
        workers = _typed(_quantity(WORKERS, "workers"))
        command.add_argument("--workers", type=workers, help="processes; 1 is none beside this; default: all cores")
        command.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler whose workers play instead")
        command.add_argument("--state", metavar="FILE", help="what is done, until all is; default: beside the output")


class _Parser(argparse.ArgumentParser):
    """One that knows no abbreviations, keeps the lines of its examples and can print on any terminal."""

    def __init__(self, program: str, about: str, examples: str) -> None:
        raw, examples = argparse.RawDescriptionHelpFormatter, examples.replace("  dpviz ", f"  {_program()} ")
        super().__init__(program, description=about, epilog=examples, formatter_class=raw, allow_abbrev=False)

    @classmethod
    def of_command(cls, prog: str, about: str, examples: str) -> _Parser:
        formats = "" if examples is _RUN_EXAMPLES else _FORMATS
        return cls(prog, f"{about[0].upper()}{about[1:]}. {formats}".rstrip(), examples)

    def _print_message(self, message: str, file: TextIO | None = None) -> None:
        if not _say(message.rstrip("\n"), file or sys.stderr):
            raise SystemExit(UNUSABLE)


def _command(commands: object, name: str, about: str, examples: str, run: Callable) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=about, about=about, examples=examples)
    command.set_defaults(run=run)
    command.add_argument("plan", metavar="PLAN", help="JSON or CSV file, or - for standard input")
    command.add_argument("--budget", type=_typed(_quantity(EPSILON, "budget")), help="ε; default: that of the plan")
    command.add_argument(
        "--delta", type=_typed(_quantity(WHOLE_DELTA, "delta")), help="whole δ, in [0, 1); default: that of the plan"
    )
    unit, people = _typed(partial(checked_text, "unit")), _typed(_quantity(POPULATION, "population"))
    command.add_argument("--unit", type=unit, help="of privacy, such as person-month; default: that of the plan")
    command.add_argument("--relation", choices=tuple(RELATIONS), help="between neighbours; default: that of the plan")
    command.add_argument("--population", type=people, help="people in the data; default: that of the plan")
    command.add_argument("--adaptive", choices=_ANSWERS, help="chosen along the way; default: as the plan says")
    return command


def _typed(convert: Callable[[str], object]) -> Callable[[str], object]:
    """The converter as argparse wants it: its sentence is shown, not only that it failed."""

    def converted(text: str) -> object:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return converted


def _quantity(parameter: Parameter, name: str) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = text
        if parameter.integer and grouped(text):  # 500.000 people are no 500
            raise ValueError(f"{name} {UNGROUPED_ALLOWED}; got {text!r}")
        return parameter.check(value, name)

    return convert


def _title(name: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        return checked_text(name, text) if text.strip() else ""

    return convert


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


def _opened(options: argparse.Namespace) -> Plan:
    """The plan, with what the arguments say of it over what its file says."""
    if options.plan == "-" and sys.stdin is None:
        raise ValueError("plan must be a file where there is no standard input; got '-'")
    plan = Plan.read(sys.stdin.buffer if options.plan == "-" else options.plan)
    epsilon = plan.budget.epsilon if options.budget is None else options.budget
    delta = plan.budget.delta if options.delta is None else options.delta
    given = {name: getattr(options, name) for name in PROMISE} | {"adaptive": _answered(options.adaptive)}
    said = {name: value for name, value in given.items() if value is not None}
    return replace(plan, budget=Guarantee(epsilon, WHOLE_DELTA.check(delta, "delta of the plan's budget")), **said)


def _answered(text: str | None) -> bool | None:
    return None if text is None else bool(yes(text))


# --- check


@dataclass(frozen=True)
class Verdict:
    """What `check` finds out about a plan.

    Parameters
    ----------
    plan : Plan
    totals : pandas.DataFrame
        As `compare` gives it, at the δ of the budget.
    pure : float
        The total at δ = 0; inf where there is none.
    filters : pandas.DataFrame or None
        As `plan_verdicts` gives it, for a plan that chooses along the way under a finite budget.
    one_unit : UnitCost or None
        What one unit loses, where the schedule goes beyond its period.
    findings : tuple of Finding
        Of the checks for known mistakes.
    """

    plan: Plan
    totals: pandas.DataFrame
    pure: float
    filters: pandas.DataFrame | None
    one_unit: UnitCost | None
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, plan: Plan, **answers: object) -> Verdict:
        """Compute all of it, with the answers that `checks` takes."""
        filters = plan_verdicts(plan) if plan.adaptive and math.isfinite(plan.budget.epsilon) else None
        totals, pure = compare(plan, plan.budget.delta, excess=False), compose(plan, 0.0, "basic").epsilon
        return cls(plan, totals, pure, filters, unit_cost(plan), checks(plan, **answers))

    @property
    def best(self) -> pandas.Series | None:
        """The smallest total that may be quoted; None where there is none."""
        return tightest(self.totals)

    @property
    def held(self) -> Guarantee:
        """What the budget is for: the loss of one unit; that of the whole schedule where this is one unit's."""
        if self.one_unit is not None:
            return Guarantee(self.one_unit.epsilon, self.plan.budget.delta)
        return Guarantee(math.inf) if self.best is None else Guarantee(self.best.epsilon, self.best.delta)

    def found(self, *severities: str) -> tuple[Finding, ...]:
        """Return the findings of these severities."""
        return tuple(each for each in self.findings if each.severity in severities)

    @property
    def within(self) -> bool | None:
        """Whether that lies within the budget; None without a budget, or where a fault makes it another plan's loss."""
        if math.isinf(self.plan.budget.epsilon) or self.found(FAULT):
            return None
        return math.isfinite(self.held.epsilon) and self.held.implies(self.plan.budget)

    def status(self, strict: bool) -> int:
        """Return the exit status."""
        if math.isinf(self.plan.budget.epsilon):
            return UNUSABLE
        return WITHIN if self.within and not (strict and self.found(QUESTION)) else OVER


def _check(options: argparse.Namespace) -> tuple[int, str]:
    answers = {name: _answered(getattr(options, name)) for name in ("parts_disjoint", "whole_numbers")}
    verdict = Verdict.of(_opened(options), batches=options.batches, **answers)
    text = json.dumps(_document(verdict), indent=2) if options.json else "\n".join(_lines(verdict, options.strict))
    return verdict.status(options.strict), text


def _lines(verdict: Verdict, strict: bool) -> list[str]:
    plan, budget, told = verdict.plan, verdict.plan.budget, verdict.plan.in_words
    uses = sum(release.uses for release in plan.releases)
    made = f"{_counted(len(plan.releases), 'release')}, {_counted(uses, 'use')}"
    about = f"{made}, {told['order']}; for one {told['unit']}, {told['relation']}."
    faults = _findings(verdict, FAULT)
    lines = [*faults, *[""] * bool(faults), about, "", *_table(verdict.totals), ""]
    if math.isfinite(verdict.pure) and budget.delta > 0:
        lines.append(f"At δ = 0 the total is ε = {_cost(verdict.pure)}: the sum of the stated ε.")
    if verdict.filters is not None:
        lines += _filter_lines(verdict.filters)
    if cost := verdict.one_unit:
        lines += [
            f"The table is about somebody who is in the data on all dates. The budget is for one {plan.unit_in_words}:",
            f"that loses at most ε = {_cost(cost.epsilon)}, if every release reads its own {cost.window}'s data only.",
        ]
    return [*lines, *_findings(verdict, QUESTION), *_findings(verdict, NOTE), *_finding(verdict, strict)]


def _findings(verdict: Verdict, severity: str) -> list[str]:
    told = (check_told(each, verdict.plan) for each in verdict.found(severity))
    return [f"{severity.capitalize()}, {each['label'].lower()}: {each['sentence']}" for each in told]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _finding(verdict: Verdict, strict: bool) -> list[str]:
    """The last line, or two: what the exit status says."""
    budget, asked = verdict.plan.budget, len(verdict.found(QUESTION))
    limit = f"the budget of ε = {budget.epsilon:.15g} at δ = {budget.delta:.15g}"
    if math.isinf(budget.epsilon):
        missing = "No budget is set, give one with --budget: nothing says whether this is too much."
        return [f"{missing} At δ = {budget.delta:.15g}: {_loss(verdict)}."]
    if verdict.within is None:
        return [f"Whether it is within {limit} cannot be said: the fault named above makes this another plan's total."]
    said = [f"{'Within' if verdict.within else 'Over'} {limit}{_per_unit(verdict)}: {_loss(verdict)}."]
    open_ones = f"Refused by --strict: {_counted(asked, 'question')} above to be answered, or mended."
    return [*said, open_ones] if strict and asked and verdict.within else said


def _per_unit(verdict: Verdict) -> str:
    return f" for one {verdict.plan.unit_in_words}" if verdict.one_unit else ""


def _loss(verdict: Verdict) -> str:
    """What is held against the budget, and beside it what is not."""
    best, cost = verdict.best, verdict.one_unit
    total = "no theorem gives a finite total"
    if best is not None and math.isfinite(best.epsilon):
        total = f"at most ε = {_cost(best.epsilon)}, by {best.label}"
    if cost is None:
        return total
    one = "no theorem bounds it" if math.isinf(cost.epsilon) else f"at most ε = {_cost(cost.epsilon)}"
    return f"{one}; no budget is stated for all dates together ({total})"


def _filter_lines(filters: pandas.DataFrame) -> list[str]:
    """Whether the plan may be made under a filter; what its rule counts so far is no guarantee, so it is not shown."""
    whole = [row.label for row in filters.itertuples() if row.whole]
    if not whole:
        return ["No filter with this budget admits the whole plan."]
    return [
        f"Made under a filter with this budget, all of it would be admitted ({', '.join(whole)});",
        "the budget would then be the guarantee. The exit status does not count on a filter.",
    ]


def _table(totals: pandas.DataFrame) -> list[str]:
    rows = [("theorem", "ε", "δ", "")]
    best = tightest(totals)
    for row in totals.itertuples():
        numbers = (_cost(row.epsilon), f"{row.delta:.6g}") if row.applies else ("-", "-")
        smallest = best is not None and row.theorem == best.theorem
        rows.append((row.label, *numbers, f"{row.kind}{', the smallest' * smallest}" if row.applies else row.reason))
    return _columns(rows)


def _cost(value: float) -> str:
    """A cost with six digits, rounded up."""
    return f"{next_above(value, _DIGITS):.{_DIGITS}g}"


def _document(verdict: Verdict) -> dict[str, object]:
    plan, best = verdict.plan, verdict.best
    rows = verdict.totals.to_dict("records")
    finite = best is not None and math.isfinite(best.epsilon)
    return {
        "dpviz": dpviz.__version__,
        "within": verdict.within,
        "budget": {"epsilon": _finite(plan.budget.epsilon), "delta": plan.budget.delta},
        "held": {"epsilon": _finite(verdict.held.epsilon), "delta": verdict.held.delta},
        "total": {key: best[key] for key in ("epsilon", "delta", "theorem", "kind")} if finite else None,
        "pure_epsilon": _finite(verdict.pure),
        "unit": plan.unit,
        "relation": plan.neighbours,
        "relation_stated": plan.relation is not None,
        "adaptive": plan.adaptive,
        "releases": len(plan.releases),
        "uses": sum(release.uses for release in plan.releases),
        "population": plan.population,
        "one_unit": one_unit_told(plan, verdict.one_unit),
        "checks": [check_told(each, plan) for each in verdict.findings],
        "theorems": [row | {"epsilon": _finite(row["epsilon"])} for row in rows],
        "filters": [] if verdict.filters is None else verdict.filters.to_dict("records"),
    }


def _finite(value: float) -> float | None:
    """A number as strict JSON holds it: null for infinity."""
    return value if math.isfinite(value) else None


# --- curve and report


def _curve(options: argparse.Namespace) -> tuple[int, str]:
    plan = _opened(options)
    size = len(options.counts) * plan.workload()[1].size
    if size > LARGEST_WORKLOAD:
        raise ValueError(
            f"counts must be so few that with the plan's parts and mechanisms at most {LARGEST_WORKLOAD:,} numbers are "
            f"held at once; got {size:,}"
        )
    frame = epsilon_curve(plan, options.counts, plan.budget.delta, options.theorem)
    return WITHIN, frame.to_csv(index=False, lineterminator="\n").rstrip("\n")


def _report(options: argparse.Namespace) -> tuple[int, str]:
    from dpviz.report import html as report  # with its charts, which the other commands do without

    told = {"certify": options.certify, "name": options.name, "author": options.author, "on": date.today()}
    page = report.html(Subject(_opened(options), **told))
    try:
        Path(options.output).write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"output must be a file that can be written ({reason}); got {options.output!r}") from None
    return WITHIN, f"Wrote {options.output}."


def _certify(options: argparse.Namespace) -> tuple[int, str]:
    told = certificate(_opened(options))
    if told["reason"]:
        raise ValueError(f"the total cannot be certified: {told['reason']}")
    return WITHIN, certificate_sentence(told)


# --- sweep and simulate


def _sweep(options: argparse.Namespace) -> tuple[int, str]:
    plan = _opened(options)
    grid = Grid.read(plan, options.grid)
    runner = _runner(options, f"{options.output}.state")
    frontier = swept(grid, options.error, runner)
    written(options.output, frontier.to_csv())
    runner.finished()
    kept, best = len(frontier.frame), frontier.frame.iloc[0]
    measure = MEASURES[best.measure]
    return WITHIN, (
        f"Wrote {options.output}: of {_counted(grid.size, 'plan')} nothing beats {kept:,}, from ε = "
        f"{_cost(best.epsilon)} to {_cost(frontier.frame.epsilon.max())} at δ = {best.delta:.6g}.\nError: {measure}."
    )


def _simulate(options: argparse.Namespace) -> tuple[int, str]:
    plan = _opened(options)
    name = options.output or f"{'plan' if options.plan == '-' else Path(options.plan).name}.simulation"
    runner = _runner(options, f"{name}.state")
    frame = simulated(plan, options.rounds, options.seed, runner=runner)
    if options.output:
        written(options.output, frame.to_csv(index=False, lineterminator="\n"))
    runner.finished()
    plays = 2 * frame.plays.iloc[0]
    about = f"{plays:,} plays, half of them in each world; with 99 % all of the intervals hold the truth."
    rows = [("", "ε", "observed", "from", "to", "proved", "")]
    for row in frame.itertuples():
        numbers = (f"{each:.4g}" for each in (row.observed, row.observed_low, row.observed_high))
        epsilon = "-" if math.isnan(row.epsilon) else _cost(row.epsilon)
        what = row.what if math.isnan(row.epsilon) else f"δ by {row.what}"
        proved = f"{next_above(row.proved, 4):.4g}"
        rows.append((what, epsilon, *numbers, proved, "" if row.holds else "above what is proved"))
    return (WITHIN if frame.holds.all() else OVER), "\n".join([about, "", *_columns(rows)])


def _runner(options: argparse.Namespace, state: str) -> Runner:
    told = Progress(sys.stderr) if sys.stderr else None
    return Runner(options.workers, options.dask, options.state or state, told)


# --- run


def _run(options: argparse.Namespace) -> tuple[int, str]:
    """Play the dashboard until it is stopped."""
    if find_spec("streamlit") is None or find_spec("plotly") is None:
        raise ValueError('the dashboard needs its packages: pip install "dpviz[app]"')
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), *options.others]
    runpy.run_module("streamlit", run_name="__main__")  # in this process: what ends the command ends the dashboard
    return WITHIN, "The dashboard is closed."


# --- any terminal


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """A table: all but the first and the last column to the right."""
    shown = [[_encodable(cell, sys.stdout) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:-1], strict=True)), row[-1]]
        ).rstrip()
        for row in shown
    ]


def _say(text: str, file: TextIO | None) -> bool:
    """Write lines in letters that the terminal has; say whether that went well. A closed stream is told nothing."""
    if file is None:
        return True
    try:
        file.write(_encodable(text, file) + "\n")
        file.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # what is still kept back must not fail again when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
        if isinstance(error, BrokenPipeError):  # a reader who has seen enough, such as head
            return True
        if file is not sys.stderr:
            _say(f"dpviz: output must go where it can be written ({error.strerror})", sys.stderr)
        return False
    return True


def _encodable(text: str, file: TextIO | None) -> str:
    encoding = getattr(file, "encoding", None) or "utf-8"
    shown = "".join(each if each.isprintable() or each == "\n" else "?" for each in text)
    try:
        shown.encode(encoding)
    except UnicodeEncodeError:
        plain = unicodedata.normalize("NFKD", shown.translate(_PLAIN))
        plain = "".join(each for each in plain if not unicodedata.combining(each))
        return plain.encode(encoding, "replace").decode(encoding)
    return shown
