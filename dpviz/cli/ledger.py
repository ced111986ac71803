"""The commands of a ledger: note what is about to run, write the ledger out, and check one that was written out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpviz.cli import arguments, terminal
from dpviz.cli.command import Answer, Command
from dpviz.cli.terminal import OVER, WITHIN
from dpviz.guarantee import Guarantee
from dpviz.parameters import COUNT, DELTA, EPSILON
from dpviz.plan.release import checked_text
from dpviz.schemas import COUNTED, TEXT, TRUTH, WHOLE, Answered, described, listed
from dpviz.store import Key, verify
from dpviz.store.terms import LIFETIME

if TYPE_CHECKING:
    from dpviz.store import Database, Entry, Ledger

SPEND_EXAMPLES = """\
examples:
  dpviz spend --project census --line "Mean age" --reference 2026-04-run-17
  dpviz spend --project census --epsilon 0.1 --reference ad-hoc-3 --note "asked by the council"

Ask before a release: a line of the version in force costs nothing new; what is asked by its ε and δ was not planned,
and the budget's rule admits or refuses it. The same reference again is the same row, so that a run may be tried again.
The database is what DPVIZ_DATABASE names, else one file in the user's data folder.

exit status: 0 if it may run, 1 if a budget refuses it, 2 for what cannot be read, found or understood."""
LEDGER_EXAMPLES = """\
examples:
  dpviz ledger --project census > LEDGER.json

The ledger of a project with all its hashes, as `dpviz verify` checks it."""
VERIFY_EXAMPLES = """\
examples:
  dpviz verify LEDGER.json
  dpviz verify LEDGER.json --head 4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce

Checked are hashes, arithmetic, and that each charge was what its request or plan costs and was admitted. Who noted the
hash of the last entry elsewhere sees by it whether the end is missing, or all was written anew.

exit status: 0 if all holds, 1 if something does not, 2 if it is no ledger."""


def add_spend(command: argparse.ArgumentParser) -> None:
    """Add whose ledger is asked, and for what."""
    add_project(command)
    typed, quantity = arguments.typed, arguments.quantity
    command.add_argument("--line", help="of the version in force: the name of a release, or its row")
    command.add_argument("--epsilon", type=typed(quantity(EPSILON, "epsilon")), help="ε of what was not planned")
    command.add_argument("--delta", type=typed(quantity(DELTA, "delta")), help="its δ; default: 0")
    reference = typed(lambda text: checked_text("reference", text))
    command.add_argument("--reference", required=True, type=reference, help="what this run is called: once, for ever")
    command.add_argument("--count", type=typed(quantity(COUNT, "count")), default=1, help="how often; default: 1")
    command.add_argument("--version", help="which version in force, where there are several")
    add_key(command)
    command.add_argument("--note", default="", help="in words")


def add_verify(command: argparse.ArgumentParser) -> None:
    """Add the file, and what its last entry must be."""
    command.add_argument("ledger", metavar="LEDGER", help="the JSON file, or - for standard input")
    command.add_argument("--head", metavar="HASH", default="", help="the hash that its last entry must have")


def add_key(command: argparse.ArgumentParser) -> None:
    """Add the parts of a budget's key."""
    for name, about in (("data", "data set"), ("unit", "unit of privacy"), ("epoch", "epoch"), ("purpose", "purpose"),
                        ("holder", "holder")):  # fmt: skip
        command.add_argument(f"--{name}", default="", help=f"{about} of the budget, where a project has several keys")


def add_project(command: argparse.ArgumentParser) -> None:
    """Add whose ledger is meant, and who asks."""
    command.add_argument("--project", required=True, help="the name of the project")
    command.add_argument("--user", default="local", help="who asks; default: the one local user")


def database() -> Database:
    """Return the database that is meant.

    Raises
    ------
    ValueError
        When what it needs is not installed.
    """
    try:
        from dpviz.store import Database
    except ImportError as error:
        raise ValueError(str(error)) from None
    return Database()


def opened(options: argparse.Namespace) -> Ledger:
    """Return the ledger of the project that the arguments name."""
    return database().ledger(options.project, options.user)


def spend(options: argparse.Namespace) -> Answer:
    """Note what is about to run, if it may."""
    if (options.line is None) == (options.epsilon is None):
        raise ValueError("line or epsilon must be given, and not both")
    if options.line is not None and options.delta is not None:
        raise ValueError("delta must be left out for a line, which has its own")
    ledger = opened(options)
    from dpviz.store import Refused

    told = {"reference": options.reference, "note": options.note, "count": options.count}
    try:
        if options.line is not None:
            entry = ledger.spend(options.line, version=options.version, **told)
        else:
            pair, key = Guarantee(options.epsilon, options.delta or 0.0), key_of(options)
            entry = ledger.spend(asked=pair if key is None else {key: pair}, **told)
    except Refused as error:
        return refused(error)
    said, budgets = _noted(ledger, entry), [charge.budget for charge in entry.charges]
    return Answer(WITHIN, said, {"allowed": True, "entry": entry.number, "budgets": budgets, "said": said})


def refused(error: ValueError) -> Answer:
    """Return what is said where a budget refuses."""
    said = f"{str(error)[0].upper()}{str(error)[1:]}."
    return Answer(OVER, said, {"allowed": False, "entry": None, "budgets": [], "said": said})


def key_of(options: argparse.Namespace) -> Key | None:
    """Return the key that the arguments name; None where they name none."""
    given = [options.data, options.unit, options.epoch, options.purpose, options.holder]
    return Key(*given) if any(given) else None


def _noted(ledger: Ledger, entry: Entry) -> str:
    """What is said of what may run; where a window renews its amount, what all windows may have cost stands beside."""
    if not entry.charges:
        line = f"line “{entry.told['line']}”, {terminal.counted(entry.told['count'], 'use')}"
        return f"Entry {entry.number}: {line}. It may run, and costs nothing new."
    said = f"Entry {entry.number}: it may run, and is charged to {terminal.counted(len(entry.charges), 'budget')}."
    return "\n".join([said, *beside_windows(ledger, entry)])


def beside_windows(ledger: Ledger, entry: Entry) -> list[str]:
    """Return what stands beside each window that an entry is charged to and that renews its amount: the lifetime."""
    charged = {charge.budget for charge in entry.charges}
    return [
        f"Who is in the data in all windows ({each.budget.term}) has lost at most ε = "
        f"{terminal.cost(each.lifetime_epsilon)} at δ = {each.lifetime_delta:.6g}."
        for each in ledger.standings()
        if each.budget.number in charged and each.budget.term.kind != LIFETIME
    ]


def export(options: argparse.Namespace) -> Answer:
    """Print the ledger of a project."""
    return Answer(text=opened(options).export().rstrip("\n"))


def check(options: argparse.Namespace) -> Answer:
    """Check an exported ledger."""
    found = verify(_text(options.ledger))
    faults = list(found.faults)
    if options.head and options.head != found.head:
        faults.append(f"its last hash is {found.head}, not {options.head}: its end is missing, or it is another")
    about = f"{terminal.counted(found.entries, 'entry').replace('entrys', 'entries')} of “{found.project}”"
    told = {name: getattr(found, name) for name in ("project", "entries", "head")}
    told |= {"holds": not faults, "faults": faults}
    if faults:
        return Answer(OVER, "\n".join([*faults, f"{about}: {terminal.counted(len(faults), 'fault')}."]), told)
    return Answer(WITHIN, f"{about}: hashes, arithmetic and theorems hold.\nThe last hash is {found.head}.", told)


def _text(path: str) -> str:
    if path == "-" and sys.stdin is None:
        raise ValueError("ledger must be a file where there is no standard input; got '-'")
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise ValueError(f"ledger must be a file that can be read ({reason}); got {path!r:.90}") from None


SPENT = Answered(
    "spend", 1, "Whether a ledger lets something run",
    {
        "allowed": TRUTH,
        "entry": described(COUNTED, "the number of its entry; null where a budget refuses it"),
        "budgets": described(listed(WHOLE), "the numbers of those that are charged"),
        "said": TEXT,
    },
)  # fmt: skip
VERIFIED = Answered(
    "verification", 1, "Whether a ledger that was written out holds",
    {
        "holds": TRUTH, "project": TEXT, "entries": described(WHOLE, "how many"),
        "head": described(TEXT, "the hash of the last entry"), "faults": listed(TEXT),
    },
)  # fmt: skip
COMMANDS = (
    Command(
        "spend", "ask a project's ledger before a release, and note it", SPEND_EXAMPLES, spend, add_spend, SPENT,
        takes_plan=False,
    ),
    Command("ledger", "write out the ledger of a project", LEDGER_EXAMPLES, export, add_project, takes_plan=False),
    Command(
        "verify", "check a ledger that was written out, without any database", VERIFY_EXAMPLES, check, add_verify,
        VERIFIED, takes_plan=False,
    ),
)  # fmt: skip
