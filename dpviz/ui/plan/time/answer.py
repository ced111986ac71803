"""Answers about time that are kept, within bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from dpviz.plan import Plan
from dpviz.planning.advice import Finding, checks, delta_lever, left_out, levers, questions
from dpviz.planning.schedule import UnitCost, forecast, refusals, release_dates, windows
from dpviz.ui.plan.costs import total
from dpviz.ui.plan.time.asked import Question
from dpviz.ui.shell.kept import kept, one_unit, verdicts
from dpviz.ui.shell.refusals import clause

alone = kept(64, 2)(windows)
refused = kept(64, 1)(refusals)


@kept(64, 2)
def lifetime(plan: Plan) -> pd.DataFrame:
    """Return `dpviz.planning.schedule.forecast` of a plan, kept."""
    return forecast(plan, total=_proved(plan))


def _proved(plan: Plan) -> float | None:
    """The total that the head of the page quotes; None where δ = 1 promises nothing, of an empty plan either."""
    return total(plan) if plan.budget.delta < 1 else None


@kept(32, 2)
def moved(plan: Plan, change: float) -> tuple[pd.DataFrame, str]:
    """Return `dpviz.planning.advice.levers` of a plan, and which were left out."""
    return levers(plan, change), left_out(plan)


@kept(32, 1)
def moved_delta(plan: Plan) -> pd.DataFrame:
    """Return `dpviz.planning.advice.delta_lever` of a plan, kept."""
    return delta_lever(plan, _proved(plan))


unsaid = kept(64, 1)(questions)


@kept(16, 4, shared=True)
def found(plan: Plan) -> tuple[Finding, ...]:
    """Return `dpviz.planning.advice.checks` of a plan, kept."""
    return checks(plan)


@dataclass(frozen=True)
class Outlook:
    """The answer over time.

    Parameters
    ----------
    asked : Question
    lifetime, alone : pandas.DataFrame
        As `dpviz.planning.schedule.forecast` and `windows` return them.
    window_problem : str
        Why there are no windows; "" where there are.
    dates : int
        How many days something is released on.
    dates_within : int
        How many of them lie before the budget is passed.
    one_unit : UnitCost or None
        What one unit loses where the schedule goes beyond the period that it names: the budget is held against that,
        and what a person loses by each date is held against nothing.
    """

    asked: Question
    lifetime: pd.DataFrame
    alone: pd.DataFrame
    window_problem: str
    dates: int
    dates_within: int
    one_unit: UnitCost | None = None

    @property
    def has_dates(self) -> bool:
        """Whether anything has a date."""
        return self.dates > 0

    @property
    def total(self) -> float:
        """ε of everything."""
        return float(self.lifetime.epsilon.iloc[-1])

    @property
    def last(self) -> date:
        """The last day on which something is released."""
        return self.lifetime.until.iloc[-1].date()

    @property
    def by(self) -> date:
        """The date that the total is quoted for: that asked for, since nothing is spent after the last release."""
        return max(self.asked.end, self.last) if self.asked.repeated else self.last

    @property
    def peak(self) -> float:
        """ε of the window that reveals most."""
        return float(self.alone.epsilon.max()) if len(self.alone) else 0.0

    @property
    def budgeted(self) -> Plan:
        """What the budget is held against: the whole schedule, or what one unit meets of it."""
        return self.one_unit.plan if self.one_unit else self.asked.dated

    @property
    def spent(self) -> float:
        """ε of that."""
        return self.one_unit.epsilon if self.one_unit else self.total

    @property
    def held_against(self) -> float:
        """ε of the budget of the whole schedule; inf where it has none."""
        return math.inf if self.one_unit else self.asked.dated.budget.epsilon

    @property
    def undated(self) -> bool:
        """Whether something is released that has no date."""
        return any(each.start is None and each.uses for each in self.asked.dated.releases)

    @property
    def over(self) -> date | None:
        """The first date on which the budget is exceeded; None where none is, or it is none of the whole schedule."""
        if self.one_unit or self.filtered:
            return None
        return passed(self.lifetime, self.asked.dated.budget.epsilon) if self.has_dates else None

    @property
    def unbounded(self) -> bool:
        """Whether nothing at all is proved from the date on which the budget is exceeded."""
        if self.over is None:
            return False
        until_then = self.lifetime[self.lifetime.date <= pd.Timestamp(self.over)]
        return math.isinf(until_then.epsilon.iloc[-1])

    @property
    def filtered(self) -> bool:
        """Whether a filter with the budget admits all that is chosen along the way, so that none is ever passed."""
        plan = self.asked.dated
        return bool(plan.adaptive) and math.isfinite(plan.budget.epsilon) and bool(self.admitting)

    @property
    def refused(self) -> pd.DataFrame:
        """When filters refuse something."""
        return refused(self.asked.dated)

    @property
    def admitting(self) -> list[str]:
        """Labels of the filters that admit all that the budget is held against; none at δ = 1."""
        if self.asked.dated.budget.delta >= 1:
            return []
        found = verdicts(self.budgeted)
        return found.label[found.whole].tolist()


def answer(asked: Question) -> Outlook:
    """Return the answer over time, kept."""
    plan, problem = asked.dated, ""
    spent, days = lifetime(plan), release_dates(plan)
    whole = spent.rename(columns={"date": "start", "until": "end"})
    try:
        each = alone(plan, asked.window) if len(days) else whole  # without dates, there is one window
    except ValueError as error:
        each, problem = whole.iloc[:0], clause(error)
    unit = one_unit(plan)
    if unit and unit.window == asked.window:  # any period loses at most what the dearest does
        each = each.assign(epsilon=each.epsilon.clip(upper=unit.epsilon))
    if len(days) and len(each):
        spent, each = agreeing(spent, each, asked.dated.budget.epsilon)
    above = spent.date[spent.epsilon > asked.dated.budget.epsilon]
    within = len(days) if above.empty else int((days < above.iloc[0].to_datetime64()).sum())
    return Outlook(asked, spent, each, problem, len(days), within, unit)


def passed(lifetime: pd.DataFrame, limit: float) -> date | None:
    """Return the first date on which a staircase exceeds a limit; None where it does not."""
    above = lifetime.date[lifetime.epsilon > limit]
    return above.iloc[0].date() if len(above) else None


def rows_at_ends(lifetime: pd.DataFrame, alone: pd.DataFrame) -> np.ndarray:
    """Return the row of the staircase that holds at the end of each window."""
    return lifetime.date.searchsorted(alone.end, side="right") - 1


def agreeing(lifetime: pd.DataFrame, alone: pd.DataFrame, limit: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give a window that holds everything released until its end the same ε as the staircase there.

    Parameters
    ----------
    lifetime, alone : pandas.DataFrame
        As `dpviz.planning.schedule.forecast` and `windows` return them, with dates. Both are upper bounds, found to
        different accuracies: the smaller one holds for either.
    limit : float
        ε of the budget; what is above it stays so, since the date on which it is passed was decided more accurately.

    Returns
    -------
    tuple of pandas.DataFrame
        `lifetime` and `alone` with the smaller numbers.
    """
    totals, windows = (frame.epsilon.to_numpy(dtype=float).copy() for frame in (lifetime, alone))
    place = rows_at_ends(lifetime, alone)
    same = alone.uses.to_numpy() == lifetime.uses.to_numpy()[place]  # a part with as many uses is the whole
    smaller = np.minimum(windows, totals[place])
    windows[same] = smaller[same]
    np.minimum.at(totals, place[same], smaller[same])
    totals = np.minimum.accumulate(totals[::-1])[::-1]  # what is proved for more holds for less
    above = lifetime.epsilon.to_numpy() > limit
    totals[above] = np.maximum(totals[above], np.nextafter(limit, np.inf))
    return lifetime.assign(epsilon=totals), alone.assign(epsilon=windows)
