"""Where a plan stands: what it costs, what is spent of that, what each release costs and what an attacker learns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from dpviz.adversary import Odds, PairLoss
from dpviz.adversary.odds import Advantage, odds_record
from dpviz.adversary.risk import PRIORS, attack_frame, posterior_frame, told_rarely
from dpviz.composition.compose import Total, kinds
from dpviz.composition.spend import Saving, savings
from dpviz.effort import quoted
from dpviz.filters import FILTERS
from dpviz.filters.verdicts import least_budget
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.left_open import why_no_error
from dpviz.plan import Plan
from dpviz.planning import deployments
from dpviz.planning.accuracy import half_width
from dpviz.planning.scenario import looked_at
from dpviz.planning.schedule import done_part
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.plan.costs import total
from dpviz.ui.shell.document.promise_fields import with_delta
from dpviz.ui.shell.kept import kept, of_one_unit, priced, proved, right_guesses, verdicts
from dpviz.ui.shell.risks import Bound

CONFIDENCE = 0.95  # of the errors in the table


@dataclass(frozen=True)
class Standing:
    """Where a plan stands.

    Parameters
    ----------
    whole, plan : Plan
        As it is, and what one unit of privacy meets of it.
    proved : Total
        The smallest total of that at the budget's δ, with its theorem.
    """

    whole: Plan
    plan: Plan
    proved: Total

    @classmethod
    def of(cls, whole: Plan) -> Standing:
        """Return where a plan stands."""
        plan = of_one_unit(whole)
        return cls(whole, plan, proved(plan))

    @property
    def limit(self) -> float:
        """ε of the budget; inf where there is none."""
        return self.plan.budget.epsilon

    @property
    def total(self) -> float:
        """The smallest proved ε; inf where there is none."""
        return self.proved.epsilon

    @property
    def promised(self) -> float:
        """The total; where no sum is one, the budget's ε if a filter with that budget admits all; else inf."""
        return self.limit if self.filters else self.total

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The filters that admit all of a plan which is chosen along the way, where no sum may be quoted."""
        if not self.plan.adaptive or math.isfinite(self.total) or not 0 < self.limit < math.inf:
            return ()
        frame = verdicts(self.plan)
        return tuple(frame[frame.whole].label)

    @property
    def kept_from(self) -> tuple[float, str]:
        """The ε from which on a filter admits all of a plan that is chosen along the way, and which; inf if none."""
        return min((least_budget(self.plan, rule.key), rule.label) for rule in FILTERS)

    @property
    def over(self) -> bool:
        """Whether the budget does not hold it."""
        return self.promised > self.limit

    @property
    def added(self) -> float | None:
        """What adding up proves; None where it does not apply."""
        total = proved(self.plan, "basic").epsilon
        return None if math.isinf(total) else total

    @property
    def pure(self) -> float | None:
        """The smallest total without δ; None where there is none."""
        total = proved(with_delta(self.plan, 0.0)).epsilon
        return None if math.isinf(total) else total

    @cached_property
    def spent(self) -> float:
        """What the releases cost that are published already; 0 where one unit meets a part of the schedule only."""
        done = done_part(self.whole) if self.plan == self.whole else Plan(())
        return min(total(done), self.total) if done.releases else 0.0

    @property
    def right(self) -> float:
        """How many of 100 guesses the best attacker gets right, at most."""
        return right_guesses(self.plan, self.promised)

    @cached_property
    def savings(self) -> tuple[Saving | None, ...]:
        """What leaving each release out saves; None for what is not left out in turn."""
        return _savings(priced(self.plan), self.total)

    @cached_property
    def right_without(self) -> dict[int, float]:
        """Right guesses of 100, at most, without each release that saves most when it is left out, in that order."""
        rows = looked_at(self.plan, self.shares)
        return {row: min(_right_without(self.plan, row, self.savings[row].without), self.right) for row in rows}

    @cached_property
    def shares(self) -> tuple[float | None, ...]:
        """That in percent of the total; () where there is no total to compare with."""
        if not 0 < self.total < math.inf:
            return ()
        return tuple(None if each is None else each.share for each in self.savings)

    @cached_property
    def widths(self) -> tuple[float | None, ...]:
        """±w of each release, 19 times of 20; None without noise on a number."""
        return tuple(width(each.mechanism) for each in self.whole.releases)


def width(mechanism: Mechanism, confidence: float = CONFIDENCE) -> float | None:
    """Return the ±w of one use; None without noise on a number."""
    return None if why_no_error(mechanism) else half_width(mechanism, confidence)


@kept(64, 2)
def _savings(plan: Plan, total: float) -> tuple[Saving | None, ...]:
    return savings(plan, plan.budget.delta, total)


def _right_without(plan: Plan, row: int, epsilon: float) -> float:
    """How many of 100 guesses are right at most without a release, of which the rest is proved to cost `epsilon`."""
    return right_guesses(plan.without(row), epsilon)


def learned(plan: Plan, epsilon: float) -> Bound:
    """Return what an attacker learns from a plan that costs `epsilon` at its budget's δ, kept."""
    return _learned(priced(plan), epsilon)


@kept(2, 24, shared=True)
def _learned(plan: Plan, epsilon: float) -> Bound:
    pair, own = Guarantee(epsilon, plan.budget.delta), not plan.adaptive
    loss = PrivacyLoss.of(plan, quoted(kinds(plan.workload()[0]))) if own else PairLoss(pair)  # as a report quotes it
    return Bound(loss, pair, own)


@kept(64, 1, shared=True)
def odds(plan: Plan, epsilon: float) -> Odds:
    """Return the odds of the best attack in words, kept: of the same right guesses as the head tells."""
    best = Advantage(max(right_guesses(plan, epsilon) / 50 - 1, 0.0))
    return odds_record(best, 100, plan.unit_in_words, plan.neighbours)


@kept(64, 2)
def curve(plan: Plan, epsilon: float) -> pd.DataFrame:
    """Return the trade-off curves to draw, kept."""
    return learned(plan, epsilon).curve()


@kept(64, 1)
def posteriors(plan: Plan, epsilon: float) -> pd.DataFrame:
    """Return how far priors can rise, kept; see `dpviz.adversary.risk.posterior_frame`."""
    loss, delta = learned(plan, epsilon).loss, plan.budget.delta
    return posterior_frame(loss, delta, PRIORS, told_rarely(loss, delta))


@kept(64, 1)
def attacks(plan: Plan, epsilon: float) -> pd.DataFrame:
    """Return what the best attack reaches, kept; see `dpviz.adversary.risk.attack_frame`."""
    return attack_frame(learned(plan, epsilon).loss, plan.budget.delta, PRIORS)


@kept(16, 1)
def published(unit: str, delta: float) -> pd.DataFrame:
    """Return `dpviz.planning.deployments.published` for plans that protect this unit at this δ, kept."""
    return deployments.published(replace(Plan(()), unit=unit, budget=Guarantee(0.0, delta)))
