"""What is said of saved plans."""

from __future__ import annotations

import math

from dpviz.rounding import shown_budget, shown_count, shown_delta, shown_total, shown_up
from dpviz.store.in_force import InForce
from dpviz.store.plans import Saved, Version
from dpviz.ui.my_plans.answer import Listed
from dpviz.ui.shell import reading, words
from dpviz.ui.shell.words import escaped

TITLE = "My plans"
NOTHING = "Nothing is saved here yet."
ABOUT = (
    "A saved plan keeps every version, is here again after a crash and on another machine, and can be shared. Of a "
    "link, nothing is kept here."
)
NOBODY = "nobody"
ROLES = {
    "viewer": "reads",
    "analyst": "reads, saves and spends",
    "steward": "reads, saves, spends, opens budgets and invites",
}
PROJECTS = "A project shows its plans to its members, and holds a ledger."
LOCAL_PROJECTS = "Without a login, every project is yours."


def finding(count: int, shown: tuple[Listed, ...], asked: str, archived: bool) -> str:
    """Say how many plans there are, and how many of those in sight are over their budget."""
    kind = "archived plan" if archived else "saved plan"
    named = f" with “{escaped(asked)}” in the title" if asked else ""
    if not count:
        return f"No {'archived plan' if archived else 'plan'}{named} is here."
    many = f"**{shown_count(count)} {kind}{'' if count == 1 else 's'}**{named}"
    over = sum(each.over for each in shown)
    where = "" if len(shown) == count else f"of the {len(shown)} in sight, "
    told = "none is over its budget" if not over else f"**{over}** {'is' if over == 1 else 'are'} over budget"
    return f"{many}: {where}{told}."


def title(each: Saved) -> str:
    """Return the title of a plan, letter by letter."""
    return escaped(each.title)


def about(each: Listed, reader: str, zone: str | None) -> str:
    """Say which version is the newest, whose it is, when it was saved and who sees it."""
    plan = each.saved
    parts = [f"Version {plan.newest}", escaped(words.who(plan.author, reader)), words.moment(plan.at, zone)]
    if plan.owner not in (plan.author, reader):
        parts.append(f"of {escaped(plan.owner)}")
    parts += [f"shared with {escaped(plan.project)}"] if plan.project else []
    parts += [f"**version {one.number} is in force in {escaped(one.project)}**" for one in each.forces]
    nor = "neither saved nor in force" if each.forces else "not saved"
    parts += [f"you have changes that are {nor}"] if each.draft else []
    return " · ".join(parts)


def cost(each: Listed) -> str:
    """Say what a plan costs, rounded up, and how much of its budget that is."""
    if each.total is None:
        return escaped(each.trouble)
    left_out = len(each.document.uncounted)
    rest = f"; {left_out} row{'' if left_out == 1 else 's'} not counted" if left_out else ""
    return f"{_in_words(each) if reading.people() else _cost(each)}{rest}"


def _cost(each: Listed) -> str:
    epsilon, budget = each.total.epsilon, each.plan.budget
    at = f" at δ = {shown_delta(budget.delta)}" if budget.delta else ""
    if math.isinf(epsilon):
        return f"nothing bounds its ε{at}"
    if math.isinf(budget.epsilon):
        return f"ε at most {shown_total(epsilon)}{at}; no budget is set"
    over = ": over budget" if each.over else ""
    return f"ε at most {shown_total(epsilon, budget.epsilon)} of {shown_budget(budget.epsilon, epsilon)}{at}{over}"


def _in_words(each: Listed) -> str:
    epsilon, limit = each.total.epsilon, each.plan.budget.epsilon
    if math.isinf(epsilon):
        return "Nothing bounds what it reveals"
    if math.isinf(limit):
        return "No budget is set"
    if each.over:
        return f"Over budget: {shown_up(epsilon / limit, 3)} times what is allowed" if limit else "Over budget"
    return f"At most {shown_up(100 * epsilon / limit, 2) if limit else 0} % of its budget"


def version(each: Version, reader: str, zone: str | None, forces: tuple[InForce, ...] = ()) -> str:
    """Return what a version is chosen by: plain text, which says where it is in force."""
    where = "".join(f" · in force in {one.project}" for one in forces if one.version == each.name)
    return f"Version {each.number} · {words.who(each.author, reader)} · {words.moment(each.at, zone)}{where}"
