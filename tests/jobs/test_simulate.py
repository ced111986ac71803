"""Many rounds of the composition experiment: seeds of their own, intervals that cover, and the proofs beside them."""

import io
import math

import numpy as np
import pytest

from dpviz.cli.progress import Progress
from dpviz.jobs import Runner, simulated
from dpviz.jobs.simulate import Experiment, shown_delta
from dpviz.mechanisms import Gaussian, Laplace, NameAndShame, RandomizedResponse, Subsampled
from dpviz.plan import Plan, Release, as_plan

PLANS = {
    "laplace": Plan([Release("a", Laplace(2, 1), 4)]),
    "mixed": as_plan({Laplace(2): 2, Gaussian(3): 3, RandomizedResponse(0.3): 1}),
    "leak": Plan([Release("a", NameAndShame(0.01), 3)]),
    "sampled": Plan([Release("a", Subsampled(Gaussian(1, 1), 0.2, "poisson"), 5)]),
    "parts": Plan([Release("a", Laplace(2, 1), 1, "north"), Release("b", Laplace(2, 1), 3, "south")]),
    "adaptive": Plan([Release("a", Laplace(2, 1), 4)], adaptive=True),
}


@pytest.mark.parametrize("name", PLANS)
def test_no_interval_lies_above_what_is_proved(name):
    frame = simulated(PLANS[name], 2_000_000, seed=5)
    assert frame.holds.all() and len(frame) >= 3
    assert (frame.low <= frame.frequency).all() and (frame.frequency <= frame.high).all()
    assert (frame.observed_low <= frame.observed.clip(0, 1)).all() and (frame.observed <= frame.observed_high).all()


def test_a_wrong_proof_is_found():
    """Half of the noise shows: what is proved of the plan with twice the noise is refuted by the rounds."""
    wrong = simulated(PLANS["laplace"], 4_000_000)
    right = simulated(Plan([Release("a", Laplace(4, 1), 4)]), 4_000_000)
    assert wrong.observed_low[0] > right.proved[0]


def test_the_dearest_part_is_played():
    frame = simulated(PLANS["parts"], 60_000)
    assert frame.plays[0] == 10_000 and frame.proved[0] == simulated(as_plan({Laplace(2): 3}), 6).proved[0]


def test_every_task_has_a_spawned_seed():
    """Child number `task` of the seed: no two tasks share a stream, and none depends on who plays it."""
    experiment = Experiment((Laplace(1.0),), 3_000_000, (1.0,), 11)
    for task, child in enumerate(np.random.SeedSequence(11).spawn(3)):
        drawn = np.random.default_rng(child).random(4)
        assert (experiment.generator(task).random(4) == drawn).all()
    assert len({tuple(experiment.counted(task)) for task in range(2)}) == 2


def test_all_plays_are_counted_and_memory_is_bounded():
    """The last task is shorter; a task holds some million rounds however many there are."""
    experiment = Experiment((Laplace(1.0),) * 7, 400_000, (), 1)
    counts = [experiment.counted(task)[0] for task in range(math.ceil(400_000 / experiment.task))]
    assert sum(counts) == 400_000 and max(counts) * 14 <= 2**21
    assert Experiment((Laplace(1.0),), 10**10, (), 1).task <= 1_000_000


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("rates", [(0.3, 0.02), (0.9, 0.5), (0.02, 0.0), (1.0, 1.0)])
def test_coverage_by_the_exact_binomial(epsilon, rates):
    """Summed over all outcomes of 30 plays in each world, both intervals hold at least as often as they say."""
    plays, each = 30, 0.95
    weights = [
        [math.comb(plays, k) * rate**k * (1 - rate) ** (plays - k) for k in range(plays + 1)] for rate in rates
    ]
    truth = min(max(rates[0] - math.exp(epsilon) * rates[1], 0.0), 1.0)
    frequency = both = 0.0
    for first in range(plays + 1):
        for second in range(plays + 1):
            (low, high), (_, least, most) = shown_delta([first, second], plays, epsilon, each)
            weight = weights[0][first] * weights[1][second]
            frequency += weight * (low <= rates[0] <= high)
            both += weight * (least <= truth <= most)
    assert frequency >= each - 1e-12 and both >= 2 * each - 1 - 1e-12


@pytest.mark.parametrize("given", [{"rounds": 0}, {"seed": -1}, {"confidence": 1}])
def test_bad_values_are_one_sentence(given):
    with pytest.raises(ValueError, match=f"^{next(iter(given))} must be in"):
        simulated(PLANS["laplace"], **{"rounds": 10} | given)


def test_an_empty_plan_is_refused():
    with pytest.raises(ValueError, match="1 to 10000 mechanisms"):
        simulated(Plan([]), 10)


# --- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_line_that_updates_or_lines_that_are_few():
    screen, log = Terminal(), io.StringIO()
    for stream in (screen, log):
        simulated(PLANS["laplace"], 4_000_000, runner=Runner(told=Progress(stream)))
    assert screen.getvalue().count("\r") == 3 and screen.getvalue().endswith("\n")
    lines = log.getvalue().splitlines()
    assert lines[0] == "0 of 4,000,000 rounds, 0 %" and lines[-1] == "4,000,000 of 4,000,000 rounds, 100 %"
    assert len(lines) <= 11


def test_progress_tells_what_is_left():
    seconds = iter([0.0, 10.0, 2000.0])
    log = io.StringIO()
    progress = Progress(log, lambda: next(seconds))
    job = type("Job", (), {"name": "plans", "size": 100})
    for done in (0, 50, 60):
        progress(job, done)
    assert [line.partition(", ")[2].partition(", ")[2] for line in log.getvalue().splitlines()] == [
        "", "about 10 s left", "about 22 min left",
    ]  # fmt: skip


def test_a_closed_stream_is_no_trouble():
    stream = io.StringIO()
    stream.close()
    simulated(PLANS["laplace"], 100, runner=Runner(told=Progress(stream)))
