"""The checks that catch known mistakes in a plan, in one tuple; each finding has its reason and where to read on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dpviz.plan import Plan
from dpviz.planning.advice.data import counted_once, seen_already, shared_parts, whole_numbers, wrong_batches
from dpviz.planning.advice.finding import BATCHES, Check, Context, Finding
from dpviz.planning.advice.promise import delta_times_people, relation, unit_unstated
from dpviz.planning.advice.ranges import unproven
from dpviz.records import record_named

__all__ = ["BATCHES", "CHECKS", "Check", "Context", "Finding", "check_named", "checks"]

CHECKS: tuple[Check, ...] = (
    Check(
        "delta_people",
        "δ against the number of people",
        "δ·n is at most 0.01, with n people in the data.",
        "The δ of the budget, and the number of people as stated.",
        "Dwork & Roth (2014), Sect. 2.3",
        delta_times_people,
    ),
    Check(
        "range",
        "Proven ranges",
        "Every number lies where its theorem, or its calibration, is proved.",
        "ε and δ of the releases and of the budget, and sampling rates.",
        "Dwork & Roth (2014), Thm A.1 (ε below 1); Balle & Wang (2018), Thm 8",
        unproven,
    ),
    Check(
        "relation",
        "Neighbour relation",
        "The plan says whether a unit is added or removed, or replaced, and sensitivities are meant for that.",
        "What the plan states; of sensitivities, a 1 where units are replaced, which may be that of added units.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        relation,
    ),
    Check(
        "unit",
        "Unit of privacy",
        "The unit names who is protected, and for how long where releases recur.",
        "The words of the unit and the cadences; not whether the data were bounded per unit.",
        "NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees",
        unit_unstated,
    ),
    Check(
        "batches",
        "How batches are drawn",
        "Batches are drawn as the accounting assumes.",
        "What you say about batches: the plan cannot know.",
        "Chua et al. (2024), How Private are DP-SGD Implementations?",
        wrong_batches,
    ),
    Check(
        "whole_numbers",
        "Noise on whole numbers",
        "Counts that get noise on whole numbers are accounted as that.",
        "What you say about the noise of counts: the plan cannot know.",
        "Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy",
        whole_numbers,
    ),
    Check(
        "repetition",
        "Repetitions",
        "What is released again on the same people counts every time.",
        "The names of the releases (daily, per week, every month), their cadence, and the period in the unit.",
        "Dwork & Roth (2014), Thm 3.16 (composition)",
        counted_once,
    ),
    Check(
        "parts",
        "Parts that share people",
        "Nobody is in two parts.",
        "What you say about parts: the plan cannot know.",
        "McSherry (2009), Privacy Integrated Queries, Thm 4 (parallel composition)",
        shared_parts,
    ),
    Check(
        "adaptivity",
        "Chosen after seeing results",
        "What is changed after something was published counts as chosen along the way.",
        "Which releases are done, wholly or until a day, and whether the plan is marked as choosing along the way.",
        "Rogers, Roth, Ullman & Vadhan (2016), Privacy Odometers and Filters",
        seen_already,
    ),
)

check_named: Callable[[str], Check] = partial(record_named, CHECKS)


def checks(
    plan: Plan, *, batches: str | None = None, parts_disjoint: bool | None = None, whole_numbers: bool | None = None
) -> tuple[Finding, ...]:
    """Return what the checks find in a plan.

    Parameters
    ----------
    plan : Plan
    batches : {"poisson", "shuffled", "fixed"}, optional
        How the batches of sampled releases are really drawn; None asks, where it matters.
    parts_disjoint : bool, optional
        Whether every person is in one part only; None asks, where there are two parts or more.
    whole_numbers : bool, optional
        Whether counts get noise that is itself a whole number, as the 2020 Census, OpenDP and Tumult draw it.

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
    >>> from dpviz.mechanisms import Laplace
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("Daily visits", Laplace(10))], unit="person", relation="add_remove", population=1000)
    >>> [finding.check for finding in checks(plan)]
    ['repetition']
    """
    context = Context(batches, parts_disjoint, whole_numbers)
    return tuple(finding for check in CHECKS for finding in check.find(plan, context))
