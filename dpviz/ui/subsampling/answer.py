"""What the page on sampling shows: answers that are kept, within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd

from dpviz.amplification import amplify, amplify_with_replacement, sampling_error, sampling_rate
from dpviz.amplification.subsampling import epsilon_against_rate, runs_against_epsilon
from dpviz.composition import epsilon_curve, max_count, theorem_named
from dpviz.composition.compose import repeated_totals
from dpviz.filters import Filter, adaptivity, runs_until_exhausted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism, Subsampled
from dpviz.mechanisms.laws.gaussian_profile import gaussian_mu
from dpviz.plan import Workload
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import kept
from dpviz.ui.subsampling.asked import Question, Run
from dpviz.ui.subsampling.presets import ADAPTIVE, BASIC, GAUSSIAN, LAPLACE, POISSON, ROGERS, WITHOUT

POINTS = 60  # of a chart whose ε spans more than a hundredfold
ROUNDS = 60  # numbers of runs on the chart of totals, found together; between them a line is as high as at the next
MOST_ROUNDS = 1_000_000
ACCURACY = 1e-3  # relative excess of totals on that chart, which are quoted beside it
BASES = (1.0, 3.0, 6.0)  # further ε drawn against the rate
SCHEMES = {WITHOUT: "without_replacement", POISSON: "poisson"}
RULE_KEYS = {ROGERS: "rogers", BASIC: "basic", ADAPTIVE: "fully_adaptive"}


def mechanism(run: Run, epsilon: float | None = None) -> Mechanism:
    """Return the noise of a run, or of one like it at another ε."""
    epsilon = run.epsilon if epsilon is None else epsilon
    if run.noise == LAPLACE:
        return Laplace.from_epsilon(epsilon)
    return Gaussian.from_guarantee(epsilon, run.delta, calibration=run.calibration)


def grid(epsilon: float, span: int) -> list[float]:
    """Return ε from `epsilon` to `span` times as much, as the decimals that they stand for.

    Examples
    --------
    >>> grid(0.001, 3), len(grid(0.001, 1000))
    ([0.001, 0.002, 0.003], 60)
    """
    exact = Decimal(repr(epsilon))
    if span <= 100:
        return [float(exact * times) for times in range(1, span + 1)]
    return [float(exact * Decimal(f"{times:.4g}")) for times in np.geomspace(1, span, POINTS)]


def filter_of(budget: Guarantee, rule: str, delta: float, arithmetic: str = "decimal") -> Filter:
    """Return the filter of a rule as the page names it, for runs with this δ.

    "Fully adaptive" keeps half of the budget's δ for the runs' own, and nothing where they have none.
    """
    return adaptivity.filter_of(RULE_KEYS[rule], budget, True, budget.delta / 2 if delta else 0.0, arithmetic)


@kept(64, 2)
def runs(run: Run, budget: Guarantee, rule: str, span: int, sizes: tuple[int, ...], population: int) -> pd.DataFrame:
    """Return how many runs fit against the ε of each, kept.

    Returns
    -------
    pandas.DataFrame
        As `dpviz.amplification.subsampling.runs_against_epsilon`, with size and population, and where more than one ε
        is asked also runs_in_floats: by the notebook's rule in double precision, as it drew them.
    """
    epsilons = grid(run.epsilon, span)
    read = (population, *sizes)
    rates = [sampling_rate(size, population) for size in read]
    frame = runs_against_epsilon(filter_of(budget, rule, run.delta), epsilons, rates, run.delta)
    frame.insert(0, "size", np.repeat(read, len(epsilons)))
    frame.insert(1, "population", population)
    if span == 1:
        return frame
    # The notebook's ε are multiples in floats as well, as NumPy ranges them, and may miss the decimal by a digit.
    ranged = [run.epsilon + place * run.epsilon for place in range(span)] if len(epsilons) == span else epsilons
    floats = runs_against_epsilon(filter_of(budget, ROGERS, run.delta, "float64"), ranged, rates, run.delta)
    return frame.assign(runs_in_floats=floats.runs)


def by_rule(run: Run, budget: Guarantee, rates: tuple[float, ...]) -> dict[str, list[int]]:
    """Return how many runs every rule admits at each rate."""
    asked = [amplify(Guarantee(run.epsilon, run.delta), rate) for rate in rates]
    filters = {rule: filter_of(budget, rule, run.delta) for rule in RULE_KEYS}
    return {rule: [runs_until_exhausted(each, one) for one in asked] for rule, each in filters.items()}


@kept(64, 1)
def sampled_runs(noise: Mechanism, rate: float, scheme: str, budget: Guarantee) -> int:
    """Return how many runs on samples, fixed in advance, fit when the noise itself is accounted for, kept."""
    return max_count(Subsampled(noise, rate, SCHEMES[scheme]), budget)


@kept(64, 2)
def native(noise: Mechanism, run: Run, budget: Guarantee, span: int) -> pd.DataFrame:
    """Return how many runs fit without sampling when the noise itself is accounted for, kept.

    Returns
    -------
    pandas.DataFrame
        base_epsilon, runs; the first row by `dpviz.max_count`. Further rows for Gaussian noise, which has a closed
        form: (μ of the budget / μ of one run)².
    """
    counts = [max_count(noise, budget)]
    epsilons = grid(run.epsilon, span)
    if run.noise == LAPLACE or budget.delta == 0:
        return pd.DataFrame({"base_epsilon": epsilons[:1], "runs": counts})
    whole = gaussian_mu(budget.epsilon, budget.delta)
    squares = [(whole / mechanism(run, each).mu) ** 2 * (1 - 1e-9) for each in epsilons[1:]]
    return pd.DataFrame({"base_epsilon": epsilons, "runs": counts + [int(min(each, 1e9)) for each in squares]})


@kept(64, 1)
def one_run(epsilon: float, rates: tuple[float, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return ε′ against the rate for several ε, and against ε for several rates, kept."""
    bases = sorted([epsilon, *(base for base in BASES if abs(np.log(base / epsilon)) > 0.3)])
    against_rate = epsilon_against_rate(bases, np.linspace(0, 1, 51))
    epsilons = np.geomspace(min(epsilon, 0.01), max(10.0, 2 * epsilon), 61)
    wide = epsilon_against_rate(epsilons, [1.0, *rates])
    return against_rate, wide.sort_values("rate", ascending=False, kind="stable")


@kept(64, 1)
def errors(
    noise: str, records: int, spread: float, queries: int, budget: Guarantee, sizes: tuple[int, ...]
) -> pd.DataFrame:
    """Return the error of each of `queries` means against the rate, kept; records lie in [0, 1]."""
    low = max(1, records // 10_000)
    spaced = np.rint(np.geomspace(low, records, 41)).astype(int).tolist()
    nearly = [records - left for left in spaced if 4 * left < records]  # where the sampling error falls to nothing
    draws = sorted({*spaced, *nearly, *sizes, records})
    kind = sampling_error.LAPLACE if noise == LAPLACE else sampling_error.GAUSSIAN
    return sampling_error.error_against_rate(records, spread, queries, budget, draws, noises=[kind])


WITHOUT_REPLACEMENT = SCHEMES[WITHOUT]
KINDS = tuple(SCHEMES.values())  # the dearer one first
WAYS = {
    "whole": ("pld", "no sampling, tight"),
    "sum": ("basic", "formula, k times"),
    "pairs": ("optimal", "formula, best theorem"),
    WITHOUT_REPLACEMENT: ("pld", "without replacement, bound"),
    SCHEMES[POISSON]: ("pld", "Poisson, tight"),
}


def rounds(most: int) -> np.ndarray:
    """Return the numbers of runs on the chart of totals.

    Examples
    --------
    >>> rounds(10).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    return np.unique(np.rint(np.geomspace(1, most, ROUNDS)).astype(int))


@kept(64, 1)
def unsampled(noise: Mechanism, delta: float, counts: tuple[int, ...], accuracy: float) -> np.ndarray:
    """Return what so many runs on all records cost at the whole δ, kept."""
    return epsilon_curve(noise, np.array(counts), delta, ["pld"], accuracy).epsilon.to_numpy()


@kept(64, 2)
def totals(
    run: Run, delta: float, rate: float, most: int, kinds: tuple[str, ...] = KINDS, accuracy: float = ACCURACY,
    fit: tuple[int, ...] = (),
) -> pd.DataFrame:
    """Return what up to `most` runs cost at the whole δ: on all records, by the formula, for some kinds of samples.

    Between the numbers of runs a line is drawn as high as at the next; it crosses the budget where these `fit`.

    Returns
    -------
    pandas.DataFrame
        way, label, count, epsilon (nats, rounded up; inf without a guarantee).
    """
    ends = [count for each in fit for count in (each, each + 1) if 1 <= count <= most]
    base, counts = mechanism(run), np.unique([*rounds(most), *ends])
    found = {"whole": unsampled(base, delta, tuple(counts.tolist()), accuracy)}
    best = np.full(len(counts), np.inf)
    # A theorem on the pairs holds for both kinds of samples, and the profile without replacement, the worst of both
    # directions, bounds either direction of Poisson sampling: where a numerical total is coarse, those are better.
    for way in ("sum", "pairs", *(kind for kind in KINDS if kind in kinds)):
        sampled = Subsampled(base, rate, way if way in KINDS else WITHOUT_REPLACEMENT)
        theorem = theorem_named(WAYS[way][0])
        (epsilon,) = repeated_totals([theorem], Workload.of(sampled), counts, delta, accuracy)
        found[way] = best = np.minimum(best, epsilon)
    return pd.DataFrame(
        {
            "way": np.repeat(list(found), len(counts)),
            "label": np.repeat([WAYS[way][1] for way in found], len(counts)),
            "count": np.tile(counts, len(found)),
            "epsilon": np.concatenate(list(found.values())),
        }
    )


@kept(64, 1)
def with_replacement(run: Run, draws: int, population: int) -> tuple[float, float]:
    """Return ε′ and δ′ of one run on `draws` records drawn with replacement, kept."""
    guarantee = amplify_with_replacement(mechanism(run), draws, population, run.epsilon)
    return guarantee.epsilon, guarantee.delta


@dataclass(frozen=True)
class Answer:
    """What follows.

    Parameters
    ----------
    runs, native, errors : pandas.DataFrame
        As the functions of these names return them; errors is None for Gaussian noise without a δ.
    sampled : int or None
        Runs on samples of the first size by the noise itself; None for the notebook's figures, which do not ask it.
    """

    runs: pd.DataFrame
    native: pd.DataFrame
    errors: pd.DataFrame | None
    sampled: int | None = None

    def counts(self, column: str = "runs") -> list[int]:
        """How many of the asked runs fit: without sampling first, then for every sample size."""
        return [int(count) for count in self.runs.drop_duplicates("size")[column]]


def noise_of(asked: Question) -> Mechanism:
    """Return the noise that is asked about: that of the plan's release itself, where it is one of those."""
    return mechanism(asked.run) if asked.row is None else session.current().releases[asked.row].mechanism.base


def answer(asked: Question) -> Answer:
    """Return what the first screen shows, kept."""
    noise = noise_of(asked)
    span = asked.span if asked.figures else 1  # only the notebook's figures draw more
    fitting = runs(asked.run, asked.budget, asked.rule, span, asked.sizes, asked.population)
    sampled = None if asked.figures else sampled_runs(noise, asked.rates[0], asked.scheme, asked.budget)
    whole = native(noise, asked.run, asked.budget, span)
    if asked.run.noise == GAUSSIAN and asked.budget.delta == 0:
        return Answer(fitting, whole, None, sampled)
    error = errors(asked.run.noise, asked.population, asked.spread, asked.queries, asked.budget, asked.sizes)
    return Answer(fitting, whole, error, sampled)
