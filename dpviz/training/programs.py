"""A run as code for the library that trains it: what must be set so that the run is the one that was priced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.records import record_named
from dpviz.training.cost import refusal
from dpviz.training.run import TrainingRun


@dataclass(frozen=True, slots=True)
class Library:
    """A library that trains, or prices, a run.

    Parameters
    ----------
    key, label : str
        Its name in code and for people.
    checks : str
        What must be looked after by hand.
    lines : callable
        ``lines(run)``: the program, or ValueError with the reason why it cannot run this scheme.
    """

    key: str
    label: str
    checks: str
    lines: Callable[[TrainingRun], list[str]]


def training_program(run: TrainingRun, library: str) -> str:
    """Return a Python program that sets up a run in a library as it was priced.

    Parameters
    ----------
    run : TrainingRun
    library : str
        Key of one of `LIBRARIES`.

    Raises
    ------
    ValueError
        With the reason, when no guarantee is known of the run, or the library has no such batches.

    Examples
    --------
    >>> run = TrainingRun(60_000, 256, 1.1, 1e-5, epochs=15)
    >>> print(training_program(run, "opacus").splitlines()[-1])
    epsilon = privacy_engine.get_epsilon(1e-05)
    >>> training_program(TrainingRun(60_000, 256, 1.1, 1e-5, epochs=15, scheme="shuffled"), "opacus")
    Traceback (most recent call last):
    ValueError: library must have a loader for scheme 'shuffled'; got opacus, which has Poisson batches alone
    """
    named = record_named(LIBRARIES, library)
    scheme, reason = refusal(run)
    if reason:
        raise ValueError(f"scheme must be one with a guarantee; got {run.scheme!r}: {reason}")
    head = [
        f"# {scheme.label}: {run.records} records, batches of {run.batch_size:g}, {run.step_count} steps, "
        f"noise multiplier {run.noise_multiplier!r}, delta {run.delta!r}, {scheme.relation}",
        f"# To do: {scheme.implement}.",
        f"# Check: {named.checks}.",
    ]
    return "\n".join([*head, *named.lines(run), ""])


def _accounting(run: TrainingRun) -> list[str]:
    return [
        "from dp_accounting import dp_event, pld",
        "",
        f"step = {_event(run)}",
        "accountant = pld.PLDAccountant(value_discretization_interval=1e-4)",
        f"accountant.compose(step, {_uses(run)})",
        f"epsilon = accountant.get_epsilon({run.delta!r})",
        "print(epsilon)",
    ]


def _event(run: TrainingRun) -> str:
    """Return the event of one step, or of one use of a record."""
    scheme, _ = refusal(run)
    if scheme.key == "truncated_poisson":
        given = f"{run.records}, {run.sampling_rate!r}, {run.largest_batch}, {run.noise_multiplier!r}"
        return f"dp_event.TruncatedSubsampledGaussianDpEvent({given})"
    if scheme.releases is None or scheme.key == "fixed_size":
        raise ValueError(
            f"library must have a law for scheme {run.scheme!r}; got dp_accounting, whose numerical engine has none"
        )
    mechanism, _ = _released(run)
    noise = f"dp_event.GaussianDpEvent({run.noise_multiplier!r})"
    return f"dp_event.PoissonSampledDpEvent({mechanism.rate!r}, {noise})" if mechanism.sampled else noise


def _uses(run: TrainingRun) -> int:
    return run.step_count if run.scheme == "truncated_poisson" else _released(run)[1]


def _released(run: TrainingRun) -> tuple[Mechanism, int]:
    scheme, _ = refusal(run)
    mechanism, counts = scheme.releases(run, np.array([run.step_count]))
    return mechanism, int(counts[0])


def _opacus(run: TrainingRun) -> list[str]:
    if run.scheme != "poisson":
        raise ValueError(
            f"library must have a loader for scheme {run.scheme!r}; got opacus, which has Poisson batches alone"
        )
    return [
        "from opacus import PrivacyEngine",
        "from torch.utils.data import DataLoader",
        "",
        "# model, optimizer and dataset are yours; the loss is a mean over the batch, and Opacus itself divides the",
        "# gradients by the expected batch size",
        f"loader = DataLoader(dataset, batch_size={int(run.batch_size)})  # of {run.records} records",
        "privacy_engine = PrivacyEngine()",
        "model, optimizer, loader = privacy_engine.make_private(",
        "    module=model,",
        "    optimizer=optimizer,",
        "    data_loader=loader,",
        f"    noise_multiplier={run.noise_multiplier!r},",
        f"    max_grad_norm={run.clipping_norm!r},",
        "    poisson_sampling=True,",
        ")",
        f"# train for {run.step_count} steps: an epoch of this loader has {run.batches_per_epoch}",
        f"epsilon = privacy_engine.get_epsilon({run.delta!r})",
    ]


def _jax_privacy(run: TrainingRun) -> list[str]:
    strategy, given = _strategy(run)
    noise = "noise through the inverse of the matrix, from a source" if "banded" in run.scheme else "noise"
    anew = f"# once for each of {run.passes} epochs, with one generator for all of them, as each iterator throws anew"
    return [
        "from jax_privacy import batch_selection",
        "",
        f"batches = batch_selection.{strategy}(",
        *(f"    {name}={value}," for name, value in given.items()),
        ")",
        *([f"{anew}; {run.step_count} steps in all"] if run.scheme == "allocation" else []),
        f"# for indices in batches.batch_iterator({run.records}, rng=...): clip each record's gradient at "
        f"{run.clipping_norm!r}, add up,",
        f"# and add {noise} with the standard deviation {run.noise_multiplier * run.clipping_norm!r}",
    ]


def _strategy(run: TrainingRun) -> tuple[str, dict[str, object]]:
    """Return how JAX Privacy selects such batches, and with which arguments."""
    cycle: dict[str, object] = {"cycle_length": run.batches_per_epoch}
    if run.scheme == "allocation":
        return "BallsInBinsSampling", {"iterations": run.batches_per_epoch} | cycle
    # Groups of one size would depend on who else is there.
    groups = {"cycle_length": run.bands, "partition_type": "batch_selection.PartitionType.INDEPENDENT"}
    sampling: dict[str, dict[str, object]] = {
        "poisson": {},
        "truncated_poisson": {"truncated_batch_size": run.largest_batch},
        "fixed_order": cycle,
        "banded_order": cycle,
        "banded": groups,
    }
    if run.scheme not in sampling:
        raise ValueError(
            f"library must have batches for scheme {run.scheme!r}; got jax_privacy, for which none are known here"
        )
    whole = "order" in run.scheme
    rate = 1.0 if whole else _released(run)[0].rate if run.scheme == "banded" else run.sampling_rate
    return "CyclicPoissonSampling", {"sampling_prob": rate, "iterations": run.step_count} | sampling[run.scheme]


def _tensorflow_privacy(run: TrainingRun) -> list[str]:
    """Batches of one size alone: its optimizer divides the noisy sum by the size of the batch that was drawn."""
    batch = int(run.batch_size)
    if run.scheme not in ("fixed_size", "shuffled", "fixed_order") or batch != run.batch_size:
        raise ValueError(
            f"library must divide by the expected batch for scheme {run.scheme!r}; got tensorflow_privacy, which "
            "divides by the one that was drawn, and takes batches of one size alone"
        )
    return [
        *(["import numpy"] if run.scheme == "fixed_size" else []),
        "import tensorflow_privacy",
        "",
        "# the model, its data, learning_rate and loss are yours; the loss is a vector, one entry a record",
        "optimizer = tensorflow_privacy.DPKerasSGDOptimizer(",
        f"    l2_norm_clip={run.clipping_norm!r},",
        f"    noise_multiplier={run.noise_multiplier!r},",
        f"    num_microbatches={batch},",
        "    learning_rate=learning_rate,",
        ")",
        "model.compile(optimizer=optimizer, loss=loss)",
        *_batches_of_one_size(run, batch),
    ]


def _batches_of_one_size(run: TrainingRun, batch: int) -> list[str]:
    """Batches drawn anew, shuffled each epoch or in fixed order; the last, smaller one of an epoch is left out."""
    if run.scheme == "fixed_size":
        return [
            "rng = numpy.random.default_rng()",
            f"for _ in range({run.step_count}):",
            f"    indices = rng.choice({run.records}, {batch}, replace=False)",
            "    model.train_on_batch(features[indices], labels[indices])",
        ]
    shuffled = f".shuffle({run.records}, reshuffle_each_iteration=True)" if run.scheme == "shuffled" else ""
    one_less = "# With one record less an epoch would have a batch less: take a size that does not divide N."
    return [
        *([one_less] if run.scheme == "shuffled" and run.records % batch == 0 else []),
        f"batches = dataset{shuffled}.batch({batch}, drop_remainder=True)",
        f"model.fit(batches, epochs={run.passes})",
    ]


LIBRARIES: tuple[Library, ...] = (
    Library(
        "dp_accounting",
        "dp-accounting",
        "it prices alone; its number is rounded up on a grid, and may lie above dpviz's",
        _accounting,
    ),
    Library(
        "opacus",
        "Opacus",
        "the loader that make_private returns is the one that is looped over, and no wrapper cuts its batches; its "
        "rate is one over the batches of an epoch, at most the one that was priced",
        _opacus,
    ),
    Library(
        "tensorflow_privacy",
        "TensorFlow Privacy",
        "every batch is full, and each record its own microbatch; what the last, smaller batch of an epoch would hold "
        "is left out of it; its own statements price Poisson batches, which these are not",
        _tensorflow_privacy,
    ),
    Library(
        "jax_privacy",
        "JAX Privacy",
        "indices of batches stay secret; where groups must be of one size, records are dropped, not added",
        _jax_privacy,
    ),
)
