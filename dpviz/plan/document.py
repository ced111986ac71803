"""What a person works on: a plan, the plan A that it is compared with, their names, and what is still to be said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from math import inf

from dpviz.decimals import spelt
from dpviz.guarantee import Guarantee
from dpviz.plan.field_table import FIELDS
from dpviz.plan.fields import DEFAULTS
from dpviz.plan.plan import Plan
from dpviz.plan.release import Release

OWN = "own plan"  # the name of a plan that nobody has named
LONGEST_NAME = 80
MOST_TOLD, LONGEST_TOLD = 12, 400  # sentences on another program's file that a document keeps, and letters of each
PROMISE, CHANGED = QUESTIONS = ("promise", "changed")
_PROMISED = ("budget", "unit", "relation", "population")
# What changes no privacy loss by itself, whatever result it was chosen after, as it is where nothing is given.
_NEUTRAL = {"name": "-"} | {
    field.name: DEFAULTS[field.name] for field in FIELDS if field.neutral and field.name in DEFAULTS
}


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A row of the table that makes no release, kept exactly as typed.

    Parameters
    ----------
    position : int
        Its place in the table, from 0.
    cells : tuple of (str, str)
        Column and text of its cells that are not empty.

    Examples
    --------
    >>> str(Uncounted(1, (("name", "Survey"), ("epsilon", "0,05"))))
    'row 2, “Survey”'
    """

    position: int
    cells: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"row {self.position + 1}, “{dict(self.cells).get('name', '')}”"


@dataclass(frozen=True, slots=True)
class Origin:
    """What is to be known of a plan that was read from a file of another program, whatever is changed of it later.

    Parameters
    ----------
    form : str
        What kind of file it was, in words.
    not_understood : tuple of str
        What the plan does not hold of the file, one sentence each; plain text.
    incomplete : bool
        Whether releases are among that: then the plan costs less than what the file describes.
    claim : Guarantee, optional
        What the file says that all of it costs; it is no budget.
    printed : str
        ε of the claim as it stands in the file, where its last digits count; "" where that is not known.
    left_open : tuple of str
        Keys of ``dpviz.claims.ASPECTS`` that files of this form do not tell.

    Raises
    ------
    ValueError
        When what was printed is another number than the claim.

    Examples
    --------
    >>> Origin("a list", ("x" * 999,) * 20).shortened.not_understood[-1]
    'And 9 more.'
    """

    form: str = "a plan of dpviz"
    not_understood: tuple[str, ...] = ()
    incomplete: bool = False
    claim: Guarantee | None = None
    printed: str = ""
    left_open: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.printed and (self.claim is None or spelt(self.printed, self.claim.epsilon) != self.printed):
            raise ValueError(f"printed must be the text of the claimed epsilon; got {self.printed!r:.60}")

    @property
    def shortened(self) -> Origin:
        """The same, with no more and no longer sentences than a document keeps."""
        told = self.not_understood
        if len(told) > MOST_TOLD:
            told = (*told[: MOST_TOLD - 1], f"And {len(told) - MOST_TOLD + 1:,} more.")
        told = tuple(each[:LONGEST_TOLD] for each in told)
        left_open = tuple(each[:LONGEST_NAME] for each in self.left_open[:MOST_TOLD])
        return Origin(self.form[:LONGEST_NAME], told, self.incomplete, self.claim, self.printed, left_open)

    @property
    def silent(self) -> bool:
        """Whether nothing is told of it, and no release may be missing."""
        return not self.not_understood and not self.incomplete

    @property
    def dismissed(self) -> Origin:
        """The same once somebody has read what was not understood, and entered what was missing."""
        return replace(self, not_understood=(), incomplete=False)


@dataclass(frozen=True, slots=True)
class Document:
    """One plan at work; every change makes a new document, so that each former one can be returned to.

    Parameters
    ----------
    plan : Plan
        The releases that count, with their promise.
    name : str
        Of the plan, at most 80 characters.
    opened : Plan, optional
        The plan as it was opened; `plan` itself where nothing else is given.
    baseline : Plan, optional
        The plan A that was kept for a comparison.
    baseline_name : str
        Its name.
    uncounted : tuple of Uncounted
        Rows of the table that are no releases yet, in their order.
    questions : tuple of str
        Those of `QUESTIONS` that are still to be answered: whom the plan protects and what it may cost ("promise"),
        and whether what was changed after a release was done depends on results ("changed").
    author : str
        Who answers for the plan, as a report names them: at most 80 characters, "" where nobody is named. It is no part
        of the plan, so plan files do not hold it.
    origin : Origin, optional
        What is to be known of the file that it was opened from, where that was another program's.
    typed_otherwise : tuple of (float, str)
        Sensitivity and name of the releases whose sensitivity was typed while the other neighbour relation held.
    typed_shorter : tuple of (str, str)
        Name of each release that comes out less often than when its rows of one unit, or its sensitivity, were typed,
        and the key of the cadence that it had then.
    typical_before : tuple of (str, str)
        Name of each release whose typical value was typed when it came out in another rhythm, and the key of that.
    begin : date, optional
        First day of what recurs, where nothing in the table has days yet; None for that of the coming year.
    saved : str
        Identifier of the saved plan that this is a state of, "" where it is of none. It says where a document came
        from, not what it holds: files and links leave it out, and documents that differ in it alone are equal.

    Examples
    --------
    >>> document = Document(Plan([], unit="household"), "Census")
    >>> document.a == document.plan, document.edited(Plan([])).opened.unit
    (True, 'household')
    """

    plan: Plan
    name: str = OWN
    opened: Plan | None = None
    baseline: Plan | None = None
    baseline_name: str = ""
    uncounted: tuple[Uncounted, ...] = ()
    questions: tuple[str, ...] = ()
    author: str = ""
    origin: Origin | None = None
    typed_otherwise: tuple[tuple[float, str], ...] = ()
    typed_shorter: tuple[tuple[str, str], ...] = ()
    typical_before: tuple[tuple[str, str], ...] = ()
    begin: date | None = None
    saved: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.opened is None:
            object.__setattr__(self, "opened", self.plan)
        object.__setattr__(self, "name", self.name.strip()[:LONGEST_NAME] or OWN)
        object.__setattr__(self, "author", self.author.strip()[:LONGEST_NAME].strip())

    @property
    def a(self) -> Plan:
        """The plan that this one is compared with: the one that was kept, else this one as it was opened."""
        return self.baseline or self.opened

    @property
    def pristine(self) -> bool:
        """Whether there is nothing but the plan as it was opened."""
        return self == Document(self.opened, self.name)

    def edited(self, plan: Plan, uncounted: Iterable[Uncounted] | None = None) -> Document:
        """Return the document with another plan, asking what the change leaves to be said.

        Parameters
        ----------
        plan : Plan
        uncounted : iterable of Uncounted, optional
            The rows that are no releases; None keeps those there are.
        """
        open_questions, opened = set(self.questions), self.opened
        said = {name: getattr(plan, name) for name in _PROMISED}
        if PROMISE in open_questions and any(getattr(self.plan, name) != value for name, value in said.items()):
            if plan.unit is not None and plan.budget.epsilon < inf:
                open_questions.discard(PROMISE)
            opened = replace(opened, releases=(), **said)  # nothing was promised before: there is nothing to compare
            opened = fitting(opened, self.opened.releases)[0]
        if plan.adaptive:
            open_questions.discard(CHANGED)
        elif any(each.done for each in self.plan.releases) and _essence(plan) != _essence(self.plan):
            open_questions.add(CHANGED)
        rows = self.uncounted if uncounted is None else tuple(uncounted)
        questions = tuple(each for each in QUESTIONS if each in open_questions)
        return replace(self, plan=plan, opened=opened, uncounted=rows, questions=questions)

    def answered(self, question: str) -> Document:
        """Return the document without one of its questions."""
        return replace(self, questions=tuple(each for each in self.questions if each != question))


def _essence(plan: Plan) -> tuple[Release, ...]:
    """The releases without what says nothing of their privacy loss."""
    return tuple(replace(each, **_NEUTRAL) for each in plan.releases if each.uses)


def fitting(plan: Plan, releases: Iterable[Release]) -> tuple[Plan, list[tuple[int, str]]]:
    """Return the plan with as many of these releases as it allows together, in their order, and what is refused.

    Parameters
    ----------
    plan : Plan
        Its promise holds for all of them.
    releases : iterable of Release

    Returns
    -------
    plan : Plan
    refused : list of (int, str)
        Position (from 0) and reason of each release that contradicts the promise, or one before it, or whose
        sensitivity lets no total be quoted.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> north = Release("North", Laplace(1.0, 1), part="north")
    >>> fitting(Plan([], relation="replace_one"), [north])[1][0][0]
    0
    """
    releases = tuple(releases)
    try:
        whole = replace(plan, releases=releases)
        if not whole.faults:
            return whole, []
    except ValueError:
        pass  # which of them it is, is looked for only here
    accepted, refused = [], []
    for position, release in enumerate(releases):
        try:
            beside = replace(plan, releases=(*accepted, release))
        except ValueError as error:
            refused.append((position, str(error)))
            continue
        if fault := beside.faults.get(len(accepted)):
            refused.append((position, fault))
        else:
            accepted.append(release)
    return replace(plan, releases=tuple(accepted)), refused
