"""The example of the page of ledgers: a statistical office's year until September, kept in no database."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.plan import Document, Plan, Release
from dpviz.planning.schedule import release_dates
from dpviz.planning.schedule.calendar import uses_until
from dpviz.store import Database, Key
from dpviz.store.terms import Term, moment
from dpviz.ui.shell.examples import plan_of

if TYPE_CHECKING:
    from dpviz.store import Ledger

NAME, PLAN = "Statistical office", "statistics-office"
NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)  # written out, not today: everybody sees the same
COUNCIL = 3  # the month after whose figures the council asked for more


def at(month: int, day: int, hour: int = 9) -> datetime:
    """Return a moment of the example's year."""
    return datetime(2026, month, day, hour, tzinfo=UTC)


@contextmanager
def ledger() -> Iterator[Ledger]:
    """Yield the example, in a database that is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="dpviz-example-") as folder,
        closing(Database(f"{folder}/example.db", lambda: moment(at(1, 5)))) as database,
    ):
        yield _filled(database)


def _filled(database: Database) -> Ledger:
    database.projects().create(NAME)
    ledger, key, plan = database.ledger(NAME), Key("Household survey", "person-year"), _plan()
    year = Term.of_calendar("year")
    ledger.open_budget(key, 3.0, 1e-6, term=year, relation="replace_one", reference="budget", at=at(1, 5))
    version = database.plans().save(Document(plan, "Year 2026"))
    ledger.take_into_force(version, reference="plan 2026", at=at(1, 9))
    for day in release_dates(plan):
        when = datetime.combine(day.item(), time(10), UTC)
        if when > NOW:
            break
        for line, count in _due(plan, day):
            ledger.spend(line.name, count=count, reference=f"{day} {line.name}", at=when)
        if when.month == COUNCIL:
            note = "asked by the council, after the March figures"
            ledger.spend(asked=Guarantee(0.3), reference="council 1", note=note, at=at(COUNCIL + 1, 12))
    ledger.spend(asked=Guarantee(0.2), reference="council 2", note="asked by the council", at=at(9, 16))
    told = {"reference": "refund of council 2", "note": "the job broke off before any answer"}
    ledger.refund("council 2", **told, at=at(9, 17))
    return ledger


def _plan() -> Plan:
    """What of the office's plan has an epsilon of its own, so that the basic rule adds it up line by line."""
    plan = plan_of(PLAN)
    return replace(plan, releases=tuple(each for each in plan.releases if each.mechanism.stated is not None))


def _due(plan: Plan, day: np.datetime64) -> Iterator[tuple[Release, int]]:
    """What is released on a day, and how often."""
    for line in plan.releases:
        before, by = uses_until(line, np.array([day - np.timedelta64(1, "D"), day]))
        if by > before:
            yield line, int(by - before)
