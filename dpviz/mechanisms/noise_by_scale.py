"""Noise that is given by its scale or, where its loss is bounded, by its ε: what the kinds of it answer alike."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.loss_laws import LARGE_EPSILON, Law, ResponseLaw
from dpviz.mechanisms.left_open import LEFT_OPEN, TYPED, as_open, given_sensitivity, take_sensitivity
from dpviz.mechanisms.mechanism import POSITIVE_EPSILON, RATIO, Form, Whole, in_digits
from dpviz.parameters import COPIES, Parameter, checked

if TYPE_CHECKING:
    from dpviz.mechanisms.noise import GaussianShaped, LaplaceShaped


class NoiseByScale(Whole, partial=True):
    """Adds noise to an answer with a sensitivity: a frozen dataclass that begins with the scale and the sensitivity.

    Attributes
    ----------
    sized_by : str
        Name of the scale.
    allowed : tuple of Parameter
        What the scale and the sensitivity may be.
    """

    __slots__ = ()
    sized_by: ClassVar[str] = "sigma"
    allowed: ClassVar[tuple[Parameter, Parameter]]
    leak = None
    why_no_noise = note = ""

    if TYPE_CHECKING:
        sensitivity: float
        noise: LaplaceShaped | GaussianShaped

    def __post_init__(self) -> None:
        scale, sensitivity = self.allowed
        object.__setattr__(self, self.sized_by, scale.check(getattr(self, self.sized_by)))
        take_sensitivity(self, sensitivity)

    @property
    def strength(self) -> float:
        """Noise over sensitivity."""
        return self.noise.scale / self.sensitivity

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {self.sized_by: self.noise.scale, **given_sensitivity(self)}

    def grouped(self, copies: int) -> Self:
        """Return the same noise with a sensitivity that many times as large."""
        return replace(self, sensitivity=self._over(COPIES.check(copies)), sensitivity_from=TYPED)

    def _over(self, copies: int) -> float:
        """The sensitivity so many times, a whole one exactly."""
        whole = self.allowed[1].integer
        return self.sensitivity * copies if whole else rounded_up(typed(self.sensitivity) * copies)

    def at_strength(self, ratio: float) -> Self:
        """Return the same noise with that scale over the same sensitivity."""
        return replace(self, **{self.sized_by: in_digits(RATIO.check(ratio) * self.sensitivity, ROUND_CEILING)})

    def scaled(self, factor: Fraction) -> Self:
        """Return `factor` times its scale."""
        return replace(self, **{self.sized_by: rounded_up(typed(self.noise.scale) * factor)})

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        return self.noise.log_ratio(np.asarray(outputs, dtype=float), value, other)


class PureNoise(NoiseByScale, partial=True):
    """Noise with the largest loss sensitivity / scale: given by its scale, or by that ε, which is then `declared`."""

    __slots__ = ()
    sized_by = "scale"
    forms = Form(("epsilon",), ("sensitivity",), "from_epsilon"), Form(("scale",), ("sensitivity",))
    norm: ClassVar[str] = "L1"
    mu = None

    if TYPE_CHECKING:
        scale: float
        stated: Guarantee
        declared: Guarantee | None

    def __post_init__(self) -> None:
        NoiseByScale.__post_init__(self)
        derived = rounded_up(typed(self.sensitivity) / typed(self.scale))
        if self.declared is not None:
            checked(self.declared, Guarantee, "declared", "a Guarantee or None")
        stated = self.declared or Guarantee(POSITIVE_EPSILON.check(derived, "epsilon = sensitivity / scale"))
        if not math.isclose(stated.epsilon, derived, rel_tol=1e-15) or stated.delta:
            raise ValueError(f"declared must be sensitivity / scale = {derived!r}; got {stated}")
        object.__setattr__(self, "stated", stated)

    @classmethod
    def from_epsilon(cls, epsilon: float, sensitivity: float = LEFT_OPEN) -> Self:
        """Return such noise that is `epsilon`-DP; the typed ε stays its stated ε.

        Parameters
        ----------
        epsilon : float
            In (0, inf).
        sensitivity : float or int
            As the class takes it.
        """
        scale, size = cls.allowed
        epsilon, step = POSITIVE_EPSILON.check(epsilon), size.check(sensitivity)
        if not scale.admits(step / epsilon):
            raise ValueError(
                f"epsilon must be such that sensitivity / epsilon is in {scale.interval}; got {epsilon!r} "
                f"at sensitivity {step!r}"
            )
        return cls(cls._at(epsilon, step), sensitivity, declared=Guarantee(epsilon))

    @staticmethod
    def _at(epsilon: float, sensitivity: float) -> float:
        """The scale of this ε."""
        return sensitivity / epsilon

    @property
    def strength(self) -> float:
        """Noise over sensitivity, 1/ε."""
        return 1 / self.stated.epsilon

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        given = {"scale": self.scale} if self.declared is None else {"epsilon": self.declared.epsilon}
        return {**given, **given_sensitivity(self)}

    def laws(self) -> tuple[Law, ...]:
        """Return its law; randomized response, never better, beyond the largest ε."""
        return (self.loss,) if self.stated.epsilon <= LARGE_EPSILON else (ResponseLaw(self.stated.epsilon, 0.0, True),)

    def grouped(self, copies: int) -> Self:
        """Return the same noise with a sensitivity, and a declared ε, that many times as large."""
        copies = COPIES.check(copies)
        if self.declared is None or copies == 1:
            return NoiseByScale.grouped(self, copies)
        return self.from_epsilon(rounded_up(typed(self.stated.epsilon) * copies), self._over(copies))

    def at_strength(self, ratio: float) -> Self:
        """Return such noise given in the same form.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> Laplace(10, 2.0).at_strength(1 / 3).scale, Laplace.from_epsilon(0.5).at_strength(3).stated.epsilon
        (0.666667, 0.333333)
        """
        if self.declared is None:
            return NoiseByScale.at_strength(self, ratio)
        epsilon = in_digits(1 / RATIO.check(ratio), ROUND_FLOOR)
        return as_open(self.from_epsilon(epsilon, self.sensitivity), self)

    def scaled(self, factor: Fraction) -> Self:
        """Return `factor` times its scale, or its declared ε divided by it."""
        if self.declared is None:
            return NoiseByScale.scaled(self, factor)
        epsilon = rounded_up(typed(self.stated.epsilon) / factor)
        return as_open(self.from_epsilon(epsilon, self.sensitivity), self)
