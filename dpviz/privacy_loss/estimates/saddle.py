"""Where to tilt: saddle-point estimates from which the Fourier engine chooses its grid; they are never answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.loss_laws import COARSE, Atoms, GaussianLaw, LatticeLaw, Law

_TILTS = 160
_STEEPEST_TILT = 1e60  # steeper ones overflow, and no number in print needs them


@dataclass(frozen=True)
class Tilted:
    """Cumulants of the composed loss under each tilt, shape (points, tilts), and how much of it lies off the atoms."""

    tilts: np.ndarray
    log_moment: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    diffuse: np.ndarray
    atomic: np.ndarray

    def of(self, rows: np.ndarray) -> Tilted:
        """Return the table of some points."""
        return Tilted(
            self.tilts,
            *(values[rows] for values in (self.log_moment, self.mean, self.variance, self.diffuse, self.atomic)),
        )

    @property
    def epsilon(self) -> np.ndarray:
        """The epsilon to which each tilt belongs."""
        return self.mean - 1 / self.tilts - 1 / (1 + self.tilts)

    def chernoff(self, log_target: float) -> float:
        """Return about the smallest epsilon, of the first point, above which losses have mass exp(log_target)."""
        return max(0.0, float(((self.log_moment[0] - log_target) / self.tilts).min()))

    @property
    def curvature(self) -> np.ndarray:
        """Second derivative of the exponent at the saddle point."""
        return self.variance + 1 / self.tilts**2 + 1 / (1 + self.tilts) ** 2

    @property
    def log_delta(self) -> np.ndarray:
        """The estimate of ln delta at that epsilon."""
        c = self.tilts
        return self.log_moment - c * self.epsilon - np.log(c) - np.log1p(c) - np.log(2 * np.pi * self.curvature) / 2


def tilted(laws: Sequence[Law], counts: np.ndarray, log_floor: float) -> Tilted:
    """Return the cumulants of `counts` releases of each law, at tilts that span every useful one."""
    coarse = [_coarse_atoms(law, log_floor) for law in laws]
    variances = np.array([_plain_variance(law, atoms) for law, atoms in zip(laws, coarse, strict=True)])
    sizes = np.sqrt(counts @ variances)
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return Tilted(np.ones(2), *np.zeros((5, len(counts), 2)))
    tilts = np.geomspace(1e-2 / max(sizes.max(), 1e-3), min(1e7 / sizes.min(), _STEEPEST_TILT), _TILTS)
    tables = np.array([_cumulants(law, atoms, tilts) for law, atoms in zip(laws, coarse, strict=True)])
    return Tilted(tilts, *(counts @ tables[:, row] for row in range(5)))


def _plain_variance(law: Law, atoms: Atoms | None) -> float:
    """Return the variance of the loss itself, without a tilt."""
    return law.mu**2 if atoms is None else _cumulants(law, atoms, np.zeros(1))[2, 0]


def cumulants_of(law: Law, tilts: np.ndarray, log_floor: float) -> np.ndarray:
    """Return the cumulants of one law, see `_cumulants`."""
    return _cumulants(law, _coarse_atoms(law, log_floor), tilts)


def _coarse_atoms(law: Law, log_floor: float) -> Atoms | None:
    """Return a few nodes of a law, or None where its cumulants are known in closed form."""
    normal = isinstance(law, GaussianLaw) or (isinstance(law, LatticeLaw) and law.nearly_normal)
    return None if normal else law.atoms(np.empty(0), max(log_floor, -400.0), COARSE)


def _cumulants(law: Law, atoms: Atoms | None, tilts: np.ndarray) -> np.ndarray:
    """Return rows ln M, mean, variance, share off the atoms and share on them, shape (5, tilts)."""
    if atoms is None:
        c, square, atomic = tilts, law.mu**2, np.full(len(tilts), float(isinstance(law, LatticeLaw)))
        return np.array([(c + c * c) * square / 2, (c + 0.5) * square, 0 * c + square, 1 - atomic, atomic])
    exponents = atoms.log_masses[:, None] + atoms.losses[:, None] * tilts
    largest = exponents.max(axis=0)
    weights = np.exp(exponents - largest)
    total = weights.sum(axis=0)
    weights /= total
    mean = atoms.losses @ weights
    variance = np.maximum(atoms.losses**2 @ weights - mean**2, 0.0)
    on_atoms = weights[len(weights) - atoms.true_atoms :].sum(axis=0)
    return np.array([largest + np.log(total), mean, variance, 1 - on_atoms, on_atoms])
