"""What plans cost, and each of their releases alone, as every part of this page quotes it: composed once, and kept."""

from __future__ import annotations

import math
from functools import lru_cache

from dpviz.composition import spend
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.left_open import OPEN, in_units, origin_of
from dpviz.plan import Plan
from dpviz.ui.shell.kept import of_one_unit, proved

ALONE = 8192  # kinds of noise whose own cost is kept: more than any plan has rows


def total(plan: Plan) -> float:
    """Return the smallest proved ε of a plan at the budget's δ, inf where there is none; kept."""
    return proved(plan).epsilon


def of_unit(plan: Plan) -> float:
    """Return the same of what one unit meets of it, which is what a budget holds; kept."""
    return total(of_one_unit(plan))


def spends(plan: Plan) -> tuple[float, ...]:
    """Return `dpviz.composition.spend.alone` of each release at the budget's δ, kept."""
    return tuple(_spend(each.mechanism, each.uses, plan.budget.delta, plan.adaptive) for each in plan.releases)


@lru_cache(ALONE)
def _spend(mechanism: Mechanism, uses: int, delta: float, adaptive: bool) -> float:
    # Of each kind of noise on its own: an edit of one release keeps the answers of all others.
    if delta >= 1:
        return math.inf if uses else 0.0
    mechanism = in_units(mechanism) if origin_of(mechanism) == OPEN else mechanism  # what follows may be bars
    return spend.of_one(mechanism, (uses,), delta, adaptive)[0]
