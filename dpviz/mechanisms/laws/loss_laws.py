"""Privacy loss laws: for each mechanism and direction, how the loss ln(P/Q) is distributed under P.

A law is a list of atoms: the true ones, and the nodes of a Gauss-Legendre rule on panels so narrow that the rule errs
by less than `RULE_ERROR`, for the masses of P and of Q alike. No panel straddles an edge of the grid on which the law
is discretised. What the rule and the rounding of doubles may have changed is part of the answer: see `Atoms`.

Every law has a `top`, its largest finite loss, `log_top_mass`, ln of the mass of that if known, and a `leak`, the mass
of P where Q has nothing; one whose directions agree has the `moments`, mean and variance, of the finite loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpviz.mechanisms.laws.renyi import coth_excess, laplace_rho, pure_rho, sinh_excess
from dpviz.outward import U, raised

FAR = 500.0  # losses from which logarithms are added
RULES = {count: np.polynomial.legendre.leggauss(count) for count in (2, 3, 4)}
FINE, COARSE = 0.2, 1.2  # largest change of a log density on a panel; the coarse one is for estimates
# Largest change s at which 2 and 3 nodes suffice: n nodes err by s^(2n) exp(s) (n!)^4 / ((2n+1) (2n)!^3) of the mass,
# so 2 by 1.2e-15, 3 by 9.5e-16, and 4 by 1.8e-15 at FINE; docs/engine.md has the proof.
TWO_NODES, THREE_NODES = 1.5e-3, 0.035
RULE_ERROR = 2e-15  # engine.md 1, "rule"
HERMITE = 1.8  # the m-th derivative of the normal density is at most (|z| + HERMITE)^m times it, m <= 8
# Beyond these, randomized response or a leak stands in: never better, and as good in print.
LARGE_EPSILON, LARGE_MU = 1000.0, 150.0
RAREST = 1e-100  # sampling rate of Gaussian noise below which a leak of that probability stands in
VANISHED = 1e3  # the exponential of less than minus that is 0
LOWEST_LOG = -690.0  # masses below 1e-300 count as losses of infinity


@dataclass(frozen=True)
class Atoms:
    """Losses and the logarithms of their masses under P.

    Parameters
    ----------
    losses, log_masses : ndarray of float, same length
    loss_error : ndarray of float, same length
        By how much a loss may be off, in nats: there are losses this near with which both masses are right.
    mass_error : ndarray of float, same length
        By which share the mass under P, and that under Q at the loss as given, may be off.
    infinite : float
        Mass of P on outputs that Q never gives.
    missing : float
        Mass of Q on outputs that P never gives.
    cut : float
        Upper bound on the mass of either tail that was cut off.
    true_atoms : int
        How many of the last entries are atoms of the law, not nodes of its density.
    """

    losses: np.ndarray
    log_masses: np.ndarray
    loss_error: np.ndarray
    mass_error: np.ndarray
    infinite: float = 0.0
    missing: float = 0.0
    cut: float = 0.0
    true_atoms: int = 0


@dataclass(frozen=True)
class GaussianLaw:
    """The loss of Gaussian noise: N(mu²/2, mu²); `both` when the tails of Q are wanted, too."""

    mu: float
    both: bool = False

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses outside which P (and Q) has no more than exp(log_floor) on either side."""
        reach = math.sqrt(-2 * max(log_floor, LOWEST_LOG))  # beyond lies at most half of exp(-reach² / 2)
        return self.mu * (self.mu / 2 - self.both * self.mu - reach), self.mu * (self.mu / 2 + reach)

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the nodes between the `edges`, a sorted array of losses."""
        low, high = self.span(log_floor)
        reach = high / self.mu - self.mu / 2
        width = change / (reach + self.mu + HERMITE)
        z = panel_edges((low / self.mu - self.mu / 2, reach), edges / self.mu - self.mu / 2, width)
        nodes, log_weights = quadrature(z, change / width)
        log_masses = log_weights - nodes * nodes / 2 - np.log(2 * np.pi) / 2
        size = self.mu * (np.abs(nodes) + self.mu)
        # engine.md 1, "P and Q apart, Gaussian noise" and "nodes, Gaussian noise"
        loss_error = 2 * RULE_ERROR * np.minimum(1.0, 2 * size + 10 * self.mu) + 8 * U * size
        mass_error = RULE_ERROR + 8 * U * (4 + np.abs(log_masses) + nodes * nodes)  # engine.md 1, "masses of nodes"
        cut = np.exp(max(log_floor, LOWEST_LOG))
        return Atoms(self.mu * (nodes + self.mu / 2), log_masses, loss_error, mass_error, cut=cut)

    top, leak, log_top_mass = np.inf, 0.0, -np.inf
    moments = property(lambda self: (self.mu**2 / 2, self.mu**2))

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return ()


class GaussianCeiling(GaussianLaw):
    """The loss of Gaussian noise, in place of a law that is never worse, so that no lower end may rest on it."""

    stands_in = True


@dataclass(frozen=True)
class LaplaceLaw:
    """The loss of Laplace noise: atoms at -epsilon and epsilon, between them a density exp((x - epsilon)/2) / 4."""

    epsilon: float

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses."""
        return -self.epsilon, self.epsilon

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the nodes between the `edges`, a sorted array of losses, then the two atoms."""
        panels = panel_edges(self.span(log_floor), edges, 2 * change)  # half a loss is the log density of P, and Q's
        nodes, log_weights = quadrature(panels, 0.5)
        log_masses = log_weights + (nodes - self.epsilon) / 2 - np.log(4)
        losses = np.concatenate([nodes, [-self.epsilon, self.epsilon]])
        log_masses = np.concatenate([log_masses, [-np.log(2) - self.epsilon, -np.log(2)]])
        # engine.md 1, "P and Q apart, Laplace noise" and "nodes, Laplace noise"
        loss_error = 2 * RULE_ERROR * min(1.0, 5 * self.epsilon) + 4 * U * np.abs(losses)
        loss_error[-2:] = 0.0
        mass_error = RULE_ERROR + 8 * U * (4 + np.abs(log_masses) + self.epsilon)  # engine.md 1, "masses of nodes"
        return Atoms(losses, log_masses, loss_error, mass_error, true_atoms=2)

    leak, log_top_mass = 0.0, -np.log(2)
    top = property(lambda self: self.epsilon)

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the finite loss."""
        limit, mean = self.epsilon, laplace_rho(self.epsilon)
        if limit > 1:
            return mean, 3 - (4 * limit + 2) * math.exp(-limit) - math.exp(-2 * limit)
        return mean, limit**2 - 2 * limit * math.expm1(-limit) - 4 * mean - mean**2  # the same, without cancelling

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return (self.epsilon,)


@dataclass(frozen=True)
class PickLaw(LaplaceLaw):
    """The loss that dominates those of the largest noisy score: that of Laplace noise.

    `surely` is the parameter of the randomized response that one pair of scores makes of it; `attained` says whether
    one use is, over all scores, as bad as this law.
    """

    surely: float
    attained: bool


@dataclass(frozen=True)
class BoundedRangeLaw:
    """The loss that dominates those of an exponential mechanism: exp((x - epsilon)/2) / (2 - 2 exp(-epsilon)).

    A density between -epsilon and epsilon, without atoms: Laplace noise's, scaled up to be a probability.
    """

    epsilon: float

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses."""
        return -self.epsilon, self.epsilon

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the nodes between the `edges`, a sorted array of losses."""
        noise = LaplaceLaw(self.epsilon).atoms(edges, log_floor, change)
        inner, lift = slice(0, -noise.true_atoms), math.log(2) - math.log(-math.expm1(-self.epsilon))
        log_masses = noise.log_masses[inner] + lift
        mass_error = noise.mass_error[inner] + 8 * U * (1 + lift + np.abs(log_masses))
        return Atoms(noise.losses[inner], log_masses, noise.loss_error[inner], mass_error)

    leak, log_top_mass = 0.0, -np.inf
    top = property(lambda self: self.epsilon)

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance: the loss lies below its end by twice an exponential variable that is cut at epsilon."""
        ratio, mean = float(sinh_excess(self.epsilon)), float(coth_excess(self.epsilon))
        return 2 * mean, 4 * ratio / (1 + ratio) * (1 + 1 / (1 + ratio))

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return ()


@dataclass(frozen=True)
class ResponseLaw:
    """The loss of leaky randomized response: atoms at -epsilon, epsilon and infinity.

    `stands_in` says that it only takes the place of a law that is never worse, so that no lower end may rest on it.
    """

    epsilon: float
    delta: float
    stands_in: bool = False

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of finite losses."""
        return -self.epsilon, self.epsilon

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the atoms; `edges` play no part."""
        heard = np.log1p(-self.delta) if self.delta < 1 else -np.inf
        low = heard - np.logaddexp(0, self.epsilon)
        losses = np.array([-self.epsilon, self.epsilon])
        log_masses = np.array([low, heard - np.logaddexp(0, -self.epsilon)])
        mass_error = 8 * U * (5 + np.minimum(np.abs(log_masses), VANISHED))
        return Atoms(losses, log_masses, 0 * losses, mass_error, self.delta, self.delta, true_atoms=2)

    leak = property(lambda self: self.delta)
    top = property(lambda self: self.epsilon)

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the finite loss."""
        return pure_rho(self.epsilon), (self.epsilon / math.cosh(min(self.epsilon / 2, 350.0))) ** 2

    @property
    def log_top_mass(self) -> float:
        """ln of the mass of the largest finite loss."""
        return np.log1p(-min(self.delta, 1 - U)) - np.logaddexp(0, -self.epsilon)

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return (self.epsilon,)


@dataclass(frozen=True)
class TernaryLaw:
    """The loss of randomized response among `k` values, more than two: atoms at -epsilon, 0 and epsilon."""

    epsilon: float
    k: int

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of losses."""
        return -self.epsilon, self.epsilon

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the atoms; `edges` play no part."""
        losses = np.array([-self.epsilon, 0.0, self.epsilon])
        lie = self.log_top_mass - self.epsilon
        log_masses = np.array([lie, math.log(self.k - 2) + lie, self.log_top_mass])
        mass_error = 8 * U * (8 + math.log(self.k) + np.minimum(np.abs(log_masses), VANISHED))
        return Atoms(losses, log_masses, 0 * losses, mass_error, true_atoms=3)

    leak = 0.0
    top = property(lambda self: self.epsilon)
    log_top_mass = property(lambda self: -float(np.logaddexp(0.0, math.log(self.k - 1) - self.epsilon)))

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance, in positive terms: with truth p and lie q, 1 - (p - q) is kq."""
        lie = math.exp(self.log_top_mass - self.epsilon)
        gap = math.exp(self.log_top_mass) * -math.expm1(-self.epsilon)
        return self.epsilon * gap, self.epsilon**2 * lie * (self.k * gap + 2)

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return (self.epsilon,)


class LatticeLaw:
    """The loss of noise on whole numbers: atoms at spacing (y + shift/2), y whole; see `laws/integer_laws.py`.

    Its `true_losses` is the one number of which every loss is a multiple. `nearly_normal` says that estimates may take
    its cumulants from Gaussian noise.
    """

    nearly_normal = False


@dataclass(frozen=True)
class PointsLaw:
    """The loss of a symmetric pair with finitely many losses: each with its mirror image, none, and infinity.

    Parameters
    ----------
    losses : tuple of float
        Above 0, ascending, at least one; the mirror image -x of each has its mass times exp(-x).
    masses : tuple of float
        Of P, in (0, 1].
    errors : tuple of float
        By which share each mass, and that of its image, may be off.
    leak : float
    stands_in : bool
        Whether it only takes the place of a law that is never worse, so that no lower end may rest on it.
    """

    losses: tuple[float, ...]
    masses: tuple[float, ...]
    errors: tuple[float, ...]
    leak: float
    stands_in: bool = False

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of finite losses."""
        return -self.top, self.top

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the atoms; `edges` play no part."""
        positive, masses, errors = (np.array(each) for each in (self.losses, self.masses, self.errors))
        mirrored = np.log(masses) - positive
        log_masses = np.concatenate([np.log(masses), mirrored])
        mass_error = np.tile(errors, 2) + 8 * U * (4 + np.abs(log_masses) + np.tile(positive, 2))
        both = masses * (1 + np.exp(-positive))
        unsure = float(both @ errors) + 4 * U * (2 + len(both))
        left = max(1 - self.leak - float(both.sum()), unsure)
        losses = np.concatenate([positive, -positive])
        atoms = Atoms(losses, log_masses, 0 * losses, mass_error, self.leak, self.leak, true_atoms=len(losses))
        return with_atom(atoms, 0.0, left, 2 * unsure / left)

    top = property(lambda self: self.losses[-1])
    log_top_mass = property(lambda self: math.log(self.masses[-1]) - 2 * self.errors[-1])

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the finite loss."""
        losses, masses, kept = np.array(self.losses), np.array(self.masses), 1 - self.leak
        mean = float(masses @ (losses * -np.expm1(-losses))) / kept
        return mean, float(masses @ (losses**2 * (1 + np.exp(-losses)))) / kept - mean**2

    def true_losses(self) -> tuple[float, ...]:
        """Return the losses that have an atom."""
        return self.losses


def sampled_loss(loss: float | np.ndarray, rate: float | np.ndarray) -> np.ndarray:
    """Return ln(1 + rate (e^loss - 1)), the loss of the sample at a loss of what reads it.

    Examples
    --------
    >>> float(sampled_loss(1e-16, 0.5))
    5e-17
    """
    with np.errstate(all="ignore"):
        gain = rate * np.expm1(loss)
        far = np.logaddexp(np.log1p(-rate), loss + np.log(rate))
        near = np.less(loss, FAR) & np.greater(gain, -0.5)  # else digits are lost beside 1
        return np.where(np.equal(rate, 0), 0.0, np.where(near, np.log1p(gain), far))


@dataclass(frozen=True)
class SampledLaw:
    """The loss of a base read on a random sample: the base's nodes, carried along by a monotone map of the loss.

    Parameters
    ----------
    base : GaussianLaw, LaplaceLaw, BoundedRangeLaw, ResponseLaw, TernaryLaw, LatticeLaw or PointsLaw
        A symmetric law.
    rate : float
        In (0, 1).
    direction : str
        ``remove``: P is the mixture (1 - rate) Q0 + rate P0, Q is Q0. ``add``: the two change places.
        ``replace``: the symmetrised profile of sampling without replacement.

    References
    ----------
    Zhu, Dong and Wang (2022), Optimal Accounting of Differential Privacy via Characteristic Function, Thm 11 (Poisson).
    Balle, Barthe and Gaboardi (2018), Privacy Amplification by Subsampling, Thm 9 (without replacement).
    """

    base: GaussianLaw | LaplaceLaw | BoundedRangeLaw | ResponseLaw | TernaryLaw | LatticeLaw | PointsLaw
    rate: float
    direction: str

    def carried(self, loss: np.ndarray | float) -> np.ndarray:
        """Return the mixture's loss at a loss of the base."""
        return sampled_loss(loss, self.rate)

    def source(self, loss: np.ndarray) -> np.ndarray:
        """Return the base's loss at a loss of the mixture, -inf where none leads there."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            ratio = np.expm1(loss) / self.rate
            sampled = np.log1p(np.where((loss < FAR) & (ratio < 1e300), np.maximum(ratio, -1.0), 0.0))
            gain = np.where(loss > 0, -np.expm1(-loss), np.maximum(np.exp(loss) - (1 - self.rate), 0.0))
            far = np.maximum(loss, 0.0) + np.log(gain) - np.log(self.rate)
            return np.where((loss < FAR) & (ratio < 1e300) & (loss > -0.5), sampled, far)

    def span(self, log_floor: float) -> tuple[float, float]:
        """Return the interval of finite losses."""
        low, high = (float(self.carried(np.float64(end))) for end in self.base.span(log_floor))
        if self.base.leak:
            low = min(low, float(np.log1p(-self.rate)))  # what Q never gives on the sample, it may still give without
        return {"remove": (low, high), "add": (-high, -low), "replace": (-high, high)}[self.direction]

    def atoms(self, edges: np.ndarray, log_floor: float, change: float = FINE) -> Atoms:
        """Return the base's nodes at their new losses, with their new masses."""
        edges = -edges[::-1] if self.direction == "add" else edges
        sources = self.source(np.append(0.0, edges[edges > 0]) if self.direction == "replace" else edges)
        base = self.base.atoms(sources[np.isfinite(sources)], log_floor, change)
        if isinstance(self.base, LatticeLaw):  # carried along, its losses lie on no lattice
            base = replace(base, true_atoms=0)
        return getattr(self, self.direction)(base, self.carried(base.losses))

    def errors(self, base: Atoms, losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much the carried losses, and the masses with them, may be off."""
        loss_error = base.losses - losses
        loss_error += np.log(self.rate)
        np.exp(np.minimum(loss_error, 0.0, out=loss_error), out=loss_error)  # the slope of the carrying map
        loss_error *= base.loss_error
        loss_error *= 1.01
        size = np.abs(losses)
        size *= 64 * U  # engine.md 1, "carried losses"
        loss_error += size
        mass_error = 4 - np.maximum(base.log_masses, -VANISHED)
        for each in (base.losses, losses):
            mass_error += np.abs(each)
        mass_error *= 8 * U
        for each in (base.mass_error, base.loss_error):
            mass_error += each
        return loss_error, mass_error

    def remove(self, base: Atoms, losses: np.ndarray) -> Atoms:
        """Return the mixture against the base's Q."""
        log_masses = base.log_masses - base.losses + losses
        leak, errors = self.rate * base.infinite, self.errors(base, losses)
        mixture = Atoms(losses, log_masses, *errors, leak, 0.0, base.cut, base.true_atoms)
        return with_atom(mixture, np.log1p(-self.rate), (1 - self.rate) * base.missing)

    def add(self, base: Atoms, losses: np.ndarray) -> Atoms:
        """Return the base's Q against the mixture."""
        log_masses, missed = base.log_masses - base.losses, self.rate * base.infinite
        mixture = Atoms(
            -losses, log_masses, *self.errors(base, losses), 0.0, missed, base.cut, base.true_atoms
        )
        return with_atom(mixture, -np.log1p(-self.rate), base.missing)

    def replace(self, base: Atoms, losses: np.ndarray) -> Atoms:
        """Return the gains, their mirror image, and what is left at no loss."""
        gain = base.losses > 0
        atoms = int(gain[len(gain) - base.true_atoms :].sum()) if base.true_atoms else 0
        inner = int(gain.sum()) - atoms
        loss_error, mass_error = (values[gain] for values in self.errors(base, losses))
        losses, log_q = losses[gain], (base.log_masses - base.losses)[gain]

        def mirrored(gained: np.ndarray, lost: np.ndarray) -> np.ndarray:  # the atoms last, as before
            return np.concatenate([gained[:inner], lost[:inner], gained[inner:], lost[inner:]])

        logs = mirrored(log_q + losses, log_q)
        errors = mirrored(loss_error, loss_error), mirrored(mass_error, mass_error)
        infinite, masses = self.rate * base.infinite, np.exp(logs)
        unsure = float(masses @ errors[1]) + 2 * U * len(masses) + 2 * base.cut
        left = max(1 - infinite - float(masses.sum()), unsure)
        both = Atoms(mirrored(losses, -losses), logs, *errors, infinite, infinite, base.cut, 2 * atoms)
        return with_atom(both, 0.0, left, 2 * unsure / left)

    @property
    def leak(self) -> float:
        """Mass of P where Q has nothing."""
        return 0.0 if self.direction == "add" else self.rate * self.base.leak

    @cached_property  # asked for by every bound of every search
    def top(self) -> float:
        """The largest finite loss, rounded up."""
        if self.direction != "add":
            end = float(self.carried(np.float64(self.base.top)))
        elif np.isfinite(self.base.top) and not self.base.leak:
            end = -float(self.carried(np.float64(-self.base.top)))
        else:
            end = -np.log1p(-self.rate)
        return raised(end, 88)

    @property
    def log_top_mass(self) -> float:
        """ln of the mass of the largest finite loss, if it is known."""
        if self.direction == "add" or self.base.log_top_mass == -np.inf:
            return -np.inf
        return self.base.log_top_mass + np.logaddexp(np.log(self.rate), np.log1p(-self.rate) - self.base.top)

    def true_losses(self) -> tuple[float, ...]:
        """Return the sizes of the losses that have an atom."""
        if isinstance(self.base, LatticeLaw):
            return ()
        signs = (1.0,) if self.direction == "replace" else (1.0, -1.0)
        ends = [abs(float(self.carried(np.float64(sign * end)))) for end in self.base.true_losses() for sign in signs]
        hidden = self.direction != "replace" and self.base.leak > 0
        return (*ends, -float(np.log1p(-self.rate))) if hidden else tuple(ends)


Law = GaussianLaw | LaplaceLaw | BoundedRangeLaw | ResponseLaw | TernaryLaw | LatticeLaw | PointsLaw | SampledLaw


def sure(law: Law) -> Law | None:
    """Return a law that is never worse than the mechanism's own: the law, but for one that stands in; None if unknown.

    Of all scores of a mechanism that picks it is two candidates' whose scores move apart: of the exponential
    mechanism, its losses are half of ±ε.

    Examples
    --------
    >>> sure(ResponseLaw(2000.0, 0.0, stands_in=True)), sure(ResponseLaw(0.0, 0.5, stands_in=True))
    (LaplaceLaw(epsilon=2000.0), None)
    """
    base = law.base if isinstance(law, SampledLaw) else law
    if isinstance(base, BoundedRangeLaw):
        own = ResponseLaw(base.epsilon / 2, 0.0)
    elif isinstance(base, PickLaw):
        own = ResponseLaw(base.surely, 0.0)
    elif not getattr(base, "stands_in", False):
        return law
    elif not isinstance(base, ResponseLaw) or base.delta > 0:
        return None
    else:
        own = LaplaceLaw(base.epsilon)
    return own if base is law else SampledLaw(own, law.rate, law.direction)


def attained(law: Law) -> bool:
    """Say whether one use loses, over all data, as much as the law says.

    Examples
    --------
    >>> attained(BoundedRangeLaw(0.5)), attained(ResponseLaw(2000.0, 0.0, stands_in=True))
    (True, True)
    >>> attained(PickLaw(0.5, 0.2, attained=False))
    False
    """
    base = law.base if isinstance(law, SampledLaw) else law
    return sure(law) is not None and getattr(base, "attained", True)


def with_atom(atoms: Atoms, loss: float, mass: float, mass_error: float = 0.0) -> Atoms:
    """Return `atoms` with one more, if it has any mass."""
    if not mass > 0:
        return atoms
    return replace(
        atoms,
        losses=np.append(atoms.losses, loss),
        log_masses=np.append(atoms.log_masses, np.log(mass)),
        loss_error=np.append(atoms.loss_error, 24 * U * abs(loss)),
        mass_error=np.append(atoms.mass_error, mass_error + 8 * U * (4 + abs(np.log(mass)))),
        true_atoms=atoms.true_atoms + 1,
    )


def panel_edges(span: tuple[float, float], edges: np.ndarray, width: float) -> np.ndarray:
    """Return the sorted edges inside `span` with its ends, and a mesh no wider than `width` where they are coarser."""
    low, high = span
    inside = edges[np.searchsorted(edges, low, "right") : np.searchsorted(edges, high, "left")]
    joined = np.concatenate([[low], inside, [high]])
    if np.diff(joined).max() <= width:
        return joined
    mesh = np.linspace(low, high, max(2, int(np.ceil((high - low) / width)) + 1))
    return np.union1d(joined, mesh)


def quadrature(edges: np.ndarray, steepness: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of all panels and ln of their weights: fewer a panel, the less the log density changes on it.

    `steepness` bounds the log density's change per unit of the edges.
    """
    half = np.diff(edges) / 2
    keep = half > 0
    half, middle = half[keep], (edges[:-1] + np.diff(edges) / 2)[keep]
    change = 2 * half.max() * steepness
    places, weights = RULES[2 if change <= TWO_NODES else 3 if change <= THREE_NODES else 4]
    nodes = middle[:, None] + half[:, None] * places
    log_weights = np.log(half)[:, None] + np.log(weights)
    return nodes.ravel(), log_weights.ravel()
