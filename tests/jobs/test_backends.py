"""The same answer, bit for bit, whoever plays the tasks; stopped, it goes on from where it stood."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import dask
import pytest

from dpviz.jobs import Grid, Job, Runner, Stopped, simulated, swept
from dpviz.jobs.run import written
from dpviz.mechanisms import Gaussian, Laplace
from dpviz.plan import Plan, Release

GRID = {"*": {"noise": [0.5, 0.8, 1, 1.3, 2]}, "b": {"noise": [0.7, 1, 1.5], "count": list(range(1, 41))}}
ROUNDS = 9_000_000  # several tasks


def plan() -> Plan:
    return Plan([Release("a", Laplace(10, 1), 4, typical=100.0), Release("b", Gaussian(20, 1), typical=300.0)])


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two workers, each a process of its own, on this machine."""
    distributed = pytest.importorskip("dask.distributed")
    patient = {"distributed.comm.timeouts.connect": "600s"}
    with dask.config.set(patient), distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # without it, a fixed port of all addresses
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as found:
        yield found.scheduler_address


@pytest.fixture(scope="module")
def alone():
    """What one process finds."""
    return swept(Grid.of(plan(), GRID)).to_csv(), simulated(plan(), ROUNDS).to_csv()


@pytest.mark.rest
def test_two_processes_find_the_same(alone):
    runner = Runner(2)
    assert swept(Grid.of(plan(), GRID), runner=runner).to_csv() == alone[0]
    assert simulated(plan(), ROUNDS, runner=runner).to_csv() == alone[1]


@pytest.mark.rest
def test_a_cluster_finds_the_same(alone, cluster):
    """Two workers of Dask, through the same seam."""
    runner = Runner(None, cluster)
    assert swept(Grid.of(plan(), GRID), runner=runner).to_csv() == alone[0]
    assert simulated(plan(), ROUNDS, runner=runner).to_csv() == alone[1]


class Heard(Exception):
    """A job that is about to begin."""


def test_tasks_are_more_than_one_and_know_no_workers():
    """The comparison above would prove nothing about a single task; how many there are is told before the first."""

    def told(job: Job, done: int) -> None:
        raise Heard(job.name, job.tasks, done)

    for work, tasks in (
        (lambda runner: swept(Grid.of(plan(), GRID), runner=runner), ("plans", 2)),
        (lambda runner: simulated(plan(), ROUNDS, runner=runner), ("rounds", 5)),
    ):
        with pytest.raises(Heard) as heard:
            work(Runner(told=told))
        assert heard.value.args == (*tasks, 0)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1:80", "tcp://127.0.0.1"])
def test_a_cluster_that_is_not_there_is_one_sentence(address):
    with pytest.raises(ValueError, match=f"address must be that of a Dask scheduler.*got '{address}'"):
        simulated(plan(), 100, runner=Runner(None, address))


def test_a_missing_dask_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    with pytest.raises(ValueError, match=r"needs Dask: pip install \"dpviz\[dask\]\""):
        simulated(plan(), 100, runner=Runner(None, "tcp://127.0.0.1:1"))


# --- stop and resume


def _squared(stop: list[int], task: int) -> int:
    if task in stop:
        raise KeyboardInterrupt
    return task**2


def squares(stop: list[int], key: str = "squares") -> Job:
    return Job("squares", key, 6, partial(_squared, stop), lambda some, more: (some or 0) + more, 6)


def test_a_stopped_job_goes_on(tmp_path):
    """What is done is not done again; the state goes when the result is written."""
    state = tmp_path / "job.state"
    with pytest.raises(Stopped, match=rf"stopped after 3 of 6 tasks; the same command goes on from .*{state.name}"):
        Runner(state=state).run(squares([3]))
    assert json.loads(state.read_text())["done"] == [0, 1, 2]
    told = []
    runner = Runner(state=state, told=lambda job, done: told.append(done))
    assert runner.run(squares([0, 1, 2])) == 55  # those would stop it, were they played again
    assert told == [3, 4, 5, 6]
    runner.finished()
    assert list(tmp_path.iterdir()) == []


def test_another_job_does_not_take_over(tmp_path):
    state = tmp_path / "job.state"
    with pytest.raises(Stopped):
        Runner(state=state).run(squares([3]))
    with pytest.raises(ValueError, match="left by another plan, grid, setting or version: remove it"):
        Runner(state=state).run(squares([], "others"))


NO_TASKS = '{"dpviz_job": 1, "key": "squares", "done": 7, "result": 1}'


@pytest.mark.parametrize("text", ["", "[]", "{}", NO_TASKS, "\ud800"])
def test_a_damaged_state_is_refused(tmp_path, text):
    state = tmp_path / "job.state"
    state.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ValueError, match="state must"):
        Runner(state=state).run(squares([]))
    state.write_text('{"dpviz_job": 1, "key": "squares", "done": [9], "result": 1}')
    with pytest.raises(ValueError, match="is damaged: remove it"):
        Runner(state=state).run(squares([]))


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    written(path, "before")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ValueError, match="No space left"):
        written(path, "after")
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


@pytest.mark.rest
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl-C to a group of processes")
def test_control_c_stops_a_command_and_the_same_command_resumes(tmp_path):
    """Two worker processes are stopped, the file stays, and the end is that of a run in one go."""
    path, out = tmp_path / "plan.json", tmp_path / "out.csv"
    path.write_text(plan().to_json(), encoding="utf-8")
    state = tmp_path / "out.csv.state"
    command = [sys.executable, "-m", "dpviz", "simulate", str(path), "-o", str(out), "--rounds"]
    rounds = 40_000_000  # twenty tasks, so that some are left when the first is heard of
    here = subprocess.Popen(
        [*command, str(rounds), "--workers", "2"], start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not state.exists() and here.poll() is None:
        time.sleep(0.02)
    os.killpg(here.pid, signal.SIGINT)
    _, told = here.communicate()
    assert here.returncode == 130 and "Traceback" not in told and "goes on from" in told
    done = json.loads(state.read_text())["done"]
    assert 0 < len(done) < 20
    refused = subprocess.run([*command, "5000000"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "left by another plan" in refused.stderr
    ended = subprocess.run([*command, str(rounds)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and not state.exists(), ended.stderr
    assert out.read_text() == simulated(plan(), rounds, runner=Runner(2)).to_csv(index=False, lineterminator="\n")
