"""What is known of composed losses without any search: for every composition, both ends in closed form.

The largest losses of some releases have a known mass, and Gaussian noise has its own profile: no answer lies below
them. Pure losses add up, and sampling only helps: no answer need lie above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dpviz.mechanisms.laws.gaussian_profile import (
    composed_mu,
    gaussian_delta,
    gaussian_delta_floor,
    gaussian_epsilon,
    gaussian_epsilon_floor,
)
from dpviz.mechanisms.laws.loss_laws import (
    LARGE_EPSILON,
    LOWEST_LOG,
    BoundedRangeLaw,
    GaussianLaw,
    LaplaceLaw,
    LatticeLaw,
    Law,
    SampledLaw,
    sure,
)
from dpviz.outward import ELEMENTARY, U, lowered, raised, roundings, slack

_SUMS = roundings(1e-13)  # of sums of products, and of the Gaussian closed form
_FORMS = 11 * ELEMENTARY  # of the closed forms below, with room
CLOSED = 1e-12  # more than a closed form of one release in elementary functions ever errs, of 1
_ROOT = 11 * ELEMENTARY  # of the root of a sum of squares, with room
_LOG_DOWN = 1e-11  # of a logarithm of a probability above 1e-330
_VAST = 1e6  # in nats, or of μ
_SMALLEST, _LARGEST = 1e-100, 1e40  # losses whose squares and tilts stay far within doubles
_LARGEST_MU = 1024.0  # of Gaussian noise: its nodes are some 400 μ, and ε is beyond 10⁵


@lru_cache(maxsize=1024)
def _in_reach(law: Law) -> bool:
    """Return whether the engine can hold a law: it has some loss, none near the ends of doubles, and few nodes."""
    if law.leak >= 1 or min(law.top, _noise(law) or np.inf) < _SMALLEST:
        return False
    base = law.base if isinstance(law, SampledLaw) else law
    if _noise(law) > _LARGEST_MU or (isinstance(base, LaplaceLaw | BoundedRangeLaw) and base.epsilon > LARGE_EPSILON):
        return False
    return max(map(abs, law.span(LOWEST_LOG))) <= _LARGEST


def _noise(law: Law) -> float:
    """Return the μ of the Gaussian noise of a law without a largest loss, else 0.

    That noise costs at least as much, or, on whole numbers, its ρ = μ²/2 is one of the law.
    """
    return getattr(law, "base", law).mu if np.isinf(law.top) else 0.0


def all_gaussian(laws: Sequence[Law]) -> bool:
    """Return whether all laws are Gaussian, so that the composition has a closed form."""
    return all(isinstance(law, GaussianLaw) for law in laws)


def in_doubles(laws: Sequence[Law]) -> list[Law]:
    """Return laws that cost no less, with more loss where Gaussian noise has less than the engine can tell from none.

    Such noise is other Gaussian noise with more added, which costs no more; so it is of a sample of the same rate.
    """
    return list(laws) if all_gaussian(laws) else [_in_doubles(law) for law in laws]


def _in_doubles(law: Law) -> Law:
    base = law.base if isinstance(law, SampledLaw) else law
    if not isinstance(base, GaussianLaw) or base.mu >= _SMALLEST:
        return law
    larger = replace(base, mu=_SMALLEST)
    return replace(law, base=larger) if isinstance(law, SampledLaw) else larger


def reach(laws: Sequence[Law], counts: np.ndarray) -> tuple[list[Law], np.ndarray, np.ndarray, np.ndarray]:
    """Return the laws within the engine's reach, their mask, what the others cost, and where that cost is finite.

    The others, far too small or too large for one grid, are paid with their largest loss: pure losses add up.
    """
    within = np.array([_in_reach(law) for law in laws], dtype=bool)
    endless = np.array([np.isinf(law.top) for law in laws], dtype=bool) & ~within
    paid = upper_sum(counts, np.where(within, 0.0, _finite_tops(laws)))
    inner = [law for law, inside in zip(laws, within, strict=True) if inside]
    return inner, within, paid, ~counts[:, endless].any(axis=1)


def log_kept(laws: Sequence[Law]) -> np.ndarray:
    """Return ln (1 - leak) of each law."""
    leaks = np.array([law.leak for law in laws])
    return np.where(leaks < 1, np.log1p(-np.minimum(leaks, 1 - U)), -np.inf)


def one_sided(laws: Sequence[Law]) -> np.ndarray:
    """Return which laws have outputs that only P gives, but none that only Q gives."""
    return np.array([getattr(law, "direction", "") == "remove" and law.leak > 0 for law in laws], dtype=bool)


def weighted(counts: np.ndarray, values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the sums of counts times values; what is not used adds nothing, even if infinite."""
    with np.errstate(over="ignore"):
        return np.where(counts > 0, counts * np.where(counts > 0, np.array(values), 0.0), 0.0).sum(axis=-1)


def upper_sum(counts: np.ndarray, values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the sums of counts times values, rounded up; what is not used adds nothing, even if infinite."""
    return raised(weighted(counts, values), 9 * np.shape(counts)[-1] + 2 * ELEMENTARY)


def leaks(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return how much of P lies where Q has nothing, 1 - prod (1 - delta_i)."""
    return -np.expm1(weighted(counts, log_kept(laws)))


def _finite_tops(laws: Sequence[Law]) -> np.ndarray:
    """Return the largest loss of each law that has one, else 0."""
    return np.array([law.top if np.isfinite(law.top) else 0.0 for law in laws])


def largest_atoms(laws: Sequence[Law], counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return total losses that are reached, and ln of a mass that reaches them, each of shape (points, choices).

    A choice says which releases have their largest loss: none, the surest kind, the two surest, and so on. What the
    others lose is left open; only that it is finite enters the mass.
    """
    sized = [index for index, law in enumerate(laws) if 0 < law.top < np.inf and law.log_top_mass > -np.inf]
    sized = [index for index in sized if laws[index].leak < 1]
    with np.errstate(over="ignore"):
        order = sorted(sized, key=lambda index: np.float64(-laws[index].log_top_mass) / laws[index].top)
        chosen = counts[:, order]
        tops = (chosen * np.array([laws[index].top for index in order])).cumsum(axis=1)
    kept = log_kept(laws)
    more = chosen * np.array([laws[index].log_top_mass - kept[index] for index in order])
    none, finite = np.zeros((len(counts), 1)), weighted(counts, kept)[:, None]
    masses = np.hstack([finite, finite + more.cumsum(axis=1)])
    # Where the others' losses are finite, exp(-their sum) is at most 1 on average under P, or 1 / kept.
    missed = weighted(counts, np.where(one_sided(laws), kept, 0.0))
    return np.maximum(np.hstack([none, tops]) + missed[:, None], 0.0), np.minimum(masses, 0.0)


def vast(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return where losses are so large that both ends may meet and a grid be too coarse for small ones beside them."""
    noise = composed_mu(counts, np.array([_noise(law) for law in laws]))
    return (weighted(counts, _finite_tops(laws)) + noise > _VAST) | (noise > _LARGEST_MU)


def upper_mu(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return at least the μ of all uses of unsampled Gaussian noise."""
    return raised(gaussian_part(laws, counts), _ROOT)


def lower_mu(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return at most the μ of all uses of unsampled Gaussian noise."""
    return lowered(gaussian_part(laws, counts), _ROOT)


def gaussian_part(laws: Sequence[Law], counts: np.ndarray) -> np.ndarray:
    """Return the μ of all uses of unsampled Gaussian noise."""
    return composed_mu(counts, np.array([law.mu if isinstance(law, GaussianLaw) else 0.0 for law in laws]))


def lower_epsilon_limit(laws: Sequence[Law], counts: np.ndarray, log_targets: np.ndarray) -> np.ndarray:
    """Return an epsilon that is surely lost, shape (points,): below it delta is larger than allowed.

    `laws` are of one direction, `counts` has shape (points, laws), and `log_targets`, shape (points,), is ln of the
    part of delta that is left for finite losses, in (-inf, 0).

    Notes
    -----
    Where a total loss t has mass m, delta(x) >= m (1 - exp(x - t)); with Gaussian noise beside it, m delta_G(x - t).
    The noise is left out where losses are moderate: the engine is at home there.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.loss_laws import ResponseLaw
    >>> print(f"{lower_epsilon_limit([ResponseLaw(1e50, 0.0)], np.array([[2]]), np.log([1e-6]))[0]:.3g}")
    2e+50
    """
    tops, masses = largest_atoms(laws, counts)
    wide = vast(laws, counts)
    shares = np.minimum(log_targets[:, None] - masses + _LOG_DOWN, 0.0)  # ln of delta over the mass, rounded up
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(shares < -1, np.log1p(-np.exp(shares)), np.log(-np.expm1(shares)))
        losses = lowered(tops, _SUMS) - raised(-left, _FORMS)
    losses = np.where(shares < 0, losses, -np.inf)
    mu, floor = gaussian_part(laws, counts), losses.max(axis=1)
    rows = np.flatnonzero(wide & (mu > 0))
    for choice in (losses.argmax(axis=1), np.zeros(len(counts), dtype=int)) if len(rows) else ():
        beside = gaussian_epsilon_floor(np.exp(shares[rows, choice[rows]]), mu[rows])
        beside = np.where(beside > 0, lowered(tops[rows, choice[rows]] + beside, _SUMS), 0.0)
        floor[rows] = np.maximum(floor[rows], beside)
    return np.maximum(floor, 0.0)


def upper_epsilon_limit(laws: Sequence[Law], counts: np.ndarray, log_targets: np.ndarray) -> np.ndarray:
    """Return an epsilon that suffices: the largest losses added up, and Gaussian noise for what has none.

    References
    ----------
    Dwork and Roth (2014), Thm 3.16, of the pure losses and the Gaussian pair.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.loss_laws import LaplaceLaw
    >>> print(f"{upper_epsilon_limit([LaplaceLaw(0.5)], np.array([[20]]), np.log([1e-6]))[0]:.6g}")
    10
    """
    mu = raised(composed_mu(counts, np.array([_noise(law) for law in laws])), _ROOT)
    if _whole_noise(laws):
        endless = mu * (mu / 2 + np.sqrt(np.maximum(-2 * log_targets, 0.0)))
    else:
        endless = gaussian_epsilon(np.exp(log_targets), mu)
    return upper_sum(counts, _finite_tops(laws)) + raised(endless, _FORMS)


def summed_up(law: Law) -> bool:
    """Return whether the closed form of one release is a sum over outputs, which rounds up by more than others do."""
    base = getattr(law, "base", law)
    return isinstance(base, LatticeLaw) and bool(np.isinf(base.top))


def _whole_noise(laws: Sequence[Law]) -> bool:
    """Return whether a law without a largest loss is one of noise on whole numbers, which has no Gaussian profile.

    Then ρ = μ²/2 bounds all of these: δ(ε) <= exp(-(ε - ρ)²/4ρ) from ε = ρ on (Bun and Steinke 2016, Prop. 1.3).
    """
    return any(summed_up(law) and np.isinf(law.top) for law in laws)


def lower_delta_limit(tops: np.ndarray, masses: np.ndarray, mu: float, epsilon: np.ndarray) -> np.ndarray:
    """Return at each epsilon in [0, inf) a part of delta that finite losses surely have, see `lower_epsilon_limit`.

    `tops` and `masses` are a point's from `largest_atoms`; `mu` is that of the Gaussian noise beside them, or 0.
    """
    found = np.zeros(len(epsilon))
    for top, mass in zip(tops, masses, strict=True):
        if mass > -750.0 and (mu or top):
            gap = raised(epsilon, _SUMS) - min(lowered(top, _SUMS), 1e308)
            below = gaussian_delta_floor(gap, mu) if mu else -np.expm1(np.minimum(gap, 0.0))
            found = np.maximum(found, np.exp(mass - _LOG_DOWN) * below)
    return found


def upper_delta_limit(laws: Sequence[Law], counts: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """Return a bound on the part of delta of finite losses, at each epsilon in [0, inf) and for `counts` (laws,)."""
    mu = raised(composed_mu(counts, np.array([_noise(law) for law in laws])), _ROOT)
    top = min(float(upper_sum(counts, _finite_tops(laws))), 1e308)
    kept = np.exp(weighted(counts, log_kept(laws)))
    if _whole_noise(laws):
        place = (lowered(epsilon, 7) - top) / mu
        beyond = np.maximum(place - mu / 2 - slack(ELEMENTARY) * (np.abs(place) + mu), 0.0)
        return np.minimum(raised(np.exp(-lowered(beyond * beyond / 2, _FORMS)) * kept, _FORMS), 1.0)
    return np.minimum(raised(gaussian_delta(lowered(epsilon, 7) - top, mu) * kept, _FORMS), 1.0)


def own_laws(laws: Sequence[Law], counts: np.ndarray) -> tuple[list[Law], np.ndarray]:
    """Return laws that are never worse than the mechanisms' own, and their counts: what only stands in is left out."""
    own = [sure(law) for law in laws]
    kept = [index for index, law in enumerate(own) if law is not None]
    return [own[index] for index in kept], counts[..., kept]


def merged(laws: Sequence[Law], counts: np.ndarray) -> tuple[list[Law], np.ndarray]:
    """Return distinct laws, and the counts of each."""
    places: dict[Law, int] = {}
    columns = [places.setdefault(law, len(places)) for law in laws]
    if len(places) == len(laws):
        return list(laws), counts
    totals = np.zeros((len(counts), len(places)), dtype=np.int64)
    np.add.at(totals, (slice(None), columns), counts)
    return list(places), totals
