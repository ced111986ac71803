"""What the workbench still asks of a document: what was typed for something else, and nobody said that it is enough."""

from __future__ import annotations

from dpviz.plan import Document, Release
from dpviz.plan.cadence import cadence_named
from dpviz.plan.document import CHANGED, PROMISE
from dpviz.rounding import shown_count
from dpviz.ui.shell import words
from dpviz.ui.shell.document.rows import outgrown, stated_otherwise
from dpviz.ui.shell.plan_rows import CELLS

MOST_NAMED = 3  # releases in one sentence
ASKED = {
    PROMISE: "Whom do these releases protect, and what may they cost?",
    CHANGED: "Was what changed after a release was done decided before its first result was known?",
}
OUTGROWN = "Are sensitivities that were typed while one {} was added or removed enough where it is replaced?"
STATED = "Does what {} may cost, stated while one {} was added or removed, hold where it is replaced?"
RENAMED = "Is one {} the same as one {}, for whom all was counted?"


def unanswered(held: Document) -> tuple[str, ...]:
    """Return the questions of which one answer would make the total of a document another one, plain text.

    Examples
    --------
    >>> from dpviz import Laplace, Plan
    >>> plan = Plan([Release("Visits", Laplace(10, 1))], unit="guest")
    >>> unanswered(Document(plan)), unanswered(Document(plan, opened=plan.with_(unit="person")))
    ((), ('Is one guest the same as one person, for whom all was counted?',))
    """
    unit = held.plan.unit_in_words
    asked = [ASKED[each] for each in held.questions]
    if words.only_renamed(held.opened, held.plan):
        asked.append(RENAMED.format(unit, held.opened.unit_in_words))
    if outgrown(held):
        asked.append(OUTGROWN.format(unit))
    if names := stated_otherwise(held):
        asked.append(STATED.format("”, “".join(names[:MOST_NAMED]).join("“”"), unit))
    return (*asked, *of_a_longer_time(held))


def of_a_longer_time(held: Document) -> list[str]:
    """Return what is asked of releases that come out less often than when their rows or sensitivity were typed."""
    releases = {each.name: each for each in held.plan.releases}
    pairs = [(releases[name], cadence_named(key).label) for name, key in held.typed_shorter if name in releases]
    return [
        f"“{words.shortened(each.name, 40)}” came out {often} when {_typed(each)} was typed: is that enough for the "
        "longer time, too?"
        for each, often in pairs[:MOST_NAMED]
    ]


def _typed(release: Release) -> str:
    if release.rows:
        return f"{shown_count(release.rows)} under “{CELLS['rows'].label}”"
    own = getattr(release.mechanism.base, "sensitivity", None)
    return "its loss" if own is None else f"its sensitivity {own:.12g}"
