"""A training run: what is trained on, how batches are drawn, and how much noise is added."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from dpviz.mechanisms import TrainedModel
from dpviz.mechanisms.batches import BATCH_SIZE, Batches, scheme_drawn
from dpviz.parameters import DELTA, POPULATION

RUN_DELTA = replace(DELTA, open_low=True, open_high=True)


@dataclass(frozen=True)
class TrainingRun(Batches):
    """A model trained by noisy gradient steps: what decides its privacy, whatever the model.

    Parameters
    ----------
    records : int
        Records trained on, in [1, 1e13]; clients where each one's whole update is clipped (federated averaging).
    batch_size : float
        Records in a batch, in [1, records]; the expected number where it varies.
    noise_multiplier : float
        Standard deviation of the noise on a sum of gradients over the clipping norm, in (0, inf).
    delta : float
        In (0, 1); `offered_delta` says where to start.
    epochs : float, optional
        In (0, 1e9]; one of `epochs` and `steps` is given.
    steps : int, optional
        In [1, 1e9].
    scheme : str
        Key of one of `SCHEMES`: how batches are drawn, and what noise is added.
    clipping_norm : float
        In (0, inf). It scales gradients and noise alike, so that it changes no cost.
    largest_batch : int, optional
        Of ``truncated_poisson``: larger batches are cut to it, by chance.
    bands : int, optional
        Of ``banded``: the matrix has as many diagonals.

    Raises
    ------
    ValueError
        When a value lies outside its interval, or not exactly one of epochs and steps is given.

    Examples
    --------
    >>> run = TrainingRun(60_000, 256, 1.1, 1e-5, epochs=30)
    >>> run.batches_per_epoch, run.step_count, run.passes
    (235, 7050, 30)
    """

    records: int
    batch_size: float
    noise_multiplier: float
    delta: float
    epochs: float | None = None
    steps: int | None = None
    scheme: str = "poisson"
    clipping_norm: float = 1.0
    largest_batch: int | None = None
    bands: int | None = None

    def __post_init__(self) -> None:
        self.checked()
        RUN_DELTA.check(self.delta)

    @property
    def model(self) -> TrainedModel:
        """The model that comes out of it, as a release of plans.

        Raises
        ------
        ValueError
            When no guarantee is known of the run.

        Examples
        --------
        >>> TrainingRun(60_000, 256, 1.1, 1e-5, epochs=30).model.training
        'noise multiplier 1.1, batch size 256, records 60000, epochs 30, scheme poisson'
        """
        known = self.needed
        return TrainedModel(**{each.name: getattr(known, each.name) for each in fields(TrainedModel)})

    @property
    def needed(self) -> TrainingRun:
        """The run without what its scheme does not depend on: a largest batch, bands."""
        others = {"largest_batch", "bands"}.difference(scheme_drawn(self.scheme).needs)
        return replace(self, **dict.fromkeys(others))


def usual_largest_batch(batch_size: float) -> int:
    """Return four deviations above a Poisson batch, rounded up: where batches are cut if nothing else is said.

    Examples
    --------
    >>> usual_largest_batch(256)
    320
    """
    size = BATCH_SIZE.check(batch_size)
    return math.ceil(size) + math.ceil(4 * math.sqrt(size))


def equally_accurate(run: TrainingRun, factors: Iterable[float]) -> list[TrainingRun]:
    """Return runs with other batches in which a mean gradient is as accurate: noise in proportion to the batch.

    Parameters
    ----------
    run : TrainingRun
    factors : iterable of float
        Batch sizes over that of the run; each becomes a whole number from 1 to the records, none twice.

    Returns
    -------
    list of TrainingRun
        In ascending order of batches. Where batches are cut, as many deviations beyond their size.

    Examples
    --------
    >>> run = TrainingRun(500, 100, 1.0, 1e-5, epochs=3)
    >>> [(each.batch_size, each.noise_multiplier) for each in equally_accurate(run, [1, 9])]
    [(100, 1.0), (500, 5.0)]
    """
    sizes = sorted({min(max(round(run.batch_size * factor), 1), int(run.records)) for factor in factors})
    most = dict.fromkeys(sizes, run.largest_batch)
    if run.largest_batch is not None:
        far = (run.largest_batch - run.batch_size) / run.batch_size**0.5
        most = {size: max(1, round(size + far * size**0.5)) for size in sizes}
    noise = run.noise_multiplier / run.batch_size
    return [replace(run, batch_size=size, noise_multiplier=noise * size, largest_batch=most[size]) for size in sizes]


def offered_delta(records: int) -> float:
    """Return 1/records: from there on a run may publish one record whole, picked at random, and keep its promise.

    Examples
    --------
    >>> offered_delta(50_000)
    2e-05
    """
    return 1 / POPULATION.check(records, "records")
