"""The composition experiment as a value: who is asked what, about which two neighbouring databases, and how often."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat

import numpy as np

from dpviz.adversary.neighbours import answers
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.uses import in_bars
from dpviz.parameters import Parameter
from dpviz.plan import Plan, as_plan

TRIALS = Parameter("trials", "n", "times the experiment is played in each world", 1, 1_000_000, integer=True)
ROUNDS = Parameter("rounds", "k", "releases the adversary sees", 1, 100_000, integer=True)
DRAWS = Parameter("draws = 2 x trials x rounds", "", "outputs drawn", 1, 1_000_000_000, integer=True)
WORKERS = Parameter("workers", "", "threads that play", 1, 64, integer=True)
KEPT_DRAWS = 5_000_000  # outputs are kept up to here: 40 MB
MOST_MECHANISMS = 10_000
MOST_CHECKPOINTS = 100
NOTHING_ASKED = -1

Choose = Callable[[np.ndarray], np.ndarray]
Ask = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, slots=True)
class Question:
    """One mechanism with the answers it would give, without noise, in the two worlds.

    Parameters
    ----------
    mechanism : Mechanism
    low, high : float
        What it reads from the first and from the second database; a mechanism that tells a bit reads 0 and 1.
    """

    mechanism: Mechanism
    low: float
    high: float

    @property
    def tells_bit(self) -> bool:
        """Whether the mechanism knows no sensitivity: its secret is a bit."""
        return math.isinf(sensitivity_of(self.mechanism))

    @property
    def adds_noise(self) -> bool:
        """Whether an answer only moves the outputs: noise is added to it, or to that of a random sample.

        Of a sample, the record makes the difference between the answers where it is drawn, and nothing where it is not.
        """
        return getattr(self.mechanism, "base", self.mechanism).noise is not None


def sensitivity_of(mechanism: Mechanism) -> float:
    """Return the sensitivity of the answer a mechanism adds noise to; inf where it tells a bit.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> sensitivity_of(Laplace(1.0, 2.0)), sensitivity_of(RandomizedResponse(1.0))
    (2.0, inf)
    """
    return getattr(getattr(mechanism, "base", mechanism), "sensitivity", math.inf)


@dataclass(frozen=True)
class Experiment:
    """The composition experiment; see `dpviz.adversary.play.run_experiment`, which makes it.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
        The set the adversary selects from; without `choose`, asked in this order and then again from the start.
    secrets : tuple or None
        The neighbouring databases; None: for each mechanism, answers as far apart as its sensitivity allows.
    rounds, trials : int
    choose, ask : callable or None
    budget : object or None
        A filter.
    query : str
        Key of one of ``dpviz.adversary.neighbours.QUERIES``.
    seed : tuple
        Entropy and spawn key of the generator, and how many children it had: what is needed to run it again.

    Raises
    ------
    ValueError
        When a value is not allowed, or the secrets are not neighbours under every sensitivity.
    """

    mechanisms: tuple[Mechanism, ...]
    secrets: tuple[object, object] | None
    rounds: int
    trials: int
    choose: Choose | None = None
    ask: Ask | None = None
    budget: object = None
    query: str = "component"
    seed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", ROUNDS.check(self.rounds))
        object.__setattr__(self, "trials", TRIALS.check(self.trials))
        DRAWS.check(self.draws)
        for name in ("choose", "ask"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise ValueError(f"{name} must be a function of the outputs so far; got {getattr(self, name)!r}")
        if self.secrets is None:
            return
        object.__setattr__(self, "secrets", _pair(self.secrets))
        _ = self.scale  # refuses secrets that are no neighbours

    @property
    def draws(self) -> int:
        """Outputs in both worlds together."""
        return 2 * self.trials * self.rounds

    @property
    def keeps_outputs(self) -> bool:
        """Whether every output is kept."""
        return self.draws <= KEPT_DRAWS

    @property
    def adaptive(self) -> bool:
        """Whether anything depends on earlier outputs."""
        return self.choose is not None or self.ask is not None or self.budget is not None

    @property
    def fixed_in_advance(self) -> bool:
        """Whether the noise of each round is fixed in advance: else the composed curve is no bound."""
        return self.choose is None

    @cached_property
    def scale(self) -> tuple[float, float]:
        """The two answers between which the running mean lies: those of the secrets; (0, 1) without secrets."""
        if self.secrets is None:
            return 0.0, 1.0
        least = min((sensitivity_of(each) for each in self.mechanisms), default=math.inf)
        return answers(*self.secrets, least, self.query)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """What each mechanism is asked, unless `ask` says otherwise."""
        return tuple(self._question(mechanism) for mechanism in self.mechanisms)

    def _question(self, mechanism: Mechanism) -> Question:
        sensitivity = sensitivity_of(mechanism)
        if math.isinf(sensitivity):
            return Question(mechanism, 0, 1)
        return Question(mechanism, *(self.scale if self.secrets is not None else (0.0, sensitivity)))

    @cached_property
    def checkpoints(self) -> np.ndarray:
        """The rounds after which everybody's statistics are kept: all of them, or some 100 of many."""
        if self.rounds <= MOST_CHECKPOINTS:
            return np.arange(1, self.rounds + 1)
        spread = np.concatenate([np.geomspace(1, self.rounds, 50), np.linspace(1, self.rounds, 51)])
        return np.unique(np.round(spread).astype(np.int64))

    @cached_property
    def tie(self) -> float:
        """Log-likelihood ratios this close are equal: their difference is rounding, which must not decide a guess.

        Laplace noise beyond both answers gives exactly ±ε, so sums that tie have positive probability; and how such a
        sum rounds depends on the world that was played.
        """
        ratios = (each.mechanism.log_ratio(np.array([float(each.low)]), each.high, each.low) for each in self.questions)
        largest = max((float(abs(ratio[0])) for ratio in ratios if np.isfinite(ratio[0])), default=0.0)
        return 1e-12 * self.rounds * (1 + largest)

    @cached_property
    def question_rounds(self) -> dict[Question, slice | np.ndarray]:
        """The rounds, from 0, in which each distinct question is asked when the list is worked through."""
        order = np.arange(self.rounds) % len(self.questions)
        columns: dict[Question, int] = {}
        column = np.array([columns.setdefault(question, len(columns)) for question in self.questions])
        return {question: _places(column[order] == number) for question, number in columns.items()}


def _places(wanted: np.ndarray) -> slice | np.ndarray:
    """Where `wanted` holds; as a slice, which is faster, where the places are evenly spaced."""
    places = np.flatnonzero(wanted)
    steps = np.diff(places)
    if not len(places) or (steps != steps[:1]).any():
        return places
    step = int(steps[0]) if len(steps) else 1
    return slice(int(places[0]), int(places[-1]) + 1, step)


def _pair(secrets: object) -> tuple[object, object]:
    """The two databases as values that compare: numbers, or tuples of numbers."""
    try:
        first, second = secrets
    except (TypeError, ValueError):
        raise ValueError(f"secrets must be two databases, or None; got {reprlib.repr(secrets)}") from None
    return _frozen(first), _frozen(second)


def _frozen(values: object) -> object:
    return tuple(values) if isinstance(values, list | tuple | np.ndarray) and np.ndim(values) else values


def mechanism_list(
    mechanisms: Mechanism | Plan | Iterable[Mechanism], part: str | None = None
) -> tuple[Mechanism, ...]:
    """Return the mechanisms as the list an adversary works through.

    Parameters
    ----------
    mechanisms : Mechanism, Plan, mapping of Mechanism to count, or iterable of Mechanism
        A plan, or a mapping, stands for its releases in order, each as often as its count.
    part : str, optional
        For a plan with parts: the part that the target is in.

    Raises
    ------
    ValueError
        When there is none or there are too many, or one is no mechanism, or has no outputs that could be drawn.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> len(mechanism_list([Laplace(2.0), Laplace(1.0)]))
    2
    """
    if isinstance(mechanisms, Mapping):
        mechanisms = as_plan(mechanisms)
    if isinstance(mechanisms, Plan):
        mechanisms.check_sensitivities()
        mechanisms = _releases(mechanisms, part)
    elif isinstance(mechanisms, Mechanism):
        mechanisms = (mechanisms,)
    if not isinstance(mechanisms, Iterable):
        raise ValueError(f"mechanisms must be a sequence of mechanisms; got {reprlib.repr(mechanisms)}")
    mechanisms = tuple(mechanisms)
    if not 1 <= len(mechanisms) <= MOST_MECHANISMS:
        raise ValueError(f"mechanisms must be a list of 1 to {MOST_MECHANISMS} mechanisms; got {len(mechanisms)}")
    for each in mechanisms:
        if not isinstance(each, Mechanism):
            raise ValueError(f"mechanisms must be a sequence of mechanisms; got {reprlib.repr(each)}")
    for each in set(mechanisms):
        each.sample(0, 0, np.random.default_rng())  # refuses what has no outputs to draw
    return mechanisms


def _releases(plan: Plan, part: str | None) -> Iterable[Mechanism]:
    read = [(*in_bars(each.mechanism), each.uses) for each in plan.releases if each.part in (None, part)]
    total = sum(bars * uses for _, bars, uses in read)
    if total > MOST_MECHANISMS:
        raise ValueError(f"mechanisms of a plan must be at most {MOST_MECHANISMS} releases; got {total}")
    return chain.from_iterable(repeat(mechanism, bars * uses) for mechanism, bars, uses in read)
