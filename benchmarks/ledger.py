"""How large each error of the engine's ledger is (docs/engine.md, section 5), for typical plans, in shares of delta.

Run ``python benchmarks/ledger.py``; ``--quick`` takes small counts and only shows that everything still runs.
"""

import argparse

import numpy as np

from dpviz.mechanisms import Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.outward import U
from dpviz.privacy_loss import pld_bound
from dpviz.privacy_loss.above import upper_epsilons
from dpviz.privacy_loss.inversion import Search
from dpviz.privacy_loss.shared_grid import whole
from dpviz.privacy_loss.spectrum import FFT_ERROR, TERM_ERROR

NAMES = ("transforms and powers", "terms", "sum", "dropped", "scale", "cut tails")


def plans(most):
    """Yield a name, mechanisms, counts and delta."""
    poisson = Subsampled(Gaussian(1.0), 0.01, "poisson")
    yield "Laplace 0.1", [Laplace(10)], [min(most, 100)], 1e-6
    yield "Laplace 0.1, often", [Laplace(10)], [most], 1e-6
    yield "Poisson-sampled Gaussian", [poisson], [min(most, 1000)], 1e-5
    yield "three kinds, tiny delta", [Laplace(10), Gaussian(10), RandomizedResponse(0.1)], [min(most, 50)] * 3, 1e-20


def shares(batch, epsilon, target):
    """Return each error at epsilon, as a share of delta."""
    spectrum, row = batch.spectrum, np.zeros(1, dtype=int)
    index = whole(np.array([epsilon / spectrum.step]))
    value = float(batch.read(index, row)[0, 0])
    sums = float(np.abs(batch.powers[0]) @ np.abs(batch.weighted[0]))
    dense = batch.tables is not None
    added = FFT_ERROR * np.log2(spectrum.size) if dense else 4 * U * (4 + len(batch.alive))
    dropped = float(batch.dropped[0, 0])
    rest = float(batch.error[0, 0]) - sums * (TERM_ERROR + added) - dropped
    cut = float(batch.counts[0] @ np.array([lattice.cut for lattice in spectrum.lattices])) / np.exp(target)
    scale = float(batch.scale(index, row)[1][0])
    return *(each / value for each in (rest, TERM_ERROR * sums, added * sums, dropped)), scale, cut


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts")
    most = 20 if parser.parse_args().quick else 1_000_000
    print("| plan | ε | excess, relative |", " | ".join(NAMES), "|\n|---|---|---|" + "---|" * len(NAMES))
    run = Search.run
    for name, mechanisms, counts, delta in plans(most):
        seen = []
        Search.run = lambda self, seen=seen: (seen.append(self), run(self))[1]
        laws = [mechanism.laws()[0] for mechanism in mechanisms]
        epsilon = float(upper_epsilons(laws, np.array([counts]), np.log([delta]), 1e-6).epsilon[0])
        Search.run = run
        bound = pld_bound(mechanisms, [counts], delta)
        cells = " | ".join(f"{share:.0e}" for share in shares(seen[-1].batch, epsilon, np.log(delta)))
        print(f"| {name}, k = {sum(counts)} | {epsilon:.6g} | {bound.excess[0] / bound.epsilon[0]:.1e} | {cells} |")


if __name__ == "__main__":
    main()
