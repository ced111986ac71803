"""The composition theorems in one tuple, and the questions they answer: what does a plan cost, by which theorem."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpviz.composition.numerical import EXACT, OPTIMAL, PLD, not_below
from dpviz.composition.pairs import PAIR_THEOREMS
from dpviz.composition.renyi import RENYI_THEOREMS
from dpviz.composition.stated_pairs import StatedPairs
from dpviz.composition.theorem import Theorem
from dpviz.decimals import rounded_up, weighted_sums
from dpviz.effort import PLOTTED, QUOTED, quoted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.gaussian_profile import composed_mu, gaussian_epsilon
from dpviz.mechanisms.laws.loss_laws import attained
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import COUNT, Parameter, checked, checked_items
from dpviz.plan import Composable, Plan, as_plan
from dpviz.plan.workload import Workload
from dpviz.privacy_loss import Bound, surely_lost
from dpviz.records import record_named

if TYPE_CHECKING:
    import pandas

THEOREMS: tuple[Theorem, ...] = (*PAIR_THEOREMS, OPTIMAL, *RENYI_THEOREMS, PLD)
TheoremKey = Literal[
    "basic", "advanced", "advanced_tight", "advanced_zcdp", "kov", "optimal", "zcdp", "rdp", "pld"
]
"""How each theorem is asked for."""
WHOLE_DELTA = Parameter("delta", "δ", "probability with which the bound may fail", 0, 1, open_high=True)
_CLOSED = ("basic", "kov", "zcdp")
LEAST_HELD = 1e-290  # of δ: from here on probabilities are doubles with all of their digits
NO_DELTA = "a bound that may fail with probability 1 promises nothing"
BELOW = "its ε lies below what is surely lost: a fault, and not quoted"


def kinds(mechanisms: Iterable[Mechanism]) -> int:
    """Return how many different mechanisms the numerical theorem would have to compose.

    Gaussian noises alone compose to one, whose μ² is the sum of theirs (Dong, Roth & Su 2022, Cor. 3.3).

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> kinds([Gaussian(1), Gaussian(2)]), kinds([Laplace(1), Laplace(2), Laplace(2)])
    (1, 2)
    """
    different = set(mechanisms)
    return 1 if all(each.mu is not None for each in different) else len(different)


theorem_named: Callable[[str], Theorem] = partial(record_named, THEOREMS)


def refusal(theorem: Theorem, workload: Workload, delta: float) -> str:
    """Say why `theorem` cannot be quoted for this workload, whatever its counts; "" if it may.

    Examples
    --------
    >>> from dpviz.plan.workload import Workload
    >>> from dpviz.mechanisms import Laplace
    >>> refusal(theorem_named("advanced"), Workload.of(Laplace(1)), 0.0)
    'it needs δ above 0: part of δ pays for the rare large loss'
    """
    if not workload.mechanisms:
        return ""
    if workload.adaptive and not theorem.adaptive:
        return "it holds for releases fixed in advance; this plan chooses along the way"
    if workload.adaptive and any(mechanism.stated is None for mechanism in workload.mechanisms):
        return "a plan that chooses along the way needs every release to be given by an (ε, δ)"
    return theorem.reason(workload.mechanisms, delta)


def _shortfall(workload: Workload, delta: float) -> str:
    """Why no finite ε is left: what became of δ."""
    pairs = StatedPairs(workload.mechanisms, workload.counts, delta)
    leaks = [0.0 if each.stated else each.leak or 0.0 for each in workload.mechanisms]  # of what states no pair
    spent = rounded_up(max(map(add, pairs.spent, weighted_sums(workload.counts, np.array(leaks)))))
    if spent >= 1:
        return f"stated δ add up to {spent:.15g}: no guarantee"
    if spent > delta:
        return f"stated δ add up to {spent:.6g}, more than δ = {delta:.6g}"
    if spent > 0 and spent == delta:
        return f"stated δ use up δ = {delta:.6g}: nothing is left for this theorem"
    return "its ε exceeds the largest number a computer holds"


def _bounds(theorem: Theorem, workload: Workload, delta: float, accuracy: float = QUOTED) -> Bound:
    """ε at each point with its excess; 0 where nothing is released, inf where the theorem may not be quoted."""
    released = workload.counts.any(axis=1)
    if not released.any():
        return Bound(np.zeros(len(workload.counts)))
    if refusal(theorem, workload, delta):
        return Bound(np.where(released, np.inf, 0.0))
    mechanisms, counts = _in_laws(workload) if theorem.of_laws else (workload.mechanisms, workload.counts)
    if theorem.measured is None:
        bound = Bound(theorem.bound(mechanisms, counts, delta))
    else:
        bound = theorem.measured(mechanisms, counts, delta, accuracy)
    return Bound(np.where(released, bound.epsilon, 0.0), lambda: np.where(released, bound.lower, 0.0), bound.estimate)


def _in_laws(workload: Workload) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """What is composed where the noise itself counts: bars of a histogram one by one."""
    return taken_apart(workload.mechanisms, workload.counts)


def _quotable(
    records: Iterable[Theorem], workload: Workload, delta: float, accuracy: float = QUOTED, lower: bool = False
) -> list[tuple[Bound, bool]]:
    """ε of several theorems at each point, inf where it lies below what is surely lost, and whether one does.

    That can be no proof. What is surely lost is known in closed form; where tight accounting is among the theorems and
    is undercut, or its `lower` end is wanted anyway, that end counts, too. Nothing is composed for it alone.
    """
    records = tuple(records)
    if not records:
        return []
    bounds = [_bounds(record, workload, delta, accuracy) for record in records]
    least = np.min([bound.epsilon for bound in bounds], axis=0)
    floor = surely_lost(*_in_laws(workload), delta, least)
    tight = None if refusal(PLD, workload, delta) else dict(zip(records, bounds, strict=True)).get(PLD)
    if tight is not None and lower:
        floor = np.maximum(floor, np.where(np.isfinite(tight.epsilon), tight.lower, 0.0))
    return [_refused(bound, floor, None if bound is tight else tight) for bound in bounds]


def _refused(bound: Bound, floor: np.ndarray, tight: Bound | None) -> tuple[Bound, bool]:
    """The bound, inf where it is below the floor or the lower end of `tight`, and whether it is."""
    epsilon = bound.epsilon if tight is None else not_below(bound.epsilon, tight)
    epsilon = np.where(epsilon < floor * (1 - EXACT), np.inf, epsilon)
    if np.array_equal(epsilon, bound.epsilon):
        return bound, False
    return Bound(epsilon, lambda: bound.lower, bound.estimate), True


def _excess(bound: Bound) -> float:
    """By how much the largest ε over the points may exceed the truth; 0 where it is infinite."""
    epsilon = _dearest(bound)
    return 0.0 if math.isinf(epsilon) else epsilon - float(bound.lower.max(initial=0.0))


def _dearest(bound: Bound) -> float:
    """The largest ε over the points."""
    return float(bound.epsilon.max(initial=0.0))


def _spent(theorem: Theorem, workload: Workload, delta: float, epsilon: float) -> float:
    """The δ that the answer spends: only basic composition of stated pairs may spend less than the whole."""
    if not workload.mechanisms:
        return 0.0
    pairs = StatedPairs(workload.mechanisms, workload.counts, delta)
    if theorem.key != "basic" or math.isinf(epsilon) or pairs.unstated.any():
        return delta
    return rounded_up(max(pairs.spent))


def tight_epsilon(workload: Workload, delta: float) -> float | None:
    """Return the exact total where a closed form knows it, else None.

    Notes
    -----
    At δ = 0 pure ε add up; one use has its own profile; Gaussian noises compose to μ = sqrt(Σ μ_i²) (Dong,
    Roth & Su 2022, Cor. 3.3).

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> round(tight_epsilon(Workload((Gaussian(10),), np.array([[100]])), 1e-6), 9)
    4.886554117
    """
    # Pure ε are added up as they are stated, which is exact in their decimals.
    mechanisms, counts = (workload.mechanisms, workload.counts) if delta == 0 else _in_laws(workload)
    values = [_tight_part(mechanisms, row, delta) for row in counts]
    return None if None in values else max(values, default=0.0)


def _tight_part(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> float | None:
    used = [(mechanism, int(count)) for mechanism, count in zip(mechanisms, counts, strict=True) if count]
    if sum(count for _, count in used) == 1:
        ((mechanism, _),) = used
        return mechanism.epsilon(delta) if all(map(attained, mechanism.laws())) else None
    if all(mechanism.mu is not None and all(map(attained, mechanism.laws())) for mechanism, _ in used):
        mus = np.array([mechanism.mu for mechanism, _ in used])
        return float(gaussian_epsilon(delta, composed_mu(np.array([count for _, count in used]), mus)))
    if delta == 0 and all(mechanism.stated and mechanism.stated.delta == 0 for mechanism, _ in used):
        sums = weighted_sums(
            np.array([[count for _, count in used]]), np.array([mechanism.stated.epsilon for mechanism, _ in used])
        )
        return rounded_up(sums[0])
    return None


def _kind(theorem: Theorem, epsilon: float, tight: float | None) -> str:
    if tight is not None and epsilon <= tight * (1 + EXACT):
        return "exact"
    return "upper bound" if theorem.measured is None else "numerical upper bound"


def _whole_delta(plan: Composable, delta: float | None) -> float:
    """The δ that was given, else that of the plan's budget."""
    if delta is None:
        if not isinstance(plan, Plan):
            raise ValueError(f"delta must be in {WHOLE_DELTA.interval} where plan is no Plan with a budget; got None")
        delta = plan.budget.delta
    return WHOLE_DELTA.check(delta)


def compare(plan: Composable, delta: float | None = None, excess: bool = True) -> pandas.DataFrame:
    """Compute a plan's total under every theorem.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    delta : float, optional
        The whole δ of the answer, in [0, 1); None for that of the plan's budget.
    excess : bool
        Whether the last column is wanted: it takes the lower ends, which can cost more than all other columns.

    Returns
    -------
    pandas.DataFrame
        One row per theorem, in the order of ``THEOREMS``: theorem, label, epsilon (nats, rounded up; inf where the
        theorem does not apply), delta (what the answer spends), kind, applies, reason (why not), source, excess (by how
        much a numerical ε may exceed the truth).

    Raises
    ------
    ValueError
        When `delta` lies outside [0, 1), or is missing where `plan` is no Plan.

    Notes
    -----
    Neighbour relation: the plan's. Disjoint parts cost the most that one of them costs together with what reads all
    the data, at the whole δ. A numerical ε is computed to a relative accuracy of 1e-6; of more than 120 different
    mechanisms, to 1e-4.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> frame = compare([RandomizedResponse(0.5)] * 3, 0.1).set_index("theorem")
    >>> round(float(frame.epsilon["advanced"]), 12)
    2.831543000475
    >>> from dpviz.plan import Plan, Release
    >>> frame = compare(Plan([Release("Poll", RandomizedResponse(0.5), 3)], Guarantee(2, 0.1))).set_index("theorem")
    >>> round(float(frame.epsilon["advanced"]), 12)
    2.831543000475
    """
    import pandas

    checked(excess, bool, "excess", "True or False")
    delta, plan = _whole_delta(plan, delta), as_plan(plan)
    workload = Workload.of(plan)
    tight = tight_epsilon(workload, delta)
    bounds = _quotable(THEOREMS, workload, delta, quoted(kinds(workload.mechanisms)), lower=excess)
    rows = [
        _row(theorem, workload, delta, bound, below, tight) | ({"excess": _excess(bound)} if excess else {})
        for theorem, (bound, below) in zip(THEOREMS, bounds, strict=True)
    ]
    return about(pandas.DataFrame(rows), plan, delta)


def about(frame: pandas.DataFrame, plan: Plan, delta: float) -> pandas.DataFrame:
    """Return the frame with what its numbers hold for in its ``attrs``: unit, relation and the whole δ."""
    frame.attrs.update(unit=plan.unit_in_words, relation=plan.neighbours, delta=delta)
    return frame


def _row(
    theorem: Theorem, workload: Workload, delta: float, bound: Bound, below: bool, tight: float | None
) -> dict[str, object]:
    epsilon = _dearest(bound)
    reason = refusal(theorem, workload, delta)
    if math.isinf(epsilon) and not reason:
        reason = BELOW if below else _shortfall(workload, delta)
    return {
        "theorem": theorem.key,
        "label": theorem.label,
        "epsilon": epsilon,
        "delta": _spent(theorem, workload, delta, epsilon),
        "kind": "" if reason else _kind(theorem, epsilon, tight),
        "applies": not reason,
        "reason": reason,
        "source": theorem.source,
    }


def compose(
    plan: Composable, delta: float | None = None, theorem: TheoremKey | None = None, accuracy: float | None = None
) -> Guarantee:
    """Return a plan's total guarantee.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    delta : float, optional
        The whole δ of the answer, in [0, 1); None for that of the plan's budget.
    theorem : str, optional
        A theorem's key; None for the smallest total of those that apply, to the numerical one's accuracy.
    accuracy : float, optional
        Wanted relative accuracy of the numerical theorems, in (0, 0.1]; None for that of every quoted total: 1e-6, or
        1e-4 for more than 120 different mechanisms.

    Returns
    -------
    Guarantee
        ε = inf where no theorem applies; δ is what the answer spends, at most `delta`.

    Raises
    ------
    ValueError
        When `delta` lies outside [0, 1), or is missing where `plan` is no Plan; when the theorem is unknown.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> compose([Laplace.from_epsilon(0.1)] * 3, 0.0)
    Guarantee(epsilon=0.3, delta=0.0)
    >>> from dpviz.plan import Plan, Release
    >>> compose(Plan([Release("Count", Laplace.from_epsilon(0.1), 3)], Guarantee(1.0, 0.0)))
    Guarantee(epsilon=0.3, delta=0.0)
    """
    delta = _whole_delta(plan, delta)
    workload = Workload.of(plan)
    accuracy = quoted(kinds(workload.mechanisms)) if accuracy is None else accuracy
    records = None if theorem is None else (theorem_named(theorem),)
    record, epsilon, _ = _smallest(workload, delta, accuracy, records)
    return Guarantee(epsilon, _spent(record, workload, delta, epsilon))


def _smallest(
    workload: Workload, delta: float, accuracy: float, records: tuple[Theorem, ...] | None = None
) -> tuple[Theorem, float, bool]:
    """The theorem with the least total, that total, and whether one was refused; among all where the usual ones are."""
    wanted = _candidates(workload, delta) if records is None else records
    found = _quotable(wanted, workload, delta, accuracy)
    totals, below = [_dearest(bound) for bound, _ in found], any(refused for _, refused in found)
    if below and records is None and wanted != THEOREMS:
        return _smallest(workload, delta, accuracy, THEOREMS)
    best = min(range(len(wanted)), key=totals.__getitem__)
    return wanted[best], totals[best], below


@dataclass(frozen=True, slots=True)
class Total:
    """The smallest total that may be quoted for a plan.

    Parameters
    ----------
    epsilon : float
        Rounded up; inf where no theorem applies.
    theorem : Theorem or None
        What proves it.
    reason : str
        Why there is none; "" where there is one.
    """

    epsilon: float
    theorem: Theorem | None
    reason: str = ""


def smallest_total(plan: Composable, delta: float) -> Total:
    """Return the smallest total that may be quoted, and the theorem that proves it, without comparing all of them.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
        Neighbour relation: the plan's.
    delta : float
        The whole δ of the answer, in [0, 1].

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> found = smallest_total([Laplace.from_epsilon(0.5)] * 3, 0.0)
    >>> found.epsilon, found.theorem.key
    (1.5, 'basic')
    >>> smallest_total(Gaussian(10), 0.0).reason
    'Gaussian noise has no finite ε at δ = 0'
    """
    if delta >= 1:
        return Total(math.inf, None, NO_DELTA)
    delta, workload = WHOLE_DELTA.check(delta), Workload.of(plan)
    record, epsilon, below = _smallest(workload, delta, quoted(kinds(workload.mechanisms)))
    if math.isinf(epsilon):
        reason = refusal(theorem_named("basic"), workload, delta) or (BELOW if below else _shortfall(workload, delta))
        return Total(math.inf, None, reason)
    return Total(epsilon, record)


def _candidates(workload: Workload, delta: float) -> tuple[Theorem, ...]:
    """What the smallest total is looked for among: the tight one is below all others, but for exact decimal sums.

    At a δ near the least numbers that doubles hold, its masses round up to more than it.
    """
    tight, held = theorem_named("pld"), not 0 < delta < LEAST_HELD
    return (theorem_named("basic"), tight) if held and not refusal(tight, workload, delta) else THEOREMS


def smallest_totals(workload: Workload, delta: float, accuracy: float | None = PLOTTED) -> np.ndarray:
    """Return the smallest proved total at each point of a workload.

    Parameters
    ----------
    workload : Workload
        One row of counts per point: parts, dates or variants of a plan.
    delta : float
        The whole δ of each answer, in [0, 1).
    accuracy : float, optional
        Wanted relative accuracy of the numerical theorems, in (0, 0.1]; None for basic, Kairouz-Oh-Viswanath and zCDP,
        which are closed formulas.

    Returns
    -------
    ndarray, shape (points,)
        ε, inf where no theorem applies. Neighbour relation: the mechanisms'.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> smallest_totals(Workload((Laplace(10),), np.array([[1], [3]])), 0.0).tolist()
    [0.1, 0.3]
    """
    delta = WHOLE_DELTA.check(delta)
    records = map(theorem_named, _CLOSED) if accuracy is None else _candidates(workload, delta)
    found = _quotable(records, workload, delta, accuracy or QUOTED)
    return np.min([bound.epsilon for bound, _ in found], axis=0)


def epsilon_curve(
    plan: Composable,
    counts: Iterable[int],
    delta: float | None = None,
    theorems: Iterable[TheoremKey] | None = None,
    accuracy: float = PLOTTED,
) -> pandas.DataFrame:
    """Compute how the total grows when the whole plan is repeated.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    counts : iterable of int, shape (points,)
        Repetitions of the plan, each in [0, 10^9].
    delta : float, optional
        The whole δ of each answer, in [0, 1); None for that of the plan's budget.
    theorems : iterable of str, optional
        Keys; None for all.
    accuracy : float
        Wanted relative accuracy of the numerical theorems, in (0, 0.1].

    Returns
    -------
    pandas.DataFrame
        One row per (theorem, count): theorem, count, epsilon (inf where there is none), delta (the whole). Its
        ``attrs`` say for what: unit, relation and delta.

    Raises
    ------
    ValueError
        When a count, `delta` or a key is not allowed, or `delta` is missing where `plan` is no Plan.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> frame = epsilon_curve(RandomizedResponse(0.5), [37, 38], 0.1, ["basic", "advanced"])
    >>> [round(float(epsilon), 3) for epsilon in frame.epsilon]
    [18.5, 19.0, 18.528, 18.94]
    >>> from dpviz.plan import Plan, Release
    >>> float(epsilon_curve(Plan([Release("Poll", RandomizedResponse(0.5))], Guarantee(2, 0.0)), [1, 2]).epsilon.min())
    0.5
    """
    import pandas

    delta, plan = _whole_delta(plan, delta), as_plan(plan)
    times = COUNT.check_array(checked_items(counts, "counts"), "counts").astype(np.int64)
    keys = [theorem.key for theorem in THEOREMS] if theorems is None else checked_items(theorems, "theorems", "keys")
    records = [theorem_named(key) for key in keys]
    epsilons = repeated_totals(records, Workload.of(plan), times, delta, accuracy)
    frame = pandas.DataFrame(
        {
            "theorem": np.repeat(keys, len(times)),
            "count": np.tile(times, len(records)),
            "epsilon": np.concatenate([*epsilons, np.empty(0)]),
            "delta": delta,
        }
    )
    return about(frame, plan, delta)


def repeated_totals(
    records: Iterable[Theorem], workload: Workload, times: np.ndarray, delta: float, accuracy: float = PLOTTED
) -> list[np.ndarray]:
    """Return what each theorem proves for a workload that is repeated: the numbers of `epsilon_curve`.

    Parameters
    ----------
    records : iterable of Theorem
    workload : Workload
        What is repeated, one row per part.
    times : ndarray of int, shape (points,)
    delta, accuracy : float

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> repeated_totals(THEOREMS[:1], Workload.of(Laplace.from_epsilon(0.1)), np.array([1, 3]), 0.0)
    [array([0.1, 0.3])]
    """
    shape = (len(times), -1) if len(times) else (0, 1)
    bounds = _quotable(records, workload.repeated(times), delta, accuracy)
    return [bound.epsilon.reshape(shape).max(axis=1) for bound, _ in bounds]


def tightest(frame: pandas.DataFrame) -> pandas.Series | None:
    """Return the row of `compare` with the smallest total among the theorems that apply; None if none does.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> tightest(compare([RandomizedResponse(0.5)] * 100, 1e-6)).theorem in [theorem.key for theorem in THEOREMS]
    True
    """
    applying = frame[frame.applies]
    return None if applying.empty else applying.loc[applying.epsilon.idxmin()]
