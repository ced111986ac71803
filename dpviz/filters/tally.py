"""What a filter has spent: exact decimals, or double-precision sums as a notebook forms them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation

# Room for every sum and product of doubles' decimals; a result that were rounded would raise.
EXACT = Context(prec=2000, traps=[Inexact, InvalidOperation])


def exact(value: float) -> Decimal:
    """Return the decimal that `value` stands for.

    Examples
    --------
    >>> exact(0.1) + exact(0.2) == exact(0.3)
    True
    """
    return Decimal(repr(float(value)))


@dataclass(frozen=True, slots=True)
class Tally:
    """What has been spent, or what one request adds.

    Parameters
    ----------
    terms : tuple
        Of the filter: budget, rule and all that is fixed before the first request.
    count : int
        Requests admitted.
    epsilon, delta : Decimal or float
        Σε_i and Σδ_i as the rule reads the requests; Σε_i is inf once a request had no pure ε.
    sums : tuple of Decimal or float
        The rule's own sums.
    relation : str or None
        The neighbour relation that some request demanded.

    Examples
    --------
    >>> one = Tally((), 1, exact(0.002), exact(0), ())
    >>> one.plus(one, 99).epsilon == exact(0.2)
    True
    """

    terms: tuple[object, ...]
    count: int
    epsilon: Decimal | float
    delta: Decimal | float
    sums: tuple[Decimal | float, ...]
    relation: str | None = None

    def plus(self, charge: Tally, times: int = 1) -> Tally:
        """Return the tally after `times` further requests, at least one, that charge the same."""
        total = repeated_sum if isinstance(self.delta, float) else _repeated
        return Tally(
            self.terms,
            self.count + times * charge.count,
            total(self.epsilon, charge.epsilon, times),
            total(self.delta, charge.delta, times),
            self.sums_with(charge, times),
            self.relation or charge.relation,
        )

    def sums_with(self, charge: Tally, times: int) -> tuple[Decimal | float, ...]:
        """Return the rule's own sums after `times` further requests, at least one."""
        total = repeated_sum if isinstance(self.delta, float) else _repeated
        return tuple(total(spent, each, times) for spent, each in zip(self.sums, charge.sums, strict=True))


def _repeated(total: Decimal, step: Decimal, times: int) -> Decimal:
    return EXACT.add(total, step if times == 1 else EXACT.multiply(step, times))


def repeated_sum(total: float, step: float, times: int) -> float:
    """Return `total` after `times` double-precision additions of `step`, bit for bit, without stepping.

    Between two powers of two every addition rounds to the same grid. A tie goes to the even neighbour, so that from the
    second addition on each one adds the same multiple of the grid, and they are taken at once.

    Parameters
    ----------
    total, step : float
        At least 0, finite.
    times : int
        At least 0.

    Examples
    --------
    >>> repeated_sum(0.0, 0.002, 100)
    0.20000000000000015
    """
    while times > 0:
        first = total + step
        if first == total:
            return total
        if times == 1:
            return first
        total, times = first + step, times - 2
        half = math.ldexp(0.5, math.frexp(total)[1])  # the power of two below
        if first < half or total > 4e307:
            continue
        increment = (total + step) - total
        if increment == 0:
            return total
        jump = int((2 * half - total) / increment) - 1
        if jump >= times:
            return total + times * increment
        if jump > 0:
            total, times = total + jump * increment, times - jump
    return total
