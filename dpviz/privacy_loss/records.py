"""What the engine answers: two proved ends, the lower ones found when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Bracket:
    """Certified ends, of the shape that was asked for: the truth lies in [lower, upper]."""

    lower: float | np.ndarray
    upper: float | np.ndarray

    @property
    def excess(self) -> float | np.ndarray:
        """By how much the upper end may exceed the truth; 0 where both are infinite."""
        open_end = np.isinf(self.upper) & np.isinf(self.lower)
        return np.where(open_end, 0.0, self.upper - np.where(open_end, 0.0, self.lower))[()]


@dataclass(frozen=True)
class Bound:
    """Certified ends of the epsilon of some compositions; the lower ones are only found when they are asked for.

    Parameters
    ----------
    epsilon : ndarray of float, shape (points,)
        Upper ends.
    below : callable
        ``below()`` returns lower ends, of the same shape.
    estimate : ndarray of float, shape (points,), optional
        An estimate of the excess, that steers and is never shown; 0 if not given.
    """

    epsilon: np.ndarray
    below: Callable[[], np.ndarray] | None = None
    estimate: np.ndarray | float = 0.0

    @cached_property
    def lower(self) -> np.ndarray:
        """Lower ends: at any smaller epsilon delta is larger than allowed."""
        return self.epsilon if self.below is None else self.below()

    @property
    def excess(self) -> np.ndarray:
        """By how much the upper ends may exceed the truth; 0 of what is infinite."""
        finite = np.isfinite(self.epsilon)
        return np.where(finite, self.epsilon, 0.0) - np.where(finite, self.lower, 0.0)


class Solved(NamedTuple):
    """Upper ends of the engine, each of shape (points,)."""

    epsilon: np.ndarray
    """A bound: delta(epsilon) is at most what was wanted; inf where no grid has an answer."""
    estimate: np.ndarray
    """An estimate of how far it lies above the truth."""
    finer: np.ndarray
    """By how much the steps of the first grid were divided at last."""
