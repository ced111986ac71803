"""What choosing along the way costs: the rules of filters beside the same queries fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition import THEOREMS, epsilon_curve, theorem_named
from dpviz.composition.numerical import PLD, not_below
from dpviz.effort import MOST_DRAWN
from dpviz.filters.filter import FILTERS, Filter, runs_until_exhausted
from dpviz.filters.queries import Queries, Query
from dpviz.filters.rules import concentrated_epsilon, rule_named
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP
from dpviz.outward import lowered, slack
from dpviz.search import first_between

if TYPE_CHECKING:
    import pandas as pd

_ACCURACY = 1e-3  # of what is played: there are as many points as prefixes are asked for


def filter_of(
    rule: str, budget: Guarantee, or_basic: bool = False, release_delta: float = 0.0, arithmetic: str = "decimal"
) -> Filter:
    """Return a filter by this rule, with those of the options that the rule leaves open.

    Parameters
    ----------
    rule : str
        Key of a rule in `dpviz.FILTERS`.
    budget, or_basic, release_delta, arithmetic
        As for `Filter`; `release_delta` only where the rule leaves the share open, "float64" only where it does not.

    Examples
    --------
    >>> [filter_of(rule.key, Guarantee(1, 1e-6), release_delta=1e-7).allowance for rule in FILTERS]
    [1e-06, 5e-07, 1e-07, 1e-07]
    """
    splits = rule_named(rule).splits
    kept = min(release_delta, budget.delta) if splits else 0.0
    return Filter(budget, rule, or_basic and rule != "basic", kept, arithmetic="decimal" if splits else arithmetic)


def runs_curve(
    budget: Guarantee,
    epsilons: Iterable[float],
    delta: float = 0.0,
    or_basic: bool = False,
    release_delta: float = 0.0,
    arithmetic: str = "decimal",
) -> pd.DataFrame:
    """Count how often the same (ε, δ) query is admitted before the budget is spent, under every rule.

    Parameters
    ----------
    budget : Guarantee
    epsilons : iterable of float
        ε of one query, each in [0, inf).
    delta : float
        δ of one query, in [0, 1).
    or_basic, release_delta, arithmetic
        As for `Filter`.

    Returns
    -------
    DataFrame
        One row per (rule, ε): rule, label, epsilon, runs (at most 10^9).

    Notes
    -----
    Any neighbour relation, the same for all queries.

    Examples
    --------
    >>> runs_curve(Guarantee(1, 1e-6), [0.01, 0.05]).runs.tolist()
    [100, 20, 147, 5, 349, 13, 487, 19]
    """
    import pandas as pd

    epsilons = [float(each) for each in epsilons]
    filters = [filter_of(rule.key, budget, or_basic, release_delta, arithmetic) for rule in FILTERS]
    runs = [runs_until_exhausted(each, Guarantee(epsilon, delta)) for each in filters for epsilon in epsilons]
    labels = [label_of(each) for each in filters]
    return pd.DataFrame(
        {
            "rule": np.repeat([rule.key for rule in FILTERS], len(epsilons)),
            "label": np.repeat(labels, len(epsilons)),
            "epsilon": np.tile(np.array(epsilons, dtype=float), len(FILTERS)),
            "runs": np.array(runs, dtype=np.int64),
        }
    )


def label_of(filter: Filter) -> str:
    """Return the rule's label, with what it is joined to.

    Examples
    --------
    >>> label_of(Filter(Guarantee(1, 1e-6), "rogers", or_basic=True))
    'Rogers et al. or basic'
    """
    return f"{filter.record.label} or basic" if filter.or_basic and filter.rule != "basic" else filter.record.label


def repeated_bounds(
    budget: Guarantee, epsilon: float, counts: Iterable[int], delta: float = 0.0, release_delta: float = 0.0
) -> pd.DataFrame:
    """Compute what each rule counts as used after the same query k times, and advanced composition for k fixed.

    Parameters
    ----------
    budget : Guarantee
        Finite; H of Rogers' rule depends on it.
    epsilon, delta : float
        Of one query.
    counts : iterable of int
        Values of k, each in [0, 10^9].
    release_delta : float
        As for `Filter`.

    Returns
    -------
    DataFrame
        One row per (theorem, count): theorem (a rule's key, or ``advanced``), label, count, epsilon (rounded up; inf
        where there is none). Rules that are of no use under the budget are left out.

    Notes
    -----
    Beyond the budget a rule's ε is a mere continuation: the filter would have refused.

    Examples
    --------
    >>> frame = repeated_bounds(Guarantee(1, 1e-6), 0.01, [147, 148])
    >>> [round(float(each), 3) for each in frame[frame.theorem == "rogers"].epsilon]
    [0.996, 1.0]
    """
    import pandas as pd

    counts = np.array(list(counts), dtype=np.int64)
    query = Query.of(Guarantee(epsilon, delta))
    frames = []
    for rule in FILTERS:
        used = filter_of(rule.key, budget, release_delta=release_delta)
        if not used.inapplicable:
            sums = tuple(np.multiply(counts, float(each), dtype=float) for each in used.columns(query)[2])
            bounds = np.broadcast_to(used.bound_of(sums), counts.shape)
            frames.append(_block(rule.key, rule.label, counts, bounds))
    fixed = epsilon_curve(ApproximateDP(epsilon, delta), counts, budget.delta, ["advanced"]).epsilon.to_numpy()
    if np.isfinite(fixed).any():
        label = theorem_named("advanced").label
        frames.append(_block("advanced", f"{label}, k fixed", counts, fixed))
    return pd.concat(frames, ignore_index=True)


def _block(key: str, label: str, counts: np.ndarray, epsilons: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"theorem": key, "label": label, "count": counts, "epsilon": epsilons})


def fixed_totals(queries: Queries, counts: Iterable[int], delta: float) -> np.ndarray:
    """Return what the first queries of a sequence cost if the whole sequence is fixed in advance.

    Parameters
    ----------
    queries : Queries
    counts : iterable of int
        Lengths of prefixes, each in [0, len(queries)].
    delta : float
        The whole δ, in [0, 1).

    Returns
    -------
    ndarray
        ε of each prefix, an upper bound; inf where there is none.

    Notes
    -----
    The smallest of the theorems on pairs and of zCDP; with at most 30 different queries also numerically, within 0.1 %.
    Where a query has no pair, by zCDP alone.

    Examples
    --------
    >>> fixed_totals(Queries.of_pairs([0.1] * 3), [0, 1, 3], 0.0).tolist()
    [0.0, 0.1, 0.3]
    """
    counts = np.array(list(counts), dtype=np.int64)
    if not len(queries) or not counts.any():
        return np.zeros(len(counts))
    if np.isinf(queries.epsilon).any():
        return _concentrated_totals(queries, counts, delta)
    pairs, kinds = np.unique(np.stack([queries.epsilon, queries.delta], axis=1), axis=0, return_inverse=True)
    mechanisms = tuple(ApproximateDP(float(epsilon), float(each)) for epsilon, each in pairs)
    table = np.array([np.bincount(kinds.ravel()[:count], minlength=len(pairs)) for count in counts])
    quick = [theorem for theorem in THEOREMS if theorem.measured is None and theorem.key != "rdp"]
    totals = [theorem.bound(mechanisms, table, delta) for theorem in quick if not theorem.reason(mechanisms, delta)]
    if len(pairs) <= MOST_DRAWN and not PLD.reason(mechanisms, delta):
        tight = PLD.measured(mechanisms, table, delta, _ACCURACY)
        totals = [tight.epsilon, *(not_below(each, tight) for each in totals)]
    return np.where(counts == 0, 0.0, np.min(totals, axis=0))


def _concentrated_totals(queries: Queries, counts: np.ndarray, delta: float) -> np.ndarray:
    sums = [np.concatenate([[0.0], np.add.accumulate(each)])[counts] for each in (queries.rho, queries.leak)]
    rho, leak = (each * (1 + (counts + 2) * slack(1)) for each in sums)
    totals = np.full(len(counts), math.inf)
    for place, (each, lost) in enumerate(zip(rho.tolist(), leak.tolist(), strict=True)):
        if lost < delta and math.isfinite(each):
            totals[place] = float(concentrated_epsilon(each, lowered(delta - lost, 7)))
    return np.where(counts == 0, 0.0, totals)


def fitting_prefix(queries: Queries, budget: Guarantee) -> int:
    """Return how many queries, from the first on, fit into the budget if they are fixed in advance.

    Examples
    --------
    >>> fitting_prefix(Queries.of_pairs([0.1] * 5), Guarantee(0.3))
    3
    """

    def beyond(counts: np.ndarray) -> np.ndarray:
        return fixed_totals(queries, counts, budget.delta) > budget.epsilon

    return first_between(beyond, 0, len(queries) + 1) - 1
