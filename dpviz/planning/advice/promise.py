"""Findings about the promise itself: δ against the number of people, the neighbour relation, the unit of privacy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from dpviz.decimals import rounded_down, rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import KaryRandomizedResponse, Mechanism, RandomizedResponse
from dpviz.mechanisms.left_open import follows
from dpviz.plan import CHANGES, Answers, Plan, Release
from dpviz.plan.cadence import recurs
from dpviz.plan.periods import lasting
from dpviz.plan.units import counted
from dpviz.planning.advice.finding import BOOK, GUIDELINES, NOTE, QUESTION, Finding, named, used
from dpviz.planning.advice.mend import DIGITS, Cost, Mend, costs
from dpviz.rounding import probability_in_words, shown_count, shown_delta, shown_down, shown_up

MOST_DELTA_TIMES_PEOPLE = Fraction(1, 100)
_VAGUE = re.compile(
    r"(unit|record|row|point|datapoint|data|item|entry|example|sample|event|entity|instance|observation|visit|trip|"
    r"purchase|order|transaction|payment|click|session|message|query|euro|dollar|pound)s?"
    r"|entries|entities"
)
_FILLING = re.compile(r"a|an|one|single|each|per|of|the|level|privacy")
ACCEPTED = "As was answered, it is accepted."
TWICE = (
    "replacing one can change its old and its new contribution, so that a sensitivity, and the number of releases that "
    "it touches, can be up to twice as large"
)


def delta_times_people(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find a δ that lets through a mechanism which publishes whole records.

    Notes
    -----
    Publishing each record with probability δ, and nothing else, is (0, δ)-DP, and δ·n records are expected to be out.
    """
    delta = typed(plan.budget.delta)
    if not used(plan) or not delta:
        return
    if plan.population is None:
        yield Finding("delta_people", _unchecked(delta), see=BOOK)
        return
    if large_delta(plan):
        yield _too_large(plan, delta, accepted=bool(answers.delta_accepted))
    elif delta * plan.population**2 > 1:
        words, mend = _lower_delta(plan, Fraction(1, plan.population**2))
        kept = f"δ = {shown_delta(plan.budget.delta)} keeps the rule 0.01/n with {shown_count(plan.population)} people"
        said = (f"{kept}, but not the stricter one that NIST names, 1/n². ", *words)
        yield Finding("delta_people", said, (), GUIDELINES, NOTE, mend)


def large_delta(plan: Plan) -> bool:
    """Say whether δ is above what is usual for the people in the data, whose number is stated."""
    return bool(used(plan)) and bool(plan.population) and (
        typed(plan.budget.delta) * plan.population > MOST_DELTA_TIMES_PEOPLE
    )


def _too_large(plan: Plan, delta: Fraction, *, accepted: bool) -> Finding:
    words, mend = _lower_delta(plan, MOST_DELTA_TIMES_PEOPLE / plan.population)
    strict = rounded_down(Fraction(1, plan.population**2))
    also = f" NIST asks for less still, 1/n²: {shown_down(strict, DIGITS)}." if plan.population > 100 else ""
    shown = shown_up(rounded_up(delta * plan.population))
    said = (
        f"With {shown_count(plan.population)} people, this δ allows that δ·n = {shown} whole records are published on "
        "average. The rule is at most 0.01. "
    )
    said, severity = (f"{ACCEPTED} {said}", NOTE) if accepted else (said, QUESTION)
    return Finding("delta_people", (said, *words, also, *_whatever_happens(plan)), (), BOOK, severity, mend)


def _whatever_happens(plan: Plan) -> tuple[str | Cost, ...]:
    """What bounds the loss whatever happens, where every release has a promise without δ."""
    pure = all(each.mechanism.stated and not each.mechanism.stated.delta for each in plan.releases)
    if not pure:
        return ()
    return " Whatever happens, at δ = 0, ", Cost(without_delta(plan), costs), "."


def why_delta(plan: Plan) -> str | tuple[str | Cost, ...]:
    """Say in plain words why a δ is asked about that is large among the people in the data, whose number is stated.

    What a promise with it would allow is another matter than what these releases can do, where that is bounded.
    """
    chance = probability_in_words(plan.budget.delta)
    among = f"A chance of failure of {chance} is a large one among {shown_count(plan.population)} {counted(plan.unit)}"
    if whatever := _whatever_happens(plan):
        rarely = ("; if it does, ", *whatever[1:-1], ". Is that too much?")
        return f"{among}. If it does not happen, ", Cost(plan, costs), *rarely
    percent = 100 * typed(plan.budget.delta) * plan.population  # where one alone is, each with chance δ
    often = f"with a chance of {shown_up(rounded_up(percent), 2)} in 100" if percent <= 99 else "for certain"
    return f"{among}: the promise would allow that one of them is published whole, {often}."


def without_delta(plan: Plan) -> Plan:
    """Return the plan with a promise that never fails.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> without_delta(Plan([Release("Mean age", Laplace.from_epsilon(0.25))], Guarantee(1.0, 1e-6))).budget
    Guarantee(epsilon=1.0, delta=0.0)
    """
    return replace(plan, budget=Guarantee(plan.budget.epsilon, 0.0))


def _lower_delta(plan: Plan, most: Fraction) -> tuple[tuple[str | Cost, ...], Mend]:
    """What a round δ within a rule makes of the total, in words, and the press for it."""
    within = _round_below(most)
    lower = replace(plan, budget=Guarantee(plan.budget.epsilon, within))
    shown = shown_down(within, DIGITS)
    words = f"At δ = {shown}, which is small enough, ", Cost(lower, costs), "."
    return words, Mend(f"Lower δ to {shown}", lower, bounded=True)


def usual_delta(people: int | None) -> float:
    """Return the δ to begin with: 10⁻⁶, or the largest round one that is small enough for so many people.

    Examples
    --------
    >>> usual_delta(None), usual_delta(3_100_000)
    (1e-06, 2e-09)
    """
    return min(1e-6, _round_below(MOST_DELTA_TIMES_PEOPLE / people)) if people else 1e-6


def _round_below(most: Fraction) -> float:
    """The largest of 1, 2 or 5 times a power of ten that is no more: as odds, one in a round number."""
    if not (value := rounded_down(most)):
        return 0.0
    exponents = (math.floor(math.log10(value)) + shift for shift in (-1, 0, 1))
    tried = (float(f"{digit}e{exponent}") for exponent in exponents for digit in (1, 2, 5))
    return max(each for each in tried if typed(each) <= most)


_NEVER = "exceeds 0.01 for any n"


def _unchecked(delta: Fraction) -> str:
    most = int(MOST_DELTA_TIMES_PEOPLE / delta)
    strict = f"keeps NIST's stricter rule, 1/n², for at most {shown_count(math.isqrt(int(1 / delta)))}"
    allowed = f"keeps it within 0.01 for at most {shown_count(most)} people, and {strict}" if most else _NEVER
    known = "δ·n cannot be checked, since the number of people in the data, n, is not stated."
    return f"{known} δ = {shown_delta(float(delta))} {allowed}." if most < 10**15 else known


def relation(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find a neighbour relation that is left open, and sensitivities that may not be meant for the one in force."""
    yield from _unstated(plan)
    yield from _not_for_replacing(plan)
    yield from _who_answers(plan)


def _unstated(plan: Plan) -> Iterator[Finding]:
    if plan.relation is not None or not used(plan):
        return
    rows = tuple(row for row, release in enumerate(plan.releases) if release.mechanism.relation)
    why = f"{named(plan, rows[:1])} demands it by its sampling" if rows else "nothing in the plan demands another one"
    meaning, [other] = CHANGES[plan.neighbours].format(plan.unit_in_words), {*CHANGES} - {plan.neighbours}
    yield Finding(
        "relation",
        f"The neighbour relation is not stated: {meaning} is taken, because {why}. Under the other one, "
        f"{CHANGES[other].format(plan.unit_in_words)}, the same noise may protect half as well.",
        rows,
        GUIDELINES,
        press=Mend(f"State that it is {meaning}", replace(plan, relation=plan.neighbours)),
    )


def _who_answers(plan: Plan) -> Iterator[Finding]:
    """Find randomized answers where units are added or removed: they hide what was answered, and not who answered."""
    if rows := answered_openly(plan):
        yield Finding(
            "relation",
            f"{named(plan, rows)}: the ε of randomized response is that of an answer which is changed. It does not "
            f"hide whether one {plan.unit_in_words} answered, or how many did: that must be fixed beforehand, or be no "
            "secret.",
            rows,
            BOOK,
            NOTE,
        )


def answered_openly(plan: Plan) -> tuple[int, ...]:
    """Return the rows of which a unit's answer is hidden, and not that it answered, though its presence is protected.

    Examples
    --------
    >>> from dpviz import Release
    >>> poll = Release("Poll", RandomizedResponse(1.0))
    >>> answered_openly(Plan([poll])), answered_openly(Plan([poll], relation="replace_one"))
    ((0,), ())
    """
    asked = ((row, plan.releases[row]) for row in used(plan))
    rows = tuple(row for row, each in asked if _asked_of_units(each))
    return rows if plan.neighbours == "add_remove" else ()


def _asked_of_units(release: Release) -> bool:
    """Whether each unit answers by chance itself, or several times, of which no more is known than what it costs."""
    base, survey = release.mechanism.base, release.kind == "survey"
    return isinstance(base, RandomizedResponse | KaryRandomizedResponse) or (survey and not base.noise)


def _not_for_replacing(plan: Plan) -> Iterator[Finding]:
    """Where units are replaced: a sensitivity of 1, as nearly every count has it for units added or removed."""
    if plan.neighbours != "replace_one":
        return
    # A release that is said to be a count has 1 rightly: replacing one unit takes at most one away and adds one.
    mechanisms = {row: plan.releases[row].mechanism for row in used(plan) if plan.releases[row].kind != "count"}
    # What demands the relation by its sampling was typed for it.
    rows = tuple(row for row, each in mechanisms.items() if not each.relation and _sensitivity(each) == 1)
    if rows:
        yield Finding(
            "relation",
            f"{named(plan, rows)} {'has' if len(rows) == 1 else 'have'} sensitivity 1 where one {plan.unit_in_words} "
            f"is replaced by another, and sensitivities must be for replacing: {TWICE}. A single count of units keeps "
            "1 (say that it is a count); a histogram has 2 in L1 and √2 in L2.",
            rows,
            GUIDELINES,
        )


def _sensitivity(mechanism: Mechanism) -> float | None:
    return None if follows(mechanism) else getattr(mechanism.base, "sensitivity", None)


def unit_unstated(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find a unit of privacy that does not say who is protected, or for how long."""
    rows = used(plan)
    if not rows:
        return
    words = [word for word in re.split(r"[^\w]+", plan.unit_in_words.lower()) if word and not _FILLING.fullmatch(word)]
    if plan.unit is None:
        yield Finding(
            "unit",
            "The unit of privacy is not stated: nothing says whom the total protects, one person, household or device, "
            "nor for how long. Name the unit for which sensitivities and counts were typed.",
            see=GUIDELINES,
        )
    elif all(_VAGUE.fullmatch(word) for word in words):
        yield Finding(
            "unit",
            f"The unit of privacy, “{plan.unit}”, does not say who is protected: one person may have many of them, and "
            "is then protected less. Name the person or household, and the period.",
            see=GUIDELINES,
        )
    recurring = tuple(row for row in rows if recurs(plan.releases[row].cadence))
    if recurring and plan.unit is not None and lasting(plan.unit) is None:
        yield Finding(
            "unit",
            f"The unit of privacy, “{plan.unit}”, names no period, though {named(plan, recurring)} "
            f"{'recurs' if len(recurring) == 1 else 'recur'}. The total covers all dates from the first to the last, "
            "and whatever is released later adds to it. If less is meant, state a period such as person-month.",
            recurring,
            GUIDELINES,
            NOTE,  # of all dates together is the total that is safe for whatever period was meant
        )
