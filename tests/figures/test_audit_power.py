"""The power of an audit: drawn with what is wanted and the number that has it, and told in words."""

import pandas as pd
import pytest

from dpviz.figures.plan import audit_power

FRAME = pd.DataFrame({"number": [10, 100, 1000], "power": [2.62e-9, 0.4567, 0.99999]})


@pytest.mark.parametrize(("needed", "traces"), [(1000, 2), (None, 1)])
def test_the_number_is_marked(needed, traces):
    """Where there is one; the axis counts what the design counts, and no power is rounded up."""
    figure = audit_power.audit_power(FRAME, 0.9, needed, "one_run")
    assert len(figure.data) == traces
    assert "canaries" in figure.layout.xaxis.title.text
    assert [told for _, told in figure.data[0].customdata] == ["0", "45.6", "99.9"]


def test_it_is_told():
    """First and last number, and from where on it is enough."""
    told = audit_power.described(FRAME, 0.9, 1000)
    assert "0 with 10, 99.9 with 1,000; at least 90 from 1,000 on" in told
    assert "for none of these numbers" in audit_power.described(FRAME, 0.9)
