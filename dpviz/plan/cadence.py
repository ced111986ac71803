"""When a release recurs: its cadence, and the days on which it falls; and every way to write a day, read as one."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache, partial
from typing import Literal

import numpy as np

from dpviz.parameters import COUNT
from dpviz.records import record_named

DATE_ALLOWED = "must be a date such as 2026-04-01"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_COARSE = ("Y", "M", "W", "generic")  # units of numpy that name no single day
Day = date | str | np.datetime64  # and pandas.Timestamp, which is a datetime


def day(text: str) -> date | None:
    """Return the date that `text` spells as year-month-day; None where there is none.

    Examples
    --------
    >>> day("2026-04-01"), day("2026-02-30"), day("1.4.2026")
    (datetime.date(2026, 4, 1), None, None)
    """
    if not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def checked_day(value: Day, name: str = "day", allowed: str = DATE_ALLOWED) -> date:
    """Return a day as a plain date, however it is written.

    Parameters
    ----------
    value : date, datetime, pandas.Timestamp, numpy.datetime64 or str
        Text as year-month-day; a datetime, with or without a time zone, at midnight.
    name, allowed : str
        For the message: what the value is, and what is allowed there.

    Raises
    ------
    ValueError
        When it is no day, such as NaT or a month; when it has a time of day, which would be lost.

    Examples
    --------
    >>> checked_day("2026-01-05") == checked_day(np.datetime64("2026-01-05T00:00")) == date(2026, 1, 5)
    True
    """
    found = value
    if isinstance(value, np.datetime64) and np.datetime_data(value)[0] not in _COARSE:
        found = value.astype("datetime64[D]").item()  # an integer, or None, where no date holds it
        if isinstance(found, date) and value != np.datetime64(found):
            raise ValueError(f"{name} must be a day without a time of day; got {value}")
    elif isinstance(value, str):
        found = day(value.strip())
    elif isinstance(value, datetime) and value == value:  # NaT differs from itself
        found = value.date()
        if value.time() != time() or getattr(value, "nanosecond", 0):
            raise ValueError(f"{name} must be a day without a time of day; got {value}")
    if isinstance(found, date) and not isinstance(found, datetime):
        return found
    raise ValueError(f"{name} {allowed}; got {reprlib.repr(value)}")


@dataclass(frozen=True, slots=True)
class Cadence:
    """A rhythm of releases.

    Parameters
    ----------
    key, label : str
        Name in files, words for readers.
    days : int
        Length of a step in days, of the shortest where it is counted in months; 0 for a release that does not recur.
    months : int
        Length of a step in months; 0 where it is a number of days.
    """

    key: str
    label: str
    days: int = 0
    months: int = 0


CadenceKey = Literal["once", "daily", "weekly", "fortnightly", "monthly", "quarterly", "half-yearly", "yearly"]
CADENCES = (
    Cadence("once", "once"),
    Cadence("daily", "every day", 1),
    Cadence("weekly", "every week", 7),
    Cadence("fortnightly", "every two weeks", 14),
    Cadence("monthly", "every month", 28, 1),
    Cadence("quarterly", "every quarter", 89, 3),
    Cadence("half-yearly", "every half year", 181, 6),
    Cadence("yearly", "every year", 365, 12),
)
KEYS = tuple(cadence.key for cadence in CADENCES)

cadence_named: Callable[[str], Cadence] = partial(record_named, CADENCES)


def recurs(cadence: str | None) -> bool:
    """Say whether a release with this cadence falls on more than one day.

    Examples
    --------
    >>> recurs(None), recurs("once"), recurs("daily")
    (False, False, True)
    """
    return cadence is not None and cadence_named(cadence).days > 0


@lru_cache
def days_of_months(months: int) -> tuple[int, int]:
    """Return how many days so many months have, at least and at most.

    Examples
    --------
    >>> days_of_months(1), days_of_months(3), days_of_months(12), days_of_months(24)
    ((28, 31), (89, 92), (365, 366), (730, 731))
    """
    begins = np.arange("1896-01", "1908-01", dtype="datetime64[M]")  # no leap year between 1896 and 1904
    ends = begins + np.timedelta64(months, "M")
    days = (ends.astype("datetime64[D]") - begins.astype("datetime64[D]")) // np.timedelta64(1, "D")
    return int(days.min()), int(days.max())


def touched(days: int, step: int) -> int:
    """Return how many steps of so many days a period touches, at most, wherever it begins.

    Examples
    --------
    >>> touched(31, 7), touched(366, 7), touched(30, 1)
    (6, 54, 30)
    """
    return 1 + -(-(days - 1) // step)


def most_within(shorter: str, longer: str) -> int:
    """Return how many steps of one rhythm one step of a longer one may touch, at most.

    Steps in months are whole parts of longer ones, as are those in days: a quarter has three months. A month that
    begins within a week touches up to six of them.

    Examples
    --------
    >>> most_within("weekly", "monthly"), most_within("weekly", "quarterly"), most_within("monthly", "quarterly")
    (6, 14, 3)
    """
    one, other = cadence_named(shorter), cadence_named(longer)
    if one.months:
        return other.months // one.months
    if not other.months and other.days % one.days == 0:
        return other.days // one.days
    return touched(days_of_months(other.months)[1] if other.months else other.days, one.days)


def occurrences(start: Day | None, cadence: str | None, end: Day | None) -> int:
    """Return on how many days a release falls; 1 without a cadence.

    Parameters
    ----------
    start, end : date or None
        First and last possible day, both included; a cadence that recurs needs both.
    cadence : str or None
        A key of ``CADENCES``. What recurs in months keeps the day of its start, or takes the last one of a shorter
        month: a year after 29 February comes 28 February, and 29 February again in every leap year.

    Raises
    ------
    ValueError
        When there is no such cadence, or start or end is no day.

    Examples
    --------
    >>> occurrences(date(2026, 1, 31), "monthly", date(2026, 2, 28))
    2
    """
    if not recurs(cadence):
        return 1
    step, start, end = cadence_named(cadence), checked_day(start, "start"), checked_day(end, "end")
    if not step.months:
        return (end - start).days // step.days + 1
    return _by_months(start, step.months, end)


def nth_day(start: Day, cadence: str, number: int) -> date:
    """Return the last of so many days on which a release falls.

    Parameters
    ----------
    start : date
        The first of them.
    cadence : str
        A key of ``CADENCES``.
    number : int
        From 1.

    Raises
    ------
    ValueError
        When that day lies after the year 9999, or one of these is none.

    Examples
    --------
    >>> nth_day("2026-01-31", "monthly", 2), nth_day("2026-01-01", "daily", 90)
    (datetime.date(2026, 2, 28), datetime.date(2026, 3, 31))
    """
    first, step = checked_day(start, "start"), cadence_named(cadence)
    if COUNT.check(number) < 1:
        raise ValueError("number must be 1 or more; got 0")
    steps = number - 1
    try:
        if step.months:
            return checked_day(_day_in_month(first, steps * step.months), "day")
        return first + timedelta(days=steps * step.days)
    except (OverflowError, ValueError):
        raise ValueError(f"number must be of days until 9999; got {number}") from None


@lru_cache(1024)  # asked for each release again and again
def _by_months(start: date, months: int, end: date) -> int:
    steps = (12 * (end.year - start.year) + end.month - start.month) // months
    return steps + int(_day_in_month(start, steps * months) <= np.datetime64(end, "D"))


def _day_in_month(start: date, months: int | np.ndarray) -> np.ndarray:
    """The day of `start`, or the last one, in the months that many later; shape of `months`."""
    month = np.datetime64(start, "M") + np.asarray(months).astype("timedelta64[M]")
    last = (month + np.timedelta64(1, "M")).astype("datetime64[D]") - np.timedelta64(1, "D")
    return np.minimum(month.astype("datetime64[D]") + np.timedelta64(start.day - 1, "D"), last)


def dates(start: Day, cadence: str | None, end: Day | None = None) -> np.ndarray:
    """Return the days on which a release falls.

    Returns
    -------
    ndarray of datetime64[D], shape (occurrences,)
        In order; the start is the first.

    Examples
    --------
    >>> dates(date(2026, 1, 31), "monthly", date(2026, 3, 31)).astype(str).tolist()
    ['2026-01-31', '2026-02-28', '2026-03-31']
    """
    start, step = checked_day(start, "start"), cadence_named(cadence or "once")
    steps = np.arange(occurrences(start, cadence, end))
    if step.months:
        return _day_in_month(start, steps * step.months)
    return np.datetime64(start, "D") + (steps * step.days).astype("timedelta64[D]")
