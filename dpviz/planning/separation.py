"""Whom a promise separates: whether two descriptions of the world may be told apart, and at which ε then."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    RandomizedResponse,
)
from dpviz.mechanisms.left_open import follows
from dpviz.mechanisms.uses import bar_of
from dpviz.parameters import COPIES, COUNT, Parameter, checked, checked_choice
from dpviz.plan import Plan, Release
from dpviz.plan.derived import bars_apart
from dpviz.plan.periods import DAYS, periods
from dpviz.plan.promise import CHANGES
from dpviz.plan.sensitivity import where_replaced
from dpviz.plan.units import KINDS, Kind, kinds, unreadable
from dpviz.planning.advice.finding import named
from dpviz.planning.advice.promise import answered_openly
from dpviz.rounding import shown_count, shown_delta, shown_up

Who = Literal["person", "event", "day", "people", "unit"]
How = Literal["presence", "value"]
Verdict = Literal["covered", "dearer", "open"]
WHO: dict[str, str] = {
    "person": "one person",
    "event": "one event, or a few",
    "day": "one person's records of one day",
    "people": "several people",
    "unit": "the one whom the promise protects",
}
HOW: dict[str, str] = {"presence": "present or absent", "value": "there in both, with another value"}
LASTS = Parameter("days", "", "days over which two descriptions differ", 1, 100_000, integer=True)
# The shortest of their kind: so many days in a row touch no more of them.
_SHORTEST = DAYS | {"month": 28, "quarter": 90}
_LONGEST = {"week": 7, "month": 31, "quarter": 92, "year": 366}
_WITHIN_DAYS = ((1, "hour"), (1, "day"))  # periods of which a day holds a whole number
_OVER_A_DAY = ("night",)  # that begin on one day and end on the next
_PUT_BACK = 180  # days, at least, from one day of 25 hours to the next
_OF_PEOPLE: tuple[Kind, ...] = ("person", "group")  # counted by people
_TWICE = {
    "value": "{} stays in the data with other values",
    "presence": "{} may stay in the data with other records",
}
# Powers of δ that one step of several is tried at, the largest first; then how often the way between two is halved.
_EXPONENTS, _HALVED = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0), 5


@dataclass(frozen=True, slots=True)
class Difference:
    """In what two descriptions of the data differ.

    Parameters
    ----------
    who : str
        A key of ``WHO``.
    how : str
        A key of ``HOW``: of what differs itself.
    days : int, optional
        On how many days in a row, at least 1; None where all of it lies within one period of the promise.
    records : int
        How many events, devices or the like differ, at least 1; not read of units that are a person or household, nor
        where one of whom the promise protects differs.
    people : int
        How many people differ, at least 1; 1 unless they are several.
    alone : bool
        Whether the units that differ hold nothing else in either case. If not, each is taken to hold something else,
        unless all that it may hold differs.

    Raises
    ------
    ValueError
        When a value is not allowed.

    Examples
    --------
    >>> Difference("day", "presence", days=7).people
    1
    """

    who: Who = "person"
    how: How = "presence"
    days: int | None = 1
    records: int = 1
    people: int = 1
    alone: bool = False

    def __post_init__(self) -> None:
        checked_choice(self.who, WHO, "who")
        checked_choice(self.how, HOW, "how")
        for name, allowed in (("days", LASTS), ("records", COPIES), ("people", COPIES)):
            if (name, self.days) != ("days", None):
                object.__setattr__(self, name, allowed.check(getattr(self, name), name))
        if self.who != "people" and self.people != 1:
            raise ValueError(f"people must be 1 where one person, event or day differs; got {self.people}")


@dataclass(frozen=True, slots=True)
class Covered:
    """Whether a promise covers a difference, and what telling the two apart may cost.

    Parameters
    ----------
    verdict : str
        "covered": it is what the promise is about. "dearer": the promise is about less, and a larger ε holds. "open":
        nothing bounds it, or nobody said whom the promise is about.
    units : int
        How many units of privacy differ, at most; 0 where that is open.
    copies : int
        By how many steps of the plan's relation the two are apart.
    guarantee : Guarantee
        What holds for the two, at the plan's δ; ε is inf where nothing does.
    reason : str
        Why, as a sentence.
    taken : str
        What the unit was taken to be, and what else was taken for granted, as a sentence; "" where nothing was.
    openly : str
        What of this difference is not hidden all the same, as a clause; "" where nothing is.
    inside : float
        Of days that touch several periods of the unit, ε where they lie within one of them; inf where they cannot.
    meant : Plan, optional
        Of one unit with other records, the releases as they are where it is replaced, which cost that.
    few : bool
        Whether that is counted of a unit of which an event, or a day, differs alone.
    """

    verdict: Verdict
    units: int
    copies: int
    guarantee: Guarantee
    reason: str
    taken: str = ""
    openly: str = ""
    inside: float = math.inf
    meant: Plan | None = None
    few: bool = False

    def __str__(self) -> str:
        """The answer in a few sentences."""
        if self.verdict == "open":
            return f"Not hidden: {self.reason}."
        promise = f"ε = {shown_up(self.guarantee.epsilon, 4)} at δ = {shown_delta(self.guarantee.delta)}"
        if self.verdict == "covered":
            but = f" Only {self.openly} is not hidden." if self.openly else ""
            return f"Hidden: {self.reason}.{but} The privacy loss between the two is at most {promise}."
        if math.isinf(self.guarantee.epsilon):
            return f"Not hidden: {self.reason}. Then no ε is proved at δ = {shown_delta(self.guarantee.delta)}."
        inside = f"; where they lie within one, at most {shown_up(self.inside, 4)}" if self.inside < math.inf else ""
        but = f" {self.openly[0].upper()}{self.openly[1:]} is not hidden at all." if self.openly else ""
        most = f"Then ε is at most {promise.removeprefix('ε = ')}{inside}.{but}"
        few = " What so few records lose may be far less: it is not computed here." if self.few else ""
        return f"Hidden less well: {self.reason}. {most}{few}"


def covered(plan: Plan, difference: Difference) -> Covered:
    """Return whether a plan's promise covers telling two descriptions apart, and the ε that holds for them.

    Parameters
    ----------
    plan : Plan
        Its unit, with the period that it names, its relation, and what it costs at its budget's δ.
    difference : Difference

    Returns
    -------
    Covered

    Raises
    ------
    ValueError
        When no total may be quoted, or more units differ than can be counted.

    Notes
    -----
    A word for a unit may mean a person, several people, a thing with many records, or one record (`dpviz.plan.units`):
    the most steps that any of its meanings asks for count, and an unknown word may mean all of them. Days in a row
    touch as many periods as the shortest of their kind allows, wherever they begin: two days may touch two weeks, and
    so may eight; one day touches two nights, and up to 25 hours where clocks are put back. Under add_remove, what stays
    in the data with another value is one unit that is replaced (see `replaced`), and of several units one removed and
    one added each: two steps. Under replace_one, presence itself is
    not protected, for the size of the data is known. So many steps cost what `Plan.of_units` says; where they may fall
    into different parts of the data, what follows from the total of one step.

    References
    ----------
    Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2 (groups).

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Stays", Laplace.from_epsilon(0.5))], Guarantee(1.0), "user-day")
    >>> print(covered(plan, Difference("day", "presence")))
    Hidden: the promise is for adding or removing one user-day. The privacy loss between the two is at most ε = 0.5 at
    δ = 0.
    >>> print(covered(plan, Difference("person", "presence", days=7)))
    Hidden less well: the promise is for one user-day, and 7 days touch up to 7 of them. Then ε is at most 3.5
    at δ = 0.
    """
    checked(plan, Plan, "plan")
    checked(difference, Difference, "difference")
    if not plan.unit:
        return _open("nobody said whom the promise is about: the plan names no unit of privacy")
    if unreadable(plan.unit):
        return _open(f"how many of one {plan.unit} differ is not known: say its period in whole hours, days or weeks")
    each = _worst(plan, difference)
    if each.open:
        said = f"the promise is for {CHANGES['replace_one'].format(plan.unit)}, and not for whether it is there"
        return _open(said + _longer(plan.unit, difference), _taken(plan.unit))
    copies = COPIES.check(each.units * each.steps, "steps between the two")
    meant = replaced(plan) if (each.units, each.steps) == (1, 2) and not _apart(plan) else None
    taken, total, change = _taken(plan.unit), _total(plan, copies), CHANGES[plan.neighbours].format(plan.unit)
    total = compose(meant, plan.budget.delta) if meant else total
    total = Guarantee(total.epsilon, plan.budget.delta) if math.isfinite(total.epsilon) else total  # as it is quoted
    if plan.neighbours == "replace_one" and difference.how == "presence":
        taken += "; it holds more than what differs"
    openly = _openly(plan) if difference.how == "presence" else ""
    if copies == 1:
        return Covered("covered", 1, 1, total, f"the promise is for {change}", taken, openly)
    about, yet = (f"one {plan.unit}", "and") if each.units > 1 else (change, "but" if each.steps > 1 else "and")
    reason = f"the promise is for {about}, {yet} {_further(each, difference)}"
    few, inside = meant is not None and difference.who in ("event", "day"), _inside(plan, difference)
    return Covered("dearer", each.units, copies, total, reason, taken, openly, inside, meant, few)


def _inside(plan: Plan, difference: Difference) -> float:
    """ε where all days lie within one period of the unit; inf where they cannot, or touch one alone."""
    days = difference.days
    if not days or _touched(plan.unit, days) == 1 or not _may_be_one(plan.unit, days):
        return math.inf
    return covered(plan, replace(difference, days=None)).guarantee.epsilon


def _openly(plan: Plan) -> str:
    """That who answers is not hidden, as a clause; "" where nobody is asked in the open."""
    rows = answered_openly(plan)
    return f"whether somebody answers {named(plan, rows)}" if rows else ""


def _further(each: _Reading, difference: Difference) -> str:
    """Why the two are more than one step apart."""
    if each.units > 1 and each.steps == 1:
        return each.why
    twice = _TWICE[difference.how]
    if each.units == 1:
        return f"here {twice.format('one')}, which counts as one replaced by another"
    many = shown_count(each.units * each.steps)
    return f"{each.why}; {twice.format('each')}, which counts as one removed and one added for each, {many} in all"


def _open(reason: str, taken: str = "") -> Covered:
    return Covered("open", 0, 0, Guarantee(math.inf, 1.0), reason, taken)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a difference is under one meaning of the unit: how many units, steps for each, why, and if none suffice."""

    units: int
    steps: int
    why: str
    open: bool


def _worst(plan: Plan, difference: Difference) -> _Reading:
    """The meaning of the unit's words that asks for most."""
    read = [_read(plan, kind, difference) for kind in kinds(plan.unit)]
    return max(read, key=lambda each: (each.open, each.units * each.steps, each.units))


def _read(plan: Plan, kind: Kind, difference: Difference) -> _Reading:
    units, why = _units(plan.unit, kind, difference)
    surely, perhaps = (difference.alone or found for found in _whole(plan.unit, kind, difference))
    if plan.neighbours == "replace_one":
        return _Reading(units, 1, why, difference.how == "presence" and perhaps)
    return _Reading(units, 1 if difference.how == "presence" and surely else 2, why, False)


def _units(unit: str, kind: Kind, difference: Difference) -> tuple[int, str]:
    """How many units of privacy differ, at most, and why."""
    one = kind in _OF_PEOPLE or difference.who == "unit"
    counted = difference.people if one else max(difference.records, difference.people)
    touched, span = 1, ""
    if difference.days and (touched := _touched(unit, difference.days)) > 1:
        span = f"{shown_count(difference.days)} day{'s' * (difference.days > 1)} touch{'es' * (difference.days == 1)}"
        span += f" up to {shown_count(touched)} of them"
    if counted == 1:
        return touched, span
    several = f"{shown_count(counted)} {'people' if kind in _OF_PEOPLE else 'of them'} differ"
    return counted * touched, f"{several}, for each of whom {span}" if span else several


def asked_of(unit: str) -> tuple[bool, bool]:
    """Say whether it must be asked how many of a unit differ, and whether something else may be in it.

    Examples
    --------
    >>> asked_of("user-day"), asked_of("device"), asked_of("trip"), asked_of("taxi ride")
    ((False, True), (True, True), (True, False), (True, True))
    """
    found = kinds(unit)
    return any(kind not in _OF_PEOPLE for kind in found), found != ("event",) or bool(periods(unit))


def _touched(unit: str, days: int) -> int:
    """How many of the unit's periods so many days in a row touch, at most, wherever they begin."""
    return max((_touched_of(number, kind, days) for number, kind in periods(unit)), default=1)


def _touched_of(number: int, kind: str, days: int) -> int:
    if kind == "hour":
        return (24 * days + 1 + days // _PUT_BACK - 2) // number + 2
    return (days + (kind in _OVER_A_DAY) - 2) // (number * int(_SHORTEST[kind])) + 2


def _may_be_one(unit: str, days: int) -> bool:
    """Whether so many days in a row may lie within one period of the unit, wherever that begins."""
    found = periods(unit)
    return bool(found) and all(kind in _LONGEST and days <= number * _LONGEST[kind] for number, kind in found)


def _whole(unit: str, kind: Kind, difference: Difference) -> tuple[bool, bool]:
    """Whether what differs is surely, and whether it may be, all that each unit holds which it touches."""
    found, whose_all = periods(unit), difference.who == "unit"  # all that the one holds who is protected
    whom, alike = whose_all or difference.who in ("person", "people"), whose_all or kind == "person"
    if kind == "event":
        return not found, True
    if kind == "group" and not whose_all:
        return False, difference.who == "people"
    if not found:
        return whom and alike, whom
    shortest, event = min(number * _SHORTEST[word] for number, word in found), difference.who == "event"
    if difference.days is None:
        return False, not event
    within = not event and difference.days >= shortest
    aligned = len(found) == 1 and found[0] in _WITHIN_DAYS
    return within and aligned and alike, within


def _longer(unit: str, difference: Difference) -> str:
    """Why so many days may be all that a unit with a period holds, as a further half of a sentence; "" without one."""
    found = periods(unit)
    if not found or difference.alone:
        return ""
    number, kind = min(found, key=lambda each: each[0] * _SHORTEST[each[1]])
    named = f"one {kind}" if number == 1 else f"{shown_count(number)} {kind}s"
    if difference.days is None:
        return ": what differs may be all that it holds"
    days = f"{shown_count(difference.days)} day{'s' * (difference.days > 1)}"
    if difference.days > number * _LONGEST.get(kind, DAYS[kind]):
        return f": {days} {'are' if difference.days > 1 else 'is'} longer than the {named} of the promise"
    return f": {days} may be all that it holds"


def _taken(unit: str) -> str:
    """What the unit was taken to be."""
    found = kinds(unit)
    if found == tuple(KINDS):
        unsaid = f"Nobody has said whether a “{unit}” is a person, a household or a record"
        return f"{unsaid}: the costliest of them is counted"
    over = ", over one such period" * bool(periods(unit))
    if len(found) > 1:
        either = ", or ".join(KINDS[kind] for kind in found)
        return f"One “{unit}” may be {either}{over}: the costliest of them is counted"
    return f"One “{unit}” is taken to be {KINDS[found[0]]}{over}"


def _total(plan: Plan, copies: int) -> Guarantee:
    """What the plan costs for so many steps at its budget's δ."""
    if copies == 1 or not _apart(plan):
        return compose(plan.of_units(copies), plan.budget.delta)
    return _from_one_step(plan, copies)


def _apart(plan: Plan) -> bool:
    """Whether releases read different parts of the data, of which a change may touch two."""
    return len({each.part for each in plan.releases} - {None}) > 1


def replaced(plan: Plan) -> Plan:
    """Return what a plan means for one unit whose records become others, by sensitivities that are enough for that.

    No more than two steps cost, one removed and one added. Of answers that chance changes one by one there is one. A
    histogram whose bars change by 1 each, with noise of their own, is so many counts of one bar.

    References
    ----------
    `dpviz.plan.sensitivity.where_replaced`; Dwork & Roth (2014), Thm 2.2, for what has no sensitivity.

    Examples
    --------
    >>> from dpviz import Gaussian, Laplace, Release
    >>> users, visits = Release("a", Laplace(9.0, 1), kind="count"), Release("b", Gaussian(9.0, 3), kind="histogram")
    >>> [each.mechanism.sensitivity for each in replaced(Plan([users, visits])).releases]
    [1.0, 4.242640687119286]
    """
    whole = plan.of_units(2)  # which checks what may be counted at all
    pairs = zip(plan.releases, whole.releases, strict=True)
    return replace(plan, releases=tuple(_replaced(one, two) for one, two in pairs), relation=whole.relation)


def _replaced(one: Release, two: Release) -> Release:
    """A release as it is where its unit is replaced, of which it is removed and added in two."""
    noise = one.mechanism
    if one.kind == "survey" and isinstance(noise, RandomizedResponse | KaryRandomizedResponse):
        return one
    if noise.base is not noise or not isinstance(noise, Laplace | Gaussian | DiscreteLaplace | DiscreteGaussian):
        return two
    enough = where_replaced(noise.sensitivity, one.kind, noise.norm, one.lower, one.upper)
    if enough == noise.sensitivity:
        return one
    bars = bars_apart(one, enough) if follows(noise) else 1
    if bars > 1 and bars * one.count <= COUNT.high:
        return replace(one.bare(bar_of(noise)), count=bars * one.count)
    return replace(two, mechanism=Gaussian(noise.sigma, enough)) if type(noise) is Gaussian else two


def _from_one_step(plan: Plan, copies: int) -> Guarantee:
    """What follows for a group from the total of one step, at the largest δ of one step found that leaves the whole.

    Whichever δ of one step is taken, the pair holds: another one could only be tighter.
    """
    delta, before = plan.budget.delta, 0.0
    for exponent in _EXPONENTS:
        meant = compose(plan, delta**exponent).for_group(copies)
        if meant.delta <= delta:
            break
        before = exponent
    else:
        return Guarantee(math.inf, 1.0)
    for _ in range(_HALVED if before else 0):
        middle = (before + exponent) / 2
        tried = compose(plan, delta**middle).for_group(copies)
        if tried.delta <= delta:
            exponent, meant = middle, min(meant, tried, key=lambda each: each.epsilon)
        else:
            before = middle
    return Guarantee(meant.epsilon, delta)
