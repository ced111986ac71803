"""A list of mechanisms that is asked round after round: how often each is seen, and what basic composition adds up."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Mechanism

_ALL_BUT_CERTAIN = math.nextafter(1.0, 0.0)  # δ of the whole: basic composition spends no more of it than it needs


def seen_counts(mechanisms: Sequence[Mechanism], rounds: int) -> dict[Mechanism, int]:
    """Return how often each distinct mechanism is seen in so many releases, when the list is asked again and again.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> list(seen_counts([Laplace(2.0), Laplace(1.0), Laplace(3.0)], 4).values())
    [2, 1, 1]
    """
    passes, rest = divmod(rounds, len(mechanisms))
    counts: dict[Mechanism, int] = {}
    for place, each in enumerate(mechanisms):
        counts[each] = counts.get(each, 0) + passes + (place < rest)
    return {each: count for each, count in counts.items() if count}


def with_pairs(mechanisms: Sequence[Mechanism], delta: float) -> tuple[Mechanism, ...]:
    """Return the mechanisms, where Gaussian noise that states no pair states its ε at this δ; at 0 it states none.

    Examples
    --------
    >>> with_pairs([Gaussian(2.0)], 1e-6)[0].stated.delta, with_pairs([Gaussian(2.0)], 0.0)[0].stated
    (1e-06, None)
    """
    distinct = {each: _with_pair(each, delta) for each in dict.fromkeys(mechanisms)}
    return tuple(distinct[each] for each in mechanisms)


def _with_pair(mechanism: Mechanism, delta: float) -> Mechanism:
    if mechanism.mu is None or mechanism.stated is not None or delta <= 0:
        return mechanism
    return Gaussian.from_guarantee(float(mechanism.epsilon(delta)), delta, mechanism.sensitivity)


def basic_pair(mechanisms: Sequence[Mechanism], rounds: int, delta: float) -> Guarantee:
    """Return the pair that basic composition proves for the releases seen, also where each is chosen along the way.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
        Asked in order, again and again.
    rounds : int
        Releases seen, in [1, 10^9].
    delta : float
        Shared equally by all releases: what Gaussian noise without a stated pair may spend, in [0, 1).

    Returns
    -------
    Guarantee
        Rounded up; (inf, 1) where a mechanism has no pair, or nothing is left to promise.

    References
    ----------
    Dwork & Roth (2014), Thm 3.16.

    Examples
    --------
    >>> from dpviz.mechanisms import ApproximateDP, Laplace
    >>> basic_pair([Laplace(2.0), ApproximateDP(1.0, 0.01)], 3, 1e-6)
    Guarantee(epsilon=2.0, delta=0.01)
    """
    seen = seen_counts(with_pairs(mechanisms, delta / rounds), rounds)
    if any(each.stated is None for each in seen):
        return Guarantee(math.inf, 1.0)
    total = compose(seen, _ALL_BUT_CERTAIN, "basic")
    return total if math.isfinite(total.epsilon) else Guarantee(math.inf, 1.0)
