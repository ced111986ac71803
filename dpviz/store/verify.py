"""An exported ledger checked without any database: its hashes, its arithmetic, and that every charge was admitted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from dpviz.filters.filter_file import request_of
from dpviz.plan import Plan
from dpviz.store.amounts import QUANTUM, Amount
from dpviz.store.budgets import KEY, Budget
from dpviz.store.entries import (
    BUDGET,
    FIRST,
    GIVE_BACK,
    KINDS,
    LINE,
    REFUND,
    REQUEST,
    RESERVE,
    VERSION,
    Charge,
    Entry,
    digest,
)
from dpviz.store.reservations import given_back, reserved
from dpviz.store.terms import read
from dpviz.store.window import Window

MOST_FAULTS = 20  # that are told
COMPUTED = 2  # parts in a million by which a total computed numerically may differ between machines


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of a ledger found.

    Parameters
    ----------
    project : str
    entries : int
        How many it has.
    head : str
        The hash of the last one. Who noted it elsewhere sees by it whether entries at the end are missing, or the whole
        ledger was written anew.
    faults : tuple of str
        What is wrong, at most 20 sentences; empty where all holds.
    """

    project: str
    entries: int
    head: str
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def verify(text: str) -> Verification:
    """Check an exported ledger.

    Parameters
    ----------
    text : str
        As `Ledger.export` gives it.

    Returns
    -------
    Verification
        Hashes: every entry has its own, and names that of the one above it. Arithmetic: what each window was charged is
        the sum of the charges in it. Theorem: every charge is at least what its request or plan costs by the rule of
        its budget, every budget that is meant is charged, and none ever went beyond what its filter admits.

    Raises
    ------
    ValueError
        When the text is no ledger, or one of a newer dpviz.

    Examples
    --------
    >>> from dpviz.store.entries import exported
    >>> verify(exported("census", [])).holds
    True
    """
    found = _parsed(text)
    replay, former, faults = _Replay(), FIRST, []
    for number, fields in enumerate(found["entries"], start=1):
        faults += [f"entry {number}: {fault}" for fault in _linked(fields, number, former)]
        former = fields.get("hash", "") if isinstance(fields, dict) else ""
        try:
            faults += [f"entry {number}: {fault}" for fault in replay.play(Entry.of_fields(fields))]
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
            faults.append(f"entry {number} cannot be read ({error!s:.80})")
        if len(faults) >= MOST_FAULTS:
            break
    return Verification(found["project"], len(found["entries"]), former, tuple(faults[:MOST_FAULTS]))


def _parsed(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise ValueError("ledger must be the JSON that an export gives; got text that is none") from None
    version = found.get("dpviz_ledger") if isinstance(found, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise ValueError(f"dpviz_ledger must be at most {VERSION}, what this dpviz reads; got {version}")
    if version != VERSION or not isinstance(found.get("entries"), list) or not isinstance(found.get("project"), str):
        raise ValueError("ledger must be an object of dpviz_ledger, project, quantum and entries, as exports are")
    if found.get("quantum") != QUANTUM:
        raise ValueError(f"quantum must be {json.dumps(QUANTUM)}; got {json.dumps(found.get('quantum')):.90}")
    return found


def _linked(fields: object, number: int, former: str) -> Iterator[str]:
    """What is wrong with the chain at an entry."""
    if not isinstance(fields, dict):
        yield "it is no object"
        return
    if fields.get("number") != number:
        yield f"its number is {fields.get('number')!r:.20}: an entry is missing, or there twice"
    if fields.get("former") != former:
        yield "it does not follow the entry above it"
    if digest({name: value for name, value in fields.items() if name != "hash"}) != fields.get("hash"):
        yield "it was changed after it was written: its hash is another"


@dataclass(slots=True)
class _Replay:
    """A ledger played anew, entry by entry."""

    entries: dict[int, Entry] = field(default_factory=dict)
    budgets: dict[int, Budget] = field(default_factory=dict)
    by_key: dict[tuple[str, ...], list[Budget]] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    plans: dict[int, Plan] = field(default_factory=dict)
    ran: dict[int, dict[int, int]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)  # what was given or taken back
    last: int = 0

    def play(self, entry: Entry) -> Iterator[str]:
        """Yield what is wrong with an entry, and go on as if it were right."""
        if entry.kind not in KINDS:
            yield f"its kind is {entry.kind!r:.20}, which is none"
            return
        if entry.at < self.last:
            yield "it is older than the entry above it"
        if entry.reference in self.references:
            yield "its reference is that of another entry"
        yield from _ASKED[entry.kind](self, entry)
        for charge in entry.charges:
            yield from self._charged(entry, charge)
        self.last = max(self.last, entry.at)
        self.references.add(entry.reference)
        self.entries[entry.number] = entry

    def _charged(self, entry: Entry, charge: Charge) -> Iterator[str]:
        budget = self.budgets.get(charge.budget)
        if budget is None:
            yield f"it charges the budget {charge.budget}, which was not opened"
            return
        window, start = self.windows[charge.budget], budget.term.start(entry.at)
        window.move(start)
        if charge.counts_from(start):
            window.add(charge)
        if charge.total != window.total:
            yield f"what it says that budget {charge.budget} was charged in all is not the sum of the charges"
        if entry.kind not in (REFUND, GIVE_BACK) and (reason := budget.refusal(window.total)):
            yield f"budget {charge.budget} does not admit it: {reason}"

    def _opened(self, entry: Entry) -> Iterator[str]:
        budget = Budget.of_fields(entry.told, entry.number)
        same = self.by_key.setdefault(tuple(entry.told[name] for name in KEY), [])
        if any(each.term == budget.term for each in same):
            yield "there is a budget of its key and term already"
        same.append(budget)
        yield from self._meant(entry, [budget.parent] if budget.parent else [])
        for charge in entry.charges:
            if charge.amount != budget.whole or charge.until is not None:
                yield "the budget that it is shared out of is not charged the whole of it"
        self.budgets[entry.number], self.windows[entry.number] = budget, Window()

    def _reserved(self, entry: Entry) -> Iterator[str]:
        plan = self.plans[entry.number] = Plan.from_json(entry.told["plan"])
        self.ran[entry.number] = {}
        yield from self._meant(entry, [each.number for each in self._of_key(entry.told["key"])])
        for charge, delta in zip(entry.charges, entry.told["deltas"], strict=True):
            if charge.until != read(entry.told["until"]):
                yield "it counts for another time than its version is in force"
            cost, _ = reserved(plan, self.budgets[charge.budget], float(delta))
            yield from _least(charge, cost, COMPUTED if self.budgets[charge.budget].rule != "zcdp" else 0)

    def _ran(self, entry: Entry) -> Iterator[str]:
        yield from self._meant(entry, [])
        of, row, count = (entry.told[name] for name in ("of", "row", "count"))
        plan, ran = self.plans[of], self.ran[of]
        until = read(self.entries[of].told["until"])
        if of in self.gone or (until is not None and entry.at > until):
            yield "its version is not in force any more"
        ran[row] = ran.get(row, 0) + count
        if entry.told["ran"] != ran[row]:
            yield "what it says that its line ran in all is not the sum of the runs"
        if count < 1 or not 0 <= row < len(plan.releases) or ran[row] > plan.releases[row].uses:
            yield "its line has not so many uses in the plan"

    def _requested(self, entry: Entry) -> Iterator[str]:
        asked = [(budget, each) for each in entry.told["asked"] for budget in self._of_key(each["key"])]
        yield from self._meant(entry, [budget.number for budget, _ in asked])
        costs = {budget.number: (budget, request_of(each["request"])) for budget, each in asked}
        for charge in entry.charges:
            if charge.budget in costs:
                budget, request = costs[charge.budget]
                if getattr(request, "relation", None) not in (None, budget.relation):
                    yield f"what it asks does not hold for the relation of budget {charge.budget}"
                yield from _least(charge, Amount.of(budget.filter, request, entry.told["count"]))
            if (charge.since, charge.until) != (entry.at, entry.at):
                yield "it counts at another time than it was written"

    def _refunded(self, entry: Entry) -> Iterator[str]:
        former = self.entries[entry.told["of"]]
        if former.kind not in (LINE, REQUEST) or former.number in self.gone or former.told.get("of") in self.gone:
            yield "what it takes back is no run, or was taken back before"
        if former.kind == LINE:
            ran = self.ran[former.told["of"]]
            ran[former.told["row"]] -= former.told["count"]
            if entry.told["ran"] != ran[former.told["row"]]:
                yield "what it says that its line ran in all is not the sum of the runs"
        self.gone.add(former.number)
        yield from _opposite(entry, {each.budget: (each, -each.amount) for each in former.charges})

    def _given_back(self, entry: Entry) -> Iterator[str]:
        former = self.entries[entry.told["of"]]
        if former.kind != RESERVE or former.number in self.gone:
            yield "what it gives back was not in force"
            return
        self.gone.add(former.number)
        plan, ran = self.plans[former.number], self.ran[former.number]
        back = {each.budget: (each, given_back(plan, ran, each, self.budgets[each.budget])) for each in former.charges}
        yield from _opposite(entry, back)

    def _of_key(self, key: dict[str, str] | None) -> list[Budget]:
        """The budgets of a key; where none is named, of the only one there is."""
        if key is None:
            [found] = self.by_key.values()
            return found
        return self.by_key.get(tuple(key[name] for name in KEY), [])

    def _meant(self, entry: Entry, budgets: list[int]) -> Iterator[str]:
        if sorted(each.budget for each in entry.charges) != sorted(budgets):
            yield "it does not charge each budget that it is about once, and no other"


def _least(charge: Charge, cost: Amount, millionths: int = 0) -> Iterator[str]:
    """What is wrong with a charge that must be at least this cost, but for what is computed numerically."""
    amount = charge.amount
    slack = -(-cost.epsilon * millionths // 1_000_000) + bool(millionths)
    short = amount.epsilon < cost.epsilon - slack or amount.unbounded < cost.unbounded or amount.delta < cost.delta
    own_slack = -(-cost.own * 2 * millionths // 1_000_000) + 2 * bool(millionths) * (cost.epsilon + 1)
    if short or amount.own < cost.own - own_slack:
        yield f"budget {charge.budget} is charged less than it costs"


def _opposite(entry: Entry, back: dict[int, tuple[Charge, Amount]]) -> Iterator[str]:
    """What is wrong with charges that must give back just this, at the time at which it was charged."""
    given = {each.budget: (each.amount, each.since, each.until) for each in entry.charges}
    if given != {number: (amount, each.since, each.until) for number, (each, amount) in back.items()}:
        yield "what it gives back is not what may be given back"


_ASKED = {
    BUDGET: _Replay._opened,
    RESERVE: _Replay._reserved,
    LINE: _Replay._ran,
    REQUEST: _Replay._requested,
    REFUND: _Replay._refunded,
    GIVE_BACK: _Replay._given_back,
}
