"""The record of a composition theorem: what it says, what it needs, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.records import Record

if TYPE_CHECKING:
    from dpviz.mechanisms import Mechanism
    from dpviz.privacy_loss import Bound


@dataclass(frozen=True, slots=True, repr=False)
class Theorem(Record):
    """A composition theorem.

    Parameters
    ----------
    adaptive : bool
        Whether its number also holds when parameters, or the end, are chosen along the way (over stated pairs).
    reason : callable
        ``reason(mechanisms, delta) -> str``: why it does not apply to any count of these mechanisms; "" if it may.
    bound : callable
        ``bound(mechanisms, counts, delta) -> epsilons`` with integer counts of shape (points, mechanisms) and ε of
        shape (points,), an upper bound of the total; inf where there is none.
    measured : callable, optional
        Of numerical theorems: ``measured(mechanisms, counts, delta, accuracy)``, with a wanted relative
        accuracy in (0, 0.1], returns the bound with both ends.
    of_laws : bool
        Whether it sees the noise itself, and not stated pairs alone: then bars of a histogram count one by one.
    """

    adaptive: bool
    reason: Callable[[tuple[Mechanism, ...], float], str]
    bound: Callable[[tuple[Mechanism, ...], np.ndarray, float], np.ndarray]
    measured: Callable[[tuple[Mechanism, ...], np.ndarray, float, float], Bound] | None = None
    of_laws: bool = False

    def _repr_markdown_(self) -> str:
        """How a notebook shows it: its formula, what it needs, and where it stands."""
        return f"**{self.label}**: ${self.statement}$\n\nNeeds: {self.assumes}. Source: {self.source}."
