"""A plan that chooses along the way, release by release under a filter: what the plan's budget admits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.decimals import rounded_up, typed
from dpviz.filters.adaptivity import filter_of
from dpviz.filters.filter import FILTERS, Filter, runs_until_exhausted
from dpviz.filters.queries import Query
from dpviz.plan import Plan

if TYPE_CHECKING:
    import pandas as pd


def plan_verdicts(plan: Plan) -> pd.DataFrame:
    """Send a plan's releases, in its order, through a filter by each rule with the plan's budget.

    Parameters
    ----------
    plan : Plan
        Its parts are ignored: every release counts as one that reads all the data.

    Returns
    -------
    DataFrame
        One row per rule: rule, label, admitted (releases before the first refusal, repetitions counted), whole
        (whether that is all), refused (name of the release that is refused first, "" where none is), reason,
        kept (the part of δ kept for Σδ_i), source.

    Notes
    -----
    Each release may be chosen from all earlier answers; budget, rule and `kept` are fixed before the first, and if all
    is admitted the budget is the guarantee of the whole. `kept` is what this plan's own δ_i add up to, where the rule
    leaves it open. The neighbour relation is the plan's.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), Def. 3.4; Whitehouse, Ramdas, Rogers & Wu (2023), Thm 1 and 2.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.01), 300)], Guarantee(1, 1e-6), adaptive=True)
    >>> plan_verdicts(plan).admitted.tolist()
    [100, 147, 300, 300]
    """
    import pandas as pd

    return pd.DataFrame([_verdict(plan, rule.key) for rule in FILTERS])


def _verdict(plan: Plan, rule: str) -> dict[str, object]:
    kept = _kept(plan, rule)
    state = filter_of(rule, plan.budget, release_delta=kept)
    row = {"rule": rule, "label": state.record.label, "kept": state.allowance, "source": state.record.source}
    admitted, refused, reason = 0, "", state.inapplicable
    for release in plan.releases if not reason else ():
        if not release.uses:
            continue
        runs = min(release.uses, runs_until_exhausted(state, release.mechanism))
        admitted += runs
        state = _after(state, release.mechanism, runs)
        if runs < release.uses:
            refused, reason = release.name, state.reason(release.mechanism)
            break
    whole = not reason and not refused
    return row | {"admitted": admitted, "whole": whole, "refused": refused, "reason": reason}


def _after(state: Filter, mechanism: object, runs: int) -> Filter:
    return replace(state, tally=state.tally.plus(state.charge(mechanism), runs)) if runs else state


def _kept(plan: Plan, rule: str) -> float:
    """What the plan's own δ_i add up to, as the rule reads them; at most the budget's δ."""
    probe = filter_of(rule, plan.budget)
    total = sum(typed(float(probe.columns(Query.of(each.mechanism))[1])) * each.uses for each in plan.releases)
    return min(rounded_up(typed(0.0) + total), plan.budget.delta)
