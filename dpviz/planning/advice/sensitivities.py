"""Findings about sensitivities: those that let no total be quoted, are larger than what is proved, or are open."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from dpviz.decimals import typed
from dpviz.mechanisms import Mechanism, mechanism_from
from dpviz.mechanisms.left_open import DERIVED, OPEN, STATED, states_epsilon
from dpviz.parameters import ROWS
from dpviz.plan import Answers, Plan, Release
from dpviz.plan.derived import Known
from dpviz.planning.advice.finding import FAULT, NOTE, Finding, named, used
from dpviz.planning.advice.mend import Mend, changed
from dpviz.rounding import shown_count, shown_up

MOST_NAMED = 3
ROUNDED = Fraction(1001, 1000)  # four digits: the root of 2 is typed as 1.415
VAST = 100_000  # noise over sensitivity: each use then costs about 0.00001
_MEAN = re.compile(r"\b(mean|average|avg)\b", re.IGNORECASE)
_SUM = re.compile(r"\b(sum|total)\b", re.IGNORECASE)


def unproved_sensitivities(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find sensitivities that are too small or open where noise alone was typed, and what else is to be known of them.

    A count's 1 that nobody typed is no finding: whether a unit has one row is asked by the check of contributions.
    """
    for row in used(plan):
        known = plan.sensitivities[row]
        if known is not None and known.fault:
            sentence, _, _ = known.fault.rpartition("; got ")
            yield Finding(
                "sensitivity", f"{named(plan, [row])}: no total is quoted. Its {sentence}.", (row,), "", FAULT,
                _following(plan, [row]) if known.least is not None else None,
            )  # fmt: skip
    yield from _noted(plan)


def _noted(plan: Plan) -> Iterator[Finding]:
    rows = [(row, plan.sensitivities[row]) for row in used(plan) if plan.sensitivities[row] is not None]
    yield from _larger(plan, [row for row, known in rows if _is_larger(known)])
    of_values = [row for row, known in rows if plan.releases[row].kind in ("sum", "mean") and not known.fault]
    unclipped = [row for row in of_values if plan.releases[row].lower is None]
    level = [row for row in of_values if row not in unclipped and plan.releases[row].lower == plan.releases[row].upper]
    yield from _asked(plan, unclipped, level, [row for row, _ in rows])
    asked = {*unclipped, *level}
    unknown = [row for row, known in rows if known.origin == OPEN and not known.fault and row not in asked]
    if unknown:
        yield Finding(
            "sensitivity",
            f"{named(plan, unknown)}: the sensitivity is open. ε counts as typed; how much noise that takes, and how "
            "accurate the answer is, is not known until it is said what is released, or by how much one "
            f"{plan.unit_in_words} can change it.",
            tuple(unknown), "", NOTE,
        )  # fmt: skip


def _is_larger(known: Known) -> bool:
    """Whether a sensitivity was typed that is larger than what is released proves, by more than a rounding."""
    proved = known.origin == STATED and not known.fault and known.least is not None
    return proved and typed(known.value) > typed(known.least) * ROUNDED


def _larger(plan: Plan, larger: list[int]) -> Iterator[Finding]:
    """Say what sensitivities are right for that are larger than what is released proves."""
    of_fewer = [row for row in larger if plan.releases[row].kind == "mean"]
    larger = [row for row in larger if row not in of_fewer]
    if of_fewer:
        yield Finding(
            "sensitivity",
            f"{named(plan, of_fewer)}: the sensitivity typed is larger than that of an average of all people. It is "
            f"right where fewer are averaged, and each {plan.unit_in_words} is one of them at most once.",
            tuple(of_fewer), "", NOTE,
        )  # fmt: skip
    if larger:
        yield Finding("sensitivity", f"{named(plan, larger)}: {_right_for(plan, larger)}", tuple(larger), "", NOTE)


def _right_for(plan: Plan, rows: list[int]) -> str:
    """Of how many rows of one unit sensitivities that were typed take care, and what one row each needs."""
    unit, first = plan.unit_in_words, rows_held(plan, rows[0])
    if len(rows) > 1:
        each = "; ".join(f"at most {rows_held(plan, row)} in {named(plan, [row])}" for row in rows[:MOST_NAMED])
        several = f"where one answer reads several rows of one {unit}: {each}"
        return f"the sensitivities typed are right {several}. For one, less would do."
    least, stated = shown_up(plan.sensitivities[rows[0]].least), plan.releases[rows[0]].rows
    if stated:
        return f"the sensitivity typed is more than {shown_count(stated)} rows of one {unit} need: {least} would do."
    if first == "1 row":
        return f"the sensitivity typed is more than one row of one {unit} needs: {least} would do."
    right = f"the sensitivity typed is right where one answer reads at most {first} of one {unit}"
    return f"{right}. For one row, {least} would do."


def rows_held(plan: Plan, row: int) -> str:
    """Return of how many rows of one unit a typed sensitivity takes care; `dpviz.plan.sensitivity` has the proofs.

    Examples
    --------
    >>> from dpviz import Gaussian, Laplace
    >>> kinds = Release("a", Laplace(60, 8), kind="histogram"), Release("b", Gaussian(60, 5), kind="histogram")
    >>> rows_held(Plan(kinds, unit="person"), 0), rows_held(Plan(kinds, unit="person"), 1)
    ('8 rows', '5 rows in one bar, or even 25 in different bars')
    """
    known, release, most = plan.sensitivities[row], plan.releases[row], int(ROWS.high)
    value, least = typed(known.value), typed(known.least)
    apart = None
    if release.kind == "histogram" and release.mechanism.base.norm == "L2":  # m rows: squares m² in one bar, or m apart
        apart = math.floor(value**2 / (2 if plan.neighbours == "replace_one" else 1))
    many = math.isqrt(apart) if apart else math.floor(value / least) if least else most
    many, apart = min(many, most), apart and min(apart, most)
    said = f"{shown_count(many)} row{'s' * (many > 1)}"
    return f"{said} in one bar, or even {shown_count(apart)} in different bars" if apart and apart != many else said


def _asked(plan: Plan, unclipped: list[int], level: list[int], rows: list[int]) -> Iterator[Finding]:
    """Ask about sums without a range, means by their name alone, and noise in another unit than the answer."""
    called = [row for row in rows if _called_mean(plan.releases[row]) and plan.neighbours == "add_remove"]
    vast = [row for row in rows if _vast(plan.releases[row].mechanism)]
    unit, left_open = plan.unit_in_words, [row for row in unclipped if plan.sensitivities[row].origin == OPEN]
    typed_ones = [row for row in unclipped if row not in left_open]
    whole, people = [row for row in rows if _over_all_people(plan, row)], shown_count(plan.population or 0)
    sentences = (
        (whole, f"the sensitivity counts on all {people} being averaged every time. If one averages fewer, such as "
                f"those of one quarter or those who answered, one {unit} changes it by more: type how many are "
                f"averaged at least, under “Values or answers”, or behind the range: {_range_of(plan, whole)} / 2000.",
         _all_averaged(plan, whole)),
        (left_open,
         f"nothing says what the values are clipped to, so that one {unit} could change the answer without limit. The "
         "total holds only if they are clipped, and the noise was made for that. State the bounds, as in “0 to 100” "
         "under “Sensitivity”.", _clipped(plan, left_open)),
        (typed_ones,
         f"the sensitivity was typed, and holds only where one {unit} changes the answer by no more: where its values "
         "are clipped before the noise is added. Nothing says so yet. State to what they are clipped, as in “0 to 100” "
         "under “Sensitivity”.", _clipped(plan, typed_ones)),
        (level, "all values are clipped to one number, so that the answer tells nothing. State the least and the "
                "greatest value, as in “0 to 100” under “Sensitivity”.", None),
        (called, f"the name says a mean. Where one {unit} is added or removed, its divisor changes, too, and no noise "
                 "on the mean covers that: release the sum and the count.", None),
        (vast, f"the noise is more than {shown_count(VAST)} times what one {unit} changes. Is it in the unit of the "
               "answer?", None),
    )  # fmt: skip
    for found, sentence, press in sentences:
        if found:
            yield Finding("sensitivity", f"{named(plan, found)}: {sentence}", tuple(found), press=press)


def _range_of(plan: Plan, rows: list[int]) -> str:
    """To what the first of these means clips its values, as it is typed."""
    release = plan.releases[rows[0]] if rows else None
    return "0 to 60" if release is None or release.lower is None else f"{release.lower:g} to {release.upper:g}"


def _over_all_people(plan: Plan, row: int) -> bool:
    """Whether the sensitivity of a mean follows from the number of all people, of whom it may be made of some alone."""
    release = plan.releases[row]
    return release.kind == "mean" and release.averaged is None and plan.sensitivities[row].origin == DERIVED


def _called_mean(release: Release) -> bool:
    """Whether it is called a mean, and not said to be one, nor to be a count or the sum for one."""
    if release.kind in ("mean", "count", "histogram") or (release.kind == "sum" and _SUM.search(release.name)):
        return False
    return bool(_MEAN.search(release.name))


def _vast(mechanism: Mechanism) -> bool:
    """Whether noise that was typed hides far more than anybody wants to."""
    typed_noise = mechanism.base.noise is not None and not states_epsilon(mechanism)
    return typed_noise and (mechanism.strength or 0.0) > VAST


def _all_averaged(plan: Plan, rows: list[int]) -> Mend | None:
    """State of means over all people that all are averaged."""
    people, releases = plan.population, enumerate(plan.releases)
    stated = tuple(replace(each, averaged=people) if row in rows else each for row, each in releases)
    label = f"All {shown_count(people or 0)} are averaged every time"
    return Mend(label, replace(plan, releases=stated)) if rows else None


def _clipped(plan: Plan, rows: list[int]) -> Mend | None:
    """State of sums that their values are clipped between 0 and the sensitivity that was typed, which then holds."""
    sums = {row: plan.sensitivities[row].value for row in rows if plan.releases[row].kind == "sum"}
    several = any((plan.releases[row].rows or 1) > 1 for row in rows)
    if not sums or len(sums) < len(rows) or several or None in sums.values():
        return None
    stated = (replace(each, lower=0.0, upper=float(sums[row])) if row in sums else each
              for row, each in enumerate(plan.releases))  # fmt: skip
    most = f"{sums[rows[0]]:,.12g}" if len(sums) == 1 else "their sensitivity"
    return Mend(f"Values are held between 0 and {most}", replace(plan, releases=tuple(stated)))


def _following(plan: Plan, rows: list[int]) -> Mend | None:
    """Let the sensitivities of some releases follow from what they say of themselves."""
    found = changed(plan, rows, _untyped)
    return found and Mend("Take the least sensitivity that holds", found)


def _untyped(mechanism: Mechanism) -> Mechanism:
    given = {name: value for name, value in mechanism.parameters.items() if name != "sensitivity"}
    return mechanism_from(mechanism.key, given)
