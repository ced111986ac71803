"""Periods in words: how often a release recurs by its name, and how long a unit of privacy lasts."""

from __future__ import annotations

import re

DAYS: dict[str, float] = {"hour": 1 / 24, "day": 1, "night": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_ADVERBS = {
    "hourly": 1 / 24, "daily": 1, "nightly": 1, "weekly": 7, "biweekly": 14, "fortnightly": 14, "monthly": 30,
    "quarterly": 91, "yearly": 365, "annually": 365, "annual": 365,
}  # fmt: skip
_NOUNS = "|".join(DAYS)
_ADVERB = re.compile(rf"\b({'|'.join(_ADVERBS)})\b", re.IGNORECASE)
_EVERY = re.compile(rf"\b(per|each|every)\s+(?:(\d{{1,4}}|other)\s+)?({_NOUNS})s?\b", re.IGNORECASE)
_TIMES = re.compile(rf"\b(?:once|twice|times)\s+an?\s+({_NOUNS})\b", re.IGNORECASE)
PERIOD_WORDS = re.compile(rf"(?:\b(\d{{1,4}})\s*-?\s*)?(?<![a-z])({_NOUNS})s?\b", re.IGNORECASE)


def recurrence(name: str, *, bars: bool = False) -> tuple[str, float] | None:
    """Return the words by which a name says that something recurs, and the days between; None if it does not.

    Parameters
    ----------
    name : str
    bars : bool
        Whether it names a histogram, which "per hour" has a bar for each hour.

    Returns
    -------
    tuple of (str, float), optional
        The words as they stand, and the shortest period named, in days.

    Examples
    --------
    >>> recurrence("Visits, every 2 weeks"), recurrence("Visits per county")
    (('every 2 weeks', 14.0), None)
    >>> recurrence("Daily calls per hour"), recurrence("Daily calls per hour", bars=True)
    (('per hour', 0.041666666666666664), ('Daily', 1.0))
    """
    found = [(match[0], _ADVERBS[match[1].lower()]) for match in _ADVERB.finditer(name)]
    every = (match for match in _EVERY.finditer(name) if not (bars and match[1].lower() == "per"))
    found += [(match[0], _multiple(match[2]) * DAYS[match[3].lower()]) for match in every]
    found += [(match[0], DAYS[match[1].lower()]) for match in _TIMES.finditer(name)]
    if not found:
        return None
    words, days = min(found, key=lambda pair: pair[1])
    return words, float(days)


def lasting(unit: str) -> float | None:
    """Return how many days a unit of privacy covers, such as 30 for a user-month; None if it names no period.

    Examples
    --------
    >>> lasting("user-month"), lasting("person and 2 weeks"), lasting("person")
    (30.0, 14.0, None)
    """
    found = period(unit)
    return None if found is None else float(found[0] * DAYS[found[1]])


def periods(unit: str) -> list[tuple[int, str]]:
    """Return every period that a unit of privacy names: how many, and of what.

    Examples
    --------
    >>> periods("user-quarter-day"), periods("person")
    ([(1, 'quarter'), (1, 'day')], [])
    """
    return [(_multiple(match[1]), match[2].lower()) for match in PERIOD_WORDS.finditer(unit)]


def period(unit: str) -> tuple[int, str] | None:
    """Return the longest period that a unit of privacy names: how many, and of what; None if it names none.

    Examples
    --------
    >>> period("person and 2 weeks"), period("user_quarter"), period("person")
    ((2, 'week'), (1, 'quarter'), None)
    """
    return max(periods(unit), key=lambda each: each[0] * DAYS[each[1]], default=None)


def _multiple(text: str | None) -> int:
    if text is None:
        return 1
    return 2 if text.lower() == "other" else max(int(text), 1)
