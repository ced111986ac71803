"""Laws of noise on whole numbers: every output one atom, or, where they lie closer than any grid, groups of them.

The sum of f over N whole numbers in a row is given by n nodes with positive weights: the Gauss rule of those N points.
With the monic polynomials orthogonal on them, of squared norm N (N²-1)...(N²-n²) (n!)⁴ / ((2n)! (2n+1)!), it errs by
f^(2n) at some point, over (2n)!, times that norm, which is at most N^(2n+1) (n!)⁴ / ((2n+1) ((2n)!)³): the bound of
Gauss and Legendre's rule on a panel of width N. All that docs/engine.md, section 1, proves of panels holds of groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.mechanisms.laws.loss_laws import FINE, HERMITE, LOWEST_LOG, RULE_ERROR, TWO_NODES, Atoms, LatticeLaw
from dpviz.outward import U
from dpviz.parameters import Parameter

WHOLE_SENSITIVITY = Parameter("sensitivity", "Δ", "most that one unit changes the answer", 1, 1e9, integer=True)
WHOLE_SIGMA = Parameter("sigma", "σ", "width of noise on whole numbers", 1e-12, 1e12)
WHOLE_SCALE = Parameter("scale", "b", "scale of noise on whole numbers", 1e-12, 1e12)
_ROUNDED = 0.99  # of a group's largest size, whose ends are rounded to whole numbers


@dataclass(frozen=True)
class DiscreteGaussianLaw(LatticeLaw):
    """The loss of discrete Gaussian noise: Δ (y + Δ/2) / σ² at noise -y, for both directions."""

    sigma: float
    sensitivity: int

    top, leak, log_top_mass = np.inf, 0.0, -np.inf
    spacing = property(lambda self: self.sensitivity / (self.sigma * self.sigma))
    mu = property(lambda self: self.sensitivity / self.sigma)
    nearly_normal = property(lambda self: self.sigma >= 1)

    def farthest(self, log_floor: float) -> float:
        """Return a whole number beyond which, on either side, the noise has no more mass than exp(log_floor).

        E exp(ty) is exp(t²σ²/2) times the sum of exp(-(y - tσ²)²/2σ²) over that of exp(-y²/2σ²), which is at most 1 by
        Poisson's formula; hence P[y >= r] <= exp(-r²/2σ²).
        """
        return float(np.ceil(np.sqrt(-2 * max(log_floor, LOWEST_LOG)) * (1 + 8 * U) * self.sigma))

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return an interval of losses outside which neither P nor Q has more than exp(log_floor) on either side."""
        high = self.spacing * (self.farthest(log_floor) + self.sensitivity / 2)
        return -high, high

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the atoms, or nodes of groups of them between the `edges`, a sorted array of losses."""
        far, shift = self.farthest(log_floor), self.sensitivity
        slope = (far / self.sigma + self.mu + HERMITE) / self.sigma  # of the log masses, at most
        starts, counts = grouped((-far - shift, far), edges / self.spacing - shift / 2, change / slope)
        nodes, log_weights, alone = rule(starts, counts, counts.max() * slope <= TWO_NODES)
        z, total = nodes / self.sigma, log_total(self.sigma)
        log_masses = log_weights - z * z / 2 - total
        size, losses = self.mu * (np.abs(z) + self.mu), self.spacing * (nodes + shift / 2)
        # As of Gaussian noise; a whole number itself has the rounding of the spacing and of one product alone.
        grouped_error = 2 * RULE_ERROR * np.minimum(1.0, 2 * size + 10 * self.mu) + 8 * U * size
        loss_error = np.where(alone, 0.0, grouped_error) + 4 * U * np.abs(losses)
        mass_error = np.where(alone, 0.0, RULE_ERROR) + 8 * U * (6 + abs(total) + np.abs(log_masses) + z * z)
        cut, true_atoms = np.exp(max(log_floor, LOWEST_LOG)), int(alone.sum())
        return Atoms(losses, log_masses, loss_error, mass_error, cut=cut, true_atoms=true_atoms)

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the loss."""
        atoms = self.atoms(np.empty(0), LOWEST_LOG)
        masses = np.exp(atoms.log_masses)
        mean = self.sensitivity * self.spacing / 2
        return mean, float(masses @ (atoms.losses - mean) ** 2)

    def true_losses(self) -> tuple[float, ...]:
        """Return the number of which all losses are multiples."""
        return (self.spacing / (1 + self.sensitivity % 2),)


@dataclass(frozen=True)
class DiscreteLaplaceLaw(LatticeLaw):
    """The loss of discrete Laplace noise with a = exp(-1/scale): Δ + 1 atoms at (2y + Δ)/scale, y from -Δ to 0.

    That at 0 has mass 1/(1+a), that at -Δ a^Δ/(1+a), and y between (1-a)/(1+a) a^-y.
    """

    scale: float
    sensitivity: int

    leak = 0.0
    # Of the decimals that were typed, rounded up.
    top = property(lambda self: float(np.nextafter(self.sensitivity / self.scale, np.inf)))
    log_top_mass = property(lambda self: -float(np.log1p(np.exp(-1 / self.scale))))

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses."""
        return -self.top, self.top

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the inner atoms, or nodes of groups of them between the `edges`, then those at both ends."""
        shift, ends = self.sensitivity, np.array([-float(self.sensitivity), 0.0])
        nodes, log_weights, alone = np.empty(0), np.empty(0), np.empty(0, dtype=bool)
        if shift > 1:
            starts, counts = grouped((1.0 - shift, -1.0), edges * (self.scale / 2) - shift / 2, change * self.scale)
            nodes, log_weights, alone = rule(starts, counts, counts.max() <= TWO_NODES * self.scale)
        inner = np.log(-np.expm1(-1 / self.scale))
        log_masses = np.concatenate([log_weights + inner, [0.0, 0.0]]) + self.log_top_mass
        log_masses += np.concatenate([nodes, ends]) / self.scale
        nodes, alone = np.concatenate([nodes, ends]), np.concatenate([alone, [True, True]])
        losses = (2 * nodes + shift) / self.scale
        # As of Laplace noise, for Q nearly as for P; a whole number itself has the rounding of one quotient alone.
        grouped_error = 2 * RULE_ERROR * min(1.0, 5 * self.top) + 4 * U * self.top
        loss_error = np.where(alone, 0.0, grouped_error) + 2 * U * np.abs(losses)
        mass_error = np.where(alone, 0.0, RULE_ERROR) + 8 * U * (6 + abs(inner) + np.abs(log_masses) + self.top)
        return Atoms(losses, log_masses, loss_error, mass_error, true_atoms=int(alone.sum()))

    def few(self, most: int) -> Atoms:
        """Return the atoms, or where they are more than `most` so many that dominate them, densest at the largest loss.

        What lies between two in a row goes to both, so that both its masses are kept: it is spread, and no f-divergence
        falls. The masses of n atoms in a row have the ratio e^x, x the middle of the two losses beside them; their Q
        is shared as by randomized response, 1 to e^(w/2), w the distance of these losses.
        """
        far, base = self.sensitivity, 1 / self.scale
        places = np.unique(np.rint(np.append(0.0, np.geomspace(1.0, far, min(most, far)))))  # from the largest loss on
        places = np.arange(far + 1.0) if far < most else places
        inner, losses = np.log(-np.expm1(-base)), (far - 2 * places) * base
        log_masses = np.where((places == 0) | (places == far), 0.0, inner) - places * base
        between, half = np.diff(places) - 1, np.diff(places) * base
        with np.errstate(divide="ignore"):
            group = np.log(-np.expm1(-between * base)) - (places[:-1] + 1) * base
        log_masses[:-1] = np.logaddexp(log_masses[:-1], group - np.logaddexp(0.0, -half))
        log_masses[1:] = np.logaddexp(log_masses[1:], group - np.logaddexp(0.0, half))
        log_masses += self.log_top_mass
        mass_error = 8 * U * (16 + abs(inner) + 2 * np.abs(log_masses) + 2 * self.top)
        return Atoms(losses, log_masses, 2 * U * np.abs(losses), mass_error, true_atoms=len(losses))

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the loss."""
        atoms = self.atoms(np.empty(0), LOWEST_LOG)
        masses = np.exp(atoms.log_masses)
        mean = float(masses @ atoms.losses)
        return mean, float(masses @ (atoms.losses - mean) ** 2)

    def true_losses(self) -> tuple[float, ...]:
        """Return the number of which all losses are multiples."""
        return ((2 - self.sensitivity % 2) / self.scale,)


def grouped(ends: tuple[float, float], borders: np.ndarray, most: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each group of whole numbers in a row, and how many they are, ascending.

    Parameters
    ----------
    ends : tuple of float
        The first and the last whole number.
    borders : ndarray of float
        Sorted; no group reaches over one.
    most : float
        Largest number in a group; at least one is.

    Examples
    --------
    >>> starts, counts = grouped((-2.0, 7.0), np.array([0.5, 3.0]), 4)
    >>> starts.tolist(), counts.tolist()
    ([-2.0, 1.0, 3.0, 5.0], [3.0, 2.0, 2.0, 3.0])
    """
    first, last = ends
    inside = borders[np.searchsorted(borders, first, "right") : np.searchsorted(borders, last, "right")]
    starts = np.unique(np.concatenate([[first], np.ceil(inside)]))
    counts = np.diff(np.append(starts, last + 1))
    parts = np.ceil(counts / max(1.0, np.floor(most * _ROUNDED)))
    if parts.max() == 1:
        return starts, counts
    which = np.repeat(np.arange(len(starts)), parts.astype(np.int64))
    place = np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts.astype(np.int64))
    starts = starts[which] + np.floor(counts[which] / parts[which] * place)
    return starts, np.diff(np.append(starts, last + 1))


def rule(starts: np.ndarray, counts: np.ndarray, two: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nodes, ln of their weights, and which are whole numbers on their own, those last.

    Groups get `two` nodes, or four; those that are no larger get their whole numbers themselves.

    Examples
    --------
    >>> nodes, log_weights, alone = rule(np.array([0.0, 5.0]), np.array([5.0, 1.0]), True)
    >>> nodes.round(6).tolist(), np.exp(log_weights).round(6).tolist()
    ([0.585786, 3.414214, 5.0], [2.5, 2.5, 1.0])
    """
    large = counts > (2 if two else 4)
    few = counts[~large].astype(np.int64)
    within = np.arange(few.sum()) - np.repeat(np.cumsum(few) - few, few)
    points = np.repeat(starts[~large], few) + within
    n, places, shares = counts[large], *(two_nodes if two else four_nodes)(counts[large])
    nodes = (starts[large] + (n - 1) / 2)[:, None] + places
    log_weights = np.log(n[:, None] * shares)
    alone = np.arange(nodes.size + len(points)) >= nodes.size
    return np.append(nodes, points), np.append(log_weights, np.zeros(len(points))), alone


def two_nodes(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of `n` whole numbers beside their middle, and their shares: the variance is (n² - 1)/12."""
    away = np.sqrt((n - 1) * (n + 1) / 12)
    return away[:, None] * [-1.0, 1.0], np.full((len(n), 2), 0.5)


def four_nodes(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same for four nodes, the roots of x⁴ - (3n² - 13)/14 x² + 3 (n² - 1)(n² - 9)/560."""
    square = n * n
    middle, product = (3 * square - 13) / 28, 3 * (square - 1) * (square - 9) / 560
    outer = middle + np.sqrt(middle * middle - product)
    inner = product / outer
    share = ((square - 1) / 12 - inner) / (2 * (outer - inner))
    x, y = np.sqrt(outer), np.sqrt(inner)
    return np.stack([-x, -y, y, x], axis=1), np.stack([share, 0.5 - share, 0.5 - share, share], axis=1)


@lru_cache(maxsize=1024)
def log_total(sigma: float) -> float:
    """Return ln of the sum of exp(-y²/2σ²) over all whole numbers, which errs by less than 32u (1 + its size).

    Below σ = 1 it is summed; from there on Poisson's formula makes it σ √(2π) times the sum of exp(-2π²σ²k²). Either
    way the terms left out are below exp(-78) of it, and those used positive.

    Examples
    --------
    >>> round(log_total(1.0), 12), round(log_total(0.1), 12)
    (0.918938538555, 0.0)
    """
    if sigma < 1:
        return math.log1p(2 * math.fsum(math.exp(-((y / sigma) ** 2) / 2) for y in range(1, 14)))
    return math.log(sigma) + math.log(2 * math.pi) / 2 + math.log1p(2 * math.exp(-2 * (math.pi * sigma) ** 2))
