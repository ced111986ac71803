"""What the contents page of Learn says of all of it."""

import math
import re

from dpviz.rounding import next_above
from dpviz.ui.learn.cards import ABOUT


def test_how_sure_somebody_becomes_is_rounded_up():
    """A loss of 1 multiplies odds by at most e, one of 2 by e squared (Dwork & Roth 2014, Section 2.3.1)."""
    told = [float(percent) for percent in re.findall(r"at most ([\d.]+) %", ABOUT)]
    assert told == [next_above(100 * math.exp(loss) / (1 + math.exp(loss)), 3) for loss in (1, 2)]
