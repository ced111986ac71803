"""A plan that chooses along the way, release by release under a filter: what the plan's budget admits."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.decimals import rounded_up, typed
from dpviz.filters.adaptivity import filter_of
from dpviz.filters.filter import FILTERS, Filter, runs_until_exhausted
from dpviz.filters.queries import Query
from dpviz.filters.rules import rule_named
from dpviz.filters.tally import Tally
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.parameters import checked
from dpviz.plan import Plan
from dpviz.search import least_within

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
    >>> from dpviz import Guarantee, Laplace, Release
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.01), 300)], Guarantee(1, 1e-6), adaptive=True)
    >>> plan_verdicts(plan).admitted.tolist()
    [100, 147, 300, 300]
    """
    import pandas as pd

    checked(plan, Plan, "plan").check_sensitivities()
    return pd.DataFrame([_verdict(plan, rule.key) for rule in FILTERS])


def _verdict(plan: Plan, rule: str) -> dict[str, object]:
    state = filter_for(plan, rule)
    row = {"rule": rule, "label": state.record.label, "kept": state.allowance, "source": state.record.source}
    admitted, refused, reason = 0, "", state.inapplicable
    for release in plan.releases if not reason else ():
        if not release.uses:
            continue
        runs = min(release.uses, runs_until_exhausted(state, release.mechanism))
        admitted += runs
        if runs:
            state = replace(state, tally=state.tally.plus(state.charge(release.mechanism), runs))
        if runs < release.uses:
            refused, reason = release.name, state.reason(release.mechanism)
            break
    whole = not reason and not refused
    return row | {"admitted": admitted, "whole": whole, "refused": refused, "reason": reason}


def filter_for(plan: Plan, rule: str) -> Filter:
    """Return the filter by this rule for the plan's budget, with what the plan's own δ_i need kept for them.

    Examples
    --------
    >>> from dpviz.guarantee import Guarantee
    >>> filter_for(Plan([], Guarantee(1.0, 1e-6)), "rogers").allowance
    5e-07
    """
    probe = filter_of(rule, plan.budget)
    if not probe.record.splits:
        return probe
    deltas = {each: typed(float(probe.columns(Query.of(each))[1])) for each in _uses(plan)}
    kept = sum((deltas[each] * uses for each, uses in _uses(plan).items()), typed(0.0))
    return filter_of(rule, plan.budget, release_delta=min(rounded_up(kept), plan.budget.delta))


def why_not_whole(plan: Plan, rule: str) -> str:
    """Return why a filter by this rule does not admit all uses of a plan, in exact decimals; "" where it does.

    Examples
    --------
    >>> from dpviz import Gaussian, Guarantee, Release
    >>> why_not_whole(Plan([Release("a", Gaussian(9.0, 1))], Guarantee(0.3)), "basic")
    'it has no stated pair (ε, δ) that this rule could add up'
    """
    state, tally, reason = _spent(plan, rule)
    return reason or state.exceeded_by(tally)


def share_of_budget(plan: Plan, rule: str) -> float:
    """Return the ε that the rule proves for a whole plan, over the budget's; inf where no loss is small enough.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> round(share_of_budget(Plan([Release("a", Laplace.from_epsilon(0.5), 2)], Guarantee(4.0)), "basic"), 12)
    0.25
    """
    state, tally, reason = _spent(plan, rule)
    sums = tuple(map(float, tally.sums))
    if reason or state.exceeded_by(tally) == state.delta_reason or not math.isfinite(sum(sums)):
        return math.inf
    return float(state.bound_of(sums)) / plan.budget.epsilon


def least_budget(plan: Plan, rule: str) -> float:
    """Return the smallest ε of a budget, with this one's δ, within which a filter admits all; inf where there is none.

    Rounded up: a filter by this rule with it admits all of the plan.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> least = least_budget(Plan([Release("a", Laplace.from_epsilon(0.5), 4)], Guarantee(1.0)), "basic")
    >>> 2 <= least <= 2 * (1 + 1e-8)
    True
    """
    def of(epsilon: float) -> Plan:
        return replace(plan, budget=Guarantee(epsilon, plan.budget.delta))

    epsilon, nudge = share_of_budget(of(1.0), rule), 1e-12
    if rule_named(rule).limit is None and math.isfinite(epsilon):  # what it proves depends on the budget
        epsilon = least_within(lambda size: share_of_budget(of(size), rule), epsilon or 1.0, 1.0, 1e-12)
    while epsilon is not None and epsilon < 1e300 and nudge < 1:
        if not why_not_whole(of(epsilon), rule):
            return epsilon
        epsilon, nudge = max(epsilon, 1e-300) * (1 + nudge), 8 * nudge
    return math.inf


def _spent(plan: Plan, rule: str) -> tuple[Filter, Tally, str]:
    """The filter, what the whole plan would spend, and why it cannot be added up; "" if it can."""
    plan.check_sensitivities()
    state = filter_for(plan, rule)
    tally, reason = state.tally, state.inapplicable
    for mechanism, uses in _uses(plan).items():
        charge = state.charge(mechanism)
        tally, reason = tally.plus(charge, uses), reason or state.unreadable(charge)
    return state, tally, reason


def _uses(plan: Plan) -> Counter[Mechanism]:
    """How often each mechanism is used, parts ignored."""
    uses: Counter[Mechanism] = Counter()
    for each in plan.releases:
        uses[each.mechanism] += each.uses
    return +uses
