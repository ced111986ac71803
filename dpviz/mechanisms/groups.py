"""What a mechanism tells when several copies of a record change at once: group privacy of its whole profile."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.gaussian_profile import gaussian_delta
from dpviz.mechanisms.mechanism import FINITE_EPSILON

_UP = 1 + 4e-15  # outward rounding of half a dozen double operations


def laplace_group(limit: float, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Return δ(ε) of Laplace noise with pure ε `limit`: exact for an answer that moves by Δ with every copy.

    Examples
    --------
    >>> laplace_group(1.0, np.array([1, 2]), 1.0).round(6)
    array([0.      , 0.393469])
    """
    copies, epsilon = _checked(copies, epsilon)
    with np.errstate(under="ignore"):
        return np.minimum(1.0, np.abs(np.expm1(np.minimum(epsilon - _multiples(limit, copies), 0.0) / 2)) * _UP)


def gaussian_group(mu: float, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Return δ(ε) of Gaussian noise: exact for an answer that moves by Δ with every copy."""
    copies, epsilon = _checked(copies, epsilon)
    return gaussian_delta(epsilon, _multiples(mu, copies))


def group_bound(profile: Callable, stated: Guarantee | None, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Return the smaller δ(ε) of what the stated pair and what the profile give.

    References
    ----------
    Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2; Kairouz, Oh & Viswanath (2015), Thm 3.3.
    """
    copies, epsilon = _checked(copies, epsilon)
    along = _along_the_profile(profile, copies, epsilon)
    return along if stated is None else np.minimum(along, _of_the_pair(stated, copies, epsilon))


def _checked(copies: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    return np.asarray(copies, dtype=float), FINITE_EPSILON.check(epsilon)


def _multiples(value: float, copies: np.ndarray) -> np.ndarray:
    """Multiples rounded up; one copy is exact."""
    return value * copies * np.where(copies > 1, 1 + 4e-16, 1.0)


def _of_the_pair(stated: Guarantee, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Leaky randomized response of the group's pair, the worst mechanism that meets it."""
    limits = _multiples(stated.epsilon, copies)
    with np.errstate(under="ignore", over="ignore"):
        inside = -np.expm1(np.minimum(epsilon - limits, 0.0)) * expit(limits) * _UP
        steps = copies if stated.epsilon == 0 else np.expm1(limits) / math.expm1(min(stated.epsilon, 700.0))
    leak = np.minimum(1.0, stated.delta * steps * _UP) if stated.delta else np.zeros_like(copies)
    return np.minimum(1.0, leak + (1 - leak) * inside)


def _along_the_profile(profile: Callable, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """δ(ε/j) (1 + e^(ε/j) + ... + e^((j-1)ε/j)): j neighbours in a row, each an ε/j further."""
    each = epsilon / copies
    deltas = np.asarray(profile(each), dtype=float)
    with np.errstate(divide="ignore", under="ignore"):
        if epsilon == 0:
            logs = np.log(copies)
        else:
            logs = epsilon - each + np.log(-np.expm1(-epsilon)) - np.log(-np.expm1(-each))
        return np.exp(np.minimum(0.0, np.log(deltas) + logs * _UP + 4e-15))
