"""What stands for a plan where one is asked for: a mechanism, several, or how often each is used."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.left_open import in_units
from dpviz.plan.plan import Plan
from dpviz.plan.release import Release

Composable = Plan | Mechanism | Mapping[Mechanism, int] | Sequence[Mechanism]


def as_plan(plan: Composable) -> Plan:
    """Return the plan that `plan` stands for.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        A sequence uses each of its mechanisms once; a mapping, such as a Counter, as often as its count. Noise whose
        sensitivity was left open is in units of it.

    Raises
    ------
    ValueError
        When it is none of them, what is used is no mechanism, or a count is not a whole number in [0, 1000000000].

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> [release.count for release in as_plan({Laplace(1.0): 3, Laplace(2.0): 1}).releases]
    [3, 1]
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mechanism):
        plan = (plan,)
    if not isinstance(plan, Iterable) or isinstance(plan, str | bytes):
        raise ValueError(
            "plan must be a Plan, a mechanism, a mapping of mechanisms to counts or a sequence of mechanisms; "
            f"got {reprlib.repr(plan)}"
        )
    uses = plan.items() if isinstance(plan, Mapping) else ((mechanism, 1) for mechanism in plan)
    listed = [(in_units(each) if isinstance(each, Mechanism) else each, count) for each, count in uses]
    return Plan(tuple(Release(f"release {n}", each, count) for n, (each, count) in enumerate(listed, 1)))
