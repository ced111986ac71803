"""Transforms of laws with few atoms at chosen frequencies, and what they are at most between these.

Where many uses are composed, next to all frequencies have died out: there it is enough to know so of whole blocks of
them. docs/engine.md, section 4, has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.outward import U
from dpviz.privacy_loss.lattice import Lattice

MOST_ATOMS = 64  # of a law whose transform is added up atom by atom
_LEAST_SIZE, _LEAST_ROOM = 1 << 13, 64  # frequencies in all, and how many are affordable, for blocks to be tried
_AS_DEAR = 4  # atoms times frequencies that cost what one frequency of a whole transform does
_GROWTH = 1.5  # of the first blocks, from the smallest frequency on


@dataclass(frozen=True)
class Heard:
    """Bounds on what is composed: ln of the modulus at some frequencies, and the sum of moduli at all others."""

    frequencies: np.ndarray
    logs: np.ndarray
    beyond: float = 0.0


class Atoms:
    """The tilted masses of one law, divided by its moment, where there are any."""

    def __init__(self, lattice: Lattice, tilt: float, log_moment: float, size: int) -> None:
        there = np.flatnonzero(lattice.log_masses > -np.inf)
        logs, losses, self.size = lattice.log_masses[there], lattice.losses[there], size
        self.index, self.masses = (lattice.first + there) % size, np.exp(logs + tilt * losses - log_moment)
        off = 4 * U * (np.abs(logs) + np.abs(tilt * losses) + abs(log_moment) + 2)  # engine.md 5, "tilted masses"
        apart = there - float(there @ self.masses)
        self.curvature = 2 * float((self.masses * np.exp(np.minimum(off, 700.0)) + 1e-290) @ apart**2) * (1 + 1e-6)

    def transform(self, frequencies: np.ndarray) -> np.ndarray:
        """Return the characteristic function at some frequencies."""
        turns = self.index[:, None] * frequencies % self.size
        return np.einsum("i,ij->j", self.masses, np.exp(turns * (2j * np.pi / self.size)))


def room(lattices: Sequence[Lattice], size: int) -> int:
    """Return at how many frequencies laws are cheaper added up than transformed; 0 where it is not worth to try."""
    if size < _LEAST_SIZE:
        return 0
    atoms = [int((lattice.log_masses > -np.inf).sum()) for lattice in lattices]
    most = size * len(atoms) // (_AS_DEAR * sum(atoms)) if max(atoms) <= MOST_ATOMS else 0
    return most if most >= _LEAST_ROOM else 0


def heard(
    size: int,
    most: int,
    dead: float,
    log_kernel: Callable[[np.ndarray], np.ndarray],
    moduli: Callable[[np.ndarray], Iterable[np.ndarray]],
    curvatures: np.ndarray,
    composed: Callable[[np.ndarray], np.ndarray],
) -> Heard | None:
    """Return the frequencies that may count, found by halving blocks; None where they are more than `most`.

    Parameters
    ----------
    size, most : int
        Frequencies in all, and up to how many are looked at.
    dead : float
        Logarithm of a share of the largest: blocks whose moduli have less in all are not looked into.
    log_kernel : callable
        ln of the kernel at some frequencies, falling.
    moduli : callable
        At least the modulus of each law at some frequencies.
    curvatures : ndarray of float, shape (laws,)
        At least the second derivative of each squared modulus, in angles, per mass.
    composed : callable
        ln of what laws with these moduli compose to, from shape (laws, frequencies), rounded up.
    """
    half = size // 2
    grown = _GROWTH ** np.arange(np.log(half) / np.log(_GROWTH) + 1)
    at = np.unique(np.append(np.minimum(grown, half).astype(np.int64), [0, half]))
    found = np.array(list(moduli(at)))
    while True:
        kernels, width = log_kernel(at), np.diff(at)
        logs = kernels + composed(found)
        bent = np.outer(curvatures * found[:, 0] * (1 + 1e-9), (2 * np.pi / size * width) ** 2 / 8)
        between = np.sqrt(np.maximum(found[:, 1:], found[:, :-1]) ** 2 + bent) * (1 + 1e-9)
        inside = np.where(width > 1, np.log(np.maximum(width - 1, 1)), -np.inf)
        blocks = kernels[:-1] + composed(np.minimum(between, found[:, :1])) + inside
        wide = np.flatnonzero((width > 1) & ~(blocks <= logs.max() + dead))
        if len(at) + len(wide) > most:
            return None
        if not len(wide):
            return Heard(at, logs, float(np.exp(blocks).sum()) * (1 + 1e-9))
        further = at[wide] + width[wide] // 2
        order = np.argsort(np.append(at, further))
        at = np.append(at, further)[order]
        found = np.hstack([found, np.array(list(moduli(further)))])[:, order]
