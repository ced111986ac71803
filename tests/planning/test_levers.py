"""Levers: every total is one that a plan changed by hand has, and no saving is claimed that is not there."""

import math
from dataclasses import replace
from datetime import date

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compose,
)
from dpviz.composition import refusal, theorem_named
from dpviz.composition.numerical import pld
from dpviz.decimals import typed
from dpviz.plan import Workload
from dpviz.planning.advice import LEVERS, delta_lever, left_out, levers
from dpviz.planning.advice.steps import steps
from tests.effort import examples, with_calls
from tests.strategies import MECHANISMS

NUMERICS = (
    1e-2  # relative: what a curve may be too high by where a few atoms decide and its wanted 1e-4 is out of reach
)
EXACT = 1e-12  # relative: sums and closed forms in doubles
CHANGES = st.sampled_from([0.01, 0.1, 0.5, 0.9])
DELTAS = st.sampled_from([0.0, 1e-9, 1e-6, 0.1])
SAMPLED = st.builds(
    Subsampled, st.sampled_from([Laplace(2, 1), Gaussian(1.5, 1)]), st.sampled_from([0.01, 0.5, 1.0]),
    st.just("poisson"),
)  # fmt: skip


def releases_of(mechanisms):
    """Lists of (mechanism, count, part), as in plans of a few releases."""
    counts, parts = st.sampled_from([0, 1, 2, 30, 1000]), st.sampled_from([None, None, "N", "S"])
    return st.lists(st.tuples(mechanisms, counts, parts), min_size=1, max_size=3)


def surely(plan: Plan) -> float:
    """What a plan spends at least: the quoted total without what it may be too high by."""
    workload = Workload.of(plan)
    if not workload.mechanisms or refusal(theorem_named("pld"), workload, plan.budget.delta):
        return quoted(plan)
    bound = pld(workload.mechanisms, workload.counts, plan.budget.delta)
    return float((bound.epsilon - bound.excess).max())


RELEASES = releases_of(st.one_of(MECHANISMS, SAMPLED))


def planned(releases, delta: float, **options) -> Plan:
    rows = [Release(f"release {n}", mechanism, count, part) for n, (mechanism, count, part) in enumerate(releases)]
    return Plan(rows, Guarantee(4, delta), **options)


def changed(plan: Plan, row: int, lever: str, change: float, side: str) -> Plan:
    """The plan with one step taken by hand."""
    release = plan.releases[row]
    (step,) = [step for step in steps(release.mechanism, release.uses, change) if step.lever == lever]
    mechanism, uses = getattr(step, side)
    releases = list(plan.releases)
    releases[row] = Release(release.name, mechanism, uses, release.part)
    return replace(plan, releases=tuple(releases))


def quoted(plan: Plan) -> float:
    return compose(plan, plan.budget.delta).epsilon


@examples(10)
@given(RELEASES, DELTAS, CHANGES, st.booleans())
def test_totals_are_those_of_the_plan_changed_by_hand(releases, delta, change, adaptive):
    """Each total lies at or above the exact one, and within the numerics of it."""
    plan = planned(releases, delta, adaptive=adaptive)
    frame = levers(plan, change)
    assert frame.empty or frame.total.iloc[0] == pytest.approx(quoted(plan), rel=NUMERICS)
    for bar in frame.head(2).itertuples():
        for side, epsilon in (("less", bar.epsilon_less), ("more", bar.epsilon_more)):
            by_hand = compose(changed(plan, bar.row, bar.lever, change, side), delta)
            assert math.isinf(by_hand.epsilon) == math.isinf(epsilon)
            if math.isfinite(epsilon):
                assert epsilon >= surely(changed(plan, bar.row, bar.lever, change, side)) * (1 - EXACT)
                assert epsilon <= max(by_hand.epsilon, bar.total if side == "more" else 0) * (1 + NUMERICS) + NUMERICS


@examples(6)
@given(RELEASES, DELTAS, CHANGES)
def test_savings_are_never_negative_and_never_more_than_the_difference(releases, delta, change):
    """Savings are sorted, at least 0, at most what the totals differ by; no number is missing."""
    frame = levers(planned(releases, delta), change)
    assert not frame.isna().any().any()
    assert frame.saving.is_monotonic_decreasing and (frame.saving >= 0).all()
    assert (frame.epsilon_less <= frame.total).all() and (frame.total <= frame.epsilon_more).all()
    for bar in frame.itertuples():
        if math.isfinite(bar.total):
            assert typed(bar.saving) <= max(typed(bar.total) - typed(bar.epsilon_less), 0)
        else:
            assert bar.saving == (math.inf if math.isfinite(bar.epsilon_less) else 0.0)


@examples(6)
@given(st.permutations(range(4)), st.sampled_from([0.0, 1e-6]))
def test_permuting_releases_permutes_rows(order, delta):
    """The order of the releases changes nothing but their positions."""
    releases = [
        Release("a", Laplace(10, 1), 30, "N"),
        Release("b", Laplace(10, 1), 30, "S"),
        Release("c", RandomizedResponse(0.3)),
        Release("d", Laplace(2, 1), 1, "N"),
    ]
    budget = Guarantee(4, delta)
    first = levers(Plan(releases, budget))
    second = levers(Plan([releases[n] for n in order], budget))
    assert [releases[order[row]].name for row in second.row] == second.release.tolist()

    def sorted_frame(frame: pandas.DataFrame) -> pandas.DataFrame:
        return frame.drop(columns="row").sort_values(["release", "lever"]).reset_index(drop=True)

    pandas.testing.assert_frame_equal(sorted_frame(first), sorted_frame(second))


@given(st.one_of(MECHANISMS, SAMPLED), st.integers(1, 10**9), CHANGES)
def test_steps_go_to_the_named_side(mechanism, uses, change):
    """The cheaper step costs no more by itself, the dearer no less; counts stay whole and move."""
    for step in steps(mechanism, uses, change):
        assert step.lever in LEVERS and step.what and step.opposite
        (less, fewer), (more, oftener) = step.less, step.more
        if step.lever == "count":
            assert less == more == mechanism and 0 <= fewer < uses < oftener
            assert (fewer == 0) == (uses == 1)
            continue
        assert fewer == oftener == uses
        for delta in (1e-9, 1e-3):
            low, present, high = (float(each.epsilon(delta)) for each in (less, mechanism, more))
            assert low <= present * (1 + EXACT) + 1e-15 and present <= high * (1 + EXACT) + 1e-15
        assert (mechanism.stated is None) == (less.stated is None) == (more.stated is None)
        if mechanism.stated is not None:
            assert less.stated.epsilon <= mechanism.stated.epsilon * (1 + EXACT)
            assert less.stated.delta <= mechanism.stated.delta


@pytest.mark.parametrize("calibration", ["analytic", "classical", "lecture11"])
@pytest.mark.parametrize("epsilon", [0.5, 0.95, 3.0])
def test_scaled_gaussian_keeps_a_pair_that_holds(calibration: str, epsilon: float):
    """The noise is scaled by the factor, and the pair that it states afterwards is true."""
    if calibration == "classical" and epsilon > 1:
        return
    mechanism = Gaussian.from_guarantee(epsilon, 1e-5, 2.0, calibration)
    for factor in (typed(1.1), typed(0.9)):
        scaled = mechanism.scaled(factor)
        assert scaled.sigma == pytest.approx(mechanism.sigma * float(factor), rel=EXACT)
        assert scaled.sensitivity == 2.0 and scaled.stated.delta == 1e-5
        assert scaled.delta(scaled.stated.epsilon) <= 1e-5 * (1 + EXACT)


def test_sums_are_exact_decimals():
    """At δ = 0 the savings are those of the decimals typed."""
    plan = Plan(
        [Release("a", Laplace.from_epsilon(0.1), 3), Release("b", Laplace.from_epsilon(0.7))], Guarantee(1, 0.0)
    )
    frame = levers(plan).set_index(["release", "lever"])
    assert frame.total.tolist() == [1.0] * 4
    assert frame.saving["b", "count"] == 0.7 and frame.saving["a", "count"] == 0.1
    assert frame.epsilon_less["a", "count"] == 0.9 and frame.epsilon_more["a", "count"] == 1.1
    assert frame.what["b", "count"] == "left out" and frame.what["a", "count"] == "2 instead of 3 times"


def test_only_the_dearest_part_saves():
    """A change in a part that is not the dearest saves nothing; where two parts are the dearest, neither does."""
    one, two = Release("one", Laplace.from_epsilon(0.1), 5, "N"), Release("two", Laplace.from_epsilon(0.1), 2, "S")
    frame = levers(Plan([one, two], Guarantee(1, 0.0))).set_index(["release", "lever"])
    assert frame.saving["one", "count"] == 0.1 and frame.saving["two", "count"] == 0
    level = replace(two, count=5)
    frame = levers(Plan([one, level], Guarantee(1, 0.0)))
    assert (frame.saving == 0).all() and (frame.epsilon_more > frame.total).all()


def test_a_recurring_release_counts_all_its_uses():
    """The count lever of a daily release is about all its days."""
    daily = Release("d", Laplace.from_epsilon(0.1), start=date(2026, 4, 1), cadence="daily", end=date(2026, 4, 30))
    frame = levers(Plan([daily], Guarantee(4, 0.0))).set_index("lever")
    assert frame.what["count"] == "27 instead of 30 times"
    assert frame.epsilon_less["count"] == 2.7


def test_an_adaptive_plan_is_read_by_what_may_be_quoted():
    """A plan that chooses along the way has the totals of plain sums of its pairs."""
    releases = [Release("a", Laplace.from_epsilon(0.01), 500), Release("g", Gaussian.from_guarantee(0.5, 1e-7), 3)]
    fixed, adaptive = (levers(Plan(releases, Guarantee(9, 1e-6), adaptive=each)) for each in (False, True))
    assert adaptive.total.iloc[0] == 6.5
    assert fixed.total.iloc[0] < 3
    saving = adaptive.set_index(["release", "lever"]).saving
    assert saving["g", "count"] == 0.5 and saving["a", "count"] == 0.5


def test_what_is_done_has_no_levers():
    """What is published cannot be changed, but still counts."""
    plan = Plan([Release("out", Laplace(1, 1), done=True), Release("next", Laplace(1, 1))], Guarantee(4, 0.0))
    frame = levers(plan)
    assert set(frame.release) == {"next"} and frame.total.iloc[0] == 2
    assert left_out(plan) == "1 release is done: nothing about it can be changed any more."
    begun = Release("b", Laplace(1, 1), start="2026-01-01", cadence="daily", end="2026-01-09", done="2026-01-02")
    assert left_out(Plan([begun])) == "1 release is done in part: held as a whole."
    assert left_out(Plan([begun, *plan.releases])) == "2 releases are done, wholly or in part: held as a whole."
    assert levers(Plan([begun])).empty and not left_out(Plan([replace(begun, done="2025-12-31")]))
    assert levers(Plan([Release("never", Laplace(1, 1), 0)])).empty and levers(Plan([])).empty
    assert list(levers(Plan([])).columns) == list(frame.columns)


@pytest.mark.parametrize(
    ("releases", "delta"),
    [([NameAndShame(0.1), Laplace(1, 1)], 1e-6), ([Gaussian(1.0, 1), Laplace(1, 1)], 0.0)],
)
def test_the_only_release_without_a_guarantee_is_named_first(releases, delta):
    """Where the total is infinite because of one release, leaving it out is the first lever."""
    frame = levers(Plan([Release(f"release {n}", each) for n, each in enumerate(releases)], Guarantee(4, delta)))
    assert frame.row[0] == 0 and frame.what[0] == "left out" and math.isinf(frame.saving[0])
    assert frame.epsilon_less[0] == pytest.approx(1.0, abs=1e-5)
    assert (frame.saving[1:] == 0).all()


@examples(8)
@given(releases_of(MECHANISMS), st.sampled_from([1e-30, 1e-6, 0.02, 0.5]))
def test_delta_lever_never_rises_with_delta(releases, delta):
    """A larger δ never makes ε larger; the middle row is the plan's own total."""
    plan = planned(releases, delta)
    frame = delta_lever(plan)
    assert frame.delta.is_monotonic_increasing and frame.epsilon.is_monotonic_decreasing
    assert frame.epsilon[1] == pytest.approx(quoted(plan), rel=NUMERICS)
    assert len(frame) == (3 if delta < 0.1 else 2)


def test_a_total_that_is_proved_already_is_not_composed_again(monkeypatch):
    """The frame is the same, and only the totals at the other two δ are composed."""
    plan, asked = Plan([Release("Mean", Gaussian(10.0, 1), 100)], Guarantee(5, 1e-6)), []
    frame, total = delta_lever(plan), compose(plan).epsilon
    counted = lambda plan, delta: asked.append(delta) or compose(plan, delta)  # noqa: E731
    monkeypatch.setitem(delta_lever.__globals__, "compose", counted)
    assert delta_lever(plan, total).equals(frame) and asked == [1e-7, 1e-5]


def test_delta_lever_at_zero():
    """δ = 0 has no tenth."""
    frame = delta_lever(Plan([Release("a", Laplace(1, 1))], Guarantee(4, 0.0)))
    assert frame.delta.tolist() == [0.0] and frame.epsilon.tolist() == [1.0]


@pytest.mark.parametrize("change", [0.0, 1.0, -0.1, math.nan, True])
def test_bad_changes_are_refused(change):
    with pytest.raises(ValueError, match=r"change must be in \(0, 1\); got"):
        levers(Plan([]), change)


def test_large_plans_say_what_is_left_out():
    """A thousand releases take less than their share of the work of 120; what is not varied is counted."""
    releases = [
        Release(f"release {n}", Laplace(10.0 * (1 + n % 20), 1) if n % 2 else Gaussian(10.0 + n % 30, 1), 1 + n % 8)
        for n in range(1000)
    ]
    plan, few = (Plan(releases[:rows], Guarantee(40, 1e-6)) for rows in (1000, 120))
    frame, calls = with_calls(lambda: levers(plan))
    assert calls <= 1000 / 120 * with_calls(lambda: levers(few))[1]
    varied = frame.row.nunique()
    assert 0 < varied < 1000
    assert left_out(plan).startswith(f"{1000 - varied} releases are not varied")
    assert (frame.saving > 0).all()


def test_equal_releases_are_worked_out_once():
    """A thousand equal releases have all their rows, which agree."""
    plan = Plan([Release(f"release {n}", Laplace(100, 1)) for n in range(1000)], Guarantee(40, 1e-6))
    frame = levers(plan)
    assert len(frame) == 2000 and left_out(plan) == ""
    assert frame.groupby("lever").epsilon_less.nunique().tolist() == [1, 1]
