"""How likely one use's loss lies in which cell: probabilities of both data sets, in balls, for any mechanism.

The continuous part of a law is known by its tails, the rest by its atoms. A tail is the pair of probabilities, under
P and under Q, that the continuous part's loss ln(P/Q) is above a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dpviz_certified.atoms import normal
from dpviz_certified.enclosure import flint
from dpviz_certified.laws import Law, Noise, Responses, ball

if TYPE_CHECKING:
    from flint import arb

Pair = tuple[Any, Any]  # of two balls: under P, and under Q


class SingleUse:
    """One use of any law, at the precision in force: its tail is its profile.

    Parameters
    ----------
    law : Responses or Noise
    """

    left_out = 0

    def __init__(self, law: Law) -> None:
        self.cells: Cells = Cells(law)
        self.top = largest(law)

    def surplus(self, epsilon: arb) -> tuple[arb, arb]:
        """Return δ(ε) without the leak, and the other data's probability of a loss above ε."""
        zero, grown = flint().arb(0), epsilon.exp()
        gain, cost = zero, zero
        if self.cells.whole[0] > 0:
            ahead, cost = self.cells.above(epsilon)
            gain = (ahead - grown * cost).nonnegative_part()
        for loss, p, q in self.cells.atoms:
            if loss > epsilon:
                gain, cost = gain + p - grown * q, cost + q
            elif not loss <= epsilon:
                gain += zero.union(p - grown * q)
        return gain, cost


def largest(law: Law) -> arb | None:
    """Return the supremum of a law's finite losses; None where there is none."""
    if isinstance(law, Responses):
        return law.top()
    rate, size = ball(law.rate), ball(law.size)
    if law.direction == "add":
        least = 1 - rate if law.kind == "gaussian" else 1 + rate * (-size).expm1()
        return -least.log()
    if law.kind == "gaussian":
        return None
    return size if law.rate == 1 else (rate * size.expm1()).log1p()


class Cells:
    """The law of one use at the precision in force.

    Parameters
    ----------
    law : Responses or Noise

    Attributes
    ----------
    atoms : list of (loss, P, Q)
    whole : pair of balls
        The mass of the continuous part.
    """

    def __init__(self, law: Law) -> None:
        self.law, zero = law, flint().arb(0)
        self.whole: Pair = (zero, zero)
        if isinstance(law, Responses):
            self.atoms = law.outputs()
            return
        self.rate, self.size = ball(law.rate), ball(law.size)
        self.mu = self.size.sqrt() if law.kind == "gaussian" else None
        self.base_whole = (flint().arb(1),) * 2 if self.mu is not None else ((1 - (-self.size).exp()) / 2,) * 2
        base = [] if self.mu is not None else self._ends()
        self.atoms, self.whole = getattr(self, f"_{law.direction or 'all'}")(base)

    def _ends(self) -> list[tuple[arb, arb, arb]]:
        half, low = flint().arb(1) / 2, (-self.size).exp() / 2
        return [(-self.size, low, half), (self.size, half, low)]

    def _mixed(self, pair: Pair) -> arb:
        return (1 - self.rate) * pair[1] + self.rate * pair[0]

    def _carried(self, loss: arb) -> arb:
        return (self.rate * loss.expm1()).log1p()

    def _all(self, base: list) -> tuple[list, Pair]:
        return base, self.base_whole

    def _remove(self, base: list) -> tuple[list, Pair]:
        atoms = [(self._carried(loss), self._mixed((p, q)), q) for loss, p, q in base]
        return atoms, (self._mixed(self.base_whole), self.base_whole[1])

    def _add(self, base: list) -> tuple[list, Pair]:
        atoms = [(-self._carried(loss), q, self._mixed((p, q))) for loss, p, q in base]
        return atoms, (self.base_whole[1], self._mixed(self.base_whole))

    def _replace(self, base: list) -> tuple[list, Pair]:
        """Gains, their mirror images, and what is left at no loss."""
        gains = [(self._carried(loss), self._mixed((p, q)), q) for loss, p, q in base[1:]]
        inner = self._base_above(flint().arb(0))
        side = self._mixed(inner) + inner[1]
        left = 1 - side - sum((p + q for _, p, q in gains), flint().arb(0))
        atoms = [*gains, *((-loss, q, p) for loss, p, q in gains), (flint().arb(0), left, left)]
        return atoms, (side, side)

    def above(self, place: arb) -> Pair:
        """Return the continuous part's tail above a loss."""
        if self.law.direction == "":
            return self._base_above(place)
        if self.law.direction == "remove":
            tail = self._sampled_above(place)
            return self._mixed(tail), tail[1]
        if self.law.direction == "add":  # losses are those of `remove`, mirrored, and both data sets change places
            tail = self._sampled_above(-place)
            return self.whole[0] - tail[1], self.whole[1] - self._mixed(tail)
        if place >= 0:
            tail = self._sampled_above(place)
            return self._mixed(tail), tail[1]
        tail = self._sampled_above(-place)
        return self.whole[0] - tail[1], self.whole[1] - self._mixed(tail)

    def _sampled_above(self, place: arb) -> Pair:
        """Tail of the base where its loss, carried along by sampling, is above a place."""
        ratio = 1 + place.expm1() / self.rate
        if ratio > 0:
            return self._base_above(ratio.log())
        if ratio <= 0:
            return self.base_whole
        tail = self._base_above(ratio.upper().log())
        return tuple(each.union(every) for each, every in zip(tail, self.base_whole, strict=True))

    def _base_above(self, place: arb) -> Pair:
        if self.mu is not None:
            shift = place / self.mu
            return normal(self.mu / 2 - shift), normal(-self.mu / 2 - shift)
        place = place.min(self.size).max(-self.size)
        ahead = (1 - ((place - self.size) / 2).exp()) / 2
        behind = ((-(place + self.size) / 2).exp() - (-self.size).exp()) / 2
        return ahead, behind

    def span(self, reach: float) -> tuple[float, float]:
        """Return about the losses outside which neither side has anything, or no more than a normal beyond `reach`."""
        if isinstance(self.law, Responses):
            return float(self.atoms[0][0]), float(self.atoms[-1][0])
        mean = float(self.size) / 2
        end = mean if self.mu is None else mean + float(self.mu) * reach
        end = float(self.size) if self.mu is None else end
        low, high = (float(self._carried(flint().arb(each))) for each in (-end, end))
        return {"": (-end, end), "remove": (low, high), "add": (-high, -low), "replace": (-high, high)}[
            self.law.direction
        ]

    def spread(self, reach: float) -> tuple[float, float]:
        """Return about the mean and the variance of the finite loss under P."""
        total = mean = square = 0.0
        for loss, mass in self._sketch(reach):
            total, mean, square = total + mass, mean + mass * loss, square + mass * loss * loss
        if total == 0:
            return 0.0, 0.0
        mean /= total
        return mean, max(square / total - mean * mean, 0.0)

    def _sketch(self, reach: float) -> Iterator[tuple[float, float]]:
        yield from ((float(loss), float(p)) for loss, p, _ in self.atoms)
        if isinstance(self.law, Noise):
            ends = [self._place(2 * number / 200 - 1, reach) for number in range(201)]
            tails = [float(self.above(flint().arb(end))[0]) for end in ends]
            for low, high, first, second in zip(ends, ends[1:], tails, tails[1:], strict=False):
                yield (low + high) / 2, max(first - second, 0.0)

    def _place(self, share: float, reach: float) -> float:
        """About the loss at which the base stands at a share, in [-1, 1], of its own span."""
        end = float(self.size) if self.mu is None else float(self.size) / 2 + float(self.mu) * reach
        if self.law.direction == "":
            return share * end
        if self.law.direction == "replace":
            return (1 if share >= 0 else -1) * float(self._carried(flint().arb(abs(share) * end)))
        side = -1 if self.law.direction == "add" else 1
        return side * float(self._carried(flint().arb(side * share * end)))


def partition(low: int, high: int, fine: int) -> list[int]:
    """Return places from `low` to `high`, one after the other up to `fine` from 0 and ever farther apart beyond.

    Examples
    --------
    >>> partition(-3, 9, 2)
    [-3, -2, -1, 0, 1, 2, 3, 4, 6, 9]
    """
    return sorted({-each for each in _outwards(-low, fine)} | set(_outwards(high, fine)))


def _outwards(end: int, fine: int) -> list[int]:
    """From 0, or from the end if that lies on the other side, to the end."""
    if end < 0:
        return []
    places = [0]
    while places[-1] < end:
        places.append(min(end, places[-1] + max(1, places[-1] // fine)))
    return places
