"""What a check is, what it may ask its author, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dpviz.parameters import checked_choice
from dpviz.plan import Plan
from dpviz.records import Record
from dpviz.rounding import shown_count

# The number is not what the plan costs; only its author knows whether it is; good to know.
FAULT, QUESTION, NOTE = SEVERITIES = ("fault", "question", "note")
BATCHES = ("poisson", "shuffled", "fixed")
NAMED = 3  # releases that a sentence names before it counts the others
BOOK = "https://doi.org/10.1561/0400000042"
GUIDELINES = "https://doi.org/10.6028/NIST.SP.800-226"


@dataclass(frozen=True, slots=True)
class Context:
    """What a plan does not say, and its author knows.

    Parameters
    ----------
    batches : {"poisson", "shuffled", "fixed"}, optional
        How the batches of sampled releases are really drawn; None is not stated.
    parts_disjoint : bool, optional
        Whether every person is in one part only; None is not stated.
    whole_numbers : bool, optional
        Whether counts get noise that is itself a whole number; None is not stated.

    Raises
    ------
    ValueError
        When a value is not allowed.
    """

    batches: str | None = None
    parts_disjoint: bool | None = None
    whole_numbers: bool | None = None

    def __post_init__(self) -> None:
        if self.batches is not None and self.batches not in BATCHES:
            raise ValueError(f"batches must be one of None, {', '.join(BATCHES)}; got {self.batches!r}")
        for name in ("parts_disjoint", "whole_numbers"):
            if not isinstance(getattr(self, name), bool | None):
                raise ValueError(f"{name} must be None, True or False; got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Parameters
    ----------
    check : str
        Key of the check.
    sentence : str
        The reason with its numbers, plain text: names of releases are as typed, so whoever shows it escapes them.
    rows : tuple of int
        Positions (0-based) of the releases concerned; () where it is about the plan.
    see : str
        Where to read on: the address of a source, or the package of dpviz that computes it, such as "filters".
    severity : {"fault", "question", "note"}
        "fault": the total quoted is surely not what the plan costs. "question": the total answers what was meant only
        if something holds that nobody stated, or that looks otherwise. "note": the total stands; good to know.
    """

    check: str
    sentence: str
    rows: tuple[int, ...] = ()
    see: str = ""
    severity: str = QUESTION

    def __post_init__(self) -> None:
        checked_choice(self.severity, SEVERITIES, "severity")


@dataclass(frozen=True, slots=True)
class Check(Record):
    """A known mistake, and the function that finds it.

    Parameters
    ----------
    find : callable
        ``find(plan, context)``: an iterable of Finding.
    """

    find: Callable[[Plan, Context], Iterable[Finding]]


def named(plan: Plan, rows: Iterable[int]) -> str:
    """Return the names of some releases for a sentence: each once, the first three, and how many more.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> named(Plan([Release(name, Laplace(1)) for name in "abcde"]), range(5))
    '“a”, “b”, “c” and 2 more'
    """
    names = list(dict.fromkeys(plan.releases[row].name for row in rows))
    quoted = [f"“{name}”" for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(quoted)} and {shown_count(len(names) - NAMED)} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def used(plan: Plan) -> list[int]:
    """Return the positions of the releases that are used at least once."""
    return [row for row, release in enumerate(plan.releases) if release.uses]
