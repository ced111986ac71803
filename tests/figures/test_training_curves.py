"""What training costs over epochs: every scheme has its look and its name, and both ends are told."""

import pandas as pd
import pytest

from dpviz.figures.base.identity import SCHEMES
from dpviz.figures.plan.training_curves import EMPTY, NAMES, SURELY, described, training_curves
from dpviz.training import SCHEMES as DRAWN
from dpviz.training import TrainingRun, epsilon_over_epochs

RUN = TrainingRun(1000, 100, 2.0, 1e-5, epochs=4)
FRAME = epsilon_over_epochs(RUN, [1, 2, 4], ["shuffled", "fixed_order", "tree"], lower=True)


def test_every_scheme_has_a_look_and_a_name():
    keys = {each.key for each in DRAWN}
    assert keys == SCHEMES.keys() == NAMES.keys()
    looks = {(each.light, each.dash) for each in SCHEMES.values()}
    assert len(looks) == len(keys) == len(set(NAMES.values()))


@pytest.mark.parametrize("dark", [False, True])
def test_lines_are_named_at_their_ends(dark: bool):
    """No name covers another; upper ends are carried back, the lower one on."""
    figure = training_curves(FRAME, dark=dark)
    assert [each.name for each in figure.data] == ["shuffled", SURELY, "fixed order", "tree"]
    assert [each.line.shape for each in figure.data] == ["vh", "hv", "vh", "vh"]
    assert figure.data[0].line.color == SCHEMES["shuffled"].colour(dark)
    texts = {each.text for each in figure.layout.annotations}
    assert texts == {"shuffled", SURELY, "fixed order", "tree"} and figure.layout.yaxis.type == "log"


def test_it_is_told_in_words():
    told = described(FRAME)
    assert "shuffled at most 11.4" in told and "and at least" in told and "0 to 4 epochs" in told
    nothing = pd.DataFrame({name: [] for name in ("scheme", "epochs", "epsilon", "lower")})
    assert described(nothing) == EMPTY and not training_curves(nothing).data
