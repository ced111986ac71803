"""Sentences of the budget page: computed from the answer, in symbols or in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.budgeting import SPLITS
from dpviz.plan import Plan
from dpviz.rounding import delta_in_words, shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.budget_inputs import ACCURACY, MORE
from dpviz.ui.words import escaped, shortened, uses

if TYPE_CHECKING:
    from dpviz.ui.budget import Answer

NAME_LENGTH = 40
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


def limit(plan: Plan, epsilon: float, in_words: bool) -> str:
    """Return a budget as part of a sentence."""
    delta = plan.budget.delta
    if in_words:
        return f"a privacy loss of **{shown_up(epsilon)}** ({delta_in_words(delta)})"
    return f"**ε = {shown_up(epsilon)}** (**δ = {shown_delta(delta)}**)"


def finding(answer: Answer, in_words: bool) -> str:
    """Return the one sentence that answers the page's question."""
    plan, asked = answer.before, answer.asked
    if not uses(plan):
        return "Nothing is released yet: there is no budget to split. Add a release on the page “Cost of a plan”."
    if answer.after is None:
        where = "" if math.isinf(plan.budget.epsilon) else f" within {limit(plan, plan.budget.epsilon, in_words)}"
        what = {MORE: f"No more of {named(plan, asked.row)} fits", ACCURACY: "This accuracy has no finite price"}
        return f"{what.get(asked.solve, 'No noise keeps these releases')}{where}: {escaped(answer.reason)}."
    sentence = {MORE: _more, ACCURACY: _price}.get(asked.solve, _noise)(answer, in_words)
    return f"{sentence} {_odds(answer)}" if in_words else sentence


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
    return f"Within {limit(plan, plan.budget.epsilon, in_words)}, {noise}: {_inside(answer)}."


def _change(factors: list[float]) -> str:
    """How the noise changes, a gain rounded down and a loss rounded up."""
    least, most = min(factors), max(factors)
    if math.isclose(least, 1, rel_tol=1e-4) and math.isclose(most, 1, rel_tol=1e-4):
        return "can stay as it is"
    if math.isclose(least, most, rel_tol=1e-3):
        if most < 1:
            return f"can shrink by **{shown_down(100 * (1 - most), 2)} %**"
        return f"must grow by **{shown_up(100 * (most - 1), 2)} %**"
    if most <= 1:
        return f"can shrink by **{shown_down(100 * (1 - most), 2)} to {shown_down(100 * (1 - least), 2)} %**"
    if least >= 1:
        return f"must grow by **{shown_up(100 * (least - 1), 2)} to {shown_up(100 * (most - 1), 2)} %**"
    return f"changes by **−{shown_down(100 * (1 - least), 2)} % to +{shown_up(100 * (most - 1), 2)} %**"


def _inside(answer: Answer) -> str:
    widths = [each for each in answer.widths_after if each is not None]
    if not widths:
        return "none of them adds noise to a number, so there is no error to state"
    every = "every number" if len(widths) == len(answer.widths_after) else "every number with noise"
    width, sure = shown_up(max(widths), 3), percent(answer.asked.confidence)
    if answer.asked.jointly:
        return f"all numbers at once would then lie within **±{width}** of the exact answers with **{sure}**"
    return f"{every} would then lie within **±{width}** of the exact answer with **{sure}**"


def _more(answer: Answer, in_words: bool) -> str:
    plan, row = answer.before, answer.asked.row
    width, sure = answer.widths_before[row], percent(answer.asked.confidence)
    error = "" if width is None else f", each within **±{shown_up(width, 3)}** of the exact answer with **{sure}**"
    what = f"**{shown_count(answer.more)} more** of {named(plan, row)}"
    fits = "fits" if answer.more == 1 else "fit"
    return f"Within {limit(plan, plan.budget.epsilon, in_words)}, {what} {fits} with the noise as it is{error}."


def _price(answer: Answer, in_words: bool) -> str:
    plan, asked = answer.before, answer.asked
    each = "all numbers at once" if asked.jointly else "every number"
    wish = f"To keep {each} within **±{shown_up(asked.width, 6)}** with **{percent(asked.confidence)}**"
    needs = f"{_these(plan)} cost {limit(plan, answer.epsilon, in_words)}"
    budget = plan.budget.epsilon
    if math.isinf(budget):
        return f"{wish}, {needs}."
    against = "within" if answer.epsilon <= budget else "more than"
    return f"{wish}, {needs}: **{against}** the budget of {'' if in_words else 'ε = '}{shown_up(budget)}."


def along_the_way(answer: Answer, cost: float | None) -> str:
    """Say what may be quoted for a plan that is chosen along the way, and what that costs in noise."""
    plan = answer.before
    done = sum(each.done for each in plan.releases)
    why = f"{done} of its releases are done" if done else "it is marked as chosen along the way"
    price = (
        "" if cost is None or cost <= 1 else f" This takes **{shown_up(cost, 3)} times** the noise of the same plan "
    )
    price += "fixed in advance." if price else ""
    proof = f" Here: {escaped(answer.label)}." if answer.label else ""
    fixed = " Its rule and budget must be fixed before the first release." if answer.by_filter else ""
    return (
        f"This plan may depend on results already seen ({why}): only a privacy filter or basic composition may be "
        f"quoted.{proof}{fixed}{price}"
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
    return f"In {loud} of {len(given)} releases with a typical value, {NOISE_EXCEEDS}: ±w is larger than the value."


def dots(inside: int, number: int, name: str, width: float) -> str:
    """Say how many of the releases that the dots stand for lie within ±w."""
    return f"{inside} of {number} releases of {name} fall within ±{shown_up(width, 3)}"


def worked(answer: Answer, key: str) -> str:
    """Return one line that shows a split at work on this plan."""
    solved = answer.solved(key)
    if solved.plan is None:
        return f"Here it has no answer: {escaped(solved.reason)}."
    free = [row for row, factor in enumerate(solved.factors) if factor != 1.0] or [0]
    noise = (f"row {row + 1}: {escaped(str(solved.plan.releases[row].mechanism))}" for row in free[:3])
    more = f" and {len(free) - 3} more rows" if len(free) > 3 else ""
    total = f"ε ≤ {shown_up(solved.total.epsilon, 6)} at δ = {shown_delta(solved.total.delta)}"
    return f"Here: noise × {solved.factor:.4g} on average; {', '.join(noise)}{more}; {total} ({escaped(solved.label)})."


def split_label(key: str) -> str:
    """Return the name of a split."""
    return next(split.label for split in SPLITS if split.key == key)
