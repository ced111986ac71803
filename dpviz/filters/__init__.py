"""Budgets fixed in advance, for queries that are chosen along the way."""

from dpviz.filters.filter import (
    ARITHMETICS,
    FILTERS,
    MOST_RUNS,
    BudgetExceeded,
    Filter,
    breakeven_epsilon,
    runs_until_exhausted,
)
from dpviz.filters.queries import Queries, Query
from dpviz.filters.rules import FilterRule, rule_named
from dpviz.filters.runs import FilterRun, odometer, run
from dpviz.filters.verdicts import plan_verdicts

__all__ = [
    "ARITHMETICS",
    "FILTERS",
    "MOST_RUNS",
    "BudgetExceeded",
    "Filter",
    "FilterRule",
    "FilterRun",
    "Queries",
    "Query",
    "breakeven_epsilon",
    "odometer",
    "plan_verdicts",
    "rule_named",
    "run",
    "runs_until_exhausted",
]
