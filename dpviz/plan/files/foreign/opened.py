"""What was made of a file of another program: a plan, what it claims, and what could not be understood."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpviz.plan.document import Origin
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError, Problem

LONGEST = 200_000  # characters of a file that another program wrote
MOST_RELEASES = 5_000


@dataclass(frozen=True, slots=True)
class Opened(Origin):
    """A plan out of a file, and what is to be known of it.

    Parameters
    ----------
    form, not_understood, incomplete, claim, printed, left_open
        As of `dpviz.plan.document.Origin`.
    plan : Plan
    """

    plan: Plan = field(kw_only=True)


def refused(what: str, value: object, allowed: str) -> PlanFileError:
    """Return the refusal of a file, in one sentence.

    Examples
    --------
    >>> print(refused("text", "import os", "must be a list"))
    The plan was not read, because of 1 problem:
    plan, text 'import os': must be a list
    """
    return PlanFileError([Problem(None, what, value if isinstance(value, str) else repr(value)[:60], allowed)])
