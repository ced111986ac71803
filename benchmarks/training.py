"""How long ε over epochs, and solving a run, takes for each way to draw batches, beside an accountant of one point."""

import argparse
import time
from dataclasses import replace

import numpy as np
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from dpviz.mechanisms.laws.allocation import allocation_laws
from dpviz.training import (
    SCHEMES,
    TrainingRun,
    epsilon_over_epochs,
    largest_batch,
    most_epochs,
    smallest_batch,
    smallest_noise,
)

RUN = TrainingRun(60_000, 256, 1.0, 1e-5, epochs=30, largest_batch=320, bands=8)


def seconds(action, repeats):
    """Processor time of the fastest of a few runs, laws that are kept being forgotten first."""
    times = []
    for _ in range(repeats):
        _forget()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def _forget():
    from dpviz.mechanisms import batches
    from dpviz.mechanisms.laws import allocation
    from dpviz.training import shuffled

    allocation._laws.cache_clear()
    shuffled.largest_sum_laws.cache_clear()
    batches._cut_batch.cache_clear()


def floor():
    """A transform of 2^20 numbers there and back: what a machine does in one unit of this table."""
    numbers = np.ones(1 << 20)
    return np.fft.irfft(np.fft.rfft(numbers))


def peer():
    """One point of Poisson batches, by another library at its step of 1e-3."""
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    accountant.compose(dp_event.PoissonSampledDpEvent(RUN.sampling_rate, dp_event.GaussianDpEvent(1.0)), RUN.step_count)
    return accountant.get_epsilon(RUN.delta)


def report(points):
    epochs = np.linspace(1, 100, points)
    for scheme in SCHEMES:
        yield f"{points} points, {scheme.key}", lambda key=scheme.key: epsilon_over_epochs(RUN, epochs, [key])
    yield f"{points} points, all schemes", lambda: epsilon_over_epochs(RUN, epochs)
    for side, name in ((True, "above"), (False, "below")):
        yield f"one epoch's allocation, {name}", lambda side=side: allocation_laws(235, 1.0, 0.03, side)
    for key in ("poisson", "truncated_poisson", "fixed_size", "allocation", "shuffled", "banded"):
        run = replace(RUN, scheme=key)
        yield f"smallest noise for ε = 3, {key}", lambda run=run: smallest_noise(run, 3.0)
        yield f"most epochs for ε = 3, {key}", lambda run=run: most_epochs(run, 3.0)
        yield f"smallest batch for ε = 3, {key}", lambda run=run: smallest_batch(run, 3.0, 0.0043)
        yield f"largest batch for ε = 3, {key}", lambda run=run: largest_batch(run, 3.0)
    yield "one point, the peer", peer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    unit = seconds(floor, 5)
    print("| work | processor time | transforms of 2^20 |")
    print("|---|---|---|")
    for name, action in report(5 if quick else 200):
        taken = seconds(action, 1 if quick else 3)
        print(f"| {name} | {1000 * taken:.0f} ms | {taken / unit:.1f} |")
