"""Both ends of what a run costs after so many steps, by its scheme; a lower end of 0 claims nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dpviz.mechanisms import Gaussian, Mechanism
from dpviz.mechanisms.batches import DRAWN
from dpviz.mechanisms.laws.allocation import LARGEST_MU, LEAST_MU, MOST_STEPS, allocation_laws
from dpviz.mechanisms.laws.loss_laws import Law
from dpviz.privacy_loss import Bound, law_bound, pld_bound, side_bounds
from dpviz.training.run import TrainingRun
from dpviz.training.shuffled import largest_sum_laws

Bounded = Callable[[TrainingRun, np.ndarray, float], Bound]
_WIDTHS = ((5e-5, 0.03), (5e-3, 0.06), (0.05, 0.12), (1.0, 0.2))  # steps of lattices, up to which accuracy
_ROUGH = 0.01  # accuracy of tests that are tried beside those of the accuracy that is wanted
_SHARED = 0.05  # about by which share ε grows with each addition of sums, over the square of the step


def composed_bound(mechanism: Mechanism, counts: np.ndarray, delta: float, accuracy: float) -> Bound:
    """Return the bound of so many uses each, from below where some data lose as much."""
    found = pld_bound([mechanism], counts[:, None], delta, accuracy)
    if np.isinf(found.epsilon).any():  # the engine holds no sample of next to no noise: read all data instead
        whole = pld_bound([mechanism.base], counts[:, None], delta, accuracy).epsilon
        found = Bound(np.minimum(found.epsilon, whole), lambda: np.zeros(len(counts)))
    return found


def fixed_order_bound(run: TrainingRun, steps: np.ndarray) -> Bound:
    """Return the ends for a record that is used once in each epoch, everybody knows when."""
    passes = -(-steps // run.batches_per_epoch)
    return pld_bound([Gaussian(run.noise_multiplier, 1)], passes[:, None], run.delta)


def allocation_bound(run: TrainingRun, steps: np.ndarray, accuracy: float) -> Bound:
    """Return both ends for records that are each in one batch of every epoch, nobody knows in which."""
    mu, batches = 1 / run.noise_multiplier, run.batches_per_epoch
    known = fixed_order_bound(run, steps)
    if batches == 1:
        return known
    if not LEAST_MU <= mu <= LARGEST_MU:
        return Bound(known.epsilon, lambda: np.zeros(len(steps)))
    epochs, width = (-(-steps // batches), steps // batches), _width(accuracy)
    laws = allocation_laws(min(batches, MOST_STEPS), mu, width)  # more batches never cost more
    found = _of_laws(laws, _hidden(batches, mu, width), epochs, run.delta, accuracy)
    shared = 2 * _SHARED * (1 + batches.bit_length()) * width**2 * found.epsilon  # doubled, as the engine does
    epsilon, estimate = np.minimum(found.epsilon, known.epsilon), found.estimate + shared
    return Bound(epsilon, lambda: np.minimum(found.lower, known.lower), np.minimum(estimate, epsilon))


def shuffled_bound(run: TrainingRun, steps: np.ndarray, accuracy: float) -> Bound:
    """Return the ends for batches shuffled each epoch: that of a known order, and what attackers surely see.

    Above, the record that moves up where one is removed comes from the last batch.
    """
    mu, batches = 1 / run.noise_multiplier, run.batches_per_epoch
    if batches == 1:
        return fixed_order_bound(run, steps)
    mechanism, passes = DRAWN["shuffled"].uses(run, steps)
    known = pld_bound([mechanism], passes[:, None], run.delta)

    def below() -> np.ndarray:
        laws = [*largest_sum_laws(batches, min(mu, 2 * LARGEST_MU)), *_hidden(batches, mu, _width(accuracy))()]
        return np.minimum(_lower(laws, steps // batches, run.delta, accuracy), known.epsilon)

    return Bound(known.epsilon, below, known.estimate)


def _hidden(batches: int, mu: float, width: float) -> Callable[[], Sequence[Law]]:
    """Return what gives laws never above those of a record in a hidden batch of each epoch, among others that add 0."""
    known = LEAST_MU <= mu <= LARGEST_MU and batches <= MOST_STEPS
    return lambda: allocation_laws(batches, mu, width, above=False) if known else ()


def _width(accuracy: float) -> float:
    return next(width for most, width in _WIDTHS if accuracy <= most)


def _of_laws(
    laws: Sequence[Law],
    hidden: Callable[[], Sequence[Law]] | None,
    epochs: tuple[np.ndarray, np.ndarray],
    delta: float,
    accuracy: float,
) -> Bound:
    """Return the worse of both directions above, and of laws that are never worse below, where there are some.

    Above, an epoch that is begun counts as a whole one; below as none, since a record may wait for the rest of it.
    """
    begun, whole = epochs
    found = side_bounds([[law] for law in laws], begun[:, None], delta, accuracy)
    epsilon = np.max([each.epsilon for each in found], axis=0)
    estimate = np.max([each.estimate for each in found], axis=0)

    def below() -> np.ndarray:
        return np.minimum(_lower(hidden() if hidden else (), whole, delta, accuracy), epsilon)

    return Bound(epsilon, below, estimate)


def _lower(laws: Sequence[Law], counts: np.ndarray, delta: float, accuracy: float) -> np.ndarray:
    """Return the largest of what laws surely lose, each composed by itself; 0 where there is none.

    A test on a fine grid may be sought in vain where one on a rough grid is found at once: the better of both stands.
    """
    tries = {accuracy, max(accuracy, _ROUGH)}
    some = np.maximum(counts, 1)[:, None]
    found = [law_bound([law], some, delta, each).lower for law in laws for each in tries]
    return np.where(counts > 0, np.max([np.zeros(len(counts)), *found], axis=0), 0.0)
