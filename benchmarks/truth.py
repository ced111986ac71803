"""Whether any theorem says less than what is surely lost, at random over mechanisms, samples, counts and δ.

Every row of `compare` is held against the certified lower end of the same plan, and so is every row beside a release
that is nearly free, where theorems by curves clip the total. ``PYTHONPATH=. python benchmarks/truth.py --minutes 60``
prints what was tried and each failure, and ends with status 1 if there is one; ``--quick`` shows that everything runs.
"""

import argparse
import sys
import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    PrivacyLoss,
    RandomizedResponse,
    ReportNoisyMax,
    Subsampled,
    compare,
)
from dpviz.composition.compose import BELOW

ROUNDING = 1e-12  # relative: of typed decimals and of closed forms in doubles
VANISHING = 1e-15  # ε that a double beside 1 cannot hold


class Case(NamedTuple):
    """A plan as mechanisms with their counts, and the δ of its total."""

    uses: dict
    delta: float


def size(rng, low, high):
    """Return a number in six digits, even on a logarithmic scale between powers of ten."""
    return float(f"{10 ** rng.uniform(low, high):.6g}")


def declared(rng):
    """Return a release of which only a curve is known."""
    points = sorted({size(rng, -2, 1) for _ in range(int(rng.integers(1, 5)))})
    match rng.integers(0, 4):
        case 0:
            return Declared.zcdp(size(rng, -6, 1), rng.choice([0.0, 1e-12]))
        case 1:
            return Declared.gdp(size(rng, -3, 1))
        case 2:
            return Declared.renyi([1 + each for each in points], sorted(size(rng, -4, 1) for _ in points))
    return Declared.profile(points, sorted((size(rng, -12, -1) for _ in points), reverse=True))


BASES = (
    lambda rng: Laplace.from_epsilon(size(rng, -4, 1.3)),
    lambda rng: Gaussian(size(rng, -1, 3)),
    lambda rng: RandomizedResponse(size(rng, -4, 1.3)),
    lambda rng: KaryRandomizedResponse(size(rng, -4, 1.3), int(size(rng, 0.31, 4))),
    lambda rng: DiscreteLaplace(size(rng, -1, 3), int(size(rng, 0, 1.5))),
    lambda rng: DiscreteLaplace.from_epsilon(size(rng, -3, 1), int(size(rng, 0, 1.5))),
    lambda rng: DiscreteGaussian(size(rng, -0.5, 2), int(size(rng, 0, 1))),
    lambda rng: rng.choice([Exponential, PermuteAndFlip, ReportNoisyMax])(size(rng, -4, 1.3)),
    lambda rng: ApproximateDP(size(rng, -4, 1), size(rng, -15, -3)),
    lambda rng: NameAndShame(size(rng, -15, -3)),
    declared,
)


def drawn(seed):
    """Return the case of a seed: one to three mechanisms, of which some read a sample, all in one scheme."""
    rng = np.random.default_rng(seed)
    scheme, uses = rng.choice(["poisson", "without_replacement"]), {}
    for _ in range(int(rng.integers(1, 4))):
        base = BASES[rng.integers(0, len(BASES))](rng)
        rate = rng.choice([size(rng, -4, -0.01), 0.5, 0.999, size(rng, -9, -4)], p=[0.6, 0.2, 0.1, 0.1])
        one = Subsampled(base, float(rate), str(scheme)) if rng.random() < 0.6 else base
        uses[one] = uses.get(one, 0) + int(size(rng, 0, rng.choice([0.5, 2, 3.5])))
    return Case(uses, size(rng, -12, -2) if rng.random() < 0.8 else size(rng, -30, -0.5))


def failures(case):
    """Return how many rows were held against the lower end, and a line for each that lies below."""
    surely = float(PrivacyLoss.of(case.uses).epsilon_bracket(case.delta).lower)
    rows, found = 0, []
    for beside in ({}, {Declared.zcdp(1e-12): 1}):
        frame = compare(case.uses | beside, case.delta, excess=False)
        rows += int(frame.applies.sum())
        low = frame.applies & (frame.epsilon < surely * (1 - ROUNDING) - VANISHING)
        for row in frame[low | (frame.reason == BELOW)].itertuples():
            place = "beside a free release " if beside else ""
            found.append(f"{row.theorem} {place}says {row.epsilon!r} for {surely!r} {row.reason}".strip())
    return rows, found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to look")
    parser.add_argument("--seed", type=int, default=1, help="of the first plan; each next one has the next seed")
    parser.add_argument("--quick", action="store_true", help="three plans")
    asked = parser.parse_args()
    end, seed, plans = time.monotonic() + 60 * asked.minutes, asked.seed, Counter()
    while plans["tried"] < 3 if asked.quick else time.monotonic() < end:
        case = drawn(seed)
        rows, found = failures(case)
        plans.update(tried=1, rows=rows, failed=len(found))
        for line in found:
            print(f"seed {seed}: {line}\n    {case}", flush=True)
        seed += 1
    print(f"{plans['tried']} plans, {plans['rows']} rows, seeds {asked.seed} to {seed - 1}: {plans['failed']} below")
    sys.exit(1 if plans["failed"] else 0)


if __name__ == "__main__":
    main()
