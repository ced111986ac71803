"""What is composed, as exact fractions: each mechanism in one direction, from its parameters alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpviz.decimals import typed
from dpviz.mechanisms import Declared, Gaussian, Laplace, Mechanism, Subsampled
from dpviz.mechanisms.batches import NoiseCeiling
from dpviz.mechanisms.laws.loss_laws import LatticeLaw, ResponseLaw
from dpviz_certified.enclosure import NotCertified, flint

if TYPE_CHECKING:
    from flint import arb

WHOLE = Fraction(1)


@dataclass(frozen=True)
class Responses:
    """Leaky randomized response, or a sample of it; without replacement losses -step, 0, step and infinity.

    Parameters
    ----------
    epsilon, delta : Fraction
        Its pair.
    rate : Fraction
        In (0, 1]; 1: all data are read.
    direction : {"", "remove", "add"}
        Of a Poisson sample; "" of what reads all data, and of the symmetrised sample without replacement.
    """

    epsilon: Fraction
    delta: Fraction
    rate: Fraction = WHOLE
    direction: str = ""

    @property
    def leak(self) -> Fraction:
        """Probability of an output that the other data never give."""
        return Fraction(0) if self.direction == "add" else self.delta * self.rate

    @property
    def lossy(self) -> bool:
        """Whether it has a finite loss other than 0."""
        return self.epsilon > 0 or (self.direction != "" and self.delta > 0)

    def step(self) -> arb:
        """Return the largest finite loss of what is whole or symmetrised, ln(1 + rate (e^ε - 1))."""
        each = ball(self.epsilon)
        return each if self.rate == 1 else (ball(self.rate) * each.expm1()).log1p()

    def outputs(self) -> list[tuple[arb, arb, arb]]:
        """Return the loss of each output that both data sets give, with its probability under either, ascending.

        Notes
        -----
        Under "remove" P is (1 - rate) Q + rate P of the whole response, against its Q: an output that is the leak of
        the other data is still given by whoever is not sampled. Under "add" both change places.
        """
        if not self.direction:
            low, still, high = self.masses()
            return [(-self.step(), low, high), (self.step() * 0, still, still), (self.step(), high, low)]
        rate, lie = ball(self.rate), ball(1 - self.delta) / (1 + ball(self.epsilon).exp())
        sizes = [(ball(self.epsilon), lie), (-ball(self.epsilon), lie * ball(self.epsilon).exp())]
        if self.epsilon == 0:
            sizes = [(ball(0), ball(1 - self.delta))]
        found = [((rate * size.expm1()).log1p(), q + rate * size.expm1() * q, q) for size, q in sizes[::-1]]
        if self.delta > 0:
            hidden = (ball(1 - self.rate).log(), ball(self.delta * (1 - self.rate)), ball(self.delta))
            found = [hidden, *found]
        return found if self.direction == "remove" else [(-loss, q, p) for loss, p, q in reversed(found)]

    def top(self) -> arb:
        """Return its largest finite loss."""
        return self.outputs()[-1][0] if self.direction else self.step()

    def masses(self) -> tuple[arb, arb, arb]:
        """Return the probabilities of the losses -step, 0 and step; under the other data the outer two change places.

        Notes
        -----
        Of a sample without replacement the gains are those of the base with the other data's probabilities q at
        ln(1 + rate (e^loss - 1)), their mirror images, and all that is left at 0 (Balle, Barthe & Gaboardi 2018, Thm 9
        and the symmetry of substitution).
        """
        lie = ball(1 - self.delta) / (1 + ball(self.epsilon).exp())
        if self.rate == 1:
            return lie, lie * 0, lie * ball(self.epsilon).exp()
        truth = lie * (1 + ball(self.rate) * ball(self.epsilon).expm1())
        return lie, ball(1 - self.leak) - lie - truth, truth


@dataclass(frozen=True)
class Noise:
    """Laplace or Gaussian noise, whole or sampled.

    Parameters
    ----------
    kind : {"laplace", "gaussian"}
    size : Fraction
        ε of Laplace noise; μ², the square of sensitivity / sigma, of Gaussian noise.
    rate : Fraction
        In (0, 1].
    direction : {"", "remove", "add", "replace"}
        "" of what reads all data.
    """

    kind: str
    size: Fraction
    rate: Fraction = WHOLE
    direction: str = ""
    leak = Fraction(0)


Law = Responses | Noise


def ball(value: Fraction | int) -> arb:
    """Return the ball around a fraction, at the precision in force."""
    library = flint()
    value = Fraction(value)
    return library.arb(library.fmpq(value.numerator, value.denominator))


def sides(mechanisms: Sequence[Mechanism], counts: Sequence[int]) -> list[list[tuple[Law, int]]]:
    """Return what is composed in each direction, equal laws together; one where both directions agree.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : sequence of int
        How often each is used.

    Raises
    ------
    NotCertified
        When the mechanisms demand different neighbour relations.

    Notes
    -----
    Numbers are read as the decimals that were typed.

    Examples
    --------
    >>> sides([Laplace(10), Laplace(5, 0.5)], [1, 2])
    [[(Noise(kind='laplace', size=Fraction(1, 10), rate=Fraction(1, 1), direction=''), 3)]]
    """
    used = [(each, int(count)) for each, count in zip(mechanisms, counts, strict=True) if count]
    if len({each.relation for each, _ in used} - {None}) > 1:
        raise NotCertified("the mechanisms demand different neighbour relations")
    found = []
    for side in ("remove", "add"):
        laws: dict[Law, int] = {}
        for mechanism, count in used:
            law = _law(mechanism, side)
            if law is not None:
                laws[law] = laws.get(law, 0) + count
        if (together := list(_one_gaussian(laws).items())) not in found:
            found.append(together)
    return found


def _one_gaussian(laws: dict[Law, int]) -> dict[Law, int]:
    """The same with all whole Gaussian noises as one, whose μ² is the sum (Dong, Roth & Su 2022, Cor. 3.3)."""
    whole = [law for law in laws if isinstance(law, Noise) and law.kind == "gaussian" and law.rate == 1]
    rest = {law: count for law, count in laws.items() if law not in whole}
    square = sum((law.size * laws[law] for law in whole), Fraction(0))
    return rest | {Noise("gaussian", square): 1} if whole else rest


def _law(mechanism: Mechanism, side: str) -> Law | None:
    """The law of one use; None where nothing is read."""
    if not isinstance(mechanism, Subsampled):
        return _whole(mechanism)
    rate, base = typed(mechanism.rate), _whole(mechanism.base)
    if rate in (0, 1):
        return base if rate else None
    if isinstance(base, Responses):
        return Responses(base.epsilon, base.delta, rate, side if mechanism.scheme == "poisson" else "")
    return Noise(base.kind, base.size, rate, side if mechanism.scheme == "poisson" else "replace")


def _whole(mechanism: Mechanism) -> Law:
    if isinstance(mechanism, Laplace):
        if mechanism.declared:
            return Noise("laplace", typed(mechanism.declared.epsilon))
        return Noise("laplace", typed(mechanism.sensitivity) / typed(mechanism.scale))
    if isinstance(mechanism, NoiseCeiling):
        raise NotCertified("a training of which only a bound is proved is priced by the engine alone")
    if isinstance(mechanism, Gaussian):
        return Noise("gaussian", (typed(mechanism.sensitivity) / typed(mechanism.sigma)) ** 2)
    if isinstance(mechanism, Declared):
        return _declared(mechanism)
    if isinstance(mechanism.loss, LatticeLaw):
        raise NotCertified("noise on whole numbers is enclosed by the engine alone")
    if not isinstance(mechanism.loss, ResponseLaw):
        raise NotCertified(f"{mechanism.label} is enclosed by the engine alone")
    return Responses(typed(mechanism.stated.epsilon), typed(mechanism.stated.delta))


def _declared(mechanism: Declared) -> Law:
    """The law of a declared μ, or of a profile of one point."""
    if mechanism.mu is not None:
        return Noise("gaussian", typed(mechanism.mu) ** 2)
    pair, (law,) = mechanism.stated, mechanism.laws()
    if pair is None or law != ResponseLaw(pair.epsilon, pair.delta):
        raise NotCertified("declared curves of several points are enclosed by the engine alone")
    return Responses(typed(pair.epsilon), typed(pair.delta))
