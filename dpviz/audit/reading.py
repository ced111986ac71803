"""Reading an audit: what measured scores prove about ε, and the price of choosing where to look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz.audit.one_run import CANARIES, one_run_epsilon
from dpviz.audit.power import DESIGNS, Design
from dpviz.audit.scores import Scores
from dpviz.audit.thresholds import SURE, threshold_epsilon
from dpviz.parameters import DELTA, Parameter, checked, checked_choice

Choice = Literal["beforehand", "best", "split"]
CHOICES: dict[str, str] = {
    "beforehand": "fixed before the scores were seen",
    "best": "the best of all, at the price of looking at all",
    "split": "chosen on one half, measured on the other",
}
THRESHOLD = Parameter("threshold", "", "score above which the test says that the unit is in", -math.inf, math.inf)
SHARES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.09, 0.06, 0.03)  # of the canaries, about which guesses are tried


@dataclass(frozen=True, slots=True)
class Reading:
    """What measured scores prove about ε.

    Parameters
    ----------
    epsilon : float
        With probability at least `confidence` the mechanism's ε at `delta` is at least this; rounded down.
    delta, confidence : float
    design, choice : str
        Keys of ``DESIGNS`` and ``CHOICES``.
    threshold : float or None
        Of many runs: the unit is said to be in above it.
    members, others : int
        Scores behind it, with the unit and without.
    true_positives, false_positives : int
        Of many runs: how many of each lie above the threshold.
    guesses, right : int
        Of one run: how many guesses were made, and how many are right.
    looked_at : int
        Among how many thresholds or numbers of guesses the best was taken, which widens the intervals; 1 for none.
    """

    epsilon: float
    delta: float
    confidence: float
    design: str
    choice: str
    threshold: float | None
    members: int
    others: int
    true_positives: int = 0
    false_positives: int = 0
    guesses: int = 0
    right: int = 0
    looked_at: int = 1


def read_audit(
    scores: Scores, delta: float = 0.0, confidence: float = 0.95, design: Design = "many_runs",
    choice: Choice = "best", at: float | None = None, rng: np.random.Generator | None = None,
) -> Reading:  # fmt: skip
    """Return the lower bound on ε that measured scores prove.

    Parameters
    ----------
    scores : Scores
    delta : float
        In [0, 1].
    confidence : float
        In (0, 0.999999].
    design : str
        A key of ``DESIGNS``: whether each score comes from a run of its own, or all are canaries of one run.
    choice : str
        A key of ``CHOICES``.
    at : float, optional
        What was fixed beforehand: the threshold of many runs, or the number of guesses of one run. Needed there alone.
    rng : numpy.random.Generator, optional
        Halves the scores, where one half chooses, and parts equal ones of one run; needed there alone.

    Returns
    -------
    Reading

    Notes
    -----
    Over all thresholds at once: where x scores lie above one, the rate above it is at least that from the x-th largest
    on. That is at least a beta variable with x and n - x + 1, whose quantile the Clopper-Pearson end is; there are n
    such scores, so that 1/n of the error for each suffices, whatever the distribution (Bonferroni). Of one run, ten
    numbers of guesses are tried, with a tenth of the error for each. Guesses fall on the largest and the smallest
    scores, half each. Neighbour relation: whichever the rows differ by.

    References
    ----------
    Clopper & Pearson (1934); Steinke, Nasr & Jagielski (2023), arXiv 2305.08846v1, Cor. 5.4.

    Examples
    --------
    >>> from dpviz import Laplace, Plan, Release
    >>> from dpviz.audit.scores import simulated_scores
    >>> plan = Plan([Release("a", Laplace.from_epsilon(1.0))])
    >>> import numpy as np
    >>> scores = simulated_scores(plan, 2000, np.random.default_rng(1))
    >>> for choice, at in (("beforehand", 0.0), ("best", None)):
    ...     print(f"{read_audit(scores, choice=choice, at=at).epsilon:.3f}")
    0.705
    0.675
    """
    checked(scores, Scores, "scores")
    delta, confidence = DELTA.check(delta), SURE.check(confidence)
    checked_choice(design, DESIGNS, "design")
    checked_choice(choice, CHOICES, "choice")
    if choice == "beforehand" and at is None:
        raise ValueError("at must be the threshold, or the number of guesses, that was fixed beforehand; got None")
    if (choice == "split" or design == "one_run") and not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy random Generator; got {rng!r:.60}")
    way = _ManyRuns(delta, confidence) if design == "many_runs" else _OneRun(delta, confidence, rng)
    if choice == "beforehand":
        return way.read(scores, "beforehand", at)
    if choice == "best":
        return way.best(scores)
    first, second = _halves(scores, rng)
    return way.read(second, "split", way.chosen(first, second))


def _halves(scores: Scores, rng: np.random.Generator) -> tuple[Scores, Scores]:
    """Half of the rows of each kind, and the rest: of each at least one."""
    if min(scores.members, scores.others) < 2:
        raise ValueError("scores must have two rows of each kind to be halved; got fewer")
    first = np.zeros(scores.score.size, dtype=bool)
    for kind in (True, False):
        rows = np.flatnonzero(scores.member == kind)
        first[rng.permutation(rows)[: rows.size // 2]] = True
    return tuple(Scores(scores.score[half], scores.member[half]) for half in (first, ~first))


@dataclass(frozen=True, slots=True)
class _ManyRuns:
    """Each score comes from a run of its own, and a threshold tells the two kinds apart."""

    delta: float
    confidence: float

    def read(self, scores: Scores, choice: str, threshold: float) -> Reading:
        """What a threshold proves that no look at these scores has chosen."""
        threshold = THRESHOLD.check(threshold)
        hits, alarms = (int(count[0]) for count in _above(scores, np.array([threshold])))
        return self._reading(scores, choice, threshold, hits, alarms, (1, 1))

    def best(self, scores: Scores) -> Reading:
        """What the best of all thresholds proves."""
        choices = (scores.members, scores.others)
        return self._reading(scores, "best", *self._best(scores, choices), choices)

    def chosen(self, first: Scores, second: Scores) -> float:
        """The threshold that would prove most, were it not chosen."""
        return self._best(first, (1, 1))[0]

    def _best(self, scores: Scores, choices: tuple[int, int]) -> tuple[float, int, int]:
        thresholds = np.unique(scores.score)
        hits, alarms = _above(scores, thresholds)
        place = int(np.argmax(self._proved(scores, hits, alarms, choices)))
        return float(thresholds[place]), int(hits[place]), int(alarms[place])

    def _proved(self, scores: Scores, hits: object, alarms: object, choices: tuple[int, int]) -> np.ndarray:
        sizes = (scores.members, scores.others)
        return threshold_epsilon(hits, sizes[0], alarms, sizes[1], self.delta, self.confidence, choices)

    def _reading(
        self, scores: Scores, choice: str, threshold: float, hits: int, alarms: int, choices: tuple[int, int]
    ) -> Reading:
        proved = float(self._proved(scores, hits, alarms, choices))
        asked, sizes = (proved, self.delta, self.confidence, "many_runs", choice), (scores.members, scores.others)
        return Reading(*asked, threshold, *sizes, hits, alarms, looked_at=max(choices))


def _above(scores: Scores, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many scores with the unit, and without, lie above each threshold."""
    kinds = (np.sort(scores.score[scores.member == kind]) for kind in (True, False))
    return tuple(each.size - np.searchsorted(each, thresholds, side="right") for each in kinds)


@dataclass(frozen=True, slots=True)
class _OneRun:
    """All scores are those of canaries of one run, and the outermost of them are guessed."""

    delta: float
    confidence: float
    rng: np.random.Generator

    def read(self, scores: Scores, choice: str, guesses: float) -> Reading:
        """What so many guesses prove, a number that no look at these scores has chosen."""
        return self._reading(scores, choice, CANARIES.check(guesses, "guesses"), self._order(scores), 1)

    def best(self, scores: Scores) -> Reading:
        """What the best of some numbers of guesses proves."""
        order = self._order(scores)
        return max(
            (self._reading(scores, "best", made, order, len(SHARES)) for made in _numbers(scores.score.size)),
            key=lambda reading: reading.epsilon,
        )

    def chosen(self, first: Scores, second: Scores) -> int:
        """The number of guesses about the second half whose share would prove most on the first."""
        order = self._order(first)
        read = [self._reading(first, "split", made, order, 1) for made in _numbers(first.score.size)]
        best = max(read, key=lambda reading: reading.epsilon)
        return max(1, best.guesses * second.score.size // first.score.size)

    def _order(self, scores: Scores) -> np.ndarray:
        """Membership in descending order of the scores; equal ones by lot, since rows may be sorted by membership."""
        return scores.member[np.lexsort([self.rng.random(scores.score.size), -scores.score])]

    def _reading(self, scores: Scores, choice: str, guesses: int, order: np.ndarray, looked_at: int) -> Reading:
        if guesses > order.size:
            raise ValueError(f"guesses must be at most the {order.size} canaries; got {guesses}")
        low = guesses // 2
        right = int(order[: guesses - low].sum() + (~order[order.size - low :]).sum())
        proved = one_run_epsilon(right, guesses, order.size, self.delta, self.confidence, looked_at)
        asked, sizes = (proved, self.delta, self.confidence, "one_run", choice), (scores.members, scores.others)
        return Reading(*asked, None, *sizes, guesses=guesses, right=right, looked_at=looked_at)


def _numbers(canaries: int) -> list[int]:
    """The numbers of guesses that are tried."""
    return sorted({max(1, int(share * canaries)) for share in SHARES})
