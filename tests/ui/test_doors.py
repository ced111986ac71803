"""The plan that the first door proposes fits the budget that was asked for."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Guarantee, Laplace, Plan, Release, compose
from dpviz.rounding import next_above
from dpviz.ui.plan.doors import LEAST_BUDGET, OFTEN, USUAL_DELTA, USUAL_EPSILON, within_budget
from dpviz.ui.shell.document import filled_in
from dpviz.ui.shell.document.promise_fields import LARGEST_BUDGET


def proposed(budget: float, often: str) -> Plan:
    start = date(2027, 1, 1)
    dates = {"start": start} | ({} if often == "once" else {"cadence": often, "end": filled_in.last_day(start)})
    first = Release("First", Laplace.from_epsilon(USUAL_EPSILON), kind="count", **dates)
    return within_budget(Plan([first], Guarantee(budget, USUAL_DELTA)))


@given(st.floats(LEAST_BUDGET, LARGEST_BUDGET) | st.floats(LEAST_BUDGET, 12.0), st.sampled_from([*OFTEN.values()]))
def test_what_is_proposed_fits(budget: float, often: str):
    """Whatever the budget and however often: within half of it, and the next ε of two digits would not be."""
    plan = proposed(budget, often)
    (release,) = plan.releases
    epsilon = release.mechanism.stated.epsilon
    assert compose(plan, USUAL_DELTA).implies(Guarantee(budget / 2, USUAL_DELTA))
    if epsilon != USUAL_EPSILON:
        assert float(f"{epsilon:.1e}") == pytest.approx(epsilon, rel=1e-15)
        more = Laplace.from_epsilon(next_above(epsilon * 1.001, 2))
        assert compose({more: release.uses}, USUAL_DELTA).epsilon > budget / 2 * (1 - SOLVED)


SOLVED = 2e-3  # noise is solved to within .1 % of its budget, and tight totals to 1e-6


def test_a_weekly_count_within_a_budget_of_two():
    """Which was opened over budget, at ε 0.1 for each of 52 weeks."""
    (weekly,), (monthly,) = proposed(2.0, "weekly").releases, proposed(4.0, "monthly").releases
    assert (weekly.uses, weekly.mechanism.stated.epsilon) == (53, 0.033)
    assert (monthly.uses, monthly.mechanism.stated.epsilon) == (12, USUAL_EPSILON)
