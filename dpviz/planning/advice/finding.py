"""What a check is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dpviz.parameters import checked_choice
from dpviz.plan import Answers, Plan
from dpviz.plan.units import whose
from dpviz.planning.advice.mend import Cost, Mend
from dpviz.records import Record
from dpviz.rounding import shown_count

# The number is not what the plan costs; only its author knows whether it is; good to know.
FAULT, QUESTION, NOTE = SEVERITIES = ("fault", "question", "note")
NAMED = 3  # releases that a sentence names before it counts the others
BOOK = "https://doi.org/10.1561/0400000042"
GUIDELINES = "https://doi.org/10.6028/NIST.SP.800-226"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """One thing that a check found.

    Parameters
    ----------
    check : str
        Key of the check.
    said : str or tuple of str and Cost
        The reason: its words, and where the totals stand in it, which are composed when the sentence is read.
    rows : tuple of int
        Positions (0-based) of the releases concerned; () where it is about the plan.
    see : str
        Where to read on: the address of a source, or the package of dpviz that computes it, such as "filters".
    severity : {"fault", "question", "note"}
        "fault": the total quoted is surely not what the plan costs. "question": the total answers what was meant only
        if something holds that nobody stated, or that looks otherwise. "note": the total stands; good to know.
    press : Mend, optional
        What settles it, where one can be stated.

    Examples
    --------
    >>> from dpviz.planning.advice.finding import Cost
    >>> from dpviz.plan import Plan
    >>> from dpviz.planning.advice.mend import costs
    >>> Finding("parts", ("If nothing is released, ", Cost(Plan([]), costs), ".")).sentence
    'If nothing is released, the total is at most ε = 0.'
    """

    check: str
    said: str | tuple[str | Cost, ...]
    rows: tuple[int, ...] = ()
    see: str = ""
    severity: str = QUESTION
    press: Mend | None = None

    def __post_init__(self) -> None:
        checked_choice(self.severity, SEVERITIES, "severity")

    def __repr__(self) -> str:
        """How a shell shows it: which check found what, and how grave it is."""
        return f"<Finding of {self.check}, a {self.severity}: {self.sentence}>"

    @property
    def sentence(self) -> str:
        """The reason with its numbers, plain text: names of releases are as typed, so whoever shows it escapes them."""
        return self.said if isinstance(self.said, str) else "".join(map(str, self.said))

    @property
    def mend(self) -> Mend | None:
        """What is offered to settle it; None without a press, and where that would leave no finite total but must."""
        return self.press if self.press is None or self.press.offered else None


@dataclass(frozen=True, slots=True)
class Check(Record):
    """A known mistake, and the function that finds it.

    Parameters
    ----------
    find : callable
        ``find(plan, answers)``: an iterable of Finding.
    question : str
        What it asks before the total is relied on, in one short question, in which ``{unit}`` stands for whom the
        promise is about.
    why : str
        Why, for people: one sentence without symbols, with the same placeholder.
    """

    find: Callable[[Plan, Answers], Iterable[Finding]]
    question: str
    why: str

    def asked(self, unit: str) -> str:
        """Return its question about one unit of privacy, plain text."""
        return self.question.format(unit=unit, one=whose(unit))


def named(plan: Plan, rows: Iterable[int]) -> str:
    """Return the names of some releases for a sentence: each once, the first three, and how many more.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> named(Plan([Release(name, Laplace(1, 1)) for name in "abcde"]), range(5))
    '“a”, “b”, “c” and 2 more'
    """
    return quoted_names(plan.releases[row].name for row in rows)


def quoted_names(names: Iterable[str]) -> str:
    """Return names for a sentence, as `named` does.

    Examples
    --------
    >>> quoted_names(["a", "b", "a"])
    '“a” and “b”'
    """
    names = list(dict.fromkeys(names))
    quoted = [f"“{name}”" for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(quoted)} and {shown_count(len(names) - NAMED)} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def used(plan: Plan) -> list[int]:
    """Return the positions of the releases that are used at least once."""
    return [row for row, release in enumerate(plan.releases) if release.uses]
