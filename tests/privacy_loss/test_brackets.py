"""Certified ends never contradict each other: at any accuracy, in both variables, under counts, beside the theorems."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.composition.pairs import PAIR_THEOREMS
from dpviz.composition.renyi import RENYI_THEOREMS
from dpviz.mechanisms import Gaussian, Laplace, Subsampled
from dpviz.privacy_loss import PrivacyLoss, pld_bound
from tests.effort import examples
from tests.strategies import EPSILONS, MECHANISMS, SIGMAS, WHOLE_DELTAS

RATES = st.floats(-6, -1e-3).map(lambda power: float(f"{10**power:.6g}"))
SAMPLED = st.builds(
    Subsampled,
    st.one_of(SIGMAS.map(Gaussian), EPSILONS.map(Laplace.from_epsilon)),
    RATES,
    st.just("poisson"),
)
COUNTS = st.one_of(st.integers(1, 4), st.floats(0, 6).map(lambda power: int(10**power)))
PLANS = st.lists(st.tuples(st.one_of(MECHANISMS, SAMPLED), COUNTS), min_size=1, max_size=2)
ACCURACIES = st.sampled_from([1e-2, 1e-3, 1e-4, 1e-5])


def split(plan):
    return [mechanism for mechanism, _ in plan], np.array([[count for _, count in plan]])


@examples(10)
@given(PLANS, WHOLE_DELTAS, ACCURACIES, ACCURACIES)
def test_brackets_of_two_accuracies_meet(plan, delta, one, other):
    mechanisms, counts = split(plan)
    bounds = [pld_bound(mechanisms, counts, delta, accuracy) for accuracy in {one, other}]
    for bound in bounds:
        assert 0 <= bound.lower[0] <= bound.epsilon[0]
        assert bound.lower[0] <= min(each.epsilon[0] for each in bounds)


@examples(10)
@given(PLANS, WHOLE_DELTAS, ACCURACIES)
def test_epsilon_and_delta_agree(plan, delta, accuracy):
    mechanisms, counts = split(plan)
    loss = PrivacyLoss(mechanisms, counts, accuracy)
    ends = loss.epsilon_bracket(delta)
    if np.isfinite(ends.upper):
        assert loss.delta_bracket(ends.upper).lower <= delta
    if 0 < ends.lower < np.inf:
        # Just below the lower end delta is larger than allowed, so that no upper end of it may be smaller.
        assert loss.delta_bracket(ends.lower * (1 - 1e-12)).upper >= delta


@examples(10)
@given(PLANS, st.lists(st.floats(0, 60), min_size=1, max_size=5), ACCURACIES, ACCURACIES)
def test_brackets_of_delta_meet(plan, epsilon, one, other):
    mechanisms, counts = split(plan)
    ends = [PrivacyLoss(mechanisms, counts, accuracy).delta_bracket(np.array(epsilon)) for accuracy in {one, other}]
    for each in ends:
        assert np.all((each.lower >= 0) & (each.upper <= 1))
        assert np.all(each.lower <= np.minimum(ends[0].upper, ends[-1].upper))


@examples(10)
@given(PLANS, st.integers(0, 1000), WHOLE_DELTAS, ACCURACIES, ACCURACIES)
def test_who_releases_more_loses_no_less(plan, more, delta, one, other):
    mechanisms, counts = split(plan)
    fewer = pld_bound(mechanisms, counts, delta, one)
    longer = pld_bound(mechanisms, counts + more * (np.arange(counts.size) == 0), delta, other)
    assert fewer.lower[0] <= longer.epsilon[0]


@given(PLANS, WHOLE_DELTAS)
def test_no_theorem_is_below_the_lower_end(plan, delta):
    mechanisms, counts = split(plan)
    assume(not any(mechanism.sampled for mechanism in mechanisms))
    lower = pld_bound(mechanisms, counts, delta, 1e-4).lower[0]
    for theorem in (*PAIR_THEOREMS, *RENYI_THEOREMS):
        if not theorem.reason(tuple(mechanisms), delta):
            assert lower * (1 - 1e-12) <= theorem.bound(tuple(mechanisms), counts, delta)[0]


@examples(6)
@given(st.one_of(MECHANISMS, SAMPLED), WHOLE_DELTAS, ACCURACIES)
def test_a_curve_never_falls(mechanism, delta, accuracy):
    counts = np.unique(np.geomspace(1, 3000, 12).astype(int))[:, None]
    bound = pld_bound([mechanism], counts, delta, accuracy)
    finite = bound.epsilon[np.isfinite(bound.epsilon)]
    assert np.all(np.diff(finite) >= 0)
    assert np.all(np.isinf(bound.epsilon[len(finite) :]))


@pytest.mark.parametrize("delta", [1e-20, 1.3e-24])
def test_where_one_large_loss_decides_a_finer_accuracy_is_no_worse(delta):
    """Rare sampling at a tiny δ: once 1e-3 gave 28 % less than 1e-8, and the curve fell."""
    mechanism, counts = Subsampled(Gaussian(1.789), 2.78e-4, "poisson"), np.array([[300], [734], [1147]])
    rough, fine = (pld_bound([mechanism], counts, delta, accuracy).epsilon for accuracy in (1e-3, 1e-8))
    assert np.all(fine <= rough * (1 + 2e-3))
    assert np.all(np.diff(fine) >= 0)
