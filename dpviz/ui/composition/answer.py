"""How a plan's total grows when it is repeated: answers that are kept, within bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.composition import crossings
from dpviz.composition.crossings import Growth
from dpviz.plan import Plan
from dpviz.ui.shell.kept import comparison, kept

POINTS = 200  # counts drawn: more than a chart has room for


@kept(32, 4, shared=True)  # nobody changes one
def growth(plan: Plan, times: int, delta: float, target: float | None, log: bool) -> Growth:
    """Return the curves of 1 to `times` repetitions of a plan at the whole δ, kept; `target` is the ε to stay within.

    On a logarithmic axis (`log`) counts are spread as `chosen_counts` does. Numerical curves are upper bounds to about
    a pixel; none is above what is quoted for the last count, since fewer repetitions cost no more.
    """
    grown = crossings.growth(plan, chosen_counts(times, log), delta, target)
    at_end = comparison(plan.repeated(times), delta)
    quoted = dict(zip(at_end.theorem.tolist(), at_end.epsilon.tolist(), strict=True))
    ends = np.array([quoted[key] for key in grown.curve.theorem.tolist()])
    return replace(grown, curve=grown.curve.assign(epsilon=np.minimum(grown.curve.epsilon.to_numpy(), ends)))


def chosen_counts(times: int, log: bool) -> np.ndarray:
    """Return counts from 1 to `times`: all where they are few, else at most 200 spread over the axis.

    Examples
    --------
    >>> chosen_counts(5, False).tolist(), len(chosen_counts(10**6, True))
    ([1, 2, 3, 4, 5], 175)
    """
    if times <= POINTS:
        return np.arange(1, times + 1)
    spread = np.geomspace(1, times, POINTS) if log else np.linspace(1, times, POINTS)
    return np.unique(np.rint(spread).astype(np.int64))
