"""Amplification by subsampling: what a release costs when it reads a secret random sample instead of all the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dpviz.amplification.amplification import Amplification
from dpviz.amplification.shuffling import SHUFFLE_BOUNDS
from dpviz.decimals import rounded_up, typed
from dpviz.filters import Filter, runs_until_exhausted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.subsampled import amplified_epsilon
from dpviz.outward import lowered, raised
from dpviz.parameters import COUNT, EPSILON, POPULATION, RATE, Parameter, checked, checked_items

if TYPE_CHECKING:
    import pandas

FINITE = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_high=True)
_UNSEEN, _BLOCKS = 1e-18, 512  # share of probability that changes no double; blocks of the others
_SECRET = "whose records are drawn stays secret, the rate is public; a fresh sample for every release"

AMPLIFICATIONS = (
    Amplification(
        "poisson",
        "Poisson sampling",
        r"\varepsilon' = \ln\bigl(1 + q(e^\varepsilon - 1)\bigr), \quad \delta' = q\,\delta",
        f"every record is drawn on its own with probability q; a record is added or removed; {_SECRET}",
        "Balle, Barthe & Gaboardi (2018), Thm 8",
        "add_remove",
    ),
    Amplification(
        "without_replacement",
        "Without replacement",
        r"\varepsilon' = \ln\bigl(1 + \tfrac{m}{n}(e^\varepsilon - 1)\bigr), \quad \delta' = \tfrac{m}{n}\,\delta",
        f"m of n records, n public; a record is replaced, for the base and for the result; {_SECRET}",
        "Balle, Barthe & Gaboardi (2018), Thm 9",
        "replace_one",
    ),
    Amplification(
        "with_replacement",
        "With replacement",
        r"\varepsilon' = \ln\bigl(1 + (1-(1-\tfrac1n)^m)(e^\varepsilon - 1)\bigr), \quad"
        r" \delta' = \sum_{j=1}^m \tbinom{m}{j} n^{-j} (1-\tfrac1n)^{m-j} \delta_j(\varepsilon)",
        "m draws from n records, n public; δ_j is the profile when j copies are replaced, so that a record drawn twice"
        f" counts twice; a record is replaced; {_SECRET}",
        "Balle, Barthe & Gaboardi (2018), Thm 10",
        "replace_one",
    ),
    *SHUFFLE_BOUNDS,
)


def sampling_rate(draws: int, population: int) -> float:
    """Return the rate draws / population of a sample without replacement, rounded up.

    Parameters
    ----------
    draws : int
        Records drawn, m in [0, population].
    population : int
        Records to draw from, n of at least 1.

    Raises
    ------
    ValueError
        When more records are to be drawn than there are.

    Examples
    --------
    >>> sampling_rate(50, 100)
    0.5
    >>> sampling_rate(101, 100)
    Traceback (most recent call last):
        ...
    ValueError: draws without replacement must be in [0, 100], a whole number; got 101
    """
    population = POPULATION.check(population, "population")
    most = Parameter("draws", "m", "records drawn", 0, population, integer=True)
    return rounded_up(typed(most.check(draws, "draws without replacement")) / population)


def amplify(guarantee: Guarantee, rate: float) -> Guarantee:
    """Return the guarantee of a release that reads a random sample of the data.

    Parameters
    ----------
    guarantee : Guarantee
        Of the release on the sample.
    rate : float
        Probability in [0, 1] with which a record is in the sample: q of Poisson sampling, or m/n without replacement
        (`sampling_rate`).

    Returns
    -------
    Guarantee
        ``(ln(1 + q(e^ε - 1)), q δ)``, rounded up; exact at rates 0 and 1.

    Notes
    -----
    Neighbour relation: add or remove one record under Poisson sampling; replace one record without replacement. Each
    needs the base guarantee for the same relation, a sample that stays secret and is drawn afresh, and a public rate.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), Privacy Amplification by Subsampling, Thm 8 and 9.

    Examples
    --------
    >>> print(amplify(Guarantee(1, 1e-6), 0.5))  # doctest: +ELLIPSIS
    (ε=0.62011450695..., δ=5e-07)-DP
    """
    checked(guarantee, Guarantee, "guarantee")
    rate = RATE.check(rate)
    if rate == 1:
        return guarantee
    delta = rounded_up(typed(rate) * typed(guarantee.delta))
    return Guarantee(float(amplified_epsilon(guarantee.epsilon, rate)), delta)


def base_epsilon(epsilon: float, rate: float) -> float:
    """Return the largest ε that a release on the sample may have to cost at most `epsilon`: the inverse of `amplify`.

    Parameters
    ----------
    epsilon : float
        Wanted ε' of the whole, in [0, inf].
    rate : float
        In [0, 1].

    Returns
    -------
    float
        ln(1 + (e^ε' - 1) / q), rounded down; inf at rate 0.

    Examples
    --------
    >>> round(base_epsilon(1, 0.5), 10)
    1.4898801256
    """
    epsilon, rate = EPSILON.check(epsilon), RATE.check(rate)
    if rate == 0 or math.isinf(epsilon):
        return math.inf
    if rate == 1 or epsilon == 0:
        return epsilon
    if epsilon > 1:
        base = epsilon + math.log1p(-(1 - rate) * math.exp(-epsilon)) - math.log(rate)
    else:
        odds = math.log(math.expm1(epsilon)) - math.log(rate)
        base = math.log1p(math.expm1(epsilon) / rate) if odds < 600 else odds
    base = lowered(base, 26)
    while amplified_epsilon(base, rate) > epsilon:
        base = lowered(math.nextafter(base, 0.0), 26)
    return max(base, epsilon)


def amplify_with_replacement(mechanism: Mechanism, draws: int, population: int, epsilon: float) -> Guarantee:
    """Return the guarantee of a mechanism that reads `draws` records drawn with replacement.

    Parameters
    ----------
    mechanism : Mechanism
        On the sample; its sensitivity is that of replacing one record.
    draws : int
        m in [0, 10^9].
    population : int
        n of at least 1, public.
    epsilon : float
        The ε in [0, inf) at which the profiles of the mechanism are read; each gives a guarantee.

    Returns
    -------
    Guarantee
        Rounded up. Its δ is above 0 wherever j copies of a record, j up to `draws`, may cost more than `epsilon`, also
        for a pure mechanism.

    Raises
    ------
    ValueError
        When the mechanism is stated for adding or removing a record.

    Notes
    -----
    Neighbour relation: one record is replaced.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), Thm 10.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(amplify_with_replacement(Laplace(1.0), 50, 100, 1.0))  # doctest: +ELLIPSIS
    (ε=0.51802617577..., δ=0.0387320...)-DP
    """
    draws, population = COUNT.check(draws, "draws"), POPULATION.check(population, "population")
    epsilon = FINITE.check(epsilon)
    checked(mechanism, Mechanism, "mechanism", "a mechanism such as Laplace(1.0)")
    if mechanism.relation == "add_remove":
        raise ValueError("mechanism must be stated for replacing one record; got one for adding or removing it")
    if draws == 0:
        return Guarantee(0.0)
    if population == 1:
        return Guarantee(epsilon, _together(mechanism, draws, epsilon))
    rate = min(1.0, raised(-math.expm1(draws * math.log1p(-1 / population)), 26))
    copies, weights, tail = _copies(draws, population)
    delta = raised(_expected(mechanism, copies, weights, epsilon) + tail, 10 * (2000 + len(copies)))
    return Guarantee(float(amplified_epsilon(epsilon, rate)), min(1.0, delta))


def _together(mechanism: Mechanism, copies: int, epsilon: float) -> float:
    """δ(ε) of so many copies of a record; 1, the safe side, where the group has parameters out of their intervals."""
    try:
        group = mechanism.grouped(copies)
    except ValueError:
        return 1.0
    return float(group.delta(epsilon))


def _expected(mechanism: Mechanism, copies: np.ndarray, weights: np.ndarray, epsilon: float) -> float:
    """The mean of δ_j(ε), rounded up: numbers of copies in blocks, each read as its largest, as more lose no less.

    The first block holds all that are rarer together than 1e-18; it ends where all the rest would not be seen.
    """
    rest, whole = np.cumsum(weights[::-1])[::-1], 0.0
    rare = int(np.searchsorted(np.cumsum(weights), _UNSEEN))
    block = max(1, math.ceil(int((rest > _UNSEEN).sum() - rare) / _BLOCKS))
    start, end = int(copies[0] == 0), max(rare, int(copies[0] == 0)) + block
    while start < len(copies) and rest[start] > _UNSEEN * whole:
        end = min(end, len(copies))
        share, cost = float(weights[start:end].sum()), _together(mechanism, int(copies[end - 1]), epsilon)
        if cost == 1:
            break
        whole += max(share * cost, math.nextafter(0.0, 1.0) * (cost > 0))  # too small for a double is not 0
        start, end = end, end + block
    return whole + (float(rest[start]) if start < len(copies) else 0.0)


def _copies(draws: int, population: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Numbers of copies of one record among the draws, their probabilities, and a bound of all others' (Bernstein).

    Ratios of neighbouring probabilities, summed from the mode and normalised: gamma functions lose digits.
    """
    mean = draws / population
    reach = 40 * math.sqrt(mean) + 500
    low, high = max(0, math.floor(mean - reach)), min(draws, math.ceil(mean + reach))
    copies = np.arange(low, high + 1, dtype=float)
    steps = np.log((draws - copies[1:] + 1) / copies[1:]) - math.log(population - 1)
    mode = int(np.argmin(steps > 0)) if (steps <= 0).any() else len(steps)
    below = -np.cumsum(steps[:mode][::-1])[::-1]
    with np.errstate(under="ignore"):
        weights = np.exp(np.concatenate([below, [0.0], np.cumsum(steps[mode:])]))
        tail = 2 * math.exp(-reach * reach / (2 * (mean + reach / 3))) if low > 0 or high < draws else 0.0
    return copies, weights / weights.sum(), tail


def epsilon_against_rate(epsilons: Iterable[float], rates: Iterable[float]) -> pandas.DataFrame:
    """Return the ε of a release on a sample, for every base ε and every rate.

    Returns
    -------
    pandas.DataFrame
        One row per base ε and rate: base_epsilon, rate, epsilon (nats, rounded up).

    Examples
    --------
    >>> epsilon_against_rate([1.0], [0.0, 0.5, 1.0]).epsilon.round(3).tolist()
    [0.0, 0.62, 1.0]
    """
    import pandas

    bases, rates = np.meshgrid(EPSILON.check_array(checked_items(epsilons, "epsilons"), "epsilons"),
                               RATE.check_array(checked_items(rates, "rates"), "rates"), indexing="ij")
    amplified = amplified_epsilon(bases, rates)
    return pandas.DataFrame({"base_epsilon": bases.ravel(), "rate": rates.ravel(), "epsilon": amplified.ravel()})


def runs_against_epsilon(
    filter: Filter, epsilons: Iterable[float], rates: Iterable[float], delta: float = 0.0
) -> pandas.DataFrame:
    """Return how many runs a filter admits with and without sampling.

    Parameters
    ----------
    filter : Filter
        With its budget and its rule.
    epsilons : iterable of float
        What each run costs on the records that it reads.
    rates : iterable of float
        In [0, 1]; 1 stands for no sampling.
    delta : float
        δ of each run on the records that it reads.

    Returns
    -------
    pandas.DataFrame
        One row per rate and ε: rate, base_epsilon, epsilon and delta (of one run after sampling), runs.

    Notes
    -----
    Every run reads a fresh sample. Neighbour relation: as in `amplify`.

    Examples
    --------
    >>> budget = Guarantee(0.2, 2e-30)
    >>> runs_against_epsilon(Filter(budget, "rogers", or_basic=True), [0.001, 0.002], [1.0, 0.5]).runs.tolist()
    [200, 100, 502, 199]
    """
    import pandas

    epsilons = [EPSILON.check(epsilon) for epsilon in checked_items(epsilons, "epsilons")]
    rows = []
    for rate in checked_items(rates, "rates"):
        for epsilon in epsilons:
            run = amplify(Guarantee(epsilon, delta), rate)
            rows.append((RATE.check(rate), epsilon, run.epsilon, run.delta, runs_until_exhausted(filter, run)))
    return pandas.DataFrame(rows, columns=["rate", "base_epsilon", "epsilon", "delta", "runs"])
