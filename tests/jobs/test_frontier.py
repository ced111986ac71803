"""The plans that nothing beats: the law of the frontier against brute force, and the file that holds it."""

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.composition import compose
from dpviz.composition.compose import smallest_total
from dpviz.jobs import Frontier, Grid, swept
from dpviz.jobs.frontier import unbeaten
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.plan import Plan, Release
from dpviz.planning.accuracy import errors
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.search import weighted_variance

FEW = st.integers(0, 4)
POINTS = st.lists(st.tuples(FEW | st.just(math.inf), FEW, FEW), max_size=30)


def beats(a: tuple, b: tuple) -> bool:
    """Whether the first is no worse in anything, and better in something."""
    no_worse = a[0] <= b[0] and a[1] <= b[1] and a[2] >= b[2]
    return no_worse and a != b


def by_force(points: list[tuple]) -> list[int]:
    """The first of each kind of point that no other beats, and that has a finite ε."""
    return [
        place
        for place, each in enumerate(points)
        if math.isfinite(each[0]) and not any(beats(other, each) for other in points) and each not in points[:place]
    ]


def columns(points: list[tuple]) -> tuple[np.ndarray, ...]:
    epsilon, error, uses = np.array(points, dtype=float).reshape(len(points), 3).T
    return epsilon, error, uses.astype(int)


@given(POINTS)
def test_the_law(points):
    """Exactly those that nothing beats, equal ones once."""
    assert unbeaten(*columns(points)).tolist() == by_force(points)


@given(POINTS, st.integers(0, 30))
def test_parts_may_be_merged(points, cut):
    """What is kept of two parts together is what is kept of all; with slack, nothing of the frontier is lost."""
    cut = min(cut, len(points))
    for slack in (0.0, 0.3):
        parts = [*unbeaten(*columns(points[:cut]), slack), *(cut + unbeaten(*columns(points[cut:]), slack))]
        kept = [points[place] for place in parts]
        merged = [parts[place] for place in unbeaten(*columns(kept), slack)]
        assert merged == unbeaten(*columns(points), slack).tolist()
        assert {points[place] for place in by_force(points)} <= {points[place] for place in merged}


def error_of(plan: Plan, rows: list[int], measure: str) -> float:
    if measure == "variance":
        levels = Adjustable.of(plan, [row for row in range(len(plan.releases)) if row not in rows])
        return weighted_variance(levels, levels.ratio)
    return max(errors(plan).relative.iloc[row] for row in rows)


MIXED = Plan([
    Release("a", Laplace(10, 1), 4, typical=100.0, weight=2.0), Release("b", Gaussian(20, 1), 2, typical=300.0),
    Release("c", RandomizedResponse(0.2)),
])  # fmt: skip
PARTED = Plan([
    Release("a", Laplace(10, 1), 4, "north", typical=100.0), Release("b", Laplace(20, 1), 2, "south", typical=300.0),
    Release("c", Laplace.from_epsilon(0.1, 1), typical=50.0, start="2026-01-01", end="2026-06-30", cadence="weekly"),
])  # fmt: skip
ALONG = Plan([Release("a", ApproximateDP(0.1, 1e-9)), Release("b", Laplace(20, 1), 2, typical=30.0)], adaptive=True)
GAUSSIAN = Plan([Release("a", Gaussian(10, 1), 4, typical=100.0), Release("b", Gaussian(20, 1), 2, typical=300.0)])
GRIDS = [
    (MIXED, {"a": {"noise": [0.5, 1, 2], "count": [1, 4, 9]}, "b": {"noise": [0.5, 1, 3]}}, [0, 1]),
    (GAUSSIAN, {"*": {"noise": [0.25, 0.5, 1, 2], "count": [1, 3]}, "b": {"noise": [0.7, 1.1]}}, [0, 1]),
    (PARTED, {"*": {"noise": [0.5, 1, 2]}, "c": {"cadence": ["once", "monthly", "weekly", "daily"]}}, [0, 1, 2]),
    (ALONG, {"b": {"noise": [0.5, 1, 2], "count": [1, 2, 3]}}, [1]),
]


@pytest.mark.parametrize(("plan", "asked", "rows"), GRIDS, ids=["mixed", "gaussian", "parts", "adaptive"])
@pytest.mark.parametrize("measure", ["largest", "variance"])
def test_a_sweep_is_brute_force(plan, asked, rows, measure):
    """Each plan of a small grid made and composed on its own: the same frontier, the same numbers."""
    grid = Grid.of(plan, asked)
    points = []
    for number in range(grid.size):
        made = grid.combination(number)
        uses = sum(each.uses for each in made.releases)
        points.append((smallest_total(made, plan.budget.delta).epsilon, error_of(made, rows, measure), uses))
    found = swept(grid, measure).frame
    assert sorted(found.number) == by_force(rounded(points))
    for row in found.itertuples():
        epsilon, error, uses = points[row.number]
        assert (row.epsilon, row.uses) == (epsilon, uses) and row.error == pytest.approx(error, rel=1e-12)
        assert row.epsilon == compose(grid.combination(row.number), row.delta, row.theorem).epsilon


def rounded(points: list[tuple]) -> list[tuple]:
    """The sums of errors in another order differ by rounding."""
    return [(epsilon, float(f"{error:.12g}"), uses) for epsilon, error, uses in points]


def test_every_combination_is_bounded_from_above():
    """The coarse totals that choose the candidates are proved, too: none lies below what is quoted."""
    from dpviz.jobs.sweep import Table

    grid = Grid.of(MIXED, GRIDS[0][1])
    epsilon, _, _ = Table.of(grid, "largest").evaluated(np.arange(grid.size))
    fine = [compose(grid.combination(number), grid.plan.budget.delta).epsilon for number in range(grid.size)]
    assert (epsilon >= np.array(fine) * (1 - 1e-6)).all() and (epsilon <= np.array(fine) * (1 + 3e-4)).all()


def test_a_smaller_sample_is_scaled_up():
    """A tenth of the sample has a tenth of the count: the same noise is ten times the error, in both measures."""
    release = Release("a", Subsampled(Gaussian(3, 1), 0.1, "poisson"), 10, typical=100.0)
    grid = Grid.of(Plan([release]), {"a": {"rate": [0.01, 0.1]}})
    for measure, factor in (("largest", 10.0), ("variance", 100.0)):
        frame = swept(grid, measure).frame.set_index("a: rate")
        assert frame.error[0.01] == pytest.approx(factor * frame.error[0.1], rel=1e-9)
        assert frame.epsilon[0.01] < frame.epsilon[0.1]


def test_a_file_gives_back_the_frontier():
    """All digits, all plans."""
    frontier = swept(Grid.of(MIXED, GRIDS[0][1]))
    again = Frontier.read(io.BytesIO(frontier.to_csv().encode()))
    assert again.to_csv() == frontier.to_csv() and again.axes == ["a: noise", "b: noise", "a: count"]
    for place, number in enumerate(frontier.frame.number):
        assert again.plan(place) == Grid.of(MIXED, GRIDS[0][1]).combination(number)


HEAD = "number,epsilon,delta,error,measure,uses,theorem,plan\n"


@pytest.mark.parametrize(
    "text",
    [
        "", "name,mechanism\n", HEAD, HEAD + "0,x,1e-6,1,largest,1,pld,\n", HEAD + "0,inf,1e-6,1,largest,1,pld,\n",
        HEAD + "0,1,1e-6,1,other,1,pld,\n", HEAD.replace(",plan", ",x") + "0,1,1e-6,1,largest,1,pld,\n",
        HEAD + '0,"1,1e-6,1,largest,1,pld,\n',
    ],
)  # fmt: skip
def test_what_is_no_frontier_is_refused(text):
    with pytest.raises(ValueError, match="frontier must"):
        Frontier.read(io.BytesIO(text.encode()))


@pytest.mark.parametrize("token", ["", "1.AAAA"])
def test_a_plan_that_is_not_there_is_said(token):
    frontier = Frontier.read(io.BytesIO(f"{HEAD}0,1,1e-6,1,largest,1,pld,{token}\n".encode()))
    with pytest.raises(ValueError, match=r"small enough for a link|damaged"):
        frontier.plan(0)
