"""What one window of a budget has been charged, as charges come and as the window moves on."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from dpviz.store.amounts import Amount
from dpviz.store.entries import Charge


@dataclass(slots=True)
class Window:
    """What a budget has been charged, those charges left out that the present window does not hold.

    Parameters
    ----------
    total : Amount
        The sum of those that count.
    ends : list of (int, int, Amount)
        A heap of their ends, in microseconds since 1970; those without end are not in it.
    count : int
        How many were taken in.

    Examples
    --------
    >>> window = Window()
    >>> window.add(Charge(1, Amount(5), 0, 9, Amount(5)))
    >>> window.move(10)
    >>> window.total == Amount()
    True
    """

    total: Amount = field(default_factory=Amount)
    ends: list[tuple[int, int, Amount]] = field(default_factory=list)
    count: int = 0

    def move(self, start: int | None) -> None:
        """Let the window begin later."""
        while start is not None and self.ends and self.ends[0][0] < start:
            self.total += -heapq.heappop(self.ends)[2]

    def add(self, charge: Charge) -> None:
        """Take in a charge that counts in it."""
        self.total += charge.amount
        self.count += 1
        if charge.until is not None:
            heapq.heappush(self.ends, (charge.until, self.count, charge.amount))
