"""dpviz and dp-accounting side by side in one process: the same work, both times, and how far apart the answers are.

Run ``python benchmarks/accountants.py``; ``--quick`` takes tiny sizes and only shows that everything still runs.
"""

import argparse
import time
import tracemalloc
from functools import partial

import dp_accounting
import numpy as np
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as peer
from dp_accounting.rdp import RdpAccountant

from dpviz.composition.renyi import renyi_total
from dpviz.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    Subsampled,
)
from dpviz.privacy_loss import PrivacyLoss, pld_bound


def timed(function, times):
    """Return the least time of several calls, in seconds, and the last result."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def curve(mechanism, largest, delta, accuracy):
    """Return the tight epsilon of 1 to `largest` uses."""
    return pld_bound([mechanism], np.arange(1, largest + 1)[:, None], delta, accuracy).epsilon


def peer_curve(law, largest, delta):
    """Return the peer's epsilon of 1 to `largest` uses, composed one by one as its users do."""
    return np.array([law.self_compose(count).get_epsilon_for_delta(delta) for count in range(1, largest + 1)])


def discrete(step):
    """Return name, mechanism, the peer's law, delta and accuracy of what has whole numbers or few values as outputs."""
    whole = peer.from_discrete_laplace_mechanism(0.1, sensitivity=3, value_discretization_interval=step)
    tables = peer.from_discrete_gaussian_mechanism(10.0, value_discretization_interval=step)
    told = 10 / (10 + np.expm1(0.5))  # the share of answers that are drawn at random
    answers = peer.from_randomized_response(told, 10, value_discretization_interval=step)
    return (
        ("discrete Laplace, Δ = 3", DiscreteLaplace(10, 3), whole, 1e-6, 1e-6),
        ("discrete Gaussian", DiscreteGaussian(10), tables, 1e-6, 1e-6),
        ("randomized response, k = 10", KaryRandomizedResponse(0.5, 10), answers, 1e-6, 1e-6),
    )


def curves(largest, step):
    """Yield name, our function and the peer's, for whole curves."""
    pair = common.DifferentialPrivacyParameters(0.1, 1e-9)
    laplace = peer.from_laplace_mechanism(10, value_discretization_interval=step)
    box = peer.from_privacy_parameters(pair, value_discretization_interval=step)
    sampled = peer.from_gaussian_mechanism(1.0, sampling_prob=0.01, value_discretization_interval=step / 10)
    shifted = peer.from_gaussian_mechanism(10.0, value_discretization_interval=step)
    poisson = Subsampled(Gaussian(1.0), 0.01, "poisson")
    cases = (
        ("Laplace 0.1, 1e-6", Laplace(10), laplace, 1e-6, 1e-6),
        ("subsampled Gaussian, 1e-4", poisson, sampled, 1e-5, 1e-4),
        ("Gaussian", Gaussian(10), shifted, 1e-6, 1e-6),
        ("black box", ApproximateDP(0.1, 1e-9), box, 1e-6, 1e-6),
        *discrete(step),
    )
    for name, mechanism, law, delta, accuracy in cases:
        yield (
            f"curve, {name}",
            partial(curve, mechanism, largest, delta, accuracy),
            partial(peer_curve, law, largest, delta),
        )
    once = lambda: pld_bound([Laplace(10)], [[100]], 1e-6, 1e-4).epsilon  # noqa: E731
    yield (
        "one (k, delta), Laplace k=100",
        once,
        lambda: np.array([laplace.self_compose(100).get_epsilon_for_delta(1e-6)]),
    )


def peer_renyi(event, count, delta):
    """Return the peer's epsilon by Rényi composition at its own orders."""
    accountant = RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    return np.array([accountant.compose(event, count).get_epsilon(delta)])


def renyi_rows():
    """Yield name, our function and the peer's, for the Rényi row; without replacement beside our own tight row."""
    for sigma, rate, count in ((1.0, 0.01, 1000), (0.35, 0.01, 120), (5.0, 1e-3, 30_000)):
        poisson = Subsampled(Gaussian(sigma), rate, "poisson")
        fixed = Subsampled(Gaussian(sigma), rate, "without_replacement")
        event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
        counts = np.array([[count]])
        what = f"σ={sigma:g}, q={rate:g}, k={count}"
        yield (
            f"Rényi row, Poisson, {what}",
            lambda poisson=poisson, counts=counts: renyi_total((poisson,), counts, 1e-6)[0],
            partial(peer_renyi, event, count, 1e-6),
        )
        yield (
            f"Rényi row beside the tight one, without replacement, {what}",
            lambda fixed=fixed, counts=counts: renyi_total((fixed,), counts, 1e-6)[0],
            lambda fixed=fixed, counts=counts: pld_bound([fixed], counts, 1e-6).epsilon,
        )


def mixed_plan(step):
    """Return mechanisms, counts and the peer's laws of a plan of 20 releases, 371 uses."""
    rng = np.random.default_rng(0)
    mechanisms, laws = [], []
    for index in range(20):
        epsilon = round(float(rng.uniform(0.01, 0.5)), 3)
        sigma = round(float(rng.uniform(3, 30)), 2)
        if index % 3 == 0:
            mechanisms.append(Laplace.from_epsilon(epsilon))
            laws.append(peer.from_laplace_mechanism(1 / epsilon, value_discretization_interval=step))
        elif index % 3 == 1:
            mechanisms.append(Gaussian(sigma))
            laws.append(peer.from_gaussian_mechanism(sigma, value_discretization_interval=step))
        else:
            pair = common.DifferentialPrivacyParameters(epsilon, 1e-10)
            mechanisms.append(ApproximateDP(epsilon, 1e-10))
            laws.append(peer.from_privacy_parameters(pair, value_discretization_interval=step))
    counts = np.append(rng.multinomial(351 - 19, np.ones(19) / 19), 19) + 1
    return mechanisms, counts, laws


def composed(laws, counts):
    """Return the peer's law of a plan."""
    total = laws[0].self_compose(int(counts[0]))
    for law, count in zip(laws[1:], counts[1:], strict=True):
        total = total.compose(law.self_compose(int(count)))
    return total


def plans(largest, step):
    """Yield name, our function and the peer's, for a mixed plan."""
    mechanisms, counts, laws = mixed_plan(step)
    loss, whole = PrivacyLoss(mechanisms, counts[None, :], 1e-4), composed(laws, counts)
    epsilons = np.linspace(0.0, 40.0, 200)
    ours = lambda: pld_bound(mechanisms, counts[None, :], 1e-6, 1e-4).epsilon  # noqa: E731
    yield (
        f"plan of 20 releases, {counts.sum()} uses",
        ours,
        lambda: np.array([composed(laws, counts).get_epsilon_for_delta(1e-6)]),
    )
    yield (
        "delta at 200 epsilon, same plan",
        lambda: loss.delta(epsilons),
        lambda: np.array([whole.get_delta_for_epsilon(float(e)) for e in epsilons]),
    )
    sampled = [Subsampled(Gaussian(sigma), rate, "poisson") for sigma, rate in ((1.0, 0.01), (2.0, 0.05), (4.0, 0.001))]
    mixed = [*sampled, Gaussian(20.0), Laplace.from_epsilon(0.01)]
    steps = np.arange(1, largest + 1)[:, None] * [3, 1, 10, 1, 1]
    curve = lambda: pld_bound(mixed, steps, 1e-6, 1e-4).epsilon  # noqa: E731
    yield f"{largest} counts of three sampled Gaussians beside two others (no peer)", curve, None
    fewer = np.arange(1, max(largest // 5, 1) + 1)[:, None] * counts
    script = lambda: pld_bound(mechanisms, fewer, 1e-6, 1e-4).epsilon  # noqa: E731
    yield f"{len(fewer)} counts of the plan (no peer)", script, None


def row(name, ours, theirs, times):
    """Print one line of the table."""
    seconds, answer = timed(ours, times)
    if theirs is None:
        print(f"| {name} | {seconds * 1e3:.1f} ms | | | |")
        return
    slower, reference = timed(theirs, 1)
    finite = np.isfinite(reference) & np.isfinite(answer) & (np.abs(reference) > 1e-12)
    apart = np.max(answer[finite] / reference[finite] - 1, initial=-1.0)
    print(
        f"| {name} | {seconds * 1e3:.1f} ms | {slower * 1e3:.0f} ms | {slower / seconds:.0f}x | {apart:+.1e} |",
        flush=True,
    )


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    parser.add_argument("--step", type=float, default=1e-3, help="the peer's grid step; its default is 1e-4")
    options = parser.parse_args()
    largest, times = (5, 1) if options.quick else (1000, 3)
    step = options.step * (10 if options.quick else 1)
    print("| work | dpviz | dp-accounting | ratio | most above the peer |\n|---|---|---|---|---|")
    for case in (*curves(largest, step), *renyi_rows(), *plans(largest, step)):
        row(*case, times)
    tracemalloc.start()
    curve(Subsampled(Gaussian(1.0), 0.01, "poisson"), largest, 1e-5, 1e-6)
    print(f"\npeak memory of one subsampled curve at accuracy 1e-6: {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
