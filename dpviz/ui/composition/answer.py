"""How a plan's total grows when it is repeated: answers that are kept, within bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from dpviz.composition import crossings
from dpviz.composition.crossings import Growth
from dpviz.plan import Plan
from dpviz.ui.shell.kept import comparison, kept

POINTS = 200  # counts drawn: more than a chart has room for


@kept(32, 4, shared=True)  # nobody changes one
def growth(plan: Plan, times: int, delta: float, target: float | None, log: bool) -> Growth:
    """Return the curves of 1 to `times` repetitions of a plan at the whole δ, kept; `target` is the ε to stay within.

    On a logarithmic axis (`log`) counts are spread as `chosen_counts` does. Numerical curves are upper bounds to about
    a pixel; none is above what is quoted for the last count, since fewer repetitions cost no more. What fits once by
    the number that is quoted of the plan itself, fits once.
    """
    grown = crossings.growth(plan, chosen_counts(times, log), delta, target)
    once, last = (_quoted(each, delta) for each in (plan, plan.repeated(times)))
    ends = np.array([last[key] for key in grown.curve.theorem.tolist()])
    curve = grown.curve.assign(epsilon=np.minimum(grown.curve.epsilon.to_numpy(), ends))
    return replace(grown, curve=curve, fits=grown.fits if target is None else _fitting(grown.fits, once, target))


def _quoted(plan: Plan, delta: float) -> dict[str, float]:
    """What is quoted of a plan, by theorem."""
    frame = comparison(plan, delta)
    return dict(zip(frame.theorem.tolist(), frame.epsilon.tolist(), strict=True))


def _fitting(fits: pd.DataFrame, once: dict[str, float], target: float) -> pd.DataFrame:
    """How many repetitions fit: where rough curves say none, one, if the number that is quoted of one fits."""
    counts = [
        1 if pd.notna(count) and count == 0 and once[key] <= target else count
        for key, count in zip(fits.theorem.tolist(), fits["count"].tolist(), strict=True)
    ]
    return fits.assign(count=pd.array(counts, dtype="Int64"))


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
