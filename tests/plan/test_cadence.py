"""Calendar arithmetic of releases, against counting day by day."""

import calendar
import warnings
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz import compose
from dpviz.composition.compose import smallest_totals
from dpviz.mechanisms import Laplace
from dpviz.plan import CADENCES, Plan, Release, Workload
from dpviz.plan.cadence import KEYS, cadence_named, dates, most_within, nth_day, occurrences, recurs
from dpviz.planning import schedule
from dpviz.ui.shell import plan_rows, refusals
from tests.strategies import PURE

DAYS = st.dates(date(2019, 1, 1), date(2029, 12, 31))
RECURRING = st.sampled_from([cadence.key for cadence in CADENCES if cadence.days])


def by_hand(start: date, cadence: str, end: date) -> list[date]:
    """Every day from start to end on which the release falls, one day after the other."""
    found, day = [], start
    while day <= end:
        last = calendar.monthrange(day.year, day.month)[1]
        due = {
            "daily": True,
            "weekly": day.weekday() == start.weekday(),
            "fortnightly": (day - start).days % 14 == 0,
            "monthly": day.day == min(start.day, last),
            "quarterly": day.day == min(start.day, last) and (day.month - start.month) % 3 == 0,
            "half-yearly": day.day == min(start.day, last) and (day.month - start.month) % 6 == 0,
            "yearly": day.day == min(start.day, last) and day.month == start.month,
        }
        if due[cadence]:
            found.append(day)
        day += timedelta(days=1)
    return found


@given(DAYS, st.integers(0, 1600), RECURRING)
def test_dates_are_those_of_the_calendar(start, length, cadence):
    """Every occurrence is found, none is invented, and their number needs no list."""
    end = start + timedelta(days=length)
    days = by_hand(start, cadence, end)
    assert dates(start, cadence, end).astype(object).tolist() == days
    assert occurrences(start, cadence, end) == len(days)


def test_leap_days_and_ends_of_months_are_kept():
    """29 February comes back in leap years; the last day of a long month falls on the last of a shorter one."""
    yearly = dates(date(2024, 2, 29), "yearly", date(2028, 12, 31)).astype(str).tolist()
    assert yearly == ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]
    quarterly = dates("2025-11-30", "quarterly", "2026-08-30").astype(str).tolist()
    assert quarterly == ["2025-11-30", "2026-02-28", "2026-05-30", "2026-08-30"]


def test_a_day_is_never_counted_by_a_bare_integer():
    """Later versions of NumPy refuse to add integers to dates; warnings are errors here."""
    for cadence in ("daily", "monthly", "yearly"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert occurrences(date(2026, 1, 31), cadence, date(2026, 3, 31)) == len(
                dates(date(2026, 1, 31), cadence, date(2026, 3, 31))
            )


MIDNIGHTS = (
    date(2026, 1, 5), "2026-01-05", datetime(2026, 1, 5), datetime(2026, 1, 5, tzinfo=UTC),
    pandas.Timestamp("2026-01-05"), np.datetime64("2026-01-05"), np.datetime64("2026-01-05T00:00", "ns"),
)  # fmt: skip


@pytest.mark.parametrize("written", MIDNIGHTS, ids=lambda each: type(each).__name__)
def test_a_day_may_be_written_in_many_ways(written):
    """ISO text, datetimes and what NumPy and pandas hold are kept as plain dates, wherever a day is taken."""
    day = date(2026, 1, 5)
    release = Release("r", Laplace(1, 1), start=written, cadence="daily", end=written, done=written)
    assert [release.start, release.end, release.done] == [day] * 3
    assert {type(each) for each in (release.start, release.end, release.done)} == {date}
    assert dates(written, "daily", written).astype(object).tolist() == [day]
    assert occurrences(written, "daily", written) == 1
    plan = Plan([Release("r", Laplace(1, 1))])
    assert schedule.dated(plan, written, "daily", written).releases[0].start == day
    assert schedule.until(Plan([release]), written).releases == (release,)


@pytest.mark.parametrize(
    "written",
    [
        pandas.NaT, np.datetime64("NaT", "ns"), np.datetime64("2026-01"), np.datetime64("2026"),
        np.datetime64(10**8, "D"), np.datetime64(-(2**62), "s"), "2026-01", "5.1.2026", "2026-02-30", "", 20260105, 1.5,
        True, [], datetime(2026, 1, 5, 1), pandas.Timestamp("2026-01-05 00:00:00.000000001"),
        np.datetime64("2026-01-05T01"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_day_is_refused(written):
    """Whole months, missing days, years that no date holds, and times of day, which would be lost."""
    with pytest.raises(ValueError, match=r"^start must be a (date such as 2026-04-01|day without a time of day); got "):
        Release("r", Laplace(1, 1), start=written)
    if not isinstance(written, bool):
        with pytest.raises(ValueError, match=r"^done must be (True, False or a date|a day without a time of day)"):
            Release("r", Laplace(1, 1), done=written)


@given(DAYS, st.integers(0, 800), RECURRING, st.integers(-40, 900), st.integers(0, 5))
def test_done_until_a_day_counts_what_falls_until_then(start, length, cadence, after, count):
    """What is done and what is still to come make up the whole; the day itself is done."""
    end, done = start + timedelta(days=length), start + timedelta(days=after)
    release = Release("r", Laplace(1, 1), count, start=start, cadence=cadence, end=end, done=done)
    days = by_hand(start, cadence, end)
    assert release.done_occurrences == sum(day <= done for day in days)
    assert release.done_uses == count * release.done_occurrences <= release.uses


def test_done_of_what_has_one_day_or_none():
    """Without a start there is no day to wait for: any date means all of it."""
    once = Release("r", Laplace(1, 1), 3, start="2026-01-05", done="2026-01-04")
    assert (once.done_uses, replace(once, done="2026-01-05").done_uses, replace(once, done=True).done_uses) == (0, 3, 3)
    undated = Release("r", Laplace(1, 1), 3, done="1990-01-01")
    assert (undated.done_uses, replace(undated, done=False).done_uses) == (3, 0)


@pytest.mark.parametrize("cadence", [None, "once"])
def test_what_does_not_recur_falls_on_one_day(cadence):
    assert dates(date(2026, 1, 1), cadence).astype(str).tolist() == ["2026-01-01"]
    assert occurrences(None, cadence, None) == 1 and not recurs(cadence)


def test_unknown_cadences_are_refused():
    with pytest.raises(ValueError, match=f"cadence must be one of {', '.join(KEYS)}; got 'hourly'"):
        cadence_named("hourly")


def test_the_whole_calendar_is_counted():
    """The longest schedule that dates allow neither overflows nor takes time."""
    assert occurrences(date.min, "daily", date.max) == date.max.toordinal()
    assert occurrences(date.min, "monthly", date.max) == 9999 * 12


@given(PURE, DAYS, st.integers(0, 60), RECURRING, st.integers(0, 5))
def test_a_schedule_costs_all_of_its_uses(mechanism, start, length, cadence, count):
    """A dated release costs what the same number of undated uses costs."""
    release = Release("r", mechanism, count, start=start, cadence=cadence, end=start + timedelta(days=length))
    assert release.uses == count * len(by_hand(start, cadence, release.end))
    plain = Plan([Release("r", mechanism, release.uses)])
    assert compose(Plan([release]), 1e-6) == compose(plain, 1e-6)
    assert compose(Plan([release]).repeated(2), 0.0) == compose(plain.repeated(2), 0.0)


@given(st.lists(PURE, min_size=1, max_size=3, unique=True), st.lists(st.integers(0, 40), min_size=6, max_size=6))
def test_smallest_totals_are_those_of_compose(mechanisms, counts):
    """Many points at once cost what each costs alone."""
    table = np.array(counts[: 2 * len(mechanisms)]).reshape(2, -1)
    together = smallest_totals(Workload(tuple(mechanisms), table), 1e-6, 1e-6)
    for total, row in zip(together, table, strict=True):
        plan = Plan([Release("r", mechanism, int(n)) for mechanism, n in zip(mechanisms, row, strict=True)])
        alone = compose(plan, 1e-6).epsilon
        assert total == pytest.approx(alone, rel=4e-6), (
            "each within the accuracy that was asked for, 1e-6, and to spare"
        )


def test_tables_hold_dates_as_typed():
    """What the table shows of a dated release is read back as the same release."""
    release = Release("r", Laplace(2.0, 1), 2, start=date(2026, 1, 1), cadence="weekly", end=date(2026, 3, 1),
                      weight=2.0, typical=0.25, answer_unit="persons", done=date(2026, 1, 31))  # fmt: skip
    made, problems = plan_rows.releases_of(plan_rows.rows_of(Plan([release])))
    assert made == {0: release} and not problems


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"start": "yesterday"}, "“Start” must be a date such as 2026-04-01, not “yesterday”."),
        ({"done": "soon"}, "“Done until” must be yes, no or a date such as 2026-04-01, not “soon”."),
        ({"weight": "0"}, "“Weight” must be a number above 0, not “0”."),
        ({"cadence": "daily"}, "“Start” must be given, since a daily release without it has no finite total."),
    ],
)
def test_bad_cells_of_the_table_are_told(cells, said):
    row = dict.fromkeys(plan_rows.COLUMNS) | {"name": "r", "mechanism": "Laplace", "noise": "b 1"} | cells
    [problems] = plan_rows.releases_of([row])[1].values()
    assert refusals.row(problems) == said


@given(RECURRING, RECURRING, DAYS, st.integers(1, 9), st.integers(0, 400))
def test_no_longer_time_touches_more_of_the_shorter_ones(shorter: str, longer: str, start: date, step: int, shift: int):
    """Nor where one of days began before it; both in days, or both in months, begin together."""
    one, other = cadence_named(shorter), cadence_named(longer)
    assume(other.days > one.days)
    together = bool(one.months) or (not other.months and other.days % one.days == 0)
    first, last = nth_day(start, longer, step), nth_day(start, longer, step + 1) - timedelta(1)
    if one.months:
        touched = sum(first <= nth_day(start, shorter, n) <= last for n in range(1, 500))
    else:
        touched = occurrences(first - timedelta(0 if together else shift % one.days), shorter, last)
    assert touched <= most_within(shorter, longer)
    assert not together or touched == most_within(shorter, longer)
