"""Records: theorems, rules and other things with a key, kept in tuples and looked up there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from dpviz.parameters import did_you_mean

Entry = TypeVar("Entry")
_MOST_LISTED = 30  # keys in a message


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """What somebody stated, with what it needs and where it stands; subclasses add what computes it.

    Parameters
    ----------
    key, label : str
        Its name in code and for people.
    statement : str
        What it says: LaTeX, but of checks, which are in words.
    assumes : str
        What it needs, or goes by, in words.
    source : str
        Where it stands, with theorem number.
    """

    key: str
    label: str
    statement: str
    assumes: str
    source: str

    def __repr__(self) -> str:
        """How a shell shows it: by its name, not by the functions that compute it."""
        return f"{type(self).__name__}({self.key!r}: {self.label})"


def record_named(records: Iterable[Entry], key: str) -> Entry:
    """Return the record with this key.

    Parameters
    ----------
    records : iterable of records
        At least one, all of one class with a ``key``.
    key : str

    Raises
    ------
    ValueError
        When there is none, with the keys there are; the last word of their class says what they are.

    Examples
    --------
    >>> from dpviz.plan import CADENCES
    >>> record_named(CADENCES, "weekly").days
    7
    >>> record_named(CADENCES, "hourly")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: cadence must be one of once, daily, weekly, ..., yearly; got 'hourly'
    """
    keyed = {record.key: record for record in records}
    if isinstance(key, str) and key in keyed:
        return keyed[key]
    what = re.findall("[A-Z][a-z]+", type(next(iter(keyed.values()))).__name__)[-1].lower()
    few = len(keyed) <= _MOST_LISTED
    allowed = f"one of {', '.join(keyed)}" if few else f"the key of one of {len(keyed)} {what}s"
    meant = did_you_mean(key, {name: getattr(record, "label", "") for name, record in keyed.items()})
    raise ValueError(f"{what} must be {allowed}; got {key!r:.60}{meant}")
