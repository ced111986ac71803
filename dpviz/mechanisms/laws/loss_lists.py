"""Privacy loss laws that are known as lists: of losses with their masses, and of other laws with their weights.

They answer what the engine asks of a law (`dpviz.mechanisms.laws.loss_laws`). Neither tells a largest loss: what was
cut off may lie above. Instead each has the μ of Gaussian noise that surely costs at least as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.loss_laws import FINE, Atoms, Law
from dpviz.outward import U

_FEW = 200  # losses of a list by which estimates are made


@dataclass(frozen=True, eq=False)
class ListedLaw:
    """A law of finitely many losses, known up to small errors.

    Parameters
    ----------
    losses, log_masses : ndarray of float, same length
        In nats, and ln of the mass of P of each.
    mu : float
        Of Gaussian noise that is never better.
    mass_error, loss_error : float
        By which share each mass may be off, and by how many nats each loss.
    cut : float
        Bound on the mass of P that is missing, to be counted as a loss of infinity.
    stands_in : bool
        Whether it only takes the place of a law that is never worse, so that no lower end may rest on it.
    """

    losses: np.ndarray
    log_masses: np.ndarray
    mu: float
    mass_error: float
    loss_error: float
    cut: float = 0.0
    stands_in: bool = False

    top, leak, log_top_mass = np.inf, 0.0, -np.inf

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return δ(ε) of this direction at every real ε, rounded up.

        Examples
        --------
        >>> law = ListedLaw(np.array([-1.0, 1.0]), np.log([0.25, 0.75]), 1.0, 0.0, 0.0)
        >>> law.delta(np.array([0.0, 2.0])).round(6).tolist()
        [0.47409, 0.0]
        """
        values = np.asarray(epsilon, dtype=float)
        gain = -np.expm1(np.minimum(values[..., None] - self.losses - self.loss_error, 0.0))
        share = self.mass_error + self.loss_error + 16 * U * (8 + np.abs(self.log_masses).max() + len(self.losses))
        paid = (gain * np.exp(self.log_masses)).sum(axis=-1) * (1 + share) + self.cut
        return np.clip(paid, np.maximum(-np.expm1(np.minimum(values, 0.0)), 0.0), 1.0)

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of the losses that are listed."""
        return float(self.losses.min()), float(self.losses.max())

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the list; `edges` play no part. Where estimates are wanted, it is cut to a few losses."""
        if change > FINE and len(self.losses) > 2 * _FEW:
            return self._thinned()
        even = np.ones(len(self.losses))
        mass_error = self.mass_error + 8 * U * (4 + np.abs(self.log_masses))
        loss_error = self.loss_error * even + 4 * U * np.abs(self.losses)
        return Atoms(self.losses, self.log_masses, loss_error, mass_error * even, cut=self.cut)

    def _thinned(self) -> Atoms:
        """Return neighbours as one, at their mean loss: no bound, but what saddle points are estimated by."""
        starts = np.arange(0, len(self.losses), -(-len(self.losses) // _FEW))
        masses = np.exp(self.log_masses - self.log_masses.max())
        total = np.add.reduceat(masses, starts)
        losses = np.add.reduceat(masses * self.losses, starts) / np.maximum(total, 1e-300)
        none = np.zeros(len(starts))
        logs = np.log(np.maximum(total, 1e-300)) + self.log_masses.max()
        return Atoms(losses, logs, none, none, cut=self.cut)

    def true_losses(self) -> tuple[float, ...]:
        """Return no loss: the list stands for a density."""
        return ()


@dataclass(frozen=True)
class MixedLaw:
    """A law that is one of several, and everybody learns which: profiles add up, weighted.

    Parameters
    ----------
    weights : tuple of float
        In (0, 1], rounded up where the law is to bound another.
    laws : tuple of Law
        Without atoms of their own and without leaks.
    mu : float
        Of Gaussian noise that is never better.
    stands_in : bool
        As of a list.
    """

    weights: tuple[float, ...]
    laws: tuple[Law, ...]
    mu: float
    stands_in: bool = False

    top, leak, log_top_mass = np.inf, 0.0, -np.inf

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses outside which no law has more than exp(log_floor) on either side."""
        spans = (law.span(floor) for law, floor in zip(self.laws, self._floors(log_floor), strict=True))
        low, high = zip(*spans, strict=True)
        return min(low), max(high)

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the nodes of all laws between the `edges`."""
        pairs = zip(self.laws, self._floors(log_floor), strict=True)
        parts = [law.atoms(edges, floor, change) for law, floor in pairs]
        logs = [part.log_masses + np.log(weight) for part, weight in zip(parts, self.weights, strict=True)]
        cut = sum(part.cut * weight for part, weight in zip(parts, self.weights, strict=True))
        mass_error = np.concatenate([part.mass_error for part in parts]) + 16 * U
        losses = np.concatenate([part.losses for part in parts])
        loss_error = np.concatenate([part.loss_error for part in parts])
        return Atoms(losses, np.concatenate(logs), loss_error, mass_error, cut=float(cut))

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return ()

    def _floors(self, log_floor: float) -> list[float]:
        """Return ln of the tails that may be cut from each law: so much less counts of one that is rare."""
        return [min(log_floor - np.log(weight), max(log_floor, -4.0)) for weight in self.weights]
