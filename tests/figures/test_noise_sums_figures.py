"""The charts about sums of noise: structure, ground, extremes, words."""

import pandas
import pytest

from dpviz.amplification import shuffling
from dpviz.figures.learn import noise_curves, summed_noise
from dpviz.figures.learn.summed_noise import Marks
from dpviz.noise_sums import mixtures
from dpviz.noise_sums import sums as noise_sums

SIDE = [0.1, 0.3, 1.0, 3.0, 10.0, 20.0]
GRID = noise_sums.noise_sum_grid(SIDE, SIDE, 1e-5, "classical")
PAIRS = noise_sums.noise_sum_table(delta=1e-5, calibrations=["classical"])
CLIENTS = noise_sums.client_curve(1, 1e-5, [1, 10, 100, 1000])
MIXED = mixtures.mixture_curve(1, 1e-5, 100, [0.0, 0.5, 1.0])
BOUNDS = mixtures.mixture_bounds(1, 1e-5, 100, 0.5)
SHUFFLED = shuffling.shuffle_curve(1, [100, 1000, 10_000], 1e-6)

DRAWINGS = {
    "map": lambda dark: summed_noise.summed_noise(GRID, PAIRS, Marks(0.4, 1.0, False), dark),
    "clients": lambda dark: noise_curves.client_curve(CLIENTS, 100, 0.4, dark),
    "mixture": lambda dark: noise_curves.mixture_curve(MIXED, BOUNDS, 0.5, dark),
    "shuffle": lambda dark: noise_curves.shuffle_curve(SHUFFLED, 1000, dark),
}


def structure(figure) -> dict:
    """What a reader sees of a figure, without its numbers."""
    axes = [axis.title.text for axis in (figure.layout.xaxis, figure.layout.yaxis)]
    texts = [note.text for note in figure.layout.annotations]
    traces = [(trace.type, trace.name) for trace in figure.data]
    return {"traces": traces, "axes": axes, "texts": texts, "height": figure.layout.height}


@pytest.mark.parametrize("name", DRAWINGS)
def test_structure(snapshot, name: str):
    """Traces, names, axes and notes."""
    assert structure(DRAWINGS[name](False)) == snapshot


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_dark_chart_says_the_same(name: str):
    """Only colours depend on the ground."""
    assert structure(DRAWINGS[name](True)) == structure(DRAWINGS[name](False))


def test_the_map_stands_upright():
    """ε1 runs to the right and ε2 upwards, also where a calibration makes the map lopsided."""
    grid = GRID.assign(epsilon=GRID.epsilon_1)
    heat = summed_noise.summed_noise(grid, PAIRS, Marks(None, None, True)).data[0]
    assert [float(value) for value in heat.customdata[0, :, 0]] == pytest.approx(SIDE)
    assert float(heat.customdata[-1, 0, 0]) == pytest.approx(SIDE[0])


def test_an_exact_zero_has_a_colour():
    """At large δ some sums cost nothing, which has no logarithm."""
    zero = GRID.assign(epsilon=0.0)
    for grid in (zero, GRID.assign(epsilon=GRID.epsilon.where(GRID.epsilon > 0.2, 0.0))):
        figure = summed_noise.summed_noise(grid, PAIRS, Marks(0.4, None, True))
        assert pandas.notna(figure.data[0].z).all()
    free = CLIENTS.assign(epsilon=0.0)
    assert noise_curves.client_curve(free, 100, None).layout.yaxis.type == "linear"


def test_nothing_is_proved_is_drawn_as_such():
    """Where no number of reports suffices, the whole chart is grey and the local ε remains."""
    figure = noise_curves.shuffle_curve(shuffling.shuffle_curve(50, [10, 100], 1e-6), 10)
    assert all(shape.x1 == 100 for shape in figure.layout.shapes) and len(figure.layout.shapes) == 2
    assert list(figure.data[0].y) == [50, 50]


def test_words():
    """Each alternative text has the numbers, rounded up."""
    assert "1 and 0.5 give 0.3123, rule 0.4472, proved" in summed_noise.described(GRID, PAIRS, Marks(0.4, 1.0, False))
    assert "it is 0.08091" in noise_curves.described_clients(CLIENTS, 100, None)
    assert "Label hidden 0.3214, no guarantee to everyone" in noise_curves.described_mixture(BOUNDS, 0.5)
    assert "no amplification claimed" in noise_curves.described_shuffle(SHUFFLED, 100)
    assert "any local randomizer, numerical: 0.6437" in noise_curves.described_shuffle(SHUFFLED, 100)


def test_sums_are_told_from_closed_forms_by_their_dash():
    """One colour for each kind of randomizer, and a sum no higher than its closed form at any number of reports."""
    figure = noise_curves.shuffle_curve(SHUFFLED, 1000)
    drawn = {trace.name: trace for trace in figure.data}
    for whom in ("any local randomizer", "randomized response only"):
        closed, summed = drawn[whom], drawn[f"{whom}, numerical"]
        assert closed.line.color == summed.line.color and closed.line.dash != summed.line.dash
        above = dict(zip(closed.x, closed.y, strict=True))
        assert set(above) < set(summed.x)
        assert all(epsilon <= above.get(count, 1) for count, epsilon in zip(summed.x, summed.y, strict=True))


def test_an_epsilon_of_zero_leaves_the_logarithmic_axis_alone():
    """Where shuffling brings ε down to 0 the line ends; the axis keeps to what can be shown."""
    curve = shuffling.shuffle_curve(1, [10, 10**6], 0.1)
    assert (curve.epsilon == 0).any()
    low, high = noise_curves.shuffle_curve(curve, 10).layout.yaxis.range
    assert -3 < low < high < 1
