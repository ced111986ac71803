"""The search for the least noise of a shape within a budget; every answer is verified on the plan itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpviz.composition import compare, compose, refusal, theorem_named
from dpviz.composition.calibration import SAMPLED_PRECISION, settled
from dpviz.composition.compose import kinds
from dpviz.composition.conversions import rho_from_guarantee
from dpviz.effort import PLOTTED, QUOTED, quoted
from dpviz.filters import FILTERS, FilterRule
from dpviz.filters.verdicts import share_of_budget, why_not_whole
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism, TrainedModel, mechanism_from
from dpviz.mechanisms.uses import in_bars
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release, Workload
from dpviz.planning.budgeting.noise_costs import costs_of, variances_of
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.splits import Family, Split
from dpviz.rounding import shown_up
from dpviz.search import ROUGH, least_scale, least_within

_EXACT = 1e-12  # relative precision of noise whose total is known in closed form
_NEGLIGIBLE = 2e-5  # of the budget: tight accounting cannot tell less than that from no room at all
_NEAR = 1e-3  # of the noise: that much more is taken where it makes the stated ε add up to the budget
_ORDERS = (0.03, 400.0)  # above 1
_BELOW = 0.7  # of what the order is above 1: tight accounting has its best a little below that of Rényi accounting
_REFINED = 8  # different levels up to which those of sampled releases are refined
_BEND = 0.05  # of ln noise, for slopes
_ADMISSIONS = 40  # noise sizes tried before a route is given up
_TOO_FAR = "the noise that the budget needs is no number that a computer holds"


@dataclass(frozen=True, slots=True)
class Found:
    """A plan with its least noise, and what proves it: a theorem, or a filter that admits it whole."""

    plan: Plan
    total: Guarantee
    theorem: str
    label: str
    by_filter: bool


@dataclass(frozen=True, slots=True)
class _Route:
    """What may be quoted: the share of the budget that a plan needs by it, its proof that a plan fits, or why not."""

    key: str
    label: str
    load: Callable[[Plan], float]
    proves: Callable[[Plan], Guarantee | None]
    why_not: Callable[[Plan], str]
    by_filter: bool = False


def _by_theorem(key: str, theorem: str | None) -> _Route:
    """The route of a theorem; of the smallest total where none is named."""

    def total(plan: Plan) -> Guarantee:
        return compose(plan, plan.budget.delta, theorem)

    return _Route(
        key,
        theorem_named(key).label,
        lambda plan: total(plan).epsilon / plan.budget.epsilon,
        lambda plan: proof if (proof := total(plan)).implies(plan.budget) else None,
        lambda plan: compare(plan, plan.budget.delta, excess=False).set_index("theorem").reason[key],
    )


def _by_filter(rule: FilterRule) -> _Route:
    return _Route(
        rule.key,
        f"{rule.label} filter",
        lambda plan: share_of_budget(plan, rule.key),
        lambda plan: None if why_not_whole(plan, rule.key) else plan.budget,
        lambda plan: why_not_whole(plan, rule.key),
        True,
    )


def _size(plan: Plan, levels: Adjustable, family: Family, load: Callable[[Plan], float], start: float) -> float | None:
    """The least size of noise with which a plan is within the budget, for a load that is known in closed form."""
    return least_within(lambda size: load(with_ratios(plan, levels, family(size))), start, 1.0, _EXACT)


def _found(plan: Plan, levels: Adjustable, family: Family, size: float, route: _Route) -> Found | None:
    """The plan with its noise rounded, and a little more of it until the plan itself is within the budget."""
    nudge = 1e-9
    for _ in range(_ADMISSIONS):
        solved = levels.applied(plan, family(size))
        if total := route.proves(solved):
            return Found(solved, total, route.key, route.label, route.by_filter)
        # Stated pairs may be larger than those that steered the search: then the load says how far it is.
        size, nudge = size * max(1 + nudge, min(route.load(solved), 2.0)), min(4 * nudge, 1e-2)
    return None


def rounded_within(
    plan: Plan, levels: Adjustable, family: Family, size: float, theorem: str,
    proves: Callable[[Plan], Guarantee | None],
) -> Found | None:  # fmt: skip
    """Return the plan with its noise in six digits, and a little more of it until it is proved; None if it never is.

    Parameters
    ----------
    plan : Plan
    levels : Adjustable
    family : callable
        Noise over sensitivity at a size.
    size : float
        Where to begin.
    theorem : str
        Key of what proves it.
    proves : callable
        ``proves(plan)``: what the plan then costs; None where it does not do.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0))
    >>> levels = Adjustable.of(plan)
    >>> found = rounded_within(plan, levels, lambda size: size * levels.ratio, 2.0, "basic", lambda made: made.budget)
    >>> found.plan.releases[0].mechanism.scale
    2.0
    """
    route = _Route(theorem, theorem_named(theorem).label, lambda _: 1.0, proves, str)
    return _found(plan, levels, family, size, route)


def fixed_family(plan: Plan, levels: Adjustable, split: Split) -> Family:
    """Return the noise levels of a split under tight accounting, for a plan with a finite budget.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Laplace(3.0, 1))], Guarantee(1.0))
    >>> fixed_family(plan, Adjustable.of(plan), split_named("equal"))(2.0).tolist()
    [2.0]
    """
    return _Fixed(plan, levels, 0.0, _EXACT).family(split)


def weighted_variance(levels: Adjustable, ratios: np.ndarray) -> float:
    """Return Σ weight · uses · variance at these ratios of noise over sensitivity.

    Examples
    --------
    >>> from dpviz import Gaussian, Laplace, Release
    >>> levels = Adjustable.of(Plan([Release("a", Laplace(3.0, 1), 2), Release("b", Gaussian(2.0, 1))]))
    >>> round(weighted_variance(levels, levels.ratio), 9)
    40.0
    """
    with np.errstate(over="ignore", divide="ignore"):
        variance = variances_of(levels.mechanisms, ratios)
    return float((levels.weight * levels.uses * levels.sensitivity**2 * variance).sum())


def with_ratios(plan: Plan, levels: Adjustable, ratios: np.ndarray) -> Plan:
    """Return a plan that costs the same as with these ratios, unrounded and with sensitivities of 1.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> plan = Plan([Release("a", Gaussian(4.0, 2.0))])
    >>> with_ratios(plan, Adjustable.of(plan), np.array([3.0])).releases[0].mechanism.sigma
    3.0
    """
    releases = list(plan.releases)
    for row, mechanism, ratio in zip(levels.rows.tolist(), levels.mechanisms, ratios.tolist(), strict=True):
        releases[row] = _at_ratio(releases[row], mechanism, ratio)
    return replace(plan, releases=tuple(releases))


def _at_ratio(release: Release, mechanism: Mechanism, ratio: float) -> Release:
    """A release with this ratio, bar by bar where its bars change one by one."""
    bars = in_bars(mechanism)[1]
    if bars == 1 or bars * release.count > COUNT.high:
        return release.bare(mechanism.bare(ratio))  # what it publishes asks for another sensitivity
    bar = mechanism_from(mechanism.key, {mechanism.forms[-1].needed[0]: ratio * bars, "sensitivity": 1.0})
    return replace(release.bare(bar), count=bars * release.count)


def fixed_noise(plan: Plan, levels: Adjustable, split: Split) -> Found | str:
    """Return the plan with the least noise under tight accounting, or why there is none.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Gaussian(1.0, 1), 100)], Guarantee(1.0, 1e-6))
    >>> round(fixed_noise(plan, Adjustable.of(plan), split_named("equal")).plan.releases[0].mechanism.sigma, 4)
    42.2468
    """
    budget, whole = plan.budget, Workload.of(plan)
    if reason := refusal(theorem_named("pld"), whole, budget.delta):
        return reason
    held = compose(levels.held(plan), budget.delta).epsilon / budget.epsilon
    closed = budget.delta == 0 or all(each.mu is not None for each in whole.mechanisms)
    if held >= 1 - (1e-9 if closed else _NEGLIGIBLE):
        return _held_reason(held, budget)
    trained = any(isinstance(each.mechanism, TrainedModel) for each in plan.releases)
    sampled = SAMPLED_PRECISION if trained or any(each.sampled for each in levels.mechanisms) else 0.0
    search = _Fixed(plan, levels, held, _EXACT if closed else max(sampled, quoted(kinds(whole.mechanisms))))
    family = search.family(split)
    size, plain = search.size(family), search.plain(family)
    if plain and (size is None or size > plain * (1 - _NEAR)):
        size = plain
    found = size and _found(plan, levels, family, size, _by_theorem("pld", None))
    if not found:
        return _TOO_FAR
    sums = compose(found.plan, budget.delta, "basic")
    if sums.epsilon > found.total.epsilon:
        return found
    return replace(found, total=sums, theorem="basic", label=theorem_named("basic").label)


def _held_reason(held: float, budget: Guarantee) -> str:
    if math.isinf(held):
        return f"the releases that are held use up δ = {budget.delta:.6g} by themselves"
    if held > 1:
        cost = shown_up(held * budget.epsilon)
        return f"the releases that are held cost up to {cost} by themselves, more than {budget.epsilon:.6g}"
    return f"the releases that are held leave next to nothing of ε = {budget.epsilon:.6g}"


@dataclass(frozen=True, eq=False)
class _Fixed:
    """The search under tight accounting; `held` is the share of the budget that the other releases need alone."""

    plan: Plan
    levels: Adjustable
    held: float
    precision: float

    def load(self, ratios: np.ndarray, accuracy: float) -> float:
        """The share of the budget that these ratios need."""
        budget, other = self.plan.budget, with_ratios(self.plan, self.levels, ratios)
        return compose(other, budget.delta, accuracy=max(accuracy, QUOTED)).epsilon / budget.epsilon

    def size(self, family: Family) -> float | None:
        """The least size of noise within the budget."""
        window = 0.0 if self.precision == _EXACT else self.precision * (1 - self.held)

        def load(size: float, accuracy: float) -> float:
            return self.load(family(size), accuracy)

        size = least_scale(load, self._start(family), 1.0, self.precision, window)
        if size is None:
            return None
        budget = self.plan.budget

        def plan(size: float) -> Plan:
            return with_ratios(self.plan, self.levels, family(size))

        return settled(plan, lambda size: load(size, self.precision) * budget.epsilon, size, self.precision)

    def plain(self, family: Family) -> float | None:
        """The same where stated ε alone are added up, exactly; None where some have none."""
        if any(each.base.mu is not None or each.base.stated is None for each in self.levels.mechanisms):
            return None
        return _size(self.plan, self.levels, family, _by_theorem("basic", "basic").load, self._start(family))

    def _start(self, family: Family) -> float:
        """The size at which zCDP alone would meet what is left of the budget."""
        levels, budget = self.levels, self.plan.budget
        left = rho_from_guarantee(budget.epsilon, budget.delta) * (1 - self.held)

        def load(size: float) -> float:
            return math.sqrt(float(levels.uses @ costs_of(levels.mechanisms, family(size), 1.0)) / left)

        return (left and least_within(load, 1.0, 1.0, 0.01)) or 1.0

    def family(self, split: Split) -> Family:
        """The noise levels of a split under tight accounting."""
        family = split.shape(self.levels, self._order(split))
        refined = self._refined(family) if split.ordered else None
        return family if refined is None else lambda size: size * refined

    def _order(self, split: Split) -> float:
        """The Rényi order whose price of privacy shapes the split: a little below the one that proves most."""
        if not split.ordered or all(each.mu is not None for each in self.levels.mechanisms):
            return 1.0
        if self.plan.budget.delta == 0:
            return math.inf
        from scipy.optimize import minimize_scalar

        bounds, options = np.log(_ORDERS), {"xatol": 0.1}
        found = minimize_scalar(
            lambda x: self._renyi_value(split, 1 + math.exp(x)), bounds=bounds, method="bounded", options=options
        )
        return 1 + _BELOW * math.exp(found.x)

    def _renyi_value(self, split: Split, order: float) -> float:
        """ln of the weighted variance at the least noise that this order alone would prove."""
        budget, levels = self.plan.budget, self.levels
        paid = math.log1p(-1 / order) - (math.log(budget.delta) + math.log(order)) / (order - 1)
        left, family = (budget.epsilon - paid) * (1 - self.held), split.shape(levels, order)

        def cost(size: float) -> float:
            return float(levels.uses @ costs_of(levels.mechanisms, family(size), order))

        size = least_within(cost, 1.0, left, PLOTTED) if left > 0 else None
        return math.log(weighted_variance(levels, family(size))) if size else 1e3 / order  # only larger ones prove any

    def _refined(self, family: Family) -> np.ndarray | None:
        """Noise levels of less weighted variance at about the same tight total; None where the proxies are exact."""
        levels, start, groups = self.levels, None, _alike(self.levels)
        sampled = any(each.sampled for each in levels.mechanisms)
        if self.plan.budget.delta > 0 and groups.max() < _REFINED and sampled:
            start = least_within(lambda size: self.load(family(size), ROUGH), self._start(family), 1.0, 0.1)
        return start and _less_variance(levels, family(start), groups, lambda ratios: self.load(ratios, ROUGH))


def _alike(levels: Adjustable) -> np.ndarray:
    """The number of each release's group; releases of one group have the same noise and the same price of it."""
    gains = (levels.weight * levels.sensitivity**2).tolist()
    keys = [(mechanism.bare(1.0), gain) for mechanism, gain in zip(levels.mechanisms, gains, strict=True)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys])


def _less_variance(
    levels: Adjustable, ratios: np.ndarray, groups: np.ndarray, load: Callable[[np.ndarray], float]
) -> np.ndarray:
    """Step to where each group's noise has one price of privacy under this load; never to a larger variance."""
    shifts = np.eye(groups.max() + 1)[:, groups] * _BEND
    x, best, step = np.log(ratios), None, None

    def variance(at: np.ndarray) -> float:
        return weighted_variance(levels, np.exp(at))

    for _ in range(min(8, 24 // (1 + len(shifts)))):
        here, beyond = load(np.exp(x)), np.array([load(np.exp(x + shift)) for shift in shifts])
        saved = np.maximum((here - beyond) / _BEND, 1e-6 * here)
        paid = np.array([variance(x + shift) - variance(x - shift) for shift in shifts])
        slope = saved.sum()  # of the load, when all noise grows
        level = math.log(variance(x)) + 2 * math.log(here) * here / slope  # of the variance, at a load of 1
        if best is None or level < best[0]:
            price = np.log(paid / saved)
            step = np.clip((np.average(price, weights=saved) - price) / 4, -1.0, 1.0)
            step += (math.log(here) * here - saved @ step) / slope
            best = (level, x)
        else:
            step = step / 3
        if not np.abs(step).max() > 5e-3:
            break
        x = best[1] + step[groups]
    return np.exp(best[1])


def adaptive_noise(plan: Plan, levels: Adjustable, split: Split) -> Found | str:
    """Return the plan with the least noise that basic composition or a filter admits, or why there is none.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Laplace.from_epsilon(1.0), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    >>> adaptive_noise(plan, Adjustable.of(plan), split_named("equal")).theorem
    'zcdp'
    """
    routes = [_by_theorem("basic", "basic"), *(_by_filter(rule) for rule in FILTERS if rule.key != "basic")]
    reasons, candidates = [], []
    for route in routes:
        family = split.shape(levels, math.inf if route.key == "basic" else 1.0)
        try:
            size = _size(plan, levels, family, route.load, 1.0)
        except (ValueError, OverflowError):  # noise that no double, or no mechanism, holds would not do either
            size = None
        if size is None:
            reasons.append(f"{route.label}: {_why_none(route, plan)}")
        else:
            candidates.append((weighted_variance(levels, family(size)), family, size, route))
    for _, *candidate in sorted(candidates, key=lambda each: each[0]):
        if found := _found(plan, levels, *candidate):
            return found
        reasons.append(f"{candidate[-1].label}: no noise that was tried is admitted")
    return "nothing that holds along the way admits the plan (" + "; ".join(reasons) + ")"


def _why_none(route: _Route, plan: Plan) -> str:
    """Why no noise that is tried lets a route admit a plan."""
    try:
        used_up = math.isfinite(route.load(plan))
    except (ValueError, OverflowError):
        used_up = False
    return "what is held uses up the budget" if used_up else route.why_not(plan)
