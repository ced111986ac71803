"""Everything else: one lattice whose δ is never below the truth, and an attacker on another who is never above it.

Upwards: a cell's probabilities p and q are put on its two ends so that both are kept, which is the least favourable
pair with these cells (Doroshenko et al. 2022, Connect the Dots); p on a place x is e^x times q there. Whatever rounding
or cutting takes from p counts as a loss of infinity: δ(ε) <= Σ_{x>ε} p (1 - e^(ε-x)) + what is missing + leaks.

Downwards: an attacker is told nothing but the sum of the cells, and accuses where it is at least s: for every s,
δ(ε) >= P[S >= s] - e^ε Q[S >= s] + leaks. Where a tail is cut, nobody is accused: P and Q lose it both.

Probabilities are integers times 2^-bits: P rounded down and Q up. Q is carried along times e^x, which commutes with
sums of losses and keeps it as large as P.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil, floor, frexp, inf, log, log2, sqrt
from typing import TYPE_CHECKING, Any

from dpviz_certified.cells import Cells, partition
from dpviz_certified.enclosure import NotCertified, flint
from dpviz_certified.laws import Law, ball

if TYPE_CHECKING:
    from flint import arb, fmpz_poly

CELLS = 1 << 15
LONGEST = 1 << 20  # cells of a lattice that is tried at all
MOST_USES = 10**6
_SAVED = 42  # bits below the wanted δ at which tails are cut
_SMALLEST_DELTA = 1e-60  # cut level where δ is what is asked for


class Masses:
    """Probabilities by cell: P, and for a lower bound Q times e^x; `start` is the first cell's number."""

    def __init__(self, start: int, ahead: fmpz_poly, behind: fmpz_poly | None) -> None:
        self.start, self.ahead, self.behind = start, ahead, behind

    def __len__(self) -> int:
        return self.ahead.degree() + 1

    def times(self, other: Masses, bits: int, cut: int) -> Masses:
        """Return the sum of independent losses, without the tails of P of at most `cut`."""
        if len(self) + len(other) > LONGEST:
            raise NotCertified(f"the sum of its losses takes more than {LONGEST:,} cells")
        one = flint().fmpz(2) ** bits
        ahead = (self.ahead * other.ahead) // one
        behind = None if self.behind is None else -((-(self.behind * other.behind)) // one)
        return Masses(self.start + other.start, ahead, behind).trimmed(cut)

    def trimmed(self, cut: int) -> Masses:
        """Return it without the cells at both ends that hold at most `cut` together at each."""
        numbers = self.ahead.coeffs()
        first, last = _beyond(numbers, cut), len(numbers) - _beyond(numbers[::-1], cut)
        if first >= last:
            raise NotCertified("its losses are spread too thin for this lattice")
        if first == 0 and last == len(numbers):
            return self
        behind = None if self.behind is None else _part(self.behind, first, last)
        return Masses(self.start + first, _part(self.ahead, first, last), behind)

    def power(self, count: int, bits: int, cut: int) -> Masses:
        """Return the sum of `count` independent losses."""
        result, square = None, self
        while True:
            if count & 1:
                result = square if result is None else result.times(square, bits, cut)
            count >>= 1
            if not count:
                return result
            square = square.times(square, bits, cut)


def _beyond(numbers: list, cut: int) -> int:
    """How many of the first numbers add up to at most `cut`."""
    total = 0
    for index, number in enumerate(numbers):
        total += number
        if total > cut:
            return index
    return len(numbers)


def _part(poly: fmpz_poly, first: int, last: int) -> fmpz_poly:
    return poly.truncate(last).right_shift(first)


class Lattice:
    """Both lattices of a composition in one direction, for one δ or one ε.

    Parameters
    ----------
    side : list of (Law, int)
    cells : int
        About how many cells the sum of losses may take.
    target : Fraction, optional
        The δ whose ε is wanted.
    place : Fraction, optional
        The ε whose δ is wanted.
    about : float
        What that δ is about, if known.

    Raises
    ------
    NotCertified
        When there are too many uses, or their losses do not fit.
    """

    def __init__(
        self,
        side: list[tuple[Law, int]],
        cells: int,
        target: Fraction | None = None,
        place: Fraction | None = None,
        about: float = 0.0,
    ) -> None:
        uses = sum(count for _, count in side)
        if uses > MOST_USES:
            raise NotCertified(f"more than {MOST_USES:,} uses to convolve")
        self.target, self.place = target, place
        least = max(about, _SMALLEST_DELTA) if target is None else max(_rest(side, target), 1e-300)
        self.log_cut = log2(least) - _SAVED - ceil(log2(8 * uses))
        self.bits = ceil(-self.log_cut) + 40
        self.cut = 1 << max(0, self.bits + floor(self.log_cut))
        reach = sqrt(-2 * log(2) * self.log_cut)
        with flint().ctx.workprec(self.bits + 64):
            laws = [(Cells(law), law, count) for law, count in side]
            self.width = _width(laws, cells, reach)
            self.leaks, self.kept = _leaks(side)
            for upwards in (True, False):
                total = None
                for each, _, count in laws:
                    one = self._upper(each, cells, reach) if upwards else self._lower(each, cells, reach)
                    power = one.power(count, self.bits, self.cut)
                    total = power if total is None else total.times(power, self.bits, self.cut)
                self._summed(total, upwards)

    def _edges(self, each: Cells, cells: int, reach: float, upwards: bool) -> list[tuple[int, int, arb, arb]]:
        """The cells of the continuous part: the numbers of both ends, and the masses of P and Q."""
        if each.whole[0].is_zero():
            return []
        low, high = (end / self.width for end in each.span(reach))
        places = partition(floor(low) - 1, ceil(high) + 1, max(64, cells // 16))
        half = 0.0 if upwards else 0.5
        tails = [each.above(self._loss(place - half)) for place in places]
        return [
            (first, second, before[0] - after[0], before[1] - after[1])
            for first, second, before, after in zip(places, places[1:], tails, tails[1:], strict=False)
        ]

    def _loss(self, place: float) -> arb:
        return flint().arb(place) * flint().arb(self.width)

    def _upper(self, each: Cells, cells: int, reach: float) -> Masses:
        """Each cell's masses on both of its ends."""
        spread: dict[int, int] = {}
        found = self._edges(each, cells, reach, True)
        for loss, ahead, behind in each.atoms:
            middle = loss / flint().arb(self.width)
            low, high = int(middle.lower().floor().unique_fmpz()), int(middle.upper().ceil().unique_fmpz())
            if low == high:
                spread[low] = spread.get(low, 0) + self._down(ahead)
            else:
                found.append((low, high, ahead, behind))
        for low, high, ahead, behind in found:
            start, end = self._loss(low).exp(), self._loss(high).exp()
            falsely = (ahead - start * behind) / (end - start)
            for place, mass in ((low, start * (behind - falsely)), (high, end * falsely)):
                spread[place] = spread.get(place, 0) + self._down(mass)
        return _masses(spread, None)

    def _lower(self, each: Cells, cells: int, reach: float) -> Masses:
        """Each cell's masses at its middle, Q times e^x of that place."""
        ahead: dict[int, int] = {}
        behind: dict[int, int] = {}
        found = [((low + high - 1) / 2, p, q) for low, high, p, q in self._edges(each, cells, reach, False)]
        found += [(float(loss) / self.width, p, q) for loss, p, q in each.atoms]
        for middle, p, q in found:
            place = round(middle)
            ahead[place] = ahead.get(place, 0) + self._down(p)
            behind[place] = behind.get(place, 0) + self._up(q * self._loss(place).exp())
        return _masses(ahead, behind)

    def _down(self, value: arb) -> int:
        """A mass in units of 2^-bits, rounded down, and at least 0."""
        return max(0, int((value * flint().arb(2) ** self.bits).lower().floor().unique_fmpz()))

    def _up(self, value: arb) -> int:
        return max(0, int((value * flint().arb(2) ** self.bits).upper().ceil().unique_fmpz()))

    def _summed(self, total: Masses, upwards: bool) -> None:
        """Suffix sums, of P and of Q, as balls."""
        zero, scale = flint().arb(0), flint().arb(2) ** -self.bits
        shrink, factor = self._loss(-1).exp(), self._loss(-total.start).exp() * scale
        ahead = total.ahead.coeffs()
        behind = []
        for number in ahead if upwards else total.behind.coeffs():
            behind.append(number * factor)
            factor *= shrink
        behind += [zero] * (len(ahead) - len(behind))
        gains = [*accumulate(reversed([number * scale for number in ahead]), initial=zero)][::-1]
        costs = [*accumulate(reversed(behind[: len(ahead)]), initial=zero)][::-1]
        if upwards:
            missing = (self.kept - gains[0]).nonnegative_part()
            self.up: tuple[int, list[Any], list[Any]] = (total.start, [gain + missing for gain in gains], costs)
        else:
            self.low: tuple[int, list[Any], list[Any]] = (total.start, gains, costs)

    def epsilon(self) -> tuple[arb, arb]:
        """Return a lower and an upper bound on the ε of `target`, each as a ball."""
        with flint().ctx.workprec(self.bits + 64):
            rest = ball(self.target) - self.leaks
            return self._least_epsilon(rest), self._most_epsilon(rest)

    def _most_epsilon(self, rest: arb) -> arb:
        """Where the upper lattice meets what δ leaves: the first place at which it does, or between it and the last."""
        start, gains, costs = self.up
        library = flint()
        if not gains[-1] <= rest:
            return library.arb(inf)
        low, high = 0, len(gains) - 1  # at `high`, the losses beyond it are proved to suffice
        while low < high:
            middle = (low + high) // 2
            place = self._loss(start + middle)
            if gains[middle + 1] - place.exp() * costs[middle + 1] <= rest:
                high = middle
            else:
                low = middle + 1
        end = self._loss(start + high)
        if not costs[high] > 0 or not gains[high] > rest:
            return end.nonnegative_part()
        inside = ((gains[high] - rest) / costs[high]).log()
        before = self._loss(start + high - 1) if high else inside
        return inside.max(before).min(end).nonnegative_part() if high else end.nonnegative_part()

    def _least_epsilon(self, rest: arb) -> arb:
        """The best of the attackers: each number s of cells proves one."""
        _, gains, costs = self.low
        best, found = flint().arb(0), -inf
        for gain, cost in zip(gains, costs, strict=True):
            if not gain > rest or not cost > 0:
                continue
            value = (gain - rest) / cost
            rough = float(value.log()) if value > 1 else -inf
            if rough > found:
                best, found = value, rough
        return best.log().nonnegative_part() if found > -inf else flint().arb(0)

    def delta(self) -> tuple[arb, arb]:
        """Return a lower and an upper bound on the δ of `place`, each as a ball."""
        with flint().ctx.workprec(self.bits + 64):
            place, zero = ball(self.place), flint().arb(0)
            grown = place.exp()
            best = zero
            for gain, cost in zip(*self.low[1:], strict=True):
                value = gain - grown * cost
                best = value if value.mid() > best.mid() else best
            start, gains, costs = self.up
            ratio = (place / flint().arb(self.width)).lower().floor().unique_fmpz()
            first = min(max(0, int(ratio) + 1 - start), len(gains) - 1)
            above = gains[first] - grown * costs[first]
            below = gains[max(first - 1, 0)] - grown * costs[max(first - 1, 0)]
            return self.leaks + best.nonnegative_part(), self.leaks + above.max(below)


def _rest(side: list[tuple[Law, int]], target: Fraction) -> float:
    """About what δ leaves when the leaks are paid."""
    with flint().ctx.workprec(2048):
        return float(ball(target) - _leaks(side)[0])


def _leaks(side: list[tuple[Law, int]]) -> tuple[arb, arb]:
    """The probability that any use leaks, and that none does."""
    kept = flint().arb(1)
    for law, count in side:
        kept *= ball(1 - law.leak) ** count
    return 1 - kept, kept


def _width(laws: list[tuple[Cells, Law, int]], cells: int, reach: float) -> float:
    """A width of cells, a float of few bits, with which one use and the sum of all take about that many."""
    spans = [each.span(reach) for each, _, _ in laws]
    variance = sum(count * each.spread(reach)[1] for each, _, count in laws)
    most = sum(count * (high - low) for (low, high), (_, _, count) in zip(spans, laws, strict=True))
    one = max(high - low for low, high in spans)
    total = min(most, max(one, 2 * reach * sqrt(variance) + one / 2))
    if not 0 < total < inf:
        raise NotCertified("its losses are too large for a lattice")
    mantissa, power = frexp(total / cells)
    return ceil(mantissa * 256) / 256 * 2.0**power


def _masses(ahead: dict[int, int], behind: dict[int, int] | None) -> Masses:
    library, start, end = flint(), min(ahead), max(ahead)
    numbers = [ahead.get(place, 0) for place in range(start, end + 1)]
    others = None if behind is None else [behind.get(place, 0) for place in range(start, end + 1)]
    return Masses(start, library.fmpz_poly(numbers), None if others is None else library.fmpz_poly(others))
