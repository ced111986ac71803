"""A model trained by noisy gradient steps, as one release: what a plan composes it of, by how its batches are drawn."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NoReturn

import numpy as np

from dpviz.decimals import number, rounded_up, typed
from dpviz.mechanisms.batches import (
    ALIKE,
    BANDS,
    BATCH_SIZE,
    CLIPPING_NORM,
    DRAWN,
    EPOCHS,
    LARGEST_BATCH,
    NOISE_MULTIPLIER,
    STEPS,
    Batches,
    NoiseCeiling,
    scheme_drawn,
)
from dpviz.mechanisms.declared import DECLARED_MU, DIVERGENCE, Declared
from dpviz.mechanisms.laws.costs import Cost
from dpviz.mechanisms.laws.loss_laws import GaussianCeiling, Law
from dpviz.mechanisms.mechanism import LEAST, RATIO, Form, Mechanism, in_digits
from dpviz.outward import raised
from dpviz.parameters import ALPHA, COPIES, POPULATION, Amount

_ORDERS = 1 + np.concatenate([np.geomspace(0.02, 2.0, 8), np.geomspace(2.5, 200.0, 18)])  # of its Rényi curve
_FURTHER = ("clipping_norm", "largest_batch", "bands")
_ROOT = 16  # roundings of a root of a sum of squares, with room
_NUMBERS = {each.name: each for each in (NOISE_MULTIPLIER, BATCH_SIZE)} | {
    "records": POPULATION,
    **{each.name: each for each in (EPOCHS, STEPS, CLIPPING_NORM, LARGEST_BATCH, BANDS)},
}
_ORDER = (*(name for name in _NUMBERS if name not in _FURTHER), "scheme", *_FURTHER)  # a cell shows how it begins
_ANY = 10**12  # records, where only the sampling rate is told, and nothing else matters
SAMPLING_RATE = "sampling_rate"  # may stand for the batch size, the records, or both
FIELDS = (*_ORDER, SAMPLING_RATE)  # of what a file or a cell says
_EXAMPLE = "noise multiplier 1.1, batch size 256, records 60000, epochs 30, scheme poisson"


@dataclass(frozen=True, slots=True)
class _RunCost(Cost):
    """The cost of a run: of its steps added up; its variance is the square of its noise multiplier."""

    step: Cost
    count: int
    sensitivity: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        return self.count * self.step.cost(u * self.sensitivity, order)


@dataclass(frozen=True, slots=True, repr=False)
class TrainedModel(Batches, Mechanism):
    """A model trained by noisy gradient steps, and published: one release, whatever the model.

    Parameters
    ----------
    records : int
        Records trained on, in [1, 1e13]: each is one unit of the plan; clients in federated averaging.
    batch_size : float
        Records in a batch, in [1, records]; the expected number where it varies.
    noise_multiplier : float
        Standard deviation of the noise on a sum of gradients over the clipping norm, in (0, inf).
    epochs : float, optional
        In (0, 1e9]; one of `epochs` and `steps` is given.
    steps : int, optional
        In [1, 1e9].
    scheme : str
        How batches are drawn, and what noise is added: key of one of `dpviz.training.SCHEMES`.
    clipping_norm : float
        In (0, inf). It scales gradients and noise alike, so that it changes no cost.
    largest_batch : int, optional
        Of ``truncated_poisson``: larger batches are cut to it, by chance.
    bands : int, optional
        Of the banded schemes: the matrix has as many diagonals.

    Raises
    ------
    ValueError
        When a value lies outside its interval, or no guarantee is known of such a run.

    Notes
    -----
    Relation: a record is added or removed; of fixed-size batches it is replaced. Plans and theorems compose `uses`; the
    profile of the whole, which filters and groups read, is Gaussian or follows from its Rényi curve, and lies above it.

    References
    ----------
    Those of each scheme in `dpviz.training.SCHEMES`, and docs/explanation/training.md.

    Examples
    --------
    >>> from dpviz import compose
    >>> model = TrainedModel(60_000, 256, 1.1, epochs=15)
    >>> print(f"{compose(model, 1e-5).epsilon:.4f}")
    1.1354
    """

    records: int
    batch_size: float
    noise_multiplier: float
    epochs: float | None = None
    steps: int | None = None
    scheme: str = "poisson"
    clipping_norm: float = 1.0
    largest_batch: int | None = None
    bands: int | None = None
    key: ClassVar[str] = "trained_model"
    label: ClassVar[str] = "Trained model"
    forms: ClassVar[tuple[Form, ...]] = (Form(("training",), (), "from_text"),)
    sampled: ClassVar[bool] = False
    rate = 1.0
    leak = loss = noise = norm = stated = None
    note = ""
    why_no_noise = "its noise is on the gradients of its steps, not on a number that is published"
    strength = property(lambda self: self.noise_multiplier)
    base = spared = property(lambda self: self)
    relation = property(lambda self: DRAWN[self.scheme].relation)
    profiles = property(lambda self: (self.delta,))

    def __post_init__(self) -> None:
        self.checked()
        drawn = scheme_drawn(self.scheme)
        if reason := drawn.refused(self):
            raise ValueError(f"scheme must be one with a guarantee, but {reason}; got {self.scheme!r}")

    @classmethod
    def from_text(cls, training: str) -> TrainedModel:
        """Return what a file or a cell says.

        Parameters
        ----------
        training : str
            Fields by their names, in any order, with commas between them. A sampling rate, the batch size over the
            records, stands for what is left out of the two: of both, for 10^12 records, which of Poisson batches cost
            what any number costs at this rate.

        Examples
        --------
        >>> TrainedModel.from_text("noise multiplier 1.1, batch size 256, records 60000, epochs 30").scheme
        'poisson'
        >>> TrainedModel.from_text("noise multiplier 1.1, sampling rate 0.004, steps 3000").training
        'noise multiplier 1.1, sampling rate 0.004, steps 3000, scheme poisson'
        >>> TrainedModel.from_text("1.1 noise multiplier, batch size 256, 60000 records, 3 epochs").epochs
        3
        >>> TrainedModel.from_text("multiplier 1.1, batch 256 of 60000, epochs 3").records
        60000
        >>> TrainedModel.from_text("records many")
        Traceback (most recent call last):
        ValueError: training must have a number after records; got 'many'
        """
        given: dict[str, object] = {}
        for part in _parts(training if isinstance(training, str) else "?"):
            name, value = _read(part)
            if name in given:
                raise ValueError(f"training must name {name.replace('_', ' ')} once; got {part!r:.60}")
            given[name] = value
        given = _with_batches(given)
        if missing := [name for name in ("noise_multiplier", "batch_size", "records") if name not in given]:
            named = " and ".join(missing).replace("_", " ")
            raise ValueError(f"training must name {named}, like {_EXAMPLE}; got {training!r:.60}")
        try:
            return cls(**given)
        except ValueError as error:
            refused, _, got = str(error).partition("; got ")
            refused = refused.replace("_", " ")
            raise ValueError(f"training must be a run that can be priced: {refused}; got {got or training!r}") from None

    @property
    def training(self) -> str:
        """What it is, as files hold it.

        Examples
        --------
        >>> TrainedModel(60_000, 256, 1.1, epochs=30).training
        'noise multiplier 1.1, batch size 256, records 60000, epochs 30, scheme poisson'
        """
        values = {name: getattr(self, name) for name in _ORDER}
        told = {name: value for name, value in values.items() if value is not None and (name, value) != _PLAIN_NORM}
        if self.records == _ANY and self.scheme == "poisson":
            rate = float(Fraction(told.pop("batch_size")) / told.pop("records"))
            told = {NOISE_MULTIPLIER.name: told[NOISE_MULTIPLIER.name], SAMPLING_RATE: rate, **told}
        return ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in told.items())

    @property
    def in_short(self) -> str:
        """What it is, as a cell of a table has room for; `from_text` reads it, without a scheme as Poisson batches.

        Examples
        --------
        >>> TrainedModel(60_000, 256, 1.1, epochs=30).in_short
        'multiplier 1.1, batch 256 of 60000, epochs 30'
        """
        text = self.training.removeprefix("noise ").removesuffix(", scheme poisson")
        return re.sub(r"batch size (\S+), records (\S+)", r"batch \1 of \2", text)

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs, as files hold them."""
        return {"training": self.training}

    @property
    def uses(self) -> dict[Mechanism, int]:
        """What it costs at most, as releases that every theorem reads.

        Examples
        --------
        >>> TrainedModel(1000, 100, 2.0, epochs=3, scheme="fixed_order").uses
        {Gaussian(sigma=2.0, sensitivity=1.0): 3}
        """
        mechanism, counts = DRAWN[self.scheme].uses(self, np.array([self.step_count]))
        return {mechanism: int(counts[0])}

    @property
    def mu(self) -> float | None:
        """μ of Gaussian noise on every record once an epoch, rounded up; None of samples."""
        ((mechanism, count),) = self.uses.items()
        if mechanism.mu is None:
            return None
        return raised(mechanism.mu * math.sqrt(count), _ROOT)

    @property
    def rho(self) -> float:
        """The zCDP parameters of its steps, added up."""
        if self.mu is not None:
            return max(raised(self.mu**2 / 2, _ROOT), LEAST)
        return raised(sum(count * each.rho for each, count in self.uses.items()), 2)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf), of its steps added up."""
        ALPHA.check_array(alpha)
        return raised(sum(count * each.rdp(alpha) for each, count in self.uses.items()), 2)

    def delta(self, epsilon: Amount) -> Amount:
        """Return a δ(ε) that holds of the whole, for every real ε."""
        return _whole(self).delta(epsilon)

    def epsilon(self, delta: Amount) -> Amount:
        """Return an ε >= 0 that holds of the whole at `delta`."""
        return _whole(self).epsilon(delta)

    def laws(self) -> tuple[Law, ...]:
        """Return the law of the pair with this profile, in place of its own, which is never worse."""
        whole = _whole(self)
        return whole.laws() if whole.mu is None else (GaussianCeiling(whole.mu),)

    def grouped(self, copies: int) -> Mechanism:
        """Return the profile of so many records that change together, by that of one; no lower end rests on it."""
        if COPIES.check(copies) == 1:
            return self
        whole = _whole(self)
        return whole.grouped(copies) if whole.mu is None else NoiseCeiling(1.0, raised(copies * whole.mu, 2))

    @property
    def cost(self) -> Cost:
        """That of its steps, of a scheme whose own has no closed form that of `ALIKE`: a proxy, as of all samples."""
        mechanism, counts = DRAWN[ALIKE.get(self.scheme, self.scheme)].uses(self, np.array([self.step_count]))
        return _RunCost(mechanism.cost, int(counts[0]), mechanism.base.sensitivity)

    def at_strength(self, ratio: float) -> TrainedModel:
        """Return the same run with this noise multiplier.

        Examples
        --------
        >>> TrainedModel(60_000, 256, 1.1, epochs=15).at_strength(2 / 3).noise_multiplier
        0.666667
        """
        return replace(self, noise_multiplier=in_digits(RATIO.check(ratio), ROUND_CEILING))

    def bare(self, ratio: float) -> TrainedModel:
        """Return the same, unrounded: a noise multiplier is in units of the clipping norm."""
        return replace(self, noise_multiplier=RATIO.check(ratio))

    def scaled(self, factor: Fraction) -> TrainedModel:
        """Return the same run with `factor` times the noise."""
        return replace(self, noise_multiplier=rounded_up(typed(self.noise_multiplier) * factor))

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> NoReturn:
        """Refuse to draw: its output is a model."""
        raise ValueError("a trained model publishes a model, not one number that could be drawn")

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> NoReturn:
        """Refuse likewise."""
        self.sample(value, 1, np.random.default_rng(0))

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in (*_NUMBERS, "scheme")}
        told = {name: value for name, value in given.items() if value is not None and (name, value) != _PLAIN_NORM}
        return f"TrainedModel({', '.join(f'{name}={value!r}' for name, value in told.items())})"


_PLAIN_NORM = ("clipping_norm", 1.0)
_BATCH = re.compile(r"\bbatch(?:es)?(?: size)?(?: of)?\s+([^\s,;]+)\s+of\s+([^\s,;]+)(?: records)?", re.IGNORECASE)
_NOISE = re.compile(r"(?<!noise.)\bmultiplier\b", re.IGNORECASE)  # "noise 4" alone may be a standard deviation
_STEPS = re.compile(r"^(?:rounds?|iterations?|updates?)\b")  # as others call them


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return repr(float(value) if isinstance(value, float) else int(value)).removesuffix(".0")


def _parts(text: str) -> list[str]:
    """The fields of a text, each by its whole name."""
    whole = _BATCH.sub(r"batch size \1, records \2", text)
    return [_NOISE.sub("noise multiplier", part) for part in map(str.strip, re.split(r"[,;\n]", whole)) if part]


def _read(part: str) -> tuple[str, object]:
    """The name and the value of one field."""
    text = re.sub(r"^([\d.,e+-]+%?)\s+(.*)", r"\2 \1", part.lower().replace("_", " "))  # “3 epochs” is “epochs 3”
    text = _STEPS.sub("steps", text)
    name = next((each for each in FIELDS if text.startswith(each.replace("_", " "))), None)
    if name is None:
        named = ", ".join(each.replace("_", " ") for each in FIELDS)
        raise ValueError(f"training must be told by some of {named}, like {_EXAMPLE}; got {part!r:.60}")
    rest = text.removeprefix(name.replace("_", " ")).strip(" =:")
    if name == "scheme":
        return name, rest.replace(" ", "_")
    if name == SAMPLING_RATE:
        return name, _rate(rest)
    value = number(rest)
    if value is None:
        raise ValueError(f"training must have a number after {name.replace('_', ' ')}; got {rest!r:.60}")
    whole = _NUMBERS[name].integer and math.isfinite(value) and value == int(value)
    return name, int(value) if whole else value


def _rate(text: str) -> Fraction:
    """A sampling rate as it is typed: a number, a quotient or per cent."""
    parts = [number(each.strip()) for each in text.removesuffix("%").split("/")]
    if None in parts or not all(math.isfinite(each) and each > 0 for each in parts) or len(parts) > 2:
        raise ValueError(f"training must have a number in (0, 1] after sampling rate; got {text!r:.60}")
    first, *others = map(typed, parts)
    rate = first / others[0] if others else first
    rate = rate / 100 if text.endswith("%") else rate
    if not 0 < rate <= 1:
        raise ValueError(f"training must have a number in (0, 1] after sampling rate; got {text!r:.60}")
    return rate


def _with_batches(given: dict[str, object]) -> dict[str, object]:
    """The fields with batch size and records in place of the sampling rate: never a smaller one than was typed."""
    if SAMPLING_RATE not in given:
        return given
    others = {name: value for name, value in given.items() if name != SAMPLING_RATE}
    rate, size, records = given[SAMPLING_RATE], given.get("batch_size"), given.get("records")
    if size is not None and records is not None:
        raise ValueError("training must name two of sampling rate, batch size and records; got all three")
    if math.inf in (size, records):  # which no run has: that is said of it, whatever the other one is
        return {"batch_size": 1, "records": 1} | others
    if size is not None:
        return {**others, "records": max(math.floor(typed(size) / rate), 1)}
    if records is not None:
        return {**others, "batch_size": rounded_up(rate * typed(records))}
    if (scheme := given.get("scheme", "poisson")) != "poisson":
        raise ValueError(f"training must name batch size and records beside scheme {scheme}; got the rate alone")
    return {**others, "batch_size": math.ceil(rate * _ANY), "records": _ANY}


@lru_cache(maxsize=256)
def _whole(model: TrainedModel) -> Declared:
    """What is known of the whole as one release: its μ, or its Rényi curve where that is finite."""
    mu = model.mu
    if mu is not None and DECLARED_MU.admits(mu):
        return Declared.gdp(mu)
    curve = np.asarray(model.rdp(_ORDERS))
    known = np.isfinite(curve) & (curve <= DIVERGENCE.high)
    return Declared.renyi(_ORDERS[known], curve[known]) if known.any() else Declared.profile([0.0], [1.0])
