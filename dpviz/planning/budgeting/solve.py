"""A budget divided among releases: the least noise that stays within it, what still fits, and what accuracy costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition import compose, theorem_named
from dpviz.filters import FILTERS
from dpviz.filters.verdicts import least_budget
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism, NameAndShame, TrainedModel
from dpviz.mechanisms.left_open import why_no_error
from dpviz.outward import raised
from dpviz.parameters import COUNT, checked
from dpviz.plan import Plan
from dpviz.planning.accuracy import CONFIDENCE, HALF_WIDTH, joint_confidence, scale_within
from dpviz.planning.accuracy import half_width as half_width_of
from dpviz.planning.budgeting.goal import Goal, goal_noise
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.search import Found, adaptive_noise, fixed_noise, weighted_variance
from dpviz.planning.budgeting.splits import SPLITS, Split, SplitKey, split_named
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

__all__ = [
    "HALF_WIDTH", "KINDS", "SPLITS", "Goal", "Solution", "Split", "adaptive_cost", "least_epsilon", "solve_noise",
    "split_named",
]  # fmt: skip
KINDS = (
    ("planned", "Kinds of noise as planned", None),
    ("laplace", "Laplace noise", Laplace),
    ("gaussian", "Gaussian noise", Gaussian),
)
_NOTHING = "no release can be adjusted: all are locked, done, without uses, or without noise"
_NO_ERROR = "no release with an error can be adjusted: all are locked, done, without uses or noise, or trained models"
_FIXED_FIRST = (
    "holds only if this filter, with its budget and the δ kept for the releases' own δ, was fixed before the first "
    "release that is done"
)
_LEAST_RATIO = 1e-20  # noise over sensitivity: ε is then beyond 10^20, and no total is computed
_SHOWN = 5  # releases in a shell
_NUDGES = 40  # together twice the last of six digits


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """The least noise of a shape that stays within a budget, or why there is none.

    Parameters
    ----------
    plan : Plan or None
        The plan with its noise solved, verified forward; None where the question has no answer.
    reason : str
        One sentence why there is none; "" where there is a plan.
    total : Guarantee or None
        What the solved plan costs: under a theorem its ε and δ, at most the budget; under a filter the budget itself.
    theorem : str
        Key of the theorem in ``THEOREMS``, or of the rule in ``FILTERS`` where `by_filter`; "" where there is no plan.
    label : str
        Its name for people.
    by_filter : bool
        Whether a filter admits the whole plan (it may be chosen along the way), and so the budget is its guarantee.
    factor : float
        Geometric mean, over the releases that were adjusted, of solved noise over present noise; 1.0 without a plan.
    factors : tuple of float
        The same release by release, in the plan's order; 1.0 for those that are held. Empty without a plan.
    condition : str
        On what the guarantee hinges that no computation can check, as the end of "it ..."; "" where on nothing.

    Examples
    --------
    >>> solve_noise(Plan([])).reason
    'the budget sets no limit on ε, so that no noise is the least'
    """

    plan: Plan | None
    reason: str = ""
    total: Guarantee | None = None
    theorem: str = ""
    label: str = ""
    by_filter: bool = False
    factor: float = 1.0
    factors: tuple[float, ...] = ()
    condition: str = ""

    def __repr__(self) -> str:
        """How a shell shows it: what it costs and by how much noise changes, or why there is none."""
        if self.plan is None:
            return f"<Solution: none, since {self.reason}>"
        noise = ", ".join(f"{each.name}: {each.mechanism}" for each in self.plan.releases[:_SHOWN])
        more = f" and {len(self.plan.releases) - _SHOWN} more" if len(self.plan.releases) > _SHOWN else ""
        return f"<Solution: {self.total} by {self.label}, {shown_up(self.factor, 4)} times the noise; {noise}{more}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        if self.plan is None:
            return f"<p>No solution: {escape(self.reason)}</p>"
        noise = f"{shown_up(self.factor, 4)} times the noise"
        return f"<p>{escape(str(self.total))} by {escape(self.label)}, {noise}</p>{self.plan._repr_html_()}"


def solve_noise(
    plan: Plan, split: SplitKey = "proportional", locked: Sequence[int] = (), goal: Goal | None = None
) -> Solution:
    """Return the least noise of a shape with which a plan stays within its budget, or within a risk that is the goal.

    Parameters
    ----------
    plan : Plan
        Its budget has ε in (0, inf) and δ below 1.
    split : str
        A key of ``SPLITS``.
    locked : sequence of int
        Rows (from 0) of releases that are held as they are.
    goal : Goal, optional
        An advantage, or a pair of error rates, that takes the place of the budget, of which only δ counts then.

    Returns
    -------
    Solution
        Noise in six significant digits, verified forward: within the budget, and within 0.1 % of it where the held
        releases leave room.

    Raises
    ------
    ValueError
        When the split is unknown or a locked row is none of the plan.

    Notes
    -----
    Held besides: releases of which anything is done (as a whole, what is still to come included), releases without
    uses, black boxes, and name and shame. Of a trained model the noise multiplier is changed; a split that weighs
    errors leaves it what scaling as planned gives it, since its noise is on gradients. A plan that is fixed in advance
    is solved under tight accounting; one that is chosen along the way under whichever needs least noise of basic
    composition and the filters, whose budget and rule must be fixed before the first release. A risk is that of the
    plan's own privacy loss, kept and used up to 1e-4; of a plan that is chosen along the way, that of the pair (ε, δ)
    that keeps it by itself. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz.plan import Release
    >>> rows = [Release("a", Laplace.from_epsilon(1.0)), Release("b", Laplace.from_epsilon(3.0))]
    >>> solution = solve_noise(Plan(rows, Guarantee(1.0)))
    >>> [each.mechanism.stated.epsilon for each in solution.plan.releases], solution.theorem
    ([0.25, 0.75], 'basic')
    >>> print(solve_noise(Plan(rows[:1]), goal=Goal(advantage=0.2)).plan.releases[0].mechanism)
    Laplace (epsilon 0.446286)
    """
    if goal is not None:
        return _for_goal(plan, split, locked, checked(goal, Goal, "goal"))
    record, levels = split_named(split), Adjustable.of(plan, locked)
    if reason := _hopeless(plan, levels) or _why_not(plan, levels, record):
        return Solution(None, reason)
    search = adaptive_noise if plan.adaptive else fixed_noise
    try:
        with np.errstate(all="ignore"):
            found = _divided(plan, levels, record, search)
    except (ValueError, OverflowError) as error:  # a noise, or what it costs, that no double holds
        found = f"the noise that the budget needs cannot be held: {error}"
    return _solution(plan, levels, found)


def _for_goal(plan: Plan, split: SplitKey, locked: Sequence[int], goal: Goal) -> Solution:
    """The least noise that keeps a risk."""
    record, levels = split_named(split), Adjustable.of(plan, locked)
    if plan.adaptive or not len(levels) or plan.budget.delta >= 1:
        pair = goal.pair(plan.budget.delta)
        if pair is None:
            return Solution(None, f"δ = {plan.budget.delta:.6g} alone allows more than this goal")
        return solve_noise(replace(plan, budget=pair), split, locked)
    if reason := _why_not(plan, levels, record):
        return Solution(None, reason)
    try:
        plan.check_sensitivities()
        with np.errstate(all="ignore"):
            found = _divided(plan, levels, record, partial(goal_noise, goal=goal))
    except (ValueError, OverflowError) as error:
        found = str(error)
    return _solution(plan, levels, found)


def _why_not(plan: Plan, levels: Adjustable, split: Split) -> str:
    """Why a split cannot be made; of one that weighs errors among the releases that have errors, if any has."""
    others = levels.but(plan, levels.models) if split.weighs_errors else levels
    return split.reason(others if len(others) else levels)


def _divided(
    plan: Plan, levels: Adjustable, split: Split, search: Callable[[Plan, Adjustable, Split], Found | str]
) -> Found | str:
    """The plan with its least noise; by a split that weighs errors, trained models come first, scaled with all."""
    models = levels.models
    if not split.weighs_errors or not models:
        return search(plan, levels, split)
    scaled = search(plan, levels, split_named("proportional"))
    if isinstance(scaled, str) or len(levels) - len(models) < 2:  # nothing is left to divide
        return scaled
    return search(scaled.plan, levels.but(scaled.plan, models), split)


def _hopeless(plan: Plan, levels: Adjustable) -> str:
    try:
        plan.check_sensitivities()
    except ValueError as error:
        return str(error)
    budget = plan.budget
    if math.isinf(budget.epsilon):
        return "the budget sets no limit on ε, so that no noise is the least"
    if budget.delta >= 1:
        return "a budget with δ = 1 promises nothing, so that no noise is the least"
    if budget.epsilon == 0:
        return "a budget of ε = 0 leaves nothing to spend"
    if not len(levels):
        return _NOTHING
    costly = [each.mechanism for each in plan.releases if each.uses and each.mechanism.strength is not None]
    if budget.delta == 0 and any(isinstance(each, TrainedModel) or each.base.mu is not None for each in costly):
        return "Gaussian noise has no finite ε at δ = 0"
    return _any_noise(plan, levels)


def _any_noise(plan: Plan, levels: Adjustable) -> str:
    """Why no noise is the least where δ covers that a record is sampled at all; "" where it does not."""
    releases, steps = list(plan.releases), levels.steps()
    if not all(step.sampled for each in steps for step in each) or plan.budget.delta == 0:
        return ""
    for row, each in zip(levels.rows.tolist(), steps, strict=True):  # whatever the noise, it is no worse than none
        read = raised(sum(step.rate * count for step, count in each.items()), 2)
        releases[row] = replace(releases[row], mechanism=NameAndShame(min(read, 1.0)))
    exposed = replace(plan, releases=tuple(releases))
    if not compose(exposed, plan.budget.delta, "basic").implies(plan.budget):
        return ""
    return f"any noise fits, so that none is the least: δ = {plan.budget.delta:.6g} covers that a record is sampled"


def _solution(plan: Plan, levels: Adjustable, found: Found | str) -> Solution:
    if isinstance(found, str):
        return Solution(None, found)
    factors = np.ones(len(plan.releases))
    factors[levels.rows] = levels.ratios_in(found.plan) / levels.ratio
    mean = float(np.exp(np.log(factors[levels.rows]).mean()))
    condition = _FIXED_FIRST if found.by_filter and any(each.done_uses for each in plan.releases) else ""
    proof = (found.total, found.theorem, found.label, found.by_filter)
    return Solution(found.plan, "", *proof, mean, tuple(factors.tolist()), condition)


def adaptive_cost(plan: Plan, split: str = "proportional", locked: Sequence[int] = ()) -> float | None:
    """Return how many times the noise must be larger because the plan is chosen along the way.

    Returns
    -------
    float or None
        Square root of the ratio of the weighted variances, for most splits simply the ratio of the noise; None where
        one of the two has no solution, 1.0 for a plan that is fixed in advance.

    Examples
    --------
    >>> from dpviz.plan import Release
    >>> plan = Plan([Release("a", Gaussian(1.0, 1), 100)], Guarantee(1.0, 1e-6), adaptive=True)
    >>> 1 < adaptive_cost(plan) < 1.1
    True
    """
    if not plan.adaptive:
        return 1.0
    pair = [solve_noise(each, split, locked).plan for each in (plan, replace(plan, adaptive=False))]
    if None in pair:
        return None
    levels = Adjustable.of(plan, locked)
    along, before = (weighted_variance(levels, levels.ratios_in(each)) for each in pair)
    return math.sqrt(along / before)


def least_epsilon(
    plan: Plan,
    half_width: float | Sequence[float],
    confidence: float = 0.95,
    jointly: bool = False,
    locked: Sequence[int] = (),
    single_numbers: bool = False,
) -> pandas.DataFrame:
    """Compute the least total ε with which every release stays within ±`half_width`.

    Parameters
    ----------
    plan : Plan
        Only the δ of its budget counts.
    half_width : float or sequence of float, length releases
        In units of each answer, in (0, inf); of held releases ignored. Trained models are held: they have no error.
    confidence : float
        Of each use; with `jointly` of all uses of all adjusted releases at once. In (0, 1).
    jointly : bool
    locked : sequence of int
        Rows (from 0) of releases that are held as they are.
    single_numbers : bool
        Whether every answer is a single number, whose L1 and L2 sensitivity are the same. Without that, Gaussian noise
        is never turned into Laplace noise: the L1 sensitivity of a vector is larger than the L2 one that is known.

    Returns
    -------
    pandas.DataFrame
        One row per kind of noise, ``planned`` (each as it is), ``laplace`` and ``gaussian``: kind, label, epsilon
        (rounded up; inf where there is none), delta, theorem (key of a theorem, or of a rule where by_filter),
        theorem_label, by_filter, applies, reason, plan (with that noise; None where it does not apply).

    Notes
    -----
    The noise is the largest of six digits with which each use is that accurate. A sensitivity is taken over as it is
    when the kind changes: of L1 for L2 too, which is never larger; of L2 for L1 for single numbers only. Clipping and
    sampling errors are left out. Under a filter ε is the least budget that, fixed before the first release, admits the
    whole plan.

    Examples
    --------
    >>> from dpviz.plan import Release
    >>> frame = least_epsilon(Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0, 1e-6)), 10.0)
    >>> frame.epsilon.round(4).tolist()
    [0.2996, 0.2996, 0.8162]
    """
    import pandas

    free, confidence = Adjustable.of(plan, locked), CONFIDENCE.check(confidence)
    levels = free.but(plan, free.models)
    widths = HALF_WIDTH.check_array(np.broadcast_to(half_width, len(plan.releases))[levels.rows], "half_width")
    if jointly and len(levels):
        confidence = joint_confidence(confidence, min(int(levels.uses.sum()), int(COUNT.high)))
    asked = (widths, confidence, single_numbers)
    with np.errstate(all="ignore"):
        return pandas.DataFrame([_kind_row(plan, levels, kind, *asked) for kind in KINDS])


def _kind_row(
    plan: Plan, levels: Adjustable, kind: tuple, widths: np.ndarray, confidence: float, single: bool
) -> dict[str, object]:
    key, label, noise = kind
    row = {"kind": key, "label": label, "epsilon": math.inf, "delta": plan.budget.delta, "theorem": "",
           "theorem_label": "", "by_filter": False, "applies": False, "reason": "", "plan": None}  # fmt: skip
    if not len(levels) or plan.budget.delta >= 1:
        return row | {"reason": "with δ = 1 nothing is promised" if len(levels) else _NO_ERROR}
    if noise is not None and noise.norm == "L1" and not single and (name := _of_known_l2(plan, levels)):
        return row | {"reason": f"Laplace noise needs the L1 sensitivity, and of {name} only the L2 one is known"}
    try:
        accurate = _accurate(plan, levels, noise, widths, confidence)
        total, theorem, theorem_label, by_filter = _least_total(accurate)
    except ValueError as error:
        return row | {"reason": str(error)}
    except OverflowError:
        return row | {"reason": "this noise, or what it costs, is no number that a computer holds"}
    if math.isinf(total):
        return row | {"reason": "nothing that may be quoted gives a finite ε at this δ"}
    proof = {"theorem": theorem, "theorem_label": theorem_label, "by_filter": by_filter}
    return row | proof | {"epsilon": total, "applies": True, "plan": accurate}


def _of_known_l2(plan: Plan, levels: Adjustable) -> str:
    """Name of the first adjustable release with Gaussian noise; "" where there is none."""
    chosen = (plan.releases[row] for row in levels.rows.tolist())
    return next((each.name or "a release" for each in chosen if each.mechanism.base.norm == "L2"), "")


def _accurate(plan: Plan, levels: Adjustable, kind: type | None, widths: np.ndarray, confidence: float) -> Plan:
    """The plan with the largest noise that is accurate enough; ValueError where there is none."""
    releases = list(plan.releases)
    for row, width in zip(levels.rows.tolist(), widths.tolist(), strict=True):
        releases[row] = replace(releases[row], mechanism=_as_accurate(releases[row].mechanism, kind, width, confidence))
    return replace(plan, releases=tuple(releases))


def _as_accurate(mechanism: Mechanism, kind: type | None, width: float, confidence: float) -> Mechanism:
    base = mechanism.base
    if kind is None and base.noise is None:
        raise ValueError(f"{base.label.lower()} adds no noise to an answer: lock it, or choose a kind of noise")
    if base.noise is not None and (unknown := why_no_error(mechanism)):
        raise ValueError(unknown)
    sensitivity = getattr(base, "sensitivity", 1.0)
    if kind is not None and type(base) is not kind:
        base = kind(sensitivity, sensitivity)
    scale = scale_within(type(base), width, confidence)
    if scale == 0:
        raise ValueError("no noise stays within the half-width that surely")
    ratio = scale / sensitivity
    if ratio < _LEAST_RATIO:
        raise ValueError(f"noise below {_LEAST_RATIO:.0e} of the sensitivity hides nothing: its ε has no use")
    for _ in range(_NUDGES):  # its six digits may be rounded up
        noisy = base.at_strength(ratio)
        if half_width_of(noisy, confidence) <= width:
            return mechanism.over(noisy)
        ratio *= 1 - 5e-7
    raise ValueError("no noise that a computer holds stays within the half-width that surely")


def _least_total(plan: Plan) -> tuple[float, str, str, bool]:
    """The least ε that may be quoted at the budget's δ: by a theorem, or as the budget of a filter."""
    delta = plan.budget.delta
    sums = compose(plan, delta, "basic").epsilon
    basic = (sums, "basic", theorem_named("basic").label, False)
    if not plan.adaptive:
        total = compose(plan, delta).epsilon
        return basic if sums <= total else (total, "pld", theorem_named("pld").label, False)
    others = [rule for rule in FILTERS if rule.key != "basic"]
    options = [basic, *((least_budget(plan, rule.key), rule.key, f"{rule.label} filter", True) for rule in others)]
    return min(options, key=lambda each: each[0])
