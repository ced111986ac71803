"""What still fits into a plan's budget: found by composing the larger plan, never by subtracting ε's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from dpviz.composition import compose
from dpviz.mechanisms import RandomizedResponse
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.search import ROUGH, least_scale

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
    if plan.budget.delta >= 1:  # a bound that may fail with probability 1 promises nothing
        return math.isinf(plan.budget.epsilon) or not any(release.uses for release in plan.releases)
    quick = any(compose(plan, plan.budget.delta, key).implies(plan.budget) for key in _QUICK)
    return quick or compose(plan, plan.budget.delta).implies(plan.budget)


def _with(plan: Plan, release: Release) -> Plan:
    return replace(plan, releases=(*plan.releases, release))


def largest_further_epsilon(plan: Plan, digits: int = 5) -> float:
    """Return the largest ε of one further pure release that reads all the data and still fits, rounded down.

    Parameters
    ----------
    plan : Plan
    digits : int
        Significant digits of the answer; fewer are found sooner.

    Returns
    -------
    float
        0 where next to nothing fits, or the budget's δ is 1; inf for a budget without limit.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> largest_further_epsilon(Plan((Release("x", RandomizedResponse(0.1)),), budget=Guarantee(0.3)))
    0.2
    """
    if math.isinf(plan.budget.epsilon):
        return math.inf
    if plan.budget.delta >= 1:
        return 0.0

    def admits(epsilon: float) -> bool:
        return fits(_with(plan, Release("one more", RandomizedResponse(epsilon))))

    if compose(plan, plan.budget.delta).epsilon >= plan.budget.epsilon * (1 - NEGLIGIBLE) or not fits(plan):
        return 0.0

    def total(scale: float, accuracy: float) -> float:
        larger = _with(plan, Release("one more", RandomizedResponse(1 / scale)))
        return compose(larger, plan.budget.delta, accuracy=accuracy).epsilon

    scale = least_scale(total, 1 / plan.budget.epsilon, plan.budget.epsilon, 10.0**-digits / 5)
    return _rounded(1 / scale, digits, admits)


def _rounded(value: float, digits: int, admits: Callable[[float], bool]) -> float:
    """The nearest number of so many significant digits where it is admitted, else the one below."""
    if value <= 0:
        return 0.0
    places = digits - 1 - math.floor(math.log10(value))
    nearest = round(value, places)
    if admits(nearest):
        return nearest
    return max(0.0, round(nearest - 10.0**-places, places))


def further_count(plan: Plan, release: Release) -> int:
    """Return how many more uses of `release`, whatever its cadence, fit, at most 10^9; none where the budget's δ is 1.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> row = Release("x", RandomizedResponse(0.002))
    >>> further_count(Plan((row,), budget=Guarantee(0.2)), row)
    99
    """
    release = Release(release.name, release.mechanism, part=release.part)

    @cache
    def total(count: int, accuracy: float | None = None) -> float:
        return compose(_with(plan, replace(release, count=count)), plan.budget.delta, accuracy=accuracy).epsilon

    most, limit = int(COUNT.high), plan.budget.epsilon
    if plan.budget.delta >= 1:
        return most if math.isinf(limit) else 0
    if not fits(plan) or total(1) > limit:
        return 0
    low, high = 1, 16
    while high < most and total(high, ROUGH) <= limit:
        low, high = high, min(most, 16 * high)
    low, high = _bracketed(lambda count: total(count, ROUGH), limit, low, high, ROUGH)
    return _verified(total, limit, low, high)


def _bracketed(total: Callable[[int], float], limit: float, low: int, high: int, width: float) -> tuple[int, int]:
    """Counts around the last one within the limit, so near to each other, by false position in logarithms.

    `low` counts as within the limit and `high` as not, whatever they cost.
    """
    ends = [_misfit(total(low), limit), _misfit(total(high), limit)]
    turns = 0
    while high - low > max(1, width * low):
        turns += 1
        share = -ends[0] / (ends[1] - ends[0]) if ends[0] <= 0 < ends[1] < math.inf else 0.5
        share = 0.5 if turns % 3 == 0 else share  # every third time the middle, so that the bracket always shrinks
        guess = min(max(int(low * math.exp(share * math.log(high / low))), low + 1), high - 1)
        misfit = _misfit(total(guess), limit)
        if misfit <= 0:
            low, ends[0] = guess, misfit
        else:
            high, ends[1] = guess, misfit
    return low, high


def _misfit(value: float, limit: float) -> float:
    """How far a total is above the limit, in logarithms; at most 0 exactly where it is within."""
    if value <= limit:
        return min(0.0, math.log(max(value, 1e-300)) - math.log(max(limit, 1e-300)))
    return max(5e-324, math.log(value / limit)) if limit > 0 and value < math.inf else math.inf


def _verified(total: Callable[[int], float], limit: float, low: int, high: int) -> int:
    """The last count within the limit at full accuracy, near a bracket that was found roughly; 10^9 at most."""
    most, step = int(COUNT.high), max(1, int(ROUGH * low))
    while low > 1 and total(low) > limit:
        low, high, step = max(1, low - step), low, 4 * step
    while total(high) <= limit:
        if high >= most:
            return most
        low, high, step = high, min(most, high + step), 4 * step
    return _bracketed(total, limit, low, high, 0.0)[0]
