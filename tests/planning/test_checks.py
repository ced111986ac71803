"""Checks: each known mistake is found on a plan that makes it, and nothing is found on one that does not."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
    compose,
)
from dpviz.decimals import rounded_up, typed
from dpviz.plan import RELATIONS
from dpviz.plan.periods import lasting, recurrence
from dpviz.plan.sensitivity import sensitivity
from dpviz.planning.advice import CHECKS, check_named, checks, open_questions, questions
from dpviz.planning.advice import mend as mends
from dpviz.planning.advice.promise import why_delta
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.plan.time.advice import page_of
from tests.strategies import MECHANISMS

DAILY = {"start": date(2026, 4, 1), "cadence": "daily", "end": date(2026, 4, 30)}
SGD = Subsampled(Gaussian(1.0, 1), 0.01, "poisson")
CLEAN = Plan(
    [
        Release("Visitors per county", Laplace(10, 1), 3),
        Release("Ratio", Gaussian.from_guarantee(0.5, 1e-8, 1.0, "classical")),
        Release("Active users", Laplace.from_epsilon(0.1, 1), **DAILY),
    ],
    Guarantee(5, 1e-6),
    unit="user-month",
    relation="add_remove",
    population=1000,
    adaptive=False,
)


def found(plan: Plan, **answers) -> dict[str, list]:
    """Findings by check."""
    result: dict[str, list] = {}
    for finding in checks(plan, **answers):
        result.setdefault(finding.check, []).append(finding)
    return result


def with_releases(*releases: Release, **options) -> Plan:
    return replace(CLEAN, releases=releases, **options)


def test_a_clean_plan_has_no_findings():
    assert checks(CLEAN) == ()
    assert checks(Plan([])) == ()
    assert checks(CLEAN, batches="shuffled", parts_disjoint=False) == ()


def test_a_fault_is_what_makes_the_total_wrong():
    """What is said to be otherwise is a fault, what nobody said is a question, and what cannot lower a total a note."""
    parts = with_releases(Release("a", Laplace(1, 1), part="N"), Release("b", Laplace(1, 1), part="S"))
    fixed = Release("SGD", replace(SGD, scheme="without_replacement"), 100)
    drawn, done = with_releases(Release("SGD", SGD, 100)), with_releases(Release("a", Laplace(1, 1), done=True))
    replaced = [Release("a", Laplace(1, 1), kind=kind) for kind in ("histogram", "other")]
    cases = [
        (checks(drawn), ["question"]),
        (checks(drawn, batches="shuffled"), ["fault"]),
        (checks(with_releases(fixed, relation=None), batches="poisson"), ["question", "fault"]),
        (checks(parts), ["question"]),
        (checks(parts, parts_disjoint=False), ["fault"]),
        (checks(done), ["note"]),
        (checks(replace(done, adaptive=None)), ["question"]),
        (checks(replace(CLEAN, unit=None)), ["question"]),
        (checks(replace(CLEAN, unit="person")), ["note"]),
        (checks(replace(CLEAN, unit="row", relation=None, population=None)), ["question"] * 3 + ["note"]),
        *((checks(with_releases(each, relation="replace_one")), [severity])
          for each, severity in zip(replaced, ("fault", "question"), strict=True)),
    ]  # fmt: skip
    for found_there, expected in cases:
        assert [finding.severity for finding in found_there] == expected, found_there
    with pytest.raises(ValueError, match="severity must be one of fault, question, note; got 'error'"):
        replace(checks(done)[0], severity="error")


def test_the_registry_is_complete():
    """Keys are unique, and every field is filled."""
    assert len({check.key for check in CHECKS}) == len(CHECKS) == 17
    for check in CHECKS:
        assert all((check.label, check.statement, check.assumes, check.source))
        assert check_named(check.key) is check
    with pytest.raises(ValueError, match="check must be one of sensitivity, "):
        check_named("other")


@given(
    st.lists(st.tuples(MECHANISMS, st.integers(0, 3), st.sampled_from([None, "N", "S"])), max_size=4),
    st.sampled_from([0.0, 1e-9, 0.1]),
    st.sampled_from([None, "poisson", "shuffled", "fixed"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, 1, 10**12]),
)
def test_findings_belong_to_checks_and_name_releases_that_exist(rows, delta, batches, disjoint, population):
    """Any plan gets an answer: keys of checks, in their order, rows of the plan, a sentence, and a source or a page."""
    releases = [Release(f"weekly {n}", mechanism, count, part) for n, (mechanism, count, part) in enumerate(rows)]
    plan = Plan(releases, Guarantee(4, delta), unit="row", population=population)
    findings = checks(plan, batches=batches, parts_disjoint=disjoint)
    keys = [check.key for check in CHECKS]
    places = [keys.index(finding.check) for finding in findings]
    assert places == sorted(places)
    for finding in findings:
        assert finding.sentence.endswith(".")
        assert page_of(finding) or finding.see.startswith("https://") or finding.check == "sensitivity"
        assert all(releases[row].uses for row in finding.rows)
        assert "nan" not in finding.sentence and "inf" not in finding.sentence.replace("information", "")


@given(st.sampled_from([1e-30, 1e-9, 1e-6, 2.5e-5, 0.02]), st.integers(1, 10**13))
def test_delta_times_people_is_found_above_a_hundredth(delta, population):
    """δ·n is compared as exact decimals and printed rounded up."""
    plan = replace(CLEAN, budget=Guarantee(5, delta), population=population)
    findings = found(plan).get("delta_people", [])
    product = Fraction(str(delta)) * population
    assert bool(findings) == (product > Fraction(1, 100) or product * population > 1)
    assert all(typed(each.mend.plan.budget.delta) * population <= Fraction(1, 100) for each in findings if each.mend)
    for lower in (typed(each.mend.plan.budget.delta) for each in findings if each.mend):
        rule = Fraction(1, 100 * population if product > Fraction(1, 100) else population**2)
        assert f"{float(lower):e}"[:8] in ("1.000000", "2.000000", "5.000000"), "one in a round number"
        assert lower <= rule <= Fraction(5, 2) * lower
    if product > Fraction(1, 100):
        printed = findings[0].sentence.split("δ·n = ")[1].split(" whole")[0]
        assert printed == shown_up(rounded_up(product)) and typed(rounded_up(product)) >= product


def test_delta_times_people_at_its_limit():
    """Exactly 1/n² passes, at 0.01/n it is said; unknown, the number of people cannot be checked, unless δ is 0."""
    assert "delta_people" not in found(CLEAN)
    for people in (1001, 10_000):
        (finding,) = found(replace(CLEAN, population=people))["delta_people"]
        assert finding.severity == "note" and "stricter one that NIST names, 1/n²" in finding.sentence
        assert "delta_people" not in found(finding.mend.plan)
    (finding,) = found(replace(CLEAN, population=10_001))["delta_people"]
    assert finding.sentence.startswith("With 10,001 people, this δ allows that δ·n = 0.01001 whole records")
    assert "Whatever happens" not in finding.sentence
    (finding,) = found(replace(CLEAN, population=None))["delta_people"]
    assert "cannot be checked" in finding.sentence and "at most 10,000 people" in finding.sentence
    (finding,) = found(replace(CLEAN, population=None, budget=Guarantee(5, 0.02)))["delta_people"]
    assert "exceeds 0.01 for any n" in finding.sentence
    laplace = with_releases(Release("a", Laplace(1, 1), 3), population=10_001)
    (finding,) = found(laplace)["delta_people"]
    assert finding.sentence.endswith(" Whatever happens, at δ = 0, the total is at most ε = 3.")
    pure = with_releases(Release("a", Laplace(1, 1)), budget=Guarantee(5, 0.0), population=None)
    assert checks(pure) == ()


LARGER = 10_001, 40_000, 990_000, 990_001, 10**12


def test_people_are_told_what_a_large_delta_can_do_here():
    """What these releases lose at most, where that is bounded; else what its promise would allow."""
    asked = {
        name: next(each for each in open_questions(plan, checks(plan)) if each.check == "delta_people").sentence
        for name, plan in {
            "pure": with_releases(Release("a", Laplace(1, 1), 3), population=10_001),
            "not": replace(CLEAN, population=10_001, unit="household"),
        }.items()
    }
    assert asked["pure"].startswith("A chance of failure of 1 in 1,000,000 is a large one among 10,001 people.")
    assert "If it does not happen, the total is at most ε = " in asked["pure"]
    assert "; if it does, the total is at most ε = 3. Is that too much?" in asked["pure"]
    assert "among 10,001 households: the promise would allow that one of them is published" in asked["not"]
    assert [why_delta(replace(CLEAN, population=people)).rpartition(" whole, ")[2] for people in LARGER] == [
        "with a chance of 1.1 in 100.", "with a chance of 4 in 100.", "with a chance of 99 in 100.", "for certain.",
        "for certain.",
    ], "of a mechanism that publishes one alone, each with the chance δ = 10⁻⁶: nδ, rounded up"  # fmt: skip
    assert why_delta(replace(CLEAN, budget=Guarantee(5, 1.0))).endswith(" whole, for certain.")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (with_releases(Release("g", Gaussian.from_guarantee(1.5, 1e-8, calibration="lecture11"))), "proved for ε in"),
        (
            with_releases(
                Release("s", Subsampled(Gaussian.from_guarantee(2.0, 1e-8, calibration="lecture11"), 0.1, "poisson"))
            ),
            "proved for ε in",
        ),
        (with_releases(Release("g", Gaussian(3.0, 1)), budget=Guarantee(5, 0.0)), "no finite ε at δ = 0"),
        (with_releases(Release("b", ApproximateDP(0.1, 1e-6), 2)), "add up to 2 × 10⁻⁶, more than δ = 10⁻⁶"),
        (with_releases(Release("b", NameAndShame(1e-6)), Release("c", Laplace(1, 1))), "use up δ = 10⁻⁶"),
        (with_releases(Release("g", Gaussian(3.0, 1)), adaptive=True), "every release to be given by an (ε, δ)"),
        (with_releases(Release("s", SGD), population=99), "takes less than one of 99 people"),
    ],
)
def test_what_leaves_a_proven_range_is_found(plan: Plan, words: str):
    (finding,) = found(plan, batches="poisson")["range"]
    assert words in finding.sentence and finding.rows[0] == 0


@pytest.mark.parametrize(
    "plan",
    [
        with_releases(Release("g", Gaussian.from_guarantee(0.9, 1e-8, calibration="lecture11"))),
        with_releases(Release("g", Gaussian.from_guarantee(3.0, 1e-8))),
        with_releases(Release("b", ApproximateDP(0.1, 5e-7), 1)),
        with_releases(Release("b", ApproximateDP(0.1, 5e-7), 1, "N"), Release("b", ApproximateDP(0.1, 5e-7), 1, "S")),
        with_releases(Release("g", Gaussian.from_guarantee(0.9, 1e-8)), adaptive=True),
        with_releases(Release("s", SGD), population=100),
        with_releases(Release("g", Gaussian(3.0, 1), 0), budget=Guarantee(5, 0.0)),
    ],
)
def test_what_stays_within_is_not_found(plan: Plan):
    assert "range" not in found(plan)


def test_relation_not_stated():
    """The relation in force is named with the reason."""
    (finding,) = found(replace(CLEAN, relation=None))["relation"]
    assert "adding or removing one" in finding.sentence and "nothing in the plan demands another" in finding.sentence
    sampled = Subsampled(Laplace(1, 1), 0.1, "without_replacement")
    (finding,) = found(with_releases(Release("a", Laplace(1, 2)), Release("x", sampled), relation=None))["relation"]
    assert "replacing one" in finding.sentence and "“x” demands it" in finding.sentence and finding.rows == (1,)


def test_a_sensitivity_of_one_where_units_are_replaced():
    """Nearly every count has it for units added or removed; what was typed for replacing is not asked again."""
    rows = (
        Release("visits", Laplace(10, 1), 3),
        Release("mean", Gaussian(2.0, 0.5)),
        Release("sampled", Subsampled(Gaussian(1.0, 1), 0.1, "poisson")),
        Release("unused", Laplace(1, 1), 0),
        Release("answer", RandomizedResponse(0.1)),
    )
    (finding,) = found(with_releases(*rows[:2], *rows[3:], relation="replace_one"))["relation"]
    assert "“visits” has sensitivity 1 where one " in finding.sentence and finding.rows == (0,)
    assert "sensitivities must be for replacing" in finding.sentence and "twice as large" in finding.sentence
    assert "relation" not in found(with_releases(*rows[:-1], relation="add_remove"))
    doubled = (Release("visits", Laplace(20, 2), 3), *rows[3:])
    assert "relation" not in found(with_releases(*doubled, relation="replace_one"))
    counted = (replace(rows[0], kind="count"), *rows[3:])
    assert "relation" not in found(with_releases(*counted, relation="replace_one"))
    fixed = Release("fixed", Subsampled(Laplace(1, 1), 0.1, "without_replacement"))
    assert "relation" not in found(with_releases(fixed, relation="replace_one"))
    open_one, doubtful = found(with_releases(fixed, rows[0], relation=None))["relation"]
    assert "is not stated" in open_one.sentence and doubtful.rows == (1,)


@pytest.mark.parametrize("mechanism", [RandomizedResponse(0.1), KaryRandomizedResponse(0.1, 5)])
def test_randomized_answers_hide_what_was_answered_and_not_who_answered(mechanism):
    """Their ε is one of a changed answer, so it is noted where one is added or removed, however that was stated."""
    rows = (Release("visits", Laplace(10, 1)), Release("answer", mechanism), Release("unused", mechanism, 0))
    (finding,) = found(with_releases(*rows, relation="add_remove"))["relation"]
    assert finding.severity == "note" and finding.rows == (1,) and "whether one user-month answered" in finding.sentence
    stated, noted = found(with_releases(*rows, relation=None))["relation"]
    assert "is not stated" in stated.sentence and noted == finding
    replaced = found(with_releases(*rows[1:], relation="replace_one"))
    assert "relation" not in replaced


@pytest.mark.parametrize(
    "unit", ["unit", "Record", "one row", "data point", "data points", "entries", "single example"]
)
def test_vague_units_are_found(unit: str):
    assert "does not say who is protected" in found(replace(CLEAN, unit=unit))["unit"][0].sentence


@pytest.mark.parametrize("unit", ["person-month", "user and day", "household per week", "patient-year"])
def test_telling_units_are_not(unit: str):
    assert "unit" not in found(replace(CLEAN, unit=unit))


def test_a_unit_without_period_where_releases_recur():
    (finding,) = found(replace(CLEAN, unit="person"))["unit"]
    assert "names no period" in finding.sentence and finding.rows == (2,)
    assert "unit" not in found(with_releases(Release("a", Laplace(1, 1)), unit="person"))


def test_batches_that_are_not_poisson():
    """Nobody said: it asks; shuffled or fixed: the number does not hold, and what holds without sampling is said."""
    plan = with_releases(Release("SGD", SGD, 100), Release("a", Laplace(1, 1)))
    assert "until it is said how the program draws them" in found(plan)["batches"][0].sentence
    assert "batches" not in found(plan, batches="poisson")
    for batches, moved in (("shuffled", 2), ("fixed", 1)):  # two records where one moves up
        unsampled = with_releases(Release("SGD", Gaussian(1.0, moved), 100), Release("a", Laplace(1, 1)))
        total = compose(unsampled, 1e-6).epsilon
        (finding,) = found(plan, batches=batches)["batches"]
        assert "does not hold" in finding.sentence and finding.rows == (0,)
        assert float(finding.sentence.rsplit("= ", 1)[1].rstrip(".")) == pytest.approx(total, rel=0.01)
    assert "batches" not in found(with_releases(Release("all", replace(SGD, rate=1.0))), batches="fixed")
    once = with_releases(Release("SGD", Subsampled(Gaussian(1.0, 1), 0.2, "poisson")))
    (finding,) = found(once, batches="shuffled")["batches"]
    assert compose(finding.mend.plan, 1e-5).epsilon >= Gaussian(1.0, 2).epsilon(1e-5 / 0.2), "one batch of five, moved"
    sampled = Subsampled(Laplace(1, 1), 0.1, "without_replacement")
    fixed_size = with_releases(Release("s", sampled), relation="replace_one")
    assert "batches" not in found(fixed_size) and "batches" in found(fixed_size, batches="shuffled")


@pytest.mark.parametrize(("batches", "scheme"), [("shuffled", "shuffled"), ("fixed", "fixed_order")])
def test_the_batches_of_a_trained_model_are_asked_for_as_those_of_samples(batches: str, scheme: str):
    """It is priced on Poisson batches where nobody said otherwise; what others cost is told, and can be taken."""
    model = TrainedModel(60_000, 256, 1.1, epochs=15)
    plan = with_releases(Release("model", model), Release("a", Laplace(1, 1)))
    assert "until it is said how the program draws them" in found(plan)["batches"][0].sentence
    assert "batches" in questions(plan)
    assert "batches" not in found(plan, batches="poisson")
    (finding,) = found(plan, batches=batches)["batches"]
    assert finding.severity == "fault" and finding.rows == (0,)
    once = replace(model, scheme=scheme)
    total = compose(with_releases(Release("model", once), Release("a", Laplace(1, 1))), 1e-6).epsilon
    assert total > compose(plan, 1e-6).epsilon and finding.mend.plan.releases[0].mechanism == once
    assert float(finding.sentence.rsplit("= ", 1)[1].rstrip(".")) >= total * (1 - 1e-12)
    for stated in ("shuffled", "allocation", "fixed_order", "poisson"):
        size = 60_000 if stated == "poisson" else 256  # the whole data in each batch, whoever draws it
        other = with_releases(Release("model", replace(model, scheme=stated, batch_size=size)))
        assert "batches" not in found(other) and "batches" not in found(other, batches=batches)


def test_the_unsampled_total_is_not_below_the_truth():
    """Three digits, rounded up."""
    plan = with_releases(Release("SGD", SGD, 100))
    (finding,) = found(plan, batches="fixed")["batches"]
    printed = float(finding.sentence.rsplit("= ", 1)[1].rstrip("."))
    assert printed >= compose([Gaussian(1.0, 1)] * 100, 1e-6).epsilon


@pytest.mark.parametrize(
    ("name", "unit", "count", "expected"),
    [
        ("Daily visits", "person", 1, True),
        ("Visits per day", "user-month", 1, True),
        ("Visits, every 2 weeks", "user-month", 1, True),
        ("Visits, every 2 weeks", "user-month", 2, False),
        ("Daily visits", "user-month", 12, True),
        ("Daily visits", "user-month", 30, False),
        ("Daily visits", "user-day", 1, False),
        ("Monthly visits", "user-day", 1, False),
        ("Daily visits", "person", 2, True),
        ("Visits, every region", "user-month", 120, False),
        ("Visits", "user-day", 4, False),
        ("Visitors per county", "person", 1, False),
        ("Everyday life", "person", 1, False),
        ("A weekday", "person", 1, False),
    ],
)
def test_released_again_but_counted_once(name: str, unit: str, count: int, expected: bool):
    plan = with_releases(Release(name, Laplace(1, 1), count), unit=unit)
    assert ("repetition" in found(plan)) == expected


def test_several_uses_without_a_period_leave_open_how_many_days_they_cover():
    """Twelve uses of something daily may be all there are, or not: it asks, and claims nothing."""
    (finding,) = found(with_releases(Release("Daily visits", Laplace(1, 1), 12), unit="person"))["repetition"]
    assert "how many days are covered is not stated: it is counted 12 times" in finding.sentence


@pytest.mark.parametrize(
    ("name", "cadence", "count", "unit", "expected"),
    [
        ("Daily visits", "monthly", 1, "person-year", True),
        ("Daily visits", "weekly", 1, "person", True),
        ("Weekly visits", "monthly", 1, "person", True),
        ("Daily visits", "weekly", 7, "person", False),
        ("Visits, every 2 weeks", "weekly", 1, "person", False),
        ("Visits per week", "monthly", 4, "person-year", False),
        ("Monthly visits", "monthly", 1, "person", False),
        ("Daily visits", "monthly", 1, "user-day", False),
    ],
)
def test_a_cadence_slower_than_the_name(name: str, cadence: str, count: int, unit: str, expected: bool):
    year = {"start": date(2026, 1, 1), "cadence": cadence, "end": date(2026, 12, 31)}
    findings = found(with_releases(Release(name, Laplace(10, 1), count, **year), unit=unit)).get("repetition", [])
    assert [finding.rows for finding in findings] == ([(0,)] if expected else [])
    assert all("every" in finding.sentence for finding in findings)


def test_poisson_batches_contradict_samples_of_a_fixed_size():
    """The author's answer is not what the accounting takes, and the bound without sampling is said."""
    sampled = Subsampled(Gaussian(1.0, 1), 0.01, "without_replacement")
    plan = with_releases(Release("SGD", sampled, 100), relation="replace_one")
    (finding,) = found(plan, batches="poisson")["batches"]
    assert finding.rows == (0,) and "without replacement" in finding.sentence
    assert float(finding.sentence.rsplit("= ", 1)[1].rstrip(".")) >= compose([Gaussian(1.0, 1)] * 100, 1e-6).epsilon
    assert "batches" not in found(with_releases(Release("SGD", SGD, 100)), batches="poisson")


def test_a_budget_with_delta_1_has_findings_too():
    plan = with_releases(Release("SGD", SGD, 100), Release("a", Laplace(1, 1), 1, "N"), budget=Guarantee(1, 1.0))
    assert "there is no finite total" in found(plan, batches="fixed")["batches"][0].sentence
    assert "delta_people" in found(plan, parts_disjoint=False)


def test_a_cadence_answers_the_name():
    assert "repetition" not in found(with_releases(Release("Daily visits", Laplace(1, 1), **DAILY)))


def test_the_same_release_in_several_parts():
    north, south = Release("Count", Laplace(1, 1), 1, "N"), Release("count", Laplace(1, 1), 1, "S")
    (finding,) = found(with_releases(north, south))["repetition"]
    assert finding.rows == (0, 1) and "stands in 2 parts" in finding.sentence
    assert "repetition" not in found(with_releases(north, south), parts_disjoint=True)
    assert "repetition" not in found(with_releases(north, replace(south, mechanism=Laplace(2, 1))))


def test_parts_that_share_people():
    """Asks where nobody said; says what the same people in all parts would cost."""
    plan = with_releases(Release("a", Laplace(1, 1), 1, "N"), Release("b", Laplace(0.5, 1), 1, "S"))
    assert "parts" not in found(plan, parts_disjoint=True)
    assert "Say which" in found(plan)["parts"][0].sentence
    (finding,) = found(plan, parts_disjoint=False)["parts"]
    assert "people are in several" in finding.sentence and finding.rows == (0, 1)
    assert float(finding.sentence.rsplit("= ", 1)[1].rstrip(".")) == pytest.approx(3.0, rel=0.01)
    assert "parts" not in found(with_releases(Release("a", Laplace(1, 1), 1, "N"), Release("b", Laplace(2, 1))))


def test_done_but_fixed_in_advance():
    """What holds for a plan of which something is out is said, until it is marked as choosing along the way."""
    monthly = {"start": "2026-01-01", "cadence": "monthly", "end": "2026-12-31"}
    releases = (Release("out", Laplace(1, 1), done=True), Release("next", Laplace(1, 1)))
    (finding,) = found(with_releases(*releases))["adaptivity"]
    assert finding.rows == (0,) and "is published already, and the plan is read as fixed" in finding.sentence
    assert "adaptivity" not in found(with_releases(*releases, adaptive=True))
    (finding,) = found(with_releases(Release("begun", Laplace(1, 1), done="2026-03-31", **monthly)))["adaptivity"]
    assert "wholly or in part" in finding.sentence
    assert "adaptivity" not in found(with_releases(Release("ahead", Laplace(1, 1), done="2025-03-31", **monthly)))


def test_quarters_and_years_are_counted_by_their_cadence():
    """A quarterly release is counted every quarter, a yearly one every year; what its name says more often is found."""
    dates = {"start": "2026-01-01", "end": "2028-12-31"}
    for name, cadence, wrong in (
        ("Quarterly turnover", "quarterly", False), ("Yearly census", "yearly", False), ("Annual", "yearly", False),
        ("Monthly turnover", "quarterly", True), ("Quarterly turnover", "yearly", True), ("Per year", "monthly", False),
    ):  # fmt: skip
        plan = with_releases(Release(name, Laplace(1, 1), cadence=cadence, **dates), unit="person")
        assert ("repetition" in found(plan)) == wrong, name


def test_counts_published_as_whole_numbers():
    """Asked for, and only of counts with noise on real numbers; the total it names is that of the same noise."""
    rows = [
        Release("Visits", Gaussian(2.0, 1), 3, kind="count"),
        Release("Ages", Laplace(4.0, 2.0), kind="histogram"),
        Release("Median", Gaussian(2.0, 1), kind="other"),
        Release("Persons", DiscreteGaussian(2.0, 1), kind="count"),
        Release("Sample", Subsampled(Laplace(3.0, 1), 0.1, "poisson"), kind="count"),
    ]
    plan = with_releases(*rows, relation="add_remove")
    assert "whole_numbers" not in found(plan) and "whole_numbers" not in found(plan, whole_numbers=False)
    (finding,) = found(plan, whole_numbers=True)["whole_numbers"]
    assert finding.rows == (0, 1, 4)
    assert "Published as whole numbers? Then choose Discrete Gaussian and Discrete Laplace." in finding.sentence
    sample = Subsampled(DiscreteLaplace(3.0, 1), 0.1, "poisson")
    whole = [DiscreteGaussian(2.0, 1), DiscreteLaplace(4.0, 2), Gaussian(2.0, 1), DiscreteGaussian(2.0, 1), sample]
    releases = tuple(replace(row, mechanism=mechanism) for row, mechanism in zip(rows, whole, strict=True))
    meant = replace(plan, releases=releases)
    assert shown_up(compose(meant, plan.budget.delta).epsilon) in finding.sentence
    assert "whole_numbers" not in found(meant, whole_numbers=True)
    half = with_releases(Release("Half", Laplace(4.0, 1.5), kind="count"))
    assert "state such a sensitivity" in found(half, whole_numbers=True)["whole_numbers"][0].sentence


@pytest.mark.parametrize(
    "answers", [{"batches": "random"}, {"parts_disjoint": "no"}, {"parts_disjoint": 1}, {"whole_numbers": "yes"}]
)
def test_bad_answers_are_refused(answers):
    with pytest.raises(ValueError, match=f"{next(iter(answers))} must be"):
        checks(CLEAN, **answers)


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("hourly", 1 / 24), ("each night", 1), ("twice a week", 7), ("every other month", 60), ("Annual mean", 365),
        ("per quarter", 91), ("weekly and daily", 1), ("every 3 days", 3), ("EVERY DAY", 1), ("fortnightly", 14),
    ],
)  # fmt: skip
def test_recurrence_in_names(name: str, days: float):
    assert recurrence(name)[1] == pytest.approx(days)


@pytest.mark.parametrize("name", ["", "a day", "per person", "yesterday", "every county", "this week", "24 hours"])
def test_no_recurrence_in_names(name: str):
    assert recurrence(name) is None


@pytest.mark.parametrize(
    ("unit", "days"), [("user-day", 1), ("2-week person", 14), ("person", None), ("holiday", None)]
)
def test_periods_of_units(unit: str, days: float | None):
    assert lasting(unit) == days


def test_sensitivities_that_nobody_stated():
    """Too small or open is a fault with what mends it, larger or open beside an ε a note; a count's 1 is none."""
    income = Release("Income", Laplace(100.0, 1.0), kind="sum", lower=0, upper=100_000)
    (finding,) = found(with_releases(income))["sensitivity"]
    assert finding.severity == "fault" and "must be at least 100000" in finding.sentence
    assert finding.mend.plan.releases[0].mechanism.stated.epsilon == 1000.0
    assert "sensitivity" not in found(finding.mend.plan)
    cases = [
        (Release("Bare", Laplace(100.0)), "fault"),
        (Release("A mean", Laplace.from_epsilon(0.1), kind="mean", lower=0, upper=9), "fault"),
        (Release("Several rows", Laplace(10, 3), kind="count"), "note"),
        (Release("Just ε", Laplace.from_epsilon(0.1)), "note"),
        (Release("Unclipped", Laplace.from_epsilon(0.1), kind="sum"), "question"),
        (Release("Unclipped", Laplace.from_epsilon(0.1, 1), kind="sum"), "question"),
        (Release("Of nothing", Laplace.from_epsilon(0.1), kind="sum", lower=0, upper=0), "question"),
        (Release("Always five", Laplace.from_epsilon(0.1), kind="sum", lower=5, upper=5), "question"),
        (Release("Mean income", Laplace(10, 1), kind="other"), "question"),
        (Release("Mean income", Laplace.from_epsilon(0.1), kind="sum", lower=0, upper=9), "question"),
        (Release("Wrong unit", Laplace(1e12), kind="count"), "question"),
    ]
    for release, severity in cases:
        assert [each.severity for each in found(with_releases(release))["sensitivity"]] == [severity], release
    for right in (
        Release("Visits", Laplace(10), kind="count"),
        Release("Earners, for the mean", Laplace(10), kind="count"),
        Release("Mean income, sum", Laplace.from_epsilon(0.1), kind="sum", lower=0, upper=9),
    ):
        assert "sensitivity" not in found(with_releases(right)), right


@given(
    st.sampled_from(["count", "sum", "histogram"]), st.sampled_from([*RELATIONS]), st.sampled_from([Laplace, Gaussian]),
    st.integers(2, 1000), st.booleans(),
)  # fmt: skip
def test_a_typed_sensitivity_says_how_many_rows_it_is_right_for(kind, relation, noise, rows, distinct):
    """As many as it was computed for: of Gaussian bars, where all fall into one, or each into another."""
    bounds = {"lower": 0, "upper": 0.7} if kind == "sum" else {}
    proved = sensitivity(kind, relation, rows=rows, distinct=distinct, **bounds)
    value = proved.l1 if noise is Laplace else proved.l2
    plan = with_releases(Release("Loans", noise(100.0, value), kind=kind, **bounds), relation=relation)
    [finding] = found(plan)["sensitivity"]
    said = f"at most {shown_count(rows)} rows"
    if kind == "histogram" and noise is Gaussian and distinct:
        said = f"or even {shown_count(rows)} in different bars"
    assert said in finding.sentence and finding.severity == "note"


@pytest.mark.parametrize("rows", [1, 20])
def test_rows_of_one_unit_that_are_stated_are_not_asked_for(rows):
    """By the name one person may have several visits; who says how many at most is asked no more."""
    assert "contributions" in found(with_releases(Release("Visits", Laplace(10), kind="count")))
    stated = with_releases(Release("Visits", Laplace(10), kind="count", rows=rows))
    assert "contributions" not in found(stated, rows_per_unit=7)
    assert "contributions" not in found(stated)
    larger = with_releases(Release("Visits", Laplace(10, 30), kind="count", rows=rows))
    [finding] = found(larger)["sensitivity"]
    assert finding.sentence.endswith(f": {rows} would do.") and finding.severity == "note"


ENDS = st.sampled_from([0.0, -1e-300, 1e-300, -1e-9, 1e-9, 1.0, -3.5, 1e9, -1e200, 1e200]) | st.floats(-1e6, 1e6)


@given(
    st.sampled_from(["count", "sum", "mean", "histogram"]), st.sampled_from([*RELATIONS]),
    st.sampled_from([Laplace, Gaussian]), st.tuples(ENDS, ENDS).map(sorted),
    st.sampled_from([1e-300, 1e-12, 1.0, 1e12, 1e300]) | st.floats(1e-6, 1e6), st.sampled_from([1, 500, 10**13]),
)  # fmt: skip
def test_no_typed_sensitivity_breaks_the_checks(kind, relation, noise, ends, value, people):
    """Ranges of nothing, of hardly anything and of very much: each check has an answer, of numbers that can be read."""
    bounds = {"lower": ends[0], "upper": ends[1]} if kind in ("sum", "mean") else {}
    plan = with_releases(Release("A", noise(1.0, value), kind=kind, **bounds), relation=relation, population=people)
    for finding in found(plan).get("sensitivity", []):
        assert len(finding.sentence) < 600 and "nan" not in finding.sentence
    held = plan.sensitivities[0]
    if held.origin == "stated" and not held.fault and held.least and typed(held.value) > 1.01 * float(held.least):
        assert {each.severity for each in found(plan)["sensitivity"]} <= {"note", "question"}


def test_sensitivities_hardly_larger_than_proved_are_no_finding():
    """The root of 2 as people type it, and half a row more."""
    bars = Release("Loans", Gaussian(10.0, 1.415), kind="histogram")
    assert "sensitivity" not in found(with_releases(bars, relation="replace_one"))
    [finding] = found(with_releases(Release("Loans", Laplace(10.0, 1.5), kind="histogram")))["sensitivity"]
    assert finding.sentence.endswith("typed is more than one row of one user-month needs: 1 would do.")
    both = with_releases(Release("A", Laplace(10.0, 3), kind="count"), Release("B", Laplace(10.0, 2), kind="count"))
    [finding] = found(both)["sensitivity"]
    assert "at most 3 rows in “A”; at most 2 rows in “B”. For one, less would do." in finding.sentence


@pytest.mark.parametrize(
    "times", [{}, {"count": 4}, {"cadence": "quarterly", "start": "2027-01-01", "end": "2027-12-31"}]
)
def test_a_mean_over_all_people_asks_whether_it_is(times: dict):
    """A quarter's mean over a quarter's people, or one over who answered, has a larger sensitivity."""
    mean = Release("Age", Laplace.from_epsilon(0.1), kind="mean", lower=0, upper=100)
    options = {"relation": "replace_one", "population": 40_000}
    (finding,) = found(with_releases(replace(mean, **times), **options))["sensitivity"]
    assert finding.severity == "question" and "all 40,000 being averaged every time" in finding.sentence
    settled = finding.mend.plan
    assert finding.mend.label == "All 40,000 are averaged every time" and "sensitivity" not in found(settled)
    assert settled.sensitivities[0].value == with_releases(replace(mean, **times), **options).sensitivities[0].value
    typed = replace(mean, mechanism=Laplace.from_epsilon(0.1, 0.01), **times)
    asked = found(with_releases(typed, **options)).get("sensitivity", [])
    assert all(each.severity == "note" for each in asked)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_a_sum_whose_sensitivity_was_typed_is_clipped_by_one_press(relation: str):
    """To values between 0 and that: then it is what the range proves, and costs the same; of means there is none."""
    paid = Release("Paid", Gaussian(1400.0, 300), kind="sum")
    plan = with_releases(paid, relation=relation)
    (finding,) = found(plan)["sensitivity"]
    settled = finding.mend.plan
    assert finding.mend.label == "Values are held between 0 and 300" and "sensitivity" not in found(settled)
    assert settled.releases == (replace(paid, lower=0, upper=300),) and compose(settled) == compose(plan)
    for other in (replace(paid, rows=2), replace(paid, kind="mean")):
        asked = found(with_releases(other, relation="replace_one", population=2))["sensitivity"]
        assert not [each for each in asked if each.mend and "held between" in each.mend.label]


def test_nothing_is_composed_before_a_sentence_is_read(monkeypatch):
    """A page that only counts what is asked waits for no total; sentence and press then share one."""
    asked = []
    monkeypatch.setattr(mends, "compose", lambda plan, delta: asked.append(plan) or compose(plan, delta))
    mends.composed.cache_clear()
    parts = [Release(f"Visits {part}", Laplace(20 + part, 1), part=str(part), kind="count") for part in (1, 2)]
    plan = with_releases(*parts, Release("Poll", Subsampled(Laplace(1, 1), 0.01, "poisson")), population=30_000_000)
    findings = [each for each in checks(plan) if not isinstance(each.said, str)]
    assert {each.check for each in findings} >= {"delta_people", "contributions", "parts", "public_sample"}
    assert not asked
    said = [(each.sentence, each.mend) for each in findings]
    told = [text.count("the total is at most ε = ") for text, _ in said]
    assert len(asked) == len(set(asked)) == sum(told) and all(told)


def test_checks_of_very_many_mechanisms_end_soon_and_say_how():
    """Closed formulas bound what their tight total would take long for; the sentence names them."""
    plan = with_releases(*(Release(f"r{row}", Laplace(100 + row, 1)) for row in range(121)), population=30_000_000)
    (finding,) = (each for each in checks(plan) if each.check == "delta_people")
    assert "by closed formulas (121 mechanisms are many)" in finding.sentence
    assert mends.composed(finding.mend.plan) >= compose(finding.mend.plan).epsilon


def test_fewer_people_than_records_of_a_training_have_several():
    """What was answered is held against it; a period of people has its own records, and nobody said whose they are."""
    model = Release("Model", TrainedModel(noise_multiplier=1.0, batch_size=256, records=60_000, epochs=1))
    plan = Plan([model], Guarantee(9.0, 1e-9), "user", "add_remove", 7_000, False)
    (finding,) = (each for each in checks(plan, rows_per_unit=1) if each.check == "contributions")
    assert finding.severity == "fault" and "so that one user has 9 of them or more" in finding.sentence
    assert not any(each.check == "contributions" for each in checks(replace(plan, population=60_000), rows_per_unit=1))
    assert not any(each.check == "contributions" for each in checks(replace(plan, unit="user-day"), rows_per_unit=1))
    (open_one,) = (each for each in checks(plan) if each.check == "contributions")
    assert open_one.severity == "question"
