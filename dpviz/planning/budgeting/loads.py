"""How much of a budget noise levels use, under whatever may be quoted for the plan: tight accounting, sums, filters.

A load is 1 where the budget is just met. Loads steer the search for the least noise; what is returned to anybody is
verified on the plan itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from dpviz.composition import compose, theorem_named
from dpviz.decimals import rounded_up, typed
from dpviz.filters import Filter, Query
from dpviz.filters.adaptivity import filter_of
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Mechanism
from dpviz.plan import Plan
from dpviz.planning.budgeting.noise_levels import Adjustable

_MANY = 60  # levels beyond which neighbouring ones are merged while the place is not known yet: steers a search alone
_MERGED = 0.05  # in ln ε: Σ ε² of what is merged is kept


class FixedLoad:
    """The load of a plan that is fixed in advance, by tight accounting of its parts.

    Equal losses are counted together whatever their sensitivity, and all Gaussian noise of a part is one Gaussian.

    Parameters
    ----------
    plan : Plan
        With finite ε in its budget.
    levels : Adjustable
    """

    def __init__(self, plan: Plan, levels: Adjustable) -> None:
        self.budget, self.levels = plan.budget, levels
        mine = set(levels.rows.tolist())
        self.others = [each for row, each in enumerate(plan.releases) if row not in mine and each.uses]
        named = list(dict.fromkeys(each.part for each in plan.releases if each.part is not None))
        self.parts: list[str | None] = named or [None]
        self.uses = self._uses([plan.releases[row] for row in levels.rows.tolist()])
        self.other_uses = self._uses(self.others)

    def _uses(self, releases: Sequence) -> np.ndarray:
        """Uses in each part, shape (parts, releases)."""
        table = np.zeros((len(self.parts), len(releases)), dtype=np.int64)
        place = {part: row for row, part in enumerate(self.parts)}
        for column, each in enumerate(releases):
            table[slice(None) if each.part is None else place[each.part], column] = each.uses
        return table

    def total(self, ratios: np.ndarray, accuracy: float, merge: bool = True) -> float:
        """Return the total ε; proved where nothing is merged."""
        mechanisms, counts = self._workload(ratios, merge)
        used = counts.any(axis=0)
        if not used.any():
            return 0.0
        kept = tuple(each for each, keep in zip(mechanisms, used, strict=True) if keep)
        return float(theorem_named("pld").measured(kept, counts[:, used], self.budget.delta, accuracy).epsilon.max())

    def _workload(self, ratios: np.ndarray, merge: bool) -> tuple[list[Mechanism], np.ndarray]:
        everything = [
            *zip(self.levels.mechanisms, ratios.tolist(), self.uses.T, strict=True),
            *((each.mechanism, None, uses) for each, uses in zip(self.others, self.other_uses.T, strict=True)),
        ]
        alike: dict[Mechanism, list[tuple[float, np.ndarray]]] = {}
        squares, rest = np.zeros(len(self.parts)), {}
        for mechanism, ratio, uses in everything:
            if mechanism.mu is not None:
                squares += uses / (ratio or 1 / mechanism.mu) ** 2
            elif mechanism.strength is not None and not mechanism.sampled:
                alike.setdefault(mechanism.bare(1.0), []).append((1 / (ratio or mechanism.strength), uses))
            else:
                key = mechanism if ratio is None else mechanism.bare(ratio)
                rest[key] = rest.get(key, 0) + uses
        columns = list(rest.items())
        for kind, losses in alike.items():
            columns += _grouped(kind, losses, merge)
        columns += _gaussian_columns(squares)
        return [each for each, _ in columns], np.array([uses for _, uses in columns], dtype=np.int64).T


def _grouped(
    kind: Mechanism, losses: list[tuple[float, np.ndarray]], merge: bool
) -> list[tuple[Mechanism, np.ndarray]]:
    """Equal losses counted together; of very many neighbouring ones too, with their root mean square."""
    values = np.array([loss for loss, _ in losses])
    keep = values > 0
    if not keep.any():
        return []
    values, uses = values[keep], np.array([uses for _, uses in losses])[keep]
    levels, place = np.unique(values, return_inverse=True)
    if merge and len(levels) > _MANY:
        _, place = np.unique(np.round(np.log(values) / _MERGED), return_inverse=True)
        amounts = uses.sum(axis=1, dtype=float)
        levels = np.sqrt(np.bincount(place, amounts * values**2) / np.bincount(place, amounts))
    counts = np.zeros((len(levels), uses.shape[1]), dtype=np.int64)
    np.add.at(counts, place, uses)
    return [(kind.bare(1 / float(level)), counts[n]) for n, level in enumerate(levels)]


def _gaussian_columns(squares: np.ndarray) -> list[tuple[Mechanism, np.ndarray]]:
    """One Gaussian per part, with all its μ²; one for all parts where they agree."""
    if not squares.any():
        return []
    if np.all(squares == squares[0]):
        return [(Gaussian(1 / math.sqrt(squares[0])), np.ones(len(squares), dtype=np.int64))]
    own = np.eye(len(squares), dtype=np.int64)
    return [(Gaussian(1 / math.sqrt(each)), own[part]) for part, each in enumerate(squares) if each > 0]


class SumLoad:
    """The load of a plan that is chosen along the way, by basic composition of the stated pairs of its parts."""

    key, by_filter = "basic", False

    def __init__(self, plan: Plan, levels: Adjustable) -> None:
        self.plan, self.levels = plan, levels
        self.label = theorem_named("basic").label
        self.shape = FixedLoad(plan, levels)
        pairs = [each.mechanism.stated for each in self.shape.others]
        others = np.array([pair.epsilon if pair else 0.0 for pair in pairs])
        self.held = self.shape.other_uses @ others if len(others) else np.zeros(len(self.shape.parts))

    @property
    def reason(self) -> str:
        """Why it cannot be quoted; "" if it may."""
        used = [each.mechanism for each in self.plan.releases if each.uses]
        missing = next((each.label for each in used if each.stated is None), "")
        if missing:
            return f"{missing} noise without a stated (ε, δ) has no pair that could be summed"
        spent = max(_summed_deltas(self.plan, part) for part in self.shape.parts)
        if spent > typed(self.plan.budget.delta):
            return f"stated δ add up to {rounded_up(spent):.6g}, more than δ = {self.plan.budget.delta:.6g}"
        return ""

    def __call__(self, ratios: np.ndarray) -> float:
        """Return Σε_i over the budget's ε, the largest of all parts."""
        epsilons = _per_level(self.levels, ratios, lambda mechanism: mechanism.stated.epsilon)
        return float((self.held + self.shape.uses @ epsilons).max() / self.plan.budget.epsilon)

    def proves(self, plan: Plan) -> Guarantee | None:
        """Return the total of a plan with new noise where it is within the budget."""
        total = compose(plan, plan.budget.delta, "basic")
        return total if total.implies(plan.budget) else None

    def of(self, plan: Plan) -> float:
        """Return the load of a plan with new noise, rounded as it is."""
        return compose(plan, plan.budget.delta, "basic").epsilon / plan.budget.epsilon


class FilterLoad:
    """The load of a plan under a filter that reads it release by release, parts ignored.

    Parameters
    ----------
    plan : Plan
    levels : Adjustable
    rule : str
        A key of ``FILTERS``.
    """

    by_filter = True

    def __init__(self, plan: Plan, levels: Adjustable, rule: str) -> None:
        self.plan, self.levels, self.key = plan, levels, rule
        self.state = filter_for(plan, rule)
        self.label = f"{self.state.record.label} filter"
        self.held = self._sums([(each.mechanism, each.uses) for each in levels.held(plan).releases if each.uses])

    @property
    def reason(self) -> str:
        """Why the rule cannot admit the whole plan, whatever the noise; "" if it may."""
        if self.state.inapplicable:
            return self.state.inapplicable
        if not np.isfinite(self.held).all() or not np.isfinite(self._sums(self._own(self.levels.ratio))).all():
            reads = "no stated pair (ε, δ)" if self.state.record.reads_pairs else "no ρ"
            return f"a release has {reads} that this rule could add up"
        spent = sum(typed(_columns(self.state, each.mechanism)[1]) * each.uses for each in self.plan.releases)
        return "" if spent <= typed(self.state.allowance) else f"Σδ_i would exceed {self.state.allowance!r}"

    def _own(self, ratios: np.ndarray) -> list[tuple[Mechanism, float]]:
        levels = self.levels
        return [
            (mechanism.bare(ratio), uses)
            for mechanism, ratio, uses in zip(levels.mechanisms, ratios.tolist(), levels.uses.tolist(), strict=True)
        ]

    def _sums(self, spent: Sequence[tuple[Mechanism, float]]) -> np.ndarray:
        total = np.zeros(len(self.state.tally.sums))
        known: dict[Mechanism, np.ndarray] = {}
        for mechanism, uses in spent:
            if mechanism not in known:
                known[mechanism] = np.array(_columns(self.state, mechanism)[2], dtype=float)
            total = total + uses * known[mechanism]
        return total

    def __call__(self, ratios: np.ndarray) -> float:
        """Return the rule's sum over the largest that it admits."""
        return self._load(self.held + self._sums(self._own(ratios)))

    def _load(self, sums: np.ndarray) -> float:
        if self.state.largest_sum is not None:
            return float(sums[0]) / self.state.largest_sum
        return float(self.state.bound_of(tuple(sums.tolist()))) / self.plan.budget.epsilon

    def proves(self, plan: Plan) -> Guarantee | None:
        """Return the budget where the rule admits the whole of a plan with new noise."""
        return plan.budget if admits_whole(plan, self.key) else None

    def of(self, plan: Plan) -> float:
        """Return the load of a plan with new noise, rounded as it is."""
        return self._load(np.array(filter_sums(self.state, plan)))


def filter_for(plan: Plan, rule: str) -> Filter:
    """Return the filter by this rule for the plan's budget, with what the plan's own δ_i need kept for them.

    Examples
    --------
    >>> filter_for(Plan([], Guarantee(1.0, 1e-6)), "rogers").allowance
    5e-07
    """
    probe = filter_of(rule, plan.budget)
    deltas: dict[Mechanism, Fraction] = {}
    for each in plan.releases:
        if each.mechanism not in deltas:
            deltas[each.mechanism] = typed(_columns(probe, each.mechanism)[1])
    kept = sum((deltas[each.mechanism] * each.uses for each in plan.releases), typed(0.0))
    return filter_of(rule, plan.budget, release_delta=min(rounded_up(kept), plan.budget.delta))


def admits_whole(plan: Plan, rule: str) -> bool:
    """Say whether a filter by this rule admits all uses of a plan, in any order; exact decimals.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> admits_whole(Plan([Release("a", Laplace.from_epsilon(0.1), 3)], Guarantee(0.3)), "basic")
    True
    """
    state = filter_for(plan, rule)
    if state.inapplicable:
        return False
    uses: dict[Mechanism, int] = {}
    for each in plan.releases:
        uses[each.mechanism] = uses.get(each.mechanism, 0) + each.uses
    tally = state.tally
    for mechanism, times in uses.items():
        charge = state.charge(mechanism) if times else None
        if charge is not None and state.unreadable(charge):
            return False
        tally = tally.plus(charge, times) if charge is not None else tally
    return not state.exceeded_by(tally)


def filter_sums(state: Filter, plan: Plan) -> tuple[float, ...]:
    """Return what a plan adds to a rule's sums, in doubles.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("a", Laplace.from_epsilon(0.5), 2)], Guarantee(1.0))
    >>> filter_sums(filter_for(plan, "basic"), plan)
    (1.0,)
    """
    known: dict[Mechanism, tuple] = {}
    total = np.zeros(len(state.tally.sums))
    for each in plan.releases:
        if each.uses:
            sums = known.setdefault(each.mechanism, _columns(state, each.mechanism)[2])
            total = total + each.uses * np.array(sums)
    return tuple(total.tolist())


def _columns(state: Filter, mechanism: Mechanism) -> tuple:
    epsilon, delta, sums = state.columns(Query.of(mechanism))
    return float(epsilon), float(delta), tuple(float(each) for each in sums)


def _summed_deltas(plan: Plan, part: str | None) -> Fraction:
    read = [each for each in plan.releases if each.part in (None, part) and each.mechanism.stated]
    return sum((typed(each.mechanism.stated.delta) * each.uses for each in read), typed(0.0))


def _per_level(levels: Adjustable, ratios: np.ndarray, value: Callable[[Mechanism], float]) -> np.ndarray:
    known: dict[tuple, float] = {}
    for key in zip(levels.mechanisms, ratios.tolist(), strict=True):
        if key not in known:
            known[key] = value(key[0].bare(key[1]))
    return np.array([known[key] for key in zip(levels.mechanisms, ratios.tolist(), strict=True)])
