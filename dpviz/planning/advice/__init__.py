"""What to watch out for in a plan, and what moves its total."""

from dpviz.planning.advice.checks import CHECKS, Check, check_named, checks
from dpviz.planning.advice.finding import Finding
from dpviz.planning.advice.levers import LEVERS, delta_lever, left_out, levers

__all__ = ["CHECKS", "LEVERS", "Check", "Finding", "check_named", "checks", "delta_lever", "left_out", "levers"]
