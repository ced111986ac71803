"""What moves the total of a plan: the noise, the count and the sampling rate of each release, and δ apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.composition import compose, refusal, theorem_named
from dpviz.composition.compose import about, kinds, smallest_totals
from dpviz.composition.numerical import pld
from dpviz.decimals import rounded_down, typed
from dpviz.effort import PLOTTED, quoted
from dpviz.mechanisms import Mechanism, TrainedModel
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import EPSILON, Parameter
from dpviz.plan import Plan, Workload
from dpviz.planning.advice.steps import Step, steps
from dpviz.privacy_loss import Bound
from dpviz.rounding import shown_count, shown_delta

if TYPE_CHECKING:
    import pandas

LEVERS = ("noise", "count", "rate")
CHANGE = Parameter("change", "", "relative step of a lever", 0, 1, open_low=True, open_high=True)
# How many releases are varied while somebody waits, counted in new mechanisms; a sampled one takes as long as five
# others. How accurate their totals are does not depend on it.
SAMPLED_WORK = 5
WORK, WORK_BESIDE_MANY = 26, 6
MANY = 200  # beyond so many mechanisms, fewer are varied
FEWEST_GROUPS = 3
MOST_POINTS = 1500


@dataclass(frozen=True, slots=True)
class Group:
    """Releases that are equal but for their names: whichever is changed, the total is the same.

    Parameters
    ----------
    mechanism : Mechanism
    uses : int
        Of one of them, at least 1.
    part : str or None
    rows : tuple of int
        Their positions in the plan.
    """

    mechanism: Mechanism
    uses: int
    part: str | None
    rows: tuple[int, ...]


def levers(plan: Plan, change: float = 0.1) -> pandas.DataFrame:
    """Compute how the total ε moves when one thing about one release is changed, the largest saving first.

    Parameters
    ----------
    plan : Plan
    change : float
        Relative step, in (0, 1): 0.1 makes the noise 10 % larger or smaller.

    Returns
    -------
    pandas.DataFrame
        One row per (release, lever): row (0-based position of the release in the plan), release (its name), lever
        ("noise", "count" or "rate"), total (ε of the plan as it stands), epsilon_less and epsilon_more (the total with
        the lever moved to the cheaper and to the dearer side, rounded up; inf where there is none), saving (what the
        cheaper side surely gives, rounded down, never negative; inf where it turns an infinite total into a finite
        one), what (the cheaper step in words), opposite (the dearer step in words).

    Raises
    ------
    ValueError
        When `change` lies outside its interval.

    Notes
    -----
    Totals are the smallest proved ones at the budget's δ, under the plan's neighbour relation; a plan that chooses
    along the way is read by what may be quoted for it. A saving below what the numerical theorems may be off by
    (1e-4 of the total) is 0. Releases that are done, or never used, have no levers. In large plans only the releases
    that spend most, by a rough estimate, are varied; `left_out` says how many are not.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> plan = Plan([Release("Visits", Laplace.from_epsilon(0.1), 30)], Guarantee(4, 0.0))
    >>> frame = levers(plan)
    >>> frame.what.tolist(), frame.saving.round(6).tolist()
    (['27 instead of 30 times', 'noise 10 % larger'], [0.3, 0.272727])
    """
    import pandas

    change = CHANGE.check(change)
    plan.check_sensitivities()
    chosen, _ = _chosen(plan, change)
    names = [release.name for release in plan.releases]
    columns = [
        "row", "release", "lever", "total", "epsilon_less", "epsilon_more", "saving", "what", "opposite"
    ]  # fmt: skip
    if not chosen:
        return pandas.DataFrame({column: pandas.Series(dtype=_dtype(column)) for column in columns})
    moved = _Moved(plan, chosen)
    rows = [
        (row, names[row], step.lever, moved.total, less, more, _saving(moved, less), step.what, step.opposite)
        for group, step, less, more in moved.results()
        for row in group.rows
    ]
    frame = pandas.DataFrame(rows, columns=columns)
    order = np.lexsort((frame.lever.map(LEVERS.index), frame.row, -frame.epsilon_more, -frame.saving))
    return about(frame.iloc[order].reset_index(drop=True), plan, plan.budget.delta)


def _dtype(column: str) -> str:
    return "int64" if column == "row" else "object" if column in ("release", "lever", "what", "opposite") else "float64"


def _saving(moved: _Moved, less: float) -> float:
    """What is surely saved: the difference of the decimals, from the least that the present total can be."""
    if math.isinf(moved.total):
        return math.inf if math.isfinite(less) else 0.0
    return rounded_down(max(typed(moved.sure) - typed(less), typed(0.0)))


def left_out(plan: Plan) -> str:
    """Return the sentence that says which releases `levers` does not vary; "" if it varies all.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> left_out(Plan([Release("Visits", Laplace(10, 1), done=True)]))
    '1 release is done: nothing about it can be changed any more.'
    """
    sentences = []
    done = [release.done_uses < release.uses for release in plan.releases if release.done_uses]
    if done:
        words = ("release is", "it") if len(done) == 1 else ("releases are", "them")
        partly = "" if not any(done) else ", wholly or in part" if len(done) > 1 else " in part"
        held = "held as a whole" if any(done) else f"nothing about {words[1]} can be changed any more"
        sentences.append(f"{shown_count(len(done))} {words[0]} done{partly}: {held}.")
    _, others = _chosen(plan, 0.1)
    count = sum(len(group.rows) for group in others)
    if count:
        words = "release is not varied: it spends" if count == 1 else "releases are not varied: each spends"
        sentences.append(f"{shown_count(count)} {words} less than those shown, by a rough estimate.")
    return " ".join(sentences)


def delta_lever(plan: Plan, total: float | None = None) -> pandas.DataFrame:
    """Compute the total at a tenth of the budget's δ, at δ and at ten times δ.

    Parameters
    ----------
    plan : Plan
    total : float, optional
        The plan's total at its budget's δ, where it is proved already; None composes it.

    Returns
    -------
    pandas.DataFrame
        By δ: delta, epsilon (the smallest proved total, rounded up; inf where there is none), what (words). One row
        alone where δ is 0; none above where ten times δ reaches 1.

    Notes
    -----
    Not among the levers on purpose: δ is the probability with which the bound on the privacy loss may fail. A larger δ
    makes the number ε smaller while the releases, and what they tell about people, stay exactly the same. It is shown
    so that nobody mistakes it for a saving. Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz import Gaussian, Guarantee, Release
    >>> frame = delta_lever(Plan([Release("Mean", Gaussian(10.0, 1), 100)], Guarantee(5, 1e-6)))
    >>> [round(float(epsilon), 3) for epsilon in frame.epsilon]
    [5.349, 4.887, 4.377]
    """
    import pandas

    delta = plan.budget.delta
    exact = typed(delta)
    sides = [(float(exact / 10), "a tenth of δ"), (delta, "δ of the budget"), (float(exact * 10), "ten times δ")]
    kept = [sides[1]] if delta == 0 else [side for side in sides if 0 < side[0] < 1]
    known = {} if total is None else {delta: EPSILON.check(total, "total")}
    totals = [known[value] if value in known else compose(plan, value).epsilon for value, _ in kept]
    totals = [max(totals[place:]) for place in range(len(totals))]  # never larger at a larger δ, but for the numerics
    rows = [
        (value, total, f"{words}: {shown_delta(value)}") for (value, words), total in zip(kept, totals, strict=True)
    ]
    return pandas.DataFrame(rows, columns=["delta", "epsilon", "what"])


def _work(mechanisms: Sequence[Mechanism]) -> int:
    slow = (mechanism.sampled or isinstance(mechanism, TrainedModel) for mechanism in mechanisms)
    return sum(SAMPLED_WORK if each else 1 for each in slow)


def _groups(plan: Plan) -> list[Group]:
    """The releases that can be changed, equal ones together, those first that seem to spend most."""
    members: dict[tuple, list[int]] = {}
    for row, release in enumerate(plan.releases):
        if release.uses and not release.done_uses:
            members.setdefault((release.mechanism, release.uses, release.part), []).append(row)
    groups = [Group(*key, tuple(rows)) for key, rows in members.items()]
    # Ties are broken by what the releases are, not by where they stand: their order must not matter.
    texts = {group.mechanism: repr(group.mechanism) for group in groups}
    spending = {group: _spending(plan, group) for group in groups}
    return sorted(groups, key=lambda group: (-spending[group], texts[group.mechanism], group.uses, group.part or ""))


def _spending(plan: Plan, group: Group) -> float:
    """A rough measure of what a release spends: ε adds up by itself at δ = 0, its square otherwise."""
    if plan.adaptive or plan.budget.delta == 0:
        stated = group.mechanism.stated
        return math.inf if stated is None or (stated.delta > 0 and not plan.adaptive) else group.uses * stated.epsilon
    return group.uses * min(float(group.mechanism.epsilon(plan.budget.delta)), 1e100) ** 2


def _chosen(plan: Plan, change: float) -> tuple[list[tuple[Group, tuple[Step, ...]]], list[Group]]:
    """The groups that are varied with their steps, and those for which there is no time."""
    groups = _groups(plan)
    present = _work({release.mechanism for release in plan.releases})
    parts = len({release.part for release in plan.releases})
    work, points = (WORK if present <= MANY else WORK_BESIDE_MANY), MOST_POINTS
    chosen: list[tuple[Group, tuple[Step, ...]]] = []
    for place, group in enumerate(groups):
        found = steps(group.mechanism, group.uses, change)
        work -= 2 * _work([step.less[0] for step in found if step.lever != "count"])
        points -= 2 * len(found) * (parts if group.part is None else 1)
        if place and (points < 0 or (work < 0 and place >= FEWEST_GROUPS)):
            return chosen, groups[place:]
        chosen.append((group, found))
    return chosen, []


class _Moved:
    """The totals of a plan and of its variants, worked out together."""

    def __init__(self, plan: Plan, chosen: list[tuple[Group, tuple[Step, ...]]]) -> None:
        self.plan, self.delta = plan, plan.budget.delta
        self.sides = [(group, step, side) for group, found in chosen for step in found for side in ("less", "more")]
        present = sorted({release.mechanism for release in plan.releases if release.uses}, key=repr)
        changed = [getattr(step, side)[0] for _, step, side in self.sides]
        self.column = {mechanism: place for place, mechanism in enumerate(dict.fromkeys([*present, *changed]))}
        self._count_parts()
        blocks = [self._variant(*side) for side in self.sides]
        workload = Workload(tuple(self.column), np.concatenate([self.counts, *blocks]), plan.adaptive)
        bound = self._bound(workload, PLOTTED)
        self._read_present(bound, len(present))
        self.epsilons = self._read_variants(bound.epsilon[len(self.counts) :], blocks)

    def _count_parts(self) -> None:
        """Counts of every part, equal parts once; which part stands where, and for how many."""
        parts = list(dict.fromkeys(release.part for release in self.plan.releases if release.part is not None))
        self.place = {part: place for place, part in enumerate(parts or [None])}
        counts = np.zeros((len(self.place), len(self.column)), dtype=np.int64)
        for release in self.plan.releases:
            rows = self.place[release.part] if release.part in self.place else slice(None)
            counts[rows, self.column.get(release.mechanism, 0)] += release.uses
        self.counts, inverse, self.copies = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
        inverse = inverse.ravel()
        self.place = {part: int(inverse[place]) for part, place in self.place.items() if part is not None}

    def _bound(self, workload: Workload, accuracy: float) -> Bound:
        """The smallest proved total of each row, and by how much it may be too high."""
        if refusal(theorem_named("pld"), workload, self.delta):
            return Bound(smallest_totals(workload, self.delta, accuracy))
        bound = pld(*taken_apart(workload.mechanisms, workload.counts), self.delta, accuracy)
        released = workload.counts.any(axis=1)
        return Bound(np.where(released, bound.epsilon, 0.0), lambda: np.where(released, bound.lower, 0.0))

    def _read_present(self, bound: Bound, present: int) -> None:
        """The present total of each part, the total, and the least that it can be; as accurate as it is quoted."""
        mechanisms, rows = tuple(self.column)[:present], len(self.counts)
        accuracy = quoted(kinds(mechanisms))
        if accuracy < PLOTTED:
            bound = self._bound(Workload(mechanisms, self.counts[:, :present], self.plan.adaptive), accuracy)
        self.parts = bound.epsilon[:rows]
        self.total = float(self.parts.max())
        # Where the total is infinite, so is what is sure.
        self.sure = float(np.where(np.isfinite(self.parts), bound.lower[:rows], np.inf).max())

    def _read_variants(self, epsilons: np.ndarray, blocks: list[np.ndarray]) -> np.ndarray:
        """ε of every variant: the dearest of its parts, never cheaper than what it does not touch."""
        if not blocks:
            return np.zeros(0)
        starts = np.cumsum([0, *map(len, blocks)])[:-1]
        dearest = np.maximum.reduceat(epsilons, starts)
        totals = np.maximum(dearest, [self._untouched(group) for group, _, _ in self.sides])
        if math.isinf(self.total):
            repaired = [self._repaired(side, block) for side, block in zip(self.sides, blocks, strict=True)]
            totals = np.minimum(totals, repaired)
        return totals

    def _variant(self, group: Group, step: Step, side: str) -> np.ndarray:
        """Counts of the parts that a change touches, shape (parts touched, mechanisms)."""
        mechanism, uses = getattr(step, side)
        counts = self.counts[self._touched(group)].copy()
        counts[:, self.column[group.mechanism]] -= group.uses
        counts[:, self.column[mechanism]] += uses
        return counts

    def _touched(self, group: Group) -> slice:
        return slice(None) if group.part is None else slice(self.place[group.part], self.place[group.part] + 1)

    def _untouched(self, group: Group) -> float:
        """The total of the parts that a change leaves alone."""
        others, touched = np.ones(len(self.parts), dtype=bool), self._touched(group)
        others[touched] = self.copies[touched] > 1 if group.part is not None else False
        return float(self.parts[others].max(initial=0.0))

    def _repaired(self, side: tuple[Group, Step, str], block: np.ndarray) -> float:
        """ε of a plan from which a release was left out: it may have been the only one without a guarantee."""
        group, step, which = side
        if which == "more" or step.less[1]:
            return math.inf
        rows, touched = self.counts.copy(), self._touched(group)
        rows[touched] = block
        shared = self.counts[touched][self.copies[touched] > 1 if group.part is not None else slice(0, 0)]
        rows = np.concatenate([rows, shared])
        used = rows.any(axis=0)
        kept = tuple(mechanism for mechanism, use in zip(self.column, used, strict=True) if use)
        workload = Workload(kept, rows[:, used], self.plan.adaptive)
        return float(smallest_totals(workload, self.delta, PLOTTED).max()) if kept else 0.0

    def results(self) -> list[tuple[Group, Step, float, float]]:
        """Each lever with both totals; less noise can never be cheaper, so neither side crosses the present total."""
        less, more = np.minimum(self.epsilons[::2], self.total), np.maximum(self.epsilons[1::2], self.total)
        return [
            (group, step, float(low), float(high))
            for (group, step, _), low, high in zip(self.sides[::2], less, more, strict=True)
        ]
