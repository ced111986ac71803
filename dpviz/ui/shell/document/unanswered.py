"""What the workbench still asks of a document: what was typed for something else, and nobody said that it is enough."""

from __future__ import annotations

from dpviz.plan import Document, Release
from dpviz.plan.cadence import cadence_named, most_within, recurs
from dpviz.plan.document import CHANGED, PROMISE
from dpviz.plan.units import whose
from dpviz.rounding import shown_count
from dpviz.ui.shell import words
from dpviz.ui.shell.document.filled_in import coming_year, prefilled
from dpviz.ui.shell.document.rows import counted, outgrown, rows_of, stated_otherwise, with_rows

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
    return [asked_of_longer(held, row, key) for row, key in longer_times(held)[:MOST_NAMED]]


def longer_times(held: Document) -> list[tuple[int, str]]:
    """Return the rows of these releases, each with the key of the rhythm that it had.

    Without those of the same name that come out no less often than what was noted.
    """
    noted = dict(held.typed_shorter)
    named = ((row, each) for row, each in enumerate(held.plan.releases) if each.name in noted)
    return [(row, noted[each.name]) for row, each in named if _longer(each, noted[each.name])]


def _longer(release: Release, before: str) -> bool:
    """Whether a release comes out less often than in a rhythm, or for all of the time."""
    return not recurs(release.cadence) or cadence_named(release.cadence).days > cadence_named(before).days


def asked_of_longer(held: Document, row: int, before: str, letters: int = 40) -> str:
    """Return what is asked of one of them, its name in so many letters.

    Examples
    --------
    >>> from dpviz import Laplace, Plan
    >>> visits = Release("Visits", Laplace(10, 4), rows=4, kind="count")
    >>> asked_of_longer(Document(Plan([visits], unit="guest")), 0, "weekly")
    '4 rows of one guest were typed for a week of “Visits”: are they enough for all of the time?'
    """
    release = held.plan.releases[row]
    own = getattr(release.mechanism.base, "sensitivity", None)
    name = f"“{words.shortened(release.name, letters)}”"
    if release.rows:
        unit, several = whose(held.plan.unit_in_words), release.rows > 1
        what = f"{shown_count(release.rows)} row{'s' * several} of one {unit} {'were' if several else 'was'}"
        are = "are they" if several else "is it"
        return f"{what} typed for {_a(before)} of {name}: {are} enough for {_now(release)}?"
    what = f"The loss of {name} was stated" if own is None else f"The sensitivity {own:.12g} of {name} was typed"
    return f"{what} for {_a(before)}: is it enough for {_now(release)}?"


def other_times(held: Document) -> list[tuple[int, str]]:
    """Return the rows of releases whose typical value was typed for another rhythm, each with the key of that."""
    before = dict(held.typical_before)
    return [(row, before[each.name]) for row, each in enumerate(held.plan.releases)
            if each.typical and each.cadence != before.get(each.name, each.cadence)]  # fmt: skip


def rows_too(held: Document, row: int, before: str) -> bool:
    """Return whether several rows of one unit were typed for that longer time, too: fewer may do, and cost less.

    Examples
    --------
    >>> from dpviz import Laplace, Plan
    >>> weekly = Release("Visits", Laplace(10, 4), rows=4, kind="count", cadence="weekly", start="2027-01-04",
    ...                  end="2027-12-31")
    >>> [rows_too(Document(Plan([weekly])), 0, each) for each in ("monthly", "daily")]
    [True, False]
    """
    release = held.plan.releases[row]
    shorter = recurs(release.cadence) and cadence_named(release.cadence).days < cadence_named(before).days
    return shorter and (release.rows or 1) > 1


def asked_of_other(held: Document, row: int, before: str) -> str:
    """Return what is asked of a typical value, and of rows, that were typed for another rhythm."""
    release, unit = held.plan.releases[row], whose(held.plan.unit_in_words)
    typical, now = f"The typical value {release.typical:,.12g}", _now(release)
    if rows_too(held, row, before):
        name = f"“{words.shortened(release.name, 24)}”"
        what = f"{typical} and {shown_count(release.rows)} rows of one {words.shortened(unit, 20)}"
        return f"{what} were typed for {_a(before)} of {name}: are they those of {now}, too?"
    return f"{typical} of “{words.shortened(release.name, 40)}” was typed for {_a(before)}: is it that of {now}, too?"


def _now(release: Release) -> str:
    return _a(release.cadence) if recurs(release.cadence) else "all of the time"


def _a(cadence: str) -> str:
    """The time between two releases in words, such as "a week"."""
    time = cadence_named(cadence).label.removeprefix("every ")
    return time if time.startswith("two ") else f"a {time}"


def counted_longer(held: Document, row: int, before: str) -> tuple[str, Document] | None:
    """Return words and document for rows that are surely enough for the longer time; None where none are known.

    Those of each shorter time, as often as one longer time touches such a one; of all releases of that name.
    """
    release = held.plan.releases[row]
    if not release.rows or not recurs(release.cadence):
        return None
    times = most_within(before, release.cadence)
    places = {number: place for place, number in counted(held).items()}
    stood = rows_of(held)
    rows = list(stood)
    for other, each in enumerate(held.plan.releases):
        if each.name == release.name and each.rows and recurs(each.cadence) and _longer(each, before):
            more = f"{each.rows * most_within(before, each.cadence)}"
            rows[places[other]] = {**rows[places[other]], "rows": more}
    new = with_rows(held, prefilled(rows, stood, coming_year(), held.plan))  # no sensitivity stays that is too small
    if len(new.uncounted) > len(held.uncounted):
        return None
    time = cadence_named(before).label.removeprefix("every ")
    spans = f"spans of {time}" if time.startswith("two ") else f"{time}s"
    counts = f"{shown_count(release.rows * times)} ({shown_count(release.rows)} in each of up to {times} {spans})"
    return f"Count {counts}", new
