"""Findings about rows that look like one release: the same row twice, or one statistic by two names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from dpviz.plan import Answers, Plan, Release
from dpviz.planning.advice.finding import FAULT, QUESTION, Finding, named, used
from dpviz.planning.advice.mend import Cost, Mend, costs
from dpviz.rounding import shown_count

# Words that tell no two statistics apart, and those that say the same.
_FILLING = {
    "a", "an", "the", "of", "in", "on", "at", "by", "per", "for", "and", "all", "number", "count", "counts", "total",
    "sum", "no", "released", "published", "copy", "duplicate",
}  # fmt: skip
_SAME = {
    "average": "mean", "avg": "mean", "people": "person", "persons": "person", "individuals": "person",
    "share": "percent", "percentage": "percent", "proportion": "percent",
}  # fmt: skip
_MATTERS_NOT = {"name": "-", "weight": 1.0, "typical": None, "done": False}


def lookalikes(plan: Plan) -> tuple[tuple[int, ...], ...]:
    """Return the rows, in groups, that may be one release.

    They publish the same kind of answer, in the same unit and part, on days that overlap, and either their names say
    the same, or everything else is equal, clipping bounds included.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> names = ("Number of visits", "Visits", "Visits per region", "visit count")
    >>> lookalikes(Plan([Release(name, Laplace(10, 1)) for name in names]))
    ((0, 1, 3),)
    """
    by_name = _groups(plan, _named_alike)
    place = {row: number for number, group in enumerate(by_name) for row in group}
    further = [group for group in _groups(plan, _all_alike) if len({place.get(row, -row - 1) for row in group}) > 1]
    return (*by_name, *further)


def _groups(plan: Plan, key: Callable[[Release], tuple | None]) -> tuple[tuple[int, ...], ...]:
    """The used rows of one key whose days overlap, where there are several."""
    found: dict[tuple, list[int]] = {}
    for row in used(plan):
        if (shared := key(plan.releases[row])) is not None:
            found.setdefault(shared, []).append(row)
    return tuple(group for rows in found.values() if len(rows) > 1 for group in _overlapping(plan, rows))


def _overlapping(plan: Plan, rows: list[int]) -> Iterator[tuple[int, ...]]:
    """Rows in groups whose days overlap; those without a date are one."""
    undated = tuple(row for row in rows if plan.releases[row].start is None)
    groups, last = [undated], None
    for row in sorted(set(rows) - set(undated), key=lambda row: plan.releases[row].start):
        release = plan.releases[row]
        if last is None or release.start > last:
            groups.append(())
        groups[-1] = tuple(sorted((*groups[-1], row)))
        last = max(filter(None, (last, release.end or release.start)))
    return (group for group in groups if len(group) > 1)


def _named_alike(release: Release) -> tuple | None:
    """What two rows by names of the same meaning share."""
    words = re.findall(r"\w+", release.name.casefold())
    words = frozenset(_stem(word) for word in words if word not in _FILLING) or frozenset(words)
    what = (release.kind, release.lower, release.upper, release.answer_unit, release.part)
    return ("name", words, what)


def _stem(word: str) -> str:
    word = _SAME.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _all_alike(release: Release) -> tuple | None:
    """What two rows with the same bounds share, whatever their names; None without bounds, as it may be chance then."""
    return None if release.upper is None else ("all", replace(release, **_MATTERS_NOT))


def same_statistic(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find rows that may be one release, which is counted several times."""
    groups = () if answers.same_statistic is False else lookalikes(plan)
    if not groups:
        return
    rows = tuple(dict.fromkeys(row for group in groups for row in group))
    further = {row for group in groups for row in _further(plan, group)}
    once = _without(plan, further) if further else None
    told = "they are one release." if answers.same_statistic else "are they one release?"
    yield Finding(
        "same_statistic",
        (
            f"{named(plan, rows)} ({_places(rows)}): names of the same words, or all but names alike; {told}",
            *((" Counted once, ", Cost(once, costs), ".") if once else ()),
            " If more than one is published, all count.",
        ),
        rows,
        "composition",
        FAULT if answers.same_statistic else QUESTION,
        once and Mend("Count each once", once),
    )


def _further(plan: Plan, group: tuple[int, ...]) -> set[int]:
    """The rows of a group that another one of the same noise stands for, as often and as long; none that is done."""
    order = sorted(group, key=lambda row: (not plan.releases[row].done_uses, -plan.releases[row].uses))
    kept: list[int] = []
    for row in order:
        if plan.releases[row].done_uses or not any(_stands_for(*(plan.releases[at] for at in (other, row)))
                                                   for other in kept):  # fmt: skip
            kept.append(row)
    return {*group} - {*kept}


def _stands_for(one: Release, other: Release) -> bool:
    """Whether one release loses all that another does, on each of its days, if both are the same."""
    if (one.mechanism, one.cadence) != (other.mechanism, other.cadence) or (one.start is None) != (other.start is None):
        return False
    if one.uses < other.uses or one.count < other.count:
        return False
    return one.start is None or (
        one.start <= other.start and (other.end or other.start) <= (one.end or one.start)
    )  # fmt: skip


def _places(rows: tuple[int, ...]) -> str:
    places = [str(row + 1) for row in rows[:4]]
    more = f" and {shown_count(len(rows) - 4)} more" if len(rows) > 4 else ""
    return f"rows {', '.join(places)}{more}"


def _without(plan: Plan, rows: Iterable[int]) -> Plan:
    out = set(rows)
    left = replace(plan, releases=tuple(each for row, each in enumerate(plan.releases) if row not in out))
    return left if left.neighbours == plan.neighbours else replace(left, relation=plan.neighbours)
