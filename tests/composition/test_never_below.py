"""No theorem is quoted below what is surely lost: wrong ones are put in, and every answer stays what it was, or inf."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpviz import (
    Declared,
    Exponential,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    compare,
    compose,
    epsilon_curve,
    max_count,
)
from dpviz.composition import THEOREMS, calibrate, theorem_named
from dpviz.composition.compose import BELOW, smallest_total, smallest_totals
from dpviz.filters.adaptivity import fixed_totals
from dpviz.filters.queries import Queries
from dpviz.mechanisms import subsampled
from dpviz.plan.workload import Workload
from dpviz.privacy_loss import Bound, PrivacyLoss

DELTA = 1e-6
ACCURACY = 2e-6  # relative: the excess that a quoted total may have, twice
LAPLACE = {Laplace.from_epsilon(0.1): 100}
SAMPLED = {Subsampled(RandomizedResponse(0.5), 0.5, "poisson"): 100}


@pytest.fixture
def wrong():
    """A function that makes theorems say `share` of what they prove, by their keys, until the test ends."""
    undo: list[Callable[[], None]] = []

    def put(*keys: str, share: float = 0.5) -> None:
        for key in keys:
            record = theorem_named(key)
            for name in ("bound", "measured"):
                if (right := getattr(record, name)) is not None:
                    undo.append(lambda record=record, name=name, right=right: object.__setattr__(record, name, right))
                    object.__setattr__(record, name, scaled(right, share))

    yield put
    for each in undo:
        each()


def scaled(right, share):
    def bound(*arguments):
        found = right(*arguments)
        return Bound(found.epsilon * share, lambda: found.lower) if isinstance(found, Bound) else found * share

    return bound


def test_a_wrong_theorem_is_not_quoted(wrong):
    """Nor does it clip tight accounting, which is what stands."""
    right, budget = compose(LAPLACE, DELTA), Guarantee(1.0, DELTA)
    counts = max_count(Laplace.from_epsilon(0.1), budget)
    scale, curve = calibrate(Laplace, 10, budget).scale, epsilon_curve(LAPLACE, [1, 5], DELTA, ["pld"]).epsilon
    wrong("basic", "kov", "rdp", share=0.01)
    frame = compare(LAPLACE, DELTA).set_index("theorem")
    assert not frame.applies[["basic", "kov", "rdp"]].any()
    assert set(frame.reason[["basic", "kov", "rdp"]]) == {BELOW} and np.isinf(frame.epsilon["rdp"])
    assert frame.applies[["pld", "optimal", "zcdp"]].all()
    assert compose(LAPLACE, DELTA) == right and smallest_total(LAPLACE, DELTA).epsilon == right.epsilon
    assert smallest_totals(Workload.of(LAPLACE), DELTA) == pytest.approx(right.epsilon, rel=1e-3)
    assert max_count(Laplace.from_epsilon(0.1), budget) == pytest.approx(counts, abs=1)
    assert calibrate(Laplace, 10, budget).scale == pytest.approx(scale, rel=ACCURACY)
    all_of_it = epsilon_curve(LAPLACE, [1, 5], DELTA).pivot(index="count", columns="theorem", values="epsilon")
    assert np.all(all_of_it.min(axis=1).to_numpy() >= curve.to_numpy() * (1 - ACCURACY))
    assert fixed_totals(Queries.of_pairs([0.1] * 100), [100], DELTA)[0] >= right.epsilon


@pytest.mark.parametrize("beside", [Declared.zcdp(1e-12), Exponential(1e-6)], ids=str)
def test_a_wrong_curve_does_not_clip_what_only_stands_in(beside, monkeypatch):
    """Where theorems by curves clip a total, its lower end is that of the releases whose losses are known."""
    surely = PrivacyLoss.of(SAMPLED).epsilon_bracket(DELTA).lower
    right = compose(SAMPLED | {beside: 1}, DELTA).epsilon
    own = subsampled.sampled_rdp
    monkeypatch.setattr(subsampled, "sampled_rdp", lambda *arguments: own(*arguments) * 0.6)
    frame = compare({**SAMPLED, Laplace(7.0): 1}, DELTA).set_index("theorem")
    assert frame.reason["rdp"] == BELOW
    assert surely * (1 - ACCURACY) <= compose(SAMPLED | {beside: 1}, DELTA).epsilon
    assert surely <= right


def test_where_all_are_wrong_there_is_no_number(wrong):
    """Gaussian noise and the largest losses are known in closed form, whatever the theorems say."""
    wrong(*(theorem.key for theorem in THEOREMS), share=1e-6)
    for plan in ({Gaussian(1.0): 4, Laplace(3.0): 2}, {RandomizedResponse(4.0): 3}):
        total = smallest_total(plan, DELTA)
        assert (total.epsilon, total.theorem, total.reason) == (math.inf, None, BELOW)
        assert compose(plan, DELTA).epsilon == math.inf
        frame = compare(plan, DELTA)
        assert np.isinf(frame.epsilon).all() and not frame.applies.any()
        assert np.isinf(epsilon_curve(plan, [1, 2], DELTA).epsilon).all()


def test_each_part_is_held_against_its_own_loss(wrong):
    wrong("basic", share=0.1)
    parts = [Release("north", Laplace(1.0, 1), part="north"), Release("south", Gaussian(0.5, 1), part="south")]
    plan = Plan(parts, Guarantee(10, DELTA))
    assert compose(plan).epsilon >= PrivacyLoss.of(plan).epsilon_bracket(DELTA).lower
