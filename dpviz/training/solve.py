"""A run from its budget: the smallest noise, the most epochs, the largest batch, the smallest batch for an accuracy.

What is returned was tried, and costs no more than the budget by a proved bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING
from functools import cache

import numpy as np

from dpviz.mechanisms import POSITIVE_EPSILON
from dpviz.mechanisms.batches import ALIKE, DRAWN
from dpviz.mechanisms.laws.gaussian_profile import gaussian_mu
from dpviz.mechanisms.mechanism import in_digits
from dpviz.parameters import Parameter
from dpviz.privacy_loss import Bound, law_bound
from dpviz.search import first_beyond, last_count, least_within, likely_scale
from dpviz.training.cost import refusal
from dpviz.training.run import TrainingRun
from dpviz.training.schemes import Scheme

ROUGH, NEAR, CLOSER = 0.02, 3e-4, 1e-3  # of those that lead there, of the last of them, of what may decide
_ROUGHEST = 0.1  # of those that lead there, where a law must be built for each
PRECISION = 5e-5  # of the totals that decide
WINDOW = 1e-4  # of the budget that may be left
MOST_EPOCHS = 100_000
_FEW_EPOCHS = 1000  # up to which two of them differ by so much that a rough total decides
_SURELY = 2.0  # times what is estimated of an excess, which is doubled already: more it is not
_MORE = 0.4  # times what is estimated, a rough total is about larger than one that decides, which adds something, too
_STEEPNESS = 1.8  # about by which power of the noise a total falls
NOISE_OF_MEAN = Parameter(
    "noise_of_mean", "", "deviation of the noise in a mean gradient", 0, math.inf, open_low=True, open_high=True
)


def smallest_noise(run: TrainingRun, epsilon: float) -> TrainingRun:
    """Return the run with the smallest noise multiplier at which it costs no more than `epsilon`.

    Parameters
    ----------
    run : TrainingRun
        Its own noise multiplier plays no part.
    epsilon : float
        In (0, inf).

    Raises
    ------
    ValueError
        When no guarantee is known of the run, or no noise is found that suffices.

    Notes
    -----
    The cost lies at most 1e-4 of the budget below it, or a noise smaller by a share of 5e-5 costs more.

    Examples
    --------
    >>> run = smallest_noise(TrainingRun(60_000, 256, 1.0, 1e-5, epochs=30), 3.0)
    >>> print(f"{run.noise_multiplier:.3f}")
    0.818
    """
    scheme, limit = _solvable(run, epsilon)

    def noisy(scale: float) -> TrainingRun:
        return replace(run, noise_multiplier=scale)

    def roughly(scale: float, accuracy: float = ROUGH) -> float:
        return _roughly(scheme, noisy(scale), limit, accuracy)

    def total(scale: float) -> float:
        return float(_bound(scheme, noisy(scale), PRECISION).epsilon[0])

    start, aim, power = _likely_noise(scheme, run, limit)
    start, steepness = likely_scale(roughly, start, aim, power)
    nearly = roughly(start, NEAR)
    if 0.9 * aim < nearly < 1.1 * aim:
        start *= (nearly / aim) ** (1 / steepness)
    found = least_within(total, start, limit, PRECISION, WINDOW, steepness)
    if found is None:
        raise ValueError(f"epsilon must be within reach of some noise; got {epsilon!r}")
    return replace(run, noise_multiplier=in_digits(found, ROUND_CEILING))  # more noise costs no more


def most_epochs(run: TrainingRun, epsilon: float) -> int:
    """Return the most whole epochs after which the run costs no more than `epsilon`, at most 100,000; 0 if none.

    Examples
    --------
    >>> most_epochs(TrainingRun(60_000, 256, 1.0, 1e-5, epochs=1, scheme="fixed_order"), 10.0)
    4
    """
    scheme, limit = _solvable(run, epsilon)

    def during(epochs: float) -> TrainingRun:
        return replace(run, epochs=epochs, steps=None)

    def total(epochs: np.ndarray) -> np.ndarray:
        steps = np.array([run.steps_of(float(each)) for each in epochs], dtype=np.int64)
        return scheme.bound(run, steps, PRECISION).epsilon

    begun = 1 / max(1, min(run.passes, MOST_EPOCHS))
    shorter, _ = likely_scale(lambda share: _roughly(scheme, during(min(1 / share, 1e9)), limit), begun, limit, 0.6)
    guess = int(min(max(1 / shorter, 1), MOST_EPOCHS))
    if guess <= _FEW_EPOCHS:
        return last_count(lambda epochs: _within(scheme, during(epochs), limit), MOST_EPOCHS, guess)
    beyond = first_beyond(total, limit, MOST_EPOCHS, guess)
    return MOST_EPOCHS if beyond is None else beyond - 1


def largest_batch(run: TrainingRun, epsilon: float) -> int:
    """Return the largest batch with which the run, its epochs or steps kept, costs no more than `epsilon`; 0 if none.

    Notes
    -----
    One record more costs more than the budget. Where epochs are kept, the cost falls a little wherever an epoch has
    one batch less: the next such batch costs more, too, but some yet larger one may fit once more.

    Examples
    --------
    >>> largest_batch(TrainingRun(2_000, 100, 2.0, 1e-5, epochs=5), 1.0)
    84
    """
    scheme, limit = _solvable(run, epsilon)

    def tried(batch: float) -> TrainingRun:
        return replace(run, batch_size=batch)

    @cache
    def fits(batch: int) -> bool:
        return _within(scheme, tried(batch), limit)

    most = _most_in_a_batch(run)
    start = most / run.batch_size
    guess = _expected_batch(lambda size: _roughly(scheme, tried(max(most / size, 1)), limit), limit, start)
    found = last_count(fits, most, max(int(most / guess), 1))
    while 0 < found < most and run.epochs and (batches := tried(found).batches_per_epoch) > 1:
        larger = min(math.ceil(run.records / (batches - 1)), most)
        if not fits(larger):
            break
        found = last_count(fits, most, larger)
    return found


def smallest_batch(run: TrainingRun, epsilon: float, noise_of_mean: float) -> TrainingRun | None:
    """Return the run with the smallest batch whose mean gradients are as accurate as wanted, within the budget.

    Parameters
    ----------
    run : TrainingRun
        Its own batch size and noise multiplier play no part.
    epsilon : float
        In (0, inf).
    noise_of_mean : float
        Standard deviation of the noise in each coordinate of a mean gradient, in (0, inf): σC over the batch size.

    Returns
    -------
    TrainingRun or None
        None where even one batch of all records costs more.

    Notes
    -----
    Noise in proportion to the batch: at the same accuracy of a step, larger batches need fewer steps and hide less, and
    cost less all the same.

    Examples
    --------
    >>> run = smallest_batch(TrainingRun(2_000, 100, 1.0, 1e-5, epochs=5), 1.0, 0.02)
    >>> run.batch_size, run.noise_multiplier
    (118, 2.36)
    """
    scheme, limit = _solvable(run, epsilon)
    noise = NOISE_OF_MEAN.check(noise_of_mean)

    def tried(batch: float) -> TrainingRun:
        return replace(run, batch_size=batch, noise_multiplier=noise * batch / run.clipping_norm)

    most = _most_in_a_batch(run)
    guess = _expected_batch(lambda size: _roughly(scheme, tried(min(size, most)), limit), limit, run.batch_size)
    beyond = last_count(lambda batch: not _within(scheme, tried(batch), limit), most, max(math.ceil(guess) - 1, 1))
    return None if beyond == most else tried(beyond + 1)


def _solvable(run: TrainingRun, epsilon: float) -> tuple[Scheme, float]:
    """Return the scheme of a run, and the budget, or refuse either."""
    limit = POSITIVE_EPSILON.check(epsilon)
    scheme, reason = refusal(run)
    if reason:
        raise ValueError(f"scheme must be one with a guarantee; got {run.scheme!r}: {reason}")
    return scheme, limit


def _likely_noise(scheme: Scheme, run: TrainingRun, limit: float) -> tuple[float, float, float]:
    """Return about the noise that is searched, what is aimed at, and by which power of the noise the cost falls."""
    near, far = (_normal_noise(scheme, run, share * limit) for share in (1.0, 1.1))
    steepness = math.log(1.1) / math.log(near / far) if near > far else _STEEPNESS
    return near, limit * (1 - WINDOW / 2), min(max(steepness, 0.5), 5.0)


def _normal_noise(scheme: Scheme, run: TrainingRun, limit: float) -> float:
    """Return the noise of the normal law with the run's mean and variance."""
    mechanism, counts = DRAWN[ALIKE.get(scheme.key, scheme.key)].uses(run, np.array([run.step_count]))
    square = gaussian_mu(limit, run.delta) ** 2 / int(counts[0])
    share = math.log1p(square / mechanism.rate**2) if mechanism.sampled else square
    return min(max(mechanism.base.sensitivity / math.sqrt(share), 1e-3), 1e6)


def _most_in_a_batch(run: TrainingRun) -> int:
    """The largest batch that the scheme of a run may have: a group of a banded one, not all where batches are cut."""
    if run.scheme == "banded":
        return max(run.records // run.bands, 1)
    return max(run.records - (run.scheme == "truncated_poisson"), 1)


def _expected_batch(total: Callable[[float], float], limit: float, start: float) -> float:
    """About the least size at which a total that falls with it meets the limit; 1 where all do."""
    size, _ = likely_scale(lambda size: total(max(size, 1.0)), max(start, 1.0), limit, _STEEPNESS)
    return max(size, 1.0)


def _roughly(scheme: Scheme, run: TrainingRun, limit: float, accuracy: float = ROUGH) -> float:
    """About the total near the limit, which steers and decides nothing: of the excess about twice is estimated.

    Of what is a composition only the loss on removing a record is looked at, which is nearly always the larger one.
    """
    if scheme.releases is None:
        bound = _bound(scheme, run, _ROUGHEST if accuracy == ROUGH else accuracy)
    else:
        mechanism, counts = scheme.releases(run, np.array([run.step_count]))
        bound = law_bound([mechanism.laws()[0]], counts[:, None], run.delta, accuracy, np.array([limit]))
    share = 0.5 if accuracy == ROUGH and scheme.releases else _MORE
    return float(bound.epsilon[0] - share * np.broadcast_to(bound.estimate, 1)[0])


def _within(scheme: Scheme, run: TrainingRun, limit: float) -> bool:
    """Whether the total is within the limit, by a rough one where that is clear: a proof where it says yes."""
    rough = _bound(scheme, run, CLOSER)
    epsilon, off = float(rough.epsilon[0]), float(np.broadcast_to(rough.estimate, 1)[0])
    if epsilon <= limit or epsilon - _SURELY * off > limit:
        return epsilon <= limit
    return float(_bound(scheme, run, PRECISION).epsilon[0]) <= limit


def _bound(scheme: Scheme, run: TrainingRun, accuracy: float) -> Bound:
    return scheme.bound(run, np.array([run.step_count]), accuracy)
