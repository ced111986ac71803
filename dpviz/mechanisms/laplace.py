"""Laplace noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.costs import MEAN_ORDER, Cost
from dpviz.mechanisms.laws.loss_laws import LARGE_EPSILON, LaplaceLaw, Law, ResponseLaw
from dpviz.mechanisms.laws.renyi import excess, laplace_rdp, laplace_rho
from dpviz.mechanisms.left_open import LEFT_OPEN, STATED, as_open, given_sensitivity, take_sensitivity
from dpviz.mechanisms.mechanism import (
    LEAST,
    POSITIVE_EPSILON,
    RATIO,
    Form,
    Whole,
    elementwise,
    in_digits,
)
from dpviz.mechanisms.noise import LaplaceShaped, rounded_outwards
from dpviz.outward import raised, slack
from dpviz.parameters import ALPHA, COPIES, DELTA, REAL_EPSILON, SCALE, SENSITIVITY, Amount, checked


class _LaplaceNoise(LaplaceShaped):
    __slots__ = ()
    mean_distance = property(lambda self: self.scale)
    deviation = property(lambda self: math.sqrt(2) * self.scale)
    pole = property(lambda self: 1 / self.scale)

    def half_width(self, confidence: float) -> float:
        return rounded_outwards(self.scale * -math.log1p(-confidence)) if confidence < 1 else math.inf

    def density(self, outputs: np.ndarray) -> np.ndarray:
        return np.exp(-np.abs(outputs / self.scale)) / 2 / self.scale

    def below(self, outputs: np.ndarray) -> np.ndarray:
        half = np.exp(-np.abs(outputs / self.scale)) / 2
        return np.where(outputs < 0, half, 1 - half)

    def cumulant(self, s: np.ndarray) -> np.ndarray:
        return -np.log1p(-((s * self.scale) ** 2))


@dataclass(frozen=True, slots=True)
class _LaplaceCost(Cost):
    variance_factor = 2.0

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        if math.isinf(order):
            return u
        return laplace_rdp(u, np.array(order)) if order > MEAN_ORDER else excess(-u)

    def log_slope(self, x: np.ndarray, order: float) -> np.ndarray:
        """Return ln of A (1 - e^-tu) / (A + (1-A) e^-tu) with t = 2α - 1 and A = α/t."""
        if math.isinf(order):
            return np.zeros(x.shape)
        twice = 2 * order - 1
        share, fall = order / twice, np.exp(-twice * np.exp(x))
        return np.log(share) + np.log(-np.expm1(-twice * np.exp(x))) - np.log(share + (1 - share) * fall)


@dataclass(frozen=True, slots=True)
class Laplace(Whole):
    """Adds Laplace(scale) noise to an answer whose L1 sensitivity is given.

    Parameters
    ----------
    scale : float
        Laplace b, in units of the answer, in (0, inf).
    sensitivity : float
        L1 sensitivity in units of the answer, in (0, inf). Left out, it follows from what a plan says of the
        release; without a plan the noise is in units of it.

    Raises
    ------
    ValueError
        When a value lies outside its interval.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity.

    References
    ----------
    Dwork & Roth (2014), Thm 3.6; Mironov (2017), Prop. 6.

    Examples
    --------
    >>> Laplace(10).stated
    Guarantee(epsilon=0.1, delta=0.0)
    >>> Laplace.from_epsilon(0.11).stated.epsilon
    0.11
    """

    scale: float
    sensitivity: float = LEFT_OPEN
    declared: Guarantee | None = field(default=None, kw_only=True)
    sensitivity_from: str = field(default=STATED, kw_only=True, repr=False)
    followed: float | None = field(default=None, kw_only=True, repr=False, compare=False)
    stated: Guarantee = field(init=False, repr=False, compare=False)
    key: ClassVar[str] = "laplace"
    label: ClassVar[str] = "Laplace"
    forms: ClassVar[tuple[Form, ...]] = (
        Form(("epsilon",), ("sensitivity",), "from_epsilon"), Form(("scale",), ("sensitivity",)),
    )  # fmt: skip
    norm: ClassVar[str] = "L1"
    mu = leak = None
    why_no_noise = note = ""
    cost = _LaplaceCost()
    loss = property(lambda self: LaplaceLaw(self.stated.epsilon))
    noise = property(lambda self: _LaplaceNoise(self.scale))
    strength = property(lambda self: 1 / self.stated.epsilon)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", SCALE.check(self.scale))
        take_sensitivity(self, SENSITIVITY)
        derived = rounded_up(typed(self.sensitivity) / typed(self.scale))
        if self.declared is not None:
            checked(self.declared, Guarantee, "declared", "a Guarantee or None")
        stated = self.declared or Guarantee(POSITIVE_EPSILON.check(derived, "epsilon = sensitivity / scale"))
        if not math.isclose(stated.epsilon, derived, rel_tol=1e-15) or stated.delta:
            raise ValueError(f"declared must be sensitivity / scale = {derived!r}; got {stated}")
        object.__setattr__(self, "stated", stated)

    @classmethod
    def from_epsilon(cls, epsilon: float, sensitivity: float = LEFT_OPEN) -> Laplace:
        """Return Laplace noise that is `epsilon`-DP; the typed ε stays its stated ε."""
        epsilon, size = POSITIVE_EPSILON.check(epsilon), SENSITIVITY.check(sensitivity)
        if not SCALE.admits(size / epsilon):
            raise ValueError(
                f"epsilon must be such that sensitivity / epsilon is in {SCALE.interval}; got {epsilon!r} "
                f"at sensitivity {size!r}"
            )
        return cls(size / epsilon, sensitivity, declared=Guarantee(epsilon))

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        given = {"scale": self.scale} if self.declared is None else {"epsilon": self.declared.epsilon}
        return {**given, **given_sensitivity(self)}

    def delta(self, epsilon: Amount) -> Amount:
        """Return the tight δ(ε) for every real ε."""
        limit = self.stated.epsilon

        def profile(values: np.ndarray) -> np.ndarray:
            inside = np.abs(np.expm1((np.minimum(values, limit) - limit) / 2))
            beyond = np.abs(np.expm1(np.minimum(values, 0.0)))
            return np.minimum(raised(np.where(values <= -limit, beyond, inside), 16), 1.0)

        return elementwise(profile, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`."""
        limit = self.stated.epsilon

        def inverse(values: np.ndarray) -> np.ndarray:
            inside = limit + 2 * np.log1p(-np.minimum(values, 1 - 1e-16)) + slack(2) * limit
            return np.where(inside > 0, np.minimum(raised(inside, 16), limit), 0.0)

        return elementwise(inverse, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf)."""
        return elementwise(lambda order: np.maximum(laplace_rdp(self.stated.epsilon, order), LEAST), alpha, ALPHA)

    @property
    def rho(self) -> float:
        """Its zCDP parameter ε + e^-ε - 1, the slope of its Rényi curve at order 1."""
        return max(laplace_rho(self.stated.epsilon), LEAST)

    def laws(self) -> tuple[Law, ...]:
        """Return its law; randomized response, never better, beyond the largest ε."""
        return (self.loss,) if self.stated.epsilon <= LARGE_EPSILON else (ResponseLaw(self.stated.epsilon, 0.0, True),)

    def grouped(self, copies: int) -> Laplace:
        """Return the same noise with a sensitivity that many times as large."""
        copies = COPIES.check(copies)
        sensitivity = rounded_up(typed(self.sensitivity) * copies)
        if self.declared is not None and copies > 1:
            return Laplace.from_epsilon(rounded_up(typed(self.stated.epsilon) * copies), sensitivity)
        return replace(self, sensitivity=sensitivity, sensitivity_from=STATED)

    def at_strength(self, ratio: float) -> Laplace:
        """Return Laplace noise given in the same form.

        Examples
        --------
        >>> Laplace(10, 2.0).at_strength(1 / 3).scale, Laplace.from_epsilon(0.5).at_strength(3).stated.epsilon
        (0.666667, 0.333333)
        """
        ratio = RATIO.check(ratio)
        if self.declared is not None:
            return as_open(Laplace.from_epsilon(in_digits(1 / ratio, ROUND_FLOOR), self.sensitivity), self)
        return replace(self, scale=in_digits(ratio * self.sensitivity, ROUND_CEILING))

    def bare(self, ratio: float) -> Laplace:
        """Return Laplace noise of that ε."""
        return Laplace.from_epsilon(1 / RATIO.check(ratio), 1.0)

    def scaled(self, factor: Fraction) -> Laplace:
        """Return `factor` times its scale, or its declared ε divided by it."""
        if self.declared is not None:
            epsilon = rounded_up(typed(self.stated.epsilon) / factor)
            return as_open(Laplace.from_epsilon(epsilon, self.sensitivity), self)
        return replace(self, scale=rounded_up(typed(self.scale) * factor))

    def program(self, sampling: str = "") -> str:
        """Return its law by its noise."""
        return f"pld.from_laplace_mechanism({self.scale!r}, sensitivity={self.sensitivity!r}{sampling}, **GRID)"

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for the exact answer `value`; for simulation, never for publishing data."""
        return value + rng.laplace(0.0, self.scale, size)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        outputs = np.asarray(outputs, dtype=float)
        return (np.abs(outputs - other) - np.abs(outputs - value)) / self.scale
