"""Small worlds of a few records: how many neighbouring steps two of them are apart, by definition alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from dpviz.planning import Difference

PEOPLE, THINGS, DAYS = 3, 2, range(9)
HOURS = [24 * day + hour for day in DAYS for hour in (1, 11, 20)]
MONTHS = np.cumsum([0, 31, 28, 31])
PERIODS = {
    "": lambda hour: 0,
    "day": lambda hour: hour // 24,
    "night": lambda hour: (hour + 12) // 24,
    "week": lambda hour: hour // 24 // 7,
    "2 days": lambda hour: hour // 24 // 2,
    "12 hours": lambda hour: hour // 12,
    "36 hours": lambda hour: (hour + 6) // 36,
    "month": lambda hour: int(np.searchsorted(MONTHS, hour // 24 + 25, "right")),
}


@dataclass(frozen=True)
class Slot:
    """Where a record may be: whose, on which thing, and when; two people make a household."""

    person: int
    thing: int
    hour: int

    def unit(self, kind: str, period: str) -> tuple:
        """Which unit of privacy holds it."""
        of = {"person": self.person, "group": self.person // 2, "thing": self.thing, "event": self}[kind]
        return of, PERIODS[period](self.hour)


ALL = tuple(Slot(*each) for each in product(range(PEOPLE), range(THINGS), HOURS))
# Where else a unit may hold records: beyond both ends of every period that the others lie in.
WIDE = (*ALL, *(Slot(who, 0, 24 * day + 1) for who in range(PEOPLE) for day in (*range(-14, 0), *range(9, 40))))
# Close to each other, so that they share people, things, days and weeks, and lie on both sides of their ends.
NEAR = tuple(each for each in ALL if each.person < 2 and each.hour // 24 in (0, 1, 6, 7))


class World:
    """Every table over a few slots, each of them empty or with one of two values, and how far they are apart."""

    def __init__(self, slots: list[Slot], kind: str, period: str, relation: str) -> None:
        self.slots, self.kind, self.period, self.relation = slots, kind, period, relation
        self.tables = np.array(list(product(range(3), repeat=len(slots))))
        self.units = [each.unit(kind, period) for each in slots]
        self.differ = self.tables[:, None] != self.tables
        self.apart = self._apart()

    def _apart(self) -> np.ndarray:
        """The least number of neighbouring steps between every two tables; inf where none lead there."""
        step = np.zeros(self.differ.shape[:2], bool)
        for unit in set(self.units):
            inside = np.array([each == unit for each in self.units])
            only = self.differ[:, :, inside].any(2) & ~self.differ[:, :, ~inside].any(2)
            empty = ~self.tables[:, inside].any(1)
            alike = empty[:, None] ^ empty if self.relation == "add_remove" else ~(empty[:, None] | empty)
            step |= only & alike
        apart = np.where(np.eye(len(step), dtype=bool), 0.0, np.inf)
        reached = np.eye(len(step), dtype=bool)
        for count in range(1, 2 * len(self.slots) + 1):
            further = (reached.astype(np.float32) @ step.astype(np.float32) > 0) | reached
            apart[further & ~reached] = count
            reached = further
        return apart

    def farthest(self, asked: Difference) -> float:
        """The most steps between two tables that differ as is asked; 0 where none do."""
        found = [self.apart[pairs] for pairs in self._pairs(asked)]
        return max((float(each.max()) for each in found if each.size), default=0.0)

    def _pairs(self, asked: Difference):
        before, after = self.tables[:, None], self.tables[None]
        there = {"presence": after == 0, "value": (before > 0) & (after > 0)}[asked.how]
        proper = self.differ.any(2) & (there | ~self.differ).all(2)
        counted = {"thing": [each.thing for each in self.slots], "event": list(range(len(self.slots)))}.get(self.kind)
        if counted:
            names = np.array(counted)
            proper &= sum(self.differ[:, :, names == each].any(2) for each in set(counted)) <= asked.records
        for inside, more in {self._seen(described) for described in self._described(asked)}:
            inside = np.array(inside)
            pairs = proper & ~self.differ[:, :, ~inside].any(2)
            if asked.how == "presence" and asked.who != "event":
                pairs &= ~self.tables[:, inside].any(1)
            yield pairs & self._surrounded(asked, dict(more), inside)

    def _seen(self, described) -> tuple:
        """Which records it is about, and which of the units may hold others."""
        inside = tuple(described(each) for each in self.slots)
        units = sorted({unit for unit, mine in zip(self.units, inside, strict=True) if mine}, key=str)
        if self.relation == "add_remove":
            return inside, ()
        return inside, tuple((unit, self._may_hold_more(unit, described)) for unit in units)

    def _surrounded(self, asked: Difference, more: dict[tuple, bool], inside: np.ndarray) -> np.ndarray:
        """Whether what else the units hold is as is said."""
        good = np.ones(self.differ.shape[:2], bool)
        for unit in set(self.units):
            mine = np.array([each == unit for each in self.units])
            touched = self.differ[:, :, mine].any(2)
            if asked.alone:
                good &= ~(touched & (~self.differ & (self.tables > 0)[:, None])[:, :, mine].any(2))
            elif asked.who == "event" and self.relation == "replace_one" and self.kind != "event":
                good &= ~touched | (~self.differ & (self.tables > 0)[:, None])[:, :, mine].any(2)
            elif more.get(unit):
                good &= ~touched | self.tables[:, mine & ~inside].any(1)[:, None]
        return good

    def _may_hold_more(self, unit: tuple, described) -> bool:
        if self.kind == "event":
            return False
        return any(not described(each) and each.unit(self.kind, self.period) == unit for each in WIDE)

    def _described(self, asked: Difference):
        """What each description may be about: whose records, and on which days in a row or in which period."""
        whole = not self.period and asked.who in ("unit", "person", "people")
        of_period = PERIODS[self.period]
        if asked.days is None:
            times = [lambda hour, one=one: of_period(hour) == one for one in {of_period(hour) for hour in HOURS}]
        else:
            starts = range(1 - asked.days, len(DAYS))
            times = [lambda hour, start=start: start <= hour // 24 < start + asked.days for start in starts]
        if asked.who == "unit":
            for whose, when in product({each.unit(self.kind, "")[0] for each in ALL}, times[: 1 if whole else None]):
                yield lambda each, whose=whose, when=when: each.unit(self.kind, "")[0] == whose and (
                    whole or when(each.hour)
                )
            return
        for who, when in product(combinations(range(PEOPLE), min(asked.people, PEOPLE)), times[: 1 if whole else None]):
            yield lambda each, who=who, when=when: each.person in who and (whole or when(each.hour))
