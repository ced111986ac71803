"""What a version of a plan costs a budget when it is taken into force, and when its last lines are given back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from dpviz.composition.compose import smallest_total
from dpviz.decimals import rounded_down
from dpviz.filters.tally import EXACT, Tally
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.store.amounts import EPSILON_DIGITS, OWN_DIGITS, Amount, decimal_of, plain, quanta
from dpviz.store.budgets import Budget
from dpviz.store.entries import Charge

ZCDP, BASIC = "zcdp", "basic"


def reserved(plan: Plan, budget: Budget, delta: float) -> tuple[Amount, str]:
    """Return what a whole plan costs a budget, and by which theorem.

    Parameters
    ----------
    plan : Plan
        Its releases are fixed from now on.
    budget : Budget
    delta : float
        The δ at which the plan is composed, in [0, 1); under ``zcdp`` only what mechanisms leak by themselves counts.

    Returns
    -------
    Amount
        Rounded up. Under ``zcdp`` Σρ of the part of the data that costs most; else the smallest proved total as one
        pair, since whoever sees releases one by one that were fixed before sees no more than who sees all at once.
    str
        The theorem's key.

    Raises
    ------
    ValueError
        When unit or relation are not the budget's, or no theorem gives a finite total.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> from dpviz.store.budgets import Key
    >>> plan = Plan([Release("Visits", Laplace.from_epsilon(0.1), 3)], unit="person")
    >>> reserved(plan, Budget(Key("census", "person"), 1.0), 0.0)[0].epsilon
    300000
    """
    check_promise(plan, budget)
    if budget.rule == ZCDP:
        return summed(plan, budget), ZCDP
    found = smallest_total(plan, delta)
    if math.isinf(found.epsilon):
        raise ValueError(f"plan must have a finite total at δ = {delta:.6g}: {found.reason}")
    pair = Guarantee(found.epsilon, 0.0 if found.theorem.key == BASIC and _pure(plan, found.epsilon) else delta)
    return Amount.of(budget.filter, pair), found.theorem.key


def check_promise(plan: Plan, budget: Budget) -> None:
    """Refuse a plan that is for another unit than a budget, or that holds between other neighbours."""
    if plan.unit != budget.key.unit:
        raise ValueError(f"unit must be that of the budget, {budget.key.unit}; got {plan.unit or 'none'}")
    if plan.neighbours != budget.relation:
        raise ValueError(f"relation must be that of the budget, {budget.relation}; got {plan.neighbours}")


def _pure(plan: Plan, epsilon: float) -> bool:
    """Whether that total holds without any δ: it is the sum of stated ε at δ = 0, too."""
    return smallest_total(plan, 0.0).epsilon <= epsilon


def summed(plan: Plan, budget: Budget) -> Amount:
    """Return what the rule sums over all uses of a plan's releases, of the part of the data that costs most.

    Each number is the largest over the parts by itself. Under the basic rule these are stated pairs, under ``zcdp`` ρ
    and what mechanisms leak.
    """
    mechanisms, counts = plan.workload()
    charges = [budget.filter.charge(each) for each in mechanisms]
    for charge in charges:
        if reason := budget.filter.unreadable(charge):
            raise ValueError(f"plan must be one that the rule {budget.rule} can count: {reason}")
    parts = [_part(charges, row, budget.rule == BASIC) for row in counts.tolist()]
    if not parts:
        return Amount()
    largest = (max(column) for column in zip(*parts, strict=True))
    return Amount(*largest)


def _part(charges: list[Tally], counts: list[int], basic: bool) -> tuple[int, int, int, Decimal]:
    used = [(charge, count) for charge, count in zip(charges, counts, strict=True) if count]
    bounded = [(each.epsilon, count) for each, count in used if each.epsilon.is_finite()]
    epsilon, own, delta = (
        _sum(pairs) for pairs in (bounded, [(e.sums[0], n) for e, n in used], [(e.delta, n) for e, n in used])
    )
    unbounded = sum(count for each, count in used if not each.epsilon.is_finite())
    return quanta(epsilon, EPSILON_DIGITS), unbounded, 0 if basic else quanta(own, OWN_DIGITS), plain(delta)


def _sum(pairs: list[tuple[Decimal, int]]) -> Decimal:
    total = Decimal(0)
    for value, count in pairs:
        total = EXACT.add(total, EXACT.multiply(value, count))
    return total


def only(plan: Plan, done: Mapping[int, int]) -> Plan:
    """Return the plan with the uses that ran: so many of the releases at these positions, from 0, and no others.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> only(Plan([Release("A", Laplace(1, 1), 5), Release("B", Laplace(1, 1))]), {0: 2}).releases[0].count
    2
    """
    kept = [
        replace(each, count=done[row], cadence=None, start=None, end=None, done=False)
        for row, each in enumerate(plan.releases)
        if done.get(row)
    ]
    return replace(plan, releases=tuple(kept))


def given_back(plan: Plan, done: Mapping[int, int], charge: Charge, budget: Budget) -> Amount:
    """Return what a budget gets back when the uses that have not run never will: an amount below 0, or nothing.

    Parameters
    ----------
    plan : Plan
        As it was taken into force.
    done : mapping of int to int
        How often each release ran, by its position from 0.
    charge : Charge
        What was reserved.
    budget : Budget

    Raises
    ------
    ValueError
        Where nothing may be given back, with the reason.

    Notes
    -----
    Which lines will not run may depend on answers, so what remains is counted by the rule of a filter.

    - Nothing ran: all of it, since no answer was ever given.
    - ``zcdp``: what ran sums up to Σρ under the same filter, by which the plan was counted from the beginning.
    - ``basic``: Σε of what ran, if every line has an ε without δ. Let P and Q be the laws of all the plan's outputs for
      two neighbours. The part of P above e^ε Q has a mass of at most δ, ε and δ being what was reserved; without it
      the law of all outputs is at most e^ε Q, and that of those that ran at most e^(Σε of them) Q, since dropping the
      others only sums over them. So one set of mass δ is enough for whoever keeps the rest and for whoever gives it
      back, if that δ stays charged, and it does.
    - ``fully_adaptive`` needs the ε of a request before it runs, and has one δ′ for one way of counting: what was
      reserved as one request is not taken apart.
    """
    ran = {row: count for row, count in done.items() if count}
    if not ran:
        return -charge.amount
    if budget.rule == ZCDP:
        return _less(summed(only(plan, ran), budget), charge.amount)
    if budget.rule != BASIC:
        raise ValueError("lines must not have run where the rule fully_adaptive counts the version as one request")
    left = summed(only(plan, ran), budget)
    if left.delta:
        raise ValueError("lines must have an ε without δ where what is left of them is summed by the rule basic")
    kept = Amount(min(left.epsilon, charge.amount.epsilon), delta=charge.amount.delta)
    return _less(kept, charge.amount)


def stays(plan: Plan, done: Mapping[int, int], charge: Charge, budget: Budget) -> tuple[Amount, str]:
    """Return what a version stays charged if no other line of it ever runs, and why that is all of it.

    Returns
    -------
    Amount
        What was reserved, less what could be given back.
    str
        The reason why nothing could be; "" where something could, or everything ran as it was reserved.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> from dpviz.store.budgets import Key
    >>> plan = Plan([Release("Visits", Gaussian(4, 1), 2)], unit="person")
    >>> budget, half = Budget(Key("census", "person"), 1.0, 1e-6), Amount(500_000)
    >>> charge = Charge(1, half, 0, None, half)
    >>> stays(plan, {}, charge, budget)[0].epsilon, stays(plan, {0: 1}, charge, budget)[0].epsilon
    (0, 500000)
    >>> stays(plan, {0: 1}, charge, budget)[1]
    'plan must be one that the rule basic can count: ...'
    """
    try:
        return charge.amount + given_back(plan, done, charge, budget), ""
    except ValueError as error:
        return charge.amount, str(error)


def _less(kept: Amount, former: Amount) -> Amount:
    """What changes the former amount into the one that is kept."""
    return kept + -former


def own_delta(plan: Plan, budget: Budget, spent: Decimal) -> float:
    """Return the δ at which a plan is composed for a budget where nobody names one: its own, if so much is left.

    Examples
    --------
    >>> from dpviz.store.budgets import Key
    >>> own_delta(Plan([], Guarantee(1, 1e-6)), Budget(Key("census", "person"), 1.0, 1e-5), Decimal(0))
    1e-06
    """
    if budget.rule == ZCDP:
        return 0.0
    left = EXACT.subtract(decimal_of(budget.filter.allowance), spent)
    return plan.budget.delta if decimal_of(plan.budget.delta) <= left else max(0.0, rounded_down(Fraction(left)))
