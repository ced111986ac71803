"""Privacy loss laws on a grid, by connecting the dots: never below the law, above it by the square of the step only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.loss_laws import Law, ResponseLaw

LARGEST_LATTICE = 1 << 17
ATOMS_ALONE = 4  # times as many where no density needs nodes between them
SNAP = 1e-15  # an atom this close to a grid point, in steps and relative to its index, is on it
LARGEST_INDEX = 2.0**52  # beyond, doubles no longer tell neighbouring whole numbers apart


@dataclass(frozen=True)
class Lattice:
    """A law whose losses are multiples of `step`.

    Parameters
    ----------
    step : float
        In nats.
    first : int
        Index of the smallest loss.
    log_masses : ndarray of float
        Logarithms of the masses under P, one per grid point from `first` on.
    spread : ndarray of float
        Half the variance that splitting added at each cell, in nats squared, times the mass that was split.
    cut : float
        Upper bound on the mass cut off and to be counted as a loss of infinity.
    """

    step: float
    first: int
    log_masses: np.ndarray
    spread: np.ndarray
    cut: float

    @property
    def losses(self) -> np.ndarray:
        """The losses of the grid points."""
        return self.step * (self.first + np.arange(len(self.log_masses)))


def widened(
    laws: Sequence[Law], step: float, log_floor: float, lowest: Sequence[float], largest: int = LARGEST_LATTICE
) -> float:
    """Return `step`, or the smallest larger one at which lattices fit into memory and indices are exact doubles."""
    spans = [law.span(log_floor) for law in laws]
    lengths = [high - min(max(low, least), high) for (low, high), least in zip(spans, lowest, strict=True)]
    room = [largest * (ATOMS_ALONE if isinstance(law, ResponseLaw) else 1) for law in laws]
    farthest = max(abs(end) for span in spans for end in span)
    return max(step, farthest / LARGEST_INDEX, *(length / points for length, points in zip(lengths, room, strict=True)))


def discretised(law: Law, step: float, log_floor: float, lowest: float = -np.inf) -> Lattice:
    """Return the pessimistic discretisation of `law`.

    Parameters
    ----------
    law : Law
    step : float
        Distance of the grid points, in nats, in (0, inf).
    log_floor : float
        Tails of mass exp(log_floor) may be cut off, on the safe side.
    lowest : float
        Losses below may be counted as this one, on the safe side.

    Notes
    -----
    Each mass is split between its two neighbours so that both its P mass and its Q mass are kept. The profile of the
    result connects the values of the true profile at the grid points by lines in exp(epsilon), above it because it is
    convex.

    References
    ----------
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi (2022), Connect the Dots, Thm 3.1.
    """
    low, high = law.span(log_floor)
    lowest = step * np.floor(min(max(low, lowest), high) / step)
    edges = step * np.arange(np.ceil(max(low, lowest) / step), np.floor(high / step) + 1)
    atoms = law.atoms(edges, log_floor)
    cell, share = split(np.maximum(atoms.losses, lowest), step, atoms.true_atoms)
    masses = np.exp(atoms.log_masses)
    first, size = int(cell.min()), int(cell.max() - cell.min()) + 2
    cell -= first
    split_up = masses * share
    joined = np.bincount(cell, masses - split_up, size) + np.bincount(cell + 1, split_up, size)
    spread = np.bincount(cell, split_up * (1 - share), size) * (step * step / 2)
    joined[0] += atoms.cut
    with np.errstate(divide="ignore"):
        return Lattice(step, first, np.log(joined), spread, atoms.cut)


def split(losses: np.ndarray, step: float, true_atoms: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cell of each loss and the share of its mass that goes to the upper end."""
    lower = np.floor(losses / step)
    ends = slice(len(losses) - true_atoms, None)
    nearest = np.rint(losses[ends] / step)
    on_grid = np.abs(losses[ends] / step - nearest) <= SNAP * np.maximum(1.0, np.abs(nearest))
    lower[ends] = np.where(on_grid, nearest, lower[ends])
    share = np.expm1(lower * step - losses) / np.expm1(-step) + 5e-16 * (1 + np.abs(lower))  # rounding errs upwards
    share[ends] = np.where(on_grid, 0.0, share[ends])
    return lower.astype(np.int64), np.minimum(np.maximum(share, 0.0), 1.0)
