"""Planning: how accurate releases are, what they cost over time, what to watch out for, and the noise that fits."""

from dpviz.planning.accuracy import errors, half_width, joint_confidence
from dpviz.planning.advice import CHECKS, Finding, checks, levers
from dpviz.planning.budgeting import SPLITS, Goal, Solution, least_epsilon, solve_noise
from dpviz.planning.deployments import published
from dpviz.planning.scenario import differences
from dpviz.planning.schedule import UnitCost, dated, exhaustion, forecast, unit_cost, windows
from dpviz.planning.separation import Covered, Difference, covered

__all__ = [
    "CHECKS",
    "SPLITS",
    "Covered",
    "Difference",
    "Finding",
    "Goal",
    "Solution",
    "UnitCost",
    "checks",
    "covered",
    "dated",
    "differences",
    "errors",
    "exhaustion",
    "forecast",
    "half_width",
    "joint_confidence",
    "least_epsilon",
    "levers",
    "published",
    "solve_noise",
    "unit_cost",
    "windows",
]
