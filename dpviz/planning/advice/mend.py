"""What mends a finding: the press, the plan that it leads to, and what that plan costs, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from dpviz.composition import compose
from dpviz.composition.compose import kinds, smallest_totals
from dpviz.effort import MOST_QUOTED
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan
from dpviz.plan.workload import Workload
from dpviz.planning.schedule import of_one_unit
from dpviz.rounding import shown_count, shown_up

DIGITS = 3  # of δ
KEPT = 8  # totals: one finding's sentence and its press ask for the same


@dataclass(frozen=True, slots=True)
class Mend:
    """A change of a plan that settles a finding.

    Parameters
    ----------
    label : str
        What the press says that it does; names of releases are as typed, so whoever shows it escapes them.
    plan : Plan
        The plan that it leads to.
    bounded : bool
        Whether it is offered only if that plan has a finite total.
    """

    label: str
    plan: Plan
    bounded: bool = False

    @property
    def offered(self) -> bool:
        """Whether it is."""
        return not self.bounded or total(self.plan) is not None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan costs, composed when it is told: a check has found what it finds without it.

    Parameters
    ----------
    plan : Plan
    told : callable
        ``told(plan)``: the words; a function of a module, so that a finding can be pickled.
    """

    plan: Plan
    told: Callable[[Plan], str]

    def __str__(self) -> str:
        return self.told(self.plan)


def total(plan: Plan) -> str | None:
    """Return ε of what one unit meets of a plan, at the budget's δ, rounded up to three digits; None where it is inf.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> total(Plan([Release("Mean age", Laplace.from_epsilon(0.25), 2)])), total(Plan([])),
    ('0.5', '0')
    """
    epsilon = composed(plan)
    return None if math.isinf(epsilon) else shown_up(epsilon)


@lru_cache(KEPT)
def composed(plan: Plan) -> float:
    """Return ε of what one unit meets of a plan, at the budget's δ, kept; inf where it has no finite total.

    Of more than 120 different mechanisms, whose tight total takes long, by closed formulas where they have one: still
    an upper bound.
    """
    delta = plan.budget.delta
    if delta >= 1:
        return math.inf
    plan = of_one_unit(plan)
    workload = Workload.of(plan)
    if kinds(workload.mechanisms) > MOST_QUOTED:
        closed = float(smallest_totals(workload, delta, None).max())
        if math.isfinite(closed):
            return closed
    return compose(plan, delta).epsilon


def costs(plan: Plan) -> str:
    """Return what a plan costs as half a sentence, rounded up.

    Examples
    --------
    >>> costs(Plan([]))
    'the total is at most ε = 0'
    """
    epsilon = total(plan)
    return "there is no finite total" if epsilon is None else f"the total is at most ε = {epsilon}{_how(plan)}"


def _how(plan: Plan) -> str:
    """What must be said of a total of very many mechanisms; "" of every other."""
    different = kinds(each.mechanism for each in plan.releases if each.uses)
    return "" if different <= MOST_QUOTED else f" by closed formulas ({shown_count(different)} mechanisms are many)"


def with_mechanisms(plan: Plan, mechanisms: Mapping[int, Mechanism]) -> Plan:
    """Return the plan with other mechanisms in some rows, under the neighbour relation that is in force.

    Examples
    --------
    >>> from dpviz import Laplace, Release
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
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("a", Laplace(1, 1))])
    >>> changed(plan, [0], lambda mechanism: mechanism.grouped(2)).releases[0].mechanism.sensitivity
    2.0
    """
    try:
        return with_mechanisms(plan, {row: change(plan.releases[row].mechanism) for row in rows})
    except ValueError:
        return None
