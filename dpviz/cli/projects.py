"""The commands that make what a ledger needs: saved plans, projects, budgets, and plans in force."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dpviz.cli import arguments, terminal
from dpviz.cli.arguments import quantity, title, typed
from dpviz.cli.command import Answer, Command
from dpviz.cli.ledger import SPENT, add_key, add_project, beside_windows, database, key_of, opened, refused
from dpviz.cli.terminal import WITHIN
from dpviz.parameters import DELTA
from dpviz.plan import RELATIONS, Document
from dpviz.plan.release import checked_text
from dpviz.rounding import shown_down
from dpviz.schemas import NUMBER, TEXT, WHOLE, Answered, described, listed, nullable, record
from dpviz.store import Term
from dpviz.store.budgets import BUDGET_EPSILON, RULES

if TYPE_CHECKING:
    from dpviz.store import Budget, Key, Ledger, Standing

ROLES = ("viewer", "analyst", "steward")
SAVE_EXAMPLES = """\
examples:
  dpviz save plan.json --title "Year 2026"
  dpviz save plan.json --over 3f2a9c0d1e5b7a64/1

Saves a plan as a new plan, or as the next version of one that was saved: the version that it was made from must be the
newest. What is printed names the version.

exit status: 0 if it is saved, 2 for what cannot be read or written, and where somebody saved another one meanwhile."""
PROJECT_EXAMPLES = """\
examples:
  dpviz project
  dpviz project census --make
  dpviz project census --invite ada@example.org --role analyst

Lists your projects with their members; makes one, whose steward you are; gives somebody a role in it."""
BUDGET_EXAMPLES = """\
examples:
  dpviz budget --project census
  dpviz budget --project census --data census --unit person-year --epsilon 5 --delta 1e-5
  dpviz budget --project census --data census --unit person-year --holder "team A" --epsilon 2 --parent 1

Lists where the budgets of a project stand, each with its lifetime beside its window; with --epsilon, opens one. Its
terms never change. A term is lifetime, "calendar year" (month, quarter, week, day), "rolling 31536000 s" (any 365 days)
or "fixed 604800 s from 0 s"; without one, a budget for a unit such as person-year is for the calendar year.

exit status: 0 if they are listed, 1 if the budget that it is shared out of refuses, 2 for what cannot be understood."""
FORCE_EXAMPLES = """\
examples:
  dpviz force --project census --version 3f2a9c0d1e5b7a64/1 --reference "plan 2026"
  dpviz force --project census --title "Year 2026" --reference "plan 2026"

Takes a saved version into force: its whole composed cost is reserved, and its lines cost nothing new afterwards.

exit status: 0 if it is in force, 1 if a budget refuses it, 2 for what cannot be read, found or understood."""


def add_save(command: argparse.ArgumentParser) -> None:
    """Add how the plan is called, and what it is saved over."""
    command.add_argument("--title", type=typed(title("title")), default="", help="what the plan is called")
    command.add_argument("--over", metavar="VERSION", help="save it as the next version of this one")
    command.add_argument("--user", default="local", help="who saves; default: the one local user")


def save(options: argparse.Namespace) -> Answer:
    """Save a plan as a version."""
    document = Document(arguments.opened(options), options.title)
    version = database().plans(options.user).save(document, over=options.over)
    return Answer(WITHIN, version, {"version": version})


def add_projects(command: argparse.ArgumentParser) -> None:
    """Add which project, and what is done to it."""
    name = typed(lambda text: checked_text("project", text))
    command.add_argument("project", metavar="PROJECT", nargs="?", type=name, help="its name; default: list all")
    command.add_argument("--make", action="store_true", help="make it")
    command.add_argument("--invite", metavar="PERSON", help="give this person a role in it")
    command.add_argument("--role", choices=(*ROLES, "none"), default="viewer", help="which; default: viewer")
    command.add_argument("--user", default="local", help="who asks; default: the one local user")


def project(options: argparse.Namespace) -> Answer:
    """Make a project, change its members, or list one's projects."""
    if options.project is None and (options.make or options.invite):
        raise ValueError("PROJECT must be named where it is made, or somebody invited")
    projects = database().projects(options.user)
    if options.make:
        projects.create(options.project)
    if options.invite:
        projects.invite(options.project, options.invite, None if options.role == "none" else options.role)
    found = projects.list() if options.project is None else (projects.open(options.project),)
    told = [{"name": each.name, "role": each.role, "members": projects.members(each.name)} for each in found]
    lines = [
        f"{each['name']}: {', '.join(f'{who} ({is_a})' for who, is_a in each['members'].items())}" for each in told
    ]
    return Answer(WITHIN, "\n".join(lines) or "No project yet.", {"projects": told})


def add_budget(command: argparse.ArgumentParser) -> None:
    """Add whose budgets, and the terms of one that is opened."""
    add_project(command)
    add_key(command)
    command.add_argument("--epsilon", type=typed(quantity(BUDGET_EPSILON, "epsilon")), help="open one with this ε")
    command.add_argument("--delta", type=typed(quantity(DELTA, "delta")), default=0.0, help="its δ; default: 0")
    command.add_argument("--rule", choices=RULES, default="basic", help="its filter; default: basic")
    about = "for how long; default: the calendar's period that the unit names (person-year: its year), else lifetime"
    command.add_argument("--term", type=typed(Term.read), help=about)
    command.add_argument("--relation", choices=tuple(RELATIONS), default="add_remove", help="default: add_remove")
    command.add_argument("--parent", type=int, metavar="NUMBER", help="of the budget that it is shared out of")
    command.add_argument("--reference", default="", help="what this is called, once; default: after its key and term")
    command.add_argument("--note", default="", help="in words")


def budget(options: argparse.Namespace) -> Answer:
    """List the budgets of a project, after one was opened where that is asked."""
    from dpviz.store import Refused

    ledger, key = opened(options), key_of(options)
    status, refusal = WITHIN, []
    if options.epsilon is not None:
        if key is None:
            raise ValueError("data and unit must be given for a budget that is opened")
        try:
            _open(ledger, key, options)
        except Refused as error:
            answer = refused(error)
            status, refusal = answer.status, [answer.text]
    told = [_standing(each) for each in ledger.standings() if key in (None, each.budget.key)]
    lines = [*(each["said"] for each in told), *refusal]
    return Answer(status, "\n".join(lines) or "No budget yet.", {"budgets": told})


def _open(ledger: Ledger, key: Key, options: argparse.Namespace) -> None:
    """Open the budget that the arguments describe."""
    parent = _numbered(ledger, options.parent)
    term = options.term or (parent.term if parent else Term.of_unit(key.unit))
    reference = options.reference or f"budget of {key}, {term}"[:80]
    terms = {"rule": options.rule, "term": term, "relation": options.relation, "note": options.note}
    ledger.open_budget(key, options.epsilon, options.delta, parent=parent, reference=reference, **terms)


def _numbered(ledger: Ledger, number: int | None) -> Budget | None:
    """The budget of this number, as the list of budgets has it."""
    found = next((each for each in ledger.budgets() if each.number == number), None)
    if number is not None and found is None:
        raise ValueError(f"parent must be the number of a budget of the project; got {number}")
    return found


def _standing(standing: Standing) -> dict[str, object]:
    """Where a budget stands, in numbers and in words."""
    own, free = standing.budget, standing.budget.free(standing.total)
    held = f"ε = {own.epsilon:.9g} at δ = {own.delta:.6g}, {own.rule}, {own.term}"
    life = f"ε = {terminal.cost(standing.lifetime_epsilon)} at δ = {standing.lifetime_delta:.6g}"
    said = (
        f"{own.number}. {own.key} ({held}): charged {terminal.cost(standing.epsilon)}, free {shown_down(free)}; "
        f"since the beginning at most {life}."
    )
    finite = {
        name: value if value < float("inf") else None
        for name, value in (("charged", standing.epsilon), ("lifetime_epsilon", standing.lifetime_epsilon))
    }
    terms = {"epsilon": own.epsilon, "delta": own.delta, "rule": own.rule, "term": str(own.term)}
    told = {"window": standing.window, "free": free, "lifetime_delta": standing.lifetime_delta}
    return {"number": own.number, "key": str(own.key), **terms, **finite, **told, "said": said}


def add_force(command: argparse.ArgumentParser) -> None:
    """Add which version, by which budgets."""
    add_project(command)
    add_key(command)
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--version", help="as `dpviz save` printed it")
    which.add_argument("--title", help="of the plan whose newest version is meant")
    command.add_argument("--reference", required=True, help="what this is called: once, for ever")
    command.add_argument("--note", default="", help="in words")


def _newest(options: argparse.Namespace) -> str:
    """The newest version of the one plan of that title."""
    found = [each for each in database().plans(options.user).search(options.title) if each.title == options.title]
    if len(found) != 1:
        raise ValueError(f"title must be that of one saved plan, not of {len(found)}; got {options.title!r:.90}")
    return found[0].name


def force(options: argparse.Namespace) -> Answer:
    """Take a saved version into force, if the budgets admit it."""
    from dpviz.store import Refused

    ledger, told = opened(options), {"reference": options.reference, "note": options.note}
    try:
        entry = ledger.take_into_force(options.version or _newest(options), key=key_of(options), **told)
    except Refused as error:
        return refused(error)
    named = f"“{entry.told['name']}”" if entry.told["name"] else entry.told["version"]
    costs = ", ".join(
        f"ε = {terminal.cost(charge.amount.epsilon / 1e6)} at δ = {float(charge.amount.delta):.6g} ({theorem})"
        for charge, theorem in zip(entry.charges, entry.told["theorems"], strict=True)
    )
    said = f"Entry {entry.number}: {named} is in force, and reserves {costs}."
    said = "\n".join([said, *beside_windows(ledger, entry)])
    charged = [charge.budget for charge in entry.charges]
    return Answer(WITHIN, said, {"allowed": True, "entry": entry.number, "budgets": charged, "said": said})


SAVED = Answered(
    "saved", 1, "A version of a plan that was saved",
    {"version": described(TEXT, "what opens it: the plan's identifier and the number of the version")},
)  # fmt: skip
PROJECTS = Answered(
    "projects", 1, "Projects with their members",
    {"projects": listed(record({
        "name": TEXT, "role": described(TEXT, "of whoever asks"),
        "members": {"type": "object", "additionalProperties": {"enum": list(ROLES)}},
    }))},
)  # fmt: skip
BUDGETS = Answered(
    "budgets", 1, "Where the budgets of a project stand",
    {"budgets": listed(record({
        "number": WHOLE, "key": TEXT, "epsilon": NUMBER, "delta": NUMBER, "rule": {"enum": list(RULES)}, "term": TEXT,
        "charged": described(nullable(NUMBER), "ε by the rule, rounded up; null where there is none"),
        "lifetime_epsilon": described(nullable(NUMBER), "of all windows and epochs, rounded up"),
        "window": TEXT, "free": described(NUMBER, "the largest ε that is still admitted at δ = 0, rounded down"),
        "lifetime_delta": NUMBER, "said": TEXT,
    }))},
)  # fmt: skip
FORCED = Answered("force", 1, "Whether a version is in force", SPENT.properties)
COMMANDS = (
    Command("save", "save a plan as a version in the database", SAVE_EXAMPLES, save, add_save, SAVED),
    Command(
        "project", "list projects, make one, or invite somebody", PROJECT_EXAMPLES, project, add_projects, PROJECTS,
        takes_plan=False,
    ),
    Command(
        "budget", "list where budgets stand, or open one", BUDGET_EXAMPLES, budget, add_budget, BUDGETS,
        takes_plan=False,
    ),
    Command(
        "force", "take a saved version into force", FORCE_EXAMPLES, force, add_force, FORCED, takes_plan=False,
    ),
)  # fmt: skip
