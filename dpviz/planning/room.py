"""What still fits into a plan's budget: found by composing the larger plan, never by subtracting ε's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from dpviz.composition import compose
from dpviz.filters import FILTERS
from dpviz.filters.verdicts import why_not_whole
from dpviz.mechanisms import TrainedModel
from dpviz.mechanisms.batches import STEPS
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.planning.schedule import unit_cost
from dpviz.search import ROUGH, last_count, least_within

_QUICK = ("basic", "zcdp")  # closed forms: where one of them fits, the tight total need not be computed
_MOST = int(COUNT.high)
_MOST_EPOCHS = 100_000


def fits(plan: Plan) -> bool:
    """Say whether the plan's smallest proved total lies within its budget.

    Examples
    --------
    >>> from dpviz import Guarantee, RandomizedResponse
    >>> fits(Plan((Release("x", RandomizedResponse(0.1), count=3),), budget=Guarantee(0.3)))
    True
    """
    if plan.budget.delta >= 1:  # a bound that may fail with probability 1 promises nothing
        return math.isinf(plan.budget.epsilon) or not any(release.uses for release in plan.releases)
    quick = any(compose(plan, plan.budget.delta, key).implies(plan.budget) for key in _QUICK)
    return quick or compose(plan, plan.budget.delta).implies(plan.budget)


def _with(plan: Plan, release: Release) -> Plan:
    return replace(plan, releases=(*plan.releases, release))


@dataclass(frozen=True, slots=True)
class Room:
    """How much more fits, and by what that is proved.

    Parameters
    ----------
    count : int
        In [0, 10^9]; 10^9 stands for "at least".
    filter : str
        Label of the filter that admits the most, for a plan that is chosen along the way; "" where the total itself
        stays within the budget.
    """

    count: int
    filter: str = ""


def room(plan: Plan, release: Release) -> Room:
    """Return how many more uses of `release` fit into the plan's budget: the one answer, wherever it is asked.

    Parameters
    ----------
    plan : Plan
    release : Release
        One of the plan's, or another; its count and schedule are ignored.

    Returns
    -------
    Room
        That many fit, one more does not.

    Notes
    -----
    The theorems that may be quoted for the plan are asked: the tightest one where it is fixed in advance, sums where it
    is chosen along the way. Then every filter is asked too; the largest answer stands, that of the theorems first.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace
    >>> row = Release("a", Laplace.from_epsilon(0.1), 3)
    >>> room(Plan([row], Guarantee(1.0)), row)
    Room(count=7, filter='')
    """
    if plan.budget.delta >= 1:  # a bound that may fail with probability 1 promises nothing
        return Room(_MOST if math.isinf(plan.budget.epsilon) else 0)

    def longer(count: int) -> Plan:
        return _with(plan, replace(release, count=count, start=None, cadence=None, end=None, done=False))

    found = [Room(_most_composed(plan, longer))]
    # The filter of plain sums admits what their theorem does, which is asked already.
    for rule in (each for each in FILTERS if plan.adaptive and each.key != "basic"):
        found.append(Room(last_count(lambda count: not why_not_whole(longer(count), rule.key), _MOST), rule.label))  # noqa: B023
    return max(found, key=lambda each: each.count)


def longest_training(plan: Plan, row: int) -> Plan:
    """Return a plan with its trained model number `row` (from 0) trained for as long as its budget allows.

    Parameters
    ----------
    plan : Plan
    row : int
        Of a release of a `dpviz.TrainedModel`.

    Returns
    -------
    Plan
        With the most whole epochs, or steps where the model states those: one more does not fit. No more are looked for
        than `most_epochs` says. The plan itself where not even one fits, or where more than these are planned and fit.

    Notes
    -----
    What one unit loses is held against the budget, of all dates where the unit names no period: by the theorems that
    may be quoted for the plan. More steps never cost less.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, TrainedModel
    >>> model = Release("Model", TrainedModel(60_000, 256, 1.1, epochs=15))
    >>> plan = Plan([model, Release("Users", Laplace(10.0, 1))], Guarantee(1.5, 1e-5))
    >>> longest_training(plan, 0).releases[0].mechanism.epochs
    23
    """
    model = plan.releases[row].mechanism
    unit = "epochs" if model.epochs else "steps"
    planned = getattr(model, unit)

    def during(many: int) -> Plan:
        trained = replace(plan.releases[row], mechanism=replace(model, **{unit: many}))
        return replace(plan, releases=(*plan.releases[:row], trained, *plan.releases[row + 1 :]))

    found = last_count(lambda many: _fits_one(during(many)), most_epochs(model), math.ceil(planned))
    return plan if found < 1 or (found < planned and _fits_one(plan)) else during(found)


def most_epochs(model: TrainedModel) -> int:
    """Return up to how many epochs, or steps, `longest_training` looks: no fewer than are planned.

    Examples
    --------
    >>> most_epochs(TrainedModel(60_000, 256, 1.1, epochs=15)), most_epochs(TrainedModel(60_000, 256, 1.1, steps=15))
    (100000, 1000000000)
    """
    if not model.epochs:
        return int(STEPS.high)
    return max(math.ceil(model.epochs), min(_MOST_EPOCHS, int(STEPS.high) // model.batches_per_epoch))


def _fits_one(plan: Plan) -> bool:
    """Whether what one unit loses lies within the budget."""
    cost = unit_cost(plan)
    return fits(plan) if cost is None else cost.epsilon <= plan.budget.epsilon


def _most_composed(plan: Plan, longer: Callable[[int], Plan]) -> int:
    """How many more uses the theorems admit, at most 10^9."""
    limit = plan.budget.epsilon

    @cache
    def total(count: int, accuracy: float | None = None) -> float:
        return compose(longer(count), plan.budget.delta, accuracy=accuracy).epsilon

    if not fits(plan) or total(1) > limit:
        return 0
    if math.isinf(limit):
        return _MOST
    near = least_within(lambda scale: total(_counted(scale), ROUGH), 1 / 16, limit, ROUGH)
    near = near or 1 / _MOST
    exact = min(ROUGH, near / 4)  # a quarter of a use
    found = least_within(lambda scale: total(_counted(scale)), near, limit, exact)
    return _MOST if found is None else _counted(found)  # one use fits: where none is too many, all fit


def _counted(scale: float) -> int:
    return min(max(round(1 / scale), 1), _MOST)
