"""What several records of one unit lose together, where no noise says it: the least that is proved, point by point."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING

import numpy as np
from scipy.special import expit

from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.mechanism import Mechanism, in_digits
from dpviz.outward import raised, roundings, slack

_ROUNDED = roundings(1e-11)  # above what `in_digits` takes for noise of doubles
_TRIED, _KEPT, _SHARP = 4000, 240, 50  # places at which the bounds are compared, points that stay, and kinks
_NEAREST, _FARTHEST, _LEAST = 1e-3, 1e15, 1e-290  # shares of a typical loss, nats, and δ, between which they lie
Profile = Callable[[np.ndarray], np.ndarray]


def group_points(
    mechanism: Mechanism, copies: int, further: Profile | None = None
) -> tuple[list[float], list[float]]:
    """Return points (ε, δ) that hold when `copies` records change together, for `Declared.profile`.

    Parameters
    ----------
    mechanism : Mechanism
        What its profile and its stated pair say of one record is used.
    copies : int
        At least 2.
    further : callable, optional
        Another bound on δ(ε) of the group.

    Notes
    -----
    At each ε the least of three bounds: of j neighbours in a row, each ε/j further, δ(ε/j)(1 + e^(ε/j) + ...); of the
    worst mechanism that meets the group's pair, randomized response that leaks; and the further one. A minimum of
    profiles of one pair of distributions bounds its profile, and so do the chords between its points in e^ε.

    References
    ----------
    Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2; Kairouz, Oh & Viswanath (2015), Thm 3.3.

    Examples
    --------
    >>> from dpviz.mechanisms import NameAndShame
    >>> group_points(NameAndShame(0.01), 3)
    ([0.0], [0.0300001])
    """
    stated = mechanism.stated
    known = [bound for bound in (further, _of_the_pair(stated, copies) if stated else None) if bound]

    def least(epsilon: np.ndarray) -> np.ndarray:
        deltas = np.min([_along(mechanism.delta, copies, epsilon), *(bound(epsilon) for bound in known)], axis=0)
        return np.minimum.accumulate(np.clip(deltas, 0.0, 1.0))

    pure = rounded_up(typed(stated.epsilon) * copies) if stated and not stated.delta else math.inf
    if pure == 0:
        return [0.0], [0.0]
    kinks = [copies * loss for law in mechanism.laws() for loss in law.true_losses()]
    places, points = _places(least, pure, kinks), [(pure, 0.0)] * (pure < math.inf)
    for place, delta in zip(places.tolist(), least(places).tolist(), strict=True):
        if delta > 0:
            points.append((place, min(1.0, in_digits(raised(delta, _ROUNDED), ROUND_CEILING))))
    first = {delta: place for place, delta in sorted(points, reverse=True)}
    return list(first.values())[::-1], list(first)[::-1]


def _places(least: Profile, pure: float, kinks: list[float]) -> np.ndarray:
    """Where the points lie: evenly in ln ε, δ and the root of -ln δ together, in six digits, and at kinks, if few."""
    typical = max(float(least(np.zeros(1))[0]), 1e-200)
    last = pure if pure < math.inf else _last(least, typical)
    tried = np.geomspace(min(typical, last) * _NEAREST, last, _TRIED)
    deltas = np.maximum(least(tried), _LEAST)
    way = np.linspace(0, 1, _TRIED)
    for falling in (-deltas, np.sqrt(-np.log(deltas))):
        way = way + (falling - falling[0]) / max(falling[-1] - falling[0], 1e-9)
    chosen = np.unique(np.searchsorted(way, np.linspace(0, way[-1], _KEPT)).clip(0, _TRIED - 1))
    sharp = [kink for kink in kinks if 0 < kink < math.inf and len(kinks) <= _SHARP]
    places = np.unique([0.0, *(float(f"{place:.6g}") for place in tried[chosen].tolist()), *sharp])
    return places[places < pure]


def _last(least: Profile, place: float) -> float:
    """An ε beyond which the bound falls no more, or has nothing left to lose."""
    doubled = np.geomspace(place, _FARTHEST, math.ceil(math.log2(_FARTHEST / place)) + 1)
    deltas = least(doubled)
    falls = (deltas[1:] < deltas[:-1]) & (deltas[:-1] > _LEAST)
    return float(doubled[1:][falls].max(initial=doubled[1]))


def _of_the_pair(stated: Guarantee, copies: int) -> Profile:
    """Leaky randomized response of the group's pair, the worst mechanism that meets it."""
    limit = raised(stated.epsilon * copies, 34)
    with np.errstate(over="ignore"):
        steps = copies if stated.epsilon == 0 else np.expm1(limit) / math.expm1(min(stated.epsilon, 700.0))
    leak = min(1.0, raised(stated.delta * steps, 34)) if stated.delta else 0.0
    return lambda epsilon: leak + (1 - leak) * raised(-np.expm1(np.minimum(epsilon - limit, 0.0)) * expit(limit), 34)


def _along(profile: Profile, copies: int, epsilon: np.ndarray) -> np.ndarray:
    """δ(ε/j) (1 + e^(ε/j) + ... + e^((j-1)ε/j)): j neighbours in a row, each an ε/j further."""
    each = epsilon / copies
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        steps = epsilon - each + np.log(-np.expm1(-epsilon)) - np.log(-np.expm1(-each))
        logs = np.where(each > 0, steps, math.log(copies))
        return np.exp(np.minimum(0.0, np.log(profile(each)) + raised(logs, 34) + slack(35)))
