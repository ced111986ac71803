"""How fast the composition experiment runs: against numpy drawing the same noise, in one process."""

import argparse
import resource
import time

import numpy as np

from dpviz import Gaussian, Laplace
from dpviz.adversary import run_experiment

NOTEBOOK = (
    Laplace.from_epsilon(0.5),
    Laplace.from_epsilon(1.0),
    Gaussian.from_guarantee(0.5, 0.01, calibration="classical"),
)
BLOCK = 2**17  # numbers per call, where numpy is fastest


def draw_alone(draws, seed):
    """The notebook's noise, as numpy draws it fastest."""
    rng = np.random.default_rng(seed)
    for _ in range(max(1, draws // (3 * BLOCK))):
        size = min(BLOCK, draws // 3)
        rng.laplace(0.0, 2.0, size)
        rng.laplace(0.0, 1.0, size)
        rng.normal(0.0, NOTEBOOK[2].sigma, size)


def play(draws, rounds, seed, workers=1):
    return run_experiment(
        NOTEBOOK, rounds=rounds, trials=max(1, draws // (2 * rounds)), rng=np.random.default_rng(seed), workers=workers
    )


def processor_seconds(action, repeats):
    """The least processor time of a few runs: other programs on the machine hardly count."""
    times = []
    for seed in range(repeats):
        start = time.process_time()
        action(seed)
        times.append(time.process_time() - start)
    return max(min(times), 1e-9)


def rates(draws, repeats):
    print(f"| rounds | trials | numpy alone | experiment | share of numpy's rate | ({draws:.0e} draws)")
    print("|---|---|---|---|---|")
    for rounds in (3, 30, 300, 3000, 30_000):
        trials = max(1, draws // (2 * rounds))
        drawn = 2 * rounds * trials
        alone = processor_seconds(lambda seed, drawn=drawn: draw_alone(drawn, seed), repeats)
        played = processor_seconds(lambda seed, rounds=rounds: play(draws, rounds, seed), repeats)
        print(
            f"| {rounds} | {trials} | {1e9 * alone / drawn:.1f} ns per draw | {1e9 * played / drawn:.1f} ns per draw "
            f"| {alone / played:.2f} |"
        )


def memory(draws, rounds):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    views = play(draws, rounds, 0, workers=2)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"\n{views.experiment.draws:.0e} draws, {rounds} rounds, 2 workers: {seconds:.1f} s, peak memory of the "
        f"process {after / 1024:.0f} MB, of which {(after - before) / 1024:.0f} MB were added by this run"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    memory(10_000 if quick else 100_000_000, 3 if quick else 50)
    rates(10_000 if quick else 6_000_000, 1 if quick else 5)
