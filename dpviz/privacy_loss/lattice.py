"""Privacy loss laws on a grid, from both sides: never below the law, and what an attacker surely sees of it.

Both err by the square of the step only. docs/engine.md, sections 2 and 3, has the proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.loss_laws import Law, ResponseLaw
from dpviz.outward import U
from dpviz.privacy_loss.estimates.cells import Weights, cell_ends

LARGEST_LATTICE = 1 << 17
_ATOMS_ALONE = 4  # times as many where no density needs nodes between them
_SNAP = 4e-15  # engine.md 2, "atoms": as close to a grid point, in steps and relative to its index, they are put on it
LARGEST_INDEX = 2.0**52  # beyond, doubles no longer tell neighbouring whole numbers apart
_SMALLEST = 1e-300  # engine.md 2, "vanishing masses": so much is counted as a loss of infinity


@dataclass(frozen=True)
class Lattice:
    """A measure on the multiples of `step`, exactly as given: what it bounds, and how, is said by who makes it.

    Parameters
    ----------
    step : float
        In nats.
    first : int
        Index of the smallest loss.
    log_masses : ndarray of float
        Logarithms of the masses, one per grid point from `first` on.
    cut : float
        Bound on the mass of P that is left out and to be counted as a loss of infinity.
    lowered : float
        Bound on how far any loss was moved down, in nats: so much more is lost per use.
    spread : ndarray of float
        Estimate: half the variance that splitting added at each cell, in nats squared, times the mass that was split.
    """

    step: float
    first: int
    log_masses: np.ndarray
    cut: float = 0.0
    lowered: float = 0.0
    spread: np.ndarray | None = None

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
    room = [largest * (_ATOMS_ALONE if isinstance(law, ResponseLaw) else 1) for law in laws]
    farthest = max(abs(end) for span in spans for end in span)
    return max(step, farthest / LARGEST_INDEX, *(length / points for length, points in zip(lengths, room, strict=True)))


def upper_lattice(
    law: Law, step: float, log_floor: float, lowest: float = -np.inf, weights: Weights | None = None
) -> Lattice:
    """Return a lattice law whose delta is at no epsilon below the law's, alone or composed.

    Parameters
    ----------
    law : Law
    step : float
        Distance of the grid points, in nats, in (0, inf).
    log_floor : float
        Tails of mass exp(log_floor) may be cut off, on the safe side.
    lowest : float
        Losses below are counted as this one, on the safe side.
    weights : Weights, optional
        By how much losses count: where next to no mass is left, masses are split between grid points that are several
        steps apart.

    Notes
    -----
    Each mass is split between two grid points around it so that both its P mass and its Q mass are kept. The profile of
    the result connects the values of the true profile at these points by lines in exp(epsilon), above it because it is
    convex. Whatever rounding may have changed is added to losses and masses first.

    References
    ----------
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi (2022), Connect the Dots, Thm 3.1.
    """
    cells, wide = _edges(law, step, log_floor, lowest, 0.0), None
    if weights is not None:
        wide = cell_ends(law, step, *np.rint(cells[[0, -1]] / step).astype(np.int64).tolist(), log_floor, weights)
        cells = cells if wide is None else step * wide
    atoms = law.atoms(cells, log_floor)
    masses = np.exp(atoms.log_masses)
    masses *= 1 + (atoms.mass_error + 16 * U)  # engine.md 2, "masses"
    losses = np.maximum(atoms.losses + atoms.loss_error, cells[0])
    losses += 4 * U * np.abs(losses)  # engine.md 2, "quotients": rounded down, one still lies in the cell of its loss
    lost = _SMALLEST * len(masses) if atoms.log_masses.min() < np.log(_SMALLEST) else 0.0
    cut, true_atoms = atoms.cut, atoms.true_atoms
    del atoms, cells
    cell, upper, share, lowered = _split(losses, step, true_atoms, wide)
    first, size = int(cell.min()), int(upper.max() - cell.min()) + 1
    cell -= first
    upper -= first
    split_up = masses * share
    if np.any((share > 0) & (split_up < _SMALLEST)):
        lost = _SMALLEST * len(masses)
    joined = np.bincount(cell, masses - split_up, size) + np.bincount(upper, split_up, size)
    most = max(int(np.bincount(ends).max()) for ends in ((cell,) if wide is None else (cell, upper)))
    joined *= 1 + 2 * U * (2 + most)  # engine.md 2, "sums"
    joined[0] += cut
    widened = split_up * (1 - share) if wide is None else split_up * (1 - share) * (upper - cell) ** 2.0
    spread = np.bincount(cell, widened, size) * (step * step / 2)
    return Lattice(step, first, _logarithms(joined, up=True), cut + lost, lowered, spread)


def _split(
    losses: np.ndarray, step: float, true_atoms: int, wide: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the ends of each loss's cell, the share of its mass at the upper one, and how far any loss was lowered.

    Cells lie between neighbours of `wide`, or of all grid points; true atoms are in those of all.
    """
    lower, across = np.floor(losses / step), 1.0
    ends = slice(len(losses) - true_atoms, None)
    if wide is not None:
        nodes = slice(len(losses) - true_atoms)
        place = np.searchsorted(step * wide, losses[nodes], "right") - 1
        across = np.ones(len(losses))
        lower[nodes], across[nodes] = wide[place], np.diff(wide)[np.minimum(place, len(wide) - 2)]
    share = np.expm1(lower * step - losses) / np.expm1(-step * across) * (1 + 32 * U)  # engine.md 2, "shares"
    nearest = np.rint(losses[ends] / step)
    on_grid = np.abs(losses[ends] / step - nearest) <= _SNAP * np.maximum(1.0, np.abs(nearest))
    lower[ends] = np.where(on_grid, nearest, lower[ends])
    share[ends] = np.where(on_grid, 0.0, share[ends])
    lowered = np.where(on_grid, losses[ends] - nearest * step + 4 * U * np.abs(losses[ends]), 0.0)
    cell = lower.astype(np.int64)
    upper = cell + (1 if wide is None else across.astype(np.int64))
    return cell, upper, np.clip(share, 0.0, 1.0), float(lowered.max(initial=0.0))


def lower_lattices(law: Law, step: float, log_floor: float, lowest: float = -np.inf) -> tuple[Lattice, Lattice]:
    """Return, for each grid point, at most the mass of P and at least the mass of Q of the losses nearest to it.

    Arguments are as for `upper_lattice`; masses of losses below `lowest`, and cut off, are in neither.

    Notes
    -----
    Outputs are the attacker's to look at: whoever adds up the grid points nearest to the losses, and accuses where the
    sum is at least s, sees P[sum >= s] - exp(epsilon) Q[sum >= s], and delta(epsilon) is no less, whatever s.
    """
    halves = _edges(law, step, log_floor, lowest, 0.5)
    atoms = law.atoms(halves, log_floor)
    used = atoms.losses > halves[0]  # whole panels, none of which holds an edge
    used |= not used.any()
    losses, log_p, error = atoms.losses[used], atoms.log_masses[used], (atoms.mass_error + atoms.loss_error)[used]
    cell = np.rint(losses / step).astype(np.int64)
    first, size = int(cell.min()), int(cell.max() - cell.min()) + 1
    cell -= first
    off = error + 8 * U * (4 + np.abs(log_p)) + 2 * U * np.bincount(cell).max()
    whole = log_p > np.log(_SMALLEST)  # the exponential of less may be rounded up by half of itself
    p = np.bincount(cell, np.exp(log_p) * np.where(whole, np.maximum(1 - off, 0.0), 0.0), size)
    off += 8 * U * np.abs(losses)
    q = np.bincount(cell, np.exp(np.minimum(log_p - losses, 700.0)) * (1 + off) + _SMALLEST, size)
    return Lattice(step, first, _logarithms(p, up=False)), Lattice(step, first, _logarithms(q, up=True))


def _edges(law: Law, step: float, log_floor: float, lowest: float, shift: float) -> np.ndarray:
    """Return the edges of the cells from `lowest` on inside the law's span: grid points moved up by `shift` steps."""
    low, high = law.span(log_floor)
    least = min(max(low, lowest), high)
    return step * (np.arange(np.floor(least / step) - 1, np.floor(high / step) + 2) + shift)


def _logarithms(masses: np.ndarray, up: bool) -> np.ndarray:
    """Return ln of each mass, rounded `up` or down; -inf of none."""
    with np.errstate(divide="ignore"):
        logs = np.log(masses)
    size = np.abs(np.maximum(logs, -1e3))  # those below are 0
    slack = 10 * U * (2 + size)  # engine.md 2, "logarithms"
    return logs + slack if up else logs - slack
