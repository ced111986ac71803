"""How long it takes to solve a plan's noise for its budget: every split, 20 and 1,000 releases, fixed and adaptive.

CPU time of one solution, verified forward; the machine's other work does not count.
"""

import argparse
import random
import time

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, compose
from dpviz.planning.budgeting import SPLITS, least_epsilon, solve_noise
from dpviz.planning.room import room

KINDS = {"Laplace": "L", "Gaussian": "G", "mixed": "LG"}


def plan_of(rows, kinds, adaptive=False, distinct=None):
    """A plan with as many different mechanisms as rows, or with `distinct` of them."""
    generator = random.Random(1)
    mechanisms = []
    for place in range(distinct or rows):
        level = round(generator.uniform(0.05, 0.5), 4)
        mechanisms.append(
            Laplace.from_epsilon(level, 1) if kinds[place % len(kinds)] == "L" else Gaussian(round(2 / level, 3), 1)
        )
    releases = [
        Release(
            f"release {row}",
            mechanisms[row % len(mechanisms)],
            generator.randint(1, 20),
            weight=generator.randint(1, 9),
            typical=generator.randint(10, 1000),
        )
        for row in range(rows)
    ]
    return Plan(releases, Guarantee(3.0, 1e-6), adaptive=adaptive)


def seconds(action, repeats=3):
    """CPU time of the fastest of a few runs, and the answer."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        answer = action()
        times.append(time.process_time() - start)
    return min(times), answer


def solutions(rows, repeats, distinct=None):
    for name, kinds in KINDS.items():
        for adaptive in (False, True):
            plan = plan_of(rows, kinds, adaptive, distinct)
            for split in SPLITS:
                taken, solution = seconds(lambda plan=plan, split=split: solve_noise(plan, split.key), repeats)
                used = solution.total.epsilon / plan.budget.epsilon
                how = "adaptive" if adaptive else "fixed"
                print(
                    f"{rows} releases, {name:8} {how:8} {split.key:12} {1000 * taken:7.0f} ms"
                    f"  {solution.label}, {100 * used:.4f} % of the budget"
                )


def questions(rows, repeats):
    plan = plan_of(rows, "LG")
    taken, frame = seconds(lambda: least_epsilon(plan, 100.0, jointly=True), repeats)
    print(f"{rows} releases, least ε for ±100, three kinds: {1000 * taken:.0f} ms, ε {frame.epsilon.min():.4g}")
    small = solve_noise(plan_of(rows, "LG")).plan.repeated(1)
    loose = Plan(small.releases, Guarantee(4.0, 1e-6))
    taken, more = seconds(lambda: room(loose, loose.releases[0]), repeats)
    print(f"{rows} releases, how many more fit: {1000 * taken:.0f} ms, {more.count} more")
    taken, total = seconds(lambda: compose(small, 1e-6), repeats)
    print(f"{rows} releases, one total for comparison: {1000 * taken:.0f} ms, ε {total.epsilon:.6g}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    solutions(3 if quick else 20, 1 if quick else 3)
    questions(3 if quick else 20, 1 if quick else 3)
    if not quick:
        solutions(1000, 1, distinct=50)
        solutions(1000, 1)
