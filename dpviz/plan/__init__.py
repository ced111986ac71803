"""What somebody intends to release, and its budget: in memory, in files and in links."""

from dpviz.plan.answers import Answers
from dpviz.plan.cadence import CADENCES, Day
from dpviz.plan.composable import Composable, as_plan
from dpviz.plan.disclosure import Disclosure
from dpviz.plan.document import Document, Origin, Uncounted
from dpviz.plan.files.foreign import Opened, opened
from dpviz.plan.kinds import KINDS, Kind
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError, Problem
from dpviz.plan.promise import CHANGES, NO_LIMIT, RELATIONS
from dpviz.plan.release import Release
from dpviz.plan.windows import WINDOWS
from dpviz.plan.workload import Workload

__all__ = [
    "CADENCES",
    "CHANGES",
    "KINDS",
    "NO_LIMIT",
    "RELATIONS",
    "WINDOWS",
    "Answers",
    "Composable",
    "Day",
    "Disclosure",
    "Document",
    "Kind",
    "Opened",
    "Origin",
    "Plan",
    "PlanFileError",
    "Problem",
    "Release",
    "Uncounted",
    "Workload",
    "as_plan",
    "opened",
]
