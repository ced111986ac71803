"""Amounts of a ledger: whole numbers of a stated quantum, every charge rounded up, so that sums have no error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from dpviz.filters.tally import EXACT, Tally, exact

if TYPE_CHECKING:
    from dpviz.filters import Filter
    from dpviz.guarantee import Guarantee
    from dpviz.mechanisms import Mechanism

EPSILON_DIGITS, OWN_DIGITS = 6, 12
QUANTUM = {"epsilon": "1e-6", "own": "1e-12", "delta": "decimal text, exact"}
"""What an exported ledger says of its whole numbers: those of ε, and those of the rule's own sum, Σε² or Σρ."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What a budget is charged, or what it has been charged in all; amounts add up exactly.

    Parameters
    ----------
    epsilon : int
        ε in millionths, of all requests that have one to add up.
    unbounded : int
        How many requests have none.
    own : int
        What the rule's own sum grows by, in units of 1e-12: ε² under ``fully_adaptive``, ρ under ``zcdp``; 0 under
        ``basic``, which sums ε.
    delta : Decimal
        δ, exact.

    Examples
    --------
    >>> Amount(100_000) + Amount(200_000) == Amount(300_000), -Amount(5)
    (True, Amount(epsilon=-5, unbounded=0, own=0, delta=Decimal('0')))
    """

    epsilon: int = 0
    unbounded: int = 0
    own: int = 0
    delta: Decimal = Decimal(0)

    def __add__(self, other: Amount) -> Amount:
        whole = self.epsilon + other.epsilon, self.unbounded + other.unbounded, self.own + other.own
        return Amount(*whole, plain(EXACT.add(self.delta, other.delta)))

    def __neg__(self) -> Amount:
        return Amount(-self.epsilon, -self.unbounded, -self.own, plain(EXACT.minus(self.delta)))

    @property
    def fields(self) -> dict[str, int | str]:
        """What files and tables hold of it: whole numbers, and δ as text."""
        return {"epsilon": self.epsilon, "unbounded": self.unbounded, "own": self.own, "delta": str(self.delta)}

    @classmethod
    def of_fields(cls, fields: dict[str, int | str]) -> Amount:
        """Read what `fields` gives.

        Examples
        --------
        >>> from decimal import Decimal
        >>> Amount.of_fields(Amount(5, delta=Decimal("1e-6")).fields) == Amount(5, delta=Decimal("1e-6"))
        True
        """
        return cls(fields["epsilon"], fields["unbounded"], fields["own"], Decimal(fields["delta"]))

    @classmethod
    def of(cls, filter: Filter, request: Guarantee | Mechanism, count: int = 1) -> Amount:
        """Return what a filter charges for a request, `count` times, rounded up.

        Parameters
        ----------
        filter : Filter
        request : Guarantee or Mechanism
        count : int
            At least 1.

        Raises
        ------
        ValueError
            When the rule cannot read the request.

        Examples
        --------
        >>> from dpviz import Filter, Gaussian, Guarantee
        >>> Amount.of(Filter(Guarantee(1.0)), Guarantee(0.1), 3).epsilon
        300000
        >>> Amount.of(Filter(Guarantee(1.0, 1e-6), "zcdp"), Gaussian(10)).own  # ρ = 0.005
        5000000001
        """
        charge = filter.charge(request)
        if reason := filter.unreadable(charge):
            raise ValueError(f"request must be one that the rule {filter.rule} can count: {reason}")
        return cls.of_charge(filter, charge, count)

    @classmethod
    def of_charge(cls, filter: Filter, charge: Tally, count: int = 1) -> Amount:
        """Return the amount of what a filter's own tally would grow by, `count` times, rounded up."""
        bounded = charge.epsilon.is_finite()
        return cls(
            quanta(charge.epsilon, EPSILON_DIGITS, count) if bounded else 0,
            0 if bounded else count,
            0 if filter.rule == "basic" else quanta(charge.sums[0], OWN_DIGITS, count),
            plain(EXACT.multiply(charge.delta, count)),
        )

    def tally(self, filter: Filter) -> Tally:
        """Return it as a filter counts it, exactly."""
        epsilon = Decimal(math.inf) if self.unbounded else EXACT.scaleb(Decimal(self.epsilon), -EPSILON_DIGITS)
        own = epsilon if filter.rule == "basic" else EXACT.scaleb(Decimal(self.own), -OWN_DIGITS)
        return Tally(filter.tally.terms, 1, epsilon, self.delta, (own,))


def quanta(value: Decimal, digits: int, count: int = 1) -> int:
    """Return the least whole number of 10^-digits that is not below `value`, taken `count` times.

    Examples
    --------
    >>> quanta(Decimal("0.1"), 6), quanta(Decimal("1e-9"), 6), quanta(Decimal("1e-9"), 6, 1_000_000)
    (100000, 1, 1000)
    """
    return int(EXACT.scaleb(EXACT.multiply(value, count), digits).to_integral_value(ROUND_CEILING))


def decimal_of(value: float) -> Decimal:
    """Return the decimal that a number was typed as, without needless digits.

    Examples
    --------
    >>> str(decimal_of(1e-06)), str(decimal_of(0.0))
    ('0.000001', '0')
    """
    return plain(exact(value))


def plain(value: Decimal) -> Decimal:
    """Return an equal decimal that is written in one way only."""
    return value.normalize(EXACT) if value else Decimal(0)
