"""What a mechanism tells when several copies of a record change at once: group privacy of its whole profile."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.gaussian import Gaussian
from dpviz.mechanisms.gaussian_profile import gaussian_delta
from dpviz.mechanisms.laplace import Laplace
from dpviz.mechanisms.mechanism import FINITE_EPSILON, Mechanism

_UP = 1 + 4e-15  # outward rounding of half a dozen double operations


def group_delta(mechanism: Mechanism, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Return δ(ε) when `copies` records change together, rounded up.

    Parameters
    ----------
    mechanism : Mechanism
    copies : ndarray of int
        Each at least 1.
    epsilon : float
        In [0, inf).

    Returns
    -------
    ndarray of float, shape of `copies`
        Laplace and Gaussian noise: exact for an answer that moves by the sensitivity with every copy. All others: the
        smaller of what their stated pair and what their profile give.

    Notes
    -----
    Neighbour relation: the mechanism's, `copies` steps apart.

    References
    ----------
    Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2; Kairouz, Oh & Viswanath (2015), Thm 3.3.

    Examples
    --------
    >>> group_delta(Laplace(1.0), np.array([1, 2]), 1.0).round(6)
    array([0.      , 0.393469])
    """
    copies, epsilon = np.asarray(copies, dtype=float), FINITE_EPSILON.check(epsilon)
    match mechanism:
        case Laplace():
            return _laplace(_multiples(mechanism.stated.epsilon, copies), epsilon)
        case Gaussian():
            return gaussian_delta(epsilon, _multiples(mechanism.mu, copies))
    along = _along_the_profile(mechanism, copies, epsilon)
    stated = mechanism.stated
    return along if stated is None else np.minimum(along, _of_the_pair(stated, copies, epsilon))


def _multiples(value: float, copies: np.ndarray) -> np.ndarray:
    """Multiples rounded up; one copy is exact."""
    return value * copies * np.where(copies > 1, 1 + 4e-16, 1.0)


def _laplace(limits: np.ndarray, epsilon: float) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.minimum(1.0, np.abs(np.expm1(np.minimum(epsilon - limits, 0.0) / 2)) * _UP)


def _of_the_pair(stated: Guarantee, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """Leaky randomized response of the group's pair, the worst mechanism that meets it."""
    limits = _multiples(stated.epsilon, copies)
    with np.errstate(under="ignore", over="ignore"):
        inside = -np.expm1(np.minimum(epsilon - limits, 0.0)) * expit(limits) * _UP
        steps = copies if stated.epsilon == 0 else np.expm1(limits) / math.expm1(min(stated.epsilon, 700.0))
    leak = np.minimum(1.0, stated.delta * steps * _UP) if stated.delta else np.zeros_like(copies)
    return np.minimum(1.0, leak + (1 - leak) * inside)


def _along_the_profile(mechanism: Mechanism, copies: np.ndarray, epsilon: float) -> np.ndarray:
    """δ(ε/j) (1 + e^(ε/j) + ... + e^((j-1)ε/j)): j neighbours in a row, each an ε/j further."""
    each = epsilon / copies
    deltas = np.asarray(mechanism.delta(each), dtype=float)
    with np.errstate(divide="ignore", under="ignore"):
        if epsilon == 0:
            logs = np.log(copies)
        else:
            logs = epsilon - each + np.log(-np.expm1(-epsilon)) - np.log(-np.expm1(-each))
        return np.exp(np.minimum(0.0, np.log(deltas) + logs * _UP + 4e-15))
