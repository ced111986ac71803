"""Sentences of the page on training, computed from the answers."""

from __future__ import annotations

import math

from dpviz.plan import RELATIONS, Plan
from dpviz.rounding import (
    probability_in_words,
    shown_count,
    shown_delta,
    shown_down,
    shown_near,
    shown_right,
    shown_up,
)
from dpviz.training import scheme_named
from dpviz.ui.shell import reading
from dpviz.ui.shell.kept import right_guesses
from dpviz.ui.training.answer import Found, plan_of
from dpviz.ui.training.asked import BATCH, LENGTH, NOISE, Question

LARGER = (
    "The noise in a mean gradient is the noise multiplier times the clipping norm over the batch size. Here it is kept "
    "as it is, as are the epochs: a step of each of these trainings is as accurate. Larger batches take fewer steps, "
    "and cost less."
)
ALONE = "That is one training by itself: “Fit to budget” beside a plan solves the noise of all that it releases."
BESIDE = "A record is what one clipped gradient is computed from. If one {0} has several, more is lost."
OWN_PLAN, START = "Plan of a training", "Start a plan with this training"
KEEP = "Keep this noise, and price other batches at it"
ABOUT_KEEP = (
    "What was searched becomes what is given: then another way to draw batches is priced at that noise, and no other "
    "noise is searched for it."
)
INSTEAD = f"“{START}” opens a plan for this."
SEARCH = (
    "Whoever trains several times to find good settings, and publishes the best model alone, has looked at the data "
    "each time. With a number of trainings that is drawn at random before the first, and kept secret, the best costs "
    "less than all of them."
)


def finding(asked: Question, found: Found) -> str:
    """Return the sentences that answer the page's question."""
    said = [_trouble(found), _people(found) if asked.in_words else _searched(asked, found), _otherwise(found)]
    return reading.told(" ".join(filter(None, said)))


def _trouble(found: Found) -> str:
    return found.trouble if found.trouble and not found.cost.reason else ""


def _run(found: Found) -> str:
    run = found.run
    times = "one epoch" if run.epochs == 1 else f"{shown_near(run.epochs)} epochs"
    label = scheme_named(run.scheme).label
    return f"{label}: {shown_count(run.records)} records, batches of {shown_count(int(run.batch_size))}, {times}"


def _searched(asked: Question, found: Found) -> str:
    run, epsilon = found.run, found.cost.epsilon
    if math.isinf(epsilon):
        return f"**{_run(found)}: no guarantee is known**, since {found.cost.reason or 'no finite loss is proved'}."
    costs = f"**at most ε = {shown_up(epsilon)}** at δ = {shown_delta(run.delta)}"
    if found.trouble or asked.solved not in (NOISE, LENGTH, BATCH):
        return f"{_run(found)} at a noise multiplier of {shown_near(run.noise_multiplier)} cost {costs}."
    if asked.solved == NOISE:
        needed, budget = f"**a noise multiplier of {shown_up(run.noise_multiplier)}**", shown_near(asked.budget)
        less = "" if shown_up(epsilon) == budget else f"to cost no more than ε = {budget}: "
        return f"{_run(found)} need {needed} {less or 'to cost '}{costs}. {ALONE}"
    if asked.solved == BATCH:
        return (
            f"**Batches of {shown_count(int(run.batch_size))}** with a noise multiplier of "
            f"{shown_up(run.noise_multiplier)} are the smallest whose steps are so accurate within "
            f"ε = {shown_near(asked.budget)}. {_run(found)} cost {costs}."
        )
    count = shown_count(int(run.epochs))
    return f"**{count} epochs** fit into ε = {shown_near(asked.budget)}. {_run(found)} cost {costs}."


def _people(found: Found) -> str:
    run, epsilon = found.run, found.cost.epsilon
    if math.isinf(epsilon):
        return f"**{_run(found)}: no promise is known**, since {found.cost.reason or 'no finite loss is proved'}."
    right = shown_right(right_guesses(plan_of(found), epsilon))
    return (
        f"{_run(found)}, with noise {shown_up(run.noise_multiplier)} times as large as the largest effect of one "
        f"record. Who guesses from the model whether one record was trained on is right in **at most {right} of 100** "
        f"cases; a coin toss in 50. The privacy loss is at most **{shown_up(epsilon)}**, except with a chance of "
        f"{probability_in_words(run.delta)}."
    )


def _otherwise(found: Found) -> str:
    """What is run in place of what is priced, or priced in place of what is run."""
    rows = found.table.set_index("scheme")
    poisson, shuffled = rows.loc["poisson"], rows.loc["shuffled"]
    if found.run.scheme == "shuffled":
        return (
            f"A library that takes them for Poisson batches says {shown_up(poisson.epsilon)} at that noise. Shuffled "
            f"ones lose at least {_least(shuffled.lower)}."
        )
    return (
        f"**If the code shuffles instead, the ε at that noise lies between {_least(shuffled.lower)} and "
        f"{shown_up(shuffled.epsilon)}.**"
    )


def _least(lower: float) -> str:
    return shown_down(lower) if lower > 0 else "0"


def title(found: Found) -> str:
    """Return what the chart shows."""
    known = found.table[found.table.epsilon < math.inf]
    if known.empty:
        return "No finite loss is proved of any of these batches"
    least, most = known.loc[known.epsilon.idxmin()], known.loc[known.epsilon.idxmax()]
    return (
        f"Least ε at this noise multiplier: {least.label}, {shown_up(least.epsilon)}; most: {most.label}, "
        f"{shown_up(most.epsilon)}"
    )


def not_in_plan(plan: Plan, own: Plan) -> str:
    """Return why a plan cannot take the training that `own` holds, and what to do instead; "" where it can.

    Examples
    --------
    >>> from dpviz.mechanisms import TrainedModel
    >>> from dpviz.plan import Release
    >>> release = Release("Model", TrainedModel(1000, 50, 2.0, epochs=3, scheme="fixed_size"))
    >>> own = Plan([release], relation="replace_one")
    >>> print(not_in_plan(Plan([], relation="add_remove"), own).partition(":")[0])
    Your plan protects one unit added or removed, and these batches protect one unit replaced by another
    """
    relations = {each.mechanism.relation for each in plan.releases} | {plan.relation}
    if relations - {None, own.relation}:
        kept, wanted = (RELATIONS[each] for each in (plan.neighbours, own.relation))
        return f"Your plan protects one unit {kept}, and these batches protect one unit {wanted}: {INSTEAD}"
    if plan.budget.delta == 0:
        return f"Your plan's δ is 0, at which no training with such noise keeps any promise: {INSTEAD}"
    return ""


def other_delta(plan: Plan, own: Plan) -> str:
    """Return what is to be known where a plan prices the training at another δ; "" where it does not."""
    theirs, here = plan.budget.delta, own.budget.delta
    if plan == Plan(()) or theirs in (0, here):
        return ""
    other = "a larger" if theirs < here else "a smaller"
    return f" At your plan's δ, {shown_delta(theirs)}, the training costs {other} ε than at {shown_delta(here)} here."


def not_handed(found: Found, library: str) -> str:
    """Return why there is no program for a library."""
    if found.cost.reason:
        return f"There is no program of a run without a guarantee: {found.cost.reason}."
    label = scheme_named(found.run.scheme).label
    return (
        f"{library} has nothing for “{label}” that is known here. Whatever it runs, or prices, in place of that is not "
        f"what was priced."
    )


def relation(key: str) -> str:
    """Return what one record becomes in the data that must not be told apart."""
    return f"one record {RELATIONS[key]}"
