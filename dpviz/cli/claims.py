"""The command that judges a claim: do these releases cost what somebody says."""

from __future__ import annotations

import argparse
import sys

from dpviz.claims import ASPECTS, HOLDS, TOO_SMALL, UNDECIDED, Judgement, StatedTotal, judge
from dpviz.claims.judgement import OTHERWISE, REASONS, ReadSo, under_each_reading
from dpviz.claims.stated import STATED_DELTA, STATED_EPSILON
from dpviz.cli import arguments, terminal
from dpviz.cli.command import Answer, Command
from dpviz.plan.files.foreign import Opened, opened
from dpviz.report.report_schema import EPSILON
from dpviz.rounding import shown_beyond, shown_delta, shown_down
from dpviz.schemas import NUMBER, TEXT, TRUTH, Answered, described, listed, record

EXAMPLES = """\
examples:
  dpviz check-claim examples/federated-learning.json --epsilon 3 --delta 1e-5
  dpviz check-claim plan.csv --epsilon 3 --delta 1e-5 --open relation --open sampling
  dpviz check-claim event.txt --epsilon 3 --delta 1e-5 --json | jq .verdict

FILE is a plan (CSV, JSON), an event of dp_accounting (its repr or JSON), a history of Opacus, an entry of the registry
of deployments (YAML) or a list of budgets (CSV); - for standard input.

A claim holds where a theorem proves it, is too small where more is certainly lost, and is undecided where neither is so
under every reading of what was not disclosed (--open). A history of Opacus does not tell how batches were drawn: say
--disclosed sampling where they were Poisson samples. Without --epsilon the claim is the one of the file: what it
states, or the budget of a plan.

exit status: 0 the claim holds; 1 it is too small; 3 nobody can tell from what was published; 2 if the file cannot be
read, there is no claim, or an argument is wrong."""
STATUSES = {HOLDS: 0, TOO_SMALL: 1, UNDECIDED: 3}


def add(command: argparse.ArgumentParser) -> None:
    """Add the file, the claim, and what is not told of the releases."""
    command.add_argument("file", metavar="FILE", help="the releases; - for standard input")
    command.add_argument("--epsilon", metavar="E", help="the claimed ε; default: that of the file")
    command.add_argument(
        "--delta", type=arguments.typed(arguments.quantity(STATED_DELTA, "delta")), metavar="D",
        help="the claimed δ, in [0, 1); default: that of the file",
    )  # fmt: skip
    command.add_argument(
        "--open", action="append", default=[], choices=tuple(ASPECTS), dest="left_open",
        help="what was not disclosed; may be given several times",
    )  # fmt: skip
    command.add_argument(
        "--disclosed", action="append", default=[], choices=tuple(ASPECTS),
        help="what is known, though files of this form do not tell it; may be given several times",
    )  # fmt: skip


def check_claim(options: argparse.Namespace) -> Answer:
    """Judge a claim: the exit status, and what is printed."""
    if options.file == "-" and sys.stdin is None:
        raise ValueError("file must be a file where there is no standard input; got '-'")
    file = opened(sys.stdin.buffer if options.file == "-" else options.file)
    left_open = {*file.left_open, *options.left_open} - {*options.disclosed}
    found = judge(file.plan, _stated(options, file), left_open, file.incomplete)
    table = under_each_reading(found.plan, found.stated)[1:]
    lines = "\n".join(_lines(found, file, table))
    return Answer(STATUSES[found.verdict], lines, _told(found, file, table), asked=False)


def _stated(options: argparse.Namespace, file: Opened) -> StatedTotal:
    """What is claimed: by the arguments, else by the file."""
    if options.epsilon is None and file.claim is None:
        raise ValueError("epsilon must be given where the file states no total; got nothing")
    delta = options.delta if options.delta is not None else file.claim.delta if file.claim else 0.0
    if options.epsilon is None:
        return StatedTotal(file.claim.epsilon, delta, file.printed)
    epsilon = arguments.quantity(STATED_EPSILON, "epsilon")(options.epsilon)
    return StatedTotal(epsilon, delta, options.epsilon.strip())


def _lines(found: Judgement, file: Opened, table: tuple[ReadSo, ...]) -> list[str]:
    stated, ends = found.stated, found.ends
    claim = f"ε = {stated.printed or f'{stated.epsilon:g}'} at δ = {shown_delta(stated.delta)}"
    lines = [f"{file.form}: {terminal.counted(len(found.plan.releases), 'release')}; claimed {claim}.", ""]
    lines.append(_verdict(found))
    if cost := found.one_unit:
        lines.append(f"The claim is about one {found.plan.unit_in_words}; the dearest is {cost.start} to {cost.end}.")
    if ends.theorem:
        of = " of the releases as they are entered" if found.reason == OTHERWISE else ""
        lines.append(f"Proved{of}: at most {terminal.cost(ends.upper)} ({ends.theorem}).")
    lines.append(f"Certainly lost: at least {shown_down(ends.lower)}.")
    lines += ["", "Not understood:", *(f"- {each}" for each in file.not_understood)] if file.not_understood else []
    rows = [("reading", "at least", "at most", ""), *(_row(each, found) for each in table)]
    return [*lines, "", *terminal.columns(rows)] if table else lines


def _verdict(found: Judgement) -> str:
    if found.verdict == HOLDS:
        spare = f"; it could be smaller by {shown_down(found.spare)}" if found.spare > 0 else ""
        return f"The claim holds{spare}."
    if found.verdict == TOO_SMALL:
        rounded = " It may have been rounded down to what was printed." if found.only_by_rounding else ""
        return f"The claim is too small: at least {shown_beyond(found.least, found.stated.epsilon)} is lost.{rounded}"
    return f"Undecided: {REASONS[found.reason]}."


def _row(read: ReadSo, found: Judgement) -> tuple[str, ...]:
    (reading,) = read.readings
    marked = "open" if reading.aspect in found.left_open else ""
    return reading.label, shown_down(read.ends.lower), terminal.cost(read.ends.upper), read.refused or marked


def _told(found: Judgement, file: Opened, table: tuple[ReadSo, ...]) -> dict[str, object]:
    return {
        "verdict": found.verdict,
        "reason": found.reason,
        "claim": {"epsilon": found.stated.epsilon, "delta": found.stated.delta},
        "only_by_rounding": found.only_by_rounding,
        "left_open": list(found.left_open),
        "least": terminal.finite(found.least),
        "most": terminal.finite(found.most),
        "entered": _ends(found.read[0]),
        "readings": [{"reading": each.readings[0].key, **_ends(each)} for each in table],
        "file": {"form": file.form, "incomplete": file.incomplete, "not_understood": list(file.not_understood)},
    }


def _ends(read: ReadSo) -> dict[str, object]:
    lower, upper = terminal.finite(read.ends.lower), terminal.finite(read.ends.upper)
    return {"lower": lower, "upper": upper, "theorem": read.ends.theorem, "refused": read.refused}


_ENDS = {
    "lower": described(EPSILON, "what is certainly lost, at least"),
    "upper": described(EPSILON, "what is proved, at most; null where no theorem bounds it"),
    "theorem": TEXT,
    "refused": described(TEXT, "why the releases cannot be read so; empty where they can"),
}
CLAIM = Answered(
    "claim", 1, "Whether releases cost what somebody says",
    {
        "verdict": {"enum": list(STATUSES)},
        "reason": described({"enum": ["", *REASONS]}, "why nobody can tell; empty where somebody can"),
        "claim": record({"epsilon": NUMBER, "delta": NUMBER}),
        "only_by_rounding": described(TRUTH, "whether the claim fails by no more than its last printed digit"),
        "left_open": described(listed({"enum": list(ASPECTS)}), "what was not disclosed"),
        "least": described(EPSILON, "what is certainly lost under every reading of what is left open"),
        "most": described(EPSILON, "what is proved under all of them"),
        "entered": described(record(_ENDS), "the releases as they were entered"),
        "readings": listed(record({"reading": TEXT, **_ENDS})),
        "file": record({"form": TEXT, "incomplete": TRUTH, "not_understood": listed(TEXT)}),
    },
)  # fmt: skip
ABOUT = "say whether releases cost what somebody says"
COMMANDS = (Command("check-claim", ABOUT, EXAMPLES, check_claim, add, CLAIM, takes_plan=False),)
