"""Sentences of the panel “Fit to budget”: computed from the answer, in symbols or in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.mechanisms.left_open import why_no_error
from dpviz.plan import Plan
from dpviz.planning.budgeting.solve import split_named
from dpviz.planning.error_measure import amount, goes, in_unit_of, moves
from dpviz.planning.room import most_epochs
from dpviz.planning.schedule import most_uses
from dpviz.rounding import (
    next_above,
    shown_budget,
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_right,
    shown_total,
    shown_up,
    shown_used,
)
from dpviz.ui.plan.costs import of_unit
from dpviz.ui.plan.fit.answer import SAME, adjustable, met, trains_longer, with_errors
from dpviz.ui.plan.fit.asked import ACCURACY, MORE, NOISE, RISK
from dpviz.ui.shell import reading
from dpviz.ui.shell.document import table_state
from dpviz.ui.shell.kept import one_unit
from dpviz.ui.shell.words import escaped, shortened, uses

if TYPE_CHECKING:
    import pandas

    from dpviz.ui.plan.fit.answer import Answer

NAME_LENGTH = 40
APPLIED = "If applied:"  # before what a proposal would change
SUFFICES = "can stay as it is"
AT_ONCE = "all numbers at once, counting one number per use,"
RELATIVE = "relative"  # the split that needs typical values
_UNCHANGEABLE = "all are kept as they are, done, without uses, or without noise"
MUCH = 10  # times the present error


def named(plan: Plan, row: int) -> str:
    """Return a release's number and name, shortened and escaped."""
    return f"row {table_state.number(row)}, “{escaped(shortened(plan.releases[row].name, NAME_LENGTH))}”"


def _listed(plan: Plan, rows: Sequence[int]) -> str:
    names = ", ".join(named(plan, row) for row in rows[:3])
    return names + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")


def percent(confidence: float) -> str:
    r"""Return a confidence as people read it, rounded down, its sign never on a line of its own.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95\xa0%', '99.9\xa0%')
    """
    return f"{shown_down(float(f'{100 * confidence:.10g}'), 6)}\u00a0%"


def limit(plan: Plan, epsilon: float) -> str:
    """Return a budget as part of a sentence: the plan's own as it was typed, a larger one rounded up."""
    shown = shown_budget(epsilon) if epsilon == plan.budget.epsilon else amount(epsilon)
    return f"**ε = {shown}** (**δ = {shown_delta(plan.budget.delta)}**)"


def of_a_part(plan: Plan) -> str:
    """Say of a plan whose dates run beyond its unit that what one unit meets is fitted, or all."""
    unit, part = escaped(plan.unit_in_words), met(plan)
    if part == plan:
        return f"All dates together are fitted here. One **{unit}** meets some of them, and may lose less."
    return (
        f"One **{unit}** meets {shown_count(uses(part))} of these {shown_count(uses(plan))} releases, and the budget "
        "holds their cost."
    )


def finding(answer: Answer) -> str:
    """Return the one sentence that answers the page's question."""
    plan, asked = answer.before, answer.asked
    if not uses(plan):
        return "Nothing is released yet: there is no budget to split. Add a release to the table."
    if asked.solve in (NOISE, MORE) and math.isinf(plan.budget.epsilon):
        return "No budget is set, so there is nothing to fit to: say in the sentence above what all may cost at most."
    if answer.after is None and (sentence := _unsolvable(answer)):
        return sentence
    if answer.after is None:
        return _no_answer(answer)
    return {MORE: _more, ACCURACY: _price, RISK: _risk}.get(asked.solve, _noise)(answer)


def _no_answer(answer: Answer) -> str:
    plan, asked = answer.before, answer.asked
    where = "" if math.isinf(plan.budget.epsilon) else f" within {limit(plan, plan.budget.epsilon)}"
    if asked.solve == MORE:
        what = f"No more of {named(plan, asked.row)} fits"
        if trains_longer(plan, asked.row):
            unit = "epoch" if plan.releases[asked.row].mechanism.epochs else "step"
            what = f"Not even one {unit} of {named(plan, asked.row)} fits"
    elif asked.solve == ACCURACY:
        what, where = "This accuracy has no finite price", ""
    elif asked.solve == RISK:
        what, where = "No noise is the least that keeps this risk", ""
    elif of_unit(plan) <= plan.budget.epsilon < math.inf:  # as they are, these releases fit
        what = f"The split “{split_named(asked.split).label}” has no answer"
    else:
        what = "However much noise is added, these releases do not stay"
    return f"{what}{where}: {escaped(answer.reason)}."


def without_error(answer: Answer) -> tuple[int, ...]:
    """Return the rows (from 0) for which a relative error is asked, though they add no noise to a number."""
    plan, asked = answer.before, answer.asked
    if asked.solve not in (NOISE, RISK) or asked.split != RELATIVE:
        return ()
    rows = with_errors(plan, asked.kept) or adjustable(plan, asked.kept)
    return tuple(row for row in rows if why_no_error(plan.releases[row].mechanism))


def _unsolvable(answer: Answer) -> str:
    """What the question lacks, where that is no matter of the budget; "" where it lacks nothing."""
    plan, asked = answer.before, answer.asked
    unlimited = asked.solve != RISK and not 0 < plan.budget.epsilon < math.inf
    if asked.solve == MORE or unlimited or plan.budget.delta >= 1:
        return ""
    if asked.solve == ACCURACY and (mute := why_no_error(plan.releases[asked.row].mechanism)):
        return f"No error can be asked of {named(plan, asked.row)}: {mute}."
    rows = adjustable(plan, asked.kept)
    if not rows:
        return f"No release can be adjusted: {_UNCHANGEABLE}."
    if mute := without_error(answer):
        have, keep = ("has", "it as it is") if len(mute) == 1 else ("have", "them as they are")
        return (
            f"No noise gives all rows an equal relative error, because {_listed(plan, mute)} {have} none: "
            f"{why_no_error(plan.releases[mute[0]].mechanism)}. Keep {keep}, or choose another split."
        )
    rows = with_errors(plan, asked.kept)
    missing = sum(not plan.releases[row].typical for row in rows)
    if asked.solve not in (NOISE, RISK) or asked.split != RELATIVE or not missing:
        return ""
    every = "every row" if len(rows) == len(plan.releases) else "every row that is not kept"
    return f"This split needs a typical value in {every}: missing in **{missing} of {len(rows)}**."


def _these(number: int) -> str:
    return "this **1 release**" if number == 1 else f"these **{shown_count(number)} releases**"


def _noise(answer: Answer) -> str:
    plan = answer.before
    inside = f"{_inside(answer)}.{_models(answer)}{_condition(answer)}"
    return f"Within {limit(plan, plan.budget.epsilon)}, {_changed(answer)}: {inside}{_spent(answer)}"


def _spent(answer: Answer) -> str:
    """What it means for an attacker to keep a budget, or to spend what is left of it; "" where nothing changes."""
    now = of_unit(answer.before)
    if answer.same or answer.before.adaptive or now == answer.epsilon or max(now, answer.epsilon) == math.inf:
        return ""
    before, after = (shown_right(answer.right(plan)) for plan in (answer.before, answer.after))
    who = "That spends what is left of the budget: an" if now < answer.epsilon else "An"
    return f" {who} attacker is right in at most **{after} of 100** guesses then, and in {before} now."


def _models(answer: Answer) -> str:
    """How a split by error treats trained models; "" where it does not matter."""
    plan, asked = answer.before, answer.asked
    free = adjustable(plan, asked.kept)
    models = [row for row in free if row not in with_errors(plan, asked.kept)]
    if not models or len(models) == len(free) or not split_named(asked.split).weighs_errors:
        return ""
    which = "The trained model is" if len(models) == 1 else "Trained models are"
    return f" {which} scaled as planned: noise on gradients compares with no error."


def _changed(answer: Answer) -> str:
    """What becomes of the noise."""
    plan, rows = answer.before, adjustable(answer.before, answer.asked.kept)
    held, number = len(plan.releases) - len(rows), sum(plan.releases[row].uses for row in rows)
    stay = "stays as it is" if held == 1 else "stay as they are"
    besides = f" ({held} of {len(plan.releases)} rows {stay})" if held else ""
    change = _change([each for each in answer.factors if each != 1.0] or [1.0])
    if change == SUFFICES:
        return f"the noise {change}"
    return f"the noise of {_these(number)}{besides} {change}"


def _condition(answer: Answer) -> str:
    return f" This {answer.condition}." if answer.condition else ""


def _risk(answer: Answer) -> str:
    """The noise that a risk takes, and what it costs."""
    goal, plan = answer.asked.goal, answer.before
    if goal.advantage is not None:
        right = f"**{shown_up(50 * (1 + goal.advantage), 5)} of 100** guesses"
        kept = f"So that the best attacker is right in at most {right}"
    else:
        wrong, missed = percent(goal.false_positive_rate), percent(goal.false_negative_rate)
        kept = f"So that who accuses wrongly in **{wrong}** of cases misses at least **{missed}**"
    cost = f"costs at most {limit(plan, answer.epsilon)}" if math.isfinite(answer.epsilon) else "has no finite cost"
    return f"{kept}, {_changed(answer)}; that {cost}: {_inside(answer)}.{_models(answer)}{_condition(answer)}"


def _change(factors: list[float]) -> str:
    """How the noise changes, a gain rounded down and a loss rounded up."""
    least, most = min(factors), max(factors)
    if math.isclose(least, 1, rel_tol=SAME) and math.isclose(most, 1, rel_tol=SAME):
        return SUFFICES
    if math.isclose(least, most, rel_tol=1e-3):
        if most < 1:
            return f"can shrink by **{_loss(most)} %**"
        return f"must grow by **{_gain(most)} %**"
    if most <= 1:
        return f"can shrink by **{_loss(most)} to {_loss(least)} %**"
    if least >= 1:
        return f"must grow by **{_gain(least)} to {_gain(most)} %**"
    return f"changes by **−{_loss(least)} % to +{_gain(most)} %**"


def _loss(factor: float) -> str:
    return shown_down(100 * (1 - factor), 3)


def _gain(factor: float) -> str:
    """In percent, in three digits, and at least to a tenth of a percent up to a thousandfold."""
    percents = float(f"{100 * (factor - 1):.10g}")
    return amount(percents, max(3, min(len(f"{math.ceil(percents):d}") + 1, 6)))


def _inside(answer: Answer) -> str:
    plan, told = answer.after, answer.measure
    if told is None:
        return "none of them adds noise to a number, so there is no error to state"
    if not answer.moved and not all(math.isclose(each, 1, rel_tol=SAME) for each in answer.factors):
        return "no error changes of a number with added noise, only the rest does"
    widths = answer.widths_before if answer.stays else answer.widths_after
    kept = told.whole and not answer.asked.jointly and answer.asked.kept and answer.moved and not answer.stays
    if kept:  # of those whose noise changes
        told = replace(told, rows=tuple(row for row in told.rows if row in answer.moved) or told.rows)
    width, sure = told.widest(plan, widths), f"with probability **{percent(answer.asked.confidence)}**"
    far, of = width.removeprefix("±"), " of its typical value" if told.relative else ""
    if told.whole and not answer.asked.jointly:
        each = "even the least accurate number" if len(told.rows) > 1 else "each number"
        each += _apart(plan, told.rows)
        each = _of_those(plan, answer.moved, told.rows) if kept else each
        lies = "is" if answer.stays else "would then be"
        return f"{sure}, {each} {lies} off by at most **{far}**{of}"
    near, lie = f"within **{width}** of the exact answer", "lie" if answer.stays else "would then lie"
    if told.relative:
        of = " of their typical values"
        near, lie = f"by at most **{far}**{of}", "are off" if answer.stays else "would then be off"
    if not told.whole:
        rows = _asked_rows(plan, told.rows)
        if answer.asked.jointly:
            return f"{AT_ONCE} {lie} within their ±w {sure}, {rows} {near}"
        return f"the numbers of {rows} {lie} {near} {sure}"
    return f"{AT_ONCE} {lie} {near} {sure}"


def _apart(plan: Plan, rows: Collection[int]) -> str:
    """Which releases are not among those whose errors are told; "" where all are."""
    others = [each for row, each in enumerate(plan.releases) if row not in rows]
    if not others:
        return ""
    return ", survey answers apart," if all(each.kind == "survey" for each in others) else " with noise"


def _of_those(plan: Plan, moved: Collection[int], rows: Sequence[int]) -> str:
    """Whose errors are told, of releases whose noise changes: a survey among them has none of this sort."""
    if len(rows) == len(moved):
        return "each of their numbers"
    return named(plan, rows[0]) if len(rows) == 1 else "each of their numbers with added noise"


def _asked_rows(plan: Plan, rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return f"{named(plan, rows[0])},"
    return f"the **{len(rows)}** rows in **{escaped(plan.releases[rows[0]].answer_unit)}**"


def _longer(answer: Answer) -> str:
    """How long a model may be trained, beside how long it is to be."""
    plan, row = answer.before, answer.asked.row
    now, then = (each.releases[row].mechanism for each in (plan, answer.after))
    unit = "epochs" if now.epochs else "steps"
    planned, fits = (getattr(each, unit) for each in (now, then))
    within = f"Within {limit(plan, plan.budget.epsilon)}, {named(plan, row)} may be trained for"
    if fits == planned and fits % 1:  # more than so many whole ones, and fewer than one more
        return f"{within} **{fits:g} {unit}** as planned, and not for {shown_count(math.ceil(fits))}."
    most = "at least" if fits >= most_epochs(now) else "at most"
    many = f"{shown_count(int(fits))} {unit.removesuffix('s') if fits == 1 else unit}"
    beside = " as planned" if fits == planned else f", where {planned:,g} are planned"
    return f"{within} {most} **{many}**{beside}, with all else as it is."


def _more(answer: Answer) -> str:
    plan, row = answer.before, answer.asked.row
    if trains_longer(plan, row):
        return _longer(answer)
    width, sure = answer.widths_before[row], percent(answer.asked.confidence)
    unit = plan.releases[row].answer_unit
    wide = "" if width is None else f"±{shown_error(width)}{f' {escaped(unit)}' if unit else ''}"
    within = wide and f", each within **{wide}** of the exact answer"
    error = f"{within} with probability **{sure}**" if within else ""
    more = "release" if answer.more == 1 else "releases"
    what = f"**{shown_count(answer.more)} more {more}** like {named(plan, row)}"
    fits = "fits" if answer.more == 1 else "fit"
    beside = _already(plan, row)
    return f"Within {limit(plan, plan.budget.epsilon)}, {what} {fits}{beside}, with the noise as it is{error}."


def _already(plan: Plan, row: int) -> str:
    """Beside how many of a release more fit: those of its dates, or those that one unit meets of them."""
    days = plan.releases[row].occurrences
    if cost := one_unit(plan):
        there = shown_count(most_uses(plan.releases[row], plan.unit_in_words))
        return f" in any one {cost.window}, beside the {there} of it that count there now"
    return f" beside the {shown_count(days)} that it holds now" if days > 1 else ""


def _price(answer: Answer) -> str:
    plan, asked = answer.before, answer.asked
    rows = in_unit_of(plan, asked.row)
    unit = plan.releases[asked.row].answer_unit
    width = f"**±{amount(asked.width, 6)}{f' {escaped(unit)}' if unit else ''}**"
    sure = f"with probability **{percent(asked.confidence)}**"
    within = f"within {width} and {AT_ONCE} within their ±w" if asked.jointly else f"within {width}"
    wish = f"To keep {_asked_rows(plan, rows)} {within} {sure}"
    number = uses(met(plan))
    needs = f"{_these(number)} {'costs' if number == 1 else 'cost'} at most {limit(plan, answer.epsilon)}"
    needs += _other_kinds(answer)
    budget = plan.budget.epsilon
    if math.isinf(budget):
        return f"{wish}, {needs}."
    against = "within" if answer.epsilon <= budget else "more than"
    return f"{wish}, {needs}: **{against}** the budget of ε = {amount(budget)}."


def _other_kinds(answer: Answer) -> str:
    """Say that an answer takes noise of another kind; "" where it takes the same."""
    releases = zip(answer.before.releases, (answer.after or answer.before).releases, strict=False)
    bases = [(now.mechanism.base, then.mechanism.base) for now, then in releases]
    other = sorted({then.label for now, then in bases if type(now) is not type(then)})
    return f", with **{escaped(' and '.join(other))}** noise in the place of what is planned" if other else ""


def along_the_way(answer: Answer, cost: float | None) -> str:
    """Say what may be quoted for a plan that is chosen along the way, and what that costs in noise."""
    price = (
        "" if cost is None or cost <= 1
        else f" The noise is **{shown_up(cost, 3)} times** what would do if the plan were fixed in advance."
    )  # fmt: skip
    proof = f" Here: {escaped(answer.label)}." if answer.label else ""
    unsaid = answer.by_filter and not answer.condition
    fixed = " Its rule and budget must be fixed before the first release." if unsaid else ""
    return (
        "This plan is marked as chosen along the way, so it may depend on results already seen: only a privacy filter "
        f"or basic composition may be quoted.{proof}{fixed}{price}"
    )


def title(answer: Answer) -> str:
    """Say what becomes of the errors: of the widest where they may be compared, else how many grow or shrink."""
    told, before, after = answer.measure, answer.before, answer.after
    if told is None:
        return "No number has an error to compare"
    if told.whole:
        widest = goes(told, told.values(before, answer.widths_before), told.values(after, answer.widths_after))
        return f"{APPLIED} {widest[0].lower()}{widest[1:]}"
    pairs = zip(answer.widths_before, answer.widths_after, strict=False)
    moved = moves(*zip(*(pair for pair in pairs if None not in pair), strict=True))
    return f"{APPLIED} errors, each in its own unit: {moved}" if moved else f"{APPLIED} no error changes"


def with_gaussian(now: float, then: float, limit: float, kept: bool) -> str:
    """Say what Gaussian noise of the same errors would cost, also of what is `kept`."""
    same = f"With the errors of now{', also of what is kept' * kept}"
    if reading.people() and 0 < limit < math.inf:
        cost = f"{shown_used(then, limit)} of the budget, and not {shown_used(now, limit)}"
        return f"{same}, noise of another shape (Gaussian) would use **{cost}**."
    cost = f"ε = {shown_total(then, limit)}, and not {shown_total(now, limit)}"
    return f"{same}, Gaussian noise would cost **{cost}**."


def least_accurate(answer: Answer) -> str:
    """Say whose numbers are the roughest for what they are about, of releases whose typical value is stated."""
    widths = zip(answer.before.releases, answer.widths_before, strict=True)
    sized = ((each, width) for each, width in widths if width is not None and each.typical)
    shares = {each.name: next_above(width, 3) / abs(each.typical) for each, width in sized}
    if len(shares) < 2:
        return "How far the numbers of each release stray"
    name = max(shares, key=shares.get)
    share = amount(100 * shares[name], 3)
    least = f"“{escaped(shortened(name, NAME_LENGTH))}” is least accurate for its size"
    return f"{least}: off by up to {share} % of its typical value, 19 times of 20"


def moved(frame: pandas.DataFrame) -> str:
    """Say how many errors differ from those of plan A, each in its own unit."""
    before, after = (frame[f"width_{name}"].fillna(frame[f"points_{name}"]) for name in ("before", "after"))
    both = before.notna() & after.notna()
    if not both.any():
        return "No release of plan A has an error to compare with"
    said = moves(before[both], after[both])
    return f"Errors, from plan A to now: {said}" if said else "No error is larger or smaller than in plan A"


def too_wide(answer: Answer) -> str:
    """Warn of rows for which the one ±w that is asked of all is no accuracy; "" where there is none."""
    plan, width = answer.before, answer.asked.width
    rows = [
        row
        for row in with_errors(plan, answer.asked.kept)
        if width > (plan.releases[row].typical or math.inf) or width > MUCH * (answer.widths_before[row] or math.inf)
    ]
    if not rows:
        return ""
    names = _listed(plan, rows)
    keep = "it as it is" if len(rows) == 1 else "them as they are"
    return f"±{amount(width, 6)} exceeds the typical value, or {MUCH} times the present error, of {names}: keep {keep}."


def dots(state: pandas.DataFrame, name: str, unit: str | None, proposed: bool = False) -> str:
    """Say how many of the numbers that the dots of a state stand for lie within ±w, or would if it were applied."""
    width = f"±{shown_error(state.half_width.iloc[0])}{f' {unit}' if unit else ''}"
    start = f"{APPLIED} " if proposed else ""
    return f"{start}{int(state.inside.sum())} of {len(state)} numbers of “{name}” fall within {width} of the exact one"


def worked(answer: Answer, key: str) -> str:
    """Return one line that shows a split at work on this plan."""
    solved = answer.solved(key)
    if solved.plan is None:
        return f"Here it has no answer: {escaped(solved.reason)}."
    free = [row for row, factor in enumerate(solved.factors) if factor != 1.0] or [0]
    noise = (f"row {table_state.number(row)}: {escaped(str(solved.plan.releases[row].mechanism))}" for row in free[:3])
    more = f" and {len(free) - 3} more rows" if len(free) > 3 else ""
    total = shown_total(solved.total.epsilon, solved.plan.budget.epsilon)
    cost = f"ε ≤ {total} at δ = {shown_delta(solved.total.delta)}"
    proof = f"{escaped(solved.label)}{'; it ' if solved.condition else ''}{solved.condition}"
    return f"Here: noise × {solved.factor:.4g} on average; {', '.join(noise)}{more}; {cost} ({proof})."
