"""Sentences of the workbench, computed from where a plan stands, in symbols or without. Visitors' text is escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from dpviz.adversary.odds import guessed as guessed_right
from dpviz.decimals import typed
from dpviz.mechanisms import Gaussian, Mechanism, RandomizedResponse, TrainedModel
from dpviz.mechanisms.left_open import DERIVED, UNKNOWN_NOISE, why_no_error
from dpviz.mechanisms.left_open import OPEN as OPEN_SENSITIVITY
from dpviz.plan import Plan, Release
from dpviz.plan.derived import ASSUMED, MOST_BARS, Known
from dpviz.plan.kinds import DIFFERENT
from dpviz.plan.periods import lasting
from dpviz.plan.release import LONGEST_TEXT
from dpviz.plan.sensitivity import Sensitivity
from dpviz.plan.units import kinds, whose
from dpviz.planning import deployments
from dpviz.planning.accuracy import points_off, share_half_width, true_answers
from dpviz.planning.advice.promise import answered_openly
from dpviz.planning.attained import in_one_bar
from dpviz.planning.error_measure import amount
from dpviz.planning.scenario import hindering, learns_least
from dpviz.report.said import its_time, over_its_time
from dpviz.rounding import (
    MUCH,
    next_above,
    probability_in_words,
    shown_between,
    shown_budget,
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_near,
    shown_relative,
    shown_rest,
    shown_right,
    shown_share,
    shown_total,
    shown_up,
    shown_used,
)
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.answer import width as width_of
from dpviz.ui.shell import plan_rows, reading
from dpviz.ui.shell.kept import one_unit
from dpviz.ui.shell.typed import counted_number
from dpviz.ui.shell.words import escaped, only_renamed, shortened, uses

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas

NAME_LENGTH = 40
NOT_SAID = "open, until it is said what it is"
RATE_DIGITS = 6
UNKNOWN = "? sensitivity"  # an error that follows from a sensitivity which is open
TYPED = 4  # digits of an error that somebody types; one that was solved for has more, and is told as it is elsewhere
MOST_NAMED = 4  # releases in one line
# What is said in the place of "within budget": rows are left out, or what was answered makes the total another one.
LACKING = "; rows that do not count are not in it."
UNGUESSED = "How often an attacker guesses right about one **{}** is not counted yet."
RENAMED = "**only the word “{}” has become “{}”**"
OUTGROWN = "**sensitivities that were typed may be too small**"
OUTSTATED = "**a loss that was stated may be too small**"
LONGER = "**what is asked below may change it**"
PARTLY, FAULTY = "**the plan is not complete**", "**an answer about this plan is not counted yet**"
MOST_MET = 3  # releases of which it is said how often one unit meets them
FITS, OVER, OPEN = ":material/check_circle:", ":material/error:", ":material/info:"  # signs, beside the word


def verdict(stand: Standing, a: Standing | None = None, *, instead: str = "") -> str:
    """Return the one sentence that says whether the plan is within its budget, and beside it what A costs.

    It is not said to be within its budget where something else is to be said `instead`: `PARTLY` or `FAULTY`.
    """
    plan = stand.plan
    if not uses(plan):
        if instead == PARTLY:  # rows are named before it
            return f"{OPEN} Nothing else is released."
        return f"{OPEN} Nothing is released yet, so it costs one **{escaped(_over_time(plan.unit_in_words))}** nothing."
    if reading.people():
        return _in_words(stand, instead)
    at = f"per **{escaped(plan.unit_in_words)}** at **δ = {shown_delta(plan.budget.delta)}**"
    if stand.proved.theorem is None:
        return _filtered(stand, at, instead)
    of = "" if math.isinf(stand.limit) else f" of **{shown_budget(stand.limit, stand.total)}**"
    how = "" if instead == PARTLY else f" {at}, by {_proof(stand)}"  # one line, where rows are named before it
    cost = f"ε at most **{shown_total(stand.total, stand.limit)}**{of}{how}"
    against = "" if instead in (PARTLY, FAULTY) else _against(stand, a)
    return f"{_sign(stand, instead)} {cost}: {_judged(stand, instead)}{_too_low(stand, instead)}.{against}"


def _filtered(stand: Standing, at: str, instead: str) -> str:
    """The verdict where no sum may be told: the budget, if a filter with it admits all of these releases."""
    limit = shown_budget(stand.limit, stand.limit)
    if stand.filters:
        promised = shown_total(stand.limit, stand.limit)  # rounded up, as whatever is proved
        cost = f"ε at most **{promised}** {at}, if a filter is fixed beforehand ({' or '.join(stand.filters)})"
        return f"{_sign(stand, instead)} {cost}: it admits all of these releases{instead and f'; {instead}'}."
    if stand.plan.adaptive and math.isinf(stand.limit):
        return (
            f"{OVER} **Nothing is promised yet** {at}: releases that are chosen along the way need a filter with a "
            "budget, and none is set."
        )
    if stand.plan.adaptive:
        least, label = stand.kept_from
        from_here = f"one by {label} would admit all of them from a budget of ε = {shown_up(least)} on"
        more = "no larger ε would change that at this δ" if math.isinf(least) else from_here
        return (
            f"{OVER} **Nothing is promised** {at}: releases that are chosen along the way need a filter, and every "
            f"filter here refuses some of them within ε = {limit}; {more}."
        )
    return f"{OVER} **No theorem here bounds** what these releases cost {at}."


def _sign(stand: Standing, instead: str) -> str:
    return OVER if stand.over else OPEN if math.isinf(stand.limit) or instead else FITS


def _proof(stand: Standing) -> str:
    theorem = stand.proved.theorem
    return f"{theorem.label[0].lower()}{theorem.label[1:]}" if theorem.key in ("pld", "optimal") else theorem.label


def _judged(stand: Standing, instead: str) -> str:
    if math.isinf(stand.limit):
        return "no budget is set"
    if stand.over:
        return f"**over budget by {_over(stand)}**"
    return instead or "**within budget**"


def _too_low(stand: Standing, instead: str) -> str:
    """That the number itself may be too small, where no other judgement is in its place."""
    low = instead in (FAULTY, OUTGROWN, OUTSTATED, LONGER) and (stand.over or math.isinf(stand.limit))
    return f"; {instead}" if low else ""


def _over(stand: Standing) -> str:
    """By how much a total exceeds its budget, as both are read."""
    shown, limit = shown_total(stand.total, stand.limit), shown_budget(stand.limit, stand.total)
    return shown_between(limit, shown, stand.total - stand.limit)[1:]


def _in_words(stand: Standing, instead: str) -> str:
    """The verdict without symbols: how much of the budget is used."""
    unit, low = escaped(over_its_time(stand.plan.unit_in_words)), _too_low(stand, instead)
    if stand.filters:
        fits = f"{OPEN} {_begun(instead)}" if instead else f"{FITS} **Within budget**"
        return f"{fits}: a rule that keeps count while results come in, fixed beforehand, admits all of these releases."
    if stand.proved.theorem is None:
        return f"{OVER} **Nothing bounds** what these releases reveal about one **{unit}**."
    if math.isinf(stand.limit):
        return f"{OPEN} No budget is set for one **{unit}**, so there is nothing to compare these releases with{low}."
    if stand.over:
        times = shown_up(stand.total / stand.limit) if stand.limit else ""
        times = times and f": these releases use **{times} times** what is allowed"
        return f"{OVER} **Over budget** for one **{unit}**{times}{low}."
    share = shown_used(stand.total, stand.limit) if stand.limit else "0 %"
    judged = f"{OPEN} {_begun(instead)}" if instead else f"{FITS} **Within budget**"
    return f"{judged}: these releases use at most **{share}** of what is allowed for one **{unit}**."


def _begun(bold: str) -> str:
    """A bold part of a sentence as its beginning."""
    return f"{bold[:2]}{bold[2].upper()}{bold[3:]}"


def _against(stand: Standing, a: Standing | None) -> str:
    """What A costs, and how much that differs; nothing of what was just kept, and is the plan itself."""
    if a is None or a.whole == stand.whole:
        return ""
    if _protects(a.plan) == _protects(stand.plan) and a.plan.budget.delta != stand.plan.budget.delta:
        return f" Plan A costs {_total(a)} at δ = {shown_delta(a.plan.budget.delta)}."
    if not same_promise(a.plan, stand.plan):
        return f" Plan A costs one {escaped(a.plan.unit_in_words)} {_total(a)}: another promise, not to be subtracted."
    if math.isinf(a.total) or math.isinf(stand.total):
        return f" Plan A: {_total(a)}."
    change = float(typed(stand.total) - typed(a.total))
    much = shown_between(_of(a), _of(stand), change)
    moved = "as much as" if much == "0" else f"**{much[1:]}{' more' if change > 0 else ' less'}** than"
    return f" The plan costs {moved} plan A ({_total(a)})."


def same_promise(a: Plan, b: Plan) -> bool:
    """Say whether two plans protect the same at the same δ, so that their numbers may be held against each other."""
    return _protects(a) == _protects(b) and a.budget.delta == b.budget.delta


def _protects(plan: Plan) -> tuple[str, str]:
    return plan.unit_in_words, plan.neighbours


def _total(stand: Standing) -> str:
    return "without bound" if math.isinf(stand.total) else f"ε = {_of(stand)}"


def _of(stand: Standing) -> str:
    return shown_total(stand.total, stand.limit)


def sensitivity(known: Known, kind: str = "", rows: float | None = None) -> str:
    """Say where the sensitivity of a release comes from; "" where it was typed and nothing is proved about it.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> told = sensitivity(Plan([Release("Visits", Laplace(10), kind="count")]).sensitivities[0])
    >>> print(told)
    Its sensitivity is taken to be 1: one row of each unit.
    """
    if known.origin in (ASSUMED, DERIVED):
        value = shown_up(known.value, 6)
        assumed = f"Its sensitivity is taken to be {value}: one row of each unit."
        return assumed if known.origin == ASSUMED else f"Its sensitivity follows from what is entered: {value}."
    if known.origin == OPEN_SENSITIVITY:
        return "Its sensitivity is open: its ε counts as typed, and how far its answers lie off is not known."
    if known.more:
        larger, least = shown_near(known.value), shown_up(known.least, 6)
        if kind == "mean":
            return f"A sensitivity of {larger} is that of a mean of fewer than all people; of all it is {least}."
        enough = f"For {shown_count(rows or 1)} row{'s' * ((rows or 1) > 1)} of one unit, {least} is enough"
        return f"Typed: {larger}. {enough}{'' if rows else '; for more, say how many under “Rows of one unit”'}."
    return ""


def one_bar_each(row: dict[str, str | None], kind: str, found: Sensitivity) -> str:
    """Say that bars count one by one where their sensitivity follows, and not where it was typed; "" where all is one.

    Each of those bars has noise of its own, so that it is exactly one bar, so many times as often.
    """
    apart = kind == "histogram" and (row["bars"] == DIFFERENT or (row["rows"] or "1") == "1")
    typed = row["sensitivity"] and not row["rate"] and plan_rows.norm_of(row) == "L1"  # in a sample all come together
    if not apart or not typed or not 1 < found.l1 <= MOST_BARS:
        return ""
    return (
        f"Typed, it counts as one number that changes by {row['sensitivity']}. Left empty, it counts as "
        f"{found.l1:,.0f} bars that change by 1 each, which costs less at the same noise."
    )


def counted(stand: Standing) -> str:
    """Say of how many releases the verdict is."""
    count = uses(stand.plan)
    return "1 release" if count == 1 else f"{shown_count(count)} releases"


def met(plan: Plan) -> str:
    """Say how many of each release one unit meets: of the first three, and how many others.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(met(Plan([Release("Weeks", Laplace(9.0, 1), 6), Release("Month", Laplace(9.0, 1))])))
    6 of “Weeks”, 1 of “Month”
    """
    used = [each for each in plan.releases if each.uses]
    first = [f"{shown_count(each.uses)} of “{escaped(shortened(each.name, 30))}”" for each in used[:MOST_MET]]
    others = sum(each.uses for each in used[MOST_MET:])
    return ", ".join([*first, *[f"{shown_count(others)} of others"] * bool(others)])


def sampled(plan: Plan) -> str:
    """Say which part of the releases reads random samples, as half of a sentence; "" where none does."""
    read = [(each.uses, each.mechanism.parameters.get("rate") or 0.0) for each in plan.releases if each.uses]
    rates, count = {rate for _, rate in read if rate}, sum(uses for uses, rate in read if rate)
    if len(rates) == 1 and all(rate for _, rate in read):
        each = ", each" if count > 1 else ""
        return f"{each} on a random sample of {shown_up(float(100 * Decimal(repr(float(rates.pop())))), RATE_DIGITS)} %"
    return f", {shown_count(count)} on random samples" if rates else ""


def guessed(stand: Standing, a: Standing | None = None, lacking: bool = False) -> str:
    """Say in people's words how often the best attacker guesses right; how to begin where nothing is released.

    Where rows do not count, that is said in the place of a coin toss: no line more comes and goes above the table.
    """
    if not uses(stand.plan):
        return "Type into the table, paste rows from a spreadsheet, or open a file."
    if math.isinf(stand.promised) and stand.plan.adaptive:
        return "How often an attacker guesses right cannot be said before anything is promised."
    other = a is not None and a.plan != stand.plan and math.isfinite(a.total)
    end = LACKING if lacking else "; a coin toss in 50." * (not other) or "."
    before = f" (plan A: {_odds(a)}{_otherwise(stand, a)}){end}" if other else end  # all in one line
    unit, openly = stand.plan.unit_in_words, bool(answered_openly(stand.plan))
    time = escaped(its_time(unit)) if reading.people() else ""
    said = guessed_right(f"**{_odds(stand)}", escaped(_whom(unit)), stand.plan.neighbours, answers=openly, time=time)
    return said.replace(" of 100 guesses on average; a coin toss in 50.", f" of 100** guesses on average{before}")


def _whom(unit: str) -> str:
    """Whom a sentence is about: for people without the period, which the promise names."""
    return whose(unit) if reading.people() else unit


def _over_time(unit: str) -> str:
    """A unit as it is told: for people with what its period is."""
    return over_its_time(unit) if reading.people() else unit


def _otherwise(stand: Standing, a: Standing) -> str:
    """That the guesses about A come from its noise, where those about a plan chosen along the way do not."""
    return ", by its own noise; here by the promise alone" if stand.plan.adaptive and not a.plan.adaptive else ""


def _odds(stand: Standing) -> str:
    """Right guesses of 100, never fewer than they are."""
    return shown_right(stand.right)


def parts(stand: Standing) -> list[tuple[str, float, str]]:
    """Return what stands in the bar of the budget: name, ε and text of what is spent, planned and free, or over."""
    if stand.filters:
        whole = _part(stand.limit, stand) if reading.people() else shown_total(stand.limit, stand.limit)
        return [("planned", stand.limit, whole)]
    if math.isinf(stand.total):
        return [("over", 0.0, "no bound")]
    spent, planned = stand.spent, stand.total - stand.spent
    found = [("spent", spent, _part(spent, stand))] if spent else []
    found += [("planned", planned, _part(planned, stand))]
    if stand.over:
        over = _part(stand.total - stand.limit, stand) if reading.people() else _over(stand)
        return [*found, ("over", 0.0, f"over by {over}")]
    if math.isinf(stand.limit):
        return found
    return [*found, ("free", stand.limit - stand.total, _free(stand))]


def _part(epsilon: float, stand: Standing) -> str:
    if reading.people():
        whole = stand.limit if 0 < stand.limit < math.inf else stand.total
        return shown_used(max(epsilon, 0.0), whole) if whole else "0 %"
    if epsilon == stand.total:  # as the sentence beneath quotes it
        return shown_total(epsilon, stand.limit)
    return amount(max(epsilon, 0.0))


def _free(stand: Standing) -> str:
    """What is left of the budget: of what is shown, so that both parts add up to it."""
    if reading.people():
        rest = 100 - Decimal(_part(stand.total, stand).removesuffix(" %"))
        return f"{rest.normalize():f} %" if stand.limit else "0 %"
    return shown_rest(stand.total, stand.limit)


def proved(stand: Standing) -> str:
    """Return the one line on theorems, which opens the comparison of all of them."""
    if stand.proved.theorem is None:
        return "The budget of the filter is the promise" if stand.filters else "No theorem applies: see why"
    added = stand.added
    several = any(isinstance(each.mechanism, TrainedModel) for each in stand.plan.releases)
    steps = ", step by step of a training," if several else ""
    rest = "adding up does not apply" if added is None else f"adding up{steps} would give ε = {shown_up(added)}"
    nothing_else = added is not None and added <= stand.proved.epsilon  # adding up is the proof
    return f"Proved by {_proof(stand)}{'' if nothing_else else f'; {rest}'}"


def others(unit: str, frame: pandas.DataFrame) -> str:
    """Return the one line on published deployments: those of `frame` that state the plan's unit."""
    name = escaped(shortened(_over_time(unit), NAME_LENGTH))
    stated = frame[frame.epsilon.notna()]
    own = stated[stated.matches]
    if len(own):
        return f"What others promise one {name}: {_range(own)}"
    groups = deployments.neighbouring(unit)
    near = next((group for group in groups if (stated.group == group).any()), None)
    longer = " over all years" if near and unit.casefold() == f"{near}-year" else ""
    others = f"; for one {near}{longer}: {_range(stated[stated.group == near])}" if near else ""
    return f"What others promise: none of {len(frame)} is for one {name}{others}"


def several(stand: Standing) -> str:
    """Return the line that leads to what several records of one unit lose together."""
    told = stand.plan.unit_in_words
    unit = "person" if told == "record" else escaped(shortened(_whom(told), NAME_LENGTH))
    asked = ["has more records than the table counts",
             *(["is taken together with others, as a family is"] if together(stand) else []),
             *(["comes back every day"] if by_days(stand) else [])]  # fmt: skip
    return f"What if one {unit} {', '.join(asked[:-1])}{', or ' * (len(asked) > 1)}{asked[-1]}?"


def by_days(stand: Standing) -> bool:
    """Whether what one day publishes may be asked of more days: neither dates nor the unit say how many there are."""
    return one_unit(stand.whole) is None and (lasting(stand.whole.unit_in_words) or 0) <= 1


def together(stand: Standing) -> bool:
    """Whether several people together lose what one does who counts as often: not if they lose in different parts."""
    person = kinds(stand.whole.unit_in_words) == ("person",)
    return person and all(each.part is None for each in stand.plan.releases)


def group_of(unit: str, members: int) -> str:
    """Return what several units together are called, as one unit of the same time.

    Examples
    --------
    >>> group_of("person-year", 3), group_of("user", 2), group_of("each user, per month", 2)
    ('3-person group-year', '2-user group', 'group of 2, each one each user, per month')
    """
    simple = re.fullmatch(r"([A-Za-z]+)(-[A-Za-z]+)?", unit)
    if not simple:
        return shortened(f"group of {members}, each one {unit}", LONGEST_TEXT)
    return f"{members}-{simple[1]} group{simple[2] or ''}"


def of_members(stand: Standing, opened: Plan, members: int, epsilon: float) -> str:
    """Return what a unit loses, at most, that is so many of those for whom the plan was opened."""
    unit, one = (escaped(shortened(each.unit_in_words, NAME_LENGTH)) for each in (stand.plan, opened))
    delta = shown_delta(stand.plan.budget.delta)
    who = f"One **{unit}** of {shown_count(members)} {one}s"
    if math.isinf(epsilon):
        return f"{who} is promised nothing: no theorem here bounds what it loses at δ = {delta}."
    fits = "" if math.isinf(stand.limit) else f", {'more than' if epsilon > stand.limit else 'within'} the budget"
    alone = f"; one **{one}** alone loses {shown_total(stand.total, stand.limit)}" if math.isfinite(stand.total) else ""
    return f"{who} loses at most **ε = {shown_up(epsilon)}** at δ = {delta}{fits}{alone}."


def of_several(stand: Standing, copies: int, days: int, epsilon: float) -> str:
    """Return what a unit with so many records on so many days loses, at most, beside what the table counts."""
    unit, delta = escaped(stand.plan.unit_in_words), shown_delta(stand.plan.budget.delta)
    several = f"{shown_count(copies)} times the records that the table counts, in every release"
    records = several if copies > 1 else "what the table counts"
    like = f" (as {shown_count(copies)} people together have)" if copies > 1 and together(stand) else ""
    who = f"If one **{unit}** has {records}{f' on {shown_count(days)} days' if days > 1 else ''}{like}, it"
    if math.isinf(epsilon):
        return f"{who} is promised nothing: no theorem here bounds what is lost at δ = {delta}."
    alone = f"; with what the table counts, at most {shown_total(stand.total, stand.limit)}"
    single = alone if math.isfinite(stand.total) and copies * days > 1 else ""
    over = epsilon > stand.limit
    fits = "" if math.isinf(stand.limit) else ", more than the budget" if over else ", within the budget"
    return f"{who} loses at most **ε = {shown_up(epsilon)}** at δ = {delta}{fits}{single}."


def _range(frame: pandas.DataFrame) -> str:
    """One deployment with its ε, or how many there are and between which ε; the picture has their names.

    Where each ε follows from another promise, it is told that it changes with the plan's δ.
    """
    here = ", at this plan's δ" if frame.epsilon_basis.str.startswith(deployments.CONVERTED).all() else ""
    least, most = (shown_near(each, 3) for each in (frame.epsilon.min(), frame.epsilon.max()))
    if len(frame) == 1:
        return f"{escaped(shortened(frame.name.iloc[0], NAME_LENGTH))}, ε = {least}{here}"
    return f"{len(frame)} promises, ε from {least} to {most}{here}"


def surely(ends: Mapping[str, object], plan: Plan) -> str:
    """Return what is certainly lost, beside the totals that are upper bounds; "" where that is not known."""
    if not ends["lower"]:
        return ""
    least = shown_down(ends["lower"])
    pairs = zip(plan.releases, plan.sensitivities, strict=True)
    open_ones = [(each, known) for each, known in pairs if _apart(each)]
    several = any((each.rows or 1) > 1 or (known and known.more and _one_by_one(each)) for each, known in open_ones)
    where = "where answers move by their whole sensitivity"
    where = "even if no two rows of one unit lie in one bar" if several else where
    return f"**At least ε = {least}** is lost {where}: that is proved, too."


def _apart(release: Release) -> bool:
    """Whether it is a histogram in which the rows of one unit may lie in bars of their own, which nobody stated."""
    return release.kind == "histogram" and release.bars != DIFFERENT and not in_one_bar(release)


def _one_by_one(release: Release) -> bool:
    """Whether its lower end counts bars that change by 1, however its sensitivity was told: not of Gaussian noise."""
    return not isinstance(release.mechanism.base, Gaussian)


def two_totals(stand: Standing) -> str:
    """Say how the pure total and the smallest one at δ differ, and why they are different promises."""
    plan, pure = stand.plan, stand.pure
    delta = shown_delta(plan.budget.delta)
    if plan.adaptive:
        return (
            "Noise, number or the end depend on earlier results: theorems for plans fixed in advance do not hold. One "
            "of two numbers may be quoted: the sum, where every release states an ε and a δ, or the budget of a filter "
            "that is fixed beforehand."
        )
    if plan.budget.delta == 0:
        return "At δ = 0 the bound on the privacy loss never fails. A δ above 0 admits theorems that grow more slowly."
    rarely = f", except with a chance of at most {probability_in_words(plan.budget.delta)}"
    if pure is None:
        return (
            "There is no pure total (δ = 0): some of these releases have no finite ε that never fails, as Gaussian "
            f"noise has none. The bound at δ = {delta} holds{rarely}."
        )
    fails = f"the one at δ = {delta} holds{rarely}"
    shown = shown_up(pure)
    if stand.total >= pure or shown_up(stand.total) == shown:
        return (
            f"The pure total (δ = 0) never fails; {fails}. Here both are ε = {shown}: so few releases leave a theorem "
            "next to nothing to gain from δ."
        )
    return (
        f"The pure total (δ = 0) is ε = {shown} and never fails; {fails}. That buys a smaller ε, "
        "since it is that rare for most releases to reveal their worst at once."
    )


def share(stand: Standing, row: int) -> str:
    """Return what stands at the bar of a release: what leaving it out saves, and the total without it."""
    percent, without = shown_share(stand.shares[row]), stand.savings[row].without
    if not reading.people():
        return f"{percent} · without it ε = {shown_up(without)}"
    if not of_budget(stand):
        return percent
    return f"{_saved(stand, row)} saved · then {shown_used(without, stand.limit)} is used"


def share_cell(stand: Standing, row: int) -> str | None:
    """Return the share of a release as its cell shows it; None without one."""
    each = stand.shares[row] if stand.shares else None
    return None if each is None else _saved(stand, row) if of_budget(stand) else shown_share(each)


def of_budget(stand: Standing) -> bool:
    """Whether what a release saves is told as a share of the budget, as all else is that people read."""
    return reading.people() and 0 < stand.limit < math.inf


def saved(stand: Standing, row: int) -> float:
    """Return what leaving a release out saves, in percent of what all cost, or of the budget."""
    return stand.shares[row] * (stand.total / stand.limit if of_budget(stand) else 1.0)


def _saved(stand: Standing, row: int) -> str:
    """What leaving a release out saves of the budget: the difference of what is shown of it with and without."""
    limit = stand.limit
    freed = 100 * (stand.total - stand.savings[row].without) / limit
    if not 100 * stand.total / limit < MUCH:  # where no decimals are shown
        return f"{shown_down(freed, 3)} %" if freed >= 1 else "under 1 %"
    whole, rest = (shown_used(each, limit) for each in (stand.total, stand.savings[row].without))
    apart = Decimal(whole.removesuffix(" %")) - Decimal(rest.removesuffix(" %"))
    return f"{apart.normalize():f} %" if apart >= 1 else "under 1 %"


def dearest(stand: Standing) -> str:
    """Return the finding on costs: which release saves most of the budget when it is left out."""
    finite = [row for row, each in enumerate(stand.savings) if each is not None and math.isfinite(each.without)]
    if stand.filters:
        return "The whole budget is the promise here, so what leaving one release out saves is not counted"
    if math.isinf(stand.total):
        named = "” or “".join(_named_row(stand, row) for row in finite[:MOST_NAMED])
        bound = "adding up gives a bound" if stand.plan.adaptive else "there is a bound"
        only = f": only without “{named}” {bound}" if finite else ""
        return f"What leaving one release out saves cannot be said, as nothing bounds all of them{only}"
    if not stand.shares:
        return "These releases cost nothing, so leaving one out saves nothing"
    row = max(finite, key=lambda row: stand.shares[row])
    if len(stand.shares) == 1:
        return f"“{_named_row(stand, row)}” is all of the cost"
    if stand.shares[row] < 1:
        return "No release saves as much as 1 % of what all cost when it is left out"
    frees = "frees the most budget" if math.isfinite(stand.limit) else "takes the most off the total"
    saved = f"ε falls by {shown_share(stand.shares[row])}"
    if of_budget(stand):
        then, now = (shown_used(each, stand.limit) for each in (stand.savings[row].without, stand.total))
        saved = f"then {then} of it is used, and not {now}"
    return f"Leaving out “{_named_row(stand, row)}” {frees}: {saved}"


def hinders(stand: Standing) -> str:
    """Say which release an attacker learns most from, beside the one that saves most; "" where none stands out."""
    found = hindering(stand.right, stand.right_without)
    if found is None:
        return ""
    without, dearest = stand.right_without, next(iter(stand.right_without))
    other = "" if found == dearest else f"“{_named_row(stand, dearest)}”"
    right, then = (shown_right(without[each]) for each in (found, dearest))
    return learns_least(f"**“{_named_row(stand, found)}”**", right, shown_right(stand.right), other, then)


def _named_row(stand: Standing, row: int) -> str:
    return escaped(stand.whole.releases[row].name)


def error(
    stand: Standing, row: int, a: tuple[Plan, int] | None, solved: Mechanism, noise: str = ""
) -> str | None:
    """Return the error of a release as its cell shows it: ±w now, in a row of plan A, or as a solved plan has it.

    At the level of people it is the range around the typical value. Of randomized answers it is how many stay true.
    Where `noise`, as the row shows it, is an error itself, that is repeated as it is.
    """
    width, release = stand.widths[row], stand.whole.releases[row]
    was, people_before = (a[0].releases[a[1]], a[0].population) if a else (release, stand.whole.population)
    if isinstance(release.mechanism, RandomizedResponse):
        people = stand.whole.population
        return _truth([(release, people), (was, people_before), (replace(release, mechanism=solved), people)])
    if width is None:
        unknown = NOT_SAID if reading.people() else UNKNOWN
        return unknown if why_no_error(release.mechanism) == UNKNOWN_NOISE else None
    before, after = None if a is None else width_of(was.mechanism), width_of(solved)
    if after is not None and after != width:
        return f"{_within(width, release, short=True)} → {_within(after, release, short=reading.people())}"
    if before is None or before == width:
        return _within(width, release, noise)
    if was.typical and release.typical and was.typical != release.typical and not reading.people():
        now, then = (shown_relative(each, of.typical) for each, of in ((width, release), (before, was)))
        return f"{_within(width, release, noise, short=True)} ({now}; A {_within(before, was, short=True)}, {then})"
    share = "" if reading.people() or not release.typical else f"{shown_relative(width, release.typical)}; "
    return f"{_within(width, release, noise, short=True)} ({share}A {_within(before, was, short=True)})"


def _truth(states: Sequence[tuple[Release, int | None]]) -> str:
    """How many of 100 answers stay true now, in plan A, or as a solved plan would have it; how far a share is off."""
    known = [each if isinstance(each[0].mechanism, RandomizedResponse) else states[0] for each in states]
    many = _moved(*(shown_near(true_answers(each.mechanism), 3) for each, _ in known))
    points = [points_off(*each) for each in known]
    within = "" if None in points else _moved(*(shown_up(each, 3) for each in points))
    if not reading.people():  # all people answer only where somebody says so
        return f"±{within} points" if within and states[0][0].averaged else f"true {many} of 100"
    if not within:
        return f"{many} of 100 answers stay as given"
    share = f"share within {within} points"
    return f"{share}; {many} of 100 answers stay" if len({*points}) == 1 else share  # two states take their room


def _moved(now: str, before: str, then: str) -> str:
    """A number now, and as a solved plan would have it, or as plan A has it, where that is another."""
    return f"{now} → {then}" if then != now else now if before == now else f"{now} (A {before})"


def share_off(response: RandomizedResponse, answers: int) -> str:
    """Say how far a share of so many randomized answers lies off, and how many stay true where it is twice as far.

    Examples
    --------
    >>> print(share_off(RandomizedResponse(1.0), 1000))
    Of 1,000 such answers, a share is then off by up to about 5.95 points. If 62.6 of 100 stay true, it is off by twice
    as much.
    """
    width = share_half_width(response, answers)
    if width >= 1:
        return f"{shown_count(answers)} such answers tell as good as nothing: their share may be off by 100 points."
    twice = RandomizedResponse(2 * math.asinh(math.sinh(response.stated.epsilon / 2) / 2))  # see `share_half_width`
    off = f"off by up to about {shown_up(100 * width, 3)} points"
    more = f"If {shown_near(true_answers(twice), 3)} of 100 stay true, it is off by twice as much."
    return f"Of {shown_count(answers)} such answers, a share is then {off}. {more}"


def _within(width: float, release: Release, noise: str = "", *, short: bool = False) -> str:
    if not reading.people():
        stated = counted_number(noise[1:]) if noise.startswith("±") else None  # whole numbers may lie closer
        typed = stated is not None and shown_near(stated, TYPED) == shown_near(stated, 17)
        same = typed and shown_error(stated) == shown_error(width)
        now = noise if same else f"±{shown_error(width)}"
        loud = ", above the value" if release.typical and width > release.typical else ""
        relative = "" if release.typical is None or short else f" ({shown_relative(width, release.typical)}{loud})"
        return f"{now}{relative}"
    if release.typical is None:
        return f"{shown_error(width)}{_unit(release)} more or less"
    width = next_above(width, 3)  # as every other screen shows it
    digits = max(0, 1 - math.floor(math.log10(width)))  # two of the error: more tell nobody anything
    scale = 10.0**digits  # each end rounded outward
    low, high = math.floor((release.typical - width) * scale), math.ceil((release.typical + width) * scale)
    off = "" if short else f"{_unit(release)} (off by {shown_error(width)})"
    return f"{low / scale:,.12g} to {high / scale:,.12g}{off}"


def _unit(release: Release) -> str:
    """What its answer is counted in, after a number; "" where nobody said."""
    return f" {shortened(release.answer_unit, 16)}" if release.answer_unit else ""


def unit_note(opened: Plan, plan: Plan) -> str:
    """Return what must be checked where only the word for the unit was changed; "" where it was not."""
    if not only_renamed(opened, plan):
        return ""
    new, old = escaped(plan.unit_in_words), escaped(opened.unit_in_words)
    return (
        f"Only the word has changed: all numbers are still those of one **{old}**. Is a **{new}** the same, or do "
        "more releases touch it?"
    )


def times_as_long(old: str, new: str) -> int | None:
    """Return how many of the old unit make up the new one, by the periods that they name; None if that is not told."""
    periods = lasting(old), lasting(new)
    if None in periods or periods[1] <= periods[0] or (periods[1] / periods[0]) % 1:
        return None
    return int(periods[1] / periods[0])
