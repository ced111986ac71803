"""Plan files: read back what was written, say everything that is wrong, and never fail in another way."""

import csv
import io
import json
import math
import pickle
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import (
    BASE_MECHANISMS,
    ApproximateDP,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NameAndShame,
    RandomizedResponse,
    Subsampled,
    Thresholding,
    TrainedModel,
)
from dpviz.plan import KINDS, Plan, PlanFileError, Problem, Release, promise
from dpviz.plan.files import csv_file
from dpviz.plan.files.file import MAXIMUM_BYTES
from tests.plan_strategies import BOUNDS

FILES = Path(__file__).parents[1] / "files"
FROZEN = Plan(
    [
        Release("Mean age, typed as ε", Laplace.from_epsilon(0.11, 1), 4),
        Release("Mean age, typed as scale", Laplace(7.5, 3.0)),
        Release("=SUM(A1)", Gaussian(12.5, 1), 10**9),
        Release('Histogram; "joint"', Gaussian.from_guarantee(0.5, 0.01, 2.0, "classical"), 2, "North"),
        Release("Histogram", Gaussian.from_guarantee(1.5, 1e-7, 1), 3, "South"),
        Release("Survey bit", RandomizedResponse(0.3), 0),
        Release("Black box", ApproximateDP(0.2, 1e-9)),
        Release("'tis a leak", NameAndShame(1e-12), part="-South"),
    ],
    Guarantee(0.30000000000000004, 1e-30),
    "household",
    "add_remove",
    83_000_000,
    True,
)

# --- round trips


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high) | st.sampled_from([0.1, 0.11, 0.3, 1.0, 2.64, 1e-3]).filter(lambda x: low <= x <= high)


EXECUTED = ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1"]
QUOTES = ["'", "''", "'=", "'tis", "'\uff1d", '"', '""', 'a"b']
CONFUSED = [
    ",",
    ";",
    "a;=1+1",
    "a,b",
    "null",
    "nan",
    "1e999",
    "0",
    "#",
    "<b>",
    "é",
    "数",
    "e\u0301",
    "\ufeff",
    "\u200b",
]
AWKWARD = st.sampled_from([*EXECUTED, *QUOTES, *CONFUSED])
TEXTS = AWKWARD | st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=80).filter(
    str.strip
)
EPSILONS, DELTAS, POSITIVES = numbers(1e-6, 50), numbers(1e-30, 0.5), numbers(1e-3, 1e6)
MECHANISMS = st.one_of(
    st.builds(Laplace.from_epsilon, EPSILONS, POSITIVES),
    st.builds(Laplace, POSITIVES, POSITIVES),
    st.builds(Gaussian, POSITIVES, POSITIVES),
    st.builds(Gaussian.from_guarantee, EPSILONS, DELTAS, POSITIVES),
    st.builds(Gaussian.from_guarantee, numbers(1e-6, 0.99), DELTAS, POSITIVES, st.just("classical")),
    st.builds(RandomizedResponse, EPSILONS),
    st.builds(ApproximateDP, EPSILONS, DELTAS),
    st.builds(NameAndShame, DELTAS),
)
DAYS = st.dates(date(2020, 1, 1), date(2030, 12, 31))
PLANNING = {
    "weight": POSITIVES,
    "typical": st.none() | POSITIVES,
    "answer_unit": st.none() | TEXTS,
    "done": st.booleans() | DAYS,
    "kind": st.none() | st.sampled_from([kind.key for kind in KINDS]),
    "bounds": st.none() | BOUNDS,
}


def unfolded(bounds: list[float] | None = None, **planning: object) -> dict[str, object]:
    """The fields of a release, with its two bounds in place of one pair."""
    return planning if bounds is None else {**planning, "lower": bounds[0], "upper": bounds[1]}


SINGLE = st.fixed_dictionaries({}, optional={"start": DAYS, "cadence": st.just("once"), **PLANNING})
RECURRING = st.tuples(
    DAYS,
    DAYS,
    st.sampled_from(["daily", "weekly", "monthly", "quarterly", "yearly"]),
    st.fixed_dictionaries({}, optional=PLANNING),
).map(lambda drawn: {"start": min(drawn[:2]), "end": max(drawn[:2]), "cadence": drawn[2], **drawn[3]})
RELEASES = st.builds(
    lambda name, mechanism, count, part, planning: Release(name, mechanism, count, part, **unfolded(**planning)),
    TEXTS,
    MECHANISMS,
    st.integers(0, 10**5),
    st.none() | TEXTS,
    SINGLE | RECURRING,
)
PLANS = st.builds(
    Plan,
    st.lists(st.builds(Release, TEXTS, MECHANISMS, st.integers(0, 10**9), st.none() | TEXTS) | RELEASES, max_size=6),
    st.builds(Guarantee, st.just(math.inf) | st.floats(0, 1e300), st.just(1e-6) | st.floats(0, 1)),
    st.none() | TEXTS,
    st.sampled_from([None, "add_remove"]),
    st.none() | st.integers(1, 10**13),
    st.none() | st.booleans(),
)


def told(plan: Plan) -> list:
    """Every parameter with its digits: equality of plans would not tell 0.11 from a scale that gives 0.11."""
    return [(each, [repr(value) for value in each.mechanism.parameters.values()]) for each in plan.releases]


@given(PLANS)
def test_json_round_trip_is_lossless(plan):
    """JSON gives back an equal plan with the digits typed, and writes it the same again."""
    text = plan.to_json()
    back = Plan.from_json(text)
    assert back == plan
    assert told(back) == told(plan)
    assert back.to_json() == text
    assert Plan.read(io.BytesIO(text.encode())) == plan


@given(PLANS)
def test_csv_round_trip_is_lossless(plan):
    """CSV gives back an equal plan, with the digits typed and with what it promises."""
    text = plan.to_csv()
    back = Plan.from_csv(text)
    assert told(back) == told(plan)
    assert back.to_csv() == text
    assert Plan.read(io.StringIO(text)) == back == plan
    unparted = replace(plan, releases=tuple(replace(each, part=None) for each in plan.releases))
    replacing = replace(unparted, relation="replace_one")
    assert Plan.from_csv(replacing.to_csv()) == replacing


@given(PLANS, st.randoms(use_true_random=False), st.sampled_from([",", ";", "\t"]))
def test_what_a_table_says_of_the_plan_survives_a_spreadsheet(plan, random, separator):
    """Rows in another order, without all but one of them, or with these cells in one row only: the promise stays."""
    head, *rows = csv.reader(io.StringIO(plan.to_csv()))
    places = [place for place, column in enumerate(head) if column in promise.COLUMNS]
    kept = random.sample(rows, random.randint(min(len(rows), 1), len(rows)))
    for row in kept[1:]:
        if random.random() < 0.5:
            row[:] = ["" if place in places else cell for place, cell in enumerate(row)]
    random.shuffle(kept)
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows([[each.replace("_", " ").title() for each in head], *kept])
    assert Plan.from_csv(written.getvalue()).stated == plan.stated


@given(PLANS.filter(lambda plan: len(plan.releases) > 1 and plan.stated), st.data())
def test_rows_that_disagree_on_the_plan_are_refused(plan, data):
    """The sentence names both lines; whichever column and row it is."""
    column = data.draw(st.sampled_from(list(plan.stated)))
    head, *rows = csv.reader(io.StringIO(plan.to_csv()))
    row = data.draw(st.integers(1, len(rows) - 1))
    other = {"unit": "other unit", "relation": "replace_one", "population": "7", "budget_epsilon": "0.125",
             "budget_delta": "0.125", "adaptive": "no" if plan.adaptive else "yes"}[column]  # fmt: skip
    assume(str(plan.stated[column]) not in (other, str(float(other)) if other[0].isdigit() else other))
    rows[row][head.index(column)] = other
    written = io.StringIO()
    csv.writer(written).writerows([head, *rows])
    (said,) = problems(written.getvalue())
    assert said.startswith(f"line {row + 2}, {column} '{other}': must be the same in every row")
    assert "; line 2 has " in said


def test_a_very_large_table_says_it_once(monkeypatch):
    """Repeated in 100,000 rows, it would outgrow the size that is read."""
    monkeypatch.setattr(csv_file, "_REPEATED", 2)
    for rows, said in ((2, 2), (3, 1)):
        plan = Plan([Release("a", RandomizedResponse(0.5))] * rows, unit="person", adaptive=False)
        assert plan.to_csv().count(",person,no") == said and Plan.from_csv(plan.to_csv()) == plan


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("unit,relation\n{},person,add or remove", "relation 'add or remove': must be one of add_remove, replace_one"),
        ("population\n{},0", "population '0': must be in [1, 1e+13], a whole number"),
        ("population\n{},500.000", "population '500.000': must be a number without a mark"),
        ("budget_epsilon,budget_delta\n{},-1,", "budget_epsilon '-1': must be in [0, inf]"),
        ("budget_epsilon,budget_delta\n{},,one", "budget_delta 'one': must be a number"),
        ("adaptive\n{},maybe", "adaptive 'maybe': must be yes or no"),
    ],
)
def test_a_bad_promise_is_named_with_its_line(cells, said):
    (found,) = problems("name,mechanism,scale," + cells.format("a,laplace,1"))
    assert found.startswith("line 2, " + said)


@given(TEXTS)
def test_no_cell_is_executed_by_a_spreadsheet(text):
    """Whatever separator a spreadsheet takes, no cell that it sees starts with =, +, - or @."""
    written = Plan([Release(text, Laplace(10, 1), part=text)]).to_csv().splitlines()[1]
    for separator in ",;\t":
        inside, cells = False, [""]
        for character in written:
            inside ^= character == '"'
            cells = [*cells, ""] if character == separator and not inside else [*cells[:-1], cells[-1] + character]
        assert not any(cell.strip('"').startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells), cells


def test_infinity_is_a_word():
    """JSON knows no infinity: no limit is null, an infinite ε the word "inf"."""
    plan = Plan([Release("No promise", ApproximateDP(math.inf, 0.0))]) if _admits_infinity() else Plan([])
    assert '"budget": {"epsilon": null, "delta": 1e-06}' in plan.to_json()
    assert Plan.from_json(plan.to_json()) == plan
    assert Plan.from_csv(plan.to_csv()) == plan


def _admits_infinity() -> bool:
    try:
        return bool(ApproximateDP(math.inf, 0.0))
    except ValueError:
        return False


NUMBER = "must be a number such as 0.5 or 1e-6, with a decimal point and within double precision"
KINDS_ALLOWED = "must be one of count, sum, mean, histogram, survey, selection, other"

# --- files that must stay readable for ever


def test_version_1_json_stays_readable():
    """The file tests/files/plan-1.json is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-1.json") == FROZEN


def test_version_1_csv_stays_readable():
    """The file tests/files/plan-1.csv is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-1.csv") == Plan(FROZEN.releases)


DATED = Plan(
    [
        Release("Visitors", Laplace.from_epsilon(0.11, 1), 4, start=date(2020, 4, 1), cadence="daily",
                end=date(2020, 4, 30), weight=2.5, typical=1200.0),
        Release("Yearbook", Gaussian(12.5, 1), part="North", start=date(2024, 2, 29), done=True),
        Release("Report", Gaussian.from_guarantee(0.5, 1e-7, 1), start=date(2020, 1, 31), cadence="monthly",
                end=date(2020, 12, 31), typical=0.5),
        Release("Audit", RandomizedResponse(0.3), cadence="once"),
        Release("Week", Subsampled(Laplace(2.0, 1), 0.1, "poisson"), start=date(2020, 1, 1), cadence="weekly",
                end=date(2020, 1, 1)),
    ],
    Guarantee(2.5, 1e-8),
    "person",
    "add_remove",
    1000,
    True,
)  # fmt: skip


def test_version_2_json_stays_readable():
    """The file tests/files/plan-2.json is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-2.json") == DATED


def test_version_2_csv_stays_readable():
    """The file tests/files/plan-2.csv is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-2.csv") == Plan(DATED.releases)


THIRD = Plan(
    [
        Release("Visitors", Laplace.from_epsilon(0.11, 1), 4, start=date(2020, 4, 1), cadence="daily",
                end=date(2020, 4, 30), typical=1200.0, answer_unit="persons", done=date(2020, 4, 12)),
        Release("Turnover", Gaussian(12.5, 2.5), start=date(2019, 11, 30), cadence="quarterly",
                end=date(2020, 12, 31), answer_unit="1,000 €"),
        Release("Yearbook", Laplace(7.5, 1), start=date(2024, 2, 29), cadence="yearly", end=date(2030, 12, 31),
                answer_unit="=persons", weight=2.0),
        Release("Survey", RandomizedResponse(0.3), done=True),
    ],
    Guarantee(2.5, 1e-8),
    "household-quarter",
    "add_remove",
    1000,
    False,
)  # fmt: skip


def test_version_3_json_stays_readable():
    """The file tests/files/plan-3.json is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-3.json") == THIRD


def test_version_3_csv_stays_readable():
    """The file tests/files/plan-3.csv is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-3.csv") == Plan(THIRD.releases)


@pytest.mark.parametrize("done", ["true", '"2026-01-05"'])
def test_what_is_done_leaves_a_plan_fixed_in_advance(done):
    """Publishing what was planned chooses nothing."""
    text = '{"dpviz_plan": 3, %s "releases": [{"name": "a", "mechanism": "laplace", "scale": 1, "done": %s}]}'
    assert not Plan.from_json(text % ("", done)).adaptive
    assert not Plan.from_json(text % ('"adaptive": null,', done)).adaptive
    assert Plan.from_json(text % ('"adaptive": true,', done)).adaptive
    releases = [Release("a", Laplace(1, 1), done=True)]
    assert not Plan(releases).adaptive and not Plan(releases, adaptive=None).adaptive
    assert not Plan.read(FILES / "plan-2.csv").adaptive


def test_files_of_version_2_keep_their_meaning():
    """There, something done made a plan adaptive unless the file said that all was fixed in advance."""
    text = '{"dpviz_plan": 2, %s "releases": [{"name": "a", "mechanism": "laplace", "scale": 1, "done": %s}]}'
    assert Plan.from_json(text % ("", "true")).adaptive
    assert Plan.from_json(text % ('"adaptive": null,', "true")).adaptive
    assert not Plan.from_json(text % ("", "false")).adaptive
    assert not Plan.from_json(text % ('"adaptive": false,', "true")).adaptive


FOURTH = Plan(
    [
        Release("Unemployed", Laplace(20.0, 1), start=date(2026, 1, 31), cadence="monthly", end=date(2026, 12, 31),
                typical=41000.0, answer_unit="persons", kind="count"),
        Release("Mean change of earnings", Gaussian(12.5, 2.5), answer_unit="€", kind="mean", lower=-500.0,
                upper=1500.0),
        Release("Debts", Laplace(7.5, 1), kind="sum", lower=0.0, upper=0.1, done=date(2026, 3, 1)),
        Release("Survey", RandomizedResponse(0.3), kind="survey"),
        Release("Sites", Laplace(2.0, 1), lower=-1.0, upper=-1.0),
    ],
    Guarantee(2.5, 1e-8),
    "person-year",
    "replace_one",
    1000,
    False,
)  # fmt: skip


def test_version_4_json_stays_readable():
    """The file tests/files/plan-4.json is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-4.json") == FOURTH


def test_version_4_csv_stays_readable():
    """The file tests/files/plan-4.csv is frozen: every later dpviz reads it."""
    assert Plan.read(FILES / "plan-4.csv") == Plan(FOURTH.releases)


FIFTH = Plan(
    [
        Release("Unemployed", DiscreteLaplace(20.0), start=date(2026, 1, 31), cadence="monthly", end=date(2026, 12, 31),
                kind="count"),
        Release("Earnings, total", Laplace.from_epsilon(0.11), answer_unit="€", kind="sum", lower=-500.0, upper=1500.0),
        Release("Mean earnings", Gaussian(12.5), kind="mean", lower=0.0, upper=6000.0),
        Release("Ages", Gaussian.from_guarantee(0.5, 1e-7, calibration="classical"), kind="histogram"),
        Release("Visits of a person", Laplace(20.0, 3.0), kind="count"),
        Release("A score", Laplace.from_epsilon(0.2)),
    ],
    Guarantee(2.5, 1e-8),
    "person-year",
    "replace_one",
    40_000,
    False,
)  # fmt: skip


def test_version_5_json_stays_readable():
    """The file tests/files/plan-5.json is frozen: what nobody typed follows, is assumed, or is open."""
    plan = Plan.read(FILES / "plan-5.json")
    assert plan == FIFTH and not plan.faults
    assert [(known.origin, known.value) for known in plan.sensitivities] == [
        ("assumed", 1.0), ("derived", 2000.0), ("derived", 0.15), ("derived", math.sqrt(2)), ("stated", 3.0),
        ("open", None),
    ]  # fmt: skip


def test_version_5_csv_stays_readable():
    """The file tests/files/plan-5.csv is frozen: every later dpviz reads it."""
    releases = Plan.read(FILES / "plan-5.csv").releases
    assert replace(FIFTH, releases=releases) == FIFTH


SIXTH = Plan(
    [
        Release("Search words", Thresholding(Laplace(10), 250, 8), kind="count"),
        Release("Home towns", Thresholding(Gaussian.from_guarantee(0.5, 1e-8, 2.0), 220.5)),
        Release("Best site", Exponential(0.5), kind="selection", candidates=40),
        Release("Forecast", TrainedModel(60_000, 256, 1.1, epochs=15)),
    ],
    Guarantee(2.5, 1e-6),
    "person-year",
)


@pytest.mark.parametrize("name", ["plan-6.json", "plan-6.csv"])
def test_version_6_stays_readable(name):
    """These files are frozen, too: thresholds, the keys that one unit touches, and how many a pick is among."""
    plan = Plan.read(FILES / name)
    assert plan == SIXTH and not plan.faults


SEVENTH = Plan(
    [
        Release("Rides by station", Gaussian(40), kind="histogram", rows=8, bars="different"),
        Release("Rides", Laplace.from_epsilon(0.1), kind="count", rows=20),
        Release("Minutes", Laplace(900), kind="sum", lower=0, upper=60, rows=8),
        Release("Length", Laplace(0.01), kind="mean", lower=0, upper=60, averaged=50_000),
    ],
    Guarantee(4, 1e-7),
    "person-year",
    relation="replace_one",
)


@pytest.mark.parametrize("name", ["plan-7.json", "plan-7.csv"])
def test_version_7_stays_readable(name):
    """These files are frozen, too: rows of one unit that an answer reads, in which bars, and how many are averaged."""
    plan = Plan.read(FILES / name)
    assert plan == SEVENTH and not plan.faults
    assert [known.value for known in plan.sensitivities] == [4.0, 20.0, 480.0, 0.0012]


@pytest.mark.parametrize(("fields", "said"), [
    ({"rows": 0}, "rows '0': must be in [1, 1000000000], a whole number"),
    ({"rows": 2.5}, "rows '2.5': must be in [1, 1000000000], a whole number"),
    ({"bars": "one"}, "bars 'one': must be one of different, any"),
    ({"averaged": 0}, "averaged '0': must be in [1, 1e+13], a whole number"),
])  # fmt: skip
def test_what_rows_of_one_unit_must_be_is_said(fields, said):
    row = {"name": "a", "mechanism": "laplace", "scale": 1, **fields}
    (found,) = problems(json.dumps({"dpviz_plan": 7, "releases": [row]}))
    assert said in found


@pytest.mark.parametrize(("fields", "said"), [
    ({"keys": 3}, "keys '3': must be given together with threshold"),
    ({"threshold": 0}, "threshold '0': must be in (0, inf)"),
    ({"threshold": 0.5, "sensitivity": 1}, "threshold '0.5': must be in [1, inf), what one unit adds"),
    ({"threshold": 9, "scheme": "poisson", "rate": 0.1}, "threshold '9': must be empty for a random sample"),
    ({"threshold": 9, "keys": 0}, "keys '0': must be in [1, 1000000], a whole number"),
])  # fmt: skip
def test_what_a_threshold_must_be_is_said(fields, said):
    row = {"name": "a", "mechanism": "laplace", "scale": 1, **fields}
    (found,) = problems(json.dumps({"dpviz_plan": 6, "releases": [row]}))
    assert said in found


@pytest.mark.parametrize(("training", "said"), [
    ("records 1000, batch size 10", "must name noise multiplier, like noise multiplier 1.1"),
    ("records 1000, batch size 2000, noise multiplier 1, epochs 1", "batch size must be at most the records, 1000"),
    ("records 1000, batch size 10, noise multiplier 1", "epochs must be given, or steps, and not both"),
    ("records 1e3, records 10", "must name records once"),
    ("records 1,000, batch size 10", "must be told by some of noise multiplier, batch size, records"),
    ("records 1000, batch size 10, noise multiplier 1, epochs 1, scheme banded", "number of bands is not given"),
    ("records 1000, batch size 10, noise multiplier nan, epochs 1", "must have a number after noise multiplier"),
    (7, "must be text"),
])  # fmt: skip
def test_what_a_training_must_be_is_said(training, said):
    row = {"name": "a", "mechanism": "trained_model", "training": training}
    (found,) = problems(json.dumps({"dpviz_plan": 6, "releases": [row]}))
    assert said in found


@pytest.mark.parametrize(
    ("field", "value", "version"),
    [("answer_unit", '"m"', 1), ("answer_unit", '"m"', 2), *((name, value, version) for version in (1, 2, 3) for
     name, value in (("kind", '"sum"'), ("lower", "0"), ("upper", "1")))],
)  # fmt: skip
def test_older_versions_know_no_newer_field(field, value, version):
    """A field that a version did not have is no field of its files."""
    text = '{"dpviz_plan": %d, "releases": [{"name": "a", "mechanism": "laplace", "scale": 1, "%s": %s}]}'
    (said,) = problems(text % (version, field, value))
    assert said.startswith(f"release 1, field '{field}': must be one of the fields ")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"start": "2026-02-30"}, "start '2026-02-30': must be a date such as 2026-04-01"),
        ({"start": 20260401}, "start '20260401': must be text"),
        ({"start": "2026-01-01", "cadence": "hourly"}, "cadence 'hourly': must be one of once, daily, weekly, "
         "fortnightly, monthly, quarterly, half-yearly, yearly"),
        ({"cadence": "daily"}, "cadence 'daily': start must be given, since a daily release without it has no finite "
                               "total"),
        ({"start": "2026-01-01", "cadence": "daily"},
         "cadence 'daily': end must be given, since a daily release without it has no finite total"),
        ({"start": "2026-01-02", "cadence": "daily", "end": "2026-01-01"},
         "end '2026-01-01': must not lie before start, 2026-01-02"),
        ({"end": "2026-01-01"}, "end '2026-01-01': must be empty of a release that does not recur"),
        ({"weight": 0}, "weight '0': must be in (0, inf)"),
        ({"typical": -1}, "typical '-1': must be in (0, inf)"),
        ({"typical": "inf"}, "typical 'inf': must be in (0, inf)"),
        ({"done": 1}, "done '1': must be true, false or a date such as 2026-04-01"),
        ({"done": "yes"}, "done 'yes': must be true, false or a date such as 2026-04-01"),
        ({"done": "2026-02-30"}, "done '2026-02-30': must be true, false or a date such as 2026-04-01"),
        ({"answer_unit": 3}, "answer_unit '3': must be text"),
        ({"answer_unit": " "}, "answer_unit ' ': must be text of 1 to 80 characters without control characters"),
        ({"kind": "total"}, f"kind 'total': {KINDS_ALLOWED}"),
        ({"kind": 3}, "kind '3': must be text"),
        ({"lower": 0}, "lower '0': must be given together with upper"),
        ({"lower": None, "upper": 0}, "upper '0': must be given together with lower"),
        ({"lower": 2, "upper": 1}, "lower '2': must be at most the upper end, 1"),
        ({"lower": 0, "upper": "inf"}, "upper 'inf': must be in (-inf, inf)"),
        ({"lower": True, "upper": 1}, f"lower 'true': {NUMBER}"),
    ],
)  # fmt: skip
def test_bad_planning_is_named(fields, said):
    """Dates, cadence, weight and typical value are told by name and value."""
    release = {"name": "a", "mechanism": "laplace", "scale": 1, **fields}
    text = json.dumps({"dpviz_plan": 4, "releases": [release]})
    assert problems(text) == [f"release 1, {said}"]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("1.4.2026,,,", "start '1.4.2026': must be a date such as 2026-04-01"),
        (",,,perhaps", "done 'perhaps': must be yes, no or a date such as 2026-04-01"),
        ("2026-01-01,daily,2025-12-31,", "end '2025-12-31': must not lie before start, 2026-01-01"),
    ],
)
def test_bad_planning_cells_are_named(cells, said):
    """A CSV tells the line as well."""
    text = f"name,mechanism,scale,start,cadence,end,done\na,laplace,1,{cells}\n"
    assert problems(text) == [f"line 2, {said}"]


def test_too_many_uses_over_time_are_refused():
    """A count and a cadence that make more uses than any theorem counts are refused with the total."""
    text = "name,mechanism,scale,count,start,cadence,end\na,laplace,1,1000000000,2026-01-01,daily,2026-01-02\n"
    (said,) = problems(text)
    assert said.startswith("line 2, count") and "2000000000" in said


# --- what is read


@pytest.mark.parametrize(
    "text",
    [
        "name,mechanism,epsilon,count\nFlag,randomized_response,0.5,3\n",
        "\ufeffname,mechanism,epsilon,count\r\nFlag,randomized_response,0.5,3\r\n",
        "Name;Mechanism;Epsilon;Count\nFlag;Randomized Response;.5;3",
        " COUNT \tepsilon\tname\tmechanism\n3\t5e-1\tFlag\trandomized-response\r",
        '\n\n"name","mechanism","epsilon","count","part",,\n\n,,,,,,\n"Flag","randomized_response",0.50,3.0,,,,,\n',
    ],
)
def test_csv_is_read_as_spreadsheets_write_it(text):
    """Separators, byte-order marks, blank rows, order and case of the columns do not matter."""
    assert Plan.from_csv(text) == Plan([Release("Flag", RandomizedResponse(0.5), 3)])
    assert Plan.read(io.BytesIO(text.encode())).releases[0].count == 3


SEMICOLONS = "name;mechanism;epsilon;sensitivity;count;lower;upper\n"


def test_a_decimal_comma_between_semicolons():
    """There it can be nothing else; a point still is one, too."""
    text = SEMICOLONS + 'a, b;laplace;0,05;2;3;-1,5;"2,5"\nb;laplace;,5;1,0;4,0;;\nc;laplace;0.25;1,25e1;+7;-,5;-0,0'
    first, second, third = Plan.from_csv(text).releases
    assert first == Release("a, b", Laplace.from_epsilon(0.05, 2), 3, lower=-1.5, upper=2.5)
    assert second == Release("b", Laplace.from_epsilon(0.5, 1), 4)
    assert third == Release("c", Laplace.from_epsilon(0.25, 12.5), 7, lower=-0.5, upper=0.0)
    assert repr(first.mechanism.parameters["epsilon"]) == "0.05"


UNCLEAR = (
    "must be a number without a mark between thousands, since 1.000 and 1,000 may be one or a "
    "thousand"
)


@pytest.mark.parametrize("unclear", ["1.000,5", "1,000.5", "1,000", "12.345", "-1,000", "1.000.000", "1,000,000"])
def test_what_may_be_thousands_is_refused(unclear):
    """One use must not be counted where a thousand were meant."""
    assert problems(SEMICOLONS + f"a;laplace;0,05;1;{unclear};;") == [f"line 2, count '{unclear}': {UNCLEAR}"]


@pytest.mark.parametrize("wrong", ["0,05,1", "1,", "1,2x", "0,0,", "1,1e999", "0,1e-999", ",", "\u0661,5"])
def test_a_comma_alone_makes_no_number(wrong):
    """What is said of it stays what is said of every cell."""
    assert problems(SEMICOLONS + f"a;laplace;0,05;{wrong};1;;") == [f"line 2, sensitivity '{wrong}': {NUMBER}"]


def test_points_stay_what_they_were():
    """A file without any decimal comma is read as ever, and a comma in a file of commas or tabs is none."""
    (release,) = Plan.from_csv(SEMICOLONS + "a, 0,5;laplace;0.05;1.0;3;;").releases
    assert release.mechanism == Laplace.from_epsilon(0.05, 1) and release.name == "a, 0,5"
    for separator in ",\t":
        row = separator.join(['"a"', "laplace", '"0,05"', "1", "1", "", ""])
        assert problems(SEMICOLONS.replace(";", separator) + row) == [f"line 2, epsilon '0,05': {NUMBER}"]


@pytest.mark.parametrize("text", ["1.000", "120.000", "1.000.000", "2.50"])
def test_a_point_between_thousands_is_asked_for(text):
    """People write 120.000 for a hundred and twenty thousand; programs write no zero after the last digit."""
    found = "name,mechanism,epsilon,sensitivity\na,laplace,0.1," + text
    if text == "2.50":
        assert Plan.from_csv(found).releases[0].mechanism.sensitivity == 2.5
    else:
        assert "without a mark between thousands" in problems(found)[0]


def test_a_header_without_rows_is_an_empty_plan():
    """There is nothing to pay for, which is not the same as an empty file."""
    assert Plan.from_csv("name,mechanism") == Plan([])
    assert Plan.from_json('{"dpviz_plan": 1, "releases": []}') == Plan([])


def test_json_fields_may_be_left_out():
    """Defaults are those of the classes."""
    text = '{"dpviz_plan": 1, "releases": [{"name": "Mean", "mechanism": "laplace", "scale": 10}]}'
    assert Plan.from_json(text) == Plan([Release("Mean", Laplace(10))])


def test_read_takes_paths_and_files(tmp_path):
    """The extension decides, and the content where there is none."""
    for name, text in (("a.json", FROZEN.to_json()), ("b.csv", FROZEN.to_csv()), ("c", FROZEN.to_json())):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        with path.open("rb") as binary, path.open(encoding="utf-8") as lines:
            plans = [Plan.read(path), Plan.read(str(path)), Plan.read(binary), Plan.read(lines)]
        assert all(plan.releases == FROZEN.releases for plan in plans)


# --- what is refused

SAID_OF_NAME = "must be text of 1 to 80 characters without control characters"
KEYS_ALLOWED = f"must be one of {', '.join(each.key for each in BASE_MECHANISMS)}"
FIRST = "name, mechanism, epsilon, delta, scale, sigma, sensitivity, calibration, scheme, rate, count, part"
LATER = "start, cadence, end, weight, typical, answer_unit, done, kind, lower, upper, k, curve, threshold, "
LATER += "keys, candidates, training, rows, bars, averaged"
COLUMNS = f"{FIRST}, {LATER}"
HEADS = f"{COLUMNS}, {', '.join(promise.COLUMNS)}"
HEADER = "name,mechanism,epsilon,delta,scale,count,part\n"


def problems(text: str) -> list[str]:
    """What is said about a bad file, one line each."""
    with pytest.raises(PlanFileError) as caught:
        Plan.read(io.StringIO(text))
    lines = str(caught.value).split("\n")
    total = len(caught.value.problems)
    assert lines[0] == f"The plan was not read, because of {total} problem{'s' if total > 1 else ''}:"
    return lines[1:]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (",laplace,1", f"line 2, name '': {SAID_OF_NAME}"),
        (f"{'n' * 81},laplace,1", f"line 2, name '{'n' * 39}…': {SAID_OF_NAME}"),
        ("a\x00,laplace,1", f"line 2, name 'a\\x00': {SAID_OF_NAME}"),
        ("a,laplace,-0.2", "line 2, epsilon '-0.2': must be in (0, inf)"),
        ("a,laplace,nan", f"line 2, epsilon 'nan': {NUMBER}"),
        ("a,laplace,1e999", f"line 2, epsilon '1e999': {NUMBER}"),
        ("a,laplace,1e-999", f"line 2, epsilon '1e-999': {NUMBER}"),
        ("a,laplace,1_0", f"line 2, epsilon '1_0': {NUMBER}"),
        ('a,laplace,"0,11"', f"line 2, epsilon '0,11': {NUMBER}"),
        ("a,laplace,\u0661", f"line 2, epsilon '\u0661': {NUMBER}"),
        ("a,laplace,=1", f"line 2, epsilon '=1': {NUMBER}"),
        ("a,laplace,inf", "line 2, epsilon 'inf': must be in (0, inf)"),
        ("a,laplace", "line 2, mechanism 'laplace': laplace must be given by epsilon or scale; got nothing"),
        (
            "a,laplace,1,1e-6",
            "line 2, mechanism 'laplace': laplace must be given by epsilon or scale; got delta, epsilon; "
            "it takes no delta",
        ),
        (
            "a,exponential,1",
            f"line 2, mechanism 'exponential': {KEYS_ALLOWED}",
        ),
        (
            "a,,1",
            f"line 2, mechanism '': {KEYS_ALLOWED}",
        ),
        ("a,laplace,1,,,-1", "line 2, count '-1': must be in [0, 1000000000], a whole number"),
        ("a,laplace,1,,,0.5", "line 2, count '0.5': must be in [0, 1000000000], a whole number"),
        (f"a,laplace,1,,,{10**30}", "line 2, count '1e+30': must be in [0, 1000000000], a whole number"),
        ("a,laplace,1,,,1,a\x07", f"line 2, part 'a\\x07': {SAID_OF_NAME}"),
        ("a,laplace,1,,,1,b,c", "line 2, column 'c': must be empty, since the header names no column here"),
        (
            '"a"b,laplace,1',
            "line 2, row '': must be cells with closed quotes and without text around them (',' expected after '\"')",
        ),
        (
            'a,laplace,1,,,1,"b',
            "line 2, row '': must be cells with closed quotes and without text around them (unexpected end of data)",
        ),
    ],
)
def test_bad_row_is_named_with_its_line(row, said):
    """A bad cell is told by line, column and value, with what is allowed."""
    assert problems(HEADER + row) == [said]


def test_every_bad_line_is_told_at_once():
    """Nothing has to be found by uploading again and again, and good lines do not pass without the bad."""
    text = HEADER + 'a,laplace,1\nb,laplace,x,,,y\n\n"c\nc",laplace,1\n,gauss,0,,,-1\nd,laplace,0\n'
    assert problems(text) == [
        f"line 3, epsilon 'x': {NUMBER}",
        f"line 3, count 'y': {NUMBER}",
        f"line 5, name 'c\\nc': {SAID_OF_NAME}",
        f"line 7, mechanism 'gauss': {KEYS_ALLOWED}",
        f"line 7, name '': {SAID_OF_NAME}",
        "line 7, count '-1': must be in [0, 1000000000], a whole number",
        "line 8, epsilon '0': must be in (0, inf)",
    ]


def test_long_lists_of_problems_are_cut():
    """The message lists 20; the error keeps all."""
    with pytest.raises(PlanFileError) as caught:
        Plan.from_csv(HEADER + "a,laplace,0\n" * 25)
    assert len(caught.value.problems) == 25
    assert str(caught.value).split("\n")[20:] == ["line 21, epsilon '0': must be in (0, inf)", "and 5 more"]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("", ["line 1, header '': must name the columns; the file is empty"]),
        (" \n,,\n", ["line 1, header '': must name the columns; the file is empty"]),
        (
            "name,mechanism,colour,size",
            [f"line 1, header '{name}': must be one of the columns {HEADS}" for name in ("colour", "size")],
        ),
        ("\nname,mechanism,Name", ["line 2, header 'name': must name each column once"]),
        (
            "epsilon",
            ["line 1, header '': must have the column name", "line 1, header '': must have the column mechanism"],
        ),
    ],
)
def test_bad_header(header, said):
    """Unknown, repeated and missing columns are named."""
    assert problems(header) == said


def test_subsampled_rows_are_read_and_written():
    """The scheme and the rate stand beside the parameters of what is sampled for."""
    text = "name,mechanism,sigma,sensitivity,scheme,rate,count\nround,gaussian,1.0,1.0,poisson,0.01,1000\n"
    plan = Plan.from_csv(text)
    assert plan.releases[0].mechanism == Subsampled(Gaussian(1.0, 1), 0.01, "poisson")
    assert plan.neighbours == "add_remove"
    assert Plan.from_csv(plan.to_csv()).releases == plan.releases
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,laplace,1,poisson,", "must be given together with rate"),
        ("a,laplace,1,,0.1", "must be given together with scheme"),
        ("a,laplace,1,shuffled,0.1", "must be one of poisson, without_replacement"),
        ("a,laplace,1,poisson,1.5", "must be in [0, 1]"),
    ],
)
def test_bad_sampling_is_named(row, said):
    """What is wrong with the sampling of a row is said with its line."""
    (problem,) = problems(f"name,mechanism,scale,scheme,rate\n{row}")
    assert problem.startswith("line 2")
    assert said in problem


def test_relations_that_cannot_be_mixed_are_refused_by_name():
    """Poisson sampling demands add_remove, sampling without replacement demands replace_one."""
    text = "name,mechanism,scale,scheme,rate\na,laplace,1,poisson,0.1\nb,laplace,1,without_replacement,0.1\n"
    with pytest.raises(ValueError, match=r"'a'.*'b'"):
        Plan.from_csv(text)


LAPLACE = '{"name": "a", "mechanism": "laplace", "epsilon": 1}'


def plan_json(release: str = LAPLACE, **fields: str) -> str:
    head = "".join(f'"{name}": {value}, ' for name, value in fields.items())
    return f'{{"dpviz_plan": 1, {head}"releases": [{LAPLACE}, {release}]}}'


def release_json(**fields: str) -> str:
    pairs = {"name": '"a"', "mechanism": '"laplace"', **fields}.items()
    return plan_json("{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1, JSON '': must be valid JSON (Expecting property name enclosed in double quotes at character 2)"),
        ('{\n"a": tru}', "line 2, JSON 'tru}': must be valid JSON (Expecting value at character 6)"),
        ("[]", "plan, JSON '[]': must be an object {\"dpviz_plan\": 1, ...}"),
        ("{}", "plan, dpviz_plan '': must be the version of the file format, a whole number up to 7"),
        ('{"dpviz_plan": "1"}', "plan, dpviz_plan '1': must be the version of the file format, a whole number up to 7"),
        (
            '{"dpviz_plan": true}',
            "plan, dpviz_plan 'true': must be the version of the file format, a whole number up to 7",
        ),
        (
            '{"dpviz_plan": 8, "unheard": "of"}',
            "plan, dpviz_plan '8': is a newer version of the file format: this dpviz reads versions up to 7",
        ),
        ('{"dpviz_plan": 1}', "plan, releases 'null': must be a list of releases"),
        (plan_json("5"), "release 2, release '5': must be an object with name, mechanism and parameters"),
        (plan_json(unit="5"), f"plan, unit '5': {SAID_OF_NAME}"),
        (plan_json(unit='"a", "unit": "b"'), "plan, field 'unit': must not be given twice"),
        (plan_json(relation='"x"'), "plan, relation 'x': must be one of None, add_remove, replace_one"),
        (plan_json(population="0"), "plan, population '0': must be in [1, 1e+13], a whole number"),
        (plan_json(population="1e999"), "plan, population '1e999': must be in [1, 1e+13], a whole number"),
        (plan_json(adaptive='"yes"'), "plan, adaptive 'yes': must be None, True or False"),
        (plan_json(adaptive="[true]"), "plan, adaptive '[True]': must be a single value"),
        (
            plan_json(colour="1"),
            "plan, field 'colour': must be one of the fields dpviz_plan, budget, unit, relation, population, adaptive, "
            "releases",
        ),
        (plan_json(budget="4"), 'plan, budget \'4\': must be an object {"epsilon": ..., "delta": ...}'),
        (plan_json(budget='{"epsilon": 4}'), "plan, budget delta '': must be given in the budget"),
        (plan_json(budget='{"epsilon": -4, "delta": 0}'), "plan, budget epsilon '-4': must be in [0, inf]"),
        (plan_json(budget='{"epsilon": 4, "delta": NaN}'), "plan, budget delta 'NaN': must be in [0, 1]"),
        (plan_json(budget='{"epsilon": Infinity, "delta": 0}'), "plan, budget epsilon 'Infinity': must be in [0, inf]"),
        (release_json(scale="NaN"), f"release 2, scale 'NaN': {NUMBER}"),
        (release_json(scale="-Infinity"), f"release 2, scale '-Infinity': {NUMBER}"),
        (release_json(scale="1e999"), f"release 2, scale '1e999': {NUMBER}"),
        (release_json(scale="null"), f"release 2, scale 'null': {NUMBER}"),
        (release_json(scale="true"), f"release 2, scale 'true': {NUMBER}"),
        (release_json(scale='"1"'), f"release 2, scale '1': {NUMBER}"),
        (release_json(scale="[1]"), "release 2, scale '[1]': must be a single value"),
        (
            release_json(scale='1, "scale": 1'),
            "release 2, field 'scale': must not be given twice",
        ),
        (release_json(scale="-1"), "release 2, scale '-1': must be in (0, inf)"),
        (release_json(mechanism="5", scale="1"), "release 2, mechanism '5': must be text"),
        (release_json(scale="1", name="NaN"), "release 2, name 'NaN': must be text"),
        (
            release_json(scale="1", name='"\\ud800"'),
            f"release 2, name '\\ud800': {SAID_OF_NAME}",
        ),
        (
            release_json(scale="1", colour="1"),
            f"release 2, field 'colour': must be one of the fields {FIRST}",
        ),
        (
            release_json(scale="1", count="1" + "0" * 30),
            "release 2, count '1e+30': must be in [0, 1000000000], a whole number",
        ),
        (
            release_json(scale="1", count="9" * 5000),
            f"release 2, count '9999999999999...99999999999999': {NUMBER}",
        ),
    ],
)
def test_bad_json_is_named_with_its_place(text, said):
    """A bad field is told by release or line, name and value, with what is allowed."""
    assert problems(text) == [said]


def test_every_bad_json_field_is_told_at_once():
    """Problems of the plan, its budget and its releases come together."""
    text = plan_json('{"name": "", "mechanism": "laplace", "epsilon": 0, "count": -1}', unit="0", budget="{}")
    assert problems(text) == [
        f"plan, unit '0': {SAID_OF_NAME}",
        "plan, budget epsilon '': must be given in the budget",
        "plan, budget delta '': must be given in the budget",
        "release 2, epsilon '0': must be in (0, inf)",
        f"release 2, name '': {SAID_OF_NAME}",
        "release 2, count '-1': must be in [0, 1000000000], a whole number",
    ]


def test_releases_at_odds_are_told():
    """What is wrong only between fields is told with the names of the releases."""
    release = '{"name": "a", "mechanism": "laplace", "epsilon": 1, "part": "North"}'
    assert problems(plan_json(release, relation='"replace_one"')) == [
        "plan: part must be empty under replace_one, since replacing one record can change two parts and parallel "
        "composition holds for add_remove only; got 'North' in release 'a'"
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"name,mechanism\n\xff,laplace",
            "line 2, text '\xff,laplace': must be UTF-8 text; spreadsheets save it as CSV UTF-8",
        ),
        (
            "name".encode("utf-16"),
            "line 1, text '\xff\xfen\\x00a\\x00m\\x00e\\x00': must be UTF-8 text; spreadsheets save it as CSV UTF-8",
        ),
        (b"\x00", f"line 1, header '\\x00': must be one of the columns {HEADS}"),
        (b"[" * 100_000, f"plan, JSON '{'[' * 39}…': must not nest so deeply"),
        (b'{"a":' * 100_000, "plan, JSON '" + ('{"a":' * 8)[:39] + "…': must not nest so deeply"),
        (b" " * (MAXIMUM_BYTES + 1), "plan, file '': must be at most 5 MB and 100,000 rows"),
        (HEADER.encode() + b"a,laplace,1\n" * 100_001, "line 100002, row '100001': must be at most 100,000 rows"),
        (
            b'{"dpviz_plan": 1, "releases": [' + b"0," * 100_000 + b"0]}",
            "plan, releases '100001': must be at most 100,000 rows",
        ),
    ],
)
def test_hostile_bytes(content, said):
    """Foreign encodings, deep nests and oversized files are refused with their limit."""
    with pytest.raises(PlanFileError) as caught:
        Plan.read(io.BytesIO(content))
    assert str(caught.value).split("\n")[1] == said


def test_unreadable_paths_and_objects(tmp_path):
    """What is no file is refused as such."""
    for path in (tmp_path / "absent.csv", tmp_path, "a\x00b"):
        with pytest.raises(PlanFileError, match="must be a file that can be read"):
            Plan.read(path)
    with pytest.raises(ValueError, match=r"^path_or_file must be a path or an open file; got 3$"):
        Plan.read(3)
    (tmp_path / "latin.csv").write_bytes(b"\xff")
    with (
        (tmp_path / "latin.csv").open(encoding="utf-8") as file,
        pytest.raises(PlanFileError, match="must be UTF-8 text"),
    ):
        Plan.read(file)


def test_an_error_is_a_value():
    """It survives being sent to another process, and its problems are frozen."""
    error = PlanFileError([Problem(3, "epsilon", "x" * 50, "must be in [0, inf]")])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert error.problems[0].value == "x" * 39 + "…"
    assert isinstance(error, ValueError)


# --- anything at all


def reads_or_refuses(content: bytes) -> None:
    for file in (io.BytesIO(content), named(content, "a.csv"), named(content, "a.json")):
        try:
            plan = Plan.read(file)
        except PlanFileError as error:
            assert error.problems
            assert str(error)
        else:
            assert Plan.from_json(plan.to_json()) == plan


def named(content: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**30, 1e-320, 1e308, -0.0, "inf", "laplace", "gaussian", "classical", "approximate_dp"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from([*COLUMNS.split(", "), "budget", "unit", "relation", "population", "adaptive", "dpviz_plan"])


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=3), st.dictionaries(NAMES, VALUES, max_size=3))
def test_any_json_is_read_or_refused(releases, fields):
    """Any value at any place gives a plan or a PlanFileError."""
    document = {"dpviz_plan": 1, **fields, "releases": [{"name": "a", **each} for each in releases]}
    reads_or_refuses(json.dumps(document).encode())


KEYS = ["laplace", "gaussian", "randomized_response", "approximate_dp", "name_and_shame", "classical", "analytic"]
COMMAS = ["0,05", "1,000", "1.000", "1,5e3"]
DIGITS = [*COMMAS, "0", "1", "0.5", "1e-6", "-1", "1e308", "1e-308", "5e-324", "1e999", "inf", "nan", "9" * 25]
CELLS = st.sampled_from([*KEYS, *DIGITS, "", "a", "'=", '"', "\0"]) | st.text(max_size=4)


@given(st.sampled_from(",;\t"), st.lists(st.lists(CELLS, max_size=13), max_size=4))
def test_any_table_is_read_or_refused(separator, rows):
    """Any cells under the usual header give a plan or a PlanFileError."""
    lines = [COLUMNS.replace(", ", separator), *(separator.join(row) for row in rows)]
    reads_or_refuses("\n".join(lines).encode("utf-8", "surrogatepass"))


EDITS = st.lists(
    st.tuples(
        st.integers(0, 3000), st.integers(0, 20), st.binary(max_size=6) | st.sampled_from([b"\n", b'"', b"e999", b"{"])
    ),
    min_size=1,
    max_size=4,
)


@given(st.sampled_from(["plan-1.json", "plan-1.csv"]), EDITS)
@example("plan-1.json", [(0, 3000, b"")])
def test_any_mutation_is_read_or_refused(name, edits):
    """A good file with bytes changed, cut or put in gives a plan or a PlanFileError."""
    content = (FILES / name).read_bytes()
    for position, length, replacement in edits:
        content = (
            content[: position % (len(content) + 1)] + replacement + content[position % (len(content) + 1) + length :]
        )
    reads_or_refuses(content)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    """Noise gives a PlanFileError."""
    reads_or_refuses(content)
