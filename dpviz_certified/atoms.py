"""Compositions without a density of their own: joint losses of responses one by one, beside at most one Gaussian."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dpviz_certified.enclosure import NotCertified, flint
from dpviz_certified.laws import Law, Responses, ball

if TYPE_CHECKING:
    from flint import arb

Multiples = tuple[Any, Any, list[tuple[int, Any]]]  # of balls: an offset, a step, and the mass of each multiple
MOST_USES = 200_000  # of one sampled response: all of its losses are visited
MOST_JOINT = 20_000  # joint losses of all but the response with the most of them
MOST_SHIFTS = 3_000  # joint losses beside a Gaussian, each of which takes a profile


def normal(x: arb) -> arb:
    """Return the probability that a standard normal variable is below `x`."""
    return (-x / flint().arb(2).sqrt()).erfc() / 2


def gaussian_profile(epsilon: arb, mu: arb) -> tuple[arb, arb]:
    """Return δ(ε) of Gaussian noise, and the other data's probability of a loss above ε (Balle & Wang 2018, Thm 8)."""
    falsely = normal(-mu / 2 - epsilon / mu)
    return normal(mu / 2 - epsilon / mu) - epsilon.exp() * falsely, falsely


class Atoms:
    """What responses, and Gaussian noise of the square `mu_square` (0: none), lose together, at the precision in force.

    Parameters
    ----------
    laws : list of (Responses, int)
    mu_square : Fraction

    Raises
    ------
    NotCertified
        When there are too many joint losses.
    """

    def __init__(self, laws: list[tuple[Responses, int]], mu_square: Fraction = Fraction(0)) -> None:
        library = flint()
        self.mu = ball(mu_square).sqrt() if mu_square else None
        self.top = None if mu_square else sum((count * law.top() for law, count in laws), library.arb(0))
        kept, still = library.arb(1), library.arb(1)
        for law, count in laws:
            kept *= ball(1 - law.leak) ** count
            still *= ball(1 - law.leak) ** count if not law.lossy else 1
        lattices = sorted((losses(law, count) for law, count in laws if law.lossy), key=lambda each: len(each[2]))
        offset = sum((each[0] for each in lattices), library.arb(0))
        largest = lattices.pop() if lattices and self.mu is None else (offset, library.arb(0), [(0, library.arb(1))])
        self.shifts = self._joint(lattices, offset, still)
        _, self.step, atoms = largest
        self._sum(atoms, kept)

    def _joint(self, lattices: list[Multiples], offset: arb, still: arb) -> list[tuple[arb, arb]]:
        """The losses of all lattices beyond `offset`, with their probabilities times that of no leak of all else."""
        most = MOST_JOINT if self.mu is None else MOST_SHIFTS
        joint = [(offset, still)]
        for _, step, atoms in lattices:
            if len(joint) * len(atoms) > most:
                raise NotCertified(f"more than {most:,} joint losses of different responses")
            joint = [(loss + place * step, mass * each) for loss, mass in joint for place, each in atoms]
        return joint

    def _sum(self, atoms: list[tuple[int, arb]], kept: arb) -> None:
        """Suffix sums of the largest lattice, and what was left out of all of them."""
        zero = flint().arb(0)
        responding = [mass for _, mass in atoms]
        self.places = [place for place, _ in atoms]
        mirrored = [mass * (-place * self.step).exp() for place, mass in atoms]
        self.gains, self.costs = ([*accumulate(reversed(each), initial=zero)][::-1] for each in (responding, mirrored))
        self.single = list(zip(responding, mirrored, strict=True))
        present = self.gains[0] * sum((mass for _, mass in self.shifts), zero)
        self.left_out = zero.union((kept - present).upper().nonnegative_part())

    def surplus(self, epsilon: arb) -> tuple[arb, arb]:
        """Return δ(ε) without the leaks, and the other data's probability of a loss above ε."""
        gain = cost = flint().arb(0)
        for loss, mass in self.shifts:
            if self.mu is None:
                ahead, falsely = self._above(epsilon - loss)
            else:
                ahead, falsely = gaussian_profile(epsilon - loss, self.mu)
            gain, cost = gain + mass * ahead, cost + mass * (-loss).exp() * falsely
        return gain + self.left_out, cost

    def _above(self, epsilon: arb) -> tuple[arb, arb]:
        """The same for the largest lattice alone; a loss that may be ε itself counts as anything between."""
        zero, grown = flint().arb(0), epsilon.exp()
        first, ambiguous = len(self.places), zero
        if not self.step.is_zero():
            ratio = epsilon / self.step
            lowest, highest = ratio.lower().floor().unique_fmpz(), ratio.upper().ceil().unique_fmpz()
            first = self._index(int(highest))
            for index in range(self._index(int(lowest)), first):
                gain, cost = self.single[index]
                value = gain - grown * cost
                ambiguous += zero.union(value) if not (value < 0 or value > 0) else value.nonnegative_part()
        elif not epsilon >= 0:
            first = 0
        return self.gains[first] - grown * self.costs[first] + ambiguous, self.costs[first]

    def _index(self, place: int) -> int:
        """Index of the first atom at `place` or later."""
        if not self.places:
            return 0
        stride = self.places[1] - self.places[0] if len(self.places) > 1 else 1
        return min(max(0, -(-(place - self.places[0]) // stride)), len(self.places))


def losses(law: Responses, count: int) -> Multiples:
    """Return an offset and a step of a response's losses, and the probabilities of multiples after `count` uses.

    Notes
    -----
    What is less probable than 2^-precision is left out; the caller takes account of it by what is missing.

    Raises
    ------
    NotCertified
        When there are too many uses, or the losses lie on no lattice.
    """
    zero = flint().arb(0)
    if law.direction:
        if len(outputs := law.outputs()) > 2:
            raise NotCertified("a Poisson sample of a leaky response has losses on no lattice")
        (least, low, _), (most, high, _) = outputs
        return count * (least + most) / 2, (most - least) / 2, _binomial(low, high, count)
    low, still, high = law.masses()
    if law.rate == 1:
        found = _binomial(low, high, count)
    else:
        if count > MOST_USES:
            raise NotCertified(f"more than {MOST_USES:,} uses of one sampled response")
        found = _trinomial(low, still, high, count)
    return zero, law.step(), found


def _binomial(low: arb, high: arb, count: int) -> list[tuple[int, arb]]:
    """From the most probable number of lies outwards, by the ratio of neighbours."""
    library = flint()
    floor = library.arb(2) ** -library.ctx.prec
    middle = min(count, int(float((count + 1) * low / (low + high))))
    start = _choose(count, middle) * low**middle * high ** (count - middle)
    found, mass = [(count - 2 * middle, start)], start
    for lies in range(middle, 0, -1):
        mass = mass * (high / low) * lies / (count - lies + 1)
        found.append((count - 2 * lies + 2, mass))
        if mass < floor:
            break
    found.reverse()
    mass = start
    for lies in range(middle, count):
        mass = mass * (low / high) * (count - lies) / (lies + 1)
        found.append((count - 2 * lies - 2, mass))
        if mass < floor:
            break
    return found[::-1]


def _choose(count: int, some: int) -> arb:
    return flint().arb.bin_uiui(count, some)


def _trinomial(low: arb, still: arb, high: arb, count: int) -> list[tuple[int, arb]]:
    """(low + still y + high y²)^count by n c₀ aₙ = (count-n+1) c₁ aₙ₋₁ + (2 count-n+2) c₂ aₙ₋₂, from both ends.

    The recurrence is that of f' g = count g' f for f = g^count; up to the middle all of its terms are positive, so
    balls stay narrow.
    """
    library = flint()
    floor = library.arb(2) ** -library.ctx.prec
    lower = _half(low, still, high, count)
    upper = _half(high, still, low, count)
    every = [(place - count, mass) for place, mass in enumerate(lower)]
    every += [(count - place, mass) for place, mass in reversed([*enumerate(upper)][:count])]
    likely = [index for index, (_, mass) in enumerate(every) if not mass < floor]
    return every[likely[0] : likely[-1] + 1]


def _half(first: arb, middle: arb, last: arb, count: int) -> list[arb]:
    """The coefficients 0 to `count`."""
    found = [first**count]
    for place in range(1, count + 1):
        one, two = found[place - 1], found[place - 2] if place > 1 else 0
        total = (count - place + 1) * middle * one + (2 * count - place + 2) * last * two
        found.append(total / (place * first))
    return found


def fits(laws: list[tuple[Law, int]]) -> bool:
    """Say whether these are responses only."""
    return all(isinstance(law, Responses) for law, _ in laws)
