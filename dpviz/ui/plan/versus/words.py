"""Sentences of the panel “A against B”: what changes from A to B."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.decimals import typed
from dpviz.figures.plan.scenario_bars import GUESSES
from dpviz.mechanisms import TrainedModel
from dpviz.plan import RELATIONS, Plan
from dpviz.planning.scenario import TOTALS, Totals, different_promises, matched, recounted, rows_before
from dpviz.rounding import (
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_near,
    shown_relative,
    shown_right,
    shown_total,
    shown_up,
)
from dpviz.ui.shell.words import escaped, shortened

if TYPE_CHECKING:
    import pandas

NAME_LENGTH = 80
MOST_NAMED = 3
AVERAGE = "Right guesses are an average; the privacy loss counts the worst result: one may fall as the other grows."
SAME_FACTOR = 1e-3  # relative difference below which two errors are said to change alike


def finding(a: Plan, b: Plan, one: Totals, other: Totals, errors: pandas.DataFrame) -> str:
    """Return the sentence that says what changes from A to B, of their totals and `release_differences`."""
    if different_promises(one.promise, other.promise):
        costs = " and ".join(f"{name} {_cost(plan, total)}" for name, plan, total in (("A", a, one), ("B", b, other)))
        return f"**A and B promise different things.** {costs}: the two are not to be subtracted. {_error(errors)}"
    alike = a.budget.delta == b.budget.delta
    same = alike and one.values[0].number == other.values[0].number < math.inf
    before = "the same as A" if same else f"where A {_cost(a, one, short=True, alike=alike)}"
    changes = f"{_alone(a, b)}{_times(errors)}{_rows(a, b)}{_error(errors)}{_otherwise_noisy(a, b)}{_retrained(a, b)}"
    return f"B {_cost(b, other)}, {before}. {changes}{_guessed(one, other)}{_budget(a, b, other)}"


def _guessed(one: Totals, other: Totals) -> str:
    """How often an attacker is right of each; "" where that is the same, or of one nobody knows."""
    place = [each.key for each in TOTALS].index("advantage")
    found = [each.values[place].number for each in (one, other)]
    before, after = ("" if each is None else _right(each) for each in found)
    if before == after or not (before and after):
        return ""
    return f" An attacker is right in at most **{after} of 100** guesses, where A allows {before}."


def _right(advantage: float) -> str:
    return shown_right(min(50 * (1 + advantage), 100.0))


def _otherwise_noisy(a: Plan, b: Plan) -> str:
    """The releases whose noise is of another kind, which is told of no error; "" where there are none."""
    pairs = [(a.releases[old].mechanism.base, b.releases[row]) for row, old in rows_before(a, b).items()]
    noisy = [(old, each) for old, each in pairs if old.noise and each.mechanism.base.noise]
    found = [each for old, each in noisy if old.key != each.mechanism.base.key]
    if not found:
        return ""
    name, labels = escaped(shortened(found[0].name, NAME_LENGTH)), {each.mechanism.base.label for each in found}
    what = f"{labels.pop()} noise" if len(labels) == 1 else "another kind of noise"
    more = f" and {len(found) - 1} more have" if len(found) > 1 else " has"
    return f" “{name}”{more} {what} in B."


def in_guesses(totals: pandas.DataFrame) -> pandas.DataFrame:
    """Return totals in words: with right guesses of 100 where an attacker's advantage stands, as the head has them."""
    told = totals[totals.quantity != "pure"].copy()  # which would be the total once more, nearly
    totals = told.copy()
    row = told.index[told.quantity == "advantage"]
    told.loc[row, "label"] = GUESSES
    for name in ("a", "b"):
        told.loc[row, name] = float(_right(totals.loc[row, name].iloc[0]))
    formed = totals.loc[row, "difference"].notna().iloc[0]
    apart = typed(float(told.loc[row, "b"].iloc[0])) - typed(float(told.loc[row, "a"].iloc[0]))  # of what is shown
    told.loc[row, "difference"] = float(apart) if formed else None
    return told


def _cost(plan: Plan, total: Totals, *, short: bool = False, alike: bool = False) -> str:
    """What one of the plans costs, and whom; of the second of two only how much, and at which δ if that is another."""
    epsilon, delta = total.values[0].number, f"δ = {shown_delta(plan.budget.delta)}"
    whom = "" if short else f" one **{escaped(plan.unit_in_words)}** ({RELATIONS[plan.neighbours]})"
    shown = shown_total(epsilon, plan.budget.epsilon)
    amount = "an **ε without bound**" if math.isinf(epsilon) else f"at most **ε\u00a0=\u00a0{shown}**"
    return f"costs{whom} {amount}" + ("" if alike else f" ({delta})")


def _budget(a: Plan, b: Plan, other: Totals) -> str:
    """How the budget changes, where it does, and whether B exceeds it."""
    limits = [each.budget.epsilon for each in (a, b)]
    if limits[0] == limits[1]:
        return ""
    before, after = ("no limit" if math.isinf(limit) else shown_down(limit) for limit in limits)
    exceeded = ", which B exceeds" if other.values[0].number > limits[1] else ""
    return f" The budget goes from {before} to **{after}**{exceeded}."


def _alone(a: Plan, b: Plan) -> str:
    """The releases that stand in one of both plans."""
    pairs = matched(a, b)
    found = (
        ("A", [a.releases[row].name for row, other in pairs if other is None]),
        ("B", [b.releases[row].name for other, row in pairs if other is None]),
    )
    told = ""
    for plan, names in found:
        named = ", ".join(f"“{escaped(shortened(name, NAME_LENGTH))}”" for name in names[:MOST_NAMED])
        more = f" and {shown_count(len(names) - MOST_NAMED)} more" if len(names) > MOST_NAMED else ""
        told += f"Only {plan} has {named}{more}. " if names else ""
    return told


def _retrained(a: Plan, b: Plan) -> str:
    """The models that are trained otherwise but for their noise, which is told as errors are."""
    pairs = [(a.releases[row].mechanism, b.releases[other]) for row, other in matched(a, b) if None not in (row, other)]
    changed = [
        now
        for was, now in pairs
        if isinstance(was, TrainedModel) and isinstance(now.mechanism, TrainedModel)
        and replace(was, noise_multiplier=now.mechanism.noise_multiplier) != now.mechanism
    ]  # fmt: skip
    named = (f" “{escaped(shortened(each.name, NAME_LENGTH))}” is trained otherwise: {each.mechanism.training}."
             for each in changed[:MOST_NAMED])  # fmt: skip
    return "".join(named)


def _rows(a: Plan, b: Plan) -> str:
    """The releases that count more or fewer rows of one unit."""
    return "".join(f"{escaped(each)} " for each in recounted(a, b, sizes=False)[:MOST_NAMED])


def _times(errors: pandas.DataFrame) -> str:
    """The release that is published more or less often, where one is."""
    moved = [row for row in errors.itertuples() if row.quantity == "uses" and row.difference]
    if not moved:
        return ""
    most = max(moved, key=lambda row: abs(row.difference))
    name, rest = escaped(shortened(most.release, NAME_LENGTH)), len(moved) - 1
    others = f", and {shown_count(rest)} more {'change' if rest > 1 else 'changes'}" if rest else ""
    times = f"{shown_count(int(most.b))} {'time' if most.b == 1 else 'times'}"
    return f"“{name}” is published {times} instead of {shown_count(int(most.a))}{others}. "


def _error(errors: pandas.DataFrame) -> str:
    """The release whose error changes most."""
    both = [row for row in errors.itertuples() if row.quantity == "half_width" and row.difference is not None]
    moved = [row for row in both if shown_error(row.a) != shown_error(row.b)]  # what is left of a rounding is no news
    if not moved:
        answers = _answers(errors)
        stays = "No other error changes." if answers else "The error of every release stays as it was."
        sized = next(filter(None, (_sized(errors, row) for row in both)), "")
        return f"{answers} {stays if both else ''}{sized}".strip()
    factors = [abs(math.log(row.b) - math.log(row.a)) for row in moved]
    alike = max(factors) - min(factors) < SAME_FACTOR and len({row.difference > 0 for row in moved}) == 1
    most = moved[0 if alike else factors.index(max(factors))]
    verb = "grows" if most.difference > 0 else "falls"
    others = [row for row in moved if row is not most]
    if alike and len(moved) == len(both) > 2:
        alone = f", and {shown_count(len(others))} others by the same factor"
    elif len(moved) <= MOST_NAMED:
        alone = "".join(f", {_moves(row, most.difference)}" for row in others)
    else:
        alone = f"; {shown_count(len(others))} other errors change, too"
    name = escaped(shortened(most.release, NAME_LENGTH))
    moved = f"{verb} from ±{shown_error(most.a)} to **±{shown_error(most.b)}**"
    rows = [most, *(row for row in both if row is not most)]
    sized = next(filter(None, (_sized(errors, row, row is most and not alone) for row in rows)), "")
    return f"The error of “{name}” {moved}{alone}.{sized}{_answers(errors)}"


def _moves(row: object, difference: float) -> str:
    """How the error of one more release moves, and whether it grows or falls where that is told of the first."""
    verb = "" if (row.difference > 0) == (difference > 0) else "grows " if row.difference > 0 else "falls "
    name = escaped(shortened(row.release, NAME_LENGTH))
    return f"that of “{name}” {verb}from ±{shown_error(row.a)} to ±{shown_error(row.b)}"


def _sized(errors: pandas.DataFrame, row: object, named: bool = False) -> str:
    """What part an error is of the number itself, where that is of another size in both plans."""
    shares = _of_size(errors, row)
    name = escaped(shortened(row.release, NAME_LENGTH))
    which = "It" if named else f"That of “{name}”"
    said = f" {which} was {shares[0]} of its typical value" if shares else ""
    return f"{said}, and is **{shares[1]}** of the one that it has now." if said else ""


def _of_size(errors: pandas.DataFrame, row: object) -> tuple[str, str] | None:
    """What part of the typical value an error is in A and in B; None where that value is the same, or is not known."""
    same = errors[(errors.quantity == "relative") & (errors.row_a == row.row_a) & (errors.row_b == row.row_b)]
    for each in same.itertuples():
        if each.difference is not None and abs(each.b / each.a * row.a / row.b - 1) > SAME_FACTOR:
            return tuple(shown_relative(w, w / share) for w, share in ((row.a, each.a), (row.b, each.b)))
    return None


def _answers(errors: pandas.DataFrame) -> str:
    """The releases without such an error whose noise changes; of randomized answers, how many stay true; of models."""
    known = set(errors[errors.quantity == "half_width"].release)
    true, off = (
        {(row.row_a, row.row_b): row for row in errors[errors.quantity == quantity].itertuples()}
        for quantity in ("true_answers", "points_off")
    )
    moved = errors[(errors.quantity == "stated_epsilon") & errors.difference.map(bool) & ~errors.release.isin(known)]
    told, names = [], []
    for row in moved.itertuples() if len(moved) < MOST_NAMED else ():
        name = f"“{escaped(shortened(row.release, NAME_LENGTH))}”"
        answers = true.get((row.row_a, row.row_b))
        if answers is not None and None not in (answers.a, answers.b):
            before, now = (shown_near(value, 3) for value in (answers.a, answers.b))
            told.append(f" Of 100 answers to {name}, **{now}** stay as given (A: {before}){_share(off, row)}.")
        else:
            names.append(name)
    changes = f" The noise of {' and '.join(names)} changes, too." if names else ""
    return "".join([*told, changes, *map(_trained, errors[errors.quantity == "noise_multiplier"].itertuples())])


def _share(off: dict[tuple[object, object], object], row: object) -> str:
    """How far a share of the answers lies off before and now; "" where it is not known how many answer."""
    found = off.get((row.row_a, row.row_b))
    if found is None or None in (found.a, found.b):
        return ""
    before, now = (shown_up(value, 3) for value in (found.a, found.b))
    return f"; the percentage found from all answers is off by up to about **{now}** points (A: {before})"


def _trained(row: object) -> str:
    """How the noise of a trained model changes; "" where it is the same, or is trained in one of both plans alone."""
    if not row.difference:
        return ""
    name, verb = escaped(shortened(row.release, NAME_LENGTH)), "grows" if row.difference > 0 else "falls"
    before, now = (shown_up(value) for value in (row.a, row.b))  # less noise than there is would cost more
    return f" The noise multiplier of “{name}” {verb} from {before} to **{now}**."
