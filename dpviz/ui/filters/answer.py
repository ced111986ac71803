"""Answers of the filter page that are kept, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpviz.decimals import typed
from dpviz.figures.learn.odometer import FIXED
from dpviz.filters import FilterRun, Queries, adaptivity, breakeven_epsilon, rule_named, run
from dpviz.guarantee import Guarantee
from dpviz.ui.filters.asked import Terms
from dpviz.ui.shell.kept import kept

POINTS = {"linear": 99, "log": 240}
_DIGITS = 4  # of ε on a logarithmic axis
_FIXED_POINTS = 60
_DRAWN = 800  # steps of one line


@kept(64, 3)
def curve(terms: Terms, low: float, high: float, scale: str, delta: float) -> pd.DataFrame:
    """Return `runs_curve` over a range of ε, kept."""
    epsilons = spread(low, high, scale)
    return adaptivity.runs_curve(terms.budget, epsilons, delta, terms.or_basic, terms.kept, terms.arithmetic)


def spread(low: float, high: float, scale: str) -> list[float]:
    """Return decimals from `low` to `high`, even on the axis.

    Examples
    --------
    >>> spread(0.002, 0.198, "linear")[:3], len(spread(0.002, 0.198, "linear"))
    ([0.002, 0.004, 0.006], 99)
    """
    if scale == "linear":
        first, last, steps = typed(low), typed(high), POINTS["linear"] - 1
        return [float(first + (last - first) * step / steps) for step in range(steps + 1)]
    inner = [float(f"{each:.{_DIGITS}g}") for each in np.geomspace(low, high, POINTS["log"])]
    return sorted({low, high, *(each for each in inner if low < each < high)})


@kept(256, 2)
def counts_at(terms: Terms, epsilon: float, delta: float) -> pd.DataFrame:
    """Return one row per rule for one query, kept: as `runs_curve`, with why the rule is of no use."""
    frame = adaptivity.runs_curve(terms.budget, [epsilon], delta, terms.or_basic, terms.kept, terms.arithmetic)
    filters = terms.filters()
    return frame.assign(
        reason=[filters[rule].inapplicable for rule in frame.rule],
        floor=[filters[rule].bound if not filters[rule].inapplicable else 0.0 for rule in frame.rule],
        breakeven=[breakeven_epsilon(filters[rule]) if not delta else 0.0 for rule in frame.rule],
    )


def crossings(terms: Terms, delta: float) -> pd.DataFrame:
    """Return below which ε each rule admits more pure queries than basic: rule, label, epsilon, runs of basic there.

    Empty where queries have a δ: Σδ_i then decides as well.
    """
    rows = counts_at(replace(terms, doubles=False), 0.0, delta)
    rows = rows[rows.breakeven > 0]
    runs = (terms.epsilon / rows.breakeven).astype(int)
    labels = [rule_named(rule).label for rule in rows.rule]
    return pd.DataFrame({"rule": rows.rule, "label": labels, "epsilon": rows.breakeven, "runs": runs})


@kept(64, 2)
def repeated(
    epsilon: float, delta: float, each: float, each_delta: float, most: int, marked: tuple[int, ...], kept: float
) -> pd.DataFrame:
    """Return `repeated_bounds` for 0 to `most` equal queries, the marked numbers among them, kept."""
    counts = np.unique(np.concatenate([np.linspace(0, most, 200).astype(np.int64), np.array(marked, dtype=np.int64)]))
    return adaptivity.repeated_bounds(Guarantee(epsilon, delta), each, counts, each_delta, kept)


@dataclass(frozen=True)
class Played:
    """What became of a sequence.

    Parameters
    ----------
    every : pandas.DataFrame
        One row per (rule, query): rule, label, step, epsilon, delta, admitted, bound, reason.
    drawn : pandas.DataFrame
        rule (or ``fixed``), label, step from 0, epsilon; at most some 800 steps per line.
    verdicts : pandas.DataFrame
        One row per rule: rule, label, admitted, first (refused query, 0 without), used, largest (ε that could still be
        asked), reason (why the rule is of no use).
    total : float
        ε of all queries, fixed in advance.
    fits : int
        How many of them fit, fixed in advance.
    """

    every: pd.DataFrame
    drawn: pd.DataFrame
    verdicts: pd.DataFrame
    total: float
    fits: int

    @property
    def best(self) -> pd.Series:
        """The rule that admits most; the first of several."""
        return self.verdicts.loc[self.verdicts.admitted.idxmax()]


@kept(32, 8)
def played(terms: Terms, queries: Queries, after: str, next_delta: float) -> Played:
    """Return what becomes of a sequence under every rule, kept; `next_delta` is the δ of what could still be asked.

    What comes after a refusal is told as `dpviz.filters.runs.run` is told.
    """
    runs = {rule: run(each, queries, after) for rule, each in terms.filters().items()}
    counts = np.unique(np.linspace(0, len(queries), _FIXED_POINTS).astype(np.int64))
    totals = adaptivity.fixed_totals(queries, counts, terms.delta)
    fixed = pd.DataFrame({"rule": FIXED, "label": "Fixed in advance", "step": counts, "epsilon": totals})
    every = [each.frame() for each in runs.values()]
    for frame, (rule, each) in zip(every, runs.items(), strict=True):
        frame.insert(0, "rule", rule)
        frame.insert(1, "label", adaptivity.label_of(each.start))
    return Played(
        pd.concat(every, ignore_index=True),
        pd.concat([_drawn(each) for each in runs.values() if np.isfinite(each.start.bound)] + [fixed]),
        pd.DataFrame([_verdict(each, next_delta) for each in runs.values()]),
        float(totals[-1]),
        adaptivity.fitting_prefix(queries, terms.budget),
    )


def _drawn(each: FilterRun) -> pd.DataFrame:
    used = np.concatenate([[each.start.bound], each.bounds])
    steps = np.unique(np.linspace(0, len(used) - 1, min(len(used), _DRAWN)).astype(np.int64))
    label = adaptivity.label_of(each.start)
    return pd.DataFrame({"rule": each.start.rule, "label": label, "step": steps, "epsilon": used[steps]})


def _verdict(each: FilterRun, next_delta: float) -> dict[str, object]:
    refused = np.flatnonzero(~each.admitted)
    bounds = each.bounds
    return {
        "rule": each.start.rule,
        "label": adaptivity.label_of(each.start),
        "admitted": int(each.admitted.sum()),
        "first": int(refused[0]) + 1 if refused.size else 0,
        "used": float(bounds[refused[0]]) if refused.size else float(bounds[-1]) if bounds.size else 0.0,
        "largest": each.end.largest_epsilon(next_delta),
        "reason": "" if each.start.asks_basic else each.start.inapplicable,
    }
