"""What theorems about (ε, δ) pairs see of a workload: each release as a pair, and the δ that the pairs leave over."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from dpviz.decimals import compounded_within, rounded_down, rounded_up, typed, weighted_sums
from dpviz.mechanisms import Mechanism
from dpviz.outward import lowered, raised

_READ = 64  # mechanisms without a stated pair, each at some shares, whose ε are remembered


@dataclass(frozen=True)
class StatedPairs:
    """The pairs of a workload at several points, and how the whole δ is shared among them.

    Parameters
    ----------
    mechanisms : tuple of Mechanism, length mechanisms
    counts : ndarray of int, shape (points, mechanisms)
    delta : float
        The whole δ of the answer, in [0, 1).

    Notes
    -----
    A mechanism without a stated pair is read as its tight ε at the δ it is allotted. All shares are rounded down, so
    that what is spent never exceeds `delta`.
    """

    mechanisms: tuple[Mechanism, ...]
    counts: np.ndarray
    delta: float

    @cached_property
    def unstated(self) -> np.ndarray:
        """Which mechanisms have no stated pair, shape (mechanisms,)."""
        return np.array([mechanism.stated is None for mechanism in self.mechanisms], dtype=bool)

    @cached_property
    def epsilons(self) -> np.ndarray:
        """Stated ε, 0 where there is none, shape (mechanisms,)."""
        return np.array([mechanism.stated.epsilon if mechanism.stated else 0.0 for mechanism in self.mechanisms])

    @cached_property
    def deltas(self) -> np.ndarray:
        """Stated δ, 0 where there is none, shape (mechanisms,)."""
        return np.array([mechanism.stated.delta if mechanism.stated else 0.0 for mechanism in self.mechanisms])

    @cached_property
    def unstated_uses(self) -> np.ndarray:
        """How many uses have no stated pair, shape (points,)."""
        return self.counts[:, self.unstated].sum(axis=1)

    @cached_property
    def spent(self) -> list[Fraction]:
        """Exact sums of the stated δ, length points."""
        return weighted_sums(self.counts, self.deltas)

    @cached_property
    def overspent(self) -> np.ndarray:
        """Where the stated δ add up to more than the whole δ, shape (points,)."""
        return np.array([spent > typed(self.delta) for spent in self.spent])

    @cached_property
    def left_by_sum(self) -> np.ndarray:
        """δ - Σ δ_i rounded down, 0 where nothing is left, shape (points,)."""
        if not self.deltas.any():
            return np.full(len(self.counts), self.delta)
        whole = typed(self.delta)
        return np.array([rounded_down(whole - spent) if spent < whole else 0.0 for spent in self.spent])

    @cached_property
    def log_kept(self) -> np.ndarray:
        """ln(1 - R) with 1 - R = (1-δ) / Π(1-δ_i), rounded towards 0; positive where the δ_i compound beyond δ."""
        whole = np.log1p(-self.delta)
        if not self.deltas.any():
            return np.full(len(self.counts), whole)
        with np.errstate(divide="ignore"):
            each = np.log1p(-self.deltas)
        used = np.where(self.counts > 0, self.counts * np.where(self.counts > 0, each, 0.0), 0.0).sum(axis=1)
        error = 4e-16 * (len(self.deltas) + 2) * (np.abs(used) - whole)
        kept = whole - used + error
        for point in np.flatnonzero(self.overspent & (kept > 0) & (kept <= 4 * error)):
            if compounded_within(self.counts[point], self.deltas, self.delta):
                kept[point] = 0.0
        return np.where(self.overspent, kept, np.minimum(kept, 0.0))

    def shares(self, slack: bool, compound: bool) -> tuple[np.ndarray, np.ndarray]:
        """Split what is left of δ.

        Parameters
        ----------
        slack : bool
            Whether half is kept as δ' where there are uses without a stated pair (all of it where there are none).
        compound : bool
            Whether the δ_i compound as 1 - Π(1-δ_i), or add up.

        Returns
        -------
        tuple of ndarray, shape (points,)
            δ of each use without a stated pair, and δ'.
        """
        uses = np.maximum(self.unstated_uses, 1)
        alone = self.unstated_uses == 0
        left = self.left_by_sum
        part = left / 2 if slack else left
        each, rest = lowered(part / uses, 2), np.where(alone, left, left / 2)
        if compound:
            kept = np.minimum(self.log_kept, 0.0)
            half = kept / 2 if slack else kept
            each = np.maximum(each, lowered(-np.expm1(half / uses), 2))
            rest = np.maximum(rest, lowered(np.where(alone, -np.expm1(kept), -np.expm1(kept / 2)), 2))
        return each, rest

    def readings(self, each: np.ndarray) -> np.ndarray:
        """Return the ε of each mechanism at each point, shape (points, mechanisms), 0 where it is not used."""
        epsilons = np.broadcast_to(self.epsilons, self.counts.shape).copy()
        for column in np.flatnonzero(self.unstated):
            epsilons[:, column] = _read(self.mechanisms[column], each.tobytes())
        return np.where(self.counts > 0, epsilons, 0.0)

    def sum_of_epsilons(self, each: np.ndarray) -> np.ndarray:
        """Return Σ ε_i, exact decimals for stated ε and rounded up, shape (points,)."""
        exact = np.array([rounded_up(total) for total in weighted_sums(self.counts, self.epsilons)])
        if not self.unstated.any():
            return exact
        readings = np.where(self.unstated, self.readings(each), 0.0)
        added = np.where(self.counts > 0, self.counts * readings, 0.0).sum(axis=1)
        return np.where(added > 0, raised(exact + added, 7), exact)


@lru_cache(_READ)
def _read(mechanism: Mechanism, shares: bytes) -> np.ndarray:
    """The tight ε of a mechanism at each share of δ: several theorems ask for the same."""
    values, where = np.unique(np.frombuffer(shares), return_inverse=True)
    return mechanism.epsilon(values)[where]
