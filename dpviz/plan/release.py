"""One release: a use of a mechanism, once or on the days of a schedule."""

from __future__ import annotations

import re
import reprlib
from dataclasses import dataclass, field, fields, replace
from datetime import date

from dpviz.mechanisms import MECHANISMS, KaryRandomizedResponse, Mechanism, RandomizedResponse
from dpviz.parameters import AVERAGED, CANDIDATES, COPIES, COUNT, ROWS, TYPICAL, WEIGHT, checked_choice
from dpviz.plan.cadence import DATE_ALLOWED, CadenceKey, Day, checked_day, occurrences, recurs
from dpviz.plan.cadence import KEYS as CADENCE_KEYS
from dpviz.plan.field_table import PARAMETERS, TEXTS
from dpviz.plan.kinds import BARS, BarsKey, KindKey, checked_bounds, kind_named

LONGEST_TEXT = 80
_TEXTS = tuple(name for name in TEXTS if name not in ("name", *PARAMETERS))  # which may be left out
_DONE_ALLOWED = "must be True, False or" + DATE_ALLOWED.removeprefix("must be")
# Control characters, line separators and lone surrogates: they break lines in files, or cannot be written at all.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def checked_text(name: str, value: object) -> str:
    """`value` without surrounding blanks: "A" and "A " must not pass for two disjoint parts."""
    if isinstance(value, str) and not _FORBIDDEN.search(value) and 1 <= len(value.strip()) <= LONGEST_TEXT:
        return value.strip()
    raise ValueError(
        f"{name} must be text of 1 to {LONGEST_TEXT} characters without control characters; got {reprlib.repr(value)}"
    )


@dataclass(frozen=True, slots=True, repr=False)
class Release:
    """One use of a mechanism on the data, `count` times; on every day of its cadence, where it has one.

    Parameters
    ----------
    name : str
        1 to 80 characters; blanks around it are dropped.
    mechanism : Mechanism
        One of ``dpviz.mechanisms.MECHANISMS``.
    count : int
        How often it is used, each time it falls due, in [0, 1000000000].
    part : str, optional
        The part of the data it reads. Releases in different parts read disjoint data; None reads all the data.
    start, end : date, optional
        First day, and last possible day of one that recurs. Without `end` a recurring release would have no finite
        total: it is refused. Every day may be written as `dpviz.plan.cadence.checked_day` reads it; it is kept
        as a date.
    cadence : str, optional
        A key of ``dpviz.plan.cadence.CADENCES``; None is once.
    weight : float
        How much its error matters beside that of the others, in (0, inf).
    typical : float, optional
        Size of a typical true value, in units of the answer, in (0, inf).
    done : bool or date
        Whether it is published already; a date means that what falls until that day, included, is. A release without
        a start has no day of its own: there any date means all of it.
    answer_unit : str, optional
        What its answer is counted in, such as "persons" or "euros": errors are compared within one unit only.
    kind : str, optional
        What it publishes, a key of ``dpviz.plan.kinds.KINDS``. It changes no privacy loss by itself; see
        `dpviz.plan.sensitivity` for what follows from it.
    lower, upper : float, optional
        What each unit's value is clipped to, in units of the answer, in (-inf, inf); both or neither, lower at most
        upper.
    candidates : int, optional
        Of a selection: how many candidates it picks from, at least 1. It says how far the pick may fall short.
    rows : int, optional
        How many rows of one unit one answer reads at most, in [1, 1000000000]; None is one, which nobody stated.
    bars : {"different", "any"}, optional
        Of a histogram: that no two rows of one unit lie in one bar, or that all of them may.
    averaged : int, optional
        Of a mean: how many values it divides by, at the fewest, in [1, 1e13]; of a survey: how many answer. None is all
        people in the data.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from dpviz.mechanisms import Laplace
    >>> release = Release("Visitors", Laplace.from_epsilon(0.1), 4, start="2026-04-01", cadence="daily",
    ...                   end="2026-04-30")
    >>> release.occurrences, release.uses
    (30, 120)
    >>> replace(release, done="2026-04-07").done_uses
    28
    """

    name: str
    mechanism: Mechanism
    count: int = 1
    part: str | None = None
    start: Day | None = field(default=None, kw_only=True)
    cadence: CadenceKey | None = field(default=None, kw_only=True)
    end: Day | None = field(default=None, kw_only=True)
    weight: float = field(default=1.0, kw_only=True)
    typical: float | None = field(default=None, kw_only=True)
    done: bool | Day = field(default=False, kw_only=True)
    answer_unit: str | None = field(default=None, kw_only=True)
    kind: KindKey | None = field(default=None, kw_only=True)
    lower: float | None = field(default=None, kw_only=True)
    upper: float | None = field(default=None, kw_only=True)
    candidates: int | None = field(default=None, kw_only=True)
    rows: int | None = field(default=None, kw_only=True)
    bars: BarsKey | None = field(default=None, kw_only=True)
    averaged: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_text("name", self.name))
        if not isinstance(self.mechanism, Mechanism):
            allowed = ", ".join(mechanism.__name__ for mechanism in MECHANISMS)
            raise ValueError(f"mechanism must be one of {allowed}; got {reprlib.repr(self.mechanism)}")
        object.__setattr__(self, "count", COUNT.check(self.count))
        for name in _TEXTS:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_text(name, getattr(self, name)))
        object.__setattr__(self, "weight", WEIGHT.check(self.weight))
        if self.typical is not None:
            object.__setattr__(self, "typical", TYPICAL.check(self.typical))
        if self.candidates is not None:
            object.__setattr__(self, "candidates", CANDIDATES.check(self.candidates))
        if not isinstance(self.done, bool):
            object.__setattr__(self, "done", checked_day(self.done, "done", _DONE_ALLOWED))
        _check_dates(self)
        _check_meaning(self)

    def __repr__(self) -> str:
        """How a shell shows it: with what was given, not with what is as usual."""
        given = [repr(self.name), repr(self.mechanism)]
        for each in fields(self)[2:]:
            value = getattr(self, each.name)
            if value != each.default:
                given.append(f"{each.name}={(str(value) if isinstance(value, date) else value)!r}")
        return f"Release({', '.join(given)})"

    @property
    def occurrences(self) -> int:
        """On how many days it falls; 1 where it does not recur."""
        return occurrences(self.start, self.cadence, self.end)

    @property
    def uses(self) -> int:
        """How often it is used in all: `count` on every day on which it falls."""
        return self.count * self.occurrences

    @property
    def done_occurrences(self) -> int:
        """On how many of its days it is published already."""
        if isinstance(self.done, bool) or self.start is None:
            return self.occurrences if self.done else 0
        if self.start > self.done:
            return 0
        return occurrences(self.start, self.cadence, min(self.end, self.done)) if self.end else 1

    @property
    def done_uses(self) -> int:
        """How often it is used in what is published already."""
        return self.count * self.done_occurrences

    def bare(self, mechanism: Mechanism) -> Release:
        """Return it with another mechanism, and nothing of what sensitivities follow from.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> Release("Income", Laplace(10), kind="sum", lower=0, upper=60, rows=3).bare(Laplace(10, 1))
        Release('Income', Laplace(scale=10.0, sensitivity=1.0))
        """
        said = ("kind", "lower", "upper", "rows", "bars", "averaged")
        return replace(self, mechanism=mechanism, **dict.fromkeys(said))


    def of_units(self, copies: int, days: int = 1) -> Release:
        """Return it as a unit with so many records in it, on so many days, meets it; see `Plan.of_units`.

        Of a survey whose answers are randomized each by itself, that is so many answers: each is as noisy as before.

        Parameters
        ----------
        copies : int
            In [1, 1e6].
        days : int
            At least 1.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace, RandomizedResponse
        >>> Release("Smokes", RandomizedResponse(1.0), kind="survey").of_units(3).count
        3
        >>> Release("Income", Laplace(10, 1)).of_units(3)
        Release('Income', Laplace(scale=10.0, sensitivity=3.0))
        """
        if self.kind == "survey" and isinstance(self.mechanism, RandomizedResponse | KaryRandomizedResponse):
            return replace(self, count=self.count * COPIES.check(copies) * days)
        mechanism = self.mechanism.grouped(copies)
        randomized = isinstance(self.mechanism.base, RandomizedResponse | KaryRandomizedResponse)
        kind = "survey" if randomized and copies > 1 and not self.kind else self.kind  # what it says no more
        return replace(self, mechanism=mechanism, count=self.count * days, kind=kind)


def _check_dates(release: Release) -> None:
    """Refuse dates that do not make a schedule, or one that is used too often."""
    for name in ("start", "end"):
        if getattr(release, name) is not None:
            object.__setattr__(release, name, checked_day(getattr(release, name), name))
    if release.cadence is not None:
        checked_choice(release.cadence, CADENCE_KEYS, "cadence")
    if not recurs(release.cadence):
        if release.end is not None:
            raise ValueError(f"end must be empty of a release that does not recur; got {release.end}")
        return
    for name in ("start", "end"):
        if getattr(release, name) is None:
            raise ValueError(f"{name} must be given, since a {release.cadence} release without it has no finite total")
    if release.end < release.start:
        raise ValueError(f"end must not lie before start, {release.start}; got {release.end}")
    COUNT.check(release.uses, "count on every day of the cadence")


def _check_meaning(release: Release) -> None:
    """Refuse an unknown kind of answer, bounds that no value can be clipped to, and rows of one unit that are none."""
    if release.kind is not None:
        kind_named(release.kind)
    if release.rows is not None:
        object.__setattr__(release, "rows", ROWS.check(release.rows))
    if release.averaged is not None:
        object.__setattr__(release, "averaged", AVERAGED.check(release.averaged))
    if release.bars is not None:
        checked_choice(release.bars, BARS, "bars")
    if release.lower is not None or release.upper is not None:
        for name, bound in zip(("lower", "upper"), checked_bounds(release.lower, release.upper), strict=True):
            object.__setattr__(release, name, bound)
