"""Findings about proofs: numbers outside the range for which a theorem, or a calibration, is proved."""

from __future__ import annotations

from collections.abc import Iterator

from dpviz.composition.stated_pairs import StatedPairs
from dpviz.decimals import rounded_up, typed
from dpviz.plan import Answers, Plan
from dpviz.planning.advice.finding import NOTE, QUESTION, Finding, named, used
from dpviz.rounding import shown_delta, shown_up


def unproven(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find what leaves the proven range of a theorem or of a calibration, one finding per reason."""
    rows = used(plan)
    yield from _calibrations(plan, rows)
    yield from _no_delta(plan, rows)
    yield from _stated_deltas(plan)
    yield from _unstated_pairs(plan, rows)
    yield from _small_samples(plan, rows)


def _finding(sentence: str, rows: list[int] | tuple[int, ...], see: str, severity: str = NOTE) -> Finding:
    """A note: the exact profile stands behind the pair, or there is no total that could be wrong."""
    return Finding("range", sentence, tuple(rows), see, severity)


def _calibrations(plan: Plan, rows: list[int]) -> Iterator[Finding]:
    bases = {row: plan.releases[row].mechanism.base for row in rows}
    noted = {row: base.note for row, base in bases.items() if base.note}
    for note in dict.fromkeys(noted.values()):
        concerned = [row for row in rows if noted.get(row) == note]
        largest = shown_up(max(bases[row].stated.epsilon for row in concerned))
        yield _finding(f"{named(plan, concerned)}: ε up to {largest}, but {note}.", concerned, "sources")


def _no_delta(plan: Plan, rows: list[int]) -> Iterator[Finding]:
    bases = {row: plan.releases[row].mechanism.base for row in rows}
    gaussian = [row for row, base in bases.items() if base.mu is not None and base.noise is not None]
    if gaussian and plan.budget.delta == 0:
        yield _finding(
            f"{named(plan, gaussian)}: Gaussian noise has no finite ε at δ = 0, and neither has the total. Allow a δ "
            "above 0, or use Laplace noise.",
            gaussian,
            "privacy_loss",
        )


def _stated_deltas(plan: Plan) -> Iterator[Finding]:
    mechanisms, counts = plan.workload()
    spent = max(StatedPairs(mechanisms, counts, plan.budget.delta).spent, default=typed(0.0))
    whole = typed(plan.budget.delta)
    if not spent or spent < whole:
        return
    rows = [row for row in used(plan) if (pair := plan.releases[row].mechanism.stated) is not None and pair.delta > 0]
    total, allowed = shown_up(rounded_up(spent)), shown_delta(plan.budget.delta)
    if spent > whole:
        words = f"add up to {total}, more than δ = {allowed}: sums of the stated pairs give no total at this δ"
    else:
        words = f"use up δ = {allowed}: nothing is left for theorems that spend some of δ themselves"
    yield _finding(f"The stated δ of {named(plan, rows)} {words}.", rows, "composition")


def _unstated_pairs(plan: Plan, rows: list[int]) -> Iterator[Finding]:
    bare = [row for row in rows if plan.releases[row].mechanism.stated is None]
    if plan.adaptive and bare:
        yield _finding(
            f"{named(plan, bare)}: a plan that chooses along the way needs every release to be given by an (ε, δ), and "
            "here is none to quote. Gaussian noise that is given as in “ε 0.5, δ 1e-7” has one.",
            bare,
            "filters",
        )


def _small_samples(plan: Plan, rows: list[int]) -> Iterator[Finding]:
    if plan.population is None:
        return
    people = plan.population
    sampled = [row for row in rows if plan.releases[row].mechanism.sampled]
    tiny = [row for row in sampled if typed(plan.releases[row].mechanism.rate) * people < 1]
    if tiny:
        rate = min(plan.releases[row].mechanism.rate for row in tiny)
        yield _finding(
            f"{named(plan, tiny)}: a sampling rate of {rate:.6g} takes less than one of {people:,} people on average. "
            "The rate is the size of the sample over that of the data.",
            tiny,
            "amplification",
            QUESTION,
        )
