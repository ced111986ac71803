"""An independent accountant as oracle, where its own rounding and its noise floor allow it: delta >= 1e-9."""

import numpy as np
import pytest

from dpviz.composition.renyi import renyi_total
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, Subsampled
from dpviz.privacy_loss import pld_bound
from tests.effort import seeded

peer = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
common = pytest.importorskip("dp_accounting.pld.common")
event = pytest.importorskip("dp_accounting.dp_event")
rdp = pytest.importorskip("dp_accounting.rdp")
STEP = 1e-3


def random_pair(rng, delta, sampled):
    """Return a random mechanism and the peer's law of it."""
    kind, epsilon = rng.integers(5 if sampled else 3), round(10 ** rng.uniform(-1, 0.5), 3)
    sigma, rate = round(10 ** rng.uniform(-0.2, 1.3), 3), round(10 ** rng.uniform(-2, -0.3), 4)
    step = {"value_discretization_interval": STEP}
    if kind == 0:
        return Laplace.from_epsilon(epsilon), peer.from_laplace_mechanism(1 / epsilon, **step)
    if kind == 1:
        return Gaussian(sigma), peer.from_gaussian_mechanism(sigma, log_mass_truncation_bound=-60, **step)
    if kind == 2:
        leak = delta * 1e-4
        return ApproximateDP(epsilon, leak), peer.from_privacy_parameters(
            common.DifferentialPrivacyParameters(epsilon, leak), **step
        )
    if kind == 3:
        law = peer.from_gaussian_mechanism(sigma, sampling_prob=rate, log_mass_truncation_bound=-60, **step)
        return Subsampled(Gaussian(sigma), rate, "poisson"), law
    law = peer.from_laplace_mechanism(1 / epsilon, sampling_prob=rate, **step)
    return Subsampled(Laplace.from_epsilon(epsilon), rate, "poisson"), law


@seeded(20, 50)
def test_random_plans_agree(seed):
    rng = np.random.default_rng(seed)
    delta, counts = 10 ** rng.uniform(-9, -3), rng.integers(1, 60, rng.integers(1, 5))
    pairs = [random_pair(rng, delta, seed % 2) for _ in counts]
    total = pairs[0][1].self_compose(int(counts[0]))
    for (_, law), count in zip(pairs[1:], counts[1:], strict=True):
        total = total.compose(law.self_compose(int(count)))
    reference = total.get_epsilon_for_delta(delta)
    answer = pld_bound([mechanism for mechanism, _ in pairs], counts[None, :], delta).epsilon[0]
    assert answer <= reference * (1 + 1e-6) + 1e-9
    # The peer rounds up, by a step per release at most.
    assert answer >= reference * (1 - 2e-3) - 1.1 * STEP * counts.sum()


def peer_renyi(sigmas, rates, counts, delta):
    """Return the epsilon of the peer's Renyi accountant at its own orders."""
    accountant = rdp.RdpAccountant()
    for sigma, rate, count in zip(sigmas, rates, counts, strict=True):
        noise = event.PoissonSampledDpEvent(float(rate), event.GaussianDpEvent(float(sigma)))
        accountant.compose(event.SelfComposedDpEvent(noise, int(count)))
    return accountant.get_epsilon(delta)


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "delta", "theirs"), [(0.35, 0.01, 120, 1e-5, 22.6249), (1, 1e-3, 30_000, 1e-7, 1.4155)]
)
def test_the_renyi_total_is_no_larger_than_the_peers(sigma, rate, count, delta, theirs):
    assert peer_renyi([sigma], [rate], [count], delta) == pytest.approx(theirs, rel=1e-5)
    assert renyi_total((Subsampled(Gaussian(sigma), rate, "poisson"),), np.array([[count]]), delta)[0][0] < theirs


@seeded(8, 40)
def test_renyi_totals_of_random_plans(seed):
    """Never above the peer, whose orders are a grid, and never below the tight value."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(1, 4)
    sigmas, rates = 10 ** rng.uniform(-0.7, 1, kinds), 10 ** rng.uniform(-5, -0.01, kinds)
    counts, delta = (10 ** rng.uniform(0, 4, kinds)).astype(int), 10 ** rng.uniform(-10, -3)
    mechanisms = [Subsampled(Gaussian(s), q, "poisson") for s, q in zip(sigmas, rates, strict=True)]
    ours = renyi_total(tuple(mechanisms), counts[None, :], delta)[0][0]
    tight, declared = pld_bound(mechanisms, counts[None, :], delta), 1e-3
    assert ours <= peer_renyi(sigmas, rates, counts, delta) * (1 + 1e-9)
    assert ours >= tight.epsilon[0] * (1 - declared) - tight.excess[0]
