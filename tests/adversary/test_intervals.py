"""Clopper-Pearson intervals: against the binomial law itself, and their coverage."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from dpviz.adversary import Estimate
from dpviz.adversary.intervals import clopper_pearson, interval_ends, weighted

OUTWARD = 1e-3  # relative loss of a tail probability from rounding an end outward; largest where 1 - end is 1e-12


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.5, 0.95, 0.99, 1 - 1e-9]))
def test_ends_agree_with_scipy(trials, share, confidence):
    successes = round(share * trials)
    ours = clopper_pearson(successes, trials, confidence)
    theirs = binomtest(successes, trials).proportion_ci(confidence, "exact")
    assert ours.low <= ours.value <= ours.high
    assert ours.low == pytest.approx(theirs.low, rel=1e-6, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(3, 10), (705, 1000), (1, 10**6), (400, 401)])
@pytest.mark.parametrize("confidence", [0.99, 1 - 1e-9])
def test_ends_solve_the_binomial_tails(successes, trials, confidence):
    """At either end, what was seen or more extreme has exactly half of the error probability, or a hair less."""
    low, high = interval_ends(successes, trials, confidence)
    with mpmath.workdps(40):
        tail = (1 - mpmath.mpf(confidence)) / 2
        up = mpmath.betainc(successes, trials - successes + 1, 0, mpmath.mpf(float(low)), regularized=True)
        down = mpmath.betainc(successes + 1, trials - successes, mpmath.mpf(float(high)), 1, regularized=True)
        assert tail * (1 - OUTWARD) <= up <= tail * (1 + 1e-9)
        assert tail * (1 - OUTWARD) <= down <= tail * (1 + 1e-9)


def test_coverage_counted():
    """Summed over every outcome, an interval holds the truth at least as often as it says, for any rate."""
    trials, confidence = 60, 0.95
    outcomes = np.arange(trials + 1)
    low, high = interval_ends(outcomes, trials, confidence)
    weights = np.array([float(mpmath.binomial(trials, int(k))) for k in outcomes])
    for rate in np.linspace(0.001, 0.999, 201):
        law = weights * rate**outcomes * (1 - rate) ** (trials - outcomes)
        assert law[(low <= rate) & (rate <= high)].sum() >= confidence


def test_edges_are_edges():
    none, all_of_them = clopper_pearson(0, 5), clopper_pearson(5, 5)
    assert none.low == 0.0 and none.high < 1 and none.holds(0.0)
    assert all_of_them.high == 1.0 and all_of_them.low > 0 and not all_of_them.holds(0.0)


@pytest.mark.parametrize(
    "arguments", [(1, 0), (-1, 5), (6, 5), (float("nan"), 5), (1, 5, 0.0), (1, 5, 1.0), (1, 5, float("nan")), (1, 2.5)]
)
def test_refused(arguments):
    with pytest.raises(ValueError, match="must be in"):
        clopper_pearson(*arguments)


def test_weighted_mean():
    mixed = weighted((Estimate(0.1, 0.0, 0.2, 7), Estimate(0.9, 0.8, 1.0, 3)), (0.25, 0.75))
    assert (mixed.low, mixed.value, mixed.high) == pytest.approx((0.6, 0.7, 0.8))
    assert mixed.trials == 10
