"""The charts of the experiment: complete, readable, animated only on request."""

import math

import numpy as np
import pandas
import pytest
from plotly.graph_objects import Figure

from dpviz.adversary import PairLoss, run_experiment
from dpviz.adversary.risk import posterior_frame
from dpviz.figures.learn.attack_curve import attack_curve
from dpviz.figures.learn.attack_views import Statistic, attack_views, described
from dpviz.figures.learn.icon_arrays import GRIDS, icon_arrays
from dpviz.figures.learn.posterior_slopes import posterior_slopes
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Laplace, NameAndShame
from dpviz.ui.adversary.view import played_points, ratio_bands

STATISTIC = Statistic("running mean", 1.5, "decision line", 200, ("<b>no</b>", "yes"))


def views(rounds: int = 4, mechanism=None):
    return run_experiment(mechanism or Laplace(1.0), None, rounds, trials=200, rng=np.random.default_rng(5))


def drawn(played, name: str = "mean", dark: bool = False) -> Figure:
    bands = played.mean_frame().rename(columns={"mean": "middle"}) if name == "mean" else ratio_bands(played)
    paths = played.path_frame(3).rename(columns={name: "value"})
    return attack_views(bands, paths, played.histogram_frame(name), STATISTIC, dark)


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.name) for trace in figure.data],
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": [each.text for each in figure.layout.annotations],
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("rounds", [1, 4, 300])
@pytest.mark.parametrize("name", ["mean", "log_ratio"])
def test_structure_of_views(snapshot, rounds: int, name: str):
    """Bands, paths, averages and ends of both worlds."""
    assert structure(drawn(views(rounds), name)) == snapshot


def test_playing_ends_on_the_still_picture():
    """The last frame is what the chart shows at rest, and there are at most some twenty."""
    figure = drawn(views(300))
    assert 2 <= len(figure.frames) <= 21
    for trace, place in zip(figure.frames[-1].data, figure.frames[-1].traces, strict=True):
        for axis in "xy":
            np.testing.assert_array_equal(trace[axis], figure.data[place][axis])
        assert np.isnan(trace.y).sum() >= 3
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["▶ Play", "■ Stop"]
    assert not drawn(views(1)).frames


def test_certain_games_are_counted_beside_the_axis():
    """An infinite likelihood ratio is said, not drawn."""
    played = views(3, NameAndShame(0.5))
    figure = drawn(played, "log_ratio")
    sure = int((played.log_ratios[1] == math.inf).sum())
    assert sure and f"+∞ in {sure} games of world 1" in figure.layout.annotations[-1].text
    assert all(math.isfinite(end) for end in figure.layout.yaxis.range)


def test_names_of_visitors_are_text():
    """Markup in a unit's name is shown letter by letter."""
    assert "&lt;b&gt;" in drawn(views()).data[4].name


def test_bars_are_shares_of_all_games():
    """All games of a world end somewhere."""
    for bar in drawn(views()).data[6:8]:
        assert sum(bar.x) == pytest.approx(1.0, abs=1e-12)


def test_the_decision_line_is_named_in_the_legend():
    """Words on the chart would cover the paths."""
    figure = drawn(views())
    assert figure.data[-1].name == "decision line" and not figure.layout.annotations
    assert all(note.bgcolor is None for note in figure.layout.annotations)


def test_description_counts_games():
    """Whoever hears the chart hears the number of games."""
    played = views()
    assert "200 games" in described(played.mean_frame().rename(columns={"mean": "middle"}), STATISTIC)


def curve() -> pandas.DataFrame:
    rates = np.linspace(0, 1, 11)
    lines = [(name, PairLoss(Guarantee(e)).tradeoff(rates)) for name, e in (("own", 1.0), ("pair", 2.0))]
    parts = [
        pandas.DataFrame({"line": name, "false_positive_rate": rates, "false_negative_rate": missed})
        for name, missed in lines
    ]
    return pandas.concat(parts)


def test_played_attacks_carry_their_intervals(snapshot):
    """The point and both error bars are the measured rates and their intervals."""
    played = views()
    points = played_points(played, 0.5)
    figure = attack_curve(curve(), points)
    assert structure(figure) == snapshot
    mark, (accused, missed) = figure.data[3], played.error_rates()
    assert (mark.x[0], mark.y[0]) == (accused.value, missed.value)
    assert mark.x[0] + mark.error_x.array[0] == pytest.approx(accused.high, abs=1e-15)
    assert mark.y[0] - mark.error_y.arrayminus[0] == pytest.approx(missed.low, abs=1e-15)
    assert len(attack_curve(curve(), points.iloc[:0]).data) == 3


@pytest.mark.parametrize("denominator", GRIDS)
def test_icons_fill_from_the_same_corner(denominator: int):
    """Both grids have all squares, and are filled row by row from the top left."""
    figure = icon_arrays(3, denominator - 3, denominator, ("without", "with"))
    for trace, taken in zip(figure.data, (3, denominator - 3), strict=True):
        cells = np.array(trace.z).ravel()
        assert cells.size == denominator and cells.sum() == taken and cells[:taken].all()
    assert figure.layout.yaxis.autorange == figure.layout.yaxis2.autorange == "reversed"


def luminance(colour: str) -> float:
    return sum(w * int(colour[n : n + 2], 16) for w, n in ((0.299, 1), (0.587, 3), (0.114, 5)))


@pytest.mark.parametrize("dark", [False, True])
def test_icons_survive_greyscale(dark: bool):
    """Printed without colour, taken and not taken differ by a fifth of the scale."""
    low, high = (colour for _, colour in icon_arrays(3, 97, 100, ("", ""), dark).data[0].colorscale)
    assert abs(luminance(low) - luminance(high)) > 40


@pytest.mark.parametrize("own", [True, False])
def test_slopes_start_at_the_prior(own: bool):
    """Each slope goes from the prior to the posterior, by their odds, and says where it ends."""
    frame = posterior_frame(PairLoss(Guarantee(1.0)), 0.0, (0.1, 0.5), (0.01,))
    figure = posterior_slopes(frame, own)
    assert len(figure.data) == (4 if own else 2)
    odds = [[sure / (1 - sure) for sure in pair] for pair in zip(frame.prior, frame.posterior, strict=True)]
    assert np.allclose([trace.y for trace in figure.data[-2:]], np.log10(odds), rtol=1e-12)
    assert [each.text for each in figure.layout.annotations] == ["23.2 %", "73.2 %"]


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 12.0, 50.0])
def test_no_slope_ends_below_what_somebody_may_become(epsilon: float):
    """Up to one in a million below certainty by its odds; what is more stands where 100 % is told."""
    frame = posterior_frame(PairLoss(Guarantee(epsilon)), 0.0, (1e-5, 0.5, 0.999), (0.01,))
    figure = posterior_slopes(frame)
    top = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))["100 %"]
    for trace, sure in zip(figure.data[-3:], frame.posterior, strict=True):
        exact = math.inf if sure == 1 else math.log10(sure / (1 - sure))
        assert trace.y[1] >= min(exact, top) - 1e-9
        assert trace.y[1] <= figure.layout.yaxis.range[1]
