"""Hyperparameter search: what it costs to train several times, and to publish the best model alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpviz.composition.conversions import epsilon_from_rdp
from dpviz.effort import PLOTTED
from dpviz.outward import ELEMENTARY, lowered, raised, roundings
from dpviz.parameters import Parameter, checked_choice
from dpviz.privacy_loss import PrivacyLoss
from dpviz.training.cost import refusal, training_cost
from dpviz.training.run import TrainingRun

MEAN_TRIALS = Parameter("trials", "", "trainings on average", 1, 1e9)
ALL_TRIALS = Parameter("trials", "", "trainings", 1, 1_000_000, integer=True)
NUMBERS = ("poisson", "geometric", "logarithmic")
_ORDERS = 1 + np.concatenate([np.geomspace(0.05, 2.0, 6), np.geomspace(2.5, 200.0, 18)])
_ROUNDING = roundings(1e-11)


def best_of_random_trials(run: TrainingRun, trials: float, number: str = "poisson") -> float:
    """Return ε of the best of a random number of runs, the others and their number being kept secret, rounded up.

    Parameters
    ----------
    run : TrainingRun
        One trial, whatever its hyperparameters: none may cost more.
    trials : float
        Mean number of trials, in [1, 1e9].
    number : {"poisson", "geometric", "logarithmic"}
        The law of that number, drawn before the first trial. Where a Poisson number is 0, something is published that
        does not depend on the data.

    Raises
    ------
    ValueError
        When no guarantee is known of the run, or its scheme has no Rényi curve here.

    References
    ----------
    Papernot and Steinke (2022), Hyperparameter Tuning with Rényi Differential Privacy (arXiv 2110.03620), Thm 6
    (Poisson) and Thm 2 (truncated negative binomial, of shapes 1 and 0).

    Examples
    --------
    >>> run = TrainingRun(60_000, 256, 1.1, 1e-5, epochs=15)
    >>> training_cost(run).epsilon < best_of_random_trials(run, 10) < best_of_all_trials(run, 10)
    True
    """
    mean = MEAN_TRIALS.check(trials)
    checked_choice(number, NUMBERS, "number")
    mechanism, count = _released(run)
    single = count * np.asarray(mechanism.rdp(_ORDERS))
    if number == "poisson":
        near = lowered(np.log1p(1 / (_ORDERS - 1)), 3 * ELEMENTARY)  # the theorem asks for no more
        missed = np.asarray(PrivacyLoss([mechanism], [[count]], PLOTTED).delta(near))
        curve = single + mean * missed + math.log(mean) / (_ORDERS - 1)
    else:
        shape = 1.0 if number == "geometric" else 0.0
        gamma = _gamma(mean, shape)
        paid = (1 + shape) * float(((1 - 1 / _ORDERS) * single - math.log(gamma) / _ORDERS).min())
        curve = single + paid + math.log(mean) / (_ORDERS - 1)
    return float(raised(float(epsilon_from_rdp(_ORDERS, curve, run.delta).min()), _ROUNDING))


def best_of_all_trials(run: TrainingRun, trials: int) -> float:
    """Return ε of so many runs, all of which may be published: they add up by tight accounting.

    Parameters
    ----------
    run : TrainingRun
        One trial; none may cost more.
    trials : int
        In [1, 1_000_000].

    Examples
    --------
    >>> run = TrainingRun(60_000, 256, 1.1, 1e-5, epochs=15)
    >>> best_of_all_trials(run, 1) == training_cost(run).epsilon
    True
    """
    several = ALL_TRIALS.check(trials)
    scheme, reason = refusal(run)
    if reason:
        raise ValueError(f"scheme must be one with a guarantee; got {run.scheme!r}: {reason}")
    batches = run.batches_per_epoch if scheme.key != "banded" else run.bands
    whole = -(-run.step_count // batches) * batches if scheme.key not in _BY_STEPS else run.step_count
    return training_cost(replace(run, epochs=None, steps=several * whole)).epsilon


_BY_STEPS = ("poisson", "truncated_poisson", "fixed_size")  # each step by itself: no epoch is begun


def _released(run: TrainingRun) -> tuple:
    """Return the mechanism of a run and how often it is used, or refuse the run."""
    scheme, reason = refusal(run)
    if not reason and scheme.releases is None:
        reason = "no Rényi curve is computed for it; count every trial as a release"
    if reason:
        raise ValueError(f"scheme must be one whose steps are mechanisms; got {run.scheme!r}: {reason}")
    mechanism, counts = scheme.releases(run, np.array([run.step_count]))
    return mechanism, int(counts[0])


def _gamma(mean: float, shape: float) -> float:
    """Return γ, rounded down, at which the truncated negative binomial law of shape 1 or 0 has that mean."""
    if shape == 1:
        return lowered(1 / mean, 1)
    low, high = -math.log(mean) * 40 - 1, 0.0  # of ln γ; the mean, (1/γ - 1) / ln(1/γ), falls with it
    for _ in range(200):
        middle = (low + high) / 2
        far = middle == 0 or math.expm1(-middle) / -middle < mean
        low, high = (low, middle) if far else (middle, high)
    return lowered(math.exp(low), _ROUNDING)
