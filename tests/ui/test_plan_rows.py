"""The table of releases is lossless, says what is wrong row by row, and reads noise in every sign."""

import math
import re
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
)
from dpviz.decimals import typed
from dpviz.mechanisms import BASE_MECHANISMS, Mechanism
from dpviz.mechanisms.forms import parameters_of
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.planning.accuracy import half_width
from dpviz.ui.shell import examples, plan_rows, refusals
from dpviz.ui.shell.document import filled_in
from dpviz.ui.shell.document.pasting import UNTAKEN, astray, pasted
from dpviz.ui.shell.plan_rows import (
    KEYS,
    LABELS,
    NEW_ROW,
    USUAL,
    blank,
    changed,
    noise_allowed,
    noise_of,
    releases_of,
    row_of,
    rows_of,
    seen,
    understood,
)
from tests.plan_strategies import PLANS

prefilled = partial(filled_in.prefilled, begin=date(2027, 1, 1))

MIXED = Plan(
    [
        Release("Scale", Laplace(10.0, 2.0), 3, "North"),
        Release("Sigma", Gaussian(4.0, 1)),
        Release("Pair", Gaussian.from_guarantee(0.5, 1e-9)),
        Release("Response", RandomizedResponse(0.1)),
        Release("Box", ApproximateDP(1.0, 1e-30)),
    ]
)


@pytest.mark.parametrize("plan", [MIXED, *(examples.plan_of(key) for key in examples.BY_KEY)])
def test_table_keeps_every_digit(plan: Plan):
    """What a table shows is what a plan holds."""
    made, faults = releases_of(rows_of(plan))
    assert replace(plan, releases=tuple(made.values())) == plan and not faults


@given(
    kind=st.sampled_from([each for each in BASE_MECHANISMS if adds_noise(each)]),
    width=st.tuples(st.integers(1, 9999), st.integers(-3, 6)).map(lambda each: float(f"{each[0]}e{each[1]}")),
)
@example(kind=DiscreteLaplace, width=0.1)  # 19 of 20 of these numbers have no error at all
def test_a_wanted_error_stays_what_was_typed(kind: type[Mechanism], width: float):
    """A cell with ±40 says ±40 when it is drawn again, or a scale of few digits; either way the noise is the same."""
    row = {"name": "a", "mechanism": LABELS[kind.key], "noise": f"±{width!r}", "sensitivity": "1"}
    made, faults = releases_of([row_of(row)])
    assume(not faults)  # noise on integers needs an error of at least one half
    [again] = rows_of(Plan(made.values()))
    digits = sum(map(str.isdigit, again["noise"]))
    shown = float(again["noise"][1:]) if again["noise"].startswith("±") else 0.0
    assert shown in (width, 0.5) or digits <= plan_rows.MOST_DIGITS
    assert releases_of([again])[0] == made


@pytest.mark.parametrize(
    ("mechanism", "noise"),
    [("Gaussian", "ε 0.1"), (None, "ε 0.1"), ("Randomized response", "ε 0.1"), ("Laplace", "σ 3")],
)
@pytest.mark.parametrize("kind", [None, "survey answer", "count"])
def test_noise_that_was_typed_is_never_replaced(mechanism: str | None, noise: str, kind: str | None):
    """Also where it is what a new row would begin with: what does not fit its mechanism is said, not changed."""
    row = row_of({"name": "a", "mechanism": mechanism, "noise": noise, "kind": kind})
    [filled] = prefilled([row], [row_of({})])
    assert filled["noise"] == noise and (mechanism is None or filled["mechanism"] == mechanism)


def test_another_noise_leaves_the_calibration_of_a_pair():
    """It says how σ follows from ε and δ, and nothing where σ was typed."""
    old = row_of({"name": "a", "mechanism": "Gaussian", "noise": "ε 0.1, δ 1e-9", "calibration": "analytic"})
    [sigma] = prefilled([{**old, "noise": "σ 25"}], [old])
    assert sigma["calibration"] is None and releases_of([sigma])[0]
    for noise in ("ε 0.2, δ 1e-9", "eps 0.2 delta 1e-9", "eps=0.2; delta=1e-9", "ε 0.2, δ 0.000000001"):
        [pair] = prefilled([{**old, "noise": noise}], [old])
        assert pair["calibration"] == "analytic" and releases_of([pair])[0], noise


def test_a_day_that_cannot_be_read_stays_where_a_rhythm_goes():
    """Nothing that was typed is deleted, where no last day came with the rhythm."""
    old = row_of({"name": "a", "mechanism": "Laplace", "noise": "b 9", "cadence": "monthly", "start": "soon"})
    [once] = prefilled([{**old, "cadence": "once"}], [old])
    assert once["start"] == "soon" and once["end"] is None


@given(st.integers(1, 9999).map(lambda each: each / 1e6), st.sampled_from([1.0, 2.0, 100.0, 0.5]))
def test_a_rho_stays_what_was_typed(rho: float, changes: float):
    """So that it still holds when the sensitivity is changed."""
    row = {"name": "a", "mechanism": "Gaussian", "noise": f"ρ {rho!r}", "sensitivity": repr(changes)}
    made, _ = releases_of([row_of(row)])
    [again] = rows_of(Plan(made.values()))
    assert releases_of([again])[0] == made
    digits = sum(map(str.isdigit, again["noise"]))
    assert again["noise"][0] in "ρ±" or digits <= plan_rows.MOST_DIGITS
    if again["noise"][0] == "ρ":
        assert float(again["noise"][1:]) == rho


def test_a_first_line_of_titles_names_the_columns():
    """In any order and in other words than those of the table; a line that holds a number is no such line."""
    text = "kind\tname\thow often\tnoise\tsensitivity\ncount\tVisits\tweekly\tε 0.02\t1\nsum\tPay\t\tε 0.1\t0 to 100"
    rows, left = pasted([row_of({})], 0, 0, ["Release", "Noise"], text)
    found = [(each["name"], each["kind"], each["cadence"]) for each in rows]
    assert found == [("Visits", "count", "weekly"), ("Pay", "sum", None)]
    assert not left and [each["sensitivity"] for each in rows] == ["1", "0 to 100"]
    titles = ["Release", "What it is", "Mechanism", "Noise"]
    no_titles = "Noise\tcount\tLaplace\tε 0.1", "Noise\tcount", "Mechanism\tcount\tLaplace", "name\t5", "Part\tcount"
    for first in no_titles:
        rows, _ = pasted([row_of({})], 0, 0, titles, f"{first}\nVisits\tcount\tLaplace\tε 0.2")
        assert [row["name"] for row in rows] == [first.split("\t")[0], "Visits"], "no release is taken for titles"
    alone = "name\tkind\tnoise"  # one line is what is pasted, whatever it says
    assert pasted([row_of({})], 0, 0, titles, alone)[0][0]["name"] == "name"


def test_titles_of_elsewhere_name_columns_too():
    """What a cell of noise holds may have columns of its own, and how often there are is told in all, or each day."""
    text = (
        "query\tfrequency\tnumber of releases\tmechanism\tsigma\tL1 sensitivity\tremark\tbudget holder\n"
        "Active users\tdaily\t90\tgaussian\t12\t1\tx\ty\nOnce\t\t3\tgaussian\t5\t1"
    )
    (daily, once), left = pasted([row_of({})], 0, 0, ["Release"], text, date(2026, 1, 1))
    assert [daily[name] for name in ("name", "count", "cadence", "noise")] == ["Active users", "1", "daily", "sigma 12"]
    assert (daily["start"], daily["end"], once["count"]) == ("2026-01-01", "2026-03-31", "3")
    assert left.startswith("Not taken: the columns “remark”, “budget holder”, which the table does not have.")
    assert re.search(r"Columns of the table for which nothing came: (“[^”]+”, ){4}“[^”]+” and \d+ more\.", left)
    assert not {"Noise", "Times", "Sensitivity"} & {*re.findall("“([^”]*)”", left)}
    blank_rows = [row_of({})] * 2
    rows = understood([daily, once], blank_rows)
    made, faults = releases_of(prefilled(rows, blank_rows))
    assert not faults and [made[0].uses, made[1].uses] == [90, 3]
    assert filled_in.repeated(rows, blank_rows) == []


def test_what_may_be_meant_otherwise_is_not_taken_for_a_number_of_the_plan():
    """Those expected to answer are no least number of a mean, and a date may be no first day: both are told as left."""
    titles = "name\tkind\tmechanism\tnoise\tRespondents\tDate\tApprox. value"
    text = f"{titles}\nCome again\tsurvey answer\tRandomized response\teps 1\t12000\t2027-09-15\t40"
    [row], left = pasted([row_of({})], 0, 0, ["Release"], text)
    made, faults = releases_of([row])
    assert left.startswith("Not taken: the columns “Respondents”, “Date”, ")
    assert not faults and (made[0].averaged, made[0].start, made[0].typical) == (None, None, 40)


def test_a_table_of_trainings_and_counts_is_pasted_with_its_own_titles():
    """A digit in a title is no number; parts of a training are none of other noise; L2 is no L1."""
    text = (
        "query\talgorithm\tnoise multiplier\tepsilon\tsigma\tL2 sensitivity\tepochs\tbatch size\tusers\t"
        "per-release count\tfrequency\nModel\tDP-SGD\t0.9\t\t\t1\t3\t4000\t2000000\t1\tmonthly\n"
        "Tops\treport noisy max\t\t0.05\t\t1\t\t\t2000000\t1\tweekly\n"
        "Whole\tdiscrete gaussian\t\t\t60\t1\t\t\t\t5\tdaily\nReal\tgaussian\t\t\t60\t3\t\t\t\t5\tdaily\n"
        "Sharp\tLaplace\t\t0.1\t\t3\t\t\t\t5\tdaily"
    )
    rows, left = pasted([row_of({})], 0, 0, ["Release"], text)
    before = [row_of({})] * 5
    made, faults = releases_of(prefilled(understood(rows, before), before))
    told = TrainedModel.from_text("noise multiplier 0.9, epochs 3, batch size 4000, records 2000000")
    assert left == UNTAKEN.format("Tops") and made[0].mechanism == told
    assert [made[place].uses for place in (0, 1, 2)] == [12, 53, 1825]
    assert [made[place].mechanism.sensitivity for place in (2, 3)] == [1, 3]
    [[problem]] = faults.values()
    assert 4 in faults and (problem.column, problem.value) == ("sensitivity", "3 in L2")
    assert releases_of([rows[0] | {"noise": f"{rows[0]['noise']}, eps 3"}])[1], "both cannot be said of one training"
    for number in ("ε0.1", "b10", "5"):  # which are no titles
        assert pasted([row_of({})], 0, 0, ["Release"], f"name\tkind\t{number}\nA\tcount\tb 10")[0][0]["name"] == "name"


def test_parts_of_trainings_are_never_dropped():
    """Of a row without a mechanism they are its noise; beside another they are told, and records where none has any."""
    titles, run = "name\tnoise multiplier\tbatch size\trecords\tepochs", "1.1\t256\t60000\t15"
    rows, left = pasted([row_of({})], 0, 0, ["Release"], f"{titles}\nModel\t{run}")
    made, faults = releases_of(prefilled(understood(rows, [row_of({})]), [row_of({})]))
    told = TrainedModel.from_text("noise multiplier 1.1, epochs 15, batch size 256, records 60000")
    assert not left and not faults and made[0].mechanism == told
    lines = f"{titles}\tmechanism\tepsilon\nA\t1.1\t256\t60000\t15\ttrained model\t\nB\t\t\t60000\t\tLaplace\t0.1"
    (_, other), left = pasted([row_of({})], 0, 0, ["Release"], lines)
    assert left == UNTAKEN.format("B") and other["noise"] == "eps 0.1"
    [other], _ = pasted([row_of({})], 0, 0, ["Release"], f"{titles}\tmechanism\tepsilon\nB\t\t256\t\t\tLaplace\t0.1")
    assert releases_of([other])[1][0][0].value == "batch size 256, eps 0.1"
    [row], left = pasted([row_of({})], 0, 0, ["Release"], f"{titles}\t\t\nModel\t{run}\t\t")
    assert (row["name"], left) == ("Model", ""), "a title may be empty"
    for title in ("records", "users", "Number of records"):
        [row], left = pasted([row_of({})], 0, 0, ["Release"], f"name\tmechanism\tepsilon\t{title}\nB\tLaplace\t1\t9")
        assert (row["noise"], row["rows"]) == ("eps 1", None) and left.startswith(f"Not taken: the column “{title}”")


def test_a_rate_beside_a_training_is_that_of_its_batches():
    """It is told once: beside batch size and records it would be one number too many, and no second sample."""
    titles, run = "name\tnoise multiplier\tbatch size\trecords\tepochs\tsampling rate", "M\t1.1\t256\t60000\t15\t{}"
    for between in ("\t", "\tsampling\t"):
        text = f"{titles}{between}\n{run.format('0.00427')}{between.replace('sampling', 'poisson')}"
        rows, _ = pasted([row_of({})], 0, 0, ["Release"], text)
        made, faults = releases_of(prefilled(understood(rows, [EMPTY]), [EMPTY]))
        assert not made and "must name two of" in str(faults[0])
    text = f"{titles}\n{run.format('0.00427')}".replace("records\t", "").replace("60000\t", "")
    [row], _ = pasted([row_of({})], 0, 0, ["Release"], text)
    [row] = understood([row], [row_of({})])
    assert row["rate"] is None and row["noise"].endswith(", sampling rate 0.00427")
    with pytest.raises(ValueError, match="rate must be empty of a trained model"):
        Subsampled(TrainedModel(60000, 256, 1.1, 15), 0.1, "poisson")


def test_records_of_a_training_come_before_users_and_dashes_are_nothing():
    """Wherever they stand; a training may be told in a cell of noise, too, or lie in the table already."""
    run = {"name": "M", "users": "1000000", "noise multiplier": "1.1", "batch size": "256", "records": "60000",
           "epochs": "15"}  # fmt: skip
    told = TrainedModel.from_text("noise multiplier 1.1, epochs 15, batch size 256, records 60000")
    dashed = "C\t–\t—\t-\tn/a\t–\tLaplace\t0.1"
    text = "\n".join(["\t".join([*run, "algorithm", "epsilon"]), "\t".join([*run.values(), "DP-SGD", "–"]), dashed])
    rows, left = pasted([row_of({})], 0, 0, ["Release"], text)
    made, faults = releases_of(prefilled(understood(rows, [EMPTY] * 2), [EMPTY] * 2))
    assert not faults and made[0].mechanism == told and made[1].mechanism == Laplace.from_epsilon(0.1)
    assert left.startswith("Not taken: the column “users”")
    noise = "noise multiplier 1.1, batch size 256, epochs 15"
    rows, left = pasted([row_of({})], 0, 0, ["Release"], f"name\tnoise\trecords\tapproach\nM\t{noise}\t60000\tDP-SGD")
    assert not left and releases_of(understood(rows, [EMPTY]))[0][0].mechanism == told
    there = row_of({"name": "M", "mechanism": "Trained model", "noise": f"{noise}, records 9000"})
    again = "\n".join("\t".join(each) for each in (run, run.values())).replace("users\t", "").replace("1000000\t", "")
    rows, left = pasted([there], 0, 0, ["Release"], again)
    assert not left and releases_of(rows)[0][0].mechanism == told


@pytest.mark.parametrize(("title", "rows"), [
    ("Records per day", None), ("rows of one table", None), ("rows", "9"), ("number of rows", None),
    ("rows per person", "9"), ("max. rows", "9"), ("contributions of one user", "9"), ("records per device", "9"),
])  # fmt: skip
def test_rows_of_one_unit_are_those_of_somebody(title: str, rows: str | None):
    [row], left = pasted([row_of({})], 0, 0, ["Release"], f"name\ttype\tnoise\t{title}\nVisits\tcount\tb 10\t9")
    assert row["rows"] == rows and (rows is None) == bool(left)


def test_marks_of_repetition_are_no_quotation():
    rows, _ = pasted([row_of({})], 0, 0, ["Release", "Noise"], '"\tε 1\n"\tε 2')
    assert [(row["name"], row["noise"]) for row in rows] == [('"', "ε 1"), ('"', "ε 2")]
    shown = ["Release", "What it is", "Mechanism", "Noise", "Times", "Sensitivity"]
    [_, row], _ = pasted([row_of({})], 0, 0, shown, 'A\tcount\tLaplace\tε 0.5\t2\t1\nB\tcount\tLaplace\t"\t"\t3')
    assert [row[name] for name in ("noise", "count", "sensitivity")] == ['"', '"', "3"], "none is moved"
    rows, _ = pasted([row_of({})], 0, 0, ["Release"], 'Visits\n"\n"\nTrips')
    assert [row["name"] for row in rows] == ["Visits", '"', '"', "Trips"]
    [row, _], _ = pasted([row_of({})], 0, 0, ["Release", "Noise"], 'A\t"b\tc\nd"\nB\tε 2')
    assert row["noise"] == "b\tc\nd"
    [row], _ = pasted([row_of({})], 0, 0, ["Release", "Noise"], '"A\nB"\tε 1')
    assert (row["name"], row["noise"]) == ("A\nB", "ε 1")


@pytest.mark.parametrize(("stood", "typed_text", "meant"), [
    ("σ 60", "σ 61 → σ 136.7", "σ 61"),
    ("σ 60", "σ 60 → σ 130", "σ 130"),
    ("noise multiplier 0.9, batch size 9, scheme poisson",
     "noise multiplier 0.9 → 2.051, batch size 9, scheme fixed",
     "noise multiplier 0.9, batch size 9, scheme fixed"),
    ("noise multiplier 0.9, batch size 9, scheme poisson",
     "noise multiplier 0.9 → 2.1, batch size 9, scheme poisson", "noise multiplier 2.1, batch size 9, scheme poisson"),
    ("epochs 2, noise multiplier 0.9, batch size 9, records 90",
     "noise multiplier 0.9 → 2.1, batch size 9, records 90, epochs 2, scheme poisson",
     "noise multiplier 2.1, batch size 9, records 90, epochs 2, scheme poisson"),
    ("noise multiplier 0.9, batch size 9, records 90, epochs 2, scheme poisson",
     "epochs 2 → 5, noise multiplier 0.9, batch size 9, records 90, scheme poisson",
     "epochs 5, noise multiplier 0.9, batch size 9, records 90, scheme poisson"),
    ("multiplier 0.9, batch 9 of 90, epochs 2",
     "multiplier 0.9 → 2.1, batch 9 of 90, epochs 2", "multiplier 2.1, batch 9 of 90, epochs 2"),
    ("multiplier 0.9, batch 9 of 90, epochs 2",
     "epochs 2 → 5, multiplier 0.9, batch 9 of 90", "epochs 5, multiplier 0.9, batch 9 of 90"),
    ("multiplier 0.9, batch 9 of 90, epochs 2",
     "epochs 3 → 5, multiplier 0.9, batch 9 of 90", "multiplier 0.9, batch 9 of 90, epochs 3"),
    ("noise multiplier 0.9, batch size 9, records 90, epochs 2, scheme poisson",
     "epochs 2 → 5, noise multiplier 0.9, batch size 8, records 90, scheme poisson",
     "multiplier 0.9, batch 8 of 90, epochs 2"),
])  # fmt: skip
def test_a_cell_with_an_offer_beside_the_present_is_edited_as_what_was_changed(stood, typed_text, meant):
    rows = [row_of({"name": "A", "mechanism": "Gaussian", "noise": stood})]
    assert changed(rows, {"edited_rows": {0: {"noise": typed_text}}})[0]["noise"] == meant


def test_rows_of_one_unit_may_be_pasted_and_the_sensitivity_follows():
    titles = "query\ttype\tmechanism\tnoise\tmax contributions"
    text = f"{titles}\nVisits\tcount\tLaplace\tb 10\t20\nRides\thistogram\tLaplace\tb 10\t"
    rows, left = pasted([row_of({})], 0, 0, ["Release"], text)
    made, faults = releases_of(prefilled(understood(rows, [row_of({})] * 2), [row_of({})] * 2))
    assert not left and not faults and [made[place].rows for place in (0, 1)] == [20, None]
    for title in ("Contributions", "rows per person", "Maximum number of records per user", "max. contributions"):
        [row], _ = pasted([row_of({})], 0, 0, ["Release"], f"query\ttype\tnoise\t{title}\nVisits\tcount\tb 10\t7")
        assert row["rows"] == "7"
    assert [known.value for known in Plan(made.values()).sensitivities] == [20, 1]


def test_a_column_of_noise_that_holds_mechanisms_is_theirs():
    """Then the parameter beside it is the noise."""
    titles = "Metric\tKind\tNoise\tParameter\tCadence"
    text = f"{titles}\nA\tcount\tGaussian\tsigma=25\tweekly\nB\tcount\tLaplace\tb=6\tdaily"
    rows, left = pasted([row_of({})], 0, 0, ["Release"], text)
    found = [(each["mechanism"], each["noise"], each["cadence"]) for each in rows]
    assert not left and found == [("Gaussian", "sigma=25", "weekly"), ("Laplace", "b=6", "daily")]
    [row], _ = pasted([row_of({})], 0, 0, ["Release"], "Metric\tKind\tNoise\tSensitivity\nA\tcount\tb 25\t1")
    assert (row["noise"], row["mechanism"]) == ("b 25", None)


def test_counts_become_a_histogram_only_where_its_sensitivity_follows():
    """A loss, or a sensitivity for a replaced unit, was typed for one count: of a histogram two bars change."""
    counts = row_of({"name": "Rides", "kind": "count", "mechanism": "Laplace", "noise": "b 9", "count": "40"})
    stated = {**counts, "mechanism": "Black box (ε, δ)", "noise": "eps 0.1, delta 1e-9"}
    assert filled_in.in_groups(stated) is None and filled_in.in_groups({**counts, "count": "1"}) is None
    typed = {**counts, "sensitivity": "2"}
    assert filled_in.in_groups(typed, replaced=True) is None and filled_in.in_groups(typed)["sensitivity"] == "2"
    made = releases_of([filled_in.in_groups(counts, replaced=True)])[0]
    [known] = Plan(made.values(), relation="replace_one").sensitivities
    assert known.value == 2 and made[0].uses == 1


def test_a_sensitivity_gives_way_to_rows_for_which_it_is_too_small():
    """Of what is typed later, whichever relation holds; one that is enough stays."""
    old = row_of({"name": "Rides", "kind": "histogram", "mechanism": "Gaussian", "noise": "σ 9", "sensitivity": "3"})
    for rows, bars, relation, kept in (
        ("3", None, "add_remove", "3"), ("4", None, "add_remove", None), ("9", "different", "add_remove", "3"),
        ("9", "different", "replace_one", None), ("none", None, "add_remove", "3"), ("0", None, "add_remove", "3"),
    ):  # fmt: skip
        new = {**old, "rows": rows, "bars": bars}
        [row] = prefilled([new], [old], plan=Plan([], relation=relation))
        assert row == {**new, "sensitivity": kept}
        assert prefilled([{**new, "sensitivity": "1"}], [old])[0]["sensitivity"] == "1", "typed now"
    four = {**old, "rows": "4", "sensitivity": "4"}  # as followed, so that it goes on following
    for fewer in ({"bars": "different"}, {"rows": None}, {"rows": "3"}):
        assert prefilled([{**four, **fewer}], [four])[0]["sensitivity"] == "4", "no number that was typed is lowered"
    four |= {"mechanism": "Laplace", "noise": "b 9"}
    assert prefilled([{**four, "bars": "different"}], [four])[0]["sensitivity"] is None, "the same follows"


def test_a_first_line_in_words_of_ones_own_is_known_by_some_of_them():
    """The first column that the table does not have is then the release's; a line of data is none of titles."""
    text = (
        "Metric\tKind\tNoise added\tNoise level\tPer device at most\tRepeats\tRhythm\tFirst day\tValues from\tto\n"
        "Crashes\thistogram\tdiscrete Gaussian\tsigma 20\t2 crashes\t60\tdaily\t2026-03-01\t\t"
    )
    [row], left = pasted([row_of({})], 0, 0, ["Release"], text, date(2027, 1, 1))
    told = ["Crashes", "histogram", "discrete Gaussian", "sigma 20"]
    assert [row[name] for name in ("name", "kind", "mechanism", "noise")] == told
    assert [row[name] for name in ("count", "cadence", "start", "end")] == ["60", "daily", "2026-03-01", None]
    told = filled_in.repeated(prefilled([row], [row_of({})]), [row_of({})])
    assert told == [0] and filled_in.in_all(row)["end"] == "2026-04-29", "so many each day, until somebody says all"
    assert "“Per device at most”, “Values from”, “to”" in left
    no_titles = "Visits\tcount\tLaplace\tε 0.1", "Noise\tcount\t\t", "Visits\tcount\t\t"
    for line in no_titles:
        rows, _ = pasted([row_of({})], 0, 0, ["Release", "What it is", "Mechanism", "Noise"], f"{line}\nPay\tsum\t\t")
        assert [each["name"] for each in rows] == [line.split("\t")[0], "Pay"]


def test_titles_that_the_table_does_not_have_are_known_by_what_stands_beneath_them():
    """Mechanisms, kinds and rhythms tell of themselves; the first column is the release's, and the rest is listed."""
    text = (
        "What we ship\tPrivacy method\tHow noisy\tSort\tWhen\tRuns\n"
        "Weekly count\tLaplace\tb 15\tcount\tweekly\t26\nPick\treport noisy max\teps 0.3\tselection\t\t5"
    )
    (count, pick), left = pasted([row_of({})], 0, 0, ["Release", "Noise"], text)
    told = ["Weekly count", "Laplace", "count", "weekly"]
    assert [count[name] for name in ("name", "mechanism", "kind", "cadence")] == told
    assert [(each["noise"], each["count"]) for each in (count, pick)] == [("b 15", "26"), ("eps 0.3", "5")] and not left
    rows, left = pasted([row_of({})], 0, 0, ["Release", "Noise"], text.replace("b 15", "15").replace("eps 0.3", "0.3"))
    assert [each["noise"] for each in rows] == ["?", "?"] and "“How noisy”, w" in left and "“Noise”" in left
    filled = prefilled(understood(rows, [EMPTY] * 2), [EMPTY] * 2)
    assert [each["noise"] for each in filled] == ["?", "?"] and not releases_of(filled)[0], "none is made up for them"
    [row], _ = pasted([row_of({})], 0, 0, ["Release"], "Why\tName\tSort of noise\tuses\nx\tPick\tlaplace\t3…")
    assert [row[name] for name in ("name", "mechanism", "count", "noise")] == ["Pick", "laplace", "3…", "?"]
    [row], _ = pasted([row_of({})], 0, 0, ["Release"], "Name\tin all\tnoise\tremark\nPick\t3…\tε 1\t")
    assert row["count"] == "3…"
    rows, _ = pasted([row_of({})], 0, 0, ["Release", "What it is"], "Visits\tcount\tnew\nPay\tsum\t1")
    assert [each["name"] for each in rows] == ["Visits", "Pay"], "a line that names a kind is none of titles"


@pytest.mark.parametrize(
    ("number", "end", "uses"), [("30", "", 30), ("30", "2026-01-30", 30), ("24", "2026-01-30", 720)]
)
def test_a_number_in_all_is_never_below_what_its_days_tell(number: str, end: str, uses: int):
    """Where there are other days than it says, it may be meant for each of them: it is multiplied, which is told."""
    text = (
        "name\tmechanism\tnoise\tfrequency\tnumber of releases\tstart\tend\n"
        f"a\tlaplace\tε 0.1\tdaily\t{number}\t2026-01-01\t{end}"
    )
    rows, _ = pasted([EMPTY], 0, 0, ["Release"], text)
    [filled] = prefilled(understood(rows, [EMPTY]), [EMPTY])
    [release] = releases_of([filled])[0].values()
    assert release.uses == uses and bool(filled_in.repeated([filled], [EMPTY])) == (uses == 720)


def test_a_run_may_be_pasted_by_its_sampling_rate():
    """Each of its numbers in a column of its own; no rate becomes smaller than it is typed."""
    text = "name\tmechanism\tnoise multiplier\tsampling rate\tsteps\nModel\tDP-SGD\t1.1\t0.4 %\t3000"
    rows, left = pasted([row_of({})], 0, 0, ["Release"], text)
    [row] = understood(rows, [row_of({})])
    [release] = releases_of([row])[0].values()
    assert not left and release.mechanism == TrainedModel(10**12, 4 * 10**9, 1.1, steps=3000)
    noise = "multiplier 1.1, sampling rate 0.004, steps 3000"
    assert rows_of(Plan([release]))[0]["noise"] == noise
    known = TrainedModel(250, 1, 1.1, steps=3000)
    assert release.mechanism.uses == known.uses, "as much as any number of records at this rate"


@given(st.integers(1, 10**4), st.integers(1, 10**4), st.sampled_from(["", "batch size 7, ", "records 60000, "]))
def test_no_sampling_rate_becomes_smaller(share: int, of: int, beside: str):
    """Whatever of the batch follows from it; all three are refused, and so is none of the three."""
    rate = min(share / of, 1.0)
    model = TrainedModel.from_text(f"noise multiplier 1.1, {beside}sampling rate {rate!r}, steps 10")
    found = typed(model.batch_size) / model.records
    assert typed(rate) <= found <= typed(rate) * Fraction(8, 7)  # whole records: 7 of 7 in place of 7.99
    if not beside:
        assert found <= typed(rate) * (1 + Fraction(1, 10**8)), "the last of twelve digits"
        assert TrainedModel.from_text(model.training) == model
        with pytest.raises(ValueError, match="batch size and records beside scheme fixed_size"):
            TrainedModel.from_text(f"noise multiplier 1.1, sampling rate {rate!r}, steps 10, scheme fixed_size")
    with pytest.raises(ValueError, match="two of sampling rate, batch size and records"):
        TrainedModel.from_text("noise multiplier 1.1, batch size 1, records 9, sampling rate 0.1, steps 10")


@pytest.mark.parametrize("beside", ["batch size inf", "records inf", "batch size -3", "records 2.5", "records 0"])
def test_a_rate_beside_what_no_run_has_is_refused(beside: str):
    with pytest.raises(ValueError, match="training must be a run that can be priced"):
        TrainedModel.from_text(f"noise multiplier 1.1, {beside}, sampling rate 0.1, steps 10")


@pytest.mark.parametrize("rate", ["0", "1.5", "-0.1", "nan", "x", "1/0", "1/2/3", "101 %", "0 %", ""])
def test_what_is_no_sampling_rate_is_told(rate: str):
    """One sentence, and no other error."""
    with pytest.raises(ValueError, match="after sampling rate"):
        TrainedModel.from_text(f"noise multiplier 1.1, sampling rate {rate}, steps 10")


@given(st.integers(1, 5000), st.sampled_from(["daily", "weekly", "fortnightly", "monthly", "quarterly", "yearly"]))
def test_times_in_all_are_on_as_many_days(times: int, cadence: str):
    """And not one more; a row that does not recur keeps its times."""
    row = row_of({**NEW_ROW, "count": str(times), "cadence": cadence, "start": "2027-01-31"})
    after = filled_in.in_all(row)
    [release] = releases_of([after])[0].values()
    assert release.uses == times and after["count"] == "1"
    assert filled_in.in_all({**row, "cadence": None}) == {**row, "cadence": None}
    assert filled_in.in_all({**row, "count": "2.5"})["count"] == "2.5"
    late = {**row, "start": "9999-12-01", "count": "5000"}
    assert filled_in.in_all(late) == late, "beyond what a date holds"


def test_a_rhythm_that_goes_takes_its_days_along():
    """What does not recur has no last day; days that came with the rhythm go, and a first day that was typed stays."""
    new = row_of({"name": "a", "mechanism": "Laplace", "noise": "ε 0.1", "count": "90", "cadence": "daily"})
    [old] = prefilled([new], [row_of({})])
    for cadence in (None, "once"):
        [row] = prefilled([{**old, "cadence": cadence}], [old])
        [release] = releases_of([row])[0].values()
        assert release.uses == 90 and (row["start"], row["end"]) == (None, None)
        assert filled_in.scheduled([row], [{**old, "cadence": cadence}], [old]).endswith("has no last day.")
    dated = {**old, "start": "2027-03-01"}
    [row] = prefilled([{**dated, "cadence": None}], [dated])
    assert (row["start"], row["end"]) == ("2027-03-01", None)
    [kept] = prefilled([{**old, "cadence": "hourly"}], [old])
    assert (kept["cadence"], kept["end"]) == ("hourly", old["end"]) and releases_of([kept])[1], "one that is none"


def test_a_training_that_is_counted_as_often_as_it_has_steps_is_told():
    """Its steps are in its noise: two thousand times are two thousand models."""
    noise = "noise multiplier 1.1, sampling rate 0.01, steps 2000"
    row = row_of({"name": "FedAvg", "mechanism": "Trained model", "noise": noise, "count": "2000"})
    assert filled_in.repeated([row], [row_of({})]) == [0] and filled_in.repeated([row], [row]) == []
    assert filled_in.told_repeated(row) == "“FedAvg” counts 2000 trainings, each with all its steps."
    assert filled_in.in_all(row)["count"] == "1" and filled_in.repeated([{**row, "count": "1"}], [row_of({})]) == []


def test_what_is_no_mechanism_gets_no_noise():
    [row] = prefilled([row_of({"name": "Pick", "mechanism": "eps 0.3"})], [row_of({})])
    assert row["noise"] is None and not filled_in.proposed([row], [row_of({"name": "Pick", "mechanism": "eps 0.3"})])


def test_several_times_on_each_day_are_told():
    """Where they were just typed; not of a row that comes once a day, or has none."""
    new = row_of({"name": "a", "mechanism": "Laplace", "noise": "ε 0.1", "count": "90", "cadence": "daily"})
    [row] = prefilled([new], [row_of({})])
    assert filled_in.repeated([row_of({}), row], [row_of({})] * 2) == [0], "of those that are not blank"
    assert "90 times on each of 365 days: 32,850 in all" in filled_in.told_repeated(row)
    assert filled_in.repeated([row], [row]) == filled_in.repeated([{**row, "count": "1"}], [row_of({})]) == []
    again = [{**row, "cadence": "weekly"}]
    days = "first on 2027-01-01 and last on 2027-12-31, 53 times."
    assert filled_in.scheduled(again, again, [row]) == f"“a” is released weekly, {days}"


ANY_TEXT = st.one_of(st.none(), st.sampled_from(["daily", "twice a year", "2027-01-01", "60"]), st.text(max_size=9))


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(plan_rows.COLUMNS, ANY_TEXT)), min_size=1, max_size=3))
def test_whatever_is_pasted_is_a_release_or_told(typed_rows: list[dict]):
    """A rhythm that is none, or cells in other columns than were meant, never break the page."""
    rows = understood([row_of({name: text for name, text in row.items() if text}) for row in typed_rows],
                      [EMPTY] * len(typed_rows))  # fmt: skip
    before = [EMPTY] * len(rows)
    filled = prefilled(rows, before)
    filled_in.scheduled(filled, rows, before)
    for place in filled_in.repeated(filled, before):
        filled_in.told_repeated([row for row in filled if not blank(row)][place])
    again = prefilled([{**row, "cadence": "weekly"} for row in filled], filled)
    filled_in.scheduled(again, again, filled)
    made, faults = releases_of(filled)
    assert len(made) + len(faults) == sum(not blank(row) for row in filled)


@pytest.mark.parametrize(
    ("said", "cadence"),
    [("twice a year", "half-yearly"), ("every week", "weekly"), ("per month", "monthly"), ("Annually", "yearly"),
     ("every two weeks", "fortnightly"), ("once a day", "daily")],
)  # fmt: skip
def test_a_rhythm_has_other_names(said: str, cadence: str):
    assert understood([row_of({"cadence": said})], [EMPTY])[0]["cadence"] == cadence


@pytest.mark.parametrize("noise", ["±20,000", "about 5", "0.5, 3"])
def test_noise_that_cannot_be_read_is_no_reason_for_another(noise: str):
    """It stays and is told, whatever mechanism is chosen beside it: more noise than was meant would cost too little."""
    pasted_row = row_of({"name": "Paid", "kind": "sum", "lower": "0", "upper": "3000", "noise": noise, "count": "1"})
    for before in (pasted_row, {**pasted_row, "mechanism": "Gaussian"}):
        row = prefilled([{**before, "mechanism": "Laplace"}], [before])[0]
        assert row["noise"] == noise and releases_of([row])[1]


def test_a_mechanism_that_is_known_late_leaves_the_noise_that_was_typed():
    """It is told where it cannot be read, and counted where it can: nobody typed another."""
    said = {
        "Trained model": ("noise multiplier 1.0, batch size 512, 500000 records, 3 epochs", ""),
        "Black box (ε, δ)": ("(0.5, 1e-10)", "noise"),
    }
    for label, (noise, fault) in said.items():
        before = row_of({"name": "a", "mechanism": "mine", "noise": noise, "count": "1"})
        [row] = prefilled([{**before, "mechanism": label}], [before])
        made, faults = releases_of([row])
        assert row["noise"] == noise and bool(faults) == bool(fault) != bool(made)


def test_noise_that_nobody_typed_is_told_of_several_rows():
    typed_rows = [row_of({"name": name}) for name in ("a", "b", "c", "d")]
    filled = prefilled(typed_rows, [EMPTY] * 4)
    said = filled_in.proposed(filled, typed_rows)
    assert said == "“a”, “b”, “c” and 1 more begin with noise that nobody has typed, until you type another."


def test_a_range_may_be_pasted_in_one_column_or_two():
    for title, cells in (("Clipped to", "0 to 3000"), ("clip", "0-3000"), ("lower\tupper", "0\t3000")):
        text = f"name\tWhat it is\tmechanism\tnoise\t{title}\na\tsum\tlaplace\t±20000\t{cells}"
        [row], left = pasted([EMPTY], 0, 0, ["Release"], text)
        assert (row["lower"], row["upper"], left) == ("0", "3000", "")
    [row], _ = pasted([EMPTY], 0, 0, ["Release"], "name\tWhat it is\tmechanism\tclipping\na\tsum\tlaplace\tmany 1")
    assert releases_of(prefilled(understood([row], [EMPTY]), [EMPTY]))[1]
    [row], left = pasted([EMPTY], 0, 0, ["Release"], "name\tWhat it is\tmechanism\trange\na\tsum\tlaplace\t0 to 9")
    assert row["lower"] is None and "“range”" in left, "of the data, perhaps, which clips nothing"


def test_new_row_is_a_release():
    """A row added with its defaults makes sense at once."""
    releases, problems = releases_of([NEW_ROW])
    assert releases == {0: Release("New release", Laplace.from_epsilon(0.1))} and not problems


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"noise": "ε -1"}, [("epsilon", "ε -1")]),
        ({"noise": "many"}, [("noise", "many")]),
        ({"noise": "ε nan"}, [("noise", "ε nan")]),
        ({"noise": "0,05"}, [("noise", "0,05")]),
        ({"noise": "σ 40"}, [("noise", "σ 40")]),
        ({"noise": "ε 0.1, b 10"}, [("noise", "ε 0.1, b 10")]),
        ({"noise": "±20, ε 0.1"}, [("noise", "±20, ε 0.1")]),
        ({"noise": "±-20"}, [("half_width", "±-20")]),
        ({"mechanism": "Randomized response", "noise": "±20"}, [("noise", "±20")]),
        ({"mechanism": "Randomized response", "sensitivity": "2"}, [("sensitivity", "2")]),
        ({"mechanism": "Gaussian", "noise": "σ 4", "calibration": "analytic"}, [("calibration", "analytic")]),
        ({"noise": None}, [("noise", "")]),
        ({"count": "1.5"}, [("count", "1.5")]),
        ({"name": "x" * 81}, [("name", "x" * 39 + "…")]),
        ({"mechanism": "Magic", "count": "-1"}, [("mechanism", "Magic"), ("count", "-1")]),
        ({"mechanism": None}, [("mechanism", "")]),
        ({"noise": "ε -1", "sensitivity": "-2", "count": "once", "scheme": "poisson", "rate": "7", "weight": "0"},
         [("count", "once"), ("epsilon", "ε -1"), ("sensitivity", "-2"), ("rate", "7"), ("weight", "0")]),
        ({"cadence": "weekly", "start": "1.3.2026", "end": "soon"}, [("start", "1.3.2026"), ("end", "soon")]),
        ({"lower": "a", "upper": "5"}, [("lower", "a")]),
        ({"rate": "0.1", "count": "x"}, [("count", "x"), ("rate", "0.1")]),
    ],
)  # fmt: skip
def test_a_bad_row_says_all_that_is_wrong(change: dict, found: list):
    """Each fault once, with its column and what is typed there; nothing that only follows from another one."""
    releases, problems = releases_of([row_of(NEW_ROW), row_of(NEW_ROW | change), row_of(NEW_ROW)])
    assert len(releases) == 2 and [(each.column, each.value) for each in problems[1]] == found


def test_blank_rows_are_no_releases():
    """A row without text is skipped."""
    assert releases_of([dict.fromkeys(NEW_ROW), NEW_ROW])[1] == {}


def test_calibrations_are_known():
    """The list in the table is the core's."""
    assert {"analytic", "classical"} <= set(plan_rows.CELLS["calibration"].options)


def test_a_sampled_release_round_trips_through_the_table():
    """Scheme and rate are columns of their own, beside what is sampled for."""
    plan = Plan([Release("Round", Subsampled(Gaussian(1.0, 1), 0.01, "poisson"), 1000)])
    releases, problems = releases_of(rows_of(plan))
    assert problems == {}
    assert tuple(releases.values()) == plan.releases


def test_a_rate_without_a_scheme_is_named():
    row = {"name": "Round", "mechanism": "Gaussian", "noise": "σ 1", "rate": "0.01"}
    [[problem]] = releases_of([row])[1].values()
    assert (problem.column, problem.value) == ("rate", "0.01") and "together with scheme" in problem.allowed


@given(PLANS)
def test_every_plan_round_trips_through_the_table(plan: Plan):
    """Whatever a plan may hold, its rows mean the same releases, to the last digit."""
    releases, problems = releases_of(rows_of(plan))
    assert not problems and tuple(releases.values()) == plan.releases


SPELT = [
    ("ε 0.1", {"epsilon": 0.1}),
    ("ε=0.1", {"epsilon": 0.1}),
    ("ε = 0.1", {"epsilon": 0.1}),
    ("  EPS 1e-3 ", {"epsilon": 1e-3}),
    ("epsilon .5", {"epsilon": 0.5}),
    ("b 10", {"scale": 10}),
    ("B=2.5", {"scale": 2.5}),
    ("scale 10", {"scale": 10}),
    ("σ 40", {"sigma": 40}),
    ("Σ 40", {"sigma": 40}),
    ("sigma=40", {"sigma": 40}),
    ("δ 1e-9", {"delta": 1e-9}),
    ("delta 1e-9", {"delta": 1e-9}),
    ("ε 0.1, δ 1e-9", {"epsilon": 0.1, "delta": 1e-9}),
    ("ε 0.1; δ 1e-9", {"epsilon": 0.1, "delta": 1e-9}),
    ("ε 0.1 δ 1e-9", {"epsilon": 0.1, "delta": 1e-9}),
    ("δ=1e-9 ε=0.1", {"epsilon": 0.1, "delta": 1e-9}),
    ("±20", {"within": 20}),
    ("± 20", {"within": 20}),
    ("+-20", {"within": 20}),
    ("+/- 20", {"within": 20}),
    ("within 20", {"within": 20}),
    ("ρ 0.05", {"rho": 0.05}),
    ("RHO=.05", {"rho": 0.05}),
    ("μ 0.5", {"mu": 0.5}),
    ("\u00b5 0.5", {"mu": 0.5}),
]


@pytest.mark.parametrize(("text", "found"), SPELT)
@pytest.mark.parametrize("key", LABELS)
def test_noise_is_read_in_every_sign(text: str, found: dict, key: str):
    """A sign says what its number is, whatever the mechanism: spelt out, with or without “=”, in capitals or not."""
    assert noise_of(text, key) == found


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("exponential_mechanism", "epsilon"), ("randomized_response", "epsilon"), ("approximate_dp", "epsilon"),
         ("name_and_shame", "delta"), ("", "epsilon"),
    ],
)  # fmt: skip
def test_a_bare_number_is_read_where_it_means_one_thing(key: str, name: str):
    assert noise_of("0.25", key) == {name: 0.25}


def test_a_bare_number_of_added_noise_is_not_read():
    """Whatever the mechanism: every spelling that the sentence offers is read, and means the mechanism."""
    adding = [mechanism for mechanism in BASE_MECHANISMS if adds_noise(mechanism)]
    assert len(adding) >= 4
    for mechanism in adding:
        row = {**NEW_ROW, "mechanism": mechanism.label, "noise": "5"}
        [problem] = releases_of([row])[1][0]
        offered = re.findall("“([^”]*)”", problem.allowed)
        assert len(offered) >= 3 and problem.allowed.startswith("must say what the number is: ")
        for noise in offered:
            [release] = releases_of([{**row, "noise": noise, "sensitivity": "1"}])[0].values()
            assert release.mechanism.key == mechanism.key


@pytest.mark.parametrize(("stood", "typed_text", "read", "mechanism"), [
    ("ε 0.1", "27", "27", "Laplace"), ("ε 0.1", "10", "10", "Discrete Laplace"), ("ε 0.1", "9", "ε 9", "Laplace"),
    ("ε 12", "27", "ε 27", "Laplace"), ("±20", "27", "±27", "Laplace"),
    ("ρ 0.5", "12", "12", "Gaussian"), ("μ 0.5", "60", "60", "Gaussian"), ("ρ 0.5", "2", "ρ 2", "Gaussian"),
])  # fmt: skip
def test_a_large_number_typed_over_a_small_loss_is_asked_about(stood: str, typed_text: str, read: str, mechanism: str):
    """It may be the error, or a scale; as a loss it would promise nothing."""
    before = row_of({**NEW_ROW, "noise": stood, "mechanism": mechanism, "sensitivity": "1"})
    [row] = understood([{**before, "noise": typed_text}], [before])
    assert row["noise"].replace(" ", "") == read.replace(" ", "")
    assert bool(releases_of([row])[0]) == (read != typed_text), "a bare number is refused, with what it may be"


def test_a_large_number_of_what_adds_no_noise_is_its_loss():
    """Nothing else is told of it."""
    before = row_of({**NEW_ROW, "noise": "ε 1", "mechanism": "Randomized response"})
    [row] = understood([{**before, "noise": "12"}], [before])
    assert releases_of([row])[0][0].mechanism == RandomizedResponse(12.0)


def test_every_way_that_is_offered_to_write_noise_is_read():
    """With the sensitivity where it is needed; and no mechanism offers what another one takes."""
    for label, key in KEYS.items():
        offered = re.findall("“([^”]*)”", noise_allowed(key))
        row = row_of({**NEW_ROW, "mechanism": label})
        row["sensitivity"] = "1" if "sensitivity" in parameters_of(key) else None
        assert offered and all(releases_of([{**row, "noise": noise}])[0] for noise in offered)


@given(
    st.floats(-8, 8).map(lambda power: float(f"{10**power:.5g}")), st.integers(1, 10**6),
    st.sampled_from(["rho", "ρ", "ρ ="]), st.sampled_from(["Gaussian", "Discrete Gaussian"]),
)  # fmt: skip
def test_noise_told_by_rho_keeps_it(rho: float, sensitivity: int, sign: str, label: str):
    """σ is the least whose ρ is at most the one typed, exactly; the sensitivity may be typed, or follow."""
    row = row_of({**NEW_ROW, "mechanism": label, "noise": f"{sign} {rho!r}"})
    rows = [{**row, "sensitivity": str(sensitivity)}, {**row, "kind": "sum", "lower": "0", "upper": str(sensitivity)}]
    for release in releases_of(rows)[0].values():
        sigma = release.mechanism.sigma
        assert sensitivity**2 <= 2 * typed(rho) * typed(sigma) ** 2
        below = math.nextafter(math.nextafter(sigma, 0), 0)  # the exact decimal and the double are both kept
        assert sensitivity**2 > 2 * typed(rho) * typed(below) ** 2
    assert len(releases_of(rows)[0]) == 2 or label.startswith("Discrete")


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e6))
def test_noise_told_by_mu_keeps_it(mu: float, sensitivity: float):
    row = row_of({**NEW_ROW, "mechanism": "Gaussian", "noise": f"μ {mu!r}", "sensitivity": repr(sensitivity)})
    [release] = releases_of([row])[0].values()
    assert typed(sensitivity) <= typed(mu) * typed(release.mechanism.sigma)
    assert release.mechanism.sigma <= sensitivity / mu * (1 + 1e-15)


def test_rho_asks_for_an_open_sensitivity_and_follows_the_relation():
    """Nothing is taken for 1; of a plan, or of a row, of replaced units a histogram changes by more."""
    row = row_of({**NEW_ROW, "mechanism": "Gaussian", "noise": "ρ 0.5"})
    assert "sensitivity must be given" in releases_of([row])[1][0][0].allowed
    bars = {**row, "kind": "histogram"}
    [added] = releases_of([bars])[0].values()
    [replaced] = releases_of([bars], Plan((), relation="replace_one"))[0].values()
    sample = row_of({**NEW_ROW, "mechanism": "Gaussian", "noise": "σ 1", "sensitivity": "1",
                     "scheme": "without_replacement", "rate": "0.1"})  # fmt: skip
    beside = releases_of([bars, sample])[0][0]
    assert added.mechanism.sigma == 1.0 and replaced.mechanism.sigma == beside.mechanism.sigma >= math.sqrt(2)


def test_a_chosen_mechanism_keeps_a_rho_that_it_takes():
    """Also where it waits for its sensitivity."""
    old = row_of({**NEW_ROW, "noise": "ρ 0.05"})
    [row] = prefilled([{**old, "mechanism": "Gaussian"}], [old])
    assert row["noise"] == "ρ 0.05"


@pytest.mark.parametrize("kind", plan_rows.CLIPPED)
def test_new_gaussian_noise_of_a_sum_or_mean_is_ten_sensitivities(kind: str):
    """Whatever its values are clipped to, as the σ 10 of a count is; a range that is typed then makes it a σ."""
    old = {**EMPTY, "name": "Age", "kind": kind, "mechanism": "Laplace", "noise": "ε 0.1", "count": "1"}
    [row] = prefilled([{**old, "mechanism": "Gaussian"}], [old])
    assert row["noise"] == "ρ 0.005"
    whole = {**row, "lower": "0", "upper": "100"}
    released, _ = releases_of([whole], Plan((), relation="replace_one", population=50))
    mechanism = Plan(released.values(), relation="replace_one", population=50).releases[0].mechanism
    assert mechanism.sigma == pytest.approx(10 * mechanism.sensitivity, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    ["many", "0,05", "ε 0,05", "ε", "0.1 0.2", "ε 0.1, ε 0.2", "ε 0.1, 0.2 0.3", "κ 3", "ε nan", "ε 1..2", "1e", "±",
     "±±3", "ε 0.1 and δ 1e-9", "=1+1", "ε 1_0", "0x10", "ε ٣", "<b>1</b>", "ε 0.1\nδ"],
)  # fmt: skip
def test_noise_that_is_none_says_what_is_allowed(text: str):
    said = str(noise_of(text, "laplace"))
    of_comma = "must be written with a decimal point: “eps 0.05”, “b 0.05” or “±0.05” for the wanted error"
    assert said == of_comma if text == "0,05" else said.startswith(noise_allowed("laplace"))


@given(st.text(max_size=40), st.sampled_from(list(LABELS)))
def test_any_text_is_noise_or_refused(text: str, key: str):
    """Nothing that can be typed breaks the table."""
    found = noise_of(text, key)
    assert isinstance(found, str) or all(isinstance(value, int | float) for value in found.values())
    row = {**NEW_ROW, "mechanism": LABELS[key], "noise": text}
    releases, problems = releases_of([row])
    assert len(releases) + len(problems) == 1


@given(st.floats(1e-3, 1e6), st.sampled_from(["Laplace", "Gaussian"]), st.sampled_from(["0.5", "1", "30"]))
def test_a_wanted_error_is_kept(width: float, mechanism: str, sensitivity: str):
    """±w gives the noise whose numbers lie within w 19 times of 20, and no more noise than that."""
    row = {**NEW_ROW, "mechanism": mechanism, "noise": f"±{width!r}", "sensitivity": sensitivity}
    [release] = releases_of([row])[0].values()
    found = half_width(release.mechanism)
    assert width * (1 - 1e-9) <= found <= width
    assert release.mechanism.sensitivity == float(sensitivity)


@pytest.mark.parametrize(
    ("mechanism", "noise", "further", "meant"),
    [
        ("Laplace", "ε 0.5", {"sensitivity": "2"}, Laplace.from_epsilon(0.5, 2.0)),
        ("Laplace", "b 4", {"sensitivity": "2"}, Laplace(4.0, 2.0)),
        ("Gaussian", "σ 40", {"sensitivity": "2"}, Gaussian(40.0, 2.0)),
        ("Gaussian", "ε 0.5, δ 1e-9", {}, Gaussian.from_guarantee(0.5, 1e-9)),
        ("Gaussian", "ε 0.5, δ 1e-9", {"calibration": "classical"},
         Gaussian.from_guarantee(0.5, 1e-9, calibration="classical")),
        ("Randomized response", "0.5", {"sensitivity": None}, RandomizedResponse(0.5)),
        ("Black box (ε, δ)", "ε 0.5, δ 1e-9", {"sensitivity": None}, ApproximateDP(0.5, 1e-9)),
        ("Name and shame", "0.01", {"sensitivity": None}, NameAndShame(0.01)),
        ("Gaussian", "σ 1", {"scheme": "poisson", "rate": "0.01"}, Subsampled(Gaussian(1.0), 0.01, "poisson")),
    ],
)  # fmt: skip
def test_a_row_means_its_mechanism(mechanism: str, noise: str, further: dict, meant: object):
    """The cell “noise”, with the columns beside it, says all of a mechanism."""
    assert mechanism in KEYS
    releases, problems = releases_of([{**NEW_ROW, "mechanism": mechanism, "noise": noise, **further}])
    assert not problems and releases[0].mechanism == meant


def test_rows_of_former_tables_keep_their_noise():
    """Rows that did not count hold ε, δ, scale and σ apart in links of former versions: they become one cell."""
    row = row_of({"name": "a", "mechanism": "Gaussian", "epsilon": "0.5", "delta": "lots"})
    assert row["noise"] == "ε 0.5, δ lots" and "epsilon" not in row
    assert row_of({"scale": "10"})["noise"] == "b 10" and row_of({"name": "a"})["noise"] is None


def test_changes_are_of_rows_that_there_are():
    rows = [row_of(NEW_ROW), row_of({})]
    after = changed(rows, {"edited_rows": {"1": {"name": "x"}}})
    assert after[0] == rows[0] and after[1]["name"] == "x"
    assert changed(rows, {"edited_rows": {2: {"name": "x"}}}) is None


LENGTHS = re.compile(r"[\d.]+")


@given(PLANS)
def test_no_cell_shows_sixteen_digits_and_none_loses_one(plan: Plan):
    """A shortened cell that is sent as it is shown, as when it was opened only, or copied and pasted, is the whole."""
    rows = rows_of(plan)
    shown = [{column: seen(column, text) for column, text in row.items()} for row in rows]
    for row in shown:
        texts = [row[column] or "" for column in ("noise", "sensitivity", "lower", "upper", "rate")]
        for digits in (part for text in texts for part in LENGTHS.findall(text) if "." in part):
            assert len(digits.replace(".", "").lstrip("0")) <= max(8, len(digits.partition(".")[0]) + 1), row
    assert changed(rows, {"edited_rows": dict(enumerate(shown))}) == rows
    lines = "\n".join("\t".join(each[column] or "" for column in SHOWN) for each in shown)
    copies, left = pasted([*rows, EMPTY], len(rows), 0, TITLES, lines)
    copied = [[row[column] for column in SHOWN] for row in copies[len(rows) :]]
    assert copied[: len(rows)] == [[row[column] for column in SHOWN] for row in rows] and not left


def test_a_shortened_number_that_may_be_two_is_refused():
    """Two rows that show the same differ behind it: a copy of either is none that counts."""
    rows = [{**NEW_ROW, "noise": f"ε 0.1234567{digit}1"} for digit in (1, 2)]
    (after,) = {seen("noise", row["noise"]) for row in rows}
    copies, _ = pasted([*rows, EMPTY], 2, 0, ["Noise"], after)
    assert after == "ε 0.123456…" == copies[2]["noise"]
    assert list(releases_of([{**NEW_ROW, "noise": after}])[1])


def test_a_quotation_mark_may_be_a_name():
    """One that opens no quoted cell stands for itself; a cell in quotes may hold a tab."""
    for text, names in (('"\tε 0.1\nAges\tε 0.2', ['"', "Ages"]), ('"Ages, ""old"""\tε 0.1\n', ['Ages, "old"'])):
        after, _ = pasted([EMPTY], 0, 0, ["Release", "Noise"], text)
        assert [row["name"] for row in after] == names


EMPTY = row_of({})
SHOWN = ("name", "kind", "mechanism", "noise", "sensitivity", "count")
TITLES = [*(plan_rows.CELLS[column].label for column in SHOWN), "Share"]
PASTED = st.lists(
    st.lists(st.text(st.characters(exclude_characters='"\t\r\n', exclude_categories=("Cc", "Cs")), max_size=9),
             min_size=len(SHOWN), max_size=len(SHOWN)),
    min_size=1, max_size=6,
)  # fmt: skip


@given(PASTED, st.integers(0, 3), st.integers(0, 2))
def test_pasted_cells_arrive_where_they_belong(lines: list[list[str]], place: int, held: int):
    """Whatever signs they hold, in as many rows as there are: no cell is moved, no row is lost, none above changes."""
    above = [{**EMPTY, "name": f"row {number}"} for number in range(held)]
    rows, left = pasted(above, place, 0, TITLES, "\n".join("\t".join(line) for line in lines))
    arrived = [[row[column] or "" for column in SHOWN] for row in rows[place:]][: len(lines)]
    assert arrived[: len(lines)] == [[cell.strip() for cell in line] for line in lines][: len(arrived)] and not left
    assert all(any(map(str.strip, line)) is False for line in lines[len(arrived) :]), "only blank rows may be missing"
    assert rows[: min(place, held)] == above[:place]


def test_five_thousand_rows_are_pasted():
    text = "\r\n".join(f"Row {number} 🏥\tcount\tLaplace\tε 0.001\t1\t1\t5 %" for number in range(5000)) + "\r\n"
    rows, left = pasted([EMPTY] * 30, 0, 0, TITLES, text)
    assert not left and len(rows) == 5000
    assert [row["name"] for row in rows] == [f"Row {number} 🏥" for number in range(5000)]


def test_no_column_is_narrower_than_its_name():
    """A sign stands before it, and a letter takes about six pixels."""
    assert not {cell.label: cell.width for cell in plan_rows.CELLS.values() if cell.width < 36 + 6 * len(cell.label)}


def test_what_cannot_be_taken_of_a_paste_is_said():
    """Cells beside the table; a place that is not known; a table that is sorted."""
    rows, left = pasted([EMPTY], 0, 6, TITLES, "5 %\tlost\n6 %\t")
    assert left.startswith("Of 1 pasted rows") and rows == [EMPTY, EMPTY]
    for place, titles in ((-1, TITLES), (0, ["↑ Release", *TITLES[1:]])):
        with pytest.raises(ValueError, match=r"again|sorted"):
            pasted([EMPTY], place, 0, titles, "a\tb")
    with pytest.raises(ValueError, match="where its cells end"):
        pasted([EMPTY], 0, 0, TITLES, "x" * 200_000)


def test_a_paste_by_the_browser_itself_that_went_astray_is_noticed():
    """It filled the last row, so that rows may be missing; or an emoji has moved the cells after it by a letter."""
    filled, blanks = [{**EMPTY, "name": "A", "noise": "ε 1"}] * 3, [EMPTY] * 3
    assert "last row" in astray(filled, blanks)
    assert not astray([*filled[:2], EMPTY], blanks)
    assert not astray([EMPTY, EMPTY, filled[0]], blanks), "one row is typed"
    assert "tab" in astray([{**EMPTY, "noise": "e\tε 0"}, *blanks[1:]], blanks)


@pytest.mark.parametrize(("kind", "mechanism", "noise"), [
    ("survey", "randomized_response", "ε 1"), ("selection", "exponential_mechanism", "ε 0.1"),
    ("count", "laplace", "ε 0.1"),
])  # fmt: skip
def test_what_it_is_proposes_the_mechanism_where_none_was_chosen(kind: str, mechanism: str, noise: str):
    """Typed into a blank row, or after its name; what somebody typed or chose stays."""
    label = plan_rows.KIND_LABELS[kind]
    [named] = prefilled([{**EMPTY, "name": "One question"}], [EMPTY])
    for row, old in (({**EMPTY, "kind": label}, EMPTY), ({**named, "kind": label}, named)):
        [found] = prefilled([row], [old])
        assert (found["mechanism"], found["noise"]) == (plan_rows.LABELS[mechanism], noise)
    for chosen in ({"noise": "ε 0.3"}, {"mechanism": "Gaussian", "noise": "σ 10"}):
        [found] = prefilled([{**named, **chosen, "kind": label}], [{**named, **chosen}])
        assert found == {**named, **chosen, "kind": label}


def test_a_name_makes_a_release():
    """What is typed into a blank row is completed to a release that counts."""
    [row] = prefilled([{**EMPTY, "name": "Survey"}], [EMPTY])
    assert row == row_of({**NEW_ROW, "name": "Survey"})
    assert prefilled([EMPTY], [EMPTY]) == [EMPTY] and blank(EMPTY)


@pytest.mark.parametrize("label", KEYS)
def test_a_chosen_mechanism_brings_what_it_takes(label: str):
    """Its usual noise; a sensitivity that it does not take goes, and none is ever filled in."""
    old = row_of(NEW_ROW)
    [row] = prefilled([{**old, "mechanism": label}], [old])
    [release] = releases_of([row])[0].values()
    assert release.mechanism.key == KEYS[label]
    if KEYS[label] not in ("laplace", "randomized_response", "declared"):  # these take ε 0.1 as it stands
        assert row["noise"] == USUAL[KEYS[label]]
    assert row["sensitivity"] is None
    [row] = prefilled([{**old, "mechanism": label, "sensitivity": "3"}], [{**old, "sensitivity": "3"}])
    assert row["sensitivity"] == ("3" if "sensitivity" in parameters_of(KEYS[label]) else None)


def test_a_chosen_rhythm_brings_dates():
    """Those of another row, or the year; dates that stand there stay."""
    old, dated = row_of(NEW_ROW), {**EMPTY, **NEW_ROW, "start": "2027-02-01", "end": "2027-09-30", "cadence": "weekly"}
    [row] = prefilled([{**old, "cadence": "monthly"}], [old])
    assert (row["start"], row["end"]) == ("2027-01-01", "2027-12-31") and not releases_of([row])[1]
    [_, row] = prefilled([dated, {**old, "cadence": "monthly"}], [dated, old])
    assert (row["start"], row["end"]) == ("2027-02-01", "2027-09-30")
    [row] = prefilled([{**old, "cadence": "monthly", "start": "2026-05-01"}], [old])
    assert (row["start"], row["end"]) == ("2026-05-01", "2027-04-30")


@pytest.mark.parametrize("text", ["0 to 6000", "[0, 6000]", "0–6000", "0 .. 6000", "0-6000", "0; 6000"])
def test_a_range_in_place_of_a_sensitivity_clips(text: str):
    """Of a sum or a mean; a number, a decimal comma, or a range of anything else is left as typed."""
    old = row_of({**NEW_ROW, "kind": "sum"})
    [row] = understood([{**old, "sensitivity": text}], [old])
    assert (row["lower"], row["upper"], row["sensitivity"]) == ("0", "6000", None)
    [release] = releases_of([row])[0].values()
    assert (release.lower, release.upper) == (0, 6000)
    for kind, cell in (("count", text), ("sum", "1e-6"), ("sum", "0,5"), ("mean", "6000"), ("sum", "a to b")):
        typed_row = {**old, "kind": kind, "sensitivity": cell}
        assert understood([typed_row], [old]) == [typed_row]


def test_a_range_that_is_typed_before_the_kind_is_said_to_wait_for_it_and_read_then():
    """Whatever is typed first."""
    old = row_of({"name": "Items", "mechanism": "Laplace", "noise": "±200", "sensitivity": "0 to 5", "count": "1"})
    [(problem,)] = releases_of([old])[1].values()
    assert problem.allowed.endswith("; a range is read of a sum or a mean: choose that first")
    [row] = understood([{**old, "kind": "sum"}], [old])
    assert (row["lower"], row["upper"], row["sensitivity"]) == ("0", "5", None)
    assert (releases_of([row])[0][0].lower, releases_of([row])[0][0].upper) == (0, 5)
    counted = {**old, "kind": "count"}
    assert understood([counted], [old]) == [counted]


@pytest.mark.parametrize("column", [name for name, cell in plan_rows.CELLS.items() if cell.options])
def test_a_list_offers_first_what_was_typed_whole(column: str):
    """A browser takes the first of a list whose name holds what is typed: "yearly" is not "half-yearly"."""
    options = plan_rows.CELLS[column].options
    assert len({*options}) == len(options)
    for option in options:
        assert next(each for each in options if option.lower() in each.lower()) == option


@pytest.mark.parametrize("mechanism", ["Gaussian", "Discrete Gaussian"])
@pytest.mark.parametrize("sensitivity", ["1", "3"])
def test_another_mechanism_keeps_the_error(mechanism: str, sensitivity: str):
    """19 times of 20: what was planned to be that accurate stays so, and costs what it then costs."""
    old = row_of({"name": "Visits", "mechanism": "Laplace", "noise": "ε 0.1", "sensitivity": sensitivity, "count": "1"})
    [row] = prefilled([{**old, "mechanism": mechanism}], [old])
    before, after = (half_width(releases_of([each])[0][0].mechanism) for each in (old, row))
    thirds = 5e-3 + 1 / before  # three digits, and noise on whole numbers moves by whole ones
    assert row["noise"].startswith("±") and after == pytest.approx(before, rel=thirds)
    typed_too = [{**old, "mechanism": mechanism, "noise": "ε 0.5, δ 1e-9"}]
    assert not prefilled(typed_too, [old])[0]["noise"].startswith("±"), "what is typed with it stays"


@pytest.mark.parametrize("spelt", [str.lower, str.upper, lambda name: f" {name} "])
def test_what_is_chosen_from_a_list_is_known_however_it_is_spelt(spelt):
    chosen = [(name, option) for name, cell in plan_rows.CELLS.items() for option in cell.options]
    keys = [("mechanism", key, label) for key, label in LABELS.items()]
    assert len(chosen) > len(keys) > 10
    for name, cell, meant in [*((name, option, option) for name, option in chosen), *keys]:
        assert understood([row_of({name: spelt(cell)})], [row_of({})])[0][name] == meant
    unknown = row_of({"mechanism": "Lapalce", "kind": "cuont", "name": "laplace"})
    assert understood([unknown], [row_of({})]) == [unknown]


CELLS = {
    "name": st.sampled_from(["a", "Survey", "x" * 81]),
    "mechanism": st.sampled_from([*KEYS, "Magic"]),
    "noise": st.sampled_from(["ε 0.1", "σ 10", "b 3", "±20", "0,05", "many", "δ 1e-9", "ε 1, δ 1e-9", "-1"]),
    "sensitivity": st.sampled_from(["1", "2", "many"]),
    "count": st.sampled_from(["1", "7", "1.5"]),
    "cadence": st.sampled_from(["once", "weekly", "monthly"]),
    "start": st.sampled_from(["2026-03-01", "1.3.2026"]),
    "end": st.sampled_from(["2026-12-31", "soon"]),
    "weight": st.sampled_from(["2", "-1"]),
    "calibration": st.sampled_from(["classical", "analytic"]),
}
TYPED = st.fixed_dictionaries({}, optional=CELLS)


@given(TYPED, TYPED)
def test_what_was_typed_is_never_replaced(first: dict, then: dict):
    """Whatever is typed into a row, in two steps: no cell of the last one holds anything else, right or wrong.

    A sensitivity that its mechanism does not take, or a calibration, may be taken out: never another put in.
    """
    old = prefilled([{**EMPTY, **first}], [EMPTY])[0]
    new = {**old, **then}
    row = prefilled([new], [old])[0]
    changed_cells = {column: text for column, text in then.items() if old[column] != text}
    for column, text in changed_cells.items():
        assert row[column] == text or (column in ("sensitivity", "calibration") and row[column] is None)


def test_noise_without_a_mechanism_is_told_and_none_is_taken():
    """A pasted mechanism that is not known leaves its cell empty: no other one stands in for it; a name alone may."""
    blank = plan_rows.row_of({})
    pasted = plan_rows.row_of({"name": "Survey", "noise": "ε 1"})
    [row] = prefilled([pasted], [blank])
    assert row["mechanism"] is None and plan_rows.releases_of([row])[1][0][0].column == "mechanism"
    [row] = prefilled([plan_rows.row_of({"name": "Survey"})], [blank])
    assert row["mechanism"] == "Laplace" and not plan_rows.releases_of([row])[1]


@pytest.mark.parametrize(
    ("before", "after", "days"), [("daily", "weekly", 53), ("weekly", "daily", 365), ("monthly", "quarterly", 4)]
)
def test_another_rhythm_has_the_same_days(before: str, after: str, days: int):
    """A 53rd week begins on the last one of a year: it is counted, and told."""
    new = row_of({"name": "a", "mechanism": "Laplace", "noise": "ε 0.1", "cadence": before})
    [old] = prefilled([new], [row_of({})])
    [row] = prefilled([{**old, "cadence": after}], [old])
    [release] = releases_of([row])[0].values()
    assert release.occurrences == days and filled_in.scheduled([row], [row], [old]).endswith(f"{days} times.")
    typed = {**old, "end": "2027-05-31"}
    assert prefilled([{**typed, "cadence": after}], [typed])[0]["end"] == "2027-05-31"


def test_another_mechanism_keeps_the_error_where_the_sensitivity_follows():
    """Of a sum by its range, under the promise of its plan: Laplace at ε 0.05 lies within ±5,990, and Gaussian then."""
    summed = {"name": "Pay", "kind": "sum", "lower": "0", "upper": "100"}
    old = row_of(summed | {"mechanism": "Laplace", "noise": "ε 0.05"})
    [row] = prefilled([{**old, "mechanism": "Gaussian"}], [old], plan=Plan((), relation="add_remove"))
    assert row["noise"] == "±5990"
    # Samples of a fixed size are refused by a plan of added or removed; that is said, and nothing breaks.
    sampled = {**old, "kind": "count", "scheme": "without_replacement", "rate": "0.1"}
    [row_of_sample] = prefilled([{**sampled, "mechanism": "Gaussian"}], [sampled], plan=Plan((), relation="add_remove"))
    assert row_of_sample["mechanism"] == "Gaussian"
    said = filled_in.proposed([row], [{**old, "mechanism": "Gaussian"}])
    assert said == "“Pay” has Gaussian noise now, ±5990 19 times of 20, as with “ε 0.05”."
    said = filled_in.proposed([row], [{**old, "noise": None}])
    assert said == "“Pay” begins with Gaussian, ±5990, until you type another."


def test_noise_that_nobody_typed_is_none_that_a_mechanism_lacks():
    """A survey answer has a mechanism of its own, which begins with noise of its own."""
    [old] = prefilled([row_of({"name": "Ask"})], [row_of({})])
    changed = {**old, "kind": "survey answer"}
    [row] = prefilled([changed], [old])
    assert row["mechanism"] == "Randomized response" and row["noise"] != old["noise"]
    said = filled_in.proposed([row], [changed])
    assert said == f"“Ask” begins with Randomized response, {row['noise']}, until you type another."


def test_a_quotient_is_a_sensitivity():
    """The range of values over how many are averaged, rounded up."""
    old = row_of({"name": "Fare", "kind": "mean", "mechanism": "Laplace", "noise": "±0.01"})
    [row] = understood([{**old, "sensitivity": "20/600000"}], [old])
    assert 20 / 600000 <= float(row["sensitivity"]) <= 20 / 600000 * (1 + 1e-11)
    assert understood([{**old, "sensitivity": "1/0"}], [old])[0]["sensitivity"] == "1/0"


@pytest.mark.parametrize("typed_range", ["1 to 10 / 2000", "1 to 10 among 2000", "[1, 10]/2000", "1-10 of 2000"])
def test_how_many_a_mean_is_of_stands_behind_its_range(typed_range: str):
    old = {**EMPTY, "name": "Satisfaction", "kind": "mean", "mechanism": "Laplace", "noise": "±0.1", "count": "1"}
    [row] = plan_rows.understood([{**old, "sensitivity": typed_range}], [old])
    assert (row["lower"], row["upper"], row["averaged"], row["sensitivity"]) == ("1", "10", "2000", None)
    made, _ = releases_of([row], Plan([], relation="replace_one"))
    assert Plan(made.values(), relation="replace_one").releases[0].mechanism.sensitivity == 0.0045


@pytest.mark.parametrize("of", ["0", "0.5", "2.000,5", "x"])
def test_a_mean_of_no_values_is_refused_as_it_stands(of: str):
    old = {**EMPTY, "name": "Answers", "kind": "mean", "mechanism": "Laplace", "noise": "ε 0.1", "count": "1"}
    [row] = plan_rows.understood([{**old, "sensitivity": f"1 to 10 / {of}"}], [old])
    assert row["sensitivity"] == f"1 to 10 / {of}" and not row["upper"]
    assert releases_of([row])[1]


@pytest.mark.parametrize(("mechanism", "noise", "then"), [("Gaussian", "±30", "20"), ("Laplace", "±30", "±20")])
def test_a_bare_number_over_an_error_of_gaussian_noise_is_asked_about(mechanism: str, noise: str, then: str):
    """It may be meant as σ; Laplace noise is not told by b where an error stood."""
    old = {**EMPTY, "name": "Visits", "mechanism": mechanism, "noise": noise, "sensitivity": "1", "count": "1"}
    [row] = plan_rows.understood([{**old, "noise": "20"}], [old])
    assert row["noise"].replace(" ", "") == then
    assert bool(releases_of([row])[1]) == (mechanism == "Gaussian")


@pytest.mark.parametrize(
    ("before", "then", "sensitivity"),
    [
        ({"sensitivity": "0.0045"}, "1 to 10", "0.0045"),  # 9/2000
        ({"sensitivity": "0.05", "lower": "0", "upper": "100"}, "0 to 200", "0.1"),
        ({"sensitivity": "0.0046"}, "1 to 10", "0.0046"),  # of no whole number of values: rounded up
        ({"sensitivity": "0.0046", "lower": "1", "upper": "10"}, "0 to 18", "0.0092"),
        ({"sensitivity": None}, "1 to 10", None),
    ],
)
def test_a_range_typed_over_a_sensitivity_keeps_how_many_are_averaged(before: dict, then: str, sensitivity: str | None):
    """Else a mean of those who answered would become one of everybody in the data, which costs too little."""
    old = {**EMPTY, "name": "Answers", "kind": "mean", "mechanism": "Laplace", "noise": "±0.1", "count": "1", **before}
    [row] = plan_rows.understood([{**old, "sensitivity": then}], [old])
    assert row["sensitivity"] == sensitivity and row["upper"] == then.split()[-1]


@pytest.mark.parametrize(
    ("typed_rate", "meant"),
    [("1/100", "0.01"), ("1 / 3", "0.333333333334"), ("1/1", "1"), ("256/60000", "0.00426666666667"), ("0/9", "0/9"),
     ("1/0", "1/0"), ("1//2", "1//2"), ("./.", "./."), ("1/2/3", "1/2/3")],
)  # fmt: skip
def test_a_quotient_is_a_sampling_rate_rounded_up(typed_rate: str, meant: str) -> None:
    old = plan_rows.row_of({"name": "Run", "mechanism": "Gaussian", "noise": "σ 1", "scheme": "poisson"})
    [row] = plan_rows.understood([{**old, "rate": typed_rate}], [old])
    assert row["rate"] == meant
    if meant != typed_rate:
        above, below = map(int, typed_rate.split("/"))
        assert 0 <= Fraction(meant) - Fraction(above, below) <= Fraction(1, 10**11)  # nine of twelve digits at least


@pytest.mark.parametrize("called", ["DP-SGD", "dp_sgd", "Trained model"])
def test_a_trained_model_is_known_by_what_it_is_called_elsewhere(called: str) -> None:
    [row] = plan_rows.understood([plan_rows.row_of({"mechanism": called})], [plan_rows.row_of({})])
    assert row["mechanism"] == "Trained model"


@pytest.mark.parametrize(
    ("typed_share", "meant"),
    [("true 80 of 100", "ε 1.38629"), ("80 of 100", "ε 1.38629"), ("99.9 of 100 true", "ε 6.90675"),
     ("50 of 100", "50 of 100"), ("100 of 100", "100 of 100"), ("true 20 of 100", "true 20 of 100")],
)  # fmt: skip
def test_randomized_answers_are_told_by_how_many_stay_true(typed_share: str, meant: str) -> None:
    """Of other mechanisms it says nothing, and no ε follows from half of them, or all."""
    for mechanism, noise in (("Randomized response", meant), ("Laplace", typed_share)):
        old = plan_rows.row_of({"name": "Question", "mechanism": mechanism, "noise": "ε 1"})
        [row] = plan_rows.understood([{**old, "noise": typed_share}], [old])
        assert row["noise"] == noise


@pytest.mark.parametrize(("relation", "scheme"), [("add_remove", "poisson"), ("replace_one", "without_replacement")])
def test_a_sampling_rate_brings_the_sample_that_the_promise_allows(relation: str, scheme: str) -> None:
    """One that was chosen stays, and so does none where a rate stood before."""
    plan = Plan([], relation=relation)
    old = row_of({"name": "Run", "mechanism": "Gaussian", "noise": "σ 2", "sensitivity": "1"})
    assert prefilled([{**old, "rate": "0.02"}], [old], plan=plan)[0]["scheme"] == scheme
    assert prefilled([{**old, "rate": "0.02", "scheme": "poisson"}], [old], plan=plan)[0]["scheme"] == "poisson"
    assert prefilled([{**old, "rate": "0.03"}], [{**old, "rate": "0.02"}], plan=plan)[0]["scheme"] is None


@given(
    st.floats(1e-6, 1e6), st.integers(2, 10**9), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6),
    st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1),
)  # fmt: skip
def test_a_sum_and_a_count_tell_a_mean_within_what_was_wanted(wanted, people, lower, width, e, f, share) -> None:
    """Whatever the mean, and wherever both kinds of noise lie within what they do 39 times of 40."""
    lower, upper = float(f"{lower:.6g}"), float(f"{lower + width:.6g}")
    assume(lower < upper)
    mean = row_of({"name": "Pay", "kind": "mean", "mechanism": "Laplace", "noise": f"±{wanted!r}",
                   "lower": repr(lower), "upper": repr(upper)})  # fmt: skip
    parts = filled_in.sum_and_count(mean | {"averaged": str(people)}, people)
    errors = [float(each["noise"].removeprefix("±")) for each in parts]
    assert not any(each["averaged"] for each in parts)
    assert [each["rows"] for each in filled_in.sum_and_count(mean | {"rows": "3"}, people)] == ["3", "3"]
    of_sum, of_count = (error * math.log(40) / math.log(20) for error in errors)  # as Laplace noise is
    exact = lower + share * (upper - lower)
    told = (people * exact + e * of_sum) / (people + f * of_count)
    rounded = 1e-12 * (abs(exact) + abs(told) + wanted)  # of floats, in the quotient and in its inputs
    assert abs(told - exact) <= wanted + rounded


def test_a_hospital_s_own_words_are_understood() -> None:
    """What kinds, mechanisms and sensitivities are called in a list that nobody wrote for this table."""
    text = "\n".join(
        "\t".join(line)
        for line in (
            ("Statistic", "Type", "Method", "Noise", "Most one patient can change", "How often"),
            ("Wards", "histogram", "Gaussian", "sigma 20", "3", "every month"),
            ("Stay", "average", "Laplace", "eps 0.05", "0 to 30", "quarterly"),
            ("Waited", "number of patients", "Gaussian", "sigma 6", "1", "every week"),
            ("Respect", "yes/no survey", "randomised response", "75 % true", "", "once"),
        )
    )
    rows, left = pasted([row_of({})], 0, 0, ["Release", "Mechanism"], text)
    found = understood(rows, [row_of({})] * len(rows))
    assert not left and [row["kind"] for row in found] == ["histogram", "mean", "count", "survey answer"]
    assert [row["sensitivity"] for row in found] == ["3", None, "1", None] and found[1]["upper"] == "30"
    assert found[3]["mechanism"] == "Randomized response" and found[3]["noise"] == f"ε {math.log(3):.6g}"
    engineer = "\t".join(("Report", "Type of output", "Algorithm", "Noise level", "Max change per user", "Sampled"))
    rows, left = pasted([row_of({})], 0, 0, ["Release"], f"{engineer}\nApp\tchoice\texponential\teps 0.4\t\t0.01")
    [app] = understood(rows, [row_of({})])
    assert not left and app["kind"] == "selection" and app["rate"] == "0.01"
    of_purchases = row_of({"kind": "number of purchases"})  # of which one person may have several
    assert understood([of_purchases], [row_of({})])[0]["kind"] == "number of purchases"
    other, untaken = pasted([row_of({})], 0, 0, ["Release"], text.replace("one patient can", "one ward may"))
    assert "Most one ward may change" in untaken and other[0]["sensitivity"] is None


@pytest.mark.parametrize("text", ["0.5 to 2,000", "[0 to 2 000]", "0 – 2.000", "1000 to 2,000"])
@pytest.mark.parametrize("column", ["sensitivity", "lower"])
def test_a_range_with_marks_between_thousands_is_told_how_it_is_written(column: str, text: str):
    """In the table and in the form, by the name of what was typed; what is offered is read."""
    row = row_of({"name": "Use", "kind": "sum", "mechanism": "Laplace", "noise": "±2000 (19 times of 20)"})
    found, faults = releases_of([{**row, column: text}])
    assert not found and len(faults[0]) == 1
    said = refusals.row(faults[0])
    assert "without a mark between thousands, as “" in said and " to 2000” if that is what it means" in said
    assert said.startswith("“Clipped to”" if column == "lower" else "“Sensitivity”")
    [taken] = understood([{**row, "sensitivity": "0 to 2000"}], [row])
    assert releases_of([taken])[0][0].upper == 2000


@pytest.mark.parametrize("often", [" (19 times of 20)", ", 19 of 20", " 95 %", ""])
def test_how_often_an_error_is_kept_may_be_typed_with_it(often: str):
    """It is the same for all; another share is none."""
    assert noise_of(f"±40000{often}", "gaussian") == {"within": 40000}
    assert isinstance(noise_of("±40000 (9 times of 10)", "gaussian"), str)
    assert "as “±40000” if that is what it means" in noise_of(f"±40,000{often}", "gaussian")  # if 40, it costs more


def test_commas_stand_between_thousands_where_they_can_be_nothing_else():
    """In whole numbers, as in boxes, and in a typical one, as it is shown; of a rate or a sensitivity nobody knows."""
    cells = {"count": "1,000", "typical": "21,000", "averaged": "2,500", "rows": "1,200"}
    known = {"name": "Use", "kind": "sum", "mechanism": "Laplace", "noise": "ε 1", "lower": "0", "upper": "9"}
    row = row_of(known | cells)
    [release] = releases_of([row])[0].values()
    assert (release.count, release.typical, release.averaged, release.rows) == (1000, 21_000, 2500, 1200)
    for column, text in (("count", "1.000"), ("typical", "21.000"), ("typical", "2,5"), ("sensitivity", "1,000")):
        assert not releases_of([{**row, column: text}])[0], (column, text)


@pytest.mark.parametrize(
    ("was", "start", "now", "then"),
    [
        ("monthly", "2027-01-31", "quarterly", "2027-03-31"), ("monthly", "2028-01-31", "yearly", "2028-12-31"),
        ("quarterly", "2027-03-31", "monthly", "2027-01-31"), ("monthly", "2027-12-31", "half-yearly", "2027-12-31"),
        ("monthly", "2027-01-15", "quarterly", "2027-01-15"), ("weekly", "2027-01-31", "quarterly", "2027-01-31"),
        ("quarterly", "2028-04-30", "monthly", "2028-02-29"), ("monthly", "2027-01-31", "weekly", "2027-01-31"),
    ],
)  # fmt: skip
def test_what_comes_out_at_the_end_of_a_month_comes_out_at_the_end_of_a_quarter(was, start, now, then):
    """Where both rhythms are of months, nobody types another day, nothing is done, and it comes out no less often."""
    old = plan_rows.row_of({"name": "a", "kind": "count", "mechanism": "Laplace", "noise": "ε 0.1", "count": "1",
                            "cadence": was, "start": start, "end": "2029-12-31"})  # fmt: skip
    [row] = filled_in.prefilled([{**old, "cadence": now}], [old], date(2027, 1, 1))
    assert (row["start"], row["end"]) == (then, "2029-12-31")
    typed = {**old, "cadence": now, "start": "2027-05-31"}
    assert filled_in.prefilled([typed], [old], date(2027, 1, 1))[0]["start"] == "2027-05-31"
    done = {**old, "done": start}
    assert filled_in.prefilled([{**done, "cadence": now}], [done], date(2027, 1, 1))[0]["start"] == start
    short = {**old, "end": start}
    assert filled_in.prefilled([{**short, "cadence": now}], [short], date(2027, 1, 1))[0]["start"] <= start
