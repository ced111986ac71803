"""The staircase of a ledger: its steps, the forecast, the budget's line, the ends of periods, in words too."""

import pandas as pd
import pytest

from dpviz.figures.check.ledger_course import FAR, MOST_ENDS, LedgerCourse, described, ledger_course

COURSE = pd.DataFrame(
    {
        "at": pd.to_datetime(["2026-01-05", "2026-01-09", "2026-02-01", "2026-03-01"]),
        "spent": [0.0, 0.0, 0.25, 0.25],
        "charged": [0.0, 2.0, 2.25, 2.25],
        "lifetime_epsilon": [0.0, 2.0, 2.25, 2.25],
    }
)
PLANNED = pd.DataFrame(
    {"date": pd.to_datetime(["2026-01-31", "2026-12-31"]), "until": pd.to_datetime(["2026-01-31", "2026-12-31"]),
     "epsilon": [0.2, 2.0]}
)  # fmt: skip


def test_every_step_is_drawn_as_it_is():
    figure = ledger_course(LedgerCourse(COURSE, 3.0, PLANNED, ("2027-01-01T00:00:00",), True))
    drawn = {each.name: list(each.y) for each in figure.data}
    assert drawn["spent"] == COURSE.spent.tolist() and drawn["spent and reserved"] == COURSE.charged.tolist()
    assert drawn["planned"] == [0.2, 2.0, 2.0] and drawn["since the beginning"] == COURSE.lifetime_epsilon.tolist()
    assert all(each.line.shape == "hv" for each in figure.data)  # what was charged stays until the next moment
    levels = [each.y0 for each in figure.layout.shapes if each.y0 == each.y1]
    assert levels == [3.0] and figure.layout.yaxis.range[1] > 3.0
    assert [each.x0 for each in figure.layout.shapes if each.x0 == each.x1] == ["2027-01-01T00:00:00"]


@pytest.mark.parametrize("budget", [1e-6, 1000.0])
def test_the_axis_holds_budget_and_steps(budget: float):
    """A lifetime far above the budget is told in words, and does not squeeze the rest."""
    frame = COURSE.assign(lifetime_epsilon=1e5, spent=0.0, charged=budget / 2)
    figure = ledger_course(LedgerCourse(frame, budget, renewed=True))
    assert budget < figure.layout.yaxis.range[1] < FAR * budget


def test_many_periods_are_no_hatching():
    ends = tuple(f"2026-01-{day:02}T{hour:02}:00:00" for day in range(6, 30) for hour in (0, 12))
    shapes = ledger_course(LedgerCourse(COURSE, 3.0, None, ends)).layout.shapes
    assert len(shapes) == MOST_ENDS + 1


def test_it_is_told():
    told = described(LedgerCourse(COURSE, 3.0, PLANNED, (), True))
    assert "0.25" in told and "2.25" in told and "budget of 3" in told and "forecast ends at 2" in told
    assert "All periods together cost at most 2.25" in told
