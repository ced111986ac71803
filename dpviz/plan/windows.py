"""Calendar windows such as days, quarters and years, and the one that a unit of privacy names."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dpviz.plan.periods import period
from dpviz.records import record_named

MONDAY = 4  # 5 January 1970, in days from the first
_PERIOD = re.compile(r"(\d{1,4})-(day|week|month|quarter|year) period", re.ASCII)


@dataclass(frozen=True, slots=True)
class Window:
    """A kind of calendar window.

    Parameters
    ----------
    key : str
        Its name.
    unit : {"D", "M"}
        What it is counted in, days or months, as numpy names it.
    length : int
        How many of those it lasts.
    origin : int
        Number, from 1970 on, of the one with which a window begins.
    """

    key: str
    unit: str
    length: int = 1
    origin: int = 0

    def number(self, days: np.ndarray) -> np.ndarray:
        """Return which window each day lies in; consecutive integers."""
        return (days.astype(f"datetime64[{self.unit}]").astype(np.int64) - self.origin) // self.length

    def first_day(self, number: np.ndarray) -> np.ndarray:
        """Return the day with which each window begins."""
        return (number * self.length + self.origin).astype(f"datetime64[{self.unit}]").astype("datetime64[D]")


WINDOWS = (
    Window("day", "D"),
    Window("week", "D", 7, MONDAY),
    Window("month", "M"),
    Window("quarter", "M", 3),
    Window("year", "M", 12),
)


def calendar_name(key: str) -> str:
    """Return what a window is called where it matters that it follows the calendar, whatever day a plan begins.

    Examples
    --------
    >>> calendar_name("year"), calendar_name("day"), calendar_name("2-week period")
    ('calendar year', 'day', '2-week period')
    """
    return f"calendar {key}" if key in ("week", "month", "quarter", "year") else key


def window_named(key: str) -> Window:
    """Return the window with this key; also of several days, weeks, months, quarters or years, as "2-week period".

    Raises
    ------
    ValueError
        When there is none.

    Examples
    --------
    >>> str(window_named("week").first_day(window_named("week").number(np.array(["2026-04-01"], "datetime64[D]")))[0])
    '2026-03-30'
    >>> window_named("2-week period").length
    14
    """
    several = _PERIOD.fullmatch(key) if isinstance(key, str) else None
    if several and int(several[1]):
        one = record_named(WINDOWS, several[2])
        return Window(key, one.unit, int(several[1]) * one.length, one.origin)
    return record_named(WINDOWS, key)


def unit_window(unit: str) -> Window | None:
    """Return the window that a unit of privacy lasts; None where it names no period.

    Parameters
    ----------
    unit : str
        Such as "user-day", "household-quarter" or "person and 2 weeks". What is shorter than a day lasts a day here: it
        meets no more than a day does.

    Examples
    --------
    >>> unit_window("household-quarter").key, unit_window("person and 2 weeks").key, unit_window("person")
    ('quarter', '2-week period', None)
    """
    found = period(unit)
    if found is None:
        return None
    number, noun = found
    if noun == "hour":
        number = -(-number // 24)
    noun = {"hour": "day", "night": "day"}.get(noun, noun)
    length = number * window_named(noun).length
    same = (each for each in WINDOWS if (each.unit, each.length) == (window_named(noun).unit, length))
    return next(same, None) or window_named(f"{number}-{noun} period")
