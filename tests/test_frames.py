"""The core's frames as snapshots, at six significant digits: a change in any number is seen and explained."""

import pytest

from dpviz import Plan, compare, epsilon_curve
from dpviz.composition.crossings import crossings

EXAMPLES = ("mobility", "mobility-30-days", "lecture-11", "sherpa-notebook")


def six_digits(frame) -> str:
    """A frame as text, numbers at six significant digits."""
    return frame.to_csv(index=False, float_format="%.6g")


@pytest.fixture
def example(root):
    return lambda name: Plan.read(root / "examples" / f"{name}.json")


@pytest.mark.parametrize("name", EXAMPLES)
def test_compare(name, example, snapshot):
    plan = example(name)
    columns = ["theorem", "epsilon", "delta", "kind", "applies", "reason"]
    assert six_digits(compare(plan, plan.budget.delta)[columns]) == snapshot


@pytest.mark.parametrize("name", EXAMPLES)
def test_curve(name, example, snapshot):
    plan = example(name)
    assert six_digits(epsilon_curve(plan, [0, 1, 2, 10, 100], plan.budget.delta)) == snapshot


def test_crossings(example, snapshot):
    assert six_digits(crossings(example("lecture-11"), 1e-6)) == snapshot
