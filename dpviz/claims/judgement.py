"""Whether releases cost what somebody says: proved, disproved, or not to be told from what was published."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from dpviz.claims.readings import ASPECTS, READINGS, Reading, readings_of
from dpviz.claims.stated import StatedTotal
from dpviz.composition import compare
from dpviz.composition.compose import kinds, smallest_total
from dpviz.composition.numerical import EXACT
from dpviz.effort import quoted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import checked, checked_choice, checked_items
from dpviz.plan import Composable, Plan, as_plan
from dpviz.planning.advice import faults
from dpviz.planning.attained import attained, certain, lost_by_models
from dpviz.planning.schedule import UnitCost, unit_cost, within
from dpviz.privacy_loss import PrivacyLoss, surely_lost

if TYPE_CHECKING:
    import pandas

HOLDS, TOO_SMALL, UNDECIDED = VERDICTS = ("holds", "too small", "undecided")
INCOMPLETE, DEPENDS, BOUNDS_ONLY, UNBOUNDED, BETWEEN = "incomplete", "depends", "bounds only", "unbounded", "between"
OTHERWISE, SHARED = "otherwise", "shared"
REASONS = {  # why nobody can tell, as a clause
    OTHERWISE: "what was answered about these releases says that they are made otherwise than they are entered",
    INCOMPLETE: "releases are missing here: not all that was opened or typed counts",
    DEPENDS: "it depends on what was not disclosed",
    SHARED: "it depends on how many of the releases read the data of one period",
    BOUNDS_ONLY: "of some releases no more than a bound is known, and it allows more than is claimed",
    UNBOUNDED: "no theorem here bounds what these releases lose at this δ, and nothing shows that the claim is wrong",
    BETWEEN: "it lies between what is certainly lost and what is proved to suffice",
}
MOST_READINGS = 36  # together, of all that is left open
_KEPT = 256  # ends of plans
_CLOSED = 4 * EXACT  # relative width of a bracket within which a closed form is quoted, as of sums of typed decimals
GUARD = 5 * EXACT  # relative: a claim that is missed by less is not called too small


@dataclass(frozen=True, slots=True)
class Ends:
    """What is proved of releases at one δ.

    Parameters
    ----------
    lower : float
        ε that is certainly lost, rounded down; 0 where nothing is.
    upper : float
        ε that the best theorem proves, rounded up; inf where none does.
    theorem : str
        Its label; "" where none applies.
    unprovable : float
        ε that no proof from what was published can go below, since what is known by a bound alone may lose all of it;
        at least `lower`.
    """

    lower: float
    upper: float
    theorem: str
    unprovable: float

    def verdict(self, epsilon: float) -> str:
        """Return what these ends say of a stated ε.

        Examples
        --------
        >>> [Ends(1.0, 2.0, "Basic", 1.0).verdict(epsilon) for epsilon in (0.5, 1.5, 2.0)]
        ['too small', 'undecided', 'holds']
        """
        if self.upper <= epsilon:
            return HOLDS
        return TOO_SMALL if self.lower * (1 - GUARD) > epsilon else UNDECIDED


@dataclass(frozen=True, slots=True)
class ReadSo:
    """What releases cost under some readings at once.

    Parameters
    ----------
    readings : tuple of Reading
        () for the releases as they were entered.
    ends : Ends
    refused : str
        Why nothing is proved under them; "" where something is.
    """

    readings: tuple[Reading, ...]
    ends: Ends
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What can be said of a stated total; see `judge`.

    Parameters
    ----------
    plan : Plan
    stated : StatedTotal
    left_open : tuple of str
        Keys of `ASPECTS` that were not disclosed.
    verdict : str
        "holds", "too small" or "undecided".
    reason : str
        Of what is undecided: "otherwise", as the plan's answers say that its releases are made otherwise than they are
        entered; "incomplete", as releases are missing in the plan; "depends" on what was not disclosed;
        "shared", as it is not certain that all that one unit is counted to meet read its data: a week that two periods
        share, and what comes less often; "bounds only", as of some releases only a bound is known; "unbounded", as no
        theorem applies; "between" the two proved ends. Else "".
    read : tuple of ReadSo
        What the releases cost as entered, and under every combination of the readings that were left open.
    one_unit : UnitCost or None
        What one unit loses, where the schedule goes beyond the period that its name states: the claim is about that.
    """

    plan: Plan
    stated: StatedTotal
    left_open: tuple[str, ...]
    verdict: str
    reason: str
    read: tuple[ReadSo, ...]
    one_unit: UnitCost | None = None

    @property
    def held(self) -> Plan:
        """What the claim is about: the releases, or those that fall into the dearest period of one unit."""
        return self.plan if self.one_unit is None else self.one_unit.plan

    @property
    def surely_met(self) -> Plan:
        """What of it one unit certainly meets: what has a date in that period, or none at all."""
        return self.plan if self.one_unit is None else _dated(self.plan, self.one_unit)

    @property
    def ends(self) -> Ends:
        """What is proved of the releases as they were entered."""
        return self.read[0].ends

    @property
    def least(self) -> float:
        """ε that is certainly lost under every reading that was left open, rounded down."""
        return min(each.ends.lower for each in self.read)

    @property
    def most(self) -> float:
        """ε that is proved to suffice under every reading that was left open, rounded up."""
        return max(each.ends.upper for each in self.read)

    @property
    def spare(self) -> float:
        """By how much the stated ε could be smaller, at least; negative where that is not proved to hold at all."""
        return self.stated.epsilon - self.most

    @property
    def only_by_rounding(self) -> bool:
        """Whether the stated ε is too small by no more than it may have been rounded down when it was printed."""
        return self.verdict == TOO_SMALL and not self.least * (1 - GUARD) > self.stated.rounded_from

    def frame(self, readings: Iterable[ReadSo] = ()) -> pandas.DataFrame:
        """Return claim, releases, readings and theorems as one table.

        Parameters
        ----------
        readings : iterable of ReadSo
            As `under_each_reading` gives them.

        Returns
        -------
        pandas.DataFrame
            Columns kind ("claim", "released", "reading", "theorem"), key (of a reading or theorem), label, lower and
            upper (ε in nats; of the claim and of theorems the same), verdict (what the two say of the claim).
        """
        import pandas

        stated = self.stated.epsilon
        lanes = [("released", "", "as published", self.ends)]
        lanes += [
            ("reading", each.readings[0].key, each.readings[0].label, each.ends) for each in readings if each.readings
        ]
        rows = [("claim", "", "claimed", stated, stated, self.verdict)]
        rows += [(*lane, ends.lower, ends.upper, ends.verdict(stated)) for *lane, ends in lanes]
        applying = self.theorems().query("applies")
        for key, label, epsilon in zip(applying.theorem, applying.label, applying.epsilon, strict=True):
            rows.append(("theorem", key, label, epsilon, epsilon, HOLDS if epsilon <= stated else UNDECIDED))
        return pandas.DataFrame(rows, columns=["kind", "key", "label", "lower", "upper", "verdict"])

    def theorems(self) -> pandas.DataFrame:
        """Return the totals of `compare` for the releases as entered, at the stated δ, without the excess."""
        return compare(self.held, self.stated.delta, excess=False)

    def deltas(self) -> tuple[float, float]:
        """Return the two proved ends of δ at the stated ε, for the releases as entered.

        Examples
        --------
        >>> from dpviz.mechanisms import Gaussian
        >>> low, high = judge(Gaussian(1.0, 1.0), StatedTotal(1.0, 1e-5)).deltas()
        >>> f"{low:.4g} {high:.4g}"
        '0.1269 0.1269'
        """
        dearest = self.one_unit is None or self.one_unit.dominant  # else another period may fail more often
        known, whole = certain(self.surely_met), PrivacyLoss.of(self.held if dearest else self.plan)
        lower = PrivacyLoss.of(known).delta_bracket(self.stated.epsilon).lower if known.releases else 0.0
        upper = float(whole.delta(self.stated.epsilon))
        if self.ends.upper <= self.stated.epsilon:  # then the stated δ is proved as well
            upper = max(min(upper, self.stated.delta), float(lower))
        return float(lower), upper


def judge(plan: Composable, stated: StatedTotal, left_open: Iterable[str] = (), incomplete: bool = False) -> Judgement:
    """Judge whether releases cost at most what somebody says.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        The releases as they were published; a budget plays no part.
    stated : StatedTotal
    left_open : iterable of str
        Keys of `ASPECTS` that the publication does not disclose: every reading of them counts.
    incomplete : bool
        Whether the plan lacks releases that the claim is about: then none is called right, while one that is too small
        already stays too small.

    Returns
    -------
    Judgement
        "holds" where a theorem proves the stated ε under every reading that is open; "too small" where the certified
        lower end lies above it under every one of them; "undecided" else, with the reason.

    Raises
    ------
    ValueError
        When an aspect is unknown, no total of the plan may be quoted, or more than 36 combinations are open.

    Notes
    -----
    Neighbour relation: the plan's, but for the readings of that. Where the unit names a period, such as person-month,
    and the schedule goes beyond it, the claim is about one unit, and held against the dearest period.

    What is known of a release by a bound alone (a stated pair, ρ, μ, a curve) may lose less: it counts in full where a
    claim is to hold, and as nothing where it is to be called too small. Of all other releases the lower end is that of
    two neighbouring data sets whose answers differ by the whole sensitivity. Of samples of a fixed size, too, only a
    bound is known: nothing attains their pair.

    References
    ----------
    Dwork and Roth (2014), Prop. 2.1 and Thm 3.16: leaving out releases never costs more.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> queries = {Laplace.from_epsilon(1.0, 1.0): 100}
    >>> [judge(queries, StatedTotal(epsilon, 1e-6)).verdict for epsilon in (10.0, 100.0)]
    ['too small', 'holds']
    """
    plan, stated = as_plan(plan), checked(stated, StatedTotal, "stated")
    plan.check_sensitivities()
    asked = [checked_choice(each, ASPECTS, "left_open") for each in checked_items(left_open, "left_open", "aspects")]
    left_open = tuple(aspect for aspect in ASPECTS if aspect in asked)
    read = tuple(_read(plan, stated.delta, readings) for readings in _combinations(plan, left_open))
    verdict, reason = _verdict(read, stated, "rounding" in left_open)
    one_unit = _one_unit(plan, stated.delta)
    if reason == BOUNDS_ONLY and one_unit and not _by_bounds(plan, one_unit):
        reason = SHARED
    if checked(incomplete, bool, "incomplete", "True or False") and verdict != TOO_SMALL:
        verdict, reason = UNDECIDED, INCOMPLETE
    if faults(plan):
        verdict, reason = UNDECIDED, OTHERWISE
    return Judgement(plan, stated, left_open, verdict, reason, read, one_unit)


def _verdict(read: tuple[ReadSo, ...], stated: StatedTotal, rounded: bool) -> tuple[str, str]:
    """The verdict over all readings, and why it is undecided.

    Where rounding is open, the stated ε is called too small only if all that rounds to it is.
    """
    highest = stated.rounded_from if rounded else stated.epsilon
    found = [_of_both(each.ends.verdict(stated.epsilon), each.ends.verdict(highest)) for each in read]
    if len(set(found)) == 1 and found[0] != UNDECIDED:
        return found[0], ""
    ends = [each.ends for each in read]
    if len(set(found)) > 1:
        return UNDECIDED, DEPENDS
    if any(each.unprovable * (1 - GUARD) > stated.epsilon for each in ends):
        return UNDECIDED, BOUNDS_ONLY
    return UNDECIDED, UNBOUNDED if any(math.isinf(each.upper) for each in ends) else BETWEEN


def _of_both(printed: str, highest: str) -> str:
    """The verdict where the stated ε was printed, and may have been as large as the highest."""
    return printed if printed == HOLDS or highest == TOO_SMALL else UNDECIDED


def _combinations(plan: Plan, left_open: tuple[str, ...]) -> list[tuple[Reading, ...]]:
    """The readings that count together, as entered first; those that say nothing else of the releases are left out."""
    choices = [(None, *(each for each in readings_of(aspect) if _concerns(each, plan))) for aspect in left_open]
    total = math.prod(map(len, choices))
    if total > MOST_READINGS:
        raise ValueError(f"left_open must leave at most {MOST_READINGS} readings together; got {total}")
    return [tuple(each for each in chosen if each) for chosen in product(*choices)]


def _concerns(reading: Reading, plan: Plan) -> bool:
    try:
        return reading.plan(plan) is not None
    except ValueError:  # it concerns the plan, and no total is proved under it
        return True


def _read(plan: Plan, delta: float, readings: tuple[Reading, ...]) -> ReadSo:
    """What the releases cost under readings that follow one another."""
    # Counted to be on the other side; a reading forgets what is a histogram, and may concern those alone.
    surely, lost = attained(plan), True
    for reading in readings:
        try:
            read = reading.plan(plan)
            least = reading.sure(plan) if reading.sure else (reading.least or reading.plan)(surely)
            stays = reading.least is not None and read is not None and read.neighbours == surely.neighbours
            lost = lost and (read is None or least is not None or stays)  # under another relation, it may be less
            plan, surely = read or plan, least or surely
            plan.check_sensitivities()
        except ValueError as error:
            return ReadSo(readings, Ends(0.0, math.inf, "", 0.0), str(error))
    ends = ends_of(plan, delta)
    if surely != plan:
        least = ends_of(surely, delta)
        other = any(reading.least for reading in readings)
        unprovable = min(ends.unprovable, least.unprovable) if other else ends.unprovable
        ends = replace(ends, lower=min(ends.lower, least.lower) if lost else 0.0, unprovable=unprovable)
    if not all(reading.attained for reading in readings):
        lower = lost_by_models(plan, delta)  # their own lower ends hold of shuffled batches, too
        ends = replace(ends, lower=lower, unprovable=lower)
    return ReadSo(readings, ends)


def under_each_reading(plan: Composable, stated: StatedTotal) -> tuple[ReadSo, ...]:
    """Return what releases cost as entered, and under each reading that says something else of them, one at a time.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> found = under_each_reading(Gaussian(1.0, 1.0), StatedTotal(5.0, 1e-5))
    >>> [each.readings[0].key for each in found[1:]]
    ['other_relation', 'replaced_twice', 'whole_numbers', 'less_noise', 'more_noise']
    """
    plan = as_plan(plan)
    concerned = [(each,) for each in READINGS if _concerns(each, plan)]
    return tuple(_read(plan, stated.delta, readings) for readings in ((), *concerned))


@lru_cache(_KEPT)
def ends_of(plan: Plan, delta: float) -> Ends:
    """Return what is proved of a plan at δ: the smallest total of all theorems, and what is certainly lost.

    Parameters
    ----------
    plan : Plan
    delta : float
        In [0, 1).

    Raises
    ------
    ValueError
        When no total may be quoted.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> ends = ends_of(as_plan({Laplace(10.0, 1.0): 100}), 1e-6)
    >>> ends.theorem, f"{ends.lower:.4f} {ends.upper:.4f}"
    ('Tight accounting', '4.6927 4.6927')
    """
    if (cost := _one_unit(plan, delta)) is not None:
        ends = ends_of(cost.plan, delta)
        dated = ends_of(_dated(plan, cost), delta)
        ends = replace(ends, lower=min(ends.lower, dated.lower))
        return ends if cost.dominant else replace(ends, upper=max(ends.upper, cost.epsilon))
    best = smallest_total(plan, delta)
    known = certain(plan)
    lower = max(_certainly_lost(known, delta), lost_by_models(plan, delta))
    if best.epsilon * (1 - _CLOSED) <= lower < best.epsilon:
        lower = best.epsilon
    unprovable = lower if known == plan else max(lower, _certainly_lost(plan, delta))
    return Ends(lower, best.epsilon, best.theorem.label if best.theorem else "", unprovable)


def _by_bounds(plan: Plan, cost: UnitCost) -> bool:
    """Whether a bound alone leaves open what one unit loses, and not what it meets beyond the dates of its period."""
    met = replace(cost.plan, releases=tuple(each for each in cost.plan.releases if each.uses))
    bounded = len(certain(met).releases) < len(met.releases)
    return bounded or _dated(plan, cost).releases == cost.plan.releases


def _dated(plan: Plan, cost: UnitCost) -> Plan:
    """What has a date in the dearest period, or none at all: the rest may read another part of its step."""
    return within(plan, cost.start, cost.end)


def _one_unit(plan: Plan, delta: float) -> UnitCost | None:
    """What one unit loses at δ where its name states a period that the schedule goes beyond; else None."""
    return unit_cost(replace(plan, budget=Guarantee(math.inf, delta)))


def _certainly_lost(plan: Plan, delta: float) -> float:
    """The certified lower end of ε at δ, the largest over parts."""
    mechanisms, counts = taken_apart(*plan.workload())
    if not mechanisms:
        return 0.0
    lower = float(PrivacyLoss(mechanisms, counts, quoted(kinds(mechanisms))).epsilon_bracket(delta).lower)
    closed = surely_lost(mechanisms, counts, delta, np.full(len(counts), max(lower, 0.0)))
    return max(lower, float(closed.max(initial=0.0)), 0.0)
