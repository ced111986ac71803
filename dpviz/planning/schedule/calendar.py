"""A plan on the calendar: its dates, what of it falls before a day or into a period, and what of it is done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.plan import Day, Plan, Release
from dpviz.plan.cadence import cadence_named, checked_day, dates, recurs


def dated(plan: Plan, start: Day, cadence: str | None, end: Day | None) -> Plan:
    """Return the plan with its releases without a date on this schedule; the others stay.

    Parameters
    ----------
    plan : Plan
    start : date
        Of the first repetition.
    cadence : str or None
        A key of ``dpviz.plan.cadence.CADENCES``.
    end : date or None
        Last possible day; ignored where the cadence does not recur.

    Raises
    ------
    ValueError
        When the dates do not fit together, or a release would be used more than 10^9 times.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Visitors", Laplace.from_epsilon(0.1))])
    >>> dated(plan, "2026-01-01", "monthly", "2026-12-31").releases[0].uses
    12
    """
    new = {"start": start, "cadence": cadence, "end": end if recurs(cadence) else None}
    releases = [each if each.start else replace(each, **new) for each in plan.releases]
    return replace(plan, releases=tuple(releases))


def until(plan: Plan, day: Day) -> Plan:
    """Return what of the plan is released up to and including a day; releases without a date among it.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1))]), "2026-01-01", "daily", "2026-12-31")
    >>> until(plan, "2026-01-31").releases[0].uses
    31
    """
    day = checked_day(day)
    kept = [each for each in plan.releases if each.start is None or each.start <= day]
    cut = [replace(each, end=min(each.end, day)) if recurs(each.cadence) else each for each in kept]
    return replace(plan, releases=tuple(cut))


def within(plan: Plan, start: Day, end: Day) -> Plan:
    """Return what of the plan falls into a period, both days included, as uses without dates; no row is left out.

    Releases without a date are in every period. A release of which anything is done is done.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1))]), "2026-01-01", "daily", "2026-12-31")
    >>> within(plan, "2026-02-01", "2026-02-28").releases[0].uses
    28
    """
    start, end = checked_day(start, "start"), checked_day(end, "end")
    ends = np.array([np.datetime64(start, "D") - np.timedelta64(1, "D"), np.datetime64(end, "D")])
    kept = []
    for each in plan.releases:
        before, until_then = uses_until(each, ends).tolist()
        uses = until_then if each.start is None else until_then - before
        kept.append(at_once(each, uses))
    return replace(plan, releases=tuple(kept))


def at_once(release: Release, uses: int) -> Release:
    """Return a release as so many uses without dates; one of which anything is done is done.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> at_once(Release("Count", Laplace(1, 1), start="2026-01-01", done=True), 3).done
    True
    """
    return replace(release, count=uses, start=None, cadence=None, end=None, done=release.done_uses > 0)


def done_part(plan: Plan) -> Plan:
    """Return what of the plan is done: every release, cut off after the last day that is published.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = dated(Plan([Release("Count", Laplace(1, 1), done="2026-01-31")]), "2026-01-01", "daily", "2026-12-31")
    >>> done_part(plan).releases[0].uses
    31
    """
    cut = []
    for each in plan.releases:
        if not each.done_uses:
            cut.append(replace(each, count=0))
        elif isinstance(each.done, bool) or not recurs(each.cadence):
            cut.append(each)
        else:
            cut.append(replace(each, end=min(each.end, each.done)))
    return replace(plan, releases=tuple(cut))


def release_dates(plan: Plan) -> np.ndarray:
    """Return the days on which something is released, in order; shape (days,), datetime64[D].

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> release_dates(Plan([Release("Count", Laplace(1, 1), start="2026-01-31")])).astype(str).tolist()
    ['2026-01-31']
    """
    used = {(each.start, each.cadence, each.end) for each in plan.releases if each.start and each.count}
    if not used:
        return np.empty(0, "datetime64[D]")
    first = np.datetime64(min(start for start, _, _ in used), "D")
    last = np.datetime64(max(end or start for start, _, end in used), "D")
    released = np.zeros(int((last - first).astype(int)) + 1, dtype=bool)
    for schedule in used:
        released[(dates(*schedule) - first).astype(np.int64)] = True
    return first + np.flatnonzero(released)


def uses_until(release: Release, days: np.ndarray) -> np.ndarray:
    """Return how often a release is used up to and including each day; shape of `days`.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> weekly = Release("Count", Laplace(1, 1), 2, start="2026-01-01", cadence="weekly", end="2026-01-31")
    >>> uses_until(weekly, np.array(["2025-12-31", "2026-01-08", "2027-01-01"], "datetime64[D]")).tolist()
    [0, 4, 10]
    """
    if release.start is None:
        return np.full(days.shape, release.count)
    start = np.datetime64(release.start, "D")
    if not recurs(release.cadence):
        return release.count * (days >= start)
    step = cadence_named(release.cadence)
    if step.months:
        return release.count * np.searchsorted(dates(release.start, release.cadence, release.end), days, side="right")
    last = np.minimum(days, np.datetime64(release.end, "D"))
    return release.count * np.maximum((last - start).astype(np.int64) // step.days + 1, 0)


def uses_by(plan: Plan, days: np.ndarray) -> np.ndarray:
    """Return how often anything of a plan is released up to and including each day; shape of `days`."""
    return sum((uses_until(each, days) for each in plan.releases), start=np.zeros(len(days), dtype=np.int64))
