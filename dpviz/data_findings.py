"""Findings about the data and how they are read: batches, repetitions, parts that share people, what is out already."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from dpviz.cadence import recurs
from dpviz.composition import PLOTTED, compose
from dpviz.finding import Context, Finding, named, used
from dpviz.plan import Plan
from dpviz.recurrence import lasting, recurrence
from dpviz.rounding import shown_count, shown_up
from dpviz.subsampled import Subsampled

BATCHES_PAPER = "https://arxiv.org/abs/2403.17673"
DIGITS = 3  # totals are computed to 1e-4 here


def wrong_batches(plan: Plan, context: Context) -> Iterator[Finding]:
    """Find accounting for samples drawn afresh where batches are shuffled or fixed, or where nobody said."""
    sampled = [row for row in used(plan) if isinstance(plan.releases[row].mechanism, Subsampled)]
    sampled = [row for row in sampled if 0 < plan.releases[row].mechanism.rate < 1]
    poisson = tuple(row for row in sampled if plan.releases[row].mechanism.scheme == "poisson")
    if context.batches is None and poisson:
        yield Finding(
            "batches",
            f"{named(plan, poisson)}: the total holds if every record enters every batch by a coin toss of its own "
            "(Poisson sampling), so that batches differ in size. It is not proved for batches cut from a shuffled data "
            "set, nor for fixed ones. Say how batches are drawn.",
            poisson,
            BATCHES_PAPER,
        )
    elif context.batches in ("shuffled", "fixed") and sampled:
        drawn = "cut from a shuffled data set" if context.batches == "shuffled" else "fixed"
        yield Finding(
            "batches",
            f"{named(plan, sampled)}: the total does not hold, because batches are {drawn} while the accounting takes "
            f"a fresh random sample each time; the gap can be large. {_unsampled_total(plan, sampled)}",
            tuple(sampled),
            BATCHES_PAPER,
        )


def _unsampled_total(plan: Plan, rows: list[int]) -> str:
    """What the plan costs if nothing is gained from sampling, in words."""
    releases = [
        replace(each, mechanism=each.mechanism.base) if row in set(rows) else each
        for row, each in enumerate(plan.releases)
    ]
    whole = replace(plan, releases=tuple(releases), relation=plan.neighbours)
    total = _total(whole)
    if total is None:
        return "Without the help of sampling there is no finite total."
    return (
        f"Without the help of sampling, with noise that hides one {plan.unit} in every batch, the total is at most ε = "
        f"{total}."
    )


def _total(plan: Plan) -> str | None:
    epsilon = compose(plan, plan.budget.delta, accuracy=PLOTTED).epsilon
    return None if math.isinf(epsilon) else shown_up(epsilon, DIGITS)


def counted_once(plan: Plan, context: Context) -> Iterator[Finding]:
    """Find releases whose names say that they recur more often than they are counted."""
    covered = lasting(plan.unit)
    found: dict[tuple[str, float, int], list[int]] = {}
    for row in used(plan):
        release = plan.releases[row]
        says = recurrence(release.name)
        if says is None or recurs(release.cadence):
            continue
        due = 2 if covered is None else math.floor(covered / says[1] + 1e-9)
        if release.uses < due and (covered is not None or release.uses == 1):
            found.setdefault((says[0].lower(), says[1], release.uses), []).append(row)
    for (words, days, uses), rows in found.items():
        yield _recurring_finding(plan, words, days, uses, rows)
    yield from _same_in_parts(plan, context)


def _recurring_finding(plan: Plan, words: str, days: float, uses: int, rows: list[int]) -> Finding:
    counted = "once" if uses == 1 else f"{shown_count(uses)} times"
    covered = lasting(plan.unit)
    if covered is None:
        why = f"the unit “{plan.unit}” names no period, so every repetition counts"
    else:
        why = f"it falls about {shown_count(math.floor(covered / days + 1e-9))} times into one {plan.unit}"
    return Finding(
        "repetition",
        f"{named(plan, rows)}: the name says “{words}”, but it is counted {counted}, and {why}. Give it a cadence with "
        "start and end, or the number of times.",
        tuple(rows),
        "/composition",
    )


def _same_in_parts(plan: Plan, context: Context) -> Iterator[Finding]:
    """The same release in several parts: right for different people, a repetition for the same ones."""
    if context.parts_disjoint:
        return
    found: dict[tuple, list[int]] = {}
    for row in used(plan):
        release = plan.releases[row]
        if release.part is not None:
            found.setdefault((release.name.casefold(), release.mechanism), []).append(row)
    for rows in found.values():
        parts = len({plan.releases[row].part for row in rows})
        if parts > 1:
            yield Finding(
                "repetition",
                f"{named(plan, rows[:1])} stands in {shown_count(parts)} parts, but counts in one of them only: right "
                "if the parts hold different people, wrong if they are the same people at different times.",
                tuple(rows),
                "/composition",
            )


def shared_parts(plan: Plan, context: Context) -> Iterator[Finding]:
    """Find parts that share people, or parts of which nobody said that they do not."""
    rows = tuple(row for row in used(plan) if plan.releases[row].part is not None)
    parts = len({plan.releases[row].part for row in rows})
    if context.parts_disjoint or parts < 2:
        return
    whole = _total(replace(plan, releases=tuple(replace(each, part=None) for each in plan.releases)))
    total = "no finite total is left" if whole is None else f"the total is at most ε = {whole}"
    if context.parts_disjoint is None:
        words = f"only the dearest counts, which holds if nobody is in two of them. If people are, {total}. Say which"
    else:
        words = (
            f"only the dearest is counted, but people are in several of them. If the same people are in all, {total}"
        )
    yield Finding("parts", f"The plan has {shown_count(parts)} parts, of which {words}.", rows, "/plan")


def seen_already(plan: Plan, context: Context) -> Iterator[Finding]:
    """Find a plan that is read as fixed in advance although something is out already."""
    rows = tuple(row for row, release in enumerate(plan.releases) if release.done and release.uses)
    if rows and not plan.adaptive:
        yield Finding(
            "adaptivity",
            f"{named(plan, rows)} {'is' if len(rows) == 1 else 'are'} published already, and the plan is read as fixed "
            "in advance. That holds only if noise, number and order of all releases were settled before the first; if "
            "anything was chosen after a result was seen, mark the plan as choosing along the way.",
            rows,
            "/filters",
        )
