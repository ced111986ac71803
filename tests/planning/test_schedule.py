"""Releases over time: laws of the forecast, dates found by hand and by another route, hostile schedules."""

import math
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled, compose
from dpviz.composition.compose import kinds
from dpviz.effort import MOST_QUOTED, PLOTTED
from dpviz.plan import WINDOWS
from dpviz.plan.cadence import cadence_named, dates
from dpviz.plan.windows import unit_window, window_named
from dpviz.planning.room import fits, room
from dpviz.planning.schedule import (
    dated,
    done_part,
    exhaustion,
    forecast,
    most_uses,
    refusals,
    release_dates,
    unit_cost,
    until,
    uses_until,
    windows,
)
from tests.effort import examples

NUMERICAL = 3 * PLOTTED  # two totals to a relative accuracy of 1e-4 each, and what is summed on a grid
SHARED_GRID = 2e-6  # two quoted totals, each to 1e-6
ROUNDING = 1e-12
NEW_YEAR, END = date(2026, 1, 1), date(2026, 12, 31)
DAYS = st.dates(date(2025, 11, 1), date(2027, 3, 1))
KINDS = st.one_of(
    st.sampled_from([0.01, 0.1, 0.25, 1.0]).map(Laplace.from_epsilon),
    st.sampled_from([2.0, 10.0, 50.0]).map(lambda sigma: Gaussian(sigma, 1)),
    st.builds(ApproximateDP, st.sampled_from([0.05, 0.5]), st.sampled_from([0.0, 1e-9])),
)


@st.composite
def releases(draw, kinds=KINDS, parts=(None,), undated=True):
    """One release on a random schedule."""
    cadence = draw(st.sampled_from([None, "once", "daily", "weekly", "monthly", "quarterly"]))
    start = draw(DAYS)
    end = start + timedelta(draw(st.integers(0, 60))) if cadence not in (None, "once") else None
    if undated and draw(st.integers(0, 4)) == 0:
        start = cadence = end = None
    schedule = {"start": start, "cadence": cadence, "end": end}
    return Release("x", draw(kinds), draw(st.integers(0, 3)), draw(st.sampled_from(parts)), **schedule)


def plans(budget: float = 2.0, adaptive: bool = False, **options):
    return st.lists(releases(**options), max_size=4).map(
        lambda rows: Plan(rows, Guarantee(budget, 1e-6), adaptive=adaptive)
    )


def daily(epsilon: float = 0.1, budget: float = 1.0, delta: float = 1e-6) -> Plan:
    """One Laplace release a day, all of 2026."""
    plan = Plan([Release("Count", Laplace.from_epsilon(epsilon))], Guarantee(budget, delta))
    return dated(plan, NEW_YEAR, "daily", END)


@given(plans(parts=(None, "north", "south")))
def test_the_forecast_ends_at_the_plans_total(plan: Plan):
    """It never lies below the plan's total beyond what the quoted one may be too high, nor above by the accuracy."""
    last, total = float(forecast(plan).epsilon.iloc[-1]), compose(plan, 1e-6).epsilon
    assert total * (1 - SHARED_GRID) <= last <= total * (1 + NUMERICAL) or last == total


@given(plans(parts=(None, "north")))
def test_each_row_is_the_total_until_then(plan: Plan):
    """A row is what `compose` says of the plan cut off at its last day, and counts its releases."""
    frame = forecast(plan)
    for row in frame.iloc[:: max(1, len(frame) // 3)].itertuples():
        if row.date == row.date:
            cut = until(plan, row.until.date())
            total = compose(cut, 1e-6).epsilon
            assert row.uses == sum(each.uses for each in cut.releases)
            assert total * (1 - SHARED_GRID) <= row.epsilon <= total * (1 + NUMERICAL) or row.epsilon == total


@given(plans(parts=(None, "north")), st.sampled_from([4, 5, 17]))
def test_it_never_falls_and_few_points_stay_above_many(plan: Plan, points: int):
    """Time takes nothing back; thinning moves every step up or earlier, never down, and keeps the exhaustion date."""
    many, few = forecast(plan), forecast(plan, points)
    for frame in (many, few):
        values = frame.epsilon.to_numpy()
        assert (values[1:] >= values[:-1]).all()
        assert (np.diff(frame.uses) >= 0).all() and (frame["until"].isna() | (frame.date <= frame["until"])).all()
    assert len(few) <= points + 1 and few.uses.iloc[-1] == many.uses.iloc[-1]
    if many.date.notna().all():
        place = few.date.searchsorted(many.date, side="right") - 1
        assert (few.epsilon.to_numpy()[place] >= many.epsilon.to_numpy() * (1 - NUMERICAL)).all()
        assert exceeding(few) == exceeding(many)


def exceeding(frame, budget: float = 2.0) -> list:
    return frame.date[frame.epsilon > budget].head(1).tolist()


@given(plans(), st.randoms(use_true_random=False))
def test_the_order_of_releases_does_not_matter(plan: Plan, random):
    """A plan is a set of dated releases."""
    shuffled = list(plan.releases)
    random.shuffle(shuffled)
    one, other = forecast(plan), forecast(replace(plan, releases=tuple(shuffled)))
    assert one.date.equals(other.date) and one.uses.equals(other.uses)
    assert np.allclose(one.epsilon, other.epsilon, rtol=NUMERICAL, atol=0)


@given(plans())
def test_exhaustion_is_the_first_day_that_does_not_fit(plan: Plan):
    """What is released by the day before fits as quoted, what is released by that day does not."""
    day = exhaustion(plan)
    days = release_dates(plan)
    if day is None:
        assert not days.size or compose(plan, 1e-6).epsilon <= 2 * (1 + NUMERICAL)
        return
    assert np.datetime64(day) in days
    assert compose(until(plan, day), 1e-6).epsilon > 2
    earlier = days[days < np.datetime64(day)]
    if earlier.size:
        assert compose(until(plan, earlier[-1].item()), 1e-6).epsilon <= 2 * (1 + ROUNDING)


@pytest.mark.parametrize(("budget", "day"), [(0.1, 2), (0.3, 4), (0.25, 3), (1.0, 11)])
def test_basic_exhaustion_counts_decimals(budget: float, day: int):
    """At δ = 0 the sum decides, in decimals: three times 0.1 fit into 0.3, which doubles deny."""
    assert exhaustion(daily(0.1, budget, 0.0)) == date(2026, 1, day)


def test_gaussian_exhaustion_by_the_closed_form():
    """k Gaussian releases are one of μ √k, whose ε is known in closed form."""
    plan = replace(daily(), releases=tuple(replace(r, mechanism=Gaussian(10.0, 1)) for r in daily().releases))
    day = exhaustion(plan)
    used = (day - NEW_YEAR).days
    assert Gaussian(10 / math.sqrt(used)).epsilon(1e-6) <= 1 < Gaussian(10 / math.sqrt(used + 1)).epsilon(1e-6)


def test_a_budget_that_is_met_exactly_is_not_exhausted():
    """A year of 0.01 a day costs 3.65 at δ = 0."""
    assert exhaustion(daily(0.01, 3.65, 0.0)) is None
    assert exhaustion(daily(0.01, 3.64, 0.0)) == END
    assert forecast(daily(0.01, 3.65, 0.0)).epsilon.iloc[-1] == 3.65


@pytest.mark.parametrize("limit", [0.5, 0.9, 1.5])
def test_a_budget_just_at_a_total_is_decided_at_full_accuracy(limit: float):
    """Where a rough bound would refuse, the quoted one admits."""
    plan = daily(0.05, limit)
    some = until(plan, NEW_YEAR + timedelta(int(100 * limit)))
    exact = replace(plan, budget=Guarantee(compose(some, 1e-6).epsilon, 1e-6))
    assert exhaustion(exact) == NEW_YEAR + timedelta(int(100 * limit) + 1)


@examples(10)
@given(plans(parts=(None, "north")), st.sampled_from([each.key for each in WINDOWS]))
def test_windows_share_the_lifetime_among_them(plan: Plan, window: str):
    """Their uses add up; none costs more than everything; they follow each other without a gap."""
    frame, lifetime = windows(plan, window), forecast(plan)
    assert frame.uses.sum() == lifetime.uses.iloc[-1]
    assert (frame.epsilon <= lifetime.epsilon.iloc[-1] * (1 + NUMERICAL)).all()
    if frame.start.notna().all():
        starts, ends = frame.start.tolist(), frame.end.tolist()
        assert all(end + timedelta(1) == start for end, start in zip(ends, starts[1:], strict=False))
        assert starts[0] <= lifetime.date.iloc[0] and ends[-1] >= lifetime["until"].iloc[-1]


def test_windows_start_where_calendars_do():
    """A week begins on Monday, a quarter in January, April, July and October."""
    starts = {key: windows(daily(), key).start for key in ("day", "week", "month", "quarter", "year")}
    assert set(starts["week"].dt.day_of_week) == {0} and len(starts["day"]) == 365
    assert starts["quarter"].dt.month.tolist() == [1, 4, 7, 10] and len(starts["month"]) == 12
    assert starts["year"].astype(str).tolist() == ["2026-01-01"]
    early = Plan([Release("Census", Laplace(1, 1), start=date(1790, 8, 2))])
    assert windows(early, "week").start.dt.day_of_week.tolist() == [0]


def test_a_window_alone_is_the_plan_of_its_releases():
    """February costs what 28 releases cost; each day what one does, exactly."""
    plan = daily(0.1)
    month, day = windows(plan, "month"), windows(plan, "day")
    february = Plan([Release("Count", Laplace.from_epsilon(0.1), 28)])
    assert month.epsilon[1] == pytest.approx(compose(february, 1e-6).epsilon, rel=NUMERICAL)
    assert month.epsilon[1] >= compose(february, 1e-6).epsilon * (1 - SHARED_GRID)
    assert day.uses.eq(1).all() and day.epsilon.nunique() == 1 and day.epsilon[0] <= 0.1


def test_releases_without_a_date_are_spent_before_everything():
    """They are in the first row, the first window, and in what exhausts the budget."""
    plan = daily(0.1, 0.35, 0.0)
    more = replace(plan, releases=(*plan.releases, Release("Before", Laplace.from_epsilon(0.2))))
    assert forecast(more).epsilon.head(2).tolist() == [0.3, 0.4] and exhaustion(more) == date(2026, 1, 2)
    assert windows(more, "month").uses.tolist()[:2] == [32, 28]


def test_without_dates_there_is_one_step():
    """Nothing has a date: one row with the total, no exhaustion date, one window; an empty plan costs nothing."""
    plan = Plan([Release("Count", Laplace.from_epsilon(0.5), 3)], Guarantee(1, 0))
    frame = forecast(plan)
    assert frame.epsilon.tolist() == [1.5] and frame.date.isna().all() and frame.uses.tolist() == [3]
    assert exhaustion(plan) is None and windows(plan, "month").epsilon.tolist() == [1.5]
    assert forecast(Plan([])).epsilon.tolist() == [0.0] and windows(Plan([]), "day").uses.tolist() == [0]


@given(plans(adaptive=True, kinds=st.sampled_from([0.01, 0.5]).map(RandomizedResponse)))
def test_a_plan_chosen_along_the_way_gets_sums_only(plan: Plan):
    """Each date costs the sum of the stated ε until then, and never less than fixed in advance."""
    frame = forecast(plan)
    for row in frame.itertuples():
        cut = plan if row.date != row.date else until(plan, row.until.date())
        assert row.epsilon == compose(cut, 1e-6, "basic").epsilon
    assert (frame.epsilon >= forecast(replace(plan, adaptive=False)).epsilon * (1 - ROUNDING)).all()


def test_what_no_theorem_bounds_spoils_only_what_follows():
    """At δ = 0 Gaussian noise has no ε: dates before its release keep theirs."""
    plan = daily(0.1, 100, 0.0)
    noisy = replace(plan, releases=(*plan.releases, Release("Mean", Gaussian(1, 1), start=date(2026, 2, 1))))
    frame = forecast(noisy)
    assert frame.epsilon[30] == 3.1 and frame.epsilon[31:].eq(math.inf).all()
    assert exhaustion(noisy) == date(2026, 2, 1) and windows(noisy, "month").epsilon.tolist()[0] == 3.1


def test_disjoint_parts_cost_the_dearest():
    """Two parts released in turn cost what one of them costs; what reads all the data counts in each."""
    north = Release("N", Laplace.from_epsilon(0.1), part="N", start=NEW_YEAR, cadence="daily", end=END)
    south = Release("S", Laplace.from_epsilon(0.05), part="S", start=NEW_YEAR, cadence="daily", end=END)
    alone, both = (forecast(Plan(rows, Guarantee(9, 0))) for rows in ([north], [north, south]))
    assert alone.epsilon.equals(both.epsilon) and both.uses.iloc[-1] == 730


def different(number: int, budget: float, first: float = 0.1, step: float = 1e-4) -> Plan:
    """As many different mechanisms, one a day."""
    kinds = [Laplace.from_epsilon(round(first + step * place, 6)) for place in range(number)]
    rows = [Release(f"r{day}", kind, start=NEW_YEAR + timedelta(day)) for day, kind in enumerate(kinds)]
    return Plan(rows, Guarantee(budget, 1e-6))


def test_a_plan_of_many_mechanisms_that_fits_is_not_exhausted():
    """Closed formulas put these 40 at 3.14; the total of 2.79 is what the last row and the date go by."""
    plan = different(40, 2.9647)
    frame = forecast(plan)
    assert exhaustion(plan) is None and fits(plan)
    assert frame.epsilon.iloc[-1] == compose(plan, 1e-6).epsilon < 2.79
    assert (frame.epsilon <= frame.epsilon.iloc[-1]).all() and room(plan, plan.releases[0]).count >= 1


@pytest.mark.parametrize(("number", "budget"), [(40, 1.0), (40, 2.6), (60, 2.0)])
def test_many_mechanisms_are_exhausted_on_the_first_day_that_does_not_fit(number: int, budget: float):
    plan = different(number, budget)
    day, frame = exhaustion(plan), forecast(plan)
    assert compose(until(plan, day - timedelta(1)), 1e-6).epsilon <= budget < compose(until(plan, day), 1e-6).epsilon
    assert exceeding(frame, budget)[0].date() == day
    rows = frame.iloc[:: number // 4]
    totals = [compose(until(plan, last.date()), 1e-6).epsilon for last in rows["until"]]
    assert (rows.epsilon.to_numpy() >= np.array(totals) * (1 - SHARED_GRID)).all()


def test_very_many_mechanisms_are_answered_with_the_whole_as_it_is_quoted():
    """The last row is the total; earlier ones are bounded by it; the date is not too late."""
    plan = different(MOST_QUOTED + 5, 2.5, 0.05)
    frame, whole = forecast(plan), compose(plan, 1e-6).epsilon
    assert frame.epsilon.iloc[-1] == whole and (frame.epsilon <= whole).all()
    day = exhaustion(plan)
    assert compose(until(plan, day - timedelta(1)), 1e-6).epsilon <= 2.5
    assert min(compose(until(plan, day), 1e-6, key).epsilon for key in ("basic", "kov", "zcdp")) > 2.5
    near = replace(plan, budget=Guarantee(whole, 1e-6))
    assert exhaustion(near) is None and forecast(near).epsilon.iloc[-1] == whole


def test_gaussian_noises_count_as_one_mechanism():
    """Their μ² add up, so that every row is exact."""
    rows = [Release("x", Gaussian(50.0 + day, 1), start=NEW_YEAR + timedelta(day)) for day in range(200)]
    plan = Plan(rows, Guarantee(9, 1e-6))
    assert kinds(each.mechanism for each in plan.releases) == 1
    for row in forecast(plan).iloc[::40].itertuples():
        mu = math.sqrt(math.fsum((50.0 + day) ** -2 for day in range(row.uses)))
        assert row.epsilon == pytest.approx(Gaussian(1 / mu).epsilon(1e-6), rel=ROUNDING * 100)


def test_a_budget_with_delta_1_is_answered_by_no_bound():
    """It promises nothing: no finite total, no further use, spent on the first date."""
    plan = daily(0.1, 1.0, 1.0)
    rows = replace(plan, releases=(*plan.releases, Release("Mean", Gaussian(3.0, 1))))
    for each in (plan, rows, replace(rows, adaptive=True)):
        assert forecast(each).epsilon.eq(math.inf).all() and exhaustion(each) == NEW_YEAR
        assert windows(each, "month").epsilon.eq(math.inf).all()
        assert room(each, each.releases[0]).count == 0 and not fits(each)
        assert refusals(each).date.eq(np.datetime64(NEW_YEAR)).all()
    assert forecast(Plan([], Guarantee(1, 1.0))).epsilon.tolist() == [0.0]
    assert room(replace(plan, budget=Guarantee(math.inf, 1.0)), plan.releases[0]).count == 10**9


def test_filters_refuse_in_order_of_their_strength():
    """A filter by adding up refuses on the day on which the sum exceeds the budget; others last longer here."""
    plan = replace(daily(0.01, 1.0), adaptive=True)
    frame = refusals(plan).set_index("rule")
    assert frame.date["basic"].date() == exhaustion(plan) == date(2026, 4, 11)
    assert frame.date["basic"] < frame.date["rogers"] < frame.date["fully_adaptive"] and frame.date["zcdp"] is not None
    undated = Plan([Release("Count", Laplace(1, 1), 9)], Guarantee(1, 1e-6), adaptive=True)
    assert refusals(undated).date.isna().all()


@given(plans(parts=(None, "north")), st.integers(0, 3))
def test_so_many_more_fit_beside_a_schedule_and_one_more_does_not(plan: Plan, row: int):
    """What is said to fit does; clearly more does not; nothing fits where the plan itself exceeds its budget."""
    if row >= len(plan.releases):
        return
    count = room(plan, plan.releases[row]).count
    again = replace(plan.releases[row], start=None, cadence=None, end=None)

    def total(times: int) -> float:
        return compose(replace(plan, releases=(*plan.releases, replace(again, count=times))), 1e-6).epsilon

    assert total(count) <= 2 if count else total(1) > 2
    assert count == 10**9 or total(count + 1) > 2


def test_what_is_said_to_fit_does_as_quoted_where_a_rough_bound_proves_more():
    """A sampled plan of millions of uses, whose total at full accuracy is above that at 1 in 1,000."""
    mechanism = Subsampled(Gaussian(8.928571428571429, 1), 0.00233, "without_replacement")
    others = (Subsampled(Gaussian(166.11295681063123, 10), 0.0107, "without_replacement"), RandomizedResponse(0.0158))
    others = (*others, Gaussian(7.042253521126761, 2))
    rows = [Release(f"r{place}", each) for place, each in enumerate((mechanism, *others))]
    plan = Plan(rows, Guarantee(6.32, 1e-6))
    count = room(plan, plan.releases[0]).count
    more = replace(plan, releases=(*plan.releases, Release("more", mechanism, count)))
    assert count > 19_000_000 and compose(more, 1e-6).epsilon <= 6.32


@given(releases(undated=False))
def test_uses_are_those_of_the_listed_dates(release: Release):
    """Counting until a day is counting the days of the cadence, one by one."""
    listed = dates(release.start, release.cadence, release.end)
    days = np.arange(np.datetime64("2025-10-01"), np.datetime64("2027-06-01"), np.timedelta64(5, "D"))
    expected = [release.count * int((listed <= day).sum()) for day in days]
    assert uses_until(release, days).tolist() == expected
    assert until(Plan([release]), date(2100, 1, 1)).releases == (release,)


def test_a_schedule_of_ten_thousand_years_is_answered():
    """Extreme dates cost no time; too many windows are refused with a sentence."""
    whole = Release("x", Laplace.from_epsilon(1e-6), start=date(1, 1, 1), cadence="daily", end=date(9999, 12, 31))
    plan = Plan([whole, Release("y", Laplace(1, 1), start=date(9999, 12, 31))], Guarantee(1, 1e-6))
    frame = forecast(plan, 10)
    assert frame.uses.iloc[-1] == whole.uses + 1 and len(frame) <= 11
    with pytest.raises(ValueError, match=r"windows must be in \[0, 4000\]"):
        windows(plan, "month")


@pytest.mark.parametrize("points", [3, 10_001, 4.5, math.nan])
def test_bad_points_are_refused(points: float):
    with pytest.raises(ValueError, match=r"points must be in \[4, 10000\]"):
        forecast(daily(), points)


def test_bad_windows_and_dates_are_refused():
    with pytest.raises(ValueError, match="window must be one of day, week, month, quarter, year; got 'decade'"):
        window_named("decade")
    with pytest.raises(ValueError, match="end must not lie before start"):
        dated(Plan([Release("x", Laplace(1, 1))]), END, "daily", NEW_YEAR)
    with pytest.raises(ValueError, match="cadence must be one of"):
        dated(Plan([Release("x", Laplace(1, 1))]), NEW_YEAR, "hourly", END)


def test_what_has_a_date_keeps_it():
    """Only releases without a start get the schedule."""
    fixed = Release("x", Laplace(1, 1), start=date(2025, 5, 5))
    plan = dated(Plan([fixed, Release("y", Laplace(1, 1), 2)]), NEW_YEAR, "monthly", END)
    assert plan.releases[0] == fixed and plan.releases[1].uses == 24
    assert dated(plan, NEW_YEAR, "daily", END) == plan
    assert dated(Plan([Release("y", Laplace(1, 1))]), NEW_YEAR, "once", END).releases[0].end is None


# --- what one unit of privacy loses

UNITS = {
    "user-day": 1, "device week": 7, "person and 2 weeks": 14, "user and 30 days": 30, "user-month": "M1",
    "household-quarter": "M3", "person-year": "M12", "person and 8 months": "M8", "user and 10 days": 10,
}  # fmt: skip
PURE_RELEASES = releases(st.sampled_from([0.125, 0.25, 1.0]).map(Laplace.from_epsilon))


def periods(first: date, last: date, length: int | str) -> list[tuple[date, date]]:
    """Every period of a length, in days or months, that begins on a day or with a month from the first to the last."""
    if isinstance(length, int):
        days = [first + timedelta(place) for place in range((last - first).days + 1)]
        return [(day, day + timedelta(length - 1)) for day in days]
    months = [(first.year, first.month + place) for place in range(12 * (last.year - first.year) + 12)]
    begins = [date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1) for year, month in months]
    number = int(length[1:])
    ends = [
        date(day.year + (day.month - 1 + number) // 12, (day.month - 1 + number) % 12 + 1, 1) - timedelta(1)
        for day in begins
    ]
    return list(zip(begins, ends, strict=True))


def across(cadence: str | None, length: int | str) -> bool:
    """Whether a step of a rhythm may lie across the end of a period: as longer ones do, and as weeks do of months."""
    step = cadence_named(cadence or "once")
    if isinstance(length, str):
        return int(length[1:]) % step.months > 0 if step.months else step.days > 1
    return bool(step.months) or (step.days > 1 and length % step.days > 0)


def longer(cadence: str | None, length: int | str) -> bool:
    """Whether a step of a rhythm may be longer than a period."""
    step = cadence_named(cadence or "once")
    return step.months > int(length[1:]) if isinstance(length, str) else (31 * step.months or step.days) > length


def reaching(falls: list[date], cadence: str, begin: date, end: date) -> int:
    """How many steps reach into a period, if each release reads the days since the last, or those until the next."""
    around = timedelta(cadence_named(cadence).days)  # of the first and last, the shortest
    since = zip([falls[0] - around, *falls], falls, strict=False)
    until = zip(falls, [*falls[1:], falls[-1] + around], strict=True)
    since, day = list(since), timedelta(1)
    reads = (
        [(begun + day, falls) for begun, falls in since],
        [(begun, falls - day) for begun, falls in since],  # published on the day after
        [(falls, then - day) for falls, then in until],
    )
    return max(sum(first <= end and last >= begin for first, last in each) for each in reads)


def touched(falls: list[date], length: int | str) -> int:
    """How many releases of a row one period meets at most, if each reads the data since the last, or until the next."""
    found = []
    for since in (True, False):
        # What the next release reads begins with the day after the last one, or with its own day.
        inner = [day + timedelta(1) for day in falls[:-1]] if since else falls[1:]
        ends = [periods(day - timedelta(40), day + timedelta(40), length) for day in inner[:12]]
        met = [sum(start < day <= end for day in inner) for around in ends for start, end in around]
        found.append(1 + max(met, default=0))
    return min(found)


def test_what_comes_less_often_than_a_period_is_read_by_each():
    """Two weekly numbers on different weekdays both read every day of their week."""
    weekly = [
        Release(str(day), Laplace.from_epsilon(0.5), start=f"2026-01-{day:02d}", cadence="weekly", end="2026-12-31")
        for day in (5, 7)
    ]
    plan = Plan(weekly, Guarantee(1.0, 0.0), unit="user-day")
    assert unit_cost(plan).epsilon == 1.0 and [most_uses(each, "user-day") for each in weekly] == [1, 1]
    quarterly = Release("q", Laplace.from_epsilon(0.5), start="2026-01-15", cadence="quarterly", end="2026-12-31")
    assert most_uses(quarterly, "user-month") == 2
    assert most_uses(replace(quarterly, start="2026-03-31"), "user-month") == 1
    assert most_uses(replace(quarterly, end="2026-01-20"), "user-month") == 1


@pytest.mark.parametrize(
    ("unit", "uses"), [("user-month", 6), ("user-quarter", 14), ("user-year", 54), ("user-week", 1)]
)
def test_a_week_that_two_months_share_counts_in_both(unit, uses):
    """Each weekly number reads seven days: of all months of 28 years, one touches as many of them as are counted."""
    weekly = Release("w", Laplace.from_epsilon(0.5), start="2026-01-02", cadence="weekly", end="2053-12-31")
    days = dates(weekly.start, weekly.cadence, weekly.end)
    kind = unit_window(unit)
    begins = kind.first_day(np.arange(*kind.number(days[[0, -1]])))
    ends = kind.first_day(kind.number(begins) + 1)
    touched = [int(((days >= begin) & (days - np.timedelta64(6, "D") < end)).sum()) for begin, end in
               zip(begins, ends, strict=True)]  # fmt: skip
    if unit != "user-week":  # of weeks that end as the calendar's do, one touches one
        assert max(touched) == uses
    plan = Plan([weekly], Guarantee(4.0, 0.0), unit=unit)
    assert most_uses(weekly, unit) == uses and unit_cost(plan).epsilon == 0.5 * uses


@given(st.lists(PURE_RELEASES, min_size=1, max_size=3), st.sampled_from(sorted(UNITS)))
def test_one_unit_loses_what_its_dearest_period_holds(rows, unit):
    """By listing the dates: no period of that length holds more, wherever it begins, and ε adds up at δ = 0.

    What may lie across its end counts as often as a period touches what it reads: all since the last date, or until the
    next.
    """
    plan = Plan(rows, Guarantee(1.0, 0.0), unit=unit)
    days = release_dates(plan)
    cost = unit_cost(plan)
    if not len(days):
        assert cost is None
        return
    dated_rows = [(each, dates(each.start, each.cadence, each.end).astype(object)) for each in rows if each.start]
    parted = [row for row in dated_rows if across(row[0].cadence, UNITS[unit])]
    rare = [row for row in parted if longer(row[0].cadence, UNITS[unit])]
    short = [row for row in parted if not longer(row[0].cadence, UNITS[unit])]
    listed = [row for row in dated_rows if not across(row[0].cadence, UNITS[unit])]
    undated = sum(each.count * each.mechanism.epsilon(0.0) for each in rows if each.start is None)
    undated += sum(each.count * each.mechanism.epsilon(0.0) * touched(falls, UNITS[unit]) for each, falls in rare)
    first, last = days[0].item(), days[-1].item()

    def spent(begin: date, end: date) -> float:
        return sum(
            each.count * each.mechanism.epsilon(0.0) * sum(begin <= day <= end for day in falls)
            for each, falls in listed
        ) + sum(
            each.count * each.mechanism.epsilon(0.0) * reaching(list(falls), each.cadence, begin, end)
            for each, falls in short
        )

    dearest = undated + max(spent(*each) for each in periods(first, last, UNITS[unit]))
    if cost and (short or (rare and UNITS[unit] == 30)):
        # 30 days may touch three months, as January, February and March; of short steps both readings count at once.
        one_more = sum(each.count * each.mechanism.epsilon(0.0) for each, _ in parted)
        assert dearest <= cost.epsilon <= dearest + one_more
        return
    if cost is None:  # all lies within one period: then its total is what one unit loses
        assert dearest == compose(plan, 0.0).epsilon
        return
    assert cost.epsilon == dearest == compose(cost.plan, 0.0).epsilon
    assert undated + spent(cost.start, cost.end) == dearest
    assert len(cost.plan.releases) == len(rows) and all(each.start is None for each in cost.plan.releases)


@given(plans(parts=(None, "north")), st.sampled_from(["user-day", "user-month", "household-quarter"]))
def test_no_calendar_window_costs_more_than_one_unit(plan, unit):
    """One unit's ε bounds every calendar window of its length, at δ > 0 and with parts too."""
    plan = replace(plan, unit=unit)
    cost = unit_cost(plan)
    if cost is not None:
        assert windows(plan, cost.window).epsilon.max() <= cost.epsilon * (1 + NUMERICAL)
        assert compose(cost.plan, 1e-6).epsilon <= cost.epsilon * (1 + SHARED_GRID)


def test_a_unit_without_a_period_or_with_a_longer_one_has_the_plan_s_total():
    """There is nothing shorter to hold the budget against."""
    plan = dated(Plan([Release("x", Laplace(1, 1))], unit="person"), NEW_YEAR, "monthly", END)
    assert unit_cost(plan) is None and unit_cost(replace(plan, unit="person-year")) is None
    assert unit_cost(Plan([Release("x", Laplace(1, 1))], unit="user-day")) is None
    assert unit_cost(replace(plan, unit="person-quarter")).plan.releases[0].uses == 3


def test_a_schedule_of_ten_thousand_years_costs_one_unit_a_day():
    whole = Release("x", Laplace.from_epsilon(0.5), start=date.min, cadence="daily", end=date.max)
    for unit, uses in (("user-day", 1), ("user-week", 7), ("person-year", 366)):
        assert unit_cost(Plan([whole], Guarantee(1, 0), unit=unit)).epsilon == 0.5 * uses


@pytest.mark.parametrize(
    ("unit", "key"),
    [
        ("user-day", "day"), ("device week", "week"), ("User_Month", "month"), ("household-quarter", "quarter"),
        ("person-year", "year"), ("day", "day"), ("user-hour", "day"), ("36 hours", "2-day period"), ("7 days", "week"),
        ("person and 12 months", "year"), ("person and 2 weeks", "2-week period"), ("2 quarters", "2-quarter period"),
        ("person", ""), ("-", ""), ("holiday", ""),
    ],
)  # fmt: skip
def test_units_name_their_window(unit: str, key: str):
    found = unit_window(unit)
    assert (found.key if found else "") == key
    assert found is None or window_named(key) == found


@given(plans(undated=False), st.sampled_from([None, True, date(2026, 2, 14)]))
def test_what_is_done_is_the_plan_until_then(plan, done):
    """A plan of which everything is done until a day has done what is released until that day."""
    rows = [replace(each, done=False if done is None else done) for each in plan.releases]
    found = done_part(Plan(rows, plan.budget))
    expected = [0 if done is None else each.uses if done is True else each.done_uses for each in rows]
    assert [each.uses for each in found.releases] == expected
    if isinstance(done, date):
        assert sum(expected) == sum(each.uses for each in until(plan, done).releases)


def test_one_period_stands_for_all_only_where_it_exceeds_them():
    """A year of Laplace and one of Gaussian noise: neither meets all that the other does; three times as much does."""
    year = {"cadence": "monthly", "start": "2026-01-01", "end": "2026-12-31"}
    later = {"cadence": "monthly", "start": "2027-01-01", "end": "2027-12-31"}
    promise = {"budget": Guarantee(9, 1e-6), "unit": "person-year"}
    mixed = [Release("a", Laplace(10, 1), **year), Release("b", Gaussian(10, 1), **later)]
    assert not unit_cost(Plan(mixed, **promise)).dominant
    more = [Release("a", Laplace(10, 1), **year), Release("a", Laplace(10, 1), 3, **later)]
    assert unit_cost(Plan(more, **promise)).dominant
