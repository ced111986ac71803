"""The table of releases is lossless, and says what is wrong row by row."""

import pytest

from dpviz import ApproximateDP, Gaussian, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.ui.shell import examples
from dpviz.ui.shell.plan_rows import CALIBRATION_KEYS, NEW_ROW, releases_of, rows_of

MIXED = Plan(
    [
        Release("Scale", Laplace(10.0, 2.0), 3, "North"),
        Release("Sigma", Gaussian(4.0)),
        Release("Pair", Gaussian.from_guarantee(0.5, 1e-9)),
        Release("Response", RandomizedResponse(0.1)),
        Release("Box", ApproximateDP(1.0, 1e-30)),
    ]
)


@pytest.mark.parametrize("plan", [MIXED, *(examples.plan_of(key) for key in examples.BY_KEY)])
def test_table_keeps_every_digit(plan: Plan):
    """What a table shows is what a plan holds."""
    assert releases_of(rows_of(plan)) == (dict(enumerate(plan.releases)), {})


def test_new_row_is_a_release():
    """A row added with its defaults makes sense at once."""
    releases, problems = releases_of([NEW_ROW])
    assert releases == {0: Release("New release", Laplace.from_epsilon(0.1))} and not problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"epsilon": "-1"}, "epsilon '-1': must be in (0, inf)"),
        ({"epsilon": "many"}, "epsilon 'many': must be a number such as 0.5 or 1e-6"),
        ({"epsilon": "nan"}, "epsilon 'nan': must be a number"),
        ({"epsilon": None}, "mechanism 'Laplace': laplace must be given by epsilon or scale"),
        ({"count": "1.5"}, "count '1.5': must be in [0, 1000000000], a whole number"),
        ({"name": "x" * 81}, "name"),
        ({"mechanism": "Magic"}, "mechanism 'Magic': "),
    ],
)
def test_a_bad_row_gets_one_sentence(change: dict, problem: str):
    """The sentence names row, column, value and what is allowed; other rows are read."""
    releases, problems = releases_of([NEW_ROW, NEW_ROW | change, NEW_ROW])
    assert len(releases) == 2 and len(problems) == 1
    assert problems[1].startswith(problem)


def test_blank_rows_are_no_releases():
    """A row without text is skipped."""
    assert releases_of([dict.fromkeys(NEW_ROW), NEW_ROW])[1] == {}


def test_calibrations_are_known():
    """The list in the table is the core's."""
    assert {"analytic", "classical"} <= set(CALIBRATION_KEYS)


def test_a_sampled_release_round_trips_through_the_table():
    """Scheme and rate are columns of their own, beside what is sampled for."""
    plan = Plan([Release("Round", Subsampled(Gaussian(1.0), 0.01, "poisson"), 1000)])
    releases, problems = releases_of(rows_of(plan))
    assert problems == {}
    assert tuple(releases.values()) == plan.releases


def test_a_rate_without_a_scheme_is_named():
    row = {"name": "Round", "mechanism": "Gaussian", "sigma": "1", "rate": "0.01"}
    assert releases_of([row])[1] == {0: "rate '0.01': must be given together with scheme"}
