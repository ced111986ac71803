"""What was made of a file of another program: a plan, what it claims, and what could not be understood."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.guarantee import Guarantee
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError, Problem

LONGEST = 200_000  # characters of a file that another program wrote
MOST_RELEASES = 5_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A plan out of a file, and what is to be known of it.

    Parameters
    ----------
    plan : Plan
    form : str
        What kind of file it was, in words.
    not_understood : tuple of str
        What the plan does not hold of the file, one sentence each; plain text.
    incomplete : bool
        Whether releases are among that: then the plan costs less than what the file describes.
    claim : Guarantee, optional
        What the file says that all of it costs.
    left_open : tuple of str
        Keys of ``dpviz.claims.ASPECTS`` that files of this form do not tell.
    """

    plan: Plan
    form: str = "a plan of dpviz"
    not_understood: tuple[str, ...] = ()
    incomplete: bool = False
    claim: Guarantee | None = None
    left_open: tuple[str, ...] = ()


def refused(what: str, value: object, allowed: str) -> PlanFileError:
    """Return the refusal of a file, in one sentence.

    Examples
    --------
    >>> print(refused("text", "import os", "must be a list"))
    The plan was not read, because of 1 problem:
    plan, text 'import os': must be a list
    """
    return PlanFileError([Problem(None, what, value if isinstance(value, str) else repr(value)[:60], allowed)])
