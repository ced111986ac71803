"""What the page of ledgers shows of one, read once for each state of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.planning.schedule import forecast, release_dates
from dpviz.store import Budget, Entry, course
from dpviz.store.database import microseconds
from dpviz.store.entries import GIVE_BACK, RESERVE, listed
from dpviz.store.terms import CALENDAR, FIXED, SECOND, moment, written
from dpviz.ui.ledger import asked as asks
from dpviz.ui.ledger import example
from dpviz.ui.ledger.asked import Question
from dpviz.ui.shell.kept import kept

if TYPE_CHECKING:
    from dpviz.store import Ledger, Standing

MINUTE = 60 * SECOND
MOST_ENDS = 100  # of periods that are looked at


@dataclass(frozen=True)
class Course:
    """What one budget was charged over time.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.store.course` returns it.
    planned : pandas.DataFrame or None
        The forecast of the version taken into force last, where its releases have dates.
    version : Entry or None
        That version.
    free : float
        The largest ε that could still be asked, at δ = 0.
    ends : tuple of str
        ISO 8601 in UTC, of the periods that have begun since the first entry.
    """

    frame: pd.DataFrame
    planned: pd.DataFrame | None
    version: Entry | None
    free: float
    ends: tuple[str, ...]

    @property
    def planned_by_now(self) -> float | None:
        """ε that the forecast has by now; None where there is none."""
        if self.planned is None:
            return None
        by = self.planned[self.planned["date"] <= self.frame["at"].iloc[-1]]
        return float(by.epsilon.iloc[-1]) if len(by) else 0.0


@dataclass(frozen=True)
class Shown:
    """A ledger as it is at one moment.

    Parameters
    ----------
    project : str
    role : str
        Of whoever asks.
    entries : tuple of Entry
    standings : tuple of Standing
        Of every budget, in the order in which they were opened.
    in_force : tuple of Entry
        The versions whose lines may still run.
    left : tuple of dict
        How many uses each of their lines has left.
    now : int
        In microseconds since 1970.
    export : str
        The whole as JSON where it is the example; "" for one that is kept.
    """

    project: str
    role: str
    entries: tuple[Entry, ...]
    standings: tuple[Standing, ...]
    in_force: tuple[Entry, ...]
    left: tuple[dict[str, int], ...]
    now: int
    export: str = ""
    _courses: dict[int, Course] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """All budgets."""
        return tuple(each.budget for each in self.standings)

    def standing(self, budget: Budget) -> Standing:
        """Where a budget stands."""
        return next(each for each in self.standings if each.budget == budget)

    def reserved_by(self, budget: Budget) -> tuple[Entry, ...]:
        """The versions that were ever taken into force by this budget."""
        return tuple(each for each in self.entries if each.kind == RESERVE and _charges(each, budget))

    def over_time(self, budget: Budget) -> Course:
        """What a budget was charged over time; computed once."""
        if budget.number not in self._courses:
            version = (*[None], *self.reserved_by(budget))[-1]
            frame, total = course(self.entries, budget, self.now), self.standing(budget).total
            opened = next(each.at for each in self.entries if each.number == budget.number)
            ends = _ends(budget, opened, self.now)
            found = Course(frame, _planned(version, budget), version, budget.free(total), ends)
            self._courses[budget.number] = found
        return self._courses[budget.number]

    def given_back(self) -> frozenset[int]:
        """Numbers of the versions whose unused lines were given back."""
        return frozenset(each.told["of"] for each in self.entries if each.kind == GIVE_BACK)


def _charges(entry: Entry, budget: Budget) -> bool:
    return any(each.budget == budget.number for each in entry.charges)


def shown(asked: Question) -> Shown:
    """Return the ledger that is asked for: kept until somebody writes to it, and for a minute at most."""
    if asked.project is None:
        return _example()
    ledger = asks.database().ledger(asked.project.name, asked.person)
    return _kept(asked.project.name, asked.person, asked.project.role, *ledger.head(), microseconds() // MINUTE)


@kept(1, 1, shared=True)
def _example() -> Shown:
    with example.ledger() as ledger:
        return _read(ledger, moment(example.NOW), ledger.export())


@kept(2, 20, shared=True)
def _kept(project: str, person: str, role: str, number: int, hash: str, minute: int) -> Shown:
    """Each argument but the first two tells one state from another."""
    return _read(asks.database().ledger(project, person), microseconds(), "")


def _read(ledger: Ledger, now: int, export: str) -> Shown:
    at = None if not export else example.NOW
    in_force = ledger.in_force(at)
    left = tuple(map(ledger.left, in_force))
    standings = ledger.standings(at)
    return Shown(ledger.project.name, ledger.project.role, ledger.entries(), standings, in_force, left, now, export)


def listed_entries(ledger: Shown) -> pd.DataFrame:
    """Return all entries as a table with exact values, a row per charge."""
    return listed(ledger.entries)


@kept(32, 2)
def _forecast(plan: Plan) -> pd.DataFrame:
    return forecast(plan)


def _planned(version: Entry | None, budget: Budget) -> pd.DataFrame | None:
    """The forecast of a version at the δ at which it was taken into force; None where nothing of it has a date."""
    if version is None:
        return None
    plan = Plan.from_json(version.told["plan"])
    if not len(release_dates(plan)):
        return None
    place = [each.budget for each in version.charges].index(budget.number)
    delta = float(version.told["deltas"][place]) or plan.budget.delta
    return _forecast(replace(plan, budget=Guarantee(plan.budget.epsilon, delta)))


def _ends(budget: Budget, first: int, now: int) -> tuple[str, ...]:
    """When the periods end that have begun since the first entry; the latest ones where there are many."""
    if budget.term.kind not in (FIXED, CALENDAR):
        return ()
    found = [budget.term.end(now) + 1]
    while len(found) < MOST_ENDS and (start := budget.term.start(found[-1] - 1)) > first:
        found.append(start)
    return tuple(written(each)[:19] for each in reversed(found))
