"""Where the budgets of a ledger stand at one moment: what is reserved, spent and free, and what all windows cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from dpviz.decimals import rounded_up
from dpviz.plan import Plan
from dpviz.store.amounts import Amount
from dpviz.store.budgets import Budget
from dpviz.store.entries import GIVE_BACK, REQUEST, RESERVE, Charge, Entry
from dpviz.store.reservations import stays
from dpviz.store.rows import Rows, window_told


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a budget stands at one moment.

    Parameters
    ----------
    budget : Budget
    window : str
        Which stretch of time its amount is for now, in words.
    reserved, requested : Amount
        What plans in force and what was chosen along the way have been charged in this window; with what was shared
        out, they are the total.
    total : Amount
        What the window has been charged.
    spent : Amount
        What of it could not be given back any more: all that was asked beside plans, and of each version in force what
        stays charged if no other line of it ever runs.
    whole : tuple of Entry
        The versions in force of which lines ran, and of which nothing can be given back any more by the budget's rule:
        all that they reserve counts as spent.
    epsilon : float
        The ε of that total by the budget's rule, rounded up. It is no promise while one may still ask, but under the
        basic rule: the budget is.
    lifetime_epsilon, lifetime_delta : float
        What all windows, and all epochs of the same key, may have cost together somebody who was in the data in all of
        them: nothing is ever reset. By basic composition, which holds for what was chosen along the way, too: of all
        charges, or of the budgets of as many windows as there were, whichever is less.
    """

    budget: Budget
    window: str
    reserved: Amount
    requested: Amount
    total: Amount
    spent: Amount
    whole: tuple[Entry, ...]
    epsilon: float
    lifetime_epsilon: float
    lifetime_delta: float


@dataclass(frozen=True, slots=True)
class _Version:
    """A version whose unused lines were not given back."""

    entry: Entry
    plan: Plan
    ran: dict[int, int]

    def charged(self, budget: Budget, now: int) -> Charge | None:
        """What it was charged to this window of a budget; None where it was not."""
        charge = next((each for each in self.entry.charges if each.budget == budget.number), None)
        return charge if charge and charge.counts_from(budget.term.start(now)) else None


def standings(rows: Rows, now: int) -> tuple[Standing, ...]:
    """Return where every budget of a ledger stands, in the order in which they were opened."""
    gone = {each.told["of"] for each in rows.of_kind(GIVE_BACK)}
    versions = [
        _Version(each, Plan.from_json(each.told["plan"]), rows.ran(each.number))
        for each in rows.of_kind(RESERVE)
        if each.number not in gone
    ]
    lives = {each: rows.lifetime(each, now) for each in rows.budgets()}
    return tuple(_standing(rows, each, now, versions, _life(each, lives)) for each in lives)


def _standing(rows: Rows, budget: Budget, now: int, versions: list[_Version], life: tuple[float, float]) -> Standing:
    total, kinds = rows.spent(budget, now), rows.by_kind(budget, now)
    reserved, requested = (kinds.get(kind, Amount()) for kind in (RESERVE, REQUEST))
    spent, whole = reserved + requested, []
    for each in versions:
        if (charge := each.charged(budget, now)) is not None:
            kept, reason = stays(each.plan, each.ran, charge, budget)
            spent += kept + -charge.amount
            whole += [each.entry] if reason else []
    told = budget, window_told(budget.term, now), reserved, requested, total, spent, tuple(whole)
    return Standing(*told, budget.bound(total), *life)


def _life(budget: Budget, lives: dict[Budget, tuple[Fraction, Fraction]]) -> tuple[float, float]:
    """What all windows and epochs of its key may have cost, rounded up."""
    best: dict[str, tuple[Fraction, Fraction]] = {}
    for each, pair in lives.items():
        if replace(each.key, epoch="") == replace(budget.key, epoch=""):
            best[each.key.epoch] = min(best.get(each.key.epoch, pair), pair)
    epsilons, deltas = (sum(column, Fraction(0)) for column in zip(*best.values(), strict=True))
    return rounded_up(epsilons), min(1.0, rounded_up(deltas))
