"""How long a forecast takes: a year of releases, every date under the tightest theorem, beside one `compose` per date.

Releases recur daily, weekly and monthly. The loop composes the plan cut off at each date, as a notebook would; it is
timed at a few dates and scaled up. Both must agree where both were computed.
"""

from __future__ import annotations

import sys
import time
from datetime import date

import numpy as np

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, compose
from dpviz.planning.schedule import forecast, release_dates, until, windows

SAMPLED = 6  # dates at which the loop is timed
START, END = date(2026, 1, 1), date(2026, 12, 31)


def plan_of(releases: int, kinds: int, gaussian: bool = False) -> Plan:
    """A plan of so many releases with so many different mechanisms, half of them Gaussian if asked for."""
    mechanisms = [
        Gaussian(20.0 + place, 1) if gaussian and place % 2 else Laplace.from_epsilon(float(f"{2 + place}e-3"))
        for place in range(kinds)
    ]
    cadences = ("daily", "weekly", "monthly")
    rows = [
        Release(
            f"Release {place}",
            mechanisms[place % kinds],
            start=date(2026, 1, 1 + place % 28),
            cadence=cadences[place % 3],
            end=END,
        )
        for place in range(releases)
    ]
    return Plan(rows, Guarantee(2, 1e-6))


def timed(call) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def looped(plan: Plan, frame) -> float:
    """Seconds that one `compose` per date would take, from a few dates; their totals must agree."""
    places = np.unique(np.linspace(0, len(frame) - 1, SAMPLED).astype(int))
    spent = 0.0
    for place in places:
        seconds, total = timed(lambda: compose(until(plan, frame["until"][place].date()), 1e-6, accuracy=1e-4))  # noqa: B023
        spent += seconds
        if abs(total.epsilon / frame.epsilon[place] - 1) > 1e-3:
            raise SystemExit(f"totals differ: {total.epsilon} and {frame.epsilon[place]}")
    return spent / len(places) * len(release_dates(plan))


def main(quick: bool = False) -> None:
    """Print one line per plan."""
    sizes = [(20, 20, False)] if quick else [(20, 20, False), (20, 20, True), (1000, 20, False), (1000, 200, True)]
    forecast(plan_of(2, 2))  # imports
    for releases, kinds, gaussian in sizes:
        plan = plan_of(releases, kinds, gaussian)
        seconds, frame = timed(lambda: forecast(plan))  # noqa: B023
        alone, _ = timed(lambda: windows(plan, "month"))  # noqa: B023
        line = f"{releases:>5} releases, {kinds:>3} mechanisms{', mixed' if gaussian else '':>7}: "
        line += f"forecast {1e3 * seconds:>6.0f} ms, months {1e3 * alone:>5.0f} ms"
        if kinds <= 20:
            line += f", one compose per date {looped(plan, frame):>6.1f} s"
        print(line)


if __name__ == "__main__":
    main("--quick" in sys.argv)
