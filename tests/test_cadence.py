"""Calendar arithmetic of releases, against counting day by day."""

import calendar
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import compose
from dpviz.cadence import CADENCES, KEYS, cadence_named, dates, occurrences, recurs
from dpviz.composition import Workload, smallest_totals
from dpviz.mechanisms import Laplace
from dpviz.plan import Plan, Release
from dpviz.ui import plan_rows
from tests.strategies import PURE

DAYS = st.dates(date(2019, 1, 1), date(2029, 12, 31))
RECURRING = st.sampled_from([cadence.key for cadence in CADENCES if cadence.unit])


def by_hand(start: date, cadence: str, end: date) -> list[date]:
    """Every day from start to end on which the release falls, one day after the other."""
    found, day = [], start
    while day <= end:
        last = calendar.monthrange(day.year, day.month)[1]
        due = {
            "daily": True,
            "weekly": day.weekday() == start.weekday(),
            "monthly": day.day == min(start.day, last),
        }
        if due[cadence]:
            found.append(day)
        day += timedelta(days=1)
    return found


@given(DAYS, st.integers(0, 800), RECURRING)
def test_dates_are_those_of_the_calendar(start, length, cadence):
    """Every occurrence is found, none is invented, and their number needs no list."""
    end = start + timedelta(days=length)
    days = by_hand(start, cadence, end)
    assert dates(start, cadence, end).astype(object).tolist() == days
    assert occurrences(start, cadence, end) == len(days)


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
    release = Release("r", Laplace(2.0), 2, start=date(2026, 1, 1), cadence="weekly", end=date(2026, 3, 1), weight=2.0,
                      typical=0.25, done=True)  # fmt: skip
    made, problems = plan_rows.releases_of(plan_rows.rows_of(Plan([release])))
    assert made == [release] and not problems


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"start": "yesterday"}, "Row 1, start 'yesterday': must be a date such as 2026-04-01"),
        ({"done": "soon"}, "Row 1, done 'soon': must be yes or no"),
        ({"weight": "0"}, "Row 1, weight '0': must be in (0, inf)"),
        ({"cadence": "daily"}, "Row 1, cadence 'daily': start must be given, since a daily release without it has no "
                               "finite total"),
    ],
)  # fmt: skip
def test_bad_cells_of_the_table_are_told(cells, said):
    row = dict.fromkeys(plan_rows.COLUMNS) | {"name": "r", "mechanism": "Laplace", "scale": "1"} | cells
    assert plan_rows.releases_of([row]) == ([], [said])
