"""Grids: what may vary, every combination in a stated order, and one clear sentence for what is not allowed."""

import io
import itertools

import pytest

from dpviz.guarantee import Guarantee
from dpviz.jobs import Grid, swept
from dpviz.mechanisms import Gaussian, Laplace, NameAndShame, Subsampled
from dpviz.plan import Plan, Release

DATES = {"start": "2026-01-01", "end": "2026-12-31"}
PLAN = Plan([
    Release("weekly", Laplace(10, 1), 2, typical=100.0, cadence="weekly", **DATES),
    Release("sample", Subsampled(Gaussian(2, 1), 0.1, "without_replacement"), typical=50.0),
    Release("done", Laplace(5, 1), typical=50.0, done=True),
    Release("mean", Subsampled(Gaussian(2, 1), 0.1, "without_replacement"), kind="mean"),
    Release("leak", NameAndShame(1e-9)),
    Release("twice", Laplace(3, 1)), Release("twice", Laplace(4, 1)),
])  # fmt: skip


def test_every_combination_once_in_order():
    """Noise and rate change last, counts and cadences first: what shares its noise stands together."""
    asked = {"weekly": {"cadence": ["weekly", "monthly"], "noise": [1, 2]}, "sample": {"rate": [0.1, 0.2, 0.3]}}
    grid = Grid.of(PLAN, asked)
    assert [axis.label for axis in grid.axes] == ["weekly: noise", "sample: rate", "weekly: cadence"]
    every = itertools.product([1.0, 2.0], [0.1, 0.2, 0.3], ["weekly", "monthly"])
    assert [grid.values(number) for number in range(grid.size)] == list(every)
    plans = [grid.combination(number) for number in range(grid.size)]
    assert len(set(plans)) == grid.size == 12
    last = plans[-1].releases
    assert (last[0].mechanism.scale, last[0].uses, last[1].mechanism.rate) == (20.0, 24, 0.3)
    assert last[1].typical == pytest.approx(150.0) and last[2:] == PLAN.releases[2:]


def test_the_star_moves_all_that_may_change_together():
    """What has a list of its own, is done, or has no noise stays out of it."""
    grid = Grid.of(PLAN, {"*": {"noise": [1, 3]}, "sample": {"noise": [1, 2]}})
    assert [axis.rows for axis in grid.axes] == [(0, 3, 5, 6), (1,)]
    assert [axis.rows for axis in Grid.of(PLAN, {"twice": {"count": [1, 2]}}).axes] == [(5, 6)]
    assert [axis.rows for axis in Grid.of(PLAN, {"*": {"rate": [0.1]}}).axes] == [(1,)]
    assert [axis.rows for axis in Grid.of(PLAN, {"*": {"cadence": ["once"]}}).axes] == [(0,)]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("[]", "grid must be an object"),
        ("{}", "grid must be an object"),
        ("{", "grid must be valid JSON; line 1"),
        ("[" * 100_000, "grid must not nest so deeply"),
        ('{"other": {"noise": [1]}}', "grid must name releases of the plan, or '\\*' for all others; got 'other'"),
        ('{"*": 5, "weekly": {"noise": [1]}}', "grid of '\\*' must be an object of lists"),
        ('{"*": {"noise": [1]}, "weekly": 5}', "grid of 'weekly' must be an object of lists"),
        ('{"weekly": {"scale": [1]}}', "quantity must be one of noise, rate, count, cadence; got 'scale'"),
        ('{"weekly": {"noise": 1}}', "noise of 'weekly' must be a list"),
        ('{"weekly": {"noise": []}}', "noise of 'weekly' must be a list"),
        ('{"weekly": {"noise": [0]}}', "noise of 'weekly': noise must be in"),
        ('{"weekly": {"noise": [NaN]}}', "noise of 'weekly': noise must be in"),
        ('{"weekly": {"noise": [1, 1.0]}}', "must hold every value once"),
        ('{"weekly": {"noise": [1], "noise": [2]}}', "grid must name everything once; got 'noise' twice"),
        ('{"weekly": {"count": [0]}}', "count of 'weekly': count must be in"),
        ('{"weekly": {"count": [1.5]}}', "count of 'weekly': count must be in"),
        ('{"weekly": {"count": [100000000]}}', "count of 'weekly' cannot be 100000000"),
        ('{"weekly": {"cadence": ["hourly"]}}', "cadence of 'weekly': cadence must be one of once"),
        ('{"sample": {"cadence": ["daily"]}}', "cannot be varied: it has no first and last day"),
        ('{"weekly": {"rate": [0.1]}}', "cannot be varied: it reads no random sample"),
        ('{"sample": {"rate": [0]}}', "rate of 'sample': rate must be in"),
        ('{"mean": {"rate": [0.1]}}', "the sensitivity of a mean goes with the size of its sample"),
        ('{"done": {"noise": [1]}}', "cannot be varied: it is published already"),
        ('{"leak": {"noise": [1]}}', "cannot be varied: it has no noise to vary"),
    ],
)  # fmt: skip
def test_bad_grids_are_one_sentence(asked, sentence):
    with pytest.raises(ValueError, match=sentence) as told:
        Grid.read(PLAN, io.BytesIO(asked.encode()))
    assert "\n" not in str(told.value)


def test_a_grid_that_is_too_large_is_refused_before_it_starts():
    values = [1 + n / 1000 for n in range(101)]
    asked = {name: {"noise": values} for name in ("weekly", "sample", "mean")}
    with pytest.raises(ValueError, match="at most 1,000,000 combinations; got 101 x 101 x 101 = 1,030,301"):
        Grid.of(PLAN, asked)


def test_a_missing_grid_file_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="grid must be a file that can be read"):
        Grid.read(PLAN, tmp_path / "absent.json")


def test_counts_too_large_together_are_refused_before_any_task():
    """Each is allowed on its own; nothing is played."""
    grid = Grid.of(PLAN, {"weekly": {"count": [4_000_000], "cadence": ["daily"]}})
    with pytest.raises(ValueError, match="must be in"):
        swept(grid)


@pytest.mark.parametrize(
    ("plan", "asked", "measure", "sentence"),
    [
        (PLAN, {"mean": {"noise": [1, 2]}}, "largest", "typical must be given of release 'mean'"),
        (PLAN, {"leak": {"count": [1, 2]}}, None, "must have a release with noise"),
        (PLAN, {"weekly": {"noise": [1, 2]}}, "other", "measure must be one of largest, variance"),
        (Plan([Release("a", Gaussian(1, 1), typical=1)], Guarantee(1.0)), {"a": {"noise": [1]}}, None, "finite total"),
    ],
)  # fmt: skip
def test_a_sweep_that_has_no_answer_says_why(plan, asked, measure, sentence):
    with pytest.raises(ValueError, match=sentence):
        swept(Grid.of(plan, asked), measure)
