"""Sentences of the page on claims."""

from __future__ import annotations

import math

from dpviz.claims import ASPECTS, HOLDS, TOO_SMALL, Judgement
from dpviz.claims.judgement import BETWEEN, BOUNDS_ONLY, DEPENDS, REASONS, ReadSo
from dpviz.rounding import shown_beyond, shown_delta, shown_down, shown_near, shown_total, shown_up
from dpviz.ui.claims.asked import Question
from dpviz.ui.shell import reading
from dpviz.ui.shell.words import escaped

TITLE = "Does it cost what somebody says?"
TITLE_IN_WORDS = "Is the promise kept?"
VERDICTS = {HOLDS: "holds", TOO_SMALL: "too small", "undecided": "nobody can tell"}
PICTURE = {
    HOLDS: "The claim lies beyond all that is lost",
    TOO_SMALL: "The claim lies within what is certainly lost",
    "undecided": "The claim lies where nothing is proved",
}
LOWER = (
    "“At least” is certain only of noise that is known: then two data sets exist whose answers differ by the whole "
    "sensitivity. Of what is stated by a bound alone, nothing is certain."
)


def claimed(found: Judgement) -> str:
    """Return the stated ε, as it was typed."""
    return shown_near(found.stated.epsilon, 9)


def _at(found: Judgement) -> str:
    return f" at δ = {shown_delta(found.stated.delta)}"


def finding(asked: Question, found: Judgement) -> str:
    """Return the verdict, in one or two sentences."""
    if found.verdict == HOLDS:
        return _holds(asked, found)
    if found.verdict == TOO_SMALL:
        return _too_small(asked, found)
    because = _because(found)
    if asked.in_words:
        return f"**Nobody can tell from what was published**, because {because}."
    stated = f"ε = {claimed(found)}{_at(found)}"
    return f"**Nobody can tell from what was published** whether {stated} holds, because {because}."


def unclaimed(asked: Question, least: float, most: float) -> str:
    """Return what is proved of releases of which nobody claims anything, and that a claim is asked for."""
    if not asked.plan.releases:
        return "**Nothing is released, so there is nothing to check.** Choose a claim, or open a file."
    low = f"at least **{shown_down(least)}**" if 0 < least < math.inf else ""
    high = "" if math.isinf(most) else f"at most **{shown_up(most)}**"
    proved = " and ".join(filter(None, (low, high))) or "nothing bounds what"
    at = f" at δ = {shown_delta(asked.delta)}"
    return f"**Which ε is claimed?** This plan has no budget, so nobody has claimed one yet: {proved} is lost{at}."


def _holds(asked: Question, found: Judgement) -> str:
    most = shown_total(found.most, found.stated.epsilon)
    if asked.in_words:
        spare = f", where {claimed(found)} was promised" if found.spare > 0 else ""
        return f"**The promise is kept.** At most **{most}** is lost{spare}."
    by = "" if len(found.read) > 1 else f", by {escaped(found.ends.theorem)}"
    smaller = f" The claim could be smaller by {shown_down(found.spare)}." if found.spare > 0 else ""
    return f"**The claim holds:** the releases cost at most **ε = {most}**{_at(found)}{by}.{smaller}"


def _too_small(asked: Question, found: Judgement) -> str:
    least = shown_beyond(found.least, found.stated.epsilon)
    if math.isinf(found.least):
        said = "no limit to what may be lost" if asked.in_words else f"no finite ε{_at(found)} is enough"
        kind = "promise is broken" if asked.in_words else "claim is too small"
        return f"**The {kind}:** there is {said}." if asked.in_words else f"**The {kind}:** {said}."
    rounded = " It may have been rounded down when it was printed." if found.only_by_rounding else ""
    if asked.in_words:
        return f"**The promise is broken: at least {least}** is lost, where {claimed(found)} was promised.{rounded}"
    return (
        f"**The claim is too small: at least ε = {least}** is lost{_at(found)}, where {claimed(found)} is claimed. "
        f"This is certified, and not only what some theorem says.{rounded}"
    )


def _because(found: Judgement) -> str:
    """Why nobody can tell."""
    ends, told = found.ends, REASONS[found.reason]
    if found.reason == DEPENDS:
        return _depends(found)
    if found.reason == BOUNDS_ONLY:
        if math.isinf(ends.unprovable):
            most = "more than any limit"
        else:
            most = f"as much as **{shown_beyond(ends.unprovable, found.stated.epsilon)}**"
        return f"{told}. Whatever keeps these bounds may lose {most}; what was really done may lose less"
    if found.reason == BETWEEN:
        return f"{told}, {shown_down(ends.lower)} and {shown_total(ends.upper, found.stated.epsilon)}"
    return told


def _depends(found: Judgement) -> str:
    """What the claim is under the readings that are open, the kindest and the worst."""
    told, epsilon = " and ".join(ASPECTS[each] for each in found.left_open), found.stated.epsilon
    lost = max(each.ends.lower for each in found.read)
    best = min(each.ends.upper for each in found.read)
    broken = f"at least **{shown_beyond(lost, epsilon)}** is lost" if lost > epsilon else "nothing bounds it as claimed"
    if best <= epsilon:
        kind = f"at most **{shown_total(best, epsilon)}** is lost"
        return f"{REASONS[DEPENDS]} ({told}): under one reading {kind}, under another {broken}"
    return f"{REASONS[DEPENDS]} ({told}): under one reading {broken}, under another that is not certain"


def of_unit(found: Judgement) -> str:
    """Return what the claim is about where the schedule goes beyond the period of one unit; "" else."""
    if (cost := found.one_unit) is None:
        return ""
    unit = escaped(found.plan.unit_in_words)
    return f"The claim is about one **{unit}**; the dearest is from {cost.start} to {cost.end}."


def source(asked: Question) -> str:
    """Return what is claimed, and where it stands."""
    if asked.published is None:
        claim = "that of the file it was opened from" if asked.origin and asked.origin.claim else "its budget"
        return f"The releases are those of your plan, and the claim is {claim} unless you type another."
    told = escaped(reading.told(asked.published.says))
    where = escaped(reading.told(asked.published.source))
    where = f"[{where}]({asked.published.address})" if asked.published.address else where
    return f"{told} Source: {where}."


def row(read: ReadSo, found: Judgement) -> dict[str, str]:
    """Return one line of the table of readings."""
    (reading,) = read.readings
    ends, epsilon = read.ends, found.stated.epsilon
    return {
        "If": reading.label,
        "Not disclosed": ASPECTS[reading.aspect] + (" (open)" if reading.aspect in found.left_open else ""),
        "At least": "–" if read.refused else shown_beyond(ends.lower, epsilon),
        "At most": "–" if math.isinf(ends.upper) else shown_total(ends.upper, epsilon),
        "The claim": VERDICTS[ends.verdict(epsilon)],
        "Why": read.refused or reading.means,
    }
