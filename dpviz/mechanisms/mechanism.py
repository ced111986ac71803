"""The contract of mechanisms: frozen values that answer whatever may be asked of a release, and what answers share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.parameters import Amount, Parameter
from dpviz.rounding import shown_near

if TYPE_CHECKING:
    from fractions import Fraction

    from dpviz.guarantee import Guarantee
    from dpviz.mechanisms.laws.costs import Cost
    from dpviz.mechanisms.laws.loss_laws import Law
    from dpviz.mechanisms.noise import Noise

FINITE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_high=True)
POSITIVE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_low=True, open_high=True)
RATIO = Parameter("ratio", "r", "noise over sensitivity", 0, math.inf, open_low=True, open_high=True)
LEAST = math.nextafter(0.0, 1.0)  # what is too small for a double is never 0


def elementwise(function: Callable[[np.ndarray], np.ndarray], values: Amount, check: Parameter) -> Amount:
    """Scalar in, float out; array in, array out."""
    array = check.check_array(values)
    with np.errstate(over="ignore", under="ignore"):
        result = function(array)
    return float(result) if array.ndim == 0 else result


DIGITS = 6
_FLOAT_NOISE = 4e-12  # relative: a number that close beyond one of six digits stands for that one


def in_digits(value: float, way: str) -> float:
    """Return `value` in six significant digits, rounded by ``ROUND_CEILING`` or ``ROUND_FLOOR``.

    Examples
    --------
    >>> from decimal import ROUND_CEILING
    >>> in_digits(1 / 3, ROUND_CEILING), in_digits(1 / 3, ROUND_FLOOR)
    (0.333334, 0.333333)
    """
    if not 0 < value < math.inf:
        raise ValueError(f"noise must be in (0, inf); got {value!r}")
    exact = Decimal(value * (1 + _FLOAT_NOISE if way == ROUND_FLOOR else 1 - _FLOAT_NOISE))
    rounded = float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - DIGITS), way))
    return rounded if 0 < rounded < math.inf else value


REAL_VALUED = (
    "Laplace and Gaussian noise is any real number. Noise in whole numbers (2020 Census, OpenDP, Tumult) is Discrete "
    "Laplace or Discrete Gaussian, which cost something else. Where Discrete Gaussian noise is entered as Gaussian, "
    "only the totals of Zero-concentrated DP and Rényi DP are right, and those without sampling alone; that of tight "
    "accounting is too low then, by 0.009 for the Census' state level."
)


@dataclass(frozen=True, slots=True)
class Form:
    """A set of parameters by which files and people give a mechanism, and the constructor that takes them in order.

    Parameters
    ----------
    needed, optional : tuple of str
    builder : str
        Name of a class method; "" for the class itself.
    """

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    builder: str = ""

    @property
    def shown(self) -> str:
        """Its parameters, as they stand in a call.

        Examples
        --------
        >>> Form(("scale",), ("sensitivity",)).shown
        '(scale, sensitivity=...)'
        """
        return f"({', '.join([*self.needed, *(f'{name}=...' for name in self.optional)])})"

    def takes(self, given: Iterable[str]) -> bool:
        """Say whether these are its parameters."""
        return set(self.needed) <= set(given) <= {*self.needed, *self.optional}


FACETS = (
    "key", "label", "forms", "parameters", "relation", "base", "rate", "stated", "delta", "epsilon", "profiles", "rdp",
    "rho", "leak", "spared", "mu", "loss", "laws", "grouped", "noise", "norm", "why_no_noise", "note",
    "strength",
    "at_strength", "bare", "scaled", "cost", "sample", "log_ratio",
)  # fmt: skip


class _Made(type):
    """The class of mechanisms: who calls one with arguments that it does not take is told which ways make it."""

    if not TYPE_CHECKING:  # checkers know the arguments from the constructors

        @property
        def __signature__(cls) -> Signature:
            made = signature(cls.__init__)
            return made.replace(parameters=list(made.parameters.values())[1:])

        def __call__(cls, *values: object, **named: object) -> Mechanism:
            try:
                return super().__call__(*values, **named)
            except TypeError as error:
                if error.__traceback__.tb_next is not None:  # not the call itself
                    raise
                ways = (f"{cls.__name__}{'.' * bool(form.builder)}{form.builder}{form.shown}" for form in cls.forms)
                made = " or ".join(ways) or f"{cls.__name__}({', '.join(cls.__signature__.parameters)})"
                raise TypeError(f"{error}: a {cls.label} is made by {made}") from None


class Mechanism(metaclass=_Made):
    """What anybody may ask of a mechanism: each answers every facet itself. None is an answer, silence is not.

    Attributes
    ----------
    key, label : str
        Its name in files, and for people.
    forms : tuple of Form
        The sets of parameters that describe it; none where another mechanism's describe it, too.
    parameters : dict
        Its inputs by name as typed, in the order of its constructor.
    relation : str or None
        The neighbour relation that it demands; None: any, the one that its parameters were stated for.
    base : Mechanism
        What is run on a sample of the data, or whose answers a threshold holds back; itself of all else.
    rate : float
        Share of the data that it reads, in [0, 1].
    stated : Guarantee or None
        The pair (ε, δ) that it was given by, or its pure ε; None: it states none.
    delta, epsilon : callable
        Tight profile δ(ε), ε real, and its inverse in [0, inf], both rounded up.
    profiles : tuple of callable
        The profiles of both directions, composed apart and the worst reported; one where they agree.
    rdp, rho : callable, float
        Rényi divergence at orders in (1, inf), and the zCDP parameter; inf where a leak has probability above 0.
    leak : float or None
        The δ that composition by Rényi curves spends first, since of a black box only a pair is known: the rest of it
        is `spared`. None: its own curve tells all (Bun & Steinke 2016, Def. 8.1).
    spared : Mechanism
        What is left when the leak is spent, randomized response for a black box; itself where there is no leak.
    mu : float or None
        μ of Gaussian differential privacy: it is as good as telling N(0, 1) from N(μ, 1), and the squares add up (Dong,
        Roth & Su 2022, Cor. 3.3). None: it is not.
    loss : Law or None
        The law of its loss, in nats, to be drawn. None: it is another one in each direction, or not known.
    laws : callable
        ``laws()``: the laws that dominate its loss, for accounting: one where both directions agree, else (remove,
        add).
    grouped : callable
        ``grouped(copies)``: a mechanism that loses at least as much for one record as it does for so many that change
        together, the least that is proved.
    noise : Noise or None
        What is added to the exact answer. None: nothing is, or it is not all that parts the output from the answer.
    norm : {"L1", "L2"} or None
        The norm of its sensitivity; its class then takes (scale, sensitivity). None: it has no noise.
    why_no_noise : str
        Why it, or its base, adds no noise to a number, as half a sentence; "" if it does.
    note : str
        What must be said about its calibration; "" if nothing.
    strength : float or None
        Noise over sensitivity, in (0, inf); 1/ε of randomized response. None: there is no noise that a plan may change.
    at_strength, bare : callable
        ``at_strength(ratio)``: the same form with this strength, in six digits, a scale rounded up, an ε down; a stated
        δ stays, and a calibration that does not give the new pair gives way to the analytic one. ``bare(ratio)``: what
        costs the same then, unrounded and with sensitivity 1, or its own on whole numbers. `unchangeable` where
        `strength` is None.
    scaled : callable
        ``scaled(factor)``: the same form with `factor`, a Fraction above 0, times its noise, exact in decimals, a black
        box with ε divided by it; what states a pair states one afterwards, at the same δ. None: nothing to scale.
    cost : Cost or None
        Rényi cost and variance along `strength`, for shaping splits. None: they follow from `bare` and its noise, more
        slowly; what has a strength and no noise must give them.
    sample, log_ratio : callable
        ``sample(value, size, rng)``: outputs for an exact answer, for simulation only; ``log_ratio(outputs, value,
        other)``: ln p(outputs | value) / p(outputs | other). ValueError with the reason where outputs are not known.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # for readers and type checkers: nothing of it is there to be inherited
        key: str
        label: str
        forms: tuple[Form, ...]
        relation: str | None
        rate: float
        leak: float | None
        norm: str | None
        why_no_noise: str
        note: str
        cost: Cost | None

        parameters: dict[str, object]
        base: Mechanism
        spared: Mechanism
        stated: Guarantee | None
        rho: float
        mu: float | None
        strength: float | None
        loss: Law | None
        noise: Noise | None
        profiles: tuple[Callable[[np.ndarray], np.ndarray], ...]
        laws: Callable[[], tuple[Law, ...]]
        grouped: Callable[[int], Mechanism]
        at_strength: Callable[[float], Mechanism]
        bare: Callable[[float], Mechanism]
        scaled: Callable[[Fraction], Mechanism | None] | None
        sample: Callable[[Any, int | tuple[int, ...], np.random.Generator], np.ndarray]
        log_ratio: Callable[[np.ndarray, Any, Any], np.ndarray]

        def delta(self, epsilon: Amount) -> Amount:
            """Return δ(ε), rounded up."""
            ...

        def epsilon(self, delta: Amount) -> Amount:
            """Return the smallest ε >= 0 with that δ, rounded up."""
            ...

        def rdp(self, alpha: Amount) -> Amount:
            """Return the Rényi divergence, rounded up."""
            ...

    def __init_subclass__(cls, partial: bool = False) -> None:
        """Refuse a mechanism that leaves open what is asked of it; `partial` ones are for others to complete."""
        answered = {name for kind in cls.__mro__[: cls.__mro__.index(Mechanism)] for name in _told(kind)}
        if missing := [name for name in FACETS if name not in answered and not partial]:
            raise TypeError(f"{cls.__name__} must answer every facet of a mechanism; it lacks {', '.join(missing)}")
        given = [name for name in ("strength", "noise", "cost") if getattr(cls, name, name) is not None]
        if given == ["strength"] and not partial:
            raise TypeError(f"{cls.__name__} must give its cost: it has a strength, and no noise")

    @property
    def sampled(self) -> bool:
        """Whether it reads a sample of the data."""
        return self.base is not self

    def over(self, base: Mechanism) -> Mechanism:
        """Return the same of another base, which stands for itself where this has none of its own."""
        return base if self.base is self else replace(self, base=base)

    def unchangeable(self, ratio: float) -> Mechanism:
        """Refuse another strength."""
        raise ValueError(f"mechanism must have noise that can be changed; got {self!r:.60}")

    def __repr__(self) -> str:
        """How a shell shows it: as the call that makes it; a sensitivity that follows is told, an open one is not."""
        base, given = self.base, self.parameters
        if base is not self:
            own = [f"{name}={value!r}" for name, value in given.items() if name not in base.parameters]
            return f"{type(self).__name__}({', '.join([repr(base), *own])})"
        if getattr(getattr(self, "sensitivity_from", None), "kind", "") == "derived":
            given = {**given, "sensitivity": self.sensitivity}
        form = next(form for form in self.forms if form.takes(given))
        called = f"{type(self).__name__}{'.' * bool(form.builder)}{form.builder}"
        return f"{called}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __str__(self) -> str:
        given = self.parameters.items()
        texts = (f"{name} {shown_near(value, 9) if isinstance(value, float) else value}" for name, value in given)
        return f"{self.label} ({', '.join(texts)})"


def _told(kind: type) -> set[str]:
    """What a class defines or declares as a field."""
    return {*vars(kind), *vars(kind).get("__annotations__", ())}


class Whole(Mechanism, partial=True):
    """What reads all data, under the relation that its parameters were stated for, and loses the same both ways."""

    __slots__ = ()
    relation, rate = None, 1.0
    base = spared = property(lambda self: self)
    profiles = property(lambda self: (self.delta,))

    def laws(self) -> tuple[Law, ...]:
        """Return the law of its loss."""
        return (self.loss,)


def adds_noise(kind: object) -> bool:
    """Say whether this is a class of mechanisms with noise of their own, made from (scale, sensitivity).

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> adds_noise(Laplace), adds_noise(RandomizedResponse), adds_noise(Laplace(1))
    (True, False, False)
    """
    return isinstance(kind, type) and issubclass(kind, Mechanism) and getattr(kind, "norm", None) is not None
