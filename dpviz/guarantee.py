"""What is promised: an (epsilon, delta) guarantee, and what it is worth to a group."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpviz.decimals import rounded_up, typed
from dpviz.outward import raised
from dpviz.parameters import COUNT, DELTA, EPSILON, checked
from dpviz.rounding import shown_up


@dataclass(frozen=True, slots=True)
class Guarantee:
    """An (epsilon, delta)-differential-privacy guarantee, for whichever neighbour relation it was stated.

    "No guarantee" is a value too: ``epsilon = inf`` or ``delta = 1``.

    Parameters
    ----------
    epsilon : float
        Privacy loss in nats, in [0, inf].
    delta : float
        Probability in [0, 1].

    References
    ----------
    Dwork & Roth (2014), The Algorithmic Foundations of Differential Privacy, Def. 2.4.

    Examples
    --------
    >>> print(Guarantee(2.64))
    (ε=2.64, δ=0)-DP
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", EPSILON.check(self.epsilon))
        object.__setattr__(self, "delta", DELTA.check(self.delta))

    def __str__(self) -> str:
        return f"(ε={self.epsilon:.15g}, δ={self.delta:.15g})-DP"

    def _repr_html_(self) -> str:
        """How a notebook shows it, rounded up."""
        numbers = f"ε = {shown_up(self.epsilon, 6)}, δ = {shown_up(self.delta, 6)}"
        return f"<b>{numbers}</b>{' (no guarantee)' if self.promises_nothing else ''}"

    @property
    def promises_nothing(self) -> bool:
        """Whether every mechanism meets it.

        Examples
        --------
        >>> Guarantee(1, 1).promises_nothing
        True
        """
        return math.isinf(self.epsilon) or self.delta >= 1

    def implies(self, other: Guarantee) -> bool:
        """Say whether whatever meets this guarantee meets `other` because neither number is larger.

        Examples
        --------
        >>> Guarantee(1, 1e-6).implies(Guarantee(1, 1e-5))
        True
        """
        other = checked(other, Guarantee, "other")
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def for_group(self, size: int) -> Guarantee:
        """Return the guarantee for `size` units at once.

        Parameters
        ----------
        size : int
            Units that change together, a whole number of at least 0.

        Notes
        -----
        Rounded up. Relation: the one this guarantee was stated for, `size` steps apart.

        References
        ----------
        Dwork & Roth (2014), Thm 2.2 and its approximate form (Vadhan 2017, Lemma 2.2).

        Examples
        --------
        >>> Guarantee(0.5).for_group(2).epsilon
        1.0
        """
        size = COUNT.check(size, "size")
        if size == 0:
            return Guarantee(0.0, 0.0)
        if size == 1 or self.promises_nothing:
            return self
        epsilon = rounded_up(typed(self.epsilon) * size)
        if self.delta == 0:
            return Guarantee(epsilon)
        return Guarantee(epsilon, min(1.0, raised(self.delta * _geometric_sum(self.epsilon, size), 88)))


def _geometric_sum(epsilon: float, size: int) -> float:
    """1 + e^ε + ... + e^((size-1)ε), finite or inf."""
    if epsilon * size > 700:
        return math.inf
    return float(size) if epsilon < 1e-300 else math.expm1(size * epsilon) / math.expm1(epsilon)
