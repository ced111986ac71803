"""Sentences of the budget page: computed from the answer, in symbols or in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.plan import Plan
from dpviz.rounding import delta_in_words, shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.budget_cache import adjustable
from dpviz.ui.budget_inputs import ACCURACY, MORE, NOISE
from dpviz.ui.words import escaped, shortened, uses

if TYPE_CHECKING:
    from dpviz.ui.budget import Answer

NAME_LENGTH = 40
AT_ONCE = "all numbers at once, counting one number per use,"
RELATIVE = "relative"  # the split that needs typical values
MUCH = 10  # times the present error
SAME = 1e-6  # relative difference of two factors that are one
NOISE_EXCEEDS = "the noise exceeds the signal"
NOISE_BELOW = "the noise stays below the signal"
NO_TYPICAL = "no typical value given"


def named(plan: Plan, row: int) -> str:
    """Return a release's number and name, shortened and escaped."""
    return f"row {row + 1}, “{escaped(shortened(plan.releases[row].name, NAME_LENGTH))}”"


def percent(confidence: float) -> str:
    r"""Return a confidence as people read it, rounded down, its sign never on a line of its own.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95\xa0%', '99.9\xa0%')
    """
    return f"{shown_down(float(f'{100 * confidence:.10g}'), 6)}\u00a0%"


def amount(value: float, digits: int = 4) -> str:
    """Return a number rounded up, with separators between thousands.

    Examples
    --------
    >>> amount(1783000), amount(1250.5), amount(17.3412)
    ('1,783,000', '1,251', '17.35')
    """
    text = shown_up(value, digits)
    return shown_count(int(text)) if text.isdecimal() else text


def limit(plan: Plan, epsilon: float, in_words: bool) -> str:
    """Return a budget as part of a sentence."""
    delta = plan.budget.delta
    if in_words:
        return f"a privacy loss of **{amount(epsilon)}** ({delta_in_words(delta)})"
    return f"**ε = {amount(epsilon)}** (**δ = {shown_delta(delta)}**)"


def finding(answer: Answer, in_words: bool) -> str:
    """Return the one sentence that answers the page's question."""
    plan, asked = answer.before, answer.asked
    if not uses(plan):
        return "Nothing is released yet: there is no budget to split. Add a release on the page “Cost of a plan”."
    if answer.after is None and (sentence := _unsolvable(answer)):
        return sentence
    if answer.after is None:
        where = "" if math.isinf(plan.budget.epsilon) else f" within {limit(plan, plan.budget.epsilon, in_words)}"
        what = {MORE: f"No more of {named(plan, asked.row)} fits", ACCURACY: "This accuracy has no finite price"}
        return f"{what.get(asked.solve, 'No noise keeps these releases')}{where}: {escaped(answer.reason)}."
    sentence = {MORE: _more, ACCURACY: _price}.get(asked.solve, _noise)(answer, in_words)
    return f"{sentence} {_odds(answer)}" if in_words else sentence


def _unsolvable(answer: Answer) -> str:
    """What the question lacks, where that is no matter of the budget; "" where it lacks nothing."""
    plan, asked = answer.before, answer.asked
    if asked.solve == MORE or not 0 < plan.budget.epsilon < math.inf or plan.budget.delta >= 1:
        return ""
    rows = adjustable(plan, asked.kept)
    if not rows:
        return "No release can be adjusted: all are kept as they are, done, without uses, or without noise."
    missing = sum(not plan.releases[row].typical for row in rows)
    if asked.solve != NOISE or asked.split != RELATIVE or not missing:
        return ""
    every = "every row" if len(rows) == len(plan.releases) else "every row that is not kept"
    return f"This split needs a typical value in {every}: missing in **{missing} of {len(rows)}**."


def _odds(answer: Answer) -> str:
    """What an attacker gains from the solved plan, as a frequency."""
    right = shown_up(answer.correct, 3)
    return (
        f"Of **100** guesses whether one {escaped(answer.before.unit)} is in the data, an attacker who knows all other "
        f"data then gets at most **{right}** right (50 is a coin flip)."
    )


def _these(plan: Plan) -> str:
    total = uses(plan)
    return "this **1 release**" if total == 1 else f"these **{shown_count(total)} releases**"


def _noise(answer: Answer, in_words: bool) -> str:
    plan = answer.before
    held = len(answer.asked.kept)
    besides = f" ({held} of {len(plan.releases)} rows kept as {'it is' if held == 1 else 'they are'})" if held else ""
    change = _change([each for each in answer.factors if each != 1.0] or [1.0])
    noise = f"the noise of {_these(plan)}{besides} {change}"
    condition = f" This {answer.condition}." if answer.condition else ""
    return f"Within {limit(plan, plan.budget.epsilon, in_words)}, {noise}: {_inside(answer)}.{condition}"


def _change(factors: list[float]) -> str:
    """How the noise changes, a gain rounded down and a loss rounded up."""
    least, most = min(factors), max(factors)
    if math.isclose(least, 1, rel_tol=1e-4) and math.isclose(most, 1, rel_tol=1e-4):
        return "can stay as it is"
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
    return shown_down(100 * (1 - factor), 2)


def _gain(factor: float) -> str:
    """In percent: to the whole percent where two digits would be coarser."""
    percents = float(f"{100 * (factor - 1):.10g}")
    return amount(percents, max(2, min(len(f"{math.ceil(percents):d}"), 6)))


def _inside(answer: Answer) -> str:
    widths = [each for each in answer.widths_after if each is not None]
    if not widths:
        return "none of them adds noise to a number, so there is no error to state"
    every = "every number" if len(widths) == len(answer.widths_after) else "every number with noise"
    width, sure = amount(max(widths), 3), percent(answer.asked.confidence)
    if answer.asked.jointly:
        return f"{AT_ONCE} would then lie within **±{width}** of the exact answers with probability **{sure}**"
    return f"{every} would then lie within **±{width}** of the exact answer with probability **{sure}**"


def _more(answer: Answer, in_words: bool) -> str:
    plan, row = answer.before, answer.asked.row
    width, sure = answer.widths_before[row], percent(answer.asked.confidence)
    within = "" if width is None else f", each within **±{amount(width, 3)}** of the exact answer"
    error = f"{within} with probability **{sure}**" if within else ""
    what = f"**{shown_count(answer.more)} more** of {named(plan, row)}"
    fits = "fits" if answer.more == 1 else "fit"
    return f"Within {limit(plan, plan.budget.epsilon, in_words)}, {what} {fits} with the noise as it is{error}."


def _price(answer: Answer, in_words: bool) -> str:
    plan, asked = answer.before, answer.asked
    each = AT_ONCE if asked.jointly else "every number"
    if {row for row, release in enumerate(plan.releases) if release.uses} & set(asked.kept):
        each += " of the rows that are not kept"
    sure = f"with probability **{percent(asked.confidence)}**"
    wish = f"To keep {each} within **±{amount(asked.width, 6)}** {sure}"
    needs = f"{_these(plan)} cost {limit(plan, answer.epsilon, in_words)}"
    budget = plan.budget.epsilon
    if math.isinf(budget):
        return f"{wish}, {needs}."
    against = "within" if answer.epsilon <= budget else "more than"
    return f"{wish}, {needs}: **{against}** the budget of {'' if in_words else 'ε = '}{amount(budget)}."


def along_the_way(answer: Answer, cost: float | None) -> str:
    """Say what may be quoted for a plan that is chosen along the way, and what that costs in noise."""
    price = (
        "" if cost is None or cost <= 1 else f" This takes **{shown_up(cost, 3)} times** the noise of the same plan "
    )
    price += "fixed in advance." if price else ""
    proof = f" Here: {escaped(answer.label)}." if answer.label else ""
    unsaid = answer.by_filter and not answer.condition
    fixed = " Its rule and budget must be fixed before the first release." if unsaid else ""
    return (
        "This plan may depend on results already seen (it is marked as chosen along the way): only a privacy filter or "
        f"basic composition may be quoted.{proof}{fixed}{price}"
    )


def verdict(width: float | None, typical: float | None) -> str:
    """Say in words whether the noise exceeds the signal."""
    if width is None:
        return "no noise"
    if typical is None:
        return NO_TYPICAL
    return NOISE_EXCEEDS if width > typical else NOISE_BELOW


def exceeding(answer: Answer) -> str:
    """Say in how many releases the noise exceeds the signal; what to add where no typical value is known."""
    plan = answer.after or answer.before
    widths = answer.widths_after if answer.after else answer.widths_before
    known = [(each.typical, width) for each, width in zip(plan.releases, widths, strict=True) if width is not None]
    given = [(typical, width) for typical, width in known if typical is not None]
    if not given:
        return "Give typical values in the table, and it says where the noise exceeds the signal." if known else ""
    loud = sum(width > typical for typical, width in given)
    if not loud:
        those = "the release" if len(given) == 1 else f"none of the {len(given)} releases"
        return f"In {those} with a typical value, {NOISE_BELOW if len(given) == 1 else NOISE_EXCEEDS}."
    those = "the release" if len(given) == 1 else f"{loud} of {len(given)} releases"
    return f"In {those} with a typical value, {NOISE_EXCEEDS}: ±w is larger than the value."


def widest_goes(before: list[float | None], after: list[float | None]) -> str:
    """Say what becomes of the widest error, and how many others go the other way; what is shown the same is the same.

    Examples
    --------
    >>> widest_goes([52.14, 13.7], [20.0, 20.0])
    'The widest error shrinks from ±52.2 to ±20; 1 of 2 grow'
    >>> widest_goes([52.14], [52.15])
    'The widest error stays as it is'
    """
    pairs = [pair for pair in zip(before, after, strict=False) if None not in pair]
    if not pairs:
        return "Spend of each release, now and then"
    was, now = (amount(max(widths), 3) for widths in zip(*pairs, strict=True))
    changed = [(old, new) for old, new in pairs if amount(old, 3) != amount(new, 3)]
    grown, shrunk = sum(old < new for old, new in changed), sum(old > new for old, new in changed)
    larger = max(new for _, new in pairs) > max(old for old, _ in pairs)
    if was == now:
        moves = ((grown, "grow"), (shrunk, "shrink"))
        others = [f"{number} of {len(pairs)} {verb}" for number, verb in moves if number]
        return "; ".join(["The widest error stays as it is", *others])
    verb, number, others = ("grows", shrunk, "shrink") if larger else ("shrinks", grown, "grow")
    rest = f"; {number} of {len(pairs)} {others}" if number else ""
    return f"The widest error {verb} from ±{was} to ±{now}{rest}"


def too_wide(answer: Answer) -> str:
    """Warn of rows for which the one ±w that is asked of all is no accuracy; "" where there is none."""
    plan, width = answer.before, answer.asked.width
    rows = [
        row
        for row in adjustable(plan, answer.asked.kept)
        if width > (plan.releases[row].typical or math.inf) or width > MUCH * (answer.widths_before[row] or math.inf)
    ]
    if not rows:
        return ""
    names = ", ".join(named(plan, row) for row in rows[:3])
    names += f" and {len(rows) - 3} more" if len(rows) > 3 else ""
    keep = "it as it is" if len(rows) == 1 else "them as they are"
    return (
        f"±{amount(width, 6)} exceeds the typical value, or {MUCH} times the present error, of {names}: keep {keep}, "
        "since rows may be in different units."
    )


def dots(inside: int, number: int, name: str, width: float) -> str:
    """Say how many of the releases that the dots stand for lie within ±w."""
    return f"{inside} of {number} releases of {name} fall within ±{amount(width, 3)}"


def worked(answer: Answer, key: str) -> str:
    """Return one line that shows a split at work on this plan."""
    solved = answer.solved(key)
    if solved.plan is None:
        return f"Here it has no answer: {escaped(solved.reason)}."
    free = [row for row, factor in enumerate(solved.factors) if factor != 1.0] or [0]
    noise = (f"row {row + 1}: {escaped(str(solved.plan.releases[row].mechanism))}" for row in free[:3])
    more = f" and {len(free) - 3} more rows" if len(free) > 3 else ""
    total = f"ε ≤ {shown_up(solved.total.epsilon, 6)} at δ = {shown_delta(solved.total.delta)}"
    proof = f"{escaped(solved.label)}{'; it ' if solved.condition else ''}{solved.condition}"
    return f"Here: noise × {solved.factor:.4g} on average; {', '.join(noise)}{more}; {total} ({proof})."
