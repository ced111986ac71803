"""What mends a finding: the press, the plan that it leads to, and what that plan costs, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from dpviz.composition import compose
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.rounding import shown_up

DIGITS = 3  # of totals


@dataclass(frozen=True, slots=True)
class Mend:
    """A change of a plan that settles a finding.

    Parameters
    ----------
    label : str
        What the press says that it does; names of releases are as typed, so whoever shows it escapes them.
    plan : Plan
        The plan that it leads to.
    """

    label: str
    plan: Plan


def total(plan: Plan) -> str | None:
    """Return ε of a plan at its budget's δ, rounded up to three digits; None where it has no finite total.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> total(Plan([Release("Mean age", Laplace.from_epsilon(0.25), 2)])), total(Plan([])),
    ('0.5', '0')
    """
    if plan.budget.delta >= 1:
        return None
    epsilon = compose(plan, plan.budget.delta).epsilon
    return None if math.isinf(epsilon) else shown_up(epsilon, DIGITS)


def costs(plan: Plan) -> str:
    """Return what a plan costs as half a sentence, rounded up.

    Examples
    --------
    >>> costs(Plan([]))
    'the total is at most ε = 0'
    """
    return costing(total(plan))


def costing(epsilon: str | None) -> str:
    """Return what such a total is as half a sentence.

    Examples
    --------
    >>> costing("0.5"), costing(None)
    ('the total is at most ε = 0.5', 'there is no finite total')
    """
    return "there is no finite total" if epsilon is None else f"the total is at most ε = {epsilon}"


def with_mechanisms(plan: Plan, mechanisms: Mapping[int, Mechanism]) -> Plan:
    """Return the plan with other mechanisms in some rows, under the neighbour relation that is in force.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("a", Laplace(1, 1)), Release("b", Laplace(1, 1))])
    >>> with_mechanisms(plan, {1: Laplace(2)}).releases[1].mechanism.scale
    2.0
    """
    releases = [
        replace(each, mechanism=mechanisms[row]) if row in mechanisms else each
        for row, each in enumerate(plan.releases)
    ]
    changed = replace(plan, releases=tuple(releases))
    return changed if changed.neighbours == plan.neighbours else replace(changed, relation=plan.neighbours)


def changed(plan: Plan, rows: Iterable[int], change: Callable[[Mechanism], Mechanism]) -> Plan | None:
    """Return the plan with a change of the mechanisms in some rows; None where one of them does not allow it.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("a", Laplace(1, 1))])
    >>> changed(plan, [0], lambda mechanism: mechanism.grouped(2)).releases[0].mechanism.sensitivity
    2.0
    """
    try:
        return with_mechanisms(plan, {row: change(plan.releases[row].mechanism) for row in rows})
    except ValueError:
        return None
