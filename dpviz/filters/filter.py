"""Privacy filters: a budget fixed in advance, and requests chosen along the way, each admitted or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from html import escape
from typing import Literal

import numpy as np

from dpviz.decimals import rounded_up
from dpviz.filters import filter_file
from dpviz.filters.queries import Queries, Query
from dpviz.filters.rules import FILTERS, FilterRule, RuleKey, rule_named, slack_of
from dpviz.filters.tally import EXACT, Tally, exact, repeated_sum
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.outward import raised
from dpviz.parameters import COUNT, DELTA, checked, checked_choice
from dpviz.rounding import shown_down, shown_up
from dpviz.search import farthest, last_count

__all__ = [
    "ARITHMETICS", "FILTERS", "MOST_RUNS", "BudgetExceeded", "Filter", "breakeven_epsilon", "runs_until_exhausted",
]  # fmt: skip

ARITHMETICS = ("decimal", "float64")
MOST_RUNS = int(COUNT.high)
_CHARGE_FACTOR = {"decimal": raised(1.0, 16), "float64": 1.0}  # of what a request adds
_BOUND_FACTOR = {"decimal": raised(1.0, 34), "float64": 1.0}  # of what the sums prove


class BudgetExceeded(ValueError):
    """A request was refused; nothing of it was released, and the filter is as it was.

    Parameters
    ----------
    filter : Filter
        The filter that refused.
    request : Guarantee or Mechanism
    reason : str

    Examples
    --------
    >>> Filter(Guarantee(0.2)).spend(Guarantee(0.3))
    Traceback (most recent call last):
        ...
    dpviz.filters.filter.BudgetExceeded: the request (ε=0.3, δ=0)-DP is refused: the sum of all ε would exceed ε = 0.2
    """

    def __init__(self, filter: Filter, request: Guarantee | Mechanism, reason: str) -> None:
        self.filter: Filter = filter
        self.request: Guarantee | Mechanism = request
        self.reason: str = reason
        super().__init__(f"the request {request} is refused: {reason}")


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What follows from the arguments that are fixed before the first request."""

    record: FilterRule
    number: Callable[[float], Decimal | float]
    slack: float  # δ'
    epsilon: Decimal | float  # of the budget
    allowance: Decimal | float  # of Σδ_i
    limit: Decimal | float | None  # of the rule's one sum; None where it has two, or the rule is of no use
    inapplicable: str


@lru_cache(maxsize=1024)
def _fixed(budget: Guarantee, rule: str, release_delta: float, arithmetic: str) -> _Fixed:
    record = rule_named(rule)
    if arithmetic == "float64" and record.splits:
        raise ValueError(f"arithmetic must be decimal for the rule {rule}; got 'float64'")
    if release_delta and not record.splits:
        raise ValueError(f"release_delta must be 0: the rule {rule} fixes its share itself; got {release_delta!r}")
    if release_delta > budget.delta:
        raise ValueError(f"release_delta must be in [0, {budget.delta!r}]; got {release_delta!r}")
    number = exact if arithmetic == "decimal" else float
    slack = slack_of(budget, release_delta)
    inapplicable = record.reason(budget.epsilon, slack)
    kept = Decimal(1) if inapplicable else record.kept  # the basic rule alone may use all of δ
    allowance = number(release_delta) if kept is None else number(budget.delta) * type(number(0.0))(kept)
    limit = number(record.limit(budget.epsilon, slack)) if record.limit and not inapplicable else None
    return _Fixed(record, number, slack, number(budget.epsilon), allowance, limit, inapplicable)


@dataclass(frozen=True, slots=True, repr=False)
class Filter:
    """A budget with a rule that admits requests as long as the whole transcript stays within the budget.

    Each request may be chosen from all earlier answers: the mechanism, its ε_i, and whether to go on. Only the budget
    is a guarantee for the transcript; the rule's ε so far (`bound`) is none while one may still ask, but for ``basic``.

    Parameters
    ----------
    budget : Guarantee
        Fixed before the first request.
    rule : str
        The key of a rule in `FILTERS`.
    or_basic : bool
        Whether a request is also admitted when the basic rule admits it; both share what is kept for Σδ_i.
    release_delta : float
        The part of the budget's δ kept for Σδ_i, in [0, δ]; only where the rule leaves it open. At 0 a request with
        δ_i > 0 is refused.
    mechanism : Guarantee or Mechanism, optional
        What is asked where a request names nothing.
    arithmetic : str
        "decimal": sums of the typed decimals, exact, and everything else rounded against the request, so that nothing
        exceeds the budget. "float64": sums in double precision, left to right, which reproduces notebooks and may be
        off by their rounding either way; for ``basic`` and ``rogers``.
    tally : Tally
        What has been spent; made by `spend`.

    Raises
    ------
    ValueError
        When an argument lies outside its interval or does not suit the rule.

    Notes
    -----
    Any neighbour relation, the same for all requests. A guarantee, and under ``zcdp`` a black box, is read as its pair;
    under ``zcdp`` any other mechanism is read by its ρ, and where it is not pure the basic rule cannot admit it.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), "Privacy Odometers and Filters", Def. 3.4.

    Examples
    --------
    >>> from dataclasses import replace
    >>> f = Filter(Guarantee(0.2), mechanism=Guarantee(0.002))
    >>> runs_until_exhausted(f), runs_until_exhausted(replace(f, arithmetic="float64"))
    (100, 99)
    """

    budget: Guarantee
    rule: RuleKey = "basic"
    or_basic: bool = False
    release_delta: float = 0.0
    mechanism: Guarantee | Mechanism | None = None
    arithmetic: Literal["decimal", "float64"] = "decimal"
    tally: Tally | None = field(default=None, kw_only=True, repr=False)
    _fixed: _Fixed = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked(self.budget, Guarantee, "budget")
        if not isinstance(self.or_basic, bool):
            raise ValueError(f"or_basic must be True or False; got {self.or_basic!r:.60}")
        checked_choice(self.arithmetic, ARITHMETICS, "arithmetic")
        checked_choice(self.rule, (each.key for each in FILTERS), "rule")
        if self.tally is not None:
            checked(self.tally, Tally, "tally", "made by spend")
        object.__setattr__(self, "release_delta", DELTA.check(self.release_delta, "release_delta"))
        if self.mechanism is not None:
            Query.of(self.mechanism)
        object.__setattr__(self, "_fixed", _fixed(self.budget, self.rule, self.release_delta, self.arithmetic))
        terms = (self.budget, self.rule, self.or_basic, self.release_delta, self.arithmetic)
        if self.tally is None or (self.tally.terms != terms and not self.tally.count):
            zero = self._fixed.number(0.0)
            sums = tuple(zero for _ in self.record.charge(0.0, 0.0, 1.0))
            object.__setattr__(self, "tally", Tally(terms, 0, zero, zero, sums))
        elif self.tally.terms != terms:
            raise ValueError("budget, rule and arithmetic must stay as they were before the first request")

    def __repr__(self) -> str:
        """How a shell shows it: with what is spent."""
        told = {"rule": self.rule, "or_basic": self.or_basic, "release_delta": self.release_delta}
        told |= {"mechanism": self.mechanism, "arithmetic": self.arithmetic}
        usual = {"or_basic": False, "release_delta": 0.0, "mechanism": None, "arithmetic": "decimal"}
        parts = [f"{name}={value!r}" for name, value in told.items() if name not in usual or value != usual[name]]
        return f"<Filter({', '.join([repr(self.budget), *parts])}): {self.state}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return f"<p><b>Filter</b>, {escape(self.record.label)}, {escape(str(self.budget))}: {escape(self.state)}</p>"

    def __reduce__(self) -> tuple[object, ...]:
        """Return how it is pickled: by what it was made of and what is spent."""
        return _restored, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    @property
    def state(self) -> str:
        """What is spent and what is left, in a few words.

        Examples
        --------
        >>> Filter(Guarantee(0.3)).spend(Guarantee(0.1)).state
        '1 request admitted, Σε_i = 0.1, Σδ_i = 0; at most ε_i = 0.2 still fits'
        """
        number, spent = self.tally.count, self.spent
        sums = f"Σε_i = {shown_up(spent.epsilon, 6)}, Σδ_i = {shown_up(spent.delta, 6)}" if number else "nothing spent"
        left = shown_down(self.largest_epsilon(), 6)
        return f"{number:,} request{'s' * (number != 1)} admitted, {sums}; at most ε_i = {left} still fits"

    def to_json(self) -> str:
        """Return the filter with all that is spent as JSON text, without loss; `from_json` gives back an equal one.

        Raises
        ------
        ValueError
            When its arithmetic is float64, which is for reproducing notebooks, or its mechanism is not one of
            ``MECHANISMS``.

        Examples
        --------
        >>> kept = Filter(Guarantee(0.3)).spend(Guarantee(0.1)).to_json()
        >>> Filter.from_json(kept).admits(Guarantee(0.2)), Filter.from_json(kept).admits(Guarantee(0.21))
        (True, False)
        """
        return filter_file.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Filter:
        """Read what `to_json` wrote, and go on where that filter was.

        Whoever can write the text can forge what is spent: keep it where only its owner writes.

        Raises
        ------
        ValueError
            When it is no such text.

        Examples
        --------
        >>> Filter.from_json(Filter(Guarantee(1, 1e-6), "zcdp").to_json()).rule
        'zcdp'
        """
        return filter_file.from_json(text, cls)

    @property
    def record(self) -> FilterRule:
        """The rule's record in `FILTERS`."""
        return self._fixed.record

    @property
    def inapplicable(self) -> str:
        """Why the rule itself admits nothing under this budget; "" if it may. With `or_basic` basic is left."""
        return self._fixed.inapplicable

    @property
    def allowance(self) -> float:
        """What Σδ_i may reach."""
        return float(self._fixed.allowance)

    @property
    def largest_sum(self) -> float | None:
        """What the rule's one sum may reach: Σε_i, Σε_i² or Σρ_i; None for Rogers' rule, or where it is of no use."""
        return None if self._fixed.limit is None else float(self._fixed.limit)

    @property
    def spent(self) -> Guarantee:
        """Σε_i and Σδ_i of what was admitted, rounded up; ε = inf once a request had no pure ε."""
        epsilon, delta = float(self.tally.epsilon), float(self.tally.delta)
        if self.arithmetic == "decimal" and math.isfinite(epsilon):
            epsilon, delta = (rounded_up(Fraction(each)) for each in (self.tally.epsilon, self.tally.delta))
        return Guarantee(epsilon, min(1.0, delta))

    @property
    def bound(self) -> float:
        """The rule's ε so far, rounded up; the smaller of the two with `or_basic`; inf where the rule is of no use.

        Rogers' rule starts above 0: at about a quarter of the budget.
        """
        branches = [self.spent.epsilon] if self.asks_basic else []
        if not self.inapplicable:
            own = self.bound_of(tuple(map(float, self.tally.sums))) if self.rule != "basic" else branches[0]
            branches.append(min(own, self.budget.epsilon) if self.rule_holds(self.tally.sums) else own)
        return float(min(branches, default=math.inf))

    def bound_of(self, sums: tuple[Decimal | float, ...]) -> float:
        """Return the rule's ε for its sums, numbers or arrays, rounded up."""
        return self.record.bound(sums, self.budget.epsilon, self._fixed.slack) * _BOUND_FACTOR[self.arithmetic]

    @property
    def asks_basic(self) -> bool:
        """Whether what the basic rule admits is admitted."""
        return self.or_basic or self.rule == "basic"

    def rule_holds(self, sums: tuple[Decimal | float, ...]) -> bool:
        """Say whether the rule itself would hold at these sums, whatever Σδ_i is."""
        if self._fixed.limit is not None:
            return sums[0] <= self._fixed.limit
        if self.inapplicable:
            return False
        if math.isinf(self.budget.epsilon):
            return True
        sums = tuple(map(float, sums))
        return math.isfinite(sum(sums)) and self.bound_of(sums) <= self.budget.epsilon

    def surely_holds(self, sums: tuple[Decimal | float, ...]) -> np.ndarray:
        """Say where the rule holds, for arrays of sums that are rounded up; whatever Σδ_i is."""
        if self._fixed.limit is not None:
            return sums[0] <= float(self._fixed.limit)
        if self.inapplicable or math.isinf(self.budget.epsilon):
            return np.full(sums[0].shape, not self.inapplicable)
        return self.bound_of(sums) <= self.budget.epsilon

    def exceeded_by(self, tally: Tally) -> str:
        """Return why a transcript with this tally is not within the budget; "" if it is.

        Examples
        --------
        >>> f = Filter(Guarantee(0.2))
        >>> f.exceeded_by(f.tally)
        ''
        """
        if tally.delta > self._fixed.allowance:
            return self.delta_reason
        if (self.asks_basic and tally.epsilon <= self._fixed.epsilon) or self.rule_holds(tally.sums):
            return ""
        return self.epsilon_reason

    @property
    def delta_reason(self) -> str:
        """What is said of a request whose δ_i does not fit."""
        if not self._fixed.allowance and self.record.splits:
            return "release_delta is 0, so that only requests without δ_i fit"
        return f"the sum of all δ would exceed {self.allowance!r}"

    @property
    def epsilon_reason(self) -> str:
        """What is said of a request whose loss does not fit."""
        if self.rule == "basic" or (self.or_basic and self.inapplicable):
            return f"the sum of all ε would exceed ε = {self.budget.epsilon!r}"
        if self.inapplicable:
            return self.inapplicable
        both = "both Σε_i and " if self.or_basic else ""
        return f"{both}the rule's ε would exceed ε = {self.budget.epsilon!r}"

    def charge(self, request: Guarantee | Mechanism | None = None) -> Tally:
        """Return what one request adds.

        Parameters
        ----------
        request : Guarantee or Mechanism, optional
            The filter's `mechanism` where nothing is named.

        Raises
        ------
        ValueError
            When there is neither.
        """
        if request is None and self.mechanism is None:
            raise ValueError("a request must be named, or the filter be made with a mechanism; got neither")
        query = Query.of(self.mechanism if request is None else request)
        number = self._fixed.number
        epsilon, delta, sums = self.columns(query)
        return Tally(self.tally.terms, 1, number(epsilon), number(delta), tuple(map(number, sums)), query.relation)

    def columns(self, queries: Query | Queries) -> tuple[np.ndarray, ...]:
        """Return ε_i, δ_i and what the rule's sums grow by, as the rule reads one query or a sequence."""
        pairs = self.record.reads_pairs
        epsilon, delta = (queries.epsilon, queries.delta) if pairs else (queries.pure_epsilon, queries.leak)
        return epsilon, delta, self.record.charge(epsilon, queries.rho, _CHARGE_FACTOR[self.arithmetic])

    def reason(self, request: Guarantee | Mechanism | None = None) -> str:
        """Return why the request is refused; "" if it is admitted.

        Examples
        --------
        >>> from dpviz.mechanisms import Gaussian
        >>> Filter(Guarantee(0.2, 1e-6)).reason(Gaussian(10))
        'it has no stated pair (ε, δ) that this rule could add up'
        """
        charge = self.charge(request)
        return self.unreadable(charge) or self.exceeded_by(self.tally.plus(charge))

    def unreadable(self, charge: Tally) -> str:
        """Return why a request with this charge cannot be added at all, whatever is left; "" if it can."""
        if charge.relation and self.tally.relation not in (None, charge.relation):
            return f"it holds for the neighbour relation {charge.relation}, earlier ones for {self.tally.relation}"
        if self.record.reads_pairs:
            return "it has no stated pair (ε, δ) that this rule could add up" if math.isinf(charge.epsilon) else ""
        return "no ρ is known for it" if math.isinf(charge.sums[0]) else ""

    def admits(self, request: Guarantee | Mechanism | None = None) -> bool:
        """Say whether the request would be admitted.

        Examples
        --------
        >>> Filter(Guarantee(0.3)).spend(Guarantee(0.1)).admits(Guarantee(0.2))
        True
        """
        return not self.reason(request)

    def spend(self, request: Guarantee | Mechanism | None = None) -> Filter:
        """Return the filter after the request.

        Raises
        ------
        BudgetExceeded
            When it is refused.

        Examples
        --------
        >>> Filter(Guarantee(0.3)).spend(Guarantee(0.1)).spent
        Guarantee(epsilon=0.1, delta=0.0)
        """
        charge = self.charge(request)
        after = self.tally.plus(charge)
        if reason := self.unreadable(charge) or self.exceeded_by(after):
            raise BudgetExceeded(self, self.mechanism if request is None else request, reason)
        return replace(self, tally=after)

    def largest_epsilon(self, delta: float = 0.0) -> float:
        """Return the largest ε that one could still ask with δ_i = `delta`, rounded down; 0 where nothing fits.

        Examples
        --------
        >>> Filter(Guarantee(0.3)).spend(Guarantee(0.1)).largest_epsilon()
        0.2
        """
        delta = DELTA.check(delta)
        if not self.admits(Guarantee(0.0, delta)):
            return 0.0
        if math.isinf(self.budget.epsilon):
            return math.inf
        return farthest(lambda epsilon: self.admits(Guarantee(epsilon, delta)), 0.0, 1.7e308)


def _restored(*values: object) -> Filter:
    *given, tally = values
    return Filter(*given, tally=tally)


def runs_until_exhausted(filter: Filter, request: Guarantee | Mechanism | None = None) -> int:
    """Return how often the same request is still admitted in a row, at most 10^9.

    Parameters
    ----------
    filter : Filter
        With whatever it has spent.
    request : Guarantee or Mechanism, optional
        The filter's `mechanism` where nothing is named.

    Notes
    -----
    In closed form where the rule has one sum, by bisection for ``rogers``; ``float64`` follows the drift of its sums
    from one power of two to the next.

    Examples
    --------
    >>> budget = Guarantee(0.2, 2e-30)
    >>> [runs_until_exhausted(Filter(budget, rule.key), Guarantee(0.001)) for rule in FILTERS]
    [200, 125, 292, 327]
    """
    charge = checked(filter, Filter, "filter").charge(request)
    if filter.unreadable(charge):
        return 0
    fixed, spent = filter._fixed, filter.tally
    within_delta = _repetitions(fixed.allowance, spent.delta, charge.delta)
    runs = _repetitions(fixed.epsilon, spent.epsilon, charge.epsilon) if filter.asks_basic else 0
    if fixed.limit is not None:
        runs = max(runs, _repetitions(fixed.limit, spent.sums[0], charge.sums[0]))
    elif not fixed.inapplicable:
        runs = max(runs, last_count(lambda count: filter.rule_holds(spent.sums_with(charge, count)), MOST_RUNS))
    return min(within_delta, runs)


def _repetitions(limit: Decimal | float, spent: Decimal | float, each: Decimal | float) -> int:
    """How often `each` fits between `spent` and `limit`, at most 10^9."""
    if spent > limit or math.isinf(each):
        return MOST_RUNS if math.isinf(limit) else 0
    if each == 0 or math.isinf(limit):
        return MOST_RUNS
    if isinstance(limit, Decimal):
        return int(min(MOST_RUNS, EXACT.divide_int(EXACT.subtract(limit, spent), each)))

    guess = int(min(MOST_RUNS, (limit - spent) / each))
    return last_count(lambda count: repeated_sum(spent, each, count) <= limit, MOST_RUNS, guess)


def breakeven_epsilon(filter: Filter) -> float:
    """Return the constant ε below which the rule pays for more pure requests than the basic rule, counted in reals.

    Returns
    -------
    float
        Rounded down; 0 where it never does, at most the budget's ε.

    Examples
    --------
    >>> round(breakeven_epsilon(Filter(Guarantee(0.2, 2e-30), "fully_adaptive")), 9)
    0.001460187
    """
    budget = checked(filter, Filter, "filter").budget.epsilon
    if filter.inapplicable or filter.rule == "basic" or math.isinf(budget):
        return 0.0

    def more(epsilon: float) -> bool:
        sums = tuple(float(each) * (budget / epsilon) for each in filter.columns(Query.of(Guarantee(epsilon)))[2])
        limit = filter._fixed.limit
        return sums[0] <= float(limit) if limit is not None else filter.bound_of(sums) <= budget

    least = math.nextafter(0.0, 1.0)
    largest = farthest(more, least, budget)
    return largest if largest > least else 0.0
