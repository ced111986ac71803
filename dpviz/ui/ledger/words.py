"""Sentences of the page of ledgers."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from dpviz.composition.compose import theorem_named
from dpviz.filters import FILTERS
from dpviz.records import record_named
from dpviz.rounding import shown_budget, shown_delta, shown_down, shown_total, shown_up
from dpviz.store import Budget, Entry
from dpviz.store.entries import BUDGET, GIVE_BACK, LINE, REFUND, REQUEST, RESERVE
from dpviz.store.terms import LIFETIME, ROLLING, SECOND
from dpviz.ui.ledger.answer import Course, Shown
from dpviz.ui.ledger.asked import period
from dpviz.ui.shell import reading, refusals, words
from dpviz.ui.shell.document import saving
from dpviz.ui.shell.words import escaped

TITLE = "What was promised, reserved and spent?"
KINDS = {
    BUDGET: "budget opened", RESERVE: "taken into force", LINE: "line ran", REQUEST: "not planned",
    REFUND: "taken back", GIVE_BACK: "unused lines given back",
}  # fmt: skip
NOT_A_FILTER = (
    f"{words.NOT_A_FILTER} Whoever keeps such a total beside this ledger may not quote it for what was asked after an "
    "answer."
)
WHAT = (
    "**Spent** is what could not be given back any more: all that was not planned, and of a version in force what "
    "would stay charged if none of its other lines ever ran, by the rule of the budget. Basic adds up the ε of what "
    "ran, and takes the whole version once a line ran that has none without δ (Gaussian noise); zCDP adds up its ρ; "
    "the fully adaptive rule takes the whole version once any line ran. **Reserved** is the rest of what a version was "
    "charged when it came into force, and what was shared out. **Free** is the largest request that is still admitted. "
    "**Planned** is the forecast of the version that came into force last, composed date by date as if nobody chose "
    "anything along the way: so it may lie below what counts as spent."
)
_WHOLE = {
    "basic": (
        "a line ran that has no ε by itself without δ, as Gaussian noise has none, so that the rule Basic cannot count "
        "what ran apart from the rest, and nothing of it can be given back any more."
    ),
    "fully_adaptive": (
        "one of its lines ran, and this rule counts a version as one request, of which nothing can be given back then."
    ),
}  # zCDP counts what ran line by line
NO_BUDGET = (
    "This ledger has no budget yet. Open one: what may be lost by one unit of a data set, counted by which rule, and "
    "for how long."
)
BELIEVED = (
    "The ledger counts what it is told: who releases without asking it first is not counted. A refund is for runs of "
    "which nobody ever saw an answer."
)
EXAMPLE = "**An example** that cannot be changed: a statistical office's year."


def finding(ledger: Shown, budget: Budget, found: Course) -> str:
    """Return how much is spent, reserved and free, and until when."""
    last = found.frame.iloc[-1]
    limit = f"**ε = {shown_budget(budget.epsilon, last.charged)}**"
    delta = f" at δ = {shown_delta(budget.delta)}" if budget.delta else ""
    until = _until(budget, ledger.now)
    if not last.charged:
        return f"Of {limit}{delta}{until} nothing is spent, and nothing reserved."
    free = f"**{shown_down(found.free)} is free**" if found.free else "**nothing more fits**"
    return (
        f"Of {limit}{delta}{until} **{shown_up(last.spent)} is spent**; with what is reserved it is "
        f"**{shown_total(last.charged, budget.epsilon)}**, and {free}."
    )


def _until(budget: Budget, now: int) -> str:
    if budget.term.kind == LIFETIME:
        return ", for life,"
    if budget.term.kind == ROLLING:
        return f" in {period(budget)}"
    return f" until {day(budget.term.end(now))}"


def title(budget: Budget, found: Course) -> str:
    """Return what the chart shows."""
    spent, planned = float(found.frame.spent.iloc[-1]), found.planned_by_now
    if planned is None or not spent:
        return f"{shown_up(spent)} of {shown_budget(budget.epsilon)} is spent" if spent else "Nothing is spent yet"
    more = "more" if spent > planned else "no more"
    return f"{shown_up(spent)} is spent, {more} than the {shown_up(planned)} that was planned by now"


def counts(ledger: Shown, budget: Budget, found: Course) -> str:
    """Return which number counts, and why."""
    kinds, rule = set(found.frame.kind), record_named(FILTERS, budget.rule).label
    versions = ledger.reserved_by(budget)
    if REQUEST in kinds or GIVE_BACK in kinds:
        what = "something was asked that was not planned" if REQUEST in kinds else "unused lines were given back"
        return (
            f"**What counts is the filter** ({rule}), fixed when the budget was opened, and not the forecast: {what}, "
            "which may depend on answers. A version in force is one request, with its proved total."
        )
    if len(versions) == 1:
        return f"**What counts is the planned composition:** {_proved(versions[0], budget)}"
    if versions:
        return (
            f"**What counts is the filter** ({rule}): {len(versions)} versions came into force one after another, and "
            "a later one may depend on answers of an earlier one. Each is one request, with its proved total."
        )
    return "Nothing counts yet: a version that is taken into force will count with its proved total."


def _proved(version: Entry, budget: Budget) -> str:
    place = [each.budget for each in version.charges].index(budget.number)
    label = theorem_named(version.told["theorems"][place]).label
    charge = version.charges[place]
    total = f"ε = {shown_up(charge.amount.epsilon / 1e6)}" if not charge.amount.unbounded else "its ρ"
    return (
        f"“{escaped(version.told['name'])}” was fixed before its first answer, so that its whole proved total, "
        f"{total} by {label}, was charged at once, and its lines cost nothing new."
    )


def whole(ledger: Shown, budget: Budget) -> str:
    """Return of which versions all that they reserve counts as spent, and why; "" where that is so of none."""
    found = ledger.standing(budget).whole
    if not found:
        return ""
    named = ", ".join(f"“{escaped(each.told['name'])}”" for each in found)
    return f"**All that {named} reserved counts as spent:** {_WHOLE[budget.rule]}"


def lifetime(ledger: Shown, budget: Budget) -> str:
    """Return what stands beside every window: what all of them together may have cost."""
    standing = ledger.standing(budget)
    if not standing.lifetime_epsilon:
        return ""
    cost = "without any bound" if math.isinf(standing.lifetime_epsilon) else (
        f"at most **ε = {shown_up(standing.lifetime_epsilon)}** at δ = {shown_delta(standing.lifetime_delta)}"
    )  # fmt: skip
    return (
        "**Nothing is ever reset:** whoever is in the data of every period, under every budget for this unit, loses "
        f"{cost}, what is reserved included."
    )


def day(at: int) -> str:
    """Return the day of a moment, as people read it.

    Examples
    --------
    >>> day(0)
    '1 January 1970'
    """
    found = datetime.fromtimestamp(at // SECOND, UTC)
    return f"{found.day} {found:%B} {found.year}"


def minute(at: int) -> str:
    """Return a moment in UTC to the minute.

    Examples
    --------
    >>> minute(60_000_000)
    '1970-01-01 00:01'
    """
    return f"{datetime.fromtimestamp(at // SECOND, UTC):%Y-%m-%d %H:%M}"


def about(entry: Entry) -> str:
    """Return what an entry is about."""
    told = entry.told
    if entry.kind == LINE:
        return f"{told['line']}, {told['count']:,} times" if told["count"] > 1 else told["line"]
    if entry.kind == RESERVE:
        return f"{told['name']}, version {told['version'].rpartition('/')[2]}"
    if entry.kind == BUDGET:
        return ", ".join(filter(None, (told["data"], told["unit"], told["epoch"], told["purpose"], told["holder"])))
    return f"entry {told['of']}" if "of" in told else f"{told['count']:,} times" if told["count"] > 1 else ""


def refused(error: Exception) -> str:
    """Return what the database, or the ledger, does not let happen, as one sentence of the page."""
    return escaped(reading.told(refusals.of_database(error, not saving.login_offered())))
