"""Noise on whole numbers, of several numbers that change at once: never easier to tell than one by their sum."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import DiscreteGaussian, DiscreteLaplace, Gaussian, Plan, Release, compose
from dpviz.plan import Answers
from dpviz.planning.advice import checks

REACH = 14  # numbers on either side that are enumerated; all beyond count against the claim
ROUNDING = 1e-12  # of some thousand sums of doubles


def _masses(kind: type, size: float) -> dict[int, float]:
    gaussian = kind is DiscreteGaussian
    masses = {y: math.exp(-y * y / (2 * size**2) if gaussian else -abs(y) / size) for y in range(-60, 61)}
    total = math.fsum(masses.values())
    return {y: mass / total for y, mass in masses.items()}


def _told_apart(kind: type, size: float, change: tuple[int, ...], epsilon: float) -> float:
    """A lower end of how well a change of several numbers is told, the δ at ε, by all their values near 0."""
    masses = _masses(kind, size)
    total = []
    for values in itertools.product(range(-REACH, REACH + 1), repeat=len(change)):
        here = math.prod(masses[y] for y in values)
        there = math.prod(masses.get(y - by, 0.0) for y, by in zip(values, change, strict=True))
        total.append(max(0.0, here - math.exp(epsilon) * there))
    return math.fsum(total)


@given(
    st.sampled_from([DiscreteGaussian, DiscreteLaplace]),
    st.floats(0.3, 3.0),
    st.sampled_from([(1, -1), (1, 1), (2, -1), (1, 1, 1), (1, -2, 1), (3, 1), (2, 2)]),
    st.floats(0.0, 6.0),
)
def test_a_change_of_several_is_no_easier_to_tell_than_one_of_their_sum(kind, size, change, epsilon):
    """Against the mechanism itself, at every ε: what is enumerated lies below its δ."""
    whole = kind(size, sum(map(abs, change)))
    assert _told_apart(kind, size, change, epsilon) <= float(whole.delta(epsilon)) + ROUNDING


def test_in_l2_several_are_easier_to_tell_than_one():
    """Little noise and four bars that change by one: their L2 norm is 2, and one change by 2 would hide more."""
    masses = _masses(DiscreteGaussian, 0.4)
    overlap = math.fsum(
        min(math.prod(masses[y] for y in values), math.prod(masses[y - 1] for y in values))
        for values in itertools.product(range(-4, 6), repeat=4)
    )
    assert 1 - overlap > float(DiscreteGaussian(0.4, 2).delta(0.0)) + ROUNDING


@pytest.mark.parametrize(("relation", "least"), [("add_remove", 1), ("replace_one", 2)])
def test_a_histogram_with_noise_on_whole_numbers_counts_what_follows(relation: str, least: int):
    """One more in one bar, one less in another: in all by two, which is whole; less that was typed is no total."""
    noise = (DiscreteGaussian(20.0), DiscreteGaussian(20.0, least), DiscreteGaussian(20.0, max(least - 1, 1)))
    open_plan, typed, less = (Plan([Release("ages", each, kind="histogram")], relation=relation) for each in noise)
    assert open_plan.sensitivities[0].value == typed.sensitivities[0].least == least
    bars = Plan([Release("bars", DiscreteGaussian(20.0, 1), least)])
    assert compose(open_plan, 1e-6) == compose(bars, 1e-6), "each bar has noise of its own"
    assert compose(open_plan, 1e-6).epsilon <= compose(typed, 1e-6).epsilon
    assert bool(less.faults) == (least > 1)


@pytest.mark.parametrize("typed", [None, 1.0, 2.0, 3.0])
def test_gaussian_bars_on_whole_numbers_count_their_squares(typed: float | None):
    """Bars that change by s in L2 change by at most s² in all, as whole numbers do."""
    noise = Gaussian(20.0) if typed is None else Gaussian(20.0, typed)
    plan = Plan([Release("ages", noise, kind="histogram")], answers=Answers(whole_numbers=True))
    [press] = [each.mend for each in checks(plan) if each.check == "whole_numbers"]
    assert press.plan.sensitivities[0].value == Fraction(typed or 1) ** 2
