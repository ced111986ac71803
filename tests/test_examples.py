"""The example plans: they open, and cost what their sources say."""

import math
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from dpviz.composition import compose
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Subsampled
from dpviz.plan import Plan
from dpviz.planning.schedule import exhaustion, unit_cost
from dpviz.planning.sensitivity import sensitivity

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FILES = sorted(path for path in EXAMPLES.iterdir() if path.suffix in (".json", ".csv"))


def example(name: str) -> Plan:
    return Plan.read(EXAMPLES / name)


def stated_sum(plan: Plan) -> tuple[Decimal, Decimal]:
    """The sums of the stated ε and δ in exact decimals: basic composition."""
    stated = [(each.mechanism.stated, each.count) for each in plan.releases]
    epsilon = sum(Decimal(repr(pair.epsilon)) * count for pair, count in stated)
    return epsilon, sum(Decimal(repr(pair.delta)) * count for pair, count in stated)


def advanced_epsilon(plan: Plan) -> float:
    """Advanced composition in its zCDP form, at the budget's δ."""
    half = sum(each.mechanism.stated.epsilon**2 * each.count for each in plan.releases) / 2
    return half + 2 * math.sqrt(half * math.log(1 / plan.budget.delta))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_examples_are_written_as_dpviz_writes_them(path):
    """Opening an example and saving it again changes no byte."""
    plan = Plan.read(path)
    assert path.read_text(encoding="utf-8") == (plan.to_json() if path.suffix == ".json" else plan.to_csv())
    assert plan.releases


def test_mobility_costs_what_was_published():
    """Google states 2.64 per user-day; the budget of 4 holds it, by basic composition and without any δ."""
    plan = example("mobility.json")
    assert stated_sum(plan) == (Decimal("2.64"), 0)
    assert (plan.unit, plan.neighbours, plan.relation) == ("user-day", "add_remove", "add_remove")
    assert plan.budget == Guarantee(4, 1e-6)
    assert sum(each.count for each in plan.releases) == 18
    assert {each.mechanism for each in plan.releases} == {Laplace.from_epsilon(0.11), Laplace.from_epsilon(0.22)}


def test_mobility_csv_is_its_twin():
    """The CSV holds the same plan."""
    assert example("mobility.csv") == example("mobility.json")


def test_mobility_over_thirty_days():
    """The same releases thirty times: over the budget by basic composition, within it by advanced."""
    plan, day = example("mobility-30-days.json"), example("mobility.json")
    assert plan.releases == day.repeated(30).releases
    assert stated_sum(plan) == (Decimal("79.2"), 0)
    assert plan.unit == "user-month"
    assert advanced_epsilon(plan) < plan.budget.epsilon < 79.2


def test_lecture_11():
    """500 releases at ε = 0.001: the lecture's numeric example and its claimed total."""
    plan = example("lecture-11.json")
    assert [(each.mechanism, each.count) for each in plan.releases] == [(Laplace.from_epsilon(0.001), 500)]
    assert stated_sum(plan) == (Decimal("0.5"), 0)
    assert plan.budget == Guarantee(0.1, 1e-6)


def test_sherpa_notebook():
    """Its three mechanisms add up to ε = 2 exactly; a thousand repetitions state a δ of 10, which is no guarantee."""
    plan = example("sherpa-notebook.json")
    gaussian = Gaussian.from_guarantee(0.5, 0.01, calibration="classical")
    assert [each.mechanism for each in plan.releases] == [
        Laplace.from_epsilon(0.5),
        Laplace.from_epsilon(1.0),
        gaussian,
    ]
    assert round(gaussian.sigma, 4) == 6.2150
    assert stated_sum(plan) == (Decimal(2), Decimal("0.01"))
    assert plan.budget == Guarantee(2, 0.02)
    assert stated_sum(plan.repeated(1000))[1] == 10


def test_weekly_dashboard():
    """A year of Mondays and months; the budget lasts until the end of August."""
    plan = example("weekly-dashboard.json")
    assert [each.uses for each in plan.releases] == [52, 52, 52, 12]
    assert exhaustion(plan) == date(2026, 8, 31)


def test_statistics_office():
    """A year within its budget by tight accounting; each sensitivity is what its kind demands."""
    plan = example("statistics-office.json")
    assert [each.uses for each in plan.releases] == [12, 4, 4, 1, 1, 1]
    assert (plan.unit, plan.relation, plan.population) == ("person-year", "replace_one", 480_000)
    assert plan.budget == Guarantee(4, 1e-6)
    assert 3.7 < compose(plan, 1e-6, "pld").epsilon < 3.767 < plan.budget.epsilon < compose(plan, 1e-6, "zcdp").epsilon
    assert exhaustion(plan) is None and unit_cost(plan) is None
    people = {"Mean gross earnings": 24_000, "Cannot pay an unexpected bill, share": 10_000}
    for each in (each for each in plan.releases if each.kind != "survey"):
        limits = {"lower": each.lower, "upper": each.upper, "people": people.get(each.name)}
        assert each.mechanism.sensitivity == sensitivity(each.kind, plan.relation, **limits).l1, each.name


def test_the_census_of_2020():
    """Its ρ are the published shares of 3.65; dp-accounting 0.6.0 encloses the total in [20.320619, 20.328625]."""
    plan = example("census-2020-redistricting.json")
    assert [each.count for each in plan.releases] == [10] * 8
    shares = [2, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3]
    for each, share in zip(plan.releases, shares, strict=True):
        assert each.mechanism.key == "discrete_gaussian" and each.mechanism.sensitivity == 1
        assert 10 / (2 * each.mechanism.sigma**2) == pytest.approx(3.65 * share / 100, rel=1e-14)
    assert plan.budget == Guarantee(21.143, 1e-10)
    assert 20.320619 <= compose(plan, 1e-10, "pld").epsilon <= 20.328625
    zcdp = compose(plan, 1e-10, "zcdp").epsilon
    assert 21.1429 < zcdp <= plan.budget.epsilon


def test_federated_learning():
    """A thousand rounds on one user in a hundred, within the budget only by accounting for the sampling."""
    plan = example("federated-learning.json")
    assert [(each.mechanism, each.count) for each in plan.releases] == [
        (Subsampled(Gaussian(1.0), 0.01, "poisson"), 1000)
    ]
    assert compose(plan, 1e-7, "pld").epsilon < plan.budget.epsilon < compose(plan, 1e-7, "zcdp").epsilon


def test_readme_lists_every_example():
    """Each file is described, with its source, beside it."""
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in FILES if f"`{path.name}`" not in text] == []
