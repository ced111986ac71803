"""The checks that catch known mistakes in a plan, in one tuple; each finding has its reason and where to read on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from dpviz.effort import QUOTED
from dpviz.plan import Answers, Plan
from dpviz.planning.advice.data import (
    counted_once,
    counts_in_reals,
    recurring,
    seen_already,
    shared_parts,
    trained_afresh,
    whole_numbers,
    wrong_batches,
)
from dpviz.planning.advice.doubled import lookalikes, same_statistic
from dpviz.planning.advice.finding import FAULT, NOTE, QUESTION, Check, Finding, used
from dpviz.planning.advice.mend import Cost, Mend, composed
from dpviz.planning.advice.origin import (
    clipping_from_data,
    counted_rows,
    known_samples,
    observed_bounds,
    public_sample,
    unbounded_contributions,
)
from dpviz.planning.advice.promise import delta_times_people, large_delta, relation, unit_unstated, why_delta
from dpviz.planning.advice.ranges import unproven
from dpviz.planning.advice.sensitivities import unproved_sensitivities
from dpviz.planning.advice.uses import copied_total, epsilon_of_one_use, several_uses, shorter_unit
from dpviz.records import record_named

__all__ = [
    "CHECKS", "QUESTIONS", "Check", "Finding", "as_answered", "check_named", "checks", "faults", "open_questions",
    "questions",
]  # fmt: skip

CHECKS: tuple[Check, ...] = (
    Check(
        "sensitivity",
        "Sensitivities",
        "Every sensitivity is at least the one that what is released proves, and none is taken that nobody stated.",
        "Kind, clipping, relation, people and rows of one unit are as stated; one row, where no number is stated.",
        "Dwork & Roth (2014), Definitions 3.1 and 3.8",
        unproved_sensitivities,
        "Does the sensitivity hold for all that one {unit} can change?",
        "The noise is enough only if one {unit} changes a number by no more than is stated, which for a sum or a "
        "mean takes values that are clipped.",
    ),
    Check(
        "delta_people",
        "δ and the number of people",
        "δ is at most 0.01/n, with n people in the data, and at most 1/n², the stricter rule.",
        "The δ of the budget, and the number of people as stated.",
        "Dwork & Roth (2014), Sect. 2.3; NIST SP 800-226 (2025)",
        delta_times_people,
        "Is the δ small enough for the people in the data?",
        "The promise allows that somebody's whole record is published with this chance, which must be far smaller than "
        "1 in the number of people.",
    ),
    Check(
        "range",
        "Proven ranges",
        "Every number lies where its theorem, or its calibration, is proved.",
        "ε and δ of the releases and of the budget, and sampling rates.",
        "Dwork & Roth (2014), Thm A.1 (ε below 1); Balle & Wang (2018), Thm 8",
        unproven,
        "Is every number within the range that is proved?",
        "Beyond that range nothing is proved, so nothing is promised.",
    ),
    Check(
        "relation",
        "Neighbour relation",
        "The plan says whether a unit is added or removed, or replaced, and sensitivities are meant for that.",
        "Goes by what the plan states. It cannot see for which of the two relations a typed sensitivity was meant.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        relation,
        "Is one {unit} added or left out, or replaced by another?",
        "Replacing one may change a number by twice as much as leaving one out.",
    ),
    Check(
        "unit",
        "Unit of privacy",
        "The unit names who is protected, and for how long where releases recur.",
        "The words of the unit and the cadences; not whether the data were bounded per unit.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        unit_unstated,
        "Who is protected, and for how long?",
        "What is promised for one day of somebody says little about their whole year.",
    ),
    Check(
        "batches",
        "How samples are drawn",
        "Samples, and batches of a training, are drawn as the accounting assumes.",
        "What you say about them: the plan cannot know.",
        "Chua et al. (2024), How Private are DP-SGD Implementations?, arXiv 2403.17673",
        wrong_batches,
        "How are samples, or batches of a training, really drawn?",
        "The total counts on samples that are drawn at random.",
    ),
    Check(
        "whole_numbers",
        "Noise on whole numbers",
        "Counts that get noise on whole numbers are accounted as that.",
        "What you say about the noise of counts: the plan cannot know.",
        "Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy",
        whole_numbers,
        "Is the noise of counts drawn in whole numbers, as they are?",
        "Noise in whole numbers costs another amount than is counted here.",
    ),
    Check(
        "repetition",
        "Repetitions",
        "What is released again on the same people counts every time.",
        "Names of releases (daily, per week), their cadence, and the period in the unit; else what you say.",
        "Dwork & Roth (2014), Thm 3.16 (composition)",
        counted_once,
        "Does the plan say how often each number is published?",
        "What is published again about the same people counts every time.",
    ),
    Check(
        "parts",
        "Parts that share people",
        "Nobody is in two parts.",
        "What you say about parts: the plan cannot know.",
        "McSherry (2009), Privacy Integrated Queries, Thm 4 (parallel composition)",
        shared_parts,
        "Is everybody in one part of the data only?",
        "Parts of the data are counted side by side, which is right only if nobody is in two of them.",
    ),
    Check(
        "adaptivity",
        "Chosen after seeing results",
        "What is changed after something was published counts as chosen along the way.",
        "Which releases are done, wholly or until a day, and whether the plan is marked as choosing along the way.",
        "Rogers, Roth, Ullman & Vadhan (2016), Privacy Odometers and Filters",
        seen_already,
        "Does the rest depend on what is published already?",
        "What is chosen after seeing results is counted in another way, and costs more.",
    ),
    Check(
        "contributions",
        "Rows of one unit",
        "Sensitivities are meant for all rows of one unit, and the rows beyond are dropped.",
        "Releases named after what one unit has several of, such as visits, that have the sensitivity of one row, and "
        "trained models.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        unbounded_contributions,
        "Can one {one} count more than once in the same release?",
        "If so, more is lost than is told here.",
    ),
    Check(
        "bounds",
        "Clipping bounds",
        "Values are clipped to bounds that were fixed without looking at the data.",
        "Bounds with more digits than anybody chooses; else what you say.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        clipping_from_data,
        "Were the limits of values fixed without looking at the data?",
        "Limits that are read off the data reveal something of them.",
    ),
    Check(
        "public_sample",
        "Samples that are known",
        "Nobody learns who is in a sample, where the total counts on that.",
        "Looks at surveys, and at samples that are small or drawn once; of others it goes by what you say.",
        "Balle, Barthe & Gaboardi (2018), Privacy Amplification by Subsampling",
        public_sample,
        "Does nobody know who is in a sample?",
        "The total counts on that.",
    ),
    Check(
        "same_statistic",
        "The same statistic twice",
        "No release stands in two rows.",
        "Names of the same words, or rows alike but for their names, bounds included.",
        "Dwork & Roth (2014), Thm 3.16 (composition)",
        same_statistic,
        "Is the same number published once, or twice?",
        "Two rows look alike, and each of them is counted.",
    ),
    Check(
        "copied_total",
        "ε copied from the budget",
        "No number of the whole is given to each of several uses.",
        "An ε equal to the budget, of one use or of those of one day, of which one unit meets several.",
        "Dwork & Roth (2014), Thm 3.16 (composition)",
        copied_total,
        "Is the whole budget meant for each use?",
        "One row has as much as the whole budget for every one of its uses.",
    ),
    Check(
        "per_use",
        "ε of one use",
        "An ε that is meant for several uses together is not stated for each.",
        "An ε that fits the budget once while all uses do not, or that recurs where there is no limit.",
        "Dwork & Roth (2014), Thm 3.16 (composition)",
        epsilon_of_one_use,
        "Is the noise of a row meant for each release, or for all together?",
        "It is counted for every use.",
    ),
    Check(
        "shorter_unit",
        "Unit shorter than the schedule",
        "What one unit loses is quoted beside the loss of somebody who is in the data all the time.",
        "The period in the unit, and the dates of the releases.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        shorter_unit,
        "Does anybody stay in the data for longer than one {unit}?",
        "The dates last longer, and who stays all along loses more.",
    ),
)

# The names of `Answers`, the check that asks for each, and whether a plan makes it.
QUESTIONS: tuple[tuple[str, str, Callable[[Plan], object]], ...] = (
    (
        "batches", "batches",
        lambda plan: trained_afresh(plan)
        or any(each.mechanism.parameters.get("scheme") == "poisson" for each in plan.releases),
    ),
    ("parts_disjoint", "parts", lambda plan: any(each.part is not None for each in plan.releases)),
    ("whole_numbers", "whole_numbers", counts_in_reals),
    ("rows_per_unit", "contributions", counted_rows),
    ("bounds_fixed", "bounds", observed_bounds),
    ("sample_secret", "public_sample", known_samples),
    ("same_statistic", "same_statistic", lookalikes),
    ("epsilon_per_use", "per_use", several_uses),
    ("uses_complete", "repetition", recurring),
    ("delta_accepted", "delta_people", large_delta),
)  # fmt: skip

# Whose answers are counted by a press at once; by what others offer, something that is entered would cost less.
COUNTED = ("batches", "parts", "whole_numbers", "contributions", "public_sample")

check_named: Callable[[str], Check] = partial(record_named, CHECKS)


def questions(plan: Plan) -> tuple[str, ...]:
    """Return what a plan does not say and its checks would know, by the names of `Answers`.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> questions(Plan([Release("Purchases", Laplace(10, 1), kind="count")]))
    ('whole_numbers', 'rows_per_unit')
    """
    return tuple(name for name, _, matters in QUESTIONS if matters(plan))


def checks(plan: Plan, **answers: object) -> tuple[Finding, ...]:
    """Return what the checks find in a plan.

    Parameters
    ----------
    plan : Plan
    **answers
        By the names of `Answers`, in the place of those that the plan holds. What is not answered is asked, where it
        matters.

    Returns
    -------
    tuple of Finding
        In the order of ``CHECKS``; () if nothing is found. Totals in them are at the budget's δ, under the plan's
        neighbour relation, rounded up.

    Raises
    ------
    ValueError
        When an answer is not allowed.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Daily users", Laplace(10, 1))], unit="person", relation="add_remove", population=1000)
    >>> [finding.check for finding in checks(plan)]
    ['repetition']
    >>> plan = Plan([Release("Purchases", Laplace(10, 1))], unit="person", relation="add_remove", population=1000)
    >>> [finding.mend.label for finding in checks(plan, rows_per_unit=3)]
    ['Count 3 rows of one person']
    """
    known = replace(plan.answers or Answers(), **answers)
    # What lets no total be quoted is found first; the others look at the rest, whose rows keep their places.
    faults = plan.faults
    releases = tuple(replace(each, count=0) if row in faults else each for row, each in enumerate(plan.releases))
    quotable = replace(plan, releases=releases) if faults else plan
    first, *others = CHECKS
    found = [*first.find(plan, known), *(each for check in others for each in check.find(quotable, known))]
    return tuple(found)


def faults(plan: Plan, found: Iterable[Finding] | None = None) -> tuple[Finding, ...]:
    """Return what makes the total surely another one than the plan's: only answers do, of what a plan counts.

    Parameters
    ----------
    plan : Plan
    found : iterable of Finding, optional
        What `checks` finds in it, where that is known already.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> from dpviz.plan import Answers
    >>> plan = Plan([Release("Daily users", Laplace(10, 1))], population=1000)
    >>> [[each.check for each in faults(replace(plan, answers=each))] for each in (None, Answers(uses_complete=False))]
    [[], ['repetition']]
    """
    if not plan.answers:
        return ()
    return tuple(each for each in (checks(plan) if found is None else found) if each.severity == FAULT)


def as_answered(plan: Plan) -> tuple[Plan, tuple[str, ...]]:
    """Return a plan in which all that its answers say is counted, as far as a press does, and what was pressed for it.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    plan : Plan
        Under the same neighbour relation, with the same releases and a total that is no lower. What an answer
        contradicts and no such press mends stays one of its `faults`.
    pressed : tuple of str
        Labels of the presses, in their order; () where there are none.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Visits", Laplace(10), kind="count")], unit="person", relation="add_remove")
    >>> counted, pressed = as_answered(replace(plan, answers=Answers(rows_per_unit=3)))
    >>> pressed, counted.releases[0].rows, faults(counted)
    (('Count 3 rows of one person',), 3, ())
    """
    pressed: list[str] = []
    while len(pressed) < len(COUNTED) and (mend := next(_contradicted(plan), None)):
        pressed.append(mend.label)
        plan = mend.plan
    return plan, tuple(pressed)


def _contradicted(plan: Plan) -> Iterator[Mend]:
    """What counts an answer of a plan that is not made so, if the total is no lower by it."""
    said = plan.answers or Answers()
    answered = {check for name, check, _ in QUESTIONS if check in COUNTED and getattr(said, name) is not None}
    for each in checks(plan) if answered and not plan.faults else ():
        if each.check not in answered or each.severity == NOTE or not each.mend:
            continue
        one_by_one = each.check == "contributions" and [each.mend.plan.releases[row].rows for row in each.rows]
        if one_by_one and set(one_by_one) != {said.rows_per_unit}:  # nothing would say that others are left out
            continue
        if composed(each.mend.plan) >= composed(plan) * (1 - QUOTED):
            yield each.mend


def _why(check: str, plan: Plan) -> str | tuple[str | Cost, ...]:
    """Why a check asks, in plain words."""
    if check == "delta_people" and plan.population is not None:
        return why_delta(plan)
    return check_named(check).why.format(unit=plan.unit_in_words)


def open_questions(plan: Plan, found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return what is asked of a plan before its total is relied on, in plain words: one question of each check.

    Parameters
    ----------
    plan : Plan
    found : iterable of Finding
        As `checks` returns them.

    Returns
    -------
    tuple of Finding
        Each with why its check asks in the place of the reason, with all rows that it is about, and with what settles
        the first of them; () where no number is published.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Pay", Laplace(10, 1), kind="sum")], unit="person", relation="add_remove", population=99)
    >>> print(open_questions(plan, checks(plan))[0].sentence)
    The noise is enough only if one person changes a number by no more than is stated, which for a sum or a mean takes
    values that are clipped.
    """
    if not used(plan):
        return ()
    rows: dict[str, list[int]] = {}
    presses: dict[str, Mend | None] = {}
    for each in found:
        if each.severity == QUESTION:
            rows.setdefault(each.check, []).extend(each.rows)
            presses[each.check] = presses.get(each.check) or each.press
    return tuple(
        Finding(key, _why(key, plan), tuple(dict.fromkeys(about)), press=presses[key])
        for key, about in rows.items()
    )  # fmt: skip
