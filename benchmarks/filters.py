"""How long "runs before the budget is spent" takes: dpviz against one query at a time, as the notebook counts.

The stepping follows the notebook: each query draws its noise, is appended to a history, and both theorems are evaluated
over the whole history in double precision, until the first refusal. Its cost grows with the square of the runs; that of
dpviz does not, so the ratio is printed for the notebook's own curve and for the same curve with ε ten times
smaller. The counts must agree, but for the one run that drift costs.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
import time
from collections.abc import Iterable

import numpy as np

from dpviz.filters import Filter, runs_until_exhausted
from dpviz.guarantee import Guarantee

BUDGET = Guarantee(0.2, 2e-30)
POINTS = 99


def added(values: Iterable[float]) -> float:
    """Add from left to right in double precision; the built-in `sum` makes up for rounding from Python 3.12 on."""
    return functools.reduce(operator.add, values, 0.0)


def exceeded(history: list[tuple[float, float]]) -> bool:
    epsilon_sum, delta_sum = map(added, zip(*history, strict=True))
    basic = epsilon_sum > BUDGET.epsilon or delta_sum > BUDGET.delta
    floor = BUDGET.epsilon**2 / (28.04 * math.log(1 / BUDGET.delta))
    drift = added(epsilon * (math.exp(epsilon) - 1) * 0.5 for epsilon, _ in history)
    square = added(epsilon**2 for epsilon, _ in history)
    root = math.sqrt((square + floor) * (2 + math.log(square / floor + 1)) * math.log(2 / BUDGET.delta))
    return basic and (drift + root > BUDGET.epsilon or delta_sum > 0.5 * BUDGET.delta)


def stepping(epsilon: float, rng: np.random.Generator) -> int:
    """The notebook's loop: query until it is refused."""
    history, answers = [], []
    while True:
        history.append((epsilon, 0.0))
        if exceeded(history):
            return len(answers)
        answers.append(np.array([1]) + rng.laplace(0.0, 1 / epsilon, size=1))


def closed(epsilons: list[float], arithmetic: str) -> list[int]:
    budget = Filter(BUDGET, "rogers", or_basic=True, arithmetic=arithmetic)
    return [runs_until_exhausted(budget, Guarantee(epsilon)) for epsilon in epsilons]


def curve(divisor: int, points: int = POINTS) -> list[float]:
    return [float(f"{2 * step}e-3") / divisor for step in range(1, points + 1)]


def seconds(call, repeats: int) -> float:
    return min(_timed(call) for _ in range(repeats))


def _timed(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(divisors: tuple[int, ...] = (1, 10), points: int = POINTS) -> list[float]:
    """Print one line per curve and return the ratios."""
    rng, ratios = np.random.default_rng(1), []
    for divisor in divisors:
        epsilons = curve(divisor, points)
        slow_counts: list[int] = []
        slow = _timed(lambda: slow_counts.extend(stepping(each, rng) for each in epsilons))  # noqa: B023
        for arithmetic in ("float64", "decimal"):
            fast = seconds(lambda: closed(epsilons, arithmetic), 5)  # noqa: B023
            counts = closed(epsilons, arithmetic)
            worst = max(abs(mine - theirs) for mine, theirs in zip(counts, slow_counts, strict=True))
            if worst > (arithmetic == "decimal"):
                raise SystemExit(f"counts differ by {worst}")
            ratios.append(slow / fast)
            print(
                f"ε {epsilons[0]:.3g} to {epsilons[-1]:.3g}, {sum(slow_counts):>6} queries, {arithmetic:>7}: "
                f"stepping {slow * 1e3:>9.1f} ms, dpviz {fast * 1e3:5.2f} ms, ratio {slow / fast:>8.0f}"
            )
    return ratios


if __name__ == "__main__":
    main(*((1,), 4) if "--quick" in sys.argv else ())
