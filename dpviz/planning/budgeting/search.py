"""The search for the least noise of a shape within a budget; every answer is verified on the plan itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.composition import compose, refusal, theorem_named
from dpviz.composition.conversions import rho_from_guarantee
from dpviz.effort import MOST_QUOTED, PLOTTED, QUOTED
from dpviz.filters import FILTERS
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan, Workload
from dpviz.planning.budgeting.loads import FilterLoad, FixedLoad, SumLoad
from dpviz.planning.budgeting.noise_costs import costs_of, variances_of
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.splits import Family, Split

_EXACT = 1e-12  # window of a load that is known in closed form
_SEARCHED = (5e-4, 6e-5)  # window of a load that is known numerically: how far below 1
_SEARCHED_MANY = (6e-4, 3e-4)  # of very many levels: steers a search alone, since its answer is composed anew
_KEPT = 9e-4  # a verified total may stay that far below the budget
_NEGLIGIBLE = 2e-5  # of the budget: tight accounting cannot tell less than that from no room at all
_NEAR = 1e-4  # of the noise: where a steep total jumps over those windows, the noise is that near the least
_ORDERS = (1.05, 1.15, 1.3, 1.6, 2.0, 3.0, 4.5, 7.0, 11.0, 17.0, 28.0, 50.0, 100.0, 400.0)
_COMPARED = 3  # orders under tight accounting
_REFINED = 8  # different levels up to which those of sampled releases are refined
_ROUGH = 1e-3  # accuracy of the totals that steer the refining: their errors hardly change with the noise
_BEND = 0.05  # of ln noise, for slopes
_ADMISSIONS = 40  # noise sizes tried before a route is given up
_STRIDE = 3.0  # of ln size, at first
_FARTHEST = 350.0  # of |ln size|


@dataclass(frozen=True, slots=True)
class Found:
    """A plan with its least noise, and what proves it: a theorem, or a filter that admits it whole."""

    plan: Plan
    total: Guarantee
    theorem: str
    label: str
    by_filter: bool


def weighted_variance(levels: Adjustable, ratios: np.ndarray) -> float:
    """Return Σ weight · uses · variance at these ratios of noise over sensitivity.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> from dpviz.plan import Release
    >>> levels = Adjustable.of(Plan([Release("a", Laplace(3.0), 2), Release("b", Gaussian(2.0))]))
    >>> round(weighted_variance(levels, levels.ratio), 9)
    40.0
    """
    with np.errstate(over="ignore", divide="ignore"):
        variance = variances_of(levels.mechanisms, ratios)
    return float((levels.weight * levels.uses * levels.sensitivity**2 * variance).sum())


def least_size(
    load: Callable[[float], float], start: float, low: float, high: float, resolution: float = 4e-16
) -> float | None:
    """Return a size with low <= load(size) <= high, for a load that falls with the size; None where there is none.

    Where a steep load jumps over that window, the size just beyond it, to a relative `resolution`.

    Examples
    --------
    >>> round(least_size(lambda size: 3 / size, 1.0, 0.5, 0.5 + 1e-12), 9)
    6.0
    """
    small = large = None  # (ln size, misfit): too little noise, and too much
    x, aim, step = math.log(start), math.log((low + high) / 2), 1.0
    for turn in range(200):
        value = load(math.exp(x))
        if low <= value <= high:
            return math.exp(x)
        misfit = min(max(math.log(max(value, 1e-300)) - aim, -_STRIDE), _STRIDE)
        small, large = ((x, misfit), large) if value > high else (small, (x, misfit))
        if small is None or large is None:
            x += misfit * step + math.copysign(1e-4 * step, misfit)
            step *= 1.5
            if abs(x) > _FARTHEST:
                return None
        elif large[0] - small[0] <= max(resolution, 4e-16 * abs(x)):
            break
        else:
            x = small[0] + (large[0] - small[0]) * small[1] / (small[1] - large[1])
            if turn % 3 == 2 or not small[0] < x < large[0]:
                x = (small[0] + large[0]) / 2
    return math.exp(large[0]) if large else None


def fixed_noise(plan: Plan, levels: Adjustable, split: Split) -> Found | str:
    """Return the plan with the least noise under tight accounting, or why there is none.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> from dpviz.plan import Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Gaussian(1.0), 100)], Guarantee(1.0, 1e-6))
    >>> round(fixed_noise(plan, Adjustable.of(plan), split_named("equal")).plan.releases[0].mechanism.sigma, 4)
    42.2468
    """
    budget, whole, others = plan.budget, Workload.of(plan), levels.held(plan)
    if reason := refusal(theorem_named("pld"), whole, budget.delta):
        return reason
    held = compose(others, budget.delta).epsilon / budget.epsilon
    closed = budget.delta == 0 or all(each.mu is not None for each in whole.mechanisms)
    if held >= 1 - (1e-9 if closed else _NEGLIGIBLE):
        return _held_reason(held, budget)
    search = _Fixed(plan, levels, held, closed, FixedLoad(plan, levels))
    orders = search.orders(split)
    if split.ordered and (refined := search.refined(split.shape(levels, orders[-1]))) is not None:
        answer = search.solved(lambda size: size * refined, 1.0)
        return search.verified(*answer[:2]) if answer else _TOO_FAR
    candidates = {order: search.solved(split.shape(levels, order)) for order in orders}
    if len(orders) == _COMPARED and None not in candidates.values():
        between = _lowest_between(orders, [search.value(each) for each in candidates.values()])
        candidates[between] = search.solved(split.shape(levels, between))
    answers = [each for each in candidates.values() if each is not None]
    if not answers:
        return _TOO_FAR
    return search.verified(*min(answers, key=search.value)[:2])


def _lowest_between(orders: list[float], values: list[float]) -> float:
    """Where the parabola through three values has its lowest point, or the best of the three."""
    places, heights = np.log(orders), np.log(values)
    curvature, slope, _ = np.polyfit(places, heights, 2)
    if not curvature > 0:
        return orders[int(np.argmin(values))]
    return float(np.exp(np.clip(-slope / (2 * curvature), places[0] - 0.5, places[-1] + 0.5)))


_TOO_FAR = "the noise that the budget needs is no number that a computer holds"


def _held_reason(held: float, budget: Guarantee) -> str:
    if math.isinf(held):
        return f"the releases that are held use up δ = {budget.delta:.6g} by themselves"
    if held > 1:
        return f"the releases that are held alone cost ε = {held * budget.epsilon:.6g}, more than {budget.epsilon:.6g}"
    return f"the releases that are held leave next to nothing of ε = {budget.epsilon:.6g}"


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


@dataclass(frozen=True, eq=False)
class _Fixed:
    """The search under tight accounting; `held` is the share of the budget that the other releases need alone."""

    plan: Plan
    levels: Adjustable
    held: float
    closed: bool
    load: FixedLoad

    def orders(self, split: Split) -> list[float]:
        """The Rényi orders whose price of privacy shapes the split: around the one that alone proves the least."""
        if not split.ordered or all(each.mu is not None for each in self.levels.mechanisms):
            return [1.0]
        if self.plan.budget.delta == 0:
            return [math.inf]
        place = int(np.argmin([self._renyi_value(split, order) for order in _ORDERS]))
        if len(self.levels) > MOST_QUOTED:
            return [_ORDERS[place]]
        last = max(place, _COMPARED - 1)  # tight accounting has its best order a little below
        return list(_ORDERS[last - _COMPARED + 1 : last + 1])

    def value(self, answer: tuple[float, Family, float]) -> float:
        """The criterion at the same load: noise is nearly inverse to it, variance to its square."""
        size, family, load = answer
        return weighted_variance(self.levels, family(size)) * load**2

    def _renyi_value(self, split: Split, order: float) -> float:
        """The criterion at the least noise that this order alone would prove."""
        budget, levels = self.plan.budget, self.levels
        paid = math.log1p(-1 / order) - (math.log(budget.delta) + math.log(order)) / (order - 1)
        left = (budget.epsilon - paid) * (1 - self.held)
        if left <= 0:
            return math.inf
        family = split.shape(levels, order)

        def load(size: float) -> float:
            return float(levels.uses @ costs_of(levels.mechanisms, family(size), order)) / left

        size = least_size(load, 1.0, 0.9999, 1.0001)
        return math.inf if size is None else weighted_variance(levels, family(size))

    def refined(self, family: Family) -> np.ndarray | None:
        """Noise levels of less weighted variance at about the same tight total; None where the proxies are exact."""
        levels, budget, start = self.levels, self.plan.budget, None
        groups = _alike(levels)
        if budget.delta > 0 and groups.max() < _REFINED and any(each.sampled for each in levels.mechanisms):

            def load(ratios: np.ndarray) -> float:
                return self.load.total(ratios, _ROUGH) / budget.epsilon

            start = least_size(lambda size: load(family(size)), self._start(family), 0.9, 1.1, _NEAR)
        return None if start is None else _less_variance(levels, family(start), groups, load)

    def solved(self, family: Family, start: float | None = None) -> tuple[float, Family, float] | None:
        """The size of noise that nearly meets the budget (exactly, by summed stated ε), its family and its load."""
        sums = SumLoad(self.plan, self.levels)
        pure = not any(each.base.mu is not None for each in self.levels.mechanisms)
        plain = None
        if pure and not sums.reason:
            plain = least_size(lambda size: sums(family(size)), 1.0, 1 - _EXACT, 1 + _EXACT)
        if self.plan.budget.delta == 0:
            return plain and (plain, family, 1.0)
        share = 1 - self.held
        far, near = _SEARCHED if len(self.levels) <= MOST_QUOTED else _SEARCHED_MANY
        low, high = (1 - 1e-11, 1 + 1e-11) if self.closed else (1 - far * share, 1 - near * share)
        accuracy = min(max(PLOTTED * share / 2, QUOTED), PLOTTED)

        known: dict[float, float] = {}

        def load(size: float) -> float:
            known[size] = self.load.total(family(size), accuracy) / self.plan.budget.epsilon
            return known[size]

        start = start or self._start(family)
        resolution = 1e-13 if self.closed else _NEAR
        size = least_size(load, min(start, plain or start), low, high, resolution)
        if plain and (size is None or size > plain * (1 - 1e-3)):
            size = plain
        return size and (size, family, known.get(size, 1.0) or 1.0)

    def _start(self, family: Family) -> float:
        """The size at which zCDP alone would meet what is left of the budget."""
        levels, budget = self.levels, self.plan.budget
        left = rho_from_guarantee(budget.epsilon, budget.delta) * (1 - self.held)

        def load(size: float) -> float:
            return math.sqrt(float(levels.uses @ costs_of(levels.mechanisms, family(size), 1.0)) / left)

        return (left and least_size(load, 1.0, 0.99, 1.01)) or 1.0

    def verified(self, size: float, family: Family) -> Found | str:
        """Round, compose, move the size, until the total is within the budget, and near it or the noise near least."""
        limit, nudge, small, best = self.plan.budget.epsilon, 1e-9, 0.0, None
        for _ in range(60):
            plan = self.levels.applied(self.plan, family(size))
            total = compose(plan, self.plan.budget.delta)
            share = total.epsilon / limit
            if total.implies(self.plan.budget):
                best = (size, plan, total)
                if share >= 1 - _KEPT * (1 - self.held):
                    break
                step = share / (1 - 2e-4) if share > 0.99 else 1 - min(nudge * 1e4, 0.5)
            else:
                small = size
                step = 1 + max(2 * (min(share, 2.0) - 1), nudge)
            size, nudge = size * step, 4 * nudge
            if best and small and not small < size < best[0]:
                size = math.sqrt(small * best[0])
            if best and best[0] <= small * (1 + _NEAR):
                break
        return self._found(*best[1:]) if best else _TOO_FAR

    def _found(self, plan: Plan, total: Guarantee) -> Found:
        sums = compose(plan, plan.budget.delta, "basic")
        key = "basic" if sums.epsilon <= total.epsilon else "pld"
        return Found(plan, sums if key == "basic" else total, key, theorem_named(key).label, False)


def adaptive_noise(plan: Plan, levels: Adjustable, split: Split) -> Found | str:
    """Return the plan with the least noise that basic composition or a filter admits, or why there is none.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Laplace.from_epsilon(1.0), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    >>> adaptive_noise(plan, Adjustable.of(plan), split_named("equal")).theorem
    'zcdp'
    """
    routes = [SumLoad(plan, levels), *(FilterLoad(plan, levels, rule.key) for rule in FILTERS if rule.key != "basic")]
    reasons, candidates = [], []
    for route in routes:
        reason = route.reason
        family = split.shape(levels, math.inf if route.key == "basic" else 1.0)
        size = None if reason else _size_under(route, family)
        if size is None:
            reasons.append(f"{route.label}: {reason or 'what is held uses up the budget'}")
        else:
            candidates.append((weighted_variance(levels, family(size)), size, family, route))
    for _, size, family, route in sorted(candidates, key=lambda each: each[0]):
        if found := _admitted(plan, levels, size, family, route):
            return found
        reasons.append(f"{route.label}: no noise that was tried is admitted")
    return "nothing that holds along the way admits the plan (" + "; ".join(reasons) + ")"


def _size_under(route: SumLoad | FilterLoad, family: Family) -> float | None:
    return least_size(lambda size: route(family(size)), 1.0, 1 - _EXACT, 1 + _EXACT)


def _admitted(plan: Plan, levels: Adjustable, size: float, family: Family, route: SumLoad | FilterLoad) -> Found | None:
    nudge = 1e-9
    for _ in range(_ADMISSIONS):
        solved = levels.applied(plan, family(size))
        if total := route.proves(solved):
            return Found(solved, total, route.key, route.label, route.by_filter)
        # Stated pairs may be larger than those that steered the search: then the load says how far it is.
        size, nudge = size * max(1 + nudge, min(route.of(solved), 2.0)), min(4 * nudge, 1e-2)
    return None
