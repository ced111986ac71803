"""Budgets: what may be lost by one unit of a data set, counted by which rule, for how long, and in whose hands."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from dpviz.decimals import rounded_up, typed
from dpviz.filters import Filter
from dpviz.guarantee import Guarantee
from dpviz.parameters import DELTA, Parameter, checked, checked_choice
from dpviz.plan import RELATIONS
from dpviz.plan.release import checked_text
from dpviz.search import last_count
from dpviz.store.amounts import EPSILON_DIGITS, Amount, decimal_of
from dpviz.store.terms import Term

LIFELONG = Term()
KEY = ("data", "unit", "epoch", "purpose", "holder")  # the fields of a key
RULES = ("basic", "fully_adaptive", "zcdp")
BUDGET_EPSILON = Parameter("epsilon", "ε", "budget", 0, 1000, open_low=True)


@dataclass(frozen=True, slots=True)
class Key:
    """What a budget is of: data, never code.

    Parameters
    ----------
    data : str
        The data set, 1 to 80 characters.
    unit : str
        The unit of privacy, such as "person"; 1 to 80 characters.
    epoch, purpose, holder : str
        Which part of time, what for, and in whose hands; "" where that does not matter. At most 80 characters.

    Examples
    --------
    >>> Key("census", "person", holder="team A").holder
    'team A'
    """

    data: str
    unit: str
    epoch: str = ""
    purpose: str = ""
    holder: str = ""

    def __post_init__(self) -> None:
        for name in KEY:
            value = getattr(self, name)
            if value != "" or name in ("data", "unit"):
                object.__setattr__(self, name, checked_text(name, value))

    def __str__(self) -> str:
        return ", ".join(each for each in astuple(self) if each)


@dataclass(frozen=True, slots=True)
class Budget:
    """The terms of a budget, fixed before the first charge.

    Parameters
    ----------
    key : Key
    epsilon : float
        In (0, 1000], rounded down to millionths.
    delta : float
        In [0, 1).
    rule : {"basic", "fully_adaptive", "zcdp"}
        The filter that admits or refuses, a key of `dpviz.filters.FILTERS`; under the last two, also what the basic
        rule admits is admitted.
    release_delta : float, optional
        The part of δ for what plans and requests state as theirs, fixed now; None takes half. The basic rule has none.
    term : Term
    relation : {"add_remove", "replace_one"}
        Between which neighbours all charges must hold.
    number : int
        Of the entry that opened it; 0 before.
    parent : int
        Number of the budget that it was shared out of; 0 for none.

    Raises
    ------
    ValueError
        When a value is not allowed, or too small to be counted.

    Notes
    -----
    Each request may be chosen from all earlier answers. A plan that was taken into force is one request here: its
    releases were fixed, so that whoever sees them one by one sees no more than who sees all of them at once.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), Def. 3.4 and Thm 3.6; Whitehouse, Ramdas, Rogers & Wu (2023), Thm 1 and 2.

    Examples
    --------
    >>> budget = Budget(Key("census", "person"), 1.0)
    >>> budget.refusal(Amount(1_000_000)), budget.refusal(Amount(1_000_001))
    ('', 'the sum of all ε would exceed ε = 1.0')
    """

    key: Key
    epsilon: float
    delta: float = 0.0
    rule: str = "basic"
    release_delta: float | None = None
    term: Term = LIFELONG
    relation: str = "add_remove"
    number: int = 0
    parent: int = 0

    def __post_init__(self) -> None:
        checked(self.key, Key, "key")
        checked(self.term, Term, "term")
        checked_choice(self.rule, RULES, "rule")
        checked_choice(self.relation, RELATIONS, "relation")
        BUDGET_EPSILON.check(self.epsilon)
        floored = int(Decimal(repr(float(self.epsilon))).scaleb(EPSILON_DIGITS))
        if not floored:
            raise ValueError(f"epsilon must be at least 1e-06; got {self.epsilon!r}")
        object.__setattr__(self, "epsilon", float(Decimal(floored).scaleb(-EPSILON_DIGITS)))
        if DELTA.check(self.delta) >= 1:
            raise ValueError(f"delta must be in [0, 1); got {self.delta!r}")
        object.__setattr__(self, "delta", float(self.delta))
        kept = self.delta / 2 if self.release_delta is None and self.rule != "basic" else self.release_delta or 0.0
        object.__setattr__(self, "release_delta", float(kept))
        _ = self.filter

    @property
    def filter(self) -> Filter:
        """The filter by its rule, with nothing spent."""
        return _filter(self.epsilon, self.delta, self.rule, self.release_delta)

    @property
    def whole(self) -> Amount:
        """The amount of the budget as one charge: what its parent is charged for it."""
        return Amount(int(Decimal(repr(self.epsilon)).scaleb(EPSILON_DIGITS)), delta=decimal_of(self.delta))

    def refusal(self, total: Amount) -> str:
        """Return why a window with this total is not within the budget; "" if it is."""
        return self.filter.exceeded_by(total.tally(self.filter))

    def bound(self, total: Amount) -> float:
        """Return the ε of this total by the rule, rounded up, for display; inf where there is none."""
        summed = math.inf if total.unbounded else rounded_up(Fraction(total.epsilon, 10**EPSILON_DIGITS))
        if self.rule == "basic" or self.filter.inapplicable:
            return summed
        return min(summed, float(self.filter.bound_of(tuple(map(float, total.tally(self.filter).sums)))))

    def free(self, total: Amount) -> float:
        """Return an ε that a window with this total still admits, in millionths, and at most that of the budget.

        The next larger one is refused, unless it is larger than the budget's own.

        Examples
        --------
        >>> Budget(Key("census", "person"), 1.0).free(Amount(700_001))
        0.299999
        """

        def fits(millionths: int) -> bool:
            asked = Guarantee(float(Decimal(millionths).scaleb(-EPSILON_DIGITS)))
            return not self.refusal(total + Amount.of(self.filter, asked))

        return float(Decimal(last_count(fits, self.whole.epsilon)).scaleb(-EPSILON_DIGITS))

    def lifetime(self, first: int, at: int, total: Amount) -> tuple[Fraction, Fraction]:
        """Return ε and δ that hold for everything until now, by basic composition of the charges or of the windows.

        The ε of a filter's own sum is none of them: it promises nothing while one may still ask, and its budget does.

        Parameters
        ----------
        first, at : int
            When it was charged first, and now, in microseconds since 1970.
        total : Amount
            Of all charges in all windows.

        Examples
        --------
        >>> Budget(Key("census", "person"), 1.0).lifetime(0, 9, Amount(250_000))
        (Fraction(1, 4), Fraction(0, 1))
        """
        windows = self.term.windows(first, at)
        promised = windows * typed(self.epsilon), windows * typed(self.delta)
        summed = Fraction(total.epsilon, 10**EPSILON_DIGITS), Fraction(total.delta)
        return promised if total.unbounded else min(promised, summed)

    @property
    def fields(self) -> dict[str, object]:
        """What files hold of it."""
        terms = {"epsilon": self.whole.epsilon, "delta": str(decimal_of(self.delta)), "rule": self.rule}
        terms |= {"release_delta": str(decimal_of(self.release_delta)), "term": str(self.term)}
        return {**dict(zip(KEY, astuple(self.key), strict=True)), **terms,
                "relation": self.relation, "parent": self.parent}  # fmt: skip

    @classmethod
    def of_fields(cls, fields: dict[str, object], number: int) -> Budget:
        """Read what `fields` gives, of the entry with this number.

        Examples
        --------
        >>> budget = Budget(Key("census", "person"), 0.1, 1e-6, "zcdp", number=1)
        >>> Budget.of_fields(budget.fields, 1) == budget
        True
        """
        key = Key(*(fields[name] for name in KEY))
        epsilon = float(Decimal(fields["epsilon"]).scaleb(-EPSILON_DIGITS))
        delta, kept = float(fields["delta"]), float(fields["release_delta"])
        term = Term.read(fields["term"])
        return cls(key, epsilon, delta, fields["rule"], kept, term, fields["relation"], number, fields["parent"])


@lru_cache(maxsize=1024)
def _filter(epsilon: float, delta: float, rule: str, release_delta: float) -> Filter:
    return Filter(Guarantee(epsilon, delta), rule, or_basic=rule != "basic", release_delta=release_delta)
