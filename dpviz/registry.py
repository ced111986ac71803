"""Looking up a record by its key: every registry is a tuple of records with keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Record = TypeVar("Record")


def record_named(records: Iterable[Record], key: str, what: str) -> Record:
    """Return the record with this key.

    Parameters
    ----------
    records : iterable of records
        Each with a ``key``.
    key : str
    what : str
        What the records are, for the message.

    Raises
    ------
    ValueError
        When there is none, with the keys there are.

    Examples
    --------
    >>> from dpviz.plan import CADENCES
    >>> record_named(CADENCES, "weekly", "cadence").days
    7
    """
    keyed = {record.key: record for record in records}
    if isinstance(key, str) and key in keyed:
        return keyed[key]
    raise ValueError(f"{what} must be one of {', '.join(keyed)}; got {key!r:.60}")
