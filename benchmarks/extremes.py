"""How long the engine takes where it is hardest: counts of a billion, scales far apart; beside an ordinary total."""

import argparse
import time
from functools import partial

import numpy as np

from dpviz import Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.composition.numerical import optimal, pld
from dpviz.privacy_loss import PrivacyLoss

READS = {
    "one Laplace": ([Laplace.from_epsilon(0.5)], [[1]]),
    "two Laplace": ([Laplace.from_epsilon(0.7)], [[2]]),
    "two responses": ([RandomizedResponse(0.5)], [[2]]),
    "different responses": ([RandomizedResponse(0.5), RandomizedResponse(0.3)], [[1, 1]]),
    "two scales": ([RandomizedResponse(50.0), Laplace.from_epsilon(1e-6)], [[2, 2]]),
    "huge and tiny": ([RandomizedResponse(700.0), Laplace.from_epsilon(1e-6)], [[2, 2]]),
    "a billion": ([Laplace.from_epsilon(0.1)], [[10**9]]),
    "rarely sampled": ([Subsampled(Gaussian(1.0), 0.001, "poisson")], [[1000]]),
    "two parts": ([Laplace.from_epsilon(0.5), Gaussian(3.0)], [[3, 1], [0, 2]]),
    "nothing": ([], np.zeros((1, 0), dtype=int)),
    "no parts": ([Laplace(1)], np.zeros((0, 1), dtype=int)),
}
HUGE = {
    "responses": ([RandomizedResponse(0.01)], [[10**9]], 1e-6),
    "Laplace": ([Laplace.from_epsilon(0.1)], [[10**9]], 1e-6),
    "beside a large one": ([RandomizedResponse(1e-6), Laplace.from_epsilon(10)], [[10**9, 1000]], 1e-12),
    "larger than exp": ([RandomizedResponse(750.0), Gaussian(1 / 50)], [[10**6, 10**6]], 1e-36),
    "rarely sampled": ([Subsampled(Gaussian(1.0), 0.001, "poisson")], [[1000]], 3e-30),
    "rarely sampled often": ([Subsampled(Gaussian(1.0), 0.001, "poisson")], [[10**6]], 3e-30),
}


def read(mechanisms, counts):
    """Read a loss near its top, and the curves of the attacker."""
    loss = PrivacyLoss(mechanisms, counts)
    tops = [side.top for part in loss.profiles for side in part if np.isfinite(side.top)]
    near = max(tops, default=1.4) - np.array([1.0, 1e-2, 1e-4, 1e-9])
    return np.concatenate([loss.delta(near), [loss.advantage], loss.tradeoff(np.array([0.0, 0.01, 0.5]))])


def seconds(action, repeats):
    """Return the least processor time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def main(quick):
    repeats = 1 if quick else 3
    ordinary = seconds(lambda: pld((Laplace(10),), np.array([[100]]), 1e-6), 5)
    print(f"an ordinary total, 100 Laplace: {1000 * ordinary:.1f} ms\n")
    print("| work | time | ordinary totals |\n|---|---|---|")
    works = [(f"read, {name}", partial(read, *case)) for name, case in READS.items()]
    works += [
        (f"{theorem.__name__}, {name}", partial(theorem, tuple(mechanisms), np.array(counts), delta))
        for name, (mechanisms, counts, delta) in HUGE.items()
        for theorem in (pld, optimal)
    ]
    for name, work in works[:3] if quick else works:
        spent = seconds(work, repeats)
        print(f"| {name} | {1000 * spent:.0f} ms | {spent / ordinary:.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    main(parser.parse_args().quick)
