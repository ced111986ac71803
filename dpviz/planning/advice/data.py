"""Findings about the data and how they are read: batches, repetitions, parts that share people, what is out already."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from dpviz.decimals import typed
from dpviz.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Mechanism, TrainedModel
from dpviz.mechanisms.laws.integer_laws import WHOLE_SENSITIVITY
from dpviz.mechanisms.left_open import follows
from dpviz.plan import Answers, Plan, Release
from dpviz.plan.cadence import cadence_named, recurs
from dpviz.plan.periods import lasting, recurrence
from dpviz.planning.advice.finding import FAULT, NOTE, QUESTION, Finding, named, used
from dpviz.planning.advice.mend import Cost, Mend, costs, total, with_mechanisms
from dpviz.rounding import shown_count

BATCHES_PAPER = "https://arxiv.org/abs/2403.17673"
CENSUS_PAPER = "https://arxiv.org/abs/2004.00010"
TOO_SELDOM = "the total is too low, since it is published more often than it is counted: "
UNSTATED_WHOLE = "One unit changes a whole number by a whole number, so state such a sensitivity."
_BY_COINS = ("poisson", "truncated_poisson")  # schemes of a trained model
_ONCE_AN_EPOCH = {"shuffled": "shuffled", "fixed": "fixed_order"}  # how such a model is trained, by what is answered
EMPTY = " This is for loaders that leave the place of a removed record empty."
_WHOLE = {Laplace.key: DiscreteLaplace, Gaussian.key: DiscreteGaussian}


def trained_afresh(plan: Plan) -> list[int]:
    """Return the rows of models that are trained on Poisson batches, which the plan takes to be drawn so.

    Examples
    --------
    >>> model = TrainedModel(60_000, 256, 1.1, epochs=3)
    >>> trained_afresh(Plan([Release("a", model), Release("b", replace(model, scheme="shuffled"))]))
    [0]
    """
    runs = ((row, plan.releases[row].mechanism) for row in used(plan))
    return [row for row, run in runs if isinstance(run, TrainedModel) and run.scheme in _BY_COINS
            and run.batch_size < run.records]  # fmt: skip


def wrong_batches(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find accounting for samples drawn afresh where batches are shuffled or fixed, or where nobody said."""
    rows, trained = {row: plan.releases[row].mechanism for row in used(plan)}, trained_afresh(plan)
    sampled = [row for row, each in rows.items() if (each.sampled and 0 < each.rate < 1) or row in trained]
    poisson = tuple(row for row in sampled if row in trained or rows[row].scheme == "poisson")
    if answers.batches is None and poisson:
        yield Finding(
            "batches",
            f"{named(plan, poisson)}: the total holds if every record enters every batch by a coin toss of its own "
            "(Poisson sampling), so that batches differ in size. It is not proved for batches cut from a shuffled data "
            "set, nor for fixed ones. Coin tosses are assumed until it is said how the program draws them.",
            poisson,
            BATCHES_PAPER,
        )
    elif answers.batches in ("shuffled", "fixed") and sampled:
        shuffled = answers.batches == "shuffled"
        without, mend = unsampled(plan, sampled, _ONCE_AN_EPOCH[answers.batches], shuffled)
        drawn = "cut from a shuffled data set" if shuffled else "fixed"
        yield Finding(
            "batches",
            (
                f"{named(plan, sampled)}: the total does not hold, because batches are {drawn} while the accounting "
                f"takes a fresh random sample each time; the gap can be large.{EMPTY * (not shuffled)} ",
                without,
            ),
            tuple(sampled),
            BATCHES_PAPER,
            FAULT,
            mend,
        )
    elif answers.batches == "poisson" and len(poisson) < len(sampled):
        yield _fixed_size(plan, [row for row in sampled if row not in poisson])


def _fixed_size(plan: Plan, rows: list[int]) -> Finding:
    without, mend = unsampled(plan, rows)
    return Finding(
        "batches",
        (
            f"{named(plan, rows)}: the total does not hold, because every record enters a batch by a coin toss of its "
            "own (Poisson sampling) while the accounting takes samples of a fixed size, drawn without replacement. "
            "Choose Poisson sampling for them. ",
            without,
        ),
        tuple(rows),
        BATCHES_PAPER,
        FAULT,
        mend,
    )


def unsampled(
    plan: Plan, rows: Iterable[int], scheme: str = "shuffled", moves_up: bool = False
) -> tuple[Cost, Mend]:
    """Return what a plan costs if nothing is gained from sampling in some rows, in words, and the press for it.

    A model is trained then on batches in which every record is once an epoch, by this scheme of a `TrainedModel`.
    Of other samples all data count each time, also where another record moves up in the place of a removed one.

    Examples
    --------
    >>> from dpviz.mechanisms import Subsampled
    >>> plan = Plan([Release("Survey", Subsampled(Laplace(1, 1), 0.01, "poisson"))])
    >>> str(unsampled(plan, [0])[0]).split("the total is ")[1], unsampled(plan, [0])[1].label
    ('at most ε = 1.', 'Count without the help of sampling')
    """
    changed = {row: _without_sampling(plan.releases[row].mechanism, scheme, moves_up) for row in rows}
    whole = with_mechanisms(plan, changed)
    return Cost(whole, _unsampled), Mend("Count without the help of sampling", whole, bounded=True)


def _without_sampling(mechanism: Mechanism, scheme: str, moves_up: bool) -> Mechanism:
    """The mechanism on all data each time, and for two records where one may move up in the place of a removed one.

    Of an epoch a batch moves by two of them then, and the last by one: two uses for two, or one of a begun epoch.
    """
    if isinstance(mechanism, TrainedModel):
        return replace(mechanism, scheme=scheme, largest_batch=None)
    return mechanism.base.grouped(2) if moves_up and mechanism.scheme == "poisson" else mechanism.base


def _unsampled(whole: Plan) -> str:
    if total(whole) is None:
        return "Without the help of sampling there is no finite total."
    return f"Without the help of sampling, by the noise alone, {costs(whole)}."


def counts_in_reals(plan: Plan) -> tuple[int, ...]:
    """Return the rows that add noise on real numbers to counts.

    Examples
    --------
    >>> from dpviz.mechanisms import DiscreteLaplace, Laplace
    >>> kinds = {"a": Laplace(2, 1), "b": DiscreteLaplace(2, 1)}
    >>> counts_in_reals(Plan([Release(name, kind, kind="count") for name, kind in kinds.items()]))
    (0,)
    """
    releases = plan.releases
    rows = [row for row in used(plan) if releases[row].kind in ("count", "histogram")]
    return tuple(row for row in rows if releases[row].mechanism.base.key in _WHOLE)


def whole_numbers(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find counts whose noise is on whole numbers, while the accounting takes it to be on real ones."""
    if answers.whole_numbers and (rows := counts_in_reals(plan)):
        keys = dict.fromkeys(plan.releases[row].mechanism.base.key for row in rows)
        noise = " and ".join(_WHOLE[key].label for key in keys)
        whole = _all_whole(plan, rows)
        yield Finding(
            "whole_numbers",
            (
                f"{named(plan, rows)}: the total may be too low, because noise on whole numbers loses more than noise "
                f"on real ones. Published as whole numbers? Then choose {noise}. ",
                Cost(whole, _whole_total) if whole else UNSTATED_WHOLE,
                " Real noise whose result is only rounded is covered as it stands.",
            ),
            rows,
            CENSUS_PAPER,
            press=whole and Mend(f"Take {noise}", whole),
        )


def _whole_total(whole: Plan) -> str:
    """What the plan costs with the same noise on whole numbers, in words."""
    epsilon = total(whole)
    return "There is no finite total then." if epsilon is None else f"The total is then at most ε = {epsilon}."


def _all_whole(plan: Plan, rows: Iterable[int]) -> Plan | None:
    releases = plan.releases
    try:
        made = {row: _whole(releases[row].mechanism, releases[row].kind == "histogram") for row in rows}
        return with_mechanisms(plan, made)
    except ValueError:
        return None


def _whole(mechanism: Mechanism, bars: bool) -> Mechanism:
    """The same noise on whole numbers, on the same sample.

    Whole numbers whose squares add up to s² in L2 add up to at most s² in L1, which is what noise on them counts.
    """
    if mechanism.base is not mechanism:
        return mechanism.over(_whole(mechanism.base, bars))
    if follows(mechanism):
        return _WHOLE[mechanism.key](mechanism.noise.scale)
    sensitivity = mechanism.sensitivity
    if bars and mechanism.norm == "L2":
        sensitivity = math.floor(typed(sensitivity) ** 2)
    return _WHOLE[mechanism.key](mechanism.noise.scale, WHOLE_SENSITIVITY.check(sensitivity))


def recurring(plan: Plan) -> dict[tuple[str, str], list[int]]:
    """Return the rows whose names say that they recur more often than they are counted, by these words and why.

    Examples
    --------
    >>> list(recurring(Plan([Release("Users", Laplace(1, 1)), Release("Daily users", Laplace(1, 1))])).values())
    [[1]]
    """
    found: dict[tuple[str, str], list[int]] = {}
    for row in used(plan):
        release = plan.releases[row]
        says = recurrence(release.name, bars=release.kind == "histogram")
        reason = "" if says is None else _uncounted(release, says[1], plan.unit_in_words)
        if reason:
            found.setdefault((says[0].lower(), reason), []).append(row)
    return found


def counted_once(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find releases whose names say that they recur more often than they are counted, unless it is stated otherwise."""
    found = {} if answers.uses_complete else recurring(plan)
    opening, severity = ("", QUESTION) if answers.uses_complete is None else (TOO_SELDOM, FAULT)
    for (words, reason), rows in found.items():
        said = f"{named(plan, rows)}: {opening}the name says “{words}”, but {reason}"
        if severity == QUESTION and any(plan.releases[row].kind in ("sum", "mean") for row in rows):
            said += " If that is only what its values are measured in, it is counted rightly."
        yield Finding("repetition", said, tuple(rows), "composition", severity)
    yield from _same_in_parts(plan, answers)


def _uncounted(release: Release, days: float, unit: str) -> str:
    """What speaks against the number of uses of something that recurs after so many days; "" if nothing does."""
    covered = lasting(unit)
    due = None if covered is None else math.floor(covered / days + 1e-9)
    if due is not None and release.uses >= due:
        return ""
    if recurs(release.cadence):
        return _slower(release, days)
    counted = "once" if release.uses == 1 else f"{shown_count(release.uses)} times"
    if due is not None:
        why = f"it falls about {shown_count(due)} times into one {unit}"
    elif release.uses == 1:
        why = f"the unit “{unit}” names no period, so every repetition counts"
    else:
        return (
            f"how many days are covered is not stated: it is counted {counted}, and the unit “{unit}” names no period, "
            "so every further repetition counts too. Give it a cadence with start and end."
        )
    return f"it is counted {counted}, and {why}. Give it a cadence with start and end, or the number of times."


def _slower(release: Release, days: float) -> str:
    """What speaks against a cadence with fewer uses than the name's period asks for; a month may have 28 days."""
    cadence = cadence_named(release.cadence)
    if release.count * days >= cadence.days * (1 - 1e-9):
        return ""
    counted = "once" if release.count == 1 else f"{shown_count(release.count)} times"
    return f"it is counted {counted} {cadence.label}. Give it the cadence that its name says, or rename it."


def _same_in_parts(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """The same release in several parts: right for different people, a repetition for the same ones."""
    if answers.parts_disjoint:
        return
    found: dict[tuple, list[int]] = {}
    for row in used(plan):
        release = plan.releases[row]
        if release.part is not None:
            found.setdefault((release.name.casefold(), release.mechanism), []).append(row)
    for rows in found.values():
        parts = len({plan.releases[row].part for row in rows})
        if parts > 1:
            yield Finding(
                "repetition",
                f"{named(plan, rows[:1])} stands in {shown_count(parts)} parts, but counts in one of them only: right "
                "if the parts hold different people, wrong if they are the same people at different times.",
                tuple(rows),
                "composition",
            )


def shared_parts(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find parts that share people, or parts of which nobody said that they do not."""
    rows = tuple(row for row in used(plan) if plan.releases[row].part is not None)
    parts = len({plan.releases[row].part for row in rows})
    if answers.parts_disjoint or parts < 2:
        return
    whole = replace(plan, releases=tuple(replace(each, part=None) for each in plan.releases))
    if answers.parts_disjoint is None:
        words = "only the dearest counts, which holds if nobody is in two of them. If people are, "
        severity, then = QUESTION, ". Say which."
    else:
        words = "only the dearest is counted, but people are in several of them. If the same people are in all, "
        severity, then = FAULT, "."
    said = f"The plan has {shown_count(parts)} parts, of which {words}", Cost(whole, costs), then
    yield Finding("parts", said, rows, "plan", severity, Mend("Add all parts up", whole))


def seen_already(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find a plan that is read as fixed in advance although something is out already."""
    rows = tuple(row for row, release in enumerate(plan.releases) if release.done_uses)
    if rows and not plan.adaptive:
        partly = any(plan.releases[row].done_uses < plan.releases[row].uses for row in rows)
        yield Finding(
            "adaptivity",
            f"{named(plan, rows)} {'is' if len(rows) == 1 else 'are'} published already"
            f"{', wholly or in part' if partly else ''}, and the plan is read as fixed in advance"
            f"{', though nobody stated that it is' if plan.adaptive is None else ''}. That "
            "holds as long as noise, number and order of all releases stay what they were before the first; once "
            "anything is changed after a result was seen, mark the plan as choosing along the way.",
            rows,
            "filters",
            QUESTION if plan.adaptive is None else NOTE,
            Mend("Mark the plan as choosing along the way", replace(plan, adaptive=True)),
        )
