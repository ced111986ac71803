"""A training run: what is trained on, how batches are drawn, and how much noise is added."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpviz.outward import lowered
from dpviz.parameters import DELTA, POPULATION, Parameter

BATCH_SIZE = Parameter("batch_size", "B", "records in a batch, on average where their number varies", 1, 1e13)
EPOCHS = Parameter("epochs", "E", "how often the whole data are gone through", 0, 1e9, open_low=True)
STEPS = Parameter("steps", "T", "noisy updates of the model", 1, 1_000_000_000, integer=True)
NOISE_MULTIPLIER = Parameter(
    "noise_multiplier", "σ", "standard deviation of the noise over the clipping norm", 0, math.inf, open_low=True,
    open_high=True,
)  # fmt: skip
CLIPPING_NORM = Parameter(
    "clipping_norm", "C", "largest norm of one record's gradient", 0, math.inf, open_low=True, open_high=True
)
LARGEST_BATCH = Parameter(
    "largest_batch", "B⁺", "records beyond which a batch is cut", 1, 10_000_000_000_000, integer=True
)
BANDS = Parameter("bands", "b", "bands of the matrix that correlates the noise", 1, 1_000_000, integer=True)


@dataclass(frozen=True)
class TrainingRun:
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
        POPULATION.check(self.records, "records")
        BATCH_SIZE.check(self.batch_size)
        NOISE_MULTIPLIER.check(self.noise_multiplier)
        CLIPPING_NORM.check(self.clipping_norm)
        if not 0 < DELTA.check(self.delta) < 1:
            raise ValueError(f"delta must be in (0, 1); got {self.delta!r}")
        if self.batch_size > self.records:
            raise ValueError(f"batch_size must be at most the records, {self.records}; got {self.batch_size!r}")
        if (self.epochs is None) == (self.steps is None):
            raise ValueError(f"epochs must be given, or steps, and not both; got {self.epochs!r} and {self.steps!r}")
        for parameter in (EPOCHS, STEPS, LARGEST_BATCH, BANDS):
            value = getattr(self, parameter.name)
            if value is not None:
                parameter.check(value)

    @property
    def rate(self) -> float:
        """Batch size over records, in (0, 1]."""
        return self.batch_size / self.records

    @property
    def batches_per_epoch(self) -> int:
        """How many batches an epoch has, the last one perhaps smaller: records over batch size, rounded up."""
        return math.ceil(self.records / self.batch_size)

    @property
    def step_count(self) -> int:
        """How many steps the run has, rounded up."""
        return self.steps if self.steps is not None else steps_of(self, self.epochs)

    @property
    def passes(self) -> int:
        """How many epochs are begun: as often is a record used that is used once in each."""
        return -(-self.step_count // self.batches_per_epoch)

    @property
    def noise_of_mean(self) -> float:
        """Standard deviation of the noise in a mean gradient, each coordinate: σC over the batch size."""
        return self.noise_multiplier * self.clipping_norm / self.batch_size


def steps_of(run: TrainingRun, epochs: float) -> int:
    """Return the steps of so many epochs, rounded up but for what doubles may be off.

    Examples
    --------
    >>> steps_of(TrainingRun(1000, 300, 1.0, 1e-5, epochs=1), 2.5)
    10
    """
    return max(1, math.ceil(lowered(EPOCHS.check(epochs) * run.batches_per_epoch, 2)))


def offered_delta(records: int) -> float:
    """Return 1/records: from there on a run may publish one record whole, picked at random, and keep its promise.

    Examples
    --------
    >>> offered_delta(50_000)
    2e-05
    """
    return 1 / POPULATION.check(records, "records")
