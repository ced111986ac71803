"""The course of one budget: what was spent and what was reserved, moment by moment, as a frame to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from dpviz.decimals import rounded_up
from dpviz.plan import Plan
from dpviz.store.amounts import Amount
from dpviz.store.budgets import Budget
from dpviz.store.entries import BUDGET, GIVE_BACK, LINE, REFUND, REQUEST, RESERVE, Charge, Entry
from dpviz.store.reservations import stays
from dpviz.store.window import Window

if TYPE_CHECKING:
    import pandas

MOST = 400  # rows; beyond, consecutive moments share one
NOW, RENEWED = "now", "window"  # kinds of rows that are no entries


def course(entries: Iterable[Entry], budget: Budget, now: int, most: int = MOST) -> pandas.DataFrame:
    """Compute what one budget was charged by each moment, and how much of that is spent for good.

    Parameters
    ----------
    entries : iterable of Entry
        Of the budget's ledger, in order.
    budget : Budget
        As the ledger opened it.
    now : int
        Until when, in microseconds since 1970, at least until the last entry; the last row.
    most : int
        Rows that entries make: where there are more entries, consecutive moments share a row, at the time of the first
        one, with the most that was spent and charged. At least 1.

    Returns
    -------
    pandas.DataFrame
        One row per moment at which something changed: at (datetime in UTC), entry (its number; 0 for none), kind (of
        the entry; "window" where charges stop to count since the window moves on, "now" for the last row), spent and
        charged (ε by the budget's rule, of the window then, rounded up; inf where the rule has none), delta (charged),
        lifetime_epsilon, lifetime_delta (of all windows until then; see `Budget.lifetime`).

    Notes
    -----
    Charged is the total that the budget is held against. Spent is what could not be given back any more: of a version
    in force what would stay charged if no other line of it ever ran (see `dpviz.store.reservations.given_back`), and
    all that was asked beside. The rest is reserved, or shared out.

    Examples
    --------
    >>> from dpviz.store import Budget, Charge, Entry, Key
    >>> from dpviz.store.entries import FIRST
    >>> budget, half = Budget(Key("census", "person"), 1.0, number=1), Amount(500_000)
    >>> opened = Entry(1, "budget", 0, "A. N.", "2026", "", budget.fields, (), FIRST)
    >>> charge = Charge(1, half, 5, 5, half)
    >>> asked = Entry(2, "request", 5, "A. N.", "run 1", "", {}, (charge,), opened.hash)
    >>> course([opened, asked], budget, 9)[["kind", "spent", "charged"]].values.tolist()
    [['budget', 0.0, 0.0], ['request', 0.5, 0.5], ['now', 0.5, 0.5]]
    """
    import pandas as pd

    mine = list(_concerning(entries, budget))
    now = max([now, *(each.at for each in mine[-1:])])
    rows = _Followed(budget).rows(mine, now, max(1, -(-len(mine) // most)))
    columns = ["at", "entry", "kind", "spent", "charged", "delta", "lifetime_epsilon", "lifetime_delta"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(at=pd.to_datetime(frame["at"], unit="us"))


@dataclass(slots=True)
class _Version:
    """What a version in force was charged, and how often its lines ran."""

    plan: Plan
    charge: Charge
    ran: dict[int, int] = field(default_factory=dict)
    back: Amount | None = None  # given back, once it was
    stays: Amount | None = field(default_factory=Amount)  # None until it is computed anew

    def spent(self, budget: Budget) -> Amount:
        """What would stay charged if no other line of it ever ran."""
        if self.stays is None:
            kept = self.back is None
            self.stays = stays(self.plan, self.ran, self.charge, budget)[0] if kept else self.charge.amount + self.back
        return self.stays


def _concerning(entries: Iterable[Entry], budget: Budget) -> Iterator[Entry]:
    """The entries that open the budget, charge it, or are lines of versions that are in force by it."""
    versions, lines = set(), set()
    for entry in entries:
        charges = any(each.budget == budget.number for each in entry.charges)
        if entry.kind == RESERVE and charges:
            versions.add(entry.number)
        if entry.kind == LINE and entry.told["of"] in versions:
            lines.add(entry.number)
        belongs = entry.number in lines or (entry.kind == REFUND and entry.told["of"] in lines)
        if charges or belongs or (entry.kind == BUDGET and entry.number == budget.number):
            yield entry


@dataclass(slots=True)
class _Followed:
    """A budget whose entries are played anew."""

    budget: Budget
    window: Window = field(default_factory=Window)
    asked: Window = field(default_factory=Window)  # what was not planned
    versions: dict[int, _Version] = field(default_factory=dict)
    lines: dict[int, Entry] = field(default_factory=dict)
    whole: Amount = field(default_factory=Amount)  # of all windows
    first: int | None = None

    def rows(self, entries: list[Entry], now: int, share: int) -> Iterator[tuple]:
        """Yield a row for so many moments each, and the last one."""
        block: list[tuple[int, int, str]] = []
        spent = charged = Amount()
        for at, entry in self._moments(entries, now):
            if entry is not None:
                self._take(entry)
            block.append((at, entry.number if entry else 0, entry.kind if entry else RENEWED))
            charged = _most(charged, self.window.total)
            full = len(block) == share
            if full or block[-1][2] != LINE:  # lines alone only add to what is spent
                spent = _most(spent, self._spent(at))
            if full:
                yield self._row(block[0], spent, charged, at)
                block, spent, charged = [], Amount(), Amount()
        if block:
            yield self._row(block[0], _most(spent, self._spent(block[-1][0])), charged, block[-1][0])
        yield self._row((now, 0, NOW), self._spent(now), self.window.total, now)

    def _moments(self, entries: list[Entry], now: int) -> Iterator[tuple[int, Entry | None]]:
        """Every moment at which something changes; None where charges have stopped to count."""
        for entry in entries:
            yield from self._renewed(entry.at)
            yield entry.at, entry
        yield from self._renewed(now)

    def _renewed(self, until: int) -> Iterator[tuple[int, None]]:
        while self.window.ends:
            end = self.budget.term.end(self.window.ends[0][0])
            if end is None or end >= until:
                break
            self._move(end + 1)
            yield end + 1, None
        self._move(until)

    def _move(self, at: int) -> None:
        for each in (self.window, self.asked):
            each.move(self.budget.term.start(at))

    def _take(self, entry: Entry) -> None:
        """Take in an entry; the windows stand at its time."""
        if entry.kind == LINE:
            self._ran(entry, 1)
        if entry.kind == REFUND and entry.told["of"] in self.lines:
            self._ran(self.lines[entry.told["of"]], -1)
        for charge in entry.charges:
            if charge.budget == self.budget.number:
                self._charge(entry, charge)

    def _ran(self, line: Entry, sign: int) -> None:
        version, row = self.versions[line.told["of"]], line.told["row"]
        self.lines[line.number] = line
        version.ran[row] = version.ran.get(row, 0) + sign * line.told["count"]
        version.stays = None

    def _charge(self, entry: Entry, charge: Charge) -> None:
        self.whole += charge.amount
        self.first = charge.since if self.first is None else min(self.first, charge.since)
        if charge.counts_from(self.budget.term.start(entry.at)):
            self.window.add(charge)
            if entry.kind in (REQUEST, REFUND):
                self.asked.add(charge)
        if entry.kind == RESERVE:
            self.versions[entry.number] = _Version(Plan.from_json(entry.told["plan"]), charge)
        if entry.kind == GIVE_BACK:
            version = self.versions[entry.told["of"]]
            version.back, version.stays = charge.amount, None

    def _spent(self, at: int) -> Amount:
        start = self.budget.term.start(at)
        kept = (each.spent(self.budget) for each in self.versions.values() if each.charge.counts_from(start))
        return sum(kept, self.asked.total)

    def _row(self, moment: tuple[int, int, str], spent: Amount, charged: Amount, at: int) -> tuple:
        epsilon, delta = (0, 0) if self.first is None else self.budget.lifetime(self.first, at, self.whole)
        amounts = self.budget.bound(spent), self.budget.bound(charged), rounded_up(Fraction(charged.delta))
        return *moment, *amounts, rounded_up(Fraction(epsilon)), min(1.0, rounded_up(Fraction(delta)))


def _most(one: Amount, other: Amount) -> Amount:
    """The larger of each of their numbers."""
    return Amount(*map(max, astuple(one), astuple(other)))
