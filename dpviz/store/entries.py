"""The rows of a ledger: what happened, what each budget was charged for it, and the hash that chains it to the last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from dpviz.store.amounts import EPSILON_DIGITS, OWN_DIGITS, QUANTUM, Amount, plain
from dpviz.store.terms import read, written

if TYPE_CHECKING:
    import pandas

VERSION = 1
BUDGET, RESERVE, LINE, REQUEST, REFUND, GIVE_BACK = KINDS = (
    "budget", "reserve", "line", "request", "refund", "give back",
)  # fmt: skip
"""A budget is opened; a version is taken into force; one of its lines runs; something that was not planned runs; a run
that did not happen is taken back; the lines that will not run are given back."""
FIRST = "0" * 64  # what stands for the hash before the first entry


@dataclass(frozen=True, slots=True)
class Charge:
    """What an entry changes of one budget.

    Parameters
    ----------
    budget : int
        Number of the entry that opened it.
    amount : Amount
        Negative for what is taken or given back.
    since, until : int
        The first and the last moment at which what it pays for may happen, in microseconds; `until` None is for ever.
        It counts in every window that holds one of them.
    total : Amount
        What the window has been charged with it.

    Examples
    --------
    >>> Charge(1, Amount(5), 0, None, Amount(5)).fields["total"]["epsilon"]
    5
    """

    budget: int
    amount: Amount
    since: int
    until: int | None
    total: Amount

    @property
    def fields(self) -> dict[str, object]:
        """What files hold of it."""
        times = {"since": written(self.since), "until": written(self.until)}
        return {"budget": self.budget, **self.amount.fields, **times, "total": self.total.fields}

    @classmethod
    def of_fields(cls, fields: dict[str, object]) -> Charge:
        """Read what `fields` gives."""
        amount, total = Amount.of_fields(fields), Amount.of_fields(fields["total"])
        return cls(fields["budget"], amount, read(fields["since"]), read(fields["until"]), total)

    def counts_from(self, start: int | None) -> bool:
        """Say whether it counts in a window that begins then; None for a lifetime."""
        return start is None or self.until is None or self.until >= start


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a ledger, never changed.

    Parameters
    ----------
    number : int
        Its place, from 1.
    kind : str
        One of `KINDS`.
    at : int
        When it was written, in microseconds since 1970; never before the entry above it.
    by : str
        Who wrote it.
    reference : str
        What the writer calls it: what is written again with the same reference is the same entry.
    note : str
        In words.
    told : dict
        What it is about, by kind: terms of a budget, plan of a version, line, request.
    charges : tuple of Charge
    former : str
        The hash of the entry above it.

    Examples
    --------
    >>> from dpviz.store.entries import FIRST
    >>> entry = Entry(1, "line", 0, "A. N.", "run-1", "", {"of": 1}, (), FIRST)
    >>> len(entry.hash), Entry.of_fields(entry.fields) == entry
    (64, True)
    """

    number: int
    kind: str
    at: int
    by: str
    reference: str
    note: str
    told: dict[str, object]
    charges: tuple[Charge, ...]
    former: str

    @property
    def fields(self) -> dict[str, object]:
        """What files hold of it, but for its hash."""
        head = {"number": self.number, "kind": self.kind, "at": written(self.at), "by": self.by}
        rest = {"reference": self.reference, "note": self.note, "told": self.told}
        return {**head, **rest, "charges": [each.fields for each in self.charges], "former": self.former}

    @property
    def hash(self) -> str:
        """SHA-256 of all it holds, the hash of the entry above it included."""
        return digest(self.fields)

    @classmethod
    def of_fields(cls, fields: dict[str, object]) -> Entry:
        """Read what `fields` gives."""
        charges = tuple(Charge.of_fields(each) for each in fields["charges"])
        names = ("by", "reference", "note", "told")
        head = fields["number"], fields["kind"], read(fields["at"])
        return cls(*head, *(fields[name] for name in names), charges, fields["former"])


def listed(entries: Iterable[Entry]) -> pandas.DataFrame:
    """Return entries as a table with a row per charge, and one for each entry without any.

    Returns
    -------
    pandas.DataFrame
        number, at (ISO 8601, UTC), by, kind, reference, note, line, count (of what runs), budget (its number; 0 where
        nothing is charged), epsilon, delta, own (ρ or ε², as the rule sums it), total_epsilon, total_delta, total_own
        (of the window then), hash. Amounts are decimal text, exact: they were rounded up when they were charged; an ε
        that a request does not have is "".

    Examples
    --------
    >>> charge = Charge(1, Amount(5), 0, None, Amount(5))
    >>> entry = Entry(2, "request", 0, "A. N.", "run-1", "", {"count": 1}, (charge,), FIRST)
    >>> listed([entry])[["number", "budget", "epsilon", "total_epsilon"]].values.tolist()
    [[2, 1, '0.000005', '0.000005']]
    """
    import pandas as pd

    columns = ["number", "at", "by", "kind", "reference", "note", "line", "count", "budget"]
    columns += [f"{total}{each}" for total in ("", "total_") for each in ("epsilon", "delta", "own")]
    rows = []
    for each in entries:
        head = [each.number, written(each.at), each.by, each.kind, each.reference, each.note]
        head += [each.told.get("line", ""), each.told.get("count", "")]
        charges = [(charge.budget, *_exact(charge.amount), *_exact(charge.total)) for charge in each.charges]
        rows += [(*head, *charge, each.hash) for charge in charges or [(0, *[""] * 6)]]
    return pd.DataFrame(rows, columns=[*columns, "hash"])


def _exact(amount: Amount) -> tuple[str, str, str]:
    """ε, δ, and the rule's own sum, as decimal text."""
    epsilon, own = Decimal(amount.epsilon).scaleb(-EPSILON_DIGITS), Decimal(amount.own).scaleb(-OWN_DIGITS)
    return "" if amount.unbounded else f"{plain(epsilon):f}", f"{amount.delta:f}", f"{plain(own):f}"


def digest(fields: dict[str, object]) -> str:
    """Return the SHA-256 of fields, written in the one way that the keys sorted and no blanks leave.

    Examples
    --------
    >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical(fields).encode("ascii")).hexdigest()


def canonical(value: object) -> str:
    r"""Return JSON that is the same text for equal values.

    Examples
    --------
    >>> canonical({"b": "δ", "a": [1]})
    '{"a":[1],"b":"\\u03b4"}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def exported(project: str, entries: Iterable[tuple[Entry, str]]) -> str:
    r"""Return a ledger as JSON text, one line per entry.

    Parameters
    ----------
    project : str
    entries : iterable of (Entry, str)
        Each with the hash that was written with it.

    Examples
    --------
    >>> exported("census", [])
    '{"dpviz_ledger": 1, "project": "census", "quantum": {"epsilon": "1e-6", ...}, "entries": [\n]}\n'
    """
    head = {"dpviz_ledger": VERSION, "project": project, "quantum": QUANTUM}
    rows = ",\n".join(json.dumps({**each.fields, "hash": hash}, ensure_ascii=False) for each, hash in entries)
    end = "\n" if rows else ""
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "entries": [\n{rows}{end}]}}\n'
