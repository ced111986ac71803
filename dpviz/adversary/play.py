"""The composition experiment: an adversary who sees every release tries to tell two neighbouring databases apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import numpy as np

from dpviz.adversary.experiment import WORKERS, Ask, Choose, Experiment, mechanism_list
from dpviz.adversary.transcripts import WORLDS, Transcript, chunk_sizes, transcript
from dpviz.adversary.views import DECISIONS, PATHS, Tallies, Views
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan

__all__ = ["Experiment", "Views", "experiment_in_chunks", "run_experiment"]


def run_experiment(
    mechanisms: Mechanism | Plan | Iterable[Mechanism],
    secrets: tuple[object, object] | None = (1.0, 2.0),
    rounds: int | None = None,
    choose: Choose | None = None,
    *,
    trials: int,
    rng: np.random.Generator,
    workers: int = 1,
    ask: Ask | None = None,
    budget: object = None,
    query: str = "component",
) -> Views:
    """Play the composition experiment in both worlds and return what the adversary holds afterwards.

    Parameters
    ----------
    mechanisms : Mechanism, Plan or iterable of Mechanism
        The set the adversary selects from; without `choose` it is asked in this order.
    secrets : pair of databases, or None
        Numbers, or lists of numbers: the databases of world 0 and of world 1. A mechanism that tells a bit is given 0
        and 1. None: for each mechanism, answers as far apart as its sensitivity allows.
    rounds : int, optional
        Outputs the adversary sees, in [1, 100000]; None is one pass, more repeats the list.
    choose : callable, optional
        ``choose(outputs)``, outputs of shape (trials, rounds so far), returns the place in `mechanisms` of what each
        trial asks next, or -1 for nothing.
    trials : int
        In each world, in [1, 1000000].
    rng : numpy.random.Generator
        Fixed chunks of trials each draw from their own child of it.
    workers : int
        Threads, in [1, 64]; numpy lets go of the interpreter while it draws. The result does not depend on them.
    ask : callable, optional
        ``ask(outputs)`` returns, for each trial, the exact answers of the two databases it puts forward next: they
        differ, by at most the sensitivity.
    budget : filter, optional
        Any object with ``admits(mechanism)`` and ``spend(mechanism)``; what it refuses is not answered.
    query : str
        What mechanisms read from a list of numbers: key of one of ``dpviz.adversary.neighbours.QUERIES``.

    Returns
    -------
    Views

    Raises
    ------
    ValueError
        When a value is not allowed, or the secrets are no neighbours.

    Notes
    -----
    Neighbour relation: bounded change of one component, see ``dpviz.adversary.neighbours.RULE``. With `choose`,
    composed curves are no bound any more: only basic composition's, or the filter's, is.

    References
    ----------
    Dwork, Rothblum & Vadhan (2010), Boosting and Differential Privacy, Sec. 3 (the k-fold adaptive composition
    experiment); Rogers et al. (2016), Privacy Odometers and Filters, for parameters chosen along the way.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.mechanisms import Laplace
    >>> views = run_experiment([Laplace(2.0), Laplace(1.0)], trials=1000, rng=np.random.default_rng(7))
    >>> views.outputs.shape
    (2, 1000, 2)
    """
    chunks = experiment_in_chunks(
        mechanisms, secrets, rounds, choose,
        trials=trials, rng=rng, workers=workers, ask=ask, budget=budget, query=query,
    )  # fmt: skip
    return deque(chunks, maxlen=1).pop()


def experiment_in_chunks(
    mechanisms: Mechanism | Plan | Iterable[Mechanism],
    secrets: tuple[object, object] | None = (1.0, 2.0),
    rounds: int | None = None,
    choose: Choose | None = None,
    *,
    trials: int,
    rng: np.random.Generator,
    workers: int = 1,
    ask: Ask | None = None,
    budget: object = None,
    query: str = "component",
) -> Iterator[Views]:
    """Play the experiment chunk by chunk, so that progress shows and it can be stopped: yield the views after each.

    Takes what `run_experiment` takes, and refuses bad values at once. Close the generator, or leave the loop, to stop;
    the last views are a result of their own, with fewer trials. Whoever stops because of what they see biases it.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.mechanisms import Laplace
    >>> for views in experiment_in_chunks([Laplace(1.0)], trials=1_000_000, rng=np.random.default_rng(7)):
    ...     if views.trials >= 100_000:
    ...         break
    >>> views.trials, views.complete
    (131072, False)
    """
    mechanisms = mechanism_list(mechanisms)
    rounds = len(mechanisms) if rounds is None else rounds
    workers = WORKERS.check(workers)
    seed = _seed(rng)
    experiment = Experiment(mechanisms, secrets, rounds, trials, choose, ask, budget, query, seed)
    return _views(experiment, rng.spawn(len(chunk_sizes(experiment))), workers)


def _seed(rng: np.random.Generator) -> tuple:
    if not isinstance(rng, np.random.Generator) or not isinstance(
        rng.bit_generator.seed_seq, np.random.bit_generator.ISpawnableSeedSequence
    ):
        raise ValueError(f"rng must be a numpy random Generator made from a seed; got {rng!r}")
    sequence = rng.bit_generator.seed_seq
    entropy = sequence.entropy if np.ndim(sequence.entropy) == 0 else tuple(sequence.entropy)
    return type(rng.bit_generator).__name__, entropy, tuple(sequence.spawn_key), sequence.n_children_spawned


def _views(experiment: Experiment, children: list[np.random.Generator], workers: int) -> Iterator[Views]:
    record = Record(experiment)
    for each in _transcripts(experiment, children, workers):
        yield record.with_transcript(each)


def _transcripts(experiment: Experiment, children: list[np.random.Generator], workers: int) -> Iterator[Transcript]:
    """Each chunk's transcript, in order; with several workers, a few are played ahead."""
    jobs = zip(chunk_sizes(experiment), children, strict=True)
    if workers == 1:
        yield from (transcript(experiment, trials, child) for trials, child in jobs)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        ahead: deque[Future] = deque()
        for trials, child in islice(jobs, 2 * workers):
            ahead.append(pool.submit(transcript, experiment, trials, child))
        while ahead:
            done = ahead.popleft().result()
            for trials, child in islice(jobs, 1):
                ahead.append(pool.submit(transcript, experiment, trials, child))
            yield done
    finally:
        pool.shutdown(cancel_futures=True)


class Record:
    """The growing record of an experiment; the views it gives share its memory, of which they see what they counted."""

    def __init__(self, experiment: Experiment) -> None:
        marks, trials = len(experiment.checkpoints), experiment.trials
        paths = min(trials, PATHS)
        self.experiment: Experiment = experiment
        self.trials = 0
        self._means, self._log_ratios = (np.empty((2, trials)) for _ in range(2))
        self._mean_paths, self._log_ratio_paths = (np.empty((2, paths, marks)) for _ in range(2))
        self._right = {decision: np.zeros((2, marks), dtype=np.int64) for decision in DECISIONS}
        self._total, self._square = (np.zeros((2, marks)) for _ in range(2))
        whole = (2, trials, experiment.rounds)
        self._outputs = np.empty(whole) if experiment.keeps_outputs else None
        self._asked = np.empty(whole, dtype=np.int16) if experiment.keeps_outputs and experiment.adaptive else None

    def with_transcript(self, played: Transcript) -> Views:
        """Add what a chunk produced and return the views so far."""
        first, last = self.trials, self.trials + played.trials
        for world in WORLDS:
            means, log_ratios = played.means[world], played.log_ratios[world]
            self._means[world, first:last], self._log_ratios[world, first:last] = means[-1], log_ratios[-1]
            for paths, values in ((self._mean_paths, means), (self._log_ratio_paths, log_ratios)):
                room = paths[world, first:last]
                room[:] = values[:, : len(room)].T
            for whole, part in ((self._outputs, played.outputs), (self._asked, played.asked)):
                if whole is not None:
                    whole[world, first:last] = part[world]
            self._count(world, means, log_ratios)
        self.trials = last
        return self._snapshot()

    def _count(self, world: int, means: np.ndarray, log_ratios: np.ndarray) -> None:
        """Add to the tallies; uses up `means`."""
        means -= sum(self.experiment.scale) / 2
        self._total[world] += means.sum(axis=1)
        self._square[world] += np.einsum("ct,ct->c", means, means)
        for decision, statistic, line in (("optimal", log_ratios, self.experiment.tie), ("midpoint", means, 0.0)):
            said_one = (statistic > line).sum(axis=1)
            self._right[decision][world] += said_one if world else statistic.shape[1] - said_one

    def _snapshot(self) -> Views:
        seen = self.trials
        outputs, asked = (None if each is None else each[:, :seen] for each in (self._outputs, self._asked))
        right = {decision: counts.copy() for decision, counts in self._right.items()}
        tallies = Tallies(right, self._total.copy(), self._square.copy())
        statistics = (self._means, self._log_ratios, self._mean_paths, self._log_ratio_paths)
        return Views(self.experiment, seen, *(each[:, :seen] for each in statistics), tallies, outputs, asked)
