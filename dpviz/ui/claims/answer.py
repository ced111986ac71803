"""What the core says of a claim, kept."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.claims import Judgement, StatedTotal, judge
from dpviz.claims.judgement import ReadSo, under_each_reading
from dpviz.plan import NO_LIMIT, Plan
from dpviz.ui.shell.kept import kept

if TYPE_CHECKING:
    import pandas


def _unlimited(plan: Plan) -> Plan:
    """The plan without a budget, so that an edit of that keeps the answer."""
    return replace(plan, budget=NO_LIMIT)


def judged(plan: Plan, stated: StatedTotal, left_open: tuple[str, ...], incomplete: bool) -> Judgement:
    """Return `dpviz.claims.judge`; kept, whatever the budget of the plan."""
    return _judged(_unlimited(plan), stated, left_open, incomplete)


@kept(16, 2, "Judging the claim …", shared=True)
def _judged(plan: Plan, stated: StatedTotal, left_open: tuple[str, ...], incomplete: bool) -> Judgement:
    return judge(plan, stated, left_open, incomplete)


def bracket(plan: Plan, delta: float, left_open: tuple[str, ...], incomplete: bool) -> tuple[float, float]:
    """Return what is certainly lost and what is proved to suffice, where nobody claims anything; kept.

    Over all readings that are open; nothing suffices for sure where releases are missing.
    """
    found = judged(plan, StatedTotal(0.0, delta), left_open, incomplete)
    return found.least, math.inf if incomplete else found.most


def readings(plan: Plan, stated: StatedTotal) -> tuple[ReadSo, ...]:
    """Return `dpviz.claims.judgement.under_each_reading`, without the releases as they were entered; kept."""
    return _readings(_unlimited(plan), stated)


@kept(16, 2, "Reading what was not disclosed …", shared=True)
def _readings(plan: Plan, stated: StatedTotal) -> tuple[ReadSo, ...]:
    return under_each_reading(plan, stated)[1:]


@kept(16, 1)
def frame(plan: Plan, stated: StatedTotal, left_open: tuple[str, ...], incomplete: bool) -> pandas.DataFrame:
    """Return the table that the picture is drawn from: the claim, the releases, the readings that are open."""
    found = judged(plan, stated, left_open, incomplete)
    alone = tuple(each for each in found.read if len(each.readings) == 1)
    return found.frame(alone)


@kept(64, 1)
def deltas(plan: Plan, stated: StatedTotal) -> tuple[float, float]:
    """Return the two proved ends of δ at the claimed ε."""
    return judge(_unlimited(plan), stated).deltas()
