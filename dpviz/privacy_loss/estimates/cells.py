"""Which cells of a lattice may be wider than its step: where next to no mass is, splitting adds next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.loss_laws import COARSE, Law
from dpviz.mechanisms.laws.loss_lists import ListedLaw

_ADDED = 0.1  # share of what splitting adds with all cells as wide as the step that wider ones may add
_WORTH = 0.7  # share of all cells that are left, up to which wider ones are worth it
_NODES = 8  # whose density is read as one
_WIDEST = 0.2  # tilt times width


@dataclass(frozen=True)
class Weights:
    """By how much a loss of one use counts where the total is near an epsilon: what all others must then add up to.

    Parameters
    ----------
    tilts : ndarray of float
        Under which the composition is looked at: where the saddle point tells, losses count as under them.
    steep, most : float
        Where a single large loss decides, one counts by exp(steep loss), and by `most`, at most.
    """

    tilts: np.ndarray
    steep: float
    most: float

    def of(self, losses: np.ndarray, log_masses: np.ndarray) -> np.ndarray:
        """Return the weighed masses, the largest under all tilts."""
        exponents = log_masses[:, None] + losses[:, None] * self.tilts
        masses = np.exp(exponents - exponents.max(axis=0))
        alone = np.exp(log_masses + np.minimum(self.steep * losses, np.log(self.most)))
        return np.maximum((masses / masses.sum(axis=0)).max(axis=1), alone)


def cell_ends(law: Law, step: float, first: int, last: int, log_floor: float, weights: Weights) -> np.ndarray | None:
    """Return grid points `first` to `last`, ascending, without most where the law is thin; None if all are of use.

    Parameters
    ----------
    law : Law
    step : float
        In nats.
    first, last : int
        Indices of the grid.
    log_floor : float
        ln of a mass that does not count.
    weights : Weights
        The law is thin where little mass is left of it, weighed.

    Notes
    -----
    Cells of width w add E w² / 12 under weights of density f. With a number of cells, that is least with w ~ f^(-1/3).

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Subsampled
    >>> remove, _ = Subsampled(Gaussian(1.0, 1), 0.01, "poisson").laws()
    >>> ends = cell_ends(remove, 1e-3, -11, 8_000, -30.0, Weights(np.array([2.0]), 2.0, 1e6))
    >>> ends[:3].tolist(), ends[-1].tolist(), len(ends) < 1000
    ([-11, -10, -9], 8000, True)
    """
    if law.true_losses() or isinstance(law, ListedLaw):
        return None
    borders, widths = _widest(law, step, log_floor, weights)
    inner = np.clip(np.floor(borders[1:-1] / step), first, last).astype(np.int64)
    starts = np.append(first, inner)
    lengths = np.diff(np.append(starts, last))
    numbers = -(-lengths // widths)
    if numbers.sum() > _WORTH * (last - first):
        return None
    before = np.repeat(np.cumsum(numbers) - numbers, numbers)
    ends = np.repeat(starts, numbers) + np.repeat(widths, numbers) * (np.arange(len(before)) - before)
    return np.append(ends, last)


def _widest(law: Law, step: float, log_floor: float, weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    """Return losses, ascending, and between each two of them how many steps wide cells may be."""
    atoms = law.atoms(np.empty(0), max(log_floor, -400.0), COARSE)
    order = np.argsort(atoms.losses[: len(atoms.losses) - atoms.true_atoms])
    losses = atoms.losses[order]
    masses = weights.of(losses, atoms.log_masses[order])
    starts = np.arange(0, len(losses), _NODES)
    borders = np.append(losses[starts], losses[-1])
    lengths = np.maximum(np.diff(borders), 1e-300)
    thin = np.pad(np.add.reduceat(masses, starts) / lengths, 1, mode="edge")
    density = np.maximum(np.maximum(np.maximum(thin[:-2], thin[1:-1]), thin[2:]), 1e-200)
    wide = np.sqrt(_ADDED / (density ** (1 / 3) @ lengths)) * density ** (-1 / 3)
    return borders, np.clip(np.floor(np.minimum(wide, _WIDEST / (weights.tilts.max() * step))), 1, 1 << 40).astype(
        np.int64
    )
