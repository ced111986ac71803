"""Answers of the panel “Fit to budget” that are kept, within bounds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism, TrainedModel, mechanism_from
from dpviz.mechanisms.left_open import why_no_error
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.plan.release import LONGEST_TEXT
from dpviz.planning.accuracy import half_width, joint_confidence, scale_within
from dpviz.planning.budgeting import Goal, Solution
from dpviz.planning.budgeting import solve as budgeting
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.error_measure import Measure, amount, in_unit_of, measure
from dpviz.planning.room import longest_training
from dpviz.planning.schedule import most_uses
from dpviz.rounding import next_above, next_below
from dpviz.ui.plan.asked import chosen_row
from dpviz.ui.plan.costs import of_unit
from dpviz.ui.plan.fit.asked import ACCURACY, MORE, NOISE, RISK, USUAL_SPLIT, USUAL_WIDTH, Question
from dpviz.ui.shell import refusals
from dpviz.ui.shell.kept import further, kept, of_one_unit, right_guesses
from dpviz.ui.shell.plan_rows import CONFIDENCE, row_for
from dpviz.ui.shell.words import escaped

STEPS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0)  # budgets drawn, as multiples of the present one
LEAST, MOST = 1e-6, 1000.0
DIGITS, DIGITS_OF_ERROR = 4, 3  # in which solved noise is told, and the error that it is told by
SAFE = {"epsilon": next_below, "delta": next_below, "scale": next_above, "sigma": next_above}  # to more noise
SAME = 1e-4  # relative difference of noise that is said to stay as it is: solving again moves its last digits


@kept(128, 3)
def solution(plan: Plan, split: str, kept: tuple[int, ...], goal: Goal | None = None) -> Solution:
    """Return `solve_noise` of what one unit meets of a plan, kept; a refusal becomes a solution without a plan."""
    try:
        return budgeting.solve_noise(met(plan), split, kept, goal)
    except ValueError as error:
        return Solution(None, refusals.clause(error))


adaptive_cost = kept(128, 1)(budgeting.adaptive_cost)
least_epsilon = kept(128, 2)(budgeting.least_epsilon)


def met(plan: Plan) -> Plan:
    """Return what one unit meets of a plan, whatever its noise: one period must meet most of every release, else all.

    Where two releases have the same noise, a period may stand for others that meet one of them in the other's place;
    with noise of their own it would not.
    """
    part = of_one_unit(plan)
    most = (most_uses(each, plan.unit_in_words) for each in plan.releases)
    return part if [each.uses for each in part.releases] == list(most) else plan


def with_noise_of(plan: Plan, solved: Plan) -> Plan:
    """Return a plan, with all its dates, with the noise of a solution for what one unit meets of it."""
    pairs = zip(plan.releases, solved.releases, strict=True)
    return replace(plan, releases=tuple(replace(each, mechanism=then.mechanism) for each, then in pairs))


def each_confidence(plan: Plan, confidence: float, jointly: bool, free: Collection[int] = ()) -> float:
    """Return how sure each number must be: as asked, or so that all that are released, kept or not, lie inside at once.

    The rows in `free` (from 0) are to get noise even if they have none yet.
    """
    if not jointly:
        return confidence
    rows = enumerate(plan.releases)
    uses = sum(each.uses for row, each in rows if row in free or not why_no_error(each.mechanism))
    return joint_confidence(confidence, min(uses, 10**9))


def adjustable(plan: Plan, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the rows (from 0) whose noise may be changed."""
    return tuple(Adjustable.of(plan, kept).rows.tolist())


def with_errors(plan: Plan, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of them that splits by error divide the budget among: all but trained models."""
    levels = Adjustable.of(plan, kept)
    return tuple(levels.but(plan, levels.models).rows.tolist())


longest = kept(64, 1, "Searching …")(longest_training)


@kept(64, 1)
def against_budget(
    plan: Plan, split: str, kept: tuple[int, ...], row: int, confidence: float
) -> tuple[pd.DataFrame, str]:
    """Return the error of release number `row` and the risk for budgets around the present one, kept.

    Returns
    -------
    pandas.DataFrame
        One row per budget that has a solution: epsilon, half_width, correct (right guesses of 100, at most), theorem.
    str
        Why budgets are left out; "" where none is.
    """
    rows, reason = [], ""
    for epsilon in _budgets(plan.budget.epsilon):
        asked = replace(plan, budget=Guarantee(epsilon, plan.budget.delta))
        solved = solution(asked, split, kept)
        if solved.plan is None:
            reason = solved.reason
            continue
        width = half_width(solved.plan.releases[row].mechanism, confidence)
        right = right_guesses(solved.plan, solved.total.epsilon, solved.by_filter)
        rows.append((epsilon, width, right, solved.label))
    return pd.DataFrame(rows, columns=["epsilon", "half_width", "correct", "theorem"]), reason


def _budgets(present: float) -> list[float]:
    """Budgets on both sides of the present one, which is among them."""
    others = (float(f"{min(max(present * step, LEAST), MOST):.3g}") for step in STEPS if step != 1)
    return sorted({*others, present})


@dataclass(frozen=True)
class Answer:
    """What a plan looks like before and after its budget is split.

    Parameters
    ----------
    asked : Question
    before : Plan
    after : Plan or None
        The plan as solved; None where the question has no answer.
    reason : str
        Why there is none.
    epsilon : float
        What the solved plan costs.
    label : str
        The theorem or filter that proves it.
    factors : tuple of float
        Noise after over noise before, per release.
    by_filter : bool
        Whether a filter proves it, so that the budget is its guarantee.
    more : int
        How many more uses fit, where that is asked.
    kinds : pandas.DataFrame, optional
        The price of an accuracy per kind of noise, where that is asked.
    condition : str
        On what the guarantee hinges, as `Solution.condition`.
    """

    asked: Question
    before: Plan
    after: Plan | None
    reason: str = ""
    epsilon: float = math.inf
    label: str = ""
    factors: tuple[float, ...] = ()
    by_filter: bool = False
    more: int = 0
    kinds: pd.DataFrame | None = None
    condition: str = ""

    @cached_property
    def stays(self) -> bool:
        """Whether the plan fits as it is, and only last digits of its noise could be saved."""
        return self.asked.solve == NOISE and self.after == self.before

    @property
    def same(self) -> bool:
        """Whether there is nothing to apply."""
        return self.after is None or self.after == self.before

    @staticmethod
    def right(plan: Plan) -> float:
        """How many of 100 guesses the best attacker gets right of a plan that is fixed in advance, at most."""
        return right_guesses(of_one_unit(plan), of_unit(plan))

    @cached_property
    def moved(self) -> list[int]:
        """The rows whose error another noise changes."""
        pairs = zip(self.widths_before, self.widths_after, strict=False)
        return [row for row, (now, then) in enumerate(pairs) if then is not None and then != now]

    @cached_property
    def each(self) -> float:
        """How sure each number must be."""
        return each_confidence(self.after or self.before, self.asked.confidence, self.asked.jointly)

    @cached_property
    def widths_before(self) -> list[float | None]:
        """±w of each release now; None without noise."""
        return _widths(self.before, self.each)

    @cached_property
    def widths_after(self) -> list[float | None]:
        """±w of each release after; those of now without an answer."""
        return _widths(self.after or self.before, self.each)

    @cached_property
    def measure(self) -> Measure | None:
        """How the errors of both states may be told together; its unit is escaped."""
        row = chosen_row(self.before)
        if row not in self.moved:  # what was changed tells more, then what could have been
            row = [*self.moved, *with_errors(self.before, self.asked.kept), row][0]
        told = measure(self.before, self.widths_before, row)
        if told and self.asked.solve == ACCURACY and (rows := in_unit_of(self.before, self.asked.row)):
            unit = self.before.releases[self.asked.row].answer_unit
            told = Measure(rows, unit or "", whole=len(rows) == sum(width is not None for width in self.widths_before))
        return told and replace(told, unit=escaped(told.unit))

    def solved(self, split: str) -> Solution:
        """Return the solution under a split."""
        return solution(self.before, split, self.asked.kept, self.asked.goal)


def _widths(plan: Plan, confidence: float) -> list[float | None]:
    mechanisms = [each.mechanism for each in plan.releases]
    return [None if why_no_error(each) else half_width(each, confidence) for each in mechanisms]


def present(plan: Plan) -> Answer:
    """Return the plan as it is, where nothing is asked."""
    return Answer(Question(NOISE, USUAL_SPLIT, (), 0.95, False, USUAL_WIDTH, 0), plan, None)


def answer(asked: Question, plan: Plan) -> Answer:
    """Return the answer to what is asked."""
    if not any(each.uses for each in plan.releases):
        return Answer(asked, plan, None, "nothing is released")
    if asked.solve in (NOISE, RISK):
        return _solved(asked, plan)
    return _more(asked, plan) if asked.solve == MORE else _priced(asked, plan)


def as_told(present: Release, solved: Mechanism) -> Mechanism:
    """Return the noise of a solution in as few digits as its cell tells, never less noise than it is.

    It is told by its error where the present one is. Noise of which more alone would be no stronger promise, since a
    threshold goes with it, stays as it was solved.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> asked = Release("Visits", Laplace(scale_within(Laplace, 40.0)))
    >>> row_for(replace(asked, mechanism=as_told(asked, Laplace(15.1234))))["noise"]
    '±45.4'
    >>> as_told(Release("Visits", Laplace.from_epsilon(0.3)), Laplace.from_epsilon(0.119581))
    Laplace.from_epsilon(epsilon=0.1195)
    """
    if solved == present.mechanism or "threshold" in solved.parameters:
        return solved
    plain = solved.base is solved and type(solved) is type(present.mechanism)
    if plain and _by_error(present):
        name = type(solved).forms[-1].needed[0]
        width = next_above(half_width(solved, CONFIDENCE), DIGITS_OF_ERROR)
        scale = scale_within(type(solved), width, CONFIDENCE) if width else 0.0
        if 1 <= scale / solved.parameters[name] <= 1 + _left(DIGITS_OF_ERROR):  # whole numbers lie further apart
            return replace(solved, **{name: scale})
    if isinstance(solved, TrainedModel):
        return replace(solved, noise_multiplier=next_above(solved.noise_multiplier, DIGITS))
    given = solved.parameters
    few = {name: rounded(given[name], DIGITS) for name, rounded in SAFE.items() if name in given}
    return mechanism_from(solved.key, given | few)


def _solved(asked: Question, plan: Plan) -> Answer:
    solved = solution(plan, asked.split, asked.kept, asked.goal)
    if solved.plan is None:
        return Answer(asked, plan, None, solved.reason)
    proof = (solved.total.epsilon, solved.label, solved.factors, solved.by_filter)
    pairs = zip(plan.releases, solved.plan.releases, strict=True)
    told = tuple(replace(each, mechanism=as_told(each, then.mechanism)) for each, then in pairs)
    after = replace(plan, releases=told)
    if asked.solve == NOISE and of_unit(plan) <= plan.budget.epsilon and _suffices(plan, solved.factors):
        after, proof = plan, (*proof[:2], (1.0,) * len(told), solved.by_filter)
    return Answer(asked, plan, after, "", *proof, condition=solved.condition)


def _suffices(plan: Plan, factors: Sequence[float]) -> bool:
    """Whether no more noise could be saved than the few digits leave in which it is told."""
    by_error = any(_by_error(each) for each in plan.releases)
    return all(math.isclose(each, 1, rel_tol=_left(DIGITS_OF_ERROR if by_error else DIGITS)) for each in factors)


def _by_error(release: Release) -> bool:
    """Whether the noise of a release is told by its error."""
    return (row_for(release)["noise"] or "").startswith("±")


def _left(digits: int) -> float:
    """How much larger a number becomes by rounding it up to so many digits, relatively, at most."""
    return 10.0 ** (1 - digits)


def _more(asked: Question, plan: Plan) -> Answer:
    if math.isinf(plan.budget.epsilon):
        return Answer(asked, plan, None, "the budget has no limit, so any number fits")
    if trains_longer(plan, asked.row):
        return _longer(asked, plan)
    found = further(of_one_unit(plan), asked.row)
    more = found.count
    if not more:
        spent = of_unit(plan)
        cost = f"the plan as it is costs ε = {amount(spent)} already"
        over = cost if math.isfinite(spent) else "no filter here admits all that is planned already"
        return Answer(asked, plan, None, over)
    release = plan.releases[asked.row]
    if release.occurrences == 1 and not release.done and release.count + more <= COUNT.high:
        longer = [replace(each, count=each.count + more) if each is release else each for each in plan.releases]
    else:  # what recurs or is done stays as it is: what is added stands in a row of its own
        extra = replace(release, name=_more_of(release), count=more, start=None, cadence=None, end=None, done=False)
        longer = [*plan.releases, extra]
    after = replace(plan, releases=tuple(longer))
    spent = of_unit(after)
    if found.filter:  # it admits all: its budget is its guarantee
        label = f"a filter by {found.filter}"
        return Answer(asked, plan, after, "", plan.budget.epsilon, label, by_filter=True, more=more)
    return Answer(asked, plan, after, "", spent, "tightest theorem", more=more)


def trains_longer(plan: Plan, row: int) -> bool:
    """Whether more of release number `row` (from 0) is a longer training, and not another model."""
    release = plan.releases[row]
    return isinstance(release.mechanism, TrainedModel) and release.uses == 1 and not (release.done or plan.adaptive)


def _longer(asked: Question, plan: Plan) -> Answer:
    """The training of a model for as long as fits, longer or shorter than planned."""
    after = longest(plan, asked.row)
    if after == plan and of_unit(plan) > plan.budget.epsilon:
        rest = of_unit(plan.without(asked.row))
        return Answer(asked, plan, None, f"without it, the plan costs ε = {amount(rest)}")
    return Answer(asked, plan, after, "", of_unit(after), "tightest theorem")


def _more_of(release: Release) -> str:
    """The name of a row of more releases like this one."""
    return f"{release.name[: LONGEST_TEXT - len(', more')]}, more"


def _priced(asked: Question, plan: Plan) -> Answer:
    try:
        free = with_errors(plan, asked.kept)
        surely = (each_confidence(plan, asked.confidence, asked.jointly, free), False)
        kinds = least_epsilon(met(plan), asked.width, *surely, asked.kept, asked.single)
    except ValueError as error:
        return Answer(asked, plan, None, refusals.clause(error))
    possible = kinds[kinds.applies]
    if possible.empty:
        return Answer(asked, plan, None, refusals.clause(kinds.reason.iloc[0]), kinds=kinds)
    best = possible.loc[possible.epsilon.idxmin()]
    after = with_noise_of(plan, best.plan)
    label = f"{best.theorem_label}, {best.label}"
    return Answer(asked, plan, after, "", best.epsilon, label, by_filter=bool(best.by_filter), kinds=kinds)
