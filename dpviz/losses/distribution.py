"""How the privacy loss of a mechanism is distributed, alone and summed over releases: for drawing, not for accounting.

The loss of an output y is ln p(y | x) / p(y | x'), and y is drawn from M(x). Quoted ε and δ come from
`dpviz.privacy_loss`; here atoms and densities are exact to display precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.fft
from scipy.special import gammaln

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.loss_laws import (
    LOWEST_LOG,
    BoundedRangeLaw,
    GaussianLaw,
    LaplaceLaw,
    LatticeLaw,
    Law,
    ResponseLaw,
    TernaryLaw,
)
from dpviz.parameters import COUNT, EPSILON

if TYPE_CHECKING:
    import pandas

CELLS = 64  # lattice cells per ε of a Laplace loss, and
CELLS_PER_NAT = 16  # at least so many per nat
LONGEST = 1 << 18  # lattice points; beyond, only REACH standard deviations around the mean are kept
REACH = 16.0
SHOWN = 6.5  # standard deviations on either side of the mean that a drawing shows
POINTS = 500
MOST_STEMS = 240
FADED = 1e-3  # of the largest: where the drawing of a tail ends


@dataclass(frozen=True)
class LossDistribution:
    """The distribution of the total privacy loss of some releases, in nats.

    Parameters
    ----------
    losses, masses : ndarray of float, same length
        The atoms and their probabilities; losses increase.
    places, density : ndarray of float, same length
        The continuous part per nat; the trapezoid rule over it gives its mass.
    infinite : float
        Probability of an infinite loss: outputs that M(x) gives and M(x') never does.
    finite_mean, variance : float
        Of the finite losses, in closed form.
    mechanism : Mechanism
    count : int

    Notes
    -----
    Neighbour relation: the mechanism's. Each mechanism here has the same distribution in both directions.

    References
    ----------
    Lecture notes "Advanced Composition" (Lecture 11), examples 1 to 3; Dwork & Rothblum (2016), Sec. 2.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> LossDistribution.of(Laplace.from_epsilon(1.0), 20).largest
    (20.0, 9.5367431640625e-07)
    """

    losses: np.ndarray
    masses: np.ndarray
    places: np.ndarray
    density: np.ndarray
    infinite: float
    finite_mean: float
    variance: float
    mechanism: Mechanism
    count: int

    @classmethod
    def of(cls, mechanism: Mechanism, count: int = 1) -> LossDistribution:
        """Return the distribution of the loss of `count` uses of `mechanism`.

        Parameters
        ----------
        mechanism : Mechanism
            One with a `loss` that can be summed here: noise, or a (leaky) randomized response.
        count : int
            At least 1.

        Raises
        ------
        ValueError
            When the mechanism's loss is another one in each direction, or a value is not allowed.
        """
        count = COUNT.check(count)
        if count < 1:
            raise ValueError(f"count must be at least 1 to have a distribution; got {count}")
        if getattr(mechanism, "loss", None) is None:
            raise ValueError(f"mechanism must have a known loss, the same in both directions; got {mechanism}")
        mean, variance = (count * moment for moment in mechanism.loss.moments)
        (losses, masses), (places, density), infinite = _summed_law(mechanism.loss, count, mean, variance)
        return cls(losses, masses, places, density, infinite, mean, variance, mechanism, count)

    @property
    def mean(self) -> float:
        """The mean loss: inf where an infinite loss has any probability."""
        return math.inf if self.infinite > 0 else self.finite_mean

    @property
    def largest(self) -> tuple[float, float]:
        """The largest loss and its probability; (inf, 0) where losses have no largest value."""
        if self.infinite > 0:
            return math.inf, self.infinite
        if isinstance(law := self.mechanism.loss, LatticeLaw | TernaryLaw | BoundedRangeLaw):
            stated = self.mechanism.stated
            return self.count * (stated.epsilon if stated else law.top), math.exp(self.count * law.log_top_mass)
        return (float(self.losses[-1]), float(self.masses[-1])) if len(self.losses) else (math.inf, 0.0)

    @property
    def total(self) -> float:
        """All probability that is drawn, the infinite loss included; 1 up to rounding."""
        return float(self.masses.sum() + np.trapezoid(self.density, self.places) + self.infinite)

    def drawn_moment(self, centre: float, power: int) -> float:
        """Return the sum of (loss - centre)^power over the finite losses as drawn."""
        atoms = self.masses @ (self.losses - centre) ** power
        return float(atoms + np.trapezoid(self.density * (self.places - centre) ** power, self.places))

    def frame(self, epsilon: float = math.inf) -> pandas.DataFrame:
        """Return the distribution as it is drawn.

        Parameters
        ----------
        epsilon : float
            In [0, inf]; what exceeds it is partly paid for by δ.

        Returns
        -------
        pandas.DataFrame
            One row per place with columns kind (``atom``, ``density`` or ``infinity``), loss (nats), mass (of an atom,
            or of infinity), density (per nat), paid (the part of mass or density that δ(epsilon) pays for: the share
            1 - e^(epsilon - loss) of it), and merged (how many atoms a row stands for).
        """
        epsilon = EPSILON.check(epsilon)
        low, high = _window(self.finite_mean, self.variance)
        high = max(high, epsilon * 1.05) if math.isfinite(epsilon) else high
        if len(self.places):
            low, high = max(low, self.places[0]), min(high, self.places[-1])
        elif len(self.losses):
            low, high = max(low, self.losses[0]), min(max(high, epsilon), self.losses[-1])
        places = np.linspace(low, high, POINTS) if len(self.places) else self.places
        return self._rows(
            places, np.interp(places, self.places, self.density) if len(places) else places, low, high, epsilon
        )

    def tail(self, epsilon: float) -> pandas.DataFrame:
        """Return the part beyond `epsilon`, finely, until it has faded; columns as in `frame`.

        Parameters
        ----------
        epsilon : float
            In [0, inf]; at inf only the infinite loss is left.
        """
        epsilon = EPSILON.check(epsilon)
        places, density = self._tail_density(epsilon)
        end = places[-1] if len(places) else math.inf
        beyond = self.masses[self.losses > epsilon]
        if beyond.max(initial=0.0) > 0:
            strong = self.losses[self.losses > epsilon][beyond > FADED * beyond.max()]
            end = min(end, strong[-1]) if len(places) else strong[-1]
        return self._rows(places, density, epsilon, end, epsilon)

    def _tail_density(self, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
        """The density beyond ε down to where it has faded, accurate however small it is."""
        if not len(self.places) or epsilon >= self.largest[0] or math.isinf(epsilon):
            return _NO_ATOMS
        if self.mechanism.mu is not None:
            far = max(epsilon, self.finite_mean)
            slope = (far - self.finite_mean) / self.variance
            reach = math.log(1 / FADED) / (slope + math.sqrt(1 / self.variance))
            places = np.linspace(epsilon, far + 1.5 * reach, POINTS)
            density = _normal(places, self.finite_mean, self.variance)
        else:
            places, density = _density(self.mechanism.loss, self.count, epsilon)
            beyond = places >= epsilon
            places, density = places[beyond], density[beyond]
        seen = np.flatnonzero(density > FADED * density.max(initial=0.0))
        if not len(seen):
            return _NO_ATOMS
        picked = np.unique(np.linspace(0, seen[-1], POINTS).astype(int))
        return places[picked], density[picked]

    def _rows(
        self, places: np.ndarray, density: np.ndarray, low: float, high: float, epsilon: float
    ) -> pandas.DataFrame:
        import pandas

        slack = 1e-12 * max(abs(low), abs(high)) if math.isfinite(high) else 0.0
        inside = (self.losses >= low - slack) & (self.losses <= high + slack) & (self.masses > 0)
        losses, masses, merged = _merged(self.losses[inside], self.masses[inside])
        blank = np.full(len(losses) + len(places), np.nan)
        loss = np.concatenate([losses, places])
        beyond = loss > epsilon
        share = np.zeros(len(loss))
        share[beyond] = -np.expm1(epsilon - loss[beyond])
        columns = {
            "kind": ["atom"] * len(losses) + ["density"] * len(places),
            "loss": loss,
            "mass": np.where(np.arange(len(blank)) < len(losses), np.append(masses, np.zeros(len(places))), np.nan),
            "density": np.where(np.arange(len(blank)) < len(losses), np.nan, np.append(np.zeros(len(losses)), density)),
            "paid": share * np.concatenate([masses, density]),
            "merged": np.append(merged, np.ones(len(places), dtype=int)),
        }
        finite = pandas.DataFrame(columns)
        if not self.infinite > 0:
            return finite
        last = {"kind": "infinity", "loss": math.inf, "mass": self.infinite, "paid": self.infinite, "merged": 1}
        return pandas.concat(
            [finite, pandas.DataFrame([last]).assign(density=np.nan)[list(columns)]], ignore_index=True
        )


_NO_ATOMS = (np.empty(0), np.empty(0))


def _summed_law(law: Law, count: int, mean: float, variance: float) -> tuple[tuple, tuple, float]:
    """The atoms, the density and the infinite mass of a sum of losses."""
    match law:
        case GaussianLaw():
            places = np.linspace(*_window(mean, variance), 4 * POINTS)
            return _NO_ATOMS, (places, _normal(places, mean, variance)), 0.0
        case LaplaceLaw():
            return _laplace_atoms(law.epsilon, count), _density(law, count, None), 0.0
        case BoundedRangeLaw():
            return _NO_ATOMS, _density(law, count, None), 0.0
        case ResponseLaw():
            kept = count * math.log1p(-law.delta) if law.delta < 1 else -math.inf
            return _response_atoms(law.epsilon, count, kept), _NO_ATOMS, -math.expm1(kept)
        case LatticeLaw() | TernaryLaw():
            return *_lattice_sum(law, count, mean, variance), 0.0
    raise ValueError(f"a loss must have a law that can be summed for drawing; got {law}")


def _lattice_sum(law: LatticeLaw | TernaryLaw, count: int, mean: float, variance: float) -> tuple[tuple, tuple]:
    """All atoms of a sum of losses on a lattice, by Fourier transform, or a normal density where they are too many."""
    (unit,), (least, most) = law.true_losses(), law.span(LOWEST_LOG)
    low, high = count * least, count * most
    if high - low > LONGEST * unit / 2:
        low, high = _window(mean, variance)
    period = 2 * scipy.fft.next_fast_len(math.ceil((high - low) / unit) + 8, real=True)
    if max(period, (most - least) / unit) > LONGEST:
        places = np.linspace(low, high, 4 * POINTS)
        return _NO_ATOMS, (places, _normal(places, mean, variance))
    atoms = law.atoms(unit * np.arange(math.floor(least / unit), math.ceil(most / unit) + 1), LOWEST_LOG)
    index, start = np.rint(atoms.losses / unit).astype(np.int64), math.floor((low + high) / 2 / unit) - period // 2
    masses = np.bincount(index % period, np.exp(atoms.log_masses), period)
    summed = np.roll(scipy.fft.irfft(scipy.fft.rfft(masses) ** count, period), -start)
    losses = unit * (start + np.arange(period))
    shown = (losses >= low - unit / 2) & (losses <= high + unit / 2) & (summed > 1e-16 * summed.max())
    return (losses[shown], summed[shown]), _NO_ATOMS


def _window(mean: float, variance: float) -> tuple[float, float]:
    reach = SHOWN * math.sqrt(max(variance, 0.0))
    return mean - reach, mean + reach


def _normal(places: np.ndarray, mean: float, variance: float) -> np.ndarray:
    return np.exp(-((places - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def _log_choose(count: int, chosen: np.ndarray) -> np.ndarray:
    return gammaln(count + 1) - gammaln(chosen + 1) - gammaln(count - chosen + 1)


def _places_of_atoms(limit: float, count: int, downward: np.ndarray) -> np.ndarray:
    return (count - 2.0 * downward) * limit


def _response_atoms(limit: float, count: int, log_kept: float) -> tuple[np.ndarray, np.ndarray]:
    """Binomial: each of the k answers adds ε or, with probability 1 / (1 + e^ε), takes it away."""
    if limit == 0:
        return np.zeros(1), np.exp(np.full(1, log_kept))
    down = np.arange(count, -1, -1)
    logs = _log_choose(count, down) - down * limit - count * math.log1p(math.exp(-limit)) + log_kept
    return _places_of_atoms(limit, count, down), np.exp(logs)


def _laplace_atoms(limit: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """All k noises beyond both answers, l of them on the far side: C(k, l) 2^-k e^(-lε) at (k - 2l) ε."""
    down = np.arange(count, -1, -1)
    return _places_of_atoms(limit, count, down), np.exp(_laplace_log_atoms(limit, count, down))


def _laplace_log_atoms(limit: float, count: int, down: np.ndarray) -> np.ndarray:
    return _log_choose(count, down) - count * math.log(2) - down * limit


def _density_lattice(limit: float) -> tuple[np.ndarray, np.ndarray, int]:
    """The density of one Laplace loss on a lattice, and its cells per ε: a cell's mass is split to keep its mean."""
    cells = max(CELLS, math.ceil(CELLS_PER_NAT * min(limit, 1000.0)))
    points = np.linspace(-limit, limit, 2 * cells + 1)
    step = limit / cells
    left = np.exp((points[:-1] - limit) / 2) / 4
    cell = left * 2 * math.expm1(step / 2)
    # The mean of a density e^(x/2) on [0, h], as a share of h.
    share = 0.5 + step / 24 if step < 1e-3 else 1 / -math.expm1(-step / 2) - 2 / step
    masses = np.zeros(len(points))
    masses[:-1] += cell * (1 - share)
    masses[1:] += cell * share
    return points, masses, cells


def _laplace_lattice(limit: float) -> tuple[np.ndarray, np.ndarray, int]:
    """One Laplace loss on a lattice that holds its atoms, and its cells per ε."""
    points, masses, cells = _density_lattice(limit)
    masses[0] += math.exp(-limit) / 2
    masses[-1] += 0.5
    return points, masses, cells


def _tilted(points: np.ndarray, masses: np.ndarray, target: float) -> tuple[np.ndarray, float, float]:
    """The law times e^(θ x), normalised, with mean `target`; θ and ln of the normaliser."""
    with np.errstate(divide="ignore"):
        logs = np.log(masses)
    low, high = -60.0 / points[-1], 60.0 / points[-1]
    for _ in range(60):
        tilt = (low + high) / 2
        weights = np.exp(logs + tilt * points - np.max(logs + tilt * points))
        low, high = (tilt, high) if weights @ points < target * weights.sum() else (low, tilt)
    top = float(np.max(logs + tilt * points))
    weights = np.exp(logs + tilt * points - top)
    return weights / weights.sum(), tilt, top + math.log(weights.sum())


def _density(law: LaplaceLaw | BoundedRangeLaw, count: int, near: float | None) -> tuple[np.ndarray, np.ndarray]:
    """The continuous part of the k-fold sum, accurate around `near`, or around its mean.

    Of bounded range it is all of it: the density of a Laplace loss, scaled up to be a probability.
    """
    limit, atomic = law.epsilon, isinstance(law, LaplaceLaw)
    points, masses, cells = _laplace_lattice(limit) if atomic else _density_lattice(limit)
    masses /= masses.sum() if not atomic else 1.0
    step, tilt, log_scale = limit / cells, 0.0, 0.0
    if near is not None:
        masses, tilt, log_scale = _tilted(points, masses, min(near, 0.999 * count * limit) / count)
    index, composed = _summed(masses, points / step, count)
    losses = (index - cells * count) * step
    if atomic:
        down = np.arange(count + 1)
        log_atoms = _laplace_log_atoms(limit, count, down) + tilt * _places_of_atoms(limit, count, down)
        spots = 2 * cells * (count - down) - index[0]
        held = (spots >= 0) & (spots < len(composed))
        composed[spots[held]] -= np.exp(log_atoms[held] - count * log_scale)
    widths = np.where((index == 0) | (index == 2 * cells * count), step / 2, step)
    return losses, np.maximum(composed, 0.0) / widths * np.exp(np.minimum(count * log_scale - tilt * losses, 700.0))


def _summed(masses: np.ndarray, places: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the k-fold sum on the lattice, and its masses; only around the mean where the lattice is too long."""
    longest = (len(masses) - 1) * count + 1
    mean = masses @ places
    deviation = math.sqrt(max(masses @ places**2 - mean**2, 1e-300) * count)
    size = longest if longest <= LONGEST else min(longest, max(LONGEST // 16, int(2 * REACH * deviation)))
    size = scipy.fft.next_fast_len(size, real=True)
    folded = np.bincount(np.arange(len(masses)) % size, masses, size)  # one law may be longer than what is kept
    composed = scipy.fft.irfft(scipy.fft.rfft(folded) ** count, size)
    first = max(0, round(count * (mean - places[0])) - size // 2) if size < longest else 0
    index = first + np.arange(min(size, longest - first))
    return index, composed[index % size]


def _merged(losses: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At most about MOST_STEMS atoms: neighbours are added up, at their mean loss."""
    size = -(-len(losses) // MOST_STEMS)
    if size <= 1:
        return losses, masses, np.ones(len(losses), dtype=int)
    starts = np.arange(0, len(losses), size)
    total = np.add.reduceat(masses, starts)
    centre = np.add.reduceat(masses * losses, starts) / np.maximum(total, 1e-300)
    return centre, total, np.diff(np.append(starts, len(losses)))
