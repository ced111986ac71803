"""What the adversary holds after the experiment and computes from it: means, likelihood ratios, posteriors, guesses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from dpviz.adversary.experiment import Experiment
from dpviz.adversary.intervals import CONFIDENCE, Estimate, clopper_pearson, weighted
from dpviz.parameters import COUNT, Parameter, checked_choice

if TYPE_CHECKING:
    import pandas

PRIOR = Parameter("prior", "π", "how likely world 1 is before anything is seen", 0, 1)
BINS = Parameter("bins", "", "bins of a histogram", 1, 1000, integer=True)
STATISTICS = ("mean", "log_ratio")
DECISIONS = ("optimal", "midpoint")
PATHS = 1000  # trials whose statistics are kept at every checkpoint


@dataclass(frozen=True)
class Tallies:
    """What is summed over all trials at each checkpoint.

    Parameters
    ----------
    right : dict of str to ndarray of int, shape (2, checkpoints)
        By decision of `DECISIONS`: trials in which the guess names the world that was played.
    total, square : ndarray of float, shape (2, checkpoints)
        Sums of the running mean's distance from the midpoint, and of its square.
    """

    right: dict[str, np.ndarray]
    total: np.ndarray
    square: np.ndarray


@dataclass(frozen=True, eq=False)
class Views:
    """The views V⁰ and V¹ of the trials played so far.

    Parameters
    ----------
    experiment : Experiment
        What was played, with its seed; a result is stale for any other experiment.
    trials : int
        Trials played in each world: those asked for, or fewer where it was stopped.
    outputs : ndarray of float, shape (2, trials, rounds), or None
        Every output, where they are few enough to be kept; NaN where nothing was told or asked.
    asked : ndarray of int, shape (2, trials, rounds), or None
        Which mechanism was asked, where that is not fixed in advance; -1 where none was.
    means, log_ratios : ndarray of float, shape (2, trials)
        Mean of all outputs on the scale of the secrets, and ln p(view | world 1) / p(view | world 0).
    mean_paths, log_ratio_paths : ndarray of float, shape (2, paths, checkpoints)
        Both after each checkpoint, for the first trials.
    tallies : Tallies

    Notes
    -----
    All is conditional on the neighbour relation of the secrets: one component that differs by at most the sensitivity.
    """

    experiment: Experiment
    trials: int
    means: np.ndarray = field(repr=False)
    log_ratios: np.ndarray = field(repr=False)
    mean_paths: np.ndarray = field(repr=False)
    log_ratio_paths: np.ndarray = field(repr=False)
    tallies: Tallies = field(repr=False)
    outputs: np.ndarray | None = field(default=None, repr=False)
    asked: np.ndarray | None = field(default=None, repr=False)

    @property
    def complete(self) -> bool:
        """Whether all trials asked for were played."""
        return self.trials == self.experiment.trials

    @property
    def midpoint(self) -> float:
        """The decision line of the notebook's measure: halfway between the answers of the secrets."""
        return sum(self.experiment.scale) / 2

    def posterior(self, prior: float = 0.5) -> np.ndarray:
        """Return P[world 1 | view] for each trial, shape (2, trials).

        Parameters
        ----------
        prior : float
            Probability of world 1 beforehand, in [0, 1].
        """
        prior = PRIOR.check(prior)
        if prior in (0.0, 1.0):
            return np.full(self.log_ratios.shape, prior)
        return expit(self.log_ratios + _log_odds(prior))

    def guesses(self, prior: float = 0.5) -> np.ndarray:
        """Return the most probable world for each trial, shape (2, trials); world 0 where both are equally probable."""
        prior = PRIOR.check(prior)
        if prior in (0.0, 1.0):
            return np.full(self.log_ratios.shape, int(prior), dtype=np.int8)
        return (self.log_ratios + _log_odds(prior) > self.experiment.tie).astype(np.int8)

    def error_rates(self, prior: float = 0.5, confidence: float = 0.99) -> tuple[Estimate, Estimate]:
        """Return the false positive rate and the false negative rate of the optimal guess.

        Parameters
        ----------
        prior : float
            In [0, 1]; the guess accuses (says world 1) where the posterior exceeds 1/2.
        confidence : float
            Of each interval, in (0, 1).
        """
        wrong = self.guesses(prior) != np.array([[0], [1]])
        accused, missed = (clopper_pearson(int(row.sum()), self.trials, confidence) for row in wrong)
        return accused, missed

    def success(self, prior: float = 0.5, confidence: float = 0.99) -> Estimate:
        """Return how often the optimal guess is right, each world being played as often as the prior says."""
        prior, confidence = PRIOR.check(prior), CONFIDENCE.check(confidence)
        if prior == 0.5:
            right = int((self.guesses() == np.array([[0], [1]])).sum())
            return clopper_pearson(right, 2 * self.trials, confidence)
        wrong = self.error_rates(prior, 1 - (1 - confidence) / 2)
        rights = tuple(Estimate(1 - each.value, 1 - each.high, 1 - each.low, each.trials) for each in wrong)
        return weighted(rights, (1 - prior, prior))

    def advantage(self, confidence: float = 0.99) -> Estimate:
        """Return the advantage of the optimal guess, twice its success at prior 1/2 less 1; may be below 0."""
        success = self.success(0.5, confidence)
        value, low, high = (2 * each - 1 for each in (success.value, success.low, success.high))
        return Estimate(value, low, high, success.trials)

    def midpoint_error_rates(self, confidence: float = 0.99) -> tuple[Estimate, Estimate]:
        """Return how often the midpoint test on the mean errs in world 0 and in world 1."""
        right = self.tallies.right["midpoint"][:, -1]
        low, high = (clopper_pearson(self.trials - int(count), self.trials, confidence) for count in right)
        return low, high

    def midpoint_success(self, confidence: float = 0.99) -> Estimate:
        """Return how often the midpoint test on the mean is right, both worlds being played equally often."""
        return clopper_pearson(int(self.tallies.right["midpoint"][:, -1].sum()), 2 * self.trials, confidence)

    def mean_frame(self) -> pandas.DataFrame:
        """Return the running mean in both worlds as outputs arrive.

        Returns
        -------
        DataFrame
            One row per (world, round): world, round, mean, standard_deviation (of the running mean, over trials), and
            low and high, between which 95 of 100 kept paths lie.
        """
        import pandas as pd

        average = self.tallies.total / self.trials
        variance = np.maximum(self.tallies.square / self.trials - average**2, 0.0)
        low, high = np.quantile(self.mean_paths, (0.025, 0.975), axis=1)
        columns = {"mean": average + self.midpoint, "standard_deviation": np.sqrt(variance), "low": low, "high": high}
        marks = self.experiment.checkpoints
        index = {"world": np.repeat((0, 1), len(marks)), "round": np.tile(marks, 2)}
        return pd.DataFrame({**index, **{name: values.ravel() for name, values in columns.items()}})

    def path_frame(self, paths: int = 20) -> pandas.DataFrame:
        """Return what the adversary of single trials knows as outputs arrive.

        Returns
        -------
        DataFrame
            One row per (world, trial, round) of the first `paths` trials: world, trial, round, mean, log_ratio.
        """
        import pandas as pd

        shown = min(max(COUNT.check(paths, "paths"), 1), self.mean_paths.shape[1])
        shape = (2, shown, len(self.experiment.checkpoints))
        world, trial, place = (each.ravel() for each in np.indices(shape))
        return pd.DataFrame(
            {
                "world": world,
                "trial": trial,
                "round": self.experiment.checkpoints[place],
                "mean": self.mean_paths[:, :shown].ravel(),
                "log_ratio": self.log_ratio_paths[:, :shown].ravel(),
            }
        )

    def histogram_frame(self, statistic: str = "mean", bins: int = 40) -> pandas.DataFrame:
        """Return how a statistic of the whole view is distributed in both worlds.

        Parameters
        ----------
        statistic : {"mean", "log_ratio"}
        bins : int
            In [1, 1000].

        Returns
        -------
        DataFrame
            One row per (world, bin): world, low, high, trials. An infinite log-likelihood ratio, which names the
            world for certain, has a row of its own with low = high = ±inf.
        """
        import pandas as pd

        checked_choice(statistic, STATISTICS, "statistic")
        values = self.means if statistic == "mean" else self.log_ratios
        finite = values[np.isfinite(values)]
        edges = np.histogram_bin_edges(finite if finite.size else np.zeros(1), BINS.check(bins))
        rows = []
        for world, row in enumerate(values):
            counts, _ = np.histogram(row[np.isfinite(row)], edges)
            rows += zip([world] * len(counts), edges[:-1], edges[1:], counts.tolist(), strict=True)
            sure = {end: int((row == end).sum()) for end in (-math.inf, math.inf)}
            rows += [(world, end, end, count) for end, count in sure.items() if count]
        return pd.DataFrame(rows, columns=["world", "low", "high", "trials"])


def _log_odds(prior: float) -> float:
    return math.log(prior) - math.log1p(-prior)
