"""Few uses of Laplace noise, also beside responses: the joint density is made of polynomials times exp(x/2).

The loss of Laplace noise has the atoms 1/2 at ε and e^-ε/2 at -ε and between them the density e^((x-ε)/2) / 4. Divided
by e^(x/2) all of that is symmetric, and its Laplace transform at s is, with y = 1/s,

    e^(-ε/2) (e^(εs) (2 + y) + e^(-εs) (2 - y)) / 4.

A power of it is a sum of e^(as) times a polynomial in y, and e^(as) / s^m, Re s > 0, is the transform of
(a-x)^(m-1) / (m-1)! on x < a. So δ(ε) is a sum over the a above ε of integrals with closed recurrences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz_certified.atoms import losses
from dpviz_certified.enclosure import NotCertified, flint
from dpviz_certified.laws import Law, Noise, Responses, ball

if TYPE_CHECKING:
    from flint import arb, fmpz_poly

MOST_TERMS = 260_000  # ends of pieces times the degree between them


class Pieces:
    """What Laplace noises and responses lose together, at the precision in force.

    Parameters
    ----------
    laws : list of (Law, int)

    Raises
    ------
    NotCertified
        When there are too many pieces.
    """

    def __init__(self, laws: list[tuple[Law, int]]) -> None:
        library = flint()
        self.degree = sum(count for law, count in laws if isinstance(law, Noise))
        self.top, kept, present = library.arb(0), library.arb(1), library.arb(1)
        self.terms: list[tuple[arb, arb, fmpz_poly]] = [(library.arb(0), library.arb(1), library.fmpz_poly([1]))]
        for law, count in laws:
            if isinstance(law, Noise):
                self.top += count * ball(law.size)
                self._times(_ends(ball(law.size), count))
                continue
            none = ball(1 - law.leak) ** count
            offset, step, atoms = losses(law, count) if law.lossy else (library.arb(0),) * 2 + ([(0, none)],)
            kept, present = kept * none, present * sum((mass for _, mass in atoms), library.arb(0))
            self.top += offset + count * step
            found = ((offset + n * step, mass) for n, mass in atoms)
            self._times([(loss, mass * (-loss / 2).exp(), library.fmpz_poly([1])) for loss, mass in found])
        self.left_out = library.arb(0).union((kept - present).upper().nonnegative_part())

    def _times(self, factor: list[tuple[arb, arb, fmpz_poly]]) -> None:
        if len(self.terms) * len(factor) * (self.degree + 1) > MOST_TERMS:
            raise NotCertified("too many uses of Laplace noise for closed pieces")
        self.terms = [
            (end + other, weight * scale, poly * times)
            for end, weight, poly in self.terms
            for other, scale, times in factor
        ]

    def surplus(self, epsilon: arb) -> tuple[arb, arb]:
        """Return δ(ε) without the leaks, and the other data's probability of a loss above ε."""
        zero = flint().arb(0)
        gain = cost = zero
        for end, weight, poly in self.terms:
            room = end - epsilon
            if room < 0:
                continue
            ahead, behind = _integrals(poly, room)
            behind *= (-end / 2).exp()
            value = ahead * (end / 2).exp() - epsilon.exp() * behind
            gain += weight * (value if room > 0 else zero.union(value))
            cost += weight * behind
        return gain + self.left_out, cost


def _ends(epsilon: arb, count: int) -> list[tuple[arb, arb, fmpz_poly]]:
    """The ends of the pieces of `count` uses, with a weight and a polynomial in 1/s."""
    library = flint()
    scale = (-count * epsilon / 2).exp() / library.arb(4) ** count
    plus, minus = library.fmpz_poly([2, 1]), library.fmpz_poly([2, -1])
    return [
        (
            (count - 2 * low) * epsilon,
            scale * library.arb(library.fmpz.bin_uiui(count, low)),
            plus ** (count - low) * minus**low,
        )
        for low in range(count + 1)
    ]


def _integrals(poly: fmpz_poly, room: arb) -> tuple[arb, arb]:
    """Sums of coefficients times the integrals of u^(m-1)/(m-1)! e^(-u/2), and e^(u/2), over u from 0 to `room`.

    With t = room^m / m!: A(m+1) = 2 (A(m) - t e^(-room/2)) and B(m+1) = 2 (t e^(room/2) - B(m)), by parts.
    """
    library = flint()
    coefficients = poly.coeffs()
    ahead = behind = library.arb(coefficients[0])
    if len(coefficients) == 1:
        return ahead, behind
    falling, rising, power = (-room / 2).exp(), (room / 2).exp(), library.arb(1)
    first, second = 2 * (1 - falling), 2 * (rising - 1)
    for m, coefficient in enumerate(coefficients[1:], 1):
        ahead, behind = ahead + coefficient * first, behind + coefficient * second
        power = power * room / m
        first, second = 2 * (first - power * falling), 2 * (power * rising - second)
    return ahead, behind


def fits(laws: list[tuple[Law, int]]) -> bool:
    """Say whether these are responses and whole Laplace noises only."""
    return all(isinstance(law, Responses) or (law.kind == "laplace" and law.rate == 1) for law, _ in laws)
