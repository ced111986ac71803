"""Figures that others have printed: of papers whose text was found, and of the library that their authors keep.

What was looked for and not found in print, since papers show it in plots alone or only their abstracts were at hand, is
listed in docs/explanation/training.md.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz.mechanisms.batches import scheme_drawn
from dpviz.privacy_loss import pld_bound
from dpviz.training import (
    TrainingRun,
    allocation_laws,
    epsilon_over_epochs,
    participation_sensitivity,
    smallest_noise,
    training_cost,
)
from tests.effort import examples

# Records and batches give the rate of 0.1 that the docstring of jax_privacy.accounting has.
JAX = {"records": 1000, "batch_size": 100, "delta": 1e-6}
BANDED = np.array([[1.0, 0, 0, 0], [2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, -6]])
# Noise multiplier, epochs; of shuffled batches what the pair of arXiv 2403.17673 and 2411.04205 surely loses, rounded
# down, and what suffices of Poisson batches and of a known order, rounded up: at δ = 1e-8, 1000 batches an epoch.
CERTIFIED = """
1 1 5.106 0.306 5.77610 | 1 2 5.538 0.363 8.53379 | 1 3 5.885 0.414 10.77586 | 1 5 6.423 0.507 14.55021
1 10 7.354 0.697 22.17344 | 1 20 8.646 0.982 34.45138
2 1 0.257 0.081 2.70761 | 2 2 0.289 0.114 3.94247 | 2 3 0.310 0.140 4.92507 | 2 5 0.338 0.182 6.54266
2 10 0.383 0.260 9.69785 | 2 20 0.438 0.372 14.55021
"""
STEP, SIZE = 1e-3, 1 << 17  # of a grid of losses, and how many points it has


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


@pytest.mark.parametrize("sigma", [1, 2])
def test_a_table_of_shuffled_and_poisson_batches(sigma):
    """Table I of "Certified Accounting for Adaptive Shuffled Gaussian Training", by exact rationals: all its rows.

    As certificate/check_paper_numbers.py of SamMausberg/adaptive-shuffled-gaussian-accounting has them.
    """
    rows = [list(map(float, row.split())) for row in CERTIFIED.replace("\n", " | ").split("|") if row.strip()]
    printed = np.array([row[1:] for row in rows if row[0] == sigma])
    run = TrainingRun(records=1000, batch_size=1, noise_multiplier=sigma, delta=1e-8, epochs=1)
    lost = epsilon_over_epochs(run, printed[:, 0], ["shuffled"], True, 1e-3).lower
    poisson, known = (epsilon_over_epochs(run, printed[:, 0], [key], accuracy=1e-4).epsilon
                      for key in ("poisson", "fixed_order"))  # fmt: skip
    pairs = (lost, printed[:, 1], 0.01), (-poisson, -printed[:, 2], 2e-3), (-known, -printed[:, 3], 1e-5)
    for found, figures, room in pairs:  # as good as printed, and no better than what its last digit and its grid leave
        assert (figures <= found).all() and (found <= figures + room).all()


def spread(log_p: np.ndarray, log_q: np.ndarray, width: float) -> np.ndarray:
    """The law of ln(P/Q) under P on a grid, densities given so far apart: means of exp(-loss) are kept."""
    losses, masses = log_p - log_q, np.exp(log_p) * width
    lower = np.floor(losses / STEP)
    share = np.expm1(lower * STEP - losses) / np.expm1(-STEP)
    at = lower.astype(int)
    return np.bincount(at % SIZE, masses * (1 - share), SIZE) + np.bincount((at + 1) % SIZE, masses * share, SIZE)


def test_cut_batches_of_dp_accounting():
    """Of arXiv 2508.15089: ε = 17.904330 at δ = 1e-6, of 3 steps on 4 records and 2 on 3, half of them drawn, 2 kept.

    As pld/pld_privacy_accountant_test.py of dp-accounting 0.6.0 has it, which takes both neighbours' batches as
    mixtures where one is cut: never better than what is proved here, with the same probability and the same rate.
    """
    steps = [scheme_drawn("truncated_poisson").uses(TrainingRun(n, n / 2, 1.0, 1e-6, steps=1, largest_batch=2), 1)[0]
             for n in (4, 3)]  # fmt: skip
    x, width = np.linspace(-14, 14, SIZE, retstep=True)
    none, one, both = norm.logpdf(x), norm.logpdf(x, 1), (norm.logpdf(x, place, 0.5) for place in (0, 1))
    none_there, there = both
    transforms = []
    for step in steps:
        mixed = np.logaddexp(none, one) - math.log(2)
        moved = np.logaddexp(math.log1p(-step.crowded.rate) + none_there, math.log(step.crowded.rate) + there)
        law = (1 - step.cut) * spread(mixed, none, width) + step.cut * spread(moved, moved[::-1], width)
        transforms.append(np.fft.rfft(law))
    masses = np.fft.irfft(transforms[0] ** 3 * transforms[1] ** 2, SIZE)
    losses = STEP * ((np.arange(SIZE) + SIZE // 2) % SIZE - SIZE // 2)
    below, above = (float(masses @ -np.expm1(np.minimum(each - losses, 0))) for each in (17.90432, 17.90434))
    assert above <= 1e-6 <= below
    assert pld_bound(steps, [[3, 2]], 1e-6).epsilon[0] <= 17.904330


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
