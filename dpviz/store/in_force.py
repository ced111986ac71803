"""Which versions of saved plans are in force, and in whose ledgers: one query for as many plans as are looked at."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from dpviz.store.entries import GIVE_BACK, RESERVE
from dpviz.store.people import seen_by
from dpviz.store.tables import charges, entries, projects
from dpviz.store.terms import read


@dataclass(frozen=True, slots=True)
class InForce:
    """A version that a ledger has taken into force, and whose lines may still run.

    Parameters
    ----------
    version : str
        Its name, as "3f2a9c0d1e5b7a64/2".
    project : str
        The name of the project whose ledger it is.
    entry : int
        The number of the entry that took it into force.
    budgets : tuple of int
        The numbers of the budgets that were charged for it.
    """

    version: str
    project: str
    entry: int
    budgets: tuple[int, ...]

    @property
    def plan(self) -> str:
        """Identifier of its plan."""
        return self.version.partition("/")[0]

    @property
    def number(self) -> int:
        """Its number, from 1."""
        return int(self.version.partition("/")[2])


def in_force(connection: sa.Connection, person: str, plans: Collection[str], now: int) -> tuple[InForce, ...]:
    """Return which versions of these plans are in force, in the projects of this person.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    person : str
    plans : collection of str
        Their identifiers.
    now : int
        In microseconds since 1970.

    Returns
    -------
    tuple of InForce
        By project, then in the order in which they came into force.
    """
    back = entries.alias()
    given_back = sa.exists().where(back.c.project == entries.c.project, back.c.of == entries.c.number,
                                   back.c.kind == GIVE_BACK)  # fmt: skip
    # What an entry tells is JSON without blanks, in which a quotation mark within a text has a backslash before it.
    named = (entries.c.told.contains(f'"version":"{plan}/', autoescape=True) for plan in plans)
    query = (
        seen_by(person)
        .add_columns(entries.c.number, entries.c.told, charges.c.budget)
        .join(entries, entries.c.project == projects.c.id)
        .join(charges, sa.and_(charges.c.project == projects.c.id, charges.c.entry == entries.c.number))
        .where(entries.c.kind == RESERVE, ~given_back, sa.or_(sa.false(), *named))
        .order_by(projects.c.name, entries.c.number, charges.c.budget)
    )
    found: dict[tuple[str, int], InForce] = {}
    for row in connection.execute(query):
        told, place = json.loads(row.told), (row.id, row.number)
        budgets = (*(found[place].budgets if place in found else ()), row.budget)
        each = InForce(told["version"], row.name, row.number, budgets)
        if each.plan in plans and (told["until"] is None or read(told["until"]) >= now):
            found[place] = each
    return tuple(found.values())
