"""Sentences of the page on claims."""

from __future__ import annotations

import math
from dataclasses import replace

from dpviz.claims import ASPECTS, HOLDS, TOO_SMALL, Judgement
from dpviz.claims.judgement import (
    BETWEEN,
    BOUNDS_ONLY,
    DEPENDS,
    INCOMPLETE,
    OTHERWISE,
    REASONS,
    SHARED,
    UNBOUNDED,
    ReadSo,
)
from dpviz.mechanisms import Mechanism, Thresholding
from dpviz.plan import Release
from dpviz.planning.attained import certain
from dpviz.planning.schedule import shared_weeks
from dpviz.rounding import (
    shown_beyond,
    shown_count,
    shown_delta,
    shown_down,
    shown_near,
    shown_rest,
    shown_total,
    shown_up,
)
from dpviz.ui.claims.asked import Question
from dpviz.ui.shell import reading
from dpviz.ui.shell.words import NAMES, escaped, named, shortened, uses

TITLE = "Does it cost what somebody says?"
TITLE_IN_WORDS = "Is the promise kept?"
VERDICTS = {HOLDS: "holds", TOO_SMALL: "too small", "undecided": "nobody can tell"}
PICTURE = {
    HOLDS: "No more can be lost than is claimed",
    TOO_SMALL: "The claim is below the proved lower end: it is broken",
    BETWEEN: "The claim is between the two proved ends: nobody can tell",
    BOUNDS_ONLY: "The claim is below what may be lost: only a bound is known",
    SHARED: "The claim is below what may be lost, and above what is certainly lost",
    UNBOUNDED: "No theorem here bounds what is lost, and nothing shows that the claim is broken",
    OTHERWISE: "An answer about this plan is not counted yet: these are the bounds of the releases as they are entered",
    INCOMPLETE: "Releases are missing: these are the bounds of the others alone",
}
LOWER = (
    "“At least” is certain: there are two data sets that lose that much. They differ by the whole sensitivity, in a "
    "histogram by 1 in each bar that changes. Of a release that states a bound alone, nothing is certain. A date may "
    "begin its week or end it, so that a week may lie in a month or not: it is left out here, and counted in what "
    "suffices."
)


LISTED = 3  # releases in one line


def listed(asked: Question, found: Judgement | None = None) -> str:
    """Return the releases in one line: how many, of which noise; for people by their names.

    Where a claim is about one unit that meets some of the dates alone, those that it meets, where it meets most.
    """
    plan = asked.plan if found is None or found.one_unit is None else found.one_unit.plan
    met = plan.releases if plan is asked.plan else [each for each in plan.releases if each.uses]
    told = [release(each, asked.in_words) for each in met[:LISTED]]
    more = len(met) - len(told)
    said = "; ".join(told + [f"and {shown_count(more)} more"] * bool(more)) or "nothing is released"
    whose = f"“{asked.published.label}”" if asked.published else _own(asked)
    which = f"Of {_own(asked)}, these releases alone" if asked.alone else f"The releases of {whose}"
    which += f", of which one {plan.unit_in_words} meets" * (plan is not asked.plan)
    return escaped(reading.told(f"{which}: {said}."))


def _own(asked: Question) -> str:
    """Whose releases they are, where they are no published ones."""
    return "plan A" if asked.kept else "your plan"


def release(made: Release, in_words: bool) -> str:
    """Return a release by how often and its noise; by its name for people."""
    if in_words:
        return f"“{shortened(made.name, 40)}” " + ("once" if made.uses == 1 else f"{shown_count(made.uses)} times")
    return f"{shown_count(made.uses)} × {_noise(made.mechanism)}"


def _noise(mechanism: Mechanism) -> str:
    """A mechanism by its noise and sensitivity, where it has noise; else by what is stated of it."""
    base = mechanism.base
    said = named(base)
    if base.noise is not None:
        size = "standard deviation" if "sigma" in base.parameters else "scale"
        size = f"{size} {shown_near(base.noise.scale)}, sensitivity {shown_near(base.sensitivity)}"
        said = f"{NAMES[base.key]}, {size}"
    if mechanism.sampled:
        return f"{said}, on samples of {shown_near(100 * mechanism.rate, 3)} %"
    if isinstance(mechanism, Thresholding):
        return f"{said}, of what exceeds {shown_near(mechanism.threshold)}"
    return said


def title(found: Judgement) -> str:
    """Return what the picture shows of the claim.

    Of what depends on what was not disclosed, that is named; whether some reading keeps or breaks the claim goes by
    those that are drawn, one at a time.
    """
    if found.reason != DEPENDS:
        return PICTURE[found.reason or found.verdict]
    drawn = {each.ends.verdict(found.stated.epsilon) for each in found.read if len(each.readings) <= 1}
    on = f"{_not_disclosed(found)}, which nobody disclosed"
    if {HOLDS, TOO_SMALL} <= drawn:
        return f"The claim is kept or broken: it depends on {on}"
    if HOLDS in drawn and len(drawn) > 1:
        return f"The claim is kept under one reading, and open under another: it depends on {on}"
    if TOO_SMALL in drawn and len(drawn) > 1:
        return f"The claim is broken under one reading, and open under another: it depends on {on}"
    return f"Whether the claim is kept depends on {on}"


def _not_disclosed(found: Judgement) -> str:
    return " and ".join(ASPECTS[each] for each in found.left_open)


def _whose(asked: Question, found: Judgement) -> str:
    """Whose releases a claim is held against that is no longer the one that was published of them; "" else."""
    if asked.published is None:
        return ""
    stated = asked.published.stated()
    if (stated.epsilon, stated.delta) == (found.stated.epsilon, found.stated.delta):
        return ""
    return f" of “{escaped(reading.told(asked.published.label))}”"


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
    because, nobody = _because(found), f"**Nobody can tell from what was published{_whose(asked, found)}**"
    if asked.in_words:
        return f"{nobody}: {because}."
    stated = f"ε = {claimed(found)}{_at(found)}"
    return f"{nobody} whether {stated} holds: {because}."


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
    most, whose = shown_total(found.most, found.stated.epsilon), _whose(asked, found)
    if asked.in_words:
        spare = f", where {claimed(found)} is promised" if found.spare > 0 else ""
        return f"**The promise holds.** At most **{most}** is lost{_by(whose)}{spare}."
    by = "" if len(found.read) > 1 else f", by {escaped(found.ends.theorem)}"
    spare = shown_rest(found.most, found.stated.epsilon) if found.spare > 0 else "0"
    smaller = "" if spare == "0" else f" The claim could be smaller by {spare}."
    one = f" one {escaped(found.plan.unit_in_words)}" if found.one_unit else ""  # and not all dates together
    return f"**The claim holds:** the releases{whose} cost{one} at most **ε = {most}**{_at(found)}{by}.{smaller}"


def _too_small(asked: Question, found: Judgement) -> str:
    least, by = shown_beyond(found.least, found.stated.epsilon), _by(_whose(asked, found))
    if math.isinf(found.least):
        enough = f"no finite ε{_at(found)} is enough{by.replace(' by ', ' for ', 1)}"
        said = f"no limit to what may be lost{by}" if asked.in_words else enough
        kind = "promise does not hold" if asked.in_words else "claim is too small"
        return f"**The {kind}:** there is {said}." if asked.in_words else f"**The {kind}:** {said}."
    rounded = " The claim may have been rounded down when it was printed." if found.only_by_rounding else ""
    if asked.in_words:
        said = f"**The promise does not hold: at least {least}** would be lost{by}, where {claimed(found)} is promised."
        return said + rounded
    return (
        f"**The claim is too small: at least ε = {least}** is lost{by}{_at(found)}, where {claimed(found)} is "
        f"claimed. This lower bound is certified, so that no theorem can prove less.{rounded}"
    )


def _by(whose: str) -> str:
    return whose and f" by the releases{whose}"


def _because(found: Judgement) -> str:
    """Why nobody can tell."""
    ends, told = found.ends, REASONS[found.reason]
    if found.reason == DEPENDS:
        return _depends(found)
    if found.reason == BOUNDS_ONLY:
        reached = max(each.ends.unprovable for each in found.read)  # under the worst reading of what is open
        if math.isinf(reached):
            most = "without limit"
        else:
            most = f"as much as **{shown_beyond(reached, found.stated.epsilon)}**"
        return f"{told}. Within these bounds, {most} may be lost; the real releases may lose less"
    if found.reason == SHARED:
        told = told.replace("one period", f"one {found.one_unit.window}")
        surely, most = uses(found.surely_met), uses(found.held)
        reached = max(each.ends.unprovable for each in found.read)
        lost = f"**{shown_beyond(reached, found.stated.epsilon)}** is lost"
        lost = "there is no limit to what is lost" if math.isinf(reached) else lost
        do = "does" if surely == 1 else "do"
        return f"{told}: {shown_count(surely)} certainly {do}, and {shown_count(most)} may. Then {lost}"
    if found.reason == BETWEEN:
        return f"{told}, {shown_down(ends.lower)} and {shown_total(ends.upper, found.stated.epsilon)}"
    return told


def _depends(found: Judgement) -> str:
    """What the claim is under the readings that are open, the kindest and the worst."""
    told, epsilon = _not_disclosed(found), found.stated.epsilon
    lost = max(each.ends.lower for each in found.read)
    best = min(each.ends.upper for each in found.read)
    broken = f"at least **{shown_beyond(lost, epsilon)}** is lost" if lost > epsilon else "nothing bounds it as claimed"
    if best <= epsilon:
        kind = f"at most **{shown_total(best, epsilon)}** is lost"
        return f"{REASONS[DEPENDS]} ({told}): under one reading {kind}, under another {broken}"
    return f"{REASONS[DEPENDS]} ({told}): under one reading {broken}; under another it may be less"


def lost_by(found: Judgement) -> str:
    """Return which of the releases that one unit may meet are in what is certainly lost, where not all are."""
    surely, most = uses(found.surely_met), uses(found.held)
    bounds = len(certain(found.held).releases) < len(found.held.releases)
    if surely == most or bounds:  # of a bound alone, nothing is certain
        return "rounded down"
    fewer = _left_out(found)
    often = {release.cadence for release, _, _ in fewer}
    if len(often) > 1 or not all(shared_weeks(replace(found.plan, releases=(release,))) for release, _, _ in fewer):
        return f"with {surely:,} of {most:,} releases"
    few, many = (sum(each.uses for each in column) for column in list(zip(*fewer, strict=True))[1:])
    return f"with {few:,} of {many:,} {often.pop()} releases"


def _left_out(found: Judgement) -> list[tuple[Release, Release, Release]]:
    """The releases that one unit may meet more often than is certain: of the plan, as it surely does, and may."""
    met = zip(found.plan.releases, found.surely_met.releases, found.held.releases, strict=True)
    return [(release, few, many) for release, few, many in met if few.uses != many.uses]


def of_unit(found: Judgement) -> str:
    """Return what the claim is about where the schedule goes beyond the period of one unit; "" else."""
    if (cost := found.one_unit) is None:
        return ""
    unit = escaped(found.plan.unit_in_words)
    if cost.dominant:
        met = f"{shown_count(many := uses(cost.plan))} release{'s' * (many != 1)}"
        return f"The claim is about one **{unit}**, which meets at most {met}{shared_weeks(found.plan)}."
    return f"The claim is about one **{unit}**; the dearest is from {cost.start} to {cost.end}."


def source(asked: Question) -> str:
    """Return what is claimed, and where it stands."""
    if asked.published is None:
        claim = "that of the file it was opened from" if asked.origin and asked.origin.claim else "its budget"
        whose = f"{_own(asked)}{', without rows that did not count when it was kept' if asked.kept else ''}"
        return f"The releases are those of {whose}, and the claim is {claim} unless you type another."
    told = escaped(reading.told(asked.published.says))
    told = f"{told[0].upper()}{told[1:]}" if asked.in_words else told  # a symbol stays small
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
