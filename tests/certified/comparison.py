"""The product held against enclosures: random compositions by kind, and what of them is below the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, Mechanism, NameAndShame, RandomizedResponse, Subsampled
from dpviz.privacy_loss import PrivacyLoss
from dpviz_certified import Enclosure, NotCertified, enclose_delta, enclose_epsilon

CELLS = 1024  # of lattices: coarse, and quick
LEAST = Decimal("1e-307")  # below that, doubles have fewer digits, and in the end none
WANTED = 2e-6  # relative excess of what the engine answers at its accuracy of 1e-6
SCHEMES = ("poisson", "without_replacement")


@dataclass(frozen=True)
class Case:
    """A composition with what is asked of it."""

    mechanisms: tuple[Mechanism, ...]
    counts: tuple[int, ...]
    deltas: tuple[float, ...]
    epsilons: tuple[float, ...] = ()

    def __str__(self) -> str:
        return f"PrivacyLoss({list(self.mechanisms)!r}, [{list(self.counts)!r}])"


@dataclass(frozen=True)
class Finding:
    """One answer of the product beside its enclosure."""

    call: str
    answer: tuple[float, float]
    truth: Enclosure
    double: Callable[[], Enclosure] | None = None  # the same truth where the number asked is read as a double

    @property
    def wrong(self) -> bool:
        """Whether the bracket misses the enclosure, however the number asked is read."""
        return self._misses(self.truth) and (self.double is None or self._misses(self.double()))

    def _misses(self, truth: Enclosure) -> bool:
        lower, upper = (Decimal("Infinity") if each == math.inf else Decimal(repr(each)) for each in self.answer)
        return (upper < truth.lower and truth.lower > LEAST) or (lower > truth.upper and lower > LEAST)

    @property
    def loose(self) -> bool:
        """Whether the upper end is farther above the truth than accuracy allows, where the truth is known so well."""
        if not self.truth.upper.is_finite() or self.truth.upper == 0 or self.truth.digits < 8:
            return False
        return not self.answer[1] <= float(self.truth.upper) * (1 + WANTED) + 5e-324

    def __str__(self) -> str:
        return f"{self.call} = {self.answer}; truth in {self.truth}"


def findings(case: Case, cells: int = CELLS) -> Iterator[Finding]:
    """Everything the product answers on a case, beside its enclosure; nothing where there is none."""
    loss = PrivacyLoss(case.mechanisms, [case.counts])
    asked = (("epsilon", case.deltas, enclose_epsilon), ("delta", case.epsilons, enclose_delta))
    for name, values, enclose in asked:
        if not values:
            continue
        found = getattr(loss, f"{name}_bracket")(np.array(values))
        lower, upper = found.lower, found.upper
        quick = np.asarray(getattr(loss, name)(np.array(values)))
        for place, value in enumerate(values):
            try:
                truth = enclose(case.mechanisms, case.counts, value, cells)
            except NotCertified:
                continue
            call = f"{case}.{name}({value!r})"
            double = partial(enclose, case.mechanisms, case.counts, Fraction(value), cells)
            yield Finding(call, (float(lower[place]), float(upper[place])), truth, double)
            if quick[place] != upper[place]:
                yield Finding(f"{call}, without a bracket,", (0.0, float(quick[place])), truth, double)


def power(rng: np.random.Generator, low: float, high: float, digits: int = 4) -> float:
    """A number whose logarithm to the base 10 is uniform, as somebody would type it."""
    return float(f"{10 ** rng.uniform(low, high):.{digits}g}")


def deltas(rng: np.random.Generator, some: int) -> tuple[float, ...]:
    """Values from .3 down to 1e-30."""
    return (*(power(rng, -30, -0.523) for _ in range(some - 1)), power(rng, -9, -0.523))


def times(rng: np.random.Generator, most: float) -> int:
    """A count from 1 to 10^most."""
    return int(10 ** rng.uniform(0, most))


def response(rng: np.random.Generator, low: float = -6, high: float = 1.7) -> Mechanism:
    """Randomized response, a black box, or name and shame."""
    kind = rng.integers(0, 5)
    if kind == 4:
        return NameAndShame(power(rng, -30, -2))
    epsilon = power(rng, low, high)
    return ApproximateDP(epsilon, power(rng, -34, -3)) if kind > 2 else RandomizedResponse(epsilon)


def noise(rng: np.random.Generator) -> Mechanism:
    """Laplace or Gaussian noise."""
    if rng.random() < 0.5:
        return Laplace.from_epsilon(power(rng, -2, 0.7))
    return Gaussian(power(rng, -0.3, 2))


def rate(rng: np.random.Generator) -> float:
    """A sampling rate from 1e-6 to 1."""
    if rng.random() < 0.1:
        return 1.0
    return power(rng, -6, 0) if rng.random() < 0.6 else round(rng.uniform(0.01, 0.999), 3)


# --- kinds of compositions


def identical(rng: np.random.Generator) -> Case:
    """Identical responses, up to a million of them."""
    mechanism, count = response(rng), times(rng, 6)
    step = mechanism.stated.epsilon
    places = tuple(step * each for each in ((count, max(count - 2, 0), count % 2) if count < 100 else (count % 2,)))
    usual = step * (count * math.tanh(step / 2) + math.sqrt(count) * rng.uniform(-1, 10))
    asked = (*places, float(f"{min(max(usual, 0.0), step * count):.6g}"))
    return Case((mechanism,), (count,), (*deltas(rng, 4), *jumps(mechanism, count)), asked)


def jumps(mechanism: Mechanism, count: int) -> tuple[float, ...]:
    """The δ of the leaks, and its neighbours."""
    leak = -math.expm1(count * math.log1p(-mechanism.stated.delta)) if mechanism.stated.delta < 1 else 1.0
    return () if not 0 < leak < 1 else (leak, math.nextafter(leak, 0), math.nextafter(leak, 1))


def kinks(rng: np.random.Generator) -> Case:
    """Few responses, asked at the δ of a loss that they may have, and right beside it."""
    mechanism, count = RandomizedResponse(power(rng, -3, 1)), int(rng.integers(1, 30))
    place = mechanism.stated.epsilon * (count - 2 * int(rng.integers(0, (count + 1) // 2)))
    middle = float(enclose_delta([mechanism], [count], place).upper)
    around = (middle, math.nextafter(middle, 0), math.nextafter(middle, 1), middle * (1 - 1e-12), middle * (1 + 1e-12))
    return Case((mechanism,), (count,), tuple(each for each in around if 0 <= each <= 1), (place,))


def mixed(rng: np.random.Generator) -> Case:
    """Two or three kinds of responses."""
    kinds = tuple({response(rng, -4, 1): None for _ in range(rng.integers(2, 4))})
    counts = tuple(times(rng, 1.7 if len(kinds) == 3 else 2.5) for _ in kinds)
    return Case(kinds, counts, deltas(rng, 3), (power(rng, -3, 1), 0.0))


def sampled_responses(rng: np.random.Generator) -> Case:
    """Responses on a sample without replacement, some beside whole ones."""
    first = Subsampled(response(rng, -3, 1.3), rate(rng), "without_replacement")
    kinds = (first,) if rng.random() < 0.6 else (first, response(rng, -3, 1))
    counts = tuple(times(rng, 4 if len(kinds) == 1 else 2) for _ in kinds)
    return Case(kinds, counts, deltas(rng, 3), (power(rng, -4, 1),))


def gaussians(rng: np.random.Generator) -> Case:
    """Gaussian noises."""
    kinds = tuple(Gaussian(power(rng, -0.7, 4), power(rng, -1, 1)) for _ in range(rng.integers(1, 3)))
    return Case(kinds, tuple(times(rng, 6) for _ in kinds), deltas(rng, 5), (0.0, power(rng, -3, 1), power(rng, -1, 2)))


def beside_gaussian(rng: np.random.Generator) -> Case:
    """Responses beside Gaussian noise."""
    kinds = (Gaussian(power(rng, -0.3, 2)), response(rng, -3, 1))
    return Case(kinds, (times(rng, 2), times(rng, 1.7)), deltas(rng, 2), (power(rng, -2, 1),))


def few_laplace(rng: np.random.Generator) -> Case:
    """A few uses of Laplace noise, some beside others or beside responses."""
    kinds, counts = (Laplace.from_epsilon(power(rng, -3, 1.3)),), (times(rng, 1.6),)
    if rng.random() < 0.5:
        kinds += (Laplace(power(rng, -1, 2)) if rng.random() < 0.5 else response(rng, -3, 1),)
        counts = (min(counts[0], 10), int(rng.integers(1, 5)))
    return Case(kinds, counts, deltas(rng, 3), (power(rng, -3, 1), 0.0))


def single(rng: np.random.Generator) -> Case:
    """One use of anything."""
    base, scheme = noise(rng) if rng.random() < 0.7 else response(rng), SCHEMES[int(rng.integers(0, 2))]
    if base.noise is None:
        scheme = "without_replacement"
    mechanism = base if rng.random() < 0.1 else Subsampled(base, rate(rng), scheme)
    return Case((mechanism,), (1,), deltas(rng, 3), (0.0, power(rng, -6, 1), power(rng, -2, 0.5)))


def sampled(rng: np.random.Generator) -> Case:
    """Sampled noise, some of two kinds, some beside whole noise."""
    scheme = SCHEMES[int(rng.integers(0, 2))]
    kinds = tuple({Subsampled(noise(rng), rate(rng), scheme): None for _ in range(rng.integers(1, 3))})
    kinds += (noise(rng),) if rng.random() < 0.2 else ()
    counts = tuple(times(rng, 3.3) + (len(kinds) == 1) for _ in kinds)
    return Case(kinds, counts, deltas(rng, 2), (power(rng, -2, 1),))


def everything(rng: np.random.Generator) -> Case:
    """Many Laplace noises, beside anything that is not sampled."""
    kinds = tuple({(noise(rng) if rng.random() < 0.6 else response(rng, -3, 1)): None for _ in range(3)})
    counts = (*(times(rng, 2) for _ in kinds), times(rng, 4))
    return Case((*kinds, Laplace(7.0)), counts, deltas(rng, 2), (power(rng, -2, 1),))


# How many of each: (kind, cases, how many of them in the usual profile)
KINDS = (
    (identical, 80, 16),
    (kinks, 120, 30),
    (mixed, 30, 4),
    (sampled_responses, 50, 6),
    (gaussians, 80, 16),
    (beside_gaussian, 20, 5),
    (few_laplace, 40, 6),
    (single, 60, 8),
    (sampled, 14, 2),
    (everything, 10, 2),
)
