"""What still fits into a plan's budget: found by composing the larger plan, never by subtracting ε's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from dpviz.bracket import least_scale
from dpviz.composition import compose
from dpviz.mechanisms import RandomizedResponse
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release

_DIGITS = 6
_QUICK = ("basic", "zcdp")  # closed forms: where one of them fits, the tight total need not be computed
NEGLIGIBLE = 1e-9  # of the budget: less than that is no room for another release


def fits(plan: Plan) -> bool:
    """Say whether the plan's smallest proved total lies within its budget.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> fits(Plan((Release("x", RandomizedResponse(0.1), count=3),), budget=Guarantee(0.3)))
    True
    """
    quick = any(compose(plan, plan.budget.delta, key).implies(plan.budget) for key in _QUICK)
    return quick or compose(plan, plan.budget.delta).implies(plan.budget)


def _with(plan: Plan, release: Release) -> Plan:
    return replace(plan, releases=(*plan.releases, release))


def largest_further_epsilon(plan: Plan) -> float:
    """Return the largest ε of one further pure release that reads all the data and still fits, rounded down.

    Returns
    -------
    float
        To six significant digits; 0 where next to nothing fits, inf for a budget without limit.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> largest_further_epsilon(Plan((Release("x", RandomizedResponse(0.1)),), budget=Guarantee(0.3)))
    0.2
    """
    if math.isinf(plan.budget.epsilon):
        return math.inf

    def admits(epsilon: float) -> bool:
        return fits(_with(plan, Release("one more", RandomizedResponse(epsilon))))

    if compose(plan, plan.budget.delta).epsilon >= plan.budget.epsilon * (1 - NEGLIGIBLE) or not fits(plan):
        return 0.0

    def total(scale: float, accuracy: float) -> float:
        larger = _with(plan, Release("one more", RandomizedResponse(1 / scale)))
        return compose(larger, plan.budget.delta, accuracy=accuracy).epsilon

    scale = least_scale(total, 1 / plan.budget.epsilon, plan.budget.epsilon, 1e-7)
    return _rounded(1 / scale, admits)


def _rounded(value: float, admits: Callable[[float], bool]) -> float:
    """The nearest number of six significant digits where it is admitted, else the one below."""
    if value <= 0:
        return 0.0
    digits = _DIGITS - 1 - math.floor(math.log10(value))
    nearest = round(value, digits)
    if admits(nearest):
        return nearest
    return max(0.0, round(nearest - 10.0**-digits, digits))


def further_count(plan: Plan, release: Release) -> int:
    """Return how many more uses of `release`, whatever its cadence, fit, at most 10^9.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> row = Release("x", RandomizedResponse(0.002))
    >>> further_count(Plan((row,), budget=Guarantee(0.2)), row)
    99
    """
    if not fits(plan):
        return 0
    release = Release(release.name, release.mechanism, part=release.part)
    low, high = 0, 1
    while high <= COUNT.high and fits(_with(plan, replace(release, count=high))):
        low, high = high, 2 * high
    high = min(high, int(COUNT.high) + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(_with(plan, replace(release, count=middle))) else (low, middle)
    return low
