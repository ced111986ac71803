"""Rényi moments of noise read on a random sample, at every order: sums of positive terms, by a rule of bounded error.

With u = 1 + q (e^x - 1), x the loss of the base and Q its other side, removing a record has the moment E_Q[u^α], over
all losses, also those below 0; adding one has E_Q[u^(1-α)]. Both are f-divergences of the base's two laws, convex in
r = e^x, and so at most those of a pair that dominates it. Where that pair is symmetric, as all are that `laws` give,
adding is never worse: the outcomes r and 1/r together give a^α + r b^α against a^(1-α) + r b^(1-α), where a = u(r) and
b = u(1/r); these agree at α = 1, and ab >= 1 lets the first grow faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms.laws.integer_laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, log_total
from dpviz.mechanisms.laws.loss_laws import LARGE_MU, LOWEST_LOG, Atoms, BoundedRangeLaw, LaplaceLaw
from dpviz.mechanisms.laws.renyi import excess
from dpviz.mechanisms.mechanism import Mechanism
from dpviz.outward import raised, roundings

_GAUSS = np.polynomial.legendre.leggauss(16)
_MIDDLE = (np.zeros(1), np.full(1, 2.0))
_REACH = 9.0  # standard deviations beyond either peak; what lies further is below 1e-16 of the whole
_LARGEST_ORDER, _LARGEST_PEAK, _LARGEST_EPSILON = 1e9, 1e4, 1e3  # α, α μ and ε beyond which closed bounds do
_LEAST_RATE, _LEAST = 1e-100, 1e-300  # smaller rates and divergences round up to these: no square may vanish
_RULE = roundings(1e-12)  # error of the rule and of its terms, measured against mpmath below 3e-14
_MOST_ORDERS = 128  # at a time, so that the nodes stay in memory
_MOST_ATOMS = 1000  # of a law on whole numbers; so many that dominate stand for more
_LARGEST_SUM = 4000.0  # whole numbers summed for one order


@dataclass(frozen=True)
class _Nodes:
    """Losses of the base, their log masses under Q, and the order to which each belongs, ascending."""

    which: np.ndarray
    losses: np.ndarray
    log_masses: np.ndarray


def sampled_rdp(base: Mechanism, rate: float, scheme: str, orders: np.ndarray) -> np.ndarray:
    """Return the Rényi divergence of `base` read on a sample, rounded up, at `orders` > 1.

    Parameters
    ----------
    base : Mechanism
        A mechanism without a leak.
    rate : float
        In (0, 1).
    scheme : str
        ``"poisson"`` or ``"without_replacement"``, whose gains are mirrored as by Balle, Barthe & Gaboardi, Thm 9.
    orders : ndarray of float, shape (orders,)

    References
    ----------
    Mironov, Talwar & Zhang (2019), Rényi differential privacy of the sampled Gaussian mechanism, Thm 4 and Thm 5.
    Trefethen (2008), Is Gauss quadrature better than Clenshaw-Curtis?, Thm 4.5, with |u(x + iy)| <= u(x) for |y| < π.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Subsampled
    >>> print(f"{Subsampled(Gaussian(0.1), 0.01, 'poisson').rdp(4.5):.3f}")
    219.079
    """
    if len(orders) > _MOST_ORDERS:
        parts = np.split(orders, range(_MOST_ORDERS, len(orders), _MOST_ORDERS))
        return np.concatenate([sampled_rdp(base, rate, scheme, part) for part in parts])
    rate, replaced = max(rate, _LEAST_RATE), scheme != "poisson"
    moments, enough = _closed_bounds(base, rate, replaced, orders)
    if not enough.all():
        left = orders[~enough]
        moments[~enough] = np.minimum(moments[~enough], _integrated(base, rate, replaced, left))
    return raised(moments / (orders - 1), _RULE) + _LEAST


def _carried(loss: np.ndarray | float, rate: float) -> np.ndarray:
    """Return ln u at a loss of the base."""
    return np.log1p(rate * np.expm1(np.minimum(loss, 600.0))) + np.maximum(loss - 600.0, 0.0)


def _closed_bounds(base: Mechanism, rate: float, replaced: bool, orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smaller of two bounds by the base's own moment M, and where nothing better will be found.

    By convexity the moment is at most 1 - q + qM, and by Minkowski the α-norm of u is at most 1 - q + q M^(1/α), a
    power mean of M and 1. That holds of adding, too, whatever the base: u^(1-α) is the power mean of r^(1-α) and 1 with
    the exponent -1/(α-1), below 1 and so concave; its mean is at most that of M and 1, and power means grow with their
    exponent. The second is exact for Gaussian noise at large orders: the moment is at least q^α times the base's.
    """
    whole = (orders - 1) * np.asarray(base.rdp(orders))
    norm = orders * _carried(whole / orders, rate)
    bound = np.minimum(np.logaddexp(0.0, norm) if replaced else norm, _carried(whole, rate))
    mu, density = _noise(base, replaced)
    if mu is None:
        pure = base.stated is not None and base.stated.delta == 0
        return bound, (orders > _LARGEST_ORDER) | (not pure or base.stated.epsilon > _LARGEST_EPSILON)
    log_gap = np.log(orders) + np.log((1 - rate) / rate) - whole / orders
    exact = (log_gap < -30) & (norm > 60) & (base.mu is not None)
    many = (orders * mu > _LARGEST_PEAK) | ((_peak(orders, mu, rate) + _REACH) * density > _LARGEST_SUM)
    return bound, exact | (orders > _LARGEST_ORDER) | many


def _noise(base: Mechanism, replaced: bool) -> tuple[float | None, float]:
    """μ of Gaussian noise, or None, and how many of its outputs lie in a standard deviation; 0 where it is integrated.

    Noise on whole numbers that lie close enough is, unless only gains count: see `_whole_nodes`.
    """
    law = base.loss
    if base.mu is not None or not isinstance(law, DiscreteGaussianLaw):
        return base.mu, 0.0
    if law.mu > LARGE_MU:
        return None, 0.0
    return law.mu, 0.0 if _close(law) and not replaced else law.sigma


def _close(law: DiscreteGaussianLaw) -> bool:
    """Whether the whole numbers lie closer than the nodes of the integral."""
    return 1 / law.sigma <= _step(law.mu)


def _integrated(base: Mechanism, rate: float, replaced: bool, orders: np.ndarray) -> np.ndarray:
    nodes = _nodes(base, rate, replaced, orders)
    order, loss = orders[nodes.which], _carried(nodes.losses, rate)
    logs = nodes.log_masses + (_log_mirrored if replaced else _log_gain)(loss, order)
    # What rounding may take from an exponent, which is a difference of large numbers far from both peaks.
    logs = logs + 1e-15 * (order * np.abs(loss) - nodes.log_masses)
    return np.logaddexp(0.0, _log_sums(nodes.which, logs, len(orders)))


def _log_gain(loss: np.ndarray, order: np.ndarray) -> np.ndarray:
    """ln of u^α - 1 - α (u - 1) >= 0, whose mean is the moment less 1, as the mean of u is 1."""
    rise = order * loss
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result = np.where(rise > 500, rise, np.log(np.expm1(rise) - order * np.expm1(loss)))
    near = ((np.abs(rise) < 0.1) | (order < 1.5)) & (rise <= 500)
    tilt, small = order[near] - 1, loss[near]
    with np.errstate(divide="ignore"):  # both summands are positive, so that nothing cancels
        result[near] = small + np.log(tilt * excess(-small) + excess(tilt * small))
    return result


def _log_mirrored(loss: np.ndarray, order: np.ndarray) -> np.ndarray:
    """ln of what a gain and its mirror image add to the moment: u^α - 1 - u + u^(1-α), as a product."""
    with np.errstate(divide="ignore"):
        return order * loss + np.log(-np.expm1(-order * loss)) + np.log(-np.expm1(-(order - 1) * loss))


def _log_sums(which: np.ndarray, logs: np.ndarray, count: int) -> np.ndarray:
    starts = np.searchsorted(which, np.arange(count))
    top = np.maximum(np.maximum.reduceat(logs, starts), -1e4)  # all terms may be 0
    with np.errstate(divide="ignore"):
        return top + np.log(np.add.reduceat(np.exp(logs - top[which]), starts))


def _nodes(base: Mechanism, rate: float, replaced: bool, orders: np.ndarray) -> _Nodes:
    """Nodes of the base's law, with all its losses; only gains where they are mirrored."""
    if base.mu is not None:
        return _gaussian_nodes(base.mu, rate, replaced, orders)
    (law,) = base.laws()
    if isinstance(law, DiscreteGaussianLaw):
        return _whole_nodes(law, rate, replaced, orders)
    if isinstance(law, LaplaceLaw | BoundedRangeLaw):
        return _laplace_nodes(law, rate, replaced, orders)
    atoms = law.few(_MOST_ATOMS) if isinstance(law, DiscreteLaplaceLaw) else law.atoms(np.empty(0), LOWEST_LOG)
    return _atom_nodes(atoms, replaced, orders)


def _atom_nodes(atoms: Atoms, replaced: bool, orders: np.ndarray) -> _Nodes:
    """The atoms themselves, once for each order, with what may be off on the side that raises the moment."""
    kept = atoms.losses >= 0 if replaced else np.ones(len(atoms.losses), dtype=bool)
    losses, log_masses = atoms.losses[kept], (atoms.log_masses - atoms.losses + atoms.mass_error)[kept]
    losses = losses + np.copysign(atoms.loss_error[kept], losses)
    which = np.repeat(np.arange(len(orders)), len(losses))
    return _Nodes(which, np.tile(losses, len(orders)), np.tile(log_masses, len(orders)))


def _step(mu: float) -> float:
    """How far nodes of z may lie apart where they are summed as the integral."""
    return min(0.5, 0.5 / mu)


def _peak(orders: np.ndarray, mu: float, rate: float) -> np.ndarray:
    """The largest z at which the moment's integrand may have its peak.

    Beside a small gain a moment grows as its square, up to order 2, and from order 2 on no faster than its order. Below
    order 2 it does so by at most 0.12 more than its order where the gain is above e^10, as at all z >= μ if it is at μ.
    """
    least = np.minimum(orders + 0.12, 2.0) if mu * mu / 2 + np.log(rate) > 10 else 2.0
    return np.maximum(orders, least) * mu


def _whole_nodes(law: DiscreteGaussianLaw, rate: float, replaced: bool, orders: np.ndarray) -> _Nodes:
    """Nodes of noise on whole numbers, z = y/σ under Q: y itself, or the integral where they lie closer than its nodes.

    Then the sum over y is a rule with equal steps, too, and by Poisson's formula as near the integral as the other.
    """
    if _close(law) and not replaced:
        return _gaussian_nodes(law.mu, rate, replaced, orders)
    reach = _REACH + 1 / law.sigma
    first = np.ceil(law.sensitivity / 2 if replaced else -reach * law.sigma)
    counts = np.floor((_peak(orders, law.mu, rate) + reach) * law.sigma - first).astype(np.int64) + 1
    which = np.repeat(np.arange(len(orders)), counts)
    z = (first + np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)) / law.sigma
    return _Nodes(which, law.mu * (z - law.mu / 2), -z * z / 2 - log_total(law.sigma))


def _gaussian_nodes(mu: float, rate: float, replaced: bool, orders: np.ndarray) -> _Nodes:
    """Nodes of z = x/μ + μ/2, standard normal under Q; only gains where they are mirrored.

    On the whole line equal steps do best: for a < π/μ their error is below 2 e^(a²/2 - 2πa/step) of the moment.
    """
    high = _peak(orders, mu, rate) + _REACH
    if replaced:
        which, z, log_weights = _panels(np.full(orders.shape, mu / 2), high, min(3.0, 4.5 / mu), _GAUSS)
    else:
        which, z, log_weights = _panels(np.full(orders.shape, -_REACH), high, _step(mu), _MIDDLE)
    return _Nodes(which, mu * (z - mu / 2), log_weights - z * z / 2 - np.log(2 * np.pi) / 2)


def _laplace_nodes(law: LaplaceLaw | BoundedRangeLaw, rate: float, replaced: bool, orders: np.ndarray) -> _Nodes:
    """Nodes of the density e^(-(x + ε)/2) / 4 between -ε and ε, and the atoms at both ends.

    Of bounded range the density is scaled up, without atoms. Where the atom at ε, or the last 1/α of the density,
    outweighs all that lies lower by more than e^58, the panels start there.
    """
    epsilon, atoms = law.epsilon, isinstance(law, LaplaceLaw)
    top = float(_carried(epsilon, rate))
    with np.errstate(divide="ignore"):
        level = top - (60 + epsilon + np.log(orders)) / orders
        source = np.log1p(np.maximum(np.expm1(np.minimum(level, 400.0)) / rate, -1.0)) + np.maximum(level - 400.0, 0.0)
    low = np.where(orders * top > 100 + 2 * epsilon, np.maximum(source, -epsilon), -epsilon)
    low = np.maximum(low, 0.0) if replaced else low
    steepest = orders * rate * np.exp(epsilon - top)
    which, inner, log_weights = _panels(low, np.full(orders.shape, epsilon), 1 / (steepest / 6 + 1 / 1.5), _GAUSS)
    log_masses = log_weights - (np.log(4) if atoms else np.log(2) + np.log(-np.expm1(-epsilon)))
    ends = np.array(([epsilon] if replaced else [-epsilon, epsilon]) if atoms else [])
    which = np.concatenate([which, np.repeat(np.arange(len(orders)), len(ends))])
    losses = np.concatenate([inner, np.tile(ends, len(orders))])
    log_masses = np.append(log_masses, np.full(len(losses) - len(inner), -np.log(2))) - (losses + epsilon) / 2
    by_order = np.argsort(which, kind="stable")
    return _Nodes(which[by_order], losses[by_order], log_masses[by_order])


def _panels(
    low: np.ndarray, high: np.ndarray, width: np.ndarray | float, rule: tuple
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each order the nodes between its `low` and `high` on panels of equal width: order, node, log weight."""
    count = np.maximum(np.ceil((high - low) / width), 1).astype(int)
    which = np.repeat(np.arange(len(count)), count)
    half = ((high - low) / count / 2)[which]
    middle = low[which] + half * (2 * (np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)) + 1)
    places, weights = rule
    nodes = middle[:, None] + half[:, None] * places
    log_weights = np.log(half)[:, None] + np.log(weights)
    return np.repeat(which, len(places)), nodes.ravel(), log_weights.ravel()
