"""Errors of several releases told together: within one unit of the answer only, else relative, else row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpviz.mechanisms.left_open import why_no_error
from dpviz.plan import Plan
from dpviz.rounding import next_above, shown_count, shown_up

Widths = Sequence[float | None]


def amount(value: float, digits: int = 4) -> str:
    """Return a number rounded up, with separators between thousands.

    Examples
    --------
    >>> amount(1783000), amount(1250.5), amount(17.3412)
    ('1,783,000', '1,251', '17.35')
    """
    text = shown_up(value, digits)
    return shown_count(int(text)) if text.isdecimal() else text


@dataclass(frozen=True, slots=True)
class Measure:
    """What may be said of several errors at once.

    Parameters
    ----------
    rows : tuple of int
        The releases (from 0) that it is about.
    unit : str
        Of their answers; "" where none is stated.
    relative : bool
        Whether errors are told as shares of the typical value, since units may differ.
    whole : bool
        Whether it is about every release that adds noise to a number.
    """

    rows: tuple[int, ...]
    unit: str = ""
    relative: bool = False
    whole: bool = True

    def values(self, plan: Plan, widths: Widths) -> list[float]:
        """Return the errors in this measure: in the unit, or in percent of the typical value."""
        if self.relative:
            return [100 * next_above(widths[row], 3) / plan.releases[row].typical for row in self.rows]
        return [widths[row] for row in self.rows]

    def shown(self, value: float, digits: int = 3) -> str:
        """Return an error as people read it, rounded up.

        Examples
        --------
        >>> Measure((0,), "persons").shown(17.3412), Measure((0, 1), relative=True).shown(48.01)
        ('±17.4 persons', '±48.1 %')
        """
        unit = " %" if self.relative else f" {self.unit}" if self.unit else ""
        return f"±{amount(value, digits)}{unit}"

    def widest(self, plan: Plan, widths: Widths) -> str:
        """Return the largest error as people read it."""
        return self.shown(max(self.values(plan, widths)))


def measure(plan: Plan, widths: Widths, row: int) -> Measure | None:
    """Return how the errors of a plan may be told together; None where nothing adds noise to a number.

    Parameters
    ----------
    plan : Plan
    widths : sequence of float or None
        ±w of each release.
    row : int
        The release (from 0) that is looked at: its errors are told, and those in its unit, where nothing else can be.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> persons, euros = (Release(unit, Laplace(1.0, 1), answer_unit=unit) for unit in ("persons", "euros"))
    >>> measure(Plan([persons, persons]), [3.0, 3.0], 0).unit, measure(Plan([persons, euros]), [3.0, 3.0], 1).rows
    ('persons', (1,))
    """
    noisy = tuple(place for place, width in enumerate(widths) if width is not None and place < len(plan.releases))
    if not noisy:
        return None
    units = {plan.releases[place].answer_unit for place in noisy}
    if len(noisy) == 1 or (len(units) == 1 and None not in units):
        return Measure(noisy, units.pop() or "")
    if all(plan.releases[place].typical for place in noisy):
        return Measure(noisy, relative=True)
    looked = row if row in noisy else noisy[0]
    unit = plan.releases[looked].answer_unit
    alike = tuple(place for place in noisy if unit and plan.releases[place].answer_unit == unit)
    return Measure(alike or (looked,), unit or "", whole=False)


def in_unit_of(plan: Plan, row: int) -> tuple[int, ...]:
    """Return the rows of which one ±w may be asked with this one: those with noise whose answers state its unit.

    Examples
    --------
    >>> from dpviz import Laplace, RandomizedResponse, Release
    >>> rows = [Release("a", Laplace(1.0, 1)), Release("b", Laplace(1.0, 1)), Release("c", RandomizedResponse(1.0))]
    >>> in_unit_of(Plan(rows), 1), in_unit_of(Plan(rows), 2)
    ((1,), ())
    """
    noisy = [place for place, each in enumerate(plan.releases) if not why_no_error(each.mechanism)]
    if row not in noisy:
        return ()
    unit = plan.releases[row].answer_unit
    return tuple(place for place in noisy if place == row or (unit and plan.releases[place].answer_unit == unit))


def moves(before: Sequence[float], after: Sequence[float]) -> str:
    """Say how many errors grow and shrink, whatever their units; what is shown the same is the same.

    Examples
    --------
    >>> moves([52.14, 13.7, 1.0], [20.0, 20.0, 1.0])
    '1 of 3 grows, 1 of 3 shrinks'
    >>> moves([1.0], [1.0]), moves([1.0, 2.0], [0.5, 1.0])
    ('', 'both shrink')
    """
    changed = [(old, new) for old, new in zip(before, after, strict=True) if amount(old, 3) != amount(new, 3)]
    grown, shrunk = sum(old < new for old, new in changed), sum(old > new for old, new in changed)
    counted = ((grown, "grow"), (shrunk, "shrink"))
    if len(changed) == len(before) > 1 and 0 in (grown, shrunk):
        all_of_them = "both" if len(before) == 2 else f"all {len(before)}"
        return f"{all_of_them} {'grow' if grown else 'shrink'}"
    return ", ".join(f"{number} of {len(before)} {verb}{'s' * (number == 1)}" for number, verb in counted if number)


def goes(told: Measure, before: list[float], after: list[float]) -> str:
    """Say what becomes of the widest error, and how many others go the other way.

    Examples
    --------
    >>> goes(Measure((0, 1), "persons"), [52.14, 13.7], [20.0, 20.0])
    'The widest error shrinks from ±52.2 persons to ±20 persons; 1 of 2 grows'
    >>> goes(Measure((0,)), [52.14], [52.15])
    'The widest error stays as it is'
    """
    was, now, others = told.shown(max(before)), told.shown(max(after)), moves(before, after)
    widest = f"The widest error{', of its typical value,' if told.relative else ''}"
    if was == now:
        return "; ".join(filter(None, [f"{widest} stays as it is", others]))
    way, other = ("grows", "shrink") if max(after) > max(before) else ("shrinks", "grow")
    rest = [each for each in others.split(", ") if other in each]
    return "; ".join([f"{widest} {way} from {was} to {now}", *rest])
