"""What to watch out for in a plan, and what moves its total."""

from dpviz.planning.advice.checks import (
    CHECKS,
    QUESTIONS,
    Check,
    as_answered,
    check_named,
    checks,
    faults,
    open_questions,
    questions,
)
from dpviz.planning.advice.finding import Finding
from dpviz.planning.advice.levers import LEVERS, delta_lever, left_out, levers
from dpviz.planning.advice.mend import Mend

__all__ = [
    "CHECKS", "LEVERS", "QUESTIONS", "Check", "Finding", "Mend", "as_answered", "check_named", "checks", "delta_lever",
    "faults", "left_out", "levers", "open_questions", "questions",
]  # fmt: skip
