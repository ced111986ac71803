"""The rows of one project's ledger in the database: read, added up window by window, and only ever added to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import sqlalchemy as sa

from dpviz.filters.tally import EXACT
from dpviz.rounding import shown_down
from dpviz.store.amounts import Amount
from dpviz.store.budgets import KEY, Budget, Key
from dpviz.store.entries import BUDGET, FIRST, GIVE_BACK, LINE, REFUND, REQUEST, RESERVE, Charge, Entry, canonical
from dpviz.store.tables import budgets, charges, entries, projects
from dpviz.store.terms import LIFETIME, Term, written

_BLOCK = 5_000  # rows read at once
_HALF = 1_000_000


class Damaged(ValueError):
    """What the ledger holds is not what was written: it takes nothing more until somebody has looked at it."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The ledger of a project as one connection sees it.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    project : str
        Its identifier.
    """

    connection: sa.Connection
    project: str
    _looked_at: dict[int, Entry] = field(default_factory=dict, repr=False, compare=False)
    _last: list[tuple[int, int, str]] = field(default_factory=list, repr=False, compare=False)  # once it was asked for

    def lock(self) -> None:
        """Let nobody else write to this ledger until the transaction ends; what was read before is read anew."""
        self._last.clear()
        self._looked_at.clear()
        self.connection.execute(sa.select(projects.c.id).where(projects.c.id == self.project).with_for_update())

    def last(self) -> tuple[int, int, str]:
        """Return number, time and hash of the last entry; of none, 0, 0 and `FIRST`.

        Raises
        ------
        Damaged
            When that entry is not what was written.
        """
        if not self._last:
            query = sa.select(sa.func.max(entries.c.number)).where(entries.c.project == self.project)
            number = self.connection.execute(query).scalar()
            entry = None if number is None else self._unchanged(number)
            self._last.append((0, 0, FIRST) if entry is None else (number, entry.at, entry.hash))
        return self._last[0]

    def all(self) -> Iterator[tuple[Entry, str]]:
        """Yield every entry with the hash that was written with it, in order."""
        after = 0
        while block := self._entries(entries.c.number > after, limit=_BLOCK):
            yield from block
            after = block[-1][0].number

    def entry(self, number: int) -> Entry | None:
        """Return the entry of this number; None where there is none."""
        return next((entry for entry, _ in self._entries(entries.c.number == number)), None)

    def referred(self, reference: str) -> Entry | None:
        """Return the entry with this reference; None where there is none."""
        return next((entry for entry, _ in self._entries(entries.c.reference == reference)), None)

    def of(self, number: int, *kinds: str) -> list[Entry]:
        """Return the entries of these kinds that belong to the one with this number."""
        return [entry for entry, _ in self._entries(entries.c.of == number, entries.c.kind.in_(kinds))]

    def of_kind(self, kind: str) -> list[Entry]:
        """Return all entries of a kind, in order."""
        return [entry for entry, _ in self._entries(entries.c.kind == kind)]

    def ran(self, reservation: int) -> dict[int, int]:
        """Return how often each line of a version ran, by its row, runs that did not happen left out."""
        query = (
            sa.select(entries.c.line, sa.func.sum(entries.c.uses))
            .where(entries.c.project == self.project, entries.c.version == reservation)
            .group_by(entries.c.line)
        )
        return {line: int(uses) for line, uses in self.connection.execute(query)}

    def ran_line(self, reservation: int, line: int) -> int:
        """Return how often one line of a version ran, as its last entry has it: however many there are."""
        here = entries.c.project == self.project, entries.c.version == reservation, entries.c.line == line
        query = sa.select(entries.c.told).where(*here).order_by(entries.c.number.desc()).limit(1)
        told = self.connection.execute(query).scalar()
        return 0 if told is None else json.loads(told)["ran"]

    def _line(self, entry: Entry) -> dict[str, int]:
        """What the table adds up of a line that ran, or that is taken back."""
        sign, ran = (-1, self.entry(entry.told["of"])) if entry.kind == REFUND else (1, entry)
        if ran is None or ran.kind != LINE:
            return {}
        return {"version": ran.told["of"], "line": ran.told["row"], "uses": sign * ran.told["count"]}

    def budgets(self, key: Key | None = None) -> list[Budget]:
        """Return the budgets of a key, or all, in the order in which they were opened."""
        query = sa.select(entries.c.number, entries.c.told).where(
            entries.c.project == self.project, budgets.c.project == self.project, entries.c.number == budgets.c.number
        )
        if key is not None:
            query = query.where(*(budgets.c[name] == getattr(key, name) for name in KEY))
        rows = self.connection.execute(query.order_by(budgets.c.number))  # the few, not all entries in order
        return [Budget.of_fields(json.loads(row.told), row.number) for row in rows]

    def spent(self, budget: Budget, at: int) -> Amount:
        """Return what a budget has been charged in the window of this moment."""
        last = self._last_charge(budget.number)
        if last is None:
            return Amount()
        before, start = budget.term.start(last[0]), budget.term.start(at)
        if before is None or before == start:
            return last[1]
        gone = self._by_kind(budget.number, charges.c.until >= before, charges.c.until < start)
        return last[1] + -sum(gone.values(), Amount())

    def lifetime(self, budget: Budget, at: int) -> tuple[Fraction, Fraction]:
        """Return what `Budget.lifetime` says of all that was charged until now."""
        query = sa.select(sa.func.min(charges.c.since)).where(
            charges.c.project == self.project, charges.c.budget == budget.number
        )
        first = self.connection.execute(query).scalar()
        if first is None:
            return Fraction(0), Fraction(0)
        return budget.lifetime(first, at, sum(self._by_kind(budget.number).values(), Amount()))

    def _last_charge(self, budget: int) -> tuple[int, Amount] | None:
        """When a budget was charged last, and the total of that window; its entry must be what was written."""
        query = sa.select(sa.func.max(charges.c.entry)).where(
            charges.c.project == self.project, charges.c.budget == budget
        )
        number = self.connection.execute(query).scalar()
        if number is None:
            return None
        entry = self._unchanged(number)
        return entry.at, next(each.total for each in entry.charges if each.budget == budget)

    def _unchanged(self, number: int) -> Entry:
        if number not in self._looked_at:
            [(entry, hash)] = self._entries(entries.c.number == number)
            if entry.hash != hash:
                raise Damaged(f"entry {number} of the ledger was changed after it was written: export it and look")
            self._looked_at[number] = entry
        return self._looked_at[number]

    def by_kind(self, budget: Budget, at: int) -> dict[str, Amount]:
        """Return what a budget was charged in the window of this moment, by the kind of what it was charged for."""
        start = budget.term.start(at)
        inside = sa.true() if start is None else sa.or_(charges.c.until >= start, charges.c.until.is_(None))
        return self._by_kind(budget.number, inside)

    def _by_kind(self, budget: int, *where: sa.ColumnElement[bool]) -> dict[str, Amount]:
        """What a budget was charged, what was taken or given back included; added up by the database."""
        own = charges.c.own  # in two halves: all windows together may be more than 64 bits hold
        sums = (sa.func.sum(each) for each in (charges.c.epsilon, charges.c.unbounded, own // _HALF, own % _HALF))
        query = (
            sa.select(entries.c.kind, charges.c.delta, sa.func.count(), *sums)
            .join(entries, sa.and_(charges.c.project == entries.c.project, charges.c.entry == entries.c.number))
            .where(charges.c.project == self.project, charges.c.budget == budget, *where)
            .group_by(entries.c.kind, charges.c.delta)
        )
        found: dict[str, Amount] = {}
        for kind, delta, count, epsilon, unbounded, high, low in self.connection.execute(query):
            whole = int(epsilon), int(unbounded), int(high) * _HALF + int(low)
            kind = {REFUND: REQUEST, GIVE_BACK: RESERVE}.get(kind, kind)
            found[kind] = found.get(kind, Amount()) + Amount(*whole, EXACT.multiply(Decimal(delta), count))
        return found

    def append(self, entry: Entry) -> None:
        """Add an entry with its charges, and the budget that it opens."""
        told, head = canonical(entry.told), {"project": self.project, "number": entry.number}
        row = {name: getattr(entry, name) for name in ("kind", "at", "by", "reference", "note", "former", "hash")}
        row |= {"of": entry.told.get("of"), "told": told, **self._line(entry)}
        self.connection.execute(entries.insert().values({**head, **row}))
        if entry.kind == BUDGET:
            key = {name: entry.told[name] for name in (*KEY, "term")}
            self.connection.execute(budgets.insert().values({**head, **key}))
        if entry.charges:
            rows = [_row(self.project, entry.number, each) for each in entry.charges]
            self.connection.execute(charges.insert(), rows)
        self._last[:] = [(entry.number, entry.at, entry.hash)]

    def _entries(self, *where: sa.ColumnElement[bool], limit: int | None = None) -> list[tuple[Entry, str]]:
        here = entries.c.project == self.project, *where
        query = sa.select(entries).where(*here)
        if limit is not None:
            query = query.order_by(entries.c.number).limit(limit)
        # Else ordered here: to have them in order, SQLite would read all entries, and not those of an index alone.
        rows = sorted(self.connection.execute(query), key=lambda row: row.number)
        charged = self._charges([row.number for row in rows])
        return [(_entry(row, charged.get(row.number, ())), row.hash) for row in rows]

    def _charges(self, numbers: list[int]) -> dict[int, tuple[Charge, ...]]:
        if not numbers:
            return {}
        query = sa.select(charges).where(
            charges.c.project == self.project, charges.c.entry.between(numbers[0], numbers[-1])
        )
        found: dict[int, tuple[Charge, ...]] = {}
        for row in self.connection.execute(query.order_by(charges.c.entry, charges.c.budget)):
            found[row.entry] = (*found.get(row.entry, ()), _charge(row))
        return found


def _entry(row: sa.Row, charged: tuple[Charge, ...]) -> Entry:
    try:
        told = json.loads(row.told)
    except ValueError:
        raise Damaged(f"entry {row.number} of the ledger cannot be read: it was changed after it was written") from None
    return Entry(row.number, row.kind, row.at, row.by, row.reference, row.note, told, charged, row.former)


def _charge(row: sa.Row) -> Charge:
    amount = Amount(row.epsilon, row.unbounded, row.own, Decimal(row.delta))
    total = Amount(row.total_epsilon, row.total_unbounded, row.total_own, Decimal(row.total_delta))
    return Charge(row.budget, amount, row.since, row.until, total)


def _row(project: str, entry: int, charge: Charge) -> dict[str, object]:
    total = {f"total_{name}": value for name, value in charge.total.fields.items()}
    times = {"since": charge.since, "until": charge.until}
    return {"project": project, "budget": charge.budget, "entry": entry, **charge.amount.fields, **times, **total}


class Refused(ValueError):
    """A budget does not admit what was asked; nothing was written.

    Parameters
    ----------
    reasons : tuple of (Budget, str)
        Every budget that refuses, and why.
    """

    def __init__(self, reasons: Iterable[tuple[Budget, str]]) -> None:
        self.reasons = tuple(reasons)
        told = "; ".join(f"the budget of {each.key} ({each.term}): {why}" for each, why in self.reasons)
        super().__init__(f"refused, and nothing was charged: {told}")


def charged(rows: Rows, asked: list[tuple[Budget, Amount, int | None]], at: int) -> tuple[Charge, ...]:
    """Return the charges of what is asked of several budgets: all are checked, then all are charged.

    Parameters
    ----------
    rows : Rows
        Locked.
    asked : list of (Budget, Amount, int or None)
        Each budget once, what it is charged, and until when that may happen; None for ever.
    at : int
        Now.

    Raises
    ------
    Refused
        When one of them refuses. Nothing depends on data: neither what is asked nor what was charged does.
    """
    made, refused = [], []
    for budget, amount, until in sorted(asked, key=lambda each: each[0].number):
        before = rows.spent(budget, at)
        total = before + amount
        if reason := budget.refusal(total):
            other = "at δ = 0 " if amount.delta else ""
            refused.append((budget, f"{reason}; {other}up to ε = {shown_down(budget.free(before), 6)} is free"))
        made.append(Charge(budget.number, amount, at, until, total))
    if refused:
        raise Refused(refused)
    return tuple(made)


def returned(rows: Rows, former: Iterable[tuple[Budget, Charge, Amount]], at: int) -> tuple[Charge, ...]:
    """Return the charges that give something back: they count where what they give back counts, and nowhere else."""
    made = []
    for budget, charge, amount in former:
        total = rows.spent(budget, at)
        start = budget.term.start(at)
        total = total + amount if charge.counts_from(start) else total
        made.append(Charge(budget.number, amount, charge.since, charge.until, total))
    return tuple(made)


def window_told(term: Term, at: int) -> str:
    """Return the window of a moment in words.

    Examples
    --------
    >>> window_told(Term(), 0), window_told(Term.of_calendar("year"), 0)
    ('for ever', '1970-01-01T00:00:00 to 1970-12-31T23:59:59')
    """
    if term.kind == LIFETIME:
        return "for ever"
    return f"{written(term.start(at))[:19]} to {written(term.end(at))[:19]}"
