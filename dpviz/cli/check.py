"""The command that says whether a plan is within its budget."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.cli import arguments, terminal
from dpviz.cli.command import Answer, Command
from dpviz.cli.terminal import OVER, UNUSABLE, WITHIN
from dpviz.composition import compare, compose, tightest
from dpviz.filters import plan_verdicts
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.plan.answers import BATCHES
from dpviz.planning.advice import Finding, checks
from dpviz.planning.advice.finding import FAULT, NOTE, QUESTION
from dpviz.planning.schedule import UnitCost, shared_weeks, unit_cost
from dpviz.report.facts import check_told, one_unit_told
from dpviz.report.report_schema import EPSILON, FILTER, FINDING, ONE_UNIT, RELATION, THEOREM
from dpviz.schemas import (
    COUNTED,
    DECIDED,
    NUMBER,
    SAID,
    TEXT,
    TRUTH,
    WHOLE,
    Answered,
    described,
    listed,
    nullable,
    record,
)

if TYPE_CHECKING:
    import pandas

EXAMPLES = """\
examples:
  dpviz check examples/mobility.json
  dpviz check examples/mobility.csv --budget 4 --delta 1e-6
  dpviz check plan.json --json | jq .total.epsilon
  dpviz check plan.csv --budget 1 --unit person-year --relation add_remove --population 40000 --strict

The budget is for one unit of privacy. Where the unit names a period, such as person-month, and the schedule goes beyond
it, what one unit loses is held against the budget, and the total of all dates stands beside it.

Checks for known mistakes find faults (the total is surely not what the plan costs), questions (the total is right only
if something holds that nobody stated, or that looks otherwise) and notes.

exit status: 0 within the budget; 1 over it, with a fault, and under --strict with a question; 2 without a budget, if
the plan cannot be read, or if an argument is wrong."""


def add(command: argparse.ArgumentParser) -> None:
    """Add what a plan may leave unsaid, and how strictly it is read."""
    command.add_argument("--strict", action="store_true", help="exit with 1 also where a check asks a question")
    command.add_argument("--batches", choices=BATCHES, help="how batches of sampled releases are really drawn")
    for name, about in (
        ("parts-disjoint", "whether every person is in one part only"),
        ("whole-numbers", "whether counts get noise that is a whole number"),
    ):
        command.add_argument(f"--{name}", choices=arguments.ANSWERS, help=about)


@dataclass(frozen=True)
class Verdict:
    """What `check` finds out about a plan.

    Parameters
    ----------
    plan : Plan
    totals : pandas.DataFrame
        As `compare` gives it, at the δ of the budget.
    pure : float
        The total at δ = 0; inf where there is none.
    filters : pandas.DataFrame or None
        As `plan_verdicts` gives it, for a plan that chooses along the way under a finite budget.
    one_unit : UnitCost or None
        What one unit loses, where the schedule goes beyond its period.
    findings : tuple of Finding
        Of the checks for known mistakes.
    """

    plan: Plan
    totals: pandas.DataFrame
    pure: float
    filters: pandas.DataFrame | None
    one_unit: UnitCost | None
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, plan: Plan, **answers: object) -> Verdict:
        """Compute all of it, with the answers that `checks` takes."""
        filters = plan_verdicts(plan) if plan.adaptive and math.isfinite(plan.budget.epsilon) else None
        totals, pure = compare(plan, plan.budget.delta, excess=False), compose(plan, 0.0, "basic").epsilon
        return cls(plan, totals, pure, filters, unit_cost(plan), checks(plan, **answers))

    @property
    def best(self) -> pandas.Series | None:
        """The smallest total that may be quoted; None where there is none."""
        return tightest(self.totals)

    @property
    def held(self) -> Guarantee:
        """What the budget is for: the loss of one unit; that of the whole schedule where this is one unit's."""
        if self.one_unit is not None:
            return Guarantee(self.one_unit.epsilon, self.plan.budget.delta)
        return Guarantee(math.inf) if self.best is None else Guarantee(self.best.epsilon, self.best.delta)

    def found(self, *severities: str) -> tuple[Finding, ...]:
        """Return the findings of these severities."""
        return tuple(each for each in self.findings if each.severity in severities)

    @property
    def within(self) -> bool | None:
        """Whether that lies within the budget; None without a budget, or where a fault makes it another plan's loss."""
        if math.isinf(self.plan.budget.epsilon) or self.found(FAULT):
            return None
        return math.isfinite(self.held.epsilon) and self.held.implies(self.plan.budget)

    def status(self, strict: bool) -> int:
        """Return the exit status."""
        if math.isinf(self.plan.budget.epsilon):
            return UNUSABLE
        return WITHIN if self.within and not (strict and self.found(QUESTION)) else OVER


def check(options: argparse.Namespace) -> Answer:
    """Check a plan: whether it is within its budget is the exit status."""
    answers = {name: arguments.answered(getattr(options, name)) for name in ("parts_disjoint", "whole_numbers")}
    given = {name: value for name, value in (answers | {"batches": options.batches}).items() if value is not None}
    verdict = Verdict.of(arguments.opened(options), **given)
    lines = "\n".join(_lines(verdict, options.strict))
    return Answer(verdict.status(options.strict), lines, _told(verdict), asked=False, verdict=True)


def _lines(verdict: Verdict, strict: bool) -> list[str]:
    plan, budget, told = verdict.plan, verdict.plan.budget, verdict.plan.in_words
    uses = sum(release.uses for release in plan.releases)
    made = f"{terminal.counted(len(plan.releases), 'release')}, {terminal.counted(uses, 'use')}"
    about = f"{made}, {told['order']}; for one {told['unit']}, {told['relation']}."
    faults = _findings(verdict, FAULT)
    lines = [*faults, *[""] * bool(faults), about, "", *_table(verdict.totals), ""]
    if math.isfinite(verdict.pure) and budget.delta > 0:
        lines.append(f"At δ = 0 the total is ε = {terminal.cost(verdict.pure)}: the sum of the stated ε.")
    if verdict.filters is not None:
        lines += _filter_lines(verdict.filters)
    if cost := verdict.one_unit:
        lines += [
            f"The table is about somebody who is in the data on all dates. The budget is for one {plan.unit_in_words}:",
            f"that loses at most ε = {terminal.cost(cost.epsilon)}, "
            f"if every release reads its own {cost.window}'s data only{shared_weeks(plan)}.",
        ]
    return [*lines, *_findings(verdict, QUESTION), *_findings(verdict, NOTE), *_finding(verdict, strict)]


def _findings(verdict: Verdict, severity: str) -> list[str]:
    told = (check_told(each, verdict.plan) for each in verdict.found(severity))
    return [f"{severity.capitalize()}, {each['label'].lower()}: {each['sentence']}" for each in told]


def _finding(verdict: Verdict, strict: bool) -> list[str]:
    """The last line, or two: what the exit status says."""
    budget, asked = verdict.plan.budget, len(verdict.found(QUESTION))
    limit = f"the budget of ε = {budget.epsilon:.15g} at δ = {budget.delta:.15g}"
    if math.isinf(budget.epsilon):
        missing = "No budget is set, give one with --budget: nothing says whether this is too much."
        return [f"{missing} At δ = {budget.delta:.15g}: {_loss(verdict)}."]
    if verdict.within is None:
        return [f"Whether it is within {limit} cannot be said: the fault named above makes this another plan's total."]
    said = [f"{'Within' if verdict.within else 'Over'} {limit}{_per_unit(verdict)}: {_loss(verdict)}."]
    open_ones = f"Refused by --strict: {terminal.counted(asked, 'question')} above to be answered, or mended."
    return [*said, open_ones] if strict and asked and verdict.within else said


def _per_unit(verdict: Verdict) -> str:
    return f" for one {verdict.plan.unit_in_words}" if verdict.one_unit else ""


def _loss(verdict: Verdict) -> str:
    """What is held against the budget, and beside it what is not."""
    best, cost, limit = verdict.best, verdict.one_unit, verdict.plan.budget.epsilon
    total = "no theorem gives a finite total"
    if best is not None and math.isfinite(best.epsilon):
        total = f"at most ε = {terminal.cost(best.epsilon, limit)}, by {best.label}"
    if cost is None:
        return total
    one = "no theorem bounds it" if math.isinf(cost.epsilon) else f"at most ε = {terminal.cost(cost.epsilon, limit)}"
    return f"{one}; no budget is stated for all dates together ({total})"


def _filter_lines(filters: pandas.DataFrame) -> list[str]:
    """Whether the plan may be made under a filter; what its rule counts so far is no guarantee, so it is not shown."""
    whole = [row.label for row in filters.itertuples() if row.whole]
    if not whole:
        return ["No filter with this budget admits the whole plan."]
    return [
        f"Made under a filter with this budget, all of it would be admitted ({', '.join(whole)});",
        "the budget would then be the guarantee. The exit status does not count on a filter.",
    ]


def _table(totals: pandas.DataFrame) -> list[str]:
    rows = [("theorem", "ε", "δ", "")]
    best = tightest(totals)
    for row in totals.itertuples():
        numbers = (terminal.cost(row.epsilon), f"{row.delta:.6g}") if row.applies else ("-", "-")
        smallest = best is not None and row.theorem == best.theorem
        rows.append((row.label, *numbers, f"{row.kind}{', the smallest' * smallest}" if row.applies else row.reason))
    return terminal.columns(rows)


def _told(verdict: Verdict) -> dict[str, object]:
    plan, best = verdict.plan, verdict.best
    rows = verdict.totals.to_dict("records")
    finite = best is not None and math.isfinite(best.epsilon)
    return {
        "within": verdict.within,
        "budget": {"epsilon": terminal.finite(plan.budget.epsilon), "delta": plan.budget.delta},
        "held": {"epsilon": terminal.finite(verdict.held.epsilon), "delta": verdict.held.delta},
        "total": {key: best[key] for key in ("epsilon", "delta", "theorem", "kind")} if finite else None,
        "pure_epsilon": terminal.finite(verdict.pure),
        "unit": plan.unit,
        "relation": plan.neighbours,
        "relation_stated": plan.relation is not None,
        "adaptive": plan.adaptive,
        "releases": len(plan.releases),
        "uses": sum(release.uses for release in plan.releases),
        "population": plan.population,
        "one_unit": one_unit_told(plan, verdict.one_unit),
        "checks": [check_told(each, plan) for each in verdict.findings],
        "theorems": [row | {"epsilon": terminal.finite(row["epsilon"])} for row in rows],
        "filters": [] if verdict.filters is None else verdict.filters.to_dict("records"),
    }


CHECK = Answered(
    "check", 1, "Whether a plan of dpviz is within its budget",
    {
        "within": described(DECIDED, "null without a budget, and where a fault makes it another plan's loss"),
        "budget": record({"epsilon": EPSILON, "delta": NUMBER}),
        "held": described(record({"epsilon": EPSILON, "delta": NUMBER}), "what is held against the budget"),
        "total": nullable(record({"epsilon": NUMBER, "delta": NUMBER, "theorem": TEXT, "kind": TEXT})),
        "pure_epsilon": described(EPSILON, "the total at δ = 0"),
        "unit": SAID,
        "relation": RELATION,
        "relation_stated": TRUTH,
        "adaptive": DECIDED,
        "releases": described(WHOLE, "how many"),
        "uses": WHOLE,
        "population": COUNTED,
        "one_unit": ONE_UNIT,
        "checks": listed(FINDING),
        "theorems": listed(THEOREM),
        "filters": listed(FILTER),
    },
)  # fmt: skip
COMMANDS = (Command("check", "say whether a plan is within its budget", EXAMPLES, check, add, CHECK),)
