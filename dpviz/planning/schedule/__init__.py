"""Releases over time: what is spent by which date, when the budget is exhausted, and what one calendar window reveals.

A prefix of a plan that is fixed in advance is itself fixed in advance, so every date is answered by the tightest
theorem; a plan that chooses along the way gets only what may be quoted for it. Releases without a date are spent before
everything: that is the safe side.
"""

from dpviz.planning.schedule.calendar import dated, done_part, release_dates, until, uses_until, within
from dpviz.planning.schedule.filter_dates import refusals
from dpviz.planning.schedule.periods import (
    MOST_WINDOWS,
    UnitCost,
    most_uses,
    of_one_unit,
    own_period,
    shared_weeks,
    unit_cost,
    windows,
)
from dpviz.planning.schedule.spending import POINTS, exhaustion, forecast

__all__ = [
    "MOST_WINDOWS",
    "POINTS",
    "UnitCost",
    "dated",
    "done_part",
    "exhaustion",
    "forecast",
    "most_uses",
    "of_one_unit",
    "own_period",
    "refusals",
    "release_dates",
    "shared_weeks",
    "unit_cost",
    "until",
    "uses_until",
    "windows",
    "within",
]
