"""What two processes gain on big jobs: a sweep of 100,000 plans and 100 million rounds, by the clock and by processor.

The clock tells the truth on a machine that does nothing else. Where others use its cores too, what counts is the time
that the busiest process needs on a core of its own: tasks have no other way to wait for each other.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dpviz.jobs import Grid, Job, Runner, simulated, swept
from dpviz.plan import Plan

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def seconds_of(process: int) -> float:
    """Processor time of a process so far; 0 where the system does not tell, or it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def below(process: int) -> list[int]:
    """The processes that a process has started, with theirs."""
    own = [int(each) for path in Path(f"/proc/{process}/task").glob("*/children") for each in path.read_text().split()]
    return [*own, *(grandchild for child in own for grandchild in below(child))]


class Meter:
    """Processor time of every process of a job, read whenever a task is done."""

    def __init__(self) -> None:
        self.began: dict[int, float] = {}  # what an older process had spent before
        self.spent: dict[int, float] = {}

    def __call__(self, job: Job, done: int) -> None:
        for process in (os.getpid(), *below(os.getpid())):
            self.began.setdefault(process, seconds_of(process) if done == 0 else 0.0)
            self.spent[process] = seconds_of(process) - self.began[process]


def measured(name: str, work: Callable[[Runner], object], workers: int) -> tuple[float, float]:
    meter = Meter()
    start = time.perf_counter()
    work(Runner(workers, told=meter))
    clock = time.perf_counter() - start
    shares = sorted(meter.spent.values(), reverse=True)
    own = ", ".join(f"{share:.1f}" for share in shares if share >= 0.05)
    print(f"{name}, workers {workers}: {clock:.1f} s; processor time by process {own} s", flush=True)
    return clock, max(shares)


def main() -> None:
    quick = "--quick" in sys.argv
    plan = Plan.read(EXAMPLES / "weekly-dashboard.json")
    grid = Grid.read(plan, EXAMPLES / "grids" / "weekly-dashboard.json")
    if quick:
        grid = Grid.of(plan, {"*": {"noise": [1, 2]}})
    rounds = 10_000 if quick else 100_000_000
    jobs = {
        f"{rounds:,} rounds": lambda runner: simulated(plan, rounds, runner=runner),
        f"sweep of {grid.size:,} plans": lambda runner: swept(grid, runner=runner),
    }
    for name, work in jobs.items():
        (one, alone), (two, busiest) = (measured(name, work, workers) for workers in (1, 2))
        print(f"{name}: {one / two:.2f} times as fast by the clock, {alone / busiest:.2f} by the busiest process")


if __name__ == "__main__":
    main()
