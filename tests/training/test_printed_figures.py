"""Figures that others have printed: of papers whose text was found, and of the library that their authors keep.

What was looked for and not found in print, since papers show it in plots alone or only their abstracts were at hand, is
listed in docs/explanation/training.md.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.training import (
    TrainingRun,
    allocation_laws,
    participation_sensitivity,
    smallest_noise,
    training_cost,
)
from tests.effort import examples

# Records and batches give the rate of 0.1 that the docstring of jax_privacy.accounting has.
JAX = {"records": 1000, "batch_size": 100, "delta": 1e-6}
BANDED = np.array([[1.0, 0, 0, 0], [2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, -6]])


def test_the_docstring_of_jax_privacy():
    """Three figures of its accounting: ε of 512 steps, the noise for ε = 1, and the most steps for ε = 2."""
    assert round(training_cost(TrainingRun(noise_multiplier=3.0, steps=512, **JAX)).epsilon, 2) == 3.77
    found = smallest_noise(TrainingRun(noise_multiplier=1.0, steps=512, **JAX), 1.0)
    assert round(found.noise_multiplier, 2) == 9.66
    fits, beyond = (TrainingRun(noise_multiplier=3.0, steps=steps, **JAX) for steps in (155, 156))
    assert training_cost(fits).epsilon <= 2.0 < training_cost(beyond).epsilon


@pytest.mark.parametrize(
    ("matrix", "separation", "uses", "printed"),
    [
        (BANDED, 2, 1, 6.0),
        (BANDED, 2, 4, math.sqrt(5 + 36)),
        (BANDED, 3, 4, math.sqrt(5 + 36)),
        (np.diag([0.0, 3, 0, 1, 2]), 2, 5, math.sqrt(3**2 + 2**2)),
        (np.diag([0.0, 3, 0, 1, 2]), 2, 1, 3.0),
        (np.eye(16), 2, 8, math.sqrt(8)),
        (np.array([[1.0, 0, 0], [2, 1, 0], [0, 1, 1]]), 3, 1, math.sqrt(5)),
    ],
)
def test_sensitivities_of_banded_matrices(matrix, separation, uses, printed):
    """Of arXiv 2306.08153, as tests/matrix_factorization/sensitivity_test.py of jax_privacy has them."""
    found = participation_sensitivity(matrix, separation, uses)
    assert printed * (1 - 1e-15) <= found <= printed * (1 + 1e-12)


def moment(batches: int, mu: float, order: int) -> float:
    """E Sᵒʳᵈᵉʳ of the mean S of lognormals: a batch that is drawn c times of `order` counts exp(μ²(c² - c)/2)."""
    sums = np.zeros(order + 1)
    sums[0] = 1.0
    own = np.array([math.exp(mu**2 * (c * c - c) / 2) / math.factorial(c) for c in range(order + 1)])
    for _ in range(batches):
        sums = np.convolve(sums, own)[: order + 1]
    return float(sums[order] * math.factorial(order) / float(batches) ** order)


@given(st.integers(1, 60), st.floats(0.2, 1.2), st.integers(2, 6))
@examples(12)
def test_moments_of_random_allocation(batches, mu, order):
    """Of whole orders the divergence on removing a record is a finite sum, summed here without it."""
    exact = math.log(moment(batches, mu, order))
    ends = [allocation_laws(batches, mu, 0.06, above)[0] for above in (False, True)]
    below, above = (float(np.logaddexp.reduce(law.log_masses + (order - 1) * law.losses)) for law in ends)
    cut = 1e-9  # tails that are cut weigh more in a moment than in δ
    assert below <= exact + cut and exact <= above + cut
    assert above - below <= 0.02 * exact + cut  # the width of the lattices


@pytest.mark.parametrize(("batches", "sigma"), [(100, 1.0), (1000, 0.8), (1000, 2.0)])
def test_random_allocation_beside_poisson(batches, sigma):
    """Thm 4.3 of arXiv 2502.08202 prints a factor of about 1.6 = e/(e - 1) below ε = 1, and 10 % as what is seen."""
    run = {"records": 10 * batches, "batch_size": 10, "noise_multiplier": sigma, "delta": 1e-6, "epochs": 1}
    poisson, allocated = (training_cost(TrainingRun(scheme=key, **run), 1e-3) for key in ("poisson", "allocation"))
    assert allocated.lower <= math.e / (math.e - 1) * poisson.epsilon
    assert allocated.lower <= 1.1 * poisson.epsilon
