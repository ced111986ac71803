"""Noisy gradient steps: what each way to draw batches costs, as a mechanism and how often it is used.

What is known of a scheme from above alone is made of mechanisms whose laws stand in, so that no lower end rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import betainc

from dpviz.mechanisms.gaussian import Gaussian
from dpviz.mechanisms.laws.allocation import LARGEST_MU, LEAST_MU, MOST_STEPS, allocation_laws
from dpviz.mechanisms.laws.loss_laws import LARGE_MU, GaussianCeiling, Law
from dpviz.mechanisms.laws.loss_lists import ListedLaw, MixedLaw
from dpviz.mechanisms.mechanism import Mechanism, elementwise
from dpviz.mechanisms.noise_by_scale import NoiseByScale
from dpviz.mechanisms.subsampled import Subsampled
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import ALPHA, POPULATION, Amount, Parameter, checked_choice

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
LEAVES = Parameter("steps", "", "leaves of the tree", 1, 10_000_000_000_000, integer=True)
WIDTH = 0.03  # of the lattices on which random allocation is composed with other releases
_RAREST = 1e-300  # what counts as how likely a batch is cut, where doubles have no smaller number
_BINOMIAL = roundings(1e-10)  # of a tail of a binomial law: 300 times what was seen against 50 digits, n up to 1e13


class Batches:
    """What follows from records, batch size, and epochs or steps: of a run, and of a trained model."""

    __slots__ = ()
    records: int
    batch_size: float
    noise_multiplier: float
    epochs: float | None
    steps: int | None
    clipping_norm: float
    largest_batch: int | None
    bands: int | None

    def checked(self) -> None:
        """Refuse values outside their intervals."""
        POPULATION.check(self.records, "records")
        BATCH_SIZE.check(self.batch_size)
        NOISE_MULTIPLIER.check(self.noise_multiplier)
        CLIPPING_NORM.check(self.clipping_norm)
        if self.batch_size > self.records:
            raise ValueError(f"batch_size must be at most the records, {self.records}; got {self.batch_size!r}")
        if (self.epochs is None) == (self.steps is None):
            raise ValueError(f"epochs must be given, or steps, and not both; got {self.epochs!r} and {self.steps!r}")
        for parameter in (EPOCHS, STEPS, LARGEST_BATCH, BANDS):
            value = getattr(self, parameter.name)
            if value is not None:
                parameter.check(value)

    @property
    def sampling_rate(self) -> float:
        """Batch size over records, in (0, 1]."""
        return self.batch_size / self.records

    @property
    def batches_per_epoch(self) -> int:
        """How many batches an epoch has, the last one perhaps smaller: records over batch size, rounded up."""
        return math.ceil(self.records / self.batch_size)

    @property
    def step_count(self) -> int:
        """How many steps the run has, rounded up."""
        return self.steps if self.steps is not None else self.steps_of(self.epochs)

    @property
    def passes(self) -> int:
        """How many epochs are begun: as often is a record used that is used once in each."""
        return -(-self.step_count // self.batches_per_epoch)

    @property
    def noise_of_mean(self) -> float:
        """Standard deviation of the noise in a mean gradient, each coordinate: σC over the batch size."""
        return self.noise_multiplier * self.clipping_norm / self.batch_size

    def steps_of(self, epochs: float) -> int:
        """Return the steps of so many epochs, rounded up but for what doubles may be off."""
        return max(1, math.ceil(lowered(EPOCHS.check(epochs) * self.batches_per_epoch, 2)))


MOVED_UP = math.nextafter(math.sqrt(5), math.inf)  # the root of 2² + 1²


class NoiseCeiling(Gaussian):
    """Gaussian noise that costs at least as much as what is run."""

    __slots__ = ()
    loss = property(lambda self: GaussianCeiling(self.mu))


class TwoSided(NoiseCeiling):
    """What loses one thing where a record is removed and another where it is added, and Gaussian noise at most."""

    __slots__ = ()
    relation = "add_remove"
    loss = mu = None
    ceiling = property(lambda self: NoiseCeiling(self.sigma, self.sensitivity))
    rho = property(lambda self: self.ceiling.rho)

    def __post_init__(self) -> None:
        NoiseByScale.__post_init__(self)

    def delta(self, epsilon: Amount) -> Amount:
        """Return the δ of its ceiling."""
        return self.ceiling.delta(epsilon)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the ε of its ceiling."""
        return self.ceiling.epsilon(delta)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of its ceiling."""
        return self.ceiling.rdp(alpha)


@dataclass(frozen=True, slots=True, repr=False)
class HiddenBatch(TwoSided):
    """One epoch in which every record is in one of so many batches, chosen uniformly, nobody knows which."""

    batches: int = field(default=1, kw_only=True)
    profiles: ClassVar[property] = property(lambda self: tuple(law.delta for law in self.laws()))

    def laws(self) -> tuple[ListedLaw, ListedLaw]:
        """Return laws of (remove, add) that are never below the truth."""
        return allocation_laws(self.batches, self.ceiling.mu, WIDTH)


@dataclass(frozen=True, slots=True, repr=False)
class CutBatch(TwoSided):
    """One Poisson batch that is cut by chance to its largest size: its noise has a sensitivity of two norms.

    Parameters
    ----------
    usual, crowded : Subsampled
        What is read where the other records do not fill the batch, and where they do.
    cut : float
        How likely they do, rounded up.
    """

    usual: Subsampled = field(kw_only=True)
    crowded: Subsampled = field(kw_only=True)
    cut: float = field(kw_only=True)

    @property
    def weights(self) -> tuple[float, float]:
        """How likely both are, each rounded up."""
        return min(1.0, 1 - self.cut * (1 - 1e-9)), min(self.cut, 1.0)

    @property
    def profiles(self) -> tuple[Callable[[np.ndarray], np.ndarray], ...]:
        """The profiles of both directions, weighted."""
        return tuple(
            lambda epsilon, pair=pair: np.minimum(
                raised(sum(w * each(epsilon) for w, each in zip(self.weights, pair, strict=True)), 4), 1.0
            )
            for pair in zip(self.usual.profiles, self.crowded.profiles, strict=True)
        )

    def rdp(self, alpha: Amount) -> Amount:
        """Return the divergence of both, everybody being told which it is: moments add up, weighted."""

        def mixed(order: np.ndarray) -> np.ndarray:
            moments = [(order - 1) * each.rdp(order) for each in (self.usual, self.crowded)]
            logs = [np.log(w) + moment for w, moment in zip(self.weights, moments, strict=True)]
            return np.maximum(raised(np.logaddexp(*logs) / (order - 1), roundings(1e-13)), 0.0)

        return elementwise(mixed, alpha, ALPHA)

    def laws(self) -> tuple[Law, ...]:
        """Return laws of (remove, add) that are never below the truth."""
        pairs = zip(self.usual.laws(), self.crowded.laws(), strict=True)
        return tuple(MixedLaw(self.weights, pair, self.ceiling.mu, stands_in=True) for pair in pairs)


Uses = Callable[[Batches, np.ndarray], tuple[Mechanism, np.ndarray]]


def _passes(run: Batches, steps: np.ndarray) -> np.ndarray:
    """How many epochs are begun after so many steps."""
    return -(-steps // run.batches_per_epoch)


def _poisson(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    return Subsampled(Gaussian(run.noise_multiplier, 1), run.sampling_rate, "poisson"), steps


def _truncated(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    """With K of the other n - 1 records drawn, K < B⁺ is the Poisson batch, one norm apart.

    Else the record, if drawn and kept, has taken the place of one of B⁺ others: two norms. How many are drawn is read
    as known where it decides.
    """
    if 2 / run.noise_multiplier > LARGE_MU:
        return NoiseCeiling(run.noise_multiplier, 2), steps
    if run.largest_batch >= run.records:  # no batch is ever cut
        return _poisson(run, steps)
    return _cut_batch(int(run.records), run.sampling_rate, int(run.largest_batch), run.noise_multiplier), steps


@lru_cache(maxsize=256)
def _cut_batch(records: int, rate: float, most: int, sigma: float) -> CutBatch:
    cut = max(float(raised(_beyond(most - 1, records - 1, rate), _BINOMIAL)), _RAREST)
    kept = _beyond(most, records, rate) * most / records
    crowded = min(float(raised(kept / cut, 4 * _BINOMIAL)) if kept > 0 else 1.0, rate)
    samples = (Subsampled(Gaussian(sigma, size), share, "poisson") for size, share in ((1, rate), (2, crowded)))
    return CutBatch(sigma, 2, **dict(zip(("usual", "crowded"), samples, strict=True)), cut=cut)


def _beyond(count: int, trials: int, probability: float) -> float:
    """Return how likely more than `count` of `trials` succeed: scipy's own binomial tail is wrong beyond 2³¹ trials."""
    return float(betainc(count + 1.0, float(trials - count), probability))


def _fixed_size(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    return Subsampled(NoiseCeiling(run.noise_multiplier, 2), run.sampling_rate, "without_replacement"), steps


def _allocation(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    if run.batches_per_epoch == 1:
        return _fixed_order(run, steps)
    if not LEAST_MU <= 1 / run.noise_multiplier <= LARGEST_MU:
        return NoiseCeiling(run.noise_multiplier, 1), _passes(run, steps)
    batches = min(run.batches_per_epoch, MOST_STEPS)  # more batches never cost more
    return HiddenBatch(run.noise_multiplier, 1, batches=batches), _passes(run, steps)


def _shuffled(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    """Another record moves up where one is removed: its batch moves by two norms, and the last one by one of them."""
    if run.batches_per_epoch == 1:
        return NoiseCeiling(run.noise_multiplier, 1), _passes(run, steps)
    whole = max(1, int(run.records // run.batch_size))  # a loader may leave out the last, smaller batch
    passes = _passes(run, steps) if run.epochs is not None else -(-steps // whole)
    return NoiseCeiling(run.noise_multiplier, MOVED_UP), passes


def _fixed_order(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    return Gaussian(run.noise_multiplier, 1), _passes(run, steps)


def _tree(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    return Gaussian(run.noise_multiplier, 1), _passes(run, steps) * tree_nodes(run.batches_per_epoch)


def _banded(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    rate = min(run.batch_size / (run.records // run.bands), 1.0)
    return Subsampled(NoiseCeiling(run.noise_multiplier, 1), rate, "poisson"), -(-steps // run.bands)


def _banded_order(run: Batches, steps: np.ndarray) -> tuple[Mechanism, np.ndarray]:
    """Uses are whole epochs apart: with b bands, columns of those at least w = ⌈b/t⌉ epochs apart are orthogonal.

    So the epochs fall into w classes whose columns add up in squares, and the classes' norms add up: the square is at
    most w E (Cauchy-Schwarz), and at most E² anyway. Some columns of norm 1 attain both.
    """
    passes, classes = _passes(run, steps), -(-run.bands // run.batches_per_epoch)
    if classes == 1:
        return _fixed_order(run, steps)
    return NoiseCeiling(run.noise_multiplier, 1), passes * np.minimum(passes, classes)


def tree_nodes(steps: int) -> int:
    """Return in how many sums of a binary tree over so many steps one step is, at most: ⌊log₂ steps⌋ + 1.

    Examples
    --------
    >>> tree_nodes(1), tree_nodes(7), tree_nodes(8)
    (1, 3, 4)
    """
    return LEAVES.check(steps).bit_length()


def _never(run: Batches) -> str:
    return ""


def _truncated_refused(run: Batches) -> str:
    if run.largest_batch is None:
        return "the largest batch is not given"
    return "the whole data are in each batch, before it is cut" if run.sampling_rate == 1 else ""


def _bands_refused(run: Batches) -> str:
    return "the number of bands is not given" if run.bands is None else ""


def _banded_refused(run: Batches) -> str:
    if run.bands is None:
        return _bands_refused(run)
    if run.batch_size > run.records // run.bands:
        return (
            f"each of the {run.bands:,} groups of records is smaller than a batch; take at most "
            f"{int(run.records // run.batch_size):,} bands, smaller batches, or the same matrix in fixed order"
        )
    return ""


class Drawn(NamedTuple):
    """A way to draw batches.

    Parameters
    ----------
    uses : callable
        ``uses(run, steps)``: a mechanism, and how often it is used after so many steps each: together they cost at
        least as much as the run.
    refused : callable
        ``refused(run)``: why no guarantee is known of such a run, "" where one is.
    relation : str
        What becomes of one record in the data that must not be told apart.
    needs : tuple of str
        What it alone depends on, beside what all do.
    """

    uses: Uses
    refused: Callable[[Batches], str] = _never
    relation: str = "add_remove"
    needs: tuple[str, ...] = ()


DRAWN: dict[str, Drawn] = {
    "poisson": Drawn(_poisson),
    "truncated_poisson": Drawn(_truncated, _truncated_refused, needs=("largest_batch",)),
    "fixed_size": Drawn(_fixed_size, relation="replace_one"),
    "allocation": Drawn(_allocation),
    "shuffled": Drawn(_shuffled),
    "fixed_order": Drawn(_fixed_order),
    "tree": Drawn(_tree),
    "banded": Drawn(_banded, _banded_refused, needs=("bands",)),
    "banded_order": Drawn(_banded_order, _bands_refused, needs=("bands",)),
}

# Schemes by those that cost about as much, and are known in closed form.
ALIKE = {"allocation": "poisson", "truncated_poisson": "poisson"}


def scheme_drawn(scheme: str) -> Drawn:
    """Return the way to draw batches with this key."""
    return DRAWN[checked_choice(scheme, tuple(DRAWN), "scheme")]
