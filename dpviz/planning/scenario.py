"""Two plans side by side: what B costs, risks and gets wrong, against A."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpviz.adversary import PairLoss
from dpviz.adversary.odds import odds_record
from dpviz.adversary.risk import Loss, posterior_frame, told_rarely
from dpviz.composition import compose
from dpviz.composition.compose import kinds, smallest_total
from dpviz.decimals import typed
from dpviz.effort import QUOTED, quoted
from dpviz.filters import plan_verdicts
from dpviz.mechanisms import RandomizedResponse, TrainedModel
from dpviz.plan import RELATIONS, Plan, Release
from dpviz.plan.cadence import cadence_named, recurs
from dpviz.plan.units import whose
from dpviz.planning.accuracy import errors, points_off, true_answers
from dpviz.planning.advice.finding import named
from dpviz.privacy_loss import PrivacyLoss
from dpviz.rounding import shown_count

if TYPE_CHECKING:
    import pandas

CONFIDENCE = 0.95
MOST_RELEASES, MOST_WITHOUT = 40, 12  # of a plan whose attackers without one are computed, and how many of them
FIXED, CHOSEN = "releases fixed in advance", "releases chosen along the way"
BY_FILTER = "the budget of a filter by {}, fixed beforehand, which admits all"
FROM_FILTER = "from the budget of a filter, fixed beforehand, which admits all"
NOTHING = "nothing bounds it: no theorem here has a total, and no filter admits all"
FROM_PAIR = "from the pair (ε, δ) of basic composition alone, since releases are chosen along the way"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What two plans are compared in.

    Parameters
    ----------
    key, label, unit : str
        Name in frames, name for people, and what it is measured in.
    promise : bool
        Whether it is a statement about one unit of privacy, so that it can be subtracted only where both plans protect
        the same.
    """

    key: str
    label: str
    unit: str
    promise: bool = False


TOTALS = (
    Quantity("epsilon", "Total ε", "ε at the plan's δ", True),
    Quantity("delta", "δ of the total", "probability"),
    Quantity("pure", "Pure total, δ = 0", "ε", True),
    Quantity("budget", "Budget", "ε", True),
    Quantity("uses", "Releases, each counted every time", "releases"),
    Quantity("releases", "Rows of the table", "rows"),
    Quantity("advantage", "Attacker's advantage", "probability", True),
    Quantity("odds", "Right guesses of an attacker", "of 100 guesses", True),
)
PER_RELEASE = (
    Quantity("half_width", "Error, 95 % of uses within ±", "units of the answer"),
    Quantity("relative", "Error over the typical value", "share of the typical value"),
    Quantity("noise", "Standard deviation of the noise", "units of the answer"),
    Quantity("uses", "Times", "releases"),
    Quantity("stated_epsilon", "Stated ε of one use", "ε", True),
    Quantity("true_answers", "Answers that stay true", "of 100 answers"),
    Quantity("points_off", "Error of a share of the answers, 95 % within ±", "points"),
    Quantity("noise_multiplier", "Noise multiplier of the training", "clipping norms"),
)
COLUMNS = ("quantity", "label", "a", "b", "difference", "unit", "a_note", "b_note", "reason")


@dataclass(frozen=True, slots=True)
class Value:
    """A number of one plan, with what must be said of it.

    Parameters
    ----------
    number : float or None
        None where there is none; inf for "no bound" and "no limit".
    note : str
        The theorem, the mechanism, or why there is no number.
    """

    number: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """What a plan costs and risks as a whole: the values of ``TOTALS``, and whom its promise is about.

    Parameters
    ----------
    values : tuple of Value
        In the order of ``TOTALS``.
    promise : str
        Unit of privacy and neighbour relation.
    """

    values: tuple[Value, ...]
    promise: str

    @classmethod
    def of(cls, plan: Plan) -> Totals:
        """Return the totals of a plan.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> Totals.of(Plan([Release("Mean age", Laplace.from_epsilon(0.5), 3)])).values[2]
        Value(number=1.5, note='Basic')
        """
        advantage, odds = _risk(plan, *_loss(plan))
        budget = plan.budget.epsilon
        values = {
            "epsilon": _total(plan, plan.budget.delta),
            "delta": Value(plan.budget.delta),
            "pure": _total(plan, 0.0),
            "budget": Value(budget, "no limit" if math.isinf(budget) else ""),
            "uses": Value(float(sum(release.uses for release in plan.releases)), CHOSEN if plan.adaptive else FIXED),
            "releases": Value(float(len(plan.releases))),
            "advantage": advantage,
            "odds": odds,
        }
        return cls(tuple(values[quantity.key] for quantity in TOTALS), promise(plan))


def risk(plan: Plan) -> tuple[Value, Value]:
    """Return the attacker's advantage, and how many of 100 guesses are right, at most.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> risk(Plan([Release("Mean age", Laplace.from_epsilon(0.5), 3)]))[0].note
    'from the privacy loss of the releases'
    """
    return _risk(plan, *_loss(plan))


def looked_at(plan: Plan, shares: Sequence[float | None]) -> list[int]:
    """Return the releases without which the attacker is looked at: those that save most when they are left out, first.

    Parameters
    ----------
    plan : Plan
    shares : sequence of (float or None)
        What leaving each release out saves, in percent.

    Returns
    -------
    list of int
        Places from 0, at most ``MOST_WITHOUT``; none of a plan of one release or of more than ``MOST_RELEASES``, or of
        one that is chosen along the way.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> looked_at(Plan([Release("a", Laplace(10, 1)), Release("b", Laplace(10, 1))]), [10.0, 30.0])
    [1, 0]
    """
    if plan.adaptive or not 1 < len(plan.releases) <= MOST_RELEASES:
        return []
    rows = [row for row, share in enumerate(shares) if share is not None]
    return sorted(rows, key=lambda row: -(shares[row] or 0.0))[:MOST_WITHOUT]


def hindering(right: float, without: Mapping[int, float]) -> int | None:
    """Return which release hinders an attacker most when it is left out; None where none does by a guess of 100.

    Parameters
    ----------
    right : float
        How many of 100 guesses are right, at most.
    without : mapping of int to float
        And without each of these releases.

    Examples
    --------
    >>> hindering(74.0, {0: 73.5, 1: 69.0, 2: 72.0}), hindering(74.0, {0: 73.5})
    (1, None)
    """
    found = min(without, key=without.__getitem__, default=None)
    return None if found is None or without[found] >= right - 1 else found


def learns_least(name: str, right: str, now: str, saves_most: str = "", then: str = "") -> str:
    """Say without which release an attacker learns least, and how much without another one, which saves most.

    Of 100 guesses at most `now` are right, `right` without the one and `then` without the other.

    Examples
    --------
    >>> learns_least("“A”", "62.4", "73.8")
    'Leaving out “A” would hinder an attacker most: then at most 62.4 of 100 guesses would be right, and not 73.8.'
    >>> print(learns_least("“A”", "62.4", "73.8", "“B”", "73.8"))
    Leaving out “A” would hinder an attacker most: then at most 62.4 of 100 guesses would be right, and not 73.8.
    Without “B”, which saves most budget, it stays at 73.8.
    """
    fewer = f"then at most {right} of 100 guesses would be right, and not {now}"
    most = f"Leaving out {name} would hinder an attacker most: {fewer}"
    if not saves_most:
        return f"{most}."
    if then == right:  # no two that read alike
        return f"{most}; and no more without {saves_most}, which saves most budget."
    rest = f"it stays at {now}" if then == now else f"at most {then} are right"
    return f"{most}. Without {saves_most}, which saves most budget, {rest}."


def _risk(plan: Plan, loss: Loss, origin: str) -> tuple[Value, Value]:
    record = odds_record(loss, 100, plan.unit_in_words, plan.neighbours)
    return Value(record.advantage, origin), Value(100 * record.true_positive_rate, record.sentence)


def risk_and_sureness(
    plan: Plan, priors: Sequence[float], probabilities: Sequence[float] | None = None
) -> tuple[Value, Value, list[tuple[float, float, float]]]:
    """Return `risk`, and how sure an attacker can become who was so sure before, but for results so rare.

    Parameters
    ----------
    plan : Plan
    priors : sequence of float
        In [0, 1].
    probabilities : sequence of float, optional
        With which the results may tell more, in [0, 1]; those of `told_rarely` where none are given.

    Returns
    -------
    tuple of Value, Value and list of (float, float, float)
        The last: each of these probabilities, each prior, and what that can rise to, at most.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> *_, rises = risk_and_sureness(Plan([Release("Mean age", Laplace.from_epsilon(1.0))]), [0.1], [0.01])
    >>> print(f"{rises[0][2]:.3f}")
    0.232
    """
    loss, origin = _loss(plan)
    delta = min(plan.budget.delta, 0.5)
    frame = posterior_frame(loss, delta, priors, told_rarely(loss, delta) if probabilities is None else probabilities)
    columns = (frame[name].tolist() for name in ("probability", "prior", "posterior"))
    return *_risk(plan, loss, origin), list(zip(*columns, strict=True))


def promise(plan: Plan) -> str:
    """Say whom the promise of a plan is about.

    Examples
    --------
    >>> promise(Plan((), unit="user-day"))
    'one user-day (added or removed)'
    """
    return f"one {plan.unit_in_words} ({RELATIONS[plan.neighbours]})"


def _total(plan: Plan, delta: float) -> Value:
    """The tightest total that may be quoted, with its theorem; inf with the reason where there is none."""
    total = smallest_total(plan, delta)
    if total.theorem is None:
        labels = _filters(plan) if delta == plan.budget.delta else ""
        return Value(plan.budget.epsilon, BY_FILTER.format(labels)) if labels else Value(math.inf, total.reason)
    accuracy = quoted(kinds(release.mechanism for release in plan.releases if release.uses))
    coarse = f", to {accuracy:.2%}" if total.theorem.key == "pld" and accuracy > QUOTED else ""
    return Value(total.epsilon, total.theorem.label + coarse)


def _filters(plan: Plan) -> str:
    """The filters whose budget, the plan's, is what may be promised of all of a plan which is chosen along the way."""
    if not plan.adaptive or plan.faults or not 0 < plan.budget.epsilon < math.inf or plan.budget.delta >= 1:
        return ""
    frame = plan_verdicts(plan)
    return " or ".join(frame[frame.whole].label)


def _loss(plan: Plan) -> tuple[Loss, str]:
    """What the attacker is bounded by: the plan's own privacy loss; of one chosen along the way, a pair (ε, δ).

    That is the budget of a filter which admits all where no theorem has a total, else what basic composition says.
    """
    if not plan.adaptive:
        mechanisms, counts = plan.workload()
        return PrivacyLoss(mechanisms, counts, quoted(kinds(mechanisms))), "from the privacy loss of the releases"
    unbounded = smallest_total(plan, plan.budget.delta).theorem is None
    if unbounded and _filters(plan):
        return PairLoss(plan.budget), FROM_FILTER
    deltas = {0.0, min(plan.budget.delta, 0.5)}
    pairs = [PairLoss(compose(plan, delta, "basic")) for delta in sorted(deltas)]
    return min(pairs, key=lambda pair: pair.advantage), NOTHING if unbounded else FROM_PAIR


def alike(a: Plan, b: Plan) -> bool:
    """Say whether two plans release and promise the same, whatever is stated beside their numbers.

    Examples
    --------
    >>> from dpviz.plan import Answers
    >>> plan = Plan([])
    >>> alike(plan, replace(plan, answers=Answers(rows_per_unit=1))), alike(plan, replace(plan, unit="person"))
    (True, False)
    """
    return replace(a, disclosure=b.disclosure, answers=b.answers) == b


def differences(a: Plan | Totals, b: Plan | Totals) -> pandas.DataFrame:
    """Compare two plans as wholes.

    Parameters
    ----------
    a, b : Plan or Totals
        Totals where they are known already.

    Returns
    -------
    pandas.DataFrame
        One row per quantity of ``TOTALS``: quantity (its key), label, a, b (costs and attack rates rounded up; inf
        where there is no bound or no limit), difference (b - a in decimals; 0 where both are inf; None where it is not
        formed), unit, a_note, b_note (theorem, origin, or why there is no bound), reason (why no difference is formed,
        else "").

    Notes
    -----
    Each total stands at its own plan's δ. The advantage comes from the privacy loss of the releases themselves, never
    from a pair (ε, δ); only for a plan that chooses along the way is there nothing but the pair of its total, or of a
    filter's budget, and its note says so.
    Where unit of privacy or neighbour relation differ, the numbers are promises about different things: both are
    given, their difference is not.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> a = Plan([Release("Mean age", Laplace.from_epsilon(0.5), 3)])
    >>> differences(a, a.repeated(2)).set_index("quantity").difference["pure"]
    1.5
    """
    a, b = (each if isinstance(each, Totals) else Totals.of(each) for each in (a, b))
    apart = different_promises(a.promise, b.promise)
    return _frame(
        _difference(quantity, one, other, apart)
        for quantity, one, other in zip(TOTALS, a.values, b.values, strict=True)
    )


def different_promises(a: str, b: str) -> str:
    """Say why the ε of two plans cannot be subtracted; "" if they can.

    Parameters
    ----------
    a, b : str
        As `promise` returns them.
    """
    return "" if a == b else f"A is about {a}, B about {b}: promises about different things"


def _difference(quantity: Quantity, a: Value, b: Value, apart: str) -> dict[str, object]:
    missing = "".join(f"{name} has none: {each.note}" for name, each in (("A", a), ("B", b)) if each.number is None)
    reason = (apart if quantity.promise else "") or missing
    fields = (quantity.key, quantity.label, a.number, b.number, None if reason else _subtracted(a.number, b.number))
    return dict(zip(COLUMNS, (*fields, quantity.unit, a.note, b.note, reason), strict=True))


def _subtracted(a: float, b: float) -> float:
    """`b` - `a` as the decimals that they show, so that 0.3 - 0.2 is 0.1; 0 where both are inf."""
    if a == b:
        return 0.0
    return float(typed(b) - typed(a)) if math.isfinite(a) and math.isfinite(b) else b - a


def _frame(rows: Iterable[dict[str, object]], columns: tuple[str, ...] = COLUMNS) -> pandas.DataFrame:
    import pandas as pd

    # Objects, since a column of floats would turn None into NaN.
    return pd.DataFrame(list(rows), columns=list(columns), dtype=object)


def release_differences(a: Plan, b: Plan) -> pandas.DataFrame:
    """Compare two plans release by release.

    Parameters
    ----------
    a, b : Plan

    Returns
    -------
    pandas.DataFrame
        One row per release and quantity of ``PER_RELEASE`` that either side has: release (its name, or both), status
        ("in both", "renamed", "added", "removed"), row_a, row_b (from 0, or None), then the columns of `differences`.

    Notes
    -----
    Releases with equal names belong together, the first with the first where a name occurs more than once; of the
    rest, those in the same row that say the same of themselves but for name and noise. Errors are those of the noise
    alone, at 95 % for each number on its own; see ``dpviz.planning.accuracy``.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> a = Plan([Release("Mean age", Laplace(10, 1), typical=40.0)])
    >>> b = Plan([Release("Mean age", Laplace(5, 1), typical=40.0)])
    >>> release_differences(a, b).set_index("quantity").difference["noise"] < 0
    True
    """
    apart = different_promises(promise(a), promise(b))
    values = [_release_values(plan) for plan in (a, b)]
    rows = []
    for row_a, row_b in matched(a, b):
        sides = [None if row is None else side[row] for row, side in zip((row_a, row_b), values, strict=True)]
        one, other = (side or (Value(None, "not in this plan"),) * len(PER_RELEASE) for side in sides)
        named = _named(a, b, row_a, row_b)
        rows += [
            {**named, **_difference(quantity, x, y, apart)}
            for quantity, x, y in zip(PER_RELEASE, one, other, strict=True)
            if x.number is not None or y.number is not None
        ]
    return _frame(rows, ("release", "status", "row_a", "row_b", *COLUMNS))


def _named(a: Plan, b: Plan, row_a: int | None, row_b: int | None) -> dict[str, object]:
    names = [None if row is None else plan.releases[row].name for plan, row in ((a, row_a), (b, row_b))]
    if None in names:
        status = "added" if names[0] is None else "removed"
    else:
        status = "in both" if names[0] == names[1] else "renamed"
    name = f"{names[0]} → {names[1]}" if status == "renamed" else names[1] or names[0]
    return {"release": name, "status": status, "row_a": row_a, "row_b": row_b}


def matched(a: Plan, b: Plan) -> list[tuple[int | None, int | None]]:
    """Return which rows of two plans belong together: by name, else where one was renamed in its place; None elsewhere.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> x, y, z = (Release(name, Laplace(1, 1)) for name in "xyz")
    >>> matched(Plan([x, y]), Plan([y, z, x]))
    [(1, 0), (0, 2), (None, 1)]
    """
    free: dict[str, list[int]] = defaultdict(list)
    for row, release in enumerate(b.releases):
        free[release.name].append(row)
    pairs = {row: free[release.name].pop(0) for row, release in enumerate(a.releases) if free[release.name]}
    taken = set(pairs.values())
    for row in range(min(len(a.releases), len(b.releases))):
        if row not in pairs and row not in taken and _renamed(a.releases[row], b.releases[row]):
            pairs[row] = row
    left_b = set(range(len(b.releases))) - set(pairs.values())
    everything = [(row, pairs.get(row)) for row in range(len(a.releases))] + [(None, row) for row in left_b]
    return sorted(everything, key=lambda pair: _place(a, b, *pair))


def rows_before(a: Plan, b: Plan) -> dict[int, int]:
    """Return which row of `a` a row of `b` was, as `matched` pairs them, for those that were there.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> x, y, z = (Release(name, Laplace(1, 1)) for name in "xyz")
    >>> rows_before(Plan([x, y]), Plan([y, z]))
    {0: 1}
    """
    return {row_b: row_a for row_a, row_b in matched(a, b) if None not in (row_a, row_b)}


def recounted(a: Plan, b: Plan, *, sizes: bool = True) -> list[str]:
    """Say which releases count more or fewer rows of one unit in B, and, if asked, tell of numbers of another size.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> one, other = (Release("x", Laplace(9, n), kind="count", rows=n, typical=90 * n) for n in (2, 6))
    >>> recounted(Plan([one]), Plan([other]))
    ['“x” counts up to 6 rows of one unit instead of 2.', 'A typical number of “x” is 540 instead of 180.']
    """
    pairs = [(a.releases[row], b.releases[other]) for row, other in matched(a, b) if None not in (row, other)]
    unit = whose(b.unit_in_words)
    rows = [f"“{now.name}” counts {_up_to(now.rows)} of one {unit} instead of {shown_count(was.rows)}."
            for was, now in pairs if was.rows and now.rows and was.rows != now.rows]  # fmt: skip
    typical = [f"A typical number of “{now.name}” is {now.typical:,.12g} instead of {was.typical:,.12g}."
               for was, now in pairs if was.typical and now.typical and was.typical != now.typical]  # fmt: skip
    return [*rows, *typical * sizes]


def _up_to(rows: int) -> str:
    return "one row" if rows == 1 else f"up to {shown_count(rows)} rows"


def more_often(a: Plan, b: Plan) -> str:
    """Say which releases come out more often in B, while no fewer of several rows of one unit are counted; "" else.

    Each covers a shorter time then, in which one unit may have fewer, which cost less.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> year = {"start": "2027-01-01", "end": "2027-12-31", "kind": "count", "rows": 5}
    >>> weekly, monthly = (Plan([Release("x", Laplace(9), cadence=each, **year)]) for each in ("weekly", "monthly"))
    >>> print(more_often(monthly, weekly))
    “x” comes out more often in B, with no fewer rows of one unit than in A: fewer may do for the shorter time, and cost
    less.
    >>> more_often(weekly, monthly)
    ''
    """
    rows = [row for row in rarer(b, a) if (a.releases[row].rows or 1) > 1]
    fewer = "fewer may do for the shorter time, and cost less"
    return f"{_come_out(a, rows, 'more often', 'fewer')}: {fewer}." if rows else ""


def _come_out(plan: Plan, rows: Sequence[int], often: str, than: str) -> str:
    """That releases come out more or less often in B, with as many rows of one unit as in A."""
    come, one = "comes" if len(rows) == 1 else "come", whose(plan.unit_in_words)
    return f"{named(plan, rows)} {come} out {often} in B, with no {than} rows of one {one} than in A"


def less_often(a: Plan, b: Plan) -> str:
    """Say which releases come out less often in B, while no more entries of one unit are counted; "" where none does.

    Each covers a longer time then, in which one unit may have more. Nothing is said of plans that protect other units.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> year = {"start": "2027-01-01", "end": "2027-12-31"}
    >>> weekly, monthly = (Plan([Release("x", Laplace(9, 5), cadence=each, **year)]) for each in ("weekly", "monthly"))
    >>> print(less_often(weekly, monthly))
    “x” comes out less often in B, with no more rows of one unit than in A: are they enough for the longer time?
    >>> less_often(monthly, weekly)
    ''
    """
    rows = [*rarer(a, b)]
    return f"{_come_out(b, rows, 'less often', 'more')}: are they enough for the longer time?" if rows else ""


def rarer(a: Plan, b: Plan, before: Mapping[str, str] | None = None) -> dict[int, str]:
    """Return which releases of B come out less often than in A, for no more entries of one unit, and how often in A.

    Parameters
    ----------
    a, b : Plan
    before : mapping of str to str, optional
        By the name of a release of A the key of the cadence that it had when its entries were stated, where that was
        another one.

    Returns
    -------
    dict of int to str
        By row of B the key of the cadence; {} of plans that protect other units.
    """
    if a.unit != b.unit:
        return {}
    found = {}
    for row, old in rows_before(a, b).items():
        was, now = a.releases[old], b.releases[row]
        stated = (before or {}).get(was.name)
        if _rarer(was, now, stated or was.cadence, bool(stated)) and _no_more(was, now):
            found[row] = stated or was.cadence
    return found


def _rarer(old: Release, new: Release, cadence: str | None, known: bool) -> bool:
    """Whether a release that recurred comes out after a longer time, or no more, of which all is counted."""
    if not recurs(cadence) or not new.uses or new.kind not in (None, "count", "sum", "histogram"):
        return False
    if not recurs(new.cadence):
        return known or new.uses < old.uses
    return cadence_named(new.cadence).days > cadence_named(cadence).days


def _no_more(old: Release, new: Release) -> bool:
    """Whether no more entries of one unit are counted; where nobody said how many, whether one moves it no further."""
    if old.rows and new.rows:
        return new.rows <= old.rows
    had, has = (getattr(each.mechanism.base, "sensitivity", None) for each in (old, new))
    return None not in (had, has) and has <= had


def _renamed(one: Release, other: Release) -> bool:
    """Whether two releases in the same row are one under another name: noise may differ, not what is released when."""
    if one.mechanism.key != other.mechanism.key:
        return False
    return replace(other, name=one.name, mechanism=one.mechanism) == one


def _place(a: Plan, b: Plan, row_a: int | None, row_b: int | None) -> tuple:
    """Where a pair stands: the same for (a, b) and (b, a)."""
    rows = [row for row in (row_a, row_b) if row is not None]
    names = [plan.releases[row].name for plan, row in ((a, row_a), (b, row_b)) if row is not None]
    return min(rows), max(rows), sorted(names)


def _release_values(plan: Plan) -> list[tuple[Value, ...]]:
    """The values of ``PER_RELEASE`` for every release of a plan."""
    return [
        _values(release, error, plan.faults.get(error.row, ""), plan.population)
        for release, error in zip(plan.releases, errors(plan, CONFIDENCE).itertuples(), strict=True)
    ]


def _values(release: Release, error: object, fault: str, people: int | None) -> tuple[Value, ...]:
    mechanism, stated, noise = release.mechanism, release.mechanism.stated, release.mechanism.base.noise
    untyped = error.reason or "its typical value is not given"
    unstated = fault or ("" if stated else "it states σ, no ε")
    return (
        Value(error.half_width, error.reason),
        Value(error.relative, "" if error.relative is not None else untyped),
        Value(noise and noise.deviation, error.reason or str(mechanism)),
        Value(float(release.uses)),
        Value(None, unstated) if unstated else Value(stated.epsilon, f"δ = {stated.delta!r}"),
        Value(true_answers(mechanism.base) if isinstance(mechanism.base, RandomizedResponse) else None, str(mechanism)),
        Value(points_off(release, people), str(mechanism)),
        Value(float(mechanism.noise_multiplier) if isinstance(mechanism, TrainedModel) else None, str(mechanism)),
    )


