"""The term of a budget: for which stretch of time its amount holds, and when the next one begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from dpviz.parameters import checked_choice, shown
from dpviz.plan.windows import unit_window, window_named

SECOND = 1_000_000  # times are whole microseconds since 1970, in UTC
LIFETIME, FIXED, CALENDAR, ROLLING = KINDS = ("lifetime", "fixed", "calendar", "rolling")
LONGEST = 10**10  # seconds: three hundred years
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(r"(fixed|rolling) (\d{1,10}) s(?: from (\d{1,10}) s)?", re.ASCII)


def moment(when: datetime) -> int:
    """Return a time as whole microseconds since 1970; one without a time zone is refused.

    Examples
    --------
    >>> moment(datetime(1970, 1, 2, tzinfo=UTC))
    86400000000
    """
    if not isinstance(when, datetime) or when.tzinfo is None:
        raise ValueError(f"at must be a time with its zone; got {shown(when)}")
    return (when - _EPOCH) // timedelta(microseconds=1)


def written(at: int | None) -> str | None:
    """Return a time as files hold it; None, for no end, stays None.

    Examples
    --------
    >>> written(86_400_000_000)
    '1970-01-02T00:00:00.000000+00:00'
    """
    return None if at is None else (_EPOCH + timedelta(microseconds=at)).isoformat(timespec="microseconds")


def read(text: str | None) -> int | None:
    """Read what `written` gives.

    Examples
    --------
    >>> read(written(86_400_000_001)), read(None)
    (86400000001, None)
    """
    return None if text is None else moment(datetime.fromisoformat(text))


@dataclass(frozen=True, slots=True)
class Term:
    """How long the amount of a budget holds.

    Parameters
    ----------
    kind : {"lifetime", "fixed", "calendar", "rolling"}
        For ever; for windows of one length that follow each other; for days, weeks, months, quarters or years of the
        calendar, in UTC; or for every stretch of one length, wherever it begins.
    seconds : int
        Length of a fixed or rolling window, in [1, 1e10].
    offset : int
        When a fixed window began, in seconds after 1970; reduced to less than a window.
    calendar : str
        A key of `dpviz.plan.WINDOWS`, or several of one, such as "2-week period".

    Notes
    -----
    What a window gives anew was lost before: whoever is in the data of several windows loses what all of them promise
    together, which is why the lifetime amount is told beside every one.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from dpviz.store.terms import SECOND, moment
    >>> str(Term.read("fixed 604800 s from 302400 s")), str(Term.rolling(600)), str(Term())
    ('fixed 604800 s from 302400 s', 'rolling 600 s', 'lifetime')
    >>> Term.read("calendar month").start(moment(datetime(2026, 4, 9, tzinfo=UTC))) // (86_400 * SECOND)
    20544
    """

    kind: str = LIFETIME
    seconds: int = 0
    offset: int = 0
    calendar: str = ""

    def __post_init__(self) -> None:
        checked_choice(self.kind, KINDS, "term")
        timed = self.kind in (FIXED, ROLLING)
        if not isinstance(self.seconds, int) or not (1 <= self.seconds <= LONGEST if timed else self.seconds == 0):
            raise ValueError(f"seconds must be in [1, {LONGEST}] for a window, else 0; got {shown(self.seconds)}")
        if not isinstance(self.offset, int) or (self.offset and self.kind != FIXED):
            raise ValueError(f"offset must be whole seconds of a fixed window, else 0; got {shown(self.offset)}")
        object.__setattr__(self, "offset", self.offset % self.seconds if self.kind == FIXED else 0)
        if self.kind == CALENDAR:
            window_named(self.calendar)
        elif self.calendar:
            raise ValueError(f"calendar must be empty but for a calendar window; got {shown(self.calendar)}")

    @classmethod
    def rolling(cls, seconds: int) -> Term:
        """Return the term of every stretch of so many seconds, such as any 365 days: 31,536,000."""
        return cls(ROLLING, seconds)

    @classmethod
    def fixed(cls, seconds: int, offset: int = 0) -> Term:
        """Return the term of windows that follow each other, one of which begins `offset` seconds after 1970."""
        return cls(FIXED, seconds, offset)

    @classmethod
    def of_calendar(cls, key: str) -> Term:
        """Return the term of a window of the calendar, such as "year"."""
        return cls(CALENDAR, calendar=key)

    @classmethod
    def of_unit(cls, unit: str) -> Term:
        """Return the term that is proposed for a unit: of the calendar where it names a period, else for life.

        Examples
        --------
        >>> str(Term.of_unit("person-year")), str(Term.of_unit("person and 2 weeks")), str(Term.of_unit("person"))
        ('calendar year', 'calendar 2-week period', 'lifetime')
        """
        window = unit_window(unit)
        return cls() if window is None else cls.of_calendar(window.key)

    @classmethod
    def read(cls, text: str) -> Term:
        """Read what `str` gives.

        Raises
        ------
        ValueError
            When it is none.
        """
        if text == LIFETIME:
            return cls()
        if isinstance(text, str) and text.startswith(f"{CALENDAR} "):
            return cls.of_calendar(text.removeprefix(f"{CALENDAR} "))
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        if not found:
            allowed = '"lifetime", "calendar year", "rolling 600 s" or "fixed 604800 s from 0 s"'
            raise ValueError(f"term must be {allowed}; got {shown(text)}")
        return cls(found[1], int(found[2]), int(found[3] or 0))

    def __str__(self) -> str:
        if self.kind == LIFETIME:
            return LIFETIME
        if self.kind == CALENDAR:
            return f"{CALENDAR} {self.calendar}"
        return f"{self.kind} {self.seconds} s" + (f" from {self.offset} s" if self.kind == FIXED else "")

    def start(self, at: int) -> int | None:
        """Return the first moment that counts together with `at`; None for a lifetime.

        Of a rolling window it is the one after `at` less its length: a stretch holds its end and not its beginning.
        """
        if self.kind == LIFETIME:
            return None
        if self.kind == ROLLING:
            return at - self.seconds * SECOND + 1
        if self.kind == FIXED:
            length, offset = self.seconds * SECOND, self.offset * SECOND
            return (at - offset) // length * length + offset
        return self._first_day(at, 0)

    def end(self, at: int) -> int | None:
        """Return the last moment of the window that `at` lies in; of a rolling one, the last that counts with `at`."""
        if self.kind == LIFETIME:
            return None
        if self.kind == ROLLING:
            return at + self.seconds * SECOND - 1
        return self.start(at) + self.seconds * SECOND - 1 if self.kind == FIXED else self._first_day(at, 1) - 1

    def windows(self, first: int, last: int) -> int:
        """Return how many windows hold all moments from the first to the last, which do not lie before it.

        Examples
        --------
        >>> from dpviz.store.terms import SECOND
        >>> Term.rolling(60).windows(0, 60 * SECOND), Term.of_calendar("day").windows(0, 1), Term().windows(0, 1)
        (2, 1, 1)
        """
        if self.kind == LIFETIME:
            return 1
        if self.kind == CALENDAR:
            window = window_named(self.calendar)
            days = np.array([first // (86_400 * SECOND), last // (86_400 * SECOND)]).astype("datetime64[D]")
            return int(np.diff(window.number(days))[0]) + 1
        begin = first if self.kind == ROLLING else self.start(first)
        return (last - begin) // (self.seconds * SECOND) + 1

    def _first_day(self, at: int, later: int) -> int:
        window = window_named(self.calendar)
        day = np.array([at // (86_400 * SECOND)]).astype("datetime64[D]")
        return int(window.first_day(window.number(day) + later).astype(np.int64)[0]) * 86_400 * SECOND
