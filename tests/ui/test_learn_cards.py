"""What the contents page of Learn says of all of it."""

import math
import re

from dpviz.rounding import next_above
from dpviz.ui.learn.cards import ABOUT


def test_how_sure_somebody_becomes_is_rounded_up():
    """Odds grow at most by e to the loss: Bayes with Definition 2.4 of Dwork & Roth (2014)."""
    told = [float(percent) for percent in re.findall(r"at most ([\d.]+) %", ABOUT)]
    assert told == [next_above(100 * math.exp(loss) / (1 + math.exp(loss)), 3) for loss in (1, 2)]
