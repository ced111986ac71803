"""Two plans side by side: nothing differs from itself, B against A is A against B negated, and bounds stay bounds."""

import math
from dataclasses import replace
from datetime import date

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compare,
    compose,
)
from dpviz.composition import tightest
from dpviz.effort import PLOTTED, QUOTED
from dpviz.plan import as_plan
from dpviz.planning.accuracy import errors
from dpviz.planning.scenario import (
    FROM_PAIR,
    PER_RELEASE,
    TOTALS,
    Totals,
    differences,
    matched,
    release_differences,
)
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import examples, with_calls
from tests.strategies import COUNTS, MECHANISMS, WHOLE_DELTAS

NAMES = st.sampled_from(["Visits", "Trips", "Mean age", "x", "y"])
TYPICAL = st.sampled_from([None, 1e-3, 40.0, 1e6])


@st.composite
def plans(draw) -> Plan:
    """Small plans of any mechanisms, with repeated names."""
    parts = draw(st.lists(st.tuples(NAMES, MECHANISMS, COUNTS, TYPICAL), max_size=3))
    releases = [Release(name, mechanism, count, typical=typical) for name, mechanism, count, typical in parts]
    budget = Guarantee(draw(st.sampled_from([0.0, 1.0, math.inf])), draw(WHOLE_DELTAS))
    return Plan(releases, budget, draw(st.sampled_from(["person", "user-day"])), adaptive=draw(st.booleans()))


def by_quantity(frame):
    return {row.quantity: row for row in frame.itertuples()}


@examples(8)
@given(plans())
def test_a_plan_differs_from_itself_by_nothing(plan: Plan):
    """Every difference is exactly 0 and every text the same."""
    for frame in (differences(plan, plan), release_differences(plan, plan)):
        assert all(a == b for a, b in zip(frame.a, frame.b, strict=True))
        assert all(a == b for a, b in zip(frame.a_note, frame.b_note, strict=True))
        assert all(difference == 0 for difference in frame.difference)
        assert set(frame.reason) <= {""}
    assert set(release_differences(plan, plan).status) <= {"in both"}


@examples(5)
@given(plans(), plans())
def test_swapping_negates(a: Plan, b: Plan):
    """What is more from A to B is less from B to A, row by row; what is not formed is formed in neither."""
    totals = Totals.of(a), Totals.of(b)
    for there, back in (
        (differences(*totals), differences(*totals[::-1])),
        (release_differences(a, b), release_differences(b, a)),
    ):
        assert list(there.quantity) == list(back.quantity)
        assert list(there.a) == list(back.b) and list(there.a_note) == list(back.b_note)
        for one, other in zip(there.difference, back.difference, strict=True):
            assert (one is None and other is None) or one == -other
    mirrored = [(row_b, row_a) for row_a, row_b in matched(b, a)]
    assert matched(a, b) == mirrored


@given(plans(), plans())
def test_every_release_has_its_place_once(a: Plan, b: Plan):
    """Rows are matched one to one, equal names first."""
    pairs = matched(a, b)
    for side, plan in ((0, a), (1, b)):
        assert sorted(pair[side] for pair in pairs if pair[side] is not None) == list(range(len(plan.releases)))
    single = [pair for pair in pairs if None in pair]
    left = [{a.releases[row].name for row, _ in single if row is not None}]
    left.append({b.releases[row].name for _, row in single if row is not None})
    assert not left[0] & left[1]


@examples(8)
@given(plans())
def test_numbers_are_numbers(plan: Plan):
    """No NaN, no negative cost; what is None or inf says why, and rates are rates."""
    rows = by_quantity(differences(plan, Plan(())))
    assert list(rows) == [quantity.key for quantity in TOTALS]
    for row in rows.values():
        assert row.a >= 0 and (math.isfinite(row.a) or row.a_note)
    assert 0 <= rows["advantage"].a <= 1 and 50 <= rows["odds"].a <= 100
    for row in release_differences(plan, plan).itertuples():
        assert row.a >= 0


@examples(6)
@given(plans())
def test_totals_are_those_of_the_comparison(plan: Plan):
    """The total and its theorem are what the tightest of all theorems says, at the plan's own δ."""
    totals = Totals.of(plan)
    values = by_quantity(differences(totals, totals))
    for key, delta in (("epsilon", plan.budget.delta), ("pure", 0.0)):
        best, value = tightest(compare(plan, delta)), values[key]
        if best is None:
            assert math.isinf(value.a) and value.a_note
        else:
            # The tight theorem is looked for apart from the exact sum: 1e-12 is what may separate two closed forms.
            assert best.epsilon <= value.a <= best.epsilon * (1 + 1e-12)


def test_the_story_of_the_month():
    """Halving ε of every release: what it costs, what it risks, what it gets wrong."""
    a = Plan([Release("Visits", Laplace.from_epsilon(0.2, 1), 30, typical=100.0)], Guarantee(10.0, 1e-6), "user-month")
    b = replace(a, releases=(Release("Visits", Laplace.from_epsilon(0.1, 1), 30, typical=100.0),))
    totals, released = by_quantity(differences(a, b)), by_quantity(release_differences(a, b))
    assert totals["pure"].difference == -3.0
    assert totals["epsilon"].difference < 0 and totals["advantage"].difference < 0
    assert totals["epsilon"].a_note == "Tight accounting" and "fixed in advance" in totals["uses"].a_note
    assert released["half_width"].b == pytest.approx(2 * released["half_width"].a, rel=1e-13)
    assert released["half_width"].difference == pytest.approx(5 * math.log(20), rel=1e-12)
    assert released["noise"].a == pytest.approx(math.sqrt(2) * 5, rel=1e-15)
    assert released["relative"].a == pytest.approx(5 * math.log(20) / 100, rel=1e-12)
    assert released["stated_epsilon"].difference == -0.1


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 1), (0.5, 7), (2.0, 3)])
def test_advantage_by_another_route(epsilon: float, count: int):
    """Randomized response repeated: the total variation distance of two binomials, summed in 40 digits."""
    with mpmath.workdps(40):
        right = mpmath.e**epsilon / (1 + mpmath.e**epsilon)
        chances = [
            mpmath.binomial(count, k)
            * (right**k * (1 - right) ** (count - k) - (1 - right) ** k * right ** (count - k))
            for k in range(count + 1)
        ]
        expected = float(sum(abs(chance) for chance in chances) / 2)
    advantage = by_quantity(differences(Plan([Release("r", RandomizedResponse(epsilon), count)]), Plan(())))[
        "advantage"
    ]
    # 1e-6 is the accuracy at which the composed loss is quoted; never below the truth but for rounding.
    assert expected * (1 - 1e-12) <= advantage.a <= expected * (1 + 1e-5)
    assert advantage.difference == -advantage.a


def test_advantage_is_not_that_of_a_pair():
    """Gaussian noise: far less than the pair (ε, δ) allows; chosen along the way, the pair is all there is."""
    plan = Plan([Release("g", Gaussian.from_guarantee(1.0, 1e-6), 4)], Guarantee(10.0, 1e-5))
    fixed, chosen = (by_quantity(differences(each, each)) for each in (plan, replace(plan, adaptive=True)))
    assert fixed["advantage"].a == pytest.approx(PrivacyLoss.of(plan).advantage, rel=1e-12)
    assert chosen["advantage"].a > 2 * fixed["advantage"].a
    assert chosen["advantage"].a_note == FROM_PAIR != fixed["advantage"].a_note
    assert chosen["epsilon"].a == 4.0 and chosen["epsilon"].a_note == "Basic"


@pytest.mark.parametrize(
    "other",
    [Plan([Release("x", Laplace(1, 1))], unit="user-day"), Plan([Release("x", Laplace(1, 1))], relation="replace_one")],
)
def test_promises_about_different_things(other: Plan):
    """Another unit or relation: numbers are given, their difference is not; plain counts are still subtracted."""
    plan = Plan([Release("x", Laplace(1, 1))])
    frames = (differences(plan, other), release_differences(plan, other))
    promises = {each.key for each in (*TOTALS, *PER_RELEASE) if each.promise}
    assert {"epsilon", "pure", "budget", "advantage", "odds", "stated_epsilon"} == promises
    for row in (row for frame in frames for row in frame.itertuples()):
        assert (row.difference is None) == (row.quantity in promises)
        assert ("different things" in row.reason) == (row.quantity in promises)
        assert row.a is not None and row.b is not None


def test_added_removed_and_renamed():
    """What is on one side only says so; the rest of equal position counts as renamed."""
    a = Plan([Release("Visits", Laplace(2, 1)), Release("Trips", Laplace(3, 1)), Release("Gone", Laplace(4, 1))])
    b = Plan([Release("Journeys", Laplace(3, 1)), Release("Visits", Laplace(2, 1))])
    rows = release_differences(a, b)
    status = {row.release: (row.status, row.row_a, row.row_b) for row in rows.itertuples()}
    assert status == {"Visits": ("in both", 0, 1), "Trips": ("removed", 1, None), "Gone": ("removed", 2, None),
                      "Journeys": ("added", None, 0)}  # fmt: skip
    gone = rows[(rows.release == "Gone") & (rows.quantity == "half_width")].iloc[0]
    assert gone.difference is None and gone.b is None and gone.b_note == "not in this plan"
    b = Plan([Release("Visits", Laplace(2, 1)), Release("Journeys", Laplace(3, 1))])
    assert set(release_differences(Plan(a.releases[:2]), b).status) == {"in both", "renamed"}


def test_equal_names_are_matched_in_order():
    """The first of a name with the first."""
    a = Plan([Release("x", Laplace(1, 1)), Release("x", Laplace(2, 1))])
    assert matched(a, Plan([Release("y", Laplace(1, 1)), *a.releases])) == [(None, 0), (0, 1), (1, 2)]


def test_errors_are_those_of_accuracy():
    """Half widths and relative errors are taken over as they are, reasons too."""
    plan = Plan(
        [
            Release("s", Subsampled(Gaussian(3.0, 1), 0.1, "poisson"), 5, typical=10.0),
            Release("r", RandomizedResponse(1.0)),
            Release("n", NameAndShame(1e-9)),
            Release("b", ApproximateDP(0.5, 1e-9)),
        ]
    )
    frame, known = release_differences(plan, plan), errors(plan)
    width = frame[frame.quantity == "half_width"]
    assert list(width.release) == ["s"] and width.a.iloc[0] == known.half_width[0]
    assert frame[frame.quantity == "relative"].a.iloc[0] == known.relative[0]
    assert frame[frame.quantity == "noise"].a.iloc[0] == 3.0
    other = replace(plan, releases=(Release("s", RandomizedResponse(1.0)), *plan.releases[1:]))
    lost = by_quantity(release_differences(plan, other))["half_width"]
    assert lost.difference is None and "of 100 answers stay as given" in lost.reason


def test_recurring_releases_count_every_day():
    """Uses are those of the whole schedule."""
    daily = Release("d", Laplace.from_epsilon(0.1), 2, start=date(2026, 4, 1), cadence="daily", end=date(2026, 4, 30))
    assert by_quantity(differences(Plan([daily]), Plan(())))["uses"].a == 60
    assert by_quantity(differences(Plan([daily]), Plan(())))["pure"].a == 6.0


@pytest.mark.parametrize("delta", [1.0, 0.0, 1e-30, 0.5])
@pytest.mark.parametrize("adaptive", [False, True])
def test_extreme_deltas(delta: float, adaptive: bool):
    """No exception and no NaN where a budget says nothing, or all."""
    plan = replace(as_plan({Gaussian(1.0): 3, Laplace(1.0): 1}), budget=Guarantee(1.0, delta), adaptive=adaptive)
    rows = by_quantity(differences(plan, plan))
    assert all(row.difference == 0 for row in rows.values())
    assert (rows["epsilon"].a == math.inf) == (delta in (0.0, 1.0) or adaptive)  # Gaussian(σ) states no pair
    assert rows["pure"].a == math.inf and rows["pure"].a_note


def test_differences_are_those_of_the_decimals():
    """0.3 - 0.2 is 0.1, as it is shown."""
    a, b = (Plan([Release("x", Laplace.from_epsilon(epsilon))]) for epsilon in (0.2, 0.3))
    assert by_quantity(differences(a, b))["pure"].difference == 0.1 != 0.3 - 0.2


def test_limits_that_are_none():
    """From no limit to a limit is infinitely less; from none to none nothing."""
    free = Plan([Release("x", Laplace(1, 1))])
    tied = replace(free, budget=Guarantee(2.0, 1e-6))
    assert by_quantity(differences(free, tied))["budget"].difference == -math.inf
    assert by_quantity(differences(free, free))["budget"].difference == 0


def test_totals_may_be_kept():
    """Known totals give the same frame."""
    a = Plan([Release("x", Laplace(1, 1))])
    b = a.repeated(3)
    assert differences(Totals.of(a), Totals.of(b)).equals(differences(a, b))


def test_hundreds_of_releases_are_coarser_but_proved():
    """Beyond 120 different mechanisms totals lie at most 1 in 10,000 above what is computed at full accuracy."""
    plan = Plan([Release(f"r{n}", Laplace(100.0 + n, 1)) for n in range(121)], Guarantee(4.0, 1e-6))
    totals = Totals.of(plan)
    row = by_quantity(differences(totals, totals))["epsilon"]
    fine = compose(plan, 1e-6, accuracy=QUOTED).epsilon
    assert fine * (1 - QUOTED) <= row.a <= fine * (1 + PLOTTED) and row.a_note.endswith("to 0.01%")
    few = replace(plan, releases=plan.releases[1:])
    assert by_quantity(differences(few, Plan(())))["epsilon"].a == compose(few, 1e-6, accuracy=QUOTED).epsilon


def test_the_work_grows_with_the_releases():
    """Twice as many different releases take at most three times the work: pairs of releases are not gone through."""
    rng = np.random.default_rng(1)
    kinds = [(Laplace, Gaussian)[n % 2](float(rng.uniform(2, 20)), 1) for n in range(20)]
    releases = [Release(f"r{n}", kind, 1 + n % 7) for n, kind in enumerate(kinds)]

    def work(count: int) -> int:
        a, b = Plan(releases[:count]), Plan(releases[: count - 1])
        return with_calls(lambda: (differences(a, b), release_differences(a, b)))[1]

    assert work(20) <= 3 * work(10)


def test_a_filter_that_admits_all_promises_its_budget():
    """What is chosen along the way has no sum where noise states no ε; the budget of a filter is its promise then."""
    plan = Plan([Release("a", Gaussian(40.0, 1), 10)], Guarantee(1.0, 1e-6), adaptive=True)
    of = {quantity.key: value for quantity, value in zip(TOTALS, Totals.of(plan).values, strict=True)}
    assert of["epsilon"].number == 1.0 and "Zero-concentrated DP" in of["epsilon"].note
    assert 0 < of["advantage"].number < 1
    loud = replace(plan, releases=(Release("a", Gaussian(0.1, 1)),))
    of = {quantity.key: value for quantity, value in zip(TOTALS, Totals.of(loud).values, strict=True)}
    assert of["epsilon"].number == math.inf and of["advantage"].number == 1
