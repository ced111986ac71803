"""How long exact answers on sums of Gaussian noise take: a heat map of ε3, a curve of clients, a mixture."""

import argparse
import time

from dpviz import CALIBRATIONS
from dpviz.amplification import shuffling
from dpviz.noise_sums import mixture
from dpviz.noise_sums import sums as noise_sums
from dpviz.noise_sums.mixtures import mixture_curve


def seconds(action, repeats=5):
    """The fastest of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def report(size, clients, points):
    first = [round(0.02 * (n + 1), 2) for n in range(size)]
    second = [round(0.015 * (n + 1), 3) for n in range(size)]
    yield "table of 4 pairs, 3 calibrations", lambda: noise_sums.noise_sum_table()
    for record in CALIBRATIONS:
        key = record.key
        yield f"heat map {size} × {size}, {key}", lambda key=key: noise_sums.noise_sum_grid(first, second, 1e-5, key)
    yield f"curve of {clients} numbers of clients", lambda: noise_sums.client_curve(1, 1e-5, range(1, clients + 1))
    yield "mixture, label known", lambda: mixture(1, 1e-5, 100, 0.5)
    for gap in (0, 100):
        yield (
            f"mixture, label hidden, centres {gap} apart",
            lambda gap=gap: mixture(1, 1e-5, 100, 0.5, known=False, centre_gap=gap),
        )
    shares = [n / points for n in range(points + 1)]
    yield f"mixture, {len(shares)} values of p, every bound", lambda: mixture_curve(1, 1e-5, 100, shares)
    counts = [10 * (n + 1) for n in range(clients)]
    yield f"shuffling, {clients} numbers of clients", lambda: shuffling.shuffle_curve(1, counts, 1e-6)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    print("| answer | time |")
    print("|---|---|")
    for name, action in report(10 if quick else 100, 10 if quick else 1000, 2 if quick else 20):
        print(f"| {name} | {1000 * seconds(action, 1 if quick else 5):.1f} ms |")
