"""Where curves cross: from when a theorem beats basic composition, and how many repetitions stay within a target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition.compose import THEOREMS, epsilon_curve, theorem_named
from dpviz.effort import QUOTED
from dpviz.guarantee import Guarantee
from dpviz.parameters import COUNT
from dpviz.plan import Composable
from dpviz.plan.workload import MOST_USES, Workload
from dpviz.search import ROUGH, Counted, first_count

if TYPE_CHECKING:
    import pandas


def most_repetitions(plan: Composable) -> int:
    """Return how many repetitions of a plan are looked at: 10^9, fewer where a mechanism would be used too often.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> most_repetitions(Laplace(1)), most_repetitions({Laplace(1): 10**8})
    (1000000000, 10000000)
    """
    return min(int(COUNT.high), MOST_USES // max(1, int(Workload.of(plan).counts.max(initial=0))))


def first_below(plan: Composable, theorem: str, delta: float, than: str = "basic", most: int = 10**8) -> int | None:
    """Return the first number of repetitions at which `theorem` proves a smaller total than `than`.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        What is repeated.
    theorem, than : str
        Keys of ``THEOREMS``.
    delta : float
        The whole δ, in [0, 1).
    most : int
        Repetitions looked at; fewer where a mechanism would be used too often, see `most_repetitions`.

    Returns
    -------
    int or None
        None where it never does within `most`.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> response = RandomizedResponse(0.5)
    >>> first_below(response, "advanced", 0.1), first_below(response, "advanced_tight", 0.1)
    (38, 9)
    """
    if theorem == than:
        return None

    def below(counts: np.ndarray) -> np.ndarray:
        frame = epsilon_curve(plan, counts, delta, [than, theorem])
        other, own = frame.epsilon.to_numpy().reshape(2, -1)
        return own < other * (1 - 1e-13)

    return first_count(below, min(most, most_repetitions(plan)))


def largest_within(plan: Composable, target: Guarantee, theorem: str) -> int:
    """Return how many repetitions `theorem` proves to stay within `target`.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    target : Guarantee
        Its δ is the whole δ.
    theorem : str
        A key of ``THEOREMS``.

    Returns
    -------
    int
        0 where not even one fits; `most_repetitions` stands for "at least".

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> largest_within(Laplace.from_epsilon(0.002), Guarantee(0.2, 1e-6), "basic")
    100
    """
    most = most_repetitions(plan)
    if math.isinf(target.epsilon):
        return most

    def beyond(accuracy: float) -> Counted:
        return lambda counts: (
            epsilon_curve(plan, counts, target.delta, [theorem], accuracy).epsilon.to_numpy() > target.epsilon
        )

    first = first_count(beyond(ROUGH), most)
    if theorem_named(theorem).measured is not None:
        first = first_count(beyond(QUOTED), most, first or most)
    return most if first is None else first - 1


def crossings(plan: Composable, delta: float) -> pandas.DataFrame:
    """Compute for every theorem from how many repetitions on it beats basic composition.

    Returns
    -------
    pandas.DataFrame
        One row per theorem but basic: theorem, label, count (missing where it never does), epsilon (of basic there).

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> int(crossings(RandomizedResponse(0.5), 0.1).set_index("theorem")["count"]["advanced"])
    38
    """
    import pandas

    rows = []
    for theorem in THEOREMS[1:]:
        count = first_below(plan, theorem.key, delta)
        at = math.nan if count is None else float(epsilon_curve(plan, [count], delta, ["basic"]).epsilon.iloc[0])
        rows.append({"theorem": theorem.key, "label": theorem.label, "count": count, "epsilon": at})
    frame = pandas.DataFrame(rows)
    return frame.astype({"count": "Int64"})
