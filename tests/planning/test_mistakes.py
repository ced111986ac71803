"""What people get wrong: each mistake is asked about, an answer settles it, and its mend leads to a plan without it."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
    compose,
)
from dpviz.decimals import typed
from dpviz.mechanisms import Thresholding
from dpviz.plan import Answers
from dpviz.plan.answers import ANSWERED, YES_OR_NO
from dpviz.planning.advice import as_answered, checks, faults, questions
from dpviz.planning.advice.origin import counted_rows, counts_units, known_samples, observed_bounds
from dpviz.planning.schedule import most_uses, unit_cost
from dpviz.rounding import shown_up
from tests.effort import examples
from tests.strategies import GAUSSIAN, MECHANISMS, PURE

YEAR = {"start": date(2026, 1, 1), "cadence": "weekly", "end": date(2026, 12, 31)}
SAMPLED = Subsampled(Gaussian(2.0, 1), 0.01, "poisson")


def plan_of(*releases: Release, **options) -> Plan:
    promise = {"unit": "person", "budget": Guarantee(5, 1e-6), "relation": "add_remove", "population": 1000}
    return Plan(releases, **(promise | options))


INCOME = Release("Total income", Laplace.from_epsilon(0.1, 99873.41), kind="sum", lower=0, upper=99873.41)
# Check, a plan that makes the mistake, the question, the answer by which all is well, and the one by which it is not.
MISTAKES = (
    ("contributions", plan_of(Release("Purchases", Laplace(10, 1))), "rows_per_unit", 1, 3),
    ("bounds", plan_of(INCOME), "bounds_fixed", True, False),
    ("public_sample", plan_of(Release("Household survey", SAMPLED, 2)), "sample_secret", True, False),
    ("same_statistic", plan_of(Release("Active users", Laplace(10, 1)), Release("Users, active", Laplace(10, 1))),
     "same_statistic", False, True),
    ("copied_total", plan_of(Release("Users", Laplace.from_epsilon(5), **YEAR)), "epsilon_per_use", True, None),
    ("per_use", plan_of(Release("Users", Laplace.from_epsilon(2), **YEAR)), "epsilon_per_use", True, None),
    ("repetition", plan_of(Release("Daily users", Laplace(10, 1))), "uses_complete", True, False),
)  # fmt: skip


def of(key: str, plan: Plan, **answers):
    return [finding for finding in checks(plan, **answers) if finding.check == key]


def epsilons(sentence: str) -> list[float]:
    return [float(each) for each in re.findall(r"at most ε = ([\d.]*\d)", sentence)]


def test_each_mistake_is_asked_and_an_answer_settles_it():
    for key, plan, question, right, wrong in MISTAKES:
        (finding,) = of(key, plan)
        assert finding.severity == "question" and question in questions(plan), key
        assert not of(key, plan, **{question: right}), key
        assert [each.severity for each in of(key, plan, **{question: wrong})] == ["fault" if wrong is not None else
                                                                                  "question"], key  # fmt: skip


def test_a_mend_settles_what_it_mends_and_costs_what_is_said():
    for key, plan, question, _, wrong in MISTAKES:
        for answers in ({}, {question: wrong}):
            (finding,) = of(key, plan, **answers)
            if finding.mend is None:  # no number of this plan says better bounds, or how often something recurs
                assert key == "repetition" or (key, answers) == ("bounds", {"bounds_fixed": False})
                continue
            mended = finding.mend.plan
            assert not of(key, mended, **answers), key
            lost = unit_cost(mended)
            total = compose(mended, mended.budget.delta).epsilon if lost is None else lost.epsilon
            said = epsilons(finding.sentence)[-1]
            assert total <= said <= total * 1.01, key  # three digits, rounded up


def test_right_plans_are_not_asked():
    """What bounds contributions, round bounds, batches of training, different statistics, ε of one use that fits."""
    right = (
        plan_of(Release("Purchases, 3 of each", Laplace(30, 3.0))),
        plan_of(Release("Purchases", Laplace(10, 1)), unit="user-day"),
        plan_of(Release("Purchases", Laplace(10, 1)), unit="purchase"),
        plan_of(Release("People with purchases", Laplace(10, 1))),
        plan_of(Release("Visitors per hour", Laplace(10, 1), kind="histogram")),  # a bar for each hour
        plan_of(Release("Purchases", Laplace(10, 1), kind="count", answer_unit="persons")),
        plan_of(replace(INCOME, mechanism=Laplace.from_epsilon(0.1, 1e5), upper=100_000)),
        plan_of(Release("Training", SAMPLED, 100)),
        plan_of(Release("Users, north", Laplace(10, 1)), Release("Users, south", Laplace(10, 1))),
        plan_of(Release("Users", Laplace(10, 1), part="N"), Release("Users", Laplace(10, 1), part="S")),
        plan_of(Release("Users", Laplace(10, 1), **YEAR), Release("Users", Laplace(10, 1), start="2027-01-01")),
        plan_of(Release("Users", Laplace.from_epsilon(5))),
        plan_of(Release("Users", Laplace.from_epsilon(5), **YEAR), unit="user-day"),
        plan_of(Release("a", Laplace.from_epsilon(5), part="N"), Release("b", Laplace.from_epsilon(5), part="S")),
        plan_of(Release("Users", Laplace.from_epsilon(0.05), **YEAR)),
        plan_of(Release("Users", Laplace.from_epsilon(0.1), 60)),  # adds up to 6, and costs 2.8
    )
    keys = {key for key, *_ in MISTAKES}
    for plan in right:
        assert not keys & {finding.check for finding in checks(plan, parts_disjoint=True)}, plan


EXAMPLES = {
    "census-2020-redistricting": "delta_people",
    "federated-learning": "delta_people batches",
    "lecture-11": "delta_people relation",
    "mobility": "delta_people",
    "mobility-30-days": "delta_people contributions",
    "sherpa-notebook": "delta_people relation",
    "statistics-office": "sensitivity delta_people",
    "weekly-dashboard": "delta_people unit",
}


def test_the_examples_are_asked_nothing_that_they_do_right():
    folder = Path(__file__).resolve().parents[2] / "examples"
    found = {path.stem: " ".join(each.check for each in checks(Plan.read(path))) for path in folder.glob("*.json")}
    assert found == EXAMPLES


@given(st.sampled_from([Laplace(7.5, 1), Laplace.from_epsilon(0.11), Gaussian(9.0, 1), DiscreteLaplace(4.0, 1)]),
       st.integers(2, 1000))  # fmt: skip
def test_rows_of_one_unit_cost_what_of_units_says(mechanism, rows):
    plan = plan_of(Release("Visits", mechanism))
    (finding,) = of("contributions", plan, rows_per_unit=rows)
    assert finding.mend.plan.releases == plan.of_units(rows).releases


@pytest.mark.parametrize(("unit", "rows"), [("guest", (0,)), ("new hire", (0,)), ("ticket", ())])
def test_tickets_are_what_one_has_several_of_unless_one_is_the_unit(unit: str, rows: tuple[int, ...]):
    sold = Release("Tickets sold, euro", Laplace(9.0), kind="sum", lower=0, upper=40)
    assert counted_rows(Plan([sold], unit=unit)) == rows


def test_an_answer_is_heard_where_no_name_asks():
    """Who says that one unit has three rows gets that total, whatever a row is called; not of bounded ones."""
    plan = plan_of(Release("Registrations", Laplace(10, 1)), Release("Bounded", Laplace(30, 3.0)))
    assert not of("contributions", plan)
    (finding,) = of("contributions", plan, rows_per_unit=3)
    assert finding.rows == (0,) and finding.severity == "fault"


def test_several_rows_of_samples_and_without_a_total():
    fixed = Subsampled(Gaussian(2.0, 1), 0.1, "without_replacement")
    (finding,) = of("contributions", plan_of(Release("Visits", fixed), relation="replace_one"), sample_secret=True)
    assert f"at most ε = {shown_up(compose(finding.mend.plan, 1e-6).epsilon, 3)}" in finding.sentence
    everywhere = plan_of(Release("Visits", Laplace(10, 1)), budget=Guarantee(1, 1.0))
    assert "there is no finite total" in of("contributions", everywhere)[0].sentence


def test_a_training_protects_one_record_and_asks_how_many_a_unit_has():
    """Whatever is counted beside it: with two records in it, the whole run costs more than its one-record ε."""
    model = Release("Model", TrainedModel(50_000, 500, 1.1, epochs=10))
    plan = plan_of(model, Release("Searches", Laplace(10.0, 1), kind="count"))
    (finding,) = of("contributions", plan)
    assert finding.rows == (0, 1) and finding.severity == "question"
    assert of("contributions", plan, rows_per_unit=2)[0].mend is None, "its batches could not be asked for afterwards"
    (answered,) = of("contributions", plan, rows_per_unit=2, batches="poisson")
    assert answered.severity == "fault"
    both = compose(answered.mend.plan, plan.budget.delta).epsilon
    alone = [compose(plan_of(each), plan.budget.delta).epsilon for each in (model, plan.of_units(2).releases[0])]
    assert alone[0] < alone[1] < both, "the model's second record counts, too"
    assert not of("contributions", replace(plan, unit="record"))
    assert [each.rows for each in of("contributions", replace(plan, unit="user-day"))] == [(0,)]


@pytest.mark.parametrize(("name", "asked"), [
    ("Swimmers with lessons", False), ("Trainees by course", False), ("Children with a loan", False),
    ("Lessons of swimmers", True), ("Courses", True), ("Devices with a purchase", False), ("Purchases by device", True),
    ("Bus rides", True),  # a word in the singular names nobody who is counted
    ("Passengers' rides", True), ("Swimmers lessons", True), ("Users' trips", True),  # what they have is counted
])  # fmt: skip
def test_people_are_known_by_every_word_for_them(name: str, asked: bool):
    """A count of people holds each once, whatever they have several of; a count of what they have does not."""
    assert counted_rows(plan_of(Release(name, Laplace(10.0), kind="count"))) == (0,) * asked
    assert counts_units(Release("Swimmers, each quarter", Laplace(10.0), kind="count"), "swimmer-year")
    for other in ("Lessons of swimmers", "Swimmers' lessons"):
        assert not counts_units(Release(other, Laplace(10.0), kind="count"), "swimmer-year")


@pytest.mark.parametrize("answers", [Answers(batches="poisson"), Answers(batches="poisson", rows_per_unit=1)])
@pytest.mark.parametrize("rows", [None, 1])
def test_more_records_than_people_are_no_single_ones_however_that_is_stated(rows: int | None, answers: Answers):
    """Of the release or of the plan: it is a fault, and the press counts as many as there surely are."""
    model = Release("Model", TrainedModel(5000, 50, 1.1, epochs=3), rows=rows)
    plan = Plan([model], Guarantee(9.0, 1e-6), "person", "add_remove", 1000, answers=answers)
    [found] = [each for each in checks(plan) if each.check == "contributions"]
    assert (found.severity == "fault") == (rows == 1 or answers.rows_per_unit == 1)
    if found.severity == "fault":
        assert found.mend.plan.releases[0].rows is None and "has 5 of them or more" in found.sentence
        assert compose(found.mend.plan, 1e-6).epsilon > 3 * compose(plan, 1e-6).epsilon


def test_counted_rows_go_by_what_is_counted():
    rows = [
        Release("Sign-ups", Laplace(10, 1), kind="count", answer_unit="visits"),
        Release("Mean age", Laplace(0.1, 0.01)),
        Release("Sum of payments", Laplace(500, 50), kind="sum", lower=0, upper=50),
        Release("Sum of payments", Laplace(500, 500), kind="sum", lower=0, upper=50),
        Release("Trips by hour", Gaussian(5, 2**0.5), kind="histogram"),
        Release("Visits said", RandomizedResponse(0.1), kind="survey"),
    ]
    assert counted_rows(plan_of(*rows, relation="replace_one")) == (0, 2, 4)
    assert counted_rows(plan_of(*rows)) == (0, 2)


@given(st.floats(-1e6, 1e6).map(lambda value: float(f"{value:.2g}")), st.integers(1, 3))
def test_round_bounds_are_not_asked_and_a_mend_widens(value, digits):
    low, high = sorted((value, 0.0))
    assert not observed_bounds(plan_of(Release("a", Laplace(1, 1), lower=low, upper=high)))
    observed = replace(INCOME, upper=12345.678 * 10**digits, mechanism=Laplace(10.0, 12345.678 * 10**digits))
    (finding,) = of("bounds", plan_of(observed))
    mended = finding.mend.plan.releases[0]
    assert mended.lower <= observed.lower and mended.upper > observed.upper
    assert mended.mechanism.sensitivity == mended.upper and mended.mechanism.scale == observed.mechanism.scale


def test_bounds_that_somebody_chooses():
    chosen = (99.99, 65535, 65536, 2**31 - 1, 86400, 12000, 36.6, 1.5, 100_001, 0.001, 1999, -40)
    measured = (99873.41, 1234.5, 87654, -23456, 98.731, 0.012345)
    for bound in (*chosen, *measured):
        low, high = sorted((bound, 0.0))
        asked = observed_bounds(plan_of(Release("a", Laplace(1, 1), lower=low, upper=high)))
        assert bool(asked) == (bound in measured), bound


def test_samples_of_which_somebody_may_know():
    survey = Subsampled(RandomizedResponse(1.0), 0.5, "poisson")
    rows = (
        Release("Once", SAMPLED), Release("Training", SAMPLED, 1000), Release("Few, often", SAMPLED, 12),
        Release("Opinion poll", SAMPLED, 500), Release("Question", survey, 100, kind="survey"),
        Release("All", replace(SAMPLED, rate=1.0)), Release("None", replace(SAMPLED, rate=0.0)),
        Release("Not sampled", Laplace(1, 1)),
    )  # fmt: skip
    assert known_samples(plan_of(*rows)) == (0, 2, 3, 4)
    assert known_samples(plan_of(*rows, population=10**6)) == (0, 3, 4)
    (finding,) = of("public_sample", plan_of(*rows), sample_secret=False)
    assert finding.rows == (0, 1, 2, 3, 4)


def test_the_same_statistic_by_other_names():
    def asked(*releases: Release) -> tuple:
        return tuple(finding.rows for finding in of("same_statistic", plan_of(*releases)))

    users = Release("Active users", Laplace(10, 1))
    for name in ("Active users", "active user", "Users (active)", "Number of active users", "Total active users"):
        assert asked(users, replace(users, name=name)) == ((0, 1),), name
    for name in ("Active users 2", "Inactive users", "Active users per county", "Users"):
        assert not asked(users, replace(users, name=name)), name
    wages = Release("Wages", Laplace(10), kind="sum", lower=0, upper=6000, answer_unit="euros")
    assert asked(wages, replace(wages, name="Earnings")) == ((0, 1),)
    assert not asked(wages, replace(wages, name="Earnings", upper=5000))
    assert not asked(wages, replace(wages, name="Earnings", lower=None, upper=None))
    assert asked(replace(users, **YEAR), replace(users, start="2026-12-31", name="users active")) == ((0, 1),)
    assert asked(users, wages, users, wages) == ((0, 2, 1, 3),)
    (finding,) = of("same_statistic", plan_of(users, wages, users, wages))
    assert finding.mend.plan.releases == Plan([users, wages]).releases


@given(
    st.sampled_from([Laplace.from_epsilon, RandomizedResponse, lambda epsilon: ApproximateDP(epsilon, 1e-9)]),
    st.sampled_from([0.1, 0.3, 1.0, 2.5, 7.0]),
    st.integers(2, 400),
)
def test_a_divided_budget_is_never_exceeded(make, epsilon, uses):
    """All uses together state at most what one stated, in exact decimals."""
    for limit in (epsilon, epsilon * 1.0625):
        plan = plan_of(Release("Users", make(epsilon), uses), budget=Guarantee(limit, 0.0))
        for finding in (*of("copied_total", plan), *of("per_use", plan)):
            if finding.mend:
                (release,) = finding.mend.plan.releases
                share = typed(release.mechanism.stated.epsilon)
                assert 0 < share * uses <= typed(epsilon)
                assert share * uses > typed(epsilon) * typed(0.9999)  # six digits, rounded down
    assert of("copied_total", plan_of(*plan.releases, budget=Guarantee(epsilon, 1e-6)))


def test_a_budget_in_several_rows_is_a_copy():
    rows = [Release(name, Laplace.from_epsilon(0.5)) for name in ("a", "b", "c")]
    (finding,) = of("copied_total", plan_of(*rows, budget=Guarantee(0.5, 0.0)))
    assert finding.rows == (0, 1, 2) and epsilons(finding.sentence)[0] == 1.5
    assert compose(finding.mend.plan, 0.0).epsilon <= 0.5
    several = Release("Visits", Laplace.from_epsilon(0.25), 2, **YEAR)  # those of one day make the budget up
    assert of("copied_total", plan_of(several, budget=Guarantee(0.5, 0.0)))[0].rows == (0,)
    bare = [Release(name, Gaussian(1.0, 1)) for name in ("a", "b")]
    assert not of("copied_total", plan_of(*bare, budget=Guarantee(0.5, 1e-6)))


def test_without_a_limit_a_schedule_is_quoted_beside_one_use():
    plan = plan_of(Release("Users", Laplace.from_epsilon(0.5), **YEAR), budget=Guarantee(float("inf"), 0.0))
    (finding,) = of("per_use", plan)
    assert "up to 53 uses" in finding.sentence and epsilons(finding.sentence)[0] == 26.5
    assert not of("per_use", replace(plan, unit="user-day"))


def test_no_number_of_one_unit_is_below_another_of_its_periods():
    """Two schedules whose dearest month differs: what a row costs alone is that of its own dearest month."""
    first = Release("a", Laplace.from_epsilon(0.5), start="2026-01-01", cadence="daily", end="2026-01-10")
    second = Release("b", Laplace.from_epsilon(1), start="2026-06-01", cadence="daily", end="2026-06-10")
    plan = plan_of(first, second, unit="user-month", budget=Guarantee(1, 0.0))
    assert not unit_cost(plan).dominant
    (copied,), (each,) = of("copied_total", plan), of("per_use", plan)
    assert copied.rows == (1,) and epsilons(copied.sentence)[0] == 10.0
    assert each.rows == (0,) and epsilons(each.sentence)[0] == 5.0


def test_a_unit_shorter_than_the_schedule_says_both_numbers():
    plan = plan_of(Release("Users", Laplace.from_epsilon(0.1), **YEAR), unit="user-day", budget=Guarantee(1, 0.0))
    (finding,) = of("shorter_unit", plan)
    assert epsilons(finding.sentence) == [0.1, 5.3] and finding.severity == "note"
    assert finding.mend.plan.unit == "user" and not of("shorter_unit", finding.mend.plan)
    assert not of("shorter_unit", replace(plan, unit="person-year"))


def test_former_findings_have_a_mend_too():
    """The press leads to a plan of which the check has nothing more to say."""
    shared = plan_of(Release("a", Laplace(1, 1), part="N"), Release("b", Laplace(1, 1), part="S"))
    cases = (
        ("relation", plan_of(Release("Users", Laplace(10, 1)), relation=None), {}),
        ("delta_people", plan_of(Release("Users", Laplace(10, 1)), population=10**6), {}),
        ("batches", plan_of(Release("Training", SAMPLED, 100)), {"batches": "shuffled"}),
        ("whole_numbers", plan_of(Release("Users", Laplace(10, 1), kind="count")), {"whole_numbers": True}),
        ("parts", shared, {"parts_disjoint": False}),
        ("adaptivity", plan_of(Release("Users", Laplace(10, 1), done=True)), {}),
    )
    for key, plan, answers in cases:
        (finding,) = of(key, plan, **answers)
        left = of(key, finding.mend.plan, **answers)
        assert not [each for each in left if each.severity != "note"], key


@pytest.mark.parametrize("answers", [{"rows_per_unit": 0}, {"rows_per_unit": 1.5}, {"bounds_fixed": "yes"}])
def test_bad_answers_are_refused(answers):
    with pytest.raises(ValueError, match=f"{next(iter(answers))} must be"):
        checks(plan_of(), **answers)


@given(
    st.sampled_from(["user-day", "user-week", "2-week person", "user-month", "household-quarter", "person"]),
    st.sampled_from(["daily", "weekly", "monthly"]),
    st.dates(date(2024, 1, 1), date(2026, 12, 31)),
    st.integers(0, 500),
)
def test_uses_that_one_unit_meets(unit, cadence, start, days):
    """Of one release alone the dearest period is the one with most uses."""
    end = date.fromordinal(start.toordinal() + days)
    release = Release("Users", Laplace(10, 1), 2, start=start, cadence=cadence, end=end)
    cost = unit_cost(plan_of(release, unit=unit))
    assert most_uses(release, unit) == (cost.plan if cost else plan_of(release)).releases[0].uses

NAMES = st.sampled_from(["Visits", "visit count", "Daily visits", "Survey", "Mean income", "Income, mean"])
SCHEDULES = st.sampled_from([{}, YEAR, {**YEAR, "cadence": "daily", "start": "2026-12-01"}, {"start": "2026-06-01"}])
MEANINGS = st.sampled_from([
    {}, {"kind": "count", "answer_unit": "visits"}, {"kind": "sum", "lower": 0, "upper": 87.6543},
    {"kind": "histogram"},
    {"kind": "mean", "lower": -12345.6, "upper": 2}, {"kind": "survey"}, {"lower": 5, "upper": 5},
])  # fmt: skip
READ = (PURE | GAUSSIAN).map(lambda base: Subsampled(base, 0.05, "poisson"))
ANSWERS = st.fixed_dictionaries({}, optional={
    "rows_per_unit": st.sampled_from([1, 2, 1000]), "batches": st.sampled_from(["poisson", "fixed"]),
    **dict.fromkeys(YES_OR_NO, st.booleans()),
})  # fmt: skip


@examples(15)
@given(
    st.lists(st.tuples(NAMES, MECHANISMS | READ, st.integers(0, 3), SCHEDULES, MEANINGS), max_size=3),
    st.tuples(st.sampled_from([0.0, 0.1, 1.0, float("inf")]), st.sampled_from([0.0, 1e-6, 1.0])),
    st.sampled_from(["person", "user-day", "record", "2-week person"]),
    st.sampled_from([None, 1, 150, 10**13]),
    ANSWERS,
)
def test_any_plan_is_answered_and_any_mend_can_be_taken(rows, budget, unit, people, answers):
    """No plan and no answer breaks a check, and a mend keeps whom the plan protects, or protects them for longer."""
    releases = [Release(name, each, n, **when, **what) for name, each, n, when, what in rows]
    plan = Plan(releases, Guarantee(*budget), unit, population=people)
    for finding in checks(plan, **answers):
        assert finding.sentence.endswith(".") and "nan" not in finding.sentence, finding
        if finding.mend:
            mended = finding.mend.plan
            assert mended != plan and mended.neighbours == plan.neighbours
            assert finding.check == "shorter_unit" or mended.unit == plan.unit
            assert mended.budget.epsilon == plan.budget.epsilon and mended.budget.delta <= plan.budget.delta
    assert set(questions(plan)) <= set(ANSWERED)
    told = replace(plan, answers=Answers(**answers))
    counted, pressed = as_answered(told)
    assert bool(pressed) == (counted != told) and counted.neighbours == plan.neighbours
    assert as_answered(counted) == (counted, ()), "nothing that was answered waits for a press"
    left = {finding.check for finding in faults(counted)} - {"bounds", "repetition", "contributions", "sensitivity"}
    assert not left or any(finding.mend is None for finding in faults(told)), "what no press mends is told"


TRAINED = TrainedModel(noise_multiplier=1.1, batch_size=3_000, records=300_000, epochs=20)


@pytest.mark.parametrize(("release", "answers"), [
    (Release("Route model", TRAINED), Answers(batches="shuffled")),
    (Release("Route model", TRAINED), Answers(batches="fixed")),
    (Release("Household survey", SAMPLED, 2), Answers(sample_secret=False)),
    (Release("Ages", Laplace(10, 1), part="a"), Answers(parts_disjoint=False)),
    (Release("Visits", Laplace(10), kind="count"), Answers(rows_per_unit=4)),
    (Release("Visits", Laplace(10, 1), kind="count"), Answers(whole_numbers=True)),
], ids=str)  # fmt: skip
def test_an_answer_that_makes_another_plan_is_counted(release: Release, answers: Answers):
    """The total is that of what is really done, which costs more; nothing is left that the answer contradicts."""
    plan = replace(plan_of(release, replace(release, name="Other", part=release.part and "b")), answers=answers)
    counted, pressed = as_answered(plan)
    assert pressed and not faults(counted) and as_answered(counted)[1] == ()
    assert compose(counted, 1e-6).epsilon > compose(plan, 1e-6).epsilon


TWICE = (Release("Visits", Laplace(1, 1), kind="count"), Release("Number of visits", Laplace(1, 1), kind="count"))


@pytest.mark.parametrize(("releases", "answers"), [
    ((Release("Users", Laplace.from_epsilon(2), **YEAR),), Answers(epsilon_per_use=False)),
    (TWICE, Answers(same_statistic=True)),
    ((replace(TWICE[0], part="a"), replace(TWICE[0], part="b")), Answers(same_statistic=True, parts_disjoint=False)),
    ((Release("Route model", TRAINED), TWICE[0]), Answers(rows_per_unit=2)),
    ((Release("Visits, asked", SAMPLED, 2),), Answers(rows_per_unit=2)),
    ((Release("Model", replace(TRAINED, noise_multiplier=5)), TWICE[0]), Answers(rows_per_unit=2, batches="poisson")),
], ids=str)  # fmt: skip
def test_an_answer_never_lowers_a_total_by_itself(releases: tuple[Release, ...], answers: Answers):
    """Nothing goes or costs less, and no question is lost, unless somebody presses that it does."""
    plan = replace(plan_of(*releases, population=100_000), answers=answers)
    counted, _ = as_answered(plan)
    assert len(counted.releases) == len(releases) and {*questions(counted)} >= {*questions(plan)} - {"parts_disjoint"}
    assert compose(counted, 1e-6).epsilon >= compose(plan, 1e-6).epsilon
    assert [finding.check for finding in faults(counted)] or answers.epsilon_per_use is False


def test_what_is_counted_once_is_the_dearest_and_never_what_is_done():
    """Of the same noise the one that is published most and longest; of other noise, or other days, each."""
    first, other = TWICE
    daily = {"cadence": "daily", "start": date(2026, 1, 1), "end": date(2026, 12, 31)}
    for rows, kept in (
        ((first, replace(other, count=52)), [1]),
        ((first, replace(other, done=True)), [1]),
        ((replace(first, done=True), replace(other, done=True)), None),
        ((first, replace(other, mechanism=Laplace(100, 1))), None),
        ((replace(first, **daily), replace(other, **daily | {"end": date(2026, 1, 31)})), [0]),
        ((replace(first, **daily), replace(other, count=9, start=date(2026, 3, 1))), None),  # nine on one day
        ((replace(first, **daily | {"end": date(2026, 1, 31)}), replace(other, **daily | {"start": date(2026, 1, 31)})),
         None),
    ):
        (finding,) = of("same_statistic", plan_of(*rows))
        left = finding.mend and [*finding.mend.plan.releases]
        assert left == (kept and [rows[row] for row in kept]), rows


def test_what_is_published_is_never_divided():
    users = Release("Users", Laplace.from_epsilon(5), 12, done=True)
    assert all(finding.mend is None for key in ("copied_total", "per_use") for finding in of(key, plan_of(users)))
    assert of("copied_total", plan_of(users))


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
@pytest.mark.parametrize("release", [
    Release("Purchases", Laplace(10), kind="count"),
    Release("Purchases by shop", Gaussian(10.0), kind="histogram"),
    Release("Euros of purchases", DiscreteLaplace(10), kind="sum", lower=-3, upper=5),
], ids=lambda each: each.kind)  # fmt: skip
def test_rows_that_are_counted_are_stated_where_a_sensitivity_follows_from_them(release: Release, relation: str):
    """It is what so many rows need: as much as their noise for one row taken so often."""
    plan = plan_of(release, relation=relation)
    (finding,) = of("contributions", plan, rows_per_unit=4)
    [counted] = finding.mend.plan.releases
    assert counted.rows == 4 and not of("contributions", finding.mend.plan)
    [known], [one] = finding.mend.plan.sensitivities, plan.sensitivities
    assert known.origin == "derived" and known.value == pytest.approx(4 * one.value, rel=1e-15)  # rounded up once


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
@pytest.mark.parametrize("mechanism", [
    Laplace.from_epsilon(0.1), Laplace(10), Gaussian.from_guarantee(0.5, 1e-6), Gaussian(9.0), DiscreteLaplace(4),
    Thresholding(Laplace(10), 140), Thresholding(Gaussian(10.0), 60),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("kind", ["count", "histogram"])
def test_rows_that_are_stated_cost_what_several_do(mechanism, kind: str, relation: str):
    """Never less than the same noise for one row taken so often, nor an error halfway, however many are answered."""
    plan = plan_of(Release("Visits", mechanism, kind=kind), relation=relation if mechanism.relation is None else None)
    for copies in (2, 4, 500):
        for finding in of("contributions", plan, rows_per_unit=copies):
            assert finding.sentence and (finding.mend is None or not finding.mend.plan.faults)
            least = compose(plan.of_units(copies), plan.budget.delta).epsilon
            if finding.mend is not None:
                assert compose(finding.mend.plan, plan.budget.delta).epsilon >= least * (1 - 1e-12)  # of float products


def test_a_large_delta_that_is_accepted_is_noted_and_asked_no_more():
    """The rule of thumb goes by nothing that the total counts, so that whoever plans may accept another δ."""
    plan = plan_of(Release("Users", Laplace(10, 1), kind="count"), population=95_000)
    [asked] = of("delta_people", plan)
    [refused] = of("delta_people", plan, delta_accepted=False)
    [accepted] = of("delta_people", plan, delta_accepted=True)
    assert "delta_accepted" in questions(plan) and asked.severity == refused.severity == "question"
    assert accepted.severity == "note" and accepted.sentence == f"As was answered, it is accepted. {asked.sentence}"
    assert accepted.mend == asked.mend
    small = plan.with_(budget=Guarantee(4, 1e-8))
    assert "delta_accepted" not in questions(small)
    assert [each.severity for each in of("delta_people", small, delta_accepted=True)] == ["note"]
