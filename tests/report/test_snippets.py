"""The programs that compute a plan's total again: they run, agree with dpviz, and no name gets out of its literal."""

import ast
import contextlib
import io
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compare,
    compose,
)
from dpviz.planning import unit_cost
from dpviz.report.programs import comparable, dp_accounting_snippet, dpviz_snippet, unexpressed
from tests.effort import seeded
from tests.plan_strategies import PLANS, TEXTS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OURS = 1e-6  # relative accuracy at which dpviz quotes a numerical total, above the tight one
GRID = 1e-4  # relative excess of dp-accounting on its grid of losses, which it rounds up
HALF_A_STEP = 1e-4 / 2  # by so much, on average, dp-accounting rounds each loss of noise on whole numbers up

ALL_DATES = "all dates together:"

EVERY = Plan(
    [
        Release("Scale", Laplace(10, 2.0), 3, "North"),
        Release("Typed ε", Laplace.from_epsilon(0.11, 5.0), 4, "South"),
        Release("σ", Gaussian(9.5, 1.5), 20),
        Release("Analytic", Gaussian.from_guarantee(0.3, 1e-7), 2, "South"),
        Release("Classical", Gaussian.from_guarantee(0.5, 1e-7, 2.0, "classical"), part="North"),
        Release("Bit", RandomizedResponse(0.2), 3, start=date(2026, 1, 1), cadence="daily", end=date(2026, 1, 10)),
        Release("Box", ApproximateDP(0.1, 1e-8), 10),
        Release("Leak", NameAndShame(1e-8), 2),
        Release("Sampled Gaussian", Subsampled(Gaussian(1.2, 1), 0.01, "poisson"), 100),
        Release("Sampled Laplace", Subsampled(Laplace(1.0, 1), 0.05, "poisson"), 40),
    ],
    Guarantee(5, 1e-6),
    'user "x"',
    population=100,
)
REPLACED = Plan(
    [
        Release("Fixed size", Subsampled(Gaussian(1.2, 1), 0.01, "without_replacement"), 100),
        Release("All", Laplace.from_epsilon(0.5), 3),
        Release("Noisy", Gaussian(4.0, 1), 5),
    ],
    Guarantee(5, 1e-5),
)
CRAFTED = {
    "every mechanism": EVERY,
    "replace one": REPLACED,
    "empty": Plan([]),
    "never used": Plan([Release("a", Laplace(1.0, 1), 0), Release("b", Laplace(2.0, 1), 2)]),
    "tiny": Plan([Release("a", Laplace.from_epsilon(1e-6), 1000)]),
    "many": Plan([Release("a", Laplace.from_epsilon(0.1), 10**5)]),
    "large": Plan([Release("a", Laplace.from_epsilon(30), 20), Release("b", RandomizedResponse(1e-4))]),
    "everything leaks": Plan([Release("a", NameAndShame(1.0)), Release("b", Laplace(2.0, 1))]),
    "no sample": Plan([Release("a", Subsampled(Laplace(1, 1), 0.0, "poisson")), Release("b", Laplace(2.0, 1))]),
    "only one part, left out": Plan([Release("a", NameAndShame(1.0), part="North"), Release("b", Laplace(2.0, 1))]),
    "adaptive": Plan([Release("a", Laplace.from_epsilon(0.1), 20)], Guarantee(3, 1e-6), adaptive=True),
}


def printed(program: str) -> list[str]:
    """What the program prints, run here."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    return out.getvalue().splitlines()


def total(lines: list[str]) -> Guarantee:
    words = lines[-1].split()
    assert words[::2] == ["epsilon", "delta"]
    return Guarantee(float(words[1]), float(words[3]))


def all_plans(*heavy: str) -> list:
    """Every example and every plan made here, by name; the heavy ones are left to `make rest`."""
    files = sorted(EXAMPLES.glob("*.json"))
    assert files
    plans = {path.stem: Plan.read(path) for path in files} | CRAFTED
    return [pytest.param(plan, id=name, marks=[pytest.mark.rest] * (name in heavy)) for name, plan in plans.items()]


@pytest.mark.parametrize("plan", all_plans())
def test_the_dpviz_program_gives_the_same_numbers(plan):
    """The total with all its digits, and every theorem's; before it what one unit loses, where that is another."""
    lines = printed(dpviz_snippet(plan))
    assert total(lines) == compose(plan, plan.budget.delta)
    frame = compare(plan, plan.budget.delta)
    assert lines[: len(frame)] == [
        f"{row.theorem} {row.epsilon if row.applies else 'does not apply'}" for row in frame.itertuples()
    ]
    one = unit_cost(plan)
    printed_first = [f"one {one.window} epsilon {one.epsilon} delta {plan.budget.delta}", ALL_DATES] if one else []
    assert lines[len(frame) : -1] == printed_first


# Thousands of sampled rounds: theirs takes seconds.
@pytest.mark.parametrize("plan", all_plans("federated-learning", "every mechanism"))
def test_dp_accounting_agrees(plan):
    """Its total lies at most its grid above ours, and not below but for our own accuracy."""
    lines = printed(dp_accounting_snippet(plan))
    fixed = Plan(comparable(plan).releases, plan.budget, relation=plan.relation, adaptive=False)
    ours, theirs = compose(fixed, plan.budget.delta).epsilon, total(lines).epsilon
    rounded = HALF_A_STEP * sum(each.uses for each in fixed.releases if each.mechanism.key.startswith("discrete"))
    assert ours * (1 - OURS) <= theirs <= ours * (1 + GRID) + rounded + 1e-12
    left_out = [ascii(each.name) for each in plan.releases if unexpressed(each)]
    assert lines[: len(left_out)] == [f"left out: {name}" for name in left_out]
    assert len(lines) == len(left_out) + 1 + 2 * bool(unit_cost(plan))


def test_what_is_left_out_moves_no_other_release_and_no_period():
    """The relation that it asked for stays, and with it what others cost; so does the month in which they cost most."""
    drawn = Subsampled(Gaussian(50.0, 1.0), 0.1, "without_replacement")
    plan = Plan([Release("Drawn", drawn), Release("Ages", Laplace(10.0), kind="histogram")], Guarantee(5.0, 1e-6))
    assert plan.relation is None and plan.neighbours == "replace_one" == comparable(plan).neighbours
    assert total(printed(dp_accounting_snippet(plan))).epsilon > 0.199, "two bars change, each by 1"
    daily = Release("Daily", Laplace(10.0, 1.0), start="2027-01-01", cadence="daily", end="2027-01-31")
    dearer = Release("Drawn", Subsampled(Gaussian(0.5, 1.0), 0.5, "without_replacement"), 40, start="2027-05-01")
    rarely = Release("Once", Laplace(1000.0, 1.0), start="2027-05-02")
    monthly = Plan([daily, dearer, rarely], Guarantee(9.0, 1e-6), unit="person-month")
    *_, first, said, _ = printed(dp_accounting_snippet(monthly))
    alone = compose(Plan([replace(daily, cadence=None, end=None, count=31)]), 1e-6).epsilon
    assert said == ALL_DATES and float(first.split()[3]) == pytest.approx(alone, rel=GRID)


def test_programs_print_what_one_unit_loses_before_all_dates():
    """The number of the head first, and what follows is called what it is: seven days of a year for one week."""
    rides = Release("Rides", Laplace(30.0, 3.0), start="2027-01-01", cadence="daily", end="2027-12-31")
    zones = Release("Zones", Laplace(8.0, 3.0), kind="histogram")
    late = Subsampled(Laplace(9.0, 3.0), 0.5, "without_replacement")
    plan = Plan([Release("Drawn", late), rides, zones], Guarantee(8.0, 1e-7), unit="rider-week")
    one = unit_cost(replace(plan, releases=plan.releases[1:]))
    *left_out, first, said, _ = lines = printed(dp_accounting_snippet(plan))
    assert left_out == ["left out: 'Drawn'"] and said == ALL_DATES
    assert first.startswith("one week epsilon ") and first.endswith(" delta 1e-07")
    assert one.epsilon * (1 - OURS) <= float(first.split()[3]) <= one.epsilon * (1 + GRID)
    assert total(lines).epsilon > 3 * one.epsilon
    unused = Release("Never", Laplace(9.0, 0.5), 0, kind="histogram")  # wrong, and read by nobody
    *_, first, said, _ = printed(dpviz_snippet(replace(plan, releases=(*plan.releases, unused))))
    assert (first, said) == (f"one week epsilon {unit_cost(plan).epsilon} delta 1e-07", ALL_DATES)


@seeded(3, 8)
def test_dp_accounting_agrees_on_random_plans(seed):
    rng = np.random.default_rng(seed)

    def mechanism(kind: int):
        epsilon, sigma = round(10 ** rng.uniform(-1.5, 0.3), 3), round(10 ** rng.uniform(0, 1.3), 2)
        return (
            lambda: Laplace.from_epsilon(epsilon, 3.0),
            lambda: Gaussian(sigma, 1.5),
            lambda: RandomizedResponse(epsilon),
            lambda: ApproximateDP(epsilon, 1e-9),
            lambda: Subsampled(Gaussian(sigma, 1), round(rng.uniform(0.001, 0.3), 3), "poisson"),
        )[kind]()

    releases = [
        Release(f"r{n}", mechanism(int(rng.integers(5))), int(rng.integers(1, 30)), (None, "N", "S")[rng.integers(3)])
        for n in range(5)
    ]
    plan = Plan(releases, Guarantee(1, 10 ** rng.uniform(-7, -3)))
    ours = compose(plan, plan.budget.delta).epsilon
    theirs = total(printed(dp_accounting_snippet(plan))).epsilon
    assert ours * (1 - OURS) <= theirs <= ours * (1 + 10 * GRID)


def test_repetitions_are_counted():
    """PLDAccountant would count a hundred randomized responses once; the program does not."""
    plan = Plan([Release("Bit", RandomizedResponse(0.5), 100)])
    assert total(printed(dp_accounting_snippet(plan))).epsilon == pytest.approx(compose(plan, 1e-6).epsilon, rel=GRID)


def test_what_is_left_out_is_said_with_its_reason():
    program = dp_accounting_snippet(REPLACED)
    assert "# Left out: 'Fixed size', since its numerical engine knows no sampling without replacement." in program
    assert "LEFT_OUT = ['Fixed size']" in program
    assert comparable(REPLACED).releases == REPLACED.releases[1:]


def test_what_is_different_is_said():
    pure = Plan([Release("a", Laplace(1.0, 1), 4)], Guarantee(5, 0.0))
    assert "at a δ of 0" in dp_accounting_snippet(pure)
    assert total(printed(dpviz_snippet(pure))) == Guarantee(4.0)
    assert "chooses along the way" in dp_accounting_snippet(CRAFTED["adaptive"])
    assert "own rounding" in dp_accounting_snippet(Plan([Release("a", Laplace(1.0, 1))], Guarantee(5, 1e-12)))


@pytest.mark.parametrize("snippet", [dpviz_snippet, dp_accounting_snippet])
def test_a_delta_of_one_has_no_total(snippet):
    program = snippet(Plan([Release("a", Laplace(1.0, 1))], Guarantee(5, 1.0)))
    assert "A δ of 1 promises nothing" in program
    assert printed(program) == []


@pytest.mark.rest
@pytest.mark.parametrize("snippet", [dpviz_snippet, dp_accounting_snippet])
def test_the_programs_run_alone(snippet, tmp_path, root):
    """As a file, in a fresh Python that stops at warnings, on a terminal that knows ASCII only."""
    path = tmp_path / "again.py"
    path.write_text(snippet(EVERY), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(root), "PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    assert total(run.stdout.splitlines()).epsilon == pytest.approx(compose(EVERY, 1e-6).epsilon, rel=OURS)


# --- nothing gets out of its literal


@given(PLANS)
def test_the_program_rebuilds_an_equal_plan(plan):
    """With all digits, dates and names, whatever they are."""
    scope = {}
    exec(dpviz_snippet(plan).partition("\ndelta = ")[0], scope)
    assert scope["plan"] == plan
    assert scope["plan"].to_json() == plan.to_json()


def skeleton(program: str) -> str:
    """The structure of a program without its texts."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@given(TEXTS, TEXTS, TEXTS)
@pytest.mark.parametrize("snippet", [dpviz_snippet, dp_accounting_snippet])
def test_names_stay_texts(snippet, name, part, unit):
    """Whatever name, part and unit are, the program differs in the values of its texts only."""

    def plan(name: str, part: str, unit: str) -> Plan:
        left_out = Release(name, NameAndShame(1.0), part=part)
        return Plan([Release(name, Laplace(10, 1), 2, part), left_out], Guarantee(1, 1e-6), unit)

    assert skeleton(snippet(plan(name, part, unit))) == skeleton(snippet(plan("a", "b", "c")))


@given(st.text(min_size=1, max_size=80))
def test_hostile_names_are_refused_or_harmless(name):
    """Line breaks never reach a program: the plan refuses them."""
    try:
        release = Release(name, Laplace(10, 1))
    except ValueError:
        return
    lines = dp_accounting_snippet(Plan([release])).split("\n")
    assert len(lines) == len(dp_accounting_snippet(Plan([Release("a", Laplace(10, 1))])).split("\n"))
