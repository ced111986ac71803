"""When a release recurs: its cadence, and the days on which it falls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from dpviz.registry import record_named


@dataclass(frozen=True, slots=True)
class Cadence:
    """A rhythm of releases.

    Parameters
    ----------
    key, label : str
        Name in files, words for readers.
    unit : str
        The step as numpy names it; "" for a release that does not recur.
    days : int
        Length of a step in days, where it is fixed.
    """

    key: str
    label: str
    unit: str
    days: int = 0


CADENCES = (
    Cadence("once", "once", ""),
    Cadence("daily", "every day", "D", 1),
    Cadence("weekly", "every week", "D", 7),
    Cadence("monthly", "every month", "M"),
)
KEYS = tuple(cadence.key for cadence in CADENCES)


def cadence_named(key: str) -> Cadence:
    """Return the cadence with this key.

    Raises
    ------
    ValueError
        When there is none.

    Examples
    --------
    >>> cadence_named("weekly").days
    7
    """
    return record_named(CADENCES, key, "cadence")


def recurs(cadence: str | None) -> bool:
    """Say whether a release with this cadence falls on more than one day.

    Examples
    --------
    >>> recurs(None), recurs("once"), recurs("daily")
    (False, False, True)
    """
    return cadence is not None and bool(cadence_named(cadence).unit)


def occurrences(start: date | None, cadence: str | None, end: date | None) -> int:
    """Return on how many days a release falls; 1 without a cadence.

    Parameters
    ----------
    start, end : date or None
        First and last possible day, both included; a cadence that recurs needs both.
    cadence : str or None
        A key of ``CADENCES``. A monthly release keeps its day of the month, or takes the last one of a shorter month.

    Examples
    --------
    >>> occurrences(date(2026, 1, 31), "monthly", date(2026, 2, 28))
    2
    """
    if not recurs(cadence):
        return 1
    step = cadence_named(cadence)
    if step.days:
        return (end - start).days // step.days + 1
    months = 12 * (end.year - start.year) + end.month - start.month
    return months + int(_day_in_month(start, months) <= np.datetime64(end, "D"))


def _day_in_month(start: date, months: int | np.ndarray) -> np.ndarray:
    """The day of `start`, or the last one, in the months that many later; shape of `months`."""
    month = np.datetime64(start, "M") + np.asarray(months)
    last = (month + 1).astype("datetime64[D]") - np.timedelta64(1, "D")
    return np.minimum(month.astype("datetime64[D]") + np.timedelta64(start.day - 1, "D"), last)


def dates(start: date, cadence: str | None, end: date | None = None) -> np.ndarray:
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
    steps = np.arange(occurrences(start, cadence, end))
    step = cadence_named(cadence or "once")
    if step.unit == "M":
        return _day_in_month(start, steps)
    return np.datetime64(start, "D") + steps * step.days
