"""One number for the whole curve: the μ of one Gaussian noise that protects no better, and how well it describes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz.outward import raised, roundings
from dpviz.privacy_loss.loss import PrivacyLoss

_RAREST = 1e-10  # error rates below which no attack is looked at, where losses have no end
_FARTHEST = -np.log(_RAREST)  # at an error rate of `_RAREST` no line of the trade-off is steeper than its inverse
_POINTS, _ROUNDS = 400, 4
_DENSE = 4_000  # points of the curve at which the regret is sought
_BISECTIONS = 48
_FEW = roundings(1e-11)  # of two quantiles of the normal distribution and their sum


@dataclass(frozen=True, slots=True)
class GaussianFit:
    """How a composed plan compares with telling N(0, 1) from N(μ, 1).

    Parameters
    ----------
    mu : float or None
        The smallest μ with which one Gaussian noise protects no better at any error rates, rounded up; None where any
        attack may succeed.
    regret : float or None
        By how much μ overstates the attacker, in [0, 1/2]: whatever error rates that Gaussian noise allows, some attack
        on the plan has rates that are larger by no more than this; 0 where the plan is that noise. None with `mu`.
    rarest : float
        The error rates, both, from which on this is proved: 0 for all attacks, else 10⁻¹⁰.
    """

    mu: float | None
    regret: float | None
    rarest: float = 0.0


def gaussian_fit(loss: PrivacyLoss) -> GaussianFit:
    """Return the μ of Gaussian differential privacy that a composed plan has, and its regret.

    Parameters
    ----------
    loss : PrivacyLoss
        Of releases that are fixed in advance, under its relation.

    Notes
    -----
    The trade-off is bounded from below by lines at some ε, of δ(ε) as the engine rounds it up. Between the corners of
    such a curve it is straight, where that of a Gaussian noise is convex, so what holds at the corners holds between
    them: μ is the largest Φ⁻¹(1 - α) - Φ⁻¹(β) of a corner (α, β), proved whichever ε were taken, and more of them only
    make it smaller. Where losses have no end, or one beyond ln 10¹⁰, corners with rates below 10⁻¹⁰ are left out, which
    `rarest` says. The regret is the least Δ with f(α + Δ) - Δ <= G_μ(α) for all α, sought at some thousand points.

    References
    ----------
    Gomez et al. (2025), arXiv 2503.10945 (μ and regret for reporting); Dong, Roth & Su (2022), Def. 2.6 and Prop. 2.12;
    Kaissis et al. (2024), arXiv 2406.08918 (the Δ-divergence).

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, RandomizedResponse
    >>> fit = gaussian_fit(PrivacyLoss([Gaussian(2, 1)], [[4]]))
    >>> print(f"{fit.mu:.6f} {fit.regret:.5f} {fit.rarest}")
    1.000000 0.00000 0.0
    >>> fit = gaussian_fit(PrivacyLoss([RandomizedResponse(1.0)], [[1]]))
    >>> print(f"{fit.mu:.4f} {fit.regret:.4f}")
    1.2320 0.0575
    """
    alone, top = _of_gaussians(loss), float(loss.epsilon(0.0))
    if alone is not None or top == 0:
        return GaussianFit(alone or 0.0, 0.0)
    ends = top <= _FARTHEST
    alpha, beta = _corners(loss, top if ends else float(_FARTHEST), ends)
    if not len(alpha):
        return GaussianFit(None, None)
    mu = float(_mu(alpha, beta).max())
    return GaussianFit(mu, _regret(alpha, beta, mu), 0.0 if ends else _RAREST)


def _of_gaussians(loss: PrivacyLoss) -> float | None:
    """μ where there are Gaussian noises alone, whose squares add up; None elsewhere."""
    mus = np.array([np.nan if each.mu is None else each.mu for each in loss.mechanisms])
    if not len(mus) or np.isnan(mus).any():
        return None
    return float(raised(np.sqrt((loss.counts * mus**2).sum(axis=1).max()), 8 + 2 * len(mus)))


def _corners(loss: PrivacyLoss, far: float, ends: bool) -> tuple[np.ndarray, np.ndarray]:
    """Corners (α, β) of a curve below the trade-off, α falling from the diagonal on; none where it is about 0."""
    epsilon = np.unique(np.concatenate([np.linspace(0.0, far, _POINTS), np.geomspace(1e-4, 1.0, _POINTS // 4) * far]))
    for _ in range(_ROUNDS):
        lines = _hull(epsilon, np.asarray(loss.delta(epsilon), dtype=float))
        alpha, beta = _met(*lines, ends)
        if not len(alpha):
            break
        place = int(_mu(alpha, beta).argmax())
        near = np.log(lines[0][max(place - 1, 0) : place + 3])
        epsilon = np.unique(np.concatenate([epsilon, np.linspace(near[0], near[-1], 40)]))
    return alpha, beta


def _hull(epsilon: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points (e^ε, δ) on the lower hull: δ is convex in e^ε, so what lies above a chord says less than it."""
    kept: list[tuple[float, float]] = []
    for point in zip(np.exp(epsilon).tolist(), delta.tolist(), strict=True):
        while len(kept) > 1 and _above(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    slopes, deltas = np.array(kept).T
    return slopes, deltas


def _above(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    return (middle[1] - left[1]) * (right[0] - left[0]) >= (right[1] - left[1]) * (middle[0] - left[0])


def _met(slopes: np.ndarray, deltas: np.ndarray, ends: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where neighbouring lines 1 - δ - e^ε α meet; where losses go on, the last corner stands at the rarest rate."""
    alpha = (deltas[:-1] - deltas[1:]) / (slopes[1:] - slopes[:-1])
    kept = 1 - deltas[:-1]
    beta = kept - slopes[:-1] * alpha
    if not len(alpha) or ends:
        return _lossy(alpha, beta)
    alpha, beta = alpha[alpha >= _RAREST], beta[alpha >= _RAREST]
    lowest = float((1 - deltas - slopes * _RAREST).max())
    return _lossy(np.append(alpha, _RAREST), np.append(beta, lowest))


def _lossy(alpha: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those that are no guess."""
    told = (alpha > 0) & (beta > 0) & (alpha + beta < 1)
    return alpha[told], beta[told]


def _mu(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """The μ of the Gaussian noise whose trade-off passes through each point, rounded up."""
    return raised(-ndtri(alpha) - ndtri(beta), _FEW)


def _regret(alpha: np.ndarray, beta: np.ndarray, mu: float) -> float:
    """The largest way along the diagonal from the curve down to that of the Gaussian noise."""
    x, y = np.concatenate([[0.0], alpha[::-1]]), np.concatenate([[1.0], beta[::-1]])
    middle = (x[-1] + y[-1]) / 2  # the last line has slope -1 and meets its mirror image there
    x, y = np.append(x, middle), np.append(y, middle)
    rates = np.unique(np.concatenate([x, np.linspace(0.0, middle, _DENSE), np.geomspace(_RAREST, 1.0, 500) * middle]))
    height = np.interp(rates, x, y)
    low, high = np.zeros(len(rates)), np.minimum(rates, height)
    for _ in range(_BISECTIONS):
        way = (low + high) / 2
        above = height - way > ndtr(-ndtri(np.maximum(rates - way, 0.0)) - mu)
        low, high = np.where(above, way, low), np.where(above, high, way)
    return float(high.max(initial=0.0))
