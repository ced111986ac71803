"""The largest privacy loss of many releases: how large, how rare, and what a δ buys by ignoring it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpviz.composition import epsilon_curve
from dpviz.decimals import rounded_up, typed
from dpviz.mechanisms import Laplace, Mechanism
from dpviz.parameters import COUNT, SENSITIVITY

if TYPE_CHECKING:
    import pandas


def has_largest(mechanism: Mechanism) -> bool:
    """Say whether its largest loss is finite, and of known probability: of a black box only a bound is known.

    Examples
    --------
    >>> has_largest(Laplace(1.0))
    True
    """
    return bool(mechanism.leak is None and mechanism.loss is not None and mechanism.loss.log_top_mass > -math.inf)


def log10_probability(mechanism: Mechanism, count: int) -> float:
    """Return log10 of the probability that `count` releases all lose their most.

    Parameters
    ----------
    mechanism : Mechanism
        One that `has_largest`.
    count : int

    Raises
    ------
    ValueError
        For a mechanism without a largest finite loss.

    Notes
    -----
    Under M(x), x the data set that the outputs favour. Laplace noise: all noises on one side, 2^-k.

    References
    ----------
    Steinke, "Composition", section "Is Basic Composition Optimal?".

    Examples
    --------
    >>> round(log10_probability(Laplace(1.0), 20), 4)
    -6.0206
    """
    count = COUNT.check(count)
    if not has_largest(mechanism):
        raise ValueError(f"mechanism must be Laplace or another with a largest loss; got {mechanism}")
    return float(count * mechanism.loss.log_top_mass / math.log(10))


def largest_losses(mechanism: Mechanism, counts: Sequence[int], delta: float) -> pandas.DataFrame:
    """Compute the largest loss of k releases, how rare it is, and ε once δ may ignore the rare.

    Parameters
    ----------
    mechanism : Mechanism
    counts : sequence of int
        Values of k.
    delta : float
        In [0, 1).

    Returns
    -------
    pandas.DataFrame
        One row per k with columns count, largest (k ε, nats), log10_probability (of that loss), epsilon (tight at δ,
        rounded up), delta.
    """
    import pandas

    counts = list(counts)
    chances = [log10_probability(mechanism, count) for count in counts]
    each = typed(mechanism.stated.epsilon)
    curve = epsilon_curve(mechanism, counts, delta, ["basic", "pld"], accuracy=1e-6).pivot(
        index="count", columns="theorem", values="epsilon"
    )
    return pandas.DataFrame(
        {
            "count": counts,
            "largest": [rounded_up(each * count) for count in counts],
            "log10_probability": chances,
            "epsilon": curve.min(axis=1).loc[counts].to_numpy(),
            "delta": delta,
        }
    )


def joint_laplace(mechanism: Laplace, joint_sensitivity: float) -> Laplace:
    """Return the k answers as one release with the same noise, by their joint L1 sensitivity.

    Parameters
    ----------
    mechanism : Laplace
        The noise of each answer, whose own sensitivity is 1 release of it.
    joint_sensitivity : float
        Most that one unit changes all answers together (sum of absolute changes), in units of one answer's
        sensitivity, in (0, inf).

    Examples
    --------
    >>> joint_laplace(Laplace.from_epsilon(0.1), 2.0).stated.epsilon
    0.2
    """
    joint = SENSITIVITY.check(joint_sensitivity, "joint_sensitivity")
    epsilon = rounded_up(typed(mechanism.stated.epsilon) * typed(joint))
    return Laplace.from_epsilon(epsilon, mechanism.sensitivity * joint)
