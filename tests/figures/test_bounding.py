"""What is drawn between computed bounds is not below the bounds that were left out, on every chart over counts."""

import numpy as np
import pandas
import pytest

from dpviz.figures.learn.growth import growth
from dpviz.figures.learn.guesses_curve import guesses_curve
from dpviz.figures.learn.largest_loss import largest_loss
from dpviz.figures.learn.noise_curves import CLOSED_FORMS, client_curve, shuffle_curve
from dpviz.figures.learn.odometer import Stops, odometer
from dpviz.figures.learn.sampled_curves import LOOKS, sampled_rounds

COUNTS = np.unique(np.rint(np.geomspace(1, 300, 70)).astype(int))  # neighbours first, then gaps
FEW = np.array([1, 4, 6, 9, 30, 300])
EACH = np.arange(1, 301)


def read(trace, places):
    """The height of a line at each place, as Plotly draws its shape."""
    x, y = (np.asarray(trace[axis], dtype=float) for axis in "xy")
    after = np.clip(np.searchsorted(x, places), 1, len(x) - 1)
    before, shape = after - 1, trace["line"]["shape"]
    along = (places - x[before]) / (x[after] - x[before])
    share = {"linear": along, "vh": places > x[before], "hv": places >= x[after]}[shape]
    return y[before] + share * (y[after] - y[before])


def rows(name, keys, counts, values):
    frames = ({name: key, "label": key, "count": counts, "epsilon": values} for key in keys)
    return pandas.concat(map(pandas.DataFrame, frames))


def grown(counts):
    return growth(rows("theorem", ["basic", "pld"], counts, np.sqrt(counts))).data


def guessed(counts):
    return guesses_curve(pandas.DataFrame({"count": counts, "right": 50 + np.sqrt(counts)})).data


def sampled(counts):
    return sampled_rounds(rows("way", list(LOOKS), counts, np.sqrt(counts)), 3.0).data


def asked(counts):
    frame = rows("rule", ["fixed"], counts, np.sqrt(counts)).rename(columns={"count": "step"})
    nothing = pandas.DataFrame({"rule": [], "label": [], "step": [], "epsilon": []})
    return odometer(frame, Stops(nothing), 30.0).data[:1]


def lost(counts):
    frame = {"count": counts, "largest": np.sqrt(counts), "epsilon": np.sqrt(counts), "delta": 1e-6}
    return largest_loss(pandas.DataFrame(frame | {"log10_probability": -1.0})).data[:2]


@pytest.mark.parametrize("draw", [grown, guessed, sampled, asked, lost], ids=lambda draw: draw.__name__)
def test_a_bound_that_rises_is_not_drawn_below_what_was_left_out(draw):
    for counts in (COUNTS, FEW, EACH):
        for trace in draw(counts):
            base = 50.0 if draw is guessed else 0.0
            assert np.all(read(trace, EACH) >= base + np.sqrt(EACH) - 1e-12)  # rounding of a chord's ends
            assert np.all(read(trace, counts) == base + np.sqrt(counts))


def test_a_bound_that_falls_is_not_drawn_below_what_was_left_out():
    """Here it falls along steps, which are no convex curve."""
    stairs = lambda counts: 1 / (1.0 + np.asarray(counts) // 40)  # noqa: E731
    columns = {"clients": FEW, "honest": FEW, "rule": 1.0, "note_scale": stairs(FEW), "epsilon": stairs(FEW)}
    assert np.all(read(client_curve(pandas.DataFrame(columns)).data[2], EACH) >= stairs(EACH))
    reports = [
        pandas.DataFrame({"bound": key, "clients": FEW, "epsilon": stairs(FEW), "applies": True, "local_epsilon": 2.0})
        for key in CLOSED_FORMS
    ]
    lines = [trace for trace in shuffle_curve(pandas.concat(reports), 30).data if len(trace["x"]) == len(FEW)]
    assert len(lines) == len(CLOSED_FORMS)
    for trace in lines:
        assert np.all(read(trace, EACH) >= stairs(EACH))
