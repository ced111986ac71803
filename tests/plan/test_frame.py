"""Plans in and out of data frames, files by their ending, links; one more release, and other fields."""

import csv
import io
from dataclasses import replace
from typing import get_args
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from hypothesis import given

import dpviz
from dpviz import FILTERS, THEOREMS, Guarantee, Laplace, Plan, Release
from dpviz.composition.compose import TheoremKey
from dpviz.filters.rules import RuleKey
from dpviz.plan import CADENCES, KINDS, RELATIONS
from dpviz.plan.cadence import CadenceKey
from dpviz.plan.files import permalink
from dpviz.plan.kinds import KindKey
from dpviz.plan.promise import Relation
from dpviz.planning import SPLITS
from dpviz.planning.budgeting.splits import SplitKey
from tests.plan_strategies import PLANS

VISITS = Release("Visits", Laplace.from_epsilon(0.1), 52)
PERSONS, TWICE = Plan([], unit="person"), [VISITS, VISITS]


@given(PLANS)
def test_a_frame_holds_what_a_table_holds(plan: Plan):
    rows = csv.reader(io.StringIO(plan.to_csv()))
    head = next(rows)
    assert Plan.from_frame(pd.DataFrame(list(rows), columns=head)) == Plan.from_csv(plan.to_csv())


def test_frames_as_people_make_them():
    """Missing cells, days, whole numbers that a column of floats made fractions, an index of their own."""
    frame = pd.DataFrame(
        {
            "mechanism": ["laplace", "gaussian"],
            "name": ["Weekly", "=Sums"],
            "epsilon": [0.05, None],
            "sigma": [None, 20],
            "sensitivity": [1.0, 1.0],
            "cadence": ["weekly", None],
            "start": pd.to_datetime(["2026-01-01", None]),
            "end": pd.to_datetime(["2026-12-31", None]),
            "count": [1.0, 4.0],
            "done": [False, True],
            "unit": "person-year",
            "budget_epsilon": 2,
        },
        index=["x", "y"],
    )
    plan = Plan.from_frame(frame)
    assert [each.uses for each in plan.releases] == [53, 4] and plan.releases[1].name == "=Sums"
    assert plan.unit == "person-year" and plan.budget.epsilon == 2 and plan.releases[1].done is True
    with pytest.raises(ValueError, match="frame must be a pandas"):
        Plan.from_frame([1])
    with pytest.raises(ValueError, match=r"line 3|line 2"):
        Plan.from_frame(frame.assign(count=[1, -4]))


@pytest.mark.parametrize("ending", [".json", ".csv", ".JSON"])
def test_a_written_plan_is_read_again(ending: str, tmp_path):
    plan = Plan([VISITS], Guarantee(2, 1e-6), "person", "add_remove", 1000, False)
    plan.write(tmp_path / f"plan{ending}")
    assert Plan.read(tmp_path / f"plan{ending}") == plan


def test_a_link_holds_the_plan():
    plan = Plan([VISITS], unit="household")
    link = urlsplit(plan.link("https://dp.example.org/budget/"))
    assert (link.netloc, link.path) == ("dp.example.org", "/budget/")
    assert permalink.opened(parse_qs(link.query)["plan"][0]) == plan


def test_releases_are_added_and_fields_changed():
    plan = Plan([VISITS], Guarantee(2, 1e-6), "person")
    assert (plan + VISITS).releases == (VISITS, VISITS) == (PERSONS + TWICE).releases
    assert (plan + VISITS).budget == plan.budget and plan.with_(unit="day") == replace(plan, unit="day")
    for other in (plan, "Visits", 3):
        with pytest.raises(TypeError):
            plan + other
    with pytest.raises(ValueError, match=r"field must be one of .* did you mean 'budget'"):
        plan.with_(buget=Guarantee(1))


@pytest.mark.parametrize(
    ("keys", "records"),
    [(TheoremKey, THEOREMS), (RuleKey, FILTERS), (CadenceKey, CADENCES), (KindKey, KINDS), (SplitKey, SPLITS)],
)
def test_what_a_type_checker_knows_is_what_there_is(keys: object, records: tuple):
    assert get_args(keys) == tuple(record.key for record in records)


def test_a_type_checker_knows_the_relations():
    assert get_args(Relation) == tuple(RELATIONS)


def test_frames_say_for_what_they_hold():
    plan = Plan([VISITS], Guarantee(2, 1e-9), "user-day")
    for frame in (dpviz.compare(plan), dpviz.epsilon_curve(plan, [1, 2])):
        assert frame.attrs == {"unit": "user-day", "relation": "add_remove", "delta": 1e-9}
    assert dpviz.plot(dpviz.compare(plan)).layout.xaxis.title.text == "total ε per user-day"


def test_what_is_misspelt_is_told():
    for theorem, meant in (("renyi", "rdp"), ("PLD", "pld"), ("advancd", "advanced")):
        with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
            dpviz.compose(Plan([VISITS]), 1e-6, theorem)
    with pytest.raises(ValueError, match="did you mean 'poisson'"):
        dpviz.Subsampled(Laplace(1), 0.1, "poison")


def test_what_half_the_product_is_reached_by_its_name():
    plan = Plan([VISITS], Guarantee(2, 1e-6), "person", population=1000)
    assert "<!doctype html>" in dpviz.report.html(plan) and '"dpviz"' in dpviz.report.as_json(plan)
    assert dpviz.solve_noise(plan).plan is not None and len(dpviz.errors(plan)) == 1 and dpviz.checks(plan)
    assert dpviz.sensitivity("sum", lower=0, upper=6000).l1 == 6000 and not dpviz.published(plan).empty
    with pytest.raises(ValueError, match="subject must be a Plan"):
        dpviz.report.html("plan")


def test_a_shell_shows_what_a_thing_is():
    plan = Plan([VISITS], Guarantee(1, 1e-6))
    solution = dpviz.solve_noise(plan)
    assert "by Tight accounting" in repr(solution) or "by Basic" in repr(solution)
    assert repr(dpviz.solve_noise(Plan([]))).startswith("<Solution: none, since")
    assert repr(THEOREMS[-1]) == "Theorem('pld': Tight accounting)" == str(THEOREMS[-1])
    assert repr(dpviz.PrivacyLoss.of(plan)).startswith("<PrivacyLoss of 52 × Laplace")
    assert "Visits" in solution._repr_html_() and "No solution" in dpviz.solve_noise(Plan([]))._repr_html_()
