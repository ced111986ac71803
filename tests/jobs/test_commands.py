"""``python -m dpviz sweep`` and ``simulate``: files, exit status, one sentence for what is wrong."""

import json

import pytest

from dpviz.cli.terminal import INTERRUPTED, OVER, UNUSABLE, WITHIN
from dpviz.jobs import Frontier, Grid, simulated, swept
from dpviz.mechanisms import Laplace
from dpviz.plan import Plan, Release
from tests.report.test_command_line import run

PLAN = Plan([Release("a", Laplace(10, 1), 4, typical=100.0), Release("b", Laplace(30, 1), typical=50.0)])
GRID = {"a": {"noise": [0.5, 1, 2]}, "*": {"noise": [1, 2], "count": [1, 2]}}


@pytest.fixture
def files(tmp_path):
    plan, grid = tmp_path / "plan.json", tmp_path / "grid.json"
    plan.write_text(PLAN.to_json(), encoding="utf-8")
    grid.write_text(json.dumps(GRID), encoding="utf-8")
    return plan, grid, tmp_path / "frontier.csv"


def test_a_sweep_writes_what_nothing_beats(files):
    """The file is that of the core, progress stands on the error stream, and no state is left."""
    plan, grid, out = files
    status, text, told = run("sweep", plan, "--grid", grid, "-o", out, "--workers", 1)
    expected = swept(Grid.of(PLAN, GRID))
    assert status == WITHIN and out.read_text(encoding="utf-8") == expected.to_csv()
    assert f"of 12 plans nothing beats {len(expected.frame)}" in text and told.startswith("0 of 12 plans, 0 %\n")
    assert sorted(each.name for each in out.parent.iterdir()) == ["frontier.csv", "grid.json", "plan.json"]
    assert Frontier.read(out).plan(0) == expected.plan(0)


def test_the_budget_of_the_arguments_counts(files):
    plan, grid, out = files
    run("sweep", plan, "--grid", grid, "-o", out, "--workers", 1, "--delta", "1e-3", "--error", "variance")
    frame = Frontier.read(out).frame
    assert set(frame.delta) == {1e-3} and set(frame.measure) == {"variance"}


def test_a_simulation_prints_and_writes(files, monkeypatch):
    plan, _, out = files
    monkeypatch.chdir(out.parent)
    status, text, _ = run("simulate", plan, "--rounds", "3e5", "--seed", 3, "-o", out, "--workers", 1)
    frame = simulated(PLAN, 300_000, 3)
    assert status == WITHIN and out.read_text() == frame.to_csv(index=False, lineterminator="\n")
    assert "right guesses" in text and "δ by loss of absence" in text and "60,000 plays" in text
    assert len(text.splitlines()) == len(frame) + 3


def test_a_refuted_proof_is_status_1(files, monkeypatch):
    plan, _, _ = files
    frame = simulated(PLAN, 3_000)
    monkeypatch.setattr("dpviz.cli.jobs.simulated", lambda *_, **__: frame.assign(holds=False))
    status, text, _ = run("simulate", plan, "--workers", 1)
    assert status == OVER and "above what is proved" in text


def test_a_stop_says_how_it_goes_on(files, monkeypatch):
    plan, grid, out = files
    from dpviz.jobs.sweep import Table

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Table, "evaluated", stopped)
    status, text, told = run("sweep", plan, "--grid", grid, "-o", out, "--workers", 1)
    assert (status, text) == (INTERRUPTED, "") and not out.exists()
    assert f"dpviz: stopped after 0 of 1 tasks; the same command goes on from {out}.state" in told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--grid", "absent.json"], "grid must be a file that can be read"),
        (["--grid", "GRID", "--workers", "0"], "workers must be in [1, 1024]"),
        (["--grid", "GRID", "--error", "other"], "invalid choice: 'other'"),
        (["--grid", "GRID", "--dask", "tcp://127.0.0.1:1"], "address must be that of a Dask scheduler"),
        (["--grid", "PLAN"], "grid must name releases"),
        ([], "required: --grid"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(files, arguments, sentence):
    plan, grid, out = files
    named = {"GRID": grid, "PLAN": plan}
    status, text, told = run("sweep", plan, "-o", out, *(named.get(each, each) for each in arguments))
    assert (status, text) == (UNUSABLE, "") and sentence in told
    assert not out.exists()


def test_an_output_that_cannot_be_written_keeps_the_state(files):
    """Minutes of work are not lost to a mistyped folder."""
    plan, grid, out = files
    state = out.parent / "kept.state"
    status, _, told = run("sweep", plan, "--grid", grid, "-o", out / "x.csv", "--workers", 1, "--state", state)
    assert status == UNUSABLE and "output must be a file that can be written" in told
    assert json.loads(state.read_text())["done"] == [0]
