"""Random allocation: of t steps every record is in one that nobody learns; two sides of its privacy loss on a lattice.

Removing the record compares P, the mean of the t laws N(e_i, σ²I), with Q = N(0, σ²I): dP/dQ is the mean of t
independent lognormals X = exp(μz − μ²/2), z standard normal, μ = 1/σ. Both profiles are means over Q of convex
functions of that ratio S: E(S − e^ε)₊ for removing, E(1 − e^ε S)₊ for adding. Whatever moves each X, or each partial
sum, apart without changing its mean raises both, alone and in compositions; whatever draws outputs together lowers
both. So sums are kept on geometric lattices, and a sum between two points is shared among them (above), or all that is
nearest to a point is taken as one output (below). All terms are positive: nothing cancels, and every mass is right up
to a small share. docs/explanation/training.md has the proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dpviz.mechanisms.laws.loss_laws import GaussianLaw
from dpviz.mechanisms.laws.loss_lists import ListedLaw
from dpviz.outward import U
from dpviz.parameters import Parameter

FINEST = 0.02  # step of a lattice over the deviation of the sum: each addition adds its square over six to the variance
MOST_STEPS = 1_000_000  # of an epoch: errors of doubles add up over them
LARGEST_MU = 8.0  # of noise: with less of it, hiding the batch of a record buys next to nothing
LEAST_MU = 1e-4  # of noise: with more of it next to nothing is lost, and no lattice tells it from nothing
STEPS = Parameter("steps", "t", "batches of an epoch", 1, MOST_STEPS, integer=True)
MU = Parameter("mu", "μ", "clipping norm over the deviation of the noise", 0, LARGEST_MU, open_low=True)
WIDTH = Parameter("width", "", "step of a lattice over a deviation", 0, 1, open_low=True)
_TINY = 1e-300  # less mass than that is counted as cut
_FLOOR = -46.0  # ln of the mass that may be cut from one tail of one step's loss


@dataclass(frozen=True, eq=False)
class _Sum:
    """The sum of some X on the points exp(step·k), under Q; P is the law of it in a step chosen at random.

    Parameters
    ----------
    terms : int
    step : float
    first : int
        Index of the smallest point.
    masses : ndarray of float
        Of Q.
    means : ndarray of float or None
        E[sum; output] of each output below; None above, where the sum is the point.
    cut_p, cut_q : float
        Bounds on the mass of P and Q that is not there.
    error : float
        By which share masses may be off, of P and Q alike.
    """

    terms: int
    step: float
    first: int
    masses: np.ndarray
    means: np.ndarray | None
    cut_p: float
    cut_q: float
    error: float

    @property
    def points(self) -> np.ndarray:
        """Logarithms of the points."""
        return self.step * (self.first + np.arange(len(self.masses)))

    @property
    def end(self) -> int:
        """Index behind the last point."""
        return self.first + len(self.masses)


def allocation_laws(steps: int, mu: float, width: float = FINEST, above: bool = True) -> tuple[ListedLaw, ListedLaw]:
    """Return the laws of (remove, add) of one epoch in which each record is in one of `steps`, chosen uniformly.

    Parameters
    ----------
    steps : int
        In [1, 1_000_000].
    mu : float
        Clipping norm over the standard deviation of the noise, in (0, 8].
    width : float
        Step of the lattices, as a share of the deviation of the sums, in (0, 1].
    above : bool
        Whether the laws are never below the truth, or never above it.

    Notes
    -----
    Masses that were cut count as a loss of infinity in laws above, and are in neither data set of laws below.

    References
    ----------
    Chua et al. (2024), Balls-and-Bins Sampling for DP-SGD (arXiv 2412.16802), and Feldman and Shenfeld (2025), Privacy
    Amplification by Random Allocation (arXiv 2502.08202), that this pair dominates; the bound here is the module's own.

    Examples
    --------
    >>> remove, add = allocation_laws(100, 1.0)
    >>> import numpy as np
    >>> bool(abs(np.exp(remove.log_masses).sum() - 1) < 1e-9), bool(abs(np.exp(add.log_masses).sum() - 1) < 1e-9)
    (True, True)
    """
    return _laws(STEPS.check(steps), MU.check(mu), WIDTH.check(width), bool(above))


@lru_cache(maxsize=64)
def _laws(steps: int, mu: float, width: float, above: bool) -> tuple[ListedLaw, ListedLaw]:
    total = _summed(steps, mu, width, above)
    held = total.masses > _TINY
    log_q, count = np.log(total.masses[held]), math.log(steps)
    ratio = (total.points[held] if above else np.log(total.means[held]) - log_q) - count
    loss_error = 16 * U * (4 + total.terms.bit_length() + float(np.abs(ratio).max()) + count) + 2 * total.error
    lost = _TINY * len(held) if above else 0.0
    common = {"mu": mu, "mass_error": total.error + 16 * U, "loss_error": loss_error, "stands_in": above}
    remove = ListedLaw(ratio, log_q + ratio, cut=total.cut_p + lost, **common)
    add = ListedLaw(-ratio[::-1], log_q[::-1], cut=total.cut_q + lost, **common)
    return remove, add


def _summed(steps: int, mu: float, width: float, above: bool) -> _Sum:
    """Return the sum of `steps` X, from those of its two halves, and so on: no more than two sums at each depth."""
    known = {1: _single(mu, _width(1, mu, width), above)}

    def sum_of(terms: int) -> _Sum:
        if terms not in known:
            half = terms // 2
            known[terms] = _added(sum_of(half), sum_of(terms - half), _width(terms, mu, width))
        return known[terms]

    return sum_of(steps)


def _width(terms: int, mu: float, width: float) -> float:
    """Return the step for a sum: at most that share of its deviation over its root mean square.

    It is that of X itself, halved some times, so that coarser points are points of all finer lattices.
    """
    widest, wanted = (width * math.sqrt(each / (1 + each)) for each in (_spread(mu), _spread(mu) / terms))
    return widest / 2 ** math.ceil(math.log2(widest / wanted))


def _spread(mu: float) -> float:
    """Return the variance of X."""
    return math.expm1(mu * mu)


def _single(mu: float, step: float, above: bool) -> _Sum:
    """Return X itself: the nodes of the Gaussian loss, shared between neighbouring points or grouped at the nearest."""
    law = GaussianLaw(mu, both=True)
    low, high = law.span(_FLOOR)
    edges = step * (np.arange(math.floor(low / step) - 1, math.floor(high / step) + 3) + (0.0 if above else 0.5))
    atoms = law.atoms(edges, _FLOOR)
    masses = np.exp(atoms.log_masses - atoms.losses)
    error = float((atoms.mass_error + atoms.loss_error).max()) + 8 * U * (8 + 2 * float(np.abs(atoms.losses).max()))
    if not above:
        cell = np.rint(atoms.losses / step).astype(np.int64)
        first, size = int(cell.min()), int(cell.max() - cell.min()) + 1
        cells = [np.bincount(cell - first, each, size) for each in (masses, np.exp(atoms.log_masses))]
        return _Sum(1, step, first, *cells, 0.0, 0.0, error + _sums(cell))
    cell = np.floor(atoms.losses / step).astype(np.int64)
    rest = np.clip(atoms.losses - cell * step, 0.0, step)
    first, size = int(cell.min()), int(cell.max() - cell.min()) + 2
    up, down = _shares(rest, step)
    joined = np.bincount(cell - first, masses * down, size) + np.bincount(cell - first + 1, masses * up, size)
    cut = 2 * atoms.cut
    return _Sum(1, step, first, joined, None, cut, cut, error + _sums(cell))


def _sums(cell: np.ndarray) -> float:
    """Return by which share sums of positive terms are off, with the shares that they were multiplied by."""
    return 2 * U * (24 + float(np.bincount(cell - cell.min()).max()))


def _shares(rest: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which share of what lies `rest` above a point goes to the point above, and to it: the mean is kept."""
    whole = math.expm1(step)
    return np.expm1(rest) / whole, np.exp(rest) * np.expm1(step - rest) / whole


def _added(one: _Sum, other: _Sum, step: float) -> _Sum:
    """Return the sum of two independent sums, on points of the given step, at most theirs."""
    double = one is other
    one = _refined(one, step)
    other = one if double else _refined(other, step)
    low, high = (max(ends) for ends in zip((one.first, one.end), (other.first, other.end), strict=True))
    nearest = max(one.first - other.end, other.first - one.end, 0)
    least, most = (_rise(gap, step) for gap in (max(one.end - other.first, other.end - one.first), nearest))
    masses = np.zeros(high - low + most - least + 4)
    means = None if one.means is None else np.zeros(len(masses))
    combined = _Sum(one.terms + other.terms, step, low + least, masses, means, *_losses(one, other))
    if double:
        _pair(one, one, combined, 1, 2.0)
        _level(one, combined)
    else:
        _pair(one, other, combined, 0, 1.0)
        _pair(other, one, combined, 1, 1.0)
    return _trimmed(combined)


def _rise(gap: int, step: float) -> int:
    """Return about how many points above its larger term a sum lies, of terms `gap` points apart: one less at most."""
    return 0 if gap >= _far_apart(step) else max(math.floor(math.log1p(math.exp(-gap * step)) / step) - 1, 0)


def _far_apart(step: float) -> int:
    """Return from how many points on two terms add up to less than half a point more than the larger one."""
    return math.ceil(math.log(2 / math.expm1(step)) / step) if step < 0.5 else 2


def _losses(one: _Sum, other: _Sum) -> tuple[float, float, float]:
    """Return what is cut of P and of Q in the sum of two, and by which share its masses may be off."""
    kept = (one.terms * one.cut_p + other.terms * other.cut_p) / (one.terms + other.terms)
    error = one.error + other.error + 2 * U * (64 + 2 * len(one.masses) + 2 * len(other.masses))
    return kept + one.cut_q + other.cut_q, one.cut_q + other.cut_q, error


def _refined(total: _Sum, step: float) -> _Sum:
    """Return a sum on the points of a lattice some times as fine: where it is, or each output at its nearest one."""
    times = round(total.step / step)
    if times == 1:
        return total
    if total.means is None:
        masses = np.zeros((len(total.masses) - 1) * times + 1)
        masses[::times] = total.masses
        return replace(total, step=step, first=total.first * times, masses=masses)
    held = total.masses > 0
    masses, means = total.masses[held], total.means[held]
    cell = np.rint(np.log(means / masses) / step).astype(np.int64)
    first, size = int(cell.min()), int(cell.max() - cell.min()) + 1
    joined = (np.bincount(cell - first, each, size) for each in (masses, means))
    grouped = replace(total, step=step, first=first, error=total.error + _sums(cell))
    return replace(grouped, **dict(zip(("masses", "means"), joined, strict=True)))


def _pair(one: _Sum, other: _Sum, total: _Sum, start: int, times: float) -> None:
    """Add to `total`, so many times, what two outputs give, that of `one` at least `start` points above the other's.

    Two points d apart add up to the larger one times 1 + exp(-d step): by as many points above it for all such pairs.
    All d with as many are one convolution of what lies below, weighted; its terms are positive, too.
    """
    far = _far_apart(one.step)
    nearest, last = max(start, one.first - other.end + 1), min(far, one.end - other.first)
    gaps = np.arange(nearest, max(last, nearest))
    rises = np.log1p(np.exp(-gaps * one.step))
    whole = (np.floor if total.means is None else np.rint)(rises / one.step)
    up, down = (times * share for share in _shares(np.clip(rises - whole * one.step, 0.0, one.step), one.step))
    turns = [0, *(np.flatnonzero(np.diff(whole)) + 1).tolist(), len(gaps)] if len(gaps) else []
    for start, end in pairwise(turns):
        run, gap, more = slice(start, end), nearest + start, int(whole[start])
        low, high = max(one.first, other.first + gap), min(one.end, other.end + nearest + end - 1)
        upper = slice(low - one.first, high - one.first)
        lower = slice(low - gap - other.first, high - gap - other.first)
        own, at, until = one.masses[upper], low - total.first + more, high - total.first + more
        if total.means is None:
            total.masses[at:until] += own * np.convolve(other.masses, down[run])[lower]
            total.masses[at + 1 : until + 1] += own * np.convolve(other.masses, up[run])[lower]
        else:
            even = np.full(end - start, times)
            heard, mean = (np.convolve(each, even)[lower] for each in (other.masses, other.means))
            total.masses[at:until] += own * heard
            total.means[at:until] += one.means[upper] * heard + own * mean
    _far(one, other, total, max(far, nearest), times)


def _level(one: _Sum, total: _Sum) -> None:
    """Add what pairs of equal outputs of one sum give: twice that output."""
    rise, at = math.log(2), one.first - total.first
    if total.means is not None:
        places = slice(at + round(rise / one.step), at + round(rise / one.step) + len(one.masses))
        total.masses[places] += one.masses * one.masses
        total.means[places] += 2 * one.masses * one.means
        return
    whole = math.floor(rise / one.step)
    up, down = _shares(np.clip(rise - whole * one.step, 0.0, one.step), one.step)
    places = slice(at + whole, at + whole + len(one.masses))
    total.masses[places] += one.masses * one.masses * down
    total.masses[places.start + 1 : places.stop + 1] += one.masses * one.masses * up


def _far(one: _Sum, other: _Sum, total: _Sum, gap: int, times: float) -> None:
    """Add what pairs at least `gap` points apart give: less than half a point more than the larger one."""
    low = max(one.first, other.first + gap)
    if low >= one.end:
        return
    own = times * one.masses[low - one.first :]
    last = np.minimum(np.arange(low, one.end) - gap, other.end - 1) - other.first
    at = slice(low - total.first, one.end - total.first)
    heard = np.cumsum(other.masses)[last]
    if total.means is not None:
        total.masses[at] += own * heard
        mean = times * one.means[low - one.first :] * heard + own * np.cumsum(other.means)[last]
        total.means[at] += mean
        return
    weighed = np.cumsum(other.masses * np.exp(other.points))[last]
    share = weighed * np.exp(-one.points[low - one.first :]) / math.expm1(one.step)
    total.masses[at] += own * (heard - share)
    total.masses[at.start + 1 : at.stop + 1] += own * share


def _trimmed(total: _Sum) -> _Sum:
    """Return a sum without the points at either end that have next to nothing of P and of Q."""
    floor = math.exp(_FLOOR)
    masses = total.masses
    shares = masses * np.exp(total.points) / total.terms if total.means is None else total.means / total.terms
    larger = np.maximum(masses, shares)
    low = int(np.searchsorted(np.cumsum(larger), floor))
    high = len(larger) - int(np.searchsorted(np.cumsum(larger[::-1]), floor))
    kept = slice(low, max(high, low + 1))
    means = None if total.means is None else total.means[kept]
    cuts = {"cut_p": total.cut_p + 2.01 * floor, "cut_q": total.cut_q + 2.01 * floor}
    return replace(total, first=total.first + low, masses=masses[kept], means=means, **cuts)
