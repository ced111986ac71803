"""A sensitivity that nobody typed: what follows from the release, what stays open, and what is never quoted."""

import importlib
import inspect
import json
import math
import pkgutil
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad

import dpviz
import dpviz_certified
from dpviz import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
    compare,
    compose,
    epsilon_curve,
    max_count,
)
from dpviz.adversary import mechanism_list, run_experiment
from dpviz.adversary.play import experiment_in_chunks
from dpviz.claims import StatedTotal, judge
from dpviz.claims.judgement import under_each_reading
from dpviz.cli import check, command_line
from dpviz.composition import crossings, spend
from dpviz.composition.compose import smallest_total
from dpviz.composition.crossings import largest_within
from dpviz.filters import plan_verdicts, verdicts
from dpviz.jobs import Grid, simulated, swept
from dpviz.mechanisms.forms import mechanism_from
from dpviz.mechanisms.left_open import UNKNOWN_NOISE, follows
from dpviz.mechanisms.uses import bar_of, in_bars, taken_apart
from dpviz.plan import KINDS, RELATIONS
from dpviz.plan.field_table import VERSION
from dpviz.plan.files import permalink
from dpviz.plan.sensitivity import sensitivity
from dpviz.plan.workload import Workload
from dpviz.planning import room, scenario, schedule
from dpviz.planning.accuracy import errors
from dpviz.planning.advice import checks, delta_lever, levers
from dpviz.planning.attained import attained, certain
from dpviz.planning.budgeting import least_epsilon, solve_noise
from dpviz.planning.budgeting.solve import adaptive_cost
from dpviz.planning.schedule import totals as schedule_totals
from dpviz.planning.separation import Difference, covered, replaced
from dpviz.report import certificate, facts, measures, page, programs, registry
from dpviz.report.subject import Subject
from dpviz.store import reservations
from dpviz.store.budgets import Budget, Key
from dpviz_certified.total import certified_total

KEYS = st.none() | st.sampled_from([kind.key for kind in KINDS])
WIDE = st.floats(-1e6, 1e6)
BOUNDS = st.none() | st.tuples(WIDE, WIDE).map(sorted) | st.sampled_from([[-3.0, 8.0], [0.0, 0.0]])
PEOPLE = st.none() | st.integers(1, 10**6)
# Each kind of noise, by its amount and by its ε, without a sensitivity.
BY_AMOUNT = st.sampled_from([Laplace(7.5), Gaussian(7.5), DiscreteLaplace(7.5), DiscreteGaussian(7.5)])
BY_EPSILON = st.sampled_from(
    [Laplace.from_epsilon(0.11), DiscreteLaplace.from_epsilon(0.11), Gaussian.from_guarantee(0.5, 1e-7),
     Gaussian.from_guarantee(0.5, 1e-7, calibration="classical")]
)  # fmt: skip
UNSAMPLED = BY_AMOUNT | BY_EPSILON
NOISE = UNSAMPLED | UNSAMPLED.map(lambda noise: Subsampled(noise, 0.25, "poisson"))


def setting(kind, bounds, people, relation, rows=None, bars=None, averaged=None) -> dict:
    """What a plan of one release is made with, beside its mechanism."""
    clipped = {} if bounds is None else {"lower": bounds[0], "upper": bounds[1]}
    asked = {"kind": kind, **clipped, "rows": rows, "bars": bars, "averaged": averaged}
    return {"asked": asked, "promise": {"relation": relation, "population": people}}


OF_UNIT = st.sampled_from([None, None, 1, 2, 8, 10**9]), st.sampled_from([None, "different", "any"]), PEOPLE
SETTINGS = st.builds(setting, KEYS, BOUNDS, PEOPLE, st.sampled_from(list(RELATIONS)), *OF_UNIT)
ADDED = st.builds(setting, KEYS, BOUNDS, PEOPLE, st.just("add_remove"), *OF_UNIT)  # which a Poisson sample demands


def made(mechanism, asked: dict, promise: dict, **others) -> Plan:
    return Plan([Release("a", mechanism, **asked)], **promise, unit="person", **others)


def unaccounted(told: dict) -> bool:
    """Whether several rows of one unit are stated of what has no sensitivity that follows from them."""
    return (told["asked"]["rows"] or 1) > 1 and told["asked"]["kind"] not in ("count", "sum", "histogram")


def proved(norm: str, asked: dict, promise: dict, whole: bool = False) -> float | None:
    """What is proved of an answer, for noise that takes it; None where nothing is, or noise takes no such number."""
    limits = {name: asked.get(name) for name in ("lower", "upper")}
    limits |= {"rows": asked["rows"] or 1, "distinct": asked["kind"] == "histogram" and asked["bars"] == "different"}
    people = promise["population"]
    if asked["kind"] == "mean" and asked["averaged"]:
        if people and asked["averaged"] > people:  # more than there are
            return None
        people = asked["averaged"]
    try:
        found = sensitivity(asked["kind"] or "other", promise["relation"], **limits, people=people)
    except ValueError:
        return None
    value = found.l1 if norm == "L1" else found.l2
    return value if value > 0 and (not whole or (value.is_integer() and value <= 1e9)) else None


# --- what follows


@given(UNSAMPLED, SETTINGS)
@example(Laplace(7.5), setting("histogram", None, None, "replace_one"))
@example(Gaussian(7.5), setting("histogram", None, None, "replace_one"))
@example(DiscreteGaussian(7.5), setting("histogram", None, None, "replace_one"))
@example(Gaussian(7.5), setting("mean", [0.0, 90.0], 300, "replace_one"))
@example(Gaussian(7.5), setting("histogram", None, None, "replace_one", 8, "different"))
@example(Gaussian(7.5), setting("mean", [0.0, 90.0], 300, "replace_one", 2))
@example(Gaussian(7.5), setting("mean", [0.0, 90.0], 300, "replace_one", averaged=200))
@example(Gaussian(7.5), setting("mean", [0.0, 90.0], 300, "replace_one", averaged=301))
@example(Laplace.from_epsilon(0.11), setting("sum", [0.0, 0.0], None, "add_remove"))
def test_what_follows_is_what_is_proved(noise, told):
    """For every kind, relation, norm and clipping; where nothing is, noise by its amount alone has no total."""
    plan = made(noise, **told)
    least = proved(noise.norm, **told, whole=noise.key.startswith("discrete"))
    (known,), mechanism = plan.sensitivities, plan.releases[0].mechanism
    assert (known.value, mechanism.sensitivity) == (least, 1.0 if least is None else least)
    counted = told["asked"]["kind"] == "count" and told["asked"]["rows"] is None
    assert known.origin == ("open" if least is None else "assumed" if counted else "derived") and known.sentence
    assert mechanism.parameters == noise.parameters and follows(mechanism)
    if least is None and ("epsilon" not in noise.parameters or unaccounted(told)):
        assert plan.faults == {0: known.fault} and known.fault == known.sentence
    elif (told["asked"]["kind"], told["promise"]["relation"]) != ("mean", "add_remove"):
        assert not plan.faults and compose(plan, 1e-6, "basic") == compose(mechanism, 1e-6, "basic")


@given(NOISE, ADDED, st.data())
def test_it_follows_when_what_it_follows_from_changes(noise, told, data):
    """A changed plan is the plan that is made so at once, there and back."""
    other = data.draw(ADDED if noise.sampled else SETTINGS)
    first, second = made(noise, **told), made(noise, **other)
    changed = replace(first.releases[0], **{"kind": None, "lower": None, "upper": None} | other["asked"])
    there = replace(first, releases=(changed,), **other["promise"])
    assert there == second and there.sensitivities == second.sensitivities
    original = replace(changed, **{"kind": None, "lower": None, "upper": None} | told["asked"])
    back = replace(there, releases=(original,), **told["promise"])
    assert back == first and back.sensitivities == first.sensitivities


@given(st.sampled_from([Laplace, Gaussian]), SETTINGS, st.floats(1e-3, 1e7))
@example(Laplace, setting("sum", [-0.1, 0.3], None, "replace_one"), 0.4)
@example(Laplace, setting("sum", [-0.1, 0.3], None, "replace_one"), math.nextafter(0.4, 0))
def test_what_was_typed_stays(noise, told, size):
    """It is a fault where less is proved to be enough, and nothing but larger noise where more was typed."""
    plan, least = made(noise(7.5, size), **told), proved(noise.norm, **told)
    assert plan.releases[0].mechanism == noise(7.5, size)
    mean = (told["asked"]["kind"] == "mean" and told["promise"]["relation"] == "add_remove") or unaccounted(told)
    [known] = plan.sensitivities
    assert (known.origin, known.value) == (("open", None) if mean else ("stated", size))
    assert bool(plan.faults) is (mean or (least is not None and size < least))
    if not plan.faults:
        assert compose(plan, 0.1) == compose(made(noise(7.5, size), **setting(None, None, None, None)), 0.1)
    elif not mean:
        wanted, got = re.match(r"sensitivity must be at least (.*?): .*; got (.*)", plan.faults[0]).groups()
        assert wanted != got


def test_a_quotient_that_was_rounded_down_is_told_apart_from_what_it_must_be():
    """Two numbers of which one is too small are never written the same."""
    told = setting("mean", [0, 60], None, "replace_one")
    told["promise"]["population"] = 140_000
    fault = made(Laplace(1, 60 / 140_000), **told).faults[0]
    assert fault.startswith("sensitivity must be at least 0.0004285714285714286: "), fault
    assert fault.endswith("; got 0.00042857142857142855"), fault


@pytest.mark.parametrize(("mechanism", "kind"), [
    (Subsampled(Laplace(10), 0.1, "poisson"), "count"),
    (Subsampled(Gaussian(10, 8), 0.1, "without_replacement"), "histogram"),
    (TrainedModel(60_000, 256, 1.1, epochs=3), None),
    (RandomizedResponse(1.0), "survey"),
    (Laplace.from_epsilon(0.1), None),
])  # fmt: skip
def test_several_rows_are_refused_where_nothing_follows_from_them(mechanism, kind):
    """Of a sample chance draws each row by itself; with one row all of these are as they were."""
    relation = mechanism.relation or "add_remove"
    unsaid, one, several = (
        Plan([Release("a", mechanism, kind=kind, rows=rows)], relation=relation) for rows in (None, 1, 8)
    )
    assert not one.faults and compose(one, 1e-6) == compose(unsaid, 1e-6)
    assert several.faults[0].startswith("rows must be 1 of ")
    with pytest.raises(ValueError, match=re.escape("release 'a': rows must be 1 of ")):
        compose(several, 1e-6)


def test_two_releases_of_the_same_noise_are_told_apart():
    """The scale is the same, what one person changes is not."""
    plan = Plan([Release("n", Laplace(10), kind="count"), Release("s", Laplace(10), kind="sum", lower=0, upper=5)])
    assert [each.mechanism.stated.epsilon for each in plan.releases] == [0.1, 0.5]
    assert compose(plan, 0.0).epsilon == 0.6


def test_every_sample_has_the_sensitivity_of_its_base():
    sampled = Subsampled(Laplace(10), 0.1, "poisson")
    plan = made(sampled, **setting("sum", [0, 5], None, None))
    assert plan.releases[0].mechanism.base.stated.epsilon == 0.5 and plan.neighbours == "add_remove"
    fixed = Subsampled(Laplace(10), 0.1, "without_replacement")
    mean = made(fixed, **setting("mean", [0, 5], 100, None))
    assert "size" in mean.faults[0]  # of the sample, by which it divides


# --- a mean


@pytest.mark.parametrize("noise", [Laplace(5.0), Laplace(5.0, 90.0), Laplace.from_epsilon(0.5), Gaussian(5.0, 9.0)])
def test_a_mean_divides_by_a_public_number(noise):
    """Of units added or removed it is refused, whatever was typed; replaced ones move it by the width over n."""
    asked = {"kind": "mean", "lower": 0.0, "upper": 90.0}
    for relation in (None, "add_remove"):
        plan = made(noise, asked, {"relation": relation, "population": 300})
        assert "relation must be replace_one for a mean" in plan.faults[0]
        with pytest.raises(ValueError, match="release the sum and the count"):
            compose(plan, 1e-6)
    public = made(noise, asked, {"relation": "replace_one", "population": 300})
    assert not public.faults and public.sensitivities[0].least == 0.3
    unknown = made(noise, asked, {"relation": "replace_one", "population": None})
    assert bool(unknown.faults) is (noise == Laplace(5.0))
    assert compose(public, 0.5).epsilon <= compose(replace(public, population=100), 0.5).epsilon


# --- what stays open


def test_an_open_sensitivity_leaves_the_total_and_takes_the_error():
    """ε says the loss; how much noise that takes depends on the answer."""
    for noise in (Laplace.from_epsilon(0.5), DiscreteLaplace.from_epsilon(0.5), Gaussian.from_guarantee(0.5, 1e-7)):
        plan = made(noise, {"typical": 40.0}, {}, budget=Guarantee(1.0, 1e-6))
        (known,), row = plan.sensitivities, errors(plan).iloc[0]
        assert known.origin == "open" and not known.fault and compose(plan).epsilon <= 0.5
        assert row.reason == UNKNOWN_NOISE and row.half_width is None and row.relative is None and not row.noisy
        accurate = least_epsilon(plan, 10.0)
        assert not accurate.applies.any() and UNKNOWN_NOISE in set(accurate.reason) and accurate.reason.all()
        assert solve_noise(plan, "relative").plan is None and solve_noise(plan).plan is not None
        counted = replace(plan, releases=(replace(plan.releases[0], kind="count"),))
        assert errors(counted).half_width.iloc[0] > 0 and least_epsilon(counted, 10.0).applies.iloc[0]


def test_errors_are_those_of_what_follows():
    """Not of noise in units of the sensitivity, and so is the noise that is accurate enough."""
    plan = made(Laplace.from_epsilon(0.5), {"kind": "sum", "lower": 0, "upper": 100}, {}, budget=Guarantee(1.0, 1e-6))
    typed = made(Laplace.from_epsilon(0.5, 100.0), {"kind": "sum", "lower": 0, "upper": 100}, {}, budget=plan.budget)
    assert errors(plan).equals(errors(typed))
    assert least_epsilon(plan, 1e3).epsilon.tolist() == least_epsilon(typed, 1e3).epsilon.tolist()
    assert room.room(plan, plan.releases[0]) == room.room(typed, typed.releases[0])
    for noise in (Laplace.from_epsilon(0.5), Laplace(7.5), Gaussian(7.5), Gaussian.from_guarantee(0.5, 1e-7)):
        plan = replace(plan, releases=(replace(plan.releases[0], mechanism=noise),))
        solved = solve_noise(plan).plan
        assert solved.sensitivities == plan.sensitivities and 0.999 <= compose(solved).epsilon <= 1


def test_a_mechanism_by_itself_is_in_units_of_its_sensitivity():
    assert compose([Laplace(10)] * 3, 0.0) == compose([Laplace(10, 1)] * 3, 0.0) == Guarantee(0.3)
    assert max_count(Laplace(10), Guarantee(1.0)) == 10 and Laplace(10) != Laplace(10, 1)


# --- files and links


@given(NOISE, ADDED)
def test_files_and_links_keep_that_nobody_typed_it(noise, told):
    """What is read derives anew: the same plan, of which nothing is written but what was typed."""
    plan = made(noise, **told)
    text = plan.to_json()
    assert json.loads(text)["dpviz_plan"] == VERSION and "sensitivity" not in json.loads(text)["releases"][0]
    for back in (Plan.from_json(text), permalink.opened(permalink.token(plan))):
        assert back == plan and back.sensitivities == plan.sensitivities and back.to_json() == text
    table = replace(Plan.from_csv(plan.to_csv()), **told["promise"], unit="person")
    assert table.releases == plan.releases and table.sensitivities == plan.sensitivities


INCOME = {"name": "Total income", "mechanism": "laplace", "scale": 100.0, "kind": "sum", "lower": 0, "upper": 100000}


def test_an_income_of_a_hundred_thousand_is_not_protected_by_a_noise_of_a_hundred(tmp_path, capsys):
    """ε is 1,000, not 0.01, wherever the plan comes from."""
    coded = tmp_path / "plan.json"
    coded.write_text(json.dumps({"dpviz_plan": 5, "unit": "person", "releases": [INCOME]}), encoding="utf-8")
    table = tmp_path / "plan.csv"
    table.write_text(f"{','.join(INCOME)}\n{','.join(map(str, INCOME.values()))}\n", encoding="utf-8")
    typed = Plan([Release("Total income", Laplace(100.0), kind="sum", lower=0, upper=100000)], unit="person")
    for plan in (typed, Plan.read(coded), Plan.read(table)):
        assert compose(plan, 0.0) == Guarantee(1000.0) and compare(plan, 1e-6).epsilon.min() > 900
    for path in (coded, table):
        assert command_line.main(["check", str(path), "--budget", "999", "--delta", "0"]) == 1
        assert "1000" in capsys.readouterr().out.replace(",", "")
    small = json.dumps({"dpviz_plan": 5, "releases": [INCOME | {"sensitivity": 1}]})
    coded.write_text(small, encoding="utf-8")
    assert command_line.main(["check", str(coded), "--budget", "1", "--delta", "0"]) == 2
    told = capsys.readouterr()
    assert "sensitivity must be at least 100000" in told.err and not told.out


# --- nothing is quoted for a plan with a fault

DAILY = {"start": date(2026, 1, 1), "cadence": "daily", "end": date(2026, 1, 5), "typical": 9.0}
SUM = {"kind": "sum", "lower": 0, "upper": 100000}
BUDGET = Guarantee(1.0, 1e-6)
FAULTY = {
    "smaller": Release("x", Laplace(100.0, 1), **SUM, **DAILY),
    "smaller beside an epsilon": Release("x", Laplace.from_epsilon(0.1, 1), **SUM, **DAILY),
    "open": Release("x", Gaussian(3.0), **DAILY),
    "open in a sample": Release("x", Subsampled(Gaussian(3.0), 0.1, "poisson"), **DAILY),
    "a mean": Release("x", Laplace.from_epsilon(0.1, 5), kind="mean", lower=0, upper=1, **DAILY),
    "done": Release("x", Gaussian(3.0), done=True, **DAILY),
}
BESIDE = Release("beside", Laplace(10.0, 1), part="north", typical=9.0)
EMPTY = Plan([], BUDGET, unit="person-day", population=10)
DAYS, ONCE = np.array(["2026-01-03"], "datetime64[D]"), ((Laplace(1.0),), np.ones((1, 1, 1), dtype=np.int64))
GRID = {"beside": {"count": [1, 2]}}
DRAWN = {"trials": 4, "rng": np.random.default_rng(1)}
# Every function that tells of a plan what it costs, what fits beside it, or what an attacker sees of it.
TELLING = {
    mechanism_list: mechanism_list,
    run_experiment: lambda plan: run_experiment(plan, **DRAWN),
    experiment_in_chunks: lambda plan: list(experiment_in_chunks(plan, **DRAWN)),
    certified_total: lambda plan: certified_total(plan, 1e-6),
    compare: compare,
    replaced: replaced,
    compose: compose,
    smallest_total: lambda plan: smallest_total(plan, 1e-6),
    epsilon_curve: lambda plan: epsilon_curve(plan, [0]),
    crossings.most_repetitions: crossings.most_repetitions,
    crossings.first_below: lambda plan: crossings.first_below(plan, "zcdp", 1e-6),
    crossings.largest_within: lambda plan: crossings.largest_within(plan, BUDGET, "basic"),
    crossings.crossings: lambda plan: crossings.crossings(plan, 1e-6),
    crossings.growth: lambda plan: crossings.growth(plan, [1], 1e-6),
    spend.alone: lambda plan: spend.alone(plan, 1e-6),
    spend.without: lambda plan: spend.without(plan, [0], 1e-6),
    spend.savings: lambda plan: spend.savings(plan, 1e-6),
    attained: attained,
    certain: certain,
    plan_verdicts: plan_verdicts,
    verdicts.why_not_whole: lambda plan: verdicts.why_not_whole(plan, "basic"),
    verdicts.least_budget: lambda plan: verdicts.least_budget(plan, "basic"),
    verdicts.share_of_budget: lambda plan: verdicts.share_of_budget(plan, "basic"),
    swept: lambda plan: swept(Grid.of(plan, GRID)),
    simulated: lambda plan: simulated(plan, 60),
    Plan.of_units: lambda plan: plan.of_units(1),
    Plan.workload: Plan.workload,
    Workload.of: Workload.of,
    levers: levers,
    delta_lever: delta_lever,
    room.fits: room.fits,
    room.room: lambda plan: room.room(plan, BESIDE),
    room.longest_training: lambda plan: room.longest_training(with_model(plan), len(plan.releases)),
    scenario.Totals.of: scenario.Totals.of,
    scenario.risk: scenario.risk,
    scenario.differences: lambda plan: scenario.differences(EMPTY, plan),
    schedule.forecast: schedule.forecast,
    schedule.exhaustion: schedule.exhaustion,
    schedule.windows: lambda plan: schedule.windows(plan, "day"),
    schedule.unit_cost: schedule.unit_cost,
    schedule.of_one_unit: schedule.of_one_unit,
    schedule.refusals: schedule.refusals,
    schedule_totals.whole_total: schedule_totals.whole_total,
    schedule_totals.counts_by: lambda plan: schedule_totals.counts_by(plan, DAYS),
    schedule_totals.totals_by: lambda plan: schedule_totals.totals_by(plan, DAYS, None),
    schedule_totals.totals: lambda plan: schedule_totals.totals(plan, *ONCE, None),
    schedule_totals.many_totals: lambda plan: schedule_totals.many_totals(plan, *ONCE),
    PrivacyLoss.of: PrivacyLoss.of,
    certificate.certificate: certificate.certificate,
    check.Verdict.of: check.Verdict.of,
    facts.facts: lambda plan: facts.facts(Subject(plan)),
    page.html: lambda plan: page.html(Subject(plan)),
    page.as_json: lambda plan: page.as_json(Subject(plan)),
    programs.dp_accounting_snippet: programs.dp_accounting_snippet,
    page.markdown: lambda plan: page.markdown(Subject(plan)),
    measures.bracket: lambda plan: measures.bracket(plan, 1.0),
    measures.parameters: measures.parameters,
    registry.registry_entry: lambda plan: registry.registry_entry(Subject(plan)),
    registry.registry_yaml: lambda plan: registry.registry_yaml(Subject(plan)),
    scenario.risk_and_sureness: lambda plan: scenario.risk_and_sureness(plan, [0.5], [0.5]),
    judge: lambda plan: judge(plan, StatedTotal(1.0, 1e-6)),
    under_each_reading: lambda plan: under_each_reading(plan, StatedTotal(1.0, 1e-6)),
    covered: lambda plan: covered(plan, Difference()),
    reservations.reserved: lambda plan: reservations.reserved(plan, Budget(Key("census", "person-day"), 1.0), 1e-6),
    reservations.summed: lambda plan: reservations.summed(plan, Budget(Key("census", "person-day"), 1.0, rule="zcdp")),
}


def with_model(plan: Plan) -> Plan:
    """The plan and a model that is trained beside it."""
    scheme = "poisson" if plan.neighbours == "add_remove" else "without_replacement"
    return replace(plan, releases=(*plan.releases, Release("m", TrainedModel(1000, 10, 0.4, epochs=3, scheme=scheme))))


# What takes a plan and tells no number of it as a whole, or says why there is none.
OTHERS = {
    "as_plan", "Grid.of", "Grid.read", "Document.edited", "fitting", "token", "filter_for", "about",  # made of it
    "until", "within", "done_part", "dated", "release_dates", "uses_by", "affordable", "portion", "different_kinds",
    "matched", "rows_before", "without_delta", "answered_openly", "looked_at", "promise", "published", "left_out",
    "comparable", "less_often", "more_often", "recounted", "rarer", "cut_first", "lost_by_models",
    "changed_answers", "rows_taken_once", "stated_rows", "taken_once", "in_brackets", "not_answered",
    "with_gaussian", "dpviz_snippet",  # a program that is refused the total when it runs
    "quotients", "alike",
    "errors", "release_differences", "in_unit_of", "measure", "Measure.values", "Measure.widest",  # by their own noise
    "Adjustable.of", "Adjustable.but", "Adjustable.applied", "Adjustable.held", "Adjustable.ratios_in", "with_ratios",
    "fixed_noise", "adaptive_noise", "solve_noise", "adaptive_cost", "least_epsilon",  # with a reason in its place
    "one_unit_told", "check_told", "sections", "over_time", "least_accurate",  # another answer put in words
    "digest", "disclosed", "drawn", "not_covered", "conditions", "shared_weeks",  # texts
    "fixed_family", "rounded_within", "goal_noise", "uneven",  # within `solve_noise`
    "simulated_scores",  # outputs that are drawn from its noise
    "check_promise", "own_delta", "only", "given_back", "stays",  # of a version that is reserved already
}  # fmt: skip
# Of these the text names the releases, and how their sensitivities are known.
TEXTS = (
    page.html, page.as_json, page.markdown, programs.dp_accounting_snippet, registry.registry_yaml, mechanism_list,
    experiment_in_chunks, certificate.certificate,
)  # fmt: skip
TAKES_A_PLAN = re.compile(r"\b(Plan|Composable|Subject)\b")


def takers() -> dict[str, object]:
    """Every public function of the core that takes a plan, by its name; findings are asked through `checks`."""
    found = {}
    walks = ((package.__path__, f"{package.__name__}.") for package in (dpviz, dpviz_certified))
    for each in (module for walk in walks for module in pkgutil.walk_packages(*walk)):
        if each.name.startswith(("dpviz.ui", "dpviz.figures", "dpviz.__main__")):
            continue
        if each.name.startswith("dpviz.planning.advice.") and not each.name.endswith("levers"):
            continue
        for owner in list(vars(importlib.import_module(each.name)).values()):
            if getattr(owner, "__module__", None) != each.name:
                continue
            for function in (owner, *(vars(owner).values() if inspect.isclass(owner) else ())):
                function = getattr(function, "__func__", function)
                name = getattr(function, "__qualname__", "")
                if inspect.isfunction(function) and not re.search(r"(^|\.)_", name):
                    taken = [str(taken.annotation) for taken in inspect.signature(function).parameters.values()]
                    if any(TAKES_A_PLAN.search(text) and "Callable" not in text for text in taken):
                        found[name] = function
    return found


def test_every_function_that_takes_a_plan_is_asked():
    """One that is new is put into the list of those that tell something, or of the others."""
    telling = {call.__qualname__ for call in TELLING}
    assert set(takers()) - telling - OTHERS == set() and not telling & OTHERS


@pytest.mark.parametrize("fault", FAULTY)
def test_nothing_is_told_of_a_plan_with_a_fault(fault):
    """Neither where it is alone, nor beside others, nor where releases are chosen along the way."""
    for adaptive in (False, True):
        plan = replace(EMPTY, releases=(FAULTY[fault], BESIDE), adaptive=adaptive)
        assert set(plan.faults) == {0}
        for call, asked in TELLING.items():
            if adaptive and call in (certified_total, certificate.certificate, measures.bracket, measures.parameters):
                continue  # they are about releases fixed in advance
            with pytest.raises(ValueError, match=r"^release 'x': (sensitivity|relation) must be "):
                print(call.__qualname__, asked(plan))


@pytest.mark.parametrize("fault", FAULTY)
def test_what_has_an_answer_without_a_total_says_why(fault):
    plan = replace(EMPTY, releases=(FAULTY[fault], BESIDE))
    why = plan.faults[0]
    for solution in (solve_noise(plan), solve_noise(plan, "variance", [0]), solve_noise(replace(plan, adaptive=True))):
        assert solution.plan is None and solution.total is None and why in solution.reason
    assert adaptive_cost(replace(plan, adaptive=True)) is None
    accurate = least_epsilon(plan, 10.0)
    assert np.isinf(accurate.epsilon).all() and not accurate.applies.any() and accurate.reason.all()
    stated = scenario.release_differences(plan, plan).set_index(["release", "quantity"])
    assert ("x", "stated_epsilon") not in stated.index and ("beside", "stated_epsilon") in stated.index
    try:
        told = checks(plan, batches="fixed", parts_disjoint=False, whole_numbers=True)
    except ValueError as error:
        assert why in str(error)
    else:
        assert why.rpartition("; got ")[0] in " ".join(each.sentence for each in told if 0 in each.rows)
    program = programs.dpviz_snippet(plan)
    with pytest.raises(ValueError, match=r"^release 'x': "):
        exec(program, {})


def rows_and_typed(relation: str) -> tuple[Plan, Plan]:
    """A plan whose sensitivities follow from rows of one unit and values averaged, and the same with them typed."""
    releases = [
        Release("x", Laplace(50.0), kind="histogram", rows=5, **DAILY),
        Release("y", Gaussian(90.0), 3, kind="histogram", rows=8, bars="different", **DAILY),
        Release("z", DiscreteLaplace(900.0), kind="sum", lower=0, upper=10, rows=2, **DAILY),
        Release("w", Laplace.from_epsilon(0.01), kind="count", rows=20, typical=9.0),
    ]
    if relation == "add_remove":
        releases[-1] = replace(releases[-1], part="north")
    else:
        releases.append(Release("v", Laplace(900.0), kind="mean", lower=0, upper=100, averaged=9, **DAILY))
    plan = replace(EMPTY, releases=releases, relation=relation)
    typed_ones = tuple(
        replace(
            each, rows=None, bars=None, averaged=None,
            mechanism=mechanism_from(each.mechanism.key, each.mechanism.parameters | {"sensitivity": known.value}),
        )
        for each, known in zip(plan.releases, plan.sensitivities, strict=True)
    )  # fmt: skip
    return plan, replace(plan, releases=typed_ones)


@pytest.mark.parametrize("relation", RELATIONS)
def test_rows_of_one_unit_cost_what_their_sensitivity_does_wherever_they_are_read(relation):
    """Every function answers, or refuses with the same reason, and numbers are the same; texts are made of them."""
    plan, stated = rows_and_typed(relation)
    assert not plan.faults and all(known.origin == "derived" for known in plan.sensitivities)
    asked = {call: told for call, told in TELLING.items() if call not in TEXTS} | {
        "solve": lambda plan: solve_noise(plan).total,
        "solve by variance": lambda plan: solve_noise(plan, "variance").total,
        "least": lambda plan: least_epsilon(plan, 10.0),
    }
    for call, told in asked.items():
        found = []
        for each in (plan, stated):
            try:
                found.append(told(each))
            except ValueError as error:
                found.append(str(error))
        first, second = found
        assert type(first) is type(second), (call, found)
        if isinstance(first, str | float | int | Guarantee):
            assert first == second, call
        elif isinstance(first, pd.DataFrame):
            pd.testing.assert_frame_equal(first.select_dtypes("number"), second.select_dtypes("number"), obj=str(call))
    assert solve_noise(plan).plan.sensitivities == plan.sensitivities


def test_a_further_release_is_held_against_what_it_says_of_itself():
    """How many more fit is asked of a release that stands in no plan yet, too."""
    for faulty in FAULTY.values():
        with pytest.raises(ValueError, match=r"^release 'x': "):
            room.room(EMPTY, faulty)
    assert room.room(EMPTY, Release("x", Laplace(100.0), kind="sum", lower=0, upper=20)).count == 5


def test_what_is_never_used_costs_nothing_whatever_is_typed():
    plan = replace(EMPTY, releases=(replace(FAULTY["open"], count=0), BESIDE))
    assert plan.faults and compose(plan, 0.0) == Guarantee(0.1)


def test_a_refusal_says_how_many_more_there_are():
    plan = replace(EMPTY, releases=(FAULTY["open"], FAULTY["smaller"], FAULTY["a mean"]))
    with pytest.raises(ValueError, match=r"^release 'x': sensitivity must be given.* \(and 2 more\)$"):
        compose(plan)


# --- bars that change one by one

ROUNDED = 1e-9  # by which two totals of the engine may be off, relative
QUADRATURE = 1e-7  # of an integrand with a bend
COARSE = 1e-3  # by which totals of a coarse grid, and six digits of noise, may be off, relative

BARRED = st.sampled_from([Laplace(9.0), DiscreteLaplace(9.0), DiscreteGaussian(9.0), Laplace.from_epsilon(0.25)])


OFTEN, RARELY = st.integers(1, 30), st.sampled_from([1e-12, 1e-6, 0.1])


@given(BARRED, st.integers(1, 6), OFTEN, st.sampled_from(list(RELATIONS)), RARELY)
def test_bars_of_a_histogram_are_composed_one_by_one(noise, rows, uses, relation, delta):
    """As so many counts of one bar; no more than one number that moves by all, which stays what is not known so."""
    told = {"kind": "histogram", "rows": rows}
    plan = Plan([Release("Bars", noise, uses, bars="different", **told)], relation=relation)
    [known], [release] = plan.sensitivities, plan.releases
    bar, bars = bar_of(release.mechanism), in_bars(release.mechanism)[1]
    assert bars == known.value == rows * (2 if relation == "replace_one" else 1)
    assert bar.sensitivity == 1 and bar.noise.scale == pytest.approx(release.mechanism.noise.scale, rel=ROUNDED)
    one_by_one = Plan([Release("Bar", bar, uses * bars)], relation=relation)
    assert compose(plan, delta).epsilon == pytest.approx(compose(one_by_one, delta).epsilon, rel=ROUNDED)
    together = Plan([Release("Sum", type(noise)(release.mechanism.noise.scale, bars), uses)], relation=relation)
    assert compose(plan, delta).epsilon <= compose(together, delta).epsilon * (1 + ROUNDED)
    for other in (
        plan.with_(releases=[replace(release, bars="any", rows=max(rows, 2))]),
        plan.with_(releases=[replace(release, kind="count")]), plan.of_units(2),
        plan.with_(releases=[replace(release, mechanism=type(noise)(9.0, bars))]),
    ):  # fmt: skip
        counted = taken_apart(*other.workload())[0]
        assert [each.sensitivity for each in counted] == [each.mechanism.sensitivity for each in other.releases]
    assert compose(replace(plan, adaptive=True), delta) == compose(replace(together, adaptive=True), delta)


@pytest.mark.parametrize("noise", [Laplace, DiscreteLaplace])
@pytest.mark.parametrize(("epsilon", "rows", "uses"), [(0.7, 1, 1), (1.0, 3, 1), (3.39, 2, 5), (0.7, 3, 10)])
def test_what_a_histogram_states_is_added_up_as_it_is_stated(noise, epsilon: float, rows: int, uses: int):
    """At δ = 0 exactly, and at a δ that decides nothing never less: bars round each by itself."""
    release = Release("Bars", noise.from_epsilon(epsilon), uses, kind="histogram", rows=rows, bars="different")
    for relation in RELATIONS:
        plan = Plan([release], relation=relation)
        whole = float(Decimal(str(epsilon)) * uses)
        assert compose(plan, 0.0).epsilon == whole and compose(plan, 1e-300).epsilon <= whole
        assert PrivacyLoss.of(plan).epsilon(0.0) >= whole
        assert Plan([release], Guarantee(whole, 0.0), relation=relation).sensitivities


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2, 0.35])
def test_two_bars_lose_what_an_integral_says(epsilon: float):
    """δ(ε) of two independent Laplace losses by quadrature; one number that moves by two would lose more."""
    scale, loss = 5.0, 0.2
    atoms = ((loss, 0.5), (-loss, math.exp(-loss) / 2))

    def mean(of) -> float:
        """The mean of a function of one bar's loss: two atoms, and between them e^((l - loss) / 2) / 4."""
        between, _ = quad(lambda at: of(at) * math.exp((at - loss) / 2) / 4, -loss, loss, limit=400)
        return between + sum(chance * of(at) for at, chance in atoms)

    exact = mean(lambda one: mean(lambda other: max(0.0, -math.expm1(epsilon - one - other))))
    plan = Plan([Release("Ages", Laplace(scale), kind="histogram")], relation="replace_one")
    bracket = PrivacyLoss.of(plan).delta_bracket(epsilon)
    assert bracket.lower - QUADRATURE <= exact <= bracket.upper + QUADRATURE
    assert exact < float(Laplace(scale, 2.0).delta(epsilon)) - QUADRATURE


@pytest.mark.parametrize("noise", [Laplace(20.0), DiscreteLaplace(20.0), DiscreteGaussian(20.0)])
def test_whatever_is_computed_of_bars_is_of_the_same_plan(noise):
    """Certificate, levers, the least noise and the most uses go by the total: none sees one number in their place."""
    release = Release("Bars", noise, 5, kind="histogram", rows=2, bars="different", typical=500.0)
    plan = Plan([release], Guarantee(1.0, 1e-6), relation="replace_one")
    total = compose(plan, 1e-6).epsilon
    if noise.key != "discrete_gaussian":  # which nobody encloses
        enclosed = certified_total(plan, 1e-6)
        assert float(enclosed.lower) <= total and float(enclosed.upper) == pytest.approx(total, rel=COARSE)
    assert levers(plan, 0.1).total.iloc[0] == pytest.approx(total, rel=COARSE)
    assert spend.alone(plan, 1e-6)[0] == pytest.approx(total, rel=COARSE)
    for split in ("proportional", "equal", "variance"):
        solved = solve_noise(plan, split)
        assert solved.total.epsilon <= 1 and solved.total.epsilon == pytest.approx(1, rel=COARSE), split
    assert largest_within(plan, Guarantee(total * 1.01, 1e-6), "pld") == 1
    many = plan.with_(releases=[replace(release, count=1, rows=1)])
    assert largest_within(many, Guarantee(1e9, 1e-6), "basic") > 10**6


@pytest.mark.parametrize("noise", [Laplace(20.0), DiscreteLaplace(20.0), DiscreteGaussian(20.0), Gaussian(20.0)])
@pytest.mark.parametrize(("rows", "bars"), [(1, None), (3, "different"), (3, None)])
def test_records_of_a_known_unit_lose_what_the_other_relation_says(noise, rows: int, bars: str | None):
    """Of a histogram whose sensitivity follows, bar by bar or not."""
    release = Release("Bars", noise, 5, kind="histogram", rows=rows, bars=bars)
    there = compose(replaced(Plan([release])), 1e-6).epsilon
    assert there == pytest.approx(compose(Plan([release], relation="replace_one"), 1e-6).epsilon, rel=ROUNDED)
