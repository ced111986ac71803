"""How long the closed-form theorems take: whole curves against one count at a time, and a plan of 10,000 rows."""

import argparse
import random
import time

from dpviz import THEOREMS, ApproximateDP, Gaussian, Laplace, Plan, Release, compare, compose, epsilon_curve

CLOSED = [theorem.key for theorem in THEOREMS if theorem.key not in ("optimal", "pld")]


def seconds(action, repeats):
    """The fastest of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def curves(points, repeats):
    plans = {
        "Laplace ε=0.1": [Laplace.from_epsilon(0.1)],
        "Gaussian σ=10": [Gaussian(10, 1)],
        "mixed plan of 3": [Laplace.from_epsilon(0.1), Gaussian(20, 1), ApproximateDP(0.1, 1e-9)],
    }
    print(f"| curve of {points} counts, δ=1e-6 | theorem | whole curve | one count at a time | ratio |")
    print("|---|---|---|---|---|")
    for name, mechanisms in plans.items():
        plan = Plan([Release(mechanism.label, mechanism) for mechanism in mechanisms])
        for key in CLOSED:
            whole = seconds(lambda plan=plan, key=key: epsilon_curve(plan, range(1, points + 1), 1e-6, [key]), repeats)
            few = range(1, min(points, 20) + 1)
            single = seconds(
                lambda plan=plan, key=key, few=few: [compose(plan.repeated(k), 1e-6, key) for k in few], min(repeats, 2)
            )
            single *= points / len(few)
            print(f"| {name} | {key} | {1000 * whole:.1f} ms | {1000 * single:.0f} ms | {single / whole:.0f} |")


def large_plan(rows, repeats):
    generator = random.Random(1)
    mechanisms = [Laplace.from_epsilon(round(0.001 * (n + 1), 3)) for n in range(25)]
    mechanisms += [Gaussian(40 + n, 1) for n in range(25)]
    plan = Plan([Release(f"release {n}", generator.choice(mechanisms)) for n in range(rows)])
    taken = seconds(lambda: compare(plan, 1e-6), repeats)
    print(f"\nplan of {rows} rows, 50 distinct mechanisms, every theorem: {taken:.3f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    curves(*(5, 1) if quick else (1000, 5))
    large_plan(*(20, 1) if quick else (10_000, 5))
