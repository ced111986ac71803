"""What all mechanisms share: they are frozen values that know their profile and how to simulate themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from dpviz.parameters import Parameter
from dpviz.rounding import shown_near

FINITE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_high=True)
POSITIVE_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_low=True, open_high=True)
OUTWARD = 1 + 2e-15  # outward rounding of a handful of double operations
LEAST = math.nextafter(0.0, 1.0)  # what is too small for a double is never 0
NEAR = 4e-16  # of two numbers that nearly cancel: rounding of either


def elementwise(function: Callable, values: object, check: Parameter) -> float | np.ndarray:
    """Scalar in, float out; array in, array out."""
    array = check.check_array(values)
    with np.errstate(over="ignore", under="ignore"):
        result = function(array)
    return float(result) if array.ndim == 0 else result


# Shifts by 1 of Laplace noise on integers have a loss of ε or -ε and nothing between: that of randomized response.
REAL_VALUED = (
    "Laplace and Gaussian noise is real-valued noise. Of Gaussian noise on integers (2020 Census, OpenDP, Tumult) "
    "only Zero-concentrated DP and Rényi DP hold, without sampling: for the Census' state level, tight accounting lies "
    "0.0086 below the truth. "
    "Laplace noise on integers costs what randomized response with its ε does: enter it as that."
)


class Mechanism:
    """What all mechanisms share; each names its own parameters and laws.

    A profile is symmetric (both directions agree) unless a mechanism says otherwise in `profiles`.
    """

    __slots__ = ()
    key: ClassVar[str]
    label: ClassVar[str]
    relation: ClassVar[str | None] = None

    @property
    def profiles(self) -> tuple[Callable, ...]:
        """The directional privacy profiles, composed apart and the worst reported."""
        return (self.delta,)

    def __str__(self) -> str:
        given = self.parameters.items()
        texts = (f"{name} {shown_near(value, 9) if isinstance(value, float) else value}" for name, value in given)
        return f"{self.label} ({', '.join(texts)})"


