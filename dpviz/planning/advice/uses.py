"""Findings about what is used again: ε of one use beside all of them, ε copied from a total, and a unit's share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from dpviz.decimals import rounded_down, typed
from dpviz.mechanisms import Mechanism
from dpviz.plan import Answers, Plan
from dpviz.plan.cadence import recurs
from dpviz.plan.units import whose
from dpviz.planning.advice.finding import GUIDELINES, NOTE, Finding, named, used
from dpviz.planning.advice.mend import Cost, Mend, composed, with_mechanisms
from dpviz.planning.schedule import most_uses, unit_cost
from dpviz.rounding import next_below, shown_budget, shown_count, shown_up

_SHARE = 6  # digits of an ε that is shared out


def _loss(plan: Plan) -> float:
    """What one unit loses at most; inf where there is no finite total."""
    cost = unit_cost(plan) if plan.budget.delta < 1 else None
    return composed(plan) if cost is None else cost.epsilon


def _at_most(epsilon: float) -> str:
    return "without limit" if math.isinf(epsilon) else f"at most ε = {shown_up(epsilon)}"


def _met(plan: Plan, row: int) -> int:
    """How often one unit of privacy meets a row, at most."""
    return most_uses(plan.releases[row], plan.unit_in_words)


def _only(plan: Plan, rows: Iterable[int]) -> Plan:
    """The plan with some of its rows; the others are kept in their places, without uses."""
    kept = set(rows)
    releases = [each if row in kept else replace(each, count=0) for row, each in enumerate(plan.releases)]
    return replace(plan, releases=tuple(releases))


def _stated(plan: Plan) -> dict[int, Fraction]:
    """By row, the ε by which what is used is given, as typed; without those that state none, or 0.

    A scale is one of each use, and leaves no such question.
    """
    given = (row for row in used(plan) if "scale" not in plan.releases[row].mechanism.base.parameters)
    pairs = {row: plan.releases[row].mechanism.stated for row in given}
    return {row: typed(pair.epsilon) for row, pair in pairs.items() if pair and 0 < pair.epsilon < math.inf}


def copied_total(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find an ε that equals the budget and stands for several uses: one number of the whole, copied to each."""
    if answers.epsilon_per_use:
        return
    rows, budgets = _copies(plan)
    if budgets <= 1:
        return
    budget = shown_budget(plan.budget.epsilon)
    opening = f"ε of one use, or of those of one day, is the whole budget, ε = {budget}, and there are several."
    question = "Is it the ε of each, or that of all?"
    yield _shared("copied_total", plan, dict.fromkeys(rows, budgets), opening, question)


def several_uses(plan: Plan) -> tuple[int, ...]:
    """Return the rows whose stated ε may be meant for several uses together.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> releases = [Release("Users", Laplace.from_epsilon(0.5), 12), Release("Income", Laplace.from_epsilon(0.5))]
    >>> several_uses(Plan(releases, Guarantee(0.5, 0))), several_uses(Plan(releases, Guarantee(7, 0)))
    ((0, 1), ())
    """
    rows, budgets = _copies(plan)
    return tuple(sorted({*(rows if budgets > 1 else ()), *_misread(plan)}))


def _copies(plan: Plan) -> tuple[tuple[int, ...], Fraction]:
    """The rows whose ε is the budget, or is so with all uses of one day, and how many budgets one unit meets."""
    if not 0 < plan.budget.epsilon < math.inf:
        return (), Fraction(0)
    limit, releases = typed(plan.budget.epsilon), plan.releases
    stated = {row: e for row, e in _stated(plan).items() if limit in (e, e * releases[row].count)}
    if not stated or (len(stated) == 1 and releases[next(iter(stated))].uses == 1):
        return (), Fraction(0)
    budgets = {row: _met(plan, row) * epsilon / limit for row, epsilon in stated.items()}
    # All uses of a single day make the budget up: that is how a budget is spent.
    budgets = {row: times for row, times in budgets.items() if times and (stated[row] == limit or times > 1)}
    everywhere = sum((times for row, times in budgets.items() if releases[row].part is None), Fraction(0))
    parts: dict[str, Fraction] = {}
    for row, times in budgets.items():
        if (part := releases[row].part) is not None:
            parts[part] = parts.get(part, Fraction(0)) + times
    return tuple(budgets), everywhere + max(parts.values(), default=Fraction(0))


def epsilon_of_one_use(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find an ε that fits the budget once, while all uses of it do not; or that recurs where nothing limits it."""
    if answers.epsilon_per_use:
        return
    rows = _misread(plan)
    if not rows:
        return
    times = {row: Fraction(_met(plan, row)) for row in rows}
    largest = shown_up(max(plan.releases[row].mechanism.stated.epsilon for row in rows))
    most = shown_count(int(max(times.values())))
    opening = (
        f"the stated ε, {largest} at most, is that of one use, and one {plan.unit_in_words} meets up to {most} uses."
    )
    yield _shared("per_use", plan, times, opening, "Is it meant for each use, or for all?")


def _misread(plan: Plan) -> tuple[int, ...]:
    """The rows whose ε of one use may be taken for that of all: all uses added up exceed the budget, one does not."""
    stated, copied = _stated(plan), _copies(plan)
    limit = plan.budget.epsilon
    if math.isinf(limit):
        rows = [row for row in stated if recurs(plan.releases[row].cadence) and plan.releases[row].uses > 1]
        return tuple(row for row in rows if _met(plan, row) > 1)
    most, known = typed(limit), set(copied[0]) if copied[1] > 1 else set()
    fitting = [row for row, epsilon in stated.items() if row not in known and epsilon <= most]
    rows = [row for row in fitting if plan.releases[row].uses * stated[row] > most]
    rows = tuple(row for row in rows if _met(plan, row) * stated[row] > most)
    return rows if rows and _loss(_only(plan, rows)) > limit else ()


def _together(plan: Plan) -> str:
    """What one unit loses by some rows, in words."""
    return f"By all of them together, one {plan.unit_in_words} loses {_at_most(_loss(plan))}."


def _shared(check: str, plan: Plan, shares: Mapping[int, Fraction], opening: str, question: str) -> Finding:
    """Ask whether the stated ε of some rows is that of all uses; say what is lost if so, with the press for it."""
    rows, mend, words = tuple(shares), None, "If for all, divide it."
    divided = {row: _divided(plan.releases[row].mechanism, share) for row, share in shares.items()}
    done = any(plan.releases[row].done_uses for row in shares)  # what is published has the noise that it had
    if None not in divided.values() and not done:
        within = with_mechanisms(plan, divided)
        most = shown_count(math.ceil(max(shares.values())))
        mend, words = Mend(f"Divide ε by up to {most}, with larger errors", within), Cost(within, _if_divided)
    said = f"{named(plan, rows)}: {opening} ", Cost(_only(plan, rows), _together), f" {question} ", words
    return Finding(check, said, rows, "composition", press=mend)


def _if_divided(plan: Plan) -> str:
    loss = _loss(plan)
    if math.isinf(loss):
        return "With ε divided among all, nothing bounds the plan either."
    return f"With ε divided among all, the plan costs one {plan.unit_in_words} {_at_most(loss)}."


def _divided(mechanism: Mechanism, share: Fraction) -> Mechanism | None:
    """The same mechanism with at most that share of its stated ε; None where none is known that states so little."""
    epsilon = typed(mechanism.stated.epsilon)
    least = next_below(rounded_down(epsilon / share), _SHARE)
    try:
        smaller = mechanism.scaled(epsilon / typed(least)) if mechanism.scaled and least else None
    except ValueError:
        return None
    stated = smaller and smaller.stated
    return smaller if stated and typed(stated.epsilon) * share <= epsilon else None


def shorter_unit(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find a unit that lasts shorter than the schedule: whoever is in the data all the time loses more than one."""
    cost = unit_cost(plan)
    if cost is None:
        return
    protected = whose(plan.unit_in_words)
    whole = replace(plan, unit=protected)
    one, all_dates = _at_most(cost.epsilon), _at_most(_loss(whole))
    if one == all_dates:
        return
    yield Finding(
        "shorter_unit",
        f"The schedule is longer than the unit of privacy: one {plan.unit_in_words} loses {one}, which the budget is "
        f"held against, while one {protected} who is in the data all the time loses {all_dates}. Say both.",
        tuple(row for row in used(plan) if plan.releases[row].start),
        GUIDELINES,
        NOTE,
        Mend(f"Protect one {protected} over the whole schedule", whole),
    )
