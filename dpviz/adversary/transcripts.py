"""Playing the experiment: some trials at once, in both worlds, round by round or all rounds at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.adversary.experiment import NOTHING_ASKED, Experiment, Question, sensitivity_of

WORLDS = (0, 1)
CHUNK_DRAWS = 2**17  # per world: a megabyte, so that arrays stay in the cache
ADAPTIVE_CHUNK_DRAWS = 2**19  # adaptive play loops over rounds: more trials at once
WIDE, SHORT = 200, 400  # trials, rounds: where one way of summing becomes faster than another
BLOCK = 2**13  # numbers that are compared at once
_BEYOND = 1e-9  # relative rounding of a difference of two floats


@dataclass(frozen=True)
class Transcript:
    """What some trials produced.

    Parameters
    ----------
    means, log_ratios : tuple of ndarray of float, shape (checkpoints, trials)
        By world: running mean, and ln p(view | world 1) / p(view | world 0), after each checkpoint.
    outputs : tuple of ndarray of float, shape (trials, rounds), or of None
        NaN where a mechanism told nothing, or nothing was asked.
    asked : tuple of ndarray of int16, shape (trials, rounds), or of None
        Which mechanism was asked, where play is adaptive; -1 where none was.
    """

    means: tuple[np.ndarray, np.ndarray]
    log_ratios: tuple[np.ndarray, np.ndarray]
    outputs: tuple[np.ndarray | None, np.ndarray | None]
    asked: tuple[np.ndarray | None, np.ndarray | None]

    @property
    def trials(self) -> int:
        """Trials played in each world."""
        return self.means[0].shape[1]


def chunk_sizes(experiment: Experiment) -> list[int]:
    """Return how many trials each chunk plays; it depends on the experiment alone, never on the number of workers.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> chunk_sizes(Experiment((Laplace(1.0),), (0.0, 1.0), 1, 100_000))
    [100000]
    """
    draws = ADAPTIVE_CHUNK_DRAWS if experiment.adaptive else CHUNK_DRAWS
    size = max(1, draws // experiment.rounds)
    whole, rest = divmod(experiment.trials, size)
    return [size] * whole + ([rest] if rest else [])


def transcript(experiment: Experiment, trials: int, rng: np.random.Generator) -> Transcript:
    """Play `trials` trials in each world.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> experiment = Experiment((Laplace(1.0),), (0.0, 1.0), 5, 10)
    >>> transcript(experiment, 10, np.random.default_rng(1)).outputs[0].shape
    (10, 5)
    """
    play = _played_adaptively if experiment.adaptive else _played_at_once
    return Transcript(*zip(*(play(experiment, world, trials, rng) for world in WORLDS), strict=True))


def _played_at_once(experiment: Experiment, world: int, trials: int, rng: np.random.Generator) -> tuple:
    """One world of an experiment whose questions are known: all rounds of a question are drawn together."""
    shape = (experiment.rounds, trials)
    outputs, log_ratios = np.empty(shape), np.empty(shape)
    readings = outputs
    kept = None
    for question, rows in experiment.question_rounds.items():
        pair, places = (question.low, question.high), outputs[rows].shape
        block, into = max(1, BLOCK // trials), (outputs[rows], log_ratios[rows])
        into = into if isinstance(rows, slice) else tuple(map(np.empty_like, into))
        drawn = _noise(question, world, pair, places, rng)
        for first in range(0, places[0], block):  # small enough to stay near the processor
            some = slice(first, first + block)
            into[0][some], into[1][some] = _told_apart(question, pair, drawn[some])
        if not isinstance(rows, slice):
            outputs[rows], log_ratios[rows] = into
    if experiment.keeps_outputs:
        kept = outputs.copy().T
    for question, rows in experiment.question_rounds.items():
        if not _reads_plainly(experiment, question):
            readings[rows] = reading(experiment, question, outputs[rows], question.low, question.high)
    means = _running(readings, experiment.checkpoints)
    means /= experiment.checkpoints[:, None]
    return means, _running(log_ratios, experiment.checkpoints), kept, None


def _drawn(question: Question, world: int, pair: tuple, shape: object, rng: np.random.Generator) -> tuple:
    """Outputs and their log-likelihood ratios."""
    return _told_apart(question, pair, _noise(question, world, pair, shape, rng))


def _noise(question: Question, world: int, pair: tuple, shape: object, rng: np.random.Generator) -> np.ndarray:
    """Outputs; additive noise is drawn around 0 and moved afterwards.

    The rounding of answers that are large beside the noise would tell the worlds apart, as it does in careless
    implementations, and no theorem speaks of that.
    """
    low, high = pair
    if not question.adds_noise:
        return question.mechanism.sample(pair[world], shape, rng)
    return question.mechanism.sample(high - low if world else 0.0, shape, rng)


def _told_apart(question: Question, pair: tuple, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What was drawn, moved to the answers, and its log-likelihood ratios."""
    mechanism, (low, high) = question.mechanism, pair
    if not question.adds_noise:
        return drawn, mechanism.log_ratio(drawn, high, low)
    ratios = mechanism.log_ratio(drawn, high - low, 0.0)
    drawn += low
    return drawn, ratios


def _reads_plainly(experiment: Experiment, question: Question) -> bool:
    return not question.tells_bit and (question.low, question.high) == experiment.scale


def reading(
    experiment: Experiment, question: Question, outputs: np.ndarray, low: np.ndarray | float, high: np.ndarray | float
) -> np.ndarray:
    """Return outputs on the scale of the secrets, so that a mean over different questions makes sense.

    Noise around `low` and `high` is moved and stretched to the answers of the secrets; what speaks for a
    bit becomes its answer; what speaks for neither lies in the middle.

    Examples
    --------
    >>> from dpviz.mechanisms import NameAndShame
    >>> experiment = Experiment((NameAndShame(0.5),), (1.0, 2.0), 1, 1)
    >>> reading(experiment, experiment.questions[0], np.array([0.0, 1.0, np.nan]), 0, 1)
    array([1. , 2. , 1.5])
    """
    first, second = experiment.scale
    if question.tells_bit:
        outputs = 0.5 + 0.5 * np.sign(question.mechanism.log_ratio(outputs, 1, 0))
    return first + (second - first) * ((outputs - low) / (high - low))


def _running(values: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The sums of rows up to each checkpoint; uses up `values`."""
    starts = np.concatenate([[0], checkpoints[:-1]])
    if len(checkpoints) < len(values) <= SHORT:
        sums = np.empty((len(checkpoints), values.shape[1]))
        for row, (first, last) in enumerate(zip(starts, checkpoints, strict=True)):
            np.add.reduce(values[first:last], axis=0, out=sums[row])
        values = sums
    elif len(checkpoints) < len(values):
        values = np.add.reduceat(values, starts, axis=0)
    if values.shape[1] < WIDE:
        return np.cumsum(values, axis=0)
    for row in range(1, len(values)):  # a few times as fast as cumsum over long rows
        values[row] += values[row - 1]
    return values


def _played_adaptively(experiment: Experiment, world: int, trials: int, rng: np.random.Generator) -> tuple:
    """One world of an experiment in which questions depend on the outputs so far."""
    outputs = np.full((trials, experiment.rounds), np.nan)
    asked = np.full((trials, experiment.rounds), NOTHING_ASKED, dtype=np.int16)
    means, log_ratios = (np.empty((len(experiment.checkpoints), trials)) for _ in range(2))
    total, log_ratio, answered = np.zeros(trials), np.zeros(trials), np.zeros(trials)
    meter = Meter(experiment, trials)
    middle, marks = sum(experiment.scale) / 2, {int(mark): row for row, mark in enumerate(experiment.checkpoints)}
    for index in range(experiment.rounds):
        asked[:, index] = meter.admitted(_chosen(experiment, outputs[:, :index]))
        moves = _answered(experiment, world, outputs[:, :index], asked[:, index], rng)
        for rows, drawn, ratio, read in moves:
            outputs[rows, index] = drawn
            log_ratio[rows] += ratio
            total[rows] += read
            answered[rows] += 1
        if (row := marks.get(index + 1)) is not None:
            log_ratios[row] = log_ratio
            means[row] = np.where(answered > 0, total / np.maximum(answered, 1), middle)
    kept = (outputs, asked) if experiment.keeps_outputs else (None, None)
    return means, log_ratios, *kept


def _chosen(experiment: Experiment, seen: np.ndarray) -> np.ndarray:
    """The mechanism each trial asks next, as its adversary wants it."""
    trials, index = seen.shape
    if experiment.choose is None:
        return np.full(trials, index % len(experiment.mechanisms))
    chosen = np.asarray(experiment.choose(_read_only(seen)))
    if chosen.shape not in ((), (trials,)) or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError(f"choose must return {trials} whole numbers; got an array of {chosen.dtype} {chosen.shape}")
    last = len(experiment.mechanisms) - 1
    if chosen.min(initial=NOTHING_ASKED) < NOTHING_ASKED or chosen.max(initial=NOTHING_ASKED) > last:
        raise ValueError(f"choose must return numbers in [-1, {last}]; got {chosen.min()} to {chosen.max()}")
    return np.broadcast_to(chosen, (trials,))


def _read_only(values: np.ndarray) -> np.ndarray:
    view = values.view()
    view.flags.writeable = False
    return view


def _answered(
    experiment: Experiment, world: int, seen: np.ndarray, asked: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple]:
    """Yield, for each question asked this round: its trials, their outputs, log-likelihood ratios and readings."""
    answers = None
    if experiment.ask is not None:
        pair = experiment.ask(_read_only(seen))
        answers = [np.broadcast_to(np.asarray(each, dtype=float), asked.shape) for each in pair]
    for number in np.unique(asked[asked != NOTHING_ASKED]):
        question, rows = experiment.questions[number], np.flatnonzero(asked == number)
        if answers is None:
            yield _told(experiment, question, world, rows, (question.low, question.high), rng)
            continue
        low, high = (each[rows] for each in answers)
        _check_answers(low, high, sensitivity_of(question.mechanism))
        if not question.tells_bit:
            yield _told(experiment, question, world, rows, (low, high), rng)
            continue
        for rising, bits in ((True, (0, 1)), (False, (1, 0))):
            if (turned := rows[(low < high) == rising]).size:
                yield _told(experiment, question, world, turned, bits, rng)


def _told(
    experiment: Experiment, question: Question, world: int, rows: np.ndarray, pair: tuple, rng: np.random.Generator
) -> tuple:
    drawn, ratio = _drawn(question, world, pair, len(rows), rng)
    return rows, drawn, ratio, reading(experiment, question, np.asarray(drawn, dtype=float), *pair)


def _check_answers(low: np.ndarray, high: np.ndarray, sensitivity: float) -> None:
    distance = np.abs(high - low)
    if not np.all((distance > 0) & (distance <= sensitivity * (1 + _BEYOND))):
        bad = ~((distance > 0) & (distance <= sensitivity * (1 + _BEYOND)))
        raise ValueError(
            f"ask must return answers that differ by at most the sensitivity {sensitivity:.15g}, and do differ; "
            f"got {low[bad][0]!r} and {high[bad][0]!r}"
        )


class Meter:
    """The filters of many trials at once: trials that have made the same releases share one.

    Parameters
    ----------
    experiment : Experiment
        Its `budget` is any object with ``admits(mechanism)`` and ``spend(mechanism)``; None admits everything.
    trials : int
    """

    def __init__(self, experiment: Experiment, trials: int) -> None:
        self._mechanisms = experiment.mechanisms
        self._filters = [experiment.budget]
        self._counts = [(0,) * len(self._mechanisms)]
        self._numbers = {self._counts[0]: 0}
        self._moves: dict[tuple[int, int], int] = {}
        self._state = np.zeros(trials, dtype=np.int64)

    def admitted(self, chosen: np.ndarray) -> np.ndarray:
        """Return `chosen` with -1 where the filter refuses, and book the rest; a refusal costs nothing."""
        if self._filters[0] is None:
            return chosen
        size = len(self._mechanisms)
        wanted = np.where(chosen == NOTHING_ASKED, -1, self._state * size + chosen)
        kinds, inverse = np.unique(wanted, return_inverse=True)
        moves = np.array([self._move(*divmod(int(kind), size)) if kind >= 0 else -1 for kind in kinds])[inverse]
        self._state = np.where(moves >= 0, moves, self._state)
        return np.where(moves >= 0, chosen, NOTHING_ASKED)

    def _move(self, state: int, number: int) -> int:
        """The state after releasing mechanism `number`; -1 where the filter refuses it."""
        if (state, number) not in self._moves:
            current, mechanism = self._filters[state], self._mechanisms[number]
            admits = current.admits(mechanism)
            self._moves[state, number] = self._numbered(state, number, current.spend(mechanism)) if admits else -1
        return self._moves[state, number]

    def _numbered(self, state: int, number: int, spent: object) -> int:
        counts = tuple(count + (place == number) for place, count in enumerate(self._counts[state]))
        if counts not in self._numbers:
            self._numbers[counts] = len(self._filters)
            self._filters.append(spent)
            self._counts.append(counts)
        return self._numbers[counts]
