"""The pictures for people: right guesses over repetitions, and how sure somebody undecided becomes."""

import pandas as pd
import pytest

from dpviz.figures.learn import guesses_curve, sureness_bars
from dpviz.plain import SYMBOLS

GUESSES = pd.DataFrame({"count": [1, 10, 1000], "right": [52.4979187, 60.1, 99.99999]})
SHARES = pd.DataFrame({"low": [0, 0.5, 0.75], "high": [0.5, 0.75, 1.0], "share": [0.25, 0.7496, 0.0004]})


@pytest.mark.parametrize("dark", [False, True])
def test_guesses_are_told_rounded_up(dark: bool):
    """On hover and aloud; the ends of the axis are a coin and certainty."""
    figure = guesses_curve.guesses_curve(GUESSES, dark)
    assert list(figure.data[0].customdata[0]) == ["1", "52.5"] and list(figure.data[0].y) == list(GUESSES.right)
    assert {each.text for each in figure.layout.annotations} == {"a coin", "always right"}
    told = guesses_curve.described(GUESSES)
    assert "52.5 after 1 to 100 after 1,000" in told and not SYMBOLS.search(told)


@pytest.mark.parametrize("dark", [False, True])
def test_bars_are_shares_of_a_hundred(dark: bool):
    """The first class is misled, and a share that cannot be seen is still named."""
    figure = sureness_bars.sureness_bars(SHARES, dark)
    assert list(figure.data[0].y) == pytest.approx([25, 74.96, 0.04], rel=1e-12)
    assert list(figure.data[0].text) == ["25", "75", "under 0.1"]
    told = sureness_bars.described(SHARES)
    assert "misled, below 50 %: 25" in told and not SYMBOLS.search(told)
